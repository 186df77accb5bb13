/* SPDX-License-Identifier: MIT
 *
 * Finds the error band of a kind of figure.
 */
#include "agx_runner/bands/bands.h"

#include <stdio.h>
#include <string.h>

const struct error_band *error_band(const char *group)
{
   static const char *const roles[] = {"blind", "seen", "fitted"};

   for (unsigned r = 0; r < sizeof(roles) / sizeof(roles[0]); r++) {
      for (unsigned i = 0; i < error_band_count; i++) {
         if (strcmp(error_bands[i].group, group) == 0 && strcmp(error_bands[i].role, roles[r]) == 0) {
            return &error_bands[i];
         }
      }
   }
   return NULL;
}

void error_band_text(const char *group, char text[BAND_TEXT])
{
   const struct error_band *band = error_band(group);

   if (band == NULL) {
      snprintf(text, BAND_TEXT, "%s: nothing is published", group);
      return;
   }
   snprintf(text, BAND_TEXT, "the model errs in %s by %.1f %% (median) and %.1f %% (90th percentile) of %u %s figures",
            group, band->median, band->ninetieth, band->figures, band->role);
}
