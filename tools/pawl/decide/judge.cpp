// judge.cpp -- see judge.hpp: puts the parts of decide/ together.
#include "decide/judge.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "decide/common.hpp"
#include "decide/derived.hpp"
#include "decide/estimator.hpp"
#include "decide/match.hpp"
#include "decide/pairing.hpp"
#include "decide/say.hpp"
#include "decide/settle.hpp"
#include "decide/severity.hpp"
#include "decide/shift.hpp"
#include "decide/standing.hpp"
#include "decide/summary.hpp"
#include "decide/told.hpp"

namespace pawl::decide {
namespace {

using model::Benchmark;
using model::ResultSet;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What the name of a metric says, looked up once per metric.
struct Traits {
  bool primary = false, secondary = false, timing = false, is_rate = false, is_count = false;
  Quantity quantity = Quantity::other;
};

class Judge {
 public:
  Judge(const ResultSet& base, const ResultSet& now, const Policy& policy)
      : base_(base), now_(now), policy_(policy), table_(policy), pairs_(pair_neighbours(base, now)) {}

  Judgement run() {
    const Matches matches = match_benchmarks(base_, now_);
    for (const Match& match : matches.all) take(match);
    std::vector<double> log_changes;
    for (const Candidate& c : candidates_)
      if (c.shown.metric == model::kRealTime && c.shown.runs_base + c.shown.runs_new > 2)
        log_changes.push_back(c.effect.difference);
    const std::vector<std::string> common_notes = take_out_common(candidates_, base_, now_);
    settle(candidates_, policy_);
    for (Candidate& c : candidates_) say_verdict(c, policy_);
    out_.shift = suite_shift(std::move(log_changes), yardstick_change(base_, now_));
    fold_all();
    add_notes(matches.duplicates);
    out_.notes.insert(out_.notes.end(), common_notes.begin(), common_notes.end());
    out_.summary = summarize(out_.comparisons);
    sort_by_severity(out_.comparisons);
    out_.comparable = common_ > 0;
    return std::move(out_);
  }

 private:
  const Traits& traits_of(const model::Interned& metric) {
    const auto [at, is_new] = traits_.try_emplace(metric);
    Traits& traits = at->second;
    if (!is_new) return traits;
    const bool is_plain = metric == kBytes && !policy_.bytes_are_a_rate;
    const std::string_view kind = is_plain ? "other" : metric_class(metric);
    const auto named = [&](const std::vector<std::string>& words) {
      return std::ranges::any_of(
          words, [&](const std::string& word) { return metric == word || (kind == word && kind != "time"); });
    };
    traits.primary = named(policy_.metrics);
    traits.secondary = !traits.primary && named(policy_.also);
    traits.quantity = is_plain ? Quantity::other : quantity_of(metric.str());
    traits.is_rate = traits.quantity == Quantity::rate;
    traits.timing = traits.quantity != Quantity::other;
    traits.is_count = kind == "allocations";
    return traits;
  }

  Comparison blank(const Benchmark& b, const std::string& metric) const {
    Comparison c;
    c.name = b.name;
    c.executable = b.executable.str();
    c.metric = metric;
    c.base = c.now = c.change = c.low = c.high = kNaN;
    c.minimal_detectable = kInfinity;
    c.time_unit = b.time_unit.str();
    c.source = b.source.str();
    return c;
  }

  // A verdict that needs no statistics.
  Comparison& structural(const Benchmark& b, Verdict verdict, std::string reason) {
    Comparison c = blank(b, model::kRealTime);
    const Applied applied = table_.find(c.metric, c.name);
    c.gated = applied.gate;
    c.critical_path = applied.critical_path;
    c.verdict = verdict;
    c.reason = std::move(reason);
    out_.comparisons.push_back(std::move(c));
    return out_.comparisons.back();
  }

  void take(const Match& match) {
    if (match.now == nullptr) {
      structural(*match.base, Verdict::removed, "was in the baseline, is not in this run").runs_base =
          standing_of(*match.base).measured;
      return;
    }
    const Standing after = standing_of(*match.now);
    if (match.base == nullptr) {
      Comparison& c = structural(*match.now, after.measured > 0 ? Verdict::added : Verdict::failed,
                                 after.measured > 0 ? "is not in the baseline" : "is new and " + after.failure());
      c.runs_new = after.measured;
      c.gated = c.gated && !after.only_skipped();
      return;
    }
    const Standing before = standing_of(*match.base);
    if (after.measured == 0) {
      Comparison& c =
          structural(*match.now, Verdict::failed,
                     (before.measured > 0 ? "ran before, now " : "did not run before either; ") + after.failure());
      c.runs_base = before.measured;
      // What needs other hardware says so on every run, and nothing is lost that was there. Nothing is compared either.
      const bool as_before = before.measured == 0 && after.only_skipped();
      c.gated = c.gated && !as_before;
      common_ += !as_before;
      return;
    }
    if (before.measured == 0) {
      structural(*match.now, Verdict::added, "has no measurement in the baseline, where it " + before.failure())
          .runs_new = after.measured;
      return;
    }
    compare(match);
    if (after.failed > 0)
      structural(
          *match.now, Verdict::failed,
          fmt::format("{} in {} of {} process runs", after.failure(), after.failed, after.failed + after.measured));
  }

  void compare(const Match& match) {
    ++matched_;
    bool any = false;
    seen_.clear();
    for (const Benchmark* b : {match.base, match.now})
      for (const model::Reading& reading : b->readings)
        for (const model::Series& series : reading.series) {
          if (std::ranges::find(seen_, series.metric) != seen_.end()) continue;
          seen_.push_back(series.metric);
          const Traits& traits = traits_of(series.metric);
          if (traits.primary || traits.secondary) any = compare_metric(match, series.metric, traits) || any;
        }
    any = compare_spread(match) || any;
    // Where nothing can be tested the thresholds alone decide, now: files of that kind can have a million rows.
    const auto testable = [](const Candidate& c) { return c.spread || c.effect.variance.df >= 1; };
    if (std::ranges::none_of(current_, testable)) {
      for (Candidate& c : current_) say_verdict(c, policy_);
      fold();
    } else {
      std::ranges::move(current_, std::back_inserter(candidates_));
      current_.clear();
    }
    common_ += any;
  }

  bool compare_metric(const Match& match, const model::Interned& metric, const Traits& traits) {
    const Estimator how = traits.timing ? common_estimator(*match.base, *match.now, metric) : Estimator{};
    if (metric == model::kRealTime) {
      using Kind = Estimator::Kind;
      of_aggregates_ += how.kind == Kind::median || how.kind == Kind::mean;
      of_fewer_ += how.kind == Kind::first || how.draws != Estimator{}.draws;
    }
    // A negative time or rate is no measurement, and one of 0 would be infinitely fast.
    Sample before = sample_of(*match.base, metric, traits.quantity, pairs_.base, cores_.base, how),
           after = sample_of(*match.now, metric, traits.quantity, pairs_.now, cores_.now, how);
    if (before.runs.empty() || after.runs.empty()) return one_sided(match, metric, traits, before, after);
    if (traits.is_rate && traits.secondary && is_work_over_time(match, metric)) {
      ++derived_;
      return false;
    }
    Candidate c;
    c.applied = table_.find(metric, match.now->name);
    if (c.applied.direction_is_guess) guessed_.insert(metric.str());
    if (traits.timing) c.shared = set_aside_shared(before, after);
    c.effect = measure_effect(before.runs, after.runs);
    // One run a side of a time or rate that nobody asked for says nothing below its threshold, and files of that kind
    // can have a million rows.
    const Thresholds& thresholds = c.applied.thresholds;
    if (c.effect.variance.df < 1 && traits.secondary && traits.timing &&
        std::fabs(c.effect.difference) < std::log1p(std::min(thresholds.warning, thresholds.improvement)))
      return true;
    describe(c, match, metric.str(), traits);
    Comparison& shown = c.shown;
    shown.base = c.effect.base;
    shown.now = c.effect.now;
    shown.change = shown.base != 0  ? (shown.now - shown.base) / std::fabs(shown.base)
                   : shown.now == 0 ? 0.0
                   : shown.now > 0  ? kInfinity
                                    : -kInfinity;
    shown.runs_base = before.runs.size();
    shown.runs_new = after.runs.size();
    shown.paired = c.effect.paired;
    for (const auto& [sample, side] : {std::pair{&before, "baseline"}, {&after, "new side"}}) {
      if (sample->without > 0)
        shown.warnings.push_back(fmt::format("{} of {} process runs of the {} have no usable value", sample->without,
                                             sample->present, side));
      if (sample->dropped > 0)
        shown.warnings.push_back(fmt::format("{} repetition{} of the {} no usable number, left out", sample->dropped,
                                             sample->dropped == 1 ? "" : "s",
                                             std::string(side) + (sample->dropped == 1 ? " is" : " are")));
    }
    c.base = std::move(before);
    c.now = std::move(after);
    current_.push_back(std::move(c));
    return true;
  }

  void describe(Candidate& c, const Match& match, const std::string& metric, const Traits& traits) const {
    c.shown = blank(*match.now, metric);
    if (c.shown.source.empty()) c.shown.source = match.base->source.str();
    c.shown.warning = c.applied.thresholds.warning;
    c.shown.critical = c.applied.thresholds.critical;
    c.shown.gated = c.applied.gate;
    c.shown.critical_path = c.applied.critical_path;
    c.benchmark = matched_;
    c.primary = traits.primary;
    c.timing = traits.timing;
    c.is_count = traits.is_count;
  }

  // A metric that one side has no number of.
  bool one_sided(const Match& match, const model::Interned& metric, const Traits& traits, const Sample& before,
                 const Sample& after) {
    if (before.runs.empty() && after.runs.empty()) return false;
    if (after.runs.empty() && after.present > 0) {
      structural(*match.now, Verdict::failed, fmt::format("{} is not a usable number any more", metric)).metric =
          metric.str();
      return true;
    }
    if (traits.secondary) {
      if (after.runs.empty()) ++vanished_[metric.str()];
      return false;
    }
    if (after.runs.empty())
      structural(*match.now, Verdict::removed, fmt::format("the baseline has {}, this run has not", metric)).metric =
          metric.str();
    else
      structural(*match.now, Verdict::added, fmt::format("the baseline has no {}", metric)).metric = metric.str();
    return true;
  }

  bool compare_spread(const Match& match) {
    const Traits& traits = traits_of(variance_);
    if (!traits.primary && !traits.secondary) return false;
    // A fastest of few scatters more than one of many.
    if (common_estimator(*match.base, *match.now, model::kRealTime) != Estimator{}) return false;
    Sample before = sample_of(*match.base, model::kRealTime, Quantity::duration, {}, cores_.base),
           after = sample_of(*match.now, model::kRealTime, Quantity::duration, {}, cores_.now);
    const SharedRuns shared = set_aside_shared(before, after);
    if (shared.base + shared.now > 0) return false;  // what scatters is the machine
    auto spread = measure_spread(before.runs, after.runs, policy_.confidence);
    if (!spread) return false;
    Candidate c;
    c.applied = table_.find(kVariance, match.now->name);
    describe(c, match, kVariance, traits);
    c.shown.base = spread->base;
    c.shown.now = spread->now;
    c.shown.change = spread->now / spread->base - 1;
    c.shown.runs_base = before.runs.size();
    c.shown.runs_new = after.runs.size();
    c.timing = false;
    c.spread = spread;
    current_.push_back(std::move(c));
    return true;
  }

  // The verdicts of one benchmark: metrics that nobody asked for stay out of the way unless they say something new.
  void fold() {
    const auto time = std::ranges::find_if(
        current_, [](const Candidate& c) { return c.primary && c.shown.metric == model::kRealTime; });
    const bool has_time = time != current_.end();
    const Verdict of_time = has_time ? time->shown.verdict : Verdict::stable;
    for (Candidate& c : current_) {
      if (c.shown.metric == model::kRealTime) {
        shared_rows_ += c.shared.base + c.shared.now > 0;
        set_aside_rows_ += c.shared.set_aside > 0;
      }
      const bool told = !c.primary && is_told_already(c, has_time ? std::optional(of_time) : std::nullopt);
      if (c.primary) ++(c.tested ? tested_ : untested_);
      const bool unclear = c.shown.verdict == Verdict::inconclusive;
      // Where the time cannot be told either, that is said there.
      const bool said = unclear && c.timing && has_time && of_time == Verdict::inconclusive;
      if (told && !c.spread && !said) ++(unclear ? unclear_ : unchanged_)[c.shown.metric];
      (told ? out_.folded : out_.comparisons).push_back(std::move(c.shown));
    }
    current_.clear();
  }

  void fold_all() {
    while (!candidates_.empty()) {
      const std::size_t benchmark = candidates_.front().benchmark;
      while (!candidates_.empty() && candidates_.front().benchmark == benchmark) {
        current_.push_back(std::move(candidates_.front()));
        candidates_.pop_front();
      }
      fold();
    }
  }

  void add_notes(std::size_t duplicates) {
    if (untested_ > 0 && tested_ == 0)
      out_.notes.push_back(fmt::format("{}, without statistics; run more (pawl run --runs 5)", kByThresholdAlone));
    if (duplicates > 0)
      out_.notes.push_back(fmt::format(
          "{} benchmarks have a name that comes more than once; they were compared in their order", duplicates));
    if (pairs_.two_sessions)
      out_.notes.emplace_back(
          "runs with the same pair number did not run next to each other: the sides are of two sessions, and are "
          "compared without pairs");
    if (of_aggregates_ > 0)
      out_.notes.push_back(fmt::format(
          "of {} benchmark{} one side has aggregates alone: compared by the medians (or means) of the process "
          "runs, not by their fastest repetitions",
          of_aggregates_, of_aggregates_ == 1 ? "" : "s"));
    if (of_fewer_ > 0)
      out_.notes.push_back(fmt::format(
          "{} benchmark{} more repetitions on one side than on the other: compared by the fastest of as many "
          "as the side with fewer has",
          of_fewer_, of_fewer_ == 1 ? " has" : "s have"));
    if (shared_rows_ + set_aside_rows_ > 0)
      out_.notes.push_back(fmt::format(
          "another hardware thread used the core in some process runs: set aside in {} benchmark{}, left in "
          "{} that have too few others; runs in turns (pawl ab) meet it alike",
          set_aside_rows_, set_aside_rows_ == 1 ? "" : "s", shared_rows_));
    for (const auto& [seen, alone, side] : {std::tuple{cores_.shared_base, cores_.base, "baseline"},
                                            std::tuple{cores_.shared_now, cores_.now, "new side"}})
      if (seen > 0)
        out_.notes.push_back(
            fmt::format("another hardware thread used the core all the time the {} was measured: {:.2f} operations per "
                        "cycle at most, and {:.2f} on the other side",
                        side, seen, alone));
    const auto counts = [](const std::map<std::string, std::size_t>& metrics) {
      std::string text;
      for (const auto& [metric, count] : metrics)
        text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", metric, count);
      return text;
    };
    if (!unchanged_.empty())
      out_.notes.push_back("also judged, with nothing to add to the rows above: " + counts(unchanged_));
    if (!unclear_.empty())
      out_.notes.push_back("also judged, but inconclusive (--metric shows them): " + counts(unclear_));
    if (derived_ > 0)
      out_.notes.push_back(fmt::format("{} rates are work over time, so the time stands for them", derived_));
    for (const auto& [metric, count] : vanished_)
      out_.notes.push_back(fmt::format("{} is missing in {} benchmark{} that had it in the baseline", metric, count,
                                       count == 1 ? "" : "s"));
    if (!guessed_.empty())
      out_.notes.push_back(
          fmt::format("that more is worse is a guess for {}; a rule's \"direction\" in thresholds.json "
                      "says which way it is",
                      fmt::join(guessed_, ", ")));
  }

  const ResultSet& base_;
  const ResultSet& now_;
  const Policy& policy_;
  ThresholdTable table_;
  Pairing pairs_;
  const FreeCores cores_ = free_cores(base_, now_);
  const model::Interned variance_{kVariance};
  std::unordered_map<model::Interned, Traits> traits_;
  std::vector<model::Interned> seen_;  // scratch of compare()
  std::vector<Candidate> current_;     // of one benchmark
  std::deque<Candidate> candidates_;
  std::size_t common_ = 0, matched_ = 0, derived_ = 0, tested_ = 0, untested_ = 0;
  std::size_t shared_rows_ = 0, set_aside_rows_ = 0, of_aggregates_ = 0, of_fewer_ = 0;
  std::map<std::string, std::size_t> unchanged_, unclear_, vanished_;  // metrics that nobody asked for
  std::set<std::string> guessed_;                                      // metrics whose direction nobody said
  Judgement out_;
};

}  // namespace

Judgement judge(const ResultSet& base, const ResultSet& now, const Policy& policy) {
  return Judge(base, now, policy).run();
}

}  // namespace pawl::decide
