/* SPDX-License-Identifier: MIT
 *
 * Writes the function of a region. It takes one simdgroup after the other: at each block it calls the functions of
 * the block's parts, for all lanes active or for some inactive, and the interpreter's for each other op; then it
 * follows the block's jump. Registers are in the simdgroup's memory between two parts, and so is the exec mask.
 * Invariant: a simdgroup leaves after a bounded number of jumps back, and all that it executed has been counted.
 */
#include "vgpu/jit/region.h"

#include <inttypes.h>

#include "vgpu/exec/code.h"
#include "vgpu/exec/semantics.h"
#include "vgpu/exec/simd.h"
#include "vgpu/jit/facts/memory.h"

#define SHORT_PART 4u /* ops of a part that costs less than a call of the interpreter */

struct walk {
   FILE *out;
   const char *name;
   const struct vgpu_jit_region *region;
   const struct vgpu_jit_part *parts;
   uint32_t count;
   unsigned exits; /* written so far */
};

static void emit_interpreted(const struct walk *walk, uint32_t n, uint32_t op)
{
   fprintf(walk->out, "  call void @vgpu_region_op(ptr %%op, ptr %%slot, i32 %" PRIu32 ", i32 %" PRIu32 ")\n", n, op);
}

static void emit_part(const struct walk *walk, uint32_t part, char kind, const char *at)
{
   const bool masked = kind == 'm', shared = walk->parts[part].code[masked].shared;
   fprintf(walk->out,
           "  %%part%s%" PRIu32 " = getelementptr [%zu x i8], ptr %%op, i32 %" PRIu32 "\n"
           "  call void @" VGPU_PART_NAME "(ptr %%part%s%" PRIu32 ", ptr %%slot, i32 1, ptr ",
           at, part, sizeof(struct vgpu_op), 1 + part, walk->name, walk->parts[part].code[masked].part, kind, at, part);
   fprintf(walk->out, shared ? "@" VGPU_PART_NAME ".places)\n" : "null)\n", walk->name, part, kind);
}

/* The ops of a block in order. kind: of the parts; 0: the interpreter runs them. at: a name for the place. */
static void emit_ops(const struct walk *walk, uint32_t n, char kind, const char *at)
{
   const struct vgpu_block *block = &walk->region->first[n];
   uint32_t part = 0;
   while (part < walk->count && walk->parts[part].block != n) {
      part++;
   }
   if (!kind) {
      fprintf(walk->out, "  call void @vgpu_region_ops(ptr %%op, ptr %%slot, i32 %" PRIu32 ", i32 %" PRIu32 ")\n", n,
              block->count);
      return;
   }
   for (uint32_t i = 0; i < block->count;) {
      if (part < walk->count && walk->parts[part].block == n && walk->parts[part].first == i) {
         emit_part(walk, part, kind, at);
         i += walk->parts[part++].count;
      } else {
         emit_interpreted(walk, n, i++);
      }
   }
}

/* The last part of block n if its code for some lanes inactive does nothing but set the exec mask where none is active.
 * UINT32_MAX: it does more. */
static uint32_t idle_part(const struct walk *walk, uint32_t n)
{
   const struct vgpu_block *block = &walk->region->first[n];
   uint32_t last = walk->count;
   while (last > 0 && walk->parts[last - 1].block != n) {
      last--;
   }
   const struct vgpu_jit_part *part = last > 0 ? &walk->parts[last - 1] : NULL;
   bool idle = part && vgpu_jit_has_masked(walk->region, block) && part->count <= SHORT_PART &&
               part->first + part->count == block->count && block->first_idle + 1 == block->count;
   for (uint32_t i = 0; idle && i < part->count; i++) {
      idle = !vgpu_jit_is_memory(&block->ops[part->first + i]);
   }
   return idle ? last - 1 : UINT32_MAX;
}

/* What the block does without an active lane. */
static void emit_idle(const struct walk *walk, uint32_t n)
{
   const struct vgpu_block *block = &walk->region->first[n];
   const uint32_t part = idle_part(walk, n);
   const bool pops = block->first_idle < block->count && vgpu_jit_pops(&block->ops[block->first_idle]);
   if (part != UINT32_MAX && !pops) {
      emit_part(walk, part, 'm', "idle");
      return;
   }
   for (uint32_t i = block->first_idle; i < block->count; i++) {
      const struct vgpu_op *op = &block->ops[i];
      if (vgpu_jit_pops(op)) {
         fprintf(walk->out, "  call void @vgpu_region_pop(ptr %%simd, i32 %" PRIu32 ")\n", op->compare.nest);
      } else if (vgpu_jit_turns(op)) {
         fprintf(walk->out, "  call void @vgpu_region_else(ptr %%simd, i32 %" PRIu32 ")\n", op->compare.nest);
      } else if (vgpu_jit_branches(op)) {
         fprintf(walk->out,
                 "  call void @vgpu_region_if(ptr %%op, ptr %%slot, i32 %" PRIu32 ", i32 %" PRIu32 ", i32 %" PRIu32
                 ")\n",
                 n, i, op->compare.nest);
      } else {
         emit_interpreted(walk, n, i);
      }
   }
}

static bool is_inside(const struct walk *walk, const struct vgpu_block *block)
{
   return block >= walk->region->first && block < walk->region->first + walk->region->count;
}

/* Leaves the region; the simdgroup stands at that block then. */
static void emit_exit(struct walk *walk, const struct vgpu_block *to, bool ran)
{
   fprintf(walk->out,
           "  call void @vgpu_region_leave(ptr %%op, ptr %%simd, i32 %d, i32 %d)\n"
           "  br label %%done\n",
           (int)(to - walk->region->first), ran);
}

/* From block n to that one. */
static void emit_go(struct walk *walk, uint32_t n, const struct vgpu_block *to)
{
   if (!is_inside(walk, to)) {
      emit_exit(walk, to, false);
      return;
   }
   const uint32_t target = (uint32_t)(to - walk->region->first);
   if (target > n) {
      fprintf(walk->out, "  br label %%enter%" PRIu32 "\n", target);
      return;
   }
   const unsigned exit = walk->exits++;
   fprintf(walk->out,
           "  %%again%u = call i32 @vgpu_region_again(ptr %%simd, ptr %%turns)\n"
           "  %%goes%u = icmp ne i32 %%again%u, 0\n"
           "  br i1 %%goes%u, label %%enter%" PRIu32 ", label %%exit%u\n"
           "exit%u:\n",
           exit, exit, exit, exit, target, exit, exit);
   emit_exit(walk, to, false);
}

static void emit_end(struct walk *walk, uint32_t n)
{
   const struct vgpu_block *block = &walk->region->first[n];
   switch ((enum vgpu_control)block->control) {
   case VGPU_FALL:
      emit_go(walk, n, block->next);
      break;
   case VGPU_JUMP_ANY:
   case VGPU_JUMP_NONE:
      fprintf(walk->out,
              "  %%then%" PRIu32 " = call i32 @vgpu_region_exec(ptr %%simd)\n"
              "  %%jumps%" PRIu32 " = icmp %s i32 %%then%" PRIu32 ", 0\n"
              "  br i1 %%jumps%" PRIu32 ", label %%jump%" PRIu32 ", label %%fall%" PRIu32 "\n"
              "jump%" PRIu32 ":\n",
              n, n, block->control == VGPU_JUMP_ANY ? "ne" : "eq", n, n, n, n, n);
      emit_go(walk, n, block->target);
      fprintf(walk->out, "fall%" PRIu32 ":\n", n);
      emit_go(walk, n, block->next);
      break;
   default:
      emit_exit(walk, block, true);
      break;
   }
}

/* A simdgroup may go from block n to the end of the next one. */
static void emit_over(const struct walk *walk, uint32_t n)
{
   fprintf(walk->out,
           "  %%over%" PRIu32 " = call i32 @vgpu_region_over(ptr %%simd)\n"
           "  %%goes_over%" PRIu32 " = icmp ne i32 %%over%" PRIu32 ", 0\n"
           "  br i1 %%goes_over%" PRIu32 ", label %%pass%" PRIu32 ", label %%into%" PRIu32 "\n"
           "pass%" PRIu32 ":\n"
           "  call void @vgpu_region_executed(ptr %%executed, i32 0, i32 %" PRIu32 ")\n"
           "  br label %%end%" PRIu32 "\n"
           "into%" PRIu32 ":\n",
           n, n, n, n, n, n, n, walk->region->first[n + 1].length, n + 1, n);
}

/* Whether an instruction of the block may ask which block the simdgroup is at: one that may fault. */
static bool wants_place(const struct walk *walk, uint32_t n)
{
   const struct vgpu_block *block = &walk->region->first[n];
   uint32_t compiled = 0;
   bool memory = false;
   for (uint32_t i = 0; i < walk->count; i++) {
      compiled += walk->parts[i].block == n ? walk->parts[i].count : 0;
   }
   for (uint32_t i = 0; i < block->count; i++) {
      memory |= vgpu_jit_is_memory(&block->ops[i]);
   }
   return memory || compiled < block->count;
}

/* exec: the lanes that are active. */
static void emit_executed(const struct walk *walk, uint32_t n, const char *exec)
{
   fprintf(walk->out, "  call void @vgpu_region_executed(ptr %%executed, i32 %s, i32 %" PRIu32 ")\n", exec,
           walk->region->first[n].length);
}

static void emit_block(struct walk *walk, uint32_t n)
{
   const struct vgpu_block *block = &walk->region->first[n];
   char exec[16];
   snprintf(exec, sizeof(exec), "%%exec%" PRIu32, n);
   fprintf(walk->out,
           "enter%" PRIu32 ":\n"
           "  %%exec%" PRIu32 " = call i32 @vgpu_region_exec(ptr %%simd)\n",
           n, n);
   if (wants_place(walk, n)) {
      fprintf(walk->out, "  call void @vgpu_region_enter(ptr %%op, ptr %%simd, i32 %" PRIu32 ")\n", n);
   }
   if (block->count == 0) {
      emit_executed(walk, n, exec);
   } else {
      const bool full = vgpu_jit_has_full(walk->region, block), masked = vgpu_jit_has_masked(walk->region, block);
      fprintf(walk->out,
              "  switch i32 %%exec%" PRIu32 ", label %%masked%" PRIu32 " [ i32 -1, label %%full%" PRIu32
              " i32 0, label %%idle%" PRIu32 " ]\n"
              "full%" PRIu32 ":\n",
              n, n, n, n, n);
      emit_executed(walk, n, "-1");
      emit_ops(walk, n, full ? 'f' : 'm', "full");
      if (vgpu_jit_goes_over(walk->region, n)) {
         emit_over(walk, n);
      }
      fprintf(walk->out, "  br label %%end%" PRIu32 "\nmasked%" PRIu32 ":\n", n, n);
      emit_executed(walk, n, exec);
      emit_ops(walk, n, masked ? 'm' : '\0', "masked");
      fprintf(walk->out, "  br label %%end%" PRIu32 "\nidle%" PRIu32 ":\n", n, n);
      emit_executed(walk, n, "0");
      emit_idle(walk, n);
   }
   fprintf(walk->out, "  br label %%end%" PRIu32 "\nend%" PRIu32 ":\n", n, n);
   emit_end(walk, n);
}

static void declare(FILE *out)
{
   fputs("declare void @vgpu_region_op(ptr, ptr, i32, i32)\n"
         "declare void @vgpu_region_ops(ptr, ptr, i32, i32)\n"
         "declare void @vgpu_region_leave(ptr, ptr, i32, i32)\n"
         "declare i32 @vgpu_region_again(ptr, ptr)\n"
         "declare i32 @vgpu_region_exec(ptr)\n"
         "declare i32 @vgpu_region_place(ptr, ptr)\n"
         "declare void @vgpu_region_begin(ptr, ptr)\n"
         "declare void @vgpu_region_enter(ptr, ptr, i32)\n"
         "declare void @vgpu_region_executed(ptr, i32, i32)\n"
         "declare void @vgpu_region_pop(ptr, i32)\n"
         "declare void @vgpu_region_else(ptr, i32)\n"
         "declare void @vgpu_region_if(ptr, ptr, i32, i32, i32)\n"
         "declare i32 @vgpu_region_over(ptr)\n"
         "declare i64 @vgpu_region_count(ptr, ptr, i64)\n"
         "declare void @vgpu_region_end(ptr, i64)\n",
         out);
}

void vgpu_emit_region(FILE *out, const char *name, const struct vgpu_jit_region *region,
                      const struct vgpu_jit_part *parts, uint32_t count)
{
   struct walk walk = {.out = out, .name = name, .region = region, .parts = parts, .count = count};
   declare(out);
   fprintf(out,
           "define void @%s(ptr %%op, ptr %%simds, i32 %%count) #0 {\n"
           "entry:\n"
           "  %%executed = alloca i64, align 8\n"
           "  %%turns = alloca i32, align 4\n"
           "  br label %%next\n"
           "next:\n"
           "  %%i = phi i32 [ 0, %%entry ], [ %%after, %%done ]\n"
           "  %%sum = phi i64 [ 0, %%entry ], [ %%sum_after, %%done ]\n"
           "  %%slot = getelementptr ptr, ptr %%simds, i32 %%i\n"
           "  %%simd = load ptr, ptr %%slot, align 8\n"
           "  call void @vgpu_region_begin(ptr %%executed, ptr %%turns)\n"
           "  %%place = call i32 @vgpu_region_place(ptr %%op, ptr %%simd)\n"
           "  switch i32 %%place, label %%nowhere [",
           name);
   for (uint32_t n = 0; n < region->count; n++) {
      fprintf(out, " i32 %" PRIu32 ", label %%enter%" PRIu32, n, n);
   }
   fputs(" ]\nnowhere:\n  unreachable\n", out);
   for (uint32_t n = 0; n < region->count; n++) {
      emit_block(&walk, n);
   }
   fputs("done:\n"
         "  %sum_after = call i64 @vgpu_region_count(ptr %simd, ptr %executed, i64 %sum)\n"
         "  %after = add i32 %i, 1\n"
         "  %more = icmp ult i32 %after, %count\n"
         "  br i1 %more, label %next, label %exit\n"
         "exit:\n"
         "  call void @vgpu_region_end(ptr %simds, i64 %sum_after)\n"
         "  ret void\n}\n",
         out);
}
