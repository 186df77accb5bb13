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

#define VGPU_TICKS 100u /* ticks of a cycle: published figures have two decimals */

/* Parameters of the rows below that are the sizes of arrays. */
#define VGPU_SCHEDULERS 4u
#define VGPU_PENDING 8u

/* The units that execute instructions. A scheduler has one of each of the first ones; a core has one of each of the
 * rest. */
enum vgpu_pipe {
   /* shuffles, ballots, reductions; they pass through another pipe: VGPU_CORE_CROSS */
   VGPU_PIPE_CROSS,
   VGPU_PIPE_FAST,                  /* FP32, 32-bit integer, compare and select */
   VGPU_PIPE_COMPLEX,               /* integer multiply, shifts, conversions, transcendentals */
   VGPU_PIPE_CONTROL,               /* branches, exec mask, waits */
   VGPU_PIPE_OWN,                   /* number of pipes that each scheduler has */
   VGPU_PIPE_LOCAL = VGPU_PIPE_OWN, /* threadgroup memory */
   VGPU_PIPE_DEVICE,                /* device memory, stack */
   VGPU_PIPES,
   /* ports of the complex pipe for functions of different kinds, which overlap with each other: VGPU_CORE_OVERLAP */
   VGPU_PORT_EXPONENT = VGPU_PIPES, /* EXP2, LOG2 */
   VGPU_PORT_RECIPROCAL,
   VGPU_PORT_ROOT,
   VGPU_PORTS
};

/* The parameters of an instruction class. */
struct vgpu_class_row {
   uint8_t pipe;       /* enum vgpu_pipe */
   uint16_t interval;  /* ticks until the pipe accepts the next instruction; for memory, the least */
   uint16_t latency;   /* ticks until a dependent instruction can issue */
   const char *source; /* file and row, or another origin of the value */
   const char *why;    /* how the value follows from the source */
};
extern const struct vgpu_class_row vgpu_class_rows[ISA_TIMING_COUNT];

/* The parameters of the core. */
enum vgpu_core_param {
   VGPU_CORE_SCHEDULERS,
   VGPU_CORE_ISSUE,          /* ticks between two issues of a scheduler */
   VGPU_CORE_MULTIPLY_ISSUE, /* percent of its interval for which an integer multiplication occupies its scheduler */
   VGPU_CORE_DEEP_ISSUE,     /* issues for which a reciprocal or a root occupies its scheduler */
   VGPU_CORE_COMPLEX_ISSUE,  /* percent of its interval, for any other instruction of the complex pipe */
   VGPU_CORE_OVERLAP,      /* ticks by which a function of another port overlaps with a reciprocal or root before it */
   VGPU_CORE_SWITCH,       /* ticks that the complex pipe loses between a transcendental and anything else */
   VGPU_CORE_MATRIX_ISSUE, /* ticks for which a matrix product occupies its scheduler */
   VGPU_CORE_FAST_QUEUE,   /* ticks that an issued instruction may wait in the queue of the fast pipe */
   VGPU_CORE_OTHER_QUEUE,  /* the same for a scheduler's other pipes */
   VGPU_CORE_CROSS,        /* the enum vgpu_pipe that instructions of VGPU_PIPE_CROSS pass through */
   VGPU_CORE_BYPASS,       /* ticks beyond its latency until the result of a scan reaches another pipe */
   VGPU_CORE_FORWARDING,   /* percent of an operand's forwarding latency that stalls the scheduler: see below */
   VGPU_CORE_REGISTER_BANKS,
   VGPU_CORE_BANK_HALVES,  /* half registers of a bank, for all threads */
   VGPU_CORE_BANK_THREADS, /* most threads of a bank, however few their registers */
   VGPU_CORE_BANK_STEP,    /* the number of threads is rounded to a multiple of this */
   VGPU_CORE_LOCAL_BYTES,
   VGPU_CORE_PENDING,        /* most operations in flight on a scoreboard slot */
   VGPU_CORE_BARRIER,        /* ticks from the last arrival at a barrier to the first instruction behind it */
   VGPU_CORE_TAKEN_LATENCY,  /* ticks from a taken jump to the simdgroup's next instruction */
   VGPU_CORE_TAKEN_INTERVAL, /* ticks that a taken jump occupies the control pipe */
   VGPU_CORE_PARAMS
};

struct vgpu_core_row {
   const char *name;
   uint32_t value;
   bool fixed; /* it is the size of an array, or an enumerator, so params= cannot change it */
   const char *unit;
   const char *source;
   const char *why;
};
extern const struct vgpu_core_row vgpu_core_rows[VGPU_CORE_PARAMS];

/* An instruction of the fast pipe that reads a recent result of its simdgroup stalls that pipe by vgpu_params.forward
 * ticks. The indices are: 32-bit operands or 16-bit ones; the distance, which is 1 for the previous instruction. */
#define VGPU_FORWARD_DISTANCE 4u

/* The same instruction stalls by VGPU_CORE_FORWARDING percent of an operand's forwarding latency. For a result of the
 * fast or the complex pipe, the forwarding latency is the writer's latency less the reader's; for the result of a scan
 * it is VGPU_CORE_BYPASS; other results are in the register file before their reader can issue. The stall is never
 * longer than the largest one of vgpu_params.forward, because another simdgroup then issues. */

/* The values that a device uses: those of the rows, except where option params= replaces them
 * (vgpu/timing/params_file.h). */
struct vgpu_params {
   uint16_t interval[ISA_TIMING_COUNT], latency[ISA_TIMING_COUNT]; /* ticks */
   uint32_t core[VGPU_CORE_PARAMS];
   double memory[VGPU_MEMORY_PARAMS]; /* of the device's chip */
   uint16_t forward[2][VGPU_FORWARD_DISTANCE + 1];
   double command[VGPU_COMMAND_PARAMS]; /* of the device's chip */
};
/* The values of the rows for that chip. */
void vgpu_params_init(struct vgpu_params *params, const struct vgpu_chip *chip);
/* The parameters of an M1 without costs of commands, for code that is independent of a device. */
extern const struct vgpu_params vgpu_params_default;

static inline const struct vgpu_params *vgpu_params_or_default(const struct vgpu_params *params)
{
   return params ? params : &vgpu_params_default;
}

#endif
