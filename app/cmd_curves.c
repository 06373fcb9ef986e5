// app/cmd_curves.c -- pliant curves: stress over stretch, of every model or of the materials of a scene.
//
// Every model: bare and extended with one stretch free to move and the others at 1 (thesis figure 2.3), pulled and
// pressed with free sides (the box of Wang 2021), blown up and squeezed evenly, and sheared; each over Young's modulus;
// then the inversion rules of one, and fibres. A material on its own is shown in the same experiments.
#include "commands.h"
#include "app/plot/svg.h"
#include "session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    SAMPLES = 141,
    MOST_PANELS = 8,
    MOST_SERIES = 24,
    MOST_MATERIALS = 12
};

typedef struct
{
    plot_panel panel[MOST_PANELS];
    plot_series series[MOST_PANELS][MOST_SERIES];
    double x[MOST_PANELS][MOST_SERIES][SAMPLES], y[MOST_PANELS][MOST_SERIES][SAMPLES];
    int32_t count;
} page;

typedef struct
{
    const char *name;
    pl_material_def def;
} named_material;

// ---- experiments: stress at x [Pa]
// -------------------------------------------------------------------------------------

typedef double experiment(session *s, const pl_material_def *def, double x);

static void stress_at(session *s, const pl_material_def *def, const double F[9], double stress[9])
{
    if (pl_material_evaluate(s->ctx, def, F, NULL, stress) != PL_OK)
        for (int k = 0; k < 9; ++k)
            stress[k] = NAN;
}

// P of diag(x, y, y): along x and across.
static void pull(session *s, const pl_material_def *def, double x, double y, double *along, double *across)
{
    double F[9] = {x, 0, 0, 0, y, 0, 0, 0, y}, P[9];
    stress_at(s, def, F, P);
    *along = P[0];
    *across = P[4];
}

static double one_stretch(session *s, const pl_material_def *def, double x)
{
    double along, across;
    pull(s, def, x, 1, &along, &across);
    return along;
}

// The sides give way until nothing pulls on them.
static double free_sides(session *s, const pl_material_def *def, double x)
{
    double along, across;
    pull(s, def, x, 1, &along, &across);
    double low = across < 0 ? 1 : 0.05, high = across < 0 ? 6 : 1;
    for (int k = 0; k < 50; ++k)
    {
        double y = 0.5 * (low + high);
        pull(s, def, x, y, &along, &across);
        *(across > 0 ? &high : &low) = y;
    }
    return along;
}

static double all_stretches(session *s, const pl_material_def *def, double x)
{
    double along, across;
    pull(s, def, x, x, &along, &across);
    return along;
}

static double shear(session *s, const pl_material_def *def, double x)
{
    double F[9] = {1, 0, 0, x, 1, 0, 0, 0, 1}, P[9]; // F = I + x e0 e1^T
    stress_at(s, def, F, P);
    return P[3];
}

static double fiber(session *s, const pl_material_def *def, double x)
{
    double tension = NAN;
    return pl_material_evaluate_fiber(s->ctx, def, x, NULL, &tension) == PL_OK ? tension : NAN;
}

// ---- panels
// ------------------------------------------------------------------------------------------------------------

static plot_panel *add_panel(page *p, const char *title, const char *x, const char *y)
{
    plot_panel *panel = &p->panel[p->count];
    *panel = (plot_panel){.title = title, .x_label = x, .y_label = y, .series = p->series[p->count]};
    p->count++;
    return panel;
}

// Where curves are cut off: at three times the strain of 1, of a stretch whose neighbours are held.
static double most_of(const pl_material_def *def)
{
    double mu, lambda;
    pl_material_lame(def->young, def->poisson, &mu, &lambda);
    return 3 * (2 * mu + lambda) / def->young;
}

// A curve between two abscissae, over `unit`; what is beyond `most` is left out.
static void add_curve(page *p, session *s, const char *name, const pl_material_def *def, experiment *run, double from,
                      double to, double unit, double most)
{
    int32_t last = p->count - 1, k = p->panel[last].series_count++;
    double *x = p->x[last][k], *y = p->y[last][k];
    for (int i = 0; i < SAMPLES; ++i)
    {
        x[i] = from + (to - from) * (i + 0.5) / SAMPLES; // off the ties and the poles at -1 and 0
        y[i] = run(s, def, x[i]) / unit;
        y[i] = fabs(y[i]) <= most ? y[i] : NAN;
    }
    p->series[last][k] = (plot_series){name, SAMPLES, x, y};
}

static void add_curves(page *p, session *s, const named_material *m, int32_t count, experiment *run, double from,
                       double to, bool bare)
{
    for (int32_t i = 0; i < count; ++i)
    {
        pl_material_def def = m[i].def;
        def.inversion = bare ? PL_INVERSION_NONE : def.inversion;
        add_curve(p, s, m[i].name, &def, run, from, to, def.young, most_of(&def));
    }
}

static void fill_all(page *p, session *s, const named_material *m, int32_t count)
{
    (void)add_panel(p, "One stretch, the others 1: bare laws", "stretch", "P / young");
    add_curves(p, s, m, count, one_stretch, -1, 2.5, true);
    (void)add_panel(p, "One stretch, the others 1: as simulated", "stretch", "P / young");
    add_curves(p, s, m, count, one_stretch, -1, 2.5, false);
    (void)add_panel(p, "Pulled and pressed, sides free", "stretch", "P / young");
    add_curves(p, s, m, count, free_sides, 0.2, 2.5, false);
    (void)add_panel(p, "All stretches alike", "stretch", "P / young");
    add_curves(p, s, m, count, all_stretches, 0, 1.8, false);
    (void)add_panel(p, "Simple shear", "shear", "P / young");
    add_curves(p, s, m, count, shear, 0, 2, false);
}

static void fill_rules(page *p, session *s, const named_material *m, const char *title)
{
    static const char *const rules[] = {"energy", "linear", "det", "constant", "none"};
    (void)add_panel(p, title, "stretch", "P / young");
    for (int k = PL_INVERSION_ENERGY; k <= PL_INVERSION_NONE; ++k)
    {
        pl_material_def def = m->def;
        def.inversion = (pl_inversion)k;
        add_curve(p, s, rules[k], &def, one_stretch, -1, 2.5, def.young, most_of(&def));
    }
}

static void fill_fibers(page *p, session *s, const named_material *m)
{
    static const char *const names[] = {"activation 0", "activation 0.5", "activation 1"};
    (void)add_panel(p, "Fibres", "stretch", "tension [Pa]");
    for (int k = 0; k < 3; ++k)
    {
        pl_material_def def = m->def;
        def.activation = 0.5 * k;
        add_curve(p, s, names[k], &def, fiber, 0, 1.7 * def.fiber_optimal, 1, INFINITY);
    }
}

static void fill_curves(page *p, session *s, const named_material *m, int32_t count, bool models)
{
    fill_all(p, s, m, count);
    named_material shown = m[models ? PL_MATERIAL_NEO_HOOKEAN : 0];
    if (models || count == 1)
        fill_rules(p, s, &shown,
                   models ? "neo_hookean, one stretch, the others 1: inversion rules"
                          : "One stretch, the others 1: inversion rules");
    shown.def.fiber_strength = models ? 3e5 : shown.def.fiber_strength;
    if (models || (count == 1 && shown.def.fiber_strength > 0))
        fill_fibers(p, s, &shown);
}

// ---- which materials
// -------------------------------------------------------------------------------------------------------

static int32_t every_model(named_material *m)
{
    int32_t count = 0;
    for (; pl_material_kind_name(count) && count < MOST_MATERIALS; ++count)
    {
        m[count] = (named_material){pl_material_kind_name(count), pl_material_def_default()};
        m[count].def.kind = (pl_material_kind)count;
        m[count].def.poisson = 0.3;
    }
    return count;
}

// Of a preset, of a scene, or all models; 0 when there are none, said why.
static int32_t choose(session *s, const arguments *a, named_material *m)
{
    if (a->operand_count == 0)
        return every_model(m);
    const pl__preset *preset = pl__preset_find(a->operand[0]);
    if (preset)
    {
        m[0] = (named_material){preset->name, pl__preset_material(preset)};
        return 1;
    }
    if (!session_open(s, a->operand[0], a->set, a->set_count))
        return 0;
    if (pl__source_build(s->source, &s->scene) != PL_OK)
        return session_fail(s);
    int32_t count = 0;
    const pl_material_def *def;
    for (const char *name; count < MOST_MATERIALS && (def = pl__scene_material_at(s->scene, count, &name)); ++count)
        m[count] = (named_material){name, *def};
    if (count == 0)
        console_fail(s->con, "the scene has no materials");
    return count;
}

int command_curves(const arguments *a)
{
    console con = console_make(a->quiet, false, false);
    session s;
    named_material m[MOST_MATERIALS];
    const char *path = a->output ? a->output : "curves.svg";
    page *p = calloc(1, sizeof *p);
    if (!p || !session_start(&s, &con, a))
    {
        free(p);
        return EXIT_FAILED;
    }
    int32_t count = choose(&s, a, m);
    int status = count ? EXIT_DONE : EXIT_WRONG;
    if (count)
    {
        fill_curves(p, &s, m, count, a->operand_count == 0);
        if (plot_write_svg(s.ctx, path, p->panel, p->count) == PL_OK)
            console_say(&con, "%s", path);
        else
        {
            (void)session_fail(&s);
            status = EXIT_FAILED;
        }
    }
    free(p);
    session_end(&s);
    return status;
}
