// app/view/message.c -- messages of pages, checked.
#include "message.h"
#include "scene/source.h"

#include <math.h>
#include <string.h>

// Fields that a kind needs.
enum
{
    HAND = 1,
    VALUE = 2,
    FROM = 4,
    ALONG = 8,
    FACING = 16,
    PATH = 32,
    NAME = 64
};

static const struct
{
    const char *name;
    message_kind kind;
    int needs;
} kinds[] = {
    {"frame", MESSAGE_FRAME, 0},
    {"play", MESSAGE_PLAY, 0},
    {"pause", MESSAGE_PAUSE, 0},
    {"step", MESSAGE_STEP, 0},
    {"reset", MESSAGE_RESET, 0},
    {"speed", MESSAGE_SPEED, VALUE},
    {"set", MESSAGE_SET, PATH | VALUE},
    {"color", MESSAGE_COLOR, NAME},
    {"touch", MESSAGE_TOUCH, HAND | NAME | FROM | ALONG | FACING},
    {"drag", MESSAGE_DRAG, HAND | FROM | ALONG},
    {"lift", MESSAGE_LIFT, HAND},
    {"grip", MESSAGE_GRIP, VALUE},
    {"mark", MESSAGE_MARK, 0},
    {"return", MESSAGE_RETURN, 0},
    {"record", MESSAGE_RECORD, 0},
    {"cut", MESSAGE_CUT, FROM | ALONG | VALUE},
    {"seek", MESSAGE_SEEK, VALUE},
    {"live", MESSAGE_LIVE, 0},
};

static pl_status read_number(pl_context *ctx, const pl__json *root, const char *key, double *out)
{
    const pl__json *v = pl__json_find(root, key);
    if (!v || v->kind != PL__JSON_NUMBER)
        return pl__fail(ctx, PL_ERR_FORMAT, "%s must be a number", key);
    *out = v->number;
    return PL_OK;
}

static pl_status read_vector(pl_context *ctx, const pl__json *root, const char *key, double out[3])
{
    const pl__json *v = pl__json_find(root, key), *number = v ? v->first : NULL;
    bool good = v && v->kind == PL__JSON_ARRAY && v->count == 3;
    for (int i = 0; good && i < 3; ++i, number = number->next)
    {
        good = number->kind == PL__JSON_NUMBER && fabs(number->number) <= 1e9;
        out[i] = number->number;
    }
    return good ? PL_OK : pl__fail(ctx, PL_ERR_FORMAT, "%s must be three numbers within 1e9", key);
}

static pl_status read_text(pl_context *ctx, const pl__json *root, const char *key, char *out, size_t size)
{
    const pl__json *v = pl__json_find(root, key);
    if (!v || v->kind != PL__JSON_STRING || strlen(v->text) >= size)
        return pl__fail(ctx, PL_ERR_FORMAT, "%s must be a text of less than %zu bytes", key, size);
    strcpy(out, v->text);
    return PL_OK;
}

static pl_status read_hand(pl_context *ctx, const pl__json *root, int32_t *hand)
{
    double number = -1;
    PL_TRY(read_number(ctx, root, "hand", &number));
    if (!(number >= 0 && number < MESSAGE_HANDS && number == floor(number)))
        return pl__fail(ctx, PL_ERR_FORMAT, "hand: %g must be a whole number from 0 to %d", number, MESSAGE_HANDS - 1);
    *hand = (int32_t)number;
    return PL_OK;
}

static pl_status read_fields(pl_context *ctx, const pl__json *root, int needs, message *out)
{
    if (needs & HAND)
        PL_TRY(read_hand(ctx, root, &out->hand));
    if (needs & VALUE)
        PL_TRY(read_number(ctx, root, "value", &out->value));
    if (needs & FROM)
        PL_TRY(read_vector(ctx, root, "from", out->from));
    if (needs & ALONG)
        PL_TRY(read_vector(ctx, root, "along", out->along));
    if (needs & FACING)
        PL_TRY(read_vector(ctx, root, "facing", out->facing));
    if (needs & PATH)
        PL_TRY(read_text(ctx, root, "path", out->path, sizeof out->path));
    if (needs & NAME)
        PL_TRY(read_text(ctx, root, "name", out->name, sizeof out->name));
    return PL_OK;
}

static pl_status read(pl_context *ctx, const pl__json *root, message *out)
{
    char name[32];
    if (root->kind != PL__JSON_OBJECT)
        return pl__fail(ctx, PL_ERR_FORMAT, "a message must be an object");
    PL_TRY(read_text(ctx, root, "kind", name, sizeof name));
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
        if (strcmp(kinds[i].name, name) == 0)
        {
            out->kind = kinds[i].kind;
            return read_fields(ctx, root, kinds[i].needs, out);
        }
    return pl__fail(ctx, PL_ERR_FORMAT, "kind: there is no \"%s\"", name);
}

pl_status message_parse(pl_context *ctx, const void *bytes, size_t size, message *out)
{
    pl__json_doc doc;
    *out = (message){0};
    if (size > MESSAGE_BYTES)
        return pl__fail(ctx, PL_ERR_FORMAT, "%zu bytes are too many; %d are allowed", size, MESSAGE_BYTES);
    PL_TRY(pl__json_parse(ctx, "message", bytes, size, &doc));
    pl_status status = read(ctx, doc.root, out);
    pl__json_free(&doc);
    return status;
}
