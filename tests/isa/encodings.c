/* SPDX-License-Identifier: MIT
 *
 * Encodings that hardware takes or that Mesa's and Apple's compilers make, beyond those that our assembler chooses, and
 * texts that Mesa writes. Sources: applegpu's hwtest, run on an M1 (hwtest), Mesa's disassembler test data (Mesa).
 *
 * Three checks: each decodes to its text, each text assembles to its bytes, and an encoding that means the same as a
 * plainer one has the plainer one's operands.
 */
#include "isa/assembler/asm.h"
#include "isa/table.h"
#include "tests/check.h"

#include <stdio.h>
#include <string.h>

/* text: what the disassembler writes. plain: the instruction that it means, as the assembler makes it; NULL: itself. */
static const struct {
   const char *hex, *text, *plain;
} encodings[] = {
    /* hwtest: bits 46 and 47 of bitop are ignored. */
    {"7e0d424004c0", "bitop r3, r1l, r2l, 0, ignored=0x3", "bitop r3, r1l, r2l, 0"},
    {"7e0542064080", "not r1, r1, ignored=0x2", "not r1, r1"},
    /* hwtest: the slots of the third source and the mask of asr and asrh are ignored. */
    {"2e99404624480200", "asr r6, r0, r2, ignored=0x248", "asr r6, r0, r2"},
    {"2e99404ce4480280", "asrh r6, r0l, r2, ignored=0x13248", "asrh r6, r0l, r2"},
    /* hwtest: type 11 outside the sources of additions. */
    {"1e19404334480300", "imadd r6, r0.wide, r2.wide, dr4", "imadd r6, r0, r2, dr4"},
    {"3e1944070000", "bitrev r6, r2.wide", "bitrev r6, r2"},
    {"3e194e230400", "intl r6, r7.wide, r1l", "intl r6, r7, r1l"},
    {"7e1940072400", "nor r6, r0.wide, r0", "nor r6, r0, r0"},
    /* hwtest: odd numbers of 32-bit registers. */
    {"3e1b44060000", "bitrev r6.odd, r2", "bitrev r6, r2"},
    {"3e1b450e0000", "ffs r6.odd, r2.odd", "ffs r6, r2"},
    /* hwtest: the size bit of half-precision destinations. */
    {"361940400448", "hfma r6l.wide, r0l, r2l, r4l", "hfma r6l, r0l, r2l, r4l"},
    {"268142300400", "hadd r0l.wide, r1l, r1h", "hadd r0l, r1l, r1h"},
    {"1603c1f0", "hmul r0h.wide, ^r0h, 0.234375", "hmul r0h, ^r0h, 0.234375"},
    /* Mesa: the scoreboard slot of a state load. */
    {"ad01116001000024", "load ss1, du8, 88, b", NULL},
    {"ed00110001000024", "load ts0, du8, 64, b", NULL},
    /* Mesa: threadgroup loads of Apple's compiler. */
    {"69a501c2f781ff03", "lload r9_r10_r11_r12, r0h, -4, i32, xyzw, bits=0x102", NULL},
    {"69b504c2f781ff03", "lload r13_r14_r15_r16, r2l, -4, i32, xyzw, bits=0x102", NULL},
    {"69c505c2f781ff03", "lload r17_r18_r19_r20, r2h, -4, i32, xyzw, bits=0x102", NULL},
    {"69d906c2f781ff03", "lload r22_r23_r24_r25, r3l, -4, i32, xyzw, bits=0x102", NULL},
    /* Mesa: graphics and the scratch helper. */
    {"61014180", "iter.short r0_r1, cf1, cf0, forward", NULL},
    {"610145c0", "iter.short r0_r1_r2, cf5, cf0, forward", NULL},
    {"6191018002001300", "iter r4_r5, cf1, cf0, r1l, sample, kill", NULL},
    {"750a100510801200", "unmap r1, 2, 1, bits=0x501", NULL},
    {"91008880", "st_var r0, 8, last", NULL},
    /* Mesa's compiler makes the long form. */
    {"b500810523800000", "stack_adjust 56", NULL},
    {"b50081052000", "stack_adjust 8", NULL},
    {"19918003548000000800", "latomic r4, r4_r5, 0, cmpxchg", NULL},
    {"198005c31781ff038c00", "latomic _, r70_r71, r2h, -4, cmpxchg, bits=0x1", NULL},
    /* Mesa: an offset without a reference value has 16 bits. */
    {"3181040000620f0000001108", "smpf r0_r1_r2_r3, ts0, ss0, r2, 0, r8h, 2d, xyzw, auto_lod, offset, a", NULL},
    {"c2096026e600", "if r16.abs, r17.abs.neg, 1, cache, fneq", NULL},
};

/* What Mesa writes, in its order, and what it assembles to. */
static const struct {
   const char *text, *hex;
} spellings[] = {
    {"mov r0l, active_thread_index_in_simdgroup", "72003a00"},
    {"mov r0l, active_thread_index_in_subgroup", "72003a00"},
    {"mov r8, thread_index_in_simdgroup", "72213400"},
    {"if r16.abs, r17.abs.neg, 1, fneq, cache", "c2096026e600"},
    {"if r16.abs, r17.abs.neg, 1, cache, fneq", "c2096026e600"},
    {"if r16.abs, r17.abs.neg, cache, 1, fneq", "c2096026e600"},
    {"shuffle r0h, r0h, 1, xor, quad", "6f0241104000"},
    {"latomic r4, r4_r5, 0, cmpxchg", "19918003548000000800"},
    {"latomic r4, r4, 0, cmpxchg", "19918003548000000800"},
    {"iter r4_r5, cf1, cf0, r1l, sample, elide, kill", "6191018002401300"},
    {"iter r4_r5, cf1, cf0, r1l, sample, kill, elide", "6191018002401300"},
    {"smpf r0_r1_r2_r3, ts0, ss0, r2, r6l, r8, 2d, xyzw, shadow, lod_min, a", "3181840c00626f0000001000"},
    {"smpf r0_r1_r2_r3, ts0, ss0, r2, r6l, r8, 2d, xyzw, lod_min, shadow, a", "3181840c00626f0000001000"},
};

static const struct {
   const char *hex, *text;
} applegpu[] = {
    {"3e8101042c00", "convert r0, s8_to_f, ^r0, rte"},
    {"3e8107042c00", "convert r0, s16_to_f, ^r0, rte"},
    {"3e810b042c00", "convert r0, s32_to_f, ^r0, rte"},
    {"0e05422e64000000", "isub r1, r1.sx, r1.sx"},
    {"1e05422e64440600", "imsub r1, r1.sx, r1.sx, r2.sx"},
    {"6f8a44600080", "simd_prefix_iadd r2h, r2l"},
    {"6f8444600000", "simd_prefix_and r1l, r2l"},
    {"6f8844200080", "simd_iadd r2l, r2l"},
    {"6f8844000080", "quad_iadd r2l, r2l"},
    {"6f0241104000", "quad_shuffle_xor r0h, r0h, 1"},
    {"2e0500c024080000", "bfi r1, 0, r6, 8, 0"},
    {"3219010000800100", "icmp_ballot r6, 1, 0, ine"},
};

static size_t parse_hex(const char *hex, uint8_t bytes[2 * ISA_MAX_LENGTH])
{
   size_t count = 0;
   unsigned byte;
   while (count < ISA_MAX_LENGTH && sscanf(hex + 2 * count, "%2x", &byte) == 1) {
      bytes[count++] = (uint8_t)byte;
   }
   memset(bytes + count, 0xff, 2 * ISA_MAX_LENGTH - count); /* what comes after the instruction */
   return count;
}

/* The printer fills the mnemonic to a column. */
static bool same_text(const char *a, const char *b)
{
   while (*a != '\0' && *a == *b) {
      if (*a == ' ') {
         a += strspn(a, " ");
         b += strspn(b, " ");
      } else {
         a++, b++;
      }
   }
   return *a == *b;
}

static void check_decode(const char *hex, const char *text, enum isa_syntax syntax)
{
   uint8_t bytes[2 * ISA_MAX_LENGTH];
   struct isa_insn insn;
   char printed[256];
   size_t size = parse_hex(hex, bytes);

   isa_decode(isa_set_default(), bytes, sizeof(bytes), &insn);
   isa_print(&insn, syntax, printed, sizeof(printed));
   if (insn.row == NULL || insn.length != size || !same_text(printed, text)) {
      printf("%s\n  expected %s\n  decoded  %s\n", hex, text, printed);
      check_failures++;
   }
}

static void check_assemble(const struct isa_asm *assembler, const char *text, const char *hex)
{
   uint8_t bytes[2 * ISA_MAX_LENGTH], made[ISA_ASM_LINE_BYTES_MAX];
   struct isa_diagnostic wrong = {.message = "other bytes"};
   size_t size = parse_hex(hex, bytes);
   int count = isa_asm_line(assembler, text, strlen(text), made, &wrong);

   if (count != (int)size || memcmp(made, bytes, size) != 0) {
      printf("%s\n  expected %s: %s\n", text, hex, wrong.message);
      check_failures++;
   }
}

static bool same_operand(const struct isa_operand *a, const struct isa_operand *b)
{
   return a->kind == b->kind && a->size == b->size && a->count == b->count && a->value == b->value &&
          a->abs == b->abs && a->neg == b->neg && a->sx == b->sx && a->cache == b->cache && a->discard == b->discard;
}

/* All that execution and timing read is the same. */
static void check_meaning(const struct isa_asm *assembler, const char *hex, const char *plain)
{
   uint8_t bytes[2 * ISA_MAX_LENGTH], made[ISA_ASM_LINE_BYTES_MAX];
   struct isa_diagnostic wrong;
   struct isa_insn insn, want;
   bool good = true;

   parse_hex(hex, bytes);
   isa_decode(isa_set_default(), bytes, sizeof(bytes), &insn);
   int count = isa_asm_line(assembler, plain, strlen(plain), made, &wrong);
   if (count <= 0) {
      printf("%s does not assemble\n", plain);
      check_failures++;
      return;
   }
   isa_decode(isa_set_default(), made, (size_t)count, &want);
   for (unsigned target = ISA_DST; target <= ISA_SRC5; target++) {
      good = good && same_operand(isa_operand_in(&insn, target), isa_operand_in(&want, target));
   }
   insn.mod[ISA_MOD_IGNORED] = 0;
   if (!good || insn.op != want.op || memcmp(insn.mod, want.mod, sizeof(insn.mod)) != 0 ||
       isa_timing_class(&insn) != isa_timing_class(&want)) {
      printf("%s does not mean %s\n", hex, plain);
      check_failures++;
   }
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int main(void)
{
   struct isa_asm *mesa = isa_asm_create(NULL);
   struct isa_asm *other = isa_asm_create(&(struct isa_asm_options){.syntax = ISA_SYNTAX_APPLEGPU});

   if (mesa == NULL || other == NULL) {
      printf("out of memory\n");
      return 1;
   }
   for (size_t i = 0; i < COUNT(encodings); i++) {
      check_decode(encodings[i].hex, encodings[i].text, ISA_SYNTAX_MESA);
      check_assemble(mesa, encodings[i].text, encodings[i].hex);
      if (encodings[i].plain != NULL) {
         check_meaning(mesa, encodings[i].hex, encodings[i].plain);
      }
   }
   for (size_t i = 0; i < COUNT(spellings); i++) {
      check_assemble(mesa, spellings[i].text, spellings[i].hex);
   }
   for (size_t i = 0; i < COUNT(applegpu); i++) {
      check_decode(applegpu[i].hex, applegpu[i].text, ISA_SYNTAX_APPLEGPU);
      check_assemble(other, applegpu[i].text, applegpu[i].hex);
   }
   isa_asm_destroy(mesa);
   isa_asm_destroy(other);
   return check_failures != 0;
}
