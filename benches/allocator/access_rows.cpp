// access_rows.cpp -- what memory costs by the order in which it is touched: each line of an array once, in some order.
//
// Name      read_lines/u64/plain/order:<o>/bytes:<n>       sequential, stride4k, random, random_prefetch, chase
//           column_sums/f32/plain/block:<b>/n:2048         columns of a row-major matrix, by blocks of b columns
//           square_sum/f32/pawl/offset:<bytes>/n:<n>       aligned and unaligned vectors: dot of x with itself
// Counters  items: lines (or elements) per second; bytes: the lines touched per second
// Question  what do latency, pages and prefetching make of one and the same work?
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "buffers.hpp"
#include "pawl/simd.hpp"
#include "rows.hpp"

namespace pawl::bench {
namespace {

constexpr std::size_t kLine = 64, kWords = kLine / sizeof(std::uint64_t), kPage = 4096;

enum class Order { sequential, stride4k, random, random_prefetch, chase };

const char* name_of(Order order) {
  static constexpr const char* kNames[] = {"sequential", "stride4k", "random", "random_prefetch", "chase"};
  return kNames[static_cast<int>(order)];
}

// The lines in the order of the visit; a single cycle when they are random (Sattolo 1986), as the chase needs it.
std::vector<std::uint32_t> visits(Order order, std::size_t lines) {
  std::vector<std::uint32_t> out(lines);
  std::iota(out.begin(), out.end(), 0U);
  if (order == Order::stride4k) {
    constexpr std::size_t kLinesOfPage = kPage / kLine;
    for (std::size_t i = 0, at = 0; at < kLinesOfPage; ++at)
      for (std::size_t line = at; line < lines; line += kLinesOfPage) out[i++] = static_cast<std::uint32_t>(line);
  } else if (order != Order::sequential) {
    std::uint64_t state = seed() | 1;
    for (std::size_t i = lines - 1; i > 0; --i) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;  // xorshift64, Marsaglia 2003
      std::swap(out[i], out[state % (i + 1)]);
    }
  }
  return out;
}

template <std::size_t ahead>
std::uint64_t sum_in_order(const std::uint64_t* x, const std::vector<std::uint32_t>& order) {
  std::uint64_t sum = 0;
  const std::size_t n = order.size();
  if constexpr (ahead == 0) {
    for (std::size_t i = 0; i < n; ++i) sum += x[order[i] * kWords];
  } else {
    std::size_t i = 0;
    for (; i + ahead < n; ++i) {
      __builtin_prefetch(x + order[i + ahead] * kWords);
      sum += x[order[i] * kWords];
    }
    for (; i < n; ++i) sum += x[order[i] * kWords];
  }
  return sum;
}

// x[line] leads to the next line; the sum of the places makes a wrong walk visible.
std::uint64_t chase(const std::uint64_t* x, std::size_t lines) {
  std::uint64_t at = 0, sum = 0;
  for (std::size_t i = 0; i < lines; ++i) {
    at = x[at * kWords];
    sum += at;
  }
  return sum;
}

void read_lines(benchmark::State& state, Order order, std::size_t bytes) {
  constexpr std::size_t kAhead = 16;  // lines in flight that a core of today can have (10 to 16 fill buffers)
  const std::size_t lines = bytes / kLine;
  Buffers buffers;
  const auto x = buffers.make<std::uint64_t>(lines * kWords);
  const std::vector<std::uint32_t> visit = visits(order, lines);
  for (std::size_t i = 0; i < lines; ++i)
    x[visit[i] * kWords] = order == Order::chase ? visit[(i + 1) % lines] : std::uint64_t{visit[i]};
  const std::uint64_t want = std::uint64_t{lines} * (lines - 1) / 2;
  const auto walk = [&] {
    switch (order) {
      case Order::chase:
        return chase(x.data(), lines);
      case Order::random_prefetch:
        return sum_in_order<kAhead>(x.data(), visit);
      default:
        return sum_in_order<0>(x.data(), visit);
    }
  };
  if (walk() != want) return state.SkipWithError("wrong result: not every line was visited once");
  measure(state, [&] {
    const std::uint64_t sum = walk();
    benchmark::DoNotOptimize(sum);
  });
  const auto touched = static_cast<double>(lines * kLine);
  set_work(state, {.bytes = touched, .items = static_cast<double>(lines)});
}

void column_sums(benchmark::State& state, std::size_t block) {
  constexpr std::size_t n = 2048;  // rows of 8 KiB: a column's elements lie in different pages
  Buffers buffers;
  const auto a = buffers.random_f32(n * n, 1);
  const auto sums = buffers.make<float>(n);
  const auto run = [&] {
    for (std::size_t from = 0; from < n; from += block) {
      const std::size_t to = std::min(from + block, n);
      for (std::size_t j = from; j < to; ++j) sums[j] = 0;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = from; j < to; ++j) sums[j] += a[i * n + j];
    }
  };
  run();
  for (const std::size_t j : {std::size_t{0}, std::size_t{5}, n - 1}) {
    double want = 0;
    for (std::size_t i = 0; i < n; ++i) want += static_cast<double>(a[i * n + j]);
    // n additions of numbers below 1 that add up to a few dozen: far below 1e-2.
    if (!(std::abs(static_cast<double>(sums[j]) - want) < 1e-2)) return state.SkipWithError("wrong result");
  }
  measure(state, run);
  set_work(state, {.flops = double(n) * n, .bytes = 4.0 * n * n, .items = double(n) * n});
}

void sum_at_offset(benchmark::State& state, std::size_t n, std::size_t offset) {
  Buffers buffers;
  const auto memory = buffers.random_f32(n + kLine, 1, 0, 1);
  // From a line's beginning, whatever the placement: an offset of 4 bytes makes every second vector of 32 bytes, and
  // every one of 64, cross a line.
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::size_t skip = (-address % kLine + offset) / sizeof(float);
  const std::span<const float> x = memory.subspan(skip, n);
  const std::span<const float> y = x;
  double want = 0;
  for (const float value : x) want += static_cast<double>(value) * static_cast<double>(value);
  if (!(std::abs(static_cast<double>(dot(x, y)) - want) <= 1e-5 * want)) return state.SkipWithError("wrong result");
  measure(state, [&] {
    const float sum = dot(x, y);
    benchmark::DoNotOptimize(sum);
  });
  set_work(state, {.flops = 2.0 * double(n), .bytes = 4.0 * double(n), .items = double(n)});
}

const Registration rows([](Rows& r) {
  if (r.quick()) return;
  for (const Order order : {Order::sequential, Order::stride4k, Order::random, Order::random_prefetch, Order::chase})
    for (const std::size_t bytes :
         {std::size_t{16} << 10, std::size_t{512} << 10, std::size_t{8} << 20, std::size_t{128} << 20})
      r.add(RowName("read_lines", "u64", "plain").with("order", std::string(name_of(order))).with("bytes", bytes),
            [=](benchmark::State& state) { read_lines(state, order, bytes); });
  for (const std::size_t block : {std::size_t{1}, std::size_t{16}, std::size_t{256}, std::size_t{2048}})
    r.add(
        RowName("column_sums", "f32", "plain").with("block", block).with("n", std::size_t{2048}),
        [=](benchmark::State& state) { column_sums(state, block); }, benchmark::kMicrosecond);
  for (const std::size_t n : {std::size_t{2} << 10, std::size_t{64} << 10, std::size_t{1} << 20})
    for (const std::size_t offset : {std::size_t{0}, std::size_t{4}, std::size_t{32}})
      r.add(RowName("square_sum", "f32", "pawl").with("offset", offset).with("n", n),
            [=](benchmark::State& state) { sum_at_offset(state, n, offset); });
});

}  // namespace
}  // namespace pawl::bench
