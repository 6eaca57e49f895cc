// compare_csv.cpp -- an Outcome -> CSV (RFC 4180), one line per comparison, all of them.
#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "show/formats.hpp"
#include "show/text.hpp"

namespace pawl::show {
namespace {

// What is not a number is an empty field: spreadsheets and data frames read that as missing.
void number(std::string& out, double value) {
  out += ',';
  if (std::isfinite(value)) fmt::format_to(std::back_inserter(out), "{}", value);
}

}  // namespace

std::string format_csv(const Outcome& outcome) {
  std::string out =
      "name,metric,verdict,change,low,high,minimal_detectable,base,new,runs_base,runs_new,p_value,q_value,more_runs,"
      "warning,critical,gated,reason,executable\n";
  for (const decide::Comparison& c : outcome.judgement->comparisons) {
    out += csv_field(c.name) + ',' + csv_field(c.metric) + ',';
    out += verdict_name(c.verdict);
    for (const double value : {c.change, c.low, c.high, c.minimal_detectable, c.base, c.now}) number(out, value);
    fmt::format_to(std::back_inserter(out), ",{},{}", c.runs_base, c.runs_new);
    number(out, c.p_value.value_or(std::nan("")));
    number(out, c.q_value.value_or(std::nan("")));
    fmt::format_to(std::back_inserter(out), ",{}", c.more_runs);
    number(out, c.warning);
    number(out, c.critical);
    fmt::format_to(std::back_inserter(out), ",{},{},{}\n", c.gated, csv_field(c.reason), csv_field(c.executable));
  }
  return out;
}

}  // namespace pawl::show
