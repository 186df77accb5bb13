/* SPDX-License-Identifier: MIT */
#include "agx_runner/piglit/session.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int add_file(struct piglit_session *session, const char *path)
{
   struct piglit_result *grown = realloc(session->results, (session->count + 1) * sizeof(*grown));

   if (grown == NULL) {
      return -ENOMEM;
   }
   session->results = grown;
   int ret = piglit_result_init(&grown[session->count], path);
   session->count += ret == 0;
   return ret;
}

static bool is_program_test(const char *name)
{
   const char *dot = strrchr(name, '.');

   return dot != NULL && (strcmp(dot, ".cl") == 0 || strcmp(dot, ".program_test") == 0);
}

static int add_folder(struct piglit_session *session, const char *path, char *message, size_t message_size)
{
   char *copy = strdup(path);
   char *const roots[] = {copy, NULL};
   size_t before = session->count;
   FTS *tree = copy != NULL ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
   int ret = tree != NULL ? 0 : -errno;
   FTSENT *entry;

   while (ret == 0 && (errno = 0, entry = fts_read(tree)) != NULL) {
      if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR) {
         ret = -entry->fts_errno;
      } else if (entry->fts_info != FTS_D && entry->fts_info != FTS_DP && is_program_test(entry->fts_name)) {
         ret = add_file(session, entry->fts_path);
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
   } else if (session->count == before) {
      snprintf(message, message_size, "%s: there is no .cl or .program_test file below it", path);
      ret = -ENOENT;
   }
   return ret;
}

int piglit_session_add(struct piglit_session *session, const char *path, char *message, size_t message_size)
{
   struct stat status;
   int ret = stat(path, &status) < 0 ? -errno : 0;

   if (ret == 0 && S_ISDIR(status.st_mode)) {
      return add_folder(session, path, message, message_size);
   }
   if (ret == 0) {
      ret = add_file(session, path);
   }
   if (ret < 0) {
      snprintf(message, message_size, "%s: %s", path, strerror(-ret));
   }
   return ret;
}

static int by_path(const void *a, const void *b)
{
   const struct piglit_result *left = a, *right = b;

   return strcmp(left->path, right->path);
}

int piglit_session_prepare(struct piglit_session *session)
{
   size_t kept = 0;

   qsort(session->results, session->count, sizeof(*session->results), by_path);
   for (size_t i = 0; i < session->count; i++) {
      if (kept > 0 && strcmp(session->results[kept - 1].path, session->results[i].path) == 0) {
         piglit_result_finish(&session->results[i]);
      } else {
         session->results[kept++] = session->results[i];
      }
   }
   session->count = kept;
   for (size_t i = 0; i < session->count; i++) {
      struct piglit_result *result = &session->results[i];
      if (expect_skip(session->expectations, result->name)) {
         piglit_result_done(result, PIGLIT_SKIP, "not run: it is in skips.txt", 0);
         if (result->no_memory) {
            return -ENOMEM;
         }
      }
   }
   return 0;
}

void piglit_session_finish(struct piglit_session *session)
{
   for (size_t i = 0; i < session->count; i++) {
      piglit_result_finish(&session->results[i]);
   }
   free(session->results);
   expectations_destroy(session->expectations);
}

static int each_subtest(const struct piglit_session *session, const struct piglit_result *file,
                        void (*each)(void *data, const struct piglit_record *record), void *data)
{
   for (size_t i = 0; i < file->count; i++) {
      const struct piglit_subtest *subtest = &file->subtests[i];
      char *name;
      if (asprintf(&name, "%s@%s", file->name, subtest->name) < 0) {
         return -ENOMEM;
      }
      const struct piglit_record record = {
          .name = name,
          .file = file,
          .status = subtest->status,
          .reason = subtest->reason != NULL ? subtest->reason : "",
          .verdict = piglit_expect(session->expectations, name, subtest->status),
      };
      each(data, &record);
      free(name);
   }
   return 0;
}

int piglit_session_each(const struct piglit_session *session,
                        void (*each)(void *data, const struct piglit_record *record), void *data)
{
   for (size_t i = 0; i < session->count; i++) {
      const struct piglit_result *file = &session->results[i];
      if (file->no_memory) {
         return -ENOMEM;
      }
      if (file->count > 0) {
         int ret = each_subtest(session, file, each, data);
         if (ret < 0) {
            return ret;
         }
         continue;
      }
      const struct piglit_record record = {
          .name = file->name,
          .file = file,
          .status = file->status,
          .reason = file->reason != NULL ? file->reason : "",
          .verdict = piglit_expect(session->expectations, file->name, file->status),
      };
      each(data, &record);
   }
   return 0;
}

static void count_record(void *data, const struct piglit_record *record)
{
   struct piglit_totals *totals = data;

   totals->tests++;
   totals->status[record->status]++;
   totals->unexpected += record->verdict == PIGLIT_UNEXPECTED;
   totals->improved += record->verdict == PIGLIT_IMPROVED;
   totals->flaky += record->verdict == PIGLIT_FLAKE;
}

int piglit_session_count(const struct piglit_session *session, struct piglit_totals *totals)
{
   *totals = (struct piglit_totals){.files = session->count};
   return piglit_session_each(session, count_record, totals);
}
