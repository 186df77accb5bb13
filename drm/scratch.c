/* SPDX-License-Identifier: MIT
 *
 * The scratch header: for each present core, a list of memory blocks. The helper program (machine code that the
 * hardware starts when a simdgroup requests its stack) takes blocks from it and returns them.
 */
#include "drm/scratch.h"

#include <errno.h>
#include <string.h>

#include "drm/device.h"

#define SIZE_CLASS_MAX 6 /* Mesa does not know whether the hardware supports more */
#define BLOCKS_MAX 4
#define SUBGROUPS 128 /* most on a core; Mesa's guess, the true figure is lower */
#define CORE_SLOTS 128

/* The layout that the helper program of Mesa's libagx reads and writes. */
struct scratch_core {
   uint64_t list; /* GPU VA of subgroups * struct scratch_blocks */
   uint32_t in_use, in_use_max, failed, pad;
   uint32_t buckets[16];
};
struct scratch_header {
   uint32_t subgroups, pad;
   struct scratch_core cores[CORE_SLOTS];
};
struct scratch_blocks {
   uint32_t blocks[BLOCKS_MAX]; /* (address >> 8) | bits: 1 used; in the first one a mask of size_class + 1 bits */
};
_Static_assert(sizeof(struct scratch_core) == 88, "scratch core slot");
_Static_assert(sizeof(struct scratch_header) == 8 + 88 * CORE_SLOTS, "scratch header");
_Static_assert(sizeof(struct scratch_blocks) == 16, "scratch block list");

/* floor(log2(n)), n > 0. */
static unsigned log2_floor(uint32_t n)
{
   return 31 - (unsigned)__builtin_clz(n);
}

/* Converts to units of 8 words, rounded up. */
static uint32_t units(uint32_t dwords)
{
   return dwords / 8 + (dwords % 8 != 0);
}

unsigned asahi_scratch_bucket(uint32_t dwords)
{
   if (dwords == 0) {
      return 0;
   }
   uint32_t n = units(dwords);
   unsigned bucket = 1 + log2_floor(n) + ((n & (n - 1)) != 0);
   return bucket < 15 ? bucket : 15;
}

/* Returns the stride between the core numbers of two clusters. */
static uint32_t cluster_stride(const struct drm_asahi_params_global *params)
{
   uint32_t cores = params->num_cores_per_cluster;
   return cores <= 1 ? 1 : 2u << log2_floor(cores - 1);
}

int asahi_scratch_plan(const struct drm_asahi_params_global *params, uint32_t dwords,
                       struct asahi_scratch_layout *layout)
{
   if (dwords == 0 || dwords > (8u << 2 * SIZE_CLASS_MAX) * BLOCKS_MAX) {
      return -ENOTSUP;
   }
   if (params->num_cores_per_cluster == 0 || params->num_cores_per_cluster > CORE_SLOTS ||
       params->num_clusters_total > DRM_ASAHI_MAX_CLUSTERS ||
       (uint64_t)params->num_clusters_total * cluster_stride(params) > CORE_SLOTS) {
      return -ENOTSUP;
   }

   unsigned size_class = log2_floor(units(dwords)) / 2;
   uint32_t block_dwords = 8u << 2 * size_class;
   unsigned blocks = dwords / block_dwords + (dwords % block_dwords != 0);
   if (size_class > SIZE_CLASS_MAX) {
      size_class = SIZE_CLASS_MAX;
      blocks = BLOCKS_MAX;
   } else if (blocks == BLOCKS_MAX && size_class < SIZE_CLASS_MAX) {
      size_class++;
      blocks = 1;
   }

   uint64_t cores = 0;
   for (uint32_t i = 0; i < params->num_clusters_total; i++) {
      cores += (uint64_t)__builtin_popcountll(params->core_masks[i]);
   }
   *layout = (struct asahi_scratch_layout){
       .size_class = size_class,
       .blocks = blocks,
       .subgroups = SUBGROUPS,
       .block_bytes = (uint64_t)128 * (8u << 2 * size_class), /* 32 threads of 4-byte words */
       .lists_offset = sizeof(struct scratch_header),
   };
   uint64_t lists = cores * layout->subgroups * sizeof(struct scratch_blocks);
   uint64_t mask = layout->block_bytes - 1;
   layout->blocks_offset = (layout->lists_offset + lists + mask) & ~mask;
   layout->size = layout->blocks_offset + cores * layout->subgroups * blocks * layout->block_bytes;
   return 0;
}

void asahi_scratch_fill(const struct drm_asahi_params_global *params, const struct asahi_scratch_layout *layout,
                        uint64_t address, uint8_t *out)
{
   struct scratch_header header = {.subgroups = layout->subgroups};
   uint64_t list = layout->lists_offset, block = address + layout->blocks_offset;

   memset(out, 0, layout->blocks_offset);
   for (uint32_t cluster = 0; cluster < params->num_clusters_total; cluster++) {
      for (uint32_t core = 0; core < params->num_cores_per_cluster && core < 64; core++) {
         if ((params->core_masks[cluster] >> core & 1) == 0) {
            continue;
         }
         header.cores[cluster * cluster_stride(params) + core].list = address + list;
         for (unsigned subgroup = 0; subgroup < layout->subgroups; subgroup++) {
            struct scratch_blocks blocks = {{0}};
            for (unsigned i = 0; i < layout->blocks; i++) {
               uint32_t bits = i == 0 ? (2u << layout->size_class) - 1 : 1;
               blocks.blocks[i] = (uint32_t)(block >> 8) | bits;
               block += layout->block_bytes;
            }
            memcpy(out + list, &blocks, sizeof(blocks));
            list += sizeof(blocks);
         }
      }
   }
   memcpy(out, &header, sizeof(header));
}

int asahi_scratch_ensure(struct asahi_device *device, uint32_t dwords)
{
   if (device->scratch != NULL && device->scratch_dwords >= dwords) {
      return 0;
   }
   struct asahi_scratch_layout layout;
   if (asahi_scratch_plan(&device->params, dwords, &layout) != 0) {
      return asahi_fail(device, ENOTSUP, "scratch memory of %u words a thread cannot be laid out for this GPU", dwords);
   }
   if (layout.size > SIZE_MAX) {
      return asahi_fail(device, ENOMEM, "out of memory for scratch of %u words a thread", dwords);
   }
   struct asahi_buffer *buffer;
   int error = asahi_buffer_allocate(device, (size_t)layout.size, layout.block_bytes, 0, "scratch memory", &buffer);
   if (error != 0) {
      return error;
   }
   asahi_scratch_fill(&device->params, &layout, buffer->address, buffer->map);
   asahi_buffer_destroy(device, device->scratch);
   device->scratch = buffer;
   device->scratch_dwords = (8u << 2 * layout.size_class) * layout.blocks;
   return 0;
}
