// src/base/context.h -- internals of the context; its services for other code are in service.h.
#ifndef PL_BASE_CONTEXT_H
#define PL_BASE_CONTEXT_H

#include "service.h"

struct pl__pool;

struct pl_context
{
    pl_context_def def;
    struct pl__pool *pool; // NULL with one thread or with the host's own runner
    size_t bytes_in_use;
    int64_t allocation_count; // total, so that tests can verify that a step allocates nothing
    int32_t register_bytes;
    char error[512];
    void (*stepper_maker[4])(void);  // registered with world/stepper.h; NULL at the end
    char error_path[PL__ERROR_PATH]; // of the value that `error` is about; "": none
};

#endif
