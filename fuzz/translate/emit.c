/* SPDX-License-Identifier: MIT
 *
 * Makes the nodes of an OpenCL C kernel that represent values of a NIR program.
 */
#include "fuzz/translate/emit.h"

#include <stdio.h>
#include <string.h>

#include "fuzz/opencl/ops.h"

uint16_t translate_fail(struct translation *t, const char *what, const char *name)
{
   if (!t->failed) {
      snprintf(t->why, t->why_size, "%s%.40s", what, name);
   }
   t->failed = true;
   return 0;
}

/* Whether two operations or numbers are equal, so that one node serves both. */
static bool same_node(const struct ocl_node *a, const struct ocl_node *b)
{
   return (a->kind == OCL_CONST || a->kind == OCL_OP) && a->kind == b->kind && a->op == b->op &&
          ocl_same(a->type, b->type) && a->count == b->count && memcmp(a->source, b->source, sizeof(a->source)) == 0 &&
          memcmp(a->data, b->data, sizeof(a->data)) == 0;
}

uint16_t translate_emit(struct translation *t, struct ocl_node node)
{
   struct ocl_program *kernel = t->kernel;

   for (uint32_t i = t->block; i < kernel->count; i++) {
      if (same_node(&kernel->nodes[i], &node)) {
         return (uint16_t)i;
      }
   }
   if (kernel->count == OCL_NODES) {
      return translate_fail(t, "it is too large", "");
   }
   kernel->nodes[kernel->count] = node;
   if (node.kind >= OCL_IF && node.kind <= OCL_ENDLOOP) {
      t->block = kernel->count + 1;
   }
   return (uint16_t)kernel->count++;
}

uint8_t translate_base_at(const struct translation *t, uint16_t index)
{
   return t->kernel->nodes[index].type.base;
}

uint8_t translate_base(char class, unsigned bits)
{
   const uint8_t size = bits == 8 ? 0 : bits == 16 ? 1 : bits == 64 ? 3 : 2;

   if (bits == 1) {
      return OCL_INT;
   }
   return class == 'f' ? (bits == 16 ? OCL_HALF : OCL_FLOAT) : (uint8_t)(2 * size + (class == 'u' ? 1 : 0));
}

uint16_t translate_emit_number(struct translation *t, uint8_t base, uint64_t value)
{
   return translate_emit(
       t, (struct ocl_node){.kind = OCL_CONST, .type = ocl_scalar(base), .data = {value & ocl_mask(base)}});
}

uint16_t translate_emit_op(struct translation *t, unsigned op, struct ocl_type type, unsigned count,
                           const uint16_t *sources)
{
   struct ocl_node node = {.kind = OCL_OP, .op = (uint8_t)op, .type = type, .count = (uint8_t)count};

   for (unsigned i = 0; i < count; i++) {
      node.source[i] = sources[i];
   }
   return translate_emit(t, node);
}

uint16_t translate_retype(struct translation *t, uint16_t index, uint8_t base)
{
   const uint8_t from = translate_base_at(t, index);

   if (from == base) {
      return index;
   }
   if (ocl_bits(from) != ocl_bits(base)) {
      return translate_fail(t, "two sizes of one value", "");
   }
   const struct ocl_node *node = &t->kernel->nodes[index];
   if (node->kind == OCL_CONST && (!ocl_real(base) || ocl_real_normal(base, node->data[0]))) {
      return translate_emit_number(t, base, node->data[0]);
   }
   const unsigned op =
       ocl_real(from) || ocl_real(base) ? ocl_op_as() : ocl_op_find("convert", OCL_SHAPE_CAST, OCL_BY_TYPE);
   return translate_emit_op(t, op, ocl_scalar(base), 1, &index);
}

bool translate_use_slot(struct translation *t, uint32_t *count, uint32_t most)
{
   if (*count == most) {
      (void)translate_fail(t, "it is too large", "");
      return false;
   }
   (*count)++;
   return true;
}

uint16_t translate_new_object(struct translation *t, uint8_t base, uint8_t length, uint8_t space, uint64_t start)
{
   struct ocl_program *kernel = t->kernel;

   if (!translate_use_slot(t, &kernel->objects, OCL_OBJECTS)) {
      return 0;
   }
   struct ocl_object *object = &kernel->object[kernel->objects - 1];
   *object = (struct ocl_object){.type = ocl_scalar(base), .length = length, .space = space};
   for (unsigned i = 0; i < OCL_WIDTH; i++) {
      object->start[i] = start & ocl_mask(base);
   }
   return (uint16_t)(kernel->objects - 1);
}

uint16_t translate_emit_read(struct translation *t, uint16_t object, uint16_t index)
{
   return translate_emit(t, (struct ocl_node){.kind = OCL_READ,
                                              .type = t->kernel->object[object].type,
                                              .count = 1,
                                              .slot = (uint8_t)object,
                                              .source = {index}});
}

void translate_emit_write(struct translation *t, uint16_t object, uint16_t index, uint16_t value)
{
   (void)translate_emit(t, (struct ocl_node){.kind = OCL_WRITE,
                                             .type = t->kernel->object[object].type,
                                             .count = 2,
                                             .slot = (uint8_t)object,
                                             .source = {index, value}});
}

static uint16_t emit_argument(struct translation *t, uint8_t base, uint64_t value)
{
   struct ocl_program *kernel = t->kernel;

   if (!translate_use_slot(t, &kernel->scalars, OCL_SCALARS)) {
      return 0;
   }
   const uint32_t slot = kernel->scalars - 1;
   kernel->scalar_type[slot] = ocl_scalar(base);
   kernel->scalar[slot][0] = value & ocl_mask(base);
   return translate_emit(t, (struct ocl_node){.kind = OCL_SCALAR, .type = ocl_scalar(base), .slot = (uint8_t)slot});
}

static uint16_t emit_constant(struct translation *t, uint16_t index)
{
   const struct fuzz_node *node = &t->program->nodes[index];
   const uint8_t base = translate_base('u', node->bits);
   uint16_t *leaf = &t->leaf[index];

   if (node->bits == 1 || t->way->constants == TRANSLATE_LITERALS) {
      return translate_emit_number(t, base, node->bits == 1 ? node->value & 1 : node->value);
   }
   if (t->way->constants == TRANSLATE_CHOSEN) {
      const uint16_t number = translate_emit_number(t, base, node->value);
      t->chooser = t->chooser != TRANSLATE_NOWHERE ? t->chooser : emit_argument(t, OCL_INT, 1);
      const uint16_t sources[] = {t->chooser, number, number};
      return translate_emit_op(t, ocl_op_find("choose", OCL_SHAPES, OCL_TO_EVEN), ocl_scalar(base), 3, sources);
   }
   const bool argument = t->way->constants == TRANSLATE_ARGUMENTS;
   if (*leaf == TRANSLATE_NOWHERE) {
      *leaf =
          argument ? emit_argument(t, base, node->value) : translate_new_object(t, base, 1, OCL_PRIVATE, node->value);
   }
   return argument ? *leaf : translate_emit_read(t, *leaf, translate_emit_number(t, OCL_UINT, 0));
}

/* The first read of an input decides its type. A boolean is a 32-bit number that is not 0. */
static uint16_t emit_input(struct translation *t, uint16_t index, char class)
{
   struct ocl_program *kernel = t->kernel;
   const struct fuzz_node *node = &t->program->nodes[index];
   uint8_t base = translate_base(node->bits == 1 ? 'u' : class, node->bits == 1 ? 32 : node->bits);

   if (t->leaf[index] != TRANSLATE_NOWHERE) {
      return t->leaf[index];
   }
   for (uint32_t lane = 0; lane < kernel->lanes && ocl_real(base); lane++) {
      const uint64_t value = t->program->input[node->slot][t->first + lane] & ocl_mask(base);
      /* a Piglit test cannot have NaN */
      base = ocl_real_normal(base, value) ? base : translate_base('u', node->bits);
   }
   if (!translate_use_slot(t, &kernel->inputs, OCL_INPUTS)) {
      return 0;
   }
   const uint32_t slot = kernel->inputs - 1;
   kernel->input_type[slot] = ocl_scalar(base);
   for (uint32_t lane = 0; lane < kernel->lanes; lane++) {
      kernel->input[slot][lane][0] = t->program->input[node->slot][t->first + lane] & ocl_mask(base);
   }
   t->leaf[index] =
       translate_emit(t, (struct ocl_node){.kind = OCL_INPUT, .type = ocl_scalar(base), .slot = (uint8_t)slot});
   return t->leaf[index];
}

/* Returns a value of the program in the number class of its reader. Inputs, arguments and constants get their nodes
 * where they are read: they are visible everywhere, unlike values computed from them. */
uint16_t translate_value(struct translation *t, struct fuzz_source source, char class)
{
   const struct fuzz_node *node = &t->program->nodes[source.node];
   uint16_t *value = &t->value[source.node][source.component % TRANSLATE_COMPONENTS];

   if (node->kind == FUZZ_CONST) {
      return translate_retype(t, emit_constant(t, source.node), translate_base(class, node->bits));
   }
   if (node->kind == FUZZ_INPUT && node->bits == 1) {
      const uint16_t sources[] = {emit_input(t, source.node, 'u'), translate_emit_number(t, OCL_UINT, 0)};
      return translate_emit_op(t, ocl_op_find("ne", OCL_SHAPES, OCL_TO_EVEN), ocl_scalar(OCL_INT), 2, sources);
   }
   if (node->kind == FUZZ_INPUT) {
      return translate_retype(t, emit_input(t, source.node, class), translate_base(class, node->bits));
   }
   if (node->kind == FUZZ_UNIFORM && *value == TRANSLATE_NOWHERE) {
      *value = emit_argument(t, translate_base('u', node->bits), t->program->uniform[node->slot]);
   }
   if (*value == TRANSLATE_NOWHERE) {
      return translate_fail(t, "a value that is not translated: ", fuzz_op_name(node));
   }
   return translate_retype(t, *value, translate_base(class, node->bits));
}

uint16_t translate_source(struct translation *t, unsigned source, char class)
{
   return translate_value(t, t->node->sources[source], class);
}

unsigned translate_source_bits(const struct translation *t, unsigned source)
{
   return t->program->nodes[t->node->sources[source].node].bits;
}
