/* SPDX-License-Identifier: MIT
 *
 * agx-compile: Mesa's AGX compiler as a program. agx-runner starts it and asks it over a socket. By hand it compiles
 * one file in its own process, without limits: for a debugger or valgrind.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "compiler/api/protocol.h"
#include "compiler/debug_switches.h"
#include "compiler/refusal/file_kind.h"
#include "compiler/serve/server.h"
#include "nir_kernels/nir_request.h"

enum { OK = 0, INVALID = 79, FAILED = 98 }; /* as agx-runner's */

static compiler_job *const jobs[COMPILER_KINDS] = {
    [COMPILER_BENCHMARK] = bench_nir_job, [COMPILER_BENCHMARK_TEXT] = bench_nir_text_job};

static int invalid(const char *what, const char *value)
{
   fprintf(stderr, "agx-compile: %s%s (agx-compile --help)\n", what, value);
   return INVALID;
}

static int version(void)
{
   printf("agx-compile %s (Mesa %s), protocol %d\n", AGX_RUNNER_VERSION, compiler_mesa_version(), COMPILER_PROTOCOL);
   return OK;
}

static int help(void)
{
   fputs("Usage: agx-compile [OPTION...] FILE.cl|FILE.spv\n"
         "Compiles a file in its own process, without limits, for a debugger. agx-runner starts this program\n"
         "to compile for it.\n\n"
         "Options\n"
         "      --kernel NAME           compile this kernel alone\n"
         "      --options WORDS         OpenCL build options\n"
         "      --serve FD              take compilations from the socket with this number (agx-runner)\n"
         "  -h, --help                  show this and stop\n"
         "      --version               show the version and stop\n",
         stdout);
   return OK;
}

/* ---- For agx-runner ---- */

static int serve(const char *number)
{
   static const uint32_t sizes[] = COMPILER_SIZES;
   struct compiler_hello hello;
   int type;
   socklen_t size = sizeof(type);
   char *end;
   const long fd = strtol(number, &end, 10);

   if (*number == '\0' || *end != '\0' || fd < 0 || fd > 1 << 20 ||
       getsockopt((int)fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || type != SOCK_SEQPACKET) {
      return invalid(COMPILER_SERVE_OPTION " is for agx-runner: no socket has this number: ", number);
   }
   compiler_warn_of_switches();
   memset(&hello, 0, sizeof(hello));
   memcpy(hello.magic, COMPILER_MAGIC, sizeof(hello.magic));
   hello.protocol = COMPILER_PROTOCOL;
   _Static_assert(sizeof(sizes) == sizeof(hello.sizes), "each size has its place");
   memcpy(hello.sizes, sizes, sizeof(sizes));
   hello.identity =
       compiler_cache_key(NULL, 0); /* with this process's environment, which may differ from the caller's */
   snprintf(hello.mesa, sizeof(hello.mesa), "%s", compiler_mesa_version());
   snprintf(hello.mesa_commit, sizeof(hello.mesa_commit), "%s", compiler_mesa_commit());
   snprintf(hello.extensions, sizeof(hello.extensions), "%s", compiler_opencl_extensions());
   if (send((int)fd, &hello, sizeof(hello), MSG_NOSIGNAL) != (ssize_t)sizeof(hello)) {
      return FAILED; /* who started it has gone */
   }
   compiler_server_live((int)fd, false, jobs);
}

/* ---- By hand ---- */

static char *read_file(const char *path, size_t *size)
{
   FILE *file = fopen(path, "rb");
   char *text = NULL;
   long end = -1;

   if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0) {
      text = malloc((size_t)end + 1);
   }
   *size = text != NULL ? fread(text, 1, (size_t)end, file) : 0;
   if (text != NULL && *size != (size_t)end) {
      free(text);
      text = NULL;
   }
   if (text == NULL) {
      fprintf(stderr, "agx-compile: %s: %s\n", path, strerror(errno != 0 ? errno : EIO));
   }
   if (file != NULL) {
      fclose(file);
   }
   return text;
}

static int compile(const char *path, const struct compiler_options *options)
{
   struct compiler_result result;
   size_t size;
   char *text = read_file(path, &size);

   if (text == NULL) {
      return INVALID;
   }
   compiler_set_in_process(true);
   const int ret = file_kind_is_spirv((const uint8_t *)text, size)
                       ? compiler_spirv(path, text, size, options, &result)
                       : compiler_opencl(path, text, size, options, &result);
   fputs(result.log != NULL ? result.log : "", stderr);
   for (size_t i = 0; i < result.count; i++) {
      printf("kernel %s: %zu bytes\n", result.programs[i]->name, result.programs[i]->code_size);
   }
   const int code = ret == 0 && result.refused_count == 0 ? OK : FAILED;
   compiler_result_finish(&result);
   free(text);
   return code;
}

static int run(int argc, char **argv)
{
   enum { KERNEL = 256, OPTIONS, SERVE, VERSION };
   static const struct option known[] = {
       {"kernel", required_argument, NULL, KERNEL}, {"options", required_argument, NULL, OPTIONS},
       {"serve", required_argument, NULL, SERVE},   {"help", no_argument, NULL, 'h'},
       {"version", no_argument, NULL, VERSION},     {0}};
   struct compiler_options options = {0};
   int value;

   while ((value = getopt_long(argc, argv, "h", known, NULL)) != -1) {
      switch (value) {
      case KERNEL:
         options.kernel = optarg;
         break;
      case OPTIONS:
         options.arguments = optarg;
         break;
      case SERVE:
         return serve(optarg);
      case 'h':
         return help();
      case VERSION:
         return version();
      default:
         return INVALID; /* getopt has said why */
      }
   }
   return optind + 1 == argc ? compile(argv[optind], &options) : invalid("one FILE is expected", "");
}

int main(int argc, char **argv)
{
   const int code = run(argc, argv);

   if (fflush(stdout) != 0 || ferror(stdout)) {
      fputs("agx-compile: stdout: the output could not be written\n", stderr);
      return FAILED;
   }
   return code;
}
