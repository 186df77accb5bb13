/* SPDX-License-Identifier: MIT
 *
 * What the memory system did for each access of a launch: the recorded address streams, replayed through the caches in
 * an order that depends on the launch alone. So cores can be simulated one by one afterwards.
 *
 * The order is an approximation: every simdgroup that is on a core makes one access a turn, and a threadgroup is
 * followed by the core's next one. How long accesses take does not change it.
 */
#ifndef VGPU_SERVICES_H
#define VGPU_SERVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "vgpu/timing/memory/intern.h"
#include "vgpu/timing/memory/hierarchy.h"

struct vgpu_host_threads; /* vgpu/host_threads.h */

/* A simdgroup that has ended: its path, and its address stream. */
struct vgpu_record {
   uint64_t *spans; /* NULL: none */
   uint32_t count;
   uint32_t path;   /* number */
   uint32_t stream; /* number of its services, an array of struct vgpu_service_run; 0 is empty */
};

/* Equal services one after the other. */
struct vgpu_service_run {
   uint32_t service; /* number */
   uint32_t repeat;
};

struct vgpu_services {
   struct vgpu_intern kinds;   /* struct vgpu_service */
   struct vgpu_intern streams; /* arrays of struct vgpu_service_run */
   uint64_t most_atomics;      /* on one word, by the whole launch */
};

struct vgpu_services_input {
   struct vgpu_hierarchy *hierarchy; /* as the launch before it left it */
   uint64_t space;                   /* the launch's address space */
   uint32_t cores;
   uint32_t room;               /* threadgroups that a core holds at a time */
   uint32_t simds_each;         /* records of a threadgroup */
   uint64_t groups;             /* group i runs on core i modulo their number */
   struct vgpu_record *records; /* simds_each of each group; `stream` is written */
   bool keep;                   /* the spans, for another replay; else they are freed */
   bool repeats;                /* services get VGPU_SERVICE_REPEATED */
   struct vgpu_host_threads *host;
   unsigned threads; /* to use of them. The services are the same for any number */
};

/* false: out of memory. */
bool vgpu_services_make(struct vgpu_services *services, const struct vgpu_services_input *input);
void vgpu_services_finish(struct vgpu_services *services);

#endif
