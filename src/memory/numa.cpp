// numa.cpp -- see numa.hpp.
#include "pawl/memory/numa.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#if defined(__linux__)
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#endif

namespace pawl::memory {
namespace {

namespace fs = std::filesystem;

#if !defined(__linux__)
// Nobody is asked there; the numbers only name the policies.
constexpr int MPOL_PREFERRED = 1, MPOL_INTERLEAVE = 3, MPOL_LOCAL = 4, MPOL_MF_MOVE = 2;
#endif

constexpr std::size_t kBitsOfWord = std::numeric_limits<unsigned long>::digits;
constexpr int kMostNodes = 1024;  // MAX_NUMNODES of the largest Linux kernels

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), value);
  return error == std::errc() && end == text.end() ? std::optional(value) : std::nullopt;
}

std::string first_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

// "0-3,8-11" -> 0 1 2 3 8 9 10 11; what is no number is left out.
std::vector<int> read_list(const std::string& text) {
  constexpr int kMostCpus = 1 << 16;
  std::vector<int> out;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t dash = part.find('-');
    const auto first = number(std::string_view(part).substr(0, dash));
    const auto last = dash == std::string::npos ? first : number(std::string_view(part).substr(dash + 1));
    if (!first || !last || *first < 0 || *last >= kMostCpus) continue;
    for (int cpu = *first; cpu <= *last; ++cpu) out.push_back(cpu);
  }
  std::ranges::sort(out);
  return out;
}

// "Node 0 MemTotal:       16384 kB"
std::uint64_t read_memory(const fs::path& file) {
  std::ifstream stream(file);
  std::string node, id, label;
  for (std::uint64_t kib = 0; stream >> node >> id >> label;
       stream.ignore(std::numeric_limits<std::streamsize>::max(), '\n'))
    if (label == "MemTotal:" && stream >> kib) return kib * 1024;
  return 0;
}

std::vector<int> read_numbers(const std::string& text) {
  std::istringstream stream(text);
  std::vector<int> out;
  for (int value = 0; stream >> value;) out.push_back(value);
  return out;
}

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

}  // namespace

std::vector<int> NumaTopology::with_memory() const {
  std::vector<int> out;
  for (const NumaNode& node : nodes)
    if (node.memory_bytes > 0) out.push_back(node.id);
  return out;
}

std::optional<int> NumaTopology::node_of_cpu(int cpu) const {
  for (const NumaNode& node : nodes)
    if (std::ranges::binary_search(node.cpus, cpu)) return node.id;
  return std::nullopt;
}

std::vector<int> NumaTopology::nearest(int node) const {
  const auto from = std::ranges::find(nodes, node, &NumaNode::id);
  if (from == nodes.end()) return {};
  std::vector<std::pair<int, int>> order;  // distance, id
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].memory_bytes == 0) continue;
    const int unknown = nodes[i].id == node ? 10 : 20;  // ACPI's SLIT: 10 is local, 20 is what Linux takes for remote
    order.emplace_back(i < from->distances.size() ? from->distances[i] : unknown, nodes[i].id);
  }
  std::ranges::sort(order);
  std::vector<int> out;
  for (const auto& [distance, id] : order) out.push_back(id);
  return out;
}

NumaTopology read_numa_topology(const fs::path& root) {
  NumaTopology out;
  std::error_code error;
  for (fs::directory_iterator at(root, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const auto id = name.starts_with("node") ? number(std::string_view(name).substr(4)) : std::nullopt;
    if (!id || *id < 0 || *id >= kMostNodes) continue;
    out.nodes.push_back({*id, read_list(first_line(at->path() / "cpulist")), read_memory(at->path() / "meminfo"),
                         read_numbers(first_line(at->path() / "distance"))});
  }
  std::ranges::sort(out.nodes, {}, &NumaNode::id);
  if (out.nodes.empty()) out.nodes.emplace_back();
  return out;
}

std::optional<NumaRequest> plan_placement(const NumaPolicy& policy, const NumaTopology& topology, std::string& why) {
  const std::vector<int> nodes = topology.with_memory();
  if (nodes.size() < 2) {
    why = "one memory node: all memory is local";
    return std::nullopt;
  }
  if (policy.placement == NumaPlacement::local) return NumaRequest{MPOL_LOCAL, {}};
  std::vector<int> wanted = nodes;
  if (policy.placement == NumaPlacement::preferred) {
    if (std::ranges::find(nodes, policy.node) == nodes.end()) {
      // In pieces: of an operator+ here g++ 12 says, with precompiled headers, that it copies too much (bug 105651).
      why = "node ";
      why.append(std::to_string(policy.node)).append(" does not exist or has no memory; those with memory are");
      for (const int node : nodes) why.append(" ").append(std::to_string(node));
      return std::nullopt;
    }
    wanted = {policy.node};
  }
  NumaRequest request{policy.placement == NumaPlacement::preferred ? MPOL_PREFERRED : MPOL_INTERLEAVE, {}};
  for (const int node : wanted) {
    const auto bit = static_cast<std::size_t>(node);
    if (request.mask.size() <= bit / kBitsOfWord) request.mask.resize(bit / kBitsOfWord + 1);
    request.mask[bit / kBitsOfWord] |= 1UL << (bit % kBitsOfWord);
  }
  return request;
}

long system_mbind([[maybe_unused]] void* start, [[maybe_unused]] unsigned long bytes, [[maybe_unused]] int mode,
                  [[maybe_unused]] const unsigned long* mask, [[maybe_unused]] unsigned long bits,
                  [[maybe_unused]] unsigned flags) {
#if defined(__linux__) && defined(SYS_mbind)
  return syscall(SYS_mbind, start, bytes, mode, mask, bits, flags);
#else
  errno = ENOSYS;
  return -1;
#endif
}

NumaAnswer place_pages(void* start, std::size_t bytes, const NumaPolicy& policy, const NumaTopology& topology,
                       Mbind mbind) {
  NumaAnswer answer;
  const auto request = plan_placement(policy, topology, answer.why);
  if (!request) return answer;
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::uintptr_t first = round_up(address, page_bytes()), last = (address + bytes) / page_bytes() * page_bytes();
  if (first >= last) {
    answer.why = "no whole page in it";
    return answer;
  }
  // The kernel reads one bit less than it is told (mbind(2), notes of get_mempolicy).
  const unsigned long bits = request->mask.empty() ? 0 : request->mask.size() * kBitsOfWord + 1;
  if (mbind(reinterpret_cast<void*>(first), last - first, request->mode,
            request->mask.empty() ? nullptr : request->mask.data(), bits, MPOL_MF_MOVE) != 0) {
    answer.why = "mbind: " + std::generic_category().message(errno);
    return answer;
  }
  answer.placed = true;
  return answer;
}

NumaResource::NumaResource(const NumaPolicy& policy, NumaTopology topology, Mbind mbind)
    : policy_(policy), topology_(std::move(topology)), mbind_(mbind) {
  void* const page = allocate(page_bytes());
  answer_ = place_pages(page, page_bytes(), policy_, topology_, mbind_);
  deallocate(page, page_bytes());
}

void* NumaResource::do_allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t page = page_bytes();
  if (bytes > std::numeric_limits<std::size_t>::max() / 4 || alignment > std::numeric_limits<std::size_t>::max() / 4)
    throw std::bad_alloc();
  const std::size_t whole = round_up(std::max<std::size_t>(bytes, 1), page), more = alignment > page ? alignment : 0;
  void* const range = mmap(nullptr, whole + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (range == MAP_FAILED) throw std::bad_alloc();
  const auto from = reinterpret_cast<std::uintptr_t>(range);
  const std::uintptr_t start = more > 0 ? round_up(from, alignment) : from;
  if (start > from) munmap(range, start - from);
  if (const std::size_t behind = from + whole + more - (start + whole); behind > 0)
    munmap(reinterpret_cast<void*>(start + whole), behind);
  if (answer_.placed) place_pages(reinterpret_cast<void*>(start), whole, policy_, topology_, mbind_);
  return reinterpret_cast<void*>(start);
}

void NumaResource::do_deallocate(void* p, std::size_t bytes, std::size_t) {
  munmap(p, round_up(std::max<std::size_t>(bytes, 1), page_bytes()));
}

}  // namespace pawl::memory
