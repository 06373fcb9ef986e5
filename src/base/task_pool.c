// src/base/task_pool.c -- a small pool: bounded spinning, then sleep.
//
// One job at a time. The owner publishes a job by incrementing `ticket`. Chunks are assigned in contiguous shares, one
// per thread: a thread reads memory in order, and the same part in every job of the same size, which may still be in
// its cache. A thread that has finished its share helps with the others. A worker that sees no new ticket spins for a
// few microseconds (steps come in quick succession) and then sleeps on a condition variable, so that an idle context
// costs nothing and a busy machine is not made busier (libgomp's endless spinning was 10x slower there).
//
// Invariants. (1) An even ticket names a published job, an odd one says that `current` is being rewritten. (2) The
// owner makes the ticket odd before it waits for readers to leave, and a reader enters before it checks the ticket; so
// one of the two always sees the other, and `current` never changes under a reader. (3) The cursor carries the ticket
// in its high half, so a worker that woke late can never take a chunk of a job that it has not read.
#define _GNU_SOURCE // sched_getaffinity
#include "task.h"
#include "context.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#define RELAX() _mm_pause()
#else
#define RELAX() ((void)0)
#endif

enum
{
    SPINS = 4000 // about 40-100 us before sleeping
};

typedef struct
{
    void (*task)(void *argument, int32_t i);
    void *argument;
    int32_t count;
} job;

typedef struct
{
    _Alignas(64) _Atomic uint64_t cursor; // ticket << 32 | next chunk
} share;

struct pl__pool
{
    _Alignas(64) _Atomic int32_t remaining; // chunks not finished yet
    _Alignas(64) _Atomic uint32_t ticket;   // even: number of the current job; odd: being rewritten
    _Atomic uint32_t readers;               // workers that read `current`
    _Atomic int32_t sleeper_count;
    _Atomic int32_t stopping;
    job current;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    int32_t thread_count; // including the owner, number 0
    int32_t started;      // workers
    pthread_t *worker;    // [thread_count]; [0] is unused
    _Atomic int32_t next_number;
    share share[]; // [thread_count]
};

static size_t pool_bytes(int32_t threads) { return sizeof(struct pl__pool) + (size_t)threads * sizeof(share); }

// First chunk of a thread's share.
static int32_t share_begin(int32_t count, int32_t thread, int32_t threads)
{
    return (int32_t)((int64_t)count * thread / threads);
}

static void back_off(int spins)
{
    if (spins < SPINS)
        RELAX();
    else
        sched_yield();
}

// Process the rest of one share.
static void take_share(struct pl__pool *pool, const job *work, uint32_t ticket, int32_t thread)
{
    _Atomic uint64_t *shared = &pool->share[thread].cursor;
    int32_t end = share_begin(work->count, thread + 1, pool->thread_count);
    uint64_t cursor = atomic_load_explicit(shared, memory_order_relaxed);
    for (;;)
    {
        if ((uint32_t)(cursor >> 32) != ticket || (int32_t)(uint32_t)cursor >= end)
            return;
        if (!atomic_compare_exchange_weak_explicit(shared, &cursor, cursor + 1, memory_order_acq_rel,
                                                   memory_order_relaxed))
            continue;
        work->task(work->argument, (int32_t)(uint32_t)cursor);
        atomic_fetch_sub_explicit(&pool->remaining, 1, memory_order_acq_rel);
        cursor = atomic_load_explicit(shared, memory_order_relaxed);
    }
}

static void take_chunks(struct pl__pool *pool, const job *work, uint32_t ticket, int32_t me)
{
    for (int32_t k = 0; k < pool->thread_count; ++k)
        take_share(pool, work, ticket, (me + k) % pool->thread_count);
}

static bool nothing_new(struct pl__pool *pool, uint32_t seen)
{
    uint32_t now = atomic_load(&pool->ticket);
    return (now == seen || now % 2) && !atomic_load(&pool->stopping);
}

// Wait until a job other than `seen` is published or the pool stops.
static uint32_t await_ticket(struct pl__pool *pool, uint32_t seen)
{
    for (int i = 0; i < SPINS; ++i)
    {
        if (!nothing_new(pool, seen))
            return atomic_load(&pool->ticket);
        RELAX();
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleeper_count, 1);
    while (nothing_new(pool, seen))
        pthread_cond_wait(&pool->wake, &pool->mutex);
    atomic_fetch_sub(&pool->sleeper_count, 1);
    uint32_t now = atomic_load(&pool->ticket);
    pthread_mutex_unlock(&pool->mutex);
    return now;
}

static void *work_loop(void *argument)
{
    struct pl__pool *pool = argument;
    int32_t me = atomic_fetch_add(&pool->next_number, 1);
    uint32_t seen = 0;
    for (;;)
    {
        seen = await_ticket(pool, seen);
        if (atomic_load_explicit(&pool->stopping, memory_order_acquire))
            return NULL;
        atomic_fetch_add(&pool->readers, 1);
        if (atomic_load(&pool->ticket) == seen && seen % 2 == 0)
        {
            job work = pool->current;
            take_chunks(pool, &work, seen, me);
        }
        atomic_fetch_sub(&pool->readers, 1);
    }
}

void pl__pool_run(struct pl__pool *pool, int32_t count, void (*task)(void *argument, int32_t i), void *argument)
{
    // wait for late workers of the previous job
    uint32_t ticket = atomic_load_explicit(&pool->ticket, memory_order_relaxed) + 2;
    atomic_store(&pool->ticket, ticket - 1);
    for (int spins = 0; atomic_load(&pool->readers); ++spins)
        back_off(spins);
    pool->current = (job){task, argument, count};
    atomic_store_explicit(&pool->remaining, count, memory_order_relaxed);
    for (int32_t t = 0; t < pool->thread_count; ++t)
        atomic_store_explicit(&pool->share[t].cursor,
                              (uint64_t)ticket << 32 | (uint32_t)share_begin(count, t, pool->thread_count),
                              memory_order_release);
    atomic_store(&pool->ticket, ticket);
    if (atomic_load(&pool->sleeper_count))
    {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->mutex);
    }
    job work = {task, argument, count};
    take_chunks(pool, &work, ticket, 0);
    for (int spins = 0; atomic_load_explicit(&pool->remaining, memory_order_acquire) > 0; ++spins)
        back_off(spins);
}

bool pl__pool_create(pl_context *ctx, struct pl__pool **out)
{
    int32_t threads = ctx->def.thread_count;
    struct pl__pool *pool = pl__calloc(ctx, 1, pool_bytes(threads));
    pthread_t *worker = pool ? PL_NEW(ctx, threads, pthread_t) : NULL;
    if (!worker)
    {
        pl__free(ctx, pool, pool_bytes(threads));
        return false;
    }
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pool->worker = worker;
    pool->thread_count = threads;
    atomic_store(&pool->next_number, 1);
    // if fewer threads can be created than requested, results are the same: the existing ones process all shares
    while (pool->started + 1 < threads && pthread_create(&worker[pool->started + 1], NULL, work_loop, pool) == 0)
        pool->started++;
    *out = pool;
    return true;
}

void pl__pool_destroy(pl_context *ctx, struct pl__pool **pointer)
{
    struct pl__pool *pool = *pointer;
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->stopping, 1);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (int32_t i = 1; i <= pool->started; ++i)
        pthread_join(pool->worker[i], NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    PL_DELETE(ctx, pool->worker, pool->thread_count);
    pl__free(ctx, pool, pool_bytes(pool->thread_count));
    *pointer = NULL;
}

int32_t pl__task_processor_count(int32_t at_most)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
    // a container or a batch system may allow fewer
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        count = CPU_COUNT(&allowed);
#endif
    return count < 1 ? 1 : count > at_most ? at_most : (int32_t)count;
}
