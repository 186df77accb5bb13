/* SPDX-License-Identifier: MIT
 *
 * Shadow memory of the race check: the last writer and the readers of each word of memory. A word whose bytes are
 * accessed separately is split: then its bytes have entries of their own. Entries are columns, so that a run of words
 * is processed by vector instructions. Accesses of which nothing can be found are noted first, and entered into the
 * columns when another one may meet them (noted.c): most launches never write what they read, and write each word once.
 */
#ifndef VGPU_CHECKS_ACCESSES_H
#define VGPU_CHECKS_ACCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VGPU_RACE_THREAD_BITS 10u
#define VGPU_RACE_THREAD_MASK ((1u << (VGPU_RACE_THREAD_BITS + 1)) - 1)
#define VGPU_RACE_FLAG 1u /* for a writer: atomic; for a reader: several threads */

/* Segment << 11 | thread << 1 | flag; 0: nobody. Segments count from 1. */
struct vgpu_access_columns {
   uint32_t *writer;
   uint32_t *readers[2]; /* of two threadgroups, unlike a writer, which is of one */
};

/* Bytes [first, end) of a page. */
struct vgpu_byte_range {
   uint32_t first, end;
};

/* Accesses that are not in the columns yet, in their order. To threadgroup memory: since the last barrier, which orders
 * all before it, so that nobody needs these any more. */
struct vgpu_noted {
   uint8_t *records;
   uint32_t bytes, capacity;
   struct vgpu_byte_range touched; /* contains all that was accessed, entered or not */
   struct vgpu_byte_range written; /* contains all that these writes write */
   /* Entries that live readers of two threadgroups fill: a read by a third one changes nothing. Bytes. */
   struct vgpu_byte_range full;
   uint32_t full_newest; /* the newest segment among those readers */
};

struct vgpu_accesses {
   struct vgpu_access_columns word, byte; /* byte: NULL while no word is split */
   uint8_t *split;                        /* by word */
   size_t words;
   bool local;   /* threadgroup memory */
   bool at_once; /* accesses have met here: all are entered at once. Of device memory */
   struct vgpu_noted noted;
};

/* What a threadgroup does from one barrier or atomic to the next. */
struct vgpu_segment {
   uint64_t group;
   uint32_t epoch;
   uint32_t released; /* the tick of the atomic that ended it; 0: no atomic did */
};

/* A run of entries [at, at + count), of which `units` belong to each thread in turn. */
struct vgpu_access_run {
   size_t at;
   unsigned count, units;
   uint32_t self;    /* segment and thread of the first one */
   uint32_t limit;   /* everything below it is ordered before this access */
   uint32_t several; /* VGPU_RACE_FLAG: several threads read all entries, lane by lane alone; else 0 */
   /* Entries of these segments, too, are ordered before it: of the writer's column and of each reader's, segment << 11;
    * 0: none. */
   uint32_t writer_before, reader_before[2];
   uint32_t foreign; /* others below it are of other threadgroups, and not ordered before it */
   bool writes;
};
#define VGPU_RUN_ENTRIES 512u /* at most */

/* Creates the record of accesses to `bytes` bytes; NULL: out of memory. */
struct vgpu_accesses *vgpu_accesses_create(size_t bytes);
void vgpu_accesses_destroy(struct vgpu_accesses *accesses); /* NULL is fine */
void vgpu_accesses_clear(struct vgpu_accesses *accesses);   /* NULL is fine */
/* Gives each word one entry again. Call it where all accesses so far are out of date. */
void vgpu_accesses_join(struct vgpu_accesses *accesses);
/* Gives each byte of the words an entry; false: out of memory. limit: whatever is below it in an entry counts as
 * nobody. */
bool vgpu_accesses_split(struct vgpu_accesses *accesses, size_t word, size_t count, uint32_t limit);

/* ---- Accesses that are noted (noted.c) ---- */

struct vgpu_touch;
struct vgpu_group_checks;

/* Notes what those lanes of a load or store access, all of it in the memory of `accesses`, at least one lane. Their
 * threadgroup has executed no atomic. thread: lane 0's. false: nothing was noted; it must be entered. */
bool vgpu_noted_add(struct vgpu_accesses *accesses, const struct vgpu_group_checks *group, uint32_t thread,
                    const struct vgpu_touch *touch, uint32_t lanes);
/* The same for threadgroup memory. */
bool vgpu_noted_add_local(const struct vgpu_group_checks *group, uint32_t thread, const struct vgpu_touch *touch,
                          uint32_t bytes);
/* Enters what was noted, by whatever threadgroups; `group` is one of the same launch. limit: everything below it is
 * ordered before all of that. */
void vgpu_noted_enter(struct vgpu_accesses *accesses, const struct vgpu_group_checks *group, uint32_t limit);
/* Before an access to threadgroup memory that is entered at once. */
void vgpu_noted_enter_local(const struct vgpu_group_checks *group, const struct vgpu_touch *touch);
/* Forgets what was noted. */
void vgpu_noted_forget(struct vgpu_accesses *accesses);

/* races.c */
struct vgpu_races;
/* All segments; number n is at n - 1. */
const struct vgpu_segment *vgpu_races_segments(const struct vgpu_races *races);
/* Entries of device memory below it are of earlier launches. */
uint32_t vgpu_races_limit(const struct vgpu_races *races);

#endif
