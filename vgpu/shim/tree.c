/* SPDX-License-Identifier: MIT
 *
 * The table of paths: what libdrm and Mesa's loader ask for a device of the platform bus.
 */
#include "vgpu/shim/tree.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "vgpu/shim/next.h"
#include "util/array.h"

#define DRM_MAJOR 226u
#define FIRST_RENDER_MINOR 128u
#define LAST_RENDER_MINOR 191u
#define INODE_BASE 0x61677800u
#define DEVICE "/sys/devices/platform/soc/406400000.gpu"

/* %u: the minor number. */
static const struct {
   enum shim_kind kind;
   const char *path, *content;
} rows[] = {
    {SHIM_DIRECTORY, "/dev/dri", ""},
    {SHIM_NODE, "/dev/dri/renderD%u", ""},
    {SHIM_LINK, "/sys/dev/char/226:%u", DEVICE "/drm/renderD%u"},
    {SHIM_LINK, "/sys/class/drm/renderD%u", DEVICE "/drm/renderD%u"},
    {SHIM_DIRECTORY, DEVICE, ""},
    {SHIM_TEXT, DEVICE "/uevent",
     "DRIVER=asahi\nOF_NAME=gpu\nOF_FULLNAME=/soc/gpu@406400000\nOF_COMPATIBLE_0=apple,agx-virtual\nOF_COMPATIBLE_N=1\n"
     "MODALIAS=of:NgpuT(null)Capple,agx-virtual\n"},
    {SHIM_LINK, DEVICE "/subsystem", "/sys/bus/platform"},
    {SHIM_LINK, DEVICE "/driver", "/sys/bus/platform/drivers/asahi"},
    {SHIM_DIRECTORY, DEVICE "/drm", ""},
    {SHIM_DIRECTORY, DEVICE "/drm/renderD%u", ""},
    {SHIM_TEXT, DEVICE "/drm/renderD%u/dev", "226:%u\n"},
    {SHIM_TEXT, DEVICE "/drm/renderD%u/uevent", "MAJOR=226\nMINOR=%u\nDEVNAME=dri/renderD%u\nDEVTYPE=drm_minor\n"},
    {SHIM_LINK, DEVICE "/drm/renderD%u/device", DEVICE},
    {SHIM_LINK, DEVICE "/drm/renderD%u/subsystem", "/sys/class/drm"},
};
#define ROWS ARRAY_COUNT(rows)

static struct shim_entry entries[ROWS];
static unsigned node_minor;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Replaces each %u of a row. */
static void expand(char *to, size_t size, const char *text)
{
   size_t used = 0;
   for (; *text && used + 12 < size; text++) {
      if (text[0] == '%' && text[1] == 'u') {
         used += (size_t)snprintf(to + used, size - used, "%u", node_minor);
         text++;
      } else {
         to[used++] = *text;
      }
   }
   to[used] = '\0';
}

/* The node's number from AGX_VGPU_NODE, for tools that must know it in advance; 0: not given. */
static unsigned wanted_minor(void)
{
   const char *text = getenv("AGX_VGPU_NODE");
   char *end;
   if (!text || !*text) {
      return 0;
   }
   unsigned long number = strtoul(text, &end, 10);
   if (*end || number < FIRST_RENDER_MINOR || number > LAST_RENDER_MINOR) {
      fprintf(stderr, "libagx-vgpu: AGX_VGPU_NODE=%s: not a number from %u to %u\n", text, FIRST_RENDER_MINOR,
              LAST_RENDER_MINOR);
      return 0;
   }
   return (unsigned)number;
}

/* The first number that no node of the machine has. */
static unsigned free_minor(void)
{
   unsigned wanted = wanted_minor();
   if (wanted) {
      return wanted;
   }
   for (unsigned minor = FIRST_RENDER_MINOR; minor <= LAST_RENDER_MINOR; minor++) {
      char path[64];
      snprintf(path, sizeof(path), "/dev/dri/renderD%u", minor);
      bool used = NEXT(access)(path, F_OK) == 0;
      snprintf(path, sizeof(path), "/sys/dev/char/%u:%u", DRM_MAJOR, minor);
      if (!used && NEXT(access)(path, F_OK)) {
         return minor;
      }
   }
   return LAST_RENDER_MINOR;
}

static void fill(void)
{
   node_minor = free_minor();
   for (size_t i = 0; i < ROWS; i++) {
      entries[i].kind = rows[i].kind;
      expand(entries[i].path, sizeof(entries[i].path), rows[i].path);
      expand(entries[i].content, sizeof(entries[i].content), rows[i].content);
      entries[i].name = strrchr(entries[i].path, '/') + 1;
   }
}

unsigned shim_tree_minor(void)
{
   pthread_once(&once, fill);
   return node_minor;
}

static const struct shim_entry *find_exact(const char *path)
{
   for (size_t i = 0; i < ROWS; i++) {
      if (!strcmp(path, entries[i].path)) {
         return &entries[i];
      }
   }
   return NULL;
}

/* Without empty parts, "." and "..", as the kernel takes them where no link is in the way. */
static bool clean(char *path)
{
   char *to = path;
   for (const char *from = path; *from;) {
      while (*from == '/') {
         from++;
      }
      size_t length = strcspn(from, "/");
      if (length == 2 && from[0] == '.' && from[1] == '.') {
         while (to > path && *--to != '/') {
         }
      } else if (length && !(length == 1 && from[0] == '.')) {
         *to++ = '/';
         memmove(to, from, length);
         to += length;
      }
      from += length;
   }
   *to = '\0';
   return to > path;
}

/* Replaces the first link of ours at the front of the path by its target; `follow`: also when it is all of it. */
static bool resolve_one(char *path, size_t size, bool follow)
{
   for (char *end = path + 1; *end; end++) {
      size_t length = strcspn(end, "/");
      end += length;
      char kept = *end;
      *end = '\0';
      const struct shim_entry *entry = find_exact(path);
      *end = kept;
      if (entry && entry->kind == SHIM_LINK && (kept || follow)) {
         char rest[PATH_MAX];
         snprintf(rest, sizeof(rest), "%s", end);
         return (size_t)snprintf(path, size, "%s%s", entry->content, rest) < size;
      }
      if (!kept) {
         break;
      }
   }
   return false;
}

const struct shim_entry *shim_tree_find(const char *path, bool follow)
{
   char copy[PATH_MAX];
   size_t length;
   if (!path || path[0] != '/' || (strncmp(path, "/dev/", 5) && strncmp(path, "/sys/", 5) && path[1] != '/')) {
      return NULL;
   }
   length = strlen(path);
   if (length >= sizeof(copy)) {
      return NULL;
   }
   memcpy(copy, path, length + 1);
   pthread_once(&once, fill);
   if (!clean(copy)) {
      return NULL;
   }
   for (unsigned links = 0; links < 8 && resolve_one(copy, sizeof(copy), follow); links++) {
      clean(copy);
   }
   return find_exact(copy);
}

const struct shim_entry *shim_tree_find_at(int directory, const char *path, bool follow)
{
   return path && (path[0] == '/' || directory == AT_FDCWD) ? shim_tree_find(path, follow) : NULL;
}

const struct shim_entry *shim_tree_child(const struct shim_entry *directory, size_t index)
{
   size_t length = strlen(directory->path);
   for (size_t i = 0; i < ROWS; i++) {
      bool inside = !strncmp(entries[i].path, directory->path, length) && entries[i].path[length] == '/' &&
                    entries[i].name == entries[i].path + length + 1;
      if (inside && !index--) {
         return &entries[i];
      }
   }
   return NULL;
}

void shim_tree_stat(const struct shim_entry *entry, struct stat *status)
{
   static const mode_t modes[] = {[SHIM_DIRECTORY] = S_IFDIR | 0755,
                                  [SHIM_LINK] = S_IFLNK | 0777,
                                  [SHIM_TEXT] = S_IFREG | 0444,
                                  [SHIM_NODE] = S_IFCHR | 0666};
   *status = (struct stat){.st_mode = modes[entry->kind],
                           .st_nlink = 1,
                           .st_ino = INODE_BASE + (ino_t)(entry - entries),
                           .st_dev = makedev(0, 5),
                           .st_blksize = 4096};
   if (entry->kind == SHIM_NODE) {
      status->st_rdev = makedev(DRM_MAJOR, node_minor);
   } else if (entry->kind != SHIM_DIRECTORY) {
      status->st_size = (off_t)strlen(entry->content);
   }
}

void shim_tree_stat_node(struct stat *status)
{
   pthread_once(&once, fill);
   for (size_t i = 0; i < ROWS; i++) {
      if (entries[i].kind == SHIM_NODE) {
         shim_tree_stat(&entries[i], status);
      }
   }
}
