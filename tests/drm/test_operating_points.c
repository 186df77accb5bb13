/* SPDX-License-Identifier: MIT
 *
 * Operating points out of made-up device trees, laid out as the bindings of operating-points-v2 say.
 */
#include "drm/operating_points.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[] = "/tmp/agx-runner-tree-XXXXXX";

static void write_property(const char *node, const char *name, const void *bytes, size_t size)
{
   char path[256];

   snprintf(path, sizeof(path), "%s/%s", root, node);
   mkdir(path, 0700);
   snprintf(path, sizeof(path), "%s/%s/%s", root, node, name);
   FILE *file = fopen(path, "w");
   if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
      perror(path);
      exit(EXIT_FAILURE);
   }
}

static void write_number(const char *node, const char *name, uint64_t value, size_t size)
{
   uint8_t bytes[8];

   for (size_t i = 0; i < size; i++) {
      bytes[i] = (uint8_t)(value >> 8 * (size - 1 - i));
   }
   write_property(node, name, bytes, size);
}

static void write_table(const char *node, uint64_t phandle, const uint64_t *hz, size_t count)
{
   char child[64];

   write_number(node, "phandle", phandle, 4);
   for (size_t i = 0; i < count; i++) {
      snprintf(child, sizeof(child), "%s/opp%02zu", node, i);
      write_number(child, "opp-hz", hz[i], 8);
   }
}

int main(void)
{
   static const uint64_t cpu[] = {600000000, 3204000000}, gpu[] = {1278000000, 0, 396000000, 720000000};
   uint64_t hz[ASAHI_OPERATING_POINTS_MAX];

   if (mkdtemp(root) == NULL) {
      return EXIT_FAILURE;
   }
   CHECK(asahi_operating_points(root, hz) == 0, "points out of an empty tree");
   CHECK(asahi_operating_points("/nonexistent", hz) == 0, "points out of no tree");
   write_table("opp-table-0", 7, cpu, 2);
   write_property("cpu", "compatible", "apple,icestorm", 15);
   write_number("cpu", "operating-points-v2", 7, 4);
   CHECK(asahi_operating_points(root, hz) == 0, "the CPU's points are the GPU's");

   write_property("soc", "compatible", "simple-bus", 11);
   write_property("soc/gpu", "compatible", "apple,agx-t8103\0apple,agx-g13g", 31);
   CHECK(asahi_operating_points(root, hz) == 0, "a GPU without a table");
   write_property("soc/gpu", "operating-points-v2", "\0", 2);
   CHECK(asahi_operating_points(root, hz) == 0, "a phandle of two bytes");
   write_number("soc/gpu", "operating-points-v2", 300, 4);
   CHECK(asahi_operating_points(root, hz) == 0, "a table that is not there");
   write_table("opp-table-gpu", 300, gpu, 4);
   const size_t count = asahi_operating_points(root, hz);
   CHECK(count == 3 && hz[0] == 396000000 && hz[1] == 720000000 && hz[2] == 1278000000, "%zu points", count);
   CHECK(asahi_operating_point_nearest(hz, count, 1.2e9) == 1278000000, "the nearest of 1200 MHz");
   CHECK(asahi_operating_point_nearest(hz, count, 4e8) == 396000000, "the nearest of 400 MHz");
   CHECK(asahi_operating_point_nearest(hz, 0, 4e8) == 0, "the nearest of none");
   write_property("opp-table-gpu/opp00", "opp-hz", "short", 5);
   CHECK(asahi_operating_points(root, hz) == 2, "a frequency of five bytes");

   char command[64];
   snprintf(command, sizeof(command), "rm -r %s", root);
   return system(command) == 0 ? check_result() : EXIT_FAILURE;
}
