// exit_code.cpp -- a Judgement and what may fail a build -> the exit code of a command.
#include "decide/judge.hpp"

namespace pawl::decide {

int exit_code(const Comparison& comparison, FailOn fail_on) {
  if (!comparison.gated || fail_on == FailOn::never) return 0;
  switch (comparison.verdict) {
    case Verdict::critical:
    case Verdict::failed:
    case Verdict::removed:
      return 1;
    case Verdict::warning:
      return fail_on == FailOn::critical ? 0 : 1;
    case Verdict::inconclusive:
      return fail_on == FailOn::inconclusive ? 4 : 0;
    case Verdict::improvement:
    case Verdict::added:
    case Verdict::stable:
      break;
  }
  return 0;
}

int exit_code(const Judgement& judgement, FailOn fail_on) {
  if (!judgement.comparable) return 3;
  bool undecided = false;
  for (const Comparison& c : judgement.comparisons) {
    const int code = exit_code(c, fail_on);
    if (code == 1) return 1;
    undecided = undecided || code == 4;
  }
  return undecided ? 4 : 0;
}

}  // namespace pawl::decide
