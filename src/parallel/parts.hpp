// parts.hpp -- n elements -> parts for the threads: any parts for elementwise work, parts that do not depend on the
// number of threads for sums.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "parallel/sharers.hpp"
#include "pawl/parallel.hpp"

namespace pawl::detail {

/// From this much traffic on a second thread is worth it that is awake, to elementwise work. Time of one thread over
/// two on an Emerald Rapids, f32 of 16384, 32768 and 65536 elements, the same call again and again: add 1.24, 1.53
/// and 1.72, exp 1.44, 1.68 and 1.82, softmax 1.59, 1.75 and 1.87; where one thread has written the operand before each
/// call, add 0.85, 0.90 and 0.96, exp 0.75, 0.94 and 0.96.
inline constexpr std::size_t kWorthThreadsBytes = std::size_t{256} << 10;

/// From this much on also one that sleeps. It comes 40 us later in a virtual machine, of which its caller waits for 15:
/// exp of 262144 and 600000 f32, 500 us after the call before, 54 and 164 us by one thread and 67 and 160 by two.
inline constexpr std::size_t kWorthWakingBytes = std::size_t{4} << 20;

/// Reductions start here: they read so fast what their core has that to fetch half of it from there takes longer (sum
/// of 262144 f32, written by one thread 0.39, else 1.6).
inline constexpr std::size_t kWorthReducingBytes = std::size_t{2} << 20;

/// Boundaries of parts are multiples of this many elements: whole pages of f32, so that no line has two writers where
/// out is aligned.
inline constexpr std::size_t kPartGrain = 1024;

/// body(begin, end) for parts of [0, n) that cover it, on all threads.
template <class Body>
[[gnu::noinline]] void for_parts_on_threads(std::size_t n, std::size_t bytes, std::size_t grain, Body body) {
  on_threads(
      num_threads(),
      [&, outer = sharers](int thread, int threads) {
        const Range part = share(n, thread, threads, grain);
        const SharersScope scope(outer * static_cast<std::size_t>(threads));
        if (part.begin < part.end) body(part.begin, part.end);
      },
      bytes < kWorthWakingBytes ? Wake::in_bursts : Wake::always);
}

/// The same on as many threads as pay for `bytes` of traffic. A body that
/// captures copies stays in registers where one thread does it: the threads get the address of a copy.
template <class Body>
void for_parts(std::size_t n, std::size_t bytes, std::size_t grain, Body body) {
  if (bytes < kWorthThreadsBytes) [[likely]]
    return body(std::size_t{0}, n);
  for_parts_on_threads(n, bytes, grain, body);
}

/// Parts of a reduction of n elements: their number and length depend on n alone, and so does what their results add up
/// to, whoever computes them. One part up to kLongest elements.
class Parts {
 public:
  static constexpr std::size_t kMost = 256, kShortest = std::size_t{1} << 17;
  static constexpr std::size_t kWorthWaking = std::size_t{1} << 20;  // elements, 4 or 8 MiB of them

  explicit Parts(std::size_t n) noexcept
      : n_(n),
        length_(((n / kMost) / kShortest + 1) * kShortest),
        count_(n <= kShortest ? 1 : (n + length_ - 1) / length_) {}

  std::size_t count() const noexcept { return count_; }

  /// body(part, begin, end) for each, on the threads that there are.
  template <class Body>
  void each(Body body) const {
    if (count_ == 1) return body(std::size_t{0}, std::size_t{0}, n_);
    const int threads = count_ < 4 ? 1 : num_threads();
    on_threads(
        threads,
        [&](int thread, int used) {
          const Range mine = share(count_, thread, used);
          for (std::size_t p = mine.begin; p < mine.end; ++p) body(p, p * length_, std::min(n_, (p + 1) * length_));
        },
        n_ < kWorthWaking ? Wake::in_bursts : Wake::always);
  }

 private:
  std::size_t n_, length_, count_;
};

/// The sum of the parts' sums, with compensation (Knuth's two-sum); beside an infinity the error is NaN and left out.
template <class T>
T sum_of_parts(const T* sums, std::size_t count) noexcept {
  T sum = sums[0], error = T(0);
  for (std::size_t p = 1; p < count; ++p) {
    const T s = sum + sums[p], taken = s - sum;
    error += (sum - (s - taken)) + (sums[p] - taken);
    sum = s;
  }
  return std::isnan(error) ? sum : sum + error;
}

}  // namespace pawl::detail
