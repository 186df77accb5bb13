/* SPDX-License-Identifier: MIT
 *
 * Recognizes kinds of files by their first bytes, by the ending of their name, and by words that no kernel in OpenCL C
 * contains. Invariant: a file that might be OpenCL C is not refused here.
 */
#include "compiler/refusal/file_kind.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "util/array.h"
#include "util/text.h"

#define SPIRV_MAGIC 0x07230203u
#define SPIRV_MAGIC_SWAPPED 0x03022307u

#define EXPECTED "OpenCL C, SPIR-V of OpenCL kernels, and AGX assembly in files called .agx"

/* The first bytes of binary files. */
static const struct {
   const char *bytes;
   size_t size;
   enum refusal_who who;
   const char *name;
} magics[] = {
    {"\x7f"
     "ELF",
     4, REFUSAL_FILE, "an ELF file (a program or library of this machine)"},
    {"BC\xc0\xde", 4, REFUSAL_RUNNER, "LLVM bitcode"},
    {"\xde\xc0\x17\x0b", 4, REFUSAL_RUNNER, "LLVM bitcode"},
    {"MTLB", 4, REFUSAL_RUNNER, "a Metal library"},
    {"\xcf\xfa\xed\xfe", 4, REFUSAL_FILE, "a Mach-O file (a program or library of macOS)"},
    {"!<arch>\n", 8, REFUSAL_FILE, "an archive of object files"},
    {"\x1f\x8b", 2, REFUSAL_FILE, "a compressed file (gzip)"},
    {"PK\x03\x04", 4, REFUSAL_FILE, "a compressed file (zip)"},
    {"\xff\xfe", 2, REFUSAL_FILE, "text in UTF-16, where UTF-8 is expected"},
    {"\xfe\xff", 2, REFUSAL_FILE, "text in UTF-16, where UTF-8 is expected"},
    {"AGXJOB", 6, REFUSAL_FILE, "a saved job"},
};

/* How other languages begin, after comments and white space. */
static const struct {
   const char *start;
   enum refusal_who who;
   const char *name;
} texts[] = {
    {"#version", REFUSAL_RUNNER, "GLSL"},
    {"shader: MESA_SHADER_", REFUSAL_RUNNER, "NIR as text"},
    {"; ModuleID", REFUSAL_RUNNER, "LLVM IR"},
    {"source_filename = ", REFUSAL_RUNNER, "LLVM IR"},
    {"target datalayout = ", REFUSAL_RUNNER, "LLVM IR"},
    {"; SPIR-V", REFUSAL_RUNNER, "SPIR-V as text (spirv-as makes a module of it)"},
    {"OpCapability", REFUSAL_RUNNER, "SPIR-V as text (spirv-as makes a module of it)"},
    {"#include <metal_stdlib>", REFUSAL_RUNNER, "Metal's shading language"},
    {".version ", REFUSAL_RUNNER, "PTX"},
    {".kernel ", REFUSAL_FILE, "AGX assembly"},
};

static const struct {
   const char *suffix, *name;
} suffixes[] = {
    {".comp", "GLSL"}, {".frag", "GLSL"}, {".vert", "GLSL"},
    {".geom", "GLSL"}, {".tesc", "GLSL"}, {".tese", "GLSL"},
    {".glsl", "GLSL"}, {".hlsl", "HLSL"}, {".metal", "Metal's shading language"},
    {".wgsl", "WGSL"}, {".cu", "CUDA"},   {".ll", "LLVM IR"},
    {".ptx", "PTX"},
};

bool file_kind_is_spirv(const uint8_t *data, size_t size)
{
   uint32_t word;

   if (size < sizeof(word)) {
      return false;
   }
   memcpy(&word, data, sizeof(word));
   return word == SPIRV_MAGIC || word == SPIRV_MAGIC_SWAPPED;
}

/* The text behind white space and C comments. */
static const char *skip_comments(const char *text)
{
   for (;;) {
      while (isspace((unsigned char)*text)) {
         text++;
      }
      if (strncmp(text, "//", 2) == 0) {
         text += strcspn(text, "\n");
      } else if (strncmp(text, "/*", 2) == 0 && strstr(text + 2, "*/") != NULL) {
         text = strstr(text + 2, "*/") + 2;
      } else {
         return text;
      }
   }
}

static bool refuse(struct refusal *why, enum refusal_who who, const char *name)
{
   why->who = who;
   if (who == REFUSAL_RUNNER) {
      snprintf(why->what, sizeof(why->what), "does not compile %s; it takes " EXPECTED, name);
   } else {
      snprintf(why->what, sizeof(why->what), "this is %s; agx-runner takes " EXPECTED, name);
   }
   return true;
}

static bool refuse_text(const char *path, const char *text, struct refusal *why)
{
   const char *start = skip_comments(text);

   for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
      if (strncmp(start, texts[i].start, strlen(texts[i].start)) == 0) {
         return refuse(why, texts[i].who, texts[i].name);
      }
   }
   for (size_t i = 0; i < ARRAY_COUNT(suffixes); i++) {
      if (util_has_suffix(path, suffixes[i].suffix)) {
         return refuse(why, REFUSAL_RUNNER, suffixes[i].name);
      }
   }
   return false;
}

bool file_kind_refuse(const char *path, const uint8_t *data, size_t size, struct refusal *why)
{
   *why = (struct refusal){0};
   if (file_kind_is_spirv(data, size)) {
      return false;
   }
   for (size_t i = 0; i < ARRAY_COUNT(magics); i++) {
      if (size >= magics[i].size && memcmp(data, magics[i].bytes, magics[i].size) == 0) {
         return refuse(why, magics[i].who, magics[i].name);
      }
   }
   if (size == 0 || util_has_suffix(path, ".spv") || memchr(data, '\0', size) != NULL) {
      why->who = REFUSAL_FILE;
      snprintf(why->what, sizeof(why->what), "%s",
               size == 0 ? "the file is empty"
               : util_has_suffix(path, ".spv")
                   ? "not SPIR-V, as the file's name says: its first word is not 0x07230203"
                   : "neither OpenCL C (it holds zero bytes) nor SPIR-V (its first word is not "
                     "0x07230203)");
      return true;
   }
   return refuse_text(path, (const char *)data, why);
}
