/* SPDX-License-Identifier: MIT
 *
 * The table of parameters and of the benchmarks that determine them.
 */
#include "agx_runner/survey/parameters.h"

#include "agx_runner/terminal/runner.h"
#include "util/array.h"

#define BOTH(class, name)                                                                                              \
   {"interval/" class, name "/throughput"},                                                                            \
   {                                                                                                                   \
      "latency/" class, name "/latency"                                                                                \
   }

const struct survey_parameter survey_parameters[] = {
    BOTH("fadd16", "float/fadd16"),
    BOTH("fmul16", "float/fmul16"),
    BOTH("ffma16", "float/ffma16"),
    BOTH("fadd32", "float/fadd32"),
    BOTH("fmul32", "float/fmul32"),
    BOTH("ffma32", "float/ffma32"),
    BOTH("convert", "float/to-i32"),
    BOTH("rint", "float/rint32"),
    BOTH("rcp", "float/rcp32"),
    BOTH("rsqrt", "float/rsqrt32"),
    BOTH("exp2-16", "float/exp2-16"),
    BOTH("exp2-32", "float/exp2-32"),
    BOTH("log2-16", "float/log2-16"),
    BOTH("log2-32", "float/log2-32"),
    BOTH("iadd16", "int/iadd16"),
    BOTH("iadd32", "int/iadd32"),
    BOTH("iaddsat32", "int/iadd-sat32"),
    BOTH("imul16", "int/imul16"),
    BOTH("imul32", "int/imul32"),
    BOTH("imul64", "int/imul-32-32-64"),
    BOTH("bitwise", "int/bitwise32"),
    BOTH("cmpsel16", "int/icmpsel16"),
    BOTH("cmpsel32", "int/icmpsel32"),
    BOTH("shift", "int/bitextract32"),
    BOTH("bitrev", "int/bitrev32"),
    BOTH("popcount", "int/popcount32"),
    BOTH("interleave", "int/interleave16"),
    BOTH("simd-shuffle", "simd/shuffle32"),
    BOTH("simd-sum-f32", "simd/sum-f32"),
    BOTH("simd-sum-i32", "simd/sum-i32"),
    BOTH("simd-bitwise32", "simd/bitwise32"),
    BOTH("simd-prefix-f", "simd/prefix-esum-f32"),
    BOTH("quad-sum-f32", "quad/sum-f32"),
};
const size_t survey_parameter_count = ARRAY_COUNT(survey_parameters);
