/* SPDX-License-Identifier: MIT
 *
 * Asks agx-compile for the NIR benchmarks of its catalogue.
 */
#include "nir_kernels/nir_request.h"

#include <errno.h>
#include <string.h>

#include "compiler/api/protocol.h"
#include "compiler/api/service.h"
#include "compiler/api/wire.h"

static int request(uint32_t kind, const struct benchmark *benchmark, const struct bench_variant *variant,
                   const struct compiler_options *options, struct compiler_result *result)
{
   struct compiler_writer writer = {0};

   compiler_write_options(&writer, options);
   compiler_write_string(&writer, benchmark->group);
   compiler_write_string(&writer, benchmark->name);
   compiler_write(&writer, variant, sizeof(*variant));
   const struct compiler_request job = {.kind = kind,
                                        .data = writer.bytes,
                                        .size = writer.size,
                                        .name = benchmark->name,
                                        .libclc = true,
                                        .no_second_try = true};
   const int ret = writer.failed ? -ENOMEM : compiler_service_run(&job, result);
   compiler_writer_finish(&writer);
   return ret;
}

int bench_nir_compile(const struct benchmark *benchmark, const struct bench_variant *variant,
                      const struct compiler_options *options, struct compiler_result *result)
{
   return request(COMPILER_BENCHMARK, benchmark, variant, options, result);
}

char *bench_nir_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   const struct compiler_options options = {.keep_atomics = true};
   struct compiler_result result;
   char *text = NULL;

   if (request(COMPILER_BENCHMARK_TEXT, benchmark, variant, &options, &result) == 0 && result.log != NULL) {
      text = strdup(result.log);
   }
   compiler_result_finish(&result);
   return text;
}
