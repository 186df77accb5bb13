/* SPDX-License-Identifier: MIT
 *
 * Interface of the semantics' files, which are built once for each level (vgpu/meson.build).
 */
#ifndef VGPU_EXEC_LEVEL_H
#define VGPU_EXEC_LEVEL_H

#include "vgpu/exec/exec.h"
#include "vgpu/exec/simd.h"

/* Read by derive.py: vgpu/exec/semantics.h. Declares nothing. */
#define VGPU_OPERATION(...) struct vgpu_operation

/* By enum isa_op, then by variant. */
extern const struct vgpu_handler *const *const VGPU_NAME(vgpu_handlers)[ISA_OP_COUNT];

#endif
