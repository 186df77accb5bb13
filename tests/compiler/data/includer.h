/* SPDX-License-Identifier: MIT */
#define WIDTH 24
