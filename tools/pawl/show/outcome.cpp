// outcome.cpp -- words for verdicts.
#include "show/outcome.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "failure.hpp"
#include "show/quantity.hpp"

namespace pawl::show {

using decide::Comparison;
using decide::FailOn;
using decide::Verdict;

namespace {

// Characters that mean something in a regular expression; a benchmark's name is meant literally.
std::string literal(const std::string& name) {
  std::string pattern;
  for (const char c : name) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

// "A#2" is how the second of two benchmarks called A is told apart, or its own name.
std::string own_name(const std::string& name) {
  const std::size_t mark = name.find_last_not_of("0123456789");
  const bool numbered = mark != std::string::npos && mark > 0 && name[mark] == '#' && mark + 1 < name.size();
  if (!numbered) return literal(name);
  return fmt::format("{}({})?", literal(name.substr(0, mark)), name.substr(mark));
}

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

// Counts that must not grow at all have a threshold of next to nothing.
std::string threshold_text(double threshold) {
  return threshold < 1e-6 ? "threshold: any change" : fmt::format("threshold {}", percent_text(threshold));
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::failed:
      return "FAILED";
    case Verdict::critical:
      return "CRITICAL";
    case Verdict::removed:
      return "REMOVED";
    case Verdict::warning:
      return "WARNING";
    case Verdict::inconclusive:
      return "INCONCLUSIVE";
    case Verdict::improvement:
      return "IMPROVEMENT";
    case Verdict::added:
      return "ADDED";
    case Verdict::stable:
      break;
  }
  return "STABLE";
}

std::size_t count_of(const decide::Summary& summary, Verdict verdict) {
  switch (verdict) {
    case Verdict::failed:
      return summary.failed;
    case Verdict::critical:
      return summary.critical;
    case Verdict::removed:
      return summary.removed;
    case Verdict::warning:
      return summary.warning;
    case Verdict::inconclusive:
      return summary.inconclusive;
    case Verdict::improvement:
      return summary.improvement;
    case Verdict::added:
      return summary.added;
    case Verdict::stable:
      break;
  }
  return summary.stable;
}

std::string_view fail_on_name(FailOn fail_on) {
  switch (fail_on) {
    case FailOn::never:
      return "never";
    case FailOn::warning:
      return "warning";
    case FailOn::inconclusive:
      return "inconclusive";
    case FailOn::critical:
      break;
  }
  return "critical";
}

std::string_view result_name(int exit_code) {
  switch (exit_code) {
    case kPassed:
      return "PASS";
    case kNothingToCompare:
      return "NOTHING TO COMPARE";
    case kInconclusive:
      return "INCONCLUSIVE";
    default:
      return "FAIL";
  }
}

std::string summary_text(const decide::Summary& summary) {
  std::vector<std::string> parts;
  for (const Verdict verdict : kVerdicts) {
    const std::size_t count = count_of(summary, verdict);
    if (count == 0) continue;
    std::string word(verdict_name(verdict));
    std::ranges::transform(word, word.begin(), [](char c) { return static_cast<char>(c + ('a' - 'A')); });
    const bool has_plural = verdict == Verdict::warning || verdict == Verdict::improvement;
    parts.push_back(fmt::format("{} {}{}", count, word, has_plural && count > 1 ? "s" : ""));
  }
  return parts.empty() ? "no benchmarks" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string verdict_line(const Outcome& outcome) {
  std::string not_gated;
  const auto severe = [](const Comparison& c) {
    return !c.gated &&
           (c.verdict == Verdict::critical || c.verdict == Verdict::failed || c.verdict == Verdict::removed);
  };
  const auto ignored = std::ranges::count_if(outcome.judgement->comparisons, severe);
  if (ignored > 0) not_gated = fmt::format(", {} of them not gated", ignored);
  return fmt::format("verdict: {}{} -> {} (exit {})", summary_text(outcome.judgement->summary), not_gated,
                     result_name(outcome.exit_code), outcome.exit_code);
}

std::string what_to_do(const Outcome& outcome) {
  if (outcome.exit_code == kNothingToCompare) {
    return "check that both sides ran the same benchmarks; names must be equal";
  }
  // The benchmarks that a second look is worth: those that fail the build, else the undecided ones.
  std::vector<const Comparison*> worth;
  for (const Comparison& c : outcome.judgement->comparisons) {
    if (c.verdict == Verdict::critical || c.verdict == Verdict::warning) worth.push_back(&c);
  }
  if (worth.empty() && outcome.exit_code == kInconclusive) {
    for (const Comparison& c : outcome.judgement->comparisons) {
      if (c.verdict == Verdict::inconclusive) worth.push_back(&c);
    }
  }
  if (worth.empty()) return "";
  // Two builds in turns say nothing about two families, and no benchmark has the name of the row.
  if (!outcome.families.empty())
    return fmt::format("measure both families again, in more process runs: pawl run BUILD --filter {} --runs 10",
                       shell_quoted(outcome.families));
  std::vector<std::string> names;
  for (const Comparison* c : worth) {
    if (std::ranges::find(names, c->name) == names.end()) names.push_back(c->name);
    constexpr std::size_t kNamed = 3;  // a longer pattern is not typed by anybody
    if (names.size() > kNamed) return "measure again, interleaved: pawl ab BASE_BUILD NEW_BUILD --until-decided";
  }
  std::vector<std::string> patterns;
  for (const std::string& name : names) patterns.push_back("^" + own_name(name) + "$");
  return fmt::format("measure just these again, interleaved: pawl ab BASE_BUILD NEW_BUILD --filter {} --until-decided",
                     shell_quoted(fmt::format("{}", fmt::join(patterns, "|"))));
}

std::string remark(const Comparison& c, const Outcome& outcome) {
  std::string text;
  switch (c.verdict) {
    case Verdict::stable:
      return "";
    case Verdict::critical:
      text = threshold_text(c.critical_path && std::abs(c.change) < c.critical ? c.warning : c.critical);
      if (c.critical_path) text += ", critical path";
      break;
    case Verdict::warning:
      text = threshold_text(c.warning);
      break;
    case Verdict::inconclusive:
      if (std::isfinite(c.minimal_detectable)) {
        text = fmt::format("smallest change it could see: {}", percent_text(c.minimal_detectable));
        if (c.more_runs > 0) text += fmt::format("; about {} more would settle it", counted(c.more_runs, "run"));
      } else if (c.warnings.empty()) {
        text = c.reason;
      }
      break;
    case Verdict::improvement:
      break;
    case Verdict::failed:
    case Verdict::removed:
    case Verdict::added:
      text = c.reason;
      break;
  }
  const auto append = [&text](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  if (!c.gated) append("not gated");
  for (const std::string& warning : c.warnings) {
    if (std::ranges::find(outcome.common_warnings, warning) == outcome.common_warnings.end()) append(warning);
  }
  return text;
}

std::string shown_name(const Comparison& c, const Outcome& outcome) {
  if (c.executable.empty() || !std::ranges::binary_search(outcome.shared_names, c.name)) return c.name;
  return fmt::format("{}: {}", c.executable, c.name);
}

std::vector<std::string> names_of_several(const decide::Judgement& judgement) {
  std::unordered_map<std::string_view, std::string_view> executables;
  std::set<std::string> shared;
  for (const Comparison& c : judgement.comparisons) {
    if (c.executable.empty()) continue;
    const auto [at, is_new] = executables.emplace(c.name, c.executable);
    if (!is_new && at->second != std::string_view(c.executable)) shared.insert(c.name);
  }
  return {shared.begin(), shared.end()};
}

std::vector<std::string> warnings_of_all(const decide::Judgement& judgement) {
  std::vector<std::string> common;
  std::size_t compared = 0;
  for (const Comparison& c : judgement.comparisons) {
    if (std::isnan(c.base) && std::isnan(c.now)) continue;
    if (compared++ == 0) common = c.warnings;
    std::erase_if(
        common, [&](const std::string& warning) { return std::ranges::find(c.warnings, warning) == c.warnings.end(); });
    if (common.empty()) break;
  }
  return compared > 1 ? common : std::vector<std::string>{};
}

bool has_several_metrics(const decide::Judgement& judgement) {
  const model::Interned* first = nullptr;
  return std::ranges::any_of(judgement.comparisons, [&](const Comparison& c) {
    if (std::isnan(c.base) && std::isnan(c.now)) return false;  // about the benchmark as a whole
    if (first == nullptr) first = &c.metric;
    return !(c.metric == *first);
  });
}

}  // namespace pawl::show
