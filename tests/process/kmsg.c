/* SPDX-License-Identifier: MIT
 *
 * Records of the kernel log, as Documentation/ABI/testing/dev-kmsg of the kernel has them, from a pipe that keeps
 * writes apart as /dev/kmsg keeps records apart.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/kmsg.h"
#include "tests/check.h"

static void put(int fd, const char *record)
{
   if (write(fd, record, strlen(record)) != (ssize_t)strlen(record)) {
      perror("write");
      exit(1);
   }
}

int main(void)
{
   char folder[] = "/tmp/runner-kmsg-XXXXXX", path[64];
   struct kmsg kmsg;

   if (mkdtemp(folder) == NULL) {
      perror(folder);
      return 1;
   }
   snprintf(path, sizeof(path), "%s/kmsg", folder);
   CHECK(!kmsg_open(&kmsg, path) && kmsg_end(&kmsg) == NULL, "there is no log yet");
   kmsg_begin(&kmsg, "nothing happens");
   CHECK(mkfifo(path, 0600) == 0 && kmsg_open(&kmsg, path), "%s", path);
   const int fd = open(path, O_WRONLY);
   CHECK(fcntl(fd, F_SETFL, O_DIRECT) == 0, "packets");
   put(fd, "12,5,70000001,-;agx-runner: begin fault/endless\n");
   put(fd, "4,6,71002003,-;asahi 406400000.gpu: fault at 0x1300000000\n SUBSYSTEM=platform\n DEVICE=+platform:gpu\n");
   put(fd, "garbage\n");
   put(fd, "3,7,12345678901,-,caller=T1;two\n");
   char *text = kmsg_end(&kmsg);
   CHECK(text != NULL &&
             !strcmp(text, "[   71.002003] asahi 406400000.gpu: fault at 0x1300000000\n[12345.678901] two\n"),
         "found %s", text);
   free(text);
   CHECK(kmsg_end(&kmsg) == NULL, "nothing more");
   close(fd);
   kmsg_close(&kmsg);
   kmsg_close(&kmsg);
   unlink(path);
   rmdir(folder);
   return check_result();
}
