/* SPDX-License-Identifier: MIT
 *
 * The forms of simd_matrix_fmadd, and the text of one. Invariant: all generators of this room write the instruction
 * through matrix_put_fmadd.
 */
#include "nir_kernels/matrix/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "nir_kernels/half.h"

const struct matrix_form matrix_forms[MATRIX_FORMS] = {
    [MATRIX_F16] = {"f16", "simd_matrix_fmadd16", "f16 x f16 + f16", 16, 16},
    [MATRIX_MIXED] = {"mixed", "simd_matrix_fmadd32", "f16 x f16 + f32", 16, 32},
    [MATRIX_F32] = {"f32", "simd_matrix_fmadd32", "f32 x f32 + f32", 32, 32},
};

struct matrix_pair matrix_pair(unsigned reg, unsigned bits)
{
   struct matrix_pair pair;

   if (bits == 16) {
      snprintf(pair.text, sizeof(pair.text), "r%ul_r%uh", reg, reg);
   } else {
      snprintf(pair.text, sizeof(pair.text), "r%u_r%u", reg, reg + 1);
   }
   return pair;
}

void matrix_put_fmadd(FILE *file, const struct matrix_form *form, unsigned d, unsigned a, unsigned b, unsigned c)
{
   fprintf(file, "   %s %s, %s, %s, %s\n", form->instruction, matrix_pair(d, form->sum_bits).text,
           matrix_pair(a, form->factor_bits).text, matrix_pair(b, form->factor_bits).text,
           matrix_pair(c, form->sum_bits).text);
}

double matrix_element(const uint32_t words[2], unsigned bits, unsigned index)
{
   float number;

   if (bits == 16) {
      return bench_half_value((uint16_t)(words[0] >> 16 * index));
   }
   memcpy(&number, &words[index], sizeof(number));
   return (double)number;
}

void matrix_set_pair(uint32_t words[2], unsigned bits, double first, double second)
{
   const float numbers[2] = {(float)first, (float)second};

   if (bits == 16) {
      words[0] = (uint32_t)bench_half(second) << 16 | bench_half(first);
      words[1] = 0;
   } else {
      memcpy(words, numbers, sizeof(numbers));
   }
}

bool matrix_text_begin(struct matrix_text *text)
{
   *text = (struct matrix_text){.text = NULL};
   text->file = open_memstream(&text->text, &text->size);
   return text->file != NULL;
}

char *matrix_text_end(struct matrix_text *text)
{
   if (fclose(text->file) != 0) {
      free(text->text);
      text->text = NULL;
   }
   return text->text;
}

int matrix_small(uint64_t seed, uint64_t index, int n)
{
   uint64_t x = (seed * 0x9e3779b97f4a7c15u) ^ (index + 1) * 0xbf58476d1ce4e5b9u;

   x = (x ^ x >> 31) * 0x94d049bb133111ebu;
   return (int)((x >> 33) % (uint64_t)(2 * n + 1)) - n;
}
