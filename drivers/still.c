/* SPDX-License-Identifier: MIT
 *
 * A preloaded library for ci/pictures: the clocks stand still for the program itself, so that each frame of an
 * animation is its first one. Invariant: libraries, and so drivers and the virtual GPU, see the clocks as they are.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))
#define NEXT(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))
#define STILL 1000 /* seconds */

struct search {
   uintptr_t address;
   bool found;
};

/* The first object is the program. */
static int look(struct dl_phdr_info *info, size_t size, void *data)
{
   struct search *search = data;
   (void)size;
   for (unsigned i = 0; i < info->dlpi_phnum; i++) {
      const ElfW(Phdr) *part = &info->dlpi_phdr[i];
      const uintptr_t start = info->dlpi_addr + part->p_vaddr;
      search->found |= part->p_type == PT_LOAD && search->address - start < part->p_memsz;
   }
   return 1;
}

static bool is_program(const void *address)
{
   struct search search = {(uintptr_t)address, false};
   dl_iterate_phdr(look, &search);
   return search.found;
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *now)
{
   if (!is_program(__builtin_return_address(0))) {
      return NEXT(clock_gettime)(clock, now);
   }
   *now = (struct timespec){.tv_sec = STILL};
   return 0;
}

EXPORT int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
   if (!is_program(__builtin_return_address(0))) {
      return NEXT(gettimeofday)(now, zone);
   }
   *now = (struct timeval){.tv_sec = STILL};
   return 0;
}
