// multiply.cpp -- a checked product -> the way that suits its shape, and the threads that compute it.
#include <algorithm>
#include <limits>

#include "kernels/matmul/narrow.hpp"
#include "kernels/matmul/serial.hpp"
#include "kernels/matmul/threads.hpp"
#include "kernels/matmul/workspace.hpp"

namespace pawl {
namespace {

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

template <class T>
void multiply_threaded(const MatmulOps<T>& kernels, const Product<T>& x, int threads) {
  // Which part each thread has depends on how many there are in the end.
  const std::size_t bytes_each = (most_workspace(kernels, x) * sizeof(T) + 4095) / 4096 * 4096 + 64;
  char* const workspace = static_cast<char*>(thread_workspace(bytes_each * static_cast<std::size_t>(threads)));
  on_threads(threads, [&](int thread, int count) {
    const Grid grid = choose_grid(count, x.m, x.n);
    const Range rows = share(x.m, thread / grid.cols, grid.rows, kernels.tile_rows);
    const Range cols = share(x.n, thread % grid.cols, grid.cols, kernels.tile_cols);
    if (rows.begin == rows.end || cols.begin == cols.end) return;
    const Product<T> part = x.part(rows, cols);
    const Plan plan = make_plan(kernels, part);
    multiply_serial(kernels, part, plan,
                    reinterpret_cast<T*>(workspace + bytes_each * static_cast<std::size_t>(thread)));
  });
}

// Whether a product is so small that planning would take longer than it gains: its operands are then read where they
// lie, in one block. Sums of sizes below 2^20 cannot overflow.
template <class T>
bool is_small(const Product<T>& x) noexcept {
  constexpr std::size_t kLimit = std::size_t{1} << 20, kMostProducts = 64 * 64 * 64;
  if (x.packed || x.transpose_b || (x.m | x.n | x.k | x.ldb) >= kLimit || x.m * x.n * x.k > kMostProducts) return false;
  // Rows of B a whole number of pages apart fall on the same sets of L1, and B is read m / tile_rows times.
  return x.k * x.n * sizeof(T) <= kDirectBytes && (x.ldb * sizeof(T) % kPage != 0 || x.k <= 8);
}

// A matrix times a column is a row times the transposed matrix, which leaves no lane of a vector without work. Worth it
// for products that are not over before.
template <class T>
bool is_column(const Product<T>& x) noexcept {
  constexpr std::size_t kWorthIt = 128;
  return x.n == 1 && !x.packed && x.ldc == 1 && (x.transpose_b || x.ldb == 1 || x.k == 1) &&
         (x.m > 1 || !x.transpose_b) && x.m * x.k >= kWorthIt;
}

template <class T>
Product<T> turned(const Product<T>& x) noexcept {
  Product<T> y = x;
  y.transpose_a = false;
  y.transpose_b = !x.transpose_a;
  y.m = 1;
  y.n = x.m;
  y.a = x.b;
  y.lda = x.k;
  y.b = x.a;
  y.ldb = x.lda;
  y.ldc = x.m;
  y.bias = nullptr;
  y.activation = Activation::none;
  return y;
}

// Whether an operand that is one row or one column is called transposed for nothing: it is the same in memory. A row
// times a column stays as it is, a product of two rows.
template <class T>
bool left_is_idly_transposed(const Product<T>& x) noexcept {
  return x.transpose_a && x.m == 1 && x.lda == 1;
}
template <class T>
bool right_is_idly_transposed(const Product<T>& x) noexcept {
  return x.transpose_b && ((x.k == 1 && x.ldb == 1) || (x.n == 1 && x.m > 1));
}

template <class T>
Product<T> without_idle_transposes(const Product<T>& x) noexcept {
  Product<T> y = x;
  if (left_is_idly_transposed(x)) {
    y.transpose_a = false;
    y.lda = x.k;
  }
  if (right_is_idly_transposed(x)) {
    y.transpose_b = false;
    y.ldb = x.n == 1 ? 1 : x.n;
  }
  return y;
}

template <class T>
void multiply_small(const MatmulOps<T>& kernels, const Product<T>& x) {
  MatmulBlock<T> block = block_of(x);
  block.tile_rows = kernels.tile_rows;
  block.b_panel = kernels.tile_cols;
  kernels.multiply(block);
}

}  // namespace

template <class T>
void multiply(const MatmulOps<T>& kernels, const Product<T>& x) {
  if (left_is_idly_transposed(x) || right_is_idly_transposed(x)) return multiply(kernels, without_idle_transposes(x));
  bool finished = false;
  if (x.k == 0 || x.alpha == T(0)) {
    if (x.beta != T(1)) kernels.scale(x.beta, x.m, x.n, x.c, x.ldc);
  } else if (is_column(x)) {
    multiply(kernels, turned(x));
  } else if (multiply_narrow(kernels, x)) {
  } else if (is_small(x) && !suits_wide_tiles(kernels, x)) {
    multiply_small(kernels, x);
  } else if (const int threads = wanted_threads(x.m, x.n, x.k); threads > 1) {
    multiply_threaded(kernels, x, threads);
    finished = true;
  } else {
    const Plan plan = make_plan(kernels, x);
    const std::size_t elements = plan.panel_elements + plan.other_elements;
    multiply_serial(kernels, x, plan, elements ? static_cast<T*>(thread_workspace(elements * sizeof(T))) : nullptr);
    finished = true;
  }
  if (!finished && (x.bias || x.activation != Activation::none))
    kernels.finish(x.m, x.n, x.c, x.ldc, x.bias, x.activation);
}

template void multiply(const MatmulOps<float>&, const Product<float>&);
template void multiply(const MatmulOps<double>&, const Product<double>&);

}  // namespace pawl
