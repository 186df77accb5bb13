/* SPDX-License-Identifier: MIT
 *
 * Puts the code of an object file into memory. Invariant: no page is writable and executable at the same time, and no
 * file makes it read or write outside of the file and of the new pages.
 */
#ifndef VGPU_JIT_OBJECT_H
#define VGPU_JIT_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pages with the code and its constants. */
struct vgpu_object {
   uint8_t *pages; /* NULL: none */
   size_t bytes;
};

/* Loads an ELF object for x86-64 in the small code model, and finds the function of that name. It may call functions of
 * the process. false: message says why. */
bool vgpu_object_load(struct vgpu_object *object, const uint8_t *file, size_t size, const char *name, void **address,
                      char *message, size_t message_size);
void vgpu_object_finish(struct vgpu_object *object);

#endif
