/* SPDX-License-Identifier: MIT
 *
 * Checks races: two threads access a byte, at least one of them writes, not both accesses are atomic, and nothing
 * orders them. Within a threadgroup a barrier orders them. Between threadgroups only atomics do: everything that a
 * threadgroup did before an atomic is assumed to be ordered before what another one does after a later atomic, at any
 * address, so that programs that synchronise are not reported.
 *
 * Compilers make a coherent load or store from an atomic one, whatever its order, and from a volatile one. So a
 * coherent access of one word counts as atomic: a load is ordered behind what it may have waited for, as an atomic is,
 * and a store before what waits for it. Two lanes that store different values in one instruction are a race
 * nevertheless.
 *
 * A segment is what a threadgroup does from one barrier or atomic to the next. Each word stores the segment and thread
 * of its last writer, and of two readers since (accesses.h). Segment numbers increase from launch to launch and are
 * not reused before forget(), so the entries of an earlier launch, or of the previous threadgroup in the same
 * threadgroup memory, need not be cleared: they are out of date.
 */
#include "vgpu/exec/checks/checks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "vgpu/exec/checks/accesses.h"
#include "util/array.h"
#include "vgpu/exec/checks/log.h"

#define THREAD_BITS VGPU_RACE_THREAD_BITS
#define FLAG VGPU_RACE_FLAG
#define MAX_SEGMENTS (1u << 20)
#define MAX_PAGES 2048u /* of device memory; accesses beyond them are not checked */
#define RECENT_PAGES 16u

struct page {
   uint64_t number;
   struct vgpu_accesses *accesses; /* kept for later launches, whose pages have other numbers */
};

struct vgpu_races {
   struct vgpu_segment *segments;
   uint32_t segment_count, segment_capacity;
   uint32_t first_segment; /* of this launch: what earlier ones did does not count */
   uint32_t tick;
   struct page *pages;
   uint32_t page_count, page_capacity; /* of this launch; that have memory, or NULL */
   struct util_hash by_number;
   struct {
      uint64_t number; /* and 1; 0: none */
      struct vgpu_accesses *accesses;
   } recent[RECENT_PAGES];
};

struct vgpu_races *vgpu_races_begin(struct vgpu_races *races)
{
   races = races ? races : calloc(1, sizeof(*races));
   if (races) {
      races->first_segment = races->segment_count;
      races->page_count = 0;
      memset(races->recent, 0, sizeof(races->recent));
      util_hash_finish(&races->by_number);
      races->by_number = (struct util_hash){0};
   }
   return races;
}

void vgpu_races_destroy(struct vgpu_races *races)
{
   if (!races) {
      return;
   }
   for (uint32_t i = 0; i < races->page_capacity; i++) {
      vgpu_accesses_destroy(races->pages[i].accesses);
   }
   free(races->pages);
   free(races->segments);
   util_hash_finish(&races->by_number);
   free(races);
}

/* Too many segments: all accesses so far are forgotten. */
static void forget(struct vgpu_checks *checks)
{
   struct vgpu_races *races = checks->races;
   for (uint32_t i = 0; i < checks->groups_count; i++) {
      vgpu_accesses_clear(checks->groups[i].accesses);
      checks->groups[i].segment = 0;
      checks->groups[i].first_segment = 0;
      checks->groups[i].epoch_segment = 0;
   }
   for (uint32_t i = 0; i < races->page_capacity; i++) {
      vgpu_accesses_clear(races->pages[i].accesses);
   }
   races->segment_count = 0;
   races->first_segment = 0;
}

static void start_segment(struct vgpu_threadgroup *group)
{
   struct vgpu_races *races = group->checks->owner->races;
   if (races->segment_count == MAX_SEGMENTS) {
      forget(group->checks->owner);
   }
   if (!ARRAY_RESERVE(races->segments, races->segment_capacity, races->segment_count + 1)) {
      group->checks->segment = 0; /* not looked at */
      return;
   }
   races->segments[races->segment_count++] =
       (struct vgpu_segment){.group = group->number, .epoch = group->checks->epoch};
   group->checks->segment = races->segment_count;
}

void vgpu_races_start_group(struct vgpu_threadgroup *group)
{
   vgpu_noted_forget(group->checks->accesses);
   start_segment(group);
   group->checks->first_segment = group->checks->epoch_segment = group->checks->segment;
}

void vgpu_races_barrier(struct vgpu_threadgroup *group)
{
   vgpu_noted_forget(group->checks->accesses);
   start_segment(group);
   group->checks->epoch_segment = group->checks->segment;
}

const struct vgpu_segment *vgpu_races_segments(const struct vgpu_races *races)
{
   return races->segments;
}

uint32_t vgpu_races_limit(const struct vgpu_races *races)
{
   return (races->first_segment + 1) << (THREAD_BITS + 1);
}

/* NULL: not looked at. */
static struct vgpu_accesses *find_page(struct vgpu_races *races, uint64_t number)
{
   uint32_t found, hash = util_hash_u64(number);
   for (struct util_hash_probe probe = util_hash_find(&races->by_number, hash); util_hash_next(&probe, &found);) {
      if (races->pages[found].number == number) {
         return races->pages[found].accesses;
      }
   }
   if (races->page_count == MAX_PAGES) {
      return NULL;
   }
   const uint32_t before = races->page_capacity;
   if (!ARRAY_RESERVE(races->pages, races->page_capacity, races->page_count + 1)) {
      return NULL;
   }
   memset(races->pages + before, 0, (races->page_capacity - before) * sizeof(*races->pages));
   struct page *page = &races->pages[races->page_count];
   if (page->accesses) {
      vgpu_accesses_join(page->accesses);
   } else {
      page->accesses = vgpu_accesses_create(VGPU_PAGE);
   }
   if (!page->accesses || !util_hash_add(&races->by_number, hash, races->page_count)) {
      return NULL;
   }
   page->number = number;
   races->page_count++;
   return page->accesses;
}

static struct vgpu_accesses *page_of(struct vgpu_races *races, uint64_t number)
{
   unsigned slot = (number ^ number >> 4 ^ number >> 8) % RECENT_PAGES;
   if (races->recent[slot].number != number + 1) {
      races->recent[slot].accesses = find_page(races, number);
      races->recent[slot].number = number + 1;
   }
   return races->recent[slot].accesses;
}

/* The page's accesses with all that was noted of it: for an access that is entered at once. */
static struct vgpu_accesses *entered_page(const struct vgpu_simd *simd, uint64_t number)
{
   const struct vgpu_group_checks *group = simd->group->checks;
   struct vgpu_accesses *accesses = page_of(group->owner->races, number);
   if (accesses && !accesses->at_once) {
      vgpu_noted_enter(accesses, group, vgpu_races_limit(group->owner->races));
      accesses->at_once = true;
   }
   return accesses;
}

/* ---- One access ---- */

struct access {
   const struct vgpu_op *op;
   struct vgpu_simd *simd;
   const struct vgpu_touch *touch;
   unsigned lane;
   uint32_t self; /* segment and thread */
   bool coherent; /* a load or store that counts as atomic */
};

/* Whether all that the segment's threads did is ordered before what the threadgroup does now. */
static bool is_segment_before(const struct vgpu_simd *simd, const struct vgpu_touch *touch, uint32_t segment)
{
   const struct vgpu_group_checks *group = simd->group->checks;
   const struct vgpu_races *races = group->owner->races;
   if (segment <= races->first_segment || (touch->kind == VGPU_THREADGROUP_MEMORY && segment < group->first_segment)) {
      return true;
   }
   const struct vgpu_segment *theirs = &races->segments[segment - 1];
   if (theirs->released && group->acquired > theirs->released) {
      return true;
   }
   return theirs->group == simd->group->number && theirs->epoch != group->epoch;
}

/* Whether the access of that thread is not ordered before this one. */
static bool unordered(const struct access *access, uint32_t other)
{
   const uint32_t segment = other >> (THREAD_BITS + 1);
   if (is_segment_before(access->simd, access->touch, segment)) {
      return false;
   }
   return access->simd->group->checks->owner->races->segments[segment - 1].group != access->simd->group->number ||
          (other ^ access->self) >> 1 & ((1u << THREAD_BITS) - 1);
}

/* Device memory, and not more than an atomic load or store touches. */
static bool is_coherent(const struct vgpu_op *op, const struct vgpu_touch *touch)
{
   const uint16_t code = op->insn->op;
   return touch->kind == VGPU_DEVICE_MEMORY && (code == ISA_OP_LOAD || code == ISA_OP_STORE) &&
          op->insn->mod[ISA_MOD_COHERENCY] == 3 && touch->mask == 1 && touch->element <= 4;
}

static const char *memory_name(const struct access *access)
{
   return access->touch->kind == VGPU_THREADGROUP_MEMORY ? "threadgroup memory" : "device memory";
}

static void found(const struct access *access, uint64_t address, uint32_t other, bool other_wrote)
{
   const struct vgpu_races *races = access->simd->group->checks->owner->races;
   const struct vgpu_segment *theirs = &races->segments[(other >> (THREAD_BITS + 1)) - 1];
   uint32_t thread = other >> 1 & ((1u << THREAD_BITS) - 1);
   const char *mine = access->touch->atomic ? "an atomic" : access->touch->writes ? "a write" : "a read";
   const bool atomic = access->touch->atomic || access->coherent;
   const char *did = !other_wrote   ? (atomic ? "has read without an atomic" : "has read")
                     : other & FLAG ? (atomic ? "has written" : "has written with an atomic")
                                    : (atomic ? "has written without an atomic" : "has written");
   if (theirs->group == access->simd->group->number) {
      vgpu_check_found(access->simd, access->op, VGPU_CHECK_RACES, access->lane, address,
                       "%s of %s at 0x%" PRIx64 ", which thread %" PRIu32
                       " of the threadgroup %s: no barrier is between them",
                       mine, memory_name(access), address, thread, did);
   } else {
      vgpu_check_found(access->simd, access->op, VGPU_CHECK_RACES, access->lane, address,
                       "%s of %s at 0x%" PRIx64 ", which thread %" PRIu32 " of threadgroup %" PRIu64
                       " %s: nothing orders threadgroups",
                       mine, memory_name(access), address, thread, theirs->group, did);
   }
}

/* Finds the bytes that a lane of the store writes to the address: within one of its elements, 4 at most. false: it
 * writes none there. */
static bool stored_bytes(const struct access *access, unsigned lane, uint64_t address, unsigned size, uint32_t *bytes)
{
   const struct vgpu_op *op = access->op;
   const struct vgpu_touch *touch = access->touch;
   uint64_t offset = address - touch->address[lane], element = offset / touch->element;
   if (!(touch->lanes >> lane & 1) || touch->atomic || element >= 4 || !(touch->mask >> element & 1)) {
      return false;
   }
   bool word = op->dst.form == VGPU_WORD;
   unsigned half = op->dst.half;
   for (uint32_t below = touch->mask & ((1u << element) - 1); below; below &= below - 1) {
      half += word ? 2 : 1;
   }
   uint32_t bits = access->simd->base[VGPU_REGISTERS][half / 2 * VGPU_LANES + lane] >> (word ? 0 : 16 * (half & 1));
   *bytes = bits >> 8 * (offset % touch->element) & UINT32_MAX >> (32 - 8 * size);
   return true;
}

static bool same_segment(const struct access *access, uint32_t other)
{
   return (other ^ access->self) >> (THREAD_BITS + 1) == 0;
}

/* Whether a store writes the bytes that are there already, or that the other thread stores in the same instruction:
 * then their order does not matter. */
static bool same_bytes(const struct access *access, uint64_t address, uint32_t writer, unsigned size)
{
   uint32_t mine, theirs = 0;
   if (!access->touch->writes || !stored_bytes(access, access->lane, address, size, &mine)) {
      return false;
   }
   uint32_t thread = writer >> 1 & ((1u << THREAD_BITS) - 1);
   if (thread / VGPU_LANES == access->simd->index && same_segment(access, writer) &&
       stored_bytes(access, thread % VGPU_LANES, address, size, &theirs)) {
      return mine == theirs;
   }
   const uint8_t *host = access->touch->kind == VGPU_THREADGROUP_MEMORY
                             ? access->simd->group->memory + address
                             : vgpu_memory_at(&access->simd->worker->memory, address, VGPU_READ);
   if (host) {
      memcpy(&theirs, host, size);
   }
   return !host || theirs == mine; /* else it is a fault, and nothing is stored */
}

static void read_entry(const struct access *access, const struct vgpu_access_columns *columns, size_t at)
{
   for (unsigned i = 0; i < 2; i++) {
      uint32_t *reader = &columns->readers[i][at];
      if (*reader && same_segment(access, *reader)) {
         *reader |= (*reader ^ access->self) & ~FLAG ? FLAG : 0;
         return;
      }
      if (!*reader || !unordered(access, *reader)) {
         *reader = access->self;
         return;
      }
   }
}

/* One byte, or a word whose bytes have always been touched together. */
static void touch_entry(const struct access *access, const struct vgpu_access_columns *columns, size_t at,
                        uint64_t address, unsigned size)
{
   bool atomic = access->touch->atomic || access->coherent;
   uint32_t writer = columns->writer[at];
   bool both = atomic && writer & FLAG && !(access->coherent && same_segment(access, writer));
   if (writer && !both && unordered(access, writer) && !same_bytes(access, address, writer, size)) {
      found(access, address, writer, true);
   }
   if (!access->touch->writes && atomic) {
      return; /* the readers' entry does not distinguish these from others */
   }
   if (!access->touch->writes) {
      read_entry(access, columns, at);
      return;
   }
   for (unsigned i = 0; i < 2; i++) {
      uint32_t reader = columns->readers[i][at];
      bool others = reader & FLAG && same_segment(access, reader);
      if (reader && (others || unordered(access, reader)) && !same_bytes(access, address, writer, size)) {
         found(access, address, reader, false);
         break;
      }
   }
   columns->writer[at] = access->self | (atomic ? FLAG : 0);
   columns->readers[0][at] = columns->readers[1][at] = 0;
}

/* What is below it in an entry is ordered before the access, whatever it is. */
static uint32_t oldest(const struct access *access)
{
   const struct vgpu_group_checks *group = access->simd->group->checks;
   return access->touch->kind == VGPU_THREADGROUP_MEMORY ? group->first_segment << (THREAD_BITS + 1)
                                                         : vgpu_races_limit(group->owner->races);
}

/* Elements are aligned: whole words, or a part of one. */
static void touch_element(const struct access *access, struct vgpu_accesses *accesses, size_t at, uint64_t address)
{
   unsigned size = access->touch->element;
   for (unsigned i = 0; i < size; i += 4) {
      size_t word = (at + i) / 4;
      if (size >= 4 && !accesses->split[word]) {
         touch_entry(access, &accesses->word, word, address + i, 4);
         continue;
      }
      if (!accesses->split[word] && !vgpu_accesses_split(accesses, word, 1, oldest(access))) {
         return;
      }
      for (unsigned j = i; j < size && j < i + 4; j++) {
         touch_entry(access, &accesses->byte, at + j, address + j, 1);
      }
   }
}

static void touch_address(const struct access *access, uint64_t address)
{
   struct vgpu_simd *simd = access->simd;
   if (access->touch->kind == VGPU_THREADGROUP_MEMORY) {
      if (address + access->touch->element <= simd->group->bytes) {
         touch_element(access, simd->group->checks->accesses, address, address);
      }
      return;
   }
   struct vgpu_accesses *accesses = entered_page(simd, address / VGPU_PAGE);
   if (accesses) {
      touch_element(access, accesses, address % VGPU_PAGE, address);
   }
}

/* ---- Runs of lanes: each lane touches the bytes behind those of the lane before, or all read the same ones ---- */

/* How many lanes from this one on are a run, within a page. */
static inline unsigned run_length(const struct vgpu_touch *touch, unsigned lane, uint64_t step)
{
   uint64_t page = touch->address[lane] / VGPU_PAGE;
   unsigned end = lane + 1;
   while (end < VGPU_LANES && touch->lanes >> end & 1 && touch->address[end] - touch->address[end - 1] == step &&
          (touch->address[end] + touch->span - 1) / VGPU_PAGE == page) {
      end++;
   }
   return end - lane;
}

/* The accesses to the memory of a run, and where in them it begins; NULL: not looked at, or not all there. */
static struct vgpu_accesses *accesses_of(const struct vgpu_simd *simd, const struct vgpu_touch *touch, uint64_t address,
                                         uint64_t bytes, size_t *at)
{
   if (touch->kind == VGPU_THREADGROUP_MEMORY) {
      *at = (size_t)address;
      return address < simd->group->bytes && bytes <= simd->group->bytes - address ? simd->group->checks->accesses
                                                                                   : NULL;
   }
   *at = address % VGPU_PAGE;
   return *at + bytes <= VGPU_PAGE ? entered_page(simd, address / VGPU_PAGE) : NULL;
}

/* Whether the other thread's access is ordered before. Exact for a threadgroup that has executed no atomic. */
static inline bool is_before(const struct vgpu_simd *simd, const struct vgpu_access_run *run, uint32_t other)
{
   if (other < run->limit) {
      return true;
   }
   const struct vgpu_group_checks *group = simd->group->checks;
   uint32_t segment = other >> (THREAD_BITS + 1);
   if (segment < group->first_segment) {
      return false; /* of a threadgroup that started before this one */
   }
   const struct vgpu_segment *theirs = &group->owner->races->segments[segment - 1];
   return theirs->group == simd->group->number && theirs->epoch != group->epoch;
}

/* Handles a few words or bytes that are read and that other threadgroups may have read, as read_entry() does. Returns
 * false without any effect if it is another case. */
static inline bool read_few(const struct vgpu_simd *simd, const struct vgpu_access_columns *columns,
                            const struct vgpu_access_run *run)
{
   unsigned unit = 0; /* of the thread's */
   for (unsigned i = 0, self = run->self; i < run->count; i++) {
      uint32_t writer = columns->writer[run->at + i];
      if (writer >= run->limit && (run->several || (writer ^ self) > FLAG)) {
         return false;
      }
      unit = unit + 1 < run->units ? unit + 1 : 0;
      self += unit ? 0 : 2;
   }
   unit = 0;
   for (unsigned i = 0, self = run->self; i < run->count; i++) {
      for (unsigned n = 0; n < 2; n++) {
         uint32_t *reader = &columns->readers[n][run->at + i];
         if ((*reader ^ self) <= VGPU_RACE_THREAD_MASK) {
            *reader |= run->several | ((*reader ^ self) > FLAG ? FLAG : 0);
            break;
         }
         if (is_before(simd, run, *reader)) {
            *reader = self | run->several;
            break;
         }
      }
      unit = unit + 1 < run->units ? unit + 1 : 0;
      self += unit ? 0 : 2;
   }
   return true;
}

/* For a run: the entry's segment if it is not below the limit and ordered before the access nevertheless, because a
 * barrier or an atomic is between them. */
static inline uint32_t segment_before(const struct vgpu_simd *simd, const struct vgpu_touch *touch,
                                      const struct vgpu_access_run *run, uint32_t other)
{
   if (other < run->limit || (other ^ run->self) <= VGPU_RACE_THREAD_MASK) {
      return 0;
   }
   const uint32_t segment = other >> (THREAD_BITS + 1);
   return is_segment_before(simd, touch, segment) ? segment << (THREAD_BITS + 1) : 0;
}

/* false: nothing was done. */
static inline bool touch_run(const struct vgpu_simd *simd, const struct vgpu_touch *touch, unsigned lane,
                             unsigned lanes, bool several)
{
   struct vgpu_group_checks *group = simd->group->checks;
   unsigned bytes = several ? touch->span : lanes * touch->span;
   size_t at;
   struct vgpu_accesses *accesses = accesses_of(simd, touch, touch->address[lane], bytes, &at);
   if (!accesses) {
      return false;
   }
   struct vgpu_access_run run = {
       .self = group->segment << (THREAD_BITS + 1) | (simd->index * VGPU_LANES + lane) << 1,
       .limit = touch->kind == VGPU_THREADGROUP_MEMORY ? group->epoch_segment << (THREAD_BITS + 1)
                                                       : vgpu_races_limit(group->owner->races),
       .several = several ? FLAG : 0,
       .writes = touch->writes,
   };
   size_t word = at / 4, words = (at + bytes + 3) / 4 - word;
   bool whole = at % 4 == 0 && touch->span % 4 == 0 &&
                (words == 1 ? !accesses->split[word] : !memchr(&accesses->split[word], 1, words));
   if (!whole && !vgpu_accesses_split(accesses, word, words, run.limit)) {
      return false;
   }
   run.at = whole ? word : at;
   run.count = whole ? bytes / 4 : bytes;
   run.units = whole ? touch->span / 4 : touch->span;
   const struct vgpu_access_columns *columns = whole ? &accesses->word : &accesses->byte;
   bool reads_few = !touch->writes && !group->acquired;
   if (lanes == 1 || several) {
      return reads_few && read_few(simd, columns, &run);
   }
   run.foreign = reads_few && touch->kind == VGPU_DEVICE_MEMORY ? group->first_segment << (THREAD_BITS + 1) : 0;
   run.writer_before = segment_before(simd, touch, &run, columns->writer[run.at]);
   for (unsigned n = 0; n < 2; n++) {
      run.reader_before[n] = segment_before(simd, touch, &run, columns->readers[n][run.at]);
   }
   return group->owner->lanes->access_run(columns, &run) || (reads_few && read_few(simd, columns, &run));
}

/* Accesses at random addresses wait for the entries of each: those of all lanes are prefetched before the first is
 * examined. Fills in accesses[] of the active lanes: the entries of the lane's page, or NULL if it is not checked. */
static void fetch_ahead(const struct vgpu_simd *simd, const struct vgpu_touch *touch,
                        struct vgpu_accesses *accesses[VGPU_LANES])
{
   for (uint32_t lanes = touch->lanes; lanes; lanes &= lanes - 1) {
      unsigned lane = (unsigned)__builtin_ctz(lanes);
      accesses[lane] = entered_page(simd, touch->address[lane] / VGPU_PAGE);
      if (accesses[lane]) {
         size_t word = touch->address[lane] % VGPU_PAGE / 4;
         __builtin_prefetch(&accesses[lane]->split[word]);
         __builtin_prefetch(&accesses[lane]->word.writer[word]);
         __builtin_prefetch(&accesses[lane]->word.readers[0][word], 1);
         __builtin_prefetch(&accesses[lane]->word.readers[1][word], 1);
      }
   }
}

/* Whether each lane reads one element of device memory, up to a word, and no atomic orders its threadgroup. */
static bool reads_elements(const struct vgpu_simd *simd, const struct vgpu_touch *touch)
{
   return touch->kind == VGPU_DEVICE_MEMORY && touch->span == touch->element && touch->element <= 4 && !touch->writes &&
          !simd->group->checks->acquired;
}

/* read_few() for the entries of one thread. */
static inline bool read_entries(const struct vgpu_simd *simd, const struct vgpu_access_columns *columns, size_t at,
                                unsigned count, const struct vgpu_access_run *run, uint32_t self)
{
   for (size_t i = at; i < at + count; i++) {
      const uint32_t writer = columns->writer[i];
      if (writer >= run->limit && (writer ^ self) > FLAG) {
         return false;
      }
   }
   for (size_t i = at; i < at + count; i++) {
      for (unsigned n = 0; n < 2; n++) {
         uint32_t *reader = &columns->readers[n][i];
         if ((*reader ^ self) <= VGPU_RACE_THREAD_MASK) {
            *reader |= (*reader ^ self) > FLAG ? FLAG : 0;
            break;
         }
         if (is_before(simd, run, *reader)) {
            *reader = self;
            break;
         }
      }
   }
   return true;
}

static inline bool read_element(const struct vgpu_simd *simd, struct vgpu_accesses *accesses, uint64_t address,
                                unsigned size, const struct vgpu_access_run *run, uint32_t self)
{
   const size_t at = address % VGPU_PAGE, word = at / 4;
   if (size == 4) {
      return !accesses->split[word] && read_entries(simd, &accesses->word, word, 1, run, self);
   }
   return (accesses->split[word] || vgpu_accesses_split(accesses, word, 1, run->limit)) &&
          read_entries(simd, &accesses->byte, at, size, run, self);
}

/* touch_run() for such accesses, lane by lane. page: NULL, or the accesses of the page in which all lie. Returns the
 * lanes whose accesses must still be examined. */
static uint32_t read_each(const struct vgpu_simd *simd, const struct vgpu_touch *touch, struct vgpu_accesses *page)
{
   const struct vgpu_group_checks *group = simd->group->checks;
   const struct vgpu_access_run run = {.limit = vgpu_races_limit(group->owner->races)};
   const uint32_t first = group->segment << (THREAD_BITS + 1) | simd->index * VGPU_LANES << 1;
   struct vgpu_accesses *of_lane[VGPU_LANES];
   if (!page) {
      fetch_ahead(simd, touch, of_lane);
   }
   uint32_t remain = 0;
   for (uint32_t lanes = touch->lanes; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      struct vgpu_accesses *accesses = page ? page : of_lane[lane];
      const bool noted =
          accesses && read_element(simd, accesses, touch->address[lane], touch->element, &run, first + (lane << 1));
      remain |= (uint32_t)!noted << lane;
   }
   return remain;
}

/* Returns the lanes whose accesses must still be examined one by one. */
static uint32_t touch_runs(const struct vgpu_simd *simd, const struct vgpu_touch *touch)
{
   if (touch->atomic || touch->mask & (touch->mask + 1)) {
      return touch->lanes;
   }
   bool in_page = touch->first / VGPU_PAGE == (touch->last + touch->span - 1) / VGPU_PAGE;
   if (touch->even && in_page && (touch->stride == touch->span || (!touch->stride && touch->reads))) {
      return touch_run(simd, touch, 0, VGPU_LANES, !touch->stride) ? 0 : touch->lanes;
   }
   if (reads_elements(simd, touch)) {
      const uint64_t page = touch->first / VGPU_PAGE;
      return read_each(simd, touch, in_page ? entered_page(simd, page) : NULL);
   }
   struct vgpu_accesses *accesses[VGPU_LANES];
   if (touch->kind == VGPU_DEVICE_MEMORY) {
      fetch_ahead(simd, touch, accesses);
   }
   uint32_t remain = 0;
   for (unsigned lane = 0; lane < VGPU_LANES;) {
      if (!(touch->lanes >> lane & 1)) {
         lane++;
         continue;
      }
      unsigned count = run_length(touch, lane, touch->span);
      bool alike =
          count == 1 && touch->reads && lane + 1 < VGPU_LANES && touch->address[lane + 1] == touch->address[lane];
      unsigned same = alike ? run_length(touch, lane, 0) : 1;
      count = same > 1 ? same : count;
      if (!touch_run(simd, touch, lane, count, same > 1)) {
         remain |= (count == VGPU_LANES ? VGPU_ALL : (1u << count) - 1) << lane;
      }
      lane += count;
   }
   return remain;
}

/* Notes accesses to threadgroup memory of which nothing can be found. Returns the lanes whose accesses must be entered
 * at once. */
static uint32_t note_local(const struct vgpu_simd *simd, const struct vgpu_touch *touch)
{
   const struct vgpu_group_checks *group = simd->group->checks;
   if (!touch->atomic && !group->acquired &&
       vgpu_noted_add_local(group, simd->index * VGPU_LANES, touch, simd->group->bytes)) {
      return 0;
   }
   vgpu_noted_enter_local(group, touch);
   return touch->lanes;
}

/* Notes accesses to device memory of which nothing can be found. Returns the lanes whose accesses must be entered at
 * once. */
static uint32_t note(const struct vgpu_simd *simd, const struct vgpu_touch *touch)
{
   const struct vgpu_group_checks *group = simd->group->checks;
   struct vgpu_races *races = group->owner->races;
   const uint32_t thread = simd->index * VGPU_LANES;
   const uint64_t page = touch->first / VGPU_PAGE;
   if (touch->lanes && (touch->last + touch->span - 1) / VGPU_PAGE == page) {
      struct vgpu_accesses *accesses = page_of(races, page);
      return accesses && !vgpu_noted_add(accesses, group, thread, touch, touch->lanes) ? touch->lanes : 0;
   }
   uint32_t remain = 0;
   for (uint32_t left = touch->lanes; left;) {
      const unsigned lane = (unsigned)__builtin_ctz(left);
      const uint64_t number = touch->address[lane] / VGPU_PAGE;
      uint32_t same = 0;
      for (unsigned i = lane; i < VGPU_LANES && touch->address[i] / VGPU_PAGE == number; i++) {
         same |= (uint32_t)((touch->address[i] + touch->span - 1) / VGPU_PAGE == number) << i;
      }
      same &= left;
      struct vgpu_accesses *accesses = same ? page_of(races, number) : NULL;
      if (!same || (accesses && !vgpu_noted_add(accesses, group, thread, touch, same))) {
         same |= 1u << lane;
         remain |= same;
      }
      left &= ~same;
   }
   return remain;
}

void vgpu_check_races(const struct vgpu_checked_op *checked, const struct vgpu_op *op, struct vgpu_simd *simd,
                      const struct vgpu_touch *touch)
{
   (void)checked;
   struct vgpu_group_checks *group = simd->group->checks;
   if (!touch || touch->kind == VGPU_STACK_MEMORY || !group->segment) {
      return;
   }
   const bool coherent = is_coherent(op, touch);
   const bool ordering = coherent || (touch->kind == VGPU_DEVICE_MEMORY && touch->atomic);
   if (ordering && touch->reads) {
      group->acquired = ++group->owner->races->tick;
   }
   uint32_t lanes = touch->lanes;
   if (touch->kind == VGPU_THREADGROUP_MEMORY) {
      lanes = note_local(simd, touch);
   } else if (!touch->atomic && !coherent && !group->acquired) {
      lanes = note(simd, touch);
   }
   if (!coherent && lanes && lanes == touch->lanes) {
      lanes = touch_runs(simd, touch);
   } else if (!coherent && lanes) { /* the others were noted */
      struct vgpu_touch rest = *touch;
      rest.lanes = lanes;
      rest.even = false;
      lanes = touch_runs(simd, &rest);
   }
   for (; lanes; lanes &= lanes - 1) {
      unsigned lane = (unsigned)__builtin_ctz(lanes);
      struct access access = {
          op,      simd, touch, lane, group->segment << (THREAD_BITS + 1) | (simd->index * VGPU_LANES + lane) << 1,
          coherent};
      for (uint32_t mask = touch->mask; mask; mask &= mask - 1) {
         touch_address(&access, touch->address[lane] + (unsigned)__builtin_ctz(mask) * touch->element);
      }
   }
   if (ordering && touch->writes) {
      group->owner->races->segments[group->segment - 1].released = ++group->owner->races->tick;
      start_segment(simd->group);
   }
}
