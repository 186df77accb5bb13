/* SPDX-License-Identifier: MIT
 *
 * The preloaded node as libdrm and a driver see it: found in /dev/dri and sysfs, opened twice, copied, closed, shared
 * and inherited. It is run with AGX_VGPU_NODE=190, by no other means than the C library and libdrm.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xf86drm.h>

#include "drm/uapi/asahi_drm.h"
#include "tests/check.h"

#define NODE "/dev/dri/renderD190"
#define SYSFS "/sys/dev/char/226:190"

static void test_found(void)
{
   drmDevicePtr devices[8];
   int count = drmGetDevices2(0, devices, 8), found = -1;
   for (int i = 0; i < count; i++) {
      if (devices[i]->available_nodes & 1 << DRM_NODE_RENDER && !strcmp(devices[i]->nodes[DRM_NODE_RENDER], NODE)) {
         found = i;
      }
   }
   if (CHECK(found >= 0, "libdrm found %d devices without " NODE, count)) {
      CHECK(devices[found]->bustype == DRM_BUS_PLATFORM, "bus %d", devices[found]->bustype);
   }
   if (count > 0) {
      drmFreeDevices(devices, count);
   }
}

static void test_paths(void)
{
   struct stat status = {0};
   char text[4096];
   CHECK(!stat(NODE, &status) && S_ISCHR(status.st_mode) && status.st_rdev == makedev(226, 190), "stat: %o %llx",
         status.st_mode, (unsigned long long)status.st_rdev);
   CHECK(!stat("//dev/../dev/./dri//renderD190", &status) && S_ISCHR(status.st_mode), "a path of many parts");
   CHECK(!access(NODE, R_OK | W_OK) && access(NODE, X_OK) == -1 && errno == EACCES, "access");
   CHECK(!lstat(SYSFS, &status) && S_ISLNK(status.st_mode), "lstat of a link");
   CHECK(!stat(SYSFS, &status) && S_ISDIR(status.st_mode), "stat through a link");
   CHECK(realpath(SYSFS "/device/drm/renderD190", text) && strstr(text, "/platform/") && !strstr(text, "226"),
         "realpath: %s", text);
   ssize_t length = readlink(SYSFS "/device/driver", text, sizeof(text) - 1);
   text[length < 0 ? 0 : length] = '\0';
   CHECK(length > 6 && !strcmp(text + length - 6, "/asahi"), "readlink: %s", text);
   CHECK(readlink(NODE, text, sizeof(text)) == -1 && errno == EINVAL, "readlink of a node");
   CHECK(stat("/dev/dri/renderD187", &status) == -1 && errno == ENOENT, "another number");
   CHECK(open(SYSFS "/device/uevent", O_WRONLY) == -1 && errno == EACCES, "a text for writing");
   FILE *file = fopen(SYSFS "/dev", "r");
   CHECK(file && fgets(text, sizeof(text), file) && !strcmp(text, "226:190\n"), "dev: %s", text);
   if (file) {
      fclose(file);
   }
   DIR *stream = opendir("/dev/dri");
   unsigned seen = 0;
   for (struct dirent *entry; stream && (entry = readdir(stream));) {
      seen += !strcmp(entry->d_name, "renderD190");
   }
   CHECK(seen == 1, "listed %u times", seen);
   if (stream) {
      closedir(stream);
   }
}

static bool is_open(int fd)
{
   drmVersionPtr version = drmGetVersion(fd);
   bool answers = version != NULL;
   drmFreeVersion(version);
   return answers;
}

static void test_descriptors(void)
{
   struct stat status = {0};
   int fd = open(NODE, O_RDWR | O_CLOEXEC), copy = dup(fd), high = fcntl(fd, F_DUPFD_CLOEXEC, 100);
   CHECK(fd >= 0 && copy >= 0 && high >= 100, "%d %d %d", fd, copy, high);
   CHECK(drmGetNodeTypeFromFd(fd) == DRM_NODE_RENDER, "type %d", drmGetNodeTypeFromFd(fd));
   CHECK(!fstat(copy, &status) && status.st_rdev == makedev(226, 190), "fstat of a copy");
   close(fd);
   CHECK(is_open(copy) && is_open(high), "a copy went with the first");
   int file = open("/dev/null", O_RDWR);
   CHECK(file == fd, "the number %d is free, not %d", fd, file);
   CHECK(!is_open(file), "/dev/null is a GPU");
   CHECK(dup2(file, copy) == copy && !is_open(copy) && is_open(high), "dup2 over a copy");
   CHECK(dup2(high, copy) == copy && is_open(copy), "dup2 of a copy");
   CHECK(!close_range((unsigned)high, (unsigned)high, 0) && !is_open(high) && is_open(copy), "close_range");
   close(copy);
   close(file);
   CHECK(!is_open(copy) && errno == EBADF, "closed: %s", strerror(errno));
}

static uint32_t make_buffer(int fd, uint32_t **map)
{
   struct drm_asahi_gem_create create = {.size = 65536, .flags = DRM_ASAHI_GEM_WRITEBACK};
   struct drm_asahi_gem_mmap_offset offset = {0};
   CHECK(!ioctl(fd, DRM_IOCTL_ASAHI_GEM_CREATE, &create), "GEM_CREATE: %s", strerror(errno));
   offset.handle = create.handle;
   CHECK(!ioctl(fd, DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET, &offset), "GEM_MMAP_OFFSET: %s", strerror(errno));
   *map = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset.offset);
   CHECK(*map != MAP_FAILED, "mmap: %s", strerror(errno));
   return create.handle;
}

/* A buffer goes from one open file to another. */
static void test_prime(void)
{
   int first = open(NODE, O_RDWR | O_CLOEXEC), second = open(NODE, O_RDWR | O_CLOEXEC), shared = -1;
   uint32_t *map, imported = 0, handle = make_buffer(first, &map);
   CHECK(!drmPrimeHandleToFD(first, handle, DRM_CLOEXEC | DRM_RDWR, &shared), "export: %s", strerror(errno));
   CHECK(lseek(shared, 0, SEEK_END) == 65536, "size %lld", (long long)lseek(shared, 0, SEEK_END));
   CHECK(fcntl(shared, F_GETFD) == FD_CLOEXEC, "not closed by exec");
   CHECK(!drmPrimeFDToHandle(second, shared, &imported) && imported, "import: %s", strerror(errno));
   CHECK(drmPrimeFDToHandle(second, 0, &imported) == -1 && errno == EINVAL, "standard input: %s", strerror(errno));
   CHECK(drmPrimeFDToHandle(second, 9999, &imported) == -1 && errno == EBADF, "no file: %s", strerror(errno));
   const uint32_t *view = mmap(NULL, 65536, PROT_READ, MAP_SHARED, shared, 0);
   CHECK(view != MAP_FAILED, "mmap of the export: %s", strerror(errno));
   map[77] = 4711;
   CHECK(view[77] == 4711, "%u", view[77]);
   close(shared);
   close(first);
   CHECK(view[77] == 4711, "the memory went with its file");
   CHECK(!munmap(map, 65536) && !munmap((void *)view, 65536), "munmap: %s", strerror(errno));
   close(second);
}

static bool send_descriptor(int socket, int fd)
{
   char byte = 0;
   union {
      struct cmsghdr header;
      char space[CMSG_SPACE(sizeof(int))];
   } control = {.header = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
   memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
   struct iovec part = {&byte, 1};
   const struct msghdr message = {
       .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
   return sendmsg(socket, &message, 0) == 1;
}

static int receive_descriptor(int socket)
{
   char byte;
   union {
      struct cmsghdr header;
      char space[CMSG_SPACE(sizeof(int))];
   } control;
   struct iovec part = {&byte, 1};
   struct msghdr message = {
       .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
   int fd = -1;
   if (recvmsg(socket, &message, 0) == 1 && CMSG_FIRSTHDR(&message)) {
      memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
   }
   return fd;
}

/* What the other process does with a buffer that comes through a socket. 0, or which step failed. */
static int use_foreign(int socket)
{
   const int shared = receive_descriptor(socket), fd = open(NODE, O_RDWR | O_CLOEXEC), copy = dup(shared);
   uint32_t first = 0, second = 0, again = 0;
   if (shared < 0 || drmPrimeFDToHandle(fd, shared, &first) || drmPrimeFDToHandle(fd, copy, &second)) {
      return 1;
   }
   struct drm_asahi_gem_mmap_offset offset = {.handle = first};
   if (first != second || ioctl(fd, DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET, &offset)) {
      return 2;
   }
   uint32_t *map = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset.offset);
   if (map == MAP_FAILED || map[77] != 4711 || map[16383] != 4712) {
      return 3;
   }
   map[78] = 815;
   struct dma_buf_export_sync_file export = {.flags = DMA_BUF_SYNC_RW, .fd = -1};
   if (ioctl(shared, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &export) || export.fd < 0) {
      return 4;
   }
   struct pollfd set = {.fd = export.fd, .events = POLLIN};
   if (poll(&set, 1, 0) != 1 || ftruncate(shared, 0) != -1) {
      return 5;
   }
   close(copy);
   close(shared);
   int out = -1;
   if (drmPrimeHandleToFD(fd, first, DRM_CLOEXEC | DRM_RDWR, &out) || drmPrimeFDToHandle(fd, out, &again) ||
       again != first) {
      return 6;
   }
   return send_descriptor(socket, out) ? 0 : 7;
}

/* A buffer goes to another process and back: it stays the same memory. Its mappings from before the export do, too. */
static void test_other_process(void)
{
   int sockets[2], status = -1, shared = -1;
   CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), "%s", strerror(errno));
   const pid_t child = fork();
   if (!child) {
      _exit(use_foreign(sockets[1]));
   }
   const int fd = open(NODE, O_RDWR | O_CLOEXEC);
   uint32_t *map, again = 0, handle = make_buffer(fd, &map);
   map[77] = 4711;
   CHECK(!munmap(map + 4096, 4096 * 4), "a hole in the mapping");
   map[16383] = 4712;
   CHECK(!drmPrimeHandleToFD(fd, handle, DRM_CLOEXEC | DRM_RDWR, &shared), "export: %s", strerror(errno));
   CHECK(map[77] == 4711 && map[16383] == 4712, "the export lost %u, %u", map[77], map[16383]);
   CHECK(send_descriptor(sockets[0], shared), "%s", strerror(errno));
   CHECK(waitpid(child, &status, 0) == child && !status, "the other process: %x", status);
   CHECK(map[78] == 815, "what the other process wrote: %u", map[78]);
   const int returned = receive_descriptor(sockets[0]);
   CHECK(!drmPrimeFDToHandle(fd, returned, &again) && again == handle, "came back as %u, not %u", again, handle);
   const int plain = memfd_create("no buffer", MFD_CLOEXEC);
   CHECK(!ftruncate(plain, 65536) && drmPrimeFDToHandle(fd, plain, &again) == -1 && errno == EINVAL,
         "any file is a buffer");
   close(plain);
   close(returned);
   close(shared);
   close(sockets[0]);
   close(sockets[1]);
   close(fd);
}

/* A sync file polls: not before its fence is signalled, then at once. The fence is another file's timeline point. */
static void test_sync_file(void)
{
   int fd = open(NODE, O_RDWR | O_CLOEXEC), sync_file = -1, shared = -1;
   uint32_t syncobj = 0, again = 0;
   CHECK(!drmSyncobjCreate(fd, 0, &syncobj), "%s", strerror(errno));
   CHECK(drmSyncobjExportSyncFile(fd, syncobj, &sync_file) == -1 && errno == EINVAL, "no fence yet");
   CHECK(!drmSyncobjSignal(fd, &syncobj, 1), "%s", strerror(errno));
   CHECK(!drmSyncobjExportSyncFile(fd, syncobj, &sync_file), "%s", strerror(errno));
   char name[64], link[64] = "";
   snprintf(name, sizeof(name), "/proc/self/fd/%d", sync_file);
   CHECK(readlink(name, link, sizeof(link) - 1) > 0 && strstr(link, "eventfd"), "a file that always polls: %s", link);
   struct pollfd set = {.fd = sync_file, .events = POLLIN};
   CHECK(poll(&set, 1, 0) == 1 && set.revents & POLLIN, "a signalled fence does not poll");
   CHECK(!drmSyncobjHandleToFD(fd, syncobj, &shared), "%s", strerror(errno));
   int other = open(NODE, O_RDWR | O_CLOEXEC);
   CHECK(!drmSyncobjFDToHandle(other, shared, &again) && again, "%s", strerror(errno));
   CHECK(!drmSyncobjReset(fd, &syncobj, 1), "%s", strerror(errno));
   CHECK(!drmSyncobjImportSyncFile(other, again, sync_file), "%s", strerror(errno));
   CHECK(!drmSyncobjWait(fd, &syncobj, 1, 0, 0, NULL), "the object is not shared");
   close(shared);
   close(sync_file);
   close(other);
   close(fd);
}

/* What a child inherits is lost to it, not hung; it gets a device of its own; the parent's goes on. */
static void test_fork(void)
{
   int fd = open(NODE, O_RDWR | O_CLOEXEC), status = -1;
   pid_t child = fork();
   if (!child) {
      bool lost = !is_open(fd) && errno == ENODEV;
      close(fd);
      int own = open(NODE, O_RDWR | O_CLOEXEC);
      _exit(!lost ? 1 : own < 0 || !is_open(own) ? 2 : 0);
   }
   const pid_t ended = child > 0 ? waitpid(child, &status, 0) : -1;
   CHECK(ended == child && !status, "child: %x", status);
   CHECK(is_open(fd), "the parent's file");
   child = vfork();
   if (!child) {
      close(fd);
      execl("/bin/true", "true", NULL);
      _exit(1);
   }
   waitpid(child, &status, 0);
   CHECK(is_open(fd), "a vfork()ed child closed the parent's file");
   close(fd);
}

int main(void)
{
   test_found();
   test_paths();
   test_descriptors();
   test_prime();
   test_other_process();
   test_sync_file();
   test_fork();
   return check_result();
}
