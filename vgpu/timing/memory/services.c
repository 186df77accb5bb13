/* SPDX-License-Identifier: MIT
 *
 * Replays the accesses of all simdgroups through the caches, turn by turn. Invariant: a simdgroup has one service for
 * each access, in the order of its accesses.
 *
 * A window of turns is replayed in three steps: every core passes its accesses through its L1; the shared levels answer
 * the requests of the cores, each part in the order of turns and cores; every core turns the answers into services. No
 * step needs the results of a later one, so that host threads do steps of several windows side by side
 * (vgpu/timing/memory/steps.h). So the result equals that of one thread that takes turn
 * after turn, core after core, and access after access, each with all three steps. That is what is done where there is
 * one thread.
 */
#include "vgpu/timing/memory/services.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/timing/memory/accesses.h"
#include "vgpu/timing/memory/feed.h"
#include "vgpu/timing/memory/requests.h"
#include "vgpu/timing/memory/steps.h"
#include "util/array.h"

#define STACK_ROOM (UINT64_C(1) << 21) /* bytes of a simdgroup's stack memory: at least 256 registers */
#define STACK_BASE (UINT64_C(1) << 44) /* above all addresses of device memory */
#define RECENT 16u                     /* number of earlier accesses among which a repeated one is recognized */
#define WINDOW 2048u                   /* accesses of a window for each host thread, roughly: they fit its caches */

/* A simdgroup that is on a core. Small, because each access needs that of another simdgroup. */
struct cursor {
   struct vgpu_record *record; /* NULL: there is no simdgroup, or it has no access left */
   uint32_t left;              /* accesses */
   uint32_t count, capacity;
   uint32_t fed;                  /* accesses of the last run that the core's feed has */
   struct vgpu_service_run *runs; /* all but the last one */
   struct vgpu_service_run run;   /* the last one; repeat 0: there is none */
   struct vgpu_service last;      /* its service */
   struct vgpu_record *of;        /* whose runs these are: the first step may be further */
};

/* The last loads and stores of a simdgroup. */
struct recent {
   uint64_t hashes[RECENT]; /* a ring; 0: none */
   unsigned next;
};

/* The place of a threadgroup on a core: its cursors, one after the other. */
struct slot {
   uint64_t group;
   const uint64_t *at, *end; /* its spans that are left */
   uint32_t left;            /* simdgroups that have accesses left */
};

/* An access of the window. */
struct access {
   struct vgpu_service service;
   uint32_t end;    /* end of its requests */
   uint32_t cursor; /* its number; with ENDED the simdgroup has no more accesses */
   struct vgpu_record *record;
};

#define ENDED (UINT32_C(1) << 31)

/* The accesses of a core in a window. */
struct window {
   struct vgpu_requests requests;
   struct access *accesses;
   size_t count, capacity;
   uint64_t number; /* 1 + the window's number; 0: none */
   bool out_of_memory;
};

/* The first step changes all but what the third one does: the members of the cursors from `count` on, and the last
 * members. */
struct core {
   struct slot *slots;
   struct cursor *cursors; /* the cursors of its slots */
   struct recent *recent;  /* by cursor; NULL: not needed */
   uint64_t stack_base;    /* of its first cursor */
   uint64_t next;          /* the next threadgroup of the core */
   bool more;
   struct window windows[VGPU_STEPS_WINDOWS]; /* by number modulo VGPU_STEPS_WINDOWS */
   struct vgpu_intern_recent kinds, streams;  /* of the services */
   struct vgpu_feed *feed;                    /* NULL: none */
   bool out_of_memory;
};

struct turns {
   const struct vgpu_services_input *input;
   struct vgpu_services *services;
   pthread_mutex_t lock; /* protects *services */
   struct core *cores;
   uint32_t core_count, room;
   struct slot *slots;
   struct cursor *cursors;
   struct recent *recent; /* NULL: not needed */
   bool *fed;             /* by core */
   uint64_t first, each;  /* the first turn; turns of a window */
   unsigned parts;
};

/* Member by member: they have just been written one by one, and the host waits when it reads several of those at
 * once. */
static inline bool same(const struct vgpu_service *a, const struct vgpu_service *b)
{
   return a->lines == b->lines && a->moved[0] == b->moved[0] && a->moved[1] == b->moved[1] &&
          a->moved[2] == b->moved[2] && a->moved[3] == b->moved[3] && a->level == b->level && a->flags == b->flags &&
          a->passes == b->passes && a->serial == b->serial;
}

/* ---- From answers to services ---- */

/* Adds what the feed does not have yet of the last run. feed: the window's; NULL: none. */
static bool feed_run(const struct turns *turns, struct vgpu_feed_window *feed, struct cursor *cursor)
{
   const struct vgpu_service_run more = {cursor->run.service, cursor->run.repeat - cursor->fed};
   cursor->fed = cursor->run.repeat;
   return !feed || more.repeat == 0 || vgpu_feed_add(feed, (size_t)(cursor->of - turns->input->records), more);
}

/* Appends the last run to the others. */
static bool end_run(const struct turns *turns, struct vgpu_feed_window *feed, struct cursor *cursor)
{
   if (cursor->run.repeat == 0) {
      return true;
   }
   if (!feed_run(turns, feed, cursor) || !ARRAY_RESERVE(cursor->runs, cursor->capacity, cursor->count + 1)) {
      return false;
   }
   cursor->runs[cursor->count++] = cursor->run;
   cursor->run.repeat = cursor->fed = 0;
   return true;
}

static inline bool append(struct turns *turns, struct core *core, struct vgpu_feed_window *feed, struct cursor *cursor,
                          const struct access *access)
{
   const struct vgpu_service *service = &access->service;
   if (same(&cursor->last, service) && cursor->run.repeat > 0 && cursor->run.repeat < UINT32_MAX) {
      cursor->run.repeat++;
      return true;
   }
   if (!end_run(turns, feed, cursor) || !vgpu_intern_add_shared(&turns->services->kinds, &turns->lock, &core->kinds,
                                                                service, sizeof(*service), &cursor->run.service)) {
      return false;
   }
   cursor->run.repeat = 1;
   cursor->last = *service;
   cursor->of = access->record;
   return true;
}

/* Adds the access's service, which is complete. feed: the window's; NULL: none. */
static inline __attribute__((always_inline)) void
add_service(struct turns *turns, struct core *core, struct vgpu_feed_window *feed, const struct access *access)
{
   struct cursor *cursor = &core->cursors[access->cursor & ~ENDED];
   bool done = append(turns, core, feed, cursor, access);
   if (done && access->cursor & ENDED) {
      done = end_run(turns, feed, cursor) &&
             vgpu_intern_add_shared(&turns->services->streams, &turns->lock, &core->streams, cursor->runs,
                                    cursor->count * sizeof(*cursor->runs), &access->record->stream);
      cursor->count = 0;
   }
   core->out_of_memory |= !done;
}

static bool make_services(struct turns *turns, struct core *core, uint64_t number)
{
   struct window *window = &core->windows[number % VGPU_STEPS_WINDOWS];
   struct vgpu_feed_window *feed = core->feed ? &core->feed->windows[number % VGPU_STEPS_FED] : NULL;
   uint32_t first = 0;
   for (size_t i = 0; i < window->count && !core->out_of_memory; i++) {
      struct access *access = &window->accesses[i];
      if (first < access->end) {
         vgpu_requests_answer(&window->requests, first, access->end, &access->service);
         first = access->end;
      }
      add_service(turns, core, feed, access);
   }
   for (size_t i = 0; feed && i < (size_t)turns->room * turns->input->simds_each; i++) {
      core->out_of_memory |= !feed_run(turns, feed, &core->cursors[i]);
   }
   return !core->out_of_memory;
}

/* ---- The shared levels ---- */

/* Returns the core's requests in the window; NULL: it had listed its last window before. */
static inline struct vgpu_requests *requests_of(const struct turns *turns, uint32_t core, uint64_t number)
{
   struct window *window = &turns->cores[core].windows[number % VGPU_STEPS_WINDOWS];
   return window->number == number + 1 ? &window->requests : NULL;
}

/* Translates the pages of all cores. at: all zeros. */
static void translate(struct turns *turns, uint64_t number, uint32_t *at)
{
   const uint64_t first = turns->first + number * turns->each;
   for (uint64_t turn = first; turn < first + turns->each; turn++) {
      for (uint32_t i = 0; i < turns->core_count; i++) {
         struct vgpu_requests *requests = requests_of(turns, i, number);
         for (; requests && at[i] < requests->page_count && requests->pages[at[i]].turn == turn; at[i]++) {
            vgpu_hierarchy_translate(turns->input->hierarchy, &requests->pages[at[i]]);
         }
      }
   }
}

/* Serves the requests of all cores to one part. at: all zeros. */
static void serve(struct turns *turns, uint64_t number, unsigned part, uint32_t *at)
{
   const uint64_t first = turns->first + number * turns->each;
   for (uint32_t turn = 0; turn < turns->each; turn++) {
      for (uint32_t i = 0; i < turns->core_count; i++) {
         struct vgpu_requests *requests = requests_of(turns, i, number);
         struct vgpu_request_list *list = requests ? &requests->lists[part] : NULL;
         for (; list && at[i] < list->count && list->items[at[i]].turn == turn; at[i]++) {
            vgpu_hierarchy_serve(turns->input->hierarchy, part, i, first + turn, &list->items[at[i]],
                                 &list->answers[at[i]]);
         }
      }
   }
}

/* Serves the part with that index, or translates pages if the index is the last one. */
static bool answer(struct turns *turns, uint64_t number, unsigned index)
{
   uint32_t *at = calloc(turns->core_count, sizeof(*at)); /* the next request of each core */
   if (at && index == turns->parts) {
      translate(turns, number, at);
   } else if (at) {
      serve(turns, number, index, at);
   }
   free(at);
   return at != NULL;
}

/* ---- The cores' accesses ---- */

/* Puts the core's next threadgroup into the slot, if there is one. */
static void fill_slot(const struct turns *turns, struct core *core, struct slot *slot)
{
   const struct vgpu_services_input *input = turns->input;
   struct cursor *cursors = &core->cursors[(size_t)(slot - core->slots) * input->simds_each];
   while (slot->left == 0 && core->next < input->groups) {
      slot->group = core->next;
      core->next += input->cores;
      slot->at = slot->end = input->records[slot->group * input->simds_each].spans;
      for (uint32_t i = 0; i < input->simds_each; i++) {
         struct vgpu_record *record = &input->records[slot->group * input->simds_each + i];
         if (record->accesses) { /* otherwise there may be no spans at all */
            slot->end += record->size;
            cursors[i].record = record;
            cursors[i].left = record->accesses;
            if (core->recent) {
               memset(core->recent[&cursors[i] - core->cursors].hashes, 0, sizeof(core->recent->hashes));
            }
            slot->left++;
         }
      }
   }
}

static void end_simd(const struct turns *turns, struct core *core, struct slot *slot, struct cursor *cursor)
{
   const struct vgpu_services_input *input = turns->input;
   cursor->record = NULL;
   if (--slot->left == 0) {
      if (!input->keep) {
         vgpu_records_free(input->spare, &input->records[slot->group * input->simds_each], input->simds_each);
      }
      fill_slot(turns, core, slot);
   }
}

static struct access *new_access(struct window *window)
{
   if (!ARRAY_RESERVE(window->accesses, window->capacity, window->count + 1)) {
      window->out_of_memory = true;
      return NULL;
   }
   return &window->accesses[window->count++];
}

/* Whether the access from `spans` to before `end` is a load or store that the simdgroup made among its last ones. */
static bool is_repeated(struct recent *recent, const uint64_t *spans, const uint64_t *end)
{
   uint64_t hash = 1;
   const unsigned kind = vgpu_span_kind(*spans);
   if (kind != VGPU_ACCESS_LOAD && kind != VGPU_ACCESS_STORE) {
      return false;
   }
   for (; spans < end; spans++) {
      hash = (hash ^ *spans) * UINT64_C(0x9E3779B97F4A7C15);
      hash ^= hash >> 32;
   }
   for (unsigned i = 0; i < RECENT; i++) {
      if (recent->hashes[i] == hash) {
         return true;
      }
   }
   recent->hashes[recent->next++ % RECENT] = hash;
   return false;
}

/* The simdgroup at that place of the core makes its next access. Its service is complete if `window` is NULL; otherwise
 * its requests are listed there. */
static inline __attribute__((always_inline)) void take_access(const struct turns *turns, uint32_t number, uint64_t turn,
                                                              struct slot *slot, uint32_t place, struct window *window,
                                                              struct access *access)
{
   struct core *core = &turns->cores[number];
   struct vgpu_hierarchy *hierarchy = turns->input->hierarchy;
   struct cursor *cursor = &core->cursors[place];
   const uint64_t *const spans = slot->at, stack = core->stack_base + place * STACK_ROOM;
   slot->at =
       window ? vgpu_requests_add(&window->requests, hierarchy, number, turn, stack, spans, slot->end, &access->service)
              : vgpu_requests_serve(hierarchy, number, turn, stack, spans, slot->end, &access->service);
   if (core->recent && is_repeated(&core->recent[place], spans, slot->at)) {
      access->service.flags |= VGPU_SERVICE_REPEATED;
   }
   const bool ended = --cursor->left == 0;
   access->cursor = ended ? place | ENDED : place;
   access->record = cursor->record;
   if (ended) {
      end_simd(turns, core, slot, cursor);
   }
}

/* Processes one access of every simdgroup of the core: completely if `window` is NULL. */
static inline __attribute__((always_inline)) void take_turn(struct turns *turns, uint32_t number, uint64_t turn,
                                                            struct window *window)
{
   const uint32_t simds = turns->input->simds_each;
   struct core *core = &turns->cores[number];
   core->more = false;
   for (uint32_t s = 0; s < turns->room; s++) {
      struct slot *slot = &core->slots[s];
      for (uint32_t i = 0; slot->left && i < simds; i++) {
         const uint32_t place = s * simds + i;
         struct access taken, *access = &taken;
         if (!core->cursors[place].record) {
            continue;
         }
         if (window && !(access = new_access(window))) {
            return;
         }
         const uint64_t group = slot->group;
         take_access(turns, number, turn, slot, place, window, access);
         if (window) {
            access->end = window->requests.count;
         } else {
            add_service(turns, core, NULL, access);
         }
         if (access->cursor & ENDED && slot->group != group) {
            break; /* the next threadgroup begins in the next turn */
         }
      }
      core->more |= slot->left > 0;
   }
}

/* Makes the requests of a window. */
static enum vgpu_step_result list_requests(struct turns *turns, uint32_t index, uint64_t number)
{
   struct core *core = &turns->cores[index];
   struct window *window = &core->windows[number % VGPU_STEPS_WINDOWS];
   const uint64_t first = turns->first + number * turns->each;
   window->number = number + 1;
   window->count = 0;
   vgpu_requests_begin(&window->requests, first, turns->parts);
   for (uint64_t turn = first; turn < first + turns->each && core->more && !window->out_of_memory; turn++) {
      take_turn(turns, index, turn, window);
      window->out_of_memory |= window->requests.out_of_memory;
   }
   return window->out_of_memory ? VGPU_STEP_FAILED : core->more ? VGPU_STEP_DONE : VGPU_STEP_LAST;
}

static enum vgpu_step_result do_step(void *data, const struct vgpu_replay_step *step)
{
   struct turns *turns = data;
   bool done = true;
   switch (step->kind) {
   case VGPU_STEP_FEED:
      done = vgpu_feed_go_on(turns->cores[step->index].feed, step->window, step->end, &turns->services->kinds,
                             &turns->lock);
      break;
   case VGPU_STEP_SERVICES:
      done = make_services(turns, &turns->cores[step->index], step->window);
      break;
   case VGPU_STEP_SERVE:
      done = answer(turns, step->window, step->index);
      break;
   case VGPU_STEP_LIST:
      return list_requests(turns, step->index, step->window);
   }
   return done ? VGPU_STEP_DONE : VGPU_STEP_FAILED;
}

/* One host thread takes turn after turn, core after core, and has each request served at once. Returns false when out
 * of memory. */
static bool take_turns(struct turns *turns)
{
   bool more = true, done = true;
   for (uint64_t turn = turns->first; more && done; turn++) {
      more = false;
      for (uint32_t i = 0; i < turns->core_count; i++) {
         if (turns->cores[i].more) {
            take_turn(turns, i, turn, NULL);
            more |= turns->cores[i].more;
            done &= !turns->cores[i].out_of_memory;
         }
      }
      turns->input->hierarchy->turn = turn;
   }
   return done;
}

/* ---- The launch ---- */

/* Several host threads do. Returns false when out of memory. */
static bool share_turns(struct turns *turns)
{
   const struct vgpu_services_input *input = turns->input;
   const uint64_t window = (uint64_t)WINDOW * input->threads,
                  each = window / ((uint64_t)turns->core_count * turns->room * input->simds_each);
   turns->each = each ? each : 1;
   const struct vgpu_steps steps = {
       .cores = turns->core_count, .parts = turns->parts + 1, .fed = turns->fed, .work = do_step, .data = turns};
   const bool done = vgpu_steps_run(&steps, input->host, input->threads);
   uint64_t windows = 0;
   for (uint32_t i = 0; i < turns->core_count; i++) {
      for (unsigned w = 0; w < VGPU_STEPS_WINDOWS; w++) {
         const uint64_t number = turns->cores[i].windows[w].number;
         windows = number > windows ? number : windows;
      }
   }
   input->hierarchy->turn = turns->first + windows * turns->each - 1;
   return done;
}

static bool begin(struct turns *turns)
{
   const struct vgpu_services_input *input = turns->input;
   uint64_t each = (input->groups + input->cores - 1) / input->cores; /* threadgroups of a core */
   turns->room = each < input->room ? (uint32_t)each : input->room;
   turns->core_count = input->groups < input->cores ? (uint32_t)input->groups : input->cores;
   turns->parts = vgpu_hierarchy_parts(input->hierarchy, input->threads);
   const size_t cursors = (size_t)turns->room * input->simds_each; /* of a core */
   uint32_t empty;
   if (!vgpu_intern_add(&turns->services->streams, "", 0, &empty)) {
      return false;
   }
   vgpu_hierarchy_begin(input->hierarchy, input->space);
   turns->first = input->hierarchy->turn + 1;
   turns->cores = calloc(turns->core_count, sizeof(*turns->cores));
   turns->slots = calloc((size_t)turns->core_count * turns->room, sizeof(*turns->slots));
   turns->cursors = calloc(turns->core_count * cursors, sizeof(*turns->cursors));
   turns->recent = input->repeats ? calloc(turns->core_count * cursors, sizeof(*turns->recent)) : NULL;
   turns->fed = calloc(turns->core_count, sizeof(*turns->fed));
   if (!turns->cores || !turns->slots || !turns->fed || !turns->cursors || (input->repeats && !turns->recent)) {
      return false;
   }
   for (uint32_t i = 0; i < turns->core_count; i++) {
      struct core *core = &turns->cores[i];
      core->slots = &turns->slots[(size_t)i * turns->room];
      core->cursors = &turns->cursors[i * cursors];
      core->recent = turns->recent ? &turns->recent[i * cursors] : NULL;
      core->stack_base = STACK_BASE + i * cursors * STACK_ROOM;
      core->next = i;
      core->more = true;
      turns->fed[i] = input->feeds && input->feeds->feeds[i].go_on;
      core->feed = turns->fed[i] ? &input->feeds->feeds[i] : NULL;
      for (uint32_t s = 0; s < turns->room; s++) {
         fill_slot(turns, core, &core->slots[s]);
      }
   }
   return true;
}

static void release(struct turns *turns)
{
   const size_t cursors = (size_t)turns->core_count * turns->room * turns->input->simds_each;
   for (size_t i = 0; turns->cursors && i < cursors; i++) {
      free(turns->cursors[i].runs);
   }
   for (uint32_t i = 0; turns->cores && i < turns->core_count; i++) {
      for (unsigned w = 0; w < VGPU_STEPS_WINDOWS; w++) {
         vgpu_requests_finish(&turns->cores[i].windows[w].requests);
         free(turns->cores[i].windows[w].accesses);
      }
   }
   free(turns->cores);
   free(turns->slots);
   free(turns->cursors);
   free(turns->recent);
   free(turns->fed);
}

bool vgpu_services_make(struct vgpu_services *services, const struct vgpu_services_input *input)
{
   struct turns turns = {.input = input, .services = services};
   if (pthread_mutex_init(&turns.lock, NULL)) {
      return false;
   }
   const bool done = begin(&turns) && (input->threads > 1 ? share_turns(&turns) : take_turns(&turns)) &&
                     !vgpu_hierarchy_out_of_memory(input->hierarchy);
   services->most_atomics = vgpu_hierarchy_most_atomics(input->hierarchy);
   release(&turns);
   pthread_mutex_destroy(&turns.lock);
   return done;
}

void vgpu_services_finish(struct vgpu_services *services)
{
   vgpu_intern_finish(&services->kinds);
   vgpu_intern_finish(&services->streams);
}
