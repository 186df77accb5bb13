/* SPDX-License-Identifier: MIT
 *
 * The last step of every compilation: runs Mesa's AGX backend, and fills a struct agx_program with its output.
 * Invariant: a shader that the backend cannot compile is refused with a reason before the backend sees it.
 */
#include "compiler/backend.h"

#include "util/u_tristate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/compat/compat.h"
#include "compiler/layout.h"
#include "compiler/lines/lines.h"
#include "compiler/api/result.h"
#include "compiler/api/stage.h"
#include "compiler/passes/phi_constants.h"
#include "compiler/unsupported.h"

/* Mesa gives scratch in 32-bit words, and encodes it as a signed 16-bit number without a check. */
#define SCRATCH_WORDS_MAX INT16_MAX
#define SCRATCH_WORDS_ADDED 16 /* most words that Mesa adds to the kernel's own scratch */
/* Mesa numbers spilled values in 16-bit units below AGX_NUM_MODELED_REGS (agx_compiler.h). */
#define SPILL_BYTES_MAX (2048u * 2)

/* Copies `size` bytes; NULL when there is no memory. */
static void *copy(const void *data, size_t size)
{
   void *bytes = malloc(size);
   if (bytes != NULL) {
      memcpy(bytes, data, size);
   }
   return bytes;
}

static bool is_device_atomic(UNUSED nir_builder *b, nir_intrinsic_instr *intr, void *found)
{
   if (intr->intrinsic == nir_intrinsic_global_atomic || intr->intrinsic == nir_intrinsic_global_atomic_swap) {
      *(bool *)found = true;
   }
   return false;
}

static bool uses_device_atomics(nir_shader *nir)
{
   bool found = false;

   nir_shader_intrinsics_pass(nir, is_device_atomic, nir_metadata_all, &found);
   return found;
}

/* A binary ends with traps (08 00); what follows up to the next part is zeros. */
static uint32_t trim_padding(const uint8_t *code, uint32_t start, uint32_t end)
{
   while (end >= start + 2 && code[end - 1] == 0 && code[end - 2] == 0) {
      end -= 2;
   }
   return end;
}

/* Returns the end of the preamble's code: Mesa gives only the starts of its parts. */
static uint32_t preamble_end(const struct agx_shader_info *info, const uint8_t *code)
{
   const uint32_t starts[] = {info->main_offset, info->rodata.size_16 != 0 ? info->rodata.offset : info->binary_size};
   uint32_t end = info->binary_size;

   for (unsigned i = 0; i < ARRAY_SIZE(starts); i++) {
      if (starts[i] > info->preamble_offset && starts[i] < end) {
         end = starts[i];
      }
   }
   return trim_padding(code, info->preamble_offset, end);
}

static void fill_code(struct agx_program *program, const struct agx_shader_info *info)
{
   program->code_size = info->binary_size;
   program->main_offset = info->main_offset;
   program->main_size = info->main_size;
   program->half_registers = info->nr_gprs;
   program->uniform_halves = info->push_count;
   program->scratch_bytes = info->scratch_size * 4;
   program->preamble_scratch_bytes = info->preamble_scratch_size * 4;
   program->has_preamble = info->has_preamble;
   if (info->has_preamble) {
      program->preamble_offset = info->preamble_offset;
      program->preamble_size = preamble_end(info, program->code) - info->preamble_offset;
      program->preamble_half_registers = info->nr_preamble_gprs;
   }
}

/* The program's constants are the kernel's own, followed by those that Mesa promotes to uniforms. Mesa maps the latter
 * from any half, but a range must start at an even one, so it may be preceded by a half of zeros. Nothing else uses
 * that half: everything loaded before ends at an even half, and the preamble writes later. */
static bool fill_constants(struct agx_program *program, const struct agx_shader_info *info, const nir_shader *nir,
                           struct compiler_layout *layout)
{
   size_t own = ALIGN_POT((size_t)nir->constant_data_size, (size_t)4);
   size_t pad = info->rodata.size_16 != 0 ? info->rodata.base_uniform % 2 : 0;
   size_t size = own + (pad + info->rodata.size_16) * 2;

   if (size == 0) {
      return true;
   }
   program->constants = calloc(1, size);
   if (program->constants == NULL) {
      return false;
   }
   program->constants_size = size;
   if (nir->constant_data_size != 0) {
      memcpy(program->constants, nir->constant_data, nir->constant_data_size);
   }
   if (info->rodata.size_16 != 0) {
      memcpy(program->constants + own + pad * 2, program->code + info->rodata.offset, info->rodata.size_16 * 2u);
      layout->ranges[layout->count++] = (struct agx_uniform_range){
          .start = (uint16_t)(info->rodata.base_uniform - pad),
          .size = (uint16_t)(info->rodata.size_16 + pad),
          .source = AGX_UNIFORM_CONSTANTS,
          .offset = (uint32_t)own,
      };
   }
   return true;
}

static bool fill_interface(struct agx_program *program, const struct compiler_kernel *kernel, const nir_shader *nir,
                           const struct compiler_layout *layout)
{
   snprintf(program->name, sizeof(program->name), "%s", kernel->name);
   program->threadgroup_bytes = nir->info.shared_size;
   for (unsigned i = 0; i < 3; i++) {
      program->workgroup_size[i] = nir->info.workgroup_size_variable ? 0 : nir->info.workgroup_size[i];
   }
   if (layout->count != 0) {
      program->uniforms = copy(layout->ranges, layout->count * sizeof(layout->ranges[0]));
      program->uniform_count = layout->count;
   }
   if (kernel->argument_count != 0) {
      program->arguments = copy(kernel->arguments, kernel->argument_count * sizeof(kernel->arguments[0]));
      program->argument_count = kernel->argument_count;
   }
   return (layout->count == 0 || program->uniforms != NULL) &&
          (kernel->argument_count == 0 || program->arguments != NULL);
}

static struct agx_program *make_program(const struct agx_shader_part *part, const nir_shader *nir,
                                        const struct compiler_kernel *kernel, struct compiler_layout *layout)
{
   struct agx_program *program = agx_program_create();

   if (program == NULL) {
      return NULL;
   }
   program->code = copy(part->binary, part->info.binary_size);
   if (program->code == NULL) {
      agx_program_destroy(program);
      return NULL;
   }
   fill_code(program, &part->info);
   if (!fill_constants(program, &part->info, nir, layout) || !fill_interface(program, kernel, nir, layout)) {
      agx_program_destroy(program);
      return NULL;
   }
   return program;
}

static uint32_t argument_block_size(const struct compiler_kernel *kernel)
{
   uint32_t size = 0;

   for (size_t i = 0; i < kernel->argument_count; i++) {
      size = MAX2(size, kernel->arguments[i].offset + kernel->arguments[i].size);
   }
   return ALIGN_POT(size, 4u);
}

/* Checks limits that Mesa does not check but cannot encode. Returns 0 or -EINVAL. */
static int check_limits(const nir_shader *nir, unsigned scratch_words, struct compiler_result *result)
{
   const uint16_t *group = nir->info.workgroup_size;
   const uint32_t threads = (uint32_t)group[0] * group[1] * group[2];

   if (nir->info.shared_size > AGX_THREADGROUP_BYTES) {
      return compiler_refuse(result, REFUSAL_GPU, COMPILER_THREADGROUP_LIMIT "the kernel asks for %u bytes",
                             nir->info.shared_size);
   }
   if (scratch_words >= SCRATCH_WORDS_MAX) {
      return compiler_refuse(result, REFUSAL_MESA, COMPILER_PRIVATE_LIMIT "the kernel asks for %u bytes",
                             nir->scratch_size != 0 ? nir->scratch_size : scratch_words * 4);
   }
   if (!nir->info.workgroup_size_variable && threads > AGX_THREADGROUP_THREADS) {
      return compiler_refuse(result, REFUSAL_GPU,
                             "runs at most %u threads a threadgroup, and the kernel's reqd_work_group_size is %ux%ux%u",
                             AGX_THREADGROUP_THREADS, group[0], group[1], group[2]);
   }
   return 0;
}

static bool is_scratch_access(UNUSED nir_builder *b, nir_intrinsic_instr *intr, void *found)
{
   if (intr->intrinsic == nir_intrinsic_load_scratch || intr->intrinsic == nir_intrinsic_store_scratch) {
      *(bool *)found = true;
   }
   return false;
}

/* Whether Mesa's register allocator has used all memory for spilled values. It does not notice the overflow: a release
 * build then returns a register's number instead, and two values share one place (docs/mesa-bugs.md 7). `words` is the
 * scratch memory of a part, which has `own` bytes besides spilled values; Mesa adds 10 words and rounds up to 4. */
static bool has_full_spill_memory(uint32_t words, uint32_t own)
{
   const uint32_t bytes = ALIGN_POT(own, 16u) + SPILL_BYTES_MAX;

   return words >= ALIGN_POT(DIV_ROUND_UP(bytes, 4u) + 10, 4u);
}

static bool spills_too_much(nir_shader *nir, const struct agx_shader_info *info)
{
   bool found = false;

   nir_shader_intrinsics_pass(nir, is_scratch_access, nir_metadata_all, &found);
   return has_full_spill_memory(info->scratch_size, found ? nir->scratch_size : 0) ||
          has_full_spill_memory(info->preamble_scratch_size, 0);
}

int compiler_refuse_spills(struct compiler_result *result)
{
   return compiler_refuse(result, REFUSAL_MESA,
                          "has 4 KiB a thread for spilled registers, and the kernel needs more (docs/mesa-bugs.md, 7)");
}

static int finish(const struct agx_shader_part *part, nir_shader *nir, const struct compiler_kernel *kernel,
                  struct compiler_layout *layout, bool atomics, bool repairs, struct compiler_result *result)
{
   if (check_limits(nir, MAX2(part->info.scratch_size, part->info.preamble_scratch_size), result) < 0) {
      return -EINVAL;
   }
   if (repairs && spills_too_much(nir, &part->info)) {
      return compiler_is_second_try() ? compiler_refuse_spills(result) : -ENOSPC;
   }

   struct agx_program *program = make_program(part, nir, kernel, layout);
   if (program == NULL) {
      return -ENOMEM;
   }
   program->argument_bytes = argument_block_size(kernel);
   program->array_bytes = program->scratch_bytes > 0 ? ALIGN_POT(nir->scratch_size, 16u) : 0;
   program->uses_atomics = atomics;
   if (compiler_lines_fill(program) < 0) {
      agx_program_destroy(program);
      return -ENOMEM;
   }

   const char *wrong = agx_program_check(program);
   if (wrong != NULL) {
      agx_program_destroy(program);
      return compiler_refuse(result, REFUSAL_CRASH, "Mesa's AGX compiler made a program that makes no sense: %s",
                             wrong);
   }
   return compiler_result_add(result, program);
}

int compiler_backend(nir_shader *nir, const struct compiler_kernel *kernel, const struct compiler_options *options,
                     struct compiler_result *result)
{
   struct compiler_layout layout;

   compiler_stage(COMPILER_STAGE_BACKEND);
   compiler_stage_kernel(kernel->name);
   compiler_layout_lower(nir, argument_block_size(kernel), &layout);
   int ret = compiler_unsupported(nir, result);
   if (ret == 0 && strlen(kernel->name) >= AGX_NAME_SIZE) {
      ret = compiler_refuse(result, REFUSAL_RUNNER, "takes names of kernels below %u characters", AGX_NAME_SIZE);
   }
   if (ret == 0) {
      if (compiler_is_second_try()) {
         NIR_PASS(_, nir, compiler_phi_constants);
         compiler_log(
             result,
             "kernel %s: warning: too many spilled values for Mesa's register allocator (docs/mesa-bugs.md, 7): "
             "compiled again, with the constants of phis in registers\n",
             kernel->name);
      }
      compat_agx_preprocess(nir);
      ret = check_limits(nir, nir->scratch_size / 4 + SCRATCH_WORDS_ADDED, result);
   }
   if (ret < 0) {
      ralloc_free(nir);
      return ret;
   }

   bool atomics = uses_device_atomics(nir);
   struct agx_shader_key key = {
       .dev.needs_g13x_coherency = u_tristate_make(options->atomic_coherency),
       .dev.soft_fault = options->soft_faults,
       .reserved_preamble = layout.end,
       .has_scratch = true,
       .promote_constants = true,
   };
   struct agx_shader_part part;
   compat_agx_compile(nir, &key, &part);

   ret = finish(&part, nir, kernel, &layout, atomics, compiler_repairs(options), result);
   free(part.binary);
   ralloc_free(nir);
   return ret;
}
