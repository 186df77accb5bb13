/* SPDX-License-Identifier: MIT
 *
 * See workloads.h. Invariant: results are exact, so that all devices give the same words.
 */
#include "tests/bench/workloads.h"

#include <stdio.h>
#include <stdlib.h>

#define STREAM_WORDS WORKLOADS_WORDS /* 64 MiB */
#define CHAIN_THREADS (256u * 1024u)
#define CHAIN_TURNS 64u
#define GROUP 256u
#define BUFFER(words)                                                                                                  \
   {                                                                                                                   \
      .bytes = 4ul * (words)                                                                                           \
   }
#define VALUE(word)                                                                                                    \
   {                                                                                                                   \
      .value = (word)                                                                                                  \
   }
#define SOURCE_BYTES (1024u * 1024u)

/* 0x3f7ff972 and 0x3a83126f: 0.9999 and 0.001, so that the chain stays among normal numbers. */
const struct workload workloads[WORKLOADS] = {
    {{"fma_chain",
      CHAIN_THREADS,
      GROUP,
      {BUFFER(CHAIN_THREADS), VALUE(0x3f7ff972), VALUE(0x3a83126f), VALUE(CHAIN_TURNS)},
      4},
     0,
     false,
     "thread-instructions",
     (double)CHAIN_THREADS *CHAIN_TURNS * 16,
     1.0},
    {{"integer_hash",
      CHAIN_THREADS,
      GROUP,
      {BUFFER(CHAIN_THREADS), VALUE(0x9e3779b1), VALUE(0x7f4a7c15), VALUE(CHAIN_TURNS)},
      4},
     0,
     false,
     "thread-instructions",
     (double)CHAIN_THREADS *CHAIN_TURNS * 4 * 4,
     0.5},
    {{"fma_constant", CHAIN_THREADS, GROUP, {BUFFER(CHAIN_THREADS), VALUE(0x3f7ff972), VALUE(0x3a83126f)}, 3},
     0,
     false,
     "thread-instructions",
     (double)CHAIN_THREADS * 1024,
     0.7},
    {{"hash_constant", CHAIN_THREADS, GROUP, {BUFFER(CHAIN_THREADS), VALUE(0x9e3779b1), VALUE(0x7f4a7c15)}, 3},
     0,
     false,
     "thread-instructions",
     (double)CHAIN_THREADS * 256 * 4,
     0.7},
    {{"stream_copy", STREAM_WORDS, GROUP, {BUFFER(STREAM_WORDS), BUFFER(STREAM_WORDS)}, 2},
     1,
     false,
     "bytes",
     8.0 * STREAM_WORDS,
     0.3,
     true},
    {{"stream_triad",
      STREAM_WORDS,
      GROUP,
      {BUFFER(STREAM_WORDS), BUFFER(STREAM_WORDS), BUFFER(STREAM_WORDS), VALUE(0x40400000)},
      4},
     2,
     false,
     "bytes",
     12.0 * STREAM_WORDS,
     0.3},
    {{"reduction", STREAM_WORDS, GROUP, {BUFFER(STREAM_WORDS), BUFFER(STREAM_WORDS / GROUP)}, 2},
     1,
     false,
     "bytes",
     4.0 * STREAM_WORDS,
     0.3},
    {{"histogram_global", STREAM_WORDS, GROUP, {BUFFER(STREAM_WORDS), BUFFER(256)}, 2},
     1,
     true,
     "bytes",
     4.0 * STREAM_WORDS,
     0.3},
    {{"histogram_local", STREAM_WORDS / 16, GROUP, {BUFFER(STREAM_WORDS), BUFFER(256)}, 2},
     1,
     true,
     "bytes",
     4.0 * STREAM_WORDS,
     0.3},
};

uint32_t *workloads_input(void)
{
   uint32_t *input = malloc(4ul * WORKLOADS_WORDS), state = 1;

   for (size_t i = 0; input != NULL && i < WORKLOADS_WORDS; i++) {
      state = state * 1664525u + 1013904223u;
      input[i] = 0x3f800000u | state >> 9;
   }
   return input;
}

char *workloads_source(const char *path)
{
   FILE *file = fopen(path, "r");
   char *text = calloc(1, SOURCE_BYTES);

   if (file == NULL || text == NULL || fread(text, 1, SOURCE_BYTES - 1, file) == 0) {
      perror(path);
      free(text);
      text = NULL;
   }
   if (file != NULL) {
      fclose(file);
   }
   return text;
}
