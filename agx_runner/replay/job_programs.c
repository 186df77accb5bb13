/* SPDX-License-Identifier: MIT
 *
 * Makes programs from the code that a job's launches ran. A launch tells where code begins; it ends where execution
 * cannot continue.
 */
#include "agx_runner/replay/job_programs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/replay/image.h"
#include "agx_runner/terminal/runner.h"
#include "isa/isa.h"
#include "util/array.h"

#define MOST_CODE (UINT64_C(1) << 22) /* bytes */
#define ALIGNMENT 128u                /* of main program and preamble: isa/program.h */

static uint32_t most_code(uint64_t left)
{
   return (uint32_t)(left < MOST_CODE ? left : MOST_CODE);
}

/* Returns the half uniform behind the last one that the code reads. */
static uint16_t uniforms_end(const struct isa_set *set, const uint8_t *code, uint32_t size)
{
   unsigned end = 0;
   struct isa_insn insn;
   for (uint32_t at = 0; at < size; at += insn.length) {
      isa_decode(set, code + at, size - at, &insn);
      for (unsigned i = 0; i < ISA_MAX_SOURCES; i++) {
         const struct isa_operand *source = &insn.src[i];
         const unsigned behind = source->kind == ISA_UNIFORM ? (unsigned)source->value + source->size / 16u : 0;
         end = behind > end ? behind : end;
      }
   }
   return (uint16_t)(end < AGX_UNIFORM_HALVES ? end : AGX_UNIFORM_HALVES);
}

static bool fill(const struct replay *replay, const struct vgpu_launch_info *launch, struct agx_program *program)
{
   uint64_t main_left = 0, preamble_left = 0;
   const uint8_t *main = replay_bytes_at(replay, launch->code, &main_left);
   const uint8_t *preamble = launch->preamble ? replay_bytes_at(replay, launch->preamble, &preamble_left) : NULL;
   program->main_size = main ? isa_code_extent(program->set, main, most_code(main_left)) : 0;
   program->has_preamble = preamble != NULL;
   program->preamble_size = preamble ? isa_code_extent(program->set, preamble, most_code(preamble_left)) : 0;
   program->preamble_offset = preamble ? (program->main_size + ALIGNMENT - 1) & ~(ALIGNMENT - 1) : 0;
   program->code_size = preamble ? program->preamble_offset + program->preamble_size : program->main_size;
   program->code = calloc(1, program->code_size + 1);
   if (!program->code) {
      return false;
   }
   if (main) {
      memcpy(program->code, main, program->main_size);
   }
   if (preamble) {
      memcpy(program->code + program->preamble_offset, preamble, program->preamble_size);
   }
   snprintf(program->name, sizeof(program->name), "0x%" PRIx64, launch->code);
   program->half_registers = (uint16_t)launch->half_registers;
   program->preamble_half_registers = (uint16_t)launch->preamble_half_registers;
   const uint16_t in_main = uniforms_end(program->set, program->code, program->main_size);
   const uint16_t in_preamble =
       uniforms_end(program->set, program->code + program->preamble_offset, program->preamble_size);
   program->uniform_halves = in_main > in_preamble ? in_main : in_preamble;
   program->threadgroup_bytes = launch->threadgroup_bytes;
   if (strcmp(launch->stage, "compute") == 0) {
      memcpy(program->workgroup_size, launch->group, sizeof(program->workgroup_size));
   } else {
      snprintf(program->name, sizeof(program->name), "%s:0x%" PRIx64, launch->stage, launch->code);
      program->threadgroup_bytes = 0; /* the tile */
   }
   return true;
}

/* Returns the program of the launch; NULL: out of memory. */
static struct job_program *find(struct job_programs *programs, const struct vgpu_launch_info *launch)
{
   for (size_t i = 0; i < programs->count; i++) {
      if (programs->list[i].longest.code == launch->code) {
         return &programs->list[i];
      }
   }
   if (!ARRAY_RESERVE_ONE(programs->list, programs->count)) {
      return NULL;
   }
   struct job_program *added = &programs->list[programs->count++];
   *added = (struct job_program){.longest = *launch};
   return added;
}

static bool add(struct job_programs *programs, const struct vgpu_launch_info *launch, uint32_t number)
{
   struct job_program *program = find(programs, launch);
   if (!program) {
      return false;
   }
   if (program->launches == 0 || launch->cycles > program->longest.cycles) {
      program->longest = *launch;
      program->number = number;
   }
   program->launches++;
   program->cycles += launch->cycles;
   programs->launches++;
   programs->cycles += launch->cycles;
   return true;
}

/* Reads the programs of render passes. false: out of memory. */
static bool read_stages(const struct replay *replay, struct job_programs *programs)
{
   struct vgpu_launch_request request = {.index = 0};
   for (uint32_t i = 0; i == 0 || i < request.total; i++) {
      request.index = i | VGPU_LAUNCH_STAGE;
      if (replay->raw.kernel->ioctl(replay->raw.kernel, replay->raw.fd, VGPU_IOCTL_LAUNCH, &request) == -1) {
         return false;
      }
      if (i >= request.total) {
         break;
      }
      if (!ARRAY_RESERVE_ONE(programs->stages, programs->stage_count)) {
         return false;
      }
      struct job_program *added = &programs->stages[programs->stage_count++];
      *added = (struct job_program){.longest = request.launch, .launches = 1, .program = agx_program_create()};
      if (!added->program || !fill(replay, &request.launch, added->program)) {
         return false;
      }
   }
   return true;
}

int job_programs_read(const struct replay *replay, const char *path, struct job_programs *programs)
{
   struct vgpu_launch_request request = {.index = 0};
   *programs = (struct job_programs){.count = 0};
   if (!replay->raw.is_virtual) {
      return complain(EXIT_INVALID,
                      "%s: only virtual devices say what a job launches: name one, as --device virtual:m1", path);
   }
   for (uint32_t i = 0; i == 0 || i < request.total; i++) {
      request.index = i;
      if (replay->raw.kernel->ioctl(replay->raw.kernel, replay->raw.fd, VGPU_IOCTL_LAUNCH, &request) == -1 ||
          (i < request.total && !add(programs, &request.launch, i))) {
         return complain(EXIT_FAILED, "out of memory");
      }
   }
   if (!read_stages(replay, programs)) {
      return complain(EXIT_FAILED, "out of memory");
   }
   if (programs->count + programs->stage_count == 0) {
      return complain(EXIT_FAILED, "%s: the job launches no program%s%s", path, replay->fault[0] != '\0' ? ": " : "",
                      replay->fault);
   }
   if (request.dropped > 0) {
      note("%s: it has %" PRIu64 " more launches than the %" PRIu64 " that are looked at", path, request.dropped,
           programs->launches);
   }
   for (size_t i = 0; i < programs->count; i++) {
      programs->list[i].program = agx_program_create();
      if (!programs->list[i].program || !fill(replay, &programs->list[i].longest, programs->list[i].program)) {
         return complain(EXIT_FAILED, "out of memory");
      }
   }
   return EXIT_OK;
}

void job_programs_finish(struct job_programs *programs)
{
   for (size_t i = 0; i < programs->count; i++) {
      agx_program_destroy(programs->list[i].program);
   }
   for (size_t i = 0; i < programs->stage_count; i++) {
      agx_program_destroy(programs->stages[i].program);
   }
   free(programs->list);
   free(programs->stages);
   *programs = (struct job_programs){.count = 0};
}
