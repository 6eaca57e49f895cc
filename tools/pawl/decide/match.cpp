// match.cpp -- see match.hpp.
#include "decide/match.hpp"

#include <functional>
#include <string_view>
#include <unordered_map>

namespace pawl::decide {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

struct Key {
  std::string_view name;
  model::Interned executable;
  bool operator==(const Key& other) const { return name == other.name && executable == other.executable; }
};

struct Hash {
  std::size_t operator()(const Key& key) const {
    return std::hash<std::string_view>{}(key.name) ^ (std::hash<model::Interned>{}(key.executable) * 31);
  }
};

// The benchmarks of one key in their order: a list through `next`.
struct Queue {
  std::size_t first = kNone, last = kNone;
  bool several = false;
};

}  // namespace

Matches match_benchmarks(const model::ResultSet& base, const model::ResultSet& now) {
  std::unordered_map<Key, Queue, Hash> of_base;
  of_base.reserve(base.benchmarks.size());
  std::vector<std::size_t> next(base.benchmarks.size(), kNone);
  for (std::size_t i = 0; i < base.benchmarks.size(); ++i) {
    Queue& queue = of_base[{base.benchmarks[i].name, base.benchmarks[i].executable}];
    if (queue.first == kNone) {
      queue.first = i;
    } else {
      next[queue.last] = i;
      queue.several = true;
    }
    queue.last = i;
  }
  Matches matches;
  matches.all.reserve(now.benchmarks.size());
  std::vector<bool> used(base.benchmarks.size(), false);
  for (const model::Benchmark& n : now.benchmarks) {
    Match match{nullptr, &n};
    if (const auto found = of_base.find({n.name, n.executable});
        found != of_base.end() && found->second.first != kNone) {
      const std::size_t i = found->second.first;
      found->second.first = next[i];
      used[i] = true;
      match.base = &base.benchmarks[i];
      matches.duplicates += found->second.several;
    }
    matches.all.push_back(match);
  }
  for (std::size_t i = 0; i < base.benchmarks.size(); ++i)
    if (!used[i]) matches.all.push_back({&base.benchmarks[i], nullptr});
  return matches;
}

}  // namespace pawl::decide
