// matmul.cpp -- include/pawl/matmul.hpp: argument checks and dispatch.
#include "pawl/matmul.hpp"

#include "isa/active.hpp"
#include "kernels/matmul/checked_product.hpp"
#include "kernels/matmul/operands.hpp"
#include "tensor/shape_text.hpp"

namespace pawl {
namespace {

template <class T>
[[gnu::always_inline]] inline void call_matmul(Transpose transpose_a, Transpose transpose_b, std::size_t m,
                                               std::size_t n, std::size_t k, const T* a, std::size_t lda, const T* b,
                                               std::size_t ldb, T* c, std::size_t ldc, const ProductEnd<T>& end) {
  const bool ta = transpose_a == Transpose::yes, tb = transpose_b == Transpose::yes;
  // What fits at a glance: extents whose products cannot overflow. All else is looked at one by one.
  constexpr std::size_t kSmall = std::size_t{1} << 20;
  const bool fits =
      (m | n | k | lda | ldb | ldc) < kSmall && a && b && c && lda >= (ta ? m : k) && ldb >= (tb ? k : n) && ldc >= n;
  if (!fits) [[unlikely]] {
    check_operand("a", a, ta ? k : m, ta ? m : k, lda);
    check_operand("b", b, tb ? n : k, tb ? k : n, ldb);
    check_operand("c", c, m, n, ldc);
  }
  if (m == 0 || n == 0) return;
  const MatmulOps<T>& kernels = matmul_ops<T>(detail::active_isa_inline());
  multiply_checked(kernels, ta, tb, m, n, k, a, lda, b, ldb, c, ldc, end);
}

template <class T>
void call_matmul_views(const View<const T>& a, const View<const T>& b, const View<T>& c, const ProductEnd<T>& end) {
  if (a.rank() != 2 || b.rank() != 2 || c.rank() != 2 || a.shape()[1] != b.shape()[0] || c.shape()[0] != a.shape()[0] ||
      c.shape()[1] != b.shape()[1])
    refuse_product(shape_text(a.shape()) + " times " + shape_text(b.shape()) + " into " + shape_text(c.shape()) +
                   " does not fit");
  const MatrixStorage as = storage_of("a", a), bs = storage_of("b", b);
  call_matmul<T>(as.transpose, bs.transpose, c.shape()[0], c.shape()[1], a.shape()[1], a.data(), as.ld, b.data(), bs.ld,
                 c.data(), leading_dimension_of(c), end);
}

template <class T>
void call_matmul_bias(const View<const T>& a, const View<const T>& b, std::span<const T> bias, const View<T>& c,
                      Activation activation) {
  if (c.rank() == 2) check_bias(bias.size(), c.shape()[1]);
  call_matmul_views<T>(a, b, c, {T(1), T(0), bias.empty() ? nullptr : bias.data(), activation});
}

template <class T>
Tensor<T> call_matmul_tensors(const Tensor<T>& a, const Tensor<T>& b) {
  if (a.rank() != 2 || b.rank() != 2)
    refuse_product(shape_text(a.shape()) + " times " + shape_text(b.shape()) + ": both must have rank 2");
  const std::size_t m = a.shape()[0], k = a.shape()[1], n = b.shape()[1];
  if (b.shape()[0] != k) refuse_product(shape_text(a.shape()) + " times " + shape_text(b.shape()) + " does not fit");
  Tensor<T> c = Tensor<T>::uninitialized({m, n});
  // Not by views, three of which take as long to make as a product of 2 cubed.
  call_matmul<T>(Transpose::no, Transpose::no, m, n, k, a.data(), k, b.data(), n, c.data(), n, {});
  return c;
}

}  // namespace

void matmul(Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n, std::size_t k, float alpha,
            const float* a, std::size_t lda, const float* b, std::size_t ldb, float beta, float* c, std::size_t ldc) {
  call_matmul<float>(transpose_a, transpose_b, m, n, k, a, lda, b, ldb, c, ldc, {.alpha = alpha, .beta = beta});
}
void matmul(Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n, std::size_t k, double alpha,
            const double* a, std::size_t lda, const double* b, std::size_t ldb, double beta, double* c,
            std::size_t ldc) {
  call_matmul<double>(transpose_a, transpose_b, m, n, k, a, lda, b, ldb, c, ldc, {.alpha = alpha, .beta = beta});
}
void matmul(const View<const float>& a, const View<const float>& b, const View<float>& c, float alpha, float beta) {
  call_matmul_views<float>(a, b, c, {.alpha = alpha, .beta = beta});
}
void matmul(const View<const double>& a, const View<const double>& b, const View<double>& c, double alpha,
            double beta) {
  call_matmul_views<double>(a, b, c, {.alpha = alpha, .beta = beta});
}
Tensor<float> matmul(const Tensor<float>& a, const Tensor<float>& b) { return call_matmul_tensors<float>(a, b); }
Tensor<double> matmul(const Tensor<double>& a, const Tensor<double>& b) { return call_matmul_tensors<double>(a, b); }

void matmul_bias(const View<const float>& a, const View<const float>& b, std::span<const float> bias,
                 const View<float>& c, Activation activation) {
  call_matmul_bias<float>(a, b, bias, c, activation);
}
void matmul_bias(const View<const double>& a, const View<const double>& b, std::span<const double> bias,
                 const View<double>& c, Activation activation) {
  call_matmul_bias<double>(a, b, bias, c, activation);
}

}  // namespace pawl
