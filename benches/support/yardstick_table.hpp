// yardstick_table.hpp -- the loops that yardsticks time, compiled once per ISA.
#pragma once
#include <cstddef>

namespace pawl::bench {

struct YardstickTable {
  /// Runs `rounds` rounds of independent FMAs (multiply and add where the ISA has no FMA); returns the flop done.
  double (*fma_f32)(std::size_t rounds) noexcept;
  double (*fma_f64)(std::size_t rounds) noexcept;
  /// Reads n floats; n is a multiple of 1024. The result keeps the loop alive.
  float (*read)(const float* x, std::size_t n) noexcept;
  /// y = x, with ordinary stores or with stores that bypass the caches; n as above, 64-byte aligned.
  void (*copy)(const float* x, float* y, std::size_t n) noexcept;
  void (*stream_copy)(const float* x, float* y, std::size_t n) noexcept;
  /// z = x + 3 y, as STREAM's triad (McCalpin 1995).
  void (*triad)(const float* x, const float* y, float* z, std::size_t n) noexcept;
};

}  // namespace pawl::bench
