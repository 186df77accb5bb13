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
   for (unsigned part = 0; part < parts; part++) {
      requests->lists[part].count = requests->lists[part].read = 0;
   }
   requests->first_turn = first_turn;
   requests->parts = parts;
}

void vgpu_requests_finish(struct vgpu_requests *requests)
{
   for (unsigned part = 0; part < VGPU_PARTS_MOST; part++) {
      free(requests->lists[part].items);
      free(requests->lists[part].answers);
   }
   free(requests->asked);
   free(requests->pages);
}

/* An access whose requests are being made. */
struct asking {
   struct vgpu_hierarchy *hierarchy;
   uint32_t core;
   struct vgpu_requests *requests; /* NULL: requests are served at once */
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

/* Appends what the core keeps of a request to that part. Returns NULL when out of memory. */
static inline struct vgpu_asked *keep(const struct asking *asking, uint64_t line, unsigned part)
{
   struct vgpu_requests *requests = asking->requests;
   const uint32_t page = translate(asking, line);
   if (requests->out_of_memory || !ARRAY_RESERVE(requests->asked, requests->capacity, requests->count + 1)) {
      requests->out_of_memory = true;
      return NULL;
   }
   struct vgpu_asked *asked = &requests->asked[requests->count++];
   *asked = (struct vgpu_asked){.page = page, .part = (uint8_t)part};
   return asked;
}

/* Appends a request. Returns NULL when out of memory. */
static inline __attribute__((always_inline)) struct vgpu_asked *ask(const struct asking *asking,
                                                                    const struct vgpu_request *request)
{
   struct vgpu_requests *requests = asking->requests;
   const unsigned part = vgpu_hierarchy_part(request->line, requests->parts);
   struct vgpu_request_list *list = &requests->lists[part];
   if (!ARRAY_RESERVE(list->items, list->capacity, list->count + 1) ||
       !ARRAY_RESERVE(list->answers, list->answer_capacity, list->count + 1)) {
      requests->out_of_memory = true;
      return NULL;
   }
   struct vgpu_request *item = &list->items[list->count++];
   *item = *request;
   item->turn = (uint32_t)(asking->turn - requests->first_turn);
   return keep(asking, request->line, part);
}

static inline void wait_for(struct vgpu_service *service, unsigned level)
{
   service->level = level > service->level ? (uint8_t)level : service->level;
}

static inline void wait_for_page(const struct asking *asking, uint64_t line)
{
   const bool walks = vgpu_hierarchy_walks(asking->hierarchy, line >> VGPU_PAGE_LINES_SHIFT, asking->turn);
   asking->service->flags |= walks ? VGPU_SERVICE_TLB : 0;
}

/* Adds what is moved to the service. */
static inline void add_moved(struct vgpu_service *service, const struct vgpu_answer *answer)
{
   for (unsigned i = VGPU_LEVEL_L2; i < VGPU_LEVELS; i++) {
      service->moved[i] = (uint16_t)(service->moved[i] + answer->moved[i - VGPU_LEVEL_L2]);
   }
}

/* Makes a request, or has it served at once. */
static void store_or_atomic(const struct asking *asking, const struct vgpu_request *request)
{
   if (asking->requests) {
      (void)ask(asking, request);
      return;
   }
   struct vgpu_answer answer;
   wait_for_page(asking, request->line);
   vgpu_hierarchy_serve(asking->hierarchy, 0, asking->core, asking->turn, request, &answer);
   add_moved(asking->service, &answer);
   wait_for(asking->service, answer.level);
}

/* Loads the missing sectors of the entry's line now. Its `level` is the deepest one that this turn's requests for the
 * line have reached. flying: other sectors of the access arrive in this turn, too. */
static inline void load_now(const struct asking *asking, struct vgpu_cache_entry *entry, uint64_t line,
                            unsigned missing, bool flying)
{
   if (entry->turn != asking->turn) {
      entry->turn = asking->turn;
      entry->arriving = 0;
      entry->level = 0;
   }
   if (flying) {
      wait_for(asking->service, entry->level);
   }
   wait_for_page(asking, line);
   if (!missing) {
      return;
   }
   const unsigned level = vgpu_hierarchy_load(asking->hierarchy, asking->core, asking->turn, line, missing,
                                              &asking->service->moved[VGPU_LEVEL_L2]);
   wait_for(asking->service, level);
   entry->level = level > entry->level ? (uint8_t)level : entry->level;
   entry->arriving |= (uint8_t)missing;
   entry->valid |= (uint8_t)missing;
}

/* Lists the request of the missing sectors of the entry's line. */
static inline void load_later(const struct asking *asking, struct vgpu_cache_entry *entry, uint64_t line,
                              unsigned missing, bool flying)
{
   const struct vgpu_request request = {.line = line, .kind = VGPU_REQUEST_LOAD, .sectors = (uint8_t)missing};
   struct vgpu_asked *asked = missing ? ask(asking, &request) : keep(asking, line, VGPU_PARTS_MOST);
   if (!asked) {
      return;
   }
   if (entry->turn != asking->turn) {
      entry->turn = asking->turn;
      entry->arriving = 0;
      entry->request = 0;
   }
   asked->before = entry->request;
   asked->behind = flying;
   if (missing) {
      entry->request = asking->requests->count;
      entry->arriving |= (uint8_t)missing;
      entry->valid |= (uint8_t)missing;
   }
}

static inline void load(const struct asking *asking, uint64_t line, unsigned sectors)
{
   struct vgpu_cache_victim victim; /* an L1 has no dirty lines, so it is dropped */
   struct vgpu_cache_entry *entry = vgpu_cache_use(&asking->hierarchy->l1[asking->core], line, &victim);
   const unsigned missing = sectors & ~(unsigned)entry->valid;
   const bool flying = entry->turn == asking->turn && entry->arriving & sectors;
   if (!missing && !flying) {
      return;
   }
   asking->service->lines++;
   if (asking->requests) {
      load_later(asking, entry, line, missing, flying);
   } else {
      load_now(asking, entry, line, missing, flying);
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
         struct vgpu_request request = {.line = vgpu_hierarchy_line(asking->hierarchy, line),
                                        .kind = VGPU_REQUEST_STORE,
                                        .sectors = (uint8_t)sectors};
         store_or_atomic(asking, &request);
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
   struct vgpu_request request = {.line = vgpu_hierarchy_line(asking->hierarchy, line),
                                  .kind = VGPU_REQUEST_ATOMIC,
                                  .sectors = (uint8_t)sectors_of(address, address + 4, line),
                                  .word = (uint8_t)(address % VGPU_LINE),
                                  .lanes = (uint8_t)lanes};
   store_or_atomic(asking, &request);
}

static __attribute__((noinline)) void add_span(struct asking *asking, uint64_t stack_base, uint64_t span)
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

/* Inline, so that the compiler specializes it for requests that are listed and for those that are served. */
static inline __attribute__((always_inline)) const uint64_t *add(struct asking *asking, uint64_t stack_base,
                                                                 const uint64_t *spans, const uint64_t *end)
{
   struct vgpu_service *service = asking->service;
   const uint64_t address = vgpu_span_address(*spans);
   const unsigned size = vgpu_span_size(*spans), start = address % VGPU_LINE;
   /* Most accesses: a load of device memory within one line. */
   if (vgpu_span_kind(*spans) == VGPU_ACCESS_LOAD && size - 1u < VGPU_LINE - start && !asking->hierarchy->halved &&
       (spans + 1 == end || spans[1] & VGPU_SPAN_FIRST)) {
      const unsigned sectors = (2u << (start + size - 1) / VGPU_SECTOR) - (1u << start / VGPU_SECTOR);
      *service = (struct vgpu_service){.passes = 1, .moved = {(uint16_t)vgpu_sector_count(sectors)}};
      load(asking, vgpu_hierarchy_line(asking->hierarchy, address / VGPU_LINE), sectors);
      return spans + 1;
   }
   *service = (struct vgpu_service){0};
   do {
      add_span(asking, stack_base, *spans++);
   } while (spans < end && !(*spans & VGPU_SPAN_FIRST));
   return spans;
}

const uint64_t *vgpu_requests_add(struct vgpu_requests *requests, struct vgpu_hierarchy *hierarchy, uint32_t core,
                                  uint64_t turn, uint64_t stack_base, const uint64_t *spans, const uint64_t *end,
                                  struct vgpu_service *service)
{
   struct asking asking = {.hierarchy = hierarchy,
                           .core = core,
                           .requests = requests,
                           .service = service,
                           .turn = turn,
                           .line = UINT64_MAX};
   return add(&asking, stack_base, spans, end);
}

const uint64_t *vgpu_requests_serve(struct vgpu_hierarchy *hierarchy, uint32_t core, uint64_t turn, uint64_t stack_base,
                                    const uint64_t *spans, const uint64_t *end, struct vgpu_service *service)
{
   struct asking asking = {.hierarchy = hierarchy, .core = core, .service = service, .turn = turn, .line = UINT64_MAX};
   return add(&asking, stack_base, spans, end);
}

void vgpu_requests_answer(struct vgpu_requests *requests, uint32_t first, uint32_t end, struct vgpu_service *service)
{
   for (; first < end; first++) {
      struct vgpu_asked *asked = &requests->asked[first];
      const uint8_t before = asked->before ? requests->asked[asked->before - 1].level : 0;
      uint8_t own = 0;
      if (asked->part < VGPU_PARTS_MOST) {
         struct vgpu_request_list *list = &requests->lists[asked->part];
         const struct vgpu_answer *answer = &list->answers[list->read++];
         own = answer->level;
         add_moved(service, answer);
      }
      asked->level = before > own ? before : own; /* for later ones that name this one */
      const uint8_t level = asked->behind ? asked->level : own;
      service->level = level > service->level ? level : service->level;
      service->flags |= requests->pages[asked->page].walks ? VGPU_SERVICE_TLB : 0;
   }
}
