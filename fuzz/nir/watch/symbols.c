/* SPDX-License-Identifier: MIT
 *
 * Reads the symbol table of the running program, including static functions, which dladdr() does not know. Invariant:
 * a truncated or malformed file gives no name, and nothing outside of it is read.
 */
#include "fuzz/nir/watch/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern const char __executable_start[]; /* defined by the linker */

struct image {
   const uint8_t *bytes;
   size_t size;
};

/* Maps the program's file once. */
static const struct image *program_image(void)
{
   static struct image image;
   struct stat status;

   if (image.bytes == NULL) {
      const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
      if (file >= 0 && fstat(file, &status) == 0) {
         void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
         image.bytes = bytes == MAP_FAILED ? NULL : bytes;
         image.size = (size_t)status.st_size;
      }
      if (file >= 0) {
         close(file);
      }
   }
   return &image;
}

static const void *part(const struct image *image, uint64_t offset, uint64_t size)
{
   return image->bytes != NULL && offset <= image->size && size <= image->size - offset ? image->bytes + offset : NULL;
}

/* Returns the name of the function that contains `value`, and of its source file: the file's symbol precedes those of
 * its static functions. "": it is not static. */
static const char *find(const struct image *image, const Elf64_Shdr *sections, unsigned count, uint64_t value,
                        const char **file)
{
   for (unsigned i = 0; i < count; i++) {
      if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= count) {
         continue;
      }
      const Elf64_Sym *symbols = part(image, sections[i].sh_offset, sections[i].sh_size);
      const Elf64_Shdr *strings = &sections[sections[i].sh_link];
      const char *text = part(image, strings->sh_offset, strings->sh_size);
      *file = "";
      for (uint64_t s = 0; symbols != NULL && text != NULL && s < sections[i].sh_size / sizeof(*symbols); s++) {
         const Elf64_Sym *symbol = &symbols[s];
         if (symbol->st_name >= strings->sh_size) {
            continue;
         }
         if (ELF64_ST_TYPE(symbol->st_info) == STT_FILE) {
            *file = text + symbol->st_name;
         } else if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && value >= symbol->st_value &&
                    value - symbol->st_value < symbol->st_size) {
            *file = ELF64_ST_BIND(symbol->st_info) == STB_LOCAL ? *file : "";
            return text + symbol->st_name;
         }
      }
   }
   return NULL;
}

/* offset: relative to `address`. */
static const char *look_up(const void *address, uint64_t offset, const char **file)
{
   const struct image *image = program_image();
   const Elf64_Ehdr *header = part(image, 0, sizeof(*header));

   *file = "";
   if (header == NULL || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64) {
      return NULL;
   }
   const Elf64_Shdr *sections = part(image, header->e_shoff, (uint64_t)header->e_shnum * sizeof(*sections));
   const uintptr_t base = header->e_type == ET_DYN ? (uintptr_t)__executable_start : 0;
   return sections != NULL ? find(image, sections, header->e_shnum, (uintptr_t)address - base + offset, file) : NULL;
}

void fuzz_symbol(const void *address, char *name, size_t size)
{
   const char *file, *found = look_up(address, UINT64_MAX, &file); /* a return address: look up the byte before it */

   if (found != NULL) {
      snprintf(name, size, "%.*s", (int)strcspn(found, "."), found);
   } else {
      snprintf(name, size, "%p", address);
   }
}

void fuzz_symbol_file(const void *function, char *name, size_t size)
{
   const char *file;

   (void)look_up(function, 0, &file);
   const char *folder = strrchr(file, '/');
   file = folder != NULL ? folder + 1 : file;
   snprintf(name, size, "%.*s", (int)strcspn(file, "."), file);
}
