/* SPDX-License-Identifier: MIT
 *
 * The closed form against the simulation, on straight-line code: random blocks of arithmetic at several occupancies.
 * Prints the figures; the median error must be below 3 %.
 */
#include "vgpu/timing/predict/predict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vgpu/exec/rig.h"

#define BLOCKS 40
#define CORES 8 /* of the M1 */
#define OCCUPANCIES 4
static const unsigned occupancies[OCCUPANCIES] = {4, 8, 24, 96}; /* simdgroups a core */

/* %u are registers, at random. */
static const char *const lines[] = {
    "fadd r%u, r%u, r%u\n",
    "ffma r%u, r%u, r%u, r4\n",
    "iadd r%u, r%u, r%u\n",
    "imul r%u, r%u, r%u\n",
    "xor r%u, r%u, r%u\n",
    "hadd r%ul, r%uh, r%ul\n",
    "csel r%u, r%u, r%u, r4, r5, ult\n",
    "shl r%u, r%u, r%u\n",
    "hfma r%uh, r%ul, r%ul, r4l\n",
    "fmul r%u, r%u, r%u\n",
};
static const char *const unary[] = {
    "rcp r%u, r%u\n", "exp2 r%u, r%u\n", "rint r%u, r%u\n", "bitrev r%u, r%u\n", "shuffle r%u, r%u, 1\n",
};

static uint32_t below(uint32_t limit)
{
   return rig_random() % limit;
}

/* complex: how many of 16 instructions are slow ones. registers: few make long chains. */
static void write_block(char *text, size_t size, unsigned count, unsigned slow, unsigned registers)
{
   size_t used = 0;
   for (unsigned i = 0; i < count; i++) {
      unsigned a = 8 + below(registers), b = 8 + below(registers), c = 8 + below(registers);
      if (below(16) < slow) {
         const char *line = unary[below(sizeof(unary) / sizeof(unary[0]))];
         used += (size_t)snprintf(text + used, size - used, line, a, b);
      } else {
         const char *line = lines[below(sizeof(lines) / sizeof(lines[0]))];
         used += (size_t)snprintf(text + used, size - used, line, a, b, c);
      }
   }
   snprintf(text + used, size - used, "stop\n");
}

static uint64_t simulate(const char *text, unsigned simds, struct rig *rig)
{
   rig_init(rig, simds * 32 * CORES);
   rig->launch.group[0] = 32;
   rig->launch.timing = true;
   rig->launch.half_registers = 104;
   rig_program(rig, text);
   rig_run(rig, vgpu_best_level());
   return rig->outcome.cycles;
}

static double predict(const struct rig *rig, unsigned simds, struct vgpu_prediction *prediction)
{
   struct vgpu_cost costs[1024];
   size_t count = 0;
   struct isa_insn insn;
   for (size_t at = 0; at < rig->code_size && count < 1024; at += insn.length) {
      isa_decode(isa_set_default(), rig->code + at, rig->code_size - at, &insn);
      vgpu_cost_of(&insn, &vgpu_params_default, &costs[count++]);
      if (insn.op == ISA_OP_STOP) {
         break;
      }
   }
   vgpu_predict(&vgpu_params_default, costs, count, simds / VGPU_SCHEDULERS, 24, prediction);
   return prediction->cycles;
}

static int compare(const void *a, const void *b)
{
   double x = *(const double *)a, y = *(const double *)b;
   return (x > y) - (x < y);
}

int main(void)
{
   double errors[BLOCKS * OCCUPANCIES], sure[BLOCKS * OCCUPANCIES];
   size_t count = 0, sure_count = 0;
   char text[32768];
   for (unsigned i = 0; i < BLOCKS; i++) {
      unsigned length = 40 + below(160), slow = below(8), registers = 4 + below(40);
      write_block(text, sizeof(text), length, slow, registers);
      for (unsigned o = 0; o < OCCUPANCIES; o++) {
         struct rig rig;
         struct vgpu_prediction prediction;
         double simulated = (double)simulate(text, occupancies[o], &rig);
         double predicted = predict(&rig, occupancies[o], &prediction);
         errors[count] = fabs(predicted / simulated - 1);
         if (!(prediction.doubts & VGPU_DOUBT_CLOSE)) {
            sure[sure_count++] = errors[count];
         }
         printf("%3u instructions, %u of 16 slow, %2u registers, %2u simdgroups: predicted %8.1f, simulated %6.0f, "
                "%+5.1f %%, "
                "bound by %s%s\n",
                length, slow, registers, occupancies[o], predicted, simulated, (predicted / simulated - 1) * 100,
                vgpu_bound_names[prediction.bound], prediction.doubts & VGPU_DOUBT_CLOSE ? ", close" : "");
         count++;
         rig_finish(&rig);
      }
   }
   qsort(errors, count, sizeof(errors[0]), compare);
   qsort(sure, sure_count, sizeof(sure[0]), compare);
   printf("%zu blocks: median error %.2f %%, 90th percentile %.2f %%, largest %.2f %%\n", count,
          100 * errors[count / 2], 100 * errors[count * 9 / 10], 100 * errors[count - 1]);
   if (sure_count > 0) {
      printf("%zu of them without two close bounds: median %.2f %%, 90th percentile %.2f %%\n", sure_count,
             100 * sure[sure_count / 2], 100 * sure[sure_count * 9 / 10]);
   }
   if (!(errors[count / 2] < 0.03)) {
      rig_fail("the median error is %.2f %%", 100 * errors[count / 2]);
   }
   return rig_result();
}
