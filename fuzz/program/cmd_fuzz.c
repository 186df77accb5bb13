/* SPDX-License-Identifier: MIT
 *
 * fuzz: generated programs against Mesa's AGX compiler.
 */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>

#include "agx_runner/terminal/runner.h"
#include "drm/asahi.h"
#include "fuzz/program/command.h"
#include "fuzz/settings/options.h"

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

static int cmd_fuzz(const void *data)
{
   const struct fuzz_options *options = data;
   char device[512], against[512];
   struct fuzz_settings settings = options->fuzz;

   settings.files = &options->line.operands;
   choose_device(options->fuzz.device, device, sizeof(device));
   settings.device = device;
   if (options->fuzz.against != NULL) {
      choose_device(options->fuzz.against, against, sizeof(against));
      settings.against = against;
   }
   if (settings.count == 0 && settings.seconds <= 0) {
      settings.seconds = 60;
   }
   return fuzz_run(&settings);
}

const struct command command_fuzz = {FUZZ_COMMAND, .run = cmd_fuzz};
