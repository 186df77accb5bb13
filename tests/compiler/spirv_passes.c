/* SPDX-License-Identifier: MIT
 *
 * The passes over SPIR-V modules (compiler/passes), on modules written word by word. The numbers are those of the
 * SPIR-V specification.
 */
#include <stdlib.h>

#include "compiler/passes/constinit.h"
#include "compiler/passes/prune.h"
#include "tests/compiler/programs.h"

#define INSTRUCTION(words, opcode) ((words) << 16 | (opcode))

/* clang-format off */

/* %1 is the entry point and calls %3. */
static const uint32_t kept[] = {
    0x07230203, 0x00010000, 0, 10, 0,
    INSTRUCTION(4, 15), 6, 1, 'k',         /* OpEntryPoint */
    INSTRUCTION(3, 5), 3, 'h',             /* OpName */
    INSTRUCTION(2, 19), 2,                 /* OpTypeVoid */
    INSTRUCTION(3, 33), 6, 2,              /* OpTypeFunction */
    INSTRUCTION(5, 54), 2, 1, 0, 6,        /* %1 = OpFunction */
    INSTRUCTION(2, 248), 7,                /* OpLabel */
    INSTRUCTION(4, 57), 2, 8, 3,           /* OpFunctionCall %3 */
    INSTRUCTION(1, 253), INSTRUCTION(1, 56),
    INSTRUCTION(5, 54), 2, 3, 0, 6,        /* %3 = OpFunction */
    INSTRUCTION(2, 248), 9,                /* OpLabel */
    INSTRUCTION(1, 253), INSTRUCTION(1, 56),
};
/* Nothing calls %4, which %5 is defined in. */
static const uint32_t names[] = {
    INSTRUCTION(3, 5), 4, 'u',             /* OpName */
    INSTRUCTION(3, 71), 5, 0,              /* OpDecorate */
};
static const uint32_t unused[] = {
    INSTRUCTION(5, 54), 2, 4, 0, 6,        /* %4 = OpFunction */
    INSTRUCTION(2, 248), 5,                /* OpLabel */
    INSTRUCTION(1, 253), INSTRUCTION(1, 56),
};

/* uint constinit = 7 in storage class Function at module scope, and the start of a function. */
static const uint32_t initialised[] = {
    0x07230203, 0x00010400, 0, 20, 0,
    INSTRUCTION(4, 15), 6, 10, 'k',        /* OpEntryPoint */
    INSTRUCTION(2, 19), 9,                 /* OpTypeVoid */
    INSTRUCTION(4, 21), 1, 32, 0,          /* OpTypeInt */
    INSTRUCTION(4, 32), 2, 7, 1,           /* OpTypePointer Function */
    INSTRUCTION(4, 43), 1, 3, 7,           /* OpConstant 7 */
    INSTRUCTION(5, 59), 2, 4, 7, 3,        /* OpVariable Function, initialised */
    INSTRUCTION(3, 33), 8, 9,              /* OpTypeFunction */
    INSTRUCTION(5, 54), 9, 10, 0, 8,       /* OpFunction */
    INSTRUCTION(2, 248), 11,               /* OpLabel */
    INSTRUCTION(4, 83), 2, 12, 4,          /* OpCopyObject of the pointer */
};

/* clang-format on */

static void test_prune_pass(void)
{
   enum { HEAD = 9, KEPT = sizeof(kept) / 4, NAMES = sizeof(names) / 4, UNUSED = sizeof(unused) / 4 };
   uint32_t module[KEPT + NAMES + UNUSED], *pruned = NULL;
   size_t count = 0;

   memcpy(module, kept, HEAD * 4);
   memcpy(module + HEAD, names, sizeof(names));
   memcpy(module + HEAD + NAMES, kept + HEAD, sizeof(kept) - HEAD * 4);
   memcpy(module + KEPT + NAMES, unused, sizeof(unused));
   CHECK_EQUAL(compiler_prune(module, KEPT + NAMES + UNUSED, &pruned, &count), 1);
   CHECK_EQUAL(count, KEPT);
   CHECK(pruned != NULL && count == KEPT && memcmp(pruned, kept, sizeof(kept)) == 0);
   free(pruned);
   CHECK_EQUAL(compiler_prune(kept, KEPT, &pruned, &count), 0);
   /* a module that ends early is left alone, or stays whole */
   for (size_t cut = 0; cut < KEPT + NAMES + UNUSED; cut++) {
      if (compiler_prune(module, cut, &pruned, &count) == 1) {
         free(pruned);
      }
   }
}

/* Mends the module with one more instruction, which uses the variable. Returns what the pass returned; class: of the
 * variable, and of the pointer that the pass added. */
static int mend(const uint32_t *use, size_t use_words, uint32_t class[2])
{
   uint32_t module[64], *mended;
   size_t count = sizeof(initialised) / 4, mended_count;

   memcpy(module, initialised, sizeof(initialised));
   memcpy(&module[count], use, use_words * sizeof(*use));
   count += use_words;
   const int ret = compiler_constinit_mend(module, count, &mended, &mended_count);
   class[0] = class[1] = UINT32_MAX;
   for (size_t i = 5; ret == 1 && i < mended_count; i += mended[i] >> 16) {
      class[0] = (mended[i] & 0xffff) == 59 ? mended[i + 3] : class[0];
      class[1] = (mended[i] & 0xffff) == 32 && mended[i + 1] != 2 ? mended[i + 2] : class[1];
   }
   if (ret == 1) {
      free(mended);
   }
   return ret;
}

/* A variable that is only read becomes a constant; one that is written, or whose address goes elsewhere, does not. */
static void test_constinit(void)
{
   static const uint32_t load[] = {INSTRUCTION(4, 61), 1, 13, 12}, store[] = {INSTRUCTION(3, 62), 12, 3},
                         call[] = {INSTRUCTION(5, 57), 9, 13, 10, 12}, copy_to[] = {INSTRUCTION(3, 63), 12, 15},
                         copy_from[] = {INSTRUCTION(3, 63), 15, 12}, truncated[] = {INSTRUCTION(9, 61), 1, 13, 12},
                         /* vload4(x, p): the width has the number of the variable. Both pointers are others. */
       vload[] = {INSTRUCTION(8, 12), 9, 13, 10, 171, 15, 15, 4},
                         vload_from[] = {INSTRUCTION(8, 12), 9, 13, 10, 171, 15, 12, 4};
   uint32_t class[2];

   CHECK_EQUAL(mend(load, 4, class), 1);
   CHECK_EQUAL(class[0], 0); /* UniformConstant */
   CHECK_EQUAL(class[1], 0);
   CHECK_EQUAL(mend(copy_from, 3, class), 1);
   CHECK_EQUAL(mend(copy_to, 3, class), 0);
   CHECK_EQUAL(mend(store, 3, class), 0);
   CHECK_EQUAL(mend(call, 5, class), 0);
   CHECK_EQUAL(mend(truncated, 4, class), 0);
   CHECK_EQUAL(mend(vload, 8, class), 1);
   CHECK_EQUAL(mend(vload_from, 8, class), 0);
}

int main(void)
{
   test_prune_pass();
   test_constinit();
   return check_result();
}
