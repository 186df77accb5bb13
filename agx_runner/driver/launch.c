/* SPDX-License-Identifier: MIT
 *
 * A launch through a driver takes two runs of the host: the first one says which arguments the kernel has, so that the
 * options of the command line can be read; the second one launches it with them.
 */
#include "agx_runner/driver/launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/driver/generated.h"
#include "agx_runner/driver/jobs.h"
#include "agx_runner/driver/kernel.h"
#include "agx_runner/driver/source.h"
#include "agx_runner/results/result.h"
#include "agx_runner/terminal/runner.h"
#include "vgpu/vgpu.h"

#define DEFAULT_DEVICE "virtual:m1"

struct launch {
   const struct driver_launch_settings *settings;
   struct driver_source source;
   struct driver_answer facts_answer, answer;
   struct driver_kernels facts, kernels; /* of the two answers */
   const struct driver_kernel *chosen;   /* of the first */
   const struct driver_kernel *kernel;   /* of the second */
   struct agx_program *interface;
   struct exec exec;
   struct driver_jobs jobs;
   char *device;
   bool listing; /* the driver is asked for one */
};

/* ---- The kernel's arguments ---- */

static const struct driver_kernel *choose(const struct launch *launch)
{
   const char *path = launch->settings->path, *name = launch->settings->program->kernel;
   const struct driver_kernels *kernels = &launch->facts;
   for (size_t i = 0; i < kernels->count; i++) {
      if (name != NULL ? strcmp(name, kernels->list[i].facts->name) == 0 : kernels->count == 1) {
         return &kernels->list[i];
      }
   }
   if (name != NULL) {
      (void)complain(EXIT_INVALID, "%s: no kernel is called '%s'; there are:", path, name);
   } else {
      (void)complain(EXIT_INVALID, "%s: has %zu kernels: choose one with --kernel:", path, kernels->count);
   }
   for (size_t i = 0; i < kernels->count; i++) {
      fprintf(stderr, "  %s\n", kernels->list[i].facts->name);
   }
   return NULL;
}

/* Whether an option gives a buffer's address, "ptr:a" or "p=ptr[1]:a". */
static bool gives_address(const struct exec_settings *settings)
{
   bool gives = false;

   for (size_t i = 0; i < settings->push.count; i++) {
      gives |= strstr(settings->push.items[i], "ptr") != NULL;
   }
   for (size_t i = 0; i < settings->buffers.count; i++) {
      gives |= strstr(settings->buffers.items[i], "=ptr[") != NULL;
   }
   return gives;
}

static bool is_argument(const struct agx_program *program, const char *text, size_t length)
{
   for (size_t i = 0; i < program->argument_count; i++) {
      if (strlen(program->arguments[i].name) == length && strncmp(program->arguments[i].name, text, length) == 0) {
         return true;
      }
   }
   return strspn(text, "0123456789") == length;
}

/* Where addresses are given, a buffer whose name is no argument's is one that a shader gets at by its address. */
static int add_buffers_behind(struct agx_program *interface, const struct exec_settings *settings)
{
   uint32_t added = 0;
   struct agx_argument *longer =
       realloc(interface->arguments, (interface->argument_count + DRIVER_BEHIND) * sizeof(*longer));
   if (longer == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   interface->arguments = longer;
   for (size_t i = 0; gives_address(settings) && i < settings->buffers.count; i++) {
      const char *text = settings->buffers.items[i];
      const size_t length = strcspn(text, "=");
      struct agx_argument argument = {
          .kind = AGX_ARGUMENT_BUFFER, .size = sizeof(uint64_t), .offset = interface->argument_bytes};
      if (length < sizeof(argument.name) && added < DRIVER_BEHIND && !is_argument(interface, text, length)) {
         snprintf(argument.name, sizeof(argument.name), "%.*s", (int)length, text);
         interface->arguments[interface->argument_count++] = argument;
         interface->argument_bytes += sizeof(uint64_t);
         added++;
      }
   }
   return EXIT_OK;
}

/* The option that is of no use with --generate, by its name; NULL: none. */
static const char *option_beside_generate(const struct exec_settings *exec)
{
   return exec->buffers.count > 0    ? "--buf"
          : exec->values.count > 0   ? "--arg"
          : exec->push.count > 0     ? "--push"
          : exec->locals.count > 0   ? "--local"
          : exec->images.count > 0   ? "--image"
          : exec->samplers.count > 0 ? "--sampler"
          : exec->grid.count > 0     ? "--grid"
          : exec->group.count > 0    ? "--group"
          : exec->prints.count > 0   ? "--print"
          : exec->dumps.count > 0    ? "--dump"
          : exec->expects.count > 0  ? "--expect"
          : exec->indirect           ? "--indirect"
          : exec->repeat > 1         ? "--repeat"
                                     : NULL;
}

/* What exec_init() does, for arguments that are generated: they have no text, and are not shown. */
static int generate(struct launch *launch)
{
   const struct exec_settings *settings = launch->settings->exec;
   const struct host_launch record = generated_launch(launch->chosen);
   const char *beside = option_beside_generate(settings);
   struct exec *exec = &launch->exec;
   if (beside != NULL) {
      return complain(EXIT_INVALID, "--generate makes all arguments and the grid: %s cannot be combined with it",
                      beside);
   }
   if (!generated_can(launch->chosen)) {
      return complain(EXIT_INVALID,
                      "--generate: %s: kernel %s: no argument is made for a struct by value: give --buf, --arg and "
                      "--grid instead",
                      launch->settings->path, launch->interface->name);
   }
   *exec = (struct exec){.settings = settings,
                         .program = launch->interface,
                         .arguments = calloc(launch->interface->argument_count + 1, sizeof(*exec->arguments)),
                         .work_dim = record.dimensions};
   memcpy(exec->grid, record.grid, sizeof(exec->grid));
   memcpy(exec->group, record.group, sizeof(exec->group));
   return exec->arguments != NULL ? EXIT_OK : complain(EXIT_FAILED, "out of memory");
}

/* Reads the kernel's arguments, and the options of the command line against them. */
static int read_arguments(struct launch *launch)
{
   const struct driver_launch_settings *settings = launch->settings;
   struct driver_request request;
   int code = driver_source_request(&launch->source, NULL, &request);
   code = code == EXIT_OK ? driver_host_run(&launch->source.mesa, launch->source.api, launch->device, &request,
                                            &launch->facts_answer)
                          : code;
   driver_request_finish(&request);
   if (code == EXIT_OK && !driver_kernels_read(&launch->facts_answer.records, &launch->facts)) {
      code = complain(EXIT_FAILED, "out of memory");
   }
   code = code == EXIT_OK ? driver_kernels_print(&launch->facts, settings->path, settings->program->mesa) : code;
   if (code != EXIT_OK) {
      return code;
   }
   launch->chosen = choose(launch);
   if (launch->chosen == NULL) {
      return EXIT_INVALID;
   }
   launch->interface = driver_kernel_interface(launch->chosen);
   if (launch->interface == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   if (settings->exec->indirect && launch->source.api == MESA_OPENCL) {
      return complain(EXIT_INVALID, "--indirect: %s is no shader", settings->path);
   }
   if (settings->exec->generate) {
      return generate(launch);
   }
   code = launch->source.api == MESA_VULKAN ? add_buffers_behind(launch->interface, settings->exec) : EXIT_OK;
   return code == EXIT_OK ? exec_init(&launch->exec, launch->interface, settings->exec, settings->seed) : code;
}

/* ---- The launch ---- */

/* The elements of a buffer or image, or the value. */
static void write_bytes(const struct launch *launch, uint32_t index, FILE *file)
{
   const struct agx_argument *argument = &launch->interface->arguments[index];
   const struct exec_argument *given = &launch->exec.arguments[index];
   const bool value = argument->kind == AGX_ARGUMENT_VALUE;
   const size_t size = value ? argument->size : given->count * given->type->size;
   const struct host_argument record = {.kind = value ? HOST_VALUE : HOST_BUFFER, .size = size};
   host_record_write_two(file, HOST_ARGUMENT, index, &record, sizeof(record),
                         value ? launch->exec.block + argument->offset : given->initial, size);
}

static void write_image(const struct exec_argument *given, uint32_t index, FILE *file)
{
   const size_t size = given->count * given->type->size;
   const struct {
      struct host_argument argument;
      struct host_image image;
   } record = {{.kind = HOST_IMAGE, .size = size}, given->image};
   host_record_write_two(file, HOST_ARGUMENT, index, &record, sizeof(record), given->initial, size);
}

static void write_argument(const struct launch *launch, uint32_t index, FILE *file)
{
   const struct exec_argument *given = &launch->exec.arguments[index];
   struct host_argument record = {.kind = HOST_LOCAL, .size = given->local_bytes};
   switch (launch->interface->arguments[index].kind) {
   case AGX_ARGUMENT_LOCAL:
      host_record_write(file, HOST_ARGUMENT, index, &record, sizeof(record));
      break;
   case AGX_ARGUMENT_IMAGE:
      write_image(given, index, file);
      break;
   case AGX_ARGUMENT_BUFFER:
      if (given->initial == NULL) {
         record = (struct host_argument){.kind = HOST_NULL_BUFFER};
         host_record_write(file, HOST_ARGUMENT, index, &record, sizeof(record));
         break;
      }
      write_bytes(launch, index, file);
      break;
   case AGX_ARGUMENT_VALUE:
      write_bytes(launch, index, file);
      break;
   }
   if (given->has_sampler) {
      record = (struct host_argument){.kind = HOST_SAMPLER, .size = sizeof(given->sampler)};
      host_record_write_two(file, HOST_ARGUMENT, index, &record, sizeof(record), &given->sampler,
                            sizeof(given->sampler));
   }
}

static void write_addresses(const struct exec *exec, FILE *file)
{
   for (size_t i = 0; i < exec->address_count; i++) {
      const struct exec_address *address = &exec->addresses[i];
      const struct host_address record = {.buffer = (uint32_t)address->buffer, .offset = address->offset};
      host_record_write(file, HOST_ADDRESS, (uint32_t)address->place, &record, sizeof(record));
   }
}

/* The kernel, its arguments, and the grid. */
static bool write_launch(const struct launch *launch, FILE *file)
{
   const struct exec *exec = &launch->exec;
   struct host_launch record = {
       .dimensions = exec->work_dim, .repeat = exec->settings->repeat, .indirect = exec->settings->indirect};
   if (exec->settings->generate) {
      return generated_write(launch->chosen, launch->source.api == MESA_VULKAN, file);
   }
   memcpy(record.grid, exec->grid, sizeof(record.grid));
   memcpy(record.group, exec->group, sizeof(record.group));
   host_record_write_text(file, HOST_ENTRY, 0, launch->interface->name);
   for (uint32_t i = 0; i < launch->interface->argument_count; i++) {
      write_argument(launch, i, file);
   }
   write_addresses(exec, file);
   host_record_write(file, HOST_LAUNCH, 0, &record, sizeof(record));
   return true;
}

static int run_launch(struct launch *launch)
{
   struct driver_request request;
   char *device = NULL;
   int code = driver_source_request(&launch->source, launch->jobs.folder, &request);
   request.listing = launch->listing;
   if (code == EXIT_OK && !write_launch(launch, request.file)) {
      code = complain(EXIT_FAILED, "out of memory");
   }
   if (code == EXIT_OK) {
      const bool saves = launch->jobs.folder != NULL;
      code = asprintf(&device, "%s%s%s%s", launch->device,
                      launch->settings->check && strstr(launch->device, ",check=") == NULL ? ",check=all" : "",
                      saves ? ",record=" : "", saves ? launch->jobs.folder : "") < 0
                 ? complain(EXIT_FAILED, "out of memory")
                 : EXIT_OK;
   }
   code = code == EXIT_OK ? driver_host_run(&launch->source.mesa, launch->source.api, device, &request, &launch->answer)
                          : code;
   driver_request_finish(&request);
   free(device);
   if (code == EXIT_OK && !driver_kernels_read(&launch->answer.records, &launch->kernels)) {
      code = complain(EXIT_FAILED, "out of memory");
   }
   if (code == EXIT_OK && launch->kernels.refusal != NULL) {
      code = complain(EXIT_FAILED, "%s: kernel %s: Mesa '%s': %s", launch->settings->path, launch->interface->name,
                      launch->source.mesa.name, launch->kernels.refusal);
   }
   for (size_t i = 0; code == EXIT_OK && i < launch->kernels.count; i++) {
      if (launch->kernels.list[i].launched != NULL) {
         launch->kernel = &launch->kernels.list[i];
      }
   }
   return code != EXIT_OK || launch->kernel != NULL
              ? code
              : complain(EXIT_FAILED, "%s: the host reported no launch", launch->settings->path);
}

/* Gives the buffers to exec's renderers. */
static void take_buffers(struct launch *launch)
{
   for (uint32_t i = 0; i < launch->interface->argument_count; i++) {
      const struct driver_bytes *after = &launch->kernel->parameters[i].after;
      struct exec_argument *argument = &launch->exec.arguments[i];
      if (argument->initial != NULL && after->size == argument->count * argument->type->size) {
         argument->after = after->bytes;
      }
   }
}

static int start(struct launch *launch, const struct driver_launch_settings *settings)
{
   *launch = (struct launch){.settings = settings};
   launch->device = strdup(strcmp(settings->device, "auto") == 0 ? DEFAULT_DEVICE : settings->device);
   if (launch->device == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   if (!asahi_spec_is_virtual(launch->device)) {
      return complain(EXIT_INVALID, "--mesa %s: --device %s: kernels run through a driver on virtual devices only",
                      settings->program->mesa, launch->device);
   }
   const int code = driver_source_read(&launch->source, settings->path, settings->program, settings->build_options);
   return code == EXIT_OK ? read_arguments(launch) : code;
}

static void finish(struct launch *launch)
{
   exec_finish(&launch->exec, NULL);
   agx_program_destroy(launch->interface);
   driver_kernels_finish(&launch->facts);
   driver_kernels_finish(&launch->kernels);
   driver_answer_finish(&launch->facts_answer);
   driver_answer_finish(&launch->answer);
   driver_jobs_finish(&launch->jobs);
   driver_source_finish(&launch->source);
   free(launch->device);
}

/* ---- exec ---- */

/* The modelled time of one launch, ns; 0: the device's timing is off. */
static double launch_time(const struct launch *launch, struct asahi_device *device)
{
   struct vgpu_counters counters;
   const uint32_t repeats = launch->kernel->launched->repeats;
   if (asahi_device_counters(device, &counters) < 0 || counters.clock_hz == 0 || repeats == 0) {
      return 0;
   }
   return (double)launch->answer.report.cycles * 1e9 / (double)counters.clock_hz / repeats;
}

static void print_header(const struct launch *launch, const struct asahi_device_info *info, double time)
{
   const struct exec *exec = &launch->exec;
   if (launch->source.mesa.software) {
      printf("device  the processor\n");
   } else {
      printf("device  %s: %s, " RESULT_VIRTUAL_NOTE "\n", info->path, info->name);
   }
   printf("mesa    %s: %s\n", launch->source.mesa.name, launch->kernels.driver != NULL ? launch->kernels.driver : "");
   printf("kernel  %s, grid %u,%u,%u in threadgroups of %u,%u,%u\n", agx_program_name(exec->program), exec->grid[0],
          exec->grid[1], exec->grid[2], exec->group[0], exec->group[1], exec->group[2]);
   if (launch->answer.report.faults > 0) {
      printf("time    none: the launch faulted\n");
   } else if (launch->source.mesa.software) {
      printf("time    none: the processor's is not measured\n");
   } else if (time == 0) {
      printf("time    none: the device's timing is off\n");
   } else {
      printf("time    %.3f us%s\n", time * 1e-3, exec->settings->repeat > 1 ? ", the mean of all launches" : "");
   }
}

/* Faults and findings of checks; an enum exit_code. */
static int report_device(const struct launch *launch)
{
   const struct device_report *report = &launch->answer.report;
   const char *name = agx_program_name(launch->interface);
   if (launch->source.mesa.software) {
      return EXIT_OK;
   }
   if (report->close == NULL) {
      return complain(EXIT_FAILED, "%s: the driver did not use the virtual device, or did not close it", name);
   }
   if (report->faults == 0 && report->soft_faults == 0 && report->findings == 0) {
      if (launch->settings->check) {
         note("%s: no findings in %" PRIu64 " simdgroup instructions, those of the driver's own programs among them",
              name, report->instructions);
      }
      return EXIT_OK;
   }
   fflush(stdout);
   device_report_findings(report, stderr);
   return complain(EXIT_FAILED,
                   "%s: %" PRIu64 " fault%s, %" PRIu64 " access%s to unmapped memory, %" PRIu64
                   " finding%s of checks; the driver says nothing of them to its program",
                   name, report->faults, report->faults == 1 ? "" : "s", report->soft_faults,
                   report->soft_faults == 1 ? "" : "es", report->findings, report->findings == 1 ? "" : "s");
}

static int show(struct launch *launch)
{
   struct exec *exec = &launch->exec;
   struct asahi_device *device;
   char why[512];
   const bool json = exec->settings->format == FORMAT_JSON;
   if (asahi_device_open(launch->device, &device, why, sizeof(why)) < 0) {
      return complain(EXIT_INVALID, "%s", why);
   }
   const struct asahi_device_info *info = asahi_device_get_info(device);
   double *times = calloc(exec->settings->repeat, sizeof(*times));
   int code = times == NULL ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;
   if (code == EXIT_OK) {
      for (uint32_t i = 0; i < exec->settings->repeat; i++) {
         times[i] = launch_time(launch, device);
      }
      if (!json) {
         print_header(launch, info, times[0]);
      }
      code = exec_show(exec);
      const int found = report_device(launch);
      code = code == EXIT_OK ? found : code;
      const int compared = exec_compare(exec);
      code = code == EXIT_OK ? compared : code;
      if (json) {
         code = exec_write_json(exec, info, RESULT_VIRTUAL_NOTE, times, code);
      }
   }
   free(times);
   asahi_device_close(device);
   return code;
}

int driver_exec(const struct driver_launch_settings *settings)
{
   struct launch launch;
   int code = start(&launch, settings);
   code = code == EXIT_OK ? run_launch(&launch) : code;
   if (code == EXIT_OK) {
      take_buffers(&launch);
      code = show(&launch);
   }
   finish(&launch);
   return code;
}

/* ---- explain ---- */

#define DRIVER_DEBUG "AGX_MESA_DEBUG"

/* Asks the driver for its listing of what it compiles, beside what it is asked for already. */
static bool ask_for_listing(void)
{
   const char *before = getenv(DRIVER_DEBUG);
   char *both = NULL;
   if (asprintf(&both, "%s%sshaders", before != NULL ? before : "", before != NULL ? "," : "") < 0) {
      return false;
   }
   const bool good = setenv(DRIVER_DEBUG, both, 1) == 0;
   free(both);
   return good;
}

/* Whether a listing of NIR has source lines: "// 0x1c file.comp:6:4". */
static bool has_lines(const char *listing)
{
   for (const char *at = listing; at != NULL && (at = strstr(at, "// 0x")) != NULL; at += strlen("// 0x")) {
      const size_t length = strcspn(at, "\n");
      const char *colon = memchr(at, ':', length);
      if (colon != NULL && colon[1] >= '0' && colon[1] <= '9') {
         return true;
      }
   }
   return false;
}

/* Says what is explained, and that source lines are missing where the driver's listing has none. */
static void show_heading(const struct launch *launch)
{
   printf("kernel  %s, Mesa %s: %s\n", launch->interface->name, launch->source.mesa.name,
          launch->kernels.driver != NULL ? launch->kernels.driver : "");
   if (!has_lines(launch->answer.messages)) {
      printf("lines   none of the source: the driver's listing of the program has none\n");
   }
   fflush(stdout);
}

int driver_explain(const struct driver_launch_settings *settings, double seconds,
                   const struct job_explain_settings *explain, const char *output)
{
   struct launch launch;
   struct program_settings program = *settings->program;
   int code = start(&launch, settings);
   code = code == EXIT_OK ? driver_jobs_start(&launch.jobs) : code;
   launch.listing = explain->format == FORMAT_TEXT && output == NULL;
   code = code == EXIT_OK && launch.listing && !ask_for_listing() ? complain(EXIT_FAILED, "out of memory") : code;
   code = code == EXIT_OK ? run_launch(&launch) : code;
   code = code == EXIT_OK ? driver_jobs_list(&launch.jobs) : code;
   if (code == EXIT_OK) {
      const struct host_launched *launched = launch.kernel->launched;
      const size_t last = (size_t)launched->first_job + launched->jobs;
      if (launched->jobs == 0 || last > launch.jobs.count) {
         code = complain(EXIT_FAILED, "%s: the driver submitted no job for the launch", settings->path);
      } else {
         program.kernel = NULL; /* a job's programs are named by their addresses */
         const struct job_settings job = {.path = launch.jobs.paths[last - 1],
                                          .device = launch.device,
                                          .seconds = seconds,
                                          .program = &program,
                                          .output = output};
         if (launch.listing) {
            show_heading(&launch);
         }
         struct job_explain_settings named = *explain;
         named.name = launch.interface->name;
         code = job_explain(&job, &named);
      }
   }
   finish(&launch);
   return code;
}
