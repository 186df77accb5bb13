/* SPDX-License-Identifier: MIT
 *
 * Makes kernels. An expression is made from its result downwards: a type is wanted, an operation that gives it is
 * chosen, then its operands are made in the same way. Invariant: a node's sources stand before it, in its block or one
 * around it.
 */
#include <string.h>

#include "agx_runner/fuzz/opencl/generator.h"

#define LOCAL_BYTES 32   /* of an object in local memory, for each lane */
#define GLOBAL_BYTES 128 /* of one in global memory */

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

static uint32_t last(const struct ocl_generator *generator)
{
   return generator->program->count - 1;
}

bool ocl_near_full(const struct ocl_generator *generator)
{
   return generator->program->count + 60 > OCL_NODES;
}

static uint32_t constant(struct ocl_generator *generator, struct ocl_type type)
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

/* A value that is there already. UINT32_MAX: there is none of this type. */
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

static uint32_t expression(struct ocl_generator *generator, struct ocl_type type, unsigned depth);

/* A work-item function. A constant dimension is in range: Mesa refuses others (docs/mesa-bugs.md, 2). */
static uint32_t work_item(struct ocl_generator *generator, struct ocl_type type)
{
   const bool no_constant = generator->no_constant, indexed = generator->indexed;
   const bool computed = indexed && !ocl_near_full(generator) && ocl_chance(generator, 75);
   uint32_t dimension = 0;

   if (computed) {
      const struct ocl_type any = {.base = ocl_any_integer(generator), .width = 1};
      generator->no_constant = true;
      generator->indexed = false; /* no dimension of a dimension */
      dimension = expression(generator, any, 3);
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
   return last(generator);
}

static uint32_t leaf(struct ocl_generator *generator, struct ocl_type type)
{
   struct ocl_program *program = generator->program;
   struct ocl_node *node;

   if (!generator->no_constant && ocl_chance(generator, generator->folded ? 80 : 25)) {
      return constant(generator, type);
   }
   if (type.width == 1 && type.base >= OCL_INT && !ocl_real(type.base) &&
       ocl_chance(generator, generator->indexed ? 60 : 12)) {
      return work_item(generator, type);
   }
   if (type.width == 1 && program->scalars < OCL_SCALARS && ocl_chance(generator, 40)) {
      program->scalar_type[program->scalars] = type;
      program->scalar[program->scalars] = ocl_any_value(generator, type.base);
      node = ocl_add_node(generator, OCL_SCALAR, type);
      if (node != NULL) {
         node->slot = (uint8_t)program->scalars++;
         return last(generator);
      }
   }
   for (uint32_t i = ocl_below(generator, 2 * OCL_INPUTS); i < program->inputs; i++) {
      if (ocl_same(program->input_type[i], type) && (node = ocl_add_node(generator, OCL_INPUT, type)) != NULL) {
         node->slot = (uint8_t)i;
         return last(generator);
      }
   }
   if (program->inputs == OCL_INPUTS) {
      const uint32_t old = old_value(generator, type);
      return old != UINT32_MAX ? old : constant(generator, type);
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
   return last(generator);
}

/* What is evaluated of constants is often read as another type, and divided. */
static uint32_t weight_of(const struct ocl_generator *generator, const struct ocl_op *op)
{
   return generator->folded && (op->shape == OCL_SHAPE_AS || op->shape == OCL_SHAPE_DIVIDE) ? op->weight * 4u
                                                                                            : op->weight;
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

/* The least integer and -1: the one division besides that by 0 that has no answer. */
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

static bool converts(const struct ocl_op *op)
{
   return op->shape == OCL_SHAPE_CONVERT || op->shape == OCL_SHAPE_CAST;
}

/* conversion: no other operation */
static uint32_t operation(struct ocl_generator *generator, struct ocl_type type, unsigned depth, bool conversion)
{
   const struct ocl_op *op = choose_op(generator);
   struct ocl_plan plan;
   uint16_t sources[OCL_SOURCES] = {0};

   unsigned tries = 0;
   while (((conversion && !converts(op)) || !ocl_plan(generator, op, type, &plan)) && tries++ < 200) {
      op = choose_op(generator);
   }
   if (tries > 200) {
      return leaf(generator, type);
   }
   const bool no_constant = generator->no_constant;
   const bool least = op->shape == OCL_SHAPE_DIVIDE && ocl_signed(type.base) && !no_constant &&
                      ocl_chance(generator, generator->folded ? 30 : 4);
   if (least) {
      divide_least(generator, &plan, sources);
   }
   generator->no_constant |= op->shape == OCL_SHAPE_AS && !generator->folded;
   for (unsigned i = 0; i < plan.count && !least; i++) {
      /* Compilers have rules for constants, of which most look at the second operand. */
      const bool plain = i != 0 && !generator->no_constant && !ocl_near_full(generator) && ocl_chance(generator, 20);
      sources[i] =
          (uint16_t)(plain ? constant(generator, plan.source[i]) : expression(generator, plan.source[i], depth + 1));
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
   return last(generator);
}

/* A node that takes a value of an object, at an index. */
static uint32_t read_at_index(struct ocl_generator *generator, enum ocl_kind kind, struct ocl_type type,
                              uint32_t object, unsigned depth)
{
   const struct ocl_type index_type = {.base = ocl_any_integer(generator), .width = 1};
   const uint32_t index = expression(generator, index_type, depth + 1);
   struct ocl_node *node = ocl_add_node(generator, kind, type);

   if (node == NULL) {
      return 0;
   }
   node->slot = (uint8_t)object;
   node->count = 1;
   node->source[0] = (uint16_t)index;
   return last(generator);
}

/* The same with an index that is there. */
static uint32_t read_here(struct ocl_generator *generator, uint32_t object, uint32_t index)
{
   struct ocl_node *node = ocl_add_node(generator, OCL_READ, generator->program->object[object].type);

   if (node != NULL) {
      node->slot = (uint8_t)object;
      node->count = 1;
      node->source[0] = (uint16_t)index;
   }
   return last(generator);
}

static uint32_t read_object(struct ocl_generator *generator, uint32_t object, unsigned depth)
{
   return read_at_index(generator, OCL_READ, generator->program->object[object].type, object, depth);
}

/* Whether vectors of this width are loaded from an object's elements, or stored to them. */
static bool holds_vector(const struct ocl_object *object, struct ocl_type type)
{
   const bool neighbours = !ocl_is_global(object) || object->order != OCL_COLUMNS; /* a lane's elements */

   return neighbours && object->record == 0 && object->space != OCL_NESTED && object->spread <= 1 &&
          object->type.width == 1 && object->type.base == type.base && type.width != 1 && type.width <= object->length;
}

static uint32_t load_vector(struct ocl_generator *generator, uint32_t object, struct ocl_type type, unsigned depth)
{
   return read_at_index(generator, OCL_VLOAD, type, object, depth);
}

/* In some kernels lanes exchange through elements of arguments, too, of which each has its index. */
static void through_global(struct ocl_generator *generator, struct ocl_node *node)
{
   const bool scalar = node->type.width == 1;

   if (!generator->global || node->type.width == 3 || OCL_OBJECTS + generator->exchanges == OCL_GLOBALS ||
       ocl_chance(generator, 40)) {
      return;
   }
   node->slot = (uint8_t)(OCL_OBJECTS + generator->exchanges++);
   node->data[2] = scalar ? 1 + ocl_below(generator, 4) : 1;
   node->data[3] = scalar ? ocl_below(generator, node->kind == OCL_ATOMIC ? OCL_GLOBAL_ELEMENTS : 16) : 0;
}

static uint32_t own_atomic(struct ocl_generator *generator, struct ocl_type type, unsigned depth)
{
   const uint32_t value = expression(generator, type, depth + 1);
   struct ocl_node *node = ocl_add_node(generator, OCL_OWN, type);

   if (node == NULL) {
      return 0;
   }
   generator->local_nodes++;
   through_global(generator, node);
   node->op = (uint8_t)ocl_below(generator, OCL_ATOMICS_OWN);
   node->data[0] = ocl_any_number(generator, type.base);
   node->data[1] = ocl_chance(generator, 60) ? node->data[0] : ocl_any_number(generator, type.base);
   node->count = 1;
   node->source[0] = (uint16_t)value;
   return last(generator);
}

static uint32_t expression(struct ocl_generator *generator, struct ocl_type type, unsigned depth)
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
            return read_object(generator, i, depth);
         }
         if (holds_vector(&program->object[i], type)) {
            return load_vector(generator, i, type, depth);
         }
      }
   }
   if ((type.base == OCL_INT || type.base == OCL_UINT) && type.width == 1 && program->objects != 0 &&
       generator->local_nodes < 6 && depth > 0 && depth < 4 && !ocl_near_full(generator) && ocl_chance(generator, 3)) {
      return own_atomic(generator, type, depth);
   }
   return depth >= (generator->folded ? 2u : 4u) || ocl_near_full(generator) || ocl_chance(generator, 12 * depth)
              ? leaf(generator, type)
              : operation(generator, type, depth, false);
}

/* What a variable becomes: often a constant or a conversion, because compilers narrow and fold phis of these. */
static uint32_t new_value(struct ocl_generator *generator, struct ocl_type type)
{
   const uint32_t what = ocl_below(generator, 10);

   if (what < 3 && !ocl_near_full(generator)) {
      return constant(generator, type);
   }
   return what < 5 && !ocl_near_full(generator) ? operation(generator, type, 2, true) : expression(generator, type, 1);
}

static void store(struct ocl_generator *generator, uint32_t value)
{
   struct ocl_program *program = generator->program;
   struct ocl_type type = program->nodes[value].type;

   if (ocl_real(type.base)) { /* its bits, so that the sign of a zero counts */
      type.base = type.base == OCL_HALF ? OCL_USHORT : OCL_UINT;
      struct ocl_node *bits = ocl_add_node(generator, OCL_OP, type);
      if (bits == NULL) {
         return;
      }
      bits->op = ocl_op_as();
      bits->count = 1;
      bits->source[0] = (uint16_t)value;
      value = last(generator);
   }
   struct ocl_node *node = ocl_add_node(generator, OCL_OUTPUT, type);
   if (node != NULL) {
      node->count = 1;
      node->source[0] = (uint16_t)value;
      node->slot = (uint8_t)program->outputs;
      node->form = ocl_chance(generator, 50) ? 0 : (uint8_t)ocl_below(generator, OCL_STORE_FORMS);
      if (generator->merging && node->form == OCL_STORE_BYTES) { /* that crashes first (docs/mesa-bugs.md, F20) */
         node->form = OCL_STORE;
      }
      program->output_type[program->outputs++] = type;
   }
}

static void output(struct ocl_generator *generator)
{
   if (generator->program->outputs < OCL_OUTPUTS) {
      const struct ocl_type type = ocl_any_type(generator);
      generator->no_constant = ocl_real(type.base) && !generator->folded; /* of as_T() */
      const uint32_t value = expression(generator, type, 0);
      generator->no_constant = false;
      store(generator, value);
   }
}

/* Object `object` [index] = value; OCL_VSTORE: a vector, from that element on. */
static void assign(struct ocl_generator *generator, enum ocl_kind kind, uint32_t object, uint32_t index, uint32_t value)
{
   struct ocl_node *node = ocl_add_node(generator, kind, generator->program->object[object].type);

   if (node != NULL) {
      node->slot = (uint8_t)object;
      node->count = 2;
      node->source[0] = (uint16_t)index;
      node->source[1] = (uint16_t)value;
   }
}

static void write_object(struct ocl_generator *generator)
{
   struct ocl_program *program = generator->program;

   if (program->objects == 0) {
      return;
   }
   const uint32_t object = ocl_below(generator, program->objects);
   if (program->object[object].record == 0 && program->object[object].space == OCL_CONSTANT) {
      return;
   }
   const struct ocl_type index_type = {.base = ocl_any_integer(generator), .width = 1};
   const uint32_t index = expression(generator, index_type, 3);
   struct ocl_type type = program->object[object].type;
   const bool vector = ocl_chance(generator, 40) && holds_vector(&program->object[object], ocl_with_width(type, 2));
   if (vector) {
      type.width =
          program->object[object].length >= 4 && ocl_chance(generator, 60) ? (uint8_t)(3 + ocl_below(generator, 2)) : 2;
   }
   const uint32_t value = new_value(generator, type);
   assign(generator, vector ? OCL_VSTORE : OCL_WRITE, object, index, value);
}

/* Between lanes; all lanes must be there. */
static void communicate(struct ocl_generator *generator)
{
   const bool atomic = ocl_chance(generator, 50);
   struct ocl_type type = ocl_any_integer_type(generator);

   if (generator->depth != 0 || generator->local_nodes++ >= 4) {
      return;
   }
   if (atomic) {
      type = (struct ocl_type){.base = ocl_chance(generator, 50) ? OCL_INT : OCL_UINT, .width = 1};
   }
   const uint32_t value = expression(generator, type, 1);
   struct ocl_node *node = ocl_add_node(generator, atomic ? OCL_ATOMIC : OCL_EXCHANGE, type);
   if (node != NULL) {
      through_global(generator, node);
      node->op = (uint8_t)ocl_below(generator, OCL_ATOMICS);
      node->data[0] = atomic ? ocl_any_number(generator, type.base) : ocl_below(generator, OCL_LANES);
      node->count = 1;
      node->source[0] = (uint16_t)value;
   }
}

static void statement(struct ocl_generator *generator);

/* What was made from `start` on cannot be used behind this. */
static void hide(struct ocl_generator *generator, uint32_t start)
{
   for (uint32_t i = start; i < generator->program->count; i++) {
      generator->visible[i] = false;
   }
}

/* What is made inside cannot be used behind its end. */
static void block(struct ocl_generator *generator, unsigned count)
{
   const uint32_t start = generator->program->count;

   for (unsigned i = 0; i < count && !ocl_near_full(generator); i++) {
      statement(generator);
   }
   hide(generator, start);
}

static void control(struct ocl_generator *generator)
{
   const bool loop = ocl_chance(generator, 50);
   const struct ocl_type type = {.base = ocl_any_integer(generator), .width = 1};
   const uint32_t condition = expression(generator, type, 1);
   struct ocl_node *node = ocl_add_node(generator, loop ? OCL_LOOP : OCL_IF, type);

   if (node == NULL) {
      return;
   }
   node->count = 1;
   node->source[0] = (uint16_t)condition;
   node->data[0] = ocl_below(generator, 3);
   node->form = loop ? (uint8_t)ocl_below(generator, OCL_LOOP_FORMS) : 0;
   const unsigned switches = generator->switches;
   generator->switches = loop ? 0 : switches;
   generator->depth++;
   generator->loops += loop ? 1 : 0;
   block(generator, 1 + ocl_below(generator, 3));
   if (!loop && ocl_chance(generator, 60) && (node = ocl_add_node(generator, OCL_ELSE, type)) != NULL) {
      block(generator, 1 + ocl_below(generator, 2));
   }
   generator->depth--;
   generator->switches = switches;
   generator->loops -= loop ? 1 : 0;
   (void)ocl_add_node(generator, loop ? OCL_ENDLOOP : OCL_ENDIF, type);
}

/* Some of the cases 0 to 3, in order, and perhaps a default; a case may go on in the next. */
static void multiway(struct ocl_generator *generator)
{
   const struct ocl_type type = {.base = ocl_any_integer(generator), .width = 1};
   const uint32_t condition = expression(generator, type, 1);
   struct ocl_node *node = ocl_add_node(generator, OCL_SWITCH, type);

   if (node == NULL) {
      return;
   }
   node->count = 1;
   node->source[0] = (uint16_t)condition;
   generator->depth++;
   generator->switches++;
   for (uint64_t value = 0; value < 5; value++) {
      if (value != 0 && ocl_chance(generator, 40)) {
         continue;
      }
      node = ocl_add_node(generator, value == 4 ? OCL_DEFAULT : OCL_CASE, type);
      if (node != NULL) {
         node->data[0] = value;
         node->data[1] = ocl_chance(generator, 30) ? 1 : 0;
         block(generator, 1 + ocl_below(generator, 2));
      }
   }
   generator->switches--;
   generator->depth--;
   (void)ocl_add_node(generator, OCL_ENDSWITCH, type);
}

static void leave(struct ocl_generator *generator)
{
   const struct ocl_type type = {.base = OCL_INT, .width = 1};
   const uint32_t condition = expression(generator, type, 2);
   struct ocl_node *node =
       ocl_add_node(generator, generator->switches == 0 && ocl_chance(generator, 50) ? OCL_BREAK : OCL_CONTINUE, type);

   if (node != NULL) {
      node->count = 1;
      node->source[0] = (uint16_t)condition;
   }
}

static void statement(struct ocl_generator *generator)
{
   const uint32_t what = ocl_below(generator, 100);

   if (what < 14 && generator->depth < OCL_DEPTH - 1) {
      control(generator);
   } else if (what < 20 && generator->depth < OCL_DEPTH - 1) {
      multiway(generator);
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

static void make_objects(struct ocl_generator *generator)
{
   struct ocl_program *program = generator->program;
   const uint32_t count = 2 + ocl_below(generator, OCL_OBJECTS - 2);
   uint8_t lengths[3];

   for (unsigned i = 0; i < 3; i++) {
      lengths[i] = (uint8_t)(1u << ocl_below(generator, 4));
   }
   program->layout[1] = (uint8_t)ocl_below(generator, OCL_LAYOUTS);
   program->layout[2] = (uint8_t)ocl_below(generator, OCL_LAYOUTS);
   for (uint32_t i = 0; i < count; i++) {
      struct ocl_object *object = &program->object[program->objects++];
      object->type = ocl_any_type(generator);
      object->record = (uint8_t)ocl_below(generator, 3);
      object->length = ocl_chance(generator, 40) ? 1 : (uint8_t)(1u << ocl_below(generator, 4));
      object->space = ocl_chance(generator, 40) ? OCL_PRIVATE : (uint8_t)ocl_below(generator, OCL_SPACES);
      if (object->record != 0) {
         object->length = lengths[object->record];
      }
      if (object->space == OCL_LOCAL && ocl_bytes(object->type) * object->length > LOCAL_BYTES) {
         object->space = OCL_PRIVATE;
      }
      for (unsigned j = 0; j < OCL_WIDTH; j++) {
         object->start[j] = ocl_any_value(generator, object->type.base);
      }
   }
}

/* How arrays get their first values. In some kernels most objects are arrays of arrays with a list. */
static void choose_lists(struct ocl_program *program, uint64_t seed)
{
   struct fuzz_random random = {.state = seed ^ UINT64_C(0x6c69737473)}; /* no other choice depends on these */
   const bool tables = fuzz_below(&random, 4) == 0;

   for (uint32_t i = 0; i < program->objects; i++) {
      struct ocl_object *object = &program->object[i];
      object->list = (uint8_t)fuzz_below(&random, OCL_LISTS);
      object->record = tables && fuzz_below(&random, 2) == 0 ? 0 : object->record;
      if (tables && object->record == 0 && (object->space == OCL_PRIVATE || object->space == OCL_POINTER)) {
         object->space = OCL_NESTED;
         object->length = fuzz_below(&random, 2) == 0 ? 4 : 8;
         object->list = (uint8_t)(OCL_LISTED + fuzz_below(&random, OCL_LISTS - OCL_LISTED));
      }
   }
}

/* Objects that are arguments in global memory, with computed indices. */
static void choose_globals(struct ocl_program *program, uint64_t seed)
{
   struct fuzz_random random = {.state = seed ^ UINT64_C(0x676c6f62616c)};

   for (uint32_t i = 0; i < program->objects; i++) {
      struct ocl_object *object = &program->object[i];
      const uint8_t order = (uint8_t)fuzz_below(&random, OCL_ORDERS);
      const bool longer = object->length == 1 && object->record == 0 && ocl_bytes(object->type) * 8 <= GLOBAL_BYTES;
      if (fuzz_below(&random, 2) == 0 && object->record == 0 && object->type.width != 3 &&
          ocl_bytes(object->type) * object->length <= GLOBAL_BYTES) {
         object->space = OCL_GLOBAL;
         object->order = order;
         object->length = longer && fuzz_below(&random, 2) == 0 ? 8 : object->length;
      }
   }
}

/* Half of the kernels that merge many constants have small ones: larger ones of phis mostly crash Mesa 25.0's backend
 * before anything else shows (docs/mesa-bugs.md, F16). */
static uint64_t merged_number(struct ocl_generator *generator, uint8_t base)
{
   const uint64_t number = ocl_any_number(generator, base);

   return generator->small ? number & 0xff : number;
}

static uint32_t merged_constant(struct ocl_generator *generator, struct ocl_type type)
{
   struct ocl_node *node = ocl_add_node(generator, OCL_CONST, type);

   for (unsigned i = 0; node != NULL && i < type.width; i++) {
      node->data[i] = merged_number(generator, type.base);
   }
   return last(generator);
}

/* Wide variables, and one array: between branches more values are live than there are registers. */
static void make_wide_objects(struct ocl_generator *generator)
{
   static const uint8_t bases[] = {OCL_INT, OCL_UINT, OCL_LONG, OCL_ULONG};
   struct ocl_program *program = generator->program;

   const uint32_t count = generator->turning ? 3 + ocl_below(generator, OCL_OBJECTS - 2) : OCL_OBJECTS;

   for (uint32_t i = 0; i < count; i++) {
      struct ocl_object *object = &program->object[program->objects++];
      object->type.base = bases[ocl_below(generator, 4)];
      object->type.width = i == 0 ? 1 : ocl_chance(generator, 60) ? 16 : 8;
      object->length = i == 0 ? 8 : 1;
      if (i == 0 &&
          ocl_chance(generator, 50)) { /* up to 80 KiB, and often about 64 KiB, beyond which offsets have 17 bits */
         const uint32_t element = ocl_bytes(object->type) * object->length, most = (80u << 10) / element;
         const uint32_t spread =
             most * (ocl_chance(generator, 50) ? 12 + ocl_below(generator, 5) : 1 + ocl_below(generator, 16)) / 16;
         object->spread = (uint16_t)(spread != 0 ? spread : 1);
         object->list = generator->turning ? (uint8_t)OCL_COUNTED : object->list;
      }
      for (unsigned j = 0; j < OCL_WIDTH; j++) {
         object->start[j] = merged_number(generator, object->type.base);
      }
   }
}

/* A branch that stores to the array, so that it stays one, and gives variables new values: mostly constants. */
static void merge(struct ocl_generator *generator)
{
   const struct ocl_program *program = generator->program;
   const struct ocl_type type = {.base = ocl_any_integer(generator), .width = 1};

   generator->no_constant = true;
   const uint32_t condition = expression(generator, type, 3), index = expression(generator, type, 3);
   generator->no_constant = false;
   struct ocl_node *node = ocl_add_node(generator, OCL_IF, type);
   if (node == NULL) {
      return;
   }
   node->count = 1;
   node->source[0] = (uint16_t)condition;
   const uint32_t start = program->count;
   assign(generator, OCL_WRITE, 0, index, merged_constant(generator, program->object[0].type));
   for (uint32_t i = 1; i < program->objects && !ocl_near_full(generator); i++) {
      if (ocl_chance(generator, 60)) {
         const struct ocl_type wide = program->object[i].type;
         const uint32_t value = ocl_chance(generator, 80) ? merged_constant(generator, wide) : leaf(generator, wide);
         assign(generator, OCL_WRITE, i, index, value);
      }
   }
   hide(generator, start);
   (void)ocl_add_node(generator, OCL_ENDIF, type);
}

static uint32_t turn(struct ocl_generator *generator, struct ocl_type type)
{
   (void)ocl_add_node(generator, OCL_TURN, type);
   return last(generator);
}

static uint32_t two_operands(struct ocl_generator *generator, const char *name, struct ocl_type type, uint32_t a,
                             uint32_t b)
{
   struct ocl_node *node = ocl_add_node(generator, OCL_OP, type);

   if (node != NULL) {
      node->op = (uint8_t)ocl_op_find(name, OCL_SHAPES, OCL_TO_EVEN);
      node->count = 2;
      node->source[0] = (uint16_t)a;
      node->source[1] = (uint16_t)b;
   }
   return last(generator);
}

/* Another variable of this type, or this one. */
static uint32_t other_variable(struct ocl_generator *generator, uint32_t object)
{
   const struct ocl_program *program = generator->program;
   const uint32_t start = ocl_below(generator, program->objects);

   for (uint32_t i = 0; i < program->objects; i++) {
      const uint32_t at = (start + i) % program->objects;
      if (at != object && at != 0 && ocl_same(program->object[at].type, program->object[object].type)) {
         return at;
      }
   }
   return object;
}

/* What a variable becomes in a turn: mostly a constant, or the turn's number, or what another variable holds. */
static uint32_t value_in_turn(struct ocl_generator *generator, uint32_t object, uint32_t index)
{
   const struct ocl_type type = generator->program->object[object].type;
   const uint32_t what = ocl_below(generator, 10);

   if (what >= 4) {
      return merged_constant(generator, type);
   }
   const uint32_t other = other_variable(generator, object);
   return what >= 2 || other == object ? turn(generator, type) : read_here(generator, other, index);
}

/* A loop of a constant count of turns, which compilers unroll. In each turn a bit of the data decides whether a branch
 * is taken. It stores what a variable holds, or to the array, and gives variables new values. */
static void merge_in_turns(struct ocl_generator *generator)
{
   static const struct ocl_type counter = {.base = OCL_UINT, .width = 1};
   const struct ocl_program *program = generator->program;

   generator->no_constant = true;
   const uint32_t bits = expression(generator, counter, 3), index = expression(generator, counter, 3);
   generator->no_constant = false;
   struct ocl_node *node = ocl_add_node(generator, OCL_LOOP, counter);
   if (node == NULL) {
      return;
   }
   node->data[0] = ocl_chance(generator, 50) ? 32 : 1 + ocl_below(generator, 32);
   const uint32_t start = program->count;
   const uint32_t bit = two_operands(generator, "shr", counter, bits, turn(generator, counter));
   if ((node = ocl_add_node(generator, OCL_IF, counter)) != NULL) {
      node->count = 1;
      node->source[0] = (uint16_t)bit;
   }
   const uint32_t shown = 1 + ocl_below(generator, program->objects - 1), other = other_variable(generator, shown);
   if (program->outputs + program->objects < OCL_OUTPUTS && ocl_chance(generator, 70)) {
      const uint32_t a = read_here(generator, shown, index);
      const uint32_t b = shown == other ? a : read_here(generator, other, index);
      store(generator, shown == other ? a : two_operands(generator, "xor", program->object[shown].type, a, b));
   } else {
      assign(generator, OCL_WRITE, 0, index, merged_constant(generator, program->object[0].type));
   }
   for (uint32_t i = 1; i < program->objects && !ocl_near_full(generator); i++) {
      if (ocl_chance(generator, 60)) {
         assign(generator, OCL_WRITE, i, index, value_in_turn(generator, i, index));
      }
   }
   hide(generator, start);
   (void)ocl_add_node(generator, OCL_ENDIF, counter);
   (void)ocl_add_node(generator, OCL_ENDLOOP, counter);
}

/* An array that leaves no room for offsets of 16 bits behind it. Few values need to spill there; more of them end the
 * compilation before that (docs/mesa-bugs.md, 7). */
static bool holds_much(const struct ocl_object *object)
{
   return ocl_is_spread(object) && ocl_bytes(object->type) * object->length * object->spread >= 64u << 10;
}

/* What objects hold in the end is an output too. */
static void store_objects(struct ocl_generator *generator)
{
   struct ocl_program *program = generator->program;

   for (uint32_t i = 0; i < program->objects && program->outputs < OCL_OUTPUTS; i++) {
      store(generator, read_object(generator, i, 3));
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
   program->unrepaired = (seed >> 60) % (generator.merging ? 2 : 4) == 0;
   if (ocl_chance(&generator, 50) && !generator.merging) {
      while (program->outputs < OCL_OUTPUTS && !ocl_near_full(&generator)) {
         output(&generator);
      }
      return;
   }
   if (generator.merging) {
      make_wide_objects(&generator);
   } else {
      make_objects(&generator);
      choose_lists(program, seed);
      if (generator.global) {
         choose_globals(program, seed);
      }
   }
   const unsigned statements = generator.turning ? 3 : generator.merging && holds_much(&program->object[0]) ? 1 : 14;
   for (unsigned i = 0; i < statements && !ocl_near_full(&generator); i++) {
      if (generator.turning) {
         merge_in_turns(&generator);
      } else if (generator.merging) {
         merge(&generator);
      } else {
         statement(&generator);
      }
   }
   store_objects(&generator);
}
