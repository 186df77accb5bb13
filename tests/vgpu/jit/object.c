/* SPDX-License-Identifier: MIT
 *
 * The loader of object files: what a compiler made runs, and no file makes it read or write elsewhere. The file lies
 * before a page without access. Usage: jit_object OBJECT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vgpu/jit/object.h"

#define FUNCTION "object_sample"
#define RANDOM 30000u /* files with some wrong bytes */

static unsigned failures;

static void fail(const char *what)
{
   printf("FAIL %s\n", what);
   failures++;
}

/* A file of any content up to that size ends where access ends. */
struct place {
   uint8_t *pages;
   size_t bytes;
};

static struct place make_place(size_t most)
{
   const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (most + page - 1) / page * page;
   uint8_t *pages = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   if (pages == MAP_FAILED || mprotect(pages + bytes, page, PROT_NONE)) {
      puts("FAIL no memory");
      exit(1);
   }
   return (struct place){pages, bytes};
}

/* Returns whether it is loaded, and takes it back. */
static bool loads(const struct place *place, const uint8_t *file, size_t size)
{
   struct vgpu_object object;
   void *address;
   char message[200] = "";
   uint8_t *at = place->pages + place->bytes - size;
   memcpy(at, file, size);
   const bool loaded = vgpu_object_load(&object, at, size, FUNCTION, &address, message, sizeof(message));
   const uint8_t *function = address;
   if (loaded && (function < object.pages || function >= object.pages + object.bytes)) {
      fail("the function lies outside of the object");
   }
   if (!loaded && !*message) {
      fail("no message");
   }
   vgpu_object_finish(&object);
   return loaded;
}

static void check_whole(const uint8_t *file, size_t size)
{
   struct vgpu_object object;
   void *address;
   char message[200];
   int (*function)(unsigned number);
   if (!vgpu_object_load(&object, file, size, FUNCTION, &address, message, sizeof(message))) {
      fail(message);
      return;
   }
   memcpy(&function, &address, sizeof(function));
   for (unsigned i = 0; i < 8; i++) {
      const int expected = (int)(10 * ((i & 3) + 1) + (i & 1) + 1 + (i & 4 ? 500 : 0));
      if (function(i) != expected) {
         fail("the function returns something else");
      }
   }
   vgpu_object_finish(&object);
   if (vgpu_object_load(&object, file, size, "no_such_function", &address, message, sizeof(message))) {
      fail("a function that is not there");
   }
}

static void check_damaged(uint8_t *file, size_t size)
{
   const struct place place = make_place(size);
   unsigned refused = 0;
   for (size_t less = 0; less < size; less++) {
      refused += !loads(&place, file, less);
   }
   for (size_t at = 0; at < size; at++) {
      for (unsigned bit = 0; bit < 8; bit++) {
         file[at] ^= (uint8_t)(1u << bit);
         refused += !loads(&place, file, size);
         file[at] ^= (uint8_t)(1u << bit);
      }
   }
   srand(1);
   for (unsigned i = 0; i < RANDOM; i++) {
      uint8_t *wrong = malloc(size);
      if (!wrong) {
         fail("no memory");
         return;
      }
      memcpy(wrong, file, size);
      for (unsigned n = 0; n < 6; n++) { /* small numbers are the likely ones */
         wrong[(size_t)rand() % size] = (uint8_t)(rand() & 1 ? rand() % 16 : rand());
      }
      refused += !loads(&place, wrong, size);
      free(wrong);
   }
   munmap(place.pages, place.bytes + (size_t)sysconf(_SC_PAGESIZE));
   printf("%u of %zu damaged files are refused\n", refused, size + 8 * size + RANDOM);
   if (refused < size) {
      fail("damaged files are taken");
   }
}

int main(int argc, char **argv)
{
   FILE *stream = argc == 2 ? fopen(argv[1], "rbe") : NULL;
   static uint8_t file[65536];
   const size_t size = stream ? fread(file, 1, sizeof(file), stream) : 0;
   if (stream) {
      fclose(stream);
   }
   if (size == 0) {
      fail("there is no object file");
      return 1;
   }
   check_whole(file, size);
   check_damaged(file, size);
   return failures > 0;
}
