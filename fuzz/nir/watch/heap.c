/* SPDX-License-Identifier: MIT
 *
 * Allocations that are followed by unmapped memory. The linker redirects malloc() and its relatives to this file
 * (--wrap in the meson.build above). Invariant: outside of the AGX compiler, and without fuzz_heap_guard(), the C
 * library allocates; memory from this file is freed here, whoever frees it.
 *
 * An access past the end of an array usually reads other heap data unnoticed. Here the address space is divided into
 * slots of one size. An allocation ends at the end of a page in the middle of its slot, and the rest of the slot is
 * unmapped. Slots are used in turn, so that a freed one is not reused soon.
 */
#include "fuzz/nir/watch/heap.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SLOTS 512
#define SLOT_BYTES (UINT64_C(16) << 20)
#define ALIGNMENT 16 /* malloc()'s alignment: an access less than that past an odd size is not detected */

static struct {
   uint8_t *start; /* NULL: disabled */
   size_t page;
   uint32_t next;
   size_t size[SLOTS]; /* 0: the slot is free */
} heap;

static _Thread_local unsigned inside; /* nesting of calls of the AGX compiler */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

static size_t mapped_bytes(size_t size)
{
   return (size + heap.page - 1) / heap.page * heap.page;
}

static uint8_t *slot_middle(uint32_t slot)
{
   return heap.start + slot * SLOT_BYTES + SLOT_BYTES / 2;
}

/* Returns zeroed memory; NULL: the C library must allocate. */
static void *take(size_t size)
{
   if (inside == 0 || heap.start == NULL || size < FUZZ_HEAP_LEAST || mapped_bytes(size) > SLOT_BYTES / 2) {
      return NULL;
   }
   for (uint32_t tries = 0; tries < SLOTS; tries++) {
      const uint32_t slot = heap.next++ % SLOTS;
      if (heap.size[slot] == 0) {
         const size_t bytes = mapped_bytes(size);
         if (mprotect(slot_middle(slot) - bytes, bytes, PROT_READ | PROT_WRITE) < 0) {
            return NULL;
         }
         heap.size[slot] = size;
         return slot_middle(slot) - (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
      }
   }
   return NULL;
}

/* Returns SLOTS if it was not allocated here. */
static uint32_t slot_of(const void *memory)
{
   const uintptr_t start = (uintptr_t)heap.start, at = (uintptr_t)memory;

   return heap.start != NULL && at >= start && at - start < SLOTS * SLOT_BYTES ? (uint32_t)((at - start) / SLOT_BYTES)
                                                                               : SLOTS;
}

static void give_back(uint32_t slot)
{
   const size_t bytes = mapped_bytes(heap.size[slot]);

   /* a new mapping, so that reused pages are zero */
   if (mmap(slot_middle(slot) - bytes, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
            0) == MAP_FAILED) {
      memset(slot_middle(slot) - bytes, 0, bytes);
   }
   heap.size[slot] = 0;
}

void *__wrap_malloc(size_t size)
{
   void *memory = take(size);

   return memory != NULL ? memory : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
   size_t bytes;
   void *memory = __builtin_mul_overflow(count, size, &bytes) ? NULL : take(bytes);

   return memory != NULL ? memory : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
   const uint32_t slot = slot_of(memory);

   if (slot == SLOTS && (memory != NULL || size == 0)) {
      return __real_realloc(memory, size);
   }
   void *moved = __wrap_malloc(size);
   if (slot != SLOTS && moved != NULL) {
      memcpy(moved, memory, size < heap.size[slot] ? size : heap.size[slot]);
      give_back(slot);
   }
   return moved;
}

void __wrap_free(void *memory)
{
   const int saved = errno;
   const uint32_t slot = slot_of(memory);

   if (slot == SLOTS) {
      __real_free(memory);
   } else {
      give_back(slot);
   }
   errno = saved;
}

bool fuzz_heap_guard(void)
{
   if (heap.start == NULL) {
      const long page = sysconf(_SC_PAGESIZE);
      void *start = mmap(NULL, SLOTS * SLOT_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      heap.page = (size_t)page;
      heap.start = page <= 0 || start == MAP_FAILED ? NULL : start;
   }
   return heap.start != NULL;
}

struct nir_shader;
struct agx_shader_key;
struct agx_shader_part;
struct util_debug_callback;
void __real_agx_compile_shader_nir(struct nir_shader *nir, struct agx_shader_key *key,
                                   struct util_debug_callback *debug, struct agx_shader_part *out);
void __wrap_agx_compile_shader_nir(struct nir_shader *nir, struct agx_shader_key *key,
                                   struct util_debug_callback *debug, struct agx_shader_part *out);

void __wrap_agx_compile_shader_nir(struct nir_shader *nir, struct agx_shader_key *key,
                                   struct util_debug_callback *debug, struct agx_shader_part *out)
{
   inside++;
   __real_agx_compile_shader_nir(nir, key, debug, out);
   inside--;
}
