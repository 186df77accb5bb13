/* SPDX-License-Identifier: MIT
 *
 * Kernel files of files and folders, in the order of their names.
 */
#ifndef AGX_RUNNER_KERNEL_FILES_H
#define AGX_RUNNER_KERNEL_FILES_H

#include "agx_runner/terminal/values.h"

/* Calls `visit` for each file: those given, and those below the folders given whose names end with .cl, .spv or .agx.
 * Names that begin with a dot are left out. path: the one that the file was found by. Progress is shown. Stops at the
 * first code that is not EXIT_OK, and returns it; EXIT_INVALID with a message: a path that cannot be read. */
int kernel_files_each(const struct string_list *paths, int (*visit)(void *data, const char *path, const char *file),
                      void *data);

#endif
