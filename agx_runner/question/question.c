/* SPDX-License-Identifier: MIT
 *
 * Reads a question's file. Invariant: a question that is read refers to its own asks and to parameters that there are.
 */
#include "agx_runner/question/question.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/runner.h"
#include "util/array.h"
#include "vgpu/timing/params_file.h"

static bool has_ask(const struct question *question, const char *name)
{
   for (unsigned i = 0; i < question->ask_count; i++) {
      if (strcmp(question->asks[i].name, name) == 0) {
         return true;
      }
   }
   return false;
}

/* Copies a text that must fit. */
static const char *copy(char *to, size_t size, const char *text)
{
   return (size_t)snprintf(to, size, "%s", text) < size ? NULL : "the text is too long";
}

static const char *take_title(struct question *question, char *rest)
{
   return copy(question->title, sizeof(question->title), rest);
}

static const char *take_why(struct question *question, char *rest)
{
   (void)question, (void)rest; /* docs/questions.md has it */
   return NULL;
}

/* One option without a path: an answer comes from anybody. */
static const char *take_model(struct question *question, char *rest)
{
   if (rest[strspn(rest, "abcdefghijklmnopqrstuvwxyz=+")] != '\0') {
      return "expected one option of a virtual device, as in 'model dvfs=command'";
   }
   return copy(question->model, sizeof(question->model), rest);
}

/* "NAME = QUESTION" */
static const char *take_ask(struct question *question, char *rest)
{
   char *equals = strstr(rest, " = ");

   if (equals == NULL || question->ask_count == QUESTION_ASKS) {
      return "expected at most 4 lines 'ask NAME = QUESTION'";
   }
   *equals = '\0';
   struct question_ask *ask = &question->asks[question->ask_count++];
   const char *why = copy(ask->name, sizeof(ask->name), rest);
   return why != NULL ? why : copy(ask->text, sizeof(ask->text), equals + strlen(" = "));
}

/* "LOW..HIGH": scanf would take the first dot as LOW's. */
static bool read_range(const char *text, double *low, double *high)
{
   char first[32];
   const char *dots = strstr(text, "..");

   if (dots == NULL || (size_t)(dots - text) >= sizeof(first)) {
      return false;
   }
   snprintf(first, sizeof(first), "%.*s", (int)(dots - text), text);
   char *first_end, *second_end;
   *low = strtod(first, &first_end);
   *high = strtod(dots + 2, &second_end);
   return first_end != first && *first_end == '\0' && second_end != dots + 2 && *second_end == '\0' && *low < *high;
}

/* "PARAMETER LOW..HIGH by NAME" */
static const char *take_decides(struct question *question, char *rest)
{
   struct question_decides decides;
   char parameter[VGPU_PARAM_NAME], range[64];

   if (sscanf(rest, "%47s %63s by %31s", parameter, range, decides.name) != 3 ||
       !read_range(range, &decides.low, &decides.high) || question->decides_count == QUESTION_DECIDES) {
      return "expected at most 4 lines 'decides PARAMETER LOW..HIGH by NAME', LOW below HIGH";
   }
   decides.parameter = vgpu_param_find(parameter);
   if (decides.parameter == vgpu_param_count()) {
      return "the timing model has no parameter of that name";
   }
   if (!has_ask(question, decides.name)) {
      return "no line 'ask' before it has that name";
   }
   question->decides[question->decides_count++] = decides;
   return NULL;
}

/* "NAME LOW..HIGH TEXT" */
static const char *take_when(struct question *question, char *rest)
{
   struct question_when when;
   char range[64];
   int length = 0;

   if (sscanf(rest, "%31s %63s %n", when.name, range, &length) < 2 || !read_range(range, &when.low, &when.high) ||
       question->when_count == QUESTION_WHENS) {
      return "expected at most 12 lines 'when NAME LOW..HIGH TEXT', LOW below HIGH";
   }
   if (!has_ask(question, when.name)) {
      return "no line 'ask' before it has that name";
   }
   const char *why = copy(when.text, sizeof(when.text), rest + length);
   question->whens[question->when_count++] = when;
   return why;
}

bool question_take(struct question *question, char *line, const char **why)
{
   static const struct {
      const char *word;
      const char *(*take)(struct question *question, char *rest);
   } statements[] = {
       {"title", take_title}, {"why", take_why},         {"model", take_model},
       {"ask", take_ask},     {"decides", take_decides}, {"when", take_when},
   };
   char *rest = line + strcspn(line, " ");

   if (*rest == ' ') {
      *rest++ = '\0';
   }
   *why = "expected title, why, model, ask, decides or when";
   for (size_t i = 0; i < ARRAY_COUNT(statements); i++) {
      if (strcmp(line, statements[i].word) == 0) {
         *why = statements[i].take(question, rest);
      }
   }
   return *why == NULL;
}

int question_read(const char *path, struct question *question)
{
   char line[QUESTION_TEXT];
   const char *why = NULL;
   unsigned number = 0;
   FILE *file = fopen(path, "re");

   *question = (struct question){0};
   if (file == NULL) {
      return complain(EXIT_INVALID, "%s: %s", path, strerror(errno));
   }
   while (why == NULL && fgets(line, sizeof(line), file) != NULL) {
      number++;
      line[strcspn(line, "\r\n")] = '\0';
      if (line[0] != '#' && line[0] != '\0') {
         (void)question_take(question, line, &why);
      }
   }
   const bool failed = ferror(file) != 0;
   (void)fclose(file);
   if (failed) {
      return complain(EXIT_INVALID, "%s: read error", path);
   }
   if (why != NULL) {
      return complain(EXIT_INVALID, "%s:%u: %s", path, number, why);
   }
   return question->ask_count > 0 ? EXIT_OK : complain(EXIT_INVALID, "%s: it has no line 'ask NAME = QUESTION'", path);
}
