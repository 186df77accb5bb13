/* SPDX-License-Identifier: MIT
 *
 * Kernel files of files and folders, sorted by name.
 */
#ifndef AGX_RUNNER_KERNEL_FILES_H
#define AGX_RUNNER_KERNEL_FILES_H

#include "agx_runner/terminal/values.h"

/* Calls `visit` for each given file, and for those in the given folders whose names end with .cl, .spv, .agx or
 * .agxprog, and of a Mesa's drivers .comp. Of a folder with .built files those alone are taken, for a Mesa's drivers.
 * mesa: as --mesa takes it; NULL: the linked one. Names that begin with a dot are left out. path: the operand by which
 * the file was found. Shows progress. Stops at the first code other than EXIT_OK and returns it; EXIT_INVALID with a
 * message: a path cannot be read. */
int kernel_files_each(const struct string_list *paths, const char *mesa,
                      int (*visit)(void *data, const char *path, const char *file), void *data);

#endif
