// pattern.hpp -- a regular expression -> how long its match in a name is, fast and without catastrophes.
//
// std::regex, fenced in: it backtracks, so that (a+)+b takes exponential time, it recurses for each character, so that
// a name of 100,000 characters overflows the stack, and one search costs microseconds. So expressions that repeat a
// repetition are refused, names are searched to a set length, and a search is made only if the text that every match
// must hold is there at all.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::decide {

class Pattern {
 public:
  /// ECMAScript. Throws std::invalid_argument with a one-line reason.
  explicit Pattern(const std::string& expression);

  /// Length of the leftmost match in `name`, searched to its 1000th character; empty if there is none.
  /// The empty expression matches everything with length 0.
  std::optional<std::size_t> match_length(std::string_view name) const;

  /// `name` with `text` in place of each match. A name longer than 1000 characters comes back as it is.
  std::string replaced(const std::string& name, const std::string& text) const;

 private:
  bool plain_ = false;  ///< no metacharacter: the expression is the text
  std::string text_;
  std::vector<std::string> required_;  ///< every match holds at least one of these; empty: not known
  struct Compiled;                     ///< keeps <regex>, 3 s of compiling, out of every file that uses patterns
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace pawl::decide
