/* SPDX-License-Identifier: MIT
 *
 * The reference of generated kernels in OpenCL C. Right answers stand here as the OpenCL C specification defines them,
 * computed by hand. Guards, control flow, printing and shrinking are tried on kernels made by hand. A check's report
 * names the source line.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/opencl/generate/generator.h"
#include "fuzz/opencl/shrink/shrink.h"
#include "fuzz/opencl/generate/generate.h"
#include "fuzz/opencl/ops.h"
#include "fuzz/nir/registers.h"
#include "tests/fuzzing/opencl/kernels.h"

static struct ocl_outputs outputs;

static const struct ocl_op *find_op(const char *name, enum ocl_shape shape)
{
   for (unsigned i = 0; i < ocl_op_count; i++) {
      if (strcmp(ocl_ops[i].name, name) == 0 && (shape == OCL_SHAPE_1 || ocl_ops[i].shape == shape)) {
         return &ocl_ops[i];
      }
   }
   return NULL;
}

/* name, result, operands' base, operands, right */
static const struct {
   const char *name;
   uint8_t base, from, width;
   int64_t a, b, c, right;
} rows[] = {
    {"add_sat", OCL_CHAR, OCL_CHAR, 1, 100, 100, 0, 127},
    {"add_sat", OCL_UCHAR, OCL_UCHAR, 1, 200, 100, 0, 255},
    {"sub_sat", OCL_INT, OCL_INT, 1, 0, INT32_MIN, 0, INT32_MAX},
    {"sub_sat", OCL_ULONG, OCL_ULONG, 1, 1, 2, 0, 0},
    {"mad_sat", OCL_LONG, OCL_LONG, 1, 0, -1, 0, 0},
    {"mad_sat", OCL_LONG, OCL_LONG, 1, INT64_MAX, 2, 0, INT64_MAX},
    {"mad_sat", OCL_LONG, OCL_LONG, 1, INT64_MAX, -2, 0, INT64_MIN},
    {"mad_sat", OCL_ULONG, OCL_ULONG, 1, -1, -1, -1, -1},
    {"mad_sat", OCL_SHORT, OCL_SHORT, 1, 200, 200, -40000 + 32768, 32767},
    {"hadd", OCL_CHAR, OCL_CHAR, 1, -1, 0, 0, -1},
    {"hadd", OCL_ULONG, OCL_ULONG, 1, -1, -1, 0, -1},
    {"rhadd", OCL_CHAR, OCL_CHAR, 1, -1, 0, 0, 0},
    {"rhadd", OCL_INT, OCL_INT, 1, INT32_MAX, INT32_MAX, 0, INT32_MAX},
    {"mul_hi", OCL_INT, OCL_INT, 1, -1, 1, 0, -1},
    {"mul_hi", OCL_ULONG, OCL_ULONG, 1, -1, -1, 0, -2},
    {"mul_hi", OCL_UCHAR, OCL_UCHAR, 1, 255, 255, 0, 254},
    {"mad_hi", OCL_UINT, OCL_UINT, 1, -1, -1, 2, 0},
    {"rotate", OCL_UCHAR, OCL_UCHAR, 1, 0x81, 9, 0, 3},
    {"rotate", OCL_INT, OCL_INT, 1, 1, -1, 0, INT32_MIN},
    {"clz", OCL_SHORT, OCL_SHORT, 1, 0, 0, 0, 16},
    {"clz", OCL_CHAR, OCL_CHAR, 1, 1, 0, 0, 7},
    {"ctz", OCL_LONG, OCL_LONG, 1, 0, 0, 0, 64},
    {"popcount", OCL_SHORT, OCL_SHORT, 1, -1, 0, 0, 16},
    {"abs", OCL_UCHAR, OCL_CHAR, 1, -128, 0, 0, 128},
    {"abs_diff", OCL_UINT, OCL_INT, 1, INT32_MIN, INT32_MAX, 0, -1},
    {"bitselect", OCL_UCHAR, OCL_UCHAR, 1, 0xf0, 0x0f, 0x3c, 0xcc},
    {"clamp", OCL_INT, OCL_INT, 1, 5, 9, 7, 7},
    {"mul24", OCL_INT, OCL_INT, 1, -8388608, 2, 0, -16777216},
    {"mad24", OCL_UINT, OCL_UINT, 1, 0xffffff, 0xffffff, 1, -33554430},
    {"upsample", OCL_SHORT, OCL_CHAR, 1, -1, 1, 0, -255},
    {"convert_sat", OCL_UCHAR, OCL_LONG, 1, -5, 0, 0, 0},
    {"convert_sat", OCL_CHAR, OCL_ULONG, 1, -1, 0, 0, 127},
    {"convert", OCL_LONG, OCL_UINT, 1, -1, 0, 0, 4294967295},
    {"convert", OCL_LONG, OCL_INT, 1, -1, 0, 0, -1},
    {"shl", OCL_CHAR, OCL_CHAR, 1, 1, 8, 0, 0}, /* promoted: the count is taken modulo 32 */
    {"shl", OCL_CHAR, OCL_CHAR, 2, 1, 8, 0, 1}, /* a vector: modulo 8 */
    {"shr", OCL_SHORT, OCL_SHORT, 1, -2, 33, 0, -1},
    {"shr", OCL_ULONG, OCL_ULONG, 1, -1, 127, 0, 1},
    {"lt", OCL_INT, OCL_USHORT, 1, 65535, 5, 0, 0},
    {"lt", OCL_SHORT, OCL_SHORT, 2, -1, 5, 0, -1},
    {"select", OCL_INT, OCL_INT, 1, 1, 2, 1, 2},
    {"select", OCL_INT, OCL_INT, 2, 1, 2, 1, 1}, /* a vector: by the highest bit */
    {"choose", OCL_INT, OCL_INT, 2, -1, 7, 8, 7},
    {"div", OCL_CHAR, OCL_CHAR, 1, -7, 2, 0, -3},
    {"mod", OCL_CHAR, OCL_CHAR, 1, -7, 2, 0, -1},
    {"mix_lt", OCL_INT, OCL_UINT, 1, 5, -1, 0, 1},
    {"mix_add", OCL_INT, OCL_SHORT, 1, -1, 1, 0, 0},
    {"wide_shl", OCL_UCHAR, OCL_UCHAR, 2, 3, 9, 0, 6}, /* the count modulo 8 */
    {"bool", OCL_INT, OCL_CHAR, 1, -128, 0, 0, 1},
    {"packed", OCL_SHORT, OCL_SHORT, 1, -5, 0, 0, -5},
    {"pick", OCL_SHORT, OCL_SHORT, 1, 0, 3, 4, 4},
    /* Floats as bits: IEEE 754, by hand. 2^24 + 1 lies between two floats, and goes to the even one. */
    {"convert", OCL_FLOAT, OCL_INT, 1, 16777217, 0, 0, 0x4b800000},
    {"convert", OCL_FLOAT, OCL_INT, 1, 16777219, 0, 0, 0x4b800002},
    {"convert", OCL_HALF, OCL_INT, 1, 65519, 0, 0, 0x7bff},
    {"convert", OCL_HALF, OCL_INT, 1, 65520, 0, 0, 0x7c00},
    {"convert", OCL_SHORT, OCL_FLOAT, 1, 0xc0200000, 0, 0, -2},
    {"convert_sat", OCL_UCHAR, OCL_FLOAT, 1, 0xc2a10000, 0, 0, 0},        /* -80.5 */
    {"convert_sat", OCL_ULONG, OCL_FLOAT, 1, 0x7f800000, 0, 0, -1},       /* infinity */
    {"convert_sat", OCL_LONG, OCL_FLOAT, 1, 0xdf000000, 0, 0, INT64_MIN}, /* -2^63 */
    {"vstore_half", OCL_USHORT, OCL_FLOAT, 1, 0x3f801000, 0, 0, 0x3c00},  /* a tie: to even */
    {"vstore_half", OCL_USHORT, OCL_FLOAT, 1, 0x33000001, 0, 0, 1},       /* the least half */
    {"vload_half", OCL_FLOAT, OCL_USHORT, 1, 1, 0, 0, 0x33800000},        /* 2^-24 */
    {"vload_half", OCL_FLOAT, OCL_USHORT, 1, 0x7c00, 0, 0, 0x3f800000},   /* the guard: not infinity */
    {"rint", OCL_FLOAT, OCL_FLOAT, 1, 0x40200000, 0, 0, 0x40000000},      /* 2.5 */
    {"round", OCL_FLOAT, OCL_FLOAT, 1, 0x40200000, 0, 0, 0x40400000},
    {"ceil", OCL_FLOAT, OCL_FLOAT, 1, 0xbf000000, 0, 0, 0x80000000}, /* -0.5: -0 */
    {"floor", OCL_HALF, OCL_HALF, 1, 0xb800, 0, 0, 0xbc00},
    {"real_add", OCL_FLOAT, OCL_FLOAT, 1, 0x4b800000, 0x40000000, 0, 0x4b800001}, /* 2^24 + 2 */
    {"real_add", OCL_FLOAT, OCL_FLOAT, 1, 0x4b800000, 0x3f800000, 0, 0x4b800000}, /* not exact: the first */
    {"fma", OCL_FLOAT, OCL_FLOAT, 1, 0x40400000, 0x40400000, 0xc1100000, 0},      /* 3 * 3 - 9 */
    {"isless", OCL_INT, OCL_FLOAT, 1, 0x80000000, 0, 0, 0},                       /* -0 is not less than 0 */
    {"isless", OCL_INT, OCL_FLOAT, 2, 0xbf800000, 0, 0, -1},
    {"to_float", OCL_FLOAT, OCL_INT, 1, -1, 0, 0, 0xbfffffff},
};

static void check_ops(void)
{
   for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      const struct ocl_op *op = find_op(rows[i].name, OCL_SHAPE_1);
      const struct ocl_type from = {rows[i].from, rows[i].width}, to = {rows[i].base, rows[i].width};
      begin(1);
      const uint16_t a = add_constant(from, (uint64_t)rows[i].a), b = add_constant(from, (uint64_t)rows[i].b);
      const uint16_t c = add_constant(from, (uint64_t)rows[i].c);
      CHECK(op != NULL);
      add_output(add((struct ocl_node){
          .kind = OCL_OP, .type = to, .op = (uint8_t)(op - ocl_ops), .count = op->arity, .source = {a, b, c}}));
      CHECK(ocl_evaluate(&program, &outputs));
      const int64_t found = ocl_sext(rows[i].base, outputs.value[0][0][rows[i].width - 1]);
      const int64_t right = ocl_sext(rows[i].base, (uint64_t)rows[i].right);
      if (found != right) {
         printf("row %u, %s: %lld, right %lld\n", i, rows[i].name, (long long)found, (long long)right);
      }
      CHECK(found == right);
   }
}

static char *text_of(void)
{
   char *text = NULL;
   size_t size = 0;
   FILE *file = open_memstream(&text, &size);

   if (file != NULL) {
      ocl_print(file, &program);
      fclose(file);
   }
   return text;
}

/* What would be undefined is written in another way. */
static void check_guards(void)
{
   static const struct {
      const char *name;
      uint8_t base;
      int64_t a, b, right;
      const char *text;
   } guarded[] = {
       {"add", OCL_INT, INT32_MAX, 1, INT32_MIN, "(int)((uint)2147483647 + (uint)1)"},
       {"add", OCL_INT, 1, 2, 3, " = (1 + 2);"},
       {"mul", OCL_USHORT, 65535, 65535, 1, "(ushort)((uint)(ushort)65535 * (uint)(ushort)65535)"},
       {"div", OCL_INT, 7, 0, 7, "(7 / (0 | 1))"},
       {"div", OCL_INT, INT32_MIN, -1, INT32_MIN,
        "((-1) == 0 || (-1) == -1 ? (-2147483647 - 1) : (-2147483647 - 1) / (-1))"},
       {"mod", OCL_LONG, INT64_MIN, -1, INT64_MIN, "(-9223372036854775807L - 1) % (-1L))"},
       {"mix_div", OCL_INT, INT32_MIN, -1, INT32_MAX, "^"},
       {"mul24", OCL_UINT, 0x1000002, 3, 6, "mul24((16777218u & 0xffffffu)"},
   };
   for (unsigned i = 0; i < sizeof(guarded) / sizeof(guarded[0]); i++) {
      const struct ocl_type type = {guarded[i].base, 1};
      begin(1);
      const uint16_t a = add_constant(type, (uint64_t)guarded[i].a), b = add_constant(type, (uint64_t)guarded[i].b);
      const struct ocl_op *op = find_op(guarded[i].name, OCL_SHAPE_1);
      add_output(add((struct ocl_node){
          .kind = OCL_OP, .type = type, .op = (uint8_t)(op - ocl_ops), .count = 2, .source = {a, b}}));
      CHECK(ocl_evaluate(&program, &outputs));
      CHECK(ocl_sext(type.base, outputs.value[0][0][0]) == ocl_sext(type.base, (uint64_t)guarded[i].right));
      char *text = text_of();
      CHECK(text != NULL && strstr(text, guarded[i].text) != NULL);
      free(text);
   }
}

/* The same division in a function of its own. */
static void check_outlined_guard(void)
{
   const struct ocl_type type = {OCL_INT, 1};

   begin(1);
   const uint16_t a = add_constant(type, UINT64_C(1) << 31), b = add_constant(type, UINT32_MAX);
   const uint8_t op = (uint8_t)(find_op("div", OCL_SHAPE_1) - ocl_ops);
   add_output(add((struct ocl_node){
       .kind = OCL_OP, .type = type, .op = op, .count = 2, .source = {a, b}, .outlined = OCL_FUNCTION}));
   CHECK(ocl_evaluate(&program, &outputs));
   char *text = text_of();
   CHECK(text != NULL && strstr(text, "return (b == 0 || b == -1 ? a : a / b);") != NULL);
   free(text);
}

static bool has_sampler(void *tried, void *data)
{
   struct ocl_program *kernel = tried;
   (void)data;
   return ocl_has_sampler(kernel);
}

/* A sampler goes on to functions. The smallest such kernel has one of them. */
static void check_sampler(void)
{
   unsigned calls = 0;

   for (uint64_t seed = 0; seed < 20; seed++) { /* bits 52 to 57 are 0 */
      ocl_generate(&program, (seed * UINT64_C(0x9e3779b97f4a7c15)) & ~(UINT64_C(63) << 52));
      CHECK(ocl_evaluate(&program, &outputs));
      if (!ocl_has_sampler(&program)) {
         continue; /* no function */
      }
      ocl_shrink(&program, NULL, has_sampler, NULL);
      CHECK(ocl_size(&program) <= 8);
      char *text = text_of();
      const char *kernel = text != NULL ? strstr(text, "kernel void k(") : NULL;
      CHECK(kernel != NULL && strstr(text, ", sampler_t sampler)\n{\n   return ") != NULL);
      CHECK(kernel != NULL && strstr(kernel, "sampler_t sampler)\n{\n") != NULL);
      /* The index of what is no array is not written. */
      calls += kernel != NULL && strstr(kernel, ", sampler)") != NULL ? 1 : 0;
      free(text);
   }
   CHECK(calls >= 10);
}

/* A constant that is not written as a number has the value that was asked for. */
static void check_known(void)
{
   unsigned numbers = 0, elements = 0, operations = 0;

   for (unsigned seed = 0; seed < 2000; seed++) {
      struct ocl_generator generator = {.program = &program, .random = {.state = seed}, .folded = true};
      const struct ocl_type type = ocl_any_integer_type(&generator);
      uint64_t values[OCL_WIDTH];
      begin(1);
      for (unsigned i = 0; i < type.width; i++) {
         values[i] = ocl_any_number(&generator, type.base);
      }
      const uint16_t node = (uint16_t)ocl_known(&generator, type, values);
      numbers += program.nodes[node].kind == OCL_CONST ? 1 : 0;
      elements += program.nodes[node].kind == OCL_READ ? 1 : 0;
      operations += program.nodes[node].kind == OCL_OP ? 1 : 0;
      add_output(node);
      CHECK(ocl_same(program.nodes[node].type, type));
      CHECK(ocl_evaluate(&program, &outputs));
      CHECK(memcmp(outputs.value[0][0], values, type.width * sizeof(*values)) == 0);
   }
   CHECK(numbers > 200 && elements > 200 && operations > 200);
}

/* switch (lane & 3) { case 1: m += 1; (goes on) case 2: m += 2; break; default: m += 4; } */
static void check_switch(void)
{
   const struct ocl_type type = {OCL_INT, 1};
   static const uint64_t steps[] = {1, 2, 4}, right[] = {4, 3, 2, 4};

   begin(1);
   program.lanes = OCL_LANES;
   program.objects = 1;
   program.object[0] = (struct ocl_object){.type = type, .length = 1};
   const uint16_t id = add((struct ocl_node){.kind = OCL_ID, .type = type, .slot = OCL_LOCAL_ID});
   add((struct ocl_node){.kind = OCL_SWITCH, .type = type, .count = 1, .source = {id}});
   for (unsigned i = 0; i < 3; i++) {
      add((struct ocl_node){.kind = i == 2 ? OCL_DEFAULT : OCL_CASE, .type = type, .data = {i + 1, i == 1}});
      const uint16_t old = add((struct ocl_node){.kind = OCL_READ, .type = type, .count = 1, .source = {id}});
      const uint16_t step = add_constant(type, steps[i]);
      const uint16_t more = add((struct ocl_node){.kind = OCL_OP,
                                                  .type = type,
                                                  .count = 2,
                                                  .source = {old, step},
                                                  .op = (uint8_t)(find_op("add", OCL_SHAPE_2) - ocl_ops)});
      add((struct ocl_node){.kind = OCL_WRITE, .type = type, .count = 2, .source = {id, more}});
   }
   add((struct ocl_node){.kind = OCL_ENDSWITCH, .type = type});
   add_output(add((struct ocl_node){.kind = OCL_READ, .type = type, .count = 1, .source = {id}}));
   CHECK(ocl_evaluate(&program, &outputs));
   for (unsigned lane = 0; lane < 4; lane++) {
      CHECK(outputs.value[0][lane][0] == right[lane]);
   }
}

/* for 3 times { if (lane number is 1) continue; m = m + 1; if (lane number is 2) break; } */
static void check_control(void)
{
   const struct ocl_type type = {OCL_INT, 1};

   begin(1);
   program.lanes = OCL_LANES;
   program.objects = 1;
   program.object[0] = (struct ocl_object){.type = type, .length = 1};
   program.inputs = 2;
   program.input_type[0] = program.input_type[1] = type;
   program.input[0][1][0] = program.input[1][2][0] = 1;
   const uint16_t one = add_constant(type, 1);
   const uint16_t skips = add((struct ocl_node){.kind = OCL_INPUT, .type = type, .slot = 0});
   const uint16_t ends = add((struct ocl_node){.kind = OCL_INPUT, .type = type, .slot = 1});
   add((struct ocl_node){.kind = OCL_LOOP, .type = type, .count = 1, .source = {one}, .data = {2}});
   add((struct ocl_node){.kind = OCL_CONTINUE, .type = type, .count = 1, .source = {skips}});
   const uint16_t old = add((struct ocl_node){.kind = OCL_READ, .type = type, .count = 1, .source = {one}});
   const uint16_t more = add((struct ocl_node){.kind = OCL_OP,
                                               .type = type,
                                               .count = 2,
                                               .source = {old, one},
                                               .op = (uint8_t)(find_op("add", OCL_SHAPE_2) - ocl_ops)});
   add((struct ocl_node){.kind = OCL_WRITE, .type = type, .count = 2, .source = {one, more}});
   add((struct ocl_node){.kind = OCL_BREAK, .type = type, .count = 1, .source = {ends}});
   add((struct ocl_node){.kind = OCL_ENDLOOP, .type = type});
   add_output(add((struct ocl_node){.kind = OCL_READ, .type = type, .count = 1, .source = {one}}));
   CHECK(ocl_evaluate(&program, &outputs));
   CHECK(outputs.value[0][0][0] == 3 && outputs.value[0][1][0] == 0 && outputs.value[0][2][0] == 1);
}

/* A loop of five turns adds their numbers to a variable; an array whose elements count up, 100 apart. */
static void check_turns(void)
{
   const struct ocl_type type = {OCL_INT, 1}, byte = {OCL_UCHAR, 1};
   const struct ocl_op *sum = find_op("add", OCL_SHAPE_2);

   begin(1);
   program.objects = 2;
   program.object[0] = (struct ocl_object){.type = type, .length = 1};
   program.object[1] = (struct ocl_object){
       .type = byte, .length = 8, .space = OCL_PRIVATE, .list = OCL_COUNTED, .spread = 100, .start = {250, 9}};
   const uint16_t seven = add_constant(type, 7);
   const uint16_t loop = add((struct ocl_node){.kind = OCL_LOOP, .type = type, .data = {5}});
   const uint16_t old = add((struct ocl_node){.kind = OCL_READ, .type = type, .count = 1, .source = {seven}});
   const uint16_t turn = add((struct ocl_node){.kind = OCL_TURN, .type = type});
   const uint16_t more = add((struct ocl_node){
       .kind = OCL_OP, .op = (uint8_t)(sum - ocl_ops), .type = type, .count = 2, .source = {old, turn}});
   add((struct ocl_node){.kind = OCL_WRITE, .type = type, .count = 2, .source = {seven, more}});
   add((struct ocl_node){.kind = OCL_ENDLOOP, .type = type});
   add_output(add((struct ocl_node){.kind = OCL_READ, .type = type, .count = 1, .source = {seven}}));
   add_output(add((struct ocl_node){.kind = OCL_READ, .type = byte, .slot = 1, .count = 1, .source = {seven}}));
   CHECK(ocl_evaluate(&program, &outputs));
   CHECK_EQUAL(outputs.value[0][0][0], 0 + 1 + 2 + 3 + 4);
   CHECK_EQUAL(outputs.value[1][0][0], (250 + 7) % 256);
   CHECK(text_has("   for (int j1 = 0; j1 < 5; j1++) {\n      m0 = (m0 + (int)j1);\n   }\n   out0[0] = m0;\n"));
   CHECK(text_has("   int m0 = 0;\n"));
   CHECK(text_has("   uchar m1[800];\n   for (int j = 0; j < 8; j++) { m1[j * 100] = (uchar)(250u + j); }\n"));
   program.nodes[loop].form = OCL_WHILE; /* its variable counts down, and is not looked at */
   CHECK(ocl_evaluate(&program, &outputs));
   CHECK_EQUAL(outputs.value[0][0][0], 0);
   CHECK(text_has("m0 = (m0 + (int)0);"));
}

/* A value that was read before a variable changes is not what it holds then. */
static void check_reads(void)
{
   const struct ocl_type type = {OCL_INT, 1};

   begin(1);
   program.objects = 1;
   program.object[0] = (struct ocl_object){.type = type, .length = 1, .start = {5}};
   const uint16_t one = add_constant(type, 1);
   const uint16_t before = add((struct ocl_node){.kind = OCL_READ, .type = type, .count = 1, .source = {one}});
   add((struct ocl_node){.kind = OCL_WRITE, .type = type, .count = 2, .source = {one, one}});
   add_output(before);
   CHECK(ocl_evaluate(&program, &outputs));
   CHECK_EQUAL(outputs.value[0][0][0], 5);
   CHECK(text_has("   int v1 = m0;\n   m0 = 1;\n   out0[0] = v1;\n"));
}

/* How many assignments the branches of a kernel have, those of a loop as often as it has turns. Such a kernel fails
 * that has 60 of them, or 20 with few registers. */
static bool merges(void *tried, void *data)
{
   struct ocl_program *kernel = tried;
   uint64_t turns = 1, writes = 0;

   (void)data;
   for (uint32_t i = 0; i < kernel->count; i++) {
      const struct ocl_node *node = &kernel->nodes[i];
      turns = node->kind == OCL_LOOP ? node->data[0] : node->kind == OCL_ENDLOOP ? 1 : turns;
      writes += node->kind == OCL_WRITE ? turns : 0;
   }
   return writes >= (kernel->registers == FUZZ_REGISTERS_ALL ? 60 : 20);
}

/* Many branches become one in a loop. */
static void check_loop(void)
{
   const struct ocl_type type = {OCL_UINT, 1};

   begin(1);
   program.objects = 1;
   program.object[0] = (struct ocl_object){.type = type, .length = 1};
   const uint16_t one = add_constant(type, 1);
   for (unsigned i = 0; i < 60; i++) {
      add((struct ocl_node){.kind = OCL_IF, .type = type, .count = 1, .source = {one}});
      add((struct ocl_node){.kind = OCL_WRITE, .type = type, .count = 2, .source = {one, one}});
      add((struct ocl_node){.kind = OCL_ENDIF, .type = type});
   }
   ocl_shrink(&program, NULL, merges, NULL);
   CHECK(merges(&program, NULL));
   CHECK(ocl_size(&program) <= 7);
   CHECK(text_has("< 32; "));
   CHECK(ocl_evaluate(&program, &outputs));
}

/* A kernel fails that stores what two vectors hold. */
static bool stores_both(void *tried, void *data)
{
   struct ocl_program *kernel = tried;
   bool needed[OCL_NODES], read[2] = {false, false};

   (void)data;
   ocl_needed(kernel, needed);
   for (uint32_t i = 0; i < kernel->count; i++) {
      const struct ocl_node *node = &kernel->nodes[i];
      read[node->slot & 1] |= needed[i] && node->kind == OCL_READ && node->type.width == 8;
   }
   return read[0] && read[1];
}

/* Two vectors of two types, stored to two buffers, become one declaration and one store. */
static void check_outputs(void)
{
   const struct ocl_type types[2] = {{OCL_LONG, 8}, {OCL_UINT, 8}};

   begin(1);
   program.objects = 2;
   const uint16_t one = add_constant((struct ocl_type){OCL_INT, 1}, 1);
   for (uint8_t i = 0; i < 2; i++) {
      program.object[i] = (struct ocl_object){.type = types[i], .length = 1, .start = {3, 4, 5, 6, 7, 8, 9, 10}};
      add_output(add((struct ocl_node){.kind = OCL_READ, .type = types[i], .slot = i, .count = 1, .source = {one}}));
   }
   ocl_shrink(&program, NULL, stores_both, NULL);
   CHECK_EQUAL(ocl_size(&program), 4); /* the reads, their sum, the store */
   CHECK(text_has("), m1 = ("));
   CHECK(ocl_evaluate(&program, &outputs));
   CHECK_EQUAL(outputs.value[1][0][2], 5 + 5);
}

static unsigned count_writes(const struct ocl_program *kernel)
{
   unsigned writes = 0;

   for (uint32_t i = 0; i < kernel->count; i++) {
      writes += kernel->nodes[i].kind == OCL_WRITE ? 1 : 0;
   }
   return writes;
}

/* A kernel fails that has many branches, or stores a vector that no branch sets with few registers. */
static bool spills_without_branches(void *tried, void *data)
{
   struct ocl_program *kernel = tried;
   unsigned branches = 0, inputs = 0;

   for (uint32_t i = 0; i < kernel->count; i++) {
      const struct ocl_node *node = &kernel->nodes[i];
      branches += node->kind == OCL_IF ? 1 : 0;
      inputs += node->kind == OCL_OUTPUT && kernel->nodes[node->source[0]].kind == OCL_INPUT &&
                        kernel->nodes[node->source[0]].type.width == 8
                    ? 1
                    : 0;
   }
   return kernel->registers == FUZZ_REGISTERS_ALL ? branches == 30
                                                  : inputs != 0 && count_writes(kernel) <= *(unsigned *)data;
}

/* What a variable holds becomes an input, where all inputs are used by what is not needed, and the branches go. */
static void check_variables(void)
{
   const struct ocl_type type = {OCL_LONG, 8}, one = {OCL_INT, 1};
   unsigned most = 0;

   begin(1);
   program.objects = 1;
   program.object[0] = (struct ocl_object){.type = type, .length = 1, .start = {3, 4, 5, 6, 7, 8, 9, 10}};
   program.inputs = OCL_INPUTS;
   for (uint8_t i = 0; i < OCL_INPUTS; i++) {
      program.input_type[i] = one;
      program.input[i][0][0] = 1;
      add((struct ocl_node){.kind = OCL_INPUT, .type = one, .slot = i});
   }
   const uint16_t value = add_constant(type, 7);
   for (unsigned i = 0; i < 30; i++) {
      add((struct ocl_node){.kind = OCL_IF, .type = one, .count = 1, .source = {5}});
      add((struct ocl_node){.kind = OCL_WRITE, .type = type, .count = 2, .source = {5, value}});
      add((struct ocl_node){.kind = OCL_ENDIF, .type = one});
   }
   add_output(add((struct ocl_node){.kind = OCL_READ, .type = type, .count = 1, .source = {5}}));
   ocl_shrink(&program, NULL, spills_without_branches, &most);
   CHECK_EQUAL(ocl_size(&program), 1);
   CHECK_EQUAL(program.registers, FUZZ_REGISTERS_FEW);
   CHECK(text_has("(global long8 *out0, global const long8 *in0)\n{\n   out0[0] = in0[0];\n"));
}

/* A kernel fails that uses an array, and stores a vector. */
static bool uses_array(void *tried, void *data)
{
   struct ocl_program *kernel = tried;
   bool needed[OCL_NODES], array = false, vector = false;

   (void)data;
   ocl_needed(kernel, needed);
   for (uint32_t i = 0; i < kernel->count; i++) {
      const struct ocl_node *node = &kernel->nodes[i];
      array |=
          needed[i] && (node->kind == OCL_WRITE || node->kind == OCL_READ) && kernel->object[node->slot].length > 1;
      vector |= node->kind == OCL_OUTPUT && node->type.width == 4 && needed[node->source[0]];
   }
   return array && vector;
}

/* An array that is written is read instead, and no statement of its own is left for it. */
static void check_array_writes(void)
{
   const struct ocl_type type = {OCL_INT, 4}, byte = {OCL_UCHAR, 1};

   begin(1);
   program.objects = 1;
   program.object[0] = (struct ocl_object){.type = byte, .length = 8, .space = OCL_PRIVATE, .start = {3, 4, 5}};
   program.scalars = 1;
   program.scalar_type[0] = byte;
   program.scalar[0][0] = 1;
   const uint16_t index = add((struct ocl_node){.kind = OCL_SCALAR, .type = byte});
   add((struct ocl_node){.kind = OCL_WRITE, .type = byte, .count = 2, .source = {index, add_constant(byte, 9)}});
   add_output(add_constant(type, 100));
   ocl_shrink(&program, NULL, uses_array, NULL);
   CHECK(uses_array(&program, NULL));
   CHECK_EQUAL(count_writes(&program), 0);
   CHECK_EQUAL(program.nodes[program.count - 1].kind, OCL_OUTPUT);
   CHECK(ocl_evaluate(&program, &outputs));
   CHECK(text_has(" + (int)m0["));
}

/* Whether both fields of a struct are stored. */
static bool reads_fields(void *tried, void *data)
{
   struct ocl_program *kernel = tried;
   bool needed[OCL_NODES], read[2] = {false, false};

   (void)data;
   ocl_needed(kernel, needed);
   for (uint32_t i = 0; i < kernel->count; i++) {
      const struct ocl_node *node = &kernel->nodes[i];
      if (needed[i] && node->kind == OCL_READ && node->slot < 2) {
         read[node->slot] = kernel->object[node->slot].record == 1 && kernel->object[node->slot].length == 2 &&
                            node->type.width == (node->slot == 0 ? 8 : 1);
      }
   }
   return read[0] && read[1];
}

/* Two fields of a struct in the sum that an output gets. */
static void check_fields(void)
{
   const struct ocl_type types[2] = {{OCL_LONG, 8}, {OCL_CHAR, 1}};

   begin(1);
   program.objects = 2;
   const uint16_t one = add_constant((struct ocl_type){OCL_INT, 1}, 1);
   for (uint8_t i = 0; i < 2; i++) {
      program.object[i] =
          (struct ocl_object){.type = types[i], .record = 1, .length = 2, .start = {3, 4, 5, 6, 7, 8, 9, 10, 11}};
      add_output(add((struct ocl_node){.kind = OCL_READ, .type = types[i], .slot = i, .count = 1, .source = {one}}));
   }
   ocl_shrink(&program, &(struct fuzz_difference){.output = 0}, reads_fields, NULL);
   CHECK(ocl_evaluate(&program, &outputs));
   CHECK_EQUAL(ocl_size(&program), 5); /* the reads, a conversion, their sum, the store */
   CHECK(text_has("   struct s1 r1[2] = {{(long8)("));
}

/* Where an array leaves no room for offsets of 16 bits, one branch sets the wide variables beside it; else there are
 * many. */
static void check_large_arrays(void)
{
   unsigned large = 0, small = 0;

   for (uint64_t seed = 0; seed < 400 && (large < 3 || small < 3); seed++) {
      /* bits 44 to 47: wide variables; bit 49: no loops; bit 52: no sampler */
      ocl_generate(&program, ((seed * UINT64_C(0x9e3779b97f4a7c15)) & ~(UINT64_C(15) << 44)) | (UINT64_C(9) << 49));
      const struct ocl_object *array = &program.object[0];
      unsigned branches = 0;
      for (uint32_t i = 0; i < program.count; i++) {
         branches += program.nodes[i].kind == OCL_IF ? 1 : 0;
      }
      if (ocl_is_spread(array) && ocl_bytes(array->type) * array->length * array->spread >= 64u << 10) {
         CHECK_EQUAL(branches, 1);
         large++;
      } else {
         CHECK(branches > 3);
         small++;
      }
   }
   CHECK(large >= 3 && small >= 3);
}

/* All fields of a struct have one length: an index of the longest would lie behind the others. */
static bool has_whole_structs(const struct ocl_program *kernel)
{
   for (uint32_t i = 0; i < kernel->objects; i++) {
      for (uint32_t j = 0; j < i; j++) {
         const struct ocl_object *a = &kernel->object[i], *b = &kernel->object[j];
         if (a->record != 0 && a->record == b->record && a->length != b->length) {
            return false;
         }
      }
   }
   return true;
}

/* A kernel fails that has a struct of two fields. */
static bool has_struct(void *tried, void *data)
{
   struct ocl_program *kernel = tried;
   unsigned fields = 0;

   (void)data;
   CHECK(has_whole_structs(kernel));
   for (uint32_t i = 0; i < kernel->objects; i++) {
      fields += kernel->object[i].record == 1 ? 1 : 0;
   }
   return fields >= 2;
}

/* A kernel fails that holds mul_hi() of longs. */
static bool has_mul_hi(void *tried, void *data)
{
   struct ocl_program *kernel = tried;
   bool needed[OCL_NODES];

   (void)data;
   ocl_needed(kernel, needed);
   for (uint32_t i = 0; i < kernel->count; i++) {
      if (needed[i] && kernel->nodes[i].kind == OCL_OP && strcmp(ocl_ops[kernel->nodes[i].op].name, "mul_hi") == 0) {
         return true;
      }
   }
   return false;
}

/* A kernel fails that writes the second variable; `data` counts the tries. */
static bool writes(void *tried, void *data)
{
   struct ocl_program *kernel = tried;
   bool found = false;

   ++*(unsigned *)data;
   for (uint32_t i = 0; i < kernel->count; i++) {
      found |= kernel->nodes[i].kind == OCL_WRITE && kernel->nodes[i].slot == 1;
   }
   return found;
}

/* A kernel fails that writes a variable and has few registers, or writes many. */
static bool spills(void *tried, void *data)
{
   struct ocl_program *kernel = tried;
   (void)data;
   return count_writes(kernel) >= (kernel->registers == FUZZ_REGISTERS_ALL ? 30 : 1);
}

/* Of many statements in a row one is needed. */
static void check_runs(void)
{
   const struct ocl_type type = {OCL_INT, 1};
   unsigned tries = 0;

   memset(&program, 0, sizeof(program));
   program.lanes = 1;
   program.objects = 2;
   program.object[0] = program.object[1] = (struct ocl_object){.type = type, .length = 1};
   const uint16_t zero = add_constant(type, 0);
   for (unsigned i = 0; i < 200; i++) {
      add((struct ocl_node){.kind = OCL_WRITE, .type = type, .slot = i == 77, .count = 2, .source = {zero, zero}});
   }
   ocl_shrink(&program, NULL, writes, &tries);
   CHECK_EQUAL(count_writes(&program), 1);
   CHECK(tries < 50);
}

/* A kernel fails that has a statement. Each that is tried can be printed. */
static bool has_statement(void *tried, void *data)
{
   struct ocl_program *kernel = tried;
   bool any = false;

   (void)data;
   for (uint32_t i = 0; i < kernel->count; i++) {
      const struct ocl_node *node = &kernel->nodes[i];
      CHECK(node->kind != OCL_OUTPUT || kernel->nodes[node->source[0]].kind != OCL_NONE);
      any |= ocl_has_effect(node);
   }
   return any;
}

/* The index of a variable is not printed, and may be gone: no output takes it. */
static void check_gone(void)
{
   const struct ocl_type type = {OCL_INT, 1};

   begin(1);
   program.objects = 1;
   program.object[0] = (struct ocl_object){.type = type, .length = 1};
   const uint16_t gone = add((struct ocl_node){.kind = OCL_NONE, .type = type}), seven = add_constant(type, 7);
   add((struct ocl_node){.kind = OCL_WRITE, .type = type, .count = 2, .source = {gone, seven}});
   ocl_shrink(&program, NULL, has_statement, NULL);
   CHECK_EQUAL(program.nodes[2].kind, OCL_OUTPUT);
   CHECK_EQUAL(program.nodes[2].source[0], seven);
}

/* A kernel that needs all registers is shrunk with fewer of them, and keeps those. */
static void check_registers(void)
{
   unsigned tried = 0;

   for (unsigned seed = 0; seed < 300 && tried < 3; seed++) {
      ocl_generate(&program, seed * UINT64_C(0x9e3779b97f4a7c15));
      if (count_writes(&program) < 60) {
         continue;
      }
      ocl_shrink(&program, NULL, spills, NULL);
      CHECK_EQUAL(count_writes(&program), 1);
      CHECK_EQUAL(program.registers, FUZZ_REGISTERS_FEW);
      tried++;
   }
   CHECK_EQUAL(tried, 3);
}

/* Every generated kernel has an end, and those that hold an operation shrink to that one. */
static void check_generated(void)
{
   unsigned shrunk = 0, structs = 0;

   for (unsigned seed = 0; seed < 60; seed++) {
      ocl_generate(&program, seed * UINT64_C(0x9e3779b97f4a7c15)); /* the high bits choose, too */
      CHECK(program.outputs != 0);
      CHECK(ocl_evaluate(&program, &outputs));
      if (has_mul_hi(&program, NULL)) {
         ocl_shrink(&program, NULL, has_mul_hi, NULL);
         CHECK(has_mul_hi(&program, NULL));
         CHECK(ocl_size(&program) <= 6);
         shrunk++;
      } else if (structs < 5 && has_struct(&program, NULL)) {
         ocl_shrink(&program, NULL, has_struct, NULL);
         CHECK(has_struct(&program, NULL));
         structs++;
      }
   }
   CHECK(shrunk > 10);
   CHECK_EQUAL(structs, 5);
}

/* The report of a check names the line of the source that the instruction is of. */
static void check_line(void)
{
   static const char source[] = "kernel void k(global int *out)\n"
                                "{\n"
                                "   int i = get_global_id(0);\n"
                                "\n"
                                "   out[i + (1 << 20)] = 7;\n"
                                "}\n";
   static struct fuzz_program none;
   static struct fuzz_outputs found;
   struct compiler_result compiled = {0};
   struct bench_device bench;
   char why[ATTEMPT_WHY] = "";

   CHECK(bench_device_open(&bench, "virtual:m1,check=all", NULL, why, sizeof(why)) == 0);
   struct compiler_options options = bench.options;
   options.lines = true;
   CHECK(compiler_opencl("fuzz.cl", source, strlen(source), &options, &compiled) == 0 && compiled.count == 1);
   if (compiled.count == 1) {
      (void)attempt_run(&bench, &none, compiled.programs[0], &found);
      CHECK(attempt_checked(&bench, compiled.programs[0], why, sizeof(why)));
      /* Elsewhere than with Mesa 25.0, programs have no lines. */
      CHECK(compiled.programs[0]->line_count == 0 || strstr(why, "; fuzz.cl:5") != NULL);
      CHECK(attempt_checked(&bench, NULL, why, sizeof(why)) && strstr(why, "fuzz.cl") == NULL);
   }
   compiler_result_finish(&compiled);
   bench_device_close(&bench);
}

int main(void)
{
   check_line();
   check_ops();
   check_guards();
   check_outlined_guard();
   check_known();
   check_sampler();
   check_control();
   check_turns();
   check_reads();
   check_loop();
   check_outputs();
   check_variables();
   check_array_writes();
   check_large_arrays();
   check_fields();
   check_switch();
   check_generated();
   check_runs();
   check_gone();
   check_registers();
   return check_result();
}
