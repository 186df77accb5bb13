/* SPDX-License-Identifier: MIT
 *
 * Programs kept in files: findings are written to a folder, and tried again.
 */
#ifndef AGX_RUNNER_FUZZ_CORPUS_H
#define AGX_RUNNER_FUZZ_CORPUS_H

#include "fuzz/finding.h"

/* Tries the program of a file, and adds it to the findings if it fails. An enum exit_code; messages are printed. */
int corpus_replay(const struct fuzz_settings *settings, const char *path, struct findings *findings);
/* All files of a folder whose names end in .fuzz, in the order of their names. A folder that does not exist has none.
 */
int corpus_replay_folder(const struct fuzz_settings *settings, const char *folder, struct findings *findings);
/* Writes each finding to a file of the folder; its name follows from the signature. One in NIR that is translated to
 * OpenCL C, too, has two files. */
int corpus_save(const char *folder, const struct findings *findings);

#endif
