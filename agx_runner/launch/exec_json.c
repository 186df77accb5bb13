/* SPDX-License-Identifier: MIT
 *
 * exec --format json: one object with what text shows, and all elements of the buffers.
 */
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agx_runner/launch/exec.h"
#include "agx_runner/terminal/runner.h"
#include "drivers/host/formats.h"

/* When out of memory, something is left out, which the caller's last check of the stream cannot detect: so it is
 * recorded here. */
struct writer {
   bool failed;
};

static void add(struct writer *writer, struct json_object *object, const char *name, struct json_object *value)
{
   if (value == NULL || json_object_object_add(object, name, value) != 0) {
      writer->failed = true;
   }
}

static void append(struct writer *writer, struct json_object *array, struct json_object *value)
{
   if (value == NULL || json_object_array_add(array, value) != 0) {
      writer->failed = true;
   }
}

/* JSON has no infinities and no NaN: they are strings. */
static struct json_object *element(const struct element_type *type, const uint8_t *bytes)
{
   char text[ELEMENT_TEXT_MAX];
   uint64_t value = 0;

   element_print(type, bytes, text);
   if (type->kind == ELEMENT_FLOAT) {
      const double number = element_value(type, bytes);
      return isfinite(number) ? json_object_new_double_s(number, text) : json_object_new_string(text);
   }
   for (unsigned i = 0; i < type->size; i++) {
      value |= (uint64_t)bytes[i] << 8 * i;
   }
   const unsigned unused = 64 - type->size * 8;
   return type->kind == ELEMENT_SIGNED ? json_object_new_int64((int64_t)(value << unused) >> unused)
                                       : json_object_new_uint64(value);
}

static struct json_object *elements(struct writer *writer, const struct exec_argument *argument)
{
   const uint8_t *data = exec_bytes(argument);
   struct json_object *array = json_object_new_array();

   for (size_t i = 0; array != NULL && i < argument->count; i++) {
      append(writer, array, element(argument->type, data + i * argument->type->size));
   }
   return array;
}

static struct json_object *sizes(struct writer *writer, const uint32_t size[3])
{
   struct json_object *array = json_object_new_array();

   for (unsigned i = 0; array != NULL && i < 3; i++) {
      append(writer, array, json_object_new_uint64(size[i]));
   }
   return array;
}

static struct json_object *buffer(struct writer *writer, const struct exec *exec, size_t index)
{
   const struct exec_argument *argument = &exec->arguments[index];
   struct json_object *object = json_object_new_object();

   if (object == NULL) {
      return NULL;
   }
   add(writer, object, "argument", json_object_new_uint64(index));
   add(writer, object, "name", json_object_new_string(exec->program->arguments[index].name));
   add(writer, object, "type", json_object_new_string(argument->type->name));
   if (exec->program->arguments[index].kind == AGX_ARGUMENT_IMAGE) {
      add(writer, object, "format", json_object_new_string(host_format(argument->image.format)->name));
      add(writer, object, "size", sizes(writer, argument->image.size));
   }
   add(writer, object, "count", json_object_new_uint64(argument->count));
   add(writer, object, "values", elements(writer, argument));
   if (argument->expected != NULL) {
      add(writer, object, "different", json_object_new_uint64(argument->different));
   }
   return object;
}

int exec_write_json(const struct exec *exec, const struct asahi_device_info *info, const char *virtual_note,
                    const double *times, int code)
{
   struct writer writer = {.failed = false};
   struct json_object *root = json_object_new_object(), *buffers = json_object_new_array(),
                      *list = json_object_new_array();

   if (root == NULL || buffers == NULL || list == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   for (uint32_t i = 0; i < exec->settings->repeat; i++) {
      append(&writer, list, times[i] > 0 ? json_object_new_double(times[i]) : json_object_new_int(0));
   }
   for (size_t i = 0; i < exec->program->argument_count; i++) {
      if (exec_bytes(&exec->arguments[i]) != NULL && exec_is_shown(exec, i)) {
         append(&writer, buffers, buffer(&writer, exec, i));
      }
   }
   add(&writer, root, "device", json_object_new_string(info->path));
   add(&writer, root, "device_kind", json_object_new_string(info->is_virtual ? virtual_note : "hardware"));
   add(&writer, root, "kernel", json_object_new_string(agx_program_name(exec->program)));
   add(&writer, root, "grid", sizes(&writer, exec->grid));
   add(&writer, root, "group", sizes(&writer, exec->group));
   add(&writer, root, "times_ns", list);
   add(&writer, root, "buffers", buffers);
   add(&writer, root, "exit_status", json_object_new_int(code));
   const char *text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
   if (text == NULL || writer.failed) {
      code = complain(EXIT_FAILED, "out of memory");
   } else {
      puts(text);
   }
   json_object_put(root);
   return code;
}
