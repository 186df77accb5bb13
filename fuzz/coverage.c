/* SPDX-License-Identifier: MIT
 *
 * The coverage of Mesa's algebraic rules. Invariant: each rule counts in one state, and each that cannot be built has
 * one reason.
 */
#include "fuzz/coverage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/nir/generate/generate.h"

#define WHY 64
#define REASONS 128 /* ops of Mesa that programs do not have, and the like */
#define SHOWN 5     /* of them, in text */

struct reason {
   char why[WHY];
   uint32_t rules;
};

static uint32_t rule_count(void)
{
   return fuzz_rule_count() < FUZZ_RULES ? fuzz_rule_count() : FUZZ_RULES;
}

static uint32_t count(const uint8_t *states, enum fuzz_rule_state state)
{
   uint32_t rules = 0;

   for (uint32_t i = 0; i < rule_count(); i++) {
      rules += states[i] == state ? 1 : 0;
   }
   return rules;
}

static int by_rules(const void *a, const void *b)
{
   const struct reason *left = a, *right = b;

   return left->rules != right->rules ? (left->rules < right->rules ? 1 : -1) : strcmp(left->why, right->why);
}

/* How many reasons there are; the most frequent comes first. What does not fit is left out. */
static uint32_t find_reasons(const uint8_t *states, struct reason reasons[REASONS])
{
   uint32_t found = 0;

   for (uint32_t i = 0; i < rule_count(); i++) {
      char why[WHY];
      uint32_t at = 0;
      if (states[i] != RULE_IMPOSSIBLE) {
         continue;
      }
      fuzz_rule_obstacle(i, why, sizeof(why));
      while (at < found && strcmp(reasons[at].why, why) != 0) {
         at++;
      }
      if (at == found && found < REASONS) {
         reasons[found++] = (struct reason){.rules = 0};
         memcpy(reasons[at].why, why, sizeof(why));
      }
      if (at < found) {
         reasons[at].rules++;
      }
   }
   qsort(reasons, found, sizeof(*reasons), by_rules);
   return found;
}

void coverage_write(FILE *file, const uint8_t *states, bool markdown)
{
   struct reason reasons[REASONS];
   const uint32_t found = find_reasons(states, reasons), shown = markdown || found < SHOWN ? found : SHOWN;

   fprintf(
       file,
       "Of Mesa's %u algebraic rules: %u fired, %u did not although programs held their pattern, %u cannot be built, "
       "%u were not reached in this time\n",
       fuzz_rule_count(), count(states, RULE_FIRED), count(states, RULE_TRIED), count(states, RULE_IMPOSSIBLE),
       count(states, RULE_UNTRIED));
   if (markdown && found != 0) {
      fputs("\n| why a rule cannot be built | rules |\n|---|---|\n", file);
   }
   for (uint32_t i = 0; i < shown; i++) {
      if (markdown) {
         fprintf(file, "| %s | %u |\n", reasons[i].why, reasons[i].rules);
      } else {
         fprintf(file, "%s%u %s", i == 0 ? "   not built, most of all: " : ", ", reasons[i].rules, reasons[i].why);
      }
   }
   if (!markdown && shown != 0) {
      fprintf(file, "%s\n", shown < found ? ", ... (all: --format markdown or json)" : "");
   }
}

static struct json_object *rule_json(uint32_t rule, enum fuzz_rule_state state)
{
   static const char *const why[] = {[RULE_UNTRIED] = "no program held it in this time",
                                     [RULE_TRIED] = "programs held its pattern, and the pass did not change them"};
   struct json_object *object = json_object_new_object();
   char obstacle[WHY];
   const char *pass;
   const char *text = fuzz_rule_text(rule, &pass);

   if (state == RULE_IMPOSSIBLE) {
      fuzz_rule_obstacle(rule, obstacle, sizeof(obstacle));
   }
   json_object_object_add(object, "pass", json_object_new_string(pass));
   json_object_object_add(object, "rule", json_object_new_string(text));
   json_object_object_add(object, "why", json_object_new_string(state == RULE_IMPOSSIBLE ? obstacle : why[state]));
   return object;
}

struct json_object *coverage_json(const uint8_t *states)
{
   struct json_object *rules = json_object_new_object(), *list = json_object_new_array();

   json_object_object_add(rules, "known", json_object_new_int64(fuzz_rule_count()));
   json_object_object_add(rules, "fired", json_object_new_int64(count(states, RULE_FIRED)));
   json_object_object_add(rules, "not_fired", json_object_new_int64(count(states, RULE_TRIED)));
   json_object_object_add(rules, "impossible", json_object_new_int64(count(states, RULE_IMPOSSIBLE)));
   for (uint32_t i = 0; i < rule_count(); i++) {
      if (states[i] != RULE_FIRED) {
         json_object_array_add(list, rule_json(i, (enum fuzz_rule_state)states[i]));
      }
   }
   json_object_object_add(rules, "not_reached", list);
   return rules;
}
