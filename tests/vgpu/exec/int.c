/* SPDX-License-Identifier: MIT
 *
 * Integer semantics against 64- and 128-bit host arithmetic: spec/isa.md 2.2 - 2.5.
 */
#include <string.h>

#include "tests/vgpu/exec/rig.h"

typedef __int128 wide;

#define IN(n) (lanes[lane][n])
#define LOW(n) ((uint16_t)IN(n))
#define HIGH(n) ((uint16_t)(IN(n) >> 16))
#define PAIR(n) ((uint64_t)IN((n) + 1) << 32 | IN(n))
#define CASE(name) static void name(const uint32_t(*lanes)[RIG_WORDS], unsigned lane, uint32_t *out)

static uint32_t keep_high(uint32_t low)
{
   return 0xdead0000 | (low & 0xffff);
}

static uint32_t keep_low(uint32_t high)
{
   return high << 16 | 0xbeef;
}

static void put64(uint32_t *out, uint64_t value)
{
   out[0] = (uint32_t)value;
   out[1] = (uint32_t)(value >> 32);
}

CASE(mov)
{
   out[0] = IN(1);
   out[1] = keep_high(HIGH(2));
   out[2] = keep_low(LOW(3));
   out[3] = LOW(0);
}

CASE(constants)
{
   (void)lanes, (void)lane;
   out[0] = 0x12345678;
   out[1] = keep_high(0xabcd);
   out[2] = 255;
   out[3] = (uint32_t)(RIG_OUTPUT >> 32);
}

CASE(add)
{
   out[0] = IN(0) + IN(1);
   out[1] = IN(0) - IN(1);
   out[2] = IN(2) + (IN(3) << 3);
   out[3] = IN(2) - (IN(3) << 1);
}

CASE(add_half)
{
   out[0] = (uint32_t)(int16_t)LOW(0) + HIGH(1);
   out[1] = keep_high((uint32_t)LOW(0) + HIGH(1));
   out[2] = keep_low(IN(2) - IN(3));
   out[3] = IN(2) + ((uint32_t)(int16_t)HIGH(3) << 4);
}

CASE(add64)
{
   put64(out, PAIR(0) + PAIR(2));
   put64(out + 2, PAIR(0) - (PAIR(2) << 4));
}

CASE(add64_mixed)
{
   put64(out, PAIR(0) + (uint64_t)(int64_t)(int32_t)IN(2));
   put64(out + 2, (uint64_t)IN(0) - ((uint64_t)IN(1) << 2));
}

CASE(add64_half)
{
   put64(out, PAIR(0) + (uint64_t)(int64_t)(int16_t)HIGH(2));
   put64(out + 2, (uint64_t)LOW(3) + 17);
}

static uint32_t clamp(wide value, wide least, wide most)
{
   return (uint32_t)(value < least ? least : value > most ? most : value);
}

CASE(saturate)
{
   out[0] = clamp((wide)IN(0) + IN(1), 0, UINT32_MAX);
   out[1] = clamp((wide)IN(0) - IN(1), 0, UINT32_MAX);
   out[2] = clamp((wide)(int32_t)IN(2) + (int32_t)IN(3), INT32_MIN, INT32_MAX);
   out[3] = keep_high(clamp((wide)(int16_t)LOW(2) - (int16_t)HIGH(3), INT16_MIN, INT16_MAX));
}

/* One sign bit makes it signed; a shift, or 64 bits, switches saturation off. */
CASE(saturate_rules)
{
   out[0] = clamp((wide)(int32_t)IN(0) + IN(1), INT32_MIN, INT32_MAX);
   out[1] = IN(0) + (IN(1) << 1);
   put64(out + 2, PAIR(0) + PAIR(2));
}

CASE(mad)
{
   out[0] = IN(0) * IN(1) + IN(2);
   out[1] = IN(0) * IN(1) - (IN(2) << 2);
   out[2] = IN(2) * IN(3);
   out[3] = keep_high((uint32_t)LOW(0) * HIGH(1) + LOW(2));
}

CASE(mad64)
{
   put64(out, (uint64_t)((wide)IN(0) * IN(1) + PAIR(2)));
   put64(out + 2, (uint64_t)((wide)(int32_t)IN(0) * (int32_t)IN(1) + (int32_t)IN(2)));
}

CASE(mad64_mixed)
{
   put64(out, (uint64_t)((wide)(int32_t)IN(0) * IN(1) - (wide)PAIR(2)));
   put64(out + 2, (uint64_t)((wide)(int16_t)HIGH(0) * (int32_t)IN(3) + ((wide)LOW(1) << 3)));
}

CASE(mad_saturate)
{
   out[0] = clamp((wide)IN(0) * IN(1) + IN(2), 0, UINT32_MAX);
   out[1] = clamp((wide)(int32_t)IN(0) * (int32_t)IN(1) + (int32_t)IN(2), INT32_MIN, INT32_MAX);
   out[2] = clamp((wide)LOW(0) * LOW(1) - IN(2), 0, UINT32_MAX);
   out[3] = IN(0) * IN(1) + (IN(2) << 1);
}

CASE(bits1)
{
   out[0] = IN(0) & IN(1);
   out[1] = IN(0) | IN(1);
   out[2] = IN(0) ^ IN(1);
   out[3] = ~IN(0);
}

CASE(bits2)
{
   out[0] = ~(IN(0) & IN(1));
   out[1] = ~(IN(0) | IN(1));
   out[2] = ~(IN(0) ^ IN(1));
   out[3] = IN(0) & ~IN(1);
}

CASE(bits3)
{
   out[0] = IN(0) | ~IN(1);
   out[1] = ~(uint32_t)LOW(0);
   out[2] = keep_low((uint32_t)LOW(0) & HIGH(1));
   out[3] = IN(2) ^ 0x5a;
}

/* 128-bit intermediates, as the specification writes them; shift counts of 7 bits. */
static unsigned count_of(uint32_t value)
{
   return value & 0x7f;
}

typedef unsigned __int128 uwide;
static uwide shift_left(uwide x, unsigned s)
{
   return s < 128 ? x << s : 0;
}

static uint32_t field(unsigned bits)
{
   return bits ? (1u << bits) - 1 : UINT32_MAX;
}

static uint32_t bfi(uint32_t a, uint32_t b, unsigned s, unsigned m)
{
   return (uint32_t)((a & ~shift_left(field(m), s)) | shift_left(b & field(m), s));
}

static uint32_t bfeil(uint32_t a, uint32_t b, unsigned s, unsigned m)
{
   return (uint32_t)((a & ~(uwide)field(m)) | (((uwide)b >> s) & field(m)));
}

CASE(shifts)
{
   unsigned s = count_of(IN(3));
   out[0] = bfi(0, IN(0), s, 0);
   out[1] = bfeil(0, IN(0), s, 0);
   out[2] = (uint32_t)((wide)(int32_t)IN(0) >> s);
   out[3] = (uint32_t)(((uwide)IN(1) << 32 | IN(0)) >> s);
}

CASE(fields)
{
   unsigned s = count_of(IN(3));
   out[0] = bfi(IN(0), IN(1), s, 7);
   out[1] = bfeil(IN(0), IN(1), s, 13);
   out[2] = (uint32_t)((((uwide)IN(1) << 32 | IN(0)) >> s) & field(20));
   out[3] = keep_high((uint32_t)((wide)(int16_t)LOW(0) >> s));
}

CASE(high_shifts)
{
   unsigned s = count_of(IN(3));
   uwide mask = shift_left(field(9), s > 32 ? s - 32 : 0);
   out[0] = (uint32_t)(((shift_left(IN(1), s) >> 32) & mask) | (IN(0) & ~mask));
   mask = ((uwide)field(9) << 32) >> (s < 32 ? s : 32);
   out[1] = (uint32_t)(((((uwide)IN(1) << 32) >> s) & mask) | (IN(0) & ~mask));
   out[2] = (uint32_t)((wide)((uwide)(wide)(int32_t)IN(0) << 32) >> s);
   out[3] = (uint32_t)(shift_left(IN(1), s) >> 32);
}

static uint32_t reversed(uint32_t x)
{
   uint32_t r = 0;
   for (unsigned i = 0; i < 32; i++) {
      r |= (x >> i & 1) << (31 - i);
   }
   return r;
}

CASE(counts)
{
   out[0] = reversed(IN(0));
   out[1] = (uint32_t)__builtin_popcount(IN(1));
   out[2] = IN(2) ? 31u - (uint32_t)__builtin_clz(IN(2)) : UINT32_MAX;
   out[3] = keep_high(reversed(HIGH(3)));
}

CASE(interleave)
{
   out[0] = 0;
   for (unsigned i = 0; i < 16; i++) {
      out[0] |= (IN(0) >> i & 1) << 2 * i | (IN(1) >> i & 1) << (2 * i + 1);
   }
   out[1] = (uint32_t)__builtin_popcount(LOW(0));
   out[2] = keep_low(LOW(1) ? 31u - (uint32_t)__builtin_clz(LOW(1)) : 0xffff);
}

CASE(selects)
{
   out[0] = IN(0) == IN(1) ? IN(2) : IN(3);
   out[1] = IN(0) < IN(1) ? IN(2) : IN(3);
   out[2] = (int32_t)IN(0) > (int32_t)IN(1) ? IN(2) : 7;
   out[3] = keep_high((int16_t)LOW(0) < (int32_t)IN(1) ? LOW(2) : HIGH(3));
}

/* Conditions from 4 on extend each operand from its own size: seq differs from ueq on mixed sizes. */
CASE(mixed_selects)
{
   out[0] = LOW(0) == IN(1) ? 1 : 0;
   out[1] = (uint32_t)(int16_t)LOW(0) == IN(1) ? 1 : 0;
   out[2] = IN(0) > HIGH(1) ? IN(2) : IN(3);
   out[3] = (int32_t)IN(0) < (int16_t)HIGH(1) ? IN(2) : IN(3);
}

static const struct rig_case cases[] = {
    {"mov r8, r5\nmov r9l, r6h\nmov r10h, r7l\nmov r11, r4l", mov},
    {"ldimm r8, 0x12345678\nldimm r9l, 0xabcd\nmov r10, 255\nmov r11, u3", constants},
    {"iadd r8, r4, r5\niadd r9, r4, r5.neg\niadd r10, r6, r7, lsl 3\niadd r11, r6, r7.neg, lsl 1", add},
    {"iadd r8, r4l.sx, r5h\niadd r9l, r4l, r5h\niadd r10h, r6, r7.neg\niadd r11, r6, r7h.sx, lsl 4", add_half},
    {"iadd dr8, dr4, dr6\niadd dr10, dr4, dr6.neg, lsl 4", add64},
    {"iadd dr8, dr4, r6.sx\niadd dr10, r4, r5.neg, lsl 2", add64_mixed},
    {"iadd dr8, dr4, r6h.sx\niadd dr10, r7l, 17", add64_half},
    {"iadd r8, r4, r5, sat\niadd r9, r4, r5.neg, sat\niadd r10, r6.sx, r7.sx, sat\niadd r11l, r6l.sx, r7h.sx.neg, sat",
     saturate},
    {"iadd r8, r4.sx, r5, sat\niadd r9, r4, r5, lsl 1, sat\niadd dr10, dr4, dr6, sat", saturate_rules},
    {"imadd r8, r4, r5, r6\nimadd r9, r4, r5, r6.neg, lsl 2\nimul r10, r6, r7\nimadd r11l, r4l, r5h, r6l", mad},
    {"imadd dr8, r4, r5, dr6\nimadd dr10, r4.sx, r5.sx, r6.sx", mad64},
    {"imadd dr8, r4.sx, r5, dr6.neg\nimadd dr10, r4h.sx, r7.sx, r5l, lsl 3", mad64_mixed},
    {"imadd r8, r4, r5, r6, sat\nimadd r9, r4.sx, r5.sx, r6.sx, sat\nimadd r10, r4l, r5l, r6.neg, sat\n"
     "imadd r11, r4, r5, r6, lsl 1, sat",
     mad_saturate},
    {"and r8, r4, r5\nor r9, r4, r5\nxor r10, r4, r5\nnot r11, r4", bits1},
    {"nand r8, r4, r5\nnor r9, r4, r5\nxnor r10, r4, r5\nandn2 r11, r4, r5", bits2},
    {"orn2 r8, r4, r5\nnot r9, r4l\nand r10h, r4l, r5h\nxor r11, r6, 0x5a", bits3},
    {"shl r8, r4, r7\nshr r9, r4, r7\nasr r10, r4, r7\nextr r11, r4, r5, r7, 0", shifts},
    {"bfi r8, r4, r5, r7, 7\nbfeil r9, r4, r5, r7, 13\nextr r10, r4, r5, r7, 20\nasr r11l, r4l, r7", fields},
    {"shlhi r8, r4, r5, r7, 9\nshrhi r9, r4, r5, r7, 9\nasrh r10, r4, r7\nshlhi r11, 0, r5, r7, 0", high_shifts},
    {"bitrev r8, r4\npopcnt r9, r5\nffs r10, r6\nbitrev r11l, r7h", counts},
    {"intl r8, r4, r5\npopcnt r9, r4l\nffs r10h, r5l", interleave},
    /* The same with bits that the hardware ignores: docs/agx-assembly.5.scd. */
    {"bitrev r8.odd, r4.wide\npopcnt r9, r5.odd\nffs r10.odd, r6\nbitrev r11l, r7h", counts},
    {"and r8, r4.wide, r5\nor r9, r4, r5, ignored=0x3\nxor r10, r4.odd, r5\nnot r11, r4, ignored=0x2", bits1},
    {"shl r8, r4, r7.odd\nshr r9, r4, r7.wide\nasr r10, r4, r7, ignored=0x1ffff\nextr r11, r4.wide.odd, r5, r7, 0",
     shifts},
    {"imadd r8, r4.wide, r5, r6\nimadd r9, r4, r5.odd, r6.neg, lsl 2\nimul r10, r6, r7.wide\nimadd r11l, r4l, r5h, r6l",
     mad},
    {"csel r8, r4, r5, r6, r7, ieq\ncsel r9, r4, r5, r6, r7, ult\ncsel r10, r4, r5, r6, 7, sgt\n"
     "csel r11l, r4l, r5, r6l, r7h, slt",
     selects},
    {"csel r8, r4l, r5, 1, 0, ieq\ncsel r9, r4l, r5, 1, 0, seq\ncsel r10, r4, r5h, r6, r7, ugt\n"
     "csel r11, r4, r5h, r6, r7, slt",
     mixed_selects},
};

/* Bits that hardware ignores (applegpu's hwtest set them at random on an M1) change no result: the operand slot and
 * mask that asr and asrh do not use, and the two top bits of bitop. */
static const struct {
   const char *body;
   uint64_t spare; /* of the instruction's 8, or 6, bytes */
   struct rig_case expected;
} spare_bits[] = {
    {"asr r10, r4, r7",
     UINT64_C(0x3ff) << 40 | UINT64_C(3) << 54 | UINT64_C(3) << 38 | UINT64_C(3) << 50,
     {NULL, shifts}},
    {"asrh r10, r4, r7",
     UINT64_C(0x3ff) << 40 | UINT64_C(3) << 54 | UINT64_C(3) << 38 | UINT64_C(3) << 50,
     {NULL, high_shifts}},
    {"xor r10, r4, r5", UINT64_C(3) << 46, {NULL, bits1}},
};

static void ignored_bits(void)
{
   for (size_t i = 0; i < sizeof(spare_bits) / sizeof(spare_bits[0]); i++) {
      struct rig rig;
      struct isa_insn insn;
      size_t at = 0;
      rig_init(&rig, 256);
      rig_fill(&rig);
      rig_kernel(&rig, spare_bits[i].body);
      for (;; at += insn.length) { /* the first ALU instruction that is the body's: after the wait */
         isa_decode(isa_set_default(), rig.code + at, rig.code_size - at, &insn);
         if (insn.op == ISA_OP_WAIT) {
            at += insn.length;
            break;
         }
      }
      isa_decode(isa_set_default(), rig.code + at, rig.code_size - at, &insn);
      for (unsigned byte = 0; byte < insn.length; byte++) {
         rig.code[at + byte] |= (uint8_t)(spare_bits[i].spare >> 8 * byte);
      }
      rig_run(&rig, vgpu_best_level());
      for (uint32_t thread = 0; thread < 256; thread++) {
         uint32_t want[RIG_WORDS] = {0};
         const uint32_t(*lanes)[RIG_WORDS] = (const uint32_t(*)[RIG_WORDS])(const void *)rig_in(&rig, thread & ~31u);
         spare_bits[i].expected.expect(lanes, thread % 32, want);
         if (rig_out(&rig, thread)[2] != want[2]) {
            rig_fail("%s with spare bits: %08x, expected %08x", spare_bits[i].body, rig_out(&rig, thread)[2], want[2]);
         }
      }
      rig_finish(&rig);
   }
}

int main(void)
{
   rig_cases(cases, sizeof(cases) / sizeof(cases[0]), 4096, rig_fill);
   ignored_bits();
   return rig_result();
}
