// turned_line_test.cpp -- Way::turned on any CPU with avx512: which lengths go by it, and that it finds what other ways
// find, also in place, back and on threads.
#include <gmock/gmock.h>

#include <complex>
#include <vector>

#include "isa/followed_rows.hpp"
#include "kernels/fft/line.hpp"
#include "kernels/fft/lines.hpp"
#include "kernels/fft/random_numbers.hpp"
#include "pawl/fft.hpp"
#include "pawl/isa.hpp"
#include "reference/fft_ref.hpp"

namespace pawl::fft {
namespace {

template <class T>
class TurnedLineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!is_runnable(Isa::avx512)) GTEST_SKIP() << "no avx512 here: lengths go other ways";
  }
  static bool turns(std::size_t n, bool finish) { return choose_turned(n, fft_ops<T>(Isa::avx512), finish).rows > 0; }
};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TurnedLineTest, Types);

TYPED_TEST(TurnedLineTest, LengthsByTheCpu) {
  constexpr bool f32 = sizeof(TypeParam) == 4;
  {
    const FollowedRows followed(true);
    for (const bool finish : {false, true}) {
      EXPECT_TRUE(this->turns(20000, finish));
      EXPECT_TRUE(this->turns(65536, finish));
      EXPECT_TRUE(this->turns(131072, finish));
      EXPECT_FALSE(this->turns(16384, finish));
      EXPECT_FALSE(this->turns(262144, finish));
    }
  }
  const FollowedRows waiting(false);
  EXPECT_FALSE(this->turns(20000, true));
  EXPECT_FALSE(this->turns(65536, true));
  EXPECT_TRUE(this->turns(22050, false));
  EXPECT_EQ(this->turns(44100, false), !f32);
}

// 44100 and 66150: rows that fill no vectors.
TYPED_TEST(TurnedLineTest, FindsWhatOtherWaysFind) {
  using T = TypeParam;
  using Elements = std::vector<T>;
  const FftOps<T>& ops = fft_ops<T>(Isa::avx512);
  for (const std::size_t n : {20000U, 32768U, 44100U, 66150U, 98304U}) {
    Choice choice{};
    {
      const FollowedRows followed(true);
      choice = choose_turned(n, ops, true);
    }
    ASSERT_GT(choice.rows, 0U) << n;
    const auto line = make_turned_line(choice.rows, choice.columns, ops);
    const Numbers<T> x = random_numbers<T>(n, n);
    const T* const in = reinterpret_cast<const T*>(x.data());
    Elements workspace(line->workspace_elements_on(3) + 64);
    for (const bool back : {false, true}) {
      Numbers<T> want(n), out(n), in_place = x, on_three(n);
      {
        const ScopedIsa other(Isa::sse2);  // which has no such way
        const Plan<T> plan(n);
        back ? plan.inverse(x, want, Normalization::by_n) : plan.forward(x, want);
      }
      const T scale = back ? T(1) / static_cast<T>(n) : T(1);
      const auto elements = [](Numbers<T>& numbers) { return reinterpret_cast<T*>(numbers.data()); };
      line->run(in, elements(out), workspace.data(), back, scale);
      line->run(elements(in_place), elements(in_place), workspace.data(), back, scale);
      line->run_on(3, in, elements(on_three), workspace.data(), back, scale);
      const std::vector<std::complex<long double>> exact(want.begin(), want.end());
      EXPECT_LE(reference::relative_error(out.data(), exact), 2 * bound<T>(n)) << n << (back ? " back" : "");
      EXPECT_EQ(out, in_place) << n << (back ? " back" : "");
      EXPECT_EQ(out, on_three) << n << (back ? " back" : "");
    }
  }
}

}  // namespace
}  // namespace pawl::fft
