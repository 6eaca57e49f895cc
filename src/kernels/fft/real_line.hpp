// real_line.hpp -- one transform of real numbers, to and from the half of the results that says all: the interface of
// the ways to do it, and the choice between them.
#pragma once
#include <cstddef>
#include <memory>

#include "kernels/fft/aligned_array.hpp"
#include "kernels/fft/line.hpp"
#include "pawl/isa.hpp"

namespace pawl::fft {

/// n real numbers <-> results 0 .. n / 2 of their transform, n / 2 + 1 pairs; the others are the conjugates of these.
template <class T>
class RealLine {
 public:
  virtual ~RealLine() = default;
  virtual std::size_t workspace_elements() const noexcept = 0;
  /// All of `in` is read before any of `out` is written. workspace: at a 64-byte boundary.
  virtual void forward(const T* in, T* out, T* workspace, T scale) const noexcept = 0;
  /// Results 0 and, for even n, n / 2 count as real: their imaginary parts are not read.
  virtual void inverse(const T* in, T* out, T* workspace, T scale) const noexcept = 0;

  /// The same on several threads, if some_on_threads(); else as above.
  virtual bool some_on_threads() const noexcept { return false; }
  virtual void forward_on(int /*threads*/, const T* in, T* out, T* workspace, T scale) const noexcept {
    forward(in, out, workspace, scale);
  }
  virtual void inverse_on(int /*threads*/, const T* in, T* out, T* workspace, T scale) const noexcept {
    inverse(in, out, workspace, scale);
  }
  virtual std::size_t workspace_elements_on(int /*threads*/) const noexcept { return workspace_elements(); }

  /// What does all of it without a workspace, with `table`; null where there are no such functions.
  struct AtOnce {
    void (*forward)(const T* in, const T* table, T* out, T scale) noexcept = nullptr;
    void (*inverse)(const T* in, const T* table, T* out, T scale) noexcept = nullptr;
    const T* table = nullptr;
  };
  virtual AtOnce at_once() const noexcept { return {}; }
};

/// Which way a length goes.
enum class RealWay {
  halves,   ///< a complex transform of half the length: even lengths
  single,   ///< one function that keeps everything in registers: the shortest
  matrix,   ///< the defining sums as a matrix: short odd lengths
  direct,   ///< the defining sums of odd lengths, half of them
  split,    ///< rows x columns, both odd and smooth
  divided,  ///< rows x columns, the rows odd and short: one pass, then half of the rows as lines by themselves
  rader,    ///< a real convolution of the length less one: large primes
  complex   ///< a complex transform of all of it
};
struct RealChoice {
  RealWay way;
  std::size_t rows = 0, columns = 0;  ///< of `split` and `divided`
};

/// Pure. n >= 1.
template <class T>
RealChoice choose_real_way(std::size_t n, const FftOps<T>& ops);

template <class T>
std::shared_ptr<const RealLine<T>> shared_real_line(std::size_t n, Isa isa);

/// Part of forget_lines() (lines.hpp).
void forget_real_lines();

template <class T>
std::unique_ptr<const RealLine<T>> make_real_single_line(std::size_t n, Isa isa);
template <class T>
std::unique_ptr<const RealLine<T>> make_real_matrix_line(std::size_t n, Isa isa);
template <class T>
std::unique_ptr<const RealLine<T>> make_real_direct_line(std::size_t n, const FftOps<T>& ops);
template <class T>
std::unique_ptr<const RealLine<T>> make_real_split_line(std::size_t rows, std::size_t columns, const FftOps<T>& ops);
template <class T>
std::unique_ptr<const RealLine<T>> make_real_divided_line(std::size_t rows, std::size_t columns, Isa isa);
template <class T>
std::unique_ptr<const RealLine<T>> make_real_rader_line(std::size_t p, Isa isa);

}  // namespace pawl::fft
