// app/options.c -- options: their table, parsing, help, man page and completion.
#include "options.h"
#include "scene/source.h"
#include <pliant/base.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(arguments, member)
static const option options[] = {
    {"output", 'o', OPTION_TEXT, AT(output), 0, 0, "PATH", "where the result goes"},
    {"set", 0, OPTION_SET, 0, 0, 0, "PATH=VALUE",
     "change a value of the scene, such as bodies.torus.material=steel; several values with commas between them run "
     "them all"},
    {"frames", 'n', OPTION_WHOLE, AT(frames), 0, 1e6, "N", "how many frames follow the first"},
    {"threads", 'j', OPTION_WHOLE, AT(threads), 1, 256, "N",
     "how many threads (default: one per processor); the results do not depend on it"},
    {"resume", 0, OPTION_FLAG, AT(resume), 0, 0, NULL, "go on with the run in the output directory"},
    {"force", 0, OPTION_FLAG, AT(force), 0, 0, NULL, "begin anew where there is a run already, which is removed"},
    {"branch", 0, OPTION_WHOLE, AT(branch), 0, 1e6, "FRAME", "start a new run from a frame of another"},
    {"no-movie", 0, OPTION_FLAG, AT(no_movie), 0, 0, NULL, "simulate only: no movie, no exports"},
    {"quiet", 'q', OPTION_FLAG, AT(quiet), 0, 0, NULL, "say nothing but errors"},
    {"json", 0, OPTION_FLAG, AT(json), 0, 0, NULL, "one JSON object per line on standard output"},
    {"verbose", 'v', OPTION_FLAG, AT(verbose), 0, 0, NULL, "say also what was repaired or chosen"},
    {"frame", 0, OPTION_WHOLE, AT(frame), 0, 1e6, "N", "only this frame"},
    {"sheet", 0, OPTION_WHOLE, AT(sheet), 2, 100, "N", "N moments of the run side by side in one picture"},
    {"first", 0, OPTION_WHOLE, AT(first), 0, 1e6, "N", "begin with this frame"},
    {"last", 0, OPTION_WHOLE, AT(last), 0, 1e6, "N", "end with this frame"},
    {"of", 0, OPTION_DRAWN, 0, 0, 0, "FORMULA",
     "draw this instead, a chart for each: a key of metrics.jsonl or a formula of them, such as 'speed = "
     "bodies.ball.momentum.x / bodies.ball.mass'"},
    {"with", 0, OPTION_DRAWN, 0, 0, 0, "FORMULA",
     "a dashed line beside the --of before it, such as 'free fall = 2 - 0.5*9.81*t^2'"},
    {"to", 0, OPTION_TEXT, AT(to), 0, 0, "FORMAT",
     "ply, vtu, pc2, usd, glb, npy or obj; several with commas between them"},
    {"size", 0, OPTION_NUMBER, AT(size), 1e-9, 1e9, "H", "edge length of the elements, in the units of the file"},
    {"elements", 0, OPTION_TEXT, AT(elements), 0, 0, "KIND",
     "tet (the default) or hex: what the surface is filled with"},
    {"fitted", 0, OPTION_FLAG, AT(fitted), 0, 0, NULL,
     "boundary nodes lie on the surface, instead of elements covering it"},
    {"port", 0, OPTION_WHOLE, AT(port), 1, 65535, "N",
     "where the page is served (default: 7788, or the next that is free)"},
    {"rate", 0, OPTION_NUMBER, AT(rate), 1, 10000, "HZ", "steps per second of real time (default: 100)"},
    {"no-open", 0, OPTION_FLAG, AT(no_open), 0, 0, NULL, "do not open a browser"},
    {"figure", 0, OPTION_TEXT, AT(figure), 0, 0, "FILE",
     "milliseconds per implicit step over the number of tetrahedra, as a table"},
    {"quick", 0, OPTION_FLAG, AT(quick), 0, 0, NULL, "shorter, and less exact"},
    {"only", 0, OPTION_TEXT, AT(only), 0, 0, "NAME", "only the cases whose names begin so"},
    {"fine", 0, OPTION_FLAG, AT(fine), 0, 0, NULL, "twice the resolution, and narrower tolerances"},
    {"reference", 0, OPTION_FLAG, AT(reference), 0, 0, NULL, "the reference page instead of the schema"},
    {"help", 'h', OPTION_FLAG, AT(help), 0, 0, NULL, "this text"},
};
enum
{
    OPTION_COUNT = sizeof options / sizeof options[0]
};

static bool belongs(const command *c, const option *o)
{
    if (strcmp(o->name, "help") == 0)
        return true;
    for (const char *const *name = c->options; *name; ++name)
        if (strcmp(*name, o->name) == 0)
            return true;
    return false;
}

// ---- parsing ---------------------------------------------------------------------------------------------------

static bool complain_unknown(const command *c, const char *argument)
{
    const char *known[OPTION_COUNT + 1];
    int count = 0;
    for (int i = 0; i < OPTION_COUNT; ++i)
        if (belongs(c, &options[i]))
            known[count++] = options[i].name;
    known[count] = NULL;
    const char *bare = argument + strspn(argument, "-");
    const char *guess = pl__near_miss(bare, known);
    if (guess)
        fprintf(stderr, "pliant %s: unknown option %s; did you mean --%s?\n", c->name, argument, guess);
    else
        fprintf(stderr, "pliant %s: unknown option %s; see pliant %s --help\n", c->name, argument, c->name);
    return false;
}

static const option *match(const command *c, const char *argument, const char **value)
{
    *value = NULL;
    for (int i = 0; i < OPTION_COUNT; ++i)
    {
        const option *o = &options[i];
        size_t length = strlen(o->name);
        if (!belongs(c, o))
            continue;
        if (argument[1] == '-' && strncmp(argument + 2, o->name, length) == 0 &&
            (argument[2 + length] == 0 || argument[2 + length] == '='))
        {
            *value = argument[2 + length] ? argument + 3 + length : NULL;
            return o;
        }
        if (o->letter && argument[1] == o->letter)
        {
            *value = argument[2] ? argument + 2 : NULL;
            return o;
        }
    }
    return NULL;
}

static bool store_number(const command *c, const option *o, const char *value, void *to)
{
    char *end;
    double number = strtod(value, &end);
    bool whole = o->kind == OPTION_WHOLE;
    if (*end || end == value || !(number >= o->low && number <= o->high) ||
        (whole && number != (double)(int32_t)number))
    {
        fprintf(stderr, "pliant %s: --%s %s: must be a %snumber from %g to %.10g\n", c->name, o->name, value,
                whole ? "whole " : "", o->low, o->high);
        return false;
    }
    if (whole)
        *(int32_t *)to = (int32_t)number;
    else
        *(double *)to = number;
    return true;
}

static bool store_drawn(const command *c, const option *o, const char *value, arguments *a)
{
    int32_t most = sizeof a->drawn / sizeof a->drawn[0];
    bool beside = strcmp(o->name, "with") == 0;
    if (a->drawn_count == most)
        fprintf(stderr, "pliant %s: --%s %s: is one too many; %d formulas are allowed\n", c->name, o->name, value,
                most);
    else if (beside && a->drawn_count == 0)
        fprintf(stderr, "pliant %s: --with %s: needs an --of before it, to be compared with\n", c->name, value);
    else
    {
        a->drawn[a->drawn_count].formula = value;
        a->drawn[a->drawn_count++].beside = beside;
        return true;
    }
    return false;
}

static bool store(const command *c, const option *o, const char *value, arguments *a)
{
    void *to = (char *)a + o->offset;
    switch (o->kind)
    {
    case OPTION_FLAG: *(bool *)to = true; return true;
    case OPTION_TEXT: *(const char **)to = value; return true;
    case OPTION_WHOLE:
    case OPTION_NUMBER: return store_number(c, o, value, to);
    case OPTION_DRAWN: return store_drawn(c, o, value, a);
    case OPTION_SET: break;
    }
    const char **set = realloc(a->set, (size_t)(a->set_count + 1) * sizeof *set);
    if (!set)
    {
        fprintf(stderr, "out of memory\n");
        return false;
    }
    a->set = set;
    a->set[a->set_count++] = value;
    return true;
}

static bool parse_option(const command *c, int argc, char **argv, int *i, arguments *a)
{
    const char *value;
    const option *o = match(c, argv[*i], &value);
    if (!o)
        return complain_unknown(c, argv[*i]);
    if (o->kind == OPTION_FLAG && value)
    {
        fprintf(stderr, "pliant %s: --%s takes no value\n", c->name, o->name);
        return false;
    }
    if (o->kind != OPTION_FLAG && !value)
    {
        if (*i + 1 >= argc)
        {
            fprintf(stderr, "pliant %s: --%s needs %s\n", c->name, o->name, o->value);
            return false;
        }
        value = argv[++*i];
    }
    return store(c, o, value, a);
}

bool arguments_parse(const command *c, int argc, char **argv, arguments *a)
{
    *a = (arguments){.frames = -1, .frame = -1, .branch = -1, .first = -1, .last = -1};
    bool only_operands = false;
    for (int i = 0; i < argc; ++i)
    {
        bool is_option = !only_operands && argv[i][0] == '-' && argv[i][1];
        if (is_option && strcmp(argv[i], "--") == 0)
            only_operands = true;
        else if (is_option && !parse_option(c, argc, argv, &i, a))
            return false;
        else if (!is_option)
        {
            if (a->operand_count >= c->most)
            {
                fprintf(stderr, "pliant %s: \"%s\" is one too many; usage: pliant %s %s\n", c->name, argv[i], c->name,
                        c->operands);
                return false;
            }
            a->operand[a->operand_count++] = argv[i];
        }
    }
    if (!a->help && a->operand_count < c->fewest)
    {
        fprintf(stderr, "pliant %s: %s is missing; usage: pliant %s %s\n", c->name, c->operands, c->name, c->operands);
        return false;
    }
    return true;
}

void arguments_free(arguments *a)
{
    free(a->set);
    a->set = NULL;
}

// ---- help ------------------------------------------------------------------------------------------------------

static void option_words(const option *o, char *words, size_t size)
{
    char letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(words, size, "%s--%s%s%s", letter, o->name, o->value ? " " : "", o->value ? o->value : "");
}

// Words wrapped at 100 columns, with a hanging indent.
static void print_wrapped(const char *words, int indent)
{
    int column = indent;
    while (*words)
    {
        size_t length = strcspn(words, " ");
        if (column + (int)length > 100 && column > indent)
        {
            printf("\n%*s", indent, "");
            column = indent;
        }
        printf("%.*s", (int)length, words);
        column += (int)length;
        words += length;
        if (*words == ' ')
        {
            printf(" ");
            column++;
            words++;
        }
    }
    printf("\n");
}

void print_overview(void)
{
    printf("pliant %d.%d.%d -- matter that bends and never blows up\n\n", PL_VERSION_MAJOR, PL_VERSION_MINOR,
           PL_VERSION_PATCH);
    for (const command *c = commands; c->name; ++c)
        printf("  pliant %-8s %-24s %s\n", c->name, c->operands, c->summary);
    printf("\n`pliant COMMAND --help` tells more; `pliant --version` tells which this is.\n"
           "Exit status: 0 done, 1 the run failed, 2 the input or the command line is wrong, 130 interrupted.\n");
}

void print_help(const command *c)
{
    printf("usage: pliant %s%s%s [options]\n\n", c->name, c->operands[0] ? " " : "", c->operands);
    print_wrapped(c->help, 0);
    printf("\n");
    for (int i = 0; i < OPTION_COUNT; ++i)
        if (belongs(c, &options[i]))
        {
            char words[64];
            option_words(&options[i], words, sizeof words);
            printf("  %-24s ", words);
            print_wrapped(options[i].help, 27);
        }
}

void print_man_page(void)
{
    printf(".TH PLIANT 1 \"\" \"pliant %d.%d.%d\" \"User Commands\"\n.SH NAME\npliant \\- simulate matter that bends "
           "and never blows up\n",
           PL_VERSION_MAJOR, PL_VERSION_MINOR, PL_VERSION_PATCH);
    printf(".SH SYNOPSIS\n.B pliant\nCOMMAND [operands] [options]\n.SH DESCRIPTION\nOne scene file and one command "
           "give a movie.\n.SH COMMANDS\n");
    for (const command *c = commands; c->name; ++c)
    {
        printf(".TP\n.B pliant %s\n%s%s%s.br\n%s\n", c->name, c->operands[0] ? ".I " : "", c->operands,
               c->operands[0] ? "\n" : "", c->help);
        for (int i = 0; i < OPTION_COUNT; ++i)
            if (belongs(c, &options[i]) && strcmp(options[i].name, "help") != 0)
            {
                char words[64];
                option_words(&options[i], words, sizeof words);
                printf(".RS\n.TP\n.B \"%s\"\n%s\n.RE\n", words + strspn(words, " "), options[i].help);
            }
    }
    printf(".SH EXIT STATUS\n0 done; 1 the run failed; 2 the input or the command line is wrong; 130 interrupted, with "
           "a checkpoint written.\n");
    printf(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno colours on the terminal\n.TP\n.B PLIANT_SIMD\n0, 16, 32 or 64: caps "
           "the width of registers; the results are the same\n");
}

void print_completion(void)
{
    printf("# bash completion for pliant\n_pliant()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} "
           "command=${COMP_WORDS[1]} words=\"\"\n");
    printf("    if [ \"$COMP_CWORD\" = 1 ]; then\n        COMPREPLY=($(compgen -W \"");
    for (const command *c = commands; c->name; ++c)
        printf("%s ", c->name);
    printf("--help --version\" -- \"$word\"))\n        return\n    fi\n    case $command in\n");
    for (const command *c = commands; c->name; ++c)
    {
        printf("        %s) words=\"", c->name);
        for (int i = 0; i < OPTION_COUNT; ++i)
            if (belongs(c, &options[i]))
                printf("--%s ", options[i].name);
        printf("\" ;;\n");
    }
    printf("    esac\n    case $word in\n        -*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n        *) "
           "COMPREPLY=($(compgen -f -- \"$word\")) ;;\n    esac\n}\n");
    printf("complete -o filenames -F _pliant pliant\n");
}
