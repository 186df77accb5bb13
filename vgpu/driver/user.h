/* SPDX-License-Identifier: MIT
 *
 * The client's memory. The client lives in this process, yet a pointer it passes may be anything, and the uAPI's
 * answer to a bad one is EFAULT, not a crash.
 */
#ifndef VGPU_USER_H
#define VGPU_USER_H

#include <stddef.h>
#include <stdint.h>

/* The file through which memory is copied: 0 or a negative errno. Close it with close(2). */
int vgpu_user_open(int *fd);
/* 0, -EFAULT or -ENOMEM. The caller serialises the use of `fd`. Part of the destination may be written on failure. */
int vgpu_user_read(int fd, void *to, uint64_t from, size_t size);
int vgpu_user_write(int fd, uint64_t to, const void *from, size_t size);

#endif
