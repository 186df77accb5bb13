/* SPDX-License-Identifier: MIT
 *
 * Moves the components of loads and stores between lane pointers and registers; atomics on one word. Inactive lanes'
 * registers and invalid pointers are never written.
 */
#include "vgpu/exec/semantics/lane_pointers.h"

#include "vgpu/exec/half.h"

/* ---- Registers and lane pointers ---- */

static void get_part(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned n, uint32_t *lanes)
{
   struct vgpu_dest part = vgpu_dest_part(&op->dst, n);
   const uint32_t *vector = vgpu_dest_vector(simd, &part);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vu word = vgpu_load(vector, i);
      if (part.form == VGPU_LOW) {
         word &= 0xffff;
      } else if (part.form == VGPU_HIGH) {
         word >>= 16;
      }
      vgpu_store(lanes, i, word);
   }
}

static void put_part(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned n, const uint32_t *lanes)
{
   struct vgpu_dest part = vgpu_dest_part(&op->dst, n);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_put_dest(&part, simd, i, vgpu_load(lanes, i), VGPU_GENERAL | VGPU_MASKED);
   }
}

/* Elements lie on their own boundary, and other host threads may be at work on them: relaxed atomic accesses cost
 * nothing and cannot tear. */
static uint32_t read_element(const uint8_t *at, unsigned size)
{
   switch (size) {
   case 1:
      return __atomic_load_n(at, __ATOMIC_RELAXED);
   case 2:
      return __atomic_load_n((const uint16_t *)(const void *)at, __ATOMIC_RELAXED);
   default:
      return __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_RELAXED);
   }
}

static void write_element(uint8_t *at, unsigned size, uint32_t word)
{
   switch (size) {
   case 1:
      __atomic_store_n(at, (uint8_t)word, __ATOMIC_RELAXED);
      break;
   case 2:
      __atomic_store_n((uint16_t *)(void *)at, (uint16_t)word, __ATOMIC_RELAXED);
      break;
   default:
      __atomic_store_n((uint32_t *)(void *)at, word, __ATOMIC_RELAXED);
      break;
   }
}

static uint32_t number_to_register(const struct vgpu_op *op, double value)
{
   return op->dst.form == VGPU_WORD ? vgpu_f32_from_double(value) : vgpu_f16_from_double(value, false);
}

static double register_to_number(const struct vgpu_op *op, uint32_t bits)
{
   float value;
   if (op->dst.form != VGPU_WORD) {
      return vgpu_f16_to_double((uint16_t)bits);
   }
   memcpy(&value, &bits, sizeof(value));
   return value;
}

/* ---- Moving ---- */

static void load_raw(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_lane_pointers *pointers)
{
   VGPU_LANE_ARRAY(uint32_t, v);
   const unsigned bytes = op->memory.element_bytes;
   unsigned n = 0;
   for (unsigned component = 0; component < 4; component++) {
      if (op->memory.mask >> component & 1) {
         const unsigned offset = component * bytes;
         for (unsigned lane = 0; bytes == 4 && lane < VGPU_LANES; lane++) {
            v[lane] = read_element(pointers->at[lane] + offset, 4);
         }
         for (unsigned lane = 0; bytes != 4 && lane < VGPU_LANES; lane++) {
            v[lane] = read_element(pointers->at[lane] + offset, bytes);
         }
         put_part(op, simd, n++, v);
      }
   }
}

static void load_numbers(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_lane_pointers *pointers)
{
   VGPU_LANE_ARRAY(uint32_t, v);
   const struct isa_format_info *format = &isa_formats[op->memory.format];
   unsigned n = 0, count = format->components ? format->components : 4;
   for (unsigned component = 0; component < count; component++) {
      if (!format->components && !(op->memory.mask >> component & 1)) {
         continue;
      }
      unsigned offset = format->components ? 0 : component * op->memory.element_bytes;
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         uint32_t word =
             pointers->valid >> lane & 1 ? read_element(pointers->at[lane] + offset, op->memory.element_bytes) : 0;
         v[lane] = number_to_register(op, vgpu_unpack((enum isa_format)op->memory.format, word, component));
      }
      put_part(op, simd, n++, v);
   }
}

void vgpu_load_lanes(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_lane_pointers *pointers)
{
   if (isa_formats[op->memory.format].raw) {
      load_raw(op, simd, pointers);
   } else {
      load_numbers(op, simd, pointers);
   }
}

#if VGPU_GATHERS
void vgpu_load_offsets(const struct vgpu_op *op, struct vgpu_simd *simd, const uint8_t *from, const uint32_t *offsets)
{
   const unsigned bytes = op->memory.element_bytes;
   const uint32_t keep = bytes == 4 ? UINT32_MAX : (1u << 8 * bytes) - 1;
   unsigned n = 0;
   for (unsigned component = 0; component < 4; component++) {
      if (op->memory.mask >> component & 1) {
         const struct vgpu_dest part = vgpu_dest_part(&op->dst, n++);
         for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
            const vu words = vgpu_gather(from + component * bytes, vgpu_load(offsets, i), vgpu_load(simd->mask, i));
            vgpu_put_dest(&part, simd, i, words & keep, VGPU_GENERAL | VGPU_MASKED);
         }
      }
   }
}
#endif

typedef uint16_t halves __attribute__((vector_size(VGPU_WIDTH * 2), aligned(2), may_alias));

void vgpu_load_halves(const struct vgpu_op *op, struct vgpu_simd *simd, const uint8_t *from)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      const vu words = __builtin_convertvector(((const halves *)(const void *)from)[i], vu);
      vgpu_put_dest(&op->dst, simd, i, words, VGPU_GENERAL);
   }
}

void vgpu_store_halves(const struct vgpu_op *op, const struct vgpu_simd *simd, uint8_t *to)
{
   const uint32_t *vector = vgpu_dest_vector(simd, &op->dst);
   const unsigned shift = op->dst.form == VGPU_HIGH ? 16 : 0;
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      ((halves *)(void *)to)[i] = __builtin_convertvector(vgpu_load(vector, i) >> shift, halves);
   }
}

/* Every `stride` words from `from`: strides are constants, so that compilers make vector code of each. */
VGPU_INLINE void gather_words(uint32_t *lanes, const uint8_t *from, unsigned stride)
{
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      memcpy(&lanes[lane], from + 4 * stride * lane, 4);
   }
}

VGPU_INLINE void scatter_words(uint8_t *to, const uint32_t *lanes, unsigned stride)
{
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      memcpy(to + 4 * stride * lane, &lanes[lane], 4);
   }
}

void vgpu_load_vectors(const struct vgpu_op *op, struct vgpu_simd *simd, const uint8_t *from, unsigned span)
{
   uint32_t *vector = vgpu_dest_vector(simd, &op->dst);
   for (unsigned component = 0; component < 4; component++) {
      if (op->memory.mask >> component & 1) {
         const uint8_t *first = from + 4 * component;
         switch (span) {
         case 0:
            gather_words(vector, first, 0);
            break;
         case 8:
            gather_words(vector, first, 2);
            break;
         case 12:
            gather_words(vector, first, 3);
            break;
         default:
            gather_words(vector, first, 4);
            break;
         }
         vector += VGPU_LANES;
      }
   }
}

void vgpu_store_vectors(const struct vgpu_op *op, const struct vgpu_simd *simd, uint8_t *to, unsigned span)
{
   const uint32_t *vector = vgpu_dest_vector(simd, &op->dst);
   for (unsigned component = 0; component < 4; component++) {
      if (op->memory.mask >> component & 1) {
         uint8_t *first = to + 4 * component;
         switch (span) {
         case 8:
            scatter_words(first, vector, 2);
            break;
         case 12:
            scatter_words(first, vector, 3);
            break;
         default:
            scatter_words(first, vector, 4);
            break;
         }
         vector += VGPU_LANES;
      }
   }
}

static void store_elements(const struct vgpu_op *op, const struct vgpu_lane_pointers *pointers, unsigned offset,
                           const uint32_t *v)
{
   for (uint32_t lanes = pointers->valid; lanes; lanes &= lanes - 1) {
      unsigned lane = (unsigned)__builtin_ctz(lanes);
      write_element(pointers->at[lane] + offset, op->memory.element_bytes, v[lane]);
   }
}

static void store_raw(const struct vgpu_op *op, const struct vgpu_simd *simd, const struct vgpu_lane_pointers *pointers)
{
   VGPU_LANE_ARRAY(uint32_t, v);
   unsigned n = 0;
   for (unsigned component = 0; component < 4; component++) {
      if (op->memory.mask >> component & 1) {
         get_part(op, simd, n++, v);
         store_elements(op, pointers, component * op->memory.element_bytes, v);
      }
   }
}

static void store_numbers(const struct vgpu_op *op, const struct vgpu_simd *simd,
                          const struct vgpu_lane_pointers *pointers)
{
   VGPU_LANE_ARRAY(uint32_t, v[4]);
   const struct isa_format_info *format = &isa_formats[op->memory.format];
   unsigned n = 0, count = format->components ? format->components : 4;
   for (unsigned component = 0; component < count; component++) {
      if (format->components || (op->memory.mask >> component & 1)) {
         get_part(op, simd, n++, v[component]);
      }
   }
   for (uint32_t lanes = pointers->valid; lanes; lanes &= lanes - 1) {
      unsigned lane = (unsigned)__builtin_ctz(lanes);
      if (format->components) {
         double value[4] = {0};
         for (unsigned component = 0; component < count; component++) {
            value[component] = register_to_number(op, v[component][lane]);
         }
         write_element(pointers->at[lane], op->memory.element_bytes,
                       vgpu_pack((enum isa_format)op->memory.format, value, 0));
         continue;
      }
      for (unsigned component = 0; component < count; component++) {
         if (op->memory.mask >> component & 1) {
            double value = register_to_number(op, v[component][lane]);
            write_element(pointers->at[lane] + component * op->memory.element_bytes, op->memory.element_bytes,
                          vgpu_pack((enum isa_format)op->memory.format, &value, component));
         }
      }
   }
}

void vgpu_store_lanes(const struct vgpu_op *op, const struct vgpu_simd *simd, const struct vgpu_lane_pointers *pointers)
{
   if (isa_formats[op->memory.format].raw) {
      store_raw(op, simd, pointers);
   } else {
      store_numbers(op, simd, pointers);
   }
}

/* ---- Atomics ---- */

uint32_t vgpu_atomic_word(uint32_t *word, uint32_t operation, uint32_t data, uint32_t next)
{
   switch (operation) {
   case ISA_ATOMIC_ADD:
      return __atomic_fetch_add(word, data, __ATOMIC_RELAXED);
   case ISA_ATOMIC_SUB:
      return __atomic_fetch_sub(word, data, __ATOMIC_RELAXED);
   case ISA_ATOMIC_XCHG:
      return __atomic_exchange_n(word, data, __ATOMIC_RELAXED);
   case ISA_ATOMIC_AND:
      return __atomic_fetch_and(word, data, __ATOMIC_RELAXED);
   case ISA_ATOMIC_OR:
      return __atomic_fetch_or(word, data, __ATOMIC_RELAXED);
   case ISA_ATOMIC_XOR:
      return __atomic_fetch_xor(word, data, __ATOMIC_RELAXED);
   case ISA_ATOMIC_CMPXCHG: /* data: the new value, next: the expected one */
      __atomic_compare_exchange_n(word, &next, data, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
      return next;
   default: {
      uint32_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
      while (vgpu_atomic_result(operation, old, data, next) != old &&
             !__atomic_compare_exchange_n(word, &old, data, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      }
      return old;
   }
   }
}
