/* SPDX-License-Identifier: MIT
 *
 * Translates one op by its row. Invariant: a correct row leaves one value on the stack.
 */
#include "fuzz/translate/emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/opencl/ops.h"

/* Parses a width: a number, r, s, or nothing for that of the first source. */
static unsigned parse_width(const struct translation *t, const char *text)
{
   return text[0] == 'r'                     ? t->node->bits
          : text[0] >= '0' && text[0] <= '9' ? (unsigned)strtoul(text, NULL, 10)
                                             : translate_source_bits(t, 0);
}

static void push(struct translation *t, uint16_t index)
{
   if (t->height == TRANSLATE_STACK) {
      (void)translate_fail(t, "it is too large", "");
      return;
   }
   t->stack[t->height++] = index;
}

/* Parses "u32#5". */
static void push_number(struct translation *t, const char *token)
{
   const char *text = strchr(token, '#') + 1;
   const unsigned width = parse_width(t, token + 1);
   const uint8_t base = translate_base(token[0], width);
   const int64_t value = text[0] == 'w'   ? translate_source_bits(t, 0)
                         : text[0] == 'm' ? (int64_t)translate_source_bits(t, 0) - 1
                         : text[0] == 'c' ? (int64_t)t->component * t->node->bits
                                          : strtoll(text, NULL, 10);

   push(t, translate_emit_number(
               t, base, ocl_real(base) ? ocl_real_round(base, (long double)value, OCL_TO_EVEN) : (uint64_t)value));
}

unsigned translate_find_op(const char *name)
{
   if (strcmp(name, "cast") == 0) {
      return ocl_op_find("convert", OCL_SHAPE_CAST, OCL_BY_TYPE);
   }
   if (strncmp(name, "convert_rt", 10) == 0) {
      return ocl_op_find("convert", OCL_SHAPE_CONVERT, name[10] == 'z' ? OCL_TO_ZERO : OCL_TO_EVEN);
   }
   return ocl_op_find(name, OCL_SHAPES, OCL_TO_EVEN);
}

static struct ocl_type result_type(const struct translation *t, const struct ocl_op *op, const uint16_t *sources,
                                   const char *named)
{
   if (named != NULL) {
      return ocl_scalar(translate_base(named[0], parse_width(t, named + 1)));
   }
   switch (op->shape) {
   case OCL_SHAPE_COMPARE:
   case OCL_SHAPE_LOGIC:
   case OCL_SHAPE_NOT:
   case OCL_SHAPE_TEST:
      return ocl_scalar(OCL_INT);
   case OCL_SHAPE_CHOOSE:
      return ocl_scalar(translate_base_at(t, sources[1]));
   case OCL_SHAPE_ABS:
      return ocl_scalar(translate_base_at(t, sources[0]) | 1);
   default:
      return ocl_scalar(translate_base_at(t, sources[0]));
   }
}

/* Makes vectors of two equal components, and takes one component of the result. */
static uint16_t emit_pairs(struct translation *t, unsigned op, struct ocl_type type, unsigned count,
                           const uint16_t *sources)
{
   uint16_t pairs[OCL_SOURCES];

   for (unsigned i = 0; i < count; i++) {
      const uint16_t both[] = {sources[i], sources[i]};
      pairs[i] = translate_emit_op(t, translate_find_op("build"),
                                   (struct ocl_type){.base = translate_base_at(t, sources[i]), .width = 2}, 2, both);
   }
   const uint16_t result = translate_emit_op(t, op, (struct ocl_type){.base = type.base, .width = 2}, count, pairs);
   return translate_emit_op(t, translate_find_op("swizzle"), type, 1, &result);
}

/* select() computes numbers of 8 and 16 bits in these sizes. */
static uint16_t emit_select(struct translation *t, struct ocl_type type, const uint16_t *sources)
{
   const struct ocl_type same = ocl_scalar(type.base | 1);
   const uint16_t condition = translate_emit_op(t, translate_find_op("cast"), same, 1, sources);
   const uint16_t operands[] = {sources[2], sources[1], condition};

   return translate_emit_op(t, translate_find_op("select"), type, 3, operands);
}

static bool as_pairs(const struct translation *t, const struct ocl_op *op, struct ocl_type type)
{
   const bool is_operator = op->shape == OCL_SHAPE_1 || op->shape == OCL_SHAPE_2 || op->shape == OCL_SHAPE_SHIFT ||
                            op->shape == OCL_SHAPE_DIVIDE;

   return t->way->vectors && is_operator && op->format[0] == '(' && ocl_bits(type.base) < 32;
}

/* Computes an operation on numbers of the table's row. */
static bool fold(struct translation *t, const struct ocl_op *op, struct ocl_type type, const uint16_t *sources,
                 uint16_t *result)
{
   struct ocl_operands operands = {
       .base = type.base, .from = translate_base_at(t, sources[0]), .rounding = op->rounding};
   uint64_t *const values[] = {&operands.a, &operands.b, &operands.c};

   for (unsigned i = 0; i < op->arity; i++) {
      const struct ocl_node *node = &t->kernel->nodes[sources[i]];
      if (node->kind != OCL_CONST) {
         return false;
      }
      *values[i] = node->data[0];
   }
   *result = translate_emit_number(t, type.base, op->compute(&operands));
   return true;
}

/* Parses "!cast:us": operation `name` on the values of the stack. */
static void push_op(struct translation *t, char *token)
{
   const bool folds = token[0] == '!';
   char *name = token + folds, *colon = strchr(token, ':');

   if (colon != NULL) {
      *colon++ = '\0';
   }
   const unsigned number = translate_find_op(name);
   if (number == ocl_op_count || ocl_ops[number].arity > t->height) {
      (void)translate_fail(t, "a wrong row for ", fuzz_op_name(t->node));
      return;
   }
   const struct ocl_op *op = &ocl_ops[number];
   t->height -= op->arity;
   const uint16_t *sources = &t->stack[t->height];
   const struct ocl_type type = result_type(t, op, sources, colon);
   uint16_t result;
   if (op->shape == OCL_SHAPE_CAST && translate_base_at(t, sources[0]) == type.base) {
      result = sources[0];
   } else if (folds && fold(t, op, type, sources, &result)) {
      /* already handled */
   } else if (t->way->vectors && op->shape == OCL_SHAPE_CHOOSE && ocl_bits(type.base) < 32 && !ocl_real(type.base)) {
      result = emit_select(t, type, sources);
   } else if (as_pairs(t, op, type)) {
      result = emit_pairs(t, number, type, op->arity, sources);
   } else {
      result = translate_emit_op(t, number, type, op->arity, sources);
   }
   push(t, result);
}

static bool is_source(const char *token)
{
   const size_t length = strlen(token);

   return strchr("uif", token[0]) != NULL && token[1] >= 'a' && token[1] <= 'd' &&
          (length == 2 || (length == 3 && token[2] >= '0' && token[2] <= '3'));
}

uint16_t translate_row(struct translation *t, const char *row)
{
   char text[128], *rest = NULL;

   snprintf(text, sizeof(text), "%s", row);
   t->height = 0;
   for (char *token = strtok_r(text, " ", &rest); token != NULL && !t->failed; token = strtok_r(NULL, " ", &rest)) {
      if (is_source(token)) {
         struct fuzz_source source = t->node->sources[token[1] - 'a'];
         source.component = token[2] != '\0' ? (uint16_t)(token[2] - '0') : source.component;
         push(t, translate_value(t, source, token[0]));
      } else if (strchr(token, '#') != NULL) {
         push_number(t, token);
      } else {
         push_op(t, token);
      }
   }
   return t->failed || t->height != 1 ? translate_fail(t, "a wrong row for ", fuzz_op_name(t->node)) : t->stack[0];
}
