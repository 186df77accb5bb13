/* SPDX-License-Identifier: MIT
 *
 * A part of a search: agx-fuzz writes kernels with their right answers into a folder, and the driver runs them.
 * Invariant: each finding names seed and number, which make the kernel again on any machine.
 */
#include "agx_runner/driver/search/part.h"

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agx_runner/driver/search/batch.h"
#include "agx_runner/driver/search/shrink.h"
#include "agx_runner/terminal/runner.h"
#include "process/child/interrupt.h"
#include "util/text.h"

extern char **environ;

/* Writes the kernels from `first` on. */
static int write_kernels(const struct search_part *search, uint64_t first, uint64_t count)
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
                          search->settings->language->name,
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

static void kernel_path(const struct search_part *search, uint64_t number, char path[SEARCH_PATH + 32])
{
   snprintf(path, SEARCH_PATH + 32, "%s/%" PRIu64 ".%s", search->folder, number, search->settings->language->suffix);
}

/* Keeps the kernel in the corpus. */
static void keep(const struct search_part *search, uint64_t number)
{
   const struct driver_search_settings *settings = search->settings;
   char from[SEARCH_PATH + 32], to[SEARCH_PATH + 64];
   kernel_path(search, number, from);
   (void)mkdir(settings->corpus, 0777);
   snprintf(to, sizeof(to), "%s/mesa-%s-seed-%" PRIu64 "-%" PRIu64 ".%s", settings->corpus, search->version,
            settings->seed, number, settings->language->suffix);
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
      const bool again = settings->language != &search_glsl;
      fprintf(search->out, "  kept: %s%s%s%s\n", again ? settings->language->again : "", again ? settings->mesa : "",
              again ? " " : "", to);
   }
}

/* Prints what follows the test's comment. */
static void print_source(const char *path, FILE *out)
{
   char line[1024];
   bool source = util_has_suffix(path, search_draw.suffix); /* a scene has no comment */
   FILE *file = fopen(path, "r");
   while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
      if (source) {
         fprintf(out, "    %s", line);
      }
      source |= strcmp(line, "!*/\n") == 0;
   }
   if (file != NULL) {
      fclose(file);
   }
}

/* Leaves the smaller kernel in the folder, or the finding's own. */
static void shrink(const struct search_part *search, const struct batch_test *test, uint64_t number)
{
   char path[SEARCH_PATH + 32];
   struct batch_test smaller = *test;
   kernel_path(search, number, path);
   if (driver_search_shrink(search->settings, search->folder, number, path, &smaller) == EXIT_OK) {
      fprintf(search->out, "  smaller, %s:\n", smaller.why);
      print_source(path, search->out);
   } else if (!interrupt_requested()) {
      (void)write_kernels(search, number, 1);
   }
}

static void report(struct search_part *search, const struct batch_test *test, uint64_t number)
{
   static const char *const titles[] = {
       [BATCH_WRONG] = "wrong answer", [BATCH_REFUSED] = "refused", [BATCH_CRASH] = "crash", [BATCH_FAULT] = "fault"};
   if (test->verdict == BATCH_REFUSED) {
      search->refused++;
   }
   if (test->verdict == BATCH_RIGHT || test->verdict == BATCH_REFUSED) {
      return;
   }
   search->findings++;
   fprintf(search->out, "%s: Mesa %s, seed %" PRIu64 ", program %" PRIu64 ": %s\n", titles[test->verdict],
           search->version, search->settings->seed, number, test->why);
   fprintf(search->out,
           "  again: agx-runner fuzz --mesa %s --language %s --seed %" PRIu64 " --first %" PRIu64 " --count 1\n",
           search->settings->mesa, search->settings->language->name, search->settings->seed, number);
   if (search->settings->shrink) {
      shrink(search, test, number);
   }
   if (search->settings->corpus != NULL && !interrupt_requested()) {
      keep(search, number);
   }
}

int search_part_run(struct search_part *search, uint64_t first, uint64_t count)
{
   struct batch_test tests[SEARCH_PART];
   uint64_t numbers[SEARCH_PART];
   size_t used = 0;
   char path[SEARCH_PATH + 32];
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
   return code;
}

void search_part_remove(const struct search_part *search, uint64_t first, uint64_t count)
{
   char path[SEARCH_PATH + 32];
   for (uint64_t i = 0; i < count; i++) {
      kernel_path(search, first + i, path);
      unlink(path);
   }
}
