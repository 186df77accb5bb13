/* SPDX-License-Identifier: MIT
 *
 * What some generated kernels have more of than others: rounded floats, NaN, loops of all forms with a constant count,
 * struct copies, wide arguments, places in global memory. Right answers stand here as OpenCL C and IEEE 754 define
 * them; the virtual device stores them, too.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/opencl/generate/generator.h"
#include "fuzz/opencl/shrink/shrink.h"
#include "fuzz/opencl/generate/generate.h"
#include "tests/fuzzing/opencl/kernels.h"

static struct ocl_outputs outputs;
static const struct ocl_type number = {OCL_INT, 1};

/* A value that the compiler does not know. */
static uint16_t add_input(struct ocl_type type, uint64_t value)
{
   program.input_type[program.inputs] = type;
   for (uint32_t lane = 0; lane < OCL_LANES; lane++) {
      for (unsigned i = 0; i < type.width; i++) {
         program.input[program.inputs][lane][i] = value & ocl_mask(type.base);
      }
   }
   return add((struct ocl_node){.kind = OCL_INPUT, .type = type, .slot = (uint8_t)program.inputs++});
}

static uint16_t add_op(const char *name, struct ocl_type type, uint8_t count, uint16_t a, uint16_t b, uint16_t c)
{
   unsigned op = 0;

   while (op < ocl_op_count && strcmp(ocl_ops[op].name, name) != 0) {
      op++;
   }
   CHECK(op < ocl_op_count);
   return add((struct ocl_node){.kind = OCL_OP, .op = (uint8_t)op, .type = type, .count = count, .source = {a, b, c}});
}

/* Floats as bits. */
static const struct {
   const char *name;
   uint8_t base, from, width, count;
   uint32_t a, b, c, right;
} rows[] = {
    /* 2^24 + 1 and 2^24 + 3 lie between two floats. */
    {"real_add", OCL_FLOAT, OCL_FLOAT, 1, 2, 0x4b800000, 0x3f800000, 0, 0x4b800000},
    {"real_add", OCL_FLOAT, OCL_FLOAT, 1, 2, 0x4b800001, 0x3f800000, 0, 0x4b800002},
    {"real_sub", OCL_HALF, OCL_HALF, 1, 2, 0x6801, 0x3c00, 0, 0x6800}, /* 2050 - 1: a tie */
    {"real_mul", OCL_HALF, OCL_HALF, 1, 2, 0x3c01, 0x3e00, 0, 0x3e02}, /* 1.5 * (1 + 2^-10): a tie */
    {"real_mul", OCL_FLOAT, OCL_FLOAT, 1, 2, 0x7f7fffff, 0x40000000, 0, 0x7f800000},
    /* 683 * 48 lies between two halves, and 2^-14 is lost in a float. */
    {"fma", OCL_HALF, OCL_HALF, 1, 3, 0x6156, 0x5200, 0x0400, 0x7801},
    {"fma", OCL_HALF, OCL_HALF, 1, 3, 0x6156, 0x5200, 0x8400, 0x7800},
    /* (1 + 2^-23)^2 - (1 + 2^-23): 2^-23 + 2^-46 */
    {"fma", OCL_FLOAT, OCL_FLOAT, 1, 3, 0x3f800001, 0x3f800001, 0xbf800001, 0x34000001},
    /* NaN */
    {"fmin", OCL_FLOAT, OCL_FLOAT, 1, 2, 0x7fc00000, 0x3fc00000, 0, 0x3fc00000},
    {"fmin", OCL_FLOAT, OCL_FLOAT, 1, 2, 0x3fc00000, 0xffc12345, 0, 0x3fc00000},
    {"fmax", OCL_HALF, OCL_HALF, 1, 2, 0x7e00, 0xfc00, 0, 0xfc00},
    {"sign", OCL_FLOAT, OCL_FLOAT, 1, 1, 0x7fc00000, 0, 0, 0},
    {"isless", OCL_INT, OCL_FLOAT, 1, 2, 0x7fc00000, 0x3f800000, 0, 0},
    {"not_less", OCL_INT, OCL_FLOAT, 1, 2, 0x7fc00000, 0x3f800000, 0, 1},
    {"not_less", OCL_INT, OCL_FLOAT, 1, 2, 0x3f800000, 0x40000000, 0, 0},
    {"not_greaterequal", OCL_INT, OCL_FLOAT, 2, 2, 0x3f800000, 0x7fc00000, 0, UINT32_MAX},
    {"not_lessequal", OCL_SHORT, OCL_HALF, 4, 2, 0x3c00, 0x7e00, 0, 0xffff},
    {"not_greater", OCL_INT, OCL_FLOAT, 1, 2, 0x80000000, 0, 0, 1}, /* -0.0 is not greater than 0.0 */
    {"isnan", OCL_INT, OCL_FLOAT, 1, 1, 0xffc12345, 0, 0, 1},
    {"isordered", OCL_INT, OCL_FLOAT, 1, 2, 0x7f800000, 0x7fc00000, 0, 0},
    {"isunordered", OCL_INT, OCL_FLOAT, 1, 2, 0x7f800000, 0x7fc00000, 0, 1},
    {"isnotequal", OCL_INT, OCL_FLOAT, 1, 2, 0x7fc00000, 0x7fc00000, 0, 1},
    {"islessgreater", OCL_INT, OCL_FLOAT, 1, 2, 0x7fc00000, 0x3f800000, 0, 0},
    {"convert_sat", OCL_INT, OCL_FLOAT, 1, 1, 0x7fc00000, 0, 0, 0},
    {"convert", OCL_INT, OCL_FLOAT, 1, 1, 0x7fc00000, 0, 0, 0}, /* the guard: with _sat */
    /* What depends on which NaN it is gets 1.5. */
    {"as", OCL_UINT, OCL_FLOAT, 1, 1, 0xffc12345, 0, 0, 0x3fc00000},
    {"as", OCL_UINT, OCL_FLOAT, 2, 1, 0x7fc00000, 0, 0, 0x3fc00000},
    {"signbit", OCL_INT, OCL_FLOAT, 1, 1, 0xffc00000, 0, 0, 0},
    {"copysign", OCL_FLOAT, OCL_FLOAT, 1, 2, 0x40000000, 0xffc00000, 0, 0x40000000},
    {"vstore_half", OCL_USHORT, OCL_FLOAT, 1, 1, 0xffc00000, 0, 0, 0x3e00},
};

static void check_rows(struct bench_device *bench)
{
   for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      const struct ocl_type from = {rows[i].from, rows[i].width}, to = {rows[i].base, rows[i].width};
      begin(1);
      program.rounded = program.nans = true;
      const uint16_t a = add_input(from, rows[i].a), b = add_input(from, rows[i].b), c = add_input(from, rows[i].c);
      uint16_t result = add_op(rows[i].name, to, rows[i].count, a, b, c);
      if (ocl_real(to.base)) {
         const struct ocl_type bits = {to.base == OCL_HALF ? OCL_USHORT : OCL_UINT, to.width};
         result = add_op("as", bits, 1, result, 0, 0);
      }
      add_output(result);
      CHECK(ocl_evaluate(&program, &outputs));
      const uint64_t found = outputs.value[0][0][to.width - 1];
      if (found != rows[i].right) {
         printf("row %u, %s: 0x%llx, right 0x%x\n", i, rows[i].name, (unsigned long long)found, rows[i].right);
      }
      CHECK_EQUAL(found, rows[i].right);
      check_right(bench);
   }
}

/* A number stands for a NaN where its bits count. */
static void check_text(void)
{
   const struct ocl_type real = {OCL_FLOAT, 1}, reals = {OCL_FLOAT, 2};

   begin(1);
   program.nans = true;
   add_output(add_op("as", (struct ocl_type){OCL_UINT, 1}, 1, add_input(real, 0x7fc00000), 0, 0));
   add_output(add_op("as", (struct ocl_type){OCL_UINT, 2}, 1, add_constant(reals, 0x7fc00000), 0, 0));
   CHECK(ocl_evaluate(&program, &outputs));
   CHECK(text_has("as_uint((isnan(in0[0]) ? (0x1.8p+0f) : in0[0]))"));
   CHECK(text_has("as_uint2(select((float2)(NAN), (float2)((0x1.8p+0f)), isnan((float2)(NAN))))"));
   char shape[256];
   ocl_shape(&program, shape, sizeof(shape));
   CHECK(strcmp(shape, "as uint(_:float); as uint2(#nan:float2)") == 0);
   program.nans = false; /* programs in NIR that are translated keep their bits */
   CHECK(ocl_evaluate(&program, &outputs));
   CHECK(text_has("out0[0] = as_uint(in0[0]);"));
}

static const struct {
   uint8_t form;
   const char *begin, *end, *turn;
} forms[] = {
    {OCL_FOR_DOWN, "for (int j2 = 5; j2 > 0; j2--) {", "}", "(uint)(5 - j2)"},
    {OCL_FOR_BY_2, "for (int j2 = 0; j2 < 10; j2 += 2) {", "}", "(uint)(j2 / 2)"},
    {OCL_FOR_BY_3, "for (int j2 = 0; j2 < 13; j2 += 3) {", "}", "(uint)(j2 / 3)"},
    {OCL_FOR_TO, "for (int j2 = 1; j2 <= 5; j2++) {", "}", "(uint)(j2 - 1)"},
    {OCL_FOR_UNTIL, "for (uint j2 = 0; j2 != 5; j2++) {", "}", "(uint)j2"},
    {OCL_DO_UP, "int j2 = 0; do {", "} while (++j2 < 5);", "(uint)j2"},
};

/* m = m * 3 + turn, five times; the turn with number 3 is left out by a continue. */
static void check_loops(struct bench_device *bench)
{
   const struct ocl_type type = {OCL_UINT, 1};

   for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
      begin(1);
      program.objects = 1;
      program.object[0] = (struct ocl_object){.type = type, .length = 1, .start = {7}};
      const uint16_t three = add_constant(type, 3), zero = add_constant(number, 0);
      add((struct ocl_node){.kind = OCL_LOOP, .type = number, .data = {5}, .form = forms[i].form});
      const uint16_t turn = add((struct ocl_node){.kind = OCL_TURN, .type = type});
      const uint16_t skips = add_op("eq", number, 2, turn, three, 0);
      add((struct ocl_node){.kind = OCL_CONTINUE, .type = number, .count = 1, .source = {skips}});
      const uint16_t product = add_op("mul", type, 2, add_read(0, zero), three, 0);
      const uint16_t sum = add_op("add", type, 2, product, turn, 0);
      add((struct ocl_node){.kind = OCL_WRITE, .type = type, .count = 2, .source = {zero, sum}});
      add((struct ocl_node){.kind = OCL_ENDLOOP, .type = number});
      add_output(add_read(0, zero));
      CHECK(ocl_evaluate(&program, &outputs));
      CHECK_EQUAL(outputs.value[0][0][0], (((7 * 3 + 0) * 3 + 1) * 3 + 2) * 3 + 4);
      CHECK(text_has(forms[i].begin));
      CHECK(text_has(forms[i].end));
      CHECK(text_has(forms[i].turn));
      check_right(bench);
   }
}

/* Both fields of element 1 become those of element 2, at indices that are computed. */
static void check_copy(struct bench_device *bench)
{
   const struct ocl_type types[2] = {{OCL_UCHAR, 1}, {OCL_LONG, 3}};

   begin(1);
   program.objects = 2;
   for (uint8_t i = 0; i < 2; i++) {
      program.object[i] = (struct ocl_object){.type = types[i], .record = 1, .length = 4, .start = {3, 4, 5, 6, 7, 8}};
   }
   const uint16_t to = add_input(number, 5), from = add_constant(number, 2);
   add((struct ocl_node){.kind = OCL_COPY, .type = number, .slot = 1, .count = 2, .source = {to, from}});
   add_output(add_read(0, to));
   add_output(add_read(1, add_constant(number, 1)));
   CHECK(ocl_evaluate(&program, &outputs));
   CHECK_EQUAL(outputs.value[0][0][0], 5);
   CHECK_EQUAL(outputs.value[1][0][2], 7);
   CHECK(text_has("   r1[in0[0] & 3] = r1[2 & 3];\n"));
   check_right(bench);
}

/* What uniforms beyond the first 512 bytes hold is used. */
static void check_arguments(struct bench_device *bench)
{
   const struct ocl_type type = {OCL_ULONG, 16};

   begin(1);
   uint16_t sum = add_input(type, 1);
   for (uint8_t i = 0; i < OCL_SCALARS; i++) {
      program.scalar_type[i] = type;
      for (unsigned j = 0; j < OCL_WIDTH; j++) {
         program.scalar[i][j] = UINT64_C(1) << (5 * i) | j;
      }
      program.scalars++;
      sum = add_op("xor", type, 2, sum, add((struct ocl_node){.kind = OCL_SCALAR, .type = type, .slot = i}), 0);
   }
   add_output(sum);
   CHECK(ocl_evaluate(&program, &outputs));
   CHECK_EQUAL(outputs.value[0][0][0], UINT64_C(0x0084210842108420)); /* 1 ^ 1 is 0 */
   CHECK(text_has("ulong16 a11)"));
   check_right(bench);
}

/* A kernel fails that has a wide argument and a wide output. */
static bool has_argument(void *tried, void *data)
{
   struct ocl_program *kernel = tried;
   bool needed[OCL_NODES];

   (void)data;
   ocl_needed(kernel, needed);
   for (uint32_t i = 0; i < kernel->count; i++) {
      if (needed[i] && kernel->nodes[i].kind == OCL_SCALAR) {
         CHECK(ocl_same(kernel->nodes[i].type, kernel->scalar_type[kernel->nodes[i].slot]));
         return kernel->scalar[kernel->nodes[i].slot][0] == 0xdead;
      }
   }
   return false;
}

/* Arguments become scalars with the component that is looked for. */
static void check_narrow(void)
{
   begin(1);
   program.scalars = 1;
   program.scalar_type[0] = (struct ocl_type){OCL_UINT, 16};
   program.scalar[0][0] = program.scalar[0][2] = 0xdead;
   add_output(add((struct ocl_node){.kind = OCL_SCALAR, .type = program.scalar_type[0]}));
   ocl_shrink(&program, NULL, has_argument, NULL);
   CHECK(text_has("uint a0)"));
}

/* No value that a block makes is used behind its end. */
static bool is_scoped(void)
{
   static bool open[OCL_NODES + 1]; /* blocks, by the node that begins them, from 1 on; 0: the kernel */
   static uint32_t block_of[OCL_NODES];
   uint32_t stack[2 * OCL_DEPTH + 2] = {0}, depth = 0;
   bool fine = true;

   memset(open, 0, sizeof(open));
   open[0] = true;
   for (uint32_t i = 0; i < program.count && depth < 2 * OCL_DEPTH; i++) {
      const struct ocl_node *node = &program.nodes[i];
      const uint8_t kind = node->kind;
      for (unsigned j = 0; j < node->count; j++) {
         fine &= open[block_of[node->source[j]]];
      }
      if (kind == OCL_ELSE || kind == OCL_CASE || kind == OCL_DEFAULT) { /* another block in place of the one before */
         open[stack[depth]] = false;
         stack[depth] = i + 1;
         open[i + 1] = true;
      } else if (kind == OCL_IF || kind == OCL_LOOP || kind == OCL_SWITCH) {
         stack[++depth] = i + 1;
         open[i + 1] = true;
      } else if (kind == OCL_ENDIF || kind == OCL_ENDLOOP || kind == OCL_ENDSWITCH) {
         open[stack[depth--]] = false;
      }
      block_of[i] = stack[depth];
   }
   return fine;
}

/* Every feature comes up, and its kernels have an end. Vectors lie in neighbouring elements. */
static void check_generated(void)
{
   unsigned nans = 0, rounded = 0, forms_seen = 0, copies = 0, wide = 0, own = 0;

   for (uint64_t seed = 0; seed < 300; seed++) {
      ocl_generate(&program, seed * UINT64_C(0x9e3779b97f4a7c15));
      CHECK(ocl_evaluate(&program, &outputs));
      CHECK(is_scoped());
      nans += program.nans ? 1 : 0;
      rounded += program.rounded ? 1 : 0;
      wide += program.scalars != 0 && program.scalar_type[0].width == 16 ? 1 : 0;
      for (uint32_t i = 0; i < program.count; i++) {
         const struct ocl_node *node = &program.nodes[i];
         const bool vector = node->kind == OCL_VLOAD || node->kind == OCL_VSTORE;
         forms_seen |= node->kind == OCL_LOOP ? 1u << node->form : 0;
         copies += node->kind == OCL_COPY ? 1 : 0;
         own |= node->kind == OCL_OWN ? 1u << node->form : 0;
         CHECK(!vector || !ocl_is_global(&program.object[node->slot]) ||
               program.object[node->slot].order != OCL_COLUMNS);
      }
   }
   CHECK(nans > 15 && rounded > 30 && copies > 10 && wide > 5);
   CHECK_EQUAL(forms_seen, (1u << OCL_LOOP_FORMS) - 1);
   CHECK_EQUAL(own, (1u << OCL_OWN_FORMS) - 1);
}

int main(void)
{
   struct bench_device bench;
   char why[ATTEMPT_WHY] = "";

   CHECK(bench_device_open(&bench, "virtual:m1,check=all", NULL, why, sizeof(why)) == 0);
   check_rows(&bench);
   check_text();
   check_loops(&bench);
   check_copy(&bench);
   check_arguments(&bench);
   check_narrow();
   check_generated();
   bench_device_close(&bench);
   return check_result();
}
