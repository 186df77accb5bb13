/* SPDX-License-Identifier: MIT
 *
 * Reads a module's interface in two passes: the first collects what is said of each id, the second makes the interface
 * of it. Invariant: no word past the module's end and no id past its bound is used, whatever the module holds.
 */
#include "drivers/host/spirv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/host/formats.h"
#include "drivers/host/protocol.h"

#define MAGIC 0x07230203u
#define HEADER 5u
#define MOST_IDS (1u << 22)
#define MOST_TYPES 4096u /* that are visited for the size of one: a type may contain itself in a broken module */
#define NO_NUMBER UINT32_MAX

/* The specification's numbers. */
enum {
   OP_NAME = 5,
   OP_ENTRY_POINT = 15,
   OP_EXECUTION_MODE = 16,
   OP_CAPABILITY = 17,
   OP_TYPE_BOOL = 20,
   OP_TYPE_INT = 21,
   OP_TYPE_FLOAT = 22,
   OP_TYPE_VECTOR = 23,
   OP_TYPE_MATRIX = 24,
   OP_TYPE_IMAGE = 25,
   OP_TYPE_SAMPLER = 26,
   OP_TYPE_SAMPLED_IMAGE = 27,
   OP_TYPE_ARRAY = 28,
   OP_TYPE_RUNTIME_ARRAY = 29,
   OP_TYPE_STRUCT = 30,
   OP_TYPE_POINTER = 32,
   OP_CONSTANT = 43,
   OP_SPEC_TRUE = 48,
   OP_SPEC_FALSE = 49,
   OP_SPEC_CONSTANT = 50,
   OP_CONSTANT_COMPOSITE = 44,
   OP_SPEC_COMPOSITE = 51,
   OP_VARIABLE = 59,
   OP_DECORATE = 71,
   OP_MEMBER_DECORATE = 72,
   OP_EXECUTION_MODE_ID = 331,
   MODEL_GL_COMPUTE = 5,
   MODE_LOCAL_SIZE = 17,
   MODE_LOCAL_SIZE_ID = 38,
   DECORATION_SPEC_ID = 1,
   DECORATION_BUFFER_BLOCK = 3,
   DECORATION_ARRAY_STRIDE = 6,
   DECORATION_BUILT_IN = 11,
   DECORATION_NON_WRITABLE = 24,
   DECORATION_BINDING = 33,
   DECORATION_SET = 34,
   DECORATION_MATRIX_STRIDE = 7,
   DECORATION_OFFSET = 35,
   BUILT_IN_WORKGROUP_SIZE = 25,
   CLASS_UNIFORM_CONSTANT = 0,
   CLASS_UNIFORM = 2,
   CLASS_PUSH = 9,
   CLASS_STORAGE = 12,
};

struct id {
   const uint32_t *words; /* the instruction that defines it; NULL: none that counts here */
   uint32_t length;
   const char *name;
   uint32_t set, binding, spec, stride;
   bool buffer_block, read_only, group_size;
};

struct reader {
   const uint32_t *words, *end;
   struct id *ids;
   uint32_t bound;
   struct spirv_interface *interface;
   uint32_t group_ids[3]; /* of LocalSizeId; 0: none */
   uint32_t types_left;   /* of MOST_TYPES */
};

static struct id *id_at(const struct reader *reader, uint32_t id)
{
   return id < reader->bound ? &reader->ids[id] : NULL;
}

static uint32_t op_of(const struct id *id)
{
   return id != NULL && id->words != NULL ? id->words[0] & 0xffff : 0;
}

/* Word `index` of the instruction that defines an id; 0: it is not so long. */
static uint32_t word(const struct id *id, uint32_t index)
{
   return id != NULL && id->words != NULL && index < id->length ? id->words[index] : 0;
}

/* Whether a string ends within the words. */
static bool is_string(const uint32_t *words, uint32_t count)
{
   return memchr(words, '\0', count * sizeof(*words)) != NULL;
}

/* ---- What is said of ids ---- */

static void decorate(struct id *id, const uint32_t *words, uint32_t length)
{
   const uint32_t value = length > 3 ? words[3] : 0;
   switch (words[2]) {
   case DECORATION_SPEC_ID:
      id->spec = value;
      break;
   case DECORATION_BUFFER_BLOCK:
      id->buffer_block = true;
      break;
   case DECORATION_ARRAY_STRIDE:
      id->stride = value;
      break;
   case DECORATION_BUILT_IN:
      id->group_size |= value == BUILT_IN_WORKGROUP_SIZE;
      break;
   case DECORATION_NON_WRITABLE:
      id->read_only = true;
      break;
   case DECORATION_BINDING:
      id->binding = value;
      break;
   case DECORATION_SET:
      id->set = value;
      break;
   }
}

/* The place of the result's id in an instruction that defines one; 0: it defines none that counts here. */
static unsigned result_at(uint32_t op)
{
   if (op >= OP_TYPE_BOOL && op <= OP_TYPE_POINTER) {
      return 1;
   }
   return (op >= OP_CONSTANT && op <= OP_CONSTANT_COMPOSITE) || (op >= OP_SPEC_TRUE && op <= OP_SPEC_COMPOSITE) ||
                  op == OP_VARIABLE
              ? 2
              : 0;
}

static void read_entry(struct reader *reader, const uint32_t *words, uint32_t length)
{
   if (length > 3 && words[1] == MODEL_GL_COMPUTE && reader->interface->entry[0] == '\0' &&
       is_string(words + 3, length - 3)) {
      snprintf(reader->interface->entry, sizeof(reader->interface->entry), "%s", (const char *)(words + 3));
   }
}

static void read_mode(struct reader *reader, const uint32_t *words, uint32_t length)
{
   if (length == 6 && words[2] == MODE_LOCAL_SIZE) {
      memcpy(reader->interface->group, words + 3, sizeof(reader->interface->group));
   } else if (length == 6 && words[2] == MODE_LOCAL_SIZE_ID) {
      memcpy(reader->group_ids, words + 3, sizeof(reader->group_ids));
   }
}

static void read_instruction(struct reader *reader, const uint32_t *words, uint32_t length)
{
   const uint32_t op = words[0] & 0xffff;
   const unsigned at = result_at(op);
   if (op == OP_CAPABILITY && length == 2 && reader->interface->capability_count < SPIRV_CAPABILITIES) {
      reader->interface->capabilities[reader->interface->capability_count++] = words[1];
      return;
   }
   struct id *id = length > 1 ? id_at(reader, words[at > 0 && at < length ? at : 1]) : NULL;
   if (id == NULL) {
      return;
   }
   if (at > 0 && at < length) {
      id->words = words;
      id->length = length;
   } else if (op == OP_NAME && length > 2 && is_string(words + 2, length - 2)) {
      id->name = (const char *)(words + 2);
   } else if (op == OP_DECORATE && length > 2) {
      decorate(id, words, length);
   } else if (op == OP_MEMBER_DECORATE && length > 3) {
      id->read_only |= words[3] == DECORATION_NON_WRITABLE;
   } else if (op == OP_ENTRY_POINT) {
      read_entry(reader, words, length);
   } else if (op == OP_EXECUTION_MODE || op == OP_EXECUTION_MODE_ID) {
      read_mode(reader, words, length);
   }
}

/* ---- Sizes of types ---- */

static uint64_t constant_value(const struct reader *reader, uint32_t id);

/* Returns the value of a decoration of a struct's member (OpMemberDecorate); 0: there is none. */
static uint32_t member_word(const struct reader *reader, uint32_t type, uint32_t member, uint32_t decoration)
{
   for (const uint32_t *at = reader->words; at < reader->end; at += at[0] >> 16) {
      if ((at[0] & 0xffff) == OP_MEMBER_DECORATE && at[0] >> 16 > 4 && at[1] == type && at[2] == member &&
          at[3] == decoration) {
         return at[4];
      }
   }
   return 0;
}

static uint64_t type_bytes(struct reader *reader, uint32_t type, uint32_t matrix_stride)
{
   const struct id *id = id_at(reader, type);
   uint64_t bytes = 0;
   if (reader->types_left == 0) {
      return 0;
   }
   reader->types_left--;
   switch (op_of(id)) {
   case OP_TYPE_INT:
   case OP_TYPE_FLOAT:
      return word(id, 2) / 8;
   case OP_TYPE_VECTOR:
      return type_bytes(reader, word(id, 2), 0) * word(id, 3);
   case OP_TYPE_MATRIX:
      return (uint64_t)matrix_stride * word(id, 3);
   case OP_TYPE_ARRAY:
      return id->stride * constant_value(reader, word(id, 3));
   case OP_TYPE_POINTER:
      return 8;
   case OP_TYPE_STRUCT:
      for (uint32_t i = 2; i < id->length; i++) {
         const uint32_t stride = member_word(reader, type, i - 2, DECORATION_MATRIX_STRIDE);
         const uint64_t end =
             member_word(reader, type, i - 2, DECORATION_OFFSET) + type_bytes(reader, id->words[i], stride);
         bytes = end > bytes ? end : bytes;
      }
      return bytes;
   default:
      return 0;
   }
}

/* The size of the largest scalar in a type: a struct that C has, too, ends at a multiple of it. */
static uint64_t scalar_bytes(struct reader *reader, uint32_t type)
{
   const struct id *id = id_at(reader, type);
   const uint32_t op = op_of(id);
   uint64_t most = 1;
   if (reader->types_left == 0 || id == NULL) {
      return most;
   }
   reader->types_left--;
   if (op == OP_TYPE_INT || op == OP_TYPE_FLOAT) {
      return word(id, 2) / 8;
   }
   for (uint32_t i = 2; op == OP_TYPE_STRUCT && i < id->length; i++) {
      const uint64_t bytes = scalar_bytes(reader, id->words[i]);
      most = bytes > most ? bytes : most;
   }
   return op == OP_TYPE_VECTOR || op == OP_TYPE_MATRIX || op == OP_TYPE_ARRAY ? scalar_bytes(reader, word(id, 2))
          : op == OP_TYPE_POINTER                                             ? 8
                                                                              : most;
}

/* ---- Constants ---- */

static const struct spirv_spec *spec_of(const struct reader *reader, uint32_t number)
{
   for (uint32_t i = 0; i < reader->interface->spec_count; i++) {
      if (reader->interface->specs[i].id == number) {
         return &reader->interface->specs[i];
      }
   }
   return NULL;
}

static uint64_t constant_value(const struct reader *reader, uint32_t number)
{
   const struct id *id = id_at(reader, number);
   const struct spirv_spec *spec = id != NULL && id->spec != NO_NUMBER ? spec_of(reader, id->spec) : NULL;
   return spec != NULL ? spec->value : word(id, 3);
}

static void give(struct spirv_spec *spec, const struct spirv_given *given)
{
   if (given->is_bits) {
      spec->value = given->bits;
   } else if (spec->is_float) {
      const double number = given->is_float ? given->number : (double)given->integer;
      const float single = (float)number;
      if (spec->bytes == 8) {
         memcpy(&spec->value, &number, sizeof(number));
      } else if (spec->bytes == 4) {
         memcpy(&spec->value, &single, sizeof(single));
      } else {
         const _Float16 half = (_Float16)number;
         memcpy(&spec->value, &half, sizeof(half));
      }
   } else {
      spec->value = (uint64_t)(given->is_float ? (int64_t)given->number : given->integer);
   }
}

static const char *read_specs(struct reader *reader, const struct spirv_given *given, size_t count)
{
   struct spirv_interface *interface = reader->interface;
   for (uint32_t i = 0; i < reader->bound; i++) {
      const struct id *id = &reader->ids[i];
      const uint32_t op = op_of(id);
      /* glslang makes a constant of its own of a workgroup's size, with the number of the first one. */
      if (id->spec == NO_NUMBER || op < OP_SPEC_TRUE || op > OP_SPEC_CONSTANT || spec_of(reader, id->spec) != NULL) {
         continue;
      }
      if (interface->spec_count == SPIRV_SPECS) {
         return "it has more than 64 specialization constants";
      }
      struct spirv_spec *spec = &interface->specs[interface->spec_count++];
      const struct id *type = id_at(reader, word(id, 1));
      *spec = (struct spirv_spec){.id = id->spec, .bytes = 4, .value = op == OP_SPEC_TRUE};
      if (op == OP_SPEC_CONSTANT) {
         spec->bytes = word(type, 2) / 8;
         spec->is_float = op_of(type) == OP_TYPE_FLOAT;
         spec->value = word(id, 3) | (uint64_t)word(id, 4) << 32;
      }
      for (size_t k = 0; k < count; k++) {
         if (given[k].id == spec->id) {
            give(spec, &given[k]);
         }
      }
   }
   return NULL;
}

/* Reads the workgroup's size: from the execution mode, from ids, or from the constant of gl_WorkGroupSize. A later one
 * of these replaces an earlier one. */
static void read_group(struct reader *reader)
{
   uint32_t *group = reader->interface->group;
   for (unsigned i = 0; i < 3 && reader->group_ids[0] != 0; i++) {
      group[i] = (uint32_t)constant_value(reader, reader->group_ids[i]);
   }
   for (uint32_t i = 0; i < reader->bound; i++) {
      const struct id *id = &reader->ids[i];
      if (id->group_size && (op_of(id) == OP_SPEC_COMPOSITE || op_of(id) == OP_CONSTANT_COMPOSITE)) {
         for (unsigned k = 0; k < 3; k++) {
            group[k] = (uint32_t)constant_value(reader, word(id, 3 + k));
         }
      }
   }
}

/* ---- Variables ---- */

/* By SPIR-V's Dim and whether it is arrayed. */
static const uint32_t shapes[][2] = {{HOST_1D, HOST_1D_ARRAY},   {HOST_2D, HOST_2D_ARRAY},
                                     {HOST_3D, HOST_SHAPES},     {HOST_CUBE, HOST_CUBE_ARRAY},
                                     {HOST_SHAPES, HOST_SHAPES}, {HOST_TEXELS, HOST_SHAPES}};

/* An image is stored to or loaded from where "Sampled" is 2, else sampled. */
static void read_image(const struct reader *reader, const struct id *type, struct spirv_binding *binding)
{
   const struct id *texel = id_at(reader, word(type, 2));
   const uint32_t dimension = word(type, 3), arrayed = word(type, 5), samples = word(type, 6);
   const bool stored = word(type, 7) == 2;
   binding->shape =
       dimension < sizeof(shapes) / sizeof(shapes[0]) && arrayed < 2 ? shapes[dimension][arrayed] : HOST_SHAPES;
   binding->format = host_format_of_spirv(word(type, 8));
   binding->reads = op_of(texel) == OP_TYPE_FLOAT ? 'f' : word(texel, 3) != 0 ? 'i' : 'u';
   binding->kind = binding->shape == HOST_SHAPES || samples != 0 ? SPIRV_OTHER_BINDING
                   : binding->shape == HOST_TEXELS               ? (stored ? SPIRV_STORAGE_TEXELS : SPIRV_TEXELS)
                   : stored                                      ? SPIRV_STORAGE_IMAGE
                                                                 : SPIRV_TEXTURE;
}

static void read_kind(const struct reader *reader, const struct id *type, uint32_t storage,
                      struct spirv_binding *binding)
{
   binding->format = HOST_NO_FORMAT;
   switch (op_of(type)) {
   case OP_TYPE_STRUCT:
      binding->kind = storage == CLASS_STORAGE || type->buffer_block ? SPIRV_STORAGE_BUFFER : SPIRV_UNIFORM_BUFFER;
      break;
   case OP_TYPE_SAMPLER:
      binding->kind = SPIRV_SAMPLER;
      break;
   case OP_TYPE_IMAGE:
      read_image(reader, type, binding);
      break;
   case OP_TYPE_SAMPLED_IMAGE:
      read_image(reader, id_at(reader, word(type, 2)), binding);
      binding->kind = binding->kind == SPIRV_TEXTURE ? SPIRV_SAMPLED_TEXTURE : binding->kind;
      break;
   default:
      binding->kind = SPIRV_OTHER_BINDING;
   }
}

static bool is_read_only(const struct spirv_binding *binding)
{
   return binding->kind == SPIRV_UNIFORM_BUFFER || binding->kind == SPIRV_TEXTURE || binding->kind == SPIRV_TEXELS ||
          binding->kind == SPIRV_SAMPLED_TEXTURE;
}

static const char *read_variable(struct reader *reader, const struct id *id)
{
   struct spirv_interface *interface = reader->interface;
   const uint32_t storage = word(id, 3);
   const uint32_t pointed = word(id_at(reader, word(id, 1)), 3);
   const struct id *type = id_at(reader, pointed);
   if (storage == CLASS_PUSH) {
      const uint64_t scalar = scalar_bytes(reader, pointed);
      const uint64_t bytes = type_bytes(reader, pointed, 0) + scalar - 1;
      interface->push_bytes = scalar > 0 ? (uint32_t)(bytes / scalar * scalar) : 0;
   }
   if (id->binding == NO_NUMBER || type == NULL ||
       (storage != CLASS_UNIFORM_CONSTANT && storage != CLASS_UNIFORM && storage != CLASS_STORAGE)) {
      return NULL;
   }
   if (interface->binding_count == SPIRV_BINDINGS) {
      return "it has more than 64 bindings";
   }
   struct spirv_binding *binding = &interface->bindings[interface->binding_count++];
   const char *name = id->name != NULL && id->name[0] != '\0' ? id->name : type->name;
   *binding = (struct spirv_binding){.set = id->set != NO_NUMBER ? id->set : 0, .binding = id->binding, .count = 1};
   if (op_of(type) == OP_TYPE_ARRAY) {
      const uint64_t count = constant_value(reader, word(type, 3));
      binding->is_array = true;
      if (count > SPIRV_ELEMENTS) {
         return "an array of it has more than 64 bindings";
      }
      binding->count = (uint32_t)count;
      type = id_at(reader, word(type, 2));
   }
   if (op_of(type) == OP_TYPE_RUNTIME_ARRAY) {
      binding->is_array = true;
      binding->count = 0;
      type = id_at(reader, word(type, 2));
   }
   read_kind(reader, type, storage, binding);
   binding->read_only = is_read_only(binding) || id->read_only || (type != NULL && type->read_only);
   snprintf(binding->name, sizeof(binding->name), "%.*s", (int)sizeof(binding->name) - 1, name != NULL ? name : "");
   return NULL;
}

static int by_place(const void *left, const void *right)
{
   const struct spirv_binding *a = left, *b = right;
   return a->set != b->set ? (a->set > b->set) - (a->set < b->set)
                           : (a->binding > b->binding) - (a->binding < b->binding);
}

/* Joins buffers that a shader has declared several times at one place, as ggml's do to read them as other types. */
static const char *join_bindings(struct spirv_interface *interface)
{
   uint32_t kept = 0;
   for (uint32_t i = 0; i < interface->binding_count; i++) {
      const struct spirv_binding *binding = &interface->bindings[i];
      struct spirv_binding *last = kept > 0 ? &interface->bindings[kept - 1] : NULL;
      if (last == NULL || by_place(last, binding) != 0) {
         interface->bindings[kept++] = *binding;
      } else if (last->kind == binding->kind && last->count == binding->count &&
                 (binding->kind == SPIRV_STORAGE_BUFFER || binding->kind == SPIRV_UNIFORM_BUFFER)) {
         last->read_only &= binding->read_only;
      } else {
         return "two variables have the same binding, and are no buffers";
      }
   }
   interface->binding_count = kept;
   return NULL;
}

static const char *make(struct reader *reader, const struct spirv_given *given, size_t count)
{
   struct spirv_interface *interface = reader->interface;
   const char *wrong = read_specs(reader, given, count);
   for (uint32_t i = 0; wrong == NULL && i < reader->bound; i++) {
      if (op_of(&reader->ids[i]) == OP_VARIABLE) {
         wrong = read_variable(reader, &reader->ids[i]);
      }
   }
   read_group(reader);
   qsort(interface->bindings, interface->binding_count, sizeof(interface->bindings[0]), by_place);
   return wrong != NULL ? wrong : join_bindings(interface);
}

const char *spirv_read(const uint32_t *words, size_t count, const struct spirv_given *given, size_t given_count,
                       struct spirv_interface *interface)
{
   *interface = (struct spirv_interface){.entry = ""};
   if (count < HEADER || words[0] != MAGIC || words[3] > MOST_IDS) {
      return "it is no SPIR-V of this machine's byte order";
   }
   struct reader reader = {.words = words + HEADER,
                           .end = words + count,
                           .bound = words[3],
                           .interface = interface,
                           .types_left = MOST_TYPES};
   for (const uint32_t *at = reader.words; at < reader.end; at += at[0] >> 16) {
      if (at[0] >> 16 == 0 || at[0] >> 16 > (size_t)(reader.end - at)) {
         return "an instruction of it ends past its end";
      }
   }
   reader.ids = calloc((size_t)reader.bound + 1, sizeof(*reader.ids));
   if (reader.ids == NULL) {
      return "out of memory";
   }
   for (uint32_t i = 0; i < reader.bound; i++) {
      reader.ids[i].set = reader.ids[i].binding = reader.ids[i].spec = NO_NUMBER;
   }
   for (const uint32_t *at = reader.words; at < reader.end; at += at[0] >> 16) {
      read_instruction(&reader, at, at[0] >> 16);
   }
   const char *wrong = make(&reader, given, given_count);
   free(reader.ids);
   return wrong;
}
