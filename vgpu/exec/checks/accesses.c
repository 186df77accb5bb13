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
      free(accesses->noted.records);
      free(accesses);
   }
}

void vgpu_accesses_clear(struct vgpu_accesses *accesses)
{
   if (accesses) {
      vgpu_noted_forget(accesses);
      free(accesses->byte.writer);
      accesses->byte = (struct vgpu_access_columns){NULL, {NULL, NULL}};
      memset(accesses->word.writer, 0, accesses->words * 3 * sizeof(uint32_t));
      memset(accesses->split, 0, accesses->words);
   }
}

void vgpu_accesses_join(struct vgpu_accesses *accesses)
{
   vgpu_noted_forget(accesses);
   if (accesses->byte.writer) {
      memset(accesses->split, 0, accesses->words);
   }
}

static void spread(uint32_t *bytes, const uint32_t *words, size_t word)
{
   for (unsigned i = 0; i < 4; i++) {
      bytes[word * 4 + i] = words[word];
   }
}

/* Where nothing is to be spread, the bytes may keep what they have: it is of earlier launches, since a word stays split
 * for the rest of a launch. */
static bool is_current(const struct vgpu_access_columns *columns, size_t word, uint32_t limit)
{
   return columns->writer[word] >= limit || columns->readers[0][word] >= limit || columns->readers[1][word] >= limit;
}

bool vgpu_accesses_split(struct vgpu_accesses *accesses, size_t word, size_t count, uint32_t limit)
{
   if (!accesses->byte.writer && !make_columns(&accesses->byte, accesses->words * 4)) {
      return false;
   }
   if (count > 1 && !memchr(&accesses->split[word], 0, count)) {
      return true;
   }
   for (size_t end = word + count; word < end; word++) {
      if (!accesses->split[word] && is_current(&accesses->word, word, limit)) {
         spread(accesses->byte.writer, accesses->word.writer, word);
         spread(accesses->byte.readers[0], accesses->word.readers[0], word);
         spread(accesses->byte.readers[1], accesses->word.readers[1], word);
      }
      accesses->split[word] = 1;
   }
   return true;
}
