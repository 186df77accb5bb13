/* SPDX-License-Identifier: MIT
 *
 * Cached programs that stay decoded from launch to launch. Invariant: a launch gets a cached program only if memory
 * holds the very bytes from which it was decoded, and nothing else on which its code depends has changed.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/exec/code.h"
#include "vgpu/launch.h"
#include "vgpu/exec/exec.h"

#define MAX_PROGRAMS 32u
#define MAX_INSTRUCTIONS 16384u /* limit of all programs: about 10 MB; less than vgpu/jit keeps code for */

struct vgpu_kept {
   pthread_mutex_t lock;                        /* protects all following members */
   struct vgpu_program *programs[MAX_PROGRAMS]; /* least recently used first */
   uint32_t count;
   uint32_t instructions; /* of all */
   uint64_t found;
};

static bool block_is_current(const struct vgpu_block *block, const struct vgpu_pages *pages)
{
   uint64_t address = block->address, bad;
   const uint8_t *host = NULL;
   size_t run = 0; /* bytes behind host */
   for (uint32_t i = 0; i < block->length; i++) {
      const struct isa_insn *insn = &block->insns[i];
      uint8_t bytes[ISA_MAX_LENGTH];
      if (run < insn->length) {
         host = vgpu_pages_translate(pages, address, VGPU_READ, &run);
         run = host ? run : 0;
      }
      if (run < insn->length && !vgpu_pages_read(pages, address, bytes, insn->length, &bad)) {
         return false;
      }
      if (memcmp(run < insn->length ? bytes : host, insn->bytes, insn->length) != 0) {
         return false;
      }
      address += insn->length;
      if (run >= insn->length) {
         host += insn->length;
         run -= insn->length;
      } else {
         run = 0;
      }
   }
   return true;
}

/* Whether memory still holds the bytes from which the program was decoded. */
static bool is_current(const struct vgpu_program *program, const struct vgpu_pages *pages)
{
   for (const struct vgpu_code *code = vgpu_program_codes(program); code; code = code->next) {
      for (uint32_t i = 0; i < code->block_count; i++) {
         if (!block_is_current(&code->blocks[i], pages)) {
            return false;
         }
      }
   }
   return true;
}

/* Returns the number of its instructions. 0: it must be decoded again for the next launch, because it jumps through
 * registers, or can reach an instruction that faults. */
static uint32_t lasting(const struct vgpu_program *program)
{
   uint32_t instructions = 0;
   for (const struct vgpu_code *code = vgpu_program_codes(program); code; code = code->next) {
      instructions += code->op_count;
      for (uint32_t i = 0; i < code->block_count; i++) {
         const uint8_t control = code->blocks[i].control;
         if (control == VGPU_CALL_REGISTER || control == VGPU_RETURN || control == VGPU_FAULT) {
            return 0;
         }
      }
   }
   return instructions;
}

struct vgpu_kept *vgpu_kept_create(void)
{
   struct vgpu_kept *kept = calloc(1, sizeof(*kept));
   if (kept && pthread_mutex_init(&kept->lock, NULL)) {
      free(kept);
      return NULL;
   }
   return kept;
}

/* Removes it from the list. */
static struct vgpu_program *remove_at(struct vgpu_kept *kept, uint32_t index)
{
   struct vgpu_program *program = kept->programs[index];
   kept->count--;
   kept->instructions -= lasting(program);
   memmove(&kept->programs[index], &kept->programs[index + 1], (kept->count - index) * sizeof(struct vgpu_program *));
   return program;
}

void vgpu_kept_destroy(struct vgpu_kept *kept)
{
   if (!kept) {
      return;
   }
   while (kept->count > 0) {
      vgpu_program_destroy(remove_at(kept, kept->count - 1));
   }
   pthread_mutex_destroy(&kept->lock);
   free(kept);
}

uint64_t vgpu_kept_found(struct vgpu_kept *kept)
{
   pthread_mutex_lock(&kept->lock);
   const uint64_t found = kept->found;
   pthread_mutex_unlock(&kept->lock);
   return found;
}

/* Removes and returns the newest program with those settings; NULL: there is none. */
static struct vgpu_program *take(struct vgpu_kept *kept, const struct vgpu_program_settings *settings)
{
   struct vgpu_program *program = NULL;
   pthread_mutex_lock(&kept->lock);
   for (uint32_t i = kept->count; i-- > 0 && !program;) {
      if (memcmp(vgpu_program_settings(kept->programs[i]), settings, sizeof(*settings)) == 0) {
         program = remove_at(kept, i);
      }
   }
   pthread_mutex_unlock(&kept->lock);
   return program;
}

struct vgpu_program *vgpu_kept_take(const struct vgpu_launch *launch, bool preamble, const uint16_t *uniforms)
{
   struct vgpu_kept *kept = launch->kept;
   struct vgpu_program_settings settings;
   vgpu_program_settings_of(&settings, launch, preamble);
   struct vgpu_program *program = kept ? take(kept, &settings) : NULL;
   if (program && is_current(program, launch->pages)) {
      vgpu_program_rebind(program, launch, uniforms);
      pthread_mutex_lock(&kept->lock);
      kept->found++;
      pthread_mutex_unlock(&kept->lock);
      return program;
   }
   vgpu_program_destroy(program);
   return vgpu_program_create(launch, &settings, uniforms);
}

void vgpu_kept_give(const struct vgpu_launch *launch, struct vgpu_program *program)
{
   struct vgpu_kept *kept = launch->kept;
   const uint32_t instructions = kept && program ? lasting(program) : 0;
   if (instructions == 0 || instructions > MAX_INSTRUCTIONS) {
      vgpu_program_destroy(program);
      return;
   }
   pthread_mutex_lock(&kept->lock);
   while (kept->count == MAX_PROGRAMS || kept->instructions + instructions > MAX_INSTRUCTIONS) {
      vgpu_program_destroy(remove_at(kept, 0));
   }
   kept->programs[kept->count++] = program;
   kept->instructions += instructions;
   pthread_mutex_unlock(&kept->lock);
}
