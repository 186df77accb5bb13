/* SPDX-License-Identifier: MIT
 *
 * A core's instruction cache. A simdgroup that comes to another line of code waits until the line is there. The line
 * behind it is fetched with it: a full core then loses nothing while its code does not fit, which is what the source
 * of the published figures expects (docs/spec/pipelines.md; from FFMA32, not tested there for others).
 *
 * Code that fits the cache is taken to be there when the launch starts: no source gives the cost of a first fetch. So
 * the cache is simulated for larger programs only.
 */
#ifndef VGPU_CODE_FETCH_H
#define VGPU_CODE_FETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "vgpu/timing/memory/cache.h"
#include "vgpu/timing/timing_params.h"

struct vgpu_code_fetch {
   struct vgpu_cache cache; /* an entry's `turn`: when its line is there, ticks */
   bool on;
   uint64_t latency, line; /* ticks: of a line; between two lines */
   uint64_t free;          /* when the next line can be asked for */
};

/* code_bytes: from the first to the last instruction of the launch. false: out of memory. */
bool vgpu_code_fetch_init(struct vgpu_code_fetch *fetch, const struct vgpu_params *params, uint64_t code_bytes);
void vgpu_code_fetch_finish(struct vgpu_code_fetch *fetch);
/* When the line of that number is there, for a simdgroup that asks for it at `now`. */
uint64_t vgpu_code_fetch_line(struct vgpu_code_fetch *fetch, uint64_t line, uint64_t now);

#endif
