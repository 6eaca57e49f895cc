// refuse.hpp -- how the checks of sparse matrices say what is wrong: one line with the place.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace pawl::sparse {

[[noreturn, gnu::cold]] inline void refuse(const std::string& what) { throw std::invalid_argument(what); }

/// Whether a count or size can be written with I.
template <class I>
constexpr bool fits(std::size_t n) noexcept {
  return n <= static_cast<std::size_t>(std::numeric_limits<I>::max());
}

template <class I>
void check_size(const char* what, std::size_t n) {
  if (!fits<I>(n))
    refuse(std::string("sparse matrix: ") + what + " is " + std::to_string(n) + ", more than " +
           std::to_string(8 * sizeof(I)) + "-bit indices can hold");
}

inline void check_length(const char* function, const char* what, std::size_t got, std::size_t expected) {
  if (got != expected)
    refuse(std::string(function) + ": " + what + " has " + std::to_string(got) + " elements, not " +
           std::to_string(expected));
}

/// Declares the four pairs of value and index type.
#define PAWL_FOR_EACH_SPARSE_TYPE(F) \
  F(float, std::int32_t) F(float, std::int64_t) F(double, std::int32_t) F(double, std::int64_t)

}  // namespace pawl::sparse
