/* SPDX-License-Identifier: MIT
 *
 * The NIR of a chain benchmark. It needs nothing of the host side (chain_io.c), nor that of this: both need chain.h.
 */
#include "compiler/nir.h"

#include "nir_kernels/chain.h"

enum { ARGUMENT_INPUT, ARGUMENT_OUTPUT, ARGUMENT_ITERATIONS };

const struct agx_argument bench_chain_arguments[3] = {
    [ARGUMENT_INPUT] = {.kind = AGX_ARGUMENT_BUFFER, .offset = 0, .size = 8, .read_only = true, .name = "input"},
    [ARGUMENT_OUTPUT] = {.kind = AGX_ARGUMENT_BUFFER, .offset = 8, .size = 8, .name = "output"},
    [ARGUMENT_ITERATIONS] = {.kind = AGX_ARGUMENT_VALUE, .offset = 16, .size = 4, .name = "iterations"},
};

static nir_def *element(nir_builder *b, unsigned argument, nir_def *thread, unsigned stride)
{
   return nir_iadd(b, compiler_nir_argument(b, argument), nir_u2u64(b, nir_imul_imm(b, thread, stride)));
}

static bool is_16_bit(enum bench_type type)
{
   return type == BENCH_F16 || type == BENCH_U16;
}

/* 16-bit values lie in the low halves of their words. */
static nir_def *from_word(nir_builder *b, enum bench_type type, nir_def *word)
{
   return is_16_bit(type) ? nir_u2u16(b, word) : word;
}

static nir_def *to_word(nir_builder *b, enum bench_type type, nir_def *value)
{
   return is_16_bit(type) ? nir_u2u32(b, value) : value;
}

static void build_body(nir_builder *b, const struct bench_chain *chain, const struct bench_variant *variant,
                       nir_variable *const *values, nir_def *const *k)
{
   nir_def *value[BENCH_CHAINS_MAX];

   for (unsigned c = 0; c < variant->chains; c++) {
      value[c] = nir_load_var(b, values[c]);
   }
   for (unsigned i = 0; i < variant->steps; i++) {
      for (unsigned c = 0; c < variant->chains; c++) {
         const struct bench_nir_step step = {
             .value = value[c], .operands = k, .index = i, .operation = bench_chain_has(variant, i)};
         value[c] = chain->build(b, &step);
      }
   }
   for (unsigned c = 0; c < variant->chains; c++) {
      nir_store_var(b, values[c], value[c], 1);
   }
}

void bench_chain_build(nir_builder *b, const void *data)
{
   const struct bench_chain_job *job = data;
   const struct bench_variant *variant = &job->variant;
   const struct bench_chain *chain = job->benchmark->chain;
   const struct glsl_type *type = is_16_bit(chain->type) ? glsl_uint16_t_type() : glsl_uint_type();
   nir_variable *values[BENCH_CHAINS_MAX];
   nir_def *k[BENCH_OPERANDS];

   /* Nothing may be reassociated, nor a multiplication and an addition fused. */
   b->exact = !chain->inexact;
   nir_def *thread = nir_channel(b, nir_load_global_invocation_id(b, 32), 0);
   nir_def *input = element(b, ARGUMENT_INPUT, thread, BENCH_CHAIN_INPUT_STRIDE);
   nir_def *first = compat_load_global(b, input, 16, BENCH_CHAINS_MAX, 32);
   nir_def *operands = compat_load_global(b, nir_iadd_imm(b, input, 4 * BENCH_CHAINS_MAX), 16, BENCH_OPERANDS, 32);

   for (unsigned i = 0; i < BENCH_OPERANDS; i++) {
      k[i] = from_word(b, chain->type, nir_channel(b, operands, i));
   }
   for (unsigned c = 0; c < variant->chains; c++) {
      values[c] = nir_local_variable_create(b->impl, type, "value");
      nir_store_var(b, values[c], from_word(b, chain->type, nir_channel(b, first, c)), 1);
   }
   nir_variable *counter = nir_local_variable_create(b->impl, glsl_uint_type(), "counter");
   nir_store_var(b, counter, nir_imm_int(b, 0), 1);

   nir_loop *loop = nir_push_loop(b);
   {
      build_body(b, chain, variant, values, k);
      nir_def *count = nir_iadd_imm(b, nir_load_var(b, counter), 1);
      nir_store_var(b, counter, count, 1);
      nir_break_if(b, nir_uge(b, count, compiler_nir_argument(b, ARGUMENT_ITERATIONS)));
   }
   nir_pop_loop(b, loop);

   nir_def *output = element(b, ARGUMENT_OUTPUT, thread, BENCH_CHAIN_OUTPUT_STRIDE);
   nir_def *count = nir_load_var(b, counter);
   for (unsigned c = 0; c < variant->chains; c++) {
      nir_def *word = nir_ixor(b, to_word(b, chain->type, nir_load_var(b, values[c])), count);
      compat_store_global(b, nir_iadd_imm(b, output, 4 * c), 4, word, 1);
   }
}
