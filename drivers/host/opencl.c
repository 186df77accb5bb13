/* SPDX-License-Identifier: MIT
 *
 * The host of OpenCL: compiles OpenCL C or SPIR-V through the ICD loader, and launches kernels with the arguments of
 * the request (drivers/host/protocol.h). It is built with this machine's C library and may run with a newer one, so it
 * opens the loader itself and links with nothing else. Invariant: whatever the driver refuses becomes a record of the
 * result.
 */
#include "drivers/host/opencl.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/host/debug_info.h"
#include "drivers/host/launches.h"

#define MOST_ARGUMENTS 256u
#define MOST_VALUE_BYTES OPENCL_PROBE_BYTES
#define MOST_PLATFORMS 16u
#define PROBE_BUFFER_BYTES 4096u
#define PROBE_LOCAL_BYTES 64u
#define PROBE_GROUP 32u

struct opencl_functions cl;

bool opencl_refuse(struct host *host, enum host_refusal why, const char *format, ...)
{
   char text[1024];
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(text, sizeof(text), format, arguments);
   va_end(arguments);
   host_record_write_text(host->result, HOST_REFUSAL, why, text);
   return false;
}

const char *opencl_error_name(cl_int error)
{
   static const struct {
      cl_int error;
      const char *name;
   } names[] = {
       {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
       {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
       {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
       {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
       {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
       {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
       {CL_IMAGE_FORMAT_NOT_SUPPORTED, "CL_IMAGE_FORMAT_NOT_SUPPORTED"},
       {CL_INVALID_IMAGE_SIZE, "CL_INVALID_IMAGE_SIZE"},
       {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
       {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
       {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
       {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
       {CL_INVALID_WORK_DIMENSION, "CL_INVALID_WORK_DIMENSION"},
       {CL_INVALID_WORK_GROUP_SIZE,
        "CL_INVALID_WORK_GROUP_SIZE: the grid must be a multiple of the threadgroup's size"},
       {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
       {CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE"},
   };
   for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
      if (names[i].error == error) {
         return names[i].name;
      }
   }
   return "an error of OpenCL";
}

/* ---- The driver ---- */

static bool load(struct host *host)
{
   void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
   if (library == NULL) {
      return opencl_refuse(host, HOST_NO_LOADER, "OpenCL's loader cannot be opened: %s", dlerror());
   }
#define LOOK(name)                                                                                                     \
   cl.name = (__typeof__(cl.name))dlsym(library, #name);                                                               \
   if (cl.name == NULL) {                                                                                              \
      return opencl_refuse(host, HOST_NO_LOADER, "OpenCL's loader has no " #name);                                     \
   }
   OPENCL_FUNCTIONS(LOOK)
#undef LOOK
   return true;
}

static void describe_device(struct host *host)
{
   char name[256] = "", version[256] = "", text[600];
   cl.clGetDeviceInfo(host->device, CL_DEVICE_NAME, sizeof(name) - 1, name, NULL);
   cl.clGetDeviceInfo(host->device, CL_DRIVER_VERSION, sizeof(version) - 1, version, NULL);
   snprintf(text, sizeof(text), "%s, driver %s", name, version);
   host_record_write_text(host->result, HOST_DRIVER, 0, text);
}

/* Takes the first device whose name says Apple: a machine may have drivers of other devices, too. */
static bool find_device(struct host *host)
{
   cl_platform_id platforms[MOST_PLATFORMS];
   cl_uint count = 0;
   if (cl.clGetPlatformIDs(MOST_PLATFORMS, platforms, &count) != CL_SUCCESS || count == 0) {
      return opencl_refuse(host, HOST_NO_DEVICE, "no OpenCL driver is there");
   }
   for (cl_uint i = 0; i < count && i < MOST_PLATFORMS; i++) {
      cl_device_id devices[MOST_PLATFORMS];
      cl_uint found = 0;
      if (cl.clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, MOST_PLATFORMS, devices, &found) != CL_SUCCESS) {
         continue;
      }
      for (cl_uint k = 0; k < found && k < MOST_PLATFORMS; k++) {
         char name[256] = "";
         cl.clGetDeviceInfo(devices[k], CL_DEVICE_NAME, sizeof(name) - 1, name, NULL);
         if (host_takes_device(name)) {
            host->device = devices[k];
            return true;
         }
      }
   }
   return opencl_refuse(host, HOST_NO_DEVICE, "none of %u OpenCL drivers has an Apple GPU", count);
}

static bool open_device(struct host *host)
{
   cl_int error;
   if (!load(host) || !find_device(host)) {
      return false;
   }
   describe_device(host);
   host->context = cl.clCreateContext(NULL, 1, &host->device, NULL, NULL, &error);
   if (host->context == NULL) {
      return opencl_refuse(host, HOST_NO_DEVICE, "clCreateContext: %s (%d)", opencl_error_name(error), error);
   }
   const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
   host->queue = cl.clCreateCommandQueueWithProperties(host->context, host->device, properties, &error);
   return host->queue != NULL || opencl_refuse(host, HOST_NO_DEVICE, "clCreateCommandQueueWithProperties: %s (%d)",
                                               opencl_error_name(error), error);
}

/* ---- The source ---- */

static void write_log(struct host *host)
{
   size_t size = 0;
   if (cl.clGetProgramBuildInfo(host->program, host->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) != CL_SUCCESS) {
      return;
   }
   char *log = calloc(1, size + 1);
   if (log != NULL &&
       cl.clGetProgramBuildInfo(host->program, host->device, CL_PROGRAM_BUILD_LOG, size, log, NULL) == CL_SUCCESS) {
      host_record_write_text(host->result, HOST_LOG, 0, log);
   }
   free(log);
}

/* If the request names no language version, the driver's newest one is used, as with the linked compiler. */
static bool build(struct host *host, const struct host_record *source, const void *bytes)
{
   const char *text = bytes;
   const size_t size = source->size;
   const char *given = host->options;
   char options[8192];
   cl_int error;
   if (source->number == HOST_SPIRV_KERNEL) {
      uint32_t *words = malloc(size + 1);
      if (words == NULL) {
         return opencl_refuse(host, HOST_NO_BUILD, "out of memory");
      }
      memcpy(words, bytes, size);
      const size_t left = host_drop_debug_info(words, size / sizeof(*words)) * sizeof(*words);
      host->program = cl.clCreateProgramWithIL(host->context, words, left, &error);
      free(words);
   } else {
      host->program = cl.clCreateProgramWithSource(host->context, 1, &text, &size, &error);
   }
   if (host->program == NULL) {
      return opencl_refuse(host, HOST_NO_BUILD, "the driver does not take the source: %s (%d)",
                           opencl_error_name(error), error);
   }
   snprintf(options, sizeof(options), "-cl-kernel-arg-info %s%s",
            given != NULL && strstr(given, "-cl-std=") != NULL ? "" : "-cl-std=CL3.0 ", given != NULL ? given : "");
   error = cl.clBuildProgram(host->program, 1, &host->device, options, NULL, NULL);
   write_log(host);
   if (error != CL_SUCCESS) {
      return opencl_refuse(host, HOST_NO_BUILD, "the driver does not compile the source: %s (%d)",
                           opencl_error_name(error), error);
   }
   error = cl.clCreateKernelsInProgram(host->program, 0, NULL, &host->kernel_count);
   host->kernels = calloc(host->kernel_count + 1, sizeof(*host->kernels));
   if (error != CL_SUCCESS || host->kernel_count == 0 || host->kernels == NULL ||
       cl.clCreateKernelsInProgram(host->program, host->kernel_count, host->kernels, NULL) != CL_SUCCESS) {
      return opencl_refuse(host, HOST_NO_ENTRY, "the source has no kernel");
   }
   return true;
}

/* ---- Facts ---- */

/* The driver says whether a size is right, not which one is. */
static uint64_t value_bytes(cl_kernel kernel, cl_uint number)
{
   static const uint8_t zeros[MOST_VALUE_BYTES];
   for (size_t size = 1; size <= MOST_VALUE_BYTES; size++) {
      if (cl.clSetKernelArg(kernel, number, size, zeros) == CL_SUCCESS) {
         return size;
      }
   }
   return 0;
}

static void read_parameter(cl_kernel kernel, cl_uint number, struct host_parameter *parameter)
{
   cl_kernel_arg_address_qualifier space = CL_KERNEL_ARG_ADDRESS_PRIVATE;
   cl_kernel_arg_type_qualifier qualifiers = 0;
   char text[1024] = "";
   *parameter = (struct host_parameter){.kind = HOST_VALUE};
   cl.clGetKernelArgInfo(kernel, number, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(space), &space, NULL);
   cl.clGetKernelArgInfo(kernel, number, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(qualifiers), &qualifiers, NULL);
   if (cl.clGetKernelArgInfo(kernel, number, CL_KERNEL_ARG_NAME, sizeof(text) - 1, text, NULL) == CL_SUCCESS) {
      snprintf(parameter->name, sizeof(parameter->name), "%.*s", (int)sizeof(parameter->name) - 1, text);
   }
   memset(text, 0, sizeof(text));
   if (cl.clGetKernelArgInfo(kernel, number, CL_KERNEL_ARG_TYPE_NAME, sizeof(text) - 1, text, NULL) == CL_SUCCESS) {
      snprintf(parameter->type, sizeof(parameter->type), "%.*s", (int)sizeof(parameter->type) - 1, text);
   }
   if (strncmp(text, "image", 5) == 0) {
      opencl_image_parameter(kernel, number, text, parameter);
   } else if (strcmp(text, "sampler_t") == 0) {
      parameter->kind = HOST_SAMPLER;
   } else if (space == CL_KERNEL_ARG_ADDRESS_LOCAL) {
      parameter->kind = HOST_LOCAL;
   } else if (space == CL_KERNEL_ARG_ADDRESS_PRIVATE) {
      parameter->size = value_bytes(kernel, number);
   } else {
      parameter->kind = HOST_BUFFER;
      parameter->read_only = space == CL_KERNEL_ARG_ADDRESS_CONSTANT || (qualifiers & CL_KERNEL_ARG_TYPE_CONST) != 0;
   }
}

static void read_facts(const struct host *host, cl_kernel kernel, struct host_facts *facts)
{
   size_t group[3] = {0};
   cl_ulong bytes = 0;
   cl_uint parameters = 0;
   char text[1024] = "";
   *facts = (struct host_facts){.parameters = 0};
   cl.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(text) - 1, text, NULL);
   snprintf(facts->name, sizeof(facts->name), "%.*s", (int)sizeof(facts->name) - 1, text);
   cl.clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(parameters), &parameters, NULL);
   facts->parameters = parameters;
   cl.clGetKernelWorkGroupInfo(kernel, host->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(group), group, NULL);
   for (unsigned i = 0; i < 3; i++) {
      facts->group[i] = (uint32_t)group[i];
   }
   cl.clGetKernelWorkGroupInfo(kernel, host->device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(bytes), &bytes, NULL);
   facts->local_bytes = bytes;
   cl.clGetKernelWorkGroupInfo(kernel, host->device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof(bytes), &bytes, NULL);
   facts->private_bytes = bytes;
}

static void write_facts(const struct host *host, cl_uint number)
{
   struct host_facts facts;
   read_facts(host, host->kernels[number], &facts);
   host_record_write(host->result, HOST_FACTS, number, &facts, sizeof(facts));
   for (cl_uint i = 0; i < facts.parameters; i++) {
      struct host_parameter parameter;
      read_parameter(host->kernels[number], i, &parameter);
      host_record_write(host->result, HOST_PARAMETER, i, &parameter, sizeof(parameter));
   }
}

/* ---- Launches ---- */

static bool set_argument(struct host *host, cl_kernel kernel, cl_uint number, struct given *given)
{
   const struct host_argument *argument = &given->argument;
   cl_int error = CL_SUCCESS;
   switch (argument->kind) {
   case HOST_BUFFER:
      given->buffer = cl.clCreateBuffer(host->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, argument->size,
                                        (void *)(uintptr_t)given->bytes, &error);
      if (given->buffer != NULL) {
         error = cl.clSetKernelArg(kernel, number, sizeof(cl_mem), &given->buffer);
      }
      break;
   case HOST_NULL_BUFFER:
      error = cl.clSetKernelArg(kernel, number, sizeof(cl_mem), NULL);
      break;
   case HOST_VALUE:
      error = cl.clSetKernelArg(kernel, number, argument->size, given->bytes);
      break;
   case HOST_LOCAL:
      error = cl.clSetKernelArg(kernel, number, argument->size, NULL);
      break;
   case HOST_IMAGE:
      return opencl_set_image(host, kernel, number, given);
   case HOST_SAMPLER:
      return opencl_set_sampler(host, kernel, number, given);
   default:
      return opencl_refuse(host, HOST_BAD_REQUEST, "argument %u: it cannot be given", number);
   }
   return error == CL_SUCCESS ||
          opencl_refuse(host, HOST_NO_LAUNCH, "argument %u: the driver does not take it: %s (%d)", number,
                        opencl_error_name(error), error);
}

static void release_objects(struct given *given, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++) {
      opencl_release_image(&given[i]);
      if (given[i].buffer != NULL) {
         cl.clReleaseMemObject(given[i].buffer);
         given[i].buffer = NULL;
      }
   }
}

static uint64_t event_time(cl_event event)
{
   cl_ulong start = 0, end = 0;
   if (cl.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL) != CL_SUCCESS ||
       cl.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL) != CL_SUCCESS) {
      return 0;
   }
   return end > start ? end - start : 0;
}

/* One launch, with nothing else in its jobs: what came before has ended. */
static cl_int launch_once(struct host *host, cl_kernel kernel, const struct host_launch *launch,
                          struct host_launched *launched)
{
   size_t grid[3], group[3], offset[3];
   cl_event event = NULL;
   for (unsigned i = 0; i < 3; i++) {
      grid[i] = launch->grid[i];
      group[i] = launch->group[i];
      offset[i] = launch->offset[i];
   }
   cl.clFinish(host->queue);
   launched->first_job = host_count_jobs(host->folder);
   cl_int error = cl.clEnqueueNDRangeKernel(host->queue, kernel, launch->dimensions, offset, grid,
                                            launch->group[0] != 0 ? group : NULL, 0, NULL, &event);
   const cl_int finished = cl.clFinish(host->queue);
   error = error == CL_SUCCESS ? finished : error;
   launched->jobs = host_count_jobs(host->folder) - launched->first_job;
   launched->nanoseconds = event != NULL ? event_time(event) : 0;
   if (event != NULL) {
      cl.clReleaseEvent(event);
   }
   return error;
}

static void write_buffers(struct host *host, const struct given *given, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++) {
      const size_t size = given[i].argument.size;
      const bool image = given[i].image != NULL;
      uint8_t *bytes = image || given[i].buffer != NULL ? malloc(size + 1) : NULL;
      if (bytes != NULL && (image ? opencl_read_image(host, &given[i], bytes)
                                  : cl.clEnqueueReadBuffer(host->queue, given[i].buffer, CL_TRUE, 0, size, bytes, 0,
                                                           NULL, NULL)) == CL_SUCCESS) {
         host_record_write(host->result, HOST_AFTER, i, bytes, size);
      }
      free(bytes);
   }
}

static bool launch(struct host *host, cl_uint entry, const struct host_launch *request, struct given *given,
                   uint32_t count)
{
   cl_kernel kernel = host->kernels[entry];
   struct host_launched launched = {.error = 0};
   bool set = true;
   do {
      release_objects(given, count);
      for (uint32_t i = 0; set && i < count; i++) {
         set = !given[i].set || set_argument(host, kernel, i, &given[i]);
      }
      launched.error = set ? launch_once(host, kernel, request, &launched) : 0;
      launched.repeats += launched.error == CL_SUCCESS;
   } while (set && launched.error == CL_SUCCESS && launched.repeats < request->repeat);
   if (set && launched.error != CL_SUCCESS) {
      set = opencl_refuse(host, HOST_NO_LAUNCH, "the driver does not launch the kernel: %s (%d)",
                          opencl_error_name(launched.error), launched.error);
   }
   if (set) {
      host_record_write(host->result, HOST_LAUNCHED, entry, &launched, sizeof(launched));
      write_buffers(host, given, count);
   }
   release_objects(given, count);
   return set;
}

/* ---- Probes ---- */

static void probe_argument(struct host *host, cl_uint entry, cl_uint number, struct given *given, uint8_t *bytes)
{
   struct host_parameter parameter;
   read_parameter(host->kernels[entry], number, &parameter);
   given->set = true;
   given->argument.kind = parameter.kind;
   if (parameter.kind == HOST_IMAGE) {
      parameter.size = opencl_probe_image(&parameter, &given->layout);
   }
   given->argument.size = parameter.kind == HOST_BUFFER  ? PROBE_BUFFER_BYTES
                          : parameter.kind == HOST_LOCAL ? PROBE_LOCAL_BYTES
                                                         : parameter.size;
   host_fill_marker(bytes, given->argument.size, entry, number);
   given->bytes = bytes;
   host_record_write_two(host->result, HOST_MARKER, number, &given->argument, sizeof(given->argument), bytes,
                         parameter.kind == HOST_LOCAL ? 0 : given->argument.size);
}

static void probe(struct host *host, cl_uint entry)
{
   struct given given[MOST_ARGUMENTS] = {0};
   struct host_facts facts;
   read_facts(host, host->kernels[entry], &facts);
   const uint32_t count = facts.parameters < MOST_ARGUMENTS ? facts.parameters : MOST_ARGUMENTS;
   uint8_t *bytes = calloc(count + 1, MOST_VALUE_BYTES);
   struct host_launch request = {.group = {facts.group[0], facts.group[1], facts.group[2]}, .dimensions = 3};
   if (facts.group[0] == 0) {
      memcpy(request.group, (uint32_t[3]){PROBE_GROUP, 1, 1}, sizeof(request.group));
   }
   memcpy(request.grid, request.group, sizeof(request.grid));
   host_record_write(host->result, HOST_PROBED, entry, "", 0);
   for (uint32_t i = 0; bytes != NULL && i < count; i++) {
      probe_argument(host, entry, i, &given[i], bytes + (size_t)i * MOST_VALUE_BYTES);
   }
   if (bytes != NULL) {
      launch(host, entry, &request, given, count);
   }
   free(bytes);
}

/* ---- The request ---- */

static char *copy_text(const struct host_record *record, const void *payload)
{
   char *text = malloc(record->size + 1);
   if (text != NULL) {
      memcpy(text, payload, record->size);
      text[record->size] = '\0';
   }
   return text;
}

static bool find_entry(struct host *host, const char *name, cl_uint *entry)
{
   for (cl_uint i = 0; i < host->kernel_count; i++) {
      struct host_facts facts;
      read_facts(host, host->kernels[i], &facts);
      if (strcmp(facts.name, name) == 0) {
         *entry = i;
         return true;
      }
   }
   return opencl_refuse(host, HOST_NO_ENTRY, "the source has no kernel '%s'", name);
}

static void take_argument(struct given *given, const uint8_t *payload, size_t size)
{
   const size_t head = sizeof(given->argument), layout = sizeof(given->layout);
   memcpy(&given->argument, payload, head);
   const bool image = given->argument.kind == HOST_IMAGE && size >= head + layout;
   if (image) {
      memcpy(&given->layout, payload + head, layout);
   }
   given->bytes = payload + head + (image ? layout : 0);
   given->set = true;
}

/* The parts of the request that need the built program, in their order. */
static bool serve_launches(struct host *host, struct host_records *request)
{
   size_t before = request->at;
   struct given given[MOST_ARGUMENTS] = {0};
   const struct host_record *record;
   const void *payload;
   cl_uint entry = 0;
   bool good = true, entered = false;
   while (good && (record = host_records_next(request, &payload)) != NULL) {
      if (record->kind == HOST_SOURCE) {
         request->at = before; /* the next one's launches are not this one's */
         break;
      }
      before = request->at;
      if (record->kind == HOST_ENTRY) {
         char *name = copy_text(record, payload);
         memset(given, 0, sizeof(given));
         entered = true;
         good = name != NULL && find_entry(host, name, &entry);
         free(name);
      } else if (record->kind == HOST_ARGUMENT && record->number < MOST_ARGUMENTS &&
                 record->size >= sizeof(struct host_argument)) {
         take_argument(&given[record->number], payload, record->size);
      } else if (record->kind == HOST_LAUNCH && record->size == sizeof(struct host_launch)) {
         good = launch(host, entry, payload, given, MOST_ARGUMENTS);
      } else if (record->kind == HOST_PROBE) {
         for (cl_uint i = entered ? entry : 0; i < (entered ? entry + 1 : host->kernel_count); i++) {
            probe(host, i);
         }
      }
   }
   return good;
}

/* One source: what its records ask for, up to the next one. */
static void serve_source(struct host *host, struct host_records *request, const struct host_record *source,
                         const void *bytes)
{
   const struct host_record *record;
   const void *payload;
   const size_t start = request->at;
   free(host->options);
   host->options = NULL;
   while ((record = host_records_next(request, &payload)) != NULL && record->kind != HOST_SOURCE) {
      if (record->kind == HOST_OPTIONS) {
         free(host->options);
         host->options = copy_text(record, payload);
      }
   }
   request->at = start;
   if (build(host, source, bytes)) {
      for (cl_uint i = 0; i < host->kernel_count; i++) {
         write_facts(host, i);
      }
      serve_launches(host, request);
   }
   for (cl_uint i = 0; host->kernels != NULL && i < host->kernel_count; i++) {
      cl.clReleaseKernel(host->kernels[i]);
   }
   if (host->program != NULL) {
      cl.clReleaseProgram(host->program);
   }
   free(host->kernels);
   host->kernels = NULL;
   host->program = NULL;
   host->kernel_count = 0;
}

static bool is_source(const struct host_record *record)
{
   return record->kind == HOST_SOURCE && (record->number == HOST_OPENCL_C || record->number == HOST_SPIRV_KERNEL);
}

static void serve(struct host *host, struct host_records *request)
{
   const struct host_record *record;
   const void *payload;
   const size_t start = request->at;
   uint32_t sources = 0, number = 0;
   while ((record = host_records_next(request, &payload)) != NULL) {
      sources += is_source(record);
      if (record->kind == HOST_JOBS) {
         host->folder = copy_text(record, payload);
      }
   }
   request->at = start;
   if (sources == 0) {
      opencl_refuse(host, HOST_BAD_REQUEST, "the request has no OpenCL C and no SPIR-V of OpenCL");
      return;
   }
   if (!open_device(host)) {
      return;
   }
   while ((record = host_records_next(request, &payload)) != NULL) {
      if (is_source(record)) {
         if (sources > 1) {
            host_record_write(host->result, HOST_PROGRAM, number++, "", 0);
         }
         serve_source(host, request, record, payload);
      }
   }
}

int main(int argc, char **argv)
{
   struct host_records request;
   struct host host = {.result = host_start(argc, argv, &request)};
   if (host.result == NULL) {
      return 1;
   }
   serve(&host, &request);
   return host_records_close(host.result) ? 0 : 1;
}
