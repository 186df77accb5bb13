/* SPDX-License-Identifier: MIT
 *
 * Lists the checks that a build with -Dmutation=true can switch off, one a line, number first: for mutation.py.
 */
#include <stdio.h>

#include "vgpu/refuse.h"
#include "vgpu/vgpu.h"

int main(void)
{
   size_t count;
   const struct vgpu_refusal *const *refusals = vgpu_refusals(&count);
   char message[64];
   struct asahi_kernel *kernel;
   /* What the linker leaves out of the library has no checks: a device needs all of it. */
   int fd = vgpu_open("m1", &kernel, message, sizeof(message));
   if (fd < 0) {
      fprintf(stderr, "%s\n", message);
      return 1;
   }
   kernel->close(kernel, fd);
   for (size_t i = 0; i < count; i++) {
      printf("%zu %s:%u %s\n", i, refusals[i]->file, refusals[i]->line, refusals[i]->condition);
   }
   return 0;
}
