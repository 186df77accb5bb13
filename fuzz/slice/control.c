/* SPDX-License-Identifier: MIT
 *
 * Compares branches with the ifs of NIR. The code has a branch for each if of NIR, in the same order: the n-th branch
 * is the n-th if. If the numbers differ, nothing is known. Whether a lane continues when the condition is true or when
 * it is false is learned from the first lane in which everything is right.
 */
#include "fuzz/slice/control.h"

#include <stdlib.h>

#include "isa/isa.h"
#include "isa/program.h"

#define MOST_BRANCHES 64

/* A branch with a condition, and its if. */
struct branch {
   uint32_t offset;
   const struct fuzz_series *condition;
   int inverted;               /* whether lanes continue when the condition is false; -1: not known */
   uint32_t count[FUZZ_LANES]; /* how often each lane has reached it so far */
};

static bool is_operand_known(const struct isa_operand *operand)
{
   return operand->kind != ISA_REG && operand->kind != ISA_UNIFORM;
}

/* Whether lanes continue depending on their registers. The else of an if, and the end of a loop, compare constants. */
static bool is_branch(const struct isa_insn *insn)
{
   switch (insn->op) {
   case ISA_OP_IF_ICMP:
   case ISA_OP_IF_FCMP:
   case ISA_OP_ELSE_ICMP:
   case ISA_OP_ELSE_FCMP:
   case ISA_OP_WHILE_ICMP:
   case ISA_OP_WHILE_FCMP:
      return !is_operand_known(&insn->src[0]) || !is_operand_known(&insn->src[1]);
   default:
      return false;
   }
}

/* Lists the branches of the main program. */
static uint32_t find_branches(const struct agx_program *code, struct branch branches[MOST_BRANCHES])
{
   const uint32_t end = code->main_offset + code->main_size;
   uint32_t count = 0;

   for (uint32_t at = code->main_offset; at < end;) {
      struct isa_insn insn;
      isa_decode(code->set, code->code + at, end - at, &insn);
      if (is_branch(&insn)) {
         if (count == MOST_BRANCHES) {
            return 0;
         }
         branches[count++] = (struct branch){.offset = at, .inverted = -1};
      }
      at += insn.length != 0 ? insn.length : 2;
   }
   return count;
}

/* Returns false if NIR has another number of ifs. */
static bool find_conditions(const struct fuzz_values *values, struct branch *branches, uint32_t count)
{
   uint32_t found = 0;

   for (size_t i = 0; i < values->count; i++) {
      if (values->items[i].kind == FUZZ_SERIES_CONDITION) {
         if (found == count) {
            return false;
         }
         branches[found++].condition = &values->items[i];
      }
   }
   return found == count;
}

static struct branch *branch_at(struct branch *branches, uint32_t count, uint64_t offset)
{
   for (uint32_t i = 0; i < count; i++) {
      if (branches[i].offset == offset) {
         return &branches[i];
      }
   }
   return NULL;
}

/* Returns the condition in NIR when the lane reaches it the next time: 0 or 1. -1: it should not reach it. */
static int next_condition(struct branch *branch, uint32_t lane)
{
   const uint32_t time = branch->count[lane]++;

   return time < branch->condition->count[lane] ? (int)branch->condition->value[time * FUZZ_LANES + lane] & 1 : -1;
}

/* Learns the polarity of each branch from lanes in which everything is right. */
static void learn(const struct trace *trace, uint64_t good, struct branch *branches, uint32_t count)
{
   for (uint32_t i = 0; i < trace->count; i++) {
      const struct vgpu_trace_entry *entry = &trace->entries[i];
      struct branch *branch = branch_at(branches, count, entry->address);
      for (uint32_t n = 0; branch != NULL && n < FUZZ_SIMD; n++) {
         const uint32_t lane = entry->simd * FUZZ_SIMD + n;
         if ((entry->exec >> n & 1) != 0 && (good >> lane & 1) != 0) {
            const int condition = next_condition(branch, lane);
            branch->inverted =
                branch->inverted < 0 && condition >= 0 ? (int)(entry->after >> n & 1) != condition : branch->inverted;
         }
      }
   }
   for (uint32_t i = 0; i < count; i++) {
      for (uint32_t lane = 0; lane < FUZZ_LANES; lane++) {
         branches[i].count[lane] = 0;
      }
   }
}

uint32_t control_cut(const struct agx_program *code, struct trace *trace, const struct fuzz_values *values,
                     uint64_t good, uint64_t *cut)
{
   struct branch *branches = calloc(MOST_BRANCHES, sizeof(*branches));
   const uint32_t count = branches != NULL ? find_branches(code, branches) : 0;
   uint32_t first = CONTROL_RIGHT;

   *cut = 0;
   if (count == 0 || !find_conditions(values, branches, count)) {
      free(branches);
      return CONTROL_RIGHT;
   }
   learn(trace, good, branches, count);
   for (uint32_t i = 0; i < trace->count; i++) {
      struct vgpu_trace_entry *entry = &trace->entries[i];
      entry->exec &= ~(uint32_t)(*cut >> entry->simd * FUZZ_SIMD);
      struct branch *branch = branch_at(branches, count, entry->address);
      for (uint32_t n = 0; branch != NULL && branch->inverted >= 0 && n < FUZZ_SIMD; n++) {
         const uint32_t lane = entry->simd * FUZZ_SIMD + n;
         const int condition = entry->exec >> n & 1 ? next_condition(branch, lane) : -1;
         if (condition >= 0 && (int)(entry->after >> n & 1) != (condition ^ branch->inverted)) {
            *cut |= UINT64_C(1) << lane;
            first = first != CONTROL_RIGHT ? first : branch->offset;
         }
      }
   }
   free(branches);
   return first;
}
