/* SPDX-License-Identifier: MIT
 *
 * GET_PARAMS: spec/uapi.md 1.3.
 */
#include <string.h>
#include <sys/mman.h>

#include "util/array.h"

#include "uapi/test.h"

static int get(struct uapi *u, void *pointer, uint64_t size)
{
   struct drm_asahi_get_params args = {.pointer = (uintptr_t)pointer, .size = size};
   return uapi_ioctl(u, DRM_IOCTL_ASAHI_GET_PARAMS, &args);
}

static void size_zero(struct uapi *u)
{
   uapi_expect(u, get(u, NULL, 0), OK, "size 0 and no pointer");
}

/* If the client gives size n, exactly n bytes are written. */
static void size_short(struct uapi *u)
{
   uint8_t bytes[sizeof(u->params)];
   static const size_t sizes[] = {1, 8, 11, 40, 552, 591};
   for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
      memset(bytes, 0xA5, sizeof(bytes));
      uapi_expect(u, get(u, bytes, sizes[i]), OK, "size %zu", sizes[i]);
      uapi_true(u, !memcmp(bytes, &u->params, sizes[i]), "size %zu: the bytes differ from a full answer's", sizes[i]);
      uapi_equal(u, bytes[sizes[i]], 0xA5, "byte %zu, which was not asked for", sizes[i]);
   }
}

/* A kernel newer than this test may write more parameters; nothing is written after them. */
static void size_long(struct uapi *u)
{
   uint8_t bytes[2][4096];
   size_t written = sizeof(bytes[0]);
   for (unsigned i = 0; i < 2; i++) {
      memset(bytes[i], i ? 0x5A : 0xA5, sizeof(bytes[i]));
      uapi_expect(u, get(u, bytes[i], sizeof(bytes[i])), OK, "size %zu", sizeof(bytes[i]));
   }
   while (written > 0 && bytes[0][written - 1] == 0xA5 && bytes[1][written - 1] == 0x5A) {
      written--;
   }
   uapi_true(u, !memcmp(bytes[0], &u->params, sizeof(u->params)), "a long answer differs from one of %zu bytes",
             sizeof(u->params));
   uapi_true(u, written >= sizeof(u->params) && written < sizeof(bytes[0]), "%zu bytes of %zu were written", written,
             sizeof(bytes[0]));
   if (written > sizeof(u->params)) {
      uapi_note(u, "%zu bytes, %zu are known to this test", written, sizeof(u->params));
   }
}

static void read_only_pointer(struct uapi *u)
{
   void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   if (uapi_true(u, page != MAP_FAILED, "out of memory")) {
      uapi_expect(u, get(u, page, sizeof(u->params)), E(EFAULT), "a pointer to read-only memory");
      munmap(page, 4096);
   }
}

static void features(struct uapi *u)
{
   uint64_t unknown = u->params.features & ~DRM_ASAHI_FEATURE_SOFT_FAULTS;
   if (unknown) {
      uapi_note(u, "0x%llx are not known to this test", (unsigned long long)unknown);
   }
}

/* spec/uapi.md 1.3, second table. 0: not established. */
static const struct chip {
   uint32_t chip_id, generation;
   char variant;
   uint32_t dies, clusters, cores;
} chips[] = {
    {0x8103, 13, 'G', 1, 1, 8},  {0x6000, 13, 'S', 1, 2, 8},  {0x6001, 13, 'C', 1, 4, 8},  {0x6002, 13, 'D', 2, 8, 8},
    {0x8112, 14, 'G', 1, 1, 10}, {0x6020, 14, 'S', 1, 2, 10}, {0x6021, 14, 'C', 1, 4, 10}, {0x6022, 14, 'D', 2, 8, 10},
};

static const struct chip *find_chip(struct uapi *u)
{
   for (size_t i = 0; i < ARRAY_COUNT(chips); i++) {
      if (chips[i].chip_id == u->params.chip_id) {
         return &chips[i];
      }
   }
   uapi_skip(u, "chip 0x%x is not among those known when this was written", u->params.chip_id);
   return NULL;
}

static void chip(struct uapi *u)
{
   const struct chip *known = find_chip(u);
   if (known) {
      uapi_equal(u, u->params.gpu_generation, known->generation, "gpu_generation");
      uapi_equal(u, u->params.gpu_variant, (unsigned char)known->variant, "gpu_variant");
      uapi_equal(u, u->params.num_dies, known->dies, "num_dies");
   }
}

/* Binned parts have fewer clusters or cores, never more. */
static void topology(struct uapi *u)
{
   const struct chip *known = find_chip(u);
   if (known) {
      uapi_true(u, u->params.num_clusters_total >= 1 && u->params.num_clusters_total <= known->clusters,
                "num_clusters_total is %u, at most %u are on this chip", u->params.num_clusters_total, known->clusters);
      uapi_true(u, u->params.num_cores_per_cluster >= 1 && u->params.num_cores_per_cluster <= known->cores,
                "num_cores_per_cluster is %u, at most %u are on this chip", u->params.num_cores_per_cluster,
                known->cores);
   }
}

static void revision(struct uapi *u)
{
   uint32_t revision = u->params.gpu_revision;
   uapi_true(u, revision >> 4 <= 2 && (revision & 0xF) <= 1, "gpu_revision 0x%x is none of A0 to C1", revision);
}

static void core_masks(struct uapi *u)
{
   const struct drm_asahi_params_global *p = &u->params;
   unsigned present = 0;
   for (uint32_t i = 0; i < DRM_ASAHI_MAX_CLUSTERS; i++) {
      if (i >= p->num_clusters_total) {
         uapi_equal(u, p->core_masks[i], 0, "core mask %u, of a cluster that is not there", i);
      } else if (p->num_cores_per_cluster < 64) {
         uapi_equal(u, p->core_masks[i] >> p->num_cores_per_cluster, 0, "core mask %u beyond the cluster's cores", i);
      }
      present += (unsigned)__builtin_popcountll(p->core_masks[i]);
   }
   uapi_true(u, present > 0, "no core is present");
}

static void window(struct uapi *u)
{
   uapi_equal(u, u->params.vm_start, 0x4000, "vm_start");
   uapi_equal(u, u->params.vm_end, UINT64_C(0x7FFFFF8000), "vm_end");
   uapi_equal(u, u->params.vm_kernel_min_size, 0x20000000, "vm_kernel_min_size");
}

static void limits(struct uapi *u)
{
   uapi_equal(u, u->params.max_commands_per_submission, 64, "max_commands_per_submission");
   uapi_equal(u, u->params.max_attachments, 16, "max_attachments");
}

static void frequencies(struct uapi *u)
{
   uapi_equal(u, u->params.command_timestamp_frequency_hz, 1000000000, "command_timestamp_frequency_hz");
   uapi_true(u, u->params.max_frequency_khz >= 100000 && u->params.max_frequency_khz <= 10000000,
             "max_frequency_khz is %u", u->params.max_frequency_khz);
}

static void stable(struct uapi *u)
{
   struct drm_asahi_params_global again;
   struct uapi other;
   uapi_expect(u, get(u, &again, sizeof(again)), OK, "GET_PARAMS");
   uapi_true(u, !memcmp(&again, &u->params, sizeof(again)), "the second answer differs from the first");
   if (uapi_reopen(u, &other)) {
      uapi_true(u, !memcmp(&other.params, &u->params, sizeof(again)), "another file's answer differs");
   }
   uapi_close(&other);
}

#define ROW(subtest, text, answers_, ...)                                                                              \
   {                                                                                                                   \
      "params/" subtest, text, .request = uapi_call_get_params, .edits = {__VA_ARGS__}, .answers = answers_            \
   }

static const struct uapi_test tests[] = {
    ROW("group-1", "there is only group 0: EINVAL", E(EINVAL), ARG(drm_asahi_get_params, param_group, 1)),
    ROW("group-2", "there is only group 0: EINVAL", E(EINVAL), ARG(drm_asahi_get_params, param_group, 2)),
    ROW("group-max", "there is only group 0: EINVAL", E(EINVAL), ARG(drm_asahi_get_params, param_group, UINT32_MAX)),
    ROW("pad", "pad must be zero", E(EINVAL), ARG(drm_asahi_get_params, pad, 1)),
    ROW("pad-high", "pad must be zero", E(EINVAL), ARG(drm_asahi_get_params, pad, UINT32_C(1) << 31)),
    ROW("pointer-null", "a bad pointer for the answer: EFAULT", E(EFAULT), ARG(drm_asahi_get_params, pointer, 0)),
    ROW("pointer-wild", "a bad pointer for the answer: EFAULT", E(EFAULT),
        ARG(drm_asahi_get_params, pointer, UINT64_C(0xDEAD000000000000))),
    ROW("group-before-pointer", "the group is checked before the pointer is used", E(EINVAL),
        ARG(drm_asahi_get_params, param_group, 1), ARG(drm_asahi_get_params, pointer, 0)),
    {"params/pointer-read-only", "an answer that cannot be written: EFAULT", .run = read_only_pointer},
    {"params/size-zero", "size 0 writes nothing and does not touch the pointer", .run = size_zero},
    {"params/size-short", "a short buffer gets as many bytes as it has", .run = size_short},
    {"params/size-long", "a long buffer keeps its tail", .run = size_long},
    {"params/features", "feature bits that the header does not name are told", .run = features},
    {"params/chip", "generation, variant and dies are the chip's", .run = chip},
    {"params/topology", "clusters and cores are at most the chip's", .run = topology},
    {"params/revision", "a revision from A0 to C1 in BCD", .run = revision},
    {"params/core-masks", "core masks within the clusters, none outside", .run = core_masks},
    {"params/window", "the user's address window and the kernel's least share of it", .run = window},
    {"params/limits", "64 commands in a submit, 16 attachments", .run = limits},
    {"params/frequencies", "command timestamps in nanoseconds; a maximal clock that can be one", .run = frequencies},
    {"params/stable", "the same answer each time, and for each file", .run = stable},
};
UAPI_AREA(params);
