/* SPDX-License-Identifier: MIT
 *
 * Lists the devices, and opens one by name. This file alone knows whether a device is real or virtual by its origin.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <xf86drm.h>

#include "drm/device.h"
#include "vgpu/vgpu.h"

#define VIRTUAL_PREFIX "virtual:"
#define NODES_MAX 64

static int explain_open(int error, char *why, size_t size)
{
   switch (error) {
   case EPERM: /* refused by a container's device policy; permissions of the file give EACCES */
      snprintf(why, size,
               "not accessible: %s (in a container: it must be given the device, as by docker run --device /dev/dri)",
               strerror(error));
      return -EACCES;
   case EACCES:
      snprintf(why, size,
               "not accessible: %s (add yourself to group render: sudo usermod -aG render $USER, and log in "
               "again)",
               strerror(error));
      return -EACCES;
   case ENOENT:
   case ENOTDIR:
      snprintf(why, size, "there is no such file; render nodes are /dev/dri/renderD*");
      return -ENODEV;
   case ENODEV:
   case ENXIO:
      snprintf(why, size, "the device is gone: %s", strerror(error));
      return -ENODEV;
   default:
      snprintf(why, size, "cannot be opened: %s", strerror(error));
      return -error;
   }
}

static int check_driver(int fd, char *why, size_t size)
{
   errno = 0;
   drmVersionPtr version = drmGetVersion(fd);
   if (version == NULL && errno == ENODEV) {
      return explain_open(ENODEV, why, size);
   }
   if (version == NULL) {
      snprintf(why, size, "not a DRM device");
      return -ENOTSUP;
   }
   int error = 0;
   if (version->name == NULL || strcmp(version->name, "asahi") != 0) {
      snprintf(why, size, "driven by %.64s, not asahi", version->name != NULL ? version->name : "an unnamed driver");
      error = -ENOTSUP;
   } else if (drmGetNodeTypeFromFd(fd) != DRM_NODE_RENDER) {
      snprintf(why, size, "the primary node of the GPU; open its render node, /dev/dri/renderD*");
      error = -ENOTSUP;
   }
   drmFreeVersion(version);
   return error;
}

/* Returns the file descriptor of an asahi render node, or a negative errno with the reason in `why`. */
static int open_node(const char *path, char *why, size_t size)
{
   struct stat status;
   if (stat(path, &status) != 0) {
      return explain_open(errno, why, size);
   }
   if (!S_ISCHR(status.st_mode)) {
      snprintf(why, size, "%s, not a render node", S_ISDIR(status.st_mode) ? "a directory" : "not a device");
      return -ENOTSUP;
   }
   int fd = open(path, O_RDWR | O_CLOEXEC);
   if (fd < 0) {
      return explain_open(errno, why, size);
   }
   int error = check_driver(fd, why, size);
   if (error != 0) {
      close(fd);
      return error;
   }
   return fd;
}

/* Lists up to NODES_MAX render nodes of the system; never returns a negative number. */
static size_t list_nodes(char paths[NODES_MAX][128])
{
   drmDevicePtr devices[NODES_MAX];
   size_t nodes = 0;
   int count = drmGetDevices2(0, devices, NODES_MAX);
   if (count <= 0) {
      return 0;
   }
   count = count < NODES_MAX ? count : NODES_MAX;
   for (int i = 0; i < count; i++) {
      if ((devices[i]->available_nodes & 1 << DRM_NODE_RENDER) != 0) {
         snprintf(paths[nodes++], sizeof(paths[0]), "%s", devices[i]->nodes[DRM_NODE_RENDER]);
      }
   }
   drmFreeDevices(devices, count);
   return nodes;
}

/* Names of the machine in its device tree: strings, each with a terminating 0. */
#define DEVICE_TREE_COMPATIBLE "/proc/device-tree/compatible"

static bool is_apple_machine(void)
{
   char names[256];
   FILE *file = fopen(DEVICE_TREE_COMPATIBLE, "re");
   if (file == NULL) {
      return false;
   }
   size_t length = fread(names, 1, sizeof(names), file);
   fclose(file);
   return memmem(names, length, "apple,", strlen("apple,")) != NULL;
}

/* Returns why there is no node, and what to examine on an Apple machine. */
static const char *explain_no_node(void)
{
   return is_apple_machine() ? "this Apple machine has no DRM render node: its kernel lacks the asahi driver, or that "
                               "found no GPU (lsmod, dmesg | grep asahi), or a container hides /dev/dri and /sys"
                             : "this machine has no DRM render node";
}

/* Describes the GPU behind the node, or why it cannot be used. */
static bool describe_node(const char *path, char *description, size_t size)
{
   struct asahi_device_info info;
   int fd = open_node(path, description, size);
   if (fd < 0) {
      return false;
   }
   struct asahi_kernel *kernel = asahi_kernel_linux(fd);
   if (kernel == NULL) {
      close(fd);
      snprintf(description, size, "out of memory");
      return false;
   }
   int error = asahi_device_identify(kernel, fd, &info, description, size);
   if (error == 0) {
      snprintf(description, size, "%s, by the asahi driver", info.name);
   }
   kernel->close(kernel, fd);
   return error == 0;
}

size_t asahi_candidates(struct asahi_candidate *candidates, size_t count)
{
   char paths[NODES_MAX][128];
   size_t nodes = list_nodes(paths), found = 0;

   for (size_t i = 0; i < nodes; i++, found++) {
      if (found >= count) {
         continue;
      }
      struct asahi_candidate *candidate = &candidates[found];
      *candidate = (struct asahi_candidate){.usable = false};
      snprintf(candidate->path, sizeof(candidate->path), "%s", paths[i]);
      candidate->usable = describe_node(paths[i], candidate->description, sizeof(candidate->description));
   }
   if (nodes == 0 && found++ < count) {
      candidates[0] = (struct asahi_candidate){.path = "/dev/dri/renderD*"};
      snprintf(candidates[0].description, sizeof(candidates[0].description), "%s", explain_no_node());
   }
   for (const char *const *chip = vgpu_chip_names(); *chip != NULL; chip++, found++) {
      if (found >= count) {
         continue;
      }
      struct asahi_candidate *candidate = &candidates[found];
      *candidate =
          (struct asahi_candidate){.description = "virtual GPU: emulated, its timing is a model", .usable = true};
      snprintf(candidate->path, sizeof(candidate->path), VIRTUAL_PREFIX "%s", *chip);
   }
   return found;
}

/* Whether a virtual GPU is behind the node (vgpu/shim). Its figures are modelled and must be labelled so. */
static bool is_virtual_node(int fd)
{
   static const char start[] = "virtual AGX GPU";
   drmVersionPtr version = drmGetVersion(fd);
   bool is_virtual = version != NULL && version->desc != NULL && strncmp(version->desc, start, strlen(start)) == 0;
   drmFreeVersion(version);
   return is_virtual;
}

static int open_raw_node(const char *path, struct asahi_raw *raw, char *why, size_t size)
{
   char problem[160];
   int fd = open_node(path, problem, sizeof(problem));
   if (fd < 0) {
      snprintf(why, size, "%s: %s", path, problem);
      return fd;
   }
   *raw = (struct asahi_raw){.kernel = asahi_kernel_linux(fd), .fd = fd, .is_virtual = is_virtual_node(fd)};
   if (raw->kernel == NULL) {
      close(fd);
      snprintf(why, size, "%s: out of memory", path);
      return -ENOMEM;
   }
   snprintf(raw->path, sizeof(raw->path), "%s", path);
   return 0;
}

static int open_raw_virtual(const char *spec, struct asahi_raw *raw, char *why, size_t size)
{
   char problem[320] = "";
   *raw = (struct asahi_raw){.is_virtual = true};
   raw->fd = vgpu_open(spec + strlen(VIRTUAL_PREFIX), &raw->kernel, problem, sizeof(problem));
   if (raw->fd < 0) {
      snprintf(why, size, "%s: %s", spec, problem);
      return raw->fd;
   }
   snprintf(raw->path, sizeof(raw->path), "%s", spec);
   return 0;
}

/* Called with an open device, which it owns from then on: starts the client, or does nothing for asahi_raw_open(). */
typedef int next_step(const struct asahi_raw *raw, void *out, char *why, size_t size);

static int start_client(const struct asahi_raw *raw, void *out, char *why, size_t size)
{
   return asahi_device_start(raw->kernel, raw->fd, raw->path, raw->is_virtual, out, why, size);
}

static int stay_raw(const struct asahi_raw *raw, void *out, char *why, size_t size)
{
   (void)why, (void)size;
   *(struct asahi_raw *)out = *raw;
   return 0;
}

/* Reads the node's driver from sysfs; false: sysfs does not tell. */
static bool read_driver(const char *path, char *driver, size_t size)
{
   struct stat status;
   char link[96], target[256];

   if (stat(path, &status) != 0) {
      return false;
   }
   snprintf(link, sizeof(link), "/sys/dev/char/%u:%u/device/driver", major(status.st_rdev), minor(status.st_rdev));
   const ssize_t length = readlink(link, target, sizeof(target) - 1);
   if (length <= 0) {
      return false;
   }
   target[length] = '\0';
   const char *slash = strrchr(target, '/');
   snprintf(driver, size, "%s", slash != NULL ? slash + 1 : target);
   return true;
}

/* Whether the node is that of an Apple GPU, usable or not. If its driver is unknown, the machine decides. */
static bool is_asahi_node(const char *path)
{
   char driver[256];

   if (read_driver(path, driver, sizeof(driver))) {
      return strcmp(driver, "asahi") == 0;
   }
   const int fd = open(path, O_RDWR | O_CLOEXEC);
   drmVersionPtr version = fd >= 0 ? drmGetVersion(fd) : NULL;
   const bool asahi = version == NULL         ? is_apple_machine()
                      : version->name != NULL ? strcmp(version->name, "asahi") == 0
                                              : false;
   drmFreeVersion(version);
   if (fd >= 0) {
      close(fd);
   }
   return asahi;
}

bool asahi_spec_is_virtual(const char *spec)
{
   char paths[NODES_MAX][128];

   if (strcmp(spec, "auto") != 0) {
      return strncmp(spec, VIRTUAL_PREFIX, strlen(VIRTUAL_PREFIX)) == 0;
   }
   const size_t nodes = list_nodes(paths);
   for (size_t i = 0; i < nodes; i++) {
      if (is_asahi_node(paths[i])) {
         return false;
      }
   }
   return true;
}

/* Opens the first asahi render node that works. Opens the virtual M1 only if there is no asahi node: a GPU that cannot
 * be used is an error with a remedy, not a reason for modelled figures. */
static int open_auto(next_step *next, void *out, char *why, size_t size)
{
   char paths[NODES_MAX][128], reasons[1024] = "";
   size_t nodes = list_nodes(paths), used = 0;
   struct asahi_raw raw;
   int unusable = 0;

   for (size_t i = 0; i < nodes; i++) {
      char reason[512];
      int error = open_raw_node(paths[i], &raw, reason, sizeof(reason));
      if (error == 0) {
         error = next(&raw, out, reason, sizeof(reason));
      }
      if (error == 0) {
         snprintf(why, size, "%s: the first asahi render node", paths[i]);
         return 0;
      }
      if (unusable == 0 && is_asahi_node(paths[i])) {
         unusable = error;
      }
      if (used < sizeof(reasons)) {
         used += (size_t)snprintf(reasons + used, sizeof(reasons) - used, "%s%s", used != 0 ? "; " : "", reason);
      }
   }
   if (unusable != 0) {
      snprintf(why, size, "%s (" VIRTUAL_PREFIX "m1 is the virtual GPU)", reasons);
      return unusable;
   }
   int error = open_raw_virtual(VIRTUAL_PREFIX "m1", &raw, why, size);
   if (error == 0) {
      error = next(&raw, out, why, size);
   }
   if (error == 0) {
      snprintf(why, size, VIRTUAL_PREFIX "m1 is used: there is no asahi render node (%s)",
               nodes != 0 ? reasons : explain_no_node());
   }
   return error;
}

static int open_spec(const char *spec, next_step *next, void *out, char *why, size_t size)
{
   struct asahi_raw raw;
   int error;
   if (strcmp(spec, "auto") == 0) {
      return open_auto(next, out, why, size);
   }
   if (strncmp(spec, VIRTUAL_PREFIX, strlen(VIRTUAL_PREFIX)) == 0) {
      error = open_raw_virtual(spec, &raw, why, size);
   } else if (strchr(spec, '/') != NULL) {
      error = open_raw_node(spec, &raw, why, size);
   } else {
      snprintf(why, size,
               "%s: not a device; one of auto, a render node's path (/dev/dri/renderD128), virtual:CHIP "
               "(virtual:m1)",
               spec);
      error = -EINVAL;
   }
   return error == 0 ? next(&raw, out, why, size) : error;
}

int asahi_raw_open(const char *spec, struct asahi_raw *raw, char *why, size_t why_size)
{
   return open_spec(spec, stay_raw, raw, why, why_size);
}

int asahi_device_open(const char *spec, struct asahi_device **out, char *why, size_t why_size)
{
   char unheard[8];
   *out = NULL;
   if (why == NULL || why_size == 0) {
      why = unheard;
      why_size = sizeof(unheard);
   }
   why[0] = 0;
   return open_spec(spec, start_client, out, why, why_size);
}
