/* SPDX-License-Identifier: MIT
 *
 * Accesses to device memory of which nothing can be found: reads of bytes that the launch has not written, and writes
 * to bytes that it has not accessed. Who made them counts only if another access meets them. So they are noted as short
 * records, a page's in the order in which they happened, and entered into its columns before the first access that may
 * meet one, or where the records have no room. Invariant: then the columns are the same as if each had been entered at
 * once. That holds for threadgroups that have executed no atomic, since only those are ordered behind what other
 * threadgroups did.
 *
 * Accesses to threadgroup memory are noted from one barrier to the next, in the same way: those of which nothing can be
 * found since the last barrier. At the barrier they are forgotten, because it orders all of them.
 */
#include <stdlib.h>
#include <string.h>

#include "vgpu/exec/checks/accesses.h"
#include "vgpu/exec/checks/checks.h"

#define FIRST_BYTES 1024u
#define MOST_BYTES (32u * 1024u) /* of a page's records */
#define MOST_LOCAL_BYTES (256u * 1024u)
#define MEMORY_BYTES (1u << 16) /* that offsets can tell apart */

/* What lanes of one instruction access. */
struct record {
   uint32_t segment, lanes;
   uint32_t group_first;    /* the threadgroup's first segment */
   uint16_t thread;         /* of lane 0 */
   uint16_t offset, stride; /* of lane 0, and from lane to lane; UNEVEN: all lanes' offsets follow */
   uint8_t mask, element;   /* of elements, and the bytes of one */
   bool writes;
};
#define UNEVEN UINT16_MAX
typedef uint16_t lane_offsets[VGPU_LANES];

_Static_assert(VGPU_PAGE <= MEMORY_BYTES, "offsets have 16 bits");

void vgpu_noted_forget(struct vgpu_accesses *accesses)
{
   accesses->at_once = false;
   accesses->noted.bytes = 0;
   accesses->noted.touched = accesses->noted.written = accesses->noted.full = (struct vgpu_byte_range){0, 0};
}

static bool reserve(struct vgpu_noted *noted, uint32_t bytes, uint32_t most)
{
   if (noted->bytes + bytes <= noted->capacity) {
      return true;
   }
   const uint32_t capacity = noted->capacity ? 2 * noted->capacity : FIRST_BYTES;
   uint8_t *records = capacity <= most ? realloc(noted->records, capacity) : NULL;
   if (!records) {
      return false;
   }
   noted->records = records;
   noted->capacity = capacity;
   return true;
}

static bool contains(struct vgpu_byte_range outer, struct vgpu_byte_range inner)
{
   return inner.first >= outer.first && inner.end <= outer.end;
}

static bool meet(struct vgpu_byte_range a, struct vgpu_byte_range b)
{
   return a.first < b.end && b.first < a.end;
}

static void extend(struct vgpu_byte_range *range, struct vgpu_byte_range by)
{
   const bool empty = range->first == range->end;
   range->first = empty || by.first < range->first ? by.first : range->first;
   range->end = by.end > range->end ? by.end : range->end;
}

/* Whether each of the lanes has its bytes where it would if all lanes had theirs one after the other. */
static bool is_in_row(const struct vgpu_touch *touch, uint32_t lanes)
{
   const unsigned lowest = (unsigned)__builtin_ctz(lanes);
   const uint64_t start = touch->address[lowest] - lowest * touch->span;
   for (; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      if (touch->address[lane] != start + lane * touch->span) {
         return false;
      }
   }
   return true;
}

/* The lowest and the highest offset of the lanes, and all of them where these are not even. */
static void find_offsets(const struct vgpu_touch *touch, uint32_t lanes, bool even, lane_offsets offsets,
                         uint32_t *first, uint32_t *last)
{
   const uint32_t part = touch->kind == VGPU_THREADGROUP_MEMORY ? MEMORY_BYTES - 1 : VGPU_PAGE - 1;
   if (lanes == touch->lanes) {
      *first = (uint32_t)touch->first & part;
      *last = (uint32_t)touch->last & part;
   } else {
      *first = UINT32_MAX;
      *last = 0;
      for (uint32_t left = lanes; left; left &= left - 1) {
         const uint32_t offset = (uint32_t)touch->address[__builtin_ctz(left)] & part;
         *first = offset < *first ? offset : *first;
         *last = offset > *last ? offset : *last;
      }
   }
   for (unsigned lane = 0; !even && lane < VGPU_LANES; lane++) {
      offsets[lane] = (uint16_t)(touch->address[lane] & part);
   }
}

/* ---- Entering ---- */

struct reader {
   const struct vgpu_segment *segments;
   const struct vgpu_segment *own;
   uint32_t limit;       /* everything below it is of earlier launches */
   uint32_t group_first; /* the threadgroup's first segment: those below it are of others */
   bool writes;
};

static bool is_before(const struct reader *reader, uint32_t other)
{
   if (other < reader->limit) {
      return true;
   }
   const uint32_t segment = other >> (VGPU_RACE_THREAD_BITS + 1);
   if (segment < reader->group_first) {
      return false;
   }
   const struct vgpu_segment *theirs = &reader->segments[segment - 1];
   return theirs->group == reader->own->group && theirs->epoch != reader->own->epoch;
}

static inline void enter_entry(const struct vgpu_access_columns *columns, size_t at, const struct reader *reader,
                               uint32_t self)
{
   if (reader->writes) {
      columns->writer[at] = self;
      columns->readers[0][at] = columns->readers[1][at] = 0;
      return;
   }
   for (unsigned n = 0; n < 2; n++) {
      uint32_t *other = &columns->readers[n][at];
      if ((*other ^ self) <= VGPU_RACE_THREAD_MASK) {
         *other |= (*other ^ self) > VGPU_RACE_FLAG ? VGPU_RACE_FLAG : 0;
         return;
      }
      if (is_before(reader, *other)) {
         *other = self;
         return;
      }
   }
}

/* Elements are aligned: whole words, or a part of one. */
static void enter_element(struct vgpu_accesses *accesses, size_t at, unsigned size, const struct reader *reader,
                          uint32_t self)
{
   for (size_t i = at; i < at + size; i += 4) {
      const size_t word = i / 4, end = at + size < i + 4 ? at + size : i + 4;
      if (size >= 4 && !accesses->split[word]) {
         enter_entry(&accesses->word, word, reader, self);
         continue;
      }
      if (!accesses->split[word] && !vgpu_accesses_split(accesses, word, 1, reader->limit)) {
         return;
      }
      for (size_t byte = i; byte < end; byte++) {
         enter_entry(&accesses->byte, byte, reader, self);
      }
   }
}

static unsigned span_of(const struct record *record)
{
   return (32u - (unsigned)__builtin_clz(record->mask)) * record->element;
}

static uint32_t self_of(const struct record *record, unsigned lane)
{
   return record->segment << (VGPU_RACE_THREAD_BITS + 1) | (record->thread + lane) << 1;
}

/* The entry's segment if it is not below the limit and ordered before the access nevertheless; see struct
 * vgpu_access_run. */
static uint32_t segment_before(const struct reader *reader, uint32_t other)
{
   return other >= reader->limit && is_before(reader, other) ? other & ~VGPU_RACE_THREAD_MASK : 0;
}

/* Lanes from `lane` on, each the bytes behind those of the lane before. whole: what is read as whole words is entered
 * as such, whatever the elements. false: nothing was done. */
static bool enter_run(struct vgpu_accesses *accesses, const struct vgpu_group_checks *group,
                      const struct record *record, const struct reader *reader, unsigned at, unsigned lane,
                      unsigned lanes, bool whole)
{
   const unsigned span = span_of(record), bytes = lanes * span;
   const size_t word = at / 4, words = (at + bytes + 3) / 4 - word;
   whole = whole && at % 4 == 0 && span % 4 == 0 && !memchr(&accesses->split[word], 1, words);
   if (!whole && !vgpu_accesses_split(accesses, word, words, reader->limit)) {
      return false;
   }
   const struct vgpu_access_columns *columns = whole ? &accesses->word : &accesses->byte;
   struct vgpu_access_run run = {.at = whole ? word : at,
                                 .count = whole ? bytes / 4 : bytes,
                                 .units = whole ? span / 4 : span,
                                 .self = self_of(record, lane),
                                 .limit = reader->limit,
                                 .foreign = reader->group_first << (VGPU_RACE_THREAD_BITS + 1),
                                 .writes = record->writes};
   for (unsigned n = 0; n < 2; n++) {
      run.reader_before[n] = segment_before(reader, columns->readers[n][run.at]);
   }
   return group->owner->lanes->access_run(columns, &run);
}

static void enter_lane(struct vgpu_accesses *accesses, const struct record *record, size_t at,
                       const struct reader *reader, uint32_t self)
{
   if (accesses->local && !(record->mask & (record->mask + 1u)) && at % 4 == 0 && span_of(record) % 4 == 0) {
      enter_element(accesses, at, span_of(record), reader, self);
      return;
   }
   for (uint32_t mask = record->mask; mask; mask &= mask - 1) {
      enter_element(accesses, at + (unsigned)__builtin_ctz(mask) * record->element, record->element, reader, self);
   }
}

/* How many lanes from this one on have the bytes behind those of the lane before, or for a gap in the mask of elements
 * one. */
static unsigned run_length(const struct record *record, const uint16_t *offsets, unsigned lane)
{
   const unsigned span = span_of(record);
   unsigned end = lane + 1;
   while (end < VGPU_LANES && record->lanes >> end & 1 && !(record->mask & (record->mask + 1u)) &&
          offsets[end] - offsets[end - 1] == (int)span) {
      end++;
   }
   return end - lane;
}

/* Whether all words of a run of lanes are entered alike, if lane by lane: as words, or byte by byte. */
static bool is_run_alike(const struct vgpu_accesses *accesses, const struct record *record, unsigned at, unsigned lanes)
{
   const size_t word = at / 4, words = (at + lanes * span_of(record) + 3) / 4 - word;
   return (record->element < 4 && !accesses->local) || !memchr(&accesses->split[word], 1, words) ||
          !memchr(&accesses->split[word], 0, words);
}

static void enter_uneven(struct vgpu_accesses *accesses, const struct vgpu_group_checks *group,
                         const struct record *record, const struct reader *reader, const uint16_t *offsets)
{
   for (unsigned lane = 0; lane < VGPU_LANES;) {
      if (!(record->lanes >> lane & 1)) {
         lane++;
         continue;
      }
      const unsigned lanes = run_length(record, offsets, lane), at = offsets[lane];
      if (lanes == 1 || !is_run_alike(accesses, record, at, lanes) ||
          !enter_run(accesses, group, record, reader, at, lane, lanes, accesses->local || record->element >= 4)) {
         for (unsigned i = lane; i < lane + lanes; i++) {
            enter_lane(accesses, record, offsets[i], reader, self_of(record, i));
         }
      }
      lane += lanes;
   }
}

static void enter(struct vgpu_accesses *accesses, const struct vgpu_group_checks *group, const struct record *record,
                  const uint16_t *offsets, uint32_t limit)
{
   const struct vgpu_segment *segments = vgpu_races_segments(group->owner->races);
   const struct reader reader = {segments, &segments[record->segment - 1], limit, record->group_first, record->writes};
   const bool in_row =
       record->lanes == VGPU_ALL && record->stride == span_of(record) && !(record->mask & (record->mask + 1u));
   if (in_row && enter_run(accesses, group, record, &reader, record->offset, 0, VGPU_LANES, true)) {
      return;
   }
   if (offsets) {
      enter_uneven(accesses, group, record, &reader, offsets);
      return;
   }
   if (record->stride == 0) { /* all read the same: the first one's entry, and that there are several */
      const unsigned first = (unsigned)__builtin_ctz(record->lanes);
      const bool several = (record->lanes & (record->lanes - 1)) != 0;
      enter_lane(accesses, record, record->offset, &reader, self_of(record, first) | (several ? VGPU_RACE_FLAG : 0));
      return;
   }
   for (uint32_t lanes = record->lanes; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      enter_lane(accesses, record, (uint16_t)(record->offset + lane * record->stride), &reader, self_of(record, lane));
   }
}

void vgpu_noted_enter(struct vgpu_accesses *accesses, const struct vgpu_group_checks *group, uint32_t limit)
{
   const uint8_t *at = accesses->noted.records, *end = accesses->noted.bytes > 0 ? at + accesses->noted.bytes : at;
   while (at < end) {
      const struct record *record = (const void *)at;
      const bool uneven = record->stride == UNEVEN;
      enter(accesses, group, record, uneven ? (const uint16_t *)(const void *)(record + 1) : NULL, limit);
      at += sizeof(*record) + (uneven ? sizeof(lane_offsets) : 0);
   }
   accesses->noted.bytes = 0;
}

/* Finds the longest row of entries with two live readers. */
static void find_full(struct vgpu_accesses *accesses, uint32_t limit)
{
   struct vgpu_noted *noted = &accesses->noted;
   uint32_t first = 0, newest = 0;
   noted->full = (struct vgpu_byte_range){0, 0};
   for (uint32_t word = 0; word < accesses->words; word++) {
      const bool split = accesses->split[word];
      const struct vgpu_access_columns *columns = split ? &accesses->byte : &accesses->word;
      bool full = true;
      for (uint32_t i = split ? word * 4 : word, end = split ? i + 4 : i + 1; i < end; i++) {
         const uint32_t a = columns->readers[0][i], b = columns->readers[1][i];
         full = full && a >= limit && b >= limit;
         newest = a > newest ? a : newest;
         newest = b > newest ? b : newest;
      }
      if (!full) {
         first = word + 1;
         newest = 0;
      } else if (4 * (word + 1 - first) > noted->full.end - noted->full.first) {
         noted->full = (struct vgpu_byte_range){4 * first, 4 * (word + 1)};
         noted->full_newest = newest >> (VGPU_RACE_THREAD_BITS + 1);
      }
   }
}

/* ---- Noting ---- */

/* Whether each lane's bytes lie behind those of the lanes before. */
static bool ascend(const struct vgpu_touch *touch, uint32_t lanes)
{
   uint64_t end = 0;
   if (touch->even) {
      return touch->stride >= touch->span;
   }
   for (; lanes; lanes &= lanes - 1) {
      const uint64_t address = touch->address[__builtin_ctz(lanes)];
      if (address < end) {
         return false;
      }
      end = address + touch->span;
   }
   return true;
}

/* Whether entering them lets each word keep one entry, or entries of its bytes. */
static bool keeps_split(const struct vgpu_accesses *accesses, const struct vgpu_touch *touch)
{
   const uint64_t word = touch->first / 4, words = (touch->last + touch->span + 3) / 4 - word;
   const bool gap = touch->mask & (touch->mask + 1);
   if (!memchr(&accesses->split[word], 1, words)) {
      uint64_t odd = touch->span;
      for (uint32_t lanes = touch->lanes; lanes; lanes &= lanes - 1) {
         odd |= touch->address[__builtin_ctz(lanes)];
      }
      const bool in_row = touch->even && touch->stride == touch->span;
      return touch->element >= 4 || (!gap && odd % 4 == 0 && (in_row || !touch->writes));
   }
   if (!memchr(&accesses->split[word], 0, words)) {
      return true;
   }
   for (uint32_t lanes = touch->lanes; lanes; lanes &= lanes - 1) {
      const uint64_t first = touch->address[__builtin_ctz(lanes)];
      if (memchr(&accesses->split[first / 4], 0, (first + touch->span + 3) / 4 - first / 4)) {
         return false;
      }
   }
   return true;
}

static uint32_t local_limit(const struct vgpu_group_checks *group)
{
   return group->epoch_segment << (VGPU_RACE_THREAD_BITS + 1);
}

bool vgpu_noted_add_local(const struct vgpu_group_checks *group, uint32_t thread, const struct vgpu_touch *touch,
                          uint32_t bytes)
{
   return touch->lanes && bytes <= MEMORY_BYTES && touch->last < bytes && touch->span <= bytes - touch->last &&
          keeps_split(group->accesses, touch) && vgpu_noted_add(group->accesses, group, thread, touch, touch->lanes);
}

void vgpu_noted_enter_local(const struct vgpu_group_checks *group, const struct vgpu_touch *touch)
{
   struct vgpu_accesses *accesses = group->accesses;
   const uint64_t end = 4 * accesses->words;
   vgpu_noted_enter(accesses, group, local_limit(group));
   if (touch->lanes && touch->first < end) {
      const uint64_t last = touch->last < end ? touch->last + touch->span : end;
      const struct vgpu_byte_range range = {(uint32_t)touch->first, (uint32_t)(last < end ? last : end)};
      extend(&accesses->noted.touched, range);
      if (touch->writes) {
         extend(&accesses->noted.written, range);
      }
   }
}

bool vgpu_noted_add(struct vgpu_accesses *accesses, const struct vgpu_group_checks *group, uint32_t thread,
                    const struct vgpu_touch *touch, uint32_t lanes)
{
   struct vgpu_noted *noted = &accesses->noted;
   const bool all = touch->even && lanes == VGPU_ALL, even = all || is_in_row(touch, lanes);
   lane_offsets offsets;
   uint32_t first, last;
   if (accesses->at_once) {
      return false;
   }
   find_offsets(touch, lanes, even, offsets, &first, &last);
   const struct vgpu_byte_range range = {first, last + touch->span};
   if (touch->writes ? meet(range, noted->touched) || !ascend(touch, lanes) : meet(range, noted->written)) {
      return false;
   }
   if (!touch->writes && contains(noted->full, range) && group->first_segment > noted->full_newest) {
      return true;
   }
   const uint32_t bytes = sizeof(struct record) + (even || first == last ? 0 : sizeof(offsets));
   const uint32_t most = accesses->local ? MOST_LOCAL_BYTES : MOST_BYTES;
   if (!reserve(noted, bytes, most)) {
      vgpu_noted_enter(accesses, group, accesses->local ? local_limit(group) : vgpu_races_limit(group->owner->races));
      if (!accesses->local) {
         find_full(accesses, vgpu_races_limit(group->owner->races));
      }
      if (!reserve(noted, bytes, most)) {
         return false; /* out of memory */
      }
   }
   extend(&noted->touched, range);
   if (touch->writes) {
      extend(&noted->written, range);
   }
   struct record *record = (void *)(noted->records + noted->bytes);
   *record = (struct record){
       .segment = group->segment,
       .group_first = group->first_segment,
       .lanes = lanes,
       .thread = (uint16_t)thread,
       .offset = (uint16_t)(all || first == last ? first : first - (uint32_t)__builtin_ctz(lanes) * touch->span),
       .stride = first == last ? 0
                 : all         ? (uint16_t)touch->stride
                 : even        ? (uint16_t)touch->span
                               : UNEVEN,
       .mask = (uint8_t)touch->mask,
       .element = (uint8_t)touch->element,
       .writes = touch->writes,
   };
   if (bytes > sizeof(*record)) {
      memcpy(record + 1, offsets, sizeof(offsets));
   }
   noted->bytes += bytes;
   return true;
}
