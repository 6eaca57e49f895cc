// hook_rows.cpp -- what it costs that allocations can be heard of: malloc as the benches have it, and observers.
//
// Name      allocate_free/u8/malloc/bytes:<n>              with nobody listening; glibc is the same by pointers
//           allocate_free/u8/operator-new/bytes:<n>
//           observed/u8/<impl>/observer:<o>/bytes:64       o: counts (a memory pass), tags and calls (MemoryProfiler)
// Question  may the hooks stay while times are taken?
#include <cstdlib>
#include <new>
#include <optional>

#include "pawl/memory.hpp"
#include "pawl/memory/observer.hpp"
#include "rows.hpp"

namespace pawl::bench {
namespace {

struct Malloc {
  static constexpr const char* kName = "malloc";
  static void* allocate(std::size_t bytes) { return std::malloc(bytes); }
  static void deallocate(void* p, std::size_t) { std::free(p); }
};

struct New {
  static constexpr const char* kName = "operator-new";
  static void* allocate(std::size_t bytes) { return ::operator new(bytes); }
  static void deallocate(void* p, std::size_t) { ::operator delete(p); }
};

struct Pawl {
  static constexpr const char* kName = "pawl";
  static void* allocate(std::size_t bytes) { return memory::caching_resource().allocate(bytes, 64); }
  static void deallocate(void* p, std::size_t bytes) { memory::caching_resource().deallocate(p, bytes, 64); }
};

template <class A>
void time_one_block(benchmark::State& state, std::size_t bytes) {
  // The size comes from memory. Not by DoNotOptimize, of which Google Benchmark 1.7 and g++ 12 -O3 made garbage here.
  const volatile std::size_t size = bytes;
  measure(state, [&] {
    const std::size_t n = size;
    void* const p = A::allocate(n);
    benchmark::DoNotOptimize(p);
    A::deallocate(p, n);
  });
  set_work(state, {.items = 1});
}

template <class A>
void add_hooked(Rows& rows) {
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{1} << 10, std::size_t{64} << 10})
    if (!rows.quick() || bytes == 64)
      rows.add(RowName("allocate_free", "u8", A::kName).with("bytes", bytes),
               [bytes](benchmark::State& state) { time_one_block<A>(state, bytes); });
}

void count_allocated(const void*, std::size_t) noexcept {}
constexpr memory::AllocationObserver kNothing{count_allocated, count_allocated};

template <class A>
void add_observed(Rows& rows) {
  for (const std::string what : {"counts", "tags", "calls"})
    rows.add(RowName("observed", "u8", A::kName).with("observer", what).with("bytes", std::size_t{64}),
             [what](benchmark::State& state) {
               std::optional<memory::MemoryProfiler> profiler;
               if (what == "counts")
                 memory::add_observer(kNothing);
               else
                 profiler.emplace(memory::ProfilerOptions{.calls = what == "tags" ? 0U : 24U});
               const memory::MemoryTag tag("row");
               time_one_block<A>(state, 64);
               memory::remove_observer(kNothing);
             });
}

const Registration rows([](Rows& r) {
  add_hooked<Malloc>(r);
  add_hooked<New>(r);
  if (r.quick()) return;
  add_observed<Malloc>(r);
  add_observed<Pawl>(r);
});

}  // namespace
}  // namespace pawl::bench
