// random_table.hpp -- the entries of the category `random`: arrays of random numbers, the same bits in every variant.
#pragma once
#include <cstddef>
#include <cstdint>

namespace pawl {

/// Elements `begin` to `begin + n` of the sequence of `seed`, to out[0 .. n). `begin` is even. Contracts are in
/// include/pawl/random.hpp.
template <class T>
struct RandomOps {
  void (*normal)(std::uint64_t seed, std::size_t begin, T* out, std::size_t n) noexcept;
  /// low + (high - low) u, or `last`, the number below `high`, where rounding reaches `high`.
  void (*uniform)(std::uint64_t seed, std::size_t begin, T low, T high, T last, T* out, std::size_t n) noexcept;
};

struct RandomTable {
  RandomOps<float> f32;
  RandomOps<double> f64;
};

}  // namespace pawl
