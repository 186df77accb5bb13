/* SPDX-License-Identifier: MIT
 *
 * An array on the stack, indexed by numbers from memory, so that no register can hold it. bench: launch.c
 */
#define STACK(bytes)                                                                                                   \
   kernel void stack_##bytes(global const uint *input, global uint *output, uint iterations)                           \
   {                                                                                                                   \
      const uint id = get_global_id(0);                                                                                \
      uint array[bytes / 4], sum = 0;                                                                                  \
                                                                                                                       \
      for (uint k = 0; k < bytes / 4; k++) {                                                                           \
         array[input[k] % (bytes / 4)] = k + id;                                                                       \
      }                                                                                                                \
      for (uint k = 0; k < bytes / 4; k++) {                                                                           \
         sum += array[k] * (k + iterations);                                                                           \
      }                                                                                                                \
      output[id] = sum;                                                                                                \
   }

STACK(256)
STACK(1024)
STACK(4096)
STACK(16384)
