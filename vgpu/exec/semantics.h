/* SPDX-License-Identifier: MIT
 *
 * What the virtual GPU knows of each operation. A line VGPU_OPERATION(...) beside its semantic function says so:
 *
 *    VGPU_OPERATION(operation, binding, control, traits, handlers...);
 *
 * operation: enum isa_op without its prefix; binding: how operands are bound (vgpu_bind_... of bind.c); control: enum
 * vgpu_control; traits: enum vgpu_trait; handlers: the functions, by the variant that binding picks. derive.py collects
 * the lines as VGPU_SEMANTICS(ROW). exec_table.c and bind.c make their tables from that list, and do not compile while
 * an operation is missing.
 */
#ifndef VGPU_SEMANTICS_H
#define VGPU_SEMANTICS_H

enum vgpu_trait {
   VGPU_PLAIN = 0,
   VGPU_ACTS_IDLE = 1, /* does something when no lane is active */
   VGPU_SETS_EXEC = 3, /* so does this, and it changes the exec mask: a block ends here */
};

#include "vgpu/exec/operations.h"

#endif
