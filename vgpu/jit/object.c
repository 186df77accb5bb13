/* SPDX-License-Identifier: MIT
 *
 * Sections that hold code or constants lie one behind the other in one mapping, so that all offsets between them fit
 * 32 bits. Behind them is a jump for each function of the process that the code calls. The form of the file is that of
 * the System V ABI (elf.h); relocations are those of its supplement for AMD64, 4.4.
 */
#include "vgpu/jit/object.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_SECTIONS 64u
#define MAX_ALIGNMENT 4096u
#define JUMP_BYTES 16u /* jmp *2(%rip), and the address */
#define NOWHERE UINT64_MAX

struct loader {
   const uint8_t *file;
   size_t size;
   Elf64_Shdr sections[MAX_SECTIONS];
   uint64_t places[MAX_SECTIONS]; /* in the mapping; NOWHERE: not loaded */
   uint32_t count;
   const Elf64_Shdr *symbols, *names; /* the table and its strings; NULL: there is none */
   uint64_t jumps;                    /* where those start in the mapping */
   uint64_t bytes;                    /* of the mapping */
   uint8_t *to;
   const char *wrong; /* NULL: all is well so far */
};

static bool inside(const struct loader *loader, uint64_t offset, uint64_t bytes)
{
   return offset <= loader->size && bytes <= loader->size - offset;
}

static void read_sections(struct loader *loader)
{
   Elf64_Ehdr head;
   if (loader->size < sizeof(head)) {
      loader->wrong = "it has no header";
      return;
   }
   memcpy(&head, loader->file, sizeof(head));
   if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_type != ET_REL ||
       head.e_machine != EM_X86_64 || head.e_shentsize != sizeof(Elf64_Shdr) || head.e_shnum > MAX_SECTIONS ||
       !inside(loader, head.e_shoff, (uint64_t)head.e_shnum * sizeof(Elf64_Shdr))) {
      loader->wrong = "it is no object for x86-64, or has too many sections";
      return;
   }
   loader->count = head.e_shnum;
   memcpy(loader->sections, loader->file + head.e_shoff, loader->count * sizeof(Elf64_Shdr));
   for (uint32_t i = 0; i < loader->count; i++) {
      const Elf64_Shdr *section = &loader->sections[i];
      if (section->sh_type != SHT_NOBITS && !inside(loader, section->sh_offset, section->sh_size)) {
         loader->wrong = "a section lies outside of it";
         return;
      }
      if (section->sh_type == SHT_SYMTAB && section->sh_entsize == sizeof(Elf64_Sym) &&
          section->sh_link < loader->count && loader->sections[section->sh_link].sh_type == SHT_STRTAB) {
         loader->symbols = section;
         loader->names = &loader->sections[section->sh_link];
      }
   }
   if (!loader->symbols || loader->names->sh_size == 0 ||
       loader->file[loader->names->sh_offset + loader->names->sh_size - 1] != '\0') {
      loader->wrong = "it has no symbols";
   }
}

static bool has_name(const struct loader *loader, const Elf64_Shdr *section, uint32_t names, const char *name)
{
   const Elf64_Shdr *strings = names < loader->count ? &loader->sections[names] : NULL;
   const size_t length = strlen(name);
   return strings && strings->sh_type == SHT_STRTAB && section->sh_name <= strings->sh_size &&
          length <= strings->sh_size - section->sh_name &&
          !memcmp(loader->file + strings->sh_offset + section->sh_name, name, length);
}

/* Unwind tables are not loaded: nothing throws through the code. */
static void place_sections(struct loader *loader)
{
   Elf64_Ehdr head;
   memcpy(&head, loader->file, sizeof(head));
   for (uint32_t i = 0; i < loader->count; i++) {
      const Elf64_Shdr *section = &loader->sections[i];
      loader->places[i] = NOWHERE;
      if (!(section->sh_flags & SHF_ALLOC) || section->sh_size == 0 ||
          has_name(loader, section, head.e_shstrndx, ".eh_frame")) {
         continue;
      }
      const bool variable =
          section->sh_flags & SHF_WRITE && !has_name(loader, section, head.e_shstrndx, ".data.rel.ro");
      if (section->sh_type != SHT_PROGBITS || variable) {
         loader->wrong = "it has variables";
         return;
      }
      const uint64_t alignment = section->sh_addralign ? section->sh_addralign : 1;
      if (alignment > MAX_ALIGNMENT || alignment & (alignment - 1)) {
         loader->wrong = "a section's alignment is not possible";
         return;
      }
      loader->places[i] = (loader->bytes + alignment - 1) & ~(alignment - 1);
      loader->bytes = loader->places[i] + section->sh_size;
   }
}

static uint64_t symbol_count(const struct loader *loader)
{
   return loader->symbols->sh_size / sizeof(Elf64_Sym);
}

static Elf64_Sym symbol_at(const struct loader *loader, uint64_t index)
{
   Elf64_Sym symbol;
   memcpy(&symbol, loader->file + loader->symbols->sh_offset + index * sizeof(symbol), sizeof(symbol));
   return symbol;
}

static const char *name_of(const struct loader *loader, const Elf64_Sym *symbol)
{
   return symbol->st_name < loader->names->sh_size
              ? (const char *)loader->file + loader->names->sh_offset + symbol->st_name
              : "";
}

/* Each undefined symbol has a jump of its own; *number counts them. */
static void write_jumps(struct loader *loader)
{
   uint64_t number = 0;
   for (uint64_t i = 1; i < symbol_count(loader); i++) {
      const Elf64_Sym symbol = symbol_at(loader, i);
      if (symbol.st_shndx != SHN_UNDEF) {
         continue;
      }
      static const uint8_t jump[] = {0xff, 0x25, 2, 0, 0, 0, 0xcc, 0xcc};
      const void *function = dlsym(RTLD_DEFAULT, name_of(loader, &symbol));
      if (!function) {
         loader->wrong = "it calls a function that the process does not have";
         return;
      }
      uint8_t *at = loader->to + loader->jumps + number++ * JUMP_BYTES;
      memcpy(at, jump, sizeof(jump));
      memcpy(at + sizeof(jump), &function, sizeof(function));
   }
}

static uint64_t count_undefined(const struct loader *loader)
{
   uint64_t count = 0;
   for (uint64_t i = 1; i < symbol_count(loader); i++) {
      count += symbol_at(loader, i).st_shndx == SHN_UNDEF;
   }
   return count;
}

/* The symbol's place in the mapping. NOWHERE: it has none. */
static uint64_t place_of(const struct loader *loader, uint64_t index)
{
   if (index == 0 || index >= symbol_count(loader)) {
      return NOWHERE;
   }
   const Elf64_Sym symbol = symbol_at(loader, index);
   if (symbol.st_shndx == SHN_UNDEF) {
      uint64_t number = 0;
      for (uint64_t i = 1; i < index; i++) {
         number += symbol_at(loader, i).st_shndx == SHN_UNDEF;
      }
      return loader->jumps + number * JUMP_BYTES;
   }
   const bool placed = symbol.st_shndx < loader->count && loader->places[symbol.st_shndx] != NOWHERE &&
                       symbol.st_value <= loader->sections[symbol.st_shndx].sh_size;
   return placed ? loader->places[symbol.st_shndx] + symbol.st_value : NOWHERE;
}

static bool relocate(struct loader *loader, uint32_t section, const Elf64_Rela *relocation)
{
   const uint32_t type = ELF64_R_TYPE(relocation->r_info), bytes = type == R_X86_64_64 ? 8 : 4;
   const uint64_t size = loader->sections[section].sh_size, symbol = place_of(loader, ELF64_R_SYM(relocation->r_info));
   if (relocation->r_offset > size || size - relocation->r_offset < bytes || symbol == NOWHERE) {
      return false;
   }
   const uint64_t place = loader->places[section] + relocation->r_offset;
   const int64_t difference = (int64_t)(symbol + (uint64_t)relocation->r_addend - place);
   const uint64_t address = (uint64_t)(uintptr_t)loader->to + symbol + (uint64_t)relocation->r_addend;
   const int32_t narrow = (int32_t)difference;
   switch (type) {
   case R_X86_64_64:
      memcpy(loader->to + place, &address, sizeof(address));
      return true;
   case R_X86_64_PC32:
   case R_X86_64_PLT32:
      memcpy(loader->to + place, &narrow, sizeof(narrow));
      return narrow == difference;
   default:
      return false;
   }
}

static void relocate_all(struct loader *loader)
{
   for (uint32_t i = 0; i < loader->count && !loader->wrong; i++) {
      const Elf64_Shdr *table = &loader->sections[i];
      if (table->sh_type != SHT_RELA || table->sh_info >= loader->count || loader->places[table->sh_info] == NOWHERE) {
         continue;
      }
      for (uint64_t n = 0; n < table->sh_size / sizeof(Elf64_Rela); n++) {
         Elf64_Rela relocation;
         memcpy(&relocation, loader->file + table->sh_offset + n * sizeof(relocation), sizeof(relocation));
         if (!relocate(loader, table->sh_info, &relocation)) {
            loader->wrong = "a relocation is not known";
            return;
         }
      }
   }
}

static void *find_function(const struct loader *loader, const char *name)
{
   for (uint64_t i = 1; i < symbol_count(loader); i++) {
      const Elf64_Sym symbol = symbol_at(loader, i);
      if (symbol.st_shndx != SHN_UNDEF && !strcmp(name_of(loader, &symbol), name) &&
          place_of(loader, i) < loader->jumps) {
         return loader->to + place_of(loader, i);
      }
   }
   return NULL;
}

static void map(struct loader *loader)
{
   loader->jumps = (loader->bytes + JUMP_BYTES - 1) & ~(uint64_t)(JUMP_BYTES - 1);
   loader->bytes = loader->jumps + count_undefined(loader) * JUMP_BYTES;
   void *pages = mmap(NULL, loader->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   if (loader->bytes == 0 || pages == MAP_FAILED) {
      loader->wrong = "there is no memory for it";
      return;
   }
   loader->to = pages;
   for (uint32_t i = 0; i < loader->count; i++) {
      if (loader->places[i] != NOWHERE) {
         memcpy(loader->to + loader->places[i], loader->file + loader->sections[i].sh_offset,
                loader->sections[i].sh_size);
      }
   }
}

bool vgpu_object_load(struct vgpu_object *object, const uint8_t *file, size_t size, const char *name, void **address,
                      char *message, size_t message_size)
{
   struct loader loader = {.file = file, .size = size};
   static void (*const steps[])(struct loader *) = {read_sections, place_sections, map, write_jumps, relocate_all};
   for (size_t i = 0; i < sizeof(steps) / sizeof(*steps) && !loader.wrong; i++) {
      steps[i](&loader);
   }
   *address = loader.wrong ? NULL : find_function(&loader, name);
   if (!loader.wrong && (!*address || mprotect(loader.to, loader.bytes, PROT_READ | PROT_EXEC))) {
      loader.wrong = "it does not have the function, or may not be executed";
   }
   *object = (struct vgpu_object){.pages = loader.to, .bytes = loader.bytes};
   if (loader.wrong) {
      snprintf(message, message_size, "the object file of %s: %s", name, loader.wrong);
      vgpu_object_finish(object);
      return false;
   }
   return true;
}

void vgpu_object_finish(struct vgpu_object *object)
{
   if (object->pages) {
      munmap(object->pages, object->bytes);
   }
   *object = (struct vgpu_object){.pages = NULL};
}
