// layout_ref.hpp -- the specification of include/pawl/layout.hpp: elements by their index, sharing no code with it.
#pragma once
#include <cstddef>
#include <vector>

#include "pawl/view.hpp"

namespace pawl::reference {

template <class T>
std::vector<T> transpose(const T* x, std::size_t rows, std::size_t columns) {
  std::vector<T> out(rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) out[j * rows + i] = x[i * columns + j];
  return out;
}

/// The elements of a view in row-major order, each by its own sum of index times stride.
template <class T>
std::vector<T> gather(View<const T> x) {
  std::vector<T> out;
  for (std::size_t k = 0; k < x.elements(); ++k) {
    std::ptrdiff_t offset = 0;
    std::size_t rest = k;
    for (std::size_t d = x.rank(); d-- > 0; rest /= x.shape()[d])
      offset += static_cast<std::ptrdiff_t>(rest % x.shape()[d]) * x.strides()[d];
    out.push_back(x.data()[offset]);
  }
  return out;
}

}  // namespace pawl::reference
