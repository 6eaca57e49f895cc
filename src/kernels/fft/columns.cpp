// columns.cpp -- see columns.hpp.
#include "kernels/fft/columns.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kernels/fft/factors.hpp"

namespace pawl::fft {

template <class T>
Columns<T>::Columns(std::size_t n, const FftOps<T>& ops, const Roots& roots, std::size_t step)
    : ops_(ops), n_(n), vector_(2 * ops.lanes) {
  const std::vector<std::size_t> sequence = radices(n);
  if (sequence.empty()) return;
  if (sequence[0] < std::size(ops.first_pass)) {
    first_ = ops.first_pass[sequence[0]];
    product_ = ops.product_pass[sequence[0]];
  }
  std::size_t length = n, stride = 1, count = 0, circles = 0;
  for (std::size_t r : sequence) {
    const std::size_t m = length / r;
    const bool has_pass = r < std::size(ops.pass) && ops.pass[r];
    steps_.push_back({has_pass ? ops.pass[r] : nullptr, m, stride, count, r, circles});
    if (!has_pass) circles += (r - 1) * (r - 1) / 2;
    count += 2 * (m - 1) * (r - 1);
    stride *= r;
    length = m;
  }
  if (steps_.size() > 1 && steps_.back().pass) last_ = ops.last_pass[sequence.back()];
  twiddles_ = AlignedArray<T>(count, Unset{});
  T* w = twiddles_.data();
  for (std::size_t i = 0; i < sequence.size(); ++i)
    for (std::size_t p = 1; p < steps_[i].m; ++p)
      for (std::size_t j = 1; j < sequence[i]; ++j) {
        const auto root = roots(p * j * steps_[i].stride * step);
        *w++ = static_cast<T>(root.real());
        *w++ = static_cast<T>(root.imag());
      }
  circles_ = AlignedArray<T>(circles, Unset{});
  for (const Step& s : steps_) {
    if (s.pass) continue;
    const Roots circle(s.radix);
    T* place = circles_.data() + s.circle;
    for (std::size_t k = 1; k <= s.radix / 2; ++k)
      for (std::size_t j = 1; j <= s.radix / 2; ++j) {
        const auto root = circle(j * k % s.radix);
        *place++ = static_cast<T>(root.real());
        *place++ = static_cast<T>(-root.imag());
      }
  }
}

template <class T>
void Columns<T>::run_step(const Step& step, const T* in, std::size_t in_row, T* out,
                          std::size_t vectors) const noexcept {
  const T* const twiddles = twiddles_.data() + step.twiddles;
  if (step.pass)
    step.pass(in, in_row, out, vectors * vector_, step.m, vectors, twiddles);
  else
    ops_.prime_pass(step.radix, circles_.data() + step.circle, in, in_row, out, vectors * vector_, step.m, vectors,
                    twiddles);
}

// The last two passes of a few vectors of all rows at once, so that what lies between them stays in L1: from -> a part
// of `between`, of `few` vectors a row -> from, or the user's rows.
template <class T>
void Columns<T>::run_last_two(std::size_t vectors, std::size_t few, T* from, T* between,
                              const UserRows* user) const noexcept {
  const Step &last = steps_.back(), &before = steps_[steps_.size() - 2];
  const std::size_t inner = before.stride * vectors, row = inner * vector_, r = before.radix;
  // To the user whole rows, or else parts of one.
  if (user && few > vectors) few -= few % vectors;
  for (std::size_t v = 0, count; v < inner; v += count) {
    count = std::min(few, user && few < vectors ? vectors - v % vectors : inner - v);
    const std::size_t short_row = count * vector_;
    T* const here = from + v * vector_;
    before.pass(here, row, between, short_row, before.m, count, twiddles_.data() + before.twiddles);
    for (std::size_t j = 0; j < r; ++j) {
      const T* const in = between + j * short_row;
      if (!user) {
        last.pass(in, r * short_row, here + j * row, r * row, 1, count, nullptr);
        continue;
      }
      const std::size_t user_row = j * before.stride + v / vectors;
      last_(in, r * short_row, std::max<std::size_t>(1, count / vectors), std::min(count, vectors),
            user->data + static_cast<std::ptrdiff_t>(user_row) * user->row + v % vectors * vector_, user->row,
            static_cast<std::ptrdiff_t>(r * before.stride) * user->row, user->swapped, user->scale);
    }
  }
}

template <class T>
const T* Columns<T>::finish_passes(std::size_t step, std::size_t vectors, T* from, T* to,
                                   const UserRows* user) const noexcept {
  for (; step < steps_.size(); ++step) {
    const Step& s = steps_[step];
    const std::size_t inner = s.stride * vectors;
    if (step + 2 == steps_.size() && s.pass && steps_[step + 1].pass) {
      // Half of an L1 of 32 KiB, and blocks beyond it. On a Zen 4 2^20 points of f64 took 0.85 of the time with it,
      // 2^16 points 0.89; by single vectors 2^14 took 1.08 times as long: half of each pair of lines that is fetched is
      // lost.
      constexpr std::size_t kBetweenBytes = std::size_t{16} << 10, kLeastBytes = std::size_t{64} << 10;
      const std::size_t vector_bytes = s.radix * steps_[step + 1].radix * vector_ * sizeof(T);
      const std::size_t few = kBetweenBytes / vector_bytes;
      if (few > 1 && inner * vector_bytes >= kLeastBytes) {
        run_last_two(vectors, few, from, to, user);
        return from;
      }
    }
    if (user && step + 1 == steps_.size()) {
      last_(from, inner * vector_, s.stride, vectors, user->data, user->row,
            static_cast<std::ptrdiff_t>(s.stride) * user->row, user->swapped, user->scale);
      return from;
    }
    run_step(s, from, inner * vector_, to, inner);
    std::swap(from, to);
  }
  return from;
}

template <class T>
const T* Columns<T>::run(const T* in, std::size_t in_row, std::size_t vectors, T* a, T* b) const noexcept {
  if (steps_.empty()) return in;
  run_step(steps_[0], in, in_row, a, vectors);
  return finish_passes(1, vectors, a, b, nullptr);
}

template <class T>
const T* Columns<T>::run_user(const T* user, std::size_t user_row, std::size_t vectors, T* a, T* b,
                              bool swapped) const noexcept {
  const Step& s = steps_[0];
  first_(user, user_row, a, vectors * vector_, s.m, vectors, twiddles_.data() + s.twiddles, swapped);
  return finish_passes(1, vectors, a, b, nullptr);
}

template <class T>
const T* Columns<T>::run_products(const T* user, const typename FftOps<T>::Products& products, std::size_t user_row,
                                  std::size_t vectors, T* a, T* b) const noexcept {
  const Step& s = steps_[0];
  product_(user, products, user_row, a, vectors * vector_, s.m, vectors, twiddles_.data() + s.twiddles);
  return finish_passes(1, vectors, a, b, nullptr);
}

template <class T>
void Columns<T>::run_to_user(const T* in, std::size_t in_row, std::size_t vectors, T* a, T* b,
                             const UserRows& out) const noexcept {
  run_step(steps_[0], in, in_row, a, vectors);
  finish_passes(1, vectors, a, b, &out);
}

template <class T>
void Columns<T>::run_through(const T* user, std::size_t user_row, std::size_t vectors, T* a, T* b, bool swapped,
                             const UserRows& out) const noexcept {
  const Step& s = steps_[0];
  first_(user, user_row, a, vectors * vector_, s.m, vectors, twiddles_.data() + s.twiddles, swapped);
  finish_passes(1, vectors, a, b, &out);
}

template class Columns<float>;
template class Columns<double>;

}  // namespace pawl::fft
