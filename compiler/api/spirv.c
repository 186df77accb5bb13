/* SPDX-License-Identifier: MIT
 *
 * The caller's side of a compilation of SPIR-V: its requests, and what becomes of several kernels.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/api/pending.h"
#include "compiler/api/protocol.h"
#include "compiler/api/result.h"
#include "compiler/api/service.h"
#include "compiler/api/wire.h"

bool compiler_read_module_request(const void *data, size_t size, struct compiler_module_request *request)
{
   struct compiler_reader reader = {.at = data, .left = size};

   compiler_read_options(&reader, &request->options);
   compiler_read(&reader, &request->split, sizeof(request->split));
   request->name = compiler_read_string(&reader);
   request->bytes = reader.at;
   request->size = reader.left;
   return request->name != NULL;
}

/* Returns what the service returns. */
static int run_request(uint32_t kind, const char *cached, const struct compiler_module_request *request,
                       struct compiler_result *result)
{
   struct compiler_writer writer = {0};

   *result = (struct compiler_result){0};
   compiler_write_options(&writer, &request->options);
   compiler_write(&writer, &request->split, sizeof(request->split));
   compiler_write_string(&writer, request->name);
   compiler_write(&writer, request->bytes, request->size);
   const struct compiler_request job = {.kind = kind,
                                        .data = writer.bytes,
                                        .size = writer.size,
                                        .name = request->name,
                                        .libclc = true,
                                        .no_second_try = !compiler_repairs(&request->options),
                                        .cached = cached};
   const int ret = writer.failed ? -ENOMEM : compiler_service_run(&job, result);
   compiler_writer_finish(&writer);
   return ret;
}

/* Why there is no program: of several refusals, an error before what is unsupported. */
static void choose_refusal(struct compiler_result *result)
{
   if (result->refused_count > 0) {
      result->why = (struct refusal){0};
   }
   for (size_t i = 0; i < result->refused_count && result->count == 0; i++) {
      const struct refusal *why = &result->refused[i].why;

      if (i == 0 || (refusal_is_unsupported(result->why.who) && !refusal_is_unsupported(why->who))) {
         result->why = *why;
      }
   }
}

int compiler_conclude(int ret, struct compiler_result *result)
{
   if (ret == -ENOMEM) {
      compiler_result_drop(result);
   }
   choose_refusal(result);
   return ret == 0 && result->count == 0 && result->refused_count > 0 ? -EINVAL : ret;
}

/* One kernel in a process of its own. 0 or -ENOMEM. */
static int compile_pending(const char *name, const struct compiler_pending *pending, const char *kernel,
                           const struct compiler_options *options, struct compiler_result *result)
{
   struct compiler_module_request request = {
       .options = *options, .name = name, .bytes = pending->words, .size = pending->count * sizeof(*pending->words)};
   struct compiler_result one;

   request.options.kernel = kernel;
   const int ret = run_request(COMPILER_KERNEL, "kernel", &request, &one);
   int moved = ret == -ENOMEM ? ret : compiler_result_move(result, &one);
   if ((ret == -EFAULT || (ret == -EINVAL && one.refused_count == 0)) && moved == 0) {
      const struct compiler_refusal refusal = {
          .kernel = (char *)(uintptr_t)kernel, .reason = one.log, .why = one.why, .crash = one.crash};
      moved = compiler_result_add_refusal(result, &refusal);
   }
   compiler_result_finish(&one);
   return moved;
}

/* If no kernel became a program and the compiler crashed, the compilation's result is the crash. */
static int conclude_crash(int ret, struct compiler_result *result)
{
   for (size_t i = 0; i < result->refused_count && ret == -EINVAL; i++) {
      if (result->refused[i].crash.crashed) {
         result->crash = result->refused[i].crash;
         result->why = result->refused[i].why;
         return -EFAULT;
      }
   }
   return ret;
}

int compiler_pending_compile(const char *name, const struct compiler_options *options, struct compiler_result *result)
{
   struct compiler_result pending = {.pending = result->pending};
   int ret = 0;

   result->pending = (struct compiler_pending){0};
   for (size_t i = 0; i < pending.pending.kernel_count && ret == 0; i++) {
      ret = compile_pending(name, &pending.pending, pending.pending.kernels[i], options, result);
   }
   compiler_result_drop(&pending);
   return conclude_crash(compiler_conclude(ret, result), result);
}

int compiler_spirv(const char *name, const void *bytes, size_t size, const struct compiler_options *options,
                   struct compiler_result *result)
{
   const struct compiler_module_request request = {
       .options = *options, .split = compiler_service_has_processes(), .name = name, .bytes = bytes, .size = size};
   const int ret = run_request(COMPILER_SPIRV, "SPIR-V", &request, result);

   return ret == 0 && result->pending.kernel_count > 0 ? compiler_pending_compile(name, options, result) : ret;
}
