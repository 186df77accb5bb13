/* SPDX-License-Identifier: MIT
 *
 * One row an enum isa_op: how its operands are bound (vgpu/exec/bind.c), what it does to control flow, and its handlers
 * (exec_*.c), by the variant that binding picks. exec_table.c and bind.c both make their tables from this list,
 * and do not compile when an operation is missing.
 */
#ifndef VGPU_SEMANTICS_H
#define VGPU_SEMANTICS_H

enum vgpu_trait {
   VGPU_PLAIN = 0,
   VGPU_ACTS_IDLE = 1, /* does something when no lane is active */
   VGPU_SETS_EXEC = 3, /* so does this, and it changes the exec mask: a block ends here */
};

/* ROW(operation, binding, control, traits, handlers...) */
#define VGPU_SEMANTICS(ROW)                                                                                            \
   ROW(MOV_IMM, mov_imm, FALL, PLAIN, copy)                                                                            \
   ROW(GET_SR, get_sr, FALL, PLAIN, get_sr, get_position)                                                              \
   ROW(IADD, iadd, FALL, PLAIN, iadd, iadd64, iadd_saturate)                                                           \
   ROW(IMADD, imadd, FALL, PLAIN, imadd, imadd64, imadd_saturate)                                                      \
   ROW(BITOP, bitop, FALL, PLAIN, bitop0, bitop1, bitop2, bitop3, bitop4, bitop5, bitop6, bitop7, bitop8, bitop9,      \
       bitop10, bitop11, bitop12, bitop13, bitop14, bitop15)                                                           \
   ROW(BFI, shift, FALL, PLAIN, bfi)                                                                                   \
   ROW(BFEIL, shift, FALL, PLAIN, bfeil)                                                                               \
   ROW(EXTR, shift, FALL, PLAIN, extr)                                                                                 \
   ROW(ASR, asr, FALL, PLAIN, asr)                                                                                     \
   ROW(SHLHI, shift, FALL, PLAIN, shlhi)                                                                               \
   ROW(SHRHI, shift, FALL, PLAIN, shrhi)                                                                               \
   ROW(ASRH, asr, FALL, PLAIN, asrh)                                                                                   \
   ROW(BITREV, raw, FALL, PLAIN, bitrev)                                                                               \
   ROW(POPCOUNT, raw, FALL, PLAIN, popcount)                                                                           \
   ROW(FFS, raw, FALL, PLAIN, ffs)                                                                                     \
   ROW(INTL, raw, FALL, PLAIN, intl)                                                                                   \
   ROW(CONVERT, convert, FALL, PLAIN, u8_to_f, s8_to_f, f_to_u16, f_to_s16, u16_to_f, s16_to_f, f_to_u32, f_to_s32,    \
       u32_to_f, s32_to_f)                                                                                             \
   ROW(FADD, real, FALL, PLAIN, fadd)                                                                                  \
   ROW(FMUL, real, FALL, PLAIN, fmul)                                                                                  \
   ROW(FFMA, real, FALL, PLAIN, ffma)                                                                                  \
   ROW(HADD, real, FALL, PLAIN, hadd)                                                                                  \
   ROW(HMUL, real, FALL, PLAIN, hmul)                                                                                  \
   ROW(HFMA, real, FALL, PLAIN, hfma)                                                                                  \
   ROW(FLOOR, real, FALL, PLAIN, floor)                                                                                \
   ROW(CEIL, real, FALL, PLAIN, ceil)                                                                                  \
   ROW(TRUNC, real, FALL, PLAIN, trunc)                                                                                \
   ROW(RINT, real, FALL, PLAIN, rint)                                                                                  \
   ROW(RCP, real, FALL, PLAIN, rcp)                                                                                    \
   ROW(RSQRT, real, FALL, PLAIN, rsqrt)                                                                                \
   ROW(RSQRTS, real, FALL, PLAIN, rsqrts)                                                                              \
   ROW(SIN_PT_1, real, FALL, PLAIN, sin_pt_1)                                                                          \
   ROW(SIN_PT_2, real, FALL, PLAIN, sin_pt_2)                                                                          \
   ROW(LOG2, real, FALL, PLAIN, log2)                                                                                  \
   ROW(EXP2, real, FALL, PLAIN, exp2)                                                                                  \
   ROW(DFDX, graphics, FAULT, PLAIN, none)                                                                             \
   ROW(DFDY, graphics, FAULT, PLAIN, none)                                                                             \
   ROW(ICMPSEL, icmpsel, FALL, PLAIN, icmpsel_ISA_UEQ, icmpsel_ISA_ULT, icmpsel_ISA_UGT, icmpsel_ISA_SLT,              \
       icmpsel_ISA_SGT)                                                                                                \
   ROW(FCMPSEL, fcmpsel, FALL, PLAIN, fcmpsel_ISA_FEQ, fcmpsel_ISA_FLT, fcmpsel_ISA_FGT, fcmpsel_ISA_FLTN,             \
       fcmpsel_ISA_FGE, fcmpsel_ISA_FLE, fcmpsel_ISA_FGTN)                                                             \
   ROW(IF_ICMP, icompare, FALL, SETS_EXEC, if_icmp)                                                                    \
   ROW(ELSE_ICMP, icompare, FALL, SETS_EXEC, else_icmp)                                                                \
   ROW(WHILE_ICMP, icompare, FALL, SETS_EXEC, while_icmp)                                                              \
   ROW(IF_FCMP, fcompare, FALL, SETS_EXEC, if_fcmp)                                                                    \
   ROW(ELSE_FCMP, fcompare, FALL, SETS_EXEC, else_fcmp)                                                                \
   ROW(WHILE_FCMP, fcompare, FALL, SETS_EXEC, while_fcmp)                                                              \
   ROW(POP_EXEC, pop_exec, FALL, SETS_EXEC, pop_exec)                                                                  \
   ROW(JMP_ANY, nothing, JUMP_ANY, ACTS_IDLE, none)                                                                    \
   ROW(JMP_NONE, nothing, JUMP_NONE, ACTS_IDLE, none)                                                                  \
   ROW(CALL, call, CALL, ACTS_IDLE, none)                                                                              \
   ROW(CALL_REG, call_register, CALL_REGISTER, ACTS_IDLE, none)                                                        \
   ROW(RET, return, RETURN, ACTS_IDLE, none)                                                                           \
   ROW(STOP, nothing, STOP, ACTS_IDLE, none)                                                                           \
   ROW(TRAP, trap, FAULT, ACTS_IDLE, none)                                                                             \
   ROW(SHUFFLE, shuffle, FALL, PLAIN, shuffle, quad_shuffle)                                                           \
   ROW(MATRIX, matrix, FALL, PLAIN, matrix)                                                                            \
   ROW(REDUCE, reduce, FALL, PLAIN, reduce)                                                                            \
   ROW(PREFIX, reduce, FALL, PLAIN, prefix)                                                                            \
   ROW(ICMP_BALLOT, icompare, FALL, PLAIN, icmp_ballot)                                                                \
   ROW(FCMP_BALLOT, fcompare, FALL, PLAIN, fcmp_ballot)                                                                \
   ROW(LOAD, load, FALL, PLAIN, load)                                                                                  \
   ROW(STORE, store, FALL, PLAIN, store)                                                                               \
   ROW(UNIFORM_STORE, uniform_store, FALL, PLAIN, uniform_store)                                                       \
   ROW(ATOMIC, atomic, FALL, PLAIN, atomic, atomic64)                                                                  \
   ROW(STACK_LOAD, stack_load, FALL, PLAIN, stack_load)                                                                \
   ROW(STACK_STORE, stack_store, FALL, PLAIN, stack_store)                                                             \
   ROW(STACK_ADJUST, stack_adjust, FALL, ACTS_IDLE, stack_adjust)                                                      \
   ROW(STACK_GET_PTR, stack_get_ptr, FALL, PLAIN, stack_get_ptr)                                                       \
   ROW(STACK_MAP, helper, FAULT, PLAIN, none)                                                                          \
   ROW(STACK_UNMAP, helper, FAULT, PLAIN, none)                                                                        \
   ROW(LLOAD, local_load, FALL, PLAIN, local_load)                                                                     \
   ROW(LSTORE, local_store, FALL, PLAIN, local_store)                                                                  \
   ROW(LATOMIC, local_atomic, FALL, PLAIN, local_atomic)                                                               \
   ROW(WAIT, nothing, FALL, PLAIN, wait)                                                                               \
   ROW(BARRIER, nothing, BARRIER, ACTS_IDLE, none)                                                                     \
   ROW(MEMORY_BARRIER, nothing, FALL, PLAIN, memory_barrier)                                                           \
   ROW(ASYNC_LOAD, not_understood, FAULT, PLAIN, none)                                                                 \
   ROW(ASYNC_STORE, not_understood, FAULT, PLAIN, none)                                                                \
   ROW(STATE_LOAD, graphics, FAULT, PLAIN, none)                                                                       \
   ROW(DOORBELL, helper, FAULT, PLAIN, none)                                                                           \
   ROW(GRAPHICS, graphics, FAULT, PLAIN, none)                                                                         \
   ROW(UNKNOWN, not_understood, FAULT, PLAIN, none)

#endif
