/* SPDX-License-Identifier: MIT
 *
 * Better orders of a kernel's instructions: of one kernel with the load of its launch, and of many kernels without a
 * launch, ranked by what their order loses.
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

#define HOT 0.01             /* of the time: the orders of blocks with less are not searched */
#define WORST 10             /* kernels of a ranking that are shown with code */
#define BUDGET_EACH 1500000u /* of a ranking: instructions that are simulated for a block */

/* ---- One kernel ---- */

/* By instruction of the main part: 1 in blocks that take too little time. */
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
   double simds; /* simdgroups that share a core */
   char *code;   /* the better orders as text */
};

struct ranking {
   const struct explain_rank_settings *settings;
   struct ranked *kernels;
   size_t count;
   size_t refused; /* files that did not become programs */
   size_t skipped; /* programs whose orders are not searched */
};

/* Cycles of the core for each simdgroup, with the kernel's own order. */
static double own_cycles(const struct ranked *ranked)
{
   return ranked->gain.core_cycles / ranked->simds;
}

static int add_kernel(struct ranking *ranking, const char *file, const struct agx_program *program,
                      const struct schedule_load *load, const struct schedule *schedule)
{
   struct ranked *kernels = realloc(ranking->kernels, (ranking->count + 1) * sizeof(*kernels));
   size_t size;

   if (kernels == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   ranking->kernels = kernels;
   struct ranked *ranked = &kernels[ranking->count++];
   *ranked = (struct ranked){.file = strdup(file),
                             .kernel = strdup(agx_program_name(program)),
                             .gain = schedule_gain(schedule),
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

/* A file that does not compile is counted, and no reason to stop. */
static int rank_file(void *data, const char *file)
{
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

static void print_ranking(const struct ranking *ranking, FILE *file)
{
   double cycles = 0, alone = 0;

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
   }
   fprintf(file, "\nall: %.1f cycles for a simdgroup of each kernel, %.1f alone\n", cycles, alone);
   fprintf(file, "%zu kernels; %zu were not searched, %zu files did not compile\n", ranking->count, ranking->skipped,
           ranking->refused);
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

int explain_rank(const struct explain_rank_settings *settings, enum explain_format format, const char *path)
{
   struct ranking ranking = {.settings = settings};
   struct output output;

   if (format == EXPLAIN_HTML) {
      return complain(EXIT_INVALID, "--schedules has the formats text and json");
   }
   int code = output_open(&output, path);

   for (size_t i = 0; code == EXIT_OK && i < settings->paths->count; i++) {
      code = kernel_files_each(settings->paths->items[i], rank_file, &ranking);
   }
   if (code == EXIT_OK && ranking.count > 0) {
      qsort(ranking.kernels, ranking.count, sizeof(ranking.kernels[0]), by_gain);
   }
   if (code == EXIT_OK && format == EXPLAIN_JSON) {
      code = write_json(&ranking, output.file);
   } else if (code == EXIT_OK) {
      print_ranking(&ranking, output.file);
   }
   if (code == EXIT_OK && ranking.count == 0) {
      code = complain(EXIT_INVALID, "no kernel was found: expected .cl, .spv or .agx files that compile");
   }
   if (code == EXIT_OK) {
      code = output_commit(&output);
   }
   output_discard(&output);
   for (size_t i = 0; i < ranking.count; i++) {
      free(ranking.kernels[i].file);
      free(ranking.kernels[i].kernel);
      free(ranking.kernels[i].code);
   }
   free(ranking.kernels);
   return code;
}
