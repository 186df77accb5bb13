/* SPDX-License-Identifier: MIT
 *
 * A Vulkan compute host that is told what to do: script FILE. Each line of FILE is a command, its numbers decimal and
 * its words hexadecimal. The answers go to standard output. An error of Vulkan or of the file ends the program with its
 * line; what was printed before stays valid.
 *
 *    test NAME                      frees all; prints `test NAME`
 *    storage|uniform BINDING BYTES  a buffer of zeros
 *    image BINDING FORMAT W H       a storage image; FORMAT: rgba8, rgba32f, r32ui or r32i
 *    put BINDING OFFSET WORD...     writes to a buffer at a byte offset, or to an image at a texel's index (one word
 * each) push WORD...                   push constants, from the first byte on pointer BINDING                appends a
 * buffer's address to the push constants dispatch SPIRV X Y Z           threadgroups get BINDING OFFSET COUNT prints
 * words
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/driver/vulkan.h"

#define BINDINGS 32
#define PUSH_WORDS 32

struct script {
   struct vulkan vulkan;
   struct vulkan_buffer buffers[BINDINGS];
   struct vulkan_image images[BINDINGS];
   struct vulkan_binding bindings[BINDINGS];
   uint32_t push[PUSH_WORDS], push_count;
   unsigned line;
};

static const struct {
   const char *name;
   VkFormat format;
   uint32_t words; /* of a texel */
} formats[] = {{"rgba8", VK_FORMAT_R8G8B8A8_UNORM, 1},
               {"rgba32f", VK_FORMAT_R32G32B32A32_SFLOAT, 4},
               {"r32ui", VK_FORMAT_R32_UINT, 1},
               {"r32i", VK_FORMAT_R32_SINT, 1}};

__attribute__((noreturn)) static void refuse(const struct script *script, const char *why)
{
   fflush(stdout);
   fprintf(stderr, "script: line %u: %s\n", script->line, why);
   exit(79);
}

static uint64_t number(const struct script *script, int base)
{
   char *end, *word = strtok(NULL, " \n");
   const uint64_t value = word ? strtoull(word, &end, base) : 0;
   if (!word || *end) {
      refuse(script, "a number was expected");
   }
   return value;
}

static uint32_t binding_number(const struct script *script)
{
   const uint64_t binding = number(script, 10);
   if (binding >= BINDINGS) {
      refuse(script, "no such binding");
   }
   return (uint32_t)binding;
}

static void clear(struct script *script)
{
   for (uint32_t i = 0; i < BINDINGS; i++) {
      if (script->buffers[i].map) {
         vulkan_buffer_destroy(&script->vulkan, &script->buffers[i]);
      }
      if (script->images[i].map) {
         vulkan_image_destroy(&script->vulkan, &script->images[i]);
         script->images[i] = (struct vulkan_image){0};
      }
      script->bindings[i] = (struct vulkan_binding){0};
   }
   vulkan_reset(&script->vulkan);
   script->push_count = 0;
}

static void add_buffer(struct script *script, VkDescriptorType type)
{
   const uint32_t binding = binding_number(script);
   const uint64_t bytes = number(script, 10);
   if (bytes == 0 || bytes > UINT32_MAX || script->bindings[binding].type || script->images[binding].map) {
      refuse(script, "no such size, or the binding is taken");
   }
   script->buffers[binding] = vulkan_buffer_create(&script->vulkan, bytes);
   script->bindings[binding] = (struct vulkan_binding){.type = type, .buffer = &script->buffers[binding]};
}

static void add_image(struct script *script)
{
   const uint32_t binding = binding_number(script);
   const char *name = strtok(NULL, " \n");
   const uint64_t width = number(script, 10), height = number(script, 10);
   if (width == 0 || height == 0 || width > 4096 || height > 4096 || script->bindings[binding].type) {
      refuse(script, "no such size, or the binding is taken");
   }
   for (size_t i = 0; name && i < sizeof(formats) / sizeof(formats[0]); i++) {
      if (!strcmp(name, formats[i].name)) {
         script->images[binding] = vulkan_image_create(&script->vulkan, formats[i].format, (uint32_t)width,
                                                       (uint32_t)height, VK_IMAGE_TILING_LINEAR);
         script->bindings[binding] =
             (struct vulkan_binding){.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .view = script->images[binding].view};
         VkCommandBuffer commands = vulkan_begin(&script->vulkan);
         vulkan_image_general(commands, &script->images[binding]);
         VK(vulkan_end(&script->vulkan, commands));
         return;
      }
   }
   refuse(script, "no such format");
}

/* Where word `index` of a buffer or image lies. */
static uint32_t *word_at(struct script *script, uint32_t binding, uint64_t index)
{
   const struct vulkan_image *image = &script->images[binding];
   if (script->buffers[binding].map) {
      if (index >= script->buffers[binding].size / 4) {
         refuse(script, "past the end of the buffer");
      }
      return (uint32_t *)script->buffers[binding].map + index;
   }
   if (!image->map) {
      refuse(script, "nothing is at this binding");
   }
   uint64_t words = 1;
   for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
      words = formats[i].format == image->format ? formats[i].words : words;
   }
   const uint64_t texel = index / words;
   if (texel >= (uint64_t)image->width * image->height) {
      refuse(script, "past the end of the image");
   }
   return (uint32_t *)((char *)image->map + texel / image->width * image->pitch) + texel % image->width * words +
          index % words;
}

static void put(struct script *script)
{
   const uint32_t binding = binding_number(script);
   uint64_t index = number(script, 10) / (script->buffers[binding].map ? 4 : 1);
   for (char *word = strtok(NULL, " \n"); word; word = strtok(NULL, " \n")) {
      *word_at(script, binding, index++) = (uint32_t)strtoul(word, NULL, 16);
   }
}

static void get(struct script *script)
{
   const uint32_t binding = binding_number(script);
   const uint64_t index = number(script, 10) / (script->buffers[binding].map ? 4 : 1), count = number(script, 10);
   for (uint64_t i = 0; i < count; i++) {
      printf("%s%08" PRIx32, i ? " " : "", *word_at(script, binding, index + i));
   }
   printf("\n");
   fflush(stdout);
}

static void push(struct script *script, uint32_t word)
{
   if (script->push_count == PUSH_WORDS) {
      refuse(script, "too many push constants");
   }
   script->push[script->push_count++] = word;
}

static void push_pointer(struct script *script)
{
   const uint32_t binding = binding_number(script);
   if (!script->buffers[binding].map || !script->vulkan.pointers) {
      refuse(script, "no buffer at this binding, or a device without pointers");
   }
   const uint64_t address = vulkan_buffer_address(&script->vulkan, &script->buffers[binding]);
   script->push_count += script->push_count & 1;
   push(script, (uint32_t)address);
   push(script, (uint32_t)(address >> 32));
}

static void dispatch(struct script *script)
{
   struct vulkan_dispatch what = {.shader = strtok(NULL, " \n"),
                                  .bindings = script->bindings,
                                  .binding_count = BINDINGS,
                                  .push = script->push,
                                  .push_size = script->push_count * 4};
   if (!what.shader) {
      refuse(script, "a file was expected");
   }
   for (unsigned i = 0; i < 3; i++) {
      what.groups[i] = (uint32_t)number(script, 10);
   }
   vulkan_run(&script->vulkan, &what);
}

static void execute(struct script *script, char *line)
{
   const char *command = strtok(line, " \n");
   if (!command) {
      return;
   }
   if (!strcmp(command, "test")) {
      clear(script);
      printf("test %s", line + sizeof("test"));
   } else if (!strcmp(command, "storage")) {
      add_buffer(script, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
   } else if (!strcmp(command, "uniform")) {
      add_buffer(script, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
   } else if (!strcmp(command, "image")) {
      add_image(script);
   } else if (!strcmp(command, "put")) {
      put(script);
   } else if (!strcmp(command, "get")) {
      get(script);
   } else if (!strcmp(command, "push")) {
      for (char *word = strtok(NULL, " \n"); word; word = strtok(NULL, " \n")) {
         push(script, (uint32_t)strtoul(word, NULL, 16));
      }
   } else if (!strcmp(command, "pointer")) {
      push_pointer(script);
   } else if (!strcmp(command, "dispatch")) {
      dispatch(script);
   } else {
      refuse(script, "no such command");
   }
}

int main(int argc, char **argv)
{
   static struct script script;
   FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
   char *line = NULL;
   size_t size = 0;
   if (!file) {
      fprintf(stderr, "usage: script FILE\n");
      return 79;
   }
   vulkan_open(&script.vulkan);
   while (getline(&line, &size, file) > 0) {
      script.line++;
      execute(&script, line);
   }
   clear(&script);
   vulkan_close(&script.vulkan);
   free(line);
   fclose(file);
   return 0;
}
