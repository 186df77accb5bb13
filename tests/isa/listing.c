/* SPDX-License-Identifier: MIT
 *
 * Listings of small programs written out by hand, counts, occupancy, and lines of hex.
 */
#include "isa/listing.h"
#include "tests/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A loop: ldimm r1, 0; L1: fadd r1, ^r1, 0.234375; if.. ; jmp_any L1; wrong bytes; jmp_none to nowhere; stop; traps. */
/* clang-format off */
static const uint8_t program[] = {
   0x62, 0x05, 0,    0,    0,    0,       /* 0 */
   0x2a, 0x05, 0xc2, 0xf2,                /* 6 */
   0x52, 0x28, 0x4c, 0x82, 0x24, 0,       /* 10 */
   0x00, 0xc0, 0xf6, 0xff, 0xff, 0xff,    /* 16: -10 = 6 */
   0x20, 0xc0, 0x0c, 0,    0,    0,       /* 22: +12 = 34 */
   0x03, 0x00,                            /* 28: no instruction */
   0x08, 0x00, 0x08, 0x00,                /* 30: reached by falling through */
   0x88, 0x00,                            /* 34 */
   0x08, 0x00, 0x08, 0x00,                /* 36 */
   0x00, 0xc0, 0x01, 0,    0,    0,       /* 40: into itself */
   0x20, 0xc0, 0x06, 0,    0,    0,       /* 46: to the end */
};

static const char listed[] = "     100:  620500000000              ldimm    r1, 0\n"
                             "L1:\n"
                             "     106:  2a05c2f2                  fadd     r1, ^r1, 0.234375\n"
                             "     10a:  52284c822400              if       r6, r4, 1, ult\n"
                             "     110:  00c0f6ffffff              jmp_any  L1\n"
                             "     116:  20c00c000000              jmp_none L2\n"
                             "     11c:  0300                      .byte    0x03, 0x00\n"
                             "     11e:  0800                      trap\n"
                             "     120:  0800                      trap\n"
                             "L2:\n"
                             "     122:  8800                      stop\n"
                             "     124:  0800                      trap\n"
                             "     126:  0800                      trap\n"
                             "     128:  00c001000000              jmp_any  1\n"
                             "     12e:  20c006000000              jmp_none L3\n"
                             "L3:\n";

static const char plain[] = "L1:\n"
                            "   fmadd32  r0, u9h, r0, r10\n"
                            "   jmp_exec_any L1\n";

/* clang-format on */

static void check_listing(const uint8_t *code, size_t size, const struct isa_listing_options *options,
                          const char *wanted)
{
   char *text = NULL;
   size_t length = 0;
   FILE *file = open_memstream(&text, &length);
   if (file == NULL) {
      CHECK(false, "no memory stream");
      return;
   }
   CHECK(isa_list(isa_set_default(), code, size, options, file) == 0, "isa_list failed");
   fclose(file);
   if (strcmp(text, wanted) != 0) {
      printf("listed:\n%swanted:\n%s", text, wanted);
      check_failures++;
   }
   free(text);
}

static void check_counts(void)
{
   struct isa_stats stats;
   CHECK(isa_count(isa_set_default(), program, sizeof(program), &stats) == 0, "isa_count failed");
   CHECK(stats.bytes == 52 && stats.instructions == 12 && stats.unknown_bytes == 2, "bytes and instructions");
   CHECK(stats.padding == 2, "padding");
   CHECK(stats.loops == 1 && stats.branches == 3, "loops and branches");
   CHECK(stats.half_registers == 14, "half registers: r6 is halves 12 and 13");
   CHECK(stats.max_threads == 1024, "threads");
   CHECK(stats.by_timing[ISA_TIMING_FADD32] == 1 && stats.by_timing[ISA_TIMING_BRANCH] == 4 &&
             stats.by_timing[ISA_TIMING_STOP] == 3 && stats.by_timing[ISA_TIMING_EXEC] == 1,
         "by class");

   /* latomic _, r70, r2h, -4, cmpxchg: the expected value is in r71. call 6: r1. */
   const uint8_t exchange[] = {0x19, 0x80, 0x05, 0xc3, 0x17, 0x80, 0xff, 0x03, 0x8c, 0x00};
   const uint8_t call[] = {0x10, 0xc0, 6, 0, 0, 0};
   CHECK(isa_count(isa_set_default(), exchange, sizeof(exchange), &stats) == 0 && stats.half_registers == 144,
         "the expected value");
   CHECK(isa_count(isa_set_default(), call, sizeof(call), &stats) == 0 && stats.half_registers == 4,
         "the link register");
}

/* results/reference/occupancy_registers.csv: first and last register count of each step. */
static void check_occupancy(void)
{
   static const struct {
      uint32_t first, last, threads;
   } steps[] = {{0, 104, 1024},  {105, 112, 896}, {113, 128, 832}, {129, 136, 768}, {137, 144, 704},
                {145, 160, 640}, {161, 184, 576}, {185, 208, 512}, {209, 232, 448}, {233, 256, 384}};
   for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
      CHECK(isa_max_threads(steps[i].first) == steps[i].threads && isa_max_threads(steps[i].last) == steps[i].threads,
            "occupancy step");
   }
}

static void check_hex(const char *line, int wanted, size_t wanted_column)
{
   uint8_t bytes[4];
   size_t column = 0;
   int count = isa_parse_hex(line, bytes, sizeof(bytes), &column);
   if (count != wanted || (wanted < 0 && column != wanted_column)) {
      printf("hex \"%s\": %d at column %zu\n", line, count, column);
      check_failures++;
   }
   CHECK(count < 2 || (bytes[0] == 0x0a && bytes[1] == 0xFF), "hex: wrong bytes");
}

static void check_exact(const uint8_t *bytes, size_t count, const char *wanted)
{
   char text[128];
   int length = isa_print_exact(isa_set_default(), bytes, count, ISA_SYNTAX_MESA, text, sizeof(text));
   if (strcmp(text, wanted) != 0 || length != (int)strlen(wanted)) {
      printf("\"%s\", not \"%s\"\n", text, wanted);
      check_failures++;
   }
}

int main(void)
{
   const uint8_t loop[] = {0x3a, 0x81, 0x13, 0x01, 0x24, 0x54, 0x02, 0x00, 0x00, 0xc0, 0xf8, 0xff, 0xff, 0xff};
   const uint8_t two_stops[] = {0x88, 0x00, 0x88, 0x00};
   char small[6];

   check_listing(program, sizeof(program), &(struct isa_listing_options){.base = 0x100}, listed);
   check_listing(loop, sizeof(loop), &(struct isa_listing_options){.syntax = ISA_SYNTAX_APPLEGPU, .plain = true},
                 plain);
   check_counts();
   check_occupancy();
   check_hex("0aff", 2, 0);
   check_hex(" 0a FF 12\t34 \r\n", 4, 0);
   check_hex("0aff123456", -E2BIG, 9);
   check_hex("", -EINVAL, 1);
   check_hex("0aff1", -EINVAL, 6);
   check_hex("0aff 0x1", -EINVAL, 9);
   check_hex("0x0a, 0xff", 2, 0);
   check_hex("0X0aff 34", 3, 0);
   check_hex("0aff stop", -EINVAL, 6);
   check_exact(two_stops, 2, "stop");
   check_exact(two_stops, 4, ".byte    0x88, 0x00, 0x88, 0x00");
   CHECK(isa_print_exact(isa_set_default(), two_stops, 4, ISA_SYNTAX_MESA, small, sizeof(small)) == 31 &&
             strcmp(small, ".byte") == 0,
         "text cut to the buffer");
   printf("listing: %u failures\n", check_failures);
   return check_result();
}
