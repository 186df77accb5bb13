/* SPDX-License-Identifier: MIT
 *
 * The helper program and the scratch memory that it hands out: spec/uapi.md 4.5. The virtual GPU keeps threads' stacks
 * itself and does not run the helper, but a job whose stack use would fail on hardware, because there is no helper or
 * no memory for it, fails here too. Which block list a simdgroup gets from the helper is chance; here all get what the
 * smallest list of all cores provides, so that a job that may fail does fail.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "vgpu/command/cdm.h"
#include "vgpu/refuse.h"

#define CORE_SLOTS 128u
#define MAX_SUBGROUPS 128u
#define MAX_SIZE_CLASS 6u
#define BLOCKS 4u /* of a subgroup */

struct scratch_core {
   uint64_t blocklist; /* VA of BLOCKS words a subgroup */
   uint32_t alloc_cur, alloc_max, alloc_failed, pad;
   uint32_t alloc_count[16];
};
_Static_assert(sizeof(struct scratch_core) == 88, "spec/uapi.md 4.5");

struct scratch_header {
   uint32_t subgroups, pad;
   struct scratch_core cores[CORE_SLOTS];
};

__attribute__((format(printf, 3, 4))) static bool fail(char *why, size_t why_size, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(why, why_size, format, arguments);
   va_end(arguments);
   return false;
}

static bool mapped(const struct vgpu_pages *pages, uint64_t va, uint64_t size)
{
   while (size) {
      size_t run;
      if (!vgpu_pages_translate(pages, va, VGPU_READ | VGPU_WRITE, &run)) {
         return false;
      }
      va += run;
      size -= run < size ? run : size;
   }
   return true;
}

/* The first word's trailing ones tell the size class k: blocks of 128 * (8 << 2k) bytes, aligned to their size, for
 * 8 << 2k words of each lane. Returns the words of a lane in all blocks up to the first that is missing; 0: bad. */
static uint32_t read_blocks(const struct vgpu_pages *pages, const uint32_t words[BLOCKS])
{
   unsigned ones = 0;
   while (ones < 32 && words[0] >> ones & 1) {
      ones++;
   }
   if (vgpu_refuse(ones - 1 > MAX_SIZE_CLASS)) { /* none too */
      return 0;
   }
   uint64_t size = UINT64_C(1024) << (2 * (ones - 1));
   unsigned blocks = 0;
   for (unsigned i = 0; i < BLOCKS; i++) {
      uint32_t flags = i ? 1 : (1u << ones) - 1;
      uint64_t va = (uint64_t)(words[i] & ~flags) << 8;
      if (words[i] && (vgpu_refuse((words[i] & flags) != flags) || vgpu_refuse(va % size) ||
                       vgpu_refuse(!mapped(pages, va, size)))) {
         return 0;
      }
      blocks += words[i] && blocks == i;
   }
   return blocks * (8u << (2 * (ones - 1)));
}

/* Lowers *provided to what the core's poorest subgroup gets. */
static bool check_core(const struct vgpu_pages *pages, uint64_t header, uint32_t slot, uint32_t subgroups,
                       uint32_t *provided, char *why, size_t why_size)
{
   uint64_t bad, core_va = header + offsetof(struct scratch_header, cores) + slot * sizeof(struct scratch_core);
   struct scratch_core core;
   if (!vgpu_pages_read(pages, core_va, &core, sizeof(core), &bad)) {
      return fail(why, why_size, "scratch header unmapped at 0x%" PRIx64, bad);
   }
   for (uint32_t i = 0; i < subgroups; i++) {
      uint32_t words[BLOCKS];
      if (!vgpu_pages_read(pages, core.blocklist + i * sizeof(words), words, sizeof(words), &bad)) {
         return fail(why, why_size, "block list of scratch slot %" PRIu32 " unmapped at 0x%" PRIx64, slot, bad);
      }
      uint32_t here = read_blocks(pages, words);
      if (!here) {
         return fail(why, why_size, "scratch slot %" PRIu32 ", subgroup %" PRIu32 ": bad block 0x%08" PRIx32, slot, i,
                     words[0]);
      }
      *provided = here < *provided ? here : *provided;
   }
   return true;
}

static uint32_t next_power_of_two(uint32_t value)
{
   uint32_t power = 1;
   while (power < value) {
      power *= 2;
   }
   return power;
}

/* The helper's code, and the number of subgroups in the header. */
static bool check_helper(const struct vgpu_launch *launch, const struct drm_asahi_helper_program *helper,
                         uint32_t *subgroups, char *why, size_t why_size)
{
   uint64_t bad;
   uint16_t first;
   if (vgpu_refuse(!(helper->binary & 1))) {
      return fail(why, why_size, "helper program 0x%" PRIx32 " without bit 0", helper->binary);
   }
   if (vgpu_refuse(
           !vgpu_pages_read(launch->pages, launch->usc_base + (helper->binary & ~1u), &first, sizeof(first), &bad))) {
      return fail(why, why_size, "helper program unmapped at 0x%" PRIx64, bad);
   }
   if (!vgpu_pages_read(launch->pages, helper->data, subgroups, sizeof(*subgroups), &bad)) {
      return fail(why, why_size, "scratch header unmapped at 0x%" PRIx64, bad);
   }
   if (vgpu_refuse(!*subgroups) || vgpu_refuse(*subgroups > MAX_SUBGROUPS)) {
      return fail(why, why_size, "scratch header for %" PRIu32 " subgroups; 1 to %u", *subgroups, MAX_SUBGROUPS);
   }
   return true;
}

uint32_t vgpu_scratch_words(const struct vgpu_launch *launch, const struct drm_asahi_helper_program *helper, char *why,
                            size_t why_size)
{
   const struct vgpu_chip *chip = launch->chip;
   uint32_t subgroups, provided = UINT32_MAX;
   why[0] = '\0';
   if (!helper->binary || !check_helper(launch, helper, &subgroups, why, why_size)) {
      return 0;
   }
   uint32_t stride = next_power_of_two(chip->cores_per_cluster);
   for (uint32_t cluster = 0; cluster < chip->clusters; cluster++) {
      uint64_t mask = vgpu_chip_core_mask(chip, cluster);
      for (uint32_t core = 0; core < chip->cores_per_cluster; core++) {
         if (mask >> core & 1 &&
             !check_core(launch->pages, helper->data, cluster * stride + core, subgroups, &provided, why, why_size)) {
            return 0;
         }
      }
   }
   return provided;
}
