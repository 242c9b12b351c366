/* doctest: each test case is a region, for `aprof test`.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Include this file in one source file of the tests, after doctest.h; the tests need no other
 * change:
 *
 *     #include <doctest/doctest.h>
 *     #include <aprof/doctest.h>
 *
 * A test case with subcases runs once for each subcase, and each run is an activation of the
 * region. APROF_REGION_SIZED (aprof.h) declares the size of a part of a test case.
 */
#ifndef APROF_DOCTEST_H
#define APROF_DOCTEST_H

#include <aprof/test.h>
#include <doctest/doctest.h>

namespace aprof
{

struct doctest_listener : doctest::IReporter {
    explicit doctest_listener(const doctest::ContextOptions &)
    {
    }

    void test_case_start(const doctest::TestCaseData &test) override
    {
        aprof_test_begin(test.m_name);
    }

    void test_case_reenter(const doctest::TestCaseData &test) override
    {
        aprof_test_end();
        aprof_test_begin(test.m_name);
    }

    void test_case_end(const doctest::CurrentTestCaseStats &) override
    {
        aprof_test_end();
    }

    void report_query(const doctest::QueryData &) override
    {
    }
    void test_run_start() override
    {
    }
    void test_run_end(const doctest::TestRunStats &) override
    {
    }
    void test_case_exception(const doctest::TestCaseException &) override
    {
    }
    void subcase_start(const doctest::SubcaseSignature &) override
    {
    }
    void subcase_end() override
    {
    }
    void log_assert(const doctest::AssertData &) override
    {
    }
    void log_message(const doctest::MessageData &) override
    {
    }
    void test_case_skipped(const doctest::TestCaseData &) override
    {
    }
};

} // namespace aprof

DOCTEST_REGISTER_LISTENER("aprof", 1, aprof::doctest_listener);

#endif
