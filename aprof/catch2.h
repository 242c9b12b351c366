/* Catch2, versions 2 and 3: each test case is a region, for `aprof test`.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Include this file in one source file of the tests; the tests need no other change:
 *
 *     #include <aprof/catch2.h>
 *
 * A test case with sections or GENERATE runs several times, and each run is an activation of the
 * region. APROF_REGION_SIZED (aprof.h) declares the size of a part of a test case.
 */
#ifndef APROF_CATCH2_H
#define APROF_CATCH2_H

#include <aprof/test.h>
#if __has_include(<catch2/reporters/catch_reporter_event_listener.hpp>)
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#else
#include <catch2/catch.hpp>
#endif
#include <string>

namespace aprof
{

/* The outermost section of each run has the name of the test case. */
#if __has_include(<catch2/reporters/catch_reporter_event_listener.hpp>)
using catch2_base = Catch::EventListenerBase;
#else
using catch2_base = Catch::TestEventListenerBase;
#endif

struct catch2_listener : catch2_base {
    using catch2_base::catch2_base;

    void sectionStarting(const Catch::SectionInfo &section) override
    {
        catch2_base::sectionStarting(section);
        if (depth++ == 0)
            aprof_test_begin(std::string(section.name).c_str());
    }

    void sectionEnded(const Catch::SectionStats &stats) override
    {
        if (--depth == 0)
            aprof_test_end();
        catch2_base::sectionEnded(stats);
    }

  private:
    int depth = 0;
};

} // namespace aprof

namespace
{
using aprof::catch2_listener;
CATCH_REGISTER_LISTENER(catch2_listener)
} // namespace

#endif
