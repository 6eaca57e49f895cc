// compare_github.cpp -- an Outcome -> workflow commands that GitHub shows beside the lines of a pull request.
#include <fmt/format.h>

#include <iterator>

#include "show/formats.hpp"
#include "show/quantity.hpp"
#include "show/text.hpp"

namespace pawl::show {
namespace {

using decide::Comparison;
using decide::Verdict;

// GitHub shows at most 10 of each kind per step and drops the others in silence; ours says how many.
constexpr std::size_t kAnnotations = 10;

// "file.cpp:12" -> "file=file.cpp,line=12,"
std::string place(const std::string& source) {
  if (source.empty()) return "";
  const std::size_t colon = source.find_last_of(':');
  const std::string line = colon == std::string::npos ? "" : source.substr(colon + 1);
  if (line.empty() || line.find_first_not_of("0123456789") != std::string::npos) {
    return fmt::format("file={},", github_property(source));
  }
  return fmt::format("file={},line={},", github_property(source.substr(0, colon)), line);
}

class Annotations {
 public:
  Annotations(std::string_view kind, const Outcome& outcome) : kind_(kind), outcome_(outcome) {}

  void add(std::string& out, const Comparison& c) {
    // The last one that fits is kept for the count.
    if (++count_ >= kAnnotations) {
      waiting_.push_back(&c);
      return;
    }
    write(out, c);
  }
  void finish(std::string& out) {
    if (waiting_.size() == 1) return write(out, *waiting_.front());
    if (waiting_.empty()) return;
    fmt::format_to(std::back_inserter(out), "::{} title=pawl::{} more; the table in the log lists them\n", kind_,
                   waiting_.size());
  }

 private:
  void write(std::string& out, const Comparison& c) {
    const std::string name = terminal_text(shown_name(c, outcome_));
    const std::string title = fmt::format("{} {}", verdict_name(c.verdict), name);
    std::string message = name;
    if (c.metric != "real_time") message += " " + terminal_text(c.metric);
    if (c.runs_base > 0 && c.runs_new > 0) {
      message += fmt::format(": {} {} {}", change_text(c.change), interval_text(c.low, c.high),
                             pair_text(c.metric, c.time_unit, c.base, c.now));
    }
    message += "; " + terminal_text(c.reason);
    fmt::format_to(std::back_inserter(out), "::{} {}title={}::{}\n", kind_, place(terminal_text(c.source)),
                   github_property(title), github_message(message));
  }

  std::string_view kind_;
  const Outcome& outcome_;
  std::size_t count_ = 0;
  std::vector<const Comparison*> waiting_;
};

}  // namespace

std::string format_github(const Outcome& outcome) {
  std::string out;
  Annotations errors("error", outcome), warnings("warning", outcome);
  for (const Comparison& c : outcome.judgement->comparisons) {
    const bool bad = c.verdict == Verdict::failed || c.verdict == Verdict::critical || c.verdict == Verdict::removed ||
                     c.verdict == Verdict::warning;
    if (decide::exit_code(c, outcome.fail_on) != 0) {
      errors.add(out, c);
    } else if (bad) {
      warnings.add(out, c);
    }
  }
  errors.finish(out);
  warnings.finish(out);
  const std::string_view kind = outcome.exit_code == 0 ? "notice" : "error";
  fmt::format_to(std::back_inserter(out), "::{} title=pawl::{}\n", kind, github_message(verdict_line(outcome)));
  return out;
}

}  // namespace pawl::show
