// profiler.cpp -- allocations and releases -> counts by tags and calls.
#include "pawl/memory/profiler.hpp"

#include <pthread.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <unordered_map>

#include "memory/spin_lock.hpp"
#include "memory_profiler/inside.hpp"
#include "memory_profiler/tag_stack.hpp"
#include "pawl/memory/observer.hpp"

namespace pawl::memory {

namespace detail {
[[gnu::tls_model("initial-exec")]] constinit thread_local bool inside_profiler = false;
}

namespace {

constexpr unsigned kMostCalls = 64;
constexpr std::size_t kTagChars = 256;

struct Calls {
  std::array<std::uintptr_t, kMostCalls> addresses;
  unsigned count = 0, most = 0, skip = 0;
  std::span<const std::uintptr_t> span() const noexcept { return {addresses.data(), count}; }
};

_Unwind_Reason_Code add_call(_Unwind_Context* context, void* to) {
  auto& calls = *static_cast<Calls*>(to);
  int before_instruction = 0;
  const std::uintptr_t at = _Unwind_GetIPInfo(context, &before_instruction);
  if (at == 0) return _URC_END_OF_STACK;
  if (calls.skip > 0) {
    --calls.skip;
    return _URC_NO_REASON;
  }
  // A return address may be the first of the next line, or of the next function.
  calls.addresses[calls.count++] = before_instruction != 0 ? at : at - 1;
  return calls.count == calls.most ? _URC_END_OF_STACK : _URC_NO_REASON;
}

// "forward/attention", without allocating; longer ones are cut.
std::string_view join_tags(std::array<char, kTagChars>& text) noexcept {
  const TagStack& tags = tag_stack();
  std::size_t n = 0;
  for (std::size_t i = 0; i < std::min(tags.depth, TagStack::kDeepest); ++i) {
    const std::size_t length = std::strlen(tags.names[i]), slash = n > 0;
    if (n + slash + length > text.size()) break;
    if (slash != 0) text[n++] = '/';
    std::memcpy(text.data() + n, tags.names[i], length);
    n += length;
  }
  return {text.data(), n};
}

std::size_t hash_of(std::string_view tags, std::span<const std::uintptr_t> calls) noexcept {
  std::uint64_t h = std::hash<std::string_view>{}(tags);
  for (const std::uintptr_t call : calls) h = (h ^ call) * 0x9E3779B97F4A7C15U, h ^= h >> 29;  // 2^64 / golden ratio
  return h;
}

// All that is recorded; never destroyed, since a thread may still be in it when the profiler has gone.
class Recorder {
 public:
  bool begin(unsigned calls) {
    const Inside inside;
    const std::lock_guard lock(lock_);
    if (on_) return false;
    on_ = true;
    calls_ = std::min(calls, kMostCalls);
    return true;
  }
  void end() noexcept {
    const Inside inside;
    const std::lock_guard lock(lock_);
    on_ = false;
    blocks_ = {};
    by_hash_ = {};
    total_ = {};
  }

  void allocated(const void* p, std::size_t bytes) noexcept {
    if (detail::inside_profiler) return;
    const Inside inside;
    Calls calls;
    calls.most = calls_.load(std::memory_order_relaxed);
    calls.skip = 3;  // this function, the observer's and tell_allocated
    if (calls.most > 0) _Unwind_Backtrace(add_call, &calls);
    std::array<char, kTagChars> text;
    const std::string_view tags = join_tags(text);
    const std::size_t hash = hash_of(tags, calls.span());
    const std::lock_guard lock(lock_);
    if (!on_) return;
    try {
      const std::uint32_t site = site_of(hash, tags, calls.span());
      const auto [at, is_new] = blocks_.try_emplace(p, Block{bytes, site});
      if (!is_new) {  // its release was not told
        forget(at->second);
        at->second = {bytes, site};
      }
      count(total_, bytes);
      count(total_.sites[site], bytes);
    } catch (const std::bad_alloc&) {
      return;  // left out, as documented
    }
  }

  void freed(const void* p) noexcept {
    if (detail::inside_profiler) return;
    const Inside inside;
    const std::lock_guard lock(lock_);
    const auto at = blocks_.find(p);
    if (at == blocks_.end()) return;
    forget(at->second);
    blocks_.erase(at);
  }

  MemorySnapshot snapshot() {
    const Inside inside;
    const std::lock_guard lock(lock_);
    return total_;
  }

  void reset_peak() noexcept {
    const std::lock_guard lock(lock_);
    total_.peak_bytes = total_.live_bytes;
    for (AllocationSite& site : total_.sites) site.peak_bytes = site.live_bytes;
  }

  SpinLock& lock() noexcept { return lock_; }

 private:
  struct Block {
    std::size_t bytes;
    std::uint32_t site;
  };

  template <class Counts>
  static void count(Counts& to, std::size_t bytes) noexcept {
    ++to.allocations;
    to.allocated_bytes += bytes;
    ++to.live_blocks;
    to.live_bytes += static_cast<std::int64_t>(bytes);
    to.peak_bytes = std::max(to.peak_bytes, to.live_bytes);
  }
  template <class Counts>
  static void uncount(Counts& from, std::size_t bytes) noexcept {
    ++from.frees;
    --from.live_blocks;
    from.live_bytes -= static_cast<std::int64_t>(bytes);
  }
  void forget(const Block& block) noexcept {
    uncount(total_, block.bytes);
    uncount(total_.sites[block.site], block.bytes);
  }

  std::uint32_t site_of(std::size_t hash, std::string_view tags, std::span<const std::uintptr_t> calls) {
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto at = first; at != last; ++at) {
      const AllocationSite& site = total_.sites[at->second];
      if (site.tags == tags && std::ranges::equal(site.calls, calls)) return at->second;
    }
    const auto index = static_cast<std::uint32_t>(total_.sites.size());
    AllocationSite site;
    site.tags = tags;
    site.calls.assign(calls.begin(), calls.end());
    total_.sites.push_back(std::move(site));
    try {
      by_hash_.emplace(hash, index);
    } catch (...) {
      total_.sites.pop_back();
      throw;
    }
    return index;
  }

  SpinLock lock_;
  bool on_ = false;
  std::atomic<unsigned> calls_{0};  // read without the lock
  std::unordered_map<const void*, Block> blocks_;
  std::unordered_multimap<std::size_t, std::uint32_t> by_hash_;
  MemorySnapshot total_;
};

Recorder& recorder() {
  static Recorder& one = []() -> Recorder& {
    const Inside inside;
    auto& made = *new Recorder;
    return made;
  }();
  return one;
}

constinit Recorder* g_recorder = nullptr;  // for the hooks, which must not pass the guard of a static

void on_allocated(const void* p, std::size_t bytes) noexcept { g_recorder->allocated(p, bytes); }
void on_freed(const void* p, std::size_t) noexcept { g_recorder->freed(p); }
constexpr AllocationObserver kObserver{on_allocated, on_freed};

void before_fork() { g_recorder->lock().lock(); }
void after_fork() { g_recorder->lock().unlock(); }

}  // namespace

MemoryProfiler::MemoryProfiler(const ProfilerOptions& options) {
  static const bool prepared = [] {
    g_recorder = &recorder();
    // The first walk loads what it needs, which allocates.
    const Inside inside;
    Calls calls;
    calls.most = 1;
    _Unwind_Backtrace(add_call, &calls);
    return pthread_atfork(before_fork, after_fork, after_fork) == 0;
  }();
  (void)prepared;  // it fails only without memory; then a fork() amid an allocation may hang the child
  if (!g_recorder->begin(options.calls)) throw std::logic_error("MemoryProfiler: there is one already");
  if (!add_observer(kObserver)) {
    g_recorder->end();
    throw std::logic_error("MemoryProfiler: as many observers of allocations as can be are there already");
  }
}

MemoryProfiler::~MemoryProfiler() {
  remove_observer(kObserver);
  g_recorder->end();
}

MemorySnapshot MemoryProfiler::snapshot() const { return g_recorder->snapshot(); }
void MemoryProfiler::reset_peak() { g_recorder->reset_peak(); }

}  // namespace pawl::memory
