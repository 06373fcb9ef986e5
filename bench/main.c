// bench/main.c -- the benchmarks as a program of their own.
#include "bench.h"

int main(int argc, char **argv) { return bench_main(argc, argv); }
