/* SPDX-License-Identifier: MIT
 *
 * Shadow memory of the race check: who wrote and read each word of memory last. A word whose bytes are touched one by
 * one is split: then its bytes' entries count. Entries are columns, so that a run of words is looked at by vector
 * instructions.
 */
#ifndef VGPU_CHECKS_ACCESSES_H
#define VGPU_CHECKS_ACCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/hash.h"

#define VGPU_RACE_THREAD_BITS 10u
#define VGPU_RACE_THREAD_MASK ((1u << (VGPU_RACE_THREAD_BITS + 1)) - 1)
#define VGPU_RACE_FLAG 1u /* of a writer: atomic; of a reader: several threads */

/* Segment << 11 | thread << 1 | flag; 0: nobody. Segments count from 1. */
struct vgpu_access_columns {
   uint32_t *writer;
   uint32_t *readers[2]; /* of two threadgroups: a writer can be of one of them only */
};

struct vgpu_accesses {
   struct vgpu_access_columns word, byte; /* byte: NULL while no word is split */
   uint8_t *split;                        /* by word */
   size_t words;
};

/* A run: entries [at, at + count) of which `units` belong to each thread in turn. */
struct vgpu_access_run {
   size_t at;
   unsigned count, units;
   uint32_t self;    /* segment and thread of the first one */
   uint32_t limit;   /* what is below it is ordered before this access */
   uint32_t several; /* VGPU_RACE_FLAG: all entries are read by several threads; else 0 */
   bool writes;
};
#define VGPU_RUN_ENTRIES 512u /* at most */

/* The accesses to so many bytes; NULL: out of memory. */
struct vgpu_accesses *vgpu_accesses_create(size_t bytes);
void vgpu_accesses_destroy(struct vgpu_accesses *accesses); /* NULL is fine */
void vgpu_accesses_clear(struct vgpu_accesses *accesses);   /* NULL is fine */
/* Gives each byte of the words an entry; false: out of memory. */
bool vgpu_accesses_split(struct vgpu_accesses *accesses, size_t word, size_t count);

#endif
