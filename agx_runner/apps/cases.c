/* SPDX-License-Identifier: MIT
 *
 * Lists cases: from the table, from the files of a folder, or as a program says.
 */
#include "agx_runner/apps/cases.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agx_runner/apps/start.h"
#include "agx_runner/terminal/runner.h"
#include "util/array.h"
#include "util/file.h"

#define PACKAGES_MOST ((size_t)16 << 20) /* bytes of the list */

static int no_memory(void)
{
   return complain(EXIT_FAILED, "out of memory");
}

/* Takes `words`, which free() must release. */
static int add(struct app_units *units, const struct application *application, const char *only, const char *name,
               char *words, const char *wants)
{
   struct app_unit unit = {.application = application, .words = words, .wants = wants};
   if (asprintf(&unit.name, "%s@%s", application->name, name) < 0) {
      unit.name = NULL;
   }
   const size_t length = only != NULL ? strlen(only) : 0;
   if (unit.name != NULL && only != NULL &&
       (strncmp(unit.name, only, length) != 0 || (unit.name[length] != '\0' && unit.name[length] != '@'))) {
      free(unit.name);
      free(words);
      return EXIT_OK;
   }
   if (unit.name == NULL || words == NULL || !ARRAY_RESERVE_ONE(units->items, units->count)) {
      free(unit.name);
      free(words);
      return no_memory();
   }
   units->items[units->count++] = unit;
   return EXIT_OK;
}

static int add_cases(struct app_units *units, const struct application *application, const char *only)
{
   int code = EXIT_OK;
   for (size_t i = 0; code == EXIT_OK && i < application->count; i++) {
      const struct app_case *one = &application->cases[i];
      code = add(units, application, only, one->name, strdup(one->words != NULL ? one->words : one->name),
                 one->wants != NULL ? one->wants : application->wants);
   }
   return code;
}

/* The name of a file's case: its path below Piglit's folder of tests. */
static const char *file_name(const char *path)
{
   static const char *const folders[] = {"/tests/cl/program/", "/tests/spec/"};
   for (size_t i = 0; i < ARRAY_COUNT(folders); i++) {
      const char *at = strstr(path, folders[i]);
      if (at != NULL) {
         return at + strlen(folders[i]);
      }
   }
   const char *slash = strrchr(path, '/');
   return slash != NULL ? slash + 1 : path;
}

static int add_files(struct app_units *units, const struct application *application, const char *only,
                     const struct mesa *mesa)
{
   char pattern[2 * MESA_PATH];
   glob_t files;
   int code = EXIT_OK;
   snprintf(pattern, sizeof(pattern), "%s/root%s", mesa->path, application->listed);
   if (glob(pattern, GLOB_BRACE, NULL, &files) != 0) {
      return complain(EXIT_INVALID, "%s: no file is %s", application->name, pattern);
   }
   for (size_t i = 0; code == EXIT_OK && i < files.gl_pathc; i++) {
      code = add(units, application, only, file_name(files.gl_pathv[i]), strdup(files.gl_pathv[i]), NULL);
   }
   globfree(&files);
   return code;
}

/* ---- test-backend-ops ---- */

/* The cases of one operation that are not yet a unit: "ADD(type=f32,...),ADD(...)". */
struct batch {
   char operation[64];
   char *words;
   size_t count, number;
};

static int flush(struct app_units *units, const struct application *application, const char *only, struct batch *batch)
{
   char name[96];
   if (batch->count == 0) {
      return EXIT_OK;
   }
   snprintf(name, sizeof(name), "%s@%zu", batch->operation, batch->number);
   const int code = add(units, application, only, name, batch->words, NULL);
   batch->words = NULL;
   batch->count = 0;
   batch->number++;
   return code;
}

static int add_case(struct app_units *units, const struct application *application, const char *only,
                    struct batch *batch, const char *operation, const char *parameters)
{
   int code = EXIT_OK;
   char *longer;
   if (strcmp(batch->operation, operation) != 0 || batch->count == APP_GGML_CASES) {
      code = flush(units, application, only, batch);
   }
   if (strcmp(batch->operation, operation) != 0) {
      snprintf(batch->operation, sizeof(batch->operation), "%s", operation);
      batch->number = 0;
   }
   if (asprintf(&longer, "%s%s%s(%s)", batch->words != NULL ? batch->words : "", batch->words != NULL ? "," : "",
                operation, parameters) < 0) {
      return no_memory();
   }
   free(batch->words);
   batch->words = longer;
   batch->count++;
   return code;
}

/* Splits "A","B" without quotes inside, and returns the number of fields. */
static size_t split(char *line, char **fields, size_t most)
{
   size_t count = 0;
   while (count < most && *line == '"') {
      fields[count++] = line + 1;
      char *end = strchr(line + 1, '"');
      if (end == NULL) {
         return 0;
      }
      *end = '\0';
      line = end + 1 + (end[1] == ',');
   }
   return count;
}

/* A line of the program's list. */
struct listed {
   const char *operation, *parameters;
   size_t place;
};

static int by_operation(const void *a, const void *b)
{
   const struct listed *left = a, *right = b;
   const int order = strcmp(left->operation, right->operation);
   return order != 0 ? order : left->place < right->place ? -1 : left->place > right->place;
}

/* "Vulkan0","ADD","type=f32,...","support","1","yes" */
static bool read_line(char *line, struct listed *listed)
{
   char *fields[6];
   if (split(line, fields, 6) != 6 || strcmp(fields[0], "Vulkan0") != 0 || strcmp(fields[4], "1") != 0) {
      return false;
   }
   listed->operation = fields[1];
   listed->parameters = fields[2];
   return true;
}

static int add_lines(struct app_units *units, const struct application *application, const char *only, char *text)
{
   struct batch batch = {.count = 0};
   struct listed *list = NULL;
   size_t count = 0;
   int code = EXIT_OK;
   for (char *line; code == EXIT_OK && (line = strsep(&text, "\n")) != NULL;) {
      struct listed listed = {.place = count};
      if (read_line(line, &listed)) {
         code = ARRAY_RESERVE_ONE(list, count) ? EXIT_OK : no_memory();
         if (code == EXIT_OK) {
            list[count++] = listed;
         }
      }
   }
   if (count > 0) {
      qsort(list, count, sizeof(*list), by_operation);
   }
   for (size_t i = 0; code == EXIT_OK && i < count; i++) {
      code = add_case(units, application, only, &batch, list[i].operation, list[i].parameters);
   }
   code = code == EXIT_OK ? flush(units, application, only, &batch) : code;
   free(batch.words);
   free(list);
   return code;
}

static int add_ggml(struct app_units *units, const struct application *application, const char *only,
                    const struct mesa *mesa, const char *device)
{
   char program[256];
   const size_t before = units->count;
   struct app_run run;
   snprintf(program, sizeof(program), "%.*s", (int)strcspn(application->command, " "), application->command);
   const char *items[] = {program, "support", "-b", "Vulkan0", "--output", "csv"};
   const struct string_list words = {items, ARRAY_COUNT(items)};
   int code = app_start(mesa, device, &words, "", "", &run);
   code = code == EXIT_OK ? add_lines(units, application, only, run.text) : code;
   if (code == EXIT_OK && only == NULL && units->count == before) {
      code = complain(EXIT_FAILED, "%s: %s lists no case; exit %d", application->name, program, run.status);
   }
   app_run_finish(&run);
   return code;
}

/* ---- GoogleTest ---- */

/* The suites of a list: "Suite." or "Kind/Suite.  # TypeParam = ..." at a line's begin, tests behind two spaces. */
static int add_suites(struct app_units *units, const struct application *application, const char *only, char *text)
{
   int code = EXIT_OK;
   for (char *line; code == EXIT_OK && (line = strsep(&text, "\n")) != NULL;) {
      const size_t length = strcspn(line, " .");
      const bool suite = length > 0 && line[length] == '.' && (line[length + 1] == '\0' || line[length + 1] == ' ') &&
                         strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_/") == length;
      if (suite) {
         line[length] = '\0';
         code = add(units, application, only, line, strdup(line), NULL);
      }
   }
   return code;
}

/* The command, with a request for the list in place of the words that name a case. */
static int add_gtest(struct app_units *units, const struct application *application, const char *only,
                     const struct mesa *mesa, const char *device)
{
   const size_t before = units->count;
   struct string_list words = {0};
   struct app_run run;
   char *command = strdup(application->command), *rest = command;
   bool listed = command != NULL;
   for (char *word; listed && (word = strsep(&rest, " ")) != NULL;) {
      listed = strchr(word, '%') != NULL || string_list_add(&words, word);
   }
   int code = listed && string_list_add(&words, "--gtest_list_tests") ? EXIT_OK : no_memory();
   if (code == EXIT_OK) {
      code = app_start(mesa, device, &words, "", "", &run);
      code = code == EXIT_OK ? add_suites(units, application, only, run.text) : code;
      if (code == EXIT_OK && only == NULL && units->count == before) {
         code = complain(EXIT_FAILED, "%s: %s lists no suite; exit %d", application->name, words.items[0], run.status);
      }
      app_run_finish(&run);
   }
   string_list_finish(&words);
   free(command);
   return code;
}

int app_units_add(struct app_units *units, const struct application *application, const char *only,
                  const struct mesa *mesa, const char *device)
{
   switch (application->list) {
   case APP_FILES:
      return add_files(units, application, only, mesa);
   case APP_GGML:
      return add_ggml(units, application, only, mesa, device);
   case APP_GTEST:
      return add_gtest(units, application, only, mesa, device);
   default:
      return add_cases(units, application, only);
   }
}

static void finish_unit(struct app_unit *unit)
{
   free(unit->name);
   free(unit->words);
}

void app_units_shard(struct app_units *units, unsigned number, unsigned of)
{
   size_t kept = 0;
   for (size_t i = 0; i < units->count; i++) {
      if (i % of == number - 1) {
         units->items[kept++] = units->items[i];
      } else {
         finish_unit(&units->items[i]);
      }
   }
   units->count = kept;
}

void app_units_finish(struct app_units *units)
{
   for (size_t i = 0; i < units->count; i++) {
      finish_unit(&units->items[i]);
   }
   free(units->items);
   *units = (struct app_units){.count = 0};
}

/* ---- Packages ---- */

static bool has_package(const char *list, const char *name, size_t length)
{
   for (const char *line = list; line != NULL; line = strchr(line, '\n')) {
      line += *line == '\n';
      if (strncmp(line, name, length) == 0 && line[length] == ' ') {
         return true;
      }
   }
   return false;
}

/* The text of the folder's list of packages; NULL: it has none. free() it. */
static char *read_packages(const struct mesa *mesa)
{
   char path[MESA_PATH + 16], *text = NULL;
   size_t size;
   snprintf(path, sizeof(path), "%s/packages", mesa->path);
   FILE *file = mesa->kind == MESA_ROOT ? fopen(path, "r") : NULL;
   if (file != NULL && util_read_stream(file, PACKAGES_MOST, &text, &size) < 0) {
      text = NULL;
   }
   if (file != NULL) {
      fclose(file);
   }
   return text;
}

bool application_lacks(const struct application *application, const struct mesa *mesa, char *why, size_t size)
{
   char *list = read_packages(mesa);
   bool lacks = list == NULL;
   if (lacks) {
      snprintf(why, size, "its programs are Debian's: --mesa takes a folder of ci/mesa-get");
   }
   for (const char *name = application->packages; *name != '\0' && !lacks;) {
      const size_t length = strcspn(name, " ");
      lacks = !has_package(list, name, length);
      if (lacks) {
         snprintf(why, size, "%s has no package %.*s: ci/mesa-get --add %.*s SUITE fetches it", mesa->name, (int)length,
                  name, (int)length, name);
      }
      name += length + (name[length] == ' ');
   }
   free(list);
   if (!lacks && application->needs != NULL) {
      char path[2 * MESA_PATH];
      snprintf(path, sizeof(path), "%s/root%s", mesa->path, application->needs);
      lacks = access(path, F_OK) != 0;
      snprintf(why, lacks ? size : 0, "%s lacks what ci/%s %s fetches", mesa->name, application->setup, mesa->path);
   }
   return lacks;
}
