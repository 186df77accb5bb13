/* SPDX-License-Identifier: MIT
 *
 * CDM blocks: spec/uapi.md 4.2. A block's kind is in the top three bits of its first word.
 *
 * Two readings that the spec leaves open, settled by what Mesa 25.0.7 passes to it on hardware: the buffer of an
 * indirect-global launch counts threadgroups (vkCmdDispatchIndirect's buffer goes there as it is), that of an
 * indirect-local one holds threads, then threads of a group (libagx's tessellation set-up). And bit 27 of a barrier
 * makes it return from a linked stream (genxml/cmdbuf.xml).
 */
#include "vgpu/command/cdm.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Mesa advertises 64 in z, but its own kernels and OpenGL have up to 1024. */
#define MAX_GROUP_THREADS 1024u

/* The words that launches carry on G14X and nowhere else. */
static const uint32_t g14x_words[2] = {0, 0x40000000};

/* In the field that counts sampler states, this value and the next one stand for samplers with border colours. */
#define EXTENDED_SAMPLERS 6u

enum launch_mode { MODE_DIRECT, MODE_INDIRECT_GLOBAL, MODE_INDIRECT_LOCAL };

static uint32_t bits(uint32_t word, unsigned low, unsigned count)
{
   return word >> low & ((1u << count) - 1);
}

__attribute__((format(printf, 3, 4))) static bool fail(struct vgpu_cdm *cdm, enum vgpu_fault fault, const char *format,
                                                       ...)
{
   va_list arguments;
   cdm->fault = fault;
   va_start(arguments, format);
   vsnprintf(cdm->message, sizeof(cdm->message), format, arguments);
   va_end(arguments);
   return false;
}

static bool fetch(struct vgpu_cdm *cdm, const char *what, uint64_t va, void *data, size_t size)
{
   uint64_t bad;
   if (!vgpu_pages_read(cdm->launch.pages, va, data, size, &bad)) {
      return fail(cdm, VGPU_FAULT_MEMORY, "%s read of unmapped address 0x%" PRIx64, what, bad);
   }
   return true;
}

/* The next `count` words of the stream. */
static bool take(struct vgpu_cdm *cdm, uint32_t *words, unsigned count)
{
   if (!fetch(cdm, "CDM stream", cdm->va, words, count * sizeof(*words))) {
      return false;
   }
   cdm->va += count * sizeof(*words);
   return true;
}

static bool read_class_words(struct vgpu_cdm *cdm, uint64_t block)
{
   uint32_t words[2];
   if (cdm->launch.chip->class != VGPU_G14X) {
      return true;
   }
   if (!take(cdm, words, 2)) {
      return false;
   }
   return !memcmp(words, g14x_words, sizeof(words)) ||
          fail(cdm, VGPU_FAULT_STREAM,
               "CDM launch at 0x%" PRIx64 " without the words 0x00000000 0x40000000 of this chip class (G14X): "
               "found 0x%08" PRIx32 " 0x%08" PRIx32,
               block, words[0], words[1]);
}

/* Grid in threads and group of the launch, by its mode. */
static bool read_size(struct vgpu_cdm *cdm, uint64_t block, uint32_t mode, uint32_t grid[3], uint32_t group[3])
{
   uint32_t words[6];
   if (mode == MODE_DIRECT) {
      if (!take(cdm, words, 6)) {
         return false;
      }
      if (!memcmp(words, g14x_words, sizeof(g14x_words))) {
         return fail(cdm, VGPU_FAULT_STREAM,
                     "CDM launch at 0x%" PRIx64 " carries the extra words of another chip class (G14X)", block);
      }
      memcpy(grid, words, 3 * sizeof(*grid));
      memcpy(group, words + 3, 3 * sizeof(*group));
      return true;
   }

   if (!take(cdm, words, 2)) {
      return false;
   }
   uint64_t address = (uint64_t)bits(words[0], 0, 8) << 32 | (words[1] & ~3u);
   if (mode == MODE_INDIRECT_LOCAL) {
      if (!fetch(cdm, "indirect launch", address, words, sizeof(words))) {
         return false;
      }
      memcpy(grid, words, 3 * sizeof(*grid));
      memcpy(group, words + 3, 3 * sizeof(*group));
      return true;
   }
   if (!take(cdm, group, 3) || !fetch(cdm, "indirect launch", address, words, 3 * sizeof(*words))) {
      return false;
   }
   for (unsigned i = 0; i < 3; i++) {
      if (__builtin_mul_overflow(words[i], group[i], &grid[i])) {
         return fail(cdm, VGPU_FAULT_STREAM,
                     "CDM launch at 0x%" PRIx64 ": %" PRIu32 " threadgroups of %" PRIu32 " threads overflow 32 bits",
                     block, words[i], group[i]);
      }
   }
   return true;
}

static bool check_group(struct vgpu_cdm *cdm, uint64_t block, const uint32_t group[3])
{
   uint64_t product = 1;
   bool valid = true;
   for (unsigned i = 0; i < 3; i++) {
      valid &= group[i] > 0 && group[i] <= MAX_GROUP_THREADS;
      product *= valid ? group[i] : 1;
   }
   return (valid && product <= MAX_GROUP_THREADS) ||
          fail(cdm, VGPU_FAULT_STREAM,
               "CDM launch at 0x%" PRIx64 " with threadgroups of %" PRIu32 "x%" PRIu32 "x%" PRIu32
               " threads; at most 1024 in each direction and together, and none may be 0",
               block, group[0], group[1], group[2]);
}

/* Streams without it hang M1 Max and M1 Ultra without a fault report, whichever bits the block has (spec/launch.md,
 * "CDM barrier bits"). The firmware then aborts the job. */
static bool check_pending(struct vgpu_cdm *cdm)
{
   return !cdm->pending || fail(cdm, VGPU_FAULT_TIMEOUT,
                                "no barrier block after the CDM launch at 0x%" PRIx64 ": real GPUs hang", cdm->pending);
}

static enum vgpu_cdm_step read_launch(struct vgpu_cdm *cdm, uint64_t block, uint32_t word0)
{
   struct vgpu_launch *launch = &cdm->launch;
   uint32_t pipeline, mode = bits(word0, 27, 2);
   if (!check_pending(cdm)) {
      return VGPU_CDM_FAULT;
   }
   cdm->pending = block;
   if (mode > MODE_INDIRECT_LOCAL) {
      fail(cdm, VGPU_FAULT_STREAM, "CDM launch at 0x%" PRIx64 " of unknown mode %" PRIu32, block, mode);
      return VGPU_CDM_FAULT;
   }
   if (!take(cdm, &pipeline, 1) || !read_class_words(cdm, block) ||
       !read_size(cdm, block, mode, launch->grid, launch->group)) {
      return VGPU_CDM_FAULT;
   }
   if (!launch->grid[0] || !launch->grid[1] || !launch->grid[2]) {
      return VGPU_CDM_SKIP; /* an indirect dispatch of nothing is legal in every API */
   }
   launch->extended_samplers = bits(word0, 9, 3) >= EXTENDED_SAMPLERS;
   if (!check_group(cdm, block, launch->group) ||
       !vgpu_usc_read(launch, launch->usc_base + (pipeline & ~63u), &cdm->fault, cdm->message, sizeof(cdm->message))) {
      return VGPU_CDM_FAULT;
   }
   uint32_t preshader_groups = bits(word0, 12, 4);
   launch->preamble_half_registers = 0;
   if (launch->preamble) {
      launch->preamble_half_registers = (uint16_t)(16 * (preshader_groups ? preshader_groups : 16));
   }
   return VGPU_CDM_LAUNCH;
}

static enum vgpu_cdm_step read_link(struct vgpu_cdm *cdm, uint64_t block, uint32_t word0)
{
   uint32_t low;
   if (!take(cdm, &low, 1)) {
      return VGPU_CDM_FAULT;
   }
   if (bits(word0, 28, 1)) {
      if (cdm->depth == VGPU_CDM_DEPTH) {
         fail(cdm, VGPU_FAULT_STREAM, "CDM link at 0x%" PRIx64 ": more than %u links with return are open", block,
              VGPU_CDM_DEPTH);
         return VGPU_CDM_FAULT;
      }
      cdm->returns[cdm->depth++] = cdm->va;
   }
   cdm->va = (uint64_t)bits(word0, 0, 8) << 32 | low;
   return VGPU_CDM_SKIP;
}

static enum vgpu_cdm_step read_return(struct vgpu_cdm *cdm, uint64_t block)
{
   if (!cdm->depth) {
      fail(cdm, VGPU_FAULT_STREAM, "CDM return at 0x%" PRIx64 " without a link to return to", block);
      return VGPU_CDM_FAULT;
   }
   cdm->va = cdm->returns[--cdm->depth];
   return VGPU_CDM_SKIP;
}

static enum vgpu_cdm_step read_terminate(struct vgpu_cdm *cdm, uint64_t block, uint32_t word0)
{
   (void)block, (void)word0;
   return check_pending(cdm) ? VGPU_CDM_END : VGPU_CDM_FAULT;
}

/* Measured (docs/spec/launch.md, "CDM barrier bits"): with no bit, or one of these alone, 64 launches take the time of
 * one. Bit 7 makes a consumer see a producer's writes, together with another bit that waits. A bit that lets some
 * launches overlap, or that nobody has measured, counts as one that orders all. */
#define BARRIER_RETURN (1u << 27)
#define BARRIER_FREE (1u << 7 | 1u << 17 | 1u << 18 | 1u << 19 | BARRIER_RETURN)

bool vgpu_cdm_barrier_orders(uint32_t word)
{
   return bits(word & ~BARRIER_FREE, 0, 29) != 0;
}

static enum vgpu_cdm_step read_barrier(struct vgpu_cdm *cdm, uint64_t block, uint32_t word0)
{
   cdm->barrier = word0;
   cdm->pending = 0;
   if (word0 & BARRIER_RETURN && read_return(cdm, block) == VGPU_CDM_FAULT) {
      return VGPU_CDM_FAULT;
   }
   return VGPU_CDM_BARRIER;
}

static enum vgpu_cdm_step read_return_block(struct vgpu_cdm *cdm, uint64_t block, uint32_t word0)
{
   (void)word0;
   return read_return(cdm, block);
}

void vgpu_cdm_start(struct vgpu_cdm *cdm, const struct drm_asahi_cmd_compute *command)
{
   cdm->va = command->cdm_ctrl_stream_base;
   cdm->depth = 0;
   cdm->pending = 0;
   cdm->fault = VGPU_FAULT_NONE;
   cdm->message[0] = '\0';
   struct vgpu_launch *launch = &cdm->launch;
   launch->sampler_heap = command->sampler_heap;
   launch->sampler_count = command->sampler_count;
   launch->scratch_words = vgpu_scratch_words(launch, &command->helper, cdm->no_scratch, sizeof(cdm->no_scratch));
   launch->preamble_scratch = launch->scratch_words && bits(command->helper.cfg, 16, 1);
}

struct cdm_block {
   enum vgpu_cdm_step (*read)(struct vgpu_cdm *cdm, uint64_t block, uint32_t word0);
   uint32_t reserved[2]; /* bits of its first and second word that 4.2 does not name: clients leave them zero */
};

static const struct cdm_block blocks[8] = {
    {read_launch, {0x07FF0001, 0x3F}},
    {read_link, {0x0FFFFF00, 0}},
    {read_terminate, {0x1FFFFFFF, UINT32_MAX}},
    {read_barrier, {0x17F00000, 0}},
    {read_return_block, {0x1FFFFFFF, UINT32_MAX}},
};

/* Checks bits that hardware is not known to examine; strict devices refuse them. cdm->va is at the block's second
 * word. */
static bool check_reserved(struct vgpu_cdm *cdm, const struct cdm_block *kind, uint64_t block, uint32_t word0)
{
   uint32_t words[2] = {word0 & kind->reserved[0], 0};
   if (kind->reserved[1] && !fetch(cdm, "CDM stream", cdm->va, &words[1], sizeof(words[1]))) {
      return false;
   }
   words[1] &= kind->reserved[1];
   return (!words[0] && !words[1]) ||
          fail(cdm, VGPU_FAULT_STREAM, "CDM block at 0x%" PRIx64 " has reserved bits 0x%08" PRIx32 " 0x%08" PRIx32,
               block, words[0], words[1]);
}

enum vgpu_cdm_step vgpu_cdm_next(struct vgpu_cdm *cdm)
{
   uint64_t block = cdm->va;
   uint32_t word0;
   if (!take(cdm, &word0, 1)) {
      return VGPU_CDM_FAULT;
   }
   const struct cdm_block *kind = &blocks[bits(word0, 29, 3)];
   if (!kind->read) {
      fail(cdm, VGPU_FAULT_STREAM, "unknown CDM block 0x%08" PRIx32 " at 0x%" PRIx64, word0, block);
      return VGPU_CDM_FAULT;
   }
   if (cdm->launch.strict && !check_reserved(cdm, kind, block, word0)) {
      return VGPU_CDM_FAULT;
   }
   return kind->read(cdm, block, word0);
}
