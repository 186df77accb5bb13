/* SPDX-License-Identifier: MIT
 *
 * All lanes of a threadgroup work on one word of threadgroup memory, 8 operations an iteration: what Mesa's
 * uniform-atomic optimisation makes one atomic of a simdgroup of, where it runs. NAME_return feeds what is returned into
 * the next operand, through a zero that the compiler does not know. bench: atomic_folded.c
 */
#define NEXT value = value * 1664525 + 1013904223;
#define STEP(OP)                                                                                                       \
   NEXT OP(&word, value);
#define STEP_RETURN(OP)                                                                                                \
   NEXT value ^= OP(&word, value) & zero;
#define EIGHT(X, OP) X(OP) X(OP) X(OP) X(OP) X(OP) X(OP) X(OP) X(OP)

#define KERNEL(name, type, X, OP)                                                                                      \
   kernel void name(global const uint *seeds, global uint *output, uint iterations, uint zero)                         \
   {                                                                                                                   \
      local type word;                                                                                                 \
      const uint id = get_global_id(0);                                                                                \
      type value = seeds[id];                                                                                          \
                                                                                                                       \
      if (get_local_id(0) == 0) {                                                                                      \
         word = 0x5a5a1234;                                                                                            \
      }                                                                                                                \
      barrier(CLK_LOCAL_MEM_FENCE);                                                                                    \
      for (uint i = 0; i < iterations; i++) {                                                                          \
         EIGHT(X, OP)                                                                                                  \
      }                                                                                                                \
      barrier(CLK_LOCAL_MEM_FENCE);                                                                                    \
      output[id] = word;                                                                                               \
   }
#define OPERATION(name, type, OP)                                                                                      \
   KERNEL(name, type, STEP, OP)                                                                                        \
   KERNEL(name##_return, type, STEP_RETURN, OP)

OPERATION(add, uint, atomic_add)
OPERATION(umin, uint, atomic_min)
OPERATION(umax, uint, atomic_max)
OPERATION(imin, int, atomic_min)
OPERATION(imax, int, atomic_max)
OPERATION(and, uint, atomic_and)
OPERATION(or, uint, atomic_or)
OPERATION(xor, uint, atomic_xor)
