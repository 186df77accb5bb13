/* SPDX-License-Identifier: MIT
 *
 * Shrinks a program by trying smaller ones: outputs, nodes, operands, data, lanes. Invariant: what it returns fails.
 */
#include "fuzz/nir/program.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/nir/registers.h"
#include "util/array.h"

#define ATTEMPTS 1500
#define SPILLING_NODES 40 /* a program that stays as large as this mostly spills */

struct shrink {
   struct fuzz_program *best;
   struct fuzz_program next; /* the one that is tried */
   fuzz_fails *fails;
   void *data;
   unsigned attempts;
};

/* Takes `next` over if it fails. */
static bool try_next(struct shrink *shrink)
{
   if (shrink->attempts >= ATTEMPTS) {
      return false;
   }
   shrink->attempts++;
   if (!fuzz_valid(&shrink->next)) {
      return false;
   }
   fuzz_compact(&shrink->next);
   if (!shrink->fails(&shrink->next, shrink->data)) {
      return false;
   }
   *shrink->best = shrink->next;
   return true;
}

static struct fuzz_program *begin(struct shrink *shrink)
{
   shrink->next = *shrink->best;
   return &shrink->next;
}

static bool keep_output(struct shrink *shrink, uint32_t slot)
{
   struct fuzz_program *next = begin(shrink);

   for (uint32_t i = 0; i < next->count; i++) {
      if (next->nodes[i].kind == FUZZ_OUTPUT && next->nodes[i].slot != slot) {
         next->nodes[i].kind = FUZZ_NONE;
      }
   }
   return try_next(shrink);
}

static bool same_data_in_all_lanes(struct shrink *shrink, uint32_t lane)
{
   struct fuzz_program *next = begin(shrink);

   for (uint32_t i = 0; i < FUZZ_INPUTS; i++) {
      for (uint32_t j = 0; j < FUZZ_LANES; j++) {
         next->input[i][j] = shrink->best->input[i][lane];
      }
   }
   return try_next(shrink);
}

/* Takes `count` nodes out that nothing reads: outputs, stores, parts of control flow. */
static bool remove_nodes(struct shrink *shrink, uint32_t from, uint32_t count)
{
   struct fuzz_program *next = begin(shrink);
   bool any = false;

   for (uint32_t i = from; i < from + count && i < next->count; i++) {
      if (fuzz_has_effect(&next->nodes[i])) {
         next->nodes[i].kind = FUZZ_NONE;
         any = true;
      }
   }
   return any && try_next(shrink);
}

static bool remove_effects(struct shrink *shrink)
{
   bool progress = false;

   for (uint32_t size = shrink->best->count / 2; size != 0; size /= 2) {
      for (uint32_t from = 0; from < shrink->best->count;) {
         const uint32_t before = shrink->best->count;
         if (remove_nodes(shrink, from, size)) {
            progress = true;
            from = before == shrink->best->count ? from + size : from;
         } else {
            from += size;
         }
      }
   }
   return progress;
}

static bool is_jump(uint8_t kind)
{
   return kind == FUZZ_BREAK || kind == FUZZ_CONTINUE;
}

/* An if or a loop that starts at `from`, with its matching end and its own jumps: those of a loop stand in ifs, too. */
static bool remove_construct(struct shrink *shrink, uint32_t from, bool body)
{
   struct fuzz_program *next = begin(shrink);
   const bool is_if = next->nodes[from].kind == FUZZ_IF, is_loop = next->nodes[from].kind == FUZZ_LOOP;
   unsigned depth = 0, loops = 0;

   if (!is_if && !is_loop) {
      return false;
   }
   for (uint32_t i = from; i < next->count; i++) {
      struct fuzz_node *node = &next->nodes[i];
      const uint8_t kind = node->kind;
      const bool own = (depth == 1 && (kind == FUZZ_ELSE || is_jump(kind))) || (is_loop && loops == 1 && is_jump(kind));
      const bool ends = kind == FUZZ_ENDIF || kind == FUZZ_ENDLOOP;
      if (own || i == from || (ends && depth == 1) || (body && fuzz_has_effect(node))) {
         node->kind = FUZZ_NONE;
      }
      depth += kind == FUZZ_IF || kind == FUZZ_LOOP ? 1 : 0;
      depth -= ends ? 1 : 0;
      loops += kind == FUZZ_LOOP ? 1 : 0;
      loops -= kind == FUZZ_ENDLOOP ? 1 : 0;
      if (depth == 0) {
         break;
      }
   }
   return try_next(shrink);
}

static bool remove_constructs(struct shrink *shrink)
{
   bool progress = false;

   for (uint32_t i = 0; i < shrink->best->count; i++) {
      progress |= remove_construct(shrink, i, true) || remove_construct(shrink, i, false);
   }
   return progress;
}

/* An output stores what its value is computed from instead. */
static bool store_earlier(struct shrink *shrink, uint32_t index)
{
   const struct fuzz_node node = shrink->best->nodes[index];

   if (node.kind != FUZZ_OUTPUT) {
      return false;
   }
   const struct fuzz_node root = shrink->best->nodes[node.sources[0].node];
   for (unsigned s = 0; s < fuzz_source_count(&root); s++) {
      struct fuzz_program *next = begin(shrink);
      next->nodes[index].sources[0] = root.sources[s];
      next->nodes[index].bits = next->nodes[root.sources[s].node].bits;
      if (fuzz_is_value(&root) && try_next(shrink)) {
         return true;
      }
   }
   return false;
}

/* Lets later nodes that read component c of node `index` read by[c] instead; vectors: also those that read all of it.
 */
static void read_instead(struct fuzz_program *next, uint32_t index, const struct fuzz_source *by, bool vectors)
{
   for (uint32_t i = index + 1; i < next->count; i++) {
      const unsigned count = fuzz_source_count(&next->nodes[i]);
      for (unsigned s = 0; s < count; s++) {
         struct fuzz_source *source = &next->nodes[i].sources[s];
         if (source->node == index && (vectors || !fuzz_takes_vector(&next->nodes[i], s))) {
            *source = by[source->component];
         }
      }
   }
}

/* Uses of a vector's component read the scalar that it was made of. */
static bool bypass_vector(struct shrink *shrink, uint32_t index)
{
   const struct fuzz_node node = shrink->best->nodes[index];
   struct fuzz_program *next = begin(shrink);

   if (node.kind != FUZZ_ALU || node.components == 1 || fuzz_source_count(&node) != node.components) {
      return false;
   }
   read_instead(next, index, node.sources, false);
   bool needed[FUZZ_NODES];
   fuzz_needed(next, needed);
   return !needed[index] && try_next(shrink);
}

/* One component of a vector in memory. */
static bool narrow_access(struct shrink *shrink, uint32_t index)
{
   const struct fuzz_node node = shrink->best->nodes[index];

   for (unsigned c = 0;
        (node.kind == FUZZ_LOAD || node.kind == FUZZ_STORE) && node.components > 1 && c < node.components; c++) {
      struct fuzz_program *next = begin(shrink);
      next->nodes[index].components = 1;
      next->nodes[index].value += c * node.bits / 8;
      if (node.kind == FUZZ_STORE) {
         next->nodes[index].sources[1].component = (uint16_t)c;
      }
      bool fits = true;
      for (uint32_t i = index + 1; i < next->count; i++) {
         for (unsigned s = 0; s < fuzz_source_count(&next->nodes[i]); s++) {
            if (next->nodes[i].sources[s].node == index && node.kind == FUZZ_LOAD) {
               fits = fits && !fuzz_takes_vector(&next->nodes[i], s);
               next->nodes[i].sources[s].component = 0;
            }
         }
      }
      if (fits && try_next(shrink)) {
         return true;
      }
   }
   return false;
}

/* A loop counts from 0 to a number that it tests first; an address is aligned to its number. */
static bool make_plain(struct shrink *shrink, uint32_t index)
{
   const struct fuzz_node node = shrink->best->nodes[index];
   const bool loop = node.kind == FUZZ_LOOP && node.value != 0;
   const bool access = (node.kind == FUZZ_LOAD || node.kind == FUZZ_STORE) && node.slot != 0;
   struct fuzz_node *plain = &begin(shrink)->nodes[index];

   plain->value = loop ? 0 : node.value;
   plain->slot = access ? 0 : node.slot;
   return (loop || access) && try_next(shrink);
}

/* What a node's uses read becomes one of its own sources. */
static bool bypass(struct shrink *shrink, uint32_t index)
{
   const struct fuzz_node node = shrink->best->nodes[index];

   for (unsigned s = 0; node.kind == FUZZ_ALU && s < fuzz_source_count(&node); s++) {
      const struct fuzz_node *source = &shrink->best->nodes[node.sources[s].node];
      if (source->bits != node.bits || node.components != 1) {
         continue;
      }
      struct fuzz_program *next = begin(shrink);
      read_instead(next, index, (struct fuzz_source[]){node.sources[s]}, true);
      if (try_next(shrink)) {
         return true;
      }
   }
   return false;
}

/* What reads one of `count` nodes reads what the first of them was computed from. */
static bool bypass_run(struct shrink *shrink, uint32_t from, uint32_t count, uint32_t registers)
{
   struct fuzz_program *next = begin(shrink);
   unsigned bypassed = 0;

   next->registers = registers;

   for (uint32_t i = from; i < next->count && i < from + count; i++) {
      const struct fuzz_node *node = &next->nodes[i];
      unsigned s = 0;
      while (s < fuzz_source_count(node) && next->nodes[node->sources[s].node].bits != node->bits) {
         s++;
      }
      if (node->kind != FUZZ_ALU || node->components != 1 || s == fuzz_source_count(node)) {
         continue;
      }
      read_instead(next, i, (struct fuzz_source[]){node->sources[s]}, false);
      bypassed++;
   }
   return bypassed != 0 && try_next(shrink);
}

/* The same, with fewer registers: where nearly all must be in use, one value less cures the program. */
static bool bypass_held(struct shrink *shrink, uint32_t from, uint32_t count)
{
   static const int32_t steps[] = {0, 1, -1, 2, -2, 3, -3};
   const int32_t now = (int32_t)shrink->best->registers, step = FUZZ_REGISTERS_STEP;
   const int32_t wanted = now / step - ((int32_t)count * 4 + step - 1) / step; /* values of 64 bits */

   for (unsigned i = 0; i < ARRAY_COUNT(steps); i++) {
      const int32_t registers = (wanted + steps[i]) * step;
      if (registers >= FUZZ_REGISTERS_LEAST && registers <= now &&
          bypass_run(shrink, from, count, (uint32_t)registers)) {
         return true;
      }
   }
   return false;
}

static bool bypass_runs(struct shrink *shrink)
{
   bool progress = false;

   for (uint32_t size = 32; size != 0; size /= 2) {
      for (uint32_t end = shrink->best->count; end >= size;) {
         const bool shorter = bypass_held(shrink, end - size, size);
         progress |= shorter;
         end = shorter && end > shrink->best->count ? shrink->best->count : end - size;
      }
   }
   return progress;
}

/* Whether two nodes compute the same of the same: what they read was merged before, if it is equal. */
static bool are_equal(const struct fuzz_program *program, const struct fuzz_node *a, const struct fuzz_node *b)
{
   if (a->kind != b->kind || a->bits != b->bits || a->components != b->components || a->exact != b->exact ||
       a->op != b->op) {
      return false;
   }
   switch (a->kind) {
   case FUZZ_CONST:
      return a->value == b->value;
   case FUZZ_UNIFORM:
      return a->slot == b->slot;
   case FUZZ_INPUT:
      return memcmp(program->input[a->slot], program->input[b->slot], sizeof(program->input[0])) == 0;
   case FUZZ_ALU:
      for (unsigned s = 0; s < fuzz_source_count(a); s++) {
         if (a->sources[s].node != b->sources[s].node || a->sources[s].component != b->sources[s].component) {
            return false;
         }
      }
      return true;
   default:
      return false;
   }
}

/* A node whose value an earlier one has, of the same block, is not needed. */
static bool merge_equal(struct shrink *shrink, uint32_t index)
{
   const struct fuzz_program *best = shrink->best;

   for (uint32_t i = index; i-- > 0;) {
      const uint8_t kind = best->nodes[i].kind;
      if (kind == FUZZ_IF || kind == FUZZ_ELSE || kind == FUZZ_ENDIF || kind == FUZZ_LOOP || kind == FUZZ_ENDLOOP) {
         return false;
      }
      if (are_equal(best, &best->nodes[i], &best->nodes[index])) {
         struct fuzz_program *next = begin(shrink);
         const uint16_t same = (uint16_t)i;
         read_instead(next, index, (struct fuzz_source[]){{same, 0}, {same, 1}, {same, 2}, {same, 3}}, true);
         return try_next(shrink);
      }
   }
   return false;
}

static bool merge_equals(struct shrink *shrink)
{
   bool progress = false;

   for (uint32_t i = 1; i < shrink->best->count; i++) {
      if (merge_equal(shrink, i)) {
         progress = true;
         i--;
      }
   }
   return progress;
}

/* A node becomes an input, or a constant, of the value that it has. */
static bool replace_by_value(struct shrink *shrink, uint32_t index)
{
   const struct fuzz_node node = shrink->best->nodes[index];
   uint64_t values[FUZZ_LANES];

   if (!fuzz_is_value(&node) || node.kind == FUZZ_INPUT || node.components != 1 ||
       shrink->best->inputs >= FUZZ_INPUTS || !fuzz_node_values(shrink->best, index, values)) {
      return false;
   }
   struct fuzz_program *next = begin(shrink);
   next->nodes[index] =
       (struct fuzz_node){.kind = FUZZ_INPUT, .bits = node.bits, .components = 1, .slot = (uint16_t)next->inputs};
   memcpy(next->input[next->inputs++], values, sizeof(values));
   return try_next(shrink);
}

static bool replace_by_constant(struct shrink *shrink, uint32_t index, uint64_t value)
{
   struct fuzz_program *next = begin(shrink);
   const struct fuzz_node *node = &shrink->best->nodes[index];

   next->nodes[index] = (struct fuzz_node){.kind = FUZZ_CONST, .bits = node->bits, .components = 1, .value = value};
   return try_next(shrink);
}

static bool shrink_nodes(struct shrink *shrink)
{
   bool progress = false;

   for (uint32_t i = shrink->best->count; i-- > 0;) {
      bool (*const steps[])(struct shrink *, uint32_t) = {store_earlier, make_plain, narrow_access,
                                                          bypass_vector, bypass,     replace_by_value};
      for (unsigned step = 0; step < ARRAY_COUNT(steps) && i < shrink->best->count; step++) {
         progress |= steps[step](shrink, i);
      }
   }
   return progress;
}

/* Smaller numbers where they do. A constant that may matter stays an input as long as the fault does not need it. */
static bool shrink_data(struct shrink *shrink)
{
   static const uint64_t simple[] = {0, 1, 2, 3, 4, 8, 16, 32, 0x80, 0xff, 0x8000, 0xffff};
   bool progress = false;

   for (uint32_t i = 0; i < shrink->best->count; i++) {
      const struct fuzz_node *node = &shrink->best->nodes[i];
      if (node->kind == FUZZ_INPUT) {
         uint64_t *lanes = shrink->best->input[node->slot];
         for (unsigned s = 0; s < ARRAY_COUNT(simple) && simple[s] < lanes[0]; s++) {
            struct fuzz_program *next = begin(shrink);
            for (uint32_t lane = 0; lane < FUZZ_LANES; lane++) {
               next->input[node->slot][lane] = simple[s];
            }
            if (try_next(shrink)) {
               progress = true;
               break;
            }
         }
      } else if (node->kind == FUZZ_CONST) {
         for (unsigned s = 0; s < ARRAY_COUNT(simple) && simple[s] < node->value; s++) {
            if (replace_by_constant(shrink, i, simple[s])) {
               progress = true;
               break;
            }
         }
      }
   }
   return progress;
}

static bool use_registers(struct shrink *shrink, uint32_t registers)
{
   begin(shrink)->registers = registers;
   return shrink->best->registers != registers && try_next(shrink);
}

static void shrink_rounds(struct shrink *shrink)
{
   bool progress = true;

   for (unsigned round = 0; progress && round < 6; round++) {
      progress = remove_effects(shrink);
      progress |= remove_constructs(shrink);
      progress |= shrink_nodes(shrink);
      progress |= merge_equals(shrink);
   }
}

void fuzz_shrink(void *program, const struct fuzz_difference *difference, fuzz_fails *fails, void *data)
{
   struct shrink *shrink = calloc(1, sizeof(*shrink));

   if (shrink == NULL) {
      return; /* it stays as it is, and fails */
   }
   shrink->best = program;
   shrink->fails = fails;
   shrink->data = data;
   if (difference != NULL) {
      (void)keep_output(shrink, difference->output);
      (void)same_data_in_all_lanes(shrink, difference->lane);
   } else {
      (void)same_data_in_all_lanes(shrink, 0);
   }
   (void)use_registers(shrink, FUZZ_REGISTERS_ALL);
   shrink_rounds(shrink);
   /* A kernel that needs so many values needs them all to be live; with fewer registers it may need fewer values. */
   if (shrink->best->count > SPILLING_NODES &&
       (use_registers(shrink, FUZZ_REGISTERS_FEW) || use_registers(shrink, FUZZ_REGISTERS_TIGHT))) {
      shrink->attempts = 0;
      shrink_rounds(shrink);
   }
   if (shrink->best->count > SPILLING_NODES && use_registers(shrink, FUZZ_REGISTERS_MOST)) {
      do {
         shrink->attempts = 0;
         shrink_rounds(shrink);
      } while (bypass_runs(shrink));
   }
   (void)shrink_data(shrink);
   free(shrink);
}
