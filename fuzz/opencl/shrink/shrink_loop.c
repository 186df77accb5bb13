/* SPDX-License-Identifier: MIT
 *
 * Shrinks a kernel by expressing it in fewer statements: branches as a loop, variables of one type, arrays that are
 * read instead of written, outputs as their sum. Invariant: that of shrink.c.
 */
#include <string.h>

#include "fuzz/opencl/shrink/shrink.h"
#include "fuzz/nir/registers.h"

#define TURNS 32 /* iterations that Mesa unrolls */

/* Inserts a node before another one. Returns false if the program is full. */
static bool insert(struct ocl_program *program, uint32_t at, const struct ocl_node *node)
{
   if (program->count == OCL_NODES) {
      return false;
   }
   memmove(program->nodes + at + 1, program->nodes + at, (program->count - at) * sizeof(*node));
   program->nodes[at] = *node;
   program->count++;
   for (uint32_t i = at + 1; i < program->count; i++) {
      for (unsigned j = 0; j < program->nodes[i].count; j++) {
         program->nodes[i].source[j] = (uint16_t)(program->nodes[i].source[j] + (program->nodes[i].source[j] >= at));
      }
   }
   return true;
}

static struct ocl_node operation(const char *name, enum ocl_shape shape, enum ocl_rounding rounding,
                                 struct ocl_type type, uint32_t a, uint32_t b)
{
   struct ocl_node node = {.kind = OCL_OP, .op = (uint8_t)ocl_op_find(name, shape, rounding), .type = type};

   node.count = ocl_ops[node.op].arity;
   node.source[0] = (uint16_t)a;
   node.source[1] = (uint16_t)b;
   return node;
}

/* Keeps only the branch at `start`, in a loop: in each iteration another bit of its condition decides. */
static bool only_branch(struct shrink *shrink, uint32_t start, uint32_t end)
{
   struct ocl_program *next = ocl_shrink_begin(shrink);
   const struct ocl_type type = next->nodes[next->nodes[start].source[0]].type;
   const struct ocl_node last = {.kind = OCL_ENDLOOP, .type = type};
   const struct ocl_node first = {.kind = OCL_LOOP, .type = type, .data = {TURNS}};
   const struct ocl_node turn = {.kind = OCL_TURN, .type = type};
   const struct ocl_node shift =
       operation("shr", OCL_SHAPE_SHIFT, OCL_TO_EVEN, type, next->nodes[start].source[0], start + 1);

   for (uint32_t i = 0; i < next->count; i++) {
      if ((i < start || i > end) && ocl_has_effect(&next->nodes[i]) && next->nodes[i].kind != OCL_OUTPUT) {
         next->nodes[i].kind = OCL_NONE;
      }
   }
   if (!insert(next, end + 1, &last) || !insert(next, start, &first) || !insert(next, start + 1, &turn) ||
       !insert(next, start + 2, &shift)) {
      return false;
   }
   next->nodes[start + 3].source[0] = (uint16_t)(start + 2);
   return ocl_shrink_try(shrink);
}

bool ocl_shrink_to_loop(struct shrink *shrink)
{
   const struct ocl_program *best = shrink->best;
   uint32_t otherwise, branches[OCL_NODES], count = 0;

   for (uint32_t i = 0; i < best->count; i++) {
      const uint32_t end = ocl_nesting(&best->nodes[i]) > 0 ? ocl_end_of(best, i, &otherwise) : i;
      if (best->nodes[i].kind == OCL_IF && best->nodes[best->nodes[i].source[0]].type.width == 1) {
         branches[count++] = i;
      }
      i = end < best->count ? end : i;
   }
   for (uint32_t i = 0; count > 1 && i < count; i++) {
      if (only_branch(shrink, branches[i], ocl_end_of(best, branches[i], &otherwise))) {
         return true;
      }
   }
   return false;
}

/* Whether a variable is used. */
static bool is_read(const struct ocl_program *program, uint32_t object)
{
   bool needed[OCL_NODES];

   ocl_needed(program, needed);
   for (uint32_t i = 0; i < program->count; i++) {
      if (needed[i] && program->nodes[i].kind == OCL_READ && program->nodes[i].slot == object) {
         return true;
      }
   }
   return false;
}

/* Whether an operation has the type of all its operands, or converts it. */
static bool keeps_type(const struct ocl_program *program, const struct ocl_node *node, struct ocl_type old,
                       struct ocl_type type)
{
   const enum ocl_shape shape = ocl_ops[node->op].shape;
   bool any = ocl_same(node->type, old);

   for (unsigned i = 0; i < node->count; i++) {
      any |= ocl_same(program->nodes[node->source[i]].type, old);
   }
   return !any || shape == OCL_SHAPE_1 || shape == OCL_SHAPE_2 || shape == OCL_SHAPE_3 || shape == OCL_SHAPE_SHIFT ||
          (shape == OCL_SHAPE_CONVERT && old.width == type.width);
}

static void fit(uint64_t values[OCL_WIDTH], struct ocl_type type)
{
   for (unsigned i = 0; i < OCL_WIDTH; i++) {
      values[i] &= ocl_mask(type.base);
   }
}

bool ocl_shrink_variables(struct shrink *shrink)
{
   struct ocl_program *next = ocl_shrink_begin(shrink);
   bool any = false;

   for (uint32_t i = 0; i < next->count; i++) {
      const struct ocl_node *node = &next->nodes[i];
      uint64_t value[OCL_WIDTH];
      if (node->kind == OCL_READ && node->type.width != 1 && next->object[node->slot].length == 1) {
         any |= ocl_node_value(next, i, shrink->lane, value) && ocl_shrink_input(next, i, value);
      }
   }
   for (uint32_t i = 0; i < next->count; i++) {
      struct ocl_node *node = &next->nodes[i];
      if (node->kind == OCL_WRITE && next->object[node->slot].length == 1 && !is_read(next, node->slot)) {
         node->kind = OCL_NONE;
      }
   }
   next->registers = FUZZ_REGISTERS_FEW;
   return any && ocl_shrink_try(shrink);
}

/* Replaces one type by another everywhere. */
static bool replace_type(struct shrink *shrink, struct ocl_type old, struct ocl_type type)
{
   struct ocl_program *next = ocl_shrink_begin(shrink);
   bool needed[OCL_NODES];

   ocl_needed(next, needed);
   for (uint32_t i = 0; i < next->count; i++) {
      struct ocl_node *node = &next->nodes[i];
      node->kind = needed[i] ? node->kind : (uint8_t)OCL_NONE;
      if (node->kind == OCL_OP && !keeps_type(shrink->best, node, old, type)) {
         return false;
      }
      if (ocl_same(node->type, old)) {
         node->type = type;
         if (node->kind == OCL_CONST) {
            fit(node->data, type);
         }
      }
   }
   for (uint32_t i = 0; i < OCL_OUTPUTS; i++) {
      next->output_type[i] = ocl_same(next->output_type[i], old) ? type : next->output_type[i];
   }
   for (uint32_t i = 0; i < next->inputs; i++) {
      for (uint32_t lane = 0; ocl_same(next->input_type[i], old) && lane < OCL_LANES; lane++) {
         fit(next->input[i][lane], type);
      }
      next->input_type[i] = ocl_same(next->input_type[i], old) ? type : next->input_type[i];
   }
   for (uint32_t i = 0; i < next->objects; i++) {
      if (ocl_same(next->object[i].type, old)) {
         next->object[i].type = type;
         fit(next->object[i].start, type);
      }
   }
   return ocl_shrink_try(shrink);
}

bool ocl_shrink_types(struct shrink *shrink)
{
   bool any = false;

   for (uint32_t i = 0; i < shrink->best->objects; i++) {
      for (uint32_t j = 0; j < shrink->best->objects; j++) {
         const struct ocl_type old = shrink->best->object[i].type, type = shrink->best->object[j].type;
         if (!ocl_same(old, type) && old.width != 1 && type.width != 1 && !ocl_real(old.base) && !ocl_real(type.base) &&
             is_read(shrink->best, i) && is_read(shrink->best, j)) {
            any |= replace_type(shrink, old, type);
         }
      }
   }
   return any;
}

bool ocl_shrink_widest(struct shrink *shrink)
{
   static const struct ocl_type widest = {.base = OCL_ULONG, .width = OCL_WIDTH};
   bool any = false;

   for (uint32_t i = 0; i < shrink->best->objects; i++) {
      const struct ocl_type old = shrink->best->object[i].type;
      if (!ocl_same(old, widest) && old.width != 1 && !ocl_real(old.base) && is_read(shrink->best, i)) {
         any |= replace_type(shrink, old, widest);
      }
   }
   return any;
}

bool ocl_shrink_stores(struct shrink *shrink)
{
   bool any = false;

   for (uint32_t i = 0; i < shrink->best->count; i++) {
      const struct ocl_node *old = &shrink->best->nodes[i];
      const bool of_array = old->kind == OCL_WRITE && shrink->best->object[old->slot].length > 1;
      if (!of_array || ocl_real(old->type.base) || shrink->best->outputs == OCL_OUTPUTS) {
         continue;
      }
      struct ocl_program *next = ocl_shrink_begin(shrink);
      struct ocl_node *node = &next->nodes[i];
      *node = (struct ocl_node){.kind = OCL_OUTPUT, .type = node->type, .count = 1, .source = {node->source[1]}};
      node->slot = (uint8_t)next->outputs++;
      next->output_type[node->slot] = node->type;
      any |= ocl_shrink_try(shrink);
   }
   return any;
}

bool ocl_shrink_more_turns(struct shrink *shrink)
{
   struct ocl_program *next = ocl_shrink_begin(shrink);
   bool any = false;

   for (uint32_t i = 0; i < next->count; i++) {
      struct ocl_node *node = &next->nodes[i];
      if (node->kind == OCL_LOOP && node->count == 0 && node->data[0] < TURNS) {
         node->data[0] = TURNS;
         any = true;
      }
   }
   return any && ocl_shrink_try(shrink);
}

/* Adds two values in the type of the first. Returns false if they have no sum. */
static bool add(struct ocl_program *program, uint32_t *at, uint32_t wide, uint32_t other)
{
   const struct ocl_type type = program->nodes[wide].type;
   struct ocl_type from = program->nodes[other].type;

   if ((from.width != 1 && from.width != type.width) || ocl_real(type.base) || ocl_real(from.base)) {
      return false;
   }
   if (from.base != type.base) {
      from.base = type.base;
      const struct ocl_node cast = from.width == 1
                                       ? operation("convert", OCL_SHAPE_CAST, OCL_BY_TYPE, from, other, 0)
                                       : operation("convert", OCL_SHAPE_CONVERT, OCL_BY_TYPE, from, other, 0);
      if (!insert(program, *at, &cast)) {
         return false;
      }
      other = (*at)++;
   }
   const struct ocl_node sum = from.width == type.width
                                   ? operation("add", OCL_SHAPE_2, OCL_TO_EVEN, type, wide, other)
                                   : operation("wide_add", OCL_SHAPE_WIDEN, OCL_TO_EVEN, type, wide, other);
   return insert(program, (*at)++, &sum);
}

/* Adds `value` to what an output of `next` stores. */
static bool add_to_output(struct shrink *shrink, struct ocl_program *next, uint32_t value, uint32_t output)
{
   const uint32_t stored = next->nodes[output].source[0];
   const bool wider = next->nodes[value].type.width > next->nodes[stored].type.width;

   if (!add(next, &output, wider ? value : stored, wider ? stored : value)) {
      return false;
   }
   struct ocl_node *node = &next->nodes[output];
   node->source[0] = (uint16_t)(output - 1);
   node->type = next->output_type[node->slot] = next->nodes[output - 1].type;
   return ocl_shrink_try(shrink);
}

/* Removes output `first`, and adds it to output `second`. */
static bool add_output(struct shrink *shrink, uint32_t first, uint32_t second)
{
   struct ocl_program *next = ocl_shrink_begin(shrink);

   next->nodes[first].kind = OCL_NONE;
   return add_to_output(shrink, next, next->nodes[first].source[0], second);
}

bool ocl_shrink_outputs(struct shrink *shrink)
{
   uint32_t before = UINT32_MAX;
   bool any = false;

   for (uint32_t i = 0; i < shrink->best->count; i++) {
      const struct ocl_node *node = &shrink->best->nodes[i];
      if (node->kind == OCL_OUTPUT && before != UINT32_MAX && add_output(shrink, before, i)) {
         any = true;
         before = UINT32_MAX;
         i = 0; /* start again, because nodes have moved */
      } else if (node->kind == OCL_OUTPUT) {
         before = i;
      } else if (ocl_has_effect(node)) {
         before = UINT32_MAX; /* another block, or a change of an object */
      }
   }
   return any;
}

/* Returns the next output in the same block, with only writes in between. UINT32_MAX: there is none. */
static uint32_t next_output(const struct ocl_program *program, uint32_t index)
{
   while (++index < program->count) {
      const uint8_t kind = program->nodes[index].kind;
      if (kind == OCL_OUTPUT || (ocl_has_effect(&program->nodes[index]) && kind != OCL_WRITE)) {
         return kind == OCL_OUTPUT ? index : UINT32_MAX;
      }
   }
   return UINT32_MAX;
}

bool ocl_shrink_array_writes(struct shrink *shrink)
{
   bool any = false;

   for (uint32_t i = 0; i < shrink->best->count; i++) {
      const struct ocl_node *old = &shrink->best->nodes[i];
      const uint32_t output = old->kind == OCL_WRITE && shrink->best->object[old->slot].length > 1
                                  ? next_output(shrink->best, i)
                                  : UINT32_MAX;
      if (output != UINT32_MAX) {
         struct ocl_program *next = ocl_shrink_begin(shrink);
         next->nodes[i].kind = OCL_READ;
         next->nodes[i].count = 1;
         any |= add_to_output(shrink, next, i, output);
      }
   }
   return any;
}

bool ocl_shrink_records(struct shrink *shrink)
{
   struct ocl_program *next = ocl_shrink_begin(shrink);
   bool any = false;

   for (uint32_t i = 0; i < next->objects; i++) {
      if (next->object[i].record != 0 && is_read(next, i)) {
         next->object[i].list = OCL_LISTED_FIELDS;
         any = true;
      }
   }
   return any && ocl_shrink_try(shrink) && ocl_shrink_outputs(shrink);
}
