/* SPDX-License-Identifier: MIT
 *
 * Makes kernels. An expression is made from its result downwards: a type is wanted, an operation that gives it is
 * chosen, then its operands are made in the same way. Invariant: a node's sources stand before it, in its block or one
 * around it.
 */
#include <string.h>

#include "agx_runner/fuzz/opencl/ops.h"

struct generator {
   struct ocl_program *program;
   struct fuzz_random random;
   bool visible[OCL_NODES]; /* values that may be used here */
   unsigned depth;          /* of control flow */
   unsigned loops;
   unsigned local_nodes; /* exchanges and atomics: each takes local memory */
   bool no_constant;     /* clang would fold an as_T() of constants, and the translator crash (docs/mesa-bugs.md 5) */
};

static const uint8_t widths[] = {1, 2, 3, 4, 8, 16};

static uint32_t below(struct generator *generator, uint32_t bound)
{
   return fuzz_below(&generator->random, bound);
}

static bool chance(struct generator *generator, uint32_t percent)
{
   return fuzz_chance(&generator->random, percent);
}

/* Numbers at which arithmetic goes wrong, more often than others. */
static uint64_t any_number(struct generator *generator, uint8_t base)
{
   const uint64_t bits = fuzz_next(&generator->random), mask = ocl_mask(base);
   const unsigned shift = below(generator, ocl_bits(base));

   switch (below(generator, 10)) {
   case 0:
      return bits % 3;
   case 1:
      return -(bits % 4) & mask;
   case 2: /* greatest, or least */
      return ((mask >> 1) + bits % 3) & mask;
   case 3:
      return (UINT64_C(1) << shift) & mask;
   case 4:
      return ((UINT64_C(1) << shift) - 1 + bits % 2) & mask;
   case 5:
      return (-(UINT64_C(1) << shift)) & mask;
   case 6:
      return (ocl_bits(base) - 2 + bits % 5) & mask; /* counts of shifts around the width */
   case 7:
      return bits % 256 & mask;
   default:
      return bits & mask;
   }
}

static struct ocl_type any_type(struct generator *generator)
{
   struct ocl_type type = {.base = (uint8_t)below(generator, OCL_BASES), .width = 1};

   if (chance(generator, 35)) {
      type.width = widths[1 + below(generator, chance(generator, 80) ? 3 : 5)];
   }
   return type;
}

/* NULL: the program is full. */
static struct ocl_node *add_node(struct generator *generator, enum ocl_kind kind, struct ocl_type type)
{
   struct ocl_program *program = generator->program;

   if (program->count >= OCL_NODES) {
      return NULL;
   }
   struct ocl_node *node = &program->nodes[program->count];
   *node = (struct ocl_node){.kind = (uint8_t)kind, .type = type};
   generator->visible[program->count++] =
       kind <= OCL_OP || kind == OCL_READ || kind == OCL_EXCHANGE || kind == OCL_ATOMIC;
   return node;
}

static uint32_t last(const struct generator *generator)
{
   return generator->program->count - 1;
}

static bool near_full(const struct generator *generator)
{
   return generator->program->count + 60 > OCL_NODES;
}

static uint32_t constant(struct generator *generator, struct ocl_type type)
{
   struct ocl_node *node = add_node(generator, OCL_CONST, type);
   const uint64_t same = any_number(generator, type.base);
   const bool splat = chance(generator, 40);

   if (node == NULL) {
      return 0; /* the caller has seen near_full(): this is the end of the program */
   }
   for (unsigned i = 0; i < type.width; i++) {
      node->data[i] = splat ? same : any_number(generator, type.base);
   }
   return last(generator);
}

/* A value that is there already. UINT32_MAX: there is none of this type. */
static uint32_t old_value(struct generator *generator, struct ocl_type type)
{
   const struct ocl_program *program = generator->program;
   const uint32_t start = below(generator, program->count + 1);

   for (uint32_t i = 0; i < program->count; i++) {
      const uint32_t at = (start + i) % program->count;
      if (generator->visible[at] && ocl_same(program->nodes[at].type, type) && program->nodes[at].kind != OCL_CONST) {
         return at;
      }
   }
   return UINT32_MAX;
}

static uint32_t leaf(struct generator *generator, struct ocl_type type)
{
   struct ocl_program *program = generator->program;
   struct ocl_node *node;

   if (!generator->no_constant && chance(generator, 25)) {
      return constant(generator, type);
   }
   if (type.width == 1 && program->scalars < OCL_SCALARS && chance(generator, 40)) {
      program->scalar_type[program->scalars] = type;
      program->scalar[program->scalars] = any_number(generator, type.base);
      node = add_node(generator, OCL_SCALAR, type);
      if (node != NULL) {
         node->slot = (uint8_t)program->scalars++;
         return last(generator);
      }
   }
   for (uint32_t i = below(generator, 2 * OCL_INPUTS); i < program->inputs; i++) {
      if (ocl_same(program->input_type[i], type) && (node = add_node(generator, OCL_INPUT, type)) != NULL) {
         node->slot = (uint8_t)i;
         return last(generator);
      }
   }
   if (program->inputs == OCL_INPUTS) {
      const uint32_t old = old_value(generator, type);
      return old != UINT32_MAX ? old : constant(generator, type);
   }
   if ((node = add_node(generator, OCL_INPUT, type)) == NULL) {
      return 0;
   }
   program->input_type[program->inputs] = type;
   for (uint32_t lane = 0; lane < OCL_LANES; lane++) {
      for (unsigned i = 0; i < type.width; i++) {
         program->input[program->inputs][lane][i] = any_number(generator, type.base);
      }
   }
   node->slot = (uint8_t)program->inputs++;
   return last(generator);
}

/* The types of an operation's operands. */
struct plan {
   struct ocl_type source[OCL_SOURCES];
   uint8_t count;
   uint64_t data[OCL_WIDTH];
};

static struct ocl_type with_base(struct ocl_type type, unsigned base)
{
   return (struct ocl_type){.base = (uint8_t)base, .width = type.width};
}

static struct ocl_type with_width(struct ocl_type type, unsigned width)
{
   return (struct ocl_type){.base = type.base, .width = (uint8_t)width};
}

static struct ocl_type either_sign(struct generator *generator, struct ocl_type type)
{
   return with_base(type, (type.base & ~1u) | below(generator, 2));
}

/* Of comparisons: false when no comparison has this type. */
static bool compared(struct generator *generator, struct ocl_type result, struct ocl_type *type)
{
   *type = result.width != 1 ? either_sign(generator, result)
                             : (struct ocl_type){.base = (uint8_t)below(generator, OCL_BASES), .width = 1};
   return result.width != 1 ? ocl_signed(result.base) : result.base == OCL_INT;
}

/* Vectors for shuffle(): these widths have such a function. */
static struct ocl_type shuffled(struct generator *generator, struct ocl_type type)
{
   static const uint8_t allowed[] = {2, 4, 8, 16};

   return with_width(type, allowed[below(generator, 4)]);
}

static bool plan_whole(struct generator *generator, enum ocl_shape shape, struct ocl_type type, struct plan *plan)
{
   const unsigned bits = ocl_bits(type.base) * type.width;
   unsigned left = type.width;

   switch (shape) {
   case OCL_SHAPE_AS:
      plan->source[0] = any_type(generator);
      return ocl_bits(plan->source[0].base) * plan->source[0].width == bits && !ocl_same(plan->source[0], type) &&
             (type.width == 3) == (plan->source[0].width == 3);
   case OCL_SHAPE_SWIZZLE:
      plan->source[0] = with_width(type, widths[1 + below(generator, 5)]);
      for (unsigned i = 0; i < type.width; i++) {
         plan->data[i] = below(generator, plan->source[0].width);
      }
      return true;
   case OCL_SHAPE_BUILD:
      for (plan->count = 0; left != 0; plan->count++) {
         unsigned width = plan->count == OCL_SOURCES - 1 ? left : widths[below(generator, 6)];
         width = width > left ? left : width;
         if (width > 4 && width != 8) {
            return false;
         }
         left -= width;
         plan->source[plan->count] = with_width(type, width);
      }
      return type.width != 1 && plan->count > 1;
   case OCL_SHAPE_INSERT:
      plan->source[0] = type;
      plan->source[1] = with_width(type, 1);
      plan->data[0] = below(generator, type.width);
      return type.width != 1;
   case OCL_SHAPE_SHUFFLE:
   case OCL_SHAPE_SHUFFLE2:
      plan->source[0] = plan->source[1] = shuffled(generator, type);
      plan->source[shape == OCL_SHAPE_SHUFFLE ? 1 : 2] = with_base(type, type.base | 1u);
      return type.width != 1 && type.width != 3;
   default: /* any, all */
      plan->source[0] = any_type(generator);
      plan->source[0].base &= 6;
      return type.base == OCL_INT && type.width == 1;
   }
}

/* False: this operation does not give this type. */
static bool plan_op(struct generator *generator, const struct ocl_op *op, struct ocl_type type, struct plan *plan)
{
   *plan = (struct plan){.source = {type, type, type, type}, .count = op->arity};

   switch (op->shape) {
   case OCL_SHAPE_1:
   case OCL_SHAPE_2:
   case OCL_SHAPE_3:
   case OCL_SHAPE_SHIFT:
   case OCL_SHAPE_DIVIDE:
      return true;
   case OCL_SHAPE_ABS:
   case OCL_SHAPE_ABS_2:
      plan->source[0] = plan->source[1] = either_sign(generator, type);
      return !ocl_signed(type.base);
   case OCL_SHAPE_COMPARE:
   case OCL_SHAPE_LOGIC:
   case OCL_SHAPE_NOT:
      if (!compared(generator, type, &plan->source[0])) {
         return false;
      }
      plan->source[1] = plan->source[0];
      return true;
   case OCL_SHAPE_SELECT:
      plan->source[2] = either_sign(generator, type);
      return true;
   case OCL_SHAPE_CHOOSE:
      plan->source[0] =
          type.width == 1 ? with_base(type, below(generator, OCL_BASES)) : with_base(type, type.base & ~1u);
      return true;
   case OCL_SHAPE_CONVERT:
   case OCL_SHAPE_CAST:
      plan->source[0] = with_base(type, below(generator, OCL_BASES));
      return plan->source[0].base != type.base && (op->shape == OCL_SHAPE_CONVERT || type.width == 1);
   case OCL_SHAPE_UPSAMPLE:
      plan->source[0] = with_base(type, type.base - 2u);
      plan->source[1] = with_base(type, (type.base - 2u) | 1u);
      return type.base >= OCL_SHORT;
   case OCL_SHAPE_24:
   case OCL_SHAPE_24_3:
      return type.base == OCL_INT || type.base == OCL_UINT;
   default:
      return plan_whole(generator, op->shape, type, plan);
   }
}

static uint32_t expression(struct generator *generator, struct ocl_type type, unsigned depth);

static const struct ocl_op *choose_op(struct generator *generator)
{
   uint32_t sum = 0;

   for (unsigned i = 0; i < ocl_op_count; i++) {
      sum += ocl_ops[i].weight;
   }
   uint32_t left = below(generator, sum);
   for (unsigned i = 0; i < ocl_op_count; i++) {
      if (left < ocl_ops[i].weight) {
         return &ocl_ops[i];
      }
      left -= ocl_ops[i].weight;
   }
   return ocl_ops;
}

static uint32_t operation(struct generator *generator, struct ocl_type type, unsigned depth)
{
   const struct ocl_op *op = choose_op(generator);
   struct plan plan;
   uint16_t sources[OCL_SOURCES] = {0};

   for (unsigned tries = 0; !plan_op(generator, op, type, &plan); tries++) {
      op = tries < 100 ? choose_op(generator) : ocl_ops;
   }
   const bool no_constant = generator->no_constant;
   generator->no_constant |= op->shape == OCL_SHAPE_AS;
   for (unsigned i = 0; i < plan.count; i++) {
      sources[i] = (uint16_t)expression(generator, plan.source[i], depth + 1);
   }
   generator->no_constant = no_constant;
   struct ocl_node *node = add_node(generator, OCL_OP, type);
   if (node == NULL) {
      return 0;
   }
   node->op = (uint8_t)(op - ocl_ops);
   node->count = plan.count;
   memcpy(node->source, sources, sizeof(sources));
   memcpy(node->data, plan.data, sizeof(plan.data));
   node->outlined = op->compute != NULL && chance(generator, 8);
   return last(generator);
}

static uint32_t read_object(struct generator *generator, uint32_t object, unsigned depth)
{
   const struct ocl_type index_type = {.base = (uint8_t)below(generator, OCL_BASES), .width = 1};
   const uint32_t index = expression(generator, index_type, depth + 1);
   struct ocl_node *node = add_node(generator, OCL_READ, generator->program->object[object].type);

   if (node == NULL) {
      return 0;
   }
   node->slot = (uint8_t)object;
   node->count = 1;
   node->source[0] = (uint16_t)index;
   return last(generator);
}

static uint32_t expression(struct generator *generator, struct ocl_type type, unsigned depth)
{
   struct ocl_program *program = generator->program;

   if (chance(generator, 8 + 6 * depth)) {
      const uint32_t old = old_value(generator, type);
      if (old != UINT32_MAX) {
         return old;
      }
   }
   if (depth > 1 && chance(generator, 20)) {
      for (uint32_t i = below(generator, OCL_OBJECTS); i < program->objects; i++) {
         if (ocl_same(program->object[i].type, type)) {
            return read_object(generator, i, depth);
         }
      }
   }
   return depth >= 4 || near_full(generator) || chance(generator, 12 * depth) ? leaf(generator, type)
                                                                              : operation(generator, type, depth);
}

static void output(struct generator *generator)
{
   struct ocl_program *program = generator->program;

   if (program->outputs == OCL_OUTPUTS) {
      return;
   }
   const struct ocl_type type = any_type(generator);
   const uint32_t value = expression(generator, type, 0);
   struct ocl_node *node = add_node(generator, OCL_OUTPUT, type);
   if (node != NULL) {
      node->count = 1;
      node->source[0] = (uint16_t)value;
      node->slot = (uint8_t)program->outputs;
      program->output_type[program->outputs++] = type;
   }
}

static void write_object(struct generator *generator)
{
   struct ocl_program *program = generator->program;

   if (program->objects == 0) {
      return;
   }
   const uint32_t object = below(generator, program->objects);
   const struct ocl_type index_type = {.base = (uint8_t)below(generator, OCL_BASES), .width = 1};
   const uint32_t index = expression(generator, index_type, 3);
   const uint32_t value = expression(generator, program->object[object].type, 1);
   struct ocl_node *node = add_node(generator, OCL_WRITE, program->object[object].type);
   if (node != NULL) {
      node->slot = (uint8_t)object;
      node->count = 2;
      node->source[0] = (uint16_t)index;
      node->source[1] = (uint16_t)value;
   }
}

/* Between lanes; all lanes must be there. */
static void communicate(struct generator *generator)
{
   const bool atomic = chance(generator, 50);
   struct ocl_type type = any_type(generator);

   if (generator->depth != 0 || generator->local_nodes++ >= 4) {
      return;
   }
   if (atomic) {
      type = (struct ocl_type){.base = chance(generator, 50) ? OCL_INT : OCL_UINT, .width = 1};
   }
   const uint32_t value = expression(generator, type, 1);
   struct ocl_node *node = add_node(generator, atomic ? OCL_ATOMIC : OCL_EXCHANGE, type);
   if (node != NULL) {
      node->op = (uint8_t)below(generator, OCL_ATOMICS);
      node->data[0] = atomic ? any_number(generator, type.base) : below(generator, OCL_LANES);
      node->count = 1;
      node->source[0] = (uint16_t)value;
   }
}

static void statement(struct generator *generator);

/* What is made inside cannot be used behind its end. */
static void block(struct generator *generator, unsigned count)
{
   const uint32_t start = generator->program->count;

   for (unsigned i = 0; i < count && !near_full(generator); i++) {
      statement(generator);
   }
   for (uint32_t i = start; i < generator->program->count; i++) {
      generator->visible[i] = false;
   }
}

static void control(struct generator *generator)
{
   const bool loop = chance(generator, 50);
   const struct ocl_type type = {.base = (uint8_t)below(generator, OCL_BASES), .width = 1};
   const uint32_t condition = expression(generator, type, 1);
   struct ocl_node *node = add_node(generator, loop ? OCL_LOOP : OCL_IF, type);

   if (node == NULL) {
      return;
   }
   node->count = 1;
   node->source[0] = (uint16_t)condition;
   node->data[0] = below(generator, 3);
   generator->depth++;
   generator->loops += loop ? 1 : 0;
   block(generator, 1 + below(generator, 3));
   if (!loop && chance(generator, 60) && (node = add_node(generator, OCL_ELSE, type)) != NULL) {
      block(generator, 1 + below(generator, 2));
   }
   generator->depth--;
   generator->loops -= loop ? 1 : 0;
   (void)add_node(generator, loop ? OCL_ENDLOOP : OCL_ENDIF, type);
}

static void leave(struct generator *generator)
{
   const struct ocl_type type = {.base = OCL_INT, .width = 1};
   const uint32_t condition = expression(generator, type, 2);
   struct ocl_node *node = add_node(generator, chance(generator, 50) ? OCL_BREAK : OCL_CONTINUE, type);

   if (node != NULL) {
      node->count = 1;
      node->source[0] = (uint16_t)condition;
   }
}

static void statement(struct generator *generator)
{
   const uint32_t what = below(generator, 100);

   if (what < 20 && generator->depth < OCL_DEPTH - 1) {
      control(generator);
   } else if (what < 27 && generator->loops != 0) {
      leave(generator);
   } else if (what < 65) {
      write_object(generator);
   } else if (what < 75) {
      communicate(generator);
   } else if (generator->depth == 0) {
      output(generator);
   }
}

static void make_objects(struct generator *generator)
{
   struct ocl_program *program = generator->program;
   const uint32_t count = 2 + below(generator, OCL_OBJECTS - 2);
   uint8_t lengths[3];

   for (unsigned i = 0; i < 3; i++) {
      lengths[i] = (uint8_t)(1u << below(generator, 4));
   }
   for (uint32_t i = 0; i < count; i++) {
      struct ocl_object *object = &program->object[program->objects++];
      object->type = any_type(generator);
      object->record = (uint8_t)below(generator, 3);
      object->length = chance(generator, 40) ? 1 : (uint8_t)(1u << below(generator, 4));
      if (object->record != 0) {
         object->length = lengths[object->record];
      }
      for (unsigned j = 0; j < object->type.width; j++) {
         object->start[j] = any_number(generator, object->type.base);
      }
   }
}

/* What objects hold in the end is an output too. */
static void store_objects(struct generator *generator)
{
   struct ocl_program *program = generator->program;

   for (uint32_t i = 0; i < program->objects && program->outputs < OCL_OUTPUTS; i++) {
      const uint32_t value = read_object(generator, i, 3);
      struct ocl_node *node = add_node(generator, OCL_OUTPUT, program->object[i].type);
      if (node == NULL) {
         return;
      }
      node->count = 1;
      node->source[0] = (uint16_t)value;
      node->slot = (uint8_t)program->outputs;
      program->output_type[program->outputs++] = node->type;
   }
}

void ocl_generate(struct ocl_program *program, uint64_t seed)
{
   struct generator generator = {.program = program, .random = {.state = seed}};

   memset(program, 0, sizeof(*program));
   program->lanes = OCL_LANES;
   if (chance(&generator, 50)) {
      while (program->outputs < OCL_OUTPUTS && !near_full(&generator)) {
         output(&generator);
      }
      return;
   }
   make_objects(&generator);
   for (unsigned i = 0; i < 14 && !near_full(&generator); i++) {
      statement(&generator);
   }
   store_objects(&generator);
}
