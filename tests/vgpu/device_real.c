/* SPDX-License-Identifier: MIT
 *
 * The front and the cores together: machine code through SUBMIT to memory, and the ways in which it goes wrong.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "isa/asm.h"
#include "tests/vgpu/device_client.h"
#include "vgpu/vgpu.h"

#define PATIENCE 60000

/* Puts the code of `text` into a slot. */
static void put_code(struct kit *kit, unsigned slot, const char *text)
{
   struct isa_asm *assembler = isa_asm_create(NULL);
   struct isa_asm_result result;
   if (!assembler || isa_asm_program(assembler, text, strlen(text), &result)) {
      fprintf(stderr, "cannot assemble:\n%s", text);
      exit(1);
   }
   kit_program(kit, slot, (struct test_program){0}, 0);
   memcpy(kit->exec + slot * 0x100 + 0x80, result.program->code, result.program->code_size);
   isa_asm_result_finish(&result);
   isa_asm_destroy(assembler);
}

static int run(struct kit *kit, unsigned slot)
{
   uint32_t out = client_syncobj(&kit->client, 0);
   CHECK_EQUAL(kit_submit(kit, slot, out), 0);
   CHECK_EQUAL(client_wait(&kit->client, out, PATIENCE), 0);
   return client_status(&kit->client, out);
}

static void test_chip(const char *spec)
{
   struct kit kit;
   struct vgpu_counters counters;
   kit_open(&kit, spec);
   /* Each of 64 threads stores its number. */
   put_code(&kit, 0, "mov r1, sr80\nmov r2, r1\nstore r2, du0, r1, i32, x, a\nstop\n");
   CHECK_EQUAL(run(&kit, 0), 1);
   for (uint32_t i = 0; i < 64; i++) {
      CHECK_EQUAL(kit.data[i], i);
   }
   CHECK_EQUAL(client_ioctl(&kit.client, VGPU_IOCTL_COUNTERS, &counters), 0);
   CHECK_EQUAL(counters.instructions, 2 * 4);
   CHECK_EQUAL(counters.thread_instructions, 64 * 4);
   CHECK(counters.cycles > 0);

   /* To nowhere: the stores vanish and are counted. */
   memset(kit.exec + 0x4000, 0, 8);
   CHECK_EQUAL(run(&kit, 0), 1);
   CHECK_EQUAL(client_ioctl(&kit.client, VGPU_IOCTL_COUNTERS, &counters), 0);
   CHECK_EQUAL(counters.soft_fault_stores, 64);
   CHECK_EQUAL(counters.soft_fault_address, 0);

   put_code(&kit, 1, "top:\njmp_any top\nstop\n");
   CHECK_EQUAL(run(&kit, 1), -ETIMEDOUT);
   CHECK(strstr(client_last_fault(&kit.client), "timeout") != NULL);

   put_code(&kit, 2, "stop\n");
   memset(kit.exec + 2 * 0x100 + 0x80, 0xFF, 16);
   CHECK_EQUAL(run(&kit, 2), -EIO);
   CHECK(strstr(client_last_fault(&kit.client), "bad instruction") != NULL);

   put_code(&kit, 3, "stop\n");
   memset(kit.exec + 3 * 0x100 + 0x40 + 14, 0x7E, 4); /* the shader's offset, far past what is mapped */
   CHECK_EQUAL(run(&kit, 3), -EIO);
   CHECK(strstr(client_last_fault(&kit.client), "MMU fault") != NULL);

   put_code(&kit, 4, "stop\n");
   CHECK_EQUAL(run(&kit, 4), 1); /* and the device works on */
   kit_close(&kit);
}

/* Close does not wait for the end of a program that has none. */
static void test_close(void)
{
   struct kit kit;
   kit_open(&kit, "m1,budget=0x7fffffffffffffff");
   put_code(&kit, 0, "top:\njmp_any top\nstop\n");
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
   return test_failures ? 1 : 0;
}
