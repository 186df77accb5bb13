/* SPDX-License-Identifier: MIT
 *
 * Piglit's name of a test, so that results can be compared with those of other drivers.
 */
#ifndef PIGLIT_NAME_H
#define PIGLIT_NAME_H

/* ".../generated_tests/cl/store/store-int.program_test" is "program@execute@store@store-int". The name of a file
 * outside Piglit's folders is its path, with "@" for "/". The caller frees it; NULL: out of memory. */
char *piglit_test_name(const char *path);

#endif
