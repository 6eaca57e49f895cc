// strategy_rows.cpp -- the library's other allocators side by side: what each is good for, and what it holds for it.
//
// Name      live_set/u8/<impl>/blocks:1000              one of 1000 blocks of 16 B to 64 KiB is replaced, at random
//           fixed_set/u8/<impl>/blocks:10000            the same of 10,000 blocks of 64 B
//           transformer/u8/<impl>/passes:3              the tensors of a forward pass; an arena is reset after it
//           bounded_cache/u64/<lru|lfu|fifo>/keys:10000 a tenth of the keys fits; asked for by Zipf's law
// Impl      pawl-buddy, pawl-first-fit, pawl-best-fit, pawl-slab, pawl-arena, pawl-debug, pawl-caching, std-monotonic
// Counters  hit_rate (nothing asked from upstream), thread_hit_rate, fragmentation (1 - largest free / total free),
// reserved_over_peak, each as the allocator says it Question  what does a strategy cost, and how much of its memory
// does it use?
#include <cmath>
#include <memory>
#include <memory_resource>

#include "allocator_rows.hpp"
#include "buffers.hpp"
#include "pawl/memory.hpp"

namespace pawl::bench {
namespace {

using namespace memory;

template <class Resource>
struct Of {
  Resource* resource;
  void* allocate(std::size_t bytes) { return resource->allocate(bytes, 16); }
  void deallocate(void* p, std::size_t bytes) { resource->deallocate(p, bytes, 16); }
};

template <class Resource>
void tell(benchmark::State& state, const Resource& resource) {
  if constexpr (requires { resource.statistics(); }) {
    const Statistics s = resource.statistics();
    state.counters["hit_rate"] = s.hit_rate();
    state.counters["thread_hit_rate"] = s.thread_hit_rate();
    state.counters["fragmentation"] = s.fragmentation();
    if (s.peak_bytes > 0) state.counters["reserved_over_peak"] = double(s.peak_reserved_bytes) / double(s.peak_bytes);
  }
}

// Random blocks, in the middle of which the statistics are taken.
template <class Make>
void add_live_set(Rows& rows, const std::string& impl, Make make) {
  rows.add(RowName("live_set", "u8", impl).with("blocks", std::size_t{1000}), [=](benchmark::State& state) {
    const auto resource = make();
    Of<std::remove_reference_t<decltype(*resource)>> a{resource.get()};
    if (!holds_what_is_written(a)) return state.SkipWithError("wrong result: a block does not keep what is written");
    LiveSet set(a, 1000);
    for (int i = 0; i < 20'000; ++i) set.replace_one();
    measure(state, [&] {
      const void* const p = set.replace_one().p;
      benchmark::DoNotOptimize(p);
    });
    tell(state, *resource);
    set_work(state, {.items = 1});
  });
}

template <class Make>
void add_fixed_set(Rows& rows, const std::string& impl, Make make) {
  rows.add(RowName("fixed_set", "u8", impl).with("blocks", std::size_t{10'000}), [=](benchmark::State& state) {
    const auto resource = make();
    Of<std::remove_reference_t<decltype(*resource)>> a{resource.get()};
    const RandomOperations random(10'000);
    std::vector<void*> blocks(10'000);
    for (void*& p : blocks) p = a.allocate(64);
    std::size_t next = 0;
    measure(state, [&] {
      void*& p = blocks[random.operations[next].block];
      next = next + 1 == random.operations.size() ? 0 : next + 1;
      a.deallocate(p, 64);
      p = a.allocate(64);
    });
    tell(state, *resource);
    for (void* p : blocks) a.deallocate(p, 64);
    set_work(state, {.items = 1});
  });
}

template <class Make>
void add_transformer(Rows& rows, const std::string& impl, Make make) {
  rows.add(
      RowName("transformer", "u8", impl).with("passes", std::size_t{3}),
      [=](benchmark::State& state) {
        const auto resource = make();
        auto& r = *resource;
        Of<std::remove_reference_t<decltype(r)>> a{&r};
        std::vector<Block> tensors(trace_tensors());
        const auto pass = [&] {
          run_trace(a, tensors);
          if constexpr (requires { r.reset(); })
            r.reset();
          else if constexpr (requires { r.release(); })
            r.release();
        };
        pass();
        measure(state, pass);
        tell(state, r);
        set_work(state, {.items = double(trace_tensors())});
      },
      benchmark::kMicrosecond);
}

// Keys by Zipf's law with exponent 1: what is asked for often is asked for very often.
std::vector<std::uint32_t> zipf_keys(std::size_t keys, std::size_t count) {
  std::vector<double> upto(keys);
  double sum = 0;
  for (std::size_t k = 0; k < keys; ++k) upto[k] = sum += 1.0 / double(k + 1);
  Buffers buffers;
  const auto random = buffers.random_f64(count, 7, 0, 1);
  std::vector<std::uint32_t> out(count);
  for (std::size_t i = 0; i < count; ++i)
    out[i] = static_cast<std::uint32_t>(std::ranges::lower_bound(upto, random[i] * sum) - upto.begin());
  return out;
}

void add_bounded_cache(Rows& rows, const std::string& impl, Eviction eviction) {
  constexpr std::size_t kKeys = 10'000, kAsked = std::size_t{1} << 18, kValueBytes = 64;
  rows.add(RowName("bounded_cache", "u64", impl).with("keys", kKeys), [=](benchmark::State& state) {
    const auto keys = zipf_keys(kKeys, kAsked);
    BoundedCache<std::uint32_t, std::uint64_t> cache(kKeys / 10 * kValueBytes, eviction);
    std::size_t next = 0;
    bool right = true;
    const auto ask = [&] {
      const std::uint32_t key = keys[next];
      next = next + 1 == kAsked ? 0 : next + 1;
      if (const std::uint64_t* found = cache.find(key); found != nullptr)
        right = right && *found == std::uint64_t{key} * 3;
      else
        cache.insert(key, std::uint64_t{key} * 3, kValueBytes);
    };
    for (std::size_t i = 0; i < kAsked; ++i) ask();
    if (!right || cache.bytes() > cache.capacity_bytes()) return state.SkipWithError("wrong result");
    const CacheCounts before = cache.counts();
    measure(state, ask);
    const CacheCounts after = cache.counts();
    const double hits = double(after.hits - before.hits), misses = double(after.misses - before.misses);
    state.counters["hit_rate"] = hits / (hits + misses);
    set_work(state, {.items = 1});
  });
}

const Registration rows([](Rows& r) {
  if (r.quick()) return;
  static constexpr std::size_t kRegion = std::size_t{64} << 20;
  const auto buddy = [] { return std::make_unique<BuddyResource>(kRegion); };
  const auto first = [] { return std::make_unique<FreeListResource>(kRegion, Fit::first); };
  const auto best = [] { return std::make_unique<FreeListResource>(kRegion, Fit::best); };
  const auto debug = [] { return std::make_unique<DebugResource>(); };
  const auto caching = [] { return std::make_unique<CachingResource>(); };
  const auto slab = [] { return std::make_unique<SlabPool>(64); };
  const auto arena = [] { return std::make_unique<MonotonicArena>(); };
  const auto monotonic = [] { return std::make_unique<std::pmr::monotonic_buffer_resource>(); };
  const auto add_general = [&](const char* impl, auto make) {
    add_live_set(r, impl, make);
    add_fixed_set(r, impl, make);
    add_transformer(r, impl, make);
  };
  add_general("pawl-buddy", buddy);
  add_general("pawl-first-fit", first);
  add_general("pawl-best-fit", best);
  add_general("pawl-debug", debug);
  add_general("pawl-caching", caching);
  add_fixed_set(r, "pawl-slab", slab);
  add_transformer(r, "pawl-arena", arena);
  add_transformer(r, "std-monotonic", monotonic);
  add_bounded_cache(r, "lru", Eviction::lru);
  add_bounded_cache(r, "lfu", Eviction::lfu);
  add_bounded_cache(r, "fifo", Eviction::fifo);
});

}  // namespace
}  // namespace pawl::bench
