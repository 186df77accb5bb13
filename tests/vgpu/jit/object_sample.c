/* SPDX-License-Identifier: MIT
 *
 * What object.c loads: constants, addresses of functions, and a call of a function of the process.
 */
#include <stdlib.h>

int object_sample(unsigned number);

static int one(void)
{
   return 1;
}

static int two(void)
{
   return 2;
}

static int (*const calls[])(void) = {one, two};
static const int constants[] = {10, 20, 30, 40};

int object_sample(unsigned number)
{
   return constants[number & 3] + calls[number & 1]() + (number & 4 ? atoi("500") : 0);
}
