/* SPDX-License-Identifier: MIT
 *
 * Launches: where each thread thinks it is, edges of the grid, preambles, barriers, and every way in which a launch
 * can go wrong, each of which must end. spec/isa.md 1.7, 1.8; vgpu/launch.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/vgpu/exec/rig.h"
#include "vgpu/jit/jit.h"

static const uint32_t *words(const struct rig *rig)
{
   return (const uint32_t *)(const void *)rig->output;
}

/* Every special register of position, in a grid that does not divide into whole threadgroups. */
static void positions(const struct vgpu_level *level)
{
   static const uint32_t grid[3] = {23, 9, 5}, group[3] = {8, 4, 2};
   static const struct {
      unsigned number;
      const char *what;
   } registers[] = {{0, "group x"},  {1, "group y"},  {2, "group z"}, {4, "size x"},     {5, "size y"},
                    {6, "size z"},   {8, "whole x"},  {9, "whole y"}, {10, "whole z"},   {48, "local x"},
                    {49, "local y"}, {50, "local z"}, {51, "index"},  {53, "simdgroup"}, {80, "x"},
                    {81, "y"},       {82, "z"},       {52, "lane"}};
   for (unsigned n = 0; n < sizeof(registers) / sizeof(registers[0]); n++) {
      struct rig rig;
      char text[512];
      rig_init(&rig, 4096);
      memcpy(rig.launch.grid, grid, sizeof(grid));
      memcpy(rig.launch.group, group, sizeof(group));
      snprintf(text, sizeof(text),
               "mov r4, sr80\nmov r5, sr81\nmov r6, sr82\nimadd r5, r6, 9, r5\n"
               "imadd r4, r5, 23, r4\nmov r8, sr%u\nstore r8, du2, r4, i32, x, a\nstop\n",
               registers[n].number);
      rig_program(&rig, text);
      memset(rig.output, 0xff, 23 * 9 * 5 * 4 + 4);
      rig_run(&rig, level);
      for (uint32_t z = 0; z < 5; z++) {
         for (uint32_t y = 0; y < 9; y++) {
            for (uint32_t x = 0; x < 23; x++) {
               uint32_t at[3] = {x, y, z}, size[3], want;
               for (unsigned d = 0; d < 3; d++) {
                  uint32_t left = grid[d] - at[d] / group[d] * group[d];
                  size[d] = left < group[d] ? left : group[d];
               }
               uint32_t index = x % 8 + size[0] * (y % 4 + size[1] * (z % 2)), number = registers[n].number;
               want = number <= 2    ? at[number] / group[number]
                      : number <= 6  ? size[number - 4]
                      : number <= 10 ? group[number - 8]
                      : number <= 50 ? at[number - 48] % group[number - 48]
                      : number == 51 ? index
                      : number == 52 ? index % 32
                      : number == 53 ? index / 32
                                     : at[number - 80];
               uint32_t found = words(&rig)[x + 23 * (y + 9 * z)];
               if (found != want) {
                  rig_fail("%s of thread %u,%u,%u: %u, expected %u", registers[n].what, x, y, z, found, want);
               }
            }
         }
      }
      if (words(&rig)[23 * 9 * 5] != UINT32_MAX || rig.outcome.thread_instructions % (23 * 9 * 5) != 0) {
         rig_fail("threads outside the grid ran: %llu", (unsigned long long)rig.outcome.thread_instructions);
      }
      rig_finish(&rig);
   }
}

/* A preamble computes uniforms from uniforms; main sees them in every form. */
static void preamble(const struct vgpu_level *level)
{
   struct rig rig;
   rig_init(&rig, 64);
   rig_program(&rig, ".preamble\nmov r0, u8\niadd r0, r0, 5\nmov u10l, r0l\nmov u10h, r0h\nmov r1, u10\n"
                     "iadd r1, r1, r1\nmov u11l_u11h, r1l_r1h\nstop\n"
                     ".main\nmov r1, sr80\nmov r4, u10\nmov r5, u11\nmov r6, u10l\niadd r7, u11l.sx, 1\n"
                     "store r4_r5_r6_r7, du2, r1, lsl 2, i32, xyzw, a\nstop\n");
   rig.launch.preamble_half_registers = 8;
   rig.launch.uniforms[16] = 0xfff0;
   rig.launch.uniforms[17] = 0x1234;
   rig_run(&rig, level);
   for (unsigned i = 0; i < 64; i++) {
      const uint32_t *out = rig_out(&rig, i), sum = 0x1234fff5;
      if (out[0] != sum || out[1] != 2 * sum || out[2] != 0xfff5 || out[3] != (uint32_t)(int16_t)(2 * sum) + 1) {
         rig_fail("preamble: %08x %08x %08x %08x", out[0], out[1], out[2], out[3]);
      }
   }
   rig_finish(&rig);
}

/* Each of 32 simdgroups leaves a word; all sum them up between barriers, several times. */
static void barriers(const struct vgpu_level *level)
{
   struct rig rig;
   rig_init(&rig, 2048);
   rig.launch.threadgroup_bytes = 256;
   rig_program(&rig, "mov r1, sr80\nmov r2, sr53\nshl r3, r2, 2\nldimm r8, 0\nldimm r9, 0\nldimm r0l, 0\n"
                     "turn: iadd r10, r2, r9\nlstore r10, r3l, 0, i32, x\nbarrier\nldimm r11, 0\n"
                     "top: shl r12, r11, 2\nlload r13, r12l, 0, i32, x\niadd r8, r8, r13\niadd r11, r11, 1\n"
                     "while r11, 32, 1, ult\njmp_any top\npop_exec 1\nbarrier\n"
                     "iadd r9, r9, 1\nwhile r9, 5, 1, ult\njmp_any turn\npop_exec 1\n"
                     "store r8, du2, r1, i32, x, a\nstop\n");
   rig_run(&rig, level);
   for (unsigned i = 0; i < 2048; i++) {
      if (words(&rig)[i] != 5 * 496 + 32 * 10) {
         rig_fail("sum over barriers: %u, expected %u", words(&rig)[i], 5 * 496 + 32 * 10);
      }
   }
   rig_finish(&rig);
}

/* One simdgroup of a threadgroup waits, by looking, for a word that another one writes. */
static void spinning(const struct vgpu_level *level)
{
   struct rig rig;
   rig_init(&rig, 64);
   rig.launch.work = 1000000;
   rig_program(&rig, "mov r1, sr53\nldimm r0l, 0\nldimm r5, 1\nif r1, 0, 1, ieq\njmp_none other\n"
                     "top: load r4, du2, 0, i32, x, a\nwait a\nwhile r4, 0, 1, ieq\njmp_any top\npop_exec 1\n"
                     "store r5, du2, 1, i32, x, a\nstop\n"
                     "other: pop_exec 1\nstore r5, du2, 0, i32, x, a\nstop\n");
   rig_run(&rig, level);
   if (words(&rig)[0] != 1 || words(&rig)[1] != 1) {
      rig_fail("spinning: %u %u", words(&rig)[0], words(&rig)[1]);
   }
   rig_finish(&rig);
}

/* One simdgroup comes late to a barrier at which the other waits; then each waits, by looking, for a flag in
 * threadgroup memory that the other sets. The first simdgroup behind the barrier must not keep the host thread. */
static void spinning_after_barrier(const struct vgpu_level *level)
{
   struct rig rig;
   rig_init(&rig, 64);
   rig.launch.work = 1000000;
   rig.launch.threadgroup_bytes = 256;
   rig_program(&rig, "mov r1, sr53\nldimm r0l, 0\nldimm r5, 1\nldimm r6, 0\n"
                     "if r1, 0, 1, ieq\njmp_none meet\n"
                     "work: iadd r6, r6, 1\nwhile r6, 200, 1, ult\njmp_any work\n"
                     "meet: pop_exec 1\nldimm r0l, 0\nbarrier\n"
                     "shl r7, r1, 2\nlstore r5, r7l, 0, i32, x\nldimm r8, 4\nxor r8, r8, r7\n"
                     "top: lload r4, r8l, 0, i32, x\nwhile r4, 0, 1, ieq\njmp_any top\npop_exec 1\n"
                     "store r5, du2, r1, i32, x, a\nstop\n");
   rig_run(&rig, level);
   if (words(&rig)[0] != 1 || words(&rig)[1] != 1) {
      rig_fail("spinning after a barrier: %u %u", words(&rig)[0], words(&rig)[1]);
   }
   rig_finish(&rig);
}

/* A preamble calls a function that reads a uniform, stores another value there, and calls it again, each time through a
 * register, so that the function is code of its own. */
static void preamble_calls(const struct vgpu_level *level)
{
   struct rig rig;
   rig_init(&rig, 32);
   uint8_t function[64];
   const uint16_t offset = 0x1000; /* of the function */
   rig_program(&rig, "mov r3, u10\nret r1\n");
   memcpy(function, rig.code, sizeof(function));
   rig_program(&rig, ".preamble\nmov r2, u8\ncall r2\nldimm r0, 77\nmov u10l, r0l\nmov u10h, r0h\ncall r2\n"
                     "mov u12l, r3l\nmov u12h, r3h\nstop\n"
                     ".main\nmov r1, sr80\nmov r4, u12\nstore r4, du2, r1, i32, x, a\nstop\n");
   memcpy(rig.code + offset, function, sizeof(function));
   rig.launch.preamble_half_registers = 16;
   rig.launch.uniforms[16] = offset;
   rig.launch.uniforms[20] = 5;
   rig_run(&rig, level);
   if (words(&rig)[0] != 77) {
      rig_fail("uniform after a call through a register: %u, expected 77", words(&rig)[0]);
   }
   rig_finish(&rig);
}

/* ---- What goes wrong ---- */

struct wrong {
   const char *what, *text;
   enum vgpu_fault fault;
   const char *says; /* in the message */
   void (*change)(struct vgpu_launch *launch);
};

static void small_budget(struct vgpu_launch *launch)
{
   launch->budget = 200000;
}

static void no_registers(struct vgpu_launch *launch)
{
   launch->half_registers = 16;
}

static void much_memory(struct vgpu_launch *launch)
{
   launch->threadgroup_bytes = 65536;
   launch->group[0] = 1024;
}

static void big_group(struct vgpu_launch *launch)
{
   launch->group[1] = 2;
}

static void some_scratch(struct vgpu_launch *launch)
{
   launch->scratch_words = 16;
   launch->spill_bucket = 1; /* 8 words */
}

static void little_scratch(struct vgpu_launch *launch)
{
   launch->scratch_words = 16;
   launch->spill_bucket = 3; /* 32 words */
}

static void code_elsewhere(struct vgpu_launch *launch)
{
   launch->code = 0x5000;
}

static void hard(struct vgpu_launch *launch)
{
   launch->preamble_half_registers = 16;
   launch->soft_faults = false;
}

static const struct wrong wrongs[] = {
    {"endless loop", "top: jmp_any top\nstop\n", VGPU_FAULT_TIMEOUT, "200000 simdgroup instructions", small_budget},
    {"endless loop: the option", "top: jmp_any top\nstop\n", VGPU_FAULT_TIMEOUT, "budget=", small_budget},
    {"endless loop of an idle simdgroup", "ldimm r0l, 1\npop_exec 0\ntop: jmp_none top\nstop\n", VGPU_FAULT_TIMEOUT,
     "200000", small_budget},
    {"a barrier in one simdgroup only",
     "mov r1, sr53\nldimm r0l, 0\nif r1, 0, 1, ieq\njmp_none over\nbarrier\nover: pop_exec 1\nstop\n",
     VGPU_FAULT_TIMEOUT, "barrier", NULL},
    {"unknown bytes", ".byte 0xff, 0xff, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 0x01, 0x02\n",
     VGPU_FAULT_INSTRUCTION, "an unknown instruction: main + 0x0: bytes ff ff 12 34 56 78 9a bc de f0 01 02", NULL},
    {"zeros", ".byte 0, 0, 0, 0, 0, 0, 0, 0\n", VGPU_FAULT_INSTRUCTION, "main + 0x0: jmp_incomplete", NULL},
    {"trap", "trap\n", VGPU_FAULT_INSTRUCTION, "a trap: main + 0x0: trap", NULL},
    {"jump out of the program", ".byte 0, 0xc0, 0, 0, 0x70, 0\nstop\n", VGPU_FAULT_MEMORY, "0x1100700000", NULL},
    {"jump far away", ".byte 0, 0xc0, 0, 0, 0, 0x90\nstop\n", VGPU_FAULT_MEMORY, "0x1090000000", NULL},
    {"jump to an odd address", ".byte 0, 0xc0, 7, 0, 0, 0\nstop\n", VGPU_FAULT_INSTRUCTION, "odd", NULL},
    {"return to nowhere", "ldimm r1, 0x7000000\nret r1\n", VGPU_FAULT_MEMORY, "0x1107000000", NULL},
    {"return to different places", "mov r1, sr52\nret r1\n", VGPU_FAULT_INSTRUCTION, "differs", NULL},
    {"code in unmapped memory", "stop\n", VGPU_FAULT_MEMORY, "0x5000", code_elsewhere},
    {"stack without scratch", "stack_adjust 16\nstop\n", VGPU_FAULT_SCRATCH, "no scratch", NULL},
    {"stack past its end", "stack_adjust 8\nstack_store r1, 32, i32, x, a\nstop\n", VGPU_FAULT_SCRATCH,
     "past the 8 words of the job's spill bucket", some_scratch},
    {"stack past the scratch memory", "stack_adjust 16\nstack_store r1, 64, i32, x, a\nstop\n", VGPU_FAULT_SCRATCH,
     "past the 16 words of the job's scratch memory", little_scratch},
    {"frame past the scratch memory", "stack_adjust 17\nstop\n", VGPU_FAULT_SCRATCH, "scratch memory", little_scratch},
    {"endless frames", "top: stack_adjust 0\nstack_adjust 1\njmp_any top\n", VGPU_FAULT_SCRATCH, "past", some_scratch},
    {"register beyond the allocated", "mov r20, 1\nstop\n", VGPU_FAULT_INSTRUCTION, "beyond", no_registers},
    {"uniform store in main", "mov u0l, r0l\nstop\n", VGPU_FAULT_INSTRUCTION, "preamble", NULL},
    {"doorbell", "doorbell 32\nstop\n", VGPU_FAULT_INSTRUCTION, "main + 0x0: doorbell 32", NULL},
    {"64 KiB of threadgroup memory", "stop\n", VGPU_FAULT_RESOURCES, "exceed", much_memory},
    {"2048 threads", "stop\n", VGPU_FAULT_RESOURCES, "1024", big_group},
    {"store through a wild pointer", "ldimm r4, 0x10\nldimm r5, 0x80000000\nstore r4, dr4, 0, i32, x, a\nstop\n",
     VGPU_FAULT_MEMORY, "8000000000000010: main + 0xc: store r4, dr4, 0, i32, x, a", hard},
    {"atomic through a wild pointer", "ldimm r4, 0x10\nldimm r5, 9\natomic _, r4, dr4, 0, add, a\nstop\n",
     VGPU_FAULT_MEMORY, "900000010: main + 0xc: atomic _, r4, dr4, 0, add, a", hard},
    {"load in a preamble", ".preamble\nldimm r4, 0x10\nldimm r5, 9\nload r4, dr4, 0, i32, x, a\nstop\n.main\nstop\n",
     VGPU_FAULT_MEMORY, "load from unmapped address 0x900000010: preamble + 0xc: load r4, dr4, 0, i32, x, a", hard},
};

static void faults(void)
{
   for (unsigned threads = 1; threads <= 4; threads += 3) {
      for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
         const struct wrong *wrong = &wrongs[i];
         struct rig rig;
         rig_init(&rig, 2048);
         rig.launch.threads = threads;
         rig_program(&rig, wrong->text);
         if (wrong->change) {
            wrong->change(&rig.launch);
         }
         clock_t start = clock();
         vgpu_core_run(&rig.launch, &rig.outcome);
         double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
         if (rig.outcome.fault != wrong->fault || !strstr(rig.outcome.message, wrong->says) || seconds > 2) {
            rig_fail("%s: fault %d (expected %d), message \"%s\", %.2f s", wrong->what, rig.outcome.fault, wrong->fault,
                     rig.outcome.message, seconds);
         }
         rig_finish(&rig);
      }
   }
}

/* What is never reached does no harm. */
static void unreached(void)
{
   struct rig rig;
   rig_init(&rig, 32);
   rig_program(&rig, "ldimm r0l, 0\njmp_none over\nstop\nover: .byte 0xff, 0xff, 0xff, 0xff\n");
   rig_run(&rig, vgpu_best_level());
   rig_finish(&rig);
}

static void cancelled(void)
{
   atomic_bool cancel = true;
   struct rig rig;
   rig_init(&rig, 32);
   rig.launch.cancel = &cancel;
   rig_program(&rig, "top: jmp_any top\nstop\n");
   vgpu_core_run(&rig.launch, &rig.outcome);
   if (rig.outcome.fault != VGPU_FAULT_TIMEOUT) {
      rig_fail("cancelled: fault %d", rig.outcome.fault);
   }
   rig_finish(&rig);
}

/* Memory and counts do not depend on the number of host threads. */
static void deterministic(void)
{
   static uint32_t first[65536 * RIG_WORDS];
   uint64_t instructions = 0;
   for (unsigned threads = 1; threads <= 4; threads++) {
      struct rig rig;
      rig_init(&rig, 65536);
      for (uint32_t i = 0; i < 65536 * RIG_WORDS; i++) {
         ((uint32_t *)(void *)rig.input)[i] = i * 2654435761u;
      }
      rig.launch.threads = threads;
      rig.launch.group[0] = 96;
      rig_kernel(&rig, "ldimm r0l, 0\nldimm r8, 0\nand r12, r4, 63\ntop: imadd r8, r8, r5, r6\niadd r12, r12, 1\n"
                       "while r12, 64, 1, ult\njmp_any top\npop_exec 1\nsimd r9, r8, iadd\nffma r10, r4, r5, r6\n"
                       "mov r11, sr20");
      rig_run(&rig, vgpu_best_level());
      if (threads == 1) {
         memcpy(first, rig.output, sizeof(first));
         instructions = rig.outcome.instructions;
      } else if (memcmp(first, rig.output, sizeof(first)) || instructions != rig.outcome.instructions) {
         rig_fail("%u host threads: another result than with one", threads);
      }
      rig_finish(&rig);
   }
}

/* A limit of just the work that the launch takes is enough, one instruction less is not: however many host threads
 * there are, and whichever of them is ahead. */
static void just_enough(void)
{
   uint64_t needed = 0;
   for (unsigned run = 0; run < 25; run++) {
      struct rig rig;
      rig_init(&rig, 65536);
      rig.launch.group[0] = 32;
      rig_kernel(&rig, "ldimm r0l, 0\nldimm r12, 0\ntop: iadd r12, r12, 1\nwhile r12, 8, 1, ult\njmp_any top\n"
                       "pop_exec 1");
      if (needed == 0) {
         rig_run(&rig, vgpu_best_level());
         needed = rig.outcome.instructions;
         rig_finish(&rig);
         continue;
      }
      rig.launch.threads = 1 + run % 8;
      rig.launch.work = needed;
      rig_run(&rig, vgpu_best_level());
      rig.launch.work--;
      vgpu_core_run(&rig.launch, &rig.outcome);
      if (rig.outcome.fault != VGPU_FAULT_TIMEOUT) {
         rig_fail("%u host threads: fault %d with less than the launch takes", rig.launch.threads, rig.outcome.fault);
      }
      rig_finish(&rig);
   }
}

/* The budget is a simdgroup's: what one of them takes is enough for thousands, one instruction less is not; however
 * many host threads there are, interpreted and compiled, with loops and without. */
static void own_budget(void)
{
   static const char *const kernels[] = {
       ("ldimm r0l, 0\nldimm r12, 0\nldimm r13, 300\n"
        "top: iadd r12, r12, 1\nwhile r12, r13, 1, ult\njmp_any top\npop_exec 1"),
       "iadd r8, r4, r5\niadd r9, r6, r7",
       "ldimm r0l, 0\nif r1, 17, 1, ugt\nbarrier\npop_exec 1", /* lanes and simdgroups that take two ways */
   };
   for (unsigned run = 0; run < 24; run++) {
      struct rig rig;
      rig_init(&rig, 16384);
      rig.launch.group[0] = 32;
      rig.launch.grid[0] = 32;
      rig_kernel(&rig, kernels[run % 3]);
      rig_run(&rig, vgpu_best_level());
      const uint64_t needed = rig.outcome.instructions;
      rig.launch.grid[0] = 16384;
      rig.launch.threads = 1 + run / 3 % 4;
      rig.launch.compiler = run >= 12 ? vgpu_jit_create(VGPU_JIT_ON, vgpu_best_level()) : NULL;
      rig.launch.budget = needed;
      rig_run(&rig, vgpu_best_level());
      if (rig.outcome.instructions != needed * 512) {
         rig_fail("%" PRIu64 " instructions, expected %" PRIu64, rig.outcome.instructions, needed * 512);
      }
      rig.launch.budget--;
      vgpu_core_run(&rig.launch, &rig.outcome);
      if (rig.outcome.fault != VGPU_FAULT_TIMEOUT || !strstr(rig.outcome.message, "a simdgroup did not end within")) {
         rig_fail("run %u: fault %d with less than a simdgroup takes: %s", run, rig.outcome.fault, rig.outcome.message);
      }
      vgpu_jit_destroy(rig.launch.compiler);
      rig_finish(&rig);
   }
}

int main(void)
{
   for (size_t l = 0; l < vgpu_level_count; l++) {
      if (vgpu_levels[l].usable()) {
         positions(&vgpu_levels[l]);
         preamble(&vgpu_levels[l]);
         barriers(&vgpu_levels[l]);
         spinning(&vgpu_levels[l]);
         spinning_after_barrier(&vgpu_levels[l]);
         preamble_calls(&vgpu_levels[l]);
      }
   }
   faults();
   unreached();
   cancelled();
   deterministic();
   just_enough();
   own_budget();
   return rig_result();
}
