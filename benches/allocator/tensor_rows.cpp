// tensor_rows.cpp -- what allocation adds to the work of a tensor program, and how much memory ways of doing it take.
//
// Name      add_new/f32/pawl/n:<n>                       z = x + y into a new tensor each time
//           add_into/f32/pawl/n:<n>                      the same into one that is there
//           accumulate/f32/<in_place|stored>/steps:8/n:<n>   gradients of 8 steps: added as they come, or kept and
//           added grow_and_shrink/u8/<impl>/doublings:<d>      a vector that grows from 64 B by doubling and dies
//           pressure/f32/pawl/n:<n>                      c = a + b of n x n: three tensors made, filled and freed
// Counters  overhead: what the allocation adds to the sum, as a share, both ways in turns in the same memory;
//           max_bytes_used by the memory pass
// Question  is allocation below 1 % of the operation from 1 MB on? What does keeping cost?
#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <vector>

#include "buffers.hpp"
#include "pawl/machine.hpp"
#include "pawl/memory.hpp"
#include "pawl/simd.hpp"
#include "pawl/tensor.hpp"
#include "rows.hpp"

namespace pawl::bench {
namespace {

using memory::AlignedBuffer;

double median_of(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

// What `make`, whose result `operation` writes into, adds to three of them: both ways in turns, A B B A, so that a
// drift of the machine meets both; median of the ratios, minus 1. The result that is there lies where those that are
// made come to lie, for another place in the caches would be measured as well: at 16 MiB that was up to 6 % either way.
template <class Make, class Operation>
double overhead_of(Make make, Operation operation) {
  using Clock = std::chrono::steady_clock;
  constexpr int kTimes = 3;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const auto made = [&] {
    const auto start = Clock::now();
    for (int i = 0; i < kTimes; ++i) {
      auto result = make();
      operation(result);
    }
    return since(start);
  };
  const auto there = [&] {
    auto result = make();
    const auto start = Clock::now();
    for (int i = 0; i < kTimes; ++i) operation(result);
    return since(start);
  };
  std::vector<double> ratios;
  for (int i = 0; i < 101; ++i) {
    const double a = made(), b = there(), c = there(), d = made();
    ratios.push_back((a + d) / (b + c));
  }
  return median_of(std::move(ratios)) - 1;
}

void add_sums(Rows& rows, std::size_t n) {
  for (const bool anew : {true, false})
    rows.add(
        RowName(anew ? "add_new" : "add_into", "f32", "pawl").with("n", n),
        [=](benchmark::State& state) {
          Buffers buffers;
          const auto x = buffers.random_f32(n, 1), y = buffers.random_f32(n, 2);
          const auto make = [n] { return AlignedBuffer<float>(n); };
          const auto add_into = [&](AlignedBuffer<float>& z) {
            add(x, y, z.span());
            benchmark::DoNotOptimize(z.data());
          };
          {
            auto there = make();
            add_into(there);
            if (there[n - 1] != x[n - 1] + y[n - 1]) return state.SkipWithError("wrong result");
            if (!anew) measure(state, [&] { add_into(there); });
          }
          if (anew) {
            measure(state, [&] {
              auto z = make();
              add_into(z);
            });
            state.counters["overhead"] = overhead_of(make, add_into);
          }
          set_work(state, {.flops = double(n), .bytes = 12.0 * double(n), .items = double(n)});
        },
        benchmark::kMicrosecond);
}

// A step's gradient is made where it is used, as a backward pass makes it.
void add_accumulation(Rows& rows, bool in_place, std::size_t n) {
  constexpr std::size_t kSteps = 8;
  rows.add(
      RowName("accumulate", "f32", in_place ? "in_place" : "stored").with("steps", kSteps).with("n", n),
      [=](benchmark::State& state) {
        Buffers buffers;
        const auto x = buffers.random_f32(n, 1);
        const auto gradient = [&](std::size_t step) {
          AlignedBuffer<float> g(n);
          mul(x, static_cast<float>(step + 1), g.span());
          return g;
        };
        const auto run = [&] {
          auto sum = AlignedBuffer<float>::zeros(n);
          if (in_place) {
            for (std::size_t step = 0; step < kSteps; ++step) axpy(1.0F, gradient(step).span(), sum.span());
          } else {
            std::vector<AlignedBuffer<float>> kept;
            kept.reserve(kSteps);
            for (std::size_t step = 0; step < kSteps; ++step) kept.push_back(gradient(step));
            for (auto& g : kept) axpy(1.0F, g.span(), sum.span());
          }
          return sum;
        };
        const auto sum = run();
        const double want = 36.0 * static_cast<double>(x[n - 1]);  // 1 + ... + 8
        if (!(std::abs(static_cast<double>(sum[n - 1]) - want) <= 1e-5 * std::abs(want)))
          return state.SkipWithError("wrong result");
        measure(state, [&] {
          const auto result = run();
          benchmark::DoNotOptimize(result.data());
        });
        set_work(state, {.flops = 3.0 * double(kSteps) * double(n), .items = double(kSteps) * double(n)});
      },
      benchmark::kMicrosecond);
}

struct Malloc {
  static void* allocate(std::size_t bytes) { return std::malloc(bytes); }
  static void deallocate(void* p, std::size_t) { std::free(p); }
};
struct Caching {
  static void* allocate(std::size_t bytes) { return memory::caching_resource().allocate(bytes); }
  static void deallocate(void* p, std::size_t bytes) { memory::caching_resource().deallocate(p, bytes); }
};

// Grows by doubling, copying, to 64 << doublings bytes; then shrinks by halving.
template <class A>
void add_growth(Rows& rows, const char* impl, std::size_t doublings) {
  rows.add(
      RowName("grow_and_shrink", "u8", impl).with("doublings", doublings),
      [=](benchmark::State& state) {
        const auto run = [&] {
          std::size_t bytes = 64;
          char* p = static_cast<char*>(A::allocate(bytes));
          std::memset(p, 1, bytes);
          const auto move_to = [&](std::size_t next) {
            char* const q = static_cast<char*>(A::allocate(next));
            std::memcpy(q, p, std::min(bytes, next));
            if (next > bytes) std::memset(q + bytes, 1, next - bytes);
            A::deallocate(p, bytes);
            p = q;
            bytes = next;
          };
          for (std::size_t i = 0; i < doublings; ++i) move_to(bytes * 2);
          const bool right = p[0] == 1 && p[bytes - 1] == 1;
          for (std::size_t i = 0; i < doublings; ++i) move_to(bytes / 2);
          A::deallocate(p, bytes);
          return right;
        };
        if (!run()) return state.SkipWithError("wrong result");
        measure(state, run);
        set_work(state, {.items = 2.0 * double(doublings)});
      },
      benchmark::kMicrosecond);
}

// Sizes that this machine could never hold are no rows; what is not free when they run is an error, with the sizes.
void add_pressure(Rows& rows, std::size_t n) {
  const std::uint64_t needed = 3 * n * n * sizeof(float);
  const auto machine = describe_machine();
  if (machine.memory_bytes && needed > *machine.memory_bytes / 2) return;
  rows.add(
      RowName("pressure", "f32", "pawl").with("n", n),
      [=](benchmark::State& state) {
        const auto available = describe_machine().available_bytes;
        if (available && needed > *available / 2)
          return state.SkipWithError(("not measured: needs " + std::to_string(needed >> 20) + " MiB, half of the " +
                                      std::to_string(*available >> 20) + " MiB that are free is less")
                                         .c_str());
        bool right = true;
        measure(state, [&] {
          const auto a = Tensor<float>::full({n, n}, 1), b = Tensor<float>::full({n, n}, 2);
          auto c = Tensor<float>::zeros({n, n});
          add(a.flat(), b.flat(), c.flat());
          right = right && c.flat()[n * n - 1] == 3;
          benchmark::DoNotOptimize(c.data());
        });
        if (!right) return state.SkipWithError("wrong result");
        state.counters["live_bytes"] = static_cast<double>(needed);
        set_work(state, {.bytes = 2.0 * static_cast<double>(needed), .items = double(n) * double(n)});
        memory::caching_resource().trim();
      },
      benchmark::kMillisecond);
}

const Registration rows([](Rows& r) {
  if (r.quick()) return;
  for (const std::size_t n :
       {std::size_t{64} << 10, std::size_t{256} << 10, std::size_t{1} << 20, std::size_t{4} << 20})
    add_sums(r, n);
  for (const bool in_place : {true, false})
    for (const std::size_t n : {std::size_t{64} << 10, std::size_t{1} << 20}) add_accumulation(r, in_place, n);
  for (const std::size_t doublings : {std::size_t{10}, std::size_t{16}, std::size_t{20}}) {
    add_growth<Caching>(r, "pawl", doublings);
    add_growth<Malloc>(r, "malloc", doublings);
  }
  for (const std::size_t n : {std::size_t{1024}, std::size_t{2048}, std::size_t{4096}, std::size_t{8192}})
    add_pressure(r, n);
});

}  // namespace
}  // namespace pawl::bench
