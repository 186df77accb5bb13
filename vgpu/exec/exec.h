/* SPDX-License-Identifier: MIT
 *
 * Semantics: the effect of each operation, and the handlers, built once for each level of the host's vector
 * instructions.
 */
#ifndef VGPU_EXEC_H
#define VGPU_EXEC_H

#include <stdbool.h>
#include <stddef.h>

#include "isa/isa.h"
#include "vgpu/exec/simd.h"

struct vgpu_lane_checks; /* vgpu/exec/checks/checks.h */

struct vgpu_level {
   const char *name;
   bool (*usable)(void);                              /* on this host */
   const struct vgpu_handler *const *const *handlers; /* by enum isa_op, then by variant */
   const struct vgpu_lane_checks *checks;
};

/* Of what is built once a level (vgpu/meson.build): VGPU_NAME(x) is x with the level's suffix. */
#define VGPU_JOIN_(name, level) name##_##level
#define VGPU_JOIN(name, level) VGPU_JOIN_(name, level)
#define VGPU_NAME(name) VGPU_JOIN(name, VGPU_LEVEL)

/* Best first; the last is usable everywhere. */
extern const struct vgpu_level vgpu_levels[];
extern const size_t vgpu_level_count;
const struct vgpu_level *vgpu_best_level(void);

/* Runs one launch to its end. Memory effects are complete when it returns. The same launch and memory give the same
 * cycles for any number of host threads, and the same memory too, unless the program's result depends on the order in
 * which threadgroups do atomics, or on a race: then only one host thread gives the same memory each time. */
void vgpu_core_run(const struct vgpu_launch *launch, struct vgpu_outcome *outcome);

/* Adds what came later. */
void vgpu_soft_faults_add(struct vgpu_soft_faults *sum, const struct vgpu_soft_faults *later);

/* Decoded programs, for the launches of one device. NULL: out of memory. */
struct vgpu_kept *vgpu_kept_create(void);
/* The launches' compiler must live. NULL is fine. */
void vgpu_kept_destroy(struct vgpu_kept *kept);
/* Programs that launches found among them so far. */
uint64_t vgpu_kept_found(struct vgpu_kept *kept);

/* vgpu_core_run() with a level of the caller's choice. */
void vgpu_core_run_level(const struct vgpu_launch *launch, const struct vgpu_level *level,
                         struct vgpu_outcome *outcome);

/* ---- The post-mortem: vgpu/exec/postmortem. Nothing of it runs while a launch is well ---- */

struct vgpu_cohort;
struct vgpu_postmortem;
/* Adds to the post-mortem, after the launch's end and by one host thread, which of the cohorts' simdgroups have not
 * ended. Those that are running are watched: their threadgroup continues for a bounded number of instructions, so that
 * the description of a loop does not depend on where in it the launch was stopped. Threadgroups are sorted by
 * number. */
void vgpu_postmortem_take(struct vgpu_postmortem *postmortem, struct vgpu_cohort *const *cohorts, unsigned count);
/* The simdgroup whose instruction faulted, as it stands now. free() it; NULL: out of memory. */
struct vgpu_standing *vgpu_standing_keep(const struct vgpu_simd *simd, const struct vgpu_op *op);

/* ---- The checking device: vgpu/exec/checks. It observes, and never changes what a program does ---- */

struct vgpu_binder;
struct vgpu_block;
struct vgpu_checked_op; /* what the checks know of an op */

/* The state of a launch's checks. simds: of a cohort; halves: registers of each. NULL: out of memory. */
struct vgpu_checks *vgpu_checks_create(const struct vgpu_launch *launch, uint32_t groups, uint32_t simds_each,
                                       uint32_t halves);
void vgpu_checks_destroy(struct vgpu_checks *checks); /* NULL is fine */
/* Words of the definedness of so many registers, which follow the registers themselves. */
uint32_t vgpu_checks_register_words(uint32_t halves);

struct vgpu_code;
struct vgpu_checked_op *vgpu_check_ops_create(size_t count); /* free() it; NULL: out of memory */
struct vgpu_checked_op *vgpu_check_op(const struct vgpu_code *code, const struct vgpu_op *op);
/* Makes *op run the checks before it does what it did: the checked op of the same index belongs to it. */
void vgpu_check_bind(const struct vgpu_binder *binder, struct vgpu_op *op, struct vgpu_checked_op *checked);

/* A threadgroup starts in a slot of the cohort; then each of its simdgroups, whose registers are zeroed. */
void vgpu_check_start_group(struct vgpu_checks *checks, struct vgpu_threadgroup *group, uint32_t slot);
void vgpu_check_start_simd(struct vgpu_checks *checks, struct vgpu_simd *simd, uint32_t slot);
/* Before the instruction that ends the block takes effect. */
void vgpu_check_control(struct vgpu_simd *simd, const struct vgpu_block *block);
/* All simdgroups of the threadgroup wait at a barrier. */
void vgpu_check_release(struct vgpu_threadgroup *group);

#endif
