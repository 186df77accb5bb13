/* SPDX-License-Identifier: MIT
 *
 * Execution of a launch, and the tables through which it calls what lies above it: the semantics, the checks and the
 * post-mortem.
 */
#ifndef VGPU_EXEC_H
#define VGPU_EXEC_H

#include <stdbool.h>
#include <stddef.h>

#include "isa/isa.h"
#include "vgpu/exec/simd.h"

struct vgpu_binder;
struct vgpu_block;
struct vgpu_checked_op; /* what the checks know of an op: vgpu/exec/checks/checks.h */
struct vgpu_code;
struct vgpu_cohort;
struct vgpu_lane_checks; /* vgpu/exec/checks/checks.h */
struct vgpu_postmortem;

/* The checking device: vgpu/exec/checks fills this table. It observes, and never changes what a program does. Launches
 * without checks call none of these functions. */
struct vgpu_check_hooks {
   /* The state of a launch's checks. simds: of a cohort; halves: registers of each. NULL: out of memory. */
   struct vgpu_checks *(*create)(const struct vgpu_launch *launch, uint32_t groups, uint32_t simds_each,
                                 uint32_t halves);
   void (*destroy)(struct vgpu_checks *checks);
   /* Words for the definedness of `halves` half registers. They follow the registers. */
   uint32_t (*register_words)(uint32_t halves);
   /* The table of checked ops, by the index of the op. free() it; NULL: out of memory. */
   struct vgpu_checked_op *(*create_ops)(size_t count);
   /* Makes *op, one of binder->code, run the checks before it does what it did. */
   void (*bind)(const struct vgpu_binder *binder, struct vgpu_op *op);
   /* All ops of the code are bound. */
   void (*bound)(const struct vgpu_code *code);
   /* Another launch runs the code, in which no instruction faults. halves: registers that are allocated. */
   void (*rebind)(const struct vgpu_code *code, const struct vgpu_launch *launch, bool preamble, uint32_t halves);
   /* A threadgroup starts in a slot of the cohort; then each of its simdgroups, whose registers are zeroed. */
   void (*start_group)(struct vgpu_checks *checks, struct vgpu_threadgroup *group, uint32_t slot);
   void (*start_simd)(struct vgpu_checks *checks, struct vgpu_simd *simd, uint32_t slot);
   /* Before the instruction that ends the block takes effect. */
   void (*control)(struct vgpu_simd *simd, const struct vgpu_block *block);
   /* Reports a finding that is of no instruction; the address and the place, a literal, tell findings apart. log NULL:
    * none are kept. */
   void (*note)(struct vgpu_check_log *log, enum vgpu_check check, uint64_t address, const char *place,
                const char *text);
   /* A lane loads a texel that does not exist. at: x, y, layer, level; size: of that level and the layers. */
   void (*texel)(struct vgpu_simd *simd, const struct vgpu_op *op, unsigned lane, const uint32_t at[4],
                 const uint32_t size[3]);
   /* All simdgroups of the threadgroup wait at a barrier. */
   void (*release)(struct vgpu_threadgroup *group);
};

/* The post-mortem: vgpu/exec/postmortem fills this table. A launch without a fault calls none of these functions. */
struct vgpu_postmortem_hooks {
   /* Adds to the post-mortem, after the launch's end and by one host thread, which of the cohorts' simdgroups have not
    * ended. Those that are running are watched: their threadgroup continues for a bounded number of instructions, so
    * that the description of a loop does not depend on where in it the launch was stopped. Threadgroups are sorted by
    * number. */
   void (*take)(struct vgpu_postmortem *postmortem, struct vgpu_cohort *const *cohorts, unsigned count);
   /* The state of the simdgroup whose instruction faulted. free() it; NULL: out of memory. */
   struct vgpu_standing *(*keep)(const struct vgpu_simd *simd, const struct vgpu_op *op);
};

/* A build of the semantics for one level of the host's vector instructions, and what observes it. The table of levels
 * is in vgpu/exec/levels. */
struct vgpu_level {
   const char *name;
   bool (*usable)(void);                              /* on this host */
   const struct vgpu_handler *const *const *handlers; /* by enum isa_op, then by variant */
   const struct vgpu_lane_checks *lane_checks;
   const struct vgpu_rows *rows; /* vgpu/exec/rows.h */
   const struct vgpu_check_hooks *checks;
   const struct vgpu_postmortem_hooks *postmortem;
};

/* Names in files that are built once for each level (vgpu/meson.build): VGPU_NAME(x) is x with the level's suffix. */
#define VGPU_JOIN_(name, level) name##_##level
#define VGPU_JOIN(name, level) VGPU_JOIN_(name, level)
#define VGPU_NAME(name) VGPU_JOIN(name, VGPU_LEVEL)

/* Runs one launch, at launch->level, to its end. Memory effects are complete when it returns. The same launch and
 * memory give the same cycles for any number of host threads, and the same memory too, unless the program's result
 * depends on the order in which threadgroups do atomics, or on a race: then only one host thread gives the same memory
 * each time. */
void vgpu_core_run(const struct vgpu_launch *launch, struct vgpu_outcome *outcome);
/* The same for one threadgroup of so many threads in a line: these, the stage and the post-mortem are not the launch's.
 */
void vgpu_core_run_stage(const struct vgpu_launch *launch, struct vgpu_stage *stage, uint32_t threads,
                         struct vgpu_postmortem *postmortem, struct vgpu_outcome *outcome);

/* Runs the launch's preamble alone, once for several launches: its uniforms and states become theirs, and they have no
 * preamble any more. */
void vgpu_core_run_preamble(struct vgpu_launch *launch, struct vgpu_outcome *outcome);

/* Adds what came later. */
void vgpu_soft_faults_add(struct vgpu_soft_faults *sum, const struct vgpu_soft_faults *later);

/* Decoded programs, for the launches of one device. NULL: out of memory. */
struct vgpu_kept *vgpu_kept_create(void);
/* The launches' compiler must live. NULL is fine. */
void vgpu_kept_destroy(struct vgpu_kept *kept);
/* Programs that launches found among them so far. */
uint64_t vgpu_kept_found(struct vgpu_kept *kept);

#endif
