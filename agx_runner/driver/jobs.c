/* SPDX-License-Identifier: MIT
 *
 * The folder of a host's jobs. Invariant: its files are the library's own, so that all of them may be removed.
 */
#include "agx_runner/driver/jobs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agx_runner/terminal/runner.h"
#include "drm/uapi/saved_job.h"
#include "util/array.h"
#include "util/text.h"

int driver_jobs_start(struct driver_jobs *jobs)
{
   const char *folder = getenv("TMPDIR");
   *jobs = (struct driver_jobs){.count = 0};
   if (folder == NULL || strchr(folder, ',') != NULL) { /* a comma would end the device's option */
      folder = "/tmp";
   }
   if (asprintf(&jobs->folder, "%s/agx-runner-XXXXXX", folder) < 0) {
      jobs->folder = NULL;
      return complain(EXIT_FAILED, "out of memory");
   }
   if (mkdtemp(jobs->folder) == NULL) {
      const int error = errno;
      free(jobs->folder);
      jobs->folder = NULL;
      return complain(EXIT_FAILED, "%s: no folder for jobs can be made there: %s", folder, strerror(error));
   }
   return EXIT_OK;
}

static int by_name(const void *left, const void *right)
{
   return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Calls the function for each file; false: it has failed, or the folder cannot be read. */
static bool each(struct driver_jobs *jobs, bool (*function)(struct driver_jobs *jobs, char *path))
{
   DIR *stream = jobs->folder != NULL ? opendir(jobs->folder) : NULL;
   bool good = stream != NULL;
   for (const struct dirent *entry; good && (entry = readdir(stream)) != NULL;) {
      char *path = NULL;
      if (entry->d_name[0] != '.') {
         good = asprintf(&path, "%s/%s", jobs->folder, entry->d_name) >= 0 && function(jobs, path);
      }
   }
   if (stream != NULL) {
      closedir(stream);
   }
   return good;
}

/* Takes ownership of the path. */
static bool add(struct driver_jobs *jobs, char *path)
{
   if (!util_has_suffix(path, SAVED_JOB_SUFFIX)) {
      free(path);
      return true;
   }
   if (!ARRAY_RESERVE_ONE(jobs->paths, jobs->count)) {
      free(path);
      return false;
   }
   jobs->paths[jobs->count++] = path;
   return true;
}

static bool drop(struct driver_jobs *jobs, char *path)
{
   (void)jobs;
   unlink(path);
   free(path);
   return true;
}

int driver_jobs_list(struct driver_jobs *jobs)
{
   if (!each(jobs, add)) {
      return complain(EXIT_FAILED, "%s: the saved jobs cannot be listed: %s", jobs->folder, strerror(errno));
   }
   if (jobs->count > 0) {
      qsort(jobs->paths, jobs->count, sizeof(*jobs->paths), by_name);
   }
   return EXIT_OK;
}

void driver_jobs_finish(struct driver_jobs *jobs)
{
   if (jobs->folder != NULL) {
      (void)each(jobs, drop);
      rmdir(jobs->folder);
   }
   for (size_t i = 0; i < jobs->count; i++) {
      free(jobs->paths[i]);
   }
   free(jobs->paths);
   free(jobs->folder);
   *jobs = (struct driver_jobs){.count = 0};
}
