/* SPDX-License-Identifier: MIT
 *
 * Random programs with control flow, memory and subgroup operations. Invariant: an operand is in scope where it is
 * used; barriers and subgroup operations are at places that all lanes reach.
 */
#include "fuzz/nir/generate/generator.h"

#include <string.h>

#define DEPTH 3       /* most nested ifs and loops */
#define STATEMENTS 48 /* statements of a program, including those of inner blocks */
#define POOL 6        /* constants that the nodes of a program share */
#define HELD 80       /* values that are live from the beginning to the end: more than the registers hold */

struct control {
   struct fuzz_generator *generator;
   unsigned left; /* remaining statements */
   unsigned loops;
   /* how many variables are used: with few of them, control flow merges more values of each */
   uint32_t variables;
   /* a conversion that is often assigned to the variable; nir_num_opcodes: there is none of this width */
   nir_op conversions[FUZZ_VARIABLES];
   unsigned from_bits[FUZZ_VARIABLES]; /* the width of the conversion's source */
};

static void add_block(struct control *control, unsigned depth);

static unsigned random_width(struct util_random *random)
{
   static const uint8_t widths[] = {1, 8, 16, 16, 32, 32, 32, 64, 64};

   return widths[util_random_below(random, ARRAY_SIZE(widths))];
}

static struct fuzz_source operand(struct control *control, unsigned bits)
{
   return fuzz_operand(control->generator, bits, 1, false);
}

static uint32_t add(struct control *control, struct fuzz_node node)
{
   return fuzz_add(control->generator, node);
}

/* Returns a new value for a variable: compilers narrow, promote and fold phis of constants and of equal conversions. */
static struct fuzz_source new_value(struct control *control, uint32_t slot)
{
   struct fuzz_generator *generator = control->generator;
   const nir_op conversion = control->conversions[slot];
   const unsigned bits = generator->program->variable_bits[slot];
   const uint32_t kind = util_random_below(&generator->random, 10);

   if (kind < 3) {
      const bool is_float = conversion != nir_num_opcodes &&
                            nir_alu_type_get_base_type(nir_op_infos[conversion].output_type) == nir_type_float;
      return (struct fuzz_source){(uint16_t)fuzz_add_leaf(generator, bits, is_float, FUZZ_LEAF_CONST), 0};
   }
   if (kind < 6 && conversion != nir_num_opcodes) {
      struct fuzz_source sources[FUZZ_SOURCES] = {fuzz_operand(generator, control->from_bits[slot], 1, false)};
      return (struct fuzz_source){(uint16_t)fuzz_add_alu(generator, conversion, control->from_bits[slot], sources), 0};
   }
   return operand(control, bits);
}

static void set(struct control *control, uint32_t slot)
{
   const struct fuzz_source value = new_value(control, slot);

   if (value.node < FUZZ_NODES) {
      add(control, (struct fuzz_node){.kind = FUZZ_SET, .slot = (uint16_t)slot, .sources = {value}});
   }
}

static uint32_t any_variable(struct control *control)
{
   return util_random_below(&control->generator->random, control->variables);
}

static void add_set(struct control *control)
{
   set(control, any_variable(control));
}

static uint32_t add_get(struct control *control, uint32_t slot)
{
   const uint32_t bits = control->generator->program->variable_bits[slot];

   return add(control,
              (struct fuzz_node){.kind = FUZZ_GET, .slot = (uint16_t)slot, .bits = (uint8_t)bits, .components = 1});
}

/* Ends a scope: nodes of a block cannot be used behind it. */
static void add_scope(struct control *control, unsigned depth)
{
   struct fuzz_generator *generator = control->generator;
   const uint32_t first = generator->program->count;

   add_block(control, depth);
   memset(&generator->hidden[first], true, generator->program->count - first);
}

/* Returns the condition of a branch or a break. In programs of all shapes half of them are new comparisons or their
 * negations. */
static struct fuzz_source condition(struct control *control)
{
   static const nir_op comparisons[] = {nir_op_ilt, nir_op_ige, nir_op_ult, nir_op_uge,
                                        nir_op_ieq, nir_op_ine, nir_op_flt, nir_op_fge};
   struct fuzz_generator *generator = control->generator;
   struct util_random *random = &generator->random;

   if (!generator->shapes || util_random_chance(random, 50)) {
      return operand(control, 1);
   }
   const nir_op op = comparisons[util_random_below(random, ARRAY_SIZE(comparisons))];
   const bool is_float = op == nir_op_flt || op == nir_op_fge;
   const unsigned bits = is_float || util_random_chance(random, 50) ? 16 : 32; /* a float of 32 bits may be flushed */
   struct fuzz_source sources[FUZZ_SOURCES] = {fuzz_operand(generator, bits, 1, is_float),
                                               fuzz_operand(generator, bits, 1, is_float)};
   if (sources[0].node >= FUZZ_NODES || sources[1].node >= FUZZ_NODES) {
      return (struct fuzz_source){.node = FUZZ_NODES};
   }
   sources[0] = (struct fuzz_source){(uint16_t)fuzz_add_alu(generator, op, bits, sources), 0};
   if (util_random_chance(random, 50) && sources[0].node < FUZZ_NODES) {
      sources[0].node = (uint16_t)fuzz_add_alu(generator, nir_op_inot, 1, sources);
   }
   return sources[0];
}

/* Adds a jump out of the innermost loop, or to its next iteration. */
static void add_jump(struct control *control)
{
   const struct fuzz_source where = condition(control);
   const bool leaves = util_random_chance(&control->generator->random, 70);

   add(control, (struct fuzz_node){.kind = leaves ? FUZZ_BREAK : FUZZ_CONTINUE, .sources = {where}});
}

/* Adds the start of a loop: in programs of all shapes half of them count in other ways, or have a constant count. */
static void add_loop_start(struct control *control)
{
   struct fuzz_generator *generator = control->generator;
   struct util_random *random = &generator->random;
   struct fuzz_node loop = {.kind = FUZZ_LOOP, .sources = {operand(control, 32)}};

   if (generator->shapes && util_random_chance(random, 40)) {
      loop.sources[0] =
          (struct fuzz_source){(uint16_t)fuzz_add_constant(generator, 32, util_random_below(random, 6)), 0};
   }
   loop.value = generator->shapes && util_random_chance(random, 60) ? util_random_below(random, 2 * FUZZ_COUNTERS) : 0;
   add(control, loop);
}

/* Adds a variable that counts the loop's iterations: half of the loops in programs of all shapes have one. */
static void add_step(struct control *control)
{
   struct fuzz_generator *generator = control->generator;

   if (!generator->shapes || util_random_chance(&generator->random, 50)) {
      return;
   }
   const uint32_t slot = any_variable(control);
   const unsigned bits = generator->program->variable_bits[slot];
   struct fuzz_source sources[FUZZ_SOURCES] = {{(uint16_t)add_get(control, slot), 0}, operand(control, bits)};
   if (sources[0].node >= FUZZ_NODES || sources[1].node >= FUZZ_NODES) {
      return;
   }
   const uint32_t sum = fuzz_add_alu(generator, bits == 1 ? nir_op_ixor : nir_op_iadd, bits, sources);
   if (sum < FUZZ_NODES) {
      add(control, (struct fuzz_node){.kind = FUZZ_SET, .slot = (uint16_t)slot, .sources = {{(uint16_t)sum, 0}}});
   }
}

static void add_if(struct control *control, unsigned depth)
{
   add(control, (struct fuzz_node){.kind = FUZZ_IF, .sources = {condition(control)}});
   add_scope(control, depth + 1);
   if (util_random_chance(&control->generator->random, 60)) {
      add(control, (struct fuzz_node){.kind = FUZZ_ELSE});
      add_scope(control, depth + 1);
   }
   add(control, (struct fuzz_node){.kind = FUZZ_ENDIF});
}

/* Adds a variable that control flow merges: it has a value before, and another one at the end of a block. */
static void add_merge(struct control *control, unsigned depth)
{
   const uint32_t slot = any_variable(control);
   const bool loop = control->loops < 2 && util_random_chance(&control->generator->random, 40);

   set(control, slot);
   if (loop) {
      add_loop_start(control);
   } else {
      add(control, (struct fuzz_node){.kind = FUZZ_IF, .sources = {condition(control)}});
   }
   control->loops += loop ? 1 : 0;
   const uint32_t first = control->generator->program->count;
   add_block(control, depth + 1);
   if (loop) {
      add_step(control);
   }
   set(control, slot);
   control->loops -= loop ? 1 : 0;
   memset(&control->generator->hidden[first], true, control->generator->program->count - first);
   add(control, (struct fuzz_node){.kind = loop ? FUZZ_ENDLOOP : FUZZ_ENDIF});
   (void)add_get(control, slot);
}

static void add_loop(struct control *control, unsigned depth)
{
   add_loop_start(control);
   control->loops++;
   const uint32_t first = control->generator->program->count;
   add_block(control, depth + 1);
   add_step(control);
   if (util_random_chance(&control->generator->random, 40)) {
      add(control, (struct fuzz_node){.kind = FUZZ_BREAK, .sources = {condition(control)}});
   }
   control->loops--;
   memset(&control->generator->hidden[first], true, control->generator->program->count - first);
   add(control, (struct fuzz_node){.kind = FUZZ_ENDLOOP});
}

static void add_memory(struct control *control)
{
   struct util_random *random = &control->generator->random;
   const unsigned bits = 8u << util_random_below(random, 4);
   const bool store = util_random_chance(random, 50);
   const unsigned components = util_random_chance(random, 40) ? 2 + util_random_below(random, 3) : 1;
   struct fuzz_node node = {
       .kind = store ? FUZZ_STORE : FUZZ_LOAD,
       .bits = (uint8_t)bits,
       .components = (uint8_t)components,
       .op = (uint16_t)util_random_below(random, FUZZ_SPACES),
       .value = util_random_below(random, FUZZ_MEMORY),
       .sources = {operand(control, 8u << util_random_below(random, 3))},
   };

   if (control->generator->shapes && bits > 8 && util_random_chance(random, 50)) { /* less aligned */
      node.slot = (uint16_t)(1 + util_random_below(random, bits == 16 ? 1 : bits == 32 ? 2 : 3));
      node.value += util_random_chance(random, 50) ? FUZZ_MEMORY : 0;
   }
   if (store) {
      node.sources[1] = fuzz_operand(control->generator, bits, components, false);
   }
   add(control, node);
}

/* Adds accesses of several sizes at adjacent or overlapping constant addresses: compilers combine two of them, and must
 * notice what is between them. */
static void add_neighbours(struct control *control)
{
   struct fuzz_generator *generator = control->generator;
   struct util_random *random = &generator->random;
   const uint32_t zero = fuzz_add_constant(generator, 32, 0), count = 3 + util_random_below(random, 4);
   const uint32_t space = util_random_below(random, FUZZ_SPACES),
                  start = util_random_below(random, FUZZ_MEMORY / 16) * 16;

   for (uint32_t i = 0; zero < FUZZ_NODES && i < count; i++) {
      const unsigned bits = 8u << util_random_below(random, 4);
      struct fuzz_node node = {
          .kind = util_random_chance(random, 60) ? FUZZ_STORE : FUZZ_LOAD,
          .bits = (uint8_t)bits,
          .components = 1,
          .op = (uint16_t)space,
          .value = start + util_random_below(random, 128 / bits) * (bits / 8),
          .sources = {{(uint16_t)zero, 0}},
      };
      if (node.kind == FUZZ_STORE) {
         node.sources[1] = operand(control, bits);
      }
      add(control, node);
   }
}

static void add_atomic(struct control *control)
{
   struct util_random *random = &control->generator->random;

   add(control, (struct fuzz_node){
                    .kind = FUZZ_ATOMIC,
                    .bits = 32,
                    .components = 1,
                    .op = (uint16_t)util_random_below(random, FUZZ_SPACES * FUZZ_ATOMICS),
                    .value = util_random_below(random, FUZZ_MEMORY),
                    .sources = {operand(control, 32), operand(control, 32), operand(control, 32)},
                });
}

static void add_combine(struct control *control)
{
   struct util_random *random = &control->generator->random;
   struct fuzz_node node = {
       .kind = FUZZ_COMBINE,
       .bits = 32,
       .components = 1,
       .op = (uint16_t)util_random_below(random, FUZZ_COMMUTATIVE_ATOMICS),
       .value = util_random_below(random, 2 * FUZZ_LANES),
       .sources = {operand(control, 32), operand(control, 32)},
   };

   if (control->generator->shapes) { /* the result of the atomic is used */
      node.value += util_random_below(random, 2) * 2 * FUZZ_LANES;
   }
   add(control, node);
}

static void add_exchange(struct control *control)
{
   struct util_random *random = &control->generator->random;
   const unsigned bits = 8u << util_random_below(random, 4);

   add(control, (struct fuzz_node){.kind = FUZZ_EXCHANGE,
                                   .bits = (uint8_t)bits,
                                   .components = 1,
                                   .value = 1 + util_random_below(random, FUZZ_LANES - 1),
                                   .sources = {operand(control, bits)}});
}

/* Adds a subgroup operation of any width, or a vote. */
static void add_any_subgroup(struct control *control)
{
   static const uint8_t widths[] = {1, 8, 8, 16, 32, 64};
   struct util_random *random = &control->generator->random;
   struct fuzz_node node = {.kind = FUZZ_SUBGROUP,
                            .bits = widths[util_random_below(random, ARRAY_SIZE(widths))],
                            .components = 1,
                            .value = util_random_below(random, FUZZ_SIMD)};

   node.op = (uint16_t)(util_random_chance(random, 70)
                            ? util_random_below(random, FUZZ_SUBGROUP_SCANS)
                            : FUZZ_SUBGROUP_SCANS + util_random_below(random, FUZZ_SUBGROUPS - FUZZ_SUBGROUP_SCANS));
   if (node.op == FUZZ_SUBGROUP_BALLOT) {
      node.bits = 32;
   } else if (node.op > FUZZ_SUBGROUP_BALLOT) {
      node.bits = 1;
   }
   const unsigned reads = fuzz_subgroup_reads(&node);
   if (reads != 0) {
      node.sources[0] = operand(control, reads);
      node.sources[1] = operand(control, 32);
      add(control, node);
   }
}

/* Adds a subgroup operation of 16 or 32 bits, which the hardware supports. */
static void add_subgroup(struct control *control)
{
   struct util_random *random = &control->generator->random;

   if (control->generator->shapes && util_random_chance(random, 75)) {
      add_any_subgroup(control);
      return;
   }
   const unsigned bits = util_random_chance(random, 30) ? 16 : 32;

   add(control, (struct fuzz_node){.kind = FUZZ_SUBGROUP,
                                   .bits = (uint8_t)bits,
                                   .components = 1,
                                   .op = (uint16_t)util_random_below(random, 32),
                                   .sources = {operand(control, bits), operand(control, 32)}});
}

static void add_statement(struct control *control, unsigned depth)
{
   struct fuzz_generator *generator = control->generator;
   const uint32_t kind = util_random_below(&generator->random, 24);

   if (generator->shapes && control->loops != 0 && util_random_chance(&generator->random, 15)) {
      add_jump(control);
      return;
   }
   if (generator->shapes && depth == 0 && util_random_chance(&generator->random, 10)) {
      add_any_subgroup(control);
      return;
   }
   if (generator->shapes && util_random_chance(&generator->random, 5)) {
      add_neighbours(control);
      return;
   }
   if (kind < 7) {
      (void)fuzz_add_random(generator);
   } else if (kind < 10) {
      add_set(control);
   } else if (kind < 12) {
      (void)add_get(control, any_variable(control));
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
   } else if (kind >= 22 && depth < DEPTH) {
      add_merge(control, depth);
   }
}

static void add_block(struct control *control, unsigned depth)
{
   unsigned here = depth == 0 ? STATEMENTS : 1 + util_random_below(&control->generator->random, 6);

   for (; here != 0 && control->left != 0; here--) {
      control->left--;
      add_statement(control, depth);
   }
}

/* Loads more values than there are registers at the beginning, and uses all of them at the end. */
static void hold(struct fuzz_generator *generator, uint32_t held[HELD])
{
   for (unsigned i = 0; i < HELD; i++) {
      held[i] = fuzz_add_leaf(generator, 64, false, FUZZ_LEAF_INPUT);
      generator->hidden[held[i]] = util_random_chance(&generator->random, 80); /* else it is an operand, too */
   }
}

static void release(struct fuzz_generator *generator, const uint32_t held[HELD])
{
   static const nir_op ops[] = {nir_op_ixor, nir_op_iadd, nir_op_ior, nir_op_isub};
   uint32_t sum = held[0];

   for (unsigned i = 1; i < HELD && sum < FUZZ_NODES; i++) {
      const struct fuzz_source sources[FUZZ_SOURCES] = {{(uint16_t)sum, 0}, {(uint16_t)held[i], 0}};
      sum = fuzz_add_alu(generator, ops[util_random_below(&generator->random, ARRAY_SIZE(ops))], 64, sources);
      if (i % 16 == 15) {
         fuzz_add_output(generator, sum);
      }
   }
   fuzz_add_output(generator, sum);
}

static void prepare(struct control *control)
{
   struct fuzz_generator *generator = control->generator;

   for (unsigned i = 0; i < POOL; i++) {
      const unsigned bits = 8u << util_random_below(&generator->random, 4);
      (void)fuzz_add_constant(
          generator, 64, fuzz_edge(&generator->random, bits, bits >= 32 && util_random_chance(&generator->random, 50)));
   }
   generator->pool = POOL;
   control->variables = 1 + util_random_below(&generator->random, FUZZ_VARIABLES);
   for (uint32_t i = 0; i < FUZZ_VARIABLES; i++) {
      generator->program->variable_bits[i] = random_width(&generator->random);
      control->conversions[i] =
          fuzz_any_conversion(&generator->random, generator->program->variable_bits[i], &control->from_bits[i]);
   }
}

void fuzz_add_control(struct fuzz_generator *generator)
{
   struct control control = {.generator = generator, .left = STATEMENTS};
   struct fuzz_program *program = generator->program;
   const bool pressure = util_random_chance(&generator->random, 15);
   uint32_t held[HELD];

   generator->exact = true;
   prepare(&control);
   if (pressure) {
      hold(generator, held);
   }
   add_block(&control, 0);
   if (pressure) {
      release(generator, held);
   }
   for (uint32_t i = 0; i < control.variables; i++) {
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
