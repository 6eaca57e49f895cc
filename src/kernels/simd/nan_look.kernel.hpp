// nan_look.kernel.hpp -- vectors as they pass by -> whether a lane of one was NaN, which extremes pass over.
//
// With AVX-512 a comparison looks at two vectors and goes on from the mask of the one before: half an operation a
// vector. Elsewhere a multiply-add of 0 x: the sum is NaN after a NaN, and after an infinity too.
#pragma once
#include "kernels/vec_bits.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
/// Lanes that have not met a NaN.
template <class T>
using Ordered = std::conditional_t<sizeof(T) == 4, __mmask16, __mmask8>;

template <class T>
PAWL_INLINE Ordered<T> all_ordered() {
  return static_cast<Ordered<T>>(-1);
}

template <class T>
PAWL_INLINE Ordered<T> both_ordered(Ordered<T> a, Ordered<T> b) {
  return static_cast<Ordered<T>>(a & b);
}

/// Of `before`, the lanes that are numbers in a and b.
template <class T>
PAWL_INLINE Ordered<T> ordered_lanes(Ordered<T> before, Vec<T> a, Vec<T> b) {
  if constexpr (sizeof(T) == 4)
    return _mm512_mask_cmp_ps_mask(before, a, b, _CMP_ORD_Q);
  else
    return _mm512_mask_cmp_pd_mask(before, a, b, _CMP_ORD_Q);
}

template <class T>
PAWL_INLINE bool none_is_nan(Ordered<T> ordered) {
  return ordered == all_ordered<T>();
}
#else
/// A sum of 0 x.
template <class T>
using Ordered = Vec<T>;

template <class T>
PAWL_INLINE Ordered<T> all_ordered() {
  return Vec<T>(T(0));
}

template <class T>
PAWL_INLINE Ordered<T> both_ordered(Ordered<T> a, Ordered<T> b) {
  return a + b;
}

/// Whether there is none. False may also mean an infinity.
template <class T>
PAWL_INLINE bool none_is_nan(Ordered<T> ordered) {
  return equal_lanes<T>(ordered, Vec<T>(T(0))) == (std::uint32_t{1} << lanes<T>)-1;
}
#endif

/// The look at kCount vectors a turn, each of which waits for none of the others.
template <class T, std::size_t kCount>
class NanLook {
 public:
  PAWL_INLINE NanLook() {
    unroll<kLooks>([&](auto c) PAWL_INLINE_LAMBDA { looks_[c] = all_ordered<T>(); });
  }

  /// At vector c of a turn, a constant.
  template <class C>
  PAWL_INLINE void at(C c, Vec<T> v) {
#if defined(PAWL_ISA_IS_avx512)
    looks_[c / 2] = ordered_lanes<T>(looks_[c / 2], v, v);
#else
    looks_[c] = fma<T>(v, Vec<T>(T(0)), looks_[c]);
#endif
  }
  /// At vectors c and c + 1, c even.
  template <class C>
  PAWL_INLINE void at_two(C c, Vec<T> v, Vec<T> next) {
#if defined(PAWL_ISA_IS_avx512)
    looks_[c / 2] = ordered_lanes<T>(looks_[c / 2], v, next);
#else
    at(c, v);
    looks_[c + 1] = fma<T>(next, Vec<T>(T(0)), looks_[c + 1]);
#endif
  }

  PAWL_INLINE Ordered<T> result() const {
    Ordered<T> all = looks_[0];
    if constexpr (kLooks > 1)
      unroll<kLooks - 1>([&](auto c) PAWL_INLINE_LAMBDA { all = both_ordered<T>(all, looks_[c + 1]); });
    return all;
  }

 private:
#if defined(PAWL_ISA_IS_avx512)
  static constexpr std::size_t kLooks = (kCount + 1) / 2;
#else
  static constexpr std::size_t kLooks = kCount;
#endif
  Ordered<T> looks_[kLooks];
};

}  // namespace pawl::PAWL_ISA_NS
