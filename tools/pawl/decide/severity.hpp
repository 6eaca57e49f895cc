// severity.hpp -- comparisons in any order -> in the order in which people should see them.
#pragma once
#include <vector>

#include "decide/verdict.hpp"

namespace pawl::decide {

/// The most severe verdict first, within one the largest change; else as they were.
///
/// Cost   O(n log n), and one move of each comparison: room for n numbers, where std::stable_sort would take half of
///        the comparisons again, and there can be millions.
void sort_by_severity(std::vector<Comparison>& comparisons);

}  // namespace pawl::decide
