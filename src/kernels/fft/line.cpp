// line.cpp -- see line.hpp.
#include "kernels/fft/line.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "kernels/fft/chirp.hpp"
#include "kernels/fft/factors.hpp"
#include "kernels/fft/fft_long.hpp"

namespace pawl::fft {
namespace {

constexpr std::size_t up_to(std::size_t n, std::size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

// Primes n whose convolution of n - 1 points takes less than one of any length from 2 n - 1 on, which goes by `finish`.
// On a Zen 4, all 286 primes from 131 to 2099 and 84 to 130000, both in turns: where n - 1 points go by `pairs` it took
// 0.79 of the time (f32; f64 0.60), by `finish` with factors to 7, 13, 31 and 61 0.66, 0.76, 0.90 and 1.17 (f64 0.55,
// 0.61, 0.76 and 0.96), by other ways with factors to 7, 13 and 31 1.0, 1.1 and 1.5 (0.77, 0.85 and 1.13), beyond 2100
// 0.7, 0.9 and 1.1 (f64 and 31: 0.87), since passes of a prime weigh less the longer the whole is. Of shorter primes
// 97 points took 0.75 (f32) and 0.60 of the time of the defining sums, 127 0.84 and 0.65, 71 of f64 0.96.
template <class T>
bool worth_rader(std::size_t n, const FftOps<T>& ops) {
  constexpr bool f32 = sizeof(T) == 4;
  const std::size_t largest = largest_factor(n - 1);
  constexpr std::size_t kMost = std::size_t{1} << 32, kAnyPass = 61, kLong = 2100;
  if (n >= kMost || largest > kAnyPass || largest_factor(n) != n) return false;
  if (n < kLargestDirect)
    return n >= (f32 ? 97 : 71) && largest <= (f32 ? 7 : 11) && choose_pairs(n - 1, *ops.pairs).rows > 0;
  switch (choose_way(n - 1, ops).way) {
    case Way::pairs:
    case Way::halves:
      return true;
    case Way::finish:
      return largest <= (f32 && n < kLong ? 31 : kAnyPass);
    default:
      return largest <= (n < kLong ? (f32 ? 7 : 13) : (f32 ? 13 : 31));
  }
}

// Products of a prime and too few columns to fill a vector, where a convolution of the whole length takes less than
// `factor` times what the sums over columns do, by times on a Zen 4: 2 x 89 points took 0.17 (f32) and 0.3 (f64) of the
// time, 5 x 47 0.57 (f32).
template <class T>
bool worth_chirp(std::size_t n, std::size_t largest, std::size_t lanes, double factor) {
  constexpr double kOfSum = 0.37, kOfPoint = 0.9, kOfConvolution = sizeof(T) == 4 ? 1.68 : 3.35;  // nanoseconds
  // The error of 172 = 4 43 points of f32 would be 1.33 times that of FFTW, of those with larger primes at most 1.1.
  constexpr std::size_t kAccurate = 43;
  const std::size_t vectors = (n / largest + lanes - 1) / lanes;
  const double sums =
      kOfSum * static_cast<double>((largest - 1) * (largest - 1) * vectors) + kOfPoint * static_cast<double>(n);
  return largest > kAccurate && kOfConvolution * static_cast<double>(chirp_length<T>(n)) < factor * sums;
}

// Whether a line of a prime length p for each of a few rows takes less than a convolution of all points. Measured on a
// Zen 4 over 55 lengths: 2 x 401 points took 0.52 (f64) and 0.79 (f32) of the time, 4 x 257 0.55 and 0.69, 20 x 1009
// 0.45 and 0.64; but 3 x 191 of f64, whose 190 points have no short way, 1.5 times as long, 2 x 131 of f32 1.4 times.
// The defining sums of the others: 2 x 83 of f64 0.75, 2 x 101 0.99 and 2 x 127 1.2 with 0.8 of the error; 2 x 97 of
// f32 1.07.
template <class T>
bool worth_a_line(std::size_t p, const FftOps<T>& ops) {
  constexpr bool f32 = sizeof(T) == 4;
  constexpr std::size_t kLong = 1024, kShort = 256;
  if (is_smooth(p)) return !f32 || p <= 73;
  const std::size_t largest = largest_factor(p - 1);
  if (!f32 && p >= kLong && largest <= 31) return true;
  return worth_rader(p, ops) && (p >= kLong || largest <= (f32 && p < kShort ? 7 : 13));
}

// Whether so many rows of a long line, each a line by itself, take less than a convolution of all n points, even where
// its columns have no short way: those convolutions are in L1 or L2 and the one is not. On an Emerald Rapids, 87
// lengths from 500 to 2 10^6 by 10 to 25 rows first took 0.5 to 0.78 of the time by geometric mean (f32 and f64, avx512
// and avx2; the longer the less, at most 0.96), 41 by 4 to 9 rows 0.58 to 0.91 (at most 1.14); 3 rows 0.81 to 1.05 up
// to 20000 points, then 0.85 (at most 0.96); 2 rows 0.88 to 1.02.
bool worth_rows(std::size_t rows, std::size_t n) {
  constexpr std::size_t kLeast = 1000, kLeastByThree = 20'000;
  return n >= (rows >= 4 ? kLeast : kLeastByThree) && rows >= 3;
}

// By the largest short factor beside the largest prime one; rows = 0 if that is not worth it.
template <class T>
Choice divide(std::size_t n, std::size_t largest, const FftOps<T>& ops) {
  const FftPairs<T>& pairs = *ops.pairs;
  Choice best{Way::divided};
  if (pairs.lanes == 0) return best;
  for (std::size_t rows = 2; rows < std::size(pairs.rows); ++rows)
    if (n / largest % rows == 0 && pairs.rows[rows]) best = {Way::divided, rows, n / rows};
  const bool worth = worth_a_line(largest, ops) || (!is_smooth(largest) && worth_rows(best.rows, n));
  return worth ? best : Choice{Way::divided};
}

// Whether `rows` times a prime p goes by a line of p points for each row, rather than by a pass of the defining sums
// over columns, by those sums of all points or by a convolution. On a Zen 4 these took 1.54 (28 lengths of f32 with
// avx512), 1.45 (with avx2) and 1.66 times as long (35 of f64 with avx512) by geometric mean, 129 points 2.5 and 3.4
// times, with errors 1.0 to 1.2 times as large. With four lanes and fewer (0.6 to 3 times) columns are as good.
template <class T>
bool is_few_lines(std::size_t rows, std::size_t p) {
  if (p < 29) return false;
  if (sizeof(T) == 4) return rows == 2 ? p >= 53 && p <= 61 : rows >= 3 && rows <= 7 && p <= 43;
  return (rows == 2 && p >= 47 && p <= 61) || (rows == 3 && p <= 47) || (rows == 5 && p <= 79) ||
         (rows == 9 && p <= 73);
}

// Whether Way::finish does n points, n smooth.
//
// Beyond 2 MiB of pairs the table of twiddles of `finish`, as large as the data, pushes the data out of the cache: on
// a Zen 5 2^17 points of f64 took 0.74 of the time of `split`, 2^18 points 1.27; on a Zen 4 0.86 and 1.27, 2^17
// points of f32 0.75. Threads share a `split` from 2^18 points on and `turned` from 2^16 (plan.cpp).
template <class T>
bool fits_finish(std::size_t n, const FftOps<T>& ops) {
  constexpr std::size_t kLargest = std::min((std::size_t{2} << 20) / (2 * sizeof(T)), (std::size_t{1} << 18) - 1);
  return ops.finish && n % ops.lanes == 0 && n >= ops.lanes * ops.lanes / 4 && n <= kLargest;
}

}  // namespace

template <class T>
Choice choose_way(std::size_t n, const FftOps<T>& ops) {
  const std::size_t lanes = ops.lanes;
  if (const auto* const line = ops.long_lines->find(n)) return {Way::pairs, line->rows, n / line->rows};
  const Choice pairs = choose_pairs(n, *ops.pairs);
  if (const Choice halves = choose_halves(n, ops); halves.rows > 0) {
    // On an Emerald Rapids lengths whose halves fill vectors took 0.6 to 1.0 of the time of `pairs`, the others up to
    // 400 points 0.97 to 1.4, from there on 0.45 to 1.0.
    constexpr std::size_t kFewPoints = 400;
    const bool fills_vectors = halves.rows % ops.pairs->lanes == 0 && halves.columns % ops.pairs->lanes == 0;
    if (pairs.rows == 0 || fills_vectors || n > kFewPoints) return halves;
  }
  if (pairs.rows > 0) return pairs;
  const std::size_t largest = largest_factor(n);
  if (!is_smooth(n)) {
    if (worth_rader(n, ops)) return {Way::rader};
    if (const Choice divided = divide(n, largest, ops); divided.rows > 0) return divided;
    return {Way::chirp};
  }
  if (largest == n && n > 1 && worth_rader(n, ops)) return {Way::rader};
  if (lanes >= 8 && is_few_lines<T>(n / largest, largest)) return {Way::divided, n / largest, largest};
  const bool finish = fits_finish(n, ops);
  if (const Choice turned = choose_turned(n, ops, finish); turned.rows > 0) return turned;
  if (finish) return {Way::finish};
  // Multiply-adds of the defining sums on whole vectors. Beyond this number two passes are faster, beyond twice as many
  // even where one of them is of two points (measured on Zen 5, lengths with a prime factor from 17 on).
  constexpr std::size_t kMostDirect = 1000;
  const std::size_t direct = 2 * n * (n / 2 / lanes + 1);
  if (n > 1 && n <= kLargestDirect &&
      (largest == n || direct <= kMostDirect || (2 * largest == n && direct <= 2 * kMostDirect)))
    return {Way::direct};
  // A line for each row takes less than either where there is one. Of f64 equal times are left to the sums, whose error
  // is smaller: that of 1649 = 17 97 points is 0.82 times that of FFTW and not 1.09.
  constexpr double kOfLines = sizeof(T) == 4 ? 1.06 : 1.25, kOfWhole = sizeof(T) == 4 ? 1 : 0.9;
  if (lanes > 1 && worth_chirp<T>(n, largest, lanes, kOfLines)) {
    if (const Choice divided = divide(n, largest, ops); divided.rows > 0) return divided;
    if (worth_chirp<T>(n, largest, lanes, kOfWhole)) return {Way::chirp};
  }
  if (n == 1 || (lanes == 1 && n < 4096)) return {Way::single};
  // Smooth lengths that are no multiple of half the lanes (those go by the `finish` of half as many): on a Zen 4 147
  // points of f32 took 0.42 of the time of a `split`, 243 0.64, f64 300 to 600 0.83 in the geometric mean, up to 1500
  // 0.9 to 0.95, beyond about as long.
  constexpr std::size_t kMostDivided = 1500;
  if (lanes > 1 && n <= kMostDivided && n % (lanes / 2) != 0)
    if (const Choice divided = choose_divided(n, *ops.pairs); divided.rows > 0) return divided;
  // Both halves fill vectors up to whole ones: the work is the elements touched times the depth of each half.
  //
  // Where rows or columns fill no vectors, what is between the halves needs an array of its own, whose lines are
  // fetched to be written, and results begin within lines. On an Emerald Rapids lengths from 2^18 to 3.6 10^6 took 0.92
  // of the time of the lowest cost alone (29 lengths of f32 and of f64 with avx512 and with avx2, geometric mean; f64
  // with avx512 0.89, the least 0.55, the most 1.1), shorter ones 0.99.
  constexpr double kRowsInParts = 1.5, kColumnsInParts = 1.2;
  const double single_cost = static_cast<double>(n * lanes) * std::log2(static_cast<double>(n));
  Choice best{Way::single};
  double best_cost = std::numeric_limits<double>::infinity();
  for (std::size_t rows : divisors(n)) {
    const std::size_t columns = n / rows;
    if (rows == 1 || columns == 1) continue;
    const double first = static_cast<double>(rows * up_to(columns, lanes)) * (std::log2(static_cast<double>(rows)) + 3);
    const double second =
        static_cast<double>(columns * up_to(rows, lanes)) * (std::log2(static_cast<double>(columns)) + 3);
    // Equal halves need the smallest panels.
    const double balance = 1 + 0.02 * std::fabs(std::log2(static_cast<double>(rows) / static_cast<double>(columns)));
    if ((first + second) * balance >= single_cost) continue;
    const double in_parts = (rows % lanes == 0 ? 1 : kRowsInParts) * (columns % lanes == 0 ? 1 : kColumnsInParts);
    const double cost = (first + second) * balance * in_parts;
    if (cost < best_cost) {
      best_cost = cost;
      best = {Way::split, rows, columns};
    }
  }
  return best;
}

template <class T>
std::unique_ptr<const Line<T>> make_line(std::size_t n, const FftOps<T>& ops) {
  const Choice choice = choose_way(n, ops);
  switch (choice.way) {
    case Way::pairs:
      return make_pairs_line(choice.rows, choice.columns, ops);
    case Way::halves:
      return make_halves_line(choice.rows, choice.columns, ops);
    case Way::turned:
      return make_turned_line(choice.rows, choice.columns, ops);
    case Way::single:
      return make_single_line(n, ops);
    case Way::finish:
      return make_finish_line(n, ops);
    case Way::direct:
      return make_direct_line(n, ops);
    case Way::split:
      return make_split_line(choice.rows, choice.columns, ops);
    case Way::divided:
      return make_divided_line(choice.rows, choice.columns, ops);
    case Way::rader:
      return make_rader_line(n, ops);
    case Way::chirp:
      break;
  }
  return make_chirp_line(n, ops);
}

template <class T>
std::unique_ptr<const Line<T>> make_convolution_line(std::size_t n, const FftOps<T>& ops) {
  // On an Emerald Rapids primes whose convolutions have 2880 to 3840 points took 0.72 to 0.98 of the time this way,
  // those with 1280 to 1728 points 1.05 to 1.2 times as long with avx512.
  constexpr std::size_t kLeast = 2048;
  if (n >= kLeast && fits_finish(n, ops)) {
    const Way way = choose_way(n, ops).way;
    if (way == Way::halves || way == Way::turned) return make_finish_line(n, ops);
  }
  return make_line(n, ops);
}

template Choice choose_way(std::size_t, const FftOps<float>&);
template Choice choose_way(std::size_t, const FftOps<double>&);
template std::unique_ptr<const Line<float>> make_convolution_line(std::size_t, const FftOps<float>&);
template std::unique_ptr<const Line<double>> make_convolution_line(std::size_t, const FftOps<double>&);
template std::unique_ptr<const Line<float>> make_line(std::size_t, const FftOps<float>&);
template std::unique_ptr<const Line<double>> make_line(std::size_t, const FftOps<double>&);

}  // namespace pawl::fft
