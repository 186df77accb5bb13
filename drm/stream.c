/* SPDX-License-Identifier: MIT
 *
 * USC words and CDM streams, byte by byte as Mesa's driver writes them for compute: spec/uapi.md 4.2 and 4.3.
 */
#include "drm/stream.h"

#define USC_TAG_SHADER 0x0Du
#define USC_TAG_UNIFORM 0x1Du
#define USC_TAG_UNIFORM_HIGH 0x3Du
#define USC_TAG_PRESHADER 0x38u
#define USC_TAG_SHARED 0x4Du
#define USC_TAG_NO_PRESHADER 0x88u
#define USC_TAG_REGISTERS 0x8Du

#define USC_SHARED_USED (1u << 8)
#define USC_SHARED_LAYOUT_COMPUTE (0x24u << 10)
#define USC_SHADER_COMPUTE (3u << 10) /* bits 10..15: their meaning is not known */
#define USC_PRESHADER_FIXED (0xC08000u << 8)

#define CDM_SAMPLERS_4_COMPACT (1u << 9) /* Mesa sets it even without samplers */
#define CDM_TEXTURES_SHIFT 4
#define CDM_TERMINATE (2u << 29)
#define CDM_BARRIER (3u << 29)
#define CDM_BARRIER_MASK 0x1FFFFFFFu
/* Bit 3 invalidates the USC cache; Mesa sets bits 0..19 on every chip, because their meaning is not known. */
#define CDM_BARRIER_ALL 0xFFFFFu
#define CDM_G14X_WORD 0x40000000u

/* A texture field of 0 means "all states"; Mesa 25.0.7 leaves it 0. */
const struct asahi_cdm_options asahi_cdm_defaults = {.barrier = CDM_BARRIER_ALL, .texture_field = 0};

static void put(struct asahi_stream *stream, uint64_t value, size_t bytes)
{
   if (stream->overflow || stream->size - stream->used < bytes) {
      stream->overflow = true;
      return;
   }
   for (size_t i = 0; i < bytes; i++) {
      stream->data[stream->used++] = (uint8_t)(value >> (8 * i));
   }
}

static void put32(struct asahi_stream *stream, uint32_t value)
{
   put(stream, value, 4);
}

/* Encodes a number of groups in `bits` bits: 0 groups count as 1, and the largest number is encoded as 0. */
static uint32_t groups(uint32_t count, uint32_t group, unsigned bits)
{
   uint32_t n = count == 0 ? 1 : count / group + (count % group != 0);
   return n & ((1u << bits) - 1);
}

unsigned asahi_usc_uniform_chunk(unsigned start, unsigned halves)
{
   /* Mesa allows a word that starts below half 256 to end above it. Whether the hardware does is not known; a split
    * there costs one word and is right in both cases. */
   unsigned limit = start < 256 && 256 - start < 64 ? 256 - start : 64;
   return halves < limit ? halves : limit;
}

void asahi_usc_uniform(struct asahi_stream *stream, unsigned start, unsigned halves, uint64_t address)
{
   uint64_t word = start >= 256 ? USC_TAG_UNIFORM_HIGH : USC_TAG_UNIFORM;
   word |= (uint64_t)(start & 0xFF) << 8;
   word |= (uint64_t)groups(halves, 1, 6) << 20;
   word |= (address >> 2) << 26;
   put(stream, word, 8);
}

void asahi_usc_shared(struct asahi_stream *stream, uint32_t bytes)
{
   uint32_t word = USC_TAG_SHARED | USC_SHARED_LAYOUT_COMPUTE;
   if (bytes == 0) {
      word |= groups(65536, 256, 8) << 24; /* unused, but Mesa writes "all" */
   } else {
      word |= USC_SHARED_USED | groups(bytes, 256, 8) << 24;
   }
   put32(stream, word);
}

void asahi_usc_shader(struct asahi_stream *stream, uint32_t offset)
{
   put(stream, USC_TAG_SHADER | USC_SHADER_COMPUTE | (uint64_t)offset << 16, 6);
}

void asahi_usc_registers(struct asahi_stream *stream, unsigned half_registers, unsigned spill_bucket)
{
   put32(stream, USC_TAG_REGISTERS | groups(half_registers, 8, 5) << 8 | (spill_bucket & 0xF) << 18);
}

void asahi_usc_preshader(struct asahi_stream *stream, uint32_t offset)
{
   put(stream, USC_TAG_PRESHADER | USC_PRESHADER_FIXED | (uint64_t)offset << 32, 8);
}

void asahi_usc_no_preshader(struct asahi_stream *stream)
{
   put(stream, USC_TAG_NO_PRESHADER, 2);
}

void asahi_cdm_launch(struct asahi_stream *stream, enum asahi_chip_class chip_class, const struct asahi_launch *launch)
{
   put32(stream, groups(launch->uniform_halves, 64, 3) << 1 | (launch->texture_field & 7) << CDM_TEXTURES_SHIFT |
                     CDM_SAMPLERS_4_COMPACT | groups(launch->preamble_registers, 16, 4) << 12);
   put32(stream, launch->usc_offset);
   if (chip_class == ASAHI_G14X) {
      put32(stream, 0);
      put32(stream, CDM_G14X_WORD);
   }
   for (unsigned i = 0; i < 3; i++) {
      put32(stream, launch->grid[i]);
   }
   for (unsigned i = 0; i < 3; i++) {
      put32(stream, launch->group[i]);
   }
}

void asahi_cdm_barrier(struct asahi_stream *stream, uint32_t mask)
{
   put32(stream, CDM_BARRIER | (mask & CDM_BARRIER_MASK));
}

void asahi_cdm_terminate(struct asahi_stream *stream)
{
   put32(stream, CDM_TERMINATE);
   put32(stream, 0);
}
