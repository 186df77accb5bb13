/* SPDX-License-Identifier: MIT
 *
 * What a scheduler sees of an instruction: its timing class, whether its result must be waited for, whether it
 * branches. Written down from spec/isa.md (1.5, 2.9, 2.11, 7) and the rows of results/reference/instr.csv, not from the
 * table.
 */
#include "isa/assembler/asm.h"
#include "isa/isa.h"
#include "tests/check.h"

#include <stdio.h>
#include <string.h>

static const struct {
   const char *text, *timing;
   bool async, branch;
} cases[] = {
    {"hadd r0l, r1l, r2l", "fadd16"},
    {"hmul r0l, r1l, r2l", "fmul16"},
    {"hfma r0l, r1l, r2l, r3l", "ffma16"},
    {"fadd r0, r1, r2", "fadd32"},
    {"fadd r0l, r1l, r2l", "fadd32"}, /* single precision, whatever its operands are */
    {"fmul r0, r1, r2", "fmul32"},
    {"ffma r0, r1, r2, r3", "ffma32"},
    {"iadd r0l, r1l, r2l", "iadd16"},
    {"iadd r0, r1l, r2l", "iadd32"},
    {"iadd dr0, r2, r3", "iadd64"},
    {"iadd r0, r1, r2, sat", "iaddsat32"},
    {"imul r0l, r1l, r2l", "imul16"},
    {"imul r0, r1, r2", "imul32"},
    {"imadd r0, r1, r2, r3", "imul32"},
    {"imul dr0, r2, r3", "imul64"},
    {"imadd dr0, r2, r3, dr4", "imul64"},
    {"mov r0, r1", "bitwise"},
    {"and r0, r1, r2", "bitwise"},
    {"bitop r0, r1, r2, 12", "bitwise"},
    {"csel r0l, r1l, r2l, r3l, r4l, ult", "cmpsel16"},
    {"csel r0, r1, r2, r3, r4, ult", "cmpsel32"},
    {"csel r0l, r1l, r2l, r3l, r4l, flt", "cmpsel16"},
    {"csel r0, r1, r2, r3, r4, flt", "cmpsel32"},
    {"shl r0, r1, r2", "shift"},
    {"shr r0, r1, r2", "shift"},
    {"asr r0, r1, r2", "shift"},
    {"asrh r0, r1, r2", "shift"},
    {"bfi r0, r1, r2, r3, 4", "shift"},
    {"bfeil r0, r1, r2, r3, 4", "shift"},
    {"extr r0, r1, r2, r3, 0", "shift"},
    {"shlhi r0, r1, r2, r3, 0", "shift"},
    {"shrhi r0, r1, r2, r3, 0", "shift"},
    {"bitrev r0, r1", "bitrev"},
    {"popcnt r0, r1", "popcount"},
    {"ffs r0, r1", "ffs"},
    {"intl r0, r1l, r2l", "interleave"},
    {"u8_to_f r0, r1, rte", "convert"},
    {"f_to_s32 r0, r1, rtz", "convert"},
    {"floor r0, r1", "rint"},
    {"ceil r0, r1", "rint"},
    {"trunc r0, r1", "rint"},
    {"rint r0, r1", "rint"},
    {"rcp r0, r1", "rcp"},
    {"rsqrt r0, r1", "rsqrt"},
    {"rsqrts r0, r1", "rsqrt"},
    {"sinr r0, r1", "sin_pt_1"},
    {"sinc r0, r1", "sin_pt_2"},
    {"exp2 r0l, r1l", "exp2_16"},
    {"exp2 r0, r1", "exp2_32"},
    {"log2 r0l, r1l", "log2_16"},
    {"log2 r0, r1", "log2_32"},
    {"ldimm r0, 1", "mov_imm"},
    {"ldimm r0l, 1", "mov_imm"},
    {"mov r0, core_index", "get_sr"},
    {"shuffle r0, r1, r2l", "simd_shuffle"},
    {"shuffle r0, r1, 1, xor", "simd_shuffle"},
    {"shuffle r0, r1, 1, up, rotate", "simd_shuffle"},
    {"shuffle r0, r1, r2l, quad", "quad_shuffle"},
    {"shuffle r0, r1, 1, quad, down", "quad_shuffle"},
    {"ballot r0, r1, r2, ult", "simd_ballot"},
    {"ballot r0, r1, r2, flt", "simd_ballot"},
    {"ballot r0", "simd_ballot"},
    {"ballot r0, r1, r2, ult, quad", "quad_ballot"},
    {"ballot r0, r1, r2, flt, quad", "quad_ballot"},
    {"simd r0l, r1l, fadd", "simd_sum_f16"},
    {"simd r0, r1, fmin", "simd_sum_f32"},
    {"simd r0l, r1l, iadd", "simd_sum_i16"},
    {"simd r0, r1, umax", "simd_sum_i32"},
    {"simd r0l, r1l, and", "simd_bitwise16"},
    {"simd r0, r1, xor", "simd_bitwise32"},
    {"simd r0, r1, prefix, fadd", "simd_prefix_f"},
    {"simd r0, r1, prefix, iadd", "simd_prefix_i"},
    {"simd r0, r1, prefix, or", "simd_prefix_i"},
    {"quad r0l, r1l, fadd", "quad_sum_f16"},
    {"quad r0, r1, fmin", "quad_sum_f32"},
    {"quad r0l, r1l, iadd", "quad_sum_i16"},
    {"quad r0, r1, umax", "quad_sum_i32"},
    {"quad r0l, r1l, and", "quad_bitwise16"},
    {"quad r0, r1, xor", "quad_bitwise32"},
    {"quad r0, r1, prefix, fadd", "quad_prefix_f"},
    {"quad r0, r1, prefix, iadd", "quad_prefix_i"},
    {"quad r0, r1, prefix, or", "quad_prefix_i"},
    {"simd_matrix_fmadd16 r4l_r4h, r6l_r6h, r7l_r7h, r4l_r4h", "matrix16"},
    {"simd_matrix_fmadd32 r4_r5, r6_r7, r8_r9, r4_r5", "matrix32"},
    {"simd_matrix_fmadd32 r4_r5, r6l_r6h, r7l_r7h, r4_r5", "matrix_mixed"},
    {"if r0, r1, 1, ult", "exec"},
    {"else r0, r1, 1, ult", "exec"},
    {"while r0, r1, 1, ult", "exec"},
    {"if r0, r1, 1, flt", "exec"},
    {"else r0, r1, 1, flt", "exec"},
    {"while r0, r1, 1, flt", "exec"},
    {"update_exec", "exec"},
    {"pop_exec 1", "exec"},
    {"jmp_any -16", "branch", .branch = true},
    {"jmp_none 16", "branch", .branch = true},
    {"call 16", "branch", .branch = true},
    {"call r1", "branch"},
    {"ret r1", "branch"},
    {"stop", "stop"},
    {"trap", "stop"},
    {"load r0, dr2, r4, i32, x, a", "load", .async = true},
    {"store r0, dr2, r4, i32, x, a", "store", .async = true},
    {"atomic r0, r1, dr2, r4, add, a", "atomic", .async = true},
    {"atomic _, dr0, dr2, r4, umax64, a", "atomic", .async = true},
    {"lload r0, r1l, 0, i32, x", "lload"},
    {"lstore r0, r1l, 0, i32, x", "lstore"},
    {"latomic r0, r1, r2l, 0, add", "latomic"},
    {"stack_load r0, 0, i32, x, a", "stack", .async = true},
    {"stack_store r0, 0, i32, x, a", "stack", .async = true},
    {"stack_adjust 8", "stack"},
    {"mov u0, r0", "uniform_store"},
    {"wait a", "wait"},
    {"barrier", "barrier"},
    {"memory_barrier", "barrier"},
    {"device_barrier_2", "barrier"},
    {"dfdx r0, r1", "other"},
    {"smpf r0_r1_r2_r3, ts0, ss0, r4, 0, 2d, xyzw, auto_lod, a", "load", .async = true},
};

static void check(const struct isa_asm *assembler, size_t i, bool seen[ISA_TIMING_COUNT])
{
   uint8_t bytes[ISA_ASM_LINE_BYTES_MAX];
   struct isa_diagnostic wrong;
   struct isa_insn insn;
   int size = isa_asm_line(assembler, cases[i].text, strlen(cases[i].text), bytes, &wrong);

   if (size < 0) {
      printf("%s: %s\n", cases[i].text, wrong.message);
      check_failures++;
      return;
   }
   isa_decode(isa_set_default(), bytes, (size_t)size, &insn);
   enum isa_timing timing = isa_timing_class(&insn);
   seen[timing] = true;
   if (strcmp(isa_timing_name(timing), cases[i].timing) != 0 || isa_is_async(&insn) != cases[i].async ||
       isa_is_branch(&insn) != cases[i].branch) {
      printf("%s: class %s, %sasynchronous, %sbranch\n", cases[i].text, isa_timing_name(timing),
             isa_is_async(&insn) ? "" : "not ", isa_is_branch(&insn) ? "a " : "no ");
      check_failures++;
   }
}

int main(void)
{
   struct isa_asm *assembler = isa_asm_create(NULL);
   bool seen[ISA_TIMING_COUNT] = {false};

   if (assembler == NULL) {
      return 1;
   }
   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      check(assembler, i, seen);
   }
   for (unsigned timing = 0; timing < ISA_TIMING_COUNT; timing++) {
      if (!seen[timing]) {
         printf("no instruction of class %s\n", isa_timing_name((enum isa_timing)timing));
         check_failures++;
      }
   }
   isa_asm_destroy(assembler);
   printf("%zu instructions, %u failures\n", sizeof(cases) / sizeof(cases[0]), check_failures);
   return check_failures != 0;
}
