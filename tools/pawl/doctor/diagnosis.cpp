// diagnosis.cpp -- one function per subject; limits stand beside their reasons.
#include "doctor/diagnosis.hpp"

#include <fmt/format.h>

namespace pawl::doctor {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

Finding governor(const MachineInfo& m) {
  if (!m.governor)
    return {Severity::note, "governor", "unknown (no cpufreq here)",
            m.hypervisor && *m.hypervisor != "none" ? "the host decides; the yardsticks show if the clock drifts" : ""};
  if (*m.governor == "performance") return {Severity::fine, "governor", "performance", ""};
  return {Severity::bad, "governor", *m.governor, "sudo cpupower frequency-set -g performance"};
}

Finding turbo(const MachineInfo& m) {
  if (!m.turbo) return {Severity::note, "turbo", "unknown", ""};
  if (!*m.turbo) return {Severity::fine, "turbo", "off", ""};
  return {Severity::note, "turbo", "on: the clock depends on heat and on the other cores",
          "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost (AMD), echo 1 | sudo tee "
          "/sys/devices/system/cpu/intel_pstate/no_turbo (Intel)"};
}

Finding smt(const MachineInfo& m) {
  if (!m.smt) return {Severity::note, "SMT", "unknown", ""};
  if (!*m.smt) return {Severity::fine, "SMT", "off", ""};
  return {Severity::note, "SMT", "on: a neighbour on the same core halves it",
          "echo off | sudo tee /sys/devices/system/cpu/smt/control"};
}

Finding load(const Facts& f) {
  // Half a core busy with something else: runs on two cores then meet it about half of the time.
  constexpr double kBusyCores = 0.5;
  const double cores = f.machine.cores;
  if (f.other_busy && *f.other_busy * cores > kBusyCores)
    return {Severity::bad, "load", fmt::format("others use {:.0f} % of all cores right now", 100 * *f.other_busy),
            "stop what else runs (top shows it), then measure"};
  if (!f.machine.load_1min) return {Severity::note, "load", "unknown", ""};
  if (*f.machine.load_1min > 0.75 * cores)
    return {Severity::note, "load",
            fmt::format("{:.2f} in the last minute on {} cores", *f.machine.load_1min, f.machine.cores),
            "wait a minute: what just ran (a build?) may still be warm"};
  return {Severity::fine, "load", fmt::format("{:.2f}", *f.machine.load_1min), ""};
}

Finding steal(const Facts& f) {
  if (!f.steal) return {Severity::note, "steal", "unknown", ""};
  // 1 %: ten times what a quiet virtual machine showed.
  if (*f.steal > 0.01)
    return {Severity::bad, "steal", fmt::format("the hypervisor gave {:.1f} % of the time to others", 100 * *f.steal),
            "measure at another time or on another host; pawl run flags such runs and repeats them"};
  return {Severity::fine, "steal", fmt::format("{:.1f} %", 100 * *f.steal), ""};
}

Finding shared_core(const Facts& f) {
  if (f.core_looks == 0) return {Severity::note, "core", "unknown", ""};
  if (f.core_shared == 0) return {Severity::fine, "core", fmt::format("alone in {} looks", f.core_looks), ""};
  // A fifth: then the three repetitions of a quick process run all meet it in 1 of 100 runs.
  const bool often = 5 * f.core_shared > f.core_looks;
  return {often ? Severity::bad : Severity::note, "core",
          fmt::format("another hardware thread used it in {} of {} looks", f.core_shared, f.core_looks),
          "measure at another time or on another host; pawl run sees it and measures such rows again"};
}

Finding virtualisation(const MachineInfo& m) {
  if (!m.hypervisor) return {Severity::note, "virtualisation", "unknown", ""};
  if (*m.hypervisor == "none") return {Severity::fine, "virtualisation", "none", ""};
  return {Severity::note, "virtualisation", *m.hypervisor + ": of neighbours only those on the same core are seen",
          "compare with interleaved runs (pawl ab) rather than with a baseline of another day"};
}

Finding huge_pages(const MachineInfo& m) {
  if (!m.huge_pages) return {Severity::note, "huge pages", "unknown", ""};
  if (*m.huge_pages == "never")
    return {Severity::bad, "huge pages", "never: large arrays meet TLB misses, and differently in each run",
            "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"};
  return {Severity::fine, "huge pages", *m.huge_pages, ""};
}

Finding counters(const Facts& f) {
  if (f.hardware_counters && *f.hardware_counters) return {Severity::fine, "hardware counters", "there", ""};
  if (f.perf_event_paranoid && *f.perf_event_paranoid > 2)
    return {Severity::note, "hardware counters", fmt::format("perf_event_paranoid is {}", *f.perf_event_paranoid),
            "echo 1 | sudo tee /proc/sys/kernel/perf_event_paranoid"};
  if (f.hardware_counters) return {Severity::note, "hardware counters", "none (common in virtual machines)", ""};
  return {Severity::note, "hardware counters", "unknown", ""};
}

Finding cores(const MachineInfo& m) {
  if (m.cores >= 2) return {Severity::fine, "cores", fmt::format("{}", m.cores), ""};
  return {Severity::bad, "cores", "1: whatever else runs interrupts every measurement",
          "use a machine with two or more"};
}

Finding memory(const MachineInfo& m) {
  if (!m.available_bytes) return {Severity::note, "memory", "unknown", ""};
  const double available = static_cast<double>(*m.available_bytes);
  // The yardsticks and the largest rows need under 1 GiB; with less than 2 the system begins to reclaim.
  if (available < 2 * kGiB)
    return {Severity::bad, "memory", fmt::format("{:.1f} GiB available", available / kGiB),
            "free some, or leave out the largest rows"};
  return {Severity::fine, "memory", fmt::format("{:.1f} GiB available", available / kGiB), ""};
}

Finding disk(const Facts& f) {
  if (!f.free_disk_bytes) return {Severity::note, "disk", "unknown", ""};
  const double free = static_cast<double>(*f.free_disk_bytes);
  if (free < kGiB)
    return {Severity::bad, "disk", fmt::format("{:.2f} GiB free here", free / kGiB),
            "results and builds need about 1 GiB"};
  return {Severity::fine, "disk", fmt::format("{:.0f} GiB free here", free / kGiB), ""};
}

Finding tools(const Facts& f) {
  if (f.missing_tools.empty()) return {Severity::fine, "build tools", "there", ""};
  return {Severity::bad, "build tools", fmt::format("missing: {}", fmt::join(f.missing_tools, ", ")), "tools/setup.sh"};
}

// A Zen 5, matmul 1024 cubed of f32: OpenBLAS 0.3.21 by its own choice 185 GFLOP/s, with Haswell's kernels 90.
Finding peers(const Facts& f) {
  if (f.peer_choices.empty()) return {Severity::fine, "peers", "choose their kernels themselves", ""};
  return {Severity::note, "peers",
          fmt::format("{} in the environment: not the kernels for this CPU", fmt::join(f.peer_choices, ", ")),
          "unset it, or rows beside that peer flatter us"};
}

void add_benches(std::vector<Finding>& findings, const Facts& f) {
  if (f.benches.empty()) {
    // The command may be all of Pawl that there is.
    if (f.benches_are_meant)
      findings.push_back({Severity::bad, "benches", "none found there", "tools/build.sh release makes Pawl's"});
    else
      findings.push_back({Severity::note, "benches", "none found beside pawl", "--bench-dir names where they are"});
    return;
  }
  for (const BenchFacts& b : f.benches) {
    if (!b.runs) {
      findings.push_back(
          {Severity::bad, b.name, "does not run: " + b.problem, "build it again: tools/build.sh release"});
    } else if (b.build_type && *b.build_type == "Debug") {
      findings.push_back(
          {Severity::bad, b.name, "is a Debug build: its times are worthless", "tools/build.sh release"});
    } else if (b.commit && f.work_tree_commit && *b.commit != *f.work_tree_commit && *b.commit != "unknown") {
      findings.push_back(
          {Severity::bad, b.name,
           fmt::format("was built from {:.9}, the work tree is at {:.9}", *b.commit, *f.work_tree_commit),
           "tools/build.sh release"});
    } else {
      findings.push_back({Severity::fine, b.name, b.build_type ? *b.build_type : "runs", ""});
    }
  }
}

}  // namespace

std::vector<Finding> diagnose(const Facts& facts) {
  const MachineInfo& m = facts.machine;
  std::vector<Finding> findings{governor(m),        turbo(m),          smt(m),        load(facts),     steal(facts),
                                shared_core(facts), virtualisation(m), huge_pages(m), counters(facts), cores(m),
                                memory(m),          disk(facts),       tools(facts),  peers(facts)};
  add_benches(findings, facts);
  return findings;
}

}  // namespace pawl::doctor
