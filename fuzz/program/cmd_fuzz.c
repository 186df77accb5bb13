/* SPDX-License-Identifier: MIT
 *
 * fuzz: generated programs against Mesa's AGX compiler.
 */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>

#include "agx_runner/cli/options.h"
#include "agx_runner/terminal/runner.h"
#include "drm/asahi.h"

/* A virtual device computes only: its timing model costs time and says nothing here. All checks are on. */
static void choose_device(const char *spec, char *device, size_t size)
{
   if (!asahi_spec_is_virtual(spec)) {
      snprintf(device, size, "%s", spec);
      return;
   }
   snprintf(device, size, "%s%s%s%s", strcmp(spec, "auto") == 0 ? "virtual:m1" : spec,
            strstr(spec, "timing=") != NULL ? "" : ",timing=off", strstr(spec, "threads=") != NULL ? "" : ",threads=1",
            strstr(spec, "check=") != NULL ? "" : ",check=all");
}

int cmd_fuzz(const struct options *options)
{
   char device[512], against[512];
   struct fuzz_settings settings = {
       .device = device,
       .against = options->against != NULL ? against : NULL,
       .known = options->known,
       .corpus = options->corpus,
       .files = &options->operands,
       .output = options->output,
       .seed = options->run.seed,
       .first = options->first,
       .count = options->count,
       .seconds = options->seconds,
       .jobs = options->jobs,
       .format = options->fuzz_format,
       .language = options->language,
       .try_seconds = options->try_seconds,
       .idle_seconds = options->idle_seconds,
       .no_repairs = options->no_repairs,
   };

   choose_device(options->run.device, device, sizeof(device));
   if (options->against != NULL) {
      choose_device(options->against, against, sizeof(against));
   }
   if (settings.count == 0 && settings.seconds <= 0) {
      settings.seconds = 60;
   }
   return fuzz_run(&settings);
}
