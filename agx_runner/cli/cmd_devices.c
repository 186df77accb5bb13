/* SPDX-License-Identifier: MIT
 *
 * devices: what --device can be.
 */
#include "agx_runner/cli/options.h"
#include "agx_runner/terminal/runner.h"
#include "drm/asahi.h"

#define CANDIDATES_MAX 64

int cmd_devices(const struct options *options)
{
   struct asahi_candidate candidates[CANDIDATES_MAX];
   size_t count = asahi_candidates(candidates, CANDIDATES_MAX);

   (void)options;
   count = count > CANDIDATES_MAX ? CANDIDATES_MAX : count;
   for (size_t i = 0; i < count; i++) {
      printf("%-24s %-9s %s\n", candidates[i].path, candidates[i].usable ? "usable" : "-", candidates[i].description);
   }
   printf("\nFigures of virtual devices come from a model; they are not measurements of hardware.\n");
   return EXIT_OK;
}
