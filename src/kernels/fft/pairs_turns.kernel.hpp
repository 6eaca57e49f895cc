// pairs_turns.kernel.hpp -- a line of a few points as rows x columns, whose twiddles are constants.
//
// The function of pairs_whole.kernel.hpp without a plan's table, so that it can stand beside the butterflies of
// FftPairs::single: 16 points as 4 x 4 fill vectors, of one butterfly each number has half a vector.
#pragma once
#include "kernels/fft/circle_points.kernel.hpp"
#include "kernels/fft/pairs_whole.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx2)
/// What RowTwiddles (row_twiddles.hpp) makes, there and back.
template <class T, std::size_t R, std::size_t C>
struct FixedTurns {
  static constexpr std::size_t P = pair_lanes<T>, kVectors = (C + P - 1) / P;
  alignas(64) T of[2][kVectors * (R - 1) * 4 * P] = {};
  constexpr FixedTurns() {
    for (std::size_t c = 0; c < C; ++c)
      for (std::size_t k = 1; k < R; ++k) {
        const T re = static_cast<T>(cosine_of(k * c, R * C)), im = static_cast<T>(sine_of(k * c, R * C));
        const std::size_t a = ((c / P) * (R - 1) + k - 1) * 4 * P + 2 * (c % P), b = a + 2 * P;
        of[0][a] = of[0][a + 1] = of[1][a] = of[1][a + 1] = re;
        of[0][b] = of[1][b + 1] = im;
        of[0][b + 1] = of[1][b] = -im;
      }
  }
};
template <class T, std::size_t R, std::size_t C>
static constexpr FixedTurns<T, R, C> kFixedTurns{};

template <class T, std::size_t R, std::size_t C>
static void pairs_with_turns(const T* in, T* out, bool inverse, T scale) noexcept {
  pairs_whole<T, R, C>(in, out, kFixedTurns<T, R, C>.of[inverse ? 1 : 0], inverse, scale);
}
#endif

}  // namespace pawl::PAWL_ISA_NS
