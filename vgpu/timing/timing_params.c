/* SPDX-License-Identifier: MIT
 *
 * The default parameters, each with its source. Invariant: every timing class of isa/isa.h has a row.
 */
#include "vgpu/timing/timing_params.h"

#include "vgpu/timing/chip.h"
#include "vgpu/timing/memory/memory_rows.h"

/* ROW(class, pipe, interval, latency, source, why), times in cycles. `instr` is results/reference/instr.csv:
 * interval is its throughput (cycles an instruction, per simdgroup and scheduler, at high occupancy), latency its
 * adjusted latency (a dependent chain with one simdgroup a scheduler). */
#define PUBLISHED "throughput and adjusted latency as published"
#define ALIKE "no row of its own: as the operation named, which the same pipe executes"
#define NO_SOURCE "none"
#define GUESSED "no figure is published; order of magnitude only"

/* clang-format off */
#define CLASSES(ROW)                                                                                                   \
   ROW(FADD16, FAST, 1.00, 2.16, "instr float/FADD16", PUBLISHED)                                                      \
   ROW(FMUL16, FAST, 1.00, 2.17, "instr float/FMUL16", PUBLISHED)                                                      \
   ROW(FFMA16, FAST, 1.00, 2.18, "instr float/FFMA16", PUBLISHED)                                                      \
   ROW(FADD32, FAST, 1.00, 2.20, "instr float/FADD32", PUBLISHED)                                                      \
   ROW(FMUL32, FAST, 1.00, 2.21, "instr float/FMUL32", PUBLISHED)                                                      \
   ROW(FFMA32, FAST, 1.00, 2.21, "instr float/FFMA32", PUBLISHED)                                                      \
   ROW(IADD16, FAST, 1.00, 2.17, "instr int/IADD16", PUBLISHED)                                                        \
   ROW(IADD32, FAST, 1.00, 2.21, "instr int/IADD32", PUBLISHED)                                                        \
   ROW(IADD64, FAST, 4.00, 9.16, "ops_per_cycle.csv, I64 Adds",                                                        \
       "32 a core and cycle; one instruction here, four there: latency of IADD32, ICMPSEL32 and IADD32 in a row")      \
   ROW(IADDSAT32, FAST, 1.02, 2.75, "instr int/IADDSAT32", PUBLISHED)                                                  \
   ROW(IMUL16, COMPLEX, 4.00, 3.69, "instr int/IMUL16", PUBLISHED)                                                     \
   ROW(IMUL32, COMPLEX, 4.00, 4.02, "instr int/IMUL32", PUBLISHED)                                                     \
   ROW(IMUL64, COMPLEX, 8.01, 9.84, "instr int/IMUL(32x32=64)", PUBLISHED)                                             \
   ROW(BITWISE, FAST, 1.06, 2.21, "instr int/BITWISE32", "throughput as published; latency as IADD32's")               \
   ROW(CMPSEL16, FAST, 1.00, 2.17, "instr int/ICMPSEL16", PUBLISHED)                                                   \
   ROW(CMPSEL32, FAST, 1.00, 4.74, "instr int/ICMPSEL32", PUBLISHED)                                                   \
   ROW(SHIFT, COMPLEX, 4.01, 4.02, "instr int/BITEXTRACT32", PUBLISHED)                                                \
   ROW(BITREV, COMPLEX, 4.00, 3.62, "instr int/BITREV32", PUBLISHED)                                                   \
   ROW(POPCOUNT, COMPLEX, 4.00, 3.62, "instr int/POPCOUNT32", PUBLISHED)                                               \
   ROW(FFS, COMPLEX, 4.00, 3.62, "instr int/POPCOUNT32", ALIKE)                                                        \
   ROW(INTERLEAVE, COMPLEX, 4.00, 3.62, "instr int/BITINTERLEAVE16", "throughput as published; latency as BITREV32's") \
   ROW(CONVERT, COMPLEX, 4.00, 3.66, "instr float/CONVERT(F->I32)", PUBLISHED)                                         \
   ROW(RINT, COMPLEX, 4.00, 3.66, "instr float/RINT32", PUBLISHED)                                                     \
   ROW(RCP, COMPLEX, 6.00, 6.50, "instr float/RECIP32", PUBLISHED)                                                     \
   ROW(RSQRT, COMPLEX, 8.00, 8.99, "instr float/RSQRT32", PUBLISHED)                                                   \
   ROW(SIN_PT_1, COMPLEX, 5.00, 5.00, "pipelines.md, pipe classes", "10 cycles for SIN_PT_1 and SIN_PT_2, halved")     \
   ROW(SIN_PT_2, COMPLEX, 5.00, 5.00, "pipelines.md, pipe classes", "10 cycles for SIN_PT_1 and SIN_PT_2, halved")     \
   ROW(EXP2_16, COMPLEX, 4.00, 4.62, "instr float/EXP2_16", PUBLISHED)                                                 \
   ROW(EXP2_32, COMPLEX, 4.00, 4.31, "instr float/EXP2_32", PUBLISHED)                                                 \
   ROW(LOG2_16, COMPLEX, 4.00, 4.62, "instr float/LOG2_16", PUBLISHED)                                                 \
   ROW(LOG2_32, COMPLEX, 4.00, 4.31, "instr float/LOG2_32", PUBLISHED)                                                 \
   ROW(MOV_IMM, FAST, 1.00, 1.00, "isa.md 7 [M]", "unit SCIB, latency 1, throughput 1")                                \
   ROW(GET_SR, FAST, 2.00, 2.00, "isa.md 7 [M]", "unit SCIB, latency 2, throughput 2")                                 \
   ROW(SIMD_SHUFFLE, CROSS, 2.04, 3.73, "instr simd/SHUFFLE_NOROTATE32", PUBLISHED)                                    \
   ROW(QUAD_SHUFFLE, CROSS, 2.01, 2.77, "instr quad/SHUFFLE_DOWNUP32", PUBLISHED)                                      \
   ROW(SIMD_BALLOT, CROSS, 2.04, 4.77, "instr simd/ICMP_BALLOT", PUBLISHED)                                            \
   ROW(QUAD_BALLOT, CROSS, 3.01, 5.09, "instr quad/ICMP_BALLOT, BALLOT",                                               \
       "latency: raw one of BALLOT less the 1.70 cycles of the control")                                               \
   ROW(SIMD_SUM_F16, CROSS, 17.10, 26.77, "instr simd/SUM<F16>", PUBLISHED)                                            \
   ROW(SIMD_SUM_F32, CROSS, 14.54, 27.55, "instr simd/SUM<F32>", PUBLISHED)                                            \
   ROW(SIMD_SUM_I16, CROSS, 17.16, 33.88, "instr simd/SUM<I16>", PUBLISHED)                                            \
   ROW(SIMD_SUM_I32, CROSS, 16.64, 32.57, "instr simd/SUM<I32>", PUBLISHED)                                            \
   ROW(SIMD_BITWISE16, CROSS, 16.25, 30.56, "instr simd/BITWISE_REDUCE16", PUBLISHED)                                  \
   ROW(SIMD_BITWISE32, CROSS, 14.53, 27.79, "instr simd/BITWISE_REDUCE32", PUBLISHED)                                  \
   ROW(SIMD_PREFIX_F, CROSS, 11.57, 21.93, "instr simd/PREFIX_ESUM<F32>", PUBLISHED)                                   \
   ROW(SIMD_PREFIX_I, CROSS, 11.75, 22.10, "instr simd/PREFIX_ESUM<I32>", PUBLISHED)                                   \
   ROW(QUAD_SUM_F16, CROSS, 9.04, 13.55, "instr quad/SUM<F16>", PUBLISHED)                                             \
   ROW(QUAD_SUM_F32, CROSS, 6.02, 13.53, "instr quad/SUM<F32>", PUBLISHED)                                             \
   ROW(QUAD_SUM_I16, CROSS, 9.17, 16.26, "instr quad/SUM<I16>", PUBLISHED)                                             \
   ROW(QUAD_SUM_I32, CROSS, 6.78, 16.20, "instr quad/SUM<I32>", PUBLISHED)                                             \
   ROW(QUAD_BITWISE16, CROSS, 6.25, 16.27, "instr quad/BITWISE_REDUCE16", PUBLISHED)                                   \
   ROW(QUAD_BITWISE32, CROSS, 6.78, 16.19, "instr quad/BITWISE_REDUCE32", PUBLISHED)                                   \
   ROW(QUAD_PREFIX_F, CROSS, 2.03, 5.08, "instr quad/PREFIX_ESUM<F32>", PUBLISHED)                                     \
   ROW(QUAD_PREFIX_I, CROSS, 2.69, 5.10, "instr quad/PREFIX_ESUM<I32>", PUBLISHED)                                     \
   ROW(MATRIX16, FAST, 17.00, 34.00, "instr simd/MATMUL<8x8xF16>", "published with ~; FP32 pipe: pipelines.md")        \
   ROW(MATRIX_MIXED, FAST, 16.50, 36.00, "matrix.csv, interval_16_chains_f16f16f32",                                   \
       "clpeak, M1 Pro: 5.136 TFLOPS, 96.8 % of peak, with 16 chains; latency as MATRIX32's, no figure is published")  \
   ROW(MATRIX32, FAST, 18.00, 36.00, "instr simd/MATMUL<8x8xF32>", "published with ~; FP32 pipe: pipelines.md")        \
   ROW(EXEC, CONTROL, 1.00, 2.00, "isa.md 7 [M]", "costed as the comparison it holds, latency 2")                      \
   ROW(BRANCH, CONTROL, 1.00, 2.00, NO_SOURCE, GUESSED)                                                                \
   ROW(STOP, CONTROL, 1.00, 1.00, NO_SOURCE, GUESSED)                                                                  \
   ROW(LOAD, DEVICE, 1.00, 23.00, "memory.csv, l1_latency: 47 ns (M1 Max)",                                            \
       "of an L1 hit: less the 29 ns of a loop turn, which the chase holds; 61 if it does not")                        \
   ROW(STORE, DEVICE, 1.00, 98.00, NO_SOURCE, "as a load that the L2 serves")                                          \
   ROW(ATOMIC, DEVICE, 1.00, 98.00, NO_SOURCE, "done in the L2: as a load that it serves")                             \
   ROW(LLOAD, LOCAL, 1.00, 55.00, "memory.csv, local_latency: 43 ns (M1)",                                             \
       "the other, 70 ns (M1 Max), less the 29 ns of a loop turn is 41")                                               \
   ROW(LSTORE, LOCAL, 1.00, 55.00, NO_SOURCE, "as a load")                                                             \
   ROW(LATOMIC, LOCAL, 1.00, 55.00, NO_SOURCE, "as a load; lanes with one bank take turns")                            \
   ROW(STACK, DEVICE, 1.00, 23.00, NO_SOURCE, "as device memory, which it lies in")                                    \
   ROW(UNIFORM_STORE, CONTROL, 1.00, 1.00, NO_SOURCE, GUESSED)                                                         \
   ROW(WAIT, CONTROL, 1.00, 0.00, NO_SOURCE, "takes an issue slot; what it waits for decides")                         \
   ROW(BARRIER, CONTROL, 1.00, 0.00, NO_SOURCE, "takes an issue slot; the others' arrival decides")                    \
   ROW(OTHER, CONTROL, 1.00, 1.00, NO_SOURCE, "never executed, but no instruction is free")

#define CORE(ROW)                                                                                                      \
   ROW(SCHEDULERS, VGPU_SCHEDULERS, "schedulers", "pipelines.md, ALU layout", "4 schedulers per core")                 \
   ROW(ISSUE, 102, "ticks", "pipelines.md, ALU layout; ilp_occupancy.csv, ILP 4, 88 simdgroups",                        \
       "1 instruction from 1 simd per cycle; at best 1.01 to 1.04 cycles there, 1.03 in mixed_a.csv's fast rows")       \
   ROW(MULTIPLY_ISSUE, 47, "percent", "mixed_a.csv, rows with IMUL32, IMAD16 and IMAD32",                               \
       "of 44 to 50 the best on the odd rows, 48 on the even ones; the slots share multipliers (pipelines.md)")              \
   ROW(DEEP_ISSUE, 4, "issues", "mixed_a.csv, DIV32 + 2 FMUL32; RSQRT32 + IADD(32+32=64)",                             \
       "7.16 and 8.02: the first has three multiplications beside its reciprocal, the second leaves a root 4.9")        \
   ROW(COMPLEX_ISSUE, 38, "percent", "mixed_a.csv, rows with LSHIFT32; sequence BITINSERT32 + ADD32",                   \
       "4.42 for the sequence, which has one shift beside three fast instructions; 30 to 38 fit the mixes alike")       \
   ROW(OVERLAP, 130, "ticks", "mixed_a.csv, EXP2_32 + RECIP32 + 2 FFMA32",                                              \
       "8.76, 10 one after the other; EXP2_32 + DIV32, + RSQRT32 and RSQRT32 + RECIP32, not here, have 1.2 to 1.6 too") \
   ROW(SWITCH, 150, "ticks", "mixed_a.csv, RSQRT32 + IMUL32; RECIP32 + IMUL32; RSQRT32 + SIN32",                        \
       "12.90, 11.12 and 22.82, 12, 10 and 22 without; EXP2_32 + RINT32 + FADD32, not here, has 2.5 a pair")            \
   ROW(MATRIX_ISSUE, VGPU_TICKS, "ticks", NO_SOURCE,                                                                   \
       "of its scheduler that a matrix product takes: one like any instruction, so that other pipes run beside it; "   \
       GUESSED)                                                                                                        \
   ROW(FAST_QUEUE, VGPU_TICKS, "ticks", NO_SOURCE, "one instruction, for a cycle; " GUESSED) \
   ROW(OTHER_QUEUE, 40, "ticks", "mixed_a.csv, 2 IMAD32 + 4 IADD16; instr.csv, IMADHI16", \
       "the first is 9 % too fast with 0.6 cycles, the second 6 % too slow with none; chosen between them") \
   ROW(CROSS, VGPU_PIPE_FAST, "pipe", "instr simd and quad PREFIX_ISUM, PREFIX_IPROD",                                 \
       "an addition after a scan adds its cycle; and shuffles have the bandwidth of dual dispatch (pipelines.md)")     \
   ROW(BYPASS, VGPU_TICKS, "ticks", "instr simd and quad PREFIX_ISUM, PREFIX_IPROD",                                    \
       "their latencies are the scan's, the addition's and 0.12 to 1.92 more, 0.99 in the mean of the six")            \
   ROW(FORWARDING, 18, "percent", "sequences IADD(64+32=64), IADD(64+64=64)",                                                \
       "0.30 cycles for a carry in one, 0.68 in the other: their errors are the same; products and scans follow")      \
   ROW(REGISTER_BANKS, 3, "banks", "pipelines.md, registers and occupancy [3]",                                        \
       "M1 runs 24 threadgroups of 1024 on 8 cores, each with a register file of 208 KiB")                             \
   ROW(BANK_HALVES, 106496, "half registers", "occupancy_registers.csv", "208 KiB")                                    \
   ROW(BANK_THREADS, 1024, "threads", "occupancy_registers.csv", "the most that any row allows")                       \
   ROW(BANK_STEP, 64, "threads", "occupancy_registers.csv", "all rows are multiples of it")                            \
   ROW(LOCAL_BYTES, 60 * 1024, "bytes", "core_memory.csv, Shared Memory", "~60 KB")                                    \
   ROW(PENDING, VGPU_PENDING, "operations", "isa.md 1.5", "compilers keep at most 8 outstanding a slot")               \
   ROW(BARRIER, 10 * VGPU_TICKS, "ticks", NO_SOURCE, GUESSED)                                                          \
   ROW(TAKEN_LATENCY, 34 * VGPU_TICKS, "ticks", "launch.csv, loop_iteration_lone_simdgroup (M1)",                      \
       "29.9 ns a turn are 38 cycles, of which the turn's other instructions take 4; the split is ours")               \
   ROW(TAKEN_INTERVAL, 12 * VGPU_TICKS, "ticks", "launch.md, one simdgroup in a loop",                                 \
       "a full core takes 13 scheduler cycles for a turn, of which the exec-mask instruction takes 1")
/* clang-format on */

#define CLASS_ROW(class, unit, cycles, dependent, from, reason)                                                        \
   [ISA_TIMING_##class] = {                                                                                            \
       .pipe = VGPU_PIPE_##unit,                                                                                       \
       .interval = (uint16_t)((cycles)*VGPU_TICKS + 0.5),                                                              \
       .latency = (uint16_t)((dependent)*VGPU_TICKS + 0.5),                                                            \
       .source = (from),                                                                                               \
       .why = (reason),                                                                                                \
   },
#define FIXED(param) ((param) == VGPU_CORE_SCHEDULERS || (param) == VGPU_CORE_CROSS || (param) == VGPU_CORE_PENDING)
#define CORE_ROW(param, number, of, from, reason)                                                                      \
   [VGPU_CORE_##param] = {.name = #param,                                                                              \
                          .value = (number),                                                                           \
                          .fixed = FIXED(VGPU_CORE_##param),                                                           \
                          .unit = (of),                                                                                \
                          .source = (from),                                                                            \
                          .why = (reason)},
#define COUNT(...) +1

#define CLASS_INTERVAL(class, unit, cycles, ...) [ISA_TIMING_##class] = (uint16_t)((cycles)*VGPU_TICKS + 0.5),
#define CLASS_LATENCY(class, unit, cycles, dependent, ...)                                                             \
   [ISA_TIMING_##class] = (uint16_t)((dependent)*VGPU_TICKS + 0.5),
#define FIRST(value, ...) value
#define MEMORY_VALUE(param, text, of, values, ...) [VGPU_MEMORY_##param] = FIRST values,
#define CORE_VALUE(param, number, ...) [VGPU_CORE_##param] = (number),

const struct vgpu_class_row vgpu_class_rows[ISA_TIMING_COUNT] = {CLASSES(CLASS_ROW)};
const struct vgpu_core_row vgpu_core_rows[VGPU_CORE_PARAMS] = {CORE(CORE_ROW)};

/* ilp_occupancy.csv, FMUL/FADD/IADD at 88 simdgroups a core, by ILP: what is above one cycle. ILP n puts n - 1 other
 * instructions between a result and its use. pipelines.md calls it a penalty for a register dependency, of 0.84 and
 * 0.56 cycles, that fades as ILP nears 4, and explains it by what the register cache can feed: single dispatch from
 * three simdgroups, dual from two, quad from one. FFMA's rows there were not used. */
#define FORWARD                                                                                                        \
   {                                                                                                                   \
      {0, 56, 5, 4, 2}, {0, 84, 73, 37, 1},                                                                            \
   }

const struct vgpu_params vgpu_params_default = {
    .interval = {CLASSES(CLASS_INTERVAL)},
    .latency = {CLASSES(CLASS_LATENCY)},
    .core = {CORE(CORE_VALUE)},
    .memory = {VGPU_MEMORY_ROWS(MEMORY_VALUE)},
    .forward = FORWARD,
};

void vgpu_params_init(struct vgpu_params *params, const struct vgpu_chip *chip)
{
   *params = vgpu_params_default;
   for (unsigned i = 0; i < VGPU_COMMAND_PARAMS; i++) {
      params->command[i] = vgpu_command_rows[i].value[vgpu_chip_index(chip)];
   }
   for (unsigned i = 0; i < VGPU_MEMORY_PARAMS; i++) {
      params->memory[i] = vgpu_memory_rows[i].value[vgpu_chip_index(chip)];
   }
}

/* There are as many rows as classes, and no class has two (-Woverride-init), so none is missing. */
_Static_assert(0 CLASSES(COUNT) == ISA_TIMING_COUNT, "an instruction class without a row");
_Static_assert(0 CORE(COUNT) == VGPU_CORE_PARAMS, "a property of the core without a row");
