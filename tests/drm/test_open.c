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

#include "check.h"
#include "drm/asahi.h"

#define NOBODY 65534

static void refuse(struct checks *checks, const char *spec, int expected, const char *words)
{
   char why[300] = "";
   struct asahi_device *device = (struct asahi_device *)checks;
   int error = asahi_device_open(spec, &device, why, sizeof(why));
   CHECK(checks, error == expected && device == NULL && strstr(why, words) != NULL && strstr(why, spec) != NULL,
         "%s: error %d, not %d; \"%s\" without \"%s\"", spec, error, expected, why, words);
   CHECK(checks, asahi_device_open(spec, &device, NULL, 0) == expected, "%s: another error without a message", spec);
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
   struct checks checks = {0};
   if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)) {
      printf("cannot become nobody: %s\n", strerror(errno));
      return 1;
   }
   refuse(&checks, path, -EACCES, "group render");
   return checks.failed != 0;
}

static void test_permission(struct checks *checks)
{
   char directory[] = "/tmp/agx-runner-open-XXXXXX", path[64];
   int status = -1;
   if (!CHECK(checks, mkdtemp(directory) != NULL, "mkdtemp: %s", strerror(errno))) {
      return;
   }
   /* A directory that may not be searched: stat(2) and open(2) both say EACCES. */
   snprintf(path, sizeof(path), "%s/renderD128", directory);
   CHECK(checks, chmod(directory, 0) == 0, "chmod: %s", strerror(errno));
   fflush(stdout);
   pid_t child = fork();
   if (child == 0) {
      int failed = open_forbidden(path);
      fflush(stdout);
      _exit(failed);
   }
   CHECK(checks, child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
         "the child found a fault");
   CHECK(checks, rmdir(directory) == 0, "rmdir: %s", strerror(errno));
}

static void test_candidates(struct checks *checks)
{
   static struct asahi_candidate candidates[64];
   size_t count = asahi_candidates(candidates, 64), virtuals = 0;
   for (size_t i = 0; i < count && i < 64; i++) {
      bool is_virtual = strncmp(candidates[i].path, "virtual:", 8) == 0;
      virtuals += is_virtual;
      CHECK(checks, candidates[i].description[0] != 0, "%s: no description", candidates[i].path);
      CHECK(checks, is_virtual || virtuals == 0, "%s: after a virtual one", candidates[i].path);
      CHECK(checks, !is_virtual || candidates[i].usable, "%s: not usable", candidates[i].path);
   }
   CHECK(checks, virtuals == 8, "%zu virtual devices", virtuals);
   CHECK(checks, asahi_candidates(NULL, 0) == count, "the count depends on the room");
   struct asahi_candidate one[2] = {{.path = "untouched"}, {.path = "untouched"}};
   CHECK(checks, asahi_candidates(one, 1) == count && strcmp(one[1].path, "untouched") == 0, "more than there is room");
}

int main(void)
{
   struct checks checks = {0};
   unsigned files = open_files();

   refuse(&checks, "/dev/dri/there-is-no-such-node", -ENODEV, "no such file");
   refuse(&checks, "/dev/null/renderD128", -ENODEV, "no such file");
   refuse(&checks, "/dev/null", -ENOTSUP, "not a DRM device");
   refuse(&checks, "/", -ENOTSUP, "directory");
   refuse(&checks, "/proc/self/exe", -ENOTSUP, "not a device");
   refuse(&checks, "m1", -EINVAL, "virtual:CHIP");
   refuse(&checks, "", -EINVAL, "virtual:CHIP");
   refuse(&checks, "virtual", -EINVAL, "virtual:CHIP");
   refuse(&checks, "virtual:", -EINVAL, "");
   refuse(&checks, "virtual:m7", -EINVAL, "m7");
   refuse(&checks, "virtual:m1,nonsense=1", -EINVAL, "nonsense");
   test_permission(&checks);
   test_candidates(&checks);
   CHECK(&checks, open_files() == files, "%u files were left open", open_files() - files);
   return checks_end(&checks);
}
