/* SPDX-License-Identifier: MIT
 *
 * Launches of one command: those that a barrier orders never overlap, others run side by side where the device may do
 * so; faults, budget and counters are those of launches one after the other.
 */
#include <errno.h>
#include <string.h>

#include "tests/vgpu/driver/client.h"
#include "vgpu/vgpu.h"

#define STREAM 0xC000u /* in kit.exec, past its slots' streams */
#define ROOM 0x4000u
#define PATIENCE 60000 /* ms */
#define ALL 0x600FFFFFu
#define NOTHING 0x60000000u
#define SLOW "20000" /* turns: some 0.1 ms of a simdgroup */

/* Words at u0_u1: 0 a flag, 1 what came of it. */
static const char spin_until_set[] = "ldimm r0l, 0\nldimm r3, 1\n"
                                     "top: load r1, du0, 0, i32, x, a\nwait a\nwhile r1, r3, 1, ult\njmp_any top\n"
                                     "pop_exec 1\nstore r3, du0, 1, i32, x, a\nstop\n";
static const char set[] = "ldimm r3, 1\nstore r3, du0, 0, i32, x, a\nstop\n";
static const char set_late[] = "ldimm r0l, 0\nldimm r2, 0\nldimm r3, " SLOW "\n"
                               "top: iadd r2, r2, 1\nwhile r2, r3, 1, ult\njmp_any top\npop_exec 1\n"
                               "ldimm r3, 1\nstore r3, du0, 0, i32, x, a\nstop\n";
static const char copy[] = "load r1, du0, 0, i32, x, a\nwait a\nstore r1, du0, 1, i32, x, a\nstop\n";
static const char copy_late[] = "ldimm r0l, 0\nldimm r2, 0\nldimm r3, " SLOW "\n"
                                "top: iadd r2, r2, 1\nwhile r2, r3, 1, ult\njmp_any top\npop_exec 1\n"
                                "load r1, du0, 0, i32, x, a\nwait a\nstore r1, du0, 1, i32, x, a\nstop\n";
static const char count_in[] = "ldimm r3, 1\natomic _, r3, du0, 0, add, a\nstop\n";

/* ---- Streams ---- */

struct writer {
   struct kit *kit;
   uint32_t used;
};

static void put(struct writer *writer, const uint32_t *words, unsigned count)
{
   const bool fits = writer->used + count * sizeof(*words) <= ROOM;
   CHECK(fits);
   if (!fits) {
      return;
   }
   memcpy(writer->kit->exec + STREAM + writer->used, words, count * sizeof(*words));
   writer->used += count * (uint32_t)sizeof(*words);
}

static void put_launch(struct writer *writer, unsigned slot, uint32_t groups)
{
   const uint32_t words[] = {0x1202, slot * 0x100 + 0x40, 32 * groups, 1, 1, 32, 1, 1};
   put(writer, words, 8);
}

static void put_barrier(struct writer *writer, uint32_t word)
{
   put(writer, &word, 1);
}

static struct drm_asahi_cmd_compute put_end(struct writer *writer)
{
   const uint32_t words[] = {0x40000000, 0};
   put(writer, words, 2);
   return (struct drm_asahi_cmd_compute){.cdm_ctrl_stream_base = KIT_USC + STREAM};
}

/* Ends the stream, runs it and returns the fence's status. */
static int run(struct writer *writer)
{
   struct kit *kit = writer->kit;
   struct drm_asahi_cmd_compute command = put_end(writer);
   struct drm_asahi_sync sync = {.handle = client_syncobj(&kit->client, 0)};
   struct commands commands;
   commands.size = 0;
   commands_add(&commands, DRM_ASAHI_CMD_COMPUTE, &command, sizeof(command), DRM_ASAHI_BARRIER_NONE,
                DRM_ASAHI_BARRIER_NONE);
   CHECK_EQUAL(client_submit(&kit->client, kit->queue, &commands, &sync, 0, 1), 0);
   CHECK_EQUAL(client_wait(&kit->client, sync.handle, PATIENCE), 0);
   return client_status(&kit->client, sync.handle);
}

/* Puts code into a slot, for the words at KIT_DATA + 256 * area. */
static void program(struct kit *kit, unsigned slot, const char *text, unsigned area)
{
   const uint64_t address = KIT_DATA + 256 * area;
   kit_code(kit, slot, text);
   memcpy(kit->exec + 0x4000 + slot * 8, &address, sizeof(address));
}

static const uint32_t *words_of(const struct kit *kit, unsigned area)
{
   return kit->data + 64 * area;
}

static uint64_t instructions(struct kit *kit)
{
   struct vgpu_counters counters;
   CHECK_EQUAL(client_ioctl(&kit->client, VGPU_IOCTL_COUNTERS, &counters), 0);
   return counters.instructions;
}

/* ---- Tests ---- */

/* The first launch ends only if the second one runs meanwhile. */
static void test_side_by_side(void)
{
   static const struct {
      const char *spec;
      uint32_t barrier;
      int status;
   } rows[] = {
       {"m1,timing=off,threads=2", NOTHING, 1},
       {"m1,timing=off,threads=2", NOTHING | 1u << 7, 1},
       {"m1,timing=off,threads=2", NOTHING | 7u << 17, 1},
       {"m1,timing=off,threads=2,jit=on", NOTHING, 1},
       {"m1,timing=off,threads=2,budget=1000000", ALL, -ETIMEDOUT},
       {"m1,timing=off,threads=2,budget=1000000", NOTHING | 0x88, -ETIMEDOUT},
       {"m1,timing=off,threads=2,budget=1000000", NOTHING | 1u << 8, -ETIMEDOUT},
       {"m1,timing=off,threads=2,budget=1000000", NOTHING | 1u << 20, -ETIMEDOUT},
       {"m1,timing=off,threads=2,budget=1000000", NOTHING | 1, -ETIMEDOUT},
       {"m1,timing=off,threads=2,budget=1000000,order=fixed", NOTHING, -ETIMEDOUT},
       {"m1,timing=off,threads=1,budget=1000000", NOTHING, -ETIMEDOUT},
       {"m1,timing=off,threads=2,budget=1000000,check=races", NOTHING, -ETIMEDOUT},
       {"m1,threads=2,budget=1000000", NOTHING, -ETIMEDOUT},
   };
   for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      struct kit kit;
      kit_open(&kit, rows[i].spec);
      struct writer writer = {&kit, 0};
      program(&kit, 0, spin_until_set, 0);
      program(&kit, 1, set, 0);
      put_launch(&writer, 0, 1);
      put_barrier(&writer, rows[i].barrier);
      put_launch(&writer, 1, 1);
      put_barrier(&writer, ALL);
      CHECK_EQUAL(run(&writer), rows[i].status);
      CHECK_EQUAL(words_of(&kit, 0)[1], rows[i].status == 1);
      if (rows[i].status != 1) {
         CHECK(strstr(client_last_fault(&kit.client), "launch 0:") != NULL);
      }
      kit_close(&kit);
   }
}

/* A slow producer, then a quick consumer, which must see what the producer wrote; and a slow reader, then a quick
 * writer, of which the reader must see nothing. The barrier in front of each pair does not order, so that launches
 * wait to be run; the one within the pair does. */
static void test_ordered(void)
{
   static const uint32_t barriers[] = {
       ALL, NOTHING | 0x88, NOTHING | 1u << 8, NOTHING | 1u << 3, NOTHING | 1u << 20, NOTHING | 1};
   struct kit kit;
   kit_open(&kit, "m1,timing=off,threads=2");
   for (unsigned pair = 0; pair < 8; pair++) {
      program(&kit, 4 * pair, set_late, 2 * pair);
      program(&kit, 4 * pair + 1, copy, 2 * pair);
      program(&kit, 4 * pair + 2, copy_late, 2 * pair + 1);
      program(&kit, 4 * pair + 3, set, 2 * pair + 1);
   }
   for (size_t i = 0; i < sizeof(barriers) / sizeof(barriers[0]); i++) {
      struct writer writer = {&kit, 0};
      memset(kit.data, 0, 0x2000);
      for (unsigned slot = 0; slot < 32; slot++) {
         put_launch(&writer, slot, 1);
         put_barrier(&writer, slot % 2 ? NOTHING : barriers[i]);
      }
      CHECK_EQUAL(run(&writer), 1);
      for (unsigned pair = 0; pair < 8; pair++) {
         CHECK_EQUAL(words_of(&kit, 2 * pair)[1], 1);
         CHECK_EQUAL(words_of(&kit, 2 * pair + 1)[0], 1);
         CHECK_EQUAL(words_of(&kit, 2 * pair + 1)[1], 0);
      }
   }
   kit_close(&kit);
}

/* A barrier that returns from a linked stream orders too, and so do a command's end and the next one's start: the first
 * launch does not end, because the second one waits for it. */
static void test_ends_order(void)
{
   static const struct {
      uint32_t barrier;
      uint64_t budget; /* 0: the device's, so that a busy host gets to run the second launch */
      int status;
   } rows[] = {{NOTHING, 0, 1}, {ALL, 1000000, -ETIMEDOUT}};
   struct kit kit;
   kit_open(&kit, "m1,timing=off,threads=2");
   program(&kit, 0, spin_until_set, 0);
   program(&kit, 1, set, 0);
   const uint32_t link[] = {0x30000015, STREAM + 0x1000};
   struct writer writer = {&kit, 0};
   for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      struct writer linked = {&kit, 0x1000};
      uint64_t budget = rows[i].budget;
      CHECK_EQUAL(client_ioctl(&kit.client, VGPU_IOCTL_WORK, &budget), 0);
      memset(kit.data, 0, 8);
      writer.used = 0;
      put(&writer, link, 2);
      put_launch(&writer, 1, 1);
      put_barrier(&writer, NOTHING);
      put_launch(&linked, 0, 1);
      put_barrier(&linked, rows[i].barrier | 1u << 27);
      CHECK_EQUAL(run(&writer), rows[i].status);
   }

   struct writer second = {&kit, 0x2000};
   struct commands commands;
   struct drm_asahi_sync sync = {.handle = client_syncobj(&kit.client, 0)};
   writer.used = commands.size = 0;
   memset(kit.data, 0, 8);
   put_launch(&writer, 0, 1);
   put_barrier(&writer, NOTHING);
   struct drm_asahi_cmd_compute command = put_end(&writer);
   commands_add(&commands, DRM_ASAHI_CMD_COMPUTE, &command, sizeof(command), DRM_ASAHI_BARRIER_NONE,
                DRM_ASAHI_BARRIER_NONE);
   put_launch(&second, 1, 1);
   put_barrier(&second, NOTHING);
   command = put_end(&second);
   command.cdm_ctrl_stream_base += 0x2000;
   commands_add(&commands, DRM_ASAHI_CMD_COMPUTE, &command, sizeof(command), DRM_ASAHI_BARRIER_NONE,
                DRM_ASAHI_BARRIER_NONE);
   CHECK_EQUAL(client_submit(&kit.client, kit.queue, &commands, &sync, 0, 1), 0);
   CHECK_EQUAL(client_wait(&kit.client, sync.handle, PATIENCE), 0);
   CHECK_EQUAL(client_status(&kit.client, sync.handle), -ETIMEDOUT); /* the last row's budget */
   kit_close(&kit);
}

/* More launches than wait at a time, each of several threadgroups, all adding to one word: each runs once, and the
 * counters are those of launches one after the other. */
static void test_many(void)
{
   static const char *const specs[] = {"m1,timing=off,threads=4", "m1,timing=off,threads=4,jit=on",
                                       "m1,timing=off,threads=1"};
   uint64_t counted[3];
   for (size_t i = 0; i < 3; i++) {
      struct kit kit;
      struct writer writer = {&kit, 0};
      uint32_t threads = 0;
      kit_open(&kit, specs[i]);
      program(&kit, 0, count_in, 0);
      program(&kit, 1, set_late, 1);
      for (unsigned n = 0; n < 200; n++) {
         put_launch(&writer, n % 7 == 0, 1 + n % 9);
         put_barrier(&writer, NOTHING);
         threads += n % 7 ? 32 * (1 + n % 9) : 0;
      }
      CHECK_EQUAL(run(&writer), 1);
      CHECK_EQUAL(words_of(&kit, 0)[0], threads);
      counted[i] = instructions(&kit);
      kit_close(&kit);
   }
   CHECK_EQUAL(counted[0], counted[2]);
   CHECK_EQUAL(counted[1], counted[2]);
}

/* The first launch in the stream's order that faults is reported, though a later one faults earlier; what came after it
 * does not count. */
static void test_fault(void)
{
   struct kit kit;
   struct writer writer = {&kit, 0};
   kit_open(&kit, "m1,timing=off,threads=2");
   program(&kit, 0, set, 0);
   program(&kit, 1, set_late, 1);
   program(&kit, 2, "stop\n", 2);
   program(&kit, 3, "stop\n", 3);
   memset(kit.exec + 2 * 0x100 + 0x80, 0xFF, 16);
   memset(kit.exec + 3 * 0x100 + 0x40 + 14, 0x7E, 4); /* the code's offset: nothing is mapped there */
   put_launch(&writer, 0, 1);
   put_barrier(&writer, NOTHING);
   put_launch(&writer, 1, 1);
   put_barrier(&writer, NOTHING);
   put_launch(&writer, 3, 1);
   put_barrier(&writer, NOTHING);
   put_launch(&writer, 2, 1);
   put_barrier(&writer, NOTHING);
   CHECK_EQUAL(run(&writer), -EIO);
   CHECK(strstr(client_last_fault(&kit.client), "MMU fault: launch 2:") != NULL);
   kit_close(&kit);
}

/* The work is the command's: the launch that exceeds what those before it left is the same one. */
static void test_work(void)
{
   static const char *const specs[] = {"m1,timing=off,threads=2,work=1000000", "m1,timing=off,threads=1,work=1000000"};
   for (size_t i = 0; i < 2; i++) {
      struct kit kit;
      struct writer writer = {&kit, 0};
      kit_open(&kit, specs[i]);
      program(&kit, 0, set_late, 0); /* 60007 instructions */
      for (unsigned n = 0; n < 40; n++) {
         put_launch(&writer, 0, 1);
         put_barrier(&writer, NOTHING);
      }
      CHECK_EQUAL(run(&writer), -ETIMEDOUT);
      CHECK(strstr(client_last_fault(&kit.client), "timeout: launch 16:") != NULL);
      kit_close(&kit);
   }
}

int main(void)
{
   test_side_by_side();
   test_ordered();
   test_ends_order();
   test_many();
   test_fault();
   test_work();
   return check_result();
}
