#!/usr/bin/python3
# tests/reference/materials.py > tests/material_reference.inl -- energies and first Piola stresses of every law, independently.
#
# From the definitions in 80-digit decimal arithmetic: stretches by Jacobi rotations of F^T F, energies as docs/materials.md has them
# (in invariants where the papers do), P = dpsi/dF by differences in every entry of F. Nothing is differentiated by hand. The
# entries of F are sixteenths, so that the library sees the same numbers. Digits beyond 1e-25 are lost to the differences.
from decimal import Decimal as D, getcontext

getcontext().prec = 80
ONE, STEP = D(1), D(10) ** -20


def multiply(A, B):
    return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def transpose(A):
    return [list(row) for row in zip(*A)]


def determinant(A):
    return sum(A[0][i] * (A[1][(i + 1) % 3] * A[2][(i + 2) % 3] - A[1][(i + 2) % 3] * A[2][(i + 1) % 3]) for i in range(3))


def eigenvalues(A):
    """Of a symmetric matrix, by Jacobi rotations."""
    for _ in range(12):
        for p, q in ((0, 1), (0, 2), (1, 2)):
            if abs(A[p][q]) < D(10) ** -78:
                continue
            theta = (A[q][q] - A[p][p]) / (2 * A[p][q])
            t = (1 if theta >= 0 else -1) / (abs(theta) + (theta * theta + 1).sqrt())
            c = 1 / (t * t + 1).sqrt()
            R = [[ONE if i == j else D(0) for j in range(3)] for i in range(3)]
            R[p][p] = R[q][q] = c
            R[p][q], R[q][p] = t * c, -t * c
            A = multiply(multiply(transpose(R), A), R)
    return [A[i][i] for i in range(3)]


def stretches(F):
    s = sorted((x.sqrt() for x in eigenvalues(multiply(transpose(F), F))), reverse=True)
    return [s[0], s[1], s[2] if determinant(F) >= 0 else -s[2]]


# ---- laws: energy of the stretches; young 1, poisson 0.25 -----------------------------------------------------------------

MU = LAMBDA = D(2) / 5
BULK = LAMBDA + 2 * MU / 3
MOONEY, STIFFENING, SHARE = D("0.25"), D(2), D("0.5")
SPLINE_LOW, SPLINE_HIGH, SPLINE_STIFFENING = D("0.6"), D("1.4"), D(8)


def product(s):
    return s[0] * s[1] * s[2]


def cube_root(x):
    return (x.ln() / 3).exp()


def first(s):
    """III^(-1/3) I - 3"""
    return sum(x * x for x in s) / cube_root(product(s) ** 2) - 3


def second(s):
    """III^(-2/3) (I^2 - II)/2 - 3, II = tr C^2"""
    return (sum(x * x for x in s) ** 2 - sum(x ** 4 for x in s)) / 2 / cube_root(product(s) ** 4) - 3


def bulk_volume(s):
    return BULK / 2 * (product(s) - 1) ** 2


def rotated_linear(s):
    return MU * sum((x - 1) ** 2 for x in s) + LAMBDA / 2 * (sum(s) - 3) ** 2


def stvk(s):
    I, II = sum(x ** 2 for x in s), sum(x ** 4 for x in s)
    return LAMBDA / 4 / 2 * (I - 3) ** 2 + MU / 4 * (II - 2 * I + 3)


def neo_hookean(s):
    L = product(s).ln()
    return MU / 2 * (sum(x * x for x in s) - 3) - MU * L + LAMBDA / 2 * L * L


def isochoric_neo_hookean(s):
    return MU / 2 * first(s) + bulk_volume(s)


def mooney_rivlin(s):
    return MU / 2 * ((1 - MOONEY) * first(s) + MOONEY * second(s)) + bulk_volume(s)


def fung(s):
    s2 = MU / 2 * SHARE / STIFFENING
    y, most = STIFFENING * first(s), D(6)
    beyond = max(y - most, D(0))
    return MU / 2 * (1 - SHARE) * first(s) + s2 * (min(y, most).exp() * (1 + beyond + beyond ** 2 / 2) - 1) + bulk_volume(s)


def spline(s):
    """The stress integrated: a cubic inside has Simpson's rule as its exact integral."""
    def g(t):
        T = 1 - SPLINE_LOW if t < 0 else SPLINE_HIGH - 1
        a = min(abs(t), T)
        inner = 2 * MU * (a + (SPLINE_STIFFENING - 1) * a ** 3 / (3 * T * T)) + 2 * MU * SPLINE_STIFFENING * (abs(t) - a)
        return inner if t > 0 else -inner

    def integral(t):
        T = SPLINE_LOW - 1 if t < 0 else SPLINE_HIGH - 1
        a = t if abs(t) <= abs(T) else T
        return a / 6 * (g(D(0)) + 4 * g(a / 2) + g(a)) + (t - a) / 2 * (g(a) + g(t))
    return sum(integral(x - 1) for x in s) + LAMBDA / 2 * (sum(s) - 3) ** 2


STABLE_MU, STABLE_LAMBDA = 4 * MU / 3, LAMBDA + 5 * MU / 6
ALPHA = 1 + D(3) / 4 * STABLE_MU / STABLE_LAMBDA


def stable_neo_hookean(s):
    I, rest = sum(x * x for x in s), STABLE_LAMBDA / 2 * (1 - ALPHA) ** 2 - STABLE_MU / 2 * D(4).ln()
    return STABLE_MU / 2 * (I - 3) - STABLE_MU / 2 * (I + 1).ln() + STABLE_LAMBDA / 2 * (product(s) - ALPHA) ** 2 - rest


def fixed_corotated(s):
    return MU * sum((x - 1) ** 2 for x in s) + LAMBDA / 2 * (product(s) - 1) ** 2


# law, low, high; beyond these the default extension
LAWS = [
    (rotated_linear, None, None),
    (stvk, D("0.6"), None),
    (neo_hookean, D("0.4"), None),
    (isochoric_neo_hookean, D("0.4"), None),
    (mooney_rivlin, D("0.4"), None),
    (fung, D("0.4"), D(3)),
    (spline, None, None),
    (stable_neo_hookean, None, None),
    (fixed_corotated, None, None),
]
CURVATURE = 2 * MU + min(LAMBDA, 6 * MU)
WIDTH = D("0.1")  # half of a ramp, for these ends


def slope(function, at, i):
    plus, minus = list(at), list(at)
    plus[i] += STEP
    minus[i] -= STEP
    return (function(plus) - function(minus)) / (2 * STEP)


def integral(function, begin, end):
    """Of a polynomial of degree three, by Simpson's rule."""
    return (end - begin) / 6 * (function(begin) + 4 * function((begin + end) / 2) + function(end))


def clamp_below(y, stress):
    """How far c is above the floor, and the penalty, at y above it: c' falls from 1 to 0 over [-w, w], g' = (1 - c') (stress + k y)."""
    push = lambda t: (WIDTH - t) / (2 * WIDTH) * (stress + CURVATURE * t)
    if y >= WIDTH:
        return y, D(0)
    inside = max(y, -WIDTH)
    c = WIDTH - integral(lambda t: (t + WIDTH) / (2 * WIDTH), inside, WIDTH)
    g = -integral(push, inside, WIDTH)
    if y < -WIDTH:
        g -= integral(lambda t: stress + CURVATURE * t, y, -WIDTH)
    return c, g


def extended(law, s):
    """psi(c) + sum g(s_i) with the smooth clamp c of stress.kernel.c."""
    function, low, high = law
    c, penalty = list(s), D(0)
    for i in range(3):
        if low is not None and s[i] < low:
            floor = low - WIDTH
            stress = min(slope(function, [floor, ONE, ONE], 0), -CURVATURE * WIDTH)
            above, g = clamp_below(s[i] - floor, stress)
            c[i], penalty = floor + above, penalty + g
        if high is not None and s[i] > high:
            floor = high + WIDTH
            stress = max(slope(function, [floor, ONE, ONE], 0), CURVATURE * WIDTH)
            below, g = clamp_below(floor - s[i], -stress)
            c[i], penalty = floor - below, penalty + g
    return function(c) + penalty


# ---- fibres: strength 1, optimal 1.125, activation 0.5, along (2, 1, 2)/3 ----------------------------------------------------

OPTIMAL, ACTIVATION, ALONG = D("1.125"), D("0.5"), [D(2) / 3, D(1) / 3, D(2) / 3]


def tension(l):
    active = passive = D(0)
    if D("0.4") <= l <= D("0.6"):
        active = 9 * (l - D("0.4")) ** 2
    elif D("0.6") <= l <= D("1.4"):
        active = 1 - 4 * (1 - l) ** 2
    elif D("1.4") <= l <= D("1.6"):
        active = 9 * (l - D("1.6")) ** 2
    if l > 1:
        a, b = D("0.05"), D("6.6")
        e = (b * (min(l, D("1.4")) - 1)).exp()
        passive = a * (e - 1) + a * b * e * max(l - D("1.4"), D(0))
    return ACTIVATION * active + passive


def fiber_stress(F):
    Fa = [sum(F[i][j] * ALONG[j] for j in range(3)) for i in range(3)]
    length = sum(x * x for x in Fa).sqrt()
    return [[tension(length / OPTIMAL) / length * Fa[i] * ALONG[j] for j in range(3)] for i in range(3)]


def fiber_energy(F):
    """The tension integrated over the length, by Gauss's rule of five points on each smooth piece cut into many."""
    Fa = [sum(F[i][j] * ALONG[j] for j in range(3)) for i in range(3)]
    end = sum(x * x for x in Fa).sqrt() / OPTIMAL
    nodes = [(D(0), D(128) / 225)]
    for sign in (1, -1):
        x = (5 - sign * 2 * (D(10) / 7).sqrt()).sqrt() / 3
        weight = (322 + sign * 13 * D(70).sqrt()) / 900
        nodes += [(x, weight), (-x, weight)]
    total, knots = D(0), [D(0), D("0.4"), D("0.6"), D(1), D("1.4"), D("1.6"), D(100)]
    for a, b in zip(knots, knots[1:]):
        b, pieces = min(b, end), 64
        for i in range(pieces if b > a else 0):
            middle, half = a + (b - a) * (2 * i + 1) / (2 * pieces), (b - a) / (2 * pieces)
            total += sum(weight * half * tension(middle + half * x) for x, weight in nodes)
    return OPTIMAL * total


# ---- the table ------------------------------------------------------------------------------------------------------------

SHAPES = [  # in sixteenths, by rows
    ("stretched", [[26, 2, 0], [1, 14, 2], [0, -2, 18]]),
    ("sheared", [[16, 10, 3], [0, 16, 5], [0, 0, 16]]),
    ("compressed", [[11, 1, 0], [1, 13, 2], [0, 1, 12]]),
    ("crushed", [[5, 1, 0], [0, 4, 1], [1, 0, 6]]),
    ("nearly flat", [[19, 2, 5], [2, 14, 3], [7, 8, 4]]),
    ("inverted", [[18, 3, 2], [2, 14, 0], [5, 2, -6]]),
    ("pulled far", [[56, 3, 0], [2, 10, 1], [0, 3, 11]]),
]


def gradient(energy, F):
    P = [[None] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(3):
            plus, minus = [list(row) for row in F], [list(row) for row in F]
            plus[i][j] += STEP
            minus[i][j] -= STEP
            P[i][j] = (energy(plus) - energy(minus)) / (2 * STEP)
    return P


def numbers(M):
    return ", ".join(f"{M[i][j]:.20e}" for j in range(3) for i in range(3))


def row(kind, F, psi, P):
    print(f"    {{{kind}, {{{', '.join(str(F[i][j]) for j in range(3) for i in range(3))}}},\n     {psi:.20e},\n     {{{numbers(P)}}}}},")


print("// tests/material_reference.inl -- made by tests/reference/materials.py; do not edit.\n// clang-format off\n// kind, F in sixteenths, energy, P (by column)")
print("static const reference_row references[] = {")
for name, sixteenths in SHAPES:
    print(f"    // {name}")
    F = [[D(x) / 16 for x in line] for line in sixteenths]
    for law in LAWS:
        row("PL_MATERIAL_" + law[0].__name__.upper(), sixteenths, extended(law, stretches(F)), gradient(lambda G: extended(law, stretches(G)), F))
print("};\nstatic const reference_row fiber_references[] = {")
for name, sixteenths in SHAPES:
    F = [[D(x) / 16 for x in line] for line in sixteenths]
    row("-1", sixteenths, fiber_energy(F), fiber_stress(F))
print("};")
