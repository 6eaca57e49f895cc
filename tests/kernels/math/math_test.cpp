// math_test.cpp -- every runnable variant of include/pawl/math.hpp keeps the documented bounds and IEEE 754's special
// values.
#include "pawl/math.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "isa/data_path.hpp"
#include "kernels/guarded_array.hpp"
#include "kernels/math/math_functions.hpp"
#include "kernels/math/ulp_error.hpp"

namespace pawl {
namespace {

using testing::GuardedArray;
using testing::math_functions;
using testing::math_ops;
using testing::ulp_error;

template <class T>
constexpr T kInf = std::numeric_limits<T>::infinity();
template <class T>
constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();

// f32: every 4099th bit pattern (a prime, so that all mantissas and exponents take part). f64: as many in the ranges
// where the functions do something, and random bit patterns.
std::vector<float> points(float) {
  std::vector<float> x;
  for (std::uint64_t b = 0; b < (std::uint64_t{1} << 32); b += 4099)
    x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(b)));
  // Where math_exhaustive found the largest errors; those of tanh, gelu and gelu_tanh were above their bounds once.
  for (const float worst : {0x1.628cfap-3f,  0x1.604656p-3f,  0x1.62d1f4p-3f, 0x1.0065f2p-3f, -0x1.b6104cp+4f,
                            -0x1.86eef4p+5f, -0x1.154792p-1f, 0x1.7d875ep+0f, 0x1.7d075ap-1f, 0x1.d140bcp+2f,
                            0x1.1dfd5ap-3f,  0x1.3f783cp+3f,  0x1.3e8036p+3f, 0x1.00a056p+2f, 0x1.8864bap-3f,
                            0x1.e4891ep+0f,  0x1.b97a54p-3f,  0x1.19aa16p+1f, 0x1.a3366p+3f,  0x1.a0e336p-3f}) {
    x.push_back(worst);
    x.push_back(-worst);
  }
  // Where one way of computing ends and another begins (kOrdinary and the ends of tables of src/kernels/math), and
  // about where results of the gelus, sigmoid and exp become denormal and vanish.
  for (const float end : {5.1f, 5.11f, 5.79f, 5.8f, 6.03f, 6.04f, 8.664f, 9.0f, 9.01f, 9.03f, 9.14f, 87.0f, 10.06f,
                          10.87f, 13.05f, 14.17f, 87.33654f, 103.9721f}) {
    float above = end, below = end;
    for (int i = 0; i < 400; ++i) {
      for (const float v : {above, below, -above, -below}) x.push_back(v);
      above = std::nextafter(above, 100.0f);
      below = std::nextafter(below, 0.0f);
    }
  }
  return x;
}
std::vector<double> points(double) {
  std::mt19937_64 random(7);
  // Where 10^8 points had the largest errors.
  std::vector<double> x{0x1.70e6d11c4847p-2,   -0x1.1f77af2e5e912p+2, 0x1.7f5742446eefdp+0,  0x1.593bf42e218bcp+1,
                        -0x1.633fe105a7bb2p-3, -0x1.36380e8f4904fp+2, -0x1.1f4d3b586caecp+2, -0x1.40388cc7da4e6p+1,
                        -0x1.18ce7b84eb85bp+1, -0x1.6487216bf4p+0,    -0x1.b886d841bed9cp-3};
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  for (int i = 0; i < 40'000; ++i) {
    for (double end : {1e-3, 1.0, 3.0, 10.0, 40.0, 750.0}) x.push_back(uniform(-end, end));
    x.push_back(uniform(0.5, 2));
    x.push_back(std::bit_cast<double>(random()));
    x.push_back(std::bit_cast<double>(random() >> 12));  // denormal numbers
  }
  return x;
}

// check(isa, name); AVX-512 as on CPUs with data paths of 512 bits and of 256.
template <class Check>
void for_each_variant(Check check) {
  for (Isa isa : runnable_isas()) {
    check(isa, std::string(name(isa)));
    if (isa != Isa::avx512) continue;
    const DataPath other(!detail::splits_512_bits);
    check(isa, std::string(name(isa)) + (detail::splits_512_bits ? " on 256 bits" : " on 512 bits"));
  }
}

template <class T>
class MathTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MathTest, Types);

TYPED_TEST(MathTest, EveryVariantKeepsItsBound) {
  using T = TypeParam;
  const std::vector<T> x = points(T());
  std::vector<T> got(x.size());
  std::vector<reference::Wide<T>> want(x.size());
  for (const auto& f : math_functions<T>()) {
    for (std::size_t i = 0; i < x.size(); ++i) want[i] = f.exact(x[i]);
    for_each_variant([&](Isa isa, const std::string& variant) {
      (math_ops<T>(isa).*f.entry)(x.data(), got.data(), x.size());
      double worst = 0;
      std::size_t at = 0;
      for (std::size_t i = 0; i < x.size(); ++i)
        if (const double error = ulp_error(got[i], want[i]); !(error <= worst)) worst = error, at = i;
      EXPECT_LE(worst, f.ulp) << f.name << " " << variant << " at x = " << x[at] << ": " << got[at] << ", not "
                              << want[at];
      std::string key = std::string(f.name) + "_" + variant;
      std::ranges::replace(key, ' ', '_');
      this->RecordProperty(key, std::to_string(worst));
    });
  }
}

template <class T>
struct SpecialValue {
  const char* function;
  T x, want;
};

TYPED_TEST(MathTest, SpecialValues) {
  using T = TypeParam;
  const SpecialValue<T> values[] = {
      {"exp", T(0), T(1)},
      {"exp", -T(0), T(1)},
      {"exp", kInf<T>, kInf<T>},
      {"exp", -kInf<T>, T(0)},
      {"exp", std::numeric_limits<T>::max(), kInf<T>},
      {"exp", std::numeric_limits<T>::lowest(), T(0)},
      {"exp", std::numeric_limits<T>::denorm_min(), T(1)},
      {"log", T(1), T(0)},
      {"log", T(0), -kInf<T>},
      {"log", -T(0), -kInf<T>},
      {"log", kInf<T>, kInf<T>},
      {"log", -kInf<T>, kNaN<T>},
      {"log", T(-1), kNaN<T>},
      {"log", -std::numeric_limits<T>::denorm_min(), kNaN<T>},
      {"tanh", T(0), T(0)},
      {"tanh", -T(0), -T(0)},
      {"tanh", kInf<T>, T(1)},
      {"tanh", -kInf<T>, T(-1)},
      {"tanh", std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::denorm_min()},
      {"sigmoid", T(0), T(0.5)},
      {"sigmoid", kInf<T>, T(1)},
      {"sigmoid", -kInf<T>, T(0)},
      {"gelu", T(0), T(0)},
      {"gelu", -T(0), -T(0)},
      {"gelu", kInf<T>, kInf<T>},
      {"gelu", -kInf<T>, T(0)},
      {"gelu_tanh", T(0), T(0)},
      {"gelu_tanh", -T(0), -T(0)},
      {"gelu_tanh", kInf<T>, kInf<T>},
      {"gelu_tanh", -kInf<T>, T(0)}};
  for_each_variant([&](Isa isa, const std::string& variant) {
    for (const auto& f : math_functions<T>()) {
      std::vector<SpecialValue<T>> cases{{f.name, kNaN<T>, kNaN<T>}, {f.name, -kNaN<T>, kNaN<T>}};
      for (const auto& v : values)
        if (std::string(v.function) == f.name) cases.push_back(v);
      for (const auto& v : cases) {
        // Among other values, so that it stands in every lane of some vector and in a tail.
        std::vector<T> x(37, T(0.5)), out(37);
        for (std::size_t at = 0; at < x.size(); ++at) {
          x[at] = v.x;
          (math_ops<T>(isa).*f.entry)(x.data(), out.data(), x.size());
          if (std::isnan(v.want)) {
            ASSERT_TRUE(std::isnan(out[at])) << f.name << "(" << v.x << ") " << variant << ": " << out[at];
          } else {
            ASSERT_EQ(out[at], v.want) << f.name << "(" << v.x << ") " << variant;
            ASSERT_EQ(std::signbit(out[at]), std::signbit(v.want)) << f.name << "(" << v.x << ") " << variant;
          }
          x[at] = T(0.5);
        }
      }
    }
  });
}

// Just above 1 is within two ulp of it. Near where 1 - tanh falls below half an ulp, it is not to go there.
TYPED_TEST(MathTest, TanhDoesNotExceedOne) {
  using T = TypeParam;
  const T end = sizeof(T) == 4 ? T(8.66434) : T(18.7149738751185);  // (digits + 1) ln(2) / 2
  std::vector<T> x, out(120'000);
  for (T v = end; x.size() < 20'000; v = std::nextafter(v, T(0))) x.push_back(v);
  for (T v = end; x.size() < 40'000; v = std::nextafter(v, T(100))) x.push_back(v);
  while (x.size() < out.size()) x.push_back(end - 1 + T(2.5) * static_cast<T>(x.size()) / static_cast<T>(out.size()));
  for (Isa isa : runnable_isas()) {
    math_ops<T>(isa).tanh(x.data(), out.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_LE(out[i], T(1)) << name(isa) << " at " << x[i];
  }
}

TYPED_TEST(MathTest, TailsAndMisalignmentTouchNothingElse) {
  using T = TypeParam;
  for_each_variant([&](Isa isa, const std::string& variant) {
    for (const auto& f : math_functions<T>())
      for (std::size_t n = 0; n < 70; ++n)
        for (const std::size_t offset : {0U, 1U, 3U}) {
          GuardedArray<T> x(n, offset), out(n, offset + 1);
          x.fill(n + 1);
          for (std::size_t i = 0; i < n; ++i) x[i] = std::fabs(x[i]);
          (math_ops<T>(isa).*f.entry)(x.data(), out.data(), n);
          for (std::size_t i = 0; i < n; ++i) {
            ASSERT_LE(ulp_error(out[i], f.exact(x[i])), f.ulp) << f.name << " " << variant << " n=" << n;
            T alone = 0;  // an element's result does not depend on its place
            (math_ops<T>(isa).*f.entry)(&x[i], &alone, 1);
            ASSERT_EQ(alone, out[i]) << f.name << " " << variant << " n=" << n << " at " << i;
          }
          ASSERT_TRUE(out.untouched()) << f.name << " " << variant << " n=" << n;
          (math_ops<T>(isa).*f.entry)(x.data(), x.data(), n);  // in place
          for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(x[i], out[i]) << f.name;
        }
  });
}

// Vectors of arguments of ordinary size take a way of their own: an element that is not must not change its
// neighbours'.
TYPED_TEST(MathTest, AnElementDoesNotDependOnItsNeighbours) {
  using T = TypeParam;
  std::mt19937_64 random(11);
  const T odd[] = {kInf<T>, -kInf<T>, kNaN<T>, -kNaN<T>, T(100), T(-100), T(-30), T(12), T(-12), T(1e-30), T(-0.0)};
  for (Isa isa : runnable_isas())
    for (const auto& f : math_functions<T>())
      for (int turn = 0; turn < 80; ++turn) {
        const DataPath path(turn < 40);  // gelu and sigmoid of f32 have a way of their own for each
        // A few such elements; or one in five, and more of them than gelu sets aside at once.
        const double reach = turn % 2 == 0 ? 4 : 9;
        std::vector<T> x(turn % 2 == 0 ? 150 : 2500 + static_cast<std::size_t>(turn)), out(x.size());
        for (T& v : x) v = static_cast<T>((static_cast<double>(random() >> 11) * 0x1p-52 - 1) * reach);
        for (int k = 0; k < turn % 4; ++k) x[random() % x.size()] = odd[random() % std::size(odd)];
        (math_ops<T>(isa).*f.entry)(x.data(), out.data(), x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
          T alone = 0;
          (math_ops<T>(isa).*f.entry)(&x[i], &alone, 1);
          if (std::isnan(alone))
            ASSERT_TRUE(std::isnan(out[i])) << f.name << " " << name(isa) << " x=" << x[i];
          else
            ASSERT_EQ(alone, out[i]) << f.name << " " << name(isa) << " x=" << x[i];
        }
        (math_ops<T>(isa).*f.entry)(x.data(), x.data(), x.size());  // in place
        for (std::size_t i = 0; i < x.size(); ++i)
          ASSERT_TRUE(x[i] == out[i] || (std::isnan(x[i]) && std::isnan(out[i]))) << f.name << " " << name(isa);
      }
}

TYPED_TEST(MathTest, PublicFunctionsReachTheirEntries) {
  using T = TypeParam;
  const T x[] = {T(0.25), T(1.5)};
  T out[2] = {};
  using In = std::span<const T>;
  using Out = std::span<T>;
  const std::vector<void (*)(In, Out)> calls = {[](In a, Out b) { exp(a, b); },  [](In a, Out b) { log(a, b); },
                                                [](In a, Out b) { tanh(a, b); }, [](In a, Out b) { sigmoid(a, b); },
                                                [](In a, Out b) { gelu(a, b); }, [](In a, Out b) { gelu_tanh(a, b); }};
  const auto functions = math_functions<T>();
  ASSERT_EQ(calls.size(), functions.size());
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (std::size_t k = 0; k < calls.size(); ++k) {
      T entry[2] = {};
      (math_ops<T>(isa).*functions[k].entry)(x, entry, 2);
      calls[k](In(x), Out(out));
      EXPECT_EQ(out[0], entry[0]) << functions[k].name;
      EXPECT_EQ(out[1], entry[1]) << functions[k].name;
      EXPECT_THROW(calls[k](In(x), Out(out).first(1)), std::invalid_argument) << functions[k].name;
    }
  }
}

}  // namespace
}  // namespace pawl
