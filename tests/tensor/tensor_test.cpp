// tensor_test.cpp -- creation, copies and elementwise arithmetic of tensors.
#include "pawl/tensor.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "pawl/memory/caching_resource.hpp"
#include "tensor/random_bits.hpp"

namespace pawl {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

template <class T>
class TensorTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TensorTest, Types);

TYPED_TEST(TensorTest, IsAlignedAndHoldsWhatWasAskedFor) {
  using X = Tensor<TypeParam>;
  const auto zeros = X::zeros({3, 5}), ones = X::ones({3, 5}), full = X::full({7}, TypeParam(2.5));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(zeros.data()) % X::kAlignment, 0u);
  EXPECT_THAT(zeros.flat(), Each(TypeParam(0)));
  EXPECT_THAT(ones.flat(), Each(TypeParam(1)));
  EXPECT_THAT(full.flat(), Each(TypeParam(2.5)));
  EXPECT_EQ(zeros.size_bytes(), 15 * sizeof(TypeParam));
  EXPECT_NE(X::zeros({0, 4}).data(), nullptr);
  EXPECT_EQ(X::ones({}).elements(), 1u);
}

TYPED_TEST(TensorTest, FromChecksTheCount) {
  using X = Tensor<TypeParam>;
  const TypeParam values[] = {1, 2, 3, 4, 5, 6};
  const auto x = X::from({2, 3}, values);
  EXPECT_EQ(x.at({1, 0}), TypeParam(4));
  EXPECT_THROW((void)X::from({2, 2}, values), std::invalid_argument);
}

TYPED_TEST(TensorTest, CopiesAreIndependentAndFollowStrides) {
  using X = Tensor<TypeParam>;
  const TypeParam values[] = {1, 2, 3, 4, 5, 6};
  auto x = X::from({2, 3}, values);
  const auto copy = x.clone();
  const auto transposed = X::copy_of(static_cast<const X&>(x).view().transpose());
  x.at({0, 1}) = 99;
  EXPECT_THAT(copy.to_vector(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(transposed.shape(), (Shape{3, 2}));
  EXPECT_THAT(transposed.to_vector(), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_EQ(X::copy_of(copy.view().slice(1, 1, 1)).elements(), 0u);
  EXPECT_THAT(X::copy_of(copy.view().slice(1, 0, 3, 2)).to_vector(), ElementsAre(1, 3, 4, 6));
}

TYPED_TEST(TensorTest, RandnIsSeededAndNormal) {
  using X = Tensor<TypeParam>;
  const std::size_t n = 100'001;
  const auto x = X::randn({n}, 42), same = X::randn({n}, 42), other = X::randn({n}, 43);
  EXPECT_EQ(x.to_vector(), same.to_vector());
  EXPECT_NE(x.to_vector(), other.to_vector());
  double sum = 0, squares = 0, fourth = 0, neighbours = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double v = x.data()[i];
    ASSERT_TRUE(std::isfinite(v));
    sum += v;
    squares += v * v;
    fourth += v * v * v * v;
    if (i > 0) neighbours += v * x.data()[i - 1];
  }
  // Five standard errors of the mean (1/sqrt n), variance (sqrt(2/n)), fourth moment (sqrt(96/n)), correlation (1/sqrt
  // n).
  const double root = std::sqrt(static_cast<double>(n)), count = static_cast<double>(n);
  EXPECT_NEAR(sum / count, 0, 5 / root);
  EXPECT_NEAR(squares / count, 1, 5 * std::sqrt(2.0) / root);
  EXPECT_NEAR(fourth / count, 3, 5 * std::sqrt(96.0) / root);
  EXPECT_NEAR(neighbours / count, 0, 5 / root);
}

TYPED_TEST(TensorTest, UniformStaysInItsHalfOpenRange) {
  using X = Tensor<TypeParam>;
  const auto x = X::uniform({100'000}, 7, TypeParam(-2), TypeParam(3));
  double sum = 0;
  for (TypeParam v : x.flat()) {
    ASSERT_GE(v, TypeParam(-2));
    ASSERT_LT(v, TypeParam(3));
    sum += static_cast<double>(v);
  }
  EXPECT_NEAR(sum / 1e5, 0.5, 5 * (5 / std::sqrt(12.0)) / std::sqrt(1e5));
  EXPECT_THROW((void)X::uniform({1}, 7, TypeParam(1), TypeParam(1)), std::invalid_argument);
}

// First outputs of SplitMix64 for seed 1234567, as its authors' C code prints them.
TEST(RandomBits, IsSplitMix64) {
  EXPECT_EQ(random_bits(1234567, 0), 6457827717110365317u);
  EXPECT_EQ(random_bits(1234567, 1), 3203168211198807973u);
  EXPECT_EQ(random_bits(1234567, 2), 9817491932198370423u);
}

TYPED_TEST(TensorTest, ArithmeticMatchesAndChecksShapes) {
  using X = Tensor<TypeParam>;
  const TypeParam a[] = {1, -2, 3, 8}, b[] = {4, 5, -6, 2};
  const auto x = X::from({2, 2}, a), y = X::from({2, 2}, b);
  EXPECT_THAT(add(x, y).to_vector(), ElementsAre(5, 3, -3, 10));
  EXPECT_THAT(sub(x, y).to_vector(), ElementsAre(-3, -7, 9, 6));
  EXPECT_THAT(mul(x, y).to_vector(), ElementsAre(4, -10, -18, 16));
  EXPECT_THAT(div(x, y).to_vector(), ElementsAre(TypeParam(1) / 4, TypeParam(-2) / 5, TypeParam(-0.5), 4));
  EXPECT_THAT(relu(x).to_vector(), ElementsAre(1, 0, 3, 8));
  EXPECT_THROW((void)add(x, X::ones({4})), std::invalid_argument);
}

#ifndef PAWL_MEMORY_ASAN  // where tensors come from malloc
TEST(Tensor, MemoryOfDeadTensorsServesNewOnes) {
  const auto live = [] { return memory::caching_resource().statistics().live_bytes; };
  const std::size_t before = live();
  const float* place = nullptr;
  {
    const auto x = Tensor<float>::zeros({100, 100});
    place = x.data();
    EXPECT_EQ(live() - before, 40960u);  // the size class of 40,000 bytes
    auto moved = Tensor<float>::zeros({1});
    moved = Tensor<float>::zeros({100, 100});
  }
  EXPECT_EQ(live(), before);
  const auto y = Tensor<float>::uninitialized({100, 100});
  const auto z = Tensor<float>::uninitialized({100, 100});
  EXPECT_TRUE(y.data() == place || z.data() == place);
}
#endif

}  // namespace
}  // namespace pawl
