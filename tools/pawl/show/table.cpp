// table.cpp -- columns, folding and colours of the table.
#include "show/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "failure.hpp"
#include "show/quantity.hpp"
#include "show/text.hpp"

namespace pawl::show {
namespace {

using decide::Comparison;
using decide::Verdict;

// Rows of one verdict before the rest are counted: enough to see what they are, few enough to see the others.
constexpr std::size_t kUndecidedShown = 10, kGoodShown = 20;
constexpr std::size_t kShortestName = 24, kShortestRemark = 24;  // columns below which text tells nothing any more

struct Row {
  const Comparison* comparison;
  std::string name, metric, change, interval, values, remark;
};

struct Widths {
  std::size_t verdict = 0, name = 0, metric = 0, change = 0, interval = 0, values = 0, remark = 0;

  // What stands before the remark, with two blanks after each column that is not empty.
  std::size_t before_remark() const {
    std::size_t sum = 0;
    for (const std::size_t width : {verdict, name, metric, change, interval, values}) sum += width > 0 ? width + 2 : 0;
    return sum;
  }
};

std::size_t shown_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::stable:
      return 0;
    case Verdict::inconclusive:
      return kUndecidedShown;
    case Verdict::improvement:
    case Verdict::added:
      return kGoodShown;
    default:
      return static_cast<std::size_t>(-1);
  }
}

std::string_view colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::failed:
    case Verdict::critical:
    case Verdict::removed:
      return "\x1b[1;31m";  // bold red
    case Verdict::warning:
      return "\x1b[33m";  // yellow
    case Verdict::inconclusive:
      return "\x1b[35m";  // magenta
    case Verdict::improvement:
      return "\x1b[32m";  // green
    case Verdict::added:
      return "\x1b[36m";  // cyan
    case Verdict::stable:
      break;
  }
  return "";
}

constexpr std::string_view kPlain = "\x1b[0m", kDim = "\x1b[2m", kBold = "\x1b[1m";

std::string padded(const std::string& text, std::size_t width, bool right = false) {
  const std::size_t columns = display_width(text);
  const std::string blanks(width > columns ? width - columns : 0, ' ');
  return right ? blanks + text : text + blanks;
}

// Text in lines of at most `width` columns, broken at blanks.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  const std::string margin(indent, ' ');
  if (width == 0 || indent + 20 > width) return margin + text + "\n";
  std::string out, line;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && indent + display_width(line) + 1 + display_width(word) > width) {
      out += margin + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return out + margin + line + "\n";
}

Row make_row(const Comparison& c, const Outcome& outcome, bool several_metrics) {
  Row row{&c, terminal_text(shown_name(c, outcome)), several_metrics ? terminal_text(c.metric) : "", "", "",
          "", terminal_text(remark(c, outcome))};
  if (!std::isnan(c.base) || !std::isnan(c.now)) {
    row.change = change_text(c.change);
    row.interval = interval_text(c.low, c.high);
    row.values = pair_text(c.metric, c.time_unit, c.base, c.now);
  }
  return row;
}

void widen(std::size_t& width, const std::string& text) { width = std::max(width, display_width(text)); }

Widths measure(const std::vector<Row>& rows, const Widths& titles, std::size_t limit) {
  Widths widths = titles;
  for (const Row& row : rows) {
    widen(widths.name, row.name);
    widen(widths.metric, row.metric);
    widen(widths.change, row.change);
    widen(widths.interval, row.interval);
    widen(widths.values, row.values);
    if (!row.change.empty()) widen(widths.remark, row.remark);
  }
  if (limit == 0) return widths;
  // Names give way first, since their ends still tell them apart.
  const std::size_t fixed = widths.before_remark() - widths.name;
  const std::size_t room = limit > fixed ? limit - fixed : 0;
  if (widths.before_remark() + std::min(widths.remark, kShortestRemark) > limit) {
    const std::size_t for_remark = room > 2 * kShortestName + kShortestRemark ? kShortestRemark : 0;
    widths.name = std::min(widths.name, std::max(kShortestName, room - std::min(room, for_remark)));
  }
  return widths;
}

class Table {
 public:
  Table(const Outcome& outcome, const Terminal& terminal) : outcome_(outcome), terminal_(terminal) {}

  std::string format() {
    heading();
    rows();
    notes();
    out_ += painted(kBold, wrapped_line(verdict_line(outcome_)));
    const std::string next = what_to_do(outcome_);
    if (!next.empty()) out_ += "what to do: " + terminal_text(next) + "\n";  // not wrapped: it is there to be copied
    return std::move(out_);
  }

 private:
  std::string painted(std::string_view colour, const std::string& text) const {
    if (!terminal_.colour || colour.empty()) return text;
    // Colour ends before the line does, so that a pager's next line starts plain.
    const bool newline = text.ends_with('\n');
    const std::string body = newline ? text.substr(0, text.size() - 1) : text;
    return fmt::format("{}{}{}{}", colour, body, kPlain, newline ? "\n" : "");
  }
  std::string wrapped_line(const std::string& text) const { return wrapped(text, terminal_.width, 0); }

  void heading() {
    const auto side = [](const Side& s) {
      std::string text = terminal_text(s.label);
      if (!s.commit.empty()) text += fmt::format(" ({})", terminal_text(s.commit.substr(0, 12)));
      return text + fmt::format(", {}", counted(s.processes, "process run"));
    };
    out_ += painted(kDim, wrapped_line(fmt::format("base {} | new {}", side(outcome_.base), side(outcome_.now))));
  }

  void rows() {
    const bool several = has_several_metrics(*outcome_.judgement);
    std::vector<Row> rows;
    std::map<Verdict, std::size_t> folded, shown;
    for (const Comparison& c : outcome_.judgement->comparisons) {
      if (!outcome_.all && shown[c.verdict] >= shown_of(c.verdict)) {
        ++folded[c.verdict];
        continue;
      }
      ++shown[c.verdict];
      rows.push_back(make_row(c, outcome_, several));
    }
    Widths titles;
    for (const Row& row : rows) widen(titles.verdict, std::string(verdict_name(row.comparison->verdict)));
    titles.name = std::string_view("benchmark").size();
    Widths widths = measure(rows, titles, terminal_.width);
    // Too narrow for all columns: what matters less joins the remark, which may take lines of its own.
    for (std::string Row::*column : {&Row::values, &Row::interval}) {
      if (terminal_.width == 0 || widths.before_remark() <= terminal_.width + 2) break;
      for (Row& row : rows) {
        if ((row.*column).empty()) continue;
        row.remark = (row.*column) + (row.remark.empty() ? "" : "; ") + row.remark;
        (row.*column).clear();
      }
      widths = measure(rows, titles, terminal_.width);
    }
    if (!rows.empty()) out_ += painted(kDim, title_line(widths, several));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Verdict verdict = rows[i].comparison->verdict;
      out_ += line(rows[i], widths);
      const bool last = i + 1 == rows.size() || rows[i + 1].comparison->verdict != verdict;
      if (last && folded[verdict] > 0) {
        out_ += fmt::format("{} more {} (--all shows them)\n", folded[verdict], lower(verdict_name(verdict)));
        folded.erase(verdict);
      }
    }
    if (folded[Verdict::stable] > 0) out_ += fmt::format("{} stable\n", folded[Verdict::stable]);
    if (!out_.empty()) out_ += "\n";
  }

  static std::string lower(std::string_view word) {
    std::string text(word);
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return text;
  }

  std::string title_line(const Widths& widths, bool several) const {
    std::string text = padded("verdict", widths.verdict) + "  " + padded("benchmark", widths.name);
    if (several) text += "  " + padded("metric", widths.metric);
    if (widths.change > 0) text += "  " + padded("change", widths.change, true);
    if (widths.interval > 0) text += "  " + padded("interval %", widths.interval);
    if (widths.values > 0) text += "  " + padded("base -> new", widths.values);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  }

  std::string line(const Row& row, const Widths& widths) const {
    const Verdict verdict = row.comparison->verdict;
    const std::string_view colour = colour_of(verdict);
    std::string text = painted(colour, std::string(verdict_name(verdict))) +
                       std::string(widths.verdict - verdict_name(verdict).size(), ' ');
    text += "  " + padded(shortened(row.name, widths.name), widths.name);
    const bool has_values = !row.change.empty();
    if (!has_values && !row.remark.empty()) {
      // No numbers to stand below each other: the reason follows the name.
      const std::size_t before = widths.verdict + 2 + widths.name + 2;
      if (terminal_.width == 0 || before + display_width(row.remark) <= terminal_.width) {
        return text + "  " + row.remark + "\n";
      }
      return trimmed(text) + "\n" + wrapped(row.remark, terminal_.width, widths.verdict + 2);
    }
    if (widths.metric > 0) text += "  " + padded(row.metric, widths.metric);
    if (widths.change > 0) {
      const std::size_t columns = display_width(row.change);
      text += "  " + std::string(widths.change - columns, ' ') + painted(colour, row.change);
    }
    if (widths.interval > 0) text += "  " + padded(row.interval, widths.interval);
    if (widths.values > 0) text += "  " + padded(row.values, widths.values);
    const std::size_t before = widths.before_remark();
    if (!row.remark.empty() && (terminal_.width == 0 || before + display_width(row.remark) <= terminal_.width)) {
      text += "  " + row.remark;
      return trimmed(text) + "\n";
    }
    text = trimmed(text) + "\n";
    if (!row.remark.empty()) text += wrapped(row.remark, terminal_.width, widths.verdict + 2);
    return text;
  }

  static std::string trimmed(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

  void notes() {
    if (outcome_.judgement->shift) {
      const decide::SuiteShift& shift = *outcome_.judgement->shift;
      out_ += wrapped_line(fmt::format("note: the whole suite moved by {} {}: {}", change_text(shift.change),
                                       interval_text(shift.low, shift.high), terminal_text(shift.reason)));
    }
    for (const std::string& note : outcome_.notes) out_ += wrapped_line("note: " + terminal_text(note));
  }

  const Outcome& outcome_;
  const Terminal& terminal_;
  std::string out_;
};

}  // namespace

std::string format_table(const Outcome& outcome, const Terminal& terminal) { return Table(outcome, terminal).format(); }

}  // namespace pawl::show
