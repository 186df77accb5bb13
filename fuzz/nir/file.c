/* SPDX-License-Identifier: MIT
 *
 * A program as a file: lines of words, ops by their names, so that a program found with one Mesa can be tried with
 * another. Invariant: what is read is a program that the generator could have made, or an error.
 *
 *    node KIND BITS COMPONENTS EXACT OP SLOT VALUE SOURCES: node.component, 4 of them
 *    input SLOT, and 32 numbers, one for each lane
 *    uniform SLOT NUMBER
 *    variable SLOT BITS
 *    registers SWITCH: of AGX_MESA_DEBUG, or a number: registers.h
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/nir/ops.h"
#include "fuzz/nir/program.h"
#include "fuzz/nir/registers.h"

#define LINE 2048

int fuzz_write(FILE *file, const struct fuzz_program *program)
{
   fprintf(file, "# agx-runner fuzz program; agx-runner fuzz FILE runs it\n");
   for (uint32_t i = 0; i < program->count; i++) {
      const struct fuzz_node *node = &program->nodes[i];
      fprintf(file, "node %u %u %u %u %s %u 0x%" PRIx64, node->kind, node->bits, node->components, node->exact,
              node->kind == FUZZ_ALU ? nir_op_infos[node->op].name : "-", node->kind == FUZZ_ALU ? 0 : node->slot,
              fuzz_keeps_op(node) ? node->value << 8 | node->op : node->value);
      for (unsigned s = 0; s < FUZZ_SOURCES; s++) {
         fprintf(file, " %u.%u", node->sources[s].node, node->sources[s].component);
      }
      fputc('\n', file);
   }
   for (uint32_t i = 0; i < program->inputs; i++) {
      fprintf(file, "input %u", i);
      for (uint32_t lane = 0; lane < FUZZ_LANES; lane++) {
         fprintf(file, " 0x%" PRIx64, program->input[i][lane]);
      }
      fputc('\n', file);
   }
   for (uint32_t i = 0; i < FUZZ_UNIFORMS; i++) {
      fprintf(file, "uniform %u 0x%" PRIx64 "\n", i, program->uniform[i]);
   }
   for (uint32_t i = 0; i < FUZZ_VARIABLES; i++) {
      fprintf(file, "variable %u %u\n", i, program->variable_bits[i]);
   }
   if (program->registers >= FUZZ_REGISTER_FILES) {
      fprintf(file, "registers %u\n", program->registers);
   } else if (program->registers != FUZZ_REGISTERS_ALL) {
      fprintf(file, "registers %s\n", fuzz_registers_name(program->registers));
   }
   return ferror(file) ? -EIO : 0;
}

/* Parses the next number of a line; false: there is none, or it is larger than `most`. */
static bool number(char **at, uint64_t most, uint64_t *value)
{
   char *end;

   errno = 0;
   *value = strtoull(*at, &end, 0);
   const bool fine = end != *at && errno == 0 && *value <= most;
   *at = end;
   return fine;
}

static bool find_op(const char *name, uint16_t *op)
{
   for (unsigned i = 0; i < nir_num_opcodes; i++) {
      if (strcmp(nir_op_infos[i].name, name) == 0) {
         *op = (uint16_t)i;
         return fuzz_op_allowed((nir_op)i);
      }
   }
   return false;
}

static bool good_width(uint64_t bits)
{
   return bits == 0 || bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

static uint64_t slots_of(uint64_t kind)
{
   return kind == FUZZ_INPUT     ? FUZZ_INPUTS
          : kind == FUZZ_OUTPUT  ? FUZZ_OUTPUTS
          : kind == FUZZ_UNIFORM ? FUZZ_UNIFORMS
                                 : FUZZ_VARIABLES;
}

/* Whether the node's alignment is valid: an access may declare less than its size. */
static bool aligned(const struct fuzz_node *node)
{
   return node->slot == 0 || (node->slot <= 3 && 1u << (node->slot - 1) < node->bits / 8u);
}

/* Checks the types of nodes that access memory, and of control flow. */
static bool memory_typed(const struct fuzz_program *program, const struct fuzz_node *node)
{
   const struct fuzz_node *first = &program->nodes[node->sources[0].node];
   const struct fuzz_node *second = &program->nodes[node->sources[1].node];

   switch (node->kind) {
   case FUZZ_LOAD:
      return node->bits >= 8 && aligned(node);
   case FUZZ_STORE:
      return node->bits >= 8 && aligned(node) && second->bits == node->bits && node->components != 0 &&
             (node->components == 1 || second->components == node->components);
   case FUZZ_EXCHANGE:
      return node->bits >= 8 && node->components == 1 && first->bits == node->bits;
   case FUZZ_ATOMIC:
      return node->bits == 32 && node->components == 1 && node->op < 2 * FUZZ_ATOMICS && second->bits == 32 &&
             program->nodes[node->sources[2].node].bits == 32;
   case FUZZ_COMBINE:
      return node->bits == 32 && node->components == 1 && node->op < FUZZ_COMMUTATIVE_ATOMICS && first->bits == 32 &&
             second->bits == 32;
   case FUZZ_SUBGROUP:
      return node->op < FUZZ_SUBGROUPS && node->components == 1 && first->bits == fuzz_subgroup_reads(node) &&
             second->bits >= 8;
   case FUZZ_IF:
   case FUZZ_BREAK:
   case FUZZ_CONTINUE:
      return first->bits == 1;
   case FUZZ_LOOP:
      return first->bits >= 8 && node->value < 2 * FUZZ_COUNTERS;
   default:
      return true;
   }
}

/* Whether a node's widths and components fit its sources and its result. */
static bool typed(const struct fuzz_program *program, const struct fuzz_node *node)
{
   unsigned open = 0;

   if (node->kind != FUZZ_ALU) {
      return memory_typed(program, node);
   }
   for (unsigned s = 0; s < fuzz_source_count(node); s++) {
      const struct fuzz_node *source = &program->nodes[node->sources[s].node];
      const bool fixed = fuzz_op_bits((nir_op)node->op, (int)s, 0) != 0;
      open = !fixed && open == 0 ? source->bits : open;
      if (source->bits != fuzz_op_bits((nir_op)node->op, (int)s, open) ||
          source->components < fuzz_op_components((nir_op)node->op, (int)s)) {
         return false;
      }
   }
   return node->bits == fuzz_op_bits((nir_op)node->op, -1, open) &&
          node->components == fuzz_op_components((nir_op)node->op, -1);
}

static bool read_node(struct fuzz_program *program, char *at)
{
   uint64_t kind, bits, components, exact, slot, value;
   char name[64];
   int length = 0;

   if (program->count >= FUZZ_NODES || !number(&at, FUZZ_KINDS - 1, &kind) || !number(&at, 64, &bits) ||
       !good_width(bits) || !number(&at, 4, &components) || !number(&at, 1, &exact) ||
       sscanf(at, " %63s%n", name, &length) != 1) {
      return false;
   }
   at += length;
   struct fuzz_node node = {
       .kind = (uint8_t)kind, .bits = (uint8_t)bits, .components = (uint8_t)components, .exact = (uint8_t)exact};
   if (!number(&at, slots_of(kind) - 1, &slot) || !number(&at, UINT64_MAX, &value) ||
       (kind == FUZZ_ALU && !find_op(name, &node.op))) {
      return false;
   }
   node.slot = (uint16_t)slot;
   node.value = value;
   if (fuzz_keeps_op(&node)) {
      node.op = (uint16_t)(value & 0xff);
      node.value = value >> 8;
   }
   for (unsigned s = 0; s < FUZZ_SOURCES; s++) {
      uint64_t source, component;
      if (!number(&at, FUZZ_NODES, &source) || *at++ != '.' || !number(&at, 3, &component)) {
         return false;
      }
      node.sources[s] = (struct fuzz_source){(uint16_t)source, (uint16_t)component};
      if (s < fuzz_source_count(&node) && (source >= program->count || !fuzz_is_value(&program->nodes[source]) ||
                                           component >= program->nodes[source].components)) {
         return false;
      }
   }
   if ((fuzz_is_value(&node) && (bits == 0 || components == 0)) || !typed(program, &node)) {
      return false;
   }
   program->nodes[program->count++] = node;
   return true;
}

static bool read_registers(struct fuzz_program *program, char *name)
{
   for (uint32_t i = FUZZ_REGISTERS_ALL + 1; i < FUZZ_REGISTER_FILES; i++) {
      if (strcmp(name, fuzz_registers_name(i)) == 0) {
         program->registers = i;
         return true;
      }
   }
   char *at = name;
   uint64_t limit;
   const bool fine = number(&at, FUZZ_REGISTERS_MOST, &limit) && limit >= FUZZ_REGISTERS_LEAST &&
                     fuzz_registers_valid((uint32_t)limit);
   program->registers = fine ? (uint32_t)limit : FUZZ_REGISTERS_ALL;
   return fine;
}

static bool read_line(struct fuzz_program *program, char *line)
{
   uint64_t slot, value;
   char *at = line;

   if (line[0] == '#' || line[0] == '\0') {
      return true;
   }
   if (strncmp(line, "node ", 5) == 0) {
      return read_node(program, line + 5);
   }
   if (strncmp(line, "registers ", 10) == 0) {
      return read_registers(program, line + 10);
   }
   if (strncmp(line, "input ", 6) == 0) {
      at += 6;
      bool fine = number(&at, FUZZ_INPUTS - 1, &slot);
      for (uint32_t lane = 0; fine && lane < FUZZ_LANES; lane++) {
         uint64_t *input = program->input[slot];
         if (lane >= FUZZ_SIMD && at[strspn(at, " ")] == '\0') { /* a program for one simdgroup */
            input[lane] = input[lane - FUZZ_SIMD];
         } else {
            fine = number(&at, UINT64_MAX, &input[lane]);
         }
      }
      program->inputs = fine && slot + 1 > program->inputs ? (uint32_t)slot + 1 : program->inputs;
      return fine;
   }
   if (strncmp(line, "uniform ", 8) == 0) {
      at += 8;
      return number(&at, FUZZ_UNIFORMS - 1, &slot) && number(&at, UINT64_MAX, &program->uniform[slot]);
   }
   if (strncmp(line, "variable ", 9) == 0) {
      at += 9;
      if (!number(&at, FUZZ_VARIABLES - 1, &slot) || !number(&at, 64, &value) || !good_width(value)) {
         return false;
      }
      program->variable_bits[slot] = (uint32_t)value;
      return true;
   }
   return false;
}

int fuzz_read(FILE *file, struct fuzz_program *program, unsigned *bad_line)
{
   char line[LINE];
   unsigned at = 0;

   memset(program, 0, sizeof(*program));
   program->rule = -1;
   while (fgets(line, sizeof(line), file) != NULL) {
      line[strcspn(line, "\r\n")] = '\0';
      at++;
      if (!read_line(program, line)) {
         *bad_line = at;
         return -EINVAL;
      }
   }
   for (uint32_t i = 0; i < program->count; i++) {
      const struct fuzz_node *node = &program->nodes[i];
      program->outputs += node->kind == FUZZ_OUTPUT ? 1 : 0;
      const bool uses_variable = node->kind == FUZZ_SET || node->kind == FUZZ_GET;
      if (uses_variable && program->variable_bits[node->slot] == 0) {
         *bad_line = at;
         return -EINVAL;
      }
   }
   *bad_line = at;
   return fuzz_valid(program) ? 0 : -EINVAL;
}
