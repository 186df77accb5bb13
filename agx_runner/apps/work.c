/* SPDX-License-Identifier: MIT
 *
 * Inside a worker process: starts a case's program and reports its answers. Invariant: a case without an answer is a
 * failure, and so is one whose jobs faulted, whatever the program itself says.
 */
#include "agx_runner/apps/work.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agx_runner/apps/judge.h"
#include "agx_runner/apps/start.h"
#include "agx_runner/runs/worker_results.h"
#include "agx_runner/terminal/runner.h"
#include "util/array.h"

/* ---- Words ---- */

/* The words of a command; each is free()d. */
struct own_words {
   struct string_list list;
   bool failed;
};

static void take_word(struct own_words *words, char *word)
{
   words->failed |= word == NULL || !string_list_add(&words->list, word);
   if (words->failed) {
      free(word);
   }
}

static void finish_words(struct own_words *words)
{
   for (size_t i = 0; i < words->list.count; i++) {
      free((char *)words->list.items[i]);
   }
   string_list_finish(&words->list);
}

/* Adds the words of `text`. */
static void add_words(struct own_words *words, const char *text)
{
   while (*(text += strspn(text, " ")) != '\0' && !words->failed) {
      const size_t length = strcspn(text, " ");
      take_word(words, strndup(text, length));
      text += length;
   }
}

/* Adds a word of a command: "@frames" is a file in the folder, "%" the case's words, "a%b" has their text. */
static void add_template(struct own_words *words, const char *word, size_t length, const char *given,
                         const char *folder, bool whole)
{
   const char *percent = memchr(word, '%', length);
   char *made = NULL;
   if (word[0] == '@') {
      made = asprintf(&made, "%s/%.*s", folder, (int)length - 1, word + 1) < 0 ? NULL : made;
   } else if (percent == NULL) {
      made = strndup(word, length);
   } else if (length == 1 && !whole) {
      add_words(words, given);
      return;
   } else {
      made = asprintf(&made, "%.*s%s%.*s", (int)(percent - word), word, given, (int)(word + length - percent - 1),
                      percent + 1) < 0
                 ? NULL
                 : made;
   }
   take_word(words, made);
}

/* "/usr/..." becomes the file of the Mesa's folder, where it has that. */
static void place_words(struct own_words *words, const struct mesa *mesa)
{
   for (size_t i = 0; i < words->list.count && !words->failed; i++) {
      const char *word = words->list.items[i];
      char *placed = NULL;
      if (strncmp(word, "/usr/", 5) != 0) {
         continue;
      }
      words->failed = asprintf(&placed, "%s/root%s", mesa->path, word) < 0;
      if (!words->failed && access(placed, F_OK) == 0) {
         free((char *)word);
         words->list.items[i] = placed;
      } else if (!words->failed) {
         free(placed);
      }
   }
}

/* whole: the case's words are one. */
static void make_words(struct own_words *words, const char *command, const char *given, const char *folder, bool whole)
{
   *words = (struct own_words){.failed = false};
   while (*(command += strspn(command, " ")) != '\0' && !words->failed) {
      const size_t length = strcspn(command, " ");
      add_template(words, command, length, given, folder, whole);
      command += length;
   }
}

/* ---- Answers ---- */

/* A case that runs. */
struct one {
   struct worker *worker;
   const struct app_work *work;
   const struct app_unit *unit;
   char folder[MESA_PATH];
   struct app_run run;
   size_t answers, bad;
};

static void report(struct one *one, const char *name, enum result_status status, const char *reason)
{
   struct result result;
   char full[RESULT_NAME_MAX];
   snprintf(full, sizeof(full), "%s%s%s", one->unit->name, name[0] != '\0' ? "@" : "", name);
   for (char *c = full; *c != '\0'; c++) {
      *c = (unsigned char)*c < ' ' ? '?' : *c;
   }
   result_init(&result, full);
   result_set(&result, status, "%.200s", reason);
   if (status == RESULT_PASS || status == RESULT_FAIL) {
      result.check = status == RESULT_PASS ? RESULT_CHECK_PASS : RESULT_CHECK_FAIL;
   }
   worker_result(one->worker, &result);
   result_finish(&result);
   one->answers++;
   one->bad += result_status_is_bad(status);
}

static void take_answer(void *data, const char *name, enum result_status status, const char *reason)
{
   report(data, name, status, reason);
}

static const char *words_of(const struct app_unit *unit, bool reference)
{
   const struct application *application = unit->application;
   return reference && application->reference != NULL ? application->reference : application->command;
}

/* The folder in which a case's program starts. */
static void choose_start(const struct app_unit *unit, const char *folder, char starts[MESA_PATH])
{
   const char *part = unit->application->starts;
   const char *at = part != NULL ? strstr(unit->words, part) : NULL;
   snprintf(starts, MESA_PATH, "%.*s", (int)(at != NULL ? (size_t)(at - unit->words) : strlen(folder)),
            at != NULL ? unit->words : folder);
}

/* Starts the case, or its reference, in a folder of its own below that of the case. */
static int start(struct one *one, bool reference, char folder[MESA_PATH], struct app_run *run)
{
   const struct app_unit *unit = one->unit;
   struct own_words words;
   char starts[MESA_PATH];
   if (snprintf(folder, MESA_PATH, "%s/%s", one->folder, reference ? "reference" : "device") >= MESA_PATH ||
       mkdir(folder, 0700) < 0) {
      *run = (struct app_run){.status = EXIT_FAILED};
      return complain(EXIT_FAILED, "%s: %s", folder, strerror(errno));
   }
   if (unit->application->make != NULL && !unit->application->make(folder)) {
      *run = (struct app_run){.status = EXIT_FAILED};
      return complain(EXIT_FAILED, "files of %s in %s: %s", unit->name, folder, strerror(errno));
   }
   make_words(&words, words_of(unit, reference), unit->words, folder, unit->application->list != APP_CASES);
   place_words(&words, one->work->mesa);
   choose_start(unit, folder, starts);
   *run = (struct app_run){.status = EXIT_FAILED};
   const int code = words.failed ? complain(EXIT_FAILED, "out of memory")
                                 : app_start(reference ? one->work->software : one->work->mesa, one->worker->device,
                                             &words.list, folder, starts, run);
   finish_words(&words);
   return code;
}

/* ---- The ways to judge ---- */

static void judge_exit(struct one *one)
{
   const char *wants = one->unit->wants;
   if (one->run.status != 0) {
      return; /* what is behind says so */
   }
   if (wants != NULL && strstr(one->run.text, wants) == NULL) {
      char last[160], reason[240];
      judge_last_line(one->run.text, last, sizeof(last));
      snprintf(reason, sizeof(reason), "it does not print \"%s\", but ends with: %s", wants, last);
      report(one, "", RESULT_FAIL, reason);
   } else {
      report(one, "", RESULT_PASS, "");
   }
}

static void judge_file(struct one *one)
{
   const struct application *application = one->unit->application;
   char folder[MESA_PATH], ours[2 * MESA_PATH], theirs[2 * MESA_PATH], why[200] = "";
   struct app_run reference;
   if (one->run.status != 0) {
      return;
   }
   const char *at = strchr(application->command, '@'); /* the first file of the command is its answer */
   const int length = (int)strcspn(at + 1, " ");
   const char *suffix = application->suffix != NULL ? application->suffix : "";
   if (start(one, true, folder, &reference) == EXIT_OK) {
      snprintf(ours, sizeof(ours), "%s/device/%.*s%s", one->folder, length, at + 1, suffix);
      snprintf(theirs, sizeof(theirs), "%s/reference/%.*s%s", one->folder, length, at + 1, suffix);
      const bool same = judge_same(ours, theirs, application->bytes, application->tolerance, why, sizeof(why));
      report(one, "", same ? RESULT_PASS : RESULT_FAIL, why);
   }
   app_run_finish(&reference);
}

static void judge_lines(struct one *one)
{
   (void)judge_ggml(one->run.text, take_answer, one);
}

static void judge_protocol(struct one *one)
{
   (void)judge_piglit(one->run.text, take_answer, one);
}

static void judge_suite(struct one *one)
{
   (void)judge_gtest(one->run.text, take_answer, one);
}

static void (*const judges[APP_JUDGES])(struct one *one) = {[APP_EXIT] = judge_exit,
                                                            [APP_SAME] = judge_file,
                                                            [APP_GGML_LINES] = judge_lines,
                                                            [APP_PIGLIT] = judge_protocol,
                                                            [APP_GTEST_LINES] = judge_suite};

/* ---- The case ---- */

#define SIGNALS 31 /* exit statuses above 128 and these are a program's own */

static bool was_killed(int status)
{
   return status > 128 && status <= 128 + SIGNALS;
}

static bool has_device_failed(const struct one *one)
{
   return one->run.report.faults > 0 || one->run.report.findings > 0;
}

/* A case that has ended badly without a fault is run with the reference's drivers. If it ends badly there, too, the
 * driver cannot be judged by it. Returns whether that is so, and reports it. */
static bool fails_anywhere(struct one *one)
{
   char folder[MESA_PATH], last[160], reason[240];
   struct app_run reference;
   const bool asked =
       one->run.status != 0 && one->answers == 0 && !has_device_failed(one) && !one->work->mesa->software;
   bool fails = false;
   if (asked && start(one, true, folder, &reference) == EXIT_OK) {
      fails = reference.status != 0;
      judge_last_line(reference.text, last, sizeof(last));
      snprintf(reason, sizeof(reason), "it fails with the drivers for the processor, too: exit %d: %s",
               reference.status, last);
      if (fails) {
         report(one, "", RESULT_SKIP, reason);
      }
   }
   if (asked) {
      app_run_finish(&reference);
   }
   return fails;
}

/* What the device says, and a program that has ended badly or said nothing. */
static void judge_device(struct one *one, const char *last)
{
   const struct device_report *report_ = &one->run.report;
   char reason[240];
   if (has_device_failed(one)) {
      snprintf(reason, sizeof(reason), "the device: %llu faults, %llu findings of checks: %.150s",
               (unsigned long long)report_->faults, (unsigned long long)report_->findings,
               report_->first != NULL ? report_->first : "");
      report(one, one->answers > 0 ? "device" : "", RESULT_FAIL, reason);
   } else if (was_killed(one->run.status)) {
      snprintf(reason, sizeof(reason), "%s: %.150s", strsignal(one->run.status - 128), last);
      report(one, one->answers > 0 ? "end" : "", RESULT_CRASH, reason);
   } else if (one->answers == 0) {
      snprintf(reason, sizeof(reason), "exit %d: %.180s", one->run.status, last);
      report(one, "", RESULT_FAIL, reason);
   } else if (one->run.status != 0 && one->bad == 0) {
      snprintf(reason, sizeof(reason), "exit %d: %.180s", one->run.status, last);
      report(one, "end", RESULT_FAIL, reason);
   }
}

void app_remove_tree(const char *folder)
{
   char *const roots[] = {(char *)folder, NULL};
   FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
   for (FTSENT *entry; tree != NULL && (entry = fts_read(tree)) != NULL;) {
      if (entry->fts_info != FTS_D) {
         (void)remove(entry->fts_accpath);
      }
   }
   if (tree != NULL) {
      fts_close(tree);
   }
}

static bool run(struct worker *worker, size_t number)
{
   const struct app_work *work = worker->work->data;
   struct one one = {.worker = worker, .work = work, .unit = &work->units->items[number]};
   char folder[MESA_PATH], last[200] = "";
   snprintf(one.folder, sizeof(one.folder), "%s/%zu-%u", work->folder, number, worker->try);
   if (mkdir(one.folder, 0700) < 0 || start(&one, false, folder, &one.run) != EXIT_OK) {
      report(&one, "", RESULT_FAIL, "the program could not be started");
   } else {
      judge_last_line(one.run.text, last, sizeof(last));
      judges[one.unit->application->judge](&one);
      if (!fails_anywhere(&one)) {
         judge_device(&one, last);
      }
   }
   app_run_finish(&one.run);
   app_remove_tree(one.folder);
   return true;
}

static const char *unit_name(const void *data, size_t unit)
{
   const struct app_work *work = data;
   return work->units->items[unit].name;
}

struct work app_work(struct app_work *data)
{
   return (struct work){.data = data, .count = data->units->count, .name = unit_name, .run = run};
}
