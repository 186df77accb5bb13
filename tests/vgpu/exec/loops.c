/* SPDX-License-Identifier: MIT
 *
 * Compiled loops at each level of the host: registers that are the same in all lanes, others that only seem so, and
 * float results that a large uniform makes certain, or no longer when the next launch has another one. Memory and
 * counts are the interpreter's.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/vgpu/exec/rig.h"
#include "util/array.h"
#include "vgpu/jit/jit.h"

#define THREADS 256u
#define BYTES ((size_t)THREADS * RIG_WORDS * 4)

/* u4: a factor, u5: an addend, u6: the passes. Sources that are overwritten, also 64 and 16 bits wide, are the same in
 * all lanes, and so is the counter. %s: what comes before the loop. */
#define LOOP(before)                                                                                                   \
   "ldimm r0l, 0\n"                                                                                                    \
   "ldimm r2, 0\n"                                                                                                     \
   "mov r3, u6\n"                                                                                                      \
   "mov r8, r4\n"                                                                                                      \
   "mov r9, r5\n"                                                                                                      \
   "mov r10, r6\n"                                                                                                     \
   "ldimm r12, 5\n"                                                                                                    \
   "ldimm r14, 7\n"                                                                                                    \
   "ldimm r15, 9\n"                                                                                                    \
   "ldimm r16, 0x10003\n" before "top:\n"                                                                              \
   "while r2, r3, 1, ult\n"                                                                                            \
   "ffma r8, r8, u4, u5\n"                                                                                             \
   "fmul r9, r9, u4\n"                                                                                                 \
   "ffma r10, r10, u4, r8\n"                                                                                           \
   "iadd r12, r12, r12\n"                                                                                              \
   "xor r12, r12, r2\n"                                                                                                \
   "iadd dr14, dr14, dr14\n"                                                                                           \
   "iadd dr14, dr14, r12\n"                                                                                            \
   "iadd r16l, r16l, r16h\n"                                                                                           \
   "iadd r17, r17, r12\n"                                                                                              \
   "iadd r2, r2, 1\n"                                                                                                  \
   "jmp_any top\n"                                                                                                     \
   "pop_exec 1\n"                                                                                                      \
   "xor r11, r12, r14\n"                                                                                               \
   "iadd r11, r11, r15\n"                                                                                              \
   "xor r11, r11, r16\n"                                                                                               \
   "iadd r11, r11, r17\n"                                                                                              \
   "iadd r11, r11, r2\n"

/* With one float operation alone, which no other one's result sends to the interpreter. */
#define SHORT(operation)                                                                                               \
   "ldimm r0l, 0\nldimm r2, 0\nmov r3, u6\nmov r8, r4\nmov r9, r5\ntop:\nwhile r2, r3, 1, ult\n" operation             \
   "\niadd r2, r2, 1\njmp_any top\npop_exec 1\n"

/* r12 is the same in all lanes where a pass ends, but not where its head reads it. */
#define HEAD                                                                                                           \
   "ldimm r0l, 0\nldimm r2, 0\nmov r3, u6\nmov r8, r4\nmov r10, r6\nldimm r12, 8\ntop:\niadd r8, r8, r12\n"            \
   "ldimm r12, 5\nwhile r2, r3, 1, ult\niadd r12, r12, r10\niadd r2, r2, 1\njmp_any top\npop_exec 1\n"

static const char *const programs[] = {
    HEAD,
    SHORT("ffma r8, r8, u4, u5"),
    SHORT("fmul r8, r8, u4"),
    LOOP("mov r17, r7\n"),
    LOOP("ldimm r18, 8\nmov r17, r7\nif r7, r18, 1, ult\nldimm r2, 3\npop_exec 1\n"), /* some lanes start later */
    LOOP("ldimm r18, 8\nmov r17, r7\nif r7, r18, 1, ult\nldimm r15, 3\npop_exec 1\n"),
    LOOP("ldimm r0h, 0x7fff\nmov r17, r7\n"),
};

/* Near the edges of what is certain; the last but one makes 2^-126 * (1 - 2^-46) of 0x00800001. */
static const uint32_t uniforms[][2] = {
    {0x3f000000, 0x3f800000}, {0x40000000, 0x0d800000}, {0xbf800000, 0x8d800000}, {0x3f7fffff, 0x0d7fffff},
    {0x3f7ffffe, 0x7f800000}, {0x3f7ffffe, 0},          {0x3f800000, 0x00800001},
};

static void fill(struct rig *rig)
{
   rig_fill(rig);
   for (uint32_t thread = 0; thread < THREADS; thread++) {
      uint32_t *in = (uint32_t *)(void *)rig->input + (size_t)thread * RIG_WORDS;
      in[3] = thread / 32 % 2 ? 20 : thread % 16;
      if (thread % 4 == 0) {
         in[0] = in[1] = in[2] = 0x00800001u | thread << 29;
      }
   }
}

/* The launches follow one another, as with a device: the program stays decoded, its code compiled. */
static void check_program(struct rig *rig, const char *body, const struct vgpu_level *level, uint8_t *want)
{
   rig_kernel(rig, body);
   rig->launch.kept = vgpu_kept_create();
   struct vgpu_compiler *compiler = vgpu_jit_create(VGPU_JIT_ON, level);
   vgpu_jit_limit_bind(compiler, UINT64_MAX);
   for (uint32_t i = 0; i < 2 * ARRAY_COUNT(uniforms); i++) {
      const uint32_t words[3] = {uniforms[i % ARRAY_COUNT(uniforms)][0], uniforms[i % ARRAY_COUNT(uniforms)][1],
                                 i < ARRAY_COUNT(uniforms) ? 1 : i * 37};
      memcpy((uint8_t *)rig->launch.uniforms + 16, words, sizeof(words));
      rig->launch.compiler = NULL;
      memset(rig->output, 0, BYTES);
      rig_run(rig, level);
      memcpy(want, rig->output, BYTES);
      const uint64_t counts[2] = {rig->outcome.instructions, rig->outcome.thread_instructions};
      rig->launch.compiler = compiler;
      memset(rig->output, 0, BYTES);
      rig_run(rig, level);
      if (memcmp(rig->output, want, BYTES) != 0) {
         rig_fail("%s, uniforms 0x%08x 0x%08x: the memory differs from the interpreter's\n%s", level->name, words[0],
                  words[1], body);
      }
      if (rig->outcome.instructions != counts[0] || rig->outcome.thread_instructions != counts[1]) {
         rig_fail("%s: the counts differ from the interpreter's\n%s", level->name, body);
      }
   }
   struct vgpu_jit_statistics statistics;
   vgpu_jit_read_statistics(compiler, &statistics);
   if (compiler && (statistics.refused > 0 || (statistics.blocks == 0 && strcmp(level->name, "plain") != 0))) {
      rig_fail("%s: %u blocks compiled: %s", level->name, (unsigned)statistics.blocks, statistics.reason);
   }
   vgpu_kept_destroy(rig->launch.kept);
   rig->launch.kept = NULL;
   vgpu_jit_destroy(compiler);
}

int main(void)
{
   struct rig rig;
   rig_init(&rig, THREADS);
   fill(&rig);
   uint8_t *want = malloc(BYTES);
   for (size_t level = 0; want && level < vgpu_level_count; level++) {
      for (size_t i = 0; vgpu_levels[level].usable() && i < ARRAY_COUNT(programs); i++) {
         check_program(&rig, programs[i], &vgpu_levels[level], want);
      }
   }
   free(want);
   rig_finish(&rig);
   return rig_result();
}
