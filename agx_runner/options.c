/* SPDX-License-Identifier: MIT */
#include "agx_runner/options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/compare.h"
#include "agx_runner/result.h"
#include "agx_runner/runner.h"
#include "isa/isa.h"

enum kind {
   KIND_HELP,
   KIND_VERSION,
   KIND_STRING,
   KIND_U32,
   KIND_U64,
   KIND_CHOICE,
   KIND_SECONDS,
   KIND_LIST,
   KIND_SIZES,
   KIND_FLAG
};

#define DEVICE_COMMANDS (COMMAND_RUN | COMMAND_EXEC | COMMAND_SWEEP)
#define SOURCE_COMMANDS (COMMAND_EXEC | COMMAND_COMPILE | COMMAND_DISASM)
#define ASSEMBLY_COMMANDS (SOURCE_COMMANDS | COMMAND_ASM)
#define PROGRAM_COMMANDS (COMMAND_COMPILE | COMMAND_DISASM | COMMAND_ASM)
#define ALL_COMMANDS 0xffffffffu
#define FIELD(member) offsetof(struct options, member)

struct option_row {
   char letter; /* 0: none */
   const char *name;
   const char *metavar; /* NULL: takes nothing */
   enum kind kind;
   size_t field;
   unsigned commands; /* enum command_bit */
   uint64_t min, max; /* KIND_U32, KIND_U64, KIND_SIZES; KIND_SECONDS in seconds; KIND_STRING: least length */
   const char *const *choices;
   const char *help;
};

static const char *const syntaxes[] = {[ISA_SYNTAX_MESA] = "mesa", [ISA_SYNTAX_APPLEGPU] = "applegpu", NULL};
static const char *const piglit_formats[] = {
    [PIGLIT_FORMAT_SUMMARY] = "summary", [PIGLIT_FORMAT_JSON] = "json", [PIGLIT_FORMAT_PIGLIT] = "piglit", NULL};
static const char *const compare_formats[] = {
    [COMPARE_FORMAT_TEXT] = "text", [COMPARE_FORMAT_MARKDOWN] = "markdown", [COMPARE_FORMAT_JSON] = "json", NULL};
const char *const clock_names[] = {[CLOCK_AUTO] = "auto", [CLOCK_INFER] = "infer", [CLOCK_NOMINAL] = "nominal", NULL};

/* clang-format off */
static const struct option_row rows[] = {
   {'d', "device", "DEVICE", KIND_STRING, FIELD(device), DEVICE_COMMANDS | COMMAND_PIGLIT, 0, 0, NULL,
    "auto (an Apple GPU if there is one, else virtual:m1), a render node, or virtual:CHIP[,OPTION...] "
    "[default: auto]"},
   {'n', "samples", "N", KIND_U32, FIELD(samples), COMMAND_RUN | COMMAND_SWEEP, 9, 100000, NULL,
    "timings of each figure, at least 9 [default: 9]"},
   {0, "seed", "N", KIND_U64, FIELD(seed), DEVICE_COMMANDS, 0, UINT64_MAX, NULL,
    "of random inputs, orders and resampling [default: 1]"},
   {0, "full", NULL, KIND_FLAG, FIELD(full), COMMAND_RUN, 0, 0, NULL,
    "measure the whole catalogue [default: one or two benchmarks of each kind; patterns choose from all]"},
   {0, "clock", "SOURCE", KIND_CHOICE, FIELD(clock), COMMAND_RUN | COMMAND_SWEEP, 0, 0, clock_names,
    "auto: a virtual device's own unless it wanders, else inferred; infer: always inferred beside each sample; "
    "nominal: the highest that the kernel names, taken for constant, which a real one is not [default: auto]"},
   {0, "mix", "NAME*COUNT;...", KIND_LIST, FIELD(mixes), COMMAND_RUN, 0, 0, NULL,
    "instead of benchmarks, a mix of operations, named as in results/reference/instr.csv; may be given several times"},
   {0, "ilp", "N", KIND_U32, FIELD(ilp), COMMAND_RUN, 1, 8, NULL,
    "with --mix: independent chains of each operation [default: 4, or what the registers allow]"},
   {0, "simds", "N", KIND_U32, FIELD(simds), COMMAND_RUN, 1, 96, NULL,
    "with --mix: simdgroups a core [default: 24]"},
   {0, "full", NULL, KIND_FLAG, FIELD(full), COMMAND_SWEEP, 0, 0, NULL,
    "every number of simdgroups from 1 to 96, every register count [default: 14 occupancies]"},
   {0, "plot", "FILE.svg", KIND_STRING, FIELD(plot), COMMAND_SWEEP, 1, 0, NULL,
    "draw it, too; needs gnuplot"},
   {0, "kernel", "NAME", KIND_STRING, FIELD(kernel), SOURCE_COMMANDS, 1, 0, NULL,
    "which kernel, where the file has several"},
   {'b', "buf", "N=TYPE[COUNT]:INIT", KIND_LIST, FIELD(buffers), COMMAND_EXEC, 0, 0, NULL,
    "argument N is a buffer. TYPE: f16 f32 u8 i8 u16 i16 u32 i32 u64 i64; "
    "INIT: a number, random, iota, or @FILE [default: 0]"},
   {'a', "arg", "N=VALUE", KIND_LIST, FIELD(values), COMMAND_EXEC, 0, 0, NULL,
    "argument N by value; vectors as 1,2,3,4; or @FILE"},
   {0, "local", "N=BYTES", KIND_LIST, FIELD(locals), COMMAND_EXEC, 0, 0, NULL,
    "argument N is so much threadgroup memory"},
   {'g', "grid", "X[,Y[,Z]]", KIND_SIZES, FIELD(grid), COMMAND_EXEC, 1, UINT32_MAX, NULL,
    "threads in all; must be given"},
   {'t', "group", "X[,Y[,Z]]", KIND_SIZES, FIELD(group), COMMAND_EXEC, 1, 1024, NULL,
    "threads of a threadgroup, at most 1024 in all [default: what the kernel requires, else up to 256 along X]"},
   {0, "dump", "N=FILE", KIND_LIST, FIELD(dumps), COMMAND_EXEC, 0, 0, NULL,
    "write buffer N to a file afterwards"},
   {'p', "print", "N", KIND_LIST, FIELD(prints), COMMAND_EXEC, 0, 0, NULL,
    "print all of buffer N afterwards [default: the beginning of all buffers that the kernel may write]"},
   {'r', "repeat", "N", KIND_U32, FIELD(repeat), COMMAND_EXEC, 1, 1000000, NULL,
    "run so often, from the same inputs each time, and print the times [default: 1]"},
   {0, "timeout", "SECONDS", KIND_SECONDS, FIELD(timeout), DEVICE_COMMANDS, 0, 86400, NULL,
    "give up on a submission after so long [default: 10]"},
   {0, "options", "WORDS", KIND_STRING, FIELD(build_options), SOURCE_COMMANDS, 0, 0, NULL,
    "OpenCL build options, for instance \"-DN=4 -cl-fast-relaxed-math\""},
   {'D', "define", "NAME=NUMBER", KIND_LIST, FIELD(defines), ASSEMBLY_COMMANDS, 0, 0, NULL,
    "a constant for assembly, which wins over the file's own .equ"},
   {0, "long-forms", NULL, KIND_FLAG, FIELD(long_forms), ASSEMBLY_COMMANDS, 0, 0, NULL,
    "assemble the long form of every instruction that has two"},
   {0, "hex", NULL, KIND_FLAG, FIELD(hex), COMMAND_DISASM | COMMAND_ASM, 0, 0, NULL,
    "one instruction a line: hex digits on one side, assembly on the other"},
   {0, "predict", NULL, KIND_FLAG, FIELD(predict), COMMAND_COMPILE, 0, 0, NULL,
    "instead of the machine code, what the timing model says of each basic block: what bounds it, and its cycles"},
   {0, "stats", NULL, KIND_FLAG, FIELD(stats), PROGRAM_COMMANDS, 0, 0, NULL,
    "count instead: instructions by class, bytes, registers, the occupancy they allow, loops"},
   {0, "program", NULL, KIND_FLAG, FIELD(program), PROGRAM_COMMANDS, 0, 0, NULL,
    "write the whole program as .agx text (also when the output's name ends with .agx; .bin: the code alone)"},
   {0, "syntax", "NAME", KIND_CHOICE, FIELD(syntax), COMMAND_COMPILE | COMMAND_DISASM, 0, 0, syntaxes,
    "mnemonics of mesa or applegpu [default: mesa]"},
   {'f', "format", "FORMAT", KIND_CHOICE, FIELD(format), COMMAND_RUN, 0, 0, result_format_names,
    "text, json, csv (a row a result), csv-samples (a row a sample), junit, tap, markdown or html [default: text]"},
   {'f', "format", "FORMAT", KIND_CHOICE, FIELD(piglit_format), COMMAND_PIGLIT, 0, 0, piglit_formats,
    "summary, json, or piglit: what Piglit's own tester prints [default: summary]"},
   {'j', "jobs", "N", KIND_U32, FIELD(jobs), COMMAND_PIGLIT, 1, 1024, NULL,
    "worker processes [default: one a core]"},
   {0, "timeout", "SECONDS", KIND_SECONDS, FIELD(file_timeout), COMMAND_PIGLIT, 0, 86400, NULL,
    "end a file's worker after so long [default: 60]"},
   {0, "expect", "DIR", KIND_STRING, FIELD(expect), COMMAND_PIGLIT, 1, 0, NULL,
    "folder with fails.txt, skips.txt and flakes.txt in deqp-runner's formats"},
   {'f', "format", "FORMAT", KIND_CHOICE, FIELD(compare_format), COMMAND_COMPARE, 0, 0, compare_formats,
    "text, markdown or json [default: text]"},
   {0, "fail-on", "WHAT[:N%]", KIND_LIST, FIELD(fail_on), COMMAND_COMPARE, 0, 0, NULL,
    "exit 98 at a changed answer, and at: worse (a figure, by more than N %), hurt (a count of the code, likewise), "
    "missing (a benchmark that B lacks); may be given several times"},
   {0, "interleave", "PROGRAM", KIND_STRING, FIELD(interleave), COMMAND_RUN, 1, 0, NULL,
    "measure with this build of agx-runner (A) and another one (B) in turns, and compare; --format text, json or markdown"},
   {0, "fail-on", "WHAT[:N%]", KIND_LIST, FIELD(fail_on), COMMAND_RUN, 0, 0, NULL,
    "with --interleave: as of compare"},
   {0, "store", "FILE", KIND_STRING, FIELD(store),
    COMMAND_RUN | COMMAND_COMPARE | COMMAND_HISTORY | COMMAND_REPORT | COMMAND_IMPORT, 1, 0, NULL,
    "file of runs (SQLite): run appends to it; compare and report then take runs, named by number, latest, latest~1 and so on"},
   {0, "sweep", "FILE.csv", KIND_STRING, FIELD(sweep), COMMAND_REPORT, 1, 0, NULL,
    "show the curves of this table of `sweep ilp` too"},
   {0, "across", NULL, KIND_FLAG, FIELD(across), COMMAND_COMPARE, 0, 0, NULL,
    "compare a virtual device's figures with hardware's all the same"},
   {0, "results", "DIR", KIND_STRING, FIELD(results), COMMAND_RUN, 1, 0, NULL,
    "keep a journal and the results there: what is cut short can be resumed"},
   {0, "resume", "DIR", KIND_STRING, FIELD(resume), COMMAND_RUN, 1, 0, NULL,
    "go on with the run whose results are there, as it was started; only --format and --output may be others"},
   {0, "fails", "FILE", KIND_STRING, FIELD(fails), COMMAND_RUN, 1, 0, NULL,
    "what is expected to fail, and how: lines \"NAME,Status\", as failures.csv of --results has them"},
   {0, "skips", "FILE", KIND_STRING, FIELD(skips), COMMAND_RUN, 1, 0, NULL,
    "what is not run: a regular expression a line"},
   {0, "flakes", "FILE", KIND_STRING, FIELD(flakes), COMMAND_RUN, 1, 0, NULL,
    "whose failures say nothing: a regular expression a line"},
   {0, "reruns", "N", KIND_U32, FIELD(reruns), COMMAND_RUN, 0, 100, NULL,
    "tries more of what fails unexpectedly; a pass makes it a flake [default: 1]"},
   {0, "test-timeout", "SECONDS", KIND_SECONDS, FIELD(test_timeout), COMMAND_RUN, 0, 86400, NULL,
    "end a figure's or test's process after so long [default: 600]"},
   {0, "idle-timeout", "SECONDS", KIND_SECONDS, FIELD(idle_timeout), COMMAND_RUN, 0, 86400, NULL,
    "end it when it has submitted nothing for so long [default: 300]"},
   {0, "run-timeout", "SECONDS", KIND_SECONDS, FIELD(run_timeout), COMMAND_RUN, 0, 8640000, NULL,
    "end the run after so long [default: never]"},
   {'o', "output", "FILE", KIND_STRING, FIELD(output),
    COMMAND_RUN | COMMAND_SWEEP | COMMAND_PIGLIT | COMMAND_COMPARE | COMMAND_HISTORY | COMMAND_REPORT | PROGRAM_COMMANDS, 1, 0, NULL,
    "write there, all or nothing [default: standard output]"},
   {'h', "help", NULL, KIND_HELP, 0, ALL_COMMANDS, 0, 0, NULL, "show this and stop"},
   {0, "version", NULL, KIND_VERSION, 0, ALL_COMMANDS, 0, 0, NULL, "show the version and stop"},
};
/* clang-format on */

bool options_number(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
   char *end;

   /* strtoull takes signs and leading space: a number here begins with a digit. */
   if (text[0] < '0' || text[0] > '9') {
      return false;
   }
   const int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
   errno = 0;
   *value = strtoull(text, &end, base);
   return errno == 0 && *end == '\0' && *value >= min && *value <= max;
}

static int set_number(const struct option_row *row, const char *text, void *field)
{
   uint64_t value;

   if (!options_number(text, row->min, row->max, &value)) {
      return complain(EXIT_INVALID, "--%s takes a number from %" PRIu64 " to %" PRIu64 ", not '%s'", row->name,
                      row->min, row->max, text);
   }
   if (row->kind == KIND_U32) {
      *(uint32_t *)field = (uint32_t)value;
   } else {
      *(uint64_t *)field = value;
   }
   return OPTIONS_RUN;
}

static int set_choice(const struct option_row *row, const char *text, void *field)
{
   for (uint32_t i = 0; row->choices[i] != NULL; i++) {
      if (!strcmp(row->choices[i], text)) {
         *(uint32_t *)field = i;
         return OPTIONS_RUN;
      }
   }
   char list[256] = "";
   for (uint32_t i = 0; row->choices[i] != NULL; i++) {
      const size_t length = strlen(list);
      snprintf(list + length, sizeof(list) - length, "%s%s",
               i == 0                        ? ""
               : row->choices[i + 1] == NULL ? " or "
                                             : ", ",
               row->choices[i]);
   }
   return complain(EXIT_INVALID, "--%s takes %s, not '%s'", row->name, list, text);
}

static int set_seconds(const struct option_row *row, const char *text, void *field)
{
   char *end;
   const double value = strtod(text, &end);

   if (end == text || *end != '\0' || !(value > 0) || value > (double)row->max) {
      return complain(EXIT_INVALID, "--%s takes seconds, more than 0 and up to %" PRIu64 ", not '%s'", row->name,
                      row->max, text);
   }
   *(double *)field = value;
   return OPTIONS_RUN;
}

static int set_string(const struct option_row *row, const char *text, void *field)
{
   if (strlen(text) < row->min) {
      return complain(EXIT_INVALID, "--%s takes %s, not '%s'", row->name, row->metavar, text);
   }
   *(const char **)field = text;
   return OPTIONS_RUN;
}

static int list_add(struct string_list *list, const char *item)
{
   const char **items = realloc(list->items, (list->count + 1) * sizeof(*items));

   if (items == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   items[list->count++] = item;
   list->items = items;
   return OPTIONS_RUN;
}

static int set_sizes(const struct option_row *row, const char *text, void *field)
{
   struct dimensions *dimensions = field;
   char copy[64];
   char *rest = copy;

   *dimensions = (struct dimensions){.size = {1, 1, 1}};
   if ((size_t)snprintf(copy, sizeof(copy), "%s", text) < sizeof(copy)) {
      for (char *part = strsep(&rest, ","); part != NULL; part = strsep(&rest, ",")) {
         uint64_t value;

         if (dimensions->count == 3 || !options_number(part, row->min, row->max, &value)) {
            dimensions->count = 0;
            break;
         }
         dimensions->size[dimensions->count++] = (uint32_t)value;
      }
   }
   if (dimensions->count == 0) {
      return complain(EXIT_INVALID, "--%s takes one to three numbers from %" PRIu64 " to %" PRIu64 ", not '%s'",
                      row->name, row->min, row->max, text);
   }
   return OPTIONS_RUN;
}

static int apply(const struct command *command, const struct option_row *row, const char *text, struct options *options)
{
   void *field = (char *)options + row->field;

   switch (row->kind) {
   case KIND_HELP:
      options_help(command, stdout);
      return EXIT_OK;
   case KIND_VERSION:
      return command_version(stdout);
   case KIND_STRING:
      return set_string(row, text, field);
   case KIND_U32:
   case KIND_U64:
      return set_number(row, text, field);
   case KIND_CHOICE:
      return set_choice(row, text, field);
   case KIND_SECONDS:
      return set_seconds(row, text, field);
   case KIND_LIST:
      return list_add(field, text);
   case KIND_SIZES:
      return set_sizes(row, text, field);
   case KIND_FLAG:
      *(bool *)field = true;
      return OPTIONS_RUN;
   }
   return OPTIONS_RUN;
}

/* Words joined by spaces, for the record. */
static char *join(int argc, char **argv)
{
   size_t size = sizeof("agx-runner");

   for (int i = 0; i < argc; i++) {
      size += strlen(argv[i]) + 1;
   }
   char *line = malloc(size);
   if (line == NULL) {
      return NULL;
   }
   char *end = stpcpy(line, "agx-runner");
   for (int i = 0; i < argc; i++) {
      *end++ = ' ';
      end = stpcpy(end, argv[i]);
   }
   return line;
}

/* getopt's tables for one command. A row's number is its `val`, above all letters. */
struct getopt_tables {
   char letters[2 * ARRAY_COUNT(rows) + 2];
   struct option options[ARRAY_COUNT(rows) + 1];
};
#define ROW_BASE 256

static void make_tables(const struct command *command, struct getopt_tables *tables)
{
   char *letter = tables->letters;
   size_t count = 0;

   *letter++ = ':';
   for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      const bool takes = rows[i].metavar != NULL;

      if (!(rows[i].commands & command->bit)) {
         continue;
      }
      tables->options[count++] =
          (struct option){rows[i].name, takes ? required_argument : no_argument, NULL, ROW_BASE + (int)i};
      if (rows[i].letter != 0) {
         *letter++ = rows[i].letter;
         if (takes) {
            *letter++ = ':';
         }
      }
   }
   *letter = '\0';
   tables->options[count] = (struct option){0};
}

/* Commands may give a letter, or a long name, a meaning of their own. */
static const struct option_row *find_row(const struct command *command, int value)
{
   for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      const bool ours = rows[i].commands & command->bit;

      if (value == ROW_BASE + (int)i || (ours && value == rows[i].letter && value != 0)) {
         return &rows[i];
      }
   }
   return NULL;
}

/* The names that begin with a word's "--name": ", "-separated. */
static void list_meant(const struct command *command, const char *word, char *list, size_t size)
{
   const size_t length = strcspn(word, "=") - 2;
   unsigned left = 0;

   for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      left += (rows[i].commands & command->bit) && !strncmp(rows[i].name, word + 2, length);
   }
   *list = '\0';
   for (size_t i = 0; i < ARRAY_COUNT(rows) && left > 0; i++) {
      const size_t used = strlen(list);

      if ((rows[i].commands & command->bit) && !strncmp(rows[i].name, word + 2, length)) {
         left--;
         snprintf(list + used, size - used, "--%s%s", rows[i].name, left > 1 ? ", " : left == 1 ? " or " : "");
      }
   }
}

/* Why getopt_long() gave `value`. It leaves in optopt the letter, of a long option that it knows the row, else 0. */
static int misunderstood(const struct command *command, char **argv, int value)
{
   const char *word = argv[optind - 1];
   const struct option_row *row = optopt != 0 ? find_row(command, optopt) : NULL;
   const char letter[] = {'-', (char)optopt, '\0'};
   char meant[256] = "";

   if (optopt > 0 && optopt < ROW_BASE) {
      word = letter;
   } else if (row == NULL) {
      list_meant(command, word, meant, sizeof(meant));
   }
   if (value == ':') {
      return complain(EXIT_INVALID, "%s: '%s' needs a value (agx-runner %s --help)", command->name, word,
                      command->name);
   }
   if (row != NULL || meant[0] != '\0') {
      return complain(EXIT_INVALID, "%s: '%s': it %s%s (agx-runner %s --help)", command->name, word,
                      row != NULL ? "takes no value" : "may be ", meant, command->name);
   }
   return complain(EXIT_INVALID, "%s: unknown option '%s' (agx-runner %s --help)", command->name, word, command->name);
}

static int check_operands(const struct command *command, const struct options *options)
{
   if (options->operands.count < command->operands_min) {
      return complain(EXIT_INVALID, "%s: %.*s is missing (agx-runner %s --help)", command->name,
                      (int)strcspn(command->operands, " "), command->operands, command->name);
   }
   if (options->operands.count > command->operands_max) {
      return complain(EXIT_INVALID, "%s: '%s' is one argument too many (agx-runner %s --help)", command->name,
                      options->operands.items[command->operands_max], command->name);
   }
   return OPTIONS_RUN;
}

int options_parse(const struct command *command, int argc, char **argv, struct options *options)
{
   struct getopt_tables tables;
   int value;

   *options = (struct options){.device = "auto",
                               .samples = 9,
                               .seed = 1,
                               .timeout = 10,
                               .file_timeout = 60,
                               .repeat = 1,
                               .test_timeout = 600,
                               .idle_timeout = 300,
                               .reruns = 1,
                               .argc = argc,
                               .argv = argv};
   optind = 0; /* getopt starts anew: a resumed run parses twice */
   options->command_line = join(argc, argv);
   if (options->command_line == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   make_tables(command, &tables);
   opterr = 0;
   while ((value = getopt_long(argc, argv, tables.letters, tables.options, NULL)) != -1) {
      if (value == '?' || value == ':') {
         return misunderstood(command, argv, value);
      }
      int code = apply(command, find_row(command, value), optarg, options);
      if (code != OPTIONS_RUN) {
         return code;
      }
   }
   for (int i = optind; i < argc; i++) {
      if (list_add(&options->operands, argv[i]) != OPTIONS_RUN) {
         return EXIT_FAILED;
      }
   }
   return check_operands(command, options);
}

void options_finish(struct options *options)
{
   struct string_list *lists[] = {&options->mixes,    &options->buffers, &options->values,
                                  &options->locals,   &options->dumps,   &options->prints,
                                  &options->operands, &options->defines, &options->fail_on};

   for (size_t i = 0; i < ARRAY_COUNT(lists); i++) {
      free(lists[i]->items);
   }
   free((void *)options->command_line);
   *options = (struct options){0};
}

#define HELP_COLUMN 30
#define HELP_WIDTH 100

/* Wraps text at HELP_WIDTH; `column` is where the cursor stands. */
static void print_wrapped(FILE *file, const char *text, size_t column)
{
   if (column >= HELP_COLUMN) {
      fputc('\n', file);
      column = 0;
   }
   fprintf(file, "%*s", (int)(HELP_COLUMN - column), "");
   column = HELP_COLUMN;
   while (*text != '\0') {
      const size_t word = strcspn(text, " ");

      if (column > HELP_COLUMN && column + 1 + word > HELP_WIDTH) {
         fprintf(file, "\n%*s", HELP_COLUMN, "");
         column = HELP_COLUMN;
      } else if (column > HELP_COLUMN) {
         fputc(' ', file);
         column++;
      }
      fprintf(file, "%.*s", (int)word, text);
      column += word;
      text += word + strspn(text + word, " ");
   }
   fputc('\n', file);
}

static void help_program(FILE *file)
{
   fputs("Usage: agx-runner COMMAND [OPTION...] [ARGUMENT...]\n"
         "Measures and tests Apple AGX GPUs at driver level, real ones and a virtual one.\n\nCommands\n",
         file);
   for (unsigned i = 0; i < command_count; i++) {
      const int length = fprintf(file, "  %s %s", commands[i].name, commands[i].operands);
      print_wrapped(file, commands[i].summary, (size_t)length);
   }
   fputs("\nagx-runner COMMAND --help shows a command's options; agx-runner --version the version.\n", file);
}

void options_each(const struct command *command, void (*visit)(void *data, const struct option_view *option),
                  void *data)
{
   for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      const struct option_row *row = &rows[i];

      if (row->commands & command->bit) {
         visit(data, &(struct option_view){row->letter, row->name, row->metavar, row->help, row->choices});
      }
   }
}

void options_help(const struct command *command, FILE *file)
{
   if (command == NULL) {
      help_program(file);
      return;
   }
   fprintf(file, "Usage: agx-runner %s [OPTION...]%s%s\n", command->name, *command->operands ? " " : "",
           command->operands);
   fprintf(file, "%s: %s\n\nOptions\n", command->name, command->summary);
   for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      const struct option_row *row = &rows[i];
      char left[64];

      if (!(row->commands & command->bit)) {
         continue;
      }
      const int length =
          snprintf(left, sizeof(left), "  %c%c%s--%s%s%s", row->letter ? '-' : ' ', row->letter ? row->letter : ' ',
                   row->letter ? ", " : "  ", row->name, row->metavar ? " " : "", row->metavar ? row->metavar : "");
      fputs(left, file);
      print_wrapped(file, row->help, (size_t)length);
   }
   fputs("\nExit codes: 0 success, 77 skipped, 79 invalid use, 98 failure, 112 aborted, 113 device lost.\n", file);
}
