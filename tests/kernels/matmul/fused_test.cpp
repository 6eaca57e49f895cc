// fused_test.cpp -- products with packed matrices, with a bias and an activation, and in batches, give what the plain
// product gives, then the activation's own.
//
// Small integers make every sum exact, so that a lost panel, block or bias shows.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/guarded_array.hpp"
#include "kernels/matmul/problem.hpp"
#include "kernels/tables.hpp"
#include "pawl/matmul.hpp"
#include "pawl/packed_matrix.hpp"
#include "pawl/parallel.hpp"
#include "reference/math_ref.hpp"
#include "reference/matmul_ref.hpp"

namespace pawl {
namespace {

using testing::GuardedArray;
using ::testing::HasSubstr;

template <class T>
class FusedTest : public testing::ProductTest<T> {};
TYPED_TEST_SUITE(FusedTest, testing::ProductTypes);

template <class T>
Tensor<T> integers(const Shape& shape, std::uint64_t seed) {
  Tensor<T> x = Tensor<T>::uninitialized(shape);
  std::mt19937_64 random(seed);
  for (T& value : x.flat()) value = static_cast<T>(static_cast<int>((random() >> 11) % 9) - 4);
  return x;
}

template <class T>
long double sum_at(View<const T> a, View<const T> b, std::size_t i, std::size_t j) {
  long double sum = 0;
  for (std::size_t p = 0; p < a.shape()[1]; ++p)
    sum += static_cast<long double>(a.at({i, p})) * static_cast<long double>(b.at({p, j}));
  return sum;
}

// What is around and between the rows of c is NaN and must stay so.
template <class T>
struct Result {
  std::size_t rows, cols, ld;
  GuardedArray<T> memory;
  Result(std::size_t m, std::size_t n) : rows(m), cols(n), ld(n + 3), memory((m - 1) * (n + 3) + n, 1) {
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) memory[i * ld + j] = T(2);
  }
  View<T> view() {
    Strides strides{};
    strides[0] = static_cast<std::ptrdiff_t>(ld);
    strides[1] = 1;
    return View<T>(memory.data(), {rows, cols}, strides);
  }
  bool untouched() {
    for (std::size_t i = 0; i + 1 < rows; ++i)
      for (std::size_t j = cols; j < ld; ++j)
        if (!std::isnan(memory[i * ld + j])) return false;
    return memory.untouched();
  }
};

template <class Body>
void for_each_isa(Body body) {
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    SCOPED_TRACE(name(isa));
    body();
    if (::testing::Test::HasFailure()) return;
  }
}

struct Shape3 {
  std::size_t m, n, k;
};
// One row, whole and cut tiles and panels, more than one block of depth, of rows, of columns; columns that packed
// matrices keep by columns, matrices that they keep by rows, and products with them that are faster so and others that
// are not.
const Shape3 kShapes[] = {{1, 1, 1},     {1, 33, 70},   {3, 16, 5},     {14, 32, 64},   {15, 31, 513},
                          {29, 65, 100}, {5, 97, 1100}, {60, 1030, 20}, {300, 17, 33},  {64, 64, 64},
                          {40, 3, 200},  {20, 7, 100},  {5, 3, 300},    {90, 1, 50},    {2, 10, 1100},
                          {31, 65, 300}, {40, 33, 513}, {90, 128, 200}, {153, 21, 160}, {7, 1024, 9}};

TYPED_TEST(FusedTest, PackedGivesTheProduct) {
  using T = TypeParam;
  for (const Shape3& shape : kShapes) {
    const std::size_t m = shape.m, n = shape.n, k = shape.k;
    SCOPED_TRACE(::testing::Message() << m << " x " << n << " x " << k);
    const Tensor<T> a = integers<T>({m, k}, 1), b = integers<T>({k, n}, 2),
                    bt = Tensor<T>::copy_of(b.view().transpose());
    std::vector<long double> want;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) want.push_back(sum_at<T>(a.view(), b.view(), i, j));
    for_each_isa([&] {
      const PackedMatrix<T> packed(b.view()), from_transposed(bt.view().transpose());
      EXPECT_EQ(packed.isa(), active_isa());
      for (const PackedMatrix<T>* right : {&packed, &from_transposed})
        for (int threads : {1, 2}) {
          set_num_threads(threads);
          Result<T> c(m, n);
          matmul(a.view(), *right, c.view(), T(2), T(3));
          for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j)
              ASSERT_EQ(c.view().at({i, j}), 2 * want[i * n + j] + 6) << i << ' ' << j;
          ASSERT_TRUE(c.untouched());
        }
    });
  }
}

// Small ones by rows too, not whole pages apart, which products with few rows read; large ones in panels alone.
TYPED_TEST(FusedTest, SmallMatricesAreKeptByRows) {
  using T = TypeParam;
  for (const auto& [k, n] : {std::pair<std::size_t, std::size_t>{5, 3}, {40, 33}, {7, 1024}, {1, 1}})
    for_each_isa([&, k = k, n = n] {
      const Tensor<T> b = integers<T>({k, n}, 2);
      const PackedMatrix<T> packed(b.view());
      ASSERT_NE(packed.by_rows(), nullptr);
      EXPECT_GE(packed.row_stride(), n);
      EXPECT_NE(packed.row_stride() * sizeof(T) % 4096, 0u);
      for (std::size_t p = 0; p < k; ++p)
        for (std::size_t j = 0; j < n; ++j)
          ASSERT_EQ(packed.by_rows()[p * packed.row_stride() + j], b.at({p, j})) << p << ' ' << j;
      const std::size_t by_columns = packed.by_columns() ? n : 0;
      EXPECT_EQ(packed.size_bytes(), k * (packed.padded_cols() + by_columns + packed.row_stride()) * sizeof(T));
    });
  const Tensor<T> large = integers<T>({300, 200}, 2);
  const PackedMatrix<T> packed(large.view());
  EXPECT_EQ(packed.by_rows(), nullptr);
  EXPECT_EQ(packed.size_bytes(), 300 * packed.padded_cols() * sizeof(T));
}

// Panels side by side and what is left of them, more than one block of depth, elements of the row apart.
TYPED_TEST(FusedTest, OneRowTimesPackedIsExact) {
  using T = TypeParam;
  for (const auto& [n, k] : {std::pair<std::size_t, std::size_t>{128, 1}, {301, 70}, {150, 1100}, {513, 9}}) {
    SCOPED_TRACE(::testing::Message() << n << " x " << k);
    const Tensor<T> row = integers<T>({1, k}, 1),
                    column = Tensor<T>::copy_of(integers<T>({3, k}, 4).view().transpose()), b = integers<T>({k, n}, 2);
    for (const View<const T>& a : {row.view(), View<const T>(column.view()).transpose().slice(0, 1, 2)})
      for_each_isa([&, n = n] {
        const PackedMatrix<T> packed(b.view());
        for (int threads : {1, 2}) {
          set_num_threads(threads);
          Result<T> c(1, n), d(1, n);
          matmul(a, packed, c.view(), T(2), T(3));
          matmul(a, packed, d.view());
          for (std::size_t j = 0; j < n; ++j) {
            const long double want = sum_at<T>(a, b.view(), 0, j);
            ASSERT_EQ(c.view().at({0, j}), 2 * want + 6) << j;
            ASSERT_EQ(d.view().at({0, j}), want) << j;
          }
          ASSERT_TRUE(c.untouched() && d.untouched());
        }
      });
  }
}

TYPED_TEST(FusedTest, PackedKeepsTheVariantItWasMadeFor) {
  using T = TypeParam;
  const Tensor<T> a = integers<T>({20, 40}, 1), b = integers<T>({40, 50}, 2);
  const Tensor<T> want = matmul(a, b);
  for (Isa made : runnable_isas()) {
    const PackedMatrix<T> packed = [&] {
      const ScopedIsa scope(made);
      return PackedMatrix<T>(b.view());
    }();
    for (Isa used : runnable_isas()) {
      const ScopedIsa scope(used);
      Tensor<T> c = Tensor<T>::uninitialized({20, 50});
      matmul(a.view(), packed, c.view());
      EXPECT_EQ(c.to_vector(), want.to_vector()) << name(made) << ", then " << name(used);
    }
  }
}

TYPED_TEST(FusedTest, BiasAndReluAreExact) {
  using T = TypeParam;
  for (const Shape3& shape : kShapes) {
    const std::size_t m = shape.m, n = shape.n, k = shape.k;
    SCOPED_TRACE(::testing::Message() << m << " x " << n << " x " << k);
    const Tensor<T> a = integers<T>({m, k}, 1), b = integers<T>({k, n}, 2), bias = integers<T>({n}, 3);
    std::vector<long double> want;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j)
        want.push_back(std::fmax(0.0L, sum_at<T>(a.view(), b.view(), i, j) + bias.at({j})));
    for_each_isa([&] {
      const PackedMatrix<T> packed(b.view());
      for (int threads : {1, 2}) {
        set_num_threads(threads);
        Result<T> c(m, n), d(m, n);
        matmul_bias(a.view(), b.view(), bias.flat(), c.view(), Activation::relu);
        matmul_bias(a.view(), packed, bias.flat(), d.view(), Activation::relu);
        for (std::size_t i = 0; i < m; ++i)
          for (std::size_t j = 0; j < n; ++j) {
            ASSERT_EQ(c.view().at({i, j}), want[i * n + j]) << i << ' ' << j;
            ASSERT_EQ(d.view().at({i, j}), want[i * n + j]) << "packed " << i << ' ' << j;
          }
        ASSERT_TRUE(c.untouched() && d.untouched());
      }
    });
  }
}

TYPED_TEST(FusedTest, GeluKeepsItsBound) {
  using T = TypeParam;
  const Tensor<T> a = integers<T>({9, 3}, 1), b = integers<T>({3, 21}, 2), bias = Tensor<T>::randn({21}, 3);
  constexpr T kUlps =
      8;  // math.hpp: at most 5, and as many for the tanh form; 8 units of the result's own size hold them
  for_each_isa([&] {
    for (Activation activation : {Activation::gelu, Activation::gelu_tanh}) {
      Result<T> c(9, 21);
      matmul_bias(a.view(), b.view(), bias.flat(), c.view(), activation);
      for (std::size_t i = 0; i < 9; ++i)
        for (std::size_t j = 0; j < 21; ++j) {
          const T x = static_cast<T>(sum_at<T>(a.view(), b.view(), i, j)) + bias.at({j});
          const auto want = activation == Activation::gelu ? reference::gelu<T>(x) : reference::gelu_tanh<T>(x);
          const auto error = std::fabs(static_cast<decltype(want)>(c.view().at({i, j})) - want);
          ASSERT_LE(error, kUlps * std::numeric_limits<T>::epsilon() * std::fabs(want) + std::numeric_limits<T>::min())
              << x;
        }
      ASSERT_TRUE(c.untouched());
    }
  });
}

TYPED_TEST(FusedTest, NothingToSumStillHasBiasAndActivation) {
  using T = TypeParam;
  const Tensor<T> a = Tensor<T>::zeros({2, 0}), b = Tensor<T>::zeros({0, 3}),
                  bias = Tensor<T>::from({3}, std::vector<T>{-1, 0, 2});
  for_each_isa([&] {
    Result<T> c(2, 3);
    matmul_bias(a.view(), b.view(), bias.flat(), c.view(), Activation::relu);
    EXPECT_EQ(Tensor<T>::copy_of(c.view()).to_vector(), (std::vector<T>{0, 0, 2, 0, 0, 2}));
    Result<T> d(2, 3);
    matmul_bias(a.view(), PackedMatrix<T>(b.view()), {}, d.view());
    EXPECT_EQ(Tensor<T>::copy_of(d.view()).to_vector(), std::vector<T>(6, 0));
  });
}

TYPED_TEST(FusedTest, EachProductOfABatchIsTheProduct) {
  using T = TypeParam;
  for (const auto& shape : {std::array<std::size_t, 4>{5, 7, 9, 11}, {1, 70, 70, 70}, {8, 70, 66, 65}}) {
    const std::size_t batch = shape[0], m = shape[1], n = shape[2], k = shape[3];
    SCOPED_TRACE(::testing::Message() << batch << " of " << m << " x " << n << " x " << k);
    // Every other matrix of a, and b by columns.
    const Tensor<T> a = Tensor<T>::randn({2 * batch, m, k}, 1), b = Tensor<T>::randn({batch, n, k}, 2);
    const View<const T> left = a.view().slice(0, 0, 2 * batch, 2), right = b.view().transpose();
    for_each_isa([&] {
      for (int threads : {1, 2}) {
        set_num_threads(threads);
        Tensor<T> c = Tensor<T>::ones({batch, m, n}), shared = Tensor<T>::ones({batch, m, n});
        matmul_batched(left, right, c.view(), T(2), T(1));
        matmul_batched(left, right.select(0, 0), shared.view());
        set_num_threads(1);
        for (std::size_t s = 0; s < batch; ++s) {
          Tensor<T> want = Tensor<T>::ones({m, n}), with_first = Tensor<T>::ones({m, n});
          matmul(left.select(0, s), right.select(0, s), want.view(), T(2), T(1));
          matmul(left.select(0, s), right.select(0, 0), with_first.view());
          ASSERT_EQ(Tensor<T>::copy_of(c.view().select(0, s)).to_vector(), want.to_vector()) << s;
          ASSERT_EQ(Tensor<T>::copy_of(shared.view().select(0, s)).to_vector(), with_first.to_vector()) << s;
        }
      }
    });
  }
}

// One b for all, and the rows of the batch one below the other, with and without gaps between rows and (last of the
// shapes' numbers) between matrices. Integers, so that each order of summation gives the same.
TYPED_TEST(FusedTest, ABatchThatSharesBIsItsProducts) {
  using T = TypeParam;
  for (const auto& [batch, m, n, k, gap, apart] : {std::array<std::size_t, 6>{6, 3, 4, 5, 0, 0},
                                                   {6, 3, 4, 5, 2, 0},
                                                   {6, 3, 4, 5, 2, 1},
                                                   {40, 1, 7, 9, 0, 0},
                                                   {40, 1, 7, 9, 3, 0},
                                                   {40, 1, 7, 9, 1, 2},
                                                   {20, 30, 33, 40, 1, 0},
                                                   {3, 2, 2, 2, 0, 1}}) {
    SCOPED_TRACE(::testing::Message() << batch << " of " << m << " x " << n << " x " << k << ", gaps of " << gap << ", "
                                      << apart);
    const auto step = [m = m, apart = apart](std::size_t row) {
      return static_cast<std::ptrdiff_t>((m + apart) * row);
    };
    const std::size_t a_row = k + gap, c_row = n + gap;
    const Tensor<T> a_memory = integers<T>({batch * (m + apart), a_row}, 1), b = integers<T>({k, n}, 2);
    const View<const T> a(a_memory.data(), {batch, m, k}, {step(a_row), static_cast<std::ptrdiff_t>(a_row), 1});
    for_each_isa([&, batch = batch, m = m, n = n, k = k, apart = apart] {
      Tensor<T> c_memory = Tensor<T>::full({batch * (m + apart), c_row}, T(-7));
      const View<T> c(c_memory.data(), {batch, m, n}, {step(c_row), static_cast<std::ptrdiff_t>(c_row), 1});
      matmul_batched(a, b.view(), c, T(2), T(3));
      for (std::size_t row = 0; row < batch * (m + apart); ++row)
        for (std::size_t j = 0; j < c_row; ++j) {
          const std::size_t s = row / (m + apart), i = row % (m + apart);
          T want = T(-7);
          if (i < m && j < n) {
            T sum = 0;
            for (std::size_t p = 0; p < k; ++p) sum += a.at({s, i, p}) * b.at({p, j});
            want = 2 * sum - 21;
          }
          ASSERT_EQ(c_memory.at({row, j}), want) << "row " << row << ", column " << j;
        }
    });
  }
}

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no std::invalid_argument";
}

TEST(FusedArguments, WhatDoesNotFitIsNamed) {
  Tensor<float> a = Tensor<float>::ones({2, 3}), b = Tensor<float>::ones({3, 4}), c = Tensor<float>::ones({2, 4});
  const View<const float> av = a.view(), bv = b.view();
  const PackedMatrix<float> packed(bv);
  const std::vector<float> bias(3, 1.0f);
  EXPECT_THAT(message_of([&] { matmul(bv, packed, c.view()); }), HasSubstr("[3, 4] times packed [3, 4] into [2, 4]"));
  EXPECT_THAT(message_of([&] { matmul(av, packed, c.view().transpose()); }), HasSubstr("into [4, 2]"));
  EXPECT_THAT(message_of([&] { matmul_bias(av, bv, bias, c.view()); }),
              HasSubstr("bias has 3 elements, c has 4 columns"));
  EXPECT_THAT(message_of([&] { matmul_bias(av, packed, bias, c.view()); }), HasSubstr("bias has 3 elements"));
  EXPECT_THAT(message_of([&] { PackedMatrix<float>(av.select(0, 0)); }), HasSubstr("[3] cannot be packed"));
  EXPECT_THAT(message_of([&] { matmul_batched(av, bv, c.view()); }),
              HasSubstr("a batch [2, 3] times [3, 4] into [2, 4]"));
  EXPECT_EQ(c.to_vector(), std::vector<float>(8, 1.0f)) << "nothing was written";
}

}  // namespace
}  // namespace pawl
