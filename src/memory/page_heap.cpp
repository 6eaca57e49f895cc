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
    const std::size_t bit_bytes = round_up(capacity_ / 8 + 8, kPageBytes);
    metadata_bytes_ = map_bytes + bit_bytes + round_up(spans_possible_ * sizeof(Span), kPageBytes);
    char* const range = static_cast<char*>(map(space + kHugePage, PROT_NONE));
    metadata_ = range == nullptr ? nullptr : static_cast<char*>(map(metadata_bytes_, PROT_READ | PROT_WRITE));
    if (metadata_ != nullptr) {
      // Only the aligned part stays.
      const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(range) % kHugePage) % kHugePage;
      base_ = range + before;
      if (before > 0) munmap(range, before);
      if (before < kHugePage) munmap(base_ + space, kHugePage - before);
      map_ = reinterpret_cast<Span**>(metadata_);
      released_map_ = reinterpret_cast<std::uint64_t*>(metadata_ + map_bytes);
      spans_ = reinterpret_cast<Span*>(metadata_ + map_bytes + bit_bytes);
      return;
    }
    if (range != nullptr) munmap(range, space + kHugePage);
    if (space <= kLeastSpace) throw std::bad_alloc();
  }
}

PageHeap::~PageHeap() {
#ifdef PAWL_MEMORY_ASAN
  __asan_unpoison_memory_region(base_, committed_ * kPageBytes);  // whoever gets these addresses next
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
  Lists& lists = lists_[s->small ? 1 : 0];
  lists.runs[list].push(s);
  lists.nonempty[list / 64] |= std::uint64_t{1} << (list % 64);
  free_ += s->pages;
}

void PageHeap::remove_free(Span* s) noexcept {
  const unsigned list = list_of(s->pages);
  Lists& lists = lists_[s->small ? 1 : 0];
  lists.runs[list].remove(s);
  if (lists.runs[list].front() == nullptr) lists.nonempty[list / 64] &= ~(std::uint64_t{1} << (list % 64));
  free_ -= s->pages;
}

std::size_t PageHeap::count_released(std::size_t first, std::size_t pages) const noexcept {
  std::size_t count = 0;
  for (std::size_t p = first, end = first + pages; p < end;) {
    const std::size_t in_word = std::min(64 - p % 64, end - p);
    const std::uint64_t mask = (in_word == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << in_word) - 1) << (p % 64);
    count += static_cast<std::size_t>(std::popcount(released_map_[p / 64] & mask));
    p += in_word;
  }
  return count;
}

void PageHeap::mark_released(std::size_t first, std::size_t pages, bool released) noexcept {
  for (std::size_t p = first, end = first + pages; p < end;) {
    const std::size_t in_word = std::min(64 - p % 64, end - p);
    const std::uint64_t mask = (in_word == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << in_word) - 1) << (p % 64);
    released_map_[p / 64] = released ? released_map_[p / 64] | mask : released_map_[p / 64] & ~mask;
    p += in_word;
  }
}

Span* PageHeap::split(Span* s, std::size_t pages) noexcept {
  if (s->pages == pages) return nullptr;
  Span* const rest = new_span();
  if (rest == nullptr) return nullptr;
  rest->first = s->first + static_cast<std::uint32_t>(pages);
  rest->pages = s->pages - static_cast<std::uint32_t>(pages);
  rest->small = s->small;
  s->pages = static_cast<std::uint32_t>(pages);
  if (s->released > 0) {
    rest->released = static_cast<std::uint32_t>(count_released(rest->first, rest->pages));
    s->released -= rest->released;
  }
  insert_free(rest);
  return rest;
}

Span* PageHeap::find(std::size_t pages, std::size_t alignment, bool small) noexcept {
  const Lists& lists = lists_[small ? 1 : 0];
  // Runs of the request's own list may be a little too small: a few looks for a tight fit, the rest all fit.
  const std::size_t enough = pages + alignment - 1;
  const unsigned own = list_of(enough), from = first_fitting_list(enough);
  if (own < from) {
    int looks = 8;
    for (Span* s = lists.runs[own].front(); s != nullptr && looks-- > 0; s = s->next)
      if (s->pages >= enough) return s;
  }
  for (unsigned word = from / 64; word < lists.nonempty.size(); ++word) {
    const std::uint64_t here =
        lists.nonempty[word] & (word == from / 64 ? ~std::uint64_t{0} << (from % 64) : ~std::uint64_t{0});
    if (here != 0) return lists.runs[word * 64 + static_cast<unsigned>(std::countr_zero(here))].front();
  }
  return nullptr;
}

Span* PageHeap::take(std::size_t pages, std::size_t alignment) noexcept {
  if (!could_hold(pages, alignment)) return nullptr;
  Span* s = find(pages, alignment);
  if (s == nullptr) return nullptr;
  // Pages that the system has back count again, and the limit holds for them as well.
  if (s->released > 0 && reserved_bytes() / kPageBytes + std::min<std::size_t>(s->released, pages) > limit_)
    return nullptr;
  remove_free(s);
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

Span* PageHeap::take_small(std::size_t pages) noexcept {
  Span* s = find(pages, 1, true);
  const bool piece = s == nullptr;
  if (piece) s = find(kPiecePages, 1);
  if (s == nullptr) return nullptr;
  if (s->released > 0 && reserved_bytes() / kPageBytes + std::min<std::size_t>(s->released, pages) > limit_)
    return nullptr;
  remove_free(s);
  if (piece) {
    split(s, kPiecePages);
    s->small = true;
  }
  return use_run(s, pages);
}

Span* PageHeap::use_run(Span* s, std::size_t pages) noexcept {
  split(s, pages);
  if (s->released > 0) {
    released_ -= s->released;
    mark_released(s->first, s->pages, false);
    s->released = 0;
    peak_ = std::max(peak_, committed_ - released_);
  }
  s->use = Span::Use::block;
  set_ends(s);
  return s;
}

bool PageHeap::grow(std::size_t pages, std::size_t alignment) noexcept {
  if (!could_hold(pages, alignment)) return false;
  const std::size_t enough = pages + alignment - 1;
  // A free run at the end needs only what it lacks.
  Span* const last = committed_ > 0 ? map_[committed_ - 1] : nullptr;
  const std::size_t tail = last != nullptr && last->use == Span::Use::free && !last->small ? last->pages : 0;
  std::size_t more =
      round_up(enough - std::min(tail, enough - 1), committed_ < kHugeFrom ? kSmallGrowth : kLargeGrowth);
  const std::size_t held = committed_ - released_;
  if (held + more > limit_ && limit_ > held) more = limit_ - held;
  if (held + more > limit_ || more > capacity_ - committed_ || tail + more < enough) return false;
  char* const start = base_ + committed_ * kPageBytes;
  if (mprotect(start, more * kPageBytes, PROT_READ | PROT_WRITE) != 0) return false;
  if (huge_pages_ && (pages >= kHugeRun || committed_ >= kHugeFrom)) madvise(start, more * kPageBytes, MADV_HUGEPAGE);
  Span* s = new_span();
  if (s == nullptr) return false;
  s->first = static_cast<std::uint32_t>(committed_);
  s->pages = static_cast<std::uint32_t>(more);
  committed_ += more;
  ++growths_;
  peak_ = std::max(peak_, committed_ - released_);
  join(s);
  return true;
}

void PageHeap::give(Span* s) noexcept {
  join(s);
  if (free_ - released_ > retained_) release_down_to(retained_ / 2);
}

void PageHeap::join(Span* s) noexcept {
  join_neighbours(s);
  // As long as a piece, or what is left of one whose slabs are all gone: then it is like any run.
  if (s->small && (s->pages >= kPiecePages || !touches_small(s))) {
    s->small = false;
    join_neighbours(s);
  }
  insert_free(s);
}

bool PageHeap::touches_small(const Span* s) const noexcept {
  const std::size_t end = s->first + s->pages;
  return (s->first > 0 && map_[s->first - 1]->small) || (end < committed_ && map_[end]->small);
}

void PageHeap::join_neighbours(Span* s) noexcept {
  if (s->first > 0)
    if (Span* const left = map_[s->first - 1]; left->use == Span::Use::free && left->small == s->small) {
      remove_free(left);
      s->first = left->first;
      s->pages += left->pages;
      s->released += left->released;
      delete_span(left);
    }
  if (const std::size_t end = s->first + s->pages; end < committed_)
    if (Span* const right = map_[end]; right->use == Span::Use::free && right->small == s->small) {
      remove_free(right);
      s->pages += right->pages;
      s->released += right->released;
      delete_span(right);
    }
}

void PageHeap::release(Span* s) noexcept {
  if (s->released == s->pages) return;
  if (madvise(address(s), s->pages * kPageBytes, MADV_DONTNEED) != 0) return;
  mark_released(s->first, s->pages, true);
  released_ += s->pages - s->released;
  s->released = s->pages;
}

void PageHeap::release_down_to(std::size_t pages) noexcept {
  for (const Lists& lists : lists_)
    for (unsigned list = kLists; list-- > 0 && free_ - released_ > pages;)
      for (Span* s = lists.runs[list].front(); s != nullptr && free_ - released_ > pages; s = s->next) release(s);
}

std::size_t PageHeap::largest_free_bytes() const noexcept {
  std::size_t whole = 0;
  for (const Lists& lists : lists_)
    for (unsigned list = kLists; list-- > 0;) {
      std::size_t largest = 0;
      for (const Span* s = lists.runs[list].front(); s != nullptr; s = s->next)
        largest = std::max<std::size_t>(largest, s->pages);
      whole = std::max(whole, largest);
      if (largest > 0) break;
    }
  return whole * kPageBytes;
}

}  // namespace pawl::memory
