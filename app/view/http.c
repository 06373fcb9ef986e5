// app/view/http.c -- files and web sockets by civetweb.
#include "http.h"
#include "message.h"
#include "pages.h"

#include <civetweb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct http
{
    relay *relay;
    struct mg_context *server;
    int32_t port;
};

// ---- who may ask -------------------------------------------------------------------------------------------------

// "localhost:7788" names this computer, whatever the port: a tunnel may begin at another one.
static bool is_this_computer(const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (int i = 0; host && i < 3; ++i)
    {
        size_t length = strlen(names[i]);
        if (strncmp(host, names[i], length) == 0 && (host[length] == 0 || host[length] == ':'))
            return true;
    }
    return false;
}

static bool is_our_page(const struct mg_connection *c)
{
    const char *host = mg_get_header(c, "Host"), *origin = mg_get_header(c, "Origin");
    return is_this_computer(host) && origin && strncmp(origin, "http://", 7) == 0 && strcmp(origin + 7, host) == 0;
}

// ---- files -------------------------------------------------------------------------------------------------------

static const char *const headers = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: "
                                   "DENY\r\nReferrer-Policy: no-referrer\r\n"
                                   "Content-Security-Policy: default-src 'self'; connect-src 'self' ws:; img-src "
                                   "'self' data:; style-src 'self' 'unsafe-inline'\r\n";

static int refuse(struct mg_connection *c, int status, const char *why)
{
    mg_printf(c,
              "HTTP/1.1 %d %s\r\n%sContent-Type: text/plain; charset=utf-8\r\nContent-Length: %zu\r\nConnection: "
              "close\r\n\r\n%s\n",
              status,
              status == 403   ? "Forbidden"
              : status == 405 ? "Method Not Allowed"
                              : "Not Found",
              headers, strlen(why) + 1, why);
    return status;
}

// The movie that was recorded last.
static int send_movie(struct mg_connection *c, relay *r)
{
    char path[4500];
    relay_read_note(r, path, sizeof path);
    if (!path[0])
        return refuse(c, 404, "nothing was recorded yet");
    mg_send_mime_file(c, path, strstr(path, ".mp4") ? "video/mp4" : "image/webp");
    return 200;
}

static int send_file(struct mg_connection *c, const page_file *file, bool body)
{
    mg_printf(c, "HTTP/1.1 200 OK\r\n%sContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n", headers,
              file->type, file->size);
    if (body)
        mg_write(c, file->bytes, file->size);
    return 200;
}

static int answer(struct mg_connection *c, void *user)
{
    http *h = user;
    const struct mg_request_info *request = mg_get_request_info(c);
    const char *name = request->local_uri ? request->local_uri + 1 : "";
    bool get = strcmp(request->request_method, "GET") == 0, head = strcmp(request->request_method, "HEAD") == 0;
    if (!is_this_computer(mg_get_header(c, "Host")))
        return refuse(c, 403, "this page is for the computer that it runs on: open it as localhost or 127.0.0.1");
    if (!get && !head)
        return refuse(c, 405, "only GET is answered here");
    if (strcmp(name, "movie") == 0)
        return send_movie(c, h->relay);
    for (const page_file *file = page_files; file->name; ++file)
        if (strcmp(file->name, name[0] ? name : "index.html") == 0)
            return send_file(c, file, get);
    return refuse(c, 404, "there is no such page");
}

// ---- sockets -----------------------------------------------------------------------------------------------------

static int may_connect(const struct mg_connection *c, void *user)
{
    (void)user;
    return is_our_page(c) ? 0 : 1;
}

static int32_t page_of(const struct mg_connection *c) { return (int32_t)(intptr_t)mg_get_user_connection_data(c) - 1; }

static void greet(struct mg_connection *c, void *user)
{
    http *h = user;
    mg_set_user_connection_data(c, (void *)(intptr_t)(relay_join(h->relay, c) + 1));
}

static int receive(struct mg_connection *c, int bits, char *bytes, size_t size, void *user)
{
    http *h = user;
    int32_t page = page_of(c);
    int kind = bits & 15;
    bool whole = bits & 128;
    char odd[80];
    if (page < 0 || kind == MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE)
        return 0;
    if (kind == MG_WEBSOCKET_OPCODE_PING || kind == MG_WEBSOCKET_OPCODE_PONG)
        return 1;
    if (whole && kind == MG_WEBSOCKET_OPCODE_TEXT && size <= MESSAGE_BYTES)
        return relay_put(h->relay, page, LETTER_TEXT, bytes, size);
    snprintf(odd, sizeof odd, "%s of kind %d and %zu bytes", whole ? "a frame" : "part of a frame", kind, size);
    return relay_put(h->relay, page, LETTER_ODD, odd, strlen(odd));
}

static void part(const struct mg_connection *c, void *user)
{
    http *h = user;
    if (page_of(c) >= 0)
        relay_leave(h->relay, page_of(c));
}

bool http_send(void *connection, bool text, const void *bytes, size_t size)
{
    int kind = text ? MG_WEBSOCKET_OPCODE_TEXT : MG_WEBSOCKET_OPCODE_BINARY;
    return mg_websocket_write(connection, kind, bytes, size) > 0;
}

// ---- life --------------------------------------------------------------------------------------------------------

static bool listen_at(http *h, int32_t port)
{
    char address[32], threads[16];
    snprintf(address, sizeof address, "127.0.0.1:%d", port);
    // a socket keeps a thread for as long as it lives; files need a few more
    snprintf(threads, sizeof threads, "%d", RELAY_PAGES + 8);
    const char *options[] = {"listening_ports",
                             address,
                             "num_threads",
                             threads,
                             "tcp_nodelay",
                             "1",
                             "request_timeout_ms",
                             "10000",
                             "websocket_timeout_ms",
                             "3600000",
                             "enable_keep_alive",
                             "no",
                             NULL};
    struct mg_callbacks callbacks = {0};
    h->server = mg_start(&callbacks, h, options);
    h->port = port;
    return h->server != NULL;
}

http *http_start(relay *r, int32_t port, bool exactly)
{
    http *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->relay = r;
    mg_init_library(0);
    int32_t last = exactly ? port : port + 20;
    while (port <= last && !listen_at(h, port))
        ++port;
    if (!h->server)
    {
        free(h);
        return NULL;
    }
    mg_set_request_handler(h->server, "/", answer, h);
    mg_set_websocket_handler(h->server, "/socket$", may_connect, greet, receive, part, h);
    return h;
}

int32_t http_port(const http *h) { return h->port; }

void http_stop(http **out)
{
    if (!*out)
        return;
    mg_stop((*out)->server);
    mg_exit_library();
    free(*out);
    *out = NULL;
}
