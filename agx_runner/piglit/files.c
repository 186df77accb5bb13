/* SPDX-License-Identifier: MIT
 *
 * Folders are searched without following links. A path that is given twice is stored once.
 */
#include "agx_runner/piglit/files.h"

#include <errno.h>
#include <fts.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agx_runner/piglit/format/name.h"
#include "agx_runner/piglit/script/load.h"
#include "util/array.h"
#include "util/text.h"

static void finish_path(struct piglit_path *path)
{
   free(path->path);
   free(path->name);
}

static int add_file(struct piglit_files *files, const char *path)
{
   struct piglit_path item = {strdup(path), piglit_test_name(path)};

   if (item.path == NULL || item.name == NULL || !ARRAY_RESERVE_ONE(files->items, files->count)) {
      finish_path(&item);
      return -ENOMEM;
   }
   for (char *c = item.name; *c != '\0'; c++) {
      *c = (unsigned char)*c < ' ' ? '?' : *c; /* a name is part of a line in journals */
   }
   files->items[files->count++] = item;
   return 0;
}

static bool is_test(const char *name)
{
   return util_has_suffix(name, ".cl") || util_has_suffix(name, ".program_test") || script_is_one(name);
}

static int add_folder(struct piglit_files *files, const char *path, char *message, size_t message_size)
{
   char *copy = strdup(path);
   char *const roots[] = {copy, NULL};
   size_t before = files->count;
   FTS *tree = copy != NULL ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
   int ret = tree != NULL ? 0 : -errno;
   FTSENT *entry;

   while (ret == 0 && (errno = 0, entry = fts_read(tree)) != NULL) {
      if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR) {
         ret = -entry->fts_errno;
      } else if (entry->fts_info != FTS_D && entry->fts_info != FTS_DP && is_test(entry->fts_name)) {
         ret = add_file(files, entry->fts_path);
      }
   }
   if (ret == 0 && errno != 0) {
      ret = -errno;
   }
   if (tree != NULL) {
      fts_close(tree);
   }
   free(copy);
   if (ret < 0) {
      snprintf(message, message_size, "%s: %s", path, strerror(-ret));
   } else if (files->count == before) {
      snprintf(message, message_size,
               "%s: there is no file of tests below it (.cl, .program_test, " SCRIPT_SUFFIXES ")", path);
      ret = -ENOENT;
   }
   return ret;
}

int piglit_files_add(struct piglit_files *files, const char *path, char *message, size_t message_size)
{
   struct stat status;
   int ret = stat(path, &status) < 0 ? -errno : 0;

   if (ret == 0 && S_ISDIR(status.st_mode)) {
      return add_folder(files, path, message, message_size);
   }
   if (ret == 0) {
      ret = add_file(files, path);
   }
   if (ret < 0) {
      snprintf(message, message_size, "%s: %s", path, strerror(-ret));
   }
   return ret;
}

static int by_path(const void *a, const void *b)
{
   const struct piglit_path *left = a, *right = b;

   return strcmp(left->path, right->path);
}

void piglit_files_sort(struct piglit_files *files)
{
   size_t kept = 0;

   if (files->count > 0) {
      qsort(files->items, files->count, sizeof(*files->items), by_path);
   }
   for (size_t i = 0; i < files->count; i++) {
      if (kept > 0 && strcmp(files->items[kept - 1].path, files->items[i].path) == 0) {
         finish_path(&files->items[i]);
      } else {
         files->items[kept++] = files->items[i];
      }
   }
   files->count = kept;
}

void piglit_files_shard(struct piglit_files *files, unsigned number, unsigned of)
{
   size_t kept = 0;

   for (size_t i = 0; i < files->count; i++) {
      if (i % of == number - 1) {
         files->items[kept++] = files->items[i];
      } else {
         finish_path(&files->items[i]);
      }
   }
   files->count = kept;
}

void piglit_files_finish(struct piglit_files *files)
{
   for (size_t i = 0; i < files->count; i++) {
      finish_path(&files->items[i]);
   }
   free(files->items);
   *files = (struct piglit_files){0};
}
