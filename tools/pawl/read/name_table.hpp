// name_table.hpp -- a hash of something that lies in a vector -> its index there.
//
// std::unordered_map would keep each name a second time; here the table is 8 bytes an entry and the vector may grow.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pawl::read {

class NameTable {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  /// The index of the entry of that hash for which same(index) holds, or kNone.
  template <typename Same>
  std::uint32_t find(std::size_t hash, Same same) const {
    if (entries_.empty()) return kNone;
    const std::uint32_t tag = tag_of(hash);
    for (std::size_t i = tag & mask();; i = (i + 1) & mask()) {
      const Entry entry = entries_[i];
      if (entry.index == kNone) return kNone;
      if (entry.tag == tag && same(entry.index)) return entry.index;
    }
  }

  /// Adds what find() did not find.
  void insert(std::size_t hash, std::uint32_t index) {
    if ((count_ + 1) * 2 > entries_.size()) {
      std::vector<Entry> old(entries_.empty() ? 64 : entries_.size() * 2, Entry{});
      old.swap(entries_);
      for (const Entry entry : old)
        if (entry.index != kNone) place(entry);
    }
    place({index, tag_of(hash)});
    ++count_;
  }

 private:
  struct Entry {
    std::uint32_t index = kNone;
    std::uint32_t tag = 0;  ///< says the place, and that most others need no comparison
  };
  std::size_t mask() const { return entries_.size() - 1; }
  static std::uint32_t tag_of(std::size_t hash) { return static_cast<std::uint32_t>(hash ^ (hash >> 32)); }
  void place(Entry entry) {
    std::size_t i = entry.tag & mask();
    while (entries_[i].index != kNone) i = (i + 1) & mask();
    entries_[i] = entry;
  }

  std::vector<Entry> entries_;  // a power of two of them, at most half full
  std::size_t count_ = 0;
};

}  // namespace pawl::read
