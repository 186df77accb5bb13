/* SPDX-License-Identifier: MIT
 *
 * The code that compiles: this program and what it has loaded. Invariant: what is not known to leave the result
 * unchanged changes the key.
 */
#include "compiler/cache/cache.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

/* The build ID of a loaded object; 0: it has none. */
static size_t find_build_id(const struct dl_phdr_info *info, const uint8_t **id)
{
   for (size_t i = 0; i < info->dlpi_phnum; i++) {
      const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
      const uint8_t *at = (const uint8_t *)info->dlpi_addr + segment->p_vaddr;
      size_t left = segment->p_memsz;

      while (segment->p_type == PT_NOTE && left >= sizeof(ElfW(Nhdr))) {
         ElfW(Nhdr) note;
         memcpy(&note, at, sizeof(note));
         const size_t name = (note.n_namesz + (size_t)3) & ~(size_t)3, data = (note.n_descsz + (size_t)3) & ~(size_t)3;
         const size_t size = sizeof(note) + name + data;

         if (size > left) {
            break;
         }
         if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(at + sizeof(note), "GNU", 4)) {
            *id = at + sizeof(note) + name;
            return note.n_descsz;
         }
         at += size;
         left -= size;
      }
   }
   return 0;
}

/* Identifies a file by its path, size and modification time. */
static void add_file(XXH3_state_t *state, const char *path)
{
   struct stat file;

   if (stat(path, &file) == 0) {
      const int64_t facts[] = {file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec};
      XXH3_128bits_update(state, facts, sizeof(facts));
   }
   XXH3_128bits_update(state, path, strlen(path) + 1);
}

static int add_object(struct dl_phdr_info *info, size_t size, void *state)
{
   const uint8_t *id;
   const size_t bytes = find_build_id(info, &id);

   (void)size;
   if (bytes != 0) {
      XXH3_128bits_update(state, id, bytes);
   } else {
      add_file(state, info->dlpi_name[0] != '\0' ? info->dlpi_name : "/proc/self/exe");
   }
   return 0;
}

struct util_store_key compiler_cache_identity(void)
{
   static struct util_store_key identity;
   static bool known;
   XXH3_state_t *state = known ? NULL : XXH3_createState();

   if (state != NULL) {
      XXH3_128bits_reset(state);
      dl_iterate_phdr(add_object, state);
      add_file(state, COMPILER_LIBCLC_DIR "/spirv64-mesa3d-.spv"); /* up to LLVM 21, and in Debian's 22 */
      add_file(state, COMPILER_LIBCLC_DIR "/spirv64-unknown-unknown/libclc.spv"); /* since LLVM 22 */
      const XXH128_hash_t hash = XXH3_128bits_digest(state);
      identity = (struct util_store_key){hash.low64, hash.high64};
      known = true;
      XXH3_freeState(state);
   }
   return identity;
}
