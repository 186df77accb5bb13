/* SPDX-License-Identifier: MIT
 *
 * Compare and select, the exec mask's stack, ballots: spec/isa.md 1.3, 2.7, 2.8, 2.10.
 */
#include "vgpu/exec/semantics/vector.h"

VGPU_INLINE vu integer_condition(uint32_t condition, vu a, vu b)
{
   switch (condition) {
   case ISA_ULT:
      return (vu)(a < b);
   case ISA_UGT:
      return (vu)(a > b);
   case ISA_SLT:
      return (vu)((vi)a < (vi)b);
   case ISA_SGT:
      return (vu)((vi)a > (vi)b);
   default: /* ueq, seq: the operands' extension differs */
      return (vu)(a == b);
   }
}

VGPU_INLINE vu float_condition(uint32_t condition, vf a, vf b)
{
   switch (condition) {
   case ISA_FLT:
      return (vu)(a < b);
   case ISA_FGT:
      return (vu)(a > b);
   case ISA_FLTN:
      return (vu)(a < b) | (vu)(b != b);
   case ISA_FGE:
      return (vu)(a >= b);
   case ISA_FLE:
      return (vu)(a <= b);
   case ISA_FGTN:
      return (vu)(a > b) | (vu)(b != b);
   default:
      return (vu)(a == b);
   }
}

#define ICMPSEL(condition)                                                                                             \
   VGPU_INLINE void icmpsel_##condition(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)                   \
   {                                                                                                                   \
      for (unsigned i = 0; i < VGPU_CHUNKS; i++) {                                                                     \
         vu mask = integer_condition(condition, vgpu_get(op, 0, simd, i, shape), vgpu_get(op, 1, simd, i, shape));     \
         vu x = vgpu_get(op, 2, simd, i, shape), y = vgpu_get(op, 3, simd, i, shape);                                  \
         vgpu_put(op, simd, i, vgpu_select(mask, x, y), shape);                                                        \
      }                                                                                                                \
   }                                                                                                                   \
   VGPU_HANDLER(icmpsel_##condition, icmpsel_##condition)

ICMPSEL(ISA_UEQ);
ICMPSEL(ISA_ULT);
ICMPSEL(ISA_UGT);
ICMPSEL(ISA_SLT);
ICMPSEL(ISA_SGT);
VGPU_OPERATION(ICMPSEL, icmpsel, FALL, PLAIN, icmpsel_ISA_UEQ, icmpsel_ISA_ULT, icmpsel_ISA_UGT, icmpsel_ISA_SLT,
               icmpsel_ISA_SGT);

#define FCMPSEL(condition)                                                                                             \
   VGPU_INLINE void fcmpsel_##condition(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)                   \
   {                                                                                                                   \
      for (unsigned i = 0; i < VGPU_CHUNKS; i++) {                                                                     \
         vf a = vgpu_get_float(op, 0, simd, i, shape), b = vgpu_get_float(op, 1, simd, i, shape);                      \
         vu mask = float_condition(condition, a, b);                                                                   \
         vu x = vgpu_get(op, 2, simd, i, shape), y = vgpu_get(op, 3, simd, i, shape);                                  \
         vgpu_put(op, simd, i, vgpu_select(mask, x, y), shape);                                                        \
      }                                                                                                                \
   }                                                                                                                   \
   VGPU_HANDLER(fcmpsel_##condition, fcmpsel_##condition)

FCMPSEL(ISA_FEQ);
FCMPSEL(ISA_FLT);
FCMPSEL(ISA_FGT);
FCMPSEL(ISA_FLTN);
FCMPSEL(ISA_FGE);
FCMPSEL(ISA_FLE);
FCMPSEL(ISA_FGTN);
VGPU_OPERATION(FCMPSEL, fcmpsel, FALL, PLAIN, fcmpsel_ISA_FEQ, fcmpsel_ISA_FLT, fcmpsel_ISA_FGT, fcmpsel_ISA_FLTN,
               fcmpsel_ISA_FGE, fcmpsel_ISA_FLE, fcmpsel_ISA_FGTN);

/* ---- A comparison with its condition and inversion ---- */

VGPU_INLINE vu integer_compare(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned chunk, int shape)
{
   vu mask = integer_condition(op->compare.condition, vgpu_get(op, 0, simd, chunk, shape),
                               vgpu_get(op, 1, simd, chunk, shape));
   return mask ^ vgpu_all(op->compare.invert ? UINT32_MAX : 0);
}

VGPU_INLINE vu float_compare(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned chunk, int shape)
{
   vu mask = float_condition(op->compare.condition, vgpu_get_float(op, 0, simd, chunk, shape),
                             vgpu_get_float(op, 1, simd, chunk, shape));
   return mask ^ vgpu_all(op->compare.invert ? UINT32_MAX : 0);
}

/* ---- Exec stack. r0l of every lane, whatever the mask, then the mask follows from it. ---- */

VGPU_INLINE vu after_if(vu v, vu condition, uint32_t n)
{
   return vgpu_select((vu)(v == 0), vgpu_all(1) & ~condition, (v + n) & 0xffff);
}

VGPU_INLINE vu after_else(vu v, vu condition, uint32_t n)
{
   return vgpu_select((vu)(v == 0), vgpu_all(n), vgpu_select((vu)(v == 1), vgpu_all(1) & ~condition, v));
}

VGPU_INLINE vu after_while(vu v, vu condition, uint32_t n)
{
   return vgpu_select((vu)(v < n), vgpu_all(n) & ~condition, v);
}

VGPU_INLINE vu after_pop(vu v, vu condition, uint32_t n)
{
   (void)condition;
   return vgpu_select((vu)(v > n), v - n, vgpu_all(0));
}

#if !defined(VGPU_BITCODE)
#define EXEC_CHUNK(after, condition)                                                                                   \
   vu word = vgpu_load(r0, i), v = after(word & 0xffff, condition, op->compare.nest);                                  \
   vu mask = (vu)(v == 0) & vgpu_load(simd->launched, i);                                                              \
   vgpu_store(r0, i, (word & 0xffff0000u) | v);                                                                        \
   vgpu_store(simd->mask, i, mask);                                                                                    \
   exec |= vgpu_bits(mask, i);
#endif

#if defined(VGPU_BITCODE)
/* The bits of the mask are wanted only when lanes are missing. */
VGPU_INLINE uint32_t bits_of_mask(const struct vgpu_simd *simd)
{
   vu missing = vgpu_all(0), active = vgpu_all(0);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      missing |= ~vgpu_load(simd->mask, i);
      active |= vgpu_load(simd->mask, i);
   }
   if (!vgpu_any(active)) {
      return 0;
   }
   uint32_t exec = VGPU_ALL;
   if (vgpu_any(missing)) {
      exec = 0;
      for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
         exec |= vgpu_bits(vgpu_load(simd->mask, i), i);
      }
   }
   return exec;
}

#define EXEC(name, after, condition)                                                                                   \
   VGPU_INLINE void name(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)                                  \
   {                                                                                                                   \
      uint32_t *r0 = simd->base[VGPU_REGISTERS];                                                                       \
      (void)shape;                                                                                                     \
      for (unsigned i = 0; i < VGPU_CHUNKS; i++) {                                                                     \
         const vu word = vgpu_load(r0, i), before = op->certain ? vgpu_all(0) : word & 0xffff;                         \
         const vu v = after(before, condition, op->compare.nest);                                                      \
         vgpu_store(r0, i, (word & 0xffff0000u) | v);                                                                  \
         vgpu_store(simd->mask, i, (vu)(v == 0) & vgpu_load(simd->launched, i));                                       \
      }                                                                                                                \
      simd->exec = bits_of_mask(simd);                                                                                 \
   }                                                                                                                   \
   VGPU_BODY(vgpu_body_##name##_0, name, 0);                                                                           \
   VGPU_BODY(vgpu_body_##name##_1, name, 0);                                                                           \
   VGPU_BODY(vgpu_body_##name##_2, name, VGPU_GENERAL);                                                                \
   VGPU_BODY(vgpu_body_##name##_3, name, VGPU_GENERAL)
#else
#define EXEC(name, after, condition)                                                                                   \
   VGPU_INLINE void name##_shaped(const struct vgpu_op *op, struct vgpu_simd *const *simds, unsigned count, int shape) \
   {                                                                                                                   \
      (void)shape;                                                                                                     \
      for (unsigned k = 0; k < count; k++) {                                                                           \
         struct vgpu_simd *simd = simds[k];                                                                            \
         uint32_t *r0 = simd->base[VGPU_REGISTERS], exec = 0;                                                          \
         for (unsigned i = 0; i < VGPU_CHUNKS; i++) {                                                                  \
            EXEC_CHUNK(after, condition)                                                                               \
         }                                                                                                             \
         simd->exec = exec;                                                                                            \
      }                                                                                                                \
   }                                                                                                                   \
   static void name(const struct vgpu_op *op, struct vgpu_simd *const *simds, unsigned count)                          \
   {                                                                                                                   \
      name##_shaped(op, simds, count, 0);                                                                              \
   }                                                                                                                   \
   static void name##_general(const struct vgpu_op *op, struct vgpu_simd *const *simds, unsigned count)                \
   {                                                                                                                   \
      name##_shaped(op, simds, count, VGPU_GENERAL);                                                                   \
   }                                                                                                                   \
   const struct vgpu_handler VGPU_NAME(vgpu_do_##name) = {{name, name, name##_general, name##_general}}
#endif

EXEC(if_icmp, after_if, integer_compare(op, simd, i, shape));
VGPU_OPERATION(IF_ICMP, icompare, FALL, SETS_EXEC, if_icmp);
EXEC(else_icmp, after_else, integer_compare(op, simd, i, shape));
VGPU_OPERATION(ELSE_ICMP, icompare, FALL, SETS_EXEC, else_icmp);
EXEC(while_icmp, after_while, integer_compare(op, simd, i, shape));
VGPU_OPERATION(WHILE_ICMP, icompare, FALL, SETS_EXEC, while_icmp);
EXEC(if_fcmp, after_if, float_compare(op, simd, i, shape));
VGPU_OPERATION(IF_FCMP, fcompare, FALL, SETS_EXEC, if_fcmp);
EXEC(else_fcmp, after_else, float_compare(op, simd, i, shape));
VGPU_OPERATION(ELSE_FCMP, fcompare, FALL, SETS_EXEC, else_fcmp);
EXEC(while_fcmp, after_while, float_compare(op, simd, i, shape));
VGPU_OPERATION(WHILE_FCMP, fcompare, FALL, SETS_EXEC, while_fcmp);
EXEC(pop_exec, after_pop, vgpu_all(0));
VGPU_OPERATION(POP_EXEC, pop_exec, FALL, SETS_EXEC, pop_exec);

/* ---- Ballots ---- */

static void put_ballot(const struct vgpu_op *op, struct vgpu_simd *simd, uint32_t ballot)
{
   VGPU_LANE_ARRAY(uint32_t, r);
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      r[lane] = op->compare.quad ? ballot >> (lane & ~3u) & 15 : ballot;
   }
   vgpu_put_lanes(op, simd, r);
}

static void icmp_ballot(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   uint32_t ballot = 0;
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      ballot |= vgpu_bits(integer_compare(op, simd, i, VGPU_GENERAL), i);
   }
   put_ballot(op, simd, ballot & simd->exec);
}

static void fcmp_ballot(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   uint32_t ballot = 0;
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      ballot |= vgpu_bits(float_compare(op, simd, i, VGPU_GENERAL), i);
   }
   put_ballot(op, simd, ballot & simd->exec);
}

VGPU_SLOW_HANDLER(icmp_ballot, icmp_ballot);
VGPU_OPERATION(ICMP_BALLOT, icompare, FALL, PLAIN, icmp_ballot);
VGPU_SLOW_HANDLER(fcmp_ballot, fcmp_ballot);
VGPU_OPERATION(FCMP_BALLOT, fcompare, FALL, PLAIN, fcmp_ballot);
