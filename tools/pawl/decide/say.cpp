// say.cpp -- see say.hpp.
#include "decide/say.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "decide/bounds.hpp"
#include "decide/quantiles.hpp"

namespace pawl::decide {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A CRITICAL fails builds, so it takes a fifteenth of the false discovery rate that a WARNING may have: 0.1 %.
constexpr double kCriticalShare = 1 / 15.0;
// Of an allocation count: start-up costs spread over the iterations make fractions; half an allocation an iteration is
// more than they explain, a twentieth is less than anybody acts on.
constexpr double kCountMatters = 0.05, kCountCritical = 0.5;
// Beyond this many more runs a side the advice would be another benchmark, not more runs.
constexpr double kMostRuns = 1000;

double as_change(double on_scale, Scale scale) {
  if (scale == Scale::log) return std::expm1(on_scale);
  if (scale == Scale::relative) return on_scale;
  return on_scale > 0 ? kInfinity : on_scale < 0 ? -kInfinity : 0.0;
}

double sign_of(const Candidate& c) { return c.applied.direction == Direction::larger_is_worse ? 1 : -1; }

void set_interval(Comparison& shown, const Effect& effect, double reach) {
  shown.low = as_change(effect.difference - reach, effect.scale);
  shown.high = as_change(effect.difference + reach, effect.scale);
}

// One run a side: nothing is established.
void by_threshold_alone(Candidate& c) {
  Comparison& shown = c.shown;
  const Bounds bounds = bounds_of(c);
  const double worse = sign_of(c) * c.effect.difference;
  shown.minimal_detectable = kInfinity;
  if (!c.timing && c.effect.difference == 0) {
    shown.verdict = Verdict::stable;
    shown.low = shown.high = 0;
    shown.reason = fmt::format("{} on both sides", shown.now);
    return;
  }
  shown.low = c.effect.scale == Scale::log ? -1 : -kInfinity;
  shown.high = kInfinity;
  shown.warnings.emplace_back(kByThresholdAlone);
  shown.verdict = worse >= bounds.critical  ? Verdict::critical
                  : worse >= bounds.warning ? Verdict::warning
                  : worse <= -bounds.better ? Verdict::improvement
                                            : Verdict::inconclusive;
  shown.reason = shown.verdict == Verdict::inconclusive ? "within the threshold, but one run a side cannot tell more"
                                                        : "beyond the threshold, by one run a side";
}

void by_statistics(Candidate& c, const Policy& policy) {
  Comparison& shown = c.shown;
  const Thresholds& t = c.applied.thresholds;
  const Bounds bounds = bounds_of(c);
  const double sign = sign_of(c), worse = sign * c.effect.difference;
  const double alpha = alpha_of(c, policy);
  const double error = std::sqrt(c.deviation_sq);
  const auto reach_at = [&](double p) { return error > 0 ? t_quantile(p, c.df) * error : 0.0; };
  const double reach = interval_reach(c, policy.confidence), detectable = reach_at(c.cut);
  set_interval(shown, c.effect, reach);
  shown.minimal_detectable = as_change(detectable, c.effect.scale);
  const double worst = worse + reach, best = worse - reach;
  const double sure = sure_reach(c, policy.confidence);
  const bool established = *shown.q_value <= alpha;
  if (established && worse >= bounds.critical && *shown.q_value <= alpha * kCriticalShare) {
    shown.verdict = Verdict::critical;
    shown.reason = fmt::format("established, at least the critical threshold of {:.3g} %", 100 * t.critical);
  } else if (established && worse >= least_warning(c, policy.confidence)) {
    shown.verdict = Verdict::warning;
    if (worse >= bounds.critical)
      shown.reason =
          fmt::format("established, at least the critical threshold of {:.3g} %, but not surely enough to be critical",
                      100 * t.critical);
    else
      shown.reason = worse >= bounds.warning
                         ? fmt::format("established, at least the warning threshold of {:.3g} %", 100 * t.warning)
                         : fmt::format("established, and may reach the warning threshold of {:.3g} %", 100 * t.warning);
  } else if (established && -worse >= bounds.better) {
    shown.verdict = Verdict::improvement;
    shown.reason = "established";
  } else if (worse + sure + std::max(0.0, sign * c.common.doubtful) < bounds.warning &&
             (best > -bounds.better || established)) {
    shown.verdict = Verdict::stable;
    // A row too quiet to reach a threshold by chance costs the others no power (family.hpp): its rate is small though
    // nothing changed.
    const bool changed = established && *shown.p_value <= alpha;
    shown.reason = error == 0 && worse == 0 ? fmt::format("{} in every run", shown.now)
                   : !changed               ? "no change that would matter"
                   : best > -bounds.better  ? "a change is established, but it is surely below the threshold"
                                            : "not slower; faster by less than counts as an improvement";
  } else {
    shown.verdict = Verdict::inconclusive;
    // What shrinks with the root of the runs: what can be established has to come down to a change beyond the
    // threshold, the interval to the room that a smaller one leaves below it.
    const double room = std::max(bounds.warning - std::fabs(worse), bounds.warning / 4);
    const double factor =
        std::pow(std::fabs(worse) >= bounds.warning ? detectable / std::fabs(worse) : std::max(reach, sure) / room, 2);
    const auto runs = static_cast<double>(std::min(c.effect.runs_base, c.effect.runs_now));
    shown.more_runs = static_cast<std::size_t>(std::clamp(std::ceil(runs * (factor - 1)), 1.0, kMostRuns));
    const std::string more =
        fmt::format("about {} more run{} a side would settle it", shown.more_runs, shown.more_runs == 1 ? "" : "s");
    if (best >= bounds.warning)
      shown.reason = fmt::format(
          "looks like {:+.1f} % or worse, but so few runs of so many benchmarks bring that by chance, too; {}",
          100 * as_change(sign * best, c.effect.scale), more);
    else
      shown.reason = fmt::format("could be up to {:+.1f} %; {}", 100 * as_change(sign * worst, c.effect.scale), more);
  }
}

// Counts of allocations are whole numbers an iteration; fractions come from what happens once.
void by_count(Candidate& c) {
  Comparison& shown = c.shown;
  const double grown = std::fabs(shown.now - shown.base);
  const bool worse = shown.verdict == Verdict::critical || shown.verdict == Verdict::warning;
  const bool unclear = shown.verdict == Verdict::inconclusive && c.tested && shown.base < kCountCritical;
  if (!worse && !(unclear && grown < kCountMatters)) return;
  if (grown < kCountMatters) {
    shown.verdict = Verdict::stable;
    shown.reason = fmt::format("{:.3g} before, {:.3g} now: less than one in {:.0f} iterations", shown.base, shown.now,
                               1 / kCountMatters);
  } else if (grown < kCountCritical) {
    shown.verdict = Verdict::warning;
    shown.reason = fmt::format("{:.3g} before, {:.3g} now: not one more in every iteration", shown.base, shown.now);
  } else if (shown.base < kCountCritical) {
    shown.verdict = Verdict::critical;
    shown.reason = fmt::format("{:.3g} now in a loop that had none", shown.now);
  } else {
    shown.reason = fmt::format("{:.6g} before, {:.6g} now", shown.base, shown.now);
  }
}

// The scatter between process runs: it only ever warns.
void by_spread(Candidate& c, const Policy& policy) {
  Comparison& shown = c.shown;
  const Thresholds& t = c.applied.thresholds;
  shown.low = c.spread->low;
  shown.high = c.spread->high;
  shown.minimal_detectable = kInfinity;
  const bool established = *shown.q_value <= alpha_of(c, policy);
  if (established && shown.change >= t.warning) {
    shown.verdict = shown.change >= t.critical ? Verdict::critical : Verdict::warning;
    shown.reason =
        fmt::format("process runs scatter by {:.2g} %, before by {:.2g} %", 100 * shown.now, 100 * shown.base);
  } else if (established && 1 / (1 + shown.change) - 1 >= t.improvement) {
    shown.verdict = Verdict::improvement;
    shown.reason = "process runs scatter less";
  } else if (shown.high < t.warning) {
    shown.verdict = Verdict::stable;
    shown.reason = "no growth of the scatter that would matter";
  } else {
    shown.verdict = Verdict::inconclusive;
    shown.reason = c.spread->two_groups
                       ? "process runs are in two groups; how many of so few are in which may be chance"
                       : "the scatter of so few runs is known too roughly";
  }
}

// A time beside another hardware thread is a bound: the code takes no longer. So of one that looks slower only what is
// beyond the neighbour's doing is the code's, and against a baseline that was slowed nobody sees a small regression.
void by_shared_core(Candidate& c) {
  Comparison& shown = c.shown;
  const bool slower = shown.verdict == Verdict::critical || shown.verdict == Verdict::warning;
  const bool faster = shown.verdict == Verdict::improvement;
  const bool rests_on_shared = slower   ? c.shared.now > 0
                               : faster ? c.shared.base > 0
                                        : shown.verdict == Verdict::stable && c.shared.base > 0 && c.shared.now == 0;
  const double explained = explained_by_sharing(c.shared);
  if (!rests_on_shared || explained == 0) return;
  const Bounds bounds = bounds_of(c);
  const double change = std::fabs(c.effect.difference), left = change - explained;
  // What is left has to be established as well, where anything was.
  const double detectable = c.tested ? std::log1p(shown.minimal_detectable) : 0;
  if ((slower || faster) && left >= std::max(slower ? bounds.warning : bounds.better, detectable)) {
    if (shown.verdict == Verdict::critical && left < bounds.critical) shown.verdict = Verdict::warning;
    shown.reason += fmt::format("; of a factor of {:.3g} another hardware thread on the core can have made {:.3g}",
                                std::exp(change), std::exp(explained));
    return;
  }
  shown.verdict = Verdict::inconclusive;
  shown.more_runs = 0;
  shown.reason = fmt::format(
      "{:+.1f} %, but another hardware thread used the core in {} of {} process runs of the {}, which can make a "
      "factor of {:.3g}",
      100 * shown.change, slower ? c.shared.now : c.shared.base, slower ? shown.runs_new : shown.runs_base,
      slower ? "new side" : "baseline: save it again", std::exp(explained));
}

}  // namespace

void say_verdict(Candidate& c, const Policy& policy) {
  if (c.spread) {
    by_spread(c, policy);
  } else {
    c.tested ? by_statistics(c, policy) : by_threshold_alone(c);
    if (c.is_count) by_count(c);
    if (c.timing) by_shared_core(c);
  }
  if (c.shown.critical_path && c.shown.verdict == Verdict::warning && !c.spread) {
    c.shown.verdict = Verdict::critical;
    c.shown.reason += "; on the critical path";
  }
}

}  // namespace pawl::decide
