/* SPDX-License-Identifier: MIT
 *
 * fuzz: the fuzzer is a program of its own, agx-fuzz, which alone contains the linker wraps that it needs of Mesa. This
 * process becomes that program, so that signals and the exit code are the fuzzer's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/driver/search/search.h"
#include "agx_runner/terminal/place.h"
#include "agx_runner/terminal/runner.h"
#include "fuzz/settings/options.h"
#include "process/child/interrupt.h"
#include "util/cores.h"

#define DEFAULT_SECONDS 60

/* With another Mesa's driver agx-fuzz writes the kernels, and this process has them compiled and run. */
static int search(const struct fuzz_options *options, const char *fuzzer)
{
   const struct fuzz_settings *fuzz = &options->fuzz;
   const struct string_list *files = &options->line.operands;
   char device[512];
   if (fuzz->language == FUZZ_NIR || fuzz->against != NULL || (files->count > 0 && fuzz->language != FUZZ_DRAW) ||
       fuzz->format != FORMAT_TEXT || fuzz->output != NULL || fuzz->known != NULL) {
      return complain(
          EXIT_INVALID,
          "fuzz --mesa %s takes generated kernels in OpenCL C or GLSL, or scenes, and prints text: --language nir, "
          "--against, --known, --format, --output and files are for the compiler inside",
          fuzz->mesa);
   }
   /* A compute program of the driver, run for targets of several samples, has a report of races that is open. */
   snprintf(device, sizeof(device), "%s,timing=off,check=%s",
            strcmp(fuzz->device, "auto") == 0 ? "virtual:m1" : fuzz->device,
            fuzz->language == FUZZ_DRAW ? "bounds+undefined+hazards" : "all");
   const struct driver_search_settings settings = {.mesa = fuzz->mesa,
                                                   .device = device,
                                                   .fuzzer = fuzzer,
                                                   .corpus = fuzz->corpus,
                                                   .seed = fuzz->seed,
                                                   .first = fuzz->first,
                                                   .shrink = fuzz->shrink,
                                                   .language = fuzz->language == FUZZ_GLSL   ? &search_glsl
                                                               : fuzz->language == FUZZ_DRAW ? &search_draw
                                                                                             : &search_opencl,
                                                   .count = fuzz->count,
                                                   .jobs = fuzz->jobs != 0 ? fuzz->jobs : util_cores(),
                                                   .seconds = fuzz->seconds > 0  ? fuzz->seconds
                                                              : fuzz->count == 0 ? DEFAULT_SECONDS
                                                                                 : 0};
   return files->count > 0 ? driver_search_files(&settings, files) : driver_search(&settings);
}

static int cmd_fuzz(const void *data)
{
   static const struct place place = {"AGX_RUNNER_FUZZ", "fuzz/agx-fuzz", AGX_RUNNER_LIBEXECDIR};
   const struct fuzz_options *options = data;
   const struct command_line *line = &options->line;
   char path[PLACE_PATH];
   const int code = place_find("fuzz", &place, path);

   if (code != EXIT_OK) {
      return code;
   }
   if (options->fuzz.mesa != NULL && strcmp(options->fuzz.mesa, "linked") != 0 && options->fuzz.write == NULL) {
      return search(options, path);
   }
   char **words = calloc((size_t)line->argc + 1, sizeof(*words));
   if (words == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   words[0] = path;
   for (int i = 1; i < line->argc; i++) {
      words[i] = line->argv[i];
   }
   interrupt_wait();
   execv(path, words);
   free(words);
   return complain(EXIT_FAILED, "fuzz: %s cannot be started: %s", path, strerror(errno));
}

const struct command command_fuzz = {FUZZ_COMMAND, .run = cmd_fuzz};
