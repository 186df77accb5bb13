/* SPDX-License-Identifier: MIT
 *
 * Assembles a program, launches it, and compares memory. Every input comes from one seeded generator, so that a run can
 * be repeated.
 */
#include "tests/vgpu/exec/rig.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/assembler/asm.h"
#include "vgpu/jit/jit.h"

#define RIG_LEVELS 4 /* more than there are */

unsigned rig_failures;
static unsigned launches, compiled_launches; /* of rig_run(), for both_ways.py */
static uint64_t state = 0x853c49e6748fea9b;

void rig_fail(const char *format, ...)
{
   if (rig_failures++ < 20) {
      va_list arguments;
      va_start(arguments, format);
      vfprintf(stderr, format, arguments);
      va_end(arguments);
      fputc('\n', stderr);
   }
}

/* By level; made once, because LLVM takes some time to start. */
static struct vgpu_compiler *compilers[RIG_LEVELS];

static struct vgpu_compiler *compiler_of(size_t level)
{
   if (level < RIG_LEVELS && !compilers[level]) {
      compilers[level] = vgpu_jit_create(VGPU_JIT_ON, &vgpu_levels[level]);
   }
   return level < RIG_LEVELS ? compilers[level] : NULL;
}

static void finish_compilers(void)
{
   for (size_t level = 0; level < RIG_LEVELS; level++) {
      struct vgpu_jit_statistics statistics;
      vgpu_jit_read_statistics(compilers[level], &statistics);
      if (statistics.refused) {
         rig_fail("%u blocks were refused: %s", (unsigned)statistics.refused, statistics.reason);
      }
      vgpu_jit_destroy(compilers[level]);
      compilers[level] = NULL;
   }
}

int rig_result(void)
{
   finish_compilers();
   printf("%u launches, %u of them with host code\n", launches, compiled_launches);
   if (rig_failures) {
      fprintf(stderr, "%u failures\n", rig_failures);
   }
   return rig_failures != 0;
}

void rig_seed(uint32_t seed)
{
   state = seed;
}

uint32_t rig_random(void)
{
   state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
   return (uint32_t)(state >> 32) ^ (uint32_t)(state >> 57);
}

uint32_t rig_special(void)
{
   static const uint32_t words[] = {
       0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001,
       0x00000001, 0x807fffff, 0x00800000, 0x80800000, 0x00800001, 0x7f7fffff, 0xff7fffff, 0x3f7fffff, 0x00ffffff,
       0x40000000, 0x4b000000, 0x4b000001, 0x3effffff, 0x3f000000, 0xffffffff, 0x7fffffff, 0x477fe000, 0x477ff000,
       0x33000000, 0x33000001, 0x38800000, 0x387fc000, 0x387fffff, 0x4f000000, 0x4effffff, 0xcf000000, 0x4f800000,
   };
   static const uint16_t halves[] = {
       0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01, 1,      0x83ff,
       0x0400, 0x8400, 0x0401, 0x7bff, 0xfbff, 0x3bff, 0x03ff, 0x4000, 0x6400, 0x3800, 0xffff,
   };
   switch (rig_random() % 8) {
   case 0:
      return words[rig_random() % (sizeof(words) / sizeof(words[0]))];
   case 1: {
      uint32_t low = halves[rig_random() % (sizeof(halves) / sizeof(halves[0]))];
      return (uint32_t)halves[rig_random() % (sizeof(halves) / sizeof(halves[0]))] << 16 | low;
   }
   case 2: /* a float of middling size */
      return (rig_random() & 0x83ffffff) + 0x3e000000;
   case 3: /* one whose products are tiny */
      return (rig_random() & 0x81ffffff) + 0x1f000000;
   case 4:
      return rig_random() % 64;
   default:
      return rig_random();
   }
}

void rig_fill(struct rig *rig)
{
   uint32_t *words = (uint32_t *)(void *)rig->input;
   for (size_t i = 0; i < (size_t)rig->launch.grid[0] * RIG_WORDS; i++) {
      words[i] = rig_special();
   }
}

void rig_init(struct rig *rig, uint32_t threads)
{
   memset(rig, 0, sizeof(*rig));
   rig->code = flat_vm_map(&rig->vm, RIG_CODE, RIG_CODE_BYTES, VGPU_READ);
   rig->input = flat_vm_map(&rig->vm, RIG_INPUT, (size_t)threads * RIG_WORDS * 4, VGPU_READ);
   rig->output = flat_vm_map(&rig->vm, RIG_OUTPUT, (size_t)threads * RIG_WORDS * 4, VGPU_READ | VGPU_WRITE);
   rig->launch = (struct vgpu_launch){
       .chip = vgpu_chip_find("m1"),
       .pages = &rig->vm.pages,
       .soft_faults = true,
       .level = vgpu_best_level(),
       .threads = 1,
       .work = UINT64_C(1) << 40,
       .grid = {threads, 1, 1},
       .group = {threads < 1024 ? threads : 1024, 1, 1},
       .usc_base = RIG_CODE,
       .code = RIG_CODE,
       .half_registers = 64,
   };
   uint64_t addresses[2] = {RIG_INPUT, RIG_OUTPUT};
   memcpy(rig->launch.uniforms, addresses, sizeof(addresses));
}

void rig_finish(struct rig *rig)
{
   flat_vm_finish(&rig->vm);
}

void rig_program(struct rig *rig, const char *text)
{
   const struct isa_asm_options options = {.set = rig->launch.chip->set};
   struct isa_asm *assembler = isa_asm_create(&options);
   struct isa_asm_result result;
   int error = assembler ? isa_asm_program(assembler, text, strlen(text), &result) : -1;
   if (error) {
      fprintf(stderr, "cannot assemble:\n%s\n", text);
      for (size_t i = 0; assembler && i < result.diagnostic_count; i++) {
         fprintf(stderr, "%u:%u: %s\n", result.diagnostics[i].line, result.diagnostics[i].column,
                 result.diagnostics[i].message);
      }
      exit(1);
   }
   memset(rig->code, 0, 0x40000);
   rig->code_size = result.program->code_size;
   memcpy(rig->code, result.program->code, result.program->code_size);
   rig->launch.code = RIG_CODE + result.program->main_offset;
   rig->launch.preamble = result.program->has_preamble ? RIG_CODE + result.program->preamble_offset : 0;
   isa_asm_result_finish(&result);
   isa_asm_destroy(assembler);
}

void rig_kernel(struct rig *rig, const char *body)
{
   static const char before[] = "mov r1, sr80\n"
                                "load r4_r5_r6_r7, du0, r1, lsl 2, i32, xyzw, a\n"
                                "ldimm r8, 0xdeadbeef\nldimm r9, 0xdeadbeef\n"
                                "ldimm r10, 0xdeadbeef\nldimm r11, 0xdeadbeef\n"
                                "wait a\n";
   static const char after[] = "\nstore r8_r9_r10_r11, du2, r1, lsl 2, i32, xyzw, a\nstop\n";
   size_t size = sizeof(before) + strlen(body) + sizeof(after);
   char *text = malloc(size);
   if (!text) {
      exit(1);
   }
   snprintf(text, size, "%s%s%s", before, body, after);
   rig_program(rig, text);
   free(text);
}

void rig_run(struct rig *rig, const struct vgpu_level *level)
{
   rig->launch.level = level;
   vgpu_core_run(&rig->launch, &rig->outcome);
   if (rig->outcome.fault != VGPU_FAULT_NONE) {
      rig_fail("level %s: fault %d: %s", level->name, rig->outcome.fault, rig->outcome.message);
   }
   launches++;
   compiled_launches += rig->launch.compiler != NULL;
}

static void compare(const struct rig *rig, const struct rig_case *test, const struct vgpu_level *level)
{
   const char *how = rig->launch.compiler ? ", compiled" : "";
   for (uint32_t thread = 0; thread < rig->launch.grid[0]; thread++) {
      uint32_t want[RIG_WORDS] = {0xdeadbeef, 0xdeadbeef, 0xdeadbeef, 0xdeadbeef};
      const uint32_t(*lanes)[RIG_WORDS] = (const uint32_t(*)[RIG_WORDS])(const void *)rig_in(rig, thread & ~31u);
      test->expect(lanes, thread % 32, want);
      const uint32_t *in = rig_in(rig, thread), *out = rig_out(rig, thread);
      if (memcmp(out, want, sizeof(want))) {
         rig_fail("%s (%s%s, thread %u): in %08x %08x %08x %08x: out %08x %08x %08x %08x, expected %08x %08x %08x %08x",
                  test->body, level->name, how, thread, in[0], in[1], in[2], in[3], out[0], out[1], out[2], out[3],
                  want[0], want[1], want[2], want[3]);
      }
   }
}

void rig_cases(const struct rig_case *cases, size_t count, uint32_t threads, void (*fill)(struct rig *rig))
{
   rig_cases_with(cases, count, threads, fill, (struct rig_wants){0});
}

static void run_case(struct rig *rig, const struct rig_case *test, const struct vgpu_level *level)
{
   memset(rig->output, 0, (size_t)rig->launch.grid[0] * RIG_WORDS * 4);
   rig_run(rig, level);
   compare(rig, test, level);
}

/* By the interpreter, then with every block compiled that can be. */
static void run_ways(struct rig *rig, const struct rig_case *test, const struct vgpu_level *level,
                     struct vgpu_compiler *compiler)
{
   run_case(rig, test, level);
   if (compiler) {
      rig->launch.compiler = compiler;
      run_case(rig, test, level);
      rig->launch.compiler = NULL;
   }
}

/* The case in those lanes alone whose record's first word is below the second one, then, in all, what it left: compiled
 * as interpreted, at each level. */
static void run_masked(struct rig *rig, const struct rig_case *test)
{
   static const char before[] = "ldimm r0l, 0\nif r4, r5, 1, ult\n", after[] = "\npop_exec 1\n";
   const size_t bytes = (size_t)rig->launch.grid[0] * RIG_WORDS * 4, size = sizeof(before) + strlen(test->body) + 16;
   char *text = malloc(size);
   uint8_t *want = malloc(bytes);
   if (!text || !want) {
      exit(1);
   }
   snprintf(text, size, "%s%s%s", before, test->body, after);
   rig_kernel(rig, text);
   for (size_t l = 0; l < vgpu_level_count; l++) {
      rig->launch.compiler = vgpu_levels[l].usable() ? compiler_of(l) : NULL;
      if (!rig->launch.compiler) {
         continue;
      }
      struct vgpu_compiler *compiler = rig->launch.compiler;
      for (unsigned compiled = 0; compiled < 2; compiled++) {
         rig->launch.compiler = compiled ? compiler : NULL;
         memset(rig->output, 0, bytes);
         rig_run(rig, &vgpu_levels[l]);
         if (!compiled) {
            memcpy(want, rig->output, bytes);
         } else if (memcmp(rig->output, want, bytes)) {
            rig_fail("%s (%s), with inactive lanes: compiled code leaves other memory than the interpreter", test->body,
                     vgpu_levels[l].name);
         }
      }
   }
   rig->launch.compiler = NULL;
   free(text);
   free(want);
}

void rig_cases_with(const struct rig_case *cases, size_t count, uint32_t threads, void (*fill)(struct rig *rig),
                    struct rig_wants wants)
{
   for (size_t i = 0; i < count; i++) {
      struct rig rig;
      rig_init(&rig, threads);
      rig.launch.group[0] = wants.group ? wants.group : rig.launch.group[0];
      rig.launch.threadgroup_bytes = wants.threadgroup_bytes;
      rig.launch.scratch_words = wants.spill ? UINT32_MAX : 0;
      rig.launch.spill_bucket = wants.spill;
      fill(&rig);
      rig_kernel(&rig, cases[i].body);
      for (size_t l = 0; l < vgpu_level_count; l++) {
         if (vgpu_levels[l].usable()) {
            run_ways(&rig, &cases[i], &vgpu_levels[l], wants.interpreted ? NULL : compiler_of(l));
         }
      }
      rig.launch.timing = true; /* must not show */
      run_case(&rig, &cases[i], vgpu_best_level());
      rig.launch.timing = false;
      if (!wants.interpreted && !wants.whole) {
         run_masked(&rig, &cases[i]);
      }
      rig_finish(&rig);
   }
}
