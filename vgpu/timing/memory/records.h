/* SPDX-License-Identifier: MIT
 *
 * What a launch keeps of each simdgroup: its path and its address stream.
 */
#ifndef VGPU_RECORDS_H
#define VGPU_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "vgpu/timing/memory/accesses.h"

#define VGPU_GROUP_SIMDS (1024u / VGPU_LANES) /* simdgroups of the largest threadgroup */

struct vgpu_spare; /* vgpu/spare.h */

/* A simdgroup that has ended: its path and its address stream. */
struct vgpu_record {
   /* The first one's has the spans of all simdgroups of the threadgroup: their first accesses, one simdgroup after the
    * other, then their second ones, and so on. That is the order in which they are replayed. NULL: none. */
   uint64_t *spans;
   uint32_t size;     /* how many spans are its own */
   uint32_t accesses; /* in them */
   uint32_t path;     /* number of its path */
   uint32_t stream;   /* number of its services, which are an array of struct vgpu_service_run; 0: there are none */
};

/* Equal consecutive services. */
struct vgpu_service_run {
   uint32_t service; /* number of the service */
   uint32_t repeat;
};

/* Copies the address streams of a threadgroup's simdgroups, at most VGPU_GROUP_SIMDS. Returns false when out of memory.
 */
bool vgpu_records_copy(struct vgpu_spare *spare, struct vgpu_record *records,
                       const struct vgpu_accesses *const *streams, uint32_t count);
/* Frees the spans of a threadgroup's records. Returns how many there were. */
uint64_t vgpu_records_free(struct vgpu_spare *spare, struct vgpu_record *records, uint32_t count);

#endif
