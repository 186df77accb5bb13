/* SPDX-License-Identifier: MIT
 *
 * Reads what a host shall compile.
 */
#include "agx_runner/driver/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/driver/built.h"
#include "agx_runner/driver/glsl.h"
#include "agx_runner/program/kernel_file.h"
#include "agx_runner/terminal/runner.h"
#include "compiler/refusal/file_kind.h"
#include "util/text.h"

/* The capabilities that SPIR-V of Vulkan and of OpenCL declare. */
#define OP_CAPABILITY 17u
#define CAPABILITY_SHADER 1u

static bool is_shader(const uint8_t *data, size_t size)
{
   uint32_t words[2];
   for (size_t at = 5 * sizeof(uint32_t); at + sizeof(words) <= size; at += (words[0] >> 16) * sizeof(uint32_t)) {
      memcpy(words, data + at, sizeof(words));
      if (words[0] == (2u << 16 | OP_CAPABILITY) && words[1] == CAPABILITY_SHADER) {
         return true;
      }
      if (words[0] >> 16 == 0) {
         return false;
      }
   }
   return false;
}

static int read_file(struct driver_source *source, enum shader_api api)
{
   if (util_has_suffix(source->path, DRIVER_BUILT_SUFFIX)) {
      struct driver_built built;
      const int code = driver_built_read(source->path, &built);
      if (code != EXIT_OK) {
         driver_built_finish(&built);
         return code;
      }
      source->built = built.text; /* driver_source_finish() releases both */
      source->data = built.data;
      source->size = built.size;
      source->api = built.api;
      source->language = built.language;
      return EXIT_OK;
   }
   if (api == SHADER_OPENGL) {
      source->language = HOST_GLSL;
      source->api = MESA_OPENGL;
      return util_has_suffix(source->path, ".comp") || util_has_suffix(source->path, ".glsl")
                 ? file_read(source->path, &source->data, &source->size)
                 : complain(EXIT_INVALID, "--api opengl: %s is no compute shader in GLSL (NAME.comp, CS_HASH.glsl)",
                            source->path);
   }
   if (util_has_suffix(source->path, ".comp")) {
      source->language = HOST_SPIRV_SHADER;
      source->api = MESA_VULKAN;
      return driver_glsl_compile(source->path, &source->data, &source->size);
   }
   const int code = file_read(source->path, &source->data, &source->size);
   if (code == EXIT_OK && !file_kind_is_spirv(source->data, source->size)) {
      source->language = HOST_OPENCL_C;
      source->api = MESA_OPENCL;
   } else if (code == EXIT_OK) {
      const bool shader = is_shader(source->data, source->size);
      source->language = shader ? HOST_SPIRV_SHADER : HOST_SPIRV_KERNEL;
      source->api = shader ? MESA_VULKAN : MESA_OPENCL;
   }
   return code;
}

int driver_source_read(struct driver_source *source, const char *path, const struct program_settings *settings,
                       const char *options)
{
   const char *which = settings->mesa;
   *source = (struct driver_source){.path = path, .options = options, .constants = &settings->constants};
   mesa_describe(which, &source->mesa);
   if (source->mesa.why[0] != '\0') {
      return complain(EXIT_INVALID, "--mesa %s: %s", which, source->mesa.why);
   }
   const int code = read_file(source, settings->api);
   if (code != EXIT_OK) {
      return code;
   }
   if (source->mesa.drivers[source->api][0] == '\0') {
      return complain(EXIT_INVALID, "--mesa %s: it has no %s driver for Apple GPUs, which %s needs: %s", which,
                      mesa_api_name(source->api), path, source->mesa.path);
   }
   if (source->api != MESA_VULKAN && settings->constants.count > 0) {
      return complain(EXIT_INVALID, "--spec %s: %s has no specialization constants, which are SPIR-V's of Vulkan",
                      settings->constants.items[0], path);
   }
   return EXIT_OK;
}

void driver_source_finish(struct driver_source *source)
{
   free(source->built);
   free(source->data);
   *source = (struct driver_source){.size = 0};
}

/* "3=64", "0=1.5". */
static int write_constants(const struct driver_source *source, FILE *file)
{
   for (size_t i = 0; i < source->constants->count; i++) {
      const char *text = source->constants->items[i], *value = strchr(text, '=');
      struct host_specialization constant = {.id = 0};
      char number[16], *end;
      uint64_t id = 0;
      snprintf(number, sizeof(number), "%.*s", value != NULL ? (int)(value - text) : 0, text);
      if (value == NULL || value[1] == '\0' || !number_parse(number, 0, UINT32_MAX, &id)) {
         return complain(EXIT_INVALID, "--spec %s: expected ID=NUMBER, as 3=64", text);
      }
      constant.id = (uint32_t)id;
      errno = 0;
      constant.integer = value[1] == '-' ? strtoll(value + 1, &end, 0) : (int64_t)strtoull(value + 1, &end, 0);
      if (*end != '\0') {
         constant.is_float = 1;
         constant.number = strtod(value + 1, &end);
      }
      if (*end != '\0' || errno != 0) {
         return complain(EXIT_INVALID, "--spec %s: '%s' is no number", text, value + 1);
      }
      host_record_write(file, HOST_SPECIALIZE, 0, &constant, sizeof(constant));
   }
   return EXIT_OK;
}

int driver_source_request(const struct driver_source *source, const char *jobs, struct driver_request *request)
{
   const int code = driver_request_start(request);
   if (code != EXIT_OK) {
      return code;
   }
   host_record_write(request->file, HOST_SOURCE, source->language, source->data, source->size);
   if (source->options != NULL) {
      host_record_write_text(request->file, HOST_OPTIONS, 0, source->options);
   }
   if (jobs != NULL) {
      host_record_write_text(request->file, HOST_JOBS, 0, jobs);
   }
   if (source->built != NULL) {
      driver_built_write(source->built, source->api, source->options, request->file);
   }
   return write_constants(source, request->file);
}
