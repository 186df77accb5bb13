/* SPDX-License-Identifier: MIT
 *
 * What the virtual GPU knows about each operation. A line VGPU_OPERATION(...) beside its semantic function declares
 * it:
 *
 *    VGPU_OPERATION(operation, binding, control, traits, handlers...);
 *
 * operation: enum isa_op without its prefix; binding: how operands are bound (vgpu_bind_... of bind.c); control: enum
 * vgpu_control; traits: enum vgpu_trait; handlers: the functions, by the variant that binding selects. derive.py
 * collects the lines as VGPU_SEMANTICS(ROW). exec_table.c and bind.c make their tables from that list, and do not
 * compile if an operation is missing.
 */
#ifndef VGPU_SEMANTICS_H
#define VGPU_SEMANTICS_H

enum vgpu_trait {
   VGPU_PLAIN = 0,
   VGPU_ACTS_IDLE = 1, /* it has an effect even if no lane is active */
   VGPU_SETS_EXEC = 3, /* the same, and it changes the exec mask, so that a block ends here */
};

#include "vgpu/exec/operations.h"

#endif
