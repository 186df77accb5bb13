/* SPDX-License-Identifier: MIT
 *
 * Every lane raises words[id * stride] to 8 numbers an iteration: stride 1 gives each lane its own word, stride 0 all
 * lanes one. The result of an atomic is not used. bench: atomic.c
 */
#define RAISE                                                                                                          \
   value = value * 1664525 + 1013904223;                                                                               \
   (void)atomic_max(word, value)

kernel void umax32(global const uint *seeds, global uint *words, uint iterations, uint stride)
{
   const uint id = get_global_id(0);
   global uint *word = words + id * stride;
   uint value = seeds[id];

   for (uint i = 0; i < iterations; i++) {
      RAISE;
      RAISE;
      RAISE;
      RAISE;
      RAISE;
      RAISE;
      RAISE;
      RAISE;
   }
}
