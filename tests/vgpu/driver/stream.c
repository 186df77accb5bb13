/* SPDX-License-Identifier: MIT
 *
 * The command stream and USC words: the worked examples of spec/uapi.md 4.2 and 4.3 become the launch that they
 * stand for, and streams that no hardware takes become faults that say so.
 */
#include <string.h>

#include "tests/vgpu/driver/client.h"
#include "vgpu/command/cdm.h"
#include "vgpu/driver/gem.h"
#include "vgpu/driver/vm.h"

#define USC UINT64_C(0x1500000000)
#define STREAM UINT64_C(0x1600000000)

struct scene {
   struct vgpu_heap heap;
   struct vgpu_vm *vm;
   struct vgpu_bo *usc, *stream;
   struct vgpu_cdm cdm;
};

static void map(struct scene *scene, struct vgpu_bo *bo, uint64_t va)
{
   struct vgpu_mapping mapping = {va, va + bo->size, bo, 0, false, VGPU_READ | VGPU_WRITE};
   CHECK_EQUAL(vgpu_vm_bind(scene->vm, &mapping), 0);
}

static void put(struct vgpu_bo *bo, size_t offset, const void *bytes, size_t size)
{
   memcpy(bo->host + offset, bytes, size);
}

/* 4.3: one 8-byte pointer in u0..u3, no local memory, code at 0x80, 8 half registers. */
static const uint8_t usc_example[24] = {0x1D, 0x00, 0x40, 0x00, 0x40, 0x00, 0x00, 0x15, 0x4D, 0x90, 0x00, 0x00,
                                        0x0D, 0x0C, 0x80, 0x00, 0x00, 0x00, 0x8D, 0x01, 0x00, 0x00, 0x88, 0x00};
/* 4.2: 64x1x1 threads in groups of 32, barrier, terminate. */
static const uint8_t stream_example[44] = {0x02, 0x12, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00,
                                           0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x20, 0x00,
                                           0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0xFF,
                                           0xFF, 0x0F, 0x60, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00};
static const uint8_t g14x_words[8] = {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x40};

static void scene_init(struct scene *scene)
{
   CHECK_EQUAL(vgpu_heap_init(&scene->heap), 0);
   CHECK_EQUAL(vgpu_vm_create(1, 0x7800000000, 0x7FFFFF8000, &scene->vm), 0);
   CHECK_EQUAL(vgpu_bo_create(&scene->heap, 0x8000, 0, &scene->usc), 0);
   CHECK_EQUAL(vgpu_bo_create(&scene->heap, 0x8000, 0, &scene->stream), 0);
   map(scene, scene->usc, USC);
   map(scene, scene->stream, STREAM);
   put(scene->usc, 0x40, usc_example, sizeof(usc_example));
   put(scene->usc, 0x4000, "\x88\x77\x66\x55\x44\x33\x22\x11", 8);
   put(scene->stream, 0, stream_example, sizeof(stream_example));
}

static void scene_finish(struct scene *scene)
{
   vgpu_vm_unref(scene->vm);
   vgpu_bo_unref(scene->usc);
   vgpu_bo_unref(scene->stream);
   vgpu_heap_finish(&scene->heap);
}

static enum vgpu_cdm_step start(struct scene *scene, const char *chip)
{
   struct drm_asahi_cmd_compute command = {.cdm_ctrl_stream_base = STREAM};
   memset(&scene->cdm, 0, sizeof(scene->cdm));
   scene->cdm.launch.chip = vgpu_chip_find(chip);
   scene->cdm.launch.pages = &scene->vm->pages;
   scene->cdm.launch.usc_base = USC;
   vgpu_cdm_start(&scene->cdm, &command);
   return vgpu_cdm_next(&scene->cdm);
}

static void check_example_launch(const struct vgpu_launch *launch)
{
   CHECK_EQUAL(launch->grid[0], 64);
   CHECK_EQUAL(launch->grid[1], 1);
   CHECK_EQUAL(launch->grid[2], 1);
   CHECK_EQUAL(launch->group[0], 32);
   CHECK_EQUAL(launch->group[1], 1);
   CHECK_EQUAL(launch->group[2], 1);
   CHECK_EQUAL(launch->code, USC + 0x80);
   CHECK_EQUAL(launch->preamble, 0);
   CHECK_EQUAL(launch->half_registers, 8);
   CHECK_EQUAL(launch->preamble_half_registers, 0);
   CHECK_EQUAL(launch->threadgroup_bytes, 0);
   CHECK_EQUAL(launch->spill_bucket, 0);
   CHECK_EQUAL(launch->uniforms[0], 0x7788);
   CHECK_EQUAL(launch->uniforms[1], 0x5566);
   CHECK_EQUAL(launch->uniforms[2], 0x3344);
   CHECK_EQUAL(launch->uniforms[3], 0x1122);
   CHECK_EQUAL(launch->uniforms[4], 0);
   CHECK(!launch->scratch_words);
}

/* The barrier block after a launch may have any mask, but must be there: before the next launch and before the end. A
 * link in between is none. */
static void test_missing_barrier(void)
{
   struct scene scene;
   scene_init(&scene);
   const size_t barrier = 32; /* of the example: after the launch's eight words */
   static const struct {
      uint32_t words[4];
      size_t count;
      enum vgpu_cdm_step steps[3];
   } tails[] = {
       {{0x40000000, 0}, 2, {VGPU_CDM_FAULT}},
       {{0x60000000, 0x40000000, 0}, 3, {VGPU_CDM_BARRIER, VGPU_CDM_END}},
       {{0x00001202, 0x40}, 2, {VGPU_CDM_FAULT}},
       {{0x20000016, 0x28, 0x40000000, 0}, 4, {VGPU_CDM_SKIP, VGPU_CDM_FAULT}},
       {{0x20000016, 0x28, 0x60000001, 0x40000000}, 4, {VGPU_CDM_SKIP, VGPU_CDM_BARRIER, VGPU_CDM_END}},
   };
   for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
      put(scene.stream, barrier, tails[i].words, tails[i].count * sizeof(uint32_t));
      CHECK_EQUAL(start(&scene, "m1"), VGPU_CDM_LAUNCH);
      enum vgpu_cdm_step step = VGPU_CDM_SKIP;
      for (size_t n = 0; n < 3 && step != VGPU_CDM_END && step != VGPU_CDM_FAULT; n++) {
         step = vgpu_cdm_next(&scene.cdm);
         CHECK_EQUAL(step, tails[i].steps[n]);
      }
      if (step == VGPU_CDM_FAULT) {
         CHECK_EQUAL(scene.cdm.fault, VGPU_FAULT_TIMEOUT);
         CHECK(strstr(scene.cdm.message, "no barrier block") && strstr(scene.cdm.message, "hang"));
      }
   }
   scene_finish(&scene);
}

static void test_examples(void)
{
   struct scene scene;
   scene_init(&scene);
   CHECK_EQUAL(start(&scene, "m1"), VGPU_CDM_LAUNCH);
   check_example_launch(&scene.cdm.launch);
   CHECK_EQUAL(vgpu_cdm_next(&scene.cdm), VGPU_CDM_BARRIER);
   CHECK_EQUAL(vgpu_cdm_next(&scene.cdm), VGPU_CDM_END);
   /* Classes that carry no extra words take it; G14X does not. */
   CHECK_EQUAL(start(&scene, "m1-max"), VGPU_CDM_LAUNCH);
   CHECK_EQUAL(start(&scene, "m2"), VGPU_CDM_LAUNCH);
   CHECK_EQUAL(start(&scene, "m2-max"), VGPU_CDM_FAULT);
   CHECK_EQUAL(scene.cdm.fault, VGPU_FAULT_STREAM);
   CHECK(strstr(scene.cdm.message, "G14X"));

   put(scene.stream, 8, g14x_words, 8);
   put(scene.stream, 16, stream_example + 8, sizeof(stream_example) - 8);
   CHECK_EQUAL(start(&scene, "m2-pro"), VGPU_CDM_LAUNCH);
   check_example_launch(&scene.cdm.launch);
   CHECK_EQUAL(vgpu_cdm_next(&scene.cdm), VGPU_CDM_BARRIER);
   CHECK_EQUAL(vgpu_cdm_next(&scene.cdm), VGPU_CDM_END);
   static const char *const others[] = {"m1", "m1-ultra", "m2"};
   for (size_t i = 0; i < 3; i++) {
      CHECK_EQUAL(start(&scene, others[i]), VGPU_CDM_FAULT);
      CHECK_EQUAL(scene.cdm.fault, VGPU_FAULT_STREAM);
   }
   scene_finish(&scene);
}

/* Variants whose bytes 4.3 gives: uniforms 8..71, 16 and 256 registers, 1024 bytes of local memory. */
static void test_usc_fields(void)
{
   struct scene scene;
   scene_init(&scene);
   const uint8_t words[] = {0x1D, 0x08, 0x00, 0x00, 0x40, 0x00, 0x00, 0x15,  /* u8..u71 */
                            0x3D, 0xFE, 0x20, 0x00, 0x40, 0x00, 0x00, 0x15,  /* u510, u511 */
                            0xDD, 0x01, 0x20, 0x00, 0x00, 0x00, 0x00, 0x15,  /* ts1, ts2 */
                            0x9D, 0x03, 0x10, 0x00, 0x00, 0x00, 0x00, 0x15,  /* ss3 */
                            0x4D, 0x91, 0x00, 0x04,                          /* 1024 bytes */
                            0x0D, 0x0C, 0x00, 0x10, 0x00, 0x80,              /* code at 0x80001000 */
                            0x8D, 0x02, 0x14, 0x01,                          /* 16 registers, spill bucket 5 */
                            0x38, 0x00, 0x80, 0xC0, 0x00, 0x02, 0x00, 0x00}; /* preamble at 0x200 */
   for (unsigned i = 0; i < 64; i++) {
      uint16_t value = (uint16_t)(1000 + i);
      put(scene.usc, 0x4000 + 2 * i, &value, 2);
   }
   for (unsigned i = 0; i < 48; i++) {
      scene.usc->host[i] = (uint8_t)i;
   }
   put(scene.usc, 0x40, words, sizeof(words));
   put(scene.stream, 0, "\x04\x32\x00\x00", 4); /* preshader: 3 groups of 16 */
   CHECK_EQUAL(start(&scene, "m1"), VGPU_CDM_LAUNCH);
   const struct vgpu_launch *launch = &scene.cdm.launch;
   CHECK_EQUAL(launch->uniforms[7], 0);
   CHECK_EQUAL(launch->uniforms[8], 1000);
   CHECK_EQUAL(launch->uniforms[71], 1063);
   CHECK_EQUAL(launch->uniforms[72], 0);
   CHECK_EQUAL(launch->uniforms[509], 0);
   CHECK_EQUAL(launch->uniforms[510], 1000);
   CHECK_EQUAL(launch->uniforms[511], 1001);
   CHECK_EQUAL(launch->states.has_texture[0], 2 + 4); /* ts1 and ts2: the first 48 bytes of the window */
   CHECK(!memcmp(launch->states.textures[1], scene.usc->host, 24));
   CHECK(!memcmp(launch->states.textures[2], scene.usc->host + 24, 24));
   CHECK_EQUAL(launch->states.has_sampler[0], 1 << 3);
   CHECK_EQUAL(launch->states.samplers[3].word, UINT64_C(0x0706050403020100));
   CHECK_EQUAL(launch->threadgroup_bytes, 1024);
   CHECK_EQUAL(launch->code, USC + 0x80001000);
   CHECK_EQUAL(launch->half_registers, 16);
   CHECK_EQUAL(launch->spill_bucket, 5);
   CHECK_EQUAL(launch->preamble, USC + 0x200);
   CHECK_EQUAL(launch->preamble_half_registers, 48);

   put(scene.usc, 0x40, usc_example, sizeof(usc_example));
   put(scene.usc, 0x40 + 18, "\x8D\x00\x00\x00", 4);
   put(scene.usc, 0x40 + 8, "\x4D\x91\x00\x00", 4); /* uses shared memory, 0 for 65536 */
   CHECK_EQUAL(start(&scene, "m1"), VGPU_CDM_LAUNCH);
   CHECK_EQUAL(launch->half_registers, 256);
   CHECK_EQUAL(launch->threadgroup_bytes, 65536);
   CHECK_EQUAL(launch->preamble, 0);
   CHECK_EQUAL(launch->tile.width, 0);
   put(scene.usc, 0x40 + 8, "\x4D\xBD\x10\x20", 4); /* 32 x 32 pixels of 8 bytes: 8192 */
   put(scene.stream, 20, "\x01\x00\x00\x00\x01\x00\x00\x00\x00\x04\x00\x00", 12);
   CHECK_EQUAL(start(&scene, "m1"), VGPU_CDM_LAUNCH);
   CHECK_EQUAL(launch->group[2], 1024);
   CHECK_EQUAL(launch->tile.width, 32);
   CHECK_EQUAL(launch->tile.height, 32);
   CHECK_EQUAL(launch->tile.sample_bytes, 8);
   CHECK_EQUAL(launch->threadgroup_bytes, 8192);
   scene_finish(&scene);
}

static void put_words(struct vgpu_bo *bo, size_t offset, const uint32_t *words, size_t count)
{
   put(bo, offset, words, count * sizeof(*words));
}

static void test_indirect(void)
{
   struct scene scene;
   scene_init(&scene);
   const struct vgpu_launch *launch = &scene.cdm.launch;
   /* Sizes at STREAM + 0x4000 = 0x16_0000_4000. */
   put_words(scene.stream, 0, (uint32_t[]){0x08001202, 0x40, 0x16, 0x4000, 32, 2, 1, 0x60000000, 0x40000000, 0}, 10);
   put_words(scene.stream, 0x4000, (uint32_t[]){7, 3, 2, 8, 4, 1}, 6);
   CHECK_EQUAL(start(&scene, "m1"), VGPU_CDM_LAUNCH);
   CHECK_EQUAL(launch->grid[0], 7 * 32);
   CHECK_EQUAL(launch->grid[1], 3 * 2);
   CHECK_EQUAL(launch->grid[2], 2);
   CHECK_EQUAL(launch->group[0], 32);
   CHECK_EQUAL(vgpu_cdm_next(&scene.cdm), VGPU_CDM_BARRIER);
   CHECK_EQUAL(vgpu_cdm_next(&scene.cdm), VGPU_CDM_END);

   put_words(scene.stream, 0, (uint32_t[]){0x10001202, 0x40, 0x16, 0x4000, 0x60000000, 0x40000000, 0}, 7);
   CHECK_EQUAL(start(&scene, "m1"), VGPU_CDM_LAUNCH);
   CHECK_EQUAL(launch->grid[0], 7);
   CHECK_EQUAL(launch->grid[1], 3);
   CHECK_EQUAL(launch->grid[2], 2);
   CHECK_EQUAL(launch->group[0], 8);
   CHECK_EQUAL(launch->group[1], 4);
   CHECK_EQUAL(launch->group[2], 1);
   CHECK_EQUAL(vgpu_cdm_next(&scene.cdm), VGPU_CDM_BARRIER);
   CHECK_EQUAL(vgpu_cdm_next(&scene.cdm), VGPU_CDM_END);

   for (unsigned i = 0; i < 3; i++) {
      uint32_t nothing[3] = {7, 3, 2};
      nothing[i] = 0;
      put_words(scene.stream, 0x4000, nothing, 3);
      CHECK_EQUAL(start(&scene, "m1"), VGPU_CDM_SKIP);
      CHECK_EQUAL(vgpu_cdm_next(&scene.cdm), VGPU_CDM_BARRIER);
      CHECK_EQUAL(vgpu_cdm_next(&scene.cdm), VGPU_CDM_END);
   }

   put_words(scene.stream, 8, (uint32_t[]){0x17, 0}, 2); /* unmapped */
   CHECK_EQUAL(start(&scene, "m1"), VGPU_CDM_FAULT);
   CHECK_EQUAL(scene.cdm.fault, VGPU_FAULT_MEMORY);
   CHECK(strstr(scene.cdm.message, "0x1700000000"));
   scene_finish(&scene);
}

static void test_links(void)
{
   struct scene scene;
   scene_init(&scene);
   /* 0: link with return to 0x100; terminate. 0x100: launch; link to 0x200. 0x200: barrier; return. */
   put_words(scene.stream, 0, (uint32_t[]){0x30000016, 0x100, 0x40000000, 0}, 4);
   put(scene.stream, 0x100, stream_example, 32);
   put_words(scene.stream, 0x120, (uint32_t[]){0x20000016, 0x200}, 2);
   put_words(scene.stream, 0x200, (uint32_t[]){0x60000000, 0x80000000, 0}, 3);
   CHECK_EQUAL(start(&scene, "m1"), VGPU_CDM_SKIP);
   CHECK_EQUAL(vgpu_cdm_next(&scene.cdm), VGPU_CDM_LAUNCH);
   CHECK_EQUAL(vgpu_cdm_next(&scene.cdm), VGPU_CDM_SKIP); /* link */
   CHECK_EQUAL(vgpu_cdm_next(&scene.cdm), VGPU_CDM_BARRIER);
   CHECK_EQUAL(vgpu_cdm_next(&scene.cdm), VGPU_CDM_SKIP); /* return */
   CHECK_EQUAL(scene.cdm.va, STREAM + 8);
   CHECK_EQUAL(vgpu_cdm_next(&scene.cdm), VGPU_CDM_END);

   put_words(scene.stream, 0, (uint32_t[]){0x80000000, 0}, 2); /* return to nowhere */
   CHECK_EQUAL(start(&scene, "m1"), VGPU_CDM_FAULT);
   CHECK_EQUAL(scene.cdm.fault, VGPU_FAULT_STREAM);

   put_words(scene.stream, 0, (uint32_t[]){0x30000016, 0}, 2); /* calls itself */
   enum vgpu_cdm_step step = start(&scene, "m1");
   for (unsigned i = 0; i < 100 && step == VGPU_CDM_SKIP; i++) {
      step = vgpu_cdm_next(&scene.cdm);
   }
   CHECK_EQUAL(step, VGPU_CDM_FAULT);

   put_words(scene.stream, 0, (uint32_t[]){0x30000016, 0x100, 0x40000000, 0}, 4);
   put_words(scene.stream, 0x100, (uint32_t[]){0x68000000}, 1); /* a barrier that returns */
   CHECK_EQUAL(start(&scene, "m1"), VGPU_CDM_SKIP);
   CHECK_EQUAL(vgpu_cdm_next(&scene.cdm), VGPU_CDM_BARRIER);
   CHECK_EQUAL(vgpu_cdm_next(&scene.cdm), VGPU_CDM_END);
   scene_finish(&scene);
}

/* One change to the examples each, and the fault that comes of it. */
static void test_faults(void)
{
   static const struct {
      const char *what;
      bool in_stream;
      size_t offset;
      const char *bytes;
      size_t size;
      enum vgpu_fault fault;
   } cases[] = {
       {"unknown block", true, 0, "\x00\x00\x00\xA0", 4, VGPU_FAULT_STREAM},
       {"launch mode 3", true, 0, "\x02\x12\x00\x18", 4, VGPU_FAULT_STREAM},
       {"USC words unmapped", true, 4, "\x00\x00\x00\x80", 4, VGPU_FAULT_MEMORY},
       {"group of 0", true, 20, "\x00\x00\x00\x00", 4, VGPU_FAULT_STREAM},
       {"group of 1025", true, 20, "\x01\x04\x00\x00", 4, VGPU_FAULT_STREAM},
       {"group of 32 x 64", true, 24, "\x40\x00\x00\x00", 4, VGPU_FAULT_STREAM},
       {"group of z 1025", true, 20, "\x01\x00\x00\x00\x01\x00\x00\x00\x01\x04\x00\x00", 12, VGPU_FAULT_STREAM},
       {"texture states past the last one", false, 0, "\xDD\xFF\x20\x00\x00\x00\x00\x15", 8, VGPU_FAULT_STREAM},
       {"texture states unmapped", false, 0, "\xDD\x00\x10\x00\x00\x00\x00\x17", 8, VGPU_FAULT_MEMORY},
       {"sampler states past the last one", false, 0, "\x9D\x1F\x20\x00\x00\x00\x00\x15", 8, VGPU_FAULT_STREAM},
       {"unknown USC tag", false, 8, "\x4E", 1, VGPU_FAULT_STREAM},
       {"uniform data unmapped", false, 7, "\x19", 1, VGPU_FAULT_MEMORY},
       {"high uniforms past 511", false, 0, "\x3D\xFE\x40", 3, VGPU_FAULT_STREAM},
       {"unknown shared layout", false, 9, "\xC0", 1, VGPU_FAULT_STREAM},
       {"fragment shader", false, 13, "\x08", 1, VGPU_FAULT_STREAM},
       {"no registers", false, 18, "\x88\x00", 2, VGPU_FAULT_STREAM},
       {"no shared", false, 8, "\x8D\x01\x00\x00", 4, VGPU_FAULT_STREAM},
       {"preshader constant", false, 18, "\x8D\x01\x00\x00\x38\x00\x00\xC0\x00\x00\x00\x00", 12, VGPU_FAULT_STREAM},
   };
   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      struct scene scene;
      scene_init(&scene);
      put(cases[i].in_stream ? scene.stream : scene.usc, cases[i].offset + (cases[i].in_stream ? 0 : 0x40),
          cases[i].bytes, cases[i].size);
      enum vgpu_cdm_step step = start(&scene, "m1");
      if (step != VGPU_CDM_FAULT || scene.cdm.fault != cases[i].fault || !scene.cdm.message[0]) {
         fprintf(stderr, "%s: step %d, fault %d, message \"%s\"\n", cases[i].what, step, scene.cdm.fault,
                 scene.cdm.message);
         check_failures++;
      }
      scene_finish(&scene);
   }
}

/* USC words without end: textures up to the end of the mapping and beyond. */
static void test_endless_usc(void)
{
   struct scene scene;
   struct vgpu_bo *large;
   scene_init(&scene);
   CHECK_EQUAL(vgpu_bo_create(&scene.heap, 0x20000, 0, &large), 0);
   map(&scene, large, USC);
   for (size_t at = 0; at < 0x20000; at += 8) {
      put(large, at, "\xDD\x00\x10\x00\x00\x00\x00\x15", 8);
   }
   CHECK_EQUAL(start(&scene, "m1"), VGPU_CDM_FAULT);
   CHECK_EQUAL(scene.cdm.fault, VGPU_FAULT_STREAM);
   vgpu_bo_unref(large);
   scene_finish(&scene);
}

/* ---- Scratch memory: 4.5 ---- */

#define SCRATCH_HEADER UINT64_C(0x3000000000)
#define SCRATCH_LISTS UINT64_C(0x4000) /* from the header on */
#define SCRATCH_BLOCKS (SCRATCH_HEADER + 0x100000)
#define SCRATCH_SUBGROUPS 4u
static const struct drm_asahi_helper_program scratch_helper = {.binary = 0x201, .data = SCRATCH_HEADER};

/* For the M1: slots 0..7, blocks of size class 1 (128 * 32 = 4096 bytes... * 4 words a thread). */
static struct vgpu_bo *fill_scratch(struct scene *scene)
{
   const uint64_t block_bytes = 128 * (8 << 2);
   const uint32_t subgroups = SCRATCH_SUBGROUPS;
   struct vgpu_bo *bo;
   CHECK_EQUAL(vgpu_bo_create(&scene->heap, 0x200000, 0, &bo), 0);
   map(scene, bo, SCRATCH_HEADER);
   put(bo, 0, &subgroups, 4);
   for (uint32_t core = 0; core < 8; core++) {
      uint64_t list = SCRATCH_HEADER + SCRATCH_LISTS + core * subgroups * 16;
      put(bo, 8 + core * 88, &list, 8);
      for (uint32_t i = 0; i < subgroups; i++) {
         uint32_t words[4] = {0};
         words[0] = (uint32_t)((SCRATCH_BLOCKS + (core * subgroups + i) * 2 * block_bytes) >> 8) | 3;
         words[1] = (uint32_t)((SCRATCH_BLOCKS + ((core * subgroups + i) * 2 + 1) * block_bytes) >> 8) | 1;
         put(bo, (size_t)(list - SCRATCH_HEADER) + i * 16, words, sizeof(words));
      }
   }
   return bo;
}

static uint32_t scratch_words(struct scene *scene, struct drm_asahi_helper_program helper, char why[128])
{
   return vgpu_scratch_words(&scene->cdm.launch, &helper, why, 128);
}

static void test_wrong_helper(struct scene *scene)
{
   struct drm_asahi_helper_program none = {0}, untagged = scratch_helper, nowhere = scratch_helper,
                                   no_header = scratch_helper;
   char why[128];
   CHECK(!scratch_words(scene, none, why));
   CHECK_EQUAL(why[0], 0);
   untagged.binary &= ~1u;
   CHECK(!scratch_words(scene, untagged, why) && why[0]);
   nowhere.binary = 0x80000001;
   CHECK(!scratch_words(scene, nowhere, why) && why[0]);
   no_header.data = 0x4000000000;
   CHECK(!scratch_words(scene, no_header, why) && why[0]);
}

/* Each of these in turn, then mended. */
static void test_bad_scratch(struct scene *scene, struct vgpu_bo *bo)
{
   static const struct {
      size_t offset;
      uint32_t value;
   } bad[] = {
       {0, 0},                   /* no subgroups */
       {0, 129},                 /* too many */
       {8 + 7 * 88, 0},          /* the last core's list unmapped (low word) */
       {0x4000, 0},              /* a block without a size class */
       {0x4000, 0xFF},           /* size class 7 */
       {0x4000 + 4, 0x1},        /* second block unmapped */
       {0x4000 + 4, 0x30001002}, /* second block without its flag */
   };
   char why[128];
   for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
      uint8_t saved[8], zero[8] = {0};
      memcpy(saved, bo->host + bad[i].offset, 8);
      if (i == 2) {
         put(bo, bad[i].offset, zero, 8);
      }
      put(bo, bad[i].offset, &bad[i].value, 4);
      if (scratch_words(scene, scratch_helper, why) || !why[0]) {
         fprintf(stderr, "bad scratch %zu was taken\n", i);
         check_failures++;
      }
      put(bo, bad[i].offset, saved, 8);
   }
}

static void test_scratch(void)
{
   struct scene scene;
   char why[128];
   scene_init(&scene);
   struct vgpu_bo *bo = fill_scratch(&scene);
   start(&scene, "m1");
   CHECK_EQUAL(scratch_words(&scene, scratch_helper, why), 64); /* two blocks of 8 << 2 */
   CHECK_EQUAL(why[0], 0);
   test_wrong_helper(&scene);
   test_bad_scratch(&scene, bo);

   /* The poorest list counts, up to its first hole. */
   const uint32_t none_here = 0;
   const size_t last = SCRATCH_LISTS + (7 * SCRATCH_SUBGROUPS + 3) * 16;
   put(bo, last + 4, &none_here, 4);
   CHECK_EQUAL(scratch_words(&scene, scratch_helper, why), 32);
   put(bo, last + 8, bo->host + SCRATCH_LISTS + 4, 4);
   CHECK_EQUAL(scratch_words(&scene, scratch_helper, why), 32);
   /* More cores than the header has been filled for. */
   start(&scene, "m2");
   CHECK(!scratch_words(&scene, scratch_helper, why));
   vgpu_bo_unref(bo);
   scene_finish(&scene);
}

/* The limits of 4.5, with one list for all cores and one block for all subgroups. */
static void test_scratch_limits(void)
{
   struct scene scene;
   struct vgpu_bo *header, *block;
   const uint64_t header_va = 0x3000000000, block_va = 0x3100000000, list = header_va + 0x4000;
   const struct drm_asahi_helper_program helper = {.binary = 0x201, .data = header_va};
   static const struct {
      uint32_t subgroups, low_bits;
      uint32_t words;
   } cases[] = {{128, 0x01, 8}, {129, 0x01, 0}, {1, 0x00, 0}, {1, 0x7F, 32768}, {1, 0xFF, 0}};
   scene_init(&scene);
   CHECK_EQUAL(vgpu_bo_create(&scene.heap, 0x8000, 0, &header), 0);
   CHECK_EQUAL(vgpu_bo_create(&scene.heap, 16 << 20, 0, &block), 0);
   map(&scene, header, header_va);
   map(&scene, block, block_va);
   start(&scene, "m1");
   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      char why[128];
      put(header, 0, &cases[i].subgroups, 4);
      for (uint32_t core = 0; core < 8; core++) {
         put(header, 8 + core * 88, &list, 8);
      }
      for (uint32_t j = 0; j < 129; j++) {
         uint32_t words[4] = {(uint32_t)(block_va >> 8) | cases[i].low_bits};
         put(header, 0x4000 + j * 16, words, sizeof(words));
      }
      CHECK_EQUAL(vgpu_scratch_words(&scene.cdm.launch, &helper, why, sizeof(why)), cases[i].words);
   }
   vgpu_bo_unref(header);
   vgpu_bo_unref(block);
   scene_finish(&scene);
}

int main(void)
{
   test_examples();
   test_missing_barrier();
   test_usc_fields();
   test_indirect();
   test_links();
   test_faults();
   test_endless_usc();
   test_scratch();
   test_scratch_limits();
   return check_result();
}
