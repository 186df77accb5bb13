/* SPDX-License-Identifier: MIT
 *
 * Reads answers out of a text. Invariant: an answer is taken whole, with a check sum that fits, or the file is refused
 * with the reason and the line.
 */
#include "agx_runner/question/answer.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "agx_runner/terminal/runner.h"
#include "util/array.h"
#include "util/file.h"

#define FILE_MOST (4u << 20)
#define BLANKS " \t\r\n"

char *answer_strip(char *line)
{
   char *first = line + strspn(line, "> \t"), *end = first + strlen(first);

   while (end > first && strchr(BLANKS, end[-1]) != NULL) {
      *--end = '\0';
   }
   return first;
}

static uint64_t check_line(uint64_t sum, const char *line)
{
   sum = XXH64(line, strlen(line), sum);
   return XXH64("\n", 1, sum);
}

uint64_t answer_check(const char *text)
{
   char *copy = strdup(text), *rest = copy, *line;
   uint64_t sum = 0;

   while (copy != NULL && (line = strsep(&rest, "\n")) != NULL) {
      line = answer_strip(line);
      sum = *line != '\0' ? check_line(sum, line) : sum;
   }
   free(copy);
   return sum;
}

/* ---- One line of an answer ---- */

struct reader {
   const char *path;
   struct answers *answers;
   struct answer answer; /* that is being read */
   bool inside;
   uint64_t sum;
};

/* "figure NAME = VALUE from LOW to HIGH UNIT, ..." or "figure NAME: none: REASON" */
static const char *take_figure(struct answer *answer, const char *rest)
{
   struct question_figure figure = {.value = NAN};
   char name[QUESTION_NAME];

   if (sscanf(rest, "%31s = %lf from %lf to %lf %15[^,]", name, &figure.value, &figure.low, &figure.high,
              figure.unit) != 5) {
      return strstr(rest, ": none: ") != NULL ? NULL : "expected 'figure NAME = VALUE from LOW to HIGH UNIT'";
   }
   for (unsigned i = 0; i < answer->question.ask_count; i++) {
      if (strcmp(answer->question.asks[i].name, name) == 0) {
         answer->figures[i] = figure;
         return NULL;
      }
   }
   return "no line 'ask' before it has that name";
}

/* Lines of prose are skipped: they are for readers. */
static const char *take_line(struct answer *answer, char *line)
{
   static const char *const statements[] = {"ask ", "decides ", "model "};
   const char *why = NULL;

   if (strncmp(line, "chip: ", 6) == 0) {
      snprintf(answer->chip, sizeof(answer->chip), "%s", line + 6);
   } else if (strncmp(line, "machine: ", 9) == 0) {
      answer->hardware = strstr(line, ", hardware") != NULL;
   } else if (strncmp(line, "question: ", 10) == 0) {
      snprintf(answer->question.title, sizeof(answer->question.title), "%s", line + 10);
   } else if (strncmp(line, "figure ", 7) == 0) {
      return take_figure(answer, line + 7);
   }
   for (size_t i = 0; i < ARRAY_COUNT(statements); i++) {
      if (strncmp(line, statements[i], strlen(statements[i])) == 0) {
         (void)question_take(&answer->question, line, &why);
         return why;
      }
   }
   return NULL;
}

/* ---- The whole text ---- */

static const char *add_answer(struct reader *reader)
{
   struct answers *answers = reader->answers;
   struct answer *more = realloc(answers->items, (answers->count + 1) * sizeof(*more));

   if (more == NULL) {
      return "out of memory";
   }
   answers->items = more;
   more[answers->count++] = reader->answer;
   reader->inside = false;
   return reader->answer.chip[0] == '\0' ? "the answer before it has no line 'chip: NAME'" : NULL;
}

static const char *end_answer(struct reader *reader, const char *sum)
{
   char wanted[17];

   snprintf(wanted, sizeof(wanted), "%016" PRIx64, reader->sum);
   if (strcmp(sum, wanted) != 0) {
      return "the check sum does not fit the lines before it: the text was changed, cut or wrapped after agx-runner "
             "wrote it; ask for the file itself";
   }
   return add_answer(reader);
}

static void begin_answer(struct reader *reader)
{
   reader->inside = true;
   reader->sum = 0;
   reader->answer = (struct answer){0};
   for (unsigned i = 0; i < QUESTION_ASKS; i++) {
      reader->answer.figures[i].value = NAN;
   }
}

static const char *read_line(struct reader *reader, char *line)
{
   if (strcmp(line, ANSWER_FIRST) == 0) {
      if (reader->inside) {
         return "the answer before it has no line 'check: ...': its end is missing";
      }
      begin_answer(reader);
   } else if (!reader->inside || *line == '\0') {
      return NULL;
   } else if (strncmp(line, "check: ", 7) == 0) {
      return end_answer(reader, line + 7);
   }
   reader->sum = check_line(reader->sum, line);
   return take_line(&reader->answer, line);
}

static char *read_text(const char *path)
{
   char *text = NULL;
   size_t size;
   FILE *file = fopen(path, "re");
   const int error = file == NULL ? -errno : util_read_stream(file, FILE_MOST, &text, &size);

   if (file != NULL) {
      (void)fclose(file);
   }
   if (error < 0) {
      (void)complain(EXIT_INVALID, "%s: %s", path, strerror(-error));
   }
   return text;
}

bool answers_are_in(const char *path)
{
   char line[QUESTION_TEXT];
   bool found = false;
   FILE *file = fopen(path, "re");

   while (file != NULL && !found && fgets(line, sizeof(line), file) != NULL) {
      found = strcmp(answer_strip(line), ANSWER_FIRST) == 0;
   }
   if (file != NULL) {
      (void)fclose(file);
   }
   return found;
}

int answers_read(const char *path, struct answers *answers)
{
   struct reader reader = {.path = path, .answers = answers};
   char *text, *rest, *line;
   const char *why = NULL;
   unsigned number = 0;

   *answers = (struct answers){0};
   text = rest = read_text(path);
   if (text == NULL) {
      return EXIT_INVALID;
   }
   while (why == NULL && (line = strsep(&rest, "\n")) != NULL) {
      number++;
      why = read_line(&reader, answer_strip(line));
   }
   free(text);
   if (why == NULL && reader.inside) {
      why = "the answer has no line 'check: ...': its end is missing";
   }
   return why == NULL ? EXIT_OK : complain(EXIT_INVALID, "%s:%u: %s", path, number, why);
}

void answers_finish(struct answers *answers)
{
   free(answers->items);
   *answers = (struct answers){0};
}
