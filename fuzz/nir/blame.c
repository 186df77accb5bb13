/* SPDX-License-Identifier: MIT
 *
 * Finds the wrong pass. Every NIR pass ends with nir_metadata_preserve(), which the linker redirects to this file
 * (--wrap in meson.build): so the shader is interpreted after each pass. The name of the pass comes from the call
 * stack. Invariant: outside fuzz_blame_nir() the wrapped functions only call the original ones.
 */
#include "fuzz/nir/blame.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/nir/build.h"
#include "fuzz/nir/interpret.h"
#include "fuzz/nir/algebra/rule_blame.h"
#include "fuzz/nir/watch/symbols.h"

#define FRAMES 24

/* One observer for the process, like Mesa's own state. */
static struct {
   const struct fuzz_program *program; /* NULL: nothing is observed, or `kernel` is */
   const struct fuzz_kernel *kernel;
   uint8_t *bytes; /* the kernel's outputs, then their certainty */
   struct fuzz_outputs expected, found;
   struct fuzz_blame *blame;
   bool inside;              /* the shader is being interpreted */
   bool begun;               /* the interpreter has understood the kernel at least once */
   char right_in[96];        /* the pass, which may still run, in which a wrong answer became right; "": none */
   struct fuzz_final *final; /* NULL: not requested; the wrong pass is searched */
} observer;

struct fuzz_final {
   unsigned last, number; /* number of observations, and the one that is wanted; last 0: they are only counted */
   nir_shader *nir;
};

/* Whether the function calls passes in sequence, so that the next inner frame is the pass. */
static bool runs_passes(const char *function)
{
   static const char *const prefixes[] = {"agx_optimize_",         "agx_preprocess_", "agx_compile",
                                          "agx_nir_lower_address", "compiler_",       "run_job"};

   /* functions of compiler/kernel.c, and register allocation */
   static const char *const names[] = {"optimize",          "inline_all",     "lower_kernel",
                                       "lower_memory",      "lower_pointers", "lower_constants",
                                       "arrays_to_scratch", "agx_ra",         "agx_spill"};

   for (unsigned i = 0; i < ARRAY_SIZE(prefixes); i++) {
      if (strncmp(function, prefixes[i], strlen(prefixes[i])) == 0) {
         return true;
      }
   }
   for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
      if (strcmp(function, names[i]) == 0) {
         return true;
      }
   }
   return false;
}

/* The callback of nir_shader_lower_instructions() while that runs, else NULL. If that call is a pass's tail call, the
 * pass is not on the call stack; it is named after the source file of the callback. */
static void *helped;

/* Finds the pass in a call stack. Returns false if there is none. */
static bool find_pass(void *const *frames, int count, char *name, size_t size)
{
   static const char wrapped[] = "__wrap_"; /* the linker's prefix of a wrapped function, which calls a pass */
   char function[96], below[96] = "";

   name[0] = '\0';
   for (int i = 0; i < count; i++) {
      fuzz_symbol(frames[i], function, sizeof(function));
      if (runs_passes(function)) {
         if (below[0] == '\0' || strcmp(below, "__wrap_nir_metadata_preserve") == 0) {
            snprintf(name, size, "a pass inlined into %.60s", function);
         } else if (helped != NULL && strcmp(below, "__wrap_nir_shader_lower_instructions") == 0) {
            fuzz_symbol_file(helped, name, size);
         } else {
            snprintf(name, size, "%.90s",
                     below + (strncmp(below, wrapped, strlen(wrapped)) == 0 ? strlen(wrapped) : 0));
         }
         return true;
      }
      snprintf(below, sizeof(below), "%s", function);
   }
   snprintf(name, size, "%.90s", below);
   return false;
}

static void name_pass(char *name, size_t size)
{
   void *frames[FRAMES];
   const int count = backtrace(frames, FRAMES);

   (void)find_pass(frames, count, name, size);
}

enum observation { SEEN_RIGHT, SEEN_WRONG, NOT_SEEN, NOT_A_KERNEL };

static enum observation observe_program(const nir_shader *nir, char why[FUZZ_WHY])
{
   struct fuzz_difference difference;

   fuzz_interpret(nir, observer.program, NULL, &observer.found);
   if (!observer.found.valid) {
      snprintf(why, FUZZ_WHY, "%s", observer.found.why);
      return NOT_SEEN;
   }
   if (fuzz_differ(&observer.expected, &observer.found, &difference)) {
      return SEEN_WRONG;
   }
   /* a pass may drop the `exact` flag of an op, after which memory cannot be compared */
   return observer.found.memory_undefined && !observer.expected.memory_undefined ? NOT_SEEN : SEEN_RIGHT;
}

static enum observation observe_kernel(const nir_shader *nir, char why[FUZZ_WHY])
{
   const struct fuzz_kernel *kernel = observer.kernel;
   const size_t size = kernel->memory->output_bytes;
   uint8_t *certainty = observer.bytes + size;

   if (!fuzz_interpret_memory(nir, kernel->memory, NULL, observer.bytes, certainty, why)) {
      return why[0] != '\0' ? NOT_SEEN : NOT_A_KERNEL;
   }
   for (size_t i = 0; i < size; i++) {
      /* floats of generated kernels are exact even if their ops are not marked: a close value is right if it is
       * equal */
      if (kernel->compared[i] != 0 && (observer.bytes[i] != kernel->expected[i] || certainty[i] == FUZZ_UNDEFINED)) {
         return SEEN_WRONG;
      }
   }
   return SEEN_RIGHT;
}

/* Whether a phi and its sources have the same size, which NIR demands, as of the operands of most ops. Mesa's
 * validation checks it, but not in a release build. The interpreter's answer may be right and the machine code
 * wrong. */
static bool phi_fits(const nir_phi_instr *phi)
{
   nir_foreach_phi_src(source, phi)
   {
      const nir_def *def = source->src.ssa;
      if (def->bit_size != phi->def.bit_size || def->num_components != phi->def.num_components) {
         return false;
      }
   }
   return true;
}

static bool op_fits(const nir_alu_instr *alu)
{
   const nir_op_info *info = &nir_op_infos[alu->op];
   unsigned common = nir_alu_type_get_type_size(info->output_type) == 0 ? alu->def.bit_size : 0;

   for (unsigned i = 0; i < info->num_inputs; i++) {
      const unsigned size = nir_src_bit_size(alu->src[i].src),
                     wanted = nir_alu_type_get_type_size(info->input_types[i]);
      common = common == 0 && wanted == 0 ? size : common;
      if (size != (wanted == 0 ? common : wanted)) {
         return false;
      }
   }
   return true;
}

static bool misfits(nir_instr *instr)
{
   return (instr->type == nir_instr_type_phi && !phi_fits(nir_instr_as_phi(instr))) ||
          (instr->type == nir_instr_type_alu && !op_fits(nir_instr_as_alu(instr)));
}

static bool any_instruction(const nir_shader *nir, bool (*property)(nir_instr *instr))
{
   nir_foreach_function_impl (impl, nir) {
      nir_foreach_block (block, impl) {
         nir_foreach_instr (instr, block) {
            if (property(instr)) {
               return true;
            }
         }
      }
   }
   return false;
}

/* Whether the op computes in 8 bits. The backend needs 16 bits or more, which nir_lower_bit_size ensures; the
 * interpreter also accepts 8-bit ops that a later pass makes. */
static bool computes_bytes(nir_instr *instr)
{
   if (instr->type != nir_instr_type_alu) {
      return false;
   }
   const nir_alu_instr *alu = nir_instr_as_alu(instr);
   const bool moves = nir_op_is_vec_or_mov(alu->op) || alu->op == nir_op_bcsel || nir_op_infos[alu->op].is_conversion;
   return (alu->def.bit_size == 8 && !moves) || (alu->def.bit_size == 1 && nir_src_bit_size(alu->src[0].src) == 8);
}

static bool has_byte_ops(const nir_shader *nir)
{
   return any_instruction(nir, computes_bytes);
}

static enum observation see(const nir_shader *nir, char why[FUZZ_WHY])
{
   const enum observation seen = observer.kernel != NULL ? observe_kernel(nir, why) : observe_program(nir, why);
   /* a branch or an address is undetermined that was determined before */
   const bool lost = seen == NOT_SEEN && strncmp(why, "undefined", 9) == 0;

   return seen == NOT_A_KERNEL ? seen : lost || any_instruction(nir, misfits) ? SEEN_WRONG : seen;
}

static void forget_blame(void)
{
   struct fuzz_blame *blame = observer.blame;

   blame->in_nir = blame->from_start = false;
   blame->pass[0] = blame->rule[0] = '\0';
   observer.right_in[0] = '\0';
}

/* A wrong answer that becomes right for a moment, within one pass, stays wrong: the NIR in between may not be a
 * program. */
static void settle(enum observation seen)
{
   char pass[sizeof(observer.right_in)];

   if (observer.right_in[0] == '\0') {
      return;
   }
   name_pass(pass, sizeof(pass));
   if (seen == SEEN_RIGHT || strcmp(pass, observer.right_in) != 0) {
      forget_blame();
   }
   observer.right_in[0] = '\0';
}

/* Interprets the shader. A pass may be wrong for a moment while it runs, so the pass that began the last series of
 * wrong answers is to blame. */
static void observe(const nir_shader *nir)
{
   struct fuzz_blame *blame = observer.blame;
   char why[FUZZ_WHY] = "";

   if (!has_byte_ops(nir)) {
      blame->byte_pass[0] = blame->byte_rule[0] = '\0';
   } else if (blame->byte_pass[0] == '\0') {
      name_pass(blame->byte_pass, sizeof(blame->byte_pass));
   }
   const enum observation seen = see(nir, why);
   if (seen == NOT_A_KERNEL) {
      return;
   }
   settle(seen);
   if (seen == NOT_SEEN) {
      return;
   }
   const bool first = !observer.begun;
   observer.begun = true;
   if (seen == SEEN_RIGHT && blame->in_nir) {
      name_pass(observer.right_in, sizeof(observer.right_in));
   } else if (seen == SEEN_WRONG && !blame->in_nir) {
      blame->in_nir = true;
      blame->from_start = first && observer.kernel != NULL;
      name_pass(blame->pass, sizeof(blame->pass));
   }
}

static bool is_kernel(const nir_shader *nir)
{
   nir_foreach_function_with_impl(function, impl, nir)
   {
      if (function->is_entrypoint) {
         return true;
      }
   }
   return false; /* it is a library */
}

static void observe_final(const nir_shader *nir)
{
   struct fuzz_final *final = observer.final;

   if (is_kernel(nir) && ++final->number == final->last) {
      final->nir = nir_shader_clone(NULL, nir);
   }
}

/* Whether the function can be interpreted: control flow that is being moved has no function. */
static bool is_observed(const nir_function_impl *impl)
{
   const bool wanted = observer.program != NULL || observer.kernel != NULL || observer.final != NULL;

   return wanted && !observer.inside && impl->function != NULL;
}

void __real_nir_metadata_preserve(nir_function_impl *impl, nir_metadata preserved);
void __wrap_nir_metadata_preserve(nir_function_impl *impl, nir_metadata preserved);

void __wrap_nir_metadata_preserve(nir_function_impl *impl, nir_metadata preserved)
{
   __real_nir_metadata_preserve(impl, preserved);
   if (is_observed(impl)) {
      observer.inside = true;
      if (observer.final != NULL) {
         observe_final(impl->function->shader);
      } else {
         observe(impl->function->shader);
      }
      observer.inside = false;
   }
}

static bool is_seen_wrong(const nir_shader *nir)
{
   char why[FUZZ_WHY] = "";

   return see(nir, why) == SEEN_WRONG;
}

static unsigned function_number(const nir_function_impl *wanted)
{
   unsigned number = 0;

   nir_foreach_function_impl (impl, wanted->function->shader) {
      if (impl == wanted) {
         break;
      }
      number++;
   }
   return number;
}

static bool is_wrong(void)
{
   return observer.blame->in_nir && observer.right_in[0] == '\0';
}

bool __real_nir_algebraic_impl(nir_function_impl *impl, const bool *flags, const nir_algebraic_table *table);
bool __wrap_nir_algebraic_impl(nir_function_impl *impl, const bool *flags, const nir_algebraic_table *table);

/* If the answer is wrong after this call, or there are 8-bit ops, and neither was so before, a rule is to blame. */
bool __wrap_nir_algebraic_impl(nir_function_impl *impl, const bool *flags, const nir_algebraic_table *table)
{
   struct fuzz_blame *blame = observer.blame;

   if (!is_observed(impl) || observer.final != NULL) {
      return __real_nir_algebraic_impl(impl, flags, table);
   }
   nir_shader *before = nir_shader_clone(NULL, impl->function->shader);
   const struct fuzz_algebraic_call call = {before, function_number(impl), flags, table};
   const bool was_wrong = is_wrong(), had_byte_ops = blame->byte_pass[0] != '\0';

   const bool progress = __real_nir_algebraic_impl(impl, flags, table);
   observer.inside = true;
   if (is_wrong() && !blame->from_start && !was_wrong) {
      fuzz_blame_rule(&call, is_seen_wrong, blame->rule, sizeof(blame->rule));
   }
   if (blame->byte_pass[0] != '\0' && !had_byte_ops) {
      fuzz_blame_rule(&call, has_byte_ops, blame->byte_rule, sizeof(blame->byte_rule));
   }
   observer.inside = false;
   ralloc_free(before);
   return progress;
}

typedef bool instruction_filter(const nir_instr *instr, const void *data);
typedef nir_def *instruction_lowering(nir_builder *b, nir_instr *instr, void *data);
bool __real_nir_shader_lower_instructions(nir_shader *nir, instruction_filter *filter, instruction_lowering *lower,
                                          void *data);
bool __wrap_nir_shader_lower_instructions(nir_shader *nir, instruction_filter *filter, instruction_lowering *lower,
                                          void *data);

bool __wrap_nir_shader_lower_instructions(nir_shader *nir, instruction_filter *filter, instruction_lowering *lower,
                                          void *data)
{
   helped = (void *)(uintptr_t)lower;
   const bool progress = __real_nir_shader_lower_instructions(nir, filter, lower, data);
   helped = NULL;
   return progress;
}

static void begin_blame(struct fuzz_blame *blame)
{
   *blame = (struct fuzz_blame){0};
   observer.blame = blame;
   observer.begun = false;
   observer.right_in[0] = '\0';
}

static void build_observed(nir_builder *b, const void *data)
{
   const struct fuzz_program *program = data;

   fuzz_build(b, program);
   nir_index_ssa_defs(b->impl);
   fuzz_interpret(b->shader, program, NULL, &observer.expected);
   observer.program = program;
}

void fuzz_blame_nir(void *program, const struct compiler_options *options, struct fuzz_blame *blame)
{
   struct compiler_result result = {0};

   begin_blame(blame);
   (void)fuzz_compile_built(program, build_observed, program, options, &result);
   settle(SEEN_RIGHT);
   observer.program = NULL;
   compiler_result_finish(&result);
}

struct fuzz_final *fuzz_final_make(void (*compile)(void *data), void *data)
{
   struct fuzz_final *final = calloc(1, sizeof(*final));

   observer.final = final;
   for (unsigned i = 0; final != NULL && i < 2; i++) {
      final->last = final->number;
      final->number = 0;
      compile(data);
   }
   observer.final = NULL;
   if (final != NULL && final->nir == NULL) {
      free(final);
      return NULL;
   }
   return final;
}

void fuzz_final_free(struct fuzz_final *final)
{
   if (final != NULL) {
      ralloc_free(final->nir);
   }
   free(final);
}

void fuzz_final_run(const struct fuzz_final *final, const struct fuzz_program *program, const struct fuzz_watch *watch,
                    struct fuzz_outputs *expected)
{
   fuzz_interpret(final->nir, program, watch, expected);
}

bool fuzz_final_run_memory(const struct fuzz_final *final, const struct fuzz_memory *memory,
                           const struct fuzz_watch *watch, uint8_t *outputs, uint8_t *certainty)
{
   char why[FUZZ_WHY];

   return fuzz_interpret_memory(final->nir, memory, watch, outputs, certainty, why);
}

void fuzz_blame_kernel(const struct fuzz_kernel *kernel, struct fuzz_blame *blame)
{
   begin_blame(blame);
   observer.bytes = calloc(2, kernel->memory->output_bytes);
   if (observer.bytes == NULL) {
      return;
   }
   observer.kernel = kernel;
   kernel->compile(kernel->data);
   settle(SEEN_RIGHT);
   observer.kernel = NULL;
   free(observer.bytes);
}

/* Where the call stack of a crash of this process is stored. One for the process, like signal handlers. */
static struct fuzz_crash *watched;

static void on_crash(int number)
{
   watched->helped = helped;
   watched->count = backtrace(watched->frames, FUZZ_CRASH_FRAMES);
   (void)signal(number, SIG_DFL);
   (void)raise(number);
}

void fuzz_crash_watch(struct fuzz_crash *crash)
{
   static const int numbers[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGALRM};
   static uint8_t stack[1 << 16]; /* a stack of its own, because the crash may be a stack overflow */
   const stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
   struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};

   watched = crash;
   watched->count = 0;
   (void)backtrace(watched->frames, 1); /* the first call loads a library, which a handler should not do */
   (void)sigaltstack(&other, NULL);
   for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++) {
      (void)sigaction(numbers[i], &action, NULL);
   }
}

/* Names the function of a library that called what crashed (clang, the translator), or the library if its functions
 * have no names. Returns false if the program itself crashed. The first frame is the handler; those of the C library
 * follow. */
static bool name_library_function(const struct fuzz_crash *crash, char *name, size_t size)
{
   Dl_info own, info;

   name[0] = '\0';
   if (dladdr((const void *)(uintptr_t)name_library_function, &own) == 0) {
      return false;
   }
   for (int i = 1; i < crash->count; i++) {
      if (dladdr(crash->frames[i], &info) == 0 || info.dli_fname == NULL || strstr(info.dli_fname, "libc.so") != NULL) {
         continue;
      }
      if (strcmp(info.dli_fname, own.dli_fname) == 0) {
         return false;
      }
      const char *slash = strrchr(info.dli_fname, '/');
      snprintf(name, size, "%s", info.dli_sname != NULL ? info.dli_sname : slash != NULL ? slash + 1 : info.dli_fname);
      return true;
   }
   return false;
}

bool fuzz_crash_place(const struct fuzz_crash *crash, char *name, size_t size)
{
   if (name_library_function(crash, name, size)) {
      return false;
   }
   helped = crash->helped;
   const bool found = find_pass(crash->frames, crash->count, name, size) && strncmp(name, "0x", 2) != 0;
   helped = NULL;
   if (!found) {
      name[0] = '\0';
   }
   return found;
}

uint64_t fuzz_crash_site(const struct fuzz_crash *crash)
{
   uint64_t site = 0;
   unsigned taken = 0;
   Dl_info own, info;

   if (dladdr((const void *)(uintptr_t)fuzz_crash_site, &own) == 0) {
      return 0;
   }
   for (int i = 1; i < crash->count && taken < 2; i++) {
      if (dladdr(crash->frames[i], &info) != 0 && info.dli_fbase == own.dli_fbase) {
         site = site << 32 | (uint32_t)((uintptr_t)crash->frames[i] - (uintptr_t)own.dli_fbase);
         taken++;
      }
   }
   return site;
}

/* The optimizations of the backend, the last one first. If leaving out any of several cures a program, the last one
 * made it wrong, and the others produced its input. Each is void (agx_context *), and correct programs need none of
 * them. */
struct agx_context;
static unsigned skipped = UINT_MAX;

#define PASSES(X)                                                                                                      \
   X(agx_pressure_schedule)                                                                                            \
   X(agx_opt_promote_constants)                                                                                        \
   X(agx_opt_compact_constants)                                                                                        \
   X(agx_optimizer_forward)                                                                                            \
   X(agx_optimizer_backward)                                                                                           \
   X(agx_opt_cse)

#define NUMBER(name) PASS_##name,
enum { PASSES(NUMBER) PASS_COUNT };
#define NAME(name) #name,
static const char *const pass_names[] = {PASSES(NAME)};

#define WRAP(name)                                                                                                     \
   void __real_##name(struct agx_context *context);                                                                    \
   void __wrap_##name(struct agx_context *context);                                                                    \
   void __wrap_##name(struct agx_context *context)                                                                     \
   {                                                                                                                   \
      if (skipped != PASS_##name && skipped != FUZZ_BACKEND_ALL) {                                                     \
         __real_##name(context);                                                                                       \
      }                                                                                                                \
   }
PASSES(WRAP)

unsigned fuzz_backend_pass_count(void)
{
   return PASS_COUNT;
}

const char *fuzz_backend_pass_name(unsigned pass)
{
   return pass_names[pass];
}

void fuzz_backend_skip(unsigned pass)
{
   skipped = pass;
}
