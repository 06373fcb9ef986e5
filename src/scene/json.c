// src/scene/json.c -- JSON reader that records the location of every value.
//
// RFC 8259 plus // and /* */ comments and a comma before a closing bracket. Strict otherwise, since near-JSON is
// usually a mistake: duplicate keys, NaN, numbers beyond a double, single quotes and bare keys are refused with advice.
// Nesting is limited to DEEPEST against stack overflow, and objects of more than FEW_KEYS have a hash table of keys
// against quadratic time.
#include "json.h"
#include "base/hash.h"
#include "io/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum
{
    DEEPEST = 64,
    FEW_KEYS = 16,
    MOST_KEYS = 10000,
    BLOCK_BYTES = 16384
};

// ---- memory ----------------------------------------------------------------------------------------------------

typedef struct pl__json_block
{
    struct pl__json_block *next;
    size_t bytes, used; // of the whole block
} pl__json_block;

void *pl__json_take(pl__json_doc *doc, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / 2 / size)
        return NULL;
    size_t wanted = (count * size + 15) & ~(size_t)15;
    pl__json_block *block = doc->block;
    if (!block || block->bytes - block->used < wanted)
    {
        size_t head = (sizeof *block + 15) & ~(size_t)15;
        size_t bytes = head + (wanted > BLOCK_BYTES ? wanted : BLOCK_BYTES);
        block = pl__alloc(doc->ctx, bytes);
        if (!block)
            return NULL;
        *block = (pl__json_block){.next = doc->block, .bytes = bytes, .used = head};
        doc->block = block;
    }
    char *memory = (char *)block + block->used;
    block->used += wanted;
    return memset(memory, 0, wanted);
}

const char *pl__json_keep(pl__json_doc *doc, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = pl__json_take(doc, bytes, 1);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void pl__json_free(pl__json_doc *doc)
{
    while (doc->block)
    {
        pl__json_block *next = doc->block->next;
        pl__free(doc->ctx, doc->block, doc->block->bytes);
        doc->block = next;
    }
    doc->root = NULL;
}

// ---- cursor ----------------------------------------------------------------------------------------------------

typedef struct
{
    pl__json_doc *doc;
    const char *name; // of the file, or the option as typed
    bool option;      // values have no line
    const unsigned char *at, *end;
    int32_t line, column;
    int depth;
} cursor;

// Error messages are one line, whatever they quote.
static pl_status fail_on_one_line(pl_context *ctx, const char *place, char *sentence)
{
    for (char *at = sentence; *at; ++at)
        if ((unsigned char)*at < 32 || *at == 127)
            *at = '?';
    return pl__fail(ctx, PL_ERR_FORMAT, "%s: %s", place, sentence);
}

static pl_status fail_here(const cursor *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static pl_status fail_here(const cursor *c, const char *format, ...)
{
    char place[256], sentence[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    pl__json here = {.source = c->name, .line = c->option ? 0 : c->line, .column = c->column};
    pl__json_place(&here, place, sizeof place);
    return fail_on_one_line(c->doc->ctx, place, sentence);
}

static void advance(cursor *c)
{
    unsigned char byte = *c->at++;
    if (byte == '\n')
    {
        c->line++;
        c->column = 1;
    }
    else if ((byte & 0xc0) != 0x80) // a multi-byte character is one column
        c->column++;
}

static bool looking_at(const cursor *c, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(c->end - c->at) >= length && memcmp(c->at, word, length) == 0;
}

static pl_status skip_block_comment(cursor *c)
{
    cursor start = *c;
    advance(c);
    advance(c);
    while (c->at < c->end && !looking_at(c, "*/"))
        advance(c);
    if (c->at == c->end)
        return fail_here(&start, "this comment has no end; close it with */");
    advance(c);
    advance(c);
    return PL_OK;
}

// Skip blanks and comments.
static pl_status skip(cursor *c)
{
    while (c->at < c->end)
        if (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r')
            advance(c);
        else if (looking_at(c, "//"))
            while (c->at < c->end && *c->at != '\n')
                advance(c);
        else if (looking_at(c, "/*"))
            PL_TRY(skip_block_comment(c));
        else
            break;
    return PL_OK;
}

// Description of the text at the cursor, for error messages.
static const char *found(const cursor *c, char text[32])
{
    if (c->at == c->end)
        return c->option ? "its end" : "the end of the file";
    size_t length = 0;
    while (c->at + length < c->end && length < 20 && c->at[length] > ' ' && c->at[length] < 127 &&
           !strchr(",:{}[]\"", c->at[length]))
        length++;
    if (length == 0 && *c->at >= 32 && *c->at < 127)
        length = 1;
    const char *quote = *c->at == '\'' ? "" : "'";
    if (length)
        snprintf(text, 32, "%s%.*s%s", quote, (int)length, (const char *)c->at, quote);
    else
        snprintf(text, 32, "byte 0x%02x", *c->at);
    return text;
}

// ---- strings ---------------------------------------------------------------------------------------------------

static int hex_digit(unsigned char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool take_hex4(cursor *c, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; ++i)
    {
        int digit = c->at < c->end ? hex_digit(*c->at) : -1;
        if (digit < 0)
            return false;
        *code = *code * 16 + (uint32_t)digit;
        advance(c);
    }
    return true;
}

static char *put_utf8(char *to, uint32_t code)
{
    if (code < 0x80)
        *to++ = (char)code;
    else if (code < 0x800)
    {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 63));
    }
    else if (code < 0x10000)
    {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 63));
        *to++ = (char)(0x80 | (code & 63));
    }
    else
    {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 63));
        *to++ = (char)(0x80 | (code >> 6 & 63));
        *to++ = (char)(0x80 | (code & 63));
    }
    return to;
}

static pl_status take_unicode(cursor *c, char **to)
{
    uint32_t code, low;
    if (!take_hex4(c, &code))
        return fail_here(c, "\\u takes four hexadecimal digits");
    if (code >= 0xd800 && code < 0xdc00)
    {
        if (!looking_at(c, "\\u"))
            return fail_here(c, "half of a surrogate pair; the other half must follow as \\u");
        advance(c);
        advance(c);
        if (!take_hex4(c, &low) || low < 0xdc00 || low > 0xdfff)
            return fail_here(c, "half of a surrogate pair; the other half must follow as \\u");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (code == 0 || (code >= 0xdc00 && code <= 0xdfff))
        return fail_here(c, "\\u%04x is no character", (unsigned)code);
    *to = put_utf8(*to, code);
    return PL_OK;
}

static pl_status take_escape(cursor *c, char **to)
{
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    advance(c);
    const char *which = c->at < c->end && *c->at ? strchr(from, *c->at) : NULL;
    if (which)
    {
        *(*to)++ = into[which - from];
        advance(c);
        return PL_OK;
    }
    if (c->at == c->end || *c->at != 'u')
        return fail_here(c, "after \\ comes one of \" \\ / b f n r t u");
    advance(c);
    return take_unicode(c, to);
}

// Length in bytes of the UTF-8 character at the cursor; 0 if invalid.
static size_t utf8_length(const cursor *c)
{
    unsigned char b = *c->at;
    size_t length = b < 0x80                ? 1
                    : b >= 0xc2 && b < 0xe0 ? 2
                    : b >= 0xe0 && b < 0xf0 ? 3
                    : b >= 0xf0 && b < 0xf5 ? 4
                                            : 0;
    if (length == 0 || (size_t)(c->end - c->at) < length)
        return 0;
    for (size_t i = 1; i < length; ++i)
        if ((c->at[i] & 0xc0) != 0x80)
            return 0;
    if ((b == 0xe0 && c->at[1] < 0xa0) || (b == 0xed && c->at[1] > 0x9f) || (b == 0xf0 && c->at[1] < 0x90) ||
        (b == 0xf4 && c->at[1] > 0x8f))
        return 0;
    return length;
}

static pl_status take_plain(cursor *c, char **to)
{
    if (*c->at < 32)
        return fail_here(c, *c->at == '\n' ? "a string ends on its own line; is a closing \" missing?"
                                           : "control characters in strings are written as \\u00XX");
    size_t length = utf8_length(c);
    if (length == 0)
        return fail_here(c, "byte 0x%02x is not UTF-8; save the file as UTF-8", *c->at);
    for (size_t i = 0; i < length; ++i)
    {
        *(*to)++ = (char)*c->at;
        advance(c);
    }
    return PL_OK;
}

// Bytes until the closing quote; decoding escapes only shortens.
static size_t string_bytes(const cursor *c)
{
    const unsigned char *at = c->at;
    while (at < c->end && *at != '"' && *at != '\n')
        at += *at == '\\' && c->end - at > 1 ? 2 : 1;
    return (size_t)(at - c->at);
}

static pl_status take_string(cursor *c, const char **text)
{
    cursor start = *c;
    advance(c);
    char *to = pl__json_take(c->doc, string_bytes(c) + 4, 1);
    if (!to)
        return PL_ERR_MEMORY;
    *text = to;
    while (c->at < c->end && *c->at != '"')
        PL_TRY(*c->at == '\\' ? take_escape(c, &to) : take_plain(c, &to));
    if (c->at == c->end)
        return fail_here(&start, "this string has no end; close it with \"");
    advance(c);
    return PL_OK;
}

// ---- numbers and words -----------------------------------------------------------------------------------------

static bool word_byte(unsigned char b)
{
    return (b >= '0' && b <= '9') || (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || b == '+' || b == '-' ||
           b == '.' || b == '_';
}

static bool digits(const char **at)
{
    const char *start = *at;
    while (**at >= '0' && **at <= '9')
        ++*at;
    return *at > start;
}

// The grammar of JSON numbers.
static bool is_number(const char *text)
{
    text += *text == '-';
    if (*text == '0')
        text++;
    else if (!digits(&text))
        return false;
    if (*text == '.' && (++text, !digits(&text)))
        return false;
    if (*text == 'e' || *text == 'E')
    {
        text++;
        text += *text == '+' || *text == '-';
        if (!digits(&text))
            return false;
    }
    return *text == 0;
}

// Spellings of infinity and NaN in other formats.
static bool is_not_finite(const char *word)
{
    static const char *const words[] = {"nan", "NaN", "NAN", "inf", "Inf", "INF", "infinity", "Infinity"};
    word += *word == '-' || *word == '+';
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

static pl_status take_word(cursor *c, pl__json *value)
{
    char word[64];
    size_t length = 0;
    cursor start = *c;
    while (c->at < c->end && word_byte(*c->at))
    {
        if (length < sizeof word - 1)
            word[length] = (char)*c->at;
        length++;
        advance(c);
    }
    if (length >= sizeof word)
        return fail_here(&start, "a number or word of %zu characters is too long; at most %zu", length,
                         sizeof word - 1);
    word[length] = 0;
    static const struct
    {
        const char *word;
        pl__json_kind kind;
        double number;
    } words[] = {{"true", PL__JSON_BOOL, 1}, {"false", PL__JSON_BOOL, 0}, {"null", PL__JSON_NULL, 0}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
        if (strcmp(word, words[i].word) == 0)
        {
            value->kind = words[i].kind;
            value->number = words[i].number;
            return PL_OK;
        }
    value->kind = PL__JSON_NUMBER;
    if (is_number(word) && pl__parse_real(word, length, &value->number))
        return isfinite(value->number)
                   ? PL_OK
                   : fail_here(&start, "%s is larger than any number here; at most 1.797e308", word);
    if (is_not_finite(word))
        return fail_here(&start, "%s is not a number of JSON; numbers are finite", word);
    if (strchr("+-.0123456789", word[0]) && word[0])
        return fail_here(&start, "'%s' is not a number; write it like 12, -0.5 or 2e4", word);
    char text[32];
    return fail_here(&start, "expected a value, found %s; strings take double quotes", found(&start, text));
}

// ---- values ----------------------------------------------------------------------------------------------------

static pl_status take_value(cursor *c, pl__json **value);

static pl__json *new_value(cursor *c)
{
    pl__json *value = pl__json_take(c->doc, 1, sizeof *value);
    if (value)
    {
        value->source = c->name;
        value->line = c->option ? 0 : c->line;
        value->column = c->column;
    }
    return value;
}

// Slot of a key in the hash table of its object, or the empty slot where it belongs.
static pl__json **find_slot(const pl__json *object, const char *key, uint32_t hash)
{
    uint32_t mask = object->slot_count - 1, i = hash & mask;
    while (object->slot[i] && (object->slot[i]->key_hash != hash || strcmp(object->slot[i]->key, key) != 0))
        i = (i + 1) & mask;
    return &object->slot[i];
}

// Keep the hash table at most half full, once there are enough keys. False when out of memory.
static bool make_slots(pl__json_doc *doc, pl__json *object)
{
    if (object->count < FEW_KEYS || 2 * ((uint32_t)object->count + 1) <= object->slot_count)
        return true;
    object->slot_count = object->slot ? 2 * object->slot_count : 4 * FEW_KEYS;
    object->slot = pl__json_take(doc, object->slot_count, sizeof *object->slot);
    if (!object->slot)
        return false;
    for (pl__json *child = object->first; child; child = child->next)
        *find_slot(object, child->key, child->key_hash) = child;
    return true;
}

static void append(pl__json *parent, pl__json *child)
{
    if (parent->slot)
        *find_slot(parent, child->key, child->key_hash) = child;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    child->parent = parent;
    child->index = parent->count++;
}

static pl_status fail_unclosed(const cursor *c, const pl__json *parent)
{
    bool list = parent->kind == PL__JSON_ARRAY;
    if (c->option)
        return fail_here(c, "a '%c' has no '%c'", list ? '[' : '{', list ? ']' : '}');
    return fail_here(c, "the file ends, but the '%c' on line %d has no '%c'", list ? '[' : '{', parent->line,
                     list ? ']' : '}');
}

// After an element: a comma, or the closing bracket. Sets `*done`.
static pl_status take_separator(cursor *c, const pl__json *parent, char close, bool *done)
{
    char text[32];
    PL_TRY(skip(c));
    bool comma = c->at < c->end && *c->at == ',';
    if (comma)
    {
        advance(c);
        PL_TRY(skip(c));
    }
    *done = c->at < c->end && *c->at == (unsigned char)close;
    if (*done)
        advance(c);
    else if (c->at == c->end)
        return fail_unclosed(c, parent);
    else if (!comma)
        return fail_here(c, "expected ',' or '%c', found %s", close, found(c, text));
    return PL_OK;
}

static pl_status take_array(cursor *c, pl__json *array)
{
    array->kind = PL__JSON_ARRAY;
    advance(c);
    PL_TRY(skip(c));
    bool done = c->at < c->end && *c->at == ']';
    if (done)
        advance(c);
    while (!done)
    {
        pl__json *child;
        if (c->at == c->end)
            return fail_unclosed(c, array);
        PL_TRY(take_value(c, &child));
        append(array, child);
        PL_TRY(take_separator(c, array, ']', &done));
    }
    return PL_OK;
}

static uint32_t hash_key(const char *key) { return (uint32_t)pl__hash(0, key, strlen(key)); }

// Report something that is not a key, with a guess at the mistake.
static pl_status fail_key(const cursor *c, const pl__json *object)
{
    char text[32];
    bool after_number = object->last && object->last->kind == PL__JSON_NUMBER && *c->at >= '0' && *c->at <= '9';
    const char *advice = after_number    ? "; decimals take a point, not a comma"
                         : *c->at == '#' ? "; comments begin with //"
                                         : "";
    return fail_here(c, "expected a key in double quotes, found %s%s", found(c, text), advice);
}

static pl_status fail_twice(const cursor *c, const char *key, const pl__json *first)
{
    if (c->option)
        return fail_here(c, "\"%.60s\" stands here twice; keep one", key);
    return fail_here(c, "\"%.60s\" stands here twice, first on line %d; keep one", key, first->key_line);
}

static pl_status take_key(cursor *c, pl__json *object, const char **key)
{
    char text[32];
    if (c->at == c->end)
        return fail_unclosed(c, object);
    if (*c->at != '"')
        return fail_key(c, object);
    cursor start = *c;
    PL_TRY(take_string(c, key));
    if (object->count >= MOST_KEYS)
        return fail_here(&start, "an object may have at most %d keys", MOST_KEYS);
    const pl__json *twin = pl__json_find(object, *key);
    if (twin)
        return fail_twice(&start, *key, twin);
    PL_TRY(skip(c));
    if (c->at == c->end || *c->at != ':')
        return fail_here(c, "expected ':' after the key \"%.60s\", found %s", *key, found(c, text));
    advance(c);
    return skip(c);
}

static pl_status take_object(cursor *c, pl__json *object)
{
    object->kind = PL__JSON_OBJECT;
    advance(c);
    PL_TRY(skip(c));
    bool done = c->at < c->end && *c->at == '}';
    if (done)
        advance(c);
    while (!done)
    {
        const char *key;
        int32_t line = c->option ? 0 : c->line, column = c->column;
        pl__json *child;
        PL_TRY(take_key(c, object, &key));
        PL_TRY(take_value(c, &child));
        child->key = key;
        child->key_hash = hash_key(key);
        child->key_line = line;
        child->key_column = column;
        if (!make_slots(c->doc, object))
            return PL_ERR_MEMORY;
        append(object, child);
        PL_TRY(take_separator(c, object, '}', &done));
    }
    return PL_OK;
}

static pl_status take_value(cursor *c, pl__json **out)
{
    char text[32];
    PL_TRY(skip(c));
    pl__json *value = *out = new_value(c);
    if (!value)
        return PL_ERR_MEMORY;
    if (c->depth >= DEEPEST)
        return fail_here(c, "lists and objects may be at most %d deep in each other", DEEPEST);
    pl_status status;
    c->depth++;
    if (c->at == c->end)
        status = fail_here(c,
                           c->depth == 1 ? "there is nothing to read here; expected an object, {...}"
                                         : "expected a value, found %s",
                           found(c, text));
    else if (*c->at == '{')
        status = take_object(c, value);
    else if (*c->at == '[')
        status = take_array(c, value);
    else if (*c->at == '"')
    {
        value->kind = PL__JSON_STRING;
        status = take_string(c, &value->text);
    }
    else if (word_byte(*c->at))
        status = take_word(c, value);
    else
        status = fail_here(c, *c->at == '\'' ? "strings take double quotes, not %s" : "expected a value, found %s",
                           found(c, text));
    c->depth--;
    return status;
}

static pl_status take_document(cursor *c, pl__json **root)
{
    char text[32];
    PL_TRY(take_value(c, root));
    PL_TRY(skip(c));
    return c->at == c->end ? PL_OK
                           : fail_here(c, "expected %s after a whole value, found %s",
                                       c->option ? "nothing" : "the end of the file", found(c, text));
}

static pl_status take_file(cursor *c, size_t size, pl__json **root)
{
    if (size >= INT32_MAX)
        return fail_here(c, "%zu bytes are too many for a text file; at most %d", size, INT32_MAX - 1);
    if (size >= 2 && (memcmp(c->at, "\xff\xfe", 2) == 0 || memcmp(c->at, "\xfe\xff", 2) == 0))
        return fail_here(c, "this is UTF-16; save the file as UTF-8");
    if (size >= 3 && memcmp(c->at, "\xef\xbb\xbf", 3) == 0)
        c->at += 3;
    return take_document(c, root);
}

pl_status pl__json_parse(pl_context *ctx, const char *name, const void *data, size_t size, pl__json_doc *doc)
{
    *doc = (pl__json_doc){.ctx = ctx};
    const char *kept = pl__json_keep(doc, name);
    cursor c = {.doc = doc, .name = kept, .at = data, .line = 1, .column = 1};
    pl_status status = PL_ERR_MEMORY;
    if (kept)
    {
        c.end = size ? c.at + size : c.at;
        status = take_file(&c, size, &doc->root);
    }
    if (status != PL_OK)
        pl__json_free(doc);
    return status;
}

// Whether a bare word on the command line is JSON (number, true, ...) rather than a string.
static bool looks_like_json(const char *text)
{
    return text[0] && (strchr("[{\"", text[0]) || is_number(text) || strcmp(text, "true") == 0 ||
                       strcmp(text, "false") == 0 || strcmp(text, "null") == 0);
}

pl_status pl__json_parse_option(pl__json_doc *doc, const char *option, const char *text, pl__json **value)
{
    const char *kept = pl__json_keep(doc, option);
    if (!kept)
        return PL_ERR_MEMORY;
    cursor c = {.doc = doc, .name = kept, .option = true, .at = (const unsigned char *)text, .line = 1, .column = 1};
    c.end = c.at + strlen(text);
    if (looks_like_json(text))
        return take_document(&c, value);
    *value = new_value(&c);
    if (!*value || !((*value)->text = pl__json_keep(doc, text)))
        return PL_ERR_MEMORY;
    (*value)->kind = PL__JSON_STRING;
    return PL_OK;
}

// ---- trees -----------------------------------------------------------------------------------------------------

pl__json *pl__json_find(const pl__json *object, const char *key)
{
    if (!object || object->kind != PL__JSON_OBJECT)
        return NULL;
    uint32_t hash = hash_key(key);
    if (object->slot)
        return *find_slot(object, key, hash);
    for (pl__json *child = object->first; child; child = child->next)
        if (child->key_hash == hash && strcmp(child->key, key) == 0)
            return child;
    return NULL;
}

pl__json *pl__json_new(pl__json_doc *doc, pl__json_kind kind, const pl__json *where)
{
    pl__json *value = pl__json_take(doc, 1, sizeof *value);
    if (value)
        *value = (pl__json){.kind = kind, .source = where->source, .line = where->line, .column = where->column};
    return value;
}

bool pl__json_put(pl__json_doc *doc, pl__json *object, const char *key, pl__json *value)
{
    value->key = pl__json_keep(doc, key);
    if (!value->key)
        return false;
    value->key_hash = hash_key(key);
    value->key_line = value->line;
    value->key_column = value->column;
    if (!make_slots(doc, object))
        return false;
    pl__json *before = NULL, *old = object->first;
    while (old && strcmp(old->key, key) != 0)
    {
        before = old;
        old = old->next;
    }
    if (!old)
    {
        append(object, value);
        return true;
    }
    value->next = old->next;
    value->index = old->index;
    value->parent = object;
    if (object->slot)
        *find_slot(object, key, value->key_hash) = value;
    if (before)
        before->next = value;
    else
        object->first = value;
    if (object->last == old)
        object->last = value;
    return true;
}

const char *pl__json_kind_name(const pl__json *value)
{
    static const char *const names[] = {"null", "false", "a number", "a string", "a list", "an object"};
    return value->kind == PL__JSON_BOOL && value->number != 0 ? "true" : names[value->kind];
}

void pl__json_adopt(pl__json *parent)
{
    for (pl__json *child = parent->first; child; child = child->next)
        child->parent = parent;
}

void pl__json_path(const pl__json *value, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    if (value->parent)
        pl__json_path(value->parent, text, size);
    used = strlen(text);
    const char *joint = used ? "." : "";
    if (value->key)
        snprintf(text + used, size - used, "%s%.64s", joint, value->key);
    else if (value->parent && value->kind == PL__JSON_OBJECT)
        snprintf(text + used, size - used, "%s%d", joint, value->index);
}

// The child named by a part of a path.
static const pl__json *child_of(const pl__json *parent, const char *part, size_t length)
{
    char index[16];
    for (const pl__json *child = parent->first; child; child = child->next)
    {
        snprintf(index, sizeof index, "%d", child->index);
        const char *name = child->key ? child->key : index;
        if (strlen(name) == length && strncmp(name, part, length) == 0)
            return child;
    }
    return NULL;
}

const pl__json *pl__json_at(const pl__json *root, const char *path)
{
    while (root && *path)
    {
        size_t length = strcspn(path, ".");
        root = child_of(root, path, length);
        path += length + (path[length] == '.');
    }
    return root;
}

void pl__json_place(const pl__json *value, char *text, size_t size)
{
    if (value->line)
        snprintf(text, size, "%.200s:%d:%d", value->source, value->line, value->column);
    else
        snprintf(text, size, "--set %.100s", value->source);
}

static pl_status fail_about(pl_context *ctx, const pl__json *value, pl_status status)
{
    char path[PL__ERROR_PATH];
    pl__json_path(value, path, sizeof path);
    return pl__fail_about(ctx, status, path);
}

pl_status pl__json_fail(pl_context *ctx, const pl__json *value, const char *format, ...)
{
    char place[256], sentence[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    pl__json_place(value, place, sizeof place);
    return fail_about(ctx, value, fail_on_one_line(ctx, place, sentence));
}

pl_status pl__json_fail_key(pl_context *ctx, const pl__json *value, const char *format, ...)
{
    char place[256], sentence[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    pl__json at_key = {.source = value->source, .line = value->key_line, .column = value->key_column};
    pl__json_place(&at_key, place, sizeof place);
    return fail_about(ctx, value, fail_on_one_line(ctx, place, sentence));
}

// For objects with the same number of keys.
static bool equal_objects(const pl__json *a, const pl__json *b)
{
    for (const pl__json *child = a->first; child; child = child->next)
    {
        const pl__json *other = pl__json_find(b, child->key);
        if (!other || !pl__json_equal(child, other))
            return false;
    }
    return true;
}

bool pl__json_equal(const pl__json *a, const pl__json *b)
{
    if (a->kind != b->kind || a->count != b->count)
        return false;
    if (a->kind == PL__JSON_STRING)
        return strcmp(a->text, b->text) == 0;
    if (a->kind == PL__JSON_OBJECT)
        return equal_objects(a, b);
    if (a->kind != PL__JSON_ARRAY)
        return a->number == b->number;
    const pl__json *y = b->first;
    for (const pl__json *x = a->first; x; x = x->next, y = y->next)
        if (!pl__json_equal(x, y))
            return false;
    return true;
}

// ---- writing ---------------------------------------------------------------------------------------------------

void pl__json_write_string(pl__writer *w, const char *text)
{
    pl__write_text(w, "\"");
    for (const unsigned char *at = (const unsigned char *)text; *at; ++at)
    {
        char escaped[8];
        if (*at == '"' || *at == '\\')
            snprintf(escaped, sizeof escaped, "\\%c", *at);
        else if (*at < 32 || *at == 127)
            snprintf(escaped, sizeof escaped, "\\u%04x", *at);
        else
            snprintf(escaped, sizeof escaped, "%c", *at);
        pl__write_text(w, escaped);
    }
    pl__write_text(w, "\"");
}

static bool is_flat(const pl__json *value)
{
    if (value->kind == PL__JSON_OBJECT)
        return value->count == 0;
    for (const pl__json *child = value->first; child; child = child->next)
        if (!is_flat(child))
            return false;
    return true;
}

static void new_line(pl__writer *w, int indent)
{
    pl__write_text(w, "\n");
    for (int i = 0; i < indent; ++i)
        pl__write_text(w, "  ");
}

static void write_children(pl__writer *w, const pl__json *value, int indent)
{
    bool flat = is_flat(value);
    pl__write_text(w, value->kind == PL__JSON_OBJECT ? "{" : "[");
    for (const pl__json *child = value->first; child; child = child->next)
    {
        if (!flat)
            new_line(w, indent + 1);
        else if (child != value->first)
            pl__write_text(w, " ");
        if (child->key)
        {
            pl__json_write_string(w, child->key);
            pl__write_text(w, ": ");
        }
        pl__json_write(w, child, indent + 1);
        if (child->next)
            pl__write_text(w, ",");
    }
    if (!flat)
        new_line(w, indent);
    pl__write_text(w, value->kind == PL__JSON_OBJECT ? "}" : "]");
}

void pl__json_write(pl__writer *w, const pl__json *value, int indent)
{
    switch (value->kind)
    {
    case PL__JSON_NULL: pl__write_text(w, "null"); break;
    case PL__JSON_BOOL: pl__write_text(w, value->number != 0 ? "true" : "false"); break;
    case PL__JSON_NUMBER: pl__write_real(w, value->number); break;
    case PL__JSON_STRING: pl__json_write_string(w, value->text); break;
    case PL__JSON_ARRAY:
    case PL__JSON_OBJECT: write_children(w, value, indent); break;
    }
}
