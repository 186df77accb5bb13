/* SPDX-License-Identifier: MIT
 *
 * The pages of saved jobs: one file for all jobs that a process saves in a folder (drm/uapi/saved_job.h). Each page is
 * written once, compressed, and found by its hash. Invariant: a page that vgpu_pages_add() has accepted is completely
 * in the file.
 */
#ifndef VGPU_RECORD_PAGES_H
#define VGPU_RECORD_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "drm/uapi/saved_job.h"

struct vgpu_pages;

/* Creates the file of this process in the folder, which is created too, if *pages is NULL or belongs to the process
 * from which this one was forked. Returns 0, or a negative errno: then *pages is NULL. */
int vgpu_pages_open(struct vgpu_pages **pages, const char *folder);
void vgpu_pages_close(struct vgpu_pages *pages); /* NULL is fine */
/* The file's name, without its folder. */
const char *vgpu_pages_name(const struct vgpu_pages *pages);
struct saved_hash vgpu_page_hash(const uint8_t *page);
/* Adds DRM_ASAHI_PAGE_SIZE bytes with that hash. Returns 0, or a negative errno without changing the file. */
int vgpu_pages_add(struct vgpu_pages *pages, const uint8_t *page, struct saved_hash hash);

#endif
