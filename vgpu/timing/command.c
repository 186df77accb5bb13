/* SPDX-License-Identifier: MIT
 *
 * The time of a command: launches between two barriers that wait form a batch, which takes the longest of three bounds.
 */
#include "vgpu/timing/command.h"

#include <math.h>

/* launch.csv, cdm_barrier_bit_*: 64 launches took the time of 64 (8, 9), of 13 (4 to 6, 10 to 16; bit 3 a little more),
 * and of 1 or 2 (all others). */
#define WAITS_FOR_ALL 0x00000300u
#define WAITS_FOR_SOME 0x0001FC78u

void vgpu_command_begin(struct vgpu_command_time *time, const struct vgpu_params *params)
{
   *time = (struct vgpu_command_time){.params = params};
   if (params) {
      time->fixed_ns = params->command[VGPU_COMMAND_STREAM_START];
      time->concurrent = params->command[VGPU_COMMAND_CONCURRENT];
   }
}

static void wait_for_all(struct vgpu_command_time *time)
{
   time->cycles += fmax(time->longest, fmax(time->filled, time->sum / time->concurrent));
   time->longest = time->sum = time->filled = 0;
   time->concurrent = time->params->command[VGPU_COMMAND_CONCURRENT];
}

void vgpu_command_launch(struct vgpu_command_time *time, uint64_t cycles, double share)
{
   if (!time->params) {
      time->cycles += (double)cycles;
      return;
   }
   time->fixed_ns += time->params->command[VGPU_COMMAND_LAUNCH];
   time->sum += (double)cycles;
   time->filled += (double)cycles * share;
   time->longest = fmax(time->longest, (double)cycles);
}

void vgpu_command_barrier(struct vgpu_command_time *time, uint32_t word)
{
   if (!time->params) {
      return;
   }
   if (word & WAITS_FOR_ALL) {
      wait_for_all(time);
      time->fixed_ns += time->params->command[VGPU_COMMAND_BARRIER_FULL];
   } else if (word & WAITS_FOR_SOME) {
      time->concurrent = fmin(time->concurrent, time->params->command[VGPU_COMMAND_CONCURRENT_PART]);
      time->fixed_ns += time->params->command[VGPU_COMMAND_BARRIER_PART];
   }
}

void vgpu_command_end(struct vgpu_command_time *time)
{
   if (time->params) {
      wait_for_all(time);
   }
}
