/* SPDX-License-Identifier: MIT
 *
 * The parts of the host of OpenCL: the program and its launches, and images.
 */
#ifndef DRIVERS_HOST_OPENCL_H
#define DRIVERS_HOST_OPENCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include "drivers/host/protocol.h"
#include "drivers/host/records.h"

#define OPENCL_PROBE_BYTES 4096u /* that an argument of a probe has at most */

#define OPENCL_FUNCTIONS(X)                                                                                            \
   X(clGetPlatformIDs)                                                                                                 \
   X(clGetDeviceIDs)                                                                                                   \
   X(clGetDeviceInfo)                                                                                                  \
   X(clCreateContext)                                                                                                  \
   X(clCreateCommandQueueWithProperties)                                                                               \
   X(clCreateProgramWithSource)                                                                                        \
   X(clCreateProgramWithIL)                                                                                            \
   X(clBuildProgram)                                                                                                   \
   X(clGetProgramBuildInfo)                                                                                            \
   X(clCreateKernelsInProgram)                                                                                         \
   X(clGetKernelInfo)                                                                                                  \
   X(clGetKernelArgInfo)                                                                                               \
   X(clGetKernelWorkGroupInfo)                                                                                         \
   X(clSetKernelArg)                                                                                                   \
   X(clCreateBuffer)                                                                                                   \
   X(clReleaseMemObject)                                                                                               \
   X(clEnqueueNDRangeKernel)                                                                                           \
   X(clEnqueueReadBuffer)                                                                                              \
   X(clFinish)                                                                                                         \
   X(clGetEventProfilingInfo)                                                                                          \
   X(clReleaseEvent)                                                                                                   \
   X(clCreateImage)                                                                                                    \
   X(clCreateSamplerWithProperties)                                                                                    \
   X(clReleaseKernel)                                                                                                  \
   X(clReleaseProgram)                                                                                                 \
   X(clReleaseSampler)                                                                                                 \
   X(clEnqueueReadImage)

struct opencl_functions {
#define POINTER(name) __typeof__(name) *name;
   OPENCL_FUNCTIONS(POINTER)
#undef POINTER
};
extern struct opencl_functions cl;

struct given {
   bool set;
   struct host_argument argument;
   struct host_image layout; /* of an image */
   const uint8_t *bytes;
   cl_mem buffer, image; /* buffer: of an image of a buffer's texels, too */
   cl_sampler sampler;
};

struct host {
   FILE *result;
   cl_device_id device;
   cl_context context;
   cl_command_queue queue;
   cl_program program;
   cl_kernel *kernels;
   cl_uint kernel_count;
   char *options;
   char *folder; /* of saved jobs; NULL: none are saved */
};

/* Writes the reason. Returns false, for callers that give up. */
__attribute__((format(printf, 3, 4))) bool opencl_refuse(struct host *host, enum host_refusal why, const char *format,
                                                         ...);
/* The API's name of an error that a request can cause. */
const char *opencl_error_name(cl_int error);

/* Describes an image argument by the name of its type, as "image2d_array_t". */
void opencl_image_parameter(cl_kernel kernel, cl_uint number, const char *type, struct host_parameter *parameter);
/* An image for a probe. Returns its bytes. */
uint32_t opencl_probe_image(const struct host_parameter *parameter, struct host_image *layout);
/* Makes the object and sets the argument. Refuses what the driver does not take. */
bool opencl_set_image(struct host *host, cl_kernel kernel, cl_uint number, struct given *given);
bool opencl_set_sampler(struct host *host, cl_kernel kernel, cl_uint number, struct given *given);
cl_int opencl_read_image(struct host *host, const struct given *given, uint8_t *bytes);
/* Gives image and sampler back. */
void opencl_release_image(struct given *given);

#endif
