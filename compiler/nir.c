/* SPDX-License-Identifier: MIT
 *
 * Kernels that are built instruction by instruction. Building and compiling happen in a fork of the caller.
 */
#include "compiler/nir.h"

#include <errno.h>
#include <string.h>

#include "compiler/nir/nir_serialize.h"
#include "util/blob.h"

#include "compiler/backend.h"
#include "compiler/mesa.h"
#include "compiler/api/result.h"
#include "compiler/api/service.h"
#include "compiler/api/wire.h"

#define WORKGROUP_MAX 1024u

/* An argument is a uniform variable while the kernel is built, so that the shader itself knows its place. */
static const struct glsl_type *argument_type(const struct agx_argument *argument)
{
   static const struct {
      uint32_t size;
      enum glsl_base_type base;
   } types[] = {{1, GLSL_TYPE_UINT8}, {2, GLSL_TYPE_UINT16}, {4, GLSL_TYPE_UINT}, {8, GLSL_TYPE_UINT64}};

   for (unsigned i = 0; i < ARRAY_SIZE(types); i++) {
      if (types[i].size == argument->size) {
         return glsl_scalar_type(types[i].base);
      }
   }
   return NULL;
}

nir_def *compiler_nir_argument(nir_builder *b, unsigned index)
{
   nir_variable *variable = nir_find_variable_with_location(b->shader, nir_var_uniform, index);

   if (variable == NULL) {
      return nir_undef(b, 1, 32);
   }
   return nir_load_kernel_input(b, 1, glsl_get_bit_size(variable->type),
                                nir_imm_int(b, (int)variable->data.driver_location), .range = ~0u);
}

/* Returns NULL if the arguments can be declared, else the reason why not. */
static const char *declare_arguments(nir_shader *nir, const struct compiler_nir_info *info)
{
   for (size_t i = 0; i < info->argument_count; i++) {
      const struct agx_argument *argument = &info->arguments[i];
      const struct glsl_type *type = argument_type(argument);
      if (type == NULL) {
         return "an argument of a NIR kernel has 1, 2, 4 or 8 bytes";
      }
      if (argument->offset % argument->size != 0 || argument->offset > UINT16_MAX) {
         return "an argument lies at a multiple of its size below 64 KiB";
      }
      nir_variable *variable = nir_variable_create(nir, nir_var_uniform, type, argument->name);
      variable->data.location = (int)i;
      variable->data.driver_location = argument->offset;
   }
   return NULL;
}

/* Mesa stores sizes in 16 bits. */
static const char *check_workgroup(const uint32_t size[3])
{
   if ((size[0] == 0) != (size[1] == 0) || (size[0] == 0) != (size[2] == 0)) {
      return "a workgroup size has three factors";
   }
   if (size[0] > WORKGROUP_MAX || size[1] > WORKGROUP_MAX || size[2] > WORKGROUP_MAX ||
       size[0] * size[1] * size[2] > WORKGROUP_MAX) {
      return "a workgroup has at most 1024 threads";
   }
   return NULL;
}

static nir_shader *make_shader(const struct compiler_nir_info *info, compiler_nir_build *build, const void *data,
                               const struct compiler_options *options, const char **wrong)
{
   compiler_mesa_init();
   nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_COMPUTE, compiler_nir_options(options->keep_atomics),
                                                  "%s", info->name);
   const uint32_t *size = info->workgroup_size;
   *wrong = declare_arguments(b.shader, info);
   if (*wrong == NULL) {
      *wrong = check_workgroup(size);
   }
   if (*wrong != NULL) {
      ralloc_free(b.shader);
      return NULL;
   }

   b.shader->info.workgroup_size_variable = size[0] == 0;
   for (unsigned i = 0; i < 3; i++) {
      b.shader->info.workgroup_size[i] = (uint16_t)size[i];
   }
   b.shader->info.shared_size = info->threadgroup_bytes;
   build(&b, data);
   return b.shader;
}

/* The arguments of compiler_nir(). The job is a fork of the caller, so pointers remain valid. */
struct nir_job {
   const struct compiler_nir_info *info;
   compiler_nir_build *build;
   const void *data;
   const struct compiler_options *options;
};

static int compile(nir_shader *nir, const struct nir_job *job, struct compiler_result *result)
{
   const struct compiler_nir_info *info = job->info;
   const struct compiler_kernel kernel = {
       .name = info->name, .arguments = info->arguments, .argument_count = info->argument_count};
   const int ret = compiler_backend(nir, &kernel, job->options, result);

   return ret == -ENOSPC ? compiler_refuse_spills(result) : ret;
}

/* The key contains the kernel's NIR, so the builder and its data do not matter. */
static struct util_store_key key_of(const nir_shader *nir, const struct nir_job *job)
{
   const struct compiler_nir_info *info = job->info;
   struct compiler_writer writer = {0};
   struct blob blob;

   blob_init(&blob);
   nir_serialize(&blob, nir, false);
   compiler_write_options(&writer, job->options);
   compiler_write_string(&writer, info->name);
   for (size_t i = 0; i < info->argument_count; i++) {
      const struct agx_argument *argument = &info->arguments[i];
      const uint32_t numbers[] = {argument->kind, argument->offset, argument->size, argument->read_only};

      compiler_write(&writer, numbers, sizeof(numbers));
      compiler_write_string(&writer, argument->name);
      compiler_write_string(&writer, argument->type);
   }
   const struct compiler_cache_bytes parts[] = {{"NIR", 3}, {writer.bytes, writer.size}, {blob.data, blob.size}};
   const bool whole = !writer.failed && !blob.out_of_memory;
   if (!whole) {
      compiler_cache_set(false);
   }
   const struct util_store_key key = compiler_cache_key(parts, ARRAY_SIZE(parts));
   compiler_writer_finish(&writer);
   blob_finish(&blob);
   return key;
}

/* Takes the program from the cache, or compiles and stores it. Consumes `nir`. */
static int compile_cached(nir_shader *nir, const struct nir_job *job, struct compiler_result *result)
{
   const struct util_store_key key = key_of(nir, job);
   struct compiler_result kept;

   if (compiler_service_load(&key, &kept)) {
      ralloc_free(nir);
      compiler_result_finish(result);
      *result = kept;
      return 0;
   }
   const int ret = compile(nir, job, result);
   compiler_service_store(&key, ret, result);
   return ret;
}

static int build_and_compile(const void *bytes, struct compiler_result *result)
{
   const struct nir_job *job = bytes;
   const struct compiler_nir_info *info = job->info;
   const char *wrong;

   compiler_stage(COMPILER_STAGE_NIR);
   compiler_stage_kernel(info->name);
   nir_shader *nir = make_shader(info, job->build, job->data, job->options, &wrong);
   if (nir == NULL) {
      return compiler_refuse(result, REFUSAL_SOURCE, "%s", wrong);
   }
   NIR_PASS(_, nir, nir_lower_compute_system_values,
            &(nir_lower_compute_system_values_options){.has_base_global_invocation_id = true, .has_global_size = true});
   NIR_PASS(_, nir, nir_remove_dead_variables, nir_var_uniform, NULL);

   return compiler_cache_is_on() ? compile_cached(nir, job, result) : compile(nir, job, result);
}

static int run_job(const void *bytes, UNUSED size_t size, struct compiler_result *result)
{
   const struct nir_job *job = bytes;

   if (compiler_result_init(result) < 0) {
      return -ENOMEM;
   }
   const int ret = build_and_compile(job, result);
   if (ret == -EINVAL) {
      snprintf(result->why.kernel, sizeof(result->why.kernel), "%s", job->info->name);
      compiler_log_refusal(result, NULL);
   }
   return ret;
}

int compiler_nir_build_only(const struct compiler_nir_info *info, compiler_nir_build *build, const void *data,
                            const struct compiler_options *options)
{
   const char *wrong;
   nir_shader *nir = make_shader(info, build, data, options, &wrong);

   ralloc_free(nir);
   return nir != NULL ? 0 : -EINVAL;
}

int compiler_nir(const struct compiler_nir_info *info, compiler_nir_build *build, const void *data,
                 const struct compiler_options *options, struct compiler_result *result)
{
   const struct nir_job job = {info, build, data, options};
   const struct compiler_request request = {.run = run_job, .data = &job, .size = sizeof(job), .name = info->name};

   return compiler_service_run(&request, result);
}
