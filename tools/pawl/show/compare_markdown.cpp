// compare_markdown.cpp -- an Outcome -> markdown for a pull request's comment or a job's summary.
#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "show/formats.hpp"
#include "show/quantity.hpp"
#include "show/text.hpp"

namespace pawl::show {
namespace {

using decide::Comparison;
using decide::Verdict;

// GitHub cuts comments at 65,536 characters; the rows beyond are in the JSON.
constexpr std::size_t kRows = 200;

void header(std::string& out, bool several) {
  out += several
             ? "| verdict | benchmark | metric | change | interval | base → new | |\n|---|---|---|--:|---|---|---|\n"
             : "| verdict | benchmark | change | interval | base → new | |\n|---|---|--:|---|---|---|\n";
}

std::string without_blanks(std::string text) {
  // No line break between a number and its unit.
  for (std::size_t at = text.find(' '); at != std::string::npos; at = text.find(' ', at)) text.replace(at, 1, "&nbsp;");
  return text;
}

void row(std::string& out, const Comparison& c, const Outcome& outcome, bool several) {
  const bool has_values = !std::isnan(c.base) || !std::isnan(c.now);
  const bool bold = c.verdict == Verdict::failed || c.verdict == Verdict::critical || c.verdict == Verdict::removed;
  const std::string_view mark = bold ? "**" : "";
  std::string values = has_values ? pair_text(c.metric, c.time_unit, c.base, c.now) : "";
  if (const auto arrow = values.find("->"); arrow != std::string::npos) values.replace(arrow, 2, "→");
  fmt::format_to(std::back_inserter(out), "| {}{}{} | {} |", mark, verdict_name(c.verdict), mark,
                 markdown_code(shown_name(c, outcome)));
  if (several) fmt::format_to(std::back_inserter(out), " {} |", markdown_text(c.metric));
  fmt::format_to(std::back_inserter(out), " {} | {} | {} | {} |\n",
                 has_values ? without_blanks(change_text(c.change)) : "",
                 has_values ? without_blanks(interval_text(c.low, c.high)) : "", without_blanks(values),
                 markdown_text(remark(c, outcome)));
}

std::string side_text(const Side& side) {
  std::string text = markdown_code(side.label);
  if (!side.commit.empty()) text += fmt::format(" at {}", markdown_code(side.commit.substr(0, 12)));
  text += fmt::format(", {}", counted(side.processes, "process run"));
  if (!side.machine.empty()) text += fmt::format(" on {}", markdown_text(side.machine));
  return text;
}

// The command as code, so that it can be copied and no character of it means anything.
std::string next_step(const std::string& text) {
  const std::size_t colon = text.find(": pawl ");
  if (colon == std::string::npos) return markdown_text(text);
  return markdown_text(text.substr(0, colon + 2)) + markdown_code(text.substr(colon + 2), CodeIn::text);
}

}  // namespace

std::string format_markdown(const Outcome& outcome) {
  const decide::Judgement& judgement = *outcome.judgement;
  const bool several = has_several_metrics(judgement);
  std::string out = fmt::format("### Benchmarks: {}\n\n{}.\n\n", result_name(outcome.exit_code),
                                markdown_text(summary_text(judgement.summary)));
  std::size_t shown = 0, left_out = 0;
  const bool has_stable = judgement.summary.stable > 0;
  const auto add_rows = [&](bool stable) {
    bool begun = false;
    for (const Comparison& c : judgement.comparisons) {
      if ((c.verdict == Verdict::stable) != stable) continue;
      if (shown == kRows && !outcome.all) {
        ++left_out;
        continue;
      }
      if (!begun) header(out, several);
      begun = true;
      ++shown;
      row(out, c, outcome, several);
    }
    if (begun) out += "\n";
  };
  add_rows(false);
  if (has_stable && shown < kRows) {
    fmt::format_to(std::back_inserter(out), "<details><summary>{} stable</summary>\n\n", judgement.summary.stable);
    add_rows(true);
    out += "</details>\n\n";
  } else if (has_stable) {
    left_out += judgement.summary.stable;
  }
  if (left_out > 0) fmt::format_to(std::back_inserter(out), "{} more rows are in the JSON output.\n\n", left_out);
  if (judgement.shift) {
    fmt::format_to(std::back_inserter(out), "- The whole suite moved by {} {}: {}\n",
                   change_text(judgement.shift->change),
                   markdown_text(interval_text(judgement.shift->low, judgement.shift->high)),
                   markdown_text(judgement.shift->reason));
  }
  for (const std::string& note : outcome.notes) {
    fmt::format_to(std::back_inserter(out), "- {}\n", markdown_text(note));
  }
  if (judgement.shift || !outcome.notes.empty()) out += "\n";
  const std::string next = what_to_do(outcome);
  if (!next.empty()) fmt::format_to(std::back_inserter(out), "What to do: {}\n\n", next_step(next));
  fmt::format_to(std::back_inserter(out), "<sub>base {}; new {}; {}, exit code {}</sub>\n", side_text(outcome.base),
                 side_text(outcome.now), markdown_text(outcome.tool), outcome.exit_code);
  return out;
}

}  // namespace pawl::show
