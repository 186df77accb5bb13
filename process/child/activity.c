/* SPDX-License-Identifier: MIT
 *
 * Reads /proc. The time between two samples counts as work by the processor time used in it, for each thread that
 * wants a processor; as sleep if all threads slept at both samples.
 */
#include "process/child/activity.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/clock.h"

#define DEPTH_MAX 8 /* most nested processes below a process: a survey's step has 4 */
/* seconds of sleep that one sample counts: more have passed if the host or this process was stopped */
#define SLEEP_MOST 1.0

struct look {
   double cpu;       /* seconds, of children that have ended too */
   unsigned running; /* threads that are running or ready */
   bool stopped;     /* a thread is stopped, by a signal or a debugger */
   bool found;
};

/* Returns the fields behind the name, which may contain anything: state, then numbers. NULL: the thread does not
 * exist. */
static const char *read_stat(const char *path, char *text, size_t size)
{
   FILE *file = fopen(path, "re");

   if (file == NULL) {
      return NULL;
   }
   const size_t got = fread(text, 1, size - 1, file);
   fclose(file);
   text[got] = '\0';
   const char *end = strrchr(text, ')');
   return end != NULL && end[1] == ' ' ? end + 2 : NULL;
}

static void look_at_process(pid_t process, struct look *look)
{
   unsigned long user, system;
   long children_user, children_system;
   char path[64], text[1024];

   snprintf(path, sizeof(path), "/proc/%d/stat", (int)process);
   const char *fields = read_stat(path, text, sizeof(text));
   /* proc(5): fields 14 to 17; the state is the third. */
   if (fields != NULL && sscanf(fields, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld", &user, &system,
                                &children_user, &children_system) == 4) {
      look->cpu += ((double)user + (double)system + (double)children_user + (double)children_system) /
                   (double)sysconf(_SC_CLK_TCK);
      look->found = true;
   }
}

static void look_at_thread(const char *folder, const char *thread, struct look *look)
{
   char path[352], text[1024];

   snprintf(path, sizeof(path), "%s/%s/stat", folder, thread);
   const char *fields = read_stat(path, text, sizeof(text));
   look->running += fields != NULL && *fields == 'R';
   look->stopped |= fields != NULL && (*fields == 'T' || *fields == 't');
}

static void look_at_tree(pid_t process, unsigned depth, struct look *look)
{
   char folder[64], path[352];

   look_at_process(process, look);
   snprintf(folder, sizeof(folder), "/proc/%d/task", (int)process);
   DIR *threads = opendir(folder);
   for (struct dirent *entry; threads != NULL && (entry = readdir(threads)) != NULL;) {
      int child;

      if (!isdigit((unsigned char)entry->d_name[0])) {
         continue;
      }
      look_at_thread(folder, entry->d_name, look);
      /* A kernel without this file shows no descendants: their work then counts as our sleep. */
      snprintf(path, sizeof(path), "%s/%s/children", folder, entry->d_name);
      FILE *children = depth > 0 ? fopen(path, "re") : NULL;
      while (children != NULL && fscanf(children, "%d", &child) == 1) {
         look_at_tree(child, depth - 1, look);
      }
      if (children != NULL) {
         fclose(children);
      }
   }
   if (threads != NULL) {
      closedir(threads);
   }
}

static struct look look_at(pid_t process, pid_t helper)
{
   struct look look = {0};

   look_at_tree(process, DEPTH_MAX, &look);
   if (helper > 0 && look.running == 0 && !look.stopped) {
      struct look other = {0};

      look_at_tree(helper, DEPTH_MAX, &other);
      /* The helper's processor time is not this process's; only whether it is working matters. */
      look.running = other.running;
      look.stopped = other.stopped;
   }
   return look;
}

void activity_start(struct activity *activity, pid_t process)
{
   const struct look look = look_at(process, 0);

   *activity = (struct activity){.process = process, .cpu = look.cpu, .looked = util_clock_seconds()};
}

double activity_seconds(struct activity *activity, pid_t helper)
{
   const double now = util_clock_seconds(), passed = now - activity->looked;

   if (activity->process <= 0 || passed < ACTIVITY_PAUSE) {
      return activity->seconds;
   }
   const struct look look = look_at(activity->process, helper);
   const bool sleeps = look.found && look.running == 0 && !look.stopped;
   const double worked = fmax(look.cpu - activity->cpu, 0) / (look.running > 1 ? look.running : 1);

   activity->seconds += sleeps && activity->slept ? fmin(passed, SLEEP_MOST) : fmin(worked, passed);
   activity->slept = sleeps;
   const bool rests = look.found && look.running == 0;
   activity->idle += rests && activity->rested ? fmin(passed, SLEEP_MOST) : 0;
   activity->rested = rests;
   activity->cpu = fmax(look.cpu, activity->cpu);
   activity->looked = now;
   return activity->seconds;
}
