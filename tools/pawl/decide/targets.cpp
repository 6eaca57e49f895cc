// targets.cpp -- intervals around means of logarithms, set against a bar; where a run has none, run by run.
#include "decide/targets.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "decide/distributions.hpp"
#include "decide/moderation.hpp"
#include "decide/pattern.hpp"

namespace pawl::decide {
namespace {

// Logarithms of one row's runs.
struct Logs {
  const TargetRow* row = nullptr;  // null: the mean over rows
  double mean = 0;
  Variance variance;  // of one run
  std::size_t runs = 0;
};

Logs logs_of(const TargetRow* row, const std::vector<double>& values) {
  Logs logs{row, 0, {}, values.size()};
  for (const double v : values) logs.mean += std::log(v);
  const auto n = static_cast<double>(values.size());
  logs.mean /= n;
  if (values.size() < 2) return logs;
  for (const double v : values) logs.variance.value += (std::log(v) - logs.mean) * (std::log(v) - logs.mean);
  logs.variance.df = n - 1;
  logs.variance.value /= logs.variance.df;
  return logs;
}

bool all_positive(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double v) { return v > 0; });
}

// The mean over rows of their k-th runs, for as many runs as every row has; 0 where a row is not above it.
std::vector<double> means_over_rows(const std::vector<const TargetRow*>& rows) {
  std::size_t runs = rows.front()->values.size();
  for (const TargetRow* row : rows) runs = std::min(runs, row->values.size());
  std::vector<double> means(runs, 0);
  for (const TargetRow* row : rows) {
    for (std::size_t k = 0; k < runs; ++k) means[k] += std::log(std::max(row->values[k], 0.0));
  }
  for (double& mean : means) mean = std::exp(mean / static_cast<double>(rows.size()));
  return means;
}

void share_variances(std::vector<Logs>& all) {
  std::vector<Variance> variances;
  double total_df = 0;
  for (const Logs& logs : all) {
    variances.push_back(logs.variance);
    total_df += logs.variance.df;
  }
  const Prior prior = estimate_prior(variances);
  for (Logs& logs : all) {
    if (logs.runs >= 2) logs.variance = moderate(logs.variance, prior, total_df);
  }
}

double half_width(const Logs& logs, double tail) {
  if (logs.runs < 2) return 0;
  return t_quantile_two_sided(tail, logs.variance.df) * std::sqrt(logs.variance.value / static_cast<double>(logs.runs));
}

// One row, or the mean over rows, against its bar.
struct Judged {
  const TargetRow* row = nullptr;
  double value = 0, low = 0, high = 0;
  double shortfall = 0;  // on the scale of logarithms; above 0: short of the bar
  Reach reach = Reach::met;
  std::size_t runs = 0;
};

double shortfall_of(const Target& target, double log_value) {
  return target.at_least ? std::log(*target.at_least) - log_value : log_value - std::log(*target.at_most);
}

Judged by_interval(const Target& target, const Logs& logs, double tail) {
  const double width = half_width(logs, tail);
  Judged judged{logs.row,
                std::exp(logs.mean),
                std::exp(logs.mean - width),
                std::exp(logs.mean + width),
                shortfall_of(target, logs.mean),
                Reach::met,
                logs.runs};
  if (judged.shortfall > 0) judged.reach = judged.shortfall > width ? Reach::missed : Reach::unclear;
  return judged;
}

Judged by_runs(const Target& target, const TargetRow* row, const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  const auto reaches = [&](double v) { return target.at_least ? v >= *target.at_least : v <= *target.at_most; };
  const auto reaching = std::ranges::count_if(values, reaches);
  const auto n = static_cast<double>(values.size());
  const double worst = std::max(target.at_least ? low : high, 0.0);
  Judged judged{row,
                std::accumulate(values.begin(), values.end(), 0.0) / n,
                low,
                high,
                shortfall_of(target, std::log(worst)),
                Reach::unclear,
                values.size()};
  if (reaching == 0) judged.reach = Reach::missed;
  if (std::cmp_equal(reaching, values.size())) judged.reach = Reach::met;
  return judged;
}

std::vector<Judged> judge_rows(const Target& target, const std::vector<const TargetRow*>& measured, double confidence) {
  std::vector<Logs> all;
  std::vector<Judged> all_judged;
  const double tail = (1 - confidence) / (target.geometric_mean ? 1.0 : static_cast<double>(measured.size()));
  const auto take = [&](const TargetRow* row, const std::vector<double>& values) {
    if (all_positive(values)) {
      all.push_back(logs_of(row, values));
    } else {
      all_judged.push_back(by_runs(target, row, values));
    }
  };
  if (target.geometric_mean) {
    take(nullptr, means_over_rows(measured));
  } else {
    for (const TargetRow* row : measured) take(row, row->values);
    share_variances(all);
  }
  for (const Logs& logs : all) all_judged.push_back(by_interval(target, logs, tail));
  return all_judged;
}

}  // namespace

Reached judge_target(const Target& target, const std::vector<TargetRow>& rows, double confidence) {
  Reached reached;
  const Pattern pattern(target.pattern);
  std::vector<const TargetRow*> measured;
  for (const TargetRow& row : rows) {
    if (!pattern.match_length(row.name)) continue;
    ++reached.matching;
    if (!row.values.empty()) measured.push_back(&row);
    if (!row.failure.empty() && reached.failed++ == 0) {
      reached.failed_row = row.name;
      reached.failure = row.failure;
    }
  }
  reached.measured = measured.size();
  if (measured.empty()) {
    if (reached.failed > 0) reached.reach = Reach::missed;
    return reached;
  }

  const std::vector<Judged> all = judge_rows(target, measured, confidence);
  const Judged* worst = &all.front();
  reached.reach = Reach::met;
  for (const Judged& each : all) {
    // Of rows that are infinitely short the one whose value is.
    const bool lower = each.shortfall == worst->shortfall && target.at_least && each.value < worst->value;
    if (each.shortfall > worst->shortfall || lower) worst = &each;
    if (each.reach == Reach::missed) ++reached.short_of;
    if (each.reach == Reach::unclear) reached.reach = Reach::unclear;
  }
  if (reached.short_of + reached.failed > 0) reached.reach = Reach::missed;
  if (worst->row != nullptr) reached.worst = worst->row->name;
  reached.value = worst->value;
  reached.low = worst->low;
  reached.high = worst->high;
  reached.runs = worst->runs;
  return reached;
}

const char* word(Reach reach) {
  switch (reach) {
    case Reach::met:
      return "met";
    case Reach::unclear:
      return "unclear";
    case Reach::missed:
      return "missed";
    case Reach::not_applicable:
      break;
  }
  return "not applicable";
}

}  // namespace pawl::decide
