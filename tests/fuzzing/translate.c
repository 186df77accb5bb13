/* SPDX-License-Identifier: MIT
 *
 * Programs in NIR, translated to OpenCL C. Each row of the table of ops is compared with NIR: the kernel's answer, by
 * the evaluator of OpenCL C, must be that of the interpreter, which asks Mesa's own expressions.
 */
#include "fuzz/translate/translate.h"
#include "fuzz/nir/ops.h"
#include "util/random.h"
#include "fuzz/nir/registers.h"
#include "tests/fuzzing/check.h"

#define LANES 10 /* operands of a row and a width */

static struct fuzz_program program;
static struct fuzz_outputs expected;
static struct ocl_program kernel;
static char why[TRANSLATE_WHY];

static bool find_op(const char *name, nir_op *op)
{
   for (unsigned i = 0; i < fuzz_op_count(); i++) {
      *op = fuzz_op(i);
      if (strcmp(nir_op_infos[*op].name, name) == 0) {
         return true;
      }
   }
   return false;
}

/* Numbers at which ops go wrong, of small size more often: counts, bytes, floats that are integers. */
static uint64_t any_number(struct util_random *random, bool is_float, unsigned bits)
{
   static const uint64_t edges[] = {0, 1, 2, 7, 8, 15, 31, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff};
   const uint64_t number = util_random_next(random);

   if (is_float && bits == 16) {
      return 0x3c00 + number % 0x1800 + (number >> 32 & 0x8000);
   }
   if (is_float) {
      return 0x3f800000 + (number & 0x3ffff000) % 0x8000000 + (number >> 32 & 0x80000000);
   }
   switch (number >> 60) {
   case 0:
      return UINT64_MAX << (number & 63);
   case 1:
   case 2:
   case 3:
      return number & 15;
   case 4:
   case 5:
      return edges[(number & 255) % ARRAY_SIZE(edges)];
   default:
      return number;
   }
}

/* One op of inputs. Where a source must be a constant, it is one. */
static void make_program(nir_op op, unsigned open, struct util_random *random)
{
   const nir_op_info *info = &nir_op_infos[op];
   struct fuzz_node node = {
       .kind = FUZZ_ALU, .exact = 1, .op = (uint16_t)op, .components = (uint8_t)fuzz_op_components(op, -1)};

   memset(&program, 0, sizeof(program));
   program.rule = -1;
   node.bits = (uint8_t)fuzz_op_bits(op, -1, open);
   for (unsigned i = 0; i < info->num_inputs; i++) {
      const unsigned bits = fuzz_op_bits(op, (int)i, open), components = fuzz_op_components(op, (int)i);
      const bool is_float = nir_alu_type_get_base_type(info->input_types[i]) == nir_type_float;
      uint16_t parts[4] = {0};
      uint64_t bound;
      for (unsigned c = 0; c < components; c++) {
         if (fuzz_op_constant_source(op, i, bits, &bound)) {
            parts[c] = add_constant(&program, (uint8_t)bits, util_random_next(random) % bound);
            continue;
         }
         parts[c] = add_input(&program, (uint8_t)bits, 0, 0);
         for (uint32_t lane = 0; lane < FUZZ_LANES; lane++) {
            program.input[program.inputs - 1][lane] = any_number(random, is_float, bits);
         }
      }
      node.sources[i].node = parts[0];
      if (components > 1) {
         struct fuzz_node vector = {.kind = FUZZ_ALU,
                                    .bits = (uint8_t)bits,
                                    .components = (uint8_t)components,
                                    .op = (uint16_t)nir_op_vec(components)};
         for (unsigned c = 0; c < components; c++) {
            vector.sources[c].node = parts[c];
         }
         node.sources[i].node = add(&program, vector);
      }
   }
   const uint16_t result = add(&program, node);
   for (uint16_t c = 0; c < node.components; c++) {
      struct fuzz_node output = {
          .kind = FUZZ_OUTPUT, .bits = node.bits, .components = 1, .slot = c, .sources = {{result, c}}};
      program.outputs++;
      (void)add(&program, output);
   }
}

/* The lanes whose answers NIR determines are translated with the same answer; some of them can be. */
static unsigned translate_lanes(const char *name, unsigned open, const struct translate_way *way)
{
   unsigned translated = 0;

   fuzz_evaluate(&program, &expected);
   CHECK(expected.valid);
   for (uint32_t lane = 0; lane < LANES; lane++) {
      const bool fine = translate_program(&program, lane, &expected, way, &kernel, why);
      translated += fine ? 1 : 0;
      if (!fine && strstr(why, "another one") != NULL) {
         fprintf(stderr, "%s@%u, lane %u: %s\n", name, open, lane, why);
         fuzz_print(stderr, &program, lane);
         ocl_print(stderr, &kernel);
         CHECK(fine);
         return LANES;
      } else if (!fine && strncmp(why, "OpenCL C does not", 17) != 0 && strncmp(why, "an answer that", 14) != 0) {
         fprintf(stderr, "%s@%u: %s\n", name, open, why);
         CHECK(fine);
         return LANES;
      }
   }
   return translated;
}

static void check_row(const char *name, struct util_random *random)
{
   static const unsigned widths[] = {1, 8, 16, 32, 64};
   unsigned translated = 0, tried = 0;
   nir_op op = nir_op_mov;

   CHECK(find_op(name, &op));
   for (unsigned i = 0; i < ARRAY_SIZE(widths); i++) {
      const bool open = fuzz_op_bits(op, -1, 0) == 0 || fuzz_op_bits(op, 0, 0) == 0;
      if (open ? (fuzz_op_widths(op) & widths[i]) == 0 : widths[i] != 32) {
         continue;
      }
      make_program(op, widths[i], random);
      for (unsigned pairs = 0; pairs < 2; pairs++) {
         const struct translate_way way = {.constants = TRANSLATE_LITERALS, .vectors = pairs != 0, .rounded = true};
         translated += translate_lanes(name, widths[i], &way);
         tried += LANES;
      }
   }
   const bool enough = tried > 0 && translated * 16 >= tried;
   if (!enough) {
      fprintf(stderr, "%s: %u of %u translated\n", name, translated, tried);
   }
   CHECK(enough);
}

static void check_table(void)
{
   struct util_random random = {1};

   for (unsigned row = 0; fuzz_op_row(row) != NULL; row++) {
      const char *name = fuzz_op_row(row);
      if (strchr(name, '@') == NULL && fuzz_op_in_opencl(name, 0) != NULL) {
         check_row(name, &random);
      }
   }
}

static uint64_t text_hash(void)
{
   uint64_t hash = 1;
   char *text = NULL;
   size_t size = 0;
   FILE *file = open_memstream(&text, &size);

   if (file != NULL) {
      ocl_print(file, &kernel);
      fclose(file);
   }
   for (size_t i = 0; i < size; i++) {
      hash = hash * 1000003 + (uint8_t)text[i];
   }
   free(text);
   return hash;
}

/* One program in all ways: each has the same answer, or OpenCL C does not determine it without a pragma; and other
 * text, but where nothing is rounded. */
static void check_ways(bool sums, unsigned wanted, unsigned refused)
{
   const nir_op op = sums ? nir_op_fadd : nir_op_iadd;
   uint64_t seen[64];
   unsigned translated = 0, count = 0, different = 0;

   memset(&program, 0, sizeof(program));
   program.rule = -1;
   const uint16_t a = add_input(&program, 16, 0x4001, 1), b = add_constant(&program, 16, 0x3401);
   add_output(&program, add_alu(&program, op, 16, a, b));
   fuzz_evaluate(&program, &expected);
   struct translate_way way;
   for (; count < ARRAY_SIZE(seen) && translate_way(count, &way); count++) {
      if (translate_program(&program, 5, &expected, &way, &kernel, why)) {
         bool found = false;
         seen[translated] = text_hash();
         for (unsigned i = 0; i < translated; i++) {
            found |= seen[i] == seen[translated];
         }
         translated++;
         different += found ? 0 : 1;
         CHECK_EQUAL(kernel.lanes, way.simdgroup ? OCL_LANES : 1);
         CHECK_EQUAL(kernel.rounded, sums && way.rounded);
      }
   }
   CHECK_EQUAL(different, wanted);
   CHECK_EQUAL(count - translated, refused);
}

/* Without what has no translation: device memory, and what lanes do together. */
static void make_simple(struct fuzz_node *node)
{
   switch (node->kind) {
   case FUZZ_STORE:
      node->kind = node->op == FUZZ_DEVICE ? FUZZ_NONE : FUZZ_STORE;
      break;
   case FUZZ_LOAD:
      node->op = FUZZ_THREADGROUP;
      break;
   case FUZZ_ATOMIC:
   case FUZZ_EXCHANGE:
   case FUZZ_COMBINE:
   case FUZZ_SUBGROUP:
      *node = (struct fuzz_node){.kind = FUZZ_INPUT, .bits = node->bits, .components = 1};
      break;
   default:
      break;
   }
}

/* This bit of a seed leaves out loops, jumps and addresses that have no translation. */
#define PLAIN (UINT64_C(1) << 48)

/* Outputs of generated programs, one by one: what is translated has the right answer. */
static void check_generated(enum fuzz_family family, unsigned programs, unsigned wanted)
{
   static const struct translate_way way = {.constants = TRANSLATE_PRIVATE, .rounded = true};
   static struct fuzz_program whole;
   unsigned translated = 0, others = 0, tried = 0;

   for (uint64_t seed = 0; seed < programs; seed++) {
      fuzz_generate(&whole, seed | (family == FUZZ_CONTROL ? PLAIN : 0), family,
                    (int32_t)(seed * 37 % fuzz_rule_count()));
      for (uint32_t output = 0; output < whole.outputs; output += 7) {
         program = whole;
         program.registers = FUZZ_REGISTERS_ALL;
         for (uint32_t i = 0; i < program.count; i++) {
            struct fuzz_node *node = &program.nodes[i];
            node->kind = node->kind == FUZZ_OUTPUT && node->slot != output ? FUZZ_NONE : node->kind;
            make_simple(node);
         }
         fuzz_compact(&program);
         fuzz_evaluate(&program, &expected);
         if (expected.valid) {
            const bool fine = translate_program(&program, (uint32_t)seed % FUZZ_LANES, &expected, &way, &kernel, why);
            translated += fine ? 1 : 0;
            tried++;
            if (!fine && strstr(why, "another one") != NULL) {
               others++;
               fuzz_print(stderr, &program, (uint32_t)seed % FUZZ_LANES);
               ocl_print(stderr, &kernel);
            }
         }
      }
   }
   CHECK_EQUAL(others, 0);
   if (translated < wanted) {
      fprintf(stderr, "family %d: %u of %u outputs translated\n", (int)family, translated, tried);
   }
   CHECK(translated >= wanted);
}

static const struct translate_way plain = {.constants = TRANSLATE_LITERALS};

/* Says the program, which has one output, and compares the kernel's answer. */
static void check_said(uint64_t answer)
{
   struct ocl_outputs *outputs = calloc(1, sizeof(*outputs));

   fuzz_evaluate(&program, &expected);
   CHECK(expected.valid);
   CHECK(translate_program(&program, 0, &expected, &plain, &kernel, why));
   CHECK(outputs != NULL && ocl_evaluate(&kernel, outputs));
   if (outputs != NULL) {
      CHECK_EQUAL(outputs->value[0][0][0], answer);
   }
   free(outputs);
}

/* A number that is stored to element 1 + 1 is loaded from element 0 + 2. */
static void check_memory(uint64_t element, uint64_t answer)
{
   memset(&program, 0, sizeof(program));
   program.rule = -1;
   const uint16_t one = add_input(&program, 32, 1, 0), value = add_input(&program, 64, 5, 0);
   const uint16_t at = add_input(&program, 32, element, 0);
   (void)add(&program, (struct fuzz_node){.kind = FUZZ_STORE,
                                          .bits = 64,
                                          .components = 1,
                                          .op = FUZZ_THREADGROUP,
                                          .value = 8,
                                          .sources = {{one, 0}, {value, 0}}});
   const struct fuzz_node load = {
       .kind = FUZZ_LOAD, .bits = 64, .components = 1, .op = FUZZ_THREADGROUP, .sources = {{at, 0}}};
   add_output(&program, add(&program, load));
   check_said(answer);
}

/* A variable that is doubled so often, and set to another number in one branch. */
static void check_control(uint64_t times, bool branch, uint64_t answer)
{
   memset(&program, 0, sizeof(program));
   program.rule = -1;
   program.variable_bits[3] = 32;
   const uint16_t count = add_input(&program, 32, times, 0), condition = add_input(&program, 1, branch ? 1 : 0, 0);
   const uint16_t numbers[] = {add_constant(&program, 32, 100), add_constant(&program, 32, 1)};
   for (unsigned i = 0; i < 2; i++) {
      (void)add(&program, (struct fuzz_node){.kind = i == 0 ? FUZZ_IF : FUZZ_ELSE, .sources = {{condition, 0}}});
      (void)add(&program, (struct fuzz_node){.kind = FUZZ_SET, .slot = 3, .sources = {{numbers[i], 0}}});
   }
   (void)add(&program, (struct fuzz_node){.kind = FUZZ_ENDIF});
   const struct fuzz_node get = {.kind = FUZZ_GET, .bits = 32, .components = 1, .slot = 3};
   (void)add(&program, (struct fuzz_node){.kind = FUZZ_LOOP, .sources = {{count, 0}}});
   const uint16_t before = add(&program, get);
   const uint16_t twice = add_alu(&program, nir_op_iadd, 32, before, before);
   (void)add(&program, (struct fuzz_node){.kind = FUZZ_SET, .slot = 3, .sources = {{twice, 0}}});
   (void)add(&program, (struct fuzz_node){.kind = FUZZ_ENDLOOP});
   add_output(&program, add(&program, get));
   check_said(answer);
}

int main(void)
{
   check_memory(2, 5);
   check_memory(1, 0);
   check_control(2, false, 4);
   check_control(6, false, 64);
   check_control(5, true, 3200);

   check_table();
   check_ways(false, 10, 0);
   check_ways(true, 6, 10);
   check_generated(FUZZ_RANDOM, 40, 300);
   check_generated(FUZZ_RULE, 100, 150);
   check_generated(FUZZ_CONTROL, 150, 40);
   return check_result();
}
