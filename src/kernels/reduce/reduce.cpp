// reduce.cpp -- argument checks, dispatch and the last few operations of the span functions of include/pawl/reduce.hpp.
#include "pawl/reduce.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "kernels/reduce/active.hpp"

namespace pawl {
namespace {

using detail::reduce_ops;
using detail::simd_ops;

[[noreturn, gnu::cold]] void refuse(const char* function, const std::string& what) {
  throw std::invalid_argument(std::string(function) + ": " + what);
}

void check_not_empty(const char* function, std::size_t n) {
  if (n == 0) refuse(function, "no element");
}

template <class T>
T mean_of(std::span<const T> x) {
  check_not_empty("mean", x.size());
  return simd_ops<T>().sum(x.data(), x.size()) / static_cast<T>(x.size());
}

template <class T>
double variance_of(const char* function, std::span<const T> x, std::size_t ddof) {
  if (x.size() <= ddof)
    refuse(function, std::to_string(x.size()) + " elements, more than ddof = " + std::to_string(ddof) + " are needed");
  double mean = 0, squares = 0;
  reduce_ops<T>().moments(x.data(), x.size(), &mean, &squares);
  return squares / static_cast<double>(x.size() - ddof);
}

// Sums of n squares from here on have lost nothing to denormal numbers that shows: each term at most half of
// denorm_min = min eps.
template <class T>
bool safe(double squares, std::size_t n) {
  return squares >= static_cast<double>(n) * static_cast<double>(std::numeric_limits<T>::min()) &&
         squares <= static_cast<double>(std::numeric_limits<T>::max());
}

// The power of two that takes the largest magnitude near 1, and what it was: 0, infinite or NaN is for the caller.
template <class T>
struct Scale {
  T factor, largest;
};
template <class T>
Scale<T> scale_of(std::span<const T> x) {
  const T low = simd_ops<T>().min(x.data(), x.size()), high = simd_ops<T>().max(x.data(), x.size());
  const T largest = std::max(-low, high);
  if (!(largest > 0) || std::isinf(largest)) return {T(1), std::isnan(low) ? low : largest};
  constexpr int kLimit = std::numeric_limits<T>::max_exponent - 2;
  return {std::ldexp(T(1), std::clamp(-std::ilogb(largest), -kLimit, kLimit)), largest};
}

template <class T>
T norm_of(std::span<const T> x) {
  if (x.empty()) return T(0);
  const T squares = simd_ops<T>().dot(x.data(), x.data(), x.size());
  if (safe<T>(static_cast<double>(squares), x.size())) return std::sqrt(squares);
  const auto scale = scale_of(x);
  if (!(scale.largest > 0) || std::isinf(scale.largest)) return scale.largest;
  return std::sqrt(reduce_ops<T>().scaled_squares(x.data(), scale.factor, x.size())) / scale.factor;
}

template <class T>
T cosine_of(std::span<const T> x, std::span<const T> y) {
  if (x.size() != y.size())
    refuse("cosine_similarity",
           "lengths differ (" + std::to_string(x.size()) + " and " + std::to_string(y.size()) + ")");
  if (x.empty()) return std::numeric_limits<T>::quiet_NaN();
  double sums[3];
  reduce_ops<T>().cosine_sums(x.data(), y.data(), T(1), T(1), x.size(), sums);
  if (!safe<T>(sums[1], x.size()) || !safe<T>(sums[2], x.size())) {
    const auto scale_x = scale_of(x), scale_y = scale_of(y);
    const auto usable = [](const Scale<T>& s) { return s.largest > 0 && !std::isinf(s.largest); };
    if (!usable(scale_x) || !usable(scale_y)) return std::numeric_limits<T>::quiet_NaN();
    // A factor of 1 for both would be taken for "unscaled", and is.
    reduce_ops<T>().cosine_sums(x.data(), y.data(), scale_x.factor, scale_y.factor, x.size(), sums);
  }
  return static_cast<T>(std::clamp(sums[0] / (std::sqrt(sums[1]) * std::sqrt(sums[2])), -1.0, 1.0));
}

template <class T>
std::size_t place_of(const char* function, std::size_t (*ReduceOps<T>::*entry)(const T*, std::size_t) noexcept,
                     std::span<const T> x) {
  check_not_empty(function, x.size());
  return (reduce_ops<T>().*entry)(x.data(), x.size());
}

using F = std::span<const float>;
using D = std::span<const double>;

}  // namespace

float mean(F x) { return mean_of<float>(x); }
double mean(D x) { return mean_of<double>(x); }
float variance(F x, std::size_t ddof) { return static_cast<float>(variance_of<float>("variance", x, ddof)); }
double variance(D x, std::size_t ddof) { return variance_of<double>("variance", x, ddof); }
float stddev(F x, std::size_t ddof) { return static_cast<float>(std::sqrt(variance_of<float>("stddev", x, ddof))); }
double stddev(D x, std::size_t ddof) { return std::sqrt(variance_of<double>("stddev", x, ddof)); }
std::size_t argmin(F x) { return place_of<float>("argmin", &ReduceOps<float>::argmin, x); }
std::size_t argmin(D x) { return place_of<double>("argmin", &ReduceOps<double>::argmin, x); }
std::size_t argmax(F x) { return place_of<float>("argmax", &ReduceOps<float>::argmax, x); }
std::size_t argmax(D x) { return place_of<double>("argmax", &ReduceOps<double>::argmax, x); }
float norm(F x) { return norm_of<float>(x); }
double norm(D x) { return norm_of<double>(x); }
float cosine_similarity(F x, F y) { return cosine_of<float>(x, y); }
double cosine_similarity(D x, D y) { return cosine_of<double>(x, y); }

}  // namespace pawl
