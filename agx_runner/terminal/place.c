/* SPDX-License-Identifier: MIT
 *
 * Finds files beside this program's own file. Invariant: a path that is found exists and has no symbolic links.
 */
#include "agx_runner/terminal/place.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agx_runner/terminal/runner.h"

/* Reports which command makes the file: that of the folder in which agx-runner was built. */
static int complain_of_file(const char *asker, const char *folder, const char *built, const char *installed)
{
   const char *name = strrchr(built, '/') + 1;
   char joined[PLACE_PATH];

   snprintf(joined, sizeof(joined), "%s/../build.ninja", folder);
   char *ninja = realpath(joined, NULL);
   if (ninja != NULL) {
      *strrchr(ninja, '/') = '\0';
      const int code =
          complain(EXIT_FAILED, "%s: %s is not built. To build it: ninja -C %s %s", asker, name, ninja, built);
      free(ninja);
      return code;
   }
   return complain(EXIT_FAILED,
                   "%s: %s is not where agx-runner was installed, %s/../%s/agx-runner: install agx-runner again", asker,
                   name, folder, installed);
}

/* Whether the path, with its links resolved, exists. */
static bool resolve(const char *joined, char path[PLACE_PATH])
{
   char *found = realpath(joined, NULL);
   const bool fits = found != NULL && (size_t)snprintf(path, PLACE_PATH, "%s", found) < PLACE_PATH;

   free(found);
   return fits;
}

/* Beside this program. */
static int find_beside(const char *asker, const char *built, const char *installed, char path[PLACE_PATH])
{
   const char *name = strrchr(built, '/') + 1;
   char folder[PLACE_PATH / 2], joined[PLACE_PATH];
   const ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);

   folder[length > 0 ? length : 0] = '\0';
   char *slash = strrchr(folder, '/');
   if (slash == NULL) {
      return complain(EXIT_FAILED, "%s: /proc/self/exe cannot be read: %s", asker, strerror(errno));
   }
   *slash = '\0';
   snprintf(joined, sizeof(joined), "%s/../%s", folder, built);
   if (resolve(joined, path)) {
      return EXIT_OK;
   }
   snprintf(joined, sizeof(joined), "%s/../%s/agx-runner/%s", folder, installed, name);
   if (resolve(joined, path)) {
      return EXIT_OK;
   }
   snprintf(joined, sizeof(joined), "%s/../lib/agx-runner/%s", folder, name);
   return resolve(joined, path) ? EXIT_OK : complain_of_file(asker, folder, built, installed);
}

int place_find(const char *asker, const char *variable, const char *built, const char *installed, char path[PLACE_PATH])
{
   const char *named = variable != NULL ? getenv(variable) : NULL;

   if (named == NULL || named[0] == '\0') {
      return find_beside(asker, built, installed, path);
   }
   return resolve(named, path) ? EXIT_OK
                               : complain(EXIT_INVALID, "%s: %s=%s: %s", asker, variable, named, strerror(errno));
}
