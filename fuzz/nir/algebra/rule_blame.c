/* SPDX-License-Identifier: MIT
 *
 * Finds the wrong rule of an algebraic pass. The rules of a pass are lists in a table, one list for each state of
 * Mesa's matcher; a copy of that table leaves rules out. Invariant: Mesa's own tables are not changed.
 */
#include "fuzz/nir/algebra/rule_blame.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/nir/watch/symbols.h"
#include "util/ralloc.h"
#include "util/text.h"

#define TOGETHER 3 /* most rules that are wrong only in combination */
#define LIST_END (~0u)

bool __real_nir_algebraic_impl(nir_function_impl *impl, const bool *flags, const nir_algebraic_table *table);

struct trials {
   const struct fuzz_algebraic_call *call;
   bool (*is_wrong)(const nir_shader *nir);
   nir_algebraic_table table;    /* its `transforms` are the copy */
   struct transform *transforms; /* the remaining rules */
   unsigned count;               /* number of entries of the lists, including their ends */
   /* the rules of the table, sorted; a rule is its search pattern and its replacement */
   uint32_t *rules;
   unsigned rule_count;
   bool *active; /* by rule */
};

static uint32_t rule_of(const struct transform *transform)
{
   return (uint32_t)transform->search << 16 | transform->replace;
}

static int compare(const void *left, const void *right)
{
   const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

   return a < b ? -1 : a > b;
}

static unsigned inputs_of(unsigned search_op)
{
   return search_op <= nir_last_opcode ? nir_op_infos[search_op].num_inputs : 1;
}

/* The matcher's states are numbered, and each is a result of some op's table. */
static unsigned count_states(const nir_algebraic_table *table)
{
   unsigned last = 1; /* the state of a constant */

   for (unsigned op = 0; op < nir_num_search_ops; op++) {
      const struct per_op_table *results = &table->pass_op_table[op];
      unsigned entries = results->num_filtered_states != 0 ? 1 : 0;
      for (unsigned i = 0; entries != 0 && i < inputs_of(op); i++) {
         entries *= results->num_filtered_states;
      }
      for (unsigned i = 0; i < entries; i++) {
         last = MAX2(last, results->table[i]);
      }
   }
   return last + 1;
}

static unsigned count_transforms(const nir_algebraic_table *table)
{
   const unsigned states = count_states(table);
   unsigned count = 0;

   for (unsigned state = 0; state < states; state++) {
      unsigned at = table->transform_offsets[state];
      while (table->transforms[at].condition_offset != LIST_END) {
         at++;
      }
      count = MAX2(count, at + 1);
   }
   return count;
}

static void list_rules(struct trials *trials)
{
   unsigned used = 0;

   for (unsigned i = 0; i < trials->count; i++) {
      const struct transform *transform = &trials->call->table->transforms[i];
      if (transform->condition_offset != LIST_END && trials->call->flags[transform->condition_offset]) {
         trials->rules[used++] = rule_of(transform);
      }
   }
   qsort(trials->rules, used, sizeof(trials->rules[0]), compare);
   for (unsigned i = 0; i < used; i++) {
      if (i == 0 || trials->rules[i] != trials->rules[i - 1]) {
         trials->rules[trials->rule_count++] = trials->rules[i];
      }
   }
}

static bool is_active(const struct trials *trials, const struct transform *transform)
{
   const uint32_t wanted = rule_of(transform);
   const uint32_t *rule = bsearch(&wanted, trials->rules, trials->rule_count, sizeof(wanted), compare);

   return rule != NULL && trials->active[rule - trials->rules];
}

/* Shortens the lists in place to the active rules. */
static void leave_out(struct trials *trials)
{
   const struct transform *all = trials->call->table->transforms;
   unsigned used = 0;

   for (unsigned i = 0; i < trials->count; i++) {
      const bool end = all[i].condition_offset == LIST_END;
      if (!end && is_active(trials, &all[i])) {
         trials->transforms[used++] = all[i];
      }
      while (end && used <= i) {
         trials->transforms[used++] = all[i];
      }
   }
}

static nir_function_impl *function_of(nir_shader *nir, unsigned wanted)
{
   unsigned number = 0;

   nir_foreach_function_impl (impl, nir) {
      if (number++ == wanted) {
         return impl;
      }
   }
   return NULL;
}

/* Runs the active rules on a shader that the caller owns. */
static void run(struct trials *trials, nir_shader *nir)
{
   nir_function_impl *impl = function_of(nir, trials->call->function);

   leave_out(trials);
   if (impl != NULL) {
      (void)__real_nir_algebraic_impl(impl, trials->call->flags, &trials->table);
   }
}

static bool is_wrong(struct trials *trials)
{
   nir_shader *nir = nir_shader_clone(NULL, trials->call->before);

   run(trials, nir);
   const bool wrong = trials->is_wrong(nir);
   ralloc_free(nir);
   return wrong;
}

static void activate(struct trials *trials, const unsigned *kept, unsigned kept_count, unsigned limit)
{
   for (unsigned i = 0; i < trials->rule_count; i++) {
      trials->active[i] = i < limit;
   }
   for (unsigned i = 0; i < kept_count; i++) {
      trials->active[kept[i]] = true;
   }
}

/* Whether the result is wrong with those kept and the first `limit` rules. */
static bool wrong_with(struct trials *trials, const unsigned *kept, unsigned kept_count, unsigned limit)
{
   activate(trials, kept, kept_count, limit);
   return is_wrong(trials);
}

/* Each round finds one rule that cannot be left out. Returns 0 if there are more than TOGETHER, or if the repeated call
 * is not wrong. */
static unsigned find_rules(struct trials *trials, unsigned kept[TOGETHER])
{
   unsigned limit = trials->rule_count, count = 0;

   if (!wrong_with(trials, kept, 0, limit) || wrong_with(trials, kept, 0, 0)) {
      return 0;
   }
   while (count < TOGETHER) {
      unsigned right = 0;
      while (limit - right > 1) {
         const unsigned middle = right + (limit - right) / 2;
         if (wrong_with(trials, kept, count, middle)) {
            limit = middle;
         } else {
            right = middle;
         }
      }
      kept[count++] = --limit;
      if (wrong_with(trials, kept, count, 0)) {
         return count;
      }
   }
   return 0;
}

/* Whether the result is right with the other rules, and becomes wrong when this one is applied to it. */
static bool is_last(struct trials *trials, const unsigned *kept, unsigned count, unsigned number)
{
   nir_shader *nir = nir_shader_clone(NULL, trials->call->before);

   activate(trials, kept, count, 0);
   trials->active[kept[number]] = false;
   run(trials, nir);
   bool last = !trials->is_wrong(nir);
   activate(trials, &kept[number], 1, 0);
   run(trials, nir);
   last = last && trials->is_wrong(nir);
   ralloc_free(nir);
   return last;
}

struct writer {
   struct util_text text;
   const nir_algebraic_table *table;
};

/* Writes "(is_used_once)", the name of a condition, if the program has symbols. */
static void put_condition(struct writer *writer, uintptr_t function)
{
   char name[64];

   fuzz_symbol((const void *)(function + 1), name, sizeof(name));
   if (strncmp(name, "0x", 2) != 0) {
      util_text_add(&writer->text, "(%s)", name);
   }
}

static const char *op_name(unsigned opcode)
{
   static const char *const names[] = {
       [nir_search_op_i2f - nir_search_op_i2f] = "i2f", [nir_search_op_u2f - nir_search_op_i2f] = "u2f",
       [nir_search_op_f2f - nir_search_op_i2f] = "f2f", [nir_search_op_f2u - nir_search_op_i2f] = "f2u",
       [nir_search_op_f2i - nir_search_op_i2f] = "f2i", [nir_search_op_u2u - nir_search_op_i2f] = "u2u",
       [nir_search_op_i2i - nir_search_op_i2f] = "i2i", [nir_search_op_b2f - nir_search_op_i2f] = "b2f",
       [nir_search_op_b2i - nir_search_op_i2f] = "b2i"};

   return opcode <= nir_last_opcode ? nir_op_infos[opcode].name : names[opcode - nir_search_op_i2f];
}

static void put_constant(struct writer *writer, const nir_search_constant *constant)
{
   const double number = constant->data.d;

   switch (nir_alu_type_get_base_type(constant->type)) {
   case nir_type_float:
      util_text_add(&writer->text, number > -1e6 && number < 1e6 && (double)(int)number == number ? "%.1f" : "%.9g",
                    number);
      break;
   case nir_type_bool:
      util_text_add(&writer->text, "%s", constant->data.u != 0 ? "True" : "False");
      break;
   case nir_type_int:
      util_text_add(&writer->text, "%" PRId64, constant->data.i);
      break;
   default:
      util_text_add(&writer->text, "0x%" PRIx64, constant->data.u);
      break;
   }
}

/* width: the known width of the operand, which is not repeated. */
static void put_value(struct writer *writer, const nir_search_value_union *value, int width);

static void put_expression(struct writer *writer, const nir_search_expression *expression)
{
   util_text_add(&writer->text, "%s%s%s", expression->inexact ? "~" : "", expression->exact ? "!" : "",
                 op_name(expression->opcode));
   if (expression->value.bit_size > 0) {
      util_text_add(&writer->text, "@%d", expression->value.bit_size);
   }
   if (expression->cond_index >= 0) {
      put_condition(writer, (uintptr_t)writer->table->expression_cond[expression->cond_index]);
   }
   for (unsigned i = 0; i < inputs_of(expression->opcode); i++) {
      util_text_add(&writer->text, i == 0 ? "(" : ", ");
      put_value(writer, &writer->table->values[expression->srcs[i]], expression->value.bit_size);
   }
   util_text_add(&writer->text, ")");
}

static void put_value(struct writer *writer, const nir_search_value_union *value, int width)
{
   if (value->value.type == nir_search_value_expression) {
      put_expression(writer, &value->expression);
      return;
   }
   if (value->value.type == nir_search_value_constant) {
      put_constant(writer, &value->constant);
      return;
   }
   util_text_add(&writer->text, "%s%c", value->variable.is_constant ? "#" : "", 'a' + value->variable.variable);
   if (value->value.bit_size > 1 && value->value.bit_size != width) {
      util_text_add(&writer->text, "@%d", value->value.bit_size);
   }
   if (value->variable.cond_index >= 0) {
      put_condition(writer, (uintptr_t)writer->table->variable_cond[value->variable.cond_index]);
   }
}

static void put_rule(struct writer *writer, uint32_t rule)
{
   util_text_add(&writer->text, writer->text.length != 0 ? "; " : "");
   put_value(writer, &writer->table->values[rule >> 16], 0);
   util_text_add(&writer->text, " -> ");
   put_value(writer, &writer->table->values[rule & 0xffff], 0);
}

static void name_rules(struct trials *trials, char *text, size_t size)
{
   struct writer writer = {.text = {text, size, 0}, .table = trials->call->table};
   unsigned kept[TOGETHER];
   const unsigned count = find_rules(trials, kept);

   unsigned last = 0, lasts = 0;

   for (unsigned i = 0; count > 1 && i < count; i++) {
      if (is_last(trials, kept, count, i)) {
         last = i;
         lasts++;
      }
   }
   for (unsigned i = count; i-- > 0;) {
      if (lasts != 1 || i == last) {
         put_rule(&writer, trials->rules[kept[i]]);
      }
   }
}

void fuzz_blame_rule(const struct fuzz_algebraic_call *call, bool (*wrong)(const nir_shader *nir), char *text,
                     size_t size)
{
   struct trials trials = {.call = call, .is_wrong = wrong, .table = *call->table};

   text[0] = '\0';
   trials.count = count_transforms(call->table);
   trials.transforms = calloc(trials.count, sizeof(trials.transforms[0]));
   trials.rules = calloc(trials.count, sizeof(trials.rules[0]));
   trials.active = calloc(trials.count, sizeof(trials.active[0]));
   if (trials.transforms != NULL && trials.rules != NULL && trials.active != NULL) {
      trials.table.transforms = trials.transforms;
      list_rules(&trials);
      name_rules(&trials, text, size);
   }
   free(trials.transforms);
   free(trials.rules);
   free(trials.active);
}
