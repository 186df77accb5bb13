/* SPDX-License-Identifier: MIT
 *
 * agx-fuzz writes kernels with their right answers, batch by batch, into a folder of its own; the driver runs them.
 * Invariant: each finding names seed and number, which make the kernel again on any machine.
 */
#include "agx_runner/driver/search/search.h"

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agx_runner/driver/search/batch.h"
#include "agx_runner/driver/search/shrink.h"
#include "agx_runner/terminal/runner.h"
#include "drivers/find.h"
#include "process/child/interrupt.h"
#include "util/clock.h"

extern char **environ;

#define BATCH 64u
#define PATH_ROOM 4096

struct search {
   const struct driver_search_settings *settings;
   struct mesa mesa;
   char folder[PATH_ROOM];
   uint64_t tried, refused, findings;
};

/* Writes the kernels from `first` on. */
static int write_kernels(const struct search *search, uint64_t first, uint64_t count)
{
   char numbers[3][32];
   snprintf(numbers[0], sizeof(numbers[0]), "%" PRIu64, search->settings->seed);
   snprintf(numbers[1], sizeof(numbers[1]), "%" PRIu64, first);
   snprintf(numbers[2], sizeof(numbers[2]), "%" PRIu64, count);
   const char *words[] = {search->settings->fuzzer,
                          "--seed",
                          numbers[0],
                          "--first",
                          numbers[1],
                          "--count",
                          numbers[2],
                          "--write",
                          search->folder,
                          "--language",
                          search->settings->glsl ? "glsl" : "opencl",
                          NULL};
   pid_t child;
   int status;
   const int error = posix_spawn(&child, words[0], NULL, NULL, (char *const *)words, environ);
   if (error != 0) {
      return complain(EXIT_FAILED, "fuzz: %s cannot be started: %s", words[0], strerror(error));
   }
   while (waitpid(child, &status, 0) < 0) {
      if (errno != EINTR) {
         return complain(EXIT_FAILED, "fuzz: %s", strerror(errno));
      }
   }
   return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? EXIT_OK
                                                        : complain(EXIT_FAILED, "fuzz: no kernels could be written");
}

static const char *suffix(const struct driver_search_settings *settings)
{
   return settings->glsl ? "comp" : "cl";
}

static void kernel_path(const struct search *search, uint64_t number, char path[PATH_ROOM + 32])
{
   snprintf(path, PATH_ROOM + 32, "%s/%" PRIu64 ".%s", search->folder, number, suffix(search->settings));
}

/* Keeps the kernel in the corpus. */
static void keep(const struct search *search, uint64_t number)
{
   const struct driver_search_settings *settings = search->settings;
   char from[PATH_ROOM + 32], to[PATH_ROOM + 64];
   kernel_path(search, number, from);
   (void)mkdir(settings->corpus, 0777);
   snprintf(to, sizeof(to), "%s/mesa-%s-seed-%" PRIu64 "-%" PRIu64 ".%s", settings->corpus, search->mesa.version,
            settings->seed, number, suffix(settings));
   FILE *in = fopen(from, "r"), *out = fopen(to, "w");
   for (int c; in != NULL && out != NULL && (c = getc(in)) != EOF;) {
      putc(c, out);
   }
   if (in != NULL) {
      fclose(in);
   }
   if (out == NULL || fclose(out) != 0) {
      (void)complain(EXIT_FAILED, "%s: %s", to, strerror(errno));
   } else {
      printf(settings->glsl ? "  kept: %s%s\n" : "  kept: agx-runner piglit --mesa %s %s\n",
             settings->glsl ? "" : settings->mesa, to);
   }
}

/* Prints what follows the test's comment. */
static void print_source(const char *path)
{
   char line[1024];
   bool source = false;
   FILE *file = fopen(path, "r");
   while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
      if (source) {
         printf("    %s", line);
      }
      source |= strcmp(line, "!*/\n") == 0;
   }
   if (file != NULL) {
      fclose(file);
   }
}

/* Leaves the smaller kernel in the folder, or the finding's own. */
static void shrink(const struct search *search, const struct batch_test *test, uint64_t number)
{
   char path[PATH_ROOM + 32];
   struct batch_test smaller = *test;
   kernel_path(search, number, path);
   if (driver_search_shrink(search->settings, search->folder, number, path, &smaller) == EXIT_OK) {
      printf("  smaller, %s:\n", smaller.why);
      print_source(path);
   } else if (!interrupt_requested()) {
      (void)write_kernels(search, number, 1);
   }
}

static void report(struct search *search, const struct batch_test *test, uint64_t number)
{
   static const char *const titles[] = {
       [BATCH_WRONG] = "wrong answer", [BATCH_REFUSED] = "refused", [BATCH_BROKEN] = "broken"};
   if (test->verdict == BATCH_REFUSED) {
      search->refused++;
   }
   if (test->verdict == BATCH_RIGHT || test->verdict == BATCH_REFUSED) {
      return;
   }
   search->findings++;
   printf("%s: Mesa %s, seed %" PRIu64 ", program %" PRIu64 ": %s\n", titles[test->verdict], search->mesa.version,
          search->settings->seed, number, test->why);
   printf("  again: agx-runner fuzz --mesa %s%s --seed %" PRIu64 " --first %" PRIu64 " --count 1\n",
          search->settings->mesa, search->settings->glsl ? " --language glsl" : "", search->settings->seed, number);
   fflush(stdout);
   if (search->settings->shrink) {
      shrink(search, test, number);
   }
   if (search->settings->corpus != NULL && !interrupt_requested()) {
      keep(search, number);
   }
   fflush(stdout);
}

static int run_batch(struct search *search, uint64_t first, uint64_t count)
{
   struct batch_test tests[BATCH];
   uint64_t numbers[BATCH];
   size_t used = 0;
   char path[PATH_ROOM + 32];
   int code = write_kernels(search, first, count);
   memset(tests, 0, sizeof(tests));
   for (uint64_t i = 0; code == EXIT_OK && i < count; i++) {
      kernel_path(search, first + i, path);
      if (access(path, R_OK) != 0) {
         continue; /* a kernel without an end */
      }
      code = interrupt_requested() ? complain(EXIT_ABORTED, "interrupted") : driver_batch_load(path, &tests[used]);
      if (code == EXIT_OK) {
         numbers[used++] = first + i;
      }
   }
   code = code == EXIT_OK ? driver_batch_run(search->settings->mesa, search->settings->device, tests, used) : code;
   for (size_t i = 0; i < used; i++) {
      if (code == EXIT_OK) {
         search->tried++;
         report(search, &tests[i], numbers[i]);
      }
      driver_batch_unload(&tests[i]);
   }
   for (uint64_t i = 0; i < count; i++) {
      kernel_path(search, first + i, path);
      unlink(path);
   }
   return code;
}

static int run(struct search *search)
{
   const struct driver_search_settings *settings = search->settings;
   const double start = util_clock_seconds();
   int code = EXIT_OK;
   for (uint64_t done = 0; code == EXIT_OK && (settings->count == 0 || done < settings->count); done += BATCH) {
      if (settings->seconds > 0 && util_clock_seconds() - start >= settings->seconds) {
         break;
      }
      const uint64_t left = settings->count > 0 ? settings->count - done : BATCH;
      code = interrupt_requested() ? complain(EXIT_ABORTED, "interrupted")
                                   : run_batch(search, settings->first + done, left < BATCH ? left : BATCH);
   }
   return code;
}

int driver_search(const struct driver_search_settings *settings)
{
   struct search search = {.settings = settings};
   const char *temporary = getenv("TMPDIR");
   mesa_describe(settings->mesa, &search.mesa);
   const enum mesa_api api = settings->glsl ? MESA_VULKAN : MESA_OPENCL;
   if (search.mesa.why[0] != '\0' || search.mesa.drivers[api][0] == '\0') {
      return complain(EXIT_INVALID, "--mesa %s: %s", settings->mesa,
                      search.mesa.why[0] != '\0' ? search.mesa.why
                      : settings->glsl           ? "it has no Vulkan driver, which takes the shaders"
                                                 : "it has no OpenCL driver, which takes the kernels");
   }
   snprintf(search.folder, sizeof(search.folder), "%s/agx-runner-fuzz-XXXXXX", temporary != NULL ? temporary : "/tmp");
   if (mkdtemp(search.folder) == NULL) {
      return complain(EXIT_FAILED, "%s: %s", search.folder, strerror(errno));
   }
   interrupt_defer(); /* until the folder is gone */
   int code = run(&search);
   rmdir(search.folder);
   interrupt_settle();
   printf("Mesa %s: %" PRIu64 " kernels in %s, %" PRIu64 " findings, %" PRIu64 " refused by the driver\n",
          search.mesa.version, search.tried, settings->glsl ? "GLSL" : "OpenCL C", search.findings, search.refused);
   return code == EXIT_OK && search.findings > 0 ? EXIT_FAILED : code;
}
