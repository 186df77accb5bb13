/* SPDX-License-Identifier: MIT
 *
 * The front and the cores together: machine code through SUBMIT to memory, and the ways in which it goes wrong.
 */
#include <errno.h>
#include <string.h>

#include "tests/vgpu/driver/client.h"
#include "vgpu/vgpu.h"

static void test_chip(const char *spec)
{
   struct kit kit;
   struct vgpu_counters counters;
   kit_open(&kit, spec);
   /* Each of 64 threads stores its number. */
   kit_code(&kit, 0, "mov r1, sr80\nmov r2, r1\nstore r2, du0, r1, i32, x, a\nstop\n");
   CHECK_EQUAL(kit_run(&kit, 0), 1);
   for (uint32_t i = 0; i < 64; i++) {
      CHECK_EQUAL(kit.data[i], i);
   }
   CHECK_EQUAL(client_ioctl(&kit.client, VGPU_IOCTL_COUNTERS, &counters), 0);
   CHECK_EQUAL(counters.instructions, 2 * 4);
   CHECK_EQUAL(counters.thread_instructions, 64 * 4);
   CHECK(counters.cycles > 0);

   /* To nowhere: the stores vanish and are counted. */
   memset(kit.exec + 0x4000, 0, 8);
   CHECK_EQUAL(kit_run(&kit, 0), 1);
   CHECK_EQUAL(client_ioctl(&kit.client, VGPU_IOCTL_COUNTERS, &counters), 0);
   CHECK_EQUAL(counters.soft_fault_stores, 64);
   CHECK_EQUAL(counters.soft_fault_address, 0);

   kit_code(&kit, 1, "top:\njmp_any top\nstop\n");
   CHECK_EQUAL(kit_run(&kit, 1), -ETIMEDOUT);
   CHECK(strstr(client_last_fault(&kit.client), "timeout") != NULL);

   kit_code(&kit, 2, "stop\n");
   memset(kit.exec + 2 * 0x100 + 0x80, 0xFF, 16);
   CHECK_EQUAL(kit_run(&kit, 2), -EIO);
   CHECK(strstr(client_last_fault(&kit.client), "bad instruction") != NULL);

   kit_code(&kit, 3, "stop\n");
   memset(kit.exec + 3 * 0x100 + 0x40 + 14, 0x7E, 4); /* the shader's offset, far past what is mapped */
   CHECK_EQUAL(kit_run(&kit, 3), -EIO);
   CHECK(strstr(client_last_fault(&kit.client), "MMU fault") != NULL);

   kit_code(&kit, 4, "stop\n");
   CHECK_EQUAL(kit_run(&kit, 4), 1); /* and the device works on */
   kit_close(&kit);
}

/* Close does not wait for the end of a program that has none. */
static void test_close(void)
{
   struct kit kit;
   kit_open(&kit, "m1,budget=0x7fffffffffffffff");
   kit_code(&kit, 0, "top:\njmp_any top\nstop\n");
   CHECK_EQUAL(kit_submit(&kit, 0, 0), 0);
   uint32_t out = client_syncobj(&kit.client, 0);
   CHECK_EQUAL(kit_submit(&kit, 0, out), 0);
   CHECK_EQUAL(client_wait(&kit.client, out, 20), ETIME);
   kit_close(&kit);
}

int main(void)
{
   test_chip("m1,budget=1000000");
   test_chip("m2-max,budget=1000000");
   test_close();
   return check_result();
}
