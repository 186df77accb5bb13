/* SPDX-License-Identifier: MIT
 *
 * Reads runs and results from JSON. Missing keys stay empty: an older schema has fewer keys.
 */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/results/result.h"
#include "util/array.h"
#include "util/file.h"

#define FILE_MAX (1u << 30) /* bytes; no run is as large */
#define COUNT_MAX 1e18      /* limit for any count of a program */

/* Stores the first error. */
struct reader {
   char *message;
   size_t message_size;
   int error; /* 0, -EINVAL, -ENOMEM */
};

__attribute__((format(printf, 2, 3))) static void wrong(struct reader *reader, const char *format, ...)
{
   va_list arguments;

   if (reader->error == 0) {
      va_start(arguments, format);
      vsnprintf(reader->message, reader->message_size, format, arguments);
      va_end(arguments);
      reader->error = -EINVAL;
   }
}

/* NULL: missing, or null. */
static struct json_object *get(struct reader *reader, struct json_object *json, const char *key, enum json_type type)
{
   struct json_object *value = json_object_object_get(json, key);

   if (value == NULL || json_object_is_type(value, type) ||
       (type == json_type_double && json_object_is_type(value, json_type_int))) {
      return value;
   }
   wrong(reader, "'%s' is not of type %s", key, json_type_to_name(type));
   return NULL;
}

static void get_text(struct reader *reader, struct json_object *json, const char *key, char *text, size_t size)
{
   struct json_object *value = get(reader, json, key, json_type_string);

   snprintf(text, size, "%s", value != NULL ? json_object_get_string(value) : "");
}

/* free() releases it. NULL: missing, or out of memory, which reader->error then shows. */
static char *get_copy(struct reader *reader, struct json_object *json, const char *key)
{
   struct json_object *value = get(reader, json, key, json_type_string);
   char *copy = value != NULL ? strdup(json_object_get_string(value)) : NULL;

   if (value != NULL && copy == NULL && reader->error == 0) {
      reader->error = -ENOMEM;
   }
   return copy;
}

static double get_number(struct reader *reader, struct json_object *json, const char *key)
{
   struct json_object *value = get(reader, json, key, json_type_double);
   const double number = value != NULL ? json_object_get_double(value) : NAN;

   if (value != NULL && !isfinite(number)) { /* json-c accepts NaN, and 1e999 */
      wrong(reader, "'%s' is not a finite number", key);
   }
   return number;
}

static uint64_t get_integer(struct reader *reader, struct json_object *json, const char *key, uint64_t most)
{
   struct json_object *value = get(reader, json, key, json_type_int);

   if (value == NULL) {
      return 0;
   }
   if (json_object_get_int64(value) < 0 || json_object_get_uint64(value) > most) {
      wrong(reader, "'%s' is not a number from 0 to %" PRIu64, key, most);
   }
   return json_object_get_uint64(value);
}

/* Returns the index of the key's text among names; `fallback` if the key is missing. */
static unsigned get_choice(struct reader *reader, struct json_object *json, const char *key, const char *const *names,
                           unsigned count, unsigned fallback)
{
   struct json_object *value = get(reader, json, key, json_type_string);

   if (value == NULL) {
      return fallback;
   }
   for (unsigned i = 0; i < count; i++) {
      if (names[i] != NULL && !strcmp(names[i], json_object_get_string(value))) {
         return i;
      }
   }
   wrong(reader, "'%s' is '%s', which it cannot be", key, json_object_get_string(value));
   return fallback;
}

static void read_samples(struct reader *reader, struct json_object *json, double **into, size_t *into_count)
{
   struct json_object *samples = get(reader, json, "samples", json_type_array);
   const size_t count = samples != NULL ? json_object_array_length(samples) : 0;

   if (count == 0) {
      return;
   }
   double *read = calloc(count, sizeof(*read));
   if (read == NULL) {
      reader->error = -ENOMEM;
      return;
   }
   for (size_t i = 0; i < count; i++) {
      struct json_object *sample = json_object_array_get_idx(samples, i);

      if (!json_object_is_type(sample, json_type_double) && !json_object_is_type(sample, json_type_int)) {
         wrong(reader, "sample %zu is not a number", i);
      }
      read[i] = json_object_get_double(sample);
      if (!isfinite(read[i])) {
         wrong(reader, "sample %zu is not a finite number", i);
      }
   }
   *into = read;
   *into_count = count;
}

static void read_other_code(struct reader *reader, struct json_object *json, struct result_figure *figure)
{
   struct json_object *from = get(reader, json, "other_code", json_type_object);

   *figure = (struct result_figure){.value = NAN, .low = NAN, .high = NAN};
   if (from != NULL) {
      figure->value = get_number(reader, from, "value");
      figure->low = get_number(reader, from, "low");
      figure->high = get_number(reader, from, "high");
      read_samples(reader, from, &figure->samples, &figure->sample_count);
   }
}

static void read_times(struct reader *reader, struct json_object *json, struct result *result)
{
   struct json_object *times = get(reader, json, "nanoseconds", json_type_object);

   if (times == NULL || result->sample_count == 0) {
      return;
   }
   result->times = calloc(result->sample_count * RESULT_TIME_COUNT, sizeof(*result->times));
   if (result->times == NULL) {
      reader->error = -ENOMEM;
      return;
   }
   for (unsigned time = 0; time < RESULT_TIME_COUNT; time++) {
      struct json_object *samples = get(reader, times, result_time_names[time], json_type_array);

      if (samples != NULL && json_object_array_length(samples) != result->sample_count) {
         wrong(reader, "'%s' has not as many nanoseconds as there are samples", result_time_names[time]);
         return;
      }
      for (size_t i = 0; samples != NULL && i < result->sample_count; i++) {
         const double ns = json_object_get_double(json_object_array_get_idx(samples, i));

         if (!isfinite(ns) || ns < 0) {
            wrong(reader, "'%s' holds what is no time", result_time_names[time]);
            return;
         }
         result->times[i * RESULT_TIME_COUNT + time] = ns;
      }
   }
   const double operations = get_number(reader, times, "reference_operations");
   result->reference_operations = operations > 0 ? operations : 0; /* absent: NAN */
}

static uint64_t get_hash(struct reader *reader, struct json_object *json, const char *key)
{
   char hash[24];

   get_text(reader, json, key, hash, sizeof(hash));
   return strtoull(hash, NULL, 16);
}

static void read_program(struct reader *reader, struct json_object *json, struct program_stats *stats)
{
   struct json_object *program = get(reader, json, "program", json_type_object);

   stats->known = program != NULL;
   for (unsigned i = 0; program != NULL && i < PROGRAM_STAT_COUNT; i++) {
      const char *key = program_stat_infos[i].key;

      stats->values[i] = get_number(reader, program, key);
      if (stats->values[i] < 0 || stats->values[i] > COUNT_MAX) {
         wrong(reader, "'%s' is no count of a program", key);
      }
   }
   stats->mnemonics = program != NULL ? get_copy(reader, program, "mnemonics") : NULL;
}

static void read_energy(struct reader *reader, struct json_object *json, struct result_energy *energy)
{
   struct json_object *from = get(reader, json, "energy", json_type_object);

   if (from != NULL) {
      get_text(reader, from, "rail", energy->rail, sizeof(energy->rail));
      energy->joules = get_number(reader, from, "joules");
      energy->idle_w = get_number(reader, from, "idle_watts");
      energy->busy_w = get_number(reader, from, "busy_watts");
      energy->operations = get_number(reader, from, "operations");
      energy->dispatches = get_number(reader, from, "dispatches");
      energy->seconds = get_number(reader, from, "seconds");
      energy->busy_part = get_number(reader, from, "busy_part");
      energy->readings = (unsigned)get_integer(reader, from, "readings", UINT32_MAX);
   }
}

static void read_result(struct reader *reader, struct json_object *json, struct result *result)
{
   static const char *const checks[] = {[RESULT_CHECK_PASS] = "pass", [RESULT_CHECK_FAIL] = "fail"};
   static const char *const bounds[] = {"", "lower"};

   struct json_object *name = get(reader, json, "name", json_type_string);

   if (name != NULL && (size_t)json_object_get_string_len(name) >= sizeof(result->name)) {
      /* truncated, two names could become equal */
      wrong(reader, "a result's name has more than %zu bytes", sizeof(result->name) - 1);
   }
   get_text(reader, json, "name", result->name, sizeof(result->name));
   result->status = get_choice(reader, json, "status", result_status_names, RESULT_STATUS_COUNT, RESULT_FAIL);
   get_text(reader, json, "reason", result->reason, sizeof(result->reason));
   get_text(reader, json, "unit", result->unit, sizeof(result->unit));
   result->value = get_number(reader, json, "value");
   result->low = get_number(reader, json, "low");
   result->high = get_number(reader, json, "high");
   result->lower_bound = get_choice(reader, json, "bound", bounds, 2, 0) == 1;
   const double resolution = get_number(reader, json, "resolution");
   result->resolution = resolution > 0 ? resolution : 0; /* absent: NAN */
   read_samples(reader, json, &result->samples, &result->sample_count);
   read_other_code(reader, json, &result->other_code);
   read_times(reader, json, result);
   get_text(reader, json, "clock_states", result->clock_states, sizeof(result->clock_states));
   get_text(reader, json, "finding", result->finding, sizeof(result->finding));
   result->discarded = (unsigned)get_integer(reader, json, "discarded_samples", UINT32_MAX);
   struct json_object *reference = get(reader, json, "reference", json_type_object);
   if (reference != NULL) {
      result->reference = get_number(reader, reference, "value");
      get_text(reader, reference, "qualifier", result->reference_qualifier, sizeof(result->reference_qualifier));
      get_text(reader, reference, "source", result->reference_source, sizeof(result->reference_source));
      result->likeness = get_choice(reader, reference, "code", reference_likeness_names, REFERENCE_LIKENESS_COUNT, 0);
   }
   struct json_object *codegen = get(reader, json, "codegen", json_type_object);
   if (codegen != NULL) {
      get_text(reader, codegen, "instruction", result->instruction, sizeof(result->instruction));
      get_text(reader, codegen, "sequence", result->sequence, sizeof(result->sequence));
      result->expected = (unsigned)get_integer(reader, codegen, "expected", UINT32_MAX);
      result->found = (unsigned)get_integer(reader, codegen, "found", UINT32_MAX);
   }
   result->check = get_choice(reader, json, "check", checks, RESULT_CHECK_FAIL + 1, RESULT_CHECK_NONE);
   result->occupancy = (unsigned)get_integer(reader, json, "occupancy", UINT32_MAX);
   result->clock_hz = get_integer(reader, json, "clock_hz", UINT64_MAX);
   result->operating_point_hz = get_integer(reader, json, "operating_point_hz", UINT64_MAX);
   result->program_hash = get_hash(reader, json, "program_hash");
   result->source_hash = get_hash(reader, json, "source_hash");
   read_program(reader, json, &result->program);
   read_energy(reader, json, &result->energy);
   result->seconds = get_number(reader, json, "seconds");
   result->file = get_copy(reader, json, "file");
   result->output = get_copy(reader, json, "output");
   result->kernel_log = get_copy(reader, json, "kernel_log");
   if (result->name[0] == '\0') {
      wrong(reader, "a result has no name");
   }
}

static void read_device(struct reader *reader, struct json_object *json, struct asahi_device_info *device)
{
   static const char *const kinds[] = {"hardware", "virtual"};
   static const char *const classes[] = {
       [ASAHI_G13G] = "G13G", [ASAHI_G13X] = "G13X", [ASAHI_G14G] = "G14G", [ASAHI_G14X] = "G14X"};

   get_text(reader, json, "name", device->name, sizeof(device->name));
   get_text(reader, json, "disturbance", device->disturbance, sizeof(device->disturbance));
   get_text(reader, json, "chip", device->chip, sizeof(device->chip));
   get_text(reader, json, "path", device->path, sizeof(device->path));
   device->is_virtual = get_choice(reader, json, "kind", kinds, 2, 0) == 1;
   device->chip_class = get_choice(reader, json, "class", classes, ARRAY_COUNT(classes), ASAHI_G13G);
   device->revision = (uint32_t)get_integer(reader, json, "revision", UINT32_MAX);
   device->cores = (uint32_t)get_integer(reader, json, "cores", UINT32_MAX);
   device->dies = (uint32_t)get_integer(reader, json, "dies", UINT32_MAX);
   device->features = get_integer(reader, json, "features", UINT64_MAX);
   device->max_frequency_khz = (uint32_t)get_integer(reader, json, "max_frequency_khz", UINT32_MAX);
   device->clock_hz = get_integer(reader, json, "clock_hz", UINT64_MAX);
   struct json_object *points = get(reader, json, "operating_points_hz", json_type_array);
   for (size_t i = 0; points != NULL && i < json_object_array_length(points) && i < ASAHI_OPERATING_POINTS_MAX; i++) {
      struct json_object *point = json_object_array_get_idx(points, i);

      if (!json_object_is_type(point, json_type_int)) {
         wrong(reader, "operating_points_hz holds what is no number");
         break;
      }
      device->operating_points[device->operating_point_count++] = json_object_get_uint64(point);
   }
   asahi_info_derive(device);
}

static void read_environment(struct reader *reader, struct json_object *json, struct result_run *run)
{
   struct json_object *command = get(reader, json, "command_line", json_type_string);

   get_text(reader, json, "agx_runner", run->agx_runner, sizeof(run->agx_runner));
   get_text(reader, json, "program", run->program, sizeof(run->program));
   get_text(reader, json, "compiler", run->compiler, sizeof(run->compiler));
   get_text(reader, json, "commit", run->commit, sizeof(run->commit));
   get_text(reader, json, "mesa", run->mesa, sizeof(run->mesa));
   get_text(reader, json, "mesa_commit", run->mesa_commit, sizeof(run->mesa_commit));
   get_text(reader, json, "mesa_name", run->mesa_name, sizeof(run->mesa_name));
   get_text(reader, json, "mesa_debug", run->mesa_debug, sizeof(run->mesa_debug));
   get_text(reader, json, "kernel", run->kernel, sizeof(run->kernel));
   get_text(reader, json, "host", run->host, sizeof(run->host));
   get_text(reader, json, "time", run->time, sizeof(run->time));
   run->seed = get_integer(reader, json, "seed", UINT64_MAX);
   const double ffma = get_number(reader, json, "ffma_cycles");
   run->ffma_cycles = ffma > 0 ? ffma : 0; /* absent: NAN */
   run->command_line = strdup(command != NULL ? json_object_get_string(command) : "");
   if (run->command_line == NULL) {
      reader->error = -ENOMEM;
   }
}

/* Files of `piglit --format json` have no environment, and only answers. */
static void imply_check(struct result *result)
{
   if (result->status == RESULT_PASS || result->status == RESULT_FAIL) {
      result->check = result->status == RESULT_PASS ? RESULT_CHECK_PASS : RESULT_CHECK_FAIL;
   }
}

int result_from_line(const char *line, struct result *result, char *message, size_t message_size)
{
   struct reader reader = {message, message_size, 0};
   struct json_object *json = json_tokener_parse(line);

   result_init(result, "");
   if (!json_object_is_type(json, json_type_object)) {
      wrong(&reader, "not a JSON object");
   } else {
      read_result(&reader, json, result);
   }
   json_object_put(json);
   if (reader.error != 0) {
      result_finish(result);
   }
   return reader.error;
}

/* Reads everything of a run except its results. */
static void read_header(struct reader *reader, struct json_object *json, bool has_results, struct result_run *run)
{
   if (json_object_object_get(json, "schema") == NULL) {
      wrong(reader, "not a result file: no 'schema'");
      return;
   }
   const uint64_t schema = get_integer(reader, json, "schema", UINT32_MAX);
   if (schema == 0 || schema > RESULT_SCHEMA) {
      reader->error = 0; /* a newer schema may cause all other errors */
      wrong(reader, "schema %" PRIu64 ", and this agx-runner knows 1 to %d: use a newer one", schema, RESULT_SCHEMA);
      return;
   }
   struct json_object *device = get(reader, json, "device", json_type_object);
   struct json_object *environment = get(reader, json, "environment", json_type_object);
   if (device == NULL || !has_results) {
      wrong(reader, "'device' or 'results' is missing");
      return;
   }
   read_device(reader, device, &run->device);
   read_environment(reader, environment, run);
   for (size_t i = 0; environment == NULL && i < run->count; i++) {
      imply_check(&run->results[i]);
   }
}

/* ---- A file ----
 *
 * Building and freeing one tree of all values would take more time than everything else if there are many results. So
 * json-c parses the members of the outermost object one by one, and those of `results` each. */

struct document {
   struct reader *reader;
   struct json_tokener *tokener;
   const char *text;
   size_t size, at; /* bytes */
   bool has_results;
};

static bool not_json(struct document *document, const char *why)
{
   document->reader->error = 0; /* it explains all earlier errors */
   wrong(document->reader, "not JSON: %s at byte %zu%s", why, document->at,
         document->size > 0 && document->text[0] != '{' ? " (run writes a result file with --format json)" : "");
   return false;
}

/* Consumes the next character if it is `wanted`. */
static bool take(struct document *document, char wanted)
{
   while (document->at < document->size && memchr(" \t\r\n", document->text[document->at], 4) != NULL) {
      document->at++;
   }
   const bool there = document->at < document->size && document->text[document->at] == wanted;
   document->at += there;
   return there;
}

/* These functions return false if the text is no JSON. */
static bool expect(struct document *document, char wanted)
{
   return take(document, wanted) ||
          not_json(document, document->at < document->size ? "unexpected character" : "unexpected end of data");
}

/* The caller releases *json with json_object_put(). */
static bool parse_value(struct document *document, struct json_object **json)
{
   const size_t left = document->size + 1 - document->at; /* including the zero, which ends a number */

   json_tokener_reset(document->tokener);
   *json = json_tokener_parse_ex(document->tokener, document->text + document->at, (int)left);
   const enum json_tokener_error error = json_tokener_get_error(document->tokener);
   document->at += json_tokener_get_parse_end(document->tokener);
   return error == json_tokener_success || not_json(document, json_tokener_error_desc(error));
}

static bool parse_result(struct document *document, struct result_run *run)
{
   struct json_object *json;
   const bool is_json = parse_value(document, &json);

   /* After an error, the rest is only searched for the schema. */
   if (is_json && document->reader->error == 0) {
      struct result *result = result_add(run, "");

      if (result == NULL) {
         document->reader->error = -ENOMEM;
      } else if (json_object_is_type(json, json_type_object)) {
         read_result(document->reader, json, result);
      } else {
         wrong(document->reader, "a result is not of type object");
      }
   }
   json_object_put(json);
   return is_json;
}

static bool parse_results(struct document *document, struct result_run *run)
{
   bool is_json = true, more;

   if (document->has_results) {
      wrong(document->reader, "'results' is there twice");
   }
   document->has_results = true;
   if (take(document, ']')) {
      return true;
   }
   do {
      is_json = parse_result(document, run);
      more = is_json && take(document, ',');
   } while (more);
   return is_json && expect(document, ']');
}

static bool parse_member(struct document *document, struct json_object *header, struct result_run *run)
{
   struct json_object *key, *value;
   bool is_json = parse_value(document, &key);

   if (is_json && !json_object_is_type(key, json_type_string)) {
      is_json = not_json(document, "object property name expected");
   }
   is_json = is_json && expect(document, ':');
   if (is_json && !strcmp(json_object_get_string(key), "results") && take(document, '[')) {
      is_json = parse_results(document, run);
   } else if (is_json) {
      is_json = parse_value(document, &value);
      if (json_object_object_add(header, json_object_get_string(key), value) < 0) {
         document->reader->error = -ENOMEM;
      }
   }
   json_object_put(key);
   return is_json;
}

static void parse_document(struct document *document, struct json_object *header, struct result_run *run)
{
   bool is_json = true;

   if (!take(document, '{')) {
      struct json_object *other;

      if (parse_value(document, &other)) {
         wrong(document->reader, "not a result file: no 'schema'");
      }
      json_object_put(other);
      return;
   }
   if (!take(document, '}')) {
      do {
         is_json = parse_member(document, header, run);
      } while (is_json && take(document, ','));
      is_json = is_json && expect(document, '}');
   }
   (void)take(document, '\n');
   if (is_json && document->at < document->size) {
      is_json = not_json(document, "something follows the end");
   }
   if (is_json && document->reader->error != -ENOMEM) {
      read_header(document->reader, header, document->has_results, run);
   }
}

int result_run_parse(const char *text, size_t size, struct result_run *run, char *message, size_t message_size)
{
   struct reader reader = {message, message_size, 0};
   struct document document = {.reader = &reader, .tokener = json_tokener_new(), .text = text, .size = size};
   struct json_object *header = json_object_new_object();

   *run = (struct result_run){0};
   if (document.tokener == NULL || header == NULL) {
      reader.error = -ENOMEM;
   } else {
      parse_document(&document, header, run);
   }
   json_object_put(header);
   if (document.tokener != NULL) {
      json_tokener_free(document.tokener);
   }
   if (reader.error != 0) {
      result_run_finish(run);
   }
   return reader.error;
}

/* Reads the whole file, and appends a zero. */
static int read_file(const char *path, char **text, size_t *size)
{
   FILE *file = fopen(path, "rbe");
   if (file == NULL) {
      return -errno;
   }
   const int ret = util_read_stream(file, FILE_MAX, text, size);
   fclose(file);
   return ret;
}

int result_run_load(const char *path, struct result_run *run, char *message, size_t message_size)
{
   char *text = NULL;
   size_t size = 0;
   int ret = read_file(path, &text, &size);

   if (ret == 0) {
      ret = result_run_parse(text, size, run, message, message_size);
   } else {
      *run = (struct result_run){0};
      snprintf(message, message_size, "%s", strerror(-ret));
   }
   free(text);
   return ret;
}
