/* SPDX-License-Identifier: MIT
 *
 * A kernel on an OpenCL driver. Buffers stay with the driver between two runs, as they do on the virtual GPU's side.
 */
#include "tests/bench/side.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PLATFORMS 16u

struct side {
   char name[128];
   cl_context context;
   cl_command_queue queue;
   cl_program program;
   cl_kernel kernel;
   cl_mem buffers[SIDE_MAX_ARGUMENTS];
   size_t threads, group;
};

static int check(const char *what, cl_int error)
{
   if (error != CL_SUCCESS) {
      fprintf(stderr, "OpenCL: %s: error %d\n", what, error);
      return -1;
   }
   return 0;
}

static void release(struct side *side)
{
   for (unsigned i = 0; i < SIDE_MAX_ARGUMENTS; i++) {
      if (side->buffers[i] != NULL) {
         clReleaseMemObject(side->buffers[i]);
         side->buffers[i] = NULL;
      }
   }
   if (side->kernel != NULL) {
      clReleaseKernel(side->kernel);
      side->kernel = NULL;
   }
}

static void close_side(struct side *side)
{
   if (side == NULL) {
      return;
   }
   release(side);
   if (side->program != NULL) {
      clReleaseProgram(side->program);
   }
   if (side->queue != NULL) {
      clReleaseCommandQueue(side->queue);
   }
   if (side->context != NULL) {
      clReleaseContext(side->context);
   }
   free(side);
}

/* The first device of the first platform whose name has `wanted` in it. */
static int find_device(const char *wanted, cl_device_id *device, char *name, size_t name_size)
{
   cl_platform_id platforms[MAX_PLATFORMS];
   cl_uint count = 0;

   if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &count) != CL_SUCCESS) {
      count = 0;
   }
   for (cl_uint i = 0; i < count && i < MAX_PLATFORMS; i++) {
      clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, name_size, name, NULL);
      if (strstr(name, wanted) != NULL && clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, device, NULL) == 0) {
         return 0;
      }
   }
   fprintf(stderr, "OpenCL: %u platforms, none is '%s' (Debian: pocl-opencl-icd)\n", count, wanted);
   return -1;
}

static int build(struct side *side, cl_device_id device, const char *source)
{
   char log[4096] = "";
   cl_int error;

   side->program = clCreateProgramWithSource(side->context, 1, &source, NULL, &error);
   if (check("the program", error) < 0) {
      return -1;
   }
   error = clBuildProgram(side->program, 1, &device, "", NULL, NULL);
   if (error != CL_SUCCESS) {
      clGetProgramBuildInfo(side->program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
      fprintf(stderr, "OpenCL: %s\n", log);
   }
   return check("building", error);
}

static struct side *open_side(const char *spec, const char *source)
{
   struct side *side = calloc(1, sizeof(*side));
   cl_device_id device;
   cl_int error;

   if (side == NULL || find_device(spec, &device, side->name, sizeof(side->name)) < 0) {
      close_side(side);
      return NULL;
   }
   side->context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
   if (check("a context", error) == 0) {
      side->queue = clCreateCommandQueue(side->context, device, 0, &error);
   }
   if (error != CL_SUCCESS || build(side, device, source) < 0) {
      close_side(side);
      return NULL;
   }
   return side;
}

static const char *name(const struct side *side)
{
   return side->name;
}

static int set_argument(struct side *side, unsigned n, const struct side_argument *given, const void *contents)
{
   cl_int error;

   if (given->bytes == 0) {
      return check("an argument", clSetKernelArg(side->kernel, n, sizeof(given->value), &given->value));
   }
   side->buffers[n] = clCreateBuffer(side->context, CL_MEM_READ_WRITE, given->bytes, NULL, &error);
   if (check("a buffer", error) < 0 ||
       check("a buffer's contents",
             clEnqueueWriteBuffer(side->queue, side->buffers[n], CL_TRUE, 0, given->bytes, contents, 0, NULL, NULL))) {
      return -1;
   }
   return check("an argument", clSetKernelArg(side->kernel, n, sizeof(cl_mem), &side->buffers[n]));
}

static int prepare(struct side *side, const struct side_work *work, const void *const *contents)
{
   cl_int error;

   side->threads = work->threads;
   side->group = work->group;
   side->kernel = clCreateKernel(side->program, work->kernel, &error);
   if (check(work->kernel, error) < 0) {
      return -1;
   }
   for (unsigned i = 0; i < work->count; i++) {
      if (set_argument(side, i, &work->arguments[i], contents[i]) < 0) {
         return -1;
      }
   }
   return 0;
}

static int write_buffer(struct side *side, unsigned argument, const void *data, size_t size)
{
   return check("writing",
                clEnqueueWriteBuffer(side->queue, side->buffers[argument], CL_TRUE, 0, size, data, 0, NULL, NULL));
}

static int run(struct side *side)
{
   return check("running", clEnqueueNDRangeKernel(side->queue, side->kernel, 1, NULL, &side->threads, &side->group, 0,
                                                  NULL, NULL)) < 0
              ? -1
              : check("finishing", clFinish(side->queue));
}

static int read_buffer(struct side *side, unsigned argument, void *data, size_t size)
{
   return check("reading",
                clEnqueueReadBuffer(side->queue, side->buffers[argument], CL_TRUE, 0, size, data, 0, NULL, NULL));
}

const struct side_class side_opencl = {open_side, name, prepare, write_buffer, run, read_buffer, release, close_side};
