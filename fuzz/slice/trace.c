/* SPDX-License-Identifier: MIT
 *
 * Reads entries one by one. A launch of a single lane is moved to its lane of the trace.
 */
#include "fuzz/slice/trace.h"

#include <stdlib.h>

#include "fuzz/nir/program.h"
#include "drm/asahi.h"
#include "isa/program.h"
#include "vgpu/vgpu.h"
#include "util/array.h"

#define MOST_ENTRIES 32768 /* of all launches together */

static void move_value(struct vgpu_trace_value *value, uint32_t to)
{
   value->lane[to] = value->lane[0];
}

static void move_lane(struct vgpu_trace_entry *entry, uint32_t lane)
{
   const uint32_t to = lane % FUZZ_SIMD;

   entry->simd = lane / FUZZ_SIMD;
   entry->exec = (entry->exec & 1) << to;
   entry->after = (entry->after & 1) << to;
   entry->access[to] = entry->access[0];
   for (uint32_t i = 0; i < entry->source_count; i++) {
      move_value(&entry->sources[i], to);
   }
   for (uint32_t i = 0; i < entry->result_count; i++) {
      move_value(&entry->results[i], to);
   }
}

static bool grow(struct trace *trace, uint32_t count)
{
   const uint32_t wanted = trace->count + count;

   return wanted <= MOST_ENTRIES && ARRAY_RESERVE(trace->entries, trace->capacity, wanted);
}

/* Returns the address of a launch's code, from its first entry. */
static uint64_t base_of(const struct vgpu_trace_entry *first, const struct agx_program *code)
{
   return first->address - (first->preamble ? code->preamble_offset : code->main_offset);
}

/* Finds the entry's place in the code. Returns false if it is not there, or not in one threadgroup. */
static bool place(struct vgpu_trace_entry *entry, uint64_t base, const struct agx_program *code)
{
   entry->address -= base;
   return entry->address < code->code_size && entry->group == 0 && entry->simd < FUZZ_LANES / FUZZ_SIMD;
}

bool trace_add(struct trace *trace, struct asahi_device *device, const struct agx_program *code, uint32_t lane)
{
   struct vgpu_trace_request *request = malloc(sizeof(*request));
   bool read = request != NULL && asahi_device_trace(device, 0, request) == 0 && request->dropped == 0 &&
               request->total != 0 && grow(trace, request->total);
   const uint64_t base = read ? base_of(&request->entry, code) : 0;
   const uint32_t count = read ? request->total : 0;

   for (uint32_t i = 0; read && i < count; i++) {
      struct vgpu_trace_entry *entry = &trace->entries[trace->count + i];
      read = asahi_device_trace(device, i, request) == 0;
      *entry = request->entry;
      read = read && place(entry, base, code);
      entry->group = trace->launches;
      if (lane != TRACE_ALL_LANES) {
         move_lane(entry, lane);
      }
   }
   free(request);
   trace->count += read ? count : 0;
   trace->launches += read ? 1 : 0;
   return read;
}

void trace_finish(struct trace *trace)
{
   free(trace->entries);
   *trace = (struct trace){.entries = NULL};
}
