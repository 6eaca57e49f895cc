// targets.cpp -- intervals around means of logarithms, set against a bar.
#include "decide/targets.hpp"

#include <algorithm>
#include <cmath>

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

// The mean over rows of their k-th runs, for as many runs as every row has.
std::vector<double> means_over_rows(const std::vector<const TargetRow*>& rows) {
  std::size_t runs = rows.front()->values.size();
  for (const TargetRow* row : rows) runs = std::min(runs, row->values.size());
  std::vector<double> means(runs, 0);
  for (const TargetRow* row : rows) {
    for (std::size_t k = 0; k < runs; ++k) means[k] += std::log(row->values[k]);
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

}  // namespace

Reached judge_target(const Target& target, const std::vector<TargetRow>& rows, double confidence) {
  Reached reached;
  const Pattern pattern(target.pattern);
  std::vector<const TargetRow*> measured;
  for (const TargetRow& row : rows) {
    if (!pattern.match_length(row.name)) continue;
    ++reached.matching;
    if (!row.values.empty()) measured.push_back(&row);
  }
  reached.measured = measured.size();
  if (measured.empty()) return reached;

  std::vector<Logs> all;
  if (target.geometric_mean) {
    all.push_back(logs_of(nullptr, means_over_rows(measured)));
  } else {
    for (const TargetRow* row : measured) all.push_back(logs_of(row, row->values));
    share_variances(all);
  }

  // Above 0: short of the bar by that much, on the scale of logarithms.
  const double bar = std::log(target.at_least ? *target.at_least : *target.at_most);
  const auto shortfall = [&](const Logs& logs) { return target.at_least ? bar - logs.mean : logs.mean - bar; };
  const double tail = (1 - confidence) / static_cast<double>(all.size());
  const Logs* worst = &all.front();
  for (const Logs& logs : all) {
    if (shortfall(logs) > shortfall(*worst)) worst = &logs;
    if (shortfall(logs) > half_width(logs, tail)) ++reached.short_of;
  }
  reached.reach = reached.short_of > 0 ? Reach::missed : shortfall(*worst) > 0 ? Reach::unclear : Reach::met;
  if (worst->row != nullptr) reached.worst = worst->row->name;
  const double width = half_width(*worst, tail);
  reached.value = std::exp(worst->mean);
  reached.low = std::exp(worst->mean - width);
  reached.high = std::exp(worst->mean + width);
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
