/* SPDX-License-Identifier: MIT
 *
 * Accesses to device memory of which nothing can be found: reads of bytes that the launch has not written, and writes
 * to bytes that it has not accessed. Who made them counts only if another access meets them. So they are noted as short
 * records, a page's in the order in which they happened, and entered into its columns before the first access that may
 * meet one, or where the records have no room. Invariant: then the columns are the same as if each had been entered at
 * once. That holds for threadgroups that have executed no atomic, since only those are ordered behind what other
 * threadgroups did.
 */
#include <stdlib.h>
#include <string.h>

#include "vgpu/exec/checks/accesses.h"
#include "vgpu/exec/checks/checks.h"

#define FIRST_BYTES 1024u
#define MOST_BYTES (32u * 1024u) /* of a page's records */

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

_Static_assert(VGPU_PAGE <= UINT16_MAX, "offsets have 16 bits");

static bool reserve(struct vgpu_noted *noted, uint32_t bytes)
{
   if (noted->bytes + bytes <= noted->capacity) {
      return true;
   }
   const uint32_t capacity = noted->capacity ? 2 * noted->capacity : FIRST_BYTES;
   uint8_t *records = capacity <= MOST_BYTES ? realloc(noted->records, capacity) : NULL;
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
   if (lanes == touch->lanes) {
      *first = touch->first % VGPU_PAGE;
      *last = touch->last % VGPU_PAGE;
   } else {
      *first = UINT32_MAX;
      *last = 0;
      for (uint32_t left = lanes; left; left &= left - 1) {
         const uint32_t offset = touch->address[__builtin_ctz(left)] % VGPU_PAGE;
         *first = offset < *first ? offset : *first;
         *last = offset > *last ? offset : *last;
      }
   }
   for (unsigned lane = 0; !even && lane < VGPU_LANES; lane++) {
      offsets[lane] = touch->address[lane] % VGPU_PAGE;
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

/* All lanes, each the bytes behind those of the lane before. false: nothing was done. */
static bool enter_run(struct vgpu_accesses *accesses, const struct vgpu_group_checks *group,
                      const struct record *record, uint32_t limit)
{
   const unsigned span = span_of(record), bytes = VGPU_LANES * span, at = record->offset;
   if (record->lanes != VGPU_ALL || record->stride != span || record->mask & (record->mask + 1u)) {
      return false;
   }
   const size_t word = at / 4, words = (at + bytes + 3) / 4 - word;
   const bool whole = at % 4 == 0 && span % 4 == 0 && !memchr(&accesses->split[word], 1, words);
   if (!whole && !vgpu_accesses_split(accesses, word, words, limit)) {
      return false;
   }
   const struct vgpu_access_run run = {.at = whole ? word : at,
                                       .count = whole ? bytes / 4 : bytes,
                                       .units = whole ? span / 4 : span,
                                       .self = self_of(record, 0),
                                       .limit = limit,
                                       .writes = record->writes};
   return group->owner->lanes->access_run(whole ? &accesses->word : &accesses->byte, &run);
}

static void enter_lane(struct vgpu_accesses *accesses, const struct record *record, size_t at,
                       const struct reader *reader, uint32_t self)
{
   for (uint32_t mask = record->mask; mask; mask &= mask - 1) {
      enter_element(accesses, at + (unsigned)__builtin_ctz(mask) * record->element, record->element, reader, self);
   }
}

static void enter(struct vgpu_accesses *accesses, const struct vgpu_group_checks *group, const struct record *record,
                  const uint16_t *offsets)
{
   const struct vgpu_races *races = group->owner->races;
   const struct vgpu_segment *segments = vgpu_races_segments(races);
   const struct reader reader = {segments, &segments[record->segment - 1], vgpu_races_limit(races), record->group_first,
                                 record->writes};
   if (enter_run(accesses, group, record, reader.limit)) {
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
      enter_lane(accesses, record, offsets ? offsets[lane] : (uint16_t)(record->offset + lane * record->stride),
                 &reader, self_of(record, lane));
   }
}

void vgpu_noted_enter(struct vgpu_accesses *accesses, const struct vgpu_group_checks *group)
{
   const uint8_t *at = accesses->noted.records, *end = accesses->noted.bytes > 0 ? at + accesses->noted.bytes : at;
   while (at < end) {
      const struct record *record = (const void *)at;
      const bool uneven = record->stride == UNEVEN;
      enter(accesses, group, record, uneven ? (const uint16_t *)(const void *)(record + 1) : NULL);
      at += sizeof(*record) + (uneven ? sizeof(lane_offsets) : 0);
   }
   accesses->noted.bytes = 0;
   accesses->noted.written = (struct vgpu_byte_range){0, 0};
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
   if (!reserve(noted, bytes)) {
      vgpu_noted_enter(accesses, group);
      find_full(accesses, vgpu_races_limit(group->owner->races));
      if (!reserve(noted, bytes)) {
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
