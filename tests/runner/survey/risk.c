/* SPDX-License-Identifier: MIT
 *
 * Which steps may fault, by the chip: what nobody has tried there counts as hazardous.
 */
#include <string.h>

#include "agx_runner/survey/step.h"
#include "tests/check.h"

/* The table names the steps' functions; none is called here. */
#define STEP(name)                                                                                                     \
   int name(struct session *session, struct sheet *sheet)                                                              \
   {                                                                                                                   \
      (void)session, (void)sheet;                                                                                      \
      return -1;                                                                                                       \
   }
STEP(survey_timestamps)
STEP(survey_slope)
STEP(survey_overheads)
STEP(survey_ramp)
STEP(survey_copy)
STEP(survey_stream)
STEP(survey_launches)
STEP(survey_commands)
STEP(survey_barriers)
STEP(survey_texture)
STEP(survey_dependent)
STEP(survey_limits)
STEP(survey_scratch)
STEP(survey_atomic_bit)
STEP(survey_programs)
STEP(survey_ffma)
STEP(survey_facts)

int main(void)
{
   static const char *const untried[] = {"barriers", "texture"};
   static const char *const hazardous[] = {"limits", "scratch", "atomics", "atomic-bit"};

   for (size_t i = 0; i < survey_step_count; i++) {
      const struct survey_step *step = &survey_steps[i];
      bool on_g13 = false, elsewhere = false;

      for (size_t k = 0; k < sizeof(hazardous) / sizeof(hazardous[0]); k++) {
         on_g13 |= !strcmp(step->name, hazardous[k]);
      }
      elsewhere = on_g13;
      for (size_t k = 0; k < sizeof(untried) / sizeof(untried[0]); k++) {
         elsewhere |= !strcmp(step->name, untried[k]);
      }
      CHECK(survey_step_may_fault(step, 13) == on_g13, "%s on G13", step->name);
      CHECK(survey_step_may_fault(step, 14) == elsewhere, "%s on G14", step->name);
   }
   return check_result();
}
