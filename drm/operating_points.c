/* SPDX-License-Identifier: MIT
 *
 * Reads a device tree as Linux shows it: a folder for each node, a file for each property, big-endian numbers. The
 * GPU's node names its table by phandle; the table's nodes have "opp-hz". Anything else is ignored.
 */
#include "drm/operating_points.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/array.h"

#define TOLERANCE 0.01 /* of a clock that is an operating point */
#define DEPTH_MAX 16
#define PROPERTY_MAX 256

static const char *const roots[] = {"/proc/device-tree", "/sys/firmware/devicetree/base"};

/* Reads at most `size` bytes of the property. Returns their number; 0: there is none. */
static size_t read_property(int node, const char *name, uint8_t *bytes, size_t size)
{
   const int fd = openat(node, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
   const ssize_t got = fd >= 0 ? read(fd, bytes, size) : 0;

   if (fd >= 0) {
      close(fd);
   }
   return got > 0 ? (size_t)got : 0;
}

/* Reads a number of `bytes` bytes; false: the property is absent or shorter. */
static bool read_number(int node, const char *name, size_t bytes, uint64_t *value)
{
   uint8_t property[8];

   if (read_property(node, name, property, bytes) != bytes) {
      return false;
   }
   *value = 0;
   for (size_t i = 0; i < bytes; i++) {
      *value = *value << 8 | property[i];
   }
   return true;
}

/* Whether a string of the property begins with "apple,agx". */
static bool is_gpu(int node)
{
   char list[PROPERTY_MAX + 1] = "";
   const size_t size = read_property(node, "compatible", (uint8_t *)list, PROPERTY_MAX);

   for (size_t at = 0; at < size; at += strlen(list + at) + 1) {
      if (!strncmp(list + at, "apple,agx", strlen("apple,agx"))) {
         return true;
      }
   }
   return false;
}

/* Examines a node; true: the search is over. */
typedef bool visit(int node, void *data);

/* Visits the node and those below it. Takes ownership of the descriptor. */
static bool walk(int node, unsigned depth, visit *look, void *data)
{
   bool found = look(node, data);
   DIR *folder = !found && depth < DEPTH_MAX ? fdopendir(node) : NULL;

   if (folder == NULL) {
      close(node);
      return found;
   }
   for (struct dirent *entry; !found && (entry = readdir(folder)) != NULL;) {
      const int child = entry->d_name[0] != '.'
                            ? openat(dirfd(folder), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
                            : -1;
      found = child >= 0 && walk(child, depth + 1, look, data);
   }
   closedir(folder);
   return found;
}

static bool find_gpu(int node, void *data)
{
   return is_gpu(node) && read_number(node, "operating-points-v2", 4, data);
}

struct table {
   uint64_t phandle;
   uint64_t *hz;
   size_t count;
};

static bool add_point(int node, void *data)
{
   struct table *table = data;
   uint64_t hz;

   if (read_number(node, "opp-hz", 8, &hz) && hz != 0) {
      table->hz[table->count++] = hz;
   }
   return table->count == ASAHI_OPERATING_POINTS_MAX;
}

static bool read_table(int node, void *data)
{
   struct table *table = data;
   uint64_t phandle;

   if (!read_number(node, "phandle", 4, &phandle) || phandle != table->phandle) {
      return false;
   }
   const int again = openat(node, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
   if (again >= 0) {
      walk(again, 0, add_point, table);
   }
   return true;
}

static int compare(const void *a, const void *b)
{
   const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

   return (x > y) - (x < y);
}

static bool search(const char *root, visit *look, void *data)
{
   const int node = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

   return node >= 0 && walk(node, 0, look, data);
}

size_t asahi_operating_points(const char *root, uint64_t hz[ASAHI_OPERATING_POINTS_MAX])
{
   struct table table = {.hz = hz};

   for (size_t i = 0; i < ARRAY_COUNT(roots) && table.count == 0; i++) {
      const char *base = root != NULL ? root : roots[i];

      if (search(base, find_gpu, &table.phandle)) {
         search(base, read_table, &table);
      }
   }
   qsort(hz, table.count, sizeof(*hz), compare);
   return table.count;
}

uint64_t asahi_operating_point_nearest(const uint64_t *points, size_t count, double hz)
{
   uint64_t nearest = 0;

   for (size_t i = 0; i < count; i++) {
      if (i == 0 || fabs((double)points[i] - hz) < fabs((double)nearest - hz)) {
         nearest = points[i];
      }
   }
   return nearest;
}

bool asahi_operating_point_fits(const uint64_t *points, size_t count, double hz)
{
   const double nearest = (double)asahi_operating_point_nearest(points, count, hz);

   return nearest > 0 && fabs(hz / nearest - 1) <= TOLERANCE;
}
