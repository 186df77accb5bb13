/* SPDX-License-Identifier: MIT
 *
 * Reads --image and --sampler. An image's contents are elements, as a buffer's are: the components of its texels, row
 * by row; a packed format has one element a texel.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/launch/exec.h"
#include "agx_runner/terminal/runner.h"
#include "drivers/host/formats.h"
#include "util/array.h"

#define SIZE_MOST 65536u

/* "64", "64,64" or "8,8,4". */
static bool parse_sizes(const char *open, const char *close, struct host_image *image)
{
   const char *at = open + 1;
   image->size[0] = image->size[1] = image->size[2] = 1;
   for (image->dimensions = 0; at <= close; image->dimensions++) {
      const size_t length = strcspn(at, ",]");
      char digits[16];
      uint64_t size;
      snprintf(digits, sizeof(digits), "%.*s", (int)(length < sizeof(digits) ? length : sizeof(digits) - 1), at);
      if (image->dimensions == 3 || !number_parse(digits, 1, SIZE_MOST, &size)) {
         return false;
      }
      image->size[image->dimensions] = (uint32_t)size;
      at += length + 1;
   }
   return true;
}

int exec_take_image(struct exec *exec, const char *text)
{
   size_t index;
   const char *rest;
   int code = exec_take(exec, AGX_ARGUMENT_IMAGE, text, &index, &rest);
   if (code != EXIT_OK) {
      return code;
   }
   struct exec_argument *argument = &exec->arguments[index];
   const size_t name = strcspn(rest, "[");
   const char *open = rest + name, *close = strchr(open, ']');
   argument->image.format = host_format_find(rest, name);
   if (argument->image.format == HOST_NO_FORMAT) {
      return complain(EXIT_INVALID,
                      "--image %s: '%.*s' is no format: GLSL's names, as rgba8, r32f, rg16ui, rgba8_snorm, "
                      "r11f_g11f_b10f, and srgba8, bgra8, rgb9_e5",
                      text, (int)name, rest);
   }
   if (*open != '[' || close == NULL || (close[1] != '\0' && close[1] != ':') ||
       !parse_sizes(open, close, &argument->image)) {
      return complain(EXIT_INVALID,
                      "--image %s: expected N=FORMAT[WIDTH,HEIGHT]:INIT, as in 0=rgba8[64,64]:iota, with one to three "
                      "sizes up to %u",
                      text, SIZE_MOST);
   }
   const struct host_format *format = host_format(argument->image.format);
   const uint32_t *size = argument->image.size;
   argument->type = element_find(format->element, strlen(format->element));
   argument->count = (size_t)size[0] * size[1] * size[2] * format->elements;
   code = exec_allocate(exec, index, "image", text);
   return code != EXIT_OK ? code
                          : exec_fill("image", text, argument->type, argument->count, close[1] == ':' ? close + 2 : "0",
                                      exec->seed + index, argument->initial);
}

static bool take_word(struct host_sampler *sampler, const char *word, size_t length)
{
   static const struct {
      const char *word;
      size_t place;
      uint32_t value;
   } words[] = {
       {"nearest", offsetof(struct host_sampler, linear), 0},
       {"linear", offsetof(struct host_sampler, linear), 1},
       {"clamp", offsetof(struct host_sampler, addressing), HOST_CLAMP},
       {"repeat", offsetof(struct host_sampler, addressing), HOST_REPEAT},
       {"mirror", offsetof(struct host_sampler, addressing), HOST_MIRROR},
       {"border", offsetof(struct host_sampler, addressing), HOST_BORDER},
       {"normalized", offsetof(struct host_sampler, unnormalized), 0},
       {"unnormalized", offsetof(struct host_sampler, unnormalized), 1},
   };
   for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
      if (strlen(words[i].word) == length && strncmp(words[i].word, word, length) == 0) {
         memcpy((uint8_t *)sampler + words[i].place, &words[i].value, sizeof(words[i].value));
         return true;
      }
   }
   return false;
}

int exec_take_sampler(struct exec *exec, const char *text)
{
   size_t index;
   const char *rest;
   const int code = exec_take(exec, AGX_ARGUMENT_SAMPLER, text, &index, &rest);
   if (code != EXIT_OK) {
      return code;
   }
   struct exec_argument *argument = &exec->arguments[index];
   if (argument->has_sampler) {
      return complain(EXIT_INVALID, "--sampler %s: the sampler of argument %zu was given before", text, index);
   }
   argument->has_sampler = true;
   for (const char *at = rest; at != NULL;) {
      const size_t length = strcspn(at, ",");
      if (!take_word(&argument->sampler, at, length)) {
         return complain(EXIT_INVALID,
                         "--sampler %s: '%.*s' is none of nearest, linear; clamp, repeat, mirror, border; normalized, "
                         "unnormalized",
                         text, (int)length, at);
      }
      at = at[length] == ',' ? at + length + 1 : NULL;
   }
   return EXIT_OK;
}

void exec_shape(const struct exec *exec, size_t index, char text[EXEC_SHAPE])
{
   const struct exec_argument *argument = &exec->arguments[index];
   const uint32_t *size = argument->image.size;
   const char *name = argument->type->name;
   if (exec->program->arguments[index].kind != AGX_ARGUMENT_IMAGE) {
      snprintf(text, EXEC_SHAPE, "%s[%zu]", name, argument->count);
      return;
   }
   name = host_format(argument->image.format)->name;
   switch (argument->image.dimensions) {
   case 1:
      snprintf(text, EXEC_SHAPE, "%s[%u]", name, size[0]);
      break;
   case 2:
      snprintf(text, EXEC_SHAPE, "%s[%u,%u]", name, size[0], size[1]);
      break;
   default:
      snprintf(text, EXEC_SHAPE, "%s[%u,%u,%u]", name, size[0], size[1], size[2]);
   }
}
