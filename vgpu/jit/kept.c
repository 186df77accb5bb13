/* SPDX-License-Identifier: MIT
 *
 * The cache of compiled blocks. Invariant: an entry with users is never freed.
 */
#include "vgpu/jit/kept.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

void vgpu_jit_free_code(struct vgpu_jit_kept *kept, struct vgpu_jit_code *code)
{
   for (uint32_t i = 0; i < code->run_count; i++) {
      kept->instructions -= code->runs[i].instructions;
      vgpu_llvm_free(kept->llvm, &code->runs[i].code);
   }
   free(code->runs);
   code->runs = NULL;
   code->run_count = 0;
}

static bool has_code(const struct vgpu_jit_entry *entry)
{
   bool found = false;
   for (unsigned kind = 0; kind < VGPU_NATIVE_KINDS; kind++) {
      found |= entry->code[kind].run_count > 0;
   }
   return found;
}

static void free_entry(struct vgpu_jit_kept *kept, struct vgpu_jit_entry *entry)
{
   for (unsigned kind = 0; kind < VGPU_NATIVE_KINDS; kind++) {
      vgpu_jit_free_code(kept, &entry->code[kind]);
   }
   free(entry->key);
   free(entry);
}

static int compare_use(const void *a, const void *b)
{
   const struct vgpu_jit_entry *one = *(struct vgpu_jit_entry *const *)a, *other = *(struct vgpu_jit_entry *const *)b;
   return (one->used > other->used) - (one->used < other->used);
}

/* Frees half of the entries without users, so that the table is seldom rebuilt. Returns false if all have users. */
static bool drop_half(struct vgpu_jit_kept *kept)
{
   uint32_t left = 0, remaining = 0;
   for (uint32_t i = 0; i < kept->count; i++) {
      left += kept->entries[i]->users == 0;
   }
   if (left == 0) {
      return false;
   }
   left = (left + 1) / 2;
   qsort(kept->entries, kept->count, sizeof(struct vgpu_jit_entry *), compare_use);
   util_hash_finish(&kept->table);
   for (uint32_t i = 0; i < kept->count; i++) {
      struct vgpu_jit_entry *entry = kept->entries[i];
      if (left > 0 && entry->users == 0) {
         kept->freed += has_code(entry);
         free_entry(kept, entry);
         left--;
      } else {
         kept->entries[remaining] = entry;
         util_hash_add(&kept->table, (uint32_t)entry->hash,
                       remaining++); /* without memory, its block gets another entry */
      }
   }
   kept->count = remaining;
   return true;
}

bool vgpu_jit_make_room(struct vgpu_jit_kept *kept, uint32_t blocks, uint32_t instructions)
{
   while (kept->count + blocks > kept->max_blocks || kept->instructions + instructions > kept->max_instructions) {
      if (!drop_half(kept)) {
         return false;
      }
   }
   return true;
}

struct vgpu_jit_entry *vgpu_jit_find(struct vgpu_jit_kept *kept, uint8_t *key, size_t size)
{
   const uint64_t hash = XXH3_64bits(key, size); /* keys have up to 50 KB */
   uint32_t number;
   for (struct util_hash_probe probe = util_hash_find(&kept->table, (uint32_t)hash); util_hash_next(&probe, &number);) {
      struct vgpu_jit_entry *entry = kept->entries[number];
      if (entry->key_size == size && !memcmp(entry->key, key, size)) {
         free(key);
         entry->used = ++kept->look_ups;
         return entry;
      }
   }
   if (!kept->entries) {
      kept->entries = calloc(kept->max_blocks, sizeof(struct vgpu_jit_entry *));
   }
   struct vgpu_jit_entry *entry = calloc(1, sizeof(*entry));
   if (!kept->entries || !entry || !vgpu_jit_make_room(kept, 1, 0) ||
       !util_hash_add(&kept->table, (uint32_t)hash, kept->count)) {
      free(entry);
      free(key);
      return NULL;
   }
   *entry =
       (struct vgpu_jit_entry){.key = key, .key_size = size, .hash = hash, .used = ++kept->look_ups, .fresh = true};
   kept->entries[kept->count++] = entry;
   return entry;
}

void vgpu_jit_kept_finish(struct vgpu_jit_kept *kept)
{
   for (uint32_t i = 0; i < kept->count; i++) {
      free_entry(kept, kept->entries[i]);
   }
   free(kept->entries);
   util_hash_finish(&kept->table);
}
