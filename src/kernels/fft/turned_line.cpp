// turned_line.cpp -- Way::turned: a long line as columns that are lines by themselves, and one butterfly across them.
//
// A few columns at a time are turned into lines that stay in L1, each is transformed to its place in `out`, and the
// second half of halves_line.cpp works there. So the whole is read once, written once, and read and written once more
// beside its twiddles, where `finish` goes through two blocks of its size besides.
#include <algorithm>

#include "isa/row_streams.hpp"
#include "kernels/fft/across_twiddles.hpp"
#include "kernels/fft/fft_halves.hpp"
#include "kernels/fft/fft_turns.hpp"
#include "kernels/fft/line.hpp"
#include "kernels/fft/threads.hpp"
#include "pawl/parallel.hpp"

namespace pawl::fft {
namespace {

template <class T>
class TurnedLine final : public Line<T> {
 public:
  TurnedLine(std::size_t rows, std::size_t columns, const FftOps<T>& ops)
      : ops_(ops),
        rows_(rows),
        columns_(columns),
        distance_(up_to_line<T>(2 * rows) + kBetween),
        line_(make_line(rows, ops)),
        twiddles_(rows, columns, ops.pairs->lanes) {}
  std::size_t workspace_elements() const noexcept override { return workspace_elements_on(1); }
  std::size_t workspace_elements_on(int threads) const noexcept override {
    return up_to_line<T>(2 * rows_ * columns_) + static_cast<std::size_t>(threads) * of_a_thread();
  }
  /// On an Emerald Rapids 2^16 points of f32 and f64 were 1.27 and 1.35 times as fast on two.
  std::size_t least_on_threads() const noexcept override { return least_shared_line(std::size_t{1} << 16); }
  void run(const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept override {
    run_on(1, in, out, workspace, swapped, scale);
  }
  void run_on(int threads, const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept override {
    // As in halves_line.cpp, of rows that share few places of L1: time over that from a line's beginning on, with a
    // copy and without, f32 and f64 of 24576, 32768, 65536 and 2^17 points, 1.2 to 1.3 and 1.4 to 1.65. Where rows do
    // not share them both are 1.2 to 1.3.
    constexpr std::size_t kShared = 512;  // bytes: eight rows at each place
    const std::size_t elements = 2 * rows_ * columns_;
    T* const to = 2 * rows_ * sizeof(T) % kShared == 0 && !begins_line(out) ? workspace : out;
    T *const spaces = workspace + up_to_line<T>(elements), *const middle = in == to ? workspace : to;
    const auto row = static_cast<std::ptrdiff_t>(2 * columns_), line = static_cast<std::ptrdiff_t>(distance_);
    const std::size_t lanes = ops_.pairs->lanes;
    on_threads(
        threads,
        [&](int thread, int of) {
          T* const lines = spaces + static_cast<std::size_t>(thread) * of_a_thread();
          const Range mine = share((columns_ + lanes - 1) / lanes, thread, of);
          for (std::size_t c = mine.begin * lanes, count; c < std::min(mine.end * lanes, columns_); c += count) {
            count = std::min(lanes, columns_ - c);
            ops_.turns->turn_pairs(in + 2 * c, row, rows_, count, lines, line);
            for (std::size_t i = 0; i < count; ++i)
              line_->run(lines + i * distance_, middle + 2 * (c + i) * rows_, lines + lanes * distance_, swapped, T(1));
          }
        },
        wake_for(rows_ * columns_));
    on_threads(
        threads,
        [&](int thread, int of) {
          const Range mine = share((rows_ + lanes - 1) / lanes, thread, of);
          const std::size_t first = mine.begin * lanes, end = std::min(mine.end * lanes, rows_);
          if (first < end)
            ops_.halves->across[columns_](middle + 2 * first, rows_, end - first, to + 2 * first,
                                          twiddles_.data(swapped, first), swapped);
        },
        wake_for(rows_ * columns_));
    if (scale != T(1)) ops_.halves->scale(to, elements, scale);
    if (to != out)
      on_threads(
          threads,
          [&](int thread, int of) {
            const Range mine = share(elements, thread, of);
            std::copy(to + mine.begin, to + mine.end, out + mine.begin);
          },
          wake_for(rows_ * columns_));
  }

 private:
  static constexpr std::size_t kBetween = 64 / sizeof(T);  // lines 2^n long would share few places of L1
  std::size_t of_a_thread() const noexcept {
    return up_to_line<T>(ops_.pairs->lanes * distance_ + line_->workspace_elements());
  }

  const FftOps<T>& ops_;
  std::size_t rows_, columns_, distance_;  // elements
  std::unique_ptr<const Line<T>> line_;
  AcrossTwiddles<T> twiddles_;
};

}  // namespace

template <class T>
Choice choose_turned(std::size_t n, const FftOps<T>& ops, bool finish) {
  // On an Emerald Rapids, whose L2 has 2 MiB, the time over that of `finish` and `split`, f32 and f64, many in a row:
  // 20000 points 0.97 and 0.95, 32768 0.94 and 0.78, 44100 0.81 and 0.5, 65536 0.84 and 0.82, 100000 0.75 and 0.7, 2^17
  // 0.91 and 0.81, 2^18 1.09 and 1.11. In turns with those, so that neither finds its tables in the cache: 1.0 and
  // 0.98, 1.01 and 0.88, 0.99 and 0.7, 1.0 and 0.89, 0.91 and 0.77, 0.93 and 0.9. With avx2 powers of two took 1.0
  // to 1.16 times as long.
  //
  // A Zen 5 waits for the rows that the butterfly reads and writes at once: of the 214 us of 65536 points of f64 it
  // takes 147, of the 79 of 44100, whose rows are no power of two apart, 30. Over the time of `finish` f32 took 0.87 to
  // 1.86 and f64 0.86 to 1.95 (28 and 32 lengths, geometric means 1.26 and 1.17), 2^16 points 1.55 and 1.60; over that
  // of `split`, where `finish` does not do them, f64 0.72 to 1.07 and f32 0.75 to 1.23 up to 30000, then 0.93 to 1.33.
  constexpr std::size_t kLeast = 20000, kMost = std::size_t{1} << 17, kMostWaiting = sizeof(T) == 4 ? 30000 : kMost;
  constexpr std::size_t kLeastRows = 640, kMostRows = 2048;
  Choice best{Way::turned};
  const bool is_wide = ops.lanes * sizeof(T) > 32;
  if (!is_wide || n < kLeast || n > kMost) return best;
  if (!pawl::detail::follows_rows_into_l2 && (finish || n > kMostWaiting)) return best;
  bool best_fills = false;
  for (std::size_t columns = kMostHalf; columns > 1; --columns) {
    const std::size_t rows = n / columns;
    if (n % columns != 0 || !ops.halves->across[columns] || rows < kLeastRows || rows > kMostRows) continue;
    const bool fills = rows % ops.pairs->lanes == 0;
    if (best.rows > 0 && (best_fills || !fills)) continue;
    if (choose_halves(rows, ops).rows == 0) continue;
    best = {Way::turned, rows, columns};
    best_fills = fills;
  }
  return best;
}

template <class T>
std::unique_ptr<const Line<T>> make_turned_line(std::size_t rows, std::size_t columns, const FftOps<T>& ops) {
  return std::make_unique<TurnedLine<T>>(rows, columns, ops);
}

template Choice choose_turned(std::size_t, const FftOps<float>&, bool);
template Choice choose_turned(std::size_t, const FftOps<double>&, bool);
template std::unique_ptr<const Line<float>> make_turned_line(std::size_t, std::size_t, const FftOps<float>&);
template std::unique_ptr<const Line<double>> make_turned_line(std::size_t, std::size_t, const FftOps<double>&);

}  // namespace pawl::fft
