// pairing.cpp -- see pairing.hpp.
#include "decide/pairing.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace pawl::decide {
namespace {

using model::Process;
using model::ResultSet;

// Executable and index of a run; empty if it has none.
using Label = std::optional<std::pair<std::string, std::string>>;
using Labelling = std::function<Label(const Process&)>;

constexpr std::size_t kTwice = static_cast<std::size_t>(-1);

// The process that alone has each label; kTwice where several share one.
std::map<std::pair<std::string, std::string>, std::size_t> by_label(const ResultSet& set, const Labelling& label_of) {
  std::map<std::pair<std::string, std::string>, std::size_t> found;
  for (std::size_t i = 0; i < set.processes.size(); ++i)
    if (const Label label = label_of(set.processes[i])) {
      const auto [at, is_new] = found.emplace(*label, i);
      if (!is_new) at->second = kTwice;
    }
  return found;
}

Pairing unpaired(const ResultSet& base, const ResultSet& now) {
  return {std::vector<int>(base.processes.size(), -1), std::vector<int>(now.processes.size(), -1), false};
}

// When the first and the last half of a pair began.
struct Span {
  double first, last;
};

bool follow_one_another(std::vector<Span> spans) {
  std::ranges::sort(spans, {}, [](const Span& span) { return std::pair(span.first, span.last); });
  return std::ranges::adjacent_find(spans, [](const Span& a, const Span& b) { return a.last > b.first; }) ==
         spans.end();
}

Pairing pair_by_label(const ResultSet& base, const ResultSet& now, const Labelling& label_of) {
  Pairing pairing = unpaired(base, now);
  const auto of_base = by_label(base, label_of), of_now = by_label(now, label_of);
  std::map<std::string, std::vector<std::pair<std::size_t, std::size_t>>> halves;  // by executable
  for (const auto& [label, i] : of_base) {
    const auto found = of_now.find(label);
    if (i != kTwice && found != of_now.end() && found->second != kTwice)
      halves[label.first].emplace_back(i, found->second);
  }
  int next = 0;
  for (const auto& [executable, pairs] : halves) {
    std::vector<Span> spans;
    for (const auto& [i, j] : pairs)
      if (const auto a = base.processes[i].start_unix_s, b = now.processes[j].start_unix_s; a && b)
        spans.push_back({std::min(*a, *b), std::max(*a, *b)});
    if (!follow_one_another(std::move(spans))) {
      pairing.two_sessions = true;
      continue;
    }
    for (const auto& [i, j] : pairs) pairing.base[i] = pairing.now[j] = next++;
  }
  return pairing;
}

bool has_pair_index(const ResultSet& set) {
  return std::ranges::any_of(set.processes, [](const Process& p) { return p.pair_index >= 0; });
}

struct Start {
  double at;
  bool is_now;
  std::size_t process;
};

// The runs of one executable of a side; false if one of them does not tell when it began.
bool collect_starts(const ResultSet& set, bool is_now, const std::string& executable, std::vector<Start>& to) {
  for (std::size_t i = 0; i < set.processes.size(); ++i) {
    if (set.processes[i].executable != executable) continue;
    if (!set.processes[i].start_unix_s) return false;
    to.push_back({*set.processes[i].start_unix_s, is_now, i});
  }
  return true;
}

std::set<std::string> executables_of(const ResultSet& set) {
  std::set<std::string> names;
  for (const Process& p : set.processes) names.insert(p.executable);
  return names;
}

}  // namespace

Pairing pair_neighbours(const ResultSet& base, const ResultSet& now) {
  if (has_pair_index(base) || has_pair_index(now))
    return pair_by_label(base, now, [](const Process& p) -> Label {
      if (p.pair_index < 0) return std::nullopt;
      return std::pair(p.executable, std::to_string(p.pair_index));
    });
  Pairing pairing = unpaired(base, now);
  std::set<std::string> of_base = executables_of(base);
  const std::set<std::string> of_now = executables_of(now);
  int next = 0;
  for (const std::string& executable : of_base) {
    // One executable a side is the same benchmark program, whatever the two builds call it.
    const std::string& partner = of_base.size() == 1 && of_now.size() == 1 ? *of_now.begin() : executable;
    std::vector<Start> starts;
    if (!collect_starts(base, false, executable, starts) || !collect_starts(now, true, partner, starts)) continue;
    if (starts.size() < 4 || starts.size() % 2 != 0) continue;  // one pair alone may be chance: two runs in any order
    std::ranges::stable_sort(starts, {}, &Start::at);
    bool alternate = true;
    for (std::size_t i = 0; i < starts.size(); i += 2)
      alternate = alternate && starts[i].is_now != starts[i + 1].is_now;
    if (!alternate) continue;
    for (std::size_t i = 0; i < starts.size(); ++i)
      (starts[i].is_now ? pairing.now : pairing.base)[starts[i].process] = next + static_cast<int>(i / 2);
    next += static_cast<int>(starts.size() / 2);
  }
  return pairing;
}

}  // namespace pawl::decide
