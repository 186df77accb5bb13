/* SPDX-License-Identifier: MIT
 *
 * The process's virtual device and its descriptors. Invariant: a descriptor of ours is a real descriptor of the system
 * (so that its number is free, it polls, is inherited by exec and counts against the limit), and the table says what it
 * stands for; dup() makes a second number of the same. There is one device in a process, opened with the first file.
 */
#ifndef VGPU_SHIM_PROCESS_H
#define VGPU_SHIM_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct shim_file; /* one open file of the virtual device: a device file, sync file, exported object or buffer */

/* Returns the object behind `fd` with a reference; NULL: `fd` is not ours, which is found without a lock. */
struct shim_file *shim_file_get(int fd);
/* The same, also for a buffer that another process has exported, which becomes ours. */
struct shim_file *shim_buffer_get(int fd);
void shim_file_put(struct shim_file *file); /* NULL is fine; the last one closes it */
/* Is it the device file itself? */
bool shim_file_is_node(const struct shim_file *file);

/* Another device file. `flags`: those of open(2). The descriptor, or -1 and errno. */
int shim_node_open(int flags);
/* `to`, a descriptor of the system that was just made from one of ours (dup), stands for `file` from now on. */
int shim_file_share(struct shim_file *file, int to);
/* Forgets `fd`. The caller closes or has closed the system's descriptor. */
void shim_fd_forget(int fd);
/* The same for all numbers from `first` to `last`. */
void shim_fds_forget(unsigned first, unsigned last);

/* -1 and errno, or MAP_FAILED. */
int shim_file_ioctl(struct shim_file *file, unsigned long request, void *argument);
void *shim_file_mmap(struct shim_file *file, size_t length, int protection, int flags, uint64_t offset);
/* munmap(2) of any memory: what of it are buffers of the device is no longer mapped. */
int shim_munmap(void *address, size_t length);

#endif
