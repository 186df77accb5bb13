/* SPDX-License-Identifier: MIT
 *
 * Runs clang, SPIRV-LLVM-Translator and SPIRV-Tools' linker, in Mesa's clang library. Invariant: every module that it
 * returns is valid SPIR-V.
 */
#include "compiler/front_end/front_end.h"

#include <string.h>

#include "util/hash_table.h"
#include "util/set.h"

#include "compiler/passes/constinit.h"
#include "compiler/passes/debug_info.h"
#include "compiler/passes/prune.h"
#include "compiler/api/result.h"
#include "compiler/spirv.h"
#include "compiler/api/stage.h"

static void log_message(void *result, const char *message)
{
   compiler_log(result, "%s", message);
}

/* Mesa runs clang and the SPIR-V translator in one call. Between the two it adds the names of the files that clang
 * read, at least the source, to a set. This is the hash function of that set, which announces the translator's
 * stage. */
static uint32_t announce_translator(const void *key)
{
   compiler_stage(COMPILER_STAGE_TRANSLATOR);
   return _mesa_hash_string(key);
}

/* A pass over the module: returns 1 and a new one, 0, or -ENOMEM. */
typedef int module_pass(const uint32_t *words, size_t count, uint32_t **changed, size_t *changed_count);

static bool run_pass(module_pass *pass, struct clc_binary *spirv, struct compiler_result *result)
{
   uint32_t *words;
   size_t count;
   const int ret = pass(spirv->data, spirv->size / sizeof(*words), &words, &count);

   if (ret < 0) {
      compiler_refuse(result, REFUSAL_MEMORY, "out of memory");
   }
   if (ret == 1) {
      clc_free_spirv(spirv);
      *spirv = (struct clc_binary){.data = words, .size = count * sizeof(*words)};
   }
   return ret >= 0;
}

/* Repairs known faults of clang, and accepts valid SPIR-V only. */
static bool make_valid(bool repairs, struct clc_binary *spirv, struct compiler_result *result)
{
   return (!repairs || run_pass(compiler_constinit_mend, spirv, result)) &&
          compiler_spirv_validate(spirv->data, spirv->size / sizeof(uint32_t), REFUSAL_FRONT_END, result);
}

/* Returns the text of the first line with an error, else of the first line. */
static const char *first_error(const char *log, int *length)
{
   static const char mark[] = "error: ";
   const char *found = strstr(log, mark), *text = found != NULL ? found + strlen(mark) : log;

   *length = (int)strcspn(text, "\n");
   return text;
}

/* Makes a refusal from `log`, which alone has the errors that are not about source: those of build options before clang
 * reads a line, and the translator's. */
static void refuse_by_log(const struct compiler_front_end *front_end, const char *log, struct compiler_result *result)
{
   int length;
   const char *error = first_error(log, &length);

   if (strstr(log, "Clang invocation") != NULL) {
      compiler_refuse(result, REFUSAL_CLANG, "clang refuses the build options: %s%s%.*s",
                      front_end->options != NULL ? front_end->options : "none are given", error != log ? ": " : "",
                      error != log ? length : 0, error);
   } else if (strstr(log, "LLVM compilation action") != NULL) {
      compiler_refuse(result, REFUSAL_CLANG, "%.*s", length, error);
   } else {
      compiler_refuse(result, REFUSAL_FRONT_END, "fails: %.*s", length, error);
   }
}

static bool compile(const char *name, const char *source, const struct compiler_front_end *front_end,
                    struct compiler_result *result, struct clc_binary *object)
{
   struct compiler_result messages;
   const struct clc_logger logger = {.priv = &messages, .error = log_message, .warning = log_message};
   const struct clc_compile_args args = {
       .source = {.name = name, .value = source},
       .args = front_end->arguments,
       .num_args = (unsigned)front_end->count,
       .spirv_version = CLC_SPIRV_VERSION_MAX,
       .features = *front_end->features,
       .address_bits = 64,
   };

   if (compiler_result_init(&messages) < 0) {
      compiler_refuse(result, REFUSAL_MEMORY, "out of memory");
      return false;
   }
   struct set *included = _mesa_set_create(NULL, announce_translator, _mesa_key_string_equal);
   compiler_stage(COMPILER_STAGE_CLANG);
   const bool compiled = clc_compile_c_to_spirv(&args, &logger, object, included);
   _mesa_set_destroy(included, NULL);
   if (!compiled) {
      refuse_by_log(front_end, messages.log, result);
   }
   compiler_result_finish(&messages);
   return compiled;
}

/* Links the module. The linker also sets the linkage of each function: it removes the one that clang gives to helper
 * functions. As in mesa_clc, the module stays a library, so that libclc's functions may remain undefined. */
static bool link_module(const struct clc_binary *object, struct compiler_result *result, struct clc_binary *spirv)
{
   const struct clc_binary *const objects[] = {object};
   const struct clc_linker_args link = {.in_objs = objects, .num_in_objs = 1, .create_library = true};
   struct compiler_result messages;
   const struct clc_logger logger = {.priv = &messages, .error = log_message, .warning = log_message};

   if (compiler_result_init(&messages) < 0) {
      compiler_refuse(result, REFUSAL_MEMORY, "out of memory");
      return false;
   }
   const bool linked = clc_link_spirv(&link, &logger, spirv);
   if (!linked) {
      compiler_refuse(result, REFUSAL_FRONT_END, "makes a module that SPIRV-Tools' linker refuses: %.*s",
                      (int)strcspn(messages.log, "\n"), messages.log);
   }
   compiler_result_finish(&messages);
   return linked;
}

bool compiler_front_end_run(const char *name, const char *source, const struct compiler_front_end *front_end,
                            struct compiler_result *result, struct clc_binary *spirv)
{
   struct clc_binary object = {0};

   if (!compile(name, source, front_end, result, &object)) {
      return false;
   }
   compiler_stage(COMPILER_STAGE_LINK);
   const bool linked = run_pass(compiler_debug_info_strip, &object, result) &&
                       run_pass(compiler_prune, &object, result) && link_module(&object, result, spirv);
   clc_free_spirv(&object);
   if (!linked) {
      return false;
   }
   const bool valid = make_valid(front_end->repairs, spirv, result);
   if (!valid) {
      clc_free_spirv(spirv);
   }
   return valid;
}
