/* SPDX-License-Identifier: MIT
 *
 * util/tally.h: sums are those of all processes that added, also at the same time. A damaged entry counts as missing. A
 * full disk leaves the old sums. There is an upper limit of keys.
 */
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/check.h"
#include "util/tally.h"

#define WRITERS 4u
#define ADDITIONS 50u

static const struct util_store_key key = {.low = 7, .high = 11};
static struct util_store store;

static uint64_t sum(uint64_t of)
{
   struct util_tally tally = {.count = 0};
   util_tally_load(&tally, &store, &key);
   const uint64_t found = util_tally_sum(&tally, of);
   util_tally_finish(&tally);
   return found;
}

static bool add(uint64_t to, uint64_t more)
{
   struct util_tally_row row = {.key = to, .sum = more};
   return util_tally_add(&store, &key, &row, 1);
}

static void sums(void)
{
   struct util_tally_row rows[] = {{.key = 9, .sum = 90}, {.key = 3, .sum = 30}, {.key = 6, .sum = 60}};
   CHECK_EQUAL(sum(3), 0);
   CHECK(!util_tally_add(&store, &key, rows, 0), "nothing is no addition");
   CHECK(util_tally_add(&store, &key, rows, 3));
   CHECK(sum(3) == 30 && sum(6) == 60 && sum(9) == 90 && sum(4) == 0);
   CHECK(add(6, 1) && add(4, 40) && add(1, 10) && add(10, 100));
   CHECK(sum(1) == 10 && sum(3) == 30 && sum(4) == 40 && sum(6) == 61 && sum(9) == 90 && sum(10) == 100);
   CHECK(add(6, UTIL_TALLY_REMOVE) && add(5, UTIL_TALLY_REMOVE) && sum(6) == 0 && sum(5) == 0 && sum(9) == 90);
   CHECK(add(9, UTIL_TALLY_REMOVE - 2) && sum(9) == UTIL_TALLY_REMOVE - 1, "the largest sum removes nothing");
}

/* A writer that finds the folder locked for long adds nothing, and says so. */
static void writers(void)
{
   for (unsigned i = 0; i < WRITERS; i++) {
      const pid_t child = fork();
      if (child == 0) {
         for (unsigned n = 0; n < ADDITIONS;) {
            n += add(20 + n % 2, 1);
         }
         _exit(0);
      }
      CHECK(child > 0);
   }
   while (wait(NULL) > 0) {
   }
   CHECK_EQUAL(sum(20), WRITERS * ADDITIONS / 2);
   CHECK_EQUAL(sum(21), WRITERS * ADDITIONS / 2);
}

static void full_disk(void)
{
   struct rlimit limit;
   CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0 && add(30, 5));
   signal(SIGXFSZ, SIG_IGN);
   const struct rlimit none = {.rlim_cur = 16, .rlim_max = limit.rlim_max};
   CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0 && !add(30, 6) && setrlimit(RLIMIT_FSIZE, &limit) == 0);
   CHECK_EQUAL(sum(30), 5);
   CHECK(add(30, 7) && sum(30) == 12);
}

static void most_keys(void)
{
   static struct util_tally_row rows[UTIL_TALLY_ROWS];
   for (unsigned i = 0; i < UTIL_TALLY_ROWS; i++) {
      rows[i] = (struct util_tally_row){.key = 1000 + i, .sum = 1000 + 2 * i};
   }
   CHECK(util_tally_add(&store, &key, rows, UTIL_TALLY_ROWS));
   struct util_tally tally = {.count = 0};
   util_tally_load(&tally, &store, &key);
   CHECK_EQUAL(tally.count, UTIL_TALLY_ROWS / 2);
   util_tally_finish(&tally);
   const uint64_t last = UTIL_TALLY_ROWS - 1;
   CHECK(sum(1000) == 0 && sum(1000 + last) == 500 + last && sum(9) == (UTIL_TALLY_REMOVE - 1) / 2);
   CHECK(add(1000 + last, 1) && sum(1000 + last) == 501 + last);
}

static int flip(const char *path, const struct stat *file, int kind, struct FTW *at)
{
   (void)at;
   const int fd = kind == FTW_F ? open(path, O_RDWR | O_CLOEXEC) : -1;
   char byte = 0;
   if (fd >= 0) {
      CHECK(pread(fd, &byte, 1, file->st_size - 1) == 1);
      byte ^= 1;
      CHECK(pwrite(fd, &byte, 1, file->st_size - 1) == 1);
      close(fd);
   }
   return 0;
}

static void damage(const char *folder)
{
   struct util_tally_row unsorted[] = {{.key = 9, .sum = 1}, {.key = 3, .sum = 1}};
   CHECK(add(40, 4) && sum(40) == 4);
   nftw(folder, flip, 8, FTW_PHYS);
   CHECK_EQUAL(sum(40), 0);
   CHECK(add(40, 3) && sum(40) == 3);
   CHECK(util_store_save(&store, &key, unsorted, sizeof(unsorted)) && sum(3) == 0 && sum(9) == 0);
   CHECK(util_store_save(&store, &key, unsorted, sizeof(unsorted[0]) + 1) && sum(9) == 0);
   CHECK(add(40, 2) && sum(40) == 2 && sum(9) == 0);
}

static int remove_one(const char *path, const struct stat *file, int kind, struct FTW *at)
{
   (void)file, (void)kind, (void)at;
   return remove(path);
}

int main(void)
{
   char folder[] = "/tmp/agx-tally-XXXXXX";
   CHECK(mkdtemp(folder) && setenv(UTIL_STORE_VARIABLE, folder, 1) == 0);
   CHECK(util_store_open(&store, "tally", "TALLY 1\n", 1 << 20));
   sums();
   writers();
   full_disk();
   most_keys();
   damage(folder);
   nftw(folder, remove_one, 8, FTW_PHYS | FTW_DEPTH);
   return check_result();
}
