/* SPDX-License-Identifier: MIT
 *
 * The applications that `apps` runs: what each needs, how it is started, and how its answers are judged. A new
 * application is a row of the table in table.c.
 */
#ifndef AGX_RUNNER_APPS_TABLE_H
#define AGX_RUNNER_APPS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Where an application's cases come from. */
enum app_list {
   APP_CASES, /* its row has them */
   APP_FILES, /* each file that the pattern `listed` finds in the folder of the Mesa */
   APP_GGML,  /* test-backend-ops says which it has; APP_GGML_CASES of one operation are a case */
   APP_GTEST, /* a program of GoogleTest says which suites it has; a suite is a case */
};
#define APP_GGML_CASES 64

/* How a case is judged. Each one fails, too, where a job faults or a check of the device finds something. */
enum app_judge {
   APP_EXIT,        /* by its exit status, and the text `wants` in what it prints */
   APP_SAME,        /* its file is that of the same command with the same Mesa's drivers for the processor */
   APP_GGML_LINES,  /* by lines as test-backend-ops has them: a result for each */
   APP_PIGLIT,      /* by the lines of Piglit's protocol: a result for each */
   APP_GTEST_LINES, /* by the lines of GoogleTest: a result for each */
   APP_JUDGES,
};

struct app_case {
   const char *name;
   const char *words; /* what "%" stands for; NULL: the name */
   const char *wants; /* APP_EXIT: a text that must be printed; NULL: the application's */
};

/* In commands words are separated by spaces. "%" is the case's words, and inside of a word its text; "@" begins the
 * path of a file in the case's own folder. "/usr/..." are files of the folder of the Mesa. */
struct application {
   const char *name;
   const char *what;     /* in a line */
   const char *packages; /* Debian's, separated by spaces */
   const char *setup;    /* a program of ci/ that fetches what Debian has not, given the Mesa's folder; NULL: none */
   const char *needs;    /* a file that it leaves there; NULL: none */
   const char *answers;  /* what the answers are compared with */
   enum app_list list;
   const char *listed; /* APP_FILES: the pattern */
   const char *starts; /* APP_FILES: it starts in the folder before this part of the case's path; NULL: in its own */
   const struct app_case *cases;
   size_t count;
   enum app_judge judge;
   const char *wants;
   const char *command;
   bool (*make)(
       const char *folder); /* writes files that the command reads into a case's folder; NULL: there are none */
   const char *suffix;      /* APP_SAME: what the program puts behind the name of the file; NULL: nothing */
   const char *reference;   /* APP_SAME: another command, that computes on the processor; NULL: the same command */
   unsigned tolerance;      /* APP_SAME: most difference of a component */
   unsigned bytes;          /* of a component: 1, or 2 with the high one first */
};

extern const struct application applications[];
extern const size_t application_count;

/* NULL: there is none of that name. */
const struct application *application_find(const char *name);

#endif
