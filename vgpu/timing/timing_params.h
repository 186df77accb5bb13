/* SPDX-License-Identifier: MIT
 *
 * The parameters of the timing model, as data: one row an instruction class, one row a property of the core. Times
 * are in ticks, integers, so that a launch takes the same time on every host.
 */
#ifndef VGPU_TIMING_PARAMS_H
#define VGPU_TIMING_PARAMS_H

#include <stdint.h>

#include "isa/isa.h"

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
   VGPU_CORE_ISSUE,  /* ticks between two instructions of a scheduler */
   VGPU_CORE_ADDEND, /* as many more for the addend of a multiplication */
   VGPU_CORE_QUEUE,  /* ticks that an instruction may wait in front of its pipe, issued already */
   VGPU_CORE_CROSS,  /* enum vgpu_pipe that instructions of VGPU_PIPE_CROSS go through */
   VGPU_CORE_LEAVE,  /* ticks that a scan's result takes longer on its way to another pipe */
   VGPU_CORE_LATE,   /* what a late operand costs, in percent of how late it is: see below */
   VGPU_CORE_REGISTER_BANKS,
   VGPU_CORE_BANK_HALVES,  /* half registers of a bank, all threads' */
   VGPU_CORE_BANK_THREADS, /* threads of a bank, however few their registers */
   VGPU_CORE_BANK_STEP,    /* threads come in multiples of this */
   VGPU_CORE_LOCAL_BYTES,
   VGPU_CORE_LOCAL_BANDWIDTH,  /* bytes a cycle */
   VGPU_CORE_DEVICE_BANDWIDTH, /* bytes a cycle */
   VGPU_CORE_PENDING,          /* operations in flight on a scoreboard slot */
   VGPU_CORE_BARRIER,          /* ticks from the last arrival to the first instruction after */
   VGPU_CORE_PARAMS
};

struct vgpu_core_row {
   uint32_t value;
   const char *unit;
   const char *source;
   const char *why;
};
extern const struct vgpu_core_row vgpu_core_rows[VGPU_CORE_PARAMS];

/* Bandwidth of the chip's memory by enum vgpu_class, in hundredths of a byte a cycle and core. */
#define VGPU_CLASSES 4
extern const struct vgpu_core_row vgpu_memory_rows[VGPU_CLASSES];

/* An instruction of the fast pipe that reads what the simdgroup wrote a few instructions before holds its scheduler
 * longer, by so many ticks. Index: 32-bit operands (else 16-bit ones); distance, 1 for the instruction just before. */
#define VGPU_FORWARD_DISTANCE 4u
extern const uint16_t vgpu_forward[2][VGPU_FORWARD_DISTANCE + 1];

/* And so it does when it reads a late result, by VGPU_CORE_LATE of how late it is. One of the fast or the complex pipe
 * is late by what its latency is longer than the reader's own; a scan's by VGPU_CORE_LEAVE; others are in the register
 * file before their reader can issue. More than the worst of the above it never costs: another simdgroup then takes
 * over. */

#endif
