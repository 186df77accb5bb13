/* SPDX-License-Identifier: MIT
 *
 * Memory: addresses, formats, masks, atomics, threadgroup memory, stack, soft and hard faults.
 * spec/isa.md 1.10, 4.1 - 4.5.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/vgpu/exec/rig.h"

#define IN(n) (lanes[lane][n])
#define OF(i, n) (lanes[i][n])
#define CASE(name) static void name(const uint32_t(*lanes)[RIG_WORDS], unsigned lane, uint32_t *out)

/* Address and size of the input as bytes of this simdgroup's records: r12 = byte offset of the lane's record. */
#define OWN "shl r12, r1, 4\n"

CASE(sizes)
{
   out[0] = IN(1) & 0xff;
   out[1] = IN(1) >> 16;
   out[2] = 0xdead0000 | (IN(2) >> 24);
   out[3] = IN(3);
}

CASE(vectors)
{
   out[0] = IN(0) & 0xffff;
   out[1] = IN(0) >> 16;
   out[2] = IN(1) & 0xffff;
   out[3] = IN(1) >> 16;
}

/* Components 0 and 2 go to neighbouring registers. */
CASE(holes)
{
   out[0] = IN(0);
   out[1] = IN(2);
   out[2] = IN(3);
}

CASE(halves)
{
   out[0] = IN(0);
   out[1] = IN(1);
}

/* Words, halves and bytes of the simdgroup's records that the data name. */
CASE(scattered)
{
   const uint8_t *bytes = (const uint8_t *)lanes;
   const uint32_t word = IN(0) & 127, half = IN(1) & 254, byte = IN(2) & 511;
   memcpy(&out[0], bytes + 4ul * word, 4);
   out[1] = (uint32_t)bytes[2 * half + 3] << 24 | (uint32_t)bytes[2 * half + 2] << 16 |
            (uint32_t)bytes[2 * half + 1] << 8 | bytes[2 * half];
   out[2] = bytes[byte];
}

/* Halves of registers, one lane after the other in memory. */
CASE(lines_of_halves)
{
   out[0] = 0xdead0000 | IN(0) >> 16;
   out[1] = IN(1) << 16 | 0xbeef;
}

/* Signed index, and a base that is rounded down to the element. */
CASE(indices)
{
   out[0] = IN(1);
   out[1] = IN(2);
   out[2] = IN(0) >> 16;
}

static double norm(uint32_t bits, unsigned width, bool is_signed)
{
   double most = is_signed ? (1u << (width - 1)) - 1 : (1u << width) - 1;
   double value = is_signed ? (double)((int32_t)(bits << (32 - width)) >> (32 - width))
                            : (double)(bits & (uint32_t)((1ull << width) - 1));
   return fmax(value, -most) / most;
}

static uint32_t single(double value)
{
   float rounded = (float)value;
   uint32_t bits;
   memcpy(&bits, &rounded, sizeof(bits));
   return isnan(value) ? 0x7fc00000 : bits;
}

CASE(norms)
{
   out[0] = single(norm(IN(0), 8, false));
   out[1] = single(norm(IN(0) >> 8, 8, true));
   out[2] = single(norm(IN(1), 16, false));
   out[3] = single(norm(IN(1) >> 16, 16, true));
}

CASE(rgb10a2)
{
   out[0] = single((IN(1) & 1023) / 1023.0);
   out[1] = single((IN(1) >> 10 & 1023) / 1023.0);
   out[2] = single((IN(1) >> 20 & 1023) / 1023.0);
   out[3] = single((IN(1) >> 30) / 3.0);
}

static double small_float(uint32_t bits, int mantissa_bits)
{
   uint32_t mantissa = bits & ((1u << mantissa_bits) - 1), exponent = bits >> mantissa_bits & 31;
   return exponent == 31 ? (mantissa ? NAN : INFINITY)
                         : ldexp(mantissa + (exponent ? 1u << mantissa_bits : 0),
                                 (exponent ? (int)exponent : 1) - 15 - mantissa_bits);
}

CASE(rg11b10f)
{
   out[0] = single(small_float(IN(2), 6));
   out[1] = single(small_float(IN(2) >> 11, 6));
   out[2] = single(small_float(IN(2) >> 22, 5));
}

CASE(rgb9e5)
{
   for (unsigned i = 0; i < 3; i++) {
      out[i] = single(ldexp((IN(3) >> 9 * i & 511) / 512.0, (int)(IN(3) >> 27) - 15));
   }
}

/* What is stored in a format comes back as the nearest value of it (here: one that is a value of it already). */
CASE(round_trip)
{
   out[0] = IN(0) & 0xff;
   out[1] = IN(1) & 0xffff;
   out[2] = IN(2);
   out[3] = 0;
}

/* ---- Threadgroup memory ---- */

/* Each lane writes its word and reads its neighbour's, through base and index. */
CASE(local)
{
   out[0] = OF((lane + 1) % 32, 1);
   out[1] = OF((lane + 1) % 32, 2) & 0xffff;
   out[2] = 0;
}

/* All lanes add to one word; the old values are the partial sums in some order: lanes ascending. */
CASE(local_atomics)
{
   uint32_t sum = 0, most = 0, before = 0;
   for (unsigned i = 0; i < 32; i++) {
      before += i < lane ? OF(i, 1) : 0;
      sum += OF(i, 1);
      most = OF(i, 2) > most ? OF(i, 2) : most;
   }
   out[0] = before;
   out[1] = sum;
   out[2] = most;
}

/* Each operation on words that several lanes share; some lanes' words lie outside. The lanes come one after the other.
 */
static enum isa_atomic local_operation;

static uint32_t after_atomic(uint32_t old, uint32_t data, uint32_t expected)
{
   const int32_t signed_old = (int32_t)old, signed_data = (int32_t)data;
   const uint32_t results[] = {
       [ISA_ATOMIC_ADD] = old + data,
       [ISA_ATOMIC_SUB] = old - data,
       [ISA_ATOMIC_XCHG] = data,
       [ISA_ATOMIC_CMPXCHG] = old == expected ? data : old,
       [ISA_ATOMIC_UMIN] = data < old ? data : old,
       [ISA_ATOMIC_IMIN] = signed_data < signed_old ? data : old,
       [ISA_ATOMIC_UMAX] = data > old ? data : old,
       [ISA_ATOMIC_IMAX] = signed_data > signed_old ? data : old,
       [ISA_ATOMIC_AND] = data & old,
       [ISA_ATOMIC_OR] = data | old,
       [ISA_ATOMIC_XOR] = data ^ old,
   };
   return results[local_operation];
}

CASE(each_local_atomic)
{
   uint32_t words[32];
   for (unsigned i = 0; i < 32; i++) {
      words[i] = OF(i, 2);
   }
   for (unsigned i = 0; i < 32; i++) {
      uint32_t *word = &words[OF(i, 1) & 7], old = 0;
      if (!(OF(i, 1) & 0x80)) {
         old = *word;
         *word = after_atomic(old, OF(i, 3), OF(i, 0));
      }
      out[0] = i == lane ? old : out[0];
   }
   out[1] = words[lane];
}

/* The first lane of a word often finds what its compare-and-exchange expects. */
static void fill_expected(struct rig *rig)
{
   uint32_t *words = (uint32_t *)(void *)rig->input;
   rig_fill(rig);
   for (uint32_t i = 0; i < rig->launch.grid[0]; i++) {
      const uint32_t first = i / 32 * 32, word = words[i * RIG_WORDS + 1] & 7;
      words[i * RIG_WORDS] = words[(first + word) * RIG_WORDS + 2];
   }
}

static void each_local_operation(void)
{
   static const char *const names[] = {"add",  "sub",  "xchg", "cmpxchg", "umin", "imin",
                                       "umax", "imax", "and",  "or",      "xor"};
   for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
      char body[300];
      const struct rig_case test = {body, each_local_atomic};
      local_operation = (enum isa_atomic)i;
      snprintf(body, sizeof(body),
               "mov r12, sr52\nshl r13l, r12l, 2\nlstore r6, r13l, 0, i32, x\nbarrier\nand r14, r5, 0x87\n"
               "shl r14, r14, 2\nmov r16, r7\nmov r17, r4\nlatomic r8, %s, r14l, 0, %s\nbarrier\n"
               "lload r9, r13l, 0, i32, x",
               i == ISA_ATOMIC_CMPXCHG ? "r16_r17" : "r16", names[i]);
      rig_cases_with(&test, 1, 1024, fill_expected, (struct rig_wants){.threadgroup_bytes = 512, .group = 32});
   }
}

/* ---- Stack ---- */

CASE(stack)
{
   out[0] = IN(2);
   out[1] = IN(0);
   out[2] = IN(1) & 0xffff;
   out[3] = IN(3) >> 8 & 0xff;
}

/* A second frame has its own offsets; the first is found again below it. */
CASE(frames)
{
   out[0] = IN(1);
   out[1] = IN(0);
}

/* Each lane stores two words at a place of its own; the first five then another one, at the same place. */
CASE(stack_lanes)
{
   const uint32_t at = lane % 16;
   uint32_t words[17] = {0};
   words[at] = IN(0);
   words[at + 1] = IN(1);
   out[0] = words[at];
   if (at < 5) {
      words[1] = IN(2);
      out[0] = words[0];
   }
   out[1] = words[1];
   out[2] = words[8];
   out[3] = words[9];
}

static const struct rig_case cases[] = {
    {OWN "iadd r13, r12, 4\nload r8, du0, r13, i8, x, a\nshl r14, r1, 3\niadd r14, r14, 3\n"
         "load r9, du0, r14, i16, x, a\niadd r13, r12, 11\nload r10l, du0, r13, i8, x, b\nshl r14, r1, 2\n"
         "load r11, du0, r14, i32, w, b\nwait a\nwait b",
     sizes},
    {"load r8_r9_r10_r11, du0, r1, lsl 2, i16, xyzw, a\nwait a\nshl r14, r1, 3\n"
     "load r8_r9_r10_r11, du0, r14, i16, xyzw, a\nwait a",
     vectors},
    {"load r8_r9, du0, r1, lsl 2, i32, xz, a\nshl r14, r1, 2\nload r10, du0, r14, i32, w, a\nwait a", holes},
    {"shl r14, r1, 3\nload r8l_r8h_r9l_r9h, du0, r14, i16, xyzw, a\nwait a", halves},
    {"shr r12, r1, 5\nshl r13, r12, 7\nand r14, r4, 127\niadd r14, r14, r13\nload r8, du0, r14, i32, x, a\n"
     "shl r13, r12, 8\nand r14, r5, 254\niadd r14, r14, r13\nload r9l_r9h, du0, r14, i16, xy, a\n"
     "shl r13, r12, 9\nldimm r15, 511\nand r14, r6, r15\niadd r14, r14, r13\nload r10, du0, r14, i8, x, a\nwait a",
     scattered},
    {"shr r12, r1, 5\nshl r12, r12, 8\nand r13, r1, 31\niadd r12, r12, r13\niadd r13, r12, 32\n"
     "store r4h, du2, r12, i16, x, a\nstore r5l, du2, r13, i16, x, a\nload r8l, du2, r12, i16, x, a\n"
     "load r9h, du2, r13, i16, x, a\nwait a",
     lines_of_halves},
    {OWN "ldimm r14, 0\niadd dr16, r12, r14\nmov r18, u0\nmov r19, u1\niadd dr16, dr16, dr18\niadd dr20, dr16, 15\n"
         "ldimm r22, -2\nload r8, dr20, r22.sx, i32, x, a\nload r9, dr20, -1, i32, x, a\n"
         "ldimm r22, -6\nload r10, dr20, r22.sx, i16, x, a\nwait a",
     indices},
    {OWN "load r8, du0, r12, u8norm, x, a\niadd r13, r12, 1\nload r9, du0, r13, s8norm, x, a\nshl r14, r1, 3\n"
         "iadd r15, r14, 2\nload r10, du0, r15, u16norm, x, a\niadd r15, r14, 3\nload r11, du0, r15, s16norm, x, a\n"
         "wait a",
     norms},
    {"shl r14, r1, 2\niadd r14, r14, 1\nload r8_r9_r10_r11, du0, r14, rgb10a2, xyzw, a\nwait a", rgb10a2},
    {"shl r14, r1, 2\niadd r14, r14, 2\nload r8_r9_r10, du0, r14, rg11b10f, xyz, a\nwait a", rg11b10f},
    {"shl r14, r1, 2\niadd r14, r14, 3\nload r8_r9_r10, du0, r14, rgb9e5, xyz, a\nwait a", rgb9e5},
    {OWN "load r8, du0, r12, u8norm, x, a\nshl r14, r1, 3\niadd r15, r14, 2\nload r9, du0, r15, u16norm, x, a\n"
         "shl r16, r1, 2\niadd r17, r16, 2\nload r20_r21_r22_r23, du0, r17, rgb10a2, xyzw, a\nwait a\n"
         "ldimm r10, 0\nldimm r11, 0\nstore r10_r11, du2, r16, i32, xy, a\n"
         "store r8, du2, r12, u8norm, x, a\niadd r15, r14, 2\nstore r9, du2, r15, u16norm, x, a\n"
         "store r20_r21_r22_r23, du2, r17, rgb10a2, xyzw, a\nldimm r8, 0\nldimm r9, 0\n"
         "load r8_r9_r10, du2, r16, i32, xyz, a\nwait a\nldimm r11, 0",
     round_trip},
    {"mov r12, sr52\nshl r13l, r12l, 2\nlstore r5, r13l, 0, i32, x\nlstore r6l, r13l, 64, i16, x\nbarrier\n"
     "iadd r14, r12, 1\nand r14l, r14l, 31\nlload r8, r14l, i32, x\nshl r15l, r14l, 2\n"
     /* Outside the threadgroup's 512 bytes: stores and atomics do nothing, loads give 0. */
     "lload r9, r15l, 64, i16, x\nldimm r16l, 0xfffc\nlstore r5, r16l, 0, i32, x\nlatomic _, r6, r16l, 0, add\n"
     "lstore r5, 128, i32, x\nlatomic r17, r6, 128, umax\nlload r10, r16l, 0, i32, x",
     local},
    {"ldimm r12, 0\nlstore r12, 0, i32, x\nlstore r12, 1, i32, x\nlatomic r8, r5, 0, add\n"
     "latomic _, r6, 1, umax\nlload r9_r10, 0, i32, xy",
     local_atomics},
    {"stack_adjust 16\nstack_store r4_r5_r6_r7, 0, i32, xyzw, a\nldimm r12, 8\nstack_load r8, r12, i32, x, a\n"
     "stack_load r9, 0, i32, x, a\nstack_load r10, 4, i16, x, a\nstack_load r11, 13, i8, x, a\nwait a\n"
     "stack_adjust -16",
     stack},
    {"stack_adjust 8\nstack_store r4, 0, i32, x, a\nstack_adjust 4\nstack_store r5, 0, i32, x, a\n"
     "stack_load r8, 0, i32, x, a\nwait a\nstack_adjust -4\nstack_load r9, 0, i32, x, a\nwait a\nstack_adjust -8",
     frames},
    {"stack_adjust 20\nldimm r0l, 0\nmov r13, sr52\nldimm r12, 15\nand r12, r13, r12\nshl r13, r12, 2\n"
     "stack_store r4_r5, r13, i32, xy, a\nstack_load r8, r13, i32, x, a\nif r12, 5, 1, ult\n"
     "stack_store r6, 4, i32, x, a\nstack_load r8, 0, i32, x, a\npop_exec 1\nstack_load r9, 4, i32, x, a\n"
     "stack_load r10_r11, 32, i32, xy, a\nwait a\nstack_adjust -20",
     stack_lanes},
};

static void run_cases(void)
{
   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      rig_cases_with(&cases[i], 1, 1024, rig_fill,
                     (struct rig_wants){.threadgroup_bytes = 512, .group = 32, .spill = 3});
   }
}

/* ---- Device atomics, on several host threads ---- */

static void device_atomics(const struct vgpu_level *level)
{
   struct rig rig;
   rig_init(&rig, 65536);
   rig_fill(&rig);
   rig.launch.group[0] = 64;
   rig.launch.threads = 4;
   rig_program(&rig, "mov r1, sr80\nload r4_r5_r6_r7, du0, r1, lsl 2, i32, xyzw, a\nwait a\n"
                     "atomic r8, r4, du2, 0, add, a\natomic _, r5, du2, 1, umax, a\natomic _, r5, du2, 2, imin, a\n"
                     "atomic _, r6, du2, 3, xor, a\natomic _, r7, du2, 4, or, a\natomic _, r7, du2, 5, and, a\n"
                     "ldimm r9, 1\natomic r10, r9, du2, 6, sub, a\n"
                     /* a spin of compare-and-exchange that counts up by one */
                     "ldimm r0l, 0\ntop: load r13, du2, 7, i32, x, a\nwait a\niadd r12, r13, 1\n"
                     "atomic r14, r12, du2, 7, cmpxchg, a\nwait a\nwhile r14, r13, 1, ine\njmp_any top\npop_exec 1\n"
                     "stop\n");
   memset(rig.output, 0, 64);
   uint32_t want[8] = {0, 0, 0, 0, 0, 0, 0 - 65536u, 65536}, minus_one = UINT32_MAX;
   memcpy(rig.output + 20, &minus_one, 4);
   want[5] = UINT32_MAX;
   for (uint32_t i = 0; i < 65536; i++) {
      const uint32_t *in = rig_in(&rig, i);
      want[0] += in[0];
      want[1] = in[1] > want[1] ? in[1] : want[1];
      want[2] = (int32_t)in[1] < (int32_t)want[2] ? in[1] : want[2];
      want[3] ^= in[2];
      want[4] |= in[3];
      want[5] &= in[3];
   }
   rig_run(&rig, level);
   for (unsigned i = 0; i < 8; i++) {
      if (rig_out(&rig, 0)[i] != want[i]) {
         rig_fail("atomic %u (%s): %08x, expected %08x", i, level->name, rig_out(&rig, 0)[i], want[i]);
      }
   }
   rig_finish(&rig);
}

static double seconds(clockid_t clock)
{
   struct timespec now;
   clock_gettime(clock, &now);
   return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Many on one word, so often that host threads have met there, however busy the host is: an update that another one
 * overwrites shows in the sum. What they use of the processors beyond one at a time, they use at the same time. */
static void contended(const char *operation, const char *data, uint32_t want, uint32_t threads, unsigned each)
{
   struct rig rig;
   char text[4096];
   double overlap = 0;
   int used = snprintf(text, sizeof(text), "mov r1, sr80\nldimm r4, 1\n");
   for (unsigned i = 0; i < each; i++) {
      used += snprintf(text + used, sizeof(text) - (size_t)used, "atomic _, %s, du2, 0, %s, a\n", data, operation);
   }
   snprintf(text + used, sizeof(text) - (size_t)used, "stop\n");
   rig_init(&rig, threads);
   rig.launch.group[0] = 64;
   rig.launch.threads = 4;
   rig_program(&rig, text);
   for (double total = 0; total < 1 && overlap < 0.02;) {
      memset(rig.output, 0, sizeof(uint32_t));
      double start = seconds(CLOCK_MONOTONIC), used_before = seconds(CLOCK_PROCESS_CPUTIME_ID);
      rig_run(&rig, vgpu_best_level());
      double wall = seconds(CLOCK_MONOTONIC) - start, both = seconds(CLOCK_PROCESS_CPUTIME_ID) - used_before;
      overlap += both > wall ? both - wall : 0;
      total += wall;
      if (rig_out(&rig, 0)[0] != want) {
         rig_fail("%u times atomic %s: %08x, expected %08x", threads * each, operation, rig_out(&rig, 0)[0], want);
         break;
      }
   }
   rig_finish(&rig);
}

static void contended_atomics(void)
{
   enum { THREADS = 65536, EACH = 64 };
   contended("add", "r4", THREADS * EACH, THREADS, EACH);
   contended("sub", "r4", 0u - THREADS * EACH, THREADS, EACH);
   contended("xor", "r1", 0, THREADS, EACH); /* each thread its number, an even number of times */
}

/* umax64 and umin64 on the M2; a fault on the M1; a compare-and-exchange where bit 45 means coherence. */
static void wide_atomics(void)
{
   static const struct {
      const char *chip;
      enum vgpu_fault fault;
      uint64_t result;
   } wanted[] = {
       {"m1", VGPU_FAULT_INSTRUCTION, 5}, {"m2", VGPU_FAULT_NONE, 0x7000000020}, {"m1-max", VGPU_FAULT_NONE, 5}};
   for (unsigned i = 0; i < 3; i++) {
      struct rig rig;
      rig_init(&rig, 32);
      rig.launch.chip = vgpu_chip_find(wanted[i].chip);
      rig_program(&rig, "mov r4, sr52\niadd r4, r4, 1\nldimm r5, 0x70\natomic _, dr4, du2, 0, umax64, a\nstop\n");
      uint64_t five = 5, found;
      memcpy(rig.output, &five, sizeof(five));
      vgpu_core_run(&rig.launch, &rig.outcome);
      memcpy(&found, rig.output, sizeof(found));
      if (rig.outcome.fault != wanted[i].fault || found != wanted[i].result) {
         rig_fail("umax64 on %s: fault %d (%s), result %llx", wanted[i].chip, rig.outcome.fault, rig.outcome.message,
                  (unsigned long long)found);
      }
      rig_finish(&rig);
   }
}

/* A device atomic carries bit 45 on G13X and on what has several dies, and nowhere else; others are faults. */
static void coherent_atomics(void)
{
   static const struct {
      const char *chip;
      bool coherent;
   } wanted[] = {{"m1", false}, {"m1-pro", true},  {"m1-max", true},  {"m1-ultra", true},
                 {"m2", false}, {"m2-pro", false}, {"m2-max", false}, {"m2-ultra", true}};
   for (unsigned i = 0; i < 2 * sizeof(wanted) / sizeof(wanted[0]); i++) {
      const bool coherent = i & 1, right = coherent == wanted[i / 2].coherent;
      struct rig rig;
      uint32_t count;
      rig_init(&rig, 32);
      rig.launch.chip = vgpu_chip_find(wanted[i / 2].chip);
      rig_program(&rig, coherent ? "ldimm r4, 1\natomic _, r4, du2, 0, add, coherent3, a\nstop\n"
                                 : "ldimm r4, 1\natomic _, r4, du2, 0, add, coherent1, a\nstop\n");
      vgpu_core_run(&rig.launch, &rig.outcome);
      memcpy(&count, rig.output, sizeof(count));
      if (rig.outcome.fault != (right ? VGPU_FAULT_NONE : VGPU_FAULT_INSTRUCTION) || count != (right ? 32 : 0) ||
          (!right && !strstr(rig.outcome.message, "bit 45"))) {
         rig_fail("atomic %s bit 45 on %s: fault %d (%s), count %u", coherent ? "with" : "without", wanted[i / 2].chip,
                  rig.outcome.fault, rig.outcome.message, count);
      }
      rig_finish(&rig);
   }
}

/* ---- Faults ---- */

static void unmapped(void)
{
   struct rig rig;
   rig_init(&rig, 64);
   rig_fill(&rig);
   const char *program = "mov r1, sr80\nldimm r4, 0x12340000\nldimm r5, 0x7\nldimm r8, 7\nload r8, dr4, r1, i32, x, a\n"
                         "wait a\nstore r8, dr4, r1, i32, x, a\nstore r8, du2, r1, i32, x, a\n"
                         /* the last whole element of the input, and the one behind it */
                         "load r9, du0, 8191, i32, x, a\nstore r1, du0, 0, i32, x, a\nstop\n";
   rig_program(&rig, program);
   memset(rig.output, 0xff, 256);
   rig_run(&rig, vgpu_best_level());
   const struct vgpu_outcome *o = &rig.outcome;
   for (unsigned i = 0; i < 64; i++) {
      if (((const uint32_t *)(const void *)rig.output)[i] != 0) {
         rig_fail("a load from unmapped memory gave %08x", ((const uint32_t *)(const void *)rig.output)[i]);
      }
   }
   /* 64 loads and stores at 0x7.., 64 loads past the input, 64 stores into read-only memory. */
   if (o->soft.loads != 128 || o->soft.stores != 128 || o->soft.address != 0x712340000) {
      rig_fail("soft faults: %llu loads, %llu stores, first at %llx", (unsigned long long)o->soft.loads,
               (unsigned long long)o->soft.stores, (unsigned long long)o->soft.address);
   }
   rig.launch.soft_faults = false;
   vgpu_core_run(&rig.launch, &rig.outcome);
   if (rig.outcome.fault != VGPU_FAULT_MEMORY || !strstr(rig.outcome.message, "712340000")) {
      rig_fail("hard fault: %d, %s", rig.outcome.fault, rig.outcome.message);
   }
   rig_finish(&rig);
}

/* Faults of a preamble are told from those of the main program, whose first one is the one that is described. */
static void unmapped_in_preamble(void)
{
   static const struct {
      const char *main;
      uint64_t loads, address;
      const char *place;
   } preambles[] = {
       {"stop\n", 1, 0x912340000, "preamble + 0xc: load r8, dr4, 0, i32, x, a"},
       {"ldimm r4, 0x12340000\nldimm r5, 0x7\nload r8, dr4, 0, i32, x, a\nstop\n", 65, 0x712340000,
        "main + 0xc: load r8, dr4, 0, i32, x, a"},
   };
   for (size_t i = 0; i < sizeof(preambles) / sizeof(preambles[0]); i++) {
      struct rig rig;
      char text[512];
      rig_init(&rig, 64);
      snprintf(text, sizeof(text),
               ".preamble\nldimm r4, 0x12340000\nldimm r5, 0x9\nload r8, dr4, 0, i32, x, a\nstop\n.main\n%s",
               preambles[i].main);
      rig_program(&rig, text);
      rig.launch.preamble_half_registers = 32;
      rig_run(&rig, vgpu_best_level());
      const struct vgpu_soft_faults *soft = &rig.outcome.soft;
      if (soft->loads != preambles[i].loads || soft->preamble_loads != 1 || soft->stores != 0 ||
          soft->address != preambles[i].address || strcmp(soft->place, preambles[i].place) != 0) {
         rig_fail("soft faults: %llu loads, %llu of them the preamble's, first at %llx, %s",
                  (unsigned long long)soft->loads, (unsigned long long)soft->preamble_loads,
                  (unsigned long long)soft->address, soft->place);
      }
      rig_finish(&rig);
   }
}

/* Vectors that cross from a mapped page into an unmapped one: each component for itself. */
static void across(void)
{
   struct rig rig;
   rig_init(&rig, 32);
   uint32_t *input = (uint32_t *)(void *)rig.input;
   input[4094] = 11;
   input[4095] = 22;
   rig_program(&rig, "ldimm r8, 9\nldimm r9, 9\nldimm r10, 9\nload r8_r9_r10, du0, 4094, i32, xyz, a\nwait a\n"
                     "store r8_r9_r10, du2, 0, i32, xyz, a\nstore r8_r9, du2, 4095, i32, xy, a\nstop\n");
   rig_run(&rig, vgpu_best_level());
   const uint32_t *out = rig_out(&rig, 0);
   if (out[0] != 11 || out[1] != 22 || out[2] != 0 || ((const uint32_t *)(const void *)rig.output)[4095] != 11 ||
       rig.outcome.soft.loads != 32 || rig.outcome.soft.stores != 32) {
      rig_fail("across a page: %u %u %u %u, %llu and %llu faults", out[0], out[1], out[2],
               ((const uint32_t *)(const void *)rig.output)[4095], (unsigned long long)rig.outcome.soft.loads,
               (unsigned long long)rig.outcome.soft.stores);
   }
   rig_finish(&rig);
}

/* A lane's address is 4 GiB from the others', which lie on one page: its low word alone would be on that page. */
static void far_lanes(const struct vgpu_level *level)
{
   struct rig rig;
   rig_init(&rig, 32);
   uint32_t *input = (uint32_t *)(void *)rig.input;
   for (unsigned lane = 0; lane < 32; lane++) {
      input[lane] = lane == 5 ? 0x40000003 : lane == 6 ? 0xc0000003 : lane ^ 1;
   }
   rig_program(&rig, "mov r12, sr52\nload r13, du0, r12, i32, x, a\nwait a\nload r8, du0, r13, i32, x, a\n"
                     "load r9, du0, r13.sx, i32, x, a\nwait a\nstore r8, du2, r12, i32, x, a\niadd r12, r12, 32\n"
                     "store r9, du2, r12, i32, x, a\nstop\n");
   rig_run(&rig, level);
   const uint32_t *out = rig_out(&rig, 0);
   for (unsigned lane = 0; lane < 64; lane++) {
      const uint32_t from = lane % 32, want = from == 5 || from == 6 ? 0 : input[from ^ 1];
      if (out[lane] != want) {
         rig_fail("%s: lane %u of load %u is 0x%08x, not 0x%08x", level->name, from, lane / 32, out[lane], want);
      }
   }
   rig_finish(&rig);
}

int main(void)
{
   run_cases();
   each_local_operation();
   for (size_t l = 0; l < vgpu_level_count; l++) {
      if (vgpu_levels[l].usable()) {
         device_atomics(&vgpu_levels[l]);
         far_lanes(&vgpu_levels[l]);
      }
   }
   contended_atomics();
   wide_atomics();
   coherent_atomics();
   unmapped();
   unmapped_in_preamble();
   across();
   return rig_result();
}
