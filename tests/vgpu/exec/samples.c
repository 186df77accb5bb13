/* SPDX-License-Identifier: MIT
 *
 * How often a host thread tells the compiler what it runs: once a period, and up to 16 times as rarely while that has
 * code. The compiler here compiles nothing: a block's code is its interpreted ops.
 */
#include <stdlib.h>

#include "tests/vgpu/exec/rig.h"
#include "vgpu/block.h"
#include "vgpu/native.h"

#define THREADS 256u
#define PERIOD 1000
#define RARER 16u

static const char program[] = "ldimm r0l, 0\nldimm r2, 0\nldimm r3, 5000\ntop:\nwhile r2, r3, 1, ult\niadd r8, r8, r2\n"
                              "iadd r2, r2, 1\njmp_any top\npop_exec 1\n";

static struct fake {
   struct vgpu_compiler compiler;
   bool has_code;
   atomic_uint samples;
   struct vgpu_native_ops natives[16];
} fake;

static void bind(struct vgpu_compiler *compiler, const struct vgpu_block *blocks, uint32_t count)
{
   (void)compiler;
   for (uint32_t i = 0; fake.has_code && i < count && i < 16; i++) {
      fake.natives[i] = (struct vgpu_native_ops){.count = blocks[i].count, .ops = (struct vgpu_op *)blocks[i].ops};
      atomic_store(&blocks[i].native->ops[VGPU_NATIVE_FULL], &fake.natives[i]);
   }
}

static void rebind(struct vgpu_compiler *compiler, const struct vgpu_block *blocks, uint32_t count)
{
   (void)compiler, (void)blocks, (void)count;
}

static void unbind(struct vgpu_compiler *compiler, const struct vgpu_block *block)
{
   (void)compiler, (void)block;
}

static void sample(struct vgpu_compiler *compiler, const struct vgpu_block *block, unsigned kind, uint64_t ns)
{
   (void)compiler, (void)block, (void)kind, (void)ns;
   atomic_fetch_add(&fake.samples, 1);
}

static void count(struct vgpu_compiler *compiler, const struct vgpu_interpreted *interpreted, uint64_t instructions)
{
   (void)compiler, (void)interpreted, (void)instructions;
}

/* A launch has a sample in `least` to `most` periods, and a few more at its start. */
static void check(struct rig *rig, const struct vgpu_level *level, bool has_code, uint64_t least, uint64_t most)
{
   fake.has_code = has_code;
   atomic_store(&fake.samples, 0);
   rig_run(rig, level);
   const uint64_t periods = rig->outcome.instructions / PERIOD, samples = atomic_load(&fake.samples);
   if (periods < 100 || samples < periods / most || samples > periods / least + RARER) {
      rig_fail("%s, %s code: %u samples of %u periods", level->name, has_code ? "with" : "without", (unsigned)samples,
               (unsigned)periods);
   }
}

int main(void)
{
   struct rig rig;
   rig_init(&rig, THREADS);
   rig_fill(&rig);
   rig_kernel(&rig, program);
   rig.launch.threads = 1;
   for (size_t level = 0; level < vgpu_level_count; level++) {
      if (vgpu_levels[level].usable()) {
         fake.compiler = (struct vgpu_compiler){.level = &vgpu_levels[level],
                                                .period = PERIOD,
                                                .bind = bind,
                                                .rebind = rebind,
                                                .unbind = unbind,
                                                .sample = sample,
                                                .count = count};
         rig.launch.compiler = &fake.compiler;
         check(&rig, &vgpu_levels[level], false, 1, 2);
         check(&rig, &vgpu_levels[level], true, RARER, 2 * RARER);
         check(&rig, &vgpu_levels[level], false, 1, 2);
      }
   }
   rig.launch.compiler = NULL;
   rig_finish(&rig);
   return rig_result();
}
