/* SPDX-License-Identifier: MIT
 *
 * Faults of a launch: raising one, and saying where in the program it happened.
 */
#ifndef VGPU_FAULT_H
#define VGPU_FAULT_H

#include <stddef.h>

#include "vgpu/exec/simd.h"

/* Ends the launch. The first fault of a worker stands. */
void vgpu_raise(struct vgpu_worker *worker, enum vgpu_fault fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for an instruction of a simdgroup: its place follows the message, and its operands are kept as they are for
 * the post-mortem. */
void vgpu_raise_at(const struct vgpu_simd *simd, const struct vgpu_op *op, enum vgpu_fault fault, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));

/* A lane's access found nothing behind va: counts it, or raises the fault when faults are hard. */
void vgpu_memory_miss(struct vgpu_simd *simd, const struct vgpu_op *op, uint64_t va, bool store);

/* Which program, the offset from its entry, and the instruction: "main + 0x1c: store r4, dr4, 0, i32, x, a". Bytes that
 * are no instruction are all printed. A place far from the program has its address, and the program's too. */
void vgpu_place_print(const struct vgpu_worker *worker, const struct vgpu_op *op, char *text, size_t size);

#endif
