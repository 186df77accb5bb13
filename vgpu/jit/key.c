/* SPDX-License-Identifier: MIT
 *
 * Writes keys: of each op that has code its operation, its descriptor, its literals, and what else of the instruction
 * the text depends on. A key depends on no address.
 */
#include "vgpu/jit/key.h"

#include <stdlib.h>
#include <string.h>

#include "vgpu/exec/code.h"
#include "vgpu/jit/facts/certain.h"
#include "vgpu/jit/emit.h"
#include "vgpu/jit/facts/flow.h"
#include "vgpu/jit/facts/lanes.h"
#include "vgpu/jit/facts/memory.h"
#include "util/array.h"

enum { REGION = 0xfd, LOOP = 0xfe, WITHOUT_CODE = 0xff };
_Static_assert((unsigned)ISA_OP_COUNT <= (unsigned)REGION, "the first byte of an op differs from these");

struct key {
   uint8_t *bytes;
   size_t count, room;
   bool failed; /* out of memory */
};

static void put(struct key *key, const void *bytes, size_t size)
{
   if (!key->failed && !ARRAY_RESERVE(key->bytes, key->room, key->count + size)) {
      key->failed = true;
   }
   if (!key->failed && size > 0) {
      memcpy(key->bytes + key->count, bytes, size);
      key->count += size;
   }
}

static void put_byte(struct key *key, uint8_t byte)
{
   put(key, &byte, 1);
}

static uint8_t *finish(const struct key *key, size_t *size)
{
   if (key->failed) {
      free(key->bytes);
      return NULL;
   }
   *size = key->count;
   return key->bytes;
}

/* What the descriptor does not say: the source that makes the op certain, whether that is a uniform, and the kind of an
 * operation on the exec mask. */
static uint8_t further(const struct vgpu_op *op, const struct vgpu_op *descriptor, const uint32_t *vectors)
{
   struct vgpu_certain certain = {.source = 0};
   const bool is_certain = descriptor->certain && vgpu_jit_is_certain(op, vectors, &certain);
   const bool uniform = is_certain && op->insn->src[certain.source].kind == ISA_UNIFORM;
   return (uint8_t)(certain.source | (unsigned)uniform << 2 | (unsigned)vgpu_jit_turns(op) << 3);
}

/* What a region does with an op on the exec mask where no lane is active, also without code for it. */
static void put_idle(struct key *key, const struct vgpu_op *op)
{
   const bool changes = vgpu_jit_pops(op) || vgpu_jit_turns(op) || vgpu_jit_branches(op);
   put_byte(key, changes);
   if (changes) {
      put_byte(key, (uint8_t)op->insn->op);
      put(key, &op->compare.nest, sizeof(op->compare.nest));
   }
}

static void put_op(struct key *key, const struct vgpu_llvm *llvm, const struct vgpu_block *block,
                   const struct vgpu_op *op)
{
   struct vgpu_literals literals;
   struct vgpu_op descriptor;
   literals.count = 0;
   if (!vgpu_jit_supports(llvm, block, op) || !vgpu_emit_descriptor(op, block->code->vectors, &literals, &descriptor)) {
      put_byte(key, WITHOUT_CODE);
      put_idle(key, op);
      return;
   }
   put_byte(key, (uint8_t)op->insn->op);
   put_byte(key, further(op, &descriptor, block->code->vectors));
   put(key, &descriptor, sizeof(descriptor));
   put(key, literals.words, literals.count * sizeof(literals.words[0]));
}

/* What is known about registers, of those that the block reads or writes. */
static void put_facts(struct key *key, const struct vgpu_halves *used, const uint8_t *facts)
{
   for (uint32_t half = 0; half < VGPU_HALVES; half += 2) {
      if (used->bits[half / 64] >> half % 64 & 3) {
         put_byte(key, facts[half / 2]);
      }
   }
}

/* The ops do not say what those without code do to the registers. */
static void put_ops(struct key *key, const struct vgpu_llvm *llvm, const struct vgpu_block *block)
{
   uint8_t facts[VGPU_JIT_VECTORS];
   struct vgpu_halves used = {{0}};
   for (uint32_t i = 0; i < block->count; i++) {
      vgpu_op_registers(&block->ops[i], &used, &used);
   }
   vgpu_jit_facts_at(block, 0, facts);
   put_facts(key, &used, facts);
   for (uint32_t i = 0; i < block->count; i++) {
      put_op(key, llvm, block, &block->ops[i]);
      vgpu_jit_take_result(&block->ops[i], block->code->positions_count, facts);
      if (!vgpu_jit_supports(llvm, block, &block->ops[i])) {
         put_facts(key, &used, facts);
      }
   }
}

uint8_t *vgpu_jit_block_key(const struct vgpu_llvm *llvm, const struct vgpu_block *block, size_t *size)
{
   const struct vgpu_block *body = vgpu_jit_loop_body(llvm, block);
   struct key key = {.bytes = NULL};
   put_byte(&key, body ? 1 + (body->count > 0) : 0);
   put_byte(&key, block->control == VGPU_STOP); /* the registers are dead then */
   put_byte(&key, block->code->positions_count);
   put_ops(&key, llvm, block);
   if (body) {
      put_byte(&key, LOOP);
      put_ops(&key, llvm, body);
   }
   return finish(&key, size);
}

uint8_t *vgpu_jit_region_key(const struct vgpu_llvm *llvm, const struct vgpu_jit_region *region, size_t *size)
{
   struct key key = {.bytes = NULL};
   put_byte(&key, REGION);
   put_byte(&key, region->first->code->positions_count);
   for (uint32_t i = 0; i < region->count; i++) {
      const struct vgpu_block *block = &region->first[i];
      const int32_t places[2] = {block->next ? (int32_t)(block->next - region->first) : INT32_MAX,
                                 block->target ? (int32_t)(block->target - region->first) : INT32_MAX};
      const uint32_t lengths[3] = {block->count, block->length, block->first_idle};
      put_byte(&key, block->control);
      put_byte(&key, vgpu_jit_has_masked(region, block));
      put(&key, places, sizeof(places));
      put(&key, lengths, sizeof(lengths));
      put_ops(&key, llvm, block);
   }
   return finish(&key, size);
}
