/* SPDX-License-Identifier: MIT
 *
 * The chips as data.
 *
 * Identification, dies, clusters and cores per cluster: spec/uapi.md 1.3, its second table; revisions there are
 * those seen in public logs. Clocks and the cores present in the best-selling full part: reference/gpus.csv (M1,
 * M1P, M1M, M1U, M2, M2P, M2M). Two figures have no source and are marked: the M2 Ultra's revision and clock, taken
 * from the M2 Max, of which it is two.
 */
#include "vgpu/timing/chip.h"

#include <string.h>

#include "vgpu/timing/memory/memory_params.h"
#include "vgpu/vgpu.h"
#include "util/array.h"

#define MHZ 1000000u

/* Operating points as Linux's device trees list them (opp-hz of the GPU in t8103, t600x, t8112, t602x), retyped from
 * memory and not checked against a machine: confidence L. The highest is the clock of gpus.csv. spec/launch.md quotes a
 * range of 450 to 1278 MHz for the M1. `agx-runner survey` records those of a real machine. */
static const uint32_t t8103[] = {396 * MHZ, 528 * MHZ, 720 * MHZ, 924 * MHZ, 1128 * MHZ, 1278 * MHZ};
static const uint32_t t600x[] = {388 * MHZ, 486 * MHZ, 648 * MHZ, 777 * MHZ, 972 * MHZ, 1296 * MHZ};
static const uint32_t t8112[] = {444 * MHZ,  612 * MHZ,  808 * MHZ,  968 * MHZ,
                                 1110 * MHZ, 1236 * MHZ, 1338 * MHZ, 1398 * MHZ};
#define POINTS(list) list, ARRAY_COUNT(list)

/* clang-format off */
static const struct vgpu_chip chips[] = {
   /* name        marketing         class       gen variant rev  chip_id dies clusters cores/cl. cores  clock, points, set */
   {"m1",       "Apple M1",       VGPU_G13G, 13, 'G', 0x11, 0x8103, 1, 1,  8,  8, 1278 * MHZ, POINTS(t8103), &isa_set_agx2},
   {"m1-pro",   "Apple M1 Pro",   VGPU_G13X, 13, 'S', 0x20, 0x6000, 1, 2,  8, 16, 1296 * MHZ, POINTS(t600x), &isa_set_agx2},
   {"m1-max",   "Apple M1 Max",   VGPU_G13X, 13, 'C', 0x20, 0x6001, 1, 4,  8, 32, 1296 * MHZ, POINTS(t600x), &isa_set_agx2},
   {"m1-ultra", "Apple M1 Ultra", VGPU_G13X, 13, 'D', 0x20, 0x6002, 2, 8,  8, 64, 1296 * MHZ, POINTS(t600x), &isa_set_agx2},
   {"m2",       "Apple M2",       VGPU_G14G, 14, 'G', 0x10, 0x8112, 1, 1, 10, 10, 1398 * MHZ, POINTS(t8112), &isa_set_agx2},
   {"m2-pro",   "Apple M2 Pro",   VGPU_G14X, 14, 'S', 0x11, 0x6020, 1, 2, 10, 19, 1398 * MHZ, POINTS(t8112), &isa_set_agx2},
   {"m2-max",   "Apple M2 Max",   VGPU_G14X, 14, 'C', 0x11, 0x6021, 1, 4, 10, 38, 1398 * MHZ, POINTS(t8112), &isa_set_agx2},
   {"m2-ultra", "Apple M2 Ultra", VGPU_G14X, 14, 'D', 0x11 /* no source for this row */, 0x6022, 2, 8, 10, 76,
    1398 * MHZ /* no source for this row */, POINTS(t8112), &isa_set_agx2},
};
/* clang-format on */
#define CHIP_COUNT ARRAY_COUNT(chips)

_Static_assert(CHIP_COUNT == VGPU_CHIPS, "parameters have a value for each chip");

static const char *const names[CHIP_COUNT + 1] = {
    "m1", "m1-pro", "m1-max", "m1-ultra", "m2", "m2-pro", "m2-max", "m2-ultra", NULL,
};

const char *const *vgpu_chip_names(void)
{
   return names;
}

const struct vgpu_chip *vgpu_chip_find(const char *name)
{
   for (size_t i = 0; i < CHIP_COUNT; i++) {
      if (!strcmp(chips[i].name, name)) {
         return &chips[i];
      }
   }
   return NULL;
}

size_t vgpu_chip_index(const struct vgpu_chip *chip)
{
   size_t index = 0;
   while (index + 1 < CHIP_COUNT && strcmp(chips[index].name, chip->name)) {
      index++;
   }
   return index;
}

uint64_t vgpu_chip_core_mask(const struct vgpu_chip *chip, uint32_t cluster)
{
   if (cluster >= chip->clusters) {
      return 0;
   }
   uint32_t missing = chip->clusters * chip->cores_per_cluster - chip->cores;
   /* Each cluster lacks one core, beginning with the last cluster; each lacks more when the part lacks more cores than
    * it has clusters. */
   uint32_t from_end = chip->clusters - 1 - cluster;
   uint32_t mine = missing / chip->clusters + (from_end < missing % chip->clusters);
   return (UINT64_C(1) << (chip->cores_per_cluster - mine)) - 1;
}
