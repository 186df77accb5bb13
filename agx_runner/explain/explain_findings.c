/* SPDX-License-Identifier: MIT
 *
 * The findings of a profile, by the causes of explain_causes.c. Invariant: each gain is what the model gives for the
 * same work with that change. A finding comes before another with a larger gain only if its row says that it is the
 * cause of the other.
 */
#include "agx_runner/explain/explain_causes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

#define LEAST_GAIN 0.01

/* ---- The line with the most ---- */

struct heaviest {
   const struct explain *explain;
   explain_weight *weight;
   struct line_weight {
      const struct agx_line *line;
      double weight;
   } lines[64];
   unsigned count;
};

static void add_line(void *data, const struct explain_instruction *instruction)
{
   struct heaviest *heaviest = data;
   const struct agx_line *line = explain_line(heaviest->explain, instruction->row->address);
   const double add = heaviest->weight(instruction);

   if (line == NULL || add <= 0) {
      return;
   }
   for (unsigned i = 0; i < heaviest->count; i++) {
      if (heaviest->lines[i].line->line == line->line && heaviest->lines[i].line->file == line->file) {
         heaviest->lines[i].weight += add;
         return;
      }
   }
   if (heaviest->count < ARRAY_COUNT(heaviest->lines)) {
      heaviest->lines[heaviest->count++] = (struct line_weight){line, add};
   }
}

/* Writes "line 12: ", or nothing. */
static void name_line(const struct explain *explain, explain_weight *by, char *text, size_t size)
{
   struct heaviest heaviest = {.explain = explain, .weight = by};
   const struct line_weight *most = NULL;

   text[0] = '\0';
   if (by != NULL) {
      explain_each_instruction(explain, add_line, &heaviest);
   }
   for (unsigned i = 0; i < heaviest.count; i++) {
      most = most == NULL || heaviest.lines[i].weight > most->weight ? &heaviest.lines[i] : most;
   }
   if (most != NULL && explain_line_is_own(explain, most->line)) {
      snprintf(text, size, "line %" PRIu32 ": ", most->line->line);
   } else if (most != NULL) {
      const char *file = agx_program_line_file(explain->program, most->line), *slash = strrchr(file, '/');

      snprintf(text, size, "line %" PRIu32 " of %.40s: ", most->line->line, slash != NULL ? slash + 1 : file);
   }
}

/* ---- Findings ---- */

static double gain_of(const struct explain *explain, uint64_t ticks)
{
   return ticks > 0 ? 1 - (double)ticks / (double)explain_ticks(explain) : 0;
}

/* The launch takes at least as long as the atomics on one word. */
static uint64_t ticks_of(const struct explain *explain, enum vgpu_what_if what)
{
   const struct vgpu_profile_sum *sum = &explain->sum;
   const bool bounded = what != VGPU_WHAT_IF_ATOMICS && sum->atomic_ticks > sum->what_if[what];

   return sum->what_if[what] == 0 ? 0 : bounded ? sum->atomic_ticks : sum->what_if[what];
}

static struct explain_finding *add(struct explain *explain, const char *name, double gain)
{
   struct explain_finding *finding = &explain->findings[explain->finding_count];

   if (gain < LEAST_GAIN) {
      return NULL;
   }
   explain->finding_count++;
   *finding = (struct explain_finding){.gain = gain, .rank = gain};
   snprintf(finding->name, sizeof(finding->name), "%s", name);
   return finding;
}

static void add_kind(struct explain *explain, enum vgpu_what_if what, struct explain_finding **by_what)
{
   const struct explain_cause *kind = &explain_causes[what];
   const bool idle = what == VGPU_WHAT_IF_FULL && explain->sum.busy_cores < explain->sum.cores;
   struct explain_finding *finding =
       add(explain, idle ? "idle cores" : kind->name, gain_of(explain, ticks_of(explain, what)));
   char line[80], text[240] = "";

   by_what[what] = finding;
   if (finding == NULL) {
      return;
   }
   finding->at_most = kind->at_most;
   finding->per_thread = kind->per_thread;
   name_line(explain, kind->weight, line, sizeof(line));
   if (kind->describe != NULL) {
      kind->describe(explain, text, sizeof(text));
   }
   snprintf(finding->advice, sizeof(finding->advice), "%s%s%s", line, text, kind->advice);
   explain_find_basis(explain, what, finding);
}

/* Advice for an operation. */
static const struct {
   const char *operation, *advice;
} cheaper[] = {
    {"64-bit division",
     "divide 32-bit integers where values fit, or multiply by the reciprocal of a divisor that stays"},
    {"64-bit remainder", "use 32-bit integers where values fit, or subtract instead of dividing again"},
    {"64-bit multiplication", "multiply 32-bit integers where values fit"},
    {"integer division", "divide by a constant, shift by a power of two, or count up instead of dividing"},
    {"integer remainder", "divide by a constant, mask by a power of two, or count up instead of dividing"},
    {"division", "multiply by the reciprocal of what stays, or use native_divide"},
    {"sincos", "use native_sin and native_cos where their accuracy is enough"},
    {"pow", "multiply for a constant exponent, or use native_powr where its accuracy is enough"},
};

static const char *cheaper_than(const char *operation)
{
   for (size_t i = 0; i < ARRAY_COUNT(cheaper); i++) {
      if (strcmp(cheaper[i].operation, operation) == 0) {
         return cheaper[i].advice;
      }
   }
   return "use a cheaper form of it (native_, half_), or call it less often";
}

#define OPERATION_BEFORE                                                                                               \
   (EXPLAIN_WAITING | EXPLAIN_BIT(COMPLEX) | EXPLAIN_BIT(WIDE) | EXPLAIN_BIT(CROSS) | EXPLAIN_BIT(FETCH) |             \
    EXPLAIN_BIT(LANES))
#define OPERATION_WORTH 0.4

static void add_parts(struct explain *explain, struct explain_finding **parts)
{
   for (unsigned i = 0; i < VGPU_PROFILE_PARTS; i++) {
      const struct explain_part *part = &explain->parts[i];
      const uint64_t ticks = part->name != NULL ? explain->sum.parts[i] : 0;
      char name[48];

      if (part->name == NULL) {
         continue;
      }
      snprintf(name, sizeof(name), "costly %.36s", part->name);
      parts[i] = add(explain, name, gain_of(explain, ticks));
      if (parts[i] != NULL) {
         parts[i]->at_most = true;
         explain_find_basis(explain, VGPU_WHAT_IFS, parts[i]);
         snprintf(parts[i]->advice, sizeof(parts[i]->advice), "line %" PRIu32 "%s: %s: simulated without it",
                  part->line->line, part->lines > 1 ? " and others" : "", cheaper_than(part->name));
      }
   }
}

static struct explain_finding *add_attribute(struct explain *explain)
{
   struct explain_finding *finding =
       add(explain, "no reqd_work_group_size", explain->attribute_time > 0 ? 1 - explain->attribute_time : 0);

   if (finding != NULL) {
      explain_find_basis(explain, VGPU_WHAT_IF_OCCUPANCY, finding);
      snprintf(finding->advice, sizeof(finding->advice),
               "give the kernel the attribute reqd_work_group_size with its %" PRIu32
               " threads: without it the compiler "
               "leaves registers for threadgroups of %d threads. Compiled and simulated with it: %" PRIu64
               " half registers instead of %" PRIu64 "%s",
               explain->group_threads, EXPLAIN_DEFAULT_THREADS, explain->attribute_registers,
               explain->sum.half_registers, explain->attribute_spills ? "" : ", and nothing is spilled");
   }
   return finding;
}

/* Puts the finding before those of the given what-ifs: always before waiting, and for occupancy before pipes; before
 * others unless they gain more than twice as much. */
static void put_before(struct explain_finding *finding, struct explain_finding *const *by_what, unsigned before)
{
   const unsigned always = EXPLAIN_WAITING | (finding == by_what[VGPU_WHAT_IF_OCCUPANCY] ? EXPLAIN_PIPES : 0);

   for (unsigned what = 0; what < VGPU_WHAT_IFS; what++) {
      if (before >> what & 1 && by_what[what] != NULL && by_what[what] != finding &&
          by_what[what]->rank >= finding->rank && (always >> what & 1 || finding->gain * 2 >= by_what[what]->gain)) {
         finding->rank = nextafter(by_what[what]->rank, 2);
      }
   }
}

static int by_rank(const void *a, const void *b)
{
   const double x = ((const struct explain_finding *)a)->rank, y = ((const struct explain_finding *)b)->rank;

   return (x < y) - (x > y);
}

void explain_find(struct explain *explain)
{
   struct explain_finding *by_what[VGPU_WHAT_IFS] = {NULL}, *parts[VGPU_PROFILE_PARTS] = {NULL};

   explain->finding_count = 0;
   for (unsigned what = 0; what < VGPU_WHAT_IFS; what++) {
      add_kind(explain, (enum vgpu_what_if)what, by_what);
   }
   add_parts(explain, parts);
   struct explain_finding *attribute = add_attribute(explain);
   for (unsigned what = 0; what < VGPU_WHAT_IFS; what++) {
      if (by_what[what] != NULL && by_what[what]->gain >= explain_causes[what].worth) {
         put_before(by_what[what], by_what, explain_causes[what].before);
      }
   }
   for (unsigned i = 0; i < VGPU_PROFILE_PARTS; i++) {
      if (parts[i] != NULL && parts[i]->gain >= OPERATION_WORTH) {
         put_before(parts[i], by_what, OPERATION_BEFORE);
      }
   }
   if (attribute != NULL && attribute->gain >= explain_causes[VGPU_WHAT_IF_OCCUPANCY].worth) {
      put_before(attribute, by_what, EXPLAIN_BIT(SPILLS) | explain_causes[VGPU_WHAT_IF_SPILLS].before);
   }
   qsort(explain->findings, explain->finding_count, sizeof(explain->findings[0]), by_rank);
}

void explain_gain(const struct explain_finding *finding, char *text, size_t size)
{
   snprintf(text, size, "%s%.1f %% less time%s", finding->at_most ? "at most " : "", 100 * finding->gain,
            finding->per_thread ? " for each thread" : "");
}
