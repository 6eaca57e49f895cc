// columns.hpp -- rows of cells -> text in aligned columns.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace pawl::show {

enum class Align { left, right };

/// Every row has as many cells as there are alignments. Two blanks stand between columns; no line ends with one. Cells
/// are terminal_text already; widths are display columns.
std::string format_columns(const std::vector<std::vector<std::string>>& rows, const std::vector<Align>& aligns,
                           std::size_t indent = 0);

}  // namespace pawl::show
