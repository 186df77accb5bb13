/* SPDX-License-Identifier: MIT
 *
 * Random programs with control flow, memory and subgroup operations. Invariant: an operand is in scope where it is
 * used; barriers and subgroup operations stand where all lanes come.
 */
#include "compiler/fuzz/generate.h"

#include <string.h>

#define DEPTH 3       /* of nested ifs and loops */
#define STATEMENTS 48 /* of a program, those of inner blocks included */

struct control {
   struct fuzz_generator *generator;
   unsigned left; /* statements */
   unsigned loops;
};

static void add_block(struct control *control, unsigned depth);

static unsigned random_width(struct fuzz_random *random)
{
   static const uint8_t widths[] = {1, 8, 16, 16, 32, 32, 32, 32, 64};

   return widths[fuzz_below(random, ARRAY_SIZE(widths))];
}

static struct fuzz_source operand(struct control *control, unsigned bits)
{
   return fuzz_operand(control->generator, bits, 1, false);
}

static uint32_t add(struct control *control, struct fuzz_node node)
{
   return fuzz_add(control->generator, node);
}

static void add_set(struct control *control)
{
   const struct fuzz_program *program = control->generator->program;
   const uint32_t slot = fuzz_below(&control->generator->random, FUZZ_VARIABLES);

   add(control, (struct fuzz_node){.kind = FUZZ_SET,
                                   .slot = (uint16_t)slot,
                                   .sources = {operand(control, program->variable_bits[slot])}});
}

static uint32_t add_get(struct control *control, uint32_t slot)
{
   const uint32_t bits = control->generator->program->variable_bits[slot];

   return add(control,
              (struct fuzz_node){.kind = FUZZ_GET, .slot = (uint16_t)slot, .bits = (uint8_t)bits, .components = 1});
}

/* What is made in a block is out of scope behind it. */
static void add_scope(struct control *control, unsigned depth)
{
   struct fuzz_generator *generator = control->generator;
   const uint32_t first = generator->program->count;

   add_block(control, depth);
   memset(&generator->hidden[first], true, generator->program->count - first);
}

static void add_if(struct control *control, unsigned depth)
{
   add(control, (struct fuzz_node){.kind = FUZZ_IF, .sources = {operand(control, 1)}});
   add_scope(control, depth + 1);
   if (fuzz_chance(&control->generator->random, 60)) {
      add(control, (struct fuzz_node){.kind = FUZZ_ELSE});
      add_scope(control, depth + 1);
   }
   add(control, (struct fuzz_node){.kind = FUZZ_ENDIF});
}

static void add_loop(struct control *control, unsigned depth)
{
   add(control, (struct fuzz_node){.kind = FUZZ_LOOP, .sources = {operand(control, 32)}});
   control->loops++;
   const uint32_t first = control->generator->program->count;
   add_block(control, depth + 1);
   if (fuzz_chance(&control->generator->random, 40)) {
      add(control, (struct fuzz_node){.kind = FUZZ_BREAK, .sources = {operand(control, 1)}});
   }
   control->loops--;
   memset(&control->generator->hidden[first], true, control->generator->program->count - first);
   add(control, (struct fuzz_node){.kind = FUZZ_ENDLOOP});
}

static void add_memory(struct control *control)
{
   struct fuzz_random *random = &control->generator->random;
   const unsigned bits = 8u << fuzz_below(random, 4);
   const bool store = fuzz_chance(random, 50);
   const unsigned components = fuzz_chance(random, 40) ? 2 + fuzz_below(random, 3) : 1;
   struct fuzz_node node = {
       .kind = store ? FUZZ_STORE : FUZZ_LOAD,
       .bits = (uint8_t)bits,
       .components = (uint8_t)components,
       .op = (uint16_t)fuzz_below(random, FUZZ_SPACES),
       .value = fuzz_below(random, FUZZ_MEMORY),
       .sources = {operand(control, 8u << fuzz_below(random, 3))},
   };

   if (store) {
      node.sources[1] = fuzz_operand(control->generator, bits, components, false);
   }
   add(control, node);
}

static void add_atomic(struct control *control)
{
   struct fuzz_random *random = &control->generator->random;

   add(control, (struct fuzz_node){
                    .kind = FUZZ_ATOMIC,
                    .bits = 32,
                    .components = 1,
                    .op = (uint16_t)fuzz_below(random, FUZZ_SPACES * FUZZ_ATOMICS),
                    .value = fuzz_below(random, FUZZ_MEMORY),
                    .sources = {operand(control, 32), operand(control, 32), operand(control, 32)},
                });
}

static void add_combine(struct control *control)
{
   struct fuzz_random *random = &control->generator->random;

   add(control, (struct fuzz_node){
                    .kind = FUZZ_COMBINE,
                    .bits = 32,
                    .components = 1,
                    .op = (uint16_t)fuzz_below(random, FUZZ_COMMUTATIVE_ATOMICS),
                    .value = fuzz_below(random, 2 * FUZZ_LANES),
                    .sources = {operand(control, 32), operand(control, 32)},
                });
}

static void add_exchange(struct control *control)
{
   struct fuzz_random *random = &control->generator->random;
   const unsigned bits = 8u << fuzz_below(random, 4);

   add(control, (struct fuzz_node){.kind = FUZZ_EXCHANGE,
                                   .bits = (uint8_t)bits,
                                   .components = 1,
                                   .value = 1 + fuzz_below(random, FUZZ_LANES - 1),
                                   .sources = {operand(control, bits)}});
}

/* Of 16 and 32 bits: what the hardware has. */
static void add_subgroup(struct control *control)
{
   struct fuzz_random *random = &control->generator->random;
   const unsigned bits = fuzz_chance(random, 30) ? 16 : 32;

   add(control, (struct fuzz_node){.kind = FUZZ_SUBGROUP,
                                   .bits = (uint8_t)bits,
                                   .components = 1,
                                   .op = (uint16_t)fuzz_below(random, 32),
                                   .sources = {operand(control, bits), operand(control, 32)}});
}

static void add_statement(struct control *control, unsigned depth)
{
   struct fuzz_generator *generator = control->generator;
   const uint32_t kind = fuzz_below(&generator->random, 22);

   if (kind < 7) {
      (void)fuzz_add_random(generator);
   } else if (kind < 10) {
      add_set(control);
   } else if (kind < 12) {
      (void)add_get(control, fuzz_below(&generator->random, FUZZ_VARIABLES));
   } else if (kind < 15) {
      add_memory(control);
   } else if (kind < 17 && depth < DEPTH) {
      add_if(control, depth);
   } else if (kind < 18 && depth < DEPTH && control->loops < 2) {
      add_loop(control, depth);
   } else if (kind == 18 && depth == 0) {
      add_exchange(control);
   } else if (kind == 19 && depth == 0) {
      add_subgroup(control);
   } else if (kind == 20) {
      add_atomic(control);
   } else if (kind == 21 && depth == 0) {
      add_combine(control);
   }
}

static void add_block(struct control *control, unsigned depth)
{
   unsigned here = depth == 0 ? STATEMENTS : 1 + fuzz_below(&control->generator->random, 6);

   for (; here != 0 && control->left != 0; here--) {
      control->left--;
      add_statement(control, depth);
   }
}

void fuzz_add_control(struct fuzz_generator *generator)
{
   struct control control = {.generator = generator, .left = STATEMENTS};
   struct fuzz_program *program = generator->program;

   for (unsigned i = 0; i < FUZZ_VARIABLES; i++) {
      program->variable_bits[i] = random_width(&generator->random);
   }
   generator->exact = true;
   add_block(&control, 0);
   for (uint32_t i = 0; i < FUZZ_VARIABLES; i++) {
      fuzz_add_output(generator, add_get(&control, i));
   }
   for (uint32_t i = 0, count = program->count; i < count; i++) {
      const uint8_t kind = program->nodes[i].kind;
      if (!generator->hidden[i] && (kind == FUZZ_LOAD || kind == FUZZ_EXCHANGE || kind == FUZZ_SUBGROUP ||
                                    kind == FUZZ_ATOMIC || kind == FUZZ_COMBINE)) {
         fuzz_add_output(generator, i);
      }
   }
}
