/* SPDX-License-Identifier: MIT
 *
 * The page table of a GPU address space: the driver writes it, the cores and the reader of the command stream walk it.
 *
 * The table is a radix of three levels over 39-bit addresses and 16 KiB pages (spec/uapi.md section 2): 3, 11 and
 * 11 bits. An entry is one word, the host address of the page with the access bits below it. Invariant: entries are
 * atomic, and nodes stay until the table ends, so that cores walk it without a lock while the client binds. The memory
 * behind it must stay until the running job has ended.
 */
#ifndef VGPU_PAGES_H
#define VGPU_PAGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VGPU_PAGE 0x4000u

enum vgpu_access { VGPU_READ = 1, VGPU_WRITE = 2 };

struct vgpu_page_node;

/* All zero: nothing is mapped. */
struct vgpu_pages {
   _Atomic(struct vgpu_page_node *) nodes[8];
};
void vgpu_pages_finish(struct vgpu_pages *pages);

/* Makes the nodes that the pages of [start, end) need. 0 or -ENOMEM. */
int vgpu_pages_populate(struct vgpu_pages *pages, uint64_t start, uint64_t end);
/* Writes the entries of [start, end), whose nodes exist: `entry`, which is the host address of a page and enum
 * vgpu_access bits, and on in steps of `step` bytes; entry 0 and step 0 unmap. */
void vgpu_pages_set(struct vgpu_pages *pages, uint64_t start, uint64_t end, uintptr_t entry, uintptr_t step);

/* The host memory behind GPU address `va`, or NULL when it is not mapped for all of `access` (enum vgpu_access
 * bits). *run: bytes from va on that are contiguous in host memory, to the end of the page. Safe from several threads,
 * also while the client binds and unbinds: what it returned during vgpu_core_run() stays valid memory until
 * vgpu_core_run() returns, even when the client has unmapped it meanwhile. */
uint8_t *vgpu_pages_translate(const struct vgpu_pages *pages, uint64_t va, unsigned access, size_t *run);
/* Reads size bytes; false when any of them is unmapped (then *bad is the first such address). */
bool vgpu_pages_read(const struct vgpu_pages *pages, uint64_t va, void *data, size_t size, uint64_t *bad);

#endif
