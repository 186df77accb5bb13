/* SPDX-License-Identifier: MIT
 *
 * The host's float mode while GPU code runs: f32 denormals are flushed on input and output (spec/isa.md 3.2), and
 * rounding is to nearest even. Hosts without such a mode need none: vgpu/exec/semantics/vector.h then flushes by
 * itself.
 */
#ifndef VGPU_HOST_H
#define VGPU_HOST_H

#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/* Whether the mode flushes what is tiny before rounding (spec/isa.md 3.2). Arm's FZ does (FPRoundBase() of the Arm
 * Architecture Reference Manual); x86's FTZ looks at the rounded result, and code that flushes by itself must, too. */
#if defined(__aarch64__)
#define VGPU_HOST_TINY_BEFORE_ROUNDING 1
#else
#define VGPU_HOST_TINY_BEFORE_ROUNDING 0
#endif

/* Sets the mode; returns what vgpu_host_leave() needs. */
static inline uint64_t vgpu_host_enter(void)
{
#if defined(__x86_64__)
   unsigned old = _mm_getcsr();
   _mm_setcsr(0x1f80u | 0x8000u | 0x0040u); /* all exceptions masked; FTZ and DAZ */
   return old;
#elif defined(__aarch64__)
   uint64_t old, mode = UINT64_C(1) << 24; /* FZ */
   __asm__ volatile("mrs %0, fpcr" : "=r"(old));
   __asm__ volatile("msr fpcr, %0" : : "r"(mode));
   return old;
#else
   return 0;
#endif
}

static inline void vgpu_host_leave(uint64_t old)
{
#if defined(__x86_64__)
   _mm_sfence(); /* compiled code may have written past the caches (vgpu/jit/frame.c) */
   _mm_setcsr((unsigned)old);
#elif defined(__aarch64__)
   __asm__ volatile("msr fpcr, %0" : : "r"(old));
#else
   (void)old;
#endif
}

#endif
