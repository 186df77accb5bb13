/* SPDX-License-Identifier: MIT
 *
 * Kernels in OpenCL C that tests make by hand: one at a time.
 */
#ifndef TESTS_FUZZING_KERNELS_H
#define TESTS_FUZZING_KERNELS_H

#include <stdlib.h>
#include <string.h>

#include "fuzz/attempt/attempt.h"
#include "fuzz/opencl/program.h"
#include "tests/compiler/programs.h"

static struct ocl_program program;

static inline void begin(uint32_t lanes)
{
   memset(&program, 0, sizeof(program));
   program.lanes = lanes;
}

static inline uint16_t add(struct ocl_node node)
{
   program.nodes[program.count] = node;
   return (uint16_t)program.count++;
}

/* The same number in all components. */
static inline uint16_t add_constant(struct ocl_type type, uint64_t value)
{
   struct ocl_node node = {.kind = OCL_CONST, .type = type};

   for (unsigned i = 0; i < type.width; i++) {
      node.data[i] = value & ocl_mask(type.base);
   }
   return add(node);
}

static inline uint16_t add_read(uint8_t object, uint16_t index)
{
   return add((struct ocl_node){
       .kind = OCL_READ, .type = program.object[object].type, .slot = object, .count = 1, .source = {index}});
}

static inline void add_output(uint16_t value)
{
   const struct ocl_type type = program.nodes[value].type;

   program.output_type[program.outputs] = type;
   add((struct ocl_node){
       .kind = OCL_OUTPUT, .type = type, .count = 1, .source = {value}, .slot = (uint8_t)program.outputs++});
}

/* Whether the kernel is written with these words. */
static inline bool text_has(const char *part)
{
   char *text = NULL;
   size_t size = 0;
   FILE *file = open_memstream(&text, &size);

   CHECK(file != NULL);
   ocl_print(file, &program);
   fclose(file);
   const bool has = strstr(text, part) != NULL;
   free(text);
   return has;
}

/* The device stores what the reference says. */
static inline void check_right(struct bench_device *bench)
{
   static struct attempt_result result;

   attempt_kernel(bench, &program, &result);
   CHECK_EQUAL(result.verdict, VERDICT_ALIKE);
   if (result.verdict != VERDICT_ALIKE) {
      printf("%s: output %u, lane %u: %llx, not %llx\n", result.why, result.difference.output, result.difference.lane,
             (unsigned long long)result.difference.found, (unsigned long long)result.difference.expected);
      ocl_print(stdout, &program);
   }
}

#endif
