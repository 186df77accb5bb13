/* SPDX-License-Identifier: MIT
 *
 * Shadow memory of the race check: see accesses.h.
 */
#include "vgpu/exec/checks/accesses.h"

#include <stdlib.h>
#include <string.h>

static bool make_columns(struct vgpu_access_columns *columns, size_t count)
{
   uint32_t *entries = calloc(count * 3 + 1, sizeof(*entries));
   if (!entries) {
      return false;
   }
   *columns = (struct vgpu_access_columns){entries, {entries + count, entries + 2 * count}};
   return true;
}

struct vgpu_accesses *vgpu_accesses_create(size_t bytes)
{
   size_t words = (bytes + 3) / 4;
   struct vgpu_accesses *accesses = calloc(1, sizeof(*accesses));
   if (!accesses) {
      return NULL;
   }
   accesses->words = words;
   accesses->split = calloc(words + 1, 1);
   if (!accesses->split || !make_columns(&accesses->word, words)) {
      vgpu_accesses_destroy(accesses);
      return NULL;
   }
   return accesses;
}

void vgpu_accesses_destroy(struct vgpu_accesses *accesses)
{
   if (accesses) {
      free(accesses->word.writer);
      free(accesses->byte.writer);
      free(accesses->split);
      free(accesses);
   }
}

void vgpu_accesses_clear(struct vgpu_accesses *accesses)
{
   if (accesses) {
      free(accesses->byte.writer);
      accesses->byte = (struct vgpu_access_columns){NULL, {NULL, NULL}};
      memset(accesses->word.writer, 0, accesses->words * 3 * sizeof(uint32_t));
      memset(accesses->split, 0, accesses->words);
   }
}

static void spread(uint32_t *bytes, const uint32_t *words, size_t word)
{
   for (unsigned i = 0; i < 4; i++) {
      bytes[word * 4 + i] = words[word];
   }
}

bool vgpu_accesses_split(struct vgpu_accesses *accesses, size_t word, size_t count)
{
   if (!accesses->byte.writer && !make_columns(&accesses->byte, accesses->words * 4)) {
      return false;
   }
   for (size_t end = word + count; word < end; word++) {
      if (!accesses->split[word]) {
         spread(accesses->byte.writer, accesses->word.writer, word);
         spread(accesses->byte.readers[0], accesses->word.readers[0], word);
         spread(accesses->byte.readers[1], accesses->word.readers[1], word);
         accesses->split[word] = 1;
      }
   }
   return true;
}

/* ---- Runs ---- */

static void fill_threads(uint32_t *self, const struct vgpu_access_run *run)
{
   if (run->units & (run->units - 1)) {
      for (unsigned i = 0; i < run->count; i++) {
         self[i] = run->self + i / run->units * 2;
      }
   } else {
      unsigned shift = (unsigned)__builtin_ctz(run->units);
      for (unsigned i = 0; i < run->count; i++) {
         self[i] = run->self + (i >> shift) * 2;
      }
   }
}

static bool write_run(uint32_t *writer, uint32_t *reader, uint32_t *other_reader, const uint32_t *self,
                      const struct vgpu_access_run *run)
{
   uint32_t unordered = 0, readers = 0, limit = run->limit;
   for (unsigned i = 0; i < run->count; i++) {
      unordered |= (uint32_t)(writer[i] >= limit) & (uint32_t)((writer[i] ^ self[i]) > VGPU_RACE_FLAG);
      readers |= (uint32_t)(reader[i] >= limit) | (uint32_t)(other_reader[i] >= limit);
      unordered |= (uint32_t)(reader[i] >= limit) & (uint32_t)(reader[i] != self[i]);
      unordered |= (uint32_t)(other_reader[i] >= limit) & (uint32_t)(other_reader[i] != self[i]);
   }
   if (unordered) {
      return false;
   }
   memcpy(writer, self, run->count * sizeof(*self));
   if (readers) { /* else they are out of date */
      memset(reader, 0, run->count * sizeof(*reader));
      memset(other_reader, 0, run->count * sizeof(*other_reader));
   }
   return true;
}

static bool read_run(const uint32_t *writer, uint32_t *reader, const uint32_t *self, const struct vgpu_access_run *run)
{
   uint32_t unordered = 0, limit = run->limit, several = run->several;
   for (unsigned i = 0; i < run->count; i++) {
      unordered |= (uint32_t)(writer[i] >= limit) & ((uint32_t)((writer[i] ^ self[i]) > VGPU_RACE_FLAG) | several);
      unordered |= (uint32_t)(reader[i] >= limit) & (uint32_t)((reader[i] ^ self[i]) > VGPU_RACE_THREAD_MASK);
   }
   if (unordered) {
      return false;
   }
   for (unsigned i = 0; i < run->count; i++) {
      uint32_t others = (uint32_t)((reader[i] ^ self[i]) > VGPU_RACE_FLAG);
      reader[i] = (reader[i] < limit ? self[i] : reader[i] | others) | several;
   }
   return true;
}

bool vgpu_accesses_run(const struct vgpu_access_columns *columns, const struct vgpu_access_run *run)
{
   uint32_t self[VGPU_RUN_ENTRIES];
   fill_threads(self, run);
   uint32_t *writer = columns->writer + run->at, *reader = columns->readers[0] + run->at;
   return run->writes ? write_run(writer, reader, columns->readers[1] + run->at, self, run)
                      : read_run(writer, reader, self, run);
}
