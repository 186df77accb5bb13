/* SPDX-License-Identifier: MIT
 *
 * Reads what drivers/layer has kept. Invariant: a file that names no source beside it, or another version, is refused;
 * lines that are not known are of a newer layer, and change nothing.
 */
#include "agx_runner/driver/built.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/program/kernel_file.h"
#include "agx_runner/terminal/runner.h"
#include "drivers/host/records.h"
#include "util/text.h"

#define FIRST_LINE "agx-built 1\n"
#define WORD 256u

/* The rest of the first line that begins with the word, in `value`; false: there is none. */
static bool find(const char *text, const char *word, char *value, size_t size)
{
   const size_t length = strlen(word);
   for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
      line += *line == '\n';
      if (strncmp(line, word, length) == 0 && line[length] == ' ') {
         snprintf(value, size, "%.*s", (int)strcspn(line + length + 1, "\n"), line + length + 1);
         return true;
      }
   }
   return false;
}

static int read_source(const char *built_path, const char *name, struct driver_built *built)
{
   const char *slash = strrchr(built_path, '/');
   char *path = NULL;
   if (name[0] == '\0' || strchr(name, '/') != NULL) {
      return complain(EXIT_INVALID, "%s: its source '%s' is no file beside it", built_path, name);
   }
   if (asprintf(&path, "%.*s%s", slash != NULL ? (int)(slash - built_path) + 1 : 0, built_path, name) < 0) {
      return complain(EXIT_FAILED, "out of memory");
   }
   const int code = file_read(path, &built->data, &built->size);
   free(path);
   return code;
}

static int read_text(const char *path, struct driver_built *built)
{
   uint8_t *bytes = NULL;
   size_t size;
   const int code = file_read(path, &bytes, &size);
   if (code != EXIT_OK) {
      return code;
   }
   built->text = strndup((const char *)bytes, size);
   free(bytes);
   if (built->text == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   return strncmp(built->text, FIRST_LINE, strlen(FIRST_LINE)) == 0
              ? EXIT_OK
              : complain(EXIT_INVALID, "%s: it does not begin with 'agx-built 1': no file of --collect", path);
}

int driver_built_read(const char *path, struct driver_built *built)
{
   char api[WORD] = "", name[WORD] = "", stage[WORD] = "";
   *built = (struct driver_built){.size = 0};
   const int code = read_text(path, built);
   if (code != EXIT_OK) {
      return code;
   }
   (void)find(built->text, "api", api, sizeof(api));
   (void)find(built->text, "source", name, sizeof(name));
   (void)find(built->text, "stage", stage, sizeof(stage));
   const bool vulkan = strcmp(api, "vulkan") == 0;
   built->api = vulkan ? MESA_VULKAN : MESA_OPENCL;
   built->language = vulkan ? HOST_SPIRV_SHADER : util_has_suffix(name, ".cl") ? HOST_OPENCL_C : HOST_SPIRV_KERNEL;
   if (vulkan && strcmp(stage, "compute") != 0) {
      return complain(EXIT_INVALID, "%s: of stage '%s'; compute shaders alone are compiled again", path, stage);
   }
   return read_source(path, name, built);
}

void driver_built_finish(struct driver_built *built)
{
   free(built->text);
   free(built->data);
   *built = (struct driver_built){.size = 0};
}

/* Writes the record that a line asks for, or takes its value into `pipeline`. */
static void write_line(const char *line, struct host_pipeline *pipeline, FILE *file)
{
   struct host_bits bits = {.id = 0};
   struct host_binding binding;
   struct host_push push;
   if (sscanf(line, "constant %" SCNu32 " %" SCNu32 " 0x%" SCNx64, &bits.id, &bits.bytes, &bits.bits) == 3) {
      host_record_write(file, HOST_BITS, 0, &bits, sizeof(bits));
   } else if (sscanf(line, "binding %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32, &binding.set, &binding.binding,
                     &binding.type, &binding.count) == 4) {
      host_record_write(file, HOST_BINDING, 0, &binding, sizeof(binding));
   } else if (sscanf(line, "push %" SCNu32 " %" SCNu32, &push.offset, &push.size) == 2) {
      host_record_write(file, HOST_PUSH, 0, &push, sizeof(push));
   } else {
      (void)sscanf(line, "robustness %" SCNu32 " %" SCNu32 " %" SCNu32, &pipeline->storage, &pipeline->uniform,
                   &pipeline->images);
      (void)sscanf(line, "subgroup %" SCNu32, &pipeline->subgroup);
      (void)sscanf(line, "flags %" SCNu32, &pipeline->flags);
   }
}

static void write_options(const char *text, FILE *file)
{
   char *options = strdup(text);
   if (options != NULL && find(text, "options", options, strlen(options) + 1)) {
      host_record_write_text(file, HOST_OPTIONS, 0, options);
   }
   free(options);
}

void driver_built_write(const char *text, enum mesa_api api, const char *options, FILE *file)
{
   struct host_pipeline pipeline = {.storage = 0};
   if (api == MESA_OPENCL) {
      if (options == NULL) {
         write_options(text, file);
      }
      return;
   }
   (void)find(text, "entry", pipeline.entry, sizeof(pipeline.entry));
   for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
      line += *line == '\n';
      write_line(line, &pipeline, file);
   }
   host_record_write(file, HOST_PIPELINE, 0, &pipeline, sizeof(pipeline));
}
