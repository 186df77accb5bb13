/* SPDX-License-Identifier: MIT
 *
 * Which x86-64 feature levels of the psABI a processor has. Every feature that the compiler may use at a level is
 * asked for: a guest whose hypervisor masks one of them must not get code that uses it.
 */
#ifndef VGPU_CPU_H
#define VGPU_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A register that CPUID fills. VGPU_CPU_XCR0 is the extended control register 0: the state that the system saves. */
enum vgpu_cpu_register {
   VGPU_CPU_1_ECX,        /* leaf 1 */
   VGPU_CPU_7_EBX,        /* leaf 7, subleaf 0 */
   VGPU_CPU_80000001_ECX, /* leaf 0x80000001 */
   VGPU_CPU_XCR0,
   VGPU_CPU_REGISTERS
};

struct vgpu_cpu {
   uint32_t registers[VGPU_CPU_REGISTERS];
};

/* A feature, by the macro with which compilers announce that they use it; "" for what only the system must do. */
struct vgpu_cpu_feature {
   const char *macro;
   uint8_t level; /* 3: x86-64-v3; 4: x86-64-v4, which includes all of v3 */
   uint8_t which; /* enum vgpu_cpu_register */
   uint8_t bit;
};
extern const struct vgpu_cpu_feature vgpu_cpu_features[];
extern const size_t vgpu_cpu_feature_count;

/* Whether the processor has all features of levels 3 to `level`. */
bool vgpu_cpu_has_level(const struct vgpu_cpu *cpu, unsigned level);

#if defined(__x86_64__)
/* This host's. */
struct vgpu_cpu vgpu_cpu_read(void);
#endif

#endif
