/* SPDX-License-Identifier: MIT
 *
 * A 64-bit maximum or minimum out of 32-bit atomics, without a lock: a pixel is the number of a record of depth and
 * payload. Who has something better writes a record of its own, which nobody sees yet, and then puts its number in the
 * pixel's place with one compare-and-exchange; where that fails somebody else's has succeeded. A record that was seen is
 * never written again. All accesses are atomics, for a core's cache need not see what another core has written.
 *
 * output: 16 shared pixels; the records, of which number 0 is what all pixels begin with, and then RECORDS of each
 * thread; the pixels that a thread has to itself. input: where the thread's pixel is, and its first random number. Who has used up its own drops its value, which shows in the answer: a check has fewer operations than that,
 * and a timing's values are random, of which few are better than all before. bench: atomic64_emulated.c
 */
#define RECORDS 32
#define PIXELS 16

#define READ(word) atomic_or(word, 0)
#define OPERATE(name, BETTER)                                                                                          \
   kernel void name(global const uint *input, global uint *output, uint iterations)                                    \
   {                                                                                                                   \
      const uint id = get_global_id(0);                                                                                \
      global uint *pixel = output + input[2 * id], *records = output + PIXELS;                                         \
      uint random = input[2 * id + 1], own = 1 + RECORDS * id;                                                         \
      const uint end = own + RECORDS;                                                                                  \
                                                                                                                       \
      for (uint i = 0; i < iterations; i++) {                                                                          \
         random = random * 1664525 + 1013904223;                                                                       \
         const uint depth = random >> 16, payload = random * 0x9e3779b9;                                               \
         uint seen = READ(pixel);                                                                                      \
         bool going;                                                                                                   \
         do {                                                                                                          \
            const uint old_depth = READ(records + 2 * seen), old_payload = READ(records + 2 * seen + 1);               \
                                                                                                                       \
            going = BETTER(depth, old_depth) || (depth == old_depth && BETTER(payload, old_payload));                  \
            if (going && own < end) {                                                                                  \
               (void)atomic_xchg(records + 2 * own, depth);                                                            \
               (void)atomic_xchg(records + 2 * own + 1, payload);                                                      \
               mem_fence(CLK_GLOBAL_MEM_FENCE);                                                                        \
               const uint was = atomic_cmpxchg(pixel, seen, own);                                                      \
               going = was != seen;                                                                                    \
               own += !going;                                                                                          \
               seen = was;                                                                                             \
            } else {                                                                                                   \
               going = false;                                                                                          \
            }                                                                                                          \
         } while (going);                                                                                              \
      }                                                                                                                \
   }
#define GREATER(a, b) ((a) > (b))
#define LESS(a, b) ((a) < (b))
OPERATE(umax64, GREATER)
OPERATE(umin64, LESS)
