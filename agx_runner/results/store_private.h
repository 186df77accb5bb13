/* SPDX-License-Identifier: MIT
 *
 * Internals that the files of the store share.
 */
#ifndef AGX_RUNNER_STORE_PRIVATE_H
#define AGX_RUNNER_STORE_PRIVATE_H

#include <sqlite3.h>

struct store {
   sqlite3 *database;
   sqlite3_stmt *floor; /* of store_floor(), made at its first call; NULL: none yet */
   char *path;
};

#endif
