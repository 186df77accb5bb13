/* SPDX-License-Identifier: MIT
 *
 * Judges answers. Invariant: a line that is not understood is no answer, and a case without an answer is no pass
 * (work.c).
 */
#include "agx_runner/apps/judge.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/file.h"

/* Removes the escapes of colours: "\033[1;32mOK\033[0m" becomes "OK". */
static void remove_colours(char *line)
{
   char *to = line;
   for (const char *from = line; *from != '\0';) {
      if (from[0] == '\033' && from[1] == '[') {
         from += 2 + strcspn(from + 2, "m");
         from += *from == 'm';
      } else {
         *to++ = *from++;
      }
   }
   *to = '\0';
}

/* A word behind a case's name, and what it means. */
struct verdict {
   const char *word;
   enum result_status status;
};

size_t judge_ggml(char *text, app_answer *answer, void *data)
{
   static const struct verdict verdicts[] = {
       {"OK", RESULT_PASS}, {"FAIL", RESULT_FAIL}, {"not supported", RESULT_SKIP}};
   size_t count = 0;
   for (char *line; (line = strsep(&text, "\n")) != NULL;) {
      remove_colours(line);
      line += strspn(line, " ");
      /* A failure has its error before its word, and other lines may: "[MUL_MAT] NMSE = 1 > 0.0005  MUL_MAT(...): FAIL"
       */
      char *end = strstr(line, "): ");
      char *open = end != NULL ? strchr(line, '(') : NULL;
      for (size_t i = 0; open != NULL && i < ARRAY_COUNT(verdicts); i++) {
         const char *word = strstr(end + 3, verdicts[i].word);
         if (word == NULL) {
            continue;
         }
         char reason[200];
         snprintf(reason, sizeof(reason), "%.*s", (int)(word - (end + 3)), end + 3);
         end[1] = '\0';
         answer(data, line, verdicts[i].status,
                verdicts[i].status == RESULT_SKIP ? "not supported by the driver" : reason);
         count++;
         break;
      }
   }
   return count;
}

static enum result_status piglit_status(const char *word)
{
   static const struct verdict verdicts[] = {{"pass", RESULT_PASS},
                                             {"skip", RESULT_SKIP},
                                             {"warn", RESULT_WARN},
                                             {"crash", RESULT_CRASH},
                                             {"timeout", RESULT_TIMEOUT}};
   for (size_t i = 0; i < ARRAY_COUNT(verdicts); i++) {
      if (strcmp(word, verdicts[i].word) == 0) {
         return verdicts[i].status;
      }
   }
   return RESULT_FAIL;
}

/* PIGLIT: {"subtest": {"NAME" : "pass"}} and PIGLIT: {"result": "pass" } */
size_t judge_piglit(char *text, app_answer *answer, void *data)
{
   size_t count = 0, subtests = 0;
   for (char *line; (line = strsep(&text, "\n")) != NULL;) {
      char name[256] = "", word[32] = "";
      char *at = strstr(line, "PIGLIT:");
      if (at == NULL) {
         continue;
      }
      char *subtest = strstr(at, "\"subtest\"");
      if (subtest != NULL && sscanf(subtest, "\"subtest\": {\"%255[^\"]\" : \"%31[^\"]\"", name, word) == 2) {
         answer(data, name, piglit_status(word), "");
         subtests++;
      } else if (subtest == NULL && sscanf(at, "PIGLIT: {\"result\": \"%31[^\"]\"", word) == 1 && subtests == 0) {
         answer(data, "", piglit_status(word), "");
         count++;
      }
   }
   return count + subtests;
}

static bool ends_with(const char *line, const char *end)
{
   const size_t length = strlen(line), wanted = strlen(end);
   return length >= wanted && strcmp(line + length - wanted, end) == 0;
}

/* What a test of GoogleTest says of itself behind "FILE:LINE: Failure" or "Skipped". */
struct remark {
   bool begun;
   const char *first, *actual; /* its first line, and the first one with an actual value */
};

static void remark_line(struct remark *remark, const char *line)
{
   if (ends_with(line, ": Failure") || ends_with(line, ": Skipped")) {
      remark->begun = true;
   } else if (remark->begun && line[0] != '\0') {
      remark->first = remark->first == NULL ? line : remark->first;
      remark->actual = remark->actual == NULL && strcasestr(line, "actual:") != NULL ? line : remark->actual;
   }
}

/* A test's lines: "[ RUN      ] NAME", its remarks, "[  FAILED  ] NAME, where GetParam() = ... (5 ms)". The list at the
 * end repeats names without a time. */
size_t judge_gtest(char *text, app_answer *answer, void *data)
{
   static const struct verdict verdicts[] = {
       {"[       OK ] ", RESULT_PASS}, {"[  FAILED  ] ", RESULT_FAIL}, {"[  SKIPPED ] ", RESULT_SKIP}};
   struct remark remark = {.begun = false};
   size_t count = 0;
   for (char *line; (line = strsep(&text, "\n")) != NULL;) {
      size_t v = 0;
      while (v < ARRAY_COUNT(verdicts) && strncmp(line, verdicts[v].word, strlen(verdicts[v].word)) != 0) {
         v++;
      }
      if (v < ARRAY_COUNT(verdicts) && ends_with(line, " ms)")) {
         const char *reason = remark.actual != NULL ? remark.actual : remark.first != NULL ? remark.first : "";
         char *name = line + strlen(verdicts[v].word);
         name[strcspn(name, ", ")] = '\0';
         answer(data, name, verdicts[v].status, reason + strspn(reason, " "));
         remark = (struct remark){.begun = false};
         count++;
      } else {
         remark_line(&remark, line);
      }
   }
   return count;
}

/* ---- Files ---- */

static uint8_t *read_file(const char *path, size_t *size)
{
   char *bytes = NULL;
   FILE *file = fopen(path, "rb");
   if (file != NULL && util_read_stream(file, 1u << 28, &bytes, size) < 0) {
      bytes = NULL;
   }
   if (file != NULL) {
      fclose(file);
   }
   return (uint8_t *)bytes;
}

static unsigned component(const uint8_t *bytes, size_t at, unsigned width)
{
   return width == 2 ? (unsigned)(bytes[at] << 8 | bytes[at + 1]) : bytes[at];
}

static bool compare(const uint8_t *ours, const uint8_t *theirs, size_t size, unsigned width, unsigned tolerance,
                    char *why, size_t why_size)
{
   size_t differ = 0, first = 0;
   unsigned most = 0;
   for (size_t at = 0; at + width <= size; at += width) {
      const unsigned a = component(ours, at, width), b = component(theirs, at, width);
      const unsigned distance = a > b ? a - b : b - a;
      if (distance > tolerance) {
         first = differ == 0 ? at : first;
         differ++;
      }
      most = distance > most ? distance : most;
   }
   if (differ > 0) {
      snprintf(why, why_size, "%zu of %zu components differ by more than %u, the first at byte %zu, one by %u", differ,
               size / width, tolerance, first, most);
   }
   return differ == 0;
}

bool judge_same(const char *path, const char *reference, unsigned bytes, unsigned tolerance, char *why, size_t size)
{
   size_t our_size = 0, their_size = 0;
   uint8_t *ours = read_file(path, &our_size), *theirs = read_file(reference, &their_size);
   bool same = false;
   if (theirs == NULL || their_size == 0) {
      snprintf(why, size, "the reference has written nothing");
   } else if (ours == NULL || our_size == 0) {
      snprintf(why, size, "the program has written nothing");
   } else if (our_size != their_size) {
      snprintf(why, size, "%zu bytes instead of the reference's %zu", our_size, their_size);
   } else {
      same = compare(ours, theirs, our_size, bytes, tolerance, why, size);
   }
   free(ours);
   free(theirs);
   return same;
}

void judge_last_line(const char *text, char *line, size_t size)
{
   size_t end = strlen(text);
   while (end > 0 && strchr(" \n\r\t", text[end - 1]) != NULL) {
      end--;
   }
   size_t begin = end;
   while (begin > 0 && text[begin - 1] != '\n' && end - begin + 1 < size) {
      begin--;
   }
   snprintf(line, size, "%.*s", (int)(end - begin), text + begin);
   remove_colours(line);
}
