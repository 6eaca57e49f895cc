// monotonic_arena.cpp -- the chunks of an arena.
#include "pawl/memory/monotonic_arena.hpp"

#include <algorithm>
#include <cstdint>
#include <new>

namespace pawl::memory {
namespace {

// Doubling stops here: a larger chunk saves no time that shows, and up to half of it is never used.
constexpr std::size_t kLargestChunk = std::size_t{64} << 20;
constexpr std::size_t kLine = 64;
// Chunks that are too small for a request are kept until they and it are this many times the most that was alive.
constexpr std::size_t kReservedPerPeak = 2;

}  // namespace

MonotonicArena::MonotonicArena(std::size_t first_chunk_bytes, std::pmr::memory_resource* upstream)
    : next_bytes_(std::max(first_chunk_bytes, sizeof(Chunk) + kLine)), first_bytes_(next_bytes_), upstream_(upstream) {}

void MonotonicArena::enter(Chunk* chunk) noexcept {
  current_ = chunk;
  next_ = reinterpret_cast<char*>(chunk + 1);
  end_ = reinterpret_cast<char*>(chunk) + chunk->bytes;
}

void MonotonicArena::unlink(Chunk* chunk) noexcept {
  (chunk->previous != nullptr ? chunk->previous->next : first_) = chunk->next;
  if (chunk->next != nullptr) chunk->next->previous = chunk->previous;
}

void MonotonicArena::link_behind_current(Chunk* chunk) noexcept {
  chunk->previous = current_;
  chunk->next = first_unused();
  if (chunk->next != nullptr) chunk->next->previous = chunk;
  (current_ != nullptr ? current_->next : first_) = chunk;
}

void* MonotonicArena::allocate_from_next_chunk(std::size_t bytes, std::size_t alignment) {
  if (bytes > std::size_t(-1) / 4 || alignment > std::size_t(-1) / 4) throw std::bad_alloc();
  const std::size_t need = sizeof(Chunk) + bytes + alignment;
  const auto fits = [&](const Chunk* c) { return c->bytes >= need; };
  // Chunks kept by a rewind come first. One that is too small stays behind the one that is taken: so whatever comes
  // next may use it.
  Chunk* chunk = first_unused();
  while (chunk != nullptr && !fits(chunk)) chunk = chunk->next;
  if (chunk != nullptr) {
    ++hits_;
    unlink(chunk);
  } else {
    const std::size_t size = std::max(next_bytes_, need);
    if (size > PTRDIFF_MAX) throw std::bad_alloc();  // operator new may round it up to 0 bytes, and give them
    note_peak();
    // None fits. Passes that need more each time do not keep what all earlier ones needed.
    while (first_unused() != nullptr && reserved_ + size > kReservedPerPeak * std::max(peak_, live_ + bytes)) {
      Chunk* const unused = first_unused();
      unlink(unused);
      reserved_ -= unused->bytes;
      upstream_->deallocate(unused, unused->bytes, kLine);
    }
    chunk = new (upstream_->allocate(size, kLine)) Chunk{nullptr, nullptr, size};
    reserved_ += size;
    peak_reserved_ = std::max(peak_reserved_, reserved_);
    next_bytes_ = std::min(std::max(2 * next_bytes_, size), std::max(kLargestChunk, first_bytes_));
    ++misses_;
  }
  link_behind_current(chunk);
  enter(chunk);
  char* const start = next_ + (-reinterpret_cast<std::uintptr_t>(next_) & (alignment - 1));
  next_ = start + bytes;
  live_ += bytes;
  return start;
}

MonotonicArena::Mark MonotonicArena::mark() const noexcept {
  Mark m;
  m.chunk = current_;
  m.next = next_;
  m.live = live_;
  return m;
}

void MonotonicArena::rewind(const Mark& mark) noexcept {
  note_peak();
  live_ = mark.live;
  if (mark.chunk == nullptr) {
    current_ = nullptr;
    next_ = end_ = nullptr;
    if (first_ != nullptr) enter(first_);
    return;
  }
  enter(static_cast<Chunk*>(mark.chunk));
  next_ = mark.next;
}

void MonotonicArena::release() noexcept {
  note_peak();
  while (first_ != nullptr) {
    Chunk* const next = first_->next;
    upstream_->deallocate(first_, first_->bytes, kLine);
    first_ = next;
  }
  current_ = nullptr;
  next_ = end_ = nullptr;
  live_ = reserved_ = 0;
  next_bytes_ = first_bytes_;
}

Statistics MonotonicArena::statistics() const noexcept {
  note_peak();
  Statistics out;
  out.live_bytes = live_;
  out.peak_bytes = peak_;
  out.reserved_bytes = reserved_;
  out.peak_reserved_bytes = peak_reserved_;
  out.hits = hits_;
  out.misses = out.growths = misses_;
  out.free_bytes = out.largest_free_bytes = static_cast<std::size_t>(end_ - next_);
  for (const Chunk* c = current_ == nullptr ? nullptr : current_->next; c != nullptr; c = c->next) {
    out.free_bytes += c->bytes - sizeof(Chunk);
    out.largest_free_bytes = std::max(out.largest_free_bytes, c->bytes - sizeof(Chunk));
  }
  return out;
}

}  // namespace pawl::memory
