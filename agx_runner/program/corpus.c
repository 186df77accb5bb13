/* SPDX-License-Identifier: MIT
 *
 * Compiles a corpus of kernels into a run without figures. Invariant: names do not depend on the place of the corpus,
 * so that two runs can be compared.
 */
#include "agx_runner/program/corpus.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/program/collected/collected.h"
#include "agx_runner/program/collected/ties.h"
#include "agx_runner/program/count.h"
#include "agx_runner/program/kernel_file.h"
#include "agx_runner/program/kernel_files.h"
#include "agx_runner/results/result.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"
#include "process/child/interrupt.h"
#include "util/array.h"
#include "util/text.h"

#define NAMED_MAX 8

struct corpus {
   const struct corpus_settings *settings;
   const char *path; /* the operand that is walked */
   struct result_run run;
   size_t seen;          /* files that were found, those of other shards among them */
   size_t files, failed; /* number of files, and of those without a program */
   size_t wrong;         /* files with an error, of which these are the first */
   char names[1024];
   bool wrong_here; /* the current file has one */
   /* Collected programs: the folder that was read last, and what all of them are. */
   char *folder;
   struct collected_folder collected;
   size_t stages[COLLECTED_STAGES], processes;
   uint64_t launches;
   char drivers[256];
   /* Sources of collected programs: the folder of the programs that was read last, and how many have equal code. */
   char *programs;
   struct collected_codes codes;
   struct collected_folder runs; /* of the same folder */
   size_t built, tied;
};

/* Reads the programs beside the folder `sources` of the file, if they are others than before. */
static bool enter_sources(struct corpus *corpus, const char *file)
{
   char *folder = NULL;
   const char *slash = strrchr(file, '/');
   if (asprintf(&folder, "%.*s/..", slash != NULL ? (int)(slash - file) : 1, slash != NULL ? file : ".") < 0) {
      return false;
   }
   if (corpus->programs != NULL && strcmp(corpus->programs, folder) == 0) {
      free(folder);
      return true;
   }
   collected_codes_finish(&corpus->codes);
   collected_folder_finish(&corpus->runs);
   free(corpus->programs);
   corpus->programs = folder;
   return collected_codes_read(folder, &corpus->codes) && collected_folder_read(folder, &corpus->runs);
}

/* Says which collected program has the code that the source was compiled to. */
static bool tie(struct corpus *corpus, const char *file, const struct agx_program *program, struct result *result)
{
   if (!util_has_suffix(file, ".built") && !util_has_suffix(file, ".glsl")) {
      return true;
   }
   if (!enter_sources(corpus, file)) {
      return false;
   }
   const char *found = collected_codes_find(&corpus->codes, program);
   corpus->built++;
   corpus->tied += found != NULL;
   if (found != NULL) {
      char name[RESULT_NAME_MAX];
      collected_name(&corpus->runs, found, "compute", name, sizeof(name));
      snprintf(result->reason, sizeof(result->reason), "the code of %.100s, %.100s", found, name);
   }
   return true;
}

/* Reads the folder of the file, if it is another one than before. */
static bool enter_folder(struct corpus *corpus, const char *file)
{
   const char *slash = strrchr(file, '/');
   const size_t length = slash != NULL ? (size_t)(slash - file) : 0;
   if (corpus->folder != NULL && strncmp(corpus->folder, file, length) == 0 && corpus->folder[length] == '\0') {
      return true;
   }
   collected_folder_finish(&corpus->collected);
   free(corpus->folder);
   corpus->folder = strndup(file, length);
   if (corpus->folder == NULL || !collected_folder_read(length > 0 ? corpus->folder : ".", &corpus->collected)) {
      return false;
   }
   corpus->processes += corpus->collected.processes;
   (void)util_append(corpus->drivers, sizeof(corpus->drivers), "%s%s", corpus->drivers[0] != '\0' ? ", " : "",
                     corpus->collected.drivers);
   return true;
}

/* Counts a collected program, and writes its name. */
static bool take_collected(struct corpus *corpus, const char *file, const char *stage, char *name, size_t size)
{
   static const char *const stages[] = COLLECTED_STAGE_NAMES;
   if (!enter_folder(corpus, file)) {
      return false;
   }
   const struct collected_entry *entry = collected_find(&corpus->collected, file);
   corpus->launches += entry != NULL ? entry->launches : 0;
   for (size_t i = 0; i < ARRAY_COUNT(stages); i++) {
      corpus->stages[i] += strcmp(stage, stages[i]) == 0;
   }
   collected_name(&corpus->collected, file, stage, name, size);
   return true;
}

/* "folder/file.cl/kernel", from below the operand; "file.cl/kernel" where that is the file. */
static struct result *add(struct corpus *corpus, const char *file, const char *kernel)
{
   const size_t length = strlen(corpus->path);
   const char *below = strncmp(file, corpus->path, length) == 0 && file[length] == '/' ? file + length + 1 : NULL,
              *last = strrchr(file, '/');
   char name[RESULT_NAME_MAX];

   below = below != NULL ? below : last != NULL ? last + 1 : file;
   int size = snprintf(name, sizeof(name), "%s%s%s", below, kernel != NULL ? "/" : "", kernel != NULL ? kernel : "");
   if (kernel != NULL && collected_is_program(file)) {
      size = take_collected(corpus, file, kernel, name, sizeof(name)) ? 0 : size;
   }
   if (size >= (int)sizeof(name)) {
      note("%s: the name is too long, and is cut", below);
   }
   struct result *result = result_add(&corpus->run, name);
   if (result != NULL) {
      result->file = strdup(file);
   }
   if (result == NULL || result->file == NULL) {
      (void)complain(EXIT_FAILED, "out of memory");
      result = NULL;
   }
   return result;
}

static int add_program(struct corpus *corpus, const char *file, const struct agx_program *program)
{
   struct result *result = add(corpus, file, agx_program_name(program));

   if (result == NULL) {
      return EXIT_FAILED;
   }
   result->program_hash = agx_program_hash(program);
   if (!tie(corpus, file, program, result)) {
      return complain(EXIT_FAILED, "out of memory");
   }
   return program_stats_of(program, &result->program) < 0 ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;
}

static void set_refusal(struct corpus *corpus, struct result *result, const struct refusal *why)
{
   char sentence[2 * REFUSAL_WHAT];

   corpus->wrong_here |= !refusal_is_unsupported(why->who);
   refusal_sentence(why, sentence, sizeof(sentence));
   result_set(result, refusal_is_unsupported(why->who) ? RESULT_SKIP : RESULT_FAIL, "%.200s",
              sentence[0] != '\0' ? sentence : "does not compile");
}

static int visit(void *data, const char *path, const char *file)
{
   struct corpus *corpus = data;
   const unsigned of = corpus->settings->of > 0 ? corpus->settings->of : 1;
   if (corpus->seen++ % of != (corpus->settings->of > 0 ? corpus->settings->shard - 1 : 0)) {
      return EXIT_OK;
   }
   corpus->path = path;
   struct compiler_result compiled = {0};
   corpus->wrong_here = false;
   (void)kernel_file_compile(file, corpus->settings->program, corpus->settings->compiler, &compiled);
   int code = EXIT_OK;

   if (interrupt_requested()) {
      compiler_result_finish(&compiled);
      return complain(EXIT_ABORTED, "interrupted after %zu files", corpus->files);
   }
   corpus->files++;
   corpus->failed += compiled.count == 0;
   for (size_t i = 0; code == EXIT_OK && i < compiled.count; i++) {
      code = add_program(corpus, file, compiled.programs[i]);
   }
   for (size_t i = 0; code == EXIT_OK && i < compiled.refused_count; i++) {
      struct result *result = add(corpus, file, compiled.refused[i].kernel);

      code = result == NULL ? EXIT_FAILED : EXIT_OK;
      if (result != NULL) {
         set_refusal(corpus, result, &compiled.refused[i].why);
      }
   }
   if (code == EXIT_OK && compiled.count == 0 && compiled.refused_count == 0) {
      struct result *result = add(corpus, file, NULL);

      code = result == NULL ? EXIT_FAILED : EXIT_OK;
      if (result != NULL) {
         set_refusal(corpus, result, &compiled.why);
      }
   }
   compiler_result_finish(&compiled);
   if (corpus->wrong_here && corpus->wrong++ < NAMED_MAX) {
      const size_t used = strlen(corpus->names);

      snprintf(corpus->names + used, sizeof(corpus->names) - used, "%s%s", used > 0 ? ", " : "", file);
   }
   return code;
}

/* ---- Text ---- */

static const enum program_stat columns[] = {PROGRAM_INSTRUCTIONS, PROGRAM_HALF_REGISTERS, PROGRAM_SCRATCH,
                                            PROGRAM_OCCUPANCY,    PROGRAM_CYCLES,         PROGRAM_LATENCY};

static void print_values(const double *values, FILE *file)
{
   for (unsigned i = 0; i < ARRAY_COUNT(columns); i++) {
      fprintf(file, " %16.0f", values[columns[i]]);
   }
}

/* The number of an instruction in "fadd 64 mov 3". */
static double count_of(const char *mnemonics, const char *name)
{
   const size_t length = strlen(name);
   for (const char *at = mnemonics; at != NULL && (at = strstr(at, name)) != NULL; at += length) {
      if ((at == mnemonics || at[-1] == ' ') && at[length] == ' ') {
         return strtod(at + length, NULL);
      }
   }
   return 0;
}

/* What collected programs are: by stage, how often they ran, and how they use the stack. */
static void write_collected(const struct corpus *corpus, FILE *file)
{
   static const char *const stages[] = COLLECTED_STAGE_NAMES;
   double fills = 0, spills = 0;
   size_t all = 0;
   for (size_t i = 0; i < COLLECTED_STAGES; i++) {
      all += corpus->stages[i];
   }
   if (all == 0) {
      return;
   }
   for (size_t i = 0; i < corpus->run.count; i++) {
      fills += count_of(corpus->run.results[i].program.mnemonics, "stack_load");
      spills += count_of(corpus->run.results[i].program.mnemonics, "stack_store");
   }
   fprintf(file, "collected programs:");
   for (size_t i = 0; i < COLLECTED_STAGES; i++) {
      fprintf(file, "%s %zu %s", i > 0 ? "," : "", corpus->stages[i], stages[i]);
   }
   fprintf(
       file,
       "; %" PRIu64 " launches or draws by %zu processes; driver %s; %.0f stores and %.0f loads of the stack\n"
       "cycles of other stages than compute are those of their arithmetic; their memory and tiles are not modelled\n",
       corpus->launches, corpus->processes, corpus->drivers[0] != '\0' ? corpus->drivers : "not known", spills, fills);
}

static void write_text(const struct corpus *corpus, FILE *file)
{
   double sum[PROGRAM_STAT_COUNT] = {0};
   size_t count = 0;

   fprintf(file, "cycles and latency are modelled; loops count ten times\n");
   for (unsigned i = 0; i < ARRAY_COUNT(columns); i++) {
      fprintf(file, " %16s", program_stat_infos[columns[i]].key);
   }
   fputs("  kernel\n", file);
   for (size_t i = 0; i < corpus->run.count; i++) {
      const struct result *result = &corpus->run.results[i];

      if (!result->program.known) {
         fprintf(file, "%*s  %s: %s\n", (int)(17 * ARRAY_COUNT(columns)), "-", result->name, result->reason);
         continue;
      }
      print_values(result->program.values, file);
      fprintf(file, "  %s%s%s\n", result->name, result->reason[0] != '\0' ? ": " : "", result->reason);
      count++;
      for (unsigned k = 0; k < PROGRAM_STAT_COUNT; k++) {
         sum[k] += result->program.values[k];
      }
   }
   write_collected(corpus, file);
   if (corpus->built > 0) {
      fprintf(file, "sources: %zu of %zu programs have the code of a collected program\n", corpus->tied, corpus->built);
   }
   print_values(sum, file);
   fprintf(file, "  all %zu kernels; %zu of %zu files did not become programs\n", count, corpus->failed, corpus->files);
}

/* Writes the files that were compiled so far. */
static int write_files(struct corpus *corpus, struct output *output)
{
   if (corpus->drivers[0] != '\0') {
      result_run_set_mesa(&corpus->run, "collected programs", corpus->drivers);
   }
   if (!corpus->settings->json) {
      write_text(corpus, output->file);
   } else if (result_write_json(&corpus->run, output->file) < 0) {
      return complain(EXIT_FAILED, "out of memory");
   }
   return output_commit(output);
}

/* Compiles the files. Their results are in corpus->run, also when it was interrupted. */
static int collect(struct corpus *corpus)
{
   const struct corpus_settings *settings = corpus->settings;
   struct asahi_device_info device = {.is_virtual = true};

   snprintf(device.path, sizeof(device.path), "none: kernels were compiled, not run");
   if (!result_run_init(&corpus->run, &device, settings->command_line, 0)) {
      return complain(EXIT_FAILED, "out of memory");
   }
   if (settings->mesa != NULL) {
      result_run_set_mesa(&corpus->run, settings->program->mesa, settings->mesa);
   }
   interrupt_defer();
   compiler_set_cancelled(interrupt_requested);
   int code = kernel_files_each(settings->paths, settings->program->mesa, visit, corpus);
   if (code == EXIT_OK && corpus->failed == corpus->files) {
      code = complain(
          EXIT_INVALID,
          "no kernel was found: expected .cl, .spv, .agx or .agxprog files that compile, or with --mesa .comp");
   }
   return code;
}

static void settle(struct corpus *corpus)
{
   collected_folder_finish(&corpus->collected);
   free(corpus->folder);
   corpus->folder = NULL;
   collected_codes_finish(&corpus->codes);
   collected_folder_finish(&corpus->runs);
   free(corpus->programs);
   corpus->programs = NULL;
   compiler_set_cancelled(NULL);
   interrupt_settle();
}

int corpus_collect(const struct corpus_settings *settings, struct result_run *run)
{
   struct corpus corpus = {.settings = settings};
   const int code = collect(&corpus);

   settle(&corpus);
   *run = corpus.run;
   return code;
}

int corpus_write(const struct corpus_settings *settings, const char *path)
{
   struct corpus corpus = {.settings = settings};
   struct output output;
   int code = output_open(&output, path);

   code = code == EXIT_OK ? collect(&corpus) : code;
   if (code == EXIT_OK || (code == EXIT_ABORTED && corpus.files > 0)) {
      const int written = write_files(&corpus, &output);

      code = written != EXIT_OK ? written : code;
   }
   settle(&corpus);
   if (code == EXIT_OK && corpus.wrong > 0) {
      code = complain(EXIT_FAILED, "%zu of %zu files have errors: %s%s", corpus.wrong, corpus.files, corpus.names,
                      corpus.wrong > NAMED_MAX ? ", ..." : "");
   }
   output_discard(&output);
   result_run_finish(&corpus.run);
   return code;
}
