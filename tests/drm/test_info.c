/* SPDX-License-Identifier: MIT
 *
 * Names, classes and flags of all eight GPUs, against the tables of spec/uapi.md 1.3 and 6; and GPUs that this client
 * must refuse.
 */
#include <errno.h>
#include <string.h>

#include "drm/device.h"
#include "tests/check.h"

static const struct {
   uint32_t chip_id, generation, variant, revision, dies, clusters;
   uint64_t mask;
   const char *chip, *name;
   enum asahi_chip_class chip_class;
   uint32_t cores;
   bool coherency, atomics_64;
} rows[] = {
    {0x8103, 13, 'G', 0x11, 1, 1, 0xFF, "m1", "Apple M1 (G13G B1)", ASAHI_G13G, 8, false, false},
    {0x8103, 13, 'G', 0x11, 1, 1, 0x7F, "m1", "Apple M1 (G13G B1)", ASAHI_G13G, 7, false, false},
    {0x6000, 13, 'S', 0x20, 1, 2, 0xFF, "m1-pro", "Apple M1 Pro (G13S C0)", ASAHI_G13X, 16, true, false},
    {0x6001, 13, 'C', 0x20, 1, 4, 0xFF, "m1-max", "Apple M1 Max (G13C C0)", ASAHI_G13X, 32, true, false},
    {0x6002, 13, 'D', 0x20, 2, 8, 0xFF, "m1-ultra", "Apple M1 Ultra (G13D C0)", ASAHI_G13X, 64, true, false},
    {0x8112, 14, 'G', 0x10, 1, 1, 0x3FF, "m2", "Apple M2 (G14G B0)", ASAHI_G14G, 10, false, true},
    {0x6020, 14, 'S', 0x11, 1, 2, 0x3FF, "m2-pro", "Apple M2 Pro (G14S B1)", ASAHI_G14X, 20, false, true},
    {0x6021, 14, 'C', 0x11, 1, 4, 0x3FF, "m2-max", "Apple M2 Max (G14C B1)", ASAHI_G14X, 40, false, true},
    {0x6022, 14, 'D', 0x00, 2, 8, 0x3FF, "m2-ultra", "Apple M2 Ultra (G14D A0)", ASAHI_G14X, 80, true, false},
    {0x1234, 13, 'Q', 0x21, 1, 1, 0x1, "t1234", "Apple M1 Unknown (G13Q C1)", ASAHI_G13G, 1, false, false},
};

static struct drm_asahi_params_global params_of(size_t row)
{
   struct drm_asahi_params_global params = {
       .features = DRM_ASAHI_FEATURE_SOFT_FAULTS,
       .chip_id = rows[row].chip_id,
       .gpu_generation = rows[row].generation,
       .gpu_variant = rows[row].variant,
       .gpu_revision = rows[row].revision,
       .num_dies = rows[row].dies,
       .num_clusters_total = rows[row].clusters,
       .num_cores_per_cluster = 10,
       .command_timestamp_frequency_hz = 1000000000,
       .max_commands_per_submission = 64,
   };
   for (uint32_t i = 0; i < rows[row].clusters; i++) {
      params.core_masks[i] = rows[row].mask;
   }
   return params;
}

int main(void)
{
   char why[256];

   for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      struct drm_asahi_params_global params = params_of(i);
      struct asahi_device_info info = {0};
      int error = asahi_info_fill(&params, &info, why, sizeof(why));
      CHECK(error == 0, "%s: %s", rows[i].chip, why);
      CHECK(strcmp(info.chip, rows[i].chip) == 0, "chip \"%s\", not \"%s\"", info.chip, rows[i].chip);
      CHECK(strcmp(info.name, rows[i].name) == 0, "name \"%s\", not \"%s\"", info.name, rows[i].name);
      CHECK(info.chip_class == rows[i].chip_class, "%s: class %d", rows[i].chip, info.chip_class);
      CHECK(info.cores == rows[i].cores, "%s: %u cores", rows[i].chip, info.cores);
      CHECK(info.atomic_coherency == rows[i].coherency, "%s: atomic coherency", rows[i].chip);
      CHECK(info.atomics_64 == rows[i].atomics_64, "%s: 64-bit atomics", rows[i].chip);
      CHECK(info.soft_faults && info.timestamp_hz == 1000000000, "%s: features or timestamps", rows[i].chip);
   }

   static const uint32_t generations[] = {0, 12, 15, 17, UINT32_MAX};
   for (size_t i = 0; i < sizeof(generations) / sizeof(generations[0]); i++) {
      struct drm_asahi_params_global params = params_of(0);
      struct asahi_device_info info = {0};
      params.gpu_generation = generations[i];
      CHECK(asahi_info_fill(&params, &info, why, sizeof(why)) == -ENOTSUP && strstr(why, "generation") != NULL,
            "generation %u is taken", generations[i]);
   }
   struct drm_asahi_params_global odd[3] = {params_of(0), params_of(0), params_of(0)};
   odd[0].core_masks[0] = 0;
   odd[1].num_clusters_total = 65;
   odd[2].command_timestamp_frequency_hz = 0;
   for (size_t i = 0; i < 3; i++) {
      struct asahi_device_info info = {0};
      CHECK(asahi_info_fill(&odd[i], &info, why, sizeof(why)) == -ENOTSUP && strstr(why, "no sense") != NULL,
            "odd parameters %zu are taken", i);
   }
   /* A fork's feature that changes what a fence means is refused by its name; others are no error. */
   struct drm_asahi_params_global fork = params_of(0);
   struct asahi_device_info info = {0};
   fork.features |= 2;
   CHECK(asahi_info_fill(&fork, &info, why, sizeof(why)) == -ENOTSUP && strstr(why, "VM_STATUS") != NULL,
         "VM_STATUS is taken");
   fork.features = DRM_ASAHI_FEATURE_SOFT_FAULTS | UINT64_C(1) << 40;
   CHECK(asahi_info_fill(&fork, &info, why, sizeof(why)) == 0, "an unknown feature is refused: %s", why);
   return check_result();
}
