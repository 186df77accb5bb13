/* SPDX-License-Identifier: MIT
 *
 * The compilation cache: what it gives back is what a compilation gives, and nothing else comes out of it: not what
 * another key made, not a damaged entry, not what a failed compilation left. It keeps to its size with several writers
 * and after a killed one.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/cache/cache.h"
#include "compiler/nir.h"
#include "compiler/serve/job.h"
#include "tests/compiler/programs.h"

static char folder[] = "/tmp/agx-cache-XXXXXX";
static const char source[] = "kernel void k(global int *x) { x[get_global_id(0)] *= 3; }\n"
                             "kernel void l(global int *x, local int *y) { *y = 1; atomic_add(x, *y); }\n";

/* ---- The files ---- */

struct totals {
   unsigned entries;
   uint64_t bytes;
   unsigned temporary;
};

/* Calls visit (unless NULL) with the path of each entry. */
static struct totals walk(void (*visit)(const char *path))
{
   struct totals totals = {0};

   for (unsigned i = 0; i < 16; i++) {
      char path[100], file_path[400];
      struct stat file;

      snprintf(path, sizeof(path), "%s/agx-runner/compiler/%x", folder, i);
      DIR *listing = opendir(path);
      for (struct dirent *item; listing != NULL && (item = readdir(listing)) != NULL;) {
         snprintf(file_path, sizeof(file_path), "%s/%s", path, item->d_name);
         if (item->d_name[0] == '.' || stat(file_path, &file) < 0) {
            continue;
         }
         totals.entries++;
         totals.bytes += (uint64_t)file.st_size;
         totals.temporary += !strcmp(item->d_name, "writing");
         if (visit != NULL) {
            visit(file_path);
         }
      }
      if (listing != NULL) {
         closedir(listing);
      }
   }
   return totals;
}

static void remove_entry(const char *path)
{
   CHECK(unlink(path) == 0);
}

static void empty(void)
{
   walk(remove_entry);
   compiler_cache_set(true);
}

/* ---- Hits and misses ---- */

/* Compiles; what the cache did is in its counts. Returns a hash over the programs. */
static uint64_t compile(const char *name, const char *text, const struct compiler_options *options, int expected)
{
   struct compiler_result result;
   uint64_t hash = 0;

   CHECK_EQUAL(compiler_opencl(name, text, strlen(text), options, &result), expected);
   for (size_t i = 0; i < result.count; i++) {
      hash = hash * 31 + agx_program_hash(result.programs[i]);
   }
   compiler_result_finish(&result);
   return hash;
}

static void check_counts(unsigned hits, unsigned misses, unsigned stores)
{
   const struct compiler_cache_counts counts = compiler_cache_counts();

   CHECK_EQUAL(counts.hits, hits);
   CHECK_EQUAL(counts.misses, misses);
   CHECK_EQUAL(counts.stores, stores);
   compiler_cache_set(true);
}

/* A file with two kernels takes three compilations: the front end's, and one for each kernel. */
static void test_hit(void)
{
   static const struct compiler_options options;
   struct compiler_result result;

   compiler_cache_set(false);
   const uint64_t plain = compile("a.cl", source, &options, 0);
   CHECK_EQUAL(walk(NULL).entries, 0);
   empty();
   CHECK(compile("a.cl", source, &options, 0) == plain);
   check_counts(0, 3, 3);
   CHECK(compile("a.cl", source, &options, 0) == plain);
   check_counts(3, 0, 0);
   /* In this process the file is compiled as one. */
   compiler_set_in_process(true);
   CHECK(compile("a.cl", source, &options, 0) == plain);
   check_counts(0, 1, 1);
   CHECK(compile("a.cl", source, &options, 0) == plain);
   check_counts(1, 0, 0);
   compiler_set_in_process(false);

   /* Warnings come back too. */
   static const char warns[] = "kernel void k(global int *x) { int never_used; *x = 1; }";
   for (unsigned i = 0; i < 2; i++) {
      CHECK_EQUAL(compiler_opencl("w.cl", warns, strlen(warns),
                                  &(struct compiler_options){.arguments = "-Wunused-variable"}, &result),
                  0);
      CHECK_CONTAINS(result.log, "never_used");
      compiler_result_finish(&result);
   }
   check_counts(1, 1, 1);
}

static void test_key_parts(void)
{
   static const struct compiler_options options = {.kernel = "k"};
   static const struct compiler_options others[] = {
       {.kernel = "l"},
       {.kernel = "k", .arguments = "-DN=1"},
       {.kernel = "k", .arguments = "-DN=2"},
       {.kernel = "k", .arguments = "-D N=2"},
       {.kernel = "k", .atomic_coherency = true},
       {.kernel = "k", .soft_faults = true},
       {.kernel = "k", .keep_atomics = true},
   };
   static const struct compiler_limits limits[] = {
       {.seconds = COMPILER_SECONDS, .memory_mib = COMPILER_MEMORY_MIB},
       {.seconds = COMPILER_SECONDS - 1, .memory_mib = COMPILER_MEMORY_MIB},
       {.seconds = COMPILER_SECONDS, .memory_mib = COMPILER_MEMORY_MIB - 1},
   };
   char text[sizeof(source) + 1];

   empty();
   compile("a.cl", source, &options, 0);
   check_counts(0, 1, 1);
   for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
      compile("a.cl", source, &others[i], 0);
      check_counts(0, 1, 1);
   }
   compile("b.cl", source, &options, 0); /* the name stands in messages */
   check_counts(0, 1, 1);
   snprintf(text, sizeof(text), "%s ", source);
   compile("a.cl", text, &options, 0);
   check_counts(0, 1, 1);
   for (size_t i = 0; i < 3; i++) {
      compiler_set_limits(&limits[i]);
      compile("a.cl", source, &options, 0);
      check_counts(i == 0, i != 0, i != 0);
   }
   compiler_set_limits(&limits[0]);
}

/* Mesa reads its variables once a process, so what is looked at is the cache's answer. */
static void test_environment(void)
{
   static const struct {
      const char *name, *value;
      bool on;
   } cases[] = {
       {"AGX_MESA_DEBUG", "noopt", true},
       {"AGX_MESA_DEBUG", "noopt,nosched", true},
       {"AGX_MESA_DEBUG", "shaders", false},
       {"AGX_MESA_DEBUG", "noopt,x", false},
       {"NIR_DEBUG", "print", false},
       {"MESA_SPIRV_DUMP_PATH", "/tmp", false},
       {"CPATH", "/tmp", false},
       {"AGX_RUNNER_CACHE_MIB", "0", false},
       {"XDG_CACHE_HOME", "/tmp", true},
   };
   const struct compiler_cache_bytes part = {"x", 1};
   const struct util_store_key plain = compiler_cache_key(&part, 1);

   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      setenv(cases[i].name, cases[i].value, 1);
      compiler_cache_set(true);
      CHECK_EQUAL(compiler_cache_is_on(), cases[i].on);
      if (!strcmp(cases[i].name, "AGX_MESA_DEBUG") && cases[i].on) {
         const struct util_store_key key = compiler_cache_key(&part, 1);
         CHECK(memcmp(&key, &plain, sizeof(key)) != 0);
      }
      unsetenv(cases[i].name);
   }
   setenv("XDG_CACHE_HOME", folder, 1);
   compiler_cache_set(true);
}

static void test_closed(void)
{
   static const struct {
      const char *source, *arguments;
      bool closed;
   } cases[] = {
       {"kernel void k() {}", NULL, true},
       {"kernel void k() {}", "-DN=4 -D M=5 -cl-fast-relaxed-math -O2 -w -Iinc", true},
       {"#include \"a.h\"\n", NULL, false},
       {"#inc\\\nlude \"a.h\"\n", NULL, false},
       {"#inc\\ \nlude \"a.h\"\n", NULL, false},
       {"#inc?\?/\nlude \"a.h\"\n", NULL, false},
       {"#import \"a.h\"\n", NULL, false},
       {"constant char when[] = __TIMESTAMP__;", NULL, false},
       {"kernel void k() {}", "-include a.h", false},
       {"kernel void k() {}", "-DWHEN=__DATE__", false},
       {"kernel void k() {}", "-fmodule-file=a", false},
       {"kernel void k() {}", "@options", false},
       {"kernel void k() {}", "a.h", false},
   };

   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      CHECK_EQUAL(compiler_cache_is_closed(cases[i].source, cases[i].arguments), cases[i].closed);
   }
}

static void write_header(const char *path, const char *text)
{
   FILE *file = fopen(path, "w");

   CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* A header that changes changes the program. The kernel behind it comes from the cache by its SPIR-V. */
static void test_include(void)
{
   char header[100], name[100];

   snprintf(header, sizeof(header), "%s/a.h", folder);
   snprintf(name, sizeof(name), "%s/a.cl", folder);
   static const char includes[] = "#include \"a.h\"\nkernel void k(global int *x) { x[0] = N; }";
   empty();
   write_header(header, "#define N 1000\n");
   const uint64_t first = compile(name, includes, &(struct compiler_options){0}, 0);
   write_header(header, "#define N 2000\n");
   CHECK(compile(name, includes, &(struct compiler_options){0}, 0) != first);
   unlink(header);
   compile(name, includes, &(struct compiler_options){0}, -EINVAL);
   check_counts(0, 0, 0);
}

/* Failures are compiled again each time. */
static void check_refused(void)
{
   static const char wrong[] = "kernel void k(global int *x) { nonsense }";
   static const char half[] =
       "kernel void k(global int *x) { *x = 1; }\n"
       "kernel void i(read_only image2d_t x, global float4 *y) { *y = read_imagef(x, (int2)(0)); }";

   empty();
   for (unsigned i = 0; i < 2; i++) {
      compile("a.cl", wrong, &(struct compiler_options){0}, -EINVAL);
      check_counts(0, 1, 0);
      compile("a.cl", half, &(struct compiler_options){.kernel = "i"}, -EINVAL);
      check_counts(0, 1, 0);
   }
   CHECK_EQUAL(walk(NULL).entries, 0);
}

static void build(struct nir_builder *b, const void *data)
{
   nir_def *address = compiler_nir_argument(b, 0);

   compat_store_global(b, address, 4, nir_imm_int(b, *(const int *)data), 1);
}

static void test_nir(void)
{
   static const struct agx_argument argument = {.kind = AGX_ARGUMENT_BUFFER, .size = 8, .name = "out"};
   const struct compiler_nir_info info = {.name = "n", .arguments = &argument, .argument_count = 1};
   uint64_t hashes[4];

   empty();
   for (unsigned i = 0; i < 4; i++) {
      const int value = 1000 + (int)i / 2;
      struct compiler_result result;

      CHECK_EQUAL(compiler_nir(&info, build, &value, &(struct compiler_options){0}, &result), 0);
      hashes[i] = result.count == 1 ? agx_program_hash(result.programs[0]) : 0;
      compiler_result_finish(&result);
      CHECK_EQUAL(walk(NULL).entries, 1 + i / 2); /* the data is in the key, not its address */
   }
   CHECK(hashes[0] == hashes[1] && hashes[1] != hashes[2] && hashes[2] == hashes[3]);
}

/* ---- Damage ---- */

static const char key_text[] = "damage";

static void flip_a_byte(const char *path)
{
   static long at;
   FILE *file = fopen(path, "r+");
   struct stat status;

   if (file == NULL || fstat(fileno(file), &status) < 0) {
      CHECK(false && "an entry");
      return;
   }
   fseek(file, at % (long)status.st_size, SEEK_SET);
   const int byte = fgetc(file);
   fseek(file, at % (long)status.st_size, SEEK_SET);
   fputc(byte ^ 0x10, file);
   fclose(file);
   at++;
}

static void cut(const char *path)
{
   static long size;

   CHECK(truncate(path, size++) == 0);
}

static void test_damage(void)
{
   const struct compiler_cache_bytes part = {key_text, sizeof(key_text)};
   const struct util_store_key key = compiler_cache_key(&part, 1);
   uint8_t content[64], *bytes;
   size_t size;

   memset(content, 7, sizeof(content));
   empty();
   for (unsigned i = 0; i < 120; i++) {
      compiler_cache_store(&key, content, sizeof(content));
      CHECK(compiler_cache_load(&key, &bytes, &size) && size == sizeof(content) && !memcmp(bytes, content, size));
      free(bytes);
      walk(i % 2 != 0 ? flip_a_byte : cut);
      CHECK(!compiler_cache_load(&key, &bytes, &size));
   }
   /* A whole entry under another's name. */
   struct util_store_key other = key;
   char from[200], to[200];

   other.low ^= 1;
   compiler_cache_store(&key, content, sizeof(content));
   snprintf(from, sizeof(from), "%s/agx-runner/compiler/%x/%016llx%016llx", folder, (unsigned)(key.high >> 60),
            (unsigned long long)key.high, (unsigned long long)key.low);
   snprintf(to, sizeof(to), "%s/agx-runner/compiler/%x/%016llx%016llx", folder, (unsigned)(key.high >> 60),
            (unsigned long long)other.high, (unsigned long long)other.low);
   CHECK(rename(from, to) == 0);
   CHECK(!compiler_cache_load(&other, &bytes, &size));

   /* An entry that is whole and makes no sense as a result. */
   empty();
   compile("a.cl", source, &(struct compiler_options){.kernel = "k"}, 0);
   walk(flip_a_byte);
   compiler_cache_set(true);
   compile("a.cl", source, &(struct compiler_options){.kernel = "k"}, 0);
   check_counts(0, 1, 1);
}

/* ---- Writers, and size ---- */

#define ENTRIES 400
#define ENTRY_BYTES 20000

static struct util_store_key number_key(unsigned number)
{
   const struct compiler_cache_bytes part = {&number, sizeof(number)};

   return compiler_cache_key(&part, 1);
}

static void store_number(unsigned number)
{
   const struct util_store_key key = number_key(number);
   uint8_t content[ENTRY_BYTES];

   memset(content, (int)(number & 0xff), sizeof(content));
   compiler_cache_store(&key, content, sizeof(content));
}

/* Whether the entry is there; then it is the right one. */
static bool find_number(unsigned number)
{
   const struct util_store_key key = number_key(number);
   uint8_t *bytes;
   size_t size;
   const bool found = compiler_cache_load(&key, &bytes, &size);

   for (size_t i = 0; found && i < size; i++) {
      if (size != ENTRY_BYTES || bytes[i] != (number & 0xff)) {
         CHECK(false && "the entry is the one that was stored");
         break;
      }
   }
   free(bytes);
   return found;
}

static void test_writers(void)
{
   unsigned found = 0;

   empty();
   for (unsigned writer = 0; writer < 3; writer++) {
      if (fork() == 0) {
         for (unsigned i = 0; i < ENTRIES; i++) {
            store_number(i);
            find_number((i * 7) % ENTRIES);
         }
         _exit(check_failures != 0);
      }
   }
   for (unsigned writer = 0; writer < 3; writer++) {
      int status;
      CHECK(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
   }
   for (unsigned i = 0; i < ENTRIES; i++) {
      found += find_number(i);
   }
   CHECK(found > 0); /* a writer that waits too long for another gives up */
   CHECK_EQUAL(walk(NULL).entries, found);
   CHECK_EQUAL(walk(NULL).temporary, 0);
}

/* What a writer that was killed left in each folder goes with the next entry there. */
static void test_killed_writer(void)
{
   empty();
   for (unsigned i = 0; i < 100; i++) {
      store_number(i);
   }
   for (unsigned i = 0; i < 16; i++) {
      char path[200];

      snprintf(path, sizeof(path), "%s/agx-runner/compiler/%x/writing", folder, i);
      write_header(path, "half an entry");
   }
   CHECK_EQUAL(walk(NULL).temporary, 16);
   for (unsigned i = 100; i < 300; i++) {
      store_number(i);
   }
   CHECK_EQUAL(walk(NULL).temporary, 0);
   for (unsigned i = 0; i < 300; i++) {
      CHECK(find_number(i));
   }
}

static void test_size(void)
{
   static const uint8_t large[(1 << 16) + 1];

   setenv(COMPILER_CACHE_VARIABLE, "1", 1);
   empty();
   store_number(0);
   for (unsigned i = 1; i < ENTRIES; i++) {
      store_number(i);
      CHECK(find_number(i));
      CHECK(find_number(0)); /* what is used stays */
      CHECK(walk(NULL).bytes <= 1 << 20);
   }
   CHECK(!find_number(1)); /* what was not used for long has gone */
   CHECK(walk(NULL).bytes > 1 << 19);
   /* An entry larger than a folder's share is not kept, and costs no other. */
   const unsigned before = walk(NULL).entries;
   const struct util_store_key key = number_key(ENTRIES);
   compiler_cache_store(&key, large, sizeof(large));
   CHECK_EQUAL(walk(NULL).entries, before);
   unsetenv(COMPILER_CACHE_VARIABLE);
}

/* ---- Identity ---- */

static uint64_t identity_with(const char *self, const char *preload)
{
   unsigned long long number = 0;
   char command[4200];

   snprintf(command, sizeof(command), "LD_PRELOAD=%s '%s' identity", preload, self);
   FILE *pipe = popen(command, "r");
   CHECK(pipe != NULL && fscanf(pipe, "%llx", &number) == 1);
   CHECK(pipe != NULL && pclose(pipe) == 0);
   return number;
}

/* Another library in the process is another compiler. */
static void test_identity(const char *self)
{
   const uint64_t plain = identity_with(self, "");

   CHECK(plain != 0);
   CHECK(identity_with(self, "") == plain);
   CHECK(identity_with(self, "libanl.so.1") != plain);
}

int main(int argc, char **argv)
{
   if (argc > 1 && !strcmp(argv[1], "identity")) {
      printf("%llx\n", (unsigned long long)compiler_cache_identity().low);
      return 0;
   }
   unsetenv(COMPILER_CACHE_VARIABLE);
   if (mkdtemp(folder) == NULL || setenv("XDG_CACHE_HOME", folder, 1) < 0) {
      perror(folder);
      return 1;
   }
   compiler_cache_set(true);
   test_hit();
   test_key_parts();
   test_environment();
   test_closed();
   test_include();
   check_refused();
   test_nir();
   test_damage();
   test_writers();
   test_killed_writer();
   test_size();
   if (!COMPILER_HAS_ADDRESS_SANITIZER) {
      test_identity(argv[0]);
   }

   char command[100];
   snprintf(command, sizeof(command), "rm -r %s", folder);
   return check_failures != 0 || system(command) != 0;
}
