/* SPDX-License-Identifier: MIT
 *
 * Mesa's cost model beside this project's timing model: asks the built compiler (agx_estimate_cycles) for the cycles of
 * programs of one instruction, and prints them beside the modelled ones as a table in Markdown. Invariant: no figure of
 * Mesa's stands here; they come from the library that was built.
 *
 * Argument: a file that must hold this very table (results/mesa-cost.md); without it, the table is printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asahi/compiler/agx_compiler.h"
#include "isa/assembler/asm.h"
#include "vgpu/timing/cost.h"

#define MESA "25.0.7" /* that the page is about */
#define APART 1.25    /* from this factor on the two models differ */

static const struct {
   enum agx_opcode op;
   const char *text; /* the same instruction for our model */
} rows[] = {
    {AGX_OPCODE_FADD, "fadd r0, r1, r2"},
    {AGX_OPCODE_FMUL, "fmul r0, r1, r2"},
    {AGX_OPCODE_FFMA, "ffma r0, r1, r2, r3"},
    {AGX_OPCODE_HADD, "hadd r0l, r1l, r2l"},
    {AGX_OPCODE_HMUL, "hmul r0l, r1l, r2l"},
    {AGX_OPCODE_HFMA, "hfma r0l, r1l, r2l, r3l"},
    {AGX_OPCODE_MOV_IMM, "ldimm r0, 77"},
    {AGX_OPCODE_BITOP, "and r0, r1, r2"},
    {AGX_OPCODE_IADD, "iadd r0, r1, r2"},
    {AGX_OPCODE_IADD, "iadd dr0, dr2, dr4"},
    {AGX_OPCODE_ICMPSEL, "csel r0, r1, r2, r3, r4, ult"},
    {AGX_OPCODE_FCMPSEL, "csel r0, r1, r2, r3, r4, flt"},
    {AGX_OPCODE_IMAD, "imul r0, r1, r2"},
    {AGX_OPCODE_IMAD, "imul dr0, r2, r3"},
    {AGX_OPCODE_BFI, "bfi r0, r1, r2, r3, 0"},
    {AGX_OPCODE_BFEIL, "bfeil r0, r1, r2, r3, 0"},
    {AGX_OPCODE_EXTR, "extr r0, r1, r2, r3, 0"},
    {AGX_OPCODE_ASR, "asr r0, r1, r2"},
    {AGX_OPCODE_BITREV, "bitrev r0, r1"},
    {AGX_OPCODE_POPCOUNT, "popcnt r0, r1"},
    {AGX_OPCODE_FFS, "ffs r0, r1"},
    {AGX_OPCODE_CONVERT, "convert r0, 5, r1, rtz"},
    {AGX_OPCODE_FLOOR, "floor r0, r1"},
    {AGX_OPCODE_RCP, "rcp r0, r1"},
    {AGX_OPCODE_RSQRT, "rsqrt r0, r1"},
    {AGX_OPCODE_SRSQRT, "rsqrts r0, r1"},
    {AGX_OPCODE_SIN_PT_1, "sinr r0, r1"},
    {AGX_OPCODE_SIN_PT_2, "sinc r0, r1"},
    {AGX_OPCODE_LOG2, "log2 r0, r1"},
    {AGX_OPCODE_EXP2, "exp2 r0, r1"},
    {AGX_OPCODE_GET_SR, "mov r0, thread_in_grid_x"},
    {AGX_OPCODE_SHUFFLE, "shuffle r0, r1, 1"},
    {AGX_OPCODE_QUAD_SHUFFLE, "shuffle r0, r1, 1, quad"},
    {AGX_OPCODE_ICMP_BALLOT, "ballot r0, r1, r2, ult"},
    {AGX_OPCODE_ICMP_QUAD_BALLOT, "ballot r0, r1, r2, ult, quad"},
    {AGX_OPCODE_SIMD_REDUCE, "simd r0, r1, iadd"},
    {AGX_OPCODE_SIMD_PREFIX, "simd r0, r1, prefix, iadd"},
    {AGX_OPCODE_QUAD_REDUCE, "quad r0, r1, iadd"},
    {AGX_OPCODE_QUAD_PREFIX, "quad r0, r1, prefix, iadd"},
};

static const char *const pipes[VGPU_PIPES] = {
    [VGPU_PIPE_CROSS] = "cross-lane", [VGPU_PIPE_FAST] = "fast",         [VGPU_PIPE_COMPLEX] = "complex",
    [VGPU_PIPE_CONTROL] = "control",  [VGPU_PIPE_LOCAL] = "threadgroup", [VGPU_PIPE_DEVICE] = "device",
};

/* Mesa's estimate of a program that is this instruction alone. */
static struct agx_cycle_estimate ask(enum agx_opcode op)
{
   agx_context ctx = {0};
   agx_block block = {0};
   agx_instr instr = {.op = op};

   list_inithead(&ctx.blocks);
   list_inithead(&block.instructions);
   list_addtail(&block.link, &ctx.blocks);
   list_addtail(&instr.link, &block.instructions);
   return agx_estimate_cycles(&ctx);
}

static bool write_row(const struct isa_asm *assembler, unsigned i, FILE *file)
{
   const struct agx_cycle_estimate mesa = ask(rows[i].op);
   uint8_t bytes[ISA_ASM_LINE_BYTES_MAX];
   struct isa_diagnostic wrong;
   struct isa_insn insn;
   struct vgpu_cost cost;
   const int size = isa_asm_line(assembler, rows[i].text, strlen(rows[i].text), bytes, &wrong);

   if (size <= 0) {
      fprintf(stderr, "%s: %s\n", rows[i].text, wrong.message);
      return false;
   }
   isa_decode(isa_set_default(), bytes, (size_t)size, &insn);
   vgpu_cost_of(&insn, &vgpu_params_default, &cost);
   const double model = (double)cost.interval / VGPU_TICKS;
   const double ratio = mesa.alu > 0 ? model / mesa.alu : 0;
   fprintf(file, "| `%s` | %u | %u | %u | %s | %.2f | %.2f | %s | %s |\n", rows[i].text, mesa.f_scib, mesa.ic, mesa.alu,
           pipes[cost.pipe], model, (double)cost.latency / VGPU_TICKS, vgpu_class_rows[isa_timing_class(&insn)].source,
           mesa.alu == 0                          ? "no cost in Mesa"
           : ratio >= APART || ratio <= 1 / APART ? (ratio > 1 ? "Mesa too low" : "Mesa too high")
                                                  : "");
   return true;
}

static char *make_table(void)
{
   struct isa_asm *assembler = isa_asm_create(NULL);
   char *text = NULL;
   size_t size;
   FILE *file = open_memstream(&text, &size);
   bool done = assembler != NULL && file != NULL;

   if (done) {
      fputs("| instruction | Mesa F/SCIB | Mesa IC | Mesa cycles | our pipe | our cycles | our latency | from | "
            "differs |\n"
            "|---|---|---|---|---|---|---|---|---|\n",
            file);
   }
   for (unsigned i = 0; done && i < sizeof(rows) / sizeof(rows[0]); i++) {
      done = write_row(assembler, i, file);
   }
   if (file != NULL && fclose(file) != 0) {
      done = false;
   }
   isa_asm_destroy(assembler);
   if (!done) {
      free(text);
      text = NULL;
   }
   return text;
}

static char *read_file(const char *path)
{
   FILE *file = fopen(path, "r");
   char *text = file != NULL ? calloc(1, 1 << 20) : NULL;

   if (text != NULL && fread(text, 1, (1 << 20) - 1, file) == 0) {
      free(text);
      text = NULL;
   }
   if (file != NULL) {
      fclose(file);
   }
   return text;
}

int main(int argc, char **argv)
{
   if (argc > 1 && strcmp(PACKAGE_VERSION, MESA) != 0) {
      printf("the page is about Mesa %s, this is %s\n", MESA, PACKAGE_VERSION);
      return 77;
   }
   char *table = make_table(), *page = argc > 1 ? read_file(argv[1]) : NULL;
   int result = 1;

   if (table != NULL && argc == 1) {
      fputs(table, stdout);
      result = 0;
   } else if (table != NULL && page != NULL) {
      result = strstr(page, table) == NULL;
      if (result != 0) {
         fprintf(stderr, "%s does not have this table any more:\n%s", argv[1], table);
      }
   }
   free(table);
   free(page);
   return result;
}
