// narrow.cpp -- a product with few columns, or few beyond whole vectors -> full vectors, along another dimension.
//
// A tile's vectors lie along a row of C: of 3 columns, f32 with AVX-512, they use 3 lanes of 16. Such columns are sums
// along the depth instead (A by rows: dot products of its rows with the columns of B, turned over), or their vectors
// lie along the columns of C (A by columns: C transposed = B transposed times A transposed, which is read as it lies).
#include "kernels/matmul/narrow.hpp"

#include <algorithm>

#include "isa/datapath.hpp"
#include "kernels/layout/active.hpp"
#include "kernels/matmul/serial.hpp"
#include "kernels/matmul/workspace.hpp"

namespace pawl {
namespace {

// Columns [0, whole) by tiles, the others another way.
struct Cut {
  std::size_t whole = 0, rest = 0;  // none if rest is 0
};

// Beyond so many whole vectors the lanes without work are too small a part.
constexpr std::size_t kMostWhole = 4;

// Rows from which what comes before them is small.
constexpr std::size_t kMany = 32, kManyCut = 128;

// Products below which planning takes as long as a tile wastes; a transposed B would have to be turned over first.
constexpr std::size_t kLeastProducts = 2048, kLeastTransposed = 256;

// Tenths of a vector operation that each of a tile's saves. Where FMAs take in 64 bytes at once, dot products take more
// of them than they should, and tiles of one vector, which whole == lanes leaves, wait for loads: time cut over time by
// tiles on an Emerald Rapids, 300 rows, k = 64, 300 and 1000, f32: 11 columns 0.76 to 1.0, 13 1.08 and 1.23; 21 0.79 to
// 0.96, 27 1.14 and 1.21, 31 1.37; 43 to 47 0.87 to 0.92; f64: 7 0.98 to 1.25; 11 0.92 to 0.97, 15 1.26 and 1.29; 23
// 0.87 and 0.91. A by columns, of which a few rows of C transposed have few chains: 120 random shapes that L2 holds
// took 0.955 of the time (AVX2 0.96) with half a vector operation, which 33 of them gain 5 % or more by; with a whole
// one 0.97, 14 of them longer by 5 % or more.
template <class T>
std::size_t tenths_worth(std::size_t lanes, std::size_t whole, bool transpose_a) noexcept {
  if (transpose_a && whole != 0) return 5;
  if (transpose_a || lanes * sizeof(T) != 64 || detail::splits_512_bits) return 10;
  return whole == 0 ? 8 : whole == lanes ? 5 : 10;
}

template <class T>
Cut cut_columns(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  if (wants_turned_product(kernels, x)) return {0, x.n};
  const std::size_t lanes = kernels.tile_cols / 2, rest = x.n % lanes, whole = x.n - rest;
  if (rest == 0 || whole > kMostWhole * lanes || rest * x.k * sizeof(T) > assumed_cache_sizes().l2_bytes / 2) return {};
  if (x.m * x.n * x.k < (x.transpose_b ? kLeastTransposed : kLeastProducts)) return {};
  // Tenths of vector operations for a row of C: FMAs, and what it takes to fold the sums of one element or to turn it
  // over; where rows are few, what comes before the first one counts too (20 x 10, k = 100 took 1.8 times as long).
  const bool few = x.m < (whole != 0 ? kManyCut : kMany);
  const std::size_t vectors = (x.k + lanes - 1) / lanes;
  // Rows of a turned C that fill it are shuffled into it by vectors with AVX-512 (narrow.kernel.hpp). Time by tiles
  // over time so on a Zen 5, f32 240 x 7, k = 23 2.0, 300 x 6, k = 16 1.8, 500 x 2, k = 4 2.0, f64 1.0, 1.17 and 1.7;
  // f64 100 x 3, k = 8 0.9.
  constexpr std::size_t kShuffled = 7;
  const bool shuffled = lanes * sizeof(T) == 64 && rest <= kShuffled && x.ldc == rest;
  std::size_t others =
      x.transpose_a ? rest * (10 * x.k / lanes + (shuffled ? 6 : 20)) : rest * (10 * vectors + (few ? 40 : 29));
  // Dot products with columns that L1 does not hold read them from L2 again and again. Time by dots over time by tiles
  // on an Emerald Rapids, AVX-512 f32: 72 x 12, k = 1494 1.55, 500 x 9, k = 1494 1.12, 500 x 45, k = 1494 1.12; 500 x
  // 5, k = 3000 0.73, 500 x 7, k = 2000 0.98.
  if (!x.transpose_a && rest * x.k * sizeof(T) > assumed_cache_sizes().l1d_bytes) others += others / 2;
  // A by columns that L2 does not hold, which is read from L3 twice then, must be worth much more: 1785 x 12, k = 1273,
  // f64 took 1.3 times as long cut as by two vectors, two thirds of whose lanes count; 1785 x 19, f32, 0.8 times (Zen
  // 4).
  const bool read_twice = whole != 0 && x.m * x.k * sizeof(T) > assumed_cache_sizes().l2_bytes / 2;
  const std::size_t worth = x.transpose_a && read_twice ? x.k / 4 : x.k;
  if (others >= tenths_worth<T>(lanes, whole, x.transpose_a) * worth) return {};
  // Two ways and a plan for each take as long as some 2000 vector operations: 20 x 17, k = 17 1.8 times as long as one
  // by tiles, 28 x 10, k = 19, f64 1.5 times (Zen 5).
  constexpr std::size_t kTwoWays = 2048;
  if (whole != 0 && x.m * (10 * worth - others) < 10 * kTwoWays) return {};
  return {whole, rest};
}

// How many rows of C are done at a time: those of A stay in L2 until the second way meets them, and the columns of a
// transposed C in L1 until they are turned back.
template <class T>
std::size_t rows_at_once(const MatmulOps<T>& kernels, const Product<T>& x, Cut cut) noexcept {
  constexpr std::size_t kTurnedBytes = std::size_t{16} << 10;
  const std::size_t grain = 4 * kernels.tile_cols;
  std::size_t rows = x.m;
  if (cut.whole != 0) rows = assumed_cache_sizes().l2_bytes / 2 / sizeof(T) / x.k;
  if (x.transpose_a) rows = std::min(rows, kTurnedBytes / sizeof(T) / cut.rest);
  return std::min(x.m, std::max(rows / grain, std::size_t{1}) * grain);
}

// `turned` has the columns of x as rows; x has at most rows_at_once() rows.
template <class T>
void multiply_turned(const MatmulOps<T>& kernels, const Product<T>& x, T* turned, T* workspace) noexcept {
  if (x.beta != T(0)) detail::turn_over(x.c, x.ldc, x.m, x.n, turned, x.m);
  const Product<T> y = transposed_product(x, turned);
  multiply_serial(kernels, y, make_plan(kernels, y, true), workspace);
  detail::turn_over(turned, x.m, x.n, x.m, x.c, x.ldc);
}

// `columns`: the columns of op(B) that x has, as rows `stride` apart.
template <class T>
void multiply_by_dots(const MatmulOps<T>& kernels, const Product<T>& x, const T* columns, std::size_t stride) noexcept {
  MatmulBlock<T> block = block_of(kernels, x);
  block.rows = x.n;
  block.cols = x.m;
  block.a = columns;
  block.a_stride = stride;
  block.a_layout = LeftLayout::rows;
  block.b = x.a;
  block.b_stride = x.lda;
  block.ldc = 1;
  block.c_step = x.ldc;
  kernels.multiply_dots(block);
}

// Whether the columns of B are turned over first: dot products want them as rows, and so do the tiles of a transposed
// C, f32 if its rows are long (22 x 7, k = 1349, A transposed, took 1.2 times as long so, f64 0.84). Asked once for all
// parts of a product.
template <class T>
bool turns_columns(const Product<T>& x) noexcept {
  constexpr std::size_t kLong = sizeof(T) == 4 ? 64 : 0;
  return !x.transpose_b && (!x.transpose_a || x.m >= kLong);
}

// Elements of workspace for any part of x that has all columns: what the rest needs, then what the tiles need. A
// transposed C, and the columns of B as rows where they are not.
template <class T>
std::size_t elements_for_rest(const Product<T>& x, Cut cut, std::size_t rows) noexcept {
  const std::size_t line = 64 / sizeof(T);
  const std::size_t elements = cut.rest * ((x.transpose_a ? rows : 0) + (turns_columns(x) ? x.k : 0));
  return (elements + line - 1) / line * line;
}

template <class T>
void multiply_rows(const MatmulOps<T>& kernels, const Product<T>& x, Cut cut, std::size_t rows_each, bool turns, T* own,
                   T* workspace) noexcept {
  const T* columns = x.b_at(0, cut.whole);
  std::size_t stride = x.ldb;
  if (turns) {
    detail::turn_over(columns, x.ldb, x.k, cut.rest, own, x.k);
    columns = own;
    stride = x.k;
    own += cut.rest * x.k;
  }
  for (std::size_t i = 0; i < x.m; i += rows_each) {
    const Range rows{i, std::min(x.m, i + rows_each)};
    if (cut.whole != 0) {
      const Product<T> part = x.part(rows, {0, cut.whole});
      multiply_serial(kernels, part, make_plan(kernels, part, true), workspace);
    }
    Product<T> part = x.part(rows, {cut.whole, x.n});
    if (x.transpose_a) {
      // The few rows of the transposed C want their operand by rows: tiles that read it by columns are less wide.
      if (turns) {
        part.transpose_b = true;
        part.b = columns;
        part.ldb = stride;
      }
      multiply_turned(kernels, part, own, workspace);
    } else {
      multiply_by_dots(kernels, part, columns, stride);
    }
  }
}

}  // namespace

template <class T>
bool multiply_narrow_part(const MatmulOps<T>& kernels, const Product<T>& product) {
  const Cut cut = cut_columns(kernels, product);
  if (cut.rest == 0) return false;
  Product<T> x = product;
  x.bias = nullptr;
  x.activation = Activation::none;
  const std::size_t rows_each = rows_at_once(kernels, x, cut), own = elements_for_rest(x, cut, rows_each);
  const bool turns = turns_columns(x);
  std::size_t elements = own;
  if (cut.whole != 0) elements += most_workspace(kernels, x.part({0, x.m}, {0, cut.whole}));
  if (x.transpose_a) {
    Product<T> turned = transposed_product<T>(x.part({0, rows_each}, {cut.whole, x.n}), nullptr);
    if (turns) {
      turned.transpose_a = false;
      turned.lda = x.k;
    }
    elements += most_workspace(kernels, turned);
  }
  T* const own_memory = static_cast<T*>(thread_workspace(elements * sizeof(T)));
  multiply_rows(kernels, x, cut, rows_each, turns, own_memory, own_memory + own);
  return true;
}

template <class T>
bool suits_narrow(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  return (wants_turned_product(kernels, x) || may_be_narrow(kernels, x)) && cut_columns(kernels, x).rest != 0;
}

template bool suits_narrow(const MatmulOps<float>&, const Product<float>&) noexcept;
template bool suits_narrow(const MatmulOps<double>&, const Product<double>&) noexcept;
template bool multiply_narrow_part(const MatmulOps<float>&, const Product<float>&);
template bool multiply_narrow_part(const MatmulOps<double>&, const Product<double>&);

}  // namespace pawl
