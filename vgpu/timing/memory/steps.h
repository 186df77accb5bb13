/* SPDX-License-Identifier: MIT
 *
 * The steps of a replay (vgpu/timing/memory/services.h), distributed to host threads. A thread does whichever step can
 * be done next, so that no thread waits for the end of a window.
 *
 * Invariant: a step is done once, after all steps whose results it needs. Which thread does it, and when, changes
 * nothing else.
 */
#ifndef VGPU_STEPS_H
#define VGPU_STEPS_H

#include <stdbool.h>
#include <stdint.h>

struct vgpu_host_threads; /* vgpu/host_threads.h */

#define VGPU_STEPS_WINDOWS 4u /* most windows between a core's list and its services */
#define VGPU_STEPS_FED 16u    /* most windows between the services of a core and its simulation */

enum vgpu_step_kind {
   VGPU_STEP_FEED,     /* simulates a core */
   VGPU_STEP_SERVICES, /* of a core */
   VGPU_STEP_SERVE,    /* a part of the shared levels */
   VGPU_STEP_LIST,     /* the requests of a core */
};

struct vgpu_replay_step {
   enum vgpu_step_kind kind;
   uint32_t index;       /* of the core or part */
   uint64_t window, end; /* from this window to before `end`: one, but for VGPU_STEP_FEED */
};

enum vgpu_step_result {
   VGPU_STEP_DONE,
   VGPU_STEP_LAST, /* the core has listed its last window */
   VGPU_STEP_FAILED,
};

struct vgpu_steps {
   uint32_t cores, parts;
   const bool *fed; /* by core: whether there is VGPU_STEP_FEED */
   enum vgpu_step_result (*work)(void *data, const struct vgpu_replay_step *step);
   void *data;
};

/* Does all steps with so many threads. Returns false when one has failed, or when out of memory. */
bool vgpu_steps_run(const struct vgpu_steps *steps, struct vgpu_host_threads *host, unsigned threads);

#endif
