/* SPDX-License-Identifier: MIT
 *
 * Any bytes as USC words: the list ends, in a launch that the cores can be given or in a reason why not.
 *
 * Input: a byte that picks the chip and the device's mode, a byte that says how far before the end of the mapping the
 * words begin (0: at its start), the words.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/launch.h"
#include "vgpu/command/cdm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
   static struct fuzz_memory memory;
   struct fuzz_input input = {data, size};
   struct vgpu_launch launch = fuzz_launch(&memory, fuzz_byte(&input));
   uint8_t before_end = fuzz_byte(&input);
   size_t at = before_end ? FUZZ_REGION - before_end : 0;
   enum vgpu_fault fault = VGPU_FAULT_NONE;
   char message[192] = "";

   launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
   launch.group[0] = launch.group[1] = launch.group[2] = 1;
   fuzz_bytes(&input, memory.usc + at, FUZZ_REGION - at);
   if (vgpu_usc_read(&launch, FUZZ_USC + at, &fault, message, sizeof(message))) {
      FUZZ_REQUIRE(fault == VGPU_FAULT_NONE);
      fuzz_check_launch(&launch);
   } else {
      FUZZ_REQUIRE(fault == VGPU_FAULT_STREAM || fault == VGPU_FAULT_MEMORY);
      FUZZ_REQUIRE(message[0] && memchr(message, 0, sizeof(message)));
   }
   fuzz_memory_clear(&memory);
   return 0;
}
