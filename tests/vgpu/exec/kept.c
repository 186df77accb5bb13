/* SPDX-License-Identifier: MIT
 *
 * Programs that stay decoded between launches: found again where nothing changed, decoded anew where a byte of them,
 * what they are launched with, or the memory at their place did. What each launch computes, the host computes, too.
 */
#include <stdio.h>
#include <string.h>

#include "tests/vgpu/exec/rig.h"
#include "vgpu/jit/jit.h"

#define THREADS 256u

/* Leaves first * u8 + second + number, of the words of each record. */
static void place(struct rig *rig, uint32_t number)
{
   char body[256];
   snprintf(body, sizeof(body), "mov r12, u8\nimadd r8, r4, r12, r5\nldimm r13, %u\niadd r8, r8, r13\n", number);
   rig_kernel(rig, body);
}

/* Other memory, or other access, at the address of the code. */
static void map_code(struct rig *rig, const uint8_t *host, unsigned access)
{
   vgpu_pages_set(&rig->vm.pages, RIG_CODE, RIG_CODE + RIG_CODE_BYTES, (uintptr_t)host | access, VGPU_PAGE);
}

static void check_launch(struct rig *rig, const char *what, uint32_t uniform, uint32_t number, uint64_t found)
{
   const uint64_t before = vgpu_kept_found(rig->launch.kept);
   rig->launch.uniforms[16] = (uint16_t)uniform;
   rig->launch.uniforms[17] = (uint16_t)(uniform >> 16);
   memset(rig->output, 0, (size_t)THREADS * RIG_WORDS * 4);
   rig_run(rig, vgpu_best_level());
   for (uint32_t thread = 0; thread < THREADS; thread++) {
      const uint32_t *in = rig_in(rig, thread), *out = rig_out(rig, thread);
      if (out[0] != in[0] * uniform + in[1] + number || out[1] != 0xdeadbeef) {
         rig_fail("%s: thread %u: 0x%08x", what, thread, out[0]);
         break;
      }
   }
   if (vgpu_kept_found(rig->launch.kept) - before != found) {
      rig_fail("%s: %u programs found, not %u", what, (unsigned)(vgpu_kept_found(rig->launch.kept) - before),
               (unsigned)found);
   }
}

static void check_changes(enum vgpu_jit_mode mode, bool timing)
{
   struct rig rig;
   rig_init(&rig, THREADS);
   rig_fill(&rig);
   rig.launch.kept = vgpu_kept_create();
   rig.launch.compiler = vgpu_jit_create(mode, vgpu_best_level());
   rig.launch.timing = timing;
   place(&rig, 1000);
   check_launch(&rig, "first launch", 3, 1000, 0);
   check_launch(&rig, "again", 3, 1000, 1);
   check_launch(&rig, "other uniforms", 0x12345, 1000, 1);
   place(&rig, 1001);
   check_launch(&rig, "another program at its place", 3, 1001, 0);
   check_launch(&rig, "again", 4, 1001, 1);
   rig.launch.group[0] = 32;
   rig.launch.threads = 2;
   check_launch(&rig, "smaller threadgroups", 4, 1001, 1);
   rig.launch.grid[0] = 32;
   rig.launch.grid[1] = rig.launch.group[1] = 2; /* half of the threads do not count in x any more */
   rig.launch.group[0] = 16;
   rig_run(&rig, vgpu_best_level());
   rig.launch.grid[0] = THREADS;
   rig.launch.grid[1] = rig.launch.group[1] = 1;
   check_launch(&rig, "and back", 4, 1001, 1);
   rig.launch.half_registers = 32;
   check_launch(&rig, "fewer registers", 4, 1001, 0);
   rig.launch.timing = !timing;
   check_launch(&rig, "the timing model", 4, 1001, 0);
   rig.launch.timing = timing;
   struct rig other;
   rig_init(&other, THREADS);
   place(&other, 2002);
   map_code(&rig, other.code, VGPU_READ);
   check_launch(&rig, "other memory at its address", 4, 2002, 0);
   map_code(&rig, rig.code, VGPU_READ);
   check_launch(&rig, "the first memory", 4, 1001, 0);
   rig_finish(&other);
   rig.launch.checks = VGPU_CHECK_UNDEFINED;
   memset(rig.launch.uniforms_written, 0xff, sizeof(rig.launch.uniforms_written));
   struct vgpu_check_log log = {0};
   rig.launch.log = &log;
   check_launch(&rig, "with checks", 4, 1001, 0);
   check_launch(&rig, "with checks again", 5, 1001, 1);
   if (log.count != 0) {
      rig_fail("%u reports of defined uniforms", (unsigned)log.count);
   }
   memset(rig.launch.uniforms_written, 0, sizeof(rig.launch.uniforms_written));
   check_launch(&rig, "uniforms that nothing wrote", 6, 1001, 1);
   if (log.count == 0) {
      rig_fail("a kept program reads uniforms that nothing wrote, without a report");
   }
   const uint32_t reports = log.count;
   memset(rig.launch.uniforms_written, 0xff, sizeof(rig.launch.uniforms_written));
   check_launch(&rig, "uniforms that are written again", 7, 1001, 1);
   if (log.count != reports) {
      rig_fail("%u reports more of defined uniforms", (unsigned)(log.count - reports));
   }
   rig.launch.checks = VGPU_CHECK_RACES;
   check_launch(&rig, "with another check", 7, 1001, 0);
   vgpu_kept_destroy(rig.launch.kept);
   vgpu_jit_destroy(rig.launch.compiler);
   rig_finish(&rig);
}

/* More programs than are kept, at places of their own: the newest ones stay. */
static void check_many(void)
{
   struct rig rig;
   rig_init(&rig, THREADS);
   rig_fill(&rig);
   rig.launch.kept = vgpu_kept_create();
   uint8_t all[40][0x400];
   for (uint32_t i = 0; i < 40; i++) {
      place(&rig, i);
      if (rig.code_size > sizeof(all[i])) {
         rig_fail("%zu bytes of code", rig.code_size);
         break;
      }
      memcpy(all[i], rig.code, sizeof(all[i]));
   }
   memcpy(rig.code, all, sizeof(all));
   for (unsigned pass = 0; pass < 2; pass++) {
      for (uint32_t i = 0; i < 40; i++) {
         rig.launch.code = RIG_CODE + i * sizeof(all[i]);
         check_launch(&rig, "one of 40 in turn", 7, i, 0);
      }
   }
   for (uint32_t i = 40; i-- > 20;) {
      rig.launch.code = RIG_CODE + i * sizeof(all[i]);
      check_launch(&rig, "one of the last 20", 9, i, 1);
   }
   vgpu_kept_destroy(rig.launch.kept);
   rig_finish(&rig);
}

/* A preamble that stores what main reads; and main changes the preamble's code for the next launch. */
static void check_preamble(void)
{
   struct rig rig;
   rig_init(&rig, THREADS);
   rig.launch.kept = vgpu_kept_create();
   rig.launch.preamble_half_registers = 8;
   for (uint32_t launch = 0; launch < 4; launch++) {
      if (launch == 0 || launch == 2) {
         char text[512];
         snprintf(text, sizeof(text),
                  ".preamble\nmov r0, u8\niadd r0, r0, %u\nmov u10l, r0l\nmov u10h, r0h\nstop\n"
                  ".main\nmov r1, sr80\nmov r4, u10\nstore r4, du2, r1, i32, x, a\nstop\n",
                  5 + launch);
         rig_program(&rig, text);
      }
      const uint32_t uniform = 100 * launch, want = uniform + 5 + launch / 2 * 2;
      rig.launch.uniforms[16] = (uint16_t)uniform;
      rig_run(&rig, vgpu_best_level());
      const uint32_t *out = (const uint32_t *)(const void *)rig.output;
      if (out[0] != want || out[THREADS - 1] != want) {
         rig_fail("launch %u: the preamble left %u, not %u", launch, out[0], want);
      }
   }
   if (vgpu_kept_found(rig.launch.kept) != 5) { /* both, main, both */
      rig_fail("%u programs found, not 5", (unsigned)vgpu_kept_found(rig.launch.kept));
   }
   vgpu_kept_destroy(rig.launch.kept);
   rig_finish(&rig);
}

/* A program that stores into its own code: the next launch runs what is there then. */
static void check_self_modifying(void)
{
   struct rig rig, patch;
   rig_init(&rig, THREADS);
   rig_init(&patch, THREADS);
   rig.launch.kept = vgpu_kept_create();
   map_code(&rig, rig.code, VGPU_READ | VGPU_WRITE);
   uint64_t address = RIG_CODE;
   memcpy((uint8_t *)rig.launch.uniforms + 16, &address, sizeof(address)); /* du4 */
   static const char text[] = "ldimm r4, %u\nload r5, du0, 0, i32, x, a\nwait a\nload r6, du0, 1, i32, x, a\nwait a\n"
                              "store r4, du2, 0, i32, x, a\nstore r5, du4, 0, i32, x, a\nstore r6, du4, 1, i32, x, a\n"
                              "stop\n";
   char one[512];
   snprintf(one, sizeof(one), text, 0x11111111u); /* NOLINT: above */
   rig_program(&rig, one);
   snprintf(one, sizeof(one), text, 0x22222222u); /* NOLINT: above */
   rig_program(&patch, one);
   memcpy(rig.input, patch.code, 8);
   rig.launch.grid[0] = rig.launch.group[0] = 1;
   for (uint32_t launch = 0; launch < 3; launch++) {
      rig_run(&rig, vgpu_best_level());
      const uint32_t want = launch ? 0x22222222u : 0x11111111u, out = *(const uint32_t *)(const void *)rig.output;
      if (out != want) {
         rig_fail("launch %u: 0x%08x, not 0x%08x", launch, out, want);
      }
   }
   vgpu_kept_destroy(rig.launch.kept);
   rig_finish(&patch);
   rig_finish(&rig);
}

/* What a jump through a register reaches is found anew each time. */
static void check_calls(void)
{
   struct rig rig;
   rig_init(&rig, THREADS);
   rig_fill(&rig);
   rig.launch.kept = vgpu_kept_create();
   rig_kernel(&rig, "mov r8, r4\nmov r9, r1\ncall function\nmov r1, r9\njmp_any over\n"
                    "function: iadd r8, r8, 1\nret r1\nover:\n");
   for (unsigned launch = 0; launch < 2; launch++) {
      rig_run(&rig, vgpu_best_level());
   }
   if (vgpu_kept_found(rig.launch.kept) != 0) {
      rig_fail("a program with a return was kept");
   }
   vgpu_kept_destroy(rig.launch.kept);
   rig_finish(&rig);
}

int main(void)
{
   for (unsigned timing = 0; timing < 2; timing++) {
      check_changes(VGPU_JIT_OFF, timing);
      check_changes(VGPU_JIT_ON, timing);
   }
   check_many();
   check_preamble();
   check_self_modifying();
   check_calls();
   return rig_result();
}
