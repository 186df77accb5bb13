/* SPDX-License-Identifier: MIT
 *
 * A generated program: a list of nodes, each of which reads earlier nodes only, and the data that it runs on. It has no
 * pointer, so that it can be copied, sent through a pipe and shrunk node by node. No Mesa type shows here.
 *
 * One threadgroup of FUZZ_LANES threads runs it: two simdgroups. Each output is stored to a slot of its own for each
 * lane.
 */
#ifndef COMPILER_FUZZ_PROGRAM_H
#define COMPILER_FUZZ_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "compiler/compiler.h"

#define FUZZ_SIMD 32      /* lanes of a simdgroup */
#define FUZZ_LANES 64     /* of the threadgroup: at most the bits of a word */
#define FUZZ_NODES 1024   /* of a program */
#define FUZZ_SOURCES 4    /* of a node */
#define FUZZ_INPUTS 96    /* slots of inputs, 64 bits for each lane */
#define FUZZ_OUTPUTS 96   /* slots of outputs, 64 bits for each lane */
#define FUZZ_UNIFORMS 16  /* kernel arguments: four each of 64, 32, 16 and 8 bits */
#define FUZZ_MEMORY 64    /* bytes of device memory and of threadgroup memory for each lane */
#define FUZZ_VARIABLES 16 /* of a program: values that control flow changes */

enum fuzz_kind {
   FUZZ_NONE,    /* a node that was removed */
   FUZZ_CONST,   /* value */
   FUZZ_INPUT,   /* input `slot` of this lane */
   FUZZ_UNIFORM, /* kernel argument `slot`, whose width is `bits` */
   FUZZ_ALU,     /* nir_op `op` of the sources */
   FUZZ_OUTPUT,  /* stores source 0 to output `slot` */
   FUZZ_SET,     /* variable `slot` becomes source 0 */
   FUZZ_GET,     /* variable `slot` */
   FUZZ_IF,      /* source 0: a boolean */
   FUZZ_ELSE,    /* of the innermost open if */
   FUZZ_ENDIF,   /* ends it */
   FUZZ_LOOP,    /* repeats to the matching ENDLOOP, source 0 (modulo 8) times; value: 2 * the kind of its counter + 1
                    where the test stands at the end: then it repeats once at least */
   FUZZ_ENDLOOP, /* ends it */
   FUZZ_BREAK,   /* leaves the innermost loop where source 0 is true */
   FUZZ_LOAD,  /* from this lane's part of memory: source 0 * size + value, cut to fit; op: enum fuzz_space; a vector of
                  `components`. Slot 1 to 3: its address is a multiple of 1 << (slot - 1) alone, less than its size */
   FUZZ_STORE, /* the same, of source 1 */
   FUZZ_EXCHANGE, /* through threadgroup memory: source 0 of the lane whose number differs by `value`: of either
                     simdgroup */
   FUZZ_SUBGROUP, /* enum fuzz_subgroup `op` of source 0; source 1 or `value` is the lane where it has one */
   FUZZ_ATOMIC, /* 32 bits, at the address of a LOAD; op: 2 * index of an atomic + enum fuzz_space; source 1: the value,
                   source 2: what it must be for an exchange; gives what was there */
   FUZZ_COMBINE,  /* through threadgroup memory: each lane's word is source 1; then four lanes, or all if value & 64,
                     apply atomic `op` with source 0 to one word; gives the lane's own word. value & 128: what the
                     atomic gives is used, in a way that changes nothing */
   FUZZ_CONTINUE, /* goes on with the next turn of the innermost loop where source 0 is true */
   FUZZ_KINDS
};

enum fuzz_space { FUZZ_DEVICE, FUZZ_THREADGROUP, FUZZ_SPACES };

/* Of a simdgroup. The first ones are 4 * the number of an operation of integers + 0 for a shuffle, 1 for a reduction, 2
 * and 3 for a scan that is exclusive or inclusive. Ballots and votes read booleans, and votes give one. */
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

/* The atomics whose order among lanes does not matter come first. */
enum { FUZZ_COMMUTATIVE_ATOMICS = 8, FUZZ_ATOMICS = 10 };

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
   int32_t rule;          /* of the rule table, that made it; -1: none */
   uint32_t rule_outputs; /* so many of the first outputs are of its instances */
   uint32_t registers;    /* enum fuzz_registers: how many the backend may use */
   uint32_t variable_bits[FUZZ_VARIABLES];
   uint64_t uniform[FUZZ_UNIFORMS];
   uint64_t input[FUZZ_INPUTS][FUZZ_LANES];
   struct fuzz_node nodes[FUZZ_NODES];
};

/* Whether a lane's value of an output is determined, and how exactly. */
enum fuzz_certainty {
   FUZZ_EXACT = 0,
   FUZZ_ANY_NAN = 1,   /* a NaN; which one is not determined */
   FUZZ_CLOSE = 2,     /* a float that correct compilers may compute in other ways */
   FUZZ_DERIVED = 3,   /* an integer made of an approximation, as in a division that was lowered, or an approximation
                          that may be out of range: only a right one counts */
   FUZZ_UNDEFINED = 4, /* not determined: not compared */
};

struct fuzz_outputs {
   uint64_t value[FUZZ_OUTPUTS][FUZZ_LANES];
   uint8_t certainty[FUZZ_OUTPUTS][FUZZ_LANES];
   uint8_t bits[FUZZ_OUTPUTS]; /* 0: the program does not store it */
   bool valid;                 /* false: the interpreter met something that it does not know; `why` */
   char why[96];
   uint8_t memory[FUZZ_LANES][FUZZ_MEMORY]; /* device memory in the end */
   bool memory_undefined;
   bool derived; /* an address, a branch or memory depends on what is FUZZ_DERIVED */
};

/* A random expression graph, instances of one of Mesa's algebraic rules, a program with control flow and memory, or a
 * small one that spills. The same seed gives the same one. */
enum fuzz_family { FUZZ_RANDOM, FUZZ_RULE, FUZZ_CONTROL, FUZZ_SMALL };
void fuzz_generate(struct fuzz_program *program, uint64_t seed, enum fuzz_family family, int32_t rule);
/* How many rules Mesa's algebraic tables have. */
uint32_t fuzz_rule_count(void);
/* A rule's search pattern as Mesa's table has it, and the pass that it belongs to. */
const char *fuzz_rule_text(uint32_t rule, const char **pass);
/* Why no program holds a rule's pattern: "op NAME", "op NAME of N bits". */
void fuzz_rule_obstacle(uint32_t rule, char *why, size_t size);
/* Whether the pass of a rule program's rule changes it: some rule of that pass fired. */
bool fuzz_rule_fires(const struct fuzz_program *program);

/* The argument block: addresses of outputs, inputs and memory, then the uniforms. */
#define FUZZ_ARGUMENT_BYTES 84
void fuzz_arguments(const struct fuzz_program *program, uint64_t outputs, uint64_t inputs, uint64_t memory,
                    uint8_t block[FUZZ_ARGUMENT_BYTES]);

/* Builds NIR, computes what the program must store by interpreting that NIR as it was built, and compiles it. Returns
 * what compiler_nir() returns. */
int fuzz_compile(const struct fuzz_program *program, const struct compiler_options *options,
                 struct fuzz_outputs *expected, struct compiler_result *result);

/* The second half of it alone: what the program must store. */
void fuzz_evaluate(const struct fuzz_program *program, struct fuzz_outputs *expected);

/* Nodes. */
unsigned fuzz_source_count(const struct fuzz_node *node);
bool fuzz_is_value(const struct fuzz_node *node);
/* A kind whose file form holds `op` beside `value`. */
bool fuzz_keeps_op(const struct fuzz_node *node);
bool fuzz_takes_vector(const struct fuzz_node *node, unsigned source);
/* The bits of what a subgroup operation reads; 0: it has none of this result. */
unsigned fuzz_subgroup_reads(const struct fuzz_node *node);
#define FUZZ_COUNTERS 5                                                        /* kinds of them */
bool fuzz_has_effect(const struct fuzz_node *node);                            /* it is built, read or not */
void fuzz_needed(const struct fuzz_program *program, bool needed[FUZZ_NODES]); /* which nodes are built */
/* Each if and loop has its end, each break its loop, each source that must be a constant is one, and each value is read
 * where it is visible. */
bool fuzz_valid(const struct fuzz_program *program);
void fuzz_compact(struct fuzz_program *program); /* drops nodes and inputs that are not needed */
/* The value of a node where it stands. False: not determined in all lanes. */
bool fuzz_node_values(const struct fuzz_program *program, uint32_t index, uint64_t values[FUZZ_LANES]);
/* The program, its data in one lane, and what it must store there, for people. */
void fuzz_print(FILE *file, const struct fuzz_program *program, uint32_t lane);
/* A program as a file. -EIO; reading: -EINVAL with the line that is wrong, or an op that this Mesa does not have. */
int fuzz_write(FILE *file, const struct fuzz_program *program);
int fuzz_read(FILE *file, struct fuzz_program *program, unsigned *bad_line);
/* The name of a node's op. */
const char *fuzz_op_name(const struct fuzz_node *node);

/* The first difference between two sets of outputs: another value, or one that is no longer determined. False: none. */
struct fuzz_difference {
   uint32_t output, lane;
   uint32_t component; /* of a vector; of programs in NIR 0 */
   uint64_t expected, found;
};
bool fuzz_differ(const struct fuzz_outputs *expected, const struct fuzz_outputs *found,
                 struct fuzz_difference *difference);
/* Whether they differ in one output of one lane, or in its memory, where the output is FUZZ_OUTPUTS. */
bool fuzz_lane_differs(const struct fuzz_outputs *expected, const struct fuzz_outputs *found, uint32_t output,
                       uint32_t lane);
/* The same from output `first` on. The memory that the program leaves behind stands behind the last output: its number
 * is FUZZ_OUTPUTS. */
bool fuzz_differ_from(const struct fuzz_outputs *expected, const struct fuzz_outputs *found, uint32_t first,
                      struct fuzz_difference *difference);

#endif
