/* SPDX-License-Identifier: MIT
 *
 * Finds the launch values that a kernel reads, assigns uniforms to each, and replaces the reads by loads of these.
 * Invariant: the uniforms of two values do not overlap.
 */
#include "compiler/layout.h"

#include <stddef.h>

#include "compiler/compat/compat.h"

#define NOWHERE UINT_MAX

/* The members of struct agx_dispatch_block by Mesa's names for them. */
static const struct {
   nir_intrinsic_op op;
   unsigned offset;
} dispatch_values[] = {
    {nir_intrinsic_load_num_workgroups, offsetof(struct agx_dispatch_block, workgroups)},
    {nir_intrinsic_load_work_dim, offsetof(struct agx_dispatch_block, work_dim)},
    {nir_intrinsic_load_base_global_invocation_id, offsetof(struct agx_dispatch_block, global_offset)},
    {nir_intrinsic_load_global_size, offsetof(struct agx_dispatch_block, global_size)},
};

/* The values that a kernel reads, and their first half uniform, or NOWHERE. */
struct questions {
   uint32_t argument_bytes;
   bool arguments, computed_offset, dispatch, constants;
   unsigned direct, address, block, constants_address;
};

static unsigned dispatch_offset(nir_intrinsic_op op)
{
   for (unsigned i = 0; i < ARRAY_SIZE(dispatch_values); i++) {
      if (dispatch_values[i].op == op) {
         return dispatch_values[i].offset;
      }
   }
   return NOWHERE;
}

/* Whether the offset of a load is constant and within the argument block. */
static bool offset_known(nir_intrinsic_instr *intr, uint32_t argument_bytes)
{
   if (!nir_src_is_const(intr->src[0])) {
      return false;
   }
   uint64_t offset = nir_src_as_uint(intr->src[0]) + (uint64_t)nir_intrinsic_base(intr);
   uint64_t size = (uint64_t)intr->def.num_components * intr->def.bit_size / 8;
   return offset <= argument_bytes && size <= argument_bytes - offset;
}

static bool gather(UNUSED nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   struct questions *questions = data;

   if (intr->intrinsic == nir_intrinsic_load_kernel_input) {
      questions->arguments = true;
      questions->computed_offset |= !offset_known(intr, questions->argument_bytes);
   } else if (intr->intrinsic == nir_intrinsic_load_constant_base_ptr) {
      questions->constants = true;
   } else if (dispatch_offset(intr->intrinsic) != NOWHERE) {
      questions->dispatch = true;
   }
   return false;
}

static unsigned take(struct compiler_layout *layout, uint32_t source, unsigned halves)
{
   unsigned start = layout->end;

   layout->ranges[layout->count++] =
       (struct agx_uniform_range){.start = (uint16_t)start, .size = (uint16_t)halves, .source = source};
   layout->end += halves;
   return start;
}

/* Loads `bits` bits at byte `offset` of the uniforms from half `start`. Members of packed structs may be at any
 * byte. */
static nir_def *load_uniform(nir_builder *b, unsigned start, unsigned offset, unsigned bits)
{
   if (bits == 8) {
      nir_def *half = nir_load_preamble(b, 1, 16, .base = (int)(start + offset / 2));
      return nir_u2u8(b, offset % 2 != 0 ? nir_ushr_imm(b, half, 8) : half);
   }
   if (offset % (bits / 8) == 0) {
      return nir_load_preamble(b, 1, bits, .base = (int)(start + offset / 2));
   }
   nir_def *low = load_uniform(b, start, offset, bits / 2);
   nir_def *high = load_uniform(b, start, offset + bits / 16, bits / 2);
   return nir_pack_bits(b, nir_vec2(b, low, high), bits);
}

static nir_def *load_direct(nir_builder *b, unsigned start, unsigned offset, const nir_def *def)
{
   nir_def *components[NIR_MAX_VEC_COMPONENTS];

   for (unsigned i = 0; i < def->num_components; i++) {
      components[i] = load_uniform(b, start, offset + i * def->bit_size / 8, def->bit_size);
   }
   return nir_vec(b, components, def->num_components);
}

static nir_def *answer(nir_builder *b, nir_intrinsic_instr *intr, const struct questions *questions)
{
   unsigned dispatch = dispatch_offset(intr->intrinsic);

   if (dispatch != NOWHERE) {
      nir_def *value =
          nir_load_preamble(b, intr->def.num_components, 32, .base = (int)(questions->block + dispatch / 2));
      return nir_u2uN(b, value, intr->def.bit_size);
   }
   if (intr->intrinsic == nir_intrinsic_load_constant_base_ptr) {
      return nir_load_preamble(b, 1, 64, .base = (int)questions->constants_address);
   }
   if (intr->intrinsic != nir_intrinsic_load_kernel_input) {
      return NULL;
   }
   if (questions->direct != NOWHERE) {
      unsigned offset = (unsigned)nir_src_as_uint(intr->src[0]) + (unsigned)nir_intrinsic_base(intr);
      return load_direct(b, questions->direct, offset, &intr->def);
   }
   nir_def *offset = nir_iadd_imm(b, nir_u2u64(b, intr->src[0].ssa), (uint64_t)nir_intrinsic_base(intr));
   nir_def *address = nir_iadd(b, nir_load_preamble(b, 1, 64, .base = (int)questions->address), offset);
   return compat_load_global_constant(b, &intr->def, address,
                                      ACCESS_CAN_REORDER | ACCESS_NON_WRITEABLE | ACCESS_CAN_SPECULATE,
                                      nir_intrinsic_align_mul(intr), nir_intrinsic_align_offset(intr));
}

static bool lower(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   b->cursor = nir_before_instr(&intr->instr);
   nir_def *value = answer(b, intr, data);
   if (value == NULL) {
      return false;
   }
   nir_def_replace(&intr->def, value);
   return true;
}

void compiler_layout_lower(nir_shader *nir, uint32_t argument_bytes, struct compiler_layout *layout)
{
   struct questions questions = {.argument_bytes = argument_bytes,
                                 .direct = NOWHERE,
                                 .address = NOWHERE,
                                 .block = NOWHERE,
                                 .constants_address = NOWHERE};

   *layout = (struct compiler_layout){0};
   nir_shader_intrinsics_pass(nir, gather, nir_metadata_all, &questions);
   if (questions.arguments && !questions.computed_offset && argument_bytes <= COMPILER_DIRECT_BYTES) {
      questions.direct = take(layout, AGX_UNIFORM_ARGUMENTS, argument_bytes / 2);
   } else if (questions.arguments) {
      questions.address = take(layout, AGX_UNIFORM_ARGUMENTS_ADDRESS, 4);
   }
   /* The constants' address comes before the block, because a 64-bit value needs an index that is a multiple of 4, and
    * the size of an argument block is a multiple of 2 halves only. */
   if (questions.constants) {
      layout->end = ALIGN_POT(layout->end, 4u);
      questions.constants_address = take(layout, AGX_UNIFORM_CONSTANTS_ADDRESS, 4);
   }
   if (questions.dispatch) {
      questions.block = take(layout, AGX_UNIFORM_DISPATCH, sizeof(struct agx_dispatch_block) / 2);
   }
   nir_shader_intrinsics_pass(nir, lower, nir_metadata_control_flow, &questions);
}
