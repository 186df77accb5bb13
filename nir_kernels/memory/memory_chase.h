/* SPDX-License-Identifier: MIT
 *
 * A pointer chase: the latency of a load from device memory, by the size of the ring that it goes around. `sweep
 * memory` makes rings of any size; the catalogue has some.
 */
#ifndef NIR_KERNELS_MEMORY_CHASE_H
#define NIR_KERNELS_MEMORY_CHASE_H

#include "nir_kernels/benchmark.h"

/* Bytes from one link to the next: the line of results/reference/core_memory.csv. */
#define MEMORY_CHASE_LINE 128u
#define MEMORY_CHASE_PAGE 0x4000u /* bytes */
#define MEMORY_CHASE_REPEAT 8u    /* loads in the loop of the shorter program */

struct memory_chase {
   uint32_t stride; /* bytes a link, >= 16 */
   bool in_order;   /* one link after the other, else at random */
   bool apart;      /* each lane has a chain of its own */
   bool by_page;    /* each link on a page of its own, at another line of it; stride is then MEMORY_CHASE_PAGE */
};

/* Loads with which the shorter program walks the ring once at least, and turns of its loop. The longer program goes on
 * where the shorter one stops, and its second half is what is measured. */
#define MEMORY_CHASE_STEPS_MIN 4096u
#define MEMORY_CHASE_STEPS(bytes, stride)                                                                              \
   ((bytes) / (stride) >= MEMORY_CHASE_STEPS_MIN                                                                       \
        ? (bytes) / (stride)                                                                                           \
        : (MEMORY_CHASE_STEPS_MIN + (bytes) / (stride)-1) / ((bytes) / (stride)) * ((bytes) / (stride)))
#define MEMORY_CHASE_TURNS(steps) (((steps) + MEMORY_CHASE_REPEAT - 1) / MEMORY_CHASE_REPEAT)

/* The benchmark of a ring of that size, a multiple of chase->stride; `name` and `chase` must outlive it. */
struct benchmark memory_chase_benchmark(const char *name, uint32_t bytes, const struct memory_chase *chase);

#endif
