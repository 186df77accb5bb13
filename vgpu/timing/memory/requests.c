/* SPDX-License-Identifier: MIT
 *
 * See requests.h. Invariant: an L1 line whose sectors arrive in this turn names the last request that fetched some of
 * them, and each such request names the previous one. So their answers give the level that all sectors came from.
 */
#include "vgpu/timing/memory/requests.h"

#include <stdlib.h>
#include <string.h>

#include "vgpu/timing/memory/accesses.h"
#include "util/array.h"

void vgpu_requests_begin(struct vgpu_requests *requests, uint64_t first_turn, unsigned parts)
{
   requests->count = requests->page_count = 0;
   memset(requests->first, 0, sizeof(requests->first));
   memset(requests->last, 0, sizeof(requests->last));
   requests->first_turn = first_turn;
   requests->parts = parts;
}

void vgpu_requests_finish(struct vgpu_requests *requests)
{
   free(requests->items);
   free(requests->pages);
}

/* An access whose requests are being made. */
struct asking {
   const struct vgpu_hierarchy *hierarchy;
   struct vgpu_cache *l1;
   struct vgpu_requests *requests;
   struct vgpu_service *service;
   uint64_t turn;
   uint64_t line; /* line of the previous span; UINT64_MAX: this is the access's first span */
};

/* Returns the index of the line's translation. Consecutive lines of one page share it. */
static inline uint32_t translate(const struct asking *asking, uint64_t line)
{
   struct vgpu_requests *requests = asking->requests;
   const uint64_t page = line >> VGPU_PAGE_LINES_SHIFT;
   if (requests->page_count > 0) {
      const struct vgpu_translation *last = &requests->pages[requests->page_count - 1];
      if (last->page == page && last->turn == asking->turn) {
         return requests->page_count - 1;
      }
   }
   if (!ARRAY_RESERVE(requests->pages, requests->page_capacity, requests->page_count + 1)) {
      requests->out_of_memory = true;
      return 0;
   }
   requests->pages[requests->page_count] = (struct vgpu_translation){.page = page, .turn = asking->turn};
   return requests->page_count++;
}

/* Appends the last request to the list of its part. */
static inline void chain(struct vgpu_requests *requests, uint64_t line)
{
   const unsigned part = vgpu_hierarchy_part(line, requests->parts);
   const uint32_t before = requests->last[part];
   *(before ? &requests->items[before - 1].next : &requests->first[part]) = requests->count;
   requests->last[part] = requests->count;
}

/* Appends a request. Returns NULL when out of memory. */
static inline struct vgpu_request *ask(const struct asking *asking, unsigned kind, uint64_t line, unsigned sectors)
{
   struct vgpu_requests *requests = asking->requests;
   const uint32_t page = translate(asking, line);
   if (requests->out_of_memory || !ARRAY_RESERVE(requests->items, requests->capacity, requests->count + 1)) {
      requests->out_of_memory = true;
      return NULL;
   }
   struct vgpu_request *request = &requests->items[requests->count++];
   *request = (struct vgpu_request){.line = line,
                                    .turn = (uint32_t)(asking->turn - requests->first_turn),
                                    .page = page,
                                    .kind = (uint8_t)kind,
                                    .sectors = (uint8_t)sectors};
   if (requests->parts > 0 && kind != VGPU_REQUEST_FLYING) {
      chain(requests, line);
   }
   return request;
}

static inline void load(const struct asking *asking, uint64_t line, unsigned sectors)
{
   struct vgpu_cache_victim victim; /* an L1 has no dirty lines, so it is dropped */
   struct vgpu_cache_entry *entry = vgpu_cache_use(asking->l1, line, &victim);
   const unsigned missing = sectors & ~(unsigned)entry->valid;
   const bool flying = entry->turn == asking->turn && entry->arriving & sectors;
   if (!missing && !flying) {
      return;
   }
   asking->service->lines++;
   struct vgpu_request *request = ask(asking,
                                      !missing ? VGPU_REQUEST_FLYING
                                      : flying ? VGPU_REQUEST_LOAD_BEHIND
                                               : VGPU_REQUEST_LOAD,
                                      line, missing);
   if (!request) {
      return;
   }
   if (entry->turn != asking->turn) {
      entry->turn = asking->turn;
      entry->arriving = 0;
      entry->request = 0;
   }
   request->before = entry->request;
   if (missing) {
      entry->request = asking->requests->count;
      entry->arriving |= (uint8_t)missing;
      entry->valid |= (uint8_t)missing;
   }
}

static void move_l1(const struct asking *asking, unsigned sectors)
{
   uint16_t *moved = &asking->service->moved[VGPU_LEVEL_L1];
   *moved = (uint16_t)(*moved + vgpu_sector_count(sectors));
}

static unsigned sectors_of(uint64_t from, uint64_t end, uint64_t line)
{
   uint64_t first = from > line * VGPU_LINE ? from - line * VGPU_LINE : 0;
   uint64_t last = end - 1 < (line + 1) * VGPU_LINE ? end - 1 - line * VGPU_LINE : VGPU_LINE - 1;
   unsigned low = (unsigned)(first / VGPU_SECTOR), high = (unsigned)(last / VGPU_SECTOR);
   return ((2u << high) - 1) & ~((1u << low) - 1);
}

static inline void add_lines(struct asking *asking, bool stores, uint64_t address, unsigned size)
{
   struct vgpu_service *service = asking->service;
   service->flags |= size > VGPU_LINE && size <= 2 * VGPU_LINE ? VGPU_SERVICE_PAIR : 0;
   for (uint64_t line = address / VGPU_LINE; line * VGPU_LINE < address + size; line++) {
      const unsigned sectors = sectors_of(address, address + size, line);
      service->passes = (uint16_t)(service->passes + (line != asking->line));
      asking->line = line;
      move_l1(asking, sectors);
      if (stores) {
         ask(asking, VGPU_REQUEST_STORE, vgpu_hierarchy_line(asking->hierarchy, line), sectors);
      } else {
         load(asking, vgpu_hierarchy_line(asking->hierarchy, line), sectors);
      }
   }
}

/* The L1 does not allocate a line for an atomic. */
static void add_atomic(struct asking *asking, uint64_t address, unsigned lanes)
{
   struct vgpu_service *service = asking->service;
   const double cycles = lanes * asking->hierarchy->params[VGPU_MEMORY_ATOMIC_WORD];
   const uint64_t line = address / VGPU_LINE;
   service->serial = cycles > service->serial ? (uint16_t)cycles : service->serial;
   service->passes = (uint16_t)(service->passes + (line != asking->line));
   asking->line = line;
   struct vgpu_request *request = ask(asking, VGPU_REQUEST_ATOMIC, vgpu_hierarchy_line(asking->hierarchy, line),
                                      sectors_of(address, address + 4, line));
   if (request) {
      request->word = (uint8_t)(address % VGPU_LINE);
      request->lanes = (uint8_t)lanes;
   }
}

static inline void add_span(struct asking *asking, uint64_t stack_base, uint64_t span)
{
   const unsigned kind = vgpu_span_kind(span), size = vgpu_span_size(span), halved = asking->hierarchy->halved;
   const uint64_t address = vgpu_span_address(span);
   switch ((enum vgpu_access_kind)kind) {
   case VGPU_ACCESS_NONE:
      break;
   case VGPU_ACCESS_LOCAL:
      asking->service->passes = (uint16_t)size;
      break;
   case VGPU_ACCESS_ATOMIC:
      add_atomic(asking, address, size);
      break;
   case VGPU_ACCESS_STACK_LOAD:
   case VGPU_ACCESS_STACK_STORE:
      add_lines(asking, kind == VGPU_ACCESS_STACK_STORE, address + stack_base, size);
      break;
   case VGPU_ACCESS_LOAD:
   case VGPU_ACCESS_STORE:
      add_lines(asking, kind == VGPU_ACCESS_STORE, address >> halved, (size + halved) >> halved);
      break;
   }
}

const uint64_t *vgpu_requests_add(struct vgpu_requests *requests, const struct vgpu_hierarchy *hierarchy, uint32_t core,
                                  uint64_t turn, uint64_t stack_base, const uint64_t *spans, const uint64_t *end,
                                  struct vgpu_service *service)
{
   struct asking asking = {.hierarchy = hierarchy,
                           .l1 = &hierarchy->l1[core],
                           .requests = requests,
                           .service = service,
                           .turn = turn,
                           .line = UINT64_MAX};
   const uint64_t address = vgpu_span_address(*spans);
   const unsigned size = vgpu_span_size(*spans), start = address % VGPU_LINE;
   /* Most accesses: a load of device memory within one line. */
   if (vgpu_span_kind(*spans) == VGPU_ACCESS_LOAD && size - 1u < VGPU_LINE - start && !hierarchy->halved &&
       (spans + 1 == end || spans[1] & VGPU_SPAN_FIRST)) {
      const unsigned sectors = (2u << (start + size - 1) / VGPU_SECTOR) - (1u << start / VGPU_SECTOR);
      *service = (struct vgpu_service){.passes = 1, .moved = {(uint16_t)vgpu_sector_count(sectors)}};
      load(&asking, vgpu_hierarchy_line(hierarchy, address / VGPU_LINE), sectors);
      return spans + 1;
   }
   *service = (struct vgpu_service){0};
   do {
      add_span(&asking, stack_base, *spans++);
   } while (spans < end && !(*spans & VGPU_SPAN_FIRST));
   return spans;
}

void vgpu_requests_answer(struct vgpu_requests *requests, uint32_t first, uint32_t end, struct vgpu_service *service)
{
   for (; first < end; first++) {
      struct vgpu_request *request = &requests->items[first];
      const uint8_t own = request->kind == VGPU_REQUEST_FLYING ? 0 : request->level;
      const uint8_t before = request->before ? requests->items[request->before - 1].level : 0;
      const bool behind = request->kind == VGPU_REQUEST_FLYING || request->kind == VGPU_REQUEST_LOAD_BEHIND;
      const uint8_t level = behind && before > own ? before : own;
      service->level = level > service->level ? level : service->level;
      service->flags |= requests->pages[request->page].walks ? VGPU_SERVICE_TLB : 0;
      for (unsigned i = VGPU_LEVEL_L2; i < VGPU_LEVELS; i++) {
         service->moved[i] = (uint16_t)(service->moved[i] + request->moved[i - VGPU_LEVEL_L2]);
      }
      request->level = before > own ? before : own; /* for later requests that name this one */
   }
}
