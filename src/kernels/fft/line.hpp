// line.hpp -- one transform of contiguous pairs: the interface of the ways to do it, and the choice between them.
#pragma once
#include <cstddef>
#include <memory>

#include "kernels/fft/fft_table.hpp"
#include "kernels/fft/threads.hpp"

namespace pawl::fft {

/// out[k] = scale * sum of in[j] exp(-2 pi i j k / n) over n pairs (re, im). `swapped` takes re for im and im for re in
/// both arrays, which makes it the inverse. All of `in` is read before any of `out` is written, so they may be the same
/// array. Immutable once made.
template <class T>
class Line {
 public:
  virtual ~Line() = default;
  /// workspace: workspace_elements() of T at a 64-byte boundary.
  virtual void run(const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept = 0;
  virtual std::size_t workspace_elements() const noexcept = 0;

  /// What does all of it without a workspace, `swapped` and `scale` as in run(); null where there is no such function.
  using AtOnce = void (*)(const T* in, T* out, bool swapped, T scale) noexcept;
  virtual AtOnce at_once() const noexcept { return nullptr; }
  /// All of it as one function with these twiddles, there and back; no function where it is not.
  struct Whole {
    void (*run)(const T* in, T* out, const T* twiddles, bool inverse, T scale) noexcept = nullptr;
    const T* twiddles[2] = {};
  };
  virtual Whole whole() const noexcept { return {}; }

  /// The parts of a convolution, where product_lanes() is not 0; of each so many pairs in a block of factors the real
  /// parts come first.
  virtual std::size_t product_lanes() const noexcept { return 0; }
  /// Forward, of the products of the `live` pairs of `in` with a block of factors and zeros behind them; if `swapped`,
  /// of the parts of `in` exchanged.
  virtual void run_products(const T* /*in*/, std::size_t /*live*/, const T* /*block*/, bool /*swapped*/, T* /*out*/,
                            T* /*workspace*/) const noexcept {}
  /// Backward, of all products of `in` with a block of factors, times scale. Unless factors (pairs) are null, the first
  /// `live` results only, times those, parts exchanged if `swapped`. out may be in.
  virtual void run_back(const T* /*in*/, const T* /*block*/, const T* /*factors*/, std::size_t /*live*/,
                        bool /*swapped*/, T* /*out*/, T* /*workspace*/, T /*scale*/) const noexcept {}

  /// The same on several threads, where that is worth it; else as run().
  virtual void run_on(int threads, const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept {
    static_cast<void>(threads);
    run(in, out, workspace, swapped, scale);
  }
  virtual std::size_t workspace_elements_on(int threads) const noexcept {
    static_cast<void>(threads);
    return workspace_elements();
  }
  /// Points below which what threads hand to each other costs more than they gain: by `split` 2^17 of f32 took as long
  /// on two.
  virtual std::size_t least_on_threads() const noexcept { return least_shared_line(std::size_t{1} << 18); }
};

/// Which way a length goes.
enum class Way {
  pairs,    ///< rows x columns in two functions, or one butterfly alone: short smooth lengths
  halves,   ///< rows x columns in two functions, the second in place: longer smooth lengths
  turned,   ///< columns as lines, then the second of the two functions of `halves`: long ones
  single,   ///< one column of a block: one point, and without vectors the shorter smooth lengths
  finish,   ///< lanes columns, then one butterfly across the lanes
  direct,   ///< the defining sums: short lengths with a large prime
  split,    ///< rows x columns, both smooth: the four steps of Bailey
  divided,  ///< rows x columns, the rows short: one pass, then each row is a line by itself
  rader,    ///< a convolution of n - 1 points: primes with smooth n - 1
  chirp     ///< a convolution with a chirp (Bluestein): large primes
};
struct Choice {
  Way way;
  std::size_t rows = 0, columns = 0;  ///< of all that have them; columns = 1: `pairs` alone
};

/// The way that takes the least time by what was measured, and of `split` the fewest vector operations. Depends on the
/// CPU where choose_pairs() and choose_turned() do. n >= 1.
template <class T>
Choice choose_way(std::size_t n, const FftOps<T>& ops);

/// The halves of Way::pairs that take the least time, rows = 0 if there are none. Depends on whether the CPU works on
/// 512 bits half by half (isa/datapath.hpp).
template <class T>
Choice choose_pairs(std::size_t n, const FftPairs<T>& pairs);

/// The halves of Way::halves that take the least time, rows = 0 if there are none or another way takes less. Pure.
template <class T>
Choice choose_halves(std::size_t n, const FftOps<T>& ops);

/// The halves of Way::turned, rows = 0 if another way takes less, which depends on the CPU. finish: whether
/// Way::finish does n points.
template <class T>
Choice choose_turned(std::size_t n, const FftOps<T>& ops, bool finish);

/// The rows of Way::divided whose lines go by Way::pairs, with the least time; rows = 0 if there are none. Pure.
template <class T>
Choice choose_divided(std::size_t n, const FftPairs<T>& pairs);

/// The same for `columns` transforms side by side.
template <class T>
Choice choose_side_by_side(std::size_t n, std::size_t columns, const FftPairs<T>& pairs);

/// Whether n points by Way::pairs are faster in vectors of 32 bytes than of 64, on this CPU (isa/datapath.hpp).
template <class T>
bool prefers_narrow(std::size_t n) noexcept;

/// n >= 1. Errors: std::bad_alloc.
template <class T>
std::unique_ptr<const Line<T>> make_line(std::size_t n, const FftOps<T>& ops);

/// The same for the transforms of Way::chirp, whose products `finish` takes into its passes.
template <class T>
std::unique_ptr<const Line<T>> make_convolution_line(std::size_t n, const FftOps<T>& ops);

template <class T>
std::unique_ptr<const Line<T>> make_single_line(std::size_t n, const FftOps<T>& ops);
template <class T>
std::unique_ptr<const Line<T>> make_finish_line(std::size_t n, const FftOps<T>& ops);
template <class T>
std::unique_ptr<const Line<T>> make_pairs_line(std::size_t rows, std::size_t columns, const FftOps<T>& ops);
template <class T>
std::unique_ptr<const Line<T>> make_halves_line(std::size_t rows, std::size_t columns, const FftOps<T>& ops);
template <class T>
std::unique_ptr<const Line<T>> make_turned_line(std::size_t rows, std::size_t columns, const FftOps<T>& ops);
template <class T>
std::unique_ptr<const Line<T>> make_direct_line(std::size_t n, const FftOps<T>& ops);
template <class T>
std::unique_ptr<const Line<T>> make_split_line(std::size_t rows, std::size_t columns, const FftOps<T>& ops);
template <class T>
std::unique_ptr<const Line<T>> make_divided_line(std::size_t rows, std::size_t columns, const FftOps<T>& ops);
template <class T>
std::unique_ptr<const Line<T>> make_rader_line(std::size_t p, const FftOps<T>& ops);
template <class T>
std::unique_ptr<const Line<T>> make_chirp_line(std::size_t n, const FftOps<T>& ops);

}  // namespace pawl::fft
