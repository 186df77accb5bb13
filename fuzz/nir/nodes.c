/* SPDX-License-Identifier: MIT
 *
 * Queries about a program's nodes, and changes that a shrinker makes.
 */
#include "fuzz/nir/build.h"
#include "fuzz/nir/interpret.h"

#include <string.h>

#include "fuzz/nir/ops.h"

/* What a node of each kind is. */
static const struct {
   const char *name;
   uint8_t sources; /* of FUZZ_ALU: those of its op */
   bool value, effect;
   bool op; /* the file format has `op` beside `value` */
} kinds[FUZZ_KINDS] = {
    [FUZZ_NONE] = {"none"},
    [FUZZ_CONST] = {"constant", .value = true},
    [FUZZ_INPUT] = {"input", .value = true},
    [FUZZ_UNIFORM] = {"argument", .value = true},
    [FUZZ_ALU] = {"alu", .value = true},
    [FUZZ_OUTPUT] = {"store", 1, .effect = true},
    [FUZZ_SET] = {"set", 1, .effect = true},
    [FUZZ_GET] = {"get", .value = true},
    [FUZZ_IF] = {"if", 1, .effect = true},
    [FUZZ_ELSE] = {"else", .effect = true},
    [FUZZ_ENDIF] = {"end if", .effect = true},
    [FUZZ_LOOP] = {"loop", 1, .effect = true},
    [FUZZ_ENDLOOP] = {"end loop", .effect = true},
    [FUZZ_BREAK] = {"break if", 1, .effect = true},
    [FUZZ_LOAD] = {"load", 1, .value = true, .op = true},
    [FUZZ_STORE] = {"store_memory", 2, .effect = true, .op = true},
    [FUZZ_EXCHANGE] = {"exchange", 1, .value = true},
    [FUZZ_SUBGROUP] = {"subgroup", 2, .value = true, .op = true},
    [FUZZ_ATOMIC] = {"atomic", 3, .value = true, .effect = true, .op = true},
    [FUZZ_COMBINE] = {"combine", 2, .value = true, .op = true},
    [FUZZ_CONTINUE] = {"continue if", 1, .effect = true},
};

const char *fuzz_op_name(const struct fuzz_node *node)
{
   return node->kind == FUZZ_ALU ? nir_op_infos[node->op].name : kinds[node->kind].name;
}

unsigned fuzz_source_count(const struct fuzz_node *node)
{
   return node->kind == FUZZ_ALU ? nir_op_infos[node->op].num_inputs : kinds[node->kind].sources;
}

bool fuzz_takes_vector(const struct fuzz_node *node, unsigned source)
{
   return (node->kind == FUZZ_ALU && fuzz_op_components((nir_op)node->op, (int)source) > 1) ||
          (node->kind == FUZZ_STORE && source == 1 && node->components > 1);
}

bool fuzz_keeps_op(const struct fuzz_node *node)
{
   return kinds[node->kind].op;
}

unsigned fuzz_subgroup_reads(const struct fuzz_node *node)
{
   const bool bitwise = node->op / 4 >= 5; /* and, or, exclusive or */

   switch (node->op) {
   case FUZZ_SUBGROUP_BALLOT:
      return node->bits == 32 ? 1 : 0;
   case FUZZ_SUBGROUP_ANY:
   case FUZZ_SUBGROUP_ALL:
   case FUZZ_SUBGROUP_EQUAL:
      return node->bits == 1 ? 1 : 0;
   default:
      return node->op < FUZZ_SUBGROUP_SCANS && node->op % 4 != 0 && !bitwise && node->bits == 1 ? 0 : node->bits;
   }
}

bool fuzz_has_effect(const struct fuzz_node *node)
{
   return kinds[node->kind].effect;
}

bool fuzz_is_value(const struct fuzz_node *node)
{
   return kinds[node->kind].value;
}

void fuzz_needed(const struct fuzz_program *program, bool needed[FUZZ_NODES])
{
   memset(needed, 0, FUZZ_NODES * sizeof(needed[0]));
   for (uint32_t i = program->count; i-- > 0;) {
      const struct fuzz_node *node = &program->nodes[i];
      needed[i] |= fuzz_has_effect(node);
      for (unsigned s = 0; needed[i] && s < fuzz_source_count(node); s++) {
         needed[node->sources[s].node] = true;
      }
   }
}

static bool constants_where_needed(const struct fuzz_program *program, const struct fuzz_node *node)
{
   uint64_t bound;

   for (unsigned s = 0; node->kind == FUZZ_ALU && s < fuzz_source_count(node); s++) {
      const struct fuzz_node *source = &program->nodes[node->sources[s].node];
      if (fuzz_op_constant_source((nir_op)node->op, s, source->bits, &bound) &&
          (source->kind != FUZZ_CONST || source->value >= bound)) {
         return false;
      }
   }
   return true;
}

/* The node may read an atomic that has been removed. */
static bool reads_values(const struct fuzz_program *program, const struct fuzz_node *node)
{
   for (unsigned s = 0; s < fuzz_source_count(node); s++) {
      if (!fuzz_is_value(&program->nodes[node->sources[s].node])) {
         return false;
      }
   }
   return true;
}

/* Parts of a program whose values are visible from their node to the part's end: the whole program, a loop, and each
 * side of an if. */
struct parts {
   uint16_t of[FUZZ_NODES];             /* by node: the innermost part that contains it */
   uint16_t outer[FUZZ_NODES + 1];      /* by part: the enclosing one */
   enum fuzz_kind kind[FUZZ_NODES + 1]; /* by part: the node that began it */
   bool ended[FUZZ_NODES + 1];
   uint16_t count, now;
};

static void begin_part(struct parts *parts, enum fuzz_kind kind)
{
   const uint16_t part = parts->count++;

   parts->outer[part] = parts->now;
   parts->kind[part] = kind;
   parts->ended[part] = false;
   parts->now = part;
}

/* Returns false if the innermost part is of neither kind. */
static bool end_part(struct parts *parts, enum fuzz_kind kind, enum fuzz_kind other)
{
   const uint16_t part = parts->now;

   parts->ended[part] = true;
   parts->now = parts->outer[part];
   return part != 0 && (parts->kind[part] == kind || parts->kind[part] == other);
}

static bool is_in_loop(const struct parts *parts)
{
   for (uint16_t part = parts->now; part != 0; part = parts->outer[part]) {
      if (parts->kind[part] == FUZZ_LOOP) {
         return true;
      }
   }
   return false;
}

static bool enter_or_leave(struct parts *parts, enum fuzz_kind kind)
{
   switch (kind) {
   case FUZZ_IF:
   case FUZZ_LOOP:
      begin_part(parts, kind);
      return true;
   case FUZZ_ELSE:
      if (!end_part(parts, FUZZ_IF, FUZZ_IF)) {
         return false;
      }
      begin_part(parts, kind);
      return true;
   case FUZZ_ENDIF:
      return end_part(parts, FUZZ_IF, FUZZ_ELSE);
   case FUZZ_ENDLOOP:
      return end_part(parts, FUZZ_LOOP, FUZZ_LOOP);
   case FUZZ_BREAK:
   case FUZZ_CONTINUE:
      return is_in_loop(parts);
   default:
      return true;
   }
}

static bool sees_sources(const struct parts *parts, const struct fuzz_node *node)
{
   for (unsigned s = 0; s < fuzz_source_count(node); s++) {
      if (parts->ended[parts->of[node->sources[s].node]]) {
         return false;
      }
   }
   return true;
}

bool fuzz_valid(const struct fuzz_program *program)
{
   struct parts parts = {.count = 1}; /* the whole program */
   bool needed[FUZZ_NODES];

   fuzz_needed(program, needed);
   for (uint32_t i = 0; i < program->count; i++) {
      const struct fuzz_node *node = &program->nodes[i];
      parts.of[i] = parts.now;
      if (!constants_where_needed(program, node) ||
          (needed[i] && (!reads_values(program, node) || !sees_sources(&parts, node))) ||
          !enter_or_leave(&parts, node->kind)) {
         return false;
      }
   }
   return parts.now == 0;
}

void fuzz_compact(struct fuzz_program *program)
{
   bool needed[FUZZ_NODES];
   uint16_t moved[FUZZ_NODES];
   uint16_t slots[FUZZ_INPUTS];
   uint32_t count = 0, inputs = 0;
   uint64_t input[FUZZ_INPUTS][FUZZ_LANES] = {{0}};

   fuzz_needed(program, needed);
   memset(slots, 0xff, sizeof(slots));
   for (uint32_t i = 0; i < program->count; i++) {
      struct fuzz_node node = program->nodes[i];
      if (!needed[i]) {
         continue;
      }
      for (unsigned s = 0; s < fuzz_source_count(&node); s++) {
         node.sources[s].node = moved[node.sources[s].node];
      }
      if (node.kind == FUZZ_INPUT) {
         if (slots[node.slot] == UINT16_MAX) {
            memcpy(input[inputs], program->input[node.slot], sizeof(input[0]));
            slots[node.slot] = (uint16_t)inputs++;
         }
         node.slot = slots[node.slot];
      }
      moved[i] = (uint16_t)count;
      program->nodes[count++] = node;
   }
   program->count = count;
   program->inputs = inputs;
   memcpy(program->input, input, sizeof(input));
}

/* Computes a node's value by storing it: adds an output behind it. */
bool fuzz_node_values(const struct fuzz_program *program, uint32_t index, uint64_t values[FUZZ_LANES])
{
   struct fuzz_program asked = *program;
   struct fuzz_outputs outputs;
   const struct fuzz_node node = program->nodes[index];

   if (program->count >= FUZZ_NODES) {
      return false;
   }
   memmove(&asked.nodes[index + 2], &asked.nodes[index + 1], (program->count - index - 1) * sizeof(node));
   asked.nodes[index + 1] = (struct fuzz_node){.kind = FUZZ_OUTPUT,
                                               .bits = node.bits,
                                               .components = 1,
                                               .slot = FUZZ_OUTPUTS - 1,
                                               .sources = {{(uint16_t)index, 0}}};
   asked.count++;
   for (uint32_t i = index + 2; i < asked.count; i++) {
      for (unsigned s = 0; s < fuzz_source_count(&asked.nodes[i]); s++) {
         asked.nodes[i].sources[s].node =
             (uint16_t)(asked.nodes[i].sources[s].node + (asked.nodes[i].sources[s].node > index));
      }
   }
   fuzz_evaluate(&asked, &outputs);
   if (!outputs.valid) {
      return false;
   }
   for (unsigned lane = 0; lane < FUZZ_LANES; lane++) {
      if (outputs.certainty[FUZZ_OUTPUTS - 1][lane] == FUZZ_UNDEFINED) {
         return false;
      }
      values[lane] = outputs.value[FUZZ_OUTPUTS - 1][lane];
   }
   return true;
}
