// src/element/state.c -- what the elements of a mesh feel, whatever their kind, for output.
#include "state.h"
#include "hex_state.h"
#include "triangle.h"

void pl__element_block_state(const pl__element_group *group, int32_t block, const double *x, double strength, int32_t register_bytes,
                             pl__element_state state[PL_ELEMENT_LANES])
{
    switch (group->kind)
    {
    case PL__TET: pl__tet_block_state(group, block, x, strength, register_bytes, state); return;
    case PL__HEX: pl__hex_block_state(group, block, x, strength, register_bytes, state); return;
    case PL__TRIANGLE: pl__triangle_block_state(group, block, x, strength, register_bytes, state); return;
    default: return;
    }
}
