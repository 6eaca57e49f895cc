// real_axis.cpp -- see real_axis.hpp.
#include "kernels/fft/real_axis.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kernels/fft/cache.hpp"
#include "kernels/fft/factors.hpp"
#include "kernels/fft/lines.hpp"

namespace pawl::fft {

template <class T>
void RealAxis<T>::add_short(Isa isa) {
  const FftOps<T>& ops = fft_ops<T>(isa);
  const FftReals<T>& reals = *ops.reals;
  if (n_ >= std::size(reals.across) || !reals.across[n_]) return;
  short_[widths_++] = {reals.across[n_], reals.across_inverse[n_], reals.lines_of[n_], reals.lines_inverse[n_],
                       2 * ops.lanes};
}

// Fewer columns than the narrowest vectors have go with masks, which sse2 does not have.
template <class T>
const typename RealAxis<T>::Short& RealAxis<T>::for_columns(std::size_t count) const noexcept {
  std::size_t i = 0;
  while (i + 1 < widths_ && count < short_[i].least) ++i;
  return i == 2 && count < short_[2].least ? short_[1] : short_[i];
}
template <class T>
const typename RealAxis<T>::Short& RealAxis<T>::for_lines(std::size_t count) const noexcept {
  std::size_t i = 0;
  while (i + 1 < widths_ && count < short_[i].least) ++i;
  return short_[i];
}

template <class T>
RealAxis<T>::RealAxis(std::size_t n, Isa isa)
    : n_(n), results_(n / 2 + 1), ops_(fft_ops<T>(isa)), line_(shared_real_line<T>(n, isa)) {
  // A CPU that runs one of these runs those behind it.
  add_short(isa);
  if (isa == Isa::avx512) add_short(Isa::avx2);
  if (isa == Isa::avx512 || isa == Isa::avx2) add_short(Isa::sse2);
  least_columns_ = std::max<std::size_t>(2, ops_.lanes / 2);
  if (n < 2 || !is_smooth(n)) return;
  columns_ = std::make_unique<const Columns<T>>(n, ops_);
  // Both blocks in a 48 KiB L1 where n allows; rows of at least 256 bytes of real numbers.
  constexpr std::size_t kPanelBytes = std::size_t{32} << 10, kRowBytes = 256;
  const std::size_t vector_bytes = 2 * ops_.lanes * sizeof(T);
  vectors_ = std::clamp<std::size_t>(kPanelBytes / (2 * n * vector_bytes),
                                     std::max<std::size_t>(1, kRowBytes / vector_bytes), 16);
  block_ = 2 * results_ * vectors_ * 2 * ops_.lanes;  // results are rows of twice as many vectors
}

template <class T>
std::size_t RealAxis<T>::workspace_elements() const noexcept {
  const std::size_t one = up_to_line<T>(n_) + up_to_line<T>(2 * results_) + line_->workspace_elements();
  return std::max(2 * block_, one);
}

// One transform whose elements are not contiguous.
template <class T>
void RealAxis<T>::one_forward(const T* in, std::ptrdiff_t stride, T* out, std::ptrdiff_t out_stride, T* workspace,
                              T scale) const noexcept {
  T *const reals = workspace, *const results = reals + up_to_line<T>(n_);
  T* const inner = results + up_to_line<T>(2 * results_);
  if (stride != 1) {
    for (std::size_t j = 0; j < n_; ++j) reals[j] = in[static_cast<std::ptrdiff_t>(j) * stride];
    in = reals;
  }
  line_->forward(in, out_stride == 1 ? out : results, inner, scale);
  if (out_stride == 1) return;
  for (std::size_t k = 0; k < results_; ++k) {
    T* const to = out + 2 * static_cast<std::ptrdiff_t>(k) * out_stride;
    to[0] = results[2 * k];
    to[1] = results[2 * k + 1];
  }
}

template <class T>
void RealAxis<T>::one_inverse(const T* in, std::ptrdiff_t stride, T* out, std::ptrdiff_t out_stride, T* workspace,
                              T scale) const noexcept {
  T *const reals = workspace, *const results = reals + up_to_line<T>(n_);
  T* const inner = results + up_to_line<T>(2 * results_);
  if (stride != 1) {
    for (std::size_t k = 0; k < results_; ++k) {
      const T* const from = in + 2 * static_cast<std::ptrdiff_t>(k) * stride;
      results[2 * k] = from[0];
      results[2 * k + 1] = from[1];
    }
    in = results;
  }
  line_->inverse(in, out_stride == 1 ? out : reals, inner, scale);
  if (out_stride == 1) return;
  for (std::size_t j = 0; j < n_; ++j) out[static_cast<std::ptrdiff_t>(j) * out_stride] = reals[j];
}

template <class T>
void RealAxis<T>::load(const T* in, const Places& places, std::size_t count, T* block) const noexcept {
  const std::size_t w = ops_.lanes, row = (count + 2 * w - 1) / (2 * w) * 2 * w;
  if (places.next == 1 && places.stride > 0) {
    ops_.load_reals(in, static_cast<std::size_t>(places.stride), n_, count, block, row);
  } else if (places.stride == 1) {
    for (std::size_t c = 0; c < count; c += 2 * w)
      ops_.reals->load_lines(in + static_cast<std::ptrdiff_t>(c) * places.next, places.next, std::min(2 * w, count - c),
                             n_, block + c, row);
  } else {  // no two elements are neighbours
    for (std::size_t j = 0; j < n_; ++j)
      for (std::size_t c = 0; c < row; ++c)
        block[j * row + c] = in[static_cast<std::ptrdiff_t>(j) * places.stride +
                                static_cast<std::ptrdiff_t>(std::min(c, count - 1)) * places.next];
  }
}

// From a block whose parts have changed places.
template <class T>
void RealAxis<T>::store(const T* block, T* out, const Places& places, std::size_t count, T scale) const noexcept {
  const std::size_t w = ops_.lanes, row = (count + 2 * w - 1) / (2 * w) * 2 * w;
  if (places.next == 1 && places.stride > 0) {
    ops_.store_reals(block, row, n_, count, out, static_cast<std::size_t>(places.stride), scale);
  } else if (places.stride == 1) {
    for (std::size_t c = 0; c < count; c += 2 * w)
      ops_.reals->store_lines(block + c, row, n_, std::min(2 * w, count - c),
                              out + static_cast<std::ptrdiff_t>(c) * places.next, places.next, scale);
  } else {
    for (std::size_t j = 0; j < n_; ++j)
      for (std::size_t c = 0; c < count; ++c)
        out[static_cast<std::ptrdiff_t>(j) * places.stride + static_cast<std::ptrdiff_t>(c) * places.next] =
            block[j * row + (c / w % 2 == 0 ? c + w : c - w)] * scale;
  }
}

template <class T>
void RealAxis<T>::load_results(const T* in, const Places& places, std::size_t count, T* block) const noexcept {
  const std::size_t w = ops_.lanes, row = (count + 2 * w - 1) / (2 * w) * 4 * w;
  if (places.next == 1) {
    ops_.load_rows(in, 2 * places.stride, results_, count, block, row, false);
    if (const std::size_t filled = (count + w - 1) / w * 2 * w; filled < row)
      for (std::size_t k = 0; k < results_; ++k) std::fill_n(block + k * row + filled, row - filled, T(0));
    return;
  }
  if (places.stride == 1) {
    for (std::size_t c = 0; c < row / 2; c += w) {
      const std::size_t first = std::min(c, count - 1);
      ops_.load_lines(in + 2 * static_cast<std::ptrdiff_t>(first) * places.next, 2 * places.next,
                      std::min(w, count - first), results_, block + 2 * c, row, false);
    }
    return;
  }
  for (std::size_t k = 0; k < results_; ++k)
    for (std::size_t c = 0; c < row / 2; ++c) {
      T* const to = block + k * row + c / w * 2 * w + c % w;
      const T* const from = in + 2 * (static_cast<std::ptrdiff_t>(k) * places.stride +
                                      static_cast<std::ptrdiff_t>(std::min(c, count - 1)) * places.next);
      to[0] = from[0];
      to[w] = from[1];
    }
}

template <class T>
void RealAxis<T>::store_results(const T* block, T* out, const Places& places, std::size_t count) const noexcept {
  const std::size_t w = ops_.lanes, row = (count + 2 * w - 1) / (2 * w) * 4 * w;
  if (places.next == 1) {
    ops_.store_rows(block, row, results_, count, out, 2 * places.stride, false, T(1), false);
    return;
  }
  if (places.stride == 1) {
    for (std::size_t c = 0; c < count; c += w)
      ops_.store_lines(block + 2 * c, row, results_, std::min(w, count - c),
                       out + 2 * static_cast<std::ptrdiff_t>(c) * places.next, 2 * places.next, false, T(1));
    return;
  }
  for (std::size_t k = 0; k < results_; ++k)
    for (std::size_t c = 0; c < count; ++c) {
      const T* const from = block + k * row + c / w * 2 * w + c % w;
      T* const to =
          out + 2 * (static_cast<std::ptrdiff_t>(k) * places.stride + static_cast<std::ptrdiff_t>(c) * places.next);
      to[0] = from[0];
      to[1] = from[w];
    }
}

template <class T>
void RealAxis<T>::forward(const T* in, const Places& reals, T* out, const Places& results, std::size_t count,
                          T* workspace, T scale) const noexcept {
  if (reals.stride == 1 && results.stride == 1) {
    if (count > 1 && widths_ > 0) return for_lines(count).lines(in, reals.next, out, 2 * results.next, count, scale);
    for (std::size_t c = 0; c < count; ++c, in += reals.next, out += 2 * results.next)
      line_->forward(in, out, workspace, scale);
    return;
  }
  if (widths_ > 0 && reals.next == 1 && results.next == 1)
    return for_columns(count).across(in, reals.stride, out, 2 * results.stride, count, scale);
  if (!columns_ || count < least_columns_) {
    for (std::size_t c = 0; c < count; ++c, in += reals.next, out += 2 * results.next)
      one_forward(in, reals.stride, out, results.stride, workspace, scale);
    return;
  }
  const std::size_t w = ops_.lanes, vectors = (count + 2 * w - 1) / (2 * w), row = vectors * 2 * w;
  T *const a = workspace, *const b = workspace + block_;
  load(in, reals, count, b);
  const T* const transformed = columns_->run(b, row, vectors, a, b);
  T* const split = transformed == a ? b : a;
  ops_.reals->split_columns(transformed, row, n_, vectors, split, 2 * row, scale);
  store_results(split, out, results, count);
}

template <class T>
void RealAxis<T>::inverse(const T* in, const Places& results, T* out, const Places& reals, std::size_t count,
                          T* workspace, T scale) const noexcept {
  if (reals.stride == 1 && results.stride == 1) {
    if (count > 1 && widths_ > 0)
      return for_lines(count).lines_inverse(in, 2 * results.next, out, reals.next, count, scale);
    for (std::size_t c = 0; c < count; ++c, in += 2 * results.next, out += reals.next)
      line_->inverse(in, out, workspace, scale);
    return;
  }
  if (widths_ > 0 && reals.next == 1 && results.next == 1)
    return for_columns(count).across_inverse(in, 2 * results.stride, out, reals.stride, count, scale);
  if (!columns_ || count < least_columns_) {
    for (std::size_t c = 0; c < count; ++c, in += 2 * results.next, out += reals.next)
      one_inverse(in, results.stride, out, reals.stride, workspace, scale);
    return;
  }
  const std::size_t w = ops_.lanes, vectors = (count + 2 * w - 1) / (2 * w), row = vectors * 2 * w;
  T *const a = workspace, *const b = workspace + block_;
  load_results(in, results, count, a);
  ops_.reals->join_halves(a, 2 * row, n_, vectors, b, row);
  store(columns_->run(b, row, vectors, a, b), out, reals, count, scale);
}

template <class T>
std::shared_ptr<const RealAxis<T>> shared_real_axis(std::size_t n, Isa isa) {
  static auto& cache = *new Cache<std::pair<std::size_t, Isa>, RealAxis<T>>;  // never destroyed, as in lines.cpp
  return cache.get({n, isa}, [&] { return std::make_shared<const RealAxis<T>>(n, isa); });
}

template class RealAxis<float>;
template class RealAxis<double>;
template std::shared_ptr<const RealAxis<float>> shared_real_axis(std::size_t, Isa);
template std::shared_ptr<const RealAxis<double>> shared_real_axis(std::size_t, Isa);

}  // namespace pawl::fft
