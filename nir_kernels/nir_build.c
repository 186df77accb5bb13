/* SPDX-License-Identifier: MIT
 *
 * Builds and compiles the NIR benchmarks of the catalogue, and does the jobs that nir_request.c asks for.
 */
#include "compiler/nir.h"

#include <errno.h>
#include <string.h>

#include "compiler/api/result.h"
#include "compiler/api/wire.h"
#include "nir_kernels/chain.h"
#include "nir_kernels/nir_request.h"

static struct compiler_nir_info info_of(const struct benchmark *benchmark)
{
   return (struct compiler_nir_info){
       .name = benchmark->name, .arguments = bench_chain_arguments, .argument_count = benchmark->argument_count};
}

static void build(struct nir_builder *b, const void *data)
{
   const struct bench_chain_job *job = data;

   if (job->benchmark->nir != NULL) {
      job->benchmark->nir(b, job->benchmark);
   } else {
      bench_chain_build(b, job);
   }
}

int bench_nir_compile(const struct benchmark *benchmark, const struct bench_variant *variant,
                      const struct compiler_options *options, struct compiler_result *result)
{
   const struct compiler_nir_info info = info_of(benchmark);
   const struct bench_chain_job job = {benchmark, *variant};

   return compiler_nir(&info, build, &job, options, result);
}

struct text_job {
   struct bench_chain_job job;
   char *text;
};

static void build_text(struct nir_builder *b, const void *data)
{
   struct text_job *job = (struct text_job *)(uintptr_t)data;

   build(b, &job->job);
   char *text = nir_shader_as_str(b->shader, NULL);
   job->text = strdup(text);
   ralloc_free(text);
}

char *bench_nir_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   const struct compiler_options options = {.keep_atomics = true};
   const struct compiler_nir_info info = info_of(benchmark);
   struct text_job job = {.job = {benchmark, *variant}};

   (void)compiler_nir_build_only(&info, build_text, &job, &options);
   return job.text;
}

/* ---- Jobs ---- */

static const struct benchmark *find(const char *group, const char *name)
{
   for (size_t i = 0; i < bench_count() && group != NULL && name != NULL; i++) {
      const struct benchmark *benchmark = bench_at(i);

      if (!strcmp(benchmark->group, group) && !strcmp(benchmark->name, name)) {
         return benchmark;
      }
   }
   return NULL;
}

/* A chain without a builder has no steps: it is the loop alone (control.c). */
static bool can_build(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   const struct bench_chain *chain = benchmark->chain;

   return benchmark->nir != NULL ||
          (chain != NULL && chain->agx == NULL && benchmark->source == NULL && benchmark->text == NULL &&
           variant->chains <= BENCH_CHAINS_MAX && (chain->build != NULL || variant->steps == 0));
}

/* NULL, with the refusal in the result: the request asks for what this catalogue does not have. */
static const struct benchmark *read_request(const void *data, size_t size, struct compiler_options *options,
                                            struct bench_variant *variant, struct compiler_result *result)
{
   struct compiler_reader reader = {.at = data, .left = size};

   compiler_read_options(&reader, options);
   const char *group = compiler_read_string(&reader), *name = compiler_read_string(&reader);
   compiler_read(&reader, variant, sizeof(*variant));
   const struct benchmark *benchmark = reader.failed ? NULL : find(group, name);
   if (benchmark != NULL && can_build(benchmark, variant)) {
      return benchmark;
   }
   compiler_refuse(result, REFUSAL_SOURCE, "agx-compile has no such benchmark in NIR: %s/%s",
                   group != NULL ? group : "", name != NULL ? name : "");
   compiler_log_refusal(result, NULL);
   return NULL;
}

int bench_nir_job(const void *data, size_t size, struct compiler_result *result)
{
   struct compiler_options options;
   struct bench_variant variant;

   if (compiler_result_init(result) < 0) {
      return -ENOMEM;
   }
   const struct benchmark *benchmark = read_request(data, size, &options, &variant, result);
   if (benchmark == NULL) {
      return -EINVAL;
   }
   compiler_result_finish(result);
   return bench_nir_compile(benchmark, &variant, &options, result);
}

int bench_nir_text_job(const void *data, size_t size, struct compiler_result *result)
{
   struct compiler_options options;
   struct bench_variant variant;

   if (compiler_result_init(result) < 0) {
      return -ENOMEM;
   }
   const struct benchmark *benchmark = read_request(data, size, &options, &variant, result);
   char *text = benchmark != NULL ? bench_nir_text(benchmark, &variant) : NULL;
   if (text != NULL) {
      compiler_log(result, "%s", text);
   }
   free(text);
   return benchmark == NULL ? -EINVAL : 0;
}
