/* SPDX-License-Identifier: MIT
 *
 * The time of a command. The launches between two barriers that wait for all launches form a batch. Each takes the
 * place that is free first, and keeps it until it ends: equally long launches run in whole rounds, as launch.csv,
 * concurrent_*, has them. A batch takes until its last place is free, and at least as long as its launches fill the
 * GPU. A barrier that does not wait for all launches limits how many of them run concurrently.
 */
#include "vgpu/timing/command/command.h"

#include <math.h>

#include "util/array.h"

/* Bits 8 and 9. From launch.csv, cdm_barrier_bit_*: with a barrier after each, 64 launches took as long as 64 (bits 8,
 * 9), 13 (4 to 6, 10 to 16), 13 to 17 (3), 1.2 to 2.6 (0, 1, 2, 20) or 1 (7, 17, 18, 19) of them. */
#define WAITS_FOR_ALL 0x00000300u
#define WAITS_FOR_SOME 0x0001FC70u
#define BIT_3 0x00000008u

static const struct {
   uint32_t bits;
   enum vgpu_command_param concurrent;
} partial[] = {
    {WAITS_FOR_SOME, VGPU_COMMAND_CONCURRENT_PART}, {BIT_3, VGPU_COMMAND_CONCURRENT_BIT_3},
    {1u << 0, VGPU_COMMAND_CONCURRENT_BIT_0},       {1u << 1, VGPU_COMMAND_CONCURRENT_BIT_1},
    {1u << 2, VGPU_COMMAND_CONCURRENT_BIT_2},       {1u << 20, VGPU_COMMAND_CONCURRENT_BIT_20},
};

/* Returns how many launches run concurrently around a barrier that does not wait for all of them; infinity: its bits do
 * not limit them. The costs of bits do
 * not add up: mask 0x1f takes as long as bit 4 alone, although bit 3 alone takes longer. */
static double concurrent(const struct vgpu_params *params, uint32_t word)
{
   double least = INFINITY;
   word &= word & WAITS_FOR_SOME ? ~BIT_3 : ~0u;
   for (size_t i = 0; i < ARRAY_COUNT(partial); i++) {
      if (word & partial[i].bits) {
         least = fmin(least, params->command[partial[i].concurrent]);
      }
   }
   return least;
}

void vgpu_command_begin(struct vgpu_command_time *time, const struct vgpu_params *params)
{
   *time = (struct vgpu_command_time){.params = params};
   if (params) {
      time->fixed_ns = params->command[VGPU_COMMAND_STREAM_START];
      time->concurrent = INFINITY;
      time->places = (unsigned)(params->command[VGPU_COMMAND_CONCURRENT] + 0.5);
   }
}

static void wait_for_all(struct vgpu_command_time *time)
{
   double end = fmax(time->filled, time->sum / time->concurrent);

   for (unsigned i = 0; i < time->places; i++) {
      end = fmax(end, time->busy[i]);
      time->busy[i] = 0;
   }
   time->cycles += end;
   time->sum = time->filled = 0;
   time->concurrent = INFINITY;
}

static double *first_free(struct vgpu_command_time *time)
{
   double *first = &time->busy[0];

   for (unsigned i = 1; i < time->places; i++) {
      first = time->busy[i] < *first ? &time->busy[i] : first;
   }
   return first;
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
   *first_free(time) += (double)cycles;
}

void vgpu_command_barrier(struct vgpu_command_time *time, uint32_t word)
{
   if (!time->params) {
      return;
   }
   if (word & WAITS_FOR_ALL) {
      wait_for_all(time);
      time->fixed_ns += time->params->command[VGPU_COMMAND_BARRIER_FULL];
   } else {
      time->concurrent = fmin(time->concurrent, concurrent(time->params, word));
      time->fixed_ns += word & (WAITS_FOR_SOME | BIT_3) ? time->params->command[VGPU_COMMAND_BARRIER_PART] : 0;
   }
}

void vgpu_command_end(struct vgpu_command_time *time)
{
   if (time->params) {
      wait_for_all(time);
   }
}
