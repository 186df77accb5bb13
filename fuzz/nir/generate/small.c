/* SPDX-License-Identifier: MIT
 *
 * Small programs that spill: a few values of several sizes are live across a loop or an if, and the backend has few
 * registers. Invariant: the program contains only these values, the control flow and their stores.
 */
#include "fuzz/nir/generate/generator.h"

#define VALUES 5 /* most values */

static struct fuzz_source add_input(struct fuzz_generator *generator, unsigned bits)
{
   return (struct fuzz_source){(uint16_t)fuzz_add_leaf(generator, bits, false, FUZZ_LEAF_INPUT), 0};
}

/* The index is a constant, or an input that nothing else reads. */
static void add_store(struct fuzz_generator *generator, enum fuzz_space space, struct fuzz_source value)
{
   struct util_random *random = &generator->random;
   const struct fuzz_source index = util_random_chance(random, 65)
                                        ? (struct fuzz_source){(uint16_t)fuzz_add_constant(generator, 32, 0), 0}
                                        : add_input(generator, 16u << util_random_below(random, 2));

   fuzz_add(generator, (struct fuzz_node){.kind = FUZZ_STORE,
                                          .bits = generator->program->nodes[value.node].bits,
                                          .components = 1,
                                          .op = (uint16_t)space,
                                          .value = util_random_below(random, FUZZ_MEMORY),
                                          .sources = {index, value}});
}

void fuzz_add_small(struct fuzz_generator *generator)
{
   struct util_random *random = &generator->random;
   struct fuzz_source values[VALUES];
   const enum fuzz_space space = util_random_chance(random, 70) ? FUZZ_THREADGROUP : FUZZ_DEVICE;
   const uint32_t count = 3 + util_random_below(random, VALUES - 2);

   for (uint32_t i = 0; i < count; i++) {
      values[i] = add_input(generator, 16u << util_random_below(random, 3));
   }
   const bool loop = util_random_chance(random, 70);
   const struct fuzz_source condition = add_input(generator, loop ? 16u << util_random_below(random, 2) : 1);
   fuzz_add(generator, (struct fuzz_node){.kind = loop ? FUZZ_LOOP : FUZZ_IF, .sources = {condition}});
   add_store(generator, space, values[util_random_below(random, count)]);
   if (loop && util_random_chance(random, 70)) {
      fuzz_add(generator, (struct fuzz_node){.kind = FUZZ_BREAK, .sources = {add_input(generator, 1)}});
   }
   fuzz_add(generator, (struct fuzz_node){.kind = loop ? FUZZ_ENDLOOP : FUZZ_ENDIF});
   for (uint32_t i = 0; i < count; i++) {
      add_store(generator, space, values[i]);
   }
}
