/* SPDX-License-Identifier: MIT
 *
 * The objects of a client of a real device, as its requests made them. Invariant: a buffer stays, and stays mapped
 * here, as long as a handle, a mapping or a timestamp object names it. The caller holds the recorder's lock.
 */
#ifndef VGPU_RECORDER_OBJECTS_H
#define VGPU_RECORDER_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recorder_buffer {
   unsigned refs;
   uint64_t size;  /* bytes, whole pages */
   uint8_t *bytes; /* mapped for this library; NULL: cannot be */
   uint32_t index; /* in the job that is being saved */
};

struct recorder_mapping {
   uint64_t start, end; /* GPU addresses */
   uint64_t offset;     /* into the buffer, of start */
   uint32_t flags;      /* DRM_ASAHI_BIND_* */
   struct recorder_buffer *buffer;
};

struct recorder_vm {
   unsigned refs;
   uint64_t kernel_start, kernel_end;
   struct recorder_mapping *mappings; /* disjoint */
   size_t count;
   bool uncertain; /* a request failed half way: what is mapped is not known any more */
};

struct recorder_queue {
   struct recorder_vm *vm;
   uint64_t usc_exec_base;
   uint32_t priority;
};

struct recorder_object { /* GEM_BIND_OBJECT's */
   struct recorder_buffer *buffer;
   uint64_t offset;
};

/* Objects of one kind by their number. */
struct recorder_table {
   struct recorder_entry {
      uint32_t id;
      void *object;
   } * entries;
   size_t count, capacity;
};

/* An open file of the device. */
struct recorder_client {
   unsigned refs; /* descriptors */
   struct recorder_table buffers, vms, queues, objects;
   uint32_t syncobj; /* of this library; 0: not made yet */
   char info[96];    /* the device, in words */
};

void *recorder_find(const struct recorder_table *table, uint32_t id);
/* False: out of memory. */
bool recorder_add(struct recorder_table *table, uint32_t id, void *object);
void *recorder_remove(struct recorder_table *table, uint32_t id);

void recorder_buffer_unref(struct recorder_buffer *buffer);
void recorder_vm_unref(struct recorder_vm *vm);
/* [start, end) is `buffer` from now on, with a reference of its own; NULL: unmapped. */
void recorder_vm_map(struct recorder_vm *vm, struct recorder_mapping mapping);
/* The buffer is unmapped wherever it is: its handle was closed. */
void recorder_vm_unmap_buffer(struct recorder_vm *vm, const struct recorder_buffer *buffer);
void recorder_vm_unmap_all(struct recorder_vm *vm);
void recorder_queue_destroy(struct recorder_queue *queue);
void recorder_object_destroy(struct recorder_object *object);
void recorder_client_destroy(struct recorder_client *client);

#endif
