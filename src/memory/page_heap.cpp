// page_heap.cpp -- see page_heap.hpp.
#include "memory/page_heap.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <new>

#include "pawl/memory/caching_resource.hpp"  // whether ASan is on

namespace pawl::memory {
namespace {

// Caches serve half of all blocks of pages: of those the heap does not hear.
constexpr std::size_t kCachedPerTaken = 2;
// A block that fits no free run of its part may have pages of slabs if these have twice as many free, and more than an
// eighth of the memory in use: a network with sequences of other lengths each time takes half the time. Where they lend
// all that they have, a long run holds 1.29 instead of 1.26 times its peak (means of six), and where they lend only to
// blocks above 64 KiB, a small network takes 1.4 times as long.
constexpr std::size_t kFreePerLent = 2, kSlabsKeep = 8;
// Address space: four times the memory, so that holes left by large blocks do not exhaust it.
constexpr std::size_t kLeastSpace = std::size_t{256} << 20, kUsualSpace = std::size_t{64} << 30;

std::size_t round_up(std::size_t n, std::size_t to) noexcept { return (n + to - 1) / to * to; }

std::size_t physical_bytes() noexcept {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page) : kUsualSpace / 4;
}

}  // namespace

void SpanList::push(Span* s) noexcept {
  s->previous = nullptr;
  s->next = head_;
  if (head_ != nullptr) head_->previous = s;
  head_ = s;
}

void SpanList::remove(Span* s) noexcept {
  (s->previous != nullptr ? s->previous->next : head_) = s->next;
  if (s->next != nullptr) s->next->previous = s->previous;
  s->previous = s->next = nullptr;
}

PageHeap::PageHeap(std::size_t limit_bytes, std::size_t retained_bytes, bool huge_pages, const SystemMemory& system)
    : system_(system),
      limit_(limit_bytes == 0 ? std::size_t(-1) / kPageBytes : limit_bytes / kPageBytes),
      least_retained_(retained_bytes / kPageBytes),
      retained_(least_retained_),
      huge_pages_(huge_pages) {
  std::size_t space = std::max(kUsualSpace, 4 * physical_bytes());
  if (limit_bytes != 0) space = std::min(space, std::max(4 * std::min(limit_bytes, space), kLeastSpace));
  // Under a limit on address space (ulimit -v) take what is to be had.
  for (space = round_up(space, kHugePage);; space = round_up(space / 2, kHugePage)) {
    capacity_ = space / kPageBytes;
    spans_possible_ = capacity_ / 2 + 64;  // live spans and free ones alternate at worst; one page each is rare
    const std::size_t map_bytes = round_up(capacity_ * sizeof(void*), kPageBytes);
    metadata_bytes_ = map_bytes + round_up(spans_possible_ * sizeof(Span), kPageBytes);
    const auto map = [&](std::size_t bytes, int protection) -> char* {
      void* const p = system_.map(nullptr, bytes, protection, 0);
      return p == MAP_FAILED ? nullptr : static_cast<char*>(p);
    };
    char* const range = map(space + kHugePage, PROT_NONE);
    metadata_ = range == nullptr ? nullptr : map(metadata_bytes_, PROT_READ | PROT_WRITE);
    if (metadata_ != nullptr) {
      // Only the aligned part stays.
      const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(range) % kHugePage) % kHugePage;
      base_ = range + before;
      if (before > 0) munmap(range, before);
      if (before < kHugePage) munmap(base_ + space, kHugePage - before);
      map_ = reinterpret_cast<Span**>(metadata_);
      spans_ = reinterpret_cast<Span*>(metadata_ + map_bytes);
      begin_ = end_ = round_up(capacity_ / 4, kHugePage / kPageBytes);
      return;
    }
    if (range != nullptr) munmap(range, space + kHugePage);
    if (space <= kLeastSpace) throw std::bad_alloc();
  }
}

PageHeap::~PageHeap() {
#ifdef PAWL_MEMORY_ASAN
  __asan_unpoison_memory_region(base_ + begin_ * kPageBytes,
                                (end_ - begin_) * kPageBytes);  // whoever gets these addresses next
#endif
  munmap(base_, capacity_ * kPageBytes);
  munmap(metadata_, metadata_bytes_);
}

unsigned PageHeap::list_of(std::size_t pages) noexcept {
  if (pages < 16) return static_cast<unsigned>(pages);
  const unsigned shift = static_cast<unsigned>(std::bit_width(pages)) - 4;
  return shift * 8 + static_cast<unsigned>(pages >> shift);
}

unsigned PageHeap::first_fitting_list(std::size_t pages) noexcept {
  if (pages < 16) return static_cast<unsigned>(pages);
  const unsigned shift = static_cast<unsigned>(std::bit_width(pages - 1)) - 4;
  return shift * 8 + static_cast<unsigned>((pages - 1) >> shift) + 1;
}

Span* PageHeap::new_span() noexcept {
  if (Span* s = unused_spans_; s != nullptr) {
    unused_spans_ = s->next;
    return new (s) Span;
  }
  if (spans_made_ == spans_possible_) return nullptr;
  return new (spans_ + spans_made_++) Span;
}

void PageHeap::delete_span(Span* s) noexcept {
  s->next = unused_spans_;
  unused_spans_ = s;
}

void PageHeap::set_ends(Span* s) noexcept {
  map_[s->first] = s;
  map_[s->first + s->pages - 1] = s;
}

void PageHeap::map_all_pages(Span* s) noexcept { std::fill_n(map_ + s->first, s->pages, s); }

void PageHeap::insert_free(Span* s) noexcept {
  s->use = Span::Use::free;
  set_ends(s);
  const unsigned list = list_of(s->pages);
  Lists& lists = lists_of(s);
  lists.runs[list].push(s);
  lists.nonempty[list / 64] |= std::uint64_t{1} << (list % 64);
  free_ += s->pages;
  if (s->small && !s->released) slab_free_ += s->pages;
}

void PageHeap::remove_free(Span* s) noexcept {
  const unsigned list = list_of(s->pages);
  Lists& lists = lists_of(s);
  lists.runs[list].remove(s);
  if (lists.runs[list].front() == nullptr) lists.nonempty[list / 64] &= ~(std::uint64_t{1} << (list % 64));
  free_ -= s->pages;
  if (s->small && !s->released) slab_free_ -= s->pages;
}

Span* PageHeap::split(Span* s, std::size_t pages) noexcept {
  if (s->pages == pages) return nullptr;
  Span* const rest = new_span();
  if (rest == nullptr) return nullptr;
  rest->first = s->first + static_cast<std::uint32_t>(pages);
  rest->pages = s->pages - static_cast<std::uint32_t>(pages);
  rest->small = s->small;
  rest->released = s->released;
  s->pages = static_cast<std::uint32_t>(pages);
  insert_free(rest);
  return rest;
}

Span* PageHeap::find(const Lists& lists, std::size_t pages) noexcept {
  // Runs of the request's own list may be a little too small: a few looks for a tight fit, the rest all fit.
  const unsigned own = list_of(pages), from = first_fitting_list(pages);
  if (own < from) {
    int looks = 8;
    for (Span* s = lists.runs[own].front(); s != nullptr && looks-- > 0; s = s->next)
      if (s->pages >= pages) return s;
  }
  for (unsigned word = from / 64; word < lists.nonempty.size(); ++word) {
    const std::uint64_t here =
        lists.nonempty[word] & (word == from / 64 ? ~std::uint64_t{0} << (from % 64) : ~std::uint64_t{0});
    if (here != 0) return lists.runs[word * 64 + static_cast<unsigned>(std::countr_zero(here))].front();
  }
  return nullptr;
}

int PageHeap::last_list(const Lists& lists, unsigned before) noexcept {
  for (unsigned word = (before + 63) / 64; word-- > 0;) {
    const unsigned bits = before - word * 64;
    const std::uint64_t here = lists.nonempty[word] & (bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1);
    if (here != 0) return static_cast<int>(word * 64) + 63 - std::countl_zero(here);
  }
  return -1;
}

std::size_t PageHeap::pages_before(const Span* s, std::size_t alignment) const noexcept {
  return -(reinterpret_cast<std::uintptr_t>(base_) / kPageBytes + s->first) & (alignment - 1);
}

Span* PageHeap::find_aligned(const Lists& lists, std::size_t pages, std::size_t alignment) const noexcept {
  int looks = 64;
  const unsigned behind = first_fitting_list(pages + alignment - 1);
  for (unsigned list = list_of(pages); list < behind && looks > 0; ++list)
    for (Span* s = lists.runs[list].front(); s != nullptr && looks-- > 0; s = s->next)
      if (pages_before(s, alignment) + pages <= s->pages) return s;
  return nullptr;
}

Span* PageHeap::resident_run(std::size_t run, std::size_t alignment, bool small) noexcept {
  const Lists& lists = parts_[small ? 1 : 0].resident;
  const std::size_t pages = run + alignment - 1;
  Span* there = alignment > 1 ? find_aligned(lists, run, alignment) : nullptr;
  if (there == nullptr) there = find(lists, pages);
  // Of many free pages of slabs blocks may have some before the heap grows; they come back to their part.
  if (there == nullptr && !small && alignment == 1 && slab_free_ >= kFreePerLent * pages &&
      slab_free_ > used_peak_ / kSlabsKeep)
    there = find(parts_[1].resident, pages);
  if (there != nullptr) {
    remove_free(there);
    return there;
  }
  // As after trim(): as much was in use before.
  if (released_ == 0 || held() + pages > std::min(used_peak_, limit_)) return nullptr;
  const std::size_t held_before = held();
  fresh_count_ = 0;
  Span* const s = refill(pages, small);
  if (s == nullptr) return nullptr;
  make_resident(s, held_before, held());
  ++refills_;
  peak_ = std::max(peak_, held());
  return s;
}

Span* PageHeap::take(std::size_t pages, std::size_t alignment, bool small) noexcept {
  if (!could_hold(pages, alignment)) return nullptr;
  Span* s = resident_run(pages, alignment, small);
  if (s == nullptr) return nullptr;
  if (const std::size_t before = pages_before(s, alignment); before > 0) {
    Span* const rest = split(s, before);
    insert_free(s);
    if (rest == nullptr) return nullptr;
    remove_free(rest);
    s = rest;
  }
  return use_run(s, pages);
}

Span* PageHeap::use_run(Span* s, std::size_t pages) noexcept {
  split(s, pages);
  taken_ += torn_ ? s->pages : kCachedPerTaken * s->pages;
  taken_lately_ += s->pages;
  used_lately_ = std::max(used_lately_, used());
  s->use = Span::Use::block;
  set_ends(s);
  return s;
}

Span* PageHeap::free_at(std::size_t page, bool small, bool released) const noexcept {
  Span* const s = page >= begin_ && page < end_ ? map_[page] : nullptr;
  return s != nullptr && s->use == Span::Use::free && s->small == small && s->released == released ? s : nullptr;
}

void PageHeap::give(Span* s) noexcept {
  join_neighbours(s);
  insert_free(s);
  bound_free();
}

void PageHeap::join_neighbours(Span* s) noexcept {
  if (Span* const left = free_at(s->first - 1, s->small, s->released); left != nullptr) {
    remove_free(left);
    s->first = left->first;
    s->pages += left->pages;
    delete_span(left);
  }
  if (Span* const right = free_at(s->first + s->pages, s->small, s->released); right != nullptr) {
    remove_free(right);
    s->pages += right->pages;
    delete_span(right);
  }
}

std::size_t PageHeap::largest_free_bytes() const noexcept {
  std::size_t largest = 0;
  const auto is_free = [&](std::size_t page) {
    return page >= begin_ && page < end_ && map_[page]->use == Span::Use::free;
  };
  for (const Part& part : parts_)
    for (const Lists* const lists : {&part.resident, &part.released})
      for (const SpanList& runs : lists->runs)
        for (const Span* s = runs.front(); s != nullptr; s = s->next) {
          if (is_free(s->first - 1)) continue;  // counted from the first of its neighbours
          std::size_t end = s->first + s->pages;
          while (is_free(end)) end += map_[end]->pages;
          largest = std::max(largest, end - s->first);
        }
  return largest * kPageBytes;
}

}  // namespace pawl::memory
