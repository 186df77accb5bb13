/* SPDX-License-Identifier: MIT
 *
 * Messages with descriptors over a socket. Invariant: descriptors that came with what is no message are closed.
 */
#include "compiler/api/protocol.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
   struct cmsghdr head;
   char bytes[CMSG_SPACE(COMPILER_FDS * sizeof(int))];
};

int compiler_send(int socket, const struct compiler_message *message, const int fds[COMPILER_FDS])
{
   struct iovec part = {(void *)(uintptr_t)message, sizeof(*message)};
   union control control;
   ssize_t sent;

   memset(&control, 0, sizeof(control));
   const struct msghdr header = {
       .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes)};
   struct cmsghdr *head = CMSG_FIRSTHDR(&header);
   head->cmsg_level = SOL_SOCKET;
   head->cmsg_type = SCM_RIGHTS;
   head->cmsg_len = CMSG_LEN(COMPILER_FDS * sizeof(int));
   memcpy(CMSG_DATA(head), fds, COMPILER_FDS * sizeof(int));
   do {
      sent = sendmsg(socket, &header, MSG_NOSIGNAL);
   } while (sent < 0 && errno == EINTR);
   return sent < 0 ? -errno : 0;
}

int compiler_receive(int socket, struct compiler_message *message, int fds[COMPILER_FDS])
{
   struct iovec part = {message, sizeof(*message)};
   union control control;
   struct msghdr header = {
       .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes)};
   ssize_t size;

   do {
      size = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
   } while (size < 0 && errno == EINTR);
   if (size <= 0) {
      return -1;
   }
   const struct cmsghdr *head = CMSG_FIRSTHDR(&header);
   if (head == NULL || head->cmsg_type != SCM_RIGHTS) {
      return 0;
   }
   const size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
   memcpy(fds, CMSG_DATA(head), count * sizeof(int));
   if (count == COMPILER_FDS && (size_t)size == sizeof(*message) && message->protocol == COMPILER_PROTOCOL &&
       message->kind < COMPILER_KINDS) {
      return 1;
   }
   for (size_t i = 0; i < count; i++) {
      close(fds[i]);
   }
   return 0;
}
