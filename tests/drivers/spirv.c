/* SPDX-License-Identifier: MIT
 *
 * The interface of a SPIR-V module (drivers/host/spirv.h): of interface.comp, as glslang compiles it, and of that
 * module cut off or with single words changed, which must do no harm.
 *
 * Usage: spirv interface.spv
 */
#include "drivers/host/spirv.h"

#include <stdlib.h>
#include <string.h>

#include "drivers/host/formats.h"
#include "drivers/host/protocol.h"
#include "tests/check.h"
#include "util/array.h"
#include "util/random.h"

#define MOST_WORDS 65536u
#define CHANGES 20000u
#define RG16I (UINT32_MAX - 1) /* the row is looked up */
#define R32F (UINT32_MAX - 2)

static const struct spirv_binding bindings[] = {
    {.kind = SPIRV_UNIFORM_BUFFER, .read_only = true, .name = "settings", .count = 1},
    {.binding = 1, .kind = SPIRV_STORAGE_BUFFER, .read_only = true, .name = "Inputs", .count = 1},
    {1, 3, SPIRV_SAMPLED_TEXTURE, true, false, 1, HOST_2D, HOST_NO_FORMAT, 'f', "picture"},
    {1, 4, SPIRV_STORAGE_IMAGE, true, true, 3, HOST_2D_ARRAY, RG16I, 'i', "layers"},
    {1, 6, SPIRV_TEXELS, true, false, 1, HOST_TEXELS, HOST_NO_FORMAT, 'u', "texels"},
    {.set = 1, .binding = 7, .kind = SPIRV_SAMPLER, .name = "how", .count = 1},
    {1, 8, SPIRV_TEXTURE, true, false, 1, HOST_CUBE, HOST_NO_FORMAT, 'f', "cube"},
    {1, 9, SPIRV_STORAGE_IMAGE, true, true, 0, HOST_2D, R32F, 'f', "many"},
    {.set = 2, .binding = 5, .kind = SPIRV_STORAGE_BUFFER, .name = "Results", .count = 1},
};

static const struct spirv_spec *find(const struct spirv_interface *interface, uint32_t id)
{
   static const struct spirv_spec none = {.bytes = 0};
   for (uint32_t i = 0; i < interface->spec_count; i++) {
      if (interface->specs[i].id == id) {
         return &interface->specs[i];
      }
   }
   return &none;
}

static void check_bindings(const struct spirv_interface *interface)
{
   CHECK(interface->binding_count == ARRAY_COUNT(bindings), "%u bindings", interface->binding_count);
   for (uint32_t i = 0; i < interface->binding_count && i < ARRAY_COUNT(bindings); i++) {
      const struct spirv_binding *got = &interface->bindings[i], *wanted = &bindings[i];
      CHECK(got->set == wanted->set && got->binding == wanted->binding, "%u.%u", got->set, got->binding);
      CHECK(got->kind == wanted->kind && got->read_only == wanted->read_only, "%u.%u is of kind %u%s", got->set,
            got->binding, got->kind, got->read_only ? ", read only" : "");
      CHECK(got->is_array == wanted->is_array && got->count == wanted->count, "%u.%u has %u", got->set, got->binding,
            got->count);
      const uint32_t format = wanted->format == RG16I  ? host_format_find("rg16i", 5)
                              : wanted->format == R32F ? host_format_find("r32f", 4)
                                                       : wanted->format;
      CHECK(wanted->reads == 0 || (got->shape == wanted->shape && got->reads == wanted->reads && got->format == format),
            "%u.%u has shape %u, format %u, reads '%c'", got->set, got->binding, got->shape, got->format, got->reads);
      CHECK(strcmp(got->name, wanted->name) == 0, "%u.%u is called '%s'", got->set, got->binding, got->name);
   }
}

/* The push constants end behind the member `last`, which GLSL's std430 puts at 16 + 48 + 32 + 8 + 8, and their largest
 * scalar has 8 bytes. */
static void check_module(const uint32_t *words, size_t count)
{
   const struct spirv_given given[] = {{.id = 1, .integer = 16},
                                       {.id = 0, .is_float = true, .number = 0.25},
                                       {.id = 7, .integer = -2},
                                       {.id = 99, .is_bits = true}};
   const uint32_t quarter = 0x3e800000;
   struct spirv_interface interface;
   const char *wrong = spirv_read(words, count, NULL, 0, &interface);

   CHECK(wrong == NULL, "%s", wrong);
   CHECK(strcmp(interface.entry, "main") == 0, "the entry is '%s'", interface.entry);
   CHECK(interface.group[0] == 1 && interface.group[1] == 2 && interface.group[2] == 1, "%u,%u,%u", interface.group[0],
         interface.group[1], interface.group[2]);
   CHECK(interface.push_bytes == 120, "%u bytes of push constants", interface.push_bytes);
   CHECK(interface.capabilities[0] == 1 && interface.capability_count >= 5, "%u capabilities",
         interface.capability_count); /* Shader is 1, and the types' own are more */
   CHECK(interface.spec_count == 4, "%u constants", interface.spec_count);
   CHECK(find(&interface, 0)->is_float && find(&interface, 0)->value == 0x3fc00000, "f");
   CHECK(find(&interface, 2)->bytes == 4 && find(&interface, 2)->value == 1, "b");
   CHECK(find(&interface, 7)->bytes == 2 && find(&interface, 7)->value == 3, "s");
   check_bindings(&interface);

   wrong = spirv_read(words, count, given, ARRAY_COUNT(given), &interface);
   CHECK(wrong == NULL, "%s", wrong);
   CHECK(interface.group[0] == 16, "group %u", interface.group[0]);
   CHECK(find(&interface, 0)->value == quarter, "f is %llx", (unsigned long long)find(&interface, 0)->value);
   CHECK((uint16_t)find(&interface, 7)->value == 0xfffe, "s");
}

int main(int argc, char **argv)
{
   uint32_t *words = calloc(MOST_WORDS, sizeof(*words)), *changed = calloc(MOST_WORDS, sizeof(*words));
   FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
   struct spirv_interface interface;
   struct util_random random = {.state = 37};

   if (words == NULL || changed == NULL || file == NULL) {
      fprintf(stderr, "usage: %s interface.spv\n", argv[0]);
      return 1;
   }
   const size_t count = fread(words, sizeof(*words), MOST_WORDS, file);
   fclose(file);
   check_module(words, count);
   for (size_t length = 0; length < count; length++) {
      /* A copy of that length, so that a tool which checks memory sees what is read behind it. */
      uint32_t *cut = malloc(length * sizeof(*cut) + 1);
      if (cut != NULL) {
         memcpy(cut, words, length * sizeof(*cut));
         (void)spirv_read(cut, length, NULL, 0, &interface);
      }
      free(cut);
   }
   for (unsigned i = 0; i < CHANGES; i++) {
      memcpy(changed, words, count * sizeof(*words));
      changed[util_random_below(&random, (uint32_t)count)] =
          i % 2 == 0 ? util_random_below(&random, 64) : (uint32_t)util_random_next(&random);
      (void)spirv_read(changed, count, NULL, 0, &interface);
   }
   free(words);
   free(changed);
   return check_result();
}
