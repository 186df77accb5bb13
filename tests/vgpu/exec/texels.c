/* SPDX-License-Identifier: MIT
 *
 * Loads and writes of texels that take all lanes side by side, against those that go lane by lane: an image that an
 * instruction names by its register is taken the first way, one whose number is in a register the second way. Random
 * images, places and contents; all formats of whole texels.
 */
#include <stdio.h>
#include <string.h>

#include "tests/vgpu/exec/rig.h"
#include "vgpu/exec/image/image.h"

#define THREADS 250u /* the last simdgroup has inactive lanes */
#define MOST_SIDE 40u
#define STATE 0x3000u
#define TEXELS 0x4000u
#define METADATA 0x38000u
#define END 0x3f000u

static const uint8_t formats[] = {0x00, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x21, 0x23,
                                  0x24, 0x25, 0x26, 0x27, 0x28, 0x31, 0x32, 0x38};

/* Bits of a descriptor (genxml/cmdbuf.xml). */
static void put_bits(uint64_t *words, unsigned low, uint64_t value)
{
   words[low / 64] |= value << low % 64;
   if (low % 64 && value >> (64 - low % 64)) {
      words[low / 64 + 1] |= value >> (64 - low % 64);
   }
}

struct shape {
   uint32_t width, height, layers, format, type, first_level, swizzle[4], stride; /* of rows: bytes */
   bool twiddled, compressed, srgb;
};

static struct shape random_shape(uint32_t format, uint32_t type, bool writes)
{
   struct shape shape = {.width = 1 + rig_random() % MOST_SIDE,
                         .height = 1 + rig_random() % MOST_SIDE,
                         .layers = 1 + rig_random() % 2,
                         .format = format,
                         .type = type,
                         .stride = 16 * (rig_random() % 4 ? MOST_SIDE : 1 + rig_random() % MOST_SIDE),
                         .twiddled = rig_random() % 3 != 0,
                         .srgb = rig_random() % 4 == 0};
   shape.layers = shape.twiddled ? shape.layers : 1;
   shape.compressed = shape.twiddled && rig_random() % 2;
   shape.first_level = shape.twiddled && shape.width >= 4 && shape.height >= 4 ? rig_random() % 3 : 0;
   const bool in_order = rig_random() % 2;
   for (unsigned i = 0; i < 4; i++) {
      shape.swizzle[i] = in_order ? i : rig_random() % (writes ? 4 : 6);
   }
   return shape;
}

static void describe(uint64_t *words, const struct shape *shape, bool writes)
{
   const uint64_t base = writes ? RIG_OUTPUT : RIG_INPUT, address = base + TEXELS;
   memset(words, 0, 24);
   put_bits(words, 0, shape->layers > 1 ? 3 : 2);
   put_bits(words, 4, shape->twiddled ? 2 : 0);
   put_bits(words, 6, shape->format);
   put_bits(words, 13, shape->type);
   for (unsigned i = 0; i < 4; i++) {
      put_bits(words, writes ? 16 + 2 * i : 16 + 3 * i, shape->swizzle[i]);
   }
   put_bits(words, writes ? 24 : 28, shape->width - 1);
   put_bits(words, writes ? 38 : 42, shape->height - 1);
   put_bits(words, writes ? 64 : 66, address >> 4);
   put_bits(words, writes ? 125 : 108, shape->srgb);
   if (!shape->twiddled) {
      put_bits(words, writes ? 104 : 110, writes ? shape->stride - 4 : (shape->stride - 16) >> 4);
      return;
   }
   put_bits(words, writes ? 58 : 102, 1); /* levels of detail */
   put_bits(words, writes ? 100 : 56, shape->first_level);
   put_bits(words, 60, writes ? 0 : shape->first_level);
   put_bits(words, writes ? 108 : 110, shape->layers - 1);
   if (shape->compressed) {
      put_bits(words, writes ? 59 : 103, 1);
      words[2] |= (base + METADATA) >> 4;
   }
}

/* Places of the threads, values that are written, texels, and metadata, a part of which says: one colour. */
static void fill(struct rig *rig, const struct shape *shape)
{
   const bool together = rig_random() % 2, any_solid = rig_random() % 2;
   const uint32_t wide = rig_random() % 2 ? 8 : 16; /* lanes of a row */
   const uint32_t layer = rig_random() % shape->layers;
   for (unsigned i = 0; i < THREADS; i++) {
      const uint32_t near[2] = {i % wide + i / 32 * 5, i / wide % 4 + i / 64 * 3};
      const bool is_near = together || i == 0; /* the first thread stores in any case */
      const uint32_t at[3] = {is_near ? near[0] : rig_random() % (shape->width + 3) - 1,
                              is_near ? near[1] : rig_random() % (shape->height + 3) - 1,
                              i > 0 && rig_random() % 8 == 0 ? rig_random() % (shape->layers + 1) : layer};
      memcpy(rig->input + 16 * i, at, sizeof(at));
   }
   for (unsigned i = THREADS * 16; i < STATE; i += 4) {
      const uint32_t value = rig_random() % 2 ? rig_special() : 0x3f800000u - rig_random() % 0x1000000u;
      memcpy(rig->input + i, &value, 4);
   }
   for (unsigned i = TEXELS; i < METADATA; i += 4) {
      const uint32_t texel = rig_random() % 4 ? rig_random() : rig_special();
      memcpy(rig->input + i, &texel, 4);
   }
   const struct vgpu_image image = {.bytes = shape->format == 0x28  ? 4
                                             : shape->format < 9    ? 1
                                             : shape->format < 0x21 ? 2
                                             : shape->format < 0x31 ? 4
                                             : shape->format < 0x38 ? 8
                                                                    : 16};
   for (unsigned i = METADATA; i < END; i++) {
      rig->input[i] = any_solid && rig_random() % 16 == 0 ? vgpu_solid_mode(&image) : vgpu_uncompressed_mode(&image);
   }
}

/* Whether both ways leave the same in memory. `end`: the instructions behind the places in r8, r9 and r10. */
static void both_ways(const struct vgpu_level *level, const struct shape *shape, bool writes, const char *end)
{
   static uint8_t outputs[2][END], start[END];
   for (unsigned way = 0; way < 2; way++) {
      struct rig rig;
      uint64_t words[3];
      char text[600], body[200];
      rig_init(&rig, 16384);
      rig.launch.preamble_half_registers = 16;
      rig.launch.grid[0] = THREADS;
      rig.launch.group[0] = 64;
      if (way == 0) {
         fill(&rig, shape);
         describe(words, shape, writes);
         memcpy(rig.input + STATE, words, sizeof(words));
         memcpy(start, rig.input, END);
      }
      memcpy(rig.input, start, END); /* programs read it alone */
      memcpy(rig.output, start, END);
      snprintf(body, sizeof(body), end, way ? "r0l" : "ts0", shape->layers > 1 ? "2d_array" : "2d");
      snprintf(text, sizeof(text),
               ".preamble\nldimm r0, %u\nload ts0, du0, r0, a\nwait a\nstop\n.main\nmov r1, sr80\n"
               "load r8_r9_r10_r11, du0, r1, lsl 2, i32, xyzw, a\nwait a\nldimm r0, 0\niadd r3, r1, %u\n%s",
               STATE, THREADS, body);
      rig_program(&rig, text);
      rig_run(&rig, level);
      memcpy(outputs[way], rig.output, sizeof(outputs[way]));
      rig_finish(&rig);
   }
   for (unsigned i = 0; i < END; i++) {
      if (outputs[0][i] != outputs[1][i]) {
         rig_fail("%s, %s: format 0x%02x, type %u, %ux%u, %s%s%s: byte 0x%x differs", level->name,
                  writes ? "write" : "load", shape->format, shape->type, shape->width, shape->height,
                  shape->twiddled ? "twiddled" : "rows", shape->compressed ? ", compressed" : "",
                  shape->srgb ? ", sRGB" : "", i);
         return;
      }
   }
   if (!memcmp(outputs[0], start, END)) {
      rig_fail("%s: format 0x%02x, %ux%u: nothing was stored", writes ? "write" : "load", shape->format, shape->width,
               shape->height);
   }
}

static bool is_known(uint32_t format, uint32_t type)
{
   uint64_t words[3] = {0};
   struct vgpu_image image;
   put_bits(words, 0, 2);
   put_bits(words, 6, format);
   put_bits(words, 13, type);
   vgpu_texture_read(&image, words);
   return image.problem == NULL;
}

int main(void)
{
   static const char *const loads[] = {
       "smpi r4_r5_r6_r7, %s, ss0, r8, 0, %s, xyzw, auto_lod, a\nwait a\n"
       "store r4_r5_r6_r7, du2, r1, lsl 2, i32, xyzw, a\nstop\n",
       "smpi r4_r5, %s, ss0, r8, 0, %s, yw, auto_lod, a\nwait a\n"
       "store r4_r5_r6_r7, du2, r1, lsl 2, i32, xyzw, a\nstop\n",
   };
   for (size_t i = 0; i < vgpu_level_count; i++) {
      for (unsigned k = 0; k < sizeof(formats) * 5 * 4 && vgpu_levels[i].usable(); k++) {
         const uint32_t format = formats[k % sizeof(formats)], type = k / sizeof(formats) % 5;
         if (!is_known(format, type)) {
            continue;
         }
         struct shape shape = random_shape(format, type, false);
         both_ways(&vgpu_levels[i], &shape, false, loads[rig_random() % 4 == 0]);
         shape = random_shape(format, type, true);
         both_ways(&vgpu_levels[i], &shape, true,
                   "load r4_r5_r6_r7, du0, r3, lsl 2, i32, xyzw, a\nwait a\nimgw r4_r5_r6_r7, %s, r8, 0, %s\nstop\n");
      }
   }
   return rig_result();
}
