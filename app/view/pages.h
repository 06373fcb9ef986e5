// app/view/pages.h -- the files of viewer/, which embed.cmake puts into the program.
#ifndef APP_VIEW_PAGES_H
#define APP_VIEW_PAGES_H

#include <stddef.h>

typedef struct page_file
{
    const char *name; // "index.html"
    const char *type; // "text/html; charset=utf-8"
    const unsigned char *bytes;
    size_t size;
} page_file;

// All of them, ended by one without a name.
extern const page_file page_files[];

#endif
