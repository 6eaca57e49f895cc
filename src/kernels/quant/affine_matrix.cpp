// affine_matrix.cpp -- parameters per row and per column, given or found on the way: argument checks and dispatch of
// include/pawl/quant/affine.hpp.
#include <algorithm>
#include <cmath>
#include <string>

#include "isa/streaming.hpp"
#include "kernels/quant/affine_checks.hpp"
#include "parallel/parts.hpp"

namespace pawl {
using namespace affine;
namespace {

// The other extent of a matrix of `elements` with one set of parameters per row (or column).
template <class Q>
std::size_t other_extent(const char* function, std::size_t elements, std::size_t out_elements,
                         std::span<const float> scales, std::span<const std::int32_t> zero_points) {
  check_equal(function, elements, out_elements);
  const std::size_t count = scales.size();
  if (count == 0 ? elements != 0 : elements % count != 0)
    refuse(function, std::to_string(count) + " scales do not divide " + std::to_string(elements) + " elements");
  if (!zero_points.empty() && zero_points.size() != count)
    refuse(function, std::to_string(count) + " scales and " + std::to_string(zero_points.size()) + " zero points");
  check_scales(function, scales);
  check_zero_points<Q>(function, zero_points);
  return count == 0 ? 0 : elements / count;
}

template <class Q>
std::int32_t zero_point_at(std::span<const std::int32_t> zero_points, std::size_t i) {
  return zero_points.empty() ? kMiddle<Q> : zero_points[i];
}

// Shares of threads are multiples of so many rows: enough that lines with two writers are few.
std::size_t row_grain(std::size_t cols) noexcept { return cols == 0 ? 1 : 1 + detail::kPartGrain / cols; }

// Rows that one call of a kernel takes, so that their factors lie on the stack.
constexpr std::size_t kRowsAtOnce = 64;

// Rows `part` of x.
template <class Q>
void quantize_some_rows(const float* x, Range part, std::size_t cols, const float* scales,
                        const std::int32_t* zero_points, Q* q, bool streaming) noexcept {
  const QuantizeOps<Q>& kernels = ops<Q>();
  if (streaming) {
    for (std::size_t i = part.begin; i < part.end; ++i)
      kernels.quantize(x + i * cols, cols, 1 / scales[i], zero_points ? zero_points[i] : kMiddle<Q>, q + i * cols,
                       true);
    return;
  }
  const ParameterOps& parameters = quant_table(detail::active_isa_inline()).parameters;
  float reciprocals[kRowsAtOnce];
  for (std::size_t first = part.begin; first < part.end; first += kRowsAtOnce) {
    const std::size_t count = std::min(kRowsAtOnce, part.end - first);
    parameters.reciprocals(scales + first, count, reciprocals);
    kernels.quantize_rows(x + first * cols, count, cols, reciprocals, zero_points ? zero_points + first : nullptr,
                          kMiddle<Q>, q + first * cols);
  }
}

// Functions of their own: what threads are given lies in memory, which takes 4 of the 30 ns of a short call.
template <class Q>
[[gnu::noinline]] void quantize_rows_on_threads(const float* x, std::size_t rows, std::size_t cols, const float* scales,
                                                const std::int32_t* zero_points, Q* q) {
  const bool streaming = cols >= 4096 && worth_streaming_bytes(5 * rows * cols);
  detail::for_parts_on_threads(rows, 5 * rows * cols, row_grain(cols), [=](std::size_t begin, std::size_t end) {
    quantize_some_rows(x, {begin, end}, cols, scales, zero_points, q, streaming);
  });
}
template <class Q>
[[gnu::noinline]] void dequantize_rows_on_threads(const Q* q, std::size_t rows, std::size_t cols, const float* scales,
                                                  const std::int32_t* zero_points, float* x) {
  const bool streaming = cols >= 1024 && worth_streaming_bytes(5 * rows * cols);
  detail::for_parts_on_threads(rows, 5 * rows * cols, row_grain(cols),
                               [=, run = ops<Q>().dequantize_rows](std::size_t b, std::size_t e) {
                                 run(q + b * cols, e - b, cols, scales + b, zero_points ? zero_points + b : nullptr,
                                     kMiddle<Q>, x + b * cols, streaming);
                               });
}

template <class Q>
void call_quantize_rows(std::span<const float> x, std::span<const float> scales,
                        std::span<const std::int32_t> zero_points, std::span<Q> q) {
  const std::size_t cols = other_extent<Q>("quantize_rows", x.size(), q.size(), scales, zero_points);
  const std::int32_t* const zeros = zero_points.empty() ? nullptr : zero_points.data();
  if (5 * x.size() < detail::kWorthThreadsBytes) [[likely]]
    return quantize_some_rows(x.data(), {0, scales.size()}, cols, scales.data(), zeros, q.data(), false);
  quantize_rows_on_threads(x.data(), scales.size(), cols, scales.data(), zeros, q.data());
}

template <class Q>
void call_dequantize_rows(std::span<const Q> q, std::span<const float> scales,
                          std::span<const std::int32_t> zero_points, std::span<float> x) {
  const std::size_t cols = other_extent<Q>("dequantize_rows", q.size(), x.size(), scales, zero_points);
  const std::int32_t* const zeros = zero_points.empty() ? nullptr : zero_points.data();
  if (5 * x.size() < detail::kWorthThreadsBytes) [[likely]]
    return ops<Q>().dequantize_rows(q.data(), scales.size(), cols, scales.data(), zeros, kMiddle<Q>, x.data(), false);
  dequantize_rows_on_threads(q.data(), scales.size(), cols, scales.data(), zeros, x.data());
}

// Columns at a time, whose factors (16 KiB) stay in L1 while all rows meet them.
constexpr std::size_t kColsAtOnce = 4096;
// Short rows are taken several at a time, as one with repeated factors: at least 512 columns, or 64 rows, which make
// whole blocks of any number of columns.
constexpr std::size_t kRepeatedCols = 512, kMostRepeats = 64;

// values[0 .. cols) again and again, up to `total` elements.
inline void repeat(float* values, std::size_t cols, std::size_t total) {
  for (std::size_t done = cols; done < total;) {
    const std::size_t more = std::min(done, total - done);
    std::copy_n(values, more, values + done);
    done += more;
  }
}

// multiply(first element, rows, cols, stride, factors, zero points or null where all are `zero`) for stretches that
// make up rows x cols.
template <class Q, bool inverse, class Multiply>
void by_columns(std::size_t rows, std::span<const float> scales, std::span<const std::int32_t> zero_points,
                Multiply multiply) {
  const std::size_t cols = scales.size();
  if (cols == 0 || rows == 0) return;
  const ParameterOps& parameters = quant_table(detail::active_isa_inline()).parameters;
  const bool differ = !zero_points.empty() && parameters.zeros_differ(zero_points.data(), zero_points.size());
  float own_factors[kColsAtOnce], own_zeros[kColsAtOnce];
  const std::size_t repeats = std::clamp<std::size_t>(kRepeatedCols / cols, 1, std::min(kMostRepeats, rows));
  const std::size_t step = std::min(kColsAtOnce, cols);
  for (std::size_t first = 0; first < cols; first += step) {
    const std::size_t count = std::min(step, cols - first), total = repeats * count;
    const float* factors = scales.data() + first;
    const float* zeros = nullptr;
    if (inverse || repeats > 1) {
      if (inverse) {
        parameters.reciprocals(factors, count, own_factors);
      } else {
        std::copy_n(factors, count, own_factors);
      }
      repeat(own_factors, count, total);
      factors = own_factors;
    }
    if (differ) {
      parameters.zeros_as_f32(zero_points.data() + first, count, own_zeros);
      repeat(own_zeros, count, total);
      zeros = own_zeros;
    }
    if (repeats <= 1) {
      multiply(first, rows, count, cols, factors, zeros);
      continue;
    }
    const std::size_t whole = rows / repeats, rest = rows % repeats;
    multiply(0, whole, total, total, factors, zeros);
    if (rest) multiply(whole * total, 1, rest * cols, 0, factors, zeros);
  }
}

// The same on threads, of which each has some rows.
template <class Q, bool inverse, class Multiply>
void on_rows(std::size_t rows, std::span<const float> scales, std::span<const std::int32_t> zero_points,
             Multiply multiply) {
  const std::size_t cols = scales.size();
  detail::for_parts(rows, 5 * rows * cols, row_grain(cols), [&](std::size_t b, std::size_t e) {
    by_columns<Q, inverse>(
        e - b, scales, zero_points,
        [&](std::size_t at, std::size_t count, std::size_t width, std::size_t stride, const float* factors,
            const float* zeros) { multiply(b * cols + at, count, width, stride, factors, zeros); });
  });
}

template <class Q>
void call_quantize_columns(std::span<const float> x, std::span<const float> scales,
                           std::span<const std::int32_t> zero_points, std::span<Q> q) {
  const std::size_t rows = other_extent<Q>("quantize_columns", x.size(), q.size(), scales, zero_points);
  const QuantizeOps<Q>& kernels = ops<Q>();
  const std::int32_t zero = zero_point_at<Q>(zero_points, 0);
  on_rows<Q, true>(rows, scales, zero_points,
                   [&](std::size_t at, std::size_t count, std::size_t cols, std::size_t stride,
                       const float* reciprocals, const float* zeros) {
                     if (zeros) {
                       kernels.quantize_each(x.data() + at, count, cols, stride, reciprocals, zeros, q.data() + at);
                     } else {
                       kernels.quantize_columns(x.data() + at, count, cols, stride, reciprocals, zero, q.data() + at);
                     }
                   });
}

template <class Q>
void call_dequantize_columns(std::span<const Q> q, std::span<const float> scales,
                             std::span<const std::int32_t> zero_points, std::span<float> x) {
  const std::size_t rows = other_extent<Q>("dequantize_columns", q.size(), x.size(), scales, zero_points);
  const QuantizeOps<Q>& kernels = ops<Q>();
  constexpr std::size_t kFewElements = 32;  // done before a kernel's parameters are laid out
  if (x.size() <= kFewElements) {
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < scales.size(); ++j) {
        const std::size_t at = i * scales.size() + j;
        x[at] = static_cast<float>(q[at] - zero_point_at<Q>(zero_points, j)) * scales[j];
      }
    return;
  }
  const std::int32_t zero = zero_point_at<Q>(zero_points, 0);
  on_rows<Q, false>(rows, scales, zero_points,
                    [&](std::size_t at, std::size_t count, std::size_t cols, std::size_t stride, const float* factors,
                        const float* zeros) {
                      if (zeros) {
                        kernels.dequantize_each(q.data() + at, count, cols, stride, factors, zeros, x.data() + at);
                      } else {
                        kernels.dequantize_columns(q.data() + at, count, cols, stride, factors, zero, x.data() + at);
                      }
                    });
}

// Rows whose ranges are found before their codes are made: about 16 KiB of f32, which stay in L1 with those before.
std::size_t rows_ahead(std::size_t cols) noexcept {
  constexpr std::size_t kElements = 4096;
  return cols == 0 ? kRowsAtOnce : std::clamp<std::size_t>(kElements / cols, 1, kRowsAtOnce);
}

// Symmetric: the largest magnitude of each row is its scale.
template <class Q>
void quantize_symmetric_rows(std::span<const float> x, std::size_t cols, std::span<Q> q, std::span<float> scales) {
  const QuantizeOps<Q>& kernels = ops<Q>();
  const QuantTable& table = quant_table(detail::active_isa_inline());
  const std::size_t rows = scales.size(), step = rows_ahead(cols);
  float reciprocals[kRowsAtOnce], magnitudes[kRowsAtOnce];
  kernels.quantize_and_find(nullptr, 0, cols, nullptr, 0, nullptr, x.data(), std::min(step, rows), magnitudes);
  for (std::size_t first = 0; first < rows; first += step) {
    const std::size_t count = std::min(step, rows - first);
    if (count < kFew) {
      for (std::size_t i = 0; i < count; ++i) {
        const float range[] = {0, magnitudes[i]};
        const QuantParams p =
            params_of_range<Q>(table, range, x.subspan((first + i) * cols, cols), QuantScheme::symmetric);
        scales[first + i] = p.scale;
        reciprocals[i] = 1 / p.scale;
      }
    } else if (!table.parameters.symmetric(magnitudes, count, scales.data() + first, reciprocals)) [[unlikely]] {
      for (std::size_t i = 0; i < count; ++i)
        if (!std::isfinite(magnitudes[i])) {
          const FiniteRange range = range_of(table, x.subspan((first + i) * cols, cols));
          magnitudes[i] = std::max(-range.low, range.high);
        }
      table.parameters.symmetric(magnitudes, count, scales.data() + first, reciprocals);
    }
    const std::size_t next = first + count, next_count = std::min(step, rows - next);
    kernels.quantize_and_find(x.data() + first * cols, count, cols, reciprocals, kMiddle<Q>, q.data() + first * cols,
                              x.data() + next * cols, next_count, magnitudes);
  }
}

template <class Q>
void quantize_affine_rows(std::span<const float> x, std::size_t cols, std::span<Q> q, std::span<float> scales,
                          std::span<std::int32_t> zero_points) {
  constexpr QuantScheme scheme = QuantScheme::affine;
  const std::size_t rows = scales.size();
  const QuantizeOps<Q>& kernels = ops<Q>();
  const QuantTable& table = quant_table(detail::active_isa_inline());
  // Of short rows several at a time, so that they wait for each other's ranges and divisions less. While the codes of
  // some are made, the ranges of the next are found; both stay in L1.
  const std::size_t step = rows_ahead(cols);
  float reciprocals[kRowsAtOnce], lows[kRowsAtOnce], highs[kRowsAtOnce];
  const auto choose = [&](std::size_t first, std::size_t count) {
    if (count < kFew) {
      for (std::size_t i = 0; i < count; ++i) {
        const float range[] = {lows[i], highs[i]};
        const QuantParams p = params_of_range<Q>(table, range, x.subspan((first + i) * cols, cols), scheme);
        scales[first + i] = p.scale;
        zero_points[first + i] = p.zero_point;
        reciprocals[i] = 1 / p.scale;
      }
      return;
    }
    constexpr std::int32_t kLowest = kMiddle<Q> - 128;
    const auto all = [&] {
      return table.parameters.affine(lows, highs, count, kLowest, scales.data() + first, zero_points.data() + first,
                                     reciprocals);
    };
    if (all()) [[likely]]
      return;
    for (std::size_t i = 0; i < count; ++i)
      if (!(std::isfinite(lows[i]) && std::isfinite(highs[i]))) {
        const FiniteRange range = range_of(table, x.subspan((first + i) * cols, cols));
        lows[i] = std::min(range.low, 0.0f);
        highs[i] = std::max(range.high, 0.0f);
      }
    all();
  };
  // Of short rows the ranges of 16 are folded at once.
  constexpr std::size_t kVeryShort = 64, kShort = 128;
  if (cols > 0 && (cols < kVeryShort || (cols < kShort && rows >= kFew))) {
    for (std::size_t first = 0; first < rows; first += step) {
      const std::size_t count = std::min(step, rows - first);
      const std::span<const float> part = x.subspan(first * cols, count * cols);
      table.find_ranges(part.data(), count, cols, lows, highs);
      choose(first, count);
      kernels.quantize_rows(part.data(), count, cols, reciprocals, zero_points.data() + first, kMiddle<Q>,
                            q.data() + first * cols);
    }
    return;
  }
  const auto row = [&](std::size_t i) { return i < rows ? x.data() + i * cols : nullptr; };
  const auto find = [&](const float* from, float reciprocal, std::int32_t zero, Q* to, const float* next,
                        std::size_t i) {
    float range[2] = {};
    kernels.quantize_and_range(from, cols, reciprocal, zero, to, next, range);
    lows[i] = range[0];
    highs[i] = range[1];
  };
  for (std::size_t i = 0; i < std::min(step, rows); ++i) find(nullptr, 0, 0, nullptr, row(i), i);
  for (std::size_t first = 0; first < rows; first += step) {
    const std::size_t count = std::min(step, rows - first);
    choose(first, count);
    for (std::size_t i = first; i < first + count; ++i)
      find(row(i), reciprocals[i - first], zero_points[i], q.data() + i * cols, row(i + step), i - first);
  }
}

template <class Q>
void call_quantize_dynamic_rows(std::span<const float> x, QuantScheme scheme, std::span<Q> q, std::span<float> scales,
                                std::span<std::int32_t> zero_points) {
  constexpr const char* kFunction = "quantize_dynamic_rows";
  check_equal(kFunction, x.size(), q.size());
  const std::size_t rows = scales.size();
  if (zero_points.size() != rows || (rows == 0 ? !x.empty() : x.size() % rows != 0))
    refuse(kFunction, std::to_string(rows) + " scales and " + std::to_string(zero_points.size()) + " zero points for " +
                          std::to_string(x.size()) + " elements");
  const std::size_t cols = rows == 0 ? 0 : x.size() / rows;
  detail::for_parts(rows, 5 * x.size(), row_grain(cols), [&](std::size_t b, std::size_t e) {
    const std::span<const float> from = x.subspan(b * cols, (e - b) * cols);
    const std::span<Q> to = q.subspan(b * cols, (e - b) * cols);
    const std::span<std::int32_t> zeros = zero_points.subspan(b, e - b);
    if (scheme == QuantScheme::symmetric) {
      std::ranges::fill(zeros, kMiddle<Q>);
      quantize_symmetric_rows(from, cols, to, scales.subspan(b, e - b));
    } else {
      quantize_affine_rows(from, cols, to, scales.subspan(b, e - b), zeros);
    }
  });
}

}  // namespace

// One definition for int8 and uint8 each.
#define PAWL_DEFINE_FOR(Q)                                                                                             \
  void quantize_rows(std::span<const float> x, std::span<const float> scales,                                          \
                     std::span<const std::int32_t> zero_points, std::span<Q> q) {                                      \
    call_quantize_rows<Q>(x, scales, zero_points, q);                                                                  \
  }                                                                                                                    \
  void dequantize_rows(std::span<const Q> q, std::span<const float> scales, std::span<const std::int32_t> zero_points, \
                       std::span<float> x) {                                                                           \
    call_dequantize_rows<Q>(q, scales, zero_points, x);                                                                \
  }                                                                                                                    \
  void quantize_columns(std::span<const float> x, std::span<const float> scales,                                       \
                        std::span<const std::int32_t> zero_points, std::span<Q> q) {                                   \
    call_quantize_columns<Q>(x, scales, zero_points, q);                                                               \
  }                                                                                                                    \
  void dequantize_columns(std::span<const Q> q, std::span<const float> scales,                                         \
                          std::span<const std::int32_t> zero_points, std::span<float> x) {                             \
    call_dequantize_columns<Q>(q, scales, zero_points, x);                                                             \
  }                                                                                                                    \
  void quantize_dynamic_rows(std::span<const float> x, QuantScheme scheme, std::span<Q> q, std::span<float> scales,    \
                             std::span<std::int32_t> zero_points) {                                                    \
    call_quantize_dynamic_rows<Q>(x, scheme, q, scales, zero_points);                                                  \
  }
PAWL_DEFINE_FOR(std::int8_t)
PAWL_DEFINE_FOR(std::uint8_t)
#undef PAWL_DEFINE_FOR

}  // namespace pawl
