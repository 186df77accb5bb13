/* SPDX-License-Identifier: MIT
 *
 * Where an address lies, in words: by the buffer that is nearest on either side, whatever its name; never by one that
 * is freed or the client's own. The distances are what the addresses differ by.
 */
#include <stdio.h>
#include <string.h>

#include "vgpu/exec/fault.h"

#define A UINT64_C(0x1600000000)
#define B (A + 0x8000)
#define PLAIN (A + 0x100000)

static const struct vgpu_range ranges[] = {
    {.start = UINT64_C(0x1200000000), .bytes = 0x80000, .internal = true},
    {.start = A, .bytes = 128, .name = "buffer 0 (x)"},
    {.start = B - 0x100, .bytes = 16, .freed = true, .name = "buffer 7 (old)"},
    {.start = B, .bytes = 256, .name = "buffer 1 (in)"},
    {.start = PLAIN, .bytes = 1},
};

static const struct {
   uint64_t address;
   unsigned bytes;
   enum vgpu_where kind;
   const char *text;
} cases[] = {
    {A + 128, 4, VGPU_WHERE_PAST, "byte 128 of buffer 0 (x), which has 128 bytes: 4 bytes past its end"},
    {A + 127, 1, VGPU_WHERE_IN, "byte 127 of buffer 0 (x)"},
    {A + 128, 1, VGPU_WHERE_PAST, "byte 128 of buffer 0 (x), which has 128 bytes: 1 byte past its end"},
    {A + 126, 4, VGPU_WHERE_PAST, "byte 126 of buffer 0 (x), which has 128 bytes: 2 bytes past its end"},
    {A - 2, 4, VGPU_WHERE_BEFORE, "2 bytes before buffer 0 (x)"},
    {A - 1, 1, VGPU_WHERE_BEFORE, "1 byte before buffer 0 (x)"},
    {B - 260, 4, VGPU_WHERE_BEFORE, "260 bytes before buffer 1 (in)"},
    {B - 4, 4, VGPU_WHERE_BEFORE, "4 bytes before buffer 1 (in)"},
    /* 0x8000 - 128 bytes lie between the two, so that the middle is at A + 128 + 0x3fc0. */
    {A + 128 + 0x3fc0 - 4, 4, VGPU_WHERE_PAST,
     "byte 16444 of buffer 0 (x), which has 128 bytes: 16320 bytes past its end"},
    {A + 128 + 0x3fc0, 4, VGPU_WHERE_BEFORE, "16320 bytes before buffer 1 (in)"},
    {B + (1 << 19), 16, VGPU_WHERE_BEFORE, "491520 bytes before a buffer of 1 bytes at 0x1600100000"},
    {PLAIN + (64 << 20), 4, VGPU_WHERE_PAST,
     "byte 67108864 of a buffer of 1 bytes at 0x1600100000: 67108867 bytes past its end"},
    {UINT64_C(0x1200000040), 4, VGPU_WHERE_BEFORE, "17179869120 bytes before buffer 0 (x)"},
    {0, 4, VGPU_WHERE_NULL, "through a null pointer"},
    {1, 1, VGPU_WHERE_NULL, "1 byte past a null pointer"},
    {16, 4, VGPU_WHERE_NULL, "16 bytes past a null pointer"},
    {UINT64_C(0x400000000), 4, VGPU_WHERE_NULL, "17179869184 bytes past a null pointer"},
    {0 - UINT64_C(4), 4, VGPU_WHERE_NULL, "4 bytes before a null pointer"},
    {UINT64_C(0xdeadbeef0000), 4, VGPU_WHERE_FAR, "far from every buffer"},
};

static int check(const struct vgpu_range *list, size_t count, uint64_t address, unsigned bytes, enum vgpu_where kind,
                 const char *wanted)
{
   char text[VGPU_WHERE_BYTES];
   const enum vgpu_where got = vgpu_address_print(list, count, address, bytes, text, sizeof(text));
   if (got == kind && strcmp(text, wanted) == 0) {
      return 0;
   }
   fprintf(stderr, "0x%llx, %u bytes: \"%s\" (%d), not \"%s\" (%d)\n", (unsigned long long)address, bytes, text, got,
           wanted, kind);
   return 1;
}

int main(void)
{
   int failures = 0;
   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      failures += check(ranges, sizeof(ranges) / sizeof(ranges[0]), cases[i].address, cases[i].bytes, cases[i].kind,
                        cases[i].text);
   }
   failures += check(NULL, 0, A, 4, VGPU_WHERE_UNKNOWN, "");
   failures += check(ranges, 1, A, 4, VGPU_WHERE_UNKNOWN, ""); /* of the client's own alone */
   return failures != 0;
}
