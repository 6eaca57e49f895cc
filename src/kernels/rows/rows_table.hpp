// rows_table.hpp -- the entries of the category `rows`: operations on each row of a matrix by itself.
#pragma once
#include <cstddef>

namespace pawl {

/// x and out hold `rows` rows of `columns` >= 1 elements without gaps; out may be x. gain and shift may be null (1 and
/// 0). Contracts are in include/pawl/rows.hpp.
template <class T>
struct RowsOps {
  void (*softmax)(const T* x, T* out, std::size_t rows, std::size_t columns) noexcept;
  void (*log_softmax)(const T* x, T* out, std::size_t rows, std::size_t columns) noexcept;
  void (*layernorm)(const T* x, const T* gain, const T* shift, T epsilon, T* out, std::size_t rows,
                    std::size_t columns) noexcept;
  void (*rmsnorm)(const T* x, const T* gain, T epsilon, T* out, std::size_t rows, std::size_t columns) noexcept;
};

struct RowsTable {
  RowsOps<float> f32;
  RowsOps<double> f64;
};

}  // namespace pawl
