// src/base/task_pool.c -- a small pool: bounded spinning, then sleep.
//
// One job at a time. The owner publishes a job by raising `ticket`; workers and the owner take chunk numbers from
// a shared counter until none are left. A worker that sees no new ticket spins for a few microseconds (steps come in
// quick succession) and then sleeps on a condition variable, so that an idle context costs nothing and a busy machine
// is not made busier (libgomp's endless spinning was 10x slower there).
//
// Invariants. (1) An even ticket names a published job, an odd one says that `current` is being rewritten. (2) The owner
// makes the ticket odd before it waits for readers to leave, and a reader enters before it checks the ticket; so one
// of the two always sees the other, and `current` never changes under a reader. (3) The cursor carries the ticket in
// its high half, so a worker that woke late can never take a chunk of a job that it has not read.
#include "task.h"

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

struct pl__pool
{
    _Alignas(64) _Atomic uint64_t cursor;   // ticket << 32 | next chunk
    _Alignas(64) _Atomic int32_t remaining; // chunks not finished yet
    _Alignas(64) _Atomic uint32_t ticket;   // even: number of the current job; odd: being rewritten
    _Atomic uint32_t readers;               // workers that are looking at `current`
    _Atomic int32_t sleeper_count;
    _Atomic int32_t stopping;
    job current;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    int32_t worker_count;
    pthread_t worker[];
};

static size_t pool_bytes(int32_t workers) { return sizeof(struct pl__pool) + (size_t)workers * sizeof(pthread_t); }

static void back_off(int spins)
{
    if (spins < SPINS)
        RELAX();
    else
        sched_yield();
}

static void take_chunks(struct pl__pool *pool, const job *work, uint32_t ticket)
{
    uint64_t cursor = atomic_load_explicit(&pool->cursor, memory_order_relaxed);
    for (;;)
    {
        if ((uint32_t)(cursor >> 32) != ticket || (int32_t)(uint32_t)cursor >= work->count)
            return;
        if (!atomic_compare_exchange_weak_explicit(&pool->cursor, &cursor, cursor + 1, memory_order_acq_rel,
                                                   memory_order_relaxed))
            continue;
        work->task(work->argument, (int32_t)(uint32_t)cursor);
        atomic_fetch_sub_explicit(&pool->remaining, 1, memory_order_acq_rel);
        cursor = atomic_load_explicit(&pool->cursor, memory_order_relaxed);
    }
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
            take_chunks(pool, &work, seen);
        }
        atomic_fetch_sub(&pool->readers, 1);
    }
}

void pl__pool_run(struct pl__pool *pool, int32_t count, void (*task)(void *argument, int32_t i), void *argument)
{
    // late workers of the previous job leave first
    uint32_t ticket = atomic_load_explicit(&pool->ticket, memory_order_relaxed) + 2;
    atomic_store(&pool->ticket, ticket - 1);
    for (int spins = 0; atomic_load(&pool->readers); ++spins)
        back_off(spins);
    pool->current = (job){task, argument, count};
    atomic_store_explicit(&pool->remaining, count, memory_order_relaxed);
    atomic_store_explicit(&pool->cursor, (uint64_t)ticket << 32, memory_order_release);
    atomic_store(&pool->ticket, ticket);
    if (atomic_load(&pool->sleeper_count))
    {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->mutex);
    }
    job work = {task, argument, count};
    take_chunks(pool, &work, ticket);
    for (int spins = 0; atomic_load_explicit(&pool->remaining, memory_order_acquire) > 0; ++spins)
        back_off(spins);
}

bool pl__pool_create(pl_context *ctx, struct pl__pool **out)
{
    int32_t wanted = ctx->def.thread_count - 1;
    struct pl__pool *pool = pl__calloc(ctx, 1, pool_bytes(wanted));
    if (!pool)
        return false;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    // a machine that gives fewer threads than asked for still gives the same results
    while (pool->worker_count < wanted &&
           pthread_create(&pool->worker[pool->worker_count], NULL, work_loop, pool) == 0)
        pool->worker_count++;
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
    for (int32_t i = 0; i < pool->worker_count; ++i)
        pthread_join(pool->worker[i], NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    pl__free(ctx, pool, pool_bytes(ctx->def.thread_count - 1));
    *pointer = NULL;
}

int32_t pl__task_processor_count(int32_t at_most)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > at_most ? at_most : (int32_t)count;
}
