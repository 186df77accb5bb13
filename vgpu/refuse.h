/* SPDX-License-Identifier: MIT
 *
 * The conditions for which a request is refused, each written vgpu_refuse(condition). They are what the uapi/ tests
 * test; in a build with -Dmutation=true one of them can be switched off, to see whether a test notices:
 * tests/uapi/mutation.py. In any other build vgpu_refuse(x) is x.
 */
#ifndef VGPU_REFUSE_H
#define VGPU_REFUSE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef VGPU_MUTATION

struct vgpu_refusal {
   const char *file;
   unsigned line;
   const char *condition;
};

/* All of the program's, in the order of their numbers. */
const struct vgpu_refusal *const *vgpu_refusals(size_t *count);
/* The condition, or false where the environment's VGPU_MUTATE is this one's number. */
bool vgpu_refused(const struct vgpu_refusal *const *refusal, bool condition);

#define vgpu_refuse(condition)                                                                                         \
   __extension__({                                                                                                     \
      static const struct vgpu_refusal refusal_ = {__FILE__, __LINE__, #condition};                                    \
      static const struct vgpu_refusal *const entry_ __attribute__((section("vgpu_refusals"), used)) = &refusal_;      \
      vgpu_refused(&entry_, (condition));                                                                              \
   })

#else

#define vgpu_refuse(condition) (condition)

#endif

#endif
