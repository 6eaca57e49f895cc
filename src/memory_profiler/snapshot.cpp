// snapshot.cpp -- snapshots -> differences, the largest sites, sums by tags, and the text of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "memory_profiler/inside.hpp"
#include "pawl/memory/profiler.hpp"

namespace pawl::memory {
namespace {

std::int64_t value_of(const AllocationSite& site, OrderBy order) {
  switch (order) {
    case OrderBy::live_bytes:
      return site.live_bytes;
    case OrderBy::allocated_bytes:
      return static_cast<std::int64_t>(site.allocated_bytes);
    case OrderBy::allocations:
      return static_cast<std::int64_t>(site.allocations);
    case OrderBy::peak_bytes:
      return site.peak_bytes;
  }
  return 0;
}

// The largest first; equal ones by their calls, so that the order is the same every time.
void sort_by(std::vector<AllocationSite>& sites, OrderBy order) {
  std::ranges::sort(sites, [order](const AllocationSite& a, const AllocationSite& b) {
    const std::int64_t x = value_of(a, order), y = value_of(b, order);
    return x != y ? x > y : std::tie(a.tags, a.calls) < std::tie(b.tags, b.calls);
  });
}

template <class Counts>
void subtract(Counts& from, const Counts& what) {
  from.allocations -= what.allocations;
  from.frees -= what.frees;
  from.allocated_bytes -= what.allocated_bytes;
  from.live_blocks -= what.live_blocks;
  from.live_bytes -= what.live_bytes;
}

std::string bytes_text(double bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (std::abs(bytes) >= 1024 && unit + 1 < std::size(kUnits)) bytes /= 1024, ++unit;
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

std::string bytes_text(std::int64_t bytes) { return bytes_text(static_cast<double>(bytes)); }
std::string bytes_text(std::uint64_t bytes) { return bytes_text(static_cast<double>(bytes)); }

std::string blocks_text(std::int64_t blocks) { return fmt::format("{} block{}", blocks, blocks == 1 ? "" : "s"); }

std::string what_of(const AllocationSite& site, OrderBy order) {
  const std::string allocated = fmt::format("{} in {} allocation{}", bytes_text(site.allocated_bytes), site.allocations,
                                            site.allocations == 1 ? "" : "s");
  switch (order) {
    case OrderBy::live_bytes:
      return fmt::format("{} live in {}", bytes_text(site.live_bytes), blocks_text(site.live_blocks));
    case OrderBy::peak_bytes:
      return fmt::format("{} at its peak, {}", bytes_text(site.peak_bytes), allocated);
    default:
      return allocated;
  }
}

void append_site(std::string& out, const AllocationSite& site, OrderBy order, std::size_t depth) {
  out += fmt::format("  {}{}\n", what_of(site, order), site.tags.empty() ? "" : "  [" + site.tags + "]");
  const auto calls = describe_calls(site.calls);
  for (std::size_t i = 0; i < std::min(depth, calls.size()); ++i)
    out += fmt::format("      {} {}\n", i == 0 ? "in" : "by", calls[i]);
}

}  // namespace

MemorySnapshot difference(const MemorySnapshot& after, const MemorySnapshot& before) {
  const Inside inside;
  using Key = std::pair<std::string_view, std::span<const std::uintptr_t>>;
  const auto less = [](const Key& a, const Key& b) {
    return a.first != b.first ? a.first < b.first : std::ranges::lexicographical_compare(a.second, b.second);
  };
  std::map<Key, const AllocationSite*, decltype(less)> known(less);
  for (const AllocationSite& site : before.sites) known.emplace(Key{site.tags, site.calls}, &site);
  MemorySnapshot out = after;
  subtract(out, before);
  out.sites.clear();
  for (AllocationSite site : after.sites) {
    if (const auto at = known.find(Key{site.tags, site.calls}); at != known.end()) subtract(site, *at->second);
    site.peak_bytes = 0;
    if (site.allocations != 0 || site.frees != 0) out.sites.push_back(std::move(site));
  }
  return out;
}

std::vector<AllocationSite> top(const MemorySnapshot& snapshot, std::size_t count, OrderBy order) {
  const Inside inside;
  std::vector<AllocationSite> sites = snapshot.sites;
  std::erase_if(sites, [order](const AllocationSite& site) { return value_of(site, order) <= 0; });
  sort_by(sites, order);
  if (sites.size() > count) sites.resize(count);
  return sites;
}

std::vector<AllocationSite> by_tags(const MemorySnapshot& snapshot, OrderBy order) {
  const Inside inside;
  std::map<std::string, AllocationSite> sums;
  for (const AllocationSite& site : snapshot.sites) {
    AllocationSite& sum = sums[site.tags];
    sum.tags = site.tags;
    sum.allocations += site.allocations;
    sum.frees += site.frees;
    sum.allocated_bytes += site.allocated_bytes;
    sum.live_blocks += site.live_blocks;
    sum.live_bytes += site.live_bytes;
  }
  std::vector<AllocationSite> out;
  for (auto& [tags, sum] : sums) out.push_back(std::move(sum));
  sort_by(out, order);
  return out;
}

std::string format_sites(const MemorySnapshot& snapshot, std::size_t count, OrderBy order, std::size_t depth) {
  const Inside inside;
  std::string out = fmt::format("{} allocations of {}, {} freed; {} live in {}; peak {}\n", snapshot.allocations,
                                bytes_text(snapshot.allocated_bytes), snapshot.frees, bytes_text(snapshot.live_bytes),
                                blocks_text(snapshot.live_blocks), bytes_text(snapshot.peak_bytes));
  for (const AllocationSite& site : top(snapshot, count, order)) append_site(out, site, order, depth);
  return out;
}

std::string format_leaks(const MemorySnapshot& snapshot, std::size_t count, std::size_t depth) {
  const Inside inside;
  MemorySnapshot alive;
  for (const AllocationSite& site : snapshot.sites)
    if (site.live_blocks > 0) {
      alive.live_blocks += site.live_blocks;
      alive.live_bytes += site.live_bytes;
      alive.sites.push_back(site);
    }
  if (alive.sites.empty()) return "no leaks\n";
  std::string out = fmt::format("leaks: {} in {}\n", bytes_text(alive.live_bytes), blocks_text(alive.live_blocks));
  const auto shown = top(alive, count, OrderBy::live_bytes);
  for (const AllocationSite& site : shown) append_site(out, site, OrderBy::live_bytes, depth);
  if (shown.size() < alive.sites.size())
    out += fmt::format("  and {} more places\n", alive.sites.size() - shown.size());
  return out;
}

}  // namespace pawl::memory
