/* SPDX-License-Identifier: MIT
 *
 * What applications print and write is judged as their own rules say: lines of test-backend-ops (llama.cpp's
 * tests/test-backend-ops.cpp), of Piglit's protocol and of GoogleTest, and files beside their references.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agx_runner/apps/judge.h"
#include "tests/check.h"

struct answers {
   unsigned count[RESULT_STATUS_COUNT];
   char names[1024], reasons[1024];
};

static void take(void *data, const char *name, enum result_status status, const char *reason)
{
   struct answers *answers = data;
   answers->count[status]++;
   strcat(strcat(answers->names, name), "|");
   strcat(strcat(answers->reasons, reason), "|");
}

static void test_ggml(void)
{
   char text[] = "Testing 2 devices\n"
                 "  ADD(type=f32,ne=[10,5,4,3],nf=1): \033[1;32mOK\033[0m\n"
                 "  ADD(type=bf16,ne=[1,1,1,1]): not supported [Vulkan0] \n"
                 "  MUL_MAT(type_a=q4_0,bs=[1,1]): [MUL_MAT] NMSE = 0.9 > 0.0005 \033[1;31mFAIL\033[0m\n"
                 "  3/4 tests passed\n  Backend Vulkan0: FAIL\n";
   struct answers answers = {.names = ""};
   CHECK(judge_ggml(text, take, &answers) == 3, "three lines are answers");
   CHECK(answers.count[RESULT_PASS] == 1 && answers.count[RESULT_FAIL] == 1 && answers.count[RESULT_SKIP] == 1,
         "a pass, a failure, a skip");
   CHECK(strcmp(answers.names, "ADD(type=f32,ne=[10,5,4,3],nf=1)|ADD(type=bf16,ne=[1,1,1,1])|"
                               "MUL_MAT(type_a=q4_0,bs=[1,1])|") == 0,
         "names: %s", answers.names);
   CHECK(strstr(answers.reasons, "NMSE = 0.9 > 0.0005") != NULL, "reasons: %s", answers.reasons);
}

static void test_piglit(void)
{
   char text[] = "PIGLIT: {\"subtest\": {\"a b\" : \"pass\"}}\nPIGLIT: {\"subtest\": {\"c\" : \"fail\"}}\n"
                 "PIGLIT: {\"result\": \"fail\" }\n";
   char alone[] = "something\nPIGLIT: {\"result\": \"skip\" }\n", none[] = "killed\n";
   struct answers answers = {.names = ""}, second = {.names = ""}, third = {.names = ""};
   CHECK(judge_piglit(text, take, &answers) == 2, "a file with subtests gives those");
   CHECK(strcmp(answers.names, "a b|c|") == 0 && answers.count[RESULT_FAIL] == 1, "names: %s", answers.names);
   CHECK(judge_piglit(alone, take, &second) == 1 && second.count[RESULT_SKIP] == 1, "a file without is one");
   CHECK(judge_piglit(none, take, &third) == 0, "no line, no answer");
}

static void test_gtest(void)
{
   char text[] =
       "Note: Google Test filter = Adding.*\n[ RUN      ] Adding.Two/0\nWarning: actual trouble\n"
       "[       OK ] Adding.Two/0 (5 ms)\n"
       "[ RUN      ] Adding.Two/1\n./adding.cpp:7: Failure\nExpected: (a) < (b), actual: 3 vs 2\n\n"
       "[  FAILED  ] Adding.Two/1, where GetParam() = Apple M1 (G13G B1) (32 ms)\n"
       "[ RUN      ] Adding.Two/2\n./adding.cpp:9: Skipped\nno such number\n\n[  SKIPPED ] Adding.Two/2 (0 ms)\n"
       "[----------] 3 tests from Adding (37 ms total)\n[  PASSED  ] 1 test.\n[  SKIPPED ] 1 test, listed below:\n"
       "[  SKIPPED ] Adding.Two/2\n[  FAILED  ] 1 test, listed below:\n"
       "[  FAILED  ] Adding.Two/1, where GetParam() = Apple M1 (G13G B1)\n";
   struct answers answers = {.names = ""};
   CHECK(judge_gtest(text, take, &answers) == 3, "three tests: %s", answers.names);
   CHECK(answers.count[RESULT_PASS] == 1 && answers.count[RESULT_FAIL] == 1 && answers.count[RESULT_SKIP] == 1,
         "a pass, a failure, a skip");
   CHECK(strcmp(answers.names, "Adding.Two/0|Adding.Two/1|Adding.Two/2|") == 0, "names: %s", answers.names);
   CHECK(strstr(answers.reasons, "|Expected: (a) < (b), actual: 3 vs 2|no such number|") != NULL, "reasons: %s",
         answers.reasons);
}

static void write_file(const char *path, const char *bytes, size_t size)
{
   FILE *file = fopen(path, "wb");
   CHECK(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0, "%s is written", path);
}

static void test_same(const char *folder)
{
   char a[256], b[256], why[200] = "";
   snprintf(a, sizeof(a), "%s/a", folder);
   snprintf(b, sizeof(b), "%s/b", folder);
   write_file(a, "\x10\x20\x30\x40", 4);
   write_file(b, "\x11\x20\x30\x3f", 4);
   CHECK(judge_same(a, b, 1, 1, why, sizeof(why)), "components of a byte that differ by 1: %s", why);
   CHECK(!judge_same(a, b, 1, 0, why, sizeof(why)), "and must not");
   CHECK(strstr(why, "2 of 4 components") != NULL, "why: %s", why);
   CHECK(!judge_same(a, b, 2, 255, why, sizeof(why)), "as words 0x1020 and 0x1120 they differ by 256");
   CHECK(judge_same(a, b, 2, 256, why, sizeof(why)), "why: %s", why);
   write_file(b, "\x10", 1);
   CHECK(!judge_same(a, b, 1, 255, why, sizeof(why)), "another size");
   write_file(b, "", 0);
   CHECK(!judge_same(b, b, 1, 255, why, sizeof(why)), "two empty files are no answer");
   unlink(a);
   unlink(b);
   CHECK(!judge_same(a, b, 1, 255, why, sizeof(why)), "no files");
}

int main(void)
{
   char folder[] = "/tmp/agx-judge-XXXXXX", line[64];
   test_ggml();
   test_piglit();
   test_gtest();
   if (CHECK(mkdtemp(folder) != NULL, "a folder")) {
      test_same(folder);
      rmdir(folder);
   }
   judge_last_line("one\n\033[31mtwo words\033[0m\n\n", line, sizeof(line));
   CHECK(strcmp(line, "two words") == 0, "the last line: %s", line);
   return check_result();
}
