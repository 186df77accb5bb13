/* SPDX-License-Identifier: MIT
 *
 * What the GEMM generators share: sizes, addresses and loops.
 */
#include "nir_kernels/matrix/gemm.h"

#include <string.h>

#include "nir_kernels/agx_text.h"

size_t gemm_factor_bytes(const struct gemm *gemm)
{
   return gemm->encoding != GEMM_PLAIN ? 1 : matrix_forms[gemm->form].factor_bits / 8u;
}

unsigned gemm_element_bytes(const struct gemm *gemm)
{
   return matrix_forms[gemm->form].factor_bits / 8u;
}

size_t gemm_stride_a(const struct gemm *gemm)
{
   return GEMM_PADDED(gemm->transposed_a ? gemm->m : gemm->k) * gemm_factor_bytes(gemm);
}

size_t gemm_stride_b(const struct gemm *gemm)
{
   return GEMM_PADDED(gemm->transposed_b ? gemm->k : gemm->n) * gemm_factor_bytes(gemm);
}

size_t gemm_stride_d(const struct gemm *gemm)
{
   return GEMM_PADDED(gemm->n) * (matrix_forms[gemm->form].sum_bits / 8u);
}

size_t gemm_start_b(const struct gemm *gemm)
{
   return (gemm->transposed_a ? gemm->k : gemm->m) * gemm_stride_a(gemm);
}

size_t gemm_start_bias(const struct gemm *gemm)
{
   return gemm_start_b(gemm) + gemm->k * gemm_stride_b(gemm);
}

const char *const gemm_kernel_names[] = {
    [GEMM_NAIVE] = "naive",
    [GEMM_TILED] = "tiled",
    [GEMM_LOCAL] = "local",
    [GEMM_DIRECT] = "direct",
};

const char *gemm_inputs_name(const struct gemm *gemm)
{
   return gemm->epilogue                ? "fused"
          : gemm->encoding == GEMM_E4M3 ? "e4m3"
          : gemm->encoding == GEMM_E5M2 ? "e5m2"
                                        : matrix_forms[gemm->form].name;
}

struct gemm_tile gemm_tile(const struct gemm *gemm)
{
   switch (gemm->kernel) {
   case GEMM_NAIVE:
      break;
   case GEMM_TILED:
      return (struct gemm_tile){GEMM_TILED_SIDE(gemm->rows), GEMM_TILED_SIDE(gemm->columns)};
   case GEMM_LOCAL:
      return (struct gemm_tile){GEMM_LOCAL_SIDE(gemm->rows), GEMM_LOCAL_SIDE(gemm->columns)};
   case GEMM_DIRECT:
      return (struct gemm_tile){gemm->rows * MATRIX_SIZE, gemm->columns * MATRIX_SIZE};
   }
   return (struct gemm_tile){1, 1};
}

bool gemm_is_shape(const char *name)
{
   return strstr(name, "-blocks-") != NULL || strstr(name, "-tile-") != NULL;
}

static double ceiling(unsigned n, unsigned by)
{
   return (n + by - 1) / by;
}

double gemm_bytes_loaded(const struct gemm *gemm)
{
   const double bytes = (double)gemm_factor_bytes(gemm);
   const struct gemm_tile tile = gemm_tile(gemm);
   const double tiles = ceiling(gemm->m, tile.rows) * ceiling(gemm->n, tile.columns);

   switch (gemm->kernel) {
   case GEMM_NAIVE: /* a row and a column a thread; threads come by 256 */
      return 256 * ceiling(gemm->m * gemm->n, 256) * 2 * gemm->k * bytes;
   case GEMM_TILED:
   case GEMM_LOCAL: /* and one tile more: gemm_put_copy() */
      return tiles * (1 + gemm->k / GEMM_DEPTH) * (tile.rows + tile.columns) * GEMM_DEPTH * bytes;
   case GEMM_DIRECT:
      return tiles * ceiling(gemm->k, MATRIX_SIZE) * (gemm->rows + gemm->columns) * MATRIX_ELEMENTS * bytes;
   }
   return 0;
}

double gemm_bytes_least(const struct gemm *gemm)
{
   const double m = gemm->m, n = gemm->n, k = gemm->k;

   return (m * k + k * n) * (double)gemm_factor_bytes(gemm) + m * n * matrix_forms[gemm->form].sum_bits / 8;
}

char *gemm_text(const struct gemm *gemm, bool in_parts)
{
   static void (*const put[])(const struct gemm *gemm, FILE *file) = {
       [GEMM_NAIVE] = gemm_put_naive,
       [GEMM_TILED] = gemm_put_tiled,
       [GEMM_LOCAL] = gemm_put_local,
       [GEMM_DIRECT] = gemm_put_direct,
   };
   struct matrix_text text;

   if (!matrix_text_begin(&text)) {
      return NULL;
   }
   if (gemm->kernel == GEMM_TILED || gemm->kernel == GEMM_LOCAL) {
      fprintf(text.file, ".threadgroup %u\n", gemm_tile_bytes(gemm));
   }
   fputs(in_parts ? AGX_BEGIN_PART("gemm") : AGX_BEGIN("gemm"), text.file);
   put[gemm->kernel](gemm, text.file);
   fputs(AGX_END, text.file);
   return matrix_text_end(&text);
}

void gemm_put_divide(FILE *file, unsigned quotient, unsigned remainder, unsigned number, unsigned divisor)
{
   if ((divisor & (divisor - 1)) == 0) {
      fprintf(file, "   shr      r%u, r%u, %u\n", quotient, number, (unsigned)__builtin_ctz(divisor));
   } else {
      /* The high word of number times 2^32 / divisor, rounded up: exact while number times divisor is below 2^32. */
      fprintf(file, "   ldimm    r0, %llu\n   imul     dr0, r%u, r0\n   mov      r%u, r1\n",
              ((1ull << 32) + divisor - 1) / divisor, number, quotient);
   }
   fprintf(file, "   ldimm    r%u, %u\n   imul     r%u, r%u, r%u\n   iadd     r%u, r%u, r%u.neg\n", remainder, divisor,
           remainder, remainder, quotient, remainder, number, remainder);
}

void gemm_put_address(FILE *file, unsigned base, unsigned uniform, unsigned row, size_t stride, unsigned column,
                      unsigned bytes, size_t start, unsigned temporary)
{
   fprintf(file,
           "   ldimm    r%u, %zu\n"
           "   imul     r%u, r%u, r%u\n"
           "   shl      r%u, r%u, %u\n" /* the base's low half, for now */
           "   iadd     r%u, r%u, r%u\n"
           "   ldimm    r%u, %zu\n"
           "   iadd     r%u, r%u, r%u\n"
           "   mov      r%u, u%u\n"
           "   mov      r%u, u%u\n"
           "   iadd     dr%u, dr%u, r%u\n",
           temporary, stride, temporary, temporary, row, base, column, (unsigned)__builtin_ctz(bytes), temporary,
           temporary, base, base, start, temporary, temporary, base, base, uniform, base + 1, uniform + 1, base, base,
           temporary);
}

void gemm_put_lane(FILE *file, unsigned row, unsigned column, unsigned temporary)
{
   fprintf(file,
           "   shr      r%u, r2, 2\n   and      r%u, r%u, 4\n"
           "   shr      r%u, r2, 1\n   and      r%u, r%u, 3\n   or       r%u, r%u, r%u\n"
           "   shr      r%u, r2, 1\n   and      r%u, r%u, 4\n"
           "   shl      r%u, r2, 1\n   and      r%u, r%u, 2\n   or       r%u, r%u, r%u\n",
           row, row, row, temporary, temporary, temporary, row, row, temporary, column, column, column, temporary,
           temporary, temporary, column, column, temporary);
}

/* E4M3: the magnitudes of two codes, their signs; 2^8 and what a NaN's magnitude has become by it in low and high
 * halves; NaN. E5M2: the upper byte of a half in either half of a word. */
static const struct {
   unsigned count;
   uint32_t values[4];
} widen_constants[] = {
    [GEMM_PLAIN] = {0},
    [GEMM_E4M3] = {4, {0x007f007f, 0x00800080, 0x5f805c00, 0x7e00}},
    [GEMM_E5M2] = {2, {0xff00, 0xff000000}},
};

unsigned gemm_widen_constants(enum gemm_encoding encoding)
{
   return widen_constants[encoding].count;
}

void gemm_put_widen_constants(FILE *file, enum gemm_encoding encoding, unsigned constants)
{
   for (unsigned i = 0; i < widen_constants[encoding].count; i++) {
      fprintf(file, "   ldimm    r%u, 0x%x\n", constants + i, widen_constants[encoding].values[i]);
   }
}

/* The same steps as for one code in matrix_convert.c. */
void gemm_put_widen(FILE *file, enum gemm_encoding encoding, unsigned to, unsigned from, unsigned temporary,
                    unsigned constants)
{
   const unsigned t = temporary, c = constants;

   if (encoding == GEMM_E5M2) {
      fprintf(file,
              "   shl      r%u, r%u, 16\n   and      r%u, r%u, r%u\n   shl      r%u, r%ul, 8\n"
              "   and      r%u, r%u, r%u\n   or       r%u, r%u, r%u\n",
              t, from, t, t, c + 1, to, from, to, to, c, to, to, t);
      return;
   }
   fprintf(file,
           "   shl      r%u, r%ul, 8\n   or       r%u, r%ul, r%u\n"
           "   and      r%u, r%u, r%u\n   and      r%u, r%u, r%u\n   shl      r%u, r%u, 8\n   shl      r%u, r%u, 7\n",
           t, from, to, from, t, t, to, c + 1, to, to, c, t, t, to, to);
   for (unsigned half = 0; half < 2; half++) {
      const char part = half ? 'h' : 'l';

      fprintf(file, "   hmul     r%u%c, r%u%c, r%ul\n   csel     r%u%c, r%u%c, r%uh, r%ul, r%u%c, ieq\n", to, part, to,
              part, c + 2, to, part, to, part, c + 2, c + 3, to, part);
   }
   fprintf(file, "   or       r%u, r%u, r%u\n", to, to, t);
}

void gemm_put_tile_place(FILE *file, unsigned place, unsigned side, unsigned within)
{
   fprintf(file, "   shl      r%u, r%u, %u\n   iadd     r%u, r%u, r%u\n", place, place, (unsigned)__builtin_ctz(side),
           place, place, within);
}

void gemm_put_minimum(FILE *file, unsigned reg, unsigned limit, unsigned temporary)
{
   fprintf(file, "   ldimm    r%u, %u\n   csel     r%u, r%u, r%u, r%u, r%u, ult\n", temporary, limit, reg, reg,
           temporary, reg, temporary);
}

void gemm_put_loop(FILE *file, unsigned count, unsigned limit)
{
   fprintf(file, "   ldimm    r0l, 0\n   ldimm    r1, 0\n   ldimm    r%u, %u\nloop:\n", limit, count);
}

void gemm_put_loop_end(FILE *file, unsigned limit)
{
   fprintf(file, "   iadd     r1, r1, 1\n   while    r1, r%u, 1, ult\n   jmp_any  loop\n   pop_exec 1\n", limit);
}

void gemm_put_guarded_store(FILE *file, const char *reg, unsigned base, unsigned index, unsigned bits, unsigned column,
                            unsigned more, unsigned limit, unsigned temporary)
{
   fprintf(file,
           "   iadd     r%u, r%u, %u\n   if       r%u, r%u, 1, ult\n   store    %s, dr%u, %u, i%u, x, a\n"
           "   pop_exec 1\n",
           temporary, column, more, temporary, limit, reg, base, index, bits);
}
