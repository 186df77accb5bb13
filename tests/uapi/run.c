/* SPDX-License-Identifier: MIT
 *
 * All subtests of the uAPI on one device: run SPEC [OPTION...] [PATTERN]. -v: each subtest and its message; -x: the
 * first failure ends the run; -n FILE: where the header and today's kernel differ, which way the device goes must be
 * what the file says (what -v prints of those that pass with a message). PATTERN: only names that contain it; !PATTERN:
 * that do not.
 */
#include <stdio.h>
#include <string.h>

#include "uapi/uapi.h"

struct options {
   const char *spec, *pattern;
   FILE *notes;
   int verbose, stop;
};

static int parse(struct options *options, int argc, char **argv)
{
   for (int i = 1; i < argc; i++) {
      options->verbose |= !strcmp(argv[i], "-v");
      options->stop |= !strcmp(argv[i], "-x");
      if (!strcmp(argv[i], "-n") && i + 1 < argc) {
         options->notes = fopen(argv[++i], "r");
         if (!options->notes) {
            perror(argv[i]);
            return 0;
         }
      } else if (argv[i][0] != '-') {
         *(options->spec ? &options->pattern : &options->spec) = argv[i];
      }
   }
   return options->spec != NULL;
}

static int selects(const char *pattern, const char *name)
{
   return pattern[0] == '!' ? !strstr(name, pattern + 1) : strstr(name, pattern) != NULL;
}

/* Turns a pass with another message than the file's next line into a failure. */
static void compare_note(FILE *notes, const char *name, struct uapi_result *result)
{
   char found[600], expected[600] = "";
   if (!notes || result->status != UAPI_PASS || !result->message[0]) {
      return;
   }
   snprintf(found, sizeof(found), "%s: %s\n", name, result->message);
   if (!fgets(expected, sizeof(expected), notes) || strcmp(found, expected)) {
      result->status = UAPI_FAIL;
      printf("fail note: expected %s, found %s", expected[0] ? expected : "none", found);
   }
}

int main(int argc, char **argv)
{
   static const char *const names[] = {[UAPI_PASS] = "pass", [UAPI_FAIL] = "fail", [UAPI_SKIP] = "skip"};
   unsigned counts[3] = {0};
   struct options options = {0};
   if (!parse(&options, argc, argv)) {
      fprintf(stderr, "usage: %s SPEC [-v] [-x] [-n FILE] [PATTERN]\n", argv[0]);
      return 2;
   }
   for (size_t i = 0; i < uapi_count() && !(options.stop && counts[UAPI_FAIL]); i++) {
      const struct uapi_test *test = uapi_at(i);
      struct uapi_result result;
      char name[96];
      if (options.pattern && !selects(options.pattern, uapi_name(test))) {
         continue;
      }
      uapi_run(test, options.spec, NULL, NULL, &result);
      compare_note(options.notes, uapi_name(test), &result);
      counts[result.status]++;
      if (options.verbose || result.status == UAPI_FAIL) {
         uapi_full_name(test, name, sizeof(name));
         printf("%s %s%s%s\n", names[result.status], name, result.message[0] ? ": " : "", result.message);
         fflush(stdout);
      }
   }
   printf("%s: %u passed, %u failed, %u skipped\n", options.spec, counts[UAPI_PASS], counts[UAPI_FAIL],
          counts[UAPI_SKIP]);
   if (options.notes) {
      fclose(options.notes);
   }
   return counts[UAPI_FAIL] != 0 || !counts[UAPI_PASS];
}
