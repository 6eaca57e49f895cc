// uniform.kernel.hpp -- random words -> numbers uniform in [low, high).
#pragma once
#include "kernels/random/random_words.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

/// Uniform in [0, 1): as many bits as the significand has, 24 of each half of a word (f32, the lower half first), 53 of
/// a word (f64), times their unit, exactly.
template <class T>
PAWL_INLINE Vec<T> unit_interval(Bits<T> b) {
  if constexpr (sizeof(T) == 4) {
    return to_numbers<T>(b >> 8) * Vec<T>(T(0x1p-24));
  } else {
    // 53 bits are one more than to_numbers() takes: the upper 21 and the lower 32 apart.
    const Bits<T> upper = b >> 43, lower = (b >> 11) & 0xffffffffu;
    return to_numbers<T>(upper) * Vec<T>(T(0x1p-21)) + to_numbers<T>(lower) * Vec<T>(T(0x1p-53));
  }
}

/// out[i] = element begin + i, begin even.
template <class T>
static void uniform(std::uint64_t seed, std::size_t begin, T low, T high, T last, T* out, std::size_t n) noexcept {
  constexpr std::size_t W = lanes<T>;
  RandomWords words(seed, sizeof(T) == 4 ? begin / 2 : begin);
  const Vec<T> from(low), length(high - low), end(high), before_end(last);
  const auto place = [&](Bits<T> b) PAWL_INLINE_LAMBDA {
    const Vec<T> x = from + length * unit_interval<T>(b);
    return select_less<T>(x, end, x, before_end);
  };
#if defined(PAWL_ISA_IS_scalar)
  if constexpr (sizeof(T) == 4) {
    for (std::size_t i = 0; i < n; i += 2) {
      const std::uint64_t word = words.next();
      out[i] = place(static_cast<std::uint32_t>(word)).value;
      if (i + 1 < n) out[i + 1] = place(static_cast<std::uint32_t>(word >> 32)).value;
    }
    return;
  }
#endif
  std::size_t i = 0;
  for (; i + W <= n; i += W) store<T>(out + i, place((Bits<T>)words.next()));
  if (i < n) store_first<T>(out + i, place((Bits<T>)words.next()), n - i);
}

}  // namespace pawl::PAWL_ISA_NS
