// matmul_table.hpp -- the entries of the category `matmul`, and the operands they take.
//
// A matrix product is given to threads by multiply.cpp and cut into blocks by serial.cpp; what is here runs on one
// block, by one thread. Contracts of the whole are in include/pawl/matmul.hpp.
#pragma once
#include <cstddef>
#include <cstdint>

#include "pawl/activation.hpp"

namespace pawl {

/// How the left operand of a block lies in memory, for row i and depth p of the block.
enum class LeftLayout : std::uint8_t {
  rows,     ///< a[i * stride + p]: op(A) = A, or a copy of it
  columns,  ///< a[p * stride + i]: op(A) = A transposed
};

/// The lines of C that a tile asks for while it computes.
enum class NextOfC : std::uint8_t {
  below_into_l2,  ///< those of the tile below it, if the product is deep
  below_into_l1,  ///< the same to write them, from a depth of kWrittenDepth on
  right_into_l1   ///< those of the tile to its right to write them, and nothing else
};

/// C[rows x cols] = alpha * A[rows x depth] * B[depth x cols] + beta * C.
///
/// Element (p, j) of B is b[(j / tile_cols) * b_panel + p * b_stride + j % tile_cols]: for a row-major matrix
/// b_panel = tile_cols and b_stride its leading dimension; for packed panels b_panel = depth * tile_cols and
/// b_stride = tile_cols, the last panel being filled up with zeros.
/// With beta = 0, C is not read. C overlaps neither A nor B.
template <class T>
struct MatmulBlock {
  std::size_t rows, cols, depth;
  const T* a;
  std::size_t a_stride;
  LeftLayout a_layout;
  std::size_t tile_rows;  ///< the most rows of a tile, <= MatmulOps::tile_rows
  const T* b;
  std::size_t b_stride, b_panel;
  T* packed;                 ///< if not null, each panel of B is also copied here, `packed_panel` elements apart
  std::size_t packed_panel;  ///< (0: all to the same place); only for more than 2 * tile_rows rows and whole tiles
  T* c;
  std::size_t ldc, c_step;  ///< element (i, j) is c[i * ldc + j * c_step]; c_step is 1, or ldc is, for multiply_dots
  T alpha, beta;
  const T* next_a =
      nullptr;  ///< what is to come near meanwhile: next_rows rows of next_cols elements, next_stride apart
  std::size_t next_rows = 0, next_cols = 0, next_stride = 0;
  NextOfC next_of_c = NextOfC::below_into_l2;
  bool operands_are_near = false;  ///< L2 holds A and B: with below_into_l1 tiles ask for nothing else
  bool upwards = false;            ///< strips go from the last row to the first
};

/// Products as deep as this do enough between two tiles of C to ask for several things, or for lines of C to write.
inline constexpr std::size_t kErrandsDepth = 64, kWrittenDepth = 32;

/// What a tile of a product of few rows asks for while it computes: the tile to its right or the one that the next
/// chunk of rows has below it. side_by_side and page_by_page: for one row of A and 16 rows of B or more, in an order of
/// their own (one_row.kernel.hpp).
enum class FewRowsAhead : std::uint8_t {
  nothing,
  right_into_l1,
  right_into_l2,
  below_into_l2,
  side_by_side,
  page_by_page
};

/// From so many rows on tiles compute so long that what they ask for comes in time, into L2 with one more stop from
/// there or, on CPUs of Intel, into L1.
inline constexpr std::size_t kPatientRows = 6;

/// How a product of few rows goes over B; plan.cpp chooses.
struct FewRowsPlan {
  std::size_t strip;        ///< columns of C at a time, a multiple of the lanes
  std::size_t chunk;        ///< rows of B at a time
  std::size_t copy_stride;  ///< elements between rows of the copied chunk of A, >= chunk
  FewRowsAhead ahead = FewRowsAhead::nothing;
  bool copies_a = true;  ///< else A is read where it lies, its layout being rows and chunk the whole depth

  /// Elements of scratch for a product of `rows` rows: the sums, and the chunk of A.
  std::size_t scratch_elements(std::size_t rows) const noexcept { return rows * (strip + copy_stride); }
};

template <class T>
struct MatmulOps {
  /// The register tile; packed panels of B are tile_cols wide.
  std::size_t tile_rows, tile_cols;

  void (*multiply)(const MatmulBlock<T>& block) noexcept;

  /// The same for shallow products: B is row-major (b_panel is not used), nothing is packed, and unless next_of_c
  /// is below_into_l2 lines of C are asked for before they are written. Null if strip_cols is 0, where strips are no
  /// faster than tiles.
  void (*multiply_strips)(const MatmulBlock<T>& block) noexcept;

  /// Rows and columns of C that it does at a time.
  std::size_t strip_rows, strip_cols;

  /// The same for few rows: B is row-major (b_panel is not used) and read once.
  void (*multiply_few_rows)(const MatmulBlock<T>& block, const FewRowsPlan& plan, T* scratch) noexcept;

  /// Columns that it does at a time for 1 .. tile_rows rows, at [rows - 1]: strips are best a multiple of them.
  const std::size_t* few_rows_cols;

  /// The same for few rows and B transposed: element (p, j) of B is b[j * b_stride + p], and a_layout is rows.
  void (*multiply_dots)(const MatmulBlock<T>& block) noexcept;

  /// Rows of A, and rows of the transposed B for 1 .. dot_rows of them, at [rows - 1], that it does at a time.
  std::size_t dot_rows;
  const std::size_t* dot_cols;

  /// B[depth x cols], row-major with stride ldb -> panels of tile_cols columns, each depth x tile_cols, one after
  /// another; columns beyond `cols` are zero. A transposed B: turned_panels.hpp.
  void (*pack_b)(const T* b, std::size_t ldb, std::size_t depth, std::size_t cols, T* out) noexcept;

  /// A[rows x cols] -> out, both row-major: makes the rows of a block neighbours in memory.
  void (*copy_rows)(const T* a, std::size_t lda, std::size_t rows, std::size_t cols, T* out,
                    std::size_t out_stride) noexcept;

  /// C[i, j] = activation(C[i, j] + bias[j]); bias may be null.
  void (*finish)(std::size_t rows, std::size_t cols, T* c, std::size_t ldc, const T* bias,
                 Activation activation) noexcept;

  /// C[rows x cols] *= beta; beta = 0 writes zeros without reading.
  void (*scale)(T beta, std::size_t rows, std::size_t cols, T* c, std::size_t ldc) noexcept;
};

struct MatmulTable {
  MatmulOps<float> f32;
  MatmulOps<double> f64;
};

/// The whole of B [depth, cols] at a time, and A where it lies: no scratch is needed.
template <class T>
FewRowsPlan whole_plan(const MatmulOps<T>& kernels, std::size_t cols, std::size_t depth) noexcept {
  const std::size_t lanes = kernels.tile_cols / 2;  // a power of two
  FewRowsPlan plan{};
  plan.strip = (cols + lanes - 1) & ~(lanes - 1);
  plan.chunk = depth;
  plan.copies_a = false;
  return plan;
}

/// C[rows, cols] = alpha A B + beta C with every operand where it lies: A by `layout`, B by rows (for multiply_dots its
/// columns as rows). Every member is set by hand: zeroed first, g++ 12 clears the whole by `rep stos`, a tenth of a
/// product of 16 cubed.
template <class T>
MatmulBlock<T> block_at(const MatmulOps<T>& kernels, std::size_t rows, std::size_t cols, std::size_t depth, T alpha,
                        const T* a, std::size_t a_stride, LeftLayout layout, const T* b, std::size_t b_stride, T beta,
                        T* c, std::size_t ldc, std::size_t c_step) noexcept {
  MatmulBlock<T> block;
  block.rows = rows;
  block.cols = cols;
  block.depth = depth;
  block.a = a;
  block.a_stride = a_stride;
  block.a_layout = layout;
  block.tile_rows = kernels.tile_rows;
  block.b = b;
  block.b_stride = b_stride;
  block.b_panel = kernels.tile_cols;
  block.packed = nullptr;
  block.packed_panel = 0;
  block.c = c;
  block.ldc = ldc;
  block.c_step = c_step;
  block.alpha = alpha;
  block.beta = beta;
  return block;
}

}  // namespace pawl
