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

#include "agx_runner/program/collected/collected.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/terminal/progress.h"
#include "util/text.h"

#define DEPTH_MAX 16u /* most nested folders: a link may lead in circles */

static bool is_kernel_file(const char *name, bool shaders)
{
   const char *dot = strrchr(name, '.');

   if (util_has_suffix(name, ".built")) { /* with --collect: of the stages that can be compiled alone */
      return shaders && (util_has_suffix(name, ".compute.built") || util_has_suffix(name, ".kernels.built"));
   }
   return dot != NULL && (!strcmp(dot, ".cl") || !strcmp(dot, ".agx") || !strcmp(dot, ".spv") ||
                          (shaders && !strcmp(dot, ".comp")) || collected_is_program(name));
}

/* The function that is called for each file. */
struct walk {
   int (*visit)(void *data, const char *path, const char *file); /* NULL: files are counted */
   void *data;
   bool shaders;     /* those in GLSL count */
   const char *path; /* given */
   size_t count;
   struct progress progress;
};

static int take(struct walk *walk, const char *file)
{
   walk->count++;
   if (walk->visit == NULL) {
      return EXIT_OK;
   }
   progress_step(&walk->progress, file);
   return walk->visit(walk->data, walk->path, file);
}

/* Sources of --collect are compiled as applications have built them, not by themselves. */
static bool has_built(struct dirent **entries, int count)
{
   for (int i = 0; i < count; i++) {
      if (util_has_suffix(entries[i]->d_name, ".built")) {
         return true;
      }
   }
   return false;
}

static int each(struct walk *walk, const char *path, unsigned depth)
{
   struct dirent **entries;
   struct stat status;
   int code = EXIT_OK;

   if (stat(path, &status) < 0) {
      return complain(EXIT_INVALID, "%s: %s", path, strerror(errno));
   }
   if (!S_ISDIR(status.st_mode)) {
      return depth == 0 || is_kernel_file(path, walk->shaders) ? take(walk, path) : EXIT_OK;
   }
   if (depth == DEPTH_MAX) {
      return EXIT_OK;
   }
   const int count = scandir(path, &entries, NULL, alphasort);
   if (count < 0) {
      return complain(EXIT_INVALID, "%s: %s", path, strerror(errno));
   }
   const bool built = has_built(entries, count);
   for (int i = 0; i < count; i++) {
      char *full = NULL;

      if (code == EXIT_OK && entries[i]->d_name[0] != '.' &&
          (!built || util_has_suffix(entries[i]->d_name, ".built"))) {
         code = asprintf(&full, "%s/%s", path, entries[i]->d_name) < 0 ? complain(EXIT_FAILED, "out of memory")
                                                                       : each(walk, full, depth + 1);
         free(full);
      }
      free(entries[i]);
   }
   free(entries);
   return code;
}

static int walk_all(struct walk *walk, const struct string_list *paths)
{
   int code = EXIT_OK;

   for (size_t i = 0; code == EXIT_OK && i < paths->count; i++) {
      walk->path = paths->items[i];
      code = each(walk, walk->path, 0);
   }
   return code;
}

int kernel_files_each(const struct string_list *paths, const char *mesa,
                      int (*visit)(void *data, const char *path, const char *file), void *data)
{
   const bool shaders = mesa != NULL && strcmp(mesa, "linked") != 0;
   struct walk walk = {.shaders = shaders};
   int code = walk_all(&walk, paths);

   if (code == EXIT_OK) {
      const size_t total = walk.count;

      walk = (struct walk){.visit = visit, .data = data, .shaders = shaders};
      progress_start_on_terminal(&walk.progress, total);
      code = walk_all(&walk, paths);
      progress_finish(&walk.progress);
   }
   return code;
}
