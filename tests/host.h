// tests/host.h -- a host program whose context remembers its log and runs out of memory on demand.
#ifndef PL_TEST_HOST_H
#define PL_TEST_HOST_H

#include "test.h"

typedef struct
{
    int64_t until_failure; // allocations that succeed; negative: all
    int note_count;
    char note[512];
} host;

static void *host_allocate(void *user, size_t size, size_t alignment)
{
    host *h = user;
    if (h->until_failure == 0)
        return NULL;
    if (h->until_failure > 0)
        h->until_failure--;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void host_release(void *user, void *pointer, size_t size)
{
    (void)user;
    (void)size;
    free(pointer);
}

static void host_log(void *user, pl_log_level level, const char *sentence)
{
    host *h = user;
    (void)level;
    h->note_count++;
    snprintf(h->note, sizeof h->note, "%s", sentence);
}

__attribute__((unused)) static pl_context *host_context(host *h)
{
    *h = (host){.until_failure = -1};
    pl_context_def def = pl_context_def_default();
    def.allocator = (pl_allocator){host_allocate, host_release, h};
    def.log = host_log;
    def.log_user = h;
    def.thread_count = 1;
    pl_context *ctx;
    if (pl_context_create(&def, &ctx) != PL_OK)
        abort();
    return ctx;
}

// Let the n-th allocation of `attempt` fail, for every n until nothing fails: each time it must return PL_ERR_MEMORY
// and leave nothing behind. Returns how many allocations were needed.
__attribute__((unused)) static int64_t survive_every_failure(pl_status (*attempt)(pl_context *ctx))
{
    host h;
    pl_context *ctx = host_context(&h);
    pl_status status = PL_ERR_MEMORY;
    int64_t n = 0;
    for (; status == PL_ERR_MEMORY && n < 10000; ++n)
    {
        h.until_failure = n;
        status = attempt(ctx);
        CHECK_THAT(pl_context_memory(ctx) == 0, "%zu bytes leaked when allocation %lld failed", pl_context_memory(ctx),
                   (long long)n);
    }
    CHECK_THAT(status == PL_OK, "%s: %s", pl_status_name(status), pl_context_error(ctx));
    h.until_failure = -1;
    pl_context_destroy(&ctx);
    return n - 1;
}

#endif
