// src/base/cpu.c -- register width and floating-point environment.
#include "cpu.h"

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

static int32_t widest(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw"))
        return 64;
    if (__builtin_cpu_supports("avx2"))
        return 32;
#endif
    return 16;
}

int32_t pl__cpu_register_bytes(const char *cap)
{
    int32_t width = widest();
    static const struct
    {
        const char *text;
        int32_t bytes;
    } levels[] = {{"0", 0}, {"16", 16}, {"32", 32}};
    for (size_t i = 0; cap && i < sizeof levels / sizeof levels[0]; ++i)
        if (strcmp(cap, levels[i].text) == 0 && levels[i].bytes < width)
            width = levels[i].bytes;
    return width;
}

// Denormals are up to 6 times slower when a body comes to rest, and their information is not needed.
#if defined(__x86_64__)
enum
{
    MXCSR_DEFAULT = 0x1f80,
    MXCSR_FLUSH = 0x8040 // flush results, treat inputs as zero
};
uint64_t pl__fp_enter(void)
{
    uint64_t host = _mm_getcsr();
    _mm_setcsr(MXCSR_DEFAULT | MXCSR_FLUSH);
    return host;
}
void pl__fp_leave(uint64_t host) { _mm_setcsr((unsigned)host); }
#elif defined(__aarch64__)
uint64_t pl__fp_enter(void)
{
    uint64_t host, ours = 1ull << 24;
    __asm__ volatile("mrs %0, fpcr" : "=r"(host));
    __asm__ volatile("msr fpcr, %0" ::"r"(ours));
    return host;
}
void pl__fp_leave(uint64_t host) { __asm__ volatile("msr fpcr, %0" ::"r"(host)); }
#else
uint64_t pl__fp_enter(void) { return 0; }
void pl__fp_leave(uint64_t host) { (void)host; }
#endif
