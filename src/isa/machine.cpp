// machine.cpp -- CPUID, /proc and /sys -> MachineInfo.
#include "pawl/machine.hpp"

#include <sys/utsname.h>

#include <fstream>
#include <limits>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "isa/process_cpus.hpp"

namespace pawl {
namespace {

namespace fs = std::filesystem;

// First line of a file without its end, or nothing.
std::optional<std::string> first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
  return line;
}

// "Key:   12345 kB" of /proc/meminfo, in bytes.
std::optional<std::uint64_t> meminfo_bytes(const fs::path& root, const std::string& key) {
  std::ifstream file(root / "proc/meminfo");
  std::string name, unit;
  std::uint64_t value = 0;
  while (file >> name >> value) {
    std::getline(file, unit);
    if (name == key + ":") return value * 1024;
  }
  return std::nullopt;
}

// The marked one of "always [madvise] never".
std::optional<std::string> bracketed(const std::optional<std::string>& line) {
  if (!line) return std::nullopt;
  const auto open = line->find('['), close = line->find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  return line->substr(open + 1, close - open - 1);
}

std::optional<bool> turbo_of(const fs::path& root) {
  if (const auto boost = first_line(root / "sys/devices/system/cpu/cpufreq/boost")) return *boost == "1";
  if (const auto off = first_line(root / "sys/devices/system/cpu/intel_pstate/no_turbo")) return *off == "0";
  return std::nullopt;
}

std::optional<int> numa_nodes_of(const fs::path& root) {
  std::error_code error;
  int nodes = 0;
  for (const auto& entry : fs::directory_iterator(root / "sys/devices/system/node", error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("node") && name.find_first_not_of("0123456789", 4) == std::string::npos && name.size() > 4)
      ++nodes;
  }
  if (error || nodes == 0) return std::nullopt;
  return nodes;
}

#if defined(__x86_64__)
struct Cpuid {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

Cpuid cpuid(unsigned leaf) {
  Cpuid r;
  __get_cpuid(leaf, &r.a, &r.b, &r.c, &r.d);
  return r;
}

std::string text_of(std::initializer_list<unsigned> registers) {
  std::string text;
  for (unsigned value : registers)
    for (int byte = 0; byte < 4; ++byte)
      if (const char c = static_cast<char>(value >> (8 * byte) & 0xff)) text.push_back(c);
  return text;
}

void describe_cpu(MachineInfo& machine) {
  const Cpuid vendor = cpuid(0);
  const std::string id = text_of({vendor.b, vendor.d, vendor.c});
  machine.vendor = id == "AuthenticAMD" ? "amd" : id == "GenuineIntel" ? "intel" : id;
  if (cpuid(0x80000000).a >= 0x80000004) {
    std::string model;
    for (unsigned leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
      const Cpuid part = cpuid(leaf);
      model += text_of({part.a, part.b, part.c, part.d});
    }
    while (!model.empty() && model.back() == ' ') model.pop_back();
    machine.cpu_model = model.substr(std::min(model.size(), model.find_first_not_of(' ')));
  }
  const Cpuid version = cpuid(1);
  unsigned family = version.a >> 8 & 15, model = version.a >> 4 & 15;
  if (family == 15) family += version.a >> 20 & 255;
  if (family == 6 || family >= 15) model += (version.a >> 16 & 15) << 4;
  const auto named = microarchitecture(machine.vendor, static_cast<int>(family), static_cast<int>(model));
  machine.architecture = named ? *named : "f" + std::to_string(family) + "m" + std::to_string(model);

  if ((version.c & (1u << 31)) == 0) {
    machine.hypervisor = "none";
  } else {
    unsigned a = 0, b = 0, c = 0, d = 0;
    __cpuid(0x40000000, a, b, c, d);  // outside the range that __get_cpuid allows
    const std::string name = text_of({b, c, d});
    machine.hypervisor = name.starts_with("KVM") ? "KVM" : name.empty() ? "unnamed" : name;
  }
}
#else
void describe_cpu(MachineInfo& machine) { machine.vendor = machine.architecture = "unknown"; }
#endif

}  // namespace

std::optional<std::string> microarchitecture(const std::string& vendor, int family, int model) {
  if (vendor == "amd") {
    switch (family) {
      case 0x17:
        return model < 0x30 ? "zen" : "zen2";
      case 0x19:  // Zen 3 and Zen 4 share the family
        return (model >= 0x10 && model <= 0x1f) || model >= 0x60 ? "zen4" : "zen3";
      case 0x1a:
        return "zen5";
      default:
        return std::nullopt;
    }
  }
  if (vendor == "intel" && family == 6) {
    switch (model) {
      case 0x3c:
      case 0x3f:
      case 0x45:
      case 0x46:
        return "haswell";
      case 0x3d:
      case 0x47:
      case 0x4f:
      case 0x56:
        return "broadwell";
      case 0x4e:
      case 0x5e:
      case 0x55:
      case 0x8e:
      case 0x9e:
        return "skylake";
      case 0x6a:
      case 0x6c:
      case 0x7d:
      case 0x7e:
        return "icelake";
      case 0x8c:
      case 0x8d:
        return "tigerlake";
      case 0x97:
      case 0x9a:
        return "alderlake";
      case 0x8f:
        return "sapphirerapids";
      case 0xcf:
        return "emeraldrapids";
      case 0xad:
      case 0xae:
        return "graniterapids";
      default:
        return std::nullopt;
    }
  }
  return std::nullopt;
}

int usable_cores() noexcept {
  const cpu_set_t set = detail::process_cpus();
  const int count = CPU_COUNT(&set);
  return count > 0 ? count : 1;
}

MachineInfo describe_machine(const fs::path& root) {
  MachineInfo machine;
  describe_cpu(machine);
  machine.isa = name(runnable_isas().back());
  machine.cores = usable_cores();
  machine.caches = cache_sizes();
  const fs::path cpu = root / "sys/devices/system/cpu";
  if (const auto smt = first_line(cpu / "smt/active")) machine.smt = *smt == "1";
  machine.governor = first_line(cpu / "cpu0/cpufreq/scaling_governor");
  machine.turbo = turbo_of(root);
  machine.huge_pages = bracketed(first_line(root / "sys/kernel/mm/transparent_hugepage/enabled"));
  machine.numa_nodes = numa_nodes_of(root);
  machine.memory_bytes = meminfo_bytes(root, "MemTotal");
  machine.available_bytes = meminfo_bytes(root, "MemAvailable");
  if (std::ifstream load(root / "proc/loadavg"); load) {
    double value = 0;
    if (load >> value) machine.load_1min = value;
  }
  utsname names{};
  if (uname(&names) == 0) {
    machine.os = names.sysname;
    machine.kernel = names.release;
    machine.hostname = names.nodename;
  }
  return machine;
}

std::string machine_key(const MachineInfo& machine) {
  std::string key =
      machine.vendor + "-" + machine.architecture + "-" + machine.isa + "-" + std::to_string(machine.cores) + "c";
  for (char& c : key)  // it becomes a folder's name
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'))
      c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : '_';
  return key;
}

std::optional<CpuTicks> read_cpu_ticks(const fs::path& root) {
  std::ifstream file(root / "proc/stat");
  std::string label;
  std::uint64_t user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
  if (!(file >> label >> user >> nice >> system >> idle >> wait >> irq >> soft >> steal) || label != "cpu")
    return std::nullopt;
  return CpuTicks{user + nice + system + irq + soft, idle + wait, steal};
}

std::optional<std::uint64_t> peak_resident_bytes(const fs::path& root) {
  std::ifstream file(root / "proc/self/status");
  for (std::string label; file >> label; file.ignore(std::numeric_limits<std::streamsize>::max(), '\n'))
    if (std::uint64_t kib = 0; label == "VmHWM:" && file >> kib) return kib * 1024;
  return std::nullopt;
}

}  // namespace pawl
