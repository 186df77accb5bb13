/* SPDX-License-Identifier: MIT
 *
 * A core's L1: from an access to what it asks of the shared levels, and from their answers to its service. What the L1
 * finds does not depend on the answers, so cores ask side by side.
 */
#ifndef VGPU_REQUESTS_H
#define VGPU_REQUESTS_H

#include "vgpu/timing/memory/hierarchy.h"

/* Of one core and one window of turns, in the order in which it asks. All zero has no memory yet. */
struct vgpu_requests {
   struct vgpu_request *items;
   struct vgpu_translation *pages;
   uint32_t count, capacity, page_count, page_capacity;
   uint32_t first[VGPU_PARTS_MOST], last[VGPU_PARTS_MOST]; /* 1 + number of such a request of each part; 0: none */
   unsigned parts;
   uint64_t first_turn; /* of the window */
   bool out_of_memory;
};

/* A window begins. Keeps the memory. */
void vgpu_requests_begin(struct vgpu_requests *requests, uint64_t first_turn, unsigned parts);
void vgpu_requests_finish(struct vgpu_requests *requests);

/* The access in that turn whose spans start at *spans and end before `end` at most: appends its requests, and fills in
 * what the answers do not change. Returns the first span of the next one. */
const uint64_t *vgpu_requests_add(struct vgpu_requests *requests, const struct vgpu_hierarchy *hierarchy, uint32_t core,
                                  uint64_t turn, uint64_t stack_base, const uint64_t *spans, const uint64_t *end,
                                  struct vgpu_service *service);
/* Fills in the rest: the access's requests, from `first` to before `end`, are answered, and so are the accesses before
 * it. */
void vgpu_requests_answer(struct vgpu_requests *requests, uint32_t first, uint32_t end, struct vgpu_service *service);

#endif
