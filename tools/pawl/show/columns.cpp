// columns.cpp -- pads cells to the widest of their column.
#include "show/columns.hpp"

#include <algorithm>

#include "show/text.hpp"

namespace pawl::show {

std::string format_columns(const std::vector<std::vector<std::string>>& rows, const std::vector<Align>& aligns,
                           std::size_t indent) {
  std::vector<std::size_t> widths(aligns.size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (widths[i] == 0) continue;
      const std::string blanks(widths[i] - display_width(row[i]), ' ');
      line += aligns[i] == Align::left ? row[i] + blanks : blanks + row[i];
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace pawl::show
