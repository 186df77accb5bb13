/* SPDX-License-Identifier: MIT
 *
 * Where the other programs and the libraries of agx-runner are: in the folder that it was built in, or where it was
 * installed.
 */
#ifndef AGX_RUNNER_PLACE_H
#define AGX_RUNNER_PLACE_H

#define PLACE_PATH 4096

/* Writes the path of a file to `path`. `variable`: of the environment, names another file instead;
 * NULL: none does. `built`: its place in a build folder, "fuzz/agx-fuzz". `installed`: the folder of
 * the installation that has it in its subfolder agx-runner, relative to the prefix: "libexec". `asker` starts the
 * message. EXIT_OK, or EXIT_FAILED with a message that says how to get the file. */
int place_find(const char *asker, const char *variable, const char *built, const char *installed,
               char path[PLACE_PATH]);

#endif
