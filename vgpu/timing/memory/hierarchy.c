/* SPDX-License-Identifier: MIT
 *
 * What an access does to the caches. Invariant: a sector that is dirty in a cache is valid there, and reaches memory
 * when it is evicted from the last one.
 */
#include "vgpu/timing/memory/hierarchy.h"

#include <stdlib.h>
#include <string.h>

#include "vgpu/timing/memory/accesses.h"

#define PAGE_LINES_SHIFT 7 /* lines of a page of 16 KiB */
#define SPACE_SHIFT 38     /* addresses of a launch, its stack memory included, have 45 bits: line numbers 38 */

static uint64_t tagged(uint64_t space, uint64_t line)
{
   return space << SPACE_SHIFT | line;
}

/* The caches that a core's accesses go through, from its L1 on. */
struct way_down {
   struct vgpu_hierarchy *hierarchy;
   struct vgpu_cache *caches[VGPU_LEVEL_DRAM];
   struct vgpu_service *service;
   uint64_t line; /* of the span before; UINT64_MAX: it is the first of the access */
};

/* How many of a line's sectors. */
static unsigned bits(unsigned sectors)
{
   static const uint8_t count[1 << VGPU_LINE / VGPU_SECTOR] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
   return count[sectors];
}

static void move(const struct way_down *way, unsigned level, unsigned sectors)
{
   way->service->moved[level] = (uint16_t)(way->service->moved[level] + bits(sectors));
}

static void write_sectors(const struct way_down *way, unsigned level, uint64_t line, unsigned sectors);

static struct vgpu_cache_entry *insert(const struct way_down *way, unsigned level, uint64_t line)
{
   struct vgpu_cache_entry victim, *entry = vgpu_cache_insert(way->caches[level], line, &victim);
   if (victim.dirty) {
      write_sectors(way, level + 1, victim.tag - 1, victim.dirty);
   }
   return entry;
}

static void write_sectors(const struct way_down *way, unsigned level, uint64_t line, unsigned sectors)
{
   move(way, level, sectors);
   if (level < VGPU_LEVEL_DRAM) {
      struct vgpu_cache_entry *entry = vgpu_cache_find(way->caches[level], line);
      entry = entry ? entry : insert(way, level, line);
      entry->valid |= (uint8_t)sectors;
      entry->dirty |= (uint8_t)sectors;
   }
}

/* The level that the sectors come from. */
static unsigned read_sectors(const struct way_down *way, unsigned level, uint64_t line, unsigned sectors)
{
   move(way, level, sectors);
   if (level == VGPU_LEVEL_DRAM) {
      return level;
   }
   const uint64_t turn = way->hierarchy->turn;
   struct vgpu_cache_entry *entry = vgpu_cache_find(way->caches[level], line);
   unsigned missing = entry ? sectors & ~(unsigned)entry->valid : sectors, from = level;
   if (entry && entry->turn == turn && entry->arriving & sectors) {
      from = entry->level;
   }
   if (!missing) {
      return from;
   }
   entry = entry ? entry : insert(way, level, line);
   unsigned deeper = read_sectors(way, level + 1, line, missing);
   if (entry->turn != turn) {
      entry->turn = turn;
      entry->arriving = 0;
      entry->level = 0;
   }
   entry->arriving |= (uint8_t)missing;
   entry->valid |= (uint8_t)missing;
   entry->level = deeper > entry->level ? (uint8_t)deeper : entry->level;
   return deeper > from ? deeper : from;
}

static void translate(const struct way_down *way, uint64_t line)
{
   struct vgpu_hierarchy *hierarchy = way->hierarchy;
   const uint64_t page = line >> PAGE_LINES_SHIFT;
   struct vgpu_cache_entry *entry = vgpu_cache_find(&hierarchy->tlb, page), victim;
   if (!entry) {
      entry = vgpu_cache_insert(&hierarchy->tlb, page, &victim);
      entry->turn = hierarchy->turn;
      entry->arriving = 1;
   }
   if (entry->turn == hierarchy->turn && entry->arriving) {
      way->service->flags |= VGPU_SERVICE_TLB;
   }
}

/* ---- Atomics by word ---- */

static struct vgpu_hot_word *word_slot(struct vgpu_hot_word *words, size_t capacity, uint64_t address)
{
   size_t at = (size_t)(address * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (capacity - 1);
   while (words[at].count && words[at].address != address) {
      at = (at + 1) & (capacity - 1);
   }
   return &words[at];
}

static bool grow_words(struct vgpu_hierarchy *hierarchy)
{
   size_t capacity = hierarchy->word_capacity ? hierarchy->word_capacity * 2 : 256;
   struct vgpu_hot_word *grown = calloc(capacity, sizeof(*grown));
   if (!grown) {
      hierarchy->out_of_memory = true;
      return false;
   }
   for (size_t i = 0; i < hierarchy->word_capacity; i++) {
      if (hierarchy->words[i].count) {
         *word_slot(grown, capacity, hierarchy->words[i].address) = hierarchy->words[i];
      }
   }
   free(hierarchy->words);
   hierarchy->words = grown;
   hierarchy->word_capacity = capacity;
   return true;
}

static void count_atomics(struct vgpu_hierarchy *hierarchy, uint64_t address, unsigned lanes)
{
   if (hierarchy->word_count * 2 >= hierarchy->word_capacity && !grow_words(hierarchy)) {
      return;
   }
   struct vgpu_hot_word *word = word_slot(hierarchy->words, hierarchy->word_capacity, address);
   hierarchy->word_count += word->count == 0;
   word->address = address;
   word->count += lanes;
   hierarchy->most_atomics = word->count > hierarchy->most_atomics ? word->count : hierarchy->most_atomics;
}

/* ---- Accesses ---- */

static unsigned sectors_of(uint64_t from, uint64_t end, uint64_t line)
{
   uint64_t first = from > line * VGPU_LINE ? from - line * VGPU_LINE : 0;
   uint64_t last = end - 1 < (line + 1) * VGPU_LINE ? end - 1 - line * VGPU_LINE : VGPU_LINE - 1;
   unsigned low = (unsigned)(first / VGPU_SECTOR), high = (unsigned)(last / VGPU_SECTOR);
   return ((2u << high) - 1) & ~((1u << low) - 1);
}

static void access_line(const struct way_down *way, unsigned kind, uint64_t line, unsigned sectors)
{
   struct vgpu_service *service = way->service;
   unsigned level;
   switch (kind) {
   case VGPU_ACCESS_STORE:
   case VGPU_ACCESS_STACK_STORE:
      move(way, VGPU_LEVEL_L1, sectors);
      translate(way, line);
      write_sectors(way, VGPU_LEVEL_L2, line, sectors);
      level = VGPU_LEVEL_L2;
      break;
   case VGPU_ACCESS_ATOMIC:
      translate(way, line);
      level = read_sectors(way, VGPU_LEVEL_L2, line, sectors);
      struct vgpu_cache_entry *entry = vgpu_cache_find(way->caches[VGPU_LEVEL_L2], line);
      entry->dirty |= (uint8_t)sectors;
      break; /* the L1 keeps no line for it */
   default:
      level = read_sectors(way, VGPU_LEVEL_L1, line, sectors);
      if (level > VGPU_LEVEL_L1) {
         translate(way, line);
         service->lines++;
      }
      break;
   }
   service->level = level > service->level ? (uint8_t)level : service->level;
}

static void access_span(struct way_down *way, uint64_t stack_base, uint64_t span)
{
   unsigned kind = vgpu_span_kind(span), size = vgpu_span_size(span);
   uint64_t address = vgpu_span_address(span);
   if (kind == VGPU_ACCESS_NONE) {
      return;
   }
   if (kind == VGPU_ACCESS_LOCAL) {
      way->service->passes = (uint16_t)size;
      return;
   }
   if (kind == VGPU_ACCESS_ATOMIC) {
      count_atomics(way->hierarchy, address, size);
      double cycles = size * way->hierarchy->params[VGPU_MEMORY_ATOMIC_WORD];
      way->service->serial = cycles > way->service->serial ? (uint16_t)cycles : way->service->serial;
      size = 4;
   } else if (kind == VGPU_ACCESS_STACK_LOAD || kind == VGPU_ACCESS_STACK_STORE) {
      address += stack_base;
   } else if (way->hierarchy->halved) {
      address /= 2;
      size = (size + 1) / 2;
   }
   if (size > VGPU_LINE && size <= 2 * VGPU_LINE) {
      way->service->flags |= VGPU_SERVICE_PAIR;
   }
   for (uint64_t line = address / VGPU_LINE; line * VGPU_LINE < address + size; line++) {
      way->service->passes = (uint16_t)(way->service->passes + (line != way->line));
      way->line = line;
      access_line(way, kind, tagged(way->hierarchy->space, line), sectors_of(address, address + size, line));
   }
}

const uint64_t *vgpu_hierarchy_access(struct vgpu_hierarchy *hierarchy, uint32_t core, uint64_t stack_base,
                                      const uint64_t *spans, const uint64_t *end, struct vgpu_service *service)
{
   *service = (struct vgpu_service){0};
   struct way_down way = {
       .line = UINT64_MAX,
       .hierarchy = hierarchy,
       .caches = {&hierarchy->l1[core], &hierarchy->l2[vgpu_die_of(core, hierarchy->cores, hierarchy->dies)],
                  &hierarchy->slc},
       .service = service,
   };
   do {
      access_span(&way, stack_base, *spans++);
   } while (spans < end && !(*spans & VGPU_SPAN_FIRST));
   return spans;
}

bool vgpu_hierarchy_init(struct vgpu_hierarchy *hierarchy, const double *params, uint32_t cores, uint32_t dies)
{
   *hierarchy = (struct vgpu_hierarchy){.params = params, .cores = cores, .dies = dies};
   hierarchy->l1 = calloc(cores, sizeof(*hierarchy->l1));
   hierarchy->l2 = calloc(dies, sizeof(*hierarchy->l2));
   bool done = hierarchy->l1 && hierarchy->l2;
   for (uint32_t i = 0; done && i < cores; i++) {
      done = vgpu_cache_init(&hierarchy->l1[i], (uint64_t)params[VGPU_MEMORY_L1_BYTES] / VGPU_LINE,
                             (uint32_t)params[VGPU_MEMORY_L1_WAYS]);
   }
   for (uint32_t i = 0; done && i < dies; i++) {
      done = vgpu_cache_init(&hierarchy->l2[i], (uint64_t)params[VGPU_MEMORY_L2_BYTES] / VGPU_LINE / dies,
                             (uint32_t)params[VGPU_MEMORY_L2_WAYS]);
   }
   return done &&
          vgpu_cache_init(&hierarchy->slc, (uint64_t)params[VGPU_MEMORY_SLC_BYTES] / VGPU_LINE,
                          (uint32_t)params[VGPU_MEMORY_SLC_WAYS]) &&
          vgpu_cache_init(&hierarchy->tlb, (uint64_t)params[VGPU_MEMORY_TLB_ENTRIES],
                          (uint32_t)params[VGPU_MEMORY_TLB_WAYS]);
}

struct vgpu_hierarchy *vgpu_hierarchy_create(const double *params, uint32_t cores, uint32_t dies)
{
   struct vgpu_hierarchy *hierarchy = malloc(sizeof(*hierarchy));
   if (hierarchy && !vgpu_hierarchy_init(hierarchy, params, cores, dies)) {
      vgpu_hierarchy_destroy(hierarchy);
      return NULL;
   }
   return hierarchy;
}

void vgpu_hierarchy_destroy(struct vgpu_hierarchy *hierarchy)
{
   if (hierarchy) {
      vgpu_hierarchy_finish(hierarchy);
      free(hierarchy);
   }
}

void vgpu_hierarchy_begin(struct vgpu_hierarchy *hierarchy, uint64_t space)
{
   for (uint32_t i = 0; i < hierarchy->cores; i++) {
      vgpu_cache_empty(&hierarchy->l1[i]);
   }
   if (hierarchy->word_count) {
      memset(hierarchy->words, 0, hierarchy->word_capacity * sizeof(*hierarchy->words));
   }
   hierarchy->word_count = 0;
   hierarchy->most_atomics = 0;
   hierarchy->out_of_memory = false;
   hierarchy->space = space;
}

void vgpu_hierarchy_drop(struct vgpu_hierarchy *hierarchy, uint64_t space, uint64_t start, uint64_t end)
{
   const uint64_t first = tagged(space, start / VGPU_LINE), last = tagged(space, (end - 1) / VGPU_LINE);
   for (uint32_t i = 0; i < hierarchy->dies; i++) {
      vgpu_cache_drop(&hierarchy->l2[i], first, last + 1);
   }
   vgpu_cache_drop(&hierarchy->slc, first, last + 1);
   vgpu_cache_drop(&hierarchy->tlb, first >> PAGE_LINES_SHIFT, (last >> PAGE_LINES_SHIFT) + 1);
}

void vgpu_hierarchy_empty(struct vgpu_hierarchy *hierarchy)
{
   for (uint32_t i = 0; i < hierarchy->dies; i++) {
      vgpu_cache_empty(&hierarchy->l2[i]);
   }
   vgpu_cache_empty(&hierarchy->slc);
   vgpu_cache_empty(&hierarchy->tlb);
}

void vgpu_hierarchy_finish(struct vgpu_hierarchy *hierarchy)
{
   for (uint32_t i = 0; hierarchy->l1 && i < hierarchy->cores; i++) {
      vgpu_cache_finish(&hierarchy->l1[i]);
   }
   for (uint32_t i = 0; hierarchy->l2 && i < hierarchy->dies; i++) {
      vgpu_cache_finish(&hierarchy->l2[i]);
   }
   free(hierarchy->l1);
   free(hierarchy->l2);
   free(hierarchy->words);
   vgpu_cache_finish(&hierarchy->slc);
   vgpu_cache_finish(&hierarchy->tlb);
}
