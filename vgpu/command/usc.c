/* SPDX-License-Identifier: MIT
 *
 * USC words: spec/uapi.md 4.3. A packed list of items, each with its tag in the first byte; the preshader item, or the
 * one that says there is none, ends it.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isa/program.h"
#include "vgpu/command/cdm.h"
#include "vgpu/stage.h"
#include "util/array.h"

/* Enough for every uniform, texture and sampler one by one, several times over: a longer list has no end. */
#define MAX_ITEMS 4096u
/* SHARED's layout of vertex and compute work, and SHADER's field that is 2 for fragment work: 4.3. */
#define LAYOUT_COMPUTE 0x24u
#define TEXTURE_BYTES 24u
#define SAMPLER_BYTES 8u
#define STAGE_TILE 0u /* background and end-of-tile programs */
#define STAGE_FRAGMENT 2u
#define STAGE_COMPUTE 3u
#define PRESHADER_CONSTANT 0xC08000u

enum seen { SEEN_SHARED = 1, SEEN_SHADER = 2, SEEN_REGISTERS = 4, SEEN_ALL = 7 };

struct reader {
   struct vgpu_launch *launch;
   uint64_t va; /* of the current item */
   unsigned seen;
   bool done;
   enum vgpu_fault *fault;
   char *message;
   size_t message_size;
};

__attribute__((format(printf, 3, 4))) static bool fail(struct reader *reader, enum vgpu_fault fault, const char *format,
                                                       ...)
{
   va_list arguments;
   *reader->fault = fault;
   va_start(arguments, format);
   vsnprintf(reader->message, reader->message_size, format, arguments);
   va_end(arguments);
   return false;
}

static uint64_t bits(uint64_t item, unsigned low, unsigned count)
{
   return item >> low & ((UINT64_C(1) << count) - 1);
}

/* Fields that count in groups hold 0 for the most that they can say. */
static uint32_t groups(uint64_t item, unsigned low, unsigned count, uint32_t size)
{
   uint64_t value = bits(item, low, count);
   return (uint32_t)(value ? value : UINT64_C(1) << count) * size;
}

static bool read_uniforms(struct reader *reader, uint64_t item, uint32_t base)
{
   uint32_t start = base + (uint32_t)bits(item, 8, 8), count = groups(item, 20, 6, 1);
   uint64_t address = bits(item, 26, 38) << 2, bad;
   if (start + count > AGX_UNIFORM_HALVES) {
      return fail(reader, VGPU_FAULT_STREAM,
                  "USC uniforms at 0x%" PRIx64 ": %" PRIu32 " halves from %" PRIu32 " on, past the last of 512",
                  reader->va, count, start);
   }
   if (!vgpu_pages_read(reader->launch->pages, address, &reader->launch->uniforms[start], count * sizeof(uint16_t),
                        &bad)) {
      return fail(reader, VGPU_FAULT_MEMORY, "USC uniforms at 0x%" PRIx64 ": read of unmapped address 0x%" PRIx64,
                  reader->va, bad);
   }
   memset(&reader->launch->uniforms_written[start], 0xff, count * sizeof(uint16_t));
   if (reader->launch->uniforms_from_count < ARRAY_COUNT(reader->launch->uniforms_from)) {
      reader->launch->uniforms_from[reader->launch->uniforms_from_count] =
          (struct vgpu_uniform_from){address, (uint16_t)start, (uint16_t)count};
   }
   reader->launch->uniforms_from_count++;
   return true;
}

static bool read_uniform(struct reader *reader, uint64_t item)
{
   return read_uniforms(reader, item, 0);
}

static bool read_uniform_high(struct reader *reader, uint64_t item)
{
   return read_uniforms(reader, item, 256);
}

/* Texture and sampler states: `count` registers from `start` on, one after the other in memory. */
struct states {
   uint32_t start, count;
   uint64_t address;
};

static bool find_states(struct reader *reader, uint64_t item, const char *what, uint32_t most, struct states *states)
{
   *states = (struct states){(uint32_t)bits(item, 8, 8), (uint32_t)bits(item, 20, 7), bits(item, 27, 36) << 3};
   return states->start + states->count <= most ||
          fail(reader, VGPU_FAULT_STREAM,
               "USC %s states at 0x%" PRIx64 ": %" PRIu32 " from %" PRIu32 " on, past the last of %" PRIu32, what,
               reader->va, states->count, states->start, most);
}

static bool read_one(struct reader *reader, uint64_t address, void *to, size_t size)
{
   uint64_t bad;
   return vgpu_pages_read(reader->launch->pages, address, to, size, &bad) ||
          fail(reader, VGPU_FAULT_MEMORY, "USC states at 0x%" PRIx64 ": read of unmapped address 0x%" PRIx64,
               reader->va, bad);
}

static bool read_textures(struct reader *reader, uint64_t item)
{
   struct vgpu_states *to = &reader->launch->states;
   struct states states;
   bool read = find_states(reader, item, "texture", VGPU_TEXTURE_STATES, &states);
   for (uint32_t i = 0; read && i < states.count; i++) {
      const uint32_t number = states.start + i;
      read = read_one(reader, states.address + i * (uint64_t)TEXTURE_BYTES, to->textures[number], TEXTURE_BYTES);
      vgpu_state_mark(to->has_texture, number);
   }
   return read;
}

/* Extended ones have a border colour of their own behind each sampler. */
static bool read_samplers(struct reader *reader, uint64_t item)
{
   struct vgpu_states *to = &reader->launch->states;
   const bool extended = reader->launch->extended_samplers;
   const size_t border = sizeof(to->samplers[0].border);
   struct states states;
   bool read = find_states(reader, item, "sampler", VGPU_SAMPLER_STATES, &states);
   for (uint32_t i = 0; read && i < states.count; i++) {
      const uint32_t number = states.start + i;
      const uint64_t address = states.address + i * (SAMPLER_BYTES + (extended ? (uint64_t)border : 0));
      read = read_one(reader, address, &to->samplers[number].word, SAMPLER_BYTES) &&
             (!extended || read_one(reader, address + SAMPLER_BYTES, to->samplers[number].border, border));
      vgpu_state_mark(to->has_sampler, number);
   }
   return read;
}

/* Layouts of threadgroup memory: as bytes, or as pixels. */
static const struct {
   uint8_t layout, width, height;
} layouts[] = {{LAYOUT_COMPUTE, 0, 0}, {0x2f, 32, 32}, {0x3f, 32, 16}, {0x36, 16, 16}};

static bool read_shared(struct reader *reader, uint64_t item)
{
   size_t i = 0;
   while (i < ARRAY_COUNT(layouts) && layouts[i].layout != bits(item, 10, 6)) {
      i++;
   }
   if (i == ARRAY_COUNT(layouts)) {
      return fail(reader, VGPU_FAULT_STREAM,
                  "USC shared memory at 0x%" PRIx64 " with layout 0x%" PRIx64
                  "; compute has 0x24, or pixels: 0x2f, 0x36 or 0x3f",
                  reader->va, bits(item, 10, 6));
   }
   if (reader->launch->strict && !layouts[i].width && bits(item, 16, 8)) {
      return fail(reader, VGPU_FAULT_STREAM, "USC shared memory at 0x%" PRIx64 " has samples, but no pixels",
                  reader->va);
   }
   reader->launch->tile = (struct vgpu_tile){.width = layouts[i].width, .height = layouts[i].height};
   if (layouts[i].width) {
      reader->launch->tile.samples_log2 = (uint8_t)bits(item, 16, 2);
      reader->launch->tile.sample_bytes = (uint8_t)(bits(item, 20, 4) * 8);
   }
   reader->launch->threadgroup_bytes = bits(item, 8, 1) ? groups(item, 24, 8, 256) : 0;
   reader->seen |= SEEN_SHARED;
   return true;
}

static bool read_shader(struct reader *reader, uint64_t item)
{
   const struct vgpu_stage *stage = reader->launch->stage;
   const uint64_t wanted = stage && stage->kind == VGPU_STAGE_FRAGMENT ? STAGE_FRAGMENT : STAGE_COMPUTE;
   const bool of_tile = stage && stage->kind != VGPU_STAGE_VERTEX && bits(item, 10, 6) == STAGE_TILE;
   if (bits(item, 10, 6) != wanted && !of_tile) {
      return fail(reader, VGPU_FAULT_STREAM,
                  "USC shader at 0x%" PRIx64 " with %" PRIu64
                  " in bits 10-15; compute and vertex programs have 3, fragment programs 2, those of tiles 0",
                  reader->va, bits(item, 10, 6));
   }
   reader->launch->code = reader->launch->usc_base + bits(item, 16, 32);
   reader->seen |= SEEN_SHADER;
   return true;
}

static bool read_registers(struct reader *reader, uint64_t item)
{
   reader->launch->half_registers = (uint16_t)groups(item, 8, 5, 8);
   reader->launch->spill_bucket = (uint32_t)bits(item, 18, 4);
   reader->seen |= SEEN_REGISTERS;
   return true;
}

static bool read_fragment_properties(struct reader *reader, uint64_t item)
{
   if (!reader->launch->stage) {
      return fail(reader, VGPU_FAULT_STREAM, "USC fragment properties at 0x%" PRIx64 " of a compute program",
                  reader->va);
   }
   reader->launch->fragment_properties = (uint32_t)item;
   return true;
}

static bool read_no_preshader(struct reader *reader, uint64_t item)
{
   (void)item;
   reader->done = true;
   return true;
}

static bool read_preshader(struct reader *reader, uint64_t item)
{
   if (bits(item, 8, 24) != PRESHADER_CONSTANT) {
      return fail(reader, VGPU_FAULT_STREAM,
                  "USC preshader at 0x%" PRIx64 " with 0x%06" PRIx64 " in bits 8-31; they hold 0xc08000", reader->va,
                  bits(item, 8, 24));
   }
   reader->launch->preamble = reader->launch->usc_base + bits(item, 32, 32);
   reader->done = true;
   return true;
}

struct usc_item {
   uint8_t tag, size;
   bool (*read)(struct reader *reader, uint64_t item);
   uint64_t reserved; /* bits that compute clients leave zero: what the word's table in 4.3 does not name for them */
};

static const struct usc_item items[] = {
    {0x1D, 8, read_uniform, 0xF0000},
    {0x3D, 8, read_uniform_high, 0xF0000},
    {0xDD, 8, read_textures, UINT64_C(0x80000000000F0000)},
    {0x9D, 8, read_samplers, UINT64_C(0x80000000000F0000)},
    {0x4D, 4, read_shared, 0x0C0200},
    {0x0D, 6, read_shader, 0x300},
    {0x8D, 4, read_registers, 0xFEC3E000},
    {0x58, 4, read_fragment_properties, 0},
    {0x88, 2, read_no_preshader, 0xFF00},
    {0x38, 8, read_preshader, 0},
};

static const struct usc_item *find_item(uint8_t tag)
{
   for (size_t i = 0; i < ARRAY_COUNT(items); i++) {
      if (items[i].tag == tag) {
         return &items[i];
      }
   }
   return NULL;
}

static bool read_item(struct reader *reader)
{
   uint8_t bytes[8] = {0};
   uint64_t item = 0, bad;
   if (!vgpu_pages_read(reader->launch->pages, reader->va, bytes, 1, &bad)) {
      return fail(reader, VGPU_FAULT_MEMORY, "USC read of unmapped address 0x%" PRIx64, bad);
   }
   const struct usc_item *kind = find_item(bytes[0]);
   if (!kind) {
      return fail(reader, VGPU_FAULT_STREAM, "unknown USC word 0x%02x at 0x%" PRIx64, bytes[0], reader->va);
   }
   if (!vgpu_pages_read(reader->launch->pages, reader->va, bytes, kind->size, &bad)) {
      return fail(reader, VGPU_FAULT_MEMORY, "USC read of unmapped address 0x%" PRIx64, bad);
   }
   for (unsigned i = 0; i < sizeof(bytes); i++) {
      item |= (uint64_t)bytes[i] << (8 * i);
   }
   if (reader->launch->strict && !reader->launch->stage && item & kind->reserved) {
      return fail(reader, VGPU_FAULT_STREAM, "USC word 0x%02x at 0x%" PRIx64 " has reserved bits 0x%" PRIx64, bytes[0],
                  reader->va, item & kind->reserved);
   }
   if (!kind->read(reader, item)) {
      return false;
   }
   reader->va += kind->size;
   return true;
}

/* The uAPI rounds threadgroup memory up to 256 bytes. */
static uint32_t threadgroup_rest(const struct vgpu_launch *launch, uint64_t va)
{
   for (size_t i = 0; i < launch->threadgroup_count; i++) {
      const struct vgpu_range *told = &launch->threadgroups[i];
      if (told->start == va && told->bytes < launch->threadgroup_bytes) {
         return launch->threadgroup_bytes - (uint32_t)told->bytes;
      }
   }
   return 0;
}

bool vgpu_usc_read(struct vgpu_launch *launch, uint64_t va, enum vgpu_fault *fault, char *message, size_t size)
{
   struct reader reader = {.launch = launch, .va = va, .fault = fault, .message = message, .message_size = size};
   memset(launch->uniforms, 0, sizeof(launch->uniforms));
   launch->uniforms_from_count = 0;
   memset(launch->states.has_texture, 0, sizeof(launch->states.has_texture));
   memset(launch->states.has_sampler, 0, sizeof(launch->states.has_sampler));
   launch->preamble = 0;
   launch->fragment_properties = 0;
   launch->preamble_outside = (struct vgpu_outside){.bytes = 0};
   for (unsigned count = 0; !reader.done; count++) {
      if (count == MAX_ITEMS) {
         return fail(&reader, VGPU_FAULT_STREAM, "USC words at 0x%" PRIx64 " have no end after %u items", va, count);
      }
      if (!read_item(&reader)) {
         return false;
      }
   }
   if (reader.seen != SEEN_ALL) {
      return fail(&reader, VGPU_FAULT_STREAM, "USC words at 0x%" PRIx64 " without%s%s%s", va,
                  reader.seen & SEEN_SHARED ? "" : " SHARED", reader.seen & SEEN_SHADER ? "" : " SHADER",
                  reader.seen & SEEN_REGISTERS ? "" : " REGISTERS");
   }
   launch->threadgroup_rest = threadgroup_rest(launch, va);
   return true;
}
