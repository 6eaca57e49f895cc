// page_heap_moves.cpp -- new pages of a run -> pages that free runs hold, moved there by the system; see page_heap.hpp.
//
// A new page costs a fault and zeroing: 180 us for 2 MiB of a huge page, 830 us in small ones (Zen 4, a virtual
// machine; 4 to 7 ms for a huge one where the host has to find the memory first). To enter a page elsewhere in the page
// table costs next to nothing: 1.6 us for 2 MiB in long runs, 8 us for 2 MiB alone. So where no free run is long enough
// for a block, what is held in the shorter ones makes it up, and the heap holds no more than before.
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "memory/page_heap.hpp"

namespace pawl::memory {
namespace {

// What is moved is whole and aligned: a huge page stays one, and the system's areas of memory meet nowhere else. Where
// free runs hold no huge page, pieces of them that would go to the system are moved: 0.3 to 0.4 us for a page of 4 KiB,
// where to give it back and get a new one takes 1.9.
constexpr std::size_t kMovedPages = kHugePage / kPageBytes, kMovedPiece = 16;
// A process may have 65530 areas (vm.max_map_count). So many pieces of the range may be one each, 40 GB; in a longer
// one as many moves may make two more each.
constexpr std::size_t kMostAreas = 20000;
// Free runs that are looked at for one run: the longest.
constexpr int kLooks = 64;

constexpr std::size_t first_whole(std::size_t page, std::size_t unit) { return (page + unit - 1) / unit * unit; }
constexpr std::size_t last_whole(std::size_t page, std::size_t unit) { return page / unit * unit; }

}  // namespace

Span* PageHeap::cut_out(Span* run, std::size_t first, std::size_t pages) noexcept {
  remove_free(run);
  if (first > run->first) {
    Span* const rest = split(run, first - run->first);
    insert_free(run);
    if (rest == nullptr) return nullptr;
    remove_free(rest);
    run = rest;
  }
  split(run, pages);
  if (run->pages == pages) return run;
  insert_free(run);
  return nullptr;
}

bool PageHeap::may_move(std::size_t unit) const noexcept {
  return can_move_ && (end_ - begin_ <= kMostAreas * unit || (unit == kMovedPages && moves_ < kMostAreas / 2));
}

std::size_t PageHeap::move_pages(std::size_t from, std::size_t to, std::size_t pages, std::size_t unit) noexcept {
  std::size_t moved = 0, step = pages;
  while (moved < pages && may_move(unit)) {
    char* const target = base_ + (to + moved) * kPageBytes;
    const std::size_t bytes = step * kPageBytes;
    ++moves_;
    if (system_.move(base_ + (from + moved) * kPageBytes, bytes, target) != MAP_FAILED) {
      moved += step;
      step = std::min(step, pages - moved);
      continue;
    }
    const int error = errno;
    // What was there may be unmapped by now.
    (void)system_.map(target, bytes, PROT_READ | PROT_WRITE, MAP_FIXED);
    if (huge_pages_) system_.advise(target, bytes, MADV_HUGEPAGE);
    if (error != EFAULT) can_move_ = false;  // before Linux 5.7, or no memory for another area
    if (step == unit) break;
    step = unit;  // it moves what is of one area; earlier moves made several
  }
  return moved;
}

std::size_t PageHeap::move_from(Span* run, std::size_t to, std::size_t pages, std::size_t unit) noexcept {
  const std::size_t end = run->first + run->pages, begin = first_whole(run->first, unit);
  if (last_whole(end, unit) <= begin) return 0;
  pages = std::min(pages, last_whole(end, unit) - begin);
  // From the end where something is released already.
  const bool head = free_at(end, run->small, true) == nullptr && free_at(run->first - 1, run->small, true) != nullptr;
  Span* const part = cut_out(run, head ? begin : last_whole(end, unit) - pages, pages);
  if (part == nullptr) return 0;
  const std::size_t moved = move_pages(part->first, to, pages, unit);
  if (unit != kMovedPages) moved_ += moved;
  if (moved > 0) {
    if (moved < pages)
      system_.advise(base_ + (part->first + moved) * kPageBytes, (pages - moved) * kPageBytes, MADV_DONTNEED);
    part->released = true;
    released_ += pages;
  }
  join_neighbours(part);
  insert_free(part);
  return moved;
}

std::size_t PageHeap::move_to(std::size_t to, std::size_t end, std::size_t unit, std::size_t pages) noexcept {
  const Lists& resident = parts_[0].resident;
  to = first_whole(to, unit);
  end = std::min(last_whole(end, unit), to + first_whole(pages, unit));
  int looks = kLooks;
  for (int list = last_list(resident, kLists);
       list >= static_cast<int>(list_of(unit)) && to < end && looks > 0 && may_move(unit);
       list = last_list(resident, static_cast<unsigned>(list)))
    for (Span* run = resident.runs[static_cast<unsigned>(list)].front(); run != nullptr && to < end && looks-- > 0;) {
      Span* const next = run->next;
      to += move_from(run, to, end - to, unit);
      run = next;
    }
  return to;
}

void PageHeap::move_in(Span* s, std::size_t most) noexcept {
  s->use = Span::Use::block;  // in no list: no run beside it may join it
  set_ends(s);
  for (; fresh_count_ > 0; --fresh_count_) {
    const Fresh& fresh = fresh_[fresh_count_ - 1];
    const std::size_t end = fresh.first + fresh.pages;
    const std::size_t rest = move_to(fresh.first, end, kMovedPages, fresh.pages);
    const std::size_t before = std::min(first_whole(fresh.first, kMovedPages), end);
    for (const auto& [from, to] : {std::pair(fresh.first, before), std::pair(std::max(rest, before), end)})
      if (held() > most) move_to(from, to, kMovedPiece, held() - most);
  }
}

}  // namespace pawl::memory
