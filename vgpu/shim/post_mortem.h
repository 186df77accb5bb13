/* SPDX-License-Identifier: MIT
 *
 * A post-mortem as JSON, an object of the report of a process (vgpu/shim/report.c).
 */
#ifndef VGPU_SHIM_POST_MORTEM_H
#define VGPU_SHIM_POST_MORTEM_H

#include "util/text.h"
#include "vgpu/postmortem.h"

/* Appends an object, or `null` where there is no post-mortem. docs/running.md names its members. */
void shim_add_post_mortem(struct util_text *text, const struct vgpu_postmortem *postmortem);
/* Appends a string with its quotes. */
void shim_add_string(struct util_text *text, const char *string);

#endif
