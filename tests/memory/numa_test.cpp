// numa_test.cpp -- topologies out of made-up /sys folders; what mbind() is asked for; this machine's own answer.
#include "pawl/memory/numa.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace pawl::memory {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Sys {
 public:
  Sys() {
    static std::atomic<int> count{0};
    root_ = fs::temp_directory_path() / ("pawl_numa_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    fs::create_directories(root_);
  }
  ~Sys() { fs::remove_all(root_); }
  Sys(const Sys&) = delete;
  Sys& operator=(const Sys&) = delete;

  const fs::path& root() const { return root_; }
  void add(int id, const std::string& cpus, std::uint64_t kib, const std::string& distances) const {
    const fs::path node = root_ / ("node" + std::to_string(id));
    fs::create_directories(node);
    std::ofstream(node / "cpulist") << cpus << "\n";
    const std::string label = "Node " + std::to_string(id);
    std::ofstream(node / "meminfo") << "\n"
                                    << label << " MemFree:  1 kB\n"
                                    << label << " MemTotal:  " << kib << " kB\n"
                                    << label << " MemUsed:  1 kB\n";
    std::ofstream(node / "distance") << distances << "\n";
  }

 private:
  fs::path root_;
};

// Two sockets, a node of memory alone (as HBM or CXL memory is shown), a node without memory, and a gap in the ids.
NumaTopology big_machine() {
  const Sys sys;
  sys.add(0, "0-3,8-11", 1 << 20, "10 21 17 28");
  sys.add(1, "4-7,12-15", 2 << 20, "21 10 28 17");
  sys.add(2, "", 1 << 18, "17 28 10 28");
  sys.add(5, "16", 0, "28 17 28 10");
  fs::create_directories(sys.root() / "power");
  std::ofstream(sys.root() / "online") << "0-2,5\n";
  return read_numa_topology(sys.root());
}

TEST(Numa, ReadsNodesOfAFolder) {
  const NumaTopology topology = big_machine();
  ASSERT_EQ(topology.nodes.size(), 4U);
  EXPECT_THAT(topology.nodes[0].cpus, ElementsAre(0, 1, 2, 3, 8, 9, 10, 11));
  EXPECT_EQ(topology.nodes[1].memory_bytes, std::uint64_t{2} << 30);
  EXPECT_THAT(topology.nodes[2].cpus, IsEmpty());
  EXPECT_EQ(topology.nodes[3].id, 5);
  EXPECT_THAT(topology.with_memory(), ElementsAre(0, 1, 2));
  EXPECT_EQ(topology.node_of_cpu(9), 0);
  EXPECT_EQ(topology.node_of_cpu(16), 5);
  EXPECT_EQ(topology.node_of_cpu(99), std::nullopt);
  EXPECT_THAT(topology.nearest(0), ElementsAre(0, 2, 1));
  EXPECT_THAT(topology.nearest(5), ElementsAre(1, 0, 2)) << "a node without memory has a nearest one too";
  EXPECT_THAT(topology.nearest(3), IsEmpty());
}

TEST(Numa, WithoutNodesOrWithGarbageThereIsOne) {
  EXPECT_EQ(read_numa_topology("/nowhere").nodes.size(), 1U);
  const Sys sys;
  sys.add(0, "0-x,3-1,7,,-", 1 << 20, "ten");
  std::ofstream(sys.root() / "node1x") << "";
  const NumaTopology topology = read_numa_topology(sys.root());
  ASSERT_EQ(topology.nodes.size(), 1U);
  EXPECT_THAT(topology.nodes[0].cpus, ElementsAre(7));
  EXPECT_THAT(topology.nodes[0].distances, IsEmpty());
  EXPECT_THAT(topology.nearest(0), ElementsAre(0));
}

TEST(Numa, PoliciesBecomeModesAndMasks) {
  const NumaTopology topology = big_machine();
  std::string why;
  const auto local = plan_placement({NumaPlacement::local}, topology, why);
  ASSERT_TRUE(local);
  EXPECT_EQ(local->mode, MPOL_LOCAL);
  EXPECT_THAT(local->mask, IsEmpty());
  const auto interleave = plan_placement({NumaPlacement::interleave}, topology, why);
  ASSERT_TRUE(interleave);
  EXPECT_EQ(interleave->mode, MPOL_INTERLEAVE);
  EXPECT_THAT(interleave->mask, ElementsAre(0b111UL)) << "node 5 has no memory";
  const auto preferred = plan_placement({NumaPlacement::preferred, 2}, topology, why);
  ASSERT_TRUE(preferred);
  EXPECT_EQ(preferred->mode, MPOL_PREFERRED);
  EXPECT_THAT(preferred->mask, ElementsAre(0b100UL));
  EXPECT_FALSE(plan_placement({NumaPlacement::preferred, 5}, topology, why));
  EXPECT_EQ(why, "node 5 does not exist or has no memory; those with memory are 0 1 2");
  EXPECT_FALSE(plan_placement({NumaPlacement::interleave}, NumaTopology{{NumaNode{0, {0}, 1, {10}}}}, why));
  EXPECT_EQ(why, "one memory node: all memory is local");
}

TEST(Numa, NodesBeyondOneWordHaveTheirBit) {
  NumaTopology topology;
  topology.nodes = {{0, {}, 1, {}}, {70, {}, 1, {}}};
  std::string why;
  EXPECT_THAT(plan_placement({NumaPlacement::interleave}, topology, why)->mask, ElementsAre(1UL, 1UL << 6));
}

struct Asked {
  std::uintptr_t start = 0;
  unsigned long bytes = 0, bits = 0, mask = 0;
  int mode = -1, calls = 0;
} asked;

long remember(void* start, unsigned long bytes, int mode, const unsigned long* mask, unsigned long bits, unsigned) {
  asked = {reinterpret_cast<std::uintptr_t>(start), bytes, bits, mask == nullptr ? 0 : *mask, mode, asked.calls + 1};
  return 0;
}

long refuse(void*, unsigned long, int, const unsigned long*, unsigned long, unsigned) {
  errno = EPERM;
  return -1;
}

TEST(Numa, WholePagesArePlaced) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  char* const base = reinterpret_cast<char*>(16 * page);  // nobody looks there
  asked = {};
  EXPECT_TRUE(place_pages(base + 1, 3 * page, {NumaPlacement::interleave}, big_machine(), remember).placed);
  EXPECT_EQ(asked.start, 17 * page);
  EXPECT_EQ(asked.bytes, 2 * page);
  EXPECT_EQ(asked.mask, 0b111UL);
  EXPECT_GT(asked.bits, 64U);
  const NumaAnswer small = place_pages(base + 1, page, {NumaPlacement::interleave}, big_machine(), remember);
  EXPECT_FALSE(small.placed);
  EXPECT_EQ(small.why, "no whole page in it");
  EXPECT_EQ(asked.calls, 1);
  const NumaAnswer refused = place_pages(base, page, {NumaPlacement::local}, big_machine(), refuse);
  EXPECT_FALSE(refused.placed);
  EXPECT_THAT(refused.why, HasSubstr("mbind: "));
}

TEST(Numa, ResourcesPlaceEachBlockWhereThePolicyHolds) {
  asked = {};
  NumaResource resource({NumaPlacement::preferred, 1}, big_machine(), remember);
  EXPECT_TRUE(resource.answer().placed);
  void* const p = resource.allocate(100'000, std::size_t{1} << 21);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % (std::size_t{1} << 21), 0U);
  EXPECT_EQ(asked.start, reinterpret_cast<std::uintptr_t>(p));
  EXPECT_GE(asked.bytes, 100'000U);
  EXPECT_EQ(asked.mask, 0b10UL);
  std::memset(p, 1, 100'000);
  resource.deallocate(p, 100'000, std::size_t{1} << 21);
  EXPECT_THROW((void)resource.allocate(~std::size_t{0} / 2), std::bad_alloc);

  NumaResource refused({NumaPlacement::interleave}, big_machine(), refuse);
  EXPECT_FALSE(refused.answer().placed);
  void* const q = refused.allocate(10);
  std::memset(q, 1, 10);
  refused.deallocate(q, 10);
}

TEST(Numa, ThisMachineAnswers) {
  const NumaTopology here = read_numa_topology();
  ASSERT_GE(here.nodes.size(), 1U);
  NumaResource resource({NumaPlacement::interleave});
  if (here.with_memory().size() < 2) {
    EXPECT_FALSE(resource.answer().placed);
    EXPECT_EQ(resource.answer().why, "one memory node: all memory is local");
  } else {
    EXPECT_TRUE(resource.answer().placed || !resource.answer().why.empty());
  }
  void* const p = resource.allocate(1 << 20);
  std::memset(p, 1, 1 << 20);
  resource.deallocate(p, 1 << 20);
}

}  // namespace
}  // namespace pawl::memory
