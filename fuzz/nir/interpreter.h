/* SPDX-License-Identifier: MIT
 *
 * The state of the interpreter of NIR, for interpret.c, intrinsics.c and derefs.c alone.
 */
#ifndef COMPILER_FUZZ_INTERPRETER_H
#define COMPILER_FUZZ_INTERPRETER_H

#include <setjmp.h>

#include "compiler/nir/nir.h"

#include "fuzz/nir/memory.h"
#include "fuzz/nir/program.h"
#include "fuzz/nir/values.h"

#define FUZZ_PRIVATE_BASE UINT64_C(0x500000000)
#define FUZZ_PRIVATE_BYTES 16384 /* bytes of each lane */
#define FUZZ_SCRATCH_BYTES 16384 /* most bytes of each lane */
#define FUZZ_PREAMBLE_HALVES 1024
#define FUZZ_SHARED_BYTES 32768
#define FUZZ_MEMORY_BASE UINT64_C(0x300000000)
#define FUZZ_ARGUMENT_BASE UINT64_C(0x400000000)

typedef uint64_t lane_mask;

struct lanes {
   nir_const_value *values; /* [lane * components + component] */
   uint8_t *certainty;      /* same index */
   uint64_t *known;         /* same index: the determined bits of a FUZZ_UNDEFINED value */
};

/* The operands of an op in one lane, with their swizzles applied. */
struct operands {
   nir_const_value value[NIR_ALU_MAX_INPUTS][NIR_MAX_VEC_COMPONENTS];
   uint8_t certainty[NIR_ALU_MAX_INPUTS][NIR_MAX_VEC_COMPONENTS];
   uint64_t known[NIR_ALU_MAX_INPUTS][NIR_MAX_VEC_COMPONENTS];
   unsigned bits[NIR_ALU_MAX_INPUTS], components[NIR_ALU_MAX_INPUTS];
   unsigned width; /* width of the op, as Mesa's evaluator needs it */
};

/* Bytes and their certainty. */
struct region {
   uint64_t base, size;
   uint8_t *bytes, *certainty;
};
enum {
   REGION_OUTPUTS,
   REGION_INPUTS,
   REGION_MEMORY,
   REGION_ARGUMENTS,
   REGION_PRIVATE,
   REGION_SHARED,
   REGION_SCRATCH,
   REGIONS
};

/* The simdgroups that accessed a byte of threadgroup memory: epoch << 2 | a bit for each. */
struct shared_access {
   uint32_t stored, loaded, updated; /* updated: by an atomic */
};

/* The state of the caller of a function. */
struct interpreter_frame {
   struct lanes *defs;
   uint32_t def_count;
};

struct interpreter {
   void *context; /* ralloc context */
   const nir_shader *nir;
   const struct fuzz_memory *memory;
   char *why;          /* a buffer of FUZZ_WHY bytes */
   struct lanes *defs; /* values of the current function, by index */
   uint32_t def_count;
   const nir_block *previous[FUZZ_LANES];
   lane_mask breaking, continuing; /* lanes that left the innermost loop, or its current iteration */
   uint8_t preamble[FUZZ_PREAMBLE_HALVES * 2], preamble_certainty[FUZZ_PREAMBLE_HALVES * 2];
   struct region regions[REGIONS];
   struct shared_access *shared; /* by byte of threadgroup memory; NULL: none was accessed */
   uint8_t *owner;               /* by byte of the outputs: 1 + the last lane that stored it; 0: none */
   uint32_t epoch;               /* number of barriers so far */
   uint64_t steps;
   bool derived;               /* as in struct fuzz_outputs */
   const nir_call_instr *call; /* call of the current function; NULL: it is the kernel */
   const struct interpreter_frame *caller;
   struct hash_table *variables; /* offset in each lane's private memory, plus 1 */
   uint64_t private_bytes;
   struct fuzz_addresses at; /* addresses of the buffers */
   struct fuzz_values *kept; /* NULL: values are not recorded */
   uint32_t kept_first;      /* number of lane 0 among the recorded lanes */
   bool exact;               /* all float ops are exact, as in kernels in OpenCL C */
   jmp_buf failed;
};

/* Ends the interpretation, because the shader contains something that is not supported. */
__attribute__((format(printf, 2, 3))) _Noreturn void fuzz_fail(struct interpreter *run, const char *format, ...);

/* Returns the lanes of a value. */
const struct lanes *fuzz_lanes(struct interpreter *run, nir_src src);
struct lanes *fuzz_define(struct interpreter *run, const nir_def *def);
const nir_const_value *fuzz_lane_value(struct interpreter *run, nir_src src, unsigned lane);
/* Returns the certainty of the least certain component of a value: a greater number is less certain. */
uint8_t fuzz_certainty(struct interpreter *run, nir_src src, unsigned lane);
/* Copies one lane's value to another place with the same number of components. */
void fuzz_copy(struct lanes *to, unsigned to_lane, const struct lanes *from, unsigned from_lane, unsigned components);
/* Marks a lane's value as undetermined. */
void fuzz_undefine(struct lanes *lanes, unsigned lane, unsigned components);
/* Returns which bits of one component of a result are determined if operands are FUZZ_UNDEFINED. */
uint64_t fuzz_known_bits(const nir_alu_instr *alu, const struct operands *operands, unsigned c);
/* Returns the certainty of a value that depends on one of this certainty and is no result of an op. */
enum fuzz_certainty fuzz_dependent(uint8_t certainty);
/* Appends one lane's number to a recorded series. */
void fuzz_keep(struct interpreter *run, enum fuzz_series_kind kind, const void *of, unsigned lane, uint64_t value);
void fuzz_require_certain(struct interpreter *run, nir_src src, unsigned lane, const char *what);
/* Private, threadgroup or scratch memory. It is allocated on first use: few programs have any, and filling it takes
 * longer than interpreting most programs. */
struct region *fuzz_unwritten_region(struct interpreter *run, unsigned number);
void fuzz_intrinsic(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask);
/* Evaluates pointers to arguments and private variables, and to parts of these. */
void fuzz_point(struct interpreter *run, const nir_deref_instr *deref, lane_mask mask);
/* OpenCL's conversions. */
void fuzz_convert(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask);

#define FOREACH_LANE(lane, mask)                                                                                       \
   for (unsigned lane = 0; lane < FUZZ_LANES; lane++)                                                                  \
      if (((mask) >> lane & 1) != 0)

#endif
