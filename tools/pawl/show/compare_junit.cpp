// compare_junit.cpp -- an Outcome -> JUnit XML, as CI servers read it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "show/formats.hpp"
#include "show/quantity.hpp"
#include "show/text.hpp"

namespace pawl::show {

using decide::Comparison;
using decide::Verdict;

std::string format_junit(const Outcome& outcome) {
  // A comparison fails here exactly if it fails the build; what could not be told is skipped, not passed.
  std::size_t failures = 0, skipped = 0;
  std::string cases;
  const auto into = std::back_inserter(cases);
  for (const Comparison& c : outcome.judgement->comparisons) {
    // CI servers tell cases by class and name; the executable becomes the class's package.
    const bool is_shared = std::ranges::binary_search(outcome.shared_names, c.name) && !c.executable.empty();
    const std::string of = is_shared ? fmt::format("{}.{}", c.executable, c.metric.str()) : c.metric.str();
    fmt::format_to(into, "    <testcase classname=\"{}\" name=\"{}\"", xml_text(of), xml_text(c.name));
    if (!c.source.empty()) {
      fmt::format_to(into, " file=\"{}\"", xml_text(c.source.str().substr(0, c.source.str().find_last_of(':'))));
    }
    const std::string change =
        std::isnan(c.change) ? "" : fmt::format(" {} {}", change_text(c.change), interval_text(c.low, c.high));
    const std::string message = fmt::format("{}{} {}", verdict_name(c.verdict), change, c.reason);
    if (decide::exit_code(c, outcome.fail_on) != 0) {
      ++failures;
      fmt::format_to(into, ">\n      <failure type=\"{}\" message=\"{}\"/>\n    </testcase>\n", verdict_name(c.verdict),
                     xml_text(message));
    } else if (c.verdict == Verdict::inconclusive) {
      ++skipped;
      fmt::format_to(into, ">\n      <skipped message=\"{}\"/>\n    </testcase>\n", xml_text(message));
    } else if (c.verdict == Verdict::stable) {
      cases += "/>\n";
    } else {
      fmt::format_to(into, ">\n      <system-out>{}</system-out>\n    </testcase>\n", xml_text(message));
    }
  }
  // Nothing in common is an error of the whole suite; without a case a CI server would show green.
  std::size_t tests = outcome.judgement->comparisons.size(), errors = 0;
  if (!outcome.judgement->comparable) {
    ++tests;
    ++errors;
    cases +=
        "    <testcase classname=\"pawl\" name=\"nothing to compare\">\n      <error message=\"the two sides have no "
        "benchmark in common\"/>\n    </testcase>\n";
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" "
      "errors=\"{}\" skipped=\"{}\">\n{}  </testsuite>\n</testsuites>\n",
      xml_text(fmt::format("pawl compare {} {}", outcome.base.label, outcome.now.label)), tests, failures, errors,
      skipped, cases);
}

}  // namespace pawl::show
