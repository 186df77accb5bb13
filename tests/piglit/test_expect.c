/* SPDX-License-Identifier: MIT
 *
 * Expectation files, names and merged results. The names are rows of Piglit's own list, tests/cl.xml.gz.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agx_runner/piglit/expect.h"
#include "agx_runner/piglit/format/name.h"
#include "agx_runner/piglit/run.h"
#include "tests/piglit/check.h"

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

static void check_verdicts(void)
{
   struct expectations *expectations;
   char message[256] = "";

   write_file("fails.txt", "# why\nprogram@a@one,Fail\nprogram@a@two, three,Crash\n\nprogram@a@slow,Timeout  \n");
   write_file("skips.txt", "# why\n^program@b\n");
   write_file("flakes.txt", "lazy$\n");
   CHECK(piglit_expectations_load(folder, &expectations, message, sizeof(message)) == 0);
   CHECK(piglit_expect(expectations, "program@a@one", PIGLIT_FAIL) == PIGLIT_EXPECTED);
   CHECK(piglit_expect(expectations, "program@a@one", PIGLIT_CRASH) == PIGLIT_UNEXPECTED);
   CHECK(piglit_expect(expectations, "program@a@one", PIGLIT_PASS) == PIGLIT_IMPROVED);
   CHECK(piglit_expect(expectations, "program@a@one", PIGLIT_SKIP) == PIGLIT_IMPROVED);
   CHECK(piglit_expect(expectations, "program@a@two, three", PIGLIT_CRASH) == PIGLIT_EXPECTED);
   CHECK(piglit_expect(expectations, "program@a@slow", PIGLIT_TIMEOUT) == PIGLIT_EXPECTED);
   CHECK(piglit_expect(expectations, "program@a@other", PIGLIT_FAIL) == PIGLIT_UNEXPECTED);
   CHECK(piglit_expect(expectations, "program@a@other", PIGLIT_WARN) == PIGLIT_UNEXPECTED);
   CHECK(piglit_expect(expectations, "program@a@other", PIGLIT_PASS) == PIGLIT_EXPECTED);
   CHECK(piglit_expect(expectations, "program@a@other", PIGLIT_SKIP) == PIGLIT_EXPECTED);
   CHECK(piglit_expect(expectations, "program@a@lazy", PIGLIT_FAIL) == PIGLIT_FLAKE);
   CHECK(piglit_expect(expectations, "program@a@lazy", PIGLIT_PASS) == PIGLIT_EXPECTED);
   CHECK(expect_skip(expectations, "program@b@x") && !expect_skip(expectations, "program@a@program@b"));
   expectations_destroy(expectations);

   CHECK(piglit_expect(NULL, "x", PIGLIT_PASS) == PIGLIT_EXPECTED);
   CHECK(piglit_expect(NULL, "x", PIGLIT_TIMEOUT) == PIGLIT_UNEXPECTED);
   CHECK(!expect_skip(NULL, "x"));
}

static void check_malformed(void)
{
   struct expectations *expectations;
   char message[256] = "", wanted[256];

   write_file("fails.txt", "a,Fail\nb,Pass\n");
   CHECK(piglit_expectations_load(folder, &expectations, message, sizeof(message)) < 0 && expectations == NULL);
   snprintf(wanted, sizeof(wanted), "%s/fails.txt:2: expected \"NAME,STATUS\" with Fail, Crash, Timeout or Warn",
            folder);
   CHECK_TEXT(message, wanted);
   write_file("fails.txt", "a,Fail\n");
   write_file("skips.txt", "(\n");
   CHECK(piglit_expectations_load(folder, &expectations, message, sizeof(message)) < 0);
   snprintf(wanted, sizeof(wanted), "%s/skips.txt:1: (: ", folder);
   CHECK(strncmp(message, wanted, strlen(wanted)) == 0);
   remove_file("fails.txt");
   remove_file("skips.txt");
   remove_file("flakes.txt");
   CHECK(piglit_expectations_load(folder, &expectations, message, sizeof(message)) == 0);
   CHECK(piglit_expect(expectations, "x", PIGLIT_FAIL) == PIGLIT_UNEXPECTED);
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
   check_verdicts();
   check_malformed();
   check_names();
   check_merge();
   rmdir(folder);
   return check_failures();
}
