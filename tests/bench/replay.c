/* SPDX-License-Identifier: MIT
 *
 * See replay.h. Invariant: the disturbed device's load, clock and costs see the same jobs as if each were emulated.
 */
#include "tests/bench/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/run.h"
#include "agx_runner/measure/warmup.h"
#include "agx_runner/terminal/runner.h"
#include "vgpu/driver/device.h"
#include "vgpu/driver/job_time.h"

#define KNOWN_MAX 4096
/* Host time of a run, times its modelled time. A constant: what is measured must not depend on this host's speed. */
#define HOST_FACTOR 100
#define BARRIER 0x600fffffu /* that the client writes after a launch */

/* What a side takes without disturbance. The benchmark, metric and side name the program. */
struct known {
   const struct benchmark *benchmark;
   enum bench_metric metric;
   unsigned side;
   uint32_t iterations, threads;
   double cycles;
};

static struct {
   struct vgpu_device device; /* its clock, load and options; nothing else of it is used */
   struct asahi_device_info info;
   double quiet_hz;
   struct benchmark_pair *load; /* of the warm-up that runs now */
   struct known known[KNOWN_MAX];
   size_t known_count;
   uint64_t now; /* of the disturbed device's clock, ns: modelled time alone, so that a seed gives the same times */
} replay;

int __real_session_submit(struct session *session, const struct asahi_dispatch *dispatches, size_t count,
                          double *nanoseconds, struct session_span *span);
int __wrap_session_submit(struct session *session, const struct asahi_dispatch *dispatches, size_t count,
                          double *nanoseconds, struct session_span *span);
uint64_t __real_vgpu_device_clock(struct vgpu_device *device);
uint64_t __wrap_vgpu_device_clock(struct vgpu_device *device);
void __real_vgpu_device_clock_reach(struct vgpu_device *device, uint64_t ns);
void __wrap_vgpu_device_clock_reach(struct vgpu_device *device, uint64_t ns);
bool __wrap_run_submit(struct run_batch *batch, int *error);
bool __real_warm_up(struct benchmark_pair *load);
bool __wrap_warm_up(struct benchmark_pair *load);

uint64_t __wrap_vgpu_device_clock(struct vgpu_device *device)
{
   return device == &replay.device ? replay.now : __real_vgpu_device_clock(device);
}

void __wrap_vgpu_device_clock_reach(struct vgpu_device *device, uint64_t ns)
{
   if (device != &replay.device) {
      __real_vgpu_device_clock_reach(device, ns);
   } else if (ns > replay.now) {
      replay.now = ns;
   }
}

/* One job of these commands on the disturbed device: cycles in, nanoseconds by its timestamps out. */
static void take_time(const double *cycles, size_t count, double *nanoseconds, struct session_span *span)
{
   struct vgpu_device *device = &replay.device;
   uint64_t first = 0, last = 0;

   replay.now += (uint64_t)device->options.idle_ns;
   vgpu_job_time_begin(device);
   for (size_t i = 0; i < count; i++) {
      struct vgpu_command_time time = {0};
      const uint64_t start = vgpu_job_time_start(device, i);
      const uint64_t from = vgpu_job_time_stamp(device, start + vgpu_clock_delay(&device->clock));

      vgpu_command_begin(&time, vgpu_job_time_costs(device));
      vgpu_command_launch(&time, (uint64_t)(cycles[i] + 0.5), 1);
      vgpu_command_barrier(&time, BARRIER);
      vgpu_command_end(&time);
      const uint64_t duration = vgpu_job_time_duration(device, &time);
      const uint64_t to = vgpu_job_time_stamp(device, start + duration + vgpu_clock_delay(&device->clock));
      last = to > from ? to : from;
      vgpu_device_clock_reach(device, last);
      nanoseconds[i] = (double)(last - from);
      first = i == 0 ? from : first;
   }
   vgpu_job_time_end(device);
   if (span != NULL) {
      *span = (struct session_span){.device = (double)(last - first)};
   }
}

/* Emulated, without disturbance. */
static int emulate(struct session *session, const struct asahi_dispatch *dispatches, size_t count, double *cycles)
{
   const int ret = __real_session_submit(session, dispatches, count, cycles, NULL);

   for (size_t i = 0; ret == 0 && i < count; i++) {
      cycles[i] *= replay.quiet_hz * 1e-9;
   }
   return ret;
}

static struct known key_of(const struct run_command *command)
{
   const struct benchmark_side *side = &command->pair->sides[command->side];

   return (struct known){.benchmark = command->pair->benchmark,
                         .metric = command->pair->metric,
                         .side = command->side,
                         .iterations =
                             command->unchecked_iterations != 0 ? command->unchecked_iterations : side->iterations,
                         .threads = side->threads};
}

static const struct known *find(const struct known *key)
{
   for (size_t i = 0; i < replay.known_count; i++) {
      const struct known *known = &replay.known[i];

      if (known->benchmark == key->benchmark && known->metric == key->metric && known->side == key->side &&
          known->iterations == key->iterations && known->threads == key->threads) {
         return known;
      }
   }
   return NULL;
}

/* The command's cycles; emulated if they are not known yet. 0: the device has no time to give. */
static int cycles_of(struct session *session, const struct run_command *command, const struct asahi_dispatch *dispatch,
                     double *cycles)
{
   struct known key = key_of(command);
   const struct known *known = find(&key);

   if (known == NULL) {
      /* The second time, with the caches as a run before leaves them: so are all but the first on the device. */
      for (unsigned i = 0; i < 2; i++) {
         const int ret = emulate(session, dispatch, 1, &key.cycles);

         if (ret < 0) {
            return ret;
         }
      }
      if (replay.known_count == KNOWN_MAX) {
         fprintf(stderr, "more than %d programs\n", KNOWN_MAX);
         exit(EXIT_FAILURE);
      }
      known = &replay.known[replay.known_count++];
      replay.known[replay.known_count - 1] = key;
   }
   *cycles = known->cycles;
   return 0;
}

int __wrap_session_submit(struct session *session, const struct asahi_dispatch *dispatches, size_t count,
                          double *nanoseconds, struct session_span *span)
{
   double cycles[ASAHI_COMMANDS_MAX];
   struct session_span device = {0};
   int ret;

   if (replay.load != NULL) {
      /* All commands of a warm-up are the load's longer side. */
      const struct run_command command = {.pair = replay.load, .side = 1};

      ret = cycles_of(session, &command, &dispatches[0], &cycles[0]);
      for (size_t i = 1; i < count; i++) {
         cycles[i] = cycles[0];
      }
   } else {
      ret = emulate(session, dispatches, count, cycles);
   }
   if (ret == 0) {
      take_time(cycles, count, nanoseconds, &device);
   }
   if (span != NULL) {
      *span = (struct session_span){.device = device.device, .host = HOST_FACTOR * device.device};
   }
   return ret;
}

bool __wrap_run_submit(struct run_batch *batch, int *error)
{
   struct session *session = batch->commands[0].pair->session;
   double cycles[ASAHI_COMMANDS_MAX], nanoseconds[ASAHI_COMMANDS_MAX];

   for (size_t i = 0; i < batch->count; i++) {
      const int ret = cycles_of(session, &batch->commands[i], &batch->dispatches[i], &cycles[i]);

      if (error != NULL) {
         *error = ret;
      }
      if (ret < 0) {
         return measure_device_failed(session, "run", ret);
      }
   }
   batch->idle_ns = (double)replay.device.options.idle_ns;
   take_time(cycles, batch->count, nanoseconds, NULL);
   for (size_t i = 0; i < batch->count; i++) {
      struct run_command *command = &batch->commands[i];

      command->nanoseconds = nanoseconds[i];
      if (command->unchecked_iterations == 0) {
         command->pair->sides[command->side].nanoseconds = nanoseconds[i];
      }
   }
   return true;
}

bool __wrap_warm_up(struct benchmark_pair *load)
{
   replay.load = load;
   const bool done = __real_warm_up(load);
   replay.load = NULL;
   return done;
}

void replay_restart(uint64_t seed)
{
   struct vgpu_device *device = &replay.device;
   const struct vgpu_options *options = &device->options;

   vgpu_clock_init(&device->clock, device->chip->clock_hz, &options->clock, seed);
   vgpu_load_init(&device->load, device->chip, &options->params, &options->load, seed);
   device->idle_since = 0;
   replay.now = 0;
}

bool replay_open(struct session *session, const char *chip, const char *options)
{
   char spec[256], name[32], why[256];

   snprintf(spec, sizeof(spec), "virtual:%s,%s", chip, options);
   /* What a program takes must not depend on those before it. */
   snprintf(name, sizeof(name), "virtual:%s,caches=cold", chip);
   if (vgpu_options_parse(spec + strlen("virtual:"), &replay.device.chip, &replay.device.options, why, sizeof(why)) <
       0) {
      fprintf(stderr, "%s\n", why);
      return false;
   }
   if (session_open(session, spec, 60) != EXIT_OK) {
      return false;
   }
   replay.info = *session->info;
   session_close(session);
   if (session_open(session, name, 60) != EXIT_OK) {
      return false;
   }
   replay.quiet_hz = (double)session->info->clock_hz;
   replay.known_count = 0;
   session->info = &replay.info;
   replay_restart(replay.device.options.seed);
   return true;
}

void replay_close(struct session *session)
{
   vgpu_inject_finish(&replay.device.options.inject);
   session_close(session);
}
