// small_product.cpp -- a small product -> its way, the operands turned over for that, and C.
#include "kernels/matmul/small_product.hpp"

#include "kernels/layout/active.hpp"
#include "kernels/matmul/workspace.hpp"

namespace pawl {
namespace {

// Elements of a whole number of lines.
template <class T>
constexpr std::size_t whole_lines(std::size_t elements) noexcept {
  constexpr std::size_t kLine = 64 / sizeof(T);
  return (elements + kLine - 1) / kLine * kLine;
}

// op(X) [rows, columns] where it lies: by rows or, transposed, by columns. What is here is inlined: such a structure in
// memory, written by halves and read as a whole, waits for its stores, some 15 ns of a product of 60.
template <class T>
struct Side {
  const T* data;
  std::size_t ld, rows, columns;
  bool transposed;

  [[gnu::always_inline]] Side turned_product() const noexcept { return {data, ld, columns, rows, !transposed}; }

  // Whether it lies the other way too, as a row or column without gaps does.
  [[gnu::always_inline]] bool lies_both_ways() const noexcept {
    return (transposed ? columns : rows) == 1 || ((transposed ? rows : columns) == 1 && ld == 1);
  }
  // Elements of what lie() takes.
  [[gnu::always_inline]] std::size_t elements_to_lie(bool wanted_transposed) const noexcept {
    return transposed == wanted_transposed || lies_both_ways() ? 0 : whole_lines<T>(rows * columns);
  }
  // The same, lying so: turned over into the scratch, which moves behind it, if need be.
  [[gnu::always_inline]] Side lie(bool wanted_transposed, T*& scratch) const {
    if (transposed == wanted_transposed) return *this;
    const std::size_t lines = transposed ? columns : rows, along = transposed ? rows : columns;
    if (lies_both_ways()) return {data, lines, rows, columns, wanted_transposed};
    T* const copy = scratch;
    detail::turn_over(data, ld, lines, along, copy, lines);
    scratch += whole_lines<T>(rows * columns);
    return {copy, lines, rows, columns, wanted_transposed};
  }
};

// C = left * right by tiles, wide tiles or strips, right by rows and left too if tiles are wide.
template <class T>
[[gnu::always_inline]] inline void multiply_by_tiles(SmallWay way, const MatmulOps<T>& kernels, Side<T> left,
                                                     Side<T> right, T alpha, T beta, T* c, std::size_t ldc) {
  const LeftLayout layout = left.transposed ? LeftLayout::columns : LeftLayout::rows;
  const MatmulBlock<T> block = block_at(kernels, left.rows, right.columns, left.columns, alpha, left.data, left.ld,
                                        layout, right.data, right.ld, beta, c, ldc, 1);
  if (way == SmallWay::tiles) return kernels.multiply(block);
  if (way == SmallWay::strips) return kernels.multiply_strips(block);
  kernels.multiply_few_rows(block, whole_plan(kernels, right.columns, left.columns), nullptr);
}

// As a row of C transposed if C is a column without gaps, else by a copy in the scratch.
template <class T>
[[gnu::always_inline]] inline void multiply_turned(SmallWay way, const MatmulOps<T>& kernels, Side<T> left,
                                                   Side<T> right, T alpha, T beta, T* c, std::size_t ldc, T* scratch) {
  const std::size_t m = right.columns, n = left.rows;
  const bool straight = n == 1 && ldc == 1;
  T* const to = straight ? c : scratch;
  if (!straight) scratch += whole_lines<T>(m * n);
  if (!straight && beta != T(0)) detail::turn_over(c, ldc, m, n, to, m);
  const Side<T> by_rows = right.lie(false, scratch);
  if (way == SmallWay::wide_tiles) left = left.lie(false, scratch);
  multiply_by_tiles(way, kernels, left, by_rows, alpha, beta, to, m);
  if (!straight) detail::turn_over(to, m, n, m, c, ldc);
}

template <class T>
[[gnu::always_inline]] inline void multiply_in(SmallWay way, const MatmulOps<T>& kernels, Side<T> a, Side<T> b, T alpha,
                                               T beta, T* c, std::size_t ldc, T* scratch) {
  const std::size_t m = a.rows, n = b.columns, k = a.columns;
  switch (way) {
    case SmallWay::tiles:
    case SmallWay::wide_tiles:
    case SmallWay::strips: {
      const Side<T> by_rows = b.lie(false, scratch);
      if (way == SmallWay::wide_tiles) a = a.lie(false, scratch);
      return multiply_by_tiles(way, kernels, a, by_rows, alpha, beta, c, ldc);
    }
    case SmallWay::dots:
    case SmallWay::dots_by_columns: {
      const Side<T> x = a.lie(false, scratch), y = b.lie(true, scratch);
      constexpr LeftLayout kRows = LeftLayout::rows;
      if (way == SmallWay::dots)
        kernels.multiply_dots(block_at(kernels, m, n, k, alpha, x.data, x.ld, kRows, y.data, y.ld, beta, c, ldc, 1));
      else
        kernels.multiply_dots(block_at(kernels, n, m, k, alpha, y.data, y.ld, kRows, x.data, x.ld, beta, c, 1, ldc));
      return;
    }
    case SmallWay::turned_tiles:
    case SmallWay::turned_wide_tiles: {
      const SmallWay straight = way == SmallWay::turned_tiles ? SmallWay::tiles : SmallWay::wide_tiles;
      return multiply_turned(straight, kernels, b.turned_product(), a.turned_product(), alpha, beta, c, ldc, scratch);
    }
  }
}

// What multiply_in() takes of the scratch.
template <class T>
[[gnu::always_inline]] inline std::size_t scratch_elements(SmallWay way, Side<T> a, Side<T> b) noexcept {
  switch (way) {
    case SmallWay::tiles:
    case SmallWay::strips:
      return b.elements_to_lie(false);
    case SmallWay::wide_tiles:
      return b.elements_to_lie(false) + a.elements_to_lie(false);
    case SmallWay::dots:
    case SmallWay::dots_by_columns:
      return a.elements_to_lie(false) + b.elements_to_lie(true);
    case SmallWay::turned_tiles:
      return whole_lines<T>(a.rows * b.columns) + a.elements_to_lie(true);
    case SmallWay::turned_wide_tiles:
      return whole_lines<T>(a.rows * b.columns) + a.elements_to_lie(true) + b.elements_to_lie(true);
  }
  return 0;
}

// One way, with its scratch.
template <class T>
[[gnu::always_inline]] inline void multiply_way(SmallWay way, const MatmulOps<T>& kernels, Side<T> a, Side<T> b,
                                                T alpha, T beta, T* c, std::size_t ldc) {
  constexpr std::size_t kOnStack = (std::size_t{16} << 10) / sizeof(T);
  const std::size_t elements = scratch_elements(way, a, b);
  alignas(64) T on_stack[kOnStack];
  T* const scratch = elements <= kOnStack ? on_stack : static_cast<T*>(thread_workspace(elements * sizeof(T)));
  multiply_in(way, kernels, a, b, alpha, beta, c, ldc, scratch);
}

// Some columns one way and the others another. Apart, so that the products that go one way stay as they are.
template <class T>
[[gnu::noinline]] void multiply_cut(SmallPlan plan, const MatmulOps<T>& kernels, const SmallShape& x, T alpha,
                                    const T* a, std::size_t lda, const T* b, std::size_t ldb, T beta, T* c,
                                    std::size_t ldc) {
  const auto columns = [&](SmallWay way, std::size_t first, std::size_t n) {
    multiply_way<T>(way, kernels, {a, lda, x.m, x.k, x.transpose_a},
                    {b + first * (x.transpose_b ? ldb : 1), ldb, x.k, n, x.transpose_b}, alpha, beta, c + first, ldc);
  };
  columns(plan.way, 0, plan.whole);
  columns(plan.way_of_rest, plan.whole, x.n - plan.whole);
}

// The ways of the latest shapes of a thread, since to choose takes as long as the smallest products: 35 ns, and
// 85 where two ways for some columns each are looked at.
template <class T>
struct Known {
  SmallShape shape{};  // of no extents: none yet
  const MatmulOps<T>* kernels = nullptr;
  SmallPlan plan{};
};
constexpr std::size_t kKnown = 16;
template <class T>
thread_local Known<T> t_known[kKnown];

// Apart: copied where it is asked about, the shape is read by vectors that wait for the stores of its members.
template <class T>
[[gnu::noinline]] void get_to_know(Known<T>& known, const MatmulOps<T>& kernels, const SmallShape& x) noexcept {
  known = {x, &kernels, plan_small_product(kernels, x)};
}

template <class T>
SmallPlan known_plan(const MatmulOps<T>& kernels, const SmallShape& x) noexcept {
  Known<T>* known = &t_known<T>[(x.m + 3 * x.n + 5 * x.k) % kKnown];
  asm("" : "+r"(known));  // or g++ 12 asks for the thread's copy, a call, again behind the comparison
  const SmallShape& y = known->shape;
  if (y.m != x.m || y.n != x.n || y.k != x.k || y.transpose_a != x.transpose_a || y.transpose_b != x.transpose_b ||
      y.reads_c != x.reads_c || known->kernels != &kernels) [[unlikely]]
    get_to_know(*known, kernels, x);
  return known->plan;
}

}  // namespace

template <class T>
void multiply_small(const MatmulOps<T>& kernels, const SmallShape& shape, T alpha, const T* a, std::size_t lda,
                    const T* b, std::size_t ldb, T beta, T* c, std::size_t ldc) {
  const SmallPlan plan = known_plan(kernels, shape);
  if (plan.whole != shape.n) [[unlikely]]
    return multiply_cut(plan, kernels, shape, alpha, a, lda, b, ldb, beta, c, ldc);
  multiply_way(plan.way, kernels, {a, lda, shape.m, shape.k, shape.transpose_a},
               {b, ldb, shape.k, shape.n, shape.transpose_b}, alpha, beta, c, ldc);
}

template void multiply_small(const MatmulOps<float>&, const SmallShape&, float, const float*, std::size_t, const float*,
                             std::size_t, float, float*, std::size_t);
template void multiply_small(const MatmulOps<double>&, const SmallShape&, double, const double*, std::size_t,
                             const double*, std::size_t, double, double*, std::size_t);

}  // namespace pawl
