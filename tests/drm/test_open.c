/* SPDX-License-Identifier: MIT
 *
 * Opening what is no device, or not for us: the right errno and words that help.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drm/asahi.h"
#include "tests/check.h"

#define NOBODY 65534

static void refuse(const char *spec, int expected, const char *words)
{
   char why[300] = "";
   struct asahi_device *device = (struct asahi_device *)why;
   int error = asahi_device_open(spec, &device, why, sizeof(why));
   CHECK(error == expected && device == NULL && strstr(why, words) != NULL && strstr(why, spec) != NULL,
         "%s: error %d, not %d; \"%s\" without \"%s\"", spec, error, expected, why, words);
   CHECK(asahi_device_open(spec, &device, NULL, 0) == expected, "%s: another error without a message", spec);
}

static unsigned open_files(void)
{
   unsigned count = 0;
   for (int fd = 0; fd < 256; fd++) {
      count += fcntl(fd, F_GETFD) != -1;
   }
   return count;
}

/* In a child that is nobody: root may open everything. */
static int open_forbidden(const char *path)
{
   if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)) {
      printf("cannot become nobody: %s\n", strerror(errno));
      return 1;
   }
   refuse(path, -EACCES, "group render");
   return check_failures != 0;
}

static void test_permission(void)
{
   char directory[] = "/tmp/agx-runner-open-XXXXXX", path[64];
   int status = -1;
   if (!CHECK(mkdtemp(directory) != NULL, "mkdtemp: %s", strerror(errno))) {
      return;
   }
   /* A directory that may not be searched: stat(2) and open(2) both say EACCES. */
   snprintf(path, sizeof(path), "%s/renderD128", directory);
   CHECK(chmod(directory, 0) == 0, "chmod: %s", strerror(errno));
   fflush(stdout);
   pid_t child = fork();
   if (child == 0) {
      int failed = open_forbidden(path);
      fflush(stdout);
      _exit(failed);
   }
   CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
         "the child found a fault");
   CHECK(rmdir(directory) == 0, "rmdir: %s", strerror(errno));
}

static void test_candidates(void)
{
   static struct asahi_candidate candidates[64];
   size_t count = asahi_candidates(candidates, 64), virtuals = 0;
   for (size_t i = 0; i < count && i < 64; i++) {
      bool is_virtual = strncmp(candidates[i].path, "virtual:", 8) == 0;
      virtuals += is_virtual;
      CHECK(candidates[i].description[0] != 0, "%s: no description", candidates[i].path);
      CHECK(is_virtual || virtuals == 0, "%s: after a virtual one", candidates[i].path);
      CHECK(!is_virtual || candidates[i].usable, "%s: not usable", candidates[i].path);
   }
   CHECK(virtuals == 8, "%zu virtual devices", virtuals);
   CHECK(asahi_candidates(NULL, 0) == count, "the count depends on the room");
   struct asahi_candidate one[2] = {{.path = "untouched"}, {.path = "untouched"}};
   CHECK(asahi_candidates(one, 1) == count && strcmp(one[1].path, "untouched") == 0, "more than there is room");
}

int main(void)
{
   unsigned files = open_files();

   refuse("/dev/dri/there-is-no-such-node", -ENODEV, "no such file");
   refuse("/dev/null/renderD128", -ENODEV, "no such file");
   refuse("/dev/null", -ENOTSUP, "not a DRM device");
   refuse("/", -ENOTSUP, "directory");
   refuse("/proc/self/exe", -ENOTSUP, "not a device");
   refuse("m1", -EINVAL, "virtual:CHIP");
   refuse("", -EINVAL, "virtual:CHIP");
   refuse("virtual", -EINVAL, "virtual:CHIP");
   refuse("virtual:", -EINVAL, "");
   refuse("virtual:m7", -EINVAL, "m7");
   refuse("virtual:m1,nonsense=1", -EINVAL, "nonsense");
   test_permission();
   test_candidates();
   CHECK(open_files() == files, "%u files were left open", open_files() - files);
   return check_result();
}
