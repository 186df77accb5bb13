/* SPDX-License-Identifier: MIT
 *
 * The places of agx-runner's other programs and libraries: in its build folder, or where it was installed.
 */
#ifndef AGX_RUNNER_PLACE_H
#define AGX_RUNNER_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#define PLACE_PATH 4096

struct place {
   const char *variable;  /* of the environment, names another file instead; NULL: none does */
   const char *built;     /* its place in a build folder: "fuzz/agx-fuzz" */
   const char *installed; /* the folder of the installation that has it in its subfolder agx-runner, relative to the
                             prefix: "libexec" */
};

/* Writes the path of the file. False: there is none, and `path` is a sentence that says why and how to get it. */
bool place_look(const struct place *place, char path[PLACE_PATH]);
/* The same for a file that must be there; `asker` starts the message. EXIT_OK, EXIT_FAILED, or EXIT_INVALID where the
 * variable is wrong. */
int place_find(const char *asker, const struct place *place, char path[PLACE_PATH]);

#endif
