/* SPDX-License-Identifier: MIT
 *
 * The option table of the fuzzer.
 */
#include "fuzz/settings/options.h"

#include "agx_runner/options/shared.h"
#include "agx_runner/terminal/runner.h"
#include "util/array.h"

static const char *const languages[] = {
    [FUZZ_ALL] = "all", [FUZZ_NIR] = "nir", [FUZZ_OPENCL] = "opencl", [FUZZ_GLSL] = "glsl", [FUZZ_DRAW] = "draw", NULL};
static const struct output_offer offers[] = {{FORMAT_TEXT, NULL}, {FORMAT_JSON, NULL}, {FORMAT_MARKDOWN, NULL}};
static const struct output_formats formats = {offers, ARRAY_COUNT(offers), sizeof(offers[0])};

#define FIELD(member) .field = offsetof(struct fuzz_options, fuzz.member)
/* clang-format off */
const struct option_row fuzz_rows[] = {
   {&option_device, FIELD(device)},
   {OPTION(.name = "seed", .metavar = "N", .kind = KIND_U64, .max = UINT64_MAX, .initial = "1",
           .help = "seed of the generated programs: the same seed gives the same programs on any machine"), FIELD(seed)},
   {OPTION(.name = "count", .metavar = "N", .kind = KIND_U64, .max = UINT64_MAX,
           .help = "stop after N programs [default: no limit]"), FIELD(count)},
   {OPTION(.name = "first", .metavar = "N", .kind = KIND_U64, .max = UINT64_MAX,
           .help = "begin with program N of the seed, by the number that a report gives it [default: 0]"),
    FIELD(first)},
   {OPTION(.name = "time", .metavar = "SECONDS", .kind = KIND_SECONDS, .max = 8640000,
           .help = "time limit of the search [default: 60, or none with --count]"), FIELD(seconds)},
   {OPTION(.name = "against", .metavar = "DEVICE", .kind = KIND_STRING, .min = 1,
           .help = "also run each program on this device, and report differences between the two devices instead of "
                   "compiler faults"), FIELD(against)},
   {OPTION(.name = "corpus", .metavar = "DIR", .kind = KIND_STRING, .min = 1,
           .help = "try the programs in this folder first, and store new findings there"), FIELD(corpus)},
   {OPTION(.name = "known", .metavar = "FILE", .kind = KIND_STRING, .min = 1,
           .help = "known findings, one signature a line: they are shown, but do not fail the run"),
    FIELD(known)},
   {OPTION(.name = "language", .metavar = "LANGUAGE", .kind = KIND_CHOICE, .choices = languages, .initial = "all",
           .help = "language of the generated programs: nir, opencl (OpenCL C), or all, which is both. With --mesa: opencl "
                   "through its OpenCL driver, which is the default, glsl through its Vulkan driver, or draw: "
                   "scenes through its OpenGL driver, beside its llvmpipe"), FIELD(language)},
   {OPTION(.name = "no-repairs", .kind = KIND_FLAG,
           .help = "disable agx-runner's repairs of front-end and backend faults in every OpenCL C kernel [default: in "
                   "one of 4]"), FIELD(no_repairs)},
   {OPTION(.letter = 'f', .name = "format", .metavar = "FORMAT", .kind = KIND_FORMAT, .formats = &formats,
           .initial = "text"), FIELD(format)},
   {&option_jobs, FIELD(jobs)},
   {OPTION(.name = "test-timeout", .metavar = "SECONDS", .kind = KIND_SECONDS, .min = 1, .max = 86400, .initial = "60",
           .help = "limit of one try of a program, at least 1: processor time. A try that takes longer is a finding, a "
                   "hang"), FIELD(try_seconds)},
   {OPTION(.name = "idle-timeout", .metavar = "SECONDS", .kind = KIND_SECONDS, .min = 1, .max = 86400, .initial = "300",
           .help = "limit for a worker that neither runs nor is ready to run, because it waits or is stopped, at least "
                   "1. It is a finding, too, and another worker goes on"), FIELD(idle_seconds)},
   {&option_mesa, FIELD(mesa)},
   {OPTION(.name = "shrink", .kind = KIND_FLAG,
           .help = "with --mesa: make the kernel of each finding as small as it gets, which takes a minute or more"),
    FIELD(shrink)},
   {OPTION(.name = "write", .metavar = "DIR", .kind = KIND_STRING, .min = 1,
           .help = "try nothing: write --count kernels in OpenCL C or GLSL into this folder, as Piglit tests with the right answers, "
                   "or scenes"),
    FIELD(write)},
   {&option_output, FIELD(output)},
   {0},
};
/* clang-format on */
