/* SPDX-License-Identifier: MIT
 *
 * Which x86-64 feature level this host has: the table of features, and reading CPUID.
 */
#include "vgpu/exec/levels/cpu.h"

#include "util/array.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* Bits: Intel's manual, volume 2, CPUID; the levels: the x86-64 psABI. tests/vgpu/exec/cpu_levels.py compares the table
 * with what the compiler announces for -march=x86-64-v3 and v4. */
const struct vgpu_cpu_feature vgpu_cpu_features[] = {
    {"__SSE3__", 3, VGPU_CPU_1_ECX, 0},
    {"__SSSE3__", 3, VGPU_CPU_1_ECX, 9},
    {"__FMA__", 3, VGPU_CPU_1_ECX, 12},
    {"__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16", 3, VGPU_CPU_1_ECX, 13},
    {"__SSE4_1__", 3, VGPU_CPU_1_ECX, 19},
    {"__SSE4_2__", 3, VGPU_CPU_1_ECX, 20},
    {"__CRC32__", 3, VGPU_CPU_1_ECX, 20}, /* part of SSE4.2 */
    {"__MOVBE__", 3, VGPU_CPU_1_ECX, 22},
    {"__POPCNT__", 3, VGPU_CPU_1_ECX, 23},
    {"__XSAVE__", 3, VGPU_CPU_1_ECX, 27}, /* OSXSAVE: the system uses it */
    {"__AVX__", 3, VGPU_CPU_1_ECX, 28},
    {"__F16C__", 3, VGPU_CPU_1_ECX, 29},
    {"__BMI__", 3, VGPU_CPU_7_EBX, 3},
    {"__AVX2__", 3, VGPU_CPU_7_EBX, 5},
    {"__BMI2__", 3, VGPU_CPU_7_EBX, 8},
    {"__LAHF_SAHF__", 3, VGPU_CPU_80000001_ECX, 0},
    {"__LZCNT__", 3, VGPU_CPU_80000001_ECX, 5},
    {"", 3, VGPU_CPU_XCR0, 1}, /* SSE registers */
    {"", 3, VGPU_CPU_XCR0, 2}, /* AVX registers */
    {"__AVX512F__", 4, VGPU_CPU_7_EBX, 16},
    {"__AVX512DQ__", 4, VGPU_CPU_7_EBX, 17},
    {"__AVX512CD__", 4, VGPU_CPU_7_EBX, 28},
    {"__AVX512BW__", 4, VGPU_CPU_7_EBX, 30},
    {"__AVX512VL__", 4, VGPU_CPU_7_EBX, 31},
    {"", 4, VGPU_CPU_XCR0, 5}, /* AVX-512: mask registers */
    {"", 4, VGPU_CPU_XCR0, 6}, /* upper halves of the first 16 registers */
    {"", 4, VGPU_CPU_XCR0, 7}, /* the other 16 registers */
};
const size_t vgpu_cpu_feature_count = ARRAY_COUNT(vgpu_cpu_features);

bool vgpu_cpu_has_level(const struct vgpu_cpu *cpu, unsigned level)
{
   for (size_t i = 0; i < vgpu_cpu_feature_count; i++) {
      const struct vgpu_cpu_feature *feature = &vgpu_cpu_features[i];
      if (feature->level <= level && !(cpu->registers[feature->which] >> feature->bit & 1)) {
         return false;
      }
   }
   return true;
}

#if defined(__x86_64__)
struct vgpu_cpu vgpu_cpu_read(void)
{
   struct vgpu_cpu cpu = {{0}};
   unsigned eax, ebx, ecx, edx;
   if (__get_cpuid(1, &eax, &ebx, &ecx, &edx)) {
      cpu.registers[VGPU_CPU_1_ECX] = ecx;
   }
   if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
      cpu.registers[VGPU_CPU_7_EBX] = ebx;
   }
   if (__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx)) {
      cpu.registers[VGPU_CPU_80000001_ECX] = ecx;
   }
   if (cpu.registers[VGPU_CPU_1_ECX] >> 27 & 1) { /* OSXSAVE: XGETBV exists */
      __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
      cpu.registers[VGPU_CPU_XCR0] = eax;
   }
   return cpu;
}
#endif
