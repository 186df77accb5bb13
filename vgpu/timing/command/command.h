/* SPDX-License-Identifier: MIT
 *
 * The time of all launches of one command: their cycles, and the fixed times of launches and barriers.
 *
 * Without costs of commands (dvfs= off), launches run one after the other and nothing else takes time. With them, the
 * launches between two waiting barriers overlap, as far as the cores and the number of launches in flight allow.
 * docs/spec/launch.md, "CDM barrier bits", lists what each barrier bit waits for.
 */
#ifndef VGPU_COMMAND_H
#define VGPU_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "vgpu/timing/timing_params.h"

#define VGPU_PLACES_MOST 1024 /* the row command/concurrent allows no more */

struct vgpu_command_time {
   const struct vgpu_params *params; /* NULL: commands cost nothing */
   double cycles, fixed_ns;          /* totals of the completed batches */
   /* The launches since the last barrier that waited for all of them. */
   /* cycles; filled: each launch's cycles times the fraction of the GPU that it fills */
   double sum, filled;
   double concurrent;             /* most launches in flight, by the barriers' bits; infinity: no bit limits them */
   double busy[VGPU_PLACES_MOST]; /* cycles until each place of a launch is free */
   unsigned places;               /* how many there are */
};

void vgpu_command_begin(struct vgpu_command_time *time, const struct vgpu_params *params);
/* share: fraction of the GPU's threadgroup slots that the launch fills, above 0 and at most 1. */
void vgpu_command_launch(struct vgpu_command_time *time, uint64_t cycles, double share);
/* word: the word of the CDM barrier block. */
void vgpu_command_barrier(struct vgpu_command_time *time, uint32_t word);
/* Completes the last batch. The totals are then in `cycles` and `fixed_ns`. */
void vgpu_command_end(struct vgpu_command_time *time);

#endif
