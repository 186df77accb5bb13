/* SPDX-License-Identifier: MIT
 *
 * The NIR road: the program says what its kernel asked for, and its code holds what was built.
 */
#include "compiler/nir.h"

#include <errno.h>

#include "tests/compiler/programs.h"

static const struct compiler_options options = {0};

static const struct agx_argument arguments[] = {
    {.kind = AGX_ARGUMENT_BUFFER, .offset = 0, .size = 8, .name = "out"},
    {.kind = AGX_ARGUMENT_VALUE, .offset = 8, .size = 4, .name = "x"},
    {.kind = AGX_ARGUMENT_VALUE, .offset = 12, .size = 2, .name = "h"},
    {.kind = AGX_ARGUMENT_VALUE, .offset = 15, .size = 1, .name = "b"},
};

static void store(nir_builder *b, nir_def *value)
{
   nir_def *id = nir_u2u64(b, nir_channel(b, nir_load_global_invocation_id(b, 32), 0));

   compat_store_global(b, nir_iadd(b, compiler_nir_argument(b, 0), nir_imul_imm(b, id, 4)), 4, value, 1);
}

static void build_chain(nir_builder *b, const void *data)
{
   const unsigned *length = data;
   nir_def *x = compiler_nir_argument(b, 1);
   nir_def *value = nir_u2f32(b, nir_load_local_invocation_index(b));

   for (unsigned i = 0; i < *length; i++) {
      value = nir_ffma(b, value, x, x);
   }
   store(b, value);
}

static void test_chain(void)
{
   const struct compiler_nir_info info = {
       .name = "chain", .workgroup_size = {32, 2, 1}, .arguments = arguments, .argument_count = 4};
   const struct compiler_nir_info largest = {
       .name = "chain", .workgroup_size = {1, 1024, 1}, .arguments = arguments, .argument_count = 4};
   const unsigned lengths[] = {1, 37, 500};

   for (unsigned i = 0; i < ARRAY_SIZE(lengths); i++) {
      struct compiler_result result;
      CHECK_EQUAL(compiler_nir(&info, build_chain, &lengths[i], &options, &result), 0);
      CHECK_EQUAL(result.count, 1);
      check_programs(&result);
      if (result.count == 1) {
         const struct agx_program *program = result.programs[0];
         CHECK_EQUAL(check_count(program, ISA_OP_FFMA), lengths[i]);
         CHECK_EQUAL(check_count(program, ISA_OP_STOP), 1);
         CHECK(strcmp(program->name, "chain") == 0);
         CHECK_EQUAL(program->argument_bytes, 16);
         CHECK_EQUAL(program->argument_count, 4);
         CHECK_EQUAL(program->workgroup_size[0], 32);
         CHECK_EQUAL(program->workgroup_size[1], 2);
         CHECK_EQUAL(program->uniform_count, 1);
         CHECK_EQUAL(program->uniforms[0].source, AGX_UNIFORM_ARGUMENTS);
         CHECK_EQUAL(program->uniforms[0].start, 0);
         CHECK_EQUAL(program->uniforms[0].size, 8);
      }
      compiler_result_finish(&result);
   }
   struct compiler_result result;
   CHECK_EQUAL(compiler_nir(&largest, build_chain, &lengths[0], &options, &result), 0);
   compiler_result_finish(&result);
}

static void build_small_arguments(nir_builder *b, UNUSED const void *data)
{
   nir_def *half = nir_u2u32(b, compiler_nir_argument(b, 2));
   nir_def *byte = nir_u2u32(b, compiler_nir_argument(b, 3));

   store(b, nir_iadd(b, nir_imul(b, half, nir_load_local_invocation_index(b)), byte));
}

static void build_dispatch(nir_builder *b, UNUSED const void *data)
{
   nir_def *size = nir_load_global_size(b, 32);
   nir_def *groups = nir_load_num_workgroups(b);

   store(b, nir_iadd(b, nir_channel(b, size, 0), nir_channel(b, groups, 1)));
}

static void build_constants(nir_builder *b, UNUSED const void *data)
{
   nir_def *value = nir_load_local_invocation_index(b);

   for (unsigned i = 0; i < 5; i++) {
      value = nir_iadd(b, nir_imul_imm(b, value, 0x12345601u + i), nir_imm_int(b, 0x7654321 + (int)i));
   }
   store(b, value);
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

static void test_uniforms(void)
{
   static const struct {
      void (*build)(nir_builder *b, const void *data);
      uint32_t source; /* that it asks for besides its arguments */
   } cases[] = {
       {build_small_arguments, AGX_UNIFORM_ARGUMENTS},
       {build_dispatch, AGX_UNIFORM_DISPATCH},
       {build_constants, AGX_UNIFORM_CONSTANTS},
   };
   const struct compiler_nir_info info = {.name = "uniforms", .arguments = arguments, .argument_count = 4};

   for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
      struct compiler_result result;
      CHECK_EQUAL(compiler_nir(&info, cases[i].build, NULL, &options, &result), 0);
      check_programs(&result);
      if (result.count == 1) {
         const struct agx_program *program = result.programs[0];
         CHECK_EQUAL(program->uniform_count, i == 0 ? 1 : 2);
         CHECK(find_range(program, cases[i].source) != NULL);
         CHECK_EQUAL(program->workgroup_size[0], 0);
      }
      compiler_result_finish(&result);
   }
}

/* What a kernel can ask of its dispatch, and the byte of struct agx_dispatch_block where that begins. */
struct dispatch_value {
   nir_intrinsic_op op;
   unsigned components, offset;
};

struct dispatch_question {
   const struct dispatch_value *value;
   unsigned component;
};

static void build_dispatch_value(nir_builder *b, const void *data)
{
   const struct dispatch_question *question = data;
   nir_intrinsic_instr *intr = nir_intrinsic_instr_create(b->shader, question->value->op);

   nir_def_init(&intr->instr, &intr->def, question->value->components, 32);
   if (nir_intrinsic_infos[question->value->op].dest_components == 0) {
      intr->num_components = (uint8_t)question->value->components;
   }
   nir_builder_instr_insert(b, &intr->instr);
   store(b, nir_channel(b, &intr->def, question->component));
}

/* The only move out of the dispatch's uniforms: its byte there. */
static unsigned moved_from(const struct agx_program *program)
{
   const struct agx_uniform_range *range = find_range(program, AGX_UNIFORM_DISPATCH);
   unsigned from = UINT_MAX;

   for (uint32_t at = 0; range != NULL && at < program->main_size;) {
      struct isa_insn insn;
      isa_decode(program->set, program->code + program->main_offset + at, program->main_size - at, &insn);
      if (insn.op == ISA_OP_BITOP && insn.src[0].kind == ISA_UNIFORM && insn.src[0].value >= range->start &&
          insn.src[0].value < range->start + range->size) {
         CHECK_EQUAL(from, UINT_MAX);
         CHECK_EQUAL(insn.src[0].size, 32);
         from = range->offset + 2 * ((unsigned)insn.src[0].value - range->start);
      }
      at += insn.length;
   }
   return from;
}

static void test_dispatch_values(void)
{
   static const struct dispatch_value values[] = {
       {nir_intrinsic_load_num_workgroups, 3, 0},
       {nir_intrinsic_load_work_dim, 1, 12},
       {nir_intrinsic_load_base_global_invocation_id, 3, 16},
       {nir_intrinsic_load_global_size, 3, 32},
   };
   const struct compiler_nir_info info = {.name = "dispatch", .arguments = arguments, .argument_count = 4};

   for (unsigned i = 0; i < ARRAY_SIZE(values); i++) {
      for (unsigned component = 0; component < values[i].components; component++) {
         const struct dispatch_question question = {&values[i], component};
         struct compiler_result result;
         CHECK_EQUAL(compiler_nir(&info, build_dispatch_value, &question, &options, &result), 0);
         if (result.count == 1) {
            CHECK_EQUAL(moved_from(result.programs[0]), values[i].offset + 4 * component);
         }
         compiler_result_finish(&result);
      }
   }
}

/* All lanes add to one word of threadgroup memory: Mesa makes one atomic of it, unless asked not to. */
static void build_atomic(nir_builder *b, UNUSED const void *data)
{
   nir_shared_atomic(b, 32, nir_imm_int(b, 0), nir_load_local_invocation_index(b), .atomic_op = nir_atomic_op_iadd);
}

static void test_keep_atomics(void)
{
   const struct compiler_nir_info info = {.name = "atomic", .workgroup_size = {64, 1, 1}, .threadgroup_bytes = 256};

   for (unsigned keep = 0; keep < 2; keep++) {
      const struct compiler_options asked = {.keep_atomics = keep != 0};
      struct compiler_result result;
      CHECK_EQUAL(compiler_nir(&info, build_atomic, NULL, &asked, &result), 0);
      check_programs(&result);
      if (result.count == 1) {
         CHECK_EQUAL(check_count(result.programs[0], ISA_OP_REDUCE), keep ? 0 : 1);
         CHECK_EQUAL(check_count(result.programs[0], ISA_OP_LATOMIC), 1);
         CHECK_EQUAL(result.programs[0]->threadgroup_bytes, 256);
         CHECK(!result.programs[0]->uses_atomics);
      }
      compiler_result_finish(&result);
   }
}

static void build_device_atomic(nir_builder *b, UNUSED const void *data)
{
   nir_global_atomic(b, 32, compiler_nir_argument(b, 0), nir_imm_int(b, 3), .atomic_op = nir_atomic_op_umax);
}

/* Bit 45 of a device atomic is for chips with more than one cluster of caches (spec/isa.md 2.11). */
static void test_coherency(void)
{
   const struct compiler_nir_info info = {.name = "coherency", .arguments = arguments, .argument_count = 4};
   int32_t found[2] = {-1, -1};

   for (unsigned wide = 0; wide < 2; wide++) {
      const struct compiler_options asked = {.atomic_coherency = wide != 0};
      struct compiler_result result;
      CHECK_EQUAL(compiler_nir(&info, build_device_atomic, NULL, &asked, &result), 0);
      check_programs(&result);
      for (uint32_t at = 0; result.count == 1 && at < result.programs[0]->main_size;) {
         const struct agx_program *program = result.programs[0];
         struct isa_insn insn;
         isa_decode(program->set, program->code + program->main_offset + at, program->main_size - at, &insn);
         if (insn.op == ISA_OP_ATOMIC) {
            found[wide] = insn.bytes[5] >> 5 & 1; /* bit 45 */
            CHECK_EQUAL(insn.mod[ISA_MOD_ATOMIC], ISA_ATOMIC_UMAX);
         }
         at += insn.length;
      }
      CHECK(result.count == 1 && result.programs[0]->uses_atomics);
      compiler_result_finish(&result);
   }
   CHECK_EQUAL(found[0], 0);
   CHECK_EQUAL(found[1], 1);
}

static void build_double(nir_builder *b, UNUSED const void *data)
{
   nir_def *x = nir_f2f64(b, nir_u2f32(b, nir_load_local_invocation_index(b)));

   store(b, nir_f2f32(b, nir_fmul(b, x, x)));
}

/* Doubles go in, none comes out: the first source, or both. */
static void build_from_double(nir_builder *b, UNUSED const void *data)
{
   store(b, nir_f2i32(b, nir_u2u64(b, compiler_nir_argument(b, 1))));
}

static void build_compare_doubles(nir_builder *b, UNUSED const void *data)
{
   nir_def *x = nir_u2u64(b, compiler_nir_argument(b, 1));

   store(b, nir_b2i32(b, nir_flt(b, x, compiler_nir_argument(b, 0))));
}

static void build_nothing(UNUSED nir_builder *b, UNUSED const void *data)
{
}

static void test_refusals(void)
{
   static const struct agx_argument vector[] = {{.kind = AGX_ARGUMENT_VALUE, .size = 16}};
   static const struct agx_argument odd[] = {{.kind = AGX_ARGUMENT_VALUE, .offset = 2, .size = 4}};
   static const struct {
      struct compiler_nir_info info;
      void (*build)(nir_builder *b, const void *data);
      const char *reason;
      bool unsupported;
   } cases[] = {
       {{.name = "a", .arguments = arguments, .argument_count = 4}, build_double, "double precision", true},
       {{.name = "a2", .arguments = arguments, .argument_count = 4}, build_from_double, "double precision", true},
       {{.name = "a3", .arguments = arguments, .argument_count = 4}, build_compare_doubles, "double precision", true},
       {{.name = "b", .threadgroup_bytes = 32769}, build_nothing, "32 KiB of threadgroup memory", true},
       {{.name = "c", .arguments = vector, .argument_count = 1}, build_nothing, "1, 2, 4 or 8 bytes", false},
       {{.name = "d", .arguments = odd, .argument_count = 1}, build_nothing, "multiple of its size", false},
       {{.name = "e", .workgroup_size = {32, 0, 1}}, build_nothing, "three factors", false},
       {{.name = "f", .workgroup_size = {65537, 1, 1}}, build_nothing, "1024 threads", false},
       {{.name = "g", .workgroup_size = {1025, 1, 1}}, build_nothing, "1024 threads", false},
       {{.name = "h", .workgroup_size = {1, 1, 1025}}, build_nothing, "1024 threads", false},
       {{.name = "i", .workgroup_size = {32, 33, 1}}, build_nothing, "1024 threads", false},
   };

   for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
      struct compiler_result result;
      CHECK_EQUAL(compiler_nir(&cases[i].info, cases[i].build, NULL, &options, &result), -EINVAL);
      CHECK_EQUAL(result.count, 0);
      CHECK_EQUAL(compiler_result_is_unsupported(&result), cases[i].unsupported);
      CHECK_CONTAINS(result.log, cases[i].reason);
      compiler_result_finish(&result);
   }
}

static void test_helper(void)
{
   struct agx_program *helper = compiler_helper_program();

   CHECK(helper != NULL);
   if (helper != NULL) {
      CHECK(agx_program_check(helper) == NULL);
      CHECK_EQUAL(helper->uniform_count, 0);
      CHECK_EQUAL(helper->scratch_bytes, 0);
      /* Mesa's helper.cl: it answers with doorbells and maps four blocks of a stack (spec/uapi.md 4.5). */
      CHECK(check_count(helper, ISA_OP_DOORBELL) > 0);
      CHECK_EQUAL(check_count(helper, ISA_OP_STACK_MAP), 4);
   }
   agx_program_destroy(helper);
}

int main(void)
{
   test_chain();
   test_uniforms();
   test_dispatch_values();
   test_keep_atomics();
   test_coherency();
   test_refusals();
   test_helper();
   CHECK(strncmp(compiler_mesa_version(), "2", 1) == 0);
   return check_result();
}
