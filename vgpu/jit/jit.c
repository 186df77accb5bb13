/* SPDX-License-Identifier: MIT
 *
 * Selects the blocks to compile, and caches their code. A block is identified by its contents (operations and operand
 * descriptors), so that launches of one program share its code. One host thread compiles at a time; the others
 * continue with the interpreter. Invariant: an entry whose code a program's block uses is in use until unbind().
 */
#include "vgpu/jit/jit.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vgpu/block.h"
#include "vgpu/exec/code.h"
#include "vgpu/exec/exec.h"
#include "vgpu/exec/semantics.h"
#include "vgpu/jit/facts/certain.h"
#include "vgpu/jit/emit.h"
#include "vgpu/jit/facts/flow.h"
#include "vgpu/jit/kept.h"
#include "vgpu/jit/key.h"
#include "vgpu/jit/facts/lanes.h"
#include "vgpu/jit/llvm.h"
#include "vgpu/jit/facts/memory.h"
#include "vgpu/jit/objects.h"
#include "vgpu/jit/region.h"
#include "vgpu/jit/rename.h"
#include "vgpu/jit/shape.h"
#include "util/clock.h"

#define PERIOD 16384 /* simdgroup instructions between samples: about 0.05 ms */
/* Loading LLVM takes 0.1 s, once: one block must have taken this long, or all blocks together. */
#define LOAD_BLOCK 300000000u
#define LOAD_ANYWAY 500000000u
#define LOOK_ANYWAY 20000000u /* what earlier processes have left is looked for, without LLVM */
/* Cost of compiling, in ns of processor time (results/vgpu-speed.md), before it is scaled by what compiling has really
 * taken so far. Compile a block once its run time is PATIENCE times the time that compiling takes: so a program that
 * gains nothing takes at most half as long again. A region costs more. */
#define PATIENCE 2u
#define REGION_PATIENCE 6u
/* A loop of two blocks, a program of one block, and a block with a long run of arithmetic become several times as fast,
 * a region up to twice as fast, another block a fifth or so. What compiling the latter two takes is limited to such a
 * part of the time that the device's programs have taken. */
#define PART_FOR_REGIONS 10u
#define PART_FOR_BLOCKS 25u
#define LONG_RUN 64u
#define RUN_COST 10000000u       /* each run, however short, */
#define INSTRUCTION_COST 500000u /* and each instruction of it */
#define PART_COST 6000000u       /* each kind of a part of a region, beside its instructions, */
#define MEMORY_COST 3000000u     /* and each of those that accesses memory */
#define TRUST 100e6              /* ns of compiling, by the constants, that outweigh as much of what was measured */
/* Code that an earlier process has left is loaded once its block has run for this long, twice what loading takes. A
 * region gains less, or nothing where few simdgroups run much code once (results/vgpu-speed.md). */
#define KEPT_FROM 6000000u
#define KEPT_REGION_FROM 60000000u
/* What a block without code takes beyond that is told to later processes: with code kept it would not have taken it. A
 * process tells when such a sum has come together, and at its end. */
#define TELL_STEP 250000000u
/* A block is considered once it has run for this long, then after half as much again as all programs have run it. */
#define QUANTUM 250000u
#define REGION_QUANTUM 4000000u /* the same of a region, whose entry takes longer to find */
#define NO_ROOM_WAIT 100000000u /* and of a block that the cache has no room for */
/* ns of processor time for compiling before a program runs, because a client waits */
#define BIND_LIMIT 3000000000u
#define MIN_RUN 2u              /* least instructions that are worth a compiled run */
#define MAX_BLOCKS 2048u        /* blocks in the cache, compiled or not */
#define MAX_INSTRUCTIONS 65536u /* compiled instructions of all blocks in the cache: about 60 MB with LLVM's pages */

/* The compiled code that is given to a block. */
struct published {
   struct vgpu_native_ops native; /* first */
   struct vgpu_jit_entry *entry;
   uint32_t blocks; /* that have it */
   bool relies;     /* on values of uniforms (vgpu/jit/facts/certain.h) */
};

struct jit {
   struct vgpu_compiler compiler; /* first */
   enum vgpu_jit_mode mode;
   pthread_mutex_t lock;
   atomic_uint_fast64_t ns; /* time of all blocks */
   struct vgpu_llvm *llvm;
   atomic_bool looks; /* for code: there is an instance of LLVM, perhaps not open */
   uint64_t look_anyway;
   bool failed; /* there is no bitcode */
   struct vgpu_jit_kept kept;
   uint64_t bind_limit, deadline; /* deadline of CLOCK_THREAD_CPUTIME_ID for the block that is being compiled */
   struct vgpu_jit_objects objects;
   uint64_t earlier;         /* ns that earlier processes have told of the blocks of this one */
   uint64_t untold;          /* ns to tell later processes */
   uint64_t taken, expected; /* ns of compiling so far, and by the constants */
   uint64_t limited;         /* the part of `taken` that is for code that gains little */
   bool only_kept;           /* for now, code comes from files alone */
   struct vgpu_jit_statistics statistics;
};

/* ---- Blocks by their contents ---- */

static uint64_t key_of_time(const struct vgpu_jit_entry *entry, unsigned kind)
{
   return entry->hash + kind;
}

static struct vgpu_jit_entry *with_earlier(struct jit *jit, struct vgpu_jit_entry *entry)
{
   for (unsigned kind = 0; entry && entry->fresh && kind < VGPU_NATIVE_KINDS; kind++) {
      const uint64_t ns = vgpu_jit_objects_earlier(&jit->objects, jit->llvm, key_of_time(entry, kind));
      entry->code[kind].earlier = ns;
      jit->earlier += ns;
   }
   if (entry) {
      entry->fresh = false;
   }
   return entry;
}

static struct vgpu_jit_entry *find_region(struct jit *jit, const struct vgpu_jit_region *region)
{
   size_t size;
   uint8_t *key = vgpu_jit_region_key(jit->llvm, region, &size);
   return with_earlier(jit, key ? vgpu_jit_find(&jit->kept, key, size) : NULL);
}

/* The entry of a block. NULL: there is no room, or no memory. */
static struct vgpu_jit_entry *find_entry(struct jit *jit, const struct vgpu_block *block)
{
   size_t size;
   uint8_t *key = vgpu_jit_block_key(jit->llvm, block, &size);
   return with_earlier(jit, key ? vgpu_jit_find(&jit->kept, key, size) : NULL);
}

/* ---- Compiling ---- */

#define CODE_NAME 40

static void run_ops(const struct vgpu_op *ops, uint32_t count, struct vgpu_simd *simd)
{
   struct vgpu_simd *const simds[1] = {simd};
   simd->worker->interpreted.again += count;
   const bool masked = simd->exec != VGPU_ALL; /* until the last op of all, which may change it */
   for (uint32_t i = 0; i < count; i++) {
      ops[i].run[masked](&ops[i], simds, 1);
   }
}

static void interpret(const struct vgpu_op *op, struct vgpu_simd *simd, uint32_t index)
{
   const uint32_t body = op->native.body_count, first = index > body ? index - body : 0;
   if (index < body) {
      run_ops(op->native.body + index, body - index, simd);
   }
   run_ops(op->native.first + first, op->native.count - first, simd);
}

/* Whether only the last op of a loop, which sets the exec mask, writes r0: then r0l is 0 before each pass, because all
 * lanes are active. */
static bool keeps_all_running(const struct vgpu_op *ops, uint32_t count)
{
   struct vgpu_halves reads = {{0}}, writes = {{0}};
   for (uint32_t i = 0; i + 1 < count; i++) {
      vgpu_op_registers(&ops[i], &reads, &writes);
   }
   return !(writes.bits[0] & 1);
}

/* What a run is compiled from. */
struct described {
   struct vgpu_literals literals;
   struct vgpu_op *descriptors;
   bool *needed;
   uint8_t facts[VGPU_JIT_VECTORS], head[VGPU_JIT_VECTORS];
   struct vgpu_pick *picks;
   bool same[VGPU_JIT_VECTORS]; /* for the picks */
};

static void free_described(struct described *described)
{
   free(described->descriptors);
   free(described->needed);
   free(described->picks);
   *described = (struct described){.descriptors = NULL};
}

/* The registers that are tested to be the same in all lanes, where the indices of picks follow from them. */
static void add_tested(const struct vgpu_emit *emit, uint8_t *facts)
{
   for (uint32_t vector = 0; emit->same && vector < VGPU_JIT_VECTORS; vector++) {
      facts[vector] = emit->same[vector] ? VGPU_JIT_SAME : facts[vector];
   }
}

/* Completes *emit, whose ops, count, loop, masked, body, dead, picks and same are set. block: of the first op, or the
 * head of the loop; first: the op's index there. false: out of memory, or too many literals. */
static bool describe(const struct jit *jit, const struct vgpu_block *block, uint32_t first, struct vgpu_emit *emit,
                     struct described *described)
{
   const struct vgpu_code *code = block->code;
   const uint32_t count = emit->count;
   vgpu_jit_facts_at(emit->body ? block->next : block, first, described->facts);
   vgpu_jit_facts_at(block, first, described->head);
   emit->facts = described->facts;
   emit->head = described->head;
   described->literals.count = 0;
   described->descriptors = calloc(count, sizeof(*described->descriptors));
   described->needed = calloc(count, sizeof(*described->needed));
   bool well = described->descriptors && described->needed;
   for (uint32_t i = 0; well && i < count; i++) {
      well = vgpu_emit_descriptor(&emit->ops[i], code->vectors, &described->literals, &described->descriptors[i]);
   }
   if (!well) {
      free_described(described);
      return false;
   }
   vgpu_emit_mark_computed(emit->ops, described->descriptors, count, emit->loop, emit->masked);
   if (!emit->masked) {
      described->descriptors[count - 1].certain |= emit->over || (emit->loop && keeps_all_running(emit->ops, count));
      uint8_t start[VGPU_JIT_VECTORS];
      memcpy(start, emit->facts, sizeof(start));
      add_tested(emit, start);
      vgpu_jit_mark_lanes(emit->ops, described->descriptors, count, emit->body, code->positions_count, start,
                          emit->head);
      emit->needed = emit->dead && !emit->loop && !emit->internal &&
                             vgpu_jit_lines_follow(emit->ops, described->descriptors, count, code->positions_count,
                                                   described->needed)
                         ? described->needed
                         : NULL;
   }
   emit->width = vgpu_llvm_width(jit->llvm);
   emit->attributes = vgpu_llvm_attributes(jit->llvm);
   emit->descriptors = described->descriptors;
   emit->vectors = code->vectors;
   emit->literals = &described->literals;
   return true;
}

static void count_compiled(struct jit *jit, const struct vgpu_op *ops, uint32_t count)
{
   jit->statistics.instructions += count;
   for (uint32_t i = 0; i < count; i++) {
      jit->statistics.memory += vgpu_jit_is_memory(&ops[i]);
   }
}

/* The name of a function, the same in each process: files are found by it, and by the entry's key. */
static void name_code(const struct vgpu_jit_entry *entry, unsigned kind, uint32_t first, char name[CODE_NAME])
{
   snprintf(name, CODE_NAME, "code%016" PRIx64 "_%u_%" PRIu32, entry->hash, kind, first);
}

static void take_code(struct jit *jit, uint32_t instructions, struct vgpu_jit_run *run)
{
   run->instructions = instructions;
   jit->kept.instructions += instructions;
   jit->statistics.code_bytes += run->code.bytes;
}

/* Loads the entry's function of that name, which an earlier process has left. */
static bool load(struct jit *jit, const struct vgpu_jit_entry *entry, const char *name, uint32_t instructions,
                 struct vgpu_jit_run *run)
{
   const bool loaded = vgpu_jit_objects_load(&jit->objects, jit->llvm, entry->key, entry->key_size, name, &run->code);
   if (loaded) {
      take_code(jit, instructions, run);
   }
   return loaded;
}

/* Translates the text, which has the entry's function of that name. */
static bool translate(struct jit *jit, const struct vgpu_jit_entry *entry, const char *text, size_t size,
                      const char *name, uint32_t instructions, struct vgpu_jit_run *run)
{
   struct vgpu_jit_statistics *statistics = &jit->statistics;
   const bool made = vgpu_jit_objects_make(&jit->objects, jit->llvm, entry->key, entry->key_size, text, size, name,
                                           &run->code, statistics->reason, sizeof(statistics->reason));
   if (made) {
      take_code(jit, instructions, run);
   }
   return made;
}

/* false: code comes from files alone. */
static bool open_llvm(struct jit *jit)
{
   jit->only_kept =
       jit->only_kept || !vgpu_llvm_open(jit->llvm, jit->statistics.reason, sizeof(jit->statistics.reason));
   return !jit->only_kept;
}

/* ops: of the block, from `first` on; the first `body` of them are the body of the loop whose head the block is.
 * masked: some lanes are inactive, so that nothing is known about registers in all lanes. */
static bool compile_run(struct jit *jit, const struct vgpu_jit_entry *entry, const char *name,
                        const struct vgpu_op *ops, uint32_t count, const struct vgpu_block *block, uint32_t first,
                        bool loop, uint32_t body, bool dead, bool masked, struct vgpu_jit_run *run)
{
   if (load(jit, entry, name, count, run)) {
      count_compiled(jit, ops, count);
      return true;
   }
   if (!open_llvm(jit)) {
      return false;
   }
   char *text = NULL;
   size_t size;
   bool made = false;
   struct vgpu_emit emit = {
       .name = name, .ops = ops, .count = count, .loop = loop, .masked = masked, .body = body, .dead = dead};
   struct described *described = calloc(1, sizeof(*described));
   const bool well = described && describe(jit, block, first, &emit, described);
   FILE *out = well ? open_memstream(&text, &size) : NULL;
   if (out) {
      vgpu_emit_runs(out, &emit, 1);
      made = fclose(out) == 0 && translate(jit, entry, text, size, name, count, run);
   }
   if (made) {
      count_compiled(jit, ops, count);
      jit->statistics.consecutive += emit.needed != NULL;
   }
   free(text);
   if (well) {
      free_described(described);
   }
   free(described);
   return made;
}

/* The loop whose head the block is: its body, then the head. */
static bool compile_loop(struct jit *jit, const struct vgpu_jit_entry *entry, const char *name,
                         const struct vgpu_block *head, const struct vgpu_block *body, bool masked,
                         struct vgpu_jit_code *code)
{
   const uint32_t count = head->count + body->count;
   struct vgpu_op *ops = calloc(count, sizeof(*ops));
   if (!ops) {
      return false;
   }
   memcpy(ops, body->ops, body->count * sizeof(*ops));
   memcpy(ops + body->count, head->ops, head->count * sizeof(*ops));
   code->runs[0] = (struct vgpu_jit_run){.count = head->count};
   code->run_count =
       compile_run(jit, entry, name, ops, count, head, 0, true, body->count, false, masked, &code->runs[0]);
   free(ops);
   return code->run_count > 0;
}

/* Compiles a block; there must be room for its code. Runs behind the deadline are left out. Returns false if LLVM fails
 * or memory runs out. */
static bool compile_block(struct jit *jit, const struct vgpu_block *block, const struct vgpu_block *body, unsigned kind,
                          struct vgpu_jit_entry *entry)
{
   struct vgpu_jit_code *code = &entry->code[kind];
   const bool masked = kind == VGPU_NATIVE_MASKED;
   char name[CODE_NAME];
   code->runs = calloc(block->count ? block->count : 1, sizeof(*code->runs));
   if (!code->runs) {
      return false;
   }
   if (body) {
      name_code(entry, kind, 0, name);
      return compile_loop(jit, entry, name, block, body, masked, code);
   }
   for (uint32_t first = 0, count; first < block->count; first += count ? count : 1) {
      count = vgpu_jit_run_length(jit->llvm, block, first);
      if (count < MIN_RUN || util_clock_thread_ns() >= jit->deadline) {
         continue;
      }
      const bool dead = first + count == block->count && block->control == VGPU_STOP;
      struct vgpu_jit_run *run = &code->runs[code->run_count];
      *run = (struct vgpu_jit_run){.first = first, .count = count};
      name_code(entry, kind, first, name);
      if (!compile_run(jit, entry, name, &block->ops[first], count, block, first, false, 0, dead, masked, run)) {
         vgpu_jit_free_code(&jit->kept, code);
         return false;
      }
      code->run_count++;
   }
   return true;
}

/* ---- Compiling a region ---- */

/* The region's parts: free() them. NULL: out of memory. */
static struct vgpu_jit_part *find_parts(const struct jit *jit, const struct vgpu_jit_region *region, uint32_t *count)
{
   struct vgpu_jit_part *parts = calloc(region->ops + 1, sizeof(*parts));
   *count = 0;
   for (uint32_t n = 0; parts && n < region->count; n++) {
      const struct vgpu_block *block = &region->first[n];
      for (uint32_t first = 0, length; first < block->count; first += length ? length : 1) {
         length = vgpu_jit_run_length(jit->llvm, block, first);
         if (length > 0) {
            parts[(*count)++] = (struct vgpu_jit_part){.block = n, .first = first, .count = length};
         }
      }
   }
   return parts;
}

#define PART_NAME (CODE_NAME + 16)

/* One kind of a part. other: the function that runs it where indices differ between lanes; NULL: this one does. */
static bool emit_part(const struct jit *jit, const struct vgpu_jit_region *region, const struct vgpu_jit_part *part,
                      bool masked, const char *other, struct vgpu_emit *emit, struct described *described)
{
   const struct vgpu_block *block = &region->first[part->block];
   *emit = (struct vgpu_emit){.name = emit->name,
                              .ops = &block->ops[part->first],
                              .count = part->count,
                              .masked = masked,
                              .internal = true,
                              .over = !masked && part->first + part->count == block->count &&
                                      vgpu_jit_goes_over(region, part->block),
                              .dead = part->first + part->count == block->count && block->control == VGPU_STOP};
   described->picks = other ? calloc(part->count, sizeof(*described->picks)) : NULL;
   if (described->picks &&
       vgpu_jit_find_picks(emit->ops, emit->count, block->code->vectors, described->picks, described->same)) {
      emit->same = described->same;
      emit->picks = described->picks;
      emit->other = other;
   }
   return describe(jit, block, part->first, emit, described);
}

/* A kind of a part. */
struct made {
   struct vgpu_emit emit;
   struct described described;
   struct vgpu_renamed renamed;
   char name[PART_NAME];
   char *text; /* with a name that all have. NULL: it shares its function with none */
   size_t size;
   uint32_t part;
   bool is_same; /* as an earlier one */
};

struct all_made {
   struct made *all;
   uint32_t count;
};

static void free_made(struct all_made *made)
{
   for (uint32_t i = 0; made->all && i < made->count; i++) {
      free_described(&made->all[i].described);
      vgpu_jit_rename_finish(&made->all[i].renamed);
      free(made->all[i].text);
   }
   free(made->all);
}

static struct made *make_part(struct jit *jit, const struct vgpu_jit_region *region, const struct vgpu_jit_part *parts,
                              uint32_t part, char kind, const char *name, const char *other, struct all_made *made)
{
   struct made *one = &made->all[made->count];
   snprintf(one->name, sizeof(one->name), VGPU_PART_NAME, name, part, kind);
   one->emit.name = one->name;
   one->part = part;
   if (!emit_part(jit, region, &parts[part], kind == 'm', other, &one->emit, &one->described)) {
      return NULL;
   }
   made->count++;
   return one;
}

/* The part's text as that of any part with other registers. */
static void write_shared(struct made *made)
{
   struct vgpu_emit emit = made->emit;
   FILE *out = open_memstream(&made->text, &made->size);
   if (out) {
      emit.name = "part";
      emit.shared = true;
      vgpu_emit_run(out, &emit);
      fclose(out);
   }
}

/* Looks for an earlier part with the same text. */
static void find_same(const struct all_made *made, struct made *one, struct vgpu_jit_part *parts)
{
   const unsigned masked = one->emit.masked;
   struct made *first = made->all;
   while (first < one &&
          !(first->text && !first->is_same && first->size == one->size && !memcmp(first->text, one->text, one->size))) {
      first++;
   }
   parts[one->part].code[masked].part = first->part;
   if (first != one) {
      one->is_same = true;
      first->emit.shared = true;
      parts[one->part].code[masked].shared = parts[first->part].code[masked].shared = true;
   }
}

static void emit_places(FILE *out, const struct made *made)
{
   uint32_t count = VGPU_JIT_VECTORS;
   while (count > 1 && made->renamed.places[count - 1] == 0) {
      count--;
   }
   fprintf(out, "@%s.places = internal constant [%" PRIu32 " x i32] [", made->name, count);
   for (uint32_t i = 0; i < count; i++) {
      fprintf(out, "%si32 %" PRIu32, i ? ", " : "", made->renamed.places[i]);
   }
   fputs("], align 4\n", out);
}

/* The functions of the parts, then the function that calls them. */
static bool write_region(const struct vgpu_jit_region *region, const struct vgpu_jit_part *parts, uint32_t count,
                         const char *name, const struct all_made *made, FILE *out)
{
   struct vgpu_emit *emits = calloc(made->count, sizeof(*emits));
   uint32_t functions = 0;
   for (uint32_t i = 0; emits && i < made->count; i++) {
      const struct made *one = &made->all[i];
      if (!one->is_same) {
         emits[functions++] = one->emit;
      }
      if (one->text && parts[one->part].code[one->emit.masked].shared) {
         emit_places(out, one);
      }
   }
   if (emits) {
      vgpu_emit_runs(out, emits, functions);
      vgpu_emit_region(out, name, region, parts, count);
   }
   free(emits);
   return emits != NULL;
}

/* The parts in the kinds that their blocks have, and the region's function. */
static bool emit_parts(struct jit *jit, const struct vgpu_jit_region *region, struct vgpu_jit_part *parts,
                       uint32_t count, const char *name, FILE *out)
{
   struct all_made made = {.all = calloc(3 * (size_t)count + 1, sizeof(*made.all))};
   bool well = made.all != NULL;
   for (uint32_t i = 0; well && i < 2 * count; i++) {
      const bool masked = i % 2;
      const struct vgpu_block *block = &region->first[parts[i / 2].block];
      parts[i / 2].code[masked].part = i / 2;
      if (!(masked ? vgpu_jit_has_masked(region, block) : vgpu_jit_has_full(region, block))) {
         continue;
      }
      char other[PART_NAME];
      snprintf(other, sizeof(other), VGPU_PART_NAME, name, i / 2, 'o');
      struct made *one = make_part(jit, region, parts, i / 2, masked ? 'm' : 'f', name, masked ? NULL : other, &made);
      well = one != NULL;
      if (well && one->emit.other) {
         struct made *without = make_part(jit, region, parts, i / 2, 'o', name, NULL, &made);
         well = without != NULL;
         one->emit.other = well ? without->name : NULL;
      } else if (well && vgpu_jit_rename(&one->emit, &one->renamed)) {
         write_shared(one);
         if (one->text) {
            find_same(&made, one, parts);
         }
         jit->statistics.shared += one->is_same;
      }
   }
   well = well && made.count > 0 && write_region(region, parts, count, name, &made, out);
   free_made(&made);
   return well;
}

static bool make_region(struct jit *jit, const struct vgpu_jit_region *region, const struct vgpu_jit_entry *entry,
                        struct vgpu_jit_part *parts, uint32_t count, const char *name, struct vgpu_jit_run *run)
{
   char *text = NULL;
   size_t size;
   bool made = false;
   FILE *out = open_memstream(&text, &size);
   if (out) {
      const bool well = emit_parts(jit, region, parts, count, name, out);
      made = fclose(out) == 0 && well && translate(jit, entry, text, size, name, 2 * region->ops, run);
   }
   free(text);
   return made;
}

static bool compile_region(struct jit *jit, const struct vgpu_jit_region *region, struct vgpu_jit_entry *entry)
{
   struct vgpu_jit_code *code = &entry->code[VGPU_NATIVE_REGION];
   char name[CODE_NAME];
   uint32_t count;
   name_code(entry, VGPU_NATIVE_REGION, 0, name);
   code->runs = calloc(1, sizeof(*code->runs));
   struct vgpu_jit_part *parts = find_parts(jit, region, &count);
   const bool made = parts && code->runs &&
                     (load(jit, entry, name, 2 * region->ops, code->runs) ||
                      (open_llvm(jit) && make_region(jit, region, entry, parts, count, name, code->runs)));
   for (uint32_t i = 0; made && i < count; i++) {
      count_compiled(jit, &region->first[parts[i].block].ops[parts[i].first], parts[i].count);
   }
   code->run_count = made;
   free(parts);
   return made;
}

/* What is not kept may be compiled later. */
static void note_outcome(struct jit *jit, struct vgpu_jit_code *code, bool made)
{
   if (!made) {
      vgpu_jit_free_code(&jit->kept, code);
      jit->statistics.refused += !jit->only_kept;
   }
   code->looked = true;
   code->settled = made || !jit->only_kept;
}

static void settle_region(struct jit *jit, const struct vgpu_jit_region *region, struct vgpu_jit_entry *entry)
{
   const uint64_t start = util_clock_thread_ns();
   struct vgpu_jit_code *code = &entry->code[VGPU_NATIVE_REGION];
   entry->users++;
   if (!vgpu_jit_make_room(&jit->kept, 0, 2 * region->ops)) {
      snprintf(jit->statistics.reason, sizeof(jit->statistics.reason), "programs in use leave no room for its code");
      jit->statistics.refused++;
   } else {
      const bool made = compile_region(jit, region, entry);
      jit->statistics.blocks += made ? region->count : 0;
      jit->statistics.regions += made;
      note_outcome(jit, code, made);
   }
   entry->users--;
   jit->statistics.ns += util_clock_thread_ns() - start;
}

static void settle(struct jit *jit, const struct vgpu_block *block, struct vgpu_jit_entry *entry, unsigned kind)
{
   const uint64_t start = util_clock_thread_ns();
   const struct vgpu_block *body = vgpu_jit_loop_body(jit->llvm, block);
   entry->users++;
   if (!vgpu_jit_make_room(&jit->kept, 0, block->count + (body ? body->count : 0))) {
      snprintf(jit->statistics.reason, sizeof(jit->statistics.reason), "programs in use leave no room for its code");
      jit->statistics.refused++;
   } else {
      struct vgpu_jit_code *code = &entry->code[kind];
      const bool made = compile_block(jit, block, body, kind, entry);
      jit->statistics.blocks += code->run_count > 0;
      jit->statistics.masked += code->run_count > 0 && kind == VGPU_NATIVE_MASKED;
      note_outcome(jit, code, made);
   }
   entry->users--;
   jit->statistics.ns += util_clock_thread_ns() - start;
}

static bool relies_on_uniforms(const struct vgpu_block *block)
{
   bool relies = false;
   for (uint32_t i = 0; i < block->count; i++) {
      relies |= vgpu_jit_certain_by_uniform(&block->ops[i]);
   }
   return relies;
}

/* Gives the block its code. When out of memory, the interpreter continues. */
static void publish(const struct jit *jit, const struct vgpu_block *block, struct vgpu_jit_entry *entry, unsigned kind)
{
   const struct vgpu_jit_code *code = &entry->code[kind];
   struct published *published = NULL;
   if (code->run_count > 0) {
      published = calloc(1, sizeof(*published) + block->count * sizeof(struct vgpu_op));
   }
   if (!published) {
      return;
   }
   struct vgpu_native_ops *native = &published->native;
   native->ops = (struct vgpu_op *)(published + 1);
   published->entry = entry;
   published->blocks = 1;
   entry->users++;
   const struct vgpu_block *body = vgpu_jit_loop_body(jit->llvm, block);
   published->relies = relies_on_uniforms(block) || (body && relies_on_uniforms(body));
   const struct vgpu_jit_run *run = code->runs, *end = run + code->run_count;
   for (uint32_t i = 0; i < block->count;) {
      struct vgpu_op *op = &native->ops[native->count++];
      *op = block->ops[i];
      if (run < end && run->first == i) {
         op->run[0] = op->run[1] = (vgpu_run *)run->code.address;
         op->insn = NULL;
         op->native.first = &block->ops[i];
         op->native.count = run->count;
         op->native.body = body ? body->ops : NULL;
         op->native.body_count = body ? body->count : 0;
         op->native.again = block->length + (body ? body->length : 0);
         op->native.interpret = interpret;
         i += run->count;
         run++;
      } else {
         i++;
      }
   }
   atomic_store_explicit(&block->native->ops[kind], native, memory_order_release);
}

/* The ops behind the region's are those of its parts. */
static struct published *make_region_ops(const struct jit *jit, const struct vgpu_jit_region *region,
                                         const struct vgpu_jit_code *code)
{
   uint32_t count;
   struct vgpu_jit_part *parts = find_parts(jit, region, &count);
   struct published *published =
       parts ? calloc(1, sizeof(*published) + (1 + (size_t)count) * sizeof(struct vgpu_op)) : NULL;
   if (published) {
      struct vgpu_op *ops = (struct vgpu_op *)(published + 1);
      published->native = (struct vgpu_native_ops){.count = 1, .ops = ops};
      ops[0].run[0] = ops[0].run[1] = (vgpu_run *)code->runs->code.address;
      ops[0].native.region = region->first;
      for (uint32_t i = 0; i < count; i++) {
         ops[1 + i].native.first = &region->first[parts[i].block].ops[parts[i].first];
         ops[1 + i].native.count = parts[i].count;
         ops[1 + i].native.interpret = interpret;
      }
   }
   free(parts);
   return published;
}

/* Gives the region's blocks their code. */
static void publish_region(const struct jit *jit, const struct vgpu_jit_region *region, struct vgpu_jit_entry *entry)
{
   const struct vgpu_jit_code *code = &entry->code[VGPU_NATIVE_REGION];
   struct published *published = code->run_count > 0 ? make_region_ops(jit, region, code) : NULL;
   if (!published) {
      return;
   }
   published->entry = entry;
   for (uint32_t n = 0; n < region->count; n++) {
      published->relies |= relies_on_uniforms(&region->first[n]);
   }
   for (uint32_t n = 0; n < region->count; n++) {
      struct vgpu_native *native = region->first[n].native;
      if (!atomic_load_explicit(&native->ops[VGPU_NATIVE_REGION], memory_order_relaxed)) {
         published->blocks++;
         atomic_store_explicit(&native->ops[VGPU_NATIVE_REGION], &published->native, memory_order_release);
      }
   }
   if (published->blocks > 0) {
      entry->users++;
   } else {
      free(published);
   }
}

/* ---- What the cores call ---- */

static bool have_llvm(struct jit *jit)
{
   if (!jit->llvm && !jit->failed) {
      jit->llvm = vgpu_llvm_create(jit->compiler.level->name, jit->statistics.reason, sizeof(jit->statistics.reason));
      jit->failed = !jit->llvm;
      jit->kept.llvm = jit->llvm;
      atomic_store_explicit(&jit->looks, true, memory_order_relaxed);
   }
   return jit->llvm != NULL;
}

/* Counts ops that are faster compiled than interpreted; a memory instruction without a fast path calls the
 * interpreter's function. */
static uint32_t count_faster(const struct vgpu_op *ops, uint32_t count)
{
   uint32_t faster = 0;
   for (uint32_t i = 0; i < count; i++) {
      faster += !vgpu_jit_is_memory(&ops[i]) || vgpu_jit_memory_fast_path(&ops[i], false);
   }
   return faster;
}

/* What compiling takes, by the constants above. */
static uint64_t block_cost(const struct jit *jit, const struct vgpu_block *block)
{
   const struct vgpu_block *body = vgpu_jit_loop_body(jit->llvm, block);
   if (body) {
      return RUN_COST + (uint64_t)(block->count + body->count) * INSTRUCTION_COST;
   }
   uint64_t cost = 0;
   for (uint32_t first = 0, count; first < block->count; first += count ? count : 1) {
      count = vgpu_jit_run_length(jit->llvm, block, first);
      cost += count >= MIN_RUN ? RUN_COST + (uint64_t)count * INSTRUCTION_COST : 0;
   }
   return cost;
}

static uint64_t part_cost(const struct vgpu_op *ops, uint32_t count)
{
   uint64_t cost = PART_COST + (uint64_t)count * INSTRUCTION_COST;
   for (uint32_t i = 0; i < count; i++) {
      cost += vgpu_jit_is_memory(&ops[i]) ? MEMORY_COST : 0;
   }
   return cost;
}

static uint64_t region_cost(const struct jit *jit, const struct vgpu_jit_region *region)
{
   uint64_t cost = RUN_COST;
   for (uint32_t n = 0; n < region->count; n++) {
      const struct vgpu_block *block = &region->first[n];
      const uint64_t kinds = (uint64_t)vgpu_jit_has_full(region, block) + vgpu_jit_has_masked(region, block);
      for (uint32_t first = 0, count; first < block->count; first += count ? count : 1) {
         count = vgpu_jit_run_length(jit->llvm, block, first);
         cost += count > 0 ? kinds * part_cost(&block->ops[first], count) : 0;
      }
   }
   return cost;
}

/* What that cost is by what compiling has taken so far in this process, and not by the constants alone. */
static uint64_t scaled(const struct jit *jit, uint64_t cost)
{
   return (uint64_t)((double)cost * ((double)jit->taken + TRUST) / ((double)jit->expected + TRUST));
}

/* Compares what compiling took since `start` with the cost that was expected. made: functions by then. */
static void learn(struct jit *jit, uint64_t made, uint64_t start, uint64_t cost, bool gains)
{
   if (jit->objects.made > made) {
      const uint64_t ns = util_clock_thread_ns() - start;
      jit->taken += ns;
      jit->limited += gains ? 0 : ns;
      jit->expected += cost;
   }
}

/* Whether the block has many instructions one after the other that access no memory. */
static bool has_long_run(const struct jit *jit, const struct vgpu_block *block)
{
   bool has = false;
   for (uint32_t first = 0, count; !has && first < block->count; first += count ? count : 1) {
      count = vgpu_jit_run_length(jit->llvm, block, first);
      has = count >= LONG_RUN;
      for (uint32_t i = 0; has && i < count; i++) {
         has = !vgpu_jit_is_memory(&block->ops[first + i]);
      }
   }
   return has;
}

static bool gains_much(const struct jit *jit, const struct vgpu_block *block)
{
   return block->code->block_count == 1 || vgpu_jit_loop_body(jit->llvm, block) || has_long_run(jit, block);
}

/* Whether compiling at that cost, of code that gains little, is within its part of the time. */
static bool affords(const struct jit *jit, uint64_t cost, unsigned part)
{
   return (jit->limited + scaled(jit, cost)) * part <=
          atomic_load_explicit(&jit->ns, memory_order_relaxed) + jit->earlier;
}

/* The run time from which on code that earlier processes have left is loaded, if there is any. */
static uint64_t kept_from(unsigned kind)
{
   return kind == VGPU_NATIVE_REGION ? KEPT_REGION_FROM : KEPT_FROM;
}

/* The part of the code's run time that later processes are told. */
static uint64_t to_tell(const struct vgpu_jit_code *code, unsigned kind)
{
   return code->ns > kept_from(kind) ? code->ns - kept_from(kind) : 0;
}

/* The row for the file. sum 0: there is nothing to tell. Code that is there, or cannot be made, has no row. */
static struct util_tally_row time_row(const struct vgpu_jit_entry *entry, unsigned kind)
{
   const struct vgpu_jit_code *code = &entry->code[kind];
   const uint64_t gone = code->earlier + code->told > 0 ? UTIL_TALLY_REMOVE : 0;
   const uint64_t more = code->gains ? to_tell(code, kind) - code->told : 0;
   return (struct util_tally_row){.key = key_of_time(entry, kind), .sum = code->settled ? gone : more};
}

/* Tells later processes what blocks without code have taken. */
static void tell(struct jit *jit)
{
   struct util_tally_row *rows = calloc((size_t)jit->kept.count * VGPU_NATIVE_KINDS + 1, sizeof(*rows));
   size_t count = 0;
   for (uint32_t i = 0; rows && i < jit->kept.count; i++) {
      for (unsigned kind = 0; kind < VGPU_NATIVE_KINDS; kind++) {
         rows[count] = time_row(jit->kept.entries[i], kind);
         count += rows[count].sum > 0;
      }
   }
   if (count > 0 && vgpu_jit_objects_add_times(&jit->objects, jit->llvm, rows, count)) {
      for (uint32_t i = 0; i < jit->kept.count * VGPU_NATIVE_KINDS; i++) {
         const unsigned kind = i % VGPU_NATIVE_KINDS;
         struct vgpu_jit_code *code = &jit->kept.entries[i / VGPU_NATIVE_KINDS]->code[kind];
         code->earlier = code->settled ? 0 : code->earlier;
         code->told = code->settled ? 0 : to_tell(code, kind);
      }
   }
   jit->untold = 0;
   free(rows);
}

/* Adds to the code's run time; compiling is worth while from `from` on. */
static void add_time(struct jit *jit, struct vgpu_jit_code *code, unsigned kind, uint64_t ns, uint64_t from)
{
   const uint64_t before = to_tell(code, kind);
   code->ns += ns;
   code->gains = from < UINT64_MAX;
   jit->untold += !code->settled && code->gains ? to_tell(code, kind) - before : 0;
   if (jit->untold >= TELL_STEP) {
      tell(jit);
   }
}

/* The same for what earlier processes have taken, too: the rest of `from`, but not before kept code is loaded. */
static uint64_t after_earlier(const struct vgpu_jit_code *code, unsigned kind, uint64_t from)
{
   const uint64_t rest = from > code->earlier ? from - code->earlier : 0, least = kept_from(kind);
   return from == UINT64_MAX || code->earlier == 0 || from <= least ? from : rest > least ? rest : least;
}

/* Whether LLVM is open, or is to be for what has run for so long. */
static bool may_open(const struct jit *jit, uint64_t ns)
{
   return vgpu_llvm_is_open(jit->llvm) || ns >= LOAD_BLOCK ||
          atomic_load_explicit(&jit->ns, memory_order_relaxed) >= LOAD_ANYWAY;
}

/* The run time of `all` ops, of which `faster` gain by it, from which on compiling is worth its cost. */
static uint64_t worth_from(const struct jit *jit, unsigned patience, uint64_t cost, uint64_t faster, uint64_t all)
{
   return faster > 0 ? patience * scaled(jit, cost) / faster * all : UINT64_MAX;
}

/* The run time, by samples, from which on the block is compiled: its compilable part has then taken long enough. */
static uint64_t hot_from(const struct jit *jit, const struct vgpu_block *block)
{
   const struct vgpu_block *body = vgpu_jit_loop_body(jit->llvm, block);
   const uint32_t all = block->count + (body ? body->count : 0);
   uint64_t faster = 0;
   for (uint32_t first = 0, count; !body && first < block->count; first += count ? count : 1) {
      count = vgpu_jit_run_length(jit->llvm, block, first);
      faster += count >= MIN_RUN ? count_faster(&block->ops[first], count) : 0;
   }
   faster += body ? count_faster(block->ops, block->count) + count_faster(body->ops, body->count) : 0;
   return worth_from(jit, PATIENCE, block_cost(jit, block), faster, all);
}

/* The same of a region. */
static uint64_t hot_region_from(const struct jit *jit, const struct vgpu_jit_region *region)
{
   uint64_t faster = 0;
   for (uint32_t n = 0; n < region->count; n++) {
      faster += count_faster(region->first[n].ops, region->first[n].count);
   }
   return worth_from(jit, REGION_PATIENCE, region_cost(jit, region), faster, region->ops);
}

/* The run time from which on that code is loaded: UINT64_MAX where no process has left it. */
static uint64_t look_from(struct jit *jit, const struct vgpu_jit_entry *entry, unsigned kind, uint32_t first)
{
   char name[CODE_NAME];
   if (entry->code[kind].looked) {
      return UINT64_MAX;
   }
   name_code(entry, kind, first, name);
   return vgpu_jit_objects_have(&jit->objects, jit->llvm, name) ? kept_from(kind) : UINT64_MAX;
}

/* The start of the first run that the block is compiled to. */
static uint32_t first_run(const struct jit *jit, const struct vgpu_block *block)
{
   uint32_t first = 0;
   while (!vgpu_jit_loop_body(jit->llvm, block) && first < block->count &&
          vgpu_jit_run_length(jit->llvm, block, first) < MIN_RUN) {
      first++;
   }
   return first;
}

/* How much longer the code's blocks are to run before they are considered again. Programs share the code, so that
 * another one may bring it there earlier. */
static uint64_t wait_for(const struct vgpu_jit_code *code, uint64_t hot, uint64_t look)
{
   const uint64_t next = hot < look ? hot : look;
   if (code->settled || next == UINT64_MAX) {
      return UINT64_MAX;
   }
   return next > code->ns && next - code->ns < code->ns / 2 ? next - code->ns : code->ns / 2;
}

/* The region that the block is run with. None: count 0. */
static struct vgpu_jit_region region_of(struct jit *jit, const struct vgpu_block *block)
{
   return have_llvm(jit) ? vgpu_jit_region_of(jit->llvm, block) : (struct vgpu_jit_region){.count = 0};
}

/* What consider() does where the block belongs to a region. */
static uint64_t consider_region(struct jit *jit, const struct vgpu_jit_region *region, uint64_t ns, bool now)
{
   struct vgpu_jit_entry *entry = find_region(jit, region);
   if (!entry) {
      return NO_ROOM_WAIT;
   }
   struct vgpu_jit_code *code = &entry->code[VGPU_NATIVE_REGION];
   const uint64_t all = code->settled ? UINT64_MAX : hot_region_from(jit, region);
   const uint64_t from = after_earlier(code, VGPU_NATIVE_REGION, all);
   const uint64_t cost = code->settled ? 0 : region_cost(jit, region);
   add_time(jit, code, VGPU_NATIVE_REGION, ns, all);
   const uint64_t look = look_from(jit, entry, VGPU_NATIVE_REGION, 0);
   const bool hot =
       !code->settled &&
       (now || (code->ns >= from && may_open(jit, code->ns + code->earlier) && affords(jit, cost, PART_FOR_REGIONS)));
   if (!code->settled && (hot || code->ns >= look)) {
      const uint64_t before = jit->objects.made, start = util_clock_thread_ns();
      jit->only_kept = !hot;
      settle_region(jit, region, entry);
      jit->only_kept = false;
      learn(jit, before, start, cost, false);
   }
   publish_region(jit, region, entry);
   return wait_for(code, from, look_from(jit, entry, VGPU_NATIVE_REGION, 0));
}

/* Gives the block the code that there is. ns: to be added to its time, by kind. now: kinds to compile in any case.
 * Returns how much longer it is to run, with code of kind `asked`, before it is considered again. */
static uint64_t consider(struct jit *jit, const struct vgpu_block *block, const uint64_t *ns, const bool *now,
                         unsigned asked)
{
   struct vgpu_jit_entry *entry = have_llvm(jit) ? find_entry(jit, block) : NULL;
   uint64_t wait = entry ? UINT64_MAX : NO_ROOM_WAIT;
   const uint32_t first = entry ? first_run(jit, block) : 0;
   for (unsigned kind = 0; entry && kind < VGPU_NATIVE_REGION; kind++) {
      if (atomic_load_explicit(&block->native->ops[kind], memory_order_relaxed)) {
         continue;
      }
      struct vgpu_jit_code *code = &entry->code[kind];
      const uint64_t all = code->settled ? UINT64_MAX : hot_from(jit, block);
      const uint64_t from = after_earlier(code, kind, all);
      add_time(jit, code, kind, ns[kind], all);
      const bool gains = gains_much(jit, block);
      const uint64_t cost = code->settled ? 0 : block_cost(jit, block);
      const bool hot = !code->settled && (now[kind] || (code->ns >= from && may_open(jit, code->ns + code->earlier) &&
                                                        (gains || affords(jit, cost, PART_FOR_BLOCKS))));
      if (!code->settled && (hot || code->ns >= look_from(jit, entry, kind, first))) {
         const uint64_t before = jit->objects.made, start = util_clock_thread_ns();
         jit->only_kept = !hot;
         settle(jit, block, entry, kind);
         jit->only_kept = false;
         learn(jit, before, start, cost, gains);
      }
      publish(jit, block, entry, kind);
      wait = kind == asked ? wait_for(code, from, look_from(jit, entry, kind, first)) : wait;
   }
   return wait;
}

/* A large program has hundreds of blocks, and compiling each takes 10 ms or more. Blocks beyond the limit are compiled
 * as with VGPU_JIT_AUTO. */
static void bind(struct vgpu_compiler *compiler, const struct vgpu_block *blocks, uint32_t count)
{
   struct jit *jit = (struct jit *)compiler;
   const uint64_t start = util_clock_thread_ns();
   const uint64_t deadline = jit->bind_limit > UINT64_MAX - start ? UINT64_MAX : start + jit->bind_limit;
   const uint32_t masked = vgpu_jit_first_masked(blocks, count);
   for (uint32_t i = 0; i < count; i++) {
      pthread_mutex_lock(&jit->lock);
      const bool on = jit->mode == VGPU_JIT_ON && util_clock_thread_ns() < deadline;
      const struct vgpu_native *native = blocks[i].native;
      const bool inside = native->count > 1 && native->first != i; /* its region was considered at its first block */
      if (!inside && (on || jit->statistics.blocks > 0)) {
         const uint64_t ns[VGPU_NATIVE_KINDS] = {0};
         const bool now[VGPU_NATIVE_KINDS] = {on, on && i >= masked};
         const struct vgpu_jit_region region = region_of(jit, &blocks[i]);
         jit->deadline = deadline;
         if (region.count == 0) {
            consider(jit, &blocks[i], ns, now, VGPU_NATIVE_FULL);
         } else if (region.first == &blocks[i]) {
            consider_region(jit, &region, 0, on);
         }
         jit->deadline = UINT64_MAX;
      }
      pthread_mutex_unlock(&jit->lock);
   }
}

/* Takes its code of that kind from the block. */
static void withdraw(const struct vgpu_block *block, unsigned kind)
{
   struct published *published =
       (struct published *)atomic_exchange_explicit(&block->native->ops[kind], NULL, memory_order_relaxed);
   atomic_store_explicit(&block->native->next[kind], 0, memory_order_relaxed);
   if (published && --published->blocks == 0) {
      published->entry->users--;
      free(published);
   }
}

/* The code of that kind, if it relies on uniforms. NULL: it does not, or there is none. */
static const struct published *relying(const struct vgpu_block *block, unsigned kind)
{
   const struct published *published =
       (struct published *)atomic_load_explicit(&block->native->ops[kind], memory_order_relaxed);
   return published && published->relies ? published : NULL;
}

static void rebind_block(struct jit *jit, const struct vgpu_block *block)
{
   struct vgpu_jit_entry *entry = NULL;
   for (unsigned kind = 0; kind < VGPU_NATIVE_REGION; kind++) {
      const struct published *published = relying(block, kind);
      entry = published && !entry ? find_entry(jit, block) : entry;
      if (published && entry && entry != published->entry) {
         withdraw(block, kind);
         publish(jit, block, entry, kind);
      }
   }
}

/* Returns the region's last block. */
static const struct vgpu_block *rebind_region(struct jit *jit, const struct vgpu_block *block)
{
   const struct vgpu_jit_region region = region_of(jit, block);
   struct vgpu_jit_entry *entry = find_region(jit, &region);
   bool withdrawn = false;
   for (uint32_t n = 0; n < region.count; n++) {
      const struct published *published = relying(&region.first[n], VGPU_NATIVE_REGION);
      if (published && entry && entry != published->entry) {
         withdraw(&region.first[n], VGPU_NATIVE_REGION);
         withdrawn = true;
      }
   }
   if (withdrawn) {
      publish_region(jit, &region, entry);
   }
   return &region.first[region.count - 1];
}

static void rebind(struct vgpu_compiler *compiler, const struct vgpu_block *blocks, uint32_t count)
{
   struct jit *jit = (struct jit *)compiler;
   pthread_mutex_lock(&jit->lock);
   for (const struct vgpu_block *block = blocks; block < blocks + count; block++) {
      rebind_block(jit, block);
   }
   for (const struct vgpu_block *block = blocks; block < blocks + count; block++) {
      block = relying(block, VGPU_NATIVE_REGION) ? rebind_region(jit, block) : block;
   }
   pthread_mutex_unlock(&jit->lock);
}

static void unbind(struct vgpu_compiler *compiler, const struct vgpu_block *block)
{
   struct jit *jit = (struct jit *)compiler;
   pthread_mutex_lock(&jit->lock);
   for (unsigned kind = 0; kind < VGPU_NATIVE_KINDS; kind++) {
      withdraw(block, kind);
   }
   pthread_mutex_unlock(&jit->lock);
}

/* Whether code of earlier processes, or what to compile, is looked for. */
static bool may_look(const struct jit *jit, uint64_t of_block, uint64_t all)
{
   return atomic_load_explicit(&jit->looks, memory_order_relaxed) || of_block >= LOAD_BLOCK || all >= jit->look_anyway;
}

static void sample(struct vgpu_compiler *compiler, const struct vgpu_block *block, unsigned kind, uint64_t ns)
{
   struct jit *jit = (struct jit *)compiler;
   /* The blocks of a region share its time. Until the region is known each has its own. */
   const bool in_region = __atomic_load_n(&block->native->count, __ATOMIC_ACQUIRE) > 1;
   struct vgpu_native *native = in_region ? &block->code->natives[block->native->first] : block->native;
   const unsigned timed = in_region ? VGPU_NATIVE_REGION : kind;
   const uint64_t sum = atomic_fetch_add_explicit(&native->ns[timed], ns, memory_order_relaxed) + ns;
   const uint64_t all = atomic_fetch_add_explicit(&jit->ns, ns, memory_order_relaxed) + ns;
   const uint64_t quantum = in_region ? REGION_QUANTUM : QUANTUM;
   if (atomic_load_explicit(&block->native->ops[kind], memory_order_relaxed) ||
       atomic_load_explicit(&block->native->ops[VGPU_NATIVE_REGION], memory_order_relaxed)) {
      return;
   }
   if (!may_look(jit, sum, all) || sum < quantum ||
       sum < atomic_load_explicit(&native->next[timed], memory_order_relaxed) || pthread_mutex_trylock(&jit->lock)) {
      return;
   }
   /* A loop is compiled at its head, with the body. */
   const struct vgpu_block *head = block->control == VGPU_JUMP_ANY ? block->target : NULL;
   const bool in_loop = head && head->native && have_llvm(jit) && vgpu_jit_loop_body(jit->llvm, head) == block;
   uint64_t times[VGPU_NATIVE_KINDS] = {0}, wait;
   const bool now[VGPU_NATIVE_KINDS] = {false};
   times[kind] = sum > native->told[timed] ? sum - native->told[timed] : 0;
   native->told[timed] = sum;
   const struct vgpu_jit_region region = region_of(jit, block);
   if (region.count > 0 && !in_loop) {
      wait = consider_region(jit, &region, times[kind], false);
   } else {
      wait = consider(jit, in_loop ? head : block, times, now, kind);
   }
   wait = wait < quantum ? quantum : wait;
   atomic_store_explicit(&native->next[timed], wait < UINT64_MAX - sum ? sum + wait : UINT64_MAX, memory_order_relaxed);
   pthread_mutex_unlock(&jit->lock);
}

static void count(struct vgpu_compiler *compiler, const struct vgpu_interpreted *interpreted, uint64_t instructions)
{
   struct jit *jit = (struct jit *)compiler;
   pthread_mutex_lock(&jit->lock);
   struct vgpu_interpreted *sum = &jit->statistics.interpreted;
   sum->waiting += interpreted->waiting;
   sum->masked += interpreted->masked;
   sum->again += interpreted->again;
   for (unsigned i = 0; i < ISA_OP_COUNT; i++) {
      sum->ops[i] += interpreted->ops[i];
   }
   jit->statistics.executed += instructions;
   pthread_mutex_unlock(&jit->lock);
}

struct vgpu_compiler *vgpu_jit_create(enum vgpu_jit_mode mode, const struct vgpu_level *level)
{
   struct jit *jit = mode == VGPU_JIT_OFF ? NULL : calloc(1, sizeof(*jit));
   if (!jit || pthread_mutex_init(&jit->lock, NULL)) {
      free(jit);
      return NULL;
   }
   jit->compiler = (struct vgpu_compiler){.level = level,
                                          .period = PERIOD,
                                          .bind = bind,
                                          .rebind = rebind,
                                          .unbind = unbind,
                                          .sample = sample,
                                          .count = count};
   jit->mode = mode;
   jit->kept.max_blocks = MAX_BLOCKS;
   jit->kept.max_instructions = MAX_INSTRUCTIONS;
   jit->bind_limit = BIND_LIMIT;
   jit->deadline = UINT64_MAX;
   jit->look_anyway = LOAD_ANYWAY;
   return &jit->compiler;
}

void vgpu_jit_keep(struct vgpu_compiler *compiler)
{
   struct jit *jit = (struct jit *)compiler;
   if (jit) {
      vgpu_jit_objects_open(&jit->objects);
      jit->look_anyway = jit->objects.kept ? LOOK_ANYWAY : LOAD_ANYWAY;
   }
}

void vgpu_jit_limit(struct vgpu_compiler *compiler, uint32_t blocks, uint32_t instructions)
{
   struct jit *jit = (struct jit *)compiler;
   if (jit) {
      jit->kept.max_blocks = blocks;
      jit->kept.max_instructions = instructions;
   }
}

void vgpu_jit_limit_bind(struct vgpu_compiler *compiler, uint64_t ns)
{
   struct jit *jit = (struct jit *)compiler;
   if (jit) {
      jit->bind_limit = ns;
   }
}

void vgpu_jit_destroy(struct vgpu_compiler *compiler)
{
   struct jit *jit = (struct jit *)compiler;
   if (!jit) {
      return;
   }
   tell(jit);
   vgpu_jit_kept_finish(&jit->kept);
   vgpu_jit_objects_finish(&jit->objects);
   vgpu_llvm_destroy(jit->llvm);
   pthread_mutex_destroy(&jit->lock);
   free(jit);
}

void vgpu_jit_read_statistics(struct vgpu_compiler *compiler, struct vgpu_jit_statistics *statistics)
{
   struct jit *jit = (struct jit *)compiler;
   memset(statistics, 0, sizeof(*statistics));
   if (jit) {
      pthread_mutex_lock(&jit->lock);
      *statistics = jit->statistics;
      statistics->freed = jit->kept.freed;
      statistics->opened = jit->llvm && vgpu_llvm_is_open(jit->llvm);
      statistics->loaded = jit->objects.loaded;
      statistics->made = jit->objects.made;
      pthread_mutex_unlock(&jit->lock);
   }
}

bool vgpu_jit_built(void)
{
   return true;
}
