/* SPDX-License-Identifier: MIT
 *
 * Translates the nodes of a NIR program into those of an OpenCL C kernel. Invariant: the evaluator of OpenCL C gives a
 * returned kernel the answer that the program must have.
 */
#include "fuzz/translate/translate.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/opencl/ops.h"
#include "fuzz/translate/emit.h"
#include "fuzz/nir/registers.h"

static void translate_alu(struct translation *t, uint32_t index)
{
   const char *name = fuzz_op_name(t->node);
   const bool gathers = strncmp(name, "vec", 3) == 0;
   const char *row = gathers ? NULL : fuzz_op_in_opencl(name, translate_source_bits(t, 0));

   if (row == NULL && !gathers) {
      (void)translate_fail(t, "op ", name);
   }
   for (unsigned i = 0; i < t->node->components && i < TRANSLATE_COMPONENTS && !t->failed; i++) {
      t->component = i;
      t->value[index][i] = gathers ? translate_source(t, i, 'u') : translate_row(t, row);
   }
}

static void translate_statement(struct translation *t, enum ocl_kind kind, unsigned count, uint16_t source,
                                uint64_t data)
{
   (void)translate_emit(t, (struct ocl_node){.kind = (uint8_t)kind,
                                             .type = ocl_scalar(OCL_INT),
                                             .count = (uint8_t)count,
                                             .source = {source},
                                             .data = {data}});
}

static void emit_output(struct translation *t, uint16_t value)
{
   struct ocl_program *kernel = t->kernel;
   const uint8_t base = translate_base_at(t, value);

   if (translate_use_slot(t, &kernel->outputs, OCL_OUTPUTS)) {
      kernel->output_type[kernel->outputs - 1] = ocl_scalar(base);
      (void)translate_emit(t, (struct ocl_node){.kind = OCL_OUTPUT,
                                                .type = ocl_scalar(base),
                                                .count = 1,
                                                .slot = (uint8_t)(kernel->outputs - 1),
                                                .source = {value}});
   }
}

static void translate_output(struct translation *t)
{
   if (t->outputs[t->node->slot]) {
      emit_output(t, translate_retype(t, translate_source(t, 0, 'u'), translate_base('u', t->node->bits)));
   }
}

static uint16_t variable(struct translation *t)
{
   uint16_t *object = &t->variable[t->node->slot % FUZZ_VARIABLES];

   if (*object == TRANSLATE_NOWHERE) {
      const uint32_t bits = t->program->variable_bits[t->node->slot % FUZZ_VARIABLES];
      *object = translate_new_object(t, translate_base('u', bits), 1, OCL_PRIVATE, 0);
   }
   return *object;
}

/* Source 0 modulo 8 iterations. The kernel's loop has two bits of that and a number: 4, if the third bit is set in all
 * lanes. For a computed count that bit is unknown and assumed to be 0. */
static void translate_loop(struct translation *t)
{
   const struct fuzz_node *count = &t->program->nodes[t->node->sources[0].node];
   uint64_t all = 0, common = UINT64_MAX;

   if (t->node->value != 0) {
      (void)translate_fail(t, "a loop that counts in another way", "");
   }
   for (uint32_t lane = 0; lane < t->kernel->lanes; lane++) {
      const uint64_t value = count->kind == FUZZ_CONST   ? count->value
                             : count->kind == FUZZ_INPUT ? t->program->input[count->slot][t->first + lane]
                                                         : 0;
      all |= value;
      common &= value;
   }
   t->guessed |= count->kind != FUZZ_CONST && count->kind != FUZZ_INPUT;
   if (((all ^ common) & 4) != 0) {
      (void)translate_fail(t, "a loop with counts that are far apart", "");
   }
   translate_statement(t, OCL_LOOP, 1, translate_source(t, 0, 'u'), all & 4);
}

/* Returns component `part` of a load or store: an element of this lane's threadgroup memory, which is an array of
 * numbers of one size. */
static uint16_t element(struct translation *t, unsigned part)
{
   const unsigned bytes = t->node->bits / 8u, room = FUZZ_MEMORY / (t->node->components > 2 ? 4u : 2u);
   const uint8_t base = translate_base('u', t->node->bits);

   if (t->node->op != FUZZ_THREADGROUP) {
      return translate_fail(t, "device memory that is read and written", "");
   }
   if (t->node->slot != 0) {
      return translate_fail(t, "an address that is less aligned", "");
   }
   if (t->memory == TRANSLATE_NOWHERE) {
      t->memory = translate_new_object(t, base, 8, OCL_LOCAL, 0);
   }
   if (t->kernel->object[t->memory % OCL_OBJECTS].type.base != base) {
      return translate_fail(t, "memory with numbers of two sizes", "");
   }
   const uint16_t index = translate_source(t, 0, 'u');
   const uint8_t width = translate_base_at(t, index);
   const uint16_t masked[] = {index, translate_emit_number(t, width, room / bytes - 1u)};
   const uint64_t constant = t->node->value % room / bytes + part;
   const uint16_t sum[] = {translate_emit_op(t, translate_find_op("and"), ocl_scalar(width), 2, masked),
                           translate_emit_number(t, width, constant)};
   return constant == 0 ? sum[0] : translate_emit_op(t, translate_find_op("add"), ocl_scalar(width), 2, sum);
}

static void translate_load(struct translation *t, uint32_t index)
{
   for (unsigned i = 0; i < t->node->components && i < TRANSLATE_COMPONENTS && !t->failed; i++) {
      const uint16_t at = element(t, i);
      t->value[index][i] = t->failed ? 0 : translate_emit_read(t, t->memory, at);
   }
}

/* Returns the number of an input or a constant in the kernel's first lane; else 0. */
static uint64_t known_number(const struct translation *t, struct fuzz_source source)
{
   const struct fuzz_node *node = &t->program->nodes[source.node];

   return node->kind == FUZZ_CONST   ? node->value
          : node->kind == FUZZ_INPUT ? t->program->input[node->slot][t->first]
                                     : 0;
}

static void translate_store(struct translation *t)
{
   struct fuzz_source source = t->node->sources[1];
   const unsigned bytes = t->node->bits / 8u, room = FUZZ_MEMORY / (t->node->components > 2 ? 4u : 2u) / bytes;

   t->stored = true;
   t->element = known_number(t, t->node->sources[0]) % room + t->node->value / bytes % room;
   for (unsigned i = 0; i < t->node->components && i < TRANSLATE_COMPONENTS && !t->failed; i++) {
      const uint16_t at = element(t, i);
      source.component = t->node->components > 1 ? (uint16_t)i : source.component;
      const uint16_t value = translate_value(t, source, 'u');
      if (!t->failed) {
         translate_emit_write(t, t->memory, at, value);
      }
   }
}

static void translate_node(struct translation *t, uint32_t index)
{
   const struct fuzz_node *node = t->node;
   uint16_t at;

   switch ((enum fuzz_kind)node->kind) {
   case FUZZ_NONE:
   case FUZZ_CONST:
   case FUZZ_INPUT:
   case FUZZ_UNIFORM:
      break;
   case FUZZ_ALU:
      translate_alu(t, index);
      break;
   case FUZZ_OUTPUT:
      translate_output(t);
      break;
   case FUZZ_SET:
      at = variable(t);
      translate_emit_write(t, at, translate_emit_number(t, OCL_UINT, 0), translate_source(t, 0, 'u'));
      break;
   case FUZZ_GET:
      t->value[index][0] = translate_emit_read(t, variable(t), translate_emit_number(t, OCL_UINT, 0));
      break;
   case FUZZ_IF:
      translate_statement(t, OCL_IF, 1, translate_source(t, 0, 'u'), 0);
      break;
   case FUZZ_ELSE:
      translate_statement(t, OCL_ELSE, 0, 0, 0);
      break;
   case FUZZ_ENDIF:
      translate_statement(t, OCL_ENDIF, 0, 0, 0);
      break;
   case FUZZ_LOOP:
      translate_loop(t);
      break;
   case FUZZ_ENDLOOP:
      translate_statement(t, OCL_ENDLOOP, 0, 0, 0);
      break;
   case FUZZ_BREAK:
      translate_statement(t, OCL_BREAK, 1, translate_source(t, 0, 'u'), 0);
      break;
   case FUZZ_LOAD:
      translate_load(t, index);
      break;
   case FUZZ_STORE:
      translate_store(t);
      break;
   default:
      (void)translate_fail(t, "op ", fuzz_op_name(node));
   }
}

/* Selects the determined outputs. A close answer is exact in OpenCL C if its evaluator gives the same one: OpenCL C
 * does not allow a compiler to be inexact. */
static bool choose_outputs(struct translation *t, const struct fuzz_outputs *expected)
{
   bool any = false;

   for (uint32_t i = 0; i < FUZZ_OUTPUTS; i++) {
      t->outputs[i] = true;
      for (uint32_t lane = 0; expected != NULL && lane < t->kernel->lanes; lane++) {
         const uint8_t certainty = expected->certainty[i][t->first + lane];
         t->outputs[i] &= expected->bits[i] != 0 && (certainty == FUZZ_EXACT || certainty == FUZZ_CLOSE);
      }
      any |= t->outputs[i];
   }
   return any;
}

/* Whether the kernel has another operation in place of one that would be undefined or undetermined. */
static bool replaced(const struct ocl_program *kernel, const char **what)
{
   bool needed[OCL_NODES];

   ocl_needed(kernel, needed);
   for (uint32_t i = 0; i < kernel->count; i++) {
      if (needed[i] && kernel->nodes[i].guard > OCL_WRAP) {
         *what = ocl_ops[kernel->nodes[i].op].name;
         return true;
      }
   }
   return false;
}

/* Whether the answer of the kernel is the program's. */
static bool answers_alike(const struct translation *t, const struct fuzz_outputs *expected,
                          const struct ocl_outputs *outputs)
{
   uint32_t slot = 0;

   for (uint32_t i = 0; i < t->program->count; i++) {
      const struct fuzz_node *node = &t->program->nodes[i];
      if (node->kind != FUZZ_OUTPUT || !t->outputs[node->slot]) {
         continue;
      }
      const uint64_t mask = UINT64_MAX >> (64 - node->bits);
      for (uint32_t lane = 0; lane < t->kernel->lanes; lane++) {
         if (outputs->value[slot][lane][0] != (expected->value[node->slot][t->first + lane] & mask)) {
            return false;
         }
      }
      slot++;
   }
   return true;
}

/* Stores to memory that nothing reads are dead in OpenCL C, but not in NIR. So the last output is what was stored. */
static void translate_memory(struct translation *t)
{
   if (t->stored && !t->failed) {
      const uint16_t index = translate_emit_number(t, OCL_UINT, t->element);
      emit_output(t, translate_emit_read(t, t->memory, index));
   }
}

/* Whether there are operations that contraction could combine. */
static bool has_sums(const struct ocl_program *kernel)
{
   for (uint32_t i = 0; i < kernel->count; i++) {
      if (kernel->nodes[i].kind == OCL_OP && ocl_ops[kernel->nodes[i].op].exact) {
         return true;
      }
   }
   return false;
}

static void finish(struct translation *t, const struct fuzz_outputs *expected)
{
   struct ocl_outputs *outputs = calloc(1, sizeof(*outputs));
   const char *what = "";

   t->kernel->rounded = t->way->rounded && has_sums(t->kernel);
   if (outputs == NULL || !ocl_evaluate(t->kernel, outputs)) {
      (void)translate_fail(t, "the kernel has no answer", "");
   } else if (replaced(t->kernel, &what)) {
      (void)translate_fail(t, "OpenCL C does not determine ", what);
   } else if (expected != NULL && !answers_alike(t, expected, outputs)) {
      (void)translate_fail(t, t->guessed ? "a loop with a computed count" : "the kernel's answer is another one", "");
   }
   free(outputs);
}

bool translate_way(unsigned number, struct translate_way *way)
{
   /* All lanes are seldom needed: only for constants that are numbers or in memory. */
   const unsigned alone = TRANSLATE_CONSTANTS * 4;

   way->simdgroup = number >= alone;
   way->rounded = number % 2 != 0;
   way->vectors = !way->simdgroup && number / 2 % 2 != 0;
   way->constants = (enum translate_constants)(way->simdgroup ? (number - alone) / 2 : number / 4);
   return number < alone + 4;
}

bool translate_program(const struct fuzz_program *program, uint32_t lane, const struct fuzz_outputs *expected,
                       const struct translate_way *way, struct ocl_program *kernel, char why[TRANSLATE_WHY])
{
   struct translation *t = calloc(1, sizeof(*t));

   why[0] = '\0';
   if (t == NULL) {
      snprintf(why, TRANSLATE_WHY, "out of memory");
      return false;
   }
   t->program = program;
   t->way = way;
   t->kernel = kernel;
   t->why = why;
   t->why_size = TRANSLATE_WHY;
   t->memory = t->chooser = TRANSLATE_NOWHERE;
   memset(t->value, 0xff, sizeof(t->value));
   memset(t->leaf, 0xff, sizeof(t->leaf));
   memset(t->variable, 0xff, sizeof(t->variable));
   memset(kernel, 0, sizeof(*kernel));
   kernel->lanes = way->simdgroup ? OCL_LANES : 1;
   t->first = way->simdgroup ? lane / FUZZ_SIMD * FUZZ_SIMD : lane;
   if (program->registers != FUZZ_REGISTERS_ALL) {
      (void)translate_fail(t, "a limit of registers", "");
   }
   const bool determined = choose_outputs(t, expected);
   bool needed[FUZZ_NODES];
   fuzz_needed(program, needed);
   for (uint32_t i = 0; i < program->count && !t->failed; i++) {
      t->node = &program->nodes[i];
      if (needed[i]) {
         translate_node(t, i);
      }
   }
   translate_memory(t);
   if (!determined) {
      (void)translate_fail(t, "an answer that is not exact", "");
   } else if (!t->failed) {
      finish(t, expected);
   }
   const bool translated = !t->failed;
   free(t);
   return translated;
}
