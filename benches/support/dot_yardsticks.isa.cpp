// dot_yardsticks.isa.cpp -- the peaks of AVX-512's dot-product instructions; called only where the CPU has them.
#include <immintrin.h>

#include <cstddef>
#include <utility>

namespace pawl::PAWL_ISA_NS {

// 16 chains: the instructions take 4 to 6 cycles and two can start in each.
using Chains = std::make_index_sequence<16>;

// Keeps a value in a register: the compiler may neither merge the chains nor drop them.
template <class V>
static inline __attribute__((always_inline)) void keep(V& v) {
  asm volatile("" : "+v"(v));
}

template <std::size_t... J>
static double run_s8(std::index_sequence<J...>, std::size_t rounds) noexcept {
  __m512i a = _mm512_set1_epi8(3), b = _mm512_set1_epi8(1);
  __m512i chain[] = {_mm512_set1_epi32(static_cast<int>(J))...};
  keep(a);
  keep(b);
  for (std::size_t i = 0; i < rounds; ++i) ((chain[J] = _mm512_dpbusd_epi32(chain[J], a, b), keep(chain[J])), ...);
  return 2.0 * 64 * sizeof...(J) * static_cast<double>(rounds);
}

template <std::size_t... J>
static double run_bf16(std::index_sequence<J...>, std::size_t rounds) noexcept {
  __m512i ones = _mm512_set1_epi32(0x3f803f80), zeros = _mm512_setzero_si512();
  __m512 chain[] = {_mm512_set1_ps(static_cast<float>(J))...};
  keep(ones);
  keep(zeros);
  for (std::size_t i = 0; i < rounds; ++i)
    ((chain[J] = _mm512_dpbf16_ps(chain[J], (__m512bh)ones, (__m512bh)zeros), keep(chain[J])), ...);
  return 2.0 * 32 * sizeof...(J) * static_cast<double>(rounds);
}

/// Runs `rounds` rounds of independent dot products of bytes (VNNI) or bf16; returns the operations done.
extern double dot_s8(std::size_t rounds) noexcept;
extern double dot_bf16(std::size_t rounds) noexcept;
double dot_s8(std::size_t rounds) noexcept { return run_s8(Chains{}, rounds); }
double dot_bf16(std::size_t rounds) noexcept { return run_bf16(Chains{}, rounds); }

}  // namespace pawl::PAWL_ISA_NS
