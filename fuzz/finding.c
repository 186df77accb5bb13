/* SPDX-License-Identifier: MIT
 *
 * Blaming and telling findings apart. Blame runs in forks of a process that has never compiled anything, because Mesa
 * reads its environment once and keeps process-wide state.
 */
#include "fuzz/finding.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fuzz/backend_blame.h"
#include "fuzz/slice/culprits.h"
#include "fuzz/nir/watch/heap.h"
#include "fuzz/attempt/refusal.h"
#include "agx_runner/program/listing.h"
#include "agx_runner/terminal/runner.h"
#include "util/array.h"

/* What a fork has found out, in memory that it shares with its parent. */
struct probe {
   struct fuzz_blame blame;
   struct attempt_result result;
   struct compiler_options options; /* of the device */
   char code[FINDING_CODE];
   uint32_t main_offset; /* of the code: what its first address is */
   struct culprits culprits;
   struct compiler_progress stage;
   struct fuzz_crash crash; /* where it crashed or hung */
   struct call_fate fate;   /* of the fork */
   bool done;
};

/* What a fork does. */
struct question {
   const struct fuzz_settings *settings;
   struct fuzz_report *report;
   enum { ASK_TRIAL, ASK_NIR, ASK_CULPRITS } what;
   bool guarded; /* with fuzz_heap_guard() */
   struct backend_trial trial;
};

static struct question question_of(const struct fuzz_settings *settings, struct fuzz_report *report)
{
   return (struct question){.settings = settings, .report = report, .trial = {fuzz_backend_pass_count()}};
}

/* Returns NULL when out of memory. */
static struct probe *probe_make(void)
{
   void *memory = mmap(NULL, sizeof(struct probe), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

   return memory != MAP_FAILED ? memory : NULL;
}

static void probe_free(struct probe *probe)
{
   if (probe != NULL) {
      munmap(probe, sizeof(*probe));
   }
}

/* The machine code as text, cut where there is no more room. */
static void list_code(const struct bench_device *bench, struct fuzz_report *report, char text[FINDING_CODE],
                      uint32_t *main_offset)
{
   struct compiler_result compiled = {0};
   FILE *file = fmemopen(text, FINDING_CODE - 1, "w");

   const int ret = fuzz_language(report)->compile(&report->program, &bench->options, &compiled);
   if (file != NULL && ret == 0 && compiled.count == 1) {
      const struct agx_program *code = compiled.programs[0];
      *main_offset = code->main_offset;
      (void)listing_code(code->set, code->code + code->main_offset, code->main_size, code->main_offset, ISA_SYNTAX_MESA,
                         file);
      if (code->has_preamble) {
         fputs(MARKS_PREAMBLE "\n", file);
         (void)listing_code(code->set, code->code + code->preamble_offset, code->preamble_size, code->preamble_offset,
                            ISA_SYNTAX_MESA, file);
      }
   }
   if (file != NULL) {
      fclose(file);
   }
   text[FINDING_CODE - 1] = '\0';
   compiler_result_finish(&compiled);
}

/* Applies the trial to this process. Returns the report, or a copy with other registers, because the report may lie in
 * shared memory. NULL: out of memory. */
static struct fuzz_report *begin_trial(const struct question *question)
{
   const struct backend_trial *trial = &question->trial;
   struct fuzz_report *report = question->report, *copy = NULL;

   compiler_set_second_try(trial->phis_in_registers);
   fuzz_backend_skip(trial->skip);
   if (trial->registers == 0) {
      return report;
   }
   copy = malloc(sizeof(*copy));
   if (copy != NULL) {
      *copy = *report;
      *(uint32_t *)((char *)&copy->program + fuzz_language(copy)->registers) = trial->registers;
   }
   return copy;
}

static void run_trial(const struct question *question, struct bench_device *bench, struct probe *probe)
{
   struct fuzz_report *report = begin_trial(question);

   if (report == NULL) {
      return;
   }
   fuzz_language(report)->attempt(bench, &report->program, &probe->result);
   list_code(bench, report, probe->code, &probe->main_offset);
   probe->done = true;
}

struct probe_call {
   struct question *question;
   struct probe *probe;
};

static void answer_probe(void *data)
{
   const struct probe_call *call = data;
   const struct question *question = call->question;
   struct fuzz_report *report = question->report;
   const struct language *language = fuzz_language(report);
   struct probe *probe = call->probe;
   struct bench_device bench;
   char why[256];

   compiler_set_in_process(true);
   fuzz_crash_watch(&probe->crash);
   compiler_stage_set(&probe->stage);
   if (question->guarded) {
      (void)fuzz_heap_guard();
   }
   if (question->what == ASK_CULPRITS) {
      language->slice(question->settings->device, &report->program, &report->difference, &probe->culprits);
      probe->done = true;
      return;
   }
   if (bench_device_open(&bench, question->settings->device, question->settings->against, why, sizeof(why)) < 0) {
      return;
   }
   probe->options = bench.options;
   if (question->what == ASK_NIR) {
      language->blame(&report->program, &bench.options, &probe->blame);
      probe->done = true;
   } else {
      (void)bench_device_listen(&bench);
      run_trial(question, &bench, probe);
   }
}

/* False: the fork did not come to its end. */
static bool run_probe(struct question *question, struct probe *probe)
{
   const struct call_limits limits = fuzz_limits(question->settings);

   probe->done = false;
   probe->fate = call_run(answer_probe, &(struct probe_call){question, probe}, &limits);
   return probe->fate.end == CALL_DONE && probe->done;
}

const char findings_no_end[] = "its process does not come to its end";
const char findings_no_device[] = "not tried: the device cannot be opened";

const char *findings_try(const struct fuzz_settings *settings, struct fuzz_report *report, bool guarded,
                         struct compiler_options *options)
{
   struct probe *probe = probe_make();
   struct question question = question_of(settings, report);
   const char *how = NULL;

   question.guarded = guarded;
   if (probe == NULL) {
      report->verdict = VERDICT_BROKEN;
      return "not tried: out of memory";
   }
   if (!run_probe(&question, probe)) {
      how = probe->fate.end == CALL_DONE ? findings_no_device : findings_no_end;
   } else if (probe->result.verdict == VERDICT_ALIKE) {
      how = "right";
   } else if (probe->result.verdict == VERDICT_UNSUPPORTED) {
      how = "refused by the compiler";
   } else if (probe->result.verdict == VERDICT_UNDEFINED) {
      how = "has no determined answer";
   }
   *options = probe->options;
   report->fate = probe->fate;
   report->phase = PHASE_ATTEMPT;
   report->stage = probe->stage.stage;
   (void)fuzz_crash_place(&probe->crash, report->crashed, sizeof(report->crashed));
   report->verdict = probe->result.verdict;
   report->difference = probe->result.difference;
   memcpy(report->why, probe->result.why, sizeof(report->why));
   probe_free(probe);
   return how;
}

static void set_verdict(struct finding *finding, const char *who, const char *pass)
{
   snprintf(finding->verdict, sizeof(finding->verdict), "%s%s", who, pass);
}

/* Sets the verdict to a pass of NIR, and its wrong rule, if that is known. */
static void set_pass(struct finding *finding, const char *pass, const char *rule)
{
   set_verdict(finding, "NIR pass ", pass);
   if (rule[0] != '\0') {
      snprintf(finding->rule, sizeof(finding->rule), "rule: %s (NIR): %s", pass, rule);
   }
}

static void blame_pass(struct finding *finding, const char *pass, const char *rule)
{
   snprintf(finding->blamed, sizeof(finding->blamed), "%s (NIR)", pass);
   set_pass(finding, pass, rule);
}

/* Whether the program is right on the device without checks, where other code of the virtual GPU executes it
 * (vgpu/jit). */
static bool right_unchecked(const struct question *question, struct probe *probe)
{
   static const char all[] = "check=all";
   struct fuzz_settings settings = *question->settings;
   struct question unchecked = *question;
   const char *at = strstr(settings.device, all);
   char device[256];

   if (at == NULL) {
      return false;
   }
   snprintf(device, sizeof(device), "%.*scheck=off%s", (int)(at - settings.device), settings.device, at + strlen(all));
   settings.device = device;
   unchecked.settings = &settings;
   unchecked.trial = (struct backend_trial){fuzz_backend_pass_count()};
   return run_probe(&unchecked, probe) && probe->result.verdict == VERDICT_ALIKE;
}

static enum verdict probe_trial(const struct backend_trial *trial, void *data)
{
   const struct probe_call *call = data;

   call->question->trial = *trial;
   return run_probe(call->question, call->probe) ? call->probe->result.verdict : VERDICT_BROKEN;
}

/* right_code: of the program without the pass that is blamed; "": no such pass. */
static void blame_backend(struct finding *finding, struct question *question, struct probe *probe,
                          char right_code[FINDING_CODE])
{
   struct probe_call call = {question, probe};
   bool phis;
   const unsigned pass = backend_blame(probe_trial, &call, &phis);

   if (pass < fuzz_backend_pass_count()) {
      const struct backend_trial trial = {.skip = pass};
      (void)probe_trial(&trial, &call);
      memcpy(right_code, probe->code, FINDING_CODE);
      snprintf(finding->blamed, sizeof(finding->blamed), "%s (AGX backend)", fuzz_backend_pass_name(pass));
      set_verdict(finding, "backend", "");
      return;
   }
   const bool device = right_unchecked(question, probe);
   if (!device && probe->blame.byte_pass[0] != '\0') {
      blame_pass(finding, probe->blame.byte_pass, probe->blame.byte_rule);
      return;
   }
   set_verdict(finding, device ? "device" : "backend", "");
   snprintf(finding->blamed, sizeof(finding->blamed),
            "AGX instruction selection, register allocation or packing, or the device%s",
            phis ? FINDING_NOT_WITH_PHIS : "");
}

/* Finds the wrong instructions, which only virtual devices with checks can tell. */
static enum marks_kind find_culprits(const struct finding *finding, struct question *question, struct probe *probe)
{
   if (finding->kind != FINDING_WRONG || question->settings->against != NULL) {
      return MARKS_NONE;
   }
   question->what = ASK_CULPRITS;
   const bool asked = run_probe(question, probe);
   question->what = ASK_TRIAL;
   return !asked || probe->culprits.count == 0 ? MARKS_UNKNOWN : probe->culprits.count == 1 ? MARKS_ONE : MARKS_SOME;
}

static void mark_code(struct finding *finding, struct marks marks, char *listing)
{
   marks_choose(&marks, listing);
   finding->marks = marks.kind;
   marks_print(&marks, listing, finding->code, sizeof(finding->code));
}

/* Whether other implementations can say more about a wrong answer. */
static bool has_others(const struct finding *finding, const struct fuzz_settings *settings)
{
   return fuzz_language(&finding->report)->second_opinion != NULL && finding->kind == FINDING_WRONG &&
          settings->against == NULL;
}

/* Tries the program without the backend's optimizations. */
static void try_unoptimized(struct finding *finding, struct question *question, struct probe *probe)
{
   question->trial.skip = FUZZ_BACKEND_ALL;
   if (run_probe(question, probe)) {
      snprintf(finding->unoptimized, sizeof(finding->unoptimized), "%s",
               probe->result.verdict == VERDICT_ALIKE ? "right" : "wrong, too");
   }
}

/* Names who makes a wrong answer. Returns whether it is the backend, whose instructions then may be wrong. right_code:
 * as above. */
static bool blame_answer(struct finding *finding, struct question *question, struct probe *probe,
                         char right_code[FINDING_CODE])
{
   question->what = ASK_NIR;
   const bool asked = run_probe(question, probe);
   question->what = ASK_TRIAL;
   if (!asked) {
      snprintf(finding->blamed, sizeof(finding->blamed), "not blamed: the compiler did not finish");
      set_verdict(finding, "backend", "");
   } else if (probe->blame.from_start) {
      snprintf(finding->blamed, sizeof(finding->blamed),
               "front end (clang, SPIR-V translator, spirv_to_nir, libclc) or an early pass");
      set_verdict(finding, "front end", "");
   } else if (probe->blame.in_nir) {
      blame_pass(finding, probe->blame.pass, probe->blame.rule);
   } else {
      blame_backend(finding, question, probe, right_code);
      question->trial = (struct backend_trial){fuzz_backend_pass_count()};
      return true;
   }
   return false;
}

static void out_of_memory(struct finding *finding)
{
   snprintf(finding->blamed, sizeof(finding->blamed), "not blamed: out of memory");
   set_verdict(finding, "not known", "");
}

void finding_blame_answer(struct finding *finding, const struct fuzz_settings *settings)
{
   struct probe *probe = probe_make();
   struct question question = question_of(settings, &finding->report);
   char right_code[FINDING_CODE];

   if (probe == NULL) {
      out_of_memory(finding);
   } else {
      (void)blame_answer(finding, &question, probe, right_code);
   }
   probe_free(probe);
}

static void blame(struct finding *finding, const struct fuzz_settings *settings)
{
   struct probe *probe = probe_make();
   struct question question = question_of(settings, &finding->report);
   char right_code[FINDING_CODE] = "";
   struct marks marks = {.kind = MARKS_NONE, .right_code = right_code};

   if (probe == NULL) {
      out_of_memory(finding);
      return;
   }
   if (settings->against != NULL) {
      snprintf(finding->blamed, sizeof(finding->blamed), "the two devices differ");
      set_verdict(finding, "device", "");
   } else if (blame_answer(finding, &question, probe, right_code)) {
      marks.kind = find_culprits(finding, &question, probe);
      marks.offsets = probe->culprits.offset;
      marks.count = marks.kind == MARKS_ONE || marks.kind == MARKS_SOME ? probe->culprits.count : 0;
   }
   if (run_probe(&question, probe)) {
      finding->expected = probe->result.expected;
      mark_code(finding, marks, probe->code);
   }
   if (has_others(finding, settings)) {
      try_unoptimized(finding, &question, probe);
   }
   probe_free(probe);
}

/* Sets the verdict of a crash or a hang from its stage and from the pass that the call stack names. The backend runs
 * passes of NIR, too. */
static void blame_crash(struct finding *finding)
{
   const char *pass = finding->report.crashed;
   const bool of_nir = strncmp(pass, "nir_", 4) == 0 || strncmp(pass, "agx_nir_", 8) == 0;
   const uint32_t stage = finding->report.stage;

   const char *how = finding->kind == FINDING_HANG ? "hang" : finding->kind == FINDING_KILLED ? "killed" : "crash";

   if ((stage == COMPILER_STAGE_NIR || stage == COMPILER_STAGE_BACKEND) && of_nir) {
      snprintf(finding->verdict, sizeof(finding->verdict), "NIR pass %s (%s)", pass, how);
   } else if (stage == COMPILER_STAGE_NIR && strcmp(pass, "spirv_to_nir") != 0) {
      snprintf(finding->verdict, sizeof(finding->verdict), "NIR pass not known (%s)", how);
   } else if (stage == COMPILER_STAGE_START && finding->kind != FINDING_CRASH) {
      set_verdict(finding, "oracle", "");
   } else if (stage == COMPILER_STAGE_BACKEND) {
      set_verdict(finding, "backend", "");
   } else {
      set_verdict(finding, stage == COMPILER_STAGE_DONE ? "device" : "front end", "");
   }
}

/* A text up to `end` with # for each number in it. */
static void blur_numbers(const char *text, char end, char *blurred, size_t size)
{
   size_t used = 0;

   for (const char *at = text; *at != '\0' && *at != end && used + 1 < size;) {
      const size_t digits =
          strncmp(at, "0x", 2) == 0 ? 2 + strspn(at + 2, "0123456789abcdef") : strspn(at, "0123456789");
      blurred[used++] = digits != 0 ? '#' : *at;
      at += digits != 0 ? digits : 1;
   }
   blurred[used] = '\0';
}

/* Names what a check reported. Registers, addresses and threads do not tell faults apart. */
void finding_blame_report(const char *why, char blamed[FINDING_BLAMED])
{
   blur_numbers(why, ';', blamed, FINDING_BLAMED);
}

/* Marks the instruction that a check's report names: "...; main + 0x12: store ...". */
static void mark_report(struct finding *finding, const struct fuzz_settings *settings, struct probe *probe)
{
   struct question question = question_of(settings, &finding->report);
   const char *place = strstr(finding->report.why, "; main + 0x");
   uint32_t offset;

   if (run_probe(&question, probe)) {
      offset = place != NULL ? probe->main_offset + (uint32_t)strtoul(place + strlen("; main + "), NULL, 16) : 0;
      mark_code(finding,
                (struct marks){.kind = place != NULL ? MARKS_REPORTED : MARKS_NONE,
                               .offsets = &offset,
                               .count = place != NULL ? 1 : 0},
                probe->code);
   }
}

/* Blames the pass after which the answer is wrong, or the backend where NIR's answer is right. */
static void blame_report(struct finding *finding, const struct fuzz_settings *settings)
{
   struct probe *probe = probe_make();
   struct question question = question_of(settings, &finding->report);

   question.what = ASK_NIR;
   const bool asked = probe != NULL && run_probe(&question, probe);
   if (asked && probe->blame.from_start) {
      set_verdict(finding, "front end", "");
   } else if (asked && probe->blame.in_nir) {
      set_pass(finding, probe->blame.pass, probe->blame.rule);
   } else {
      set_verdict(finding, "backend", "");
   }
   if (probe != NULL) {
      mark_report(finding, settings, probe);
   }
   probe_free(probe);
}

/* Makes the signature, by which a --known file names the finding. */
static void make_signature(struct finding *finding)
{
   static const char *const kinds[] = {
       [FINDING_WRONG] = "wrong",         [FINDING_CRASH] = "crash",   [FINDING_FAULT] = "fault",
       [FINDING_UNHANDLED] = "unhandled", [FINDING_CHECKED] = "check", [FINDING_REFUSED] = "refused",
       [FINDING_HANG] = "hang",           [FINDING_KILLED] = "killed"};

   const struct language *language = fuzz_language(&finding->report);
   const int length = snprintf(finding->shape, sizeof(finding->shape), "%s", language->prefix);
   language->shape(&finding->report.program, finding->shape + length, sizeof(finding->shape) - (size_t)length);
   snprintf(finding->signature, sizeof(finding->signature), "%s: %s: %s", kinds[finding->kind], finding->blamed,
            finding->shape);
}

static bool holds(const struct finding *large, const struct finding *small)
{
   return fuzz_language(&large->report)->contains(&large->report.program, &small->report.program);
}

/* Mesa writes a rule for each of several numbers at times. */
static bool differ_in_more_than_numbers(const char *rule, const char *other)
{
   char blurred[2][sizeof(((struct finding *)NULL)->rule)];

   blur_numbers(rule, '\0', blurred[0], sizeof(blurred[0]));
   blur_numbers(other, '\0', blurred[1], sizeof(blurred[1]));
   return strcmp(blurred[0], blurred[1]) != 0;
}

/* Whether two findings have one cause: the same wrong rule. Where no rule is known, or two rules differ in numbers
 * only, the shapes of the programs decide. */
static bool is_like(const struct finding *finding, const struct finding *other)
{
   if (finding->rule[0] != '\0' && other->rule[0] != '\0') {
      if (strcmp(finding->rule, other->rule) == 0) {
         return true;
      }
      if (differ_in_more_than_numbers(finding->rule, other->rule)) {
         return false;
      }
   }
   return finding->kind == FINDING_REFUSED || finding->kind == FINDING_KILLED ||
          strcmp(other->shape, finding->shape) == 0 || holds(finding, other) || holds(other, finding);
}

/* Returns the earlier finding with the same cause; NULL: there is none. */
static struct finding *find_like(const struct findings *findings, const struct finding *finding)
{
   for (size_t i = 0; i < findings->count; i++) {
      struct finding *other = findings->items[i];
      if (other->kind == finding->kind && strcmp(other->blamed, finding->blamed) == 0 &&
          other->report.language == finding->report.language && is_like(finding, other)) {
         return other;
      }
   }
   return NULL;
}

static bool is_smaller(const struct finding *finding, const struct finding *other)
{
   const struct language *language = fuzz_language(&finding->report);

   return language->size(&finding->report.program) < language->size(&other->report.program);
}

bool findings_know_crash(const struct findings *findings, const struct fuzz_report *report, const char *crash)
{
   struct finding *finding = calloc(1, sizeof(*finding));
   bool known = false;

   if (finding != NULL) {
      finding->report = *report;
      finding->kind = finding_kind_of(report);
      snprintf(finding->blamed, sizeof(finding->blamed), "%s", crash);
      make_signature(finding);
      known = findings_know(findings, finding->signature);
   }
   free(finding);
   return known;
}

enum finding_kind finding_kind_of(const struct fuzz_report *report)
{
   switch (report->fate.end) {
   case CALL_DONE:
      return report->verdict == VERDICT_DIFFERENT   ? FINDING_WRONG
             : report->verdict == VERDICT_UNHANDLED ? FINDING_UNHANDLED
             : report->verdict == VERDICT_CHECKED   ? FINDING_CHECKED
             : report->verdict == VERDICT_REFUSED   ? FINDING_REFUSED
                                                    : FINDING_FAULT;
   case CALL_CRASHED:
      return FINDING_CRASH;
   case CALL_LATE:
   case CALL_IDLE:
      return FINDING_HANG;
   default:
      return FINDING_KILLED;
   }
}

static void finding_begin(struct finding *finding, const struct fuzz_report *report)
{
   memset(finding, 0, sizeof(*finding));
   finding->report = *report;
   finding->times = 1;
   finding->kind = finding_kind_of(report);
}

void finding_without_triage(struct finding *finding, const struct fuzz_report *report, const struct call_fate *fate)
{
   char how[64];

   finding_begin(finding, report);
   call_describe(fate, &(struct call_limits){0}, how, sizeof(how));
   snprintf(finding->blamed, sizeof(finding->blamed), "not blamed: the triage was %s",
            fate->end == CALL_DONE ? "cut short" : how);
   set_verdict(finding, "not known", "");
   make_signature(finding);
}

void finding_look_into(struct finding *finding, const struct findings *findings, const struct fuzz_settings *settings,
                       const struct fuzz_report *report, const char *crash)
{
   const struct language *language = fuzz_language(report);

   finding_begin(finding, report);
   if (finding->kind != FINDING_HANG && language->evaluate != NULL) {
      (void)language->evaluate(&finding->report.program, &finding->expected);
   }
   if (finding->kind == FINDING_CHECKED) {
      finding_blame_report(finding->report.why, finding->blamed);
      blame_report(finding, settings);
   } else if (finding->kind == FINDING_UNHANDLED) {
      snprintf(finding->blamed, sizeof(finding->blamed), "%.120s", report->why);
      set_verdict(finding, "backend", "");
   } else if (finding->kind == FINDING_REFUSED) {
      refusal_kind(report->why, finding->blamed, sizeof(finding->blamed));
      set_verdict(finding, "front end", "");
   } else if (crash != NULL) {
      snprintf(finding->blamed, sizeof(finding->blamed), "%s", crash);
      blame_crash(finding);
   } else {
      blame(finding, settings);
   }
   make_signature(finding);
   finding->known = findings_know(findings, finding->signature) || findings_know(findings, finding->rule);
   if (has_others(finding, settings)) {
      const struct finding *same = find_like(findings, finding);
      if (finding->known) {
         snprintf(finding->pocl, sizeof(finding->pocl), "not asked: the finding is known");
      } else if (same == NULL || is_smaller(finding, same)) {
         language->second_opinion(&finding->report.program, &finding->report.difference, finding->pocl,
                                  sizeof(finding->pocl));
      }
   }
}

bool findings_take(struct findings *findings, const struct finding *finding)
{
   struct finding *same = find_like(findings, finding);

   if (same != NULL) {
      const uint32_t times = same->times + 1;
      if (is_smaller(finding, same)) {
         *same = *finding;
      }
      same->times = times;
      return false;
   }
   if (!ARRAY_RESERVE_ONE(findings->items, findings->count)) {
      return false;
   }
   findings->items[findings->count] = malloc(sizeof(*finding));
   if (findings->items[findings->count] == NULL) {
      return false;
   }
   *findings->items[findings->count++] = *finding;
   return true;
}

bool findings_add(struct findings *findings, const struct fuzz_settings *settings, const struct fuzz_report *report,
                  const char *crash)
{
   struct finding *finding = malloc(sizeof(*finding));
   bool fresh = false;

   if (finding != NULL) {
      finding_look_into(finding, findings, settings, report, crash);
      fresh = findings_take(findings, finding);
   }
   free(finding);
   return fresh;
}

void findings_finish(struct findings *findings)
{
   for (size_t i = 0; i < findings->known_count; i++) {
      free(findings->known[i]);
   }
   free(findings->known);
   for (size_t i = 0; i < findings->count; i++) {
      free(findings->items[i]->translated.kernel);
      free(findings->items[i]);
   }
   free(findings->items);
   *findings = (struct findings){0};
}
