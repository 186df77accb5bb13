/* SPDX-License-Identifier: MIT
 *
 * The element types of exec's buffers and arguments: text to bytes and back.
 */
#ifndef AGX_RUNNER_ELEMENT_H
#define AGX_RUNNER_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/random.h"

enum element_kind { ELEMENT_FLOAT, ELEMENT_SIGNED, ELEMENT_UNSIGNED, ELEMENT_ADDRESS };

struct element_type {
   const char *name;   /* "f32" */
   const char *opencl; /* "float" */
   enum element_kind kind;
   unsigned size; /* bytes */
};
#define ELEMENT_SIZE_MAX 8
#define ELEMENT_TEXT_MAX 32

/* Finds a type by our name or by OpenCL's, `length` characters long. NULL: there is none. */
const struct element_type *element_find(const char *name, size_t length);
const struct element_type *element_find_opencl(const char *name, size_t length);

/* False: text is no such number, or it does not fit. An address is a number, too; exec gives it names of buffers. */
bool element_parse(const struct element_type *type, const char *text, uint8_t *bytes);
/* Of a float; of other types 0. */
double element_value(const struct element_type *type, const uint8_t *bytes);
/* Floats in digits enough to read the same bits back. */
void element_print(const struct element_type *type, const uint8_t *bytes, char text[ELEMENT_TEXT_MAX]);

/* Floats from 0 up to 1, whole numbers over all their range. */
void element_random(const struct element_type *type, struct util_random *random, uint8_t *bytes);
/* The number `index`, wrapped to the type. */
void element_iota(const struct element_type *type, uint64_t index, uint8_t *bytes);

#endif
