/* SPDX-License-Identifier: MIT
 *
 * Shapes of programs, and looking for one in another. Invariant: a program holds its own shape.
 */
#include "fuzz/nir/program.h"

#include <stdio.h>
#include <string.h>

#include "fuzz/nir/registers.h"
#include "util/text.h"

/* A word that does not fit is left out. */
static void put(struct util_text *text, const char *word)
{
   if (text->length + strlen(word) < text->size) {
      (void)util_text_add(text, "%s", word);
   }
}

static void write_node(struct util_text *writer, const struct fuzz_program *program, uint32_t index)
{
   const struct fuzz_node *node = &program->nodes[index];
   char word[48];

   if (node->kind == FUZZ_CONST) {
      put(writer, "#");
   } else if (node->kind == FUZZ_INPUT || node->kind == FUZZ_UNIFORM) {
      put(writer, "_");
   } else {
      snprintf(word, sizeof(word), "%s@%u", fuzz_op_name(node), node->bits);
      put(writer, word);
      const unsigned sources = fuzz_source_count(node);
      for (unsigned s = 0; s < sources; s++) {
         put(writer, s == 0 ? "(" : ",");
         write_node(writer, program, node->sources[s].node);
      }
      put(writer, sources != 0 ? ")" : "");
   }
}

void fuzz_shape(const void *data, char *text, size_t size)
{
   const struct fuzz_program *program = data;
   struct util_text writer = {text, size, 0};

   text[0] = '\0';
   if (program->registers != FUZZ_REGISTERS_ALL) {
      put(&writer, fuzz_registers_name(program->registers));
      put(&writer, ":");
   }
   for (uint32_t i = 0; i < program->count; i++) {
      const struct fuzz_node *node = &program->nodes[i];
      if (fuzz_has_effect(node)) {
         put(&writer, writer.length != 0 ? " " : "");
         write_node(&writer, program, node->kind == FUZZ_OUTPUT ? node->sources[0].node : i);
      }
   }
}

static bool is_leaf(const struct fuzz_node *node)
{
   return node->kind == FUZZ_CONST || node->kind == FUZZ_INPUT || node->kind == FUZZ_UNIFORM;
}

/* Whether the tree at `index` has the shape of the tree at `wanted`, where any node may stand for a leaf. */
static bool matches(const struct fuzz_program *program, uint32_t index, const struct fuzz_program *shrunk,
                    uint32_t wanted)
{
   const struct fuzz_node *node = &program->nodes[index], *shape = &shrunk->nodes[wanted];

   if (is_leaf(shape)) {
      return node->bits == shape->bits;
   }
   if (node->kind != shape->kind || node->op != shape->op || node->bits != shape->bits) {
      return false;
   }
   const unsigned sources = fuzz_source_count(shape);
   bool straight = true;
   for (unsigned s = 0; s < sources; s++) {
      straight = straight && matches(program, node->sources[s].node, shrunk, shape->sources[s].node);
   }
   if (straight || sources != 2) {
      return straight;
   }
   return matches(program, node->sources[1].node, shrunk, shape->sources[0].node) &&
          matches(program, node->sources[0].node, shrunk, shape->sources[1].node);
}

bool fuzz_contains(const struct fuzz_program *program, uint32_t output, const struct fuzz_program *shrunk)
{
   bool cone[FUZZ_NODES] = {false};
   uint32_t root = FUZZ_NODES;

   if (shrunk->registers != FUZZ_REGISTERS_ALL && shrunk->registers != program->registers) {
      return false;
   }
   for (uint32_t i = 0; i < shrunk->count; i++) {
      if (fuzz_has_effect(&shrunk->nodes[i])) {
         if (shrunk->nodes[i].kind != FUZZ_OUTPUT || root != FUZZ_NODES) {
            return false; /* more than one expression */
         }
         root = shrunk->nodes[i].sources[0].node;
      }
   }
   for (uint32_t i = program->count; root != FUZZ_NODES && i-- > 0;) {
      const struct fuzz_node *node = &program->nodes[i];
      cone[i] |= node->kind == FUZZ_OUTPUT ? node->slot == output : fuzz_has_effect(node);
      if (cone[i] && fuzz_is_value(node) && matches(program, i, shrunk, root)) {
         return true;
      }
      for (unsigned s = 0; cone[i] && s < fuzz_source_count(node); s++) {
         cone[node->sources[s].node] = true;
      }
   }
   return false;
}
