/* SPDX-License-Identifier: MIT
 *
 * Lists of objects with references. Invariant: mappings of an address space do not overlap.
 */
#include "vgpu/recorder/objects.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "drm/uapi/asahi_drm.h"
#include "vgpu/shim/next.h"
#include "util/array.h"

static struct recorder_entry *find_entry(const struct recorder_table *table, uint32_t id)
{
   for (size_t i = 0; i < table->count; i++) {
      if (table->entries[i].id == id) {
         return &table->entries[i];
      }
   }
   return NULL;
}

void *recorder_find(const struct recorder_table *table, uint32_t id)
{
   const struct recorder_entry *entry = find_entry(table, id);
   return entry ? entry->object : NULL;
}

bool recorder_add(struct recorder_table *table, uint32_t id, void *object)
{
   if (!ARRAY_RESERVE(table->entries, table->capacity, table->count + 1)) {
      return false;
   }
   table->entries[table->count++] = (struct recorder_entry){id, object};
   return true;
}

void *recorder_remove(struct recorder_table *table, uint32_t id)
{
   struct recorder_entry *entry = find_entry(table, id);
   if (!entry) {
      return NULL;
   }
   void *object = entry->object;
   *entry = table->entries[--table->count];
   return object;
}

void recorder_buffer_unref(struct recorder_buffer *buffer)
{
   if (buffer && !--buffer->refs) {
      if (buffer->bytes) {
         NEXT(munmap)(buffer->bytes, buffer->size);
      }
      free(buffer);
   }
}

/* Adds the part [start, end) of a mapping, if there is one. */
static void keep(struct recorder_mapping *list, size_t *count, const struct recorder_mapping *from, uint64_t start,
                 uint64_t end)
{
   if (start < end) {
      struct recorder_mapping part = *from;
      part.offset += from->flags & DRM_ASAHI_BIND_SINGLE_PAGE ? 0 : start - from->start;
      part.start = start;
      part.end = end;
      part.buffer->refs++;
      list[(*count)++] = part;
   }
}

void recorder_vm_map(struct recorder_vm *vm, struct recorder_mapping mapping)
{
   /* A new mapping splits one old mapping at most. */
   struct recorder_mapping *list = malloc((vm->count + 2) * sizeof(*list));
   size_t count = 0;
   if (!list) {
      vm->uncertain = true;
      return;
   }
   for (size_t i = 0; i < vm->count; i++) {
      const struct recorder_mapping *old = &vm->mappings[i];
      keep(list, &count, old, old->start, old->end < mapping.start ? old->end : mapping.start);
      keep(list, &count, old, old->start > mapping.end ? old->start : mapping.end, old->end);
   }
   if (mapping.buffer) {
      keep(list, &count, &mapping, mapping.start, mapping.end);
   }
   for (size_t i = 0; i < vm->count; i++) {
      recorder_buffer_unref(vm->mappings[i].buffer);
   }
   free(vm->mappings);
   vm->mappings = list;
   vm->count = count;
}

void recorder_vm_unmap_buffer(struct recorder_vm *vm, const struct recorder_buffer *buffer)
{
   size_t kept = 0;
   for (size_t i = 0; i < vm->count; i++) {
      if (vm->mappings[i].buffer == buffer) {
         recorder_buffer_unref(vm->mappings[i].buffer);
      } else {
         vm->mappings[kept++] = vm->mappings[i];
      }
   }
   vm->count = kept;
}

void recorder_vm_unmap_all(struct recorder_vm *vm)
{
   for (size_t i = 0; i < vm->count; i++) {
      recorder_buffer_unref(vm->mappings[i].buffer);
   }
   vm->count = 0;
}

void recorder_vm_unref(struct recorder_vm *vm)
{
   if (vm && !--vm->refs) {
      recorder_vm_unmap_all(vm);
      free(vm->mappings);
      free(vm);
   }
}

void recorder_queue_destroy(struct recorder_queue *queue)
{
   if (queue) {
      recorder_vm_unref(queue->vm);
      free(queue);
   }
}

void recorder_object_destroy(struct recorder_object *object)
{
   if (object) {
      recorder_buffer_unref(object->buffer);
      free(object);
   }
}

void recorder_client_destroy(struct recorder_client *client)
{
   for (size_t i = 0; i < client->queues.count; i++) {
      recorder_queue_destroy(client->queues.entries[i].object);
   }
   for (size_t i = 0; i < client->vms.count; i++) {
      recorder_vm_unref(client->vms.entries[i].object);
   }
   for (size_t i = 0; i < client->objects.count; i++) {
      recorder_object_destroy(client->objects.entries[i].object);
   }
   for (size_t i = 0; i < client->buffers.count; i++) {
      recorder_buffer_unref(client->buffers.entries[i].object);
   }
   free(client->queues.entries);
   free(client->vms.entries);
   free(client->objects.entries);
   free(client->buffers.entries);
   free(client);
}
