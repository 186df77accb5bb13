/* SPDX-License-Identifier: MIT
 *
 * occupancy/: how many threads or simdgroups run at the same time with a given number of registers. The kernel is a
 * chain of dependent loads: all lanes read the same byte, which is 0, and it is part of the next address. The loads go
 * through more lines than the first cache holds, because loads that hit it are so short that 96 simdgroups would
 * compete for the pipe. Simdgroups therefore do not compete, and the time grows as soon as some have to wait for others
 * to end. agx_runner/measure/residency.c searches that point.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/agx_text.h"
#include "nir_kernels/groups.h"

#define LOADS 16           /* an iteration */
#define REGION (16 * 1024) /* bytes that are read, twice an L1 */
#define LINE 128           /* 32 of them are 4096 bytes, a quarter of the region */

static void fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   (void)benchmark;
   memset(io->input, 0, io->input_bytes);
   memset(io->output, 0, io->output_bytes);
}

/* clang-format off */
static const char text[] =
   AGX_BEGIN("wait")
   "   ldimm    r4, 0\n"
   "   ldimm    r5, 0\n"
   "   ldimm    r6, %u\n"
   "   ldimm    r0l, 0\n"     /* the first simdgroup brings the region into the second cache, a line a lane */
   "   ldimm    r7, 32\n"
   "   if       r2, r7, 1, ult\n"
   "   shl      r7, r2, 7\n"
   ".rept 4\n"
   "   load     r8, du0, r7, i8, x, a\n"
   "   wait     a\n"
   "   iadd     r4, r4, r8\n"
   "   ldimm    r8, 4096\n"
   "   iadd     r7, r7, r8\n"
   ".endr\n"
   "   pop_exec 1\n"
   AGX_LOOP
   ".rept %u\n"
   "   load     r4, du0, r4, i8, x, a\n"
   "   iadd     r5, r5, %u\n"
   "   wait     a\n"
   "   iadd     r4, r4, r5\n"
   ".endr\n"
   "   and      r5, r5, r6\n"
   "   and      r4, r4, r6\n"
   AGX_LOOP_END
   "   xor      r4, r4, r5\n"
   "   iadd     r1, r1, r4\n"
   "   store    r1, du2, r2, i32, x, a\n"
   AGX_END;
/* clang-format on */

static char *make_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   char *whole = NULL;

   (void)benchmark;
   return asprintf(&whole, text, REGION - 1, variant->repeat, LINE) < 0 ? NULL : whole;
}

/* The limits of a threadgroup are from results/reference/occupancy_registers.csv. For a core the source gives three
 * threadgroups of 1024 only. */
#define SOURCE "Rosenzweig, Dissecting the Apple M1 GPU, part III"

/* clang-format off */
#define ROW(name_, what, halves, group_, groups_, unit, published_)                                                 \
   {"occupancy", name_, what, .file = __FILE_NAME__, .metrics = 1u << BENCH_RESIDENCY, .text = make_text,               \
    .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS}, .argument_count = 3,                                   \
    .variants = {[BENCH_RESIDENCY] = {LOADS, 1, LOADS}}, .work_unit = unit, .published = published_,                    \
    .published_source = SOURCE, .dispatch = {group_, groups_, 4, halves},                                               \
    .codegen = {"load", ISA_OP_LOAD, .registers = BENCH_ANY, .per_operation = 1}, .input_stride = 1, .input_bytes_min = REGION + (LOADS + 1) * LINE,                    \
    .output_stride = 4, .fill = fill},
#define REGISTERS(registers, threads, simds)                                                                           \
   ROW("threads-" #registers, "threads that one threadgroup may have with " #registers " half registers each",         \
       registers, 1024, 1, "threads", threads)                                                                         \
   ROW("simds-" #registers, "simdgroups that a core runs at once with " #registers " half registers a thread",         \
       registers, 64, 80, "simdgroups", simds)

static const struct benchmark benchmarks[] = {
   REGISTERS(32, 1024, 96)
   REGISTERS(64, 1024, 96)
   REGISTERS(104, 1024, 96)
   REGISTERS(112, 896, 0)
   REGISTERS(120, 832, 0)
   REGISTERS(128, 832, 0)
   REGISTERS(136, 768, 0)
   REGISTERS(144, 704, 0)
   REGISTERS(152, 640, 0)
   REGISTERS(160, 640, 0)
   REGISTERS(168, 576, 0)
   REGISTERS(176, 576, 0)
   REGISTERS(184, 576, 0)
   REGISTERS(192, 512, 0)
   REGISTERS(200, 512, 0)
   REGISTERS(208, 512, 0)
   REGISTERS(216, 448, 0)
   REGISTERS(224, 448, 0)
   REGISTERS(232, 448, 0)
   REGISTERS(240, 384, 0)
   REGISTERS(248, 384, 0)
   REGISTERS(256, 384, 0)
};
/* clang-format on */

const struct bench_group bench_occupancy = BENCH_GROUP(benchmarks);
