/* SPDX-License-Identifier: MIT
 *
 * A generated program: a list of nodes, each of which reads earlier nodes only, and its data. It contains no pointer,
 * so that it can be copied, sent through a pipe and shrunk node by node. No Mesa type is visible here.
 *
 * One threadgroup of FUZZ_LANES threads runs it: two simdgroups. Each output is stored to its own slot for each lane.
 */
#ifndef COMPILER_FUZZ_PROGRAM_H
#define COMPILER_FUZZ_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "compiler/api/compiler.h"

#define FUZZ_SIMD 32      /* lanes of a simdgroup */
#define FUZZ_LANES 64     /* lanes of the threadgroup: at most the bits of a word */
#define FUZZ_NODES 1024   /* most nodes of a program */
#define FUZZ_SOURCES 4    /* most sources of a node */
#define FUZZ_INPUTS 96    /* slots of inputs, 64 bits for each lane */
#define FUZZ_OUTPUTS 96   /* slots of outputs, 64 bits for each lane */
#define FUZZ_UNIFORMS 16  /* kernel arguments: four each of 64, 32, 16 and 8 bits */
#define FUZZ_MEMORY 64    /* bytes of device memory and of threadgroup memory for each lane */
#define FUZZ_VARIABLES 16 /* variables of a program, which control flow changes */

enum fuzz_kind {
   FUZZ_NONE,    /* a node that was removed */
   FUZZ_CONST,   /* value */
   FUZZ_INPUT,   /* input `slot` of this lane */
   FUZZ_UNIFORM, /* kernel argument `slot`, whose width is `bits` */
   FUZZ_ALU,     /* nir_op `op` of the sources */
   FUZZ_OUTPUT,  /* stores source 0 to output `slot` */
   FUZZ_SET,     /* sets variable `slot` to source 0 */
   FUZZ_GET,     /* reads variable `slot` */
   FUZZ_IF,      /* source 0: a boolean */
   FUZZ_ELSE,    /* of the innermost open if */
   FUZZ_ENDIF,   /* ends the innermost if */
   /* repeats up to the matching ENDLOOP, source 0 (modulo 8) times; value: 2 * the kind of its counter + 1 if the test
    * is at the end: then it runs at least once */
   FUZZ_LOOP,
   FUZZ_ENDLOOP, /* ends the innermost loop */
   FUZZ_BREAK,   /* leaves the innermost loop if source 0 is true */
   /* from this lane's part of memory: source 0 * size + value, wrapped to fit; op: enum fuzz_space; a vector of
    * `components`. Slot 1 to 3: its address is only a multiple of 1 << (slot - 1), which is less than its size */
   FUZZ_LOAD,
   FUZZ_STORE, /* the same address; stores source 1 */
   /* through threadgroup memory: source 0 of the lane whose number differs by `value`, in either simdgroup */
   FUZZ_EXCHANGE,
   FUZZ_SUBGROUP, /* enum fuzz_subgroup `op` of source 0; source 1 or `value` is the lane if it needs one */
   /* 32 bits, at the address of a LOAD; op: 2 * index of an atomic + enum fuzz_space; source 1: the value, source 2:
    * the compared value; gives the old value */
   FUZZ_ATOMIC,
   /* through threadgroup memory: each lane's word is source 1; then four lanes, or all if value & 64, apply atomic `op`
    * with source 0 to one word; gives the lane's own word. value & 128: the atomic's result is used in a way that
    * changes nothing */
   FUZZ_COMBINE,
   FUZZ_CONTINUE, /* continues with the next iteration of the innermost loop if source 0 is true */
   FUZZ_KINDS
};

enum fuzz_space { FUZZ_DEVICE, FUZZ_THREADGROUP, FUZZ_SPACES };

/* Operations of a simdgroup. The first ones are 4 * the number of an integer operation + 0 for a shuffle, 1 for a
 * reduction, 2 and 3 for an exclusive or inclusive scan. Ballots and votes read booleans, and votes give one. */
enum fuzz_subgroup {
   FUZZ_SUBGROUP_SCANS = 32,
   FUZZ_SUBGROUP_BROADCAST = FUZZ_SUBGROUP_SCANS,
   FUZZ_SUBGROUP_FIRST,
   FUZZ_SUBGROUP_BALLOT,
   FUZZ_SUBGROUP_ANY,
   FUZZ_SUBGROUP_ALL,
   FUZZ_SUBGROUP_EQUAL,
   FUZZ_SUBGROUPS
};

/* Atomics whose order among lanes does not matter come first. */
enum { FUZZ_COMMUTATIVE_ATOMICS = 8, FUZZ_ATOMICS = 10 };

/* The lowest bits of a word. */
static inline uint64_t fuzz_mask(unsigned bits)
{
   return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

struct fuzz_source {
   uint16_t node;
   uint16_t component;
};

struct fuzz_node {
   uint8_t kind;       /* enum fuzz_kind */
   uint8_t bits;       /* of a component: 1, 8, 16, 32, 64 */
   uint8_t components; /* 1 to 4 */
   uint8_t exact;      /* float: signed zero, infinity and NaN must be right, and nothing may be reassociated */
   uint16_t op;
   uint16_t slot;
   struct fuzz_source sources[FUZZ_SOURCES];
   uint64_t value;
};

struct fuzz_program {
   uint32_t count, inputs, outputs;
   int32_t rule;          /* index of the rule that made it; -1: none */
   uint32_t rule_outputs; /* number of first outputs that belong to its instances */
   uint32_t registers;    /* enum fuzz_registers: how many the backend may use */
   uint32_t variable_bits[FUZZ_VARIABLES];
   uint64_t uniform[FUZZ_UNIFORMS];
   uint64_t input[FUZZ_INPUTS][FUZZ_LANES];
   struct fuzz_node nodes[FUZZ_NODES];
};

/* Whether a lane's value of an output is determined, and how exactly. */
enum fuzz_certainty {
   FUZZ_EXACT = 0,
   FUZZ_ANY_NAN = 1, /* a NaN, but its bits are not determined */
   FUZZ_CLOSE = 2,   /* a float that correct compilers may compute in other ways */
   /* an integer computed from an approximation, as in a lowered division, or an approximation that may be out of range:
    * only the right value counts */
   FUZZ_DERIVED = 3,
   FUZZ_UNDEFINED = 4, /* not determined, so it is not compared */
};

struct fuzz_outputs {
   uint64_t value[FUZZ_OUTPUTS][FUZZ_LANES];
   uint8_t certainty[FUZZ_OUTPUTS][FUZZ_LANES];
   uint8_t bits[FUZZ_OUTPUTS]; /* 0: the program does not store it */
   bool valid;                 /* false: the interpreter does not support the program; see `why` */
   char why[96];
   uint8_t memory[FUZZ_LANES][FUZZ_MEMORY]; /* device memory at the end */
   bool memory_undefined;
   bool derived; /* an address, a branch or memory depends on a FUZZ_DERIVED value */
};

/* bytes of the argument block: addresses of outputs, inputs and memory, then the uniforms */
#define FUZZ_ARGUMENT_BYTES 84
void fuzz_arguments(const struct fuzz_program *program, uint64_t outputs, uint64_t inputs, uint64_t memory,
                    uint8_t block[FUZZ_ARGUMENT_BYTES]);

/* Builds NIR, computes what the program must store by interpreting that NIR, and compiles it. Returns what
 * compiler_nir() returns. */
int fuzz_compile(const struct fuzz_program *program, const struct compiler_options *options,
                 struct fuzz_outputs *expected, struct compiler_result *result);

/* Only computes what the program must store. */
void fuzz_evaluate(const struct fuzz_program *program, struct fuzz_outputs *expected);

/* Nodes. */
unsigned fuzz_source_count(const struct fuzz_node *node);
bool fuzz_is_value(const struct fuzz_node *node);
/* Whether the kind's file format has `op` beside `value`. */
bool fuzz_keeps_op(const struct fuzz_node *node);
bool fuzz_takes_vector(const struct fuzz_node *node, unsigned source);
/* Returns the bits of a subgroup operation's source; 0: it has none for this result. */
unsigned fuzz_subgroup_reads(const struct fuzz_node *node);
#define FUZZ_COUNTERS 5                                                        /* kinds of counters */
bool fuzz_has_effect(const struct fuzz_node *node);                            /* it is always built */
void fuzz_needed(const struct fuzz_program *program, bool needed[FUZZ_NODES]); /* the nodes that are built */
/* Whether each if and loop has its end, each break its loop, each constant source is a constant, and each value is read
 * in its scope. */
bool fuzz_valid(const struct fuzz_program *program);
void fuzz_compact(struct fuzz_program *program); /* removes unneeded nodes and inputs */
/* Computes the value of a node at its place. Returns false if it is not determined in all lanes. */
bool fuzz_node_values(const struct fuzz_program *program, uint32_t index, uint64_t values[FUZZ_LANES]);
/* Prints the program, its data in one lane, and what it must store there. */
void fuzz_print(FILE *file, const void *program, uint32_t lane);
/* Write and read a program as a file. -EIO; reading: -EINVAL with the malformed line, or an op that this Mesa lacks. */
int fuzz_write(FILE *file, const struct fuzz_program *program);
int fuzz_read(FILE *file, struct fuzz_program *program, unsigned *bad_line);
/* Returns the name of a node's op. */
const char *fuzz_op_name(const struct fuzz_node *node);

/* Returns an op of NIR as operations of OpenCL C, in the order of a stack machine. bits: of its first source. NULL: it
 * has no translation. Booleans are int, 0 or 1. A row has these words:
 * - "ua", "ib", "fc": a source (a to d) as an unsigned number, a signed number, a float; "ua1": its component 1.
 * - "u#8", "i16#-1": a number of the first source's width, or of the width that is named. "u#w" is the first source's
 *   width, "u#m" that less one, "u#c" the bits below the component of the result that is wanted.
 * - "add": an operation, by its name in ocl_ops. "add:u32" names its result's type; "r" stands there for the width of
 *   the op's result, "s" for that of its first source. "!add" is computed here where all operands are numbers. */
const char *fuzz_op_in_opencl(const char *name, unsigned bits);
/* Returns the names of the table of ops one by one, for tests. NULL: no more. */
const char *fuzz_op_row(unsigned row);

/* Finds the first difference between two sets of outputs: another value, or one that is no longer determined. Returns
 * false if there is none. */
struct fuzz_difference {
   uint32_t output, lane;
   uint32_t component; /* of a vector; of programs in NIR 0 */
   uint64_t expected, found;
};
bool fuzz_differ(const struct fuzz_outputs *expected, const struct fuzz_outputs *found,
                 struct fuzz_difference *difference);
/* Whether they differ in one output of one lane; output FUZZ_OUTPUTS is the lane's memory. */
bool fuzz_lane_differs(const struct fuzz_outputs *expected, const struct fuzz_outputs *found, uint32_t output,
                       uint32_t lane);
/* The same from output `first` on. Output FUZZ_OUTPUTS is the memory that the program leaves. */
bool fuzz_differ_from(const struct fuzz_outputs *expected, const struct fuzz_outputs *found, uint32_t first,
                      struct fuzz_difference *difference);

/* Whether a program fails in the way that is looked for. */
typedef bool fuzz_fails(void *program, void *data);
/* Changes `program`, which fails, into a smaller one that fails. difference: where it fails; NULL: everywhere (a
 * crash). */
void fuzz_shrink(void *program, const struct fuzz_difference *difference, fuzz_fails *fails, void *data);

/* The shape of a shrunk program: its ops, without data: "iand(ushr(_,_),#)" of every effect of the program. A program
 * that holds a shape that was found before most likely fails for the same cause. */
void fuzz_shape(const void *program, char *text, size_t size);
/* Whether the computation of the program's output `output` holds the whole of a shrunk program. */
bool fuzz_contains(const struct fuzz_program *program, uint32_t output, const struct fuzz_program *shrunk);

#endif
