/* SPDX-License-Identifier: MIT
 *
 * A core's instruction cache. A simdgroup that reaches another line of code waits until the line has been fetched. The
 * next line is prefetched: with it, a full core loses no time even if its code does not fit the cache, as the source
 * of the published figures states (docs/spec/pipelines.md; the source tested FFMA32 only).
 *
 * Code that fits the cache is assumed to be there when the launch starts, because no source gives the cost of a first
 * fetch. So the cache is simulated for larger programs only.
 */
#ifndef VGPU_CODE_FETCH_H
#define VGPU_CODE_FETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "vgpu/timing/memory/cache.h"
#include "vgpu/timing/timing_params.h"

struct vgpu_code_fetch {
   struct vgpu_cache cache; /* an entry's `turn` is the tick at which its line arrives */
   bool on;
   uint64_t latency, line; /* ticks: latency of a line; ticks between two lines */
   uint64_t free;          /* tick at which the next line can be requested */
};

/* code_bytes: bytes from the first to the last instruction of the launch. Returns false when out of memory. */
bool vgpu_code_fetch_init(struct vgpu_code_fetch *fetch, const struct vgpu_params *params, uint64_t code_bytes);
void vgpu_code_fetch_finish(struct vgpu_code_fetch *fetch);
/* Returns the tick at which line number `line` is available to a simdgroup that requests it at `now`. */
uint64_t vgpu_code_fetch_line(struct vgpu_code_fetch *fetch, uint64_t line, uint64_t now);

#endif
