// machine.hpp -- what machine this is, as far as it tells: CPU, caches, clock policy, load, virtualisation.
//
// Read from CPUID, /proc and /sys. A thing that the system does not tell is absent, never guessed.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pawl/isa.hpp"

namespace pawl {

struct MachineInfo {
  std::string cpu_model;     ///< as the CPU names itself; empty if unknown
  std::string vendor;        ///< "amd", "intel", "arm" or what the CPU says
  std::string architecture;  ///< microarchitecture where known ("zen5", "skylake"), else family and model ("f26m2")
  std::string isa;           ///< widest runnable variant
  int cores = 0;             ///< CPUs this process may run on
  std::optional<bool> smt;   ///< more than one thread per core is active
  CacheSizes caches;
  std::optional<std::string> governor;    ///< of CPU 0's frequency scaling
  std::optional<bool> turbo;              ///< boost above the base clock is allowed
  std::optional<std::string> hypervisor;  ///< its name, "none" if the CPU says that there is none
  std::optional<std::string> huge_pages;  ///< transparent huge pages: always, madvise or never
  std::optional<int> numa_nodes;
  std::optional<std::uint64_t> memory_bytes, available_bytes;
  std::optional<double> load_1min;
  std::string os, kernel, hostname;
};

/// CPUs this process may run on: MachineInfo::cores without the rest.
int usable_cores() noexcept;

/// Describes this machine. `root` replaces "/" in front of /proc and /sys, so that tests can show it another one; what
/// comes from CPUID and uname stays this machine's.
MachineInfo describe_machine(const std::filesystem::path& root = "/");

/// What results are filed under, and only compared within: vendor-architecture-isa-<cores>c, "amd-zen5-avx512-2c".
std::string machine_key(const MachineInfo& machine);

/// Name of the microarchitecture by CPUID's family and model; nothing for those not in the list.
std::optional<std::string> microarchitecture(const std::string& vendor, int family, int model);

/// CPU time of the whole machine since it started, in clock ticks, from /proc/stat; absent where there is none.
struct CpuTicks {
  std::uint64_t busy = 0, idle = 0,
                steal = 0;  ///< busy: user, nice, system, interrupts; steal: taken by the hypervisor
};
std::optional<CpuTicks> read_cpu_ticks(const std::filesystem::path& root = "/");

/// Independent integer operations that this core does per cycle right now: about as many as it has integer units (4 on
/// a Zen 4: 3.9) where the caller has it alone, down to half of that where another hardware thread uses it too.
///
/// Two hardware threads of a core share its issue slots. On a virtual machine the other one may be a neighbour's: no
/// clock, no load and no stolen time shows it, and loops in L1 take up to twice as long, chains of arithmetic as long
/// as ever (docs/benchmarking.md). A cycle is what one operation of a chain takes, so the speed of the clock has no
/// say. Cost       30 us; no memory is touched.
double operations_per_cycle() noexcept;

/// Largest resident set of this process so far, in bytes, from VmHWM in /proc/self/status. Not getrusage's ru_maxrss,
/// which begins with what the parent had resident when it started this process.
std::optional<std::uint64_t> peak_resident_bytes(const std::filesystem::path& root = "/");

}  // namespace pawl
