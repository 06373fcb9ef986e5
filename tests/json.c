// tests/json.c -- JSON with comments: where everything stood, what it says, and what is refused.
#include "base/random.h"
#include "host.h"
#include "scene/json.h"

#include <unistd.h>

static pl_status parse(pl_context *ctx, const char *text, pl__json_doc *doc)
{
    return pl__json_parse(ctx, "in", text, strlen(text), doc);
}

// The document of a text that must be right.
static pl__json_doc read_text(pl_context *ctx, const char *text)
{
    pl__json_doc doc;
    CHECK_THAT(parse(ctx, text, &doc) == PL_OK, "%s: %s", text, pl_context_error(ctx));
    return doc;
}

// ---- places ----------------------------------------------------------------------------------------------------

static void check_place(const pl__json *value, int32_t line, int32_t column, int32_t key_line, int32_t key_column)
{
    CHECK_THAT(value && value->line == line && value->column == column, "%d:%d, not %d:%d", value ? value->line : 0,
               value ? value->column : 0, line, column);
    CHECK_THAT(value && value->key_line == key_line && value->key_column == key_column, "key %d:%d",
               value ? value->key_line : 0, value ? value->key_column : 0);
}

static void values_know_their_places(void)
{
    pl_context *ctx = test_context(1);
    pl__json_doc doc =
        read_text(ctx, "{ \"a\": 1,\n\t\"b\" :\n  [ true, /* x\n y */ null ],\r\n// no\r\n\t\t\"c\": { } }");
    check_place(doc.root, 1, 1, 0, 0);
    check_place(pl__json_find(doc.root, "a"), 1, 8, 1, 3);
    const pl__json *b = pl__json_find(doc.root, "b");
    check_place(b, 3, 3, 2, 2); // a tab is one column
    check_place(b->first, 3, 5, 0, 0);
    check_place(b->last, 4, 7, 0, 0);
    check_place(pl__json_find(doc.root, "c"), 6, 8, 6, 3);
    pl__json_free(&doc);
    // characters, not bytes: of two, three and four; the mark at the beginning of a file is none
    doc = read_text(ctx, "\xef\xbb\xbf{\"\xc3\xbc\xe2\x82\xac\xf0\x9f\x90\xb0\": 1, \"b\": 2}");
    check_place(pl__json_find(doc.root, "\xc3\xbc\xe2\x82\xac\xf0\x9f\x90\xb0"), 1, 9, 1, 2);
    check_place(pl__json_find(doc.root, "b"), 1, 17, 1, 12);
    pl__json_free(&doc);
    pl_context_destroy(&ctx);
}

static void places_in_words(void)
{
    pl_context *ctx = test_context(1);
    pl__json_doc doc = read_text(ctx, "{\n \"a\":  5 }");
    const pl__json *a = pl__json_find(doc.root, "a");
    char place[256];
    pl__json_place(a, place, sizeof place);
    CHECK(strcmp(place, "in:2:8") == 0);
    CHECK(pl__json_fail(ctx, a, "%d is %s", 5, "odd") == PL_ERR_FORMAT &&
          strcmp(pl_context_error(ctx), "in:2:8: 5 is odd") == 0);
    CHECK(pl__json_fail_key(ctx, a, "why") == PL_ERR_FORMAT && strcmp(pl_context_error(ctx), "in:2:2: why") == 0);
    CHECK(pl__json_fail(ctx, a, "two\nlines\x7f") == PL_ERR_FORMAT &&
          strcmp(pl_context_error(ctx), "in:2:8: two?lines?") == 0);
    pl__json *option;
    CHECK_OK(ctx, pl__json_parse_option(&doc, "a.b=[1]", "[1]", &option));
    CHECK(pl__json_fail(ctx, option->first, "no") == PL_ERR_FORMAT &&
          strcmp(pl_context_error(ctx), "--set a.b=[1]: no") == 0);
    pl__json_free(&doc);
    pl_context_destroy(&ctx);
}

// ---- values ----------------------------------------------------------------------------------------------------

static void strings_and_escapes(void)
{
    static const struct
    {
        const char *text, *means;
    } cases[] = {{"\"\"", ""},
                 {"\"a b\"", "a b"},
                 {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
                 {"\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac"},
                 {"\"\\ud83d\\udc30\"", "\xf0\x9f\x90\xb0"},
                 {"\"\\ud800\\udc00\\udbff\\udfff\"", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"},
                 {"\"\\uffff\\u0800\\u07ff\\u0080\\u007f\"", "\xef\xbf\xbf\xe0\xa0\x80\xdf\xbf\xc2\x80\x7f"},
                 {"\"// no /* comment */\"", "// no /* comment */"}};
    pl_context *ctx = test_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        pl__json_doc doc = read_text(ctx, cases[i].text);
        CHECK_THAT(doc.root && doc.root->kind == PL__JSON_STRING && strcmp(doc.root->text, cases[i].means) == 0, "%s",
                   cases[i].text);
        pl__json_free(&doc);
    }
    pl_context_destroy(&ctx);
}

static void check_number(pl_context *ctx, const char *text)
{
    pl__json_doc doc = read_text(ctx, text);
    double expected = strtod(text, NULL);
    CHECK_THAT(doc.root && doc.root->kind == PL__JSON_NUMBER &&
                   memcmp(&doc.root->number, &expected, sizeof expected) == 0,
               "%s: %.17g, not %.17g", text, doc.root ? doc.root->number : 0, expected);
    pl__json_free(&doc);
}

// Rounded as strtod does, for all sizes, and for halves between two numbers.
static void numbers_are_exact(void)
{
    static const char *const hard[] = {"0",
                                       "-0",
                                       "-0.0",
                                       "0e5",
                                       "1",
                                       "-1",
                                       "10.50",
                                       "1e0",
                                       "1E+5",
                                       "1e-5",
                                       "0.1",
                                       "9007199254740993",
                                       "9007199254740992.5",
                                       "1.7976931348623157e308",
                                       "4.9e-324",
                                       "2.47e-324",
                                       "2.2250738585072011e-308",
                                       "1e-400",
                                       "1e22",
                                       "1e23",
                                       "8.5e-1",
                                       "123456789012345678901234567890",
                                       "0.000000000000000000000000000000123",
                                       "6.9294956446009195e15"};
    pl_context *ctx = test_context(1);
    for (size_t i = 0; i < sizeof hard / sizeof hard[0]; ++i)
        check_number(ctx, hard[i]);
    for (uint64_t i = 0; i < 20000; ++i)
    {
        char text[64];
        double value = (pl__random01(1, 0, i) - 0.5) * pow(10, 600 * pl__random01(2, 0, i) - 300);
        snprintf(text, sizeof text, i % 3 == 0 ? "%.17g" : i % 3 == 1 ? "%.16e" : "%.6g", value);
        char *plus = strstr(text, "inf");
        if (!plus)
            check_number(ctx, text);
    }
    pl_context_destroy(&ctx);
}

static void words_comments_and_commas(void)
{
    pl_context *ctx = test_context(1);
    pl__json_doc doc =
        read_text(ctx, "/**/ [ true, // yes\n false /* , */ , null , [ ] , { } , [ 1 , ] , { \"a\" : 1 , } , ] // end");
    static const pl__json_kind kinds[] = {PL__JSON_BOOL,   PL__JSON_BOOL,  PL__JSON_NULL,  PL__JSON_ARRAY,
                                          PL__JSON_OBJECT, PL__JSON_ARRAY, PL__JSON_OBJECT};
    int32_t i = 0;
    for (const pl__json *child = doc.root->first; child; child = child->next, ++i)
        CHECK(i < 7 && child->kind == kinds[i] && child->index == i);
    CHECK(i == 7 && doc.root->count == 7 && doc.root->first->number == 1 && doc.root->first->next->number == 0 &&
          doc.root->last->count == 1);
    pl__json_free(&doc);
    pl_context_destroy(&ctx);
}

// ---- refusals --------------------------------------------------------------------------------------------------

static const struct
{
    const char *text, *sentence;
} wrong[] = {
    {"", "in:1:1: there is nothing to read here; expected an object, {...}"},
    {" \n// no\n", "in:3:1: there is nothing to read here; expected an object, {...}"},
    {"/* no", "in:1:1: this comment has no end; close it with */"},
    {"[1, /*", "in:1:5: this comment has no end; close it with */"},
    {"/", "in:1:1: expected a value, found '/'"},
    {"{", "in:1:2: the file ends, but the '{' on line 1 has no '}'"},
    {"{\n\"a\": 1", "in:2:7: the file ends, but the '{' on line 1 has no '}'"},
    {"{\"a\": 1,", "in:1:9: the file ends, but the '{' on line 1 has no '}'"},
    {"[", "in:1:2: the file ends, but the '[' on line 1 has no ']'"},
    {"[1,", "in:1:4: the file ends, but the '[' on line 1 has no ']'"},
    {"{\"a\"", "in:1:5: expected ':' after the key \"a\", found the end of the file"},
    {"{\"a\":", "in:1:6: expected a value, found the end of the file"},
    {"{\"a\" 1}", "in:1:6: expected ':' after the key \"a\", found '1'"},
    {"{a: 1}", "in:1:2: expected a key in double quotes, found 'a'"},
    {"{'a': 1}", "in:1:2: expected a key in double quotes, found 'a'"},
    {"{,}", "in:1:2: expected a key in double quotes, found ','"},
    {"{\"a\": 0,5}", "in:1:9: expected a key in double quotes, found '5'; decimals take a point, not a comma"},
    {"{ # no\n}", "in:1:3: expected a key in double quotes, found '#'; comments begin with //"},
    {"[,]", "in:1:2: expected a value, found ','"},
    {"[1,,2]", "in:1:4: expected a value, found ','"},
    {"[1 2]", "in:1:4: expected ',' or ']', found '2'"},
    {"[1}", "in:1:3: expected ',' or ']', found '}'"},
    {"{\"a\": 1]", "in:1:8: expected ',' or '}', found ']'"},
    {"[1] 2", "in:1:5: expected the end of the file after a whole value, found '2'"},
    {"]", "in:1:1: expected a value, found ']'"},
    {"'a'", "in:1:1: strings take double quotes, not 'a'"},
    {"hello", "in:1:1: expected a value, found 'hello'; strings take double quotes"},
    {"True", "in:1:1: expected a value, found 'True'; strings take double quotes"},
    {"NaN", "in:1:1: NaN is not a number of JSON; numbers are finite"},
    {"-inf", "in:1:1: -inf is not a number of JSON; numbers are finite"},
    {"+1", "in:1:1: '+1' is not a number; write it like 12, -0.5 or 2e4"},
    {"01", "in:1:1: '01' is not a number; write it like 12, -0.5 or 2e4"},
    {"1.", "in:1:1: '1.' is not a number; write it like 12, -0.5 or 2e4"},
    {".5", "in:1:1: '.5' is not a number; write it like 12, -0.5 or 2e4"},
    {"1e", "in:1:1: '1e' is not a number; write it like 12, -0.5 or 2e4"},
    {"1d5", "in:1:1: '1d5' is not a number; write it like 12, -0.5 or 2e4"},
    {"-", "in:1:1: '-' is not a number; write it like 12, -0.5 or 2e4"},
    {"1-2", "in:1:1: '1-2' is not a number; write it like 12, -0.5 or 2e4"},
    {"0x10", "in:1:1: '0x10' is not a number; write it like 12, -0.5 or 2e4"},
    {"1e309", "in:1:1: 1e309 is larger than any number here; at most 1.797e308"},
    {"-1e999", "in:1:1: -1e999 is larger than any number here; at most 1.797e308"},
    {"0.1000000000000000000000000000000000000000000000000000000000000000",
     "in:1:1: a number or word of 66 characters is too long; at most 63"},
    {"\"a", "in:1:1: this string has no end; close it with \""},
    {"\"a\n\"", "in:1:3: a string ends on its own line; is a closing \" missing?"},
    {"\"a\tb\"", "in:1:3: control characters in strings are written as \\u00XX"},
    {"\"\\x\"", "in:1:3: after \\ comes one of \" \\ / b f n r t u"},
    {"\"\\", "in:1:3: after \\ comes one of \" \\ / b f n r t u"},
    {"\"\\u12\"", "in:1:6: \\u takes four hexadecimal digits"},
    {"\"\\u12", "in:1:6: \\u takes four hexadecimal digits"},
    {"\"\\ud83d\"", "in:1:8: half of a surrogate pair; the other half must follow as \\u"},
    {"\"\\ud83d\\u0041\"", "in:1:14: half of a surrogate pair; the other half must follow as \\u"},
    {"\"\\udc00\"", "in:1:8: \\udc00 is no character"},
    {"\"\\u0000\"", "in:1:8: \\u0000 is no character"},
    {"\"\xff\"", "in:1:2: byte 0xff is not UTF-8; save the file as UTF-8"},
    {"\"\xc0\xaf\"", "in:1:2: byte 0xc0 is not UTF-8; save the file as UTF-8"},         // overlong
    {"\"\xe0\x9f\xbf\"", "in:1:2: byte 0xe0 is not UTF-8; save the file as UTF-8"},     // overlong
    {"\"\xed\xa0\x80\"", "in:1:2: byte 0xed is not UTF-8; save the file as UTF-8"},     // a surrogate
    {"\"\xf4\x90\x80\x80\"", "in:1:2: byte 0xf4 is not UTF-8; save the file as UTF-8"}, // beyond Unicode
    {"\"\xe2\x82\"", "in:1:2: byte 0xe2 is not UTF-8; save the file as UTF-8"},         // cut short
    {"\xff\xfe{", "in:1:1: this is UTF-16; save the file as UTF-8"},
    {"\x01", "in:1:1: expected a value, found byte 0x01"},
    {"{\"a\": 1,\n \"b\": 2,\n \"a\": 3}", "in:3:2: \"a\" stands here twice, first on line 1; keep one"},
    {"{\"a\": 1, \"\\u0061\": 3}", "in:1:10: \"a\" stands here twice, first on line 1; keep one"},
};

static void malformed_text_is_refused(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
    {
        pl__json_doc doc;
        CHECK_THAT(parse(ctx, wrong[i].text, &doc) == PL_ERR_FORMAT, "%s was accepted", wrong[i].text);
        CHECK_THAT(strcmp(pl_context_error(ctx), wrong[i].sentence) == 0, "%s: %s", wrong[i].text,
                   pl_context_error(ctx));
        CHECK(doc.root == NULL && pl_context_memory(ctx) == 0);
    }
    pl_context_destroy(&ctx);
}

// `depth` opening brackets, a number, and the closing ones.
static pl_status parse_deep(pl_context *ctx, int depth, bool objects)
{
    char text[1024], *to = text;
    pl__json_doc doc;
    for (int i = 0; i < depth; ++i)
        to += sprintf(to, objects ? "{\"a\":" : "[");
    *to++ = '0';
    for (int i = 0; i < depth; ++i)
        *to++ = objects ? '}' : ']';
    pl_status status = pl__json_parse(ctx, "in", text, (size_t)(to - text), &doc);
    pl__json_free(&doc);
    return status;
}

static void depth_and_keys_are_limited(void)
{
    pl_context *ctx = test_context(1);
    for (int objects = 0; objects < 2; ++objects)
    {
        CHECK(parse_deep(ctx, 63, objects) == PL_OK);
        CHECK(parse_deep(ctx, 64, objects) == PL_ERR_FORMAT && strstr(pl_context_error(ctx), "at most 64 deep"));
    }
    enum
    {
        COUNT = 10001
    };
    char *text = malloc(16 * COUNT), *to = text;
    pl__json_doc doc;
    *to++ = '{';
    for (int i = 0; i < COUNT; ++i)
    {
        if (i == COUNT - 1)
        {
            *to = '}';
            CHECK_OK(ctx, pl__json_parse(ctx, "in", text, (size_t)(to + 1 - text), &doc));
            pl__json_free(&doc);
        }
        to += sprintf(to, "\"k%d\":%d,", i, i);
    }
    *to++ = '}';
    CHECK(pl__json_parse(ctx, "in", text, (size_t)(to - text), &doc) == PL_ERR_FORMAT &&
          strstr(pl_context_error(ctx), "at most 10000 keys"));
    free(text);
    pl_context_destroy(&ctx);
}

// ---- trees -----------------------------------------------------------------------------------------------------

// Objects of many keys find them all, by name and by place, also after some were replaced.
static void large_objects_find_their_keys(void)
{
    enum
    {
        COUNT = 1000
    };
    host h;
    pl_context *ctx = host_context(&h);
    pl__json_doc doc = read_text(ctx, "{}");
    char key[16];
    for (int pass = 0; pass < 2; ++pass)
        for (int i = 0; i < COUNT; i += 1 + 6 * pass)
        {
            pl__json *value = pl__json_new(&doc, PL__JSON_NUMBER, doc.root);
            value->number = i + 10000 * pass;
            snprintf(key, sizeof key, "key%d", i);
            CHECK(pl__json_put(&doc, doc.root, key, value));
        }
    CHECK(doc.root->count == COUNT && !pl__json_find(doc.root, "key1000") && !pl__json_find(doc.root, ""));
    int32_t i = 0;
    for (const pl__json *child = doc.root->first; child; child = child->next, ++i)
    {
        snprintf(key, sizeof key, "key%d", i);
        CHECK(strcmp(child->key, key) == 0 && child->index == i && pl__json_find(doc.root, key) == child &&
              child->number == i + 10000 * (i % 7 == 0));
        CHECK((child == doc.root->last) == (i == COUNT - 1));
    }
    CHECK(i == COUNT);
    pl__json_free(&doc);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

static void put_replaces_in_its_place(void)
{
    pl_context *ctx = test_context(1);
    pl__json_doc doc = read_text(ctx, "{ \"a\": 1, \"b\": 2, \"c\": 3 }"),
                 expected = read_text(ctx, "{ \"a\": [], \"b\": [], \"c\": [], \"d\": [] }");
    static const char *const keys[] = {"b", "c", "a", "d"};
    for (int i = 0; i < 4; ++i)
        CHECK(pl__json_put(&doc, doc.root, keys[i], pl__json_new(&doc, PL__JSON_ARRAY, doc.root)));
    CHECK(pl__json_equal(doc.root, expected.root) && strcmp(doc.root->first->key, "a") == 0 &&
          strcmp(doc.root->last->key, "d") == 0);
    CHECK(pl__json_find(doc.root->first, "a") == NULL && pl__json_find(NULL, "a") == NULL);
    pl__json_free(&doc);
    pl__json_free(&expected);
    pl_context_destroy(&ctx);
}

static void options_are_json_or_words(void)
{
    static const struct
    {
        const char *text;
        pl__json_kind kind;
    } cases[] = {{"5", PL__JSON_NUMBER},     {"-1e3", PL__JSON_NUMBER},  {"true", PL__JSON_BOOL},
                 {"null", PL__JSON_NULL},    {"[1, 2]", PL__JSON_ARRAY}, {"{\"a\": 1}", PL__JSON_OBJECT},
                 {"\"5\"", PL__JSON_STRING}, {"steel", PL__JSON_STRING}, {"a.obj", PL__JSON_STRING},
                 {"", PL__JSON_STRING},      {"5cm", PL__JSON_STRING},   {"-", PL__JSON_STRING},
                 {"1e400x", PL__JSON_STRING}};
    pl_context *ctx = test_context(1);
    pl__json_doc doc = read_text(ctx, "{}");
    pl__json *value;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        CHECK_OK(ctx, pl__json_parse_option(&doc, "x=y", cases[i].text, &value));
        CHECK_THAT(value->kind == cases[i].kind && value->line == 0, "%s", cases[i].text);
        CHECK(value->kind != PL__JSON_STRING || cases[i].text[0] == '"' || strcmp(value->text, cases[i].text) == 0);
    }
    static const char *const bad[][2] = {
        {"[1", "--set x=y: a '[' has no ']'"},
        {"{\"a\": 1, \"a\": 2}", "--set x=y: \"a\" stands here twice; keep one"},
        {"[] 5", "--set x=y: expected nothing after a whole value, found '5'"},
        {"1e400", "--set x=y: 1e400 is larger than any number here; at most 1.797e308"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    {
        CHECK(pl__json_parse_option(&doc, "x=y", bad[i][0], &value) == PL_ERR_FORMAT);
        CHECK_THAT(strcmp(pl_context_error(ctx), bad[i][1]) == 0, "%s", pl_context_error(ctx));
    }
    pl__json_free(&doc);
    pl_context_destroy(&ctx);
}

static void equality_is_of_meaning(void)
{
    static const struct
    {
        const char *a, *b;
        bool equal;
    } cases[] = {{"1", "1.0e0", true},
                 {"1", "2", false},
                 {"true", "1", false},
                 {"null", "false", false},
                 {"\"a\"", "\"\\u0061\"", true},
                 {"\"a\"", "\"b\"", false},
                 {"[1, 2]", "[1, 2,]", true},
                 {"[1, 2]", "[2, 1]", false},
                 {"[1]", "[1, 1]", false},
                 {"[]", "{}", false},
                 {"{\"a\": 1, \"b\": [2]}", "{\"b\": [2], \"a\": 1}", true},
                 {"{\"a\": 1}", "{\"b\": 1}", false},
                 {"{\"a\": 1}", "{\"a\": 1, \"b\": 1}", false},
                 {"-0", "0", true}};
    pl_context *ctx = test_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        pl__json_doc a = read_text(ctx, cases[i].a), b = read_text(ctx, cases[i].b);
        CHECK_THAT(pl__json_equal(a.root, b.root) == cases[i].equal && pl__json_equal(b.root, a.root) == cases[i].equal,
                   "%s, %s", cases[i].a, cases[i].b);
        pl__json_free(&a);
        pl__json_free(&b);
    }
    pl_context_destroy(&ctx);
}

// ---- writing ---------------------------------------------------------------------------------------------------

static size_t write_and_load(pl_context *ctx, const pl__json *value, char *text, size_t size)
{
    char path[64];
    pl__writer w;
    snprintf(path, sizeof path, "/tmp/pliant_test_json_%ld.json", (long)getpid());
    CHECK_OK(ctx, pl__writer_open(&w, ctx, path));
    pl__json_write(&w, value, 0);
    CHECK_OK(ctx, pl__writer_commit(&w));
    FILE *file = fopen(path, "rb");
    size_t length = file ? fread(text, 1, size - 1, file) : 0;
    if (file)
        fclose(file);
    remove(path);
    text[length] = 0;
    return length;
}

static void check_round_trip(pl_context *ctx, const char *text)
{
    static char written[1 << 20];
    pl__json_doc before = read_text(ctx, text), after;
    size_t size = write_and_load(ctx, before.root, written, sizeof written);
    CHECK_OK(ctx, pl__json_parse(ctx, "written", written, size, &after));
    CHECK_THAT(after.root && pl__json_equal(before.root, after.root), "%s -> %s", text, written);
    pl__json_free(&before);
    pl__json_free(&after);
}

// What is written says the same, whatever its strings and numbers; and people can read it.
static void writing_and_reading_is_a_round_trip(void)
{
    pl_context *ctx = test_context(1);
    check_round_trip(ctx, "[0.1, 1e-300, 4.9e-324, 1.7976931348623157e308, -0.0, 123456789, 0.30000000000000004]");
    check_round_trip(ctx, "{ \"\": {}, \"a\\\"\\\\\\n\\u0001\\u007f\": \"\xf0\x9f\x90\xb0\\u00e9\", \"x\": [[], [[]], "
                          "{}], \"y\": [true, false, null] }");
    check_round_trip(ctx, "\"\"");
    for (uint64_t i = 0; i < 200; ++i)
    {
        char text[64];
        snprintf(text, sizeof text, "[%.17g]",
                 (pl__random01(1, 0, i) - 0.5) * pow(10, 600 * pl__random01(2, 0, i) - 300));
        check_round_trip(ctx, text);
    }
    char written[256];
    pl__json_doc doc = read_text(ctx, "{\"a\":[1,[2,3]],\"b\":{\"c\":\"d\"},\"e\":{},\"f\":[{\"g\":1}]}");
    (void)write_and_load(ctx, doc.root, written, sizeof written);
    CHECK_THAT(strcmp(written, "{\n  \"a\": [1, [2, 3]],\n  \"b\": {\n    \"c\": \"d\"\n  },\n  \"e\": {},\n  \"f\": "
                               "[\n    {\n      \"g\": 1\n    }\n  ]\n}") == 0,
               "%s", written);
    pl__json_free(&doc);
    pl_context_destroy(&ctx);
}

// ---- failures --------------------------------------------------------------------------------------------------

static pl_status parse_and_change(pl_context *ctx)
{
    // large enough for several blocks and tables of keys
    static char text[100000];
    char *to = text;
    to += sprintf(to, "{ \"list\": [");
    for (int i = 0; i < 500; ++i)
        to += sprintf(to, "%d, ", i);
    to += sprintf(to, "], \"map\": {");
    for (int i = 0; i < 500; ++i)
        to += sprintf(to, "\"k%d\": \"v%d\", ", i, i);
    sprintf(to, "} }");
    pl__json_doc doc;
    pl__json *value = NULL;
    PL_TRY(parse(ctx, text, &doc));
    pl_status status = pl__json_parse_option(&doc, "a=b", "[1, \"two\"]", &value);
    if (status == PL_OK && !pl__json_put(&doc, doc.root, "new", value))
        status = PL_ERR_MEMORY;
    if (status == PL_OK)
        CHECK(pl__json_find(pl__json_find(doc.root, "map"), "k499") && pl__json_find(doc.root, "new") == value);
    pl__json_free(&doc);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(parse_and_change) > 5); }

// A text cut anywhere is refused, and nothing beyond its end is read (a sanitizer would see).
static void every_prefix_is_refused(void)
{
    static const char text[] =
        "{ \"a\\u00e9\\ud83d\\udc30\": [1.5e3, true, /* c */ \"\xf0\x9f\x90\xb0\"], // d\n \"b\": { \"c\": null, }, }";
    host h;
    pl_context *ctx = host_context(&h);
    for (size_t size = 0; size + 1 < sizeof text; ++size)
    {
        char *copy = malloc(size ? size : 1);
        memcpy(copy, text, size);
        pl__json_doc doc;
        CHECK_THAT(pl__json_parse(ctx, "in", copy, size, &doc) == PL_ERR_FORMAT, "%zu bytes", size);
        CHECK(pl_context_memory(ctx) == 0);
        free(copy);
    }
    pl_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(values_know_their_places),
                                    TEST(places_in_words),
                                    TEST(strings_and_escapes),
                                    TEST(numbers_are_exact),
                                    TEST(words_comments_and_commas),
                                    TEST(malformed_text_is_refused),
                                    TEST(depth_and_keys_are_limited),
                                    TEST(large_objects_find_their_keys),
                                    TEST(put_replaces_in_its_place),
                                    TEST(options_are_json_or_words),
                                    TEST(equality_is_of_meaning),
                                    TEST(writing_and_reading_is_a_round_trip),
                                    TEST(every_failed_allocation_is_survived),
                                    TEST(every_prefix_is_refused)};
    return RUN(tests);
}
