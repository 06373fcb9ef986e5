// src/element/bend_force.kernel.c -- bending forces, one register of elements at a time.
//
// The angle at edge i, with N and N' twice the area vectors, a the vertex across and l the length of the edge, is
//
//     theta_i = atan2(-l N . (a - x_j), N . N'),
//
// angles relative to rest are wrapped into (-pi, pi], moments are M = K phi with phi_i = c_i theta_i + delta_i, and
// forces -sum_i c_i M_i grad theta_i (element/bend_w.h). K is stored with the shares c included.
//
// Angles of pi and -pi are the same shape and must have the same energy, which K with its couplings does not give:
// other edges and the director are on one side. So an edge that is folded by more than a right angle decouples from
// them: with t the angle from rest and hold = 1 up to pi/2, falling to 0 at pi as r (2 - r) with r = (pi -
// |t|)/(pi/2),
//
//     E = 1/2 u^T K u + 1/2 sum_i K_ii (1 - hold_i^2) t_i^2,   u_i = hold_i t_i + delta_i/c_i,
//
// which is definite, smooth except for the ridge of a hinge at pi, unchanged for hinges, and unchanged for the
// directors. (Without that, sheets that are folded flat and sway gained up to half of their energy whenever an edge
// passed through itself.)
//
// Gradients are unbounded as a triangle loses its area or the edge its length. Moments fade there: M_i is multiplied
// by
//
//     min(1, |N|^2/(0.2 N_rest)^2) min(1, |N'|^2/(0.2 N_rest)^2) min(1, l^2/(0.2 l_rest)^2),
//
// N_rest being the least area of the four triangles and l_rest the shortest edge. That cancels the denominators, so
// that forces are finite in every configuration, vanish for triangles that are lines or points, and still have no
// resultant force or torque. In that region they are not the gradient of the energy.
//
// Divisions are few: inverse lengths come from Newton iterations, inverse squared areas two by two from one quotient.
//
// Frequency bound: K <= diag(sum_j |K_ij|), and the moments contribute geometric stiffness by the second derivatives
// of theta, which are about as large as the squares of the first: w^2 <= sum_i (sum_j |K_ij| + 2 |M_i|) |grad
// theta_i|^2, over the least shares of mass. (With |M_i| folded triangles with a height of a tenth exceed it by a
// fifth.) The derivative of hold is covered by the moments of folded edges, which are large: the largest ratio found
// for such triangles is 0.58 of the bound.
#include "base/simd.h"
#include "base/wide_math.h"
#include "bend_w.h"

static const double right_angle = 0x1.921fb54442d18p+0;

typedef struct
{
    pl_bend_frame_w gradient;
    pl_real_w theta[3];
    pl_real_w area2,
        steepness[3]; // |N|^2; of edge i a bound on |grad theta|^2 and on second derivatives, over mass [1/(kg m^2)]
} shape_w;

// geometry of one edge before the areas are inverted
typedef struct
{
    pl_vec3_w across; // N'
    pl_real_w length, side, own_foot, area2, cosine;
} edge_w;

// 1/a and 1/b from one division
PL_INLINE void invert_pair(pl_real_w a, pl_real_w b, pl_real_w *inverse_a, pl_real_w *inverse_b)
{
    pl_real_w both = 1 / (a * b);
    *inverse_a = b * both;
    *inverse_b = a * both;
}

// e = x_k - x_j, d = x_i - x_j, da = a - x_j
PL_INLINE void measure_edge(const pl__bend_rest *rest, int lane, int i, pl_vec3_w e, pl_vec3_w d, pl_vec3_w da,
                            shape_w *s, edge_w *edge)
{
    pl_real_w l2 = pl_dot3_w(e, e), y = pl_rsqrt_w(pl_max_w(l2, pl_set_w(1e-280))), inverse2 = y * y;
    edge->across = pl_cross3_w(da, e);
    edge->length = l2 * y;
    edge->side = pl_min_w(l2 * pl_load_w(&rest->fade_length2[lane]), pl_set_w(1));
    edge->own_foot = pl_dot3_w(d, e) * inverse2;
    edge->area2 = pl_dot3_w(edge->across, edge->across);
    edge->cosine = pl_dot3_w(s->gradient.normal, edge->across);
    s->gradient.foot[i] = pl_dot3_w(da, e) * inverse2;
    s->theta[i] = pl_atan2_w(-(edge->length * pl_dot3_w(s->gradient.normal, da)), edge->cosine);
}

PL_INLINE void set_gradient(int i, const edge_w *edge, pl_real_w inverse, pl_real_w inverse_across, shape_w *s)
{
    pl_real_w faded = edge->length * edge->side * (inverse * inverse_across), own = faded * edge->area2,
              across = faded * s->area2;
    s->gradient.own[i][0] = own;
    s->gradient.own[i][1] = own * edge->own_foot;
    s->gradient.across[i] = pl_scale3_w(across, edge->across);
}

// |grad theta|^2 in inverse shares of mass; in the fading region the value at its border: there a force is a faded
// gradient times a moment that follows the true one, and the product is that.
PL_INLINE pl_real_w steepness(const pl__bend_rest *rest, int lane, const edge_w *edge, pl_real_w far, pl_real_w inverse,
                              pl_real_w inverse_across)
{
    pl_real_w near = edge->own_foot, near_rest = 1 - near, far_rest = 1 - far,
              l2 = edge->length * edge->length * edge->side;
    pl_real_w own = l2 * inverse, across = l2 * inverse_across, both = own * inverse_across * edge->cosine;
    pl_real_w corners = (1 + near * near + near_rest * near_rest) * own + (far * far + far_rest * far_rest) * across +
                        2 * (near * far + near_rest * far_rest) * both;
    return pl_load_w(&rest->gain[0][lane]) * corners + pl_load_w(&rest->gain[1][lane]) * across;
}

PL_INLINE void measure(const pl__force_job *job, const pl__bend_rest *rest, int lane, shape_w *s)
{
    pl_vec3_w x[6], e[3];
    edge_w edge[3];
    for (int k = 0; k < 6; ++k)
        pl_gather3_w(job->x, &rest->node[k][lane], x[k].x);
    for (int i = 0; i < 3; ++i)
        e[i] = pl_sub3_w(x[(i + 2) % 3], x[(i + 1) % 3]);
    s->gradient.normal = pl_cross3_w(e[2], pl_neg3_w(e[1]));
    for (int i = 0; i < 3; ++i)
        measure_edge(rest, lane, i, e[i], pl_neg3_w(e[(i + 2) % 3]), pl_sub3_w(x[3 + i], x[(i + 1) % 3]), s, &edge[i]);
    pl_real_w least = pl_load_w(&rest->fade_area2[lane]), floored[4], inverse[4];
    s->area2 = pl_dot3_w(s->gradient.normal, s->gradient.normal);
    floored[0] = pl_max_w(s->area2, least);
    for (int i = 0; i < 3; ++i)
        floored[1 + i] = pl_max_w(edge[i].area2, least);
    invert_pair(floored[0], floored[1], &inverse[0], &inverse[1]);
    invert_pair(floored[2], floored[3], &inverse[2], &inverse[3]);
    for (int i = 0; i < 3; ++i)
    {
        set_gradient(i, &edge[i], inverse[0], inverse[1 + i], s);
        s->steepness[i] = steepness(rest, lane, &edge[i], s->gradient.foot[i], inverse[0], inverse[1 + i]);
    }
}

PL_INLINE pl_real_w wrapped(pl_real_w angle)
{
    pl_real_w pi = pl_set_w(0x1.921fb54442d18p+1), turn = pl_set_w(0x1.921fb54442d18p+2), zero = pl_set_w(0);
    return angle - pl_select_w(pl_gt_w(angle, pi), turn, zero) + pl_select_w(pl_le_w(angle, -pi), turn, zero);
}

// Return mapping: the rest angle moves by the excess over the yield angle, which hardens meanwhile; creep as in
// material/plastic.h.
PL_INLINE void flow(pl__bend_rest *rest, int lane, int i, double dt, pl_real_w turn)
{
    pl_real_w zero = pl_set_w(0), hardening = pl_load_w(&rest->hardening[lane]), limit = pl_load_w(&rest->limit[lane]);
    pl_real_w angle = pl_load_w(&rest->angle[i][lane]), flowed = pl_load_w(&rest->flowed[i][lane]);
    pl_real_w excess = pl_abs_w(turn) - (pl_load_w(&rest->yield[i][lane]) + hardening * flowed);
    pl_mask_w flows = pl_gt_w(excess, zero);
    pl_real_w share = pl_exp_w(-pl_min_w(pl_load_w(&rest->creep[lane]) * dt, pl_set_w(700))), size = pl_abs_w(turn);
    pl_real_w most = pl_select_w(pl_gt_w(pl_load_w(&rest->creep[lane]), zero), size - share * size, size);
    pl_real_w moved = angle + pl_copysign_w(pl_min_w(excess / (1 + hardening), most), turn);
    moved = pl_max_w(pl_min_w(moved, pl_max_w(limit, angle)), pl_min_w(-limit, angle));
    pl_real_w step = pl_select_w(flows, moved - angle, zero);
    pl_store_w(&rest->angle[i][lane], angle + step);
    pl_store_w(&rest->flowed[i][lane], flowed + pl_abs_w(step));
}

PL_INLINE void add_to(double *sum, pl_real_w value) { pl_store_w(sum, pl_load_w(sum) + value); }

// Angles from rest, computed again after flow: a restarted body has the same bits.
PL_INLINE void find_turns(pl__bend_rest *rest, int lane, const shape_w *s, bool flows, double dt, pl_real_w turn[3])
{
    for (int i = 0; i < 3; ++i)
    {
        turn[i] = wrapped(s->theta[i] - pl_load_w(&rest->angle[i][lane]));
        if (!flows)
            continue;
        flow(rest, lane, i, dt, turn[i]);
        turn[i] = wrapped(s->theta[i] - pl_load_w(&rest->angle[i][lane]));
    }
}

// response to the angles
typedef struct
{
    pl_real_w angle[3], lean[3];   // t, delta/c
    pl_real_w inner[3], moment[3]; // K u, which the directors feel, and dE/dt
    pl_real_w energy;              // twice
} bent_w;

// A director deviation of delta is an additional angle of delta/c, for a stiffness with the shares included.
PL_INLINE void find_moments(const pl__bend_rest *rest, int lane, bent_w *b)
{
    pl_real_w u[3];
    for (int i = 0; i < 3; ++i)
    {
        b->lean[i] = pl_load_w(&rest->delta[i][lane]) * pl_load_w(&rest->inverse_share[i][lane]);
        u[i] = b->angle[i] + b->lean[i];
    }
    pl_bend_moments_w(rest, lane, u, b->inner);
    for (int i = 0; i < 3; ++i)
        b->moment[i] = b->inner[i];
    b->energy = b->inner[0] * u[0] + b->inner[1] * u[1] + b->inner[2] * u[2];
}

PL_INLINE bool some_folded(const bent_w *b)
{
    pl_real_w most = pl_max_w(pl_abs_w(b->angle[0]), pl_max_w(pl_abs_w(b->angle[1]), pl_abs_w(b->angle[2])));
    return pl_any_w(pl_gt_w(most, pl_set_w(right_angle)));
}

// The same for folded edges; lanes without such edges keep their bits. Rare, so it is a separate function.
static __attribute__((noinline)) void let_go(const pl__bend_rest *rest, int lane, bent_w *b)
{
    pl_real_w one = pl_set_w(1), hold[3], drop[3], u[3];
    for (int i = 0; i < 3; ++i)
    {
        pl_real_w left = pl_min_w((2 * right_angle - pl_abs_w(b->angle[i])) * (1 / right_angle), one);
        hold[i] = left * (2 - left);
        drop[i] = (2 / right_angle) * (1 - left); // -d hold/d|t|
        u[i] = hold[i] * b->angle[i] + b->lean[i];
    }
    pl_bend_moments_w(rest, lane, u, b->inner);
    b->energy = b->inner[0] * u[0] + b->inner[1] * u[1] + b->inner[2] * u[2];
    for (int i = 0; i < 3; ++i)
    {
        pl_real_w t = b->angle[i], size = pl_abs_w(t), K = pl_load_w(&rest->stiffness[i][lane]),
                  alone = 1 - hold[i] * hold[i];
        pl_real_w moment = b->inner[i] * (hold[i] - drop[i] * size) + K * (alone + hold[i] * drop[i] * size) * t;
        b->energy += K * alone * (t * t);
        b->moment[i] = pl_select_w(pl_gt_w(size, pl_set_w(right_angle)), moment, b->inner[i]);
    }
}

// Moments on the directors, for their relaxation.
PL_INLINE void keep_moments(const pl__bend_rest *rest, int lane, const bent_w *b, double *to)
{
    for (int i = 0; i < 3; ++i)
        pl_store_w(&to[i * PL_BLOCK + lane], b->inner[i] * pl_load_w(&rest->inverse_share[i][lane]));
}

PL_INLINE pl_real_w frequency_bound(const pl__bend_rest *rest, int lane, const shape_w *s, const pl_real_w moment[3])
{
    static const int others[3][2] = {{3, 4}, {3, 5}, {4, 5}};
    pl_real_w sum = pl_set_w(0);
    for (int i = 0; i < 3; ++i)
    {
        pl_real_w stiffness = pl_load_w(&rest->stiffness[i][lane]) +
                              pl_abs_w(pl_load_w(&rest->stiffness[others[i][0]][lane])) +
                              pl_abs_w(pl_load_w(&rest->stiffness[others[i][1]][lane]));
        sum += (stiffness + 2 * pl_abs_w(moment[i])) * s->steepness[i];
    }
    return sum;
}

PL_INLINE void bend(const pl__force_job *job, int32_t block, int lane, bool flows, pl__bend_forces *out,
                    pl__element_sums *sums)
{
    pl__bend_rest *rest = &job->group->bend[block];
    shape_w s;
    bent_w b;
    measure(job, rest, lane, &s);
    find_turns(rest, lane, &s, flows, job->flow_dt, b.angle);
    find_moments(rest, lane, &b);
    if (some_folded(&b))
        let_go(rest, lane, &b);
    if (job->keep_moments && job->group->moment[0])
        keep_moments(rest, lane, &b, &job->group->moment[0][3 * PL_BLOCK * block]);
    pl_real_w frequency2 = job->strength * frequency_bound(rest, lane, &s, b.moment);
    for (int i = 0; i < 3; ++i)
        b.moment[i] *= job->strength;
    pl_real_w size = pl_bend_spread_w(&s.gradient, b.moment, lane, out);
    add_to(&sums->broken[lane], pl_select_w(pl_lt_w(size, pl_set_w(1e300)), pl_set_w(0), pl_set_w(1)));
    if (job->want_energy)
        add_to(&sums->energy[lane], 0.5 * job->strength * b.energy);
    pl_store_w(&sums->frequency2[lane], pl_max_w(frequency2, pl_load_w(&sums->frequency2[lane])));
    if (job->frame)
        pl_store_bend_w((pl__bend_frame *)job->frame + block, lane, &s.gradient);
}

void PL_KERNEL(pl__bend_force)(const pl__force_job *job, int32_t begin, int32_t end, pl__element_sums *sums)
{
    bool flows = job->flow && job->group->flows;
    for (int32_t block = begin; block < end; ++block)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
            bend(job, block, lane, flows, (pl__bend_forces *)job->force + (block - begin), sums);
}
