// test/gather.c -- sums at the nodes, in two stages, are the sums of the elements.
#include "fixture.h"
#include "element/tet.h"
#include "base/random.h"

// A bent box of many chunks, the last of them incomplete: forces at the nodes against elements added one by one.
static void forces_at_nodes_are_sums_of_elements(void)
{
    fixture_def def = fixture_default();
    def.shape.edge = 0.08;
    fixture f = fixture_make(&def);
    pl__solids *s = &f.world->solids;
    for (int32_t k = 0; k < 3 * s->node_count; ++k)
        s->state.x[k] += 0.01 * (pl__random01(1, 0, (uint64_t)k) - 0.5);
    pl__solids_evaluate(s, s->state.x, PL__EVALUATE_PRESENT);
    const pl__element_group *g = &f.world->bodies.body[0]->group[0];
    CHECK(g->count > 4 * pl__gather_blocks(PL__TET) * PL_ELEMENT_LANES);
    CHECK(g->count % (pl__gather_blocks(PL__TET) * PL_ELEMENT_LANES) != 0);
    double *sum = calloc(3 * (size_t)s->node_count, sizeof *sum),
           *size = calloc(3 * (size_t)s->node_count, sizeof *size);
    for (int32_t t = 0; t < g->count; ++t)
    {
        double force[4][3];
        pl__tet_force_reference(g, t, s->state.x, 1, force, NULL, NULL);
        for (int k = 0; k < 12; ++k)
        {
            size_t at = 3 * (size_t)g->tet[t / PL_ELEMENT_LANES].node[k / 3][t % PL_ELEMENT_LANES] + (size_t)(k % 3);
            sum[at] += force[k / 3][k % 3];
            size[at] += fabs(force[k / 3][k % 3]);
        }
    }
    // the oracle's elements differ from the kernel's by their own rounding, some hundred eps of the largest of them
    double largest = 0;
    for (int32_t k = 0; k < 3 * s->node_count; ++k)
        largest = fmax(largest, size[k]);
    for (int32_t k = 0; k < 3 * s->node_count; ++k)
        CHECK_NEAR(s->evaluation.force[k], sum[k], 1e-12 * largest);
    free(sum);
    free(size);
    fixture_done(&f);
}

// Every corner belongs to one slot, every slot to one node, in increasing order.
static void slots_cover_every_corner_once(void)
{
    fixture_def def = fixture_default();
    fixture f = fixture_make(&def);
    const pl__gather *g = &f.world->solids.gather;
    CHECK(g->corner_count == 4 * f.world->bodies.body[0]->group[0].count);
    CHECK(g->first[g->slot_count] == g->corner_count && g->start[g->node_count] == g->slot_count);
    for (int32_t c = 0; c < g->chunk_count; ++c)
        for (int32_t s = g->first_slot[c]; s < g->first_slot[c + 1]; ++s)
            for (int32_t i = g->first[s] + 1; i < g->first[s + 1]; ++i)
            {
                // element order: by block, then by lane; a node is at one corner of an element only
                int32_t a = g->corner[i - 1], b = g->corner[i];
                CHECK(16 * (a / 192) + a % 16 < 16 * (b / 192) + b % 16);
            }
    for (int32_t n = 0; n < g->node_count; ++n)
        for (int32_t i = g->start[n] + 1; i < g->start[n + 1]; ++i)
            CHECK(g->slot[i - 1] < g->slot[i]);
    fixture_done(&f);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(forces_at_nodes_are_sums_of_elements), TEST(slots_cover_every_corner_once)};
    return RUN(tests);
}
