// tests/relay.c -- letters and parcels between threads: nothing is lost or changes its order, and nobody waits for the
// slow.
#include "test.h"
#include "app/view/relay.h"

#include <pthread.h>
#include <time.h>

static void nap(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&t, NULL);
}

// A page: what it was sent, and how it behaves.
typedef struct
{
    relay *r;
    int32_t number;
    int received, out_of_order;
    bool stuck; // its connection takes nothing
    bool gone;  // its connection is no more
    pthread_t thread;
} guest;

enum
{
    GUESTS = 5,
    LETTERS = 2000,
    PARCELS = 40
};

static bool deliver(void *connection, bool text, const void *bytes, size_t size)
{
    guest *g = connection;
    int32_t number;
    (void)text;
    if (__atomic_load_n(&g->gone, __ATOMIC_SEQ_CST))
        return false;
    while (__atomic_load_n(&g->stuck, __ATOMIC_SEQ_CST))
        nap(0.001);
    memcpy(&number, bytes, sizeof number);
    g->out_of_order += size != sizeof number || number != g->received;
    __atomic_add_fetch(&g->received, 1, __ATOMIC_SEQ_CST);
    return true;
}

static void *write_letters(void *argument)
{
    guest *g = argument;
    g->number = relay_join(g->r, g);
    for (int32_t i = 0; i < LETTERS; ++i)
        if (!relay_put(g->r, g->number, LETTER_TEXT, &i, sizeof i))
            return NULL;
    return NULL;
}

static void post_number(relay *r, int32_t page, int32_t number)
{
    parcel *p = parcel_make(false, &number, sizeof number);
    relay_post(r, page, p);
    parcel_drop(r, p);
}

static bool wait_until(const int *count, int wanted)
{
    for (int k = 0; k < 5000 && __atomic_load_n(count, __ATOMIC_SEQ_CST) < wanted; ++k)
        nap(0.001);
    return __atomic_load_n(count, __ATOMIC_SEQ_CST) == wanted;
}

// Letters of many pages at once: each page's in order, all of them, between its coming and its going.
static void letters_arrive_in_order(void)
{
    relay *r = relay_create(deliver);
    guest g[GUESTS] = {0};
    int next[RELAY_PAGES], joined = 0, left = 0, texts = 0, wrong = 0;
    for (int i = 0; i < RELAY_PAGES; ++i)
        next[i] = -1;
    for (int i = 0; i < GUESTS; ++i)
    {
        g[i].r = r;
        pthread_create(&g[i].thread, NULL, write_letters, &g[i]);
    }
    while (texts < GUESTS * LETTERS)
    {
        letter *l = relay_take(r, 1);
        CHECK(l != NULL);
        if (!l)
            break;
        int32_t number;
        if (l->kind == LETTER_JOIN)
        {
            joined++;
            next[l->page] = 0;
        }
        else
        {
            memcpy(&number, l->bytes, sizeof number);
            wrong += number != next[l->page]++;
            texts++;
        }
        free(l);
    }
    for (int i = 0; i < GUESTS; ++i)
    {
        pthread_join(g[i].thread, NULL);
        relay_leave(r, g[i].number);
    }
    for (letter *l; (l = relay_take(r, 0)); free(l))
        left += l->kind == LETTER_LEAVE;
    CHECK_THAT(joined == GUESTS && left == GUESTS && wrong == 0, "%d came, %d left, %d letters were out of order",
               joined, left, wrong);
    relay_close(r);
    relay_destroy(&r);
}

static void parcels_arrive_in_order(void)
{
    relay *r = relay_create(deliver);
    guest g[3] = {0};
    for (int i = 0; i < 3; ++i)
        g[i].number = relay_join(r, &g[i]);
    for (int32_t k = 0; k < PARCELS; ++k)
    {
        parcel *p = parcel_make(k % 2, &k, sizeof k);
        for (int i = 0; i < 3; ++i)
            relay_post(r, g[i].number, p);
        parcel_drop(r, p);
    }
    for (int i = 0; i < 3; ++i)
    {
        CHECK(wait_until(&g[i].received, PARCELS) && g[i].out_of_order == 0);
        relay_leave(r, g[i].number);
    }
    relay_close(r);
    relay_destroy(&r);
}

// One that takes nothing loses its connection; the others get all, and whoever posts is never kept.
static void a_stuck_page_keeps_nobody_waiting(void)
{
    relay *r = relay_create(deliver);
    guest slow = {.stuck = true}, quick = {0};
    slow.number = relay_join(r, &slow);
    quick.number = relay_join(r, &quick);
    for (int32_t k = 0; k < 500; ++k)
    {
        post_number(r, slow.number, k);
        post_number(r, quick.number, k);
        CHECK(wait_until(&quick.received, k + 1));
    }
    CHECK(quick.out_of_order == 0);
    CHECK(relay_put(r, quick.number, LETTER_TEXT, "x", 1) && !relay_put(r, slow.number, LETTER_TEXT, "x", 1));
    __atomic_store_n(&slow.stuck, false, __ATOMIC_SEQ_CST);
    relay_leave(r, slow.number);
    relay_leave(r, quick.number);
    relay_close(r);
    relay_destroy(&r);
}

static void a_broken_connection_is_noticed(void)
{
    relay *r = relay_create(deliver);
    guest g = {.gone = true};
    g.number = relay_join(r, &g);
    post_number(r, g.number, 0);
    for (int k = 0; k < 5000 && relay_put(r, g.number, LETTER_ODD, "x", 1); ++k)
    {
        free(relay_take(r, 0));
        nap(0.001);
    }
    CHECK(!relay_put(r, g.number, LETTER_ODD, "x", 1) && g.received == 0);
    relay_leave(r, g.number);
    relay_close(r);
    relay_destroy(&r);
}

// A page that has written too much waits for the engine, until it is read or everything ends.
static void whoever_waits_is_let_go_at_the_end(void)
{
    relay *r = relay_create(deliver);
    guest g = {.r = r};
    pthread_create(&g.thread, NULL, write_letters, &g);
    nap(0.05);
    int count = 0;
    for (letter *l; count < 10 && (l = relay_take(r, 1)); free(l))
        count++;
    relay_close(r);
    pthread_join(g.thread, NULL);
    relay_leave(r, g.number);
    for (letter *l; (l = relay_take(r, 0)); free(l))
        count++;
    CHECK_THAT(count >= 10 && count < 200, "%d letters", count);
    relay_destroy(&r);
}

static void there_is_room_for_so_many_pages_and_for_new_ones(void)
{
    relay *r = relay_create(deliver);
    guest g[RELAY_PAGES + 1] = {0};
    for (int round = 0; round < 3; ++round)
    {
        for (int i = 0; i < RELAY_PAGES; ++i)
            CHECK((g[i].number = relay_join(r, &g[i])) == i);
        CHECK(relay_join(r, &g[RELAY_PAGES]) == -1);
        for (int i = 0; i < RELAY_PAGES; ++i)
            relay_leave(r, g[i].number);
    }
    relay_close(r);
    relay_destroy(&r);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(letters_arrive_in_order),
        TEST(parcels_arrive_in_order),
        TEST(a_stuck_page_keeps_nobody_waiting),
        TEST(a_broken_connection_is_noticed),
        TEST(whoever_waits_is_let_go_at_the_end),
        TEST(there_is_room_for_so_many_pages_and_for_new_ones),
    };
    return RUN(tests);
}
