// numa.hpp -- which memory nodes a machine has, and pages placed on them.
//
// By the system call mbind() and /sys, without libnuma: the four policies are all that is needed of it, and a library
// that only some machines have would make a second build to test.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory_resource>
#include <optional>
#include <string>
#include <vector>

namespace pawl::memory {

struct NumaNode {
  int id = 0;
  std::vector<int> cpus;           ///< ascending; empty for a node of memory alone
  std::uint64_t memory_bytes = 0;  ///< 0 for a node of processors alone
  std::vector<int> distances;      ///< to the nodes of the topology, in its order; 10 is local
};

struct NumaTopology {
  std::vector<NumaNode> nodes;  ///< by ascending id, which may have gaps

  /// Nodes that have memory, by ascending id.
  std::vector<int> with_memory() const;
  /// The node of a CPU; absent if no node has it.
  std::optional<int> node_of_cpu(int cpu) const;
  /// Nodes with memory, the nearest to `node` first, equal ones by id; empty if there is no such node.
  std::vector<int> nearest(int node) const;
};

/// Reads node<n>/{cpulist,meminfo,distance} under `root`; without any, one node 0 that has nothing else. What cannot be
/// read is left empty.
NumaTopology read_numa_topology(const std::filesystem::path& root = "/sys/devices/system/node");

/// local: the node of the thread that touches a page first. interleave: pages in turn over all nodes with memory, for
/// what all threads read. preferred: one node while it has room, then others.
enum class NumaPlacement { local, interleave, preferred };

struct NumaPolicy {
  NumaPlacement placement = NumaPlacement::local;
  int node = 0;  ///< for preferred
};

/// Whether a policy holds, and if not why: "one memory node: all memory is local".
struct NumaAnswer {
  bool placed = false;
  std::string why;
};

/// What mbind() is asked for; `mask` has bit n for node n. Pure.
struct NumaRequest {
  int mode = 0;  ///< MPOL_... of <linux/mempolicy.h>
  std::vector<unsigned long> mask;
};
/// Absent, with the reason, where there is nothing to ask: one node with memory, or no such node. Pure.
std::optional<NumaRequest> plan_placement(const NumaPolicy& policy, const NumaTopology& topology, std::string& why);

/// As mbind(2); a test gives another one.
using Mbind = long (*)(void* start, unsigned long bytes, int mode, const unsigned long* mask, unsigned long bits,
                       unsigned flags);
long system_mbind(void* start, unsigned long bytes, int mode, const unsigned long* mask, unsigned long bits,
                  unsigned flags);

/// Places the whole pages within [start, start + bytes), those that are there already too as far as the system moves
/// them. Does nothing, and says so, where that means nothing.
NumaAnswer place_pages(void* start, std::size_t bytes, const NumaPolicy& policy, const NumaTopology& topology,
                       Mbind mbind = system_mbind);

/// Whole pages from the system, placed by a policy: for arrays of megabytes, which live long.
///
/// Alignment  the one asked for; a page at least.
/// Threads    all members may be called by any thread.
/// Cost       system calls for each block: some microseconds, and the first touch of each page.
/// Errors     std::bad_alloc without memory. That pages could not be placed is no error: see answer().
class NumaResource final : public std::pmr::memory_resource {
 public:
  explicit NumaResource(const NumaPolicy& policy, NumaTopology topology = read_numa_topology(),
                        Mbind mbind = system_mbind);

  const NumaTopology& topology() const noexcept { return topology_; }
  /// What became of the policy when it was tried on a page, in the constructor.
  const NumaAnswer& answer() const noexcept { return answer_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  NumaPolicy policy_;
  NumaTopology topology_;
  Mbind mbind_;
  NumaAnswer answer_;
};

}  // namespace pawl::memory
