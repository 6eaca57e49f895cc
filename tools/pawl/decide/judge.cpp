// judge.cpp -- matches benchmarks of both sides, tests each metric, corrects over the family, says verdicts.
#include "decide/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "decide/distributions.hpp"
#include "decide/effect.hpp"
#include "decide/thresholds.hpp"

namespace pawl::decide {
namespace {

using model::Benchmark;
using model::Reading;
using model::ResultSet;
using model::Status;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A comparison on its way: what is shown, and what the family needs to know of it.
struct Open {
  Comparison shown;
  Effect effect;
  Applied applied;
  bool tested = false;      // has a variance, so that a test is possible
  double deviation_sq = 0;  // squared standard error, once variances are moderated
  double df = 0;
};

double median(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(half));
  if (values.size() % 2 == 1) return values[half];
  return (values[half] + *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half))) / 2;
}

std::string key_of(const Benchmark& b) { return b.executable.str() + '\n' + b.name; }

bool ran(const Benchmark& b) {
  return std::ranges::any_of(b.readings, [](const Reading& r) { return r.status == Status::ok && !r.series.empty(); });
}

// Medians of the process runs that have the metric; `unusable` counts runs whose value is not a positive number.
std::vector<RunValue> run_values(const ResultSet& set, const Benchmark& b, const std::string& metric,
                                 std::size_t& unusable) {
  std::vector<RunValue> values;
  for (const Reading& reading : b.readings) {
    const model::Series* series = reading.status == Status::ok ? reading.find(metric) : nullptr;
    if (series == nullptr || series->values.empty()) continue;
    const double value = median({series->values.begin(), series->values.end()});
    if (!(value > 0) || std::isinf(value)) {
      ++unusable;
      continue;
    }
    const int pair = reading.process < set.processes.size() ? set.processes[reading.process].pair_index : -1;
    values.push_back({std::log(value), pair});
  }
  return values;
}

double geometric_mean(const std::vector<RunValue>& values) {
  double sum = 0;
  for (const RunValue& v : values) sum += v.log_value;
  return std::exp(sum / static_cast<double>(values.size()));
}

std::string failure_message(const Benchmark& b) {
  for (const Reading& r : b.readings)
    if (r.status != Status::ok)
      return fmt::format("{}{}{}", r.status == Status::failed ? "fails" : "is skipped", r.message.empty() ? "" : ": ",
                         r.message.str());
  return "has no measurement";
}

std::size_t count_ran(const Benchmark& b) {
  return static_cast<std::size_t>(
      std::ranges::count_if(b.readings, [](const Reading& r) { return r.status == Status::ok; }));
}

Comparison structural(const Benchmark& b, Verdict verdict, std::string reason) {
  Comparison c;
  c.name = b.name;
  c.executable = b.executable.str();
  c.metric = model::kRealTime;
  c.verdict = verdict;
  c.base = c.now = c.change = c.low = c.high = std::numeric_limits<double>::quiet_NaN();
  c.minimal_detectable = kInfinity;
  c.reason = std::move(reason);
  c.time_unit = b.time_unit.str();
  c.source = b.source.str();
  return c;
}

// Zero and small counts have no logarithm: they are compared as the numbers that they are.
bool compare_counts(const ResultSet& base, const ResultSet& now, const Benchmark& b, const Benchmark& n,
                    const std::string& metric, const Applied& applied, Comparison& c) {
  const auto values = [&](const Benchmark& x) {
    std::vector<double> all;
    for (const Reading& r : x.readings)
      if (const model::Series* s = r.status == Status::ok ? r.find(metric) : nullptr; s && !s->values.empty())
        all.push_back(median({s->values.begin(), s->values.end()}));
    return all;
  };
  (void)base;
  (void)now;
  const auto before = values(b), after = values(n);
  if (before.empty() || after.empty()) return false;
  const double x = median(before), y = median(after);
  if (!std::isfinite(x) || !std::isfinite(y) || (x > 0 && y > 0)) return false;
  c.base = x;
  c.now = y;
  c.change = x == y ? 0 : x == 0 ? (y > 0 ? kInfinity : -kInfinity) : y / x - 1;
  c.low = c.high = c.change;
  c.minimal_detectable = 0;
  const bool grew = y > x, worse = x != y && grew == (applied.direction == Direction::larger_is_worse);
  c.verdict = x == y ? Verdict::stable : worse ? Verdict::critical : Verdict::improvement;
  c.reason = x == y ? fmt::format("{} on both sides", x) : fmt::format("{} before, {} now", x, y);
  return true;
}

// Benjamini and Hochberg (1995): the smallest false discovery rate at which each would be called.
void correct_family(std::vector<Open*>& tested) {
  std::ranges::sort(tested, {}, [](const Open* o) { return *o->shown.p_value; });
  double q = 1;
  for (std::size_t i = tested.size(); i-- > 0;) {
    q = std::min(q, *tested[i]->shown.p_value * static_cast<double>(tested.size()) / static_cast<double>(i + 1));
    tested[i]->shown.q_value = q;
  }
}

constexpr std::size_t kEnoughForDrift = 8;  // fewer differences say too little about their spread

// Results of two sessions differ by more than their runs scatter: the machine itself drifted in between. How much is
// estimated from the differences of all benchmarks, most of which did not change: their robust spread beyond what their
// own standard errors explain. Interleaved pairs met the same machine and need none of it.
double between_sessions_variance(const std::vector<Open*>& tested) {
  constexpr double kLeast = 0.005;  // half a percent: the least drift seen between two sessions of one binary
  constexpr double kMadToSigma = 1.4826;
  std::vector<double> differences, errors;
  for (const Open* o : tested)
    if (!o->effect.paired) {
      differences.push_back(o->effect.difference);
      errors.push_back(o->deviation_sq);
    }
  if (differences.empty()) return 0;
  double variance = kLeast * kLeast;
  if (differences.size() >= kEnoughForDrift) {
    std::vector<double> deviations;
    for (double d : differences)
      deviations.push_back(std::fabs(d));  // around no change: a common shift is drift as well
    const double sigma = kMadToSigma * median(deviations);
    variance = std::max(variance, sigma * sigma - median(errors));
  }
  return variance;
}

// Adds the drift to the squared standard error, with the degrees of freedom of the sum: Satterthwaite (1946). The drift
// is known from all benchmarks together, so where it is most of the error, the error is known far better than three
// runs could tell. With too few benchmarks it is a constant, and adds none of its own.
void add_drift(Open& o, double drift, std::size_t benchmarks) {
  const double total = o.deviation_sq + drift;
  double uncertainty = o.deviation_sq * o.deviation_sq / o.df;
  if (benchmarks >= kEnoughForDrift) uncertainty += drift * drift / static_cast<double>(benchmarks - 1);
  if (uncertainty > 0) o.df = total * total / uncertainty;
  o.deviation_sq = total;
}

// A CRITICAL fails builds, so it takes a tenth of the false discovery rate that a WARNING may have.
constexpr double kCriticalShare = 0.1;
// Chance, both sides together, that a change of just the threshold is called STABLE: 0.5 % in the direction that
// matters.
constexpr double kStableError = 0.01;

void say_verdict(Open& o, const Policy& policy) {
  Comparison& c = o.shown;
  const Thresholds& t = o.applied.thresholds;
  const double sign = o.applied.direction == Direction::larger_is_worse ? 1 : -1;
  // Worse is positive from here on; a rate that falls by x takes 1 / (1 - x) times as long, so logarithms keep
  // symmetry.
  const double worse = sign * o.effect.difference;
  const double warning = std::log1p(t.warning), critical = std::log1p(t.critical), better = std::log1p(t.improvement);
  if (!o.tested) {
    c.low = -1;
    c.high = kInfinity;
    c.minimal_detectable = kInfinity;
    c.warnings.push_back("one run a side: judged by the threshold alone");
    c.verdict = worse >= critical  ? Verdict::critical
                : worse >= warning ? Verdict::warning
                : worse <= -better ? Verdict::improvement
                                   : Verdict::inconclusive;
    c.reason = c.verdict == Verdict::inconclusive ? "within the threshold, but one run a side cannot tell more"
                                                  : "beyond the threshold, by one run a side";
    return;
  }
  const double error = std::sqrt(o.deviation_sq);
  const double reach = t_quantile_two_sided(1 - policy.confidence, o.df) * error;
  c.low = std::expm1(o.effect.difference - reach);
  c.high = std::expm1(o.effect.difference + reach);
  const double worst = worse + reach, best = worse - reach;
  const double detectable = t_quantile_two_sided(policy.alpha, o.df) * error;
  c.minimal_detectable = std::expm1(detectable);
  // "No change that would matter" must be wrong less often than the interval shown is.
  // Between sessions the drift does not shrink with more runs; there the interval itself has to do.
  const double sure = o.effect.paired ? t_quantile_two_sided(kStableError, o.df) * error : reach;
  const bool established = *c.q_value <= policy.alpha;
  // An established change whose interval reaches the threshold, and whose estimate is at least half of it: to ask for
  // an estimate above the threshold would miss half of all changes that are exactly as large.
  if (established && worse >= critical && *c.q_value <= policy.alpha * kCriticalShare) {
    c.verdict = Verdict::critical;
    c.reason = fmt::format("established, at least the critical threshold of {:.3g} %", 100 * t.critical);
  } else if (established && worst >= warning && worse >= warning / 2) {
    c.verdict = Verdict::warning;
    c.reason = worse >= warning
                   ? fmt::format("established, at least the {} threshold of {:.3g} %",
                                 worse >= critical ? "critical" : "warning",
                                 100 * (worse >= critical ? t.critical : t.warning)) +
                         (worse >= critical ? ", but not surely enough to be critical" : "")
                   : fmt::format("established, and may reach the warning threshold of {:.3g} %", 100 * t.warning);
  } else if (established && -worse >= better) {
    c.verdict = Verdict::improvement;
    c.reason = "established";
  } else if (worse + sure < warning && best > -better) {
    c.verdict = Verdict::stable;
    c.reason =
        established ? "a change is established, but it is surely below the threshold" : "no change that would matter";
  } else if (worse + sure < warning && established) {
    c.verdict = Verdict::stable;
    c.reason = "not slower; faster by less than counts as an improvement";
  } else {
    c.verdict = Verdict::inconclusive;
    // The interval has to shrink to the distance between the estimate and the nearest bound; it shrinks with the root
    // of runs.
    const double room = std::max(std::fabs(warning - std::fabs(worse)), warning / 4);
    const double factor = std::pow(std::max({reach, detectable, sure}) / room, 2);
    const auto runs = static_cast<double>(o.effect.runs);
    c.more_runs = static_cast<std::size_t>(std::min(std::max(1.0, std::ceil(runs * (factor - 1))), 1000.0));
    c.reason = fmt::format("could be up to {:+.1f} %; about {} more runs a side would settle it",
                           100 * std::expm1(sign * worst), c.more_runs);
  }
  if (c.critical_path && c.verdict == Verdict::warning) {
    c.verdict = Verdict::critical;
    c.reason += "; on the critical path";
  }
}

void add_shift(Judgement& judgement, const std::vector<Open*>& tested, const ResultSet& base, const ResultSet& now) {
  std::vector<double> differences;
  for (const Open* o : tested)
    if (o->shown.metric == model::kRealTime) differences.push_back(o->effect.difference);
  constexpr std::size_t kEnough = 8;
  if (differences.size() < kEnough) return;
  std::ranges::sort(differences);
  // The median's distribution-free interval: order statistics by the normal approximation of the binomial (95 %).
  const auto n = static_cast<double>(differences.size());
  const double half = 0.98 * std::sqrt(n);  // 1.96 / 2
  const auto at = [&](double rank) { return differences[static_cast<std::size_t>(std::clamp(rank, 0.0, n - 1))]; };
  SuiteShift shift{std::expm1(median(differences)),
                   std::expm1(at(std::floor(n / 2 - half))),
                   std::expm1(at(std::ceil(n / 2 + half))),
                   {},
                   {}};
  const auto yardsticks = [](const ResultSet& set) {
    std::unordered_map<std::string, std::vector<double>> logs;
    for (const model::Process& p : set.processes)
      for (const auto* side : {&p.yardsticks_start, &p.yardsticks_end})
        for (const auto& [name, value] : *side)
          if (value > 0) logs[name].push_back(std::log(value));
    return logs;
  };
  const auto before = yardsticks(base), after = yardsticks(now);
  std::vector<double> moved;
  for (const auto& [name, values] : before)
    if (const auto found = after.find(name); found != after.end())
      moved.push_back(median(values) - median(found->second));
  if (!moved.empty()) shift.yardstick_change = std::expm1(median(moved));
  if (shift.low <= 0 && shift.high >= 0) return;  // no common shift
  if (std::fabs(shift.change) < 0.01) return;     // below a percent nobody acts on it
  shift.reason = fmt::format("half of all benchmarks changed by {:+.1f} % or more", 100 * shift.change);
  if (shift.yardstick_change)
    shift.reason += fmt::format("; the machine itself, by its yardsticks, by {:+.1f} %", 100 * *shift.yardstick_change);
  judgement.shift = shift;
}

void count(Summary& s, Verdict v) {
  switch (v) {
    case Verdict::critical:
      ++s.critical;
      break;
    case Verdict::warning:
      ++s.warning;
      break;
    case Verdict::improvement:
      ++s.improvement;
      break;
    case Verdict::stable:
      ++s.stable;
      break;
    case Verdict::inconclusive:
      ++s.inconclusive;
      break;
    case Verdict::added:
      ++s.added;
      break;
    case Verdict::removed:
      ++s.removed;
      break;
    case Verdict::failed:
      ++s.failed;
      break;
  }
}

class Judge {
 public:
  Judge(const ResultSet& base, const ResultSet& now, const Policy& policy)
      : base_(base), now_(now), policy_(policy), table_(policy) {}

  Judgement run() {
    std::unordered_map<std::string, const Benchmark*> in_base;
    for (const Benchmark& b : base_.benchmarks) in_base.emplace(key_of(b), &b);
    std::unordered_map<std::string, bool> seen;
    for (const Benchmark& n : now_.benchmarks) {
      seen.emplace(key_of(n), true);
      const auto found = in_base.find(key_of(n));
      if (found == in_base.end()) {
        add_new(n);
      } else {
        compare(*found->second, n);
      }
    }
    for (const Benchmark& b : base_.benchmarks)
      if (!seen.contains(key_of(b)))
        done_.push_back(structural(b, Verdict::removed, "was in the baseline, is not in this run"));
    finish();
    return std::move(judgement_);
  }

 private:
  void add_new(const Benchmark& n) {
    if (ran(n))
      done_.push_back(structural(n, Verdict::added, "is not in the baseline"));
    else
      done_.push_back(structural(n, Verdict::failed, "is new and " + failure_message(n)));
  }

  void compare(const Benchmark& b, const Benchmark& n) {
    if (!ran(n)) {
      auto c = structural(n, Verdict::failed,
                          (ran(b) ? "ran before, now " : "did not run before either; ") + failure_message(n));
      c.runs_base = count_ran(b);
      done_.push_back(std::move(c));
      ++common_;
      return;
    }
    if (!ran(b)) {
      done_.push_back(
          structural(n, Verdict::added, "has no measurement in the baseline, where it " + failure_message(b)));
      return;
    }
    bool any = false;
    for (const std::string& metric : policy_.metrics) any = compare_metric(b, n, metric) || any;
    if (!any) {
      done_.push_back(structural(n, Verdict::failed, "no metric of this comparison is on both sides"));
      return;
    }
    ++common_;
    const std::size_t ok = count_ran(n);
    if (ok < n.readings.size())
      done_.push_back(structural(
          n, Verdict::failed,
          fmt::format("{} in {} of {} process runs", failure_message(n), n.readings.size() - ok, n.readings.size())));
  }

  bool compare_metric(const Benchmark& b, const Benchmark& n, const std::string& metric) {
    Open o;
    o.applied = table_.find(metric, n.name);
    Comparison& c = o.shown;
    c.name = n.name;
    c.executable = n.executable.str();
    c.metric = metric;
    c.time_unit = n.time_unit.str();
    c.source = n.source.str();
    c.warning = o.applied.thresholds.warning;
    c.critical = o.applied.thresholds.critical;
    c.gated = o.applied.gate;
    c.critical_path = o.applied.critical_path;
    std::size_t unusable = 0;
    const auto before = run_values(base_, b, metric, unusable), after = run_values(now_, n, metric, unusable);
    c.runs_base = before.size();
    c.runs_new = after.size();
    if (before.empty() || after.empty() || unusable > 0) {
      if (compare_counts(base_, now_, b, n, metric, o.applied, c)) {
        done_.push_back(std::move(c));
        return true;
      }
      if (before.empty() || after.empty()) return false;
      c.warnings.push_back(fmt::format("{} runs have no positive value and were left out", unusable));
    }
    o.effect = measure_effect(before, after);
    o.tested = o.effect.variance.df >= 1;
    c.base = geometric_mean(before);
    c.now = geometric_mean(after);
    c.change = c.now / c.base - 1;
    c.paired = o.effect.paired;
    open_.push_back(std::move(o));
    return true;
  }

  void finish() {
    // Borrowing strength only makes sense among benchmarks of one metric and one number of runs' design.
    std::unordered_map<std::string, std::vector<Open*>> families;
    std::vector<Open*> tested;
    for (Open& o : open_)
      if (o.tested) {
        families[o.shown.metric + (o.effect.paired ? "+" : "-")].push_back(&o);
        tested.push_back(&o);
      }
    for (auto& [name, members] : families) {
      std::vector<Variance> variances;
      double total_df = 0;
      for (const Open* o : members) {
        variances.push_back(o->effect.variance);
        total_df += o->effect.variance.df;
      }
      const Prior prior = estimate_prior(variances);
      for (Open* o : members) {
        const Variance v = moderate(o->effect.variance, prior, total_df);
        o->deviation_sq = v.value * o->effect.per_variance;
        o->df = v.df;
      }
      const double drift = between_sessions_variance(members);
      for (Open* o : members) {
        if (!o->effect.paired) add_drift(*o, drift, members.size());
        const double error = std::sqrt(o->deviation_sq);
        o->shown.p_value =
            error > 0 ? t_two_sided(o->effect.difference / error, o->df) : (o->effect.difference == 0 ? 1 : 0);
      }
    }
    correct_family(tested);
    for (Open& o : open_) say_verdict(o, policy_);
    add_shift(judgement_, tested, base_, now_);
    for (Open& o : open_) done_.push_back(std::move(o.shown));
    if (!open_.empty() && tested.empty())
      judgement_.notes.push_back(
          "one process run a side: judged by the thresholds alone, without statistics; run more (pawl run --runs 5)");
    for (const Comparison& c : done_) count(judgement_.summary, c.verdict);
    std::ranges::stable_sort(done_, [](const Comparison& a, const Comparison& b) {
      if (a.verdict != b.verdict) return a.verdict < b.verdict;
      const double x = std::isfinite(a.change) ? std::fabs(a.change) : 0,
                   y = std::isfinite(b.change) ? std::fabs(b.change) : 0;
      return x > y;
    });
    judgement_.comparisons = std::move(done_);
    judgement_.comparable = common_ > 0;
  }

  const ResultSet& base_;
  const ResultSet& now_;
  const Policy& policy_;
  ThresholdTable table_;
  std::vector<Open> open_;
  std::vector<Comparison> done_;
  std::size_t common_ = 0;
  Judgement judgement_;
};

}  // namespace

Judgement judge(const ResultSet& base, const ResultSet& now, const Policy& policy) {
  return Judge(base, now, policy).run();
}

int exit_code(const Comparison& comparison, FailOn fail_on) {
  if (!comparison.gated || fail_on == FailOn::never) return 0;
  switch (comparison.verdict) {
    case Verdict::critical:
    case Verdict::failed:
    case Verdict::removed:
      return 1;
    case Verdict::warning:
      return fail_on == FailOn::critical ? 0 : 1;
    case Verdict::inconclusive:
      return fail_on == FailOn::inconclusive ? 4 : 0;
    case Verdict::improvement:
    case Verdict::added:
    case Verdict::stable:
      break;
  }
  return 0;
}

int exit_code(const Judgement& judgement, FailOn fail_on) {
  if (!judgement.comparable) return 3;
  bool undecided = false;
  for (const Comparison& c : judgement.comparisons) {
    const int code = exit_code(c, fail_on);
    if (code == 1) return 1;
    undecided = undecided || code == 4;
  }
  return undecided ? 4 : 0;
}

}  // namespace pawl::decide
