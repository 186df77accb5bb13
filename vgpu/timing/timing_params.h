/* SPDX-License-Identifier: MIT
 *
 * The parameters of the timing model, as data: one row an instruction class, one row a property of the core. Times
 * are in ticks, integers, so that a launch takes the same time on every host.
 */
#ifndef VGPU_TIMING_PARAMS_H
#define VGPU_TIMING_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/isa.h"
#include "vgpu/timing/chip.h"
#include "vgpu/timing/command_params.h"
#include "vgpu/timing/memory/memory_params.h"

#define VGPU_TICKS 100u /* in a cycle: published figures have two decimals */

/* Of the rows below, those that give arrays their size. */
#define VGPU_SCHEDULERS 4u
#define VGPU_PENDING 8u

/* What executes. A scheduler has one of each of the first ones; a core has one of each of the others. */
enum vgpu_pipe {
   VGPU_PIPE_CROSS,                 /* shuffles, ballots, reductions; they go through another: VGPU_CORE_CROSS */
   VGPU_PIPE_FAST,                  /* FP32, 32-bit integer, compare and select */
   VGPU_PIPE_COMPLEX,               /* integer multiply, shifts, conversions, transcendentals */
   VGPU_PIPE_CONTROL,               /* branches, exec mask, waits */
   VGPU_PIPE_OWN,                   /* how many are a scheduler's own */
   VGPU_PIPE_LOCAL = VGPU_PIPE_OWN, /* threadgroup memory */
   VGPU_PIPE_DEVICE,                /* device memory, stack */
   VGPU_PIPES
};

/* Of an instruction class. */
struct vgpu_class_row {
   uint8_t pipe;       /* enum vgpu_pipe */
   uint16_t interval;  /* ticks until the pipe takes the next one; memory: at least */
   uint16_t latency;   /* ticks until a dependent instruction can issue */
   const char *source; /* file and row, or what it was taken from */
   const char *why;    /* how the value follows from it */
};
extern const struct vgpu_class_row vgpu_class_rows[ISA_TIMING_COUNT];

/* Of the core. */
enum vgpu_core_param {
   VGPU_CORE_SCHEDULERS,
   VGPU_CORE_ISSUE,          /* ticks between two instructions of a scheduler */
   VGPU_CORE_MULTIPLY_ISSUE, /* percent of its interval that an integer multiplication takes its scheduler */
   VGPU_CORE_DEEP_ISSUE,     /* the same of a transcendental function that takes more than four cycles */
   VGPU_CORE_COMPLEX_ISSUE,  /* the same of any other instruction of the complex pipe */
   VGPU_CORE_SWITCH,         /* ticks that the complex pipe loses between a multiplication and a transcendental */
   VGPU_CORE_MATRIX_ISSUE,   /* ticks of its scheduler that a matrix product takes */
   VGPU_CORE_FAST_QUEUE,     /* ticks that an issued instruction may wait in front of the fast pipe */
   VGPU_CORE_OTHER_QUEUE,    /* the same of a scheduler's other pipes */
   VGPU_CORE_CROSS,          /* enum vgpu_pipe that instructions of VGPU_PIPE_CROSS go through */
   VGPU_CORE_BYPASS,         /* ticks that the result of a scan takes to reach another pipe, beyond its latency */
   VGPU_CORE_FORWARDING,     /* percent of an operand's forwarding latency that stalls the scheduler: see below */
   VGPU_CORE_REGISTER_BANKS,
   VGPU_CORE_BANK_HALVES,  /* half registers of a bank, all threads' */
   VGPU_CORE_BANK_THREADS, /* threads of a bank, however few their registers */
   VGPU_CORE_BANK_STEP,    /* threads come in multiples of this */
   VGPU_CORE_LOCAL_BYTES,
   VGPU_CORE_PENDING,        /* operations in flight on a scoreboard slot */
   VGPU_CORE_BARRIER,        /* ticks from the last arrival to the first instruction after */
   VGPU_CORE_TAKEN_LATENCY,  /* ticks from a taken jump to the simdgroup's next instruction */
   VGPU_CORE_TAKEN_INTERVAL, /* ticks that a taken jump occupies the control pipe */
   VGPU_CORE_PARAMS
};

struct vgpu_core_row {
   const char *name;
   uint32_t value;
   bool fixed; /* gives an array its size, or is an enumerator: params= cannot change it */
   const char *unit;
   const char *source;
   const char *why;
};
extern const struct vgpu_core_row vgpu_core_rows[VGPU_CORE_PARAMS];

/* An instruction of the fast pipe that reads a result of one of the last instructions of its simdgroup stalls that
 * pipe, by vgpu_params.forward ticks. Index: 32-bit operands (else 16-bit ones); distance, 1 for the instruction
 * before. */
#define VGPU_FORWARD_DISTANCE 4u

/* The same instruction stalls by VGPU_CORE_FORWARDING percent of an operand's forwarding latency. For a result of the
 * fast or the complex pipe, the forwarding latency is the difference between the writer's latency and the reader's; for
 * the result of a scan it is VGPU_CORE_BYPASS; other results are in the register file before their reader can issue.
 * The stall is never longer than the largest one of vgpu_params.forward: another simdgroup then takes over. */

/* The values that a device uses: those of the rows, unless option params= replaces some (vgpu/timing/params_file.h). */
struct vgpu_params {
   uint16_t interval[ISA_TIMING_COUNT], latency[ISA_TIMING_COUNT]; /* ticks */
   uint32_t core[VGPU_CORE_PARAMS];
   double memory[VGPU_MEMORY_PARAMS]; /* of one chip */
   uint16_t forward[2][VGPU_FORWARD_DISTANCE + 1];
   double command[VGPU_COMMAND_PARAMS]; /* of one chip */
};
/* The values of the rows for that chip. */
void vgpu_params_init(struct vgpu_params *params, const struct vgpu_chip *chip);
/* Those of an M1, without the costs of commands, for code that is not about a device. */
extern const struct vgpu_params vgpu_params_default;

static inline const struct vgpu_params *vgpu_params_or_default(const struct vgpu_params *params)
{
   return params ? params : &vgpu_params_default;
}

#endif
