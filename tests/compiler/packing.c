/* SPDX-License-Identifier: MIT
 *
 * The instruction table against Mesa's packer: instructions with random operands, limits more often than not, are built
 * in Mesa's IR and packed by Mesa; they must decode to what was put in, encode back to the same bytes, and assemble to
 * them from their text. All that Mesa can pack for compute programs, more than its compiler chooses to emit.
 */
#include "isa/assembler/asm.h"
#include "tests/compiler/programs.h"
#include "tests/compiler/packing.h"

#define TIMES 4000 /* of each operation */

/* ---- One instruction ---- */

static agx_instr *new_instruction(void *memory, enum agx_opcode op)
{
   agx_instr *mesa = rzalloc_size(memory, sizeof(*mesa) + 8 * sizeof(agx_index));
   mesa->dest = (agx_index *)(mesa + 1);
   mesa->src = mesa->dest + 2;
   mesa->op = op;
   mesa->nr_dests = (uint8_t)agx_opcodes_info[op].nr_dests;
   mesa->nr_srcs = (uint8_t)agx_opcodes_info[op].nr_srcs;
   return mesa;
}

/* The bytes of the instructions in the blocks, without Mesa's traps after them. */
static void pack(agx_context *context, struct util_dynarray *code)
{
   struct agx_shader_key key = {.no_stop = true, .dev.needs_g13x_coherency = U_TRISTATE_NO};
   context->key = &key;
   util_dynarray_init(code, context);
   agx_pack_binary(context, code);
}

static agx_context *new_context(agx_block *blocks, unsigned count)
{
   agx_context *context = rzalloc(NULL, agx_context);
   list_inithead(&context->blocks);
   for (unsigned i = 0; i < count; i++) {
      list_inithead(&blocks[i].instructions);
      list_addtail(&blocks[i].link, &context->blocks);
   }
   return context;
}

/* The size of an immediate does not matter. */
static bool same_operand(const struct isa_operand *a, const struct isa_operand *b)
{
   bool is_number = a->kind == ISA_IMM || a->kind == ISA_FLOAT_IMM;
   return a->kind == b->kind && (is_number || (a->size == b->size && a->count == b->count)) && a->value == b->value &&
          a->abs == b->abs && a->neg == b->neg && a->sx == b->sx && a->cache == b->cache && a->discard == b->discard;
}

static const char *difference(const struct isa_insn *found, const struct isa_insn *want)
{
   if (found->row == NULL || found->op != want->op) {
      return "another operation";
   }
   if (!same_operand(&found->dst, &want->dst)) {
      return "another destination";
   }
   for (unsigned i = 0; i < ISA_MAX_SOURCES; i++) {
      if (!same_operand(&found->src[i], &want->src[i])) {
         return "another source";
      }
   }
   return memcmp(found->mod, want->mod, sizeof(want->mod)) != 0 ? "another number" : NULL;
}

/* NULL, or what is wrong. */
static const char *check_code(const struct isa_asm *assembler, const uint8_t *code, size_t size,
                              const struct isa_insn *want, char *text, size_t text_size)
{
   uint8_t bytes[ISA_ASM_LINE_BYTES_MAX];
   struct isa_diagnostic wrong;
   struct isa_insn found;
   char why[160];

   isa_decode(isa_set_default(), code, size, &found);
   int length = isa_print(&found, ISA_SYNTAX_MESA, text, text_size);
   if (found.length != size) {
      return "another length";
   }
   const char *different = difference(&found, want);
   if (different != NULL) {
      return different;
   }
   /* Mesa never makes the short form of this one. */
   found.length = found.op == ISA_OP_STACK_ADJUST ? found.length : 0;
   if (isa_encode(&found, bytes, why, sizeof(why)) != (int)size || memcmp(bytes, code, size) != 0) {
      return "it does not encode back";
   }
   if (isa_asm_line(assembler, text, (size_t)length, bytes, &wrong) != (int)size || memcmp(bytes, code, size) != 0) {
      return "it does not assemble";
   }
   return NULL;
}

static void check(const struct isa_asm *assembler, const struct packing_row *row)
{
   agx_block block = {0};
   agx_context *context = new_context(&block, 1);
   struct isa_insn want = {.op = (uint8_t)row->op};
   agx_instr *mesa = new_instruction(context, row->mesa);
   struct util_dynarray code;
   char text[256];

   row->fill(row, mesa, &want);
   list_addtail(&mesa->link, &block.instructions);
   pack(context, &code);
   const char *wrong = check_code(assembler, code.data, code.size, &want, text, sizeof(text));
   if (wrong != NULL && check_failures++ < 40) {
      fprintf(stderr, "%s: %s\n ", text, wrong);
      for (unsigned i = 0; i < code.size; i++) {
         fprintf(stderr, "%02x", ((const uint8_t *)code.data)[i]);
      }
      fprintf(stderr, " of Mesa's ");
      agx_print_instr(mesa, stderr);
   }
   ralloc_free(context);
}

/* Jumps to an earlier and to a later block, over so many instructions of two bytes. */
static void check_jumps(unsigned distance)
{
   agx_block blocks[3] = {0};
   agx_context *context = new_context(blocks, 3);
   agx_instr *back = new_instruction(context, AGX_OPCODE_JMP_EXEC_ANY);
   agx_instr *forth = new_instruction(context, AGX_OPCODE_JMP_EXEC_NONE);
   struct util_dynarray code;
   struct isa_insn insn;

   for (unsigned i = 0; i < 2 * distance; i++) {
      agx_instr *filler = new_instruction(context, AGX_OPCODE_TRAP);
      list_addtail(&filler->link, &blocks[i / distance].instructions);
   }
   back->target = &blocks[0];
   forth->target = &blocks[2];
   list_add(&forth->link, &blocks[1].instructions);
   list_add(&back->link, &blocks[1].instructions);
   pack(context, &code);
   isa_decode(isa_set_default(), (uint8_t *)code.data + 2 * distance, 12, &insn);
   CHECK_EQUAL(insn.op, ISA_OP_JMP_ANY);
   CHECK_EQUAL(insn.mod[ISA_MOD_TARGET], -2 * (int)distance);
   isa_decode(isa_set_default(), (uint8_t *)code.data + 2 * distance + 6, 6, &insn);
   CHECK_EQUAL(insn.op, ISA_OP_JMP_NONE);
   CHECK_EQUAL(insn.mod[ISA_MOD_TARGET], 6 + 2 * (int)distance);
   ralloc_free(context);
}

static unsigned check_all(const struct isa_asm *assembler, const struct packing_row *rows)
{
   unsigned count = 0;
   for (; rows[count].fill != NULL; count++) {
      for (unsigned i = 0; i < TIMES; i++) {
         check(assembler, &rows[count]);
      }
   }
   return count;
}

int main(void)
{
   struct isa_asm *assembler = isa_asm_create(NULL);

   if (assembler == NULL) {
      return 1;
   }
   unsigned operations = check_all(assembler, packing_alu) + check_all(assembler, packing_memory) +
                         check_all(assembler, packing_graphics);
   for (unsigned distance = 1; distance < 100000; distance = distance * 3 + 1) {
      check_jumps(distance);
   }
   isa_asm_destroy(assembler);
   printf("%u operations, %d times each: %u failures\n", operations, TIMES, check_failures);
   return check_result();
}
