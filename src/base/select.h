// src/base/select.h -- selection of the n-th item (quickselect, Hoare 1961), for median splits of hierarchies.
//
// `before` is a strict order without ties, so that the result does not depend on the initial order. In a header, to be
// inlined: a call per comparison takes twice as long.
#ifndef PL_BASE_SELECT_H
#define PL_BASE_SELECT_H

#include <stdbool.h>
#include <stdint.h>

typedef bool pl__before_function(const void *user, int32_t a, int32_t b);

static inline void pl__exchange(int32_t *a, int32_t *b)
{
    int32_t swap = *a;
    *a = *b, *b = swap;
}

// Partition [begin, end) by its middle item: the first part ends at *last, the second begins at *first.
static inline void pl__part_at_middle(int32_t *order, int32_t begin, int32_t end, pl__before_function *before,
                                      const void *user, int32_t *last, int32_t *first)
{
    int32_t pivot = order[begin + (end - begin) / 2], i = begin, j = end - 1;
    while (i <= j)
    {
        while (before(user, order[i], pivot))
            i++;
        while (before(user, pivot, order[j]))
            j--;
        if (i <= j)
            pl__exchange(&order[i++], &order[j--]);
    }
    *last = j;
    *first = i;
}

// Reorder [begin, end) so that order[nth] is the item that sorting would put there, with smaller ones before it.
static inline void pl__select_nth(int32_t *order, int32_t begin, int32_t end, int32_t nth, pl__before_function *before,
                                  const void *user)
{
    while (end - begin > 1)
    {
        int32_t last, first;
        pl__part_at_middle(order, begin, end, before, user, &last, &first);
        if (nth <= last)
            end = last + 1;
        else if (nth >= first)
            begin = first;
        else
            return;
    }
}

#endif
