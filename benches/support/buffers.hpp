// buffers.hpp -- memory of a benchmark at addresses that are chosen, not left to chance.
//
// Address placement was the largest noise measured on this project: one loop took 18.7 or 40 us depending on where its
// arrays fell. So every array starts at a page boundary plus a set offset, out of one region on huge pages (whose parts
// are contiguous in the physically indexed L2 and L3 as well). PAWL_PLACEMENT chooses among sets of offsets; `pawl run`
// gives each process run another one, so that a verdict covers them instead of depending on one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace pawl::bench {

/// Offset in bytes of the `index`-th array of a benchmark behind its page boundary: a multiple of 64, below 4096.
///
/// Any two of the first eight arrays differ by at least 5 cache lines (checked in tests), because addresses that agree
/// in their low 12 bits make loads wait for unrelated stores.
std::size_t placement_offset(unsigned placement, std::size_t index) noexcept;

/// PAWL_PLACEMENT, 0 if it is not set.
unsigned placement() noexcept;

/// The arrays of one benchmark. Memory is zero at first use in the process and goes back to the region, not to the
/// system, when the object dies; only one Buffers object may be alive in a thread at a time.
///
/// Errors     std::bad_alloc beyond the region of 4 GiB, or if the system has no memory.
class Buffers {
 public:
  Buffers();
  ~Buffers();
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  /// n elements; contents are whatever an earlier benchmark left, so fill them.
  template <class T>
  std::span<T> make(std::size_t n) {
    return {static_cast<T*>(take(n * sizeof(T))), n};
  }

  /// n seeded values, uniform in [low, high): distinct, not zero in practice, reproducible from PAWL_SEED and `salt`.
  std::span<float> random_f32(std::size_t n, std::uint64_t salt, float low = -1, float high = 1);
  std::span<double> random_f64(std::size_t n, std::uint64_t salt, double low = -1, double high = 1);
  template <class T>
  std::span<T> random(std::size_t n, std::uint64_t salt, T low = T(-1), T high = T(1)) {
    if constexpr (sizeof(T) == sizeof(float)) {
      return random_f32(n, salt, low, high);
    } else {
      return random_f64(n, salt, low, high);
    }
  }

 private:
  void* take(std::size_t bytes);
  std::size_t begin_, count_ = 0;
};

/// PAWL_SEED, 42 if it is not set.
std::uint64_t seed() noexcept;

}  // namespace pawl::bench
