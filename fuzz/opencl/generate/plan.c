/* SPDX-License-Identifier: MIT
 *
 * The types of an operation's operands. Invariant: OpenCL C accepts what ocl_plan() accepts.
 */
#include <string.h>

#include "fuzz/opencl/generate/generator.h"

/* Returns an integer type of the same size. */
static struct ocl_type either_sign(struct ocl_generator *generator, struct ocl_type type)
{
   if (ocl_real(type.base)) {
      return ocl_with_base(type, (type.base == OCL_HALF ? OCL_SHORT : OCL_INT) + ocl_below(generator, 2));
   }
   return ocl_with_base(type, (type.base & ~1u) | ocl_below(generator, 2));
}

/* For comparisons. Returns false if no comparison has this type. */
static bool compared(struct ocl_generator *generator, struct ocl_type result, struct ocl_type *type)
{
   type->width = result.width;
   type->base = result.width != 1 ? either_sign(generator, result).base : ocl_any_integer(generator);
   return result.width != 1 ? ocl_signed(result.base) : result.base == OCL_INT;
}

/* For comparisons of floats. */
static bool compared_reals(struct ocl_generator *generator, struct ocl_type result, struct ocl_type *type)
{
   const bool halves = result.width != 1 ? result.base == OCL_SHORT : generator->halves && ocl_chance(generator, 40);

   *type = ocl_with_base(result, halves ? OCL_HALF : OCL_FLOAT);
   return generator->reals && (generator->halves || !halves) &&
          (result.base == OCL_INT || (result.width != 1 && result.base == OCL_SHORT));
}

static unsigned vector_width(struct ocl_generator *generator)
{
   static const uint8_t vectors[] = {2, 3, 4, 8, 16};

   return vectors[ocl_below(generator, 5)];
}

/* Chooses the vectors of shuffle(), which exists for these widths. */
static struct ocl_type shuffled(struct ocl_generator *generator, struct ocl_type type)
{
   static const uint8_t allowed[] = {2, 4, 8, 16};

   return ocl_with_width(type, allowed[ocl_below(generator, 4)]);
}

static bool plan_whole(struct ocl_generator *generator, enum ocl_shape shape, struct ocl_type type,
                       struct ocl_plan *plan)
{
   const unsigned bits = ocl_bits(type.base) * type.width;
   unsigned left = type.width;

   switch (shape) {
   case OCL_SHAPE_AS:
      plan->source[0] = ocl_any_type(generator);
      return !ocl_real(type.base) && ocl_bits(plan->source[0].base) * plan->source[0].width == bits &&
             !ocl_same(plan->source[0], type) && (type.width == 3) == (plan->source[0].width == 3);
   case OCL_SHAPE_SWIZZLE:
      plan->source[0] = ocl_with_width(type, vector_width(generator));
      for (unsigned i = 0; i < type.width; i++) {
         plan->data[i] = ocl_below(generator, plan->source[0].width);
      }
      return true;
   case OCL_SHAPE_BUILD:
      for (plan->count = 0; left != 0; plan->count++) {
         unsigned width = plan->count == OCL_SOURCES - 1 ? left : ocl_any_width(generator);
         width = width > left ? left : width;
         if (width > 4 && width != 8) {
            return false;
         }
         left -= width;
         plan->source[plan->count] = ocl_with_width(type, width);
      }
      return type.width != 1 && plan->count > 1;
   case OCL_SHAPE_INSERT:
      plan->source[0] = type;
      plan->source[1] = ocl_with_width(type, 1);
      plan->data[0] = ocl_below(generator, type.width);
      return type.width != 1;
   case OCL_SHAPE_SHUFFLE:
   case OCL_SHAPE_SHUFFLE2:
      plan->source[0] = plan->source[1] = shuffled(generator, type);
      plan->source[shape == OCL_SHAPE_SHUFFLE ? 1 : 2] = ocl_with_base(type, type.base == OCL_HALF    ? OCL_USHORT
                                                                             : type.base == OCL_FLOAT ? OCL_UINT
                                                                                                      : type.base | 1u);
      return type.width != 1 && type.width != 3;
   case OCL_SHAPE_REVERSE:
      return type.width != 1;
   default: /* any, all */
      plan->source[0] = ocl_any_integer_type(generator);
      plan->source[0].base &= 6;
      return type.base == OCL_INT && type.width == 1;
   }
}

static bool plan_convert(struct ocl_generator *generator, const struct ocl_op *op, struct ocl_type type,
                         struct ocl_plan *plan)
{
   plan->source[0] = ocl_with_base(ocl_any_type(generator), ocl_any_type(generator).base);
   plan->source[0].width = type.width;
   if (generator->converting && !ocl_real(type.base) && ocl_chance(generator, 70)) {
      plan->source[0].base = generator->halves && ocl_chance(generator, 40) ? OCL_HALF : OCL_FLOAT;
   } else if (generator->converting && type.base == OCL_FLOAT && ocl_chance(generator, 70)) {
      plan->source[0].base = (uint8_t)(OCL_INT + ocl_below(generator, 4));
   }
   return plan->source[0].base != type.base && (op->shape == OCL_SHAPE_CONVERT || type.width == 1) &&
          !(op->saturates && ocl_real(type.base));
}

/* Chooses two scalars that C converts to `common`, at least int. */
static void plan_mixed(struct ocl_generator *generator, uint8_t common, struct ocl_plan *plan)
{
   const unsigned which = ocl_below(generator, 2);

   /* all narrower types convert to int */
   plan->source[which] =
       (struct ocl_type){.base = common == OCL_INT ? (uint8_t)ocl_below(generator, OCL_INT + 1) : common, .width = 1};
   plan->source[1 - which] = (struct ocl_type){.base = (uint8_t)ocl_below(generator, common + 1u), .width = 1};
}

static bool plan_real(struct ocl_generator *generator, const struct ocl_op *op, struct ocl_type type,
                      struct ocl_plan *plan)
{
   switch (op->shape) {
   case OCL_SHAPE_REAL:
      /* libclc 15 has no step() for halves */
      return ocl_real(type.base) && !(type.base == OCL_HALF && strcmp(op->name, "step") == 0);
   case OCL_SHAPE_TEST:
      if (!compared_reals(generator, type, &plan->source[0])) {
         return false;
      }
      plan->source[1] = plan->source[0];
      return true;
   case OCL_SHAPE_HALF_IN:
      plan->source[0] = ocl_with_base(type, OCL_SHORT + ocl_below(generator, 2));
      return type.base == OCL_FLOAT;
   case OCL_SHAPE_HALF_OUT:
      plan->source[0] = ocl_with_base(type, OCL_FLOAT);
      return generator->reals && (type.base == OCL_SHORT || type.base == OCL_USHORT);
   default: /* OCL_SHAPE_TO_FLOAT */
      plan->source[0] = either_sign(generator, type);
      return ocl_real(type.base);
   }
}

static bool is_real(enum ocl_shape shape)
{
   return shape == OCL_SHAPE_REAL || shape == OCL_SHAPE_TEST || shape == OCL_SHAPE_HALF_IN ||
          shape == OCL_SHAPE_HALF_OUT || shape == OCL_SHAPE_TO_FLOAT;
}

/* For operations whose operands have another kind. */
static bool plan_mixture(struct ocl_generator *generator, enum ocl_shape shape, struct ocl_type type,
                         struct ocl_plan *plan)
{
   switch (shape) {
   case OCL_SHAPE_WIDEN:
      plan->source[1] = ocl_with_width(type, 1);
      return type.width != 1 && !ocl_real(type.base);
   case OCL_SHAPE_MIX:
      plan_mixed(generator, type.base, plan);
      return type.width == 1 && type.base >= OCL_INT && !ocl_real(type.base);
   case OCL_SHAPE_MIX_TEST:
      plan_mixed(generator, (uint8_t)(OCL_INT + ocl_below(generator, 4)), plan);
      return type.width == 1 && type.base == OCL_INT;
   default: /* OCL_SHAPE_PICK */
      plan->source[0] = (struct ocl_type){.base = ocl_any_integer(generator), .width = 1};
      return true;
   }
}

bool ocl_plan(struct ocl_generator *generator, const struct ocl_op *op, struct ocl_type type, struct ocl_plan *plan)
{
   const bool real = ocl_real(type.base);

   *plan = (struct ocl_plan){.source = {type, type, type, type}, .count = op->arity};
   if (is_real(op->shape)) {
      return plan_real(generator, op, type, plan);
   }

   switch (op->shape) {
   case OCL_SHAPE_SAME:
      return true;
   case OCL_SHAPE_1:
   case OCL_SHAPE_2:
   case OCL_SHAPE_3:
   case OCL_SHAPE_SHIFT:
   case OCL_SHAPE_DIVIDE:
      return !real;
   case OCL_SHAPE_ABS:
   case OCL_SHAPE_ABS_2:
      plan->source[0] = plan->source[1] = either_sign(generator, type);
      return !real && !ocl_signed(type.base);
   case OCL_SHAPE_COMPARE:
      if (ocl_chance(generator, 30) && compared_reals(generator, type, &plan->source[0])) {
         plan->source[1] = plan->source[0];
         return true;
      }
      /* fall through */
   case OCL_SHAPE_LOGIC:
   case OCL_SHAPE_NOT:
      if (!compared(generator, type, &plan->source[0])) {
         return false;
      }
      plan->source[1] = plan->source[0];
      return true;
   case OCL_SHAPE_SELECT:
      plan->source[2] = either_sign(generator, type);
      return true;
   case OCL_SHAPE_CHOOSE:
      plan->source[0] =
          type.width == 1 ? ocl_with_base(type, ocl_any_integer(generator)) : either_sign(generator, type);
      if (type.width != 1 && !ocl_signed(plan->source[0].base)) {
         plan->source[0].base--; /* a vector's condition is signed */
      }
      return true;
   case OCL_SHAPE_CONVERT:
   case OCL_SHAPE_CAST:
      return plan_convert(generator, op, type, plan);
   case OCL_SHAPE_UPSAMPLE:
      plan->source[0] = ocl_with_base(type, type.base - 2u);
      plan->source[1] = ocl_with_base(type, (type.base - 2u) | 1u);
      return !real && type.base >= OCL_SHORT;
   case OCL_SHAPE_24:
   case OCL_SHAPE_24_3:
      return type.base == OCL_INT || type.base == OCL_UINT;
   case OCL_SHAPE_WIDEN:
   case OCL_SHAPE_MIX:
   case OCL_SHAPE_MIX_TEST:
   case OCL_SHAPE_PICK:
      return plan_mixture(generator, op->shape, type, plan);
   default:
      return plan_whole(generator, op->shape, type, plan);
   }
}
