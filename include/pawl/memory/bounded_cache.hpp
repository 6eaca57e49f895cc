// bounded_cache.hpp -- keys to values, within a number of bytes; what goes first when it is full is a policy.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
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
/// Cost       O(1) expected.
/// Errors     those of copying a Key and of memory. An insertion that throws leaves all entries.
template <class Key, class Value, class Hash = std::hash<Key>>
class BoundedCache {
 public:
  /// `capacity_bytes` bounds the sum of the sizes given with the entries.
  BoundedCache(std::size_t capacity_bytes, Eviction eviction) : capacity_(capacity_bytes), eviction_(eviction) {}
  /// A cache that was moved from is empty, with the capacity and policy that it had. No copies: the places of entries
  /// are places in these very lists.
  BoundedCache(BoundedCache&& other) noexcept : BoundedCache(other.capacity_, other.eviction_) { swap(other); }
  BoundedCache& operator=(BoundedCache&& other) noexcept {
    BoundedCache taken(std::move(other));
    swap(taken);
    return *this;
  }

  /// The value, or null; valid until it is evicted or replaced. Counts as a use.
  Value* find(const Key& key) {
    const auto at = places_.find(key);
    if (at == places_.end()) {
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
    if (bytes > capacity_) {
      erase(key);
      return false;
    }
    // All that may throw comes before any entry goes; `key` may lie in one that does.
    Entries made;
    made.push_back({key, std::move(value), bytes, {}});
    const auto entry = made.begin();
    const auto [place, is_new] = places_.try_emplace(key, entry);
    if (lines_.empty() || lines_.front().uses != 1) {
      try {
        lines_.push_front({1, {}});
      } catch (...) {
        if (is_new) places_.erase(place);
        throw;
      }
    }
    entry->line = lines_.begin();
    entry->line->entries.splice(entry->line->entries.end(), made);
    if (!is_new) remove(std::exchange(place->second, entry));
    while (bytes_ > capacity_ - bytes) evict(entry);
    bytes_ += bytes;
    return true;
  }

  /// Whether there was one.
  bool erase(const Key& key) {
    const auto at = places_.find(key);
    if (at == places_.end()) return false;
    drop(at);
    return true;
  }

  std::size_t size() const noexcept { return places_.size(); }
  std::size_t bytes() const noexcept { return bytes_; }
  std::size_t capacity_bytes() const noexcept { return capacity_; }
  const CacheCounts& counts() const noexcept { return counts_; }

 private:
  struct Entry;
  using Entries = std::list<Entry>;
  struct Line {  // of entries that were used as often; the front goes first
    std::uint64_t uses;
    Entries entries;
  };
  using Lines = std::list<Line>;
  struct Entry {
    Key key;
    Value value;
    std::size_t bytes;
    typename Lines::iterator line;
  };
  using Places = std::unordered_map<Key, typename Entries::iterator, Hash>;

  void swap(BoundedCache& other) noexcept {
    lines_.swap(other.lines_);  // iterators stay good
    places_.swap(other.places_);
    std::swap(capacity_, other.capacity_);
    std::swap(bytes_, other.bytes_);
    std::swap(eviction_, other.eviction_);
    std::swap(counts_, other.counts_);
  }
  void use(typename Entries::iterator entry) {
    if (eviction_ == Eviction::fifo) return;
    const auto from = entry->line;
    if (eviction_ == Eviction::lru) {
      from->entries.splice(from->entries.end(), from->entries, entry);
      return;
    }
    auto to = std::next(from);
    if (to == lines_.end() || to->uses != from->uses + 1) {
      if (from->entries.size() == 1) {  // alone: its line moves on with it
        ++from->uses;
        return;
      }
      to = lines_.insert(to, {from->uses + 1, {}});
    }
    to->entries.splice(to->entries.end(), from->entries, entry);
    entry->line = to;
    if (from->entries.empty()) lines_.erase(from);
  }
  // Which is never `spared`, the newest.
  void evict(typename Entries::iterator spared) {
    ++counts_.evictions;
    auto line = lines_.begin();
    if (line->entries.begin() == spared) ++line;
    drop(places_.find(line->entries.front().key));
  }
  void drop(typename Places::iterator at) {
    const auto entry = at->second;
    places_.erase(at);
    remove(entry);
  }
  void remove(typename Entries::iterator entry) noexcept {
    const auto line = entry->line;
    bytes_ -= entry->bytes;
    line->entries.erase(entry);
    if (line->entries.empty()) lines_.erase(line);
  }

  Lines lines_;  // by number of uses, none empty; but for lfu all are in one
  Places places_;
  std::size_t capacity_, bytes_ = 0;
  Eviction eviction_;
  CacheCounts counts_;
};

}  // namespace pawl::memory
