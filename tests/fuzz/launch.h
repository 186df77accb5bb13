/* SPDX-License-Identifier: MIT
 *
 * What the fuzzers of the virtual GPU's command stream and cores share: a little GPU memory, and a launch in it.
 */
#ifndef TESTS_FUZZ_LAUNCH_H
#define TESTS_FUZZ_LAUNCH_H

#include <stdint.h>

#include "tests/vgpu/exec/flat_vm.h"
#include "vgpu/launch.h"
#include "vgpu/timing/chip.h"

#define FUZZ_REGION ((size_t)VGPU_PAGE)
#define FUZZ_USC UINT64_C(0x1500000000) /* also the USC base: words, code, uniforms' values. Read only */
#define FUZZ_STREAM UINT64_C(0x1600000000)
#define FUZZ_SCRATCH UINT64_C(0x3000000000)
#define FUZZ_DATA UINT64_C(0x2000000000) /* what a program reads and writes */

/* One page each. */
struct fuzz_memory {
   struct flat_vm vm;
   uint8_t *usc, *stream, *scratch, *data;
};

/* A launch without what stream and USC words say. `mode`: bits 0..2 the chip, bit 3 strict. Maps the memory when it is
 * not; the USC page then holds the words of spec/uapi.md 4.3's worked example at 0x40. */
struct vgpu_launch fuzz_launch(struct fuzz_memory *memory, uint8_t mode);
/* As fuzz_launch() left it. */
void fuzz_memory_clear(struct fuzz_memory *memory);
/* What vgpu/launch.h promises the cores. */
void fuzz_check_launch(const struct vgpu_launch *launch);

#endif
