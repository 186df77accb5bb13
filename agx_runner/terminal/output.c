/* SPDX-License-Identifier: MIT
 *
 * Output files that are written completely or not at all: a temporary file gets the name when it is committed.
 */
#include "agx_runner/terminal/output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agx_runner/terminal/runner.h"
#include "process/child/interrupt.h"

static int failed(const struct output *output, const char *what)
{
   return complain(EXIT_FAILED, "%s: %s: %s", output->path, what, strerror(errno));
}

static const char *target(const struct output *output)
{
   return output->resolved != NULL ? output->resolved : output->path;
}

/* Creates a temporary file beside the target, with the permissions of an ordinary open. */
static int open_temporary(struct output *output)
{
   const mode_t mask = umask(0);

   umask(mask);
   if (asprintf(&output->temporary, "%s.XXXXXX", target(output)) < 0) {
      output->temporary = NULL;
      return complain(EXIT_FAILED, "out of memory");
   }
   const int fd = mkstemp(output->temporary);
   if (fd < 0) {
      const int code = failed(output, "cannot be created");
      free(output->temporary);
      output->temporary = NULL;
      output_discard(output);
      return code;
   }
   interrupt_remove(output->temporary);
   if (fchmod(fd, 0666 & ~mask) < 0 || (output->file = fdopen(fd, "w")) == NULL) {
      const int code = failed(output, "cannot be created");
      close(fd);
      output_discard(output);
      return code;
   }
   return EXIT_OK;
}

int output_open(struct output *output, const char *path)
{
   struct stat status;

   *output = (struct output){.path = path};
   if (path == NULL || !strcmp(path, "-")) {
      *output = (struct output){.file = stdout};
      return EXIT_OK;
   }
   if (stat(path, &status) < 0 || S_ISREG(status.st_mode)) {
      /* If the path is a link, its target is written, not a file in place of the link. */
      output->resolved = realpath(path, NULL);
      return open_temporary(output);
   }
   output->file = fopen(path, "w");
   return output->file == NULL ? failed(output, "cannot be opened") : EXIT_OK;
}

int output_probe(const char *path)
{
   struct output output = {0};
   struct stat status;
   const bool plain = path != NULL && (stat(path, &status) < 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
   const int code = plain ? output_open(&output, path) : EXIT_OK;

   output_discard(&output);
   return code;
}

int output_commit(struct output *output)
{
   if (output->path == NULL) {
      return EXIT_OK; /* main() checks standard output */
   }
   FILE *file = output->file;
   int error = fflush(file) != 0 || ferror(file) ? errno : 0;
   if (error == 0 && output->temporary != NULL && fsync(fileno(file)) < 0) {
      error = errno;
   }
   if (fclose(file) != 0 && error == 0) {
      error = errno;
   }
   output->file = NULL;
   if (error == 0 && output->temporary != NULL && rename(output->temporary, target(output)) < 0) {
      error = errno;
   }
   if (error == 0) {
      interrupt_keep(output->temporary);
      free(output->temporary);
      output->temporary = NULL;
      return EXIT_OK;
   }
   errno = error;
   return failed(output, "could not be written");
}

void output_discard(struct output *output)
{
   if (output->path != NULL && output->file != NULL) {
      fclose(output->file);
   }
   if (output->temporary != NULL) {
      unlink(output->temporary);
      interrupt_keep(output->temporary);
      free(output->temporary);
   }
   free(output->resolved);
   *output = (struct output){0};
}
