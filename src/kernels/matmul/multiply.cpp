// multiply.cpp -- a checked product -> the threads that compute its parts, each by the way that suits its shape.
#include <algorithm>
#include <atomic>
#include <exception>

#include "kernels/layout/active.hpp"
#include "kernels/matmul/division.hpp"
#include "kernels/matmul/narrow.hpp"
#include "kernels/matmul/outer_products.hpp"
#include "kernels/matmul/serial.hpp"
#include "kernels/matmul/small_product.hpp"
#include "kernels/matmul/strips.hpp"
#include "kernels/matmul/threads.hpp"
#include "kernels/matmul/workspace.hpp"
#include "pawl/memory/aligned_buffer.hpp"

namespace pawl {
namespace {

// Whether a product is so small that planning would take longer than it gains: its operands are then read where they
// lie, in one block. Sums of sizes below 2^20 cannot overflow.
template <class T>
bool is_small(const Product<T>& x) noexcept {
  constexpr std::size_t kLimit = std::size_t{1} << 20, kMostProducts = 64 * 64 * 64;
  if (x.packed || x.transpose_b || (x.m | x.n | x.k | x.ldb) >= kLimit || x.m * x.n * x.k > kMostProducts) return false;
  if (mostly_writes(x)) return false;
  // B is read m / tile_rows times.
  return x.k * x.n * sizeof(T) <= kDirectBytes && !falls_on_same_sets<T>(x.ldb, x.k);
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
Product<T> row_of_column(const Product<T>& x) noexcept {
  Product<T> y = transposed_product(x, x.c);
  drop_idle_transposes(y);
  return y;
}

// A transposed B that L2 holds beside itself turned over: to turn it takes less than to pack it, which needs a plan and
// fills up the last panel (time by packing over time so: 1.05 to 1.9 for 3 to 32 rows, B of 8 to 128 KiB; Zen 4).
constexpr std::size_t kTurnedBytes = std::size_t{128} << 10;

template <class T>
bool is_small_transposed(const Product<T>& x) noexcept {
  return !x.packed && x.transpose_b && x.n <= kTurnedBytes / sizeof(T) && x.k <= kTurnedBytes / sizeof(T) &&
         x.k * x.n <= kTurnedBytes / sizeof(T) && !wants_dots(x);
}

// A transposed A of few rows is turned over, to L1 or L2, where dot products, or tiles wider than those that read it by
// columns, suit it then. Time before over time so, f32 and f64, both transposed: 3 x 289, k = 430 5.2 and 3.6, 1 x 265,
// k = 88 2.9 and 3.1; A alone: 11 x 29, k = 1893 1.5 and 1.05, 28 x 300, k = 200 1.1 and 1.0 (Zen 5).
constexpr std::size_t kTurnedLeftBytes = std::size_t{256} << 10;

template <class T>
bool wants_left_turned(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  constexpr std::size_t kMostRows = 32, kMost = kTurnedLeftBytes / sizeof(T);
  if (!x.transpose_a || x.packed || x.n == 1 || x.m > kMostRows || x.k > kMost || x.m * x.k > kMost) return false;
  if (!x.transpose_b) {
    // A B that is not small goes by in chunks, each with a copy of A by rows: element by element, were it by columns.
    if (x.k * x.n > kDirectBytes / sizeof(T)) return x.m <= most_few_rows(kernels);
    // What is over before is not worth it: 4 x 69, k = 2 took 1.5 and 6 x 91, k = 8 1.4 times as long, f32.
    constexpr std::size_t kLeastDepth = 16, kLeastProducts = 8192;
    if (x.k < kLeastDepth || x.n <= kernels.tile_cols || x.m * x.n * x.k < kLeastProducts) return false;
  }
  Product<T> y = x;
  y.transpose_a = false;
  return x.transpose_b ? wants_dots(y) : suits_wide_tiles(kernels, y);
}

// By the calling thread; `alone`: no other thread computes meanwhile.
template <class T>
void multiply_here(const MatmulOps<T>& kernels, const Product<T>& x, bool alone);

enum class Operand { a, b };

// x with one operand, which is transposed, turned over to `turned`.
template <Operand kWhich, class T>
void multiply_turned_over(const MatmulOps<T>& kernels, const Product<T>& x, bool alone, T* turned) {
  Product<T> y = x;
  if constexpr (kWhich == Operand::a) {
    detail::turn_over(x.a, x.lda, x.k, x.m, turned, x.k);
    y.transpose_a = false;
    y.a = turned;
    y.lda = x.k;
  } else {
    detail::turn_over(x.b, x.ldb, x.n, x.k, turned, x.n);
    y.transpose_b = false;
    y.b = turned;
    y.ldb = x.n;
  }
  multiply_here(kernels, y, alone);
}

template <Operand kWhich, class T>
void multiply_turned_over(const MatmulOps<T>& kernels, const Product<T>& x, bool alone) {
  // On the stack what is small, since even a cached block takes some nanoseconds; not in the thread's workspace, which
  // the product may want.
  constexpr std::size_t kOnStack = (std::size_t{8} << 10) / sizeof(T);
  const std::size_t elements = x.k * (kWhich == Operand::a ? x.m : x.n);
  if (elements > kOnStack)
    return multiply_turned_over<kWhich>(kernels, x, alone, memory::AlignedBuffer<T>(elements).data());
  alignas(64) T turned[kOnStack];
  multiply_turned_over<kWhich>(kernels, x, alone, turned);
}

template <class T>
SmallShape shape_of(const Product<T>& x) noexcept {
  return {x.transpose_a, x.transpose_b, x.m, x.n, x.k, x.beta != T(0)};
}

// Whether multiply_small() is for x, which multiply_directly() has left for its bias or activation.
template <class T>
bool has_small_way(const Product<T>& x) noexcept {
  return !x.packed && is_small_shape<T>(shape_of(x)) && (x.transpose_b || !falls_on_same_sets<T>(x.ldb, x.k));
}

// B by columns, of which C transposed, op(B) transposed times op(A) transposed, takes the rows as they lie.
//
// Both operands by columns and C smaller than they are: to turn C over takes less than to turn B. Time so over time
// before of 600 random shapes, 8 to 600 by 8 to 600, k = 8 to 800, on an Emerald Rapids: 0.905 where this holds, 25 of
// 329 longer by 5 % and more; of the others 8 would gain 7 % or more.
//
// A by rows: that is turned over, and must be smaller, and C transposed, whose vectors lie along the rows of A, must
// not leave more lanes idle than C. Time so over time before of 600 random shapes on the same CPU: f32 and f64 with a B
// of 128 to 512 KiB 0.89 and 0.90, to 1 MiB 0.86 and 0.90, beyond 0.87 and 0.83; 16 of 250 longer by 5 % and more.
// AVX2, from 512 KiB on, 0.92 and 0.86.
template <class T>
bool wants_turned_result(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  if (!x.transpose_b || x.packed || x.m * x.n * sizeof(T) > assumed_cache_sizes().l2_bytes) return false;
  if (x.transpose_a) return x.k * (x.m + x.n) >= 3 * x.m * x.n;
  constexpr std::size_t kKiB = 1024, kLeastRows = 14, kLeastRowsLarge = 8;
  const std::size_t b_bytes = x.n * x.k * sizeof(T), lanes = kernels.tile_cols / 2;
  const bool is_long = lanes * sizeof(T) == 64;
  const std::size_t least_rows = is_long && b_bytes >= 1024 * kKiB ? kLeastRowsLarge : kLeastRows;
  const std::size_t least_bytes = (is_long ? 128 : 512) * kKiB, most_rows = is_long ? 128 : 48;
  if (b_bytes < least_bytes || x.m < least_rows || most_rows < x.m) return false;
  if (!detail::follows_rows_into_l2 && wants_dots(x)) return false;  // not measured
  // To turn an element over takes as long as to multiply it by so many (fitted).
  const double turned = is_long ? 20 : 8;
  const auto idle = [lanes](std::size_t n) { return static_cast<double>((lanes - n % lanes) % lanes); };
  const auto m = static_cast<double>(x.m), n = static_cast<double>(x.n), k = static_cast<double>(x.k);
  return idle(x.m) - idle(x.n) * m / n + turned * (m / n + 2 * m / k) < turned;
}

template <class T>
void multiply_turned_result(const MatmulOps<T>& kernels, const Product<T>& x, bool alone) {
  memory::AlignedBuffer<T> turned(x.m * x.n), left(x.transpose_a ? 0 : x.k * x.m);
  if (x.beta != T(0)) detail::turn_over(x.c, x.ldc, x.m, x.n, turned.data(), x.m);
  Product<T> y = transposed_product(x, turned.data());
  if (!x.transpose_a) {
    detail::turn_over(x.a, x.lda, x.m, x.k, left.data(), x.m);
    y.transpose_b = false;
    y.b = left.data();
    y.ldb = x.m;
  }
  multiply_here(kernels, y, alone);
  detail::turn_over(turned.data(), x.m, x.n, x.m, x.c, x.ldc);
}

// Chunks of the depth, so that L1 keeps the rows of A that are multiplied at a time while B goes by: 2 KiB of each row.
// One group of rows meets B once, as it lies. Time so over time by whole rows of 200 random products of 7 to 15 rows, k
// = 300 to 5000, on an Emerald Rapids: 0.94, from k = 1000 on 0.92; AVX2 0.93 and 0.90.
template <class T>
void multiply_by_dots(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  constexpr std::size_t kKept = 2048 / sizeof(T), kLine = 64 / sizeof(T);
  const std::size_t most = x.m <= kernels.dot_rows ? x.k : kKept;
  const std::size_t chunks = std::max((x.k + most / 2) / most, std::size_t{1});
  const std::size_t depth = ((x.k + chunks - 1) / chunks + kLine - 1) / kLine * kLine;
  MatmulBlock<T> block = block_of(kernels, x);
  for (std::size_t p = 0; p < x.k; p += depth) {
    block.depth = std::min(depth, x.k - p);
    block.a = x.a + p;
    block.b = x.b + p;
    kernels.multiply_dots(block);
    block.beta = T(1);
  }
}

// The ways that need no plan and know nothing of bias and activation; returns false if none suits x.
template <class T>
bool multiply_without_plan(const MatmulOps<T>& kernels, const Product<T>& x, bool alone) {
  if (x.k == 0 || x.alpha == T(0)) {
    if (x.beta != T(1)) kernels.scale(x.beta, x.m, x.n, x.c, x.ldc);
    return true;
  }
  if (has_small_way(x)) {
    multiply_small(kernels, shape_of(x), x.alpha, x.a, x.lda, x.b, x.ldb, x.beta, x.c, x.ldc);
    return true;
  }
  if (is_column(x)) {
    multiply_here(kernels, row_of_column(x), alone);
    return true;
  }
  if (suits_outer_products(kernels, x)) {
    multiply_by_outer_products(kernels, x);
    return true;
  }
  if (wants_turned_result(kernels, x)) {
    multiply_turned_result(kernels, x, alone);
    return true;
  }
  if (depth_of_chunks(kernels, x) != 0) return false;
  if (wants_dots(x)) {
    multiply_by_dots(kernels, x);
    return true;
  }
  if (multiply_narrow(kernels, x)) return true;
  if (!is_small(x) || suits_wide_tiles(kernels, x)) return false;
  kernels.multiply(block_of(kernels, x));
  return true;
}

template <class T>
void multiply_here(const MatmulOps<T>& kernels, const Product<T>& x, bool alone) {
  if (x.k != 0 && x.alpha != T(0) && suits_strips(kernels, x)) return multiply_by_strips(kernels, x);
  const bool keeps_left = has_small_way(x) || suits_outer_products(kernels, x) || wants_turned_result(kernels, x) ||
                          depth_of_chunks(kernels, x) != 0;
  if (x.k != 0 && x.alpha != T(0) && !keeps_left && wants_left_turned(kernels, x))
    return multiply_turned_over<Operand::a>(kernels, x, alone);
  if (multiply_without_plan(kernels, x, alone)) {
    if (x.bias || x.activation != Activation::none) kernels.finish(x.m, x.n, x.c, x.ldc, x.bias, x.activation);
    return;
  }
  if (is_small_transposed(x)) return multiply_turned_over<Operand::b>(kernels, x, alone);
  const Plan plan = make_plan(kernels, x, alone);
  const std::size_t elements = plan.panel_elements + plan.other_elements;
  multiply_serial(kernels, x, plan, elements ? static_cast<T*>(thread_workspace(elements * sizeof(T))) : nullptr);
}

// As a product of its own is computed, for a part of one or a product of a batch.
template <class T>
void multiply_part(const MatmulOps<T>& kernels, const Product<T>& x) {
  const bool ends = x.packed || x.bias || x.activation != Activation::none;
  const bool in_strips = x.others != OtherThreads::none && suits_strips(kernels, x);
  if (!ends && !in_strips &&
      multiply_directly(kernels, x.transpose_a, x.transpose_b, x.m, x.n, x.k, x.alpha, x.a, x.lda, x.b, x.ldb, x.beta,
                        x.c, x.ldc))
    return;
  multiply_here(kernels, x, false);
}

// Sums of parts of the depth but the first, whose sums are in C.
template <class T>
class OtherSums {
 public:
  OtherSums(const Product<T>& x, int parts)
      : ld_((x.n + kLine - 1) / kLine * kLine), each_(x.m * ld_), sums_(static_cast<std::size_t>(parts - 1) * each_) {}

  // Part `part` of x, which is not the first.
  void take(Product<T>& x, int part) noexcept {
    x.c = sums_.data() + static_cast<std::size_t>(part - 1) * each_;
    x.ldc = ld_;
    x.beta = T(0);
  }
  void add_to(const Product<T>& x, int parts) const noexcept {
    for (int part = 1; part < parts; ++part)
      for (std::size_t i = 0; i < x.m; ++i) {
        const T* const sums = sums_.data() + static_cast<std::size_t>(part - 1) * each_ + i * ld_;
        T* const c = x.c + i * x.ldc;
        for (std::size_t j = 0; j < x.n; ++j) c[j] += sums[j];
      }
  }

 private:
  static constexpr std::size_t kLine = 64 / sizeof(T);
  std::size_t ld_, each_;
  memory::AlignedBuffer<T> sums_;
};

// Nothing is shared but what is read.
template <class T>
void multiply_parts(const MatmulOps<T>& kernels, const Product<T>& x, int threads, Wake wake) {
  const Division wanted = choose_division(kernels, x, threads, ByDepth::yes);
  OtherSums<T> others(x, wanted.depth);
  int parts_of_depth = 1;
  std::exception_ptr failure;  // of one of those that fail, since an exception must not leave the body of a thread
  std::atomic<bool> failed{false};
  on_threads(
      threads,
      [&](int thread, int count) {
        // There may be fewer threads than asked for, and no room for their sums then.
        const Division division = count == threads ? wanted : choose_division(kernels, x, count, ByDepth::no);
        if (thread == 0) parts_of_depth = division.depth;
        Product<T> part = part_of(x, division, thread);
        if (part.m == 0 || part.n == 0) return;
        if (division.depth > 1) {
          part.bias = nullptr;
          part.activation = Activation::none;
          if (thread > 0) others.take(part, thread);
        }
        try {
          multiply_part(kernels, part);
        } catch (...) {
          if (!failed.exchange(true)) failure = std::current_exception();
        }
      },
      wake);
  if (failed) std::rethrow_exception(failure);
  if (parts_of_depth == 1) return;
  others.add_to(x, parts_of_depth);
  if (x.bias || x.activation != Activation::none) kernels.finish(x.m, x.n, x.c, x.ldc, x.bias, x.activation);
}

}  // namespace

template <class T>
void multiply(const MatmulOps<T>& kernels, const Product<T>& x) {
  const double work = product_work(x.m, x.n, x.k);
  const int threads = wanted_threads<T>(work);
  if (threads > 1) return multiply_parts(kernels, x, threads, wake_for<T>(work));
  multiply_here(kernels, x, true);
}

template void multiply(const MatmulOps<float>&, const Product<float>&);
template void multiply(const MatmulOps<double>&, const Product<double>&);

}  // namespace pawl
