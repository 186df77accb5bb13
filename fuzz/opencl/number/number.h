/* SPDX-License-Identifier: MIT
 *
 * The numbers of OpenCL C: its scalar types, their values, rounding and conversions, for its evaluator and for the
 * interpreter of NIR. Invariant: a value has its type's bits, zero-extended to 64 bits.
 */
#ifndef AGX_RUNNER_FUZZ_OPENCL_NUMBER_H
#define AGX_RUNNER_FUZZ_OPENCL_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

typedef __int128 ocl_wide; /* holds every integer, and sums and products of two */

/* The integer types: an even number is signed, the next one is the unsigned type of the same size. Then floats, whose
 * values are never denormal, and NaN only if the kernel's `nans` is set. */
enum ocl_base {
   OCL_CHAR,
   OCL_UCHAR,
   OCL_SHORT,
   OCL_USHORT,
   OCL_INT,
   OCL_UINT,
   OCL_LONG,
   OCL_ULONG,
   OCL_INTEGERS,
   OCL_HALF = OCL_INTEGERS,
   OCL_FLOAT,
   OCL_BASES
};

/* How a result between two floats, or between two integers, is rounded. OCL_BY_TYPE, for conversions only: to zero for
 * a conversion to an integer, else to even. */
enum ocl_rounding { OCL_TO_EVEN, OCL_TO_ZERO, OCL_UP, OCL_DOWN, OCL_BY_TYPE };

static inline unsigned ocl_bits(uint8_t base)
{
   return base < OCL_INTEGERS ? 8u << (base >> 1) : base == OCL_HALF ? 16 : 32;
}

static inline bool ocl_real(uint8_t base)
{
   return base >= OCL_INTEGERS;
}

static inline bool ocl_signed(uint8_t base)
{
   return base < OCL_INTEGERS && (base & 1) == 0;
}

static inline uint64_t ocl_mask(uint8_t base)
{
   return UINT64_MAX >> (64 - ocl_bits(base));
}

/* Returns the value of a component as a number. */
static inline int64_t ocl_sext(uint8_t base, uint64_t value)
{
   const unsigned unused = 64 - ocl_bits(base);

   return (int64_t)(value << unused) >> unused;
}

/* Returns an integer's number. */
static inline ocl_wide ocl_integer(uint8_t base, uint64_t value)
{
   return ocl_signed(base) ? (ocl_wide)ocl_sext(base, value) : (ocl_wide)value;
}

/* Returns the nearest number of an integer type. */
uint64_t ocl_clamp(uint8_t base, ocl_wide value);
/* Whether a number is in the range of an integer type. */
bool ocl_in_range(uint8_t base, long double value);
/* Converts a value of type `from` to type `base`, as convert_T() does: a float that is out of range gives the nearest
 * integer, and NaN 0; an integer does if it saturates, and else keeps its low bits. */
uint64_t ocl_convert(uint8_t base, uint8_t from, uint64_t value, enum ocl_rounding rounding, bool saturates);

enum ocl_atomic {
   OCL_ATOMIC_ADD,
   OCL_ATOMIC_SUB,
   OCL_ATOMIC_MIN,
   OCL_ATOMIC_MAX,
   OCL_ATOMIC_AND,
   OCL_ATOMIC_OR,
   OCL_ATOMIC_XOR,
   OCL_ATOMICS, /* the order of the atomics before this one does not matter */
   OCL_ATOMIC_XCHG = OCL_ATOMICS,
   OCL_ATOMIC_INC,
   OCL_ATOMIC_DEC,
   OCL_ATOMIC_CMPXCHG, /* with data[1] */
   OCL_ATOMICS_OWN
};

/* Returns what memory holds after an atomic, where it has held `old`. compare: of OCL_ATOMIC_CMPXCHG. */
uint64_t ocl_atomic(enum ocl_atomic op, uint8_t base, uint64_t old, uint64_t value, uint64_t compare);

/* Returns a float's exact value. */
long double ocl_real_value(uint8_t base, uint64_t bits);
/* Rounds a number to a float. */
uint64_t ocl_real_round(uint8_t base, long double value, enum ocl_rounding rounding);
long double ocl_round(long double value, enum ocl_rounding rounding);
/* Returns a sum that rounds to any float as the exact sum does. */
long double ocl_sum(long double a, long double b);
bool ocl_is_nan(uint8_t base, uint64_t bits);
/* Returns the number that replaces a NaN: 1.5. */
uint64_t ocl_instead_of_nan(uint8_t base);
/* Whether it is neither infinite nor a NaN, and either 0 or not denormal. */
bool ocl_real_normal(uint8_t base, uint64_t bits);

#endif
