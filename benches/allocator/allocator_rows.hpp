// allocator_rows.hpp -- the rows that every allocator gets: what is allocated and freed, checked and timed the same
// way.
//
// Name      allocate_free/u8/<impl>/bytes:<n>              one block again and again
//           live_set/u8/<impl>/blocks:10000                frees one of 10,000 at random, allocates 16 B to 64 KiB
//           transformer/u8/<impl>/passes:3                 the tensors of a forward pass (tools/transformer_trace.py)
//           hand_over/u8/<impl>/bytes:<n>/threads:2        one thread allocates what the other frees
//           aftermath/u8/<impl>/operations:10000000        live_set in a process of its own: what memory it holds then
// Counters  items (pairs of allocate and free) per second; see each
// Question  what does a block cost, and how much memory is held for it?
//
// An allocator is an object with allocate(bytes) and deallocate(p, bytes), called directly: a peer's is the call
// through a pointer that any library's function is; sizes are given back where the peer has a function that takes them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "hand_over.hpp"
#include "in_child.hpp"
#include "rows.hpp"

namespace pawl::bench {

/// Sizes in bytes spread evenly over the powers of two from 16 B to 64 KiB, and which of `blocks` to replace.
struct RandomOperations {
  struct Operation {
    std::uint32_t block, bytes;
  };
  std::vector<Operation> operations;
  explicit RandomOperations(std::size_t blocks);
};

/// Positive: bytes to allocate under the next id; negative: -(id + 1) to free. And the largest sum of living bytes.
std::span<const std::int32_t> transformer_trace();
std::size_t trace_peak_bytes(std::span<const std::int32_t> trace = transformer_trace());
std::size_t trace_tensors();

struct Block {
  char* p;
  std::size_t bytes;
};

/// Whether blocks of all sizes, at once, hold what was written to both of their ends.
template <class A>
bool holds_what_is_written(A& allocator) {
  std::vector<Block> blocks;
  for (std::size_t bytes = 16; bytes <= (1 << 20); bytes = bytes * 5 / 4) {
    blocks.push_back({static_cast<char*>(allocator.allocate(bytes)), bytes});
    if (blocks.back().p == nullptr) return false;
    blocks.back().p[0] = blocks.back().p[bytes - 1] = static_cast<char>(blocks.size());
  }
  bool right = true;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    right = right && blocks[i].p[0] == static_cast<char>(i + 1) &&
            blocks[i].p[blocks[i].bytes - 1] == static_cast<char>(i + 1);
    allocator.deallocate(blocks[i].p, blocks[i].bytes);
  }
  return right;
}

/// One pass of a trace: every tensor of it is allocated and freed.
template <class A>
void run_trace(A& allocator, std::vector<Block>& tensors, std::span<const std::int32_t> trace = transformer_trace()) {
  std::size_t next = 0;
  for (const std::int32_t event : trace)
    if (event > 0) {
      const auto bytes = static_cast<std::size_t>(event);
      tensors[next++] = {static_cast<char*>(allocator.allocate(bytes)), bytes};
    } else {
      const Block& b = tensors[static_cast<std::size_t>(-(event + 1))];
      allocator.deallocate(b.p, b.bytes);
    }
}

template <class A>
class LiveSet {
 public:
  LiveSet(A& allocator, std::size_t blocks) : allocator_(allocator), random_(blocks), blocks_(blocks) {
    for (std::size_t i = 0; i < blocks; ++i) blocks_[i] = make(random_.operations[i].bytes);
  }
  ~LiveSet() {
    for (const Block& b : blocks_) allocator_.deallocate(b.p, b.bytes);
  }
  LiveSet(const LiveSet&) = delete;
  LiveSet& operator=(const LiveSet&) = delete;

  Block& replace_one() {
    const auto [index, bytes] = random_.operations[next_];
    next_ = next_ + 1 == random_.operations.size() ? 0 : next_ + 1;
    Block& b = blocks_[index];
    allocator_.deallocate(b.p, b.bytes);
    b = make(bytes);
    return b;
  }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const Block& b : blocks_) sum += b.bytes;
    return sum;
  }

 private:
  Block make(std::size_t bytes) { return {static_cast<char*>(allocator_.allocate(bytes)), bytes}; }
  A& allocator_;
  RandomOperations random_;
  std::vector<Block> blocks_;
  std::size_t next_ = 0;
};

/// Adds all rows of one allocator. `threads`: it may be called by two at a time. `aftermath`: not if an operation takes
/// microseconds.
template <class A>
void add_allocator_rows(Rows& rows, const std::string& impl, A allocator, bool threads = true, bool aftermath = true) {
  const auto add = [&](const RowName& name, auto body, benchmark::TimeUnit unit = benchmark::kNanosecond) {
    rows.add(
        name,
        [=](benchmark::State& state) {
          A a = allocator;
          if (!holds_what_is_written(a))
            return state.SkipWithError("wrong result: a block does not keep what is written");
          body(a, state);
        },
        unit);
  };
  using Sizes = std::vector<std::size_t>;
  for (const std::size_t bytes : rows.quick() ? Sizes{64, 1 << 20}
                                              : Sizes{16, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10,
                                                      1 << 20, 4 << 20, 16 << 20, 64 << 20})
    add(RowName("allocate_free", "u8", impl).with("bytes", bytes), [bytes](A& a, benchmark::State& state) {
      // The size comes from memory, as that of a tensor does, and where that lies matters: cores match a load with
      // stores before it by the low 12 bits of their addresses first, and Zen 4 looks for a line in L1 by a hash of its
      // address. Where a caller's line meets one of the allocator's in the first, a pair took 1.1 to 1.9 times as long,
      // and 4 times in a few places that we take for the second, whoever's the allocator is. So each call of this body
      // reads from another line of a page, and a median is of many.
      struct alignas(64) Caller {
        A allocator;
        std::size_t bytes;
      };
      static_assert(std::is_trivially_copyable_v<A>);
      static std::size_t calls = 0;
      constexpr std::size_t kLines = 4096 / sizeof(Caller);
      alignas(Caller) std::byte page[4096];
      Caller& caller = *new (page + calls++ % kLines * sizeof(Caller)) Caller{a, bytes};
      benchmark::DoNotOptimize(caller);
      // A program calls the resource itself, inlined; g++ 12 made calls of it in Google Benchmark's loop alone.
      measure(
          state, [&]() __attribute__((flatten)) {
            void* const p = caller.allocator.allocate(caller.bytes);
            benchmark::DoNotOptimize(p);
            caller.allocator.deallocate(p, caller.bytes);
          });
      set_work(state, {.items = 1});
    });
  add(RowName("live_set", "u8", impl).with("blocks", 10'000), [](A& a, benchmark::State& state) {
    LiveSet<A> set(a, 10'000);
    for (int i = 0; i < 100'000; ++i) set.replace_one();
    // A copy: of an lvalue that may change, Google Benchmark 1.7 and g++ 12 -O3 wrote a stale value back into the set.
    measure(state, [&] {
      const void* const p = set.replace_one().p;
      benchmark::DoNotOptimize(p);
    });
    set_work(state, {.items = 1});
  });
  if (rows.quick()) return;
  add(
      RowName("transformer", "u8", impl).with("passes", 3),
      [](A& a, benchmark::State& state) {
        std::vector<Block> tensors(trace_tensors());
        run_trace(a, tensors);
        measure(state, [&] { run_trace(a, tensors); });
        set_work(state, {.items = double(trace_tensors())});
      },
      benchmark::kMicrosecond);
  if (threads)
    for (const std::size_t bytes : Sizes{64, 4 << 10, 64 << 10})
      rows.add_manually_timed(
          RowName("hand_over", "u8", impl).with("bytes", bytes).with("threads", 2),
          [=](benchmark::State& state) {
            A a = allocator;
            time_hand_over(
                state, [&] { return a.allocate(bytes); }, [&](void* p) { a.deallocate(p, bytes); });
          },
          benchmark::kMicrosecond);
  if (!aftermath) return;
  // Google Benchmark adds "/manual_time", with which the child finds it.
  const RowName aftermath_name = RowName("aftermath", "u8", impl).with("operations", 10'000'000);
  rows.add_manually_timed(
      aftermath_name,
      [aftermath_name, allocator](benchmark::State& state) {
        constexpr int kOperations = 10'000'000;
        A a = allocator;
        Aftermath last;
        const CountedLoop counted;
        for (auto _ : state) {
          last = in_child(aftermath_name.name(), [&] {
            Aftermath seen;
            const std::size_t before = resident_bytes();
            {
              LiveSet<A> set(a, 10'000);
              const double start = process_seconds();
              for (int i = 0; i < kOperations; ++i) {
                const Block& b = set.replace_one();
                for (std::size_t at = 0; at < b.bytes; at += 4096) b.p[at] = 1;  // each page is there
              }
              seen.seconds = process_seconds() - start;
              seen.live_bytes = double(set.bytes());
              seen.resident_bytes = double(resident_bytes() - before);
              if constexpr (requires { a.fragmentation(); }) seen.fragmentation = a.fragmentation();
            }
            if constexpr (requires { a.fragmentation_when_flushed(); })
              seen.fragmentation_after_free = a.fragmentation_when_flushed();
            return seen;
          });
          if (!last.right) return state.SkipWithError("the child process failed");
          state.SetIterationTime(last.seconds);
        }
        state.counters["resident_over_live"] = last.resident_bytes / last.live_bytes;
        if (last.fragmentation >= 0) state.counters["fragmentation"] = last.fragmentation;
        if (last.fragmentation_after_free >= 0)
          state.counters["fragmentation_after_free"] = last.fragmentation_after_free;
      },
      benchmark::kMillisecond);
}

}  // namespace pawl::bench
