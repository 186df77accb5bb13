/* SPDX-License-Identifier: MIT */
#include "agx_runner/piglit/wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum frame_kind { FRAME_PLAN, FRAME_BEGIN, FRAME_END, FRAME_PRINT, FRAME_DONE, FRAME_KINDS };

struct frame {
   uint32_t kind;   /* enum frame_kind */
   uint32_t test;   /* FRAME_BEGIN, FRAME_END */
   uint32_t status; /* FRAME_END, FRAME_DONE */
   uint32_t length; /* of the text that follows, without a NUL */
};

/* Longer texts are cut. */
#define MAX_TEXT 4096u

static void write_all(int fd, const void *data, size_t size)
{
   const char *bytes = data;

   while (size > 0) {
      ssize_t n = write(fd, bytes, size);
      if (n < 0 && errno == EINTR) {
         continue;
      }
      if (n <= 0) {
         _exit(1);
      }
      bytes += n;
      size -= (size_t)n;
   }
}

static void send_frame(int fd, enum frame_kind kind, size_t test, enum piglit_status status, const char *text)
{
   struct frame frame = {.kind = kind, .test = (uint32_t)test, .status = status};
   char bytes[sizeof(frame) + MAX_TEXT];

   frame.length = (uint32_t)strnlen(text, MAX_TEXT);
   memcpy(bytes, &frame, sizeof(frame));
   memcpy(bytes + sizeof(frame), text, frame.length);
   write_all(fd, bytes, sizeof(frame) + frame.length);
}

static void sink_plan(void *data, const char *name)
{
   send_frame(*(int *)data, FRAME_PLAN, 0, PIGLIT_PASS, name);
}

static void sink_begin(void *data, size_t test)
{
   send_frame(*(int *)data, FRAME_BEGIN, test, PIGLIT_PASS, "");
}

static void sink_end(void *data, size_t test, enum piglit_status status, const char *reason)
{
   send_frame(*(int *)data, FRAME_END, test, status, reason);
}

static void sink_print(void *data, const char *line)
{
   send_frame(*(int *)data, FRAME_PRINT, 0, PIGLIT_PASS, line);
}

struct piglit_sink piglit_wire_sink(int *fd)
{
   return (struct piglit_sink){
       .data = fd, .plan = sink_plan, .begin = sink_begin, .end = sink_end, .print = sink_print};
}

void piglit_wire_done(int fd, enum piglit_status status, const char *reason)
{
   send_frame(fd, FRAME_DONE, 0, status, reason);
}

void piglit_wire_finish(struct piglit_wire *wire)
{
   free(wire->buffer);
   *wire = (struct piglit_wire){0};
}

static int handle_frame(const struct frame *frame, const char *text, const struct piglit_sink *sink,
                        struct piglit_wire_end *end)
{
   switch (frame->kind) {
   case FRAME_PLAN:
      sink->plan(sink->data, text);
      return 0;
   case FRAME_BEGIN:
      sink->begin(sink->data, frame->test);
      return 0;
   case FRAME_END:
      sink->end(sink->data, frame->test, frame->status, text);
      return 0;
   case FRAME_PRINT:
      sink->print(sink->data, text);
      return 0;
   case FRAME_DONE:
      end->done = true;
      end->status = frame->status;
      snprintf(end->reason, sizeof(end->reason), "%.*s", (int)sizeof(end->reason) - 1, text);
      return 0;
   default:
      return -EPROTO;
   }
}

/* The process at the other end may have been running wild: nothing it sends is trusted. */
static int take_frames(struct piglit_wire *wire, const struct piglit_sink *sink, struct piglit_wire_end *end)
{
   char text[MAX_TEXT + 1];
   struct frame frame;
   size_t at = 0;
   int ret = 0;

   while (ret == 0 && wire->used - at >= sizeof(frame)) {
      memcpy(&frame, wire->buffer + at, sizeof(frame));
      if (frame.length > MAX_TEXT || frame.status >= PIGLIT_STATUSES) {
         return -EPROTO;
      }
      if (wire->used - at - sizeof(frame) < frame.length) {
         break;
      }
      memcpy(text, wire->buffer + at + sizeof(frame), frame.length);
      text[frame.length] = 0;
      at += sizeof(frame) + frame.length;
      ret = handle_frame(&frame, text, sink, end);
   }
   memmove(wire->buffer, wire->buffer + at, wire->used - at);
   wire->used -= at;
   return ret;
}

int piglit_wire_read(struct piglit_wire *wire, int fd, const struct piglit_sink *sink, struct piglit_wire_end *end)
{
   if (wire->room == 0) {
      wire->room = 65536;
      wire->buffer = malloc(wire->room);
      if (wire->buffer == NULL) {
         wire->room = 0;
         return -ENOMEM;
      }
   }
   ssize_t n = read(fd, wire->buffer + wire->used, wire->room - wire->used);
   if (n < 0) {
      return errno == EINTR || errno == EAGAIN ? 1 : -errno;
   }
   if (n == 0) {
      return 0;
   }
   wire->used += (size_t)n;
   int ret = take_frames(wire, sink, end);
   return ret < 0 ? ret : 1;
}
