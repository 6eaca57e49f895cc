// reduce.cpp -- argument checks, dispatch and the last few operations of the span functions of include/pawl/reduce.hpp.
#include "pawl/reduce.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "kernels/reduce/active.hpp"

namespace pawl {
namespace {

using detail::long_array_isa;
using detail::Parts;
using detail::reduce_ops;
using detail::safe_squares;

[[noreturn, gnu::cold]] void refuse(const char* function, const std::string& what) {
  throw std::invalid_argument(std::string(function) + ": " + what);
}

void check_not_empty(const char* function, std::size_t n) {
  if (n == 0) refuse(function, "no element");
}

template <class T>
T mean_of(std::span<const T> x) {
  check_not_empty("mean", x.size());
  return detail::sum_span(x.data(), x.size()) / static_cast<T>(x.size());
}

// Sum of (x - mean)^2: parts are merged in their order (Chan, Golub and LeVeque, as in span.kernel.hpp).
template <class T>
double squared_distances(const T* x, std::size_t n) {
  if (n <= Parts::kShortest) [[likely]] {
    double mean, squares;
    reduce_ops<T>().moments(x, n, &mean, &squares);
    return squares;
  }
  const auto moments = reduce_ops<T>(long_array_isa(n * sizeof(T))).moments;
  struct Moments {
    double count, mean, squares;
  };
  const Parts parts(n);
  const auto all = detail::of_parts<Moments>(parts, [=](std::size_t begin, std::size_t end) {
    Moments m{static_cast<double>(end - begin), 0, 0};
    moments(x + begin, end - begin, &m.mean, &m.squares);
    return m;
  });
  Moments sum = all[0];
  for (std::size_t p = 1; p < parts.count(); ++p) {
    const double count = sum.count + all[p].count, apart = all[p].mean - sum.mean, share = all[p].count / count;
    sum = {count, sum.mean + apart * share, sum.squares + all[p].squares + apart * apart * sum.count * share};
  }
  return sum.squares;
}

template <class T>
double variance_of(const char* function, std::span<const T> x, std::size_t ddof) {
  if (x.size() <= ddof)
    refuse(function, std::to_string(x.size()) + " elements, more than ddof = " + std::to_string(ddof) + " are needed");
  return squared_distances(x.data(), x.size()) / static_cast<double>(x.size() - ddof);
}

// The power of two that takes the largest magnitude near 1, and what it was: 0, infinite or NaN is for the caller.
template <class T>
struct Scale {
  T factor, largest;
};
template <class T>
Scale<T> scale_of(std::span<const T> x) {
  const T low = detail::extreme_span(&SimdOps<T>::min, x.data(), x.size());
  const T high = detail::extreme_span(&SimdOps<T>::max, x.data(), x.size());
  const T largest = std::max(-low, high);
  if (!(largest > 0) || std::isinf(largest)) return {T(1), std::isnan(low) ? low : largest};
  constexpr int kLimit = std::numeric_limits<T>::max_exponent - 2;
  return {std::ldexp(T(1), std::clamp(-std::ilogb(largest), -kLimit, kLimit)), largest};
}

template <class T>
T squares_of(const T* x, std::size_t n) {
  if (n <= Parts::kShortest) [[likely]]
    return reduce_ops<T>().squares(x, n);
  const auto squares = reduce_ops<T>(long_array_isa(n * sizeof(T))).squares;
  const Parts parts(n);
  const auto sums =
      detail::of_parts<T>(parts, [=](std::size_t begin, std::size_t end) { return squares(x + begin, end - begin); });
  return detail::sum_of_parts(sums.data(), parts.count());
}

template <class T>
T norm_of(std::span<const T> x) {
  const T squares = squares_of(x.data(), x.size());
  if (safe_squares<T>(squares, x.size())) return std::sqrt(squares);
  if (x.empty()) return T(0);
  const auto scale = scale_of(x);
  if (!(scale.largest > 0) || std::isinf(scale.largest)) return scale.largest;
  return std::sqrt(reduce_ops<T>().scaled_squares(x.data(), scale.factor, x.size())) / scale.factor;
}

// Sums of x y, x x and y y, elements scaled.
template <class T>
void cosine_sums(const T* x, const T* y, T scale_x, T scale_y, std::size_t n, double* sums) {
  const auto entry = reduce_ops<T>().cosine_sums;
  if (n <= Parts::kShortest) [[likely]]
    return entry(x, y, scale_x, scale_y, n, sums);
  const Parts parts(n);
  std::array<double, Parts::kMost> all[3];
  parts.each([&](std::size_t part, std::size_t begin, std::size_t end) {
    double s[3];
    entry(x + begin, y + begin, scale_x, scale_y, end - begin, s);
    for (std::size_t k = 0; k < 3; ++k) all[k][part] = s[k];
  });
  for (std::size_t k = 0; k < 3; ++k) sums[k] = detail::sum_of_parts(all[k].data(), parts.count());
}

template <class T>
T cosine_of(std::span<const T> x, std::span<const T> y) {
  if (x.size() != y.size())
    refuse("cosine_similarity",
           "lengths differ (" + std::to_string(x.size()) + " and " + std::to_string(y.size()) + ")");
  if (x.empty()) return std::numeric_limits<T>::quiet_NaN();
  double sums[3];
  cosine_sums(x.data(), y.data(), T(1), T(1), x.size(), sums);
  // The root of the product is ready before the product of two roots would be.
  if (detail::safe_product(static_cast<T>(sums[1]), static_cast<T>(sums[2]))) [[likely]]
    return static_cast<T>(std::clamp(sums[0] / std::sqrt(sums[1] * sums[2]), -1.0, 1.0));
  if (!safe_squares<T>(sums[1], x.size()) || !safe_squares<T>(sums[2], x.size())) {
    const auto scale_x = scale_of(x), scale_y = scale_of(y);
    const auto usable = [](const Scale<T>& s) { return s.largest > 0 && !std::isinf(s.largest); };
    if (!usable(scale_x) || !usable(scale_y)) return std::numeric_limits<T>::quiet_NaN();
    // A factor of 1 for both would be taken for "unscaled", and is.
    cosine_sums(x.data(), y.data(), scale_x.factor, scale_y.factor, x.size(), sums);
  }
  return static_cast<T>(std::clamp(sums[0] / (std::sqrt(sums[1]) * std::sqrt(sums[2])), -1.0, 1.0));
}

template <class T>
std::size_t place_of(const char* function, std::size_t (*ReduceOps<T>::*entry)(const T*, std::size_t) noexcept,
                     std::span<const T> x) {
  check_not_empty(function, x.size());
  if (x.size() <= Parts::kShortest) [[likely]]
    return (reduce_ops<T>().*entry)(x.data(), x.size());
  const auto run = reduce_ops<T>(long_array_isa(x.size_bytes())).*entry;
  const Parts parts(x.size());
  const auto places = detail::of_parts<std::size_t>(
      parts, [=](std::size_t begin, std::size_t end) { return begin + run(x.data() + begin, end - begin); });
  // The extremes among themselves: the first of them, as it is the first of all.
  std::array<T, Parts::kMost> extremes;
  for (std::size_t p = 0; p < parts.count(); ++p) extremes[p] = x[places[p]];
  return places[run(extremes.data(), parts.count())];
}

using F = std::span<const float>;
using D = std::span<const double>;

}  // namespace

namespace detail {

float mean(F x) { return mean_of<float>(x); }
double mean(D x) { return mean_of<double>(x); }
float variance(F x, std::size_t ddof) { return static_cast<float>(variance_of<float>("variance", x, ddof)); }
double variance(D x, std::size_t ddof) { return variance_of<double>("variance", x, ddof); }
float norm(F x) { return norm_of<float>(x); }
double norm(D x) { return norm_of<double>(x); }
float cosine_similarity(F x, F y) { return cosine_of<float>(x, y); }
double cosine_similarity(D x, D y) { return cosine_of<double>(x, y); }

float stddev(F x, std::size_t ddof) { return static_cast<float>(std::sqrt(variance_of<float>("stddev", x, ddof))); }
double stddev(D x, std::size_t ddof) { return std::sqrt(variance_of<double>("stddev", x, ddof)); }

std::size_t argmin(F x) { return place_of<float>("argmin", &ReduceOps<float>::argmin, x); }
std::size_t argmin(D x) { return place_of<double>("argmin", &ReduceOps<double>::argmin, x); }
std::size_t argmax(F x) { return place_of<float>("argmax", &ReduceOps<float>::argmax, x); }
std::size_t argmax(D x) { return place_of<double>("argmax", &ReduceOps<double>::argmax, x); }

}  // namespace detail

}  // namespace pawl
