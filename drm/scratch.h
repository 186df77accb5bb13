/* SPDX-License-Identifier: MIT
 *
 * Stack memory of shaders that use scratch, which the helper program hands to each simdgroup. spec/uapi.md 4.5.
 */
#ifndef DRM_SCRATCH_H
#define DRM_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

#include "drm/uapi/asahi_drm.h"

struct asahi_device;

/* Returns the bucket in USC REGISTERS for a stack of `dwords` 32-bit words a thread: 0 none, at most 15. */
unsigned asahi_scratch_bucket(uint32_t dwords);

/* The layout of a scratch buffer for a given stack size and GPU. Offsets in bytes from its start. */
struct asahi_scratch_layout {
   unsigned size_class; /* k: a block holds 8 << 2k words for each of 32 threads */
   unsigned blocks;     /* of one simdgroup, 1..4 */
   unsigned subgroups;  /* of each core */
   uint64_t block_bytes;
   uint64_t lists_offset, blocks_offset, size;
};

/* -ENOTSUP: more words than the hardware's blocks can hold, or a GPU with more cores than slots in the header. */
int asahi_scratch_plan(const struct drm_asahi_params_global *params, uint32_t dwords,
                       struct asahi_scratch_layout *layout);
/* Writes the header and the block lists (blocks_offset bytes) of a buffer whose GPU address is `address` (a multiple of
 * block_bytes). */
void asahi_scratch_fill(const struct drm_asahi_params_global *params, const struct asahi_scratch_layout *layout,
                        uint64_t address, uint8_t *out);

/* Makes device->scratch large enough. Must not be called while a job is in flight. */
int asahi_scratch_ensure(struct asahi_device *device, uint32_t dwords);

#endif
