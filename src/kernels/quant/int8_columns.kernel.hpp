// int8_columns.kernel.hpp -- rows of up to 8 weights -> each column along the depth, and its sum. For AVX-512 with
// VNNI.
#pragma once
#include "kernels/quant/column_dots.kernel.hpp"
#include "kernels/quant/part.hpp"

namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS {

// Some rows of C weights, as many as a vector has lanes that hold one -> each in a lane of its own.
template <std::size_t C>
inline constexpr std::size_t kRowLane = C <= 2   ? 2
                                        : C <= 4 ? 4
                                                 : 8;

// From a vector with the rows one after the other. Words first, which may come from everywhere: those of the rows that
// belong into each 16 bytes, 16 / kRowLane<C> of them, begin at an even byte. Then bytes within them.
template <std::size_t C>
class RowsToLanes {
 public:
  RowsToLanes() {
    constexpr std::size_t kRows = 16 / kRowLane<C>;
    alignas(64) std::uint16_t words[32];
    alignas(64) std::uint8_t bytes[64];
    for (std::size_t w = 0; w < 32; ++w) words[w] = static_cast<std::uint16_t>(w / 8 * (kRows * C / 2) + w % 8);
    for (std::size_t i = 0; i < 64; ++i) {
      const std::size_t row = i % 16 / kRowLane<C>, col = i % kRowLane<C>;
      bytes[i] = static_cast<std::uint8_t>(col < C ? row * C + col : 0x80);
    }
    words_ = get<__m512i>(words);
    bytes_ = get<__m512i>(bytes);
  }
  PAWL_INLINE __m512i operator()(__m512i rows) const {
    return C == kRowLane<C> ? rows : _mm512_shuffle_epi8(_mm512_permutexvar_epi16(words_, rows), bytes_);
  }

 private:
  __m512i words_, bytes_;
};

// Column j of rows in lanes: their bytes j.
template <std::size_t C>
PAWL_INLINE void put_column(__m512i rows, std::size_t j, std::int8_t* out) {
  const auto shift = static_cast<unsigned>(8 * j);
  if constexpr (kRowLane<C> == 2) {
    put(out, _mm512_cvtepi16_epi8(_mm512_srli_epi16(rows, shift)));
  } else if constexpr (kRowLane<C> == 4) {
    put(out, _mm512_cvtepi32_epi8(_mm512_srli_epi32(rows, shift)));
  } else {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out), _mm512_cvtepi64_epi8(_mm512_srli_epi64(rows, shift)));
  }
}

template <std::size_t C>
static void gather_columns_by(const std::int8_t* b, std::size_t depth, std::int8_t* out, std::size_t stride) noexcept {
  constexpr std::size_t kRows = 64 / kRowLane<C>;  // divides the stride
  const RowsToLanes<C> to_lanes;
  std::size_t p = 0;
  for (; p < depth; p += kRows) {
    const std::size_t bytes = (depth - p < kRows ? depth - p : kRows) * C;
    const __mmask64 exist = bytes == 64 ? ~__mmask64{0} : (__mmask64{1} << bytes) - 1;
    const __m512i rows = to_lanes(_mm512_maskz_loadu_epi8(exist, b + p * C));
#pragma GCC unroll 8
    for (std::size_t j = 0; j < C; ++j) put_column<C>(rows, j, out + j * stride + p);
  }
  for (std::size_t j = 0; j < C; ++j) __builtin_memset(out + j * stride + p, 0, stride - p);
}

static void gather_columns(const std::int8_t* b, std::size_t depth, std::size_t cols, std::int8_t* out,
                           std::size_t stride, std::int32_t* sums) noexcept {
  static constexpr void (*kByColumns[])(const std::int8_t*, std::size_t, std::int8_t*, std::size_t) noexcept = {
      gather_columns_by<2>, gather_columns_by<3>, gather_columns_by<4>, gather_columns_by<5>,
      gather_columns_by<6>, gather_columns_by<7>, gather_columns_by<8>};
  if (cols == 1) {
    __builtin_memcpy(out, b, depth);
    __builtin_memset(out + depth, 0, stride - depth);
  } else if (cols <= 8) {
    kByColumns[cols - 2](b, depth, out, stride);
  } else {
    for (std::size_t p = 0; p < depth; ++p)
      for (std::size_t j = 0; j < cols; ++j) out[j * stride + p] = b[p * cols + j];
    for (std::size_t j = 0; j < cols; ++j) __builtin_memset(out + j * stride + depth, 0, stride - depth);
  }
  const __m512i ones = _mm512_set1_epi8(1);
  for (std::size_t j = 0; j < cols; ++j) {
    __m512i sum = _mm512_setzero_si512();
    for (std::size_t p = 0; p < stride; p += 64)
      sum = _mm512_dpbusd_epi32(sum, ones, get<__m512i>(out + j * stride + p));
    sums[j] = _mm512_reduce_add_epi32(sum);
  }
}

}  // namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS
