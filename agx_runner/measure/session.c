/* SPDX-License-Identifier: MIT
 *
 * Opens a device for measuring and submits to it. Signals are blocked before the device's threads start.
 */
#include "agx_runner/measure/session.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agx_runner/program/check_reports.h"
#include "agx_runner/terminal/runner.h"
#include "process/child/interrupt.h"
#include "util/clock.h"
#include "vgpu/vgpu.h"

/* A device name that does not exist is a mistake on the command line. */
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
   } else if (interrupt_is_heard()) {
      interrupt_settle();
   }
}

static bool asks_to_stop(void *data)
{
   struct session *session = data;

   if (session->waiting != NULL) {
      session->waiting(session->waiting_data);
   }
   return session_interrupted(session);
}

/* Sets the helper program, which kernels with private arrays or spills need. */
static int set_helper(struct session *session)
{
   struct agx_program *helper = compiler_helper_program();
   /* Without a compiler there is none: a kernel that needs it is refused when it is run. */
   const int ret = helper == NULL ? 0 : asahi_device_set_helper(session->device, helper);

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

   /* block signals before the device is opened: a virtual device starts threads, which inherit the mask */
   *session = (struct session){.timeout_ns = (uint64_t)(timeout_seconds * 1e9), .signals = -1};
   if (interrupt_is_heard()) {
      interrupt_defer();
   } else {
      session->signals = open_signals();
   }
   const int ret = asahi_device_open(device, &session->device, why, sizeof(why));
   if (ret < 0) {
      close_signals(session->signals);
      return complain(exit_code(ret), "%s", why[0] != '\0' ? why : strerror(-ret));
   }
   if (!strcmp(device, "auto") && why[0] != '\0') {
      note("%s", why);
   }
   asahi_device_interrupt(session->device, asks_to_stop, session);
   session->info = asahi_device_get_info(session->device);
   session->checks = session->info->is_virtual && check_spec_is_on(device);
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

void session_set_result(struct session *session, struct result *result)
{
   session->result = result;
   session->lost = false;
}

bool session_interrupted(struct session *session)
{
   struct signalfd_siginfo signal;

   session->interrupted |= interrupt_requested() ||
                           (session->signals >= 0 && read(session->signals, &signal, sizeof(signal)) == sizeof(signal));
   return session->interrupted;
}

/* Estimates the host's time for commands of a virtual device: tests/bench/vgpu_speed.c shows 9 to 55 ns an instruction
 * with timing on; 20 us a command is a guess. It only determines how many commands are submitted at once. */
static double emulation_ns(const struct vgpu_counters *before, const struct vgpu_counters *after)
{
   return (double)(after->instructions - before->instructions) * 25 + (double)(after->jobs - before->jobs) * 20e3;
}

/* Warns once, because the kernels of a benchmark are launched many times. */
static void note_without_caches(struct session *session, const struct vgpu_counters *before,
                                const struct vgpu_counters *after)
{
   if (after->without_caches != before->without_caches && !session->without_caches) {
      session->without_caches = true;
      note("a launch accessed memory more often than the model of the caches keeps (2^27 runs of bytes, of one "
           "threadgroup "
           "a core): its time is as if the L2 had all its data (docs/timing-model.md)");
   }
}

static void interrupt_hold_on_hardware(const struct session *session, bool hold)
{
   if (!session->info->is_virtual) {
      (hold ? interrupt_hold : interrupt_release)();
   }
}

int session_submit(struct session *session, const struct asahi_dispatch *dispatches, size_t count, double *nanoseconds,
                   struct session_span *span)
{
   struct asahi_command commands[ASAHI_COMMANDS_MAX];
   struct asahi_timing timings[ASAHI_COMMANDS_MAX];
   struct vgpu_counters before = {0}, after = {0};
   const bool modelled = session->info->is_virtual;
   int ret = modelled ? asahi_device_counters(session->device, &before) : 0;

   for (size_t i = 0; i < count && i < ASAHI_COMMANDS_MAX; i++) {
      commands[i] = (struct asahi_command){.dispatches = &dispatches[i], .count = 1};
   }
   const uint64_t start = util_clock_ns();
   interrupt_hold_on_hardware(session, true);
   ret = ret == 0 ? asahi_submit(session->device, commands, count, session->timeout_ns, timings) : ret;
   interrupt_hold_on_hardware(session, false);
   const double host_ns = (double)(util_clock_ns() - start);
   ret = ret == 0 && modelled ? asahi_device_counters(session->device, &after) : ret;
   if (ret < 0) {
      return ret;
   }
   note_without_caches(session, &before, &after);
   const bool timed = !modelled || after.cycles != before.cycles;
   for (size_t i = 0; i < count; i++) {
      nanoseconds[i] = timed ? (double)(timings[i].end_ns - timings[i].start_ns) : 0;
   }
   if (span != NULL) {
      *span = (struct session_span){.device = (double)(timings[count - 1].end_ns - timings[0].start_ns),
                                    .host = host_ns,
                                    .wanted = modelled ? emulation_ns(&before, &after) : host_ns,
                                    .idle = session->last_end == 0 || timings[0].start_ns < session->last_end
                                                ? 0
                                                : (double)(timings[0].start_ns - session->last_end)};
   }
   session->last_end = timings[count - 1].end_ns;
   return 0;
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
