// app/plot/formula.c -- formulas, evaluated while they are read: by descent, one function per level of precedence.
//
//     sum = product { (+|-) product }    product = sign { (*|/) sign }    sign = [+|-] sign | power    power = atom [ ^ sign ]
//
// A formula is short and frames are few, so nothing is kept from one frame to the next. The first mistake ends it:
// `wrong` is set, the rest is not looked at.
#include "formula.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MOST_DEPTH = 100,
    MOST_NAME = 200,
    MOST_KNOWN = 200 // names to look among for the one that was meant
};

typedef struct reader
{
    const char *start, *at;
    const pl__json *frame, *first;
    int depth;
    bool wrong;
    char *why;
} reader;

static double sum(reader *r);

static double complain(reader *r, const char *what, const char *name)
{
    if (!r->wrong)
        snprintf(r->why, FORMULA_WHY_CHARS, "at character %d: %s%.160s", (int)(r->at - r->start) + 1, what, name);
    r->wrong = true;
    return NAN;
}

static bool take(reader *r, char c)
{
    r->at += strspn(r->at, " \t");
    if (r->wrong || *r->at != c)
        return false;
    r->at++;
    return true;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// ---- names -------------------------------------------------------------------------------------------------------

// A part of a name, in quotes or not. False when there is none.
static bool take_part(reader *r, char name[MOST_NAME])
{
    bool quoted = *r->at == '"';
    const char *from = r->at + quoted, *end = from;
    while (quoted ? *end && *end != '"' : is_letter(*end) || is_digit(*end))
        end++;
    if (end == from || end - from >= MOST_NAME || (quoted && !*end))
        return false;
    snprintf(name, MOST_NAME, "%.*s", (int)(end - from), from);
    r->at = end + quoted;
    return true;
}

static const pl__json *child(const pl__json *value, const char *name)
{
    if (value->kind != PL__JSON_ARRAY)
        return pl__json_find(value, name);
    const pl__json *item = value->first;
    for (int i = 0; item && i < name[0] - 'x'; ++i)
        item = item->next;
    return name[0] >= 'x' && name[0] <= 'z' && !name[1] ? item : NULL;
}

// What there is instead: keys, or functions at the top.
static double complain_unknown(reader *r, const pl__json *owner, const char *name)
{
    static const char *const functions[] = {"sqrt", "exp",   "log",   "sin", "cos", "tan",
                                            "abs",  "floor", "start", "min", "max", NULL};
    const char *known[MOST_KNOWN + 1] = {NULL};
    int count = 0;
    for (const pl__json *key = owner->kind == PL__JSON_OBJECT ? owner->first : NULL; key && count < MOST_KNOWN;
         key = key->next)
        known[count++] = key->key;
    const char *near = pl__near_miss(name, *r->at == '(' ? functions : known);
    char words[2 * MOST_NAME + 32];
    if (near)
        snprintf(words, sizeof words, "%s; did you mean %s?", name, near);
    return complain(r, "frames have nothing that is called ", near ? words : name);
}

// The value of a key, of which the first part is read already.
static double figure(reader *r, char name[MOST_NAME])
{
    const pl__json *owner = r->frame, *value = pl__json_find(owner, name);
    while (value && *r->at == '.')
    {
        r->at++;
        if (!take_part(r, name))
            return complain(r, "a name should follow the dot", "");
        owner = value;
        value = value->kind == PL__JSON_NULL ? value : child(value, name);
    }
    if (!value)
        return complain_unknown(r, owner, name);
    if (value->kind == PL__JSON_ARRAY || value->kind == PL__JSON_OBJECT)
        return complain(r, "a part must be named (.x, or a key) of ", name);
    return value->kind == PL__JSON_NUMBER ? value->number : NAN;
}

// ---- functions ---------------------------------------------------------------------------------------------------

static double argument(reader *r)
{
    if (!take(r, '('))
        return complain(r, "a ( should be here", "");
    double value = sum(r);
    if (!take(r, ')'))
        return complain(r, "a ) should be here", "");
    return value;
}

static double in_the_first_frame(reader *r)
{
    const pl__json *frame = r->frame;
    r->frame = r->first;
    double value = argument(r);
    r->frame = frame;
    return value;
}

static double of_two(reader *r, double (*function)(double, double))
{
    if (!take(r, '('))
        return complain(r, "a ( should be here", "");
    double a = sum(r);
    if (!take(r, ','))
        return complain(r, "a comma and a second number should be here", "");
    double b = sum(r);
    if (!take(r, ')'))
        return complain(r, "a ) should be here", "");
    return isnan(a) || isnan(b) ? NAN : function(a, b);
}

static double named(reader *r)
{
    static const struct
    {
        const char *name;
        double (*function)(double);
    } functions[] = {{"sqrt", sqrt}, {"exp", exp}, {"log", log},  {"sin", sin},
                     {"cos", cos},   {"tan", tan}, {"abs", fabs}, {"floor", floor}};
    static const double pi = 3.14159265358979323846;
    char name[MOST_NAME];
    bool quoted = *r->at == '"';
    if (!take_part(r, name))
        return complain(r, "a number or a name should be here", "");
    for (size_t i = 0; i < sizeof functions / sizeof functions[0] && !quoted; ++i)
        if (strcmp(name, functions[i].name) == 0)
            return functions[i].function(argument(r));
    if (strcmp(name, "start") == 0)
        return in_the_first_frame(r);
    if (strcmp(name, "min") == 0 || strcmp(name, "max") == 0)
        return of_two(r, name[1] == 'i' ? fmin : fmax);
    if (strcmp(name, "pi") == 0 || strcmp(name, "deg") == 0)
        return name[0] == 'p' ? pi : pi / 180;
    if (strcmp(name, "t") == 0)
        snprintf(name, sizeof name, "time");
    return figure(r, name);
}

// ---- precedence --------------------------------------------------------------------------------------------------

static double number(reader *r)
{
    char *end;
    double value = strtod(r->at, &end);
    r->at = end;
    return value;
}

static double atom(reader *r)
{
    r->at += strspn(r->at, " \t");
    if (*r->at == '(')
        return argument(r);
    if (is_digit(*r->at) || (*r->at == '.' && is_digit(r->at[1])))
        return number(r);
    return named(r);
}

static double sign(reader *r)
{
    if (r->wrong || ++r->depth > MOST_DEPTH)
        return complain(r, "too many parentheses", "");
    double value;
    if (take(r, '-'))
        value = -sign(r);
    else if (take(r, '+'))
        value = sign(r);
    else
    {
        value = atom(r);
        if (take(r, '^'))
            value = pow(value, sign(r));
    }
    r->depth--;
    return value;
}

static double product(reader *r)
{
    double value = sign(r);
    for (;;)
        if (take(r, '*'))
            value *= sign(r);
        else if (take(r, '/'))
            value /= sign(r);
        else
            return value;
}

static double sum(reader *r)
{
    double value = product(r);
    for (;;)
        if (take(r, '+'))
            value += product(r);
        else if (take(r, '-'))
            value -= product(r);
        else
            return value;
}

bool formula_value(const char *formula, const pl__json *frame, const pl__json *first, double *value,
                   char why[FORMULA_WHY_CHARS])
{
    reader r = {.start = formula, .at = formula, .frame = frame, .first = first, .why = why};
    *value = sum(&r);
    r.at += strspn(r.at, " \t");
    if (!r.wrong && *r.at)
        *value = complain(&r, "the formula should end here, or go on with + - * / ^", "");
    return !r.wrong;
}
