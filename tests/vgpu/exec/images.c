/* SPDX-License-Identifier: MIT
 *
 * Texture and sampler state registers, the tile buffer, and how image instructions fail. What is expected follows from
 * the contents of the images, which the test itself writes.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "isa/formats.h"
#include "tests/vgpu/exec/rig.h"
#include "vgpu/exec/image/image.h"
#include "vgpu/stage.h"

#define TEXELS (RIG_INPUT + 0x400) /* of the image that programs read */
#define SIDE 4u

/* Bits of a descriptor (genxml/cmdbuf.xml). */
static void put_bits(uint64_t *words, unsigned low, uint64_t value)
{
   words[low / 64] |= value << low % 64;
   if (low % 64 && value >> (64 - low % 64)) {
      words[low / 64 + 1] |= value >> (64 - low % 64);
   }
}

/* A linear texture of 4 x 4 words. */
static void make_texture(uint64_t *words, uint64_t address, unsigned type)
{
   memset(words, 0, 24);
   put_bits(words, 0, 2);    /* 2D */
   put_bits(words, 6, 0x21); /* R32 */
   put_bits(words, 13, type);
   put_bits(words, 16, 0 | 5 << 3 | 5 << 6 | 4 << 9); /* r, 0, 0, 1 */
   put_bits(words, 28, SIDE - 1);
   put_bits(words, 42, SIDE - 1);
   put_bits(words, 66, address >> 4);
   put_bits(words, 110, (SIDE * 4 - 16) >> 4);
}

static void prepare(struct rig *rig, const char *text)
{
   uint64_t words[3];
   rig_init(rig, 256);
   rig->launch.preamble_half_registers = 16;
   make_texture(words, TEXELS, VGPU_UINT);
   memcpy(rig->input + 8, words, sizeof(words));
   make_texture(words, TEXELS, VGPU_FLOAT);
   memcpy(rig->input + 32, words, sizeof(words));
   const uint64_t sampler = UINT64_C(0x3ff) << 10 | UINT64_C(1) << 29 | UINT64_C(1) << 32; /* nearest, repeats */
   memcpy(rig->input + 56, &sampler, sizeof(sampler));
   for (unsigned i = 0; i < SIDE * SIDE; i++) {
      const float value = (float)(i + 1);
      memcpy(rig->input + 0x400 + 4 * i, &value, sizeof(value));
   }
   rig_program(rig, text);
}

static uint32_t texel_bits(unsigned x, unsigned y)
{
   const float value = (float)(y * SIDE + x + 1);
   uint32_t bits;
   memcpy(&bits, &value, sizeof(bits));
   return bits;
}

static void compare(const char *what, const struct rig *rig, unsigned thread, const uint32_t *want)
{
   const uint32_t *out = rig_out(rig, thread);
   if (memcmp(out, want, 16)) {
      rig_fail("%s, thread %u: %08x %08x %08x %08x, expected %08x %08x %08x %08x", what, thread, out[0], out[1], out[2],
               out[3], want[0], want[1], want[2], want[3]);
   }
}

#define STORE "store r4_r5_r6_r7, du2, r1, lsl 2, i32, xyzw, a\nstop\n"
#define POSITION "mov r1, sr80\nand r8, r1, 7\nshr r9, r1, 3\nand r9, r9, 7\n" /* x and y from 0 to 7 */

/* A load by the register's own name, and by its number in a register. Outside the image is zero. */
static void loads(const struct vgpu_level *level)
{
   static const char *const textures[] = {"ts5", "r0l"};
   for (unsigned i = 0; i < 2; i++) {
      struct rig rig;
      char text[512];
      snprintf(text, sizeof(text),
               ".preamble\nload ts5, du0, 8, a\nwait a\nstop\n.main\n" POSITION "ldimm r0l, 5\n"
               "smpi r4_r5_r6_r7, %s, ss0, r8, 0, 2d, xyzw, auto_lod, a\nwait a\n" STORE,
               textures[i]);
      prepare(&rig, text);
      rig_run(&rig, level);
      for (unsigned thread = 0; thread < 256; thread++) {
         const unsigned x = thread & 7, y = thread >> 3 & 7;
         const bool inside = x < SIDE && y < SIDE;
         compare(textures[i], &rig, thread, (const uint32_t[4]){inside ? texel_bits(x, y) : 0, 0, 0, 1});
      }
      rig_finish(&rig);
   }
}

/* Texel coordinates from 0 to 7 over an image of 4, by a sampler that repeats. */
static void samples(const struct vgpu_level *level)
{
   struct rig rig;
   prepare(&rig, ".preamble\nload ts0, du0, 32, a\nload ss1, du0, 56, b\nwait a\nwait b\nstop\n.main\n" POSITION
                 "u32_to_f r8, r8, rte\nu32_to_f r9, r9, rte\n"
                 "fadd r8, r8, 0.5\nfadd r9, r9, 0.5\nfmul r8, r8, 0.25\nfmul r9, r9, 0.25\n"
                 "smpf r4_r5_r6_r7, ts0, ss1, r8, 0, 2d, xyzw, auto_lod, a\nwait a\n" STORE);
   rig_run(&rig, level);
   for (unsigned thread = 0; thread < 256; thread++) {
      const unsigned x = thread & 3, y = thread >> 3 & 3;
      compare("a sample", &rig, thread, (const uint32_t[4]){texel_bits(x, y), 0, 0, 0x3f800000});
   }
   rig_finish(&rig);
}

/* 32 x 32 threads each store their number as a pixel; one of them writes the block into an image of 20 x 12, at 3, 2.
 */
static void blocks(const struct vgpu_level *level)
{
   const unsigned width = 20, height = 12, left = 3, top = 2;
   struct rig rig;
   uint64_t words[3] = {0};
   rig_init(&rig, 1024);
   rig.launch.preamble_half_registers = 16;
   rig.launch.group[0] = rig.launch.group[1] = 32;
   rig.launch.grid[0] = rig.launch.grid[1] = 32;
   rig.launch.tile = (struct vgpu_tile){.width = 32, .height = 32, .sample_bytes = 8};
   rig.launch.threadgroup_bytes = 8192;
   put_bits(words, 0, 2);
   put_bits(words, 6, 0x21);
   put_bits(words, 13, VGPU_UINT);
   put_bits(words, 24, width - 1);
   put_bits(words, 38, height - 1);
   put_bits(words, 64, RIG_OUTPUT >> 4);
   put_bits(words, 104, width * 4 - 4);
   memcpy(rig.input, words, sizeof(words));
   rig_program(&rig, ".preamble\nload ts0, du0, 0, a\nwait a\nstop\n.main\n"
                     "mov r2l, sr48\nmov r2h, sr49\nmov r4, sr51\n"
                     "st_tile r4, r2l_r2h, 1, 4, explicit_coords, i32, x\nbarrier\n"
                     "ldimm r0l, 0\nldimm r10l, 4\nldimm r6, 3\nldimm r7, 2\n"
                     "if r4, 0, 1, ieq\nimgwblk r10l, ts0, r6, 0, explicit_coords, 2d, i32\npop_exec 1\nstop\n");
   memset(rig.output, 0, 4 * width * height);
   rig_run(&rig, level);
   for (unsigned y = 0; y < height; y++) {
      for (unsigned x = 0; x < width; x++) {
         const uint32_t want = x < left || y < top ? 0 : (y - top) * 32 + x - left;
         uint32_t found;
         memcpy(&found, rig.output + 4 * (y * width + x), 4);
         if (found != want) {
            rig_fail("block, %u %u: %u, expected %u", x, y, found, want);
         }
      }
   }
   rig_finish(&rig);
}

/* An image whose channels stand in another order takes each channel's bits as they are: -63 stays -63. */
static void swizzled_pixels(void)
{
   static const uint8_t pixel[8] = {0xc1, 0x80, 0x1f, 0x7f, 0xfe, 0xff, 0x00, 0x80};
   static const struct {
      const char *name;
      uint8_t type, bits, bytes, format, swizzle[4], texel[8];
   } rows[] = {
       {"signed bytes without alpha", VGPU_SINT, 8, 4, ISA_FORMAT_I8, {0, 1, 2, 0}, {0xc1, 0x80, 0x1f, 0xc1}},
       {"signed bytes, blue first", VGPU_SINT, 8, 4, ISA_FORMAT_I8, {2, 1, 0, 3}, {0x1f, 0x80, 0xc1, 0x7f}},
       {"signed fractions", VGPU_SNORM, 8, 4, ISA_FORMAT_I8, {2, 1, 0, 3}, {0x1f, 0x80, 0xc1, 0x7f}},
       {"fractions", VGPU_UNORM, 8, 4, ISA_FORMAT_U8NORM, {2, 1, 0, 3}, {0x1f, 0x80, 0xc1, 0x7f}},
       {"signed halves",
        VGPU_SINT,
        16,
        8,
        ISA_FORMAT_I16,
        {2, 1, 0, 3},
        {0xfe, 0xff, 0x1f, 0x7f, 0xc1, 0x80, 0x00, 0x80}},
   };
   for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      struct vgpu_image image = {.type = rows[i].type, .bytes = rows[i].bytes};
      uint8_t texel[16] = {0};
      memset(image.bits, rows[i].bits, sizeof(image.bits));
      memcpy(image.swizzle, rows[i].swizzle, sizeof(image.swizzle));
      vgpu_pixel_encode(&image, rows[i].format, pixel, texel);
      if (memcmp(texel, rows[i].texel, rows[i].bytes)) {
         rig_fail("%s: the texel starts with %02x %02x %02x %02x", rows[i].name, texel[0], texel[1], texel[2],
                  texel[3]);
      }
   }
}

/* ---- An image in twiddled order beside the same texels in rows, which take another road ---- */

#define WIDE 16u /* texels of a side */
#define TWIDDLED 0x4000u
#define ROWS 0x4800u
#define METADATA 0x5000u
#define STATES 0x5100u
#define SAMPLES 512u

static void make_bytes_texture(uint64_t *words, bool twiddled)
{
   memset(words, 0, 24);
   put_bits(words, 0, 2u | (twiddled ? 2u : 0u) << 4);
   put_bits(words, 6, 0x28);                          /* four channels of 8 bits */
   put_bits(words, 16, 0 | 1 << 3 | 2 << 6 | 3 << 9); /* in their order */
   put_bits(words, 28, WIDE - 1);
   put_bits(words, 42, WIDE - 1);
   put_bits(words, 66, (RIG_INPUT + (twiddled ? TWIDDLED : ROWS)) >> 4);
   put_bits(words, 103, twiddled);
   put_bits(words, 110, twiddled ? 0 : (WIDE * 4 - 16) >> 4);
   if (twiddled) {
      words[2] |= (RIG_INPUT + METADATA) >> 4;
   }
}

/* Blocks 1 and 4 of 8 x 4 texels have one colour, which stands at the start of all. */
static void fill_both(struct rig *rig)
{
   uint8_t modes[8] = {0x7f, 0x03, 0x7f, 0x7f, 0x03, 0x7f, 0x7f, 0x7f};
   memcpy(rig->input + METADATA, modes, sizeof(modes));
   for (unsigned i = 0; i < WIDE * WIDE; i++) {
      const uint32_t texel = rig_random();
      memcpy(rig->input + TWIDDLED + 4 * i, &texel, sizeof(texel));
   }
   for (unsigned y = 0; y < WIDE; y++) {
      for (unsigned x = 0; x < WIDE; x++) {
         unsigned number = 0;
         for (unsigned bit = 0; bit < 4; bit++) {
            number |= (x >> bit & 1) << 2 * bit | (y >> bit & 1) << (2 * bit + 1);
         }
         number = number / 32 == 1 || number / 32 == 4 ? number / 32 : number;
         memcpy(rig->input + ROWS + 4 * (y * WIDE + x), rig->input + TWIDDLED + 4 * number, 4);
      }
   }
   for (unsigned i = 0; i < SAMPLES; i++) {
      const float at[2] = {(float)(rig_random() % 4096) / 1024 - 1.5f, (float)(rig_random() % 4096) / 1024 - 1.5f};
      memcpy(rig->input + 16 * i, at, sizeof(at));
   }
}

static void both_roads(const struct vgpu_level *level)
{
   static uint32_t found[2][SAMPLES * 4];
   static uint8_t contents[STATES];
   for (unsigned i = 0; i < 10; i++) {
      for (unsigned twiddled = 0; twiddled < 2; twiddled++) {
         const uint64_t wrap = i % 5, linear = i / 5;
         const uint64_t sampler = UINT64_C(0x3ff) << 10 | linear << 23 | linear << 25 | wrap << 29 | wrap << 32;
         uint64_t words[3];
         struct rig rig;
         rig_init(&rig, 2048);
         rig.launch.preamble_half_registers = 16;
         rig.launch.grid[0] = SAMPLES;
         if (i == 0 && !twiddled) {
            fill_both(&rig);
            memcpy(contents, rig.input, sizeof(contents));
         }
         memcpy(rig.input, contents, sizeof(contents));
         make_bytes_texture(words, twiddled);
         memcpy(rig.input + STATES, words, sizeof(words));
         memcpy(rig.input + STATES + 24, &sampler, sizeof(sampler));
         rig_program(&rig, ".preamble\nldimm r0, 0x5100\nldimm r1, 0x5118\nload ts0, du0, r0, a\nload ss1, du0, r1, b\n"
                           "wait a\nwait b\nstop\n.main\nmov r1, sr80\nload r8_r9, du0, r1, lsl 2, i32, xy, a\nwait a\n"
                           "smpf r4_r5_r6_r7, ts0, ss1, r8, 0, 2d, xyzw, auto_lod, a\nwait a\n" STORE);
         rig_run(&rig, level);
         memcpy(found[twiddled], rig.output, sizeof(found[0]));
         rig_finish(&rig);
      }
      unsigned zeros = 0;
      for (unsigned k = 0; k < SAMPLES * 4; k++) {
         zeros += found[1][k] == 0;
      }
      if (memcmp(found[0], found[1], sizeof(found[0])) || zeros > SAMPLES * 4 - 64) {
         rig_fail("%s filter, wrap mode %u: a twiddled image is sampled otherwise than rows; %u zeros",
                  i / 5 ? "linear" : "nearest", i % 5, zeros);
      }
   }
}

/* Fragments that store four fractions as bytes: no number is 0, others go to the nearest of 0 to 255. Those that are
 * not live store nothing, neither to the tile nor to memory; the load gives what was stored. */
static void bytes_of_pixels(const struct vgpu_level *level)
{
   struct vgpu_fragment fragments[32] = {{.x = 0}};
   uint8_t memory[32 * 32 * 8];
   struct vgpu_stage stage = {
       .kind = VGPU_STAGE_FRAGMENT, .fragments = fragments, .tile = memory, .tile_bytes = sizeof(memory)};
   for (unsigned round = 0; round < 100; round++) {
      struct rig rig;
      rig_init(&rig, 32);
      rig_fill(&rig);
      memset(memory, 0x99, sizeof(memory));
      for (unsigned i = 0; i < 32; i++) {
         fragments[i] = (struct vgpu_fragment){.x = (uint16_t)i, .y = 3, .input = 1, .live = i % 5 != 0, .tested = 255};
         for (unsigned k = 0; k < 4; k++) {
            const float fraction = (float)(rig_random() >> 8) / (1 << 24);
            memcpy(rig.input + 16 * i + 4 * k, &fraction, rig_random() % 4 ? sizeof(fraction) : 0);
         }
      }
      rig.launch.stage = &stage;
      rig.launch.tile = (struct vgpu_tile){.width = 32, .height = 32, .sample_bytes = 8};
      rig.launch.threadgroup_bytes = sizeof(memory);
      rig_program(&rig, "mov r1, sr80\nload r4_r5_r6_r7, du0, r1, lsl 2, i32, xyzw, a\nwait a\n"
                        "st_tile r4_r5_r6_r7, 0, 255, 4, u8norm, xyzw\n"
                        "ld_tile r4_r5_r6_r7, 0, 255, 4, u8norm, xyzw\n" STORE);
      rig_run(&rig, level);
      for (unsigned i = 0; i < 32 * 4; i++) {
         float value, loaded;
         memcpy(&value, rig_in(&rig, i / 4) + i % 4, sizeof(value));
         memcpy(&loaded, rig_out(&rig, i / 4) + i % 4, sizeof(loaded));
         const double limited = value > 0 ? fmin((double)value, 1) : 0;
         const unsigned want = fragments[i / 4].live ? (unsigned)lrint(limited * 255) : 0x99;
         const unsigned have = memory[(3 * 32 + i / 4) * 8 + 4 + i % 4];
         const unsigned told = fragments[i / 4].live ? want : 0; /* the store to memory has no effect either */
         if (have != want || !(fabs((double)loaded * 255 - told) < 1e-4)) {
            rig_fail("%g is stored as %u, expected %u, and loaded as %g", (double)value, have, want, (double)loaded);
         }
      }
      rig_finish(&rig);
   }
}

/* A descriptor that no driver makes: what of it does not fit is named, or read as outside. */
static void hostile(void)
{
   for (unsigned i = 0; i < 3000; i++) {
      struct rig rig;
      prepare(&rig, ".preamble\nload ts0, du0, 32, a\nload ss1, du0, 56, b\nwait a\nwait b\nstop\n.main\n" POSITION
                    "smpf r4_r5_r6_r7, ts0, ss1, r8, r4l, 2d, xyzw, lod_min, a\nwait a\n"
                    "smpi r4_r5_r6_r7, ts0, ss0, r8, r4h, 2d_array, xyzw, lod_min, a\nwait a\n" STORE);
      rig.launch.grid[0] = rig.launch.group[0] = 32;
      for (unsigned word = 8; word < 16; word++) {
         const uint32_t bits = rig_random(), mask = rig_random() & rig_random();
         uint32_t old;
         memcpy(&old, rig.input + 4 * word, 4);
         old ^= bits & mask;
         memcpy(rig.input + 4 * word, &old, 4);
      }
      rig.launch.tile = (struct vgpu_tile){.width = 32, .height = 32, .sample_bytes = 120};
      vgpu_core_run(&rig.launch, &rig.outcome);
      if (rig.outcome.fault != VGPU_FAULT_NONE && rig.outcome.fault != VGPU_FAULT_INSTRUCTION) {
         rig_fail("a descriptor of random bits: fault %d: %s", rig.outcome.fault, rig.outcome.message);
      }
      rig_finish(&rig);
   }
}

static void refusals(void)
{
   static const struct {
      const char *text, *says;
   } rows[] = {
       {"smpi r4_r5_r6_r7, ts6, ss0, r8, 0, 2d, xyzw, auto_lod, a\nstop\n",
        "texture state register 6, which nothing has loaded"},
       {".preamble\nload ts0, du0, 32, a\nwait a\nstop\n.main\nldimm r8, 0\nldimm r9, 0\n"
        "smpf r4_r5_r6_r7, ts0, ss3, r8, 0, 2d, xyzw, auto_lod, a\nstop\n",
        "sampler state register 3, which nothing has loaded"},
       {"load ts0, du0, 8, a\nstop\n", "a load of a state register outside a preamble"},
       {"st_tile r4, r2l_r2h, 1, 0, explicit_coords, i32, x\nstop\n", "no pixels in threadgroup memory"},
   };
   for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      struct rig rig;
      prepare(&rig, rows[i].text);
      vgpu_core_run(&rig.launch, &rig.outcome);
      if (rig.outcome.fault != VGPU_FAULT_INSTRUCTION || !strstr(rig.outcome.message, rows[i].says)) {
         rig_fail("%s: fault %d: %s, expected %s", rows[i].text, rig.outcome.fault, rig.outcome.message, rows[i].says);
      }
      rig_finish(&rig);
   }
}

int main(void)
{
   for (size_t i = 0; i < vgpu_level_count; i++) {
      if (vgpu_levels[i].usable()) {
         loads(&vgpu_levels[i]);
         samples(&vgpu_levels[i]);
         blocks(&vgpu_levels[i]);
         both_roads(&vgpu_levels[i]);
         bytes_of_pixels(&vgpu_levels[i]);
      }
   }
   swizzled_pixels();
   refusals();
   hostile();
   return rig_result();
}
