// ulp_error.hpp -- a result and what it should be -> the error in units in the last place.
#pragma once
#include <cmath>
#include <limits>

namespace pawl::testing {

/// |got - want| in ulp of T at `want` (the spacing of denormal numbers where want is one). Infinity counts as the power
/// of two that follows the largest number. A NaN on one side only is an infinite error, on both none.
template <class T, class Wide>
double ulp_error(T got, Wide want) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) && std::isnan(got) ? 0.0 : std::numeric_limits<double>::infinity();
  const Wide beyond = std::ldexp(Wide(1), Limits::max_exponent);
  const auto finite = [&](Wide x) { return std::fabs(x) >= beyond ? std::copysign(beyond, x) : x; };
  const Wide exact = finite(want), value = finite(Wide(got));
  int exponent = Limits::min_exponent;
  if (exact != 0) std::frexp(exact, &exponent);
  if (exponent > Limits::max_exponent) exponent = Limits::max_exponent;
  if (exponent < Limits::min_exponent) exponent = Limits::min_exponent;
  return static_cast<double>(std::fabs(value - exact) / std::ldexp(Wide(1), exponent - Limits::digits));
}

}  // namespace pawl::testing
