/* SPDX-License-Identifier: MIT
 *
 * Names of this machine and of its user, which a survey's archive must not hold.
 */
#ifndef AGX_RUNNER_PRIVATE_H
#define AGX_RUNNER_PRIVATE_H

#include <json-c/json.h>
#include <stddef.h>

#define PRIVATE_WORDS 3

struct private_words {
   const char *words[PRIVATE_WORDS]; /* the longer of two that contain each other first */
   size_t count;
};

/* The host's name, the user's home folder and the user's name. Valid until the next call. */
struct private_words private_words(void);
/* Replaces each of them by "[removed]" wherever it stands alone. 0 or -ENOMEM, and then nothing is lost. */
int private_remove(const struct private_words *private, char **text, size_t *size);
/* The same in a JSON value: all of them in sentences and paths, which hold a space or start with a slash, and the home
 * folder in any string. Other strings, keys and numbers are the survey's own words: they stay, whatever the user is
 * called. */
int private_remove_json(const struct private_words *private, struct json_object *value);

#endif
