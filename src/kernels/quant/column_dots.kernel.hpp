// column_dots.kernel.hpp -- rows times a few columns that lie along the depth: whole vectors of a row meet whole
// vectors of a column, by dot products of AVX-512.
//
// In a panel each dot product has 16 columns, of which only those that exist are of use. Here it has 64 bytes of depth
// of one row and one column; what it costs is folding each sum's lanes in the end.
#pragma once
#include <type_traits>
#include <utility>

#include "kernels/quant/column_dots_table.hpp"
#include "kernels/quant/dot_tile.kernel.hpp"
#include "kernels/quant/fold_each.hpp"

namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS {

inline constexpr std::size_t kChunk = 64;  // bytes of depth in a vector

#if defined(PAWL_DOT_IS_BF16)
PAWL_INLINE __m512i as_left(__m512i a, const ColumnDots&) { return a; }
PAWL_INLINE F32 add_dots(F32 sum, __m512i a, __m512i b) { return _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b); }
#else
PAWL_INLINE __m512i as_left(__m512i a, const ColumnDots& x) {
  return _mm512_xor_si512(a, _mm512_set1_epi8(static_cast<char>(x.flip)));
}
PAWL_INLINE U32 add_dots(U32 sum, __m512i a, __m512i b) { return as<U32>(_mm512_dpbusd_epi32(as<__m512i>(sum), a, b)); }
#endif

// Sums of C columns for each of R rows, R * C at most 16: lane i * C + j. Fewer than 4 sums, which would wait for the
// latency of a dot product, are made in several chains where that does not change them: results of bf16 do not depend
// on how many rows there are, so that they are the same on any number of threads.
template <std::size_t R, std::size_t C>
PAWL_INLINE Sum column_sums(const ColumnDots& x, const char* a) {
  constexpr std::size_t kChains = R * C < 4 && std::is_same_v<Sum, U32> ? 4 / (R * C) : 1;
  static_assert(R * C * kChains <= kLanes);
  F32 parts[kLanes];
#pragma GCC unroll 16
  for (std::size_t l = 0; l < kLanes; ++l) parts[l] = F32{};
  const auto add = [&](std::size_t p, std::size_t chain, auto load) PAWL_INLINE_LAMBDA {
    __m512i rows[R];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < R; ++i) rows[i] = as_left(load(a + i * x.a_stride_bytes + p), x);
#pragma GCC unroll 16
    for (std::size_t j = 0; j < C; ++j) {
      const __m512i column = get<__m512i>(x.columns + j * x.column_stride_bytes + p);
#pragma GCC unroll 16
      for (std::size_t i = 0; i < R; ++i) {
        F32& part = parts[chain * R * C + i * C + j];
        part = as<F32>(add_dots(as<Sum>(part), rows[i], column));
      }
    }
  };
  const auto whole = [](const char* from) PAWL_INLINE_LAMBDA { return get<__m512i>(from); };
  std::size_t p = 0;
  for (; p + kChains * kChunk <= x.depth_bytes; p += kChains * kChunk)
#pragma GCC unroll 4
    for (std::size_t s = 0; s < kChains; ++s) add(p + s * kChunk, s, whole);
  for (; p + kChunk <= x.depth_bytes; p += kChunk) add(p, 0, whole);
  if (p < x.depth_bytes) {
    const __mmask64 exist = (std::uint64_t{1} << (x.depth_bytes - p)) - 1;
    add(p, 0, [=](const char* from) PAWL_INLINE_LAMBDA { return _mm512_maskz_loadu_epi8(exist, from); });
  }
#pragma GCC unroll 4
  for (std::size_t s = 1; s < kChains; ++s)
#pragma GCC unroll 16
    for (std::size_t l = 0; l < R * C; ++l) {
      parts[l] = as<F32>(as<Sum>(parts[l]) + as<Sum>(parts[s * R * C + l]));
      parts[s * R * C + l] = F32{};
    }
  return as<Sum>(
      fold_each(parts, [](F32 left, F32 right) PAWL_INLINE_LAMBDA { return as<F32>(as<Sum>(left) + as<Sum>(right)); }));
}

// What a tile of R rows ends with, in lanes i * C + j: numbers of columns once for all tiles, of rows for each.
template <std::size_t C>
class ColumnEnd {
 public:
  explicit ColumnEnd(const ColumnDots& x) : x_(x) {
    alignas(64) std::int32_t row[kLanes], col[kLanes];
    for (std::size_t l = 0; l < kLanes; ++l) {
      row[l] = static_cast<std::int32_t>(l / C);
      col[l] = static_cast<std::int32_t>(l % C);
    }
    row_of_ = get<__m512i>(row);
    col_of_ = get<__m512i>(col);
    if (x.bias) bias_ = each_column(x.bias);
#if !defined(PAWL_DOT_IS_BF16)
    offsets_ = as<U32>(each_column(reinterpret_cast<const float*>(x.col_offsets)));
    if (x.c_f32) scales_ = each_column(x.col_scales);
#endif
  }

  // `count` rows from `row` on.
  PAWL_INLINE void put_rows(Sum sum, std::size_t row, std::size_t count) const {
    const auto exist = static_cast<__mmask16>((1u << (count * C)) - 1);
#if defined(PAWL_DOT_IS_BF16)
    F32 y = sum;
#else
    const auto rows = static_cast<__mmask16>((1u << count) - 1);
    const auto each_row = [&](const auto* from) PAWL_INLINE_LAMBDA {
      return _mm512_permutexvar_epi32(row_of_, _mm512_maskz_loadu_epi32(rows, from + row));
    };
    sum -= (as<U32>(each_row(x_.row_zeros)) + 128u) * offsets_;
    if (!x_.c_f32) {
      _mm512_mask_storeu_epi32(x_.c_s32 + row * C, exist, as<__m512i>(sum));
      return;
    }
    F32 y = convert_lanes<F32>(as<I32>(sum)) * as<F32>(each_row(x_.row_scales)) * scales_;
#endif
    if (x_.bias) y += bias_;
    if (x_.relu) y = greatest(F32{}, y);
    _mm512_mask_storeu_ps(x_.c_f32 + row * C, exist, y);
  }

 private:
  PAWL_INLINE F32 each_column(const float* from) const {
    return _mm512_permutexvar_ps(col_of_, _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << C) - 1), from));
  }

  const ColumnDots& x_;
  __m512i row_of_, col_of_;
  F32 bias_{};
#if !defined(PAWL_DOT_IS_BF16)
  U32 offsets_{};
  F32 scales_{};
#endif
};

template <std::size_t C>
static void multiply_columns_by(const ColumnDots& x) noexcept {
  // Of 16 rows a multiple of 4 KiB apart each line would push out another's: one column then took 1.8 times as long.
  constexpr std::size_t R = C == 1 ? 8 : kLanes / C;
  const ColumnEnd<C> end(x);
  const char* const a = static_cast<const char*>(x.a);
  std::size_t i = 0;
  if (x.rows >= R) {
    for (; i + R <= x.rows; i += R) end.put_rows(column_sums<R, C>(x, a + i * x.a_stride_bytes), i, R);
    // The last rows together with some that have been done.
    if (i < x.rows) end.put_rows(column_sums<R, C>(x, a + (x.rows - R) * x.a_stride_bytes), x.rows - R, R);
  } else {
    for (; i < x.rows; ++i) end.put_rows(column_sums<1, C>(x, a + i * x.a_stride_bytes), i, 1);
  }
}

template <std::size_t... I>
PAWL_INLINE void multiply_columns_from(const ColumnDots& x, std::index_sequence<I...>) {
  static constexpr void (*kByColumns[])(const ColumnDots&) noexcept = {multiply_columns_by<I + 1>...};
  kByColumns[x.cols - 1](x);
}
static void multiply_columns(const ColumnDots& x) noexcept {
  multiply_columns_from(x, std::make_index_sequence<kMostColumnDots>{});
}

}  // namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS
