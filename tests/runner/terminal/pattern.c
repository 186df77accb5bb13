/* SPDX-License-Identifier: MIT
 *
 * Which names patterns select.
 */
#include "agx_runner/terminal/pattern.h"

#include <stdlib.h>

#include "agx_runner/terminal/runner.h"
#include "tests/check.h"
#include "util/array.h"

static const struct {
   const char *patterns[3];
   const char *name;
   bool selected;
} cases[] = {
    {{NULL}, "float/fadd32/latency", true},
    {{"float/fadd32/latency"}, "float/fadd32/latency", true},
    {{"float/fadd32"}, "float/fadd32/latency", true},
    {{"float/fadd3"}, "float/fadd32/latency", false},
    {{"float"}, "float/fadd32/latency", true},
    {{"float"}, "floating/fadd32/latency", false},
    {{"float/*"}, "float/fadd32/latency", true},
    {{"float/f*16"}, "float/fadd16/latency", true},
    {{"float/f*16"}, "float/fadd32/latency", false},
    {{"*/latency"}, "float/fadd32/latency", true},
    {{"*/latency"}, "float/fadd32/throughput", false},
    {{"float/f[am]*"}, "float/fmul32/latency", true},
    {{"float/f[am]*"}, "float/ffma32/latency", false},
    {{"!int"}, "float/fadd32/latency", true},
    {{"!int"}, "int/iadd32/latency", false},
    {{"float", "!*/latency"}, "float/fadd32/throughput", true},
    {{"float", "!*/latency"}, "float/fadd32/latency", false},
    {{"!*/latency", "float"}, "float/fadd32/latency", false},
    {{"a/b"}, "a/b/c", true},
    {{"int", "simd"}, "simd/ballot/latency", true},
    {{"int", "simd"}, "float/fadd32/latency", false},
};

int main(void)
{

   for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
      size_t count = 0;

      while (count < ARRAY_COUNT(cases[i].patterns) && cases[i].patterns[count] != NULL) {
         count++;
      }
      CHECK(pattern_selects(cases[i].patterns, count, cases[i].name) == cases[i].selected, "case %zu: %s on %s", i,
            count > 0 ? cases[i].patterns[0] : "(none)", cases[i].name);
   }
   return check_result();
}
