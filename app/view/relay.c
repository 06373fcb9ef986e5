// app/view/relay.c -- queues between threads.
#include "relay.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum
{
    UNREAD_MAX = 64, // letters of one page
    UNSENT_MAX = 64  // parcels for one page
};

typedef struct
{
    void *connection; // NULL: this place is free
    bool lost;        // its connection is no more, or it was too slow
    pthread_t sender;
    pthread_cond_t posted;
    parcel *queue[UNSENT_MAX];
    int32_t first, count;
    int32_t unread; // letters
    relay *of;
} mailbox;

struct relay
{
    pthread_mutex_t lock;
    pthread_cond_t written, read; // a letter; of a page that waits
    letter *first, **last;
    mailbox page[RELAY_PAGES];
    relay_send *send;
    bool closed;
    char note[4500];
};

// ---- parcels -----------------------------------------------------------------------------------------------------

parcel *parcel_make(bool text, const void *bytes, size_t size)
{
    parcel *p = malloc(sizeof *p + size);
    if (p)
    {
        *p = (parcel){.owners = 1, .text = text, .size = size};
        if (bytes)
            memcpy(p->bytes, bytes, size);
    }
    return p;
}

static void drop(parcel *p)
{
    if (p && --p->owners == 0)
        free(p);
}

void parcel_drop(relay *r, parcel *p)
{
    pthread_mutex_lock(&r->lock);
    drop(p);
    pthread_mutex_unlock(&r->lock);
}

// ---- life --------------------------------------------------------------------------------------------------------

relay *relay_create(relay_send *send)
{
    relay *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->written, &monotonic);
    pthread_cond_init(&r->read, NULL);
    for (int32_t i = 0; i < RELAY_PAGES; ++i)
        pthread_cond_init(&r->page[i].posted, NULL);
    pthread_condattr_destroy(&monotonic);
    r->last = &r->first;
    r->send = send;
    return r;
}

void relay_close(relay *r)
{
    pthread_mutex_lock(&r->lock);
    r->closed = true;
    pthread_cond_broadcast(&r->read);
    pthread_mutex_unlock(&r->lock);
}

void relay_destroy(relay **out)
{
    relay *r = *out;
    if (!r)
        return;
    for (letter *l = r->first, *next; l; l = next)
    {
        next = l->next;
        free(l);
    }
    for (int32_t i = 0; i < RELAY_PAGES; ++i)
        pthread_cond_destroy(&r->page[i].posted);
    pthread_cond_destroy(&r->written);
    pthread_cond_destroy(&r->read);
    pthread_mutex_destroy(&r->lock);
    free(r);
    *out = NULL;
}

// ---- letters -----------------------------------------------------------------------------------------------------

static struct timespec moment_after(double seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    int64_t nanoseconds = (int64_t)t.tv_nsec + (int64_t)(1e9 * seconds);
    t.tv_sec += (time_t)(nanoseconds / 1000000000);
    t.tv_nsec = (long)(nanoseconds % 1000000000);
    return t;
}

letter *relay_take(relay *r, double seconds)
{
    struct timespec until = moment_after(seconds > 0 ? seconds : 0);
    pthread_mutex_lock(&r->lock);
    while (!r->first && seconds > 0 && pthread_cond_timedwait(&r->written, &r->lock, &until) != ETIMEDOUT)
        ;
    letter *l = r->first;
    if (l)
    {
        r->first = l->next;
        if (!r->first)
            r->last = &r->first;
        if (l->kind == LETTER_TEXT || l->kind == LETTER_ODD)
            r->page[l->page].unread--;
        pthread_cond_broadcast(&r->read);
    }
    pthread_mutex_unlock(&r->lock);
    return l;
}

// Out of memory a letter is lost, as on any way.
static void add_letter(relay *r, int32_t page, letter_kind kind, const void *bytes, size_t size)
{
    letter *l = malloc(sizeof *l + size + 1);
    if (!l)
        return;
    *l = (letter){.kind = kind, .page = page, .size = size};
    if (size)
        memcpy(l->bytes, bytes, size);
    l->bytes[size] = 0;
    *r->last = l;
    r->last = &l->next;
    if (kind == LETTER_TEXT || kind == LETTER_ODD)
        r->page[page].unread++;
    pthread_cond_signal(&r->written);
}

bool relay_put(relay *r, int32_t page, letter_kind kind, const void *bytes, size_t size)
{
    pthread_mutex_lock(&r->lock);
    while (!r->closed && r->page[page].unread >= UNREAD_MAX)
        pthread_cond_wait(&r->read, &r->lock);
    bool good = !r->closed && !r->page[page].lost;
    if (good)
        add_letter(r, page, kind, bytes, size);
    pthread_mutex_unlock(&r->lock);
    return good;
}

// ---- pages -------------------------------------------------------------------------------------------------------

static parcel *take_parcel(mailbox *p)
{
    parcel *taken = p->queue[p->first];
    p->first = (p->first + 1) % UNSENT_MAX;
    p->count--;
    return taken;
}

// The thread of a page: sends what is posted until the page has gone.
static void *send_parcels(void *argument)
{
    mailbox *p = argument;
    relay *r = p->of;
    pthread_mutex_lock(&r->lock);
    while (!p->lost)
    {
        if (p->count == 0)
        {
            pthread_cond_wait(&p->posted, &r->lock);
            continue;
        }
        parcel *taken = take_parcel(p);
        pthread_mutex_unlock(&r->lock);
        bool sent = r->send(p->connection, taken->text, taken->bytes, taken->size);
        pthread_mutex_lock(&r->lock);
        drop(taken);
        p->lost |= !sent;
    }
    while (p->count > 0)
        drop(take_parcel(p));
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

int32_t relay_join(relay *r, void *connection)
{
    pthread_mutex_lock(&r->lock);
    int32_t i = 0;
    while (i < RELAY_PAGES && r->page[i].connection)
        ++i;
    mailbox *p = &r->page[i];
    bool room = i < RELAY_PAGES && !r->closed;
    if (room)
    {
        p->connection = connection;
        p->of = r;
        p->lost = false;
        p->first = p->count = 0; // letters of whoever had this place before are still counted
        room = pthread_create(&p->sender, NULL, send_parcels, p) == 0;
        if (room)
            add_letter(r, i, LETTER_JOIN, NULL, 0);
        else
            p->connection = NULL;
    }
    pthread_mutex_unlock(&r->lock);
    return room ? i : -1;
}

void relay_leave(relay *r, int32_t i)
{
    mailbox *p = &r->page[i];
    pthread_mutex_lock(&r->lock);
    p->lost = true;
    pthread_cond_signal(&p->posted);
    pthread_mutex_unlock(&r->lock);
    pthread_join(p->sender, NULL);
    pthread_mutex_lock(&r->lock);
    // its place is free once the engine can have read that it has gone
    add_letter(r, i, LETTER_LEAVE, NULL, 0);
    p->connection = NULL;
    pthread_mutex_unlock(&r->lock);
}

void relay_post(relay *r, int32_t i, parcel *posted)
{
    mailbox *p = &r->page[i];
    pthread_mutex_lock(&r->lock);
    if (p->connection && !p->lost && p->count < UNSENT_MAX)
    {
        p->queue[(p->first + p->count++) % UNSENT_MAX] = posted;
        posted->owners++;
    }
    else
        p->lost = true;
    pthread_cond_signal(&p->posted);
    pthread_mutex_unlock(&r->lock);
}

// ---- the note ----------------------------------------------------------------------------------------------------

void relay_write_note(relay *r, const char *note)
{
    pthread_mutex_lock(&r->lock);
    snprintf(r->note, sizeof r->note, "%s", note);
    pthread_mutex_unlock(&r->lock);
}

void relay_read_note(relay *r, char *note, size_t size)
{
    pthread_mutex_lock(&r->lock);
    snprintf(note, size, "%s", r->note);
    pthread_mutex_unlock(&r->lock);
}
