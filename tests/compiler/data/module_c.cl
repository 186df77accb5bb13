/* SPDX-License-Identifier: MIT */
int no_kernel_here(int x)
{
   return x + 1;
}
