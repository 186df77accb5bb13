/* SPDX-License-Identifier: MIT
 *
 * The names of the counts, and which way each is better. One row describes one count.
 */
#include "agx_runner/results/program_stats.h"

const struct program_stat_info program_stat_infos[PROGRAM_STAT_COUNT] = {
    [PROGRAM_INSTRUCTIONS] = {"instructions", "instructions", false},
    [PROGRAM_BYTES] = {"bytes", "bytes", false},
    [PROGRAM_HALF_REGISTERS] = {"half_registers", "half registers", false},
    [PROGRAM_OCCUPANCY] = {"occupancy", "simdgroups a core", true},
    [PROGRAM_SCRATCH] = {"scratch_bytes", "scratch bytes (spills)", false},
    [PROGRAM_UNIFORMS] = {"uniform_halves", "uniform halves", false},
    [PROGRAM_LOOPS] = {"loops", "loops", false},
    [PROGRAM_CYCLES] = {"predicted_cycles", "predicted cycles", false},
    [PROGRAM_LATENCY] = {"predicted_latency", "predicted latency", false},
};
