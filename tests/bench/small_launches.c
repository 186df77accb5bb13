/* SPDX-License-Identifier: MIT
 *
 * Many small launches in one command, with the timing model off: how long each takes, and how much of the host threads'
 * time is processor time, with barriers between them that order them and with barriers that do not.
 *
 *   small-launches [THREADS [ROUNDS]]     host threads of the device, default 2; rounds in turn, default 31
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/vgpu/driver/client.h"

#define LAUNCHES 256u
#define STREAM 0xC000u /* in kit.exec, past its slots' streams */
#define MOST_ROUNDS 101u

static double now(clockid_t clock)
{
   struct timespec time;
   clock_gettime(clock, &time);
   return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* All slots run the code of slot 0, and each stores to words of its own. */
static void build(struct kit *kit, unsigned turns)
{
   char text[512];
   snprintf(text, sizeof(text),
            "mov r1, sr80\nldimm r0l, 0\nldimm r2, 0\nldimm r3, %u\nmov r4, r1\n"
            "top: imul r4, r4, r1\niadd r4, r4, r3\niadd r2, r2, 1\nwhile r2, r3, 1, ult\njmp_any top\npop_exec 1\n"
            "store r4, du0, r1, i32, x, a\nstop\n",
            turns);
   for (unsigned slot = 0; slot < KIT_SLOTS; slot++) {
      const uint32_t code = 0x80;
      const uint64_t list = KIT_DATA + slot * 0x400;
      kit_code(kit, slot, text);
      memcpy(kit->exec + slot * 0x100 + 0x40 + 14, &code, sizeof(code));
      memcpy(kit->exec + 0x4000 + slot * 8, &list, sizeof(list));
      kit->exec[slot * 0x100 + 0x40 + 19] = 2; /* 16 half registers */
   }
}

static void write_stream(struct kit *kit, unsigned groups, uint32_t barrier)
{
   uint32_t *stream = (uint32_t *)(void *)(kit->exec + STREAM);
   for (unsigned i = 0; i < LAUNCHES; i++) {
      const uint32_t launch[] = {0x1202, i % KIT_SLOTS * 0x100 + 0x40, 32 * groups, 1, 1, 32, 1, 1, barrier};
      memcpy(stream, launch, sizeof(launch));
      stream += sizeof(launch) / sizeof(launch[0]);
   }
   const uint32_t end[] = {0x40000000, 0};
   memcpy(stream, end, sizeof(end));
}

static void run(struct kit *kit, double *wall, double *processor)
{
   struct drm_asahi_cmd_compute command = {.cdm_ctrl_stream_base = KIT_USC + STREAM};
   static struct commands commands;
   const uint32_t out = client_syncobj(&kit->client, 0);
   struct drm_asahi_sync sync = {.handle = out};
   commands.size = 0;
   commands_add(&commands, DRM_ASAHI_CMD_COMPUTE, &command, sizeof(command), DRM_ASAHI_BARRIER_NONE,
                DRM_ASAHI_BARRIER_NONE);
   *wall = now(CLOCK_MONOTONIC);
   *processor = now(CLOCK_PROCESS_CPUTIME_ID);
   CHECK_EQUAL(client_submit(&kit->client, kit->queue, &commands, &sync, 0, 1), 0);
   CHECK_EQUAL(client_wait(&kit->client, out, 60000), 0);
   *wall = now(CLOCK_MONOTONIC) - *wall;
   *processor = now(CLOCK_PROCESS_CPUTIME_ID) - *processor;
   if (client_status(&kit->client, out) != 1) {
      fprintf(stderr, "%s\n", client_last_fault(&kit->client));
      exit(1);
   }
   struct drm_syncobj_destroy destroy = {.handle = out};
   CHECK_EQUAL(client_ioctl(&kit->client, DRM_IOCTL_SYNCOBJ_DESTROY, &destroy), 0);
}

/* Of wall time the best round is closest to that of a quiet machine. */
static double best(const double *values, unsigned count)
{
   double least = values[0];
   for (unsigned i = 1; i < count; i++) {
      least = values[i] < least ? values[i] : least;
   }
   return least;
}

int main(int argc, char **argv)
{
   static const uint32_t barriers[] = {0x600FFFFF, 0x60000000};
   static const unsigned turns[] = {1, 100, 1000}, groups[] = {1, 2, 4};
   const unsigned threads = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 2;
   unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 31;
   rounds = rounds < 1 ? 1 : rounds < MOST_ROUNDS ? rounds : MOST_ROUNDS;
   char spec[64];
   struct kit kit;
   snprintf(spec, sizeof(spec), "m1,timing=off,jit=off,threads=%u", threads);
   kit_open(&kit, spec);
   printf("%u launches in a command, %u host threads; best of %u rounds in turn\n", LAUNCHES, threads, rounds);
   printf(
       "threadgroups  turns | ordered: us a launch, processor time, idle | not ordered: the same | ratio, wall time\n");
   for (unsigned t = 0; t < sizeof(turns) / sizeof(turns[0]); t++) {
      build(&kit, turns[t]);
      for (unsigned g = 0; g < sizeof(groups) / sizeof(groups[0]); g++) {
         double wall[2][MOST_ROUNDS], processor[2][MOST_ROUNDS];
         for (unsigned round = 0; round <= rounds; round++) {
            for (unsigned b = 0; b < 2; b++) {
               write_stream(&kit, groups[g], barriers[b]);
               run(&kit, &wall[b][round ? round - 1 : 0], &processor[b][round ? round - 1 : 0]);
            }
         }
         double us[2];
         printf("%12u %6u |", groups[g], turns[t]);
         for (unsigned b = 0; b < 2; b++) {
            us[b] = best(wall[b], rounds) * 1e6 / LAUNCHES;
            const double busy = best(processor[b], rounds) * 1e6 / LAUNCHES;
            printf(" %8.1f %8.1f %4.0f %% |", us[b], busy, 100 * (1 - busy / (us[b] * threads)));
         }
         printf(" %.2f\n", us[0] / us[1]);
      }
   }
   kit_close(&kit);
   return check_result();
}
