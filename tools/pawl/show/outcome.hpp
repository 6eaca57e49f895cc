// outcome.hpp -- a Judgement -> what every format says of it: names, order, the summary and what to do next.
#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "decide/judge.hpp"

namespace pawl::show {

/// In the order of severity.
inline constexpr std::array kVerdicts = {
    decide::Verdict::failed,       decide::Verdict::critical,    decide::Verdict::removed, decide::Verdict::warning,
    decide::Verdict::inconclusive, decide::Verdict::improvement, decide::Verdict::added,   decide::Verdict::stable};

std::string_view verdict_name(decide::Verdict verdict);  ///< "CRITICAL"
std::size_t count_of(const decide::Summary& summary, decide::Verdict verdict);

/// One side of a comparison, as it is named to people.
struct Side {
  std::string label, machine, commit, date;
  std::size_t processes = 0, benchmarks = 0;
};

/// A comparison and everything that its report says.
struct Outcome {
  const decide::Judgement* judgement = nullptr;
  decide::FailOn fail_on = decide::FailOn::critical;
  int exit_code = 0;
  Side base, now;
  std::vector<std::string> notes;         ///< about the files and the comparison as a whole, the judgement's among them
  std::vector<std::string> shared_names;  ///< of benchmarks of several executables, in order: told with theirs
  std::vector<std::string> common_warnings;  ///< of every comparison: said once, in the notes, and not in each row
  bool all = false;                          ///< stable rows too
  std::string tool;                          ///< "pawl 0.1.0"
  std::string families;  ///< a filter for both, where two families were compared under a name of neither
};

std::string_view fail_on_name(decide::FailOn fail_on);

/// "PASS", "FAIL", "INCONCLUSIVE" or "NOTHING TO COMPARE", by the exit code.
std::string_view result_name(int exit_code);

/// "1 critical, 2 warnings, 179 stable"; verdicts that nobody got are left out.
std::string summary_text(const decide::Summary& summary);

/// "verdict: 1 critical, 179 stable -> FAIL (exit 1)"
std::string verdict_line(const Outcome& outcome);

/// The next thing to type, where there is one: for a regression, to look again at just those benchmarks.
std::string what_to_do(const Outcome& outcome);

/// Why, beside the numbers: the threshold, or the reason that the verdict came with; "" for stable rows. Warnings that
/// all rows share are left to the notes.
std::string remark(const decide::Comparison& comparison, const Outcome& outcome);

/// What names a benchmark to people: its name, behind its executable's where several have one of that name.
std::string shown_name(const decide::Comparison& comparison, const Outcome& outcome);

/// The names that benchmarks of more than one executable have, in alphabetical order.
std::vector<std::string> names_of_several(const decide::Judgement& judgement);

/// The warnings that every comparison with values has, where there are at least two.
std::vector<std::string> warnings_of_all(const decide::Judgement& judgement);

/// Whether more than one metric was compared, so that each row has to name its own.
bool has_several_metrics(const decide::Judgement& judgement);

}  // namespace pawl::show
