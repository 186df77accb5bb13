/* SPDX-License-Identifier: MIT
 *
 * Simulates straight-line code as a launch of one block. Invariant: all accesses have the same service, because there
 * is no address stream.
 */
#include "vgpu/timing/predict/straight.h"

#include "vgpu/block.h"
#include "vgpu/launch.h"
#include "vgpu/timing/memory/services.h"
#include "vgpu/timing/path/path.h"
#include "vgpu/timing/timing.h"
#include "vgpu/timing/timing_core.h"

#define HALF_REGISTERS 256
#define SECTORS (VGPU_LANES * sizeof(uint32_t) / VGPU_SECTOR) /* sectors of a word for each lane */

bool vgpu_straight_simulate(const struct vgpu_params *params, const struct vgpu_straight *code, uint64_t *ticks)
{
   const struct vgpu_launch launch = {.half_registers = HALF_REGISTERS,
                                      .group = {code->group_simds * VGPU_LANES, 1, 1}};
   const struct vgpu_block block = {.costs = code->costs, .length = code->count};
   struct vgpu_step step = {.first = &block, .last = &block, .repeat = code->repeat};
   struct vgpu_simd_profile simds[VGPU_GROUP_SIMDS] = {{0, 0}};
   struct vgpu_service service = {.passes = 1, .lines = code->level > VGPU_LEVEL_L1, .level = (uint8_t)code->level};
   struct vgpu_service_run same = {.service = 0, .repeat = UINT32_MAX};
   for (unsigned level = 0; level <= code->level; level++) {
      service.moved[level] = SECTORS;
   }
   const struct vgpu_blob path = {&step, sizeof(step)}, stream = {&same, sizeof(same)},
                          services = {&service, sizeof(service)},
                          profile = {simds, code->group_simds * sizeof(simds[0])};
   const uint32_t number = 0;
   const struct vgpu_core_work work = {
       .launch = &launch,
       .params = params,
       .room = code->groups,
       .share = 1,
       .paths = &path,
       .services = &services,
       .streams = &stream,
       .profiles = &profile,
       .profile = &number,
       .stride = 0, /* all threadgroups have the same profile */
       .groups = code->groups,
   };
   return vgpu_core_simulate(&work, ticks);
}
