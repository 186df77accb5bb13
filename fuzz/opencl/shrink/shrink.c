/* SPDX-License-Identifier: MIT
 *
 * Shrinks a kernel by trying smaller ones: outputs, lanes, statements, operations, vectors, data. Invariant: the
 * returned kernel fails.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/opencl/shrink/shrink.h"
#include "fuzz/nir/registers.h"
#include "util/array.h"

#define ATTEMPTS 600
#define SPILLING_SIZE 40 /* a kernel that remains larger than this mostly spills */
#define CRASHING_SIZE 8  /* the same for one that crashes the compiler */

struct ocl_program *ocl_shrink_begin(struct shrink *shrink)
{
   shrink->next = *shrink->best;
   return &shrink->next;
}

/* Whether everything that is read exists: the index of a variable is not needed, and may be missing. */
static bool is_whole(const struct ocl_program *program)
{
   bool needed[OCL_NODES];

   ocl_needed(program, needed);
   for (uint32_t i = 0; i < program->count; i++) {
      if (needed[i] && program->nodes[i].kind == OCL_NONE) {
         return false;
      }
   }
   return true;
}

bool ocl_shrink_try(struct shrink *shrink)
{
   if (shrink->attempts >= ATTEMPTS || !is_whole(&shrink->next)) {
      return false;
   }
   shrink->attempts++;
   if (!shrink->fails(&shrink->next, shrink->data)) {
      return false;
   }
   *shrink->best = shrink->next;
   return true;
}

static bool keep_output(struct shrink *shrink, uint32_t slot)
{
   struct ocl_program *next = ocl_shrink_begin(shrink);

   for (uint32_t i = 0; i < next->count; i++) {
      if (next->nodes[i].kind == OCL_OUTPUT && next->nodes[i].slot != slot) {
         next->nodes[i].kind = OCL_NONE;
      }
   }
   return ocl_shrink_try(shrink);
}

static void one_lane(struct shrink *shrink)
{
   struct ocl_program *next = ocl_shrink_begin(shrink);

   if (next->lanes == 1) {
      return;
   }
   for (uint32_t i = 0; i < next->inputs; i++) {
      memcpy(next->input[i][0], next->input[i][shrink->lane], sizeof(next->input[i][0]));
   }
   next->lanes = 1;
   if (ocl_shrink_try(shrink)) {
      shrink->lane = 0;
   }
}

uint32_t ocl_end_of(const struct ocl_program *program, uint32_t start, uint32_t *otherwise)
{
   int depth = 0;

   *otherwise = UINT32_MAX;
   for (uint32_t i = start; i < program->count; i++) {
      const int nesting = ocl_nesting(&program->nodes[i]);
      depth += nesting;
      if (program->nodes[i].kind == OCL_ELSE && depth == 1) {
         *otherwise = i;
      }
      if (nesting < 0 && depth == 0) {
         return i;
      }
   }
   return UINT32_MAX;
}

static bool drop_effects(struct shrink *shrink, uint32_t from, uint32_t to)
{
   struct ocl_program *next = ocl_shrink_begin(shrink);
   bool any = false;

   for (uint32_t i = from; i <= to && i < next->count; i++) {
      if (ocl_has_effect(&next->nodes[i])) {
         next->nodes[i].kind = OCL_NONE;
         any = true;
      }
   }
   return any && ocl_shrink_try(shrink);
}

/* Removes a whole block, its else part, or only its beginning and end. */
static bool drop_block(struct shrink *shrink, uint32_t start)
{
   uint32_t otherwise;
   const uint32_t end = ocl_end_of(shrink->best, start, &otherwise);

   if (end == UINT32_MAX) {
      return false;
   }
   if (drop_effects(shrink, start, end)) {
      return true;
   }
   if (otherwise != UINT32_MAX && drop_effects(shrink, otherwise, end - 1)) {
      return true;
   }
   struct ocl_program *next = ocl_shrink_begin(shrink);
   int depth = 0;
   for (uint32_t i = start; i < end; i++) { /* the labels of a switch are removed with it */
      const uint8_t kind = next->nodes[i].kind;
      depth += ocl_nesting(&next->nodes[i]);
      next->nodes[i].kind = depth == 1 && (kind == OCL_CASE || kind == OCL_DEFAULT) ? (uint8_t)OCL_NONE : kind;
   }
   next->nodes[start].kind = next->nodes[end].kind = OCL_NONE;
   if (otherwise != UINT32_MAX) {
      next->nodes[otherwise].kind = OCL_NONE;
   }
   return ocl_shrink_try(shrink);
}

static bool is_statement(const struct ocl_node *node)
{
   return node->kind == OCL_WRITE || node->kind == OCL_VSTORE || node->kind == OCL_COPY || node->kind == OCL_OUTPUT;
}

/* Removes statements among `count` nodes, and blocks that lie completely within them. */
static bool drop_run(struct shrink *shrink, uint32_t from, uint32_t count)
{
   struct ocl_program *next = ocl_shrink_begin(shrink);
   const uint32_t past = from + count < next->count ? from + count : next->count;
   bool any = false;

   for (uint32_t i = from; i < past; i++) {
      uint32_t otherwise;
      const bool block = ocl_nesting(&next->nodes[i]) > 0;
      const uint32_t end = block ? ocl_end_of(shrink->best, i, &otherwise) : i;
      if (end >= past || !(block || is_statement(&next->nodes[i]))) {
         continue;
      }
      for (uint32_t j = i; j <= end; j++) {
         next->nodes[j].kind = ocl_has_effect(&next->nodes[j]) ? (uint8_t)OCL_NONE : next->nodes[j].kind;
      }
      any = true;
   }
   return any && ocl_shrink_try(shrink);
}

/* Removes many statements at a time, then fewer. */
static bool drop_runs(struct shrink *shrink)
{
   bool any = false;

   for (uint32_t size = shrink->best->count / 2; size > 4; size /= 2) {
      for (uint32_t past = shrink->best->count; past != 0; past -= size < past ? size : past) {
         any |= drop_run(shrink, past > size ? past - size : 0, size < past ? size : past);
      }
   }
   return any;
}

static bool drop_statements(struct shrink *shrink)
{
   bool any = false;

   for (uint32_t i = shrink->best->count; i-- > 0;) {
      const uint8_t kind = shrink->best->nodes[i].kind;
      if (ocl_nesting(&shrink->best->nodes[i]) > 0) {
         any |= drop_block(shrink, i);
      } else if (is_statement(&shrink->best->nodes[i]) || kind == OCL_CASE || kind == OCL_DEFAULT ||
                 kind == OCL_BREAK || kind == OCL_CONTINUE) {
         any |= drop_effects(shrink, i, i);
      }
   }
   return any;
}

static void read_instead(struct ocl_program *program, uint32_t old, uint32_t by)
{
   for (uint32_t i = 0; i < program->count; i++) {
      for (unsigned j = 0; j < program->nodes[i].count; j++) {
         program->nodes[i].source[j] = program->nodes[i].source[j] == old ? (uint16_t)by : program->nodes[i].source[j];
      }
   }
}

/* Replaces a node by one of its operands. */
static bool bypass(struct shrink *shrink, uint32_t index)
{
   const struct ocl_node *node = &shrink->best->nodes[index];

   for (unsigned i = 0; i < node->count; i++) {
      if (ocl_same(shrink->best->nodes[node->source[i]].type, node->type)) {
         struct ocl_program *next = ocl_shrink_begin(shrink);
         read_instead(next, index, node->source[i]);
         if (ocl_shrink_try(shrink)) {
            return true;
         }
      }
   }
   return false;
}

bool ocl_shrink_input(struct ocl_program *program, uint32_t index, const uint64_t value[OCL_WIDTH])
{
   struct ocl_node *node = &program->nodes[index];
   bool needed[OCL_NODES], used[OCL_INPUTS] = {false};
   uint32_t slot = 0;

   ocl_needed(program, needed);
   for (uint32_t i = 0; i < program->count; i++) {
      if (needed[i] && program->nodes[i].kind == OCL_INPUT) {
         used[program->nodes[i].slot] = true;
      }
   }
   while (slot < OCL_INPUTS && used[slot]) {
      slot++;
   }
   if (slot == OCL_INPUTS) {
      return false;
   }
   for (uint32_t i = 0; i < program->count; i++) { /* nodes that nothing reads would have another type */
      if (!needed[i] && program->nodes[i].kind == OCL_INPUT && program->nodes[i].slot == slot) {
         program->nodes[i].kind = OCL_NONE;
      }
   }
   node->kind = OCL_INPUT;
   node->count = node->form = 0;
   node->slot = (uint8_t)slot;
   for (uint32_t lane = 0; lane < OCL_LANES; lane++) {
      memcpy(program->input[slot][lane], value, OCL_WIDTH * sizeof(*value));
   }
   program->input_type[slot] = node->type;
   program->inputs = slot < program->inputs ? program->inputs : slot + 1;
   return true;
}

/* Replaces a node by the constant, the argument or the input to which it is equal in the failing lane. */
static bool replace_by_value(struct shrink *shrink, uint32_t index)
{
   struct ocl_program *next = ocl_shrink_begin(shrink);
   struct ocl_node *node = &next->nodes[index];
   uint64_t value[OCL_WIDTH];

   if (!ocl_node_value(next, index, shrink->lane, value)) {
      return false;
   }
   if (node->kind != OCL_CONST) {
      node->kind = OCL_CONST;
      node->count = 0;
      memcpy(node->data, value, sizeof(value));
      if (ocl_shrink_try(shrink)) {
         return true;
      }
   }
   next = ocl_shrink_begin(shrink);
   node = &next->nodes[index];
   if (node->kind != OCL_CONST && node->kind != OCL_SCALAR && node->type.width == 1 && next->scalars < OCL_SCALARS) {
      node->kind = OCL_SCALAR;
      node->count = 0;
      node->slot = (uint8_t)next->scalars;
      next->scalar[next->scalars][0] = value[0];
      next->scalar_type[next->scalars++] = node->type;
      if (ocl_shrink_try(shrink)) {
         return true;
      }
   }
   next = ocl_shrink_begin(shrink);
   node = &next->nodes[index];
   return node->kind != OCL_CONST && node->kind != OCL_SCALAR && node->kind != OCL_INPUT &&
          ocl_shrink_input(next, index, value) && ocl_shrink_try(shrink);
}

/* Lets lanes exchange in local memory, or in adjacent elements of an argument. */
static bool plain_exchange(struct shrink *shrink, uint32_t index)
{
   const struct ocl_node *node = &shrink->best->nodes[index];

   if (node->kind == OCL_READ || node->kind == OCL_VLOAD || !ocl_uses_global(shrink->best, node)) {
      return false;
   }
   ocl_shrink_begin(shrink)->nodes[index].slot = 0;
   if (ocl_shrink_try(shrink)) {
      return true;
   }
   if (node->data[2] == 1 && node->data[3] == 0) {
      return false;
   }
   struct ocl_node *next = &ocl_shrink_begin(shrink)->nodes[index];
   next->data[2] = 1;
   next->data[3] = 0;
   return ocl_shrink_try(shrink);
}

static bool simplify_nodes(struct shrink *shrink)
{
   bool any = false;

   for (uint32_t i = shrink->best->count; i-- > 0;) {
      bool needed[OCL_NODES];
      ocl_needed(shrink->best, needed);
      struct ocl_node *node = &shrink->best->nodes[i];
      if (needed[i] && ocl_has_effect(node) && node->form != 0) {
         ocl_shrink_begin(shrink)->nodes[i].form = 0;
         any |= ocl_shrink_try(shrink);
      }
      if (!needed[i] || ocl_has_effect(node)) {
         continue;
      }
      if (node->outlined != OCL_INLINE || node->form != 0) {
         ocl_shrink_begin(shrink)->nodes[i].outlined = OCL_INLINE;
         shrink->next.nodes[i].form = 0;
         any |= ocl_shrink_try(shrink);
      }
      any |= bypass(shrink, i) || replace_by_value(shrink, i) || plain_exchange(shrink, i);
   }
   return any;
}

/* Whether a node or one of its sources has this width. */
static bool has_width(const struct ocl_program *program, uint32_t index, unsigned width)
{
   const struct ocl_node *node = &program->nodes[index];
   bool any = node->type.width == width;

   for (unsigned i = 0; i < node->count; i++) {
      any |= program->nodes[node->source[i]].type.width == width;
   }
   return any;
}

/* Turns all vectors of this width into scalars with the value of one component. */
static bool narrow(struct shrink *shrink, unsigned width, unsigned component)
{
   struct ocl_program *next = ocl_shrink_begin(shrink);
   bool any = false, needed[OCL_NODES];

   ocl_needed(next, needed);
   for (uint32_t i = 0; i < next->count; i++) {
      struct ocl_node *node = &next->nodes[i];
      node->kind = needed[i] ? node->kind : (uint8_t)OCL_NONE;
      if (needed[i] && node->kind == OCL_OP && ocl_ops[node->op].compute == NULL && has_width(shrink->best, i, width)) {
         return false; /* for instance a swizzle, whose widths depend on each other */
      }
      if (node->kind == OCL_NONE || node->type.width != width) {
         continue;
      }
      node->type.width = 1;
      node->data[0] = node->kind == OCL_CONST ? node->data[component] : node->data[0];
      any = true;
   }
   for (uint32_t i = 0; i < next->inputs; i++) {
      for (uint32_t lane = 0; next->input_type[i].width == width && lane < OCL_LANES; lane++) {
         next->input[i][lane][0] = next->input[i][lane][component];
      }
      next->input_type[i].width = next->input_type[i].width == width ? 1 : next->input_type[i].width;
   }
   for (uint32_t i = 0; i < next->scalars; i++) {
      const bool wide = next->scalar_type[i].width == width;
      next->scalar[i][0] = next->scalar[i][wide ? component : 0];
      next->scalar_type[i].width = wide ? 1 : next->scalar_type[i].width;
   }
   for (uint32_t i = 0; i < next->outputs; i++) {
      next->output_type[i].width = next->output_type[i].width == width ? 1 : next->output_type[i].width;
   }
   for (uint32_t i = 0; i < next->objects; i++) {
      struct ocl_object *object = &next->object[i];
      for (unsigned j = 0, add = object->type.width == width ? component : 0; add != 0 && j < OCL_WIDTH; j++) {
         object->start[j] = shrink->best->object[i].start[(j + add) % OCL_WIDTH];
      }
      object->type.width = object->type.width == width ? 1 : object->type.width;
   }
   return any && ocl_shrink_try(shrink);
}

static bool narrow_vectors(struct shrink *shrink)
{
   static const uint8_t widths[] = {16, 8, 4, 3, 2};
   bool any = false;

   for (unsigned i = 0; i < sizeof(widths); i++) {
      for (unsigned j = 0; j < widths[i] && j < 4; j++) {
         any |= narrow(shrink, widths[i], j);
      }
   }
   return any;
}

/* If the only remaining statement stores to an object, makes a value of it an output instead, so that the object can be
 * removed. */
static bool output_instead(struct shrink *shrink)
{
   uint32_t only = UINT32_MAX, effects = 0;

   for (uint32_t i = 0; i < shrink->best->count; i++) {
      if (ocl_has_effect(&shrink->best->nodes[i])) {
         effects++;
         only = i;
      }
   }
   if (effects != 1 || shrink->best->nodes[only].kind != OCL_WRITE) {
      return false;
   }
   for (unsigned i = 0; i < 2; i++) {
      struct ocl_program *next = ocl_shrink_begin(shrink);
      struct ocl_node *node = &next->nodes[only];
      node->kind = OCL_OUTPUT;
      node->type = next->nodes[node->source[i]].type;
      node->source[0] = node->source[i];
      node->count = 1;
      node->slot = node->form = 0;
      next->output_type[0] = node->type;
      next->outputs = next->outputs != 0 ? next->outputs : 1;
      if (!ocl_real(node->type.base) && ocl_shrink_try(shrink)) {
         return true;
      }
   }
   return false;
}

static bool use_registers(struct shrink *shrink, uint32_t registers)
{
   ocl_shrink_begin(shrink)->registers = registers;
   return shrink->best->registers != registers && ocl_shrink_try(shrink);
}

static bool use_few_registers(struct shrink *shrink)
{
   return shrink->best->registers == FUZZ_REGISTERS_ALL &&
          (use_registers(shrink, FUZZ_REGISTERS_FEW) || use_registers(shrink, FUZZ_REGISTERS_TIGHT));
}

static void shrink_rounds(struct shrink *shrink)
{
   bool more = true;

   while (more && shrink->attempts < ATTEMPTS) {
      more = drop_statements(shrink);
      one_lane(shrink);
      more |= ocl_shrink_objects(shrink);
      more |= simplify_nodes(shrink);
      more |= narrow_vectors(shrink);
   }
}

/* A kernel that fails because it spills still does so with fewer statements if each of them needs more registers. */
static void spill_more(struct shrink *shrink)
{
   (void)ocl_shrink_to_loop(shrink);
   (void)ocl_shrink_more_turns(shrink);
   (void)ocl_shrink_widest(shrink);
   (void)ocl_shrink_stores(shrink);
}

void ocl_shrink(void *program, const struct fuzz_difference *difference, fuzz_fails *fails, void *data)
{
   static const size_t switches[] = {offsetof(struct ocl_program, rounded), offsetof(struct ocl_program, wide_lane),
                                     offsetof(struct ocl_program, unrepaired)};
   struct shrink *shrink = calloc(1, sizeof(*shrink));

   if (shrink == NULL) {
      return;
   }
   *shrink = (struct shrink){.best = program, .fails = fails, .data = data};
   if (difference != NULL) {
      shrink->lane = difference->lane;
      (void)keep_output(shrink, difference->output);
   }
   for (unsigned i = 0; i < ARRAY_COUNT(switches); i++) {
      bool *on = (bool *)((char *)ocl_shrink_begin(shrink) + switches[i]);
      if (*on) {
         *on = false;
         (void)ocl_shrink_try(shrink);
      }
   }
   one_lane(shrink);
   if (difference == NULL && ocl_size(shrink->best) > SPILLING_SIZE) {
      if (use_few_registers(shrink)) {
         spill_more(shrink);
      } else {
         (void)ocl_shrink_variables(shrink);
      }
   }
   (void)drop_runs(shrink);
   /* A kernel that needs so many values needs them all to be live; with fewer registers it may need fewer values. */
   if (ocl_size(shrink->best) > SPILLING_SIZE && use_few_registers(shrink)) {
      (void)drop_runs(shrink);
   }
   shrink_rounds(shrink);
   if (ocl_size(shrink->best) > (difference != NULL ? SPILLING_SIZE : CRASHING_SIZE) &&
       (use_few_registers(shrink) || (difference == NULL && ocl_shrink_variables(shrink)))) {
      shrink->attempts = 0;
      shrink_rounds(shrink);
   }
   if (difference == NULL && ocl_size(shrink->best) > CRASHING_SIZE && ocl_shrink_more_turns(shrink)) {
      shrink_rounds(shrink);
   }
   (void)use_registers(shrink, FUZZ_REGISTERS_ALL);
   if (difference == NULL) {
      bool smaller = ocl_shrink_types(shrink);
      smaller |= ocl_shrink_outputs(shrink);
      smaller |= ocl_shrink_array_writes(shrink);
      if (smaller) {
         shrink_rounds(shrink);
      }
   }
   if (ocl_shrink_records(shrink)) {
      shrink_rounds(shrink);
   }
   if (output_instead(shrink)) {
      shrink_rounds(shrink);
   }
   for (unsigned round = 0; round < 3 && ocl_shrink_numbers(shrink); round++) {
   }
   free(shrink);
}
