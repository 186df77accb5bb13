/* SPDX-License-Identifier: MIT
 *
 * The words of enumerated fields, as Mesa's newer disassembler writes them where its test data shows them
 * (tests/isa/mesa_disasm_sample.txt), else in the same manner.
 */
#include "isa/table.h"
#include "util/array.h"

#define NAMES_ALIASED(name, prefix_text, other_words, ...)                                                             \
   static const char *const words_##name[] = {__VA_ARGS__};                                                            \
   const struct isa_names isa_names_##name = {                                                                         \
       .prefix = prefix_text, .words = words_##name, .count = ARRAY_COUNT(words_##name), .aliases = other_words}
#define NAMES(name, prefix_text, ...) NAMES_ALIASED(name, prefix_text, NULL, __VA_ARGS__)

/* Index: invert << 3 | condition (spec/isa.md 2.0). Inverted float conditions have no opposite because of NaN. */
/* clang-format off */
NAMES(icond, "icond",
   [ISA_UEQ] = "ieq", [ISA_ULT] = "ult", [ISA_UGT] = "ugt",
   [ISA_SEQ] = "seq", [ISA_SLT] = "slt", [ISA_SGT] = "sgt",
   [8 | ISA_UEQ] = "ine", [8 | ISA_ULT] = "ugte", [8 | ISA_UGT] = "ulte",
   [8 | ISA_SEQ] = "sne", [8 | ISA_SLT] = "sgte", [8 | ISA_SGT] = "slte");
NAMES(fcond, "fcond",
   [ISA_FEQ] = "feq", [ISA_FLT] = "flt", [ISA_FGT] = "fgt", [ISA_FLTN] = "fltn",
   [ISA_FGE] = "fgte", [ISA_FLE] = "flte", [ISA_FGTN] = "fgtn",
   [8 | ISA_FEQ] = "fneq", [8 | ISA_FLT] = "fnlt", [8 | ISA_FGT] = "fngt", [8 | ISA_FLTN] = "fnltn",
   [8 | ISA_FGE] = "fngte", [8 | ISA_FLE] = "fnlte", [8 | ISA_FGTN] = "fngtn");

/* spec/isa.md 1.7. The aliases are the names of Mesa 25.0's compiler. */
static const struct isa_alias sr_aliases[] = {
   {"thread_index_in_subgroup", 52}, {"subgroup_index_in_threadgroup", 53}, {"active_thread_index_in_subgroup", 58},
   {"total_active_threads_in_subgroup", 59}, {NULL, 0}};
NAMES_ALIASED(sr, "sr", sr_aliases,
   [0] = "threadgroup_in_grid_x", [1] = "threadgroup_in_grid_y", [2] = "threadgroup_in_grid_z",
   [4] = "threads_per_threadgroup_x", [5] = "threads_per_threadgroup_y", [6] = "threads_per_threadgroup_z",
   [8] = "dispatch_threads_per_threadgroup_x", [9] = "dispatch_threads_per_threadgroup_y",
   [10] = "dispatch_threads_per_threadgroup_z",
   [12] = "threadgroup_width", [13] = "threadgroup_height",
   [14] = "samples_log2", [20] = "core_index", [21] = "vm_slot",
   [48] = "thread_in_threadgroup_x", [49] = "thread_in_threadgroup_y", [50] = "thread_in_threadgroup_z",
   [51] = "thread_index_in_threadgroup", [52] = "thread_index_in_simdgroup",
   [53] = "simdgroup_index_in_threadgroup",
   [56] = "active_thread_index_in_quad", [57] = "total_active_threads_in_quad",
   [58] = "active_thread_index_in_simdgroup", [59] = "total_active_threads_in_simdgroup",
   [60] = "coverage_mask", [62] = "backfacing", [63] = "is_active_thread",
   [80] = "thread_in_grid_x", [81] = "thread_in_grid_y", [82] = "thread_in_grid_z",
   [124] = "input_sample_mask", [144] = "helper_op", [146] = "helper_arg_l", [147] = "helper_arg_h");

/* spec/isa.md 4.1 */
NAMES(format, "format",
   [ISA_FORMAT_I8] = "i8", [ISA_FORMAT_I16] = "i16", [ISA_FORMAT_I32] = "i32", [ISA_FORMAT_F16] = "f16",
   [ISA_FORMAT_U8NORM] = "u8norm", [ISA_FORMAT_S8NORM] = "s8norm",
   [ISA_FORMAT_U16NORM] = "u16norm", [ISA_FORMAT_S16NORM] = "s16norm",
   [ISA_FORMAT_RGB10A2] = "rgb10a2", [ISA_FORMAT_SRGBA8] = "srgba8",
   [ISA_FORMAT_RG11B10F] = "rg11b10f", [ISA_FORMAT_RGB9E5] = "rgb9e5",
   [ISA_FORMAT_RG11B10F_RTZ] = "rg11b10f_rtz", [ISA_FORMAT_RGB9E5_RTZ] = "rgb9e5_rtz");

/* spec/isa.md 4.2 */
NAMES(atomic, "atomic",
   [ISA_ATOMIC_ADD] = "add", [ISA_ATOMIC_SUB] = "sub", [ISA_ATOMIC_XCHG] = "xchg",
   [ISA_ATOMIC_CMPXCHG] = "cmpxchg", [ISA_ATOMIC_UMIN] = "umin", [ISA_ATOMIC_IMIN] = "imin",
   [ISA_ATOMIC_UMAX] = "umax", [ISA_ATOMIC_IMAX] = "imax", [ISA_ATOMIC_AND] = "and",
   [ISA_ATOMIC_OR] = "or", [ISA_ATOMIC_XOR] = "xor");

NAMES(coherency, "coherent", NULL);
NAMES(slot, "slot", "a", "b");
NAMES(round, "round", "rtz", "rte");
NAMES(shuffle, "shuffle", NULL, "xor", "up", "down");

/* spec/isa.md 2.10 */
NAMES(reduce, "reduce",
   [ISA_REDUCE_AND] = "and", [ISA_REDUCE_FADD] = "fadd", [ISA_REDUCE_OR] = "or", [ISA_REDUCE_FMUL] = "fmul",
   [ISA_REDUCE_XOR] = "xor", [ISA_REDUCE_FMIN] = "fmin", [ISA_REDUCE_FMAX] = "fmax",
   [ISA_REDUCE_IADD] = "iadd", [ISA_REDUCE_SMIN] = "smin", [ISA_REDUCE_SMAX] = "smax",
   [ISA_REDUCE_UMIN] = "umin", [ISA_REDUCE_UMAX] = "umax");

/* Texturing: Mesa's enumerations (agx_opcodes.py, agx_compiler.h). */
NAMES(dim, "dim", "1d", "1d_array", "2d", "2d_array", "2d_ms", "3d", "cube", "cube_array", "2d_ms_array");
NAMES(lod_mode, "lod_mode",
   [0] = "auto_lod", [1] = "auto_lod_bias", [2] = "lod_min", [4] = "lod_grad", [5] = "auto_lod_bias",
   [6] = "lod_min", [9] = "auto_lod_bias_min", [12] = "lod_grad_min", [13] = "auto_lod_bias_min");
NAMES(gather, "gather", [1] = "gather_r", [3] = "gather_g", [5] = "gather_b", [7] = "gather_a");
NAMES(zs, "zs", [2] = "s", [3] = "zs");

#define TIMING_NAME(timing, name) [timing] = name,
static const char *const timing_names[ISA_TIMING_COUNT] = {ISA_TIMINGS(TIMING_NAME)};
/* clang-format on */

const char *isa_timing_name(enum isa_timing timing)
{
   return timing_names[timing];
}
