/* SPDX-License-Identifier: MIT
 *
 * Expectation files, names and merged results. The names are rows of Piglit's own list, tests/cl.xml.gz.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agx_runner/piglit/format/name.h"
#include "agx_runner/piglit/status.h"
#include "agx_runner/runs/work_run.h"
#include "agx_runner/terminal/runner.h"
#include "tests/check.h"

static char folder[] = "/tmp/piglit-expect-XXXXXX";

static void write_file(const char *name, const char *text)
{
   char path[64];

   snprintf(path, sizeof(path), "%s/%s", folder, name);
   FILE *file = fopen(path, "w");
   if (file == NULL || fputs(text, file) == EOF || fclose(file) == EOF) {
      perror(path);
      exit(1);
   }
}

static void remove_file(const char *name)
{
   char path[64];

   snprintf(path, sizeof(path), "%s/%s", folder, name);
   unlink(path);
}

/* What a result of this name and status is judged to be. */
static enum result_status judge(const struct expectations *expectations, const char *name, enum result_status status)
{
   struct outcome outcome = {0};
   struct attempt attempt = {0};
   struct result_run run = {.results = NULL};

   struct result *result = attempt_add(&attempt, name);
   CHECK(result != NULL);
   result_set(result, status, "%s", "");
   outcome_add(&outcome, &attempt);
   CHECK(outcome_judge(&outcome, expectations, &run) && run.count == 1);
   const enum result_status judged = run.results[0].status;
   result_run_finish(&run);
   outcome_finish(&outcome);
   return judged;
}

static int load(const char *fails, const char *skips, const char *flakes, struct expectations **expectations)
{
   char paths[3][64];
   const char *const texts[] = {fails, skips, flakes}, *const names[] = {"fails.txt", "skips.txt", "flakes.txt"};

   for (unsigned i = 0; i < 3; i++) {
      snprintf(paths[i], sizeof(paths[i]), "%s/%s", folder, names[i]);
      write_file(names[i], texts[i]);
   }
   const int code = work_run_load_expectations(paths[0], paths[1], paths[2], expectations);
   for (unsigned i = 0; i < 3; i++) {
      remove_file(names[i]);
   }
   return code;
}

static void check_judgement(void)
{
   struct expectations *expectations;

   CHECK(load("# why\nprogram@a@one,Fail\nprogram@a@two, three,Crash\n\nprogram@a@slow,Timeout  \n",
              "# why\n^program@b\n", "lazy$\n", &expectations) == 0);
   CHECK(judge(expectations, "program@a@one", RESULT_FAIL) == RESULT_EXPECTED_FAIL);
   CHECK(judge(expectations, "program@a@one", RESULT_CRASH) == RESULT_CRASH);
   CHECK(judge(expectations, "program@a@one", RESULT_PASS) == RESULT_UNEXPECTED_PASS);
   CHECK(judge(expectations, "program@a@two, three", RESULT_CRASH) == RESULT_EXPECTED_FAIL);
   CHECK(judge(expectations, "program@a@slow", RESULT_TIMEOUT) == RESULT_EXPECTED_FAIL);
   CHECK(judge(expectations, "program@a@other", RESULT_FAIL) == RESULT_FAIL);
   CHECK(judge(expectations, "program@a@other", RESULT_INVALID) == RESULT_INVALID);
   CHECK(judge(expectations, "program@a@other", RESULT_PASS) == RESULT_PASS);
   CHECK(judge(expectations, "program@a@other", RESULT_SKIP) == RESULT_SKIP);
   CHECK(judge(expectations, "program@a@lazy", RESULT_FAIL) == RESULT_KNOWN_FLAKE);
   CHECK(judge(expectations, "program@a@lazy", RESULT_PASS) == RESULT_PASS);
   CHECK(expect_skip(expectations, "program@b@x") && !expect_skip(expectations, "program@a@program@b"));
   expectations_destroy(expectations);
   CHECK(judge(NULL, "x", RESULT_PASS) == RESULT_PASS);
   CHECK(judge(NULL, "x", RESULT_TIMEOUT) == RESULT_TIMEOUT);
   CHECK(!expect_skip(NULL, "x"));
}

static void check_malformed(void)
{
   struct expectations *expectations;

   CHECK(load("a,Fail\nb,Pass\n", "", "", &expectations) == EXIT_INVALID);
   expectations_destroy(expectations);
   CHECK(load("a,Fail\n", "(\n", "", &expectations) == EXIT_INVALID);
   expectations_destroy(expectations);
}

static void check_names(void)
{
   static const struct {
      const char *path, *name;
   } rows[] = {
       {"/usr/lib/piglit/generated_tests/cl/vload/vload-char-constant.cl", "program@execute@vload@vload-char-constant"},
       {"generated_tests/cl/builtin/math/builtin-float-rint-1.0.generated.cl",
        "program@execute@builtin@builtin-float-rint-1.0.generated"},
       {"tests/cl/program/build/version-declaration.cl", "program@build@version-declaration"},
       {"./tests/cl/program/execute/builtin/atomic/atomic_xor-local.cl", "program@execute@atomic_xor-local"},
       {"x/tests/cl/program/execute/sha256-Ch.cl", "program@execute@sha256-ch"},
       {"generated_tests/cl/store/store-int4-local.program_test", "program@execute@store@store-int4-local"},
       {"my/kernel.cl", "my@kernel"},
       {"../no.dot/kernel", "no.dot@kernel"},
   };

   for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      char *name = piglit_test_name(rows[i].path);
      CHECK_TEXT(name, rows[i].name);
      free(name);
   }
}

static void check_merge(void)
{
   CHECK(piglit_status_merge(PIGLIT_SKIP, PIGLIT_PASS) == PIGLIT_PASS);
   CHECK(piglit_status_merge(PIGLIT_PASS, PIGLIT_SKIP) == PIGLIT_PASS);
   CHECK(piglit_status_merge(PIGLIT_PASS, PIGLIT_WARN) == PIGLIT_WARN);
   CHECK(piglit_status_merge(PIGLIT_FAIL, PIGLIT_WARN) == PIGLIT_FAIL);
   CHECK(piglit_status_merge(PIGLIT_SKIP, PIGLIT_SKIP) == PIGLIT_SKIP);
}

int main(void)
{
   if (mkdtemp(folder) == NULL) {
      perror(folder);
      return 1;
   }
   check_judgement();
   check_malformed();
   check_names();
   check_merge();
   rmdir(folder);
   return check_result();
}
