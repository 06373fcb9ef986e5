// tests/fuzz/fuzz_message.c -- libFuzzer on what pages say to the live view.
#include "app/view/message.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static pl_context *context(void)
{
    static pl_context *ctx;
    pl_context_def def = pl_context_def_default();
    def.thread_count = 1;
    if (!ctx && pl_context_create(&def, &ctx) != PL_OK)
        abort();
    return ctx;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    message m;
    if (message_parse(context(), data, size, &m) == PL_OK &&
        !(isfinite(m.value) && m.hand >= 0 && m.hand < MESSAGE_HANDS))
        abort();
    if (pl_context_memory(context()) != 0)
        abort();
    return 0;
}
