// told.cpp -- see told.hpp.
#include "decide/told.hpp"

namespace pawl::decide {

bool is_told_already(const Candidate& candidate, std::optional<Verdict> time) {
  const Verdict verdict = candidate.shown.verdict;
  // What cannot be told is counted in a note: a row for each would bury those that say something.
  if (verdict == Verdict::stable || verdict == Verdict::inconclusive) return true;
  if (candidate.spread) return verdict == Verdict::improvement;
  if (!candidate.timing || !time) return false;
  switch (verdict) {
    case Verdict::critical:
      return *time == Verdict::critical;
    case Verdict::warning:
      return *time == Verdict::critical || *time == Verdict::warning;
    case Verdict::improvement:
      return *time == Verdict::improvement;
    default:
      return false;
  }
}

}  // namespace pawl::decide
