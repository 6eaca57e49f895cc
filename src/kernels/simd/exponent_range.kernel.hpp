// exponent_range.kernel.hpp -- vectors -> whether all lanes are of a size for which multiply-adds divide and take roots
// exactly, so that no remainder leaves the range of the type (AVX-512).
#pragma once
#include "kernels/vec_bits.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
/// Whether these bits are of numbers from 2^-kHalf to below 2^(kHalf + 1), and their signs clear.
template <class T, int kHalf, class... Vecs>
PAWL_INLINE bool bits_within(Bits<T> first, Vecs... others) {
  using Integer = typename Format<T>::Integer;
  constexpr Integer kLowest = Integer(Format<T>::kBias - kHalf) << Format<T>::kMantissaBits;
  constexpr Integer kRange = Integer(2 * kHalf + 1) << Format<T>::kMantissaBits;
  auto farthest = (__m512i)(first - kLowest);
  if constexpr (sizeof(T) == 4) {
    ((farthest = _mm512_max_epu32(farthest, (__m512i)(others - kLowest))), ...);
    return _mm512_cmplt_epu32_mask(farthest, _mm512_set1_epi32(static_cast<int>(kRange))) == 0xffff;
  } else {
    ((farthest = _mm512_max_epu64(farthest, (__m512i)(others - kLowest))), ...);
    return _mm512_cmplt_epu64_mask(farthest, _mm512_set1_epi64(static_cast<long long>(kRange))) == 0xff;
  }
}
#endif

}  // namespace pawl::PAWL_ISA_NS
