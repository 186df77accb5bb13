/* SPDX-License-Identifier: MIT
 *
 * Blocks as host code: the same memory and the same counts as by the interpreter, compiled once for all launches, by
 * several host threads at once, in as much memory as was allowed, and no page that is writable and executable. Whether
 * each instruction is right, the other tests of this folder tell: they run each case compiled, too.
 */
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/vgpu/exec/rig.h"
#include "util/array.h"
#include "vgpu/jit/jit.h"

#define THREADS 4096u

/* A sanitizer makes LLVM take three times as long: then every program runs, but not in all ways. */
#if defined(SHORT)
#define EVERY(n) (n)
#else
#define EVERY(n) 1
#endif

/* A loop with arithmetic on 32 and 16 bits, a load, an odd lane that leaves early, and results near the smallest
 * normal number. */
static const char mixed[] = "ldimm r0l, 0\n"
                            "ldimm r2, 0\n"
                            "ldimm r3, 200\n"
                            "mov r8, r4\n"
                            "mov r9, r5\n"
                            "mov r10, r6\n"
                            "top:\n"
                            "ffma r8, r8, r5, r6\n"
                            "fmul r10, r10, r5\n"
                            "imul r9, r9, r4\n"
                            "shr r11, r9, 15\n"
                            "xor r9, r9, r11\n"
                            "hfma r11l, r9l, r9h, r11l\n"
                            "load r12, du0, r1, i32, x, a\n"
                            "wait a\n"
                            "iadd r9, r9, r12\n"
                            "fadd r10, r10, r6\n"
                            "iadd r2, r2, 1\n"
                            "while r2, r3, 1, ult\n"
                            "jmp_any top\n"
                            "pop_exec 1\n";

/* A loop as Mesa writes it, the comparison at its head. Simdgroups run it 40 to 295 times; the halves of a simdgroup
 * differ by one turn. */
static const char loop[] = "ldimm r0l, 0\n"
                           "ldimm r2, 0\n"
                           "mov r8, r4\n"
                           "mov r9, r5\n"
                           "mov r10, r6\n"
                           "shr r3, r1, 4\n"
                           "iadd r3, r3, 40\n"
                           "top:\n"
                           "while r2, r3, 1, ult\n"
                           "ffma r8, r8, r5, r6\n"
                           "imul r9, r9, r4\n"
                           "xor r9, r9, r2\n"
                           "fmul r10, r10, r8\n"
                           "iadd r2, r2, 1\n"
                           "jmp_any top\n"
                           "pop_exec 1\n"
                           "mov r11, r2\n";

/* A loop of none to three passes, the same for a simdgroup, that leaves NaNs and words that are none of its results:
 * r12 and r13 are read by arithmetic alone until the next pass replaces them, r14 by an instruction on bits, too. */
static const char passes[] = "ldimm r0l, 0\n"
                             "ldimm r2, 0\n"
                             "shr r3, r1, 5\n"
                             "and r3, r3, 3\n"
                             "mov r12, r4\n"
                             "mov r13, r5\n"
                             "mov r14, r6\n"
                             "mov r15, r7\n"
                             "top:\n"
                             "while r2, r3, 1, ult\n"
                             "ffma r12, r12, r5, r6\n"
                             "fadd r13, r12, r13\n"
                             "ffma r14, r14, r6, r13\n"
                             "xor r15, r15, r14\n"
                             "iadd r2, r2, 1\n"
                             "jmp_any top\n"
                             "pop_exec 1\n"
                             "mov r8, r12\n"
                             "mov r9, r13\n"
                             "mov r10, r14\n"
                             "xor r11, r15, r2\n";

/* Memory in a loop: lines, some of them across a page's end or past the buffer's, scattered words, two words a lane,
 * one word for all, threadgroup memory, atomics, and a load of what the same pass stored. Results that only the
 * interpreter settles come between them: nothing may be stored or added twice. 1024 threads; words from 4096 on are
 * free. */
static const char memory[] = "ldimm r0l, 0\n"
                             "ldimm r2, 0\n"
                             "ldimm r23, 1\n"
                             "ldimm r26, 4096\n"
                             "ldimm r27, 15000\n"
                             "shr r3, r1, 5\n"
                             "and r3, r3, 7\n"
                             "iadd r3, r3, 3\n"
                             "and r20, r1, 255\n"
                             "shl r20, r20, 2\n"
                             "mov r8, r4\n"
                             "mov r9, r5\n"
                             "mov r10, r6\n"
                             "top:\n"
                             "while r2, r3, 1, ult\n"
                             "load r12, du0, r1, i32, x, a\n"
                             "shl r13, r2, 11\n"
                             "iadd r13, r13, r1\n"
                             "iadd r13, r13, 7\n"
                             "load r14, du0, r13, i32, x, a\n"
                             "shr r15, r5, 18\n"
                             "load r16, du0, r15, i32, x, a\n"
                             "load r17_r18, du0, r1, lsl 1, i32, xy, a\n"
                             "load r19, du0, r2, i32, x, a\n"
                             "wait a\n"
                             "ffma r8, r8, r12, r14\n"
                             "fmul r10, r10, r19\n"
                             "iadd r9, r9, r16\n"
                             "xor r9, r9, r18\n"
                             "lstore r8, r20l, 0, i32, x\n"
                             "lload r21, r20l, 0, i32, x\n"
                             "fadd r10, r10, r21\n"
                             "shl r22, r2, 10\n"
                             "iadd r22, r22, r1\n"
                             "iadd r22, r22, r26\n"
                             "store r10, du2, r22, i32, x, a\n"
                             "and r24, r9, 255\n"
                             "iadd r24, r24, r27\n"
                             "atomic _, r23, du2, r24, add, a\n"
                             "iadd r28, r2, 1\n"
                             "and r28, r28, 3\n"
                             "iadd r28, r28, 1\n"
                             "shl r28, r28, 23\n"
                             "fmul r28, r28, 1.0\n" /* in every fourth pass the smallest normal number */
                             "xor r9, r9, r28\n"
                             "load r25, du2, r22, i32, x, a\n"
                             "wait a\n"
                             "xor r9, r9, r25\n"
                             "fmul r10, r10, r25\n"
                             "iadd r2, r2, 1\n"
                             "jmp_any top\n"
                             "pop_exec 1\n"
                             "mov r11, r2\n";

/* One block: threadgroups follow one another without being placed anew. */
static const char straight[] = "iadd r12, r1, 5\n"
                               "load r13, du0, r12, i32, x, a\n"
                               "wait a\n"
                               "iadd r8, r13, r4\n"
                               "ffma r9, r5, r6, r13\n"
                               "xor r10, r1, r7\n"
                               "mov r11, r4\n";

/* Additions by all threads, to 600 words of which some share a slot of struct vgpu_sums, and to one word; they end what
 * the program does with device memory, but for records that nobody else reads. */
static const char additions[] = "mov r0, thread_in_grid_x\n"
                                "load r4, du0, r0, i32, x, a\n"
                                "wait a\n"
                                "ldimm r5, 511\n"
                                "and r5, r4, r5\n"
                                "and r6, r0, 64\n"
                                "iadd r5, r5, r6\n"
                                "ldimm r7, 700\n"
                                "atomic _, r4, du2, r5, add, a\n"
                                "atomic _, r0, du2, r7, add, a\n"
                                "stop\n";

/* Each thread reads its own sum back: nothing may be kept back. */
static const char read_back[] = "mov r0, thread_in_grid_x\n"
                                "load r4, du0, r0, i32, x, a\n"
                                "wait a\n"
                                "atomic _, r4, du2, r0, add, a\n"
                                "load r5, du2, r0, i32, x, a\n"
                                "wait a\n"
                                "xor r5, r5, r4\n"
                                "store r5, du2, r0, i32, x, a\n"
                                "stop\n";

/* One block that reads what the threadgroup before may have left behind. */
static const char stale[] = "iadd r8, r4, r21\n"
                            "and r21, r5, 255\n"
                            "load r9, du0, r21, i32, x, a\n" /* scattered: the interpreter does it, on r21 in memory */
                            "wait a\n"
                            "mov r10, r7\n"
                            "mov r11, r4\n";

struct pages {
   unsigned long executable; /* bytes */
   unsigned wrong;           /* mappings that are writable, too */
};

static struct pages read_pages(void)
{
   FILE *maps = fopen("/proc/self/maps", "r");
   char line[512], flags[8];
   unsigned long start, end;
   struct pages pages = {0, 0};
   while (maps && fgets(line, sizeof(line), maps)) {
      if (sscanf(line, "%lx-%lx %7s", &start, &end, flags) == 3 && flags[2] == 'x') {
         pages.executable += end - start;
         pages.wrong += flags[1] == 'w';
      }
   }
   if (maps) {
      fclose(maps);
   }
   if (!pages.executable) {
      rig_fail("/proc/self/maps cannot be read");
   }
   return pages;
}

static void run(struct rig *rig, enum vgpu_jit_mode mode, unsigned launches, struct vgpu_jit_statistics *statistics)
{
   rig->launch.compiler = vgpu_jit_create(mode, vgpu_best_level());
   vgpu_jit_limit_bind(rig->launch.compiler, UINT64_MAX); /* all blocks, however slow the host is */
   for (unsigned i = 0; i < launches; i++) {
      memset(rig->output, 0, (size_t)THREADS * RIG_WORDS * 4);
      rig_run(rig, vgpu_best_level());
   }
   vgpu_jit_read_statistics(rig->launch.compiler, statistics);
   if (read_pages().wrong > 0) {
      rig_fail("a page is writable and executable");
   }
   vgpu_jit_destroy(rig->launch.compiler);
   rig->launch.compiler = NULL;
}

static void check_mode(struct rig *rig, enum vgpu_jit_mode mode, unsigned threads, const uint8_t *want,
                       const struct vgpu_outcome *outcome)
{
   struct vgpu_jit_statistics once, thrice;
   rig->launch.threads = threads;
   run(rig, mode, 1, &once);
   if (memcmp(rig->output, want, (size_t)THREADS * RIG_WORDS * 4) != 0) {
      rig_fail("mode %d, %u threads: the memory differs from the interpreter's", mode, threads);
   }
   if (rig->outcome.instructions != outcome->instructions ||
       rig->outcome.thread_instructions != outcome->thread_instructions || rig->outcome.cycles != outcome->cycles ||
       rig->outcome.soft.loads != outcome->soft.loads || rig->outcome.soft.stores != outcome->soft.stores) {
      rig_fail("mode %d, %u threads: the counts differ from the interpreter's", mode, threads);
   }
   if (mode == VGPU_JIT_ON && vgpu_jit_built()) {
      run(rig, mode, 3, &thrice);
      if (once.blocks == 0 || once.instructions < 4 || once.code_bytes == 0 || once.ns == 0 || once.refused > 0) {
         rig_fail("blocks %u, instructions %u, refused %u: %s", (unsigned)once.blocks, (unsigned)once.instructions,
                  (unsigned)once.refused, once.reason);
      }
      /* rig_kernel() has two; the timing model takes them all. */
      if ((once.memory < 2) != rig->launch.timing) {
         rig_fail("%u memory instructions compiled", (unsigned)once.memory);
      }
      if (thrice.blocks != once.blocks) {
         rig_fail("%u blocks compiled by three launches, %u by one", (unsigned)thrice.blocks, (unsigned)once.blocks);
      }
   }
}

/* Arithmetic that LLVM could do by itself, by rules of which the GPU's differ: denormals are zero, x * 1 is no copy of
 * x, and a NaN is always the same. */
static void expect_constants(const uint32_t (*lanes)[RIG_WORDS], unsigned lane, uint32_t *out)
{
   const uint32_t x = lanes[lane][0], magnitude = x & 0x7fffffffu;
   out[0] = magnitude > 0x7f800000u ? 0x7fc00000u : magnitude < 0x00800000u ? x & 0x80000000u : x;
   out[1] = out[2] = 0;
}

static const struct rig_case constants = {"ldimm r2, 0x3f800000\n"
                                          "fmul r8, r4, r2\n"
                                          "ldimm r3, 3\n"
                                          "fadd r9, r3, r3\n"
                                          "ffma r10, r3, r2, r3\n",
                                          expect_constants};

static void fill_normal(struct rig *rig)
{
   rig_fill(rig);
   for (uint32_t i = 0; i < THREADS * RIG_WORDS; i++) {
      uint32_t *word = (uint32_t *)(void *)rig->input + i;
      *word += (*word & 0x7fffffffu) == 0x00800000u;
   }
}

static void check_program(const char *body, uint32_t threads_run)
{
   struct rig rig;
   rig_init(&rig, THREADS);
   rig.launch.group[0] = 256;
   rig.launch.grid[0] = threads_run;
   rig.launch.threadgroup_bytes = 1024;
   rig_fill(&rig);
   rig_kernel(&rig, body);
   uint8_t *want = malloc((size_t)THREADS * RIG_WORDS * 4);
   if (!want) {
      rig_fail("out of memory");
      rig_finish(&rig);
      return;
   }
   for (unsigned timing = 0; timing < 2; timing++) {
      struct vgpu_jit_statistics none;
      rig.launch.timing = timing;
      rig.launch.threads = 1;
      run(&rig, VGPU_JIT_OFF, 1, &none);
      const struct vgpu_outcome outcome = rig.outcome;
      memcpy(want, rig.output, (size_t)THREADS * RIG_WORDS * 4);
      for (unsigned threads = 3; threads > 0; threads -= EVERY(3)) {
         check_mode(&rig, VGPU_JIT_ON, threads, want, &outcome);
         check_mode(&rig, VGPU_JIT_AUTO, threads, want, &outcome);
      }
   }
   free(want);
   rig_finish(&rig);
}

/* A register that the program reads first, or writes in some lanes only, starts as zero in each threadgroup, whatever
 * the threadgroup before left there. */
static void expect_zeroed(const uint32_t (*lanes)[RIG_WORDS], unsigned lane, uint32_t *out)
{
   const bool odd = lanes[lane][0] & 1;
   out[0] = 0;
   out[1] = odd ? lanes[lane][1] : 0;
   out[2] = lanes[lane][2] << 16;
   out[3] = 0;
}

static void check_zeroed(void)
{
   static const struct rig_case zeroed = {"ldimm r0l, 0\n"
                                          "mov r8, r20\n"
                                          "mov r22h, r6l\n"
                                          "and r12, r4, 1\n"
                                          "if r12, 1, 1, ieq\n"
                                          "mov r21, r5\n"
                                          "pop_exec 1\n"
                                          "mov r9, r21\n"
                                          "mov r10, r22\n"
                                          "mov r11, r23\n"
                                          "mov r20, r4\n"
                                          "mov r21, r4\n"
                                          "mov r22, r4\n"
                                          "mov r23, r4\n",
                                          expect_zeroed};
   rig_cases_with(&zeroed, 1, THREADS, rig_fill, (struct rig_wants){.group = 256});
}

/* Positions of threads as indices: rows of 128 words by any shape of threadgroup, indices that start again from 0 among
 * the lanes, and lines that start off the host's cache lines. */
static const char positions[] = "mov r0, thread_in_grid_x\n"
                                "mov r2, thread_in_grid_y\n"
                                "shl r3, r2, 7\n"
                                "iadd r3, r3, r0\n"
                                "load r4, du0, r0, i32, x, a\n"
                                "ldimm r5, 0xfffffff0\n"
                                "iadd r6, r0, r5\n"
                                "load r7, du0, r6, i32, x, a\n"
                                "load r8, du0, r2, i32, x, a\n"
                                "wait a\n"
                                "fmul r9, r4, r7\n"
                                "xor r9, r9, r8\n"
                                "store r9, du2, r3, i32, x, a\n"
                                "ldimm r10, 8195\n"
                                "iadd r10, r0, r10\n"
                                "store r4, du2, r10, i32, x, a\n"
                                "stop\n";

static void check_positions(void)
{
   static const uint32_t shapes[][4] = {/* grid, threadgroup */
                                        {128, 64, 8, 8}, {128, 64, 64, 2},  {128, 64, 32, 4}, {100, 60, 32, 4},
                                        {100, 3, 96, 1}, {128, 64, 256, 1}, {128, 8, 4, 8},   {96, 64, 64, 4}};
   struct rig rig;
   rig_init(&rig, THREADS);
   rig_fill(&rig);
   rig_program(&rig, positions);
   const size_t bytes = (size_t)THREADS * RIG_WORDS * 4;
   uint8_t *want = malloc(bytes);
   for (size_t i = 0; want && i < sizeof(shapes) / sizeof(shapes[0]); i += EVERY(2)) {
      struct vgpu_jit_statistics statistics;
      memcpy(rig.launch.grid, shapes[i], 2 * sizeof(uint32_t));
      memcpy(rig.launch.group, shapes[i] + 2, 2 * sizeof(uint32_t));
      run(&rig, VGPU_JIT_OFF, 1, &statistics);
      memcpy(want, rig.output, bytes);
      const uint64_t instructions = rig.outcome.instructions;
      run(&rig, VGPU_JIT_ON, 1, &statistics);
      if (memcmp(rig.output, want, bytes) != 0 || rig.outcome.instructions != instructions) {
         rig_fail("threadgroups of %u x %u: not as by the interpreter", shapes[i][2], shapes[i][3]);
      }
   }
   free(want);
   rig_finish(&rig);
}

/* Lines that follow from those of the first simdgroup: from any offset, over page ends and the buffers' ends, with an
 * index that starts again from 0, results that only the interpreter settles, and data that tell the thread. */
static const char consecutive[] = "mov r0, thread_in_grid_x\n"
                                  "mov r3, thread_in_grid_y\n"
                                  "ldimm r5, %u\n"
                                  "iadd r6, r0, r5\n"
                                  "load r1, du0, r0, i32, x, a\n"
                                  "load r7, du0, r6, i32, x, a\n"
                                  "ldimm r8, 3\n"
                                  "load r9, du0, r8, i32, x, a\n"
                                  "load r10, du0, r6.sx, i32, x, a\n"
                                  "wait a\n"
                                  "fmul r2, r1, r7\n"
                                  "xor r2, r2, r9\n"
                                  "iadd r2, r2, r10\n"
                                  "xor r2, r2, r0\n"
                                  "iadd r2, r2, r3\n"
                                  "store r2, du2, r6, i32, x, a\n"
                                  "stop\n";

/* The index starts again from 0 at this thread, amid a page of the input. */
#define WRAP 2064u
static const char wraps[] = "mov r0, thread_in_grid_x\n"
                            "ldimm r5, %u\n"
                            "iadd r6, r0, r5\n"
                            "load r1, du4, r6, i32, x, a\n"
                            "wait a\n"
                            "store r1, du2, r0, i32, x, a\n"
                            "stop\n";

static void check_consecutive_from(const char *program, uint32_t offset)
{
   static const uint32_t shapes[][4] = {/* grid, threadgroup */
                                        {12288, 1, 256, 1},  {12288, 1, 96, 1}, {12320, 1, 32, 1},
                                        {12000, 1, 1024, 1}, {4096, 3, 256, 1}, {4096, 4, 64, 2}};
   const size_t bytes = (size_t)THREADS * RIG_WORDS * 4;
   char text[1024];
   struct rig rig;
   rig_init(&rig, THREADS);
   rig_fill(&rig);
   const uint64_t base = RIG_INPUT - (UINT64_C(1) << 34) + WRAP * 4;
   memcpy((uint8_t *)rig.launch.uniforms + 16, &base, sizeof(base));
   snprintf(text, sizeof(text), program, offset); /* NOLINT: one of two above */
   rig_program(&rig, text);
   uint8_t *want = malloc(bytes);
   for (size_t i = 0; want && i < sizeof(shapes) / sizeof(shapes[0]); i += EVERY(2)) {
      struct vgpu_jit_statistics statistics;
      memcpy(rig.launch.grid, shapes[i], 2 * sizeof(uint32_t));
      memcpy(rig.launch.group, shapes[i] + 2, 2 * sizeof(uint32_t));
      rig.launch.threads = shapes[i][1] > 1 ? 1 : 2; /* lines of the grid store to the same words */
      run(&rig, VGPU_JIT_OFF, 1, &statistics);
      memcpy(want, rig.output, bytes);
      const struct vgpu_outcome outcome = rig.outcome;
      run(&rig, VGPU_JIT_ON, 1, &statistics);
      if (memcmp(rig.output, want, bytes) != 0 || rig.outcome.instructions != outcome.instructions ||
          rig.outcome.thread_instructions != outcome.thread_instructions ||
          rig.outcome.soft.loads != outcome.soft.loads || rig.outcome.soft.stores != outcome.soft.stores) {
         rig_fail("from %u on, threadgroups of %u x %u: not as by the interpreter", offset, shapes[i][2], shapes[i][3]);
      }
      if (vgpu_jit_built() && statistics.consecutive != 1) {
         rig_fail("%u runs for consecutive simdgroups: %s", (unsigned)statistics.consecutive, statistics.reason);
      }
   }
   free(want);
   rig_finish(&rig);
}

/* The memory after a program of many threadgroups, by one host thread and by three. */
static void check_additions(const char *text)
{
   const size_t bytes = (size_t)THREADS * RIG_WORDS * 4;
   struct rig rig;
   struct vgpu_jit_statistics statistics;
   rig_init(&rig, THREADS);
   rig_fill(&rig);
   rig_program(&rig, text);
   rig.launch.grid[0] = THREADS * RIG_WORDS;
   rig.launch.group[0] = 32;
   uint8_t *want = malloc(bytes);
   for (unsigned threads = 1; want && threads <= 3; threads += 2) {
      rig.launch.threads = threads;
      run(&rig, VGPU_JIT_OFF, 1, &statistics);
      memcpy(want, rig.output, bytes);
      run(&rig, VGPU_JIT_ON, 1, &statistics);
      if (memcmp(rig.output, want, bytes) != 0) {
         rig_fail("%u threads: sums are not as by the interpreter", threads);
      }
   }
   free(want);
   rig_finish(&rig);
}

static void check_consecutive(void)
{
   static const uint32_t offsets[] = {0, 5, 4080, 9000, UINT32_MAX - 15, UINT32_MAX - 8000};
   for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i += EVERY(3)) {
      check_consecutive_from(consecutive, offsets[i]);
   }
   check_consecutive_from(wraps, -WRAP);
}

/* More threads than most hosts' caches have words: compiled stores may write past them. */
static void check_streams(void)
{
   const uint32_t words = THREADS * RIG_WORDS;
   struct rig rig;
   struct vgpu_jit_statistics statistics;
   rig_init(&rig, THREADS);
   rig_fill(&rig);
   rig_program(&rig, "mov r0, thread_in_grid_x\n"
                     "ldimm r1, 0x3fff\n"
                     "and r1, r0, r1\n"
                     "load r2, du0, r1, i32, x, a\n"
                     "wait a\n"
                     "iadd r2, r2, r1\n"
                     "store r2, du2, r1, i32, x, a\n"
                     "stop\n");
   const uint32_t grid = vgpu_jit_built() ? 1u << 25 : words; /* without it the many threads would only take long */
   rig.launch.grid[0] = grid;
   rig.launch.group[0] = 256;
   rig.launch.threads = 2;
   run(&rig, VGPU_JIT_ON, 1, &statistics);
   for (uint32_t i = 0; i < words; i++) {
      uint32_t in, out;
      memcpy(&in, rig.input + 4 * i, 4);
      memcpy(&out, rig.output + 4 * i, 4);
      if (out != in + i) {
         rig_fail("word %u is 0x%08x, not 0x%08x", i, out, in + i);
         break;
      }
   }
   if (rig.outcome.instructions != grid / 32 * 8u) {
      rig_fail("%u instructions", (unsigned)rig.outcome.instructions);
   }
   rig_finish(&rig);
}

/* Left to itself, the compiler takes a loop that goes on for long enough, also with the timing model, whose cycles stay
 * the same. How many launches that takes depends on the host; that it happens does not. Without a compiler two must
 * do. */
static void check_auto(void)
{
   static const char longer[] = "ldimm r0l, 0\n"
                                "ldimm r2, 0\n"
                                "ldimm r3, 4000\n"
                                "top:\n"
                                "while r2, r3, 1, ult\n"
                                "ffma r8, r8, r5, r6\n"
                                "fmul r10, r10, r8\n"
                                "iadd r2, r2, 1\n"
                                "jmp_any top\n"
                                "pop_exec 1\n";
   struct rig rig;
   rig_init(&rig, THREADS);
   rig_fill(&rig);
   rig_kernel(&rig, longer);
   for (unsigned timing = 0; timing < 2; timing++) {
      struct vgpu_jit_statistics statistics = {0};
      rig.launch.timing = timing;
      rig_run(&rig, vgpu_best_level());
      const uint64_t cycles = rig.outcome.cycles;
      rig.launch.compiler = vgpu_jit_create(VGPU_JIT_AUTO, vgpu_best_level());
      for (unsigned i = 0; i < (vgpu_jit_built() ? 20000 : 2) && statistics.blocks == 0; i++) {
         rig_run(&rig, vgpu_best_level());
         vgpu_jit_read_statistics(rig.launch.compiler, &statistics);
      }
      rig_run(&rig, vgpu_best_level());
      if (statistics.blocks == 0 && vgpu_jit_built()) {
         rig_fail("timing %u: nothing compiled: %s", timing, statistics.reason);
      }
      if (rig.outcome.cycles != cycles || (cycles > 0) != timing) {
         rig_fail("timing %u: %" PRIu64 " cycles, %" PRIu64 " interpreted", timing, rig.outcome.cycles, cycles);
      }
      vgpu_jit_destroy(rig.launch.compiler);
      rig.launch.compiler = NULL;
   }
   rig_finish(&rig);
}

#define LONG_BODY 100u /* instructions of a loop's body */

/* All simdgroups of a threadgroup go through a long loop for hundreds of passes before the limit of work is asked
 * again: more instructions than a host thread takes of it at once. The launch runs with just enough of it, and not with
 * one less.
 */
static void check_work(void)
{
   char text[LONG_BODY * 32 + 256];
   size_t end = (size_t)snprintf(text, sizeof(text), "ldimm r0l, 0\nldimm r2, 0\nldimm r3, 600\ntop:\n");
   struct rig rig;
   struct vgpu_jit_statistics statistics;
   for (unsigned i = 0; i < LONG_BODY; i++) {
      end += (size_t)snprintf(text + end, sizeof(text) - end, "iadd r%u, r%u, r%u\n", 8 + i % 4, 8 + (i + 1) % 4,
                              4 + i % 3);
   }
   (void)snprintf(text + end, sizeof(text) - end, "iadd r2, r2, 1\nwhile r2, r3, 1, ult\njmp_any top\npop_exec 1\n");
   rig_init(&rig, THREADS);
   rig_fill(&rig);
   rig_kernel(&rig, text);
   rig_run(&rig, vgpu_best_level());
   const uint64_t needed = rig.outcome.instructions;
   uint8_t *want = malloc((size_t)THREADS * RIG_WORDS * 4);
   memcpy(want, rig.output, (size_t)THREADS * RIG_WORDS * 4);
   for (unsigned threads = 1; threads <= 3; threads++) {
      rig.launch.threads = threads;
      rig.launch.work = needed;
      run(&rig, VGPU_JIT_ON, 1, &statistics);
      if (rig.outcome.instructions != needed || memcmp(rig.output, want, (size_t)THREADS * RIG_WORDS * 4) != 0) {
         rig_fail("%u threads: %" PRIu64 " instructions of %" PRIu64 ", or other memory", threads,
                  rig.outcome.instructions, needed);
      }
      rig.launch.compiler = vgpu_jit_create(VGPU_JIT_ON, vgpu_best_level());
      rig.launch.work--;
      vgpu_core_run(&rig.launch, &rig.outcome);
      if (rig.outcome.fault != VGPU_FAULT_TIMEOUT) {
         rig_fail("%u threads: fault %d with less than the launch takes", threads, rig.outcome.fault);
      }
      vgpu_jit_destroy(rig.launch.compiler);
      rig.launch.compiler = NULL;
   }
   if (vgpu_jit_built() && statistics.blocks == 0) {
      rig_fail("no block was compiled: %s", statistics.reason);
   }
   free(want);
   rig_finish(&rig);
}

/* A program whose blocks take too long to compile runs all the same, after those that were compiled in time. */
static void check_bind_limit(void)
{
   static const uint64_t limits[] = {0, 1, UINT64_MAX};
   uint64_t blocks[3];
   uint8_t *want = malloc((size_t)THREADS * RIG_WORDS * 4);
   struct rig rig;
   struct vgpu_jit_statistics statistics;
   rig_init(&rig, THREADS);
   rig_fill(&rig);
   rig_kernel(&rig, mixed);
   rig_run(&rig, vgpu_best_level());
   memcpy(want, rig.output, (size_t)THREADS * RIG_WORDS * 4);
   for (unsigned i = 0; i < 3; i++) {
      rig.launch.compiler = vgpu_jit_create(VGPU_JIT_ON, vgpu_best_level());
      vgpu_jit_limit_bind(rig.launch.compiler, limits[i]);
      memset(rig.output, 0, (size_t)THREADS * RIG_WORDS * 4);
      rig_run(&rig, vgpu_best_level());
      if (memcmp(rig.output, want, (size_t)THREADS * RIG_WORDS * 4) != 0) {
         rig_fail("a limit of %" PRIu64 " ns: the memory differs from the interpreter's", limits[i]);
      }
      vgpu_jit_read_statistics(rig.launch.compiler, &statistics);
      blocks[i] = statistics.blocks;
      vgpu_jit_destroy(rig.launch.compiler);
      rig.launch.compiler = NULL;
   }
   if (vgpu_jit_built() && (blocks[0] != 0 || blocks[1] > 1 || blocks[2] < 2)) {
      rig_fail("%" PRIu64 ", %" PRIu64 " and %" PRIu64 " blocks compiled before a launch", blocks[0], blocks[1],
               blocks[2]);
   }
   free(want);
   rig_finish(&rig);
}

/* ---- Code that is kept between processes ---- */

static const char *damaged; /* NULL: files are removed; else what each of them gets at its end */

static int visit_file(const char *path, const struct stat *file, int kind, struct FTW *at)
{
   (void)file, (void)at;
   if (!damaged) {
      return remove(path);
   }
   FILE *out = kind == FTW_F ? fopen(path, "r+b") : NULL;
   if (out) {
      fseek(out, -(long)strlen(damaged), SEEK_END);
      fputs(damaged, out);
      fclose(out);
   }
   return 0;
}

/* Runs the program with a compiler of its own, as another process would. Returns what that did. */
static struct vgpu_jit_statistics run_kept(struct rig *rig, const uint8_t *want, const char *what)
{
   struct vgpu_jit_statistics statistics;
   rig->launch.compiler = vgpu_jit_create(VGPU_JIT_ON, vgpu_best_level());
   vgpu_jit_limit_bind(rig->launch.compiler, UINT64_MAX);
   vgpu_jit_keep(rig->launch.compiler);
   memset(rig->output, 0, (size_t)THREADS * RIG_WORDS * 4);
   rig_run(rig, vgpu_best_level());
   if (memcmp(rig->output, want, (size_t)THREADS * RIG_WORDS * 4) != 0) {
      rig_fail("%s: the memory differs from the interpreter's", what);
   }
   vgpu_jit_read_statistics(rig->launch.compiler, &statistics);
   vgpu_jit_destroy(rig->launch.compiler);
   rig->launch.compiler = NULL;
   return statistics;
}

/* A program that differs from `mixed` in one immediate gets code of its own. */
static void check_other_kept(struct rig *rig)
{
   char *other = strdup(mixed);
   strstr(other, "200")[2] = '1';
   rig_kernel(rig, other);
   rig_run(rig, vgpu_best_level());
   uint8_t *want = malloc((size_t)THREADS * RIG_WORDS * 4);
   memcpy(want, rig->output, (size_t)THREADS * RIG_WORDS * 4);
   const struct vgpu_jit_statistics statistics = run_kept(rig, want, "another program");
   if (vgpu_jit_built() && statistics.made == 0) {
      rig_fail("another program took all of its %u functions from the cache", (unsigned)statistics.loaded);
   }
   free(want);
   free(other);
}

/* The second process compiles nothing, one that finds damaged files compiles all again, and then they are whole. */
static void check_kept(void)
{
   char folder[] = "/tmp/agx-code-XXXXXX";
   uint8_t *want = malloc((size_t)THREADS * RIG_WORDS * 4);
   struct rig rig;
   rig_init(&rig, THREADS);
   rig_fill(&rig);
   rig_kernel(&rig, mixed);
   rig_run(&rig, vgpu_best_level());
   memcpy(want, rig.output, (size_t)THREADS * RIG_WORDS * 4);
   if (!mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1) || unsetenv("AGX_RUNNER_CACHE_MIB")) {
      rig_fail("there is no folder for files");
   }
   const struct vgpu_jit_statistics first = run_kept(&rig, want, "the first process");
   const struct vgpu_jit_statistics second = run_kept(&rig, want, "the second process");
   damaged = "damaged";
   nftw(folder, visit_file, 8, FTW_PHYS);
   const struct vgpu_jit_statistics third = run_kept(&rig, want, "damaged files");
   const struct vgpu_jit_statistics last = run_kept(&rig, want, "files that were damaged");
   if (vgpu_jit_built() && (first.made == 0 || first.loaded > 0 || second.made > 0 || second.loaded != first.made ||
                            third.made != first.made || third.loaded > 0 || last.loaded != first.made)) {
      rig_fail("functions compiled and loaded: %u and %u, then %u and %u, %u and %u, %u and %u", (unsigned)first.made,
               (unsigned)first.loaded, (unsigned)second.made, (unsigned)second.loaded, (unsigned)third.made,
               (unsigned)third.loaded, (unsigned)last.made, (unsigned)last.loaded);
   }
#if defined(__x86_64__)
   if (second.opened || last.opened) {
      rig_fail("LLVM was loaded although all functions came from the cache");
   }
#endif
   check_other_kept(&rig);
   damaged = NULL;
   nftw(folder, visit_file, 8, FTW_PHYS | FTW_DEPTH);
   free(want);
   rig_finish(&rig);
}

/* ---- Code that makes room for other code ---- */

/* One of many programs; a launch of it, its result, and how many blocks were compiled by then. */
static uint64_t run_numbered(struct rig *rig, uint32_t number)
{
   struct vgpu_jit_statistics statistics;
   char body[256];
   snprintf(body, sizeof(body), "ldimm r2, %u\niadd r8, r4, r2\nxor r9, r5, r2\nimul r10, r6, r2\nmov r11, r7\n",
            1000 + number);
   rig_kernel(rig, body);
   memset(rig->output, 0, (size_t)THREADS * RIG_WORDS * 4);
   rig_run(rig, vgpu_best_level());
   for (uint32_t thread = 0; thread < THREADS; thread++) {
      const uint32_t *in = rig_in(rig, thread), *out = rig_out(rig, thread);
      if (out[0] != in[0] + 1000 + number || out[1] != (in[1] ^ (1000 + number)) || out[2] != in[2] * (1000 + number) ||
          out[3] != in[3]) {
         rig_fail("program %u, thread %u: a wrong result", number, thread);
         break;
      }
   }
   vgpu_jit_read_statistics(rig->launch.compiler, &statistics);
   return statistics.blocks;
}

#define PROGRAMS (24u / EVERY(3))

/* There is room for four programs. All are compiled: the first one, which runs again and again, once, and another one
 * anew when it is back. */
static void check_full(struct rig *rig, uint32_t blocks, uint32_t instructions)
{
   unsigned long executable[PROGRAMS];
   struct vgpu_jit_statistics statistics;
   rig->launch.compiler = vgpu_jit_create(VGPU_JIT_ON, vgpu_best_level());
   vgpu_jit_limit(rig->launch.compiler, blocks, instructions);
   for (uint32_t i = 0; i < PROGRAMS; i++) {
      const uint64_t compiled = run_numbered(rig, i);
      if (compiled != i + 1) {
         rig_fail("%u blocks and %u instructions: %u compiled after program %u", blocks, instructions,
                  (unsigned)compiled, i);
      }
      if (run_numbered(rig, 0) != compiled) {
         rig_fail("%u blocks and %u instructions: a program in use was compiled again", blocks, instructions);
      }
      executable[i] = read_pages().executable;
   }
   if (executable[PROGRAMS - 1] > executable[3]) {
      rig_fail("%lu bytes of code after four programs, %lu after %u", executable[3], executable[PROGRAMS - 1],
               PROGRAMS);
   }
   if (run_numbered(rig, 1) != PROGRAMS + 1) {
      rig_fail("%u blocks and %u instructions: an old program was not compiled again", blocks, instructions);
   }
   vgpu_jit_read_statistics(rig->launch.compiler, &statistics);
   if (statistics.freed < PROGRAMS - 3 || statistics.refused > 0) {
      rig_fail("%u blocks freed, %u refused: %s", (unsigned)statistics.freed, (unsigned)statistics.refused,
               statistics.reason);
   }
   vgpu_jit_destroy(rig->launch.compiler);
   rig->launch.compiler = NULL;
}

static void check_room(void)
{
   struct rig rig;
   struct vgpu_jit_statistics one, none;
   rig_init(&rig, THREADS);
   rig_fill(&rig);
   rig.launch.compiler = vgpu_jit_create(VGPU_JIT_ON, vgpu_best_level());
   run_numbered(&rig, 0);
   vgpu_jit_read_statistics(rig.launch.compiler, &one);
   vgpu_jit_destroy(rig.launch.compiler);
   if (vgpu_jit_built()) {
      check_full(&rig, 4, 1000000);
      check_full(&rig, 1000, 4 * (uint32_t)one.instructions);
      /* None but a part of a program in use. */
      rig.launch.compiler = vgpu_jit_create(VGPU_JIT_ON, vgpu_best_level());
      vgpu_jit_limit(rig.launch.compiler, 4, (uint32_t)one.instructions - 1);
      run_numbered(&rig, 0);
      vgpu_jit_read_statistics(rig.launch.compiler, &none);
      if (none.instructions >= one.instructions || none.refused == 0) {
         rig_fail("%u instructions compiled past the limit", (unsigned)none.instructions);
      }
      vgpu_jit_destroy(rig.launch.compiler);
   }
   rig_finish(&rig);
}

/* Two instructions without code in each of the program's simdgroups, and what runs before anything is compiled. */
static void check_interpreted(void)
{
   static const enum vgpu_jit_mode modes[] = {VGPU_JIT_ON, VGPU_JIT_AUTO};
   for (size_t i = 0; i < ARRAY_COUNT(modes); i++) {
      struct rig rig;
      struct vgpu_jit_statistics statistics;
      rig_init(&rig, THREADS);
      rig_fill(&rig);
      rig_kernel(&rig, "iadd r10, r4, r5\niadd r11, r4, r6\nsinr r8, r4\nsinr r9, r5");
      run(&rig, modes[i], 1, &statistics);
      const uint64_t simds = THREADS / 32, want = modes[i] == VGPU_JIT_ON ? 2 * simds : 0;
      const bool waits = statistics.interpreted.waiting > 4 * simds;
      if (vgpu_jit_built() && (statistics.interpreted.ops[ISA_OP_SIN_PT_1] != want || waits != (want == 0) ||
                               statistics.executed != rig.outcome.instructions)) {
         rig_fail("%" PRIu64 " of sinr interpreted, %" PRIu64 " instructions in blocks without code, of %" PRIu64,
                  statistics.interpreted.ops[ISA_OP_SIN_PT_1], statistics.interpreted.waiting, statistics.executed);
      }
      rig_finish(&rig);
   }
}

int main(void)
{
   check_interpreted();
   check_program(mixed, THREADS);
   check_program(loop, THREADS);
   check_program(passes, THREADS);
   check_program(memory, THREADS / 4);
   check_program(straight, THREADS);
   check_program(straight, THREADS - 300); /* the last threadgroup is smaller, and its last simdgroup not full */
   check_program(stale, THREADS);
   check_zeroed();
   check_positions();
   check_consecutive();
   check_additions(additions);
   check_additions(read_back);
   check_streams();
   check_auto();
   check_work();
   check_bind_limit();
   check_room();
   check_kept();
   rig_cases(&constants, 1, THREADS, fill_normal);
   return rig_result();
}
