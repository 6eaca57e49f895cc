// block_of_pairs.hpp -- factors of a convolution as pairs -> as a block, the form that its transforms multiply by.
#pragma once
#include <cstddef>

#include "kernels/fft/aligned_array.hpp"

namespace pawl::fft {

/// Pairs -> a block: of each `lanes` pairs the real parts, then the imaginary ones; filled up with zeros.
template <class T>
AlignedArray<T> block_of_pairs(const AlignedArray<T>& pairs, std::size_t lanes) {
  const std::size_t vector = 2 * lanes;
  AlignedArray<T> block((pairs.size() + vector - 1) / vector * vector);
  for (std::size_t i = 0; 2 * i < pairs.size(); ++i)
    for (std::size_t part = 0; part < 2; ++part)
      block[i / lanes * vector + part * lanes + i % lanes] = pairs[2 * i + part];
  return block;
}

}  // namespace pawl::fft
