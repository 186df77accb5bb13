/* SPDX-License-Identifier: MIT */
#include "agx_runner/measure/session.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agx_runner/terminal/runner.h"
#include "vgpu/vgpu.h"

/* A device that is asked for by a name that names none is a mistake of the command line. */
static int exit_code(int error)
{
   return error == -EINVAL || error == -ENODEV || error == -ENOTSUP ? EXIT_INVALID : EXIT_FAILED;
}

static int open_signals(void)
{
   sigset_t signals;

   sigemptyset(&signals);
   sigaddset(&signals, SIGINT);
   sigaddset(&signals, SIGTERM);
   if (sigprocmask(SIG_BLOCK, &signals, NULL) < 0) {
      return -1;
   }
   const int fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
   if (fd < 0) {
      sigprocmask(SIG_UNBLOCK, &signals, NULL);
   }
   return fd;
}

static void close_signals(int fd)
{
   if (fd >= 0) {
      close(fd);
   }
}

/* Kernels with private arrays or spills need the helper program. */
static int set_helper(struct session *session)
{
   struct agx_program *helper = compiler_helper_program();
   const int ret = helper == NULL ? -ENOMEM : asahi_device_set_helper(session->device, helper);

   agx_program_destroy(helper);
   if (ret == -ENOMEM) {
      return complain(EXIT_FAILED, "out of memory");
   }
   return ret < 0 ? complain(EXIT_FAILED, "%s: helper program: %s", session->info->path,
                             asahi_device_error(session->device))
                  : EXIT_OK;
}

int session_open(struct session *session, const char *device, double timeout_seconds)
{
   char why[1280] = "";

   /* Before the device: a virtual one starts threads, which inherit what is blocked. */
   *session = (struct session){.timeout_ns = (uint64_t)(timeout_seconds * 1e9), .signals = open_signals()};
   const int ret = asahi_device_open(device, &session->device, why, sizeof(why));
   if (ret < 0) {
      close_signals(session->signals);
      return complain(exit_code(ret), "%s", why[0] != '\0' ? why : strerror(-ret));
   }
   if (!strcmp(device, "auto") && why[0] != '\0') {
      note("%s", why);
   }
   session->info = asahi_device_get_info(session->device);
   const int code = set_helper(session);
   if (code != EXIT_OK) {
      session_close(session);
      return code;
   }
   return EXIT_OK;
}

void session_close(struct session *session)
{
   if (session->device != NULL) {
      asahi_device_close(session->device);
      close_signals(session->signals);
   }
   *session = (struct session){0};
}

bool session_interrupted(struct session *session)
{
   struct signalfd_siginfo signal;

   return session->signals >= 0 && read(session->signals, &signal, sizeof(signal)) == sizeof(signal);
}

int session_run(struct session *session, const struct asahi_dispatch *dispatch, double *nanoseconds)
{
   struct vgpu_counters before = {0}, after = {0};
   struct asahi_timing timing;
   int ret = session->info->is_virtual ? asahi_device_counters(session->device, &before) : 0;

   if (ret == 0) {
      ret = asahi_run(session->device, dispatch, 1, session->timeout_ns, &timing);
   }
   if (ret == 0 && session->info->is_virtual) {
      ret = asahi_device_counters(session->device, &after);
   }
   if (ret == 0) {
      const bool timed = !session->info->is_virtual || after.cycles != before.cycles;

      *nanoseconds = timed ? (double)(timing.end_ns - timing.start_ns) : 0;
   }
   return ret;
}

struct compiler_options device_compiler_options(const struct asahi_device_info *info)
{
   return (struct compiler_options){
       .atomic_coherency = info->atomic_coherency,
       .soft_faults = info->soft_faults,
   };
}

struct compiler_options benchmark_compiler_options(const struct benchmark *benchmark,
                                                   const struct asahi_device_info *info)
{
   struct compiler_options options = device_compiler_options(info);

   options.keep_atomics = !benchmark->fold_atomics;
   return options;
}
