/* SPDX-License-Identifier: MIT
 *
 * Which parts of a kernel GLSL can say. What it cannot say, or says without a determined result: vectors above four
 * components, functions of OpenCL C, saturation, % of negative numbers, the sign of a NaN, pointers, structs.
 * Invariant: types of nodes stay, but for the width of vectors, and narrowing twice is narrowing once.
 */
#include <string.h>

#include "fuzz/glsl/glsl.h"
#include "fuzz/glsl/words.h"
#include "fuzz/opencl/ops.h"
#include "util/array.h"

#define WIDEST 4u

static void narrow_type(struct ocl_type *type)
{
   type->width = type->width > WIDEST ? WIDEST : type->width;
}

/* Denormal numbers, infinities and NaNs become 1.5. */
static void narrow_value(uint8_t base, uint64_t *value)
{
   if (ocl_real(base) && !ocl_real_normal(base, *value)) {
      *value = ocl_instead_of_nan(base);
   }
}

static void narrow_values(struct ocl_type type, uint64_t values[OCL_WIDTH])
{
   for (unsigned i = 0; i < OCL_WIDTH; i++) {
      narrow_value(type.base, &values[i]);
   }
}

static const struct ocl_type *source_type(const struct ocl_program *program, const struct ocl_node *node, unsigned i)
{
   return &program->nodes[node->source[i]].type;
}

/* ---- Operations ---- */

static void become(struct ocl_node *node, const char *name, enum ocl_shape shape, enum ocl_rounding rounding,
                   uint8_t count)
{
   node->op = (uint8_t)ocl_op_find(name, shape, rounding);
   node->count = count;
   node->outlined = count == ocl_ops[node->op].arity ? node->outlined : (uint8_t)OCL_INLINE;
}

static void become_constant(struct ocl_node *node)
{
   *node = (struct ocl_node){.kind = OCL_CONST, .type = node->type};
   for (unsigned i = 0; i < OCL_WIDTH; i++) {
      node->data[i] = ocl_real(node->type.base) ? ocl_instead_of_nan(node->type.base) : 3 * i + 1;
   }
}

/* An operation of the same type, whose operands are among the node's sources. */
static void replace(const struct ocl_program *program, struct ocl_node *node)
{
   for (unsigned i = 0; i < node->count; i++) {
      if (ocl_same(*source_type(program, node, i), node->type)) {
         const uint16_t first = node->source[i];
         node->source[1] =
             node->count > 1 && ocl_same(*source_type(program, node, 1), node->type) ? node->source[1] : first;
         node->source[0] = first;
         if (ocl_real(node->type.base)) {
            become(node, "fabs", OCL_SHAPES, OCL_TO_EVEN, 1);
         } else {
            become(node, "add", OCL_SHAPE_2, OCL_TO_EVEN, 2);
         }
         return;
      }
   }
   for (unsigned i = 0; i < node->count; i++) {
      const struct ocl_type *type = source_type(program, node, i);
      if (type->width == node->type.width && type->base != node->type.base) {
         node->source[0] = node->source[i];
         become(node, "convert", OCL_SHAPE_CONVERT, OCL_BY_TYPE, 1);
         return;
      }
   }
   become_constant(node);
}

/* Whether GLSL has an operation for this type: its functions that count bits, and long products, take 32 bits. */
static bool is_said(const struct ocl_op *op, uint8_t base)
{
   static const char *const of_32_bits[] = {"popcount", "clz", "ctz", "mul_hi"};

   for (unsigned i = 0; i < ARRAY_COUNT(of_32_bits); i++) {
      if (strcmp(op->name, of_32_bits[i]) == 0) {
         return ocl_bits(base) <= 32;
      }
   }
   return glsl_has(op) && (strcmp(op->name, "mix_mod") != 0 || !ocl_signed(base));
}

/* convert_T() of any rounding, a cast. The rounding of GLSL's conversion is the one that the shader declares. */
static void narrow_conversion(const struct ocl_program *program, struct ocl_node *node)
{
   const uint8_t base = source_type(program, node, 0)->base;
   /* glslang rounds a constant that becomes a half toward zero */
   const bool folded = node->type.base == OCL_HALF && program->nodes[node->source[0]].kind == OCL_CONST;

   if (source_type(program, node, 0)->width != node->type.width || folded) {
      become_constant(node);
      return;
   }
   become(node, "convert", OCL_SHAPE_CONVERT, OCL_BY_TYPE, 1);
   /* what is out of range is compared first, component by component */
   if (ocl_real(base) && !ocl_real(node->type.base) && node->type.width != 1) {
      become_constant(node);
   }
}

/* as_T(), and the same through memory. */
static void narrow_bits(const struct ocl_program *program, struct ocl_node *node)
{
   const struct ocl_type *from = source_type(program, node, 0);

   if (from->width != node->type.width || ocl_bits(from->base) != ocl_bits(node->type.base)) {
      become_constant(node);
   } else {
      become(node, "as", OCL_SHAPE_AS, OCL_TO_EVEN, 1);
   }
}

static void narrow_parts(const struct ocl_program *program, struct ocl_node *node)
{
   unsigned width = 0;

   for (unsigned i = 0; i < node->count; i++) {
      width += source_type(program, node, i)->width;
   }
   if (width != node->type.width) {
      become_constant(node);
   }
}

static void narrow_op(const struct ocl_program *program, struct ocl_node *node)
{
   const struct ocl_op *op = &ocl_ops[node->op];

   node->outlined = node->outlined != OCL_INLINE && !op->body ? OCL_FUNCTION : OCL_INLINE;
   switch (op->shape) {
   case OCL_SHAPE_CONVERT:
   case OCL_SHAPE_CAST:
      narrow_conversion(program, node);
      return;
   case OCL_SHAPE_AS:
      narrow_bits(program, node);
      return;
   case OCL_SHAPE_BUILD:
      narrow_parts(program, node);
      return;
   case OCL_SHAPE_SWIZZLE:
   case OCL_SHAPE_INSERT:
   case OCL_SHAPE_REVERSE:
      return;
   case OCL_SHAPE_SHUFFLE:
   case OCL_SHAPE_SHUFFLE2:
      become(node, "swizzle", OCL_SHAPE_SWIZZLE, OCL_TO_EVEN, 1);
      return;
   case OCL_SHAPE_DIVIDE: /* of negative numbers % has any result */
      if (strcmp(op->name, "mod") == 0 && ocl_signed(node->type.base)) {
         become(node, "div", OCL_SHAPE_DIVIDE, OCL_TO_EVEN, 2);
      }
      return;
   default:
      break;
   }
   if (!is_said(op, node->type.base)) {
      replace(program, node);
      op = &ocl_ops[node->op];
      if (node->kind == OCL_OP && op->shape == OCL_SHAPE_CONVERT) {
         narrow_conversion(program, node);
      }
   }
}

/* ---- The rest ---- */

static void narrow_node(const struct ocl_program *program, struct ocl_node *node)
{
   narrow_type(&node->type);
   switch ((enum ocl_kind)node->kind) {
   case OCL_CONST:
      narrow_values(node->type, node->data);
      break;
   case OCL_ID: /* a constant dimension */
      node->count = 0;
      node->data[0] %= 3;
      break;
   case OCL_OWN:
   case OCL_EXCHANGE:
   case OCL_ATOMIC: /* in shared memory */
      node->slot = 0;
      node->form = 0;
      break;
   case OCL_OP:
      narrow_op(program, node);
      break;
   case OCL_INPUT:
   case OCL_OUTPUT:
      node->form = 0;
      break;
   default:
      break;
   }
}

static void narrow_object(struct ocl_object *object)
{
   narrow_type(&object->type);
   object->space = object->space == OCL_LOCAL || object->space == OCL_CONSTANT ? object->space : (uint8_t)OCL_PRIVATE;
   object->space = object->record != 0 ? (uint8_t)OCL_PRIVATE : object->space;
   object->spread = 0;
   object->list = OCL_ASSIGNED;
   narrow_values(object->type, object->start);
}

static void narrow_arguments(struct ocl_program *program)
{
   for (uint32_t i = 0; i < program->inputs; i++) {
      narrow_type(&program->input_type[i]);
      for (unsigned lane = 0; lane < OCL_LANES; lane++) {
         narrow_values(program->input_type[i], program->input[i][lane]);
      }
   }
   for (uint32_t i = 0; i < program->outputs; i++) {
      narrow_type(&program->output_type[i]);
   }
   for (uint32_t i = 0; i < program->scalars; i++) {
      narrow_type(&program->scalar_type[i]);
      narrow_values(program->scalar_type[i], program->scalar[i]);
   }
}

void glsl_narrow(struct ocl_program *program)
{
   program->rounded = program->nans = program->wide_lane = program->integer_modes = program->unrepaired = false;
   narrow_arguments(program);
   for (uint32_t i = 0; i < program->objects; i++) {
      narrow_object(&program->object[i]);
   }
   for (uint32_t i = 0; i < program->count; i++) {
      narrow_node(program, &program->nodes[i]);
   }
}
