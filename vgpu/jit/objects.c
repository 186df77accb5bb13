/* SPDX-License-Identifier: MIT
 *
 * Keeps object files of compiled blocks. A file's key has a hash of the function's name and one of the block's key;
 * each is combined with one of the bitcode, of LLVM, and of the sources that write the text for LLVM. So a list of the
 * files says which functions have one. The run times of blocks without code are one file for each level's bitcode.
 * Invariant: a file that is missing, damaged or not to be loaded costs time alone: LLVM compiles.
 */
#include "vgpu/jit/objects.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "util/array.h"
#include "vgpu/jit/identity.h"

#define VARIABLE "AGX_RUNNER_CACHE_MIB"

void vgpu_jit_objects_open(struct vgpu_jit_objects *objects)
{
   uint64_t mib;
   (void)util_store_limit(getenv(VARIABLE), VGPU_JIT_OBJECTS_MIB, &mib);
   mib = mib < VGPU_JIT_OBJECTS_MIB ? mib : VGPU_JIT_OBJECTS_MIB;
   objects->kept = util_store_open(&objects->store, "code", "AGXO 3\n", mib << 20);
}

void vgpu_jit_objects_finish(struct vgpu_jit_objects *objects)
{
   free(objects->names);
   objects->names = NULL;
   util_tally_finish(&objects->times);
}

struct names {
   uint64_t *all;
   size_t count, room;
};

static bool take_name(void *data, const struct util_store_key *key)
{
   struct names *names = data;
   if (!ARRAY_RESERVE(names->all, names->room, names->count + 1)) {
      return false;
   }
   names->all[names->count++] = key->low;
   return true;
}

static int compare_names(const void *a, const void *b)
{
   const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
   return (one > other) - (one < other);
}

static void read_names(struct vgpu_jit_objects *objects)
{
   struct names names = {.all = NULL};
   util_store_list(&objects->store, take_name, &names);
   if (names.count > 0) {
      qsort(names.all, names.count, sizeof(*names.all), compare_names);
   }
   objects->names = names.all;
   objects->count = names.count;
}

/* Also the key of the file that names LLVM's, so that it need not be opened to be found. */
static struct util_store_key hash_bitcode(struct vgpu_jit_objects *objects, const struct vgpu_llvm *llvm)
{
   if (objects->bitcode.low == 0 && objects->bitcode.high == 0) {
      size_t size;
      const char *bitcode = vgpu_llvm_bitcode(llvm, &size);
      const XXH128_hash_t hash =
          XXH3_128bits_withSeed(bitcode, size, XXH3_64bits(VGPU_JIT_SOURCES, strlen(VGPU_JIT_SOURCES)));
      objects->bitcode = (struct util_store_key){.low = hash.low64, .high = hash.high64};
   }
   return objects->bitcode;
}

static struct util_store_key key_of_times(struct vgpu_jit_objects *objects, const struct vgpu_llvm *llvm)
{
   const struct util_store_key key = hash_bitcode(objects, llvm);
   return (struct util_store_key){.low = ~key.low, .high = key.high};
}

uint64_t vgpu_jit_objects_earlier(struct vgpu_jit_objects *objects, const struct vgpu_llvm *llvm, uint64_t code)
{
   if (objects->kept && !objects->read_times) {
      const struct util_store_key key = key_of_times(objects, llvm);
      util_tally_load(&objects->times, &objects->store, &key);
      objects->read_times = true;
   }
   return util_tally_sum(&objects->times, code);
}

bool vgpu_jit_objects_add_times(struct vgpu_jit_objects *objects, const struct vgpu_llvm *llvm,
                                struct util_tally_row *rows, size_t count)
{
   if (!objects->kept) {
      return false;
   }
   const struct util_store_key key = key_of_times(objects, llvm);
   return util_tally_add(&objects->store, &key, rows, count);
}

/* Reads what the keys depend on beside the block, and which files there are. LLVM is the one that is open, else the one
 * that an earlier process had. false: neither is known, and so there are no files. */
static bool identify(struct vgpu_jit_objects *objects, const struct vgpu_llvm *llvm)
{
   const char *opened = vgpu_llvm_file(llvm);
   if (objects->identified && (!*opened || !strcmp(opened, objects->file))) {
      return true;
   }
   if (objects->unknown && !*opened) {
      return false;
   }
   const struct util_store_key key = hash_bitcode(objects, llvm);
   uint8_t *kept = NULL;
   size_t size = 0;
   if (*opened) {
      size = strlen(opened);
      snprintf(objects->file, sizeof(objects->file), "%s", opened);
      (void)util_store_save(&objects->store, &key, opened, size);
   } else if (util_store_load(&objects->store, &key, &kept, &size)) {
      snprintf(objects->file, sizeof(objects->file), "%.*s", (int)size, (const char *)kept);
   }
   free(kept);
   objects->unknown = size == 0 || size >= sizeof(objects->file);
   if (objects->unknown) {
      return false;
   }
   char text[1024];
   vgpu_llvm_describe(llvm, objects->file, text, sizeof(text));
   const XXH128_hash_t all = XXH3_128bits_withSeed(text, strlen(text), key.low ^ key.high);
   objects->identity = (struct util_store_key){all.low64 ^ key.low, all.high64 ^ key.high};
   objects->identified = true;
   free(objects->names);
   read_names(objects);
   return true;
}

static uint64_t hash_name(const struct vgpu_jit_objects *objects, const char *name)
{
   return XXH3_64bits(name, strlen(name)) ^ objects->identity.low;
}

bool vgpu_jit_objects_have(struct vgpu_jit_objects *objects, const struct vgpu_llvm *llvm, const char *name)
{
   if (!objects->kept || !identify(objects, llvm)) {
      return false;
   }
   const uint64_t hash = hash_name(objects, name);
   return objects->count > 0 && bsearch(&hash, objects->names, objects->count, sizeof(hash), compare_names);
}

static struct util_store_key key_of(const struct vgpu_jit_objects *objects, const uint8_t *block, size_t size,
                                    const char *name)
{
   const uint64_t hash = XXH3_64bits_withSeed(block, size, objects->identity.low);
   return (struct util_store_key){.low = hash_name(objects, name), .high = hash ^ objects->identity.high};
}

bool vgpu_jit_objects_load(struct vgpu_jit_objects *objects, struct vgpu_llvm *llvm, const uint8_t *block,
                           size_t block_size, const char *name, struct vgpu_llvm_code *code)
{
   uint8_t *object = NULL;
   size_t object_size;
   char ignored[128];
   if (!objects->kept || !identify(objects, llvm)) {
      return false;
   }
   const struct util_store_key key = key_of(objects, block, block_size, name);
   const bool loaded = util_store_load(&objects->store, &key, &object, &object_size) &&
                       vgpu_llvm_load(llvm, object, object_size, name, code, ignored, sizeof(ignored));
   free(object);
   objects->loaded += loaded;
   return loaded;
}

bool vgpu_jit_objects_make(struct vgpu_jit_objects *objects, struct vgpu_llvm *llvm, const uint8_t *block,
                           size_t block_size, const char *text, size_t size, const char *name,
                           struct vgpu_llvm_code *code, char *reason, size_t reason_size)
{
   uint8_t *object = NULL;
   size_t object_size;
   if (!vgpu_llvm_compile(llvm, text, size, name, &object, &object_size, reason, reason_size)) {
      return false;
   }
   const bool made = vgpu_llvm_load(llvm, object, object_size, name, code, reason, reason_size);
   objects->made += made;
   if (made && objects->kept && identify(objects, llvm)) {
      const struct util_store_key key = key_of(objects, block, block_size, name);
      (void)util_store_save(&objects->store, &key, object, object_size);
   }
   free(object);
   return made;
}
