// page_heap.hpp -- one contiguous range of address space -> runs of pages, split, coalesced and given back.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "memory/system_memory.hpp"
#include "pawl/memory/size_class.hpp"

namespace pawl::memory {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;
/// Blocks of one slab at most, and so bits of its map.
inline constexpr std::size_t kSlabBlocks = 512;

/// A run of pages: free, one block, or a slab of blocks of one class.
struct Span {
  enum class Use : std::uint8_t { free, block, slab };
  Span *previous = nullptr, *next = nullptr;  // in a list of free runs, or of slabs with free blocks
  std::uint32_t first = 0, pages = 0;
  Use use = Use::free;
  bool small = false;     // of the part for slabs (PageHeap::take)
  bool released = false;  // a free run whose pages the system has back
  // Slabs only:
  std::uint8_t size_class = 0;
  std::uint16_t blocks = 0, free_blocks = 0;
  std::uint64_t free_map[kSlabBlocks / 64] = {};
};

/// An intrusive list of spans, newest first.
class SpanList {
 public:
  Span* front() const noexcept { return head_; }
  void push(Span* s) noexcept;
  void remove(Span* s) noexcept;

 private:
  Span* head_ = nullptr;
};

/// Not thread-safe. All sizes are pages of kPageBytes.
class PageHeap {
 public:
  /// Reserves address space only. limit_bytes 0: none. Errors: std::bad_alloc if no address space is to be had.
  PageHeap(std::size_t limit_bytes, std::size_t retained_bytes, bool huge_pages,
           const SystemMemory& system = kSystemMemory);
  ~PageHeap();
  PageHeap(const PageHeap&) = delete;
  PageHeap& operator=(const PageHeap&) = delete;

  /// False if no run of that size can exist, however much is freed.
  bool could_hold(std::size_t pages, std::size_t alignment) const noexcept {
    return pages <= capacity_ && alignment <= capacity_ && pages + alignment - 1 <= capacity_ && pages <= limit_;
  }
  /// A run whose first page is a multiple of `alignment` pages (a power of two), or null if no free run fits. `small`:
  /// for a slab, which lives long. Strewn among large blocks they would keep free pages apart (60 rescaled traces of a
  /// transformer, without caches: 1.40 times the live peak instead of 1.19), so the range grows for them at its other
  /// end.
  Span* take(std::size_t pages, std::size_t alignment = 1, bool small = false) noexcept;
  /// Makes take(pages, alignment, small) succeed with pages of the system, or returns false: limit, address space or
  /// the system's memory is exhausted. If the heap would hold an eighth more than was ever in use when it grew, it
  /// gives the system free runs for them, none of which fits: holes between blocks cost address space, not memory.
  bool grow(std::size_t pages, std::size_t alignment = 1, bool small = false) noexcept;
  /// Whether with `pages` more at most a quarter of what once was would be in use: then growing costs no memory.
  bool has_seen_more(std::size_t pages) const noexcept;
  /// Whether it had to ask the system for much of what was taken, because what was free lay apart: then blocks should
  /// come back to it as soon as they are free.
  bool is_torn() noexcept;
  /// Takes a run back and joins it with its neighbours; beyond the retained bytes, free runs go to the system.
  void give(Span* s) noexcept;
  /// All pages of a slab lead to it, not only the first and the last.
  void map_all_pages(Span* s) noexcept;
  /// Gives all free pages to the system.
  void release_all() noexcept { release_down_to(0); }

  Span* span_of(const void* p) const noexcept { return map_[page_of(p)]; }
  void prefetch_span_of(const void* p) const noexcept { __builtin_prefetch(map_ + page_of(p)); }
  void* address(const Span* s) const noexcept { return base_ + s->first * kPageBytes; }

  std::size_t reserved_bytes() const noexcept { return held() * kPageBytes; }
  std::size_t peak_reserved_bytes() const noexcept { return peak_ * kPageBytes; }
  /// Times that pages of the system were needed: new ones, or such as it had back.
  std::uint64_t growths() const noexcept { return growths_ + refills_; }
  std::size_t free_bytes() const noexcept { return free_ * kPageBytes; }
  std::size_t largest_free_bytes() const noexcept;
  /// Whether all runs together are the range, free neighbours of one kind are one run, lists and sums are of what is
  /// there. For tests: it looks at every run.
  bool is_consistent() const noexcept;

 private:
  // Runs of n pages are listed under the largest class of n/8ths of powers of two that is not above n.
  static constexpr unsigned kLists = 256;
  static unsigned list_of(std::size_t pages) noexcept;             // the class of a free run
  static unsigned first_fitting_list(std::size_t pages) noexcept;  // from here on every run fits

  std::size_t held() const noexcept { return end_ - begin_ - released_; }  // pages
  std::size_t used() const noexcept { return end_ - begin_ - free_; }      // pages
  // Of blocks that did not fit what was free, in pages from the system: to move a small page takes a fifth to a half of
  // one.
  std::uint64_t cost() const noexcept { return refilled_ + moved_ / 2; }
  std::size_t page_of(const void* p) const noexcept {
    return static_cast<std::size_t>(static_cast<const char*>(p) - base_) / kPageBytes;
  }
  struct Lists {
    std::array<SpanList, kLists> runs;
    std::array<std::uint64_t, kLists / 64> nonempty{};
  };
  struct Part {
    Lists resident, released;
  };
  static Span* find(const Lists& lists, std::size_t pages) noexcept;
  // A run that has `pages` behind a multiple of `alignment`, of those that may be shorter than both together.
  Span* find_aligned(const Lists& lists, std::size_t pages, std::size_t alignment) const noexcept;
  std::size_t pages_before(const Span* s, std::size_t alignment) const noexcept;  // its first multiple of that
  static int last_list(const Lists& lists, unsigned before) noexcept;             // that is not empty, or -1
  Part& part_of(const Span* s) noexcept { return parts_[s->small ? 1 : 0]; }
  Lists& lists_of(const Span* s) noexcept { return s->released ? part_of(s).released : part_of(s).resident; }
  Span* free_at(std::size_t page, bool small, bool released) const noexcept;  // that begins or ends there, or null
  void adopt(Span* s, Span* released, std::size_t pages) noexcept;  // s, in no list, grows by pages of its neighbour
  // A resident run of `pages` that is in no list, or null: of released ones and what is beside them, ...
  Span* refill(std::size_t pages, bool small) noexcept;
  // ... or with new pages, which make the heap hold no more than `most` pages unless they must.
  Span* lengthen(std::size_t pages, bool small, std::size_t most) noexcept;
  // In no list; refilled if as much was in use before.
  Span* resident_run(std::size_t pages, std::size_t alignment, bool small) noexcept;
  Span* use_run(Span* s, std::size_t pages) noexcept;  // a run that is in no list: its first `pages`
  void join_neighbours(Span* s) noexcept;
  void insert_free(Span* s) noexcept;
  void remove_free(Span* s) noexcept;
  Span* split(Span* s, std::size_t pages) noexcept;  // s keeps the first `pages`; the rest, free and listed, or null
  void set_ends(Span* s) noexcept;
  void release(Span* s, std::size_t pages) noexcept;              // so many of a listed run, or all of it
  void take_back(std::size_t first, std::size_t pages) noexcept;  // released pages for the run that is being made
  void add_fresh(std::size_t first, std::size_t pages) noexcept;
  // The run that was made, in no list; counts.
  void make_resident(Span* s, std::size_t held_before, std::size_t most) noexcept;
  // page_heap_moves.cpp: pages of free runs take the place of fresh pages of s, which is in no list: whole huge ones,
  // and others until the heap holds `most`. All else is in units of pages that are moved at once, and aligned.
  void move_in(Span* s, std::size_t most) noexcept;
  std::size_t move_to(std::size_t to, std::size_t end, std::size_t unit, std::size_t pages) noexcept;  // where it ends
  std::size_t move_from(Span* run, std::size_t to, std::size_t pages, std::size_t unit) noexcept;      // how many
  std::size_t move_pages(std::size_t from, std::size_t to, std::size_t pages, std::size_t unit) noexcept;
  bool may_move(std::size_t unit) const noexcept;
  Span* cut_out(Span* run, std::size_t first, std::size_t pages) noexcept;  // of a free run; in no list, or null
  void bound_free() noexcept;                                               // what retained_bytes say
  // The longest first, `least` pages at once, until it is not too much.
  template <class TooMuch>
  void release(const Part& part, std::size_t least, TooMuch too_much) noexcept;
  void release_down_to(std::size_t pages) noexcept;
  Span* new_span() noexcept;
  void delete_span(Span* s) noexcept;

  const SystemMemory& system_;
  char* base_ = nullptr;
  char* metadata_ = nullptr;
  std::size_t metadata_bytes_ = 0;
  Span** map_ = nullptr;   // by page: the span that it is the first or last page of, or the slab
  Span* spans_ = nullptr;  // made in order, never given back
  std::size_t spans_made_ = 0, spans_possible_ = 0;
  Span* unused_spans_ = nullptr;

  std::array<Part, 2> parts_;  // free runs; the second is that of slabs, which ends where the first begins
  // In pages:
  std::size_t capacity_ = 0, begin_ = 0, end_ = 0;  // what may be used is from begin_ to end_
  std::size_t released_ = 0, free_ = 0, peak_ = 0;  // free_ includes released_
  std::size_t slab_free_ = 0;                       // resident, of the part for slabs
  std::size_t used_peak_ = 0;                       // in use when it grew, at most: caches were empty then
  std::uint64_t taken_ = 0, refilled_ = 0;          // by blocks and slabs; from the system
  std::uint64_t growths_ = 0, refills_ = 0;
  std::size_t limit_, least_retained_, retained_;
  std::size_t taken_back_ = 0;                      // from the system, below the peak, since the bound was raised
  std::size_t taken_lately_ = 0, used_lately_ = 0;  // since it was last asked whether it retains too much; at most
  struct Fresh {
    std::size_t first = 0, pages = 0;
  };
  std::array<Fresh, 3> fresh_;  // pages of the system in the run that is being made: a tail and two neighbours at most
  std::size_t fresh_count_ = 0;
  std::uint64_t moves_ = 0, moved_ = 0;  // calls; pages that were no huge ones
  bool huge_pages_, torn_ = false, can_move_ = true;
};

}  // namespace pawl::memory
