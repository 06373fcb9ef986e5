// tests/message.c -- messages of the live page: what is taken, what is refused, and that nothing else happens.
#include "host.h"
#include "app/view/message.h"

static pl_status parse(pl_context *ctx, const char *text, message *m)
{
    return message_parse(ctx, text, strlen(text), m);
}

static void plain_kinds_are_read(void)
{
    static const struct
    {
        const char *name;
        message_kind kind;
    } plain[] = {{"frame", MESSAGE_FRAME},   {"play", MESSAGE_PLAY},     {"pause", MESSAGE_PAUSE},
                 {"step", MESSAGE_STEP},     {"reset", MESSAGE_RESET},   {"mark", MESSAGE_MARK},
                 {"return", MESSAGE_RETURN}, {"record", MESSAGE_RECORD}, {"live", MESSAGE_LIVE}};
    pl_context *ctx = test_context(1);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; ++i)
    {
        char text[64];
        message m;
        snprintf(text, sizeof text, "{\"kind\": \"%s\", \"more\": [1, {}]}", plain[i].name);
        CHECK_OK(ctx, parse(ctx, text, &m));
        CHECK(m.kind == plain[i].kind);
    }
    pl_context_destroy(&ctx);
}

static void fields_are_read(void)
{
    pl_context *ctx = test_context(1);
    message m;
    CHECK_OK(ctx, parse(ctx,
                        "{\"kind\":\"touch\",\"hand\":9,\"name\":\"grab\",\"from\":[1,2,3],\"along\":[0,-1e-3,0],"
                        "\"facing\":[4,5,6]}",
                        &m));
    CHECK(m.kind == MESSAGE_TOUCH && m.hand == 9 && strcmp(m.name, "grab") == 0 && m.from[2] == 3 &&
          m.along[1] == -1e-3 && m.facing[0] == 4);
    CHECK_OK(ctx, parse(ctx, "{\"value\":-2.5e4,\"path\":\"materials.jelly.young\",\"kind\":\"set\"}", &m));
    CHECK(m.kind == MESSAGE_SET && m.value == -2.5e4 && strcmp(m.path, "materials.jelly.young") == 0);
    CHECK_OK(ctx, parse(ctx, "{\"kind\":\"cut\",\"from\":[1,2,3],\"along\":[1,1,1],\"value\":35}", &m));
    CHECK(m.kind == MESSAGE_CUT && m.value == 35);
    pl_context_destroy(&ctx);
}

// Each with the word that its sentence must have.
static void what_makes_no_sense_is_refused_with_a_sentence(void)
{
    static const char *const wrong[][2] = {
        {"", ""},
        {"{", ""},
        {"[]", "object"},
        {"7", "object"},
        {"{}", "kind"},
        {"{\"kind\": 7}", "kind"},
        {"{\"kind\": \"fly\"}", "fly"},
        {"{\"kind\": \"speed\"}", "value"},
        {"{\"kind\": \"speed\", \"value\": \"1\"}", "value"},
        {"{\"kind\": \"speed\", \"value\": true}", "value"},
        {"{\"kind\": \"speed\", \"value\": 1e999}", ""},
        {"{\"kind\": \"lift\", \"hand\": 10}", "hand"},
        {"{\"kind\": \"lift\", \"hand\": -1}", "hand"},
        {"{\"kind\": \"lift\", \"hand\": 0.5}", "hand"},
        {"{\"kind\": \"drag\", \"hand\": 0, \"from\": [1, 2], \"along\": [0, 0, 1]}", "from"},
        {"{\"kind\": \"drag\", \"hand\": 0, \"from\": [1, 2, 3, 4], \"along\": [0, 0, 1]}", "from"},
        {"{\"kind\": \"drag\", \"hand\": 0, \"from\": [1, 2, null], \"along\": [0, 0, 1]}", "from"},
        {"{\"kind\": \"drag\", \"hand\": 0, \"from\": [1, 2, 3], \"along\": [0, 0, 1e10]}", "along"},
        {"{\"kind\": \"color\", \"name\": 5}", "name"},
        {"{\"kind\": \"color\", \"name\": \"0123456789012345678901234567890123456789\"}", "name"},
        {"{\"kind\": \"play\", \"kind\": \"pause\"}", "kind"},
    };
    pl_context *ctx = test_context(1);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
    {
        message m;
        CHECK_THAT(parse(ctx, wrong[i][0], &m) == PL_ERR_FORMAT, "%s", wrong[i][0]);
        CHECK_THAT(strstr(pl_context_error(ctx), wrong[i][1]), "%s: %s", wrong[i][0], pl_context_error(ctx));
    }
    char *large = calloc(1, MESSAGE_BYTES + 2);
    memset(large, ' ', MESSAGE_BYTES + 1);
    memcpy(large, "{\"kind\":\"play\"}", 15);
    message m;
    CHECK(message_parse(ctx, large, MESSAGE_BYTES + 1, &m) == PL_ERR_FORMAT);
    CHECK(message_parse(ctx, large, MESSAGE_BYTES, &m) == PL_OK);
    free(large);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

// Whatever the bytes, a message is taken with sound numbers or not at all, and nothing is left behind.
static void damaged_messages_do_no_harm(void)
{
    static const char good[] = "{\"kind\":\"touch\",\"hand\":3,\"name\":\"grab\",\"from\":[1,2,3],\"along\":[0,-1,0],"
                               "\"facing\":[4,5,6],\"value\":1,\"path\":\"a.b\"}";
    pl_context *ctx = test_context(1);
    int taken = 0;
    uint32_t seed = 1;
    for (int k = 0; k < 20000; ++k)
    {
        char bad[sizeof good];
        message m;
        memcpy(bad, good, sizeof good);
        for (int change = 0; change < 1 + k % 3; ++change)
        {
            seed = seed * 1664525u + 1013904223u;
            bad[(seed >> 8) % (sizeof good - 1)] = (char)(seed >> 24);
        }
        if (message_parse(ctx, bad, sizeof good - 1 - (seed >> 20) % 4 / 3, &m) != PL_OK)
            continue;
        taken++;
        CHECK(m.kind <= MESSAGE_LIVE && m.hand >= 0 && m.hand < MESSAGE_HANDS && isfinite(m.value) &&
              memchr(m.name, 0, sizeof m.name) && memchr(m.path, 0, sizeof m.path));
        for (int i = 0; i < 3; ++i)
            CHECK(fabs(m.from[i]) <= 1e9 && fabs(m.along[i]) <= 1e9 && fabs(m.facing[i]) <= 1e9);
    }
    CHECK_THAT(taken > 100 && taken < 20000, "%d taken", taken);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

static pl_status parse_one(pl_context *ctx)
{
    message m;
    return parse(ctx, "{\"kind\":\"set\",\"path\":\"gravity.y\",\"value\":1}", &m);
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(parse_one) > 0); }

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(plain_kinds_are_read),
        TEST(fields_are_read),
        TEST(what_makes_no_sense_is_refused_with_a_sentence),
        TEST(damaged_messages_do_no_harm),
        TEST(every_failed_allocation_is_survived),
    };
    return RUN(tests);
}
