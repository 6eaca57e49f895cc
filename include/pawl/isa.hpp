// isa.hpp -- instruction set variants: which are compiled in, which run on this machine, which one is active.
//
// Variants are named the same everywhere: in CMake, in namespaces, in PAWL_ISA, in benchmark names and in JSON.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace pawl {

/// Ordered from narrow to wide within an architecture.
enum class Isa : std::uint8_t { scalar, sse2, avx2, avx512, neon };

/// "scalar", "sse2", "avx2", "avx512" or "neon".
std::string_view name(Isa isa) noexcept;

/// The inverse of name(); nothing for any other text.
std::optional<Isa> parse_isa(std::string_view text) noexcept;

/// Variants that this build contains, narrow to wide.
std::span<const Isa> compiled_isas() noexcept;

/// Compiled variants that this CPU and operating system can run, narrow to wide. Never empty: `scalar` always runs.
std::span<const Isa> runnable_isas() noexcept;

/// True if `isa` is compiled in and this machine runs it.
bool is_runnable(Isa isa) noexcept;

/// The variant that public functions use: the widest runnable one, or what PAWL_ISA names.
///
/// PAWL_ISA is read once, at the first call. A name that is unknown, or not runnable here, ends the program with one
/// line and exit code 2: to measure another variant than the one asked for would be worse than to stop.
/// Cost       one relaxed load after the first call.
Isa active_isa() noexcept;

/// Makes `isa` the active variant of the whole process until the object dies; scopes nest.
///
/// Errors     std::invalid_argument if `isa` is not runnable here.
/// Threads    changes a process-wide value: not for use while another thread runs kernels.
class ScopedIsa {
 public:
  explicit ScopedIsa(Isa isa);
  ~ScopedIsa();
  ScopedIsa(const ScopedIsa&) = delete;
  ScopedIsa& operator=(const ScopedIsa&) = delete;

 private:
  Isa previous_;
};

/// Single features beyond a variant's level, for table entries that need them and for reports.
struct CpuFeatures {
  bool sse2 = false, sse4_2 = false, avx = false, avx2 = false, fma = false, f16c = false, bmi2 = false;
  bool avx512f = false, avx512bw = false, avx512vl = false, avx512dq = false, avx512cd = false;
  bool avx512vnni = false, avx512bf16 = false, avx512vbmi = false, avx512vbmi2 = false, avx512vpopcntdq = false;
  bool avxvnni = false;
  bool neon = false;
};

/// Features that the CPU has and the operating system saves registers for. Detected once; cost of later calls: a load.
const CpuFeatures& cpu_features() noexcept;

/// Detects afresh, for measuring what detection costs.
CpuFeatures detect_cpu_features() noexcept;

/// Sizes of the data caches of the core that runs this, in bytes; 0 where unknown.
struct CacheSizes {
  std::uint32_t l1d_bytes = 0, l2_bytes = 0, l3_bytes = 0;
};

/// From CPUID (x86) or sysconf; detected once.
const CacheSizes& cache_sizes() noexcept;

/// What kernels plan with: cache_sizes(), and where one is unknown (some hypervisors hide them) 32 KiB, 512 KiB and
/// 16 MiB, which most CPUs of servers have at least for each core or group of cores.
const CacheSizes& assumed_cache_sizes() noexcept;

}  // namespace pawl
