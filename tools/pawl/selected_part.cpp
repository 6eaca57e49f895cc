// selected_part.cpp -- see selected_part.hpp.
#include "selected_part.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "decide/pattern.hpp"
#include "run/bench_program.hpp"
#include "run/discover.hpp"
#include "show/quantity.hpp"

namespace pawl {
namespace {

using model::Benchmark;

// Rows of the run, found by the baseline's rows: by name alone where only one executable of the baseline has it, for
// an executable may have been renamed (match_by_name in select.hpp).
class Rows {
 public:
  Rows(const std::vector<RowName>& rows, const std::map<std::string, int>& times_in_base)
      : times_in_base_(times_in_base) {
    for (const RowName& row : rows) {
      full_.emplace(row.executable, row.name);
      names_.insert(row.name);
    }
  }
  bool has(const Benchmark& b) const {
    if (full_.contains({b.executable.str(), b.name})) return true;
    return times_in_base_.at(b.name) == 1 && names_.contains(b.name);
  }

 private:
  const std::map<std::string, int>& times_in_base_;
  std::set<std::pair<std::string, std::string>> full_;
  std::set<std::string> names_;
};

// Two executables of one name have their directories in front of it (x.a_bench), and a glob is about the file's name.
bool fits(const std::string& executable, const std::string& glob) {
  for (std::size_t begin = 0; begin != std::string::npos;) {
    if (run::is_in_suite(executable.substr(begin), glob)) return true;
    const std::size_t dot = executable.find('.', begin);
    begin = dot == std::string::npos ? dot : dot + 1;
  }
  return false;
}

// As run::discover() takes globs: one that fits benches and others means the benches.
std::set<std::string> selected_executables(const model::ResultSet& base, const Selection& selection) {
  std::set<std::string> all, selected(selection.programs.begin(), selection.programs.end());
  for (const Benchmark& b : base.benchmarks) all.insert(b.executable.str());
  for (const std::string& glob : selection.suites) {
    std::vector<std::string> matches;
    const auto is_bench = [](const std::string& name) { return fits(name, run::kBenchGlob); };
    std::ranges::copy_if(all, std::back_inserter(matches), [&](const std::string& name) { return fits(name, glob); });
    const bool only_benches = std::ranges::any_of(matches, is_bench);
    for (const std::string& name : matches)
      if (!only_benches || is_bench(name)) selected.insert(name);
  }
  return selected;
}

}  // namespace

Selection selection_of(const MeasureOptions& options, const run::Session& session,
                       const std::vector<run::BenchProgram>& programs, const model::ResultSet& base) {
  Selection selection{options.suites, options.filter, session.executables(), {}, {}, false};
  for (const run::Row& row : session.rows())
    selection.measured.push_back({session.executables()[row.executable], row.name});
  const auto quick = base.methodology.settings.find("quick");
  if (!options.quick || (quick != base.methodology.settings.end() && quick->second == "yes")) return selection;
  run::ProcessSettings settings = session_settings(options).process;
  settings.quick = false;
  for (const run::BenchProgram& program : programs) try {
      for (std::string& name : run::list_benchmarks(program, settings).names)
        selection.without_quick.push_back({program.name, std::move(name)});
    } catch (const std::exception&) {
      continue;  // Session::list() has told of a program that does not answer
    }
  return selection;
}

bool named_alone(const std::vector<std::string>& where, const std::vector<run::BenchProgram>& programs,
                 const model::ResultSet& base) {
  const auto is_file = [](const std::string& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error);
  };
  const auto is_in_base = [&](const run::BenchProgram& program) {
    return std::ranges::any_of(base.benchmarks, [&](const Benchmark& b) { return b.executable == program.name; });
  };
  return !where.empty() && std::ranges::all_of(where, is_file) && std::ranges::all_of(programs, is_in_base);
}

bool named_among_others(const std::vector<std::string>& where, const std::vector<run::BenchProgram>& programs,
                        const model::ResultSet& base) {
  const auto is_other = [&](const Benchmark& b) {
    return std::ranges::none_of(programs, [&](const run::BenchProgram& p) { return b.executable == p.name; });
  };
  return named_alone(where, programs, base) && std::ranges::any_of(base.benchmarks, is_other);
}

std::vector<std::string> keep_selected(model::ResultSet& base, const Selection& selection) {
  std::vector<std::string> notes;
  // Google Benchmark takes "all" for no filter, and a '-' before one for what does not match.
  const bool filtered = !selection.filter.empty() && selection.filter != "all";
  const bool negative = selection.filter.starts_with('-');
  std::optional<decide::Pattern> pattern;
  if (filtered) try {
      pattern.emplace(selection.filter.substr(negative ? 1 : 0));
    } catch (const std::invalid_argument& error) {
      notes.push_back(fmt::format("--filter '{}' is not applied to the baseline: {}", selection.filter, error.what()));
    }
  std::map<std::string, int> times_in_base;
  for (const Benchmark& b : base.benchmarks) ++times_in_base[b.name];
  const Rows measured(selection.measured, times_in_base), without_quick(selection.without_quick, times_in_base);
  const std::set<std::string> executables = selected_executables(base, selection);

  std::set<std::string> by;
  const std::size_t dropped = std::erase_if(base.benchmarks, [&](const Benchmark& b) {
    if (measured.has(b)) return false;
    const std::string executable = b.executable.str();
    const char* option = nullptr;
    if (!executable.empty() && !executables.contains(executable)) {
      if (selection.programs_alone) option = "WHERE";
      if (!selection.suites.empty()) option = "--suite";
    }
    if (pattern && pattern->match_length(b.name).has_value() == negative) option = "--filter";
    if (without_quick.has(b)) option = "--quick";
    if (option != nullptr) by.insert(option);
    return option != nullptr;
  });
  if (dropped > 0)
    notes.push_back(fmt::format("{} of the baseline left out, as asked by {}", show::counted(dropped, "benchmark"),
                                fmt::join(by, " and ")));
  return notes;
}

}  // namespace pawl
