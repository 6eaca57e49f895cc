// blocks.hpp -- out[i] = step(in[i]) over contiguous elements of different sizes, in blocks of whole vectors.
#pragma once
#include "isa/streaming.hpp"
#include "kernels/quant/part.hpp"

namespace pawl::PAWL_ISA_NS {

/// Elements that one step converts.
inline constexpr std::size_t kBlock = 4 * kLanes;

/// How many elements lie before the first vector that begins at a multiple of its size. Elsewhere vectors lie in two
/// cache lines, those of 64 bytes each of them. A first block, done whole, covers them. Arrays
/// of `kWorthAligning` and more elements take 0.8 to 0.9 of the time for it where they lie 16 bytes off, as malloc()
/// gives long ones (quantize, dequantize, Zen 4).
template <class T>
PAWL_INLINE std::size_t elements_to_boundary(const T* x) {
  constexpr std::size_t kVectorBytes = kLanes * sizeof(T);
  const std::size_t off = reinterpret_cast<std::uintptr_t>(x) % kVectorBytes;
  return kLanes > 1 && off % sizeof(T) == 0 ? (kVectorBytes - off) % kVectorBytes / sizeof(T) : 0;
}
inline constexpr std::size_t kWorthAligning = 2048;

/// Calls step(from, to) for each block of kBlock elements. A last part is done with elements before it, a second time,
/// which gives the same results since `in` and `out` do not overlap; where there are none, in a copy filled up with
/// zeros. Nothing beyond n is read or written. `streaming`: whole lines of `out` bypass the caches.
template <class In, class Out, class Step>
PAWL_INLINE void for_blocks(const In* in, std::size_t n, Out* out, bool streaming, Step step) {
  // Elements that make a whole number of steps and of lines.
  constexpr std::size_t kStretch = kBlock * sizeof(Out) >= 64 ? kBlock : 64 / sizeof(Out);
  const auto partly = [&](std::size_t i, std::size_t count) PAWL_INLINE_LAMBDA {
    In from[kBlock];
    Out to[kBlock];
    load_part(from, in + i, count);
    step(from, to);
    store_part(out + i, to, count);
  };
  std::size_t i = 0;
  if (streaming && reinterpret_cast<std::uintptr_t>(out) % sizeof(Out) == 0) [[unlikely]] {
    std::size_t head = (64 - reinterpret_cast<std::uintptr_t>(out) % 64) % 64 / sizeof(Out);
    for (head = head < n ? head : n; i < head;) {
      const std::size_t count = head - i < kBlock ? head - i : kBlock;
      partly(i, count);
      i += count;
    }
    alignas(64) Out lines[kStretch];
    // Too few loads are under way beside what is computed and stores that wait.
    const In* const ahead = in + detail::asked_ahead_bytes / sizeof(In);
    constexpr std::size_t kLine = 64 / sizeof(In);
    for (; i + kStretch <= n; i += kStretch) {
      for (std::size_t part = 0; part < kStretch; part += kLine) __builtin_prefetch(ahead + i + part);
      for (std::size_t part = 0; part < kStretch; part += kBlock) step(in + i + part, lines + part);
      for (std::size_t part = 0; part < kStretch; part += 64 / sizeof(Out)) stream_line(out + i + part, lines + part);
    }
    stream_done();
  }
  // The wider side, of which a block has more vectors.
  if (i == 0 && n >= kWorthAligning) {
    i = sizeof(In) >= sizeof(Out) ? elements_to_boundary(in) : elements_to_boundary(out);
    if (i != 0) step(in, out);
  }
  for (; i + kBlock <= n; i += kBlock) step(in + i, out + i);
  if (i == n) return;
  if (n >= kBlock) {
    step(in + n - kBlock, out + n - kBlock);
  } else {
    partly(i, n - i);
  }
}

}  // namespace pawl::PAWL_ISA_NS
