/* SPDX-License-Identifier: MIT
 *
 * Names of this machine and of its user, which must not be in a survey's archive.
 */
#ifndef AGX_RUNNER_PRIVATE_H
#define AGX_RUNNER_PRIVATE_H

#include <json-c/json.h>
#include <stddef.h>

#define PRIVATE_WORDS 3

struct private_words {
   const char *words[PRIVATE_WORDS]; /* if one contains another, the longer one comes first */
   size_t count;
};

/* Returns the host's name, the user's home folder and the user's name. Valid until the next call. */
struct private_words private_words(void);
/* Replaces each of them by "[removed]" wherever it stands alone. Returns 0, or -ENOMEM without changing the text. */
int private_remove(const struct private_words *private, char **text, size_t *size);
/* The same in a JSON value: all of them in sentences and paths, which contain a space or start with a slash, and the
 * home folder in any string. Other strings, keys and numbers are the survey's own: they remain, whatever the user's
 * name is. */
int private_remove_json(const struct private_words *private, struct json_object *value);

#endif
