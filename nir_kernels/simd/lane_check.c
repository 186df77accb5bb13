/* SPDX-License-Identifier: MIT
 *
 * The kernels of the lane checks that Mesa can emit, built in NIR. Invariant: a lane that does not take part keeps what
 * its result held before.
 */
#include "nir_kernels/simd/lane_check.h"

#ifdef BENCH_WITH_NIR
#include "compiler/nir.h"
#endif

#include "nir_kernels/groups.h"

#ifdef BENCH_WITH_NIR
static const nir_op ops[] = {
    [LANE_AND] = nir_op_iand,  [LANE_OR] = nir_op_ior,    [LANE_XOR] = nir_op_ixor,  [LANE_IADD] = nir_op_iadd,
    [LANE_IMUL] = nir_op_imul, [LANE_SMIN] = nir_op_imin, [LANE_SMAX] = nir_op_imax, [LANE_UMIN] = nir_op_umin,
    [LANE_UMAX] = nir_op_umax, [LANE_FADD] = nir_op_fadd, [LANE_FMUL] = nir_op_fmul, [LANE_FMIN] = nir_op_fmin,
    [LANE_FMAX] = nir_op_fmax,
};

static nir_def *compute(nir_builder *b, const struct lane_check *check, nir_def *x)
{
   const unsigned cluster = check->lanes == 32 ? 0 : check->lanes;

   switch (check->kind) {
   case LANE_REDUCE:
      return nir_reduce(b, x, .reduction_op = ops[check->op], .cluster_size = cluster);
   case LANE_EXCLUSIVE:
      return nir_exclusive_scan(b, x, .reduction_op = ops[check->op]);
   case LANE_INCLUSIVE:
      return nir_inclusive_scan(b, x, .reduction_op = ops[check->op]);
   case LANE_BALLOT:
      return nir_ballot(b, 1, 32, nir_i2b(b, nir_iand_imm(b, x, 1)));
   case LANE_ANY:
      x = nir_i2b(b, nir_iand_imm(b, x, 1));
      return nir_b2i32(b, cluster == 0 ? nir_vote_any(b, 1, x) : nir_quad_vote_any(b, 1, x));
   case LANE_ALL:
      x = nir_i2b(b, nir_iand_imm(b, x, 1));
      return nir_b2i32(b, cluster == 0 ? nir_vote_all(b, 1, x) : nir_quad_vote_all(b, 1, x));
   case LANE_EQUAL:
      return nir_b2i32(b, nir_vote_ieq(b, 1, x));
   case LANE_ELECT:
      return nir_b2i32(b, nir_elect(b, 1));
   default:
      return nir_read_first_invocation(b, x);
   }
}

static void build(nir_builder *b, const struct benchmark *benchmark)
{
   const struct lane_check *check = benchmark->data;
   nir_variable *result = nir_local_variable_create(b->impl, glsl_uint_type(), "result");
   nir_def *thread = nir_u2u64(b, nir_channel(b, nir_load_global_invocation_id(b, 32), 0));
   nir_def *words = compat_load_global(
       b, nir_iadd(b, compiler_nir_argument(b, 0), nir_imul_imm(b, thread, LANE_INPUT_STRIDE)), 16, 4, 32);

   nir_store_var(b, result, nir_channel(b, words, 1), 1);
   nir_push_if(b, nir_ine_imm(b, nir_channel(b, words, 2), 0));
   {
      nir_def *x = check->constant ? nir_imm_intN_t(b, LANE_CONSTANT, check->bits)
                                   : nir_u2uN(b, nir_channel(b, words, 0), check->bits);

      nir_store_var(b, result, nir_u2u32(b, compute(b, check, x)), 1);
   }
   nir_pop_if(b, NULL);
   compat_store_global(b, nir_iadd(b, compiler_nir_argument(b, 1), nir_imul_imm(b, thread, 4)), 4,
                       nir_load_var(b, result), 1);
}
#endif

/* clang-format off */
#define ROW(group_, name_, what, ...)                                                                                  \
   {group_, name_, what, LANE_CHECK, .nir = BENCH_NIR(build), .data = &(const struct lane_check){__VA_ARGS__}},
#define MASKS(group_, name_, what, ...)                                                                                \
   ROW(group_, name_, what ", all lanes active", __VA_ARGS__, false)                                                   \
   ROW(group_, name_ "-inactive", what ", some lanes inactive", __VA_ARGS__, true)
#define KINDS(name_, what, op, bits)                                                                                   \
   MASKS("simd", "reduce-" name_, what " of all lanes", LANE_REDUCE, op, bits, 32)                                     \
   MASKS("simd", "exclusive-" name_, what " of the lanes before", LANE_EXCLUSIVE, op, bits, 32)                        \
   MASKS("simd", "inclusive-" name_, what " of the lanes up to it", LANE_INCLUSIVE, op, bits, 32)                      \
   MASKS("quad", "reduce-" name_, what " of the quad's lanes", LANE_REDUCE, op, bits, 4)
#define WIDTHS(name_, what, op)                                                                                        \
   KINDS(name_ "16", what ", 16 bits,", op, 16)                                                                        \
   KINDS(name_ "32", what, op, 32)

static const struct benchmark benchmarks[] = {
   WIDTHS("and", "bitwise and", LANE_AND)
   WIDTHS("or", "bitwise or", LANE_OR)
   WIDTHS("xor", "bitwise exclusive or", LANE_XOR)
   WIDTHS("iadd", "sum", LANE_IADD)
   WIDTHS("imul", "product", LANE_IMUL)
   WIDTHS("smin", "signed minimum", LANE_SMIN)
   WIDTHS("smax", "signed maximum", LANE_SMAX)
   WIDTHS("umin", "unsigned minimum", LANE_UMIN)
   WIDTHS("umax", "unsigned maximum", LANE_UMAX)
   WIDTHS("fadd", "sum of floats", LANE_FADD)
   WIDTHS("fmul", "product of floats", LANE_FMUL)
   WIDTHS("fmin", "minimum of floats", LANE_FMIN)
   WIDTHS("fmax", "maximum of floats", LANE_FMAX)
   ROW("simd", "exclusive-smin16-constant", "signed minimum, 16 bits, of the lanes before, of an immediate",
       LANE_EXCLUSIVE, LANE_SMIN, 16, 32, false, true)
   ROW("simd", "exclusive-smax16-constant", "signed maximum, 16 bits, of the lanes before, of an immediate",
       LANE_EXCLUSIVE, LANE_SMAX, 16, 32, false, true)
   MASKS("simd", "ballot32", "the lanes whose value is odd", LANE_BALLOT, 0, 32, 32)
   MASKS("simd", "vote-any", "is any lane's value odd", LANE_ANY, 0, 32, 32)
   MASKS("simd", "vote-all", "are all lanes' values odd", LANE_ALL, 0, 32, 32)
   MASKS("simd", "vote-equal16", "have all lanes the same value, 16 bits", LANE_EQUAL, 0, 16, 32)
   MASKS("simd", "vote-equal32", "have all lanes the same value", LANE_EQUAL, 0, 32, 32)
   MASKS("simd", "elect", "is this the first lane", LANE_ELECT, 0, 32, 32)
   MASKS("simd", "read-first16", "the first lane's value, 16 bits", LANE_FIRST, 0, 16, 32)
   MASKS("simd", "read-first32", "the first lane's value", LANE_FIRST, 0, 32, 32)
   MASKS("quad", "vote-any", "is any value of the quad odd", LANE_ANY, 0, 32, 4)
   MASKS("quad", "vote-all", "are all values of the quad odd", LANE_ALL, 0, 32, 4)
};
/* clang-format on */

const struct bench_group bench_lane_check = BENCH_GROUP(benchmarks);
