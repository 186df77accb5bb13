/* SPDX-License-Identifier: MIT
 *
 * What the front end refuses is a finding, and what agx-runner does not support is none. Kernels that hold
 * -DAGX_RUNNER_NO_REPAIRS are compiled without agx-runner's repairs.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/attempt/attempt.h"
#include "fuzz/opencl/shrink/shrink.h"
#include "fuzz/finding.h"
#include "fuzz/fuzz.h"
#include "fuzz/opencl/ops.h"
#include "fuzz/attempt/refusal.h"
#include "agx_runner/terminal/runner.h"
#include "tests/compiler/programs.h"

/* Logs of the compiler, and the kind of message in them. */
static const struct {
   const char *log, *kind;
} messages[] = {
    {"fuzz.cl:3:5: kernel k: unsupported: libclc has no body of convert_uint_rtz(ulong), nor has the source\n",
     "libclc has no body of convert_T_rtz, nor has the source"},
    {"kernel k: unsupported: libclc has no convert_ushort16_sat_rtn(int16)\n", "libclc has no convert_T_sat_rtn"},
    {"kernel k: unsupported: libclc has no interleave(uint)\n", "libclc has no interleave"},
    {"fuzz.cl: error: the front end (clang and SPIRV-LLVM-Translator) makes a module that is not valid SPIR-V: "
     "Variables can "
     "not have a function[7] storage class\n",
     "Variables can not have a function[#] storage class"},
    {"fuzz.cl:3:11: error: use of undeclared identifier 'bar'\nfuzz.cl:4:1: error: more\n",
     "use of undeclared identifier _"},
    {"fuzz.cl: kernel k: unsupported: Mesa's SPIR-V reader (spirv_to_nir) says: Initializer for variable 3 not "
     "supported\n",
     "Mesa's SPIR-V reader (spirv_to_nir) says: Initializer for variable # not supported"},
    {"Index 3 of 'a' error\n", "Index # of _ error"},
    {"", ""},
};

static void check_kinds(void)
{
   for (unsigned i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
      char message[ATTEMPT_WHY], kind[FUZZ_KIND], small[8];
      refusal_message(messages[i].log, message, sizeof(message));
      refusal_kind(message, kind, sizeof(kind));
      refusal_kind(message, small, sizeof(small));
      CHECK(strcmp(kind, messages[i].kind) == 0);
      CHECK(strncmp(small, kind, sizeof(small) - 1) == 0 && strlen(small) < sizeof(small));
   }
}

static struct ocl_program program;

static uint16_t add(struct ocl_node node)
{
   program.nodes[program.count] = node;
   return (uint16_t)program.count++;
}

/* out0[i] = what `value` is, a scalar. */
static void store(uint16_t value)
{
   program.outputs = 1;
   program.output_type[0] = program.nodes[value].type;
   add((struct ocl_node){.kind = OCL_OUTPUT, .type = program.nodes[value].type, .count = 1, .source = {value}});
}

/* ulong m0[2][4] = {{4 constants}, {3 constants, the lane's number}}; or an array of this many elements between two. */
static void read_array(uint8_t list, uint16_t spread)
{
   const struct ocl_type type = {.base = OCL_ULONG, .width = 1};

   memset(&program, 0, sizeof(program));
   program.lanes = 2;
   program.objects = 1;
   program.object[0] =
       (struct ocl_object){.type = type, .length = 8, .space = OCL_NESTED, .list = list, .spread = spread};
   program.object[0].space = spread != 0 ? OCL_PRIVATE : OCL_NESTED;
   for (unsigned i = 0; i < OCL_WIDTH; i++) {
      program.object[0].start[i] = 100 + i;
   }
   const uint16_t lane = add((struct ocl_node){.kind = OCL_ID, .type = type, .slot = OCL_LOCAL_ID});
   const uint16_t one = add((struct ocl_node){.kind = OCL_CONST, .type = type, .data = {6}});
   unsigned sum = 0;
   while (strcmp(ocl_ops[sum].name, "add") != 0 || ocl_ops[sum].shape != OCL_SHAPE_2) {
      sum++;
   }
   const uint16_t index =
       add((struct ocl_node){.kind = OCL_OP, .op = (uint8_t)sum, .type = type, .count = 2, .source = {lane, one}});
   store(add((struct ocl_node){.kind = OCL_READ, .type = type, .count = 1, .source = {index}}));
}

/* The function of a dimension that no machine has: Mesa refuses the SPIR-V (docs/mesa-bugs.md, 2). */
static void read_size(void)
{
   const struct ocl_type type = {.base = OCL_ULONG, .width = 1};

   memset(&program, 0, sizeof(program));
   program.lanes = 1;
   store(add((struct ocl_node){.kind = OCL_ID, .type = type, .slot = OCL_GLOBAL_SIZE, .data = {3}}));
}

/* uint of a ulong, rounded toward zero. */
static void convert(bool mode)
{
   unsigned op = 0;

   memset(&program, 0, sizeof(program));
   program.lanes = program.inputs = 1;
   program.input_type[0] = (struct ocl_type){.base = OCL_ULONG, .width = 1};
   program.integer_modes = mode;
   const uint16_t input = add((struct ocl_node){.kind = OCL_INPUT, .type = program.input_type[0]});
   while (ocl_ops[op].shape != OCL_SHAPE_CONVERT || ocl_ops[op].rounding != OCL_TO_ZERO || ocl_ops[op].saturates) {
      op++;
   }
   store(add((struct ocl_node){
       .kind = OCL_OP, .op = (uint8_t)op, .type = {.base = OCL_UINT, .width = 1}, .count = 1, .source = {input}}));
}

static bool converts(void *tried, void *data)
{
   struct ocl_program *kernel = tried;
   bool needed[OCL_NODES];

   (void)data;
   ocl_needed(kernel, needed);
   for (uint32_t i = 0; i < kernel->count; i++) {
      if (needed[i] && kernel->nodes[i].kind == OCL_OP && ocl_ops[kernel->nodes[i].op].shape == OCL_SHAPE_CONVERT) {
         return true;
      }
   }
   return false;
}

/* A conversion in the index of a store becomes an output, and the array goes. */
static void check_shrinking(void)
{
   unsigned effects = 0;

   convert(true);
   struct ocl_node *last = &program.nodes[program.count - 1];
   program.objects = 1;
   program.object[0] = (struct ocl_object){.type = last->type, .length = 4};
   last->kind = OCL_WRITE;
   last->count = 2;
   last->source[1] = last->source[0];
   program.outputs = 0;
   CHECK(converts(&program, NULL));
   ocl_shrink(&program, NULL, converts, NULL);
   for (uint32_t i = 0; i < program.count; i++) {
      effects += ocl_has_effect(&program.nodes[i]) ? 1 : 0;
      CHECK(program.nodes[i].kind != OCL_WRITE);
   }
   CHECK_EQUAL(effects, 1);
   CHECK(converts(&program, NULL));
   CHECK(ocl_argument_used(&program, OCL_OUTPUT, 0));
}

static enum verdict attempt_program(struct bench_device *bench, bool unrepaired, char why[ATTEMPT_WHY])
{
   static struct attempt_result result;

   program.unrepaired = unrepaired;
   attempt_kernel(bench, &program, &result);
   memcpy(why, result.why, ATTEMPT_WHY);
   return result.verdict;
}

static void check_verdicts(struct bench_device *bench)
{
   static struct ocl_outputs outputs;
   char why[ATTEMPT_WHY];

   read_array(OCL_LISTED_LANE, 0);
   CHECK(ocl_evaluate(&program, &outputs));
   CHECK_EQUAL(outputs.value[0][0][0], 106);
   CHECK_EQUAL(outputs.value[0][1][0], 1); /* the lane's number */
   CHECK_EQUAL(attempt_program(bench, false, why), VERDICT_ALIKE);
   read_array(OCL_LISTED, 0);
   CHECK_EQUAL(attempt_program(bench, true, why), VERDICT_ALIKE);
   read_array(OCL_LISTED, 8000); /* half a megabyte */
   CHECK_EQUAL(attempt_program(bench, false, why), VERDICT_UNSUPPORTED);
   CHECK(strstr(why, "128 KiB of private memory") != NULL);
   convert(false);
   CHECK_EQUAL(attempt_program(bench, false, why), VERDICT_ALIKE);
   convert(true);
   CHECK_EQUAL(attempt_program(bench, false, why), HAVE_LLVM_15 ? VERDICT_ALIKE : VERDICT_REFUSED);
   /* The translator of LLVM 22 has the conversion, but makes a module of it that is not valid. */
   if (!HAVE_LLVM_15 && strstr(why, "FPRoundingMode") == NULL) {
      CHECK_CONTAINS(why, "libclc has no body of convert_uint_rtz(ulong)");
   }
#if HAVE_LLVM_15 /* docs/mesa-bugs.md, 6 and 2; 10 is above */
   read_array(OCL_LISTED_LANE, 0);
   CHECK_EQUAL(attempt_program(bench, true, why), VERDICT_REFUSED);
   CHECK(strstr(why, "storage class outside of a function") != NULL);
   read_size();
   CHECK_EQUAL(attempt_program(bench, false, why), VERDICT_REFUSED);
#endif
}

/* Reports of one kind are one finding, of two kinds two. */
static void check_findings(void)
{
   static struct fuzz_report report;
   const struct fuzz_settings settings = {0};
   static const char *const why[] = {"libclc has no convert_uint_rtz(ulong)", "libclc has no convert_long_rtz(uint)",
                                     "libclc has no convert_uint_rtp(ulong)"};
   struct findings findings = {0};

   report = (struct fuzz_report){.language = LANGUAGE_OPENCL, .verdict = VERDICT_REFUSED};
   for (unsigned i = 0; i < 3; i++) {
      i == 1 ? read_array(OCL_ASSIGNED, 0) : read_size(); /* another shape */
      report.kernel = program;
      snprintf(report.why, sizeof(report.why), "%s", why[i]);
      CHECK_EQUAL(findings_add(&findings, &settings, &report, NULL), i != 1);
   }
   CHECK_EQUAL(findings.count, 2);
   for (size_t i = 0; i < findings.count; i++) {
      CHECK(strcmp(findings.items[i]->verdict, "front end") == 0);
      CHECK_EQUAL(findings.items[i]->kind, FINDING_REFUSED);
   }
   static const char start[] = "refused: libclc has no convert_T_rtz: OpenCL C: ";
   CHECK(findings.count == 0 || strncmp(findings.items[0]->signature, start, strlen(start)) == 0);
   findings_finish(&findings);
}

#if HAVE_LLVM_15
/* Whether clang 15 makes a variable in the wrong storage class of the kernel: a row of more than 16 bytes of constants,
 * beside one that is not constant. */
static bool shows_fault(const struct ocl_program *kernel)
{
   bool any = false;

   for (uint32_t i = 0; i < kernel->count; i++) {
      const struct ocl_node *node = &kernel->nodes[i];
      const struct ocl_object *object = &kernel->object[node->slot % OCL_OBJECTS];
      any |= node->kind == OCL_WRITE && ocl_list_of(object) == OCL_LISTED_LANE && object->space == OCL_NESTED &&
             object->length >= 4 && ocl_bytes(object->type) * object->length / 2 > 16;
   }
   return any;
}

/* A run finds it among the generated kernels, and shrinks it to few statements. */
static void check_run(void)
{
   static struct fuzz_report report;
   char path[] = "/tmp/fuzz-refusal.XXXXXX", text[4096] = "";
   struct fuzz_settings settings = {.device = "virtual:m1,timing=off,threads=1,check=all",
                                    .output = path,
                                    .seed = 7,
                                    .count = 1,
                                    .jobs = 1,
                                    .language = FUZZ_OPENCL};
   const int file = mkstemp(path);

   CHECK(file >= 0);
   do {
      fuzz_program_of(&settings, settings.first++, &report);
   } while (settings.first < 5000 && !(report.kernel.unrepaired && shows_fault(&report.kernel)));
   settings.first--;
   CHECK(settings.first < 4999);
   CHECK_EQUAL(fuzz_run(&settings), EXIT_FAILED);
   FILE *written = fopen(path, "r");
   CHECK(written != NULL && fread(text, 1, sizeof(text) - 1, written) != 0);
   CHECK(strstr(text, "refused by the front end: Variables can not have a function[#] storage class") != NULL);
   CHECK(strstr(text, "verdict: front end") != NULL);
   CHECK(strstr(text, "-D" COMPILER_NO_REPAIRS "\n") != NULL);
   const char *body = strstr(text, "\n{\n"), *end = body != NULL ? strstr(body, "\n}\n") : NULL;
   unsigned statements = 0;
   for (const char *at = body; end != NULL && at < end; at++) {
      statements += *at == ';' ? 1 : 0;
   }
   CHECK(statements >= 1 && statements <= 3);
   if (written != NULL) {
      fclose(written);
   }
   (void)remove(path);
}
#else
static void check_run(void)
{
}
#endif

int main(void)
{
   struct bench_device bench;
   char why[256];

   check_kinds();
   check_shrinking();
   check_findings();
   check_run(); /* before this process compiles: its forks do */
   compiler_set_in_process(true);
   CHECK_EQUAL(bench_device_open(&bench, "virtual:m1,timing=off,threads=1,check=all", NULL, why, sizeof(why)), 0);
   check_verdicts(&bench);
   bench_device_close(&bench);
   return check_result();
}
