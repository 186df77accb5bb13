/* SPDX-License-Identifier: MIT
 *
 * A process compiles what earlier processes have run for long enough together with it. The samples here last as long
 * as the test says, so that the same launches always compile the same.
 */
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/vgpu/exec/rig.h"
#include "util/store.h"
#include "vgpu/jit/jit.h"

#define THREADS 512u
#define BYTES ((size_t)THREADS * RIG_WORDS * 4)
#define PERIOD 1000
#define MOST 1000u /* launches until a program is compiled */

/* A branch in a loop. */
static const char region[] =
    "ldimm r0l, 0\nldimm r2, 0\nldimm r3, 100\nmov r8, r4\ntop:\nwhile r2, r3, 1, ult\nif r8, r5, 1, ult\n"
    "imul r8, r8, r5\nxor r8, r8, r2\npop_exec 1\niadd r8, r8, r6\niadd r2, r2, 1\njmp_any top\npop_exec 1\n";

/* One block, which is compiled as soon as it is due. It is long enough for a process to tell of it twice. */
#define LINES 900u
static char straight[LINES * 24];

static void write_straight(void)
{
   size_t end = (size_t)snprintf(straight, sizeof(straight), "mov r8, r4\n");
   for (unsigned i = 0; i < LINES; i++) {
      end += (size_t)snprintf(straight + end, sizeof(straight) - end, "%s r8, r8, r%u\n", i % 2 ? "imul" : "xor",
                              5 + i % 3);
   }
}

static void (*real_sample)(struct vgpu_compiler *compiler, const struct vgpu_block *block, unsigned kind, uint64_t ns);
static uint64_t sample_ns;

static void sample(struct vgpu_compiler *compiler, const struct vgpu_block *block, unsigned kind, uint64_t ns)
{
   (void)ns;
   real_sample(compiler, block, kind, sample_ns);
}

/* Does the launches with a compiler of its own, as a process would; stops when something was compiled or loaded.
 * Returns the number of launches. */
static unsigned process(struct rig *rig, const uint8_t *want, unsigned launches, struct vgpu_jit_statistics *statistics)
{
   unsigned done = 0;
   struct vgpu_compiler *compiler = vgpu_jit_create(VGPU_JIT_AUTO, vgpu_best_level());
   *statistics = (struct vgpu_jit_statistics){.made = 0};
   real_sample = compiler->sample;
   compiler->sample = sample;
   compiler->period = PERIOD;
   vgpu_jit_keep(compiler);
   rig->launch.compiler = compiler;
   rig->launch.kept = vgpu_kept_create();
   while (done < launches && statistics->made + statistics->loaded == 0) {
      memset(rig->output, 0, BYTES);
      rig_run(rig, vgpu_best_level());
      if (memcmp(rig->output, want, BYTES) != 0) {
         rig_fail("launch %u: the memory differs from the interpreter's", done);
      }
      vgpu_jit_read_statistics(compiler, statistics);
      done++;
   }
   vgpu_kept_destroy(rig->launch.kept);
   vgpu_jit_destroy(compiler);
   rig->launch.kept = NULL;
   rig->launch.compiler = NULL;
   return done;
}

static bool damages;

static int visit(const char *path, const struct stat *file, int kind, struct FTW *at)
{
   (void)file, (void)at;
   if (!damages) {
      return remove(path);
   }
   FILE *out = kind == FTW_F ? fopen(path, "r+b") : NULL;
   if (out) {
      fseek(out, -4, SEEK_END);
      fputs("what", out);
      fclose(out);
   }
   return 0;
}

static void change_files(const char *folder, bool damage)
{
   damages = damage;
   nftw(folder, visit, 8, FTW_PHYS | FTW_DEPTH);
}

/* Two processes that each run for less long than one that compiles the program. */
static void check(struct rig *rig, const char *folder, const char *name, const char *program, unsigned too_little)
{
   static const struct {
      const char *what;
      unsigned percent; /* of the launches that are enough, in each of two processes; 0: too_little */
      bool compiled;
      bool damage, full, none;
   } cases[] = {
       {.what = "kept", .percent = 90, .compiled = true},  {.what = "too little"},
       {.what = "damaged", .percent = 90, .damage = true}, {.what = "a full disk", .percent = 90, .full = true},
       {.what = "no cache", .percent = 90, .none = true},
   };
   uint8_t *want = malloc(BYTES);
   struct vgpu_jit_statistics first, second;
   struct rlimit limit;
   rig_kernel(rig, program);
   rig_run(rig, vgpu_best_level());
   memcpy(want, rig->output, BYTES);
   unsetenv("AGX_RUNNER_CACHE_MIB");
   const unsigned enough = process(rig, want, MOST, &first);
   if (first.made == 0 || enough < 10) {
      rig_fail("%s: %u functions compiled after %u launches: %s", name, (unsigned)first.made, enough, first.reason);
   }
   change_files(folder, false);
   getrlimit(RLIMIT_FSIZE, &limit);
   const struct rlimit full = {.rlim_cur = 16, .rlim_max = limit.rlim_max};
   for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      const unsigned launches = enough * (cases[i].percent ? cases[i].percent : too_little) / 100;
      setenv("AGX_RUNNER_CACHE_MIB", cases[i].none ? "0" : "", 1);
      setrlimit(RLIMIT_FSIZE, cases[i].full ? &full : &limit);
      process(rig, want, launches, &first);
      setrlimit(RLIMIT_FSIZE, &limit);
      if (cases[i].damage) {
         change_files(folder, true);
      }
      process(rig, want, launches, &second);
      if (first.made + first.loaded > 0 || (second.made > 0) != cases[i].compiled) {
         rig_fail("%s, %s: %u functions compiled, then %u", name, cases[i].what, (unsigned)first.made,
                  (unsigned)second.made);
      }
      change_files(folder, false);
   }
   free(want);
}

int main(void)
{
   char folder[] = "/tmp/agx-earlier-XXXXXX", inside[64];
   struct rig rig;
   if (!mkdtemp(folder)) {
      rig_fail("there is no folder for files");
      return rig_result();
   }
   snprintf(inside, sizeof(inside), "%s/files", folder);
   setenv(UTIL_STORE_VARIABLE, inside, 1);
   signal(SIGXFSZ, SIG_IGN);
   rig_init(&rig, THREADS);
   rig_fill(&rig);
   rig.launch.threads = 1;
   write_straight();
   sample_ns = 4000000;
   check(&rig, inside, "a block", straight, 45);
   sample_ns = 2000000;
   check(&rig, inside, "a region", region, 30);
   rig_finish(&rig);
   rmdir(folder);
   return rig_result();
}
