/* SPDX-License-Identifier: MIT
 *
 * Memory that launches use again (vgpu/spare.h): what was given back is taken first, in its class of sizes alone.
 */
#include <stdint.h>
#include <string.h>

#include "tests/check.h"
#include "vgpu/spare.h"

#if defined(__SANITIZE_ADDRESS__)
#define KEEPS 0
#else
#define KEEPS 1
#endif

static void check_block(struct vgpu_spare *spare, size_t bytes)
{
   uint8_t *block = vgpu_spare_take(spare, bytes);
   CHECK(block != NULL);
   CHECK((uintptr_t)block % VGPU_SPARE_ALIGNMENT == 0);
   memset(block, 0xa5, bytes);
   vgpu_spare_give(spare, block, bytes);
}

int main(void)
{
   struct vgpu_spare *spare = vgpu_spare_create();
   CHECK(spare != NULL);
   for (size_t bytes = 0; bytes < 100000; bytes = 3 * bytes + 1) {
      check_block(spare, bytes);
      check_block(NULL, bytes);
   }
   check_block(spare, (size_t)100 << 20); /* larger than all classes */
   void *first = vgpu_spare_take(spare, 5000), *second = vgpu_spare_take(spare, 5000);
   CHECK(first != second);
   vgpu_spare_give(spare, first, 5000);
   vgpu_spare_give(spare, second, 5000);
   vgpu_spare_give(spare, NULL, 5000);
   void *other = vgpu_spare_take(spare, 9000), *again = vgpu_spare_take(spare, 8192);
   CHECK(!KEEPS || again == second); /* 4097 to 8192 bytes are one class */
   CHECK(other != first);
   vgpu_spare_give(spare, other, 9000);
   vgpu_spare_give(spare, again, 8192);
   vgpu_spare_destroy(spare);
   vgpu_spare_destroy(NULL);
   return check_result();
}
