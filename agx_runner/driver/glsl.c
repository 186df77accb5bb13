/* SPDX-License-Identifier: MIT
 *
 * Starts glslangValidator, and spirv-as for SPIR-V's assembly. What they write goes to files in memory, which they open
 * by paths under /proc.
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

#define GLSLANG "glslangValidator"
#define ASSEMBLER "spirv-as"
#define MOST_BYTES ((size_t)1 << 28)

extern char **environ;

/* Runs a program with its messages in the open file `messages`. Returns its exit code; -1: it could not be started,
 * errno says why. */
static int run(const char *const *words, int messages)
{
   posix_spawn_file_actions_t actions;
   pid_t child;
   int status;

   fflush(stdout);
   if (posix_spawn_file_actions_init(&actions) != 0) {
      errno = ENOMEM;
      return -1;
   }
   int error = posix_spawn_file_actions_adddup2(&actions, messages, STDOUT_FILENO);
   error = error == 0 ? posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO) : error;
   error = error == 0 ? posix_spawnp(&child, words[0], &actions, NULL, (char *const *)words, environ) : error;
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

/* Compiles with names and source lines, from which arguments get their names. The stage is compute for any file name.
 */
static int run_glslang(const char *path, const char *output, const char *environment, int messages)
{
   return run((const char *const[]){GLSLANG, "-V", "--quiet", "-g", "-S", "comp", "--target-env",
                                    environment[0] != '\0' ? environment : "vulkan1.3", "-o", output, path, NULL},
              messages);
}

static int run_assembler(const char *path, const char *output, const char *environment, int messages)
{
   return run((const char *const[]){ASSEMBLER, "--target-env", environment[0] != '\0' ? environment : "spv1.0", "-o",
                                    output, path, NULL},
              messages);
}

/* A file in memory, and its path. -1: errno has the reason. */
static int open_memory(char *path, size_t size)
{
   const int fd = memfd_create("agx-runner shader", MFD_CLOEXEC);
   snprintf(path, size, "/proc/%ld/fd/%d", (long)getpid(), fd);
   return fd;
}

static int read_memory(const char *path, char **bytes, size_t *size)
{
   FILE *file = fopen(path, "rb");
   const int error = file == NULL ? -errno : util_read_stream(file, MOST_BYTES, bytes, size);
   if (file != NULL) {
      fclose(file);
   }
   return error;
}

int driver_glsl_compile(const char *path, uint8_t **words, size_t *size)
{
   char output[64], *bytes = NULL;
   const int fd = open_memory(output, sizeof(output));
   if (fd < 0) {
      return complain(EXIT_FAILED, "%s: %s", path, strerror(errno));
   }
   const int ended = run_glslang(path, output, "", STDERR_FILENO);
   int code = EXIT_OK;
   if (ended < 0) {
      code = complain(EXIT_FAILED, "%s: GLSL needs " GLSLANG " (Debian's package glslang-tools): %s", path,
                      strerror(errno));
   } else if (ended != 0) {
      code = complain(EXIT_FAILED, "%s: " GLSLANG " does not compile it: exit %d", path, ended);
   } else {
      const int error = read_memory(output, &bytes, size);
      code = error == 0 ? EXIT_OK : complain(EXIT_FAILED, GLSLANG "'s output cannot be read: %s", strerror(-error));
   }
   *words = (uint8_t *)bytes;
   close(fd);
   return code;
}

/* ---- Text in memory ---- */

/* Writes the first line of the messages that says what is wrong, with `path` for the file in memory. */
static void take_message(const char *messages, const char *input, const char *path, char *why, size_t why_size)
{
   char *text = NULL;
   size_t size = 0;
   if (read_memory(messages, &text, &size) < 0) {
      return;
   }
   const char *line = strstr(text, "ERROR: ");
   line = line != NULL ? line + strlen("ERROR: ") : text;
   const char *place = strstr(line, input);
   if (place != NULL && place < line + strcspn(line, "\n")) {
      line = place + strlen(input);
      snprintf(why, why_size, "%s%.*s", path, (int)strcspn(line, "\n"), line);
   } else {
      snprintf(why, why_size, "%s: %.*s", path, (int)strcspn(line, "\n"), line);
   }
   free(text);
}

int driver_text_compile(const struct driver_text *source, uint8_t **words, size_t *size, char *why, size_t why_size)
{
   const char *program = source->assembly ? ASSEMBLER : GLSLANG;
   char input[64], output[64], messages[64], *bytes = NULL;
   const int files[] = {open_memory(input, sizeof(input)), open_memory(output, sizeof(output)),
                        open_memory(messages, sizeof(messages))};
   const size_t length = strlen(source->text);
   int ret = files[0] >= 0 && files[1] >= 0 && files[2] >= 0 && write(files[0], source->text, length) == (ssize_t)length
                 ? 0
                 : -errno;
   if (ret < 0) {
      snprintf(why, why_size, "%s: a file in memory: %s", source->path, strerror(-ret));
   } else {
      const int ended = source->assembly ? run_assembler(input, output, source->environment, files[2])
                                         : run_glslang(input, output, source->environment, files[2]);
      ret = ended < 0 ? -ENOENT : ended > 0 ? -EINVAL : read_memory(output, &bytes, size);
      if (ended < 0) {
         snprintf(why, why_size, "%s: %s is needed: %s", source->path, program, strerror(errno));
      } else if (ended > 0) {
         snprintf(why, why_size, "%s: %s does not compile it", source->path, program);
         take_message(messages, input, source->path, why, why_size);
      }
   }
   *words = (uint8_t *)bytes;
   for (size_t i = 0; i < 3; i++) {
      if (files[i] >= 0) {
         close(files[i]);
      }
   }
   return ret;
}
