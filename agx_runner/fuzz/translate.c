/* SPDX-License-Identifier: MIT
 *
 * From the nodes of a program in NIR to those of a kernel in OpenCL C. Invariant: what is said has, by the evaluator of
 * OpenCL C, the answer that the program must have, or it is refused.
 */
#include "agx_runner/fuzz/translate.h"

#include <stdlib.h>
#include <string.h>

#include "agx_runner/fuzz/opencl/ops.h"
#include "compiler/fuzz/registers.h"

#define COMPONENTS 4
#define STACK 12
#define NOWHERE UINT16_MAX

struct translation {
   const struct fuzz_program *program;
   const struct translate_way *way;
   struct ocl_program *kernel;
   uint32_t first;                         /* lane of the program that is lane 0 of the kernel */
   uint16_t value[FUZZ_NODES][COMPONENTS]; /* nodes of the kernel; NOWHERE: not said yet */
   uint16_t leaf[FUZZ_NODES];              /* of a constant: its variable; of an input: its node */
   uint16_t variable[FUZZ_VARIABLES];      /* objects */
   uint16_t memory;                        /* an object: this lane's threadgroup memory */
   bool guessed;                           /* the third bit of a loop's count */
   bool stored;                            /* to that memory */
   uint64_t element;                       /* that was stored last, where that is known */
   uint16_t chooser;                       /* an argument: TRANSLATE_CHOSEN */
   uint32_t block;                         /* nodes from here on may be read here, whatever the branches */
   bool outputs[FUZZ_OUTPUTS];             /* those that are stored */
   uint16_t stack[STACK];
   unsigned height;
   const struct fuzz_node *node; /* that is said */
   unsigned component;           /* of its result */
   char *why;
   bool failed;
};

static uint16_t fail(struct translation *t, const char *what, const char *name)
{
   if (!t->failed) {
      snprintf(t->why, TRANSLATE_WHY, "%s%.40s", what, name);
   }
   t->failed = true;
   return 0;
}

/* Of operations and numbers: they may be said once. */
static bool same_node(const struct ocl_node *a, const struct ocl_node *b)
{
   return (a->kind == OCL_CONST || a->kind == OCL_OP) && a->kind == b->kind && a->op == b->op &&
          ocl_same(a->type, b->type) && a->count == b->count && memcmp(a->source, b->source, sizeof(a->source)) == 0 &&
          memcmp(a->data, b->data, sizeof(a->data)) == 0;
}

/* Adds a node, or finds the one that is the same. */
static uint16_t emit(struct translation *t, struct ocl_node node)
{
   struct ocl_program *kernel = t->kernel;

   for (uint32_t i = t->block; i < kernel->count; i++) {
      if (same_node(&kernel->nodes[i], &node)) {
         return (uint16_t)i;
      }
   }
   if (kernel->count == OCL_NODES) {
      return fail(t, "it is too large", "");
   }
   kernel->nodes[kernel->count] = node;
   if (node.kind >= OCL_IF && node.kind <= OCL_ENDLOOP) {
      t->block = kernel->count + 1;
   }
   return (uint16_t)kernel->count++;
}

static struct ocl_type scalar(uint8_t base)
{
   return (struct ocl_type){.base = base, .width = 1};
}

static uint8_t base_at(const struct translation *t, uint16_t index)
{
   return t->kernel->nodes[index].type.base;
}

/* class: u, i or f. Booleans are int. */
static uint8_t base_of(char class, unsigned bits)
{
   const uint8_t size = bits == 8 ? 0 : bits == 16 ? 1 : bits == 64 ? 3 : 2;

   if (bits == 1) {
      return OCL_INT;
   }
   return class == 'f' ? (bits == 16 ? OCL_HALF : OCL_FLOAT) : (uint8_t)(2 * size + (class == 'u' ? 1 : 0));
}

static uint16_t emit_number(struct translation *t, uint8_t base, uint64_t value)
{
   return emit(t, (struct ocl_node){.kind = OCL_CONST, .type = scalar(base), .data = {value & ocl_mask(base)}});
}

static uint16_t emit_op(struct translation *t, unsigned op, struct ocl_type type, unsigned count,
                        const uint16_t *sources)
{
   struct ocl_node node = {.kind = OCL_OP, .op = (uint8_t)op, .type = type, .count = (uint8_t)count};

   for (unsigned i = 0; i < count; i++) {
      node.source[i] = sources[i];
   }
   return emit(t, node);
}

/* The same bits, or an integer of the same size, as another type. */
static uint16_t retype(struct translation *t, uint16_t index, uint8_t base)
{
   const uint8_t from = base_at(t, index);

   if (from == base) {
      return index;
   }
   if (ocl_bits(from) != ocl_bits(base)) {
      return fail(t, "two sizes of one value", "");
   }
   const struct ocl_node *node = &t->kernel->nodes[index];
   if (node->kind == OCL_CONST && (!ocl_real(base) || ocl_real_normal(base, node->data[0]))) {
      return emit_number(t, base, node->data[0]);
   }
   const unsigned op =
       ocl_real(from) || ocl_real(base) ? ocl_op_as() : ocl_op_find("convert", OCL_SHAPE_CAST, OCL_BY_TYPE);
   return emit_op(t, op, scalar(base), 1, &index);
}

static bool use_slot(struct translation *t, uint32_t *count, uint32_t most)
{
   if (*count == most) {
      (void)fail(t, "it is too large", "");
      return false;
   }
   (*count)++;
   return true;
}

static uint16_t new_object(struct translation *t, uint8_t base, uint8_t length, uint8_t space, uint64_t start)
{
   struct ocl_program *kernel = t->kernel;

   if (!use_slot(t, &kernel->objects, OCL_OBJECTS)) {
      return 0;
   }
   struct ocl_object *object = &kernel->object[kernel->objects - 1];
   *object = (struct ocl_object){.type = scalar(base), .length = length, .space = space};
   for (unsigned i = 0; i < OCL_WIDTH; i++) {
      object->start[i] = start & ocl_mask(base);
   }
   return (uint16_t)(kernel->objects - 1);
}

static uint16_t emit_read(struct translation *t, uint16_t object, uint16_t index)
{
   return emit(t, (struct ocl_node){.kind = OCL_READ,
                                    .type = t->kernel->object[object].type,
                                    .count = 1,
                                    .slot = (uint8_t)object,
                                    .source = {index}});
}

static void emit_write(struct translation *t, uint16_t object, uint16_t index, uint16_t value)
{
   (void)emit(t, (struct ocl_node){.kind = OCL_WRITE,
                                   .type = t->kernel->object[object].type,
                                   .count = 2,
                                   .slot = (uint8_t)object,
                                   .source = {index, value}});
}

static uint16_t emit_argument(struct translation *t, uint8_t base, uint64_t value)
{
   struct ocl_program *kernel = t->kernel;

   if (!use_slot(t, &kernel->scalars, OCL_SCALARS)) {
      return 0;
   }
   const uint32_t slot = kernel->scalars - 1;
   kernel->scalar_type[slot] = scalar(base);
   kernel->scalar[slot] = value & ocl_mask(base);
   return emit(t, (struct ocl_node){.kind = OCL_SCALAR, .type = scalar(base), .slot = (uint8_t)slot});
}

static uint16_t emit_constant(struct translation *t, uint16_t index)
{
   const struct fuzz_node *node = &t->program->nodes[index];
   const uint8_t base = base_of('u', node->bits);
   uint16_t *leaf = &t->leaf[index];

   if (node->bits == 1 || t->way->constants == TRANSLATE_LITERALS) {
      return emit_number(t, base, node->bits == 1 ? node->value & 1 : node->value);
   }
   if (t->way->constants == TRANSLATE_CHOSEN) {
      const uint16_t number = emit_number(t, base, node->value);
      t->chooser = t->chooser != NOWHERE ? t->chooser : emit_argument(t, OCL_INT, 1);
      const uint16_t sources[] = {t->chooser, number, number};
      return emit_op(t, ocl_op_find("choose", OCL_SHAPES, OCL_TO_EVEN), scalar(base), 3, sources);
   }
   const bool argument = t->way->constants == TRANSLATE_ARGUMENTS;
   if (*leaf == NOWHERE) {
      *leaf = argument ? emit_argument(t, base, node->value) : new_object(t, base, 1, OCL_PRIVATE, node->value);
   }
   return argument ? *leaf : emit_read(t, *leaf, emit_number(t, OCL_UINT, 0));
}

/* The first that reads an input says of which type it is. A boolean is a number of 32 bits that is not 0. */
static uint16_t emit_input(struct translation *t, uint16_t index, char class)
{
   struct ocl_program *kernel = t->kernel;
   const struct fuzz_node *node = &t->program->nodes[index];
   uint8_t base = base_of(node->bits == 1 ? 'u' : class, node->bits == 1 ? 32 : node->bits);

   if (t->leaf[index] != NOWHERE) {
      return t->leaf[index];
   }
   for (uint32_t lane = 0; lane < kernel->lanes && ocl_real(base); lane++) {
      const uint64_t value = t->program->input[node->slot][t->first + lane] & ocl_mask(base);
      base = ocl_real_normal(base, value) ? base : base_of('u', node->bits); /* a Piglit test has no NaN */
   }
   if (!use_slot(t, &kernel->inputs, OCL_INPUTS)) {
      return 0;
   }
   const uint32_t slot = kernel->inputs - 1;
   kernel->input_type[slot] = scalar(base);
   for (uint32_t lane = 0; lane < kernel->lanes; lane++) {
      kernel->input[slot][lane][0] = t->program->input[node->slot][t->first + lane] & ocl_mask(base);
   }
   t->leaf[index] = emit(t, (struct ocl_node){.kind = OCL_INPUT, .type = scalar(base), .slot = (uint8_t)slot});
   return t->leaf[index];
}

/* A value of the program, in the class of numbers that reads it. Leaves are said where they are read: inputs and
 * arguments are visible everywhere, what is made of them is not. */
static uint16_t read_value(struct translation *t, struct fuzz_source source, char class)
{
   const struct fuzz_node *node = &t->program->nodes[source.node];
   uint16_t *value = &t->value[source.node][source.component % COMPONENTS];

   if (node->kind == FUZZ_CONST) {
      return retype(t, emit_constant(t, source.node), base_of(class, node->bits));
   }
   if (node->kind == FUZZ_INPUT && node->bits == 1) {
      const uint16_t sources[] = {emit_input(t, source.node, 'u'), emit_number(t, OCL_UINT, 0)};
      return emit_op(t, ocl_op_find("ne", OCL_SHAPES, OCL_TO_EVEN), scalar(OCL_INT), 2, sources);
   }
   if (node->kind == FUZZ_INPUT) {
      return retype(t, emit_input(t, source.node, class), base_of(class, node->bits));
   }
   if (node->kind == FUZZ_UNIFORM && *value == NOWHERE) {
      *value = emit_argument(t, base_of('u', node->bits), t->program->uniform[node->slot]);
   }
   if (*value == NOWHERE) {
      return fail(t, "a value that is not said: ", fuzz_op_name(node));
   }
   return retype(t, *value, base_of(class, node->bits));
}

static uint16_t read_source(struct translation *t, unsigned source, char class)
{
   return read_value(t, t->node->sources[source], class);
}

static unsigned source_bits(const struct translation *t, unsigned source)
{
   return t->program->nodes[t->node->sources[source].node].bits;
}

/* A width: a number, r, s, or nothing for that of the first source. */
static unsigned parse_width(const struct translation *t, const char *text)
{
   return text[0] == 'r'                     ? t->node->bits
          : text[0] >= '0' && text[0] <= '9' ? (unsigned)strtoul(text, NULL, 10)
                                             : source_bits(t, 0);
}

static void push(struct translation *t, uint16_t index)
{
   if (t->height == STACK) {
      (void)fail(t, "it is too large", "");
      return;
   }
   t->stack[t->height++] = index;
}

/* "u32#5". */
static void push_number(struct translation *t, const char *token)
{
   const char *text = strchr(token, '#') + 1;
   const unsigned width = parse_width(t, token + 1);
   const uint8_t base = base_of(token[0], width);
   const int64_t value = text[0] == 'w'   ? source_bits(t, 0)
                         : text[0] == 'm' ? (int64_t)source_bits(t, 0) - 1
                         : text[0] == 'c' ? (int64_t)t->component * t->node->bits
                                          : strtoll(text, NULL, 10);

   push(t,
        emit_number(t, base, ocl_real(base) ? ocl_real_round(base, (long double)value, OCL_TO_EVEN) : (uint64_t)value));
}

static unsigned find_row(const char *name)
{
   if (strcmp(name, "cast") == 0) {
      return ocl_op_find("convert", OCL_SHAPE_CAST, OCL_BY_TYPE);
   }
   if (strncmp(name, "convert_rt", 10) == 0) {
      return ocl_op_find("convert", OCL_SHAPE_CONVERT, name[10] == 'z' ? OCL_TO_ZERO : OCL_TO_EVEN);
   }
   return ocl_op_find(name, OCL_SHAPES, OCL_TO_EVEN);
}

static struct ocl_type result_type(const struct translation *t, const struct ocl_op *op, const uint16_t *sources,
                                   const char *named)
{
   if (named != NULL) {
      return scalar(base_of(named[0], parse_width(t, named + 1)));
   }
   switch (op->shape) {
   case OCL_SHAPE_COMPARE:
   case OCL_SHAPE_LOGIC:
   case OCL_SHAPE_NOT:
   case OCL_SHAPE_TEST:
      return scalar(OCL_INT);
   case OCL_SHAPE_CHOOSE:
      return scalar(base_at(t, sources[1]));
   case OCL_SHAPE_ABS:
      return scalar(base_at(t, sources[0]) | 1);
   default:
      return scalar(base_at(t, sources[0]));
   }
}

/* Vectors of two equal components, and of the result one. */
static uint16_t emit_pairs(struct translation *t, unsigned op, struct ocl_type type, unsigned count,
                           const uint16_t *sources)
{
   uint16_t pairs[OCL_SOURCES];

   for (unsigned i = 0; i < count; i++) {
      const uint16_t both[] = {sources[i], sources[i]};
      pairs[i] = emit_op(t, find_row("build"), (struct ocl_type){.base = base_at(t, sources[i]), .width = 2}, 2, both);
   }
   const uint16_t result = emit_op(t, op, (struct ocl_type){.base = type.base, .width = 2}, count, pairs);
   return emit_op(t, find_row("swizzle"), type, 1, &result);
}

/* select(), which computes numbers of 8 and 16 bits in these sizes. */
static uint16_t emit_select(struct translation *t, struct ocl_type type, const uint16_t *sources)
{
   const struct ocl_type same = scalar(type.base | 1);
   const uint16_t condition = emit_op(t, find_row("cast"), same, 1, sources);
   const uint16_t operands[] = {sources[2], sources[1], condition};

   return emit_op(t, find_row("select"), type, 3, operands);
}

static bool as_pairs(const struct translation *t, const struct ocl_op *op, struct ocl_type type)
{
   const bool is_operator = op->shape == OCL_SHAPE_1 || op->shape == OCL_SHAPE_2 || op->shape == OCL_SHAPE_SHIFT ||
                            op->shape == OCL_SHAPE_DIVIDE;

   return t->way->vectors && is_operator && op->format[0] == '(' && ocl_bits(type.base) < 32;
}

/* Of numbers that the row of the table itself has: computed here. */
static bool fold(struct translation *t, const struct ocl_op *op, struct ocl_type type, const uint16_t *sources,
                 uint16_t *result)
{
   struct ocl_operands operands = {.base = type.base, .from = base_at(t, sources[0]), .rounding = op->rounding};
   uint64_t *const values[] = {&operands.a, &operands.b, &operands.c};

   for (unsigned i = 0; i < op->arity; i++) {
      const struct ocl_node *node = &t->kernel->nodes[sources[i]];
      if (node->kind != OCL_CONST) {
         return false;
      }
      *values[i] = node->data[0];
   }
   *result = emit_number(t, type.base, op->compute(&operands));
   return true;
}

/* "!cast:us": the operation `name`, of what is on the stack. */
static void push_op(struct translation *t, char *token)
{
   const bool folds = token[0] == '!';
   char *name = token + folds, *colon = strchr(token, ':');

   if (colon != NULL) {
      *colon++ = '\0';
   }
   const unsigned number = find_row(name);
   if (number == ocl_op_count || ocl_ops[number].arity > t->height) {
      (void)fail(t, "a wrong row for ", fuzz_op_name(t->node));
      return;
   }
   const struct ocl_op *op = &ocl_ops[number];
   t->height -= op->arity;
   const uint16_t *sources = &t->stack[t->height];
   const struct ocl_type type = result_type(t, op, sources, colon);
   uint16_t result;
   if (op->shape == OCL_SHAPE_CAST && base_at(t, sources[0]) == type.base) {
      result = sources[0];
   } else if (folds && fold(t, op, type, sources, &result)) {
      /* done */
   } else if (t->way->vectors && op->shape == OCL_SHAPE_CHOOSE && ocl_bits(type.base) < 32 && !ocl_real(type.base)) {
      result = emit_select(t, type, sources);
   } else if (as_pairs(t, op, type)) {
      result = emit_pairs(t, number, type, op->arity, sources);
   } else {
      result = emit_op(t, number, type, op->arity, sources);
   }
   push(t, result);
}

static bool is_source(const char *token)
{
   const size_t length = strlen(token);

   return strchr("uif", token[0]) != NULL && token[1] >= 'a' && token[1] <= 'd' &&
          (length == 2 || (length == 3 && token[2] >= '0' && token[2] <= '3'));
}

static uint16_t say_row(struct translation *t, const char *row)
{
   char text[128], *rest = NULL;

   snprintf(text, sizeof(text), "%s", row);
   t->height = 0;
   for (char *token = strtok_r(text, " ", &rest); token != NULL && !t->failed; token = strtok_r(NULL, " ", &rest)) {
      if (is_source(token)) {
         struct fuzz_source source = t->node->sources[token[1] - 'a'];
         source.component = token[2] != '\0' ? (uint16_t)(token[2] - '0') : source.component;
         push(t, read_value(t, source, token[0]));
      } else if (strchr(token, '#') != NULL) {
         push_number(t, token);
      } else {
         push_op(t, token);
      }
   }
   return t->failed || t->height != 1 ? fail(t, "a wrong row for ", fuzz_op_name(t->node)) : t->stack[0];
}

static void say_alu(struct translation *t, uint32_t index)
{
   const char *name = fuzz_op_name(t->node);
   const bool gathers = strncmp(name, "vec", 3) == 0;
   const char *row = gathers ? NULL : translate_op(name, source_bits(t, 0));

   if (row == NULL && !gathers) {
      (void)fail(t, "op ", name);
   }
   for (unsigned i = 0; i < t->node->components && i < COMPONENTS && !t->failed; i++) {
      t->component = i;
      t->value[index][i] = gathers ? read_source(t, i, 'u') : say_row(t, row);
   }
}

static void say_statement(struct translation *t, enum ocl_kind kind, unsigned count, uint16_t source, uint64_t data)
{
   (void)emit(t, (struct ocl_node){.kind = (uint8_t)kind,
                                   .type = scalar(OCL_INT),
                                   .count = (uint8_t)count,
                                   .source = {source},
                                   .data = {data}});
}

static void emit_output(struct translation *t, uint16_t value)
{
   struct ocl_program *kernel = t->kernel;
   const uint8_t base = base_at(t, value);

   if (use_slot(t, &kernel->outputs, OCL_OUTPUTS)) {
      kernel->output_type[kernel->outputs - 1] = scalar(base);
      (void)emit(t, (struct ocl_node){.kind = OCL_OUTPUT,
                                      .type = scalar(base),
                                      .count = 1,
                                      .slot = (uint8_t)(kernel->outputs - 1),
                                      .source = {value}});
   }
}

static void say_output(struct translation *t)
{
   if (t->outputs[t->node->slot]) {
      emit_output(t, retype(t, read_source(t, 0, 'u'), base_of('u', t->node->bits)));
   }
}

static uint16_t variable(struct translation *t)
{
   uint16_t *object = &t->variable[t->node->slot % FUZZ_VARIABLES];

   if (*object == NOWHERE) {
      const uint32_t bits = t->program->variable_bits[t->node->slot % FUZZ_VARIABLES];
      *object = new_object(t, base_of('u', bits), 1, OCL_PRIVATE, 0);
   }
   return *object;
}

/* Source 0 modulo 8 times. The kernel's loop takes two bits of that, and a number: 4, where the third bit is set in all
 * lanes. Of a computed count it is not known, and taken for 0. */
static void say_loop(struct translation *t)
{
   const struct fuzz_node *count = &t->program->nodes[t->node->sources[0].node];
   uint64_t all = 0, common = UINT64_MAX;

   for (uint32_t lane = 0; lane < t->kernel->lanes; lane++) {
      const uint64_t value = count->kind == FUZZ_CONST   ? count->value
                             : count->kind == FUZZ_INPUT ? t->program->input[count->slot][t->first + lane]
                                                         : 0;
      all |= value;
      common &= value;
   }
   t->guessed |= count->kind != FUZZ_CONST && count->kind != FUZZ_INPUT;
   if (((all ^ common) & 4) != 0) {
      (void)fail(t, "a loop with counts that are far apart", "");
   }
   say_statement(t, OCL_LOOP, 1, read_source(t, 0, 'u'), all & 4);
}

/* Component `part` of what is loaded or stored: an element of this lane's threadgroup memory, which is an array of
 * numbers of one size. */
static uint16_t element(struct translation *t, unsigned part)
{
   const unsigned bytes = t->node->bits / 8u, room = FUZZ_MEMORY / (t->node->components > 2 ? 4u : 2u);
   const uint8_t base = base_of('u', t->node->bits);

   if (t->node->op != FUZZ_THREADGROUP) {
      return fail(t, "device memory that is read and written", "");
   }
   if (t->memory == NOWHERE) {
      t->memory = new_object(t, base, 8, OCL_LOCAL, 0);
   }
   if (t->kernel->object[t->memory % OCL_OBJECTS].type.base != base) {
      return fail(t, "memory with numbers of two sizes", "");
   }
   const uint16_t index = read_source(t, 0, 'u');
   const uint8_t width = base_at(t, index);
   const uint16_t masked[] = {index, emit_number(t, width, room / bytes - 1u)};
   const uint64_t constant = t->node->value % room / bytes + part;
   const uint16_t sum[] = {emit_op(t, find_row("and"), scalar(width), 2, masked), emit_number(t, width, constant)};
   return constant == 0 ? sum[0] : emit_op(t, find_row("add"), scalar(width), 2, sum);
}

static void say_load(struct translation *t, uint32_t index)
{
   for (unsigned i = 0; i < t->node->components && i < COMPONENTS && !t->failed; i++) {
      const uint16_t at = element(t, i);
      t->value[index][i] = t->failed ? 0 : emit_read(t, t->memory, at);
   }
}

/* The number at an input or a constant, in the kernel's first lane; else 0. */
static uint64_t known_number(const struct translation *t, struct fuzz_source source)
{
   const struct fuzz_node *node = &t->program->nodes[source.node];

   return node->kind == FUZZ_CONST   ? node->value
          : node->kind == FUZZ_INPUT ? t->program->input[node->slot][t->first]
                                     : 0;
}

static void say_store(struct translation *t)
{
   struct fuzz_source source = t->node->sources[1];
   const unsigned bytes = t->node->bits / 8u, room = FUZZ_MEMORY / (t->node->components > 2 ? 4u : 2u) / bytes;

   t->stored = true;
   t->element = known_number(t, t->node->sources[0]) % room + t->node->value / bytes % room;
   for (unsigned i = 0; i < t->node->components && i < COMPONENTS && !t->failed; i++) {
      const uint16_t at = element(t, i);
      source.component = t->node->components > 1 ? (uint16_t)i : source.component;
      const uint16_t value = read_value(t, source, 'u');
      if (!t->failed) {
         emit_write(t, t->memory, at, value);
      }
   }
}

static void say_node(struct translation *t, uint32_t index)
{
   const struct fuzz_node *node = t->node;
   uint16_t at;

   switch ((enum fuzz_kind)node->kind) {
   case FUZZ_NONE:
   case FUZZ_CONST:
   case FUZZ_INPUT:
   case FUZZ_UNIFORM:
      break;
   case FUZZ_ALU:
      say_alu(t, index);
      break;
   case FUZZ_OUTPUT:
      say_output(t);
      break;
   case FUZZ_SET:
      at = variable(t);
      emit_write(t, at, emit_number(t, OCL_UINT, 0), read_source(t, 0, 'u'));
      break;
   case FUZZ_GET:
      t->value[index][0] = emit_read(t, variable(t), emit_number(t, OCL_UINT, 0));
      break;
   case FUZZ_IF:
      say_statement(t, OCL_IF, 1, read_source(t, 0, 'u'), 0);
      break;
   case FUZZ_ELSE:
      say_statement(t, OCL_ELSE, 0, 0, 0);
      break;
   case FUZZ_ENDIF:
      say_statement(t, OCL_ENDIF, 0, 0, 0);
      break;
   case FUZZ_LOOP:
      say_loop(t);
      break;
   case FUZZ_ENDLOOP:
      say_statement(t, OCL_ENDLOOP, 0, 0, 0);
      break;
   case FUZZ_BREAK:
      say_statement(t, OCL_BREAK, 1, read_source(t, 0, 'u'), 0);
      break;
   case FUZZ_LOAD:
      say_load(t, index);
      break;
   case FUZZ_STORE:
      say_store(t);
      break;
   default:
      (void)fail(t, "op ", fuzz_op_name(node));
   }
}

/* Which outputs are determined. A close answer is exact in OpenCL C if its evaluator gives the same: OpenCL C does not
 * let a compiler be inexact. */
static bool choose_outputs(struct translation *t, const struct fuzz_outputs *expected)
{
   bool any = false;

   for (uint32_t i = 0; i < FUZZ_OUTPUTS; i++) {
      t->outputs[i] = true;
      for (uint32_t lane = 0; expected != NULL && lane < t->kernel->lanes; lane++) {
         const uint8_t certainty = expected->certainty[i][t->first + lane];
         t->outputs[i] &= expected->bits[i] != 0 && (certainty == FUZZ_EXACT || certainty == FUZZ_CLOSE);
      }
      any |= t->outputs[i];
   }
   return any;
}

/* Where an operation would be undefined, or not determined, the kernel has another one in its place. */
static bool replaced(const struct ocl_program *kernel, const char **what)
{
   bool needed[OCL_NODES];

   ocl_needed(kernel, needed);
   for (uint32_t i = 0; i < kernel->count; i++) {
      if (needed[i] && kernel->nodes[i].guard > OCL_WRAP) {
         *what = ocl_ops[kernel->nodes[i].op].name;
         return true;
      }
   }
   return false;
}

/* The answer of the kernel is the program's. */
static bool answers_alike(const struct translation *t, const struct fuzz_outputs *expected,
                          const struct ocl_outputs *outputs)
{
   uint32_t slot = 0;

   for (uint32_t i = 0; i < t->program->count; i++) {
      const struct fuzz_node *node = &t->program->nodes[i];
      if (node->kind != FUZZ_OUTPUT || !t->outputs[node->slot]) {
         continue;
      }
      const uint64_t mask = UINT64_MAX >> (64 - node->bits);
      for (uint32_t lane = 0; lane < t->kernel->lanes; lane++) {
         if (outputs->value[slot][lane][0] != (expected->value[node->slot][t->first + lane] & mask)) {
            return false;
         }
      }
      slot++;
   }
   return true;
}

/* Stores to memory that nothing reads are dead in OpenCL C; in NIR they stay. The last output is what was stored. */
static void say_memory(struct translation *t)
{
   if (t->stored && !t->failed) {
      const uint16_t index = emit_number(t, OCL_UINT, t->element);
      emit_output(t, emit_read(t, t->memory, index));
   }
}

/* Operations that may be one with another one. */
static bool has_sums(const struct ocl_program *kernel)
{
   for (uint32_t i = 0; i < kernel->count; i++) {
      if (kernel->nodes[i].kind == OCL_OP && ocl_ops[kernel->nodes[i].op].exact) {
         return true;
      }
   }
   return false;
}

static void finish(struct translation *t, const struct fuzz_outputs *expected)
{
   struct ocl_outputs *outputs = calloc(1, sizeof(*outputs));
   const char *what = "";

   t->kernel->rounded = t->way->rounded && has_sums(t->kernel);
   if (outputs == NULL || !ocl_evaluate(t->kernel, outputs)) {
      (void)fail(t, "the kernel has no answer", "");
   } else if (replaced(t->kernel, &what)) {
      (void)fail(t, "OpenCL C does not determine ", what);
   } else if (expected != NULL && !answers_alike(t, expected, outputs)) {
      (void)fail(t, t->guessed ? "a loop with a computed count" : "the kernel's answer is another one", "");
   }
   free(outputs);
}

bool translate_way(unsigned number, struct translate_way *way)
{
   /* All lanes are seldom needed: of constants that are numbers or in memory alone. */
   const unsigned alone = TRANSLATE_CONSTANTS * 4;

   way->simdgroup = number >= alone;
   way->rounded = number % 2 != 0;
   way->vectors = !way->simdgroup && number / 2 % 2 != 0;
   way->constants = (enum translate_constants)(way->simdgroup ? (number - alone) / 2 : number / 4);
   return number < alone + 4;
}

bool translate_program(const struct fuzz_program *program, uint32_t lane, const struct fuzz_outputs *expected,
                       const struct translate_way *way, struct ocl_program *kernel, char why[TRANSLATE_WHY])
{
   struct translation *t = calloc(1, sizeof(*t));

   why[0] = '\0';
   if (t == NULL) {
      snprintf(why, TRANSLATE_WHY, "out of memory");
      return false;
   }
   t->program = program;
   t->way = way;
   t->kernel = kernel;
   t->why = why;
   t->memory = t->chooser = NOWHERE;
   memset(t->value, 0xff, sizeof(t->value));
   memset(t->leaf, 0xff, sizeof(t->leaf));
   memset(t->variable, 0xff, sizeof(t->variable));
   memset(kernel, 0, sizeof(*kernel));
   kernel->lanes = way->simdgroup ? OCL_LANES : 1;
   t->first = way->simdgroup ? lane / FUZZ_SIMD * FUZZ_SIMD : lane;
   if (program->registers != FUZZ_REGISTERS_ALL) {
      (void)fail(t, "a limit of registers", "");
   }
   const bool determined = choose_outputs(t, expected);
   bool needed[FUZZ_NODES];
   fuzz_needed(program, needed);
   for (uint32_t i = 0; i < program->count && !t->failed; i++) {
      t->node = &program->nodes[i];
      if (needed[i]) {
         say_node(t, i);
      }
   }
   say_memory(t);
   if (!determined) {
      (void)fail(t, "an answer that is not exact", "");
   } else if (!t->failed) {
      finish(t, expected);
   }
   const bool said = !t->failed;
   free(t);
   return said;
}
