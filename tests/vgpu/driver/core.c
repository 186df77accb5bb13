/* SPDX-License-Identifier: MIT
 *
 * Stands in for the cores in the tests of the device's front: a "program" is four words that say what to do, so that
 * a test decides exactly when a launch ends, and how. Only here: the library has the real one.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/vgpu/driver/client.h"
#include "vgpu/launch.h"
#include "vgpu/exec/exec.h"

static void sleep_ms(long milliseconds)
{
   struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
   if (milliseconds) {
      nanosleep(&time, NULL);
   }
}

static void append(const struct vgpu_launch *launch, uint32_t value)
{
   uint64_t address;
   size_t run;
   memcpy(&address, launch->uniforms, sizeof(address));
   uint8_t *host = vgpu_pages_translate(launch->pages, address, VGPU_READ | VGPU_WRITE, &run);
   if (host) {
      const uint32_t count = __atomic_add_fetch((uint32_t *)(void *)host, 1, __ATOMIC_RELAXED);
      if ((count + 1) * sizeof(count) <= run) {
         memcpy(host + count * sizeof(count), &value, sizeof(value));
      }
   }
}

/* Only render passes use this and vgpu_core_run_stage(), and no test here draws. */
void vgpu_core_run_preamble(struct vgpu_launch *launch, struct vgpu_outcome *outcome)
{
   (void)launch;
   *outcome = (struct vgpu_outcome){.fault = VGPU_FAULT_NONE};
}

void vgpu_core_run_stage(const struct vgpu_launch *launch, struct vgpu_stage *stage, uint32_t threads,
                         struct vgpu_postmortem *postmortem, struct vgpu_outcome *outcome)
{
   (void)stage, (void)threads, (void)postmortem;
   vgpu_core_run(launch, outcome);
}

void vgpu_core_run(const struct vgpu_launch *launch, struct vgpu_outcome *outcome)
{
   struct test_program program;
   uint64_t bad;
   outcome->instructions = 1;
   outcome->thread_instructions = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
   if (!vgpu_pages_read(launch->pages, launch->code, &program, sizeof(program), &bad)) {
      outcome->fault = VGPU_FAULT_MEMORY;
      snprintf(outcome->message, sizeof(outcome->message), "instruction fetch of unmapped address 0x%llx",
               (unsigned long long)bad);
      return;
   }
   outcome->cycles = program.cycles;
   switch (program.op) {
   case TEST_APPEND:
      sleep_ms(program.milliseconds);
      append(launch, program.value);
      break;
   case TEST_SPIN:
      for (long waited = 0; waited < 20000 && !atomic_load(launch->cancel); waited++) {
         sleep_ms(1);
      }
      outcome->fault = VGPU_FAULT_TIMEOUT;
      break;
   case TEST_SOFT_FAULT:
      outcome->soft.loads = program.value;
      outcome->soft.address = 0x1234000;
      break;
   case TEST_SCRATCH:
      outcome->fault = launch->scratch_words ? VGPU_FAULT_NONE : VGPU_FAULT_SCRATCH;
      snprintf(outcome->message, sizeof(outcome->message), "stack used without scratch memory");
      break;
   default: /* TEST_FAULT + enum vgpu_fault */
      outcome->fault = (enum vgpu_fault)(program.op - TEST_FAULT);
      snprintf(outcome->message, sizeof(outcome->message), "asked for");
      break;
   }
}
