/* SPDX-License-Identifier: MIT
 *
 * Programs: decodes everything that is reachable from an entry, and divides it into blocks. A block has one entry, its
 * first instruction, and only its last instruction may jump or change the exec mask. Bytes that cannot be decoded
 * become a block that faults when it is run.
 */
#include "vgpu/exec/code.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "isa/program.h"
#include "vgpu/exec/block_index.h"
#include "vgpu/native.h"
#include "vgpu/stage.h"
#include "vgpu/timing/cost.h"
#include "vgpu/exec/half.h"
#include "vgpu/exec/semantics.h"
#include "util/array.h"

/* Limit of one program, counted separately for each place that jumps through registers reach: no compiler exceeds it,
 * but wild jumps could. */
#define MAX_INSTRUCTIONS (1u << 20)

struct vgpu_program {
   struct vgpu_program_settings settings;
   const struct vgpu_launch *launch;
   const uint16_t *uniforms;
   pthread_mutex_t lock;
   struct vgpu_code *codes;
   struct vgpu_block_index index; /* of all codes' blocks */
   uint32_t instructions;         /* of all codes; a little over MAX_INSTRUCTIONS at most */
};

/* ---- Finding the instructions ---- */

/* An address that the program can reach. */
struct node {
   uint64_t address;
   struct isa_insn insn;
   bool decoded, leader;
   bool stops_some;       /* a stop inside of a branch */
   enum vgpu_fault fault; /* raised instead of executing an instruction */
   const char *reason;
   struct vgpu_block *block; /* of leaders */
};

/* The addresses that the program can reach, and what is left to decode. */
struct graph {
   const struct isa_set *set;
   struct node *nodes;
   uint32_t count, capacity;
   struct util_hash by_address; /* entries: indices of nodes */
   uint32_t *work;              /* indices of leaders to decode from */
   uint32_t work_count, work_capacity;
   uint32_t limit; /* nodes that may hold instructions */
   bool out_of_memory;
   /* A piece of the program as it lies in memory. */
   uint8_t bytes[4096];
   uint64_t start;
   size_t size;
};

static struct node *find(const struct graph *graph, uint64_t address)
{
   uint32_t entry;
   for (struct util_hash_probe probe = util_hash_find(&graph->by_address, util_hash_u64(address));
        util_hash_next(&probe, &entry);) {
      if (graph->nodes[entry].address == address) {
         return &graph->nodes[entry];
      }
   }
   return NULL;
}

/* The node of that address, made when it is new; NULL: out of memory. Invalidates other node pointers. */
static struct node *node_at(struct graph *graph, uint64_t address)
{
   struct node *found = find(graph, address);
   if (found) {
      return found;
   }
   if (!ARRAY_RESERVE(graph->nodes, graph->capacity, graph->count + 1) ||
       !util_hash_add(&graph->by_address, util_hash_u64(address), graph->count)) {
      graph->out_of_memory = true;
      return NULL;
   }
   struct node *node = &graph->nodes[graph->count++];
   memset(node, 0, sizeof(*node));
   node->address = address;
   return node;
}

/* Starts a block there. */
static void lead(struct graph *graph, uint64_t address)
{
   struct node *node = node_at(graph, address);
   if (!node || node->leader) {
      return;
   }
   node->leader = true;
   if (!ARRAY_RESERVE(graph->work, graph->work_capacity, graph->work_count + 1)) {
      graph->out_of_memory = true;
      return;
   }
   graph->work[graph->work_count++] = (uint32_t)(node - graph->nodes);
}

/* Up to ISA_MAX_LENGTH bytes at address; how many are mapped. */
static size_t fetch(struct graph *graph, const struct vgpu_pages *pages, uint64_t address, const uint8_t **bytes)
{
   uint64_t offset = address - graph->start;
   if (address < graph->start || offset + ISA_MAX_LENGTH > graph->size) {
      uint64_t bad;
      graph->start = address;
      graph->size = sizeof(graph->bytes);
      if (!vgpu_pages_read(pages, address, graph->bytes, graph->size, &bad)) {
         graph->size = (size_t)(bad - address);
         if (graph->size > 0 && !vgpu_pages_read(pages, address, graph->bytes, graph->size, &bad)) {
            graph->size = 0;
         }
      }
      offset = 0;
   }
   *bytes = graph->bytes + offset;
   size_t left = graph->size - offset;
   return left < ISA_MAX_LENGTH ? left : ISA_MAX_LENGTH;
}

static void decode(struct graph *graph, const struct vgpu_pages *pages, struct node *node)
{
   const uint8_t *bytes;
   size_t size = fetch(graph, pages, node->address, &bytes);
   node->decoded = true;
   if (node->address & 1) {
      node->fault = VGPU_FAULT_INSTRUCTION;
      node->reason = "a jump to an odd address";
   } else if (size == 0) {
      node->fault = VGPU_FAULT_MEMORY;
      node->reason = "instruction fetch from unmapped memory";
   } else if (graph->count > graph->limit) {
      node->fault = VGPU_FAULT_RESOURCES;
      node->reason = "the program does not end within 1048576 instructions";
   } else {
      isa_decode(graph->set, bytes, size, &node->insn);
      if (!node->insn.row && size < ISA_MAX_LENGTH) {
         node->fault = VGPU_FAULT_MEMORY;
         node->reason = "an instruction reaches into unmapped memory";
      } else if (!node->insn.row) {
         node->fault = VGPU_FAULT_INSTRUCTION;
         node->reason = "an unknown instruction";
      }
   }
}

/* Whether an instruction there changes the exec mask. */
static bool is_end_of_branch(struct graph *graph, const struct vgpu_pages *pages, uint64_t address)
{
   const uint8_t *bytes;
   struct isa_insn insn;
   const size_t size = fetch(graph, pages, address, &bytes);
   isa_decode(graph->set, bytes, size, &insn);
   return insn.row && vgpu_traits_of((enum isa_op)insn.op) == VGPU_SETS_EXEC;
}

static unsigned control_of(const struct node *node)
{
   return node->stops_some ? VGPU_STOP_SOME : vgpu_control_of((enum isa_op)node->insn.op);
}

static bool has_target(unsigned control)
{
   return control == VGPU_JUMP_ANY || control == VGPU_JUMP_NONE || control == VGPU_CALL;
}

/* Whether the next instruction can come after it, in a block of its own or in the same. */
static bool falls_through(unsigned control)
{
   return control != VGPU_STOP && control != VGPU_FAULT && control != VGPU_RETURN;
}

/* Decodes from a leader to the first instruction that is known or that ends a block. */
static void walk(struct graph *graph, const struct vgpu_pages *pages, uint64_t address)
{
   for (;;) {
      struct node *node = node_at(graph, address);
      if (!node || node->decoded) {
         if (node) {
            lead(graph, address); /* two ways lead here */
         }
         return;
      }
      decode(graph, pages, node);
      if (node->fault) {
         return;
      }
      enum isa_op op = (enum isa_op)node->insn.op;
      const uint64_t next = address + node->insn.length;
      node->stops_some = op == ISA_OP_STOP && is_end_of_branch(graph, pages, next);
      const uint64_t target = address + (uint64_t)(int64_t)node->insn.mod[ISA_MOD_TARGET];
      const unsigned control = control_of(node);
      if (has_target(control)) {
         lead(graph, target);
      }
      if (!falls_through(control)) {
         return;
      }
      if (control != VGPU_FALL || vgpu_traits_of(op) == VGPU_SETS_EXEC) {
         lead(graph, next);
         return;
      }
      struct node *following = find(graph, next);
      if (following && following->leader) {
         return;
      }
      address = next;
   }
}

static void explore(struct graph *graph, const struct vgpu_pages *pages, uint64_t entry)
{
   lead(graph, entry);
   while (graph->work_count > 0 && !graph->out_of_memory) {
      uint64_t address = graph->nodes[graph->work[--graph->work_count]].address;
      const struct node *node = find(graph, address);
      if (!node->decoded) {
         walk(graph, pages, address);
      }
   }
}

/* ---- Making blocks ---- */

static void end_block(struct vgpu_block *block, unsigned control, enum vgpu_fault fault, const char *reason)
{
   block->control = (uint8_t)control;
   block->fault = fault;
   block->reason = reason;
}

/* Takes the next place of the code's tables for the node's instruction, and binds *op to it. After a failed fetch *op
 * only tells the place. */
static void make_op(struct vgpu_binder *binder, const struct node *node, struct vgpu_op *op)
{
   struct vgpu_code *code = binder->code;
   struct isa_insn *insn = &code->insns[code->op_count];
   *insn = node->insn;
   if (code->costs) {
      vgpu_cost_of(insn, vgpu_params_or_default(binder->launch->params), &code->costs[code->op_count]);
   }
   code->op_count++;
   if (node->fault) {
      *op = (struct vgpu_op){.insn = insn, .address = node->address};
      return;
   }
   vgpu_bind(binder, insn, node->address, op);
   if (code->checked && !binder->refusal) {
      binder->level->checks->bind(binder, op);
   }
}

/* Ends the block with *op where the fetch failed, the instruction is refused, or it is control flow. */
static bool ends_with(struct graph *graph, const struct vgpu_binder *binder, const struct node *node,
                      const struct vgpu_op *op, struct vgpu_block *block)
{
   const unsigned control = node->fault ? VGPU_FAULT : control_of(node);
   if (node->fault) {
      end_block(block, VGPU_FAULT, node->fault, node->reason);
   } else if (binder->refusal) {
      end_block(block, VGPU_FAULT, VGPU_FAULT_INSTRUCTION, binder->refusal);
   } else if (control != VGPU_FALL) {
      end_block(block, control, VGPU_FAULT_NONE, NULL);
      if (has_target(control)) {
         block->target = find(graph, node->address + (uint64_t)(int64_t)op->insn->mod[ISA_MOD_TARGET])->block;
      }
      block->next = falls_through(control) ? find(graph, node->address + op->insn->length)->block : NULL;
   } else {
      return false;
   }
   block->last = op;
   return true;
}

/* Fills the block that starts at *leader. The op of the last instruction is the one that ends the block, or tells the
 * place of a failed fetch. */
static void make_block(struct graph *graph, struct vgpu_binder *binder, struct node *leader)
{
   struct vgpu_code *code = binder->code;
   struct vgpu_block *block = leader->block;
   struct vgpu_op *op = &code->ops[code->op_count];
   block->ops = op;
   binder->first = op;
   block->address = leader->address;
   block->code = code;
   block->insns = &code->insns[code->op_count];
   block->costs = code->costs ? &code->costs[code->op_count] : NULL;
   block->first_idle = UINT32_MAX;
   for (const struct node *node = leader;;) {
      make_op(binder, node, op);
      block->length++;
      if (ends_with(graph, binder, node, op, block)) {
         return;
      }
      const struct isa_insn *insn = op->insn;
      /* An op that does nothing (wait, on some hosts) still counts as an instruction, but needs no entry. */
      if (op->run[0]) {
         const bool idles =
             vgpu_traits_of((enum isa_op)insn->op) != VGPU_PLAIN || (code->checked && insn->op == ISA_OP_WAIT);
         if (idles && block->first_idle == UINT32_MAX) {
            block->first_idle = block->count;
         }
         block->count++;
         op++;
      }
      node = find(graph, node->address + insn->length);
      if (node->leader) {
         block->next = node->block;
         end_block(block, VGPU_FALL, VGPU_FAULT_NONE, NULL);
         return;
      }
   }
}

static void free_code(struct vgpu_compiler *compiler, struct vgpu_code *code)
{
   if (code) {
      for (uint32_t i = 0; code->natives && code->blocks && i < code->block_count; i++) {
         bool native = false;
         for (unsigned kind = 0; kind < VGPU_NATIVE_KINDS; kind++) {
            native |= atomic_load_explicit(&code->natives[i].ops[kind], memory_order_relaxed) != NULL;
         }
         if (native) {
            compiler->unbind(compiler, &code->blocks[i]);
         }
      }
      free(code->natives);
      free(code->blocks);
      free(code->ops);
      free(code->checked);
      free(code->insns);
      free(code->costs);
      free(code->lanes);
      free(code->constants);
      free(code->vectors);
      free(code);
   }
}

static uint32_t constant_word(const struct vgpu_constant *constant, const uint16_t *uniforms, unsigned word)
{
   uint32_t value = (uint32_t)constant->value;
   if (constant->kind == ISA_UNIFORM) {
      uint32_t half = (uint32_t)constant->value + 2 * word;
      value = half < AGX_UNIFORM_HALVES ? uniforms[half] : 0;
      if (constant->size > 16) {
         value |= half + 1 < AGX_UNIFORM_HALVES ? (uint32_t)uniforms[half + 1] << 16 : 0;
      } else if (constant->sx) {
         value = (uint32_t)(int32_t)(int16_t)value;
      }
   }
   if (!constant->real) {
      return constant->kind != ISA_UNIFORM && word ? 0 : value;
   }
   float real;
   if (constant->kind == ISA_FLOAT_IMM) {
      real = isa_minifloat((uint8_t)value);
      memcpy(&value, &real, sizeof(value));
   } else if (constant->size == 16) {
      real = (float)vgpu_f16_to_double((uint16_t)value);
      memcpy(&value, &real, sizeof(value));
   }
   value &= constant->abs ? 0x7fffffffu : UINT32_MAX;
   return value ^ (constant->neg ? 0x80000000u : 0);
}

static void refresh(struct vgpu_code *code, const uint16_t *uniforms)
{
   uint32_t *vector = code->vectors;
   for (uint32_t i = 0; i < code->constant_count; i++) {
      unsigned words = code->constants[i].size == 64 ? 2 : 1;
      for (unsigned word = 0; word < words; word++, vector += VGPU_LANES) {
         uint32_t value = constant_word(&code->constants[i], uniforms, word);
         for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
            vector[lane] = value;
         }
      }
   }
}

static bool make_blocks(struct graph *graph, struct vgpu_binder *binder)
{
   struct vgpu_code *code = binder->code;
   for (uint32_t i = 0; i < graph->count; i++) {
      code->block_count += graph->nodes[i].leader;
   }
   code->blocks = calloc(code->block_count, sizeof(*code->blocks));
   code->ops = calloc(graph->count, sizeof(*code->ops));
   code->insns = calloc(graph->count, sizeof(*code->insns));
   code->costs = binder->launch->timing ? calloc(graph->count, sizeof(*code->costs)) : NULL;
   code->lanes = binder->launch->timing ? calloc(code->block_count, sizeof(*code->lanes)) : NULL;
   bool checks = binder->launch->checks != 0;
   code->checked = checks ? binder->level->checks->create_ops(graph->count) : NULL;
   const bool compiled = binder->launch->compiler && !binder->preamble;
   code->natives = compiled ? calloc(code->block_count, sizeof(*code->natives)) : NULL;
   if ((checks && !code->checked) || (compiled && !code->natives) || !code->blocks || !code->ops || !code->insns ||
       (binder->launch->timing && (!code->costs || !code->lanes))) {
      return false;
   }
   uint32_t index = 0;
   for (uint32_t i = 0; i < graph->count; i++) {
      if (graph->nodes[i].leader) {
         graph->nodes[i].block = &code->blocks[index];
         code->blocks[index].native = compiled ? &code->natives[index] : NULL;
         code->blocks[index].lanes = code->lanes ? &code->lanes[index] : NULL;
         index++;
      }
   }
   for (uint32_t i = 0; i < graph->count; i++) {
      if (graph->nodes[i].leader) {
         make_block(graph, binder, &graph->nodes[i]);
      }
   }
   size_t size = ((size_t)code->vector_count + 1) * VGPU_LANES * sizeof(uint32_t);
   code->vectors = aligned_alloc(64, size);
   return code->vectors && !binder->out_of_memory;
}

/* Adds what the block's ops touch to the sets; written: what the ops before have written, NULL where lanes may be
 * inactive. */
static void add_touched(const struct vgpu_block *block, struct vgpu_halves *zeroed, struct vgpu_halves *written)
{
   const bool jumps = block->last && block->control != VGPU_FAULT;
   for (uint32_t i = 0; i < block->count + jumps; i++) {
      const struct vgpu_op *op = i < block->count ? &block->ops[i] : block->last;
      struct vgpu_halves reads = {{0}}, writes = {{0}};
      vgpu_op_registers(op, &reads, &writes);
      for (unsigned n = 0; n < VGPU_HALVES / 64; n++) {
         if (written) {
            zeroed->bits[n] |= reads.bits[n] & ~written->bits[n];
            written->bits[n] |= writes.bits[n];
         } else {
            zeroed->bits[n] |= reads.bits[n] | writes.bits[n];
         }
      }
   }
}

/* Only the entry's block is certain to run with all lanes. Code that jumps through a register can reach unknown
 * code. */
static void find_zeroed(struct vgpu_code *code, const struct vgpu_block *entry)
{
   struct vgpu_halves written = {{0}}, elsewhere = {{0}};
   memset(&code->zeroed, 0, sizeof(code->zeroed));
   add_touched(entry, &code->zeroed, &written);
   for (uint32_t i = 0; i < code->block_count; i++) {
      const struct vgpu_block *block = &code->blocks[i];
      if (block->control == VGPU_CALL_REGISTER || block->control == VGPU_RETURN) {
         memset(&code->zeroed, 0xff, sizeof(code->zeroed));
         code->any_zeroed = true;
         return;
      }
      if (block != entry) {
         add_touched(block, &elsewhere, NULL);
      }
   }
   for (unsigned n = 0; n < VGPU_HALVES / 64; n++) {
      code->zeroed.bits[n] |= elsewhere.bits[n] & ~written.bits[n];
      code->any_zeroed |= code->zeroed.bits[n] != 0;
   }
}

/* A threadgroup of one line, or of lines of whole simdgroups that the grid's end does not shorten. */
static bool positions_count(const struct vgpu_launch *launch)
{
   const uint32_t *group = launch->group;
   return group[1] * group[2] == 1 || (group[0] % VGPU_LANES == 0 && launch->grid[0] % group[0] == 0);
}

static struct vgpu_code *make_code(struct vgpu_program *program, uint64_t entry)
{
   struct graph *graph = calloc(1, sizeof(*graph));
   struct vgpu_code *code = calloc(1, sizeof(*code));
   struct vgpu_binder binder = {
       .launch = program->launch,
       .level = program->settings.level,
       .code = code,
       .preamble = program->settings.preamble,
       .half_registers = program->settings.half_registers,
   };
   bool made = false;
   if (graph && code) {
      graph->set = program->settings.chip->set;
      graph->limit = program->instructions < MAX_INSTRUCTIONS ? MAX_INSTRUCTIONS - program->instructions : 0;
      explore(graph, program->launch->pages, entry);
      made = !graph->out_of_memory && make_blocks(graph, &binder);
   }
   if (made) {
      refresh(code, program->uniforms);
      code->positions_count = program->settings.positions_count;
      code->start = entry == program->settings.entry ? find(graph, entry)->block : NULL;
      find_zeroed(code, find(graph, entry)->block);
      if (code->checked) {
         binder.level->checks->bound(code);
      }
      if (code->natives) {
         program->settings.compiler->bind(program->settings.compiler, code->blocks, code->block_count);
      }
   } else {
      free_code(program->settings.compiler, code);
      code = NULL;
   }
   if (graph) {
      free(graph->nodes);
      util_hash_finish(&graph->by_address);
      free(graph->work);
      free(graph);
   }
   return code;
}

/* ---- Programs ---- */

void vgpu_program_settings_of(struct vgpu_program_settings *settings, const struct vgpu_launch *launch, bool preamble)
{
   memset(settings, 0, sizeof(*settings));
   settings->entry = preamble ? launch->preamble : launch->code;
   settings->chip = launch->chip;
   settings->params = launch->params;
   settings->level = launch->level;
   settings->compiler = launch->compiler;
   settings->checks = launch->checks;
   settings->half_registers = preamble ? launch->preamble_half_registers : launch->half_registers;
   settings->preamble = preamble;
   settings->timing = launch->timing;
   settings->tile = launch->tile;
   settings->positions_count = !launch->stage && positions_count(launch);
   settings->stage = launch->stage ? launch->stage->kind : VGPU_STAGE_COMPUTE;
}

struct vgpu_program *vgpu_program_create(const struct vgpu_launch *launch, const struct vgpu_program_settings *settings,
                                         const uint16_t *uniforms)
{
   struct vgpu_program *program = calloc(1, sizeof(*program));
   if (!program || pthread_mutex_init(&program->lock, NULL)) {
      free(program);
      return NULL;
   }
   memcpy(&program->settings, settings, sizeof(*settings)); /* with its padding */
   program->launch = launch;
   program->uniforms = uniforms;
   return program;
}

void vgpu_program_destroy(struct vgpu_program *program)
{
   if (!program) {
      return;
   }
   while (program->codes) {
      struct vgpu_code *code = program->codes;
      program->codes = code->next;
      free_code(program->settings.compiler, code);
   }
   vgpu_block_index_finish(&program->index);
   pthread_mutex_destroy(&program->lock);
   free(program);
}

void vgpu_program_refresh(struct vgpu_program *program)
{
   for (struct vgpu_code *code = program->codes; code; code = code->next) {
      refresh(code, program->uniforms);
   }
}

const struct vgpu_code *vgpu_program_codes(const struct vgpu_program *program)
{
   return program->codes;
}

const struct vgpu_program_settings *vgpu_program_settings(const struct vgpu_program *program)
{
   return &program->settings;
}

void vgpu_program_rebind(struct vgpu_program *program, const struct vgpu_launch *launch, const uint16_t *uniforms)
{
   program->launch = launch;
   program->uniforms = uniforms;
   vgpu_program_refresh(program);
   const struct vgpu_program_settings *settings = &program->settings;
   for (const struct vgpu_code *code = program->codes; code; code = code->next) {
      if (code->natives) {
         settings->compiler->rebind(settings->compiler, code->blocks, code->block_count);
      }
      if (code->checked) {
         settings->level->checks->rebind(code, launch, settings->preamble, settings->half_registers);
      }
   }
}

/* Adds the code that starts there. false: out of memory. */
static bool add_code(struct vgpu_program *program, uint64_t address)
{
   struct vgpu_code *code = make_code(program, address);
   if (!code) {
      return false;
   }
   code->next = program->codes;
   program->codes = code;
   program->instructions += code->op_count;
   return vgpu_block_index_add(&program->index, code->blocks, code->block_count);
}

struct vgpu_block *vgpu_program_block(struct vgpu_program *program, uint64_t address)
{
   pthread_mutex_lock(&program->lock);
   struct vgpu_block *block = vgpu_block_index_find(&program->index, address);
   if (!block && add_code(program, address)) {
      block = vgpu_block_index_find(&program->index, address);
   }
   pthread_mutex_unlock(&program->lock);
   return block;
}
