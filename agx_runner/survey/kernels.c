/* SPDX-License-Identifier: MIT
 *
 * The kernels of a survey: compiles, uploads and submits them.
 */
#include "agx_runner/survey/kernels.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "agx_runner/measure/launches.h"
#include "agx_runner/terminal/runner.h"

#define TRIAL_TURNS 2000

static const char source[] =
    "kernel void copy(global uint *in, global uint *out) { size_t i = get_global_id(0); out[i] = in[i]; }\n"
    "kernel void empty(global uint *in, global uint *out) { }\n"
    "kernel void loop(global uint *in, global uint *out) {\n"
    "   uint x = get_global_id(0), n = in[0];\n"
    "   for (uint i = 0; i < n; i++) x = x * 1664525u + 1013904223u;\n"
    "   out[get_global_id(0) & 4095] = x;\n"
    "}\n"
    "kernel void increment(global uint *in, global uint *out) { out[get_global_id(0)] += 1; }\n"
    "kernel void forward(global uint *in, global uint *out) {\n"
    "   size_t i = get_global_id(0); out[i] = in[(i * 33 + 7) & 4095] + 1;\n"
    "}\n"
    "kernel void count(global uint *in, global uint *out) { atomic_inc((volatile global uint *)out); }\n"
    "#define STACK(NAME, WORDS) kernel void NAME(global uint *in, global uint *out) { \\\n"
    "   uint a[WORDS]; size_t i = get_global_id(0); \\\n"
    "   for (uint k = 0; k < WORDS; k++) a[in[k] % WORDS] = k + (uint)i; \\\n"
    "   uint sum = 0; for (uint k = 0; k < WORDS; k++) sum += a[k] * (k + 1); \\\n"
    "   out[i] = sum; }\n"
    "STACK(stack_1, 256) STACK(stack_4, 1024) STACK(stack_16, 4096)\n";

static const char *const names[SURVEY_KERNELS] = {"copy",  "empty",   "loop",    "increment", "forward",
                                                  "count", "stack_1", "stack_4", "stack_16"};

static int upload(struct survey_kernels *kernels, const struct compiler_result *compiled)
{
   struct session *session = kernels->session;

   for (unsigned k = 0; k < SURVEY_KERNELS; k++) {
      size_t i = 0;

      while (i < compiled->count && strcmp(compiled->programs[i]->name, names[k]) != 0) {
         i++;
      }
      if (i == compiled->count) {
         return -EINVAL;
      }
      const int ret = asahi_program_upload(session->device, compiled->programs[i], &kernels->programs[k]);
      if (ret < 0) {
         return ret;
      }
      kernels->dispatches[k] = (struct asahi_dispatch){
          .program = kernels->programs[k],
          .work_dim = 1,
          .arguments = kernels->arguments,
          .argument_bytes = sizeof(kernels->arguments),
      };
   }
   return 0;
}

int survey_kernels_compile(struct session *session, bool coherent_atomics, struct compiler_result *compiled)
{
   struct compiler_options options = device_compiler_options(session->info);

   options.keep_atomics = true;
   options.atomic_coherency = coherent_atomics;
   return compiler_opencl("survey.cl", source, sizeof(source) - 1, &options, compiled);
}

int survey_kernels_init(struct survey_kernels *kernels, struct session *session, struct sheet *sheet)
{
   return survey_kernels_init_coherent(kernels, session, session->info->atomic_coherency, sheet);
}

/* The compiler's first message is the reason; a compiler that failed without one is named by the error. */
static void refused(struct sheet *sheet, int ret, const char *log)
{
   if (log == NULL || log[0] == '\0') {
      sheet_status(sheet, "failed", "the survey's kernels do not compile: %s", strerror(-ret));
      return;
   }
   fprintf(stderr, "%s", log);
   sheet_status(sheet, "failed", "the survey's kernels do not compile: %.*s", (int)strcspn(log, "\n"), log);
}

int survey_kernels_init_coherent(struct survey_kernels *kernels, struct session *session, bool coherent_atomics,
                                 struct sheet *sheet)
{
   struct compiler_result compiled;

   *kernels = (struct survey_kernels){.session = session};
   int ret = survey_kernels_compile(session, coherent_atomics, &compiled);
   if (ret < 0) {
      refused(sheet, ret, compiled.log);
   }
   if (ret == 0) {
      ret = asahi_buffer_create(session->device, SURVEY_WORDS * sizeof(uint32_t), &kernels->input);
   }
   if (ret == 0) {
      ret = asahi_buffer_create(session->device, SURVEY_WORDS * sizeof(uint32_t), &kernels->output);
   }
   if (ret == 0) {
      kernels->arguments[0] = kernels->swapped[1] = asahi_buffer_address(kernels->input);
      kernels->arguments[1] = kernels->swapped[0] = asahi_buffer_address(kernels->output);
      ret = upload(kernels, &compiled);
   }
   compiler_result_finish(&compiled);
   return ret;
}

void survey_kernels_finish(struct survey_kernels *kernels)
{
   for (unsigned k = 0; k < SURVEY_KERNELS; k++) {
      asahi_program_destroy(kernels->session->device, kernels->programs[k]);
   }
   asahi_buffer_destroy(kernels->session->device, kernels->input);
   asahi_buffer_destroy(kernels->session->device, kernels->output);
}

struct asahi_dispatch survey_dispatch(const struct survey_kernels *kernels, enum survey_kernel kernel, uint32_t threads,
                                      uint32_t group)
{
   struct asahi_dispatch dispatch = kernels->dispatches[kernel];
   const uint32_t grid[3] = {threads, 1, 1}, groups[3] = {group, 1, 1};

   memcpy(dispatch.grid, grid, sizeof(grid));
   memcpy(dispatch.group, groups, sizeof(groups));
   return dispatch;
}

uint32_t *survey_input(const struct survey_kernels *kernels)
{
   return asahi_buffer_map(kernels->input);
}

uint32_t *survey_output(const struct survey_kernels *kernels)
{
   return asahi_buffer_map(kernels->output);
}

int survey_iterations(const struct survey_kernels *kernels, double ns, uint32_t *iterations)
{
   const struct asahi_dispatch loop = survey_dispatch(kernels, SURVEY_LOOP, 32, 32);
   double one, many;

   survey_input(kernels)[0] = TRIAL_TURNS;
   int ret = launches_submit(kernels->session, &loop, 1, NULL, &one);
   survey_input(kernels)[0] = 2 * TRIAL_TURNS;
   ret = ret == 0 ? launches_submit(kernels->session, &loop, 1, NULL, &many) : ret;
   if (ret == 0) {
      const double each = many > one ? (many - one) / TRIAL_TURNS : 10;
      const double wanted = ns / each;
      *iterations = wanted < 1 ? 1 : wanted > 4e6 ? 4000000 : (uint32_t)wanted;
   }
   return ret;
}

void survey_pause(double ms)
{
   const struct timespec time = {.tv_nsec = (long)(ms * 1e6)};

   if (ms > 0) {
      nanosleep(&time, NULL);
   }
}

int survey_warm_up(const struct survey_kernels *kernels)
{
   const struct asahi_device_info *info = kernels->session->info;
   const struct asahi_dispatch loop = survey_dispatch(kernels, SURVEY_LOOP, 32 * info->cores, 32);
   double spent = 0, ns;
   uint32_t iterations;
   int ret = info->settle_ns == 0 ? 0 : survey_iterations(kernels, 5e6, &iterations);

   if (info->settle_ns != 0 && ret == 0) {
      survey_input(kernels)[0] = iterations;
      while (ret == 0 && spent < (double)info->settle_ns) {
         ret = launches_submit(kernels->session, &loop, 1, NULL, &ns);
         spent += ns;
      }
   }
   return ret;
}
