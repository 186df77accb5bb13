/* SPDX-License-Identifier: MIT
 *
 * Blocks that wait to be used again, in classes of sizes: powers of two. The one that was given back last is taken
 * first, since caches may still hold it. Invariant: no more than MOST_BYTES wait.
 */
#include "vgpu/spare.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define LEAST_LOG2 12u
#define CLASSES 14u /* up to 32 MiB; larger blocks go back to the system */
#define MOST_BYTES ((size_t)64 << 20)

/* At the start of a block that waits. */
struct waiting {
   struct waiting *next;
};

struct vgpu_spare {
   pthread_mutex_t lock; /* protects the rest */
   struct waiting *first[CLASSES];
   size_t bytes; /* of all */
};

static unsigned class_of(size_t bytes)
{
   unsigned class = 0;
   while (class < CLASSES && (size_t)1 << (LEAST_LOG2 + class) < bytes) {
      class ++;
   }
   return class;
}

static size_t class_bytes(unsigned class)
{
   return (size_t)1 << (LEAST_LOG2 + class);
}

static void *from_system(size_t bytes)
{
   const size_t rest = bytes % VGPU_SPARE_ALIGNMENT, more = rest || !bytes ? VGPU_SPARE_ALIGNMENT - rest : 0;
   return bytes <= SIZE_MAX - more ? aligned_alloc(VGPU_SPARE_ALIGNMENT, bytes + more) : NULL;
}

struct vgpu_spare *vgpu_spare_create(void)
{
   struct vgpu_spare *spare = calloc(1, sizeof(*spare));
   if (spare && pthread_mutex_init(&spare->lock, NULL)) {
      free(spare);
      return NULL;
   }
   return spare;
}

void vgpu_spare_destroy(struct vgpu_spare *spare)
{
   if (!spare) {
      return;
   }
   for (unsigned class = 0; class < CLASSES; class ++) {
      for (struct waiting *block = spare->first[class], *next; block; block = next) {
         next = block->next;
         free(block);
      }
   }
   pthread_mutex_destroy(&spare->lock);
   free(spare);
}

void *vgpu_spare_take(struct vgpu_spare *spare, size_t bytes)
{
   const unsigned class = class_of(bytes);
   struct waiting *block = NULL;
   if (!spare || class == CLASSES) {
      return from_system(bytes);
   }
   pthread_mutex_lock(&spare->lock);
   block = spare->first[class];
   if (block) {
      spare->first[class] = block->next;
      spare->bytes -= class_bytes(class);
   }
   pthread_mutex_unlock(&spare->lock);
   return block ? (void *)block : from_system(class_bytes(class));
}

void vgpu_spare_give(struct vgpu_spare *spare, void *block, size_t bytes)
{
   const unsigned class = class_of(bytes);
   struct waiting *waiting = block;
#if !defined(__SANITIZE_ADDRESS__) /* which finds what is used after it was given back */
   if (spare && block && class < CLASSES) {
      pthread_mutex_lock(&spare->lock);
      if (spare->bytes + class_bytes(class) <= MOST_BYTES) {
         waiting->next = spare->first[class];
         spare->first[class] = waiting;
         spare->bytes += class_bytes(class);
         waiting = NULL;
      }
      pthread_mutex_unlock(&spare->lock);
   }
#endif
   free(waiting);
}
