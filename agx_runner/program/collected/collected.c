/* SPDX-License-Identifier: MIT
 *
 * Reads what vgpu/collect has written. Invariant: sizes come from the file and are checked before use; a uses' file
 * that ends within an entry, as that of a killed process may, is read up to there.
 */
#include "agx_runner/program/collected/collected.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/file.h"
#include "util/text.h"

#define ALIGNMENT 128u               /* of main program and preamble: isa/program.h */
#define USES_MOST ((size_t)64 << 20) /* bytes of a uses' file */

bool collected_is_program(const char *path)
{
   return util_has_suffix(path, COLLECTED_SUFFIX);
}

/* ---- Programs ---- */

static const char *check(const struct collected_program *head, const uint8_t *bytes, size_t size)
{
   if (size < sizeof(*head) || memcmp(bytes, COLLECTED_MAGIC, sizeof(COLLECTED_MAGIC)) != 0) {
      return "is no collected program of this version (AGXPRG1)";
   }
   if (head->stage >= COLLECTED_STAGES || head->half_registers > 256 || head->preamble_half_registers > 256 ||
       head->spill_bucket > 15) {
      return "is damaged: a stage, a count of registers or a size of scratch memory that no program has";
   }
   if ((uint64_t)head->main_size + head->preamble_size + sizeof(*head) != size || head->main_size == 0) {
      return "is damaged: its code has not the size that it says";
   }
   return NULL;
}

static bool fill(struct agx_program *program, const struct collected_program *head, const uint8_t *code)
{
   static const char *const stages[] = COLLECTED_STAGE_NAMES;
   const uint32_t aligned = (head->main_size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
   program->main_size = head->main_size;
   program->has_preamble = head->preamble_size > 0;
   program->preamble_size = head->preamble_size;
   program->preamble_offset = head->preamble_size > 0 ? aligned : 0;
   program->code_size = head->preamble_size > 0 ? aligned + head->preamble_size : head->main_size;
   program->code = calloc(1, program->code_size + 1);
   if (program->code == NULL) {
      return false;
   }
   memcpy(program->code, code, head->main_size);
   memcpy(program->code + program->preamble_offset, head->preamble_size > 0 ? code + head->main_size : code,
          head->preamble_size > 0 ? head->preamble_size : head->main_size);
   snprintf(program->name, sizeof(program->name), "%s", stages[head->stage]);
   program->half_registers = head->half_registers > 0 ? head->half_registers : 1;
   program->preamble_half_registers = head->preamble_half_registers;
   program->uniform_halves =
       head->uniform_halves < AGX_UNIFORM_HALVES ? head->uniform_halves : (uint16_t)AGX_UNIFORM_HALVES;
   program->threadgroup_bytes = head->threadgroup_bytes;
   program->scratch_bytes = head->spill_bucket > 0 ? 32u << (head->spill_bucket - 1) : 0;
   for (unsigned i = 0; i < 3; i++) {
      program->workgroup_size[i] = head->group[i];
   }
   return true;
}

struct agx_program *collected_program(const uint8_t *bytes, size_t size, const char **why)
{
   struct collected_program head = {.stage = 0};
   memcpy(&head, bytes, size < sizeof(head) ? size : sizeof(head));
   *why = check(&head, bytes, size);
   struct agx_program *program = *why == NULL ? agx_program_create() : NULL;
   if (program != NULL && fill(program, &head, bytes + sizeof(head))) {
      return program;
   }
   *why = *why != NULL ? *why : "out of memory";
   agx_program_destroy(program);
   return NULL;
}

/* ---- Folders ---- */

static int by_hash(const void *a, const void *b)
{
   const struct collected_entry *left = a, *right = b;
   return strcmp(left->hash, right->hash);
}

/* An entry that is not yet sorted in. */
static struct collected_entry *find_unsorted(const struct collected_folder *folder, const char *hash)
{
   for (size_t i = 0; i < folder->count; i++) {
      if (strcmp(folder->entries[i].hash, hash) == 0) {
         return &folder->entries[i];
      }
   }
   return NULL;
}

static bool add_use(struct collected_folder *folder, const struct collected_uses *head, const struct collected_use *use,
                    size_t number, size_t place)
{
   char hash[33];
   snprintf(hash, sizeof(hash), "%016" PRIx64 "%016" PRIx64, use->hash[1], use->hash[0]);
   struct collected_entry *entry = find_unsorted(folder, hash);
   if (entry == NULL) {
      if (!ARRAY_RESERVE_ONE(folder->entries, folder->count)) {
         return false;
      }
      entry = &folder->entries[folder->count++];
      *entry = (struct collected_entry){.launches = 0};
      memcpy(entry->hash, hash, sizeof(hash));
      snprintf(entry->name, sizeof(entry->name), "%.63s:%zu/%04zu", head->program, number, place);
   }
   entry->launches += use->launches;
   return true;
}

static void add_driver(struct collected_folder *folder, const char *driver)
{
   if (driver[0] != '\0' && strstr(folder->drivers, driver) == NULL) {
      (void)util_append(folder->drivers, sizeof(folder->drivers), "%s%.63s", folder->drivers[0] != '\0' ? ", " : "",
                        driver);
   }
}

/* Adds the process's name. Returns its number among those of that name, from 1 on; 0: out of memory. */
static size_t add_process(struct collected_folder *folder, const char *program)
{
   size_t number = 1;
   for (size_t i = 0; i < folder->processes; i++) {
      number += strcmp(folder->programs[i], program) == 0;
   }
   if (!ARRAY_RESERVE_ONE(folder->programs, folder->processes)) {
      return 0;
   }
   snprintf(folder->programs[folder->processes++], sizeof(*folder->programs), "%.63s", program);
   return number;
}

/* A file of another version, or of a process that was killed before its head was written, counts nothing. */
static bool add_uses(struct collected_folder *folder, const char *path)
{
   struct collected_uses head;
   char *bytes = NULL;
   size_t size = 0;
   FILE *file = fopen(path, "rb");
   bool good = file == NULL || util_read_stream(file, USES_MOST, &bytes, &size) != -ENOMEM;
   if (file != NULL) {
      fclose(file);
   }
   if (bytes != NULL && size >= sizeof(head) &&
       memcmp(bytes, COLLECTED_USES_MAGIC, sizeof(COLLECTED_USES_MAGIC)) == 0) {
      memcpy(&head, bytes, sizeof(head));
      head.driver[sizeof(head.driver) - 1] = head.program[sizeof(head.program) - 1] = '\0';
      add_driver(folder, head.driver);
      const size_t number = add_process(folder, head.program);
      good = number > 0;
      const size_t count = (size - sizeof(head)) / sizeof(struct collected_use);
      for (size_t i = 0; good && i < count; i++) {
         struct collected_use use;
         memcpy(&use, bytes + sizeof(head) + i * sizeof(use), sizeof(use));
         good = add_use(folder, &head, &use, number, i);
      }
   }
   free(bytes);
   return good;
}

static int is_uses(const struct dirent *entry)
{
   return util_has_suffix(entry->d_name, COLLECTED_USES_SUFFIX);
}

bool collected_folder_read(const char *path, struct collected_folder *folder)
{
   struct dirent **entries;
   bool good = true;
   *folder = (struct collected_folder){.count = 0};
   const int count = scandir(path, &entries, is_uses, versionsort);
   for (int i = 0; i < count; i++) {
      char *full = NULL;
      good = good && asprintf(&full, "%s/%s", path, entries[i]->d_name) >= 0 && add_uses(folder, full);
      free(full);
      free(entries[i]);
   }
   if (count >= 0) {
      free(entries);
   }
   if (folder->count > 0) {
      qsort(folder->entries, folder->count, sizeof(*folder->entries), by_hash);
   }
   return good;
}

void collected_folder_finish(struct collected_folder *folder)
{
   free(folder->entries);
   free(folder->programs);
   *folder = (struct collected_folder){.count = 0};
}

const struct collected_entry *collected_find(const struct collected_folder *folder, const char *file)
{
   const char *slash = strrchr(file, '/'), *name = slash != NULL ? slash + 1 : file;
   struct collected_entry key = {.launches = 0};
   const size_t length = strcspn(name, ".");
   if (length >= sizeof(key.hash) || folder->count == 0) {
      return NULL;
   }
   memcpy(key.hash, name, length);
   return bsearch(&key, folder->entries, folder->count, sizeof(key), by_hash);
}

void collected_name(const struct collected_folder *folder, const char *file, const char *stage, char *name, size_t size)
{
   const struct collected_entry *entry = collected_find(folder, file);
   const char *slash = strrchr(file, '/');
   snprintf(name, size, "%s-%s", entry != NULL ? entry->name : slash != NULL ? slash + 1 : file, stage);
}
