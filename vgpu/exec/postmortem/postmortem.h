/* SPDX-License-Identifier: MIT
 *
 * Makes the post-mortem of a launch: nothing here runs while a launch is well.
 */
#ifndef VGPU_EXEC_POSTMORTEM_H
#define VGPU_EXEC_POSTMORTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "vgpu/exec/cohort.h"
#include "vgpu/exec/exec.h"
#include "vgpu/postmortem.h"

extern const struct vgpu_postmortem_hooks vgpu_postmortem_hooks;
struct vgpu_standing *vgpu_standing_keep(const struct vgpu_simd *simd, const struct vgpu_op *op); /* hooks.keep */

/* A simdgroup that stands at the instruction. */
void vgpu_standing_fill(struct vgpu_standing *standing, const struct vgpu_simd *simd, const struct vgpu_op *op,
                        enum vgpu_standing_state state);
/* The instruction's first two sources, as they are now. */
void vgpu_seen_fill(struct vgpu_seen_op *seen, const struct vgpu_simd *simd, const struct vgpu_op *op);
/* The operand's value in a lane. */
uint64_t vgpu_seen_value(const struct vgpu_simd *simd, const struct vgpu_op *op, unsigned n, unsigned lane);
/* The address that the instruction accesses device memory at in a lane, or, of other instructions, 0. */
uint64_t vgpu_seen_address(const struct vgpu_simd *simd, const struct vgpu_op *op, unsigned lane);

/* ---- Loops, by the program's code alone ---- */

/* A comparison that lanes leave a loop by. */
struct vgpu_loop_exit {
   const struct vgpu_op *op;
   bool when; /* they leave where the comparison is this */
};
#define VGPU_LOOP_EXITS 32u

/* The comparisons that decide whether a lane leaves the loop between these addresses, of its first and its last
 * instruction, in the order of the code. Returns how many were found. */
unsigned vgpu_loop_exits(const struct vgpu_code *code, uint64_t head, uint64_t tail,
                         struct vgpu_loop_exit exits[VGPU_LOOP_EXITS]);
/* Whether some of the lanes that executed it, with those values, stayed in the loop. */
bool vgpu_loop_exit_keeps(const struct vgpu_loop_exit *exit, const struct vgpu_seen_op *seen);
/* The narrowest loop around the address. false: there is none. */
bool vgpu_loop_around(const struct vgpu_code *code, uint64_t address, uint64_t *head, uint64_t *tail);
/* Whether it compares and sets the exec mask. */
bool vgpu_is_exec_compare(const struct vgpu_op *op);
/* The relation of a comparison that must hold for it to be `when`. */
void vgpu_loop_relation(const struct vgpu_op *op, bool when, struct vgpu_seen_op *seen);
/* The op at the address; NULL: the code has none there. */
const struct vgpu_op *vgpu_code_op(const struct vgpu_code *code, uint64_t address);

#endif
