// creation_bench.cpp -- making tensors by Pawl, and what the standard library has for random numbers
// (creation_rows.hpp).
#include <algorithm>
#include <memory>
#include <random>
#include <span>

#include "creation_rows.hpp"
#include "pawl/tensor.hpp"

namespace pawl::bench {
namespace {

using N = std::size_t;

void give_ends(const Tensor<float>& x, float* ends) {
  ends[0] = x.flat().front();
  ends[1] = x.flat().back();
}

const CreationImplementation pawl_creation{
    .impl = "pawl",
    .zeros = [](N n, float* ends) { give_ends(Tensor<float>::zeros({n}), ends); },
    .ones = [](N n, float* ends) { give_ends(Tensor<float>::ones({n}), ends); },
    .randn = [](N n, float* ends) { give_ends(Tensor<float>::randn({n}, 1), ends); },
    .uniform = [](N n, float* ends) { give_ends(Tensor<float>::uniform({n}, 1, -1, 1), ends); },
    .from_data = [](const float* source, N n,
                    float* ends) { give_ends(Tensor<float>::from({n}, std::span<const float>(source, n)), ends); }};

// The engine stays: a program has one, and seeding it takes as long as 300 numbers.
template <class Distribution>
void by_standard_library(N n, float* ends) {
  static std::mt19937_64 engine(1);
  Distribution distribution{};
  const auto x = std::make_unique_for_overwrite<float[]>(n);
  std::generate_n(x.get(), n, [&] { return distribution(engine); });
  ends[0] = x[0];
  ends[1] = x[n - 1];
}

const CreationImplementation standard_creation{.impl = "std",
                                               .randn = by_standard_library<std::normal_distribution<float>>,
                                               .uniform = by_standard_library<std::uniform_real_distribution<float>>};

const Registration rows([](Rows& r) {
  add_creation_rows(r, pawl_creation);
  add_creation_rows(r, standard_creation);
});

}  // namespace
}  // namespace pawl::bench
