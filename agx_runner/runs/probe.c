/* SPDX-License-Identifier: MIT
 *
 * Examines the device in a process of its own: a driver that crashes or hangs affects that process only.
 */
#include "agx_runner/runs/probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "agx_runner/measure/session.h"
#include "agx_runner/terminal/runner.h"
#include "compiler/api/compiler.h"
#include "process/child/child.h"
#include "uapi/uapi.h"

#define VIRTUAL_PREFIX "virtual:"
#define KERNEL_LOG "/dev/kmsg"
/* On hardware a process that must end may have a job in flight, whose end it may await for this time. If it is killed
 * before, the kernel's driver has to end the job, and its recovery hits other clients. */
#define HARDWARE_GRACE_SECONDS 10.0

/* Shared memory in which the process that opens the device stores its findings. */
struct probe {
   const char *device;
   double timeout;
   struct asahi_device_info info;
   bool opened;
};

/* In a process; its exit code is an enum exit_code. */
static int open_device(void *data, int orders, int reports)
{
   struct probe *probe = data;
   struct session session;
   const int code = session_open(&session, probe->device, probe->timeout);

   (void)orders, (void)reports;
   if (code == EXIT_OK) {
      probe->info = *session.info;
      probe->opened = true;
      session_close(&session);
   }
   return code;
}

/* In a process, for struct pool: runs a trivial job on the device. */
static int check_device(void *data, int orders, int reports)
{
   const char *device = data;
   const bool is_virtual = strncmp(device, VIRTUAL_PREFIX, strlen(VIRTUAL_PREFIX)) == 0;
   char *spec, why[300];

   (void)orders;
   if (asprintf(&spec, "%s%s", device, is_virtual ? ",scope=check" : "") < 0) {
      return EXIT_FAILED;
   }
   if (uapi_check(spec, why, sizeof(why))) {
      child_report(reports, "works");
   } else {
      child_report(reports, "broken %s", why);
   }
   return EXIT_OK;
}

/* Runs the process that opens the device. */
static int await_probe(struct pool *pool, struct probe *probe)
{
   struct child child;
   const int error = child_start(&child, open_device, probe);

   if (error < 0) {
      return complain(EXIT_FAILED, "no process could be started: %s", strerror(-error));
   }
   pool->by_work = asahi_spec_is_virtual(probe->device);
   if (pool->by_work) {
      child_count_work(&child, compiler_process()); /* it gives the helper program */
   }
   const bool ended = pool_await(pool, &child);
   const int status = child.status;
   char why[300];
   child_describe_end(&child, why, sizeof(why));
   child_finish(&child);
   if (pool->code != EXIT_OK) {
      return complain(pool->code, "%s", pool->why);
   }
   if (probe->opened) {
      return EXIT_OK;
   }
   if (ended && WIFEXITED(status) && WEXITSTATUS(status) != EXIT_OK) {
      return WEXITSTATUS(status); /* the process has printed the reason */
   }
   return complain(EXIT_FAILED, "%s: the process that opens it did not survive: %s", probe->device,
                   ended ? why : "it did not end within the limits, and was killed");
}

int probe_device(struct pool *pool, const char *spec, double timeout, struct asahi_device_info *info)
{
   struct probe *probe = mmap(NULL, sizeof(*probe), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

   if (probe == MAP_FAILED) {
      return complain(EXIT_FAILED, "cannot set up the run: %s", strerror(errno));
   }
   probe->device = spec;
   probe->timeout = timeout;
   const int code = await_probe(pool, probe);
   *info = probe->info;
   munmap(probe, sizeof(*probe));
   if (code != EXIT_OK) {
      return code;
   }
   pool->device = strcmp(spec, "auto") == 0 ? info->path : spec;
   pool->check = check_device;
   pool->grace = info->is_virtual ? 0 : HARDWARE_GRACE_SECONDS;
   pool->by_work = info->is_virtual;
   if (!info->is_virtual && !kmsg_open(&pool->kmsg, KERNEL_LOG)) {
      note(KERNEL_LOG " cannot be read (%s): failures come without the kernel's messages", strerror(errno));
   }
   return EXIT_OK;
}
