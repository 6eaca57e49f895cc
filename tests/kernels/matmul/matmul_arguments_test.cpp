// matmul_arguments_test.cpp -- wrong arguments of matmul are refused before any work; views and tensors arrive as
// meant.
#include <gmock/gmock.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "pawl/matmul.hpp"

namespace pawl {
namespace {

using ::testing::HasSubstr;
constexpr auto N = Transpose::no, Y = Transpose::yes;

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no std::invalid_argument";
}

struct Call {
  Transpose ta = N, tb = N;
  std::size_t m = 3, n = 4, k = 5, lda = 5, ldb = 4, ldc = 4;
  bool null_a = false, null_b = false, null_c = false;

  std::string message() {
    std::vector<float> a(64, 1), b(64, 1);
    c.assign(64, 7);
    return message_of([&] {
      matmul(ta, tb, m, n, k, 1.0f, null_a ? nullptr : a.data(), lda, null_b ? nullptr : b.data(), ldb, 0.0f,
             null_c ? nullptr : c.data(), ldc);
    });
  }
  std::vector<float> c{};
};

TEST(MatmulArguments, LeadingDimensionsMustHoldARow) {
  EXPECT_THAT(Call{.lda = 4}.message(), HasSubstr("lda is 4, below the row length 5"));
  EXPECT_THAT(Call{.ldb = 3}.message(), HasSubstr("ldb is 3, below the row length 4"));
  EXPECT_THAT(Call{.ldc = 3}.message(), HasSubstr("ldc is 3, below the row length 4"));
  EXPECT_THAT((Call{.ta = Y, .lda = 2}.message()), HasSubstr("lda is 2, below the row length 3"));
  EXPECT_THAT((Call{.tb = Y, .ldb = 4}.message()), HasSubstr("ldb is 4, below the row length 5"));
}

TEST(MatmulArguments, NullIsRefusedUnlessEmpty) {
  EXPECT_THAT(Call{.null_a = true}.message(), HasSubstr("a is null"));
  EXPECT_THAT(Call{.null_b = true}.message(), HasSubstr("b is null"));
  EXPECT_THAT(Call{.null_c = true}.message(), HasSubstr("c is null"));
  EXPECT_EQ((Call{.k = 0, .lda = 0, .null_a = true, .null_b = true}.message()), "no std::invalid_argument");
  EXPECT_EQ((Call{.m = 0, .null_a = true, .null_c = true}.message()), "no std::invalid_argument");
}

TEST(MatmulArguments, SizesThatOverflowAreRefused) {
  const std::size_t huge = std::numeric_limits<std::size_t>::max() / 4;
  EXPECT_THAT((Call{.m = huge, .lda = 16}.message()), HasSubstr("a has more bytes than can be addressed"));
  EXPECT_THAT((Call{.k = 5, .ldb = huge}.message()), HasSubstr("b has more bytes than can be addressed"));
  EXPECT_THAT((Call{.ldc = huge}.message()), HasSubstr("c has more bytes than can be addressed"));
}

TEST(MatmulArguments, RefusalWritesNothing) {
  Call call{.lda = 4};
  call.message();
  EXPECT_THAT(call.c, ::testing::Each(7.0f));
}

// [[1, 2, 3], [4, 5, 6]] times its transpose, in every way to say it.
TEST(MatmulViews, TransposedAndSlicedViewsMultiplyInPlace) {
  const auto x = Tensor<double>::from({2, 3}, std::vector<double>{1, 2, 3, 4, 5, 6});
  Tensor<double> c = Tensor<double>::zeros({2, 2});
  matmul(x.view(), x.view().transpose(), c.view());
  EXPECT_THAT(c.to_vector(), ::testing::ElementsAre(14, 32, 32, 77));
  matmul(x.view(), x.view().transpose(), c.view(), 2.0, -1.0);
  EXPECT_THAT(c.to_vector(), ::testing::ElementsAre(14, 32, 32, 77));
  const auto y = Tensor<double>::from({3, 4}, std::vector<double>{1, 9, 4, 9, 2, 9, 5, 9, 3, 9, 6, 9});
  EXPECT_THAT(message_of([&] { matmul(x.view(), y.view().slice(1, 0, 3, 2), c.view()); }),
              HasSubstr("b has strides 4 and 2"));
  auto wide = Tensor<double>::zeros({2, 5});
  matmul(x.view(), y.view().slice(1, 2, 4), wide.view().slice(1, 1, 3));
  EXPECT_THAT(wide.to_vector(), ::testing::ElementsAre(0, 32, 54, 0, 0, 0, 77, 135, 0, 0));
}

TEST(MatmulViews, VectorsAreMatricesOfOneRowOrColumn) {
  const auto x = Tensor<float>::from({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  const auto column = Tensor<float>::from({3, 1}, std::vector<float>{1, 0, -1});
  EXPECT_THAT(matmul(x, column).to_vector(), ::testing::ElementsAre(-2, -2));
  const auto row = Tensor<float>::from({1, 2}, std::vector<float>{1, -1});
  EXPECT_THAT(matmul(row, x).to_vector(), ::testing::ElementsAre(-3, -3, -3));
  auto square = Tensor<float>::zeros({3, 3});
  matmul(column.view(), column.view().transpose(), square.view());
  EXPECT_THAT(square.to_vector(), ::testing::ElementsAre(1, 0, -1, 0, 0, 0, -1, 0, 1));
}

TEST(MatmulViews, ShapesThatDoNotFitAreNamed) {
  const auto x = Tensor<float>::zeros({2, 3});
  auto c = Tensor<float>::zeros({2, 2});
  EXPECT_THAT(message_of([&] { matmul(x.view(), x.view(), c.view()); }),
              HasSubstr("[2, 3] times [2, 3] into [2, 2] does not fit"));
  EXPECT_THAT(message_of([&] { matmul(x, Tensor<float>::zeros({3})); }), HasSubstr("both must have rank 2"));
  EXPECT_THAT(message_of([&] { matmul(x.view(), x.view().transpose(), c.view().transpose()); }),
              HasSubstr("inner stride of c"));
}

}  // namespace
}  // namespace pawl
