/* SPDX-License-Identifier: MIT
 *
 * The post-mortem of a launch that did not end or that faulted: where its first simdgroups were, and what they waited
 * for. vgpu/exec fills it in when the launch has ended, and vgpu_postmortem_print() alone turns it into text.
 */
#ifndef VGPU_POSTMORTEM_H
#define VGPU_POSTMORTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu/launch.h"
#include "vgpu/stage.h"

#define VGPU_POSTMORTEM_SIMDGROUPS 4u
#define VGPU_POSTMORTEM_EXITS 2u
#define VGPU_POSTMORTEM_OPERANDS 2u

enum vgpu_value_kind {
   VGPU_VALUE_CONSTANT /* its name says it */,
   VGPU_VALUE_INTEGER,
   VGPU_VALUE_FLOAT,
   VGPU_VALUE_ADDRESS
};

/* An operand in all lanes. */
struct vgpu_seen_operand {
   char name[24];               /* "r4", "r4h", "-r4", "u6", "17" */
   uint32_t kind;               /* enum vgpu_value_kind */
   uint32_t changed;            /* lanes in which it had other values in earlier passes through the loop */
   uint64_t from_address;       /* of device memory: where the first active lane's value was loaded; 0: it was not */
   char from[VGPU_PLACE_BYTES]; /* the instruction that wrote it last; "": it wrote it before anyone looked */
   uint64_t lanes[VGPU_LANES];  /* integers sign-extended where they are signed; a float is a double's bits */
};

/* An instruction, with its operands as they were when it was executed last. */
struct vgpu_seen_op {
   char place[VGPU_PLACE_BYTES];
   char relation[4]; /* of a comparison: "==", "<" */
   uint8_t negated;  /* the relation must be false */
   uint8_t operand_count;
   uint16_t pad;
   uint32_t lanes; /* that executed it; 0: it was not executed, and there are no values */
   struct vgpu_seen_operand operands[VGPU_POSTMORTEM_OPERANDS];
};

enum vgpu_standing_state {
   VGPU_STANDS_RUNNING,
   VGPU_STANDS_BARRIER, /* waits at the barrier at `place` */
   VGPU_STANDS_FAULT,   /* the instruction at `place` faulted; its operands are in exits[0] */
};

/* A simdgroup that had not ended. */
struct vgpu_standing {
   uint32_t at[2][VGPU_LANES]; /* a lane's pixel (x, y), or its vertex and instance; where the launch has such */
   uint32_t threadgroup[3];    /* in the grid */
   uint32_t simdgroup;         /* in the threadgroup */
   uint32_t state;             /* enum vgpu_standing_state */
   uint32_t launched, active;  /* lanes */
   uint32_t exit_count;
   char place[VGPU_PLACE_BYTES];
   char loop[VGPU_PLACE_BYTES];                      /* the loop's first instruction; "": it went through no loop */
   char loop_end[VGPU_PLACE_BYTES];                  /* its last, which jumps back */
   uint64_t passes;                                  /* through the loop after the launch's end, while it was watched */
   struct vgpu_seen_op exits[VGPU_POSTMORTEM_EXITS]; /* comparisons: a lane leaves the loop when the relation holds */
};

struct vgpu_postmortem {
   uint32_t fault;                /* enum vgpu_fault; VGPU_FAULT_NONE: there is no post-mortem */
   uint32_t count;                /* of standing[] */
   uint32_t command;              /* of its job, from 0 */
   uint64_t job;                  /* its number */
   uint64_t code;                 /* address of the main program */
   uint64_t draw;                 /* of a render pass; VGPU_NO_DRAW: the program is not a draw's */
   uint8_t kind;                  /* enum vgpu_stage_kind */
   char stage[15];                /* "fragment" */
   uint64_t groups, groups_ended; /* threadgroups of the launch */
   uint64_t instructions;         /* that were executed after the launch's end, to see where it goes */
   /* Simdgroups of the first one's threadgroup, a bit each. */
   uint32_t waiting, ended, running;
   struct vgpu_standing standing[VGPU_POSTMORTEM_SIMDGROUPS];
};

/* What a place and an address are called by those who know the program and its buffers. Each writes its text, or "". */
struct vgpu_postmortem_names {
   void (*source)(void *data, const char *place, char *text, size_t size); /* "; kernel.cl:5" */
   void (*address)(void *data, uint64_t address, char *text, size_t size); /* "byte 4 of buffer 0 (flags)" */
   void *data;
};

/* Calls line() with each line of the text, without a newline. names, and the functions in it, may be NULL. */
void vgpu_postmortem_print(const struct vgpu_postmortem *postmortem, const struct vgpu_postmortem_names *names,
                           void (*line)(void *data, const char *text), void *data);

#endif
