// page_heap_check.cpp -- whether a page heap's books agree with each other; see page_heap.hpp.
#include "memory/page_heap.hpp"

namespace pawl::memory {

bool PageHeap::is_consistent() const noexcept {
  std::size_t free_runs = 0, free_pages = 0, released = 0, of_slabs = 0;
  const Span* before = nullptr;
  for (std::size_t page = begin_; page < end_;) {
    const Span* const s = map_[page];
    if (s == nullptr || s->first != page || s->pages == 0 || page + s->pages > end_) return false;
    page += s->pages;
    if (map_[page - 1] != s) return false;
    if (s->use == Span::Use::free) {
      ++free_runs;
      free_pages += s->pages;
      (s->released ? released : of_slabs) += s->released || s->small ? s->pages : 0;
      if (before != nullptr && before->use == Span::Use::free && before->small == s->small &&
          before->released == s->released)
        return false;
    }
    before = s;
  }
  if (free_pages != free_ || released != released_ || of_slabs != slab_free_) return false;
  for (std::size_t part = 0; part < 2; ++part)
    for (const bool gone : {false, true}) {
      const Lists& lists = gone ? parts_[part].released : parts_[part].resident;
      for (unsigned list = 0; list < kLists; ++list) {
        const bool marked = (lists.nonempty[list / 64] >> (list % 64) & 1) != 0;
        if (marked != (lists.runs[list].front() != nullptr)) return false;
        for (const Span* s = lists.runs[list].front(); s != nullptr; s = s->next) {
          const bool listed_right = list_of(s->pages) == list && s->small == (part == 1) && s->released == gone;
          if (!listed_right || s->use != Span::Use::free || map_[s->first] != s || free_runs-- == 0) return false;
        }
      }
    }
  return free_runs == 0;
}

}  // namespace pawl::memory
