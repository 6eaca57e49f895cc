// halves_line.cpp -- Way::halves: a line as rows x columns, of which the second half works where the first left it.
#include <algorithm>
#include <span>

#include "kernels/fft/across_twiddles.hpp"
#include "kernels/fft/aligned_array.hpp"
#include "kernels/fft/fft_halves.hpp"
#include "kernels/fft/fft_whole.hpp"
#include "kernels/fft/line.hpp"
#include "kernels/fft/whole_line.hpp"
#include "pawl/isa.hpp"

namespace pawl::fft {
namespace {

// Nanoseconds of a vector of columns in the first half and of a vector of rows in the second, of vectors of 64 and of
// 32 bytes, that fit the times of 280 lengths from 40 to 4096 of both types in all their halves best (Emerald Rapids).
// The halves with the least sum took 1.01 times as long as the best ones in the geometric mean.
struct Cost {
  std::size_t points;
  double down, across;
};
constexpr Cost kCosts512[] = {{7, 10.0, 9.0},     {8, 7.6, 9.9},      {9, 14.9, 12.2},    {10, 12.7, 12.1},
                              {11, 20.6, 21.2},   {12, 13.6, 15.5},   {13, 27.1, 27.2},   {14, 19.1, 22.5},
                              {15, 23.5, 24.8},   {16, 21.2, 27.0},   {18, 29.2, 31.6},   {20, 30.7, 33.6},
                              {21, 38.4, 41.7},   {22, 44.6, 47.7},   {24, 38.9, 44.8},   {25, 59.6, 63.9},
                              {26, 63.1, 66.0},   {27, 68.5, 71.5},   {28, 49.0, 57.0},   {30, 59.2, 62.7},
                              {32, 61.7, 72.9},   {35, 88.6, 93.8},   {36, 73.4, 86.4},   {40, 83.7, 98.8},
                              {42, 95.6, 107.6},  {45, 127.4, 130.8}, {48, 107.9, 127.9}, {50, 152.5, 161.4},
                              {54, 170.0, 178.0}, {56, 142.6, 164.1}, {60, 155.3, 174.0}, {64, 190.5, 212.2}};
constexpr Cost kCosts256[] = {{7, 6.2, 5.7},      {8, 5.7, 5.4},      {9, 7.4, 6.9},      {10, 7.3, 7.8},
                              {11, 13.3, 13.3},   {12, 9.4, 9.9},     {13, 20.9, 21.0},   {14, 15.1, 17.1},
                              {15, 18.5, 17.4},   {16, 18.5, 19.3},   {18, 24.3, 24.1},   {20, 23.8, 25.9},
                              {21, 31.6, 33.5},   {22, 38.4, 42.8},   {24, 32.7, 36.4},   {25, 45.5, 48.1},
                              {26, 55.3, 62.2},   {27, 52.6, 55.2},   {28, 44.8, 51.5},   {30, 47.1, 52.2},
                              {32, 54.2, 60.8},   {35, 74.4, 81.1},   {36, 66.1, 72.6},   {40, 72.1, 79.9},
                              {42, 85.8, 94.2},   {45, 104.7, 107.2}, {48, 101.3, 107.6}, {50, 130.4, 136.5},
                              {54, 154.5, 154.0}, {56, 143.1, 149.7}, {60, 145.7, 147.7}, {64, 172.0, 174.1}};

template <class T>
class HalvesOfLine final : public Line<T> {
 public:
  HalvesOfLine(std::size_t rows, std::size_t columns, const FftOps<T>& ops)
      : ops_(*ops.halves), rows_(rows), columns_(columns), twiddles_(rows, columns, ops.pairs->lanes) {}
  /// For a line that is transformed in place, or whose results begin within a line of the cache.
  std::size_t workspace_elements() const noexcept override { return up_to_line<T>(2 * rows_ * columns_); }
  void run(const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept override {
    const std::size_t elements = 2 * rows_ * columns_;
    T* const to = elements * sizeof(T) > least_bytes_apart_ && !begins_line(out) ? workspace : out;
    T* const middle = in == to ? workspace : to;
    ops_.down[rows_](in, columns_, middle, swapped);
    ops_.across[columns_](middle, rows_, rows_, to, twiddles_.data(swapped), swapped);
    // Not on the way, where all transforms would take 1.05 times as long.
    if (scale != T(1)) ops_.scale(to, elements, scale);
    if (to != out) std::copy_n(to, elements, out);
  }

 private:
  const FftHalves<T>& ops_;
  std::size_t rows_, columns_;
  // Of results that begin within a line, as a std::vector's do, each vector takes two, and those of rows a power of two
  // apart push each other out of L1 between the one vector and the next. All of it in the workspace and then a copy
  // takes less where they fill half of L1. Time over that from a line's beginning on, so and without (Emerald Rapids):
  // f64 2048 points 1.38 and 1.63, 3200 1.23 and 1.79, 4096 1.27 and 1.96; f32 3584 1.35 and 1.49, 3600 1.25 and 1.19,
  // 4096 1.28 and 1.64; half of L1 and less 1.2 to 1.3 and 1.1 to 1.3.
  std::size_t least_bytes_apart_ = assumed_cache_sizes().l1d_bytes / 2;
  AcrossTwiddles<T> twiddles_;
};

}  // namespace

template <class T>
Choice choose_halves(std::size_t n, const FftOps<T>& ops) {
  const FftHalves<T>& halves = *ops.halves;
  if (n <= kMostWhole) return {Way::halves};  // these have functions of their own
  if (const auto* const whole = halves.find_whole(n)) return {Way::halves, whole->rows, n / whole->rows};
  Choice best{Way::halves};
  double best_cost = 1e30;
  const std::size_t lanes = ops.pairs->lanes;
  const std::span<const Cost> costs = ops.lanes * sizeof(T) > 32 ? std::span(kCosts512) : std::span(kCosts256);
  // Of `count` columns or rows in vectors. What fills less than one is copied there and back.
  const auto cost_of = [=](std::size_t count, double of_vector, std::size_t points) {
    constexpr double kRest = 1.8;
    const std::size_t vectors = (count + lanes - 1) / lanes;
    const double rest = count % lanes == 0 ? 0 : kRest * static_cast<double>(points);
    return static_cast<double>(vectors) * of_vector + rest;
  };
  for (const Cost& first : costs) {
    const std::size_t rows = first.points, columns = n / rows;
    const auto second = std::ranges::find(costs, columns, &Cost::points);
    if (n % rows != 0 || second == costs.end() || !halves.down[rows]) continue;
    const double cost = cost_of(columns, first.down, rows) + cost_of(rows, second->across, columns);
    if (cost < best_cost) {
      best_cost = cost;
      best = {Way::halves, rows, columns};
    }
  }
  return best;
}

template <class T>
std::unique_ptr<const Line<T>> make_halves_line(std::size_t rows, std::size_t columns, const FftOps<T>& ops) {
  if (const auto* const whole = ops.halves->find_whole(rows * columns)) {
    using Twiddles = AcrossTwiddles<T>;
    return std::make_unique<WholeLine<T, Twiddles>>(whole->run, Twiddles(rows, columns, ops.pairs->lanes));
  }
  return std::make_unique<HalvesOfLine<T>>(rows, columns, ops);
}

template Choice choose_halves(std::size_t, const FftOps<float>&);
template Choice choose_halves(std::size_t, const FftOps<double>&);
template std::unique_ptr<const Line<float>> make_halves_line(std::size_t, std::size_t, const FftOps<float>&);
template std::unique_ptr<const Line<double>> make_halves_line(std::size_t, std::size_t, const FftOps<double>&);

}  // namespace pawl::fft
