// distributions.cpp -- see distributions.hpp for definitions and sources.
#include "decide/distributions.hpp"

#include <cmath>
#include <limits>

namespace pawl::decide {
namespace {

// Continued fraction of the incomplete beta function, DLMF 8.17.22, by modified Lentz.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300, kEpsilon = 1e-15;
  constexpr int kTerms = 100'000;  // about sqrt(max(a, b)) are needed; df = 1e6 takes some thousand
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::fabs(d) < kTiny ? kTiny : d);
  double result = d;
  for (int m = 1; m < kTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 + even * d;
    c = 1 + even / c;
    d = 1 / (std::fabs(d) < kTiny ? kTiny : d);
    c = std::fabs(c) < kTiny ? kTiny : c;
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 + odd * d;
    c = 1 + odd / c;
    d = 1 / (std::fabs(d) < kTiny ? kTiny : d);
    c = std::fabs(c) < kTiny ? kTiny : c;
    const double step = d * c;
    result *= step;
    if (std::fabs(step - 1) < kEpsilon) break;
  }
  return result;
}

// Regularised incomplete beta I_x(a, b), with y = 1 - x given apart so that no digits are lost near 1.
double incomplete_beta(double a, double b, double x, double y) {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(y));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, y) / b;
}

}  // namespace

double t_two_sided(double t, double df) {
  t = std::fabs(t);
  if (std::isnan(t)) return std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(t)) return 0;
  if (df > 1e6) return std::erfc(t / std::sqrt(2.0));  // the difference is below 1e-6 of the value there
  const double x = df / (df + t * t);
  return incomplete_beta(df / 2, 0.5, x, t * t / (df + t * t));
}

double t_quantile_two_sided(double p, double df) {
  double low = 0, high = 1;
  while (t_two_sided(high, df) > p && high < 1e300) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double middle = (low + high) / 2;
    (t_two_sided(middle, df) > p ? low : high) = middle;
  }
  return (low + high) / 2;
}

double f_upper(double f, double df_above, double df_below) {
  if (!(f > 0)) return 1;
  if (std::isinf(f)) return 0;
  const double sum = df_below + df_above * f;
  return incomplete_beta(df_below / 2, df_above / 2, df_below / sum, df_above * f / sum);
}

double digamma(double x) {
  double result = 0;
  while (x < 10) {
    result -= 1 / x;
    x += 1;
  }
  const double r = 1 / (x * x);
  return result + std::log(x) - 0.5 / x -
         r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r / 132))));
}

double trigamma(double x) {
  double result = 0;
  while (x < 10) {
    result += 1 / (x * x);
    x += 1;
  }
  const double r = 1 / (x * x);
  return result + 1 / x + r / 2 + r / x * (1.0 / 6 - r * (1.0 / 30 - r * (1.0 / 42 - r * (1.0 / 30 - r * 5.0 / 66))));
}

double trigamma_inverse(double y) {
  if (y > 1e7) return 1 / std::sqrt(y);
  if (y < 1e-6) return 1 / y;
  double x = 0.5 + 1 / y;
  for (int i = 0; i < 50; ++i) {
    constexpr double kStep = 1e-5;
    const double value = trigamma(x), slope = (trigamma(x * (1 + kStep)) - value) / (x * kStep);
    const double change = value * (1 - value / y) / slope;
    x += change;
    if (-change / x < 1e-10) break;
  }
  return x;
}

}  // namespace pawl::decide
