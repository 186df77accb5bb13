/* SPDX-License-Identifier: MIT
 *
 * A launch in a fresh address space for each input: no input sees what the one before it left.
 */
#include "tests/fuzz/launch.h"

#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "vgpu/vgpu.h"

/* spec/uapi.md 4.3, but for the uniforms' address, which is within the page of the words here: 0x1500001000 */
static const uint8_t usc_example[] = {0x1D, 0x00, 0x40, 0x00, 0x10, 0x00, 0x00, 0x15, 0x4D, 0x90, 0x00, 0x00,
                                      0x0D, 0x0C, 0x80, 0x00, 0x00, 0x00, 0x8D, 0x01, 0x00, 0x00, 0x88, 0x00};

static void put_example(struct fuzz_memory *memory)
{
   memcpy(memory->usc + 0x40, usc_example, sizeof(usc_example));
}

struct vgpu_launch fuzz_launch(struct fuzz_memory *memory, uint8_t mode)
{
   if (memory->vm.count == 0) {
      memory->usc = flat_vm_map(&memory->vm, FUZZ_USC, FUZZ_REGION, VGPU_READ);
      memory->stream = flat_vm_map(&memory->vm, FUZZ_STREAM, FUZZ_REGION, VGPU_READ);
      memory->scratch = flat_vm_map(&memory->vm, FUZZ_SCRATCH, FUZZ_REGION, VGPU_READ | VGPU_WRITE);
      memory->data = flat_vm_map(&memory->vm, FUZZ_DATA, FUZZ_REGION, VGPU_READ | VGPU_WRITE);
      put_example(memory);
   }
   return (struct vgpu_launch){
       .chip = vgpu_chip_find(vgpu_chip_names()[mode & 7]),
       .pages = &memory->vm.pages,
       .soft_faults = !(mode & 8),
       .strict = mode & 8,
       .threads = 1,
       .work = 2000,
       .usc_base = FUZZ_USC,
   };
}

void fuzz_memory_clear(struct fuzz_memory *memory)
{
   memset(memory->usc, 0, FUZZ_REGION);
   memset(memory->stream, 0, FUZZ_REGION);
   memset(memory->scratch, 0, FUZZ_REGION);
   memset(memory->data, 0, FUZZ_REGION);
   put_example(memory);
}

static void check_address(const struct vgpu_launch *launch, uint64_t va)
{
   FUZZ_REQUIRE(va >= launch->usc_base && va - launch->usc_base <= UINT32_MAX);
}

void fuzz_check_launch(const struct vgpu_launch *launch)
{
   const uint32_t *group = launch->group;
   for (unsigned i = 0; i < 3; i++) {
      FUZZ_REQUIRE(launch->grid[i] > 0 && group[i] > 0 && group[i] <= 1024);
   }
   FUZZ_REQUIRE((uint64_t)group[0] * group[1] * group[2] <= 1024);
   FUZZ_REQUIRE(launch->half_registers >= 8 && launch->half_registers <= 256);
   FUZZ_REQUIRE(launch->preamble_half_registers <= 256);
   FUZZ_REQUIRE(launch->threadgroup_bytes <= 65536 && launch->spill_bucket <= 15);
   check_address(launch, launch->code);
   if (launch->preamble) {
      check_address(launch, launch->preamble);
   }
}
