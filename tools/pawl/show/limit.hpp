// limit.hpp -- the work of a benchmark and the machine's yardsticks -> the fastest that the machine could do it.
//
// The roofline: S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance model for multicore
// architectures", CACM 52(4), 2009. Its roofs are the yardsticks that the same process measured.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/results.hpp"

namespace pawl::show {

/// A name by the grammar op/type/impl/key:value/...
struct BenchmarkName {
  std::string op, type, impl, parameters;  ///< parameters as in "m:8/n:8", in their order
  int threads = 1;                         ///< of the parameter threads
  std::string group() const { return op + "/" + type + (parameters.empty() ? "" : "/" + parameters); }
  std::string text() const { return op + "/" + type + "/" + impl + (parameters.empty() ? "" : "/" + parameters); }
};

/// Nothing if the name is not by the grammar (other projects' benchmarks).
std::optional<BenchmarkName> parse_name(std::string_view name);

/// Whether an `impl` is somebody else's code: neither ours as users get it (`pawl`, or `pawl-` and a way of calling it)
/// nor one of its variants.
bool is_peer(std::string_view impl);

/// What one iteration does.
struct IterationWork {
  double seconds = 0;  ///< that it took
  double flops = 0, bytes = 0, working_set_bytes = 0;
  double bytes_per_second() const { return bytes / seconds; }
};

/// From decide::centre_of() a reading's series: flops and bytes are rates, so the time turns them into work. Nothing if
/// the reading has no time, or neither counter.
std::optional<IterationWork> work_of(const model::Reading& reading);

enum class Bound { compute, memory };

struct Limit {
  double seconds = 0;  ///< the least time, by the roof that is nearest
  Bound bound = Bound::compute;
  std::string yardstick;  ///< the roof: "fma_f32_gflops", "stream_copy_mem_gbs"
  std::string where;      ///< what people read: "compute", "L1", "L2", "L3" or "memory"
};

/// Sizes of the caches in bytes, from a process's context; 0 where unknown.
struct CacheLevels {
  double l1 = 0, l2 = 0, l3 = 0;
};
CacheLevels caches_of(const model::Process& process);

/// The compute roof is fma_<type>_gflops times the threads; it is left out for types without such a yardstick. The
/// memory roof is the fastest of read, copy, triad (and streaming copy) at the level that holds the working set; of ops
/// that only read (dot, sum along an axis, products of few rows, ...) the read yardstick. Beyond L2 the yardsticks of
/// as many threads count ("read_mem_gbs/threads:2"); without them there is no memory roof.
std::optional<Limit> limit_of(const BenchmarkName& name, const IterationWork& work,
                              const std::map<std::string, double>& yardsticks, const CacheLevels& caches);

/// The yardsticks that a process measured: the better of start and end, since a disturbed one is too low, never too
/// high.
std::map<std::string, double> yardsticks_of(const model::Process& process);

}  // namespace pawl::show
