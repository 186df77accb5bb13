/* SPDX-License-Identifier: MIT
 *
 * Threadgroup memory and the stack: spec/isa.md 1.10, 4.4, 4.5.
 */
#include "vgpu/exec/semantics/lane_pointers.h"

#include "vgpu/exec/stack.h"
#include "vgpu/timing/path/path.h"

/* ---- Threadgroup memory. src[0]: base, src[1]: index ---- */

/* One host thread runs a whole threadgroup, so nothing here needs to be atomic. Outside the threadgroup's memory loads
 * return 0 and stores are dropped. */
static void local_addresses(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned size, uint64_t *address)
{
   VGPU_LANE_ARRAY(uint32_t, base);
   VGPU_LANE_ARRAY(uint32_t, index);
   vgpu_get_lanes(op, 0, simd, base);
   vgpu_get_lanes(op, 1, simd, index);
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      address[lane] = (base[lane] & ~(size - 1)) + index[lane] * size; /* below 0: far outside */
   }
}

static void local_pointers(const struct vgpu_simd *simd, const uint64_t *address, unsigned span,
                           struct vgpu_lane_pointers *pointers)
{
   pointers->valid = 0;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      bool inside = address[lane] + span <= simd->group->bytes;
      if (inside && (simd->exec >> lane & 1)) {
         pointers->at[lane] = simd->group->memory + address[lane];
         pointers->valid |= 1u << lane;
      } else {
         pointers->at[lane] = pointers->spare[lane];
         memset(pointers->spare[lane], 0, VGPU_MAX_SPAN);
      }
   }
}

static bool local_line(const struct vgpu_op *op, const struct vgpu_simd *simd, const uint64_t *address, unsigned step)
{
   uint64_t bytes = (VGPU_LANES - 1) * step + vgpu_span(op);
   return simd->exec == VGPU_ALL && vgpu_has_words(op) && vgpu_spaced(address, step) &&
          address[0] + bytes <= simd->group->bytes;
}

/* For the timing model. */
static void record_local(const struct vgpu_simd *simd, const uint64_t *address, unsigned span, bool serial)
{
   if (simd->path) {
      vgpu_access_banks(&simd->path->accesses, address, simd->exec, span, serial);
   }
}

/* One word of each lane, wherever it is. */
static bool is_one_word(const struct vgpu_op *op)
{
   return vgpu_has_words(op) && op->memory.mask == 1;
}

static void load_words(const struct vgpu_op *op, struct vgpu_simd *simd, const uint64_t *address)
{
   VGPU_LANE_ARRAY(uint32_t, word);
   memset(word, 0, sizeof(word));
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      if (address[lane] + 4 <= simd->group->bytes) {
         memcpy(&word[lane], simd->group->memory + address[lane], 4);
      }
   }
   vgpu_put_lanes(op, simd, word);
}

/* The last lane wins. */
static void store_words(const struct vgpu_op *op, const struct vgpu_simd *simd, const uint64_t *address)
{
   const uint32_t *word = vgpu_dest_vector(simd, &op->dst);
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      if (address[lane] + 4 <= simd->group->bytes) {
         memcpy(simd->group->memory + address[lane], &word[lane], 4);
      }
   }
}

static void local_load(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint64_t, address);
   struct vgpu_lane_pointers pointers;
   unsigned span = vgpu_span(op);
   local_addresses(op, simd, op->memory.element_bytes, address);
   record_local(simd, address, span, false);
   if (local_line(op, simd, address, span)) {
      vgpu_load_line(op, simd, simd->group->memory + address[0], span);
   } else if (local_line(op, simd, address, 0)) {
      vgpu_load_line(op, simd, simd->group->memory + address[0], 0);
   } else if (is_one_word(op)) {
      load_words(op, simd, address);
   } else {
      local_pointers(simd, address, span, &pointers);
      vgpu_load_lanes(op, simd, &pointers);
   }
}

static void local_store(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint64_t, address);
   struct vgpu_lane_pointers pointers;
   unsigned span = vgpu_span(op);
   local_addresses(op, simd, op->memory.element_bytes, address);
   record_local(simd, address, span, false);
   if (local_line(op, simd, address, span)) {
      vgpu_store_line(op, simd, simd->group->memory + address[0], span);
   } else if (is_one_word(op)) {
      store_words(op, simd, address);
   } else {
      local_pointers(simd, address, span, &pointers);
      vgpu_store_lanes(op, simd, &pointers);
   }
}

/* The most frequent atomic: the old value is not used. */
static void add_words(const struct vgpu_simd *simd, const uint64_t *address, const uint32_t *data)
{
   const struct vgpu_threadgroup *group = simd->group;
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      if (address[lane] + 4 <= group->bytes) {
         *(uint32_t *)(void *)(group->memory + address[lane]) += data[lane];
      }
   }
}

/* Lane after lane, without locked instructions: the threadgroup's memory has one host thread. */
static void local_atomic(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint64_t, address);
   VGPU_LANE_ARRAY(uint32_t, old);
   const uint32_t *data = vgpu_source_vector(simd, &op->src[2]), *next = vgpu_source_vector(simd, &op->src[3]);
   const struct vgpu_threadgroup *group = simd->group;
   const uint32_t operation = op->atomic.operation;
   local_addresses(op, simd, 4, address);
   record_local(simd, address, 4, true);
   if (operation == ISA_ATOMIC_ADD && !op->dst.present) {
      add_words(simd, address, data);
      return;
   }
   memset(old, 0, sizeof(old));
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      if (address[lane] + 4 <= group->bytes) {
         uint32_t *word = (uint32_t *)(void *)(group->memory + address[lane]);
         old[lane] = *word;
         *word = vgpu_atomic_result(operation, old[lane], data[lane], next[lane]);
      }
   }
   if (op->dst.present) {
      vgpu_put_lanes(op, simd, old);
   }
}

VGPU_SLOW_HANDLER(local_load, local_load);
VGPU_OPERATION(LLOAD, local_load, FALL, PLAIN, local_load);
VGPU_SLOW_HANDLER(local_store, local_store);
VGPU_OPERATION(LSTORE, local_store, FALL, PLAIN, local_store);
VGPU_SLOW_HANDLER(local_atomic, local_atomic);
VGPU_OPERATION(LATOMIC, local_atomic, FALL, PLAIN, local_atomic);

/* ---- Stack. src[1]: byte offset into the innermost frame ---- */

/* For the timing model: a word of all lanes is one line. Lanes have the same offset as a rule: the first one's counts.
 */
static void record_stack(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned kind)
{
   VGPU_LANE_ARRAY(uint32_t, offset);
   if (!simd->path) {
      return;
   }
   if (!simd->exec) {
      vgpu_access_none(&simd->path->accesses);
      return;
   }
   vgpu_get_lanes(op, 1, simd, offset);
   uint64_t first = (uint64_t)simd->stack.base * 4 + offset[__builtin_ctz(simd->exec)];
   vgpu_access_run(&simd->path->accesses, kind, first * VGPU_LANES, vgpu_span(op) * VGPU_LANES);
}

/* Words of the stack, one a lane and component. */
struct stack_words {
   VGPU_LANE_ARRAY(uint32_t, word); /* the first of each lane: its index among the lane's words */
   bool same;                       /* it is that of `first` in all active lanes */
   uint32_t first;
};

/* false: other elements than words, or ones that the stack does not have yet. */
static bool find_stack_words(const struct vgpu_op *op, const struct vgpu_simd *simd, struct stack_words *words)
{
   const struct vgpu_stack *stack = &simd->stack;
   if (!vgpu_has_words(op) || op->dst.form != VGPU_WORD || simd->exec == 0) {
      return false;
   }
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      const vu word = (vgpu_get(op, 1, simd, i, VGPU_GENERAL) >> 2) + stack->base;
      vgpu_store(words->word, i, word & vgpu_load(simd->mask, i));
   }
   words->first = words->word[__builtin_ctz(simd->exec)];
   vu differs = vgpu_all(0), past = vgpu_all(0);
   const uint64_t span = vgpu_span(op) / 4;
   if (span > stack->allocated) {
      return false;
   }
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      const vu word = vgpu_load(words->word, i);
      differs |= (word ^ words->first) & vgpu_load(simd->mask, i);
      past |= (vu)(word > (uint32_t)(stack->allocated - span));
   }
   words->same = !vgpu_any(differs);
   return !vgpu_any(past);
}

static void load_stack_words(const struct vgpu_op *op, struct vgpu_simd *simd, const struct stack_words *words)
{
   uint32_t *vector = vgpu_dest_vector(simd, &op->dst);
   for (uint32_t left = op->memory.mask; left; left &= left - 1, vector += VGPU_LANES) {
      const uint32_t *from = simd->stack.words + (unsigned)__builtin_ctz(left) * VGPU_LANES;
      VGPU_LANE_ARRAY(uint32_t, lanes);
      for (unsigned lane = 0; !words->same && lane < VGPU_LANES; lane++) {
         lanes[lane] = from[(size_t)words->word[lane] * VGPU_LANES + lane];
      }
      const uint32_t *row = words->same ? from + (size_t)words->first * VGPU_LANES : lanes;
      for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
         const vu word = ((const vgpu_words *)(const void *)row)[i];
         vgpu_store(vector, i, vgpu_select(vgpu_load(simd->mask, i), word, vgpu_load(vector, i)));
      }
   }
}

static void store_stack_words(const struct vgpu_op *op, struct vgpu_simd *simd, const struct stack_words *words)
{
   const uint32_t *vector = vgpu_dest_vector(simd, &op->dst);
   for (uint32_t left = op->memory.mask; left; left &= left - 1, vector += VGPU_LANES) {
      uint32_t *to = simd->stack.words + (unsigned)__builtin_ctz(left) * VGPU_LANES;
      vgpu_words *row = (vgpu_words *)(void *)(to + (size_t)words->first * VGPU_LANES);
      for (unsigned i = 0; words->same && i < VGPU_CHUNKS; i++) {
         row[i] = vgpu_select(vgpu_load(simd->mask, i), vgpu_load(vector, i), row[i]);
      }
      for (uint32_t lanes = words->same ? 0 : simd->exec; lanes; lanes &= lanes - 1) {
         const unsigned lane = (unsigned)__builtin_ctz(lanes);
         to[(size_t)words->word[lane] * VGPU_LANES + lane] = vector[lane];
      }
   }
}

static bool stack_pointers(const struct vgpu_op *op, struct vgpu_simd *simd, struct vgpu_lane_pointers *pointers)
{
   VGPU_LANE_ARRAY(uint32_t, offset);
   struct vgpu_stack *stack = &simd->stack;
   unsigned span = vgpu_span(op);
   vgpu_get_lanes(op, 1, simd, offset);
   pointers->valid = simd->exec;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      pointers->at[lane] = pointers->spare[lane];
      if (!(simd->exec >> lane & 1)) {
         memset(pointers->spare[lane], 0, VGPU_MAX_SPAN);
         continue;
      }
      uint64_t address = (uint64_t)stack->base * 4 + (offset[lane] & ~(op->memory.element_bytes - 1));
      uint64_t words = (address + span + 3) / 4;
      if (!vgpu_stack_reserve(simd, op, words)) {
         return false;
      }
      /* The lane's bytes are not contiguous: element by element through the spare. */
      for (unsigned byte = 0; byte < span; byte += op->memory.element_bytes) {
         uint64_t at = address + byte;
         const uint8_t *word = (const uint8_t *)&stack->words[at / 4 * VGPU_LANES + lane];
         memcpy(pointers->spare[lane] + byte, word + at % 4, op->memory.element_bytes);
      }
   }
   return true;
}

static void stack_load(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   struct vgpu_lane_pointers pointers;
   struct stack_words words;
   record_stack(op, simd, VGPU_ACCESS_STACK_LOAD);
   if (find_stack_words(op, simd, &words)) {
      load_stack_words(op, simd, &words);
   } else if (stack_pointers(op, simd, &pointers)) {
      vgpu_load_lanes(op, simd, &pointers);
   }
}

static void stack_store(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   struct vgpu_lane_pointers pointers;
   record_stack(op, simd, VGPU_ACCESS_STACK_STORE);
   struct stack_words words;
   if (find_stack_words(op, simd, &words)) {
      store_stack_words(op, simd, &words);
      return;
   }
   if (!stack_pointers(op, simd, &pointers)) {
      return;
   }
   vgpu_store_lanes(op, simd, &pointers);
   VGPU_LANE_ARRAY(uint32_t, offset);
   unsigned span = vgpu_span(op);
   vgpu_get_lanes(op, 1, simd, offset);
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      unsigned lane = (unsigned)__builtin_ctz(lanes);
      uint64_t address = (uint64_t)simd->stack.base * 4 + (offset[lane] & ~(op->memory.element_bytes - 1));
      for (unsigned byte = 0; byte < span; byte += op->memory.element_bytes) {
         uint64_t at = address + byte;
         uint8_t *word = (uint8_t *)&simd->stack.words[at / 4 * VGPU_LANES + lane];
         memcpy(word + at % 4, pointers.spare[lane] + byte, op->memory.element_bytes);
      }
   }
}

VGPU_SLOW_HANDLER(stack_load, stack_load);
VGPU_OPERATION(STACK_LOAD, stack_load, FALL, PLAIN, stack_load);
VGPU_SLOW_HANDLER(stack_store, stack_store);
VGPU_OPERATION(STACK_STORE, stack_store, FALL, PLAIN, stack_store);

/* src[0]: words; of the first active lane where it is a register. */
static void stack_adjust(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   unsigned lane = simd->exec ? (unsigned)__builtin_ctz(simd->exec) : 0;
   vgpu_stack_adjust(simd, op, (int32_t)vgpu_source_vector(simd, &op->src[0])[lane]);
}

static void stack_get_ptr(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_put(op, simd, i, vgpu_all(simd->stack.top), VGPU_GENERAL | VGPU_MASKED);
   }
}

VGPU_SLOW_HANDLER(stack_adjust, stack_adjust);
VGPU_OPERATION(STACK_ADJUST, stack_adjust, FALL, ACTS_IDLE, stack_adjust);
VGPU_SLOW_HANDLER(stack_get_ptr, stack_get_ptr);
VGPU_OPERATION(STACK_GET_PTR, stack_get_ptr, FALL, PLAIN, stack_get_ptr);
