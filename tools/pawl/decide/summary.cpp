// summary.cpp -- see summary.hpp.
#include "decide/summary.hpp"

namespace pawl::decide {
namespace {

std::size_t Summary::*counter_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::critical:
      return &Summary::critical;
    case Verdict::warning:
      return &Summary::warning;
    case Verdict::improvement:
      return &Summary::improvement;
    case Verdict::stable:
      return &Summary::stable;
    case Verdict::inconclusive:
      return &Summary::inconclusive;
    case Verdict::added:
      return &Summary::added;
    case Verdict::removed:
      return &Summary::removed;
    case Verdict::failed:
      break;
  }
  return &Summary::failed;
}

}  // namespace

Summary summarize(const std::vector<Comparison>& comparisons) {
  Summary summary;
  for (const Comparison& c : comparisons) ++(summary.*counter_of(c.verdict));
  return summary;
}

}  // namespace pawl::decide
