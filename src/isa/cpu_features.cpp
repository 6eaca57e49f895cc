// cpu_features.cpp -- CPUID -> CpuFeatures and CacheSizes.
//
// __builtin_cpu_supports is used because it reads XCR0 as well: a CPU that has AVX-512 under an operating system that
// does not save its registers must not run it. xsimd 8.1's own detection does not look.
#include "pawl/isa.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <unistd.h>
#endif

#include "isa/branch_memory.hpp"
#include "isa/core_distance.hpp"
#include "isa/datapath.hpp"
#include "isa/legacy_cache_sizes.hpp"
#include "isa/row_streams.hpp"
#include "isa/store_misses.hpp"
#include "isa/streaming.hpp"

namespace pawl {

CpuFeatures detect_cpu_features() noexcept {
  CpuFeatures cpu;
#if defined(__x86_64__)
  __builtin_cpu_init();
  cpu.sse2 = __builtin_cpu_supports("sse2");
  cpu.sse4_2 = __builtin_cpu_supports("sse4.2");
  cpu.avx = __builtin_cpu_supports("avx");
  cpu.avx2 = __builtin_cpu_supports("avx2");
  cpu.fma = __builtin_cpu_supports("fma");
  cpu.bmi2 = __builtin_cpu_supports("bmi2");
  cpu.avx512f = __builtin_cpu_supports("avx512f");
  cpu.avx512bw = __builtin_cpu_supports("avx512bw");
  cpu.avx512vl = __builtin_cpu_supports("avx512vl");
  cpu.avx512dq = __builtin_cpu_supports("avx512dq");
  cpu.avx512cd = __builtin_cpu_supports("avx512cd");
  cpu.avx512vnni = __builtin_cpu_supports("avx512vnni");
  cpu.avx512vbmi = __builtin_cpu_supports("avx512vbmi");
  cpu.avx512vbmi2 = __builtin_cpu_supports("avx512vbmi2");
  cpu.avx512vpopcntdq = __builtin_cpu_supports("avx512vpopcntdq");
  // g++ 11 and clang 14 do not know these by name; the level they need from the operating system is checked above.
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx)) cpu.f16c = cpu.avx && (ecx & bit_F16C) != 0;
  if (__get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx)) {
    cpu.avxvnni = cpu.avx2 && (eax & (1u << 4)) != 0;
    cpu.avx512bf16 = cpu.avx512f && (eax & (1u << 5)) != 0;
  }
#elif defined(__aarch64__)
  cpu.neon = true;  // part of the base architecture
#endif
  return cpu;
}

const CpuFeatures& cpu_features() noexcept {
  static const CpuFeatures found = detect_cpu_features();
  return found;
}

namespace {

#if defined(__x86_64__)
// Leaf 4 (Intel) and leaf 0x8000001D (AMD) list the caches in the same form.
CacheSizes read_cache_leaf(unsigned leaf) noexcept {
  CacheSizes sizes;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  for (unsigned i = 0; i < 16 && __get_cpuid_count(leaf, i, &eax, &ebx, &ecx, &edx); ++i) {
    const unsigned type = eax & 31, level = (eax >> 5) & 7;  // type: 0 none, 1 data, 2 instruction, 3 unified
    if (type == 0) break;
    if (type == 2) continue;
    const unsigned ways = (ebx >> 22) + 1, partitions = ((ebx >> 12) & 0x3ff) + 1, line = (ebx & 0xfff) + 1;
    const std::uint32_t bytes = ways * partitions * line * (ecx + 1);
    if (level == 1) sizes.l1d_bytes = bytes;
    if (level == 2) sizes.l2_bytes = bytes;
    if (level == 3) sizes.l3_bytes = bytes;
  }
  return sizes;
}

CacheSizes read_legacy_leaves() noexcept {
  unsigned eax = 0, ebx = 0, ecx5 = 0, ecx6 = 0, edx5 = 0, edx6 = 0;
  if (!__get_cpuid(0x80000005, &eax, &ebx, &ecx5, &edx5) || !__get_cpuid(0x80000006, &eax, &ebx, &ecx6, &edx6))
    return {};
  return detail::legacy_cache_sizes(ecx5, ecx6, edx6);
}
#endif

CacheSizes detect_cache_sizes() noexcept {
#if defined(__x86_64__)
  if (const CacheSizes sizes = read_cache_leaf(4); sizes.l1d_bytes != 0) return sizes;
  if (const CacheSizes sizes = read_cache_leaf(0x8000001d); sizes.l1d_bytes != 0) return sizes;
  return read_legacy_leaves();
#else
  const auto size = [](int key) noexcept {
    const long bytes = sysconf(key);
    return bytes > 0 ? static_cast<std::uint32_t>(bytes) : 0u;
  };
  return {size(_SC_LEVEL1_DCACHE_SIZE), size(_SC_LEVEL2_CACHE_SIZE), size(_SC_LEVEL3_CACHE_SIZE)};
#endif
}

// Leaf 0x8000001a exists on CPUs of AMD alone; its bits say how wide the data path is: 2 for 256, 3 for 512.
bool detect_split() noexcept {
#if defined(__x86_64__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(0x8000001a, &eax, &ebx, &ecx, &edx) && (eax & (1u << 2)) != 0 && (eax & (1u << 3)) == 0;
#else
  return false;
#endif
}

bool is_of_intel() noexcept {
#if defined(__x86_64__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(0, &eax, &ebx, &ecx, &edx) && ebx == signature_INTEL_ebx;
#else
  return false;
#endif
}

}  // namespace

bool detail::splits_512_bits = detect_split();
bool detail::divides_fast = !is_of_intel();
bool detail::bf16_dots_take_two_turns = is_of_intel();
bool detail::cores_are_near = is_of_intel();
bool detail::forgets_branches = is_of_intel();
bool detail::follows_rows_into_l2 = is_of_intel();
bool detail::stores_wait_for_lines = is_of_intel();
bool detail::memset_beats_stores = !is_of_intel();
std::size_t detail::asked_ahead_bytes = is_of_intel() ? 2048 : 8192;

const CacheSizes& cache_sizes() noexcept {
  static const CacheSizes found = detect_cache_sizes();
  return found;
}

const CacheSizes& assumed_cache_sizes() noexcept {
  static const CacheSizes assumed = [] {
    CacheSizes sizes = cache_sizes();
    if (sizes.l1d_bytes == 0) sizes.l1d_bytes = 32u << 10;
    if (sizes.l2_bytes == 0) sizes.l2_bytes = 512u << 10;
    if (sizes.l3_bytes == 0) sizes.l3_bytes = 16u << 20;
    return sizes;
  }();
  return assumed;
}

}  // namespace pawl
