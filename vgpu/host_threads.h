/* SPDX-License-Identifier: MIT
 *
 * Host threads that are started once and share work. Invariant: each index of a piece of work is processed exactly
 * once, however many threads could be started; the caller's thread takes part.
 */
#ifndef VGPU_HOST_THREADS_H
#define VGPU_HOST_THREADS_H

#include <stdint.h>

struct vgpu_host_threads;

/* `count`: threads that work at a time, the caller's included. They are started when there is work for them. NULL: out
 * of memory. */
struct vgpu_host_threads *vgpu_host_threads_create(unsigned count);
/* Ends the threads; NULL is fine. No work may be under way. */
void vgpu_host_threads_destroy(struct vgpu_host_threads *threads);
/* Calls work(data, index) for each index below `count`, and returns when all calls have returned. Calls run in parallel
 * and start in the order of their index. One thread at a time may call this function, and so may work(), to distribute
 * its own work: other threads begin with that when no index of an earlier call is left. */
void vgpu_host_threads_run(struct vgpu_host_threads *threads, unsigned count, void (*work)(void *data, unsigned index),
                           void *data);
/* From now on, adds up the processor time of work that threads share: of which there is more than one index. Work
 * inside work counts twice. */
void vgpu_host_threads_measure(struct vgpu_host_threads *threads);
/* Seconds. */
struct vgpu_host_shares {
   double all; /* what all threads did of it */
   double own; /* of that, what the threads did that called vgpu_host_threads_run() */
};
/* Nanoseconds of processor time of the threads that were started. */
uint64_t vgpu_host_threads_ns(struct vgpu_host_threads *threads);
/* No work may be under way. */
struct vgpu_host_shares vgpu_host_threads_shared(const struct vgpu_host_threads *threads);

#endif
