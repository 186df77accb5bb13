/* SPDX-License-Identifier: MIT
 *
 * Loops whose time the model skips (vgpu/timing/steady.c): random loops of arithmetic, one in another or after another,
 * with barriers, loads and uneven turns between them, take exactly the time of the simulation that looks at every
 * instruction and at both halves of every register, which is the recorded one. And a loop of 2^40 turns takes what its
 * turns take, which without skipping no host would compute.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/assembler/asm.h"
#include "tests/vgpu/exec/rig.h"
#include "vgpu/profile.h"
#include "vgpu/timing/cost.h"
#include "vgpu/timing/memory/hierarchy.h"
#include "vgpu/timing/predict/straight.h"
#include "vgpu/timing/timing_core.h"

#define PROGRAMS 16

static const char *const lines[] = {
    "fadd r%u, r%u, r%u\n", "imul r%u, r%u, r%u\n", "csel r%u, r%u, r%u, r4, r5, ult\n", "hadd r%ul, r%uh, r%ul\n",
    "shl r%u, r%u, r%u\n",  "rcp r%u, r%u\n",       "simd r%u, r%u, prefix, iadd\n",
};
static const char *const between[] = {
    "load r12, du0, r2, i32, x, a\nwait a\n",
    "barrier\n",
    "store r12, du2, r2, i32, x, a\n",
    "",
};

static uint32_t below(uint32_t limit)
{
   return rig_random() % limit;
}

struct text {
   char text[8192];
   size_t used;
};

static void write_body(struct text *text)
{
   for (unsigned i = 1 + below(12); i > 0; i--) {
      const unsigned a = 12 + below(8), b = 12 + below(8), c = 12 + below(8);
      text->used +=
          (size_t)snprintf(text->text + text->used, sizeof(text->text) - text->used, lines[below(7)], a, b, c);
   }
}

static void write_line(struct text *text, const char *line, unsigned a, unsigned b)
{
   text->used += (size_t)snprintf(text->text + text->used, sizeof(text->text) - text->used, line, a, b);
}

/* Loops one after the other; every second one has another inside it. Even threadgroups may take more turns. */
static void write_program(struct text *text)
{
   text->used = 0;
   write_line(text, "mov r2, sr80\nldimm r0l, 0\nmov r3, sr0\nand r3, r3, %u\nimul r3, r3, %u\n", below(4),
              1 + below(30));
   for (unsigned i = 0, count = 1 + below(3); i < count; i++) {
      write_line(text, "ldimm r8, 0\niadd r9, r3, %u\nloop%u:\n", 1 + below(100), i);
      write_body(text);
      if (below(2)) {
         write_line(text, "ldimm r10, 0\ninner%u:\n", i, 0);
         write_body(text);
         write_line(text, "iadd r10, r10, 1\nwhile r10, %u, 1, ult\njmp_any inner%u\npop_exec 1\n", 2 + below(12), i);
         write_body(text);
      }
      if (!below(6)) {
         write_line(text, between[below(4)], 0, 0);
      }
      write_line(text, "iadd r8, r8, 1\nwhile r8, r9, 1, ult\njmp_any loop%u\npop_exec 1\n", i, 0);
      write_line(text, between[below(4)], 0, 0);
   }
   write_line(text, "stop\n", 0, 0);
}

static void check(const char *text, uint32_t threads, uint32_t group)
{
   struct rig rig;
   struct vgpu_profile profile = {0};
   rig_init(&rig, threads);
   rig.launch.group[0] = group;
   rig.launch.timing = true;
   rig.launch.half_registers = 256; /* 36 simdgroups a core: larger launches start threadgroups later */
   rig_program(&rig, text);
   rig_run(&rig, vgpu_best_level());
   const uint64_t cycles = rig.outcome.cycles;
   rig.launch.profile = &profile;
   rig_run(&rig, vgpu_best_level());
   const uint64_t recorded = (profile.sum.ticks + VGPU_TICKS - 1) / VGPU_TICKS;
   if (cycles != recorded) {
      rig_fail("%u threads, %u a threadgroup: %" PRIu64 " cycles, looked at one by one %" PRIu64 ":\n%s", threads,
               group, cycles, recorded, text);
   }
   vgpu_profile_finish(&profile);
   rig_finish(&rig);
}

/* ---- Long loops ---- */

static uint64_t straight(const struct vgpu_cost *costs, uint32_t count, uint64_t repeat, uint32_t simds)
{
   const struct vgpu_straight code = {
       .costs = costs, .count = count, .repeat = repeat, .group_simds = 1, .groups = simds, .level = VGPU_LEVEL_L1};
   uint64_t ticks = 0;
   if (!vgpu_straight_simulate(&vgpu_params_default, &code, &ticks)) {
      rig_fail("out of memory");
   }
   return ticks;
}

static void check_long(void)
{
   struct text text = {.used = 0};
   struct isa_asm *assembler = isa_asm_create(NULL);
   struct isa_asm_result result;
   struct vgpu_cost costs[64];
   uint32_t count = 0;
   write_body(&text);
   if (!assembler || isa_asm_program(assembler, text.text, text.used, &result) != 0) {
      rig_fail("cannot assemble:\n%s", text.text);
      return;
   }
   for (size_t at = 0; at < result.program->code_size && count < 64; count++) {
      struct isa_insn insn;
      isa_decode(result.program->set, result.program->code + at, result.program->code_size - at, &insn);
      vgpu_cost_of(&insn, &vgpu_params_default, &costs[count]);
      at += insn.length;
   }
   const uint32_t simds = 1 + below(48);
   const double slope = (double)(straight(costs, count, 20000, simds) - straight(costs, count, 10000, simds)) / 10000;
   const double ticks = (double)straight(costs, count, UINT64_C(1) << 40, simds) / (double)(UINT64_C(1) << 40);
   if (!(fabs(ticks / slope - 1) < 1e-3)) {
      rig_fail("%u simdgroups: %.3f ticks a turn of 2^40, %.3f of 20,000:\n%s", simds, ticks, slope, text.text);
   }
   isa_asm_result_finish(&result);
   isa_asm_destroy(assembler);
}

/* A load that finds its line in the L1 31 times of 32: turns look the same, but are not. */
static const char misses[] = "mov r2, sr80\nldimm r0l, 0\nldimm r8, 0\n"
                             "loop: shr r2, r8, 5\nshl r2, r2, 5\nload r12, du0, r2, lsl 0, i32, x, a\nwait a\n"
                             "iadd r8, r8, 1\nwhile r8, 250, 1, ult\njmp_any loop\npop_exec 1\nstop\n";

int main(void)
{
   struct text text;
   check(misses, 32, 32);
   check(misses, 1024, 64);
   for (unsigned i = 0; i < PROGRAMS; i++) {
      write_program(&text);
      check(text.text, 8 * 32 * (1 + below(80)), 32u << below(4));
   }
   for (unsigned i = 0; i < 6; i++) {
      check_long();
   }
   return rig_result();
}
