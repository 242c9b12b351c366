/* Unit tests of the shadow tables.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/unit/cmocka_all.h"

#include "aprof/shadow_memory.h"
#include "tests/host_test.h"

struct fixture {
    struct shadow_table table;
    struct chunk_pool pool;
};

static const uint64_t LAST_INDEX = ADDRESS_MASK >> CHUNK_CELLS_LOG2;

static int setup(void **state)
{
    static struct fixture fixture;
    memset(&fixture, 0, sizeof(fixture));
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    shadow_release(&f->table, &f->pool);
    chunk_pool_free(&f->pool);
    return host_test_report_live() != 0;
}

static void set_cell(struct fixture *f, uint64_t cell, uint32_t stamp)
{
    shadow_make(&f->table, &f->pool, cell >> CHUNK_CELLS_LOG2)[CELL_IN_CHUNK(cell)] = stamp;
}

static uint32_t get_cell(struct fixture *f, uint64_t cell)
{
    const uint32_t *chunk = shadow_find(&f->table, cell >> CHUNK_CELLS_LOG2);
    return chunk ? chunk[CELL_IN_CHUNK(cell)] : 0;
}

static void an_empty_table_has_nothing(void **state)
{
    struct fixture *f = *state;
    assert_null(shadow_find(&f->table, 0));
    assert_null(shadow_find(&f->table, LAST_INDEX));
    shadow_clear(&f->table, &f->pool, 0, ADDRESS_MASK);
    assert_int_equal(f->table.n_chunks, 0);
}

static void the_first_and_the_last_cell_are_kept_apart(void **state)
{
    struct fixture *f = *state;
    set_cell(f, 0, 1);
    set_cell(f, ADDRESS_MASK, 2);
    set_cell(f, CHUNK_CELLS - 1, 3);
    set_cell(f, CHUNK_CELLS, 4);
    assert_int_equal(f->table.n_chunks, 3);
    assert_int_equal(get_cell(f, 0), 1);
    assert_int_equal(get_cell(f, ADDRESS_MASK), 2);
    assert_int_equal(get_cell(f, CHUNK_CELLS - 1), 3);
    assert_int_equal(get_cell(f, CHUNK_CELLS), 4);
    assert_int_equal(get_cell(f, 1), 0);
}

static void a_chunk_is_made_once(void **state)
{
    struct fixture *f = *state;
    uint32_t *made = shadow_make(&f->table, &f->pool, 77);
    assert_ptr_equal(shadow_make(&f->table, &f->pool, 77), made);
    assert_ptr_equal(shadow_find(&f->table, 77), made);
    assert_null(shadow_find(&f->table, 78));
    assert_int_equal(f->pool.n_live, 1);
}

static void clear_takes_parts_of_the_outer_chunks(void **state)
{
    struct fixture *f = *state;
    uint64_t base = (uint64_t)5 << CHUNK_CELLS_LOG2;
    for (int chunk = 0; chunk < 3; chunk++) {
        set_cell(f, base + chunk * CHUNK_CELLS, 1);
        set_cell(f, base + chunk * CHUNK_CELLS + 9, 2);
        set_cell(f, base + chunk * CHUNK_CELLS + CHUNK_CELLS - 1, 3);
    }
    shadow_clear(&f->table, &f->pool, base + 9, base + 2 * CHUNK_CELLS + 8);
    assert_int_equal(get_cell(f, base), 1);
    assert_int_equal(get_cell(f, base + 9), 0);
    assert_int_equal(get_cell(f, base + CHUNK_CELLS - 1), 0);
    assert_null(shadow_find(&f->table, 6));
    assert_int_equal(get_cell(f, base + 2 * CHUNK_CELLS), 0);
    assert_int_equal(get_cell(f, base + 2 * CHUNK_CELLS + 9), 2);
    assert_int_equal(get_cell(f, base + 2 * CHUNK_CELLS + CHUNK_CELLS - 1), 3);
    assert_int_equal(f->table.n_chunks, 2);
}

/* One cell is set, at each position in and around ranges of every length and alignment. */
static void clear_of_any_range_clears_its_cells_only(void **state)
{
    enum { BASE = 1000, CELLS = 64 }; /* the second page begins at cell 1024 */
    struct fixture *f = *state;
    for (uint32_t first = BASE; first < BASE + CELLS; first++) {
        for (uint32_t last = first; last < BASE + CELLS; last++) {
            for (uint32_t cell = BASE; cell < BASE + CELLS; cell++) {
                set_cell(f, cell, 1);
                shadow_clear(&f->table, &f->pool, first, last);
                assert_int_equal(get_cell(f, cell), cell < first || cell > last);
                set_cell(f, cell, 0);
            }
        }
    }
}

/* A range that is narrower than the number of chunks is cleared by address, a wider range by the
 * list of chunks. */
static void clear_of_a_narrow_range_leaves_the_other_chunks(void **state)
{
    struct fixture *f = *state;
    for (uint64_t chunk = 0; chunk < 20; chunk++)
        set_cell(f, chunk << CHUNK_CELLS_LOG2, (uint32_t)chunk + 1);
    shadow_clear(&f->table, &f->pool, 3 * CHUNK_CELLS, 5 * CHUNK_CELLS - 1);
    assert_int_equal(f->table.n_chunks, 18);
    for (uint64_t chunk = 0; chunk < 20; chunk++)
        assert_int_equal(get_cell(f, chunk << CHUNK_CELLS_LOG2),
                         chunk == 3 || chunk == 4 ? 0 : chunk + 1);
    for (uint32_t i = 0; i < f->table.n_chunks; i++)
        assert_non_null(shadow_find(&f->table, f->table.list[i].index));
}

static void clear_of_everything_visits_only_what_exists(void **state)
{
    struct fixture *f = *state;
    for (uint64_t chunk = 0; chunk < 20; chunk++)
        set_cell(f, (chunk * 1000003) << CHUNK_CELLS_LOG2, 1);
    shadow_clear(&f->table, &f->pool, 0, ADDRESS_MASK);
    assert_int_equal(f->table.n_chunks, 0);
    assert_int_equal(f->pool.n_live, 0);
    for (uint64_t chunk = 0; chunk < 20; chunk++)
        assert_null(shadow_find(&f->table, chunk * 1000003));
}

static void a_chunk_from_the_pool_is_blank(void **state)
{
    struct fixture *f = *state;
    memset(shadow_make(&f->table, &f->pool, 1), 0xff, CHUNK_BYTES);
    shadow_clear(&f->table, &f->pool, CHUNK_CELLS, 2 * CHUNK_CELLS - 1);
    assert_int_equal(f->pool.n_free, 1);
    const uint32_t *cells = shadow_make(&f->table, &f->pool, 2);
    assert_int_equal(f->pool.n_free, 0);
    for (uint32_t i = 0; i < CHUNK_CELLS; i++)
        assert_int_equal(cells[i], 0);
}

static void the_pool_keeps_a_limited_number(void **state)
{
    struct fixture *f = *state;
    for (uint64_t chunk = 0; chunk < 500; chunk++)
        shadow_make(&f->table, &f->pool, chunk);
    shadow_release(&f->table, &f->pool);
    assert_int_equal(f->pool.n_live, 0);
    assert_true(host_test_live_bytes("aprof.shadow.chunk") <= 64 * CHUNK_BYTES);
    assert_int_equal(host_test_live_bytes("aprof.shadow.list"), 0);
}

static void a_released_table_can_be_used_again(void **state)
{
    struct fixture *f = *state;
    set_cell(f, 123456789, 1);
    shadow_release(&f->table, &f->pool);
    assert_int_equal(get_cell(f, 123456789), 0);
    set_cell(f, 123456789, 2);
    assert_int_equal(get_cell(f, 123456789), 2);
}

static void two_tables_share_a_pool(void **state)
{
    struct fixture *f = *state;
    struct shadow_table other = {0};
    set_cell(f, 9, 1);
    shadow_make(&other, &f->pool, 0)[9] = 2;
    assert_int_equal(get_cell(f, 9), 1);
    assert_int_equal(f->pool.n_live, 2);
    shadow_release(&other, &f->pool);
    assert_int_equal(get_cell(f, 9), 1);
    assert_int_equal(f->pool.n_live, 1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_empty_table_has_nothing),
        TEST(the_first_and_the_last_cell_are_kept_apart),
        TEST(a_chunk_is_made_once),
        TEST(clear_takes_parts_of_the_outer_chunks),
        TEST(clear_of_any_range_clears_its_cells_only),
        TEST(clear_of_a_narrow_range_leaves_the_other_chunks),
        TEST(clear_of_everything_visits_only_what_exists),
        TEST(a_chunk_from_the_pool_is_blank),
        TEST(the_pool_keeps_a_limited_number),
        TEST(a_released_table_can_be_used_again),
        TEST(two_tables_share_a_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
