/* SPDX-License-Identifier: MIT
 *
 * Runs a generated kernel with PoCL. Invariant: the OpenCL loader and PoCL, with the LLVM that they need, are loaded
 * in a child process only, because that LLVM may be another version than the compiler's.
 */
#include "fuzz/opencl/pocl.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fuzz/opencl/arguments.h"
#include "fuzz/opencl/kernel_memory.h"
#include "process/child/call.h"
#include "util/array.h"

#define TIMEOUT_S 60 /* of processor time */
#define IDLE_S 300
#define PLATFORMS 8

/* OpenCL's own numbers (cl.h, OpenCL 1.2), so that the header need not be installed. */
enum {
   CL_SUCCESS = 0,
   CL_DEVICE_TYPE_CPU = 2,
   CL_MEM_READ_WRITE = 1,
   CL_MEM_COPY_HOST_PTR = 32,
   CL_PLATFORM_NAME = 0x0902,
   CL_PROGRAM_BUILD_LOG = 0x1183,
   CL_ADDRESS_CLAMP = 0x1132,
   CL_FILTER_NEAREST = 0x1140,
};

typedef void *handle;

/* The functions that are used, with cl.h's argument order. */
struct opencl {
   int32_t (*clGetPlatformIDs)(uint32_t, handle *, uint32_t *);
   int32_t (*clGetPlatformInfo)(handle, uint32_t, size_t, void *, size_t *);
   int32_t (*clGetDeviceIDs)(handle, uint64_t, uint32_t, handle *, uint32_t *);
   handle (*clCreateContext)(const intptr_t *, uint32_t, const handle *, handle, handle, int32_t *);
   handle (*clCreateCommandQueue)(handle, handle, uint64_t, int32_t *);
   handle (*clCreateProgramWithSource)(handle, uint32_t, const char **, const size_t *, int32_t *);
   int32_t (*clBuildProgram)(handle, uint32_t, const handle *, const char *, handle, handle);
   int32_t (*clGetProgramBuildInfo)(handle, handle, uint32_t, size_t, void *, size_t *);
   handle (*clCreateKernel)(handle, const char *, int32_t *);
   handle (*clCreateBuffer)(handle, uint64_t, size_t, void *, int32_t *);
   handle (*clCreateSampler)(handle, uint32_t, uint32_t, uint32_t, int32_t *);
   int32_t (*clSetKernelArg)(handle, uint32_t, size_t, const void *);
   int32_t (*clEnqueueNDRangeKernel)(handle, handle, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t,
                                     const handle *, handle *);
   int32_t (*clEnqueueReadBuffer)(handle, handle, uint32_t, size_t, size_t, void *, uint32_t, const handle *, handle *);
};

/* The child's result. */
struct answer {
   enum pocl_state state;
   char why[160];
   struct ocl_outputs outputs;
};

struct session {
   struct opencl cl;
   handle device, context, queue, program, kernel;
   handle buffers[OCL_OUTPUTS]; /* buffers of outputs */
   struct answer *answer;
};

static bool fail(struct session *session, enum pocl_state state, const char *what, int32_t code)
{
   session->answer->state = state;
   snprintf(session->answer->why, sizeof(session->answer->why), "%.100s (%d)", what, (int)code);
   return false;
}

static bool load(struct session *session)
{
#define FUNCTION(name)                                                                                                 \
   {                                                                                                                   \
#name, offsetof(struct opencl, name)                                                                             \
   }
   static const struct {
      const char *name;
      size_t offset;
   } functions[] = {
       FUNCTION(clGetPlatformIDs),    FUNCTION(clGetPlatformInfo),     FUNCTION(clGetDeviceIDs),
       FUNCTION(clCreateContext),     FUNCTION(clCreateCommandQueue),  FUNCTION(clCreateProgramWithSource),
       FUNCTION(clBuildProgram),      FUNCTION(clGetProgramBuildInfo), FUNCTION(clCreateKernel),
       FUNCTION(clCreateBuffer),      FUNCTION(clSetKernelArg),        FUNCTION(clEnqueueNDRangeKernel),
       FUNCTION(clEnqueueReadBuffer), FUNCTION(clCreateSampler),
   };
   void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);

   for (unsigned i = 0; i < ARRAY_COUNT(functions); i++) {
      void *symbol = library != NULL ? dlsym(library, functions[i].name) : NULL;
      if (symbol == NULL) {
         return fail(session, POCL_MISSING, "libOpenCL.so.1 is not installed", 0);
      }
      memcpy((char *)&session->cl + functions[i].offset, &symbol, sizeof(symbol));
   }
   return true;
}

static bool open_device(struct session *session)
{
   const struct opencl *cl = &session->cl;
   handle platforms[PLATFORMS];
   uint32_t count = 0, devices = 0;
   int32_t code = cl->clGetPlatformIDs(PLATFORMS, platforms, &count);

   for (uint32_t i = 0; code == CL_SUCCESS && i < count && i < PLATFORMS && devices == 0; i++) {
      char name[128] = "";
      (void)cl->clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(name) - 1, name, NULL);
      if (strcmp(name, "Portable Computing Language") != 0 ||
          cl->clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &session->device, &devices) != CL_SUCCESS) {
         devices = 0;
      }
   }
   if (devices == 0) {
      return fail(session, POCL_MISSING, "PoCL is not installed", code);
   }
   session->context = cl->clCreateContext(NULL, 1, &session->device, NULL, NULL, &code);
   if (code == CL_SUCCESS) {
      session->queue = cl->clCreateCommandQueue(session->context, session->device, 0, &code);
   }
   return code == CL_SUCCESS || fail(session, POCL_CANNOT, "PoCL makes no queue", code);
}

/* PoCL 3.1 returns 3 for get_work_dim() of every launch, and 0 for sizes of a dimension beyond the third one, where
 * OpenCL C demands 1 (seen on 2026-11-23). The arguments have no effects, so that they may be evaluated twice. */
static const char corrections[] = "#define get_work_dim() 1u\n"
                                  "#define get_num_groups(d) ((uint)(d) > 2 ? (size_t)1 : get_num_groups(d))\n"
                                  "#define get_global_size(d) ((uint)(d) > 2 ? (size_t)1 : get_global_size(d))\n"
                                  "#define get_local_size(d) ((uint)(d) > 2 ? (size_t)1 : get_local_size(d))\n";

static bool build(struct session *session, const struct ocl_program *program)
{
   const struct opencl *cl = &session->cl;
   char log[512] = "";
   size_t sizes[2] = {sizeof(corrections) - 1, 0};
   char *text = ocl_text(program, &sizes[1]);
   const char *sources[] = {corrections, text};
   int32_t code = -1;

   if (text == NULL) {
      return fail(session, POCL_CANNOT, "out of memory", errno);
   }
   session->program = cl->clCreateProgramWithSource(session->context, 2, sources, sizes, &code);
   if (code == CL_SUCCESS) {
      code = cl->clBuildProgram(session->program, 1, &session->device, ocl_build_options(program), NULL, NULL);
      (void)cl->clGetProgramBuildInfo(session->program, session->device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log,
                                      NULL);
   }
   if (code == CL_SUCCESS) {
      session->kernel = cl->clCreateKernel(session->program, "k", &code);
   }
   free(text);
   const char *error = ocl_has_halves(program) ? "PoCL's CPU device has no halves" : strstr(log, "error:");
   return code == CL_SUCCESS || fail(session, POCL_CANNOT, error != NULL ? error : "PoCL does not build it", code);
}

static bool set_buffer(struct session *session, uint32_t argument, void *bytes, size_t size, handle *buffer)
{
   int32_t code;

   *buffer = session->cl.clCreateBuffer(session->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, bytes, &code);
   if (code == CL_SUCCESS) {
      code = session->cl.clSetKernelArg(session->kernel, argument, sizeof(*buffer), buffer);
   }
   return code == CL_SUCCESS || fail(session, POCL_CANNOT, "PoCL makes no buffer", code);
}

static bool set_sampler(struct session *session, uint32_t argument)
{
   int32_t code;
   handle sampler = session->cl.clCreateSampler(session->context, 0, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code);

   if (code == CL_SUCCESS) {
      code = session->cl.clSetKernelArg(session->kernel, argument, sizeof(sampler), &sampler);
   }
   return code == CL_SUCCESS || fail(session, POCL_CANNOT, "PoCL makes no sampler", code);
}

static bool set_arguments(struct session *session, const struct ocl_program *program)
{
   uint8_t bytes[KERNEL_SLOT_BYTES] = {0};
   struct ocl_arguments list;
   handle buffer;

   ocl_list_arguments(program, &list);
   for (unsigned i = 0; i < list.count; i++) {
      const struct ocl_argument *argument = &list.item[i];
      kernel_put_argument(bytes, program, argument);
      if (argument->kind != OCL_SCALAR) {
         if (!set_buffer(session, i, bytes, sizeof(bytes),
                         argument->kind == OCL_OUTPUT ? &session->buffers[argument->slot] : &buffer)) {
            return false;
         }
         continue;
      }
      const int32_t code = session->cl.clSetKernelArg(session->kernel, i, ocl_bytes(argument->type), bytes);
      if (code != CL_SUCCESS) {
         return fail(session, POCL_CANNOT, "PoCL refuses an argument", code);
      }
   }
   return !ocl_has_sampler(program) || set_sampler(session, list.count);
}

static bool run(struct session *session, const struct ocl_program *program)
{
   const size_t lanes = program->lanes;
   uint8_t bytes[KERNEL_SLOT_BYTES];
   int32_t code =
       session->cl.clEnqueueNDRangeKernel(session->queue, session->kernel, 1, NULL, &lanes, &lanes, 0, NULL, NULL);

   for (uint32_t i = 0; code == CL_SUCCESS && i < program->outputs; i++) {
      if (session->buffers[i] == NULL) {
         continue;
      }
      code = session->cl.clEnqueueReadBuffer(session->queue, session->buffers[i], 1, 0, sizeof(bytes), bytes, 0, NULL,
                                             NULL);
      kernel_get_output(program, i, bytes, session->answer->outputs.value[i]);
   }
   return code == CL_SUCCESS || fail(session, POCL_CANNOT, "PoCL does not run it", code);
}

struct pocl_call {
   const struct ocl_program *program;
   struct answer *answer;
};

static void run_pocl(void *data)
{
   const struct pocl_call *call = data;
   const struct ocl_program *program = call->program;
   struct answer *answer = call->answer;
   struct session session = {.answer = answer};

   (void)setenv("POCL_KERNEL_CACHE", "0", 1);
   if (load(&session) && open_device(&session) && build(&session, program) && set_arguments(&session, program) &&
       run(&session, program)) {
      answer->state = POCL_RAN;
   }
}

enum pocl_state pocl_run(const struct ocl_program *program, struct ocl_outputs *outputs, char *why, size_t size)
{
   struct answer *answer = mmap(NULL, sizeof(*answer), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   const struct call_limits limits = {.work = TIMEOUT_S, .idle = IDLE_S};

   if (answer == MAP_FAILED) {
      snprintf(why, size, "out of memory");
      return POCL_CANNOT;
   }
   answer->state = POCL_CANNOT;
   const struct call_fate fate = call_run(run_pocl, &(struct pocl_call){program, answer}, &limits);
   if (fate.end != CALL_DONE) {
      char how[96];
      call_describe(&fate, &limits, how, sizeof(how));
      answer->state = POCL_CANNOT;
      snprintf(answer->why, sizeof(answer->why), "PoCL: %s", how);
   }
   const enum pocl_state state = answer->state;
   memcpy(outputs, &answer->outputs, sizeof(*outputs));
   snprintf(why, size, "%s", answer->why);
   munmap(answer, sizeof(*answer));
   return state;
}
