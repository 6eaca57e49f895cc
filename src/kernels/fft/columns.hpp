// columns.hpp -- transforms of all columns of a block: the passes that everything else is made of.
#pragma once
#include <cstddef>
#include <vector>

#include "kernels/fft/aligned_array.hpp"
#include "kernels/fft/fft_table.hpp"
#include "kernels/fft/roots.hpp"

namespace pawl::fft {

/// The n-point transforms of the columns of a block (fft_table.hpp), n smooth. Rows of results are in natural order.
template <class T>
class Columns {
 public:
  Columns(std::size_t n, const FftOps<T>& ops) : Columns(n, ops, Roots(n), 1) {}
  /// With the roots of `step` times as many points.
  Columns(std::size_t n, const FftOps<T>& ops, const Roots& roots, std::size_t step);

  std::size_t size() const noexcept { return n_; }
  /// True if run_user() exists.
  bool reads_user() const noexcept { return first_ != nullptr; }

  /// Transforms `in` by way of the blocks a and b, each of n dense rows; returns which of them holds the result. in may
  /// be b, not a, unless n is 1, where it is returned as it is.
  const T* run(const T* in, std::size_t in_row, std::size_t vectors, T* a, T* b) const noexcept;
  /// The same from whole vectors of user pairs.
  const T* run_user(const T* user, std::size_t user_row, std::size_t vectors, T* a, T* b, bool swapped) const noexcept;

  /// True if run_products() exists: run_user() of products.
  bool reads_products() const noexcept { return product_ != nullptr; }
  const T* run_products(const T* user, const typename FftOps<T>::Products& products, std::size_t user_row,
                        std::size_t vectors, T* a, T* b) const noexcept;

  /// Rows of whole vectors of user pairs, `row` elements apart, that results go to, times scale.
  struct UserRows {
    T* data;
    std::ptrdiff_t row;
    bool swapped;
    T scale;
  };
  /// True if run_to_user() exists; with reads_user() run_through() does.
  bool writes_user() const noexcept { return last_ != nullptr; }
  /// As run() and run_user(), with the results in `out`, which may be what `user` is.
  void run_to_user(const T* in, std::size_t in_row, std::size_t vectors, T* a, T* b,
                   const UserRows& out) const noexcept;
  void run_through(const T* user, std::size_t user_row, std::size_t vectors, T* a, T* b, bool swapped,
                   const UserRows& out) const noexcept;

 private:
  struct Step {
    typename FftOps<T>::Pass pass;
    std::size_t m, stride, twiddles;  // stride: product of the radices before
    std::size_t radix, circle;        // for prime_pass: where its table starts
  };
  // To `user`, if there is one.
  const T* finish_passes(std::size_t step, std::size_t vectors, T* from, T* to, const UserRows* user) const noexcept;
  void run_last_two(std::size_t vectors, std::size_t few, T* from, T* between, const UserRows* user) const noexcept;
  void run_step(const Step& step, const T* in, std::size_t in_row, T* out, std::size_t vectors) const noexcept;

  const FftOps<T>& ops_;
  std::size_t n_, vector_;
  std::vector<Step> steps_;
  AlignedArray<T> twiddles_, circles_;
  typename FftOps<T>::FirstPass first_ = nullptr;
  typename FftOps<T>::ProductPass product_ = nullptr;
  typename FftOps<T>::LastPass last_ = nullptr;
};

extern template class Columns<float>;
extern template class Columns<double>;

}  // namespace pawl::fft
