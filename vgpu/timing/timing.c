/* SPDX-License-Identifier: MIT
 *
 * Collects the paths of a launch and distributes them to the cores. Threadgroup i goes to core i modulo their number;
 * a core starts its next one as soon as it has room. Cores with exactly the same work take the same time, which is
 * computed once. Each core has an equal share of the bandwidth behind its L2.
 *
 * A core whose paths no core before it has is simulated in any case. Several host threads do so while they replay the
 * accesses of all cores.
 */
#include "vgpu/timing/timing.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/block.h"
#include "vgpu/host_threads.h"
#include "vgpu/timing/chip.h"
#include "vgpu/timing/cost.h"
#include "vgpu/timing/memory/feed.h"
#include "vgpu/timing/memory/intern.h"
#include "vgpu/timing/path/path.h"
#include "vgpu/profile.h"
#include "vgpu/timing/memory/services.h"
#include "vgpu/timing/timing_core.h"
#include "vgpu/timing/timing_params.h"
#include "vgpu/timing/timing_state.h"

/* Most spans of address streams that a launch keeps (128 MiB). For a launch with more, the caches see only the first
 * half of each core's threadgroups, or the first quarter and so on; a later simdgroup gets the services of an earlier
 * one with the same path. Which threadgroups these are does not depend on the order in which host threads record
 * them. */
#define SPANS_MOST (UINT64_C(1) << 24)
/* The limit when only one threadgroup for each core is left (1 GiB): its services cannot be taken from another one. A
 * launch with even more keeps no spans, and the L2 serves every access. */
#define SPANS_MOST_OF_ONE (UINT64_C(1) << 27)

#define WORTH_THREADS 8192u /* spans: replaying fewer takes less time than waking threads */

static uint32_t simds_of(const struct vgpu_launch *launch)
{
   return (launch->group[0] * launch->group[1] * launch->group[2] + VGPU_LANES - 1) / VGPU_LANES;
}

struct vgpu_timing *vgpu_timing_create(const struct vgpu_launch *launch, uint64_t groups)
{
   struct vgpu_timing *timing = calloc(1, sizeof(*timing));
   if (!timing) {
      return NULL;
   }
   timing->launch = launch;
   timing->groups = groups;
   timing->simds_each = simds_of(launch);
   if (groups < SIZE_MAX / sizeof(*timing->records) / VGPU_GROUP_SIMDS) {
      timing->real.profile = calloc(groups, sizeof(*timing->real.profile));
      timing->halved.profile = launch->profile ? calloc(groups, sizeof(*timing->halved.profile)) : NULL;
      timing->simds = calloc(groups, sizeof(*timing->simds));
      timing->records = calloc(groups * timing->simds_each, sizeof(*timing->records));
   }
   if (!timing->real.profile || (launch->profile && !timing->halved.profile) || !timing->records || !timing->simds ||
       pthread_mutex_init(&timing->lock, NULL)) {
      free(timing->real.profile);
      free(timing->halved.profile);
      free(timing->records);
      free(timing->simds);
      free(timing);
      return NULL;
   }
   return timing;
}

/* Returns the first threadgroup whose spans are not kept. */
static uint64_t end_of_kept(const struct vgpu_timing *timing)
{
   const uint32_t cores = timing->launch->chip->cores;
   const uint64_t each = (timing->groups + cores - 1) / cores;
   const uint64_t end = (each >> timing->halvings) * cores;
   return timing->halvings == 0 || end > timing->groups ? timing->groups : end;
}

/* Returns how many spans of the threadgroups before end_of_kept() may be kept. */
static uint64_t most_spans(const struct vgpu_timing *timing)
{
   return end_of_kept(timing) > timing->launch->chip->cores ? SPANS_MOST : SPANS_MOST_OF_ONE;
}

bool vgpu_timing_without_caches(const struct vgpu_timing *timing)
{
   return timing->groups > 0 && end_of_kept(timing) == 0;
}

static void free_spans(struct vgpu_timing *timing, uint64_t from, uint64_t end)
{
   for (uint64_t i = from; i < end; i++) {
      struct vgpu_record *records = &timing->records[i * timing->simds_each];
      timing->spans -= vgpu_records_free(timing->launch->spare, records, timing->simds_each);
   }
}

static void finish_replay(struct vgpu_replay *replay)
{
   vgpu_intern_finish(&replay->profiles);
   vgpu_services_finish(&replay->services);
   free(replay->profile);
}

void vgpu_timing_destroy(struct vgpu_timing *timing)
{
   if (timing) {
      free_spans(timing, 0, timing->groups);
      vgpu_intern_finish(&timing->paths);
      finish_replay(&timing->real);
      finish_replay(&timing->halved);
      pthread_mutex_destroy(&timing->lock);
      free(timing->records);
      free(timing->simds);
      free(timing);
   }
}

/* Moves the copies to the records. */
static void keep_spans(struct vgpu_timing *timing, struct vgpu_record *records, struct vgpu_record *copies,
                       uint32_t count)
{
   for (uint32_t i = 0; i < count; i++) {
      records[i].spans = copies[i].spans;
      records[i].size = copies[i].size;
      records[i].accesses = copies[i].accesses;
      timing->spans += copies[i].size;
      copies[i] = (struct vgpu_record){0};
   }
   while (timing->spans > most_spans(timing)) {
      const uint64_t end = end_of_kept(timing);
      timing->halvings++;
      free_spans(timing, end_of_kept(timing), end);
   }
}

bool vgpu_timing_record(struct vgpu_timing *timing, struct vgpu_intern_recent *recent, uint64_t group,
                        const struct vgpu_path *const *paths, uint32_t count)
{
   struct vgpu_record *records = &timing->records[group * timing->simds_each], copies[VGPU_GROUP_SIMDS];
   const struct vgpu_accesses *streams[VGPU_GROUP_SIMDS] = {NULL};
   memset(copies, 0, count * sizeof(*copies));
   for (uint32_t i = 0; i < count; i++) {
      streams[i] = &paths[i]->accesses;
   }
   bool done = vgpu_records_copy(timing->launch->spare, copies, streams, count);
   timing->simds[group] = (uint8_t)count;
   for (uint32_t i = 0; i < count && done; i++) {
      const struct vgpu_path *path = paths[i];
      done = !path->out_of_memory && vgpu_intern_add_shared(&timing->paths, &timing->lock, recent, path->steps,
                                                            path->count * sizeof(*path->steps), &records[i].path);
   }
   pthread_mutex_lock(&timing->lock);
   if (done && group < end_of_kept(timing)) {
      keep_spans(timing, records, copies, count);
   }
   pthread_mutex_unlock(&timing->lock);
   vgpu_records_free(timing->launch->spare, copies, count);
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
      if (timing->real.profile[a + i * cores] != timing->real.profile[b + i * cores]) {
         return false;
      }
   }
   return true;
}

/* Returns how many host threads replay the accesses. */
static unsigned replay_threads(const struct vgpu_timing *timing)
{
   return timing->spans < WORTH_THREADS ? 1 : timing->launch->threads;
}

/* Makes the services of all accesses, with the device's caches or, if there is no device, with empty ones. The replay
 * with half the bytes also uses empty ones, because the device's caches belong to the real launch. Returns false when
 * out of memory. */
static bool make_services(struct vgpu_timing *timing, struct vgpu_replay *replay, struct vgpu_feeds *feeds)
{
   const struct vgpu_launch *launch = timing->launch;
   const struct vgpu_chip *chip = launch->chip;
   struct vgpu_hierarchy *own = NULL;
   const bool halved = replay == &timing->halved;
   const bool cold = launch->profile && launch->profile->plan && launch->profile->plan->cold;
   if (!launch->caches || halved || cold) {
      own = vgpu_hierarchy_create(vgpu_params_or_default(launch->params)->memory, chip->cores, chip->dies);
      if (!own) {
         return false;
      }
      own->halved = halved;
   }
   const struct vgpu_services_input input = {
       .hierarchy = own ? own : launch->caches,
       .space = launch->space,
       .cores = chip->cores,
       .room = vgpu_timing_residency(launch).groups,
       .simds_each = timing->simds_each,
       .groups = timing->groups,
       .records = timing->records,
       .keep = halved,
       .repeats = launch->profile && !halved,
       .host = launch->host,
       .spare = launch->spare,
       .threads = replay_threads(timing),
       .feeds = feeds,
   };
   bool done = vgpu_services_make(&replay->services, &input);
   vgpu_hierarchy_destroy(own);
   return done;
}

/* Gives a simdgroup whose spans were not kept the services of another one with the same path. Returns false when out of
 * memory. */
static bool extend_services(struct vgpu_timing *timing, struct vgpu_replay *replay)
{
   const uint64_t kept = end_of_kept(timing) * timing->simds_each;
   uint32_t *stream = calloc(timing->paths.count + 1, sizeof(*stream)); /* by path; 0: there are no services */
   if (!stream) {
      return false;
   }
   for (uint64_t i = 0; i < kept; i++) {
      stream[timing->records[i].path] = timing->records[i].stream;
   }
   for (uint64_t i = kept; i < timing->groups * timing->simds_each; i++) {
      timing->records[i].stream = stream[timing->records[i].path];
   }
   free(stream);
   replay->services.most_atomics <<= timing->halvings;
   if (timing->launch->caches && replay == &timing->real) {
      vgpu_hierarchy_empty(timing->launch->caches); /* it is not known what the launch leaves in the caches */
   }
   return true;
}

/* Makes the services, then the profiles of the threadgroups. feeds: NULL, or of cores. Returns false when out of
 * memory. */
static bool make_profiles(struct vgpu_timing *timing, struct vgpu_replay *replay, struct vgpu_feeds *feeds)
{
   uint32_t empty;
   if (timing->spans > 0) {
      if (!make_services(timing, replay, feeds) || (timing->halvings > 0 && !extend_services(timing, replay))) {
         return false;
      }
   } else if (!vgpu_intern_add(&replay->services.streams, "", 0, &empty)) {
      return false;
   }
   for (uint64_t group = 0; group < timing->groups; group++) {
      struct vgpu_simd_profile profile[VGPU_GROUP_SIMDS];
      const struct vgpu_record *records = &timing->records[group * timing->simds_each];
      uint32_t count = timing->simds[group];
      for (uint32_t i = 0; i < count; i++) {
         profile[i] = (struct vgpu_simd_profile){records[i].path, records[i].stream};
      }
      if (!vgpu_intern_add(&replay->profiles, profile, count * sizeof(*profile), &replay->profile[group])) {
         return false;
      }
   }
   return true;
}

/* Returns how many cores of this core's die have work. */
static uint32_t active_cores(const struct vgpu_timing *timing, uint32_t core)
{
   const struct vgpu_chip *chip = timing->launch->chip;
   uint32_t die = vgpu_die_of(core, chip->cores, chip->dies), active = 0;
   for (uint32_t other = 0; other < chip->cores; other++) {
      active += other < timing->groups && vgpu_die_of(other, chip->cores, chip->dies) == die;
   }
   return active ? active : 1;
}

/* ---- The launch ---- */

/* A core that is simulated. */
struct core_run {
   struct vgpu_core_work work;
   uint64_t ticks;
   bool done;
};

static void simulate(void *data, unsigned index)
{
   struct core_run *run = (struct core_run *)data + index;
   run->done = vgpu_core_simulate(&run->work, &run->ticks);
}

/* Whether a lower-numbered core has the same work and so takes the same time. */
static bool is_known(const struct vgpu_timing *timing, uint32_t core)
{
   for (uint32_t other = 0; other < core && !timing->launch->each_core; other++) {
      if (active_cores(timing, core) == active_cores(timing, other) && same_work(timing, core, other)) {
         return true;
      }
   }
   return false;
}

static uint64_t end_of_block(const struct vgpu_block *block)
{
   uint64_t address = block->address;
   for (uint32_t i = 0; i < block->length; i++) {
      address += block->costs[i].length;
   }
   return address;
}

/* Returns the bytes from the first to the last instruction that any path reaches. The blocks of a step are consecutive
 * in memory. */
static uint64_t measure_code(const struct vgpu_timing *timing)
{
   uint64_t first = UINT64_MAX, end = 0;
   for (uint32_t i = 0; i < timing->paths.count; i++) {
      const struct vgpu_blob *path = &timing->paths.blobs[i];
      const struct vgpu_step *step = path->data, *past = step + path->size / sizeof(*step);
      for (; step < past; step++) {
         first = step->first && step->first->address < first ? step->first->address : first;
         end = step->last && end_of_block(step->last) > end ? end_of_block(step->last) : end;
      }
   }
   return end > first ? end - first : 0;
}

static struct vgpu_core_work work_of(const struct vgpu_timing *timing, uint32_t core, uint64_t code_bytes)
{
   const struct vgpu_chip *chip = timing->launch->chip;
   return (struct vgpu_core_work){
       .launch = timing->launch,
       .params = vgpu_params_or_default(timing->launch->params),
       .room = vgpu_timing_residency(timing->launch).groups,
       .share = (double)chip->cores / chip->dies / active_cores(timing, core),
       .paths = timing->paths.blobs,
       .services = timing->real.services.kinds.blobs,
       .streams = timing->real.services.streams.blobs,
       .profiles = timing->real.profiles.blobs,
       .profile = timing->real.profile + core,
       .stride = chip->cores,
       .groups = groups_of(timing, core),
       .code_bytes = code_bytes,
   };
}

/* A core that is simulated while services are made. */
struct fed_core {
   struct vgpu_core *core;
   struct core_run run; /* done: the core has been simulated */
};

static void go_on(void *data)
{
   struct fed_core *fed = data;
   fed->run.done = vgpu_core_go_on(fed->core);
}

/* Begins to simulate the core. Returns false when out of memory. */
static bool begin_core(const struct vgpu_timing *timing, struct fed_core *fed, struct vgpu_feed *feed, uint32_t core,
                       uint64_t code)
{
   feed->go_on = go_on;
   feed->data = fed;
   fed->run.work = work_of(timing, core, code);
   fed->run.work.feed = feed;
   fed->run.work.first = core;
   fed->run.work.records = timing->records;
   fed->run.work.simds = timing->simds;
   fed->run.work.simds_each = timing->simds_each;
   fed->core = vgpu_core_begin(&fed->run.work);
   return fed->core != NULL;
}

/* Whether a lower-numbered core has the same paths, and so perhaps the same work. */
static bool is_like_another(const struct vgpu_timing *timing, uint32_t core)
{
   const uint32_t cores = timing->launch->chip->cores, simds = timing->simds_each;
   for (uint32_t other = 0; other < core && !timing->launch->each_core; other++) {
      bool same = groups_of(timing, core) == groups_of(timing, other) &&
                  active_cores(timing, core) == active_cores(timing, other);
      for (uint64_t i = 0; same && i < groups_of(timing, core) * simds; i++) {
         const struct vgpu_record *record = &timing->records[i / simds * cores * simds + i % simds];
         same = record[(size_t)core * simds].path == record[(size_t)other * simds].path;
      }
      if (same) {
         return true;
      }
   }
   return false;
}

/* Makes the profiles, and meanwhile simulates cores that no other one stands for: no more than there are threads, which
 * would only have more data at a time. cores: by number. Returns false when out of memory. */
static bool make_profiles_and_simulate(struct vgpu_timing *timing, struct fed_core *cores)
{
   const uint32_t count = timing->launch->chip->cores, threads = replay_threads(timing);
   const uint64_t code = measure_code(timing);
   struct vgpu_feeds feeds;
   bool done = vgpu_feeds_init(&feeds, timing->records, timing->groups * timing->simds_each, count);
   for (uint32_t core = 0, begun = 0; done && core < count && core < timing->groups && begun < threads; core++) {
      if (!is_like_another(timing, core)) {
         done = begin_core(timing, &cores[core], &feeds.feeds[core], core, code);
         begun++;
      }
   }
   done = done && make_profiles(timing, &timing->real, &feeds);
   for (uint32_t core = 0; core < count; core++) {
      done &= !cores[core].core || cores[core].run.done;
      cores[core].run.ticks = vgpu_core_end(cores[core].core);
   }
   vgpu_feeds_finish(&feeds);
   return done;
}

/* Simulates the cores in parallel, which share read-only data. fed: by number, some may have been simulated. *longest:
 * the first core that takes the longest time. Returns false when out of memory. */
static bool simulate_cores(struct vgpu_timing *timing, const struct fed_core *fed, struct core_run *longest)
{
   const uint32_t cores = timing->launch->chip->cores;
   const uint64_t code = measure_code(timing);
   struct core_run *runs = calloc(cores, sizeof(*runs));
   unsigned count = 0;
   bool done = runs != NULL;
   for (uint32_t core = 0; done && core < cores && core < timing->groups; core++) {
      if (!fed[core].run.done && !is_known(timing, core)) {
         runs[count++].work = work_of(timing, core, code);
      }
   }
   if (done) {
      vgpu_host_threads_run(timing->launch->host, count, simulate, runs);
   }
   *longest = (struct core_run){.done = false};
   for (uint32_t core = 0; core < cores; core++) {
      *longest = fed[core].run.done && fed[core].run.ticks > longest->ticks ? fed[core].run : *longest;
   }
   for (unsigned i = 0; i < count; i++) {
      done = done && runs[i].done;
      *longest = runs[i].ticks > longest->ticks ? runs[i] : *longest;
   }
   free(runs);
   return done;
}

/* Makes the profiles, and simulates the cores. *longest: as simulate_cores(). Returns false when out of memory. */
static bool simulate_all(struct vgpu_timing *timing, struct core_run *longest)
{
   const struct vgpu_launch *launch = timing->launch;
   const bool beside = replay_threads(timing) > 1 && timing->halvings == 0 && !launch->profile;
   struct fed_core *fed = calloc(launch->chip->cores, sizeof(*fed));
   const bool done = fed &&
                     (beside ? make_profiles_and_simulate(timing, fed) : make_profiles(timing, &timing->real, NULL)) &&
                     simulate_cores(timing, fed, longest);
   free(fed);
   return done;
}

bool vgpu_timing_cycles(struct vgpu_timing *timing, uint64_t *cycles)
{
   const struct vgpu_params *params = vgpu_params_or_default(timing->launch->params);
   struct core_run longest = {0};
   if (timing->launch->profile && !make_profiles(timing, &timing->halved, NULL)) {
      return false;
   }
   if (!simulate_all(timing, &longest)) {
      return false;
   }
   if (timing->launch->profile && longest.ticks > 0 &&
       !vgpu_timing_profile(timing, &longest.work, timing->launch->profile)) {
      return false;
   }
   /* atomics on one word are serialized across all cores */
   double word = (double)timing->real.services.most_atomics * params->memory[VGPU_MEMORY_ATOMIC_WORD];
   uint64_t busy = (longest.ticks + VGPU_TICKS - 1) / VGPU_TICKS;
   *cycles = (double)busy > word ? busy : (uint64_t)word;
   return true;
}
