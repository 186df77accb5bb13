/* SPDX-License-Identifier: MIT
 *
 * Reads of device memory that the launch has not written. Nothing is found at such a read, and who read counts only if
 * a write follows. So reads are noted as short records, a page's in the order in which they happened, and entered into
 * its columns before the first write, or where the records have no room. Invariant: then the columns are the same as if
 * each read had been entered at once. That holds for threadgroups that have executed no atomic, since only those are
 * ordered behind what other threadgroups did.
 */
#include <stdlib.h>
#include <string.h>

#include "vgpu/exec/checks/accesses.h"
#include "vgpu/exec/checks/checks.h"

#define FIRST_BYTES 1024u
#define MOST_BYTES (16u * 1024u) /* of a page's records */

/* What lanes of one instruction read. */
struct record {
   uint32_t segment, lanes;
   uint16_t thread;         /* of lane 0 */
   uint16_t offset, stride; /* of lane 0, and from lane to lane; UNEVEN: all lanes' offsets follow */
   uint8_t mask, element;   /* of elements, and the bytes of one */
};
#define UNEVEN UINT16_MAX
typedef uint16_t lane_offsets[VGPU_LANES];

_Static_assert(VGPU_PAGE <= UINT16_MAX, "offsets have 16 bits");

static bool reserve(struct vgpu_reads *reads, uint32_t bytes)
{
   if (reads->bytes + bytes <= reads->capacity) {
      return true;
   }
   const uint32_t capacity = reads->capacity ? 2 * reads->capacity : FIRST_BYTES;
   uint8_t *records = capacity <= MOST_BYTES ? realloc(reads->records, capacity) : NULL;
   if (!records) {
      return false;
   }
   reads->records = records;
   reads->capacity = capacity;
   return true;
}

static bool is_full(const struct vgpu_reads *reads, const struct vgpu_group_checks *group, uint32_t first, uint32_t end)
{
   return first >= reads->full_first && end <= reads->full_end && group->first_segment > reads->full_newest;
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
   uint32_t limit; /* everything below it is of earlier launches */
};

static bool is_before(const struct reader *reader, uint32_t other)
{
   if (other < reader->limit) {
      return true;
   }
   const struct vgpu_segment *theirs = &reader->segments[(other >> (VGPU_RACE_THREAD_BITS + 1)) - 1];
   return theirs->group == reader->own->group && theirs->epoch != reader->own->epoch;
}

static inline void enter_entry(const struct vgpu_access_columns *columns, size_t at, const struct reader *reader,
                               uint32_t self)
{
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
                                       .limit = limit};
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
   const struct reader reader = {segments, &segments[record->segment - 1], vgpu_races_limit(races)};
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
      enter_lane(accesses, record, offsets ? offsets[lane] : record->offset + lane * record->stride, &reader,
                 self_of(record, lane));
   }
}

void vgpu_reads_enter(struct vgpu_accesses *accesses, const struct vgpu_group_checks *group)
{
   const uint8_t *at = accesses->reads.records, *end = at + accesses->reads.bytes;
   while (at < end) {
      const struct record *record = (const void *)at;
      const bool uneven = record->stride == UNEVEN;
      enter(accesses, group, record, uneven ? (const uint16_t *)(const void *)(record + 1) : NULL);
      at += sizeof(*record) + (uneven ? sizeof(lane_offsets) : 0);
   }
   accesses->reads.bytes = 0;
}

/* Finds the longest row of entries with two live readers. */
static void find_full(struct vgpu_accesses *accesses, uint32_t limit)
{
   struct vgpu_reads *reads = &accesses->reads;
   uint32_t first = 0, newest = 0;
   reads->full_first = reads->full_end = 0;
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
      } else if (4 * (word + 1 - first) > reads->full_end - reads->full_first) {
         reads->full_first = 4 * first;
         reads->full_end = 4 * (word + 1);
         reads->full_newest = newest >> (VGPU_RACE_THREAD_BITS + 1);
      }
   }
}

/* ---- Noting ---- */

bool vgpu_reads_note(struct vgpu_accesses *accesses, const struct vgpu_group_checks *group, uint32_t thread,
                     const struct vgpu_touch *touch, uint32_t lanes)
{
   struct vgpu_reads *reads = &accesses->reads;
   const bool even = touch->even && lanes == VGPU_ALL;
   lane_offsets offsets;
   uint32_t first, last;
   if (accesses->written) {
      return false;
   }
   find_offsets(touch, lanes, even, offsets, &first, &last);
   if (is_full(reads, group, first, last + touch->span)) {
      return true;
   }
   const uint32_t bytes = sizeof(struct record) + (even || first == last ? 0 : sizeof(offsets));
   if (!reserve(reads, bytes)) {
      vgpu_reads_enter(accesses, group);
      find_full(accesses, vgpu_races_limit(group->owner->races));
      if (!reserve(reads, bytes)) {
         return false; /* out of memory */
      }
   }
   struct record *record = (void *)(reads->records + reads->bytes);
   *record = (struct record){
       .segment = group->segment,
       .lanes = lanes,
       .thread = (uint16_t)thread,
       .offset = (uint16_t)first,
       .stride = first == last ? 0
                 : even        ? (uint16_t)touch->stride
                               : UNEVEN,
       .mask = (uint8_t)touch->mask,
       .element = (uint8_t)touch->element,
   };
   if (bytes > sizeof(*record)) {
      memcpy(record + 1, offsets, sizeof(offsets));
   }
   reads->bytes += bytes;
   return true;
}
