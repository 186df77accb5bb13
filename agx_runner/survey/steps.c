/* SPDX-License-Identifier: MIT
 *
 * The table of steps, in order of risk.
 */
#include "agx_runner/survey/step.h"

#include "agx_runner/terminal/runner.h"
#include "util/array.h"

/* of benchmarks: the 144 rows of the default run may need 12 to 90 minutes on hardware */
#define BENCHMARKS_LIMIT 7200

/* clang-format off */
const struct survey_step survey_steps[] = {
   {.name = "facts", .question = "which machine, kernel and firmware is this?",
    .limit = 30, .measure = survey_facts},
   {.name = "copy", .question = "does a first job run, and is its output right?",
    .limit = 60, .measure = survey_copy},
   {.name = "stream", .question = "which bytes does a launch consist of?",
    .limit = 30, .measure = survey_stream},
   {.name = "timestamps", .question = "how are the times of equal short jobs distributed, and do GET_TIME and timestamps share a zero?",
    .limit = 120, .measure = survey_timestamps},
   {.name = "slope", .question = "does device time pass as fast as CLOCK_MONOTONIC, for jobs of 1, 5 and 20 ms?",
    .limit = 120, .measure = survey_slope},
   {.name = "ramp", .question = "how fast is the clock after 0, 1, 3, 10 and 50 ms without work?",
    .limit = 120, .measure = survey_ramp},
   {.name = "ffma", .question = "what does one FFMA take, with register-cache hints and without, and at several clocks?",
    .limit = 300, .measure = survey_ffma},
   {.name = "launches", .question = "what does a launch cost, for 1 to 64 launches in a command?",
    .limit = 120, .measure = survey_launches},
   {.name = "commands", .question = "what is the gap between commands, for 1 to 64 commands in a submission?",
    .limit = 120, .measure = survey_commands},
   {.name = "overheads", .question = "how long does a job wait for the firmware, and for the GPU's power after 0 to 50 ms without work?",
    .limit = 120, .measure = survey_overheads},
   {.name = "dependent", .question = "does a launch see what the launch before wrote, 1000 times?",
    .limit = 120, .measure = survey_dependent},
   {.name = "barriers", .question = "what does each bit of the barrier cost, and which ones keep two launches coherent?", .risk = SURVEY_TRIED_ON_G13,
    .limit = 240, .measure = survey_barriers},
   {.name = "texture", .question = "does the texture field of a launch matter for compute?", .risk = SURVEY_TRIED_ON_G13,
    .limit = 60, .measure = survey_texture},
   {.name = "occupancy", .question = "how many threads run at once, by their registers?",
    .limit = 600, .patterns = "occupancy/*"},
   {.name = "run", .question = "the default run",
    .limit = BENCHMARKS_LIMIT, .patterns = ""},
   {.name = "instructions", .question = "the instructions that the timing model has parameters for, but for those of the default run",
    .limit = BENCHMARKS_LIMIT, .parameters = true},
   {.name = "precision", .question = "how large are the errors of the special functions?",
    .limit = BENCHMARKS_LIMIT, .patterns = "precision/*"},
   {.name = "memory", .question = "caches and bandwidths",
    .limit = BENCHMARKS_LIMIT, .patterns = "memory/*"},
   {.name = "matrix", .question = "matrix instructions: cost, overlap with other pipes, layout",
    .limit = BENCHMARKS_LIMIT, .patterns = "matrix/*/latency matrix/*-chains1-*/throughput matrix/*-chains4-*/throughput matrix/*-chains16-*/throughput "
                "matrix/beside-*/throughput matrix/*/check matrix/*/wrong"},
   {.name = "programs", .question = "which machine code do the survey's figures belong to?",
    .limit = 300, .measure = survey_programs},
   {.name = "launch-suite", .question = "the launch suite",
    .limit = BENCHMARKS_LIMIT, .patterns = "launch/*"},
   {.name = "limits", .question = "are 65535, 65536 and 131072 threadgroups in x run correctly?", .risk = SURVEY_MAY_FAULT,
    .limit = 120, .measure = survey_limits},
   {.name = "scratch", .question = "do kernels with 1 KiB of stack a thread and more work?", .risk = SURVEY_MAY_FAULT,
    .limit = 120, .measure = survey_scratch},
   {.name = "atomics", .question = "do 64-bit atomics work on this chip?", .risk = SURVEY_MAY_FAULT,
    .limit = 300, .patterns = "atomic/umax64/check atomic/umin64/check"},
   {.name = "atomic-bit", .question = "do device atomics work with bit 45, and without it?", .risk = SURVEY_MAY_FAULT,
    .limit = 120, .measure = survey_atomic_bit},
};
/* clang-format on */
const size_t survey_step_count = ARRAY_COUNT(survey_steps);

bool survey_step_may_fault(const struct survey_step *step, uint32_t generation)
{
   return step->risk == SURVEY_MAY_FAULT || (step->risk == SURVEY_TRIED_ON_G13 && generation != 13);
}
