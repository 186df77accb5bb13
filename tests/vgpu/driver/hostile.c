/* SPDX-License-Identifier: MIT
 *
 * What a broken driver does to the device: everything that it points the GPU at cut off by the end of mapped memory, at
 * every byte; code without end; and memory, queues and address spaces pulled away, twice, by one thread while another
 * one's jobs use them. Nothing may crash or hang (the sanitizers look on), jobs end as spec/uapi.md 3.10 says, and the
 * device goes on.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "tests/vgpu/driver/client.h"

#define PAGE 0x4000u
#define PATIENCE 60000            /* ms */
#define CUT (KIT_USC + 0x1000000) /* one page, and nothing behind it */
#define READ_WRITE (DRM_ASAHI_BIND_READ | DRM_ASAHI_BIND_WRITE)

/* Each of the kit's threads stores its index: machine code of spec/isa.md 2.2, 2.9 and 2.11. */
static const uint8_t code[] = {
    0x72, 0x05, 0x10, 0x04,                         /* get_sr r1, sr80 */
    0x45, 0x09, 0x20, 0x0E, 0x00, 0xC0, 0x12, 0x00, /* store  r1, du0, r1, i32, x, a */
    0x88, 0x00,                                     /* stop */
};

/* Where the kit has the USC words and the code of slot 0; the first are 24 bytes long. */
static uint8_t *usc_of(const struct kit *kit)
{
   return kit->exec + 0x40;
}
#define USC_SIZE 24u

static uint8_t *stream_of(const struct kit *kit)
{
   return kit->exec + (kit_stream(0) - KIT_USC);
}

static uint8_t *make_cut(struct kit *kit)
{
   uint32_t bo = client_bo(&kit->client, PAGE, 0, 0);
   struct drm_asahi_gem_bind_op op = {.flags = READ_WRITE, .handle = bo, .range = PAGE, .addr = CUT};
   CHECK_EQUAL(client_bind(&kit->client, kit->vm, op), 0);
   return client_map(&kit->client, bo, PAGE);
}

static void run(struct kit *kit, struct drm_asahi_cmd_compute command, int expected, const char *what, unsigned bytes)
{
   struct drm_asahi_sync out = {.handle = client_syncobj(&kit->client, 0)};
   struct commands commands;
   commands.size = 0;
   commands_add(&commands, DRM_ASAHI_CMD_COMPUTE, &command, sizeof(command), DRM_ASAHI_BARRIER_NONE,
                DRM_ASAHI_BARRIER_NONE);
   CHECK_EQUAL(client_submit(&kit->client, kit->queue, &commands, &out, 0, 1), 0);
   CHECK_EQUAL(client_wait(&kit->client, out.handle, PATIENCE), 0);
   int status = client_status(&kit->client, out.handle);
   if (status != expected) {
      check_failures++;
      fprintf(stderr, "%s, %u bytes: status %d, expected %d: %s\n", what, bytes, status, expected,
              client_last_fault(&kit->client));
   }
}

/* A whole job, so that what is cut is all that is wrong; and its answer. */
static void expect_sound(struct kit *kit)
{
   memset(kit->data, 0xFF, 64 * sizeof(*kit->data));
   run(kit, kit_command(0), 1, "a sound job", 0);
   CHECK_EQUAL(kit->data[0], 0);
   CHECK_EQUAL(kit->data[63], 63);
}

/* Of the last block, the terminate, the second word is not read. */
static void test_cut_stream(struct kit *kit, uint8_t *cut)
{
   const unsigned size = kit->g14x ? 52 : 44;
   for (unsigned bytes = 1; bytes <= size; bytes++) {
      struct drm_asahi_cmd_compute command = kit_command(0);
      memcpy(cut + PAGE - bytes, stream_of(kit), bytes);
      command.cdm_ctrl_stream_base = CUT + PAGE - bytes;
      command.cdm_ctrl_stream_end = CUT + PAGE;
      run(kit, command, bytes < size - 4 ? -EIO : 1, "stream", bytes);
   }
}

/* Words that say what others will say again, before them, move the cut: lists start at multiples of 64. */
static void test_cut_usc(struct kit *kit, uint8_t *cut)
{
   const uint32_t offset = (uint32_t)(CUT - KIT_USC) + PAGE - 64;
   uint32_t kept;
   memcpy(&kept, stream_of(kit) + 4, sizeof(kept));
   memcpy(stream_of(kit) + 4, &offset, sizeof(offset));
   for (unsigned bytes = 0; bytes <= USC_SIZE; bytes += 2) {
      uint8_t *at = cut + PAGE - 64;
      unsigned before = 64 - bytes;
      for (; before % 4 != 0; before -= 6, at += 6) {
         memcpy(at, usc_of(kit) + 12, 6); /* SHADER */
      }
      for (; before != 0; before -= 4, at += 4) {
         memcpy(at, usc_of(kit) + 8, 4); /* SHARED */
      }
      memcpy(at, usc_of(kit), bytes);
      run(kit, kit_command(0), bytes < USC_SIZE ? -EIO : 1, "USC words", bytes);
   }
   memcpy(stream_of(kit) + 4, &kept, sizeof(kept));
}

static void test_cut_code(struct kit *kit, uint8_t *cut)
{
   uint8_t kept[6];
   memcpy(kept, usc_of(kit) + 12, sizeof(kept));
   for (unsigned bytes = 0; bytes <= sizeof(code); bytes++) {
      const uint32_t offset = (uint32_t)(CUT - KIT_USC) + PAGE - bytes;
      memcpy(cut + PAGE - bytes, code, bytes);
      memcpy(usc_of(kit) + 14, &offset, sizeof(offset));
      run(kit, kit_command(0), bytes < sizeof(code) ? -EIO : 1, "code", bytes);
   }
   memcpy(usc_of(kit) + 12, kept, sizeof(kept));
}

/* The kit's word loads four halves, the address of its data. */
static void test_cut_uniforms(struct kit *kit, uint8_t *cut)
{
   uint64_t kept, word;
   memcpy(&kept, usc_of(kit), sizeof(kept));
   memcpy(cut + PAGE - 8, &(uint64_t){KIT_DATA}, 8);
   for (unsigned bytes = 0; bytes <= 8; bytes += 4) {
      word = (kept & 0x3FFFFFF) | (CUT + PAGE - bytes) >> 2 << 26;
      memcpy(usc_of(kit), &word, sizeof(word));
      run(kit, kit_command(0), bytes < 8 ? -EIO : 1, "uniforms", bytes);
   }
   memcpy(usc_of(kit), &kept, sizeof(kept));
}

static void test_cuts(const char *spec)
{
   struct kit kit;
   kit_open(&kit, spec);
   kit_program(&kit, 0, (struct test_program){0}, 0);
   memcpy(kit.exec + 0x80, code, sizeof(code));
   uint8_t *cut = make_cut(&kit);
   expect_sound(&kit);
   test_cut_stream(&kit, cut);
   test_cut_usc(&kit, cut);
   test_cut_code(&kit, cut);
   test_cut_uniforms(&kit, cut);
   expect_sound(&kit);
   CHECK_EQUAL(kit.client.kernel->munmap(kit.client.kernel, cut, PAGE), 0);
   kit_close(&kit);
}

/* A jump through a register into a long slide, and at its end one to the place an instruction after where it began:
 * each time all of the slide is another program. What is kept of them has an end, long before the budget has. */
static void test_slide(void)
{
   static const uint8_t ldimm[] = {0x62, 0x09, 5, 0, 0, 0}; /* ldimm r2, 5 (spec/isa.md 2.1) */
   const uint32_t pages = 2, size = pages * PAGE, offset = (uint32_t)(CUT - KIT_USC);
   struct kit kit;
   kit_open(&kit, "m1,timing=off,threads=1");
   uint32_t bo = client_bo(&kit.client, size, 0, 0);
   struct drm_asahi_gem_bind_op op = {.flags = READ_WRITE, .handle = bo, .range = size, .addr = CUT};
   CHECK_EQUAL(client_bind(&kit.client, kit.vm, op), 0);
   uint8_t *slide = client_map(&kit.client, bo, size);
   char text[64];
   snprintf(text, sizeof(text), "ldimm r1, %u\nret r1\n", offset);
   kit_code(&kit, 0, text);
   unsigned at = 0;
   for (; at + sizeof(ldimm) + 64 <= size; at += sizeof(ldimm)) {
      memcpy(slide + at, ldimm, sizeof(ldimm));
   }
   kit_code(&kit, 1, "iadd r1, r1, 6\nret r1\n");
   memcpy(slide + at, kit.exec + 0x100 + 0x80, 64);
   run(&kit, kit_command(0), -EIO, "slide", size);
   CHECK(strstr(client_last_fault(&kit.client), "1048576 instructions") != NULL);
   CHECK_EQUAL(kit.client.kernel->munmap(kit.client.kernel, slide, size), 0);
   kit_close(&kit);
}

/* ---- Pulled away ---- */

#define ROUNDS 200u

struct crowd {
   struct kit kit;
   uint32_t programs; /* a buffer with a copy of the kit's */
   uint32_t target;   /* a buffer of four pages */
   atomic_uint done;  /* submitting threads that have ended */
};

/* Jobs on memory that others bind and unbind: each ends, well or by a fault. */
static void *submit_jobs(void *data)
{
   struct crowd *crowd = data;
   struct kit *kit = &crowd->kit;
   uint32_t out = client_syncobj(&kit->client, 0);
   for (unsigned i = 0; i < ROUNDS; i++) {
      const bool spoiled = i % 2; /* by scribble() */
      CHECK_EQUAL(kit_submit(kit, spoiled, out), 0);
      CHECK_EQUAL(client_wait(&kit->client, out, PATIENCE), 0);
      int status = client_status(&kit->client, out);
      CHECK(status == 1 || (spoiled && (status == -EIO || status == -ETIMEDOUT)));
   }
   atomic_fetch_add(&crowd->done, 1);
   return NULL;
}

static bool going_on(struct crowd *crowd)
{
   return atomic_load(&crowd->done) < 2;
}

/* Where the jobs store: bound over and over, in whole and in part, unbound in the middle. */
static void *rebind(void *data)
{
   struct crowd *crowd = data;
   struct kit *kit = &crowd->kit;
   const uint32_t bo = crowd->target;
   for (uint64_t i = 0; going_on(crowd); i++) {
      struct drm_asahi_gem_bind_op ops[] = {
          {.flags = READ_WRITE, .handle = bo, .range = 4 * PAGE, .addr = KIT_DATA - PAGE},
          {.flags = DRM_ASAHI_BIND_UNBIND, .range = PAGE, .addr = KIT_DATA + i % 2 * PAGE},
          {.flags = DRM_ASAHI_BIND_READ, .handle = bo, .offset = PAGE, .range = PAGE, .addr = KIT_DATA},
          {.flags = READ_WRITE | DRM_ASAHI_BIND_SINGLE_PAGE, .handle = bo, .range = 64 * PAGE, .addr = KIT_DATA},
          {.flags = DRM_ASAHI_BIND_UNBIND, .range = 128 * PAGE, .addr = KIT_DATA - 2 * PAGE},
      };
      struct drm_asahi_vm_bind args = {.vm_id = kit->vm,
                                       .num_binds = sizeof(ops) / sizeof(ops[0]),
                                       .stride = sizeof(ops[0]),
                                       .userptr = (uintptr_t)ops};
      CHECK_EQUAL(client_ioctl(&kit->client, DRM_IOCTL_ASAHI_VM_BIND, &args), 0);
   }
   return NULL;
}

/* Stores for as long as it takes to pull away what it stores to; slot 2. */
#define LOOP 2
static const char loop_text[] =
    "mov r1, sr80\nldimm r2, 0\nldimm r3, 10000\nldimm r0l, 0\ntop: store r1, du0, r1, i32, x, a\n"
    "iadd r2, r2, 1\nwhile r2, r3, 1, ult\njmp_any top\npop_exec 1\nstop\n";

/* A queue with a job, on an address space of its own that has the kit's programs, in a buffer that may be bound there.
 */
struct victim {
   uint32_t vm, queue, bo, out;
};

static struct victim make_victim(struct kit *kit, uint32_t programs)
{
   struct client *client = &kit->client;
   struct victim victim = {
       .vm = client_vm(client), .bo = client_bo(client, PAGE, 0, 0), .out = client_syncobj(client, 0)};
   struct drm_asahi_gem_bind_op op = {.flags = READ_WRITE, .handle = programs, .range = 4 * PAGE, .addr = KIT_USC};
   struct drm_asahi_cmd_compute command = kit_command(LOOP);
   struct drm_asahi_sync sync = {.handle = victim.out};
   struct commands commands;
   commands.size = 0;
   commands_add(&commands, DRM_ASAHI_CMD_COMPUTE, &command, sizeof(command), DRM_ASAHI_BARRIER_NONE,
                DRM_ASAHI_BARRIER_NONE);
   CHECK_EQUAL(client_bind(client, victim.vm, op), 0);
   op = (struct drm_asahi_gem_bind_op){.flags = READ_WRITE, .handle = victim.bo, .range = PAGE, .addr = KIT_DATA};
   CHECK_EQUAL(client_bind(client, victim.vm, op), 0);
   victim.queue = client_queue(client, victim.vm, KIT_USC);
   CHECK_EQUAL(client_submit(client, victim.queue, &commands, &sync, 0, 1), 0);
   return victim;
}

/* Buffer, address space and queue go before the job that uses them, and then once more. No other thread makes any
 * meanwhile, so the second time nothing has the number. */
static void *destroy_twice(void *data)
{
   struct crowd *crowd = data;
   struct client *client = &crowd->kit.client;
   unsigned turn = 0;
   while (going_on(crowd)) {
      struct victim victim = make_victim(&crowd->kit, crowd->programs);
      struct drm_gem_close close = {.handle = victim.bo};
      struct drm_asahi_vm_destroy vm = {.vm_id = victim.vm};
      struct drm_asahi_queue_destroy queue = {.queue_id = victim.queue};
      /* Before the job starts, or in its middle: it takes a millisecond or so. */
      nanosleep(&(struct timespec){.tv_nsec = turn++ % 2 ? 300000 : 0}, NULL);
      for (unsigned round = 0; round < 2; round++) {
         CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_GEM_CLOSE, &close), round ? EINVAL : 0);
         CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_VM_DESTROY, &vm), round ? ENOENT : 0);
         CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_QUEUE_DESTROY, &queue), round ? ENOENT : 0);
      }
      CHECK_EQUAL(client_wait(client, victim.out, PATIENCE), 0);
      int status = client_status(client, victim.out);
      CHECK(status == 1 || status == -EIO);
      struct drm_syncobj_destroy destroy = {.handle = victim.out};
      CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_SYNCOBJ_DESTROY, &destroy), 0);
   }
   return NULL;
}

/* Stream, USC words and code of slot 1, while jobs run them. */
static void *scribble(void *data)
{
   struct crowd *crowd = data;
   uint8_t *places[] = {crowd->kit.exec + 0x100 + 0x40, crowd->kit.exec + 0x100 + 0x80,
                        crowd->kit.exec + (kit_stream(1) - KIT_USC)};
   uint32_t random = 1;
   while (going_on(crowd)) {
      random = random * 1664525 + 1013904223;
      volatile uint8_t *byte = places[random >> 8 & 1 ? 0 : random >> 9 & 1 ? 1 : 2] + (random >> 12) % 24;
      uint8_t kept = *byte;
      *byte = (uint8_t)(random >> 24);
      sched_yield();
      *byte = kept;
   }
   return NULL;
}

static void test_pulled(const char *spec)
{
   static void *(*const roles[])(void *) = {submit_jobs, submit_jobs, rebind, destroy_twice, scribble};
   const size_t count = sizeof(roles) / sizeof(roles[0]);
   struct crowd crowd = {.done = 0};
   struct kit *kit = &crowd.kit;
   pthread_t threads[sizeof(roles) / sizeof(roles[0])];
   kit_open(kit, spec);
   for (unsigned slot = 0; slot < 2; slot++) {
      kit_program(kit, slot, (struct test_program){0}, 0);
      memcpy(kit->exec + slot * 0x100 + 0x80, code, sizeof(code));
   }
   kit_code(kit, LOOP, loop_text);
   /* A spoiled program of slot 1 must not store to slot 0's. */
   struct drm_asahi_gem_bind_op op = {
       .flags = DRM_ASAHI_BIND_READ, .handle = kit->exec_bo, .range = 4 * PAGE, .addr = KIT_USC};
   CHECK_EQUAL(client_bind(&kit->client, kit->vm, op), 0);
   crowd.target = client_bo(&kit->client, 4 * PAGE, 0, 0);
   crowd.programs = client_bo(&kit->client, 4 * PAGE, 0, 0);
   uint8_t *copy = client_map(&kit->client, crowd.programs, 4 * PAGE);
   memcpy(copy, kit->exec, 4 * PAGE);
   CHECK_EQUAL(kit->client.kernel->munmap(kit->client.kernel, copy, 4 * PAGE), 0);
   for (size_t i = 0; i < count; i++) {
      CHECK_EQUAL(pthread_create(&threads[i], NULL, roles[i], &crowd), 0);
   }
   for (size_t i = 0; i < count; i++) {
      CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
   }
   op = (struct drm_asahi_gem_bind_op){.flags = READ_WRITE, .handle = kit->data_bo, .range = PAGE, .addr = KIT_DATA};
   CHECK_EQUAL(client_bind(&kit->client, kit->vm, op), 0);
   expect_sound(kit);
   kit_close(kit);
}

/* One host thread where programs are spoiled: those of two may race for a word, as the program says, and the thread
 * sanitizer would tell. */
int main(void)
{
   test_cuts("m1,work=100000");
   test_cuts("m2-max,timing=off,work=100000");
   test_slide();
   test_pulled("m1,threads=1,work=200000");
   test_pulled("m2,timing=off,threads=1,work=200000");
   return check_result();
}
