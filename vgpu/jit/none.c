/* SPDX-License-Identifier: MIT
 *
 * A build without LLVM: the interpreter runs everything.
 */
#include "vgpu/jit/jit.h"

#include <string.h>

struct vgpu_compiler *vgpu_jit_create(enum vgpu_jit_mode mode, const struct vgpu_level *level)
{
   (void)mode, (void)level;
   return NULL;
}

void vgpu_jit_keep(struct vgpu_compiler *compiler)
{
   (void)compiler;
}

void vgpu_jit_limit(struct vgpu_compiler *compiler, uint32_t blocks, uint32_t instructions)
{
   (void)compiler, (void)blocks, (void)instructions;
}

void vgpu_jit_limit_bind(struct vgpu_compiler *compiler, uint64_t ns)
{
   (void)compiler, (void)ns;
}

void vgpu_jit_destroy(struct vgpu_compiler *compiler)
{
   (void)compiler;
}

void vgpu_jit_read_statistics(struct vgpu_compiler *compiler, struct vgpu_jit_statistics *statistics)
{
   (void)compiler;
   memset(statistics, 0, sizeof(*statistics));
}

const char *vgpu_jit_operation_name(unsigned operation)
{
   (void)operation;
   return "?";
}

bool vgpu_jit_built(void)
{
   return false;
}
