// ahead.kernel.hpp -- what a register tile asks for while it computes -> prefetches in the turns of its loop.
#pragma once
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

// What is asked for while a tile computes: rows as wide as the tile, `step` elements apart, in `turns` turns of its
// loop or, hurried, steps of depth. One of them in each or, of C to be written, kWrittenRows.
template <class T>
struct Ahead {
  enum class Rows : std::uint8_t { some, written, none };
  const T* at;
  std::size_t step, turns;
  Rows rows = Rows::some;
  bool hurried = false;
};
inline constexpr std::size_t kWrittenRows = 2;
constexpr std::size_t turns_to_write(std::size_t rows) { return (rows + kWrittenRows - 1) / kWrittenRows; }

// What ends a list: nothing but, in the last steps, what is there already.
template <class T>
constexpr Ahead<T> nothing_ahead(const T* there) {
  return {there, 0, ~std::size_t{0}, Ahead<T>::Rows::none};
}

// Steps of depth that a large tile makes in one turn of its loop.
inline constexpr std::size_t kMostTurn = 4;

// Whether a tile asks for anything, and how near it is to come.
enum class Fetch : std::uint8_t { nothing, into_l2, into_l1 };

// One row of a tile V vectors wide: the lines of its last bytes, so that rows which straddle lines leave only the first
// one, which the tile to their left had asked for.
template <class T, std::size_t V, Fetch kFetch>
PAWL_INLINE void fetch_row(const T* at) {
  constexpr std::size_t kLine = 64 / sizeof(T), kLines = V * lanes < T >> kLine ? V * lanes<T> / kLine : 1;
  constexpr std::size_t kEnd = (V * lanes<T> < kLine ? V * lanes<T> : kLine) - 1;
  if constexpr (kFetch != Fetch::nothing) {
#pragma GCC unroll 16
    for (std::size_t l = 0; l < kLines; ++l)
      __builtin_prefetch(at + l * kLine + kEnd, 0, kFetch == Fetch::into_l1 ? 3 : 2);
  }
}

// The same of C into L1, where stores need not wait for it: all its lines, since one that straddles two wants both.
template <class T, std::size_t V>
PAWL_INLINE void fetch_written_row(const T* at) {
  constexpr std::size_t kLine = 64 / sizeof(T);
#pragma GCC unroll 16
  for (std::size_t i = 0; i < V * lanes<T>; i += kLine) __builtin_prefetch(at + i, 1, 3);
  __builtin_prefetch(at + V * lanes<T> - 1, 1, 3);
}

}  // namespace pawl::PAWL_ISA_NS
