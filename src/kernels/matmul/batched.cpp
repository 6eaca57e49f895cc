// batched.cpp -- matmul_batched of include/pawl/matmul.hpp: a batch of products -> threads that each take some.
#include <algorithm>
#include <exception>
#include <vector>

#include "kernels/matmul/checked_product.hpp"
#include "kernels/matmul/operands.hpp"
#include "pawl/parallel.hpp"
#include "tensor/shape_text.hpp"

namespace pawl {
namespace {

// The distance of the rows of all matrices of a batch, `step` apart, if they are those of one matrix; else 0.
std::size_t rows_of_all(std::ptrdiff_t step, std::size_t rows, std::size_t columns, std::size_t ld) noexcept {
  if (step <= 0) return 0;
  const auto distance = static_cast<std::size_t>(step);
  if (rows == 1) return distance >= columns ? distance : 0;
  return distance % rows == 0 && distance / rows == ld ? ld : 0;
}

template <class T>
void call_matmul_batched(const View<const T>& a, const View<const T>& b, const View<T>& c, T alpha, T beta) {
  const bool fits = a.rank() == 3 && c.rank() == 3 && (b.rank() == 3 || b.rank() == 2) &&
                    a.shape()[0] == c.shape()[0] && (b.rank() == 2 || b.shape()[0] == c.shape()[0]) &&
                    a.shape()[1] == c.shape()[1] && a.shape()[2] == b.shape()[b.rank() - 2] &&
                    b.shape()[b.rank() - 1] == c.shape()[2];
  if (!fits)
    refuse_product("a batch " + shape_text(a.shape()) + " times " + shape_text(b.shape()) + " into " +
                   shape_text(c.shape()) + " does not fit");
  if (c.elements() == 0) return;
  const std::size_t batch = c.shape()[0], m = c.shape()[1], n = c.shape()[2], k = a.shape()[2];
  const View<const T> a0 = a.select(0, 0), b0 = b.rank() == 3 ? b.select(0, 0) : b;
  const View<T> c0 = c.select(0, 0);
  const MatrixStorage as = storage_of("a", a0), bs = storage_of("b", b0);
  const std::size_t ldc = leading_dimension_of(c0);
  const std::ptrdiff_t a_step = a.strides()[0], b_step = b.rank() == 3 ? b.strides()[0] : 0, c_step = c.strides()[0];
  const MatmulOps<T>& kernels = matmul_ops<T>(active_isa());
  const bool ta = as.transpose == Transpose::yes, tb = bs.transpose == Transpose::yes;
  const auto multiply_rows = [&](std::size_t rows, const T* from_a, std::size_t lda, const T* from_b, T* to,
                                 std::size_t to_ldc) {
    multiply_checked(kernels, ta, tb, rows, n, k, from_a, lda, from_b, bs.ld, to, to_ldc, {alpha, beta});
  };
  if (!ta && b_step == 0) {
    const std::size_t lda = rows_of_all(a_step, m, k, as.ld), all_ldc = rows_of_all(c_step, m, n, ldc);
    if (lda != 0 && all_ldc != 0) return multiply_rows(batch * m, a0.data(), lda, b0.data(), c0.data(), all_ldc);
  }
  const auto one = [&](std::size_t s) {
    const auto i = static_cast<std::ptrdiff_t>(s);
    multiply_rows(m, a0.data() + i * a_step, as.ld, b0.data() + i * b_step, c0.data() + i * c_step, ldc);
  };
  // Threads share out the batch. Fewer products than threads: each is divided instead.
  const double work = static_cast<double>(batch) * product_work(m, n, k);
  const int threads =
      batch < static_cast<std::size_t>(num_threads())
          ? 1
          : static_cast<int>(std::min<std::size_t>(batch, static_cast<std::size_t>(wanted_threads<T>(work))));
  if (threads == 1) {
    for (std::size_t s = 0; s < batch; ++s) one(s);
    return;
  }
  // An exception must not leave the body of a thread.
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(threads));
  on_threads(
      threads,
      [&](int thread, int count) {
        const Range range = share(batch, thread, count);
        try {
          for (std::size_t s = range.begin; s < range.end; ++s) one(s);
        } catch (...) {
          failures[static_cast<std::size_t>(thread)] = std::current_exception();
        }
      },
      wake_for<T>(work));
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

void matmul_batched(const View<const float>& a, const View<const float>& b, const View<float>& c, float alpha,
                    float beta) {
  call_matmul_batched<float>(a, b, c, alpha, beta);
}
void matmul_batched(const View<const double>& a, const View<const double>& b, const View<double>& c, double alpha,
                    double beta) {
  call_matmul_batched<double>(a, b, c, alpha, beta);
}

}  // namespace pawl
