/* SPDX-License-Identifier: MIT
 *
 * A fuzzer's input as a row of small decisions: past its end everything reads as zero.
 */
#ifndef TESTS_FUZZ_INPUT_H
#define TESTS_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct fuzz_input {
   const uint8_t *data;
   size_t size;
};

/* The next `size` bytes as a little-endian number. size <= 8 */
static inline uint64_t fuzz_number(struct fuzz_input *input, size_t size)
{
   uint64_t value = 0;
   size_t take = size < input->size ? size : input->size;
   for (size_t i = 0; i < take; i++) {
      value |= (uint64_t)input->data[i] << (8 * i);
   }
   input->data += take;
   input->size -= take;
   return value;
}

static inline uint8_t fuzz_byte(struct fuzz_input *input)
{
   return (uint8_t)fuzz_number(input, 1);
}

/* Moves up to `size` bytes to `to`; how many there were. */
static inline size_t fuzz_bytes(struct fuzz_input *input, void *to, size_t size)
{
   size_t take = size < input->size ? size : input->size;
   if (take) { /* an empty input may have no address */
      memcpy(to, input->data, take);
      input->data += take;
      input->size -= take;
   }
   return take;
}

#endif
