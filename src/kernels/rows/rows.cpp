// rows.cpp -- argument checks and dispatch of include/pawl/rows.hpp.
#include "pawl/rows.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "isa/active.hpp"
#include "isa/streaming.hpp"
#include "kernels/rows/long_row.hpp"
#include "kernels/simd/whole_spans.hpp"
#include "kernels/tables.hpp"

namespace pawl {
namespace {

const RowsOps<float>& ops(float) noexcept { return rows_table(detail::active_isa_inline()).f32; }
const RowsOps<double>& ops(double) noexcept { return rows_table(detail::active_isa_inline()).f64; }

[[noreturn, gnu::cold]] void refuse(const char* function, const std::string& what) {
  throw std::invalid_argument(std::string(function) + ": " + what);
}

[[noreturn, gnu::cold]] void refuse_lengths(const char* function, std::size_t x, std::size_t out, std::size_t columns) {
  if (x != out) refuse(function, "lengths differ (" + std::to_string(x) + " and " + std::to_string(out) + ")");
  refuse(function, std::to_string(x) + " elements are no whole number of rows of " + std::to_string(columns));
}

// The number of rows. Inline, as what follows: with calls in between, the arguments go to memory and back, and one row
// of 16 f32 took 1.3 times as long.
inline std::size_t rows_of(const char* function, std::size_t x, std::size_t out, std::size_t columns) {
  if (x != out) [[unlikely]]
    refuse_lengths(function, x, out, columns);
  if (x == columns) return x != 0 ? 1 : 0;
  if (x == 0) return 0;
  if (columns == 0 || x % columns != 0) [[unlikely]]
    refuse_lengths(function, x, out, columns);
  return x / columns;
}

[[noreturn, gnu::cold]] void refuse_factor(const char* function, const char* name, std::size_t size,
                                           std::size_t columns) {
  refuse(function, std::string(name) + " has " + std::to_string(size) + " elements, rows have " +
                       std::to_string(columns) + " (empty: none)");
}

inline void check_factor(const char* function, const char* name, std::size_t size, std::size_t columns) {
  if (size != 0 && size != columns) [[unlikely]]
    refuse_factor(function, name, size, columns);
}

template <class T>
void check_epsilon(const char* function, T epsilon) {
  if (!(epsilon >= 0)) [[unlikely]]
    refuse(function, "epsilon is negative or NaN");
}

// run(first row, number of rows) for parts of the rows, on the threads that `bytes` of traffic pay for.
template <class Run>
void for_rows(std::size_t rows, std::size_t bytes, Run run) {
  detail::for_parts(rows, bytes, 1, [=](std::size_t begin, std::size_t end) { run(begin, end - begin); });
}

// run(from, to, rows) of rows in place: of short ones that end within a vector by way of a block beside them. The
// masked store at the end of a row is waited for by the load that begins the next one, whose vector overlaps its own:
// softmax of 10 columns f32 takes 16 ns a row so, 58 without (Emerald Rapids).
template <class T, class Run>
void run_rows(const T* from, T* to, std::size_t rows, std::size_t columns, Run run) {
  constexpr std::size_t kLine = 64 / sizeof(T), kMost = 16 * kLine, kBlock = (std::size_t{8} << 10) / sizeof(T);
  if (from != to || columns % kLine == 0 || columns > kMost || rows < 2) return run(from, to, rows);
  alignas(64) T block[kBlock];
  const std::size_t each = kBlock / columns;
  for (std::size_t r = 0; r < rows; r += each) {
    const std::size_t count = std::min(each, rows - r);
    run(from + r * columns, block, count);
    std::copy_n(block, count * columns, to + r * columns);
  }
}

template <class T>
void call_softmax(std::span<const T> x, std::size_t columns, std::span<T> out) {
  const std::size_t rows = rows_of("softmax", x.size(), out.size(), columns);
  if (columns >= detail::kLongRowBytes / sizeof(T)) [[unlikely]]
    return detail::for_long_rows(ops(T()), x.data(), out.data(), rows, columns,
                                 [](auto& row, const T* from, T* to) { row.softmax(from, to); });
  const auto run = ops(T()).softmax;
  for_rows(rows, 2 * x.size_bytes(), [=](std::size_t begin, std::size_t count) {
    run_rows(x.data() + begin * columns, out.data() + begin * columns, count, columns,
             [=](const T* from, T* to, std::size_t some) { run(from, to, some, columns); });
  });
}

template <class T>
void call_log_softmax(std::span<const T> x, std::size_t columns, std::span<T> out) {
  const std::size_t rows = rows_of("log_softmax", x.size(), out.size(), columns);
  if (columns >= detail::kLongRowBytes / sizeof(T)) [[unlikely]]
    return detail::for_long_rows(ops(T()), x.data(), out.data(), rows, columns,
                                 [](auto& row, const T* from, T* to) { row.log_softmax(from, to); });
  const auto run = ops(T()).log_softmax;
  for_rows(rows, 2 * x.size_bytes(), [=](std::size_t begin, std::size_t count) {
    run_rows(x.data() + begin * columns, out.data() + begin * columns, count, columns,
             [=](const T* from, T* to, std::size_t some) { run(from, to, some, columns); });
  });
}

// Blocks of columns x inner elements; parts are strips of columns of one block, so that one block has work for all
// threads too.
template <class T>
void call_softmax_columns(const char* function,
                          void (*RowsOps<T>::*entry)(const T*, T*, std::size_t, std::size_t, std::size_t) noexcept,
                          std::span<const T> x, std::size_t columns, std::size_t inner, std::span<T> out) {
  if (columns != 0 && inner > SIZE_MAX / columns) refuse(function, "more elements than memory can address");
  const std::size_t block = columns * inner, blocks = rows_of(function, x.size(), out.size(), block);
  constexpr std::size_t kStrip = 64;  // four of the widest vectors of f32
  const std::size_t strips = (inner + kStrip - 1) / kStrip;
  const auto run = ops(T()).*entry;
  for_rows(blocks * strips, 3 * x.size_bytes(), [&](std::size_t begin, std::size_t count) {
    for (std::size_t part = begin; part < begin + count; ++part) {
      const std::size_t column = part % strips * kStrip, at = part / strips * block + column;
      run(x.data() + at, out.data() + at, columns, inner, std::min(kStrip, inner - column));
    }
  });
}

template <class T>
void call_layernorm(std::span<const T> x, std::size_t columns, std::span<const T> gain, std::span<const T> shift,
                    T epsilon, std::span<T> out) {
  const std::size_t rows = rows_of("layernorm", x.size(), out.size(), columns);
  check_factor("layernorm", "gain", gain.size(), columns);
  check_factor("layernorm", "shift", shift.size(), columns);
  check_epsilon("layernorm", epsilon);
  const T *const g = gain.empty() ? nullptr : gain.data(), *const s = shift.empty() ? nullptr : shift.data();
  if (columns >= detail::kLongRowBytes / sizeof(T)) [[unlikely]]
    return detail::for_long_rows(ops(T()), x.data(), out.data(), rows, columns,
                                 [=](auto& row, const T* from, T* to) { row.layernorm(from, g, s, epsilon, to); });
  const auto run = ops(T()).layernorm;
  for_rows(rows, 2 * x.size_bytes(), [=](std::size_t begin, std::size_t count) {
    run_rows(x.data() + begin * columns, out.data() + begin * columns, count, columns,
             [=](const T* from, T* to, std::size_t some) { run(from, g, s, epsilon, to, some, columns); });
  });
}

template <class T>
void call_rmsnorm(std::span<const T> x, std::size_t columns, std::span<const T> gain, T epsilon, std::span<T> out) {
  const std::size_t rows = rows_of("rmsnorm", x.size(), out.size(), columns);
  check_factor("rmsnorm", "gain", gain.size(), columns);
  check_epsilon("rmsnorm", epsilon);
  const T* const g = gain.empty() ? nullptr : gain.data();
  if (columns >= detail::kLongRowBytes / sizeof(T)) [[unlikely]]
    return detail::for_long_rows(ops(T()), x.data(), out.data(), rows, columns,
                                 [=](auto& row, const T* from, T* to) { row.rmsnorm(from, g, epsilon, to); });
  const auto run = ops(T()).rmsnorm;
  for_rows(rows, 2 * x.size_bytes(), [=](std::size_t begin, std::size_t count) {
    run_rows(x.data() + begin * columns, out.data() + begin * columns, count, columns,
             [=](const T* from, T* to, std::size_t some) { run(from, g, epsilon, to, some, columns); });
  });
}

template <class T>
void call_cross_entropy(std::span<const T> x, std::size_t columns, std::span<const std::size_t> targets,
                        std::span<T> losses) {
  const std::size_t rows = rows_of("cross_entropy", x.size(), x.size(), columns);
  if (targets.size() != rows || losses.size() != rows)
    refuse("cross_entropy", std::to_string(rows) + " rows, " + std::to_string(targets.size()) + " targets and " +
                                std::to_string(losses.size()) + " losses");
  for (std::size_t r = 0; r < rows; ++r)
    if (targets[r] >= columns)
      refuse("cross_entropy", "target " + std::to_string(targets[r]) + " of row " + std::to_string(r) + "; there are " +
                                  std::to_string(columns) + " columns");
  const auto run = ops(T()).cross_entropy;
  for_rows(rows, x.size_bytes(), [=](std::size_t begin, std::size_t count) {
    run(x.data() + begin * columns, targets.data() + begin, losses.data() + begin, count, columns);
  });
}

template <class T>
void call_batchnorm(std::span<const T> x, std::size_t channels, std::size_t inner, const ChannelStatistics<T>& c,
                    T epsilon, std::span<T> out) {
  if (channels != 0 && inner > SIZE_MAX / channels) refuse("batchnorm", "more elements than memory can address");
  const std::size_t rows = rows_of("batchnorm", x.size(), out.size(), channels * inner);
  if (c.mean.size() != channels || c.variance.size() != channels)
    refuse("batchnorm", std::to_string(channels) + " channels, " + std::to_string(c.mean.size()) + " means and " +
                            std::to_string(c.variance.size()) + " variances");
  check_factor("batchnorm", "gain", c.gain.size(), channels);
  check_factor("batchnorm", "shift", c.shift.size(), channels);
  check_epsilon("batchnorm", epsilon);
  // Some channels at a time, so that nothing is allocated: 16 KiB (f32) of the stack hold most layers' at once.
  constexpr std::size_t kMost = 2048;
  std::array<T, kMost> factor, offset;
  // Few rows: so many that factors and offsets, 4 KiB each, are still in L1, beside the statistics, when they are used.
  const std::size_t at_once = rows < 4 ? 4096 / sizeof(T) : kMost;
  for (std::size_t begin = 0; begin < channels && rows > 0; begin += at_once) {
    const std::size_t count = std::min(at_once, channels - begin);
    ops(T()).fold_channels(
        c.mean.data() + begin, c.variance.data() + begin, c.gain.empty() ? nullptr : c.gain.data() + begin,
        c.shift.empty() ? nullptr : c.shift.data() + begin, epsilon, factor.data(), offset.data(), count);
    const T* from = x.data() + begin * inner;
    T* to = out.data() + begin * inner;
    constexpr std::size_t kShortInner = 48;  // channels of 40 to 60 f32 take as long in a loop of their own (Zen 4)
    if (inner > 1 && inner <= kShortInner && rows > 1 && count == channels && channels * inner <= kMost) {
      // Each element of a row has a factor and an offset of its own.
      std::array<T, kMost> factors, offsets;
      for (std::size_t k = 0; k < channels; ++k) {
        std::fill_n(factors.data() + k * inner, inner, factor[k]);
        std::fill_n(offsets.data() + k * inner, inner, offset[k]);
      }
      const auto run = ops(T()).scale_columns;
      for_rows(rows, 2 * x.size_bytes(), [&](std::size_t first, std::size_t n) {
        const std::size_t at = first * channels * inner;
        run(from + at, factors.data(), offsets.data(), to + at, n, channels * inner);
      });
    } else if (inner > 1) {
      // All rows' channels on the threads together: one row may have work for less than one.
      const bool past =
          worth_streaming_bytes(2 * x.size_bytes()) && rows_suit_streaming(to, inner * sizeof(T)) && from != to;
      const auto run = ops(T()).scale_rows;
      for_rows(rows * count, 2 * x.size_bytes(), [&](std::size_t first, std::size_t n) {
        for (std::size_t end = first + n, some; first < end; first += some) {
          const std::size_t r = first / count, k = first % count, at = (r * channels + k) * inner;
          some = std::min(count - k, end - first);
          run(from + at, factor.data() + k, offset.data() + k, to + at, some, inner, past);
        }
      });
    } else if (channels <= at_once) {
      const auto run = ops(T()).scale_columns;
      for_rows(rows, 2 * x.size_bytes(), [&](std::size_t first, std::size_t n) {
        run(from + first * channels, factor.data(), offset.data(), to + first * channels, n, channels);
      });
    } else {
      for (std::size_t r = 0; r < rows; ++r)
        ops(T()).scale_columns(from + r * channels, factor.data(), offset.data(), to + r * channels, 1, count);
    }
  }
}

template <class T>
void call_bias_activation(std::span<const T> x, std::size_t columns, std::span<const T> bias, Activation activation,
                          std::span<T> out) {
  const std::size_t rows = rows_of("bias_activation", x.size(), out.size(), columns);
  if (bias.size() != columns)
    refuse("bias_activation",
           "the bias has " + std::to_string(bias.size()) + " elements, rows have " + std::to_string(columns));
  const RowsOps<T>& o = ops(T());
  const auto entry = activation == Activation::relu        ? o.bias_relu
                     : activation == Activation::gelu      ? o.bias_gelu
                     : activation == Activation::gelu_tanh ? o.bias_gelu_tanh
                                                           : nullptr;
  if (entry == nullptr) refuse("bias_activation", "without an activation it is add (layout.hpp)");
  // Short rows: several are one, with as many biases. What begins and ends a row takes as long as some vectors do: rows
  // of 200 f32 with gelu 1.25 times, with relu 1.15; from 250 on there is nothing to gain (Zen 4).
  constexpr std::size_t kWide = 1024, kShort = 250;  // 8 KiB of f64
  constexpr std::size_t kPiece = detail::kPartGrain;
  const std::size_t at_once = columns < kShort && columns > 0 ? std::min(rows, kWide / columns) : 1;
  if (at_once > 1) {
    std::array<T, kWide> biases;
    std::copy_n(bias.data(), columns, biases.data());
    for (std::size_t have = columns, want = at_once * columns, more; have < want; have += more) {
      more = std::min(have, want - have);
      std::copy_n(biases.data(), more, biases.data() + have);
    }
    for_rows(rows, 2 * x.size_bytes(), [&](std::size_t begin, std::size_t count) {
      const T* from = x.data() + begin * columns;
      T* to = out.data() + begin * columns;
      const std::size_t whole = count / at_once, done = whole * at_once * columns;
      if (whole > 0) entry(from, biases.data(), to, whole, at_once * columns);
      if (whole * at_once < count) entry(from + done, biases.data(), to + done, 1, count * columns - done);
    });
    return;
  }
  if (rows < static_cast<std::size_t>(num_threads()) && columns > kPiece) {
    // Fewer rows than threads: these share pieces of them. No element depends on another.
    const std::size_t pieces = (columns + kPiece - 1) / kPiece;
    return for_rows(rows * pieces, 2 * x.size_bytes(), [&](std::size_t first, std::size_t count) {
      for (std::size_t p = first, some; p < first + count; p += some) {
        some = std::min(pieces - p % pieces, first + count - p);
        const std::size_t begin = p % pieces * kPiece, at = p / pieces * columns + begin;
        entry(x.data() + at, bias.data() + begin, out.data() + at, 1, std::min(some * kPiece, columns - begin));
      }
    });
  }
  for_rows(rows, 2 * x.size_bytes(), [=](std::size_t begin, std::size_t count) {
    entry(x.data() + begin * columns, bias.data(), out.data() + begin * columns, count, columns);
  });
}

using F = std::span<const float>;
using D = std::span<const double>;

}  // namespace

void softmax(F x, std::size_t columns, std::span<float> out) { call_softmax<float>(x, columns, out); }
void softmax(D x, std::size_t columns, std::span<double> out) { call_softmax<double>(x, columns, out); }
void log_softmax(F x, std::size_t columns, std::span<float> out) { call_log_softmax<float>(x, columns, out); }
void log_softmax(D x, std::size_t columns, std::span<double> out) { call_log_softmax<double>(x, columns, out); }
void softmax(F x, std::size_t columns, std::size_t inner, std::span<float> out) {
  if (inner == 1) return softmax(x, columns, out);
  call_softmax_columns<float>("softmax", &RowsOps<float>::softmax_columns, x, columns, inner, out);
}
void softmax(D x, std::size_t columns, std::size_t inner, std::span<double> out) {
  if (inner == 1) return softmax(x, columns, out);
  call_softmax_columns<double>("softmax", &RowsOps<double>::softmax_columns, x, columns, inner, out);
}
void log_softmax(F x, std::size_t columns, std::size_t inner, std::span<float> out) {
  if (inner == 1) return log_softmax(x, columns, out);
  call_softmax_columns<float>("log_softmax", &RowsOps<float>::log_softmax_columns, x, columns, inner, out);
}
void log_softmax(D x, std::size_t columns, std::size_t inner, std::span<double> out) {
  if (inner == 1) return log_softmax(x, columns, out);
  call_softmax_columns<double>("log_softmax", &RowsOps<double>::log_softmax_columns, x, columns, inner, out);
}
void layernorm(F x, std::size_t columns, F gain, F shift, float epsilon, std::span<float> out) {
  call_layernorm<float>(x, columns, gain, shift, epsilon, out);
}
void layernorm(D x, std::size_t columns, D gain, D shift, double epsilon, std::span<double> out) {
  call_layernorm<double>(x, columns, gain, shift, epsilon, out);
}
void rmsnorm(F x, std::size_t columns, F gain, float epsilon, std::span<float> out) {
  call_rmsnorm<float>(x, columns, gain, epsilon, out);
}
void rmsnorm(D x, std::size_t columns, D gain, double epsilon, std::span<double> out) {
  call_rmsnorm<double>(x, columns, gain, epsilon, out);
}

void cross_entropy(F x, std::size_t columns, std::span<const std::size_t> targets, std::span<float> losses) {
  call_cross_entropy<float>(x, columns, targets, losses);
}
void batchnorm(F x, std::size_t channels, std::size_t inner, const ChannelStatistics<float>& statistics, float epsilon,
               std::span<float> out) {
  call_batchnorm<float>(x, channels, inner, statistics, epsilon, out);
}
void bias_activation(F x, std::size_t columns, F bias, Activation activation, std::span<float> out) {
  call_bias_activation<float>(x, columns, bias, activation, out);
}
void cross_entropy(D x, std::size_t columns, std::span<const std::size_t> targets, std::span<double> losses) {
  call_cross_entropy<double>(x, columns, targets, losses);
}
void batchnorm(D x, std::size_t channels, std::size_t inner, const ChannelStatistics<double>& statistics,
               double epsilon, std::span<double> out) {
  call_batchnorm<double>(x, channels, inner, statistics, epsilon, out);
}
void bias_activation(D x, std::size_t columns, D bias, Activation activation, std::span<double> out) {
  call_bias_activation<double>(x, columns, bias, activation, out);
}
}  // namespace pawl
