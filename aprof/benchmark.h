/* google/benchmark: each benchmark is a region with state.range(0) as its size, for `aprof test`.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Include this file instead of benchmark/benchmark.h; the benchmarks need no other change:
 *
 *     #include <aprof/benchmark.h>
 *
 *     static void sort(benchmark::State &state) { ... }
 *     BENCHMARK(sort)->Apply(aprof::sizes<64, 4096>);
 *
 * All runs of `sort` are activations of one region, with the sizes 64, 96, 144 and so on. If a
 * benchmark has further arguments, they are a part of the region's name: with Args({64, 4}), the
 * region is `sort:4`. The region also contains the function's preparation before the loop, and all
 * iterations. Under `aprof test` there is one iteration, unless the benchmark sets MinTime or
 * Iterations. To measure the iterations alone, as a region `sort iteration`, begin the loop with
 * this macro:
 *
 *     for (auto _ : state) {
 *         APROF_ITERATION;
 *         ...
 *     }
 *
 * Known limit: a benchmark that the function RegisterBenchmark() creates is not a region.
 */
#ifndef APROF_BENCHMARK_H
#define APROF_BENCHMARK_H

#include <aprof.h>
#include <benchmark/benchmark.h>
#include <string>

namespace aprof
{

struct benchmark_names {
    std::string run, iteration;
};

inline benchmark_names &benchmark_current()
{
    static thread_local benchmark_names names;
    return names;
}

/* A class of benchmarks derived from `Base`; each run of a benchmark is a region. */
template <class Base> class measured : public Base
{
  public:
    template <class... Rest>
    explicit measured(const char *name, Rest... rest) : Base(rest...), region_name(name)
    {
    }

    void Run(benchmark::State &state) override
    {
        int arguments = this->ArgsCnt();
        std::string name = region_name, size;
        for (int i = 1; i < arguments; i++)
            name += ":" + std::to_string(state.range(static_cast<std::size_t>(i)));
        if (arguments > 0 && state.range(0) >= 0)
            size = " n=" + std::to_string(state.range(0));
        benchmark_current() = {name + size, name + " iteration" + size};
        APROF_REGION(benchmark_current().run.c_str());
        Base::Run(state);
    }

  private:
    std::string region_name;
};

/* Sizes from `Least` to `Most`, each 1.5 times the previous size. Growth is validated only if at
 * least three sizes are above a quarter of the largest size (docs/growth.md). */
template <int64_t Least, int64_t Most> void sizes(benchmark::internal::Benchmark *of)
{
    for (int64_t size = Least; size <= Most; size += size / 2)
        of->Arg(size);
}

} // namespace aprof

#define APROF_ITERATION APROF_REGION(::aprof::benchmark_current().iteration.c_str())

/* The macros BENCHMARK, BENCHMARK_CAPTURE and BENCHMARK_TEMPLATE create a FunctionBenchmark. */
namespace benchmark
{
namespace internal
{
struct aprof_function_benchmark : ::aprof::measured<FunctionBenchmark> {
    aprof_function_benchmark(const char *name, Function *function)
        : ::aprof::measured<FunctionBenchmark>(name, name, function)
    {
    }
};
} // namespace internal
} // namespace benchmark
#define FunctionBenchmark aprof_function_benchmark

/* BENCHMARK_F and BENCHMARK_REGISTER_F create a fixture. */
#undef BENCHMARK_REGISTER_F
#define BENCHMARK_REGISTER_F(BaseClass, Method)                                                    \
    BENCHMARK_PRIVATE_DECLARE(BaseClass##Method) =                                                 \
        (::benchmark::internal::RegisterBenchmarkInternal(                                         \
            new ::aprof::measured<BENCHMARK_PRIVATE_CONCAT_NAME(BaseClass, Method)>(#BaseClass     \
                                                                                    "/" #Method)))

#endif
