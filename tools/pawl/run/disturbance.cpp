// disturbance.cpp -- see disturbance.hpp.
#include "run/disturbance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "decide/sample.hpp"
#include "decide/shared_core.hpp"

namespace pawl::run {
namespace {

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  return decide::median(std::move(values));
}

struct Drift {
  std::string name;
  double change;
};

std::vector<Drift> drifts(const model::Process& process) {
  std::vector<Drift> all;
  for (const auto& [name, start] : process.yardsticks_start) {
    const auto end = process.yardsticks_end.find(name);
    if (end != process.yardsticks_end.end() && start > 0 && end->second > 0 && !model::is_of_threads(name))
      all.push_back({name, end->second / start - 1});
  }
  return all;
}

}  // namespace

std::optional<double> real_over_cpu(const model::ResultSet& results) {
  constexpr double kWaits = 2;
  std::vector<double> ratios;
  for (const model::Benchmark& benchmark : results.benchmarks) {
    if (decide::says_many_threads(benchmark.name)) continue;
    for (const model::Reading& reading : benchmark.readings) {
      const model::Series* real = reading.find(model::kRealTime);
      const model::Series* cpu = reading.find(model::kCpuTime);
      if (reading.status != model::Status::ok || real == nullptr || cpu == nullptr) continue;
      const auto real_s = median(real->values), cpu_s = median(cpu->values);
      if (real_s && cpu_s && *cpu_s > 0 && *real_s > 0 && *real_s < kWaits * *cpu_s) ratios.push_back(*real_s / *cpu_s);
    }
  }
  return median(ratios);
}

std::optional<double> common_drift(const model::Process& process) {
  std::vector<double> changes;
  for (const Drift& drift : drifts(process)) changes.push_back(drift.change);
  return median(changes);
}

std::vector<std::string> assess(const model::Process& process, double usual_real_over_cpu, int cpus,
                                const QuietLimits& limits) {
  std::vector<std::string> flags;
  const model::Disturbance& seen = process.disturbance;
  const double usual = std::max(1.0, usual_real_over_cpu);
  if (seen.real_over_cpu && *seen.real_over_cpu > limits.real_over_cpu * usual)
    flags.push_back(fmt::format("real time was {:.2f} times CPU time: it had to wait for a CPU", *seen.real_over_cpu));
  if (seen.steal && *seen.steal > limits.steal)
    flags.push_back(fmt::format("the hypervisor gave {:.1f} % of CPU time to others", 100 * *seen.steal));
  if (seen.other_busy && *seen.other_busy * cpus > limits.other_cpus)
    flags.push_back(fmt::format("other processes used {:.2f} CPUs", *seen.other_busy * cpus));
  if (const auto drift = common_drift(process); drift && std::fabs(*drift) > limits.drift) {
    flags.push_back(fmt::format("the yardsticks moved by {:+.1f} % between start and end", 100 * *drift));
  } else {
    // In-register arithmetic depends on the clock alone: it scatters by less than 2 %, the memory ones by up to 30 %.
    for (const Drift& single : drifts(process))
      if (single.name.starts_with("fma_") && std::fabs(single.change) > limits.drift) {
        flags.push_back(fmt::format("the clock moved: {} changed by {:+.1f} %", single.name, 100 * single.change));
        break;
      }
  }
  return flags;
}

}  // namespace pawl::run
