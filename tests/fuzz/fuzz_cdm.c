/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a CDM stream, with the USC words, indirect sizes and scratch header that it may point to: each block is
 * taken, skipped or refused with a reason, and a launch that comes out of it is one that the cores can be given.
 *
 * Input: a byte that picks the chip and the device's mode, the helper program, two bytes with the stream's length, the
 * stream, and what is left as scratch header.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/launch.h"
#include "vgpu/command/cdm.h"
#include "vgpu/vgpu.h"

#define STEPS 200u /* a stream may be a loop; the device's budget ends it */

static void check_fault(const struct vgpu_cdm *cdm)
{
   /* TIMEOUT: no barrier block stands after a launch. */
   FUZZ_REQUIRE(cdm->fault == VGPU_FAULT_STREAM || cdm->fault == VGPU_FAULT_MEMORY || cdm->fault == VGPU_FAULT_TIMEOUT);
   FUZZ_REQUIRE(cdm->message[0] && memchr(cdm->message, 0, sizeof(cdm->message)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
   static struct fuzz_memory memory;
   struct fuzz_input input = {data, size};
   uint8_t mode = fuzz_byte(&input);
   struct drm_asahi_cmd_compute command = {.cdm_ctrl_stream_base = FUZZ_STREAM};
   struct vgpu_cdm cdm = {.launch = fuzz_launch(&memory, mode)};

   if (mode & 0x10) {
      command.helper.binary = (uint32_t)fuzz_number(&input, 4);
      command.helper.cfg = (uint32_t)fuzz_number(&input, 4);
      command.helper.data = FUZZ_SCRATCH;
   }
   size_t length = fuzz_number(&input, 2) % FUZZ_REGION;
   fuzz_bytes(&input, memory.stream, length);
   fuzz_bytes(&input, memory.scratch, FUZZ_REGION);

   vgpu_cdm_start(&cdm, &command);
   FUZZ_REQUIRE(memchr(cdm.no_scratch, 0, sizeof(cdm.no_scratch)) && !(cdm.launch.scratch_words && cdm.no_scratch[0]));
   enum vgpu_cdm_step step = VGPU_CDM_SKIP;
   for (unsigned i = 0; i < STEPS && (step != VGPU_CDM_END && step != VGPU_CDM_FAULT); i++) {
      step = vgpu_cdm_next(&cdm);
      if (step == VGPU_CDM_LAUNCH) {
         fuzz_check_launch(&cdm.launch);
      }
   }
   if (step == VGPU_CDM_FAULT) {
      check_fault(&cdm);
   }
   fuzz_memory_clear(&memory);
   return 0;
}
