/* SPDX-License-Identifier: MIT
 *
 * Faults planted in the virtual GPU: this file and agx-runner's make a program whose device gets one operation wrong.
 * Invariant: without PLANTED in the environment it is agx-runner.
 *
 * The linker sends the calls of vgpu_bind(), which picks an instruction's semantic function, and of asahi_run() through
 * here. PLANTED names a row of the table; PLANTED_CHIP names the only chip that has the fault.
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

static void away_from_zero(struct isa_insn *insn)
{
   insn->op = ISA_OP_FLOOR;
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
};

void __real_vgpu_bind(struct vgpu_binder *b, const struct isa_insn *insn, uint64_t address, struct vgpu_op *op);
void __wrap_vgpu_bind(struct vgpu_binder *b, const struct isa_insn *insn, uint64_t address, struct vgpu_op *op);
int __real_asahi_run(struct asahi_device *device, const struct asahi_dispatch *dispatches, size_t count,
                     uint64_t timeout_ns, struct asahi_timing *timing);
int __wrap_asahi_run(struct asahi_device *device, const struct asahi_dispatch *dispatches, size_t count,
                     uint64_t timeout_ns, struct asahi_timing *timing);

static atomic_bool right_chip = true;

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
      fault->change(&changed);
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

   atomic_store(&right_chip, chip == NULL || strcmp(chip, asahi_device_get_info(device)->chip) == 0);
   return __real_asahi_run(device, dispatches, count, timeout_ns, timing);
}
