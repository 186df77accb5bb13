/* SPDX-License-Identifier: MIT
 *
 * Finds the name that a misspelt word may have meant.
 */
#ifndef AGX_RUNNER_SUGGEST_H
#define AGX_RUNNER_SUGGEST_H

#include <stddef.h>

struct suggestion {
   const char *word; /* set it, and the rest to zero */
   char best[64];    /* of the names offered; "": none is near */
   unsigned distance;
};

/* Offers a name of `length` characters. Among equally near names, the first one stays. */
void suggest_offer(struct suggestion *suggestion, const char *name, size_t length);

/* ": did you mean 'saxpy'?", or "". */
#define SUGGEST_TEXT 96
void suggest_print(const struct suggestion *suggestion, char text[SUGGEST_TEXT]);

#endif
