// factors.cpp -- see factors.hpp.
#include "kernels/fft/factors.hpp"

#include <algorithm>

namespace pawl::fft {
namespace {

constexpr std::size_t kOddRadices[] = {3, 5, 7, 11, 13};

}  // namespace

bool is_smooth(std::size_t n) noexcept {
  while (n % 2 == 0) n /= 2;
  for (std::size_t r : kOddRadices)
    while (n % r == 0) n /= r;
  return n == 1;
}

std::vector<std::size_t> radices(std::size_t n) {
  std::vector<std::size_t> result;
  unsigned twos = 0;
  for (; n % 2 == 0; n /= 2) ++twos;
  // Sixteens for what eights leave over.
  while (twos % 3 == 1 && twos >= 4) {
    result.push_back(16);
    twos -= 4;
  }
  if (twos % 3 == 2 && twos >= 8) {
    result.insert(result.end(), {16, 16});
    twos -= 8;
  }
  for (; twos >= 3; twos -= 3) result.push_back(8);
  if (twos > 0) result.push_back(std::size_t{1} << twos);
  for (std::size_t r : kOddRadices)
    for (; n % r == 0; n /= r) result.push_back(r);
  return result;
}

std::vector<std::size_t> divisors(std::size_t n) {
  std::vector<std::size_t> result;
  for (std::size_t d = 1; d * d <= n; ++d)
    if (n % d == 0) {
      result.push_back(d);
      if (d * d != n) result.push_back(n / d);
    }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace pawl::fft
