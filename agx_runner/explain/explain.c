/* SPDX-License-Identifier: MIT
 *
 * Reads a profile and finds what costs time. Invariant: each gain is of the same launch, simulated again.
 */
#include "agx_runner/explain/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"
#include "isa/isa.h"
#include "vgpu/timing/timing_params.h"
#include "vgpu/vgpu.h"

_Static_assert(VGPU_PIPES == VGPU_PROFILE_PIPES, "a pipe without a name");

#define LEAST_GAIN 0.01
#define OCCUPANCY_GAIN 0.05 /* from here on it comes before the stalls that it hides */
#define LANES_GAIN 0.25     /* from here on they come before turns of loops and dependency chains */

const char *const explain_stall_names[VGPU_STALLS] = {
    [VGPU_STALL_OPERAND] = "operand",     [VGPU_STALL_PIPE] = "pipe",       [VGPU_STALL_MEMORY] = "memory",
    [VGPU_STALL_SLOT] = "slot",           [VGPU_STALL_CONTROL] = "control", [VGPU_STALL_BARRIER] = "barrier",
    [VGPU_STALL_SCHEDULER] = "scheduler",
};
const char *const explain_pipe_names[VGPU_PROFILE_PIPES] = {
    [VGPU_PIPE_CROSS] = "cross-lane pipe",    [VGPU_PIPE_FAST] = "fast pipe",
    [VGPU_PIPE_COMPLEX] = "complex pipe",     [VGPU_PIPE_CONTROL] = "control pipe",
    [VGPU_PIPE_LOCAL] = "threadgroup memory", [VGPU_PIPE_DEVICE] = "device memory port",
};
const char *const explain_level_names[VGPU_PROFILE_LEVELS] = {"L1", "L2", "last cache", "DRAM"};
const char *const explain_limit_names[VGPU_LIMIT_GRID + 1] = {
    [VGPU_LIMIT_THREADS] = "the threads that a core can hold",
    [VGPU_LIMIT_REGISTERS] = "registers",
    [VGPU_LIMIT_LOCAL] = "threadgroup memory",
    [VGPU_LIMIT_GRID] = "the size of the grid",
};

static const struct {
   const char *name, *advice;
} what_ifs[VGPU_WHAT_IFS] = {
    [VGPU_WHAT_IF_OPERAND] =
        {"dependency chain",
         "interleave independent work, which Mesa may have put one after the other (see --schedule): the "
         "gain is that of results that are ready at once"},
    [VGPU_WHAT_IF_COMPLEX] = {"complex pipe",
                              "replace multiplications, shifts, conversions or transcendentals: the gain "
                              "is that of instructions of the fast pipe in their place"},
    [VGPU_WHAT_IF_BANKS] = {"bank conflicts", "pad or swizzle the arrays in threadgroup memory"},
    [VGPU_WHAT_IF_LATENCY] = {"memory latency",
                              "start loads earlier, or read what is in the L1: the gain is that of an L1 "
                              "hit for each access"},
    [VGPU_WHAT_IF_BANDWIDTH] =
        {"memory bandwidth",
         "move half as many bytes, by narrower types, smaller strides or reuse: the gain is that of half "
         "the size and half the address of each access"},
    [VGPU_WHAT_IF_SPILLS] = {"spilled registers",
                             "use fewer registers at a time: the gain is that of no loads and stores "
                             "of the stack"},
    [VGPU_WHAT_IF_LOOPS] = {"loop turns",
                            "unroll the innermost loops four times: the gain is that of three of four turns without a "
                            "jump, a condition or an addition that only count turns"},
    [VGPU_WHAT_IF_BRANCHES] = {"branches",
                               "replace short branches by selections: the gain is that of jumps forward and conditions "
                               "without latency, less what the other side of a branch then takes"},
    [VGPU_WHAT_IF_BARRIER] = {"barriers", "use fewer barriers or smaller threadgroups"},
    [VGPU_WHAT_IF_OCCUPANCY] = {"occupancy", NULL},
};

static const char inactive_lanes[] = "inactive lanes";

double explain_lanes(const struct explain *explain)
{
   const double all = (double)explain->sum.instructions * 32;

   return all > 0 ? (double)explain->sum.thread_instructions / all : 1;
}

double explain_pipe_use(const struct explain *explain, unsigned pipe)
{
   const double copies = pipe < VGPU_PIPE_OWN ? VGPU_SCHEDULERS : 1;

   return (double)explain->sum.pipes[pipe] / copies / (double)explain->sum.ticks;
}

double explain_level_use(const struct explain *explain, unsigned level)
{
   return (double)explain->sum.levels[level] / (double)explain->sum.ticks;
}

uint64_t explain_row_time(const struct vgpu_profile_row *row)
{
   uint64_t time = row->issue;

   for (unsigned i = 0; i < VGPU_STALLS; i++) {
      time += row->stalls[i];
   }
   return time;
}

void explain_instruction(const struct explain *explain, uint64_t address, char *text, size_t size)
{
   const struct agx_program *program = explain->program;
   struct isa_insn insn;

   if (address >= program->main_size) {
      snprintf(text, size, "?");
      return;
   }
   isa_decode(program->code + program->main_offset + address, (size_t)(program->main_size - address), &insn);
   (void)isa_print(&insn, ISA_SYNTAX_MESA, text, size);
}

/* ---- Findings ---- */

static double gain_of(const struct explain *explain, enum vgpu_what_if what)
{
   const uint64_t ticks = explain->sum.what_if[what];

   return ticks > 0 ? 1 - (double)ticks / (double)explain->sum.ticks : 0;
}

/* More occupancy hides latencies: it comes before those stalls, as it needs no other algorithm. A simdgroup whose lanes
 * take different ways makes more passes of a loop, each with its jumps and its chain: fewer passes come before cheaper
 * ones. It does not come before memory, whose time is that of the active lanes. */
static double rank_of(const struct explain *explain, const char *name, double gain)
{
   if (strcmp(name, what_ifs[VGPU_WHAT_IF_OCCUPANCY].name) == 0 && gain >= OCCUPANCY_GAIN) {
      return 1;
   }
   if (strcmp(name, inactive_lanes) == 0 && gain >= LANES_GAIN) {
      const double turns = gain_of(explain, VGPU_WHAT_IF_LOOPS), chain = gain_of(explain, VGPU_WHAT_IF_OPERAND),
                   most = turns > chain ? turns : chain;

      return gain > most ? gain : nextafter(most, 1);
   }
   return gain;
}

static void add(struct explain *explain, const char *name, double gain, const char *advice)
{
   if (gain >= LEAST_GAIN) {
      struct explain_finding *finding = &explain->findings[explain->finding_count++];

      finding->name = name;
      finding->gain = gain;
      finding->rank = rank_of(explain, name, gain);
      snprintf(finding->advice, sizeof(finding->advice), "%s", advice);
   }
}

static void advise_occupancy(const struct vgpu_profile_sum *sum, char *text, size_t size)
{
   const unsigned long long now = sum->room * sum->group_simds, then = sum->next_room * sum->group_simds;

   if (sum->limit == VGPU_LIMIT_REGISTERS) {
      snprintf(text, size, "with %llu half registers instead of %llu a core would hold %llu simdgroups instead of %llu",
               (unsigned long long)sum->next_half_registers, (unsigned long long)sum->half_registers, then, now);
   } else {
      snprintf(text, size, "with less threadgroup memory a core would hold %llu simdgroups instead of %llu", then, now);
   }
}

static int by_rank(const void *a, const void *b)
{
   const double x = ((const struct explain_finding *)a)->rank, y = ((const struct explain_finding *)b)->rank;

   return (x < y) - (x > y);
}

/* The part of its simdgroups' lanes that a threadgroup has threads for. */
static double filled_lanes(const struct explain *explain)
{
   return (double)explain->group_threads / (32 * (double)explain->sum.group_simds);
}

/* Of the simdgroups that a scheduler gets one after the other, those that are left when all of them are full. */
static double gain_of_filling(const struct explain *explain)
{
   const double simds = (double)explain->sum.simds;

   return 1 - ceil(ceil(simds * filled_lanes(explain)) / VGPU_SCHEDULERS) / ceil(simds / VGPU_SCHEDULERS);
}

static void find(struct explain *explain)
{
   const struct vgpu_profile_sum *sum = &explain->sum;
   char text[200];

   for (unsigned what = 0; what < VGPU_WHAT_IFS; what++) {
      const char *advice = what_ifs[what].advice;

      if (what == VGPU_WHAT_IF_OCCUPANCY) {
         advise_occupancy(sum, text, sizeof(text));
         advice = text;
      }
      if (what != VGPU_WHAT_IF_OCCUPANCY || sum->next_room > 0) {
         add(explain, what_ifs[what].name, gain_of(explain, (enum vgpu_what_if)what), advice);
      }
   }
   add(explain, inactive_lanes, 1 - explain_lanes(explain) / filled_lanes(explain),
       "let the lanes of a simdgroup take the same way: the gain is that of all lanes active in each instruction");
   add(explain, "partial simdgroups", gain_of_filling(explain),
       "make threadgroups of a multiple of 32 threads: the gain is that of as many threads in fewer simdgroups");
   qsort(explain->findings, explain->finding_count, sizeof(explain->findings[0]), by_rank);
}

/* ---- Reading ---- */

static int read_events(struct asahi_device *device, struct explain *explain)
{
   struct vgpu_profile_request request;

   for (uint32_t group = 0;; group++) {
      if (asahi_device_profile(device, group, &request) < 0) {
         return complain(EXIT_FAILED, "%s", asahi_device_error(device));
      }
      if (explain->events == NULL) {
         explain->events = calloc(request.events_total + 1, sizeof(*explain->events));
         explain->events_dropped = request.events_dropped;
      }
      if (explain->events == NULL) {
         return complain(EXIT_FAILED, "out of memory");
      }
      if (request.event_count == 0) {
         return EXIT_OK;
      }
      memcpy(explain->events + explain->event_count, request.events, request.event_count * sizeof(*explain->events));
      explain->event_count += request.event_count;
   }
}

int explain_read(struct asahi_device *device, const struct agx_program *program, uint32_t group_threads,
                 struct explain *explain)
{
   struct vgpu_profile_request request;

   *explain = (struct explain){.program = program, .group_threads = group_threads};
   if (asahi_device_profile(device, 0, &request) < 0) {
      return complain(EXIT_FAILED, "%s", asahi_device_error(device));
   }
   if (request.sum.launches == 0 || request.sum.failed || request.sum.ticks == 0) {
      return complain(EXIT_FAILED, "%s: no time was recorded; is the device's timing off?", agx_program_name(program));
   }
   explain->sum = request.sum;
   explain->rows = calloc(request.total, sizeof(*explain->rows));
   if (explain->rows == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   for (; explain->count < request.total; explain->count++) {
      if (asahi_device_profile(device, (uint32_t)explain->count, &request) < 0) {
         return complain(EXIT_FAILED, "%s", asahi_device_error(device));
      }
      explain->rows[explain->count] = request.row;
   }
   find(explain);
   return read_events(device, explain);
}

void explain_finish(struct explain *explain)
{
   free(explain->rows);
   free(explain->events);
   free(explain->better);
   *explain = (struct explain){0};
}

int explain_write(const struct explain *explain, enum explain_format format, unsigned timeline, const char *path)
{
   struct output output;
   int code = output_open(&output, path);

   if (code == EXIT_OK) {
      code = format == EXPLAIN_JSON   ? explain_json(explain, output.file)
             : format == EXPLAIN_HTML ? explain_html(explain, timeline > 0 ? timeline : EXPLAIN_PAGE_SIMDS, output.file)
                                      : explain_text(explain, output.file);
   }
   if (code == EXIT_OK && format == EXPLAIN_TEXT && timeline > 0) {
      code = explain_timeline(explain, timeline, output.file);
   }
   if (code == EXIT_OK) {
      code = output_commit(&output);
   }
   output_discard(&output);
   return code;
}
