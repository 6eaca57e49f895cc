// softmax.kernel.hpp -- rows -> softmax and log-softmax of each, written once for every ISA.
//
// A row stays in L1 between its passes: the largest element; exponentials and their sum in one pass; the scaling. Long
// rows go by blocks that stay in L1, each with a largest element of its own.
#pragma once
#include "kernels/math/exp.kernel.hpp"
#include "kernels/math/log.kernel.hpp"
#include "kernels/rows/rows_table.hpp"
#include "kernels/simd/elementwise.kernel.hpp"
#include "kernels/simd/reduce.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// The largest element that is a number; -infinity if there is none. A NaN then shows in the sum of exponentials.
template <class T>
PAWL_INLINE T largest_number(const T* x, std::size_t n) {
  constexpr std::size_t W = lanes<T>;
  T result = -std::numeric_limits<T>::infinity();
  std::size_t i = 0;
  if (n >= W) {
    Vec<T> a(result), b(result), c(result), d(result);
    for (; i + 4 * W <= n; i += 4 * W) {
      a = max<T>(load<T>(x + i), a);
      b = max<T>(load<T>(x + i + W), b);
      c = max<T>(load<T>(x + i + 2 * W), c);
      d = max<T>(load<T>(x + i + 3 * W), d);
    }
    for (; i + W <= n; i += W) a = max<T>(load<T>(x + i), a);
    b = max<T>(load<T>(x + n - W), b);  // the tail, with elements that were seen before
    return reduce_max<T>(max<T>(max<T>(a, b), max<T>(c, d)));
  }
  for (; i < n; ++i) result = x[i] > result ? x[i] : result;
  return result;
}

// exp(x - largest), for arguments that are at most 0 (or NaN). Numbers below the smallest normal one are 0 here and in
// share_of(): CPUs of Intel take 20 times as long where they are multiplied, and so they would for whoever reads them.
template <class T>
PAWL_INLINE Vec<T> exp_below(Vec<T> x, Vec<T> largest) {
  const Vec<T> below = x - largest;
#if defined(PAWL_ISA_IS_avx512)
  return Exponential<T>(below).normal_value(below);
#else
  return Exponential<T>(max<T>(Vec<T>(ExpConstants<T>::kLeastNormal), below)).normal_value(below);
#endif
}

// What is multiplied by a factor, and the least e of which that is normal.
template <class T>
struct Share {
  Vec<T> factor, least;
  PAWL_INLINE Share() {}
  PAWL_INLINE explicit Share(Vec<T> by) : factor(by), least(Vec<T>(std::numeric_limits<T>::min()) / by) {}

  PAWL_INLINE Vec<T> of(Vec<T> e) const {
#if defined(PAWL_ISA_IS_avx512)
    if constexpr (sizeof(T) == 4)
      return Vec<T>(_mm512_maskz_mul_ps(_mm512_cmp_ps_mask(e, least, _CMP_NLT_UQ), e, factor));
    else
      return Vec<T>(_mm512_maskz_mul_pd(_mm512_cmp_pd_mask(e, least, _CMP_NLT_UQ), e, factor));
#else
    return select_less<T>(e, least, Vec<T>(T(0)), e) * factor;
#endif
  }
};

// The sum of exp(x - largest); kKeep says if the terms are written to out.
template <class T, bool kKeep>
PAWL_INLINE T sum_of_exponentials(const T* x, [[maybe_unused]] T* out, std::size_t n, T largest) {
  constexpr std::size_t W = lanes<T>;
  const Vec<T> top(largest);
  Vec<T> s0(T(0)), s1(T(0));
  std::size_t i = 0;
  for (; i + 2 * W <= n; i += 2 * W) {
    const Vec<T> a = exp_below<T>(load<T>(x + i), top), b = exp_below<T>(load<T>(x + i + W), top);
    if constexpr (kKeep) {
      store<T>(out + i, a);
      store<T>(out + i + W, b);
    }
    s0 = s0 + a;
    s1 = s1 + b;
  }
  for (; i < n; i += W) {
    const std::size_t count = n - i < W ? n - i : W;
    const Vec<T> a = keep_first<T>(exp_below<T>(load_first<T>(x + i, count), top), count);
    if constexpr (kKeep) store_first<T>(out + i, a, count);
    s0 = s0 + a;
  }
  return reduce_add<T>(s0 + s1);
}

// Rows whose results go past the caches: exponentials stay in L1, and the next row is asked for while they are scaled.
template <class T>
[[gnu::noinline]] static void softmax_past(const T* x, T* out, std::size_t rows, std::size_t columns) noexcept {
  alignas(64) T row[kRowBlock<T>];
  const T* const e = row;
  for (std::size_t r = 0; r < rows; ++r, x += columns, out += columns) {
    prefetch_shared_line<T>(out + columns);
    const Share<T> share(Vec<T>(T(1) / sum_of_exponentials<T, true>(x, row, columns, largest_number<T>(x, columns))));
    fill<T, false>(
        out, columns, true,
        [=](std::size_t i) PAWL_INLINE_LAMBDA {
          prefetch<T>(x + columns + i);
          return share.of(load<T>(e + i));
        },
        [=](std::size_t i, std::size_t count) PAWL_INLINE_LAMBDA { return share.of(load_first<T>(e + i, count)); });
  }
  stream_end();
}

template <class T>
static void softmax(const T* x, T* out, std::size_t rows, std::size_t columns) noexcept {
  if (columns <= kRowBlock<T> && rows_go_past<T>(x, out, rows, columns)) [[unlikely]]
    return softmax_past<T>(x, out, rows, columns);
  for (std::size_t r = 0; r < rows; ++r, x += columns, out += columns) {
    const T sum = sum_of_exponentials<T, true>(x, out, columns, largest_number<T>(x, columns));
    map1<T>(out, out, columns,
            [share = Share<T>(Vec<T>(T(1) / sum))](Vec<T> e) PAWL_INLINE_LAMBDA { return share.of(e); });
  }
}

template <class T>
static void log_softmax(const T* x, T* out, std::size_t rows, std::size_t columns) noexcept {
  const bool past = rows_go_past<T>(x, out, rows, columns);
  for (std::size_t r = 0; r < rows; ++r, x += columns, out += columns) {
    const T largest = largest_number<T>(x, columns);
    const Vec<T> sum(sum_of_exponentials<T, false>(x, out, columns, largest));
    const auto of = [top = Vec<T>(largest), logarithm = Log{}.of<T>(sum)](Vec<T> v)
                        PAWL_INLINE_LAMBDA { return (v - top) - logarithm; };
    if (!past) {
      map1<T>(x, out, columns, of);
      continue;
    }
    prefetch_shared_line<T>(out + columns);
    fill<T, false>(
        out, columns, true,
        [=](std::size_t i) PAWL_INLINE_LAMBDA {
          prefetch<T>(x + columns + i);
          return of(load<T>(x + i));
        },
        [=](std::size_t i, std::size_t count) PAWL_INLINE_LAMBDA { return of(load_first<T>(x + i, count)); });
  }
  if (past) stream_end();
}

// The passes over a long row, of which several threads may have parts (long_row.hpp).
template <class T, bool kKeep>
static void exponentials_of_blocks(const T* x, T* out, std::size_t n, T* largest, T* sums) noexcept {
  for (std::size_t begin = 0; begin < n; begin += kRowBlock<T>, ++largest, ++sums) {
    const std::size_t count = n - begin < kRowBlock<T> ? n - begin : kRowBlock<T>;
    *largest = largest_number<T>(x + begin, count);
    const bool none = *largest == -std::numeric_limits<T>::infinity();
    *sums = sum_of_exponentials<T, kKeep>(x + begin, kKeep ? out + begin : nullptr, count, none ? T(0) : *largest);
  }
}

template <class T>
static void scale_blocks(T* out, std::size_t n, const T* factors) noexcept {
  for (std::size_t begin = 0; begin < n; begin += kRowBlock<T>, ++factors)
    map1<T>(out + begin, out + begin, n - begin < kRowBlock<T> ? n - begin : kRowBlock<T>,
            [share = Share<T>(Vec<T>(*factors))](Vec<T> e) PAWL_INLINE_LAMBDA { return share.of(e); });
}

template <class T>
static void log_softmax_part(const T* x, T* out, std::size_t n, T largest, T sum) noexcept {
  map1<T>(x, out, n, [top = Vec<T>(largest), logarithm = Log{}.of<T>(Vec<T>(sum))](Vec<T> v) PAWL_INLINE_LAMBDA {
    return (v - top) - logarithm;
  });
}

template <class T>
static void cross_entropy(const T* x, const std::size_t* targets, T* out, std::size_t rows,
                          std::size_t columns) noexcept {
  for (std::size_t r = 0; r < rows; ++r, x += columns) {
    const T largest = largest_number<T>(x, columns);
    const Vec<T> sum(sum_of_exponentials<T, false>(x, out, columns, largest));
    alignas(64) T logarithm[lanes<T>];
    store<T>(logarithm, Log{}.of<T>(sum));
    out[r] = (largest - x[targets[r]]) + logarithm[0];
  }
}

}  // namespace pawl::PAWL_ISA_NS
