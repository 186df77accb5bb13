/* SPDX-License-Identifier: MIT
 *
 * Reads the text of a mix, assigns registers to its chains, and writes its .agx program. Invariant: no two chains share
 * a register.
 */
#include "nir_kernels/mix.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/agx_text.h"
#include "nir_kernels/assemble.h"

/* Registers: r0l nesting, r1 the loop's counter, r2 the thread, r3 the result, then operands, then chains. */
#define OPERANDS 4
#define FIRST_OPERAND 4
#define FIRST_CHAIN (FIRST_OPERAND + OPERANDS)
#define REGISTERS 128

/* Both programs' loops must lie in the instruction cache of 12 KB (core_memory.csv). */
#define LOOP_BYTES 11000
#define INSTRUCTION_BYTES 10 /* of the longest here, csel */
#define PASS_INSTRUCTIONS (LOOP_BYTES / INSTRUCTION_BYTES / 2)
#define LOOP_INSTRUCTIONS 160 /* wanted in the smaller loop, so that its own three weigh little */

/* The capacity of a core: vgpu/timing/timing_params.c, from occupancy_registers.csv and core_memory.csv. */
#define BANKS 3
#define BANK_HALVES 106496
#define LOCAL_BYTES 61440
#define LOCAL_STEP 256u /* the unit of allocation: spec/uapi.md, USC words */
#define GROUP_SIMDS 8

/* ---- Reading ---- */

static bool fail(char *why, size_t why_size, const char *before, const char *name, size_t length, const char *after)
{
   snprintf(why, why_size, "%s'%.*s'%s", before, (int)length, name, after);
   return false;
}

static size_t trim(const char **text, size_t length)
{
   while (length > 0 && isspace((unsigned char)**text)) {
      (*text)++;
      length--;
   }
   while (length > 0 && isspace((unsigned char)(*text)[length - 1])) {
      length--;
   }
   return length;
}

/* "*3" after a name; a '*' belongs to no name. */
static bool read_count(const char **text, size_t *length, unsigned *count)
{
   const char *star = memchr(*text, '*', *length);

   *count = 1;
   if (star == NULL) {
      return true;
   }
   const char *digits = star + 1;
   const size_t size = trim(&digits, *length - (size_t)(digits - *text));
   *count = 0;
   for (size_t i = 0; i < size; i++) {
      if (!isdigit((unsigned char)digits[i]) || *count > BENCH_MIX_COUNT_MAX) {
         return false;
      }
      *count = *count * 10 + (unsigned)(digits[i] - '0');
   }
   *length = trim(text, (size_t)(star - *text));
   return *count > 0 && *count <= BENCH_MIX_COUNT_MAX;
}

static bool read_item(const char *text, size_t length, struct bench_mix *mix, char *why, size_t why_size)
{
   char after[192], nearest[160];
   unsigned count;

   if (mix->count == BENCH_MIX_ITEMS) {
      snprintf(why, why_size, "more than %d operations", BENCH_MIX_ITEMS);
      return false;
   }
   const char *whole = text;
   const size_t whole_length = length;
   if (!read_count(&text, &length, &count)) {
      snprintf(after, sizeof(after), ": expected NAME*COUNT with a count from 1 to %u", BENCH_MIX_COUNT_MAX);
      return fail(why, why_size, "", whole, whole_length, after);
   }
   const struct bench_operation *operation = bench_operation_find(text, length);
   if (operation == NULL) {
      bench_operation_nearest(text, length, nearest, sizeof(nearest));
      snprintf(after, sizeof(after), "; nearest are %s", nearest);
      return fail(why, why_size, "no operation ", text, length, after);
   }
   if (operation->text == NULL) {
      snprintf(after, sizeof(after), ": %s", operation->why);
      return fail(why, why_size, "cannot measure ", text, length, after);
   }
   mix->items[mix->count++] = (struct bench_mix_item){.operation = operation, .count = count};
   return true;
}

static bool read_items(const char *text, struct bench_mix *mix, char *why, size_t why_size)
{
   while (*text != '\0') {
      const size_t size = strcspn(text, ";");
      const char *item = text;
      const size_t length = trim(&item, size);

      if (length > 0 && !read_item(item, length, mix, why, why_size)) {
         return false;
      }
      text += size + (text[size] == ';');
   }
   if (mix->count == 0) {
      snprintf(why, why_size, "no operations: expected NAME*COUNT;NAME*COUNT...");
   }
   return mix->count > 0;
}

/* ---- Registers and occupancy ---- */

static unsigned words_of(const struct bench_operation *operation)
{
   const unsigned words = operation->state + operation->scratch;

   return words + words % 2; /* pairs begin at even registers */
}

static unsigned lines_of(const struct bench_operation *operation)
{
   unsigned lines = 0;

   for (const char *c = operation->text; *c != '\0'; c++) {
      lines += *c == '\n';
   }
   return lines;
}

static void set_occupancy(struct bench_mix *mix, unsigned simds)
{
   unsigned group = GROUP_SIMDS;

   while (simds % group != 0) {
      group--;
   }
   mix->occupancy.group = 32 * group;
   mix->occupancy.threadgroups_per_core = simds / group;
   const uint32_t bytes = LOCAL_BYTES / (simds / group) & ~(LOCAL_STEP - 1);
   mix->occupancy.threadgroup_bytes = bytes < AGX_THREADGROUP_BYTES ? bytes : AGX_THREADGROUP_BYTES;
}

/* How many 32-bit registers a thread may have at this occupancy. */
static unsigned registers_at(const struct bench_occupancy *occupancy)
{
   const unsigned groups = (occupancy->threadgroups_per_core + BANKS - 1) / BANKS;
   const unsigned threads = (groups * occupancy->group + 63) / 64 * 64;
   const unsigned most = BANK_HALVES / threads / 2;

   return most < REGISTERS ? most : REGISTERS;
}

/* Gives every chain registers of its own, as far as they go. */
static unsigned assign(struct bench_mix *mix, unsigned sets)
{
   unsigned next = FIRST_CHAIN;

   for (unsigned i = 0; i < mix->count; i++) {
      struct bench_mix_item *item = &mix->items[i];

      item->words = words_of(item->operation);
      item->sets = item->count * mix->ilp < sets ? item->count * mix->ilp : sets;
      item->first = next;
      next += item->words * item->sets;
   }
   return next;
}

static bool set_chains(struct bench_mix *mix, unsigned ilp, char *why, size_t why_size)
{
   const unsigned limit = registers_at(&mix->occupancy);
   unsigned lines = 0;

   for (unsigned i = 0; i < mix->count; i++) {
      lines += mix->items[i].count * lines_of(mix->items[i].operation);
   }
   mix->ilp = ilp > 0 ? ilp : 4;
   while (ilp == 0 && mix->ilp > 1 && (assign(mix, UINT32_MAX) > limit || lines * mix->ilp > LOOP_INSTRUCTIONS)) {
      mix->ilp--;
   }
   mix->instructions = lines * mix->ilp;
   if (mix->instructions > PASS_INSTRUCTIONS) {
      snprintf(why, why_size, "%u instructions a pass, and the instruction cache has room for %d", mix->instructions,
               PASS_INSTRUCTIONS);
      return false;
   }
   unsigned sets = BENCH_MIX_COUNT_MAX * BENCH_MIX_ILP_MAX;
   while (sets > 1 && assign(mix, sets) > limit) {
      sets = sets > REGISTERS ? REGISTERS : sets - 1;
   }
   mix->registers = assign(mix, sets);
   /* With an explicit ILP, chains must not share registers: that would be another ILP. */
   if (mix->registers > limit || (ilp > 0 && assign(mix, UINT32_MAX) > limit)) {
      snprintf(why, why_size, "%u registers are needed, and %u simdgroups a core leave %u to each thread",
               assign(mix, UINT32_MAX), mix->occupancy.group / 32 * mix->occupancy.threadgroups_per_core, limit);
      return false;
   }
   return true;
}

/* ---- The benchmark ---- */

void bench_mix_fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   uint64_t state = io->seed;

   (void)benchmark;
   for (size_t i = 0; i < io->input_bytes / 4; i++) {
      /* Floats in 1..2, whose bits serve as odd integers too. */
      state = state * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
      const uint32_t word = 0x3f800001u | ((uint32_t)(state >> 33) & 0x7fffffu);
      memcpy(io->input + 4 * i, &word, sizeof(word));
   }
   memset(io->output, 0, io->output_bytes);
}

int bench_mix_parse(const char *text, unsigned ilp, unsigned simds, struct bench_mix *mix, char *why, size_t why_size)
{
   *mix = (struct bench_mix){0};
   set_occupancy(mix, simds > 0 ? simds : BENCH_MIX_SIMDS);
   if (!read_items(text, mix, why, why_size) || !set_chains(mix, ilp, why, why_size)) {
      return -EINVAL;
   }
   const unsigned passes = (LOOP_INSTRUCTIONS + mix->instructions - 1) / mix->instructions;
   const unsigned most = LOOP_BYTES / INSTRUCTION_BYTES / 2 / mix->instructions;
   const unsigned repeat = passes < most ? passes : most;
   mix->benchmark = (struct benchmark){
       .group = "mix",
       .name = text,
       .summary = "a mix of operations",
       .metrics = 1u << BENCH_THROUGHPUT,
       .scale = BENCH_SCALE_REPEAT,
       .mix = mix,
       .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS},
       .argument_count = 3,
       .variants = {[BENCH_THROUGHPUT] = {repeat, mix->ilp, repeat}},
       .codegen = {.instruction = "all"},
       .input_stride = BENCH_MIX_INPUT_STRIDE,
       .output_stride = BENCH_MIX_OUTPUT_STRIDE,
       .fill = bench_mix_fill,
   };
   return 0;
}

/* ---- The code ---- */

static const char head[] = AGX_BEGIN("mix") AGX_LOAD_WORDS;
static const char loop_start[] = AGX_LOOP;
static const char loop_end[] = AGX_LOOP_END "ldimm r3, 0\n";
static const char tail[] = "store r3, du2, r2, i32, x, a\n" AGX_END;

/* One line of an operation, for the set of registers that begins at `base`. */
static void write_line(const char *line, unsigned base, FILE *file)
{
   for (; *line != '\n'; line++) {
      if (*line != '@') {
         fputc(*line, file);
      } else if (isdigit((unsigned char)*++line)) {
         fprintf(file, "%u", base + (unsigned)(*line - '0'));
      } else {
         fprintf(file, "%d", FIRST_OPERAND + (*line - 'k'));
      }
   }
   fputc('\n', file);
}

static const char *line_at(const char *text, unsigned index)
{
   while (index-- > 0 && *text != '\0') {
      text += strcspn(text, "\n") + 1;
   }
   return *text != '\0' ? text : NULL;
}

/* Emits instruction `index` of every chain. false: no chain has an instruction with this index. */
static bool write_step(const struct bench_mix *mix, unsigned index, FILE *file)
{
   bool any = false;

   for (unsigned copy = 0; copy < mix->ilp; copy++) {
      for (unsigned i = 0; i < mix->count; i++) {
         const struct bench_mix_item *item = &mix->items[i];
         const char *line = line_at(item->operation->text, index);

         for (unsigned n = 0; line != NULL && n < item->count; n++) {
            const unsigned set = (copy * item->count + n) % item->sets;

            write_line(line, item->first + set * item->words, file);
            any = true;
         }
      }
   }
   return any;
}

static void write_program(const struct bench_mix *mix, unsigned passes, FILE *file)
{
   fputs(head, file);
   for (unsigned r = FIRST_CHAIN; r < mix->registers; r++) {
      fprintf(file, "iadd r%u, r%u, %u\n", r, FIRST_OPERAND + r % OPERANDS, r);
   }
   fputs(loop_start, file);
   fprintf(file, ".rept %u\n", passes);
   for (unsigned index = 0; write_step(mix, index, file); index++) {
   }
   fputs(".endr\n", file);
   fputs(loop_end, file);
   for (unsigned r = FIRST_CHAIN; r < mix->registers; r++) {
      fprintf(file, "xor r3, r3, r%u\n", r);
   }
   fputs(tail, file);
}

char *bench_mix_text(const struct bench_mix *mix, unsigned passes, size_t *size)
{
   char *text = NULL;
   FILE *file = open_memstream(&text, size);

   if (file == NULL) {
      return NULL;
   }
   write_program(mix, passes, file);
   const bool failed = ferror(file) != 0;
   if (fclose(file) != 0 || failed) {
      free(text);
      return NULL;
   }
   return text;
}

int bench_mix_build(const struct bench_mix *mix, unsigned passes, struct compiler_result *result)
{
   size_t size;
   char *text = bench_mix_text(mix, passes, &size);

   *result = (struct compiler_result){0};
   const int ret = text == NULL ? -ENOMEM : bench_assemble("mix", text, size, NULL, result);
   free(text);
   return ret;
}

/* ---- The code check ---- */

struct tally {
   unsigned expected, found;
   const char *name; /* of an instruction found, else of the operation that needs it */
};
#define SIZES 3 /* 16, 32, 64 bits; no destination counts as 16 */

static unsigned size_index(unsigned bits)
{
   return bits == 64 ? 2 : bits == 32 ? 1 : 0;
}

static void expect(const struct bench_mix *mix, unsigned passes, struct tally (*tallies)[SIZES])
{
   for (unsigned i = 0; i < mix->count; i++) {
      const struct bench_operation *operation = mix->items[i].operation;

      for (unsigned k = 0; k < BENCH_OPERATION_KINDS && operation->parts[k].count > 0; k++) {
         const struct bench_operation_part *part = &operation->parts[k];
         struct tally *tally = &tallies[part->op][size_index(part->bits)];

         tally->expected += passes * mix->ilp * mix->items[i].count * part->count;
         tally->name = operation->name;
      }
   }
}

/* The loop's body: from the target of its only backward branch to the branch. Counts all but the loop's last three. */
static bool count(const struct agx_program *program, struct tally (*tallies)[SIZES])
{
   const uint32_t end = program->main_offset + program->main_size;
   struct isa_insn insn;
   uint32_t start = end, branch = end, loops = 0;

   for (uint32_t at = program->main_offset; at < end; at += insn.length) {
      isa_decode(program->set, program->code + at, end - at, &insn);
      if (isa_is_branch(&insn) && insn.mod[ISA_MOD_TARGET] < 0) {
         start = at - (uint32_t)-insn.mod[ISA_MOD_TARGET];
         branch = at;
         loops++;
      }
   }
   for (uint32_t at = start; at < branch; at += insn.length) {
      isa_decode(program->set, program->code + at, end - at, &insn);
      struct tally *tally = &tallies[insn.op][size_index(insn.dst.kind == ISA_REG ? insn.dst.size : 0)];

      tally->found++;
      tally->name = isa_name(&insn);
   }
   return loops == 1;
}

bool bench_mix_check(const struct bench_mix *mix, unsigned passes, const struct agx_program *program,
                     unsigned *expected, unsigned *found, char *why, size_t why_size)
{
   struct tally tallies[ISA_OP_COUNT][SIZES] = {0};
   bool right = true;

   *expected = *found = 0;
   expect(mix, passes, tallies);
   if (!count(program, tallies)) {
      snprintf(why, why_size, "invalid codegen: expected one loop");
      return false;
   }
   tallies[ISA_OP_IADD][1].found--; /* the counter, and the comparison with the number of iterations */
   tallies[ISA_OP_WHILE_ICMP][0].found--;
   for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
      for (unsigned size = 0; size < SIZES; size++) {
         const struct tally *tally = &tallies[op][size];

         *expected += tally->expected;
         *found += tally->found;
         if (right && tally->found != tally->expected) {
            snprintf(why, why_size, "invalid codegen: %s of %u bits: expected %u, found %u", tally->name, 16u << size,
                     tally->expected, tally->found);
            right = false;
         }
      }
   }
   return right;
}
