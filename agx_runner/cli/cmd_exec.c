/* SPDX-License-Identifier: MIT
 *
 * exec: runs one kernel on buffers from the command line, and shows them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/cli/launch_options.h"
#include "agx_runner/explain/launch_run.h"
#include "agx_runner/options/shared.h"
#include "agx_runner/program/check_reports.h"
#include "agx_runner/program/kernel_file.h"
#include "agx_runner/replay/job_file.h"
#include "agx_runner/results/result.h"
#include "agx_runner/statistics/stats.h"
#include "agx_runner/terminal/runner.h"
#include "util/array.h"

struct exec_options {
   struct launch_options launch;
   bool check; /* all checks of a virtual device */
};

static void print_header(const struct exec *exec, const struct session *session, double *times)
{
   const struct asahi_device_info *info = session->info;
   const uint32_t count = exec->settings->repeat;

   printf("device  %s: %s%s\n", info->path, info->name, info->is_virtual ? ", " RESULT_VIRTUAL_NOTE : "");
   printf("kernel  %s, grid %u,%u,%u in threadgroups of %u,%u,%u\n", agx_program_name(exec->program), exec->grid[0],
          exec->grid[1], exec->grid[2], exec->group[0], exec->group[1], exec->group[2]);
   const double median = stats_median(times, count) * 1e-3; /* stats_median() sorts */
   if (median == 0) {
      printf("time    none: the device's timing is off\n");
   } else if (count == 1) {
      printf("time    %.3f us\n", median);
   } else {
      printf("time    %.3f us, the median of %u; %.3f to %.3f us\n", median, count, times[0] * 1e-3,
             times[count - 1] * 1e-3);
   }
}

static void print_finding(void *data, const char *text)
{
   *(bool *)data |= check_report_is_bounds(text);
   fprintf(stderr, "%s\n", text);
}

/* Reports findings of the device's checks and, if the jobs have ended, of soft faults and canaries: one report of each
 * cause. */
static int report_findings(const struct exec *exec, struct session *session, const struct launch_record *record)
{
   const char *name = agx_program_name(exec->program);
   bool bounds = false;
   const uint32_t count = check_reports_each(session->device, exec->program, print_finding, &bounds);
   const int lost = record->counted && !bounds ? launch_report_soft_faults(exec, record) : EXIT_OK;
   const int written = record->ended && !bounds ? launch_check_canaries(exec, session) : EXIT_OK;

   return count > 0         ? complain(EXIT_FAILED, "%s: %u finding%s of the device's checks, above", name, count,
                               count == 1 ? "" : "s")
          : lost != EXIT_OK ? lost
                            : written;
}

/* Prints what was checked, so that a run without findings differs from one without checks. */
static void note_checked(const struct exec *exec, const struct launch_record *record)
{
   const uint64_t instructions = record->after.instructions - record->before.instructions;
   char names[CHECK_NAMES_TEXT];

   check_names(record->after.checks, names);
   note("%s: no findings: checked %s of %" PRIu64 " simdgroup instructions, %" PRIu64 " threads",
        agx_program_name(exec->program), names, instructions,
        (uint64_t)exec->grid[0] * exec->grid[1] * exec->grid[2] * exec->settings->repeat);
}

static int run_program(struct exec *exec, struct session *session)
{
   struct asahi_program *program = NULL;
   double *times = calloc(exec->settings->repeat, sizeof(*times));
   struct launch_record record = {.ended = false};
   int code = times == NULL ? complain(EXIT_FAILED, "out of memory") : exec_create_buffers(exec, session->device);

   if (code == EXIT_OK && asahi_program_upload(session->device, exec->program, &program) < 0) {
      code = complain(EXIT_FAILED, "upload: %s", asahi_device_error(session->device));
   }
   if (code == EXIT_OK) {
      code = launch_run_repeatedly(exec, session, program, times, &record);
   }
   const bool json = exec->settings->format == FORMAT_JSON;
   if (record.ended) {
      if (!json) {
         print_header(exec, session, times);
      }
      const int shown = exec_show(exec);
      code = code == EXIT_OK ? shown : code;
   }
   const int findings = report_findings(exec, session, &record);
   code = code == EXIT_OK ? findings : code;
   if (record.counted && record.after.checks != 0 && code == EXIT_OK) {
      note_checked(exec, &record);
   }
   if (record.ended) {
      const int compared = exec_compare(exec);
      code = code == EXIT_OK ? compared : code;
   }
   if (record.ended && json) {
      code = exec_write_json(exec, session->info, RESULT_VIRTUAL_NOTE, times, code);
   }
   asahi_program_destroy(session->device, program);
   free(times);
   return code;
}

/* Opens the device again with another option: of exec --check, or explain's. */
static int reopen_device(const struct launch_options *options, struct session *session, bool explains)
{
   const char *path = session->info->path;
   char *spec = NULL;
   int code = EXIT_OK;

   if (!session->info->is_virtual) {
      code = complain(EXIT_INVALID, "%s: only virtual devices %s what they execute; name one, as --device virtual:m1",
                      explains ? "explain" : "--check", explains ? "record" : "check");
   } else if (explains) {
      const char *name = strncmp(options->device, "auto", 4) == 0 ? path : options->device;

      spec = asprintf(&spec, "%s,profile", name) < 0 ? NULL : spec;
   } else {
      spec = check_device_spec(options->device, path);
   }
   if (code == EXIT_OK && spec == NULL) {
      code = complain(EXIT_FAILED, "out of memory");
   }
   session_close(session);
   if (code == EXIT_OK) {
      code = session_open(session, spec, options->timeout);
   }
   free(spec);
   return code;
}

int launch_run(const struct launch_options *options, const struct explain_launch_settings *explain, bool check)
{
   struct compiler_result compiled = {0};
   struct session session;
   struct exec exec = {0};
   struct exec_settings settings = options->exec;
   if (settings.generate) {
      return complain(EXIT_INVALID, "--generate: a Mesa's driver launches generated arguments: give --mesa");
   }
   (void)compiler_start(); /* before the device is opened; should it fail, the compilation says so */
   int code = session_open(&session, options->device, options->timeout);

   settings.repeat = explain != NULL ? 1 : settings.repeat;
   if (code == EXIT_OK && (explain != NULL || check)) {
      code = reopen_device(options, &session, explain != NULL);
   }
   if (code != EXIT_OK) {
      return code;
   }
   const char *path = options->line.operands.items[0];
   const struct program_settings *program_settings = &options->source.program;
   struct compiler_options compiler_options = device_compiler_options(session.info);
   compiler_options.arguments = options->source.build_options;
   compiler_options.lines = session.info->is_virtual; /* for explain, findings, and the post-mortem of what hangs */
   code = kernel_file_compile(path, program_settings, &compiler_options, &compiled);
   if (code == EXIT_OK) {
      const struct agx_program *program = kernel_select(path, &compiled, program_settings->kernel);

      code = program == NULL ? EXIT_INVALID : exec_init(&exec, program, &settings, options->seed);
   }
   if (code == EXIT_OK && explain != NULL) {
      struct explain_launch_settings with = *explain;

      with.compiler = &compiler_options;
      code = explain_launch(&exec, &session, &with);
   } else if (code == EXIT_OK) {
      code = run_program(&exec, &session);
   }
   exec_finish(&exec, session.device);
   compiler_result_finish(&compiled);
   session_close(&session);
   return code;
}

const char *launch_kernels_option(const struct launch_options *options)
{
   const struct {
      const char *name;
      bool given;
   } table[] = {
       {"--buf", options->exec.buffers.count > 0},      {"--arg", options->exec.values.count > 0},
       {"--push", options->exec.push.count > 0},        {"--image", options->exec.images.count > 0},
       {"--sampler", options->exec.samplers.count > 0}, {"--indirect", options->exec.indirect},
       {"--generate", options->exec.generate},          {"--local", options->exec.locals.count > 0},
       {"--grid", options->exec.grid.count > 0},        {"--group", options->exec.group.count > 0},
       {"--repeat", options->exec.repeat > 1},          {"--options", options->source.build_options != NULL},
   };
   for (size_t i = 0; i < ARRAY_COUNT(table); i++) {
      if (table[i].given) {
         return table[i].name;
      }
   }
   return NULL;
}

struct job_settings launch_job_settings(const struct launch_options *options, const char *output)
{
   return (struct job_settings){.path = options->line.operands.items[0],
                                .device = options->device,
                                .seconds = options->timeout,
                                .program = &options->source.program,
                                .output = output};
}

struct driver_launch_settings launch_driver_settings(const struct launch_options *options, bool check)
{
   return (struct driver_launch_settings){.path = options->line.operands.items[0],
                                          .build_options = options->source.build_options,
                                          .program = &options->source.program,
                                          .exec = &options->exec,
                                          .device = options->device,
                                          .seed = options->seed,
                                          .check = check};
}

static int exec_saved_job(const struct exec_options *options)
{
   const struct job_settings settings = launch_job_settings(&options->launch, NULL);
   const int code = job_check_command(&options->launch.line.operands, launch_kernels_option(&options->launch));

   return code != EXIT_OK ? code
                          : job_exec(&settings, &(struct job_exec_settings){.prints = &options->launch.exec.prints,
                                                                            .dumps = &options->launch.exec.dumps,
                                                                            .check = options->check});
}

static int cmd_exec(const void *data)
{
   const struct exec_options *options = data;
   const char *path = options->launch.line.operands.items[0];

   if (saved_job_is(path)) {
      return exec_saved_job(options);
   }
   if (kernel_file_has_driver(path, &options->launch.source.program)) {
      const struct driver_launch_settings settings = launch_driver_settings(&options->launch, options->check);
      return driver_exec(&settings);
   }
   return launch_run(&options->launch, NULL, options->check);
}

/* Arguments and grid: of struct exec_settings. */
#define FIELD(member) .field = offsetof(struct exec_settings, member)
/* clang-format off */
const struct option_row launch_rows[] = {
   {OPTION(.letter = 'b', .name = "buf", .metavar = "N=TYPE[COUNT]:INIT", .kind = KIND_LIST,
           .help = "argument N, a number from 0 or a name (of a Vulkan shader SET.BINDING), is a buffer. TYPE: f16 f32 f64 u8 i8 u16 i16 u32 i32 u64 i64; "
                   "INIT: a number, random, iota, a list as 1,2,3, or @FILE [default: 0]. N=null: a null pointer"),
    FIELD(buffers)},
   {OPTION(.letter = 'a', .name = "arg", .metavar = "N=VALUE", .kind = KIND_LIST,
           .help = "value of argument N; vectors as 1,2,3,4; structs as i32:1,f32[2]:0.5,1; or @FILE"), FIELD(values)},
   {OPTION(.name = "push", .metavar = "VALUE", .kind = KIND_LIST,
           .help = "the push constants of a Vulkan shader (--mesa), as a struct's value of --arg: f32:2.0,u32:7. "
                   "A second --push adds fields behind them"),
    FIELD(push)},
   {OPTION(.letter = 'i', .name = "image", .metavar = "N=FORMAT[SIZES]:INIT", .kind = KIND_LIST,
           .help = "argument N is an image (--mesa). FORMAT: rgba8, r32f, rg16ui and GLSL's others, srgba8, bgra8, rgb9_e5; SIZES: WIDTH, "
                   "then HEIGHT, then DEPTH or LAYERS; INIT as of --buf, for each component"),
    FIELD(images)},
   {OPTION(.name = "sampler", .metavar = "N=WORDS", .kind = KIND_LIST,
           .help = "argument N is a sampler, or an image that is sampled so (--mesa): nearest or linear; clamp, repeat, mirror or border; "
                   "unnormalized; with commas [default of an image: nearest,clamp]"),
    FIELD(samplers)},
   {OPTION(.name = "indirect", .kind = KIND_FLAG,
           .help = "a shader's grid comes from a buffer (--mesa)"), FIELD(indirect)},
   {OPTION(.name = "generate", .kind = KIND_FLAG,
           .help = "generate all arguments, and launch four threadgroups, as compare --mesa does (--mesa)"),
    FIELD(generate)},
   {OPTION(.name = "local", .metavar = "N=BYTES", .kind = KIND_LIST,
           .help = "argument N points to BYTES of threadgroup memory"), FIELD(locals)},
   {OPTION(.letter = 'g', .name = "grid", .metavar = "X[,Y[,Z]]", .kind = KIND_SIZES, .min = 1, .max = UINT32_MAX,
           .help = "number of threads; required. If it is no multiple of the threadgroup's, the last threadgroups are "
                   "smaller"),
    FIELD(grid)},
   {OPTION(.letter = 't', .name = "group", .metavar = "X[,Y[,Z]]", .kind = KIND_SIZES, .min = 1, .max = 1024,
           .help = "threads of a threadgroup, at most 1024 [default: what the kernel requires, else up to 256 along X]"),
    FIELD(group)},
   {0},
};
/* clang-format on */
#undef FIELD

static const struct output_offer exec_offers[] = {{FORMAT_TEXT, NULL}, {FORMAT_JSON, NULL}};
static const struct output_formats exec_formats = {exec_offers, ARRAY_COUNT(exec_offers), sizeof(exec_offers[0])};

#define FIELD(member) .field = offsetof(struct exec_options, member)
/* clang-format off */
static const struct option_row exec_rows[] = {
   {&option_device, FIELD(launch.device)},
   {&option_seed, FIELD(launch.seed)},
   {&option_kernel, FIELD(launch.source.program.kernel)},
   {.group = launch_rows, FIELD(launch.exec)},
   {OPTION(.name = "dump", .metavar = "N=FILE", .kind = KIND_LIST, .help = "write buffer N to a file after the run"),
    FIELD(launch.exec.dumps)},
   {OPTION(.letter = 'p', .name = "print", .metavar = "N", .kind = KIND_LIST,
           .help = "print buffer N after the run [default: the beginning of every buffer that the kernel may write]"),
    FIELD(launch.exec.prints)},
   {OPTION(.letter = 'e', .name = "expect", .metavar = "N=VALUES", .kind = KIND_LIST,
           .help = "fail unless buffer N has these values after the run: VALUES as INIT of --buf"),
    FIELD(launch.exec.expects)},
   {OPTION(.name = "tolerance", .metavar = "NULP|PART", .kind = KIND_STRING, .min = 1,
           .help = "tolerance of floats for --expect: 4ulp, or 1e-5 of the expected value [default: the same bits]"),
    FIELD(launch.exec.tolerance)},
   {OPTION(.letter = 'f', .name = "format", .metavar = "FORMAT", .kind = KIND_FORMAT, .formats = &exec_formats,
           .initial = "text", .help = "text, or json: with all elements of the buffers"), FIELD(launch.exec.format)},
   {OPTION(.letter = 'r', .name = "repeat", .metavar = "N", .kind = KIND_U32, .min = 1, .max = 1000000, .initial = "1",
           .help = "run the kernel N times, each time from the same inputs, and print the times"),
    FIELD(launch.exec.repeat)},
   {&option_timeout, FIELD(launch.timeout)},
   {.group = source_rows, FIELD(launch.source)},
   {&option_check, FIELD(check)},
   {0},
};
/* clang-format on */
#undef FIELD

const struct command command_exec = {
    .name = "exec",
    .operands = "FILE.cl|FILE.spv|FILE.agx|JOB.agxjob",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "run one kernel with the given buffers and arguments, or a saved job",
    .rows = exec_rows,
    .size = sizeof(struct exec_options),
    .run = cmd_exec,
};
