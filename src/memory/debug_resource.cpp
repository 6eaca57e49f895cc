// debug_resource.cpp -- see debug_resource.hpp.
#include "pawl/memory/debug_resource.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "pawl/memory/caching_resource.hpp"  // whether ASan is on

namespace pawl::memory {
namespace {

constexpr std::size_t kGuard = 64, kKeptBytes = std::size_t{1} << 20;
constexpr unsigned char kGuardByte = 0xfd, kNewByte = 0xcd, kFreedByte = 0xdd;

// In front of a block are whole multiples of its alignment.
std::size_t front(std::size_t alignment) noexcept { return std::max(kGuard, alignment); }

void poison([[maybe_unused]] const char* p, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef PAWL_MEMORY_ASAN
  __asan_poison_memory_region(p, bytes);
#endif
}
void unpoison([[maybe_unused]] const char* p, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef PAWL_MEMORY_ASAN
  __asan_unpoison_memory_region(p, bytes);
#endif
}

std::string text(std::size_t n) { return std::to_string(n); }

// "a block of 100 (allocation 7)"
std::string block_text(std::size_t bytes, std::uint64_t number) {
  return "a block of " + text(bytes) + " (allocation " + std::to_string(number) + ")";
}

// Offset of the first byte that is not `value`, or n. Where all are, memcmp() of the bytes with those one further on
// says so at its speed (1 MiB: 10 times that of byte after byte).
std::size_t first_other(const char* p, std::size_t n, unsigned char value) noexcept {
  if (n > 0 && static_cast<unsigned char>(*p) == value && std::memcmp(p, p + 1, n - 1) == 0) return n;
  std::size_t i = 0;
  while (i < n && static_cast<unsigned char>(p[i]) == value) ++i;
  return i;
}

}  // namespace

DebugResource::DebugResource(Report report, std::pmr::memory_resource* upstream)
    : report_(std::move(report)), upstream_(upstream) {}

void DebugResource::tell(const std::string& line) const {
  if (report_) return report_(line);
  std::fprintf(stderr, "pawl::memory: %s\n", line.c_str());
  std::abort();
}

void DebugResource::check_guards(const char* p, const Block& block) const {
  unpoison(p - kGuard, kGuard);
  unpoison(p + block.bytes, kGuard);
  if (first_other(p - kGuard, kGuard, kGuardByte) < kGuard)
    tell("bytes before " + block_text(block.bytes, block.number) + " were overwritten");
  if (const std::size_t at = first_other(p + block.bytes, kGuard, kGuardByte); at < kGuard)
    tell("byte " + text(block.bytes + at) + " of " + block_text(block.bytes, block.number) + " was written");
  poison(p - kGuard, kGuard);
  poison(p + block.bytes, kGuard);
}

void DebugResource::check_freed(const Freed& freed) const {
  unpoison(freed.p, freed.block.bytes);
  if (const std::size_t at = first_other(freed.p, freed.block.bytes, kFreedByte); at < freed.block.bytes)
    tell("byte " + text(at) + " of " + block_text(freed.block.bytes, freed.block.number) +
         " was written after it was freed");
  poison(freed.p, freed.block.bytes);
}

void* DebugResource::do_allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t before = front(alignment);
  // Beyond PTRDIFF_MAX operator new may round up to 0 bytes, and give them.
  constexpr auto kMost = static_cast<std::size_t>(PTRDIFF_MAX) - kGuard;
  if (before > kMost || bytes > kMost - before) throw std::bad_alloc();
  const std::lock_guard lock(mutex_);
  char* const p = static_cast<char*>(upstream_->allocate(before + bytes + kGuard, alignment)) + before;
  try {
    live_[p] = {bytes, alignment, allocations_ + 1};
  } catch (...) {
    upstream_->deallocate(p - before, before + bytes + kGuard, alignment);
    throw;
  }
  ++allocations_;
  std::memset(p - kGuard, kGuardByte, kGuard);
  std::memset(p, kNewByte, bytes);
  std::memset(p + bytes, kGuardByte, kGuard);
  poison(p - kGuard, kGuard);
  poison(p + bytes, kGuard);
  return p;
}

void DebugResource::do_deallocate(void* address, std::size_t bytes, std::size_t alignment) {
  const std::lock_guard lock(mutex_);
  char* const p = static_cast<char*>(address);
  const auto at = live_.find(p);
  if (at == live_.end()) {
    const auto before = std::ranges::find(freed_, p, &Freed::p);
    return before != freed_.end() ? tell(block_text(before->block.bytes, before->block.number) + " is freed twice")
                                  : tell("address " + text(reinterpret_cast<std::uintptr_t>(address)) +
                                         " is freed, which is no block of this resource");
  }
  const Block block = at->second;
  if (block.bytes != bytes || block.alignment != alignment)
    tell("a block of " + text(block.bytes) + " to " + text(block.alignment) + " (allocation " +
         std::to_string(block.number) + ") is freed as one of " + text(bytes) + " to " + text(alignment));
  check_guards(p, block);
  live_.erase(at);
  std::memset(p, kFreedByte, block.bytes);
  poison(p, block.bytes);
  freed_.push_back({p, block});
  freed_bytes_ += block.bytes + 1;  // empty blocks are bounded, too
  if (freed_bytes_ > kKeptBytes) forget_oldest();
}

void DebugResource::forget_oldest() {
  std::size_t gone = 0;
  for (; gone < freed_.size() && freed_bytes_ > kKeptBytes / 2; ++gone) {
    check_freed(freed_[gone]);
    freed_bytes_ -= freed_[gone].block.bytes + 1;
    give_back(freed_[gone].p, freed_[gone].block);
  }
  freed_.erase(freed_.begin(), freed_.begin() + static_cast<std::ptrdiff_t>(gone));
}

void DebugResource::give_back(char* p, const Block& block) {
  const std::size_t before = front(block.alignment), all = before + block.bytes + kGuard;
  unpoison(p - before, all);
  upstream_->deallocate(p - before, all, block.alignment);
}

void DebugResource::check() {
  const std::lock_guard lock(mutex_);
  for (const auto& [p, block] : live_) check_guards(static_cast<const char*>(p), block);
  for (const Freed& freed : freed_) check_freed(freed);
}

std::size_t DebugResource::live_blocks() const {
  const std::lock_guard lock(mutex_);
  return live_.size();
}

DebugResource::~DebugResource() {
  check();
  std::vector<Freed> leaks;
  for (const auto& [p, block] : live_) leaks.push_back({static_cast<char*>(p), block});
  std::ranges::sort(leaks, {}, [](const Freed& f) { return f.block.number; });
  for (const Freed& leak : leaks) {
    tell(block_text(leak.block.bytes, leak.block.number) + " was not freed");
    give_back(leak.p, leak.block);
  }
  for (const Freed& freed : freed_) give_back(freed.p, freed.block);
}

}  // namespace pawl::memory
