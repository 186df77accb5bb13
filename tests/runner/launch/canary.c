/* SPDX-License-Identifier: MIT
 *
 * The canaries around a buffer, with a margin as on a real device and without one: what is written is found byte by
 * byte, what floating-point arithmetic leaves of a canary differs from it, and the buffer itself is nobody's business.
 */
#include "agx_runner/launch/canary.h"

#include <string.h>

#include "tests/check.h"

static struct asahi_device *open_device(void)
{
   struct asahi_device *device = NULL;
   char why[256];

   CHECK(asahi_device_open("virtual:m1", &device, why, sizeof(why)) == 0, "%s", why);
   return device;
}

static void check(const char *what, const struct canary_damage *damage, size_t bytes, size_t first, size_t last)
{
   CHECK(damage->bytes == bytes && (bytes == 0 || (damage->first == first && damage->last == last)),
         "%s: %zu bytes from %zu to %zu, not %zu from %zu to %zu", what, damage->bytes, damage->first, damage->last,
         bytes, first, last);
}

static void test_margin(struct asahi_device *device, size_t size, size_t margin)
{
   struct asahi_buffer *buffer;

   CHECK(asahi_buffer_create_between(device, size, margin, &buffer) == 0, "%s", asahi_device_error(device));
   uint8_t *map = asahi_buffer_map(buffer);
   const size_t rest = (16384 - size % 16384) % 16384 + margin;

   CHECK(asahi_buffer_address(buffer) % 16384 == 0, "a buffer starts with a page");
   CHECK(asahi_buffer_size(buffer) == size && asahi_buffer_before(buffer) == margin, "%zu, %zu",
         asahi_buffer_size(buffer), asahi_buffer_before(buffer));
   CHECK(asahi_buffer_behind(buffer) == rest, "%zu bytes behind, not %zu", asahi_buffer_behind(buffer), rest);
   memset(map, 0, size);
   canary_fill(buffer);
   for (size_t i = 0; i < size; i++) {
      CHECK(map[i] == 0, "byte %zu of the buffer is written", i);
   }
   memset(map, 1, size);
   struct canary_damage before = canary_before(buffer), behind = canary_behind(buffer);
   check("nothing, before", &before, 0, 0, 0);
   check("nothing, behind", &behind, 0, 0, 0);
   if (rest > 5) {
      memset(map + size, 0, 5);
      map[size + rest - 1] = 0xff;
      behind = canary_behind(buffer);
      check("behind", &behind, 6, size, size + rest - 1);
   }
   if (margin > 0) {
      memset(map - 4, 0, 4);
      map[-(ptrdiff_t)margin] = 0;
      before = canary_before(buffer);
      check("before", &before, 5, margin, 1);
   }
   canary_fill(buffer);
   before = canary_before(buffer), behind = canary_behind(buffer);
   check("filled again, before", &before, 0, 0, 0);
   check("filled again, behind", &behind, 0, 0, 0);
   asahi_buffer_destroy(device, buffer);
}

/* IEEE 754-2019 6.2: a signalling NaN has an exponent of ones, a fraction that is not 0, and its first bit 0; what an
 * operation makes of it has that bit 1. */
static void test_pattern(struct asahi_device *device)
{
   struct asahi_buffer *buffer;
   uint32_t words[64];

   CHECK(asahi_buffer_create(device, 64, &buffer) == 0, "%s", asahi_device_error(device));
   canary_fill(buffer);
   memcpy(words, (const uint8_t *)asahi_buffer_map(buffer) + 64, sizeof(words));
   for (size_t i = 0; i < 64; i++) {
      const uint32_t fraction = words[i] & 0x7fffff, half = words[i] & 0x3ff;

      CHECK((words[i] >> 23 & 0xff) == 0xff && fraction != 0 && (fraction & 0x400000) == 0,
            "0x%08x is no signalling NaN", words[i]);
      CHECK((words[i] >> 10 & 0x1f) == 0x1f && half != 0 && (half & 0x200) == 0,
            "0x%04x is no signalling NaN of 16 bits", words[i] & 0xffff);
      CHECK(i == 0 || words[i] != words[i - 1], "word %zu is as the one before it", i);
   }
   asahi_buffer_destroy(device, buffer);
}

int main(void)
{
   static const size_t sizes[] = {1, 63, 4096, 16383, 16384, 16386, 32768};
   struct asahi_device *device = open_device();

   if (device == NULL) {
      return 1;
   }
   for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
      test_margin(device, sizes[i], 0);
      test_margin(device, sizes[i], CANARY_MARGIN);
   }
   test_pattern(device);
   asahi_device_close(device);
   return check_result();
}
