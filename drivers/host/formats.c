/* SPDX-License-Identifier: MIT
 *
 * The formats as agx-runner and the hosts look them up. An index is the row's place in HOST_FORMATS.
 */
#include "drivers/host/formats.h"

#include <stdlib.h>
#include <string.h>

#define ROW(name, element, count, reads, spirv, vulkan, order, type) {name, element, count, spirv, reads},
static const struct host_format rows[] = {HOST_FORMATS(ROW)};
#undef ROW
#define ROWS (sizeof(rows) / sizeof(rows[0]))

const struct host_format *host_format(uint32_t index)
{
   return index < ROWS ? &rows[index] : NULL;
}

uint32_t host_format_bytes(uint32_t index)
{
   /* "u16": 16 bits. */
   return rows[index].elements * (uint32_t)strtoul(rows[index].element + 1, NULL, 10) / 8;
}

uint32_t host_format_find(const char *name, size_t length)
{
   for (uint32_t i = 0; i < ROWS; i++) {
      if (strlen(rows[i].name) == length && strncmp(rows[i].name, name, length) == 0) {
         return i;
      }
   }
   return HOST_NO_FORMAT;
}

uint32_t host_format_of_spirv(uint32_t number)
{
   for (uint32_t i = 0; number != 0 && i < ROWS; i++) {
      if (rows[i].spirv == number) {
         return i;
      }
   }
   return HOST_NO_FORMAT;
}

uint32_t host_format_for(char reads)
{
   const char *name = reads == 'i' ? "rgba32i" : reads == 'u' ? "rgba32ui" : "rgba8";
   return host_format_find(name, strlen(name));
}
