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
#include "agx_runner/terminal/place.h"
#include "agx_runner/terminal/runner.h"
#include "fuzz/settings/options.h"
#include "process/child/interrupt.h"

static int cmd_fuzz(const void *data)
{
   static const struct place place = {"AGX_RUNNER_FUZZ", "fuzz/agx-fuzz", AGX_RUNNER_LIBEXECDIR};
   const struct command_line *line = data;
   char path[PLACE_PATH];
   const int code = place_find("fuzz", &place, path);

   if (code != EXIT_OK) {
      return code;
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
