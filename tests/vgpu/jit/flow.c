/* SPDX-License-Identifier: MIT
 *
 * What vgpu/jit/facts/flow.c knows about registers, at one place of small programs. What it must not know is tested by
 * vgpu-exec-regions, too: there programs run.
 */
#include <stdio.h>
#include <string.h>

#include "tests/vgpu/exec/rig.h"
#include "util/array.h"
#include "vgpu/block.h"
#include "vgpu/exec/code.h"
#include "vgpu/jit/facts/flow.h"
#include "vgpu/jit/jit.h"
#include "vgpu/jit/facts/lanes.h"

#define PLACE 31 /* the register that the op behind the place writes */

/* r1: loaded by each lane; r2: the same in all lanes; r3: the lane's number. */
#define START                                                                                                          \
   "ldimm r0l, 0\nmov r3, thread_index_in_simdgroup\nmov r2, threadgroup_in_grid_x\nload r1, du0, r3, i32, x, "        \
   "a\nwait a\n"
#define HERE "ldimm r31, 0\n"

static const struct {
   const char *name, *text, *same, *counts, *unknown; /* registers, as "r4 r5" */
} cases[] = {
    {"arithmetic", START "iadd r4, r2, 5\niadd r5, r3, r2\nimadd r6, r2, r4, r3\niadd r7, r1, r2\nexp2 r8, r2\n" HERE,
     "r2 r4 r8", "r3 r5 r6", "r1 r7 r9"},
    {"half of a register",
     START "iadd r4, r2, 5\niadd r4l, r2l, 1\niadd r5h, r2l, 1\niadd r6, r2, 5\niadd r6l, r1l, 1\n" HERE, "r4", "",
     "r5 r6"},
    {"a load from one place",
     START
     "load r4, du0, r2, i32, x, a\nload r5, du0, r2, i16, x, a\nwait a\nload r6, du0, r3, i32, x, a\nwait a\n" HERE,
     "r4", "", "r5 r6"},
    {"all lanes together", START "simd r4, r1, iadd\nballot r5, r1, r2, ult\n" HERE, "r4 r5", "", ""},
    {"within a branch", START "if r1, r2, 1, ult\niadd r4, r2, 5\n" HERE "pop_exec 1\n", "r2 r4", "r3", ""},
    {"behind a branch", START "ldimm r4, 1\nldimm r5, 1\nif r1, r2, 1, ult\nldimm r4, 2\npop_exec 1\n" HERE, "r2 r5",
     "r3", "r4"},
    {"within `else`",
     START "ldimm r4, 1\nif r1, r2, 1, ult\nldimm r4, 2\nelse 0.0, 0.0, 1, feq\nldimm r5, 2\n" HERE "pop_exec 1\n",
     "r2 r5", "r3", "r4"},
    {"behind two branches, one in the other",
     START "ldimm r4, 1\nldimm r5, 1\nldimm r6, 1\n"
           "if r1, r2, 1, ult\nldimm r4, 2\nif r1, 7, 1, ult\nldimm r5, 2\npop_exec 1\nldimm r7, 2\n" HERE
           "pop_exec 1\n",
     "r2 r4 r6 r7", "r3", "r5"},
    {"out of both",
     START "ldimm r4, 1\nldimm r5, 1\nldimm r6, 1\n"
           "if r1, r2, 1, ult\nldimm r4, 2\nif r1, 7, 1, ult\nldimm r5, 2\npop_exec 1\npop_exec 1\n" HERE,
     "r2 r6", "r3", "r4 r5"},
    {"in a loop, behind a branch in it",
     START "ldimm r4, 0\nldimm r5, 1\nif 0.0, 0.0, 1, feq\ntop:\niadd r6, r4, 2\n"
           "if r3, 0, 1, ieq\nldimm r5, 2\npop_exec 1\n" HERE
           "iadd r4, r4, 1\nwhile r4, 9, 1, ult\njmp_any top\npop_exec 1\n",
     "r2 r4 r6", "r3", "r5"},
    {"behind a loop of which lanes leave alone",
     START "ldimm r4, 0\nldimm r5, 1\nif 0.0, 0.0, 1, feq\ntop:\n"
           "iadd r4, r4, 1\nwhile r4, r1, 1, ult\njmp_any top\npop_exec 1\n" HERE,
     "r2 r5", "r3", "r4"},
    {"a lane that leaves the loop by r0l",
     START "ldimm r4, 0\nldimm r5, 0\nif 0.0, 0.0, 1, feq\ntop:\niadd r4, r4, 1\n"
           "if r1, r4, 1, ult\nldimm r0l, 2\npop_exec 0\npop_exec 1\niadd r5, r5, 1\n" HERE
           "while r4, 9, 1, ult\njmp_any top\npop_exec 1\n",
     "r2 r4 r5", "r3", ""},
    {"behind that loop",
     START "ldimm r4, 0\nldimm r5, 0\nif 0.0, 0.0, 1, feq\ntop:\niadd r4, r4, 1\n"
           "if r1, r4, 1, ult\nldimm r0l, 2\npop_exec 0\npop_exec 1\niadd r5, r5, 1\n"
           "while r4, 9, 1, ult\njmp_any top\npop_exec 1\n" HERE,
     "r2", "r3", "r4 r5"},
    {"lanes that go on with the next turn",
     START "ldimm r4, 0\nldimm r5, 1\nif 0.0, 0.0, 1, feq\ntop:\n" HERE
           "iadd r4, r4, 1\nif r1, r4, 1, ult\nldimm r0l, 2\npop_exec 1\nldimm r5, 2\n"
           "while r4, 9, 2, ult\njmp_any top\npop_exec 1\n",
     "r2", "r3", "r5"},
    {"a loop that `while` begins",
     START "ldimm r4, 0\nldimm r5, 1\nldimm r6, 1\ntop:\nwhile r4, r1, 1, ult\njmp_none out\n"
           "iadd r4, r4, 1\nldimm r5, 2\njmp_any top\nout:\npop_exec 1\n" HERE,
     "r2 r6", "r3", "r4 r5"},
    {"a register that differs from the second turn on",
     START "ldimm r4, 0\nldimm r5, 0\nif 0.0, 0.0, 1, feq\ntop:\n" HERE
           "mov r5, r1\niadd r4, r4, 1\nwhile r4, 9, 1, ult\njmp_any top\npop_exec 1\n",
     "r2 r4", "r3", "r5"},
    {"r0l that is written before the mask follows",
     START "mov r4, r1\nldimm r0l, 1\njmp_any next\nnext:\npop_exec 0\n"
           "ldimm r4, 2\npop_exec 1\n" HERE,
     "", "", "r4"},
    {"r0l that is deeper than the branches",
     START "ldimm r4, 1\nif r1, r2, 1, ult\nldimm r0l, 3\npop_exec 0\npop_exec 1\n"
           "ldimm r4, 2\npop_exec 1\npop_exec 1\n" HERE,
     "r2", "r3", "r4"},
    {"a mask that nobody knows", START "mov r0l, r1l\npop_exec 0\n" HERE, "", "", "r2 r3"},
    {"a call", START "call there\n" HERE "stop\nthere:\nret r10\n", "", "", "r2 r3"},
};

/* The place in the program. NULL: there is none. */
static const struct vgpu_block *find_place(const struct vgpu_code *code, uint32_t *index)
{
   for (uint32_t n = 0; n < code->block_count; n++) {
      for (uint32_t i = 0; i < code->blocks[n].count; i++) {
         const struct vgpu_op *op = &code->blocks[n].ops[i];
         if (op->insn->op == ISA_OP_MOV_IMM && op->dst.half == 2 * PLACE) {
            *index = i;
            return &code->blocks[n];
         }
      }
   }
   return NULL;
}

static void check_facts(const char *name, const char *list, const uint8_t *facts, uint8_t want)
{
   static const char *const words[] = {"unknown", "same", "counting"};
   unsigned n;
   for (const char *at = list; sscanf(at, " r%u", &n) == 1; at = strchr(at + 1, 'r') ? strchr(at + 1, 'r') : "") {
      if (facts[n] != want) {
         rig_fail("%s: r%u is %s, not %s", name, n, words[facts[n]], words[want]);
      }
   }
}

static void check(size_t n, struct vgpu_compiler *compiler)
{
   struct rig rig;
   char text[1024];
   rig_init(&rig, 64);
   rig.launch.compiler = compiler;
   snprintf(text, sizeof(text), "%sstop\n", cases[n].text);
   rig_program(&rig, text);
   struct vgpu_program_settings settings;
   vgpu_program_settings_of(&settings, &rig.launch, false);
   struct vgpu_program *program = vgpu_program_create(&rig.launch, &settings, rig.launch.uniforms);
   uint32_t index = 0;
   const struct vgpu_block *start = program ? vgpu_program_block(program, rig.launch.code) : NULL;
   const struct vgpu_block *block = start ? find_place(start->code, &index) : NULL;
   if (block) {
      uint8_t facts[VGPU_JIT_VECTORS];
      vgpu_jit_facts_at(block, index, facts);
      check_facts(cases[n].name, cases[n].same, facts, VGPU_JIT_SAME);
      check_facts(cases[n].name, cases[n].counts, facts, VGPU_JIT_COUNTS);
      check_facts(cases[n].name, cases[n].unknown, facts, VGPU_JIT_UNKNOWN);
   } else {
      rig_fail("%s: the program has no such place", cases[n].name);
   }
   if (program) {
      vgpu_program_destroy(program);
   }
   rig_finish(&rig);
}

int main(void)
{
   struct vgpu_compiler *compiler = vgpu_jit_create(VGPU_JIT_AUTO, vgpu_best_level());
   for (size_t i = 0; compiler && i < ARRAY_COUNT(cases); i++) {
      check(i, compiler);
   }
   if (!compiler) {
      rig_fail("there is no compiler");
   }
   vgpu_jit_destroy(compiler);
   return rig_result();
}
