/* SPDX-License-Identifier: MIT
 *
 * What Piglit calls a test, so that results can be laid beside those of other drivers.
 */
#ifndef PIGLIT_NAME_H
#define PIGLIT_NAME_H

/* ".../generated_tests/cl/store/store-int.program_test" is "program@execute@store@store-int". A file outside Piglit's
 * folders is called by its path, with "@" for "/". The caller frees it; NULL: no memory. */
char *piglit_test_name(const char *path);

#endif
