// rows_table.hpp -- the entries of the category `rows`: operations on each row of a matrix by itself.
#pragma once
#include <cstddef>

namespace pawl {

/// Long rows go by blocks of so many elements, which stay in L1 between two passes: 16 KiB.
template <class T>
inline constexpr std::size_t kRowBlock = (std::size_t{16} << 10) / sizeof(T);

/// x and out hold `rows` rows of `columns` >= 1 elements without gaps; out may be x. gain and shift may be null (1 and
/// 0). Contracts are in include/pawl/rows.hpp.
template <class T>
struct RowsOps {
  void (*softmax)(const T* x, T* out, std::size_t rows, std::size_t columns) noexcept;
  void (*log_softmax)(const T* x, T* out, std::size_t rows, std::size_t columns) noexcept;
  /// For each kRowBlock<T> elements of x the largest that is a number, -infinity if none is, and the sum of exp(x -
  /// largest), of exp(x) where there is none. out gets the exponentials, or (sums_of_blocks) is not touched.
  void (*exponentials_of_blocks)(const T* x, T* out, std::size_t n, T* largest, T* sums) noexcept;
  void (*sums_of_blocks)(const T* x, T* out, std::size_t n, T* largest, T* sums) noexcept;
  /// A factor for each kRowBlock<T> elements.
  void (*scale_blocks)(T* out, std::size_t n, const T* factors) noexcept;
  /// Elements of a row whose largest and whose sum of exp(x - largest) are known.
  void (*log_softmax_part)(const T* x, T* out, std::size_t n, T largest, T sum) noexcept;
  /// The same of each column: `rows` rows of which the first `columns` elements take part, `stride` apart.
  void (*softmax_columns)(const T* x, T* out, std::size_t rows, std::size_t stride, std::size_t columns) noexcept;
  void (*log_softmax_columns)(const T* x, T* out, std::size_t rows, std::size_t stride, std::size_t columns) noexcept;
  void (*layernorm)(const T* x, const T* gain, const T* shift, T epsilon, T* out, std::size_t rows,
                    std::size_t columns) noexcept;
  void (*rmsnorm)(const T* x, const T* gain, T epsilon, T* out, std::size_t rows, std::size_t columns) noexcept;
  /// For each kRowBlock<T> elements of x their mean and the sum of the squares of the distances from it, or
  /// (moments_of_blocks) 0 and the sum of the squares.
  void (*centred_moments_of_blocks)(const T* x, std::size_t n, T* means, T* squares) noexcept;
  void (*moments_of_blocks)(const T* x, std::size_t n, T* means, T* squares) noexcept;
  /// out = (x - centre) scale gain + shift of elements of a row; `past`: past the caches, where out is not x.
  void (*normalize_part)(const T* x, const T* gain, const T* shift, T centre, T scale, T* out, std::size_t n,
                         bool past) noexcept;
  /// out has one element per row; targets are below columns.
  void (*cross_entropy)(const T* x, const std::size_t* targets, T* out, std::size_t rows, std::size_t columns) noexcept;
  /// For `count` channels: factor = gain / sqrt(variance + epsilon), offset = shift - mean factor; gain and shift may
  /// be null.
  void (*fold_channels)(const T* mean, const T* variance, const T* gain, const T* shift, T epsilon, T* factor,
                        T* offset, std::size_t count) noexcept;
  /// out = x factor + offset: a factor and an offset for each column, or (scale_rows) for each row; `past`: past the
  /// caches, where out is not x.
  void (*scale_columns)(const T* x, const T* factor, const T* offset, T* out, std::size_t rows,
                        std::size_t columns) noexcept;
  void (*scale_rows)(const T* x, const T* factor, const T* offset, T* out, std::size_t rows, std::size_t columns,
                     bool past) noexcept;
  /// out = f(x + bias), the bias of `columns` elements.
  void (*bias_relu)(const T* x, const T* bias, T* out, std::size_t rows, std::size_t columns) noexcept;
  void (*bias_gelu)(const T* x, const T* bias, T* out, std::size_t rows, std::size_t columns) noexcept;
  void (*bias_gelu_tanh)(const T* x, const T* bias, T* out, std::size_t rows, std::size_t columns) noexcept;
};

struct RowsTable {
  RowsOps<float> f32;
  RowsOps<double> f64;
};

}  // namespace pawl
