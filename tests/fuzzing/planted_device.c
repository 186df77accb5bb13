/* SPDX-License-Identifier: MIT
 *
 * Faults planted in the virtual GPU: this file and agx-runner's make a program whose device gets one operation wrong.
 * Invariant: without PLANTED in the environment it is agx-runner.
 *
 * The linker sends the calls of vgpu_bind(), which picks an instruction's semantic function, and of asahi_run() through
 * here. PLANTED names a row of the table; PLANTED_CHIP names the only chip that has the fault. With PLANTED_ONCE in the
 * environment, a process has the fault until the first launch of a program with that operation ends.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "drm/asahi.h"
#include "isa/isa.h"
#include "vgpu/exec/bind.h"
#include "vgpu/exec/exec.h"

struct fault {
   const char *name;
   enum isa_op op;
   void (*change)(struct isa_insn *insn);
   enum isa_op other; /* NULL as change: this operation instead */
};

static void other_shift(struct isa_insn *insn)
{
   insn->op = ISA_OP_SHRHI;
}

static void other_arithmetic_shift(struct isa_insn *insn)
{
   insn->op = ISA_OP_ASRH;
}

static void other_count(struct isa_insn *insn)
{
   insn->op = ISA_OP_FFS;
}

static void other_find(struct isa_insn *insn)
{
   insn->op = ISA_OP_BITREV;
}

static void unsigned_condition(struct isa_insn *insn)
{
   if (insn->mod[ISA_MOD_COND] >= ISA_SEQ) {
      insn->mod[ISA_MOD_COND] -= ISA_SEQ;
   }
}

static void no_saturation(struct isa_insn *insn)
{
   insn->mod[ISA_MOD_SATURATE] = 0;
}

static void no_sign_extension(struct isa_insn *insn)
{
   insn->src[0].sx = insn->src[1].sx = false;
}

static void no_negation(struct isa_insn *insn)
{
   insn->src[0].neg = insn->src[1].neg = insn->src[2].neg = false;
}

static void no_absolute_value(struct isa_insn *insn)
{
   insn->src[0].abs = insn->src[1].abs = false;
}

static void other_rounding(struct isa_insn *insn)
{
   insn->mod[ISA_MOD_ROUND] ^= 1;
}

static void swapped_operands(struct isa_insn *insn)
{
   const struct isa_operand first = insn->src[2];

   insn->src[2] = insn->src[3];
   insn->src[3] = first;
}

static void xor_instead_of_or(struct isa_insn *insn)
{
   insn->mod[ISA_MOD_TRUTH] = insn->mod[ISA_MOD_TRUTH] == 14 ? 6 : insn->mod[ISA_MOD_TRUTH];
}

static void or_instead_of_xor(struct isa_insn *insn)
{
   insn->mod[ISA_MOD_TRUTH] = insn->mod[ISA_MOD_TRUTH] == 6 ? 14 : insn->mod[ISA_MOD_TRUTH];
}

static void swapped_factors(struct isa_insn *insn)
{
   const struct isa_operand first = insn->src[0];

   insn->src[0] = insn->src[1];
   insn->src[1] = first;
}

static void equal_instead_of_less(struct isa_insn *insn)
{
   insn->mod[ISA_MOD_COND] = insn->mod[ISA_MOD_COND] == ISA_FLT ? ISA_FEQ : insn->mod[ISA_MOD_COND];
}

static void greater_instead_of_less(struct isa_insn *insn)
{
   insn->mod[ISA_MOD_COND] = insn->mod[ISA_MOD_COND] == ISA_ULT ? ISA_UGT : insn->mod[ISA_MOD_COND];
}

static void no_subtraction(struct isa_insn *insn)
{
   if (insn->dst.size == 16 || insn->dst.size == 32) {
      no_negation(insn);
      insn->mod[ISA_MOD_NEGATE] = 0;
   }
}

static void other_lane(struct isa_insn *insn)
{
   insn->mod[ISA_MOD_SHUFFLE] = ISA_SHUFFLE_XOR;
}

static void other_reduction(struct isa_insn *insn)
{
   insn->mod[ISA_MOD_REDUCE] =
       insn->mod[ISA_MOD_REDUCE] == ISA_REDUCE_IADD ? ISA_REDUCE_XOR : insn->mod[ISA_MOD_REDUCE];
}

static void least_instead_of_greatest(struct isa_insn *insn)
{
   switch (insn->mod[ISA_MOD_REDUCE]) {
   case ISA_REDUCE_UMAX:
   case ISA_REDUCE_SMAX:
   case ISA_REDUCE_FMAX:
      insn->mod[ISA_MOD_REDUCE] -= ISA_REDUCE_UMAX - ISA_REDUCE_UMIN;
      break;
   default:
      break;
   }
}

static void signed_atomic(struct isa_insn *insn)
{
   const bool is_unsigned =
       insn->mod[ISA_MOD_ATOMIC] == ISA_ATOMIC_UMIN || insn->mod[ISA_MOD_ATOMIC] == ISA_ATOMIC_UMAX;

   insn->mod[ISA_MOD_ATOMIC] += is_unsigned ? ISA_ATOMIC_IMIN - ISA_ATOMIC_UMIN : 0;
}

static void or_instead_of_xor_atomic(struct isa_insn *insn)
{
   insn->mod[ISA_MOD_ATOMIC] = insn->mod[ISA_MOD_ATOMIC] == ISA_ATOMIC_XOR ? ISA_ATOMIC_OR : insn->mod[ISA_MOD_ATOMIC];
}

static void away_from_zero(struct isa_insn *insn)
{
   insn->op = ISA_OP_FLOOR;
}

static void less_instead_of_equal(struct isa_insn *insn)
{
   insn->mod[ISA_MOD_COND] = insn->mod[ISA_MOD_COND] == ISA_UEQ ? ISA_ULT : insn->mod[ISA_MOD_COND];
}

/* The next element: of what is 64 bits apart, and shorter. */
static void next_index(struct isa_insn *insn)
{
   insn->src[1].value += insn->src[1].kind == ISA_IMM && insn->src[1].value == 0 ? 1 : 0;
}

static const struct fault faults[] = {
    {"shift", ISA_OP_BFEIL, other_shift},
    {"asr", ISA_OP_ASR, other_arithmetic_shift},
    {"popcount", ISA_OP_POPCOUNT, other_count},
    {"ffs", ISA_OP_FFS, other_find},
    {"signed-compare", ISA_OP_ICMPSEL, unsigned_condition},
    {"select-operands", ISA_OP_FCMPSEL, swapped_operands},
    {"saturation", ISA_OP_IADD, no_saturation},
    {"sign-extension", ISA_OP_IMADD, no_sign_extension},
    {"negation", ISA_OP_FFMA, no_negation},
    {"absolute", ISA_OP_FADD, no_absolute_value},
    {"rounding", ISA_OP_CONVERT, other_rounding},
    {"trunc", ISA_OP_TRUNC, away_from_zero},
    {"or", ISA_OP_BITOP, xor_instead_of_or},
    {"xor", ISA_OP_BITOP, or_instead_of_xor},
    {"extract", ISA_OP_EXTR, swapped_factors},
    {"bitrev", ISA_OP_BITREV, NULL, ISA_OP_POPCOUNT},
    {"rint", ISA_OP_RINT, NULL, ISA_OP_TRUNC},
    {"floor", ISA_OP_FLOOR, NULL, ISA_OP_TRUNC},
    {"ceil", ISA_OP_CEIL, NULL, ISA_OP_TRUNC},
    {"exp2", ISA_OP_EXP2, NULL, ISA_OP_LOG2},
    {"log2", ISA_OP_LOG2, NULL, ISA_OP_EXP2},
    {"float-compare", ISA_OP_FCMPSEL, equal_instead_of_less},
    {"unsigned-compare", ISA_OP_ICMPSEL, greater_instead_of_less},
    {"subtraction", ISA_OP_IADD, no_subtraction},
    {"shuffle", ISA_OP_SHUFFLE, other_lane},
    {"prefix", ISA_OP_PREFIX, other_reduction},
    {"reduce", ISA_OP_REDUCE, least_instead_of_greatest},
    {"sum-saturation", ISA_OP_FADD, no_saturation},
    {"atomic", ISA_OP_ATOMIC, signed_atomic},
    {"local-atomic", ISA_OP_LATOMIC, or_instead_of_xor_atomic},
    {"branch", ISA_OP_IF_ICMP, less_instead_of_equal},
    {"store-address", ISA_OP_STORE, next_index},
    {"load-address", ISA_OP_LOAD, next_index},
};

void __real_vgpu_bind(struct vgpu_binder *b, const struct isa_insn *insn, uint64_t address, struct vgpu_op *op);
void __wrap_vgpu_bind(struct vgpu_binder *b, const struct isa_insn *insn, uint64_t address, struct vgpu_op *op);
int __real_asahi_run(struct asahi_device *device, const struct asahi_dispatch *dispatches, size_t count,
                     uint64_t timeout_ns, struct asahi_timing *timing);
int __wrap_asahi_run(struct asahi_device *device, const struct asahi_dispatch *dispatches, size_t count,
                     uint64_t timeout_ns, struct asahi_timing *timing);

static atomic_bool right_chip = true, shown;

static const struct fault *planted(void)
{
   const char *name = getenv("PLANTED");

   for (size_t i = 0; name != NULL && i < sizeof(faults) / sizeof(faults[0]); i++) {
      if (strcmp(faults[i].name, name) == 0) {
         return &faults[i];
      }
   }
   if (name != NULL) {
      abort(); /* a test with a fault that is not there would test nothing */
   }
   return NULL;
}

void __wrap_vgpu_bind(struct vgpu_binder *b, const struct isa_insn *insn, uint64_t address, struct vgpu_op *op)
{
   const struct fault *fault = planted();

   if (fault != NULL && insn->op == fault->op && atomic_load(&right_chip)) {
      struct isa_insn changed = *insn;
      atomic_store(&shown, true);
      if (fault->change != NULL) {
         fault->change(&changed);
      } else {
         changed.op = (uint8_t)fault->other;
      }
      __real_vgpu_bind(b, &changed, address, op);
      op->insn = insn; /* what reports print */
   } else {
      __real_vgpu_bind(b, insn, address, op);
   }
}

int __wrap_asahi_run(struct asahi_device *device, const struct asahi_dispatch *dispatches, size_t count,
                     uint64_t timeout_ns, struct asahi_timing *timing)
{
   const char *chip = getenv("PLANTED_CHIP");
   const bool over = getenv("PLANTED_ONCE") != NULL && atomic_load(&shown);

   atomic_store(&right_chip, !over && (chip == NULL || strcmp(chip, asahi_device_get_info(device)->chip) == 0));
   return __real_asahi_run(device, dispatches, count, timeout_ns, timing);
}
