/* SPDX-License-Identifier: MIT
 *
 * SPIR-V modules: checked, then compiled kernel by kernel. Only what SPIRV-Tools' validator accepts reaches Mesa.
 */
#include "compiler/spirv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/clc/clc_helpers.h"

#include "compiler/kernel.h"
#include "compiler/mesa.h"
#include "compiler/result.h"
#include "compiler/service.h"
#include "compiler/wire.h"

#define SPIRV_MAGIC 0x07230203u
#define SPIRV_MAGIC_SWAPPED 0x03022307u
#define SPIRV_HEADER_WORDS 5

static void log_message(void *result, const char *message)
{
   compiler_log(result, "%s", message);
}

/* One kernel: a program or a refusal. 0 or -ENOMEM. */
static int compile_kernel(const uint32_t *words, size_t count, const struct clc_kernel_info *info,
                          const struct compiler_options *options, struct compiler_result *result)
{
   size_t from = strlen(result->log);

   result->unsupported = false;
   compiler_stage_kernel(info->name);
   int ret = compiler_kernel(words, count, info, options, result);
   return ret == -EINVAL ? compiler_result_refuse(result, info->name, from, result->unsupported) : ret;
}

/* The whole failed, and only for what the backend cannot do? */
static bool all_unsupported(const struct compiler_result *result)
{
   bool all = result->count == 0 && result->refused_count > 0;

   for (size_t i = 0; i < result->refused_count; i++) {
      all = all && result->refused[i].unsupported;
   }
   return all;
}

int compiler_spirv_kernels(const char *name, const uint32_t *words, size_t count,
                           const struct compiler_options *options, struct compiler_result *result)
{
   const struct clc_logger logger = {.priv = result, .error = log_message, .warning = log_message};
   const struct clc_binary binary = {.data = (void *)(uintptr_t)words, .size = count * sizeof(*words)};
   struct clc_parsed_spirv module = {0};
   int ret = 0;

   if (compiler_libclc() == NULL) {
      compiler_log(result, "%s: libclc (spirv64-mesa3d-.spv) cannot be read: is the package libclc installed?\n", name);
      return -EINVAL;
   }
   if (!clc_parse_spirv(&binary, &logger, &module)) {
      compiler_log(result, "%s: the kernels' arguments cannot be read\n", name);
      return -EINVAL;
   }
   if (module.num_kernels == 0) {
      compiler_log(result, "%s: there is no kernel in it\n", name);
      ret = -EINVAL;
   }
   for (unsigned i = 0; i < module.num_kernels && ret == 0; i++) {
      if (options->kernel == NULL || !strcmp(module.kernels[i].name, options->kernel)) {
         ret = compile_kernel(words, count, &module.kernels[i], options, result);
      }
   }
   if (ret == -ENOMEM) {
      compiler_result_drop(result);
   }
   result->unsupported = all_unsupported(result);
   if (ret == 0 && result->count == 0 && result->refused_count > 0) {
      ret = -EINVAL;
   }
   clc_free_parsed_spirv(&module);
   free((void *)(uintptr_t)module.spec_constants);
   return ret;
}

bool compiler_spirv_validate(const uint32_t *words, size_t count, struct compiler_result *result)
{
   const struct clc_logger logger = {.priv = result, .error = log_message, .warning = log_message};
   const struct clc_binary binary = {.data = (void *)(uintptr_t)words, .size = count * sizeof(*words)};

   compiler_stage(COMPILER_STAGE_VALIDATE);
   return clc_validate_spirv(&binary, &logger, NULL);
}

/* A copy in the host's byte order, NULL when out of memory. */
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

static int compile_module(const char *name, const void *bytes, size_t size, const struct compiler_options *options,
                          struct compiler_result *result)
{
   size_t count = size / sizeof(uint32_t);

   if (compiler_result_init(result) < 0) {
      return -ENOMEM;
   }
   if (size % sizeof(uint32_t) != 0 || count < SPIRV_HEADER_WORDS) {
      compiler_log(result, "%s: %zu bytes are not SPIR-V: that is a header of 20 bytes and whole words\n", name, size);
      return -EINVAL;
   }
   uint32_t *words = host_order(bytes, count);
   if (words == NULL) {
      return -ENOMEM;
   }

   int ret = -EINVAL;
   if (words[0] != SPIRV_MAGIC) {
      compiler_log(result, "%s: not SPIR-V: it starts with 0x%08x, not with 0x%08x in either byte order\n", name,
                   words[0], SPIRV_MAGIC);
   } else if (words[4] != 0) {
      /* The validator lets it pass, and Mesa reports it through a pointer that it has not set yet. */
      compiler_log(result, "%s: not valid SPIR-V: the fifth word is 0x%08x, not 0\n", name, words[4]);
   } else if (!compiler_spirv_validate(words, count, result)) {
      compiler_log(result, "%s: not valid SPIR-V\n", name);
   } else {
      compiler_mesa_init();
      ret = compiler_spirv_kernels(name, words, count, options, result);
   }
   free(words);
   return ret;
}

/* In the process of the compilation: the options, the name, then the module. */
static int run_job(const void *data, size_t size, struct compiler_result *result)
{
   struct compiler_reader reader = {.at = data, .left = size};
   struct compiler_options options;

   compiler_read_options(&reader, &options);
   const char *name = compiler_read_string(&reader);
   return name == NULL ? -ENOMEM : compile_module(name, reader.at, reader.left, &options, result);
}

int compiler_spirv(const char *name, const void *bytes, size_t size, const struct compiler_options *options,
                   struct compiler_result *result)
{
   struct compiler_writer writer = {0};

   *result = (struct compiler_result){0};
   compiler_write_options(&writer, options);
   compiler_write_string(&writer, name);
   compiler_write(&writer, bytes, size);
   const struct compiler_request request = {
       .run = run_job, .data = writer.bytes, .size = writer.size, .name = name, .libclc = true};
   const int ret = writer.failed ? -ENOMEM : compiler_service_run(&request, result);
   compiler_writer_finish(&writer);
   return ret;
}
