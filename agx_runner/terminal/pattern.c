/* SPDX-License-Identifier: MIT
 *
 * Matches names against glob patterns.
 */
#include "agx_runner/terminal/pattern.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

bool pattern_matches(const char *pattern, const char *name)
{
   char part[128];

   if (fnmatch(pattern, name, 0) == 0) {
      return true;
   }
   for (const char *slash = strchr(name, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
      snprintf(part, sizeof(part), "%.*s", (int)(slash - name), name);
      if (fnmatch(pattern, part, 0) == 0) {
         return true;
      }
   }
   return false;
}

bool pattern_selects(const char *const *patterns, size_t count, const char *name)
{
   bool any = false, selected = false;

   for (size_t i = 0; i < count; i++) {
      if (patterns[i][0] == '!') {
         if (pattern_matches(patterns[i] + 1, name)) {
            return false;
         }
      } else {
         any = true;
         selected |= pattern_matches(patterns[i], name);
      }
   }
   return selected || !any;
}
