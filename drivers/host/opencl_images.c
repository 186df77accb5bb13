/* SPDX-License-Identifier: MIT
 *
 * Images and samplers of OpenCL. Invariant: the argument's own type decides what the sizes mean.
 */
#include <string.h>

#include "drivers/host/formats.h"
#include "drivers/host/opencl.h"

#define PROBE_WIDTH 8u /* of each size of an image: 512 texels of four bytes in 3D */

#define ROW(name, element, count, reads, spirv, vulkan, order, type) {CL_##order, CL_##type},
static const cl_image_format formats[] = {HOST_FORMATS(ROW)};
#undef ROW

/* layers: which of the sizes counts layers; NO_LAYERS: none. */
#define NO_LAYERS 3u
static const struct {
   const char *type; /* as OpenCL C has it */
   cl_mem_object_type object;
   uint32_t sizes, layers;
   const char *text;
} shapes[HOST_SHAPES] = {
    [HOST_1D] = {"image1d_t", CL_MEM_OBJECT_IMAGE1D, 1, NO_LAYERS, "WIDTH"},
    [HOST_1D_ARRAY] = {"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY, 2, 1, "WIDTH,LAYERS"},
    [HOST_2D] = {"image2d_t", CL_MEM_OBJECT_IMAGE2D, 2, NO_LAYERS, "WIDTH,HEIGHT"},
    [HOST_2D_ARRAY] = {"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, 3, 2, "WIDTH,HEIGHT,LAYERS"},
    [HOST_3D] = {"image3d_t", CL_MEM_OBJECT_IMAGE3D, 3, NO_LAYERS, "WIDTH,HEIGHT,DEPTH"},
    [HOST_CUBE] = {"", 0, 0, NO_LAYERS, ""},
    [HOST_CUBE_ARRAY] = {"", 0, 0, NO_LAYERS, ""},
    [HOST_TEXELS] = {"image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER, 1, NO_LAYERS, "WIDTH"},
};

void opencl_image_parameter(cl_kernel kernel, cl_uint number, const char *type, struct host_parameter *parameter)
{
   cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_READ_ONLY;
   cl.clGetKernelArgInfo(kernel, number, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof(access), &access, NULL);
   parameter->kind = HOST_OTHER;
   parameter->format = HOST_NO_FORMAT;
   parameter->read_only = access == CL_KERNEL_ARG_ACCESS_READ_ONLY;
   for (uint32_t i = 0; i < HOST_SHAPES; i++) {
      if (strcmp(shapes[i].type, type) == 0) {
         parameter->kind = HOST_IMAGE;
         parameter->shape = i;
      }
   }
}

uint32_t opencl_probe_image(const struct host_parameter *parameter, struct host_image *layout)
{
   uint32_t texels = 1;
   *layout = (struct host_image){
       .format = host_format_for('f'), .dimensions = shapes[parameter->shape].sizes, .size = {1, 1, 1}};
   for (uint32_t i = 0; i < layout->dimensions; i++) {
      layout->size[i] = PROBE_WIDTH;
      texels *= PROBE_WIDTH;
   }
   return texels * host_format_bytes(layout->format);
}

/* The argument's type; HOST_SHAPES: it is no image. */
static uint32_t shape_of(cl_kernel kernel, cl_uint number, bool *read_only)
{
   struct host_parameter parameter = {.kind = HOST_OTHER};
   char type[256] = "";
   if (cl.clGetKernelArgInfo(kernel, number, CL_KERNEL_ARG_TYPE_NAME, sizeof(type) - 1, type, NULL) == CL_SUCCESS) {
      opencl_image_parameter(kernel, number, type, &parameter);
   }
   *read_only = parameter.read_only != 0;
   return parameter.kind == HOST_IMAGE ? parameter.shape : HOST_SHAPES;
}

static cl_image_desc description(const struct host_image *layout, uint32_t shape)
{
   const uint32_t *size = layout->size, layers = shapes[shape].layers;
   return (cl_image_desc){.image_type = shapes[shape].object,
                          .image_width = size[0],
                          .image_height = layers != 1 ? size[1] : 1,
                          .image_depth = layers == NO_LAYERS ? size[2] : 1,
                          .image_array_size = layers < NO_LAYERS ? size[layers] : 1};
}

static bool check_image(struct host *host, cl_uint number, const struct given *given, uint32_t shape)
{
   const struct host_format *format = host_format(given->layout.format);
   if (shape == HOST_SHAPES || format == NULL) {
      return opencl_refuse(host, HOST_NO_LAUNCH, "argument %u is no image", number);
   }
   if (given->layout.dimensions != shapes[shape].sizes) {
      return opencl_refuse(host, HOST_NO_LAUNCH, "argument %u, %s, takes the sizes %s", number, shapes[shape].type,
                           shapes[shape].text);
   }
   return formats[given->layout.format].image_channel_order != CL_NONE ||
          opencl_refuse(host, HOST_NO_LAUNCH, "argument %u: OpenCL has no image format %s", number, format->name);
}

bool opencl_set_image(struct host *host, cl_kernel kernel, cl_uint number, struct given *given)
{
   bool read_only;
   const uint32_t shape = shape_of(kernel, number, &read_only);
   const cl_mem_flags access = read_only ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE;
   void *bytes = (void *)(uintptr_t)given->bytes;
   cl_int error = CL_SUCCESS;
   if (!check_image(host, number, given, shape)) {
      return false;
   }
   cl_image_desc image = description(&given->layout, shape);
   if (shape == HOST_TEXELS) {
      given->buffer =
          cl.clCreateBuffer(host->context, access | CL_MEM_COPY_HOST_PTR, given->argument.size, bytes, &error);
      image.buffer = given->buffer;
   }
   given->image = cl.clCreateImage(host->context, shape == HOST_TEXELS ? access : access | CL_MEM_COPY_HOST_PTR,
                                   &formats[given->layout.format], &image, shape == HOST_TEXELS ? NULL : bytes, &error);
   if (given->image != NULL) {
      error = cl.clSetKernelArg(kernel, number, sizeof(cl_mem), &given->image);
   }
   return error == CL_SUCCESS ||
          opencl_refuse(host, HOST_NO_LAUNCH, "argument %u: the driver does not take the image of format %s: %s (%d)",
                        number, host_format(given->layout.format)->name, opencl_error_name(error), error);
}

bool opencl_set_sampler(struct host *host, cl_kernel kernel, cl_uint number, struct given *given)
{
   static const cl_addressing_mode modes[HOST_ADDRESSINGS] = {
       [HOST_CLAMP] = CL_ADDRESS_CLAMP_TO_EDGE,
       [HOST_REPEAT] = CL_ADDRESS_REPEAT,
       [HOST_MIRROR] = CL_ADDRESS_MIRRORED_REPEAT,
       [HOST_BORDER] = CL_ADDRESS_CLAMP,
   };
   struct host_sampler sampler = {.linear = 0};
   cl_int error;
   if (given->argument.size >= sizeof(sampler)) {
      memcpy(&sampler, given->bytes, sizeof(sampler));
   }
   const cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                               !sampler.unnormalized,
                                               CL_SAMPLER_ADDRESSING_MODE,
                                               modes[sampler.addressing % HOST_ADDRESSINGS],
                                               CL_SAMPLER_FILTER_MODE,
                                               sampler.linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST,
                                               0};
   given->sampler = cl.clCreateSamplerWithProperties(host->context, properties, &error);
   if (given->sampler != NULL) {
      error = cl.clSetKernelArg(kernel, number, sizeof(cl_sampler), &given->sampler);
   }
   return error == CL_SUCCESS ||
          opencl_refuse(host, HOST_NO_LAUNCH, "argument %u: the driver does not take the sampler: %s (%d)", number,
                        opencl_error_name(error), error);
}

cl_int opencl_read_image(struct host *host, const struct given *given, uint8_t *bytes)
{
   const size_t origin[3] = {0};
   const size_t region[] = {given->layout.size[0], given->layout.size[1], given->layout.size[2]};
   return cl.clEnqueueReadImage(host->queue, given->image, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL);
}

void opencl_release_image(struct given *given)
{
   if (given->image != NULL) {
      cl.clReleaseMemObject(given->image);
      given->image = NULL;
   }
   if (given->sampler != NULL) {
      cl.clReleaseSampler(given->sampler);
      given->sampler = NULL;
   }
}
