/* SPDX-License-Identifier: MIT
 *
 * What is measured: the catalogue. A benchmark says how to build its kernel for a repetition count and a number of
 * chains, how often the measured instruction must appear, what the output must be, and which published figure it is
 * compared with. agx_runner/measure/ runs and times it.
 */
#ifndef NIR_KERNELS_BENCHMARK_H
#define NIR_KERNELS_BENCHMARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/api/compiler.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "nir_kernels/metrics.h"

/* What the second timing doubles. The cost is the difference of the two timings. */
enum bench_scale {
   BENCH_SCALE_REPEAT,     /* the operation's count in the loop body: two programs */
   BENCH_SCALE_ITERATIONS, /* the loop's iterations: one program */
   BENCH_SCALE_THREADS,    /* the grid: one program */
};

/* One variant of a kernel. Variants differ only in how often the code contains the operation. */
struct bench_variant {
   unsigned repeat; /* operations of each chain in the loop body */
   unsigned chains; /* independent chains; 1 for latency */
   /* Steps of each chain, >= repeat. A step is the operation and its companion (struct bench_codegen); the steps
    * beyond `repeat`, spread evenly, are the companion alone. */
   unsigned steps;
};

/* The instruction under test in the machine code, and the count that makes a figure valid. */
struct bench_codegen {
   const char *instruction; /* as the disassembler names it: "ffma"; NULL: none is counted (checks) */
   enum isa_op op;
   uint8_t bits; /* of the destination; 0: any, or none */
   uint8_t
       registers; /* number of register sources; tells the operation from the loop counter's iadd with an immediate */
#define BENCH_ANY UINT8_MAX
   unsigned per_operation; /* such instructions for each operation; usually 1 */
   unsigned companions;    /* other instructions that each step needs besides; usually 0 */
   bool single_chain;      /* only where there is one chain */
   bool no_shadow;     /* companions take time of their own: both programs have the same number for throughput, too */
   bool whole_program; /* counted in the whole main program, not only in its loop */

   /* A row about what the compiler makes of a source-level operation: the instructions that each operation adds to the
    * loop, and those of each companion, as "2 imadd, bitop" in the order of their names. "A | B": either of them, by
    * the version of libclc. Replaces all of the above; NULL: a row about one instruction. */
   const char *sequence, *companion;
   bool listed; /* `sequence` is the list of instructions in the reference's source */
   unsigned
       slack; /* instructions that the longer loop may have in addition: what the compiler computes before the steps */
};

/* What a kernel's arguments are given, in order. BENCH_FIRST: a kernel with this argument adds it to its thread's
 * number. It is 0 where one command runs the whole grid. A dispatch that takes too long for one command is run as
 * several, each of a range of threadgroups (BENCH_DISPATCH). */
enum bench_argument { BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS, BENCH_PARAMETER, BENCH_FIRST };
#define BENCH_ARGUMENTS_MAX 4

/* The memory that a dispatch works on, as the host sees it. */
struct bench_io {
   uint32_t threads;    /* in the whole grid; a multiple of 32 */
   uint32_t iterations; /* of the loop */
   uint32_t group;      /* threads of a threadgroup */
   uint64_t seed;
   uint8_t *input; /* threads * input_stride bytes, filled once */
   size_t input_bytes;
   uint8_t *output; /* threads * output_stride bytes, as they are before each dispatch */
   size_t output_bytes;
};

/* The dispatch of a metric that is not timed, or whose whole dispatch is. */
struct bench_dispatch {
   uint32_t group;  /* threads of a threadgroup; BENCH_RESIDENCY with one threadgroup: the most that is tried */
   uint32_t groups; /* threadgroups in all; BENCH_RESIDENCY: the most that is tried on each core */
   uint32_t iterations;
   uint16_t half_registers; /* allocated to each thread; 0: as many as the program needs */
};

/* BENCH_LAUNCH, BENCH_OVERLAP, and BENCH_WRONG of launches: what is submitted (agx_runner/measure/launches.c). */
enum bench_launch_kind {
   BENCH_LAUNCH_STREAM,       /* ns of a command of `count` launches */
   BENCH_LAUNCH_EACH,         /* ns that each launch but the first adds to it */
   BENCH_LAUNCH_BARRIER,      /* ns that the barrier adds to each launch, over one without bits */
   BENCH_LAUNCH_GAP,          /* ns from the end of a command to the start of the next, `count` in a submission */
   BENCH_LAUNCH_IDLE,         /* ns from the submission to the start of a command, after a pause */
   BENCH_LAUNCH_SIDE_BY_SIDE, /* launches, of `count` in a command, that run at once; the kernel loops */
   BENCH_LAUNCH_QUEUES,       /* jobs, of `count` on two queues in turn, that run at once; the kernel loops */
   BENCH_LAUNCH_OVERTAKEN,    /* ns that a job waits behind `count` that were submitted before it to another queue */
   BENCH_LAUNCH_ORDER,        /* words read too early, in `count` rounds of a launch that reads what one before wrote */
};
struct bench_launch {
   enum bench_launch_kind kind;
   uint32_t count;   /* above 1, or kind STREAM or IDLE */
   uint32_t barrier; /* mask of the barrier after each launch */
   unsigned pause_ms;
   bool instructions; /* the time is mostly that of the kernel's instructions, which every model has */
   bool preamble;     /* the time is that of a preamble */
   bool low;          /* OVERTAKEN: the other queue has low priority; false: the same priority */
};

/* The builders of NIR are in agx-compile. Programs without Mesa have the rows without them, and ask agx-compile by the
 * benchmark's name (nir_kernels/nir_request.h): files with builders are compiled twice. */
#ifdef BENCH_WITH_NIR
#define BENCH_NIR(builder) builder
#else
#define BENCH_NIR(builder) NULL
#endif

struct bench_chain; /* nir_kernels/chain.h */
struct bench_mix;   /* nir_kernels/mix.h */
struct nir_builder;

struct benchmark {
   const char *group; /* "float" */
   const char *name;  /* "fadd32" */
   const char *summary;
   const char *file; /* the file of nir_kernels/ with its code; NULL: all of it is the kernel of `source` */
   unsigned metrics; /* bits 1 << enum bench_metric */
   enum bench_scale scale;

   /* Why this cannot be measured; NULL: it can. With a reason, only `reference` of the members below is read. */
   const char *skip;

   /* Where the kernel comes from: a chain (of NIR or assembly, see struct bench_chain), or a mix of operations, or else
    * `kernel`, a function of the built-in OpenCL C file `source` (".cl" left out). A chain with a source has its steps
    * there. */
   const struct bench_chain *chain;
   const struct bench_mix *mix;
   const char *source, *kernel;
   /* Or else assembly that this writes; free() it. NULL: out of memory. The constant COHERENT is 1 where atomics want
    * bit 45, else 0. */
   char *(*text)(const struct benchmark *benchmark, const struct bench_variant *variant);
   /* Or else NIR, where none of the above is set; its arguments are those of bench_chain_arguments. */
   void (*nir)(struct nir_builder *b, const struct benchmark *benchmark); /* BENCH_NIR() */
   const void *data;                                                      /* for these */
   uint8_t arguments[BENCH_ARGUMENTS_MAX];                                /* enum bench_argument */
   unsigned argument_count;
   uint32_t parameter; /* the value of BENCH_PARAMETER */

   /* repeat and chains, by metric. With BENCH_SCALE_REPEAT they are those of the first program (n), else those of the
    * source text. */
   struct bench_variant variants[BENCH_METRIC_COUNT];
   struct bench_codegen codegen;
   struct {
      unsigned bits, repetitions; /* BENCH_CONTROL: of values; over how many its time is spread */
   } control;
   double published; /* a figure from elsewhere; 0: none */
   const char *published_source;
   const char *reference; /* section/name in results/reference/instr.csv: "float/FADD32"; NULL: none */

   /* BENCH_RATE: what one thread does in one iteration, and the unit of a thousand million of them a second.
    * BENCH_DISPATCH: what the whole dispatch does. */
   double work;
   const char *work_unit;
   bool per_cycle; /* instead, operations of all lanes a cycle and core */

   /* Occupancy for timed metrics, in place of the metric's; group 0: the metric's. */
   struct bench_occupancy occupancy;
   /* Metrics that are not timed, BENCH_DISPATCH, and with dispatch_timed all others. */
   struct bench_dispatch dispatch;
   bool dispatch_timed;
   const struct bench_launch *launch; /* of the metrics of launches, whose dispatch this is; NULL with others */
   /* The figure in the metric's unit. NAN: the output is wrong, and `why` says where. NULL: for BENCH_CHECK, whose
    * output must equal what expect() computes, and for BENCH_RESIDENCY, which the runner measures (residency.c). */
   double (*figure)(const struct benchmark *benchmark, enum bench_metric metric, const struct bench_io *io,
                    const uint8_t *output, char *why, size_t why_size);
   /* With BENCH_CHECK: writes one line about the output for the result, also if the answer is wrong; "": nothing. NULL:
    * the benchmark has no such line. */
   void (*finding)(const uint8_t *output, char *text, size_t size);

   bool large;            /* takes a virtual device minutes */
   bool needs_atomics_64; /* it measures instructions that the M1 family lacks */
   bool fold_atomics;     /* Mesa's uniform-atomic optimisation may run */

   size_t input_stride, output_stride; /* bytes a thread */
   size_t output_bytes_min;            /* where threads share a table */
   size_t input_bytes_min;             /* where threads share a buffer */

   /* Fills input and output. */
   void (*fill)(const struct benchmark *benchmark, const struct bench_io *io);
   /* Writes the right output to `expected` (output_bytes; on entry a copy of output). NULL: the two variants are
    * checked against each other, run for the same number of operations. */
   void (*expect)(const struct benchmark *benchmark, const struct bench_variant *variant, const struct bench_io *io,
                  uint8_t *expected);
   /* Whether this word of the output is accepted for the expected one. NULL: all bits must be equal. */
   bool (*accept)(const struct benchmark *benchmark, const struct bench_io *io, uint32_t got, uint32_t expected);
};

/* The catalogue, in the order that it is listed and run. */
size_t bench_count(void);
const struct benchmark *bench_at(size_t index);
/* Whether `run` without a pattern measures this benchmark. */
bool bench_is_brief(size_t index);

/* Builds the program of one variant: 0, -EINVAL or -ENOMEM; on success result holds just this program. */
int bench_build(const struct benchmark *benchmark, const struct bench_variant *variant,
                const struct compiler_options *options, struct compiler_result *result);

/* The built-in module of an OpenCL C file; NULL: there is none. */
struct compiler_module;
const struct compiler_module *bench_module(const char *source);
/* Compiles one kernel of a module: 0, -EINVAL or -ENOMEM; on success result holds just this program. */
typedef int bench_module_compiler(const struct compiler_module *module, const char *kernel,
                                  struct compiler_result *result);
/* From now on this compiles the benchmarks in OpenCL C, instead of the linked compiler, and those in NIR are refused.
 */
void bench_set_module_compiler(bench_module_compiler *compile);

/* How often the instruction under test must stand in the code of this variant. */
unsigned bench_expected(const struct benchmark *benchmark, const struct bench_variant *variant);

/* The instruction under test? */
bool bench_matches(const struct bench_codegen *codegen, const struct isa_insn *insn);

#endif
