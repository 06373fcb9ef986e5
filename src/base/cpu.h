// src/base/cpu.h -- register width of the processor, and choice of kernels by width.
//
// A `*.kernel.c` is compiled once per register width; each copy's public functions carry the width as a suffix
// (PL_KERNEL in simd.h). PL_PICK chooses among them at run time. All widths give the same bits.
#ifndef PL_BASE_CPU_H
#define PL_BASE_CPU_H

#include <stdint.h>

// The widest registers that both the processor and `cap` ("0", "16", "32", "64" or NULL) allow.
int32_t pl__cpu_register_bytes(const char *cap);

// Set the floating-point environment of the library: round to nearest, denormals flushed. Returns that of the host, for
// pl__fp_leave.
uint64_t pl__fp_enter(void);
void pl__fp_leave(uint64_t host);

#if defined(__x86_64__)
#define PL_KERNEL_DECLARE(result, name, arguments)                                                                     \
    result name##_0 arguments;                                                                                         \
    result name##_16 arguments;                                                                                        \
    result name##_32 arguments;                                                                                        \
    result name##_64 arguments
#if defined(PL_FEW_WIDTHS)
#define PL_PICK(register_bytes, name) ((register_bytes) == 64 ? name##_64 : name##_0)
#else
#define PL_PICK(register_bytes, name)                                                                                  \
    ((register_bytes) == 64   ? name##_64                                                                              \
     : (register_bytes) == 32 ? name##_32                                                                              \
     : (register_bytes) == 16 ? name##_16                                                                              \
                              : name##_0)
#endif
#else
#define PL_KERNEL_DECLARE(result, name, arguments)                                                                     \
    result name##_0 arguments;                                                                                         \
    result name##_16 arguments
#define PL_PICK(register_bytes, name) ((register_bytes) == 16 ? name##_16 : name##_0)
#endif

#endif
