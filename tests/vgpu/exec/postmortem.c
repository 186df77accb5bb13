/* SPDX-License-Identifier: MIT
 *
 * The post-mortem of launches that do not end or that fault: by the interpreter and from compiled blocks, with one host
 * thread and with several, it says the same. Expected values are those that the programs below compute by hand.
 */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "tests/vgpu/exec/rig.h"
#include "vgpu/jit/jit.h"
#include "vgpu/postmortem.h"

#define BUDGET 200000u
#define TEXT_BYTES 8192u

struct text {
   char bytes[TEXT_BYTES];
   size_t used;
};

static void add_line(void *data, const char *line)
{
   struct text *text = data;
   const int length = snprintf(text->bytes + text->used, sizeof(text->bytes) - text->used, "%s\n", line);
   text->used += length > 0 && (size_t)length < sizeof(text->bytes) - text->used ? (size_t)length : 0;
}

struct hang {
   const char *what, *program;
   uint32_t threads, group;
   bool hard;             /* accesses to unmapped memory are faults */
   bool counts;           /* it says how often something was done, which depends on the budget's end */
   const char *lines[14]; /* that the text must have, NULL at the end */
   const char *never;     /* words that it must not have; NULL: none */
};

static const struct hang hangs[] = {
    {"all lanes wait for a word",
     "mov r1, sr80\nldimm r0l, 0\ntop: load r4, du0, 0, i32, x, a\nwait a\nwhile r4, 0, 1, ieq\njmp_any top\n"
     "pop_exec 1\nstop\n",
     64,
     64,
     false,
     false,
     {"0 of 1 threadgroups of the program at 0x1100000000 had ended. The first that had not:",
      "  threadgroup 0,0,0, simdgroups 0-1: all lanes are active", "    run at main + 0x8: load r4, du0, 0, i32, x, a",
      "    in the loop from main + 0x8 to main + 0x18",
      "    a lane leaves it when r4 != 0: main + 0x12: while r4, 0, 1, ieq",
      "      r4 = 0 in each active lane; the same in each pass",
      "         it comes from 0x1500000000, by main + 0x8: load r4, du0, 0, i32, x, a"},
     "left it"},
    {"one lane of many",
     "mov r1, sr80\nldimm r0l, 0\nldimm r4, 40\ntop: iadd r4, r4, 0\nwhile r1, 37, 1, ieq\njmp_any top\n"
     "pop_exec 1\nstop\n",
     64,
     64,
     false,
     false,
     {"  threadgroup 0,0,0, simdgroup 1: lane 5 is active",
      "    a lane leaves it when r1 != 37: main + 0x16: while r1, 37, 1, ieq",
      "      r1 = 37 in lane 5; the same in each pass",
      "    lanes 0-4, 6-31 left it or took another way in it, and cannot go on before the active lanes leave it: the "
      "lanes of a simdgroup share one program counter"},
     "simdgroup 0"},
    {"one threadgroup of many",
     "mov r1, sr0\nldimm r0l, 0\ntop: iadd r4, r4, 1\nwhile r1, 77, 1, ieq\njmp_any top\npop_exec 1\nstop\n",
     32 * 200,
     32,
     false,
     false,
     {"  threadgroup 77,0,0, simdgroup 0: all lanes are active",
      "      r1 = 77 in each active lane; the same in each pass"},
     "threadgroup 76"},
    {"a spin lock in a simdgroup",
     "ldimm r0l, 0\ntop: ldimm r4, 1\natomic r4, r4, du2, 0, xchg, a\nwait a\nwhile r4, 0, 1, ine\njmp_any top\n"
     "pop_exec 1\nldimm r4, 0\nstore r4, du2, 0, i32, x, a\nstop\n",
     32,
     32,
     false,
     false,
     {"  threadgroup 0,0,0, simdgroup 0: lanes 1-31 are active",
      "    a lane leaves it when r4 == 0: main + 0x14: while r4, 0, 1, ine",
      "      r4 = 1 in each active lane; the same in each pass",
      "         it comes from 0x1600000000, by main + 0xa: atomic r4, r4, du2, 0, xchg, a"},
     "lanes 0"},
    {"a counter that misses its end",
     "ldimm r0l, 0\nldimm r4, 0\ntop: iadd r4, r4, 2\nwhile r4, 7, 1, ine\njmp_any top\npop_exec 1\nstop\n",
     32,
     32,
     false,
     true,
     {"    a lane leaves it when r4 == 7: main + 0x12: while r4, 7, 1, ine", "other values in earlier passes",
      "         it comes from main + 0xa: iadd r4, r4, 2"},
     "the same in each pass"},
    {"a jump to itself",
     "top: jmp_any top\nstop\n",
     64,
     32,
     false,
     false,
     {"  threadgroup 0,0,0, simdgroup 0: all lanes are active", "    in the loop from main + 0x0 to main + 0x0",
      "    no comparison in it takes a lane out of it", "  threadgroup 1,0,0, simdgroup 0: all lanes are active"},
     "a lane leaves"},
    {"a loop in a loop that ends, and a break under a condition",
     "ldimm r0l, 0\nldimm r8, 3\nouter: ldimm r4, 0\nif 0, 0, 1, ieq\ninner: iadd r4, r4, 1\nwhile r4, 5, 1, ult\n"
     "jmp_any inner\npop_exec 1\nif r8, 4, 1, ieq\nldimm r0l, 2\npop_exec 0\npop_exec 1\njmp_any outer\npop_exec "
     "1\nstop\n",
     32,
     32,
     false,
     false,
     {"    a lane leaves it when r8 == 4: main + 0x30: if r8, 4, 1, ieq",
      "      r8 = 3 in each active lane; the same in each pass"},
     "r4 >="},
    {"a barrier that half of the simdgroups reach",
     "mov r1, sr53\nldimm r0l, 0\nif r1, 2, 1, ult\njmp_none behind\nbarrier\nbehind: pop_exec 1\nstop\n",
     128,
     128,
     false,
     false,
     {"  threadgroup 0,0,0, simdgroups 0-1: all lanes are active", "    wait at main + 0x14: barrier",
      "  simdgroups 0-1 of this threadgroup wait at a barrier that simdgroups 2-3 did not reach: they have ended"},
     "loop"},
    {"a barrier that the others do not come to, because they loop",
     "mov r1, sr53\nldimm r0l, 0\ntop: while r1, 0, 1, ine\njmp_any top\nbarrier\nstop\n",
     64,
     64,
     false,
     false,
     {"  threadgroup 0,0,0, simdgroup 1: all lanes are active",
      "    a lane leaves it when r1 == 0: main + 0x8: while r1, 0, 1, ine",
      "  threadgroup 0,0,0, simdgroup 0: no lane is active",
      "  simdgroup 0 of this threadgroup waits at a barrier that simdgroup 1 did not reach: it still runs"},
     NULL},
    {"a float that never gets there",
     "ldimm r0l, 0\nldimm r4, 0x40000000\ntop: fadd r4, r4, 0.0\nwhile r4, 1.0, 1, fgt\njmp_any top\npop_exec "
     "1\nstop\n",
     32,
     32,
     false,
     false,
     {"    a lane leaves it when not (r4 > 1): main + 0xe: while r4, 1.0, 1, fgt",
      "      r4 = 2 in each active lane; the same in each pass"},
     NULL},
    {"a fault in a loop",
     "mov r1, sr80\nldimm r0l, 0\nldimm r5, 100000\ntop: load r4, du0, r1, i32, x, a\nwait a\niadd r1, r1, 30\nwhile "
     "r1, r5, 1, ult\n"
     "jmp_any top\npop_exec 1\nstop\n",
     32,
     32,
     true,
     false,
     {"  threadgroup 0,0,0, simdgroup 0: all lanes are active",
      "    faulted at main + 0xe: load r4, du0, r1, i32, x, a",
      "      address = 0x1500003fc0 in lane 0, 0x1500003fc4 in lane 1, 0x1500003fc8 in lane 2, 0x1500003fcc in lane 3, "
      "..."},
     "more passes"},
};

static void check(const struct hang *hang, const struct text *text, const char *how)
{
   for (unsigned i = 0; hang->lines[i]; i++) {
      if (!strstr(text->bytes, hang->lines[i])) {
         rig_fail("%s, %s: the post-mortem lacks \"%s\":\n%s", hang->what, how, hang->lines[i], text->bytes);
      }
   }
   if (hang->never && strstr(text->bytes, hang->never)) {
      rig_fail("%s, %s: the post-mortem has \"%s\":\n%s", hang->what, how, hang->never, text->bytes);
   }
}

static void run(struct rig *rig, const struct hang *hang, struct text *text, const char *how)
{
   struct vgpu_postmortem *postmortem = calloc(1, sizeof(*postmortem));
   *text = (struct text){.used = 0};
   rig->launch.postmortem = postmortem;
   memset(rig->output, 0, 64);
   vgpu_core_run(&rig->launch, &rig->outcome);
   if (rig->outcome.fault == VGPU_FAULT_NONE || !postmortem || postmortem->fault != rig->outcome.fault) {
      rig_fail("%s, %s: no post-mortem: %s", hang->what, how, rig->outcome.message);
   }
   vgpu_postmortem_print(postmortem, NULL, add_line, text);
   check(hang, text, how);
   free(postmortem);
}

static const char *behind_first_line(const struct text *text)
{
   const char *end = strchr(text->bytes, '\n');
   return end ? end : "";
}

/* All ways to run it give one text, but for how many threadgroups had ended. */
static void all_ways(const struct hang *hang)
{
   static const struct {
      const char *how;
      unsigned threads;
      bool compiled, timing, checked;
   } ways[] = {{"interpreted", 1, false, false, false},
               {"compiled", 1, true, false, false},
               {"with three host threads", 3, false, false, false},
               {"compiled, with three", 3, true, false, false},
               {"timed", 1, false, true, false},
               {"checked", 1, false, false, true}};
   struct text first, text;
   struct rig rig;
   rig_init(&rig, hang->threads);
   rig.launch.group[0] = hang->group;
   rig.launch.work = BUDGET;
   rig.launch.soft_faults = !hang->hard;
   rig_program(&rig, hang->program);
   for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
      rig.launch.threads = ways[i].threads;
      rig.launch.timing = ways[i].timing;
      rig.launch.checks = ways[i].checked ? VGPU_CHECK_HAZARDS : 0;
      rig.launch.compiler = ways[i].compiled ? vgpu_jit_create(VGPU_JIT_ON, vgpu_best_level()) : NULL;
      run(&rig, hang, i == 0 ? &first : &text, ways[i].how);
      if (i > 0 && !hang->counts && strcmp(behind_first_line(&first), behind_first_line(&text))) {
         rig_fail("%s: %s, it reads otherwise:\n%s\nthan\n%s", hang->what, ways[i].how, text.bytes, first.bytes);
      }
      vgpu_jit_destroy(rig.launch.compiler);
      rig.launch.compiler = NULL;
   }
   rig_finish(&rig);
}

/* No loop: the launch is larger than its budget. What runs ends while it is watched. */
static void too_large(void)
{
   const struct hang hang = {
       .what = "a launch larger than its budget",
       .lines = {"no loop without an end was found, and the launch may be larger than its limit"}};
   struct text text;
   struct rig rig;
   rig_init(&rig, 32 * 1000);
   rig.launch.group[0] = 32;
   rig.launch.work = 2000;
   rig_program(&rig, "mov r1, sr80\nmov r4, r1\nstore r4, du2, r1, i32, x, a\nstop\n");
   run(&rig, &hang, &text, "interpreted");
   rig_finish(&rig);
}

/* A launch that is well has none, and leaves no post-mortem of the one before it. */
static void well(void)
{
   struct vgpu_postmortem *postmortem = calloc(1, sizeof(*postmortem));
   struct rig rig;
   rig_init(&rig, 32);
   rig.launch.postmortem = postmortem;
   rig_program(&rig, "stop\n");
   rig_run(&rig, vgpu_best_level());
   if (!postmortem || postmortem->fault != VGPU_FAULT_NONE) {
      rig_fail("a post-mortem of a launch that was well");
   }
   free(postmortem);
   rig_finish(&rig);
}

int main(void)
{
   for (size_t i = 0; i < sizeof(hangs) / sizeof(hangs[0]); i++) {
      all_ways(&hangs[i]);
   }
   too_large();
   well();
   return rig_result();
}
