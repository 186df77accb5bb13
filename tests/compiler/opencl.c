/* SPDX-License-Identifier: MIT
 *
 * OpenCL C at run time: what a kernel needs is in its program, what is wrong is in the log.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "tests/compiler/programs.h"

/* Argument `index` of a program, as "kind offset size". The layout is OpenCL C's: natural alignment, a vector of three
 * takes four. */
static void check_argument(const struct agx_program *program, size_t index, uint32_t kind, uint32_t offset,
                           uint32_t size)
{
   CHECK(index < program->argument_count);
   if (index < program->argument_count) {
      CHECK_EQUAL(program->arguments[index].kind, kind);
      CHECK_EQUAL(program->arguments[index].offset, offset);
      CHECK_EQUAL(program->arguments[index].size, size);
   }
}

static const struct agx_uniform_range *find_range(const struct agx_program *program, uint32_t source)
{
   for (size_t i = 0; i < program->uniform_count; i++) {
      if (program->uniforms[i].source == source) {
         return &program->uniforms[i];
      }
   }
   return NULL;
}

static const char saxpy[] = "kernel void saxpy(global float *y, const global float *x, float a)\n"
                            "{ size_t i = get_global_id(0); y[i] = fma(a, x[i], y[i]); }\n";

static void check_saxpy(const struct agx_program *program)
{
   CHECK(strcmp(program->name, "saxpy") == 0);
   CHECK_EQUAL(check_count(program, ISA_OP_FFMA), 1);
   CHECK_EQUAL(check_count(program, ISA_OP_LOAD), 2);
   CHECK_EQUAL(check_count(program, ISA_OP_STORE), 1);
   CHECK_EQUAL(program->argument_count, 3);
   check_argument(program, 0, AGX_ARGUMENT_BUFFER, 0, 8);
   check_argument(program, 1, AGX_ARGUMENT_BUFFER, 8, 8);
   check_argument(program, 2, AGX_ARGUMENT_VALUE, 16, 4);
   CHECK(!program->arguments[0].read_only);
   CHECK(program->arguments[1].read_only);
   CHECK(strcmp(program->arguments[0].name, "y") == 0);
   CHECK(strcmp(program->arguments[0].type, "float*") == 0);
   CHECK(strcmp(program->arguments[2].name, "a") == 0);
   CHECK(find_range(program, AGX_UNIFORM_DISPATCH) != NULL); /* get_global_id counts from the offset */
   CHECK(!program->uses_atomics);
}

static const char layout[] =
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "struct __attribute__((packed)) odd { char c; long l; short s; };\n"
    "struct s { char c; float3 v; int i[3]; };\n"
    "kernel void layout(uchar b, struct s s, char3 c3, global int *o, local int *l, struct odd p,\n"
    "                   half h, ulong16 big, constant int *k)\n"
    "{ o[l[0]] = b + s.v.y + s.i[1] + c3.z + p.l + p.s + (int)h + big.s7 + k[0]; }\n";

static void check_layout(const struct agx_program *program)
{
   check_argument(program, 0, AGX_ARGUMENT_VALUE, 0, 1);
   check_argument(program, 1, AGX_ARGUMENT_VALUE, 16, 48);
   check_argument(program, 2, AGX_ARGUMENT_VALUE, 64, 4);
   check_argument(program, 3, AGX_ARGUMENT_BUFFER, 72, 8);
   check_argument(program, 4, AGX_ARGUMENT_LOCAL, 80, 8);
   check_argument(program, 5, AGX_ARGUMENT_VALUE, 88, 11);
   check_argument(program, 6, AGX_ARGUMENT_VALUE, 100, 2);
   check_argument(program, 7, AGX_ARGUMENT_VALUE, 128, 128);
   check_argument(program, 8, AGX_ARGUMENT_BUFFER, 256, 8);
   CHECK(program->arguments[8].read_only);
   /* 264 bytes are more than go into uniforms directly. */
   CHECK(find_range(program, AGX_UNIFORM_ARGUMENTS_ADDRESS) != NULL);
   CHECK(find_range(program, AGX_UNIFORM_ARGUMENTS) == NULL);
}

static const char packed[] = "struct __attribute__((packed)) odd { char c; long l; };\n"
                             "kernel void packed(struct odd p, global long *o) { o[0] = p.l; }\n";

static void check_packed(const struct agx_program *program)
{
   check_argument(program, 0, AGX_ARGUMENT_VALUE, 0, 9);
   check_argument(program, 1, AGX_ARGUMENT_BUFFER, 16, 8);
   CHECK(program->has_preamble); /* no uniform lies at byte 1: it is put together, once for all threads */
}

/* Mesa 25.0.7 stops the process on its own form of this, were its options taken as they are. */
static const char pack[] =
    "kernel void pack(global ulong *o, global ushort *s)\n"
    "{ int i = get_global_id(0); o[i] = as_ulong((ushort4)(s[i], s[i + 1], s[i + 3], 7)) + 5; }\n";

static void check_pack(const struct agx_program *program)
{
   CHECK_EQUAL(program->argument_count, 2);
}

static const char indexed[] = "struct s { float v[8]; };\n"
                              "kernel void indexed(struct s s, int i, global float *o) { o[0] = s.v[i]; }\n";

static void check_indexed(const struct agx_program *program)
{
   check_argument(program, 0, AGX_ARGUMENT_VALUE, 0, 32);
   CHECK(find_range(program, AGX_UNIFORM_ARGUMENTS) != NULL ||
         find_range(program, AGX_UNIFORM_ARGUMENTS_ADDRESS) != NULL);
}

static const char tables[] = "constant int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};\n"
                             "constant float pi = 3.25f;\n"
                             "kernel void tables(global float *o, int i) { o[0] = primes[i & 7] * pi; }\n";

static void check_tables(const struct agx_program *program)
{
   static const int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};

   CHECK(find_range(program, AGX_UNIFORM_CONSTANTS_ADDRESS) != NULL);
   CHECK(program->constants_size >= sizeof(primes));
   CHECK(program->constants_size < sizeof(primes) || memcmp(program->constants, primes, sizeof(primes)) == 0);
}

static const char shared[] = "kernel __attribute__((reqd_work_group_size(64, 2, 1))) void shared(global uint *o)\n"
                             "{ local uint tile[128]; uint i = get_local_id(1) * 64 + get_local_id(0);\n"
                             "  tile[i] = o[i]; barrier(CLK_LOCAL_MEM_FENCE); o[i] = tile[127 - i];\n"
                             "  atomic_inc(&o[0]); }\n";

static void check_shared(const struct agx_program *program)
{
   CHECK_EQUAL(program->threadgroup_bytes, 512);
   CHECK_EQUAL(program->workgroup_size[0], 64);
   CHECK_EQUAL(program->workgroup_size[1], 2);
   CHECK_EQUAL(program->workgroup_size[2], 1);
   CHECK_EQUAL(check_count(program, ISA_OP_BARRIER), 1);
   CHECK_EQUAL(check_count(program, ISA_OP_LLOAD), 1);
   CHECK_EQUAL(check_count(program, ISA_OP_LSTORE), 1);
   CHECK_EQUAL(check_count(program, ISA_OP_ATOMIC), 1);
   CHECK(program->uses_atomics);
}

static const char types[] = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                            "kernel void types(global half *h, global long *l, half x)\n"
                            "{ int i = get_global_id(0); h[i] = h[i] * x; l[i] = l[i] / (l[i + 1] | 1); }\n";

static void check_types(const struct agx_program *program)
{
   check_argument(program, 2, AGX_ARGUMENT_VALUE, 16, 2);
   CHECK_EQUAL(check_count(program, ISA_OP_HMUL) + check_count(program, ISA_OP_FMUL), 1);
}

static const char subgroups[] =
    "kernel void subgroups(global int *o) { int i = get_global_id(0), v = o[i];\n"
    "o[i] = sub_group_reduce_add(v) + sub_group_shuffle_xor(v, 1) + sub_group_ballot(v).x; }\n";

static void check_subgroups(const struct agx_program *program)
{
   CHECK_EQUAL(check_count(program, ISA_OP_REDUCE), 1);
   CHECK(check_count(program, ISA_OP_SHUFFLE) >= 1);
   CHECK_EQUAL(check_count(program, ISA_OP_ICMP_BALLOT), 1);
}

/* A generic pointer whose memory is known at run time only, private memory included. */
static const char generic[] =
    "void put(int *p, int v) { *p = v; }\n"
    "kernel void pointers(global int *o, local int *l) { int a[100]; int i = get_global_id(0);\n"
    "for (int k = 0; k < 100; k++) a[k] = o[i * k];\n"
    "int *q = i & 1 ? &a[o[i] & 63] : (int *)l; put(q, 3); put(o + i, a[i % 100] + *q);\n"
    "atomic_fetch_add((volatile atomic_int *)q, 7); }\n";

static void check_generic(const struct agx_program *program)
{
   CHECK(program->scratch_bytes >= 400);
   CHECK(check_count(program, ISA_OP_STACK_STORE) > 0);
}

static const char spill[] =
    "kernel void spill(global float16 *o, global float16 *p) { int i = get_global_id(0);\n"
    "float16 a=o[i],b=o[i+1],c=o[i+2],d=o[i+3],e=o[i+4],f=o[i+5],g=o[i+6],h=o[i+7]; mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
    "p[i]=a; p[i+1]=b*a; p[i+2]=c*b; p[i+3]=d*c; p[i+4]=e*d; p[i+5]=f*e; p[i+6]=g*f; p[i+7]=h*g;\n"
    "mem_fence(CLK_GLOBAL_MEM_FENCE); p[i+8]=a+b+c+d+e+f+g+h; }\n";

static void check_spill(const struct agx_program *program)
{
   CHECK_EQUAL(program->half_registers, 104); /* all that 1024 threads leave to each: spec/isa.md 1.2 */
   CHECK(program->scratch_bytes > 0);
}

static const char macros[] = "kernel void NAME(global int *o) { o[0] = VALUE + MORE + LAST; }\n";

static void check_macros(const struct agx_program *program)
{
   CHECK(strcmp(program->name, "quoted") == 0);
   CHECK_EQUAL(check_count(program, ISA_OP_LOAD), 1); /* of three words */
}

/* The components of a vector argument, one after the other: s as 3 halves at byte 8, v as 4 words at byte 16. */
static const char vector[] =
    "kernel void vector(global int *o, short3 s, int4 v)\n"
    "{ o[0] = v.x; o[1] = v.y; o[2] = v.z; o[3] = v.w; o[4] = s.x; o[5] = s.y; o[6] = s.z; }\n";

static void check_vector(const struct agx_program *program)
{
   unsigned words = 0, halves = 0;

   for (uint32_t at = 0; at < program->main_size;) {
      struct isa_insn insn;
      isa_decode(program->set, program->code + program->main_offset + at, program->main_size - at, &insn);
      for (unsigned i = 0; i < 2; i++) {
         if (insn.src[i].kind == ISA_UNIFORM && insn.src[i].size != 64) {
            *(insn.src[i].size == 32 ? &words : &halves) |= 1u << insn.src[i].value;
         }
      }
      at += insn.length;
   }
   CHECK_EQUAL(program->uniforms[0].start, 0);
   CHECK_EQUAL(words, 0x5500);
   CHECK_EQUAL(halves, 0x70);
}

/* Without SPIRV-Tools' linker, spirv_to_nir refuses what clang makes of the initial value. */
static const char linked[] = "kernel void k(global long *r, int j) { long val[9] = {0x1337};\n"
                             "for (int i = 1; i < 9; i++) { val[i] = r[i]; } *r = val[j]; }\n";

static void check_linked(const struct agx_program *program)
{
   CHECK_EQUAL(program->argument_count, 2);
}

static void test_kernels(void)
{
   static const struct {
      const char *source, *options;
      void (*check)(const struct agx_program *program);
   } cases[] = {
       {saxpy, NULL, check_saxpy},
       {layout, NULL, check_layout},
       {vector, NULL, check_vector},
       {packed, NULL, check_packed},
       {pack, NULL, check_pack},
       {indexed, NULL, check_indexed},
       {tables, NULL, check_tables},
       {shared, NULL, check_shared},
       {types, NULL, check_types},
       {subgroups, "-cl-std=CL2.0", check_subgroups},
       {generic, "-cl-std=CL2.0", check_generic},
       {spill, NULL, check_spill},
       {linked, NULL, check_linked},
       {macros,
        " -DNAME=quoted -D 'VALUE=o[1] + 7' -DMORE=o[2]\\ +\\ 1 \"-DLAST=o[3] + 2\" -cl-mad-enable "
        "-cl-denorms-are-zero ",
        check_macros},
   };

   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      const struct compiler_options options = {.arguments = cases[i].options};
      struct compiler_result result;
      int ret = compiler_opencl("test.cl", cases[i].source, strlen(cases[i].source), &options, &result);
      if (ret != 0 || result.count != 1) {
         fprintf(stderr, "%s -> %d, %zu kernels\n%s", cases[i].source, ret, result.count, result.log);
         check_failures++;
      } else {
         check_programs(&result);
         cases[i].check(result.programs[0]);
      }
      compiler_result_finish(&result);
   }
}

/* One kernel that the backend refuses does not lose the others. */
static void test_refused(void)
{
   static const char source[] = "kernel void good(global int *o) { o[0] = 1; }\n"
                                "kernel void talks(global int *o) { printf(\"%d\", o[0]); }\n"
                                "kernel void fine(global int *o) { o[0] = 2; }\n";
   const struct compiler_options options = {0}, chosen = {.kernel = "talks"};
   struct compiler_result result;

   CHECK_EQUAL(compiler_opencl("test.cl", source, strlen(source), &options, &result), 0);
   CHECK_EQUAL(result.count, 2);
   CHECK_EQUAL(result.refused_count, 1);
   CHECK(!compiler_result_is_unsupported(&result));
   check_programs(&result);
   const struct compiler_refusal *refusal = compiler_result_refusal(&result, "talks");
   CHECK(refusal != NULL && refusal->why.who == REFUSAL_RUNNER && strstr(refusal->reason, "printf") != NULL);
   CHECK(compiler_result_refusal(&result, "good") == NULL);
   compiler_result_finish(&result);

   CHECK_EQUAL(compiler_opencl("test.cl", source, strlen(source), &chosen, &result), -EINVAL);
   CHECK(compiler_result_is_unsupported(&result) && result.count == 0);
   compiler_result_finish(&result);
}

#if defined(__x86_64__)
/* Mesa folds the division, which the hardware never executes, on the host: docs/mesa-bugs.md 8. Other hosts' division
 * does not trap. */
static void test_crash(void)
{
   static const char source[] =
       "kernel void good(global int *o) { o[0] = 1; }\n"
       "kernel void folds(global int *o) { int a[2] = {INT_MIN, -1}; int i = get_local_size(0) > 0 ? 1 : 1;\n"
       "  o[0] = a[0] == INT_MIN && a[i] == -1 ? 0 : a[i - 1] / a[i]; o[1] = a[i - 1] / a[i]; }\n"
       "kernel void fine(global int *o) { o[0] = 2; }\n";
   const struct compiler_options options = {0}, chosen = {.kernel = "folds"}, absent = {.kernel = "none"};
   struct compiler_result result;

   CHECK_EQUAL(compiler_opencl("test.cl", source, strlen(source), &options, &result), 0);
   CHECK_EQUAL(result.count, 2);
   CHECK_EQUAL(result.refused_count, 1);
   CHECK(!result.crash.crashed && result.why.who == REFUSAL_NONE);
   check_programs(&result);
   const struct compiler_refusal *refusal = compiler_result_refusal(&result, "folds");
   CHECK(refusal != NULL && refusal->crash.crashed && refusal->crash.signal == SIGFPE);
   CHECK(refusal != NULL && strcmp(refusal->crash.kernel, "folds") == 0);
   CHECK(refusal != NULL && strstr(refusal->crash.stage, "NIR") != NULL);
   CHECK_CONTAINS(result.log,
                  "test.cl: kernel folds: error: the compiler crashed in Mesa's NIR passes: killed by signal 8");
   compiler_result_finish(&result);

   CHECK_EQUAL(compiler_opencl("test.cl", source, strlen(source), &chosen, &result), -EFAULT);
   CHECK(result.count == 0 && result.crash.crashed && result.crash.signal == SIGFPE);
   compiler_result_finish(&result);

   CHECK_EQUAL(compiler_opencl("test.cl", source, strlen(source), &absent, &result), -EINVAL);
   CHECK(result.why.who == REFUSAL_REQUEST);
   CHECK_CONTAINS(result.log, "test.cl: error: no kernel is called 'none'; there are good, folds, fine\n");
   compiler_result_finish(&result);
}
#endif

/* Functions that no kernel calls are left out; those that one reaches through another are kept. */
static void test_prune(void)
{
   static const char source[] = "constant int table[] = {3, 4, 5};\n"
                                "static int inner(int i) { return table[i & 1]; }\n"
                                "static int outer(int i) { return inner(i) + 1; }\n"
                                "int unused(global int *p) { return outer(*p) / *p; }\n"
                                "int absent(int); int calls_absent(int i) { return absent(i); }\n"
                                "kernel void k(global int *o) { o[0] = outer(o[1]); }\n"
                                "kernel void other(global int *o) { o[0] = inner(o[1]); }\n";
   const struct compiler_options options = {0};
   struct compiler_result result;

   CHECK_EQUAL(compiler_opencl("test.cl", source, strlen(source), &options, &result), 0);
   CHECK_EQUAL(result.count, 2);
   CHECK_EQUAL(result.refused_count, 0);
   check_programs(&result);
   compiler_result_finish(&result);
}

/* Mesa's register allocator does not notice the end of its memory for spilled values: docs/mesa-bugs.md 7. What fills
 * the memory is refused, but for where agx-runner's repairs are left out; what does not quite fill it is compiled, also
 * beside memory that the kernel asks for itself. */
static void test_spilled(void)
{
   static const struct {
      unsigned values, array;
      const char *options;
      bool right;
   } cases[] = {{1056, 0, NULL, true},
                {1072, 0, NULL, false},
                {1072, 0, "-D" COMPILER_NO_REPAIRS, true},
                {1000, 512, NULL, true}};

   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      char *source = NULL;
      size_t size = 0;
      const struct compiler_options options = {.arguments = cases[i].options};
      struct compiler_result result;
      FILE *file = open_memstream(&source, &size);

      CHECK(file != NULL);
      fprintf(file, "kernel void k(global uint *out, const global uint *in)\n{\n");
      if (cases[i].array != 0) {
         fprintf(file, "   uint a[%u];\n   for (uint i = 0; i < %u; i++) a[i] = in[i];\n", cases[i].array,
                 cases[i].array);
      }
      for (unsigned v = 0; v < cases[i].values; v++) {
         fprintf(file, "   uint v%u = in[%u];\n", v, v);
      }
      fprintf(file, "   barrier(CLK_GLOBAL_MEM_FENCE);\n");
      for (unsigned v = 0; v < cases[i].values; v++) {
         fprintf(file, "   out[%u] = v%u;\n", v, v);
      }
      fprintf(file, cases[i].array != 0 ? "   out[0] = a[in[1]];\n}\n" : "}\n");
      fclose(file);
      const int ret = compiler_opencl("test.cl", source, size, &options, &result);
      CHECK_EQUAL(ret, cases[i].right ? 0 : -EINVAL);
      if (!cases[i].right) {
         CHECK(result.why.who == REFUSAL_MESA);
         CHECK_CONTAINS(result.log, "4 KiB a thread for spilled registers");
      }
      compiler_result_finish(&result);
      free(source);
   }
}

/* A kernel with images is refused with the reason, and the others are kept. */
static void test_images(void)
{
   static const char source[] =
       "kernel void good(global int *o) { o[0] = 1; }\n"
       "kernel void copy(read_only image2d_t from, write_only image2d_t to, sampler_t s, float x, global float *y)\n"
       "{ int2 p = (int2)(get_global_id(0), get_global_id(1)); write_imagef(to, p, read_imagef(from, s, p) * x);\n"
       "  y[0] = x; }\n";
   const struct compiler_options options = {0};
   struct compiler_result result;

   const int ret = compiler_opencl("test.cl", source, strlen(source), &options, &result);
   CHECK(!result.crash.crashed);
   CHECK(ret == 0 ? result.count == 1 : compiler_result_is_unsupported(&result));
   CHECK_CONTAINS(result.log, "images");
   check_programs(&result);
   compiler_result_finish(&result);
}

/* Names are kept whole or not at all: two that are alike for long stay two. */
static void test_long_names(void)
{
   char source[1024];
   const struct compiler_options options = {0};
   struct compiler_result result;

   snprintf(source, sizeof(source),
            "kernel void %0254da(global int *o) { }\n"
            "kernel void %0255da(global int *o) { }\n"
            "kernel void %0254db(global int *o) { }\n",
            0, 0, 0);
   for (char *c = source; *c != '\0'; c++) {
      *c = *c == '0' ? 'k' : *c;
   }
   CHECK_EQUAL(compiler_opencl("test.cl", source, strlen(source), &options, &result), 0);
   CHECK_EQUAL(result.count, 2);
   CHECK(strcmp(result.programs[0]->name, result.programs[1]->name) != 0);
   CHECK_EQUAL(strlen(result.programs[0]->name), 255);
   CHECK_EQUAL(result.refused_count, 1);
   compiler_result_finish(&result);
}

static void test_several(void)
{
   static const char source[] = "kernel void c(global int *o) { o[0] = 1; }\nvoid helper(global int *o) { o[1] = 2; }\n"
                                "kernel void a(global int *o) { helper(o); }\nkernel void b(void) { }\n";
   const struct compiler_options options = {0};
   struct compiler_result result;

   CHECK_EQUAL(compiler_opencl("test.cl", source, strlen(source), &options, &result), 0);
   CHECK_EQUAL(result.count, 3);
   check_programs(&result);
   for (size_t i = 0; i < result.count && i < 3; i++) {
      CHECK_EQUAL(result.programs[i]->name[0], "cab"[i]); /* as they stand in the source */
   }
   compiler_result_finish(&result);
}

/* argv[1] is the directory of the test's files. */
static void test_include(const char *directory)
{
   const struct compiler_options options = {0};
   struct compiler_result result;
   char name[4096], source[1024];

   snprintf(name, sizeof(name), "%s/includer.cl", directory);
   FILE *file = fopen(name, "r");
   CHECK(file != NULL);
   if (file == NULL) {
      return;
   }
   size_t size = fread(source, 1, sizeof(source), file);
   fclose(file);
   CHECK_EQUAL(compiler_opencl(name, source, size, &options, &result), 0);
   CHECK_EQUAL(result.count, 1);
   CHECK(result.count == 0 || result.programs[0]->threadgroup_bytes == 24 * 4);
   compiler_result_finish(&result);
}

static const struct {
   const char *source, *options;
   const char *message;
   int ret;
   bool unsupported, front_end;
} messages[] = {
    {"kernel void k(global int *o)\n{\n   o[0] = undeclared;\n}\n", NULL,
     "some dir/test.cl:3:11: error: use of undeclared", -EINVAL, false, true},
    {"kernel void k(global int *o) { o[0] = 1 & 2 == o[1]; }\n", "-Wall",
     "some dir/test.cl:1:41: warning: & has lower precedence", 0, false, false},
    {"kernel void k(global int *o) { o[0] = 1 & 2 == o[1]; }\n", "-Wall -Werror", "error: & has lower precedence",
     -EINVAL, false, true},
    {"int f(int x) { return x; }\n", NULL, "no kernel", -EINVAL, false, false},
    {"int f(int x);\nkernel void k(global int *o) { o[0] = f(o[1]); }\n", NULL, "function f is not defined", -EINVAL,
     false, false},
    {"int f(int x) { return x < 2 ? x : f(x - 1) + f(x - 2); }\nkernel void k(global int *o) { o[0] = f(o[1]); }\n",
     NULL, "calls itself", -EINVAL, false, false},
    {"#include \"not_there.h\"\n", NULL, "'not_there.h' file not found", -EINVAL, false, true},
    {"kernel void k(global double *o) { o[0] = o[1] * o[2]; }\n", NULL, "double precision", -EINVAL, true, false},
    {"kernel void k(read_only image2d_t i, sampler_t s, global float4 *o) { o[0] = read_imagef(i, s, (int2)(1, 2)); "
     "}\n",
     NULL, "images", -EINVAL, true, false},
    {"kernel void k(write_only image2d_t i) { write_imagef(i, (int2)(1, 2), (float4)(1)); }\n", NULL, "images", -EINVAL,
     true, false},
    {"kernel void k(global int *o) { printf(\"%d\", o[0]); }\n", NULL, "printf", -EINVAL, true, false},
    {"kernel void k(global int *o) { int a[40000]; for (int i = 0; i < 40000; i++) a[i] = o[i]; o[0] = a[o[7]]; }\n",
     NULL, "the kernel asks for 160000 bytes", -EINVAL, true, false},
    {"kernel void k(global int *o) { local int a[10000]; a[o[0]] = 1; barrier(CLK_LOCAL_MEM_FENCE); o[0] = a[o[7]]; "
     "}\n",
     NULL, "the GPU has 32 KiB of threadgroup memory a threadgroup, and the kernel asks for 40000 bytes", -EINVAL, true,
     false},
    {"kernel void k(global int *o) { atomic_int x; atomic_init(&x, o[0]); atomic_fetch_add(&x, 1); o[1] = "
     "atomic_load(&x); }\n",
     "-cl-std=CL2.0", "no atomics on private memory", -EINVAL, true, false},
    {"global int counter;\nkernel void k(global int *o) { o[0] = counter++; }\n", "-cl-std=CL2.0",
     "has no program-scope variables in global memory with an initializer", -EINVAL, true, true},
    {"", NULL, "no kernel", -EINVAL, false, false},
    {"kernel void k(global uint *o) { o[0] = sub_group_reduce_add(o[get_local_id(0)]); }\n", NULL,
     "compiles with the build option -cl-std=CL3.0", -EINVAL, false, true},
    {"kernel void k(global int *o) { o[0] = 1; }\n", "-cl-std=CL9.9", "build options: -cl-std=CL9.9", -EINVAL, false,
     true},
};

static void test_messages(void)
{
   for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
      const struct compiler_options options = {.arguments = messages[i].options};
      struct compiler_result result;
      int ret = compiler_opencl("some dir/test.cl", messages[i].source, strlen(messages[i].source), &options, &result);
      if (ret != messages[i].ret || compiler_result_is_unsupported(&result) != messages[i].unsupported ||
          compiler_result_is_front_end(&result) != messages[i].front_end || (result.count != 0) != (ret == 0) ||
          strstr(result.log, messages[i].message) == NULL) {
         fprintf(stderr, "%s%s -> %d, %zu kernels, %s%s:\n%s", messages[i].source,
                 messages[i].options ? messages[i].options : "", ret, result.count,
                 compiler_result_is_unsupported(&result) ? "unsupported" : "an error",
                 compiler_result_is_front_end(&result) ? " of the front end" : "", result.log);
         check_failures++;
      }
      compiler_result_finish(&result);
   }
}

static void test_binary_source(void)
{
   static const char source[] = "kernel void k(void) { }\0\n";
   const struct compiler_options options = {0};
   struct compiler_result result;

   CHECK_EQUAL(compiler_opencl("test.cl", source, sizeof(source), &options, &result), -EINVAL);
   CHECK_CONTAINS(result.log, "NUL");
   compiler_result_finish(&result);
}

/* What compiler_opencl_extensions() says is what the front end defines. */
static void test_extensions(void)
{
   const struct compiler_options options = {.arguments = "-cl-std=CL2.0"};
   char source[4096] = "kernel void k(void) { }\n";
   char *names = strdup(compiler_opencl_extensions());
   char *rest = names;

   CHECK(names != NULL);
   for (char *name = strtok_r(names, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
      size_t used = strlen(source);
      snprintf(source + used, sizeof(source) - used, "#ifndef %s\n#error %s\n#endif\n", name, name);
   }
   free(names);

   struct compiler_result result;
   if (compiler_opencl("test.cl", source, strlen(source), &options, &result) != 0) {
      fprintf(stderr, "%s", result.log);
      check_failures++;
   }
   compiler_result_finish(&result);
}

int main(int argc, char **argv)
{
   if (argc != 2) {
      fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
      return 1;
   }
   test_kernels();
   test_refused();
#if defined(__x86_64__)
   test_crash();
#endif
   test_prune();
   test_spilled();
   test_images();
   test_long_names();
   test_several();
   test_include(argv[1]);
   test_messages();
   test_binary_source();
   test_extensions();
   return check_result();
}
