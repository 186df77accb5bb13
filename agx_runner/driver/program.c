/* SPDX-License-Identifier: MIT
 *
 * Finds a launch's arguments among its uniforms. A buffer of a probe is found by its contents, which gives its address;
 * then addresses and values are searched in the uniforms, and in the memory that the uniforms point to: the argument
 * block. Invariant: the program reads what the driver's launch has read, if it is given what the arguments' names say.
 */
#include "agx_runner/driver/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/driver/block.h"
#include "agx_runner/replay/image.h"
#include "agx_runner/terminal/runner.h"
#include "isa/formats.h"
#include "isa/isa.h"
#include "util/array.h"

#define MARKER_COMPARED 32u /* bytes of a buffer's marker that are compared */
#define MARKER_STEP 64u     /* buffers start at multiples of it */
#define BLOCK_BYTES 4096u   /* of memory that may be an argument block */
#define ADDRESS_HALVES 4u
#define CODE_BYTES (UINT64_C(1) << 32) /* offsets of code in USC words have 32 bits */

struct finder {
   const struct replay *replay;
   const struct vgpu_launch_info *launch;
   const struct driver_kernel *kernel;
   struct agx_program *program;
   uint64_t *addresses;          /* of each parameter's buffer; 0: not found */
   struct driver_placed *placed; /* of each parameter in the block */
   unsigned own;
   int block_start; /* half uniform with the block's address; -1: there is none */
   uint8_t block[BLOCK_BYTES];
};

/* Decodes the next instruction of main program and preamble, one after the other; what lies between them is no code.
 * *at: 0 at first. Returns false behind the last one. */
static bool next_instruction(const struct agx_program *program, size_t *at, struct isa_insn *insn)
{
   const size_t main_end = (size_t)program->main_offset + program->main_size;
   const size_t preamble_end = program->has_preamble ? (size_t)program->preamble_offset + program->preamble_size : 0;
   *at = *at < program->main_offset                          ? program->main_offset
         : *at >= main_end && *at < program->preamble_offset ? program->preamble_offset
                                                             : *at;
   const size_t end = *at < main_end ? main_end : preamble_end;
   if (*at >= end) {
      return false;
   }
   isa_decode(program->set, program->code + *at, end - *at, insn);
   *at += insn->length;
   return true;
}

/* ---- Memory before the job ---- */

/* Copies what was at a GPU address before the job; less than `size` at the end of a mapping. Returns the bytes. */
static size_t read_before(const struct replay *replay, uint64_t address, size_t size, uint8_t *bytes)
{
   for (size_t i = 0; i < replay->job->mapping_count; i++) {
      const struct saved_mapping *mapping = &replay->job->mappings[i];
      if (address >= mapping->address && address - mapping->address < mapping->range &&
          !(mapping->flags & DRM_ASAHI_BIND_SINGLE_PAGE)) {
         const uint64_t left = mapping->range - (address - mapping->address);
         size = left < size ? (size_t)left : size;
         replay_image(replay, mapping->buffer, mapping->offset + (address - mapping->address), size, false, bytes);
         return size;
      }
   }
   return 0;
}

/* Whether the bytes start with the marker of a buffer; *index: the parameter's number. */
static bool is_marker(const struct driver_kernel *kernel, const uint8_t *bytes, uint32_t *index)
{
   for (*index = 0; *index < kernel->facts->parameters; ++*index) {
      const struct driver_parameter *parameter = &kernel->parameters[*index];
      if (parameter->marker != NULL && parameter->marker->kind == HOST_BUFFER &&
          parameter->marker_bytes.size >= MARKER_COMPARED &&
          memcmp(bytes, parameter->marker_bytes.bytes, MARKER_COMPARED) == 0) {
         return true;
      }
   }
   return false;
}

static void find_buffers(struct finder *finder)
{
   const struct saved_job *job = finder->replay->job;
   for (size_t i = 0; i < job->before_count; i++) {
      const struct saved_piece *piece = &job->before[i];
      for (uint64_t at = 0; at + MARKER_COMPARED <= piece->size; at += MARKER_STEP) {
         uint32_t index;
         if (is_marker(finder->kernel, piece->bytes + at, &index) && finder->addresses[index] == 0) {
            finder->addresses[index] = saved_job_address(job, piece->buffer, piece->offset + at);
         }
      }
   }
}

/* ---- The argument block ---- */

static void expect_arguments(struct finder *finder)
{
   for (uint32_t i = 0; i < finder->kernel->facts->parameters; i++) {
      const struct driver_parameter *parameter = &finder->kernel->parameters[i];
      struct driver_placed *placed = &finder->placed[i];
      *placed = (struct driver_placed){.bytes = NULL};
      if (parameter->marker == NULL ||
          (parameter->marker->kind != HOST_BUFFER && parameter->marker->kind != HOST_VALUE)) {
         continue;
      }
      if (parameter->marker->kind == HOST_BUFFER) {
         placed->bytes = (const uint8_t *)&finder->addresses[i];
         placed->size = finder->addresses[i] != 0 ? sizeof(uint64_t) : 0;
      } else {
         placed->bytes = parameter->marker_bytes.bytes;
         placed->size = (uint32_t)parameter->marker_bytes.size;
      }
   }
}

static bool add_range(struct agx_program *program, struct agx_uniform_range range)
{
   struct agx_uniform_range *last = program->uniform_count > 0 ? &program->uniforms[program->uniform_count - 1] : NULL;
   if (last != NULL && last->source == range.source && range.source == AGX_UNIFORM_CONSTANTS &&
       last->start + last->size == range.start && last->offset + last->size * 2u == range.offset) {
      last->size = (uint16_t)(last->size + range.size);
      return true;
   }
   if (!ARRAY_RESERVE_ONE(program->uniforms, program->uniform_count)) {
      return false;
   }
   program->uniforms[program->uniform_count++] = range;
   return true;
}

/* Whether the word is the address of the block; then the arguments have their places in it. */
static bool take_block(struct finder *finder, uint64_t address)
{
   if (finder->block_start >= 0) {
      return false;
   }
   memset(finder->block, 0, sizeof(finder->block));
   const size_t size = read_before(finder->replay, address, BLOCK_BYTES, finder->block);
   expect_arguments(finder);
   return driver_block_place(finder->block, size, finder->placed, finder->kernel->facts->parameters) > 0;
}

/* Whether the program uses this uniform as an address to load from, as it does with the block's. */
static bool is_base(const struct finder *finder, unsigned start)
{
   const struct agx_program *program = finder->program;
   struct isa_insn insn;
   for (size_t at = 0; next_instruction(program, &at, &insn);) {
      if (insn.op == ISA_OP_LOAD && insn.src[0].kind == ISA_UNIFORM && (unsigned)insn.src[0].value == start) {
         return true;
      }
   }
   return false;
}

static bool add_constants(struct finder *finder, unsigned start, const uint8_t *bytes, unsigned halves)
{
   struct agx_program *program = finder->program;
   uint8_t *longer = realloc(program->constants, program->constants_size + ADDRESS_HALVES * 2);
   if (longer == NULL) {
      return false;
   }
   const struct agx_uniform_range range = {(uint16_t)start, (uint16_t)halves, AGX_UNIFORM_CONSTANTS,
                                           (uint32_t)program->constants_size};
   program->constants = longer;
   memset(longer + program->constants_size, 0, ADDRESS_HALVES * 2);
   memcpy(longer + program->constants_size, bytes, halves * 2u);
   program->constants_size += halves == ADDRESS_HALVES ? ADDRESS_HALVES * 2 : (halves * 2u + 3) & ~3u;
   return add_range(program, range);
}

/* Whether the address is in the memory that programs lie in: the constants there are the compiler's. */
static bool is_code_memory(const struct finder *finder, uint64_t address)
{
   return address - finder->replay->job->queue.usc_exec_base < CODE_BYTES;
}

/* Says which arguments lie in the memory that a uniform of the driver's own points to. */
static void note_memory(const struct finder *finder, unsigned start, uint64_t address)
{
   uint8_t *memory = calloc(1, BLOCK_BYTES);
   const size_t size = memory != NULL ? read_before(finder->replay, address, BLOCK_BYTES, memory) : 0;
   for (uint32_t i = 0; size > 0 && i < finder->kernel->facts->parameters; i++) {
      const struct driver_parameter *parameter = &finder->kernel->parameters[i];
      struct driver_placed placed = {.bytes = parameter->marker_bytes.bytes,
                                     .size = (uint32_t)parameter->marker_bytes.size};
      if (parameter->marker != NULL && parameter->marker->kind == HOST_BUFFER) {
         placed.bytes = (const uint8_t *)&finder->addresses[i];
         placed.size = finder->addresses[i] != 0 ? sizeof(uint64_t) : 0;
      }
      if (placed.bytes != NULL && placed.size >= 4 && driver_block_place(memory, size, &placed, 1) > 0) {
         note("kernel %s: du%u points to memory of the driver's own, which has argument %.63s at byte %" PRIu32,
              finder->kernel->facts->name, start / 2, parameter->facts->name, placed.offset);
      }
   }
   free(memory);
}

/* Up to 64 bits of the uniforms that one word of the launch loads from that address. */
static bool add_uniform(struct finder *finder, unsigned start, uint64_t from, const uint8_t *bytes, unsigned halves)
{
   uint64_t word = 0;
   memcpy(&word, bytes, halves * 2u);
   if (halves == ADDRESS_HALVES && take_block(finder, word)) {
      finder->block_start = (int)start;
      return add_range(finder->program,
                       (struct agx_uniform_range){(uint16_t)start, ADDRESS_HALVES, AGX_UNIFORM_ARGUMENTS_ADDRESS, 0});
   }
   /* Without arguments there is nothing to find, and what the program loads from is the block all the same. */
   if (halves == ADDRESS_HALVES && finder->block_start < 0 && finder->kernel->facts->parameters == 0 &&
       is_base(finder, start) && read_before(finder->replay, word, BLOCK_BYTES, finder->block) > 0) {
      finder->block_start = (int)start;
      return add_range(finder->program,
                       (struct agx_uniform_range){(uint16_t)start, ADDRESS_HALVES, AGX_UNIFORM_ARGUMENTS_ADDRESS, 0});
   }
   if (!is_code_memory(finder, from)) {
      finder->own++;
      note_memory(finder, start, word);
   }
   return add_constants(finder, start, bytes, halves);
}

static bool add_uniforms(struct finder *finder)
{
   for (uint32_t i = 0; i < finder->launch->uniform_count && i < VGPU_UNIFORM_WORDS; i++) {
      const struct vgpu_uniform_words *words = &finder->launch->uniforms[i];
      uint8_t bytes[2 * 64];
      const size_t size = read_before(finder->replay, words->address, words->halves * 2u, bytes);
      for (unsigned at = 0; at * 2u < size; at += ADDRESS_HALVES) {
         const unsigned left = (unsigned)(size / 2 - at);
         if (!add_uniform(finder, words->start + at, words->address, bytes + at * 2,
                          left < ADDRESS_HALVES ? left : ADDRESS_HALVES)) {
            return false;
         }
      }
   }
   return true;
}

/* ---- Arguments ---- */

/* Places the arguments that are in the block. Those that are not are far behind it for now. */
static void place_arguments(struct finder *finder)
{
   struct agx_program *program = finder->program;
   uint32_t end = 0;
   for (size_t i = 0; i < program->argument_count; i++) {
      struct agx_argument *argument = &program->arguments[i];
      const struct driver_placed *placed = &finder->placed[i];
      if (finder->block_start >= 0 && placed->found) {
         argument->offset = placed->offset;
         end = placed->offset + argument->size > end ? placed->offset + argument->size : end;
      } else {
         argument->offset = 2 * BLOCK_BYTES;
      }
   }
   program->argument_bytes = end;
}

/* Places the arguments that the program does not read from the block behind its end. */
static void place_unread(struct finder *finder)
{
   struct agx_program *program = finder->program;
   for (uint32_t i = 0; i < finder->kernel->facts->parameters; i++) {
      if (finder->block_start < 0 || !finder->placed[i].found) {
         program->argument_bytes = (program->argument_bytes + 7) & ~7u;
         program->arguments[i].offset = program->argument_bytes;
         program->argument_bytes += program->arguments[i].size;
      }
   }
   program->argument_bytes = (program->argument_bytes + 3) & ~3u;
}

/* Whether an argument has the byte of the block. */
static bool is_known(const struct agx_program *program, uint32_t byte)
{
   for (size_t i = 0; i < program->argument_count; i++) {
      if (byte - program->arguments[i].offset < program->arguments[i].size) {
         return true;
      }
   }
   return false;
}

static bool add_own(struct finder *finder, uint32_t offset, uint32_t size)
{
   struct agx_program *program = finder->program;
   struct agx_argument *longer = realloc(program->arguments, (program->argument_count + 2) * sizeof(*longer));
   if (longer == NULL) {
      return false;
   }
   program->arguments = longer;
   struct agx_argument *argument = &longer[program->argument_count++];
   *argument = (struct agx_argument){.kind = AGX_ARGUMENT_VALUE, .offset = offset, .size = size};
   snprintf(argument->name, sizeof(argument->name), "driver_%" PRIu32, offset);
   snprintf(argument->type, sizeof(argument->type), "%s", size == 8 ? "ulong" : "uint");
   program->argument_bytes = offset + size > program->argument_bytes ? offset + size : program->argument_bytes;
   finder->own++;
   return true;
}

/* The bytes of the block that a load reads: those of an immediate index. Returns false if it is no such load. */
static bool loaded(const struct finder *finder, const struct isa_insn *insn, uint32_t *offset, uint32_t *size)
{
   const struct isa_format_info *format = &isa_formats[insn->mod[ISA_MOD_FORMAT] & 15];
   if (insn->op != ISA_OP_LOAD || insn->src[0].kind != ISA_UNIFORM || insn->src[0].value != finder->block_start ||
       insn->src[1].kind != ISA_IMM || insn->src[1].value < 0) {
      return false;
   }
   const uint32_t last =
       insn->mod[ISA_MOD_MASK] != 0 ? 31u - (uint32_t)__builtin_clz((unsigned)insn->mod[ISA_MOD_MASK]) : 0;
   *offset = (uint32_t)insn->src[1].value * format->size << (insn->mod[ISA_MOD_SHIFT] & 3);
   *size = (last + 1) * format->size;
   return *offset + *size <= BLOCK_BYTES;
}

/* Adds an argument for each 4 bytes of the block that the program reads and no argument has. */
static bool add_own_arguments(struct finder *finder)
{
   const struct agx_program *program = finder->program;
   struct isa_insn insn;
   for (size_t at = 0; next_instruction(program, &at, &insn);) {
      uint32_t offset, size;
      if (!loaded(finder, &insn, &offset, &size)) {
         continue;
      }
      for (uint32_t byte = offset & ~3u; byte < offset + size; byte += 4) {
         if (!is_known(program, byte) && !add_own(finder, byte, 4)) {
            return false;
         }
      }
   }
   return true;
}

/* ---- Resources ---- */

/* The registers that the code uses: the launch gives them in groups of eight halves. */
static uint16_t used_registers(const struct isa_set *set, const uint8_t *code, size_t size, uint16_t given)
{
   unsigned used = 1;
   struct isa_insn insn;
   for (size_t at = 0; at < size; at += insn.length) {
      isa_decode(set, code + at, size - at, &insn);
      const unsigned end = insn.row != NULL ? isa_registers_end(&insn) : given;
      used = end > used ? end : used;
   }
   return used < given ? (uint16_t)used : given;
}

static void take_resources(struct finder *finder)
{
   struct agx_program *program = finder->program;
   const struct vgpu_launch_info *launch = finder->launch;
   struct isa_insn insn;
   program->half_registers =
       used_registers(program->set, program->code + program->main_offset, program->main_size, program->half_registers);
   program->preamble_half_registers = used_registers(program->set, program->code + program->preamble_offset,
                                                     program->preamble_size, program->preamble_half_registers);
   program->threadgroup_bytes = finder->kernel->facts->local_bytes != UINT64_MAX
                                    ? (uint32_t)finder->kernel->facts->local_bytes
                                    : launch->threadgroup_bytes;
   memcpy(program->workgroup_size, finder->kernel->facts->group, sizeof(program->workgroup_size));
   program->scratch_bytes = launch->spill_bucket != 0 ? 4u * (8u << (launch->spill_bucket - 1)) : 0;
   for (size_t at = 0; next_instruction(program, &at, &insn);) {
      program->uses_atomics |= insn.op == ISA_OP_ATOMIC;
   }
   for (size_t i = 0; i < program->uniform_count; i++) {
      const unsigned end = program->uniforms[i].start + program->uniforms[i].size;
      program->uniform_halves = end > program->uniform_halves ? (uint16_t)end : program->uniform_halves;
   }
}

/* Copies name and arguments from the interface. */
static bool take_interface(struct finder *finder)
{
   struct agx_program *program = finder->program, *interface = driver_kernel_interface(finder->kernel);
   if (interface == NULL) {
      return false;
   }
   snprintf(program->name, sizeof(program->name), "%s", interface->name);
   program->arguments = interface->arguments;
   program->argument_count = interface->argument_count;
   interface->arguments = NULL;
   interface->argument_count = 0;
   agx_program_destroy(interface);
   return true;
}

bool driver_program_complete(const struct replay *replay, const struct vgpu_launch_info *launch,
                             const struct driver_kernel *kernel, struct agx_program *program, unsigned *own)
{
   const size_t count = (size_t)kernel->facts->parameters + 1;
   struct finder *finder = calloc(1, sizeof(*finder));
   bool good = finder != NULL;
   if (good) {
      finder->replay = replay;
      finder->launch = launch;
      finder->kernel = kernel;
      finder->program = program;
      finder->block_start = -1;
      finder->addresses = calloc(count, sizeof(*finder->addresses));
      finder->placed = calloc(count, sizeof(*finder->placed));
      good = finder->addresses != NULL && finder->placed != NULL && take_interface(finder);
   }
   if (good) {
      find_buffers(finder);
      good = add_uniforms(finder);
   }
   if (good) {
      place_arguments(finder);
      good = add_own_arguments(finder);
   }
   if (good) {
      place_unread(finder);
      take_resources(finder);
      *own = finder->own;
   }
   if (finder != NULL) {
      free(finder->addresses);
      free(finder->placed);
   }
   free(finder);
   return good;
}
