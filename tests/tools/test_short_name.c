/* Tests that names lose their least informative parts first, and never a part of a character.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/base/memory.h"
#include "lib/base/short_name.h"
#include "tests/unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

static void check(const char *name, size_t most, const char *expected)
{
    char *brief = short_name(name, most);
    assert_string_equal(brief, expected);
    free(brief);
}

static void what_fits_stays(void **state)
{
    (void)state;
    check("main", 16, "main");
    check("list::add(int, int)", 19, "list::add(int, int)");
    check("", 16, "");
}

static void arguments_go_before_templates(void **state)
{
    (void)state;
    check("std::vector<int>::push_back(int const&)", 38, "std::vector<int>::push_back(...)");
    check("std::vector<int>::push_back(int const&)", 32, "std::vector<int>::push_back(...)");
    check("std::vector<int>::push_back(int const&)", 31, "...vector<...>::push_back(...)");
    check("f(unsigned)::{lambda(unsigned)#1}::operator()(unsigned) const", 50,
          "f(...)::{lambda(...)#1}::operator()(...) const");
}

static void operators_are_names(void **state)
{
    (void)state;
    check("operator<<(std::ostream&, table<int> const&)", 30, "operator<<(...)");
    check("table<int>::operator->(std::integral_constant<int>)", 30, "table<int>::operator->(...)");
    check("table<some_type, other_type>::operator<(int)", 30, "table<...>::operator<(...)");
}

static void both_names_of_an_inlined_function_stay(void **state)
{
    static const char name[] =
        "inversions (inlined in worker(std::vector<int, std::allocator<int> > const&))";
    (void)state;
    check(name, 80, name);
    check(name, 70, "inversions (inlined in worker(std::vector<int> const&))");
    check(name, 40, "inversions (inlined in worker(...))");
    check(name, 32, "inversions (inlined in worker)");
    check(name, 20, "inversions");
}

static void defaults_of_the_standard_library_go_first(void **state)
{
    (void)state;
    check("std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> "
          ">::reserve(unsigned long)",
          80, "std::string::reserve(unsigned long)");
    check("void std::__introsort_loop<__gnu_cxx::__normal_iterator<int*>, long>(long) [clone "
          ".isra.0]",
          31, "std::__introsort_loop<...>(...)");
    check("void std::__introsort_loop<__gnu_cxx::__normal_iterator<int*>, long>(long)", 20,
          "...__introsort_loop");
    check("void std::vector<int, std::allocator<int> >::_M_insert<int>(int&&)", 60,
          "std::vector<int>::_M_insert<int>(int&&)");
    check("std::unordered_map<int, std::vector<long, std::allocator<long> >, std::hash<int>, "
          "std::equal_to<int>, "
          "std::allocator<std::pair<int const, long> > >::find(int const&)",
          80, "std::unordered_map<int, std::vector<long>>::find(int const&)");
    check("some::very::long_scope::type::operator unsigned long() const", 50,
          "...type::operator unsigned long() const");
    check("non-virtual thunk to a::very_long_class_name::function(int, int, int)", 60,
          "non-virtual thunk to a::very_long_class_name::function(...)");
}

static void traits_of_rust_go_before_their_types(void **state)
{
    (void)state;
    check("<core::hash::sip::Hasher<S> as core::hash::Hasher>::write", 40,
          "core::hash::sip::Hasher<S>::write");
    check("<core::hash::sip::Hasher<S> as core::hash::Hasher>::write", 20, "...write");
    check("<str>::to_lowercase_and_more_than_that", 36, "str::to_lowercase_and_more_than_that");
    check("core::slice::sort::stable::quicksort::quicksort", 24, "...quicksort::quicksort");
}

static void the_middle_goes_last(void **state)
{
    (void)state;
    check("abcdefghijklmnopqrstuvwxyz", 16, "abcdef...tuvwxyz");
    check("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 16,
          "\xc3\xa4\xc3\xa4\xc3\xa4...\xc3\xa4\xc3\xa4\xc3\xa4");
    check("f(unbalanced, and it goes on", 16, "f(unba...goes on");
}

/* No short name is longer than requested. */
static void no_name_is_too_long(void **state)
{
    static const char letters[] = "ab<>():, -=&~operator\xc3\xa4";
    (void)state;
    srand(1);
    for (int round = 0; round < 20000; round++) {
        char name[200];
        size_t length = (size_t)rand() % (sizeof name - 1), most = 16 + (size_t)rand() % 100;
        for (size_t i = 0; i < length; i++)
            name[i] = letters[(size_t)rand() % (sizeof letters - 1)];
        name[length] = 0;
        char *brief = short_name(name, most);
        assert_true(strlen(brief) <= most);
        if (length <= most)
            assert_string_equal(brief, name);
        free(brief);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_stays),
        cmocka_unit_test(arguments_go_before_templates),
        cmocka_unit_test(operators_are_names),
        cmocka_unit_test(the_middle_goes_last),
        cmocka_unit_test(no_name_is_too_long),
        cmocka_unit_test(both_names_of_an_inlined_function_stay),
        cmocka_unit_test(defaults_of_the_standard_library_go_first),
        cmocka_unit_test(traits_of_rust_go_before_their_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
