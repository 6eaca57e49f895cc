// creation_rows.hpp -- what every implementation of making arrays is run on: kinds, sizes, check of results.
//
// Name      create_<zeros|ones|randn|uniform|from_data>/f32/impl/n:<n>   a square of n x n, made and dropped
// Counters  bytes (written, and read where there is a source), items, working_set_bytes, allocations per iteration
// Question  does creation cost more than writing the memory? what does a random number cost?
#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "buffers.hpp"
#include "pawl/parallel.hpp"
#include "rows.hpp"

namespace pawl::bench {

/// One implementation; an empty pointer is a kind that it does not have. Each makes an array of `count` elements with
/// memory of its own, writes its first and last element to ends[0] and ends[1], and drops it.
struct CreationImplementation {
  using Make = void (*)(std::size_t count, float* ends);
  std::string impl;
  Make zeros = nullptr, ones = nullptr;
  Make randn = nullptr;    ///< normally distributed, mean 0 and variance 1
  Make uniform = nullptr;  ///< uniform in an interval of its choice within [-1, 1]
  void (*from_data)(const float* source, std::size_t count, float* ends) = nullptr;
};

template <class Run, class Right>
void add_creation_row(Rows& rows, const char* op, const std::string& impl, std::size_t n, double bytes_per_element,
                      Run run, Right right) {
  rows.add(RowName(op, "f32", impl).with("n", n), [=](benchmark::State& state) {
    set_num_threads(1);  // as the peers
    Buffers buffers;
    const auto source = buffers.random<float>(n * n, 1);
    float ends[2] = {NAN, NAN};
    run(source.data(), n * n, ends);
    if (!right(ends[0], source[0]) || !right(ends[1], source[n * n - 1])) return state.SkipWithError("wrong result");
    measure(state, [&] {
      run(source.data(), n * n, ends);
      benchmark::DoNotOptimize(ends);
    });
    set_work(state, {.bytes = bytes_per_element * double(n * n), .items = double(n * n)});
  });
}

inline void add_creation_rows(Rows& rows, const CreationImplementation& f) {
  const auto add = [&](const char* op, CreationImplementation::Make make, std::vector<std::size_t> sizes, auto right) {
    if (make == nullptr) return;
    for (const std::size_t n : sizes)
      add_creation_row(
          rows, op, f.impl, n, 4, [=](const float*, std::size_t count, float* ends) { make(count, ends); },
          [=](float x, float) { return right(x); });
  };
  const std::vector<std::size_t> filled =
      rows.quick() ? std::vector<std::size_t>{100, 500} : std::vector<std::size_t>{100, 500, 1000, 4000};
  const std::vector<std::size_t> random = {100, 500, 1000};
  add("create_zeros", f.zeros, filled, [](float x) { return x == 0; });
  add("create_ones", f.ones, filled, [](float x) { return x == 1; });
  add("create_randn", f.randn, random, [](float x) { return std::abs(x) < 10; });
  add("create_uniform", f.uniform, random, [](float x) { return std::abs(x) <= 1; });
  if (f.from_data != nullptr)
    for (const std::size_t n : random)
      add_creation_row(rows, "create_from_data", f.impl, n, 8, f.from_data,
                       [](float x, float source) { return x == source; });
}

}  // namespace pawl::bench
