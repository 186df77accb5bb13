/* SPDX-License-Identifier: MIT
 *
 * A session as one JSON object: docs/piglit.md describes it.
 */
#include "agx_runner/piglit/session.h"

#include <errno.h>
#include <json-c/json.h>

struct writer {
   struct json_object *results;
   bool no_memory;
};

/* Takes ownership of `value`. */
static void add(struct writer *writer, struct json_object *object, const char *key, struct json_object *value)
{
   if (object == NULL || value == NULL || json_object_object_add(object, key, value) < 0) {
      json_object_put(value);
      writer->no_memory = true;
   }
}

static void add_string(struct writer *writer, struct json_object *object, const char *key, const char *value)
{
   add(writer, object, key, json_object_new_string(value));
}

static void add_count(struct writer *writer, struct json_object *object, const char *key, size_t value)
{
   add(writer, object, key, json_object_new_int64((int64_t)value));
}

static void add_record(void *data, const struct piglit_record *record)
{
   static const char *const verdicts[] = {
       [PIGLIT_EXPECTED] = "expected",
       [PIGLIT_FLAKE] = "flake",
       [PIGLIT_IMPROVED] = "improved",
       [PIGLIT_UNEXPECTED] = "unexpected",
   };
   struct writer *writer = data;
   struct json_object *object = json_object_new_object();

   add_string(writer, object, "name", record->name);
   add_string(writer, object, "file", record->file->path);
   add_string(writer, object, "status", piglit_status_name(record->status));
   add_string(writer, object, "reason", record->reason);
   add_string(writer, object, "verdict", verdicts[record->verdict]);
   if (json_object_array_add(writer->results, object) < 0) {
      json_object_put(object);
      writer->no_memory = true;
   }
}

static struct json_object *device_object(struct writer *writer, const struct asahi_device_info *info)
{
   struct json_object *device = json_object_new_object();

   add_string(writer, device, "name", info->name);
   add_string(writer, device, "kind", info->is_virtual ? "virtual" : "hardware");
   add_string(writer, device, "chip", info->chip);
   add_string(writer, device, "path", info->path);
   return device;
}

static struct json_object *totals_object(struct writer *writer, const struct piglit_totals *totals)
{
   struct json_object *object = json_object_new_object();

   add_count(writer, object, "files", totals->files);
   add_count(writer, object, "tests", totals->tests);
   for (unsigned i = 0; i < PIGLIT_STATUSES; i++) {
      add_count(writer, object, piglit_status_name(i), totals->status[i]);
   }
   add_count(writer, object, "unexpected", totals->unexpected);
   add_count(writer, object, "improved", totals->improved);
   add_count(writer, object, "flaky", totals->flaky);
   return object;
}

int piglit_write_json(const struct piglit_session *session, FILE *out)
{
   struct writer writer = {.results = json_object_new_array()};
   struct json_object *root = json_object_new_object();
   struct piglit_totals totals;

   add_count(&writer, root, "schema", 1);
   add(&writer, root, "device", device_object(&writer, &session->device));
   add(&writer, root, "seconds", json_object_new_double(session->seconds));
   if (piglit_session_count(session, &totals) < 0 || writer.results == NULL) {
      writer.no_memory = true;
      json_object_put(writer.results);
   } else {
      add(&writer, root, "totals", totals_object(&writer, &totals));
      writer.no_memory |= piglit_session_each(session, add_record, &writer) < 0;
      add(&writer, root, "results", writer.results);
   }
   const char *text = writer.no_memory ? NULL : json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY);
   if (text != NULL) {
      fprintf(out, "%s\n", text);
   }
   json_object_put(root);
   return text != NULL ? 0 : -ENOMEM;
}
