/* SPDX-License-Identifier: MIT
 *
 * Finds files beside this program's own file. Invariant: a path that is found exists and has no symbolic links.
 */
#include "agx_runner/terminal/place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agx_runner/terminal/runner.h"

/* Says which command makes the file: the folder that agx-runner was built in can build it. */
static bool explain(const struct place *place, const char *folder, char path[PLACE_PATH])
{
   const char *name = strrchr(place->built, '/') + 1;
   char joined[PLACE_PATH];

   snprintf(joined, sizeof(joined), "%s/../build.ninja", folder);
   char *ninja = realpath(joined, NULL);
   if (ninja != NULL) {
      *strrchr(ninja, '/') = '\0';
      snprintf(path, PLACE_PATH, "%s is not built. To build it: ninja -C %s %s", name, ninja, place->built);
      free(ninja);
   } else {
      snprintf(path, PLACE_PATH,
               "%s is not where agx-runner was installed, %s/../%s/agx-runner: install agx-runner again", name, folder,
               place->installed);
   }
   return false;
}

/* Whether the path, with its links resolved, exists. */
static bool resolve(const char *joined, char path[PLACE_PATH])
{
   char *found = realpath(joined, NULL);
   const bool fits = found != NULL && (size_t)snprintf(path, PLACE_PATH, "%s", found) < PLACE_PATH;

   free(found);
   return fits;
}

/* The value of the variable; NULL: it does not count. */
static const char *named(const struct place *place)
{
   const char *value = place->variable != NULL ? getenv(place->variable) : NULL;

   return value != NULL && value[0] != '\0' ? value : NULL;
}

bool place_look(const struct place *place, char path[PLACE_PATH])
{
   const char *name = strrchr(place->built, '/') + 1, *other = named(place);
   char folder[PLACE_PATH / 2], joined[PLACE_PATH];

   if (other != NULL) {
      if (!resolve(other, path)) {
         snprintf(path, PLACE_PATH, "%s=%s: %s", place->variable, other, strerror(errno));
         return false;
      }
      return true;
   }
   const ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
   folder[length > 0 ? length : 0] = '\0';
   char *slash = strrchr(folder, '/');
   if (slash == NULL) {
      snprintf(path, PLACE_PATH, "/proc/self/exe cannot be read: %s", strerror(errno));
      return false;
   }
   *slash = '\0';
   snprintf(joined, sizeof(joined), "%s/../%s", folder, place->built);
   if (resolve(joined, path)) {
      return true;
   }
   snprintf(joined, sizeof(joined), "%s/../%s/agx-runner/%s", folder, place->installed, name);
   if (resolve(joined, path)) {
      return true;
   }
   snprintf(joined, sizeof(joined), "%s/../lib/agx-runner/%s", folder, name);
   return resolve(joined, path) || explain(place, folder, path);
}

int place_find(const char *asker, const struct place *place, char path[PLACE_PATH])
{
   return place_look(place, path) ? EXIT_OK
                                  : complain(named(place) != NULL ? EXIT_INVALID : EXIT_FAILED, "%s: %s", asker, path);
}
