/* SPDX-License-Identifier: MIT
 *
 * Explains kernels without running them: the closed form of each block (vgpu/timing/predict/predict.h), weighted with
 * loop counts that the user gives. Invariant: everything that depends on data (misses of the L1, taken branches) is
 * assumed, and the text says how.
 */
#include "agx_runner/explain/explain.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/program/blocks.h"
#include "agx_runner/program/kernel_file.h"
#include "agx_runner/program/kernel_files.h"
#include "agx_runner/results/json_text.h"
#include "agx_runner/results/result.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"
#include "vgpu/timing/predict/predict.h"

#define HOT 0.05 /* fraction of the time: blocks with less are left out of the text */

struct block_time {
   uint32_t address, instructions;
   unsigned depth;
   double executions;           /* executions of the block by a simdgroup */
   double cycles;               /* cycles of a scheduler for one simdgroup, all executions */
   enum vgpu_bound bound;       /* the bound of one execution at this occupancy */
   double use[VGPU_BOUND_TURN]; /* cycles of each resource, all executions */
   double chain;                /* cycles of the dependency chain of a simdgroup alone, all executions */
};

struct report {
   const struct explain_static_settings *settings;
   enum output_format format;
   FILE *file;
   struct json_object *list;
   size_t kernels, refused;
};

/* Returns how often a block with so many enclosing loops is executed: the product of the given counts, from the outer
 * loop to the inner one; the last count applies to deeper loops. */
static double executions_of(const struct explain_static_settings *settings, unsigned depth)
{
   double times = 1;

   for (unsigned i = 0; i < depth && settings->trip_count > 0; i++) {
      times *= settings->trips[i < settings->trip_count ? i : settings->trip_count - 1];
   }
   return times;
}

/* Adds the loop's back edge, which the straight-line model omits. */
static void add_jump(struct vgpu_prediction *prediction)
{
   const uint32_t *core = vgpu_params_default.core;

   prediction->use[VGPU_PIPE_CONTROL] += (double)core[VGPU_CORE_TAKEN_INTERVAL] / VGPU_TICKS;
   prediction->bounds[VGPU_BOUND_CHAIN] += (double)core[VGPU_CORE_TAKEN_LATENCY] / VGPU_TICKS;
   if (prediction->use[VGPU_PIPE_CONTROL] > prediction->each) {
      prediction->each = prediction->use[VGPU_PIPE_CONTROL];
      prediction->bound = (enum vgpu_bound)VGPU_PIPE_CONTROL;
   }
}

static struct block_time time_of(const struct report *report, const struct blocks *code, uint32_t first, uint32_t end,
                                 const struct blocks_occupancy *occupancy)
{
   struct vgpu_prediction prediction;
   const unsigned depth = code->depth[first];
   const double times = executions_of(report->settings, depth);
   struct block_time block = {
       .address = code->at[first] - code->start, .instructions = end - first, .depth = depth, .executions = times};

   vgpu_predict(&vgpu_params_default, code->costs + first, end - first, occupancy->scheduler, occupancy->most,
                &prediction);
   if (depth > (end < code->count ? code->depth[end] : 0)) {
      add_jump(&prediction);
   }
   block.cycles = prediction.each * times;
   block.bound = prediction.bound;
   block.chain = prediction.bounds[VGPU_BOUND_CHAIN] * times;
   for (unsigned r = 0; r < VGPU_BOUND_TURN; r++) {
      block.use[r] = prediction.use[r] * times;
   }
   return block;
}

/* ---- The two formats ---- */

static struct json_object *block_json(const struct block_time *block)
{
   struct json_object *object = json_object_new_object(), *use = json_object_new_object();

   json_object_object_add(object, "address", json_object_new_int64(block->address));
   json_object_object_add(object, "instructions", json_object_new_int64(block->instructions));
   json_object_object_add(object, "loops", json_object_new_int64(block->depth));
   json_object_object_add(object, "executions", json_object_new_double(block->executions));
   json_object_object_add(object, "cycles", json_object_new_double(block->cycles));
   json_object_object_add(object, "bound", json_text(vgpu_bound_names[block->bound]));
   for (unsigned r = 0; r < VGPU_BOUND_TURN; r++) {
      if (block->use[r] > 0) {
         json_object_object_add(use, vgpu_bound_names[r], json_object_new_double(block->use[r]));
      }
   }
   json_object_object_add(object, "use", use);
   return object;
}

static void print_block(const struct block_time *block, double total, FILE *file)
{
   fprintf(file, "  block at 0x%04" PRIx32 "  %5.1f %%  %9.0f times  %11.2f cycles each  bound by %s\n", block->address,
           total > 0 ? 100 * block->cycles / total : 0, block->executions, block->cycles / block->executions,
           vgpu_bound_names[block->bound]);
}

static void print_use(const struct block_time *sum, double total, FILE *file)
{
   fputs("  busy:", file);
   for (unsigned r = 0; r < VGPU_BOUND_TURN; r++) {
      if (sum->use[r] > 0) {
         fprintf(file, " %s %.1f %%,", vgpu_bound_names[r], total > 0 ? 100 * sum->use[r] / total : 0);
      }
   }
   fprintf(file, " dependence chain of one simdgroup %.0f cycles\n", sum->chain);
}

static void report_kernel(struct report *report, const char *path, const struct agx_program *program,
                          const struct blocks_occupancy *occupancy, const struct block_time *blocks, size_t count)
{
   struct block_time sum = {0};

   for (size_t i = 0; i < count; i++) {
      sum.cycles += blocks[i].cycles;
      sum.chain += blocks[i].chain;
      for (unsigned r = 0; r < VGPU_BOUND_TURN; r++) {
         sum.use[r] += blocks[i].use[r];
      }
   }
   if (report->format == FORMAT_JSON) {
      struct json_object *object = json_object_new_object(), *list = json_object_new_array();

      json_object_object_add(object, "file", json_text(path));
      json_object_object_add(object, "kernel", json_text(agx_program_name(program)));
      json_object_object_add(object, "half_registers", json_object_new_int64(program->half_registers));
      json_object_object_add(object, "simdgroups_a_core", json_object_new_int64(occupancy->core));
      json_object_object_add(object, "cycles", json_object_new_double(sum.cycles));
      for (size_t i = 0; i < count; i++) {
         json_object_array_add(list, block_json(&blocks[i]));
      }
      json_object_object_add(object, "blocks", list);
      json_object_array_add(report->list, object);
      return;
   }
   fprintf(report->file,
           "\n%s (%s): %.2f cycles of a scheduler for each simdgroup; %u half registers, %" PRIu32
           " simdgroups a core\n",
           agx_program_name(program), path, sum.cycles, program->half_registers, occupancy->core);
   print_use(&sum, sum.cycles, report->file);
   for (size_t i = 0; i < count; i++) {
      if (blocks[i].cycles >= HOT * sum.cycles) {
         print_block(&blocks[i], sum.cycles, report->file);
      }
   }
}

/* ---- Kernels ---- */

static int explain_one(struct report *report, const char *path, const struct agx_program *program)
{
   const struct blocks_occupancy occupancy = blocks_occupancy(program);
   struct blocks code;
   size_t count = 0;
   const bool decoded = blocks_decode(program, program->main_offset, program->main_size, &code);
   struct block_time *times = decoded ? calloc(code.count + 1, sizeof(*times)) : NULL;
   const int result = times != NULL ? EXIT_OK : complain(EXIT_FAILED, "out of memory");

   for (uint32_t first = 0, end; times != NULL && first < code.count && !blocks_is_padding(&code, first); first = end) {
      end = blocks_end(&code, first);
      times[count++] = time_of(report, &code, first, end, &occupancy);
   }
   if (times != NULL) {
      report_kernel(report, path, program, &occupancy, times, count);
      report->kernels++;
   }
   free(times);
   blocks_finish(&code);
   return result;
}

/* Explains one file. A file that does not compile is counted, and the others follow. */
static int explain_file(void *data, const char *operand, const char *path)
{
   (void)operand;
   struct report *report = data;
   const char *kernel = report->settings->program->kernel;
   struct compiler_result compiled = {0};
   int code = kernel_file_compile(path, report->settings->program, report->settings->compiler, &compiled);

   report->refused += code != EXIT_OK;
   code = EXIT_OK;
   for (size_t i = 0; i < compiled.count && code == EXIT_OK; i++) {
      if (kernel == NULL || strcmp(kernel, agx_program_name(compiled.programs[i])) == 0) {
         code = explain_one(report, path, compiled.programs[i]);
      }
   }
   compiler_result_finish(&compiled);
   return code;
}

static void print_assumptions(const struct explain_static_settings *settings, FILE *file)
{
   fprintf(file,
           "static: no kernel is run (%s)\nfull occupancy, each access to device memory a hit in the L1, both sides of "
           "each branch taken, loops",
           RESULT_VIRTUAL_NOTE);
   for (unsigned i = 0; i < settings->trip_count; i++) {
      fprintf(file, "%s %" PRIu32, i > 0 ? "," : "", settings->trips[i]);
   }
   fputs(" times (outer first)\n", file);
}

static int write_json(const struct report *report)
{
   struct json_object *object = json_object_new_object();

   json_object_object_add(object, "modelled", json_object_new_boolean(true));
   json_object_object_add(object, "kernels", json_object_get(report->list));
   json_object_object_add(object, "not_compiled", json_object_new_int64((int64_t)report->refused));
   const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
   const int code = text == NULL || fprintf(report->file, "%s\n", text) < 0
                        ? complain(EXIT_FAILED, "cannot write the JSON")
                        : EXIT_OK;
   json_object_put(object);
   return code;
}

int explain_static(const struct explain_static_settings *settings, enum output_format format, const char *path)
{
   struct report report = {.settings = settings, .format = format};
   struct output output;

   if (format == FORMAT_HTML) {
      return complain(EXIT_INVALID, "--static has the formats text and json");
   }
   int code = output_open(&output, path);
   report.file = output.file;
   report.list = json_object_new_array();
   if (code == EXIT_OK && format == FORMAT_TEXT) {
      print_assumptions(settings, output.file);
   }
   code = code == EXIT_OK ? kernel_files_each(settings->paths, NULL, explain_file, &report) : code;
   if (code == EXIT_OK && report.kernels == 0) {
      code = complain(EXIT_INVALID, "no kernel was found: expected .cl, .spv or .agx files that compile");
   }
   if (code == EXIT_OK && format == FORMAT_JSON) {
      code = write_json(&report);
   }
   if (code == EXIT_OK && format == FORMAT_TEXT && report.refused > 0) {
      fprintf(output.file, "\n%zu files did not compile\n", report.refused);
   }
   if (code == EXIT_OK) {
      code = output_commit(&output);
   }
   output_discard(&output);
   json_object_put(report.list);
   return code;
}
