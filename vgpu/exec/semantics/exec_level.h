/* SPDX-License-Identifier: MIT
 *
 * Names of what is built once a level (vgpu/meson.build): VGPU_NAME(x) is x with the level's suffix.
 */
#ifndef VGPU_EXEC_LEVEL_H
#define VGPU_EXEC_LEVEL_H

#include "vgpu/exec/exec.h"
#include "vgpu/exec/simd.h"

#define VGPU_JOIN_(name, level) name##_##level
#define VGPU_JOIN(name, level) VGPU_JOIN_(name, level)
#define VGPU_NAME(name) VGPU_JOIN(name, VGPU_LEVEL)

/* Read by derive.py: vgpu/exec/semantics.h. Declares nothing. */
#define VGPU_OPERATION(...) struct vgpu_operation

/* By enum isa_op, then by variant. */
extern const struct vgpu_handler *const *const VGPU_NAME(vgpu_handlers)[ISA_OP_COUNT];

#endif
