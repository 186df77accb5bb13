/* SPDX-License-Identifier: MIT
 *
 * Collects what ran, and shares it out to the cores. Threadgroup i goes to core i modulo their number; a core starts
 * its next one as soon as it has room. Cores that have the very same work have the same time: it is computed
 * once. Memory outside the cores is one bound for all of them.
 */
#include "vgpu/timing/timing.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/timing/chip.h"
#include "vgpu/timing/intern.h"
#include "vgpu/timing/path.h"
#include "vgpu/timing/timing_core.h"
#include "vgpu/timing/timing_params.h"

struct vgpu_timing {
   const struct vgpu_launch *launch;
   uint64_t groups;
   pthread_mutex_t lock;
   struct vgpu_intern paths;    /* steps of a simdgroup */
   struct vgpu_intern profiles; /* numbers of the paths of a threadgroup's simdgroups */
   uint32_t *profile;           /* of each threadgroup */
   struct vgpu_touched touched; /* by the whole launch */
};

struct vgpu_timing *vgpu_timing_create(const struct vgpu_launch *launch, uint64_t groups)
{
   struct vgpu_timing *timing = calloc(1, sizeof(*timing));
   if (!timing) {
      return NULL;
   }
   timing->profile = groups < SIZE_MAX / sizeof(uint32_t) ? calloc(groups, sizeof(uint32_t)) : NULL;
   if (!timing->profile || pthread_mutex_init(&timing->lock, NULL)) {
      free(timing->profile);
      free(timing);
      return NULL;
   }
   timing->launch = launch;
   timing->groups = groups;
   return timing;
}

void vgpu_timing_destroy(struct vgpu_timing *timing)
{
   if (timing) {
      vgpu_intern_finish(&timing->paths);
      vgpu_intern_finish(&timing->profiles);
      vgpu_touched_finish(&timing->touched);
      pthread_mutex_destroy(&timing->lock);
      free(timing->profile);
      free(timing);
   }
}

bool vgpu_timing_record(struct vgpu_timing *timing, uint64_t group, const struct vgpu_path *const *paths,
                        uint32_t count)
{
   uint32_t numbers[VGPU_GROUP_SIMDS];
   bool done = true;
   pthread_mutex_lock(&timing->lock);
   for (uint32_t i = 0; i < count && done; i++) {
      const struct vgpu_path *path = paths[i];
      done = !path->out_of_memory &&
             vgpu_intern_add(&timing->paths, path->steps, path->count * sizeof(*path->steps), &numbers[i]);
   }
   done = done && vgpu_intern_add(&timing->profiles, numbers, count * sizeof(*numbers), &timing->profile[group]);
   pthread_mutex_unlock(&timing->lock);
   return done;
}

struct vgpu_residency vgpu_timing_residency(const struct vgpu_launch *launch)
{
   const uint32_t *core = vgpu_params_or_default(launch->params)->core;
   uint32_t threads = launch->group[0] * launch->group[1] * launch->group[2];
   uint32_t simds = (threads + VGPU_LANES - 1) / VGPU_LANES;
   uint32_t step = core[VGPU_CORE_BANK_STEP];
   uint32_t most = core[VGPU_CORE_BANK_HALVES] / launch->half_registers / step * step;
   most = most < core[VGPU_CORE_BANK_THREADS] ? most : core[VGPU_CORE_BANK_THREADS];
   uint32_t groups = most / VGPU_LANES / simds * core[VGPU_CORE_REGISTER_BANKS];
   if (launch->threadgroup_bytes) {
      uint32_t fit = core[VGPU_CORE_LOCAL_BYTES] / launch->threadgroup_bytes;
      groups = fit < groups ? fit : groups;
   }
   return (struct vgpu_residency){groups, groups * simds};
}

double vgpu_timing_share(const struct vgpu_launch *launch)
{
   double groups = 1, room = (double)launch->chip->cores * vgpu_timing_residency(launch).groups;
   for (unsigned i = 0; i < 3; i++) {
      groups *= (double)((launch->grid[i] - 1) / launch->group[i] + 1);
   }
   return groups < room ? groups / room : 1;
}

static uint64_t groups_of(const struct vgpu_timing *timing, uint32_t core)
{
   uint32_t cores = timing->launch->chip->cores;
   return core < timing->groups ? (timing->groups - core - 1) / cores + 1 : 0;
}

static bool same_work(const struct vgpu_timing *timing, uint32_t a, uint32_t b)
{
   uint32_t cores = timing->launch->chip->cores;
   uint64_t count = groups_of(timing, a);
   if (count != groups_of(timing, b)) {
      return false;
   }
   for (uint64_t i = 0; i < count; i++) {
      if (timing->profile[a + i * cores] != timing->profile[b + i * cores]) {
         return false;
      }
   }
   return true;
}

void vgpu_timing_touched(struct vgpu_timing *timing, const struct vgpu_touched *touched)
{
   vgpu_touched_merge(&timing->touched, touched);
}

/* Every line that is touched passes between the chip's memory and its cores once at least. */
static uint64_t memory_cycles(const struct vgpu_timing *timing)
{
   const struct vgpu_chip *chip = timing->launch->chip;
   uint64_t hundredths = (uint64_t)vgpu_params_or_default(timing->launch->params)->memory[chip->class] *
                         chip->cores; /* of bytes a cycle */
   return vgpu_touched_lines(&timing->touched) * VGPU_LINE * 100 / hundredths;
}

bool vgpu_timing_cycles(struct vgpu_timing *timing, uint64_t *cycles)
{
   if (timing->touched.out_of_memory) {
      return false;
   }
   uint32_t cores = timing->launch->chip->cores;
   uint64_t longest = 0;
   for (uint32_t core = 0; core < cores; core++) {
      bool known = false;
      for (uint32_t other = 0; other < core && !known; other++) {
         known = same_work(timing, core, other);
      }
      struct vgpu_core_work work = {
          .launch = timing->launch,
          .params = vgpu_params_or_default(timing->launch->params),
          .room = vgpu_timing_residency(timing->launch).groups,
          .paths = timing->paths.blobs,
          .profiles = timing->profiles.blobs,
          .profile = timing->profile + core,
          .stride = cores,
          .groups = groups_of(timing, core),
      };
      uint64_t ticks = 0;
      if (!known && work.groups > 0 && !vgpu_core_simulate(&work, &ticks)) {
         return false;
      }
      longest = ticks > longest ? ticks : longest;
   }
   uint64_t busy = (longest + VGPU_TICKS - 1) / VGPU_TICKS, memory = memory_cycles(timing);
   *cycles = busy > memory ? busy : memory;
   return true;
}
