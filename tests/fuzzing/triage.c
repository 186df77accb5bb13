/* SPDX-License-Identifier: MIT
 *
 * Programs that fail are looked into in processes of their own: their findings come back, equal ones are one, what is
 * known is marked, and a process that ends early costs its program and nothing else.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/backend_blame.h"
#include "fuzz/triage.h"
#include "agx_runner/terminal/runner.h"
#include "tests/fuzzing/check.h"

static struct fuzz_report report;
static const struct fuzz_settings settings = {0};
static const struct compiler_options options = {0};

/* What the backend has no code for needs no compilation to be looked into. */
static void fail_with(const char *why)
{
   report = (struct fuzz_report){.verdict = VERDICT_UNHANDLED};
   snprintf(report.why, sizeof(report.why), "%s", why);
}

static void check_findings(void)
{
   static const char *const why[] = {"Unhandled ALU op a", "Unhandled ALU op b", "Unhandled ALU op a"};
   struct findings findings = {0};
   struct triage triages[3] = {0};

   for (unsigned i = 0; i < 3; i++) {
      fail_with(why[i]);
      CHECK_EQUAL(triage_start(&triages[i], &findings, &settings, &options, &report), 0);
      CHECK(triages[i].busy && findings.count == 0);
   }
   for (unsigned i = 0; i < 3; i++) {
      triage_finish(&triages[i], &findings);
      CHECK(!triages[i].busy);
   }
   CHECK_EQUAL(findings.count, 2);
   CHECK(findings.count == 2 && findings.items[0]->times == 2 && findings.items[1]->times == 1);
   CHECK(findings.count == 2 && strcmp(findings.items[1]->blamed, why[1]) == 0);
   fail_with(why[1]);
   CHECK_EQUAL(triage_start(&triages[0], &findings, &settings, &options, &report), 0);
   triage_finish(&triages[0], &findings);
   CHECK(findings.count == 2 && findings.items[1]->times == 2);
   for (unsigned i = 0; i < 3; i++) {
      triage_close(&triages[i]);
   }
   findings_finish(&findings);
}

static struct finding blamed_on;

static bool take(struct findings *findings, const char *rule, const char *shape)
{
   snprintf(blamed_on.rule, sizeof(blamed_on.rule), "%s", rule);
   snprintf(blamed_on.shape, sizeof(blamed_on.shape), "%s", shape);
   return findings_take(findings, &blamed_on);
}

/* Findings of one pass: the rule that is wrong tells them apart, also where the programs are the same. */
static void check_rules(void)
{
   static const char absolute[] = "rule: nir_opt_algebraic (NIR): fabs(a) -> a";
   static const char field[] = "rule: nir_opt_algebraic (NIR): iand@32(ushr@32(a, b), 255) -> extract(a, b, 8)";
   static const char smaller[] = "rule: nir_opt_algebraic (NIR): iand@32(ushr@32(a, b), 7) -> extract(a, b, 3)";
   struct findings findings = {0};

   CHECK(take(&findings, absolute, "fabs@32(_)"));
   CHECK(!take(&findings, absolute, "fabs@16(_)"));
   CHECK(take(&findings, field, "fabs@32(_)"));
   CHECK(!take(&findings, smaller, "fabs@32(_)"));
   CHECK(take(&findings, smaller, "iand@32(_,#)"));
   CHECK(!take(&findings, "", "fabs@32(_)"));
   CHECK(take(&findings, "", "isub@32(_,_)"));
   CHECK_EQUAL(findings.count, 4);
   findings_finish(&findings);
}

/* pthread_atfork() calls it in each process that is forked. */
static bool deadly;

static void end_early(void)
{
   if (deadly) {
      (void)raise(SIGKILL);
   }
}

static void check_early_end(void)
{
   struct findings findings = {0};
   struct triage triage = {0};

   fail_with("Unhandled ALU op c");
   deadly = true;
   CHECK_EQUAL(pthread_atfork(NULL, NULL, end_early), 0);
   CHECK_EQUAL(triage_start(&triage, &findings, &settings, &options, &report), 0);
   deadly = false;
   triage_finish(&triage, &findings);
   CHECK(!triage.busy && findings.count == 1);
   CHECK(findings.count == 1 && strcmp(findings.items[0]->blamed, "not blamed: the triage was killed by SIGKILL") == 0);
   CHECK(findings.count == 1 && !findings.items[0]->known);
   triage_close(&triage);
   findings_finish(&findings);
}

static void check_known(void)
{
   char path[] = "/tmp/fuzz-triage.XXXXXX";
   struct findings findings = {0};
   const int file = mkstemp(path);
   static const char text[] =
       "# a comment\n\nunhandled: Unhandled ALU op k*: *\ncrash: Aborted in the compiler ({x|y}{|z})*: *\n"
       "rule: nir_opt_algebraic (NIR): fabs(a) -> a\n";

   CHECK(file >= 0 && write(file, text, sizeof(text) - 1) == sizeof(text) - 1);
   CHECK_EQUAL(findings_load_known(&findings, path), EXIT_OK);
   CHECK_EQUAL(findings.known_count, 6); /* four of them of the line with braces */
   fail_with("Unhandled ALU op known");
   CHECK(findings_add(&findings, &settings, &report, NULL) && findings.items[0]->known);
   fail_with("Unhandled ALU op other");
   CHECK(findings_add(&findings, &settings, &report, NULL) && !findings.items[1]->known);
   report.fate = (struct call_fate){CALL_CRASHED, SIGABRT};
   CHECK(findings_know_crash(&findings, &report, "Aborted in the compiler (x)"));
   CHECK(findings_know_crash(&findings, &report, "Aborted in the compiler (yz)"));
   CHECK(!findings_know_crash(&findings, &report, "Aborted in the compiler (z)"));
   CHECK(!findings_know_crash(&findings, &report, "Aborted in the compiler ({x|y})"));
   findings_finish(&findings);
   CHECK(findings.known == NULL && findings.items == NULL);
   close(file);
   (void)remove(path);
   CHECK_EQUAL(findings_load_known(&findings, path), EXIT_INVALID);
}

/* A program that is right without the pass `cure`; without the pass `lucky` as long as it has its own registers; with
 * the constants of phis in registers. */
struct fake_program {
   unsigned cure, lucky;
   bool phis;
};

static enum verdict try_fake(const struct backend_trial *trial, void *data)
{
   const struct fake_program *program = data;
   const bool right = trial->skip == program->cure || (trial->skip == program->lucky && trial->registers == 0) ||
                      (trial->phis_in_registers && program->phis);

   return right ? VERDICT_ALIKE : VERDICT_DIFFERENT;
}

static void check_backend_blame(void)
{
   const unsigned none = fuzz_backend_pass_count();
   struct fake_program program = {.cure = 3, .lucky = 0};
   bool phis = true;

   CHECK(backend_blame(try_fake, &program, &phis) == 3 && !phis);
   program = (struct fake_program){.cure = none + 1, .lucky = 0, .phis = true};
   CHECK(backend_blame(try_fake, &program, &phis) == none && phis);
   program.phis = false;
   CHECK(backend_blame(try_fake, &program, &phis) == none && !phis);
}

int main(void)
{
   check_findings();
   check_rules();
   check_early_end();
   check_known();
   check_backend_blame();
   return check_result();
}
