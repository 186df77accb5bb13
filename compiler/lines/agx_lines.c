/* SPDX-License-Identifier: MIT
 *
 * Source places from NIR through Mesa's AGX backend to bytes of machine code. Invariant: after each pass that is
 * followed, each instruction of the backend has a place or none, and an uncertain place is marked as inferred.
 *
 * Instruction selection keeps NIR's number of a value, which identifies the instruction that it was made for. Stores
 * and barriers have no value, but keep their order. Later passes change instructions in place, move, remove or replace
 * them: new instructions get the places of those that they replace.
 */
#include "compiler/lines/table.h"

#include "asahi/compiler/agx_compiler.h"
#include "util/hash_table.h"
#include "util/u_dynarray.h"

#include "isa/isa.h"

#define INFERRED COMPILER_INFERRED
#define TRAP_BYTES 16u /* bytes that Mesa packs behind the last block */

/* State of one function that the backend compiles: the main program or the preamble. */
static struct {
   const agx_context *ctx;
   struct hash_table *marks; /* const agx_instr * to a mark: place * 2 + INFERRED */
   struct util_dynarray was; /* struct entry: the instructions after the last pass that was followed */
   struct hash_table *where; /* const agx_instr * to its index in `was`, plus one */
} state;

struct entry {
   const agx_block *block;
   const agx_instr *instr;
};

static uint32_t mark_of(const agx_instr *instr)
{
   const struct hash_entry *entry = instr == NULL ? NULL : _mesa_hash_table_search(state.marks, instr);

   return entry != NULL ? (uint32_t)(uintptr_t)entry->data : 0;
}

static void set(const agx_instr *instr, uint32_t mark)
{
   if (mark > INFERRED) {
      _mesa_hash_table_insert(state.marks, instr, (void *)(uintptr_t)mark);
   }
}

void compiler_lines_backend_stop(void)
{
   if (state.ctx != NULL) {
      _mesa_hash_table_destroy(state.marks, NULL);
      _mesa_hash_table_destroy(state.where, NULL);
      util_dynarray_fini(&state.was);
      memset(&state, 0, sizeof(state));
   }
}

/* ---- After instruction selection ---- */

/* Kinds of instructions without a value, in NIR and in the backend. */
enum kind { NO_KIND, DEVICE_STORE, LOCAL_STORE, STACK_STORE, UNIFORM_STORE, BARRIER };

static enum kind kind_of_nir(nir_instr *instr)
{
   if (instr->type != nir_instr_type_intrinsic) {
      return NO_KIND;
   }
   switch (nir_instr_as_intrinsic(instr)->intrinsic) {
   case nir_intrinsic_store_agx:
      return DEVICE_STORE;
   case nir_intrinsic_store_shared:
      return LOCAL_STORE;
   case nir_intrinsic_store_scratch:
      return STACK_STORE;
   case nir_intrinsic_store_preamble:
      return UNIFORM_STORE;
   case nir_intrinsic_barrier:
      return BARRIER;
   default:
      return NO_KIND;
   }
}

static enum kind kind_of_agx(const agx_instr *instr)
{
   switch (instr->op) {
   case AGX_OPCODE_DEVICE_STORE:
      return DEVICE_STORE;
   case AGX_OPCODE_LOCAL_STORE:
      return LOCAL_STORE;
   case AGX_OPCODE_STACK_STORE:
      return STACK_STORE;
   case AGX_OPCODE_UNIFORM_STORE:
      return UNIFORM_STORE;
   default:
      return agx_opcodes_info[instr->op].schedule_class == AGX_SCHEDULE_CLASS_BARRIER ? BARRIER : NO_KIND;
   }
}

/* Returns the next NIR instruction of that kind from `from` on; NULL: there is none. */
static nir_instr *next_of_kind(nir_instr *from, enum kind kind)
{
   while (from != NULL && kind_of_nir(from) != kind) {
      from = nir_instr_next(from);
   }
   return from;
}

/* Whether an instruction continues the previous one: a barrier, and a store of several uniforms, become several
 * consecutive instructions. */
static bool continues(const agx_instr *instr, enum kind kind, enum kind before)
{
   if (kind == UNIFORM_STORE) {
      return before == kind && instr->src[1].type == AGX_INDEX_IMMEDIATE;
   }
   return kind == BARRIER && before == kind;
}

/* Returns the mark of the value that the instruction defines; 0: NIR has no such value. */
static uint32_t mark_of_value(const agx_instr *instr, nir_instr *const *values, unsigned count)
{
   for (unsigned i = 0; i < instr->nr_dests; i++) {
      if (instr->dest[i].type == AGX_INDEX_NORMAL && instr->dest[i].value < count &&
          values[instr->dest[i].value] != NULL) {
         return compiler_lines_of(values[instr->dest[i].value]);
      }
   }
   return 0;
}

static void seed_block(agx_block *block, nir_block *nir, nir_instr *const *values, unsigned count)
{
   nir_instr *next = nir_block_first_instr(nir), *last = NULL;
   enum kind before = NO_KIND;

   agx_foreach_instr_in_block(block, instr)
   {
      const enum kind kind = kind_of_agx(instr);

      if (kind == NO_KIND) {
         set(instr, mark_of_value(instr, values, count));
      } else {
         nir_instr *found = last != NULL && continues(instr, kind, before) ? last : next_of_kind(next, kind);

         if (found != NULL) {
            set(instr, compiler_lines_of(found));
            last = found;
            next = nir_instr_next(found);
         }
      }
      before = kind;
   }
   /* Instructions that compute a value's parts come before it. Those without a value are control flow, whose condition
    * comes before. */
   uint32_t after = 0;
   list_for_each_entry_rev(agx_instr, instr, &block->instructions, link)
   {
      const uint32_t mark = mark_of(instr);

      if (mark != 0) {
         after = mark;
      } else if (instr->nr_dests > 0) {
         set(instr, after | INFERRED);
      }
   }
}

static bool leaves_loop(const agx_instr *instr)
{
   switch (instr->op) {
   case AGX_OPCODE_BREAK:
   case AGX_OPCODE_BREAK_IF_ICMP:
   case AGX_OPCODE_BREAK_IF_FCMP:
   case AGX_OPCODE_WHILE_ICMP:
   case AGX_OPCODE_WHILE_FCMP:
      return true;
   default:
      return false;
   }
}

/* Returns the mark of the condition that ends the loop, for the backward jump at the end of block `last`: the condition
 * in that block, as in do-while, or the loop's first one. 0: there is none. */
static uint32_t mark_of_loop(agx_context *ctx, const agx_block *first, const agx_block *last)
{
   uint32_t found = 0;
   bool within = false;

   agx_foreach_block(ctx, block)
   {
      within |= block == first;
      if (!within) {
         continue;
      }
      agx_foreach_instr_in_block(block, instr)
      {
         if (leaves_loop(instr) && (found == 0 || block == last)) {
            found = mark_of(instr);
         }
      }
      if (block == last) {
         break;
      }
   }
   return found;
}

/* Gives each remaining instruction the mark of the previous one. The backward jump of a loop gets that of the loop's
 * condition. */
static void fill_rest(agx_context *ctx)
{
   uint32_t before = 0;

   agx_foreach_block(ctx, block)
   {
      agx_foreach_instr_in_block(block, instr)
      {
         const uint32_t mark = mark_of(instr);
         const bool jumps = instr->op == AGX_OPCODE_JMP_EXEC_ANY && instr->target != NULL;
         const uint32_t loop = mark == 0 && jumps ? mark_of_loop(ctx, instr->target, block) : 0;

         if (loop != 0) {
            set(instr, loop | INFERRED);
         } else if (mark == 0) {
            set(instr, before | INFERRED);
         } else {
            before = mark;
         }
      }
   }
}

static void seed(agx_context *ctx)
{
   nir_foreach_function_impl (impl, ctx->nir) {
      nir_instr **values = NULL;

      if (impl->function->is_preamble != ctx->is_preamble) {
         continue;
      }
      values = rzalloc_array(NULL, nir_instr *, impl->ssa_alloc + 1);
      if (values == NULL) {
         return;
      }
      nir_foreach_block (block, impl) {
         nir_foreach_instr (instr, block) {
            const nir_def *def = nir_instr_def(instr);

            if (def != NULL && def->index < impl->ssa_alloc) {
               values[def->index] = instr;
            }
         }
      }
      nir_foreach_block (block, impl) {
         if (ctx->indexed_nir_blocks[block->index] != NULL) {
            seed_block(ctx->indexed_nir_blocks[block->index], block, values, impl->ssa_alloc);
         }
      }
      ralloc_free(values);
   }
   fill_rest(ctx);
}

/* ---- After other passes ---- */

/* Stores the instructions and their order. */
static void remember(agx_context *ctx)
{
   util_dynarray_clear(&state.was);
   _mesa_hash_table_clear(state.where, NULL);
   agx_foreach_block(ctx, block)
   {
      agx_foreach_instr_in_block(block, instr)
      {
         const struct entry entry = {block, instr};

         util_dynarray_append(&state.was, struct entry, entry);
         _mesa_hash_table_insert(state.where, instr,
                                 (void *)(uintptr_t)util_dynarray_num_elements(&state.was, struct entry));
      }
   }
}

/* Returns the index of the instruction in `was`; -1: it is new. */
static int number_of(const agx_instr *instr)
{
   const struct hash_entry *entry = instr != NULL ? _mesa_hash_table_search(state.where, instr) : NULL;

   return entry != NULL ? (int)(uintptr_t)entry->data - 1 : -1;
}

/* Returns the range of `was` between two remaining instructions, or the block's ends: *from up to *to. */
static void find_replaced(const agx_block *block, const agx_instr *before, const agx_instr *after, int *from, int *to)
{
   const int count = (int)util_dynarray_num_elements(&state.was, struct entry);
   const struct entry *was = state.was.data;
   const int left = number_of(before), right = number_of(after);

   if (left >= 0) {
      *from = left + 1;
   } else {
      for (*from = 0; *from < count && was[*from].block != block; (*from)++) {
      }
   }
   if (right >= 0) {
      *to = right;
   } else {
      for (*to = *from; *to < count && was[*to].block == block; (*to)++) {
      }
   }
}

/* Marks `count` new instructions from `first` on, between two remaining ones (NULL: an end of the block). */
static void mark_new(const agx_block *block, agx_instr *first, int count, const agx_instr *before,
                     const agx_instr *after)
{
   const struct entry *was = state.was.data;
   agx_instr *instr = first;
   int from, to;

   find_replaced(block, before, after, &from, &to);
   for (int i = 0; i < count; i++) {
      if (to > from) {
         const int gone = to - from;
         const int which = from + (gone == count ? i : i * gone / count);
         const uint32_t certain = gone == count || gone == 1 ? 0 : INFERRED;

         set(instr, mark_of(was[which].instr) | certain);
         /* control flow: its condition comes before, perhaps in another block */
      } else if (instr->nr_dests == 0 && from > 0) {
         set(instr, mark_of(was[from - 1].instr) | INFERRED);
      } else {
         set(instr, mark_of(after != NULL ? after : before) | INFERRED);
      }
      instr = list_entry(instr->link.next, agx_instr, link);
   }
}

/* Gives the instructions that a pass has made their places, and stores the new order. The pass must not have moved
 * other instructions. */
static void follow(agx_context *ctx)
{
   agx_foreach_block(ctx, block)
   {
      const agx_instr *before = NULL;
      agx_instr *first = NULL;
      int count = 0;

      agx_foreach_instr_in_block(block, instr)
      {
         if (number_of(instr) < 0) {
            first = count++ == 0 ? instr : first;
            continue;
         }
         if (count > 0) {
            mark_new(block, first, count, before, instr);
         }
         before = instr;
         count = 0;
      }
      if (count > 0) {
         mark_new(block, first, count, before, NULL);
      }
   }
   remember(ctx);
}

static bool start(agx_context *ctx)
{
   compiler_lines_backend_stop();
   state.marks = _mesa_pointer_hash_table_create(NULL);
   state.where = _mesa_pointer_hash_table_create(NULL);
   util_dynarray_init(&state.was, NULL);
   state.ctx = ctx;
   if (state.marks == NULL || state.where == NULL) {
      compiler_lines_backend_stop();
   }
   return state.ctx != NULL;
}

/* ---- Calls that the linker sends here ---- */

void __real_agx_dce(agx_context *ctx, bool partial);
void __wrap_agx_dce(agx_context *ctx, bool partial);
void __real_agx_ra(agx_context *ctx);
void __wrap_agx_ra(agx_context *ctx);
void __real_agx_pack_binary(agx_context *ctx, struct util_dynarray *emission);
void __wrap_agx_pack_binary(agx_context *ctx, struct util_dynarray *emission);

/* the first call follows instruction selection, the last one precedes scheduling */
void __wrap_agx_dce(agx_context *ctx, bool partial)
{
   if (compiler_lines_is_on()) {
      if (state.ctx == ctx) {
         follow(ctx);
      } else if (start(ctx)) {
         seed(ctx);
      }
   }
   __real_agx_dce(ctx, partial);
   if (state.ctx == ctx) {
      remember(ctx);
   }
}

void __wrap_agx_ra(agx_context *ctx)
{
   if (state.ctx == ctx) {
      remember(ctx);
   }
   __real_agx_ra(ctx);
   if (state.ctx == ctx) {
      follow(ctx);
   }
}

static uint32_t length_at(const struct isa_set *set, const uint8_t *code, uint32_t offset, uint32_t end)
{
   struct isa_insn insn;

   if (offset >= end) {
      return 0;
   }
   isa_decode(set, code + offset, end - offset, &insn);
   return insn.length;
}

/* Whether the `count` instructions of a block fill the bytes up to `to`. */
static bool is_whole(const struct isa_set *set, const uint8_t *code, uint32_t from, uint32_t to, unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      from += length_at(set, code, from, to);
   }
   return from == to;
}

/* Instructions are packed one after the other. A block whose bytes decode to another number of them gets no lines. */
static void add_lines(const struct isa_set *set, const uint8_t *code, uint32_t end)
{
   const unsigned count = util_dynarray_num_elements(&state.was, struct entry);
   const struct entry *was = state.was.data;
   unsigned next;

   for (unsigned i = 0; i < count; i = next) {
      for (next = i; next < count && was[next].block == was[i].block; next++) {
      }
      uint32_t offset = (uint32_t)was[i].block->offset;
      if (!is_whole(set, code, offset, next < count ? (uint32_t)was[next].block->offset : end, next - i)) {
         continue;
      }
      for (unsigned k = i; k < next; k++) {
         const uint32_t mark = mark_of(was[k].instr);

         compiler_lines_add(offset, mark / 2, (mark & INFERRED) != 0);
         offset += length_at(set, code, offset, end);
      }
   }
}

void __wrap_agx_pack_binary(agx_context *ctx, struct util_dynarray *emission)
{
   if (state.ctx == ctx) {
      follow(ctx);
   }
   __real_agx_pack_binary(ctx, emission);
   if (state.ctx == ctx) {
      add_lines(isa_set_default(), emission->data,
                emission->size - (!ctx->key->no_stop || ctx->is_preamble ? TRAP_BYTES : 0));
      compiler_lines_backend_stop();
   }
}
