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

constexpr std::size_t kHugePage = std::size_t{2} << 20;
// The heap grows by 128 KiB (a system call every 32 page faults), from 16 MiB on by huge pages. From there on all of it
// is worth them, before that only growth for one run of at least 1 MiB is: a program with few small blocks stays small.
constexpr std::size_t kSmallGrowth = (std::size_t{128} << 10) / kPageBytes, kLargeGrowth = kHugePage / kPageBytes;
constexpr std::size_t kHugeFrom = (std::size_t{16} << 20) / kPageBytes, kHugeRun = (std::size_t{1} << 20) / kPageBytes;
// What it may hold beyond the most that was in use, as a part of that, before free runs go to the system for more.
constexpr std::size_t kSparePart = 8;
// Pages of the system are zeroed, 0.3 ms a MiB, and an operation takes that for 2 to 4 MiB of its memory. So a program
// whose blocks do not fit each other's holes may ask for a 256th of the pages that it takes (of those that caches serve
// the heap does not hear: half of all) and at first for some times its memory. Then the heap is torn (is_torn()); and
// if that does not help, it may hold one such part more with each 64th, and so asks less.
constexpr std::size_t kRefillsUntilTorn = 3, kTakenPerRefilled = 256, kCachedPerTaken = 2;
constexpr std::size_t kRefillsPerPart = 8, kTakenPerRefilledAndPart = 64;
// Of what slabs left, this part of the memory stays with them.
constexpr std::size_t kSlabPart = 32;
// Address space: four times the memory, so that holes left by large blocks do not exhaust it.
constexpr std::size_t kLeastSpace = std::size_t{256} << 20, kUsualSpace = std::size_t{64} << 30;

std::size_t round_up(std::size_t n, std::size_t to) noexcept { return (n + to - 1) / to * to; }

std::size_t physical_bytes() noexcept {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page) : kUsualSpace / 4;
}

void* map(std::size_t bytes, int protection) noexcept {
  void* p = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
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

PageHeap::PageHeap(std::size_t limit_bytes, std::size_t retained_bytes, bool huge_pages)
    : limit_(limit_bytes == 0 ? std::size_t(-1) / kPageBytes : limit_bytes / kPageBytes),
      retained_(retained_bytes / kPageBytes),
      huge_pages_(huge_pages) {
  std::size_t space = std::max(kUsualSpace, 4 * physical_bytes());
  if (limit_bytes != 0) space = std::min(space, std::max(4 * std::min(limit_bytes, space), kLeastSpace));
  // Under a limit on address space (ulimit -v) take what is to be had.
  for (space = round_up(space, kHugePage);; space = round_up(space / 2, kHugePage)) {
    capacity_ = space / kPageBytes;
    spans_possible_ = capacity_ / 2 + 64;  // live spans and free ones alternate at worst; one page each is rare
    const std::size_t map_bytes = round_up(capacity_ * sizeof(void*), kPageBytes);
    metadata_bytes_ = map_bytes + round_up(spans_possible_ * sizeof(Span), kPageBytes);
    char* const range = static_cast<char*>(map(space + kHugePage, PROT_NONE));
    metadata_ = range == nullptr ? nullptr : static_cast<char*>(map(metadata_bytes_, PROT_READ | PROT_WRITE));
    if (metadata_ != nullptr) {
      // Only the aligned part stays.
      const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(range) % kHugePage) % kHugePage;
      base_ = range + before;
      if (before > 0) munmap(range, before);
      if (before < kHugePage) munmap(base_ + space, kHugePage - before);
      map_ = reinterpret_cast<Span**>(metadata_);
      spans_ = reinterpret_cast<Span*>(metadata_ + map_bytes);
      begin_ = end_ = capacity_ / 4 / kLargeGrowth * kLargeGrowth;
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

Span* PageHeap::resident_run(std::size_t pages, bool small) noexcept {
  if (Span* const s = find(parts_[small ? 1 : 0].resident, pages); s != nullptr) {
    remove_free(s);
    return s;
  }
  // As after trim(): as much was in use before.
  if (released_ == 0 || held() + pages > std::min(used_peak_, limit_)) return nullptr;
  Span* const s = refill(pages, small);
  if (s != nullptr) peak_ = std::max(peak_, held());
  return s;
}

Span* PageHeap::take(std::size_t pages, std::size_t alignment, bool small) noexcept {
  if (!could_hold(pages, alignment)) return nullptr;
  Span* s = resident_run(pages + alignment - 1, small);
  if (s == nullptr) return nullptr;
  const auto address_pages = reinterpret_cast<std::uintptr_t>(base_) / kPageBytes + s->first;
  const std::size_t before = (alignment - address_pages % alignment) % alignment;
  if (before > 0) {
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
  s->use = Span::Use::block;
  set_ends(s);
  return s;
}

Span* PageHeap::free_at(std::size_t page, bool small, bool released) const noexcept {
  Span* const s = page >= begin_ && page < end_ ? map_[page] : nullptr;
  return s != nullptr && s->use == Span::Use::free && s->small == small && s->released == released ? s : nullptr;
}

void PageHeap::adopt(Span* s, Span* released, std::size_t pages) noexcept {
  const bool before = released->first < s->first;
  remove_free(released);
  if (released->pages > pages) {
    // Without a span for the rest all of it is adopted.
    Span* const rest = split(released, before ? released->pages - pages : pages);
    if (before && rest != nullptr) {
      insert_free(released);
      remove_free(rest);
      released = rest;
    }
  }
  released_ -= released->pages;
  refilled_ += released->pages;
  if (before) s->first = released->first;
  s->pages += released->pages;
  delete_span(released);
  set_ends(s);
}

Span* PageHeap::refill(std::size_t pages, bool small) noexcept {
  const Part& part = parts_[small ? 1 : 0];
  // The longest resident runs lack least; of a few of them one that has the rest beside it.
  int looks = 32;
  for (int list = last_list(part.resident, kLists); list >= 0 && looks > 0;
       list = last_list(part.resident, static_cast<unsigned>(list)))
    for (Span* s = part.resident.runs[static_cast<unsigned>(list)].front(); s != nullptr && looks-- > 0; s = s->next) {
      Span* const right = free_at(s->first + s->pages, small, true);
      Span* const left = free_at(s->first - 1, small, true);
      const std::size_t there = s->pages + (right != nullptr ? right->pages : 0);
      if (there + (left != nullptr ? left->pages : 0) < pages) continue;
      remove_free(s);
      if (right != nullptr && s->pages < pages) adopt(s, right, pages - s->pages);
      if (left != nullptr && s->pages < pages) adopt(s, left, pages - s->pages);
      join_neighbours(s);
      return s;
    }
  Span* const s = find(part.released, pages);
  if (s == nullptr) return nullptr;
  remove_free(s);
  split(s, pages);
  released_ -= s->pages;
  refilled_ += s->pages;
  s->released = false;
  join_neighbours(s);
  return s;
}

Span* PageHeap::lengthen(std::size_t pages, bool small, std::size_t most) noexcept {
  // What is free at the end needs only what it lacks.
  const std::size_t last = small ? begin_ : end_ - 1;
  Span* s = free_at(last, small, false);
  if (Span* const released = free_at(last, small, true); released != nullptr) {
    s = free_at(small ? released->first + released->pages : released->first - 1, small, false);
    if (s != nullptr) {
      remove_free(s);
      adopt(s, released, released->pages);
    } else {
      s = released;
      remove_free(s);
      released_ -= s->pages;
      refilled_ += s->pages;
      s->released = false;
    }
    insert_free(s);
  }
  const std::size_t tail = s != nullptr ? s->pages : 0, lacks = pages - std::min(tail, pages - 1);
  const bool huge = held() >= kHugeFrom;
  std::size_t more = round_up(lacks, huge ? kLargeGrowth : kSmallGrowth);
  if (held() + more > most) more = std::max(lacks, most - std::min(most, held()));
  if (more > (small ? begin_ : capacity_ - end_)) return nullptr;
  const std::size_t first = small ? begin_ - more : end_;
  char* const start = base_ + first * kPageBytes;
  if (mprotect(start, more * kPageBytes, PROT_READ | PROT_WRITE) != 0) return nullptr;
  if (huge_pages_ && (pages >= kHugeRun || huge)) madvise(start, more * kPageBytes, MADV_HUGEPAGE);
  if (s != nullptr)
    remove_free(s);
  else if (s = new_span(); s == nullptr)
    return nullptr;
  else
    s->first = static_cast<std::uint32_t>(first);
  if (small) s->first = static_cast<std::uint32_t>(first);
  s->small = small;
  s->pages += static_cast<std::uint32_t>(more);
  (small ? begin_ : end_) = small ? first : first + more;
  refilled_ += more;
  return s;
}

bool PageHeap::grow(std::size_t pages, std::size_t alignment, bool small) noexcept {
  if (!could_hold(pages, alignment)) return false;
  const std::size_t enough = pages + alignment - 1, used = end_ - begin_ - free_ + enough;
  if (used > limit_) return false;
  // A little of what slabs left is in use as well: they come again and again.
  const std::size_t kept = std::min(slab_free_, std::max(kSmallGrowth, used / kSlabPart));
  used_peak_ = std::max(used_peak_, used + kept);
  const std::size_t parts = 1 + refilled_ / (kRefillsPerPart * used_peak_ + taken_ / kTakenPerRefilledAndPart);
  const std::size_t most = std::min(limit_, used_peak_ + parts * (used_peak_ / kSparePart));
  Span* s = refill(enough, small);
  if (s == nullptr) s = lengthen(enough, small, most);
  if (s == nullptr) return false;
  split(s, enough);
  set_ends(s);  // its neighbours may be released
  release_while(parts_[0], [&] { return held() > most; });
  release_while(parts_[1], [&] { return held() > (slab_free_ > kept ? most : limit_); });
  ++growths_;
  peak_ = std::max(peak_, held());
  join_neighbours(s);
  insert_free(s);
  return true;
}

bool PageHeap::has_seen_more(std::size_t pages) const noexcept {
  return 4 * (end_ - begin_ - free_ + pages) <= used_peak_;
}

bool PageHeap::is_torn() noexcept {
  const std::size_t again = torn_ ? used_peak_ : 0;  // not to and fro
  torn_ = refilled_ + again > kRefillsUntilTorn * used_peak_ + taken_ / kTakenPerRefilled;
  return torn_;
}

void PageHeap::give(Span* s) noexcept {
  join_neighbours(s);
  insert_free(s);
  if (free_ - released_ > retained_) release_down_to(retained_ / 2);
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

void PageHeap::release(Span* s) noexcept {
  if (madvise(address(s), s->pages * kPageBytes, MADV_DONTNEED) != 0) return;
  remove_free(s);
  released_ += s->pages;
  s->released = true;
  join_neighbours(s);
  insert_free(s);
}

template <class Condition>
void PageHeap::release_while(const Part& part, Condition condition) noexcept {
  if (!condition()) return;
  for (unsigned list = kLists; list-- > 0;)
    for (Span* s = part.resident.runs[list].front(); s != nullptr;) {
      if (!condition()) return;
      Span* const next = s->next;
      release(s);
      s = next;
    }
}

void PageHeap::release_down_to(std::size_t pages) noexcept {
  for (const Part& part : parts_) release_while(part, [&] { return free_ - released_ > pages; });
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
