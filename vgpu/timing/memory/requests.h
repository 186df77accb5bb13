/* SPDX-License-Identifier: MIT
 *
 * A core's L1. It turns an access into requests to the shared levels, and their answers into the access's service. The
 * state of the L1 does not depend on the answers, so all cores make requests in parallel. One thread alone has each
 * request served when it is made.
 */
#ifndef VGPU_REQUESTS_H
#define VGPU_REQUESTS_H

#include "vgpu/timing/memory/hierarchy.h"

/* The requests of one core to one part of the shared levels, in order. */
struct vgpu_request_list {
   struct vgpu_request *items;
   struct vgpu_answer *answers;
   uint32_t count, capacity, answer_capacity;
   uint32_t read; /* answers that have been read */
};

/* What the core itself keeps of a request, or of sectors that are in flight. */
struct vgpu_asked {
   uint32_t page;   /* index of its struct vgpu_translation */
   uint32_t before; /* 1 + number of the last one in this turn that filled the same L1 line; 0: none */
   uint8_t part;    /* VGPU_PARTS_MOST: it requests nothing, but waits for an earlier request */
   bool behind;     /* it also waits for sectors which the one `before` fetches */
   uint8_t level;   /* the deepest level that it and those before it wait for */
};

/* The requests of one core in one window of turns. All zeros is empty and has no memory yet. */
struct vgpu_requests {
   struct vgpu_request_list lists[VGPU_PARTS_MOST]; /* by part */
   struct vgpu_asked *asked;                        /* in order */
   struct vgpu_translation *pages;
   uint32_t count, capacity, page_count, page_capacity;
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
