// estimator.hpp -- a row on both sides -> the estimator that their repetitions can both be made into one value by.
#pragma once
#include <string_view>

#include "decide/sample.hpp"
#include "model/results.hpp"

namespace pawl::decide {

/// The default where both sides have as many repetitions, or five and more. Else the fastest of few would be slower
/// than that of many, and both become the fastest of as many as the side with fewer has, which are expected to be the
/// same. Where that has one it is compared with the first of the others: a mean of many scatters less and holds other
/// shares of disturbed and of cold repetitions.
///
/// A side of aggregates alone has only a median of each process run, or a mean where its file states no median, and the
/// repetitions of the other side become the same. Where a side's process runs differ in number, the middle one counts.
Estimator common_estimator(const model::Benchmark& base, const model::Benchmark& now, std::string_view metric);

}  // namespace pawl::decide
