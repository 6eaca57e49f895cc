#include "memory_results.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <type_traits>

namespace pawl::bench {
namespace {

using Reported = MemoryResults::Run;
using Result = MemoryResults::Result;

// Not by the constructor, which needs a constant that Debian's library keeps to itself.
Result peak(std::int64_t bytes) {
  auto result = std::bit_cast<Result>(std::array<std::byte, sizeof(Result)>{});
  result.max_bytes_used = bytes;
  return result;
}

// As Google Benchmark makes them: with a pointer that must not be followed.
template <class R = Reported>
R run_of(const char* row, int repetition) {
  R run;
  run.run_name.function_name = row;
  run.repetition_index = repetition;
  if constexpr (std::is_pointer_v<decltype(run.memory_result)>) run.memory_result = reinterpret_cast<Result*>(8);
  return run;
}

template <class R>
std::int64_t peak_of(const R& run) {
  if constexpr (std::is_pointer_v<decltype(run.memory_result)>)
    return run.memory_result == nullptr ? -1 : run.memory_result->max_bytes_used;
  else
    return -1;
}

class MemoryResultsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::is_pointer_v<decltype(Reported::memory_result)>) GTEST_SKIP() << "runs hold their results here";
  }
};

TEST_F(MemoryResultsTest, RepetitionsOfInterleavedRowsHaveTheirOwn) {
  MemoryResults results;
  results.add("b", peak(20));
  results.add("a", peak(10));
  results.add("a", peak(11));
  results.add("b", peak(21));
  const auto a = results.with_results({run_of("a", 0), run_of("a", 1)});
  EXPECT_EQ(peak_of(a[0]), 10);
  EXPECT_EQ(peak_of(a[1]), 11);
  const auto b = results.with_results({run_of("b", 1)});
  EXPECT_EQ(peak_of(b[0]), 21);
}

TEST_F(MemoryResultsTest, AnAggregateOrAFailedRunHasNone) {
  MemoryResults results;
  results.add("a", peak(10));
  Reported failed = run_of("a", 0);
  failed.memory_result = {};
  EXPECT_EQ(peak_of(results.with_results({failed})[0]), -1);
}

TEST_F(MemoryResultsTest, RowsWithoutANameGetTheirsInOrderOrNone) {
  MemoryResults results;
  results.add("", peak(1));
  results.add("", peak(2));
  for (int reporter = 0; reporter < 2; ++reporter) {
    const auto runs = results.with_results({run_of("BM_other", 0), run_of("BM_other", 1)});
    EXPECT_EQ(peak_of(runs[0]), 1);
    EXPECT_EQ(peak_of(runs[1]), 2);
  }
  results.add("", peak(3));  // the next row's
  EXPECT_EQ(peak_of(results.with_results({run_of("BM_next", 0)})[0]), 3);
  results.add("", peak(4));
  results.add("", peak(5));  // interleaved: whose is whose?
  EXPECT_EQ(peak_of(results.with_results({run_of("BM_x", 0)})[0]), -1);
}

TEST_F(MemoryResultsTest, ARepetitionWithoutAPassHasNone) {
  MemoryResults results;
  results.add("a", peak(10));
  EXPECT_EQ(peak_of(results.with_results({run_of("a", 1)})[0]), -1);
}

}  // namespace
}  // namespace pawl::bench
