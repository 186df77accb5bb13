/* SPDX-License-Identifier: MIT
 *
 * Texture loads, samples, image writes, and the state registers that they name. The common loads and filters take all
 * lanes side by side (texels.h, filter.h), the others one lane after the other. What an image or a sampler has that the
 * virtual GPU lacks is a fault that names it.
 *
 * A texel outside the image reads as zero (with a sampler: by its wrap mode), and a write there has no effect.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/exec/fault.h"
#include "vgpu/exec/half.h"
#include "vgpu/exec/image/morton.h"
#include "vgpu/exec/image/plain.h"
#include "vgpu/exec/semantics/direct.h"
#include "vgpu/exec/semantics/exec_level.h"
#include "vgpu/exec/semantics/filter.h"
#include "vgpu/exec/semantics/texels.h"
#include "vgpu/exec/semantics/vector.h"
#include "vgpu/stage.h"
#include "vgpu/uses.h"
#include "vgpu/timing/path/path.h"

#define SAMPLER_BYTES 8u
#define ONE 0x3f800000u
#define SIDE 16u /* of the parts in which a tile is written: texels that have metadata together */
enum { LOD_UNIFORM = 2, LOD_GIVEN = 6 }; /* ISA_MOD_LOD_MODE; others add a bias, or give gradients */
/* Numbers below that are sampler state registers; the heap's samplers count from it (Mesa 25.0.7, hk_descriptor_set.c).
 */
#define FIRST_IN_HEAP 28u

/* ---- Operands ---- */

static uint32_t lane_word(const struct vgpu_simd *simd, const struct vgpu_source *source, unsigned lane)
{
   uint32_t word = vgpu_source_vector(simd, source)[lane];
   return source->form == VGPU_LOW ? word & 0xffff : source->form == VGPU_HIGH ? word >> 16 : word;
}

/* A half register, a uniform, or a number. */
static uint16_t half_of(const struct vgpu_simd *simd, const struct isa_operand *operand, unsigned offset, unsigned lane)
{
   const unsigned half = (unsigned)operand->value + offset;
   if (operand->kind == ISA_UNIFORM) {
      return simd->worker->uniforms ? simd->worker->uniforms[half] : simd->worker->launch->uniforms[half];
   }
   if (operand->kind != ISA_REG) {
      return (uint16_t)operand->value; /* of a state register, of which there may be more than of registers */
   }
   const uint32_t word = simd->base[VGPU_REGISTERS][half / 2 * VGPU_LANES + lane];
   return (uint16_t)(half & 1 ? word >> 16 : word);
}

static uint32_t register_word(const struct vgpu_simd *simd, unsigned half, unsigned lane)
{
   return simd->base[VGPU_REGISTERS][half / 2 * VGPU_LANES + lane];
}

/* Coordinate i as a word: an integer, or of samples a float. */
static uint32_t coordinate(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned i, unsigned lane)
{
   if (!op->image.narrow) {
      return register_word(simd, (unsigned)op->insn->src[2].value + 2 * i, lane);
   }
   const uint16_t half = half_of(simd, &op->insn->src[2], i, lane);
   return op->insn->op == ISA_OP_TEXTURE_SAMPLE ? vgpu_f32_from_double(vgpu_f16_to_double(half)) : half;
}

/* The layer and the sample share the word behind the coordinates: the sample is the low half where there are both. */
static void find_layer(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned lane, uint32_t *layer,
                       uint32_t *sample)
{
   const bool both = op->image.layered && op->image.multisampled;
   if (!op->image.layered && !op->image.multisampled) {
      return;
   }
   uint32_t word = register_word(simd, (unsigned)op->insn->src[2].value + 2u * op->image.coordinates, lane);
   if (op->image.narrow) {
      word = half_of(simd, &op->insn->src[2], op->image.coordinates, lane);
      word |= both ? (uint32_t)half_of(simd, &op->insn->src[2], op->image.coordinates + 1u, lane) << 16 : 0;
   }
   *layer = both ? word >> 16 : op->image.layered ? word & 0xffff : 0;
   *sample = op->image.multisampled ? word & 0xffff : 0;
}

/* ---- State registers ---- */

static const struct vgpu_states *states_of(const struct vgpu_simd *simd)
{
   return simd->worker->states ? simd->worker->states : &simd->worker->launch->states;
}

static void load_state(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   struct vgpu_states *states = simd->worker->states; /* vgpu_bind_state_load() */
   const bool texture = op->insn->dst.kind == ISA_TEXTURE_STATE;
   const unsigned number = (unsigned)op->insn->dst.value;
   if (!simd->exec) {
      return;
   }
   const unsigned lane = (unsigned)__builtin_ctz(simd->exec);
   const uint32_t *base = vgpu_source_vector(simd, &op->src[0]);
   const uint64_t va = ((uint64_t)base[lane + VGPU_LANES] << 32 | base[lane]) + lane_word(simd, &op->src[1], lane);
   if (texture && vgpu_image_read(op, simd, va, states->textures[number], sizeof(states->textures[number]))) {
      vgpu_state_mark(states->has_texture, number);
   } else if (!texture && vgpu_image_read(op, simd, va, &states->samplers[number].word, SAMPLER_BYTES)) {
      vgpu_state_mark(states->has_sampler, number);
   }
}

static bool no_state(const struct vgpu_op *op, struct vgpu_simd *simd, const char *what, uint32_t number)
{
   vgpu_raise_at(simd, op, VGPU_FAULT_INSTRUCTION, "%s state register %u, which nothing has loaded", what, number);
   return false;
}

/* ---- The image of a lane ---- */

/* Descriptors that a host thread's instructions have read last, decoded. */
#define DESCRIPTORS 4u
struct vgpu_descriptors {
   unsigned count; /* that were decoded; the newest takes the place of the oldest */
   struct vgpu_descriptor {
      uint64_t words[VGPU_DESCRIPTOR_WORDS];
      bool writes; /* its words are those of an image that is written */
      struct vgpu_image image;
      struct vgpu_plain plain;
      struct vgpu_direct direct;
   } last[DESCRIPTORS];
};

/* Of the lane before, whose descriptor is most often the same one. `last` NULL: none yet. */
struct found_image {
   struct vgpu_descriptor *last;
};

/* Whether an operand that names a state is the same in all lanes. */
static bool is_shared(const struct isa_operand *operand)
{
   return operand->kind != ISA_REG;
}

static bool find_words(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned lane,
                       uint64_t words[VGPU_DESCRIPTOR_WORDS])
{
   const size_t size = VGPU_DESCRIPTOR_WORDS * sizeof(words[0]);
   if (op->image.in_memory) {
      const uint32_t *base = vgpu_source_vector(simd, &op->src[5]);
      uint64_t va = ((uint64_t)base[lane + VGPU_LANES] << 32 | base[lane]) + lane_word(simd, &op->src[0], lane);
      return vgpu_image_read(op, simd, va, words, (unsigned)size);
   }
   const struct vgpu_states *states = states_of(simd);
   const uint32_t number = half_of(simd, &op->insn->src[0], 0, lane);
   if (number >= VGPU_TEXTURE_STATES || !vgpu_state_is_marked(states->has_texture, number)) {
      return no_state(op, simd, "texture", number);
   }
   memcpy(words, states->textures[number], size);
   return true;
}

static void tell_use(const struct vgpu_simd *simd, const struct vgpu_image *image, bool writes)
{
   if (simd->worker->launch->uses && !image->null && !image->problem) {
      vgpu_uses_add(simd->worker->launch->uses, (struct vgpu_use){.address = image->address,
                                                                  .first_level = image->first_level,
                                                                  .last_level = image->last_level,
                                                                  .writes = writes});
   }
}

/* NULL: out of host memory. */
static struct vgpu_descriptor *decode(struct vgpu_worker *worker, const uint64_t *words, bool writes)
{
   struct vgpu_descriptors *known = worker->descriptors;
   for (unsigned i = 0; known && i < DESCRIPTORS && i < known->count; i++) {
      if (known->last[i].writes == writes && !memcmp(known->last[i].words, words, sizeof(known->last[i].words))) {
         return &known->last[i];
      }
   }
   if (!known) {
      known = malloc(sizeof(*known));
      if (!known) {
         return NULL;
      }
      known->count = 0;
      worker->descriptors = known;
   }
   struct vgpu_descriptor *next = &known->last[known->count++ % DESCRIPTORS];
   memcpy(next->words, words, sizeof(next->words));
   next->writes = writes;
   next->plain.image = NULL;
   next->direct.state = VGPU_NOT_PREPARED;
   (writes ? vgpu_pbe_read : vgpu_texture_read)(&next->image, words);
   return next;
}

/* NULL: there is none, and a fault was raised or counted. `writes`: the instruction writes to the image. */
static const struct vgpu_image *find_image(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned lane, bool writes,
                                           struct found_image *found)
{
   uint64_t words[VGPU_DESCRIPTOR_WORDS];
   if (found->last && !op->image.in_memory && is_shared(&op->insn->src[0]) && !found->last->image.problem) {
      return &found->last->image;
   }
   if (!find_words(op, simd, lane, words)) {
      return NULL;
   }
   if (!found->last || memcmp(found->last->words, words, sizeof(words))) {
      found->last = decode(simd->worker, words, writes);
      if (!found->last) {
         vgpu_raise_at(simd, op, VGPU_FAULT_RESOURCES, "out of host memory for an image's descriptor");
         return NULL;
      }
      vgpu_plain_renew(&found->last->plain);
      tell_use(simd, &found->last->image, writes);
   }
   const struct vgpu_image *image = &found->last->image;
   if (image->problem) {
      vgpu_raise_at(simd, op, VGPU_FAULT_INSTRUCTION, "an image of format 0x%02x with %s that the virtual GPU lacks",
                    image->format, image->problem);
      return NULL;
   }
   return image;
}

/* ---- Results ---- */

static void write_component(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned lane, unsigned at,
                            uint32_t value, bool integer)
{
   uint32_t *registers = simd->base[VGPU_REGISTERS];
   if (op->dst.size == 32) {
      registers[op->dst.vector + at * VGPU_LANES + lane] = value;
      return;
   }
   uint32_t half = op->dst.half + at, *word = &registers[half / 2 * VGPU_LANES + lane];
   uint32_t narrow = integer ? value & 0xffff : vgpu_f16_from_double((double)vgpu_bits_float(value), false);
   *word = half & 1 ? (*word & 0xffff) | narrow << 16 : (*word & 0xffff0000u) | narrow;
}

/* The components that the mask names go to registers one after the other. `plain`: they are not channels. */
static void write_result(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned lane,
                         const struct vgpu_image *image, const uint32_t channels[4], bool plain)
{
   static const uint8_t in_order[4] = {0, 1, 2, 3};
   if (op->dst.size == 32 && op->image.mask == 15 && !plain && !memcmp(image->swizzle, in_order, sizeof(in_order))) {
      for (unsigned i = 0; i < 4; i++) {
         simd->base[VGPU_REGISTERS][op->dst.vector + i * VGPU_LANES + lane] = channels[i];
      }
      return;
   }
   unsigned at = 0;
   for (unsigned i = 0; i < 4; i++) {
      if (op->image.mask >> i & 1) {
         const uint32_t value = plain ? channels[i] : vgpu_image_component(image, channels, i);
         write_component(op, simd, lane, at++, value, vgpu_image_is_integer(image) && !op->image.query);
      }
   }
}

/* The same for all active lanes and words of 32 bits. */
static void write_lanes(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_image *image,
                        uint32_t channels[4][VGPU_LANES])
{
   uint32_t *to = simd->base[VGPU_REGISTERS] + op->dst.vector;
   for (unsigned i = 0; i < 4; i++) {
      if (op->image.mask >> i & 1) {
         const uint8_t from = image->swizzle[i];
         const uint32_t same = from != 4 ? 0 : vgpu_image_is_integer(image) ? 1 : ONE;
         for (unsigned chunk = 0; chunk < VGPU_CHUNKS; chunk++) {
            const vu value = from < 4 ? vgpu_load(channels[from], chunk) : vgpu_all(same);
            vgpu_store(to, chunk, vgpu_select(vgpu_load(simd->mask, chunk), value, vgpu_load(to, chunk)));
         }
         to += VGPU_LANES;
      }
   }
}

static void tell_access(struct vgpu_simd *simd, unsigned kind, const uint64_t *addresses, uint32_t lanes,
                        unsigned bytes)
{
   if (simd->path) {
      vgpu_access_lanes(&simd->path->accesses, kind, addresses, lanes, bytes);
   }
}

/* A lane whose descriptor is not mapped, or that nothing is bound to. */
static void write_nothing(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned lane)
{
   static const struct vgpu_image none;
   static const uint32_t zero[4];
   write_result(op, simd, lane, &none, zero, true);
}

/* ---- Loads ---- */

/* The place that a lane names. `level`: of the image's first one. */
static struct vgpu_texel_place place_of(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned lane,
                                        const struct vgpu_image *image, uint32_t level)
{
   struct vgpu_texel_place place = {.x = coordinate(op, simd, 0, lane), .level = image->first_level + level};
   place.y = op->image.coordinates > 1 ? coordinate(op, simd, 1, lane) : 0;
   if (op->image.coordinates > 2) {
      place.layer = coordinate(op, simd, 2, lane);
   } else {
      find_layer(op, simd, lane, &place.layer, &place.sample);
   }
   return place;
}

/* A signed number of 4 bits for each coordinate. */
static void find_offset(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned lane, int32_t offset[3])
{
   const struct isa_operand *operand = &op->insn->src[4];
   const unsigned at = op->image.shadow ? 2 : 0;
   if (!op->image.offset) {
      memset(offset, 0, 3 * sizeof(*offset));
      return;
   }
   for (unsigned i = 0; i < 3; i++) {
      const uint32_t packed = half_of(simd, operand, at, lane);
      offset[i] = (int32_t)(packed << (28 - 4 * i)) >> 28;
   }
}

static void tell_outside(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned lane,
                         const struct vgpu_image *image, const struct vgpu_texel_place *place)
{
   const bool has_level = place->level >= image->first_level && place->level <= image->last_level;
   const struct vgpu_mip *mip = &image->mips[has_level ? place->level : image->first_level];
   const uint32_t at[4] = {place->x, place->y, place->layer, place->level};
   const uint32_t size[3] = {mip->width, mip->height, image->dimension == VGPU_3D ? mip->depth : image->layers};
   simd->worker->launch->level->checks->texel(simd, op, lane, at, size);
}

/* Whether a lane vector holds the same word in all active lanes. */
static bool is_same(const struct vgpu_simd *simd, const uint32_t *words)
{
   const vu word = vgpu_all(words[__builtin_ctz(simd->exec)]);
   vu differs = vgpu_all(0);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      differs |= (vgpu_load(words, i) ^ word) & vgpu_load(simd->mask, i);
   }
   return !vgpu_any((vu)(differs != 0));
}

/* Whether all active lanes name one image, one level of it, and one layer. */
static bool name_the_same(const struct vgpu_op *op, const struct vgpu_simd *simd)
{
   if (op->image.in_memory) {
      const uint32_t *base = vgpu_source_vector(simd, &op->src[5]);
      if (!is_same(simd, base) || !is_same(simd, base + VGPU_LANES) ||
          !is_same(simd, vgpu_source_vector(simd, &op->src[0]))) {
         return false;
      }
   } else if (!is_shared(&op->insn->src[0])) {
      return false;
   }
   const unsigned beside = (unsigned)op->insn->src[2].value / 2 + 2; /* the third coordinate, or the layer behind two */
   return (!op->image.has_level || is_shared(&op->insn->src[3])) &&
          (!(op->image.layered || op->image.coordinates > 2) ||
           is_same(simd, simd->base[VGPU_REGISTERS] + beside * VGPU_LANES));
}

/* Whether a load or write can take all lanes side by side, as far as the instruction says. */
static bool can_be_together(const struct vgpu_op *op, const struct vgpu_simd *simd)
{
   return simd->exec && !simd->path && !op->image.offset && !op->image.multisampled && !op->image.narrow &&
          (!op->image.layered || op->image.coordinates > 1) && name_the_same(op, simd);
}

/* All lanes side by side; false: lane by lane. */
static bool load_together(const struct vgpu_op *op, struct vgpu_simd *simd, struct found_image *found)
{
   if (op->dst.size != 32 || !can_be_together(op, simd)) {
      return false;
   }
   const unsigned first = (unsigned)__builtin_ctz(simd->exec);
   const struct vgpu_image *image = find_image(op, simd, first, false, found);
   if (!image || image->null) {
      return false;
   }
   const uint32_t level = op->image.has_level ? half_of(simd, &op->insn->src[3], 0, first) : 0;
   const struct vgpu_texel_place place = place_of(op, simd, first, image, level);
   const struct vgpu_sample sample = {
       .op = op, .simd = simd, .image = image, .layer = place.layer, .plain = &found->last->plain};
   const uint32_t *x = simd->base[VGPU_REGISTERS] + (unsigned)op->insn->src[2].value / 2 * VGPU_LANES;
   const uint32_t *const at[2] = {x, op->image.coordinates > 1 ? x + VGPU_LANES : NULL};
   _Alignas(64) uint32_t channels[4][VGPU_LANES];
   uint32_t inside;
   if (op->image.direct &&
       (found->last->direct.state == VGPU_NOT_PREPARED || found->last->direct.level != place.level)) {
      vgpu_direct_prepare(&found->last->direct, &sample, place.level);
   }
   if (!vgpu_texels_load(&sample, place.level, at, channels, &inside) || (simd->checks && inside != simd->exec)) {
      return false;
   }
   write_lanes(op, simd, image, channels);
   return true;
}

/* The descriptor's words, the same in all active lanes, where nothing has to be told about them; NULL: not so. */
static const uint64_t *peek_words(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   const unsigned lane = (unsigned)__builtin_ctz(simd->exec);
   if (op->image.in_memory) {
      const uint32_t *base = vgpu_source_vector(simd, &op->src[5]);
      const uint64_t va = ((uint64_t)base[lane + VGPU_LANES] << 32 | base[lane]) + lane_word(simd, &op->src[0], lane);
      const bool whole = va % 8 == 0 && va % VGPU_PAGE <= VGPU_PAGE - VGPU_DESCRIPTOR_WORDS * sizeof(uint64_t);
      return whole && name_the_same(op, simd) ? (const void *)vgpu_memory_cached(&simd->worker->memory, va, VGPU_READ)
                                              : NULL;
   }
   const struct vgpu_states *states = states_of(simd);
   const uint32_t number = half_of(simd, &op->insn->src[0], 0, lane);
   return number < VGPU_TEXTURE_STATES && vgpu_state_is_marked(states->has_texture, number) ? states->textures[number]
                                                                                            : NULL;
}

/* The same for an image that an earlier load has prepared; false: another road. */
static bool load_direct(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   const struct vgpu_descriptors *known = simd->worker->descriptors;
   if (!op->image.direct || !known || !simd->exec || simd->path || simd->checks) {
      return false;
   }
   const uint64_t *words = peek_words(op, simd);
   for (unsigned i = 0; words && i < DESCRIPTORS && i < known->count; i++) {
      const struct vgpu_descriptor *last = &known->last[i];
      if (last->direct.state == VGPU_DIRECT && !memcmp(last->words, words, sizeof(last->words))) {
         const unsigned first = (unsigned)__builtin_ctz(simd->exec);
         const uint32_t level = op->image.has_level ? half_of(simd, &op->insn->src[3], 0, first) : 0;
         uint32_t *registers = simd->base[VGPU_REGISTERS];
         if (last->direct.level != last->image.first_level + level) {
            return false;
         }
         vgpu_direct_load(&last->direct, simd, op->image.mask,
                          registers + (unsigned)op->insn->src[2].value / 2 * VGPU_LANES, registers + op->dst.vector);
         return true;
      }
   }
   return false;
}

static void load_simd(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   if (load_direct(op, simd)) {
      return;
   }
   uint64_t addresses[VGPU_LANES] = {0};
   uint32_t reads = 0;
   unsigned bytes = 4;
   struct found_image found;
   found.last = NULL;
   if (load_together(op, simd, &found)) {
      return;
   }
   for (unsigned lane = 0; lane < VGPU_LANES && !simd->worker->stop; lane++) {
      if (!(simd->exec >> lane & 1)) {
         continue;
      }
      const struct vgpu_image *image = find_image(op, simd, lane, false, &found);
      if (!image || image->null) {
         write_nothing(op, simd, lane);
         continue;
      }
      const uint32_t level = op->image.has_level ? half_of(simd, &op->insn->src[3], 0, lane) : 0;
      struct vgpu_texel_place place = place_of(op, simd, lane, image, level);
      uint32_t channels[4];
      int32_t offset[3];
      find_offset(op, simd, lane, offset);
      place.x += (uint32_t)offset[0];
      place.y += (uint32_t)offset[1];
      place.layer += (uint32_t)offset[2];
      if (vgpu_texel_read(op, simd, image, &place, channels)) {
         addresses[lane] = vgpu_texel_address(image, &place);
         reads |= 1u << lane;
         bytes = image->bytes;
      } else if (simd->checks) {
         tell_outside(op, simd, lane, image, &place);
      }
      write_result(op, simd, lane, image, channels, false);
   }
   tell_access(simd, VGPU_ACCESS_LOAD, addresses, reads, bytes);
}

/* ---- Samples ---- */

/* A number that a coordinate can be without leaving 64-bit integers. */
static double tame(uint32_t bits)
{
   const double value = (double)vgpu_bits_float(bits);
   return isfinite(value) && fabs(value) < 1e12 ? value : 0;
}

/* Of the lane before. */
struct found_sampler {
   bool any;
   struct vgpu_sampler sampler;
};

static bool read_sampler(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned lane, struct vgpu_sampler *sampler)
{
   const struct vgpu_launch *launch = simd->worker->launch;
   const struct vgpu_states *states = states_of(simd);
   const uint32_t number = half_of(simd, &op->insn->src[1], 0, lane);
   uint64_t word;
   if (number < FIRST_IN_HEAP && !vgpu_state_is_marked(states->has_sampler, number)) {
      return no_state(op, simd, "sampler", number);
   }
   if (number >= FIRST_IN_HEAP && number - FIRST_IN_HEAP >= launch->sampler_count) {
      vgpu_raise_at(simd, op, VGPU_FAULT_INSTRUCTION, "sampler %u, where a heap of %u counts from %u", number,
                    launch->sampler_count, FIRST_IN_HEAP);
      return false;
   }
   if (number < FIRST_IN_HEAP) {
      vgpu_sampler_read(sampler, states->samplers[number].word);
      memcpy(sampler->custom, states->samplers[number].border, sizeof(sampler->custom));
   } else if (vgpu_image_read(op, simd, launch->sampler_heap + (uint64_t)(number - FIRST_IN_HEAP) * SAMPLER_BYTES,
                              &word, sizeof(word))) {
      vgpu_sampler_read(sampler, word);
   } else {
      return false;
   }
   if (sampler->problem) {
      vgpu_raise_at(simd, op, VGPU_FAULT_INSTRUCTION, "a sampler with %s, which the virtual GPU lacks",
                    sampler->problem);
   }
   return !sampler->problem;
}

/* NULL: there is none, and a fault was raised or counted. */
static const struct vgpu_sampler *find_sampler(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned lane,
                                               struct found_sampler *found)
{
   if (!found->any || !is_shared(&op->insn->src[1])) {
      found->any = read_sampler(op, simd, lane, &found->sampler);
   }
   return found->any ? &found->sampler : NULL;
}

static float half_float(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned lane)
{
   return (float)vgpu_f16_to_double(half_of(simd, &op->insn->src[3], 0, lane));
}

/* The level of gradients at a lane's coordinates. */
static double gradient_level(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned lane,
                             const struct vgpu_image *image, float gradients[6])
{
   if (image->dimension != VGPU_CUBE && image->dimension != VGPU_CUBE_ARRAY) {
      return vgpu_gradient_level(image, gradients, op->image.coordinates);
   }
   double direction[3];
   for (unsigned i = 0; i < 3; i++) {
      direction[i] = tame(coordinate(op, simd, i, lane));
   }
   vgpu_cube_gradients(direction, gradients);
   return vgpu_gradient_level(image, gradients, 2);
}

/* Fragment programs: the gradients are the differences of the coordinates in the quad. Compute programs have no pixels
 * beside one another: theirs are 0. */
static double quad_level(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned lane,
                         const struct vgpu_image *image)
{
   const struct vgpu_stage *stage = simd->worker->launch->stage;
   float gradients[6];
   if (!stage || stage->kind != VGPU_STAGE_FRAGMENT) {
      return 0;
   }
   for (unsigned i = 0; i < op->image.coordinates; i++) {
      const float first = vgpu_bits_float(coordinate(op, simd, i, lane & ~3u));
      gradients[2 * i] = vgpu_bits_float(coordinate(op, simd, i, (lane & ~3u) + 1)) - first;
      gradients[2 * i + 1] = vgpu_bits_float(coordinate(op, simd, i, (lane & ~3u) + 2)) - first;
   }
   return gradient_level(op, simd, lane, image, gradients);
}

static double find_level(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned lane,
                         const struct vgpu_image *image)
{
   if (op->image.gradient) {
      float gradients[6];
      const unsigned count = op->image.coordinates;
      for (unsigned i = 0; i < 2 * count; i++) {
         gradients[i] = vgpu_bits_float(register_word(simd, (unsigned)op->insn->src[3].value + 2 * i, lane));
      }
      return gradient_level(op, simd, lane, image, gradients);
   }
   const int32_t mode = op->insn->mod[ISA_MOD_LOD_MODE];
   if (mode == LOD_GIVEN || mode == LOD_UNIFORM) {
      return (double)half_float(op, simd, lane);
   }
   return quad_level(op, simd, lane, image) + (op->image.has_level ? (double)half_float(op, simd, lane) : 0);
}

/* Whether the lanes of a quad have one level: that of the differences in the quad. */
static bool is_of_quad(const struct vgpu_op *op, const struct vgpu_image *image)
{
   const int32_t mode = op->insn->mod[ISA_MOD_LOD_MODE];
   return !op->image.in_memory && is_shared(&op->insn->src[0]) && !op->image.gradient && !op->image.has_level &&
          mode != LOD_GIVEN && mode != LOD_UNIFORM && image->dimension == VGPU_2D;
}

/* All lanes' levels: before a lane's result overwrites coordinates that its quad looks at. */
static void find_levels(const struct vgpu_op *op, struct vgpu_simd *simd, struct found_image *found,
                        struct found_sampler *found_sampler, double levels[VGPU_LANES])
{
   int quad = -1; /* whose level is known */
   double of_quad = 0;
   for (unsigned lane = 0; lane < VGPU_LANES && !simd->worker->stop; lane++) {
      const struct vgpu_image *image = simd->exec >> lane & 1 ? find_image(op, simd, lane, false, found) : NULL;
      levels[lane] = 0;
      if (!image || image->null) {
         continue;
      }
      const struct vgpu_sampler *sampler =
          is_shared(&op->insn->src[1]) ? find_sampler(op, simd, lane, found_sampler) : NULL;
      if (sampler && !op->image.query && !vgpu_sampler_needs_level(sampler)) {
         continue;
      }
      if (quad != (int)lane / 4 || !is_of_quad(op, image)) {
         of_quad = find_level(op, simd, lane, image);
         quad = (int)lane / 4;
      }
      levels[lane] = of_quad;
   }
}

/* Whether the instruction asks for no more than the filter of all lanes has. */
static bool is_simple(const struct vgpu_op *op)
{
   return !op->image.in_memory && !op->image.shadow && !op->image.gather && !op->image.offset && !op->image.layered &&
          !op->image.query && !op->image.multisampled && !op->image.narrow && op->image.coordinates == 2 &&
          op->dst.size == 32 && is_shared(&op->insn->src[0]) && is_shared(&op->insn->src[1]);
}

/* All lanes side by side; false: lane by lane. */
static bool sample_together(const struct vgpu_op *op, struct vgpu_simd *simd, struct found_image *found,
                            struct found_sampler *found_sampler)
{
   if (!is_simple(op) || !simd->exec) {
      return false;
   }
   const unsigned first = (unsigned)__builtin_ctz(simd->exec);
   const struct vgpu_image *image = find_image(op, simd, first, false, found);
   const struct vgpu_sampler *sampler = image && !image->null ? find_sampler(op, simd, first, found_sampler) : NULL;
   if (!sampler || !vgpu_is_plain(image) || !sampler->linear_up || vgpu_sampler_needs_level(sampler) ||
       sampler->wrap[0] == VGPU_WRAP_EDGE_OLD || sampler->wrap[1] == VGPU_WRAP_EDGE_OLD) {
      return false;
   }
   const struct vgpu_sample sample = {
       .op = op, .simd = simd, .image = image, .sampler = sampler, .gather = -1, .plain = &found->last->plain};
   static const uint8_t in_order[4] = {0, 1, 2, 3};
   uint32_t *registers = simd->base[VGPU_REGISTERS];
   const uint32_t *const at[2] = {registers + (unsigned)op->insn->src[2].value / 2 * VGPU_LANES,
                                  registers + ((unsigned)op->insn->src[2].value / 2 + 1) * VGPU_LANES};
   _Alignas(64) uint32_t channels[4][VGPU_LANES];
   if (simd->exec == VGPU_ALL && op->image.mask == 15 && !memcmp(image->swizzle, in_order, sizeof(in_order))) {
      return vgpu_filter_lanes(&sample, at, (uint32_t(*)[VGPU_LANES])(registers + op->dst.vector));
   }
   if (!vgpu_filter_lanes(&sample, at, channels)) {
      return false;
   }
   write_lanes(op, simd, image, channels);
   return true;
}

static void sample_simd(const struct vgpu_op *op, struct vgpu_simd *simd, struct found_image *found,
                        struct found_sampler *found_sampler)
{
   uint64_t addresses[VGPU_LANES] = {0};
   double levels[VGPU_LANES];
   struct vgpu_sample sample = {
       .op = op, .simd = simd, .shadow = op->image.shadow, .gather = (int)op->image.gather - 1};
   if (sample_together(op, simd, found, found_sampler)) {
      for (unsigned lane = 0; lane < VGPU_LANES && simd->path; lane++) {
         addresses[lane] = found->last->image.address;
      }
      tell_access(simd, VGPU_ACCESS_LOAD, addresses, simd->exec, 4);
      return;
   }
   find_levels(op, simd, found, found_sampler, levels);
   for (unsigned lane = 0; lane < VGPU_LANES && !simd->worker->stop; lane++) {
      if (!(simd->exec >> lane & 1)) {
         continue;
      }
      const struct vgpu_image *image = find_image(op, simd, lane, false, found);
      const struct vgpu_sampler *sampler = image && !image->null ? find_sampler(op, simd, lane, found_sampler) : NULL;
      if (!sampler) {
         write_nothing(op, simd, lane);
         continue;
      }
      sample.image = image;
      sample.sampler = sampler;
      sample.plain = vgpu_is_plain(image) && !op->image.shadow ? &found->last->plain : NULL;
      sample.level = levels[lane];
      uint32_t channels[4], none = 0;
      for (unsigned i = 0; i < op->image.coordinates; i++) {
         sample.at[i] = tame(coordinate(op, simd, i, lane));
      }
      find_layer(op, simd, lane, &sample.layer, &none);
      find_offset(op, simd, lane, sample.offset);
      if (op->image.shadow) {
         sample.reference = vgpu_bits_float(register_word(simd, (unsigned)op->insn->src[4].value, lane));
      }
      if (op->image.query) {
         vgpu_sample_query(&sample, channels);
      } else {
         vgpu_sample_take(&sample, channels);
      }
      addresses[lane] = image->address;
      write_result(op, simd, lane, image, channels, op->image.gather || op->image.query);
   }
   tell_access(simd, VGPU_ACCESS_LOAD, addresses, simd->exec, 4);
}

/* The simdgroups share state registers. */
static void sample_all(const struct vgpu_op *op, struct vgpu_simd *const *simds, unsigned count)
{
   struct found_image found;
   struct found_sampler found_sampler = {.any = false};
   found.last = NULL;
   for (unsigned i = 0; i < count; i++) {
      sample_simd(op, simds[i], &found, &found_sampler);
   }
}

/* ---- Writes ---- */

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

/* Component i of all lanes. */
static void components(const struct vgpu_op *op, const struct vgpu_simd *simd, const struct vgpu_image *image,
                       unsigned i, uint32_t to[VGPU_LANES])
{
   const uint32_t *registers = simd->base[VGPU_REGISTERS] + (op->dst.size == 32 ? op->dst.vector + i * VGPU_LANES : 0);
   if (op->dst.size == 32) {
      memcpy(to, registers, VGPU_LANES * sizeof(*to));
      return;
   }
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      to[lane] = component(op, simd, lane, image, i);
   }
}

/* All lanes side by side; false: lane by lane. */
static bool write_together(const struct vgpu_op *op, struct vgpu_simd *simd, uint32_t active, struct found_image *found)
{
   if (!active || !can_be_together(op, simd)) {
      return false;
   }
   const unsigned first = (unsigned)__builtin_ctz(active);
   const struct vgpu_image *image = find_image(op, simd, first, true, found);
   if (!image || image->null) {
      return false;
   }
   const struct vgpu_texel_place place = place_of(op, simd, first, image, 0);
   const struct vgpu_sample sample = {
       .op = op, .simd = simd, .image = image, .layer = place.layer, .plain = &found->last->plain};
   const uint32_t *x = simd->base[VGPU_REGISTERS] + (unsigned)op->insn->src[2].value / 2 * VGPU_LANES;
   const uint32_t *const at[2] = {x, op->image.coordinates > 1 ? x + VGPU_LANES : NULL};
   _Alignas(64) uint32_t channels[4][VGPU_LANES];
   for (unsigned i = 0; i < 4; i++) {
      components(op, simd, image, image->swizzle[i] & 3, channels[i]);
   }
   return vgpu_texels_store(&sample, active, at, channels);
}

static void write_simd(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   uint64_t addresses[VGPU_LANES] = {0};
   uint32_t writes = 0;
   unsigned bytes = 4;
   struct found_image found;
   found.last = NULL;
   const uint32_t active = vgpu_stage_storing(simd->worker->launch->stage, simd->index * VGPU_LANES, simd->exec);
   if (write_together(op, simd, active, &found)) {
      return;
   }
   for (unsigned lane = 0; lane < VGPU_LANES && !simd->worker->stop; lane++) {
      if (!(active >> lane & 1)) {
         continue;
      }
      const struct vgpu_image *image = find_image(op, simd, lane, true, &found);
      if (!image) {
         continue;
      }
      const struct vgpu_texel_place place = place_of(op, simd, lane, image, 0);
      if (vgpu_texel_exists(image, &place)) {
         uint32_t channels[4];
         uint8_t texel[16];
         for (unsigned i = 0; i < 4; i++) {
            channels[i] = component(op, simd, lane, image, image->swizzle[i] & 3);
         }
         vgpu_texel_encode(image, channels, texel);
         addresses[lane] = vgpu_texel_address(image, &place);
         vgpu_texel_write(op, simd, image, &place, texel);
         writes |= 1u << lane;
         bytes = image->bytes;
      }
   }
   tell_access(simd, VGPU_ACCESS_STORE, addresses, writes, bytes);
}

/* ---- Blocks of threadgroup memory that become blocks of an image ---- */

/* The bytes of a pixel's sample in threadgroup memory; NULL: they lie outside of it. */
static const uint8_t *pixel_at(const struct vgpu_simd *simd, uint32_t x, uint32_t y, uint32_t sample, uint32_t offset,
                               unsigned bytes)
{
   const struct vgpu_tile *tile = &simd->worker->launch->tile;
   const uint64_t pixel = (uint64_t)y * tile->width + x;
   const uint64_t at = ((pixel << tile->samples_log2) + sample) * tile->sample_bytes + offset;
   const bool inside = sample >> tile->samples_log2 == 0 && at + bytes <= simd->group->bytes;
   return inside ? simd->group->memory + at : NULL;
}

/* Where the block goes. An end-of-tile program writes its own tile; the layer is where compute programs have it. */
static struct vgpu_texel_place corner_of(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned lane,
                                         const struct vgpu_image *image)
{
   const struct vgpu_stage *stage = simd->worker->launch->stage;
   if (op->insn->mod[ISA_MOD_EXPLICIT_COORDS]) {
      return place_of(op, simd, lane, image, 0);
   }
   return (struct vgpu_texel_place){.x = stage->origin[0],
                                    .y = stage->origin[1],
                                    .level = image->first_level,
                                    .layer = image->layers > 1 ? stage->layer : 0};
}

struct block_write {
   const struct vgpu_image *image;
   struct vgpu_texel_place corner;
   uint32_t offset;
   unsigned format, bytes; /* of pixels */
   bool copies;            /* a texel is the pixel's four bytes */
};

/* Whether the pixels from there on are 16 x 16 texels with metadata of their own, wholly inside of the image. No texel
 * of it is kept then, so that the colours of its parts need not be written out first. */
static bool cover_block(const struct vgpu_op *op, struct vgpu_simd *simd, const struct block_write *write, uint32_t x,
                        uint32_t y)
{
   struct vgpu_texel_place first = write->corner, last;
   first.x += x;
   first.y += y;
   last = first;
   last.x += SIDE - 1;
   last.y += SIDE - 1;
   if (first.x % SIDE || first.y % SIDE || !vgpu_texel_exists(write->image, &last) ||
       !pixel_at(simd, x + SIDE - 1, y + SIDE - 1, (1u << write->image->samples_log2) - 1, write->offset,
                 write->bytes)) {
      return false;
   }
   vgpu_texel_cover(op, simd, write->image, &first);
   return true;
}

/* Those 16 x 16 texels where they lie one after the other in Morton order; NULL: they do not, or are not mapped. */
static uint8_t *find_covered(struct vgpu_simd *simd, const struct block_write *write, uint32_t left, uint32_t top)
{
   const struct vgpu_image *image = write->image;
   const struct vgpu_mip *mip = &image->mips[write->corner.level];
   struct vgpu_texel_place first = write->corner;
   first.x += left;
   first.y += top;
   const uint64_t address = vgpu_texel_address(image, &first);
   const bool together = image->layout == VGPU_TWIDDLED && !image->samples_log2 && 1u << mip->tile_x >= SIDE &&
                         1u << mip->tile_y >= SIDE && address % (SIDE * SIDE * image->bytes) == 0;
   return together ? vgpu_memory_at(&simd->worker->memory, address, VGPU_WRITE) : NULL;
}

static void write_covered(const struct vgpu_simd *simd, const struct block_write *write, uint32_t left, uint32_t top,
                          uint8_t *to)
{
   const struct vgpu_tile *tile = &simd->worker->launch->tile;
   const size_t step = (size_t)tile->sample_bytes << tile->samples_log2;
   const uint8_t *first = pixel_at(simd, left, top, 0, write->offset, write->bytes);
   if (write->copies && step == 4) {
      vgpu_morton_store(to, first, 4, tile->width * step);
      return;
   }
   if (write->copies && step == 8) {
      vgpu_morton_store(to, first, 8, tile->width * step);
      return;
   }
   for (uint32_t y = 0; y < SIDE; y++) {
      const uint8_t *pixel = pixel_at(simd, left, top + y, 0, write->offset, write->bytes);
      for (uint32_t x = 0; x < SIDE; x++, pixel += step) {
         const uint32_t at = vgpu_morton[x] + 2u * vgpu_morton[y];
         if (write->copies) {
            memcpy(to + 4 * (size_t)at, pixel, 4);
         } else {
            uint8_t texel[16];
            vgpu_pixel_encode(write->image, write->format, pixel, texel);
            memcpy(to + (size_t)at * write->image->bytes, texel, write->image->bytes);
         }
      }
   }
}

static void write_part(const struct vgpu_op *op, struct vgpu_simd *simd, const struct block_write *write, uint32_t left,
                       uint32_t top)
{
   const struct vgpu_image *image = write->image;
   const uint32_t samples = 1u << image->samples_log2;
   const bool covered = cover_block(op, simd, write, left, top);
   uint8_t *to = covered ? find_covered(simd, write, left, top) : NULL;
   if (to) {
      write_covered(simd, write, left, top, to);
      return;
   }
   for (uint32_t i = 0; i < SIDE * SIDE * samples; i++) {
      const uint32_t x = left + i / samples % SIDE, y = top + i / samples / SIDE;
      struct vgpu_texel_place place = write->corner;
      place.x += x;
      place.y += y;
      place.sample = i % samples;
      const uint8_t *pixel = pixel_at(simd, x, y, place.sample, write->offset, write->bytes);
      if (pixel && vgpu_texel_exists(image, &place)) {
         uint8_t texel[16];
         vgpu_pixel_encode(image, write->format, pixel, texel);
         vgpu_texel_write(op, simd, image, &place, texel);
      }
   }
}

/* Tiles are multiples of 16 x 16 pixels. */
static void write_block(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned lane, const struct vgpu_image *image)
{
   const struct vgpu_tile *tile = &simd->worker->launch->tile;
   struct block_write write = {.image = image,
                               .corner = corner_of(op, simd, lane, image),
                               .offset = half_of(simd, &op->insn->src[4], 0, lane),
                               .format = (unsigned)op->insn->mod[ISA_MOD_FORMAT] & 15};
   write.bytes = vgpu_pixel_bytes(image, write.format);
   write.copies = image->bytes == 4 && vgpu_pixel_is_texel(image, write.format);
   for (uint32_t i = 0; i < tile->width / SIDE * (tile->height / SIDE); i++) {
      write_part(op, simd, &write, i % (tile->width / SIDE) * SIDE, i / (tile->width / SIDE) * SIDE);
   }
}

static void block_simd(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   struct found_image found;
   found.last = NULL;
   for (unsigned lane = 0; lane < VGPU_LANES && !simd->worker->stop; lane++) {
      const struct vgpu_image *image = simd->exec >> lane & 1 ? find_image(op, simd, lane, true, &found) : NULL;
      if (image && !image->null) {
         write_block(op, simd, lane, image);
      }
   }
}

#define EACH(name)                                                                                                     \
   static void name##_all(const struct vgpu_op *op, struct vgpu_simd *const *simds, unsigned count)                    \
   {                                                                                                                   \
      for (unsigned i = 0; i < count; i++) {                                                                           \
         name##_simd(op, simds[i]);                                                                                    \
      }                                                                                                                \
   }
EACH(load)
EACH(write)
EACH(block)
static void state_simd(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   load_state(op, simd);
}
EACH(state)

const struct vgpu_handler VGPU_NAME(vgpu_do_texture_load) = {{load_all, load_all, load_all, load_all}};
VGPU_OPERATION(TEXTURE_LOAD, texture, FALL, PLAIN, texture_load);
const struct vgpu_handler VGPU_NAME(vgpu_do_texture_sample) = {{sample_all, sample_all, sample_all, sample_all}};
VGPU_OPERATION(TEXTURE_SAMPLE, texture, FALL, PLAIN, texture_sample);
const struct vgpu_handler VGPU_NAME(vgpu_do_image_write) = {{write_all, write_all, write_all, write_all}};
VGPU_OPERATION(IMAGE_WRITE, image_write, FALL, PLAIN, image_write);
const struct vgpu_handler VGPU_NAME(vgpu_do_image_write_block) = {{block_all, block_all, block_all, block_all}};
VGPU_OPERATION(IMAGE_WRITE_BLOCK, image_write_block, FALL, PLAIN, image_write_block);
const struct vgpu_handler VGPU_NAME(vgpu_do_state_load) = {{state_all, state_all, state_all, state_all}};
VGPU_OPERATION(STATE_LOAD, state_load, FALL, PLAIN, state_load);
