/* SPDX-License-Identifier: MIT
 *
 * A script that transforms with VkFFT, by pyvkfft, and compares with numpy.
 */
#ifndef AGX_RUNNER_APPS_VKFFT_H
#define AGX_RUNNER_APPS_VKFFT_H

#include <stdbool.h>

#define VKFFT_RIGHT "the transform is right" /* that the script prints */

/* Writes fft.py, whose words are a transform's kind (complex, real or inverse) and its sizes. Returns success, with
 * errno otherwise. */
bool vkfft_write_script(const char *folder);

#endif
