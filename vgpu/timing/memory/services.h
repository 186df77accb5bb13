/* SPDX-License-Identifier: MIT
 *
 * What the memory system did for each access of a launch: the recorded address streams, replayed through the caches in
 * an order that depends on the launch alone. So cores can be simulated one by one afterwards.
 *
 * The order is an approximation: every simdgroup on a core makes one access a turn, and the core's next threadgroup
 * follows one that has ended. The time that accesses take does not change the order.
 */
#ifndef VGPU_SERVICES_H
#define VGPU_SERVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "vgpu/timing/memory/intern.h"
#include "vgpu/timing/memory/hierarchy.h"
#include "vgpu/timing/memory/records.h"

struct vgpu_feeds;        /* vgpu/timing/memory/feed.h */
struct vgpu_host_threads; /* vgpu/host_threads.h */
struct vgpu_spare;        /* vgpu/spare.h */

struct vgpu_services {
   struct vgpu_intern kinds;   /* struct vgpu_service */
   struct vgpu_intern streams; /* arrays of struct vgpu_service_run */
   uint64_t most_atomics;      /* largest number of atomics on one word in the whole launch */
};

struct vgpu_services_input {
   struct vgpu_hierarchy *hierarchy; /* the caches as the previous launch left them */
   uint64_t space;                   /* the launch's address space */
   uint32_t cores;
   uint32_t room;               /* threadgroups that a core holds at a time */
   uint32_t simds_each;         /* records of a threadgroup */
   uint64_t groups;             /* threadgroup i runs on core i modulo `cores` */
   struct vgpu_record *records; /* simds_each for each threadgroup; `stream` is filled in */
   bool keep;                   /* keep the spans for another replay; otherwise they are freed */
   bool repeats;                /* set VGPU_SERVICE_REPEATED in services */
   struct vgpu_host_threads *host;
   struct vgpu_spare *spare; /* where the spans' memory comes from; NULL: the system */
   unsigned threads;         /* host threads to use; the services do not depend on it */
   struct vgpu_feeds *feeds; /* with several threads: get the services of their cores, too; NULL: none do */
};

/* Returns false when out of memory. */
bool vgpu_services_make(struct vgpu_services *services, const struct vgpu_services_input *input);
void vgpu_services_finish(struct vgpu_services *services);

#endif
