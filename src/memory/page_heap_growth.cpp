// page_heap_growth.cpp -- what a page heap asks of the system and gives back; see page_heap.hpp.
#include <sys/mman.h>

#include <algorithm>
#include <bit>

#include "memory/page_heap.hpp"

namespace pawl::memory {
namespace {

// The heap grows by 128 KiB (a system call every 32 page faults), from 16 MiB on by huge pages. From there on all of it
// is worth them, before that only growth for one run of at least 1 MiB is: a program with few small blocks stays small.
constexpr std::size_t kSmallGrowth = (std::size_t{128} << 10) / kPageBytes, kLargeGrowth = kHugePage / kPageBytes;
constexpr std::size_t kHugeFrom = (std::size_t{16} << 20) / kPageBytes, kHugeRun = (std::size_t{1} << 20) / kPageBytes;
// What it may hold beyond the most that was in use, as a part of that and at least in pages, before free runs go to the
// system for more. 512 KiB make tensors of 1.2 MB that die in turns twice as fast as none; the trace of a transformer,
// 3.9 MB, holds as much as before, and with 1 MiB more than 1.2 times its peak.
constexpr std::size_t kSparePart = 8, kLeastSpare = 128;
// Pages of the system are zeroed, 0.3 ms a MiB, and an operation takes that for 2 to 4 MiB of its memory. So a program
// whose blocks do not fit each other's holes may ask for a 256th of the pages that it takes, and at first for some
// times its memory. Then the heap is torn (is_torn()).
constexpr std::size_t kRefillsUntilTorn = 3, kTakenPerRefilled = 256;
// Who asked for 2, 6 and 12 times its memory, and as many 2048ths of what it took, may hold a second, third and fourth
// spare part, and so asks less. With 2 times and a 256th for each part, any number of them, 10 and 100 blocks of 16 B
// to 1 MiB took 1.3 times as long. With an 8192th, or with 2, 5 and 9 times, rescaled traces of a transformer hold more
// than 1.4 times their peak; with 1 time for the second part the trace itself holds 1.3 times its peak.
constexpr std::size_t kTakenPerRefilledAndPart = 2048, kMostParts = 4;
// Free pages beyond a bound go to the system, an eighth more of it lest the next ones go alone. A program that had as
// much as half of it back since comes to its peak again and again (40 blocks of 10 MiB made and freed: 12 times as fast
// if they stay): the bound doubles, up to what was once held. It is as it was when the program has used less for so
// long that it took this many times what is held.
constexpr std::size_t kTakenUntilLess = 8;
// Free pages of which the heap holds too many go to the system by this many, not by whole runs: what is given back
// beyond that is soon asked for again (4 to 8 times as much; random blocks of 16 KiB to 4 MiB took twice the time).
constexpr std::size_t kLeastReleased = (std::size_t{256} << 10) / kPageBytes;
// A program that does the same again and again may have to grow each time, or not at all, by where its blocks lie. So
// at growths that are powers of two from this one on the longest runs go as a whole, and it begins anew from there.
constexpr std::uint64_t kGrowthsUntilAnew = 8;
// Of what slabs left, this part of the memory stays with them.
constexpr std::size_t kSlabPart = 32;

std::size_t round_up(std::size_t n, std::size_t to) noexcept { return (n + to - 1) / to * to; }

}  // namespace

void PageHeap::add_fresh(std::size_t first, std::size_t pages) noexcept {
  if (fresh_count_ < fresh_.size()) fresh_[fresh_count_++] = {first, pages};
}

void PageHeap::take_back(std::size_t first, std::size_t pages) noexcept {
  released_ -= pages;
  add_fresh(first, pages);
}

void PageHeap::make_resident(Span* s, std::size_t held_before, std::size_t most) noexcept {
  move_in(s, most);
  const std::size_t now = std::max(held(), held_before);
  refilled_ += now - held_before;
  taken_back_ += std::min(now, peak_) - std::min(held_before, peak_);
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
  take_back(released->first, released->pages);
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
  take_back(s->first, s->pages);
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
      take_back(s->first, s->pages);
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
  if (system_.protect(start, more * kPageBytes, PROT_READ | PROT_WRITE) != 0) return nullptr;
  if (huge_pages_ && (pages >= kHugeRun || huge)) system_.advise(start, more * kPageBytes, MADV_HUGEPAGE);
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
  add_fresh(first, more);
  return s;
}

bool PageHeap::grow(std::size_t pages, std::size_t alignment, bool small) noexcept {
  if (!could_hold(pages, alignment)) return false;
  const std::size_t enough = pages + alignment - 1, needed = used() + enough;
  if (needed > limit_) return false;
  // A little of what slabs left is in use as well: they come again and again.
  const std::size_t kept = std::min(slab_free_, std::max(kSmallGrowth, needed / kSlabPart));
  used_peak_ = std::max(used_peak_, needed + kept);
  const std::uint64_t allowed = used_peak_ + taken_ / kTakenPerRefilledAndPart;
  std::size_t parts = 1;
  while (parts < kMostParts && cost() >= parts * (parts + 1) * allowed) ++parts;
  const std::size_t most = std::min(limit_, used_peak_ + parts * std::max(used_peak_ / kSparePart, kLeastSpare));
  const std::size_t held_before = held();
  fresh_count_ = 0;
  Span* s = refill(enough, small);
  if (s == nullptr) s = lengthen(enough, small, most);
  if (s == nullptr) return false;
  const bool anew = std::has_single_bit(growths_) && growths_ >= kGrowthsUntilAnew;
  make_resident(s, held_before, anew ? held() : most);
  split(s, enough);
  set_ends(s);  // its neighbours may be released
  const std::size_t least = anew ? capacity_ : kLeastReleased;
  release(parts_[0], least, [&] { return held() - std::min(held(), most); });
  release(parts_[1], least, [&] { return held() - std::min(held(), slab_free_ > kept ? most : limit_); });
  ++growths_;
  peak_ = std::max(peak_, held());
  join_neighbours(s);
  insert_free(s);
  return true;
}

void PageHeap::bound_free() noexcept {
  if (free_ - released_ > retained_) {
    if (taken_back_ > retained_ / 2) {
      retained_ = std::max(retained_, std::min(2 * retained_, peak_));
      taken_back_ = 0;
    }
    if (free_ - released_ > retained_) release_down_to(retained_ - retained_ / 8);
  }
  if (retained_ > least_retained_ && taken_lately_ > kTakenUntilLess * held()) {
    if (held() > used_lately_ + least_retained_) {
      retained_ = least_retained_;
      release_down_to(used_lately_ - used() + least_retained_ / 2);
    }
    taken_lately_ = 0;
    used_lately_ = used();
  }
}

bool PageHeap::has_seen_more(std::size_t pages) const noexcept { return 4 * (used() + pages) <= used_peak_; }

bool PageHeap::is_torn() noexcept {
  const std::size_t again = torn_ ? used_peak_ : 0;  // not to and fro
  torn_ = cost() + again > kRefillsUntilTorn * used_peak_ + taken_ / kTakenPerRefilled;
  return torn_;
}

void PageHeap::release(Span* s, std::size_t pages) noexcept {
  if (pages < s->pages) {
    // From the end where something is released already.
    const bool head = free_at(s->first + s->pages, s->small, true) == nullptr && free_at(s->first - 1, s->small, true);
    if (Span* const part = cut_out(s, head ? s->first : s->first + s->pages - pages, pages); part != nullptr) {
      insert_free(part);
      s = part;
    }
  }
  remove_free(s);
  if (system_.advise(address(s), s->pages * kPageBytes, MADV_DONTNEED) == 0) {
    released_ += s->pages;
    s->released = true;
  }
  join_neighbours(s);
  insert_free(s);
}

template <class TooMuch>
void PageHeap::release(const Part& part, std::size_t least, TooMuch too_much) noexcept {
  for (unsigned list = kLists; list-- > 0;)
    for (Span* s = part.resident.runs[list].front(); s != nullptr;) {
      const std::size_t pages = too_much();
      if (pages == 0) return;
      Span* const next = s->next;
      release(s, std::max(round_up(pages, kLeastReleased), least));
      s = next;
    }
}

void PageHeap::release_down_to(std::size_t pages) noexcept {
  for (const Part& part : parts_)
    release(part, capacity_, [&] { return free_ - released_ - std::min(free_ - released_, pages); });
}

}  // namespace pawl::memory
