/* SPDX-License-Identifier: MIT
 *
 * OpenCL C through Mesa's clang library, in process.
 */
#include "compiler/api/compiler.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/clc/clc.h"
#include "compiler/front_end/diagnostics.h"
#include "compiler/front_end/front_end.h"
#include "compiler/front_end/gaps.h"
#include "compiler/front_end/opencl_job.h"
#include "compiler/mesa.h"
#include "compiler/api/result.h"
#include "compiler/spirv.h"
#include "compiler/api/wire.h"
#include "util/array.h"

/* The features that the AGX backend compiles. */
static const struct clc_optional_features features = {
    .fp16 = true,
    .int64 = true,
    .subgroups = true,
    .subgroups_ifp = true, /* the schedulers alternate among a core's simdgroups */
    .subgroups_shuffle = true,
    .subgroups_shuffle_relative = true,
    .subgroups_ballot = true,
};

/* An argument vector that owns its strings. */
struct arguments {
   char **list;
   size_t count;
};

static void arguments_finish(struct arguments *arguments)
{
   for (size_t i = 0; i < arguments->count; i++) {
      free(arguments->list[i]);
   }
   free(arguments->list);
}

/* Takes ownership of `text`, which may be NULL. */
static int arguments_add(struct arguments *arguments, char *text)
{
   if (text == NULL || !ARRAY_RESERVE_ONE(arguments->list, arguments->count)) {
      free(text);
      return -ENOMEM;
   }
   arguments->list[arguments->count++] = text;
   return 0;
}

/* Returns the next word of build options by the rules of a shell: white space separates words, quotes and a backslash
 * protect it. *text is moved behind the word. NULL: out of memory. */
static char *next_word(const char **text)
{
   char *word = malloc(strlen(*text) + 1);
   const char *in = *text;
   char quote = 0;
   size_t length = 0;

   if (word == NULL) {
      return NULL;
   }
   for (; *in != 0 && (quote != 0 || !isspace((unsigned char)*in)); in++) {
      if (*in == quote) {
         quote = 0;
      } else if (quote == 0 && (*in == '"' || *in == '\'')) {
         quote = *in;
      } else {
         if (*in == '\\' && quote != '\'' && in[1] != 0) {
            in++;
         }
         word[length++] = *in;
      }
   }
   word[length] = 0;
   *text = in;
   return word;
}

/* Options of OpenCL that clang's driver knows, its compiler proper does not know, and that have no effect here: */
static bool is_no_op(const char *option)
{
   return strcmp(option, "-cl-denorms-are-zero") == 0 || /* 32-bit denormals always are zero (spec/isa.md 3.2) */
          strcmp(option, "-cl-no-subgroup-ifp") == 0;    /* permits an optimisation that Mesa does not do */
}

static int split_options(const char *options, struct arguments *arguments)
{
   while (options != NULL) {
      while (isspace((unsigned char)*options)) {
         options++;
      }
      if (*options == 0) {
         break;
      }
      char *word = next_word(&options);
      if (word != NULL && is_no_op(word)) {
         free(word);
      } else if (arguments_add(arguments, word) < 0) {
         return -ENOMEM;
      }
   }
   return 0;
}

/* Puts agx-runner's options before the user's, so that the user's win. */
static int make_arguments(const struct compiler_options *options, const struct compiler_diagnostics *diagnostics,
                          struct arguments *arguments)
{
   /* Any file is treated as OpenCL C. Inline assembly crashes the translator, so clang must refuse it. */
   const char *const ours[] = {
       "-x", "cl", "-fno-gnu-inline-asm", "-D__OPENCL_VERSION__=300", COMPILER_DIAGNOSTICS_OPTION, diagnostics->path};

   for (size_t i = 0; i < ARRAY_COUNT(ours); i++) {
      if (arguments_add(arguments, strdup(ours[i])) < 0) {
         return -ENOMEM;
      }
   }
   if (options->lines && arguments_add(arguments, strdup("-debug-info-kind=line-tables-only")) < 0) {
      return -ENOMEM;
   }
   return split_options(options->arguments, arguments);
}

static int compile(const char *name, const char *source, struct arguments *arguments,
                   const struct compiler_diagnostics *diagnostics, const struct compiler_options *options, bool split,
                   struct compiler_result *result)
{
   const struct compiler_front_end front_end = {.features = &features,
                                                .arguments = (const char *const *)arguments->list,
                                                .count = arguments->count,
                                                .options = options->arguments,
                                                .repairs = compiler_repairs(options)};
   struct clc_binary spirv = {0};

   if (!compiler_front_end_run(name, source, &front_end, result, &spirv)) {
      compiler_gaps_explain(name, source, &front_end, options, diagnostics, result);
      return -EINVAL;
   }
   compiler_diagnostics_log(diagnostics, result);
   const int ret = compiler_spirv_kernels(name, spirv.data, spirv.size / sizeof(uint32_t), options, split, result);
   clc_free_spirv(&spirv);
   return ret;
}

static int compile_source(const char *name, const char *source, const struct compiler_options *options, bool split,
                          struct compiler_result *result)
{
   struct arguments arguments = {0};
   struct compiler_diagnostics diagnostics;

   if (compiler_result_init(result) < 0) {
      return -ENOMEM;
   }
   int ret = compiler_diagnostics_init(&diagnostics);
   if (ret < 0) {
      compiler_log(result, "%s: error: no file for clang's messages: %s\n", name, strerror(-ret));
      return ret;
   }
   compiler_mesa_init();

   ret = make_arguments(options, &diagnostics, &arguments);
   if (ret == 0) {
      ret = compile(name, source, &arguments, &diagnostics, options, split, result);
   }
   arguments_finish(&arguments);
   compiler_diagnostics_finish(&diagnostics);
   return ret;
}

int compiler_opencl_job(const void *data, size_t size, struct compiler_result *result)
{
   struct compiler_reader reader = {.at = data, .left = size};
   struct compiler_options options;
   bool split;

   compiler_read_options(&reader, &options);
   compiler_read(&reader, &split, sizeof(split));
   const char *name = compiler_read_string(&reader);
   const char *source = compiler_read_string(&reader);
   return name == NULL || source == NULL ? -ENOMEM : compile_source(name, source, &options, split, result);
}

const char *compiler_opencl_extensions(void)
{
   return "cl_khr_byte_addressable_store cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "
          "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics cl_khr_expect_assume cl_khr_fp16 "
          "cles_khr_int64 cl_khr_subgroups cl_khr_subgroup_shuffle cl_khr_subgroup_shuffle_relative "
          "cl_khr_subgroup_ballot";
}
