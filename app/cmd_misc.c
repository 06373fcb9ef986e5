// app/cmd_misc.c -- pliant bench and pliant schema.
#include "bench.h"
#include "commands.h"
#include "scene/source.h"

#include <stdio.h>

int command_bench(const arguments *a)
{
    char *words[10] = {(char *)"pliant bench"};
    int count = 1;
    if (a->operand_count)
        words[count++] = (char *)a->operand[0];
    if (a->quick)
        words[count++] = (char *)"--quick";
    if (a->output)
    {
        words[count++] = (char *)"--csv";
        words[count++] = (char *)a->output;
    }
    if (a->figure)
    {
        words[count++] = (char *)"--figure";
        words[count++] = (char *)a->figure;
    }
    return bench_main(count, words);
}

static void put(void *user, const char *text)
{
    (void)user;
    fputs(text, stdout);
}

int command_schema(const arguments *a)
{
    if (a->reference)
        pl__reference_write(put, NULL);
    else
        pl__schema_write(put, NULL);
    return EXIT_DONE;
}
