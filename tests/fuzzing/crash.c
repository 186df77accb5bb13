/* SPDX-License-Identifier: MIT
 *
 * Crashes of the compiler: the verdict follows from the stage and the pass, and the pass from the call stack of the
 * process that crashed. Reads outside of an allocation are crashes, too.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/crash.h"
#include "fuzz/finding.h"
#include "fuzz/fuzz.h"
#include "fuzz/opencl/ops.h"
#include "agx_runner/terminal/runner.h"
#include "tests/fuzzing/check.h"

/* The verdict of a crash: who is to blame, by the stage of the compilation and where the call stack ends. */
static const struct {
   enum compiler_stage stage;
   const char *place, *verdict;
} crashes[] = {
    {COMPILER_STAGE_CLANG, "", "front end"},
    {COMPILER_STAGE_TRANSLATOR, "_ZNK5SPIRV15SPIRVTypeVector8validateEv", "front end"},
    {COMPILER_STAGE_NIR, "spirv_to_nir", "front end"},
    {COMPILER_STAGE_NIR, "nir_opt_deref", "NIR pass nir_opt_deref (crash)"},
    {COMPILER_STAGE_NIR, "", "NIR pass not known (crash)"},
    {COMPILER_STAGE_BACKEND, "nir_opt_algebraic", "NIR pass nir_opt_algebraic (crash)"},
    {COMPILER_STAGE_BACKEND, "agx_nir_lower_address", "NIR pass agx_nir_lower_address (crash)"},
    {COMPILER_STAGE_BACKEND, "agx_repair_ssa", "backend"},
    {COMPILER_STAGE_BACKEND, "", "backend"},
    {COMPILER_STAGE_DONE, "", "device"},
};

static void check_crash_verdicts(void)
{
   static struct fuzz_report report;
   const struct fuzz_settings settings = {0};

   for (unsigned i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++) {
      struct findings findings = {0};
      report.fate = (struct call_fate){CALL_CRASHED, SIGABRT};
      report.stage = crashes[i].stage;
      snprintf(report.crashed, sizeof(report.crashed), "%s", crashes[i].place);
      CHECK(findings_add(&findings, &settings, &report, "Aborted in the compiler"));
      CHECK(findings.count == 1 && strcmp(findings.items[0]->verdict, crashes[i].verdict) == 0);
      findings_finish(&findings);
   }
}

static bool holds(const nir_shader *nir, nir_op op)
{
   nir_foreach_function_impl (impl, (nir_shader *)nir) {
      nir_foreach_block (block, impl) {
         nir_foreach_instr (instr, block) {
            if (instr->type == nir_instr_type_alu && nir_instr_as_alu(instr)->op == op) {
               return true;
            }
         }
      }
   }
   return false;
}

/* A call late in the life of a process crashes: a process that compiles one program does not come so far. */
static void crash_later(nir_shader *nir)
{
   static unsigned calls;

   (void)nir;
   if (++calls > 300) {
      abort();
   }
}

static unsigned count_ops(nir_shader *nir)
{
   unsigned count = 0;

   nir_foreach_function_impl (impl, nir) {
      nir_foreach_block (block, impl) {
         nir_foreach_instr (instr, block) {
            count += instr->type == nir_instr_type_alu ? 1 : 0;
         }
      }
   }
   return count;
}

/* An exclusive or becomes an or; a program with few ops crashes. */
static void crash_when_small(nir_shader *nir)
{
   if (!holds(nir, nir_op_ixor)) {
      return;
   }
   if (count_ops(nir) < 12) {
      abort();
   }
   nir_foreach_function_impl (impl, nir) {
      nir_foreach_block (block, impl) {
         nir_foreach_instr (instr, block) {
            if (instr->type == nir_instr_type_alu && nir_instr_as_alu(instr)->op == nir_op_ixor) {
               nir_instr_as_alu(instr)->op = nir_op_ior;
            }
         }
      }
   }
}

#define ARRAY_BYTES 2000

/* Uses an array of ARRAY_BYTES, and grows it to twice that. */
static void use_array(size_t index, bool freed)
{
   volatile uint8_t *volatile array = calloc(1, ARRAY_BYTES);

   CHECK(array != NULL);
   array[ARRAY_BYTES - 1] = 7;
   if (index < ARRAY_BYTES) {
      array = realloc((void *)array, 2 * ARRAY_BYTES);
      CHECK(array != NULL && array[ARRAY_BYTES - 1] == 7);
      array[2 * ARRAY_BYTES - 1] = 1;
   }
   if (freed) {
      free((void *)array);
   }
   (void)array[index];
   if (!freed) {
      free((void *)array);
   }
}

/* It crashes where the shader holds an exclusive or, and elsewhere for another one that holds a signed maximum; where
 * it holds a minimum or a maximum, it reads an array behind its end, or after it was freed. With an or it does nothing
 * wrong. */
static void crash_by_op(nir_shader *nir)
{
   if (holds(nir, nir_op_ixor)) {
      abort();
   }
   if (holds(nir, nir_op_imax)) {
      __builtin_trap();
   }
   if (holds(nir, nir_op_umin)) {
      use_array(ARRAY_BYTES, false);
   }
   if (holds(nir, nir_op_umax)) {
      use_array(0, true);
   }
   if (holds(nir, nir_op_ior)) {
      use_array(0, false);
   }
}

/* A pass with faults, one at a time. The linker sends calls of nir_opt_dce() here. */
static void (*fault)(nir_shader *nir) = crash_by_op;
bool __real_nir_opt_dce(nir_shader *nir);
bool __wrap_nir_opt_dce(nir_shader *nir);

bool __wrap_nir_opt_dce(nir_shader *nir)
{
   fault(nir);
   return __real_nir_opt_dce(nir);
}

/* What reads outside of an allocation crashes, and what reads inside does not. */
static void check_heap(void)
{
   static struct fuzz_report report;
   static const struct {
      nir_op op;
      bool crashes;
   } cases[] = {{nir_op_ior, false}, {nir_op_umin, true}, {nir_op_umax, true}};
   struct fuzz_crash *where = mmap(NULL, sizeof(*where), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   struct crash_search search = {.where = where};

   CHECK(where != MAP_FAILED);
   for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      memset(&report, 0, sizeof(report));
      report.program.rule = -1;
      const uint16_t a = add_input(&report.program, 32, 5, 1), b = add_input(&report.program, 32, 9, 3);
      add_output(&report.program, add_alu(&report.program, cases[i].op, 32, a, b));
      CHECK(crash_again(&search, &report) == cases[i].crashes);
      CHECK(strcmp(report.crashed, cases[i].crashes ? "nir_opt_dce" : "") == 0);
   }
   munmap(where, sizeof(*where));
}

/* The call stack that the crashing process leaves behind names the pass, and a smaller program must crash there, too.
 */
static void check_crash_place(void)
{
   static struct fuzz_report report;
   struct fuzz_crash *where = mmap(NULL, sizeof(*where), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   struct crash_search search = {.where = where};
   struct fuzz_program *program = &report.program;

   CHECK(where != MAP_FAILED);
   program->rule = -1;
   const uint16_t a = add_input(program, 32, 5, 1), b = add_input(program, 32, 9, 3);
   const uint16_t sum = add_alu(program, nir_op_iadd, 32, a, b);
   add_output(program, sum);
   CHECK(!crash_again(&search, &report));
   CHECK(report.crashed[0] == '\0');
   add_output(program, add_alu(program, nir_op_imul, 32, add_alu(program, nir_op_ixor, 32, sum, b), a));
   CHECK(crash_again(&search, &report));
   CHECK(strcmp(report.crashed, "nir_opt_dce") == 0);
   crash_shrink(&search, &report);
   CHECK(program->count <= 4); /* two inputs or one, the exclusive or, the store */
   CHECK(crash_again(&search, &report));
   munmap(where, sizeof(*where));
}

/* A program that crashes a pass at two instructions shrinks to the one at which it crashed. */
static void check_crash_site(void)
{
   static struct fuzz_report report;
   struct fuzz_crash *where = mmap(NULL, sizeof(*where), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   struct crash_search search = {.where = where};
   struct fuzz_program *program = &report.program;
   bool found = false;

   CHECK(where != MAP_FAILED);
   program->rule = -1;
   const uint16_t a = add_input(program, 32, 5, 1), b = add_input(program, 32, 9, 3);
   add_output(program, add_alu(program, nir_op_ixor, 32, a, b));
   add_output(program, add_alu(program, nir_op_imax, 32, a, b));
   CHECK(crash_again(&search, &report));
   crash_shrink(&search, &report);
   for (uint32_t i = 0; i < program->count; i++) {
      found |= program->nodes[i].kind == FUZZ_ALU && program->nodes[i].op == nir_op_ixor;
   }
   CHECK(program->count <= 4);
   CHECK(found);
   munmap(where, sizeof(*where));
}

/* It crashes but where the constants of phis are in registers. */
static void crash_first_time(nir_shader *nir)
{
   if (holds(nir, nir_op_ixor) && !compiler_is_second_try()) {
      abort();
   }
}

/* What cures a kernel's crash is tried before it is shrunk: one that is known as it is takes little time. */
static void check_known_cure(void)
{
   static struct fuzz_report report, original;
   static struct finding finding;
   static const struct fuzz_settings settings;
   static char pattern[] = "crash: Aborted in the compiler (*), not with the constants of phis in registers: *";
   char *known[] = {pattern};
   struct findings findings = {.known = known, .known_count = 1};
   struct fuzz_crash *where = mmap(NULL, sizeof(*where), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   struct crash_search search = {.where = where};
   const struct ocl_type type = {OCL_INT, 1};

   CHECK(where != MAP_FAILED);
   compiler_set_second_try(true);
   fault = crash_first_time;
   compiler_prepare(); /* libclc holds that op, too */
   compiler_set_second_try(false);
   original.language = LANGUAGE_OPENCL;
   original.phase = PHASE_ATTEMPT;
   original.stage = COMPILER_STAGE_NIR;
   original.kernel = (struct ocl_program){
       .lanes = 1, .count = 4, .inputs = 2, .outputs = 1, .input_type = {type, type}, .output_type = {type}};
   struct ocl_node *nodes = original.kernel.nodes;
   nodes[0] = (struct ocl_node){.kind = OCL_INPUT, .type = type};
   nodes[1] = (struct ocl_node){.kind = OCL_INPUT, .type = type, .slot = 1};
   nodes[2] = (struct ocl_node){.kind = OCL_OP,
                                .op = (uint8_t)ocl_op_find("xor", OCL_SHAPES, OCL_TO_EVEN),
                                .type = type,
                                .count = 2,
                                .source = {0, 1}};
   nodes[3] = (struct ocl_node){.kind = OCL_OUTPUT, .type = type, .count = 1, .source = {2}};
   report = original;
   CHECK(crash_again(&search, &report));
   report.fate = search.fate;
   crash_look_into(&search, &finding, &findings, &settings, &report);
   CHECK(finding.known && search.seconds < 10);
   pattern[strlen("crash: ")] = 'B'; /* another one is known */
   report = original;
   CHECK(crash_again(&search, &report));
   report.fate = search.fate;
   crash_look_into(&search, &finding, &findings, &settings, &report);
   CHECK(!finding.known && search.seconds > 10);
   CHECK(strstr(finding.signature, ", not with the constants of phis in registers: OpenCL C: xor int") != NULL);
   munmap(where, sizeof(*where));
}

/* ---- Processes that hang or end ---- */

enum hang { HANG_NOWHERE, HANG_ORACLE, HANG_DEVICE };
static enum hang hang;

static void work_for_ever(void)
{
   for (volatile bool going = true; going;) {
   }
}

static void hang_by_op(nir_shader *nir)
{
   if (holds(nir, nir_op_ixor)) {
      work_for_ever();
   }
}

/* As clang does at some errors. */
static void exit_by_op(nir_shader *nir)
{
   if (holds(nir, nir_op_ixor)) {
      exit(0);
   }
}

static void do_nothing(nir_shader *nir)
{
   (void)nir;
}

void __real_fuzz_interpret(const nir_shader *nir, const struct fuzz_program *program, const struct fuzz_watch *watch,
                           struct fuzz_outputs *outputs);
void __wrap_fuzz_interpret(const nir_shader *nir, const struct fuzz_program *program, const struct fuzz_watch *watch,
                           struct fuzz_outputs *outputs);

void __wrap_fuzz_interpret(const nir_shader *nir, const struct fuzz_program *program, const struct fuzz_watch *watch,
                           struct fuzz_outputs *outputs)
{
   if (hang == HANG_ORACLE && holds(nir, nir_op_ixor)) {
      work_for_ever();
   }
   __real_fuzz_interpret(nir, program, watch, outputs);
}

int __real_asahi_run(struct asahi_device *device, const struct asahi_dispatch *dispatches, size_t count,
                     uint64_t timeout_ns, struct asahi_timing *timing);
int __wrap_asahi_run(struct asahi_device *device, const struct asahi_dispatch *dispatches, size_t count,
                     uint64_t timeout_ns, struct asahi_timing *timing);

int __wrap_asahi_run(struct asahi_device *device, const struct asahi_dispatch *dispatches, size_t count,
                     uint64_t timeout_ns, struct asahi_timing *timing)
{
   static unsigned runs;

   if (hang == HANG_DEVICE && ++runs > 2) {
      work_for_ever();
   }
   return __real_asahi_run(device, dispatches, count, timeout_ns, timing);
}

/* The text report of a run. The caller frees it. */
static char *run_report(uint64_t seed, uint64_t count)
{
   char path[] = "/tmp/agx-runner-crash-XXXXXX", *text = calloc(1, 1 << 20);
   const int fd = mkstemp(path);
   const struct fuzz_settings settings = {.device = "virtual:m1,check=all",
                                          .output = path,
                                          .seed = seed,
                                          .count = count,
                                          .jobs = 1,
                                          .language = FUZZ_NIR,
                                          .try_seconds = 1};

   CHECK(fd >= 0 && text != NULL);
   CHECK(fuzz_run(&settings) == EXIT_FAILED);
   FILE *file = fopen(path, "r");
   CHECK(file != NULL && fread(text, 1, (1 << 20) - 1, file) > 0);
   fclose(file);
   close(fd);
   unlink(path);
   return text;
}

/* A crash that depends on what the process compiled before: the worker's own call stack names the pass. */
static void check_crash_later(void)
{
   fault = crash_later;
   char *text = run_report(3, 12);
   CHECK(strstr(text, "Aborted in the compiler (nir_opt_dce), not reproduced by compiling alone") != NULL);
   CHECK(strstr(text, "verdict: NIR pass nir_opt_dce (crash)") != NULL);
   CHECK(strstr(text, "12 programs (0 in OpenCL C)") != NULL); /* that which crashed, too */
   free(text);
}

/* A smaller program than the one that fails crashes. Both are found: the crash with the program that crashed, the wrong
 * answer with the smallest that gives it. */
static void check_crash_when_small(void)
{
   fault = crash_when_small;
   char *text = run_report(3, 2);
   CHECK(strstr(text, "crash: Aborted in the compiler (nir_opt_dce): ixor@") != NULL);
   CHECK(strstr(text, "not reproduced") == NULL);
   CHECK(strstr(text, "wrong: nir_opt_dce (NIR): ") != NULL);
   free(text);
}

/* A process that hangs or exits costs its program: it is reported with that, and the others are tried. */
static void check_lost(void)
{
   static const struct {
      void (*fault)(nir_shader *nir);
      enum hang hang;
      const char *signature, *verdict;
   } cases[] = {
       {hang_by_op, HANG_NOWHERE, "signature hang: compiler hang in nir_opt_dce: ixor@",
        "verdict: NIR pass nir_opt_dce (hang)"},
       {exit_by_op, HANG_NOWHERE,
        "signature killed: exited with status 0 in the compiler (Mesa's AGX backend): ", "verdict: backend"},
       {do_nothing, HANG_ORACLE, "signature hang: oracle hang: ", "verdict: oracle"},
       {do_nothing, HANG_DEVICE, "signature hang: device hang: ", "verdict: device"},
   };

   for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      fault = cases[i].fault;
      hang = cases[i].hang;
      char *text = run_report(3, 3);
      CHECK(strstr(text, cases[i].signature) != NULL);
      CHECK(strstr(text, cases[i].verdict) != NULL);
      CHECK(strstr(text, "3 programs (0 in OpenCL C)") != NULL);
      if (check_failures != 0) {
         fputs(text, stderr);
      }
      free(text);
   }
   hang = HANG_NOWHERE;
}

int main(void)
{
   check_crash_verdicts();
   check_crash_place();
   check_crash_site();
   check_heap();
   check_known_cure();
   check_crash_later();
   check_crash_when_small();
   check_lost();
   return check_result();
}
