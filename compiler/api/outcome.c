/* SPDX-License-Identifier: MIT
 *
 * The outcome of a job whose process has ended. Invariant: what the process wrote is taken only if the process ended
 * well and the bytes are whole; anything else is a crash, which is described by what the process had reported before.
 */
#include "compiler/api/outcome.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/api/result.h"
#include "compiler/api/wire.h"

#define OUTPUT_BYTES_MAX ((size_t)1 << 20)

const char *compiler_stage_name(uint32_t stage)
{
   static const char *const names[COMPILER_STAGES] = {
       [COMPILER_STAGE_START] = "the start of the compilation",
       [COMPILER_STAGE_CLANG] = "clang",
       [COMPILER_STAGE_TRANSLATOR] = "the SPIR-V translator (SPIRV-LLVM-Translator)",
       [COMPILER_STAGE_LINK] = "the SPIR-V linker (SPIRV-Tools)",
       [COMPILER_STAGE_VALIDATE] = "the SPIR-V validator (SPIRV-Tools)",
       [COMPILER_STAGE_NIR] = "Mesa's NIR passes",
       [COMPILER_STAGE_BACKEND] = "Mesa's AGX backend",
       [COMPILER_STAGE_DONE] = "handing over the result",
   };

   return stage < COMPILER_STAGES ? names[stage] : "an unknown stage";
}

/* Returns the output of the job. NULL: nothing. */
static char *read_output(int fd)
{
   const off_t size = lseek(fd, 0, SEEK_END);
   const size_t kept = size > (off_t)OUTPUT_BYTES_MAX ? OUTPUT_BYTES_MAX : (size_t)size;
   char *text = size > 0 ? malloc(kept + 1) : NULL;

   if (text == NULL) {
      return NULL;
   }
   const ssize_t got = pread(fd, text, kept, size - (off_t)kept);
   text[got > 0 ? got : 0] = '\0';
   return text;
}

/* Truncates the text to its last non-empty line. */
static const char *last_line(char *text)
{
   size_t length = strlen(text);

   while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' ')) {
      text[--length] = '\0';
   }
   const char *newline = strrchr(text, '\n');
   return newline != NULL ? newline + 1 : text;
}

static void describe_ending(const struct compiler_ending *ending, char *text, size_t size)
{
   if (WIFSIGNALED(ending->status)) {
      snprintf(text, size, "killed by signal %d (%s)", WTERMSIG(ending->status), strsignal(WTERMSIG(ending->status)));
   } else {
      snprintf(text, size, "exited with status %d", WEXITSTATUS(ending->status));
   }
}

/* Whether the memory limit is the cause. Before a crash the job reports a failed allocation. If that report is lost,
 * its memory use tells: resident memory is less than what was allocated. */
static bool met_memory_limit(const struct compiler_progress *progress, const struct compiler_ending *ending,
                             uint32_t limit, const char *line)
{
   return limit != 0 && (progress->no_memory != 0 || ending->memory / 1024 > (long)limit / 2 ||
                         strstr(line, "bad_alloc") != NULL || strstr(line, "out of memory") != NULL);
}

static void refuse_crash(const struct compiler_limits *limits, const struct compiler_progress *progress,
                         const struct compiler_ending *ending, const char *line, struct compiler_result *result)
{
   const char *stage = result->crash.stage;
   char how[200];

   if (ending->late) {
      compiler_refuse(
          result, REFUSAL_TIME,
          "the compiler reached the limit of time, %g s of processor time, in %s: --compile-timeout sets it",
          limits->seconds, stage);
   } else if (met_memory_limit(progress, ending, limits->memory_mib, line)) {
      compiler_refuse(result, REFUSAL_MEMORY,
                      "the compiler reached the limit of memory, %u MiB, in %s: --compile-memory sets it",
                      limits->memory_mib, stage);
   } else {
      describe_ending(ending, how, sizeof(how));
      compiler_refuse(result, REFUSAL_CRASH, "the compiler crashed in %s: %s%s%.200s", stage, how,
                      line[0] != '\0' ? ": " : "", line);
   }
}

static int report_crash(const char *name, const struct compiler_limits *limits,
                        const struct compiler_progress *progress, const struct compiler_ending *ending, char *output,
                        struct compiler_result *result)
{
   const char *line = output != NULL ? last_line(output) : "";

   result->crash = (struct compiler_crash){
       .crashed = true, .late = ending->late, .signal = WIFSIGNALED(ending->status) ? WTERMSIG(ending->status) : 0};
   snprintf(result->crash.stage, sizeof(result->crash.stage), "%s", compiler_stage_name(progress->stage));
   snprintf(result->crash.kernel, sizeof(result->crash.kernel), "%.*s", (int)sizeof(progress->kernel),
            progress->kernel);
   refuse_crash(limits, progress, ending, line, result);
   snprintf(result->why.kernel, sizeof(result->why.kernel), "%s", result->crash.kernel);
   compiler_log_refusal(result, name);
   return -EFAULT;
}

int compiler_take_outcome(const char *name, const struct compiler_limits *limits, const int fds[COMPILER_FDS],
                          size_t start, const struct compiler_ending *ending, struct compiler_result *result)
{
   char *output = read_output(fds[COMPILER_FD_OUTPUT]);
   const off_t size = lseek(fds[COMPILER_FD_MEMORY], 0, SEEK_END);
   const struct compiler_shared *shared =
       size >= (off_t)start ? mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fds[COMPILER_FD_MEMORY], 0) : MAP_FAILED;
   int ret = -ENOMEM;

   if (shared != MAP_FAILED) {
      struct compiler_reader reader = {.at = (const uint8_t *)shared + start, .left = (size_t)size - start};
      const bool whole =
          WIFEXITED(ending->status) && WEXITSTATUS(ending->status) == 0 && shared->result_size == reader.left;

      if (whole && compiler_read_result(&reader, &ret, result)) {
         /* output of Mesa's debug variables */
         fputs(output != NULL ? output : "", stderr);
      } else {
         struct compiler_progress progress = shared->progress;

         progress.kernel[sizeof(progress.kernel) - 1] = '\0';
         compiler_result_finish(result);
         ret = compiler_result_init(result);
         ret = ret == 0 ? report_crash(name, limits, &progress, ending, output, result) : ret;
      }
      munmap((void *)(uintptr_t)shared, (size_t)size);
   }
   free(output);
   return ret;
}
