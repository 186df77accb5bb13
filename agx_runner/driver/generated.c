/* SPDX-License-Identifier: MIT
 *
 * Makes arguments. Integers are small, since kernels count and index with them; floats are from 0 to 4. Invariant: an
 * argument depends on its number and its type alone.
 */
#include "agx_runner/driver/generated.h"

#include <stdlib.h>
#include <string.h>

#include "agx_runner/launch/element.h"
#include "drivers/host/formats.h"
#include "nir_kernels/half.h"
#include "util/random.h"

#define BUFFER_BYTES 65536u
#define LOCAL_BYTES 4096u
#define IMAGE_WIDTH 16u /* of each size */
#define VALUE_MOST 4096u
#define GROUP 64u
#define GROUPS 4u
#define SMALL 64u  /* integers of buffers are below it */
#define NUMBER 48u /* integers by value */

/* The type of the elements of "float4*", "uint"; NULL: it is no number's. */
static const struct element_type *type_of(const struct driver_parameter *parameter)
{
   return element_find_opencl(parameter->facts->type, strcspn(parameter->facts->type, "0123456789*"));
}

static void put_float(const struct element_type *type, double value, uint8_t *bytes)
{
   const uint16_t half = bench_half(value);
   const float single = (float)value;
   memcpy(bytes, type->size == 2 ? (const void *)&half : type->size == 4 ? (const void *)&single : &value, type->size);
}

/* Words of a buffer without a type are floats and small integers in turn. */
static void fill(const struct element_type *type, bool shader, uint64_t seed, uint8_t *bytes, size_t size)
{
   const struct element_type *word = element_find("u32", 3), *single = element_find("f32", 3);
   struct util_random random = {seed};
   const size_t step = type != NULL ? type->size : 4;
   for (size_t at = 0; at + step <= size; at += step) {
      const struct element_type *here = type != NULL ? type : shader && at % 8 == 0 ? single : word;
      const double unit = util_random_unit(&random);
      if (here->kind == ELEMENT_FLOAT) {
         put_float(here, 4 * unit, bytes + at);
      } else {
         memset(bytes + at, 0, step);
         bytes[at] = (uint8_t)(unit * SMALL);
      }
   }
}

bool generated_can(const struct driver_kernel *kernel)
{
   for (uint32_t i = 0; i < kernel->facts->parameters; i++) {
      const struct driver_parameter *parameter = &kernel->parameters[i];
      const bool push = strcmp(parameter->facts->name, "push") == 0;
      if (parameter->facts->kind == HOST_OTHER ||
          (parameter->facts->kind == HOST_VALUE &&
           (parameter->facts->size > VALUE_MOST || (type_of(parameter) == NULL && !push)))) {
         return false;
      }
   }
   return true;
}

static void write_value(const struct driver_parameter *parameter, uint32_t number, FILE *request)
{
   const struct element_type *type = type_of(parameter);
   const struct host_argument argument = {.kind = HOST_VALUE, .size = parameter->facts->size};
   const size_t step = type != NULL ? type->size : 4;
   uint8_t bytes[VALUE_MOST] = {0};
   for (size_t at = 0; at + step <= argument.size; at += step) {
      if (type != NULL && type->kind == ELEMENT_FLOAT) {
         put_float(type, 1.25, bytes + at);
      } else {
         bytes[at] = NUMBER;
      }
   }
   host_record_write_two(request, HOST_ARGUMENT, number, &argument, sizeof(argument), bytes, argument.size);
}

static bool write_image(const struct driver_parameter *parameter, uint32_t number, FILE *request)
{
   static const uint32_t sizes[HOST_SHAPES] = {1, 2, 2, 3, 3, 3, 3, 1};
   const uint32_t shape = parameter->facts->shape;
   struct {
      struct host_argument argument;
      struct host_image image;
   } record = {.argument = {.kind = HOST_IMAGE}, .image = {.format = parameter->facts->format, .size = {1, 1, 1}}};
   struct host_image *image = &record.image;
   image->format = image->format != HOST_NO_FORMAT ? image->format : host_format_for((char)parameter->facts->reads);
   image->dimensions = sizes[shape % HOST_SHAPES];
   for (uint32_t i = 0; i < image->dimensions; i++) {
      image->size[i] = i == 2 && (shape == HOST_CUBE || shape == HOST_CUBE_ARRAY) ? 6 : IMAGE_WIDTH;
   }
   record.argument.size = (uint64_t)image->size[0] * image->size[1] * image->size[2] * host_format_bytes(image->format);
   uint8_t *bytes = malloc(record.argument.size + 1);
   if (bytes == NULL) {
      return false;
   }
   const char *element = host_format(image->format)->element;
   fill(element_find(element, strlen(element)), false, number, bytes, record.argument.size);
   host_record_write_two(request, HOST_ARGUMENT, number, &record, sizeof(record), bytes, record.argument.size);
   free(bytes);
   return true;
}

static bool write_argument(const struct driver_parameter *parameter, uint32_t number, bool shader, FILE *request)
{
   const struct host_sampler sampler = {.linear = 0};
   struct host_argument argument = {.kind = parameter->facts->kind};
   bool written;
   uint8_t *bytes;
   switch (parameter->facts->kind) {
   case HOST_IMAGE:
      return write_image(parameter, number, request);
   case HOST_VALUE:
      write_value(parameter, number, request);
      return true;
   case HOST_LOCAL:
      argument.size = LOCAL_BYTES;
      host_record_write(request, HOST_ARGUMENT, number, &argument, sizeof(argument));
      return true;
   case HOST_SAMPLER:
      argument.size = sizeof(sampler);
      host_record_write_two(request, HOST_ARGUMENT, number, &argument, sizeof(argument), &sampler, sizeof(sampler));
      return true;
   default:
      argument.size = BUFFER_BYTES;
      bytes = malloc(BUFFER_BYTES);
      if (bytes != NULL) {
         fill(type_of(parameter), shader, number, bytes, BUFFER_BYTES);
         host_record_write_two(request, HOST_ARGUMENT, number, &argument, sizeof(argument), bytes, BUFFER_BYTES);
      }
      written = bytes != NULL;
      free(bytes);
      return written;
   }
}

struct host_launch generated_launch(const struct driver_kernel *kernel)
{
   struct host_launch launch = {.dimensions = 3, .repeat = 1};
   const bool required = kernel->facts->group[0] != 0;
   for (unsigned i = 0; i < 3; i++) {
      launch.group[i] = required ? kernel->facts->group[i] : i == 0 ? GROUP : 1;
      launch.grid[i] = launch.group[i] * (i == 0 ? GROUPS : 1);
   }
   return launch;
}

bool generated_write(const struct driver_kernel *kernel, bool shader, FILE *request)
{
   const struct host_launch launch = generated_launch(kernel);
   host_record_write_text(request, HOST_ENTRY, 0, kernel->facts->name);
   for (uint32_t i = 0; i < kernel->facts->parameters; i++) {
      if (!write_argument(&kernel->parameters[i], i, shader, request)) {
         return false;
      }
   }
   host_record_write(request, HOST_LAUNCH, 0, &launch, sizeof(launch));
   return true;
}
