/* SPDX-License-Identifier: MIT
 *
 * Recorded paths, walked again, are what was recorded, however they were folded; and loops fold.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/vgpu/exec/rig.h"
#include "vgpu/timing/path/path.h"
#include "vgpu/block.h"

#define JUMPS 600

/* Blocks stand for themselves here: a step is the block that it starts and ends with. */
static struct vgpu_block blocks[6];

static void check(const unsigned *places, unsigned count, size_t most)
{
   struct vgpu_path path = {0};
   struct vgpu_walk walk;
   vgpu_path_begin(&path, &blocks[places[0]]);
   for (unsigned i = 0; i + 1 < count; i++) {
      vgpu_path_jump(&path, &blocks[places[i]], &blocks[places[i + 1]]);
   }
   vgpu_path_end(&path, &blocks[places[count - 1]]);
   vgpu_walk_begin(&walk, path.steps, path.count);
   unsigned walked = 0;
   bool more = true;
   for (; more && walked < count; walked++) {
      if (walk.step->first != &blocks[places[walked]] || walk.step->last != walk.step->first) {
         rig_fail("step %u of %u leads elsewhere", walked, count);
         break;
      }
      more = vgpu_walk_next(&walk);
   }
   if (more || walked != count) {
      rig_fail("%u of %u steps walked", walked, count);
   }
   if (path.count > most) {
      rig_fail("%zu steps stored for %u, expected at most %zu", path.count, count, most);
   }
   vgpu_path_finish(&path);
}

int main(void)
{
   unsigned places[JUMPS];
   for (unsigned round = 0; round < 20000; round++) {
      /* Pieces that come again a few times, of a few blocks. */
      unsigned count = 0, wanted = 1 + rig_random() % JUMPS;
      while (count < wanted) {
         unsigned piece[10], length = 1 + rig_random() % 10, times = rig_random() % 5;
         for (unsigned i = 0; i < length; i++) {
            piece[i] = rig_random() % (2 + rig_random() % 5);
         }
         for (unsigned i = 0; i < length * times && count < wanted; i++) {
            places[count++] = piece[i % length];
         }
      }
      check(places, count, count + count / 2);
   }
   for (unsigned span = 1; span <= 6; span++) {
      for (unsigned i = 0; i < JUMPS; i++) {
         places[i] = i % span;
      }
      check(places, JUMPS, 2 * span);
   }
   return rig_result();
}
