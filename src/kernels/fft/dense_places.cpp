// dense_places.cpp -- see dense_places.hpp.
#include "kernels/fft/dense_places.hpp"

#include <algorithm>

#include "kernels/fft/fft_turns.hpp"

namespace pawl::fft {
namespace {

template <std::size_t numbers, class T>
void one_by_one(const T* in, const Places& from, std::size_t n, std::size_t count, T* out, const Places& to) {
  constexpr auto kNumbers = static_cast<std::ptrdiff_t>(numbers);
  for (std::size_t c = 0; c < count; ++c, in += kNumbers * from.next, out += kNumbers * to.next)
    for (std::ptrdiff_t j = 0; j < static_cast<std::ptrdiff_t>(n); ++j)
      std::copy_n(in + kNumbers * j * from.stride, numbers, out + kNumbers * j * to.stride);
}

bool turns(const Places& from, const Places& to) { return from.stride == 1 && to.next == 1; }
Places exchanged(const Places& p) { return {p.next, p.stride}; }

}  // namespace

template <class T>
void DensePlaces<T>::gather(const T* in, const Places& from, std::size_t n, std::size_t count, T* out,
                            const Places& to) const noexcept {
  if (n < 2 || count < 2) return one_by_one<1>(in, from, n, count, out, to);
  if (turns(from, to)) return ops_.reals->load_lines(in, from.next, count, n, out, static_cast<std::size_t>(to.stride));
  if (turns(exchanged(from), exchanged(to))) return gather(in, exchanged(from), count, n, out, exchanged(to));
  one_by_one<1>(in, from, n, count, out, to);
}

template <class T>
void DensePlaces<T>::scatter(const T* in, const Places& from, std::size_t n, std::size_t count, T* out,
                             const Places& to) const noexcept {
  if (n < 2 || count < 2) return one_by_one<1>(in, from, n, count, out, to);
  if (turns(to, from))
    return ops_.reals->store_lines(in, static_cast<std::size_t>(from.stride), n, count, out, to.next);
  if (turns(exchanged(to), exchanged(from))) return scatter(in, exchanged(from), count, n, out, exchanged(to));
  one_by_one<1>(in, from, n, count, out, to);
}

template <class T>
void DensePlaces<T>::pairs(const T* in, const Places& from, std::size_t n, std::size_t count, T* out,
                           const Places& to) const noexcept {
  if (turns(from, to)) return ops_.turns->turn_pairs(in, 2 * from.next, count, n, out, 2 * to.stride);
  if (turns(to, from)) return ops_.turns->turn_pairs(in, 2 * from.stride, n, count, out, 2 * to.next);
  one_by_one<2>(in, from, n, count, out, to);
}

template class DensePlaces<float>;
template class DensePlaces<double>;

}  // namespace pawl::fft
