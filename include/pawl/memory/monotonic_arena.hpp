// monotonic_arena.hpp -- blocks handed out in order, taken back all at once or back to a mark.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "pawl/memory/statistics.hpp"

namespace pawl::memory {

/// Bump allocator. deallocate() does nothing but count, and all blocks after a mark die together: what a forward pass
/// or a request needs.
///
/// Method     chunks from the upstream resource, each twice the one before up to 64 MiB; kept by rewind() and reset(),
///            but for those that no request fits once they are as much as the most that was alive.
/// Threads    one at a time.
/// Cost       allocate: an addition and a comparison.
/// Errors     std::bad_alloc if a chunk is above PTRDIFF_MAX bytes or upstream has nothing; the arena stays as it was.
class MonotonicArena final : public std::pmr::memory_resource {
 public:
  /// A place in the order of allocations; see rewind().
  class Mark {
    friend class MonotonicArena;
    void* chunk = nullptr;
    char* next = nullptr;
    std::size_t live = 0;
  };

  explicit MonotonicArena(std::size_t first_chunk_bytes = 64 << 10,
                          std::pmr::memory_resource* upstream = std::pmr::get_default_resource());
  ~MonotonicArena() override { release(); }
  MonotonicArena(const MonotonicArena&) = delete;
  MonotonicArena& operator=(const MonotonicArena&) = delete;

  /// As memory_resource::allocate, without the virtual call.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
    // Both are compared with the room that is left, so that no sum overflows.
    const std::size_t skip = -reinterpret_cast<std::uintptr_t>(next_) & (alignment - 1);
    const auto room = static_cast<std::size_t>(end_ - next_);
    if (next_ == nullptr || skip > room || bytes > room - skip) [[unlikely]]
      return allocate_from_next_chunk(bytes, alignment);
    char* const start = next_ + skip;
    next_ = start + bytes;
    live_ += bytes;
    ++hits_;
    return start;
  }

  Mark mark() const noexcept;
  /// All blocks allocated since `mark` are dead, their memory is used again. Marks taken later die with them.
  void rewind(const Mark& mark) noexcept;
  /// All blocks are dead; chunks stay.
  void reset() noexcept { rewind({}); }
  /// All blocks are dead; chunks go back upstream.
  void release() noexcept;

  /// live_bytes: what was asked for since the last rewind, deallocated or not. A miss asked upstream.
  Statistics statistics() const noexcept;

 private:
  struct Chunk {
    Chunk *previous, *next;
    std::size_t bytes;  // with this header
  };
  void* allocate_from_next_chunk(std::size_t bytes, std::size_t alignment);
  void enter(Chunk* chunk) noexcept;
  Chunk* first_unused() const noexcept { return current_ == nullptr ? first_ : current_->next; }
  void unlink(Chunk* chunk) noexcept;
  void link_behind_current(Chunk* chunk) noexcept;
  void note_peak() const noexcept {
    if (live_ > peak_) peak_ = live_;
  }
  void* do_allocate(std::size_t bytes, std::size_t alignment) override { return allocate(bytes, alignment); }
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  char *next_ = nullptr, *end_ = nullptr;
  std::size_t live_ = 0;
  std::uint64_t hits_ = 0, misses_ = 0;
  mutable std::size_t peak_ = 0;  // lags behind live_, which only grows between rewinds
  Chunk *first_ = nullptr, *current_ = nullptr;
  std::size_t next_bytes_, reserved_ = 0, peak_reserved_ = 0;
  const std::size_t first_bytes_;
  std::pmr::memory_resource* upstream_;
};

}  // namespace pawl::memory
