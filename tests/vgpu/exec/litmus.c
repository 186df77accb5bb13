/* SPDX-License-Identifier: MIT
 *
 * Memory order between threadgroups on two host threads: message passing, store buffering, and independent reads of
 * independent writes. Each threadgroup is one thread in a loop; variables hold the round's number, so that the loops
 * need not run in step: what a round must see follows from the numbers that others saw.
 *
 * litmus ROUNDS: of all three together.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vgpu/exec/rig.h"

#define RECORDS UINT64_C(0x1700000000) /* in du4 */
/* Words of the shared variables, each on cache lines of its own. */
#define X 64
#define Y 128
#define UNUSED(group) (256 + 64 * (group))

/* A threadgroup: what it stores to, then loads from; its words in r4..r7. */
struct role {
   uint32_t store, first, second, records;
};

/* Counts itself in and waits for the others; the loop from round 1 on; r8 is the round. */
#define PROLOGUE                                                                                                       \
   "mov r2, sr0\nload r4_r5_r6_r7, du0, r2, lsl 2, i32, xyzw, a\nldimm r3, 1\natomic _, r3, du2, 0, add, a\n"          \
   "ldimm r0l, 0\nwait a\nldimm r3, %u\n"                                                                              \
   "start: load r9, du2, 0, i32, x, a\nwait a\nwhile r9, r3, 1, ult\njmp_any start\npop_exec 1\n"                      \
   "ldimm r8, 1\nldimm r3, %u\ntop: "
#define EPILOGUE "iadd r7, r7, 1\niadd r8, r8, 1\nwhile r8, r3, 1, ult\njmp_any top\npop_exec 1\nstop\n"

/* Both store to their own variable, then load the other's. Two rounds may not both miss the other's store. */
static const char store_buffering[] = PROLOGUE "store r8, du2, r4, i32, x, a\nmemory_barrier\n"
                                               "load r9, du2, r5, i32, x, a\nwait a\n"
                                               "store r9, du4, r7, i32, x, a\n" EPILOGUE;

static unsigned check_store_buffering(const uint32_t *seen[], uint32_t rounds)
{
   unsigned wrong = 0;
   for (uint32_t i = 1; i < rounds; i++) {
      uint32_t missed = seen[0][i - 1] + 1; /* the first of the other's stores that round i did not see */
      wrong += missed < rounds && seen[1][missed - 1] < i;
   }
   return wrong;
}

/* The first stores data, then the flag, atomically; the second loads the flag, then data. Records: r9 flag, r10 data,
 * whose order must not be the other way round. */
static const char message_passing[] =
    PROLOGUE "if r2, 0, 1, ieq\njmp_none reader\n"
             "store r8, du2, r4, i32, x, a\nmemory_barrier\natomic _, r8, du2, r5, xchg, a\n"
             "reader: else 0.0, 0.0, 1, feq\njmp_none done\n"
             "load r9, du2, r4, i32, x, a\nwait a\nmemory_barrier\nload r10, du2, r5, i32, x, a\nwait a\n"
             "iadd r11, r10, r9.neg\nstore r11, du4, r7, i32, x, a\n"
             "done: pop_exec 1\n" EPILOGUE;

static unsigned check_message_passing(const uint32_t *seen[], uint32_t rounds)
{
   unsigned wrong = 0;
   for (uint32_t i = 1; i < rounds; i++) {
      wrong += (int32_t)seen[1][i - 1] < 0;
   }
   return wrong;
}

/* Two store to a variable each; two others load both, in opposite orders. They may not disagree on which store came
 * first. Records: two words a round. All four run the same instructions, with an unused word where they have no part.
 */
static const char independent_reads[] =
    PROLOGUE "store r8, du2, r4, i32, x, a\nload r9, du2, r5, i32, x, a\nwait a\nmemory_barrier\n"
             "load r10, du2, r6, i32, x, a\nwait a\n"
             "store r9_r10, du4, r7, lsl 1, i32, xy, a\n" EPILOGUE;

static unsigned check_independent_reads(const uint32_t *seen[], uint32_t rounds)
{
   unsigned wrong = 0;
   const uint32_t *a = seen[1], *b = seen[3]; /* x then y; y then x */
   uint32_t j = 0;
   for (uint32_t i = 0; i < rounds - 1; i++) {
      uint32_t x = a[2 * i], y = a[2 * i + 1];
      while (j < rounds - 1 && b[2 * j] <= y) { /* both readers' values only grow */
         j++;
      }
      wrong += j < rounds - 1 && b[2 * j + 1] < x;
   }
   return wrong;
}

static const struct litmus {
   const char *name, *text;
   uint32_t groups, words; /* threadgroups; words of a record */
   struct role roles[4];
   unsigned (*check)(const uint32_t *seen[], uint32_t rounds);
} litmuses[] = {
    {"store buffering", store_buffering, 2, 1, {{X, Y, 0, 0}, {Y, X, 0, 0}}, check_store_buffering},
    {"message passing", message_passing, 2, 1, {{X, Y, 0, 0}, {Y, X, 0, 0}}, check_message_passing},
    {"independent reads of independent writes",
     independent_reads,
     4,
     2,
     {{X, UNUSED(0), UNUSED(0), 0}, {UNUSED(1), X, Y, 0}, {Y, UNUSED(2), UNUSED(2), 0}, {UNUSED(3), Y, X, 0}},
     check_independent_reads},
};
#define LITMUS_COUNT (sizeof(litmuses) / sizeof(litmuses[0]))

/* How often a round saw another number than the one before: whether the two host threads ran at the same time. */
static uint32_t changes(const uint32_t *seen, uint32_t words, uint32_t rounds)
{
   uint32_t count = 0;
   for (uint32_t i = 1; i < rounds - 1; i++) {
      count += seen[i * words] != seen[(i - 1) * words];
   }
   return count;
}

static uint32_t run(const struct litmus *litmus, const struct vgpu_level *level, uint32_t rounds)
{
   struct rig rig;
   char text[2048];
   rig_init(&rig, 256);
   size_t words = (size_t)rounds * litmus->words;
   uint32_t *records = (uint32_t *)(void *)flat_vm_map(&rig.vm, RECORDS, words * litmus->groups * sizeof(uint32_t),
                                                       VGPU_READ | VGPU_WRITE);
   uint64_t base = RECORDS;
   memcpy(rig.launch.uniforms + 8, &base, sizeof(base));
   rig.launch.grid[0] = litmus->groups;
   rig.launch.group[0] = 1;
   rig.launch.threads = 2;
   const uint32_t *seen[4];
   for (uint32_t group = 0; group < litmus->groups; group++) {
      struct role role = litmus->roles[group];
      role.records = group * rounds;
      memcpy(rig.input + group * sizeof(role), &role, sizeof(role));
      seen[group] = records + group * words;
   }
   snprintf(text, sizeof(text), litmus->text, litmus->groups, rounds);
   rig_program(&rig, text);
   rig_run(&rig, level);
   unsigned wrong = litmus->check(seen, rounds);
   uint32_t seen_changes = changes(seen[1] + litmus->words - 1, litmus->words, rounds);
   printf("%s, level %s: %u rounds, %u saw a new value, %u wrong\n", litmus->name, level->name, rounds, seen_changes,
          wrong);
   if (wrong) {
      rig_fail("%s: %u of %u rounds saw what memory barriers rule out", litmus->name, wrong, rounds);
   }
   rig_finish(&rig);
   return seen_changes;
}

/* A busy machine runs the host threads one after the other: then a launch shows nothing and is repeated. */
#define ENOUGH_CHANGES 1000u
#define MOST_LAUNCHES 50u

int main(int argc, char **argv)
{
   uint32_t rounds = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) / LITMUS_COUNT : 100000;
   bool shown = true;
   for (size_t i = 0; i < LITMUS_COUNT; i++) {
      uint32_t seen = 0;
      for (unsigned n = 0; n < MOST_LAUNCHES && seen < ENOUGH_CHANGES; n++) {
         seen += run(&litmuses[i], vgpu_best_level(), rounds);
      }
      shown = shown && seen >= ENOUGH_CHANGES;
   }
   if (!rig_failures && !shown) {
      printf("the host threads hardly ever ran at the same time: too little was tested\n");
      return 77;
   }
   return rig_result();
}
