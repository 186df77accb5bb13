/* SPDX-License-Identifier: MIT
 *
 * The announcement of stages: two stores into memory that another process reads when this one has crashed.
 */
#include "compiler/service/stage.h"

#include <stddef.h>
#include <stdio.h>

static struct compiler_progress *announced;

const char *compiler_stage_name(uint32_t stage)
{
   static const char *const names[COMPILER_STAGES] = {
       [COMPILER_STAGE_START] = "the start of the compilation",
       [COMPILER_STAGE_CLANG] = "clang",
       [COMPILER_STAGE_TRANSLATOR] = "the SPIR-V translator (SPIRV-LLVM-Translator)",
       [COMPILER_STAGE_LINK] = "the SPIR-V linker (SPIRV-Tools)",
       [COMPILER_STAGE_VALIDATE] = "the SPIR-V validator (SPIRV-Tools)",
       [COMPILER_STAGE_NIR] = "Mesa's NIR passes",
       [COMPILER_STAGE_BACKEND] = "Mesa's AGX backend",
       [COMPILER_STAGE_DONE] = "handing over the result",
   };

   return stage < COMPILER_STAGES ? names[stage] : "an unknown stage";
}

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
