/* SPDX-License-Identifier: MIT
 *
 * Reads textures and writes images: 1D and 2D, one level of detail, linear and twiddled layouts, channels of whole
 * formats without sRGB. Anything else is a fault that names what is missing. Lanes are processed one by one, because
 * programs of the virtual GPU contain few such instructions.
 *
 * A texel outside the image reads as zero (with a sampler: by its wrap mode), and a write there has no effect. The
 * precision of the hardware's filter is not known; weights here have 8 bits of fraction.
 */
#include <math.h>
#include <string.h>

#include "vgpu/exec/fault.h"
#include "vgpu/exec/semantics/exec_level.h"
#include "vgpu/exec/semantics/image_format.h"
#include "vgpu/timing/path/path.h"

#define DESCRIPTOR_BYTES 24u
#define SAMPLER_BYTES 8u
/* Numbers below that are sampler state registers; the heap's samplers count from it (Mesa 25.0.7, hk_descriptor_set.c).
 */
#define FIRST_IN_HEAP 28u

enum wrap { WRAP_EDGE, WRAP_REPEAT, WRAP_MIRROR, WRAP_BORDER, WRAP_MIRROR_ONCE = 5 };

struct sampler {
   bool linear_up, linear_down, pixels;
   uint8_t wrap[2];
   uint8_t border;
};

static uint32_t lane_word(const struct vgpu_simd *simd, const struct vgpu_source *source, unsigned lane)
{
   uint32_t word = vgpu_source_vector(simd, source)[lane];
   return source->form == VGPU_LOW ? word & 0xffff : source->form == VGPU_HIGH ? word >> 16 : word;
}

/* Reads memory that may end at a page's end; false: a part is not mapped (a lane's fault is counted). */
static bool read_bytes(const struct vgpu_op *op, struct vgpu_simd *simd, uint64_t va, void *to, unsigned size)
{
   for (unsigned done = 0; done < size;) {
      unsigned left = (unsigned)(VGPU_PAGE - (va + done) % VGPU_PAGE);
      unsigned part = size - done < left ? size - done : left;
      const uint8_t *from = vgpu_memory_at(&simd->worker->memory, va + done, VGPU_READ);
      if (!from) {
         vgpu_memory_miss(simd, op, va + done, false);
         return false;
      }
      memcpy((uint8_t *)to + done, from, part);
      done += part;
   }
   return true;
}

/* The descriptor that a lane names. */
static bool find_descriptor(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned lane, uint64_t words[3])
{
   const uint32_t *base = vgpu_source_vector(simd, &op->src[5]);
   uint64_t va = ((uint64_t)base[lane + VGPU_LANES] << 32 | base[lane]) + lane_word(simd, &op->src[0], lane);
   return read_bytes(op, simd, va, words, DESCRIPTOR_BYTES);
}

static bool usable(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_image *image)
{
   if (image->problem) {
      vgpu_raise_at(simd, op, VGPU_FAULT_INSTRUCTION, "an image with %s, which the virtual GPU lacks", image->problem);
   }
   return !image->problem;
}

/* Four channels in the order of the format; what it has not reads 0, 0, 0, 1. */
static void decode(const struct vgpu_image *image, const uint8_t *texel, uint32_t channels[4])
{
   bool integer = image->type == VGPU_UINT || image->type == VGPU_SINT;
   for (unsigned i = 0; i < 4; i++) {
      uint32_t missing = i == 3 ? (integer ? 1 : 0x3f800000u) : 0;
      channels[i] = image->bits[i] ? vgpu_texel_decode(image, texel, i) : missing;
   }
}

static bool read_texel(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_image *image, uint32_t x,
                       uint32_t y, uint32_t channels[4])
{
   uint8_t texel[16];
   memset(channels, 0, 4 * sizeof(*channels));
   if (x >= image->width || y >= image->height) {
      return false;
   }
   if (read_bytes(op, simd, vgpu_texel_address(image, x, y), texel, image->bytes)) {
      decode(image, texel, channels);
   }
   return true;
}

/* The components that the mask names go to registers one after the other. */
static void write_result(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned lane,
                         const struct vgpu_image *image, const uint32_t channels[4])
{
   bool integer = image->type == VGPU_UINT || image->type == VGPU_SINT;
   unsigned at = 0;
   for (unsigned i = 0; i < 4; i++) {
      if (!(op->image.mask >> i & 1)) {
         continue;
      }
      uint32_t from = image->swizzle[i];
      uint32_t value = from < 4 ? channels[from] : from == 4 ? (integer ? 1 : 0x3f800000u) : 0;
      uint32_t *registers = simd->base[VGPU_REGISTERS];
      if (op->dst.size == 32) {
         registers[op->dst.vector + at * VGPU_LANES + lane] = value;
      } else {
         uint32_t half = op->dst.half + at, *word = &registers[half / 2 * VGPU_LANES + lane];
         uint32_t narrow = integer ? value & 0xffff : vgpu_f16_from_double(vgpu_bits_float(value), false);
         *word = half & 1 ? (*word & 0xffff) | narrow << 16 : (*word & 0xffff0000u) | narrow;
      }
      at++;
   }
}

static void tell_access(struct vgpu_simd *simd, unsigned kind, const uint64_t *addresses, uint32_t lanes,
                        unsigned bytes)
{
   if (simd->path) {
      vgpu_access_lanes(&simd->path->accesses, kind, addresses, lanes, bytes);
   }
}

static void load_simd(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   uint64_t addresses[VGPU_LANES] = {0};
   uint32_t reads = 0;
   unsigned bytes = 4;
   for (unsigned lane = 0; lane < VGPU_LANES && !simd->worker->stop; lane++) {
      uint64_t words[3];
      uint32_t channels[4] = {0};
      struct vgpu_image image = {0};
      if (!(simd->exec >> lane & 1)) {
         continue;
      }
      if (find_descriptor(op, simd, lane, words)) {
         vgpu_texture_read(&image, words);
         if (!usable(op, simd, &image)) {
            return;
         }
         uint32_t x = lane_word(simd, &op->src[2], lane);
         uint32_t y = op->image.rows ? lane_word(simd, &op->src[op->image.y], lane) : 0;
         if (read_texel(op, simd, &image, x, y, channels)) {
            addresses[lane] = vgpu_texel_address(&image, x, y);
            reads |= 1u << lane;
            bytes = image.bytes;
         }
      }
      write_result(op, simd, lane, &image, channels);
   }
   tell_access(simd, VGPU_ACCESS_LOAD, addresses, reads, bytes);
}

/* ---- Sampling ---- */

static bool find_sampler(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned lane, struct sampler *sampler)
{
   const struct vgpu_launch *launch = simd->worker->launch;
   uint32_t number = lane_word(simd, &op->src[1], lane) - FIRST_IN_HEAP;
   uint64_t word;
   if (number >= launch->sampler_count) {
      vgpu_raise_at(simd, op, VGPU_FAULT_INSTRUCTION, "sampler %u, where a heap of %u counts from %u",
                    number + FIRST_IN_HEAP, launch->sampler_count, FIRST_IN_HEAP);
      return false;
   }
   if (!read_bytes(op, simd, launch->sampler_heap + (uint64_t)number * SAMPLER_BYTES, &word, sizeof(word))) {
      return false;
   }
   *sampler = (struct sampler){.linear_up = word >> 23 & 3,
                               .linear_down = word >> 25 & 3,
                               .wrap = {word >> 29 & 7, word >> 32 & 7},
                               .pixels = word >> 38 & 1,
                               .border = word >> 55 & 3};
   if ((word >> 23 & 3) > 1 || (word >> 25 & 3) > 1 || (word >> 42 & 1) || sampler->border == 3) {
      vgpu_raise_at(simd, op, VGPU_FAULT_INSTRUCTION,
                    "a sampler with a filter, comparison or border that the virtual GPU lacks");
      return false;
   }
   return true;
}

/* The texel that the wrap mode gives for one outside; -1: the border. */
static int64_t wrap(uint8_t mode, int64_t at, int64_t size)
{
   switch (mode) {
   case WRAP_REPEAT:
      return (at % size + size) % size;
   case WRAP_MIRROR: {
      int64_t twice = (at % (2 * size) + 2 * size) % (2 * size);
      return twice < size ? twice : 2 * size - 1 - twice;
   }
   case WRAP_BORDER:
      return at < 0 || at >= size ? -1 : at;
   case WRAP_MIRROR_ONCE:
      at = at < 0 ? -1 - at : at;
      return at >= size ? size - 1 : at;
   default:
      return at < 0 ? 0 : at >= size ? size - 1 : at;
   }
}

static void read_wrapped(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_image *image,
                         const struct sampler *sampler, int64_t x, int64_t y, uint32_t channels[4])
{
   x = wrap(sampler->wrap[0], x, image->width);
   y = op->image.rows ? wrap(sampler->wrap[1], y, image->height) : 0;
   if (x < 0 || y < 0) {
      uint32_t colour = sampler->border == 2 ? 0x3f800000u : 0;
      channels[0] = channels[1] = channels[2] = colour;
      channels[3] = sampler->border ? 0x3f800000u : 0;
      return;
   }
   read_texel(op, simd, image, (uint32_t)x, (uint32_t)y, channels);
}

/* A number that a coordinate can be without leaving 64-bit integers. */
static double tame(double value)
{
   return isfinite(value) && fabs(value) < 1e15 ? value : 0;
}

static void filter(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_image *image,
                   const struct sampler *sampler, bool linear, const double at[2], uint32_t channels[4])
{
   if (!linear) {
      read_wrapped(op, simd, image, sampler, (int64_t)floor(at[0]), (int64_t)floor(at[1]), channels);
      return;
   }
   double left = floor(at[0] - 0.5), top = op->image.rows ? floor(at[1] - 0.5) : 0, sum[4] = {0};
   double right = floor((at[0] - 0.5 - left) * 256 + 0.5) / 256;
   double down = op->image.rows ? floor((at[1] - 0.5 - top) * 256 + 0.5) / 256 : 0;
   for (unsigned corner = 0; corner < 4; corner++) {
      uint32_t texel[4];
      double weight = (corner & 1 ? right : 1 - right) * (corner & 2 ? down : 1 - down);
      if (weight <= 0) {
         continue;
      }
      read_wrapped(op, simd, image, sampler, (int64_t)left + (corner & 1), (int64_t)top + (corner >> 1), texel);
      for (unsigned i = 0; i < 4; i++) {
         sum[i] += weight * (double)vgpu_bits_float(texel[i]);
      }
   }
   for (unsigned i = 0; i < 4; i++) {
      channels[i] = vgpu_f32_from_double(sum[i]);
   }
}

/* The level is above 0 where the image shrinks: the other filter. Without a level in the program it is 0. */
static bool shrinks(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned lane)
{
   const struct isa_operand *level = &op->insn->src[3];
   if (level->kind != ISA_REG || level->size != 16 || op->insn->mod[ISA_MOD_LOD_MODE] != 6) {
      return false;
   }
   uint32_t word = simd->base[VGPU_REGISTERS][(uint32_t)level->value / 2 * VGPU_LANES + lane];
   return vgpu_f16_to_double((uint16_t)(level->value & 1 ? word >> 16 : word)) > 0;
}

static void sample_simd(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   uint64_t addresses[VGPU_LANES] = {0};
   for (unsigned lane = 0; lane < VGPU_LANES && !simd->worker->stop; lane++) {
      uint64_t words[3];
      uint32_t channels[4] = {0};
      struct vgpu_image image = {0};
      struct sampler sampler;
      if (!(simd->exec >> lane & 1)) {
         continue;
      }
      if (find_descriptor(op, simd, lane, words) && find_sampler(op, simd, lane, &sampler)) {
         vgpu_texture_read(&image, words);
         if (!usable(op, simd, &image)) {
            return;
         }
         double x = tame((double)vgpu_bits_float(lane_word(simd, &op->src[2], lane)));
         double y = op->image.rows ? tame((double)vgpu_bits_float(lane_word(simd, &op->src[op->image.y], lane))) : 0;
         const double at[2] = {sampler.pixels ? x : x * image.width, sampler.pixels ? y : y * image.height};
         bool integer = image.type == VGPU_UINT || image.type == VGPU_SINT;
         bool linear = shrinks(op, simd, lane) ? sampler.linear_down : sampler.linear_up;
         filter(op, simd, &image, &sampler, linear && !integer, at, channels);
         addresses[lane] = image.address;
      }
      write_result(op, simd, lane, &image, channels);
   }
   tell_access(simd, VGPU_ACCESS_LOAD, addresses, simd->exec, 4);
}

/* ---- Writing ---- */

/* What the program writes as component i. */
static uint32_t component(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned lane,
                          const struct vgpu_image *image, unsigned i)
{
   const uint32_t *registers = simd->base[VGPU_REGISTERS];
   if (op->dst.size == 32) {
      return registers[op->dst.vector + i * VGPU_LANES + lane];
   }
   uint32_t half = op->dst.half + i, word = registers[half / 2 * VGPU_LANES + lane];
   uint16_t value = (uint16_t)(half & 1 ? word >> 16 : word);
   return image->type == VGPU_UINT   ? value
          : image->type == VGPU_SINT ? (uint32_t)(int32_t)(int16_t)value
                                     : vgpu_f32_from_double(vgpu_f16_to_double(value));
}

static void write_lane(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned lane, const struct vgpu_image *image,
                       uint64_t va)
{
   uint8_t texel[16] = {0};
   unsigned low = 0;
   for (unsigned i = 0; i < 4 && image->bits[i]; i++) {
      uint64_t word, bits = vgpu_texel_encode(image, i, component(op, simd, lane, image, image->swizzle[i] & 3));
      memcpy(&word, texel + low / 32 * 4, low / 32 * 4 + 8 <= sizeof(texel) ? 8 : 4);
      word = low / 32 * 4 + 8 <= sizeof(texel) ? word : (uint32_t)word;
      word |= bits << low % 32;
      memcpy(texel + low / 32 * 4, &word, low / 32 * 4 + 8 <= sizeof(texel) ? 8 : 4);
      low += image->bits[i];
   }
   for (unsigned done = 0; done < image->bytes;) {
      unsigned left = (unsigned)(VGPU_PAGE - (va + done) % VGPU_PAGE);
      unsigned part = image->bytes - done < left ? image->bytes - done : left;
      uint8_t *to = vgpu_memory_at(&simd->worker->memory, va + done, VGPU_WRITE);
      if (!to) {
         vgpu_memory_miss(simd, op, va + done, true);
         return;
      }
      memcpy(to, texel + done, part);
      done += part;
   }
}

static void write_simd(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   uint64_t addresses[VGPU_LANES] = {0};
   uint32_t writes = 0;
   unsigned bytes = 4;
   for (unsigned lane = 0; lane < VGPU_LANES && !simd->worker->stop; lane++) {
      uint64_t words[3];
      struct vgpu_image image;
      if (!(simd->exec >> lane & 1) || !find_descriptor(op, simd, lane, words)) {
         continue;
      }
      vgpu_pbe_read(&image, words);
      if (!usable(op, simd, &image)) {
         return;
      }
      uint32_t x = lane_word(simd, &op->src[2], lane);
      uint32_t y = op->image.rows ? lane_word(simd, &op->src[op->image.y], lane) : 0;
      if (x < image.width && y < image.height) {
         addresses[lane] = vgpu_texel_address(&image, x, y);
         write_lane(op, simd, lane, &image, addresses[lane]);
         writes |= 1u << lane;
         bytes = image.bytes;
      }
   }
   tell_access(simd, VGPU_ACCESS_STORE, addresses, writes, bytes);
}

#define EACH(name)                                                                                                     \
   static void name##_all(const struct vgpu_op *op, struct vgpu_simd *const *simds, unsigned count)                    \
   {                                                                                                                   \
      for (unsigned i = 0; i < count; i++) {                                                                           \
         name##_simd(op, simds[i]);                                                                                    \
      }                                                                                                                \
   }
EACH(load)
EACH(sample)
EACH(write)

const struct vgpu_handler VGPU_NAME(vgpu_do_texture_load) = {{load_all, load_all, load_all, load_all}};
VGPU_OPERATION(TEXTURE_LOAD, texture, FALL, PLAIN, texture_load);
const struct vgpu_handler VGPU_NAME(vgpu_do_texture_sample) = {{sample_all, sample_all, sample_all, sample_all}};
VGPU_OPERATION(TEXTURE_SAMPLE, texture, FALL, PLAIN, texture_sample);
const struct vgpu_handler VGPU_NAME(vgpu_do_image_write) = {{write_all, write_all, write_all, write_all}};
VGPU_OPERATION(IMAGE_WRITE, image_write, FALL, PLAIN, image_write);
