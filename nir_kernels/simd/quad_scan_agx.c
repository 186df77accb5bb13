/* SPDX-License-Identifier: MIT
 *
 * quad/exclusive-*, quad/ballot32, subtests in assembly: Mesa has no intrinsic for scans and ballots of a quad.
 */
#include <stdio.h>
#include <stdlib.h>

#include "nir_kernels/agx_text.h"
#include "nir_kernels/groups.h"
#include "nir_kernels/simd/lane_check.h"

/* r4: value, r5: initial value of the result, r6: whether the lane is active. A 16-bit result replaces the whole
 * register. */
/* clang-format off */
static const char before[] =
   AGX_BEGIN("scan")
   AGX_LOAD_WORDS
   "   ldimm    r0l, 0\n"
   "   if       r6, 0, 1, ine\n";
static const char after[] =
   "   pop_exec 1\n"
   "   store    r5, du2, r2, i32, x, a\n"
   AGX_END;
/* clang-format on */

static char *make_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   static const char *const ops[] = {
       [LANE_AND] = "and",   [LANE_OR] = "or",     [LANE_XOR] = "xor",   [LANE_IADD] = "iadd",
       [LANE_SMIN] = "smin", [LANE_SMAX] = "smax", [LANE_UMIN] = "umin", [LANE_UMAX] = "umax",
       [LANE_FADD] = "fadd", [LANE_FMUL] = "fmul", [LANE_FMIN] = "fmin", [LANE_FMAX] = "fmax",
   };
   const struct lane_check *check = benchmark->data;
   char *text = NULL;
   size_t size = 0;
   FILE *file = open_memstream(&text, &size);

   (void)variant;
   if (file == NULL) {
      return NULL;
   }
   fputs(before, file);
   if (check->kind == LANE_BALLOT) {
      fputs("   and      r4, r4, 1\n   ballot   r5, r4, 0, ine, quad\n", file);
   } else if (check->bits == 16) {
      fprintf(file, "   ldimm    r5, 0\n   quad     r5l, r4l, prefix, %s\n", ops[check->op]);
   } else {
      fprintf(file, "   quad     r5, r4, prefix, %s\n", ops[check->op]);
   }
   fputs(after, file);
   if (fclose(file) != 0) {
      free(text);
      return NULL;
   }
   return text;
}

/* clang-format off */
#define ROW(name_, what, instruction_, op_, ...)                                                                       \
   {"quad", name_, what, LANE_CHECK, .text = make_text, .data = &(const struct lane_check){__VA_ARGS__},               \
    .codegen = {instruction_, op_, .registers = BENCH_ANY, .per_operation = 1, .whole_program = true}},
#define MASKS(name_, what, instruction, code, ...)                                                                     \
   ROW(name_, what ", all lanes active", instruction, code, __VA_ARGS__, false)                                        \
   ROW(name_ "-inactive", what ", some lanes inactive", instruction, code, __VA_ARGS__, true)
#define WIDTHS(name_, what, op)                                                                                        \
   MASKS("exclusive-" name_ "16", what ", 16 bits, of the quad's lanes before", "quad", ISA_OP_PREFIX, LANE_EXCLUSIVE, \
         op, 16, 4)                                                                                                    \
   MASKS("exclusive-" name_ "32", what " of the quad's lanes before", "quad", ISA_OP_PREFIX, LANE_EXCLUSIVE, op, 32, 4)

static const struct benchmark benchmarks[] = {
   WIDTHS("and", "bitwise and", LANE_AND)
   WIDTHS("or", "bitwise or", LANE_OR)
   WIDTHS("xor", "bitwise exclusive or", LANE_XOR)
   WIDTHS("iadd", "sum", LANE_IADD)
   WIDTHS("smin", "signed minimum", LANE_SMIN)
   WIDTHS("smax", "signed maximum", LANE_SMAX)
   WIDTHS("umin", "unsigned minimum", LANE_UMIN)
   WIDTHS("umax", "unsigned maximum", LANE_UMAX)
   WIDTHS("fadd", "sum of floats", LANE_FADD)
   WIDTHS("fmul", "product of floats", LANE_FMUL)
   WIDTHS("fmin", "minimum of floats", LANE_FMIN)
   WIDTHS("fmax", "maximum of floats", LANE_FMAX)
   MASKS("ballot32", "the quad's lanes whose value is odd", "ballot", ISA_OP_ICMP_BALLOT, LANE_BALLOT, 0, 32, 4)
};
/* clang-format on */

const struct bench_group bench_quad_scan_agx = BENCH_GROUP(benchmarks);
