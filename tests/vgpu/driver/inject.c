/* SPDX-License-Identifier: MIT
 *
 * inject=: which rules are taken, and that each kind does what docs/running.md says, to the job or request that it
 * names and to no other.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/vgpu/driver/client.h"
#include "vgpu/driver/inject.h"
#include "vgpu/vgpu.h"

static void test_grammar(void)
{
   static const struct {
      const char *rule;
      bool good;
   } rules[] = {
       {"timeout@1", true},
       {"fault@18446744073709551615", true},
       {"firmware-death@100%", true},
       {"hang@0.5%/a/*", true},
       {"recovery@2", true},
       {"errno:EIO:SUBMIT@3/x", true},
       {"alloc@2/", true},
       {"", false},
       {"timeout", false},
       {"boom@1", false},
       {"timeout@", false},
       {"timeout@0", false},
       {"timeout@-1", false},
       {"timeout@+1", false},
       {"timeout@1x", false},
       {"timeout@18446744073709551616", false},
       {"timeout@0%", false},
       {"timeout@101%", false},
       {"timeout@1x%", false},
       {"timeout@nan%", false},
       {"timeout:EIO@1", false},
       {"errno@1", false},
       {"errno:EIO@1", false},
       {"errno:ENOSUCH:SUBMIT@1", false},
       {"errno:EIO:OPEN@1", false},
   };
   for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
      struct vgpu_inject inject = {0};
      if (vgpu_inject_add(&inject, rules[i].rule) != (rules[i].good ? 0 : -EINVAL)) {
         fprintf(stderr, "inject=%s: %s expected\n", rules[i].rule, rules[i].good ? "success" : "EINVAL");
         check_failures++;
      }
      vgpu_inject_finish(&inject);
   }
}

/* Rules count from here on. */
static void set_scope(struct kit *kit, const char *name)
{
   struct vgpu_scope scope = {{0}};
   snprintf(scope.name, sizeof(scope.name), "%s", name);
   CHECK_EQUAL(client_ioctl(&kit->client, VGPU_IOCTL_SCOPE, &scope), 0);
}

static void open_kit(struct kit *kit, const char *rules)
{
   char spec[256];
   snprintf(spec, sizeof(spec), "m1,%s", rules);
   kit_open(kit, spec);
   kit_program(kit, 0, (struct test_program){TEST_APPEND, 10, 0, 0}, 0);
   set_scope(kit, "here");
}

static void test_jobs(void)
{
   struct kit kit;
   open_kit(&kit, "inject=fault@2/here,inject=timeout@4/here,inject=recovery@5/here,inject=fault@1/elsewhere");
   static const int expected[] = {1, -EIO, 1, -ETIMEDOUT, -ECANCELED, 1};
   for (unsigned round = 0; round < 2; round++) {
      for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
         CHECK_EQUAL(kit_run(&kit, 0), expected[i]);
         CHECK((strstr(client_last_fault(&kit.client), "injected") != NULL) == (round || i >= 1));
      }
      CHECK_EQUAL(kit.data[0], 3 * (round + 1)); /* those that were hit have not run */
      set_scope(&kit, "nowhere");
      CHECK_EQUAL(kit_run(&kit, 0), 1);
      kit.data[0]--;
      set_scope(&kit, "here"); /* counts anew */
   }
   kit_close(&kit);
}

/* SUBMIT to a device whose firmware is gone: what is checked before that still has its own errno, what comes after has
 * not (spec/uapi.md 3.1, items 1 to 7). */
static void test_dead_submit(struct kit *kit)
{
   struct drm_asahi_cmd_header bad = {.cmd_type = 77};
   struct drm_asahi_sync sync = {.handle = 1000};
   struct drm_asahi_submit args = {
       .cmdbuf = (uintptr_t)&bad, .cmdbuf_size = sizeof(bad) - 1, .queue_id = kit->queue, .syncs = (uintptr_t)&sync};
   CHECK_EQUAL(client_ioctl(&kit->client, DRM_IOCTL_ASAHI_SUBMIT, &args), ENODEV); /* a header cut short */
   args.cmdbuf_size = sizeof(bad);
   CHECK_EQUAL(client_ioctl(&kit->client, DRM_IOCTL_ASAHI_SUBMIT, &args), ENODEV); /* no command that is known */
   args.cmdbuf = 0;
   CHECK_EQUAL(client_ioctl(&kit->client, DRM_IOCTL_ASAHI_SUBMIT, &args), EFAULT);
   args.out_sync_count = 1;
   CHECK_EQUAL(client_ioctl(&kit->client, DRM_IOCTL_ASAHI_SUBMIT, &args), ENOENT);
   args.queue_id = 1000;
   args.flags = 1;
   CHECK_EQUAL(client_ioctl(&kit->client, DRM_IOCTL_ASAHI_SUBMIT, &args), EINVAL);
}

static void test_death(void)
{
   struct kit kit;
   struct drm_asahi_params_global params;
   struct drm_asahi_get_params get = {.pointer = (uintptr_t)&params, .size = sizeof(params)};
   open_kit(&kit, "inject=firmware-death@2/here");
   CHECK_EQUAL(kit_run(&kit, 0), 1);
   CHECK_EQUAL(kit_run(&kit, 0), -ENODEV);
   CHECK_EQUAL(kit_submit(&kit, 0, 0), ENODEV);
   CHECK_EQUAL(client_ioctl(&kit.client, DRM_IOCTL_ASAHI_GET_PARAMS, &get), ENODEV);
   test_dead_submit(&kit);
   kit_close(&kit);
   open_kit(&kit, "inject=firmware-death@2/here"); /* opened anew it lives */
   CHECK_EQUAL(kit_run(&kit, 0), 1);
   kit_close(&kit);
}

static int create_buffer(struct kit *kit)
{
   struct drm_asahi_gem_create args = {.size = 0x4000};
   return client_ioctl(&kit->client, DRM_IOCTL_ASAHI_GEM_CREATE, &args);
}

static int create_vm(struct kit *kit)
{
   struct drm_asahi_vm_create args = {.kernel_start = 0x7800000000, .kernel_end = 0x7FFFFF8000};
   return client_ioctl(&kit->client, DRM_IOCTL_ASAHI_VM_CREATE, &args);
}

static void test_requests(void)
{
   struct kit kit;
   struct drm_asahi_get_time time = {0};
   open_kit(&kit, "inject=errno:EMFILE:GEM_CREATE@2/here,inject=alloc@2/there");
   CHECK_EQUAL(create_buffer(&kit), 0);
   CHECK_EQUAL(create_vm(&kit), 0);
   CHECK_EQUAL(create_buffer(&kit), EMFILE);
   CHECK_EQUAL(create_buffer(&kit), 0);
   set_scope(&kit, "there");
   CHECK_EQUAL(create_buffer(&kit), 0);
   CHECK_EQUAL(client_ioctl(&kit.client, DRM_IOCTL_ASAHI_GET_TIME, &time), 0); /* needs no memory, is not counted */
   CHECK_EQUAL(create_vm(&kit), ENOMEM);
   CHECK_EQUAL(create_vm(&kit), 0);
   kit_close(&kit);
}

/* Of 400 jobs a quarter, the same ones for the same seed. */
static void test_chance(void)
{
   static const char *const rules[] = {"seed=1,inject=fault@25%/here", "seed=1,inject=fault@25%/here",
                                       "seed=2,inject=fault@25%/here"};
   bool hit[3][400];
   for (size_t i = 0; i < 3; i++) {
      struct kit kit;
      unsigned hits = 0;
      open_kit(&kit, rules[i]);
      for (size_t job = 0; job < 400; job++) {
         hit[i][job] = kit_run(&kit, 0) == -EIO;
         hits += hit[i][job];
      }
      CHECK(hits > 60 && hits < 140); /* 100, and more than four times the standard deviation of 8.7 */
      kit_close(&kit);
   }
   CHECK(!memcmp(hit[0], hit[1], sizeof(hit[0])));
   CHECK(memcmp(hit[0], hit[2], sizeof(hit[0])));
}

/* The job does not end, the close does. */
static void test_hang(void)
{
   struct kit kit;
   open_kit(&kit, "inject=hang@1/here");
   uint32_t out = client_syncobj(&kit.client, 0);
   CHECK_EQUAL(kit_submit(&kit, 0, out), 0);
   CHECK_EQUAL(client_wait(&kit.client, out, 50), ETIME);
   kit_close(&kit);
}

static void *submit_stalled(void *data)
{
   struct kit *kit = data;
   (void)kit_submit(kit, 0, 0); /* ENODEV when the device is closed */
   return NULL;
}

/* A SUBMIT that does not return does not block other clients. */
static void test_stall(void)
{
   struct kit kit;
   pthread_t thread;
   struct drm_asahi_get_time time = {0};
   open_kit(&kit, "inject=stall@1/here");
   CHECK_EQUAL(pthread_create(&thread, NULL, submit_stalled, &kit), 0);
   usleep(50000); /* for it to get there */
   CHECK_EQUAL(client_ioctl(&kit.client, DRM_IOCTL_ASAHI_GET_TIME, &time), 0);
   CHECK_EQUAL(create_buffer(&kit), 0);
   alarm(20);
   kit_close(&kit);
   CHECK_EQUAL(pthread_join(thread, NULL), 0);
   alarm(0);
}

/* The signal that ends a process whose second submission is hit. */
static int dies_of(const char *rules)
{
   int status;
   pid_t child = fork();
   if (child == 0) {
      struct kit kit;
      signal(SIGSEGV, SIG_DFL); /* a sanitizer has its own */
      open_kit(&kit, rules);
      (void)kit_submit(&kit, 0, 0);
      alarm(1);
      (void)kit_submit(&kit, 0, 0);
      _exit(0);
   }
   CHECK(child > 0 && waitpid(child, &status, 0) == child);
   return child > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

int main(void)
{
   test_grammar();
   test_jobs();
   test_death();
   test_requests();
   test_chance();
   test_hang();
   test_stall();
   CHECK_EQUAL(dies_of("inject=crash@2/here"), SIGSEGV);
   CHECK_EQUAL(dies_of("inject=stall@2/here"), SIGALRM);
   CHECK_EQUAL(dies_of("inject=crash@3/here"), 0);
   return check_result();
}
