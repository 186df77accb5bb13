/* SPDX-License-Identifier: MIT
 *
 * Fences and synchronisation objects: see sync.h.
 *
 * A timeline is a list of chain nodes, newest first. Points may be signalled out of order; a point counts as
 * reached when it and all before it are. Nodes whose own fence is signalled are dropped from the list while it is
 * walked, and prev_seqno of the node after tells what had been there: the answers below depend on that, so it is
 * done exactly when the kernel does it.
 */
#include "vgpu/driver/sync.h"

#include <stdlib.h>

#include "util/clock.h"

struct vgpu_fence *vgpu_fence_create(uint64_t context, uint64_t seqno)
{
   struct vgpu_fence *fence = calloc(1, sizeof(*fence));
   if (fence) {
      fence->refs = 1;
      fence->context = context;
      fence->seqno = seqno;
   }
   return fence;
}

struct vgpu_fence *vgpu_fence_create_chain(void)
{
   struct vgpu_fence *fence = vgpu_fence_create(0, 0);
   if (fence) {
      fence->kind = VGPU_FENCE_CHAIN;
   }
   return fence;
}

struct vgpu_fence *vgpu_fence_ref(struct vgpu_fence *fence)
{
   if (fence) {
      fence->refs++;
   }
   return fence;
}

/* A loop over prev, not a recursion: timelines can have any length. A point's own fence is never a chain and an
 * array's fences are plain, so those two recursions end. */
void vgpu_fence_unref(struct vgpu_fence *fence)
{
   while (fence && --fence->refs == 0) {
      struct vgpu_fence *prev = fence->prev;
      vgpu_fence_unref(fence->fence);
      for (size_t i = 0; i < fence->count; i++) {
         vgpu_fence_unref(fence->fences[i]);
      }
      free(fence->fences);
      free(fence);
      fence = prev;
   }
}

void vgpu_fence_signal(struct vgpu_fence *fence, int error)
{
   fence->signaled = true;
   fence->error = error;
   fence->timestamp_ns = util_clock_ns();
}

/* The node before, after dropping those whose own fence is signalled (dma_fence_chain_walk). Borrowed. */
static struct vgpu_fence *walk(struct vgpu_fence *chain)
{
   while (chain->prev &&
          vgpu_fence_signaled(chain->prev->kind == VGPU_FENCE_CHAIN ? chain->prev->fence : chain->prev)) {
      struct vgpu_fence *gone = chain->prev;
      chain->prev = vgpu_fence_ref(gone->prev);
      vgpu_fence_unref(gone);
   }
   return chain->prev;
}

static bool compute_signaled(struct vgpu_fence *fence)
{
   if (fence->kind == VGPU_FENCE_ARRAY) {
      for (size_t i = 0; i < fence->count; i++) {
         if (!fence->fences[i]->signaled) {
            return false;
         }
      }
      return true;
   }
   for (struct vgpu_fence *node = fence; node; node = walk(node)) {
      if (node->kind != VGPU_FENCE_CHAIN) {
         return vgpu_fence_signaled(node);
      }
      if (!vgpu_fence_signaled(node->fence)) {
         return false;
      }
   }
   return true;
}

bool vgpu_fence_signaled(struct vgpu_fence *fence)
{
   if (!fence->signaled && fence->kind != VGPU_FENCE_PLAIN && compute_signaled(fence)) {
      fence->signaled = true;
      fence->timestamp_ns = util_clock_ns();
   }
   return fence->signaled;
}

int vgpu_fence_status(struct vgpu_fence *fence)
{
   if (!vgpu_fence_signaled(fence)) {
      return 0;
   }
   return fence->error ? fence->error : 1;
}

static void add_leaf(struct vgpu_fence *leaf, struct vgpu_fence **leaves, size_t count, size_t *found)
{
   if (*found < count) {
      leaves[*found] = leaf;
   }
   (*found)++;
}

size_t vgpu_fence_leaves(struct vgpu_fence *fence, struct vgpu_fence **leaves, size_t count)
{
   size_t found = 0;
   while (fence) {
      struct vgpu_fence *own = fence->kind == VGPU_FENCE_CHAIN ? fence->fence : fence;
      if (own->kind == VGPU_FENCE_ARRAY) {
         for (size_t i = 0; i < own->count; i++) {
            add_leaf(own->fences[i], leaves, count, &found);
         }
      } else {
         add_leaf(own, leaves, count, &found);
      }
      fence = fence->kind == VGPU_FENCE_CHAIN ? walk(fence) : NULL;
   }
   return found;
}

struct vgpu_fence *vgpu_fence_flatten(struct vgpu_fence *fence)
{
   if (fence->kind != VGPU_FENCE_CHAIN) {
      return vgpu_fence_ref(fence);
   }
   size_t count = vgpu_fence_leaves(fence, NULL, 0);
   struct vgpu_fence *array = vgpu_fence_create(fence->context, fence->seqno);
   struct vgpu_fence **leaves = calloc(count ? count : 1, sizeof(*leaves));
   if (!array || !leaves) {
      vgpu_fence_unref(array);
      free(leaves);
      return NULL;
   }
   array->kind = VGPU_FENCE_ARRAY;
   array->fences = leaves;
   vgpu_fence_leaves(fence, leaves, count);
   for (size_t i = 0; i < count; i++) {
      if (!leaves[i]->signaled) {
         leaves[array->count++] = vgpu_fence_ref(leaves[i]);
      }
   }
   return array;
}

struct vgpu_syncobj *vgpu_syncobj_create(void)
{
   struct vgpu_syncobj *syncobj = calloc(1, sizeof(*syncobj));
   if (syncobj) {
      syncobj->refs = 1;
   }
   return syncobj;
}

struct vgpu_syncobj *vgpu_syncobj_ref(struct vgpu_syncobj *syncobj)
{
   syncobj->refs++;
   return syncobj;
}

void vgpu_syncobj_unref(struct vgpu_syncobj *syncobj)
{
   if (syncobj && --syncobj->refs == 0) {
      vgpu_fence_unref(syncobj->fence);
      free(syncobj);
   }
}

void vgpu_syncobj_replace(struct vgpu_syncobj *syncobj, struct vgpu_fence *fence)
{
   struct vgpu_fence *old = syncobj->fence;
   syncobj->fence = vgpu_fence_ref(fence);
   vgpu_fence_unref(old);
}

void vgpu_syncobj_add_point(struct vgpu_syncobj *syncobj, struct vgpu_fence *chain, struct vgpu_fence *fence,
                            uint64_t point, uint64_t context)
{
   struct vgpu_fence *prev = syncobj->fence; /* its reference moves into the chain */
   chain->prev = prev;
   chain->fence = vgpu_fence_ref(fence);
   chain->context = context;
   chain->seqno = point;
   if (prev && prev->kind == VGPU_FENCE_CHAIN) {
      if (point > prev->seqno) {
         chain->context = prev->context;
         chain->prev_seqno = prev->seqno;
      } else {
         chain->seqno = prev->seqno;
      }
   }
   syncobj->fence = chain;
}

bool vgpu_syncobj_find(struct vgpu_syncobj *syncobj, uint64_t point, struct vgpu_fence **out)
{
   struct vgpu_fence *head = syncobj->fence;
   if (!head || (point && (head->kind != VGPU_FENCE_CHAIN || head->seqno < point))) {
      return false;
   }
   struct vgpu_fence *node = head;
   while (point && node && node->kind == VGPU_FENCE_CHAIN && node->context == head->context &&
          node->prev_seqno >= point) {
      node = walk(node);
   }
   *out = vgpu_fence_ref(node);
   return true;
}

uint64_t vgpu_syncobj_query(struct vgpu_syncobj *syncobj, bool submitted)
{
   struct vgpu_fence *head = syncobj->fence;
   if (!head || head->kind != VGPU_FENCE_CHAIN) {
      return 0;
   }
   if (submitted) {
      return head->seqno;
   }
   struct vgpu_fence *oldest = head; /* of those that are left on this timeline */
   for (struct vgpu_fence *node = walk(head); node && node->context == head->context; node = walk(node)) {
      oldest = node;
   }
   return vgpu_fence_signaled(oldest) ? oldest->seqno : oldest->prev_seqno;
}
