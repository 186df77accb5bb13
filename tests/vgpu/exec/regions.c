/* SPDX-License-Identifier: MIT
 *
 * Random programs with branches, loops, barriers, and instructions that only the interpreter has: compiled as regions
 * of blocks, they leave the same memory and the same counts as interpreted, at each level of the host.
 *
 * exec_regions [SEED [COUNT]]: COUNT programs from that seed on. The test runs a few; for more, give a number.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vgpu/exec/rig.h"
#include "util/array.h"
#include "vgpu/jit/jit.h"

#define THREADS 512u
#define GROUP 256u
#define BYTES ((size_t)THREADS * RIG_WORDS * 4)
#define TEXT 16384u
#define MOST_STATEMENTS 40u

/* ---- Programs. Values are in r8 to r15; r1: the thread; r2: its first output word; r3: a constant; r16 and r17: for
 * addresses; r20 to r23: counters of loops, by depth; r24: the thread's place in threadgroup memory. ---- */

struct program {
   char text[TEXT];
   size_t used;
   unsigned labels, statements;
};

static void add(struct program *program, const char *line)
{
   program->used += (size_t)snprintf(program->text + program->used, TEXT - program->used, "%s\n", line);
}

static unsigned value(void)
{
   return 8 + rig_random() % 8;
}

static const char *condition(void)
{
   static const char *const conditions[] = {"ieq", "ine", "ult", "ugt", "slt", "sgt"};
   return conditions[rig_random() % ARRAY_COUNT(conditions)];
}

/* %1$u to %3$u: values. */
static const char *const operations[] = {
    "iadd r%1$u, r%2$u, r%3$u",
    "imul r%1$u, r%2$u, r%3$u",
    "xor r%1$u, r%2$u, r%3$u",
    "shr r%1$u, r%2$u, 3",
    "fadd r%1$u, r%2$u, r%3$u",
    "fmul r%1$u, r%2$u, r%3$u",
    "ffma r%1$u, r%2$u, r%3$u, r%1$u",
    "hadd r%1$ul, r%2$uh, r%3$ul",
    "iadd r%1$uh, r%2$ul, r%3$uh",
    "u32_to_f r%1$u, r%2$u, rte",
    "rcp r%1$u, r%2$u",
    "shuffle r%1$u, r%2$u, 1, xor",
    "shuffle r%1$u, r%2$u, r%3$ul",
    "and r16, r%2$u, r3\nload r%1$u, du0, r16, i32, x, a\nwait a",
    "load r%1$u, du0, r1, i32, x, a\nwait a",
    /* words that are the same in all lanes, or count */
    "ldimm r%1$u, 77",
    "load r%1$u, du0, 5, i32, x, a\nwait a",
    "mov r%1$u, threadgroup_in_grid_x\niadd r16, r%1$u, 3\nload r%1$u, du0, r16, i32, x, a\nwait a",
    "mov r%1$u, thread_index_in_simdgroup",
    "mov r16, simdgroup_index_in_threadgroup\nimadd r%1$u, r16, r3, r%3$u",
    "simd r%1$u, r%2$u, iadd",
    "u32_to_f r16, r%2$u, rte\nexp2 r%1$u, r16\nlog2 r16l, r%2$u\nxor r%1$u, r%1$u, r16l",
    "and r16, r%2$u, 127\nload r18_r19, du0, r16, lsl 1, i32, xy, a\nwait a\nxor r%1$u, r18, r19",
    "iadd r16, r2, 1\nstore r%1$u, du2, r16, i32, x, a",
    "store r%2$u, du2, r2, i32, x, a\nload r%1$u, du2, r2, i32, x, a\nwait a",
    "lstore r%2$u, r24l, 0, i32, x\nlload r%1$u, r24l, 0, i32, x",
    "shl r16, r24, 16\nlstore r%2$u, r16h, 0, i32, x\nlload r%1$u, r16h, 0, i32, x",
    "stack_store r%2$u, 8, i32, x, a\nstack_load r%1$u, 8, i32, x, a\nwait a",
    ("and r16, r%3$u, 60\nstack_store r%2$u, r16, i32, x, a\nstack_load r18_r19, r16, i32, xy, a\nwait a\n"
     "xor r%1$u, r18, r19"),
    "stack_store r12_r13_r14, 20, i32, xyz, a\nand r16, r%3$u, 31\nstack_load r%1$u, r16, i16, x, a\nwait a",
};

static void operation(struct program *program)
{
   char line[256];
   snprintf(line, sizeof(line), operations[rig_random() % ARRAY_COUNT(operations)], value(), value(), value());
   add(program, line);
}

static void statements(struct program *program, unsigned depth, unsigned loops, bool uniform);

/* Also with a jump over a branch that no lane takes. */
static void branch(struct program *program, unsigned depth, unsigned loops)
{
   char line[128];
   const unsigned label = program->labels++, jumps = rig_random() % 2;
   snprintf(line, sizeof(line), "if r%u, r%u, 1, %s", value(), value(), condition());
   add(program, line);
   if (jumps) {
      snprintf(line, sizeof(line), "jmp_none skip%u", label);
      add(program, line);
   }
   statements(program, depth + 1, loops, false);
   if (jumps) {
      snprintf(line, sizeof(line), "skip%u:", label);
      add(program, line);
   }
   if (rig_random() % 2) {
      add(program, "else 0.0, 0.0, 1, feq");
      statements(program, depth + 1, loops, false);
   }
   add(program, "pop_exec 1");
}

/* Whole simdgroups have no lane in the branch. Sometimes lanes come to it that are to be off behind its end, because
 * the program has written their depth. */
static void whole_branch(struct program *program, unsigned depth, unsigned loops)
{
   char line[256];
   const unsigned label = program->labels++;
   snprintf(line, sizeof(line), "ldimm r17, %u\nldimm r0l, %u\njmp_none whole%u\nwhole%u:\nif r24, r17, 1, ult",
            rig_random() % 9 * 128, rig_random() % 2, label, label);
   add(program, line);
   if (rig_random() % 2) {
      operation(program);
   } else {
      branch(program, depth + 1, loops);
   }
   if (rig_random() % 2) {
      for (unsigned i = 0; i < 4; i++) {
         operation(program);
      }
      add(program, "else 0.0, 0.0, 1, feq");
      operation(program);
   }
   add(program, "pop_exec 1");
   operation(program);
   add(program, "pop_exec 1");
}

/* Each lane runs it a number of times of its own, or all the same number. A lane that leaves keeps its values. */
static void loop(struct program *program, unsigned depth, unsigned loops, bool uniform)
{
   char line[128];
   const unsigned label = program->labels++, counter = 20 + loops;
   const bool same = uniform && rig_random() % 2;
   snprintf(line, sizeof(line), "if 0.0, 0.0, 1, feq\nldimm r%u, %u", counter, rig_random() % 4);
   add(program, line);
   if (!same) {
      snprintf(line, sizeof(line), "and r%u, r%u, 7", counter, value());
      add(program, line);
   }
   snprintf(line, sizeof(line), "top%u:", label);
   add(program, line);
   statements(program, depth + 1, loops + 1, same);
   snprintf(line, sizeof(line), "iadd r%u, r%u, 1\nwhile r%u, 9, 1, ult\njmp_any top%u\npop_exec 1", counter, counter,
            counter, label);
   add(program, line);
}

/* What the other simdgroups have stored, between two barriers. */
static void exchange(struct program *program)
{
   char line[256];
   snprintf(line, sizeof(line),
            "barrier\nlstore r%u, r24l, 0, i32, x\nbarrier\nxor r17, r24, 0x%x\nlload r%u, r17l, 0, i32, x\nbarrier",
            value(), 4u << rig_random() % 6, value());
   add(program, line);
}

static void statements(struct program *program, unsigned depth, unsigned loops, bool uniform)
{
   for (unsigned left = 1 + rig_random() % 4; left > 0; left--) {
      const unsigned kind = program->statements++ < MOST_STATEMENTS && depth < 4 ? rig_random() % 9 : 8;
      if (kind == 0) {
         branch(program, depth, loops);
      } else if (kind == 1 && loops < 3) {
         loop(program, depth, loops, uniform);
      } else if (kind == 2 && uniform) {
         exchange(program);
      } else if (kind == 3) {
         whole_branch(program, depth, loops);
      } else {
         operation(program);
      }
   }
}

static void begin(struct program *program)
{
   program->used = program->labels = program->statements = 0;
   add(program, "stack_adjust 18\nldimm r0l, 0\nldimm r3, 1023\nshl r2, r1, 2\nmov r24, thread_in_threadgroup_x\nshl "
                "r24, r24, 2\n"
                "mov r12, r4\nmov r13, r5\nmov r14, r6\nmov r15, r7\nmov r8, r1\nmov r9, r7\nmov r10, r5\nmov r11, r6");
}

static void generate(struct program *program)
{
   begin(program);
   while (program->statements < MOST_STATEMENTS / 2) {
      statements(program, 0, 0, true);
   }
   add(program, "xor r8, r8, r12\nxor r9, r9, r13\nxor r10, r10, r14\nxor r11, r11, r15");
}

#define COPIES 6u

/* The same in blocks one behind the other, as of an unrolled loop, with other registers each time: their order is
 * turned. All lanes of a simdgroup run every second one of them, or none. */
static void generate_copies(struct program *program)
{
   struct {
      const char *operation;
      unsigned values[3];
   } body[6];
   char line[256];
   begin(program);
   for (unsigned i = 0; i < ARRAY_COUNT(body); i++) {
      body[i].operation = operations[rig_random() % ARRAY_COUNT(operations)];
      for (unsigned n = 0; n < 3; n++) {
         body[i].values[n] = value();
      }
   }
   for (unsigned copy = 0; copy < COPIES; copy++) {
      const unsigned pair = 26 + 2 * (copy % 3), first = 20 + copy % 3;
#define TURNED(value) (8 + ((value) + copy) % 8)
      snprintf(line, sizeof(line), "ldimm r17, %u\nif r%u, r17, 1, ult\njmp_none copy%u", 256 + 128 * (copy % 3),
               copy % 2 ? 24 : TURNED(8), copy);
      add(program, line);
      for (unsigned i = 0; i < ARRAY_COUNT(body); i++) {
         snprintf(line, sizeof(line), body[i].operation, TURNED(body[i].values[0]), TURNED(body[i].values[1]),
                  TURNED(body[i].values[2]));
         add(program, line);
      }
      /* registers one behind the other, and halves of others */
      snprintf(line, sizeof(line),
               "and r16, r%u, 127\nload r%u_r%u, du0, r16, lsl 1, i32, xy, a\nload r%uh_r%ul, du0, r16, i16, xy, a\n"
               "wait a\nxor r%u, r%u, r%u\niadd r%u, r%u, r%u",
               TURNED(9), pair, pair + 1, first, first + 1, TURNED(10), pair, pair + 1, TURNED(11), TURNED(11), first);
      add(program, line);
      snprintf(line, sizeof(line), "copy%u:\npop_exec 1\njmp_none next%u\nnext%u:", copy, copy, copy);
      add(program, line);
   }
   add(program, "xor r8, r8, r12\nxor r9, r9, r13\nxor r10, r10, r14\nxor r11, r11, r15");
}

/* Puts what r{index} selects of `first` to `end` values into r{to}, or tells where it is: a value, or a number. */
static void selection(struct program *program, unsigned index, unsigned first, unsigned end, unsigned to, char name[8])
{
   char line[128], less[8], more[8];
   if (end - first == 1) {
      const bool is_value = rig_random() % 4 != 0;
      snprintf(name, 8, is_value ? "r%u" : "%u", is_value ? value() : rig_random() % 128);
      return;
   }
   const unsigned middle = first + (end - first + rig_random() % 2) / 2;
   selection(program, index, first, middle, to, less);
   if (end - first == 12) { /* what was selected changes */
      add(program, "and r26, r9, 127\nload r13, du0, r26, i32, x, a\nwait a");
   }
   selection(program, index, middle, end, to + 1, more);
   snprintf(line, sizeof(line), "csel r%u, r%u, %u, %s, %s, slt", to, index, middle, less, more);
   add(program, line);
   snprintf(name, 8, "r%u", to);
}

/* Selections by a loop's counter, which is the same in all lanes or not, and by numbers that follow from it. */
static void generate_selections(struct program *program, bool same)
{
   char line[256], name[8];
   program->used = 0;
   snprintf(line, sizeof(line),
            "ldimm r0l, 0\nmov r8, r1\nmov r9, r7\nmov r10, r5\nmov r11, r6\nmov r12, r4\nmov r13, r5\nmov r14, r6\n"
            "mov r15, r7\nif 0.0, 0.0, 1, feq\n%s\niadd r20, r20.sx, 3.neg\ntop:",
            same ? "ldimm r20, 0" : "and r20, r1, 1");
   add(program, line);
   for (unsigned i = 0; i < 4; i++) {
      snprintf(line, sizeof(line), i ? "iadd r25, r20, %u\nand r25, r25, 15" : "iadd r25, r20, %u", i * 3);
      add(program, line);
      selection(program, 25, 0, i ? 12 : 16, 27, name);
      snprintf(line, sizeof(line), i == 3 ? "and r26, r9, 15\nxor r%u, %s, r26" : "mov r%u, %s", 16 + i, name);
      add(program, line);
   }
   selection(program, 26, 0, 9, 27, name); /* an index that differs */
   snprintf(line, sizeof(line),
            "xor r8, r8, %s\niadd r9, r9, r16\nxor r10, r17, r8\niadd r11, r11, r18\nxor r12, r19, r12\n"
            "if r4, r5, 1, ult\nxor r8, r8, 7\npop_exec 1\n"
            "iadd r20, r20, 1\nwhile r20, 70, 1, slt\njmp_any top\npop_exec 1\nxor r8, r8, r12",
            name);
   add(program, line);
}

/* The sum of a threadgroup's first input words, by halves: threads whose half has ended wait at barriers. The first one
 * leaves the sum in its first output word. Bases are in both halves of registers. */
static void generate_sum(struct program *program)
{
   char line[256];
   program->used = 0;
   add(program, "ldimm r0l, 0\nmov r25, thread_in_threadgroup_x\nshl r24, r25, 2\nlstore r4, r24l, 0, i32, x\nbarrier");
   for (unsigned half = GROUP / 2; half > 0; half /= 2) {
      add(program, half > 64 ? "ldimm r17, 128\njmp_none half\nhalf:" : "");
      snprintf(line, sizeof(line),
               "if r25, %s%u, 1, ult\nldimm r16, %u\niadd r16, r24, r16\nshl r18, r24, 16\nlload r9, r16l, 0, i32, x\n"
               "lload r10, r18h, 0, i32, x\niadd r9, r9, r10\nlstore r9, r18h, 0, i32, x\npop_exec 1\nbarrier",
               half > 64 ? "r" : "", half > 64 ? 17 : half, 4 * half);
      add(program, line);
   }
   add(program,
       "shl r16, r24, 16\nif r25, 1, 1, ult\nlload r8, r16h, 0, i32, x\nlload r9, r24l, 0, i32, x\npop_exec 1");
}

/* ---- Both ways ---- */

static void check(struct rig *rig, const struct vgpu_level *level, struct vgpu_compiler *compiler, uint8_t *want,
                  uint32_t seed, const char *text)
{
   rig->launch.compiler = NULL;
   memset(rig->output, 0, BYTES);
   rig_run(rig, level);
   memcpy(want, rig->output, BYTES);
   const uint64_t counts[2] = {rig->outcome.instructions, rig->outcome.thread_instructions};
   rig->launch.compiler = compiler;
   memset(rig->output, 0, BYTES);
   rig_run(rig, level);
   if (memcmp(rig->output, want, BYTES) != 0) {
      rig_fail("seed %" PRIu32 ", %s: the memory differs from the interpreter's\n%s", seed, level->name, text);
   }
   if (rig->outcome.instructions != counts[0] || rig->outcome.thread_instructions != counts[1]) {
      rig_fail("seed %" PRIu32 ", %s: %" PRIu64 " and %" PRIu64 " instructions, not %" PRIu64 " and %" PRIu64 "\n%s",
               seed, level->name, rig->outcome.instructions, rig->outcome.thread_instructions, counts[0], counts[1],
               text);
   }
   rig->launch.compiler = NULL;
}

static void check_sums(const struct rig *rig, const struct vgpu_level *level)
{
   const uint32_t *input = (const uint32_t *)(const void *)rig->input,
                  *output = (const uint32_t *)(const void *)rig->output;
   for (uint32_t first = 0; first < THREADS; first += GROUP) {
      uint32_t sum = 0;
      for (uint32_t thread = 0; thread < GROUP; thread++) {
         sum += input[(first + thread) * RIG_WORDS];
      }
      for (unsigned word = 0; word < 2; word++) {
         if (output[first * RIG_WORDS + word] != sum) {
            rig_fail("%s: the sum of threadgroup %" PRIu32 " is 0x%08" PRIx32 ", not 0x%08" PRIx32, level->name,
                     first / GROUP, output[first * RIG_WORDS + word], sum);
         }
      }
   }
}

/* Number 0 is the sum. */
static void check_programs(const struct vgpu_level *level, uint32_t seed, uint32_t count)
{
   struct vgpu_compiler *compiler = vgpu_jit_create(VGPU_JIT_ON, level);
   struct program *program = malloc(sizeof(*program));
   uint8_t *want = malloc(BYTES);
   vgpu_jit_limit_bind(compiler, UINT64_MAX);
   for (uint32_t i = 0; program && want && i <= 2 * count + 6; i++) {
      struct rig rig;
      rig_init(&rig, THREADS);
      rig.launch.group[0] = GROUP;
      rig.launch.threadgroup_bytes = GROUP * 4;
      rig.launch.scratch_words = 64;
      rig.launch.spill_bucket = 4;
      rig_seed(seed + i - 1);
      rig_fill(&rig);
      if (i > 2 * count) {
         generate_selections(program, i % 2);
      } else if (i > count) {
         generate_copies(program);
      } else {
         (i ? generate : generate_sum)(program);
      }
      rig_kernel(&rig, program->text);
      check(&rig, level, compiler, want, seed + i - 1, program->text);
      if (i == 0) {
         check_sums(&rig, level);
      }
      rig_finish(&rig);
   }
   struct vgpu_jit_statistics statistics;
   vgpu_jit_read_statistics(compiler, &statistics);
   if (compiler && strcmp(level->name, "plain") != 0 && (statistics.refused > 0 || statistics.regions == 0)) {
      rig_fail("%s: %u regions compiled: %s", level->name, (unsigned)statistics.regions, statistics.reason);
   }
   /* A copy has a block with code of both kinds and one of each kind; the first one's do for all, but for the blocks
    * around a change of the value that the branch tests. */
   if (compiler && strcmp(level->name, "plain") != 0 && statistics.shared < (uint64_t)count * (COPIES - 1)) {
      rig_fail("%s: %u parts have the code of others", level->name, (unsigned)statistics.shared);
   }
   vgpu_jit_destroy(compiler);
   free(program);
   free(want);
}

int main(int argc, char **argv)
{
   const uint32_t seed = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1;
   const uint32_t count = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 3;
   for (size_t level = 0; level < vgpu_level_count; level++) {
      if (vgpu_levels[level].usable() && strcmp(vgpu_levels[level].name, "plain") != 0) {
         check_programs(&vgpu_levels[level], seed, count);
      }
   }
   return rig_result();
}
