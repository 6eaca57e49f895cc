// block_of_pairs.hpp -- factors of a convolution as pairs -> as a block, the form that its transforms multiply by.
#pragma once
#include <cstddef>

#include "kernels/fft/aligned_array.hpp"
#include "kernels/fft/fft_table.hpp"

namespace pawl::fft {

/// Pairs -> a block: of each ops.lanes pairs the real parts, then the imaginary ones; filled up with zeros.
template <class T>
AlignedArray<T> block_of_pairs(const AlignedArray<T>& pairs, const FftOps<T>& ops) {
  const std::size_t vector = 2 * ops.lanes;
  AlignedArray<T> block((pairs.size() + vector - 1) / vector * vector, Unset{});
  ops.load_rows(pairs.data(), 0, 1, pairs.size() / 2, block.data(), 0, false);
  return block;
}

}  // namespace pawl::fft
