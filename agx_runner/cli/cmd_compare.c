/* SPDX-License-Identifier: MIT
 *
 * compare: pairs of runs or of folders of programs, and findings of other programs, as one list.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/compare/compare_show.h"
#include "agx_runner/options/shared.h"
#include "agx_runner/program/corpus.h"
#include "agx_runner/program/program_folder.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/results/store.h"
#include "compiler/api/compiler.h"
#include "agx_runner/driver/answers.h"
#include "drivers/find.h"
#include "util/array.h"

struct compare_options {
   struct command_line line;
   uint32_t format; /* enum output_format */
   bool across;
   struct string_list fail_on, findings; /* rules; files of other programs */
   struct string_list mesas;             /* two that compile the operands; none: the operands are pairs */
   const char *build_options;            /* of both; NULL: none */
   const char *store;                    /* file of runs; NULL: none */
   const char *output;                   /* NULL: stdout */
};

static const struct output_offer offers[] = {{FORMAT_TEXT, NULL}, {FORMAT_MARKDOWN, NULL}, {FORMAT_JSON, NULL}};
static const struct output_formats formats = {offers, ARRAY_COUNT(offers), sizeof(offers[0])};

#define FIELD(member) .field = offsetof(struct compare_options, member)
/* clang-format off */
static const struct option_row rows[] = {
   {OPTION(.letter = 'f', .name = "format", .metavar = "FORMAT", .kind = KIND_FORMAT, .formats = &formats,
           .initial = "text"), FIELD(format)},
   {OPTION(.name = "fail-on", .metavar = "WHAT[:N%]", .kind = KIND_LIST,
           .help = "exit with 98 when an answer changed, and for each rule: worse (a figure is worse by more than N %), "
                   "hurt (a count of the code is worse by more than N %), missing (B did not run what A did, or a part "
                   "was left out); may be given several times"), FIELD(fail_on)},
   {OPTION(.name = "findings", .metavar = "FILE.json", .kind = KIND_LIST,
           .help = "add the findings of another program, as docs/comparing.md describes them; may be given several "
                   "times"), FIELD(findings)},
   {OPTION(.name = "mesa", .metavar = "WHICH", .kind = KIND_LIST,
           .help = "given twice: compile all kernels of the operands, files and folders, with the drivers of each of the "
                   "two Mesas (agx-runner mesas), and compare the programs"), FIELD(mesas)},
   {&option_build_options, FIELD(build_options)},
   {&option_store, FIELD(store)},
   {OPTION(.name = "across", .kind = KIND_FLAG, .help = "compare a virtual device with hardware"), FIELD(across)},
   {&option_output, FIELD(output)},
   {0},
};
/* clang-format on */

/* Writes the comparison where --output says. */
static int show_pairs(const struct compare_options *options, const struct compare_show *show,
                      const struct result_run *runs, size_t pair_count)
{
   struct output output = {0};
   int code = output_open(&output, options->output);

   if (code == EXIT_OK) {
      code = compare_show(show, runs, pair_count, &output);
   }
   output_discard(&output);
   return code;
}

/* The source of noise floors. */
struct known {
   struct store *store;
   const struct result_run *run;
   int64_t before; /* time of the later run of those compared: the compared runs themselves are no evidence */
};

static int load_file(const char *path, struct result_run *run)
{
   char message[256];
   const int ret = result_run_load(path, run, message, sizeof(message));

   return ret == 0 ? EXIT_OK : complain(ret == -ENOMEM ? EXIT_FAILED : EXIT_INVALID, "%s: %s", path, message);
}

static double floor_of(void *data, const char *name)
{
   const struct known *known = data;

   return store_floor(known->store, name, known->run->device.chip, known->run->device.is_virtual, known->before);
}

static int load(const struct compare_options *options, struct store *store, const char *operand, struct result_run *run)
{
   struct stat status;

   if (store != NULL) {
      return store_load(store, operand, run);
   }
   return stat(operand, &status) == 0 && S_ISDIR(status.st_mode)
              ? program_folder_load(operand, &(const struct program_settings){0}, options->line.text, run)
              : load_file(operand, run);
}

static int check_pair(const struct compare_options *options, const char *const *names, const struct result_run *runs)
{
   if (runs[0].device.is_virtual != runs[1].device.is_virtual && !options->across) {
      return complain(
          EXIT_INVALID,
          "%s is of a virtual device, whose figures are modelled, and %s of hardware: --across compares them",
          names[runs[1].device.is_virtual], names[runs[0].device.is_virtual]);
   }
   if (strcmp(runs[0].device.chip, runs[1].device.chip) != 0) {
      note("the chips differ: %s and %s", runs[0].device.chip, runs[1].device.chip);
   }
   return EXIT_OK;
}

static int check_operands(const struct compare_options *options)
{
   const size_t count = options->line.operands.count;

   if (count == 0 && options->findings.count == 0) {
      return complain(EXIT_INVALID, "compare: A is missing (agx-runner compare --help)");
   }
   if (count % 2 != 0) {
      return count == 1 ? complain(EXIT_INVALID, "compare: B is missing (agx-runner compare --help)")
                        : complain(EXIT_INVALID, "compare: '%s' has nothing to be compared with: each pair is A and B",
                                   options->line.operands.items[count - 1]);
   }
   if (options->store != NULL && count != 2) {
      return complain(EXIT_INVALID, "compare: --store compares two runs");
   }
   return EXIT_OK;
}

static int compare(const struct compare_options *options, struct store *store, const struct fail_on *rules,
                   const struct result_run *runs)
{
   struct known known = {.store = store, .run = &runs[1]};
   const struct compare_show show = {.format = (enum output_format)options->format,
                                     .fail_on = rules,
                                     .findings = &options->findings,
                                     .floor_of = store != NULL ? floor_of : NULL,
                                     .floor_data = &known};

   for (unsigned i = 0; store != NULL && i < 2; i++) {
      const int64_t id = store_find(store, options->line.operands.items[i]);

      known.before = id > known.before ? id : known.before;
   }
   return show_pairs(options, &show, runs, options->line.operands.count / 2);
}

static int compile_with(const struct compare_options *options, const char *which, struct result_run *run)
{
   char version[MESA_WORD];
   const struct program_settings program = {
       .mesa = which, .compile_seconds = COMPILER_SECONDS, .compile_mib = COMPILER_MEMORY_MIB};
   const struct compiler_options compiler = {.arguments = options->build_options};
   const struct corpus_settings settings = {.paths = &options->line.operands,
                                            .program = &program,
                                            .compiler = &compiler,
                                            .command_line = options->line.text,
                                            .mesa = mesa_version(which, version)};

   note("compiling with Mesa '%s'", which);
   return corpus_collect(&settings, run);
}

/* Answers are those of drivers. */
static bool have_drivers(const struct string_list *mesas)
{
   char version[MESA_WORD];
   return mesa_version(mesas->items[0], version) != NULL && mesa_version(mesas->items[1], version) != NULL;
}

/* Compiles with that one of the two Mesas, and writes the results to the file, which another process can read. */
static int compile_into(const struct compare_options *options, size_t which, int fd)
{
   struct result_run run = {0};
   FILE *file = fdopen(dup(fd), "w");
   int code = file == NULL ? complain(EXIT_FAILED, "out of memory or of files")
                           : compile_with(options, options->mesas.items[which], &run);

   if (code == EXIT_OK && result_write_json(&run, file) < 0) {
      code = complain(EXIT_FAILED, "out of memory");
   }
   if (file != NULL && fclose(file) != 0 && code == EXIT_OK) {
      code = complain(EXIT_FAILED, "the programs of Mesa '%s': %s", options->mesas.items[which], strerror(errno));
   }
   result_run_finish(&run);
   return code;
}

static int load_from(const struct compare_options *options, size_t which, int fd, struct result_run *run)
{
   char path[32], message[256];

   snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
   return result_run_load(path, run, message, sizeof(message)) < 0
              ? complain(EXIT_FAILED, "the programs of Mesa '%s': %s", options->mesas.items[which], message)
              : EXIT_OK;
}

/* Compiles with one Mesa in a process of its own, with the other one here. */
static int compile_both(const struct compare_options *options, const int fds[2])
{
   const pid_t parent = getpid();
   int status = 0;

   fflush(stdout);
   const pid_t child = fork();
   if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      _exit(getppid() == parent ? compile_into(options, 0, fds[0]) : EXIT_ABORTED);
   }
   if (child < 0) {
      return complain(EXIT_FAILED, "a process that compiles: %s", strerror(errno));
   }
   const int code = compile_into(options, 1, fds[1]);
   if (code == EXIT_ABORTED) {
      kill(child, SIGTERM); /* the signal may have come to this process alone */
   }
   while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
   }
   return code != EXIT_OK ? code : WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

/* To start a driver and to read its programs keeps one core busy. Both results are read from files, so that their
 * figures have the same digits. */
static int compile_together(const struct compare_options *options, struct result_run runs[2])
{
   const int fds[] = {memfd_create("agx-runner programs", MFD_CLOEXEC),
                      memfd_create("agx-runner programs", MFD_CLOEXEC)};
   int code = fds[0] >= 0 && fds[1] >= 0 ? compile_both(options, fds)
                                         : complain(EXIT_FAILED, "files in memory: %s", strerror(errno));

   for (size_t i = 0; i < 2; i++) {
      code = code == EXIT_OK ? load_from(options, i, fds[i], &runs[i]) : code;
      if (fds[i] >= 0) {
         close(fds[i]);
      }
   }
   return code;
}

static int compile_all(const struct compare_options *options, struct result_run runs[2])
{
   if (have_drivers(&options->mesas)) {
      return compile_together(options, runs);
   }
   int code = compile_with(options, options->mesas.items[0], &runs[0]);
   return code == EXIT_OK ? compile_with(options, options->mesas.items[1], &runs[1]) : code;
}

/* The programs that two Mesas make of the same kernels. */
static int compare_mesas(const struct compare_options *options)
{
   struct result_run runs[2] = {0};
   struct fail_on rules;
   const struct compare_show show = {
       .format = (enum output_format)options->format, .fail_on = &rules, .findings = &options->findings};

   if (options->mesas.count != 2) {
      return complain(EXIT_INVALID, "compare: --mesa is given twice: the Mesa before, and the Mesa after");
   }
   if (options->line.operands.count == 0 || options->store != NULL || options->across) {
      return complain(EXIT_INVALID, options->line.operands.count == 0
                                        ? "compare: --mesa compiles kernels: a file or a folder of them is missing"
                                        : "compare: --mesa compares programs: --store and --across are of runs");
   }
   int code = fail_on_parse(&options->fail_on, &rules);
   code = code == EXIT_OK ? compile_all(options, runs) : code;
   if (code == EXIT_OK && have_drivers(&options->mesas)) {
      note("comparing answers, with generated arguments");
      code = driver_answers_compare((const char *const *)options->mesas.items, options->build_options, runs);
   }
   code = code == EXIT_OK ? show_pairs(options, &show, runs, 1) : code;
   result_run_finish(&runs[0]);
   result_run_finish(&runs[1]);
   return code;
}

static int cmd_compare(const void *data)
{
   const struct compare_options *options = data;
   if (options->mesas.count > 0) {
      return compare_mesas(options);
   }
   const size_t count = options->line.operands.count;
   struct result_run *runs = calloc(count + 2, sizeof(*runs));
   struct store *store = NULL;
   struct fail_on rules;
   int code = runs == NULL ? complain(EXIT_FAILED, "out of memory") : check_operands(options);

   if (code == EXIT_OK) {
      code = fail_on_parse(&options->fail_on, &rules);
   }
   if (code == EXIT_OK && options->store != NULL) {
      code = store_open(options->store, false, &store);
   }
   for (size_t i = 0; code == EXIT_OK && i < count; i++) {
      code = load(options, store, options->line.operands.items[i], &runs[i]);
   }
   for (size_t i = 0; code == EXIT_OK && i < count; i += 2) {
      code = check_pair(options, &options->line.operands.items[i], &runs[i]);
   }
   if (code == EXIT_OK) {
      code = compare(options, store, &rules, runs);
   }
   for (size_t i = 0; runs != NULL && i < count; i++) {
      result_run_finish(&runs[i]);
   }
   free(runs);
   store_close(store);
   return code;
}

const struct command command_compare = {
    .name = "compare",
    .operands = "[A B]...|--mesa A --mesa B FILE|DIR...",
    .operands_min = 0,
    .operands_max = UINT_MAX,
    .summary = "compare two result files, runs of a store, or folders of .agx programs; several pairs give one verdict",
    .rows = rows,
    .size = sizeof(struct compare_options),
    .run = cmd_compare,
};
