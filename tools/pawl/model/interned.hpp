// interned.hpp -- a string that occurs many times -> one pointer to the only copy of its text.
//
// A result file names the same ten metrics in each of a million rows; one copy of each instead of a million is most of
// what keeps a large ResultSet small. Copies live until the process ends, so a stored Interned never dangles.
#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace pawl::model {

/// Reads like a `const std::string`, is assigned like one, costs 8 bytes. Comparing two is comparing pointers; making
/// one from text is a look-up under a lock, so loops keep an Interned instead of making it anew.
class Interned {
 public:
  Interned() noexcept : text_(&empty_text()) {}
  Interned(std::string_view text);  // NOLINT(google-explicit-constructor): stands wherever a string stood
  Interned(const std::string& text) : Interned(std::string_view(text)) {}
  Interned(const char* text) : Interned(std::string_view(text)) {}

  const std::string& str() const noexcept { return *text_; }
  const char* c_str() const noexcept { return text_->c_str(); }
  std::size_t size() const noexcept { return text_->size(); }
  bool empty() const noexcept { return text_->empty(); }
  operator const std::string&() const noexcept { return *text_; }
  operator std::string_view() const noexcept { return *text_; }

  friend bool operator==(Interned a, Interned b) noexcept { return a.text_ == b.text_; }
  friend bool operator==(Interned a, std::string_view b) noexcept { return *a.text_ == b; }
  friend bool operator==(Interned a, const std::string& b) noexcept { return *a.text_ == b; }
  friend bool operator==(Interned a, const char* b) noexcept { return *a.text_ == b; }
  friend bool operator<(Interned a, Interned b) noexcept { return *a.text_ < *b.text_; }  ///< by text: order is stable
  friend std::string operator+(Interned a, std::string_view b) { return std::string(a.str()).append(b); }
  friend std::string operator+(std::string_view a, Interned b) { return std::string(a).append(b.str()); }
  friend std::ostream& operator<<(std::ostream& out, Interned text) { return out << text.str(); }

 private:
  friend struct std::hash<Interned>;
  static const std::string& empty_text() noexcept;
  const std::string* text_;
};

}  // namespace pawl::model

template <>
struct std::hash<pawl::model::Interned> {
  std::size_t operator()(pawl::model::Interned text) const noexcept { return std::hash<const void*>{}(text.text_); }
};

template <>
struct fmt::formatter<pawl::model::Interned> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(pawl::model::Interned text, Context& context) const {
    return fmt::formatter<std::string_view>::format(std::string_view(text), context);
  }
};
