/* SPDX-License-Identifier: MIT
 *
 * What a process that compiles announces, and whether it tries a kernel again. One for the process, as Mesa's own state
 * is.
 */
#include "compiler/api/stage.h"

#include <stdio.h>

static struct compiler_progress *announced;

void compiler_stage_set(struct compiler_progress *progress)
{
   announced = progress;
}

void compiler_stage(enum compiler_stage stage)
{
   if (announced != NULL) {
      announced->stage = stage;
   }
}

void compiler_stage_kernel(const char *kernel)
{
   if (announced != NULL) {
      snprintf(announced->kernel, sizeof(announced->kernel), "%s", kernel != NULL ? kernel : "");
   }
}

void compiler_stage_no_memory(void)
{
   if (announced != NULL) {
      announced->no_memory = 1;
   }
}

static bool second_try;

void compiler_set_second_try(bool second)
{
   second_try = second;
}

bool compiler_is_second_try(void)
{
   return second_try;
}
