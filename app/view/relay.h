// app/view/relay.h -- the one place where threads meet: letters from pages to the engine, parcels from the engine to
// pages.
//
// The engine has a thread to itself (the program's first) and owns the world. The server has threads of its own, which
// read what pages send; a letter of each goes into one queue, in order. What the engine has for a page is put into that
// page's own queue, from which a thread of the page sends it: a page that is slow, or has gone without a word, keeps
// nobody waiting. A page whose letters are not yet read waits itself; a page that does not take its parcels loses its
// connection.
#ifndef APP_VIEW_RELAY_H
#define APP_VIEW_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum
{
    RELAY_PAGES = 16
};

typedef struct relay relay;

// ---- parcels: bytes that several pages may be sent -------------------------------------------------------------

typedef struct parcel
{
    int32_t owners;
    bool text; // else binary
    size_t size;
    unsigned char bytes[];
} parcel;

// One owner: whoever made it. NULL when out of memory.
parcel *parcel_make(bool text, const void *bytes, size_t size);
void parcel_drop(relay *r, parcel *p);

// ---- letters -----------------------------------------------------------------------------------------------------

typedef enum letter_kind
{
    LETTER_JOIN,
    LETTER_TEXT,
    LETTER_ODD, // something else than a text: `bytes` says what
    LETTER_LEAVE
} letter_kind;

typedef struct letter
{
    struct letter *next;
    letter_kind kind;
    int32_t page;
    size_t size;
    char bytes[]; // ended by a zero that is not counted
} letter;

// ---- the engine's side -------------------------------------------------------------------------------------------

// Send to a connection; false when it is no more.
typedef bool relay_send(void *connection, bool text, const void *bytes, size_t size);

relay *relay_create(relay_send *send);
// Once the server has stopped.
void relay_destroy(relay **r);
// The next letter, which the caller frees, or NULL when none has come within `seconds`.
letter *relay_take(relay *r, double seconds);
// Give a page a parcel, of which it becomes an owner.
void relay_post(relay *r, int32_t page, parcel *p);
// From now on nobody waits for the engine.
void relay_close(relay *r);

// ---- the server's side -------------------------------------------------------------------------------------------

// A page comes: its number, or -1 when there are too many.
int32_t relay_join(relay *r, void *connection);
void relay_leave(relay *r, int32_t page);
// Waits while the page has many letters that were not read yet. False when its connection should be closed.
bool relay_put(relay *r, int32_t page, letter_kind kind, const void *bytes, size_t size);

// A text that both sides may read and write: the path of the last movie.
void relay_write_note(relay *r, const char *note);
void relay_read_note(relay *r, char *note, size_t size);

#endif
