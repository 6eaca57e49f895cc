// made_outcome.hpp -- an Outcome with one of everything that formats have to cope with.
#pragma once
#include <cmath>
#include <limits>
#include <string>

#include "show/outcome.hpp"

namespace pawl::show {

inline decide::Comparison made(const std::string& name, decide::Verdict verdict, double base, double now, double half) {
  decide::Comparison c;
  c.name = name;
  c.metric = "real_time";
  c.verdict = verdict;
  c.base = base;
  c.now = now;
  c.change = now / base - 1;
  c.low = c.change - half;
  c.high = c.change + half;
  c.minimal_detectable = 1.5 * half;
  c.p_value = 0.001;
  c.q_value = 0.002;
  c.runs_base = 5;
  c.runs_new = 5;
  c.warning = 0.05;
  c.critical = 0.10;
  c.reason = "established";
  c.time_unit = "ms";
  return c;
}

inline decide::Comparison structural(const std::string& name, decide::Verdict verdict, const std::string& reason) {
  decide::Comparison c;
  c.name = name;
  c.metric = "real_time";
  c.verdict = verdict;
  c.base = c.now = c.change = c.low = c.high = std::nan("");
  c.minimal_detectable = std::numeric_limits<double>::infinity();
  c.reason = reason;
  return c;
}

/// One comparison of each verdict, sorted as judge() sorts; the first stands in a known source file.
inline decide::Judgement one_of_each() {
  using decide::Verdict;
  decide::Judgement judgement;
  auto& list = judgement.comparisons;
  list.push_back(structural("fft/f32/pawl/n:64", Verdict::failed, "ran before, now fails: wrong result"));
  list.push_back(made("matmul/f32/pawl/m:1024/n:1024/k:1024", Verdict::critical, 18.7e-3, 22.7e-3, 0.014));
  list.back().source = "benches/tensor/matmul_bench.cpp:42";
  list.push_back(structural("dot/f64/pawl/n:65536", Verdict::removed, "was in the baseline, is not in this run"));
  list.push_back(made("softmax/f32/pawl/n:1000", Verdict::warning, 0.31e-6, 0.3292e-6, 0.012));
  list.back().time_unit = "us";
  list.push_back(made("spmv/f64/pawl/kind:random/n:1e6", Verdict::inconclusive, 2e-3, 2.04e-3, 0.09));
  list.back().more_runs = 14;
  list.push_back(made("fft/f32/pawl/n:1009", Verdict::improvement, 1e-6, 0.59e-6, 0.005));
  list.back().time_unit = "ns";
  list.push_back(structural("relu/f32/pawl/n:8", Verdict::added, "is not in the baseline"));
  list.push_back(made("sum/f32/pawl/n:8", Verdict::stable, 5e-9, 5.01e-9, 0.004));
  list.back().time_unit = "ns";
  judgement.summary = {.critical = 1,
                       .warning = 1,
                       .improvement = 1,
                       .stable = 1,
                       .inconclusive = 1,
                       .added = 1,
                       .removed = 1,
                       .failed = 1};
  return judgement;
}

inline Outcome outcome_of(const decide::Judgement& judgement) {
  Outcome outcome;
  outcome.judgement = &judgement;
  outcome.exit_code = decide::exit_code(judgement, outcome.fail_on);
  outcome.base = {"main", "amd-zen5-avx512-2c", "1a2b3c4d5e6f7a8b", "2026-01-02T03:04:05Z", 5, 7};
  outcome.now = {"results/today", "amd-zen5-avx512-2c", "", "2026-01-03T03:04:05Z", 5, 7};
  outcome.tool = "pawl 1.2.3";
  return outcome;
}

}  // namespace pawl::show
