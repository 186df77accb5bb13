/* SPDX-License-Identifier: MIT
 *
 * Streams and USC words against the worked examples of spec/uapi.md 4.2 and 4.3, typed in as they stand there, and
 * against bytes worked out by hand from the field tables of the same sections.
 */
#include <string.h>

#include "drm/stream.h"
#include "tests/check.h"

#define SIZE 256

struct words {
   uint8_t bytes[SIZE];
   struct asahi_stream stream;
};

static void begin(struct words *words)
{
   *words = (struct words){0};
   words->stream = (struct asahi_stream){.data = words->bytes, .size = SIZE};
}

/* text: hexadecimal, blanks and bars ignored. */
static void expect(const struct words *words, const char *what, const char *text)
{
   uint8_t expected[SIZE];
   size_t size = 0;
   unsigned byte;
   for (const char *c = text; *c != 0;) {
      if (*c == ' ' || *c == '|') {
         c++;
      } else if (sscanf(c, "%2x", &byte) == 1) {
         expected[size++] = (uint8_t)byte;
         c += 2;
      }
   }
   bool same = size == words->stream.used && memcmp(expected, words->bytes, size) == 0 && !words->stream.overflow;
   if (!CHECK(same, "%s: expected %s, found", what, text)) {
      for (size_t i = 0; i < words->stream.used; i++) {
         printf("%02X%s", words->bytes[i], i % 4 == 3 ? " " : "");
      }
      printf("\n");
   }
}

static void test_cdm(void)
{
   static const struct {
      enum asahi_chip_class chip_class;
      const char *name, *bytes;
   } classes[] = {
#define PLAIN                                                                                                          \
   "02120000 40000000 | 40000000 01000000 01000000 | 20000000 01000000 01000000 | FFFF0F60 | 00000040 00000000"
       {ASAHI_G13G, "G13G", PLAIN},
       {ASAHI_G13X, "G13X", PLAIN},
       {ASAHI_G14G, "G14G", PLAIN},
       {ASAHI_G14X, "G14X",
        "02120000 40000000 00000000 00000040 | 40000000 01000000 01000000 | 20000000 01000000 01000000 | FFFF0F60 | "
        "00000040 00000000"},
   };
   const struct asahi_launch launch = {
       .usc_offset = 0x40, .uniform_halves = 4, .grid = {64, 1, 1}, .group = {32, 1, 1}};

   for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
      struct words words;
      begin(&words);
      asahi_cdm_launch(&words.stream, classes[i].chip_class, &launch);
      asahi_cdm_barrier(&words.stream, asahi_cdm_defaults.barrier);
      asahi_cdm_terminate(&words.stream);
      expect(&words, classes[i].name, classes[i].bytes);
      CHECK(words.stream.used <= ASAHI_CDM_LAUNCH_SIZE + ASAHI_CDM_TERMINATE_SIZE, "%s: larger than promised",
            classes[i].name);
   }
}

/* 4.2: n > 0 -> ceil(n / 64) or ceil(n / 16); 0 -> 1; the full count -> 0. */
static void test_launch_word(void)
{
   static const struct {
      unsigned uniforms, preamble;
      uint32_t word;
   } rows[] = {
       {0, 0, 0x1202},   {1, 0, 0x1202},  {64, 0, 0x1202}, {65, 0, 0x1204},  {128, 0, 0x1204}, {448, 0, 0x120E},
       {512, 0, 0x1200}, {4, 16, 0x1202}, {4, 17, 0x2202}, {4, 240, 0xF202}, {4, 241, 0x0202}, {4, 256, 0x0202},
   };
   for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      struct asahi_launch launch = {.uniform_halves = rows[i].uniforms, .preamble_registers = rows[i].preamble};
      struct words words;
      begin(&words);
      asahi_cdm_launch(&words.stream, ASAHI_G13G, &launch);
      uint32_t word = words.bytes[0] | (uint32_t)words.bytes[1] << 8 | (uint32_t)words.bytes[2] << 16 |
                      (uint32_t)words.bytes[3] << 24;
      CHECK(word == rows[i].word, "%u uniform halves, preamble of %u: launch word 0 is 0x%x, not 0x%x",
            rows[i].uniforms, rows[i].preamble, word, rows[i].word);
   }
}

/* Another barrier mask, and newer Mesa's texture field: what launch.md and hardware-audit.md quote of others' streams.
 */
static void test_parameters(void)
{
   const struct asahi_launch launch = {.uniform_halves = 4, .texture_field = 1};
   struct words words;

   begin(&words);
   asahi_cdm_launch(&words.stream, ASAHI_G13G, &launch);
   CHECK(words.bytes[0] == 0x12 && words.bytes[1] == 0x12, "launch word 0 is not 0x1212");
   begin(&words);
   asahi_cdm_barrier(&words.stream, 0x88);
   asahi_cdm_barrier(&words.stream, 0);
   asahi_cdm_barrier(&words.stream, UINT32_MAX);
   expect(&words, "barriers", "88 00 00 60 | 00 00 00 60 | FF FF FF 7F");
}

static void test_usc(void)
{
   struct words words;

   begin(&words);
   asahi_usc_uniform(&words.stream, 0, 4, 0x1500004000);
   asahi_usc_shared(&words.stream, 0);
   asahi_usc_shader(&words.stream, 0x80);
   asahi_usc_registers(&words.stream, 8, 0);
   asahi_usc_no_preshader(&words.stream);
   expect(&words, "the worked example",
          "1D 00 40 00 40 00 00 15 | 4D 90 00 00 | 0D 0C 80 00 00 00 | "
          "8D 01 00 00 | 88 00");
   CHECK(words.stream.used == 24, "the worked example is %zu bytes, not 24", words.stream.used);

   begin(&words);
   asahi_usc_uniform(&words.stream, 8, 64, 0x1500004000);
   expect(&words, "64 halves", "1D 08 00 00 40 00 00 15");
   begin(&words);
   asahi_usc_uniform(&words.stream, 256 + 6, 63, 0x1500004000);
   expect(&words, "high uniforms", "3D 06 F0 03 40 00 00 15");
   begin(&words);
   asahi_usc_uniform(&words.stream, 0, 2, 0xFFFFFFFFFC);
   expect(&words, "the last address", "1D 00 20 FC FF FF FF FF");

   begin(&words);
   asahi_usc_shared(&words.stream, 1024);
   asahi_usc_shared(&words.stream, 1);
   asahi_usc_shared(&words.stream, 257);
   asahi_usc_shared(&words.stream, 32768);
   asahi_usc_shared(&words.stream, 65536);
   expect(&words, "threadgroup memory", "4D 91 00 04 | 4D 91 00 01 | 4D 91 00 02 | 4D 91 00 80 | 4D 91 00 00");

   begin(&words);
   asahi_usc_registers(&words.stream, 16, 0);
   asahi_usc_registers(&words.stream, 256, 0);
   asahi_usc_registers(&words.stream, 1, 0);
   asahi_usc_registers(&words.stream, 9, 1);
   asahi_usc_registers(&words.stream, 248, 15);
   expect(&words, "registers", "8D 02 00 00 | 8D 00 00 00 | 8D 01 00 00 | 8D 02 04 00 | 8D 1F 3C 00");

   begin(&words);
   asahi_usc_preshader(&words.stream, 0x12345680);
   expect(&words, "preshader", "38 00 80 C0 80 56 34 12");
}

/* Every split of every range: chunks of 1..64 that add up, and none on both sides of half 256. */
static void test_chunks(void)
{
   unsigned wrong = 0;
   for (unsigned start = 0; start < 512; start++) {
      for (unsigned halves = 1; start + halves <= 512; halves++) {
         unsigned at = start, end = start + halves;
         while (at < end) {
            unsigned chunk = asahi_usc_uniform_chunk(at, end - at);
            bool crosses = at < 256 && at + chunk > 256;
            if (chunk < 1 || chunk > 64 || at + chunk > end || crosses) {
               wrong++;
               break;
            }
            at += chunk;
         }
      }
   }
   CHECK(wrong == 0, "%u ranges of uniforms are split wrongly", wrong);
   CHECK(asahi_usc_uniform_chunk(0, 512) == 64, "the largest chunk is not 64 halves");
   CHECK(asahi_usc_uniform_chunk(250, 20) == 6, "a chunk crosses half 256");
}

static void test_overflow(void)
{
   uint8_t bytes[8] = {0};
   struct asahi_stream stream = {.data = bytes, .size = 7};
   asahi_cdm_barrier(&stream, asahi_cdm_defaults.barrier);
   asahi_cdm_barrier(&stream, asahi_cdm_defaults.barrier);
   CHECK(stream.overflow && stream.used == 4 && bytes[4] == 0, "a full stream was written to");
   asahi_usc_no_preshader(&stream);
   CHECK(stream.used == 4, "a stream went on after it had overflown");
}

int main(void)
{
   test_cdm();
   test_launch_word();
   test_parameters();
   test_usc();
   test_chunks();
   test_overflow();
   return check_result();
}
