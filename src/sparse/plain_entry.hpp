// plain_entry.hpp -- a line of a Matrix Market file as most are, two indices and a decimal number, to an entry.
//
// What is written otherwise, right or wrong, is left to the reader that looks at each word and says what is wrong.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "decimal.hpp"

namespace pawl::sparse {

/// The text of `text` in which plain_entry may read: the last line that ends here, and whatever is read beyond a word
/// of it, are within the text.
inline std::string_view plain_part(std::string_view text) noexcept {
  constexpr std::size_t kBeyond = sizeof(std::uint64_t);
  if (text.size() < kBeyond) return {};
  const std::size_t last = text.rfind('\n', text.size() - kBeyond);
  return last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
}

/// Indices from 1, as written.
template <class T>
struct PlainEntry {
  std::uint64_t row, column;
  T value;
};

namespace detail {

inline const char* after_blanks(const char* p) noexcept {
  while (*p == ' ' || *p == '\t') ++p;
  return p;
}

constexpr std::size_t kMostDigits = 19;  // any so many make less than 2^64

inline const char* index_from(const char* p, std::uint64_t& index) noexcept {
  p = after_blanks(p);
  const Digits digits = digits_from(p);
  if (digits.count == 0 || digits.count > kMostDigits) return nullptr;
  index = digits.value;
  p += digits.count;
  return *p == ' ' || *p == '\t' || *p == '\r' || *p == '\n' ? p : nullptr;
}

template <class T>
const char* number_from(const char* p, T& value) noexcept {
  p = after_blanks(p);
  // No branch on a sign, which comes by chance.
  const char sign = *p;
  p += ((sign - '+') & ~2) == 0 ? 1 : 0;
  Digits digits = digits_from(p);
  p += digits.count;
  int exponent = 0;
  if (*p == '.') {
    ++p;
    const std::size_t whole = digits.count;
    digits = digits_from(p, digits);
    p += digits.count - whole;
    if (digits.count > kMostDigits) return nullptr;
    exponent = -static_cast<int>(digits.count - whole);
  }
  if (digits.count == 0 || digits.count > kMostDigits) return nullptr;
  if (*p == 'e' || *p == 'E') {
    ++p;
    const bool down = *p == '-';
    if (down || *p == '+') ++p;
    const Digits written = digits_from(p);
    if (written.count == 0 || written.count > 3) return nullptr;
    p += written.count;
    exponent += down ? -static_cast<int>(written.value) : static_cast<int>(written.value);
  }
  if (!decimal_to(digits.value, exponent, value)) return nullptr;
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr int kSign = 8 * sizeof(T) - 1;
  value = std::bit_cast<T>(std::bit_cast<Bits>(value) | static_cast<Bits>(Bits{sign == '-'} << kSign));
  return p;
}

}  // namespace detail

/// The line at the beginning of a plain part: where the next one begins, or null if the line is not plain. Without
/// `has_value` the value is 1.
template <class T>
const char* plain_entry(const char* line, bool has_value, PlainEntry<T>& entry) noexcept {
  const char* p = detail::index_from(line, entry.row);
  if (p == nullptr) return nullptr;
  p = detail::index_from(p, entry.column);
  if (p == nullptr) return nullptr;
  entry.value = 1;
  if (has_value) {
    p = detail::number_from(p, entry.value);
    if (p == nullptr) return nullptr;
  }
  while (*p == ' ' || *p == '\t' || *p == '\r') ++p;
  return *p == '\n' ? p + 1 : nullptr;
}

}  // namespace pawl::sparse
