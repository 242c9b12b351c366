/* GoogleTest: each test case is a region, for `aprof test`.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Include this file in one source file of the tests; the tests need no other change:
 *
 *     #include <aprof/gtest.h>
 *
 * The region of TEST(Parser, Sorts) is `Parser.Sorts`, including the constructor, SetUp and
 * TearDown of its fixture. If the parameter of a TEST_P is a whole number, this number is the size.
 * All instances of `Sizes/Parser.Grows` are one region with one curve: its cost as a function of
 * the parameter.
 */
#ifndef APROF_GTEST_H
#define APROF_GTEST_H

#include <aprof/test.h>
#include <gtest/gtest.h>
#include <string>

namespace aprof
{

class gtest_listener : public testing::EmptyTestEventListener
{
    /* The instance "Sizes/Parser.Grows/3" with the parameter 1024 is a call of the region
     * "Sizes/Parser.Grows n=1024". An instance with a parameter that is not a whole number is a
     * region of its own. */
    static std::string name_of(const testing::TestInfo &info)
    {
        std::string name = info.test_suite_name() + std::string(".") + info.name();
        std::string size = info.value_param() ? info.value_param() : "";
        if (size.empty() || size.find_first_not_of("0123456789") != std::string::npos)
            return name;
        return name.substr(0, name.rfind('/')) + " n=" + size;
    }

    void OnTestStart(const testing::TestInfo &info) override
    {
        aprof_test_begin(name_of(info).c_str());
    }

    void OnTestEnd(const testing::TestInfo &) override
    {
        aprof_test_end();
    }
};

static const bool gtest_is_listened =
    (testing::UnitTest::GetInstance()->listeners().Append(new gtest_listener), true);

} // namespace aprof

#endif
