// disturbance.hpp -- what was seen of the machine during a process run -> the reasons, if any, to run it again.
//
// Pure. The limits are in docs/benchmarking.md with what was measured on a quiet machine.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/results.hpp"

namespace pawl::run {

/// Values above which a process run counts as disturbed.
struct QuietLimits {
  double real_over_cpu = 1.05;  ///< times the usual of this executable; quiet runs stay within 1.006
  double steal = 0.01;          ///< share of all CPUs' time; quiet runs have 0
  double other_cpus = 0.2;      ///< CPUs' worth of other processes' work; quiet runs have 0.05
  double drift = 0.05;          ///< of the yardsticks as a whole (median), and of the in-register ones each
};

/// Wall over CPU time, the median over the single-threaded rows of these results; nothing without such rows.
///
/// Rows that wait on purpose (real time over 2 times CPU time: sleeping, input, threads of their own) don't count, nor
/// do rows named threads:2 and up.
std::optional<double> real_over_cpu(const model::ResultSet& results);

/// Median over the yardsticks of end / start - 1; nothing without yardsticks.
std::optional<double> common_drift(const model::Process& process);

/// One line per limit that was crossed, empty for a quiet run. `usual_real_over_cpu` is the least that this executable
/// showed so far (1 if nothing is known), `cpus` how many CPUs the machine has.
std::vector<std::string> assess(const model::Process& process, double usual_real_over_cpu, int cpus,
                                const QuietLimits& limits = {});

}  // namespace pawl::run
