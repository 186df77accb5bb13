/* SPDX-License-Identifier: MIT
 *
 * The time left: none from nothing, then in proportion.
 */
#include "agx_runner/terminal/progress.h"

#include <math.h>
#include <stdlib.h>

#include "tests/check.h"

int main(void)
{
   static const struct {
      size_t total, begun;
      double elapsed, fraction, left; /* NAN: no estimate */
   } cases[] = {
       {31, 1, 2, 0, NAN},      /* nothing is done */
       {31, 1, 2, 0.0005, NAN}, /* which once made 112594 s of 2 */
       {31, 1, 90, 0.99, NAN},  /* the first is not done */
       {31, 2, 3, 0, 90},       /* one took 3 s */
       {31, 2, 6, 0.5, 118},    /* one and a half took 6 s, and 29.5 are to come */
       {4, 4, 30, 1, 0},        /* all are done */
   };

   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      const struct progress progress = {.total = cases[i].total, .begun = cases[i].begun};
      const double left = progress_left(&progress, cases[i].elapsed, cases[i].fraction);

      CHECK(isnan(cases[i].left) ? isnan(left) : fabs(left - cases[i].left) < 1e-9,
            "%zu of %zu and %g of it in %g s: %g s left, not %g", cases[i].begun, cases[i].total, cases[i].fraction,
            cases[i].elapsed, left, cases[i].left);
   }
   return check_result();
}
