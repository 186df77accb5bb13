/* SPDX-License-Identifier: MIT
 *
 * Computes what a generated kernel computes. All lanes execute the nodes together, with a mask of the active ones.
 * Invariant: this is the reference; it uses the kernel's nodes only, neither its text nor anything compiled from it.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/opencl/machine.h"

#define ALL_LANES UINT32_MAX
#define STEPS 100000 /* most nodes that one evaluation executes */

/* Sets the guard of a node. If a guarded value has already been used, the evaluation must be repeated. */
static void guard(struct ocl_machine *machine, struct ocl_node *node, enum ocl_guard needed)
{
   if (node->guard < needed) {
      machine->again |= needed > OCL_WRAP;
      node->guard = (uint8_t)needed;
   }
}

static uint64_t to_24_bits(uint8_t base, uint64_t value)
{
   return ocl_signed(base) ? (uint64_t)((int64_t)(value << 40) >> 40) & ocl_mask(base) : value & 0xffffff;
}

static bool is_24(const struct ocl_op *op)
{
   return op->shape == OCL_SHAPE_24 || op->shape == OCL_SHAPE_24_3;
}

/* Whether a number is outside the range of a conversion's type, or a float becomes a denormal half. */
static bool out_of_range(const struct ocl_op *op, const struct ocl_operands *o)
{
   if (!ocl_real(o->from)) {
      return false;
   }
   const uint64_t plain = op->compute(o);
   if (ocl_real(o->base)) {
      return o->base == OCL_HALF && (plain & 0x7c00) == 0;
   }
   /* One more number than necessary is refused: those whose fraction beyond the last number is cut off. */
   return !ocl_in_range(o->base, ocl_real_value(o->from, o->a));
}

/* Computes the alternative form of an operation, as ocl_print() writes it. */
static uint64_t compute_other(const struct ocl_op *op, struct ocl_operands *o)
{
   switch (op->shape) {
   case OCL_SHAPE_CONVERT:
   case OCL_SHAPE_CAST:
      o->saturates = true;
      return op->compute(o);
   case OCL_SHAPE_REAL:
      return o->a;
   case OCL_SHAPE_DIVIDE:
      if (!o->vector) {
         return o->b == 0 || o->b == ocl_mask(o->base) ? o->a : op->compute(o);
      }
      /* fall through */
   default:
      return o->a ^ o->b;
   }
}

/* Replaces an operand for which a NaN has no result by a number. */
static uint64_t without_nan(struct ocl_machine *machine, struct ocl_node *node, uint8_t base, uint64_t value)
{
   if (!machine->program->nans || !ocl_is_nan(base, value)) {
      return value;
   }
   guard(machine, node, OCL_ADJUST);
   return ocl_instead_of_nan(base);
}

static void make_numbers(struct ocl_machine *machine, struct ocl_node *node, struct ocl_operands *o)
{
   if (ocl_needs_numbers(&ocl_ops[node->op]) && node->guard != OCL_OTHER) {
      o->a = without_nan(machine, node, o->from, o->a);
      o->b = node->count > 1 ? without_nan(machine, node, o->from, o->b) : o->b;
   }
}

/* Applies the node's guard to its operands, and sets a guard if they need one. Returns true if the operation is
 * replaced by another one. */
static bool make_defined(struct ocl_machine *machine, struct ocl_node *node, struct ocl_operands *o)
{
   const struct ocl_op *op = &ocl_ops[node->op];

   make_numbers(machine, node, o);
   if (op->shape == OCL_SHAPE_CONVERT || op->shape == OCL_SHAPE_CAST) {
      if (node->guard == OCL_OTHER) {
         return true;
      }
      if (!op->saturates && out_of_range(op, o)) {
         guard(machine, node, OCL_OTHER);
      }
   } else if (op->shape == OCL_SHAPE_REAL) {
      if (node->guard == OCL_OTHER) {
         return true;
      }
      if (!ocl_real_determined(op, o)) {
         guard(machine, node, OCL_OTHER);
      }
   } else if (op->shape == OCL_SHAPE_HALF_IN) {
      if (node->guard == OCL_ADJUST) {
         o->a &= 0xbfff;
      } else if ((o->a & 0x7c00) == 0x7c00) {
         guard(machine, node, OCL_ADJUST);
      }
   } else if (ocl_divides(op)) {
      o->b |= node->guard == OCL_ADJUST ? 1 : 0;
      if (node->guard == OCL_OTHER) { /* vectors and mixed types: compute_other() divides if that is defined */
         return true;
      }
      if (o->b == 0) {
         guard(machine, node, OCL_ADJUST);
      } else if (ocl_signed(o->base) && o->b == ocl_mask(o->base) && o->a == (ocl_mask(o->base) >> 1) + 1) {
         guard(machine, node, OCL_OTHER);
      }
   } else if (is_24(op)) {
      if (node->guard == OCL_ADJUST) {
         o->a = to_24_bits(o->base, o->a);
         o->b = to_24_bits(o->base, o->b);
      } else if (o->a != to_24_bits(o->base, o->a) || o->b != to_24_bits(o->base, o->b)) {
         guard(machine, node, OCL_ADJUST);
      }
   } else if (op->wraps && ocl_overflows(op, o)) {
      guard(machine, node, OCL_WRAP);
   }
   return false;
}

/* C's usual arithmetic conversions: both become the wider type, at least int; of two types of one size, the unsigned
 * one. */
static void convert_operands(const struct ocl_program *program, const struct ocl_node *node, struct ocl_operands *o)
{
   uint64_t *const values[] = {&o->a, &o->b};
   uint8_t common = OCL_INT;

   for (unsigned j = 0; j < node->count; j++) {
      const uint8_t base = program->nodes[node->source[j]].type.base;
      common = base > common ? base : common;
   }
   for (unsigned j = 0; j < node->count; j++) {
      const uint8_t base = program->nodes[node->source[j]].type.base;
      *values[j] = ocl_signed(base) ? (uint64_t)ocl_sext(base, *values[j]) & ocl_mask(common) : *values[j];
   }
   o->from = common;
}

static void by_component(struct ocl_machine *machine, struct ocl_node *node, uint32_t lane, uint64_t result[OCL_WIDTH])
{
   const struct ocl_program *program = machine->program;
   const struct ocl_op *op = &ocl_ops[node->op];
   const uint8_t from = program->nodes[node->source[0]].type.base;

   for (unsigned i = 0; i < node->type.width; i++) {
      uint64_t values[OCL_SOURCES] = {0};
      for (unsigned j = 0; j < node->count; j++) {
         /* a scalar stands for a vector of equal components */
         values[j] = machine->value[node->source[j]][lane][program->nodes[node->source[j]].type.width != 1 ? i : 0];
      }
      struct ocl_operands o = {.a = values[0],
                               .b = values[1],
                               .c = values[2],
                               .base = node->type.base,
                               .from = from,
                               .rounding = op->rounding,
                               .saturates = op->saturates,
                               .vector = node->type.width != 1,
                               .rounds = program->rounded,
                               .nans = program->nans};
      if (op->shape == OCL_SHAPE_MIX || op->shape == OCL_SHAPE_MIX_TEST) {
         convert_operands(program, node, &o);
      }
      const bool other = make_defined(machine, node, &o);
      result[i] = other ? compute_other(op, &o) : op->compute(&o);
   }
}

void ocl_reinterpret(uint64_t result[OCL_WIDTH], struct ocl_type to, const uint64_t *value, struct ocl_type from)
{
   uint8_t bytes[OCL_WIDTH * 8];
   const unsigned size = ocl_bits(from.base) / 8, wanted = ocl_bits(to.base) / 8;

   for (unsigned i = 0; i < from.width * size; i++) {
      bytes[i] = (uint8_t)(value[i / size] >> i % size * 8);
   }
   for (unsigned i = 0; i < to.width; i++) {
      result[i] = 0;
      for (unsigned j = 0; j < wanted; j++) {
         result[i] |= (uint64_t)bytes[i * wanted + j] << 8 * j;
      }
   }
}

static void as_a_whole(struct ocl_machine *machine, struct ocl_node *node, uint32_t lane, uint64_t result[OCL_WIDTH])
{
   const struct ocl_program *program = machine->program;
   const struct ocl_node *first = &program->nodes[node->source[0]];
   const uint64_t *a = machine->value[node->source[0]][lane];
   const uint64_t *b = machine->value[node->source[1]][lane];
   const uint64_t *c = machine->value[node->source[2]][lane];
   uint64_t numbers[OCL_WIDTH];
   unsigned at = 0, set = 0;

   switch (ocl_ops[node->op].shape) {
   case OCL_SHAPE_AS:
      for (unsigned i = 0; i < first->type.width; i++) {
         numbers[i] = without_nan(machine, node, first->type.base, a[i]);
      }
      ocl_reinterpret(result, node->type, numbers, first->type);
      break;
   case OCL_SHAPE_SWIZZLE:
      for (unsigned i = 0; i < node->type.width; i++) {
         result[i] = a[node->data[i] % first->type.width];
      }
      break;
   case OCL_SHAPE_BUILD:
      for (unsigned i = 0; i < node->count; i++) {
         const unsigned width = program->nodes[node->source[i]].type.width;
         memcpy(result + at, machine->value[node->source[i]][lane], width * sizeof(*result));
         at += width;
      }
      break;
   case OCL_SHAPE_INSERT:
      memcpy(result, a, OCL_WIDTH * sizeof(*result));
      result[node->data[0] % node->type.width] = b[0];
      break;
   case OCL_SHAPE_SHUFFLE:
      for (unsigned i = 0; i < node->type.width; i++) {
         result[i] = a[b[i] % first->type.width];
      }
      break;
   case OCL_SHAPE_REVERSE:
      for (unsigned i = 0; i < node->type.width; i++) {
         result[i] = a[node->type.width - 1u - i];
      }
      break;
   case OCL_SHAPE_SHUFFLE2:
      for (unsigned i = 0; i < node->type.width; i++) {
         const uint64_t which = c[i] % (2u * first->type.width);
         result[i] = which < first->type.width ? a[which] : b[which - first->type.width];
      }
      break;
   default: /* any, all: of the highest bits */
      for (unsigned i = 0; i < first->type.width; i++) {
         set += (unsigned)(a[i] >> (ocl_bits(first->type.base) - 1));
      }
      result[0] = ocl_ops[node->op].name[1] == 'n' ? set != 0 : set == first->type.width;
   }
}

static void run_op(struct ocl_machine *machine, uint32_t index)
{
   struct ocl_node *node = &machine->program->nodes[index];

   for (uint32_t lane = 0; lane < machine->program->lanes; lane++) {
      uint64_t result[OCL_WIDTH] = {0};
      if ((machine->mask >> lane & 1) == 0) {
         continue;
      }
      if (ocl_ops[node->op].compute != NULL) {
         by_component(machine, node, lane, result);
      } else {
         as_a_whole(machine, node, lane, result);
      }
      memcpy(machine->value[index][lane], result, sizeof(result));
   }
}

static uint64_t changed(const struct ocl_node *node, uint64_t old, uint64_t value)
{
   return ocl_atomic((enum ocl_atomic)node->op, node->type.base, old, value, node->data[1]);
}

static void run_atomic(struct ocl_machine *machine, const struct ocl_node *node, uint32_t index)
{
   uint64_t sum = node->data[0];

   for (uint32_t lane = 0; lane < machine->program->lanes; lane++) {
      const uint64_t value = machine->value[node->source[0]][lane][0];
      if (node->kind == OCL_OWN && (machine->mask >> lane & 1) != 0) {
         machine->value[index][lane][0] = node->data[0] ^ changed(node, node->data[0], value);
      }
      sum = changed(node, sum, value);
   }
   for (uint32_t lane = 0; node->kind == OCL_ATOMIC && lane < machine->program->lanes; lane++) {
      machine->value[index][lane][0] = sum;
   }
}

/* Copies all fields of an element. */
static void copy_struct(struct ocl_machine *machine, const struct ocl_node *node, uint32_t lane)
{
   const struct ocl_program *program = machine->program;

   for (uint32_t i = 0; i < program->objects; i++) {
      const uint8_t length = program->object[i].length;
      if (program->object[i].record == node->slot) {
         memmove(machine->memory[i][machine->value[node->source[0]][lane][0] % length][lane],
                 machine->memory[i][machine->value[node->source[1]][lane][0] % length][lane],
                 sizeof(machine->memory[0][0][0]));
      }
   }
}

/* Executes nodes that move values. */
static void run_move(struct ocl_machine *machine, uint32_t index)
{
   const struct ocl_program *program = machine->program;
   const struct ocl_node *node = &program->nodes[index];
   const size_t size = sizeof(machine->value[0][0]);

   for (uint32_t lane = 0; lane < program->lanes; lane++) {
      if ((machine->mask >> lane & 1) == 0) {
         continue;
      }
      const uint64_t *first = machine->value[node->source[0]][lane];
      uint64_t *to = machine->value[index][lane];
      const struct ocl_object *object = &program->object[node->slot % OCL_OBJECTS];
      const uint64_t element = object->length != 0 ? first[0] % object->length : 0; /* 0: the slot has no object */

      if (node->kind == OCL_OUTPUT) {
         memcpy(machine->outputs->value[node->slot][lane], first, size);
      } else if (node->kind == OCL_COPY) {
         copy_struct(machine, node, lane);
      } else if (node->kind == OCL_EXCHANGE) {
         memcpy(to, machine->value[node->source[0]][(lane ^ node->data[0]) % program->lanes], size);
      } else if (node->kind == OCL_VLOAD || node->kind == OCL_VSTORE) {
         const bool load = node->kind == OCL_VLOAD;
         const unsigned width = load ? node->type.width : program->nodes[node->source[1]].type.width;
         const unsigned start = ocl_vector_start(object, width, first[0]);
         for (unsigned i = 0; i < width; i++) {
            if (load) {
               to[i] = machine->memory[node->slot][start + i][lane][0];
            } else {
               machine->memory[node->slot][start + i][lane][0] = machine->value[node->source[1]][lane][i];
            }
         }
      } else if (node->kind == OCL_READ) {
         memcpy(to, machine->memory[node->slot][element][lane], size);
      } else {
         memcpy(machine->memory[node->slot][element][lane], machine->value[node->source[1]][lane], size);
      }
   }
}

/* One threadgroup of `lanes` threads in one dimension. */
static void run_id(struct ocl_machine *machine, uint32_t index)
{
   const struct ocl_program *program = machine->program;
   const struct ocl_node *node = &program->nodes[index];

   for (uint32_t lane = 0; lane < program->lanes; lane++) {
      const uint64_t first[OCL_IDS] = {[OCL_LOCAL_ID] = lane,
                                       [OCL_GLOBAL_ID] = lane,
                                       [OCL_LOCAL_SIZE] = program->lanes,
                                       [OCL_GLOBAL_SIZE] = program->lanes,
                                       [OCL_NUM_GROUPS] = 1,
                                       [OCL_WORK_DIM] = 1};
      /* For all other dimensions, even out of range, sizes are 1 and the other values 0: OpenCL C 6.15.1. */
      static const uint64_t others[OCL_IDS] = {[OCL_LOCAL_SIZE] = 1, [OCL_GLOBAL_SIZE] = 1, [OCL_NUM_GROUPS] = 1};
      const unsigned which = node->slot % OCL_IDS;
      uint64_t dimension = node->data[0];

      if (node->count != 0) { /* the parameter is a uint */
         const uint8_t base = program->nodes[node->source[0]].type.base;
         dimension = (uint64_t)ocl_sext(base, machine->value[node->source[0]][lane][0]) & UINT32_MAX;
         dimension = ocl_signed(base) ? dimension : machine->value[node->source[0]][lane][0] & UINT32_MAX;
      }
      machine->value[index][lane][0] = dimension == 0 || which == OCL_WORK_DIM ? first[which] : others[which];
   }
}

static uint32_t step(struct ocl_machine *machine, uint32_t index)
{
   const struct ocl_program *program = machine->program;
   const struct ocl_node *node = &program->nodes[index];

   switch ((enum ocl_kind)node->kind) {
   case OCL_NONE:
      break;
   case OCL_CONST:
   case OCL_SCALAR:
   case OCL_INPUT:
      for (uint32_t lane = 0; lane < program->lanes; lane++) {
         memset(machine->value[index][lane], 0, sizeof(machine->value[index][lane]));
         memcpy(machine->value[index][lane],
                node->kind == OCL_CONST    ? node->data
                : node->kind == OCL_SCALAR ? program->scalar[node->slot]
                                           : program->input[node->slot][lane],
                node->type.width * sizeof(uint64_t));
      }
      break;
   case OCL_ID:
      run_id(machine, index);
      break;
   case OCL_OP:
      run_op(machine, index);
      break;
   case OCL_TURN:
      ocl_run_turn(machine, index);
      break;
   case OCL_IF:
   case OCL_LOOP:
   case OCL_SWITCH:
      return ocl_open_block(machine, index) ? index + 1 : UINT32_MAX;
   case OCL_ELSE:
   case OCL_ENDIF:
   case OCL_ENDLOOP:
   case OCL_ENDSWITCH:
      return ocl_close_block(machine, index);
   case OCL_CASE:
   case OCL_DEFAULT:
      return ocl_next_case(machine, node) ? index + 1 : UINT32_MAX;
   case OCL_BREAK:
   case OCL_CONTINUE:
      return ocl_leave_loop(machine, node) ? index + 1 : UINT32_MAX;
   case OCL_OWN:
   case OCL_ATOMIC:
      run_atomic(machine, node, index);
      break;
   default:
      run_move(machine, index);
   }
   return index + 1;
}

/* Returns the initial value of component `component` of an element. */
static uint64_t first_value(const struct ocl_object *object, unsigned element, uint32_t lane, unsigned component)
{
   if (ocl_list_of(object) == OCL_LISTED_LANE && element == object->length - 1u) {
      return ocl_real(object->type.base) ? ocl_real_round(object->type.base, lane, OCL_TO_EVEN) : lane;
   }
   if (ocl_list_of(object) == OCL_COUNTED) {
      return (object->start[0] + element) & ocl_mask(object->type.base);
   }
   return object->start[(element + component) % OCL_WIDTH];
}

static bool evaluate_once(struct ocl_machine *machine)
{
   const struct ocl_program *program = machine->program;
   unsigned steps = 0;

   machine->depth = 0;
   machine->again = false;
   machine->mask = program->lanes == OCL_LANES ? ALL_LANES : (UINT32_C(1) << program->lanes) - 1;
   memset(machine->outputs, 0, sizeof(*machine->outputs));
   for (uint32_t i = 0; i < program->objects; i++) {
      for (unsigned j = 0; j < OCL_ELEMENTS; j++) {
         for (uint32_t lane = 0; lane < OCL_LANES; lane++) {
            for (unsigned k = 0; k < OCL_WIDTH; k++) {
               machine->memory[i][j][lane][k] = first_value(&program->object[i], j, lane, k);
            }
         }
      }
   }
   for (uint32_t index = 0; index < program->count;) {
      index = steps++ < STEPS ? step(machine, index) : UINT32_MAX;
      if (index == UINT32_MAX) {
         return false;
      }
   }
   return machine->depth == 0;
}

static bool evaluate(struct ocl_machine *machine)
{
   struct ocl_program *program = machine->program;
   bool fine = true;

   for (uint32_t i = 0; i < program->count; i++) {
      program->nodes[i].guard = OCL_PLAIN;
   }
   machine->again = true;
   /* each round sets a guard */
   for (unsigned rounds = 0; fine && machine->again; rounds++) {
      fine = rounds < 2 * OCL_NODES && evaluate_once(machine);
   }
   return fine;
}

bool ocl_evaluate(struct ocl_program *program, struct ocl_outputs *outputs)
{
   struct ocl_machine *machine = calloc(1, sizeof(*machine));
   bool fine = false;

   if (machine != NULL) {
      machine->program = program;
      machine->outputs = outputs;
      fine = evaluate(machine);
   }
   free(machine);
   return fine;
}

bool ocl_node_value(struct ocl_program *program, uint32_t index, uint32_t lane, uint64_t value[OCL_WIDTH])
{
   struct ocl_machine *machine = calloc(1, sizeof(*machine));
   struct ocl_outputs *outputs = calloc(1, sizeof(*outputs));
   bool fine = false;

   if (machine != NULL && outputs != NULL) {
      machine->program = program;
      machine->outputs = outputs;
      fine = evaluate(machine);
      memcpy(value, machine->value[index][lane], OCL_WIDTH * sizeof(*value));
   }
   free(outputs);
   free(machine);
   return fine;
}
