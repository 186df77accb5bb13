/* SPDX-License-Identifier: MIT
 *
 * The recorder of vgpu/timing/recorder.h. Invariant: the parts of an issue's time add up to the time since the
 * previous issue.
 */
#include "vgpu/timing/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "util/array.h"

#define FIRST_SIZE 1024u

bool vgpu_recorder_init(struct vgpu_recorder *recorder, struct vgpu_profile *profile, uint64_t base, uint32_t simds)
{
   *recorder = (struct vgpu_recorder){.profile = profile, .size = FIRST_SIZE, .base = base};
   recorder->simds = calloc(simds, sizeof(*recorder->simds));
   recorder->keys = calloc(recorder->size, sizeof(*recorder->keys));
   recorder->values = calloc(recorder->size, sizeof(*recorder->values));
   return recorder->simds && recorder->keys && recorder->values;
}

void vgpu_recorder_finish(struct vgpu_recorder *recorder)
{
   free(recorder->simds);
   free(recorder->keys);
   free(recorder->values);
}

void vgpu_recorder_start(struct vgpu_recorder *recorder, uint32_t simd, uint64_t now)
{
   struct vgpu_recorded_simd *recorded = &recorder->simds[simd];
   *recorded = (struct vgpu_recorded_simd){
       .since = now, .last = VGPU_RECORDER_NONE, .event = VGPU_RECORDER_NONE, .reason = VGPU_STALL_SCHEDULER};
   memset(recorded->loads, 0xff, sizeof(recorded->loads));
   memset(recorded->writers, 0xff, sizeof(recorded->writers));
   recorded->number = (uint32_t)recorder->profile->sum.simds++;
}

/* ---- Rows ---- */

static size_t slot_of(const struct vgpu_recorder *recorder, const void *key)
{
   size_t slot = ((uintptr_t)key >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (recorder->size - 1);
   while (recorder->keys[slot] && recorder->keys[slot] != key) {
      slot = (slot + 1) & (recorder->size - 1);
   }
   return slot;
}

static bool grow(struct vgpu_recorder *recorder)
{
   struct vgpu_recorder larger = *recorder;
   larger.size = recorder->size * 2;
   larger.keys = calloc(larger.size, sizeof(*larger.keys));
   larger.values = calloc(larger.size, sizeof(*larger.values));
   if (!larger.keys || !larger.values) {
      free(larger.keys);
      free(larger.values);
      return false;
   }
   for (size_t i = 0; i < recorder->size; i++) {
      if (recorder->keys[i]) {
         size_t slot = slot_of(&larger, recorder->keys[i]);
         larger.keys[slot] = recorder->keys[i];
         larger.values[slot] = recorder->values[i];
      }
   }
   free(recorder->keys);
   free(recorder->values);
   *recorder = larger;
   return true;
}

static uint64_t address_of(const struct vgpu_recorder *recorder, const struct vgpu_block *block,
                           const struct vgpu_cost *cost)
{
   uint64_t address = block->address - recorder->base;
   for (const struct vgpu_cost *before = block->costs; before < cost; before++) {
      address += block->insns[before - block->costs].length;
   }
   return address;
}

/* Blocks may overlap, so rows are found by address. */
static uint32_t row_at(struct vgpu_recorder *recorder, uint64_t address)
{
   struct vgpu_profile *profile = recorder->profile;
   for (size_t i = 0; i < profile->count; i++) {
      if (profile->rows[i].address == address) {
         return (uint32_t)i;
      }
   }
   if (!ARRAY_RESERVE_ONE(profile->rows, profile->count)) {
      recorder->failed = true;
      return VGPU_RECORDER_NONE;
   }
   profile->rows[profile->count] = (struct vgpu_profile_row){.address = address};
   return (uint32_t)profile->count++;
}

uint32_t vgpu_recorder_row(struct vgpu_recorder *recorder, const struct vgpu_block *block, const struct vgpu_cost *cost)
{
   size_t slot = slot_of(recorder, cost);
   if (recorder->keys[slot]) {
      return recorder->values[slot];
   }
   if (recorder->used * 2 >= recorder->size) {
      if (!grow(recorder)) {
         recorder->failed = true;
         return VGPU_RECORDER_NONE;
      }
      slot = slot_of(recorder, cost);
   }
   uint32_t row = row_at(recorder, address_of(recorder, block, cost));
   if (row != VGPU_RECORDER_NONE) {
      recorder->keys[slot] = cost;
      recorder->values[slot] = row;
      recorder->used++;
   }
   return row;
}

/* ---- Time ---- */

/* Charges the simdgroup's time until `until` to this stall. Returns that time. Each row keeps only the source with the
 * most time: a smaller one is replaced. */
static uint64_t spend(struct vgpu_recorder *recorder, struct vgpu_recorded_simd *simd, uint32_t row,
                      enum vgpu_stall stall, uint64_t until, uint32_t source)
{
   if (until <= simd->since || row == VGPU_RECORDER_NONE) {
      return 0;
   }
   struct vgpu_profile_row *into = &recorder->profile->rows[row];
   uint64_t time = until - simd->since;
   into->stalls[stall] += time;
   simd->since = until;
   if (source == VGPU_RECORDER_NONE) {
      return time;
   }
   uint64_t address = recorder->profile->rows[source].address;
   if (into->source_time == 0 || into->source == address) {
      into->source = address;
      into->source_time += time;
   } else if (into->source_time < time) {
      into->source = address;
      into->source_time = time - into->source_time;
   } else {
      into->source_time -= time;
   }
   return time;
}

/* Stores the event while there is room. */
static uint32_t keep_event(struct vgpu_recorder *recorder, const struct vgpu_profile_event *event)
{
   struct vgpu_profile *profile = recorder->profile;
   if (profile->event_count == VGPU_PROFILE_EVENTS_MOST) {
      profile->events_dropped++;
      return VGPU_RECORDER_NONE;
   }
   if (!ARRAY_RESERVE(profile->events, profile->event_capacity, profile->event_count + 1)) {
      recorder->failed = true;
      return VGPU_RECORDER_NONE;
   }
   profile->events[profile->event_count] = *event;
   return (uint32_t)profile->event_count++;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
   return a < b ? a : b;
}

void vgpu_recorder_issue(struct vgpu_recorder *recorder, uint32_t simd, uint32_t row,
                         const struct vgpu_recorded_issue *issue)
{
   struct vgpu_recorded_simd *recorded = &recorder->simds[simd];
   if (row == VGPU_RECORDER_NONE) {
      return;
   }
   /* Stalls caused by the previous instruction are charged to it. */
   uint32_t before = recorded->last == VGPU_RECORDER_NONE ? row : recorded->last;
   uint32_t load = VGPU_RECORDER_NONE;
   if (recorded->reason == VGPU_STALL_MEMORY) {
      load = recorded->loads[recorded->waits];
   }
   const struct {
      uint32_t row;
      enum vgpu_stall stall;
      uint64_t until;
      uint32_t source;
   } parts[] = {
       {before, (enum vgpu_stall)recorded->reason, issue->floor, load},
       {row, VGPU_STALL_FETCH, issue->fetched, VGPU_RECORDER_NONE},
       {row, VGPU_STALL_OPERAND, issue->operands, issue->source},
       {row, VGPU_STALL_SLOT, issue->slot, VGPU_RECORDER_NONE},
       {row, VGPU_STALL_PIPE, issue->pipe, VGPU_RECORDER_NONE},
       {row, VGPU_STALL_SCHEDULER, issue->now, VGPU_RECORDER_NONE},
   };
   struct vgpu_profile_event event = {.simd = recorded->number,
                                      .scheduler = issue->scheduler,
                                      .address = recorder->profile->rows[row].address,
                                      .since = recorded->since,
                                      .issue = issue->now,
                                      .end = issue->end,
                                      .done = issue->end,
                                      .stall = VGPU_STALLS};
   uint64_t longest = 0;
   for (unsigned i = 0; i < ARRAY_COUNT(parts); i++) {
      uint64_t time =
          spend(recorder, recorded, parts[i].row, parts[i].stall, earlier(parts[i].until, issue->now), parts[i].source);
      if (time > longest) {
         longest = time;
         event.stall = parts[i].stall;
      }
   }
   recorded->event = keep_event(recorder, &event);
   recorder->profile->rows[row].executions++;
   recorder->profile->rows[row].issue += issue->end - issue->now;
   recorded->since = issue->end;
   recorded->last = row;
   recorded->reason = VGPU_STALL_SCHEDULER;
}

void vgpu_recorder_done(struct vgpu_recorder *recorder, uint32_t simd, uint64_t done)
{
   uint32_t event = recorder->simds[simd].event;
   if (event != VGPU_RECORDER_NONE) {
      recorder->profile->events[event].done = done;
   }
}

void vgpu_recorder_end(struct vgpu_recorder *recorder, uint32_t simd, uint64_t end)
{
   struct vgpu_recorded_simd *recorded = &recorder->simds[simd];
   if (recorded->last == VGPU_RECORDER_NONE) {
      return;
   }
   if (end < recorded->since) {
      recorder->profile->rows[recorded->last].issue -= recorded->since - end;
   } else {
      spend(recorder, recorded, recorded->last, VGPU_STALL_MEMORY, end, VGPU_RECORDER_NONE);
   }
}
