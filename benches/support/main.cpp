// main.cpp -- the main of every bench: Google Benchmark's own, with the environment, yardsticks and memory counts
// added.
//
// All --benchmark_* flags work as they always do. Ours are in kOurFlags, which --help prints before the library's.
#include <benchmark/benchmark.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "environment.hpp"
#include "json_reporter.hpp"
#include "memory.hpp"
#include "memory_results.hpp"
#include "process_record.hpp"
#include "rows.hpp"

namespace pawl::bench {
namespace {

class MemoryCounter : public benchmark::MemoryManager {
 public:
  explicit MemoryCounter(MemoryResults& results) : results_(results) {}
  void Start() override {
    forget_current_row();  // a row that is not ours sets none
    begin_memory_pass();
  }
  void Stop(Result& result) override {
    const AllocationCounts counts = end_memory_pass();
    result.num_allocs = counts.allocations;
    result.max_bytes_used = counts.peak_bytes;
    result.total_allocated_bytes = counts.allocated_bytes;
    result.net_heap_growth = counts.live_bytes;
    results_.add(current_row(), result);
    if (const std::string profile = memory_profile(); !profile.empty())
      std::fprintf(stderr, "%s: the timed loop: %s", current_row().c_str(), profile.c_str());
  }
  // Up to 1.7 this one is the pure function, from 1.8 on it does not exist: so it cannot say `override`.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winconsistent-missing-override"
#endif
  void Stop(Result* result) { Stop(*result); }  // NOLINT(modernize-use-override)
#ifdef __clang__
#pragma clang diagnostic pop
#endif

 private:
  MemoryResults& results_;
};

struct Flags {
  bool quick = false, percentiles = true;
  bool yardsticks = false, yardsticks_set = false;
  bool core_watch = false, core_watch_set = false;
  bool json_out = false, json_display = false;
  std::size_t profiled_places = 0;
};

constexpr const char* kOurFlags = R"(of Pawl's main:
          [--pawl_quick] few rows: the sizes and variants that a look at every change needs
          [--pawl_yardsticks=on|off] measure what the machine can do at the start and the end (default: on with JSON output)
          [--pawl_core_watch=on|off] look beside each repetition whether another hardware thread uses the core (the same)
          [--pawl_percentiles=on|off] sample p50, p95 and p99 after each row (default: on)
          [--pawl_memory_profile[=N]] say which N (5) chains of calls allocate most in each timed loop, on standard error
of Google Benchmark:
)";

[[noreturn]] void refuse(std::string_view flag) {
  std::fprintf(stderr,
               "%.*s: unknown; ours are --pawl_quick, --pawl_yardsticks=on|off, --pawl_core_watch=on|off, "
               "--pawl_percentiles=on|off, --pawl_memory_profile[=N]\n",
               static_cast<int>(flag.size()), flag.data());
  std::exit(2);
}

// Takes our flags out of the arguments and looks at those of Google Benchmark that choose an output.
Flags take_flags(std::vector<char*>& arguments) {
  Flags flags;
  std::vector<char*> rest;
  bool out = false, out_is_json = true;  // --benchmark_out writes JSON unless told otherwise
  for (char* argument : arguments) {
    const std::string_view text = argument;
    if (!text.starts_with("--pawl_")) {
      out = out || text.starts_with("--benchmark_out=");
      if (text.starts_with("--benchmark_out_format=")) out_is_json = text.ends_with("=json");
      flags.json_display = flags.json_display || text == "--benchmark_format=json";
      rest.push_back(argument);
    } else if (text == "--pawl_quick") {
      flags.quick = true;
    } else if (text == "--pawl_percentiles=on" || text == "--pawl_percentiles=off") {
      flags.percentiles = text.ends_with("=on");
    } else if (text == "--pawl_yardsticks=on" || text == "--pawl_yardsticks=off") {
      flags.yardsticks = text.ends_with("=on");
      flags.yardsticks_set = true;
    } else if (text == "--pawl_core_watch=on" || text == "--pawl_core_watch=off") {
      flags.core_watch = text.ends_with("=on");
      flags.core_watch_set = true;
    } else if (text == "--pawl_memory_profile") {
      flags.profiled_places = 5;
    } else if (constexpr std::string_view kProfile = "--pawl_memory_profile="; text.starts_with(kProfile)) {
      const auto number = text.substr(kProfile.size());
      const auto [end, error] = std::from_chars(number.begin(), number.end(), flags.profiled_places);
      if (error != std::errc() || end != number.end() || flags.profiled_places == 0) refuse(text);
    } else {
      refuse(text);
    }
  }
  flags.json_out = out && out_is_json;
  if (!flags.yardsticks_set) flags.yardsticks = flags.json_out || flags.json_display;
  if (!flags.core_watch_set) flags.core_watch = flags.json_out || flags.json_display;
  arguments = rest;
  return flags;
}

int run(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  const bool lists_only = [&] {
    for (std::string_view text : arguments)
      if (text == "--benchmark_list_tests" || text == "--benchmark_list_tests=true") return true;
    return false;
  }();
  const Flags flags = take_flags(arguments);
  for (const std::string_view text : arguments) {
    if (text != "--help") continue;
    std::fputs(kOurFlags, stdout);
    std::fflush(stdout);  // the library leaves by exit() after its own
  }
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  want_percentiles(flags.percentiles);
  watch_core(flags.core_watch);
  profile_memory_passes(flags.profiled_places);
  register_all_rows(flags.quick);
  if (lists_only) {
    benchmark::RunSpecifiedBenchmarks();
    return 0;
  }
  for (const auto& [key, value] : describe_environment()) benchmark::AddCustomContext(key, value);
  if (is_worthless_build())
    std::fprintf(stderr,
                 "\n*** This is a build without optimisation or with sanitizers: its times are WORTHLESS. ***\n"
                 "*** Measure an optimised build instead; of Pawl itself: tools/build.sh release       ***\n\n");
  MemoryResults memory_results;
  MemoryCounter memory(memory_results);
  if (allocation_hooks_present()) benchmark::RegisterMemoryManager(&memory);
  begin_process_record(flags.yardsticks);
  const auto reporter = [&](bool json) -> std::unique_ptr<benchmark::BenchmarkReporter> {
    return json ? std::make_unique<JsonReporter>(end_process_record, memory_results) : nullptr;
  };
  const auto display = reporter(flags.json_display), file = reporter(flags.json_out);
  benchmark::RunSpecifiedBenchmarks(display.get(), file.get());
  benchmark::RegisterMemoryManager(nullptr);
  benchmark::Shutdown();
  return 0;
}

}  // namespace
}  // namespace pawl::bench

int main(int argc, char** argv) { return pawl::bench::run(argc, argv); }
