// tests/snapshot.c -- sections of snapshots: found in any order, named when they are bad, and open to other modules.
//
// That snapshots resume to the bit is tested in determinism.c, division.c and fracture.c.
#include "test.h"
#include "fuzz/snapshot_input.h"

static size_t find(const pieces *p, const char *tag)
{
    size_t i = 0;
    while (i < p->count && memcmp(p->piece[i].bytes, tag, 4) != 0)
        ++i;
    CHECK_THAT(i < p->count, "%s", tag);
    return i;
}

static piece *section(pieces *p, const char *tag) { return &p->piece[find(p, tag)]; }

// Load what pieces make, which are then freed.
static pl_status load(pl_world *world, pieces *p)
{
    size_t size;
    char *snapshot = pieces_join(p, 0, &size);
    pl_status status = pl_world_load(world, snapshot, size);
    free(snapshot);
    pieces_free(p);
    return status;
}

static bool holds(const pl_world *world, const char *snapshot, size_t size)
{
    size_t now_size;
    char *now = snapshot_save(world, &now_size);
    bool same = now_size == size && memcmp(now, snapshot, size) == 0;
    free(now);
    return same;
}

// ---- order -----------------------------------------------------------------------------------------------------

// The fixture is what it is meant to be: ten sections, one of each.
static void the_world_has_every_section(void)
{
    snapshot_room r = snapshot_open();
    pieces p = pieces_of(r.torn, r.torn_size);
    static const char *const tags[] = {"TOPO", "WRLD", "MATE", "OBJE", "RUBS", "BODY", "RING", "MEET", "TOUC", "GRAB"};
    CHECK(p.count == sizeof tags / sizeof tags[0]);
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; ++i)
        CHECK(find(&p, tags[i]) == i);
    pieces_free(&p);
    snapshot_close(&r);
}

// Reversed, and every two exchanged: a world that is whole becomes the torn one, to the bit.
static void sections_load_in_any_order(void)
{
    snapshot_room r = snapshot_open();
    size_t count = 10;
    for (size_t a = 0; a < count; ++a)
        for (size_t b = a; b < count; ++b)
        {
            pieces p = pieces_of(r.torn, r.torn_size);
            if (a == b)
                for (size_t k = 0; k < count / 2; ++k)
                    piece_swap(&p, k, count - 1 - k);
            piece_swap(&p, a, b);
            CHECK_OK(r.ctx, pl_world_load(r.world, r.whole, r.whole_size));
            CHECK_OK(r.ctx, load(r.world, &p));
            CHECK_THAT(holds(r.world, r.torn, r.torn_size), "sections %zu and %zu exchanged", a, b);
        }
    snapshot_close(&r);
}

// ---- damage ----------------------------------------------------------------------------------------------------

// Each byte behind the header in turn becomes another, under a checksum that fits; from a world torn in the same way
// and from a whole one. A load is refused or loads something that can be saved; it never changes the world halfway.
static void every_damaged_byte_is_refused_or_loads(void)
{
    snapshot_room r = snapshot_open();
    char *bad = malloc(r.torn_size);
    int loaded = 0, refused = 0;
    for (int whole = 0; whole < 2; ++whole)
    {
        if (whole)
            CHECK_OK(r.ctx, pl_world_load(r.world, r.whole, r.whole_size));
        for (size_t i = SNAPSHOT_HEADER; i < r.torn_size; i += slow_tests || i < 1000 ? 1 : whole ? 37 : 3)
            for (int k = 0; k < (slow_tests ? 8 : 2); ++k)
            {
                memcpy(bad, r.torn, r.torn_size);
                bad[i] ^= (char)(slow_tests ? 1 << k : k ? 0x81 : 0x7e);
                snapshot_seal(bad, r.torn_size);
                bool good = try_load(&r, bad, r.torn_size);
                loaded += good;
                refused += !good;
            }
    }
    CHECK_THAT(loaded > 1000 && refused > 1000, "%d loaded, %d refused", loaded, refused);
    free(bad);
    snapshot_close(&r);
}

// Cut off at every length: as it is, and with a header that fits. Hands are the last section and may be missing.
static void every_truncation_is_refused(void)
{
    snapshot_room r = snapshot_open();
    char *bad = malloc(r.torn_size);
    pieces p = pieces_of(r.torn, r.torn_size);
    size_t without_hands = r.torn_size - section(&p, "GRAB")->size;
    for (size_t size = 0; size < r.torn_size; ++size)
    {
        memcpy(bad, r.torn, r.torn_size);
        CHECK(!try_load(&r, bad, size));
        if (size < SNAPSHOT_HEADER)
            continue;
        snapshot_seal(bad, size);
        CHECK_THAT(try_load(&r, bad, size) == (size == without_hands), "%zu bytes", size);
    }
    pieces_free(&p);
    free(bad);
    snapshot_close(&r);
}

// Infinity is in no range: every word of these sections that becomes infinite is refused.
static void infinite_numbers_are_refused(void)
{
    static const char *const tags[] = {"MATE", "OBJE", "RUBS", "BODY", "RING"};
    const double infinity = INFINITY;
    snapshot_room r = snapshot_open();
    for (size_t t = 0; t < sizeof tags / sizeof tags[0]; ++t)
    {
        pieces p = pieces_of(r.torn, r.torn_size);
        size_t size = section(&p, tags[t])->size;
        pieces_free(&p);
        for (size_t at = SECTION_HEADER; at + sizeof infinity <= size; at += sizeof infinity)
        {
            p = pieces_of(r.torn, r.torn_size);
            memcpy(section(&p, tags[t])->bytes + at, &infinity, sizeof infinity);
            CHECK_THAT(load(r.world, &p) == PL_ERR_FORMAT, "%s, byte %zu", tags[t], at);
        }
    }
    CHECK(holds(r.world, r.torn, r.torn_size));
    snapshot_close(&r);
}

// A snapshot without hands: who holds a body lets go of it.
static void a_missing_optional_section_is_empty(void)
{
    snapshot_room r = snapshot_open();
    pieces p = pieces_of(r.torn, r.torn_size);
    CHECK(pl_world_grab_count(r.world) == 1);
    piece_drop(&p, find(&p, "GRAB"));
    CHECK_OK(r.ctx, load(r.world, &p));
    CHECK(pl_world_grab_count(r.world) == 0);
    snapshot_close(&r);
}

static pl_allocator allocator;
static int64_t until_failure;

static void *allocate_or_fail(void *user, size_t size, size_t alignment)
{
    return until_failure-- > 0 ? allocator.allocate(user, size, alignment) : NULL;
}

// The n-th allocation of a load that makes bodies anew fails, for every n: nothing has changed.
static void a_load_without_memory_changes_nothing(void)
{
    snapshot_room r = snapshot_open();
    pl_status status = PL_ERR_MEMORY;
    int64_t n = 0;
    CHECK_OK(r.ctx, pl_world_load(r.world, r.whole, r.whole_size));
    allocator = r.ctx->def.allocator;
    for (; status == PL_ERR_MEMORY; ++n)
    {
        size_t memory = snapshot_memory(&r);
        until_failure = n;
        r.ctx->def.allocator.allocate = allocate_or_fail;
        status = pl_world_load(r.world, r.torn, r.torn_size);
        r.ctx->def.allocator = allocator;
        if (status == PL_OK)
            break;
        CHECK_THAT(status == PL_ERR_MEMORY && holds(r.world, r.whole, r.whole_size), "allocation %d: %s", (int)n,
                   pl_status_name(status));
        CHECK(snapshot_memory(&r) == memory);
    }
    CHECK_THAT(status == PL_OK && n > 20 && holds(r.world, r.torn, r.torn_size), "%d allocations", (int)n);
    snapshot_close(&r);
}

// ---- sentences -------------------------------------------------------------------------------------------------

static void rename_it(pieces *p) { memcpy(section(p, "OBJE")->bytes, "ABCD", 4); }
static void rename_badly(pieces *p) { memcpy(section(p, "OBJE")->bytes, "\0\n\x80 ", 4); }
static void make_newer(pieces *p) { piece_set_version(section(p, "BODY"), 99); }
static void make_older(pieces *p) { piece_set_version(section(p, "BODY"), 1); }
static void repeat(pieces *p) { piece_repeat(p, find(p, "MATE")); }
static void lose(pieces *p) { piece_drop(p, find(p, "RUBS")); }
static void lengthen(pieces *p) { piece_resize(section(p, "WRLD"), 8); }
static void shorten(pieces *p) { piece_resize(section(p, "MATE"), -8); }
static void exaggerate(pieces *p) { piece_set_length(section(p, "GRAB"), UINT64_MAX); }
static void add_half_a_header(pieces *p)
{
    piece_repeat(p, 0);
    p->piece[p->count - 1].size = 9;
}

static void bad_sections_are_named(void)
{
    static const struct
    {
        void (*damage)(pieces *p);
        const char *sentence;
    } cases[] = {
        {rename_it, "snapshot: section \"ABCD\" version 2 is unknown, of a newer version of this library"},
        {rename_badly, "snapshot: section \"????\" version 2 is unknown, of a newer version of this library"},
        {make_newer,
         "snapshot: section \"BODY\" version 99 is of a newer version of this library; up to 8 can be read"},
        {make_older, "snapshot: section \"BODY\" version 1 is of an older version of this library; from 8 can be read"},
        {repeat, "snapshot: section \"MATE\" is there twice"},
        {lose, "snapshot: section \"RUBS\" is missing"},
        {lengthen, "snapshot: section \"WRLD\": 8 bytes are too many"},
        {shorten, "snapshot: section \"MATE\": 8 bytes are missing"},
        {exaggerate, "snapshot: section \"GRAB\" has 352 of its 18446744073709551615 bytes"},
        {add_half_a_header, "snapshot: 9 bytes behind the last section"},
    };
    snapshot_room r = snapshot_open();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        pieces p = pieces_of(r.torn, r.torn_size);
        cases[i].damage(&p);
        CHECK(load(r.world, &p) == PL_ERR_FORMAT);
        CHECK_THAT(strcmp(pl_context_error(r.ctx), cases[i].sentence) == 0, "\"%s\" where \"%s\" was expected",
                   pl_context_error(r.ctx), cases[i].sentence);
    }
    CHECK(holds(r.world, r.torn, r.torn_size));
    snapshot_close(&r);
}

// ---- a module of its own ---------------------------------------------------------------------------------------

// A counter with a name. Version 1 had a 32-bit counter and no name.
typedef struct
{
    int64_t ticks;
    char name[8];
    int ends, refusals;
    bool liar; // announces more than it writes
} toy;

static size_t toy_bytes(const void *user) { return ((const toy *)user)->liar ? 17 : 16; }

static void toy_write(const void *user, pl__section_writer *to)
{
    const toy *t = user;
    pl__section_put(to, &t->ticks, sizeof t->ticks);
    pl__section_put(to, t->name, sizeof t->name);
}

static pl_status toy_read(void *user, pl__section_reader *from, bool apply)
{
    toy *t = user, next = *t;
    int32_t ticks;
    if (from->version == 1)
    {
        PL_TRY(pl__section_get(from, &ticks, sizeof ticks));
        next.ticks = ticks;
        memcpy(next.name, "unnamed", sizeof next.name);
    }
    else
    {
        PL_TRY(pl__section_get(from, &next.ticks, sizeof next.ticks));
        PL_TRY(pl__section_get(from, next.name, sizeof next.name));
    }
    if (next.ticks < 0)
        return pl__section_fail(from, "%lld ticks", (long long)next.ticks);
    if (apply)
        *t = next;
    return PL_OK;
}

static void toy_end(void *user, bool loaded)
{
    toy *t = user;
    t->ends += loaded;
    t->refusals += !loaded;
}

static const pl__section_type toy_section = {
    .tag = "TOYS", .version = 2, .oldest = 1, .bytes = toy_bytes, .write = toy_write, .read = toy_read, .end = toy_end};

static void a_module_adds_its_section(void)
{
    snapshot_room r = snapshot_open();
    toy t = {.ticks = 5, .name = "clock"};
    CHECK_OK(r.ctx, pl__sections_add(r.ctx, &r.world->sections, &toy_section, &t));
    CHECK(pl__sections_add(r.ctx, &r.world->sections, &toy_section, &t) == PL_ERR_STATE);
    size_t size;
    char *snapshot = snapshot_save(r.world, &size);
    t = (toy){0};
    CHECK_OK(r.ctx, pl_world_load(r.world, snapshot, size));
    CHECK(t.ticks == 5 && strcmp(t.name, "clock") == 0 && t.ends == 1 && t.refusals == 0);
    // without its section, and in a world that does not know it
    CHECK(pl_world_load(r.world, r.torn, r.torn_size) == PL_ERR_FORMAT &&
          strcmp(pl_context_error(r.ctx), "snapshot: section \"TOYS\" is missing") == 0);
    pl_world *other = snapshot_world(r.ctx);
    CHECK(pl_world_load(other, snapshot, size) == PL_ERR_FORMAT &&
          strstr(pl_context_error(r.ctx), "\"TOYS\" version 2"));
    pl_world_destroy(&other);
    // a state that it refuses is refused as a whole
    pieces p = pieces_of(snapshot, size);
    memset(section(&p, "TOYS")->bytes + SECTION_HEADER, 0xff, 8);
    CHECK(load(r.world, &p) == PL_ERR_FORMAT &&
          strcmp(pl_context_error(r.ctx), "snapshot: section \"TOYS\": -1 ticks") == 0);
    CHECK(t.ticks == 5 && t.ends == 1 && t.refusals == 1 && holds(r.world, snapshot, size));
    free(snapshot);
    snapshot_close(&r);
}

static void an_older_section_is_migrated(void)
{
    snapshot_room r = snapshot_open();
    toy t = {.ticks = 7, .name = "clock"};
    size_t size;
    CHECK_OK(r.ctx, pl__sections_add(r.ctx, &r.world->sections, &toy_section, &t));
    char *snapshot = snapshot_save(r.world, &size);
    pieces p = pieces_of(snapshot, size);
    piece_set_version(section(&p, "TOYS"), 1);
    piece_resize(section(&p, "TOYS"), -12);
    t = (toy){0};
    CHECK_OK(r.ctx, load(r.world, &p));
    CHECK(t.ticks == 7 && strcmp(t.name, "unnamed") == 0);
    p = pieces_of(snapshot, size);
    piece_set_version(section(&p, "TOYS"), 0);
    CHECK(load(r.world, &p) == PL_ERR_FORMAT && strstr(pl_context_error(r.ctx), "\"TOYS\" version 0 is of an older"));
    free(snapshot);
    snapshot_close(&r);
}

// A module whose length is wrong is found when it saves, not when somebody loads.
static void a_section_is_as_long_as_it_says(void)
{
    snapshot_room r = snapshot_open();
    toy t = {.liar = true};
    char *room = malloc(r.torn_size + 100);
    CHECK_OK(r.ctx, pl__sections_add(r.ctx, &r.world->sections, &toy_section, &t));
    CHECK(pl_world_save(r.world, room, r.torn_size + 100) == PL_ERR_STATE &&
          strstr(pl_context_error(r.ctx), "section \"TOYS\" has not the 17 bytes"));
    free(room);
    snapshot_close(&r);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(the_world_has_every_section),
        TEST(sections_load_in_any_order),
        TEST(every_damaged_byte_is_refused_or_loads),
        TEST(every_truncation_is_refused),
        TEST(infinite_numbers_are_refused),
        TEST(a_missing_optional_section_is_empty),
        TEST(a_load_without_memory_changes_nothing),
        TEST(bad_sections_are_named),
        TEST(a_module_adds_its_section),
        TEST(an_older_section_is_migrated),
        TEST(a_section_is_as_long_as_it_says),
    };
    return RUN(tests);
}
