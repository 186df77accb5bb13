/* SPDX-License-Identifier: MIT
 *
 * The search patterns of Mesa's algebraic rules, which rules.py writes at build time.
 */
#ifndef COMPILER_FUZZ_RULES_H
#define COMPILER_FUZZ_RULES_H

#include <stdbool.h>
#include <stdint.h>

struct nir_shader;

enum fuzz_pattern_kind { PATTERN_OP, PATTERN_VARIABLE, PATTERN_INTEGER, PATTERN_FLOAT };

struct fuzz_pattern {
   uint8_t kind;   /* enum fuzz_pattern_kind */
   int8_t width;   /* bits, or -1 - class: all of a class share one width */
   const char *op; /* NIR's name; for a conversion without its width ("i2f") */
   uint16_t sources[4];
   uint8_t variable; /* equal numbers are equal values */
   bool is_constant;
   uint64_t integer;
   double number;
   const char *condition; /* Mesa's name of the condition on the value; NULL: any value */
};

struct fuzz_rule {
   uint8_t pass;
   uint16_t root;
   uint8_t classes; /* number of width classes */
   const char *text;
};

extern const struct fuzz_pattern fuzz_patterns[];
extern const struct fuzz_rule fuzz_rules[];
extern const uint32_t fuzz_rules_count, fuzz_rules_left_out; /* left out: rules that choose components */
extern bool (*const fuzz_rule_passes[])(struct nir_shader *nir);
extern const char *const fuzz_rule_pass_names[];

#endif
