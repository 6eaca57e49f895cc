// problem.hpp -- a product with its operands, what must come out of it, and the memory around them; the fixture of
// tests of products.
//
// Small integers make every product exact, so that one lost, doubled or misplaced element shows; random values test the
// bound. Gaps between rows and everything around the matrices are NaN: reading one shows in the result, writing one is
// looked for.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <ostream>
#include <random>
#include <vector>

#include "kernels/guarded_array.hpp"
#include "pawl/isa.hpp"
#include "pawl/matmul.hpp"
#include "pawl/parallel.hpp"
#include "pawl/tensor.hpp"
#include "reference/matmul_ref.hpp"

namespace pawl::testing {

enum class Values { integers, random };

// A row-major matrix with gaps of NaN between its rows.
template <class T>
struct Matrix {
  std::size_t rows, cols, ld;
  GuardedArray<T> memory;

  Matrix(std::size_t rows_, std::size_t cols_, std::size_t gap, std::size_t offset, Values values, std::uint64_t seed)
      : rows(rows_), cols(cols_), ld(cols_ + gap), memory(rows_ ? (rows_ - 1) * (cols_ + gap) + cols_ : 0, offset) {
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < cols; ++j) {
        const std::uint64_t bits = random() >> 11;
        memory[i * ld + j] = values == Values::integers ? static_cast<T>(static_cast<int>(bits % 9) - 4)
                                                        : static_cast<T>(static_cast<double>(bits) * 0x1p-52 - 1);
      }
  }

  T* data() { return memory.data(); }
  T at(std::size_t i, std::size_t j) const { return memory[i * ld + j]; }
  bool gaps_untouched() const {
    const T nan = std::numeric_limits<T>::quiet_NaN();
    for (std::size_t i = 0; i + 1 < rows; ++i)
      for (std::size_t j = cols; j < ld; ++j)
        if (std::memcmp(&memory.data()[i * ld + j], &nan, sizeof(T)) != 0) return false;
    return memory.untouched();
  }
};

struct Case {
  std::size_t m, n, k;
  bool transpose_a = false, transpose_b = false;
  double alpha = 1, beta = 0;
  std::size_t gap = 0, offset = 0;
};

inline std::ostream& operator<<(std::ostream& out, const Case& x) {
  return out << "m=" << x.m << " n=" << x.n << " k=" << x.k << " ta=" << x.transpose_a << " tb=" << x.transpose_b
             << " alpha=" << x.alpha << " beta=" << x.beta << " gap=" << x.gap << " offset=" << x.offset;
}

// A case with its operands and what must come out, computed once for all variants and numbers of threads.
template <class T>
class Problem {
 public:
  Problem(const Case& x, Values values)
      : x_(x),
        a_(x.transpose_a ? x.k : x.m, x.transpose_a ? x.m : x.k, x.gap, x.offset, values, 1),
        b_(x.transpose_b ? x.n : x.k, x.transpose_b ? x.k : x.n, x.gap * 2, x.offset * 2, values, 2),
        c_(x.m, x.n, x.gap * 3, x.offset * 3, values, 3),
        exact_(values == Values::integers) {
    if (x.beta == 0)
      for (std::size_t i = 0; i < x.m; ++i)
        for (std::size_t j = 0; j < x.n; ++j) c_.data()[i * c_.ld + j] = std::numeric_limits<T>::quiet_NaN();
    want_.reserve(x.m * x.n);
    for (std::size_t i = 0; i < x.m; ++i)
      for (std::size_t j = 0; j < x.n; ++j)
        want_.push_back(reference::matmul_element<T>(x.transpose_a, x.transpose_b, i, j, x.k, alpha(), a_.data(), a_.ld,
                                                     b_.data(), b_.ld, beta(), c_.at(i, j)));
  }

  void check() {
    SCOPED_TRACE(::testing::Message() << name(active_isa()) << " threads=" << num_threads() << " " << x_);
    Matrix<T> c = c_;
    matmul(x_.transpose_a ? Transpose::yes : Transpose::no, x_.transpose_b ? Transpose::yes : Transpose::no, x_.m, x_.n,
           x_.k, alpha(), a_.data(), a_.ld, b_.data(), b_.ld, beta(), c.data(), c.ld);
    const long double factor = exact_ ? 0 : static_cast<long double>(x_.k + 2) * std::numeric_limits<T>::epsilon();
    for (std::size_t i = 0; i < x_.m; ++i)
      for (std::size_t j = 0; j < x_.n; ++j) {
        const auto& want = want_[i * x_.n + j];
        ASSERT_LE(std::fabs(c.at(i, j) - want.value), factor * want.magnitude) << "at " << i << ", " << j;
      }
    ASSERT_TRUE(c.gaps_untouched());
  }

 private:
  T alpha() const { return static_cast<T>(x_.alpha); }
  T beta() const { return static_cast<T>(x_.beta); }

  Case x_;
  Matrix<T> a_, b_, c_;
  bool exact_;
  std::vector<reference::MatmulElement> want_;
};

template <class T>
void check(const Case& x, Values values) {
  Problem<T>(x, values).check();
}

// Of products of T = f32 and f64. Whatever a test sets the number of threads to, the next one begins with what it was.
using ProductTypes = ::testing::Types<float, double>;
template <class T>
class ProductTest : public ::testing::Test {
 protected:
  void TearDown() override { set_num_threads(threads_); }

 private:
  int threads_ = num_threads();
};

// Calls body() with each runnable variant active.
template <class Body>
void for_each_isa(Body body) {
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    body(isa);
    if (::testing::Test::HasFailure()) return;
  }
}

// Bias and activation come once, after the last part of each sum: sums of -3, -2, -1, 0, 1 ... along a row, by every
// variant.
template <class T>
void expect_bias_and_relu_last(std::size_t m, std::size_t n, std::size_t k, bool transpose_a, bool transpose_b) {
  const Tensor<T> a = Tensor<T>::full(transpose_a ? Shape{k, m} : Shape{m, k}, T(1)),
                  b = Tensor<T>::full(transpose_b ? Shape{n, k} : Shape{k, n}, T(-1));
  const View<const T> left = a.view(), right = b.view();
  std::vector<T> bias(n);
  for (std::size_t j = 0; j < n; ++j) bias[j] = static_cast<T>(k - 3 + j);
  for_each_isa([&](Isa) {
    Tensor<T> c = Tensor<T>::full({m, n}, T(7));
    matmul_bias(transpose_a ? left.transpose() : left, transpose_b ? right.transpose() : right, bias, c.view(),
                Activation::relu);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j)
        ASSERT_EQ(c.view().at({i, j}), j < 3 ? T(0) : static_cast<T>(j - 3)) << i << ' ' << j;
  });
}

}  // namespace pawl::testing
