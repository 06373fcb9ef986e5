// tests/base.c -- context, pool, arena, hash, random numbers.
#include "test.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/select.h"
#include "base/task.h"

typedef struct
{
    double *value;
    int32_t *visits;
} sum_job;

static void visit(void *argument, int32_t begin, int32_t end)
{
    sum_job *job = argument;
    for (int32_t i = begin; i < end; ++i)
        job->visits[i]++;
}

static double partial_sum(void *argument, int32_t begin, int32_t end)
{
    sum_job *job = argument;
    double sum = 0;
    for (int32_t i = begin; i < end; ++i)
        sum += job->value[i];
    return sum;
}

// Every item is visited once and sums have the same bits for any thread count.
static void pool_is_complete_and_deterministic(void)
{
    enum
    {
        N = 10007
    };
    static double value[N], partial[N];
    static int32_t visits[N];
    double expected = 0;
    for (int i = 0; i < N; ++i)
        value[i] = pl__random01(1, 2, (uint64_t)i) - 0.3;
    for (int32_t threads = 1; threads <= 4; ++threads)
    {
        pl_context *ctx = test_context(threads);
        sum_job job = {value, visits};
        for (int round = 0; round < 500; ++round)
        {
            memset(visits, 0, sizeof visits);
            pl__parallel_for(ctx, N, 1 + round % 97 * 10, visit, &job);
            int wrong = 0;
            for (int i = 0; i < N; ++i)
                wrong += visits[i] != 1;
            CHECK(wrong == 0);
        }
        double sum = pl__parallel_sum(ctx, N, 64, partial_sum, &job, partial);
        if (threads == 1)
            expected = sum;
        CHECK(sum == expected);
        pl_context_destroy(&ctx);
    }
}

// A host's own way to run tasks: from the last to the first.
static void run_backwards(void *user, int32_t count, void (*task)(void *argument, int32_t i), void *argument)
{
    (void)user;
    while (count-- > 0)
        task(argument, count);
}

// The same, and the first chunks take longest.
static double slow_at_first(void *argument, int32_t begin, int32_t end)
{
    volatile double wait = 0;
    for (int i = 0; i < 20000 - 50 * begin; ++i)
        wait = wait + 1;
    return partial_sum(argument, begin, end);
}

// Partial sums are added in the order of chunks, whatever ends first: of numbers up to 1e16, of which the first are
// lost if they come last, any other order has other bits.
static void sums_are_added_in_the_order_of_chunks(void)
{
    enum
    {
        N = 400,
        CHUNK = 8
    };
    static const int32_t threads[] = {1, 2, 7, 0};
    double value[N], partial[N], forwards = 0, backwards = 0;
    sum_job job = {.value = value};
    for (int i = 0; i < N; ++i)
        value[i] = (pl__random01(1, 3, (uint64_t)i) - 0.5) * pow(10, 16.0 * i / N);
    for (int32_t i = 0; i < N; i += CHUNK)
    {
        forwards += partial_sum(&job, i, i + CHUNK);
        backwards += partial_sum(&job, N - CHUNK - i, N - i);
    }
    CHECK(forwards != backwards);
    for (int k = 0; k < 4; ++k)
    {
        pl_context_def def = pl_context_def_default();
        pl_context *ctx;
        def.thread_count = threads[k];
        if (threads[k] == 0)
            def.task_runner = (pl_task_runner){run_backwards, NULL};
        CHECK(pl_context_create(&def, &ctx) == PL_OK);
        for (int round = 0; round < 20; ++round)
            CHECK(pl__parallel_sum(ctx, N, CHUNK, slow_at_first, &job, partial) == forwards);
        pl_context_destroy(&ctx);
    }
}

// The second round of the same requests allocates nothing; releases nest.
static void arena_settles(void)
{
    pl_context *ctx = test_context(1);
    pl__arena arena;
    pl__arena_init(&arena, ctx);
    int64_t before = 0;
    for (int round = 0; round < 3; ++round)
    {
        pl__arena_mark outer = pl__arena_set_mark(&arena);
        char *a = PL_TAKE(&arena, 100, char);
        pl__arena_mark inner = pl__arena_set_mark(&arena);
        double *b = PL_TAKE(&arena, 1000, double);
        CHECK(a && b && (uintptr_t)a % 64 == 0 && (uintptr_t)b % 64 == 0);
        memset(a, 1, 100);
        memset(b, 2, 8000);
        pl__arena_release(&arena, inner);
        CHECK(a[99] == 1);
        pl__arena_release(&arena, outer);
        if (round > 0)
            CHECK(ctx->allocation_count == before);
        before = ctx->allocation_count;
    }
    CHECK(pl__arena_take(&arena, SIZE_MAX / 2, 16) == NULL);
    pl__arena_done(&arena);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

// Keys that differ in one place give unrelated numbers; the mean of many is 1/2 within 5 standard errors.
static void random_numbers_belong_to_their_key(void)
{
    CHECK(pl__random64(1, 2, 3) == pl__random64(1, 2, 3));
    CHECK(pl__random64(1, 2, 3) != pl__random64(1, 3, 2));
    CHECK(pl__random64(2, 1, 3) != pl__random64(1, 2, 3));
    double sum = 0;
    for (uint64_t i = 0; i < 1000000; ++i)
        sum += pl__random01(7, i % 1000, i / 1000);
    CHECK_NEAR(sum / 1e6, 0.5, 5 * 0.288675 / 1e3);
}

// Any flipped bit and any change of length changes the hash.
static void hash_sees_every_bit(void)
{
    unsigned char data[37] = {0};
    uint64_t h = pl__hash(0, data, sizeof data);
    for (size_t i = 0; i < sizeof data; ++i)
        for (int bit = 0; bit < 8; ++bit)
        {
            data[i] ^= (unsigned char)(1 << bit);
            CHECK(pl__hash(0, data, sizeof data) != h);
            data[i] ^= (unsigned char)(1 << bit);
        }
    CHECK(pl__hash(0, data, 36) != h && pl__hash(1, data, 37) != h);
}

static bool is_less(const void *user, int32_t a, int32_t b)
{
    const int32_t *value = user;
    return value[a] != value[b] ? value[a] < value[b] : a < b;
}

// What is selected splits the others as sorting would, ties included, and touches nothing outside of its range.
static void selection_splits_as_sorting_would(void)
{
    enum
    {
        MOST = 40
    };
    for (uint64_t trial = 0; trial < 2000; ++trial)
    {
        int32_t value[MOST], order[MOST], count = 1 + (int32_t)(pl__random64(3, trial, 0) % MOST),
                                          kinds = 1 + (int32_t)(pl__random64(3, trial, 1) % 50);
        for (int32_t i = 0; i < MOST; ++i)
            order[i] = i, value[i] = (int32_t)(pl__random64(4, trial, (uint64_t)i) % (uint64_t)kinds);
        int32_t begin = (MOST - count) / 2, end = begin + count,
                nth = begin + (int32_t)(pl__random64(3, trial, 2) % (uint64_t)count);
        pl__select_nth(order, begin, end, nth, is_less, value);
        uint64_t seen = 0;
        for (int32_t i = 0; i < MOST; ++i)
        {
            seen |= UINT64_C(1) << order[i];
            CHECK((i >= begin && i < end) || order[i] == i);
            CHECK(i < begin || i >= nth || is_less(value, order[i], order[nth]));
            CHECK(i <= nth || i >= end || is_less(value, order[nth], order[i]));
        }
        CHECK(seen == (UINT64_C(1) << MOST) - 1);
    }
}

static void bad_contexts_are_refused(void)
{
    pl_context *ctx;
    pl_context_def def = {0};
    CHECK(pl_context_create(&def, &ctx) == PL_ERR_ARGUMENT && ctx == NULL);
    def = pl_context_def_default();
    def.thread_count = 1000;
    CHECK(pl_context_create(&def, &ctx) == PL_ERR_ARGUMENT && ctx == NULL);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(pool_is_complete_and_deterministic),
        TEST(sums_are_added_in_the_order_of_chunks),
        TEST(arena_settles),
        TEST(random_numbers_belong_to_their_key),
        TEST(hash_sees_every_bit),
        TEST(selection_splits_as_sorting_would),
        TEST(bad_contexts_are_refused),
    };
    return RUN(tests);
}
