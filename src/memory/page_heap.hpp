// page_heap.hpp -- one contiguous range of address space -> runs of pages, split, coalesced and given back.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "pawl/memory/size_class.hpp"

namespace pawl::memory {

/// Blocks of one slab at most, and so bits of its map.
inline constexpr std::size_t kSlabBlocks = 512;

/// A run of pages: free, one block, or a slab of blocks of one class.
struct Span {
  enum class Use : std::uint8_t { free, block, slab };
  Span *previous = nullptr, *next = nullptr;  // in a list of free runs, or of slabs with free blocks
  std::uint32_t first = 0, pages = 0;
  std::uint32_t released = 0;  // of a free run: pages that the system has back
  Use use = Use::free;
  bool small = false;  // of the part for slabs (PageHeap::take_small)
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
  PageHeap(std::size_t limit_bytes, std::size_t retained_bytes, bool huge_pages);
  ~PageHeap();
  PageHeap(const PageHeap&) = delete;
  PageHeap& operator=(const PageHeap&) = delete;

  /// False if no run of that size can exist, however much is freed.
  bool could_hold(std::size_t pages, std::size_t alignment) const noexcept {
    return pages <= capacity_ && alignment <= capacity_ && pages + alignment - 1 <= capacity_ && pages <= limit_;
  }
  /// A run whose first page is a multiple of `alignment` pages (a power of two), or null if no free run fits.
  Span* take(std::size_t pages, std::size_t alignment = 1) noexcept;
  /// The same for a slab of up to kSmallPages, which lives long: such runs are cut from pieces of kPiecePages of their
  /// own. Strewn among large blocks they would keep free pages apart (a transformer's trace: 1.5 times its live peak
  /// instead of 1.2). A piece that is free again is like any run.
  Span* take_small(std::size_t pages) noexcept;
  static constexpr std::size_t kSmallPages = 8, kPiecePages = 32;
  /// Makes take(pages, alignment) succeed, or returns false: limit, address space or the system's memory is exhausted.
  bool grow(std::size_t pages, std::size_t alignment = 1) noexcept;
  /// Takes a run back and joins it with its neighbours; beyond the retained bytes, free runs go to the system.
  void give(Span* s) noexcept;
  /// All pages of a slab lead to it, not only the first and the last.
  void map_all_pages(Span* s) noexcept;
  /// Gives all free pages to the system.
  void release_all() noexcept { release_down_to(0); }

  Span* span_of(const void* p) const noexcept { return map_[page_of(p)]; }
  void* address(const Span* s) const noexcept { return base_ + s->first * kPageBytes; }
  bool owns(const void* p) const noexcept {
    return static_cast<std::size_t>(static_cast<const char*>(p) - base_) < committed_ * kPageBytes;
  }

  std::size_t reserved_bytes() const noexcept { return (committed_ - released_) * kPageBytes; }
  std::size_t peak_reserved_bytes() const noexcept { return peak_ * kPageBytes; }
  std::uint64_t growths() const noexcept { return growths_; }
  std::size_t free_bytes() const noexcept { return free_ * kPageBytes; }
  std::size_t largest_free_bytes() const noexcept;

 private:
  // Runs of n pages are listed under the largest class of n/8ths of powers of two that is not above n.
  static constexpr unsigned kLists = 256;
  static unsigned list_of(std::size_t pages) noexcept;             // the class of a free run
  static unsigned first_fitting_list(std::size_t pages) noexcept;  // from here on every run fits

  std::size_t page_of(const void* p) const noexcept {
    return static_cast<std::size_t>(static_cast<const char*>(p) - base_) / kPageBytes;
  }
  Span* find(std::size_t pages, std::size_t alignment, bool small = false) noexcept;
  Span* use_run(Span* s, std::size_t pages) noexcept;  // a run that is in no list: its first `pages`
  void join(Span* s) noexcept;                         // lists a run with its free neighbours as one
  void join_neighbours(Span* s) noexcept;
  bool touches_small(const Span* s) const noexcept;
  void insert_free(Span* s) noexcept;
  void remove_free(Span* s) noexcept;
  Span* split(Span* s, std::size_t pages) noexcept;  // s keeps the first `pages`; the rest, free and listed, or null
  void set_ends(Span* s) noexcept;
  void release(Span* s) noexcept;
  void release_down_to(std::size_t pages) noexcept;
  std::size_t count_released(std::size_t first, std::size_t pages) const noexcept;
  void mark_released(std::size_t first, std::size_t pages, bool released) noexcept;
  Span* new_span() noexcept;
  void delete_span(Span* s) noexcept;

  char* base_ = nullptr;
  char* metadata_ = nullptr;
  std::size_t metadata_bytes_ = 0;
  Span** map_ = nullptr;                   // by page: the span that it is the first or last page of, or the slab
  std::uint64_t* released_map_ = nullptr;  // by page: one bit
  Span* spans_ = nullptr;                  // made in order, never given back
  std::size_t spans_made_ = 0, spans_possible_ = 0;
  Span* unused_spans_ = nullptr;

  struct Lists {
    std::array<SpanList, kLists> runs;
    std::array<std::uint64_t, kLists / 64> nonempty{};
  };
  std::array<Lists, 2> lists_;                                                     // the second: of the part for slabs
  std::size_t capacity_ = 0, committed_ = 0, released_ = 0, free_ = 0, peak_ = 0;  // pages; free_ includes released_
  std::uint64_t growths_ = 0;
  std::size_t limit_, retained_;
  bool huge_pages_;
};

}  // namespace pawl::memory
