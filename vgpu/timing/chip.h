/* SPDX-License-Identifier: MIT
 *
 * The chips that the virtual GPU can be, as data: one row each in chip.c, with the source of every figure.
 */
#ifndef VGPU_CHIP_H
#define VGPU_CHIP_H

#include <stddef.h>
#include <stdint.h>

#include "isa/isa.h"

/* Launch words and the atomics' coherency bit differ by class: spec/uapi.md section 6. */
enum vgpu_class { VGPU_G13G, VGPU_G13X, VGPU_G14G, VGPU_G14X };

struct vgpu_chip {
   const char *name;      /* the name that options take: "m1-max" */
   const char *marketing; /* "Apple M1 Max" */
   enum vgpu_class class;
   uint32_t generation, variant, revision, chip_id; /* drm_asahi_params_global: spec/uapi.md 1.3 */
   uint32_t dies, clusters, cores_per_cluster;
   uint32_t cores;         /* number of cores present in all clusters; the core masks follow from it */
   uint32_t clock_hz;      /* results/reference/gpus.csv; the model's clock, and the highest operating point */
   const uint32_t *points; /* the operating points of the clock in Hz, ascending */
   uint32_t point_count;
   const struct isa_set *set; /* what its code is in */
};

/* Returns the row of that name, or NULL. */
const struct vgpu_chip *vgpu_chip_find(const char *name);
/* Returns the index of the chip's row: 0 for "m1". */
size_t vgpu_chip_index(const struct vgpu_chip *chip);
/* Bit i of the mask: core i of the cluster is present. A binned part lacks the last cores of its last clusters. */
uint64_t vgpu_chip_core_mask(const struct vgpu_chip *chip, uint32_t cluster);

#endif
