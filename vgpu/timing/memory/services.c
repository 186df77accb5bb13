/* SPDX-License-Identifier: MIT
 *
 * The turns in which the caches see the accesses of all simdgroups. Invariant: a simdgroup's services are in the order
 * of its accesses, one for each.
 */
#include "vgpu/timing/memory/services.h"

#include <stdlib.h>
#include <string.h>

#define STACK_ROOM (UINT64_C(1) << 21) /* bytes of stack memory of a simdgroup: 256 registers' worth and more */
#define STACK_BASE (UINT64_C(1) << 44) /* beyond all addresses of device memory */

/* A simdgroup's place on a core. */
struct cursor {
   const uint64_t *at, *end;
   struct vgpu_record *record; /* NULL: nothing is left to do here */
   uint64_t stack_base;
   struct vgpu_service_run *runs;
   size_t count, capacity;
   struct vgpu_service last; /* of the last run */
};

/* A service whose number is known. */
struct known {
   struct vgpu_service service;
   uint32_t number;
   bool used;
};

/* A threadgroup's room on a core: its cursors, one after the other. */
struct slot {
   uint32_t core;
   uint64_t group;
   uint32_t left; /* simdgroups */
};

struct turns {
   const struct vgpu_services_input *input;
   struct vgpu_services *services;
   struct vgpu_hierarchy *hierarchy;
   struct cursor *cursors;
   struct slot *slots;
   uint32_t slot_count;
   uint64_t *next;         /* by core: its next threadgroup */
   struct known known[64]; /* by a hash of the service */
};

static bool same(const struct vgpu_service *a, const struct vgpu_service *b)
{
   return !memcmp(a, b, sizeof(*a));
}

/* The number of the service. A launch has few kinds, so that the one in its slot of `known` mostly is it. false: out of
 * memory. */
static bool find_kind(struct turns *turns, const struct vgpu_service *service, uint32_t *number)
{
   uint64_t words[sizeof(*service) / sizeof(uint64_t)], hash = 0;
   memcpy(words, service, sizeof(*service));
   for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
      hash = (hash ^ words[i]) * UINT64_C(0x9E3779B97F4A7C15);
   }
   struct known *known = &turns->known[hash >> 58];
   _Static_assert(sizeof(turns->known) / sizeof(turns->known[0]) == 1 << (64 - 58), "a slot for each hash");
   if (!known->used || !same(&known->service, service)) {
      known->used = vgpu_intern_add(&turns->services->kinds, service, sizeof(*service), &known->number);
      known->service = *service;
   }
   *number = known->number;
   return known->used;
}

static bool append(struct turns *turns, struct cursor *cursor, const struct vgpu_service *service)
{
   struct vgpu_service_run *last = cursor->count ? &cursor->runs[cursor->count - 1] : NULL;
   if (last && same(&cursor->last, service) && last->repeat < UINT32_MAX) {
      last->repeat++;
      return true;
   }
   if (cursor->count == cursor->capacity) {
      size_t capacity = cursor->capacity ? cursor->capacity * 2 : 16;
      struct vgpu_service_run *grown = realloc(cursor->runs, capacity * sizeof(*grown));
      if (!grown) {
         return false;
      }
      cursor->runs = grown;
      cursor->capacity = capacity;
   }
   struct vgpu_service_run *run = &cursor->runs[cursor->count++];
   run->repeat = 1;
   cursor->last = *service;
   return find_kind(turns, service, &run->service);
}

/* Puts the core's next threadgroup into the slot, or nothing. */
static void fill_slot(struct turns *turns, struct slot *slot)
{
   const struct vgpu_services_input *input = turns->input;
   struct cursor *cursors = &turns->cursors[(size_t)(slot - turns->slots) * input->simds_each];
   while (slot->left == 0 && turns->next[slot->core] < input->groups) {
      slot->group = turns->next[slot->core];
      turns->next[slot->core] += input->cores;
      for (uint32_t i = 0; i < input->simds_each; i++) {
         struct vgpu_record *record = &input->records[slot->group * input->simds_each + i];
         if (record->count) {
            cursors[i].record = record;
            cursors[i].at = record->spans;
            cursors[i].end = record->spans + record->count;
            cursors[i].count = 0;
            slot->left++;
         }
      }
   }
}

static bool end_simd(struct turns *turns, struct slot *slot, struct cursor *cursor)
{
   struct vgpu_record *record = cursor->record;
   bool done =
       vgpu_intern_add(&turns->services->streams, cursor->runs, cursor->count * sizeof(*cursor->runs), &record->stream);
   if (!turns->input->keep) {
      free(record->spans);
      record->spans = NULL;
      record->count = 0;
   }
   cursor->record = NULL;
   if (--slot->left == 0) {
      fill_slot(turns, slot);
   }
   return done;
}

/* One access of every simdgroup. false: out of memory. *more: accesses are left. */
static bool take_turn(struct turns *turns, bool *more)
{
   const struct vgpu_services_input *input = turns->input;
   *more = false;
   turns->hierarchy->turn++;
   for (uint32_t s = 0; s < turns->slot_count; s++) {
      struct slot *slot = &turns->slots[s];
      struct cursor *cursors = &turns->cursors[(size_t)s * input->simds_each];
      const uint64_t group = slot->group;
      for (uint32_t i = 0; slot->left && slot->group == group && i < input->simds_each; i++) {
         struct cursor *cursor = &cursors[i];
         struct vgpu_service service;
         if (!cursor->record) {
            continue;
         }
         cursor->at =
             vgpu_hierarchy_access(turns->hierarchy, slot->core, cursor->stack_base, cursor->at, cursor->end, &service);
         if (!append(turns, cursor, &service) || (cursor->at == cursor->end && !end_simd(turns, slot, cursor))) {
            return false;
         }
      }
      *more |= slot->left > 0;
   }
   return !turns->hierarchy->out_of_memory;
}

static bool begin(struct turns *turns)
{
   const struct vgpu_services_input *input = turns->input;
   uint64_t each = (input->groups + input->cores - 1) / input->cores; /* threadgroups of a core */
   uint32_t room = each < input->room ? (uint32_t)each : input->room;
   uint32_t cores = input->groups < input->cores ? (uint32_t)input->groups : input->cores;
   uint32_t empty;
   if (!vgpu_intern_add(&turns->services->streams, "", 0, &empty)) {
      return false;
   }
   vgpu_hierarchy_begin(turns->hierarchy, input->space);
   turns->slot_count = cores * room;
   turns->slots = calloc(turns->slot_count, sizeof(*turns->slots));
   turns->cursors = calloc((size_t)turns->slot_count * input->simds_each, sizeof(*turns->cursors));
   turns->next = calloc(input->cores, sizeof(*turns->next));
   if (!turns->slots || !turns->cursors || !turns->next) {
      return false;
   }
   for (size_t i = 0; i < (size_t)turns->slot_count * input->simds_each; i++) {
      turns->cursors[i].stack_base = STACK_BASE + i * STACK_ROOM;
   }
   for (uint32_t core = 0; core < cores; core++) {
      turns->next[core] = core;
   }
   /* Threadgroups are dealt out core by core: the first of each, then the second. */
   for (uint32_t s = 0; s < turns->slot_count; s++) {
      turns->slots[s].core = s / room;
      fill_slot(turns, &turns->slots[s]);
   }
   return true;
}

bool vgpu_services_make(struct vgpu_services *services, const struct vgpu_services_input *input)
{
   struct turns turns = {.input = input, .services = services, .hierarchy = input->hierarchy};
   bool more = true, done = begin(&turns);
   while (done && more) {
      done = take_turn(&turns, &more);
   }
   services->most_atomics = turns.hierarchy->most_atomics;
   for (size_t i = 0; turns.cursors && i < (size_t)turns.slot_count * input->simds_each; i++) {
      free(turns.cursors[i].runs);
   }
   free(turns.slots);
   free(turns.cursors);
   free(turns.next);
   return done;
}

void vgpu_services_finish(struct vgpu_services *services)
{
   vgpu_intern_finish(&services->kinds);
   vgpu_intern_finish(&services->streams);
}
