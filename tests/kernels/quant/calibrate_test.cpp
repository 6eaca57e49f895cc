// calibrate_test.cpp -- each method by its definition, and that clipping pays where there are outliers.
#include "pawl/quant/calibrate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "reference/quant_ref.hpp"

namespace pawl {
namespace {

constexpr QuantScheme kSymmetric = QuantScheme::symmetric, kAffine = QuantScheme::affine;

// Laplace-distributed values, whose tails are heavy, and one far outlier.
std::vector<float> heavy_tails(std::size_t n, float outlier) {
  std::mt19937_64 random(7);
  std::vector<float> x(n);
  for (float& value : x) {
    const double u = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
    value = static_cast<float>((u < 0 ? 1 : -1) * std::log(1 - 2 * std::fabs(u) + 1e-12));
  }
  x[n / 2] = outlier;
  return x;
}

double squared_error(const std::vector<float>& x, FiniteRange range, QuantScheme scheme) {
  const QuantParams p = choose_params_s8(range.low, range.high, scheme);
  double error = 0;
  for (const float value : x) {
    const auto q = reference::quantize<std::int8_t>(value, p.scale, p.zero_point);
    const double off =
        static_cast<double>(reference::dequantize<std::int8_t>(q, p.scale, p.zero_point)) - double(value);
    error += off * off;
  }
  return error;
}

TEST(Calibrate, MinMaxIsTheRange) {
  const std::vector<float> x = {0.5f, -3, 2, std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::quiet_NaN()};
  const FiniteRange affine = calibrate(x, Calibration::min_max, kAffine),
                    both = calibrate(x, Calibration::min_max, kSymmetric);
  EXPECT_EQ(affine.low, -3);
  EXPECT_EQ(affine.high, 2);
  EXPECT_EQ(both.low, -3);
  EXPECT_EQ(both.high, 3);
}

TEST(Calibrate, PercentilesAreElementsByRank) {
  std::vector<float> x;
  for (int i = 1; i <= 1000; ++i) x.push_back(i % 2 ? float(i) : -float(i));
  std::shuffle(x.begin(), x.end(), std::mt19937(1));
  EXPECT_EQ(calibrate(x, Calibration::percentile, kSymmetric, 0.99).high, 990);
  EXPECT_EQ(calibrate(x, Calibration::percentile, kSymmetric, 0.9901).high, 991);
  EXPECT_EQ(calibrate(x, Calibration::percentile, kSymmetric, 1).high, 1000);
  std::vector<float> sorted = x;
  std::ranges::sort(sorted);
  const FiniteRange range = calibrate(x, Calibration::percentile, kAffine, 0.98);
  EXPECT_EQ(range.low, sorted[9]);  // rank ceil(0.01 * 1000) = 10
  EXPECT_EQ(range.high, sorted[989]);
}

// Few values and many, which are found in different ways, with some that are not finite among them.
TEST(Calibrate, PercentilesOfManyValuesAreElementsByRank) {
  for (const std::size_t n : {10U, 500U, 4095U, 4096U, 30000U})
    for (const bool one_sided : {false, true}) {
      std::vector<float> x = heavy_tails(n, 20);
      for (float& value : x) value = one_sided ? std::fabs(value) : std::round(value * 8) / 8;
      std::vector<float> sorted = x, magnitudes = x;
      std::ranges::sort(sorted);
      for (float& value : magnitudes) value = std::fabs(value);
      std::ranges::sort(magnitudes);
      x.insert(x.begin() + 3, {std::nanf(""), std::numeric_limits<float>::infinity(), -std::nanf("")});
      x.push_back(-std::numeric_limits<float>::infinity());
      for (const double share : {0.25, 0.9, 0.999, 1.0}) {
        const auto at = [&](double q) {
          return std::size_t(std::clamp(std::ceil(q * double(n) - 1e-6), 1.0, double(n))) - 1;
        };
        EXPECT_EQ(calibrate(x, Calibration::percentile, kSymmetric, share).high, magnitudes[at(share)]) << n;
        const FiniteRange range = calibrate(x, Calibration::percentile, kAffine, share);
        EXPECT_EQ(range.low, sorted[at((1 - share) / 2)]) << n << " " << share;
        EXPECT_EQ(range.high, sorted[at((1 + share) / 2)]) << n << " " << share;
      }
    }
}

// The divergence of a histogram's first bins by its definition: bin by bin.
double divergence(const std::vector<double>& counts, std::size_t bins) {
  std::vector<double> p(counts.begin(), counts.begin() + std::ptrdiff_t(bins));
  double total = 0, represented = 0, result = 0;
  for (std::size_t b = 0; b < counts.size(); ++b) {
    total += counts[b];
    if (b < bins) represented += counts[b];
    if (b >= bins) p[bins - 1] += counts[b];
  }
  for (std::size_t level = 0; level < 128; ++level) {
    const std::size_t begin = level * bins / 128, end = (level + 1) * bins / 128;
    double sum = 0, filled = 0;
    for (std::size_t b = begin; b < end; ++b) sum += counts[b], filled += counts[b] > 0;
    for (std::size_t b = begin; b < end; ++b) {
      if (p[b] == 0) continue;
      if (counts[b] == 0) return HUGE_VAL;
      result += p[b] / total * std::log(p[b] / total / (sum / filled / represented));
    }
  }
  return result;
}

TEST(Calibrate, EntropyHasTheLeastDivergence) {
  for (const std::size_t n : {20U, 1000U, 60000U}) {
    const std::vector<float> x = heavy_tails(n, 25);
    float most = 0;
    for (const float value : x) most = std::max(most, std::fabs(value));
    std::vector<double> counts(2048);
    for (const float value : x)
      counts[std::min<std::size_t>(2047, std::size_t(std::fabs(double(value)) * (2048 / double(most))))] += 1;
    double least = HUGE_VAL;
    for (std::size_t bins = 128; bins <= 2048; ++bins) least = std::min(least, divergence(counts, bins));
    const FiniteRange range = calibrate(x, Calibration::entropy, kSymmetric);
    const auto bins = std::size_t(std::round(double(range.high) / double(most) * 2048));
    EXPECT_NEAR(divergence(counts, bins), least, 1e-9) << n << " " << bins;
  }
}

TEST(Calibrate, MseHasLessErrorThanEveryOtherScale) {
  const std::vector<float> x = heavy_tails(200000, 20);
  for (const QuantScheme scheme : {kSymmetric, kAffine}) {
    const FiniteRange all = calibrate(x, Calibration::min_max, scheme), best = calibrate(x, Calibration::mse, scheme);
    const double error = squared_error(x, best, scheme);
    EXPECT_LT(error, 0.9 * squared_error(x, all, scheme));
    for (int percent = 5; percent <= 100; percent += 5) {
      const float factor = float(percent) / 100;
      EXPECT_LE(error, 1.05 * squared_error(x, {all.low * factor, all.high * factor}, scheme)) << percent;
    }
  }
}

TEST(Calibrate, MseKeepsAllOfAUniformDistribution) {
  std::vector<float> x;
  for (int i = -1000; i <= 1000; ++i) x.push_back(float(i) * 1e-3f);
  const FiniteRange range = calibrate(x, Calibration::mse, kSymmetric);
  EXPECT_GE(range.high, 0.98f);
}

TEST(Calibrate, EntropyCutsTheOutlierAndKeepsTheRest) {
  const std::vector<float> x = heavy_tails(50000, 60);
  const FiniteRange range = calibrate(x, Calibration::entropy, kSymmetric);
  EXPECT_LT(range.high, 30);
  EXPECT_GT(range.high, 3);  // exp(-3) of Laplace-distributed values are larger
  EXPECT_EQ(range.low, -range.high);
  std::vector<float> positive = x;
  for (float& value : positive) value = std::fabs(value);
  const FiniteRange affine = calibrate(positive, Calibration::entropy, kAffine);
  EXPECT_GE(affine.low, 0);
  EXPECT_LT(affine.high, 30);
}

TEST(Calibrate, NothingAndOneValue) {
  const std::vector<float> none, nan = {std::numeric_limits<float>::quiet_NaN()}, zeros(5), twos(5, 2);
  for (const auto method : {Calibration::min_max, Calibration::percentile, Calibration::mse, Calibration::entropy}) {
    for (const auto& x : {none, nan, zeros}) {
      const FiniteRange range = calibrate(x, method, kAffine);
      EXPECT_EQ(range.low, 0);
      EXPECT_EQ(range.high, 0);
    }
    const FiniteRange range = calibrate(twos, method, kSymmetric);
    EXPECT_GT(range.high, 1.9f);
    EXPECT_LE(range.high, 2);
  }
  for (const double share : {0.0, -1.0, 1.5, std::nan("")})
    EXPECT_THROW(calibrate(twos, Calibration::percentile, kAffine, share), std::invalid_argument);
}

}  // namespace
}  // namespace pawl
