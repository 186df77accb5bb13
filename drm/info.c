/* SPDX-License-Identifier: MIT
 *
 * Identifies the GPU from GET_PARAMS: spec/uapi.md 1.3 and 6.
 */
#include "drm/device.h"

#include <errno.h>
#include <stdio.h>

#include "util/array.h"

static const struct {
   uint32_t chip_id;
   const char *name;
} chips[] = {
    {0x8103, "m1"}, {0x6000, "m1-pro"}, {0x6001, "m1-max"}, {0x6002, "m1-ultra"},
    {0x8112, "m2"}, {0x6020, "m2-pro"}, {0x6021, "m2-max"}, {0x6022, "m2-ultra"},
};

static const struct {
   uint32_t variant;
   const char *suffix;
} variants[] = {{'G', ""}, {'S', " Pro"}, {'C', " Max"}, {'D', " Ultra"}};

/* Features of kernel forks with which a signalled fence does not mean that the job succeeded: the client would take a
 * fault for success. The upstream header has one feature, SOFT_FAULTS. That forks have VM_STATUS is known, its bit is
 * not (the next free one, confidence L). Other unknown bits are accepted: a kernel may have features that this client
 * does not know. */
static const struct {
   uint64_t bit;
   const char *name;
} fence_features[] = {{UINT64_C(1) << 1, "VM_STATUS"}};

static const char *fence_feature(uint64_t features)
{
   for (size_t i = 0; i < ARRAY_COUNT(fence_features); i++) {
      if ((features & fence_features[i].bit) != 0) {
         return fence_features[i].name;
      }
   }
   return NULL;
}

/* Mesa's rule: the class follows from generation and clusters alone (agx_device.c). */
static enum asahi_chip_class chip_class(const struct drm_asahi_params_global *params)
{
   bool clustered = params->num_clusters_total > 1;
   if (params->gpu_generation >= 14) {
      return clustered ? ASAHI_G14X : ASAHI_G14G;
   }
   return clustered ? ASAHI_G13X : ASAHI_G13G;
}

static void name_chip(struct asahi_device_info *info)
{
   snprintf(info->chip, sizeof(info->chip), "t%04x", info->chip_id & 0xFFFF);
   for (size_t i = 0; i < ARRAY_COUNT(chips); i++) {
      if (chips[i].chip_id == info->chip_id) {
         snprintf(info->chip, sizeof(info->chip), "%s", chips[i].name);
      }
   }
}

/* Uses Mesa's names, "Apple M1 Max (G13C C0)", so that results can be compared. */
static void name_device(struct asahi_device_info *info)
{
   const char *suffix = " Unknown";
   for (size_t i = 0; i < ARRAY_COUNT(variants); i++) {
      if (variants[i].variant == info->variant) {
         suffix = variants[i].suffix;
      }
   }
   char variant = info->variant >= 'A' && info->variant <= 'Z' ? (char)info->variant : '?';
   snprintf(info->name, sizeof(info->name), "Apple M%u%s (G%u%c %02X)", info->generation - 12, suffix, info->generation,
            variant, (info->revision & 0xFF) + 0xA0);
}

void asahi_info_derive(struct asahi_device_info *info)
{
   info->soft_faults = (info->features & DRM_ASAHI_FEATURE_SOFT_FAULTS) != 0;
   info->atomic_coherency = info->chip_class == ASAHI_G13X || info->dies > 1;
   info->atomics_64 = info->chip_class >= ASAHI_G14G && !info->atomic_coherency;
}

int asahi_info_fill(const struct drm_asahi_params_global *params, struct asahi_device_info *info, char *why,
                    size_t why_size)
{
   if (params->gpu_generation < 13 || params->gpu_generation > 14) {
      snprintf(why, why_size, "the GPU (chip 0x%x) is of generation G%u; G13 (M1 family) and G14 (M2 family) are known",
               params->chip_id, params->gpu_generation);
      return -ENOTSUP;
   }

   const char *feature = fence_feature(params->features);
   if (feature != NULL) {
      snprintf(
          why, why_size,
          "the kernel has the feature %s (features 0x%llx), which no upstream kernel has: a signalled fence may not "
          "mean there that the job worked, so no result could be trusted. Use a kernel without it",
          feature, (unsigned long long)params->features);
      return -ENOTSUP;
   }

   info->chip_class = chip_class(params);
   info->generation = params->gpu_generation;
   info->variant = params->gpu_variant;
   info->revision = params->gpu_revision;
   info->chip_id = params->chip_id;
   info->dies = params->num_dies;
   info->clusters = params->num_clusters_total;
   info->features = params->features;
   asahi_info_derive(info);
   info->timestamp_hz = params->command_timestamp_frequency_hz;
   info->max_frequency_khz = params->max_frequency_khz;
   info->commands_max = params->max_commands_per_submission < ASAHI_COMMANDS_MAX ? params->max_commands_per_submission
                                                                                 : ASAHI_COMMANDS_MAX;

   for (uint32_t i = 0; i < DRM_ASAHI_MAX_CLUSTERS && i < params->num_clusters_total; i++) {
      info->cores += (uint32_t)__builtin_popcountll(params->core_masks[i]);
   }
   if (info->cores == 0 || params->num_clusters_total > DRM_ASAHI_MAX_CLUSTERS ||
       params->command_timestamp_frequency_hz == 0 || info->commands_max == 0) {
      snprintf(
          why, why_size,
          "GET_PARAMS makes no sense: %u clusters, %u cores present, timestamps at %llu Hz, %u commands a submission",
          info->clusters, info->cores, (unsigned long long)params->command_timestamp_frequency_hz, info->commands_max);
      return -ENOTSUP;
   }
   name_chip(info);
   name_device(info);
   return 0;
}
