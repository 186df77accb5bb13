/* SPDX-License-Identifier: MIT
 *
 * Starts glslangValidator. Its output goes to a file in memory, which it opens by a path under /proc.
 */
#include "agx_runner/driver/glsl.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agx_runner/terminal/runner.h"
#include "util/file.h"

#define PROGRAM "glslangValidator"
#define MOST_BYTES ((size_t)1 << 28)

extern char **environ;

/* Runs it with its messages on standard error. Returns its exit code; -1: it could not be started, errno says why. */
static int run(const char *path, const char *output)
{
   /* Compiles with names and source lines, from which arguments get their names. The stage is compute for any file
    * name. */
   const char *const words[] = {PROGRAM,        "-V",        "--quiet", "-g",   "-S", "comp",
                                "--target-env", "vulkan1.3", "-o",      output, path, NULL};
   posix_spawn_file_actions_t actions;
   pid_t child;
   int status;

   fflush(stdout);
   if (posix_spawn_file_actions_init(&actions) != 0) {
      errno = ENOMEM;
      return -1;
   }
   int error = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
   error = error == 0 ? posix_spawnp(&child, PROGRAM, &actions, NULL, (char *const *)words, environ) : error;
   posix_spawn_file_actions_destroy(&actions);
   if (error != 0) {
      errno = error;
      return -1;
   }
   while (waitpid(child, &status, 0) < 0) {
      if (errno != EINTR) {
         return -1;
      }
   }
   return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int read_output(const char *output, uint8_t **words, size_t *size)
{
   FILE *file = fopen(output, "rb");
   char *bytes = NULL;
   int error = file == NULL ? -errno : util_read_stream(file, MOST_BYTES, &bytes, size);
   if (file != NULL) {
      fclose(file);
   }
   *words = (uint8_t *)bytes;
   return error == 0 ? EXIT_OK : complain(EXIT_FAILED, PROGRAM "'s output cannot be read: %s", strerror(-error));
}

int driver_glsl_compile(const char *path, uint8_t **words, size_t *size)
{
   char output[64];
   const int fd = memfd_create("agx-runner SPIR-V", MFD_CLOEXEC);
   if (fd < 0) {
      return complain(EXIT_FAILED, "%s: %s", path, strerror(errno));
   }
   snprintf(output, sizeof(output), "/proc/%ld/fd/%d", (long)getpid(), fd);
   const int ended = run(path, output);
   int code;
   if (ended < 0) {
      code = complain(EXIT_FAILED, "%s: GLSL needs " PROGRAM " (Debian's package glslang-tools): %s", path,
                      strerror(errno));
   } else if (ended != 0) {
      code = complain(EXIT_FAILED, "%s: " PROGRAM " does not compile it: exit %d", path, ended);
   } else {
      code = read_output(output, words, size);
   }
   close(fd);
   return code;
}
