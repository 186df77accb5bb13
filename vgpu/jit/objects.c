/* SPDX-License-Identifier: MIT
 *
 * Keeps object files of compiled blocks. The key is a hash of the text that LLVM gets, the bitcode that is linked with
 * it, and LLVM. Invariant: a file that is missing, damaged or not to be loaded costs time alone: LLVM compiles.
 */
#include "vgpu/jit/objects.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#define VARIABLE "AGX_RUNNER_CACHE_MIB"

void vgpu_jit_objects_open(struct vgpu_jit_objects *objects)
{
   uint64_t mib;
   (void)util_store_limit(getenv(VARIABLE), VGPU_JIT_OBJECTS_MIB, &mib);
   mib = mib < VGPU_JIT_OBJECTS_MIB ? mib : VGPU_JIT_OBJECTS_MIB;
   objects->kept = util_store_open(&objects->store, "code", "AGXO 1\n", mib << 20);
}

static void identify(struct vgpu_jit_objects *objects, const struct vgpu_llvm *llvm)
{
   char text[1024];
   size_t size;
   const char *bitcode = vgpu_llvm_bitcode(llvm, &size);
   const XXH128_hash_t of_bitcode = XXH3_128bits(bitcode, size);
   vgpu_llvm_describe(llvm, text, sizeof(text));
   const XXH128_hash_t all = XXH3_128bits_withSeed(text, strlen(text), of_bitcode.low64 ^ of_bitcode.high64);
   objects->identity = (struct util_store_key){all.low64 ^ of_bitcode.low64, all.high64 ^ of_bitcode.high64};
   objects->identified = true;
}

static struct util_store_key key_of(struct vgpu_jit_objects *objects, const struct vgpu_llvm *llvm, const char *text,
                                    size_t size)
{
   if (!objects->identified) {
      identify(objects, llvm);
   }
   const XXH128_hash_t hash = XXH3_128bits_withSeed(text, size, objects->identity.low);
   return (struct util_store_key){hash.low64 ^ objects->identity.low, hash.high64 ^ objects->identity.high};
}

bool vgpu_jit_translate(struct vgpu_jit_objects *objects, struct vgpu_llvm *llvm, const char *text, size_t size,
                        const char *name, bool only_kept, struct vgpu_llvm_code *code, char *reason, size_t reason_size)
{
   struct util_store_key key = {0, 0};
   uint8_t *object = NULL;
   size_t object_size;
   char ignored[128];
   if (objects->kept) {
      key = key_of(objects, llvm, text, size);
      const bool loaded = util_store_load(&objects->store, &key, &object, &object_size) &&
                          vgpu_llvm_load(llvm, object, object_size, name, code, ignored, sizeof(ignored));
      free(object);
      if (loaded) {
         objects->loaded++;
         return true;
      }
   }
   if (only_kept || !vgpu_llvm_compile(llvm, text, size, name, &object, &object_size, reason, reason_size)) {
      return false;
   }
   const bool loaded = vgpu_llvm_load(llvm, object, object_size, name, code, reason, reason_size);
   if (loaded) {
      objects->made++;
   }
   if (loaded && objects->kept) {
      (void)util_store_save(&objects->store, &key, object, object_size);
   }
   free(object);
   return loaded;
}
