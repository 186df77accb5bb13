/* SPDX-License-Identifier: MIT
 *
 * The places of agx-runner's other programs and libraries: in its build folder, or where it was installed.
 */
#ifndef AGX_RUNNER_PLACE_H
#define AGX_RUNNER_PLACE_H

#define PLACE_PATH 4096

/* Writes the path of a file to `path`. `variable`: an environment variable that names another file instead; NULL: none.
 * `built`: its place in a build folder, "fuzz/agx-fuzz". `installed`: the folder of the installation, relative to the
 * prefix, that has it in its subfolder agx-runner: "libexec". `asker` starts the message. Returns EXIT_OK, or
 * EXIT_FAILED with a message that tells how to get the file. */
int place_find(const char *asker, const char *variable, const char *built, const char *installed,
               char path[PLACE_PATH]);

#endif
