/* SPDX-License-Identifier: MIT
 *
 * Walks folders for kernel files. Invariant: the order does not depend on the file system.
 */
#include "agx_runner/program/kernel_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agx_runner/terminal/runner.h"

#define DEPTH_MAX 16u /* folders in folders: a link may lead in circles */

static bool is_kernel_file(const char *name)
{
   const char *dot = strrchr(name, '.');

   return dot != NULL && (!strcmp(dot, ".cl") || !strcmp(dot, ".agx") || !strcmp(dot, ".spv"));
}

static int each(const char *path, unsigned depth, int (*visit)(void *data, const char *file), void *data)
{
   struct dirent **entries;
   struct stat status;
   int code = EXIT_OK;

   if (stat(path, &status) < 0) {
      return complain(EXIT_INVALID, "%s: %s", path, strerror(errno));
   }
   if (!S_ISDIR(status.st_mode)) {
      return depth == 0 || is_kernel_file(path) ? visit(data, path) : EXIT_OK;
   }
   if (depth == DEPTH_MAX) {
      return EXIT_OK;
   }
   const int count = scandir(path, &entries, NULL, alphasort);
   if (count < 0) {
      return complain(EXIT_INVALID, "%s: %s", path, strerror(errno));
   }
   for (int i = 0; i < count; i++) {
      char *full = NULL;

      if (code == EXIT_OK && entries[i]->d_name[0] != '.') {
         code = asprintf(&full, "%s/%s", path, entries[i]->d_name) < 0 ? complain(EXIT_FAILED, "out of memory")
                                                                       : each(full, depth + 1, visit, data);
         free(full);
      }
      free(entries[i]);
   }
   free(entries);
   return code;
}

int kernel_files_each(const char *path, int (*visit)(void *data, const char *file), void *data)
{
   return each(path, 0, visit, data);
}
