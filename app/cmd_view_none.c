// app/cmd_view_none.c -- in place of app/view where civetweb was not found.
#include "commands.h"

#include <stdio.h>

int command_view(const arguments *a)
{
    (void)a;
    fprintf(stderr, "this pliant was built without the live page; install libcivetweb-dev and build it again\n");
    return EXIT_FAILED;
}
