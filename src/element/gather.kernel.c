// src/element/gather.kernel.c -- a chunk's own sums, sixteen slots at a time.
//
// Each slot adds its corners in the order of elements, as a plain loop would; sixteen of them side by side hide the latency
// of the additions. A slot that is shorter than its neighbours adds zeros, which changes no bit.
#include "base/simd.h"
#include "gather.h"

enum
{
    REGISTERS = PL_BLOCK / PL_LANES < 2 ? PL_BLOCK / PL_LANES : 2 // per pass
};

// The sums of REGISTERS registers of slots from `lane` on.
PL_INLINE void add_rows(const double *force, const uint16_t *corner, int32_t rows, int lane, double (*out)[3])
{
    pl_real_w sum[REGISTERS][3];
    for (int r = 0; r < REGISTERS; ++r)
        for (int k = 0; k < 3; ++k)
            sum[r][k] = pl_set_w(0);
    for (int32_t row = 0; row < rows; ++row)
        for (int r = 0; r < REGISTERS; ++r)
            for (int k = 0; k < 3; ++k)
                sum[r][k] += pl_lookup_w(force + k * PL_BLOCK, &corner[row * PL_BLOCK + lane + r * PL_LANES]);
    double lanes[3][REGISTERS * PL_LANES];
    for (int r = 0; r < REGISTERS; ++r)
        for (int k = 0; k < 3; ++k)
            pl_store_w(&lanes[k][r * PL_LANES], sum[r][k]);
    for (int i = 0; i < REGISTERS * PL_LANES; ++i)
        for (int k = 0; k < 3; ++k)
            out[lane + i][k] = lanes[k][i];
}

void PL_KERNEL(pl__gather_chunk)(const pl__gather *g, int32_t chunk, const pl__chunk_forces *forces)
{
    for (int32_t bundle = g->first_bundle[chunk]; bundle < g->first_bundle[chunk + 1]; ++bundle)
    {
        const uint16_t *corner = &g->corner[(size_t)g->first_row[bundle] * PL_BLOCK];
        int32_t rows = g->first_row[bundle + 1] - g->first_row[bundle];
        double(*out)[3] = (double(*)[3])(void *)&g->partial[3 * (size_t)bundle * PL_BLOCK];
        for (int lane = 0; lane < PL_BLOCK; lane += REGISTERS * PL_LANES)
            add_rows((const double *)(const void *)forces, corner, rows, lane, out);
    }
}
