// app/view/http.h -- the server of the live page: files and web sockets, for this computer only.
//
// It listens at 127.0.0.1. That alone does not keep out other web sites, whose scripts run in a browser of this
// computer: a request must name this computer as its Host (or a site could point its own name here), and a socket must
// come from a page of ours (Origin).
#ifndef APP_VIEW_HTTP_H
#define APP_VIEW_HTTP_H

#include "relay.h"

typedef struct http http;

// Start at a port, or, unless it must be this one, at one of the next twenty. NULL when none is free.
http *http_start(relay *r, int32_t port, bool exactly);
int32_t http_port(const http *h);
void http_stop(http **h);

// How a parcel is sent: of type relay_send.
bool http_send(void *connection, bool text, const void *bytes, size_t size);

#endif
