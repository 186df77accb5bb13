/* SPDX-License-Identifier: MIT
 *
 * A core's L1. It turns an access into requests to the shared levels, and their answers into the access's service. The
 * state of the L1 does not depend on the answers, so all cores make requests in parallel. One thread alone has each
 * request served when it is made.
 */
#ifndef VGPU_REQUESTS_H
#define VGPU_REQUESTS_H

#include "vgpu/timing/memory/hierarchy.h"

/* The requests of one core in one window of turns, in order. All zeros is empty and has no memory yet. */
struct vgpu_requests {
   struct vgpu_request *items;
   struct vgpu_translation *pages;
   uint32_t count, capacity, page_count, page_capacity;
   /* 1 + number of the first and last request to each part; 0: none */
   uint32_t first[VGPU_PARTS_MOST], last[VGPU_PARTS_MOST];
   unsigned parts;
   uint64_t first_turn; /* first turn of the window */
   bool out_of_memory;
};

/* Begins a window. Keeps the allocated memory. */
void vgpu_requests_begin(struct vgpu_requests *requests, uint64_t first_turn, unsigned parts);
void vgpu_requests_finish(struct vgpu_requests *requests);

/* Appends one access's requests; returns the next access's first span. The access's spans start at *spans and end
 * before `end`. Fills in the members of *service that do not depend on the answers. */
const uint64_t *vgpu_requests_add(struct vgpu_requests *requests, struct vgpu_hierarchy *hierarchy, uint32_t core,
                                  uint64_t turn, uint64_t stack_base, const uint64_t *spans, const uint64_t *end,
                                  struct vgpu_service *service);
/* The same for one thread that replays the launch: the shared levels serve each request at once, and *service is
 * complete. No struct vgpu_requests lists them. */
const uint64_t *vgpu_requests_serve(struct vgpu_hierarchy *hierarchy, uint32_t core, uint64_t turn, uint64_t stack_base,
                                    const uint64_t *spans, const uint64_t *end, struct vgpu_service *service);
/* Fills in the rest of *service. The requests from `first` to before `end` are those of the access; they and all
 * earlier ones must have been answered. */
void vgpu_requests_answer(struct vgpu_requests *requests, uint32_t first, uint32_t end, struct vgpu_service *service);

#endif
