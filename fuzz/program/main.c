/* SPDX-License-Identifier: MIT
 *
 * agx-fuzz: the fuzzer as a program of its own. `agx-runner fuzz` becomes this program. It has that one command, so its
 * command line is what follows `fuzz`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/options/program.h"
#include "agx_runner/results/environment.h"
#include "agx_runner/terminal/runner.h"
#include "drm/asahi.h"
#include "fuzz/fuzz.h"
#include "fuzz/program/shrink_kernel.h"
#include "fuzz/program/write_kernels.h"
#include "fuzz/settings/options.h"
#include "util/array.h"

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
   if (settings.shrink) {
      return settings.write != NULL ? fuzz_shrink_kernel(&settings)
                                    : complain(EXIT_INVALID, "--shrink needs --mesa, or --write: the compiler inside "
                                                             "has its findings shrunk in any case");
   }
   if (settings.write != NULL) {
      return settings.count > 0 ? fuzz_write_kernels(&settings)
                                : complain(EXIT_INVALID, "--write %s needs --count", settings.write);
   }
   if (settings.language == FUZZ_GLSL || settings.language == FUZZ_DRAW) {
      return complain(EXIT_INVALID,
                      "--language %s needs --mesa WHICH, whose %s, or --write: the compiler inside does not take GLSL",
                      settings.language == FUZZ_GLSL ? "glsl" : "draw",
                      settings.language == FUZZ_GLSL ? "Vulkan driver compiles the shaders"
                                                     : "OpenGL driver draws the scenes");
   }
   if (settings.count == 0 && settings.seconds <= 0) {
      settings.seconds = 60;
   }
   return fuzz_run(&settings);
}

static const struct command command_fuzz = {FUZZ_COMMAND, .run = cmd_fuzz};

static const struct command *const commands[] = {&command_fuzz};

int main(int argc, char **argv)
{
   const struct program program = {commands, ARRAY_COUNT(commands), environment_version, environment_check};
   char **words = calloc((size_t)argc + 2, sizeof(*words));

   if (words == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   words[0] = argv[0];
   words[1] = strdup(command_fuzz.name);
   for (int i = 1; i < argc; i++) {
      words[i + 1] = argv[i];
   }
   const int code = program_main(&program, words[1] != NULL ? argc + 1 : 1, words);
   free(words[1]);
   free(words);
   return code;
}
