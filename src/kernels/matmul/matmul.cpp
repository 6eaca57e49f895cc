// matmul.cpp -- argument checks, choice of blocks and threads, and dispatch of include/pawl/matmul.hpp.
#include "pawl/matmul.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "kernels/matmul/blocking.hpp"
#include "kernels/matmul/workspace.hpp"
#include "kernels/tables.hpp"
#include "pawl/parallel.hpp"

namespace pawl {
namespace {

template <class T>
const MatmulOps<T>& ops() noexcept {
  const MatmulTable& table = matmul_table(active_isa());
  if constexpr (sizeof(T) == sizeof(float)) {
    return table.f32;
  } else {
    return table.f64;
  }
}

// What matmul() was asked for; a, b and c are not null, m, n, k >= 1.
template <class T>
struct Product {
  bool transpose_a, transpose_b;
  std::size_t m, n, k;
  T alpha;
  const T* a;
  std::size_t lda;
  const T* b;
  std::size_t ldb;
  T beta;
  T* c;
  std::size_t ldc;

  const T* a_at(std::size_t i, std::size_t p) const { return transpose_a ? a + p * lda + i : a + i * lda + p; }
  const T* b_at(std::size_t p, std::size_t j) const { return transpose_b ? b + j * ldb + p : b + p * ldb + j; }

  Product part(Range rows, Range cols) const {
    Product result = *this;
    result.m = rows.end - rows.begin;
    result.n = cols.end - cols.begin;
    result.a = a_at(rows.begin, 0);
    result.b = b_at(0, cols.begin);
    result.c = c + rows.begin * ldc + cols.begin;
    return result;
  }
};

[[noreturn, gnu::cold]] void refuse(const std::string& why) { throw std::invalid_argument("matmul: " + why); }

// One matrix as it is stored.
void check_operand(const char* name, const void* data, std::size_t rows, std::size_t cols, std::size_t ld,
                   std::size_t element_bytes) {
  if (ld < cols) [[unlikely]]
    refuse(std::string("ld") + name + " is " + std::to_string(ld) + ", below the row length " + std::to_string(cols));
  if (rows == 0 || cols == 0) return;
  if (!data) [[unlikely]]
    refuse(std::string(name) + " is null");
  const std::size_t most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / element_bytes;
  std::size_t elements = 0;
  if (__builtin_mul_overflow(rows - 1, ld, &elements) || elements > most || cols > most - elements) [[unlikely]]
    refuse(std::string(name) + " has more bytes than can be addressed: " + std::to_string(rows) + " rows, " +
           std::to_string(ld) + " elements apart");
}

// A copy of a block of A has rows that are this many elements apart: an odd number of cache lines, so that the rows of
// a tile fall into different sets of L1.
std::size_t copied_stride(std::size_t kc, std::size_t element_bytes) noexcept {
  const std::size_t line = 64 / element_bytes, lines = (kc + line - 1) / line;
  return (lines | 1) * line;
}

// How blocks of B are read.
enum class RightSide : std::uint8_t {
  in_place,
  packed_on_the_way,  // copied by the first row of tiles that uses it
  transposed,         // packed before it is used
};

// Rows of A a whole number of pages apart fall on the same sets of L1, which has 8 or 12 ways: more rows than this at a
// time would push each other out before their lines are used up. At 1024 x 16 x 1024, f32: x1.2 over tiles of 14.
constexpr std::size_t kPage = 4096, kAliasedRows = 8;

// How one thread computes its part.
struct Plan {
  bool few_rows = false;
  FewRowsPlan few_rows_plan{};  // if few_rows
  Blocking blocking{};          // else
  RightSide b = RightSide::in_place;
  bool copy_a = false;
  std::size_t tile_rows = 0;
  std::size_t panel_elements = 0, other_elements = 0;  // of workspace
};

// Below these sizes the matrices are read where they lie: copying would cost more than it saves.
constexpr std::size_t kDirectBytes = std::size_t{128} << 10;

// Up to so many tiles of rows, B is used too rarely to be worth packing.
constexpr std::size_t kFewTiles = 2, kCachedStrip = 1024, kCachedChunk = 64;

template <class T>
FewRowsPlan plan_few_rows(const MatmulOps<T>& kernels, const Product<T>& x) {
  const std::size_t lanes = kernels.tile_cols / 2, l1 = std::size_t{32} << 10, l3 = cache_sizes().l3_bytes;
  const std::size_t cols = (x.n + lanes - 1) / lanes * lanes;
  FewRowsPlan plan{};
  plan.from_memory = x.k * x.n * sizeof(T) > l3 / 2;
  if (x.m == 1) {
    plan.strip = cols;
    plan.chunk = 8;
  } else if (plan.from_memory) {
    plan.strip = std::min(cols, std::max(lanes * 2, l1 / 2 / sizeof(T) / x.m / (lanes * 2) * (lanes * 2)));
    plan.chunk = x.m < 8 ? 4 : 8;
  } else {
    plan.strip = std::min(cols, kCachedStrip);
    plan.chunk = x.m < 4 ? 8 : kCachedChunk;
  }
  const std::size_t line = 64 / sizeof(T);
  plan.copy_stride = plan.chunk <= 8 ? 8 : (plan.chunk / line | 1) * line;
  return plan;
}

// The largest scratch_elements() of a plan for any part of x.
template <class T>
std::size_t few_rows_most(const MatmulOps<T>& kernels, const Product<T>& x) {
  return std::max(kFewTiles * kernels.tile_rows * (kCachedStrip + 2 * kCachedChunk), x.n + kernels.tile_cols);
}

template <class T>
Plan make_plan(const MatmulOps<T>& kernels, const Product<T>& x) {
  Plan plan;
  const std::size_t b_bytes = x.k * x.n * sizeof(T);
  if (!x.transpose_b && x.m <= kFewTiles * kernels.tile_rows && b_bytes > kDirectBytes) {
    plan.few_rows = true;
    plan.few_rows_plan = plan_few_rows(kernels, x);
    plan.other_elements = plan.few_rows_plan.scratch_elements(x.m);
    return plan;
  }
  plan.blocking = choose_blocking(x.m, x.n, x.k, sizeof(T), kernels.tile_rows, kernels.tile_cols, cache_sizes());
  const bool few_tiles = x.m <= kFewTiles * kernels.tile_rows;
  const bool aliased = !x.transpose_a && x.lda * sizeof(T) % kPage == 0;
  plan.copy_a = aliased && x.n > 2 * kernels.tile_cols;
  const bool short_tiles = aliased && !plan.copy_a;
  plan.tile_rows = short_tiles ? std::min(kAliasedRows, kernels.tile_rows) : kernels.tile_rows;
  plan.b = x.transpose_b              ? RightSide::transposed
           : few_tiles || short_tiles ? RightSide::in_place
                                      : RightSide::packed_on_the_way;
  // Not of this product's blocks but of the largest ones, so that no part of it needs more than the whole.
  const Blocking most = largest_blocking(x.k, sizeof(T), kernels.tile_rows, kernels.tile_cols, cache_sizes());
  const std::size_t cols = (std::min(x.n, most.nc) + kernels.tile_cols - 1) / kernels.tile_cols * kernels.tile_cols;
  plan.panel_elements = plan.b == RightSide::in_place ? 0 : cols * most.kc;
  plan.other_elements = plan.copy_a ? std::min(x.m, most.mc) * copied_stride(most.kc, sizeof(T)) : 0;
  return plan;
}

template <class T>
MatmulBlock<T> block_of(const Product<T>& x) {
  MatmulBlock<T> block{};
  block.rows = x.m;
  block.cols = x.n;
  block.depth = x.k;
  block.a = x.a;
  block.a_stride = x.lda;
  block.a_layout = x.transpose_a ? LeftLayout::columns : LeftLayout::rows;
  block.b = x.b;
  block.b_stride = x.ldb;
  block.c = x.c;
  block.ldc = x.ldc;
  block.alpha = x.alpha;
  block.beta = x.beta;
  return block;
}

template <class T>
void multiply_serial(const MatmulOps<T>& kernels, const Product<T>& x, const Plan& plan, T* panels, T* copy) noexcept {
  if (plan.few_rows) return kernels.multiply_few_rows(block_of(x), plan.few_rows_plan, copy);
  const Blocking& step = plan.blocking;
  const std::size_t stride = copied_stride(step.kc, sizeof(T));
  for (std::size_t j = 0; j < x.n; j += step.nc) {
    const std::size_t cols = std::min(step.nc, x.n - j);
    for (std::size_t p = 0; p < x.k; p += step.kc) {
      const std::size_t depth = std::min(step.kc, x.k - p);
      if (plan.b == RightSide::transposed) kernels.pack_b(x.b_at(p, j), x.ldb, true, depth, cols, panels);
      for (std::size_t i = 0; i < x.m; i += step.mc) {
        const std::size_t rows = std::min(step.mc, x.m - i);
        MatmulBlock<T> block = block_of(x);
        block.rows = rows;
        block.cols = cols;
        block.depth = depth;
        block.a = x.a_at(i, p);
        block.tile_rows = plan.tile_rows;
        if (plan.copy_a) {
          kernels.copy_rows(block.a, x.lda, rows, depth, copy, stride);
          block.a = copy;
          block.a_stride = stride;
        }
        block.b = x.b_at(p, j);
        block.b_panel = kernels.tile_cols;
        const bool packs = plan.b == RightSide::packed_on_the_way;
        if (packs && i == 0) {
          block.packed = panels;
          block.packed_panel = step.mc < x.m ? depth * kernels.tile_cols : 0;
        } else if (packs || plan.b == RightSide::transposed) {
          block.b = panels;
          block.b_stride = kernels.tile_cols;
          block.b_panel = depth * kernels.tile_cols;
        }
        block.c = x.c + i * x.ldc + j;
        block.beta = p == 0 ? x.beta : T(1);
        kernels.multiply(block);
      }
    }
  }
}

// Threads form a grid over C, and each computes its part on its own: nothing is shared but what is read.
struct Grid {
  int rows, cols;
};

// The grid whose parts have the smallest m + n, so that the least is read and packed twice.
Grid choose_grid(int threads, std::size_t m, std::size_t n) noexcept {
  Grid best{1, threads};
  double best_cost = std::numeric_limits<double>::infinity();
  for (int rows = 1; rows <= threads; ++rows) {
    if (threads % rows) continue;
    const int cols = threads / rows;
    const double cost = static_cast<double>(m) / rows + static_cast<double>(n) / cols;
    if (cost < best_cost) {
      best_cost = cost;
      best = {rows, cols};
    }
  }
  return best;
}

// Below this a second thread costs more than it brings: starting one takes some 2 us.
constexpr double kThreadFlops = 2097152;

int wanted_threads(std::size_t m, std::size_t n, std::size_t k) noexcept {
  const double flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  if (flops < kThreadFlops) return 1;
  return static_cast<int>(std::min<double>(num_threads(), flops / kThreadFlops * 2));
}

template <class T>
void multiply_threaded(const MatmulOps<T>& kernels, const Product<T>& x, int threads) {
  // Which part each thread has depends on how many there are in the end; no part needs more than the whole.
  const Plan whole = make_plan(kernels, x);
  const std::size_t bytes_each =
      ((whole.panel_elements + whole.other_elements + few_rows_most(kernels, x)) * sizeof(T) + 4095) / 4096 * 4096 + 64;
  char* const workspace = static_cast<char*>(thread_workspace(bytes_each * static_cast<std::size_t>(threads)));
  on_threads(threads, [&](int thread, int count) {
    const Grid grid = choose_grid(count, x.m, x.n);
    const Range rows = share(x.m, thread / grid.cols, grid.rows, kernels.tile_rows);
    const Range cols = share(x.n, thread % grid.cols, grid.cols, kernels.tile_cols);
    if (rows.begin == rows.end || cols.begin == cols.end) return;
    const Product<T> part = x.part(rows, cols);
    const Plan plan = make_plan(kernels, part);
    T* const panels = reinterpret_cast<T*>(workspace + bytes_each * static_cast<std::size_t>(thread));
    multiply_serial(kernels, part, plan, panels, panels + plan.panel_elements);
  });
}

// Whether a product is so small that planning would take longer than it gains: its operands are then read where they
// lie, in one block. Sums of sizes below 2^20 cannot overflow.
template <class T>
bool small(bool transpose_b, std::size_t m, std::size_t n, std::size_t k, std::size_t lda, std::size_t ldb,
           std::size_t ldc) noexcept {
  constexpr std::size_t kLimit = std::size_t{1} << 20, kMostProducts = 64 * 64 * 64;
  if (transpose_b || (m | n | k | lda | ldb | ldc) >= kLimit || m * n * k > kMostProducts) return false;
  // Rows of B a whole number of pages apart fall on the same sets of L1, and B is read m / tile_rows times.
  return k * n * sizeof(T) <= kDirectBytes && (ldb * sizeof(T) % kPage != 0 || k <= 8);
}

template <class T>
void call_matmul(Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n, std::size_t k, T alpha,
                 const T* a, std::size_t lda, const T* b, std::size_t ldb, T beta, T* c, std::size_t ldc) {
  const bool ta = transpose_a == Transpose::yes, tb = transpose_b == Transpose::yes;
  check_operand("a", a, ta ? k : m, ta ? m : k, lda, sizeof(T));
  check_operand("b", b, tb ? n : k, tb ? k : n, ldb, sizeof(T));
  check_operand("c", c, m, n, ldc, sizeof(T));
  if (m == 0 || n == 0) return;
  const MatmulOps<T>& kernels = ops<T>();
  if (k == 0 || alpha == T(0)) {
    if (beta != T(1)) kernels.scale(beta, m, n, c, ldc);
    return;
  }
  const Product<T> x{ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc};
  if (small<T>(tb, m, n, k, lda, ldb, ldc)) {
    MatmulBlock<T> block = block_of(x);
    block.tile_rows = kernels.tile_rows;
    block.b_panel = kernels.tile_cols;
    return kernels.multiply(block);
  }
  if (const int threads = wanted_threads(m, n, k); threads > 1) return multiply_threaded(kernels, x, threads);
  const Plan plan = make_plan(kernels, x);
  const std::size_t elements = plan.panel_elements + plan.other_elements;
  T* const workspace = elements ? static_cast<T*>(thread_workspace(elements * sizeof(T))) : nullptr;
  multiply_serial(kernels, x, plan, workspace, workspace + plan.panel_elements);
}

std::string shape_text(const Shape& shape) {
  std::string text = "[";
  for (std::size_t extent : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

struct Storage {
  Transpose transpose;
  std::size_t ld;
};

// How a two-dimensional view is stored. An extent of 1 has any stride: it is never stepped over.
template <class T>
Storage storage_of(const char* name, const View<T>& x) {
  const std::size_t rows = x.shape()[0], cols = x.shape()[1];
  const std::ptrdiff_t outer = x.strides()[0], inner = x.strides()[1];
  if (x.elements() == 0) return {Transpose::no, cols};
  const auto fits = [](std::ptrdiff_t along, std::size_t extent, std::ptrdiff_t across, std::size_t others) {
    return (along == 1 || extent == 1) && (others == 1 || across >= static_cast<std::ptrdiff_t>(extent));
  };
  if (fits(inner, cols, outer, rows)) return {Transpose::no, rows == 1 ? cols : static_cast<std::size_t>(outer)};
  if (fits(outer, rows, inner, cols)) return {Transpose::yes, cols == 1 ? rows : static_cast<std::size_t>(inner)};
  refuse(std::string(name) + " has strides " + std::to_string(outer) + " and " + std::to_string(inner) +
         ": one must be 1 and the other not below the extent along it; copy it first (Tensor::copy_of)");
}

template <class T>
void call_matmul_views(View<const T> a, View<const T> b, View<T> c, T alpha, T beta) {
  if (a.rank() != 2 || b.rank() != 2 || c.rank() != 2 || a.shape()[1] != b.shape()[0] || c.shape()[0] != a.shape()[0] ||
      c.shape()[1] != b.shape()[1])
    refuse(shape_text(a.shape()) + " times " + shape_text(b.shape()) + " into " + shape_text(c.shape()) +
           " does not fit");
  const Storage as = storage_of("a", a), bs = storage_of("b", b), cs = storage_of("c", c);
  if (cs.transpose == Transpose::yes) refuse("the inner stride of c is not 1");
  call_matmul<T>(as.transpose, bs.transpose, c.shape()[0], c.shape()[1], a.shape()[1], alpha, a.data(), as.ld, b.data(),
                 bs.ld, beta, c.data(), cs.ld);
}

template <class T>
Tensor<T> call_matmul_tensors(const Tensor<T>& a, const Tensor<T>& b) {
  if (a.rank() != 2 || b.rank() != 2)
    refuse(shape_text(a.shape()) + " times " + shape_text(b.shape()) + ": both must have rank 2");
  Tensor<T> c = Tensor<T>::uninitialized({a.shape()[0], b.shape()[1]});
  call_matmul_views<T>(a.view(), b.view(), c.view(), T(1), T(0));
  return c;
}

}  // namespace

void matmul(Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n, std::size_t k, float alpha,
            const float* a, std::size_t lda, const float* b, std::size_t ldb, float beta, float* c, std::size_t ldc) {
  call_matmul<float>(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void matmul(Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n, std::size_t k, double alpha,
            const double* a, std::size_t lda, const double* b, std::size_t ldb, double beta, double* c,
            std::size_t ldc) {
  call_matmul<double>(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void matmul(View<const float> a, View<const float> b, View<float> c, float alpha, float beta) {
  call_matmul_views<float>(a, b, c, alpha, beta);
}
void matmul(View<const double> a, View<const double> b, View<double> c, double alpha, double beta) {
  call_matmul_views<double>(a, b, c, alpha, beta);
}
Tensor<float> matmul(const Tensor<float>& a, const Tensor<float>& b) { return call_matmul_tensors<float>(a, b); }
Tensor<double> matmul(const Tensor<double>& a, const Tensor<double>& b) { return call_matmul_tensors<double>(a, b); }

}  // namespace pawl
