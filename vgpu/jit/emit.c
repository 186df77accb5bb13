/* SPDX-License-Identifier: MIT
 *
 * Writes the function of a run of instructions. For each simdgroup it copies the registers of the run, calls one
 * semantic function for each instruction, and writes the changed registers back, unless an instruction met a case that
 * only the interpreter settles. LLVM inlines all calls, after which copies exist in host registers only.
 *
 * A memory instruction is a checkpoint: before it, all results are settled, and after it, the interpreter can continue
 * from the registers as they are then. So no instruction that accesses memory is executed twice.
 */
#include "vgpu/jit/emit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/exec/simd.h"
#include "vgpu/jit/facts/certain.h"
#include "vgpu/jit/facts/lanes.h"
#include "vgpu/jit/facts/lanes.h"
#include "vgpu/jit/facts/memory.h"

/* ---- Names ---- */

/* Whether it is 32-bit float arithmetic, for which any NaN among the sources gives the same NaN. */
static bool is_arithmetic(const struct vgpu_op *op)
{
   const uint16_t code = op->insn->op;
   return (code == ISA_OP_FADD || code == ISA_OP_FMUL || code == ISA_OP_FFMA) && op->dst.form == VGPU_WORD &&
          op->dst.size == 32 && !op->saturate;
}

static bool overlaps(uint32_t vector, uint32_t first, uint8_t size)
{
   return vector == first || (size == 64 && vector == first + VGPU_LANES);
}

/* What an op does with a result. */
enum use { USE_NONE, USE_READS, USE_SETTLES, USE_REPLACES };

/* Of the lane vector, which may be unfinished for 32-bit float arithmetic alone: NaNs that are not the canonical one.
 */
static enum use use_of(const struct vgpu_op *op, uint32_t vector)
{
   if (vgpu_jit_is_memory(op)) { /* a checkpoint: the interpreter may continue from here */
      return USE_SETTLES;
   }
   if (vgpu_jit_is_fence(op)) {
      return USE_NONE;
   }
   const bool arithmetic = is_arithmetic(op);
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      const struct vgpu_source *source = &op->src[n];
      if (source->size && source->space == VGPU_REGISTERS && overlaps(vector, source->vector, source->size) &&
          (!arithmetic || source->form != VGPU_WORD)) {
         return USE_SETTLES;
      }
   }
   if (!op->dst.present) { /* an instruction on r0 */
      return vector == 0 ? USE_SETTLES : USE_READS;
   }
   if (overlaps(vector, op->dst.vector, op->dst.size)) {
      return arithmetic ? USE_REPLACES : USE_SETTLES;
   }
   return USE_NONE;
}

/* Whether all readers of the result, before it is overwritten, are such arithmetic within the run. body: 0, or that of
 * a loop, whose next pass counts, too; a result that a loop's last pass leaves is finished at its end. */
static bool is_passed_on(const struct vgpu_op *ops, uint32_t count, uint32_t body, uint32_t index)
{
   const uint32_t vector = ops[index].dst.vector;
   if (!is_arithmetic(&ops[index])) {
      return false;
   }
   for (uint32_t i = index + 1; i < count; i++) {
      const enum use use = use_of(&ops[i], vector);
      const bool ends_pass = use == USE_READS && body > 0 && i + 1 == count;
      if (use != USE_NONE && !ends_pass) {
         return use == USE_REPLACES;
      }
   }
   for (uint32_t i = 0; index < body && i <= index; i++) {
      const enum use use = use_of(&ops[i], vector);
      if (use != USE_NONE) {
         return use == USE_REPLACES;
      }
   }
   return false;
}

/* Whether the result is passed on to the next pass of a loop. */
static bool is_left(const struct vgpu_op *ops, uint32_t count, uint32_t body, uint32_t index)
{
   return is_passed_on(ops, count, body, index) && !is_passed_on(ops, count, 0, index);
}

/* The same for an op of a run. masked: VGPU_MASKED or 0. */
static void body_name(const struct vgpu_op *ops, uint32_t count, uint32_t body, uint32_t index, unsigned masked,
                      char name[VGPU_BODY_NAME])
{
   vgpu_emit_body_name(&ops[index], masked, name);
   if (is_passed_on(ops, count, masked ? 0 : body, index)) {
      name[strlen(name) - 1] = (char)(name[strlen(name) - 1] + VGPU_UNFINISHED);
   }
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
      if (vgpu_jit_is_fence(&ops[i])) {
         continue;
      }
      if (vgpu_jit_is_memory(&ops[i])) {
         uint32_t first, end;
         vgpu_jit_memory_data(&ops[i], &first, &end);
         for (; first < end; first++) {
            name_vectors(registers, first * VGPU_LANES, 32, vgpu_jit_memory_loads(&ops[i]));
         }
      } else if (ops[i].dst.present) {
         name_vectors(registers, ops[i].dst.vector, ops[i].dst.size, true);
      } else {
         name_vectors(registers, 0, 32, true); /* the exec mask's stack is r0l */
      }
      for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
         if (ops[i].src[n].space == VGPU_REGISTERS && ops[i].src[n].size) {
            name_vectors(registers, ops[i].src[n].vector, ops[i].src[n].size, false);
         }
      }
   }
}

/* ---- Sources that are the same in all lanes and are overwritten ---- */

/* The lane vectors that the op writes, one behind the other. */
static uint32_t written_end(const struct vgpu_op *op)
{
   return op->dst.present ? op->dst.vector + (op->dst.size == 64 ? 2 : 1) * VGPU_LANES : VGPU_LANES;
}

static bool is_one(const struct vgpu_source *source)
{
   return source->space == VGPU_SAME || source->space == VGPU_SAME_COMPUTED;
}

/* Whether the op overwrites a source of which each part of the result needs the first part. */
static bool overwrites(const struct vgpu_op *op, const struct vgpu_source *source)
{
   const uint32_t first = op->dst.present ? op->dst.vector : 0;
   return source->size && is_one(source) && source->vector < written_end(op) &&
          source->vector + (source->size == 64 ? 2 : 1) * VGPU_LANES > first;
}

/* The place of a copy of a source, behind the run's registers. */
static uint32_t copy_vector(const struct registers *registers, unsigned n)
{
   return (registers->count + 2 * n) * VGPU_LANES;
}

static void copy_overwritten(const struct registers *registers, struct vgpu_op *descriptor)
{
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      if (overwrites(descriptor, &descriptor->src[n])) {
         descriptor->src[n].vector = copy_vector(registers, n);
      }
   }
}

/* ---- Text ---- */

static void emit_descriptors(FILE *out, const struct vgpu_emit *emit, const struct registers *registers)
{
   for (uint32_t i = 0; i < emit->count; i++) {
      struct vgpu_op op = emit->descriptors[i];
      if (!vgpu_jit_is_memory(&emit->ops[i])) {
         copy_overwritten(registers, &op);
      }
      const uint8_t *bytes = (const uint8_t *)&op;
      char text[3 * sizeof(op)];
      for (size_t n = 0; n < sizeof(op); n++) {
         text[3 * n] = '\\';
         text[3 * n + 1] = "0123456789abcdef"[bytes[n] >> 4];
         text[3 * n + 2] = "0123456789abcdef"[bytes[n] & 15];
      }
      fprintf(out, "@%s.op%" PRIu32 " = internal constant [%zu x i8] c\"%.*s\", align 8\n", emit->name, i, sizeof(op),
              (int)sizeof(text), text);
   }
}

/* Whether the op selects by an index that is known to be the same in all lanes. */
static bool is_picked(const struct vgpu_pick *picks, const struct vgpu_op *descriptors, uint32_t i)
{
   return picks && picks[i].found && is_one(&descriptors[i].src[0]);
}

static void emit_picks(FILE *out, const struct vgpu_emit *emit)
{
   for (uint32_t i = 0; i < emit->count; i++) {
      if (!is_picked(emit->picks, emit->descriptors, i)) {
         continue;
      }
      fprintf(out, "@%s.pick%" PRIu32 " = internal constant [%u x i32] [", emit->name, i, VGPU_PICK_INDICES);
      for (uint32_t n = 0; n < VGPU_PICK_INDICES; n++) {
         fprintf(out, "%si32 %" PRIu32, n ? ", " : "", emit->picks[i].from[n]);
      }
      fputs("], align 4\n", out);
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

static void declare_frame(FILE *out)
{
   static const char around[] = "declare void @vgpu_frame_begin(ptr, ptr, ptr, ptr)\n"
                                "declare void @vgpu_frame_begin_masked(ptr, ptr, ptr, ptr)\n"
                                "declare void @vgpu_frame_renew(ptr)\n"
                                "declare void @vgpu_frame_renew_mask(ptr, ptr)\n"
                                "declare void @vgpu_frame_pick(ptr, ptr, ptr)\n"
                                "declare ptr @vgpu_frame_own(ptr)\n"
                                "declare i32 @vgpu_frame_place(ptr, i32)\n"
                                "declare void @vgpu_frame_load(ptr, ptr, i32, i32)\n"
                                "declare void @vgpu_frame_load_one(ptr, ptr, i32, i32)\n"
                                "declare i32 @vgpu_frame_load_same(ptr, ptr, i32, i32)\n"
                                "declare i32 @vgpu_frame_all_run(ptr)\n"
                                "declare i32 @vgpu_frame_certain(ptr, ptr, i32, i32)\n"
                                "declare void @vgpu_frame_keep(ptr, ptr, i32)\n"
                                "declare void @vgpu_frame_copy(ptr, i32, i32)\n"
                                "declare void @vgpu_frame_save(ptr, ptr, i32, i32)\n"
                                "declare void @vgpu_frame_finish(ptr, i32, i32)\n"
                                "declare void @vgpu_frame_save_exec(ptr, ptr)\n"
                                "declare i32 @vgpu_frame_go_over(ptr, ptr)\n"
                                "declare i32 @vgpu_frame_unsettled(ptr)\n"
                                "declare i32 @vgpu_frame_again(ptr)\n"
                                "declare i32 @vgpu_frame_all_active(ptr)\n"
                                "declare i32 @vgpu_frame_again_masked(ptr)\n"
                                "declare i32 @vgpu_frame_any_active(ptr)\n"
                                "declare i32 @vgpu_frame_lanes(ptr)\n"
                                "declare i32 @vgpu_frame_passes(ptr)\n"
                                "declare void @vgpu_frame_count(ptr, ptr, i32, i32)\n"
                                "declare void @vgpu_frame_interpret(ptr, ptr, i32)\n"
                                "declare void @vgpu_frame_call(ptr, ptr, i32)\n"
                                "declare void @vgpu_frame_load_elements(ptr, ptr, i32)\n"
                                "declare void @vgpu_frame_store_elements(ptr, ptr, i32)\n"
                                "declare void @vgpu_frame_local_load_elements(ptr, ptr, i32)\n"
                                "declare void @vgpu_frame_local_store_elements(ptr, ptr, i32)\n"
                                "declare i32 @vgpu_frame_stack_load(ptr, ptr)\n"
                                "declare i32 @vgpu_frame_stack_store(ptr, ptr)\n"
                                "declare i32 @vgpu_frame_stack_load_masked(ptr, ptr)\n"
                                "declare i32 @vgpu_frame_stack_store_masked(ptr, ptr)\n"
                                "declare void @vgpu_frame_stack_load_own(ptr, ptr, i32)\n"
                                "declare void @vgpu_frame_stack_store_own(ptr, ptr, i32)\n"
                                "declare void @vgpu_frame_stack_load_elements(ptr, ptr, i32)\n"
                                "declare void @vgpu_frame_stack_store_elements(ptr, ptr, i32)\n"
                                "declare i32 @vgpu_frame_load_line(ptr, ptr)\n"
                                "declare i32 @vgpu_frame_store_line(ptr, ptr)\n"
                                "declare i32 @vgpu_frame_consecutive(ptr)\n"
                                "declare i32 @vgpu_frame_fitting(ptr, ptr, i32)\n"
                                "declare ptr @vgpu_frame_find_loads(ptr, ptr)\n"
                                "declare ptr @vgpu_frame_find_stores(ptr, ptr)\n"
                                "declare i32 @vgpu_frame_take(ptr, i32, i32)\n"
                                "declare void @vgpu_frame_advance(ptr, i32)\n"
                                "declare i32 @vgpu_frame_streams(ptr, ptr)\n"
                                "declare void @vgpu_frame_load_known(ptr, ptr, ptr, i32, i32)\n"
                                "declare void @vgpu_frame_store_known(ptr, ptr, ptr, i32, i32)\n"
                                "declare i32 @vgpu_frame_local_load(ptr, ptr)\n"
                                "declare i32 @vgpu_frame_local_store(ptr, ptr)\n"
                                "declare i32 @vgpu_frame_load_line_masked(ptr, ptr)\n"
                                "declare i32 @vgpu_frame_store_line_masked(ptr, ptr)\n"
                                "declare i32 @vgpu_frame_local_load_masked(ptr, ptr)\n"
                                "declare i32 @vgpu_frame_local_store_masked(ptr, ptr)\n"
                                "declare void @vgpu_frame_load_line_own(ptr, ptr, i32)\n"
                                "declare void @vgpu_frame_store_line_own(ptr, ptr, i32)\n"
                                "declare void @vgpu_frame_local_load_own(ptr, ptr, i32)\n"
                                "declare void @vgpu_frame_local_load_own_low(ptr, ptr, i32)\n"
                                "declare void @vgpu_frame_local_load_own_high(ptr, ptr, i32)\n"
                                "declare void @vgpu_frame_local_store_own(ptr, ptr, i32)\n"
                                "declare void @vgpu_frame_local_store_own_low(ptr, ptr, i32)\n"
                                "declare void @vgpu_frame_local_store_own_high(ptr, ptr, i32)\n";
   fputs(around, out);
}

/* Each semantic function that the runs call, once. */
static void declare_bodies(FILE *out, const struct vgpu_emit *emits, uint32_t count)
{
   uint32_t total = 0, used = 0;
   for (uint32_t n = 0; n < count; n++) {
      total += emits[n].count;
   }
   char(*names)[VGPU_BODY_NAME] = calloc(total ? total : 1, sizeof(*names));
   for (uint32_t n = 0; names && n < count; n++) {
      for (uint32_t i = 0; i < emits[n].count; i++) {
         if (vgpu_jit_is_memory(&emits[n].ops[i]) || vgpu_jit_is_fence(&emits[n].ops[i])) {
            continue;
         }
         uint32_t same = 0;
         body_name(emits[n].ops, emits[n].count, emits[n].body, i, emits[n].masked ? VGPU_MASKED : 0, names[used]);
         while (strcmp(names[same], names[used]) != 0) {
            same++;
         }
         if (same == used) {
            fprintf(out, "declare void @%s(ptr, ptr)\n", names[used++]);
         }
      }
   }
   free(names); /* without memory, LLVM misses the declarations, and the interpreter continues */
}

/* A run to be written. */
struct text {
   FILE *out;
   const char *name;
   bool loop;
   unsigned masked; /* VGPU_MASKED: some lanes are inactive. 0: none */
   uint32_t body;
   const struct vgpu_op *ops;
   uint32_t count;
   struct registers registers;
   uint64_t left[4];     /* registers that a loop's last pass leaves unfinished */
   unsigned side;        /* simdgroups side by side */
   bool memory;          /* there are memory instructions: then side is 1 */
   bool suspects;        /* there are results that may have to be settled by the interpreter */
   bool keeps;           /* the registers' values before the last checkpoint may be wanted */
   bool nested;          /* of a loop: r0l is 0 in all lanes before each pass */
   const uint8_t *facts; /* about registers when they are loaded; NULL: none */
   const bool *same;
   const char *other;
   const struct vgpu_pick *picks;
   bool dead; /* nothing reads the registers after the run */
   bool internal;
   bool over;
   bool known; /* this is the loop over consecutive simdgroups, whose addresses are known */
   const bool *needed;
   const struct vgpu_op *descriptors;
   const uint32_t *vectors;
   uint32_t checkpoint; /* in a run with memory that is no loop: where the interpreter would continue */
   /* Each memory instruction is a call, before which all results are written to the simdgroup's own registers, and
    * after which registers are loaded again, so that LLVM saves none around it. */
   bool calls;
   uint64_t dirty[4]; /* then: registers that have not been written back yet */
   const uint32_t *places;
   bool shared;
   uint32_t moves; /* written so far */
};

/* What is done with a register: its copy is loaded from the simdgroup's own, for all lanes from the first one's word,
 * it is written back, a kept one is; a copy is kept, or finished behind a loop. */
enum move { LOAD, LOAD_ONE, SAVE, RESTORE, KEEP, FINISH };

static void emit_move(struct text *text, enum move move, unsigned k, uint32_t vector)
{
   static const char *const calls[] = {[LOAD] = "vgpu_frame_load(ptr %registers",
                                       [LOAD_ONE] = "vgpu_frame_load_one(ptr %registers",
                                       [SAVE] = "vgpu_frame_save(ptr %registers",
                                       [RESTORE] = "vgpu_frame_save(ptr %kept"};
   const uint32_t words = vector * VGPU_LANES;
   if (move == KEEP) {
      fprintf(text->out, "  call void @vgpu_frame_keep(ptr %%kept%u, ptr %%registers%u, i32 %" PRIu32 ")\n", k, k,
              words);
   } else if (move == FINISH) {
      fprintf(text->out, "  call void @vgpu_frame_finish(ptr %%registers%u, i32 %%passed%u, i32 %" PRIu32 ")\n", k, k,
              words);
   } else if (text->shared) {
      const uint32_t n = text->moves++;
      fprintf(text->out,
              "  %%place%" PRIu32 " = call i32 @vgpu_frame_place(ptr %%places, i32 %" PRIu32 ")\n"
              "  call void @%s%u, ptr %%own%u, i32 %" PRIu32 ", i32 %%place%" PRIu32 ")\n",
              n, vector, calls[move], k, k, words, n);
   } else {
      fprintf(text->out, "  call void @%s%u, ptr %%own%u, i32 %" PRIu32 ", i32 %" PRIu32 ")\n", calls[move], k, k,
              words, text->places ? text->places[vector] : words);
   }
}

/* The registers in `set` that are lane vectors [first, end). */
static void emit_range(struct text *text, const uint64_t *set, enum move move, uint32_t first, uint32_t end, unsigned k)
{
   for (uint32_t vector = first; vector < end; vector++) {
      if (marked(set, vector)) {
         emit_move(text, move, k, vector);
      }
   }
}

static void emit_each(struct text *text, const uint64_t *set, enum move move, unsigned k)
{
   emit_range(text, set, move, 0, text->registers.count, k);
}

static void emit_line_arguments(const struct text *text)
{
   for (uint32_t i = 0; i < text->count; i++) {
      if (vgpu_jit_is_memory(&text->ops[i])) {
         fprintf(text->out, ", ptr %%line%" PRIu32 ", i32 %%streams%" PRIu32, i, i);
      }
   }
}

/* registers: the name of the array. */
static void emit_copies(const struct text *text, uint32_t i, const char *registers)
{
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      const struct vgpu_source *source = &text->descriptors[i].src[n];
      if (!overwrites(&text->descriptors[i], source)) {
         continue;
      }
      for (unsigned high = 0; high < (source->size == 64 ? 2 : 1); high++) {
         fprintf(text->out, "  call void @vgpu_frame_copy(ptr %%%s, i32 %" PRIu32 ", i32 %" PRIu32 ")\n", registers,
                 source->vector + high * VGPU_LANES, copy_vector(&text->registers, n) + high * VGPU_LANES);
      }
   }
}

/* Emits the test for consecutive cohorts, which the loop with known addresses executes. */
static void emit_known_lines(const struct text *text)
{
   fprintf(
       text->out,
       "  %%consecutive = call i32 @vgpu_frame_consecutive(ptr %%simds)\n"
       "  %%follows = icmp ne i32 %%consecutive, 0\n"
       "  br i1 %%follows, label %%find, label %%ordinary\n"
       "find:\n"
       "  %%most = mul i32 %%consecutive, %%count\n"
       "  %%first_simd = load ptr, ptr %%simds, align 8\n"
       "  call void @vgpu_frame_begin(ptr %%first_frame, ptr %%first_registers, ptr @%s.literals, ptr %%first_simd)\n",
       text->name);
   char body[VGPU_BODY_NAME], fitting[32] = "most";
   for (uint32_t i = 0; i < text->count; i++) {
      if (vgpu_jit_is_memory(&text->ops[i])) {
         fprintf(text->out,
                 "  %%line%" PRIu32 " = call ptr @vgpu_frame_find_%s(ptr @%s.op%" PRIu32 ", ptr %%first_frame)\n"
                 "  %%missing%" PRIu32 " = icmp eq ptr %%line%" PRIu32 ", null\n"
                 "  br i1 %%missing%" PRIu32 ", label %%ordinary, label %%located%" PRIu32 "\n"
                 "located%" PRIu32 ":\n"
                 "  %%streams%" PRIu32 " = call i32 @vgpu_frame_streams(ptr %%first_frame, ptr %%line%" PRIu32 ")\n"
                 "  %%fitting%" PRIu32 " = call i32 @vgpu_frame_fitting(ptr @%s.op%" PRIu32
                 ", ptr %%first_frame, i32 %%%s)\n",
                 i, vgpu_jit_memory_loads(&text->ops[i]) ? "loads" : "stores", text->name, i, i, i, i, i, i, i, i, i,
                 text->name, i, fitting);
         snprintf(fitting, sizeof(fitting), "fitting%" PRIu32, i);
      } else if (text->needed[i]) {
         emit_copies(text, i, "first_registers");
         body_name(text->ops, text->count, text->body, i, 0, body);
         fprintf(text->out, "  call void @%s(ptr @%s.op%" PRIu32 ", ptr %%first_frame)\n", body, text->name, i);
      }
   }
   fprintf(text->out,
           "  %%taken = call i32 @vgpu_frame_take(ptr %%simds, i32 %%count, i32 %%%s)\n"
           "  %%none = icmp eq i32 %%taken, 0\n"
           "  br i1 %%none, label %%ordinary, label %%known\n"
           "known:\n"
           "  call void @%s.known(ptr %%op, ptr %%simds, i32 %%count, i32 %%taken",
           fitting, text->name);
   emit_line_arguments(text);
   fputs(")\n  ret void\n", text->out);
}

static void emit_head(const struct text *text)
{
   if (text->known) {
      fprintf(text->out, "define internal void @%s.known(ptr %%op, ptr %%simds, i32 %%count, i32 %%taken", text->name);
      emit_line_arguments(text);
   } else {
      fprintf(text->out, "define %svoid @%s(ptr %%op, ptr %%simds, i32 %%count", text->internal ? "internal " : "",
              text->name);
   }
   fputs(text->internal ? ", ptr %places) #1 {\nentry:\n" : ") #0 {\nentry:\n", text->out);
}

/* Loads the registers. Simdgroups that are not as the run wants them to be go to "unlike". */
static void emit_loads(struct text *text)
{
   char ok[32] = "true";
   for (unsigned k = 0; k < text->side; k++) {
      fprintf(text->out, "  %%own%u = call ptr @vgpu_frame_own(ptr %%simd%u)\n", k, k);
      for (uint32_t vector = 0; vector < text->registers.count; vector++) {
         if (!marked(text->registers.named, vector)) {
            continue;
         }
         const bool known = text->facts && text->facts[vector] == VGPU_JIT_SAME;
         if (known || !text->same || !text->same[vector]) {
            emit_move(text, known ? LOAD_ONE : LOAD, k, vector);
            continue;
         }
         fprintf(text->out,
                 "  %%same%u_%" PRIu32 " = call i32 @vgpu_frame_load_same(ptr %%registers%u, ptr %%own%u, i32 %" PRIu32
                 ", i32 %" PRIu32 ")\n"
                 "  %%is_same%u_%" PRIu32 " = icmp ne i32 %%same%u_%" PRIu32 ", 0\n"
                 "  %%alike%u_%" PRIu32 " = and i1 %s, %%is_same%u_%" PRIu32 "\n",
                 k, vector, k, k, vector * VGPU_LANES, vector * VGPU_LANES, k, vector, k, vector, k, vector, ok, k,
                 vector);
         snprintf(ok, sizeof(ok), "%%alike%u_%" PRIu32, k, vector);
      }
      if (text->nested) {
         fprintf(text->out,
                 "  %%run%u = call i32 @vgpu_frame_all_run(ptr %%registers%u)\n"
                 "  %%runs%u = icmp ne i32 %%run%u, 0\n"
                 "  %%whole%u = and i1 %s, %%runs%u\n",
                 k, k, k, k, k, ok, k);
         snprintf(ok, sizeof(ok), "%%whole%u", k);
      }
   }
   fprintf(text->out, "  br i1 %s, label %%alike, label %%unlike0\n", ok);
   for (unsigned k = 0; k < text->side; k++) {
      fprintf(text->out, "unlike%u:\n", k);
      if (k > 0) {
         fprintf(text->out,
                 "  %%again%u = icmp eq ptr %%simd%u, %%simd%u\n"
                 "  br i1 %%again%u, label %%done, label %%other%u\n"
                 "other%u:\n",
                 k, k, k - 1, k, k, k);
      }
      if (text->other) {
         fprintf(text->out, "  call void @%s(ptr %%op, ptr %%slot%u, i32 1, ptr null)\n", text->other, k);
      } else {
         fprintf(text->out, "  call void @vgpu_frame_interpret(ptr %%op, ptr %%simd%u, i32 %" PRIu32 ")\n", k,
                 text->body);
      }
      fprintf(text->out, "  br label %%unlike%u\n", k + 1);
   }
   fprintf(text->out, "unlike%u:\n  br label %%done\nalike:\n", text->side);
}

/* Uniforms may have other values than those with which the run was compiled. The interpreter then runs it. */
static void emit_certain(const struct text *text)
{
   char ok[32] = "true";
   fputs("  %any_simd = load ptr, ptr %simds, align 8\n", text->out);
   for (uint32_t i = 0; i < text->count; i++) {
      struct vgpu_certain certain;
      if (!text->descriptors[i].certain || !vgpu_jit_is_certain(&text->ops[i], text->vectors, &certain) ||
          text->ops[i].insn->src[certain.source].kind != ISA_UNIFORM) {
         continue;
      }
      fprintf(text->out,
              "  %%certain%" PRIu32 " = call i32 @vgpu_frame_certain(ptr @%s.op%" PRIu32
              ", ptr %%any_simd, i32 %u, i32 %" PRIu32 ")\n"
              "  %%holds%" PRIu32 " = icmp ne i32 %%certain%" PRIu32 ", 0\n"
              "  %%hold%" PRIu32 " = and i1 %s, %%holds%" PRIu32 "\n",
              i, text->name, i, certain.source, certain.least, i, i, i, ok, i);
      snprintf(ok, sizeof(ok), "%%hold%" PRIu32, i);
   }
   fprintf(text->out,
           "  br i1 %s, label %%begin, label %%refuse\n"
           "refuse:\n"
           "  %%n = phi i32 [ 0, %%entry ], [ %%n_after, %%refuse ]\n"
           "  %%refused = getelementptr ptr, ptr %%simds, i32 %%n\n"
           "  %%refused_simd = load ptr, ptr %%refused, align 8\n"
           "  call void @vgpu_frame_interpret(ptr %%op, ptr %%refused_simd, i32 %" PRIu32 ")\n"
           "  %%n_after = add i32 %%n, 1\n"
           "  %%n_more = icmp ult i32 %%n_after, %%count\n"
           "  br i1 %%n_more, label %%refuse, label %%exit\n"
           "begin:\n",
           ok, text->body);
}

static void emit_entry(struct text *text)
{
   const uint32_t words = copy_vector(&text->registers, ISA_MAX_SOURCES); /* with the copies of sources */
   emit_head(text);
   if (text->needed && !text->known) {
      fprintf(text->out,
              "  %%first_frame = alloca [%u x i8], align 64\n"
              "  %%first_registers = alloca [%" PRIu32 " x i32], align 64\n",
              VGPU_FRAME_BYTES, words);
   }
   for (unsigned k = 0; k < text->side; k++) {
      fprintf(text->out,
              "  %%frame%u = alloca [%u x i8], align 64\n"
              "  %%registers%u = alloca [%" PRIu32 " x i32], align 64\n"
              "  %%kept%u = alloca [%" PRIu32 " x i32], align 64\n",
              k, VGPU_FRAME_BYTES, k, words, k, words);
   }
   fputs("  %checkpoint = alloca i32, align 4\n"
         "  %last = sub i32 %count, 1\n",
         text->out);
   if (!text->known) {
      emit_certain(text);
   }
   if (text->needed && !text->known) {
      emit_known_lines(text);
   } else {
      fputs("  br label %ordinary\n", text->out);
   }
   fputs("ordinary:\n"
         "  br label %next\n"
         "next:\n",
         text->out);
   if (text->known) {
      fputs("  %i = phi i32 [ 0, %ordinary ], [ %after, %advance ], [ %after, %same ]\n"
            "  %number = phi i32 [ 0, %ordinary ], [ %number_after, %advance ], [ %number_after, %same ]\n",
            text->out);
   } else if (text->internal) {
      fputs("  %i = add i32 0, 0\n", text->out);
   } else {
      fputs("  %i = phi i32 [ 0, %ordinary ], [ %after, %done ]\n", text->out);
   }
   if (text->side == 1) {
      fputs("  %slot0 = getelementptr ptr, ptr %simds, i32 %i\n"
            "  %simd0 = load ptr, ptr %slot0, align 8\n",
            text->out);
      emit_loads(text);
      return;
   }
   /* At the end, when fewer simdgroups remain, the last one is computed again with the same result. */
   for (unsigned k = 0; k < text->side; k++) {
      fprintf(text->out,
              "  %%i%u = add i32 %%i, %u\n"
              "  %%inside%u = icmp ult i32 %%i%u, %%last\n"
              "  %%index%u = select i1 %%inside%u, i32 %%i%u, i32 %%last\n"
              "  %%slot%u = getelementptr ptr, ptr %%simds, i32 %%index%u\n"
              "  %%simd%u = load ptr, ptr %%slot%u, align 8\n",
              k, k, k, k, k, k, k, k, k, k, k);
   }
   emit_loads(text);
}

/* Calls that function after storing the registers that the op reads and writes. */
static void emit_call(struct text *text, uint32_t i, const char *function)
{
   if (text->calls) {
      emit_range(text, text->dirty, SAVE, 0, text->registers.count, 0);
      memset(text->dirty, 0, sizeof(text->dirty));
      fprintf(text->out,
              "  call void @%s(ptr %%op, ptr %%simd0, i32 %" PRIu32 ")\n"
              "  call void @vgpu_frame_renew_mask(ptr %%frame0, ptr %%simd0)\n",
              function, i);
      emit_range(text, text->registers.named, LOAD, 0, text->registers.count, 0);
      return;
   }
   const struct vgpu_op *op = &text->ops[i];
   uint32_t first, end;
   vgpu_jit_memory_data(op, &first, &end);
   /* one word a lane overwrites them completely */
   if (!vgpu_jit_memory_loads(op) || !vgpu_jit_memory_is_word(op) || text->masked) {
      emit_range(text, text->registers.written, SAVE, first, end, 0);
   }
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      const struct vgpu_source *source = &op->src[n];
      if (source->size && source->space == VGPU_REGISTERS) {
         const uint32_t vector = source->vector / VGPU_LANES;
         emit_range(text, text->registers.written, SAVE, vector, vector + (source->size == 64 ? 2 : 1), 0);
      }
   }
   fprintf(text->out, "  call void @%s(ptr %%op, ptr %%simd0, i32 %" PRIu32 ")\n", function, i);
   if (vgpu_jit_memory_loads(op)) {
      emit_range(text, text->registers.written, text->descriptors[i].certain ? LOAD_ONE : LOAD, first, end, 0);
   }
}

/* The interpreter continues from the last checkpoint. Registers that the run had not written by then are already
 * stored. */
static void emit_leave(struct text *text)
{
   struct registers before = {.count = 1};
   name_registers(&before, text->ops, text->calls ? 0 : text->checkpoint);
   emit_each(text, before.written, RESTORE, 0);
   fprintf(text->out, "  call void @vgpu_frame_interpret(ptr %%op, ptr %%simd0, i32 %" PRIu32 ")\n", text->checkpoint);
}

/* Whether the access misses the fast path only at a page's end or start. */
static bool is_certain_line(const struct vgpu_op *descriptor)
{
   const uint8_t index = descriptor->src[1].space;
   const unsigned elements = 32u - (unsigned)__builtin_clz(descriptor->memory.mask | 1);
   const bool counts = index == VGPU_COUNTING && 1u << descriptor->memory.shift == elements;
   return descriptor->src[0].space == VGPU_CONSTANTS && (counts || index == VGPU_CONSTANTS);
}

/* The interpreter can continue from the op of that index with the current registers. */
static void emit_checkpoint(struct text *text, uint32_t index)
{
   if (text->keeps && !text->calls) {
      emit_each(text, text->registers.written, KEEP, 0);
   }
   fprintf(text->out, "  store i32 %" PRIu32 ", ptr %%checkpoint, align 4\n", index);
   text->checkpoint = index;
}

/* Sets %unsettledNAMEi: not 0 where the interpreter must settle a result. */
static void emit_unsettled(struct text *text, unsigned k, const char *name, uint32_t i)
{
   if (text->suspects) {
      fprintf(text->out, "  %%unsettled%s%" PRIu32 " = call i32 @vgpu_frame_unsettled(ptr %%frame%u)\n", name, i, k);
   } else {
      fprintf(text->out, "  %%unsettled%s%" PRIu32 " = add i32 0, 0\n", name, i);
   }
}

/* If the run is no loop, an access that the fast path cannot do at a page's end leaves the run: then LLVM has no
 * registers to save for a call in its middle. */
static void emit_memory(struct text *text, uint32_t i)
{
   const char *fast_path = vgpu_jit_memory_fast_path(&text->ops[i], text->masked);
   const bool leaves = fast_path && !text->loop && text->dead && is_certain_line(&text->descriptors[i]);
   char leave[32] = "end0";
   if (!text->loop) {
      snprintf(leave, sizeof(leave), "leave%" PRIu32, i);
   }
   emit_unsettled(text, 0, "_before", i);
   fprintf(text->out,
           "  %%leaves%" PRIu32 " = icmp ne i32 %%unsettled_before%" PRIu32 ", 0\n"
           "  br i1 %%leaves%" PRIu32 ", label %%%s, label %%settled%" PRIu32 ", !prof !0\n",
           i, i, i, leave, i);
   if (!text->loop) {
      fprintf(text->out, "%s:\n", leave);
      emit_leave(text);
      fputs("  br label %done\n", text->out);
   }
   fprintf(text->out, "settled%" PRIu32 ":\n", i);
   if (text->known) {
      fprintf(text->out,
              "  call void @%s(ptr @%s.op%" PRIu32 ", ptr %%frame0, ptr %%line%" PRIu32
              ", i32 %%number, i32 %%streams%" PRIu32 ")\n",
              vgpu_jit_memory_known_line(&text->ops[i]), text->name, i, i, i);
      emit_checkpoint(text, i + 1);
      return;
   }
   if (fast_path && text->masked && text->internal) {
      char own[64];
      snprintf(own, sizeof(own), "%s_own%s", fast_path, vgpu_jit_memory_base(&text->ops[i]));
      emit_call(text, i, own);
      emit_checkpoint(text, i + 1);
      return;
   }
   if (fast_path) {
      fprintf(text->out,
              "  %%fast%" PRIu32 " = call i32 @%s%s(ptr @%s.op%" PRIu32 ", ptr %%frame0)\n"
              "  %%found%" PRIu32 " = icmp ne i32 %%fast%" PRIu32 ", 0\n"
              "  br i1 %%found%" PRIu32 ", label %%moved%" PRIu32 ", label %%%s%" PRIu32 ", !prof !1\n",
              i, fast_path, text->masked ? "_masked" : "", text->name, i, i, i, i, i, leaves ? "leave" : "call", i);
      if (!leaves) {
         fprintf(text->out, "call%" PRIu32 ":\n", i);
      }
   }
   if (!leaves) {
      emit_call(text, i, vgpu_jit_memory_call(&text->ops[i]));
   }
   if (fast_path) {
      fprintf(text->out, leaves ? "moved%" PRIu32 ":\n" : "  br label %%moved%" PRIu32 "\nmoved%" PRIu32 ":\n", i, i);
   }
   emit_checkpoint(text, i + 1);
}

static void mark_written(uint64_t *set, const struct vgpu_op *op)
{
   const uint32_t first = op->dst.present ? op->dst.vector : 0, end = written_end(op);
   for (uint32_t vector = first; vector < end; vector += VGPU_LANES) {
      mark(set, vector / VGPU_LANES);
   }
}

static void emit_ops(struct text *text)
{
   char body[VGPU_BODY_NAME];
   for (uint32_t i = 0; i < text->count; i++) {
      if (text->body && i == text->body) {
         fputs("  br label %head\nhead:\n", text->out);
      }
      if (vgpu_jit_is_memory(&text->ops[i])) {
         emit_memory(text, i);
         continue;
      }
      if (vgpu_jit_is_fence(&text->ops[i])) {
         fputs("  fence acquire\n", text->out);
         continue;
      }
      body_name(text->ops, text->count, text->body, i, text->masked, body);
      mark_written(text->dirty, &text->ops[i]);
      for (unsigned k = 0; k < text->side; k++) {
         char registers[24];
         snprintf(registers, sizeof(registers), "registers%u", k);
         emit_copies(text, i, registers);
         if (is_picked(text->picks, text->descriptors, i)) {
            fprintf(text->out,
                    "  call void @vgpu_frame_pick(ptr @%s.op%" PRIu32 ", ptr %%frame%u, ptr @%s.pick%" PRIu32 ")\n",
                    text->name, i, k, text->name, i);
         } else {
            fprintf(text->out, "  call void @%s(ptr @%s.op%" PRIu32 ", ptr %%frame%u)\n", body, text->name, i, k);
         }
      }
   }
}

static void emit_begin(const struct text *text, unsigned k)
{
   fprintf(text->out,
           "  call void @vgpu_frame_begin%s(ptr %%frame%u, ptr %%registers%u, ptr @%s.literals, ptr %%simd%u)\n",
           text->masked ? "_masked" : "", k, k, text->name, k);
}

/* What starts a pass. The mask of inactive lanes is that of the pass before; the interpreter, which may be called in a
 * pass, finds it in the simdgroup. */
static void emit_pass_start(struct text *text)
{
   for (unsigned k = 0; text->masked && k < text->side; k++) {
      emit_begin(text, k);
   }
   fputs("  %limit = call i32 @vgpu_frame_passes(ptr %simd0)\n"
         "  br label %pass\n"
         "pass:\n"
         "  %passed = phi i32 [ 0, %alike ], [ %passes, %again ]\n",
         text->out);
   for (unsigned k = 0; text->masked && k < text->side; k++) {
      fprintf(text->out, "  %%lanes%u = phi i32 [ 0, %%alike ], [ %%lanes_after%u, %%again ]\n", k, k);
   }
   for (unsigned k = 0; k < text->side; k++) {
      if (!text->masked) {
         emit_begin(text, k);
      } else if (text->loop) {
         fprintf(text->out,
                 "  call void @vgpu_frame_renew(ptr %%frame%u)\n"
                 "  call void @vgpu_frame_save_exec(ptr %%frame%u, ptr %%simd%u)\n",
                 k, k, k);
      }
   }
}

static void emit_again(struct text *text)
{
   fputs("again:\n", text->out);
   for (unsigned k = 0; text->masked && k < text->side; k++) {
      fprintf(text->out,
              "  %%lanes_now%u = call i32 @vgpu_frame_lanes(ptr %%frame%u)\n"
              "  %%lanes_after%u = add i32 %%lanes%u, %%lanes_now%u\n",
              k, k, k, k, k);
   }
   fputs("  br label %pass\n", text->out);
}

static void emit_pass(struct text *text)
{
   static const char *const goes_on[2][2] = {{"all_active", "again"}, {"any_active", "again_masked"}};
   emit_pass_start(text);
   for (unsigned k = 0; k < text->side; k++) {
      if (text->keeps && !text->calls) {
         emit_each(text, text->registers.written, KEEP, k);
      }
   }
   fprintf(text->out,
           "  %%first = icmp eq i32 %%passed, 0\n"
           "  %%start = select i1 %%first, i32 %" PRIu32 ", i32 0\n"
           "  store i32 %%start, ptr %%checkpoint, align 4\n",
           text->body);
   if (text->body) {
      fputs("  br i1 %first, label %head, label %body\n"
            "body:\n",
            text->out);
   }
   emit_ops(text);
   fputs("  %passes = add i32 %passed, 1\n"
         "  %left0 = icmp ult i32 %passes, %limit\n",
         text->out);
   for (unsigned k = 0; k < text->side; k++) {
      fprintf(text->out,
              "  %%go%u = call i32 @vgpu_frame_%s(ptr %%frame%u)\n"
              "  %%goes%u = icmp ne i32 %%go%u, 0\n"
              "  %%left%u = and i1 %%left%u, %%goes%u\n",
              k, goes_on[text->masked][text->suspects], k, k, k, k + 1, k, k);
   }
   if (text->loop) {
      fprintf(text->out, "  br i1 %%left%u, label %%again, label %%end0\n", text->side);
   } else {
      fputs("  br i1 false, label %again, label %end0\n", text->out);
   }
   emit_again(text);
}

/* Registers but r0 are written back also where the last op has changed nothing. */
static void emit_over(struct text *text)
{
   emit_range(text, text->registers.written, SAVE, 1, text->registers.count, 0);
   fputs("  %over = call i32 @vgpu_frame_go_over(ptr %frame0, ptr %simd0)\n"
         "  %goes_over = icmp ne i32 %over, 0\n"
         "  br i1 %goes_over, label %end1, label %into0\n"
         "into0:\n",
         text->out);
}

static void emit_end(struct text *text, unsigned k)
{
   const struct vgpu_op *last = &text->ops[text->count - 1];
   const bool sets_exec = !last->dst.present && !vgpu_jit_is_memory(last) && !vgpu_jit_is_fence(last);
   fprintf(text->out, "end%u:\n", k);
   if (k > 0) {
      fprintf(text->out,
              "  %%same%u = icmp eq ptr %%simd%u, %%simd%u\n"
              "  br i1 %%same%u, label %%done, label %%check%u\n"
              "check%u:\n",
              k, k, k - 1, k, k, k);
   }
   if (text->loop && text->masked) {
      fprintf(text->out, "  call void @vgpu_frame_count(ptr %%op, ptr %%simd%u, i32 %%passed, i32 %%lanes%u)\n", k, k);
   } else if (text->loop) {
      fprintf(text->out,
              "  %%lanes%u = mul i32 %%passed, %u\n"
              "  call void @vgpu_frame_count(ptr %%op, ptr %%simd%u, i32 %%passed, i32 %%lanes%u)\n",
              k, VGPU_LANES, k, k);
   }
   emit_unsettled(text, k, "", k);
   fprintf(text->out,
           "  %%slow%u = icmp ne i32 %%unsettled%u, 0\n"
           "  br i1 %%slow%u, label %%interpret%u, label %%save%u, !prof !0\n"
           "save%u:\n",
           k, k, k, k, k, k);
   if (text->over) {
      emit_over(text);
   }
   if (!text->dead) {
      fprintf(text->out, "  %%passed%u = add i32 %%passed, 0\n", k);
      emit_each(text, text->left, FINISH, k);
      emit_range(text, text->calls ? text->dirty : text->registers.written, SAVE, 0,
                 text->over ? 1 : text->registers.count, k);
   }
   if (sets_exec) {
      fprintf(text->out, "  call void @vgpu_frame_save_exec(ptr %%frame%u, ptr %%simd%u)\n", k, k);
   }
   fprintf(text->out, "  br label %%end%u\ninterpret%u:\n", k + 1, k);
   if (text->memory && !text->loop) {
      emit_leave(text);
      fprintf(text->out, "  br label %%end%u\n", k + 1);
      return;
   }
   if (text->loop) {
      emit_each(text, text->registers.written, RESTORE, k);
   }
   fprintf(text->out,
           "  %%from%u = load i32, ptr %%checkpoint, align 4\n"
           "  call void @vgpu_frame_interpret(ptr %%op, ptr %%simd%u, i32 %%from%u)\n"
           "  br label %%end%u\n",
           k, k, k, k + 1);
}

/* Running simdgroups side by side hides the latency of dependent instructions as long as their registers fit the
 * host's. A loop also keeps the old values of the registers that it writes, and what does not fit is moved to memory in
 * each pass. With NEON, a register of the lanes takes eight of the host's, which hide latency by themselves. */
static unsigned choose_side(const struct registers *registers, unsigned width, uint32_t count, bool loop, bool masked)
{
   unsigned vectors = masked; /* the mask itself */
   for (unsigned i = 0; i < 4; i++) {
      vectors += (unsigned)__builtin_popcountll(registers->named[i]);
      vectors += loop ? (unsigned)__builtin_popcountll(registers->written[i]) : 0;
   }
   vectors *= VGPU_LANES / width;
   const unsigned host = width == 8 ? 16 : 32; /* AVX2 has 16 */
   const unsigned room = width < 8 ? host : host + host / 2, room_for_four = loop ? host : room;
   return 4 * vectors <= room_for_four && count <= 128 && width > 8 ? 4 : 2 * vectors <= room ? 2 : 1;
}

static void emit_function(struct text *text)
{
   emit_entry(text);
   emit_pass(text);
   for (unsigned k = 0; k < text->side; k++) {
      emit_end(text, k);
   }
   fprintf(text->out, "end%u:\n  br label %%done\n", text->side);
   if (text->known) {
      fputs("done:\n"
            "  %number_after = add i32 %number, 1\n"
            "  %behind = add i32 %i, 1\n"
            "  %ends = icmp eq i32 %behind, %count\n"
            "  %after = select i1 %ends, i32 0, i32 %behind\n"
            "  %more = icmp ult i32 %number_after, %taken\n"
            "  %advances = and i1 %ends, %more\n"
            "  br i1 %advances, label %advance, label %same\n"
            "advance:\n"
            "  call void @vgpu_frame_advance(ptr %simds, i32 %count)\n"
            "  br label %next\n"
            "same:\n"
            "  br i1 %more, label %next, label %exit\n",
            text->out);
   } else if (text->internal) { /* a loop would keep constants in host registers for its next turn */
      fputs("done:\n  br label %exit\n", text->out);
   } else {
      fprintf(text->out,
              "done:\n"
              "  %%after = add i32 %%i, %u\n"
              "  %%more = icmp ult i32 %%after, %%count\n"
              "  br i1 %%more, label %%next, label %%exit\n",
              text->side);
   }
   fputs("exit:\n  ret void\n}\n", text->out);
}

void vgpu_emit_run(FILE *out, const struct vgpu_emit *emit)
{
   struct text text = {.out = out,
                       .name = emit->name,
                       .loop = emit->loop,
                       .masked = emit->masked ? VGPU_MASKED : 0,
                       .body = emit->body,
                       .ops = emit->ops,
                       .count = emit->count,
                       .dead = emit->dead,
                       .internal = emit->internal,
                       .places = emit->places,
                       .shared = emit->shared,
                       .over = emit->over,
                       .needed = emit->needed,
                       .vectors = emit->vectors,
                       .facts = emit->masked ? NULL
                                : emit->body ? emit->head
                                             : emit->facts,
                       .same = emit->same,
                       .other = emit->other,
                       .picks = emit->picks,
                       .descriptors = emit->descriptors,
                       .registers = {.count = 1}};
   name_registers(&text.registers, emit->ops, emit->count);
   for (uint32_t i = 0; i < emit->count; i++) {
      text.memory |= vgpu_jit_is_memory(&emit->ops[i]);
      if (emit->loop && !emit->masked && is_left(emit->ops, emit->count, emit->body, i)) {
         mark(text.left, emit->ops[i].dst.vector / VGPU_LANES);
      }
      text.suspects |= vgpu_jit_suspects(&emit->ops[i]) && !emit->descriptors[i].certain;
   }
   text.calls = emit->masked && emit->internal;
   text.keeps = text.suspects || (text.memory && !text.loop);
   text.nested = (emit->loop || emit->over) && emit->descriptors[emit->count - 1].certain;
   text.side = text.memory || text.internal
                   ? 1
                   : choose_side(&text.registers, emit->width, emit->count, text.loop && text.keeps, emit->masked);
   emit_descriptors(out, emit, &text.registers);
   emit_picks(out, emit);
   emit_literals(out, emit->name, emit->width, emit->literals);
   if (text.needed) {
      struct text known = text;
      known.known = true;
      emit_function(&known);
   }
   emit_function(&text);
}

void vgpu_emit_runs(FILE *out, const struct vgpu_emit *emits, uint32_t count)
{
   declare_frame(out);
   declare_bodies(out, emits, count);
   for (uint32_t i = 0; i < count; i++) {
      vgpu_emit_run(out, &emits[i]);
   }
   fprintf(out,
           "attributes #0 = { nounwind %s }\n"
           "attributes #1 = { nounwind noinline %s }\n"
           "!0 = !{!\"branch_weights\", i32 1, i32 100000}\n"
           "!1 = !{!\"branch_weights\", i32 100000, i32 1}\n",
           emits[0].attributes, emits[0].attributes);
}
