/* SPDX-License-Identifier: MIT
 *
 * What the catalogue's assembly kernels share: docs/agx-assembly.5.scd.
 */
#ifndef NIR_KERNELS_AGX_TEXT_H
#define NIR_KERNELS_AGX_TEXT_H

/* The kernel's arguments, and r2: the thread's number. du0 input, du2 output, u4 a value. */
#define AGX_BEGIN_WITH(name, value)                                                                                    \
   ".kernel \"" name "\"\n"                                                                                            \
   ".argument buffer, \"input\", \"uint *\", read_only\n"                                                              \
   ".argument buffer, \"output\", \"uint *\"\n"                                                                        \
   ".argument value, \"" value "\", \"uint\"\n"                                                                        \
   ".uniform 0, 10, arguments\n"                                                                                       \
   ".main\n"                                                                                                           \
   "   mov      r2, thread_in_grid_x\n"
/* u4 iterations. */
#define AGX_BEGIN(name) AGX_BEGIN_WITH(name, "iterations")
/* u4 the number of the command's first thread, which r2 includes (BENCH_FIRST). */
#define AGX_BEGIN_PART(name) AGX_BEGIN_WITH(name, "first") "   iadd     r2, r2, u4\n"

/* The four words of input of each thread, into r4 to r7. Clobbers r3. */
#define AGX_LOAD_WORDS                                                                                                 \
   "   shl      r3, r2, 2\n"                                                                                           \
   "   load     r4_r5_r6_r7, du0, r3, i32, xyzw, a\n"                                                                  \
   "   wait     a\n"

/* A loop of u4 iterations, with r1 counting from 0. Lanes that are done become inactive; all are active after the loop.
 * Clobbers r0l. */
#define AGX_LOOP                                                                                                       \
   "   ldimm    r0l, 0\n"                                                                                              \
   "   ldimm    r1, 0\n"                                                                                               \
   "   if       r1, u4, 1, ult\n"                                                                                      \
   "   jmp_none done\n"                                                                                                \
   "loop:\n"
#define AGX_LOOP_END                                                                                                   \
   "   iadd     r1, r1, 1\n"                                                                                           \
   "   while    r1, u4, 1, ult\n"                                                                                      \
   "   jmp_any  loop\n"                                                                                                \
   "done:\n"                                                                                                           \
   "   pop_exec 1\n"

/* Mesa and Apple's compiler put eight traps behind the end, too: spec/isa.md 1.1. */
#define AGX_END                                                                                                        \
   "   stop\n"                                                                                                         \
   ".rept 8\n"                                                                                                         \
   "   trap\n"                                                                                                         \
   ".endr\n"

#endif
