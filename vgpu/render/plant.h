/* SPDX-License-Identifier: MIT
 *
 * Faults of a driver, planted into what it sends: words of state that arrive otherwise than the driver meant them. For
 * tests of tests alone (ci/planted-draws): which scenes notice a driver that has that fault?
 *
 *    plant=WORD OP NUMBER [OP NUMBER...]      plant=cull^3, plant=face&f8ffffff|1000000
 *
 * WORD is a row of the table in plant.c. The operations are &, |, ^ and +, and numbers are hexadecimal; they are
 * applied from left to right. The option may be given several times.
 */
#ifndef VGPU_RENDER_PLANT_H
#define VGPU_RENDER_PLANT_H

#include <stdbool.h>
#include <stdint.h>

#define VGPU_PLANT_RULES 16u
#define VGPU_PLANT_GRAMMAR "a word of a render pass, then &, |, ^ or + and a hexadecimal number, once or more"

struct vgpu_plant_rule {
   const char *word; /* of the table */
   char operation;
   uint32_t number;
};

struct vgpu_plant {
   struct vgpu_plant_rule rules[VGPU_PLANT_RULES];
   unsigned count;
};

/* Adds what stands behind "plant="; false: it is not of that form, or there are too many. */
bool vgpu_plant_add(struct vgpu_plant *plant, const char *text);

/* The value of that word as the rules change it; plant NULL: the value itself. */
uint32_t vgpu_planted(const struct vgpu_plant *plant, const char *word, uint32_t value);

#endif
