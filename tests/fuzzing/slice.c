/* SPDX-License-Identifier: MIT
 *
 * The wrong instruction, on a virtual GPU with a fault (planted_device.c): in programs in NIR and kernels in OpenCL C
 * that are made by hand, one instruction is found, and it is the one with the fault.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/slice/culprits.h"
#include "fuzz/opencl/ops.h"
#include "tests/fuzzing/check.h"

#define DEVICE "virtual:m1,check=all"

static struct fuzz_program program;
static struct ocl_program kernel;

/* ---- Programs in NIR ---- */

/* A branch that half of the lanes take, around a value. */
static void make_branch(void)
{
   const uint16_t odd =
       add_alu(&program, nir_op_iand, 32, add_input(&program, 32, 0, 1), add_constant(&program, 32, 1));
   const uint16_t chosen = add_alu(&program, nir_op_ieq, 1, odd, add_constant(&program, 32, 0));

   program.variable_bits[0] = 32;
   add(&program, (struct fuzz_node){.kind = FUZZ_IF, .sources = {{chosen, 0}}});
   const uint16_t value = add_input(&program, 32, 1000, 7);
   add(&program, (struct fuzz_node){.kind = FUZZ_SET, .sources = {{value, 0}}});
   add(&program, (struct fuzz_node){.kind = FUZZ_ENDIF});
   add_output(&program, add(&program, (struct fuzz_node){.kind = FUZZ_GET, .bits = 32, .components = 1}));
}

/* A store to the next element of its output. */
static void make_store(void)
{
   add_output(&program,
              add_alu(&program, nir_op_iadd, 32, add_input(&program, 32, 3, 11), add_input(&program, 32, 5, 4)));
}

/* A load of the next element, and what is made of that. */
static void make_load(void)
{
   const uint16_t sum =
       add_alu(&program, nir_op_iadd, 32, add_input(&program, 32, 3, 11), add_constant(&program, 32, 77));

   add_output(&program, add_alu(&program, nir_op_imul, 32, sum, add_constant(&program, 32, 13)));
}

/* A sum of what the instruction gets wrong. */
static void make_sum(void)
{
   const uint16_t either =
       add_alu(&program, nir_op_ior, 32, add_input(&program, 32, 3, 11), add_input(&program, 32, 7, 5));

   add_output(&program, add_alu(&program, nir_op_iadd, 32, either, add_input(&program, 32, 1, 1)));
}

/* ---- Kernels in OpenCL C ---- */

static uint16_t add_node(struct ocl_node node)
{
   node.type = (struct ocl_type){OCL_UINT, 1};
   kernel.nodes[kernel.count] = node;
   return (uint16_t)kernel.count++;
}

static uint16_t add_kernel_input(uint64_t first, uint64_t step)
{
   const uint8_t slot = (uint8_t)kernel.inputs++;

   kernel.input_type[slot] = (struct ocl_type){OCL_UINT, 1};
   for (uint32_t lane = 0; lane < kernel.lanes; lane++) {
      kernel.input[slot][lane][0] = first + step * lane;
   }
   return add_node((struct ocl_node){.kind = OCL_INPUT, .slot = slot});
}

static uint16_t add_op(const char *name, uint16_t a, uint16_t b)
{
   const unsigned op = ocl_op_find(name, OCL_SHAPES, 0);

   CHECK(op < ocl_op_count);
   return add_node((struct ocl_node){.kind = OCL_OP, .op = (uint8_t)op, .count = 2, .source = {a, b}});
}

/* (a | b) * c, in one lane or in 32. */
static void make_kernel(uint32_t lanes)
{
   kernel.lanes = lanes;
   const uint16_t a = add_kernel_input(3, 11), b = add_kernel_input(7, 5), c = add_kernel_input(9, 2);
   const uint16_t product = add_op("mul", add_op("or", a, b), c);
   kernel.outputs = 1;
   kernel.output_type[0] = (struct ocl_type){OCL_UINT, 1};
   add_node((struct ocl_node){.kind = OCL_OUTPUT, .count = 1, .source = {product}});
}

static void make_single(void)
{
   make_kernel(1);
}

static void make_whole(void)
{
   make_kernel(OCL_LANES);
}

/* (a | b) * c, which a preamble computes. */
static void make_arguments(void)
{
   uint16_t argument[3];

   kernel.lanes = 1;
   for (uint8_t i = 0; i < 3; i++) {
      kernel.scalar_type[i] = (struct ocl_type){OCL_UINT, 1};
      kernel.scalar[i][0] = 3 + 10u * i;
      argument[i] = add_node((struct ocl_node){.kind = OCL_SCALAR, .slot = i});
   }
   kernel.scalars = 3;
   const uint16_t product = add_op("mul", add_op("or", argument[0], argument[1]), argument[2]);
   kernel.outputs = 1;
   kernel.output_type[0] = (struct ocl_type){OCL_UINT, 1};
   add_node((struct ocl_node){.kind = OCL_OUTPUT, .count = 1, .source = {product}});
}

/* ---- The search ---- */

static const struct slice_case {
   const char *fault;
   void (*make)(void);
   const char *instruction; /* what a listing calls it */
   bool opencl;
} cases[] = {
    {"branch", make_branch, "if ", false},
    {"store-address", make_store, "store ", false},
    {"load-address", make_load, "load ", false},
    {"or", make_sum, "or ", false},
    {"or", make_single, "or ", true},
    {"or", make_whole, "or ", true},
    {"or", make_arguments, "or ", true},
};

/* The difference that the fault makes. False: none. */
static bool show(bool opencl, struct fuzz_difference *difference)
{
   static struct attempt_result result;
   struct bench_device bench;
   char why[256];

   if (bench_device_open(&bench, DEVICE, NULL, why, sizeof(why)) < 0) {
      fprintf(stderr, "%s\n", why);
      return false;
   }
   if (opencl) {
      attempt_kernel(&bench, &kernel, &result);
   } else {
      attempt(&bench, &program, &result);
   }
   bench_device_close(&bench);
   *difference = result.difference;
   return result.verdict == VERDICT_DIFFERENT;
}

/* The instruction at an offset of what is compiled. */
static void name_instruction(bool opencl, uint32_t offset, char *text, size_t size)
{
   const struct compiler_options options = {0};
   struct compiler_result compiled = {0};
   struct isa_insn insn;

   text[0] = '\0';
   (void)(opencl ? attempt_compile_kernel(&kernel, &options, &compiled)
                 : fuzz_compile(&program, &options, NULL, &compiled));
   if (compiled.count == 1) {
      isa_decode(compiled.programs[0]->set, compiled.programs[0]->code + offset,
                 compiled.programs[0]->code_size - offset, &insn);
      (void)isa_print(&insn, ISA_SYNTAX_MESA, text, size);
   }
   compiler_result_finish(&compiled);
}

static void check_case(const struct slice_case *one)
{
   struct fuzz_difference difference;
   struct culprits culprits = {0};
   char text[128] = "";

   memset(&program, 0, sizeof(program));
   memset(&kernel, 0, sizeof(kernel));
   one->make();
   CHECK_EQUAL(setenv("PLANTED", one->fault, 1), 0);
   CHECK(show(one->opencl, &difference));
   if (one->opencl) {
      slice_kernel(DEVICE, &kernel, &difference, &culprits);
   } else {
      slice_program(DEVICE, &program, &difference, &culprits);
   }
   if (culprits.count == 1) {
      name_instruction(one->opencl, culprits.offset[0], text, sizeof(text));
   }
   if (strncmp(text, one->instruction, strlen(one->instruction)) != 0) {
      fprintf(stderr, "%s: %u instructions are marked, \"%s\" for \"%s\"\n", one->fault, culprits.count, text,
              one->instruction);
      CHECK(false);
   }
}

int main(void)
{
   compiler_set_in_process(true);
   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      check_case(&cases[i]);
   }
   return check_result();
}
