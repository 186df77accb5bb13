/* SPDX-License-Identifier: MIT
 *
 * Any bytes as machine code on the virtual GPU's cores: every program ends within its budget, with or without a fault,
 * and each build of the semantics, timed or not, on one host thread, leaves the same memory and says the same.
 *
 * Input: 8 bytes that describe the launch, then the code.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/launch.h"

#include "vgpu/exec/levels/levels.h"

#define CODE_MAX 2048u

/* Where the code begins: at the start of the page, or so that it ends with the page, where a fetch finds nothing. */
static size_t place_code(struct fuzz_memory *memory, struct fuzz_input *input, bool at_end)
{
   uint8_t code[CODE_MAX];
   size_t size = fuzz_bytes(input, code, sizeof(code));
   size_t at = at_end ? FUZZ_REGION - (size + (size & 1)) : 0x400;
   memcpy(memory->usc + at, code, size);
   return at;
}

static struct vgpu_launch read_launch(struct fuzz_memory *memory, struct fuzz_input *input)
{
   static const uint32_t shapes[8][6] = {{1, 1, 1, 1, 1, 1},   {32, 1, 1, 32, 1, 1}, {64, 1, 1, 64, 1, 1},
                                         {40, 1, 1, 32, 1, 1}, {7, 3, 2, 4, 2, 2},   {65, 1, 1, 16, 1, 1},
                                         {8, 8, 1, 8, 8, 1},   {96, 1, 1, 96, 1, 1}};
   uint8_t mode = fuzz_byte(input), shape = fuzz_byte(input), bits = fuzz_byte(input);
   struct vgpu_launch launch = fuzz_launch(memory, mode);
   memcpy(launch.grid, shapes[shape & 7], sizeof(launch.grid));
   memcpy(launch.group, shapes[shape & 7] + 3, sizeof(launch.group));
   launch.half_registers = (uint16_t)(fuzz_byte(input) + 1);
   launch.threadgroup_bytes = fuzz_byte(input) * 256u;
   launch.spill_bucket = shape >> 3 & 15;
   launch.scratch_words = (mode >> 4 & 1) * (UINT32_C(1) << 18 >> (bits >> 4));
   launch.preamble_scratch = mode >> 5 & 1;
   launch.preamble_half_registers = 64;
   uint32_t preamble = (uint32_t)fuzz_number(input, 2) & 0x3FFE;
   fuzz_byte(input); /* reserved */
   /* du0: where to read, du2: where to write; du4: where nothing is; then bytes that count up. */
   const uint64_t addresses[3] = {FUZZ_USC, FUZZ_DATA, UINT64_C(0x2000004000)};
   for (unsigned i = 0; i < 512; i++) {
      launch.uniforms[i] = (uint16_t)(i * 0x0203);
   }
   memcpy(launch.uniforms, addresses, sizeof(addresses));
   launch.code = FUZZ_USC + place_code(memory, input, bits & 1);
   launch.preamble = bits & 2 ? FUZZ_USC + preamble : 0;
   return launch;
}

static void run(struct fuzz_memory *memory, const struct vgpu_launch *launch, struct vgpu_outcome *outcome)
{
   static uint8_t before[VGPU_PAGE];
   for (size_t i = 0; i < FUZZ_REGION && !before[1]; i++) { /* once: a pattern of which nothing is zero for long */
      before[FUZZ_REGION - 1 - i] = (uint8_t)((FUZZ_REGION - 1 - i) * 37);
   }
   memcpy(memory->data, before, sizeof(before));
   vgpu_core_run(launch, outcome);
   FUZZ_REQUIRE(outcome->fault <= VGPU_FAULT_TIMEOUT);
   FUZZ_REQUIRE(memchr(outcome->message, 0, sizeof(outcome->message)));
   FUZZ_REQUIRE((outcome->fault == VGPU_FAULT_NONE) == !outcome->message[0]);
}

static void check_same(const struct vgpu_outcome *a, const struct vgpu_outcome *b)
{
   FUZZ_REQUIRE(a->fault == b->fault && !strcmp(a->message, b->message));
   FUZZ_REQUIRE(a->instructions == b->instructions && a->thread_instructions == b->thread_instructions);
   FUZZ_REQUIRE(a->soft.loads == b->soft.loads && a->soft.stores == b->soft.stores);
   FUZZ_REQUIRE(a->soft.address == b->soft.address);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
   static struct fuzz_memory memory;
   static uint8_t first[VGPU_PAGE];
   struct fuzz_input input = {data, size};
   struct vgpu_launch launch = read_launch(&memory, &input);
   struct vgpu_outcome outcome, other;

   launch.timing = true;
   launch.level = vgpu_best_level();
   run(&memory, &launch, &outcome);
   memcpy(first, memory.data, sizeof(first));

   launch.timing = false;
   launch.level = &vgpu_levels[vgpu_level_count - 1];
   run(&memory, &launch, &other);
   check_same(&outcome, &other);
   FUZZ_REQUIRE(!memcmp(first, memory.data, sizeof(first)));
   fuzz_memory_clear(&memory);
   return 0;
}
