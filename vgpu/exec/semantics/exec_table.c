/* SPDX-License-Identifier: MIT
 *
 * The handlers of this level, by operation and variant.
 */
#include "vgpu/exec/semantics/exec_level.h"
#include "vgpu/exec/semantics.h"

/* The list's words, spelt out: `copy` is the object vgpu_do_copy_<level>. */
#define NAME(handler) VGPU_NAME(vgpu_do_##handler)
#define ADDRESS(handler) &NAME(handler),
#define EACH_1(f, a) f(a)
#define EACH_2(f, a, ...) f(a) EACH_1(f, __VA_ARGS__)
#define EACH_3(f, a, ...) f(a) EACH_2(f, __VA_ARGS__)
#define EACH_4(f, a, ...) f(a) EACH_3(f, __VA_ARGS__)
#define EACH_5(f, a, ...) f(a) EACH_4(f, __VA_ARGS__)
#define EACH_6(f, a, ...) f(a) EACH_5(f, __VA_ARGS__)
#define EACH_7(f, a, ...) f(a) EACH_6(f, __VA_ARGS__)
#define EACH_8(f, a, ...) f(a) EACH_7(f, __VA_ARGS__)
#define EACH_9(f, a, ...) f(a) EACH_8(f, __VA_ARGS__)
#define EACH_10(f, a, ...) f(a) EACH_9(f, __VA_ARGS__)
#define EACH_11(f, a, ...) f(a) EACH_10(f, __VA_ARGS__)
#define EACH_12(f, a, ...) f(a) EACH_11(f, __VA_ARGS__)
#define EACH_13(f, a, ...) f(a) EACH_12(f, __VA_ARGS__)
#define EACH_14(f, a, ...) f(a) EACH_13(f, __VA_ARGS__)
#define EACH_15(f, a, ...) f(a) EACH_14(f, __VA_ARGS__)
#define EACH_16(f, a, ...) f(a) EACH_15(f, __VA_ARGS__)
#define PICK(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, each, ...) each
#define EACH(f, ...)                                                                                                   \
   PICK(__VA_ARGS__, EACH_16, EACH_15, EACH_14, EACH_13, EACH_12, EACH_11, EACH_10, EACH_9, EACH_8, EACH_7, EACH_6,    \
        EACH_5, EACH_4, EACH_3, EACH_2, EACH_1, 0)                                                                     \
   (f, __VA_ARGS__)

/* The handler of operations without one: control flow, which the run loop does itself, and operations that are never
 * run. */
#define DECLARE(handler) extern const struct vgpu_handler NAME(handler);
#define DECLARE_ROW(operation, binding, control, traits, ...) EACH(DECLARE, __VA_ARGS__)
VGPU_SEMANTICS(DECLARE_ROW)
const struct vgpu_handler NAME(none) = {{NULL}};

#define ROW(operation, binding, control, traits, ...)                                                                  \
   [ISA_OP_##operation] = (const struct vgpu_handler *const[]){EACH(ADDRESS, __VA_ARGS__)},
const struct vgpu_handler *const *const VGPU_NAME(vgpu_handlers)[ISA_OP_COUNT] = {VGPU_SEMANTICS(ROW)};
