/* SPDX-License-Identifier: MIT
 *
 * Lays out the instructions of a program again. Invariant: an instruction keeps its bytes, except for its scoreboard
 * slot and the distance of its branch.
 */
#include "agx_runner/schedule/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/runner.h"

#define ALIGNMENT 128u /* of each part of a program */
#define WAIT_BYTES 2u

bool schedule_text_init(struct schedule_text *text, const struct schedule_code *code)
{
   const uint32_t most = code->program->main_size + schedule_items_most(code->blocks.count) * WAIT_BYTES;

   *text = (struct schedule_text){
       .code = code,
       .bytes = calloc(most, 1),
       .capacity = most,
       .moved = calloc(code->blocks.count + 1, sizeof(*text->moved)),
   };
   if (text->bytes == NULL || text->moved == NULL) {
      return false;
   }
   /* UINT32_MAX: the instruction is not in the new code */
   memset(text->moved, 0xff, code->blocks.count * sizeof(*text->moved));
   return true;
}

void schedule_text_finish(struct schedule_text *text)
{
   free(text->bytes);
   free(text->moved);
   *text = (struct schedule_text){0};
}

static void put(struct schedule_text *text, const uint8_t *bytes, uint32_t count)
{
   memcpy(text->bytes + text->size, bytes, count);
   text->size += count;
}

/* Appends the instruction with another field value; its length stays the same. */
static void put_changed(struct schedule_text *text, uint32_t at, const struct isa_insn *original, enum isa_mod mod,
                        int32_t value)
{
   struct isa_insn insn = *original;
   uint8_t code[ISA_MAX_LENGTH];
   char why[160];

   insn.mod[mod] = value;
   if (isa_encode(&insn, code, why, sizeof(why)) != original->length) {
      text->wrong = "an instruction cannot be encoded with another slot or distance";
      return;
   }
   memcpy(text->bytes + at, code, original->length);
}

void schedule_text_append(struct schedule_text *text, uint32_t first, const struct schedule_item *items, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++) {
      const uint8_t wait[WAIT_BYTES] = {0x38, items[i].slot};

      if (items[i].node == SCHEDULE_NONE) {
         put(text, wait, WAIT_BYTES);
         continue;
      }
      const struct schedule_node *node = &text->code->nodes[first + items[i].node];
      const uint32_t at = text->size;

      text->moved[first + items[i].node] = at;
      put(text, node->insn.bytes, node->insn.length);
      if (node->effects.async && items[i].slot != node->effects.slot) {
         put_changed(text, at, &node->insn, ISA_MOD_SLOT, items[i].slot);
      }
   }
}

/* Finds a branch target. A branch goes to the beginning of a block, whose first instruction may have changed. */
static bool find_target(const struct schedule_text *text, const uint32_t *starts, uint32_t at, uint32_t *target)
{
   const struct schedule_code *code = text->code;

   for (uint32_t i = 0; i < code->blocks.count; i++) {
      if (code->nodes[i].at == at) {
         *target = starts[i];
         return true;
      }
   }
   return false;
}

/* Returns, by node, the new offset of each block; only the first nodes of blocks have one. */
static uint32_t *block_starts(const struct schedule_text *text)
{
   const struct blocks *blocks = &text->code->blocks;
   uint32_t *starts = calloc(blocks->count, sizeof(*starts));

   for (uint32_t first = 0, end; starts != NULL && first < blocks->count; first = end) {
      end = blocks_end(blocks, first);
      starts[first] = text->size;
      for (uint32_t i = first; i < end; i++) {
         starts[first] = text->moved[i] < starts[first] ? text->moved[i] : starts[first];
      }
   }
   return starts;
}

static void correct_branches(struct schedule_text *text, const uint32_t *starts)
{
   const struct schedule_code *code = text->code;

   for (uint32_t i = 0; i < code->blocks.count; i++) {
      const struct schedule_node *node = &code->nodes[i];
      uint32_t target;

      if (!isa_is_branch(&node->insn)) {
         continue;
      }
      if (!find_target(text, starts, node->at + (uint32_t)node->insn.mod[ISA_MOD_TARGET], &target)) {
         text->wrong = "a branch leads out of the program, or into an instruction";
         return;
      }
      put_changed(text, text->moved[i], &node->insn, ISA_MOD_TARGET, (int32_t)target - (int32_t)text->moved[i]);
   }
}

/* Replaces the old main part if the new one fits there; otherwise appends it after all other code. */
static bool replace(const struct schedule_text *text, struct agx_program *program)
{
   static const uint8_t trap[2] = {0x08, 0};
   uint32_t at = program->main_offset;

   if (text->size > program->main_size) {
      at = ((uint32_t)program->code_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
      uint8_t *code = realloc(program->code, at + text->size);
      if (code == NULL) {
         return false;
      }
      for (size_t i = program->code_size; i < at; i++) {
         code[i] = trap[(at - i) % 2];
      }
      program->code = code;
      program->code_size = at + text->size;
      program->main_offset = at;
      program->main_size = text->size;
   }
   memcpy(program->code + at, text->bytes, text->size);
   for (uint32_t i = text->size; i + 1 < program->main_size; i += 2) {
      memcpy(program->code + at + i, trap, sizeof(trap));
   }
   return true;
}

int schedule_text_program(struct schedule_text *text, struct agx_program **program)
{
   uint32_t *starts = block_starts(text);

   *program = starts == NULL ? NULL : agx_program_copy(text->code->program);
   if (*program == NULL) {
      free(starts);
      return complain(EXIT_FAILED, "out of memory");
   }
   correct_branches(text, starts);
   free(starts);
   const bool replaced = text->wrong == NULL && replace(text, *program);
   const char *wrong = replaced ? agx_program_check(*program) : text->wrong;
   if (replaced && wrong == NULL) {
      return EXIT_OK;
   }
   agx_program_destroy(*program);
   *program = NULL;
   return complain(EXIT_FAILED, "%s: %s", agx_program_name(text->code->program),
                   wrong != NULL ? wrong : "out of memory");
}
