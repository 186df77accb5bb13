/* SPDX-License-Identifier: MIT
 *
 * mesas: the Mesas whose drivers can compile, and why others cannot. Text and JSON are written from one list.
 */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/terminal/format.h"
#include "agx_runner/terminal/runner.h"
#include "compiler/api/compiler.h"
#include "drivers/find.h"
#include "util/array.h"
#include "util/text.h"

struct mesas_options {
   struct command_line line;
   uint32_t format; /* enum output_format */
};

static const struct output_offer mesas_offers[] = {{FORMAT_TEXT, NULL}, {FORMAT_JSON, NULL}};
static const struct output_formats mesas_formats = {mesas_offers, ARRAY_COUNT(mesas_offers), sizeof(mesas_offers[0])};

#define FIELD(member) .field = offsetof(struct mesas_options, member)
/* clang-format off */
static const struct option_row mesas_rows[] = {
   {OPTION(.letter = 'f', .name = "format", .metavar = "FORMAT", .kind = KIND_FORMAT, .formats = &mesas_formats,
           .initial = "text", .help = "text, or json"), FIELD(format)},
   {0},
};
/* clang-format on */
#undef FIELD

/* Only the compiler itself knows the version of its Mesa. */
static void describe_linked(struct mesa *mesa)
{
   const char *version = compiler_mesa_version();
   if (strcmp(version, "none") == 0) {
      snprintf(mesa->why, sizeof(mesa->why), "this agx-runner has no agx-compile");
   } else {
      snprintf(mesa->version, sizeof(mesa->version), "%s", version);
   }
}

/* "OpenCL, Vulkan"; the linked compiler has no driver. */
static void join_apis(const struct mesa *mesa, char *bytes, size_t size)
{
   struct util_text text = {bytes, size, 0};
   bytes[0] = '\0';
   for (unsigned api = 0; api < MESA_APIS; api++) {
      if (mesa->drivers[api][0] != '\0') {
         util_text_add(&text, "%s%s", text.length > 0 ? ", " : "", mesa_api_name(api));
      }
   }
}

static void print_text(const struct mesa *list, size_t count)
{
   for (size_t i = 0; i < count; i++) {
      const struct mesa *mesa = &list[i];
      char apis[64];
      join_apis(mesa, apis, sizeof(apis));
      printf("%-16s %-14s %-24s %s%s%s\n", mesa->name, mesa->version[0] != '\0' ? mesa->version : "-",
             apis[0] != '\0' ? apis : "-", mesa_kind_name(mesa->kind), mesa->path[0] != '\0' ? " " : "", mesa->path);
      if (mesa->why[0] != '\0') {
         printf("%-16s not usable: %s\n", "", mesa->why);
      }
   }
   printf("\n`ci/mesa-get sid` fetches the newest Mesa of Debian. --mesa and " MESA_VARIABLE
          " also take the folder of a Mesa that is built or installed.\n");
}

static void add(struct json_object *object, const char *name, const char *value)
{
   json_object_object_add(object, name, value[0] != '\0' ? json_object_new_string(value) : NULL);
}

static struct json_object *to_json(const struct mesa *mesa)
{
   struct json_object *object = json_object_new_object(), *drivers = json_object_new_object();
   add(object, "name", mesa->name);
   add(object, "kind", mesa_kind_name(mesa->kind));
   add(object, "path", mesa->path);
   add(object, "version", mesa->version);
   for (unsigned api = 0; api < MESA_APIS; api++) {
      add(drivers, mesa_api_name(api), mesa->drivers[api]);
   }
   json_object_object_add(object, "drivers", drivers);
   json_object_object_add(object, "usable", json_object_new_boolean(mesa->why[0] == '\0'));
   add(object, "why", mesa->why);
   return object;
}

static int print_json(const struct mesa *list, size_t count)
{
   struct json_object *array = json_object_new_array();
   for (size_t i = 0; i < count; i++) {
      json_object_array_add(array, to_json(&list[i]));
   }
   const char *text = json_object_to_json_string_ext(array, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
   const int code = text != NULL ? EXIT_OK : complain(EXIT_FAILED, "out of memory");
   if (text != NULL) {
      puts(text);
   }
   json_object_put(array);
   return code;
}

static int cmd_mesas(const void *data)
{
   const struct mesas_options *options = data;
   struct mesa *list;
   size_t count;
   int code = EXIT_OK;
   if (!mesa_list(&list, &count)) {
      return complain(EXIT_FAILED, "out of memory");
   }
   for (size_t i = 0; i < count; i++) {
      if (list[i].kind == MESA_LINKED) {
         describe_linked(&list[i]);
      }
   }
   if (options->format == FORMAT_JSON) {
      code = print_json(list, count);
   } else {
      print_text(list, count);
   }
   free(list);
   return code;
}

const struct command command_mesas = {
    .name = "mesas",
    .operands = "",
    .operands_min = 0,
    .operands_max = 0,
    .summary = "list the Mesas whose drivers can compile kernels, and why others cannot",
    .rows = mesas_rows,
    .size = sizeof(struct mesas_options),
    .run = cmd_mesas,
};
