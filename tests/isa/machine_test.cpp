// machine_test.cpp -- made-up /proc and /sys trees are read as they say; what they do not say stays unknown.
#include "pawl/machine.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace pawl {
namespace {

namespace fs = std::filesystem;

class FakeRoot {
 public:
  FakeRoot() : path_(fs::temp_directory_path() / ("pawl_machine_test_" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~FakeRoot() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file) << text;
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

TEST(Machine, AnEmptyRootLeavesWhatItWouldTellUnknown) {
  const FakeRoot root;
  const MachineInfo m = describe_machine(root.path());
  EXPECT_FALSE(m.governor || m.turbo || m.smt || m.huge_pages || m.numa_nodes || m.memory_bytes || m.load_1min);
  EXPECT_GE(m.cores, 1);
  EXPECT_FALSE(m.isa.empty());
  EXPECT_FALSE(read_cpu_ticks(root.path()));
}

TEST(Machine, ReadsWhatIsThere) {
  const FakeRoot root;
  root.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  root.write("sys/devices/system/cpu/cpufreq/boost", "0\n");
  root.write("sys/devices/system/cpu/smt/active", "1\n");
  root.write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  root.write("sys/devices/system/node/node0/cpulist", "0-3\n");
  root.write("sys/devices/system/node/node1/cpulist", "4-7\n");
  root.write("sys/devices/system/node/online", "0-1\n");
  root.write("proc/meminfo", "MemTotal:       1000 kB\nMemFree:        1 kB\nMemAvailable:    500 kB\n");
  root.write("proc/loadavg", "1.25 0.5 0.1 1/100 4242\n");
  root.write("proc/stat", "cpu  10 2 3 100 5 1 4 7 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n");
  const MachineInfo m = describe_machine(root.path());
  EXPECT_EQ(m.governor, "powersave");
  EXPECT_EQ(m.turbo, false);
  EXPECT_EQ(m.smt, true);
  EXPECT_EQ(m.huge_pages, "madvise");
  EXPECT_EQ(m.numa_nodes, 2);
  EXPECT_EQ(m.memory_bytes, 1'024'000u);
  EXPECT_EQ(m.available_bytes, 512'000u);
  EXPECT_EQ(m.load_1min, 1.25);
  const auto ticks = read_cpu_ticks(root.path());
  ASSERT_TRUE(ticks);
  EXPECT_EQ(ticks->busy, 20u);
  EXPECT_EQ(ticks->idle, 105u);
  EXPECT_EQ(ticks->steal, 7u);
}

TEST(Machine, PeakResidentMemoryIsThatOfTheProcess) {
  const FakeRoot root;
  root.write("proc/self/status", "Name:\tx\nVmPeak:\t  900 kB\nVmHWM:\t    321 kB\nVmRSS:\t    7 kB\n");
  EXPECT_EQ(peak_resident_bytes(root.path()), 321u * 1024);
  EXPECT_FALSE(peak_resident_bytes(root.path() / "nowhere"));
  EXPECT_GT(peak_resident_bytes().value_or(1u << 20), 100'000u);
}

TEST(Machine, IntelTurboIsReadFromItsNegation) {
  const FakeRoot root;
  root.write("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  EXPECT_EQ(describe_machine(root.path()).turbo, false);
}

TEST(Machine, KnowsMicroarchitecturesAndNamesTheOthersByNumbers) {
  EXPECT_EQ(microarchitecture("amd", 0x1a, 2), "zen5");
  EXPECT_EQ(microarchitecture("amd", 0x19, 0x11), "zen4");
  EXPECT_EQ(microarchitecture("amd", 0x19, 0x61), "zen4");
  EXPECT_EQ(microarchitecture("amd", 0x19, 0x01), "zen3");
  EXPECT_EQ(microarchitecture("amd", 0x17, 0x31), "zen2");
  EXPECT_EQ(microarchitecture("intel", 6, 0x55), "skylake");
  EXPECT_EQ(microarchitecture("intel", 6, 0x8f), "sapphirerapids");
  EXPECT_FALSE(microarchitecture("intel", 6, 0x01));
  EXPECT_FALSE(microarchitecture("other", 0x1a, 2));
}

TEST(Machine, TheKeyIsAFoldersName) {
  MachineInfo m;
  m.vendor = "amd";
  m.architecture = "zen5";
  m.isa = "avx512";
  m.cores = 2;
  EXPECT_EQ(machine_key(m), "amd-zen5-avx512-2c");
  m.vendor = "Some/Vendor x";
  EXPECT_EQ(machine_key(m), "some_vendor_x-zen5-avx512-2c");
}

// No timing: a build without optimisation does a fraction of an operation per cycle, and no core does 32.
TEST(OperationsPerCycle, IsANumberOfOperations) {
  EXPECT_GT(operations_per_cycle(), 0.01);
  EXPECT_LT(operations_per_cycle(), 32);
}

}  // namespace
}  // namespace pawl
