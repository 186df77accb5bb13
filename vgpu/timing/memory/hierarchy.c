/* SPDX-License-Identifier: MIT
 *
 * How a request changes the caches that cores share. Invariant: a dirty sector is valid in its cache, and reaches
 * memory when the last cache evicts it.
 */
#include "vgpu/timing/memory/hierarchy.h"

#include <stdlib.h>
#include <string.h>

/* The caches that a request passes, from the L2 down. */
struct way_down {
   struct vgpu_cache *caches[VGPU_LEVEL_DRAM]; /* by level; none for the L1 */
   uint16_t *moved;                            /* of each level behind the L1 */
   uint64_t turn;
};

static void move(const struct way_down *way, unsigned level, unsigned sectors)
{
   uint16_t *moved = &way->moved[level - VGPU_LEVEL_L2];
   *moved = (uint16_t)(*moved + vgpu_sector_count(sectors));
}

static void write_sectors(const struct way_down *way, unsigned level, uint64_t line, unsigned sectors);

/* Returns the line's entry; its `valid` is 0 if the line was not there. Writes back the line that it replaces. */
static inline struct vgpu_cache_entry *use(const struct way_down *way, unsigned level, uint64_t line)
{
   struct vgpu_cache_victim victim;
   struct vgpu_cache_entry *entry = vgpu_cache_use(way->caches[level], line, &victim);
   if (victim.dirty) {
      write_sectors(way, level + 1, victim.line, victim.dirty);
   }
   return entry;
}

static void write_sectors(const struct way_down *way, unsigned level, uint64_t line, unsigned sectors)
{
   move(way, level, sectors);
   if (level < VGPU_LEVEL_DRAM) {
      struct vgpu_cache_entry *entry = use(way, level, line);
      entry->valid |= (uint8_t)sectors;
      entry->dirty |= (uint8_t)sectors;
   }
}

static unsigned fetch(const struct way_down *way, unsigned level, uint64_t line, unsigned missing, unsigned from,
                      struct vgpu_cache_entry *entry);

/* Returns the level that the sectors come from. */
static inline __attribute__((always_inline)) unsigned read_sectors(const struct way_down *way, unsigned level,
                                                                   uint64_t line, unsigned sectors)
{
   move(way, level, sectors);
   if (level == VGPU_LEVEL_DRAM) {
      return level;
   }
   struct vgpu_cache_entry *entry = use(way, level, line);
   const unsigned missing = sectors & ~(unsigned)entry->valid;
   const unsigned from = entry->turn == way->turn && entry->arriving & sectors ? entry->level : level;
   return missing ? fetch(way, level, line, missing, from, entry) : from;
}

/* As read_sectors(), where sectors are missing. from: the level that the others come from. */
static __attribute__((noinline)) unsigned fetch(const struct way_down *way, unsigned level, uint64_t line,
                                                unsigned missing, unsigned from, struct vgpu_cache_entry *entry)
{
   const uint64_t turn = way->turn;
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

void vgpu_hierarchy_translate(struct vgpu_hierarchy *hierarchy, struct vgpu_translation *translation)
{
   struct vgpu_cache_victim victim;
   struct vgpu_cache_entry *entry = vgpu_cache_use(&hierarchy->tlb, translation->page, &victim);
   if (!entry->valid) {
      entry->valid = entry->arriving = 1;
      entry->turn = translation->turn;
   }
   translation->walks = entry->turn == translation->turn && entry->arriving;
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

static bool grow_words(struct vgpu_hot_words *atomics)
{
   size_t capacity = atomics->capacity ? atomics->capacity * 2 : 256;
   struct vgpu_hot_word *grown = calloc(capacity, sizeof(*grown));
   if (!grown) {
      atomics->out_of_memory = true;
      return false;
   }
   for (size_t i = 0; i < atomics->capacity; i++) {
      if (atomics->words[i].count) {
         *word_slot(grown, capacity, atomics->words[i].address) = atomics->words[i];
      }
   }
   free(atomics->words);
   atomics->words = grown;
   atomics->capacity = capacity;
   return true;
}

static void count_atomics(struct vgpu_hot_words *atomics, uint64_t address, unsigned lanes)
{
   if (atomics->count * 2 >= atomics->capacity && !grow_words(atomics)) {
      return;
   }
   struct vgpu_hot_word *word = word_slot(atomics->words, atomics->capacity, address);
   atomics->count += word->count == 0;
   word->address = address;
   word->count += lanes;
   atomics->most = word->count > atomics->most ? word->count : atomics->most;
}

uint64_t vgpu_hierarchy_most_atomics(const struct vgpu_hierarchy *hierarchy)
{
   uint64_t most = 0;
   for (unsigned i = 0; i < VGPU_PARTS_MOST; i++) {
      most = hierarchy->atomics[i].most > most ? hierarchy->atomics[i].most : most;
   }
   return most;
}

bool vgpu_hierarchy_out_of_memory(const struct vgpu_hierarchy *hierarchy)
{
   bool out_of_memory = false;
   for (unsigned i = 0; i < VGPU_PARTS_MOST; i++) {
      out_of_memory |= hierarchy->atomics[i].out_of_memory;
   }
   return out_of_memory;
}

/* ---- Requests ---- */

unsigned vgpu_hierarchy_parts(const struct vgpu_hierarchy *hierarchy, unsigned most)
{
   unsigned parts = 1;
   while (parts * 2 <= most && parts * 2 <= VGPU_PARTS_MOST && hierarchy->l2[0].sets % (parts * 2) == 0 &&
          hierarchy->slc.sets % (parts * 2) == 0) {
      parts *= 2;
   }
   return parts;
}

static inline struct way_down way_of(struct vgpu_hierarchy *hierarchy, uint32_t core, uint64_t turn, uint16_t *moved)
{
   const uint32_t die = vgpu_die_of(core, hierarchy->cores, hierarchy->dies);
   return (struct way_down){.caches = {NULL, &hierarchy->l2[die], &hierarchy->slc}, .moved = moved, .turn = turn};
}

/* As vgpu_hierarchy_load(), which is called for each access. */
static inline __attribute__((always_inline)) unsigned load(struct vgpu_hierarchy *hierarchy, uint32_t core,
                                                           uint64_t turn, uint64_t line, unsigned sectors,
                                                           uint16_t moved[VGPU_LEVELS - 1])
{
   const struct way_down way = way_of(hierarchy, core, turn, moved);
   return read_sectors(&way, VGPU_LEVEL_L2, line, sectors);
}

unsigned vgpu_hierarchy_load(struct vgpu_hierarchy *hierarchy, uint32_t core, uint64_t turn, uint64_t line,
                             unsigned sectors, uint16_t moved[VGPU_LEVELS - 1])
{
   return load(hierarchy, core, turn, line, sectors, moved);
}

void vgpu_hierarchy_serve(struct vgpu_hierarchy *hierarchy, unsigned part, uint32_t core, uint64_t turn,
                          const struct vgpu_request *request, struct vgpu_answer *answer)
{
   *answer = (struct vgpu_answer){{0}};
   if (request->kind != VGPU_REQUEST_STORE) {
      answer->level = (uint8_t)load(hierarchy, core, turn, request->line, request->sectors, answer->moved);
      if (request->kind != VGPU_REQUEST_ATOMIC) {
         return;
      }
   }
   const struct way_down way = way_of(hierarchy, core, turn, answer->moved);
   if (request->kind == VGPU_REQUEST_STORE) {
      write_sectors(&way, VGPU_LEVEL_L2, request->line, request->sectors);
      answer->level = VGPU_LEVEL_L2;
   } else {
      use(&way, VGPU_LEVEL_L2, request->line)->dirty |= request->sectors;
      count_atomics(&hierarchy->atomics[part], request->line * VGPU_LINE + request->word, request->lanes);
   }
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
   for (unsigned i = 0; i < VGPU_PARTS_MOST; i++) {
      struct vgpu_hot_words *atomics = &hierarchy->atomics[i];
      if (atomics->count) {
         memset(atomics->words, 0, atomics->capacity * sizeof(*atomics->words));
      }
      atomics->count = 0;
      atomics->most = 0;
      atomics->out_of_memory = false;
   }
   hierarchy->space = space;
}

void vgpu_hierarchy_drop(struct vgpu_hierarchy *hierarchy, uint64_t space, uint64_t start, uint64_t end)
{
   const uint64_t tag = space << VGPU_SPACE_SHIFT;
   const uint64_t first = tag | start / VGPU_LINE, last = tag | (end - 1) / VGPU_LINE;
   for (uint32_t i = 0; i < hierarchy->dies; i++) {
      vgpu_cache_drop(&hierarchy->l2[i], first, last + 1);
   }
   vgpu_cache_drop(&hierarchy->slc, first, last + 1);
   vgpu_cache_drop(&hierarchy->tlb, first >> VGPU_PAGE_LINES_SHIFT, (last >> VGPU_PAGE_LINES_SHIFT) + 1);
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
   for (unsigned i = 0; i < VGPU_PARTS_MOST; i++) {
      free(hierarchy->atomics[i].words);
   }
   vgpu_cache_finish(&hierarchy->slc);
   vgpu_cache_finish(&hierarchy->tlb);
}
