/* SPDX-License-Identifier: MIT
 *
 * Reads what asked.csv asks. Launches are answered by the model of commands alone (vgpu/timing/command/), to which
 * their published length is given: emulating a thousand loops of 100,000 turns would take minutes and add nothing.
 */
#include "agx_runner/correlate/ask.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/runner.h"
#include "vgpu/timing/command/command.h"

#define BARRIER_WORD 0x60000000u /* of the block in a control stream; the mask is below */
#define SLOTS (8.0 * 96) /* simdgroups of an M1 at once: a launch of one fills this part of it, of others less */
#define NS_IN_MS 1e6

/* "mix OPERATIONS ilp=1 simds=4": the operations' names may hold blanks. */
static int parse_mix(const char *text, struct ask *ask)
{
   static const char *const options[] = {" ilp=", " simds="};
   unsigned values[2] = {0};
   char operations[RESULT_NAME_MAX];
   const char *item = operations;
   const struct string_list list = {&item, 1};
   size_t end = strlen(text);

   for (unsigned i = 0; i < 2; i++) {
      const char *found = strstr(text, options[i]);

      if (found != NULL) {
         values[i] = (unsigned)strtoul(found + strlen(options[i]), NULL, 10);
         end = (size_t)(found - text) < end ? (size_t)(found - text) : end;
      }
   }
   snprintf(operations, sizeof(operations), "%.*s", (int)end, text);
   ask->count = 1;
   return selection_make_mixes(&ask->parts[0], &list, values[0], values[1]);
}

static int parse_run(const char *text, struct ask *ask)
{
   char names[2][RESULT_NAME_MAX] = {"", ""};
   const char *over = strstr(text, " over ");
   int code = EXIT_OK;

   snprintf(names[0], sizeof(names[0]), "%.*s", over != NULL ? (int)(over - text) : (int)strlen(text), text);
   snprintf(names[1], sizeof(names[1]), "%s", over != NULL ? over + strlen(" over ") : "");
   for (unsigned i = 0; code == EXIT_OK && i < 2 && names[i][0] != '\0'; i++) {
      const char *item = names[i];
      const struct string_list list = {&item, 1};

      code = selection_make(&ask->parts[ask->count++], &list, &(const struct selection_scope){0});
   }
   return code;
}

int ask_parse(const char *text, struct ask *ask)
{
   *ask = (struct ask){0};
   if (strncmp(text, "mix ", 4) == 0) {
      return parse_mix(text + 4, ask);
   }
   if (strncmp(text, "run ", 4) == 0) {
      return parse_run(text + 4, ask);
   }
   return strncmp(text, "launches ", 9) == 0
              ? EXIT_OK
              : complain(EXIT_INVALID, "'%s' is no question: expected \"mix ...\", \"run ...\" or \"launches ...\"",
                         text);
}

void ask_finish(struct ask *ask)
{
   for (unsigned i = 0; i < ask->count; i++) {
      selection_finish(&ask->parts[i]);
   }
}

double ask_launches(const char *text, const char *device)
{
   unsigned count, mask;
   double each;
   char chip[32], wake[8] = "";

   if (sscanf(text, "launches %u of %lf ms barrier %x %7s", &count, &each, &mask, wake) < 3 ||
       sscanf(device, "virtual:%31[^,]", chip) != 1 || vgpu_chip_find(chip) == NULL) {
      return NAN;
   }
   struct vgpu_params params;
   struct vgpu_command_time time;
   vgpu_params_init(&params, vgpu_chip_find(chip));
   const double cycles_in_ns = (double)vgpu_chip_find(chip)->clock_hz * 1e-9;
   vgpu_command_begin(&time, &params);
   for (unsigned i = 0; i < count; i++) {
      vgpu_command_launch(&time, (uint64_t)(each * NS_IN_MS * cycles_in_ns), 1 / SLOTS);
      vgpu_command_barrier(&time, BARRIER_WORD | mask);
   }
   vgpu_command_end(&time);
   const double woken =
       wake[0] != '\0' ? params.command[VGPU_COMMAND_POWER_UP] + params.command[VGPU_COMMAND_FIRMWARE] : 0;
   return (time.cycles / cycles_in_ns + time.fixed_ns + woken) / NS_IN_MS;
}

/* A number or x at *text, which moves behind it. */
static double operand(const char **text, double x)
{
   char *end;

   if (**text == 'x') {
      (*text)++;
      return x;
   }
   const double number = strtod(*text, &end);
   const bool whole = end != *text;
   *text = end;
   return whole ? number : NAN;
}

double ask_value(const char *text, double x)
{
   double value = operand(&text, x);

   while (*text != '\0') {
      const char operation = *text++;
      const double right = operand(&text, x);

      value = operation == '+'   ? value + right
              : operation == '-' ? value - right
              : operation == '*' ? value * right
              : operation == '/' ? value / right
                                 : NAN;
      if (isnan(value)) {
         return NAN;
      }
   }
   return value;
}
