/* SPDX-License-Identifier: MIT
 *
 * Compiles by a probe of each kernel: the host launches it once on a virtual device that saves the job and executes few
 * instructions, since the arguments of a probe are no data that a kernel is meant for.
 */
#include "agx_runner/driver/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/driver/jobs.h"
#include "agx_runner/driver/program.h"
#include "agx_runner/driver/source.h"
#include "agx_runner/replay/job_run.h"
#include "agx_runner/terminal/runner.h"
#include "compiler/api/result.h"
#include "util/text.h"

#define PROBE_DEVICE "virtual:m1,timing=off,budget=65536"
#define PROBE_OPTIONS ",timing=off,budget=65536"
#define PROBE_SECONDS 60

/* Returns the program of the job's last launch of one threadgroup of the probe's size: what comes before is the
 * driver's own. NULL: there is none. */
static const struct job_program *find_program(const struct job_programs *programs, const struct driver_kernel *kernel)
{
   const uint32_t *group = kernel->facts->group;
   for (size_t i = programs->count; i-- > 0;) {
      const struct vgpu_launch_info *launch = &programs->list[i].longest;
      if (memcmp(launch->grid, launch->group, sizeof(launch->grid)) == 0 &&
          (group[0] == 0 || memcmp(launch->group, group, sizeof(launch->group)) == 0)) {
         return &programs->list[i];
      }
   }
   return NULL;
}

/* A program that reads values of the driver's own does not run by itself. */
static int refuse_program(const struct agx_program *program, unsigned own, struct compiler_result *result)
{
   const size_t from = strlen(result->log);
   compiler_refuse(result, REFUSAL_RUNNER,
                   "cannot launch it without its driver: it reads %u value%s of the driver's own", own,
                   own == 1 ? "" : "s");
   const int ret = compiler_result_refuse(result, program->name, from);
   result->why = (struct refusal){.who = REFUSAL_NONE};
   return ret < 0 ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;
}

static int take_program(const struct job_run *run, const struct job_program *found, const struct driver_kernel *kernel,
                        const struct program_settings *settings, struct compiler_result *result)
{
   unsigned own = 0;
   struct agx_program *program = agx_program_copy(found->program);
   if (program == NULL || !driver_program_complete(&run->replay, &found->longest, kernel, program, &own)) {
      agx_program_destroy(program);
      return complain(EXIT_FAILED, "out of memory");
   }
   const char *wrong = agx_program_check(program);
   if (wrong != NULL) {
      const int code = complain(EXIT_FAILED, "kernel %s: the program of the driver's job does not fit together: %s",
                                program->name, wrong);
      agx_program_destroy(program);
      return code;
   }
   if (own > 0 && settings->alone) {
      const int code = refuse_program(program, own, result);
      agx_program_destroy(program);
      return code;
   }
   if (own > 0) {
      note("kernel %s: %u value%s that the program reads are the driver's own, and come from no argument: arguments "
           "driver_OFFSET, and uniforms that are constants",
           program->name, own, own == 1 ? "" : "s");
   }
   return compiler_result_add(result, program) < 0 ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;
}

/* Reads the kernel's program from the job that its probe submitted. */
static int read_program(const struct driver_jobs *jobs, const struct driver_kernel *kernel,
                        const struct program_settings *settings, struct compiler_result *result)
{
   const struct host_launched *launched = kernel->launched;
   struct job_programs programs = {.count = 0};
   struct job_run run;
   if (launched->jobs == 0 || launched->first_job + launched->jobs > jobs->count) {
      return complain(EXIT_FAILED, "kernel %s: the driver submitted no job for its launch", kernel->facts->name);
   }
   const struct job_settings job = {.path = jobs->paths[launched->first_job + launched->jobs - 1],
                                    .device = "auto",
                                    .seconds = PROBE_SECONDS,
                                    .program = settings};
   int code = job_run_read(&run, &job);
   code = code == EXIT_OK ? job_run_submit(&run, PROBE_OPTIONS) : code;
   code = code == EXIT_OK ? job_programs_read(&run.replay, job.path, &programs) : code;
   if (code == EXIT_OK) {
      const struct job_program *found = find_program(&programs, kernel);
      code = found != NULL ? take_program(&run, found, kernel, settings, result)
                           : complain(EXIT_FAILED, "kernel %s: none of the %zu programs of its job is the kernel's",
                                      kernel->facts->name, programs.count);
   }
   job_programs_finish(&programs);
   job_run_finish(&run);
   return code;
}

/* A kernel that the driver could not launch is refused; the others are not lost. */
static int refuse_kernel(const struct driver_kernel *kernel, const char *path, struct compiler_result *result)
{
   const size_t from = strlen(result->log);
   const char *why = kernel->refusal != NULL ? kernel->refusal : "the host ended before its launch";
   compiler_refuse(result, REFUSAL_SOURCE, "the driver does not launch kernel %s: %s", kernel->facts->name, why);
   (void)complain(EXIT_FAILED, "%s: kernel %s: %s", path, kernel->facts->name, why);
   return compiler_result_refuse(result, kernel->facts->name, from) < 0 ? complain(EXIT_FAILED, "out of memory")
                                                                        : EXIT_OK;
}

static int read_programs(const struct driver_source *source, const struct driver_jobs *jobs,
                         const struct driver_kernels *kernels, const struct program_settings *settings,
                         struct compiler_result *result)
{
   int code = EXIT_OK;
   for (size_t i = 0; code == EXIT_OK && i < kernels->count; i++) {
      const struct driver_kernel *kernel = &kernels->list[i];
      if (settings->kernel != NULL && strcmp(settings->kernel, kernel->facts->name) != 0) {
         continue;
      }
      code = kernel->launched != NULL ? read_program(jobs, kernel, settings, result)
                                      : refuse_kernel(kernel, source->path, result);
   }
   return code == EXIT_OK && result->count == 0 ? EXIT_FAILED : code;
}

static int compile(const struct driver_source *source, const struct program_settings *settings,
                   struct compiler_result *result)
{
   struct driver_jobs jobs = {.count = 0};
   struct driver_request request = {.fd = -1};
   struct driver_answer answer = {.records = {.size = 0}};
   struct driver_kernels kernels = {.count = 0};
   char *device = NULL;
   int code = driver_jobs_start(&jobs);
   code = code == EXIT_OK ? driver_source_request(source, jobs.folder, &request) : code;
   if (code == EXIT_OK) {
      if (settings->kernel != NULL) {
         host_record_write_text(request.file, HOST_ENTRY, 0, settings->kernel);
      }
      host_record_write(request.file, HOST_PROBE, 0, "", 0);
      code = asprintf(&device, PROBE_DEVICE ",record=%s", jobs.folder) < 0 ? complain(EXIT_FAILED, "out of memory")
                                                                           : EXIT_OK;
   }
   code = code == EXIT_OK ? driver_host_run(&source->mesa, source->api, device, &request, &answer) : code;
   if (code == EXIT_OK && !driver_kernels_read(&answer.records, &kernels)) {
      code = complain(EXIT_FAILED, "out of memory");
   }
   if (code == EXIT_OK) {
      code = driver_kernels_print(&kernels, source->path, settings->mesa);
      if (kernels.refusal != NULL) {
         compiler_refuse(result, REFUSAL_SOURCE, "%.300s", kernels.refusal);
      }
   }
   code = code == EXIT_OK ? driver_jobs_list(&jobs) : code;
   code = code == EXIT_OK ? read_programs(source, &jobs, &kernels, settings, result) : code;
   free(device);
   driver_kernels_finish(&kernels);
   driver_answer_finish(&answer);
   driver_request_finish(&request);
   driver_jobs_finish(&jobs);
   return code;
}

int driver_compile(const char *path, const struct program_settings *settings,
                   const struct compiler_options *compiler_options, struct compiler_result *result)
{
   struct driver_source source;
   *result = (struct compiler_result){0};
   int code = compiler_result_init(result) < 0 ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;
   const int read = driver_source_read(&source, path, settings, compiler_options->arguments);
   code = code == EXIT_OK ? read : code;
   code = code == EXIT_OK ? compile(&source, settings, result) : code;
   driver_source_finish(&source);
   return code;
}

int driver_compile_module(const struct compiler_module *module, const struct program_settings *settings,
                          struct compiler_result *result)
{
   const struct string_list none = {.count = 0};
   struct driver_source source = {.path = module->name,
                                  .constants = &none,
                                  .language = HOST_SPIRV_KERNEL,
                                  .api = MESA_OPENCL,
                                  .data = (uint8_t *)(uintptr_t)module->words,
                                  .size = module->size};
   *result = (struct compiler_result){0};
   if (compiler_result_init(result) < 0) {
      return complain(EXIT_FAILED, "out of memory");
   }
   mesa_describe(settings->mesa, &source.mesa);
   return compile(&source, settings, result);
}
