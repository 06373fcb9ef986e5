// app/text.h -- text that grows.
#ifndef APP_TEXT_H
#define APP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct text
{
    char *at; // ended by a zero; NULL while empty
    size_t length, capacity;
    bool failed; // something was dropped, mostly for lack of memory
} text;

void text_add(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_put(text *t, const char *plain);
// A number as JSON: shortest digits that read back the same; null when it is not finite.
void text_number(text *t, double value);
// A JSON string with its quotes.
void text_quoted(text *t, const char *plain);
void text_free(text *t);

#endif
