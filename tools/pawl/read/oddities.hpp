// oddities.hpp -- everything odd in one file -> a list that stays short: alike ones are counted, the first ones shown.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/results.hpp"

namespace pawl::read {

/// 1-based; columns count code points.
struct Position {
  std::size_t line = 1, column = 1;
};

/// Where `offset` is in `text`. Cost: linear in `offset`.
Position position(std::string_view text, std::size_t offset);

class Oddities {
 public:
  using Severity = model::Oddity::Severity;

  /// Notes `what` about `row` (a benchmark's name; may be empty), found at `offset` of the text.
  void add(Severity severity, std::size_t offset, std::string_view row, std::string_view what);

  /// The list in the order of the text; `text` is what the offsets refer to.
  std::vector<model::Oddity> take(std::string_view text, const std::string& file);

  /// Rows shown of one kind before they are only counted; and kinds. A file of a million odd rows says so in one line.
  static constexpr std::size_t kShownRows = 20;
  static constexpr std::size_t kKinds = 500;

 private:
  struct Entry {
    Severity severity;
    std::size_t offset;
    std::string row, what;
    std::size_t times = 1;  ///< in this row: once per repetition, say
  };
  struct Kind {
    std::size_t shown = 0;
    std::size_t last_entry = 0;
    std::string last_row;       ///< that was only counted
    std::size_t more_rows = 0;  ///< beyond the shown ones
    std::size_t more_offset = 0;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
  };

  std::vector<Entry> entries_;
  std::unordered_map<std::string, Kind, Hash, std::equal_to<>> kinds_;
  std::size_t beyond_kinds_ = 0;
};

}  // namespace pawl::read
