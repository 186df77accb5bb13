/* SPDX-License-Identifier: MIT
 *
 * Loads, stores and atomics on device memory, threadgroup memory and the stack: spec/isa.md 1.10, 4.1 - 4.5.
 *
 * All of them work alike: each lane's place is found first (host memory behind its address, or none), then the
 * components move between places and registers. a: component mask, b: enum isa_format, c: bytes of an element.
 */
#include "vgpu/vector.h"

#include "vgpu/format.h"
#include "vgpu/half.h"
#include "vgpu/stack.h"

#define MAX_SPAN 16u /* bytes that one lane moves */

/* Where each lane's data lies. */
struct places {
   uint8_t *at[VGPU_LANES];
   uint32_t valid;    /* lanes whose place is real memory */
   bool in_line;      /* all lanes are active and lie one after the other, `span` bytes apart */
   _Alignas(16) uint8_t spare[VGPU_LANES][MAX_SPAN]; /* for the others: zeros, or pieces put together */
};

/* ---- Registers and places ---- */

/* The dst or source operand that is `n` registers further on. */
static struct vgpu_dest dest_part(const struct vgpu_dest *dest, unsigned n)
{
   struct vgpu_dest part = *dest;
   unsigned half = dest->half + n * (dest->form == VGPU_WORD ? 2u : 1u);
   part.row = half / 2 * VGPU_LANES;
   part.form = dest->form == VGPU_WORD ? VGPU_WORD : half & 1 ? VGPU_HIGH : VGPU_LOW;
   return part;
}

/* Sources of data are always registers; op->dst describes them (vgpu/bind.c). */
static void get_part(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned n, uint32_t *lanes)
{
   struct vgpu_dest part = dest_part(&op->dst, n);
   const uint32_t *row = vgpu_dest_row(simd, &part);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vu word = vgpu_load(row, i);
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
   struct vgpu_op part = {.dst = dest_part(&op->dst, n)};
   vgpu_put_lanes(&part, simd, lanes);
}

static uint32_t read_element(const uint8_t *at, unsigned size)
{
   uint32_t word = 0;
   switch (size) { /* constant sizes, so that each is one host load */
   case 1:
      return *at;
   case 2:
      memcpy(&word, at, 2);
      return word;
   default:
      memcpy(&word, at, 4);
      return word;
   }
}

static void write_element(uint8_t *at, unsigned size, uint32_t word)
{
   switch (size) {
   case 1:
      *at = (uint8_t)word;
      break;
   case 2:
      memcpy(at, &word, 2);
      break;
   default:
      memcpy(at, &word, 4);
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

static void load_raw(const struct vgpu_op *op, struct vgpu_simd *simd, const struct places *places, unsigned span)
{
   VGPU_LANE_ARRAY(uint32_t, v);
   unsigned n = 0;
   for (unsigned component = 0; component < 4; component++) {
      if (!(op->a >> component & 1)) {
         continue;
      }
      unsigned offset = component * op->c;
      if (places->in_line && op->c == 4) {
         const uint8_t *from = places->at[0] + offset;
         for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
            memcpy(&v[lane], from + lane * span, 4);
         }
      } else {
         for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
            v[lane] = read_element(places->at[lane] + offset, op->c);
         }
      }
      put_part(op, simd, n++, v);
   }
}

static void load_numbers(const struct vgpu_op *op, struct vgpu_simd *simd, const struct places *places)
{
   VGPU_LANE_ARRAY(uint32_t, v);
   const struct vgpu_format *format = &vgpu_formats[op->b];
   unsigned n = 0, count = format->components ? format->components : 4;
   for (unsigned component = 0; component < count; component++) {
      if (!format->components && !(op->a >> component & 1)) {
         continue;
      }
      unsigned offset = format->components ? 0 : component * op->c;
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         uint32_t word = places->valid >> lane & 1 ? read_element(places->at[lane] + offset, op->c) : 0;
         v[lane] = number_to_register(op, vgpu_unpack((enum isa_format)op->b, word, component));
      }
      put_part(op, simd, n++, v);
   }
}

static void load_places(const struct vgpu_op *op, struct vgpu_simd *simd, const struct places *places, unsigned span)
{
   if (vgpu_formats[op->b].raw) {
      load_raw(op, simd, places, span);
   } else {
      load_numbers(op, simd, places);
   }
}

static void store_elements(const struct vgpu_op *op, const struct places *places, unsigned offset, const uint32_t *v)
{
   for (uint32_t lanes = places->valid; lanes; lanes &= lanes - 1) {
      unsigned lane = (unsigned)__builtin_ctz(lanes);
      write_element(places->at[lane] + offset, op->c, v[lane]);
   }
}

static void store_raw(const struct vgpu_op *op, const struct vgpu_simd *simd, const struct places *places,
                      unsigned span)
{
   VGPU_LANE_ARRAY(uint32_t, v);
   unsigned n = 0;
   for (unsigned component = 0; component < 4; component++) {
      if (!(op->a >> component & 1)) {
         continue;
      }
      get_part(op, simd, n++, v);
      if (places->in_line && op->c == 4) {
         uint8_t *to = places->at[0] + component * op->c;
         for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
            memcpy(to + lane * span, &v[lane], 4);
         }
      } else {
         store_elements(op, places, component * op->c, v);
      }
   }
}

static void store_numbers(const struct vgpu_op *op, const struct vgpu_simd *simd, const struct places *places)
{
   VGPU_LANE_ARRAY(uint32_t, v[4]);
   const struct vgpu_format *format = &vgpu_formats[op->b];
   unsigned n = 0, count = format->components ? format->components : 4;
   for (unsigned component = 0; component < count; component++) {
      if (format->components || (op->a >> component & 1)) {
         get_part(op, simd, n++, v[component]);
      }
   }
   for (uint32_t lanes = places->valid; lanes; lanes &= lanes - 1) {
      unsigned lane = (unsigned)__builtin_ctz(lanes);
      if (format->components) {
         double value[4] = {0};
         for (unsigned component = 0; component < count; component++) {
            value[component] = register_to_number(op, v[component][lane]);
         }
         write_element(places->at[lane], op->c, vgpu_pack((enum isa_format)op->b, value, 0));
         continue;
      }
      for (unsigned component = 0; component < count; component++) {
         if (op->a >> component & 1) {
            double value = register_to_number(op, v[component][lane]);
            write_element(places->at[lane] + component * op->c, op->c,
                          vgpu_pack((enum isa_format)op->b, &value, component));
         }
      }
   }
}

static void store_places(const struct vgpu_op *op, const struct vgpu_simd *simd, const struct places *places,
                         unsigned span)
{
   if (vgpu_formats[op->b].raw) {
      store_raw(op, simd, places, span);
   } else {
      store_numbers(op, simd, places);
   }
}

/* Bytes from the first to the last component that moves. */
static unsigned span_of(const struct vgpu_op *op)
{
   return vgpu_formats[op->b].components ? op->c : (32u - (unsigned)__builtin_clz(op->a | 1)) * op->c;
}

/* ---- Device memory. d: left shift of the index ---- */

static void addresses(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned align, unsigned scale,
                      uint64_t *address)
{
   const uint32_t *low = vgpu_row(simd, &op->src[0]), *high = low + VGPU_LANES;
   const uint32_t *index = vgpu_row(simd, &op->src[1]);
   uint64_t keep = ~(uint64_t)(align - 1);
   if (op->src[1].sx) {
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         uint64_t base = ((uint64_t)high[lane] << 32 | low[lane]) & keep;
         address[lane] = base + ((uint64_t)(int64_t)(int32_t)index[lane] << scale);
      }
   } else {
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         uint64_t base = ((uint64_t)high[lane] << 32 | low[lane]) & keep;
         address[lane] = base + ((uint64_t)index[lane] << scale);
      }
   }
}

static bool evenly_spaced(const uint64_t *address, unsigned span)
{
   uint64_t difference = 0;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      difference |= address[lane] ^ (address[0] + lane * span);
   }
   return difference == 0;
}

static unsigned log2_of(unsigned size)
{
   return (unsigned)__builtin_ctz(size);
}

/* A lane's bytes that lie on two pages: each element on its own. */
static void load_across(const struct vgpu_op *op, struct vgpu_simd *simd, uint64_t address, uint8_t *to, unsigned span)
{
   for (unsigned offset = 0; offset < span; offset += op->c) {
      const uint8_t *from = vgpu_memory_at(&simd->worker->memory, address + offset, VGPU_READ);
      if (from) {
         memcpy(to + offset, from, op->c);
      } else if (op->a >> (offset / op->c) & 1) {
         vgpu_memory_miss(simd, op, address + offset, false);
      }
   }
}

static void load(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   struct vgpu_memory *memory = &simd->worker->memory;
   VGPU_LANE_ARRAY(uint64_t, address);
   struct places places;
   unsigned span = span_of(op);
   addresses(op, simd, op->c, op->d + log2_of(op->c), address);
   places.in_line = simd->exec == VGPU_ALL && evenly_spaced(address, span) &&
                    address[0] % VGPU_PAGE + VGPU_LANES * span <= VGPU_PAGE;
   if (places.in_line) {
      uint8_t *first = vgpu_memory_at(memory, address[0], VGPU_READ);
      if (first) {
         places.valid = VGPU_ALL;
         for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
            places.at[lane] = first + lane * span;
         }
         load_places(op, simd, &places, span);
         return;
      }
      places.in_line = false;
   }
   places.valid = simd->exec;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      places.at[lane] = places.spare[lane];
      if (!(simd->exec >> lane & 1)) {
         memset(places.spare[lane], 0, MAX_SPAN);
         continue;
      }
      if (address[lane] % VGPU_PAGE + span > VGPU_PAGE) {
         memset(places.spare[lane], 0, MAX_SPAN);
         load_across(op, simd, address[lane], places.spare[lane], span);
         continue;
      }
      uint8_t *at = vgpu_memory_at(memory, address[lane], VGPU_READ);
      if (at) {
         places.at[lane] = at;
      } else {
         memset(places.spare[lane], 0, MAX_SPAN);
         places.valid &= ~(1u << lane);
         vgpu_memory_miss(simd, op, address[lane], false);
      }
   }
   load_places(op, simd, &places, span);
}

static void store(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   struct vgpu_memory *memory = &simd->worker->memory;
   VGPU_LANE_ARRAY(uint64_t, address);
   struct places places;
   unsigned span = span_of(op);
   addresses(op, simd, op->c, op->d + log2_of(op->c), address);
   places.in_line = simd->exec == VGPU_ALL && evenly_spaced(address, span) &&
                    address[0] % VGPU_PAGE + VGPU_LANES * span <= VGPU_PAGE;
   if (places.in_line) {
      uint8_t *first = vgpu_memory_at(memory, address[0], VGPU_WRITE);
      if (first) {
         places.valid = VGPU_ALL;
         for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
            places.at[lane] = first + lane * span;
         }
         store_places(op, simd, &places, span);
         return;
      }
      places.in_line = false;
   }
   places.valid = 0;
   uint32_t across = 0;
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      unsigned lane = (unsigned)__builtin_ctz(lanes);
      if (address[lane] % VGPU_PAGE + span > VGPU_PAGE) {
         places.at[lane] = places.spare[lane];
         across |= 1u << lane;
         continue;
      }
      places.at[lane] = vgpu_memory_at(memory, address[lane], VGPU_WRITE);
      if (places.at[lane]) {
         places.valid |= 1u << lane;
      } else {
         vgpu_memory_miss(simd, op, address[lane], true);
      }
   }
   places.valid |= across;
   store_places(op, simd, &places, span);
   for (; across; across &= across - 1) {
      unsigned lane = (unsigned)__builtin_ctz(across);
      for (unsigned offset = 0; offset < span; offset += op->c) {
         if (!(op->a >> (offset / op->c) & 1)) {
            continue;
         }
         uint8_t *to = vgpu_memory_at(memory, address[lane] + offset, VGPU_WRITE);
         if (to) {
            memcpy(to, places.spare[lane] + offset, op->c);
         } else {
            vgpu_memory_miss(simd, op, address[lane] + offset, true);
         }
      }
   }
}

VGPU_SLOW_HANDLER(load, load);
VGPU_SLOW_HANDLER(store, store);

/* ---- Atomics. src[2]: data, src[3]: the register after it; a: enum isa_atomic ---- */

#define ATOMIC_RELAXED __ATOMIC_RELAXED

static uint32_t minimum_or_maximum(uint32_t operation, uint32_t a, uint32_t b)
{
   switch (operation) {
   case ISA_ATOMIC_UMIN:
      return a < b ? a : b;
   case ISA_ATOMIC_UMAX:
      return a > b ? a : b;
   case ISA_ATOMIC_IMIN:
      return (int32_t)a < (int32_t)b ? a : b;
   default:
      return (int32_t)a > (int32_t)b ? a : b;
   }
}

/* One lane's operation on a word that other host threads may be working on; returns the old value. */
static uint32_t atomic_word(uint32_t *word, uint32_t operation, uint32_t data, uint32_t next)
{
   switch (operation) {
   case ISA_ATOMIC_ADD:
      return __atomic_fetch_add(word, data, ATOMIC_RELAXED);
   case ISA_ATOMIC_SUB:
      return __atomic_fetch_sub(word, data, ATOMIC_RELAXED);
   case ISA_ATOMIC_XCHG:
      return __atomic_exchange_n(word, data, ATOMIC_RELAXED);
   case ISA_ATOMIC_AND:
      return __atomic_fetch_and(word, data, ATOMIC_RELAXED);
   case ISA_ATOMIC_OR:
      return __atomic_fetch_or(word, data, ATOMIC_RELAXED);
   case ISA_ATOMIC_XOR:
      return __atomic_fetch_xor(word, data, ATOMIC_RELAXED);
   case ISA_ATOMIC_CMPXCHG: /* data: the new value, next: the expected one */
      __atomic_compare_exchange_n(word, &next, data, false, ATOMIC_RELAXED, ATOMIC_RELAXED);
      return next;
   default: {
      uint32_t old = __atomic_load_n(word, ATOMIC_RELAXED);
      while (minimum_or_maximum(operation, old, data) != old &&
             !__atomic_compare_exchange_n(word, &old, data, true, ATOMIC_RELAXED, ATOMIC_RELAXED)) {
      }
      return old;
   }
   }
}

static void atomic(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint64_t, address);
   VGPU_LANE_ARRAY(uint32_t, old);
   const uint32_t *data = vgpu_row(simd, &op->src[2]), *next = vgpu_row(simd, &op->src[3]);
   addresses(op, simd, 4, 2, address);
   memset(old, 0, sizeof(old));
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      unsigned lane = (unsigned)__builtin_ctz(lanes);
      uint8_t *at = vgpu_memory_at(&simd->worker->memory, address[lane], VGPU_READ | VGPU_WRITE);
      if (at) {
         old[lane] = atomic_word((uint32_t *)(void *)at, op->a, data[lane], next[lane]);
      } else {
         vgpu_memory_miss(simd, op, address[lane], true);
      }
   }
   if (op->dst.present) {
      vgpu_put_lanes(op, simd, old);
   }
}

static void atomic64(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint64_t, address);
   const uint32_t *low = vgpu_row(simd, &op->src[2]), *high = vgpu_row(simd, &op->src[3]);
   addresses(op, simd, 8, 3, address);
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      unsigned lane = (unsigned)__builtin_ctz(lanes);
      uint8_t *at = vgpu_memory_at(&simd->worker->memory, address[lane], VGPU_READ | VGPU_WRITE);
      if (!at) {
         vgpu_memory_miss(simd, op, address[lane], true);
         continue;
      }
      uint64_t *word = (uint64_t *)(void *)at, data = (uint64_t)high[lane] << 32 | low[lane];
      uint64_t old = __atomic_load_n(word, ATOMIC_RELAXED);
      while ((op->a == ISA_ATOMIC_UMIN64 ? data < old : data > old) &&
             !__atomic_compare_exchange_n(word, &old, data, true, ATOMIC_RELAXED, ATOMIC_RELAXED)) {
      }
   }
}

VGPU_SLOW_HANDLER(atomic, atomic);
VGPU_SLOW_HANDLER(atomic64, atomic64);

/* ---- Threadgroup memory. src[0]: base, src[1]: index ---- */

/* One host thread runs a whole threadgroup: nothing here needs to be atomic. Outside the threadgroup's memory
 * loads give 0 and stores vanish. */
static void local_places(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned size, unsigned span,
                         struct places *places)
{
   VGPU_LANE_ARRAY(uint32_t, base);
   VGPU_LANE_ARRAY(uint32_t, index);
   vgpu_get_lanes(op, 0, simd, base);
   vgpu_get_lanes(op, 1, simd, index);
   places->valid = 0;
   places->in_line = false;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      uint32_t address = (base[lane] & ~(size - 1)) + index[lane] * size;
      bool inside = address < simd->group->bytes && span <= simd->group->bytes - address;
      if (inside && (simd->exec >> lane & 1)) {
         places->at[lane] = simd->group->memory + address;
         places->valid |= 1u << lane;
      } else {
         places->at[lane] = places->spare[lane];
         memset(places->spare[lane], 0, MAX_SPAN);
      }
   }
}

static void local_load(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   struct places places;
   local_places(op, simd, op->c, span_of(op), &places);
   load_places(op, simd, &places, 0);
}

static void local_store(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   struct places places;
   local_places(op, simd, op->c, span_of(op), &places);
   store_places(op, simd, &places, 0);
}

static void local_atomic(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   struct places places;
   VGPU_LANE_ARRAY(uint32_t, old);
   const uint32_t *data = vgpu_row(simd, &op->src[2]), *next = vgpu_row(simd, &op->src[3]);
   local_places(op, simd, 4, 4, &places);
   memset(old, 0, sizeof(old));
   for (uint32_t lanes = places.valid; lanes; lanes &= lanes - 1) {
      unsigned lane = (unsigned)__builtin_ctz(lanes);
      old[lane] = atomic_word((uint32_t *)(void *)places.at[lane], op->a, data[lane], next[lane]);
   }
   if (op->dst.present) {
      vgpu_put_lanes(op, simd, old);
   }
}

VGPU_SLOW_HANDLER(local_load, local_load);
VGPU_SLOW_HANDLER(local_store, local_store);
VGPU_SLOW_HANDLER(local_atomic, local_atomic);

/* ---- Stack. src[1]: byte offset into the innermost frame ---- */

static bool stack_places(const struct vgpu_op *op, struct vgpu_simd *simd, struct places *places)
{
   VGPU_LANE_ARRAY(uint32_t, offset);
   struct vgpu_stack *stack = &simd->stack;
   unsigned span = span_of(op);
   vgpu_get_lanes(op, 1, simd, offset);
   places->valid = simd->exec;
   places->in_line = false;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      places->at[lane] = places->spare[lane];
      if (!(simd->exec >> lane & 1)) {
         memset(places->spare[lane], 0, MAX_SPAN);
         continue;
      }
      uint64_t address = (uint64_t)stack->base * 4 + (offset[lane] & ~(op->c - 1));
      uint64_t words = (address + span + 3) / 4;
      if (!vgpu_stack_reserve(simd, op, words)) {
         return false;
      }
      /* The lane's bytes are not contiguous: element by element through the spare. */
      for (unsigned byte = 0; byte < span; byte += op->c) {
         uint64_t at = address + byte;
         const uint8_t *word = (const uint8_t *)&stack->words[at / 4 * VGPU_LANES + lane];
         memcpy(places->spare[lane] + byte, word + at % 4, op->c);
      }
   }
   return true;
}

static void stack_load(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   struct places places;
   if (stack_places(op, simd, &places)) {
      load_places(op, simd, &places, 0);
   }
}

static void stack_store(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   struct places places;
   if (!stack_places(op, simd, &places)) {
      return;
   }
   store_places(op, simd, &places, 0);
   VGPU_LANE_ARRAY(uint32_t, offset);
   unsigned span = span_of(op);
   vgpu_get_lanes(op, 1, simd, offset);
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      unsigned lane = (unsigned)__builtin_ctz(lanes);
      uint64_t address = (uint64_t)simd->stack.base * 4 + (offset[lane] & ~(op->c - 1));
      for (unsigned byte = 0; byte < span; byte += op->c) {
         uint64_t at = address + byte;
         uint8_t *word = (uint8_t *)&simd->stack.words[at / 4 * VGPU_LANES + lane];
         memcpy(word + at % 4, places.spare[lane] + byte, op->c);
      }
   }
}

VGPU_SLOW_HANDLER(stack_load, stack_load);
VGPU_SLOW_HANDLER(stack_store, stack_store);

/* src[0]: words; of the first active lane where it is a register. */
static void stack_adjust(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   unsigned lane = simd->exec ? (unsigned)__builtin_ctz(simd->exec) : 0;
   vgpu_stack_adjust(simd, op, (int32_t)vgpu_row(simd, &op->src[0])[lane]);
}

static void stack_get_ptr(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_put(op, simd, i, vgpu_all(simd->stack.top), VGPU_GENERAL | VGPU_MASKED);
   }
}

VGPU_SLOW_HANDLER(stack_adjust, stack_adjust);
VGPU_SLOW_HANDLER(stack_get_ptr, stack_get_ptr);
