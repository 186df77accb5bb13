/* SPDX-License-Identifier: MIT */
#include "compiler/compiler.h"

#include "git_sha1.h"

const char *compiler_mesa_version(void)
{
   return PACKAGE_VERSION MESA_GIT_SHA1;
}
