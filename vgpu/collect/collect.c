/* SPDX-License-Identifier: MIT
 *
 * Stores programs. A program is known by its bytes: drivers write others to the same address. Invariant: a file of a
 * program is complete when it has its name, and the counts in the uses' file are those of launches that have ended.
 */
#include "vgpu/collect/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "isa/isa.h"
#include "util/array.h"
#include "util/file.h"
#include "vgpu/timing/chip.h"

#define MOST_CODE (UINT32_C(1) << 22) /* bytes */
#define MOST_FILES 1000u

/* A program that was launched. */
struct entry {
   uint64_t space, code, preamble; /* where it was the last time */
   uint8_t *file;                  /* all of its file */
   size_t size;
   struct collected_use use;
};

struct vgpu_collection {
   char *folder;
   long process; /* which the uses' file is of: a fork's child begins one of its own */
   int uses;     /* file descriptor; -1: none */
   bool failed;
   struct entry *entries;
   size_t count;
};

struct vgpu_collection *vgpu_collection_create(const char *folder)
{
   struct vgpu_collection *collection = calloc(1, sizeof(*collection));
   if (collection) {
      collection->uses = -1;
      collection->folder = strdup(folder);
   }
   if (collection && !collection->folder) {
      free(collection);
      collection = NULL;
   }
   return collection;
}

static void forget(struct vgpu_collection *collection)
{
   for (size_t i = 0; i < collection->count; i++) {
      free(collection->entries[i].file);
   }
   free(collection->entries);
   collection->entries = NULL;
   collection->count = 0;
   if (collection->uses >= 0) {
      close(collection->uses);
   }
   collection->uses = -1;
}

void vgpu_collection_destroy(struct vgpu_collection *collection)
{
   if (collection) {
      forget(collection);
      free(collection->folder);
      free(collection);
   }
}

static void fail(struct vgpu_collection *collection, const char *what, int error)
{
   if (!collection->failed) {
      fprintf(stderr, "agx-vgpu: %s cannot be collected in %s: %s\n", what, collection->folder, strerror(error));
   }
   collection->failed = true;
}

/* ---- Files ---- */

/* The process's name. */
static void read_name(char *name, size_t size)
{
   int fd = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
   const ssize_t length = fd < 0 ? -1 : read(fd, name, size - 1);
   if (fd >= 0) {
      close(fd);
   }
   name[length > 0 ? length - (name[length - 1] == '\n') : 0] = '\0';
   const char *program = getenv("AGX_PROGRAM"); /* ci/mesa-get's run has started it by the dynamic loader */
   if (program && !strncmp(name, "ld-linux", 8)) {
      const char *slash = strrchr(program, '/');
      snprintf(name, size, "%s", slash ? slash + 1 : program);
   }
}

/* A file that no other process and no other device of this process writes. Its name begins with the time, since
 * numbers of processes begin anew. */
static bool open_uses(struct vgpu_collection *collection)
{
   struct timespec now;
   struct collected_uses head = {.magic = COLLECTED_USES_MAGIC};
   const char *driver = getenv("AGX_VGPU_DRIVER");
   char path[4096] = "";
   if (mkdir(collection->folder, 0777) && errno != EEXIST) {
      fail(collection, "programs", errno);
      return false;
   }
   clock_gettime(CLOCK_REALTIME, &now);
   for (unsigned i = 1; i < MOST_FILES && collection->uses < 0; i++) {
      char number[16] = "";
      if (i > 1) {
         snprintf(number, sizeof(number), "-%u", i);
      }
      if (snprintf(path, sizeof(path), "%s/%lld%06ld-%ld%s" COLLECTED_USES_SUFFIX, collection->folder,
                   (long long)now.tv_sec, now.tv_nsec / 1000, collection->process, number) >= (int)sizeof(path)) {
         errno = ENAMETOOLONG;
         break;
      }
      collection->uses = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (collection->uses < 0 && errno != EEXIST) {
         break;
      }
   }
   snprintf(head.driver, sizeof(head.driver), "%s", driver ? driver : "");
   read_name(head.program, sizeof(head.program));
   if (collection->uses < 0 || pwrite(collection->uses, &head, sizeof(head), 0) != sizeof(head)) {
      fail(collection, "programs", errno);
      return false;
   }
   return true;
}

static void store(struct vgpu_collection *collection, const struct entry *entry)
{
   char path[4096], part[4200];
   const int length = snprintf(path, sizeof(path), "%s/%016" PRIx64 "%016" PRIx64 COLLECTED_SUFFIX, collection->folder,
                               entry->use.hash[1], entry->use.hash[0]);
   if (length >= (int)sizeof(path)) {
      fail(collection, "a program", ENAMETOOLONG);
      return;
   }
   if (access(path, F_OK) == 0) {
      return;
   }
   snprintf(part, sizeof(part), "%s.%ld", path, collection->process);
   int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
   int error = fd < 0 ? errno : -util_write_all(fd, entry->file, entry->size);
   if (fd >= 0 && close(fd) && !error) {
      error = errno;
   }
   if (!error && rename(part, path)) {
      error = errno;
   }
   if (error) {
      fail(collection, "a program", error);
      unlink(part);
   }
}

/* ---- Programs ---- */

/* Reads the code from its first byte to its end. *size 0: nothing is mapped there. NULL: out of memory. */
static uint8_t *read_code(const struct vgpu_launch *launch, uint64_t va, uint32_t *size)
{
   uint8_t *bytes = NULL;
   size_t got = 0, room = 0, run;
   uint32_t extent = 0;
   const uint8_t *from;
   while (got < MOST_CODE && (from = vgpu_pages_translate(launch->pages, va + got, VGPU_READ, &run))) {
      run = run < MOST_CODE - got ? run : MOST_CODE - got;
      if (!ARRAY_RESERVE(bytes, room, got + run)) {
         free(bytes);
         return NULL;
      }
      memcpy(bytes + got, from, run);
      got += run;
      extent = isa_code_extent(launch->chip->set, bytes, (uint32_t)got);
      if (extent + 64 < got) {
         break; /* it does not reach the end of what was read */
      }
   }
   *size = extent;
   return bytes ? bytes : malloc(1);
}

static uint16_t uniforms_end(const struct vgpu_launch *launch)
{
   uint32_t end = 0;
   for (uint32_t i = 0; i < launch->uniforms_from_count && i < ARRAY_COUNT(launch->uniforms_from); i++) {
      const uint32_t behind = (uint32_t)launch->uniforms_from[i].start + launch->uniforms_from[i].halves;
      end = behind > end ? behind : end;
   }
   return (uint16_t)end;
}

/* The bytes of the program's file. false: out of memory. */
static bool make_file(const struct vgpu_launch *launch, enum collected_stage stage, struct entry *entry)
{
   struct collected_program head = {.magic = COLLECTED_MAGIC,
                                    .stage = stage,
                                    .half_registers = launch->half_registers,
                                    .preamble_half_registers = launch->preamble ? launch->preamble_half_registers : 0,
                                    .threadgroup_bytes = stage == COLLECTED_COMPUTE ? launch->threadgroup_bytes : 0,
                                    .spill_bucket = launch->spill_bucket,
                                    .uniform_halves = uniforms_end(launch)};
   uint8_t *main = read_code(launch, launch->code, &head.main_size);
   uint8_t *preamble = launch->preamble && main ? read_code(launch, launch->preamble, &head.preamble_size) : NULL;
   for (unsigned i = 0; i < 3 && stage == COLLECTED_COMPUTE; i++) {
      head.group[i] = (uint16_t)launch->group[i];
   }
   entry->size = sizeof(head) + head.main_size + head.preamble_size;
   entry->file = main && (preamble || !launch->preamble) ? malloc(entry->size) : NULL;
   if (entry->file) {
      memcpy(entry->file, &head, sizeof(head));
      memcpy(entry->file + sizeof(head), main, head.main_size);
      memcpy(entry->file + sizeof(head) + head.main_size, preamble ? preamble : main,
             preamble ? head.preamble_size : 0);
      const XXH128_hash_t hash = XXH3_128bits(entry->file, entry->size);
      entry->use.hash[0] = hash.low64;
      entry->use.hash[1] = hash.high64;
   }
   free(main);
   free(preamble);
   return entry->file != NULL;
}

static bool has_main(const struct entry *entry)
{
   struct collected_program head;
   memcpy(&head, entry->file, sizeof(head));
   return head.main_size > 0;
}

/* Whether memory still has the code. */
static bool has_code(const struct vgpu_launch *launch, uint64_t va, const uint8_t *code, uint32_t size)
{
   size_t run;
   for (uint32_t at = 0; at < size; at += (uint32_t)run) {
      const uint8_t *bytes = vgpu_pages_translate(launch->pages, va + at, VGPU_READ, &run);
      if (!bytes) {
         return false;
      }
      run = run < size - at ? run : size - at;
      if (memcmp(bytes, code + at, run) != 0) {
         return false;
      }
   }
   return true;
}

static bool is_same(const struct entry *entry, const struct vgpu_launch *launch, enum collected_stage stage)
{
   struct collected_program head;
   memcpy(&head, entry->file, sizeof(head));
   return head.stage == stage && head.half_registers == launch->half_registers &&
          head.spill_bucket == launch->spill_bucket && head.uniform_halves == uniforms_end(launch) &&
          (stage != COLLECTED_COMPUTE ||
           (head.threadgroup_bytes == launch->threadgroup_bytes && head.group[0] == launch->group[0] &&
            head.group[1] == launch->group[1] && head.group[2] == launch->group[2])) &&
          has_code(launch, launch->code, entry->file + sizeof(head), head.main_size) &&
          has_code(launch, launch->preamble, entry->file + sizeof(head) + head.main_size, head.preamble_size);
}

/* The entry of a program that was there when it was last launched. Drivers launch few at a time: newest first. */
static struct entry *find(struct vgpu_collection *collection, const struct vgpu_launch *launch,
                          enum collected_stage stage)
{
   for (size_t i = collection->count; i-- > 0;) {
      struct entry *entry = &collection->entries[i];
      if (entry->space == launch->space && entry->code == launch->code && entry->preamble == launch->preamble &&
          is_same(entry, launch, stage)) {
         return entry;
      }
   }
   return NULL;
}

/* The entry of the program's bytes, which takes them; a new one is stored. NULL: out of memory. */
static struct entry *add(struct vgpu_collection *collection, const struct vgpu_launch *launch, struct entry *made)
{
   for (size_t i = 0; i < collection->count; i++) {
      struct entry *entry = &collection->entries[i];
      if (memcmp(entry->use.hash, made->use.hash, sizeof(made->use.hash)) == 0) {
         free(made->file);
         entry->space = launch->space;
         entry->code = launch->code;
         entry->preamble = launch->preamble;
         return entry;
      }
   }
   if (!ARRAY_RESERVE_ONE(collection->entries, collection->count)) {
      free(made->file);
      return NULL;
   }
   made->space = launch->space;
   made->code = launch->code;
   made->preamble = launch->preamble;
   collection->entries[collection->count] = *made;
   store(collection, made);
   return &collection->entries[collection->count++];
}

void vgpu_collect(struct vgpu_collection *collection, const struct vgpu_launch *launch, enum collected_stage stage,
                  const struct vgpu_outcome *outcome)
{
   if (collection->process != (long)getpid()) {
      forget(collection);
      collection->process = (long)getpid();
   }
   if (collection->uses < 0 && (collection->failed || !open_uses(collection))) {
      return;
   }
   struct entry *entry = find(collection, launch, stage), made = {.size = 0};
   if (!entry && make_file(launch, stage, &made)) {
      if (!has_main(&made)) {
         free(made.file);
         return; /* nothing is mapped there: the launch has faulted */
      }
      entry = add(collection, launch, &made);
   }
   if (!entry) {
      fail(collection, "a program", ENOMEM);
      return;
   }
   entry->use.launches++;
   if (outcome) {
      entry->use.threads += (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
      entry->use.instructions += outcome->instructions;
      entry->use.cycles += outcome->cycles;
   }
   const off_t at = (off_t)(sizeof(struct collected_uses) + (size_t)(entry - collection->entries) * sizeof(entry->use));
   if (pwrite(collection->uses, &entry->use, sizeof(entry->use), at) != sizeof(entry->use)) {
      fail(collection, "the count of a program", errno);
   }
}
