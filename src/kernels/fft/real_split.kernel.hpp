// real_split.kernel.hpp -- what lies around the passes of a real transform of r c points, r and c odd.
//
// As rows of c numbers: the columns are transformed first, two real columns as one complex one, whose parts are W
// columns beside the next W: a block of such columns is the numbers as they lie in memory. Of the results, rows 0 to
// r / 2 say all (h = r / 2 + 1 rows). Their transforms along c then give each result of the whole once: result k2 of
// row k1 is number r k2 + k1, or the conjugate of number r (c - k2) - k1 where that is what is kept.
#pragma once
#include "kernels/fft/real.kernel.hpp"
#include "kernels/fft/turn.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

/// The first `count` lanes in reverse, from lane 0 on; what the others hold is of no use.
template <class T>
PAWL_INLINE Reg<T> reversed_first(Reg<T> v, std::size_t count) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4) {
    const __m512i down = _mm512_set_epi32(-15, -14, -13, -12, -11, -10, -9, -8, -7, -6, -5, -4, -3, -2, -1, 0);
    return _mm512_permutexvar_ps(_mm512_add_epi32(down, _mm512_set1_epi32(static_cast<int>(count) - 1)), v);
  } else {
    const __m512i down = _mm512_set_epi64(-7, -6, -5, -4, -3, -2, -1, 0);
    return _mm512_permutexvar_pd(_mm512_add_epi64(down, _mm512_set1_epi64(static_cast<long long>(count) - 1)), v);
  }
#else
  alignas(64) T memory[2 * lanes<T>] = {};
  store_reg<T>(memory, reversed<T>(v));
  return load_reg<T>(memory + lanes<T> - count);
#endif
}
template <class T>
PAWL_INLINE Cx<T> reversed_first(Cx<T> x, std::size_t count) {
  return {reversed_first<T>(x.re, count), reversed_first<T>(x.im, count)};
}

template <class T>
static void load_reals(const T* user, std::size_t user_row, std::size_t rows, std::size_t count, T* out,
                       std::size_t out_row) noexcept {
  constexpr std::size_t W = lanes<T>;
  for (std::size_t r = 0; r < rows; ++r, user += user_row, out += out_row) {
    std::size_t i = 0;
    for (; i + W <= count; i += W) store_reg<T>(out + i, load_reg<T>(user + i));
    if (i < count) {
      store_reg<T>(out + i, load_reg_first<T>(user + i, count - i));
      i += W;
    }
    if (i < out_row) store_reg<T>(out + i, broadcast<T>(T(0)));
  }
}

// Parts of a block have changed places: the first W numbers are the imaginary ones.
template <class T>
static void store_reals(const T* in, std::size_t in_row, std::size_t rows, std::size_t count, T* user,
                        std::size_t user_row, T scale) noexcept {
  constexpr std::size_t W = lanes<T>;
  const Reg<T> s = broadcast<T>(scale);
  for (std::size_t r = 0; r < rows; ++r, user += user_row, in += in_row)
    for (std::size_t i = 0; i < count; i += W) {
      const Reg<T> x = load_reg<T>(in + (i / W % 2 == 0 ? i + W : i - W)) * s;
      if (i + W <= count)
        store_reg<T>(user + i, x);
      else
        store_reg_first<T>(user + i, x, count - i);
    }
}

// Twice the transforms of W of the 2 W real columns in `in`, the first W or the others.
template <class T>
static void turn_real(const T* in, std::size_t in_row, std::size_t r, bool others, T* out, std::size_t out_row,
                      const T* twiddles, const T* step) noexcept {
  constexpr std::size_t kVector = cx_size<T>;
  const std::size_t h = r / 2 + 1;
  turn_with<T>(
      [&](std::size_t k) PAWL_INLINE_LAMBDA {
        const std::size_t row = k < h ? k : 0;
        const Cx<T> a = load_cx<T>(in + row * in_row), b = load_cx<T>(in + (row == 0 ? 0 : r - row) * in_row);
        const Cx<T> x = others ? Cx<T>{a.im + b.im, b.re - a.re} : Cx<T>{a.re + b.re, a.im - b.im};
        const Cx<T> y = x * load_cx<T>(twiddles + k * kVector);
        return step ? y * Cx<T>{broadcast<T>(step[2 * k]), broadcast<T>(step[2 * k + 1])} : y;
      },
      h, out, out_row, false);
}

template <class T>
static void turn_plain(const T* in, std::size_t in_row, std::size_t rows, T* out, std::size_t out_row) noexcept {
  turn_with<T>([&](std::size_t k) PAWL_INLINE_LAMBDA { return load_cx<T>(in + k * in_row); }, rows, out, out_row,
               false);
}

// The inverse of turn_real's first half, of numbers whose parts have changed places: with i conj(a) for the transform
// of the first real columns and i conj(b) for that of the others, i conj(a + i b).
template <class T>
static void join_columns(const T* in, std::size_t in_row, std::size_t r, std::size_t in_vectors, T* out,
                         std::size_t vectors, const T* twiddles, const T* steps, std::size_t step_row) noexcept {
  constexpr std::size_t kVector = cx_size<T>;
  const std::size_t out_row = vectors * kVector;
  for (std::size_t k = 0; k <= r / 2; ++k) {
    const Cx<T> w = load_cx<T>(twiddles + k * kVector);
    const auto turned_vector = [&](std::size_t v) PAWL_INLINE_LAMBDA {
      if (v >= in_vectors) return Cx<T>{broadcast<T>(T(0)), broadcast<T>(T(0))};
      const T* const step = steps + v * step_row + 2 * k;
      return load_cx<T>(in + k * in_row + v * kVector) * w * Cx<T>{broadcast<T>(step[0]), broadcast<T>(step[1])};
    };
    for (std::size_t q = 0; q < vectors; ++q) {
      const Cx<T> a = turned_vector(2 * q), b = turned_vector(2 * q + 1);
      if (k > 0) store_cx<T>(out + (r - k) * out_row + q * kVector, {b.im - a.re, a.im + b.re});
      store_cx<T>(out + k * out_row + q * kVector, {a.re + b.im, a.im - b.re});
    }
  }
}

// Rows k2 of a block, whose columns are k1 = begin .. begin + count - 1, to where results are kept.
template <class T>
static void store_mirrored(const T* in, std::size_t in_row, std::size_t r, std::size_t c, std::size_t begin,
                           std::size_t count, T* out, T scale) noexcept {
  constexpr std::size_t W = lanes<T>;
  const Reg<T> s = broadcast<T>(scale);
  const auto scaled = [&](const T* p) PAWL_INLINE_LAMBDA {
    const Cx<T> x = load_cx<T>(p);
    return Cx<T>{x.re * s, x.im * s};
  };
  for (std::size_t k2 = 0; k2 <= c / 2; ++k2) {
    const T *const row = in + k2 * in_row, *const mirror = in + (c - k2) * in_row;
    for (std::size_t i = 0; i < count; i += W) {
      const std::size_t here = count - i < W ? count - i : W, k1 = begin + i;
      if (k2 > 0)  // lane 0 of k1 = 0 is what comes next
        store_pairs_first<T>(out + 2 * (r * k2 + 1 - k1 - here),
                             reversed_first<T>(conjugate<T>(scaled(mirror + 2 * i)), here), here, false);
      store_pairs_first<T>(out + 2 * (r * k2 + k1), scaled(row + 2 * i), here, false);
    }
  }
}

// The inverse, parts exchanged. What is read beside result 0 counts as real.
template <class T>
static void load_mirrored(const T* in, std::size_t r, std::size_t c, std::size_t begin, std::size_t count, T* out,
                          std::size_t out_row) noexcept {
  constexpr std::size_t W = lanes<T>;
  for (std::size_t k2 = 0; k2 <= c / 2; ++k2)
    for (std::size_t i = 0; i < count; i += W) {
      const std::size_t here = count - i < W ? count - i : W, k1 = begin + i;
      store_cx<T>(out + k2 * out_row + 2 * i, load_pairs_first<T>(in + 2 * (r * k2 + k1), here, true));
      if (k2 == 0) continue;
      const Cx<T> x = reversed_first<T>(load_pairs_first<T>(in + 2 * (r * k2 + 1 - k1 - here), here, false), here);
      store_cx<T>(out + (c - k2) * out_row + 2 * i, {broadcast<T>(T(0)) - x.im, x.re});
    }
  if (begin == 0) out[0] = 0;
}

}  // namespace pawl::PAWL_ISA_NS
