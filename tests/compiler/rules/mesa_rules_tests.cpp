/* SPDX-License-Identifier: MIT
 *
 * Unit tests of NIR in the style of Mesa's own (src/compiler/nir/tests): one for each fault of docs/mesa-bugs.md that is
 * a rule or a pass of NIR and that the newest release still has. The file can be copied into that folder as it is; names
 * are those of Mesa 25.0. Each right value is the op's own definition in nir_opcodes.py, or what OpenCL C defines where
 * the test says so.
 */
#include <initializer_list>

#include "nir_test.h"

namespace {

struct given {
   nir_def *input;
   uint64_t value;
};

class nir_rules_test : public nir_test {
 protected:
   nir_rules_test() : nir_test("nir_rules_test")
   {
   }

   /* A value that no pass knows until answer() gives it one. */
   nir_def *input(unsigned bit_size)
   {
      nir_variable *variable = nir_local_variable_create(b->impl, glsl_uintN_t_type(bit_size), "input");
      return nir_load_var(b, variable);
   }

   /* The ops that follow keep the sign of zero, infinities and NaN. */
   void exact()
   {
      b->exact = true;
      b->fp_fast_math = FLOAT_CONTROLS_SIGNED_ZERO_PRESERVE_FP16 | FLOAT_CONTROLS_SIGNED_ZERO_PRESERVE_FP32 |
                        FLOAT_CONTROLS_INF_PRESERVE_FP16 | FLOAT_CONTROLS_INF_PRESERVE_FP32 |
                        FLOAT_CONTROLS_NAN_PRESERVE_FP16 | FLOAT_CONTROLS_NAN_PRESERVE_FP32;
   }

   void fold()
   {
      while (nir_opt_constant_folding(b->shader))
         ;
   }

   /* What RESULT is after nir_opt_algebraic, when its inputs get their values only then. */
   uint64_t answer(nir_def *result, std::initializer_list<given> inputs)
   {
      nir_variable *variable = nir_local_variable_create(b->impl, glsl_uintN_t_type(result->bit_size), "result");
      nir_def *place = &nir_build_deref_var(b, variable)->def;
      nir_intrinsic_instr *store = nir_build_store_deref(b, place, result, 0x1, (gl_access_qualifier)0);

      while (nir_opt_algebraic(b->shader))
         ;

      for (const given &g : inputs) {
         b->cursor = nir_before_impl(b->impl);
         nir_def_rewrite_uses(g.input, nir_imm_intN_t(b, g.value, g.input->bit_size));
      }
      fold();

      EXPECT_TRUE(nir_src_is_const(store->src[1]));
      return nir_src_is_const(store->src[1]) ? nir_src_as_uint(store->src[1]) : 0;
   }
};

} // namespace

/* F6: sign(-0.0) is -0.0. */
TEST_F(nir_rules_test, lowered_fsign_keeps_the_sign_of_zero)
{
   options.lower_fsign = true;
   exact();
   nir_def *x = input(32);

   EXPECT_EQ(answer(nir_fsign(b, x), {{x, 0x80000000}}), 0x80000000u);
}

/* F7: the highest bit of -128 that is not the sign's is bit 6. */
TEST_F(nir_rules_test, ifind_msb_of_a_negative_power_of_two)
{
   nir_def *x = input(32);

   EXPECT_EQ(answer(nir_ifind_msb(b, nir_f2i32(b, x)), {{x, 0xc3000000}}), 6u);
}

/* F9: exact additions are not reassociated. */
TEST_F(nir_rules_test, exact_additions_of_a_fraction_keep_their_order)
{
   exact();
   nir_def *x = input(32), *y = input(32);
   nir_def *sum = nir_fadd(b, x, nir_fadd(b, y, nir_fneg(b, nir_ffract(b, x))));

   EXPECT_EQ(answer(sum, {{x, 0x3f7fffff}, {y, 0xb44c2e39}}), 0xb4400000u);
}

/* F10: floor(-0.5) + 1.0 is +0.0, trunc(-0.5) is -0.0. */
TEST_F(nir_rules_test, an_exact_sum_does_not_become_ftrunc)
{
   exact();
   nir_def *x = input(32), *fraction = nir_ffract(b, x);
   nir_def *cut = nir_iand(b, nir_flt(b, x, nir_imm_float(b, 0.0)), nir_flt(b, nir_fneg(b, fraction), fraction));

   EXPECT_EQ(answer(nir_fadd(b, nir_ffloor(b, x), nir_b2f32(b, cut)), {{x, 0xbf000000}}), 0u);
}

/* F11: 0 < NaN is false, and so is 0 >= NaN. The four rules that invert a comparison. */
TEST_F(nir_rules_test, an_inverted_slt_is_true_for_nan)
{
   exact();
   nir_def *x = input(32), *y = input(32);
   nir_def *inverted = nir_fneu(b, nir_slt(b, x, y), nir_imm_float(b, 1.0));

   EXPECT_EQ(answer(nir_b2i32(b, inverted), {{x, 0}, {y, 0x7fc00000}}), 1u);
}

TEST_F(nir_rules_test, an_slt_that_equals_0_is_true_for_nan)
{
   exact();
   nir_def *x = input(32), *y = input(32);
   nir_def *inverted = nir_feq(b, nir_slt(b, x, y), nir_imm_float(b, 0.0));

   EXPECT_EQ(answer(nir_b2i32(b, inverted), {{x, 0}, {y, 0x7fc00000}}), 1u);
}

TEST_F(nir_rules_test, an_inverted_sge_is_true_for_nan)
{
   exact();
   nir_def *x = input(32), *y = input(32);
   nir_def *inverted = nir_fneu(b, nir_sge(b, x, y), nir_imm_float(b, 1.0));

   EXPECT_EQ(answer(nir_b2i32(b, inverted), {{x, 0}, {y, 0x7fc00000}}), 1u);
}

TEST_F(nir_rules_test, an_sge_that_equals_0_is_true_for_nan)
{
   exact();
   nir_def *x = input(32), *y = input(32);
   nir_def *inverted = nir_feq(b, nir_sge(b, x, y), nir_imm_float(b, 0.0));

   EXPECT_EQ(answer(nir_b2i32(b, inverted), {{x, 0}, {y, 0x7fc00000}}), 1u);
}

/* F12: -2.5 * 12464 + 2^-24 lies just above the middle of two halves. */
TEST_F(nir_rules_test, a_folded_ffma_of_halves_rounds_once)
{
   nir_def *x = input(16), *y = input(16), *z = input(16);

   EXPECT_EQ(answer(nir_ffma(b, x, y, z), {{x, 0xc100}, {y, 0x7216}, {z, 0x0001}}), 0xf79bu);
}

/* F20: a vector of four times 64 bits has 32 bytes, NIR's vectors have at most 16 components. So the load of a byte must
 * not become one of the vector whose bytes nir_bitcast_vector() then takes: that is an assertion in a debug build. */
TEST_F(nir_rules_test, a_byte_of_a_large_vector_is_no_load_of_the_vector)
{
   nir_variable *vector = nir_local_variable_create(b->impl, glsl_vector_type(GLSL_TYPE_UINT64, 4), "vector");
   nir_def *address = &nir_build_deref_var(b, vector)->def;
   nir_deref_instr *byte = nir_build_deref_cast(b, address, nir_var_function_temp, glsl_uint8_t_type(), 0);
   nir_variable *result = nir_local_variable_create(b->impl, glsl_uint8_t_type(), "result");
   nir_def *read = nir_load_deref(b, byte);
   nir_store_var(b, result, read, 0x1);

   nir_opt_deref(b->shader);

   EXPECT_EQ(read->bit_size, 8u);
   EXPECT_EQ(read->num_components, 1u);
}

/* F24: OpenCL C 6.2.3.3: a long that becomes a float is rounded to 24 bits. */
TEST_F(nir_rules_test, an_integer_that_becomes_a_float_is_rounded)
{
   nir_def *x = input(64);

   EXPECT_EQ(answer(nir_f2i64(b, nir_i2f32(b, x)), {{x, 0x1000000000000001}}), 0x1000000000000000u);
}

/* F28: (half)(short)-0.5 is +0.0, and trunc(-0.5) is -0.0. */
TEST_F(nir_rules_test, a_float_that_becomes_an_integer_has_no_negative_zero)
{
   nir_def *x = input(16);

   EXPECT_EQ(answer(nir_i2f16(b, nir_f2i16(b, x)), {{x, 0xb800}}), 0u);
}

/* F33: OpenCL C 6.2.3.3, SPIR-V's OpFConvert: 2049.0 as a half is 2048. */
TEST_F(nir_rules_test, a_half_that_becomes_a_float_is_rounded)
{
   nir_def *x = input(32);

   EXPECT_EQ(answer(nir_f2f32(b, nir_f2f16(b, x)), {{x, 0x45001000}}), 0x45000000u);
}

/* F33: 48244.0 as a half is 48256. */
TEST_F(nir_rules_test, a_half_that_becomes_an_integer_is_rounded)
{
   nir_def *x = input(32);

   EXPECT_EQ(answer(nir_f2i32(b, nir_f2f16(b, x)), {{x, 0x473c7400}}), 48256u);
}

/* F38: what was read through a pointer ends with a store to a variable that it may point to. */
TEST_F(nir_rules_test, a_store_to_a_variable_ends_what_a_pointer_read)
{
   nir_variable *x = nir_local_variable_create(b->impl, glsl_uint_type(), "x");
   nir_variable *y = nir_local_variable_create(b->impl, glsl_uint_type(), "y");
   nir_def *first = &nir_build_deref_var(b, x)->def, *second = &nir_build_deref_var(b, y)->def;
   nir_def *either = nir_bcsel(b, nir_ine_imm(b, input(32), 0), first, second);
   nir_deref_instr *pointer = nir_build_deref_cast(b, either, nir_var_function_temp, glsl_uint_type(), 0);
   nir_variable *result = nir_local_variable_create(b->impl, glsl_uint_type(), "result");

   nir_store_var(b, x, nir_imm_int(b, 5), 0x1);
   nir_def *before = nir_load_deref(b, pointer);
   nir_store_var(b, x, nir_imm_int(b, 6), 0x1);
   nir_def *sum = nir_iadd(b, before, nir_load_deref(b, pointer));
   nir_store_var(b, result, sum, 0x1);

   nir_opt_copy_prop_vars(b->shader);

   nir_alu_instr *add = nir_instr_as_alu(sum->parent_instr);
   EXPECT_NE(add->src[0].src.ssa, add->src[1].src.ssa);
}

/* F39: the larger of -3.0 and -0.0 is -0.0. */
TEST_F(nir_rules_test, a_maximum_with_negative_zero)
{
   exact();
   nir_def *x = input(32);

   EXPECT_EQ(answer(nir_fmax(b, x, nir_imm_float(b, -0.0)), {{x, 0xc0400000}}), 0x80000000u);
}

TEST_F(nir_rules_test, a_lowered_maximum_with_negative_zero)
{
   options.lower_fminmax_signed_zero = true;
   exact();
   nir_def *x = input(32);

   EXPECT_EQ(answer(nir_fmax(b, x, nir_imm_float(b, -0.0)), {{x, 0xc0400000}}), 0x80000000u);
}

/* F41: exact products are not reassociated. */
TEST_F(nir_rules_test, exact_products_keep_their_order)
{
   exact();
   nir_def *x = input(32), *y = input(32);

   EXPECT_EQ(answer(nir_fmul(b, nir_fmul(b, x, y), y), {{x, 0x3fe1c35e}, {y, 0x3fa0a61a}}), 0x4031cf94u);
}
