/* SPDX-License-Identifier: MIT
 *
 * Compares a buffer with its expected values and prints the first difference. Invariant: a value outside of the
 * tolerance of its test never passes; two NaNs are equal.
 */
#include "agx_runner/piglit/format/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Returns the unit in the last place of a number in the scalar's precision: the distance to its neighbour away from
 * zero, by its exponent, so that it is finite for the largest number, too. */
static double unit_in_last_place(enum piglit_scalar scalar, double number)
{
   int minimum = piglit_scalar_minimum_exponent(scalar);
   int exponent = minimum;

   if (number != 0) {
      frexp(number, &exponent);
   }
   return ldexp(1.0, (exponent > minimum ? exponent : minimum) - 1 - (int)piglit_scalar_mantissa(scalar));
}

static bool float_matches(enum piglit_scalar scalar, double expected, double value, struct piglit_tolerance tolerance)
{
   double room = 0;

   /* With a tolerance of all units that a number has, the test accepts any result, as OpenCL C does for some results
    * out of range. */
   if (tolerance.kind == PIGLIT_ULP && tolerance.value.u >> (piglit_scalar_mantissa(scalar) + 1) != 0) {
      return true;
   }
   if (isnan(expected) || isnan(value)) {
      return isnan(expected) && isnan(value);
   }
   if (isinf(expected) || isinf(value)) {
      return expected == value;
   }
   if (tolerance.kind == PIGLIT_ABSOLUTE) {
      room = tolerance.value.f;
   } else if (tolerance.kind == PIGLIT_ULP) {
      room = (double)tolerance.value.u * unit_in_last_place(scalar, expected);
   }
   return fabs(value - expected) <= room;
}

bool piglit_value_matches(enum piglit_scalar scalar, union piglit_value expected, union piglit_value value,
                          struct piglit_tolerance tolerance)
{
   uint64_t room = tolerance.kind == PIGLIT_EXACT ? 0 : tolerance.value.u;

   switch (piglit_scalar_number(scalar)) {
   case PIGLIT_FLOATING:
      return float_matches(scalar, expected.f, value.f, tolerance);
   case PIGLIT_SIGNED:
      return (value.i > expected.i ? value.u - expected.u : expected.u - value.u) <= room;
   default:
      return (value.u > expected.u ? value.u - expected.u : expected.u - value.u) <= room;
   }
}

static void print_value(char *text, size_t size, enum piglit_scalar scalar, const void *memory)
{
   union piglit_value value = piglit_value_load(memory, scalar);
   uint64_t bits = 0;
   int digits = (int)(2 * piglit_scalar_size(scalar));

   memcpy(&bits, memory, piglit_scalar_size(scalar));
   switch (piglit_scalar_number(scalar)) {
   case PIGLIT_FLOATING:
      snprintf(text, size, "%.9g (0x%0*" PRIx64 ")", value.f, digits, bits);
      break;
   case PIGLIT_SIGNED:
      snprintf(text, size, "%" PRId64 " (0x%0*" PRIx64 ")", value.i, digits, bits);
      break;
   default:
      snprintf(text, size, "%" PRIu64 " (0x%0*" PRIx64 ")", value.u, digits, bits);
      break;
   }
}

static void describe(const struct piglit_argument *expected, size_t offset, const uint8_t *got, size_t element,
                     size_t component, char *message, size_t message_size)
{
   enum piglit_scalar scalar = expected->type.scalar;
   char want[64], have[64], room[48] = "";

   print_value(want, sizeof(want), scalar, expected->data + offset);
   print_value(have, sizeof(have), scalar, got + offset);
   if (expected->tolerance.kind == PIGLIT_ULP) {
      snprintf(room, sizeof(room), " within %" PRIu64 " ulp", expected->tolerance.value.u);
   } else if (expected->tolerance.kind == PIGLIT_ABSOLUTE) {
      if (piglit_scalar_number(scalar) == PIGLIT_FLOATING) {
         snprintf(room, sizeof(room), " within %g", expected->tolerance.value.f);
      } else {
         snprintf(room, sizeof(room), " within %" PRIu64, expected->tolerance.value.u);
      }
   }
   if (expected->type.components > 1) {
      snprintf(message, message_size, "argument %u, %s%u[%zu].s%zx: expected %s%s, got %s", expected->index,
               piglit_scalar_name(scalar), expected->type.components, element, component, want, room, have);
   } else {
      snprintf(message, message_size, "argument %u, %s[%zu]: expected %s%s, got %s", expected->index,
               piglit_scalar_name(scalar), element, want, room, have);
   }
}

bool piglit_compare(const struct piglit_argument *expected, const void *got, char *message, size_t message_size)
{
   enum piglit_scalar scalar = expected->type.scalar;
   size_t stride = piglit_type_stride(expected->type), size = piglit_scalar_size(scalar);

   for (size_t i = 0; i < expected->length; i++) {
      for (size_t c = 0; c < expected->type.components; c++) {
         size_t offset = i * stride + c * size;
         if (!piglit_value_matches(scalar, piglit_value_load(expected->data + offset, scalar),
                                   piglit_value_load((const uint8_t *)got + offset, scalar), expected->tolerance)) {
            describe(expected, offset, got, i, c, message, message_size);
            return false;
         }
      }
   }
   return true;
}
