/* SPDX-License-Identifier: MIT
 *
 * Compiles the shaders of a script. Invariant: what the script does not give, and what a driver does not offer, is a
 * skip; what a driver refuses without naming a missing feature is a failure.
 */
#include "agx_runner/driver/tests/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/driver/glsl.h"
#include "agx_runner/terminal/runner.h"

int built_request(const struct built *built, const struct script *script, const struct piglit_run *run,
                  struct driver_request *request)
{
   const int code = driver_source_request(&built->source, NULL, request);

   if (code != EXIT_OK) {
      return code;
   }
   if (run->timeout_ns > 0) {
      host_record_write(request->file, HOST_LIMIT, (uint32_t)(run->timeout_ns / 1000000000) + 1, "", 0);
   }
   for (size_t i = 0; i < script->extension_count; i++) {
      host_record_write_text(request->file, HOST_REQUIRE, 0, script->extensions[i]);
   }
   return EXIT_OK;
}

/* ---- The source ---- */

static enum piglit_status read_source(struct built *built, const struct script *script, size_t pipeline,
                                      const char *mesa, char *reason)
{
   const struct script_pipeline *from = &script->pipelines[pipeline];
   const struct script_shader *shader = &script->shaders[from->shader];
   const bool opengl = script->api == SCRIPT_OPENGL;
   struct driver_source *source = &built->source;

   *source = (struct driver_source){.path = script->path,
                                    .constants = &built->constants,
                                    .language = opengl ? HOST_GLSL : HOST_SPIRV_SHADER,
                                    .api = opengl ? MESA_OPENGL : MESA_VULKAN};
   mesa_describe(mesa, &source->mesa);
   if (source->mesa.drivers[source->api][0] == '\0') {
      snprintf(reason, PIGLIT_REASON, "%s: Mesa '%s' has no %s driver for Apple GPUs", script->path, mesa,
               mesa_api_name(source->api));
      return PIGLIT_SKIP;
   }
   for (size_t i = 0; i < from->constant_count; i++) {
      if (!string_list_add(&built->constants, from->constants[i])) {
         snprintf(reason, PIGLIT_REASON, "%s: out of memory", script->path);
         return PIGLIT_FAIL;
      }
   }
   if (opengl) {
      source->data = (uint8_t *)strdup(shader->text);
      source->size = strlen(shader->text);
      return source->data != NULL ? PIGLIT_PASS : PIGLIT_FAIL;
   }
   const struct driver_text text = {.path = script->path,
                                    .text = shader->text,
                                    .assembly = shader->language == SCRIPT_SPIRV_ASSEMBLY,
                                    .environment = shader->environment};
   return driver_text_compile(&text, &source->data, &source->size, reason, PIGLIT_REASON) == 0 ? PIGLIT_PASS
                                                                                               : PIGLIT_FAIL;
}

/* ---- Facts ---- */

/* The driver's refusal, and the first line of its log, which names the source as HOST_SOURCE_NAME. */
static void say_refusal(const struct driver_kernels *kernels, const struct script *script, char *reason)
{
   const char *log = kernels->log != NULL ? strstr(kernels->log, HOST_SOURCE_NAME ":") : NULL;

   if (log != NULL) {
      log += strlen(HOST_SOURCE_NAME);
      snprintf(reason, PIGLIT_REASON, "%s%.*s", script->path, (int)strcspn(log, "\n"), log);
   } else {
      snprintf(reason, PIGLIT_REASON, "%s: %s", script->path,
               kernels->refusal != NULL ? kernels->refusal : "the driver's answer has no shader");
   }
}

enum piglit_status built_make(struct built *built, const struct script *script, size_t pipeline,
                              const struct piglit_run *run, char *reason, bool *refused)
{
   struct driver_request request;
   enum piglit_status status = read_source(built, script, pipeline, run->mesa, reason);

   *refused = false;
   built->made = true;
   if (status != PIGLIT_PASS) {
      return status;
   }
   const bool ran =
       built_request(built, script, run, &request) == EXIT_OK &&
       driver_host_run(&built->source.mesa, built->source.api, run->device_name, &request, &built->answer) == EXIT_OK;
   driver_request_finish(&request);
   if (!ran) {
      snprintf(reason, PIGLIT_REASON, "%s: the driver crashed or did not end, or its host did not run", script->path);
      return PIGLIT_CRASH;
   }
   if (!driver_kernels_read(&built->answer.records, &built->kernels)) {
      snprintf(reason, PIGLIT_REASON, "%s: out of memory", script->path);
      return PIGLIT_FAIL;
   }
   if (built->kernels.refusal != NULL || built->kernels.count == 0) {
      say_refusal(&built->kernels, script, reason);
      *refused = built->kernels.refusal != NULL && built->kernels.refused == HOST_NO_BUILD;
      return built->kernels.refusal != NULL && built->kernels.refused == HOST_NO_FEATURE ? PIGLIT_SKIP : PIGLIT_FAIL;
   }
   built->kernel = &built->kernels.list[0];
   built->memories = calloc(built->kernel->facts->parameters + 1, sizeof(*built->memories));
   return built->memories != NULL ? PIGLIT_PASS : PIGLIT_FAIL;
}

void built_finish(struct built *built)
{
   free(built->memories);
   driver_kernels_finish(&built->kernels);
   driver_answer_finish(&built->answer);
   driver_source_finish(&built->source);
   string_list_finish(&built->constants);
   *built = (struct built){.made = false};
}

/* ---- Parameters ---- */

static const struct script_binding *find(const struct script_pipeline *pipeline, enum script_place_kind kind,
                                         const char *name, unsigned number)
{
   for (size_t i = 0; i < pipeline->binding_count; i++) {
      const struct script_binding *binding = &pipeline->bindings[i];
      if (binding->kind == kind &&
          (kind == PLACE_NAME ? strcmp(binding->name, name) == 0 : binding->number == number)) {
         return binding;
      }
   }
   return NULL;
}

/* The unit of an image or a texture: the value of its uniform, or the one that the shader declares. */
static unsigned unit_of(const struct contents *contents, const struct script_pipeline *pipeline,
                        const struct host_parameter *parameter)
{
   const struct script_binding *value = find(pipeline, PLACE_NAME, parameter->name, 0);
   uint32_t unit = parameter->binding;

   if (value != NULL && contents->list[value->memory].size == sizeof(unit)) {
      memcpy(&unit, contents->list[value->memory].bytes, sizeof(unit));
   }
   return unit;
}

static const struct script_binding *place_of(const struct contents *contents, const struct script_pipeline *pipeline,
                                             const struct host_parameter *parameter)
{
   const bool opengl = contents->script->api == SCRIPT_OPENGL;

   if (!opengl || parameter->kind == HOST_VALUE) {
      return find(pipeline, PLACE_NAME, parameter->name, 0);
   }
   if (parameter->kind == HOST_IMAGE) {
      return find(pipeline, parameter->read_only ? PLACE_TEXTURE : PLACE_IMAGE, "",
                  unit_of(contents, pipeline, parameter));
   }
   const bool counters = strncmp(parameter->name, "counters", 8) == 0;
   return find(pipeline,
               counters               ? PLACE_COUNTERS
               : parameter->read_only ? PLACE_UNIFORMS
                                      : PLACE_STORAGE,
               "", parameter->binding);
}

/* Whether another parameter has that memory: each would have a copy of its own. */
static bool is_taken(const struct built *built, uint32_t count, size_t memory)
{
   for (uint32_t i = 0; i < count; i++) {
      if (built->memories[i] == memory) {
         return true;
      }
   }
   return false;
}

static const char *parameter_problem(const struct built *built, const struct contents *contents, uint32_t index,
                                     const struct script_binding *binding)
{
   const struct host_parameter *parameter = built->kernel->parameters[index].facts;

   if (binding == NULL) {
      return "is not given by the test";
   }
   const struct content *content = &contents->list[binding->memory];
   if (content->size == 0) {
      return "has no size in the test";
   }
   if (parameter->kind == HOST_VALUE && contents->script->api == SCRIPT_OPENGL && content->size != parameter->size) {
      return "has another size in the shader than in the test";
   }
   if (parameter->kind == HOST_IMAGE && parameter->shape != HOST_2D) {
      return "is no image of two dimensions";
   }
   return is_taken(built, index, binding->memory) ? "is another argument, too" : NULL;
}

enum piglit_status built_resolve(struct built *built, const struct contents *contents, size_t pipeline, unsigned line,
                                 char *reason)
{
   for (uint32_t i = 0; i < built->kernel->facts->parameters; i++) {
      const struct host_parameter *parameter = built->kernel->parameters[i].facts;
      const struct script_binding *binding = place_of(contents, &contents->script->pipelines[pipeline], parameter);
      const bool zero = binding == NULL && parameter->kind == HOST_VALUE;
      const char *problem = zero ? NULL : parameter_problem(built, contents, i, binding);
      if (problem != NULL) {
         snprintf(reason, PIGLIT_REASON, "%s:%u: the shader's argument '%s' %s", contents->script->path, line,
                  parameter->name, problem);
         return PIGLIT_SKIP;
      }
      built->memories[i] = zero ? BUILT_NO_MEMORY : binding->memory;
   }
   return PIGLIT_PASS;
}
