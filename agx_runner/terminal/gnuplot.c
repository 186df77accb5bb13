/* SPDX-License-Identifier: MIT
 *
 * Starts gnuplot without a shell, with the script on its standard input.
 */
#include "agx_runner/terminal/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"

extern char **environ;

/* Runs gnuplot with one argument from file to file. False: it could not be started, or it failed. */
static bool run(const char *argument, FILE *in, FILE *out)
{
   char *arguments[] = {"gnuplot", (char *)argument, NULL};
   posix_spawn_file_actions_t actions;
   int status = -1;
   pid_t child;

   if (posix_spawn_file_actions_init(&actions) != 0) {
      return false;
   }
   const bool ready = posix_spawn_file_actions_adddup2(&actions, fileno(in), STDIN_FILENO) == 0 &&
                      posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO) == 0 &&
                      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0;
   if (ready && posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ) == 0) {
      while (waitpid(child, &status, 0) < 0) {
         if (errno != EINTR) {
            status = -1;
            break;
         }
      }
   }
   posix_spawn_file_actions_destroy(&actions);
   return status == 0;
}

static void close_file(FILE *file)
{
   if (file != NULL) {
      fclose(file);
   }
}

void gnuplot_terminal(FILE *script, unsigned width, unsigned height, const char *more)
{
   fprintf(script, "set terminal svg size %u,%u background rgb 'white' %s\n", width, height, more);
}

bool gnuplot_is_installed(void)
{
   FILE *in = tmpfile(), *out = tmpfile();
   const bool installed = in != NULL && out != NULL && run("--version", in, out);

   close_file(in);
   close_file(out);
   return installed;
}

char *gnuplot_draw(const char *script, size_t script_size, size_t *size)
{
   FILE *in = tmpfile(), *out = tmpfile();
   char *drawing = NULL;
   off_t end = 0;

   *size = 0;
   if (in != NULL && out != NULL && fwrite(script, 1, script_size, in) == script_size && fflush(in) == 0 &&
       lseek(fileno(in), 0, SEEK_SET) == 0 && run("-", in, out)) {
      end = lseek(fileno(out), 0, SEEK_END);
   }
   if (end > 0 && (drawing = malloc((size_t)end)) != NULL) {
      const ssize_t got = pread(fileno(out), drawing, (size_t)end, 0);

      if (got == end) {
         *size = (size_t)got;
      } else {
         free(drawing);
         drawing = NULL;
      }
   }
   close_file(in);
   close_file(out);
   return drawing;
}

/* The group into which gnuplot puts everything. A browser applies this to pictures in a page, too. */
#define CANVAS "<g id=\"gnuplot_canvas\">"
#define DARK                                                                                                           \
   "<style>@media screen and (prefers-color-scheme:dark){#gnuplot_canvas{filter:invert(1) hue-rotate(180deg) "         \
   "brightness(1.7)}}"                                                                                                 \
   "</style>\n"

/* A short write shows in the stream's error, which the commit reports. */
static void write_themed(const char *drawing, size_t size, FILE *file)
{
   const char *canvas = memmem(drawing, size, CANVAS, strlen(CANVAS));
   const size_t before = canvas != NULL ? (size_t)(canvas - drawing) : 0;

   (void)!fwrite(drawing, 1, before, file);
   fputs(canvas != NULL ? DARK : "", file);
   (void)!fwrite(drawing + before, 1, size - before, file);
}

int gnuplot_write(void (*write_script)(const void *data, FILE *file), const void *data, const char *path)
{
   char *script = NULL, *drawing = NULL;
   size_t script_size = 0, size = 0;
   FILE *file = open_memstream(&script, &script_size);
   struct output output = {0};

   if (file != NULL) {
      write_script(data, file);
      drawing = fclose(file) == 0 ? gnuplot_draw(script, script_size, &size) : NULL;
      free(script);
   }
   if (drawing == NULL) {
      return complain(EXIT_FAILED, "gnuplot failed: no plot");
   }
   int code = output_open(&output, path);
   if (code == EXIT_OK) {
      write_themed(drawing, size, output.file);
      code = output_commit(&output);
   }
   output_discard(&output);
   free(drawing);
   return code;
}
