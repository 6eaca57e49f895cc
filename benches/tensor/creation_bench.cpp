// creation_bench.cpp -- making tensors: zeros, ones, randn, and from data.
//
// Name      create_<what>/f32/pawl/n:<n>   a square of n x n
// Counters  bytes (written, and read where there is a source), working_set_bytes, allocations per iteration
// Question  does creation cost more than writing the memory?
#include <vector>

#include "pawl/tensor.hpp"
#include "rows.hpp"

namespace pawl::bench {
namespace {

using Make = Tensor<float> (*)(const Shape&);

void add_creation_rows(Rows& rows, const char* op, double bytes_per_element, Make make, float first, float last) {
  for (std::size_t n :
       rows.quick() ? std::vector<std::size_t>{100, 500} : std::vector<std::size_t>{100, 500, 1000, 4000})
    rows.add(RowName(op, "f32", "pawl").with("n", n), [=](benchmark::State& state) {
      const Shape shape{n, n};
      {
        const auto x = make(shape);
        const bool right = x.elements() == n * n && x.flat().front() == first && x.flat().back() == last;
        if (!right) return state.SkipWithError("wrong result");
      }
      measure(state, [&] {
        auto x = make(shape);
        benchmark::DoNotOptimize(x.data());
      });
      set_work(state, {.bytes = bytes_per_element * double(n * n), .items = double(n * n)});
    });
}

const Registration rows([](Rows& r) {
  add_creation_rows(
      r, "create_zeros", 4, [](const Shape& s) { return Tensor<float>::zeros(s); }, 0, 0);
  add_creation_rows(
      r, "create_ones", 4, [](const Shape& s) { return Tensor<float>::ones(s); }, 1, 1);
  for (std::size_t n : {std::size_t{100}, std::size_t{500}, std::size_t{1000}})
    r.add(RowName("create_randn", "f32", "pawl").with("n", n), [=](benchmark::State& state) {
      const Shape shape{n, n};
      if (Tensor<float>::randn(shape, 1).to_vector() != Tensor<float>::randn(shape, 1).to_vector())
        return state.SkipWithError("wrong result: the same seed gave other values");
      measure(state, [&] {
        auto x = Tensor<float>::randn(shape, 1);
        benchmark::DoNotOptimize(x.data());
      });
      set_work(state, {.bytes = 4.0 * double(n * n), .items = double(n * n)});
    });
  for (std::size_t n : {std::size_t{100}, std::size_t{500}, std::size_t{1000}})
    r.add(RowName("create_from_data", "f32", "pawl").with("n", n), [=](benchmark::State& state) {
      const Shape shape{n, n};
      const auto source = Tensor<float>::randn(shape, 1).to_vector();
      if (Tensor<float>::from(shape, source).to_vector() != source) return state.SkipWithError("wrong result");
      measure(state, [&] {
        auto x = Tensor<float>::from(shape, source);
        benchmark::DoNotOptimize(x.data());
      });
      set_work(state, {.bytes = 8.0 * double(n * n), .items = double(n * n)});
    });
});

}  // namespace
}  // namespace pawl::bench
