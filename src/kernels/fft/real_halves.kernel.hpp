// real_halves.kernel.hpp -- what lies around the passes over real columns of even length: rows of 2 h real numbers <->
// a block of h rows of them as pairs; its transform <-> rows 0 to h of results.
//
// Elements 2 j and 2 j + 1 of a column are the parts of its number j, so that a column never meets another one. The
// results are told apart as in real.kernel.hpp, row k from rows k and h - k, all lanes with one twiddle.
#pragma once
#include "kernels/fft/real.kernel.hpp"
#include "kernels/fft/some_columns.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

/// `count` real columns of 2 h rows -> a block of ceil(count / W) vectors a row; lanes without a column are 0.
template <class T>
static void load_twos(const T* in, std::ptrdiff_t in_row, std::size_t h, std::size_t count, T* block,
                      std::size_t block_row) noexcept {
  constexpr std::size_t W = lanes<T>;
  for (std::size_t j = 0; j < h; ++j, in += 2 * in_row, block += block_row) {
    const T* const second = in + in_row;
    std::size_t c = 0;
    for (; c + W <= count; c += W) store_cx<T>(block + 2 * c, {load_reg<T>(in + c), load_reg<T>(second + c)});
    if (c < count)
      store_cx<T>(block + 2 * c, {load_reg_first<T>(in + c, count - c), load_reg_first<T>(second + c, count - c)});
  }
}

/// Back, times scale, from a block whose parts have changed places.
template <class T>
static void store_twos(const T* block, std::size_t block_row, std::size_t h, std::size_t count, T* out,
                       std::ptrdiff_t out_row, T scale) noexcept {
  constexpr std::size_t W = lanes<T>;
  const Reg<T> s = broadcast<T>(scale);
  for (std::size_t j = 0; j < h; ++j, out += 2 * out_row, block += block_row) {
    T* const second = out + out_row;
    std::size_t c = 0;
    for (; c + W <= count; c += W) {
      store_reg<T>(out + c, load_reg<T>(block + 2 * c + W) * s);
      store_reg<T>(second + c, load_reg<T>(block + 2 * c) * s);
    }
    if (c < count) {
      store_some<T>(out + c, load_reg<T>(block + 2 * c + W) * s, count - c);
      store_some<T>(second + c, load_reg<T>(block + 2 * c) * s, count - c);
    }
  }
}

/// The transform of a block of h rows -> rows 0 to h of `count` pairs, times scale. twiddles: exp(-pi i k / h), k < h.
template <class T>
static void split_halves(const T* block, std::size_t block_row, std::size_t h, const T* twiddles, std::size_t count,
                         T* out, std::ptrdiff_t out_row, T scale) noexcept {
  constexpr std::size_t W = lanes<T>;
  const Reg<T> half = broadcast<T>(scale / 2), s = broadcast<T>(scale), zero = broadcast<T>(T(0));
  const auto row = [&](std::size_t k) PAWL_INLINE_LAMBDA { return out + static_cast<std::ptrdiff_t>(k) * out_row; };
  const auto store = [&](T* to, Cx<T> x, std::size_t c) PAWL_INLINE_LAMBDA {
    if (c + W <= count)
      store_pairs<T>(to + 2 * c, x, false);
    else
      store_some_pairs<T>(to + 2 * c, x, count - c);
  };
  for (std::size_t c = 0; c < count; c += W) {
    const Cx<T> z = load_cx<T>(block + 2 * c);
    store(row(0), {(z.re + z.im) * s, zero}, c);
    store(row(h), {(z.re - z.im) * s, zero}, c);
  }
  for (std::size_t k = 1; k <= h / 2; ++k) {
    const T *const a = block + k * block_row, *const b = block + (h - k) * block_row;
    const Cx<T> w{broadcast<T>(twiddles[2 * k]), broadcast<T>(twiddles[2 * k + 1])};
    for (std::size_t c = 0; c < count; c += W) {
      const Both<T> r = untangle<T, true>(load_cx<T>(a + 2 * c), load_cx<T>(b + 2 * c), w);
      store(row(k), scaled_by<T>(r.low, half), c);
      store(row(h - k), scaled_by<T>(r.high, half), c);
    }
  }
}

/// Rows 0 to h of `count` pairs -> a block of h rows whose forward transform is that of store_twos().
template <class T>
static void join_halves(const T* in, std::ptrdiff_t in_row, std::size_t h, const T* twiddles, std::size_t count,
                        T* block, std::size_t block_row) noexcept {
  constexpr std::size_t W = lanes<T>;
  const auto row = [&](std::size_t k) PAWL_INLINE_LAMBDA { return in + static_cast<std::ptrdiff_t>(k) * in_row; };
  const auto load = [&](const T* from, std::size_t c) PAWL_INLINE_LAMBDA {
    return c + W <= count ? load_pairs<T>(from + 2 * c, false) : load_some_pairs<T>(from + 2 * c, count - c);
  };
  for (std::size_t c = 0; c < count; c += W) {
    const Reg<T> first = load(row(0), c).re, last = load(row(h), c).re;
    store_cx<T>(block + 2 * c, {first - last, first + last});
  }
  for (std::size_t k = 1; k <= h / 2; ++k) {
    T *const a = block + k * block_row, *const b = block + (h - k) * block_row;
    const Cx<T> w{broadcast<T>(twiddles[2 * k]), broadcast<T>(twiddles[2 * k + 1])};
    for (std::size_t c = 0; c < count; c += W) {
      const Both<T> r = untangle<T, false>(load(row(k), c), load(row(h - k), c), w);
      store_cx<T>(a + 2 * c, {r.low.im, r.low.re});
      store_cx<T>(b + 2 * c, {r.high.im, r.high.re});
    }
  }
}

}  // namespace pawl::PAWL_ISA_NS
