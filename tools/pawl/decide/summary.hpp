// summary.hpp -- comparisons -> how many there are of each verdict.
#pragma once
#include <vector>

#include "decide/verdict.hpp"

namespace pawl::decide {

Summary summarize(const std::vector<Comparison>& comparisons);

}  // namespace pawl::decide
