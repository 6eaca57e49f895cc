// gate_accuracy.cpp -- process runs of gate_workload -> how often each rule is wrong, as a markdown page.
//
// A gate is made by drawing 5 pairs of neighbouring process runs without replacement: for the A/A rate both sides are
// the same rows, for detection the rows of each kind have the known slow-down on the new side while all others are
// unchanged. Four rules look at the same data: ours, and the three that other tools have, on the pooled repetitions.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "decide/sample.hpp"
#include "gate_runs.hpp"
#include "gate_trial.hpp"

namespace pawl::gate {
namespace {

using decide::Verdict;

constexpr std::size_t kPairs = 5;
constexpr int kSizes[] = {2, 3, 5, 10};
constexpr double kQuiet = 0.01;      // process-level deviation up to which 5 % must be found
constexpr std::size_t kSession = 3;  // process runs a side of the quick suite

struct Options {
  std::string directory, command = "gate_accuracy", machine = "unknown";
  std::size_t gates = 1000;
  std::uint64_t seed = 1;
};

struct Tally {
  std::size_t trials = 0, alarms = 0, criticals = 0, stable = 0, inconclusive = 0, ranks = 0, five = 0, ten = 0;

  void add(const Said& said) {
    ++trials;
    alarms += said.alarm();
    criticals += said.pawl == Verdict::critical;
    stable += said.pawl == Verdict::stable;
    inconclusive += said.pawl == Verdict::inconclusive;
    ranks += said.ranks;
    five += said.five;
    ten += said.ten;
  }
};

std::string percent(std::size_t part, std::size_t whole) {
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

struct Same {
  std::map<std::string, Tally> by_kind;
  Tally gates;  // whole gates with at least one
};

Same measure_same(const Runs& runs, const Options& options, bool paired, std::size_t length) {
  std::mt19937_64 random(options.seed);
  Same same;
  for (std::size_t g = 0; g < options.gates; ++g) {
    const auto said = draw_gate(runs, 0, length, paired, random);
    Said any;
    bool alarm = false, critical = false;
    for (std::size_t i = 0; i < said.size(); ++i) {
      same.by_kind[runs.rows[i].kind].add(said[i]);
      alarm = alarm || said[i].alarm();
      critical = critical || said[i].pawl == Verdict::critical;
      any.ranks = any.ranks || said[i].ranks;
      any.five = any.five || said[i].five;
      any.ten = any.ten || said[i].ten;
    }
    any.pawl = critical ? Verdict::critical : alarm ? Verdict::warning : Verdict::stable;
    same.gates.add(any);
  }
  return same;
}

// kind -> slow-down in percent -> what was said of the slower row
using Slower = std::map<std::string, std::map<int, Tally>>;

Slower measure_slower(const Runs& runs, const Options& options, bool paired, std::size_t length) {
  std::mt19937_64 random(options.seed + 1);
  Slower slower;
  for (const int size : kSizes)
    for (std::size_t g = 0; g < options.gates; ++g) {
      const auto said = draw_gate(runs, size, length, paired, random);
      for (std::size_t i = 0; i < said.size(); ++i)
        if (runs.rows[i].slower == 0) slower[runs.rows[i].kind][size].add(said[i]);
    }
  return slower;
}

std::size_t index_of(const Runs& runs, const std::string& kind, int slower) {
  for (std::size_t i = 0; i < runs.rows.size(); ++i)
    if (runs.rows[i].kind == kind && runs.rows[i].slower == slower) return i;
  throw std::runtime_error(fmt::format("no row {}/slower:{}", kind, slower));
}

double true_change(const Runs& runs, const std::string& kind, int slower) {
  std::vector<double> ratios;
  const Row &a = runs.rows[index_of(runs, kind, 0)], &b = runs.rows[index_of(runs, kind, slower)];
  for (std::size_t r = 0; r < runs.count; ++r)
    if (!a.runs[r].empty() && !b.runs[r].empty()) ratios.push_back(time_of(b.runs[r]) / time_of(a.runs[r]));
  return decide::median(ratios) - 1;
}

void print_noise(const Runs& runs, const Same& same) {
  fmt::print(
      "## The noise\n\n"
      "The deviation is that of the times of process runs over the whole measuring, which no number of repetitions\n"
      "lessens; *of its own* is what is left of it between neighbouring runs when what all rows share is taken out. "
      "The\n"
      "correlation is the share of a repetition's variance that its whole process run has in common. The last columns "
      "are\n"
      "what the rows with 5 % and 10 % more rounds took longer, by the median over all process runs: caches and "
      "branch\n"
      "predictors make it a little more or less.\n\n"
      "| kind | deviation of process runs | of its own | correlation in a run | 5 % more work | 10 % more work |\n"
      "|---|--:|--:|--:|--:|--:|\n");
  const std::vector<double> own = own_deviations(runs);
  for (const auto& [kind, tally] : same.by_kind) {
    const std::size_t i = index_of(runs, kind, 0);
    fmt::print("| {} | {:.2f} % | {:.2f} % | {:.2f} | {:+.1f} % | {:+.1f} % |\n", kind,
               100 * process_deviation(runs.rows[i]), 100 * own[i], correlation_within_runs(runs.rows[i]),
               100 * true_change(runs, kind, 5), 100 * true_change(runs, kind, 10));
  }
  fmt::print("\n");
}

void print_same(const Same& same, std::size_t rows) {
  fmt::print(
      "| kind | Pawl | Mann-Whitney, 5 % | fixed 5 % | fixed 10 % | Pawl: `INCONCLUSIVE` |\n"
      "|---|--:|--:|--:|--:|--:|\n");
  for (const auto& [kind, t] : same.by_kind)
    fmt::print("| {} | {} | {} | {} | {} | {} |\n", kind, percent(t.alarms, t.trials), percent(t.ranks, t.trials),
               percent(t.five, t.trials), percent(t.ten, t.trials), percent(t.inconclusive, t.trials));
  const Tally& g = same.gates;
  fmt::print("| **gates of {} rows with an alarm** | **{}** | **{}** | **{}** | **{}** | |\n", rows,
             percent(g.alarms, g.trials), percent(g.ranks, g.trials), percent(g.five, g.trials),
             percent(g.ten, g.trials));
  fmt::print("| **gates with a `CRITICAL`** | **{}** | | | | |\n\n", percent(g.criticals, g.trials));
}

void print_slower(const Slower& slower) {
  fmt::print("| kind |");
  for (const int size : kSizes) fmt::print(" {} %: Pawl | ranks | fixed 5 % |", size);
  fmt::print("\n|---|");
  for (std::size_t i = 0; i < std::size(kSizes) * 3; ++i) fmt::print("--:|");
  fmt::print("\n");
  for (const auto& [kind, by_size] : slower) {
    fmt::print("| {} |", kind);
    for (const auto& [size, t] : by_size)
      fmt::print(" {}{} | {} | {} |", percent(t.alarms, t.trials),
                 t.stable > 0 ? " (STABLE: " + percent(t.stable, t.trials) + ")" : "", percent(t.ranks, t.trials),
                 percent(t.five, t.trials));
    fmt::print("\n");
  }
  fmt::print("\n");
}

void print_bar(const std::string& what, const std::string& measured, bool met) {
  fmt::print("| {} | {} | {} |\n", what, measured, met ? "met" : "**missed**");
}

// Which kinds had their 5 % found how often, and whether each often enough.
struct Found {
  std::string text;
  bool met = true;
  void add(const std::string& kind, const Tally& five) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kind, percent(five.alarms, five.trials));
    met = met && 100 * five.alarms >= 95 * five.trials;
  }
};

void print_bars(const Runs& runs, const Same& same, const Slower& slower) {
  fmt::print("## The bars\n\n| asked | measured | |\n|---|---|---|\n");
  const Tally& g = same.gates;
  print_bar("no `CRITICAL` in A/A gates", fmt::format("{} of {} gates", g.criticals, g.trials), g.criticals == 0);
  print_bar("at most 1 % of A/A gates with a `WARNING` or worse", fmt::format("{} of {} gates", g.alarms, g.trials),
            100 * g.alarms <= g.trials);
  const std::vector<double> own = own_deviations(runs);
  Found as_they_came, of_their_own;
  std::size_t ten_found = 0, ten_all = 0, stable = 0, slowed = 0;
  for (const auto& [kind, by_size] : slower) {
    const Tally &five = by_size.at(5), &ten = by_size.at(10);
    ten_found += ten.alarms;
    ten_all += ten.trials;
    stable += five.stable + ten.stable;
    slowed += five.trials + ten.trials;
    const std::size_t i = index_of(runs, kind, 0);
    if (process_deviation(runs.rows[i]) <= kQuiet) as_they_came.add(kind, five);
    if (own[i] <= kQuiet) of_their_own.add(kind, five);
  }
  const std::string asked = "5 % found in at least 95 % of trials where process runs deviate by at most 1 %";
  if (as_they_came.text.empty())
    fmt::print("| {} | no kind is that quiet here: the whole machine moves by more | no answer |\n", asked);
  else
    print_bar(asked, as_they_came.text, as_they_came.met);
  if (!of_their_own.text.empty())
    print_bar("the same where they deviate by at most 1 % of their own (see the noise)", of_their_own.text,
              of_their_own.met);
  print_bar("10 % found in at least 90 % of trials over all kinds", percent(ten_found, ten_all),
            100 * ten_found >= 90 * ten_all);
  print_bar("5 % and 10 % that were not found: never `STABLE`", fmt::format("{} of {} trials", stable, slowed),
            stable == 0);
  fmt::print("\n");
}

// The same rows judged as a baseline and a later run: sides are stretches of neighbouring runs, not interleaved.
void print_sessions(const Runs& runs, const Options& options) {
  const Same same = measure_same(runs, options, false, kSession);
  const Slower slower = measure_slower(runs, options, false, kSession);
  fmt::print(
      "## Two sessions instead of pairs\n\n"
      "What `pawl compare BASELINE RESULTS` has: {} process runs a side, each side a stretch of neighbouring runs, and "
      "no\n"
      "yardsticks here. Gates with an alarm where nothing changed: Pawl {} (`CRITICAL`: {}), Mann-Whitney {}, fixed 5 "
      "% {}.\n\n"
      "| kind | nothing changed: `STABLE` | 5 % found | 10 % found | 5 % or 10 % called `STABLE` |\n"
      "|---|--:|--:|--:|--:|\n",
      kSession, percent(same.gates.alarms, same.gates.trials), percent(same.gates.criticals, same.gates.trials),
      percent(same.gates.ranks, same.gates.trials), percent(same.gates.five, same.gates.trials));
  for (const auto& [kind, by_size] : slower) {
    const Tally &none = same.by_kind.at(kind), &five = by_size.at(5), &ten = by_size.at(10);
    fmt::print("| {} | {} | {} | {} | {} |\n", kind, percent(none.stable, none.trials),
               percent(five.alarms, five.trials), percent(ten.alarms, ten.trials),
               percent(five.stable + ten.stable, five.trials + ten.trials));
  }
}

int report(const Options& options) {
  const Runs runs = read_runs(options.directory);
  if (runs.count < 4 * kPairs)
    throw std::runtime_error(fmt::format("needs at least {} process runs, there are {}", 4 * kPairs, runs.count));
  const Same same = measure_same(runs, options, true, kPairs);
  const Slower slower = measure_slower(runs, options, true, kPairs);
  fmt::print(
      "# How often the gate is wrong\n\n"
      "Written by `{}` from {} process runs of one binary that began on {};\n"
      "run it to see what holds on your machine. Machine: {}.\n\n",
      options.command, runs.count, runs.date, options.machine);
  fmt::print(
      "`gate_workload` has loops of {} kinds of noise, each also with 2, 3, 5 and 10 % more rounds of the same work: "
      "{} rows.\n"
      "{} gates are drawn from the runs with seed {}: {} interleaved pairs of neighbouring process runs each, about "
      "{:.0f} s of\n"
      "measuring here. All rules see the same data: {} process runs with their repetitions a side. *Mann-Whitney* is\n"
      "compare.py's test at its 5 %, on all repetitions together; *fixed* calls a median that is more than 5 % or 10 % "
      "longer.\n\n",
      same.by_kind.size(), runs.rows.size(), options.gates, options.seed, kPairs, 2 * kPairs * runs.seconds, kPairs);
  print_bars(runs, same, slower);
  fmt::print(
      "## Nothing changed: false alarms\n\n"
      "Both sides are the same rows of the same binary, so every alarm is false.\n\n");
  print_same(same, runs.rows.size());
  fmt::print(
      "## One row of each kind got slower: found\n\n"
      "Share of trials in which the slower row got a `WARNING` or a `CRITICAL` (an alarm, of the other rules). What is "
      "not\n"
      "found is `INCONCLUSIVE`, unless the share of `STABLE` stands beside it; 2 % and 3 % are below the threshold of "
      "5 %, so\n"
      "`STABLE` is right for them.\n\n");
  print_slower(slower);
  print_noise(runs, same);
  print_sessions(runs, options);
  return 0;
}

}  // namespace
}  // namespace pawl::gate

int main(int argc, char** argv) {
  pawl::gate::Options options;
  try {
    CLI::App app("Process runs of gate_workload -> how often each rule is wrong, as markdown");
    app.add_option("RUNS", options.directory, "Directory with the JSON of each process run")->required();
    app.add_option("--gates", options.gates, "Gates to draw")->check(CLI::Range(1, 1'000'000));
    app.add_option("--seed", options.seed, "Of the drawing");
    app.add_option("--command", options.command, "That the page names as its origin");
    app.add_option("--machine", options.machine, "That the page names");
    CLI11_PARSE(app, argc, argv);
    return pawl::gate::report(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gate_accuracy: %s: %s\n", options.directory.c_str(), error.what());
    return 2;
  }
}
