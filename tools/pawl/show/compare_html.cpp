// compare_html.cpp -- an Outcome -> a piece of HTML to put into any page: no script, no head, all names escaped.
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

constexpr std::string_view kStyle =
    "<style>.pawl table{border-collapse:collapse}.pawl td,.pawl th{padding:.2em .6em;text-align:left}"
    ".pawl td.n{text-align:right;white-space:nowrap}.pawl .CRITICAL,.pawl .FAILED,.pawl .REMOVED{color:#b00020;"
    "font-weight:bold}.pawl .WARNING{color:#8a5a00}.pawl .IMPROVEMENT{color:#1b6e20}.pawl .INCONCLUSIVE{color:#6a1b9a}"
    "</style>\n";

void row(std::string& out, const Comparison& c, const Outcome& outcome, bool several) {
  const auto into = std::back_inserter(out);
  const bool has_values = !std::isnan(c.base) || !std::isnan(c.now);
  fmt::format_to(into, "<tr><td class=\"{0}\">{0}</td><td><code>{1}</code></td>", verdict_name(c.verdict),
                 xml_text(shown_name(c, outcome)));
  if (several) fmt::format_to(into, "<td>{}</td>", xml_text(c.metric));
  fmt::format_to(into, "<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
                 has_values ? change_text(c.change) : "", has_values ? xml_text(interval_text(c.low, c.high)) : "",
                 has_values ? xml_text(pair_text(c.metric, c.time_unit, c.base, c.now)) : "",
                 xml_text(remark(c, outcome)));
}

}  // namespace

std::string format_html_fragment(const Outcome& outcome) {
  const decide::Judgement& judgement = *outcome.judgement;
  const bool several = has_several_metrics(judgement);
  const std::string header = fmt::format(
      "<table>\n<thead><tr><th>verdict</th><th>benchmark</th>{}<th>change</th><th>interval</th><th>base → new</th>"
      "<th></th></tr></thead>\n<tbody>\n",
      several ? "<th>metric</th>" : "");
  std::string out = "<section class=\"pawl\">\n";
  out += kStyle;
  fmt::format_to(std::back_inserter(out), "<h3>Benchmarks: {}</h3>\n<p>{}</p>\n", result_name(outcome.exit_code),
                 xml_text(summary_text(judgement.summary)));
  const auto table = [&](bool stable) {
    out += header;
    for (const Comparison& c : judgement.comparisons) {
      if ((c.verdict == Verdict::stable) == stable) row(out, c, outcome, several);
    }
    out += "</tbody>\n</table>\n";
  };
  if (judgement.comparisons.size() > judgement.summary.stable) table(false);
  if (judgement.summary.stable > 0) {
    fmt::format_to(std::back_inserter(out), "<details><summary>{} stable</summary>\n", judgement.summary.stable);
    table(true);
    out += "</details>\n";
  }
  if (judgement.shift) {
    fmt::format_to(std::back_inserter(out), "<p>The whole suite moved by {}: {}</p>\n",
                   change_text(judgement.shift->change), xml_text(judgement.shift->reason));
  }
  for (const std::string& note : outcome.notes) {
    fmt::format_to(std::back_inserter(out), "<p>{}</p>\n", xml_text(note));
  }
  fmt::format_to(std::back_inserter(out), "<p><small>base {}; new {}; {}; exit code {}</small></p>\n</section>\n",
                 xml_text(outcome.base.label), xml_text(outcome.now.label), xml_text(outcome.tool), outcome.exit_code);
  return out;
}

}  // namespace pawl::show
