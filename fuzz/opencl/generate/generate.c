/* SPDX-License-Identifier: MIT
 *
 * Makes kernels. An expression is made from its result downwards: for a wanted type, an operation that gives it is
 * chosen, then its operands are made in the same way. Invariant: a node's sources precede it, in its block or an
 * enclosing one.
 */
#include <string.h>

#include "fuzz/opencl/generate/generator.h"
#include "fuzz/opencl/generate/generate.h"

struct ocl_node *ocl_add_node(struct ocl_generator *generator, enum ocl_kind kind, struct ocl_type type)
{
   struct ocl_program *program = generator->program;

   if (program->count >= OCL_NODES) {
      return NULL;
   }
   struct ocl_node *node = &program->nodes[program->count];
   *node = (struct ocl_node){.kind = (uint8_t)kind, .type = type};
   generator->visible[program->count++] = kind <= OCL_OP || kind == OCL_READ || (kind >= OCL_VLOAD && kind <= OCL_TURN);
   return node;
}

uint32_t ocl_add(struct ocl_generator *generator, enum ocl_kind kind, struct ocl_type type, unsigned what,
                 unsigned count, const uint32_t *sources)
{
   struct ocl_node *node = ocl_add_node(generator, kind, type);

   if (node != NULL) {
      *(kind == OCL_OP ? &node->op : &node->slot) = (uint8_t)what;
      node->count = (uint8_t)count;
      for (unsigned i = 0; i < count; i++) {
         node->source[i] = (uint16_t)sources[i];
      }
   }
   return ocl_last(generator);
}

struct ocl_node *ocl_add_reader(struct ocl_generator *generator, enum ocl_kind kind, struct ocl_type type,
                                uint32_t value)
{
   const uint32_t before = generator->program->count, index = ocl_add(generator, kind, type, 0, 1, &value);

   return index == before ? &generator->program->nodes[index] : NULL;
}

uint32_t ocl_last(const struct ocl_generator *generator)
{
   return generator->program->count - 1;
}

bool ocl_near_full(const struct ocl_generator *generator)
{
   return generator->program->count + 60 > OCL_NODES;
}

uint32_t ocl_constant(struct ocl_generator *generator, struct ocl_type type)
{
   const uint64_t same = ocl_any_value(generator, type.base);
   const bool splat = ocl_chance(generator, 40);
   const bool plain = !generator->folded || ocl_real(type.base) || ocl_chance(generator, 80);
   uint64_t values[OCL_WIDTH];

   for (unsigned i = 0; i < type.width; i++) {
      values[i] = splat ? same : ocl_any_value(generator, type.base);
   }
   return plain ? ocl_number(generator, type, values) : ocl_known(generator, type, values);
}

/* Chooses an existing value. UINT32_MAX: there is none of this type. */
static uint32_t old_value(struct ocl_generator *generator, struct ocl_type type)
{
   const struct ocl_program *program = generator->program;
   const uint32_t start = ocl_below(generator, program->count + 1);

   for (uint32_t i = 0; i < program->count; i++) {
      const uint32_t at = (start + i) % program->count;
      if (generator->visible[at] && ocl_same(program->nodes[at].type, type) && program->nodes[at].kind != OCL_CONST) {
         return at;
      }
   }
   return UINT32_MAX;
}

/* A work-item function. A constant dimension is in range: Mesa refuses others (docs/mesa-bugs.md, 2). */
static uint32_t work_item(struct ocl_generator *generator, struct ocl_type type)
{
   const bool no_constant = generator->no_constant, indexed = generator->indexed;
   const bool computed = indexed && !ocl_near_full(generator) && ocl_chance(generator, 75);
   uint32_t dimension = 0;

   if (computed) {
      const struct ocl_type any = {.base = ocl_any_integer(generator), .width = 1};
      generator->no_constant = true;
      generator->indexed = false; /* a dimension is not computed from another dimension */
      dimension = ocl_expression(generator, any, 3);
      generator->no_constant = no_constant;
      generator->indexed = indexed;
   }
   struct ocl_node *node = ocl_add_node(generator, OCL_ID, type);
   if (node == NULL) {
      return 0;
   }
   node->slot = (uint8_t)ocl_below(generator, OCL_IDS);
   node->data[0] = ocl_chance(generator, 75) ? 0 : ocl_below(generator, 3);
   if (computed && node->slot != OCL_WORK_DIM) {
      node->count = 1;
      node->source[0] = (uint16_t)dimension;
   }
   return ocl_last(generator);
}

uint32_t ocl_leaf(struct ocl_generator *generator, struct ocl_type type)
{
   struct ocl_program *program = generator->program;
   struct ocl_node *node;

   if (!generator->no_constant && ocl_chance(generator, generator->folded ? 80 : 25)) {
      return ocl_constant(generator, type);
   }
   if (type.width == 1 && type.base >= OCL_INT && !ocl_real(type.base) &&
       ocl_chance(generator, generator->indexed ? 60 : 12)) {
      return work_item(generator, type);
   }
   if (type.width == 1 && program->scalars < OCL_SCALARS && ocl_chance(generator, 40)) {
      program->scalar_type[program->scalars] = type;
      program->scalar[program->scalars][0] = ocl_any_value(generator, type.base);
      node = ocl_add_node(generator, OCL_SCALAR, type);
      if (node != NULL) {
         node->slot = (uint8_t)program->scalars++;
         return ocl_last(generator);
      }
   }
   for (uint32_t i = ocl_below(generator, 2 * OCL_INPUTS); i < program->inputs; i++) {
      if (ocl_same(program->input_type[i], type) && (node = ocl_add_node(generator, OCL_INPUT, type)) != NULL) {
         node->slot = (uint8_t)i;
         return ocl_last(generator);
      }
   }
   if (program->inputs == OCL_INPUTS) {
      const uint32_t old = old_value(generator, type);
      return old != UINT32_MAX ? old : ocl_constant(generator, type);
   }
   if ((node = ocl_add_node(generator, OCL_INPUT, type)) == NULL) {
      return 0;
   }
   program->input_type[program->inputs] = type;
   for (uint32_t lane = 0; lane < OCL_LANES; lane++) {
      for (unsigned i = 0; i < type.width; i++) {
         program->input[program->inputs][lane][i] = ocl_any_value(generator, type.base);
      }
   }
   node->form = (uint8_t)ocl_below(generator, 2);
   node->slot = (uint8_t)program->inputs++;
   return ocl_last(generator);
}

static bool converts(const struct ocl_op *op)
{
   return op->shape == OCL_SHAPE_CONVERT || op->shape == OCL_SHAPE_CAST;
}

/* Constant expressions are often reinterpreted as another type, and divided. */
static uint32_t weight_of(const struct ocl_generator *generator, const struct ocl_op *op)
{
   const uint32_t weight = op->weight + (generator->nans ? op->nan_weight : 0u);
   const bool of_constants = generator->folded && (op->shape == OCL_SHAPE_AS || op->shape == OCL_SHAPE_DIVIDE);

   return weight * (of_constants ? 4 : generator->converting && converts(op) ? 12 : 1);
}

static const struct ocl_op *choose_op(struct ocl_generator *generator)
{
   uint32_t sum = 0;

   for (unsigned i = 0; i < ocl_op_count; i++) {
      sum += weight_of(generator, &ocl_ops[i]);
   }
   uint32_t left = ocl_below(generator, sum);
   for (unsigned i = 0; i < ocl_op_count; i++) {
      const uint32_t weight = weight_of(generator, &ocl_ops[i]);
      if (left < weight) {
         return &ocl_ops[i];
      }
      left -= weight;
   }
   return ocl_ops;
}

/* Divides the least integer by -1: the only division besides that by 0 without a result. */
static void divide_least(struct ocl_generator *generator, const struct ocl_plan *plan, uint16_t sources[OCL_SOURCES])
{
   for (unsigned i = 0; i < 2; i++) {
      const struct ocl_type type = plan->source[i];
      uint64_t values[OCL_WIDTH];
      for (unsigned j = 0; j < type.width; j++) {
         values[j] = i == 0 ? (ocl_mask(type.base) >> 1) + 1 : ocl_mask(type.base);
      }
      sources[i] = (uint16_t)ocl_known(generator, type, values);
   }
}

/* Whether the operation is of the wanted kind. */
static bool is_wanted(const struct ocl_op *op, enum ocl_wanted wanted)
{
   return wanted == OCL_ANY_OPERATION || (wanted == OCL_CONVERSION ? converts(op) : op->shape == OCL_SHAPE_TEST);
}

uint32_t ocl_operation(struct ocl_generator *generator, struct ocl_type type, unsigned depth, enum ocl_wanted wanted)
{
   const struct ocl_op *op = choose_op(generator);
   struct ocl_plan plan;
   uint16_t sources[OCL_SOURCES] = {0};

   unsigned tries = 0;
   while ((!is_wanted(op, wanted) || !ocl_plan(generator, op, type, &plan)) && tries++ < 200) {
      op = choose_op(generator);
   }
   if (tries > 200) {
      return ocl_leaf(generator, type);
   }
   const bool no_constant = generator->no_constant;
   const bool least = op->shape == OCL_SHAPE_DIVIDE && ocl_signed(type.base) && !no_constant &&
                      ocl_chance(generator, generator->folded ? 30 : 4);
   if (least) {
      divide_least(generator, &plan, sources);
   }
   generator->no_constant |= op->shape == OCL_SHAPE_AS && !generator->folded;
   for (unsigned i = 0; i < plan.count && !least; i++) {
      /* compilers have rules for constants, most of which examine the second operand */
      const bool plain = i != 0 && !generator->no_constant && !ocl_near_full(generator) && ocl_chance(generator, 20);
      sources[i] = (uint16_t)(plain ? ocl_constant(generator, plan.source[i])
                                    : ocl_expression(generator, plan.source[i], depth + 1));
   }
   generator->no_constant = no_constant;
   struct ocl_node *node = ocl_add_node(generator, OCL_OP, type);
   if (node == NULL) {
      return 0;
   }
   node->op = (uint8_t)(op - ocl_ops);
   node->count = plan.count;
   memcpy(node->source, sources, sizeof(sources));
   memcpy(node->data, plan.data, sizeof(plan.data));
   if (op->compute != NULL && !op->body && ocl_chance(generator, 8)) {
      node->outlined = generator->sampler ? OCL_FUNCTION_WITH_SAMPLER : OCL_FUNCTION;
   }
   return ocl_last(generator);
}

/* Makes a node that reads an object at an index. */
static uint32_t read_at_index(struct ocl_generator *generator, enum ocl_kind kind, struct ocl_type type,
                              uint32_t object, unsigned depth)
{
   const struct ocl_type index_type = {.base = ocl_any_integer(generator), .width = 1};
   const uint32_t index = ocl_expression(generator, index_type, depth + 1);

   return ocl_add(generator, kind, type, object, 1, &index);
}

uint32_t ocl_read_here(struct ocl_generator *generator, uint32_t object, uint32_t index)
{
   return ocl_add(generator, OCL_READ, generator->program->object[object].type, object, 1, &index);
}

uint32_t ocl_read_object(struct ocl_generator *generator, uint32_t object, unsigned depth)
{
   return read_at_index(generator, OCL_READ, generator->program->object[object].type, object, depth);
}

bool ocl_holds_vector(const struct ocl_object *object, struct ocl_type type)
{
   const bool neighbours = !ocl_is_global(object) || object->order != OCL_COLUMNS;

   return neighbours && object->record == 0 && object->space != OCL_NESTED && object->spread <= 1 &&
          object->type.width == 1 && object->type.base == type.base && type.width != 1 && type.width <= object->length;
}

void ocl_through_global(struct ocl_generator *generator, struct ocl_node *node)
{
   const bool scalar = node->type.width == 1;

   if (!generator->global || node->type.width == 3 || OCL_OBJECTS + generator->exchanges == OCL_GLOBALS ||
       ocl_chance(generator, 40)) {
      return;
   }
   node->slot = (uint8_t)(OCL_OBJECTS + generator->exchanges++);
   node->form = generator->atomics && node->kind == OCL_OWN ? (uint8_t)ocl_below(generator, OCL_OWN_FORMS) : 0;
   node->data[2] = scalar ? 1 + ocl_below(generator, 4) : 1;
   /* the remaining choices are a shift, or a constant */
   if (generator->atomics && scalar && ocl_chance(generator, 50)) {
      node->data[2] = UINT64_C(1) << ocl_below(generator, 3);
      node->data[3] = node->kind == OCL_ATOMIC ? 2 * ocl_below(generator, 16) : 0;
      return;
   }
   node->data[3] = scalar ? ocl_below(generator, node->kind == OCL_ATOMIC ? OCL_GLOBAL_ELEMENTS : 16) : 0;
}

uint32_t ocl_own_atomic(struct ocl_generator *generator, struct ocl_type type, unsigned depth)
{
   const uint32_t value = ocl_expression(generator, type, depth + 1);
   struct ocl_node *node = ocl_add_reader(generator, OCL_OWN, type, value);

   if (node == NULL) {
      return 0;
   }
   generator->local_nodes++;
   ocl_through_global(generator, node);
   node->op = (uint8_t)ocl_below(generator, OCL_ATOMICS_OWN);
   node->data[0] = ocl_any_number(generator, type.base);
   node->data[1] = ocl_chance(generator, 60) ? node->data[0] : ocl_any_number(generator, type.base);
   return ocl_last(generator);
}

uint32_t ocl_expression(struct ocl_generator *generator, struct ocl_type type, unsigned depth)
{
   struct ocl_program *program = generator->program;

   if (ocl_chance(generator, 8 + 6 * depth)) {
      const uint32_t old = old_value(generator, type);
      if (old != UINT32_MAX) {
         return old;
      }
   }
   if (depth > 1 && ocl_chance(generator, 20)) {
      for (uint32_t i = ocl_below(generator, OCL_OBJECTS); i < program->objects; i++) {
         if (ocl_same(program->object[i].type, type)) {
            return ocl_read_object(generator, i, depth);
         }
         if (ocl_holds_vector(&program->object[i], type)) {
            return read_at_index(generator, OCL_VLOAD, type, i, depth);
         }
      }
   }
   if ((type.base == OCL_INT || type.base == OCL_UINT) && type.width == 1 && program->objects != 0 &&
       generator->local_nodes < 6 && depth > 0 && depth < 4 && !ocl_near_full(generator) &&
       ocl_chance(generator, generator->atomics ? 20 : 3)) {
      return ocl_own_atomic(generator, type, depth);
   }
   return depth >= (generator->folded || generator->converting ? 2u : 4u) || ocl_near_full(generator) ||
                  ocl_chance(generator, 12 * depth)
              ? ocl_leaf(generator, type)
              : ocl_operation(generator, type, depth, OCL_ANY_OPERATION);
}

/* Returns a new value for a variable: often a constant or a conversion, because compilers narrow and fold phis of
 * these. */
uint32_t ocl_new_value(struct ocl_generator *generator, struct ocl_type type)
{
   const uint32_t what = ocl_below(generator, 10);

   if (what < 3 && !ocl_near_full(generator)) {
      return ocl_constant(generator, type);
   }
   return what < 5 && !ocl_near_full(generator) ? ocl_operation(generator, type, 2, OCL_CONVERSION)
                                                : ocl_expression(generator, type, 1);
}

void ocl_store(struct ocl_generator *generator, uint32_t value)
{
   struct ocl_program *program = generator->program;
   struct ocl_type type = program->nodes[value].type;

   if (ocl_real(type.base)) { /* compare bits, so that the sign of a zero counts */
      type.base = type.base == OCL_HALF ? OCL_USHORT : OCL_UINT;
      value = ocl_add(generator, OCL_OP, type, ocl_op_as(), 1, &value);
   }
   struct ocl_node *node = ocl_add_reader(generator, OCL_OUTPUT, type, value);
   if (node != NULL) {
      node->slot = (uint8_t)program->outputs;
      node->form = ocl_chance(generator, 50) ? 0 : (uint8_t)ocl_below(generator, OCL_STORE_FORMS);
      /* that would crash first (docs/mesa-bugs.md, F20) */
      if (generator->merging && node->form == OCL_STORE_BYTES) {
         node->form = OCL_STORE;
      }
      program->output_type[program->outputs++] = type;
   }
}

void ocl_output(struct ocl_generator *generator)
{
   if (generator->nans && generator->program->outputs < OCL_OUTPUTS && ocl_chance(generator, 50)) {
      ocl_store(generator, ocl_compared_reals(generator));
   } else if (generator->program->outputs < OCL_OUTPUTS) {
      const struct ocl_type type = ocl_any_type(generator);
      generator->no_constant = ocl_real(type.base) && !generator->folded; /* for as_T() */
      const uint32_t value = ocl_expression(generator, type, 0);
      generator->no_constant = false;
      ocl_store(generator, value);
   }
}

/* The final contents of objects are an output, too. */
static void store_objects(struct ocl_generator *generator)
{
   struct ocl_program *program = generator->program;

   for (uint32_t i = 0; i < program->objects && program->outputs < OCL_OUTPUTS; i++) {
      ocl_store(generator, ocl_read_object(generator, i, 3));
   }
}

void ocl_generate(struct ocl_program *program, uint64_t seed)
{
   struct ocl_generator generator = {.program = program, .random = {.state = seed}};

   memset(program, 0, sizeof(*program));
   program->lanes = OCL_LANES;
   generator.reals = ocl_chance(&generator, 50);
   generator.halves = ocl_chance(&generator, 50);
   program->integer_modes = (seed >> 32) % 16 == 0;
   generator.folded = (seed >> 36) % 8 == 0;
   generator.indexed = (seed >> 40) % 8 == 0;
   generator.sampler = (seed >> 52) % 64 == 0;
   generator.merging = (seed >> 44) % 16 == 0 && !generator.sampler;
   generator.small = (seed >> 48) % 2 == 0;
   generator.turning = generator.merging && (seed >> 49) % 2 == 0;
   generator.global = (seed >> 56) % 2 == 0;
   program->wide_lane = (seed >> 50) % 4 == 0;
   program->unrepaired = (seed >> 60) % (generator.merging ? 2 : 4) == 0;
   ocl_choose_feature(&generator, seed);
   const bool stores = generator.aliasing || generator.counting || generator.atomics || generator.arguments;
   if (ocl_chance(&generator, 50) && !generator.merging && !stores) {
      while (program->outputs < OCL_OUTPUTS && !ocl_near_full(&generator)) {
         ocl_output(&generator);
      }
      return;
   }
   if (generator.merging) {
      ocl_make_wide_objects(&generator);
   } else {
      ocl_make_feature_objects(&generator);
      ocl_make_objects(&generator);
      ocl_choose_lists(program, seed);
      if (generator.global) {
         ocl_choose_globals(program, seed, generator.atomics ? OCL_ORDERS : OCL_PLAIN_ORDERS);
      }
   }
   const unsigned statements = generator.turning                                          ? 3
                               : generator.merging && ocl_holds_much(&program->object[0]) ? 1
                                                                                          : 14;
   for (unsigned i = 0; i < statements && !ocl_near_full(&generator); i++) {
      if (generator.turning) {
         ocl_merge_in_turns(&generator);
      } else if (generator.merging) {
         ocl_merge(&generator);
      } else if (!ocl_feature_statement(&generator)) {
         ocl_statement(&generator);
      }
   }
   store_objects(&generator);
}
