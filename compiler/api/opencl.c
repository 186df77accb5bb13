/* SPDX-License-Identifier: MIT
 *
 * The caller's side of a compilation of OpenCL C: its request.
 */
#include "compiler/api/compiler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/api/pending.h"
#include "compiler/api/protocol.h"
#include "compiler/api/result.h"
#include "compiler/api/service.h"
#include "compiler/api/wire.h"
#include "compiler/cache/cache.h"

bool compiler_repairs(const struct compiler_options *options)
{
   return options->arguments == NULL || strstr(options->arguments, COMPILER_NO_REPAIRS) == NULL;
}

int compiler_opencl(const char *name, const char *source, size_t size, const struct compiler_options *options,
                    struct compiler_result *result)
{
   const bool split = compiler_service_has_processes();
   struct compiler_writer writer = {0};

   if (compiler_result_init(result) < 0) {
      return -ENOMEM;
   }
   if (memchr(source, 0, size) != NULL) {
      compiler_refuse(result, REFUSAL_FILE, "not OpenCL C: there is a NUL byte in it");
      compiler_log_refusal(result, name);
      return -EINVAL;
   }
   compiler_result_finish(result);
   char *text = strndup(source, size);
   compiler_write_options(&writer, options);
   compiler_write(&writer, &split, sizeof(split));
   compiler_write_string(&writer, name);
   compiler_write_string(&writer, text);
   const struct compiler_request request = {.kind = COMPILER_OPENCL,
                                            .data = writer.bytes,
                                            .size = writer.size,
                                            .name = name,
                                            .libclc = true,
                                            .no_second_try = !compiler_repairs(options),
                                            .cached = compiler_cache_is_on() && text != NULL &&
                                                              compiler_cache_is_closed(text, options->arguments)
                                                          ? "OpenCL C"
                                                          : NULL};
   const int ret = writer.failed || text == NULL ? -ENOMEM : compiler_service_run(&request, result);
   free(text);
   compiler_writer_finish(&writer);
   return ret == 0 && result->pending.kernel_count > 0 ? compiler_pending_compile(name, options, result) : ret;
}
