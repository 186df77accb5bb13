/* SPDX-License-Identifier: MIT
 *
 * An explanation as one JSON object. Times are in cycles; "modelled" is always true.
 */
#include "agx_runner/explain/explain.h"

#include <json-c/json.h>

#include "agx_runner/bands/bands.h"
#include "agx_runner/results/json_text.h"
#include "agx_runner/terminal/runner.h"

#define CYCLE ((double)VGPU_PROFILE_TICKS)

static struct json_object *cycles(uint64_t ticks)
{
   return json_object_new_double((double)ticks / CYCLE);
}

static struct json_object *findings_json(const struct explain *explain)
{
   struct json_object *list = json_object_new_array();

   for (unsigned i = 0; i < explain->finding_count; i++) {
      const struct explain_finding *finding = &explain->findings[i];
      struct json_object *object = json_object_new_object();

      json_object_object_add(object, "name", json_text(finding->name));
      json_object_object_add(object, "gain", json_object_new_double(finding->gain));
      json_object_object_add(object, "gain_is", json_text(finding->at_most ? "at most" : "simulated"));
      json_object_object_add(object, "of",
                             json_text(finding->per_thread ? "time for each thread" : "time of the launch"));
      json_object_object_add(object, "advice", json_text(finding->advice));
      json_object_object_add(object, "basis", json_text(finding->basis));
      json_object_object_add(object, "basis_text", json_text(finding->basis_text));
      json_object_array_add(list, object);
   }
   return list;
}

static struct json_object *row_json(const struct explain *explain, const struct vgpu_profile_row *row)
{
   struct json_object *object = json_object_new_object(), *stalls = json_object_new_object();
   char text[160];

   explain_instruction(explain, row->address, text, sizeof(text));
   json_object_object_add(object, "address", json_object_new_int64((int64_t)row->address));
   json_object_object_add(object, "instruction", json_text(text));
   const struct agx_line *line = explain_line(explain, row->address);
   if (line != NULL) {
      json_object_object_add(object, "line", json_object_new_int64(line->line));
      json_object_object_add(object, "file", json_text(agx_program_line_file(explain->program, line)));
      json_object_object_add(object, "line_inferred", json_object_new_boolean(line->inferred));
   }
   const char *operation = line != NULL ? agx_program_line_operation(explain->program, line) : NULL;
   if (operation != NULL) {
      json_object_object_add(object, "operation", json_text(operation));
   }
   json_object_object_add(object, "executions", json_object_new_int64((int64_t)row->executions));
   json_object_object_add(object, "active_lanes", json_object_new_double(row->lanes));
   json_object_object_add(object, "issue", cycles(row->issue));
   for (unsigned k = 0; k < VGPU_STALLS; k++) {
      json_object_object_add(stalls, explain_stall_names[k], cycles(row->stalls[k]));
   }
   json_object_object_add(object, "stalls", stalls);
   if (row->source_time > 0) {
      json_object_object_add(object, "waits_for", json_object_new_int64((int64_t)row->source));
   }
   return object;
}

static struct json_object *busy_json(const struct explain *explain)
{
   struct json_object *object = json_object_new_object();

   for (unsigned i = 0; i < VGPU_PROFILE_PIPES; i++) {
      json_object_object_add(object, explain_pipe_names[i], json_object_new_double(explain_pipe_use(explain, i)));
   }
   for (unsigned i = 0; i < VGPU_PROFILE_LEVELS; i++) {
      json_object_object_add(object, explain_level_names[i], json_object_new_double(explain_level_use(explain, i)));
   }
   return object;
}

/* Returns NULL, which is written as null, if no better order was found. */
static struct json_object *better_json(const struct explain *explain)
{
   struct json_object *object = explain->better[0] != '\0' ? json_object_new_object() : NULL;

   if (object != NULL) {
      json_object_object_add(object, "time_ns", json_object_new_double(explain->better_time));
      json_object_object_add(object, "time_before_ns", json_object_new_double(explain->time));
      json_object_object_add(object, "text", json_text(explain->better));
   }
   return object;
}

static struct json_object *rows_json(const struct explain *explain)
{
   struct json_object *list = json_object_new_array();

   for (size_t i = 0; i < explain->count; i++) {
      json_object_array_add(list, row_json(explain, &explain->rows[i]));
   }
   return list;
}

int explain_json(const struct explain *explain, FILE *file)
{
   const struct vgpu_profile_sum *sum = &explain->sum;
   struct json_object *object = json_object_new_object();

   json_object_object_add(object, "modelled", json_object_new_boolean(true));
   json_object_object_add(object, "device", json_text(explain->device));
   json_object_object_add(object, "kernel", json_text(agx_program_name(explain->program)));
   json_object_object_add(object, "cycles", cycles(explain_ticks(explain)));
   json_object_object_add(object, "simdgroups", json_object_new_int64((int64_t)sum->simds));
   json_object_object_add(object, "simdgroup_cycles", cycles(sum->simd_time));
   json_object_object_add(object, "cores", json_object_new_int64((int64_t)sum->cores));
   json_object_object_add(object, "cores_with_work", json_object_new_int64((int64_t)sum->busy_cores));
   json_object_object_add(object, "code_bytes", json_object_new_int64((int64_t)sum->code_bytes));
   json_object_object_add(object, "threadgroups", json_object_new_int64((int64_t)sum->groups));
   json_object_object_add(object, "threadgroups_at_a_time", json_object_new_int64((int64_t)sum->room));
   json_object_object_add(object, "occupancy_limit", json_text(explain_limit_names[sum->limit]));
   json_object_object_add(object, "half_registers", json_object_new_int64((int64_t)sum->half_registers));
   json_object_object_add(object, "next_half_registers", json_object_new_int64((int64_t)sum->next_half_registers));
   json_object_object_add(object, "active_lanes", json_object_new_double(explain_lanes(explain)));
   const struct error_band *band = error_band(explain_band(explain));
   if (band != NULL) {
      json_object_object_add(object, "error_of", json_text(band->group));
      json_object_object_add(object, "error_median_percent", json_object_new_double(band->median));
      json_object_object_add(object, "error_ninetieth_percent", json_object_new_double(band->ninetieth));
   }
   json_object_object_add(object, "findings", findings_json(explain));
   json_object_object_add(object, "busy", busy_json(explain));
   json_object_object_add(object, "instructions", rows_json(explain));
   if (explain->better != NULL) {
      json_object_object_add(object, "better_order", better_json(explain));
   }
   const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
   const int code =
       text == NULL || fprintf(file, "%s\n", text) < 0 ? complain(EXIT_FAILED, "cannot write the JSON") : EXIT_OK;

   json_object_put(object);
   return code;
}
