/* SPDX-License-Identifier: MIT
 *
 * Better orders of a kernel's instructions: of one kernel with the load of its launch, and of many kernels without a
 * launch, ranked by the time that their order loses.
 */
#include "agx_runner/explain/explain.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/program/assembly.h"
#include "agx_runner/program/kernel_file.h"
#include "agx_runner/program/kernel_files.h"
#include "agx_runner/results/json_text.h"
#include "agx_runner/results/result.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"
#include "util/array.h"

#define HOT 0.01             /* fraction of the time: the orders of blocks with less are not searched */
#define WORST 10             /* kernels of a ranking whose code is shown */
#define BUDGET_EACH 1500000u /* most instructions that are simulated for a block of a ranking */
#define EFFORT 24000000u     /* the same for a kernel, whose heaviest blocks come first: some seconds */

/* ---- One kernel ---- */

/* Returns, by instruction of the main part, 1 in blocks that take too little time. */
static uint8_t *cold_blocks(const struct explain *explain)
{
   const struct agx_program *program = explain->program;
   struct blocks blocks;
   uint8_t *cold = NULL;

   if (blocks_decode(program, program->main_offset, program->main_size, &blocks)) {
      cold = calloc(blocks.count, sizeof(*cold));
   }
   size_t row = 0;
   for (uint32_t first = 0, end; cold != NULL && first < blocks.count; first = end) {
      uint64_t time = 0;

      end = blocks_end(&blocks, first);
      for (; row < explain->count && explain->rows[row].address < blocks.at[end] - blocks.start; row++) {
         time += explain_row_time(&explain->rows[row]);
      }
      memset(cold + first, (double)time < HOT * (double)explain->sum.simd_time, end - first);
   }
   blocks_finish(&blocks);
   return cold;
}

int explain_schedule(const struct explain *explain, unsigned level, struct schedule *schedule)
{
   const struct vgpu_profile_sum *sum = &explain->sum;
   struct schedule_settings settings = {.load = schedule_load_of(explain->program)};
   const uint64_t groups = sum->groups < sum->room ? sum->groups : sum->room;
   uint8_t *cold = cold_blocks(explain);

   if (cold == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   settings.load.group_simds = (uint32_t)sum->group_simds;
   settings.load.groups = groups > 0 ? (uint32_t)groups : 1;
   settings.load.level = level;
   settings.skip = cold;
   const int code = schedule_make(schedule, explain->program, &settings);
   free(cold);
   return code;
}

int explain_schedule_write(const struct agx_program *program, const char *path)
{
   struct output output;
   int code = output_open(&output, path);

   if (code == EXIT_OK && assembly_write(program, output.file) < 0) {
      code = complain(EXIT_FAILED, "out of memory");
   }
   if (code == EXIT_OK) {
      code = output_commit(&output);
   }
   output_discard(&output);
   return code;
}

/* ---- A ranking ---- */

struct ranked {
   char *file, *kernel;
   struct schedule_gain gain;
   double simds;          /* simdgroups that share a core */
   uint32_t blocks, left; /* blocks whose times are known; how many of them were not searched */
   char *code;            /* the better orders as text */
};

struct ranking {
   const struct explain_rank_settings *settings;
   struct ranked *kernels;
   size_t count;
   size_t refused;               /* files that could not be compiled */
   size_t skipped;               /* programs whose orders cannot be analysed */
   struct json_object *baseline; /* array of kernels; NULL: none */
};

#define CHANGED 0.005  /* relative change of a kernel's cycles above which it is listed */
#define SUM_WORSE 0.01 /* relative growth of the sum of cycles above which the ranking fails */

/* Returns the core's cycles for each simdgroup, with the kernel's own order. */
static double own_cycles(const struct ranked *ranked)
{
   return ranked->gain.core_cycles / ranked->simds;
}

static int add_kernel(struct ranking *ranking, const char *file, const struct agx_program *program,
                      const struct schedule_load *load, const struct schedule *schedule)
{
   size_t size;

   if (!ARRAY_RESERVE_ONE(ranking->kernels, ranking->count)) {
      return complain(EXIT_FAILED, "out of memory");
   }
   struct ranked *ranked = &ranking->kernels[ranking->count++];
   *ranked = (struct ranked){.file = strdup(file),
                             .kernel = strdup(agx_program_name(program)),
                             .gain = schedule_gain(schedule),
                             .blocks = schedule->count,
                             .left = schedule->left,
                             .simds = (double)load->groups * load->group_simds};
   FILE *text = open_memstream(&ranked->code, &size);
   if (text != NULL) {
      schedule_print(schedule, true, text);
   }
   if (text == NULL || fclose(text) != 0 || ranked->file == NULL || ranked->kernel == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   return EXIT_OK;
}

static int rank_program(struct ranking *ranking, const char *file, const struct agx_program *program)
{
   struct schedule_settings settings = {.load = schedule_load_of(program)};
   struct schedule schedule;

   settings.load.budget = BUDGET_EACH;
   settings.effort = EFFORT;
   int code = schedule_make(&schedule, program, &settings);
   if (code == EXIT_SKIPPED) {
      ranking->skipped++;
      code = EXIT_OK;
   } else if (code == EXIT_OK) {
      code = add_kernel(ranking, file, program, &settings.load, &schedule);
   }
   schedule_finish(&schedule);
   return code;
}

/* Ranks one file. A file that does not compile is counted, and the ranking continues. */
static int rank_file(void *data, const char *path, const char *file)
{
   (void)path;
   struct ranking *ranking = data;
   struct compiler_result compiled = {0};
   int code = kernel_file_compile(file, ranking->settings->program, ranking->settings->compiler, &compiled);

   ranking->refused += code != EXIT_OK;
   code = EXIT_OK;
   for (size_t i = 0; i < compiled.count && code == EXIT_OK; i++) {
      const char *kernel = ranking->settings->program->kernel;

      if (kernel == NULL || strcmp(kernel, agx_program_name(compiled.programs[i])) == 0) {
         code = rank_program(ranking, file, compiled.programs[i]);
      }
   }
   compiler_result_finish(&compiled);
   return code;
}

static int by_gain(const void *a, const void *b)
{
   const struct ranked *x = a, *y = b;

   if (x->gain.core != y->gain.core) {
      return x->gain.core < y->gain.core ? 1 : -1;
   }
   if (x->gain.alone != y->gain.alone) {
      return x->gain.alone < y->gain.alone ? 1 : -1;
   }
   return strcmp(x->kernel, y->kernel);
}

/* ---- Against a baseline ---- */

/* Returns the array of kernels in a ranking's JSON; the caller releases *file. NULL: the file is not a ranking. */
static struct json_object *read_baseline(const char *path, struct json_object **file)
{
   struct json_object *kernels = NULL;

   *file = json_object_from_file(path);
   if (*file == NULL || !json_object_is_type(*file, json_type_object) ||
       !json_object_object_get_ex(*file, "kernels", &kernels) || !json_object_is_type(kernels, json_type_array)) {
      (void)complain(EXIT_INVALID, "%s: expected what explain --schedules --format json wrote", path);
      return NULL;
   }
   return kernels;
}

static double number_of(struct json_object *kernel, const char *name)
{
   struct json_object *member;

   return json_object_object_get_ex(kernel, name, &member) ? json_object_get_double(member) : 0;
}

static bool is_text(struct json_object *kernel, const char *name, const char *text)
{
   struct json_object *member;

   return json_object_object_get_ex(kernel, name, &member) && json_object_is_type(member, json_type_string) &&
          strcmp(json_object_get_string(member), text) == 0;
}

/* Returns the baseline's entry for the kernel. NULL: there is none. */
static struct json_object *find_kernel(struct json_object *baseline, const struct ranked *ranked)
{
   for (size_t i = 0; i < json_object_array_length(baseline); i++) {
      struct json_object *kernel = json_object_array_get_idx(baseline, i);

      if (json_object_is_type(kernel, json_type_object) && is_text(kernel, "file", ranked->file) &&
          is_text(kernel, "kernel", ranked->kernel) && number_of(kernel, "cycles") > 0 &&
          number_of(kernel, "cycles_alone") > 0) {
         return kernel;
      }
   }
   return NULL;
}

/* Prints what has changed. The sums are those of the kernels that both have. Returns an enum exit_code. */
static int compare_rankings(const struct ranking *ranking, FILE *file)
{
   double cycles = 0, alone = 0, old_cycles = 0, old_alone = 0;
   size_t slower = 0, faster = 0, both = 0;

   fprintf(file, "against the baseline (%s): cycles at full occupancy, alone, kernels that changed\n",
           RESULT_VIRTUAL_NOTE);
   for (size_t i = 0; i < ranking->count; i++) {
      const struct ranked *ranked = &ranking->kernels[i];
      struct json_object *old = find_kernel(ranking->baseline, ranked);

      if (old == NULL) {
         continue;
      }
      const double change = own_cycles(ranked) / number_of(old, "cycles") - 1,
                   change_alone = ranked->gain.alone_cycles / number_of(old, "cycles_alone") - 1;
      if (change >= CHANGED || change <= -CHANGED || change_alone >= CHANGED || change_alone <= -CHANGED) {
         fprintf(file, "%+9.2f %% %+9.2f %%  %s (%s)\n", 100 * change, 100 * change_alone, ranked->kernel,
                 ranked->file);
      }
      slower += change >= CHANGED;
      faster += change <= -CHANGED;
      both++;
      cycles += own_cycles(ranked);
      alone += ranked->gain.alone_cycles;
      old_cycles += number_of(old, "cycles");
      old_alone += number_of(old, "cycles_alone");
   }
   if (both == 0) {
      return complain(EXIT_INVALID, "the baseline has none of these kernels: file names must be the same in both");
   }
   fprintf(file, "%zu kernels in both: %+.2f %% cycles at full occupancy, %+.2f %% alone; %zu slower, %zu faster\n",
           both, 100 * (cycles / old_cycles - 1), 100 * (alone / old_alone - 1), slower, faster);
   const bool worse = cycles >= old_cycles * (1 + SUM_WORSE) || alone >= old_alone * (1 + SUM_WORSE);
   return worse ? complain(EXIT_FAILED, "the order of instructions is worse than in the baseline (modelled)") : EXIT_OK;
}

/* ---- The ranking as text and JSON ---- */

static void print_ranking(const struct ranking *ranking, FILE *file)
{
   double cycles = 0, alone = 0;
   size_t in_part = 0;

   fprintf(file,
           "what the order of instructions loses (%s):\n"
           "kernels at full occupancy, each access to device memory a hit in the L2, loops weighted by depth\n"
           "cycles: of the core for a simdgroup, in the kernel's own order\n\n"
           "occupied %%   alone %%     cycles  kernel\n",
           RESULT_VIRTUAL_NOTE);
   for (size_t i = 0; i < ranking->count; i++) {
      const struct ranked *ranked = &ranking->kernels[i];

      fprintf(file, "%10.2f %9.2f %10.1f  %s (%s)\n", 100 * ranked->gain.core, 100 * ranked->gain.alone,
              own_cycles(ranked), ranked->kernel, ranked->file);
      cycles += own_cycles(ranked);
      alone += ranked->gain.alone_cycles;
      in_part += ranked->left > 0;
   }
   fprintf(file, "\nall: %.1f cycles for a simdgroup of each kernel, %.1f alone\n", cycles, alone);
   fprintf(file, "%zu kernels; %zu were not searched, %zu in their heaviest blocks only, %zu files did not compile\n",
           ranking->count, ranking->skipped, in_part, ranking->refused);
   for (size_t i = 0; i < ranking->count && i < WORST; i++) {
      const struct ranked *ranked = &ranking->kernels[i];

      if (ranked->gain.core > 0 || ranked->gain.alone > 0) {
         fprintf(file, "\n---- %s (%s)\n%s", ranked->kernel, ranked->file, ranked->code);
      }
   }
}

static int write_json(const struct ranking *ranking, FILE *file)
{
   struct json_object *object = json_object_new_object(), *list = json_object_new_array();

   for (size_t i = 0; i < ranking->count; i++) {
      const struct ranked *ranked = &ranking->kernels[i];
      struct json_object *kernel = json_object_new_object();

      json_object_object_add(kernel, "file", json_text(ranked->file));
      json_object_object_add(kernel, "kernel", json_text(ranked->kernel));
      json_object_object_add(kernel, "loses", json_object_new_double(ranked->gain.core));
      json_object_object_add(kernel, "loses_alone", json_object_new_double(ranked->gain.alone));
      json_object_object_add(kernel, "cycles", json_object_new_double(own_cycles(ranked)));
      json_object_object_add(kernel, "cycles_alone", json_object_new_double(ranked->gain.alone_cycles));
      json_object_object_add(kernel, "blocks", json_object_new_int64(ranked->blocks));
      json_object_object_add(kernel, "blocks_not_searched", json_object_new_int64(ranked->left));
      json_object_array_add(list, kernel);
   }
   json_object_object_add(object, "modelled", json_object_new_boolean(true));
   json_object_object_add(object, "kernels", list);
   json_object_object_add(object, "not_searched", json_object_new_int64((int64_t)ranking->skipped));
   json_object_object_add(object, "not_compiled", json_object_new_int64((int64_t)ranking->refused));
   const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
   const int code =
       text == NULL || fprintf(file, "%s\n", text) < 0 ? complain(EXIT_FAILED, "cannot write the JSON") : EXIT_OK;
   json_object_put(object);
   return code;
}

int explain_rank(const struct explain_rank_settings *settings, enum output_format format, const char *path)
{
   struct ranking ranking = {.settings = settings};
   struct output output;
   struct json_object *baseline_file = NULL;

   if (format == FORMAT_HTML) {
      return complain(EXIT_INVALID, "--schedules has the formats text and json");
   }
   if (settings->baseline != NULL && (ranking.baseline = read_baseline(settings->baseline, &baseline_file)) == NULL) {
      json_object_put(baseline_file);
      return EXIT_INVALID;
   }
   int code = output_open(&output, path);

   code = code == EXIT_OK ? kernel_files_each(settings->paths, NULL, rank_file, &ranking) : code;
   if (code == EXIT_OK && ranking.count > 0) {
      qsort(ranking.kernels, ranking.count, sizeof(ranking.kernels[0]), by_gain);
   }
   if (code == EXIT_OK && format == FORMAT_JSON) {
      code = write_json(&ranking, output.file);
   } else if (code == EXIT_OK) {
      print_ranking(&ranking, output.file);
   }
   if (code == EXIT_OK && ranking.count == 0) {
      code = complain(EXIT_INVALID, "no kernel was found: expected .cl, .spv or .agx files that compile");
   }
   int verdict = EXIT_OK;
   if (code == EXIT_OK && ranking.baseline != NULL) {
      verdict = compare_rankings(&ranking, format == FORMAT_TEXT ? output.file : stderr);
   }
   if (code == EXIT_OK) {
      code = output_commit(&output);
   }
   code = code == EXIT_OK ? verdict : code;
   output_discard(&output);
   json_object_put(baseline_file);
   for (size_t i = 0; i < ranking.count; i++) {
      free(ranking.kernels[i].file);
      free(ranking.kernels[i].kernel);
      free(ranking.kernels[i].code);
   }
   free(ranking.kernels);
   return code;
}
