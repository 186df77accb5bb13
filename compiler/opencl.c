/* SPDX-License-Identifier: MIT
 *
 * OpenCL C through Mesa's clang library, in process.
 */
#include "compiler/compiler.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/clc/clc.h"
#include "util/hash_table.h"
#include "util/set.h"

#include "compiler/passes/constinit.h"
#include "compiler/passes/debug_info.h"
#include "compiler/passes/prune.h"
#include "compiler/mesa.h"
#include "compiler/result.h"
#include "compiler/service.h"
#include "compiler/wire.h"
#include "compiler/spirv.h"
#include "compiler/warnings.h"

/* What the AGX backend compiles. */
static const struct clc_optional_features features = {
    .fp16 = true,
    .int64 = true,
    .subgroups = true,
    .subgroups_ifp = true, /* the schedulers take turns among a core's simdgroups */
    .subgroups_shuffle = true,
    .subgroups_shuffle_relative = true,
    .subgroups_ballot = true,
};

/* An argument vector whose strings are its own. */
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
   char **list = text != NULL ? realloc(arguments->list, (arguments->count + 1) * sizeof(*list)) : NULL;

   if (list == NULL) {
      free(text);
      return -ENOMEM;
   }
   arguments->list = list;
   list[arguments->count++] = text;
   return 0;
}

/* The next word of build options, as a shell would see it: white space parts words, quotes and a backslash keep
 * what follows. *text is moved behind it. NULL when there is no memory. */
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

/* Options of OpenCL that clang's driver knows and its compiler proper does not, and that change nothing here: */
static bool is_no_op(const char *option)
{
   return strcmp(option, "-cl-denorms-are-zero") == 0 || /* 32-bit ones always are (spec/isa.md 3.2) */
          strcmp(option, "-cl-no-subgroup-ifp") == 0;    /* permits what is not made use of */
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

/* Ours before the user's, so that those win. */
static int make_arguments(const struct compiler_options *options, const struct compiler_warnings *warnings,
                          struct arguments *arguments)
{
   const char *const ours[] = {"-D__OPENCL_VERSION__=300", COMPILER_WARNINGS_OPTION, warnings->path};

   for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
      if (arguments_add(arguments, strdup(ours[i])) < 0) {
         return -ENOMEM;
      }
   }
   if (options->lines && arguments_add(arguments, strdup("-debug-info-kind=line-tables-only")) < 0) {
      return -ENOMEM;
   }
   return split_options(options->arguments, arguments);
}

bool compiler_repairs(const struct compiler_options *options)
{
   return options->arguments == NULL || strstr(options->arguments, COMPILER_NO_REPAIRS) == NULL;
}

static void log_message(void *result, const char *message)
{
   compiler_log(result, "%s", message);
}

/* Mesa runs clang and the SPIR-V translator in one call. Between the two it adds the names of the files that clang
 * read, the source at least, to a set; this is that set's hash function. */
static uint32_t announce_translator(const void *key)
{
   compiler_stage(COMPILER_STAGE_TRANSLATOR);
   return _mesa_hash_string(key);
}

/* A pass over the module: 1 and a new one, 0, or -ENOMEM. */
typedef int module_pass(const uint32_t *words, size_t count, uint32_t **changed, size_t *changed_count);

static bool run_pass(module_pass *pass, const char *name, struct clc_binary *spirv, struct compiler_result *result)
{
   uint32_t *words;
   size_t count;
   const int ret = pass(spirv->data, spirv->size / sizeof(*words), &words, &count);

   if (ret < 0) {
      compiler_log(result, "%s: out of memory\n", name);
   }
   if (ret == 1) {
      clc_free_spirv(spirv);
      *spirv = (struct clc_binary){.data = words, .size = count * sizeof(*words)};
   }
   return ret >= 0;
}

/* Mends what clang is known to make wrong, and lets only valid SPIR-V pass. */
static bool make_valid(const char *name, bool repairs, struct clc_binary *spirv, struct compiler_result *result)
{
   if (repairs && !run_pass(compiler_constinit_mend, name, spirv, result)) {
      return false;
   }
   if (!compiler_spirv_validate(spirv->data, spirv->size / sizeof(uint32_t), result)) {
      compiler_log(
          result, "%s: error: the front end (clang and SPIRV-LLVM-Translator) made a module that is not valid SPIR-V\n",
          name);
      return false;
   }
   return true;
}

/* What clang and the translator are asked for. */
struct front_end {
   const struct clc_optional_features *enabled;
   bool repairs; /* compiler_repairs() */
};

static bool to_spirv(const char *name, const char *source, const struct arguments *arguments,
                     const struct front_end *front_end, struct compiler_result *result, struct clc_binary *spirv)
{
   const struct clc_logger logger = {.priv = result, .error = log_message, .warning = log_message};
   const struct clc_compile_args args = {
       .source = {.name = name, .value = source},
       .args = (const char *const *)arguments->list,
       .num_args = (unsigned)arguments->count,
       .spirv_version = CLC_SPIRV_VERSION_MAX,
       .features = *front_end->enabled,
       .address_bits = 64,
   };
   struct clc_binary object = {0};
   struct set *included = _mesa_set_create(NULL, announce_translator, _mesa_key_string_equal);

   compiler_stage(COMPILER_STAGE_CLANG);
   const bool compiled = clc_compile_c_to_spirv(&args, &logger, &object, included);
   _mesa_set_destroy(included, NULL);
   if (!compiled) {
      return false;
   }
   compiler_stage(COMPILER_STAGE_LINK);
   if (!run_pass(compiler_debug_info_strip, name, &object, result) ||
       !run_pass(compiler_prune, name, &object, result)) {
      clc_free_spirv(&object);
      return false;
   }
   /* The linker also decides what each function is: it removes the linkage that clang gives to helper functions. As
    * mesa_clc does, the module stays a library, so that libclc's functions may remain undefined. */
   const struct clc_binary *const objects[] = {&object};
   const struct clc_linker_args link = {.in_objs = objects, .num_in_objs = 1, .create_library = true};
   const bool linked = clc_link_spirv(&link, &logger, spirv);
   if (!linked) {
      compiler_log(result, "%s: the SPIR-V linker refuses the module that clang made\n", name);
   }
   clc_free_spirv(&object);
   if (!linked) {
      return false;
   }
   const bool valid = make_valid(name, front_end->repairs, spirv, result);
   if (!valid) {
      clc_free_spirv(spirv);
   }
   return valid;
}

static int compile_spirv(const char *name, struct clc_binary *spirv, const struct compiler_options *options, bool split,
                         struct compiler_result *result)
{
   int ret = compiler_spirv_kernels(name, spirv->data, spirv->size / sizeof(uint32_t), options, split, result);

   clc_free_spirv(spirv);
   return ret;
}

/* Source that the front end refuses may be right and only ask for what this target lacks. It is if it compiles
 * once double precision and images are switched on, and the backend's answer then says which it is. (They cannot
 * be on from the start: with double precision a plain 1.0 is a double.) */
static void explain_failure(const char *name, const char *source, const struct arguments *arguments,
                            const struct compiler_options *options, struct compiler_result *result)
{
   struct clc_optional_features all = features;
   struct compiler_result second;
   struct clc_binary spirv = {0};

   all.fp64 = true;
   all.images = true;
   all.images_read_write = true;
   all.images_write_3d = true;
   all.images_depth = true;
   if (compiler_result_init(&second) < 0) {
      return;
   }
   if (to_spirv(name, source, arguments, &(struct front_end){&all, compiler_repairs(options)}, &second, &spirv)) {
      compile_spirv(name, &spirv, options, false, &second);
      compiler_log(result, "%s%s: unsupported: double precision or images\n", second.log, name);
      result->unsupported = true;
   }
   compiler_result_finish(&second);
}

/* Without an option source is OpenCL C 1.2, which has no subgroups, no generic pointers and no atomic types. */
static void explain_version(const char *name, const char *source, struct arguments *arguments,
                            const struct front_end *front_end, struct compiler_result *result)
{
   struct compiler_result second;
   struct clc_binary spirv = {0};

   for (size_t i = 0; i < arguments->count; i++) {
      if (!strncmp(arguments->list[i], "-cl-std=", strlen("-cl-std="))) {
         return;
      }
   }
   if (compiler_result_init(&second) < 0) {
      return;
   }
   if (arguments_add(arguments, strdup("-cl-std=CL3.0")) == 0 &&
       to_spirv(name, source, arguments, front_end, &second, &spirv)) {
      clc_free_spirv(&spirv);
      compiler_log(result, "%s: compiles with the build option -cl-std=CL3.0; without one it is OpenCL C 1.2\n", name);
   }
   compiler_result_finish(&second);
}

static int compile(const char *name, const char *source, struct arguments *arguments,
                   const struct compiler_warnings *warnings, const struct compiler_options *options, bool split,
                   struct compiler_result *result)
{
   const struct front_end front_end = {&features, compiler_repairs(options)};
   struct clc_binary spirv = {0};

   if (!to_spirv(name, source, arguments, &front_end, result, &spirv)) {
      if (options->arguments != NULL) {
         compiler_log(result, "build options: %s\n", options->arguments);
      }
      explain_failure(name, source, arguments, options, result);
      explain_version(name, source, arguments, &front_end, result);
      result->front_end = !result->unsupported;
      return -EINVAL;
   }
   compiler_warnings_log(warnings, result);
   return compile_spirv(name, &spirv, options, split, result);
}

static int compile_source(const char *name, const char *source, const struct compiler_options *options, bool split,
                          struct compiler_result *result)
{
   struct arguments arguments = {0};
   struct compiler_warnings warnings;

   if (compiler_result_init(result) < 0) {
      return -ENOMEM;
   }
   int ret = compiler_warnings_init(&warnings);
   if (ret < 0) {
      compiler_log(result, "%s: error: no file for warnings: %s\n", name, strerror(-ret));
      return ret;
   }
   compiler_mesa_init();

   ret = make_arguments(options, &warnings, &arguments);
   if (ret == 0) {
      ret = compile(name, source, &arguments, &warnings, options, split, result);
   }
   arguments_finish(&arguments);
   compiler_warnings_finish(&warnings);
   return ret;
}

/* In the process of the compilation. */
static int run_job(const void *data, size_t size, struct compiler_result *result)
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

int compiler_opencl(const char *name, const char *source, size_t size, const struct compiler_options *options,
                    struct compiler_result *result)
{
   const bool split = compiler_service_has_processes();
   struct compiler_writer writer = {0};

   if (compiler_result_init(result) < 0) {
      return -ENOMEM;
   }
   if (memchr(source, 0, size) != NULL) {
      compiler_log(result, "%s: error: not OpenCL C: there is a NUL byte in it\n", name);
      return -EINVAL;
   }
   compiler_result_finish(result);
   char *text = strndup(source, size);
   compiler_write_options(&writer, options);
   compiler_write(&writer, &split, sizeof(split));
   compiler_write_string(&writer, name);
   compiler_write_string(&writer, text);
   const struct compiler_request request = {.run = run_job,
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
   return ret == 0 && result->pending.kernel_count > 0 ? compiler_spirv_pending(name, options, result) : ret;
}

const char *compiler_opencl_extensions(void)
{
   return "cl_khr_byte_addressable_store cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "
          "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics cl_khr_expect_assume cl_khr_fp16 "
          "cles_khr_int64 cl_khr_subgroups cl_khr_subgroup_shuffle cl_khr_subgroup_shuffle_relative "
          "cl_khr_subgroup_ballot";
}
