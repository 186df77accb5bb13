/* SPDX-License-Identifier: MIT
 *
 * The paths that exist only for this process: the render node under /dev/dri, and what sysfs says of it. Invariant: the
 * node's number is one that the machine does not use, so that no path of a real device is hidden (AGX_VGPU_NODE=NUMBER
 * overrides this).
 */
#ifndef VGPU_SHIM_TREE_H
#define VGPU_SHIM_TREE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum shim_kind { SHIM_DIRECTORY, SHIM_LINK, SHIM_TEXT, SHIM_NODE };

struct shim_entry {
   enum shim_kind kind;
   char path[80];
   const char *name;  /* the last part of path */
   char content[320]; /* of a text; a link's target */
};

/* The entry at an absolute path, NULL: there is none of ours. Links in the middle of the path are followed.
 * With `follow`, so is one at the end. */
const struct shim_entry *shim_tree_find(const char *path, bool follow);
/* The same for openat() and its like: a relative path is looked up from the working directory. */
const struct shim_entry *shim_tree_find_at(int directory, const char *path, bool follow);
/* The index-th entry in that directory; NULL: no more. */
const struct shim_entry *shim_tree_child(const struct shim_entry *directory, size_t index);
/* The number of the render node: its minor device number. */
unsigned shim_tree_minor(void);
/* Fills in what stat() returns for the entry. */
void shim_tree_stat(const struct shim_entry *entry, struct stat *status);
/* The same for an open descriptor of the node. */
void shim_tree_stat_node(struct stat *status);

#endif
