// bounded_cache.hpp -- keys to values, within a number of bytes; what goes first when it is full is a policy.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace pawl::memory {

/// Which entry goes when there is no room: the least recently used, the least often used (of those the least recently
/// used), or the one that came first.
enum class Eviction { lru, lfu, fifo };

/// What a cache did so far.
struct CacheCounts {
  std::uint64_t hits = 0, misses = 0, evictions = 0;
  double hit_rate() const noexcept {
    const auto all = static_cast<double>(hits + misses);
    return all == 0 ? 0 : static_cast<double>(hits) / all;
  }
};

/// Cache of results, for example of an inference.
///
/// Threads    one at a time.
/// Cost       O(1) expected, with Eviction::lfu O(log of the number of different counts of use).
/// Errors     those of copying a Key and of memory. An insertion that throws leaves the entries, but for evicted ones.
template <class Key, class Value, class Hash = std::hash<Key>>
class BoundedCache {
 public:
  /// `capacity_bytes` bounds the sum of the sizes given with the entries.
  BoundedCache(std::size_t capacity_bytes, Eviction eviction) : capacity_(capacity_bytes), eviction_(eviction) {}

  /// The value, or null; valid until it is evicted or replaced. Counts as a use.
  Value* find(const Key& key) {
    const auto at = entries_.find(key);
    if (at == entries_.end()) {
      ++counts_.misses;
      return nullptr;
    }
    ++counts_.hits;
    use(at->second);
    return &at->second->value;
  }

  /// Adds or replaces; others go until there is room. False, and the cache has no entry of the key, if `bytes` exceeds
  /// the capacity.
  bool insert(const Key& key, Value value, std::size_t bytes) {
    erase(key);
    if (bytes > capacity_) return false;
    while (bytes_ > capacity_ - bytes) evict();
    auto& line = lines_[1];
    line.push_back({key, std::move(value), bytes, 1});
    try {
      entries_.emplace(key, std::prev(line.end()));
    } catch (...) {
      line.pop_back();
      throw;
    }
    bytes_ += bytes;
    return true;
  }

  /// Whether there was one.
  bool erase(const Key& key) {
    const auto at = entries_.find(key);
    if (at == entries_.end()) return false;
    drop(at);
    return true;
  }

  std::size_t size() const noexcept { return entries_.size(); }
  std::size_t bytes() const noexcept { return bytes_; }
  std::size_t capacity_bytes() const noexcept { return capacity_; }
  const CacheCounts& counts() const noexcept { return counts_; }

 private:
  struct Entry {
    Key key;
    Value value;
    std::size_t bytes;
    std::uint64_t uses;
  };
  using Line = std::list<Entry>;  // the front goes first
  using Entries = std::unordered_map<Key, typename Line::iterator, Hash>;

  void use(typename Line::iterator entry) {
    if (eviction_ == Eviction::fifo) return;
    auto from = lines_.find(entry->uses);
    if (eviction_ == Eviction::lru) {
      from->second.splice(from->second.end(), from->second, entry);
      return;
    }
    Line& to = lines_[entry->uses + 1];
    to.splice(to.end(), from->second, entry);
    ++entry->uses;
    if (from->second.empty()) lines_.erase(from);
  }
  void evict() {
    ++counts_.evictions;
    auto line = lines_.begin();
    while (line->second.empty()) line = lines_.erase(line);
    drop(entries_.find(line->second.front().key));
  }
  void drop(typename Entries::iterator at) {
    const auto entry = at->second;
    bytes_ -= entry->bytes;
    entries_.erase(at);
    const auto line = lines_.find(entry->uses);
    line->second.erase(entry);
    if (line->second.empty()) lines_.erase(line);
  }

  std::map<std::uint64_t, Line> lines_;  // by number of uses; but for lfu all are in line 1
  Entries entries_;
  std::size_t capacity_, bytes_ = 0;
  Eviction eviction_;
  CacheCounts counts_;
};

}  // namespace pawl::memory
