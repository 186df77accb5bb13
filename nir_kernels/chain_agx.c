/* SPDX-License-Identifier: MIT
 *
 * The kernel around the steps of a chain in assembly: chain.c's kernel in machine code, for instructions that Mesa
 * never emits. Values are in r4 to r7, operands in r8 to r11; 16-bit ones in the lower halves. 64-bit values are in r4
 * to r11, their operands in r12 to r19. r20 and above are free.
 */
#include <stdio.h>
#include <stdlib.h>

#include "nir_kernels/agx_text.h"
#include "nir_kernels/chain.h"

/* clang-format off */
static const char before[] =
   AGX_BEGIN("chain")
   "   imul     r3, r2, 8 * WORDS\n"
   ".rept 2 * WORDS, v\n"
   "   load     r[4 + 4 * v]_r[5 + 4 * v]_r[6 + 4 * v]_r[7 + 4 * v], du0, r3, i32, xyzw, a\n"
   "   iadd     r3, r3, 4\n"
   ".endr\n"
   "   imul     r3, r2, 4 * WORDS\n"
   "   wait     a\n"
   AGX_LOOP;
static const char after[] =
   AGX_LOOP_END
   ".rept CHAINS, c\n"
   "   xor      r[4 + WORDS * c], r[4 + WORDS * c], r1\n"
   ".rept WORDS, w\n"
   "   store    r[4 + WORDS * c + w], du2, r3, i32, x, a\n"
   "   iadd     r3, r3, 1\n"
   ".endr\n"
   ".endr\n"
   AGX_END;
/* clang-format on */

char *bench_chain_agx(const struct bench_chain *chain, const struct bench_variant *variant)
{
   char *text = NULL;
   size_t size = 0;
   FILE *file = open_memstream(&text, &size);

   if (file == NULL) {
      return NULL;
   }
   fprintf(file, ".equ CHAINS, %u\n.equ REPEAT, %u\n.equ STEPS, %u\n.equ WORDS, %zu\n%s", variant->chains,
           variant->repeat, variant->steps, bench_chain_word(chain) / sizeof(uint32_t), before);
   /* The condition is bench_chain_has(). */
   fprintf(file,
           ".rept STEPS, i\n.rept CHAINS, c\n.rept i * REPEAT / STEPS != (i + 1) * REPEAT / STEPS\n   %s\n.endr\n"
           ".endr\n.rept CHAINS, c\n   %s\n.endr\n.endr\n",
           chain->agx, chain->agx_companion != NULL ? chain->agx_companion : "");
   fputs(after, file);
   if (fclose(file) != 0) {
      free(text);
      return NULL;
   }
   return text;
}
