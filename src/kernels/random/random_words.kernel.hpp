// random_words.kernel.hpp -- (seed, counters) -> vectors of random 64-bit words, and their parts as numbers.
//
// Every step is exact or rounded once, and the same in each variant: the numbers do not depend on the CPU.
#pragma once
#include <type_traits>
#include <utility>

#include "kernels/vec_bits.hpp"

namespace pawl::PAWL_ISA_NS {

/// 64-bit words, as many as fill a vector.
using Words = Bits<double>;

#if defined(PAWL_ISA_IS_scalar)
/// Signed integers of the width of T, one per lane.
template <class T>
using SignedBits = std::make_signed_t<Bits<T>>;
#else
template <class T>
struct SignedBitsOf {
  typedef std::make_signed_t<typename Format<T>::Integer> type __attribute__((vector_size(sizeof(T) * lanes<T>)));
};
template <class T>
using SignedBits = typename SignedBitsOf<T>::type;
#endif

/// The words of consecutive counters, a vector at a time: SplitMix64, as random_bits() in tensor/random_bits.hpp.
class RandomWords {
 public:
  /// From counter `i` on.
  PAWL_INLINE RandomWords(std::uint64_t seed, std::uint64_t i) {
#if defined(PAWL_ISA_IS_scalar)
    state_ = seed + (i + 1) * kWeyl;
#else
    for (std::size_t k = 0; k < lanes<double>; ++k) state_[k] = seed + (i + 1 + k) * kWeyl;
#endif
  }

  PAWL_INLINE Words next() {
    Words z = state_;
    state_ += lanes<double> * kWeyl;
    z = (z ^ (z >> 30)) * std::uint64_t{0xbf58476d1ce4e5b9u};
    z = (z ^ (z >> 27)) * std::uint64_t{0x94d049bb133111ebu};
    return z ^ (z >> 31);
  }

 private:
  static constexpr std::uint64_t kWeyl = 0x9e3779b97f4a7c15u;
  Words state_;
};

/// Integers below 2^31 (f32: rounded to nearest even), 2^52 (f64) -> numbers.
template <class T>
PAWL_INLINE Vec<T> to_numbers(Bits<T> b) {
  if constexpr (sizeof(T) == 4) {
#if defined(PAWL_ISA_IS_scalar)
    return Vec<T>(static_cast<float>(static_cast<std::int32_t>(b)));
#else
    typedef float Floats __attribute__((vector_size(sizeof(T) * lanes<T>)));
    return Vec<T>((typename Vec<T>::register_type) __builtin_convertvector((SignedBits<T>)b, Floats));
#endif
  } else {
    // As the low bits of a number without fraction bits; AVX-512 alone converts 64-bit integers.
    constexpr T kInteger = 0x1p52;
    return from_bits<T>(b | bits<T>(Vec<T>(kInteger))) - Vec<T>(kInteger);
  }
}

#if !defined(PAWL_ISA_IS_scalar)
/// Lanes kFirst, kFirst + 2, ... of every 16 bytes of a, then of b.
template <class T, std::size_t kFirst, std::size_t... I>
PAWL_INLINE Bits<T> every_second(Bits<T> a, Bits<T> b, std::index_sequence<I...>) {
  constexpr std::size_t kGroup = 16 / sizeof(T), W = lanes<T>;
  return __builtin_shufflevector(
      a, b, (I / kGroup * kGroup + 2 * (I % (kGroup / 2)) + kFirst + (I % kGroup < kGroup / 2 ? 0 : W))...);
}
template <class T, std::size_t kFirst>
PAWL_INLINE Bits<T> every_second(Bits<T> a, Bits<T> b) {
  return every_second<T, kFirst>(a, b, std::make_index_sequence<lanes<T>>{});
}

/// Its inverse: lanes of x and y in turn, from the lower (kHalf = 0) or upper half of every 16 bytes.
template <class T, std::size_t kHalf, std::size_t... I>
PAWL_INLINE Bits<T> in_turn(Bits<T> x, Bits<T> y, std::index_sequence<I...>) {
  constexpr std::size_t kGroup = 16 / sizeof(T), W = lanes<T>;
  return __builtin_shufflevector(
      x, y, (I / kGroup * kGroup + kHalf * (kGroup / 2) + I % kGroup / 2 + (I % 2 == 0 ? 0 : W))...);
}
template <class T, std::size_t kHalf>
PAWL_INLINE Vec<T> in_turn(Vec<T> x, Vec<T> y) {
  return from_bits<T>(in_turn<T, kHalf>(bits<T>(x), bits<T>(y), std::make_index_sequence<lanes<T>>{}));
}
#endif

/// What a pair of elements is made of. The pairs of lanes<T> consecutive ones are in an order that in_pairs() undoes.
template <class T>
struct PairBits {
  Bits<T> first, second;
};

/// f32: the upper and the lower half of a word; f64: two consecutive words.
template <class T>
PAWL_INLINE PairBits<T> pair_bits(RandomWords& words) {
#if defined(PAWL_ISA_IS_scalar)
  const std::uint64_t a = words.next();
  if constexpr (sizeof(T) == 4)
    return {static_cast<std::uint32_t>(a >> 32), static_cast<std::uint32_t>(a)};
  else
    return {a, words.next()};
#else
  const Words a = words.next(), b = words.next();
  constexpr std::size_t kUpper = sizeof(T) == 4 ? 1 : 0;  // lanes are little-endian
  return {every_second<T, kUpper>((Bits<T>)a, (Bits<T>)b), every_second<T, 1 - kUpper>((Bits<T>)a, (Bits<T>)b)};
#endif
}

}  // namespace pawl::PAWL_ISA_NS
