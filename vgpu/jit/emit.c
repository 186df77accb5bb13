/* SPDX-License-Identifier: MIT
 *
 * Writes the function of a run of instructions. For each simdgroup it copies the registers that the run names, calls
 * one semantic function an instruction, and writes the registers back that the run changes, unless an instruction met
 * a case that only the interpreter settles. LLVM inlines all calls, after which no copy is left but in host registers.
 */
#include "vgpu/jit/emit.h"

#include <inttypes.h>
#include <string.h>

#include "vgpu/exec/semantics.h"
#include "vgpu/exec/simd.h"

/* ---- Names ---- */

#define ROW(operation, binding, control, traits, ...) [ISA_OP_##operation] = #__VA_ARGS__,
static const char *const handlers[ISA_OP_COUNT] = {VGPU_SEMANTICS(ROW)};

void vgpu_emit_body_name(const struct vgpu_op *op, char name[VGPU_BODY_NAME])
{
   const char *at = handlers[op->insn->op];
   for (unsigned variant = 0; at && variant < op->variant; variant++) {
      at = strchr(at, ',');
      at = at ? at + strspn(at, ", ") : NULL;
   }
   const size_t length = at ? strcspn(at, ", ") : 0;
   snprintf(name, VGPU_BODY_NAME, "vgpu_body_%.*s_%u", (int)length, at ? at : "", op->shape & VGPU_GENERAL);
}

/* ---- Descriptors ---- */

static bool literal_at(struct vgpu_literals *literals, uint32_t low, uint32_t high, bool wide, uint32_t *index)
{
   const uint32_t needed = wide ? 2 : 1;
   for (uint32_t i = 0; i + needed <= literals->count; i++) {
      if (literals->words[i] == low && (!wide || literals->words[i + 1] == high)) {
         *index = i;
         return true;
      }
   }
   if (literals->count + needed > VGPU_MAX_LITERALS) {
      return false;
   }
   *index = literals->count;
   literals->words[literals->count++] = low;
   if (wide) {
      literals->words[literals->count++] = high;
   }
   return true;
}

bool vgpu_emit_descriptor(const struct vgpu_op *op, const uint32_t *vectors, struct vgpu_literals *literals,
                          struct vgpu_op *descriptor)
{
   *descriptor = *op;
   descriptor->run[0] = descriptor->run[1] = NULL;
   descriptor->insn = NULL;
   descriptor->address = 0;
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      struct vgpu_source *source = &descriptor->src[n];
      if (source->space != VGPU_CONSTANTS || op->insn->src[n].kind != ISA_IMM || !source->size) {
         continue;
      }
      const uint32_t *value = vectors + source->vector;
      const bool wide = source->size == 64;
      uint32_t index;
      if (!literal_at(literals, value[0], wide ? value[VGPU_LANES] : 0, wide, &index)) {
         return false;
      }
      source->space = VGPU_LITERALS;
      source->vector = index * VGPU_LANES;
   }
   return true;
}

/* ---- The registers of a run ---- */

struct registers {
   uint64_t named[4], written[4]; /* bits, by lane vector: 256 at most */
   uint32_t count;                /* one past the highest */
};

static void mark(uint64_t *set, uint32_t vector)
{
   set[vector / 64] |= UINT64_C(1) << vector % 64;
}

static bool marked(const uint64_t *set, uint32_t vector)
{
   return set[vector / 64] >> vector % 64 & 1;
}

static void name_vectors(struct registers *registers, uint32_t words, uint8_t size, bool written)
{
   const uint32_t first = words / VGPU_LANES, end = first + (size == 64 ? 2 : 1);
   for (uint32_t vector = first; vector < end; vector++) {
      mark(registers->named, vector);
      if (written) {
         mark(registers->written, vector);
      }
   }
   registers->count = end > registers->count ? end : registers->count;
}

static void name_registers(struct registers *registers, const struct vgpu_op *ops, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++) {
      if (ops[i].dst.present) {
         name_vectors(registers, ops[i].dst.vector, ops[i].dst.size, true);
      }
      for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
         if (ops[i].src[n].space == VGPU_REGISTERS && ops[i].src[n].size) {
            name_vectors(registers, ops[i].src[n].vector, ops[i].src[n].size, false);
         }
      }
   }
}

/* ---- Text ---- */

static void emit_descriptors(FILE *out, const char *name, const struct vgpu_op *ops, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++) {
      const uint8_t *bytes = (const uint8_t *)&ops[i];
      fprintf(out, "@%s.op%" PRIu32 " = internal constant [%zu x i8] c\"", name, i, sizeof(ops[i]));
      for (size_t n = 0; n < sizeof(ops[i]); n++) {
         fprintf(out, "\\%02x", bytes[n]);
      }
      fputs("\", align 8\n", out);
   }
}

static void emit_literals(FILE *out, const char *name, unsigned width, const struct vgpu_literals *literals)
{
   const unsigned chunks = VGPU_LANES / width;
   fprintf(out, "@%s.literals = internal constant [%" PRIu32 " x <%u x i32>] [", name,
           literals->count ? literals->count * chunks : 1, width);
   for (uint32_t i = 0; i < (literals->count ? literals->count * chunks : 1); i++) {
      fprintf(out, "%s<%u x i32> <", i ? ", " : "", width);
      for (unsigned lane = 0; lane < width; lane++) {
         fprintf(out, "%si32 %" PRIu32, lane ? ", " : "", literals->count ? literals->words[i / chunks] : 0);
      }
      fputs(">", out);
   }
   fputs("], align 64\n", out);
}

static void declare(FILE *out, const struct vgpu_op *ops, uint32_t count)
{
   static const char around[] = "declare void @vgpu_frame_begin(ptr, ptr, ptr, ptr)\n"
                                "declare void @vgpu_frame_load(ptr, ptr, i32)\n"
                                "declare void @vgpu_frame_save(ptr, ptr, i32)\n"
                                "declare i32 @vgpu_frame_unsettled(ptr)\n"
                                "declare void @vgpu_frame_interpret(ptr, ptr)\n";
   fputs(around, out);
   char name[VGPU_BODY_NAME], other[VGPU_BODY_NAME];
   for (uint32_t i = 0; i < count; i++) {
      bool declared = false;
      vgpu_emit_body_name(&ops[i], name);
      for (uint32_t k = 0; k < i && !declared; k++) {
         vgpu_emit_body_name(&ops[k], other);
         declared = !strcmp(name, other);
      }
      if (!declared) {
         fprintf(out, "declare void @%s(ptr, ptr)\n", name);
      }
   }
}

static void emit_body(FILE *out, const char *name, const struct vgpu_op *ops, uint32_t count,
                      const struct registers *registers)
{
   char body[VGPU_BODY_NAME];
   fprintf(out, "  call void @vgpu_frame_begin(ptr %%frame, ptr %%registers, ptr @%s.literals, ptr %%simd)\n", name);
   for (uint32_t vector = 0; vector < registers->count; vector++) {
      if (marked(registers->named, vector)) {
         fprintf(out, "  call void @vgpu_frame_load(ptr %%registers, ptr %%simd, i32 %" PRIu32 ")\n",
                 vector * VGPU_LANES);
      }
   }
   for (uint32_t i = 0; i < count; i++) {
      vgpu_emit_body_name(&ops[i], body);
      fprintf(out, "  call void @%s(ptr @%s.op%" PRIu32 ", ptr %%frame)\n", body, name, i);
   }
   fputs("  %unsettled = call i32 @vgpu_frame_unsettled(ptr %frame)\n"
         "  %slow = icmp ne i32 %unsettled, 0\n"
         "  br i1 %slow, label %interpret, label %save, !prof !0\n"
         "save:\n",
         out);
   for (uint32_t vector = 0; vector < registers->count; vector++) {
      if (marked(registers->written, vector)) {
         fprintf(out, "  call void @vgpu_frame_save(ptr %%registers, ptr %%simd, i32 %" PRIu32 ")\n",
                 vector * VGPU_LANES);
      }
   }
}

void vgpu_emit_run(FILE *out, const char *name, unsigned width, const char *attributes,
                   const struct vgpu_op *descriptors, const struct vgpu_op *ops, uint32_t count,
                   const struct vgpu_literals *literals)
{
   struct registers registers = {.count = 1};
   name_registers(&registers, ops, count);
   emit_descriptors(out, name, descriptors, count);
   emit_literals(out, name, width, literals);
   declare(out, ops, count);
   fprintf(out,
           "define void @%s(ptr %%op, ptr %%simds, i32 %%count) #0 {\n"
           "entry:\n"
           "  %%frame = alloca [%u x i8], align 64\n"
           "  %%registers = alloca [%" PRIu32 " x i32], align 64\n"
           "  br label %%loop\n"
           "loop:\n"
           "  %%i = phi i32 [ 0, %%entry ], [ %%next, %%done ]\n"
           "  %%slot = getelementptr ptr, ptr %%simds, i32 %%i\n"
           "  %%simd = load ptr, ptr %%slot, align 8\n",
           name, VGPU_FRAME_BYTES, registers.count * VGPU_LANES);
   emit_body(out, name, ops, count, &registers);
   fprintf(out,
           "  br label %%done\n"
           "interpret:\n"
           "  call void @vgpu_frame_interpret(ptr %%op, ptr %%simd)\n"
           "  br label %%done\n"
           "done:\n"
           "  %%next = add nuw i32 %%i, 1\n"
           "  %%more = icmp ult i32 %%next, %%count\n"
           "  br i1 %%more, label %%loop, label %%exit\n"
           "exit:\n"
           "  ret void\n"
           "}\n"
           "attributes #0 = { nounwind %s }\n"
           "!0 = !{!\"branch_weights\", i32 1, i32 100000}\n",
           attributes);
}
