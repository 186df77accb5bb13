/* SPDX-License-Identifier: MIT
 *
 * Reading and writing programs. Invariant: a file that is there is whole, because it is renamed into place.
 */
#include "fuzz/corpus.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "fuzz/crash.h"
#include "fuzz/report.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"

int corpus_replay(const struct fuzz_settings *settings, const char *path, struct findings *findings)
{
   struct fuzz_report *report = calloc(1, sizeof(*report));
   FILE *file = fopen(path, "r");
   unsigned line = 0;
   int code = EXIT_OK;

   if (report == NULL) {
      code = complain(EXIT_FAILED, "out of memory");
   } else if (file == NULL) {
      code = complain(EXIT_INVALID, "%s: %s", path, strerror(errno));
   } else if (fuzz_read(file, &report->program, &line) < 0) {
      code = complain(EXIT_INVALID, "%s:%u: not a program of agx-runner fuzz that this Mesa can have", path, line);
   } else {
      struct compiler_options options;
      const char *how = findings_try(settings, report, false, &options);
      const bool lost = how == findings_no_end;
      fprintf(stderr, "%s: %s\n", path,
              lost && crash_try(findings, settings, &options, report) ? "crashes or hangs the compiler"
              : how != NULL                                           ? how
                                                                      : "fails");
      code = how == findings_no_device ? EXIT_FAILED : EXIT_OK;
      if (how == NULL && findings_add(findings, settings, report, NULL)) {
         fuzz_report_finding(stderr, findings->items[findings->count - 1]);
      }
   }
   if (file != NULL) {
      fclose(file);
   }
   free(report);
   return code;
}

static int is_program(const struct dirent *entry)
{
   const size_t length = strlen(entry->d_name);

   return length > 5 && strcmp(entry->d_name + length - 5, ".fuzz") == 0;
}

int corpus_replay_folder(const struct fuzz_settings *settings, const char *folder, struct findings *findings)
{
   struct dirent **entries = NULL;
   const int count = scandir(folder, &entries, is_program, alphasort);

   if (count < 0) {
      return errno == ENOENT ? EXIT_OK : complain(EXIT_INVALID, "%s: %s", folder, strerror(errno));
   }
   for (int i = 0; i < count; i++) {
      char path[PATH_MAX];
      snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
      /* A program of another Mesa, with ops that this one does not have, is left out. */
      (void)corpus_replay(settings, path, findings);
      free(entries[i]);
   }
   free(entries);
   return EXIT_OK;
}

static int save(const char *folder, const struct finding *finding, const struct language *language, const void *program,
                const union fuzz_expected *expected)
{
   char path[PATH_MAX];
   struct output output;

   snprintf(path, sizeof(path), "%s/%016" PRIx64 "%s", folder,
            XXH3_64bits(finding->signature, strlen(finding->signature)), language->suffix);
   int code = output_open(&output, path);
   if (code != EXIT_OK) {
      return code;
   }
   language->write(output.file, program, expected, finding->signature);
   code = output_commit(&output);
   output_discard(&output);
   return code;
}

int corpus_save(const char *folder, const struct findings *findings)
{
   int code = EXIT_OK;

   if (mkdir(folder, 0777) < 0 && errno != EEXIST) {
      return complain(EXIT_INVALID, "%s: %s", folder, strerror(errno));
   }
   for (size_t i = 0; i < findings->count && code == EXIT_OK; i++) {
      const struct finding *finding = findings->items[i];
      code = save(folder, finding, fuzz_language(&finding->report), &finding->report.program, &finding->expected);
      if (code == EXIT_OK && finding->translated.state == TRANSLATED_FAILS) {
         code = save(folder, finding, &language_opencl, &finding->translated.kernel->program,
                     &finding->translated.kernel->expected);
      }
   }
   return code;
}
