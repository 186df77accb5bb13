/* SPDX-License-Identifier: MIT
 *
 * Special registers and the uniform file: spec/isa.md 1.7, 1.8.
 */
#include "vgpu/exec/semantics/vector.h"

#include "vgpu/exec/code.h"
#include "vgpu/stage.h"
#include "vgpu/timing/chip.h"

static void fill(uint32_t *lanes, uint32_t value)
{
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      lanes[lane] = value;
   }
}

/* How many of `mask`'s lanes come before each lane, within spans of `span` lanes; total: how many there are. */
static void count_active(uint32_t *lanes, uint32_t mask, unsigned span, bool total)
{
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      uint32_t own = span == VGPU_LANES ? mask : mask >> (lane & ~3u) & 15;
      unsigned place = lane % span;
      lanes[lane] = (uint32_t)__builtin_popcount(total ? own : own & ((1u << place) - 1));
   }
}

/* Registers that say something about a fragment. */
static void get_fragment_sr(const struct vgpu_simd *simd, uint32_t number, uint32_t *lanes)
{
   const struct vgpu_stage *stage = simd->worker->launch->stage;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      const uint32_t thread = simd->index * VGPU_LANES + lane;
      const struct vgpu_fragment *fragment = &stage->fragments[simd->launched_bits >> lane & 1 ? thread : 0];
      lanes[lane] = number == 2     ? stage->layer
                    : number == 14  ? stage->samples_log2
                    : number == 60  ? fragment->live
                    : number == 62  ? fragment->back
                    : number == 124 ? fragment->input
                                    : fragment->live != 0;
   }
}

static bool is_fragment_sr(const struct vgpu_launch *launch, uint32_t number)
{
   return launch->stage && launch->stage->kind == VGPU_STAGE_FRAGMENT &&
          (number == 2 || number == 14 || number == 60 || number == 62 || number == 63 || number == 124);
}

/* Those registers that mean nothing to a compute program are zero there. */
static void get_sr(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   const struct vgpu_threadgroup *group = simd->group;
   const struct vgpu_launch *launch = simd->worker->launch;
   VGPU_LANE_ARRAY(uint32_t, v);
   uint32_t number = op->special.number;
   if (is_fragment_sr(launch, number)) {
      get_fragment_sr(simd, number, v);
      vgpu_put_lanes(op, simd, v);
      return;
   }
   switch (number) {
   case 0:
   case 1:
   case 2:
      fill(v, number == 2 && launch->stage ? launch->stage->layer : group->position[number]);
      break;
   case 4:
   case 5:
   case 6:
      fill(v, group->size[number - 4]);
      break;
   case 8:
   case 9:
   case 10:
      fill(v, launch->group[number - 8]);
      break;
   case 20:
      fill(v, (uint32_t)(group->number % launch->chip->cores));
      break;
   case 51:
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         v[lane] = simd->index * VGPU_LANES + lane;
      }
      break;
   case 52:
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         v[lane] = lane;
      }
      break;
   case 53:
      fill(v, simd->index);
      break;
   case 56:
   case 57:
      count_active(v, simd->exec, 4, number == 57);
      break;
   case 58:
   case 59:
      count_active(v, simd->exec, VGPU_LANES, number == 59);
      break;
   case 63:
      fill(v, 1);
      break;
   default:
      fill(v, 0);
      break;
   }
   vgpu_put_lanes(op, simd, v);
}
VGPU_SLOW_HANDLER(get_sr, get_sr);

/* The thread's position, in the grid or in the threadgroup. */
VGPU_INLINE void get_position(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)
{
   uint32_t first = op->special.in_grid
                        ? simd->group->position[op->special.axis] * simd->worker->launch->group[op->special.axis]
                        : 0;
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_put(op, simd, i, vgpu_load(simd->ids + op->special.axis * VGPU_LANES, i) + first, shape);
   }
}
VGPU_HANDLER(get_position, get_position);
VGPU_OPERATION(GET_SR, get_sr, FALL, PLAIN, get_sr, get_position);

/* Only a preamble has uniforms that can be written (vgpu/exec/bind.c). */
static void uniform_store(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   uint16_t *uniforms = simd->worker->uniforms;
   if (!simd->exec) {
      return;
   }
   unsigned lane = (unsigned)__builtin_ctz(simd->exec);
   for (unsigned i = 0; i < op->uniforms.count; i++) {
      unsigned half = op->dst.half + i;
      uint32_t word = simd->base[VGPU_REGISTERS][half / 2 * VGPU_LANES + lane];
      uniforms[op->uniforms.first + i] = (uint16_t)(half & 1 ? word >> 16 : word);
   }
   vgpu_program_refresh(simd->worker->program);
}
VGPU_SLOW_HANDLER(uniform_store, uniform_store);
VGPU_OPERATION(UNIFORM_STORE, uniform_store, FALL, PLAIN, uniform_store);

/* ---- Control flow, which the scheduler does itself, and what is refused ---- */

VGPU_OPERATION(JMP_ANY, nothing, JUMP_ANY, ACTS_IDLE, none);
VGPU_OPERATION(JMP_NONE, nothing, JUMP_NONE, ACTS_IDLE, none);
VGPU_OPERATION(CALL, call, CALL, ACTS_IDLE, none);
VGPU_OPERATION(CALL_REG, call_register, CALL_REGISTER, ACTS_IDLE, none);
VGPU_OPERATION(RET, return, RETURN, ACTS_IDLE, none);
VGPU_OPERATION(STOP, nothing, STOP, ACTS_IDLE, none);
VGPU_OPERATION(TRAP, trap, FAULT, ACTS_IDLE, none);
VGPU_OPERATION(STACK_MAP, helper, FAULT, PLAIN, none);
VGPU_OPERATION(STACK_UNMAP, helper, FAULT, PLAIN, none);
VGPU_OPERATION(BARRIER, nothing, BARRIER, ACTS_IDLE, none);
VGPU_OPERATION(ASYNC_LOAD, not_understood, FAULT, PLAIN, none);
VGPU_OPERATION(ASYNC_STORE, not_understood, FAULT, PLAIN, none);
VGPU_OPERATION(DOORBELL, helper, FAULT, PLAIN, none);
VGPU_OPERATION(UNKNOWN, not_understood, FAULT, PLAIN, none);
