/* SPDX-License-Identifier: MIT
 *
 * SPIR-V modules: validated, then compiled kernel by kernel. Mesa gets only modules that SPIRV-Tools' validator
 * accepts.
 */
#include "compiler/spirv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/clc/clc_helpers.h"
#include "compiler/spirv/spirv.h"
#include "util/macros.h"

#include "compiler/kernel.h"
#include "compiler/mesa.h"
#include "compiler/passes/debug_info.h"
#include "compiler/api/pending.h"
#include "compiler/api/result.h"
#include "compiler/api/stage.h"
#include "compiler/api/wire.h"

#define SPIRV_MAGIC 0x07230203u
#define SPIRV_MAGIC_SWAPPED 0x03022307u
#define SPIRV_HEADER_WORDS 5

static void log_message(void *result, const char *message)
{
   compiler_log(result, "%s", message);
}

/* Replaces absolute paths of debug information by the name that the user gave. */
static void name_as_given(const char *name, struct refusal *why)
{
   const char *tail = strncmp(name, "./", 2) == 0 ? name + 2 : name;
   const size_t length = strlen(why->file), wanted = strlen(tail);

   if (length > wanted && why->file[length - wanted - 1] == '/' && strcmp(why->file + length - wanted, tail) == 0) {
      snprintf(why->file, sizeof(why->file), "%s", name);
   }
}

/* Compiles one kernel to a program or a refusal. Returns 0 or -ENOMEM. */
static int compile_kernel(const char *name, const uint32_t *words, size_t count, const struct clc_kernel_info *info,
                          const struct compiler_options *options, struct compiler_result *result)
{
   size_t from = strlen(result->log);

   result->why = (struct refusal){0};
   compiler_stage_kernel(info->name);
   int ret = compiler_kernel(words, count, info, options, result);
   if (ret == -ENOSPC) {
      compiler_set_second_try(true);
      ret = compiler_kernel(words, count, info, options, result);
      compiler_set_second_try(false);
   }
   if (ret != -EINVAL) {
      return ret;
   }
   name_as_given(name, &result->why);
   compiler_log_refusal(result, name);
   return compiler_result_refuse(result, info->name, from);
}

/* clang makes a kernel of each block that is enqueued: "__k_block_invoke_kernel". It is refused with the kernel. */
static bool is_block(const char *kernel)
{
   return strncmp(kernel, "__", 2) == 0 && strstr(kernel, "_block_invoke") != NULL;
}

static bool is_wanted(const struct clc_kernel_info *kernel, const struct compiler_options *options)
{
   return options->kernel == NULL ? !is_block(kernel->name) : !strcmp(kernel->name, options->kernel);
}

static unsigned count_wanted(const struct clc_parsed_spirv *module, const struct compiler_options *options)
{
   unsigned wanted = 0;

   for (unsigned i = 0; i < module->num_kernels; i++) {
      wanted += is_wanted(&module->kernels[i], options);
   }
   return wanted;
}

static int report_no_kernel(const char *name, const struct clc_parsed_spirv *module,
                            const struct compiler_options *options, struct compiler_result *result)
{
   char names[REFUSAL_WHAT / 2] = "";

   if (module->num_kernels == 0) {
      compiler_refuse(result, REFUSAL_SOURCE, "there is no kernel in it");
   } else {
      for (unsigned i = 0; i < module->num_kernels; i++) {
         const size_t used = strlen(names);

         snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "", module->kernels[i].name);
      }
      compiler_refuse(result, REFUSAL_REQUEST, "no kernel is called '%s'; there %s %s%s", options->kernel,
                      module->num_kernels == 1 ? "is" : "are", names, strlen(names) + 1 == sizeof(names) ? "..." : "");
   }
   compiler_log_refusal(result, name);
   return -EINVAL;
}

/* Makes the wanted kernels the result's pending ones. Returns 0 or -ENOMEM. */
static int postpone(const uint32_t *words, size_t count, const struct clc_parsed_spirv *module,
                    const struct compiler_options *options, struct compiler_result *result)
{
   struct compiler_pending *pending = &result->pending;
   int ret = 0;

   pending->words = malloc(count * sizeof(*words));
   if (pending->words == NULL) {
      return -ENOMEM;
   }
   memcpy(pending->words, words, count * sizeof(*words));
   pending->count = count;
   for (unsigned i = 0; i < module->num_kernels && ret == 0; i++) {
      if (is_wanted(&module->kernels[i], options)) {
         ret = compiler_result_add_pending(result, module->kernels[i].name);
      }
   }
   return ret;
}

static int compile_parsed(const char *name, const uint32_t *words, size_t count, const struct clc_parsed_spirv *module,
                          const struct compiler_options *options, bool split, struct compiler_result *result)
{
   const unsigned wanted = count_wanted(module, options);
   int ret = 0;

   if (wanted == 0) {
      return report_no_kernel(name, module, options, result);
   }
   if (split && wanted > 1) {
      return compiler_conclude(postpone(words, count, module, options, result), result);
   }
   for (unsigned i = 0; i < module->num_kernels && ret == 0; i++) {
      if (is_wanted(&module->kernels[i], options)) {
         ret = compile_kernel(name, words, count, &module->kernels[i], options, result);
      }
   }
   return compiler_conclude(ret, result);
}

int compiler_spirv_kernels(const char *name, const uint32_t *words, size_t count,
                           const struct compiler_options *options, bool split, struct compiler_result *result)
{
   const struct clc_logger logger = {.priv = result, .error = log_message, .warning = log_message};
   const struct clc_binary binary = {.data = (void *)(uintptr_t)words, .size = count * sizeof(*words)};
   struct clc_parsed_spirv module = {0};

   if (compiler_libclc() == NULL) {
      compiler_refuse(result, REFUSAL_SOURCE,
                      "libclc (spirv64-mesa3d-.spv) cannot be read: is the package libclc installed?");
      compiler_log_refusal(result, name);
      return -EINVAL;
   }
   if (!clc_parse_spirv(&binary, &logger, &module)) {
      compiler_refuse(result, REFUSAL_FRONT_END, "does not say which arguments the kernels have");
      compiler_log_refusal(result, name);
      return -EINVAL;
   }
   const int ret = compile_parsed(name, words, count, &module, options, split, result);
   clc_free_parsed_spirv(&module);
   free((void *)(uintptr_t)module.spec_constants);
   return ret;
}

/* In the process of one kernel. The module has been validated. */
int compiler_kernel_job(const void *data, size_t size, struct compiler_result *result)
{
   struct compiler_module_request request;

   if (compiler_result_init(result) < 0 || !compiler_read_module_request(data, size, &request)) {
      return -ENOMEM;
   }
   uint32_t *words = malloc(request.size);
   if (words == NULL) {
      return -ENOMEM;
   }
   memcpy(words, request.bytes, request.size);
   compiler_mesa_init();
   const int ret = compiler_spirv_kernels(request.name, words, request.size / sizeof(*words), &request.options,
                                          request.split, result);
   free(words);
   return ret;
}

/* ---- Modules ---- */

/* Stores a message of SPIRV-Tools: "(file=input,line=0,column=0,index=11): what is wrong", then the instruction. */
static void keep_message(void *data, const char *message)
{
   struct compiler_result *result = data;
   const char *place = strstr(message, "): ");

   message = place != NULL && message[0] == '(' ? place + strlen("): ") : message;
   compiler_refuse(result, REFUSAL_VALIDATOR, "%.*s", (int)strcspn(message, "\n"), message);
}

bool compiler_spirv_validate(const uint32_t *words, size_t count, enum refusal_who who, struct compiler_result *result)
{
   struct compiler_result messages = {0};
   const struct clc_logger logger = {.priv = &messages, .error = keep_message, .warning = keep_message};
   const struct clc_binary binary = {.data = (void *)(uintptr_t)words, .size = count * sizeof(*words)};

   compiler_stage(COMPILER_STAGE_VALIDATE);
   if (clc_validate_spirv(&binary, &logger, NULL)) {
      return true;
   }
   compiler_refuse(result, who, "%s: %s",
                   who == REFUSAL_FRONT_END ? "makes a module that is not valid SPIR-V" : "not valid SPIR-V",
                   messages.why.what);
   return false;
}

/* ---- Shaders ---- */

static const struct {
   uint32_t model;
   const char *name;
} shader_models[] = {
    {SpvExecutionModelVertex, "a vertex shader"},
    {SpvExecutionModelTessellationControl, "a tessellation control shader"},
    {SpvExecutionModelTessellationEvaluation, "a tessellation evaluation shader"},
    {SpvExecutionModelGeometry, "a geometry shader"},
    {SpvExecutionModelFragment, "a fragment shader"},
    {SpvExecutionModelGLCompute, "a compute shader"},
};

static const char *shader_name(uint32_t model)
{
   for (size_t i = 0; i < ARRAY_SIZE(shader_models); i++) {
      if (shader_models[i].model == model) {
         return shader_models[i].name;
      }
   }
   return "a shader";
}

/* Refuses a module of Vulkan or OpenGL, which has entry points but no kernel. Returns 0 or -EINVAL. */
static int check_entry_points(const uint32_t *words, size_t count, struct compiler_result *result)
{
   const uint32_t *shader = NULL;
   size_t length;

   for (size_t at = SPIRV_HEADER_WORDS; at < count; at += length) {
      length = words[at] >> SpvWordCountShift;
      if (length == 0 || length > count - at) {
         break;
      }
      if ((words[at] & SpvOpCodeMask) == SpvOpEntryPoint && length > 3) {
         if (words[at + 1] == SpvExecutionModelKernel) {
            return 0;
         }
         shader = shader == NULL ? words + at : shader;
      }
   }
   return shader == NULL
              ? 0
              : compiler_refuse(result, REFUSAL_RUNNER,
                                "takes SPIR-V of OpenCL kernels, and this is Vulkan's or OpenGL's: its entry "
                                "point %s is %s",
                                (const char *)&shader[3], shader_name(shader[1]));
}

/* ---- Bytes ---- */

/* Returns a copy in the host's byte order, NULL when out of memory. */
static uint32_t *host_order(const void *bytes, size_t count)
{
   uint32_t *words = malloc(count * sizeof(*words));

   if (words == NULL) {
      return NULL;
   }
   memcpy(words, bytes, count * sizeof(*words));
   if (words[0] == SPIRV_MAGIC_SWAPPED) {
      for (size_t i = 0; i < count; i++) {
         words[i] = __builtin_bswap32(words[i]);
      }
   }
   return words;
}

/* Removes debug information except for lines, because SPIRV-LLVM-Translator's is not valid. Returns 0 or -ENOMEM. */
static int strip_debug_info(uint32_t **words, size_t *count)
{
   uint32_t *stripped;
   size_t stripped_count;
   const int ret = compiler_debug_info_strip(*words, *count, &stripped, &stripped_count);

   if (ret == 1) {
      free(*words);
      *words = stripped;
      *count = stripped_count;
   }
   return ret < 0 ? ret : 0;
}

/* judged: the module is valid, and the log has the results of its kernels. */
static int compile_module(const char *name, const void *bytes, size_t size, const struct compiler_options *options,
                          bool split, bool *judged, struct compiler_result *result)
{
   size_t count = size / sizeof(uint32_t);

   if (size % sizeof(uint32_t) != 0 || count < SPIRV_HEADER_WORDS) {
      return compiler_refuse(result, REFUSAL_VALIDATOR,
                             "%zu bytes are not SPIR-V: that is a header of 20 bytes and whole words", size);
   }
   uint32_t *words = host_order(bytes, count);
   if (words == NULL) {
      return -ENOMEM;
   }

   int ret = -EINVAL;
   if (words[0] != SPIRV_MAGIC) {
      compiler_refuse(result, REFUSAL_VALIDATOR,
                      "not SPIR-V: it starts with 0x%08x, not with 0x%08x in either byte order", words[0], SPIRV_MAGIC);
   } else if (words[4] != 0) {
      /* The validator accepts it, and Mesa reports it through a pointer that is not set yet. */
      compiler_refuse(result, REFUSAL_VALIDATOR, "not valid SPIR-V: the fifth word is 0x%08x, not 0", words[4]);
   } else if (strip_debug_info(&words, &count) < 0) {
      ret = -ENOMEM;
   } else if (compiler_spirv_validate(words, count, REFUSAL_VALIDATOR, result) &&
              check_entry_points(words, count, result) == 0) {
      compiler_mesa_init();
      *judged = true;
      ret = compiler_spirv_kernels(name, words, count, options, split, result);
   }
   free(words);
   return ret;
}

/* The request's bytes end with the module. */
int compiler_spirv_job(const void *data, size_t size, struct compiler_result *result)
{
   struct compiler_module_request request;

   bool judged = false;

   if (compiler_result_init(result) < 0 || !compiler_read_module_request(data, size, &request)) {
      return -ENOMEM;
   }
   const int ret =
       compile_module(request.name, request.bytes, request.size, &request.options, request.split, &judged, result);
   if (ret == -EINVAL && !judged) {
      compiler_log_refusal(result, request.name);
   }
   return ret;
}
