/* SPDX-License-Identifier: MIT
 *
 * What whisper.cpp's programs read: a model and a sound. Debian's package has neither.
 */
#ifndef AGX_RUNNER_APPS_WHISPER_H
#define AGX_RUNNER_APPS_WHISPER_H

#include <stdbool.h>

/* Writes model.bin, a tiny model with random weights in ggml's format of whisper.cpp, and sound.wav, a second of a tone
 * that rises. The same files each time. Returns success, with errno otherwise. */
bool whisper_write_files(const char *folder);

#endif
