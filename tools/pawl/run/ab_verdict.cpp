// ab_verdict.cpp -- see ab_verdict.hpp.
#include "run/ab_verdict.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "decide/severity.hpp"
#include "decide/summary.hpp"
#include "model/results.hpp"

namespace pawl::run {
namespace {

using decide::Comparison;
using decide::Verdict;

auto key_of(const Comparison& c) { return std::tie(c.executable, c.name, c.metric); }

Comparison confirmed_or_not(const Comparison& first, Comparison second) {
  const std::string before = first.verdict == Verdict::inconclusive
                                 ? fmt::format("a first set of runs could not tell, with {:+.1f} %", 100 * first.change)
                                 : fmt::format("the first set of runs said {:+.1f} %", 100 * first.change);
  switch (second.verdict) {
    case Verdict::critical:
    case Verdict::warning:
      second.reason +=
          is_suspicion(first) ? "; confirmed by a second, independent set of runs: " + before : "; " + before;
      break;
    case Verdict::improvement:
      // Two sets that contradict each other are no answer.
      second.verdict = Verdict::inconclusive;
      second.reason =
          fmt::format("{}, a second set {:+.1f} %: they contradict each other", before, 100 * second.change);
      break;
    case Verdict::stable:
      second.reason += "; " + before;
      if (is_suspicion(first)) second.reason += ", which a second, independent set did not confirm";
      break;
    default:
      second.reason += "; " + before;
  }
  return second;
}

}  // namespace

bool is_suspicion(const Comparison& comparison) {
  return comparison.verdict == Verdict::warning || comparison.verdict == Verdict::critical;
}

bool is_doubt(const Comparison& comparison) {
  return comparison.verdict == Verdict::inconclusive && comparison.gated && comparison.metric == model::kRealTime &&
         comparison.change >= comparison.critical;
}

decide::Judgement merge_confirmation(decide::Judgement first, const decide::Judgement& second,
                                     const std::function<bool(const Comparison&)>& asked) {
  std::map<std::tuple<std::string, std::string, std::string>, const Comparison*> by_key;
  for (const auto* rows : {&second.comparisons, &second.folded})
    for (const Comparison& c : *rows) by_key.emplace(key_of(c), &c);
  for (Comparison& c : first.comparisons) {
    if (!asked(c)) continue;
    if (const auto found = by_key.find(key_of(c)); found != by_key.end())
      c = confirmed_or_not(c, *found->second);
    else
      c.warnings.emplace_back("not confirmed: the second set of runs does not have it");
  }
  first.summary = decide::summarize(first.comparisons);
  decide::sort_by_severity(first.comparisons);
  return first;
}

}  // namespace pawl::run
