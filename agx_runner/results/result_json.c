/* SPDX-License-Identifier: MIT
 *
 * Writes a run as JSON, schema 2. Invariant: when memory runs out, the writer fails as a whole; no object lacks a
 * member.
 */
#include "agx_runner/results/result.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "agx_runner/bands/bands.h"
#include "agx_runner/results/json_text.h"

/* json-c returns NULL both for "null" and when out of memory, so failures are recorded here. */
struct writer {
   bool failed;
};

static struct json_object *keep(struct writer *writer, struct json_object *object)
{
   writer->failed |= object == NULL;
   return object;
}

static void add(struct writer *writer, struct json_object *object, const char *key, struct json_object *value)
{
   if (object == NULL || json_object_object_add(object, key, value) < 0) {
      writer->failed = true;
      json_object_put(value);
   }
}

static void add_string(struct writer *writer, struct json_object *object, const char *key, const char *value)
{
   add(writer, object, key, keep(writer, json_text(value)));
}

static void add_integer(struct writer *writer, struct json_object *object, const char *key, uint64_t value)
{
   add(writer, object, key, keep(writer, json_object_new_uint64(value)));
}

/* NAN becomes null, because JSON has no such number. Nine digits are more than a clock of nanoseconds can give. */
static struct json_object *number(struct writer *writer, double value)
{
   char text[32];

   if (!isfinite(value)) {
      return NULL;
   }
   snprintf(text, sizeof(text), "%.9g", value);
   return keep(writer, json_object_new_double_s(value, text));
}

static struct json_object *object(struct writer *writer)
{
   return keep(writer, json_object_new_object());
}

static struct json_object *write_points(struct writer *writer, const struct asahi_device_info *device)
{
   struct json_object *json = keep(writer, json_object_new_array());

   for (uint32_t i = 0; json != NULL && i < device->operating_point_count; i++) {
      struct json_object *point = keep(writer, json_object_new_uint64(device->operating_points[i]));

      if (json_object_array_add(json, point) < 0) {
         writer->failed = true;
         json_object_put(point);
      }
   }
   return json;
}

static struct json_object *write_device(struct writer *writer, const struct asahi_device_info *device)
{
   static const char *const classes[] = {
       [ASAHI_G13G] = "G13G", [ASAHI_G13X] = "G13X", [ASAHI_G14G] = "G14G", [ASAHI_G14X] = "G14X"};
   struct json_object *json = object(writer);

   add_string(writer, json, "name", device->name);
   add_string(writer, json, "kind", device->is_virtual ? "virtual" : "hardware");
   add(writer, json, "note", device->is_virtual ? keep(writer, json_object_new_string(RESULT_VIRTUAL_NOTE)) : NULL);
   add(writer, json, "disturbance",
       device->disturbance[0] != '\0' ? keep(writer, json_object_new_string(device->disturbance)) : NULL);
   add_string(writer, json, "chip", device->chip);
   add_string(writer, json, "class", classes[device->chip_class]);
   add_string(writer, json, "path", device->path);
   add_integer(writer, json, "revision", device->revision);
   add_integer(writer, json, "dies", device->dies);
   add_integer(writer, json, "cores", device->cores);
   add_integer(writer, json, "features", device->features);
   add_integer(writer, json, "max_frequency_khz", device->max_frequency_khz);
   add(writer, json, "clock_hz", device->clock_hz != 0 ? keep(writer, json_object_new_uint64(device->clock_hz)) : NULL);
   if (device->operating_point_count > 0) {
      add(writer, json, "operating_points_hz", write_points(writer, device));
   }
   return json;
}

static struct json_object *write_environment(struct writer *writer, const struct result_run *run)
{
   struct json_object *json = object(writer);

   add_string(writer, json, "agx_runner", run->agx_runner);
   if (run->program[0] != '\0') {
      add_string(writer, json, "program", run->program);
   }
   if (run->compiler[0] != '\0') {
      add_string(writer, json, "compiler", run->compiler);
   }
   add_string(writer, json, "commit", run->commit);
   add_string(writer, json, "mesa", run->mesa);
   add_string(writer, json, "mesa_commit", run->mesa_commit);
   if (run->mesa_name[0] != '\0') {
      add_string(writer, json, "mesa_name", run->mesa_name);
   }
   add_string(writer, json, "mesa_debug", run->mesa_debug);
   add_string(writer, json, "kernel", run->kernel);
   add_string(writer, json, "host", run->host);
   add_string(writer, json, "time", run->time);
   add_string(writer, json, "command_line", run->command_line);
   add_integer(writer, json, "seed", run->seed);
   if (run->ffma_cycles > 0) {
      add(writer, json, "ffma_cycles", number(writer, run->ffma_cycles));
   }
   return json;
}

static struct json_object *write_samples(struct writer *writer, const double *samples, size_t count)
{
   struct json_object *json = keep(writer, json_object_new_array());

   for (size_t i = 0; json != NULL && i < count; i++) {
      struct json_object *sample = number(writer, samples[i]);

      if (json_object_array_add(json, sample) < 0) {
         writer->failed = true;
         json_object_put(sample);
      }
   }
   return json;
}

/* Writes the nanoseconds of each sample by what was timed. */
static struct json_object *write_times(struct writer *writer, const struct result *result)
{
   struct json_object *json = object(writer);

   for (unsigned time = 0; time < RESULT_TIME_COUNT; time++) {
      struct json_object *samples = result->times[time] > 0 ? keep(writer, json_object_new_array()) : NULL;

      for (size_t i = 0; samples != NULL && i < result->sample_count; i++) {
         struct json_object *sample = number(writer, result->times[i * RESULT_TIME_COUNT + time]);

         if (json_object_array_add(samples, sample) < 0) {
            writer->failed = true;
            json_object_put(sample);
         }
      }
      if (samples != NULL) {
         add(writer, json, result_time_names[time], samples);
      }
   }
   if (result->reference_operations > 0) {
      add(writer, json, "reference_operations", number(writer, result->reference_operations));
   }
   return json;
}

static struct json_object *write_other_code(struct writer *writer, const struct result_figure *figure)
{
   struct json_object *json = object(writer);

   add(writer, json, "value", number(writer, figure->value));
   add(writer, json, "low", number(writer, figure->low));
   add(writer, json, "high", number(writer, figure->high));
   add(writer, json, "samples", write_samples(writer, figure->samples, figure->sample_count));
   return json;
}

static struct json_object *write_reference(struct writer *writer, const struct result *result)
{
   if (isnan(result->reference)) {
      return NULL;
   }
   struct json_object *json = object(writer);
   add(writer, json, "value", number(writer, result->reference));
   add_string(writer, json, "qualifier", result->reference_qualifier);
   add_string(writer, json, "source", result->reference_source);
   add_string(writer, json, "code", reference_likeness_names[result->likeness]);
   return json;
}

static struct json_object *write_codegen(struct writer *writer, const struct result *result)
{
   if (result->instruction[0] == '\0') {
      return NULL;
   }
   struct json_object *json = object(writer);
   add_string(writer, json, "instruction", result->instruction);
   add(writer, json, "sequence",
       result->sequence[0] != '\0' ? keep(writer, json_object_new_string(result->sequence)) : NULL);
   add_integer(writer, json, "expected", result->expected);
   add_integer(writer, json, "found", result->found);
   return json;
}

static struct json_object *write_check(struct writer *writer, enum result_check check)
{
   static const char *const names[] = {[RESULT_CHECK_PASS] = "pass", [RESULT_CHECK_FAIL] = "fail"};

   return check == RESULT_CHECK_NONE ? NULL : keep(writer, json_object_new_string(names[check]));
}

static struct json_object *write_hash(struct writer *writer, uint64_t hash)
{
   char text[20];

   if (hash == 0) {
      return NULL;
   }
   snprintf(text, sizeof(text), "%016" PRIx64, hash);
   return keep(writer, json_object_new_string(text));
}

static struct json_object *write_program(struct writer *writer, const struct program_stats *stats)
{
   if (!stats->known) {
      return NULL;
   }
   struct json_object *json = object(writer);
   for (unsigned i = 0; i < PROGRAM_STAT_COUNT; i++) {
      add(writer, json, program_stat_infos[i].key, number(writer, stats->values[i]));
   }
   if (stats->mnemonics != NULL) {
      add_string(writer, json, "mnemonics", stats->mnemonics);
   }
   return json;
}

/* Writes watts and joules; a reader can compute picojoules an operation from them. */
static struct json_object *write_energy(struct writer *writer, const struct result_energy *energy)
{
   struct json_object *json = object(writer);

   add_string(writer, json, "rail", energy->rail);
   add(writer, json, "joules", number(writer, energy->joules));
   add(writer, json, "picojoules_an_operation", number(writer, 1e12 * energy->joules / energy->operations));
   add(writer, json, "idle_watts", number(writer, energy->idle_w));
   add(writer, json, "busy_watts", number(writer, energy->busy_w));
   add(writer, json, "operations", number(writer, energy->operations));
   add(writer, json, "dispatches", number(writer, energy->dispatches));
   add(writer, json, "seconds", number(writer, energy->seconds));
   add(writer, json, "busy_part", number(writer, energy->busy_part));
   add_integer(writer, json, "readings", energy->readings);
   add_integer(writer, json, "interval_ms", RESULT_ENERGY_INTERVAL_MS);
   return json;
}

/* A key that most results lack. */
static void add_text(struct writer *writer, struct json_object *json, const char *key, const char *text)
{
   if (text != NULL) {
      add_string(writer, json, key, text);
   }
}

/* The band of a figure of a virtual device; NULL: it has none. */
static struct json_object *write_band(struct writer *writer, const struct result_run *run, const struct result *result)
{
   struct result_band band;

   if (!result_band(run, result, &band)) {
      return NULL;
   }
   struct json_object *json = object(writer);
   add_string(writer, json, "kind", band.errors->group);
   add_string(writer, json, "role", band.errors->role);
   add_integer(writer, json, "figures", band.errors->figures);
   add(writer, json, "median_percent", number(writer, band.errors->median));
   add(writer, json, "ninetieth_percent", number(writer, band.errors->ninetieth));
   add(writer, json, "low", number(writer, band.low));
   add(writer, json, "high", isinf(band.high) ? NULL : number(writer, band.high));
   return json;
}

static struct json_object *write_result(struct writer *writer, const struct result *result)
{
   struct json_object *json = object(writer);

   add_string(writer, json, "name", result->name);
   add_string(writer, json, "status", result_status_names[result->status]);
   add_string(writer, json, "reason", result->reason);
   add_string(writer, json, "unit", result->unit);
   add(writer, json, "value", number(writer, result->value));
   add(writer, json, "low", number(writer, result->low));
   add(writer, json, "high", number(writer, result->high));
   if (result->lower_bound) {
      add_string(writer, json, "bound", "lower");
   }
   if (result->resolution > 0) {
      add(writer, json, "resolution", number(writer, result->resolution));
   }
   add(writer, json, "samples", write_samples(writer, result->samples, result->sample_count));
   if (!isnan(result->other_code.value)) {
      add(writer, json, "other_code", write_other_code(writer, &result->other_code));
   }
   if (result->times != NULL && result->sample_count > 0) {
      add(writer, json, "nanoseconds", write_times(writer, result));
   }
   if (result->discarded > 0) {
      add_integer(writer, json, "discarded_samples", result->discarded);
   }
   if (result->clock_states[0] != '\0') {
      add_string(writer, json, "clock_states", result->clock_states);
   }
   if (result->finding[0] != '\0') {
      add_string(writer, json, "finding", result->finding);
   }
   if (result->energy.rail[0] != '\0') {
      add(writer, json, "energy", write_energy(writer, &result->energy));
   }
   add(writer, json, "reference", write_reference(writer, result));
   add(writer, json, "codegen", write_codegen(writer, result));
   add(writer, json, "check", write_check(writer, result->check));
   add_integer(writer, json, "occupancy", result->occupancy);
   add(writer, json, "clock_hz", result->clock_hz != 0 ? keep(writer, json_object_new_uint64(result->clock_hz)) : NULL);
   if (result->operating_point_hz != 0) {
      add(writer, json, "operating_point_hz", keep(writer, json_object_new_uint64(result->operating_point_hz)));
   }
   add(writer, json, "program_hash", write_hash(writer, result->program_hash));
   add(writer, json, "source_hash", write_hash(writer, result->source_hash));
   add(writer, json, "program", write_program(writer, &result->program));
   add(writer, json, "seconds", number(writer, result->seconds));
   add_text(writer, json, "file", result->file);
   add_text(writer, json, "output", result->output);
   add_text(writer, json, "kernel_log", result->kernel_log);
   return json;
}

char *result_to_line(const struct result *result)
{
   struct writer writer = {false};
   struct json_object *json = write_result(&writer, result);
   const char *text =
       writer.failed ? NULL
                     : json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
   char *line = text != NULL ? strdup(text) : NULL;

   json_object_put(json);
   return line;
}

int result_write_json(const struct result_run *run, FILE *file)
{
   struct writer writer = {false};
   struct json_object *json = object(&writer);
   struct json_object *results = keep(&writer, json_object_new_array());

   add_integer(&writer, json, "schema", RESULT_SCHEMA);
   add(&writer, json, "device", write_device(&writer, &run->device));
   add(&writer, json, "environment", write_environment(&writer, run));
   for (size_t i = 0; results != NULL && i < run->count; i++) {
      struct json_object *result = write_result(&writer, &run->results[i]);
      struct json_object *band = write_band(&writer, run, &run->results[i]);

      if (band != NULL) {
         add(&writer, result, "band", band);
      }
      if (json_object_array_add(results, result) < 0) {
         writer.failed = true;
         json_object_put(result);
      }
   }
   add(&writer, json, "results", results);
   const char *text =
       writer.failed ? NULL
                     : json_object_to_json_string_ext(json, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
   if (text != NULL) {
      fprintf(file, "%s\n", text);
   }
   json_object_put(json);
   return text == NULL ? -ENOMEM : 0;
}
