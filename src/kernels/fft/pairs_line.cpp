// pairs_line.cpp -- Way::pairs: a short line as rows x columns, each half one function on vectors of pairs.
#include <cstdint>
#include <iterator>

#include "isa/datapath.hpp"
#include "kernels/fft/fft_long.hpp"
#include "kernels/fft/fft_whole.hpp"
#include "kernels/fft/line.hpp"
#include "kernels/fft/row_twiddles.hpp"
#include "kernels/fft/whole_line.hpp"

namespace pawl::fft {
namespace {

// Nanoseconds on a Zen 5 (AVX-512, f64; f32 differs little): of a vector of columns in the first half, of a call
// of it besides, of a vector of rows in the second, of a butterfly alone.
struct Cost {
  double first, call, second, alone;
};
constexpr Cost kCosts[26] = {{},
                             {},
                             {1.3, 0.8, 1.3, 1.4},
                             {2.1, 1.2, 2.2, 2.0},
                             {2.7, 1.6, 2.2, 2.0},
                             {3.4, 2.6, 4.5, 2.3},
                             {3.9, 2.7, 4.9, 2.5},
                             {5.1, 2.7, 6.8, 4.1},
                             {5.7, 3.5, 6.8, 3.4},
                             {8.2, 2.2, 12.0, 6.4},
                             {10.0, 1.7, 10.4, 4.8},
                             {12.4, 2.4, 14.6, 9.6},
                             {13.0, 1.8, 13.1, 5.8},
                             {18.5, 5.0, 19.2, 13.1},
                             {16.0, 2.0, 15.9, 8.5},
                             {18.0, 2.7, 16.6, 10.3},
                             {19.0, 4.0, 16.1, 4.3},
                             {},
                             {22.2, 7.4, 21.2, 14.5},
                             {},
                             {25.0, 7.2, 20.6, 12.3},
                             {},
                             {},
                             {},
                             {30.6, 8.4, 23.0, 15.3},
                             {43.8, 16.2, 34.9, 27.9}};

// Rows that were faster than those with the least time by that table, by 3 % to a factor of 2, in vectors of 64 bytes:
// all lengths and all their halves were timed, those within 3 % are left out. 0: none.
struct Measured {
  std::uint16_t n;
  std::uint8_t rows_f32, rows_f64;
};
constexpr Measured kMeasured[] = {{16, 4, 0},   {20, 4, 4},   {22, 0, 2},   {24, 4, 4},   {27, 3, 3},
                                  {28, 0, 4},   {32, 0, 4},   {33, 0, 3},   {40, 0, 4},   {42, 6, 0},
                                  {44, 0, 4},   {48, 0, 4},   {55, 0, 5},   {56, 0, 4},   {63, 7, 7},
                                  {66, 0, 6},   {80, 10, 0},  {108, 18, 0}, {156, 0, 13}, {180, 15, 15},
                                  {200, 0, 10}, {210, 15, 0}, {234, 0, 18}, {252, 0, 18}, {480, 24, 0}};

// The same of vectors of 32 bytes, on a Zen 4: lengths that took 0.97 or less of the time with them than by the halves
// above in vectors of 64 bytes. Half as wide ones leave fewer lanes empty and cost half as much there.
constexpr Measured kMeasuredNarrow[] = {
    {3, 0, 3},     {5, 5, 5},    {6, 6, 6},    {7, 7, 7},     {8, 8, 8},    {9, 9, 9},    {10, 10, 10}, {11, 11, 11},
    {12, 12, 12},  {13, 13, 13}, {14, 14, 14}, {15, 15, 15},  {16, 16, 0},  {18, 3, 3},   {20, 20, 20}, {21, 3, 3},
    {22, 2, 2},    {24, 4, 4},   {25, 5, 5},   {26, 2, 2},    {27, 3, 3},   {28, 4, 28},  {30, 3, 5},   {32, 4, 4},
    {33, 3, 0},    {35, 0, 5},   {36, 6, 6},   {39, 3, 0},    {40, 4, 4},   {42, 0, 7},   {44, 4, 44},  {45, 3, 0},
    {48, 4, 0},    {50, 5, 5},   {52, 4, 0},   {54, 9, 6},    {55, 0, 5},   {56, 8, 0},   {60, 4, 6},   {63, 0, 7},
    {65, 0, 5},    {66, 0, 6},   {70, 0, 7},   {72, 4, 6},    {75, 0, 5},   {77, 7, 0},   {78, 0, 6},   {80, 4, 0},
    {81, 9, 9},    {84, 12, 6},  {88, 8, 0},   {90, 9, 6},    {96, 8, 0},   {99, 9, 9},   {100, 4, 10}, {108, 9, 6},
    {110, 10, 10}, {112, 8, 8},  {117, 9, 0},  {120, 10, 10}, {121, 11, 0}, {125, 0, 5},  {130, 10, 0}, {132, 12, 0},
    {144, 12, 12}, {150, 10, 0}, {156, 12, 0}, {160, 8, 0},   {162, 9, 0},  {180, 12, 0}, {198, 18, 0}, {200, 10, 0},
    {216, 12, 0},  {220, 11, 0}, {240, 12, 0}, {250, 10, 0},  {275, 11, 0}};

// The same where the CPU works on 64 bytes at once, on a Zen 5: rows of vectors of 64 bytes or, below 0, of 32, that
// took 0.97 of the time or less of what the tables above say, in the mean of three processes, and less in each. 0: as
// those. Most to 144 points have functions of their own (pairs_whole.kernel.hpp).
struct MeasuredWhole {
  std::uint16_t n;
  std::int8_t rows_f32, rows_f64;
};
constexpr MeasuredWhole kMeasuredWhole[] = {{3, -3, 0},   {5, 0, -5},   {6, -6, -6},  {20, -20, -20},
                                            {22, -2, 0},  {26, -2, 0},  {150, 15, 0}, {156, 13, 0},
                                            {182, 13, 0}, {270, 0, 18}, {360, 0, 18}, {480, 20, 0}};

// Vectors of `lanes` pairs that hold `count` of them.
constexpr std::size_t vectors_of(std::size_t count, std::size_t lanes) noexcept { return (count + lanes - 1) / lanes; }

template <class T, class Row, std::size_t size>
int measured_rows(const Row (&table)[size], std::size_t n) {
  for (const Row& m : table)
    if (m.n == n) return sizeof(T) == 4 ? m.rows_f32 : m.rows_f64;
  return 0;
}

// By the tables, 0 if n is in none.
template <class T>
std::size_t rows_of(std::size_t n, std::size_t vector_bytes) {
  if (vector_bytes < 32) return 0;
  const bool narrow = vector_bytes == 32;
  if (!detail::splits_512_bits) {
    const int rows = measured_rows<T>(kMeasuredWhole, n);
    if (rows != 0 && (rows < 0) == narrow) return static_cast<std::size_t>(narrow ? -rows : rows);
  }
  return static_cast<std::size_t>(narrow ? measured_rows<T>(kMeasuredNarrow, n) : measured_rows<T>(kMeasured, n));
}

template <class T>
class PairsLine final : public Line<T> {
 public:
  PairsLine(std::size_t rows, std::size_t columns, const FftPairs<T>& pairs)
      : first_(pairs.rows[rows]),
        second_(pairs.columns[columns]),
        rows_(rows),
        columns_(columns),
        block_(rows * vectors_of(columns, pairs.lanes) * 2 * pairs.lanes),
        twiddles_(rows, columns, 1, pairs.lanes) {}
  std::size_t workspace_elements() const noexcept override { return block_; }
  void run(const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept override {
    first_(in, columns_, workspace, twiddles_.data(swapped), swapped);
    second_(workspace, rows_, out, swapped, scale);
  }

 private:
  typename FftPairs<T>::Rows first_;
  typename FftPairs<T>::Columns second_;
  std::size_t rows_, columns_, block_;
  RowTwiddles<T> twiddles_;
};

template <class T>
class ButterflyLine final : public Line<T> {
 public:
  explicit ButterflyLine(typename FftPairs<T>::Single function) : function_(function) {}
  std::size_t workspace_elements() const noexcept override { return 0; }
  void run(const T* in, T* out, T*, bool swapped, T scale) const noexcept override {
    function_(in, out, swapped, scale);
  }
  typename Line<T>::AtOnce at_once() const noexcept override { return function_; }

 private:
  typename FftPairs<T>::Single function_;
};

// The halves with the least time by kCosts, which goes to best_cost; rows = 0 if there are none.
template <class T>
Choice least_halves(std::size_t n, const FftPairs<T>& pairs, double& best_cost) {
  Choice best{Way::pairs};
  best_cost = 1e30;
  if (n < std::size(kCosts) && pairs.single[n]) {
    best = {Way::pairs, n, 1};
    best_cost = kCosts[n].alone;
  }
  constexpr double kSecondCall = 2.5;  // and the way through memory between the halves
  const auto vectors = [&](std::size_t count) {
    const std::size_t whole = vectors_of(count, pairs.lanes);
    return static_cast<double>(whole);
  };
  for (std::size_t rows = 2; rows < std::size(pairs.rows); ++rows) {
    const std::size_t columns = n / rows;
    if (n % rows != 0 || !pairs.rows[rows] || columns >= std::size(pairs.columns) || !pairs.columns[columns]) continue;
    const double cost = kSecondCall + vectors(columns) * kCosts[rows].first + kCosts[rows].call +
                        vectors(rows) * kCosts[columns].second;
    if (cost < best_cost) {
      best_cost = cost;
      best = {Way::pairs, rows, columns};
    }
  }
  return best;
}

}  // namespace

template <class T>
Choice choose_pairs(std::size_t n, const FftPairs<T>& pairs) {
  if (pairs.lanes == 0) return {Way::pairs};
  const std::size_t measured = rows_of<T>(n, 2 * pairs.lanes * sizeof(T));
  if (measured > 0) return {Way::pairs, measured, n / measured};
  double cost;
  return least_halves(n, pairs, cost);
}

template <class T>
Choice choose_divided(std::size_t n, const FftPairs<T>& pairs) {
  Choice best{Way::divided};
  double best_cost = 1e30;
  for (std::size_t rows = 2; rows < std::size(pairs.rows); ++rows) {
    const std::size_t columns = n / rows;
    if (n % rows != 0 || !pairs.rows[rows]) continue;
    double line;
    if (least_halves(columns, pairs, line).rows == 0) continue;
    // Longer lines took some more than kCosts says.
    constexpr std::size_t kLong = 130;
    if (columns > kLong) line *= 1.15;
    const auto vectors = static_cast<double>(vectors_of(columns, pairs.lanes));
    const double cost = kCosts[rows].call + vectors * kCosts[rows].first + static_cast<double>(rows) * line;
    if (cost < best_cost) {
      best_cost = cost;
      best = {Way::divided, rows, columns};
    }
  }
  return best;
}

template <class T>
Choice choose_side_by_side(std::size_t n, std::size_t columns, const FftPairs<T>& pairs) {
  Choice best{Way::pairs};
  double best_cost = 1e30;
  const auto vectors = [&](std::size_t count) { return static_cast<double>(vectors_of(count, pairs.lanes)); };
  for (std::size_t rows = 2; rows < std::size(pairs.rows); ++rows) {
    const std::size_t points = n / rows;
    if (n % rows != 0 || !pairs.rows[rows] || points >= std::size(pairs.across) || !pairs.across[points]) continue;
    const double second = kCosts[points].call + vectors(columns) * kCosts[points].first;
    const double cost =
        kCosts[rows].call + vectors(points * columns) * kCosts[rows].first + static_cast<double>(rows) * second;
    if (cost < best_cost) {
      best_cost = cost;
      best = {Way::pairs, rows, points};
    }
  }
  return best;
}

template <class T>
bool prefers_narrow(std::size_t n) noexcept {
  return detail::splits_512_bits ? measured_rows<T>(kMeasuredNarrow, n) > 0 : measured_rows<T>(kMeasuredWhole, n) < 0;
}

template <class T>
std::unique_ptr<const Line<T>> make_pairs_line(std::size_t rows, std::size_t columns, const FftOps<T>& ops) {
  const std::size_t n = rows * columns;
  using Twiddles = RowTwiddles<T>;
  const auto whole_line = [&](const auto& function) {
    return std::make_unique<WholeLine<T, Twiddles>>(function.run,
                                                    Twiddles(function.rows, n / function.rows, 1, ops.pairs->lanes));
  };
  if (n <= kMostWhole && ops.whole->of[n].rows > 0) return whole_line(ops.whole->of[n]);
  if (const auto* const line = ops.long_lines->find(n)) return whole_line(*line);
  if (columns == 1) return std::make_unique<ButterflyLine<T>>(ops.pairs->single[rows]);
  return std::make_unique<PairsLine<T>>(rows, columns, *ops.pairs);
}
template Choice choose_divided(std::size_t, const FftPairs<float>&);
template Choice choose_divided(std::size_t, const FftPairs<double>&);
template Choice choose_pairs(std::size_t, const FftPairs<float>&);
template Choice choose_pairs(std::size_t, const FftPairs<double>&);
template Choice choose_side_by_side(std::size_t, std::size_t, const FftPairs<float>&);
template Choice choose_side_by_side(std::size_t, std::size_t, const FftPairs<double>&);
template bool prefers_narrow<float>(std::size_t) noexcept;
template bool prefers_narrow<double>(std::size_t) noexcept;
template std::unique_ptr<const Line<float>> make_pairs_line(std::size_t, std::size_t, const FftOps<float>&);
template std::unique_ptr<const Line<double>> make_pairs_line(std::size_t, std::size_t, const FftOps<double>&);

}  // namespace pawl::fft
