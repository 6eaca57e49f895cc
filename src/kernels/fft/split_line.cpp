// split_line.cpp -- Way::split: a line as rows x columns, in panels of columns that stay in the cache.
//
// The four steps of Bailey, "FFTs in external or hierarchical memory" (1990): transforms of the columns, twiddles,
// transposition, transforms of the rows. Every panel is read once and written once, whatever n is.
#include <algorithm>
#include <cstdint>

#include "kernels/fft/columns.hpp"
#include "kernels/fft/line.hpp"
#include "kernels/fft/roots.hpp"
#include "pawl/parallel.hpp"

namespace pawl::fft {
namespace {

constexpr std::size_t up_to(std::size_t n, std::size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

// Arrays of this many bytes come from memory or from far away in the L3. Measured on Zen 5 (32 MiB of L3): 2^18 points
// of f64 are faster with narrow panels, 2^19 with wide ones.
constexpr std::size_t kFarBytes = std::size_t{8} << 20;
// From here on what is written goes past the caches, which saves reading it first: 2^20 points of f64 took 1.1 times as
// long without, but 2^19 points 1.2 times as long with it.
constexpr std::size_t kPastCachesBytes = std::size_t{16} << 20;

// Vectors in a panel so that its two blocks take at most half of a 1 MiB L2; all of it where wider rows are worth more.
template <class T>
std::size_t panel_vectors(std::size_t rows, std::size_t columns, std::size_t lanes) {
  const bool far = rows * columns * 2 * sizeof(T) >= kFarBytes;
  const std::size_t panel_bytes = std::size_t{far ? 1024U : 512U} << 10;
  const std::size_t all = (columns + lanes - 1) / lanes;
  return std::clamp<std::size_t>(panel_bytes / (rows * 2 * lanes * sizeof(T) * 2), 1, all);
}

bool starts_line(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 64 == 0; }

template <class T>
class SplitLine final : public Line<T> {
 public:
  SplitLine(std::size_t rows, std::size_t columns, const FftOps<T>& ops)
      : ops_(ops),
        first_(rows, ops),
        second_(columns, ops),
        padded_rows_(up_to(rows, ops.lanes)),
        first_vectors_(panel_vectors<T>(rows, columns, ops.lanes)),
        second_vectors_(panel_vectors<T>(columns, rows, ops.lanes)) {
    const std::size_t w = ops.lanes;
    middle_ = up_to(columns, w) * 2 * padded_rows_;
    block_ = std::max(padded_rows_ * first_vectors_, columns * second_vectors_) * 2 * w;
    const Roots roots(rows * columns);
    twiddles_ = AlignedArray<T>(padded_rows_ * 2 * w);
    for (std::size_t k = 0; k < rows; ++k)
      for (std::size_t b = 0; b < std::min(w, columns); ++b) {
        const auto root = roots(k * b);
        twiddles_[k * 2 * w + b] = static_cast<T>(root.real());
        twiddles_[k * 2 * w + w + b] = static_cast<T>(root.imag());
      }
    steps_ = AlignedArray<T>((columns + w - 1) / w * 2 * padded_rows_);
    for (std::size_t b = w; b < columns; b += w)
      for (std::size_t k = 0; k < rows; ++k) {
        const auto root = roots(k * b);
        steps_[2 * (b / w * padded_rows_ + k)] = static_cast<T>(root.real());
        steps_[2 * (b / w * padded_rows_ + k) + 1] = static_cast<T>(root.imag());
      }
  }

  std::size_t workspace_elements() const noexcept override { return workspace_elements_on(1); }
  std::size_t workspace_elements_on(int threads) const noexcept override {
    return middle_ + 2 * block_ * static_cast<std::size_t>(threads);
  }
  void run(const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept override {
    run_on(1, in, out, workspace, swapped, scale);
  }

  void run_on(int threads, const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept override {
    const std::size_t w = ops_.lanes, rows = first_.size(), columns = second_.size();
    // Where nothing is filled up, the second half takes every vector from where its results go.
    const bool large = rows * columns * 2 * sizeof(T) >= kPastCachesBytes;
    T* const middle = in != out && rows % w == 0 && columns % w == 0 ? out : workspace;
    const auto on_panels = [&](std::size_t length, std::size_t panel, auto&& each) {
      // A last vector that is not full goes by itself: whole ones need no copy on their way in and out.
      const std::size_t whole = length > w ? length / w * w : 0;
      const std::size_t full = (whole + panel - 1) / panel, panels = full + (whole < length);
      on_threads(
          threads,
          [&](int thread, int count) {
            T* const a = workspace + middle_ + 2 * block_ * static_cast<std::size_t>(thread);
            const Range mine = share(panels, thread, count);
            for (std::size_t p = mine.begin; p < mine.end; ++p)
              if (p < full)
                each(p * panel, std::min(whole - p * panel, panel), a, a + block_);
              else
                each(whole, length - whole, a, a + block_);
          },
          wake_for(rows * columns));
    };
    on_panels(columns, first_vectors_ * w, [&](std::size_t c, std::size_t count, T* a, T* b) {
      const std::size_t vectors = (count + w - 1) / w;
      const T* block;
      if (count % w == 0 && first_.reads_user()) {
        block = first_.run_user(in + 2 * c, 2 * columns, vectors, a, b, swapped);
      } else {
        ops_.load_rows(in + 2 * c, static_cast<std::ptrdiff_t>(2 * columns), rows, count, b, vectors * 2 * w, swapped);
        block = first_.run(b, vectors * 2 * w, vectors, a, b);
      }
      for (std::size_t v = 0; v < vectors; ++v) {
        const std::size_t column = c + v * w;
        ops_.turn(block + v * 2 * w, vectors * 2 * w, rows, middle + column * 2 * padded_rows_, 2 * padded_rows_,
                  twiddles_.data(), column == 0 ? nullptr : steps_.data() + column / w * 2 * padded_rows_,
                  large && starts_line(middle));
      }
    });
    on_panels(rows, second_vectors_ * w, [&](std::size_t r, std::size_t count, T* a, T* b) {
      const std::size_t vectors = (count + w - 1) / w;
      if (!large && count % w == 0 && second_.writes_user()) {
        second_.run_to_user(middle + 2 * r, 2 * padded_rows_, vectors, a, b,
                            {out + 2 * r, static_cast<std::ptrdiff_t>(2 * rows), swapped, scale});
        return;
      }
      const T* block = second_.run(middle + 2 * r, 2 * padded_rows_, vectors, a, b);
      ops_.store_rows(block, vectors * 2 * w, columns, count, out + 2 * r, static_cast<std::ptrdiff_t>(2 * rows),
                      swapped, scale, large && starts_line(out) && rows % w == 0);
    });
  }

 private:
  const FftOps<T>& ops_;
  Columns<T> first_, second_;
  std::size_t padded_rows_, first_vectors_, second_vectors_, middle_, block_;
  AlignedArray<T> twiddles_, steps_;
};

}  // namespace

template <class T>
std::unique_ptr<const Line<T>> make_split_line(std::size_t rows, std::size_t columns, const FftOps<T>& ops) {
  return std::make_unique<SplitLine<T>>(rows, columns, ops);
}
template std::unique_ptr<const Line<float>> make_split_line(std::size_t, std::size_t, const FftOps<float>&);
template std::unique_ptr<const Line<double>> make_split_line(std::size_t, std::size_t, const FftOps<double>&);

}  // namespace pawl::fft
