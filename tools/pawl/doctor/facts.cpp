// facts.cpp -- looks at /proc, the file system, git, and starts each bench once.
#include "doctor/facts.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "decide/shared_core.hpp"
#include "run/child_process.hpp"

namespace pawl::doctor {
namespace {

namespace fs = std::filesystem;

std::optional<int> perf_event_paranoid() {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  int value = 0;
  if (!(file >> value)) return std::nullopt;
  return value;
}

bool can_count_cycles() {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_HW_CPU_CYCLES;
  attributes.exclude_kernel = 1;
  const long descriptor = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
  if (descriptor < 0) return false;
  close(static_cast<int>(descriptor));
  return true;
}

// Who uses the machine while we sleep: all that is busy then is somebody else, but for our looks at the core, 1 % of
// it.
void watch_neighbours(Facts& facts) {
  constexpr int kLooks = 100;
  const auto before = read_cpu_ticks();
  std::vector<double> operations;
  for (int i = 0; i < kLooks; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(2500));
    operations.push_back(operations_per_cycle());
  }
  const auto after = read_cpu_ticks();
  const double free = decide::free_core(operations);
  facts.core_looks = kLooks;
  facts.core_shared =
      static_cast<int>(std::ranges::count_if(operations, [&](double each) { return decide::is_shared(each, free); }));
  if (!before || !after) return;
  const auto delta = [](std::uint64_t a, std::uint64_t b) { return b > a ? static_cast<double>(b - a) : 0.0; };
  const double busy = delta(before->busy, after->busy), steal = delta(before->steal, after->steal);
  const double total = busy + steal + delta(before->idle, after->idle);
  if (!(total > 0)) return;
  facts.steal = steal / total;
  facts.other_busy = busy / total;
}

bool on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string directories = path ? path : "";
  for (std::size_t begin = 0; begin <= directories.size();) {
    const std::size_t end = std::min(directories.find(':', begin), directories.size());
    std::error_code ignored;
    if (fs::exists(fs::path(directories.substr(begin, end - begin)) / program, ignored)) return true;
    begin = end + 1;
  }
  return false;
}

std::optional<std::string> work_tree_commit() {
  try {
    run::Command git{.program = "/usr/bin/env", .arguments = {"git", "rev-parse", "HEAD"}, .timeout_s = 5};
    const run::Ended ended = run::run_child(git);
    if (!ended.ok()) return std::nullopt;
    std::string text = ended.output;
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    return text;
  } catch (const run::StartError&) {
    return std::nullopt;
  }
}

// Starts it with a filter that matches nothing much: the JSON context then says how it was built. Only benches on
// pawl::bench_main know the flag that leaves the yardsticks out; others are only asked for their list.
BenchFacts look_at(const fs::path& program) {
  BenchFacts bench;
  bench.name = program.filename().string();
  try {
    const run::Ended list =
        run::run_child({.program = program, .arguments = {"--benchmark_list_tests=true"}, .timeout_s = 20});
    bench.runs = list.ok();
    if (!bench.runs) {
      bench.problem = run::how_it_ended(list, 20);
      return bench;
    }
    const std::string first = list.output.substr(0, list.output.find('\n'));
    if (first.empty()) return bench;
    std::string literal;
    for (char c : first) {
      if (std::strchr("\\^$.|?*+()[]{}", c) != nullptr) literal += '\\';
      literal += c;
    }
    const run::Ended ended =
        run::run_child({.program = program,
                        .arguments = {"--pawl_yardsticks=off", "--pawl_percentiles=off", "--benchmark_min_time=0.001",
                                      "--benchmark_format=json", "--benchmark_filter=^" + literal + "$"},
                        .timeout_s = 20});
    if (!ended.ok()) return bench;
    const auto json = nlohmann::json::parse(ended.output, nullptr, false);
    if (json.is_discarded() || !json.contains("context")) return bench;
    const auto& context = json["context"];
    if (context.contains("pawl_build_type")) bench.build_type = context["pawl_build_type"].get<std::string>();
    if (context.contains("pawl_git_commit")) bench.commit = context["pawl_git_commit"].get<std::string>();
  } catch (const run::StartError& error) {
    bench.problem = error.what();
  }
  return bench;
}

}  // namespace

Facts collect_facts(const fs::path& bench_directory) {
  Facts facts;
  facts.machine = describe_machine();
  facts.perf_event_paranoid = perf_event_paranoid();
  facts.hardware_counters = can_count_cycles();
  watch_neighbours(facts);
  std::error_code error;
  const auto space = fs::space(".", error);
  if (!error) facts.free_disk_bytes = space.available;
  for (const char* tool : {"cmake", "c++", "git"})
    if (!on_path(tool)) facts.missing_tools.emplace_back(tool);
  for (const char* variable : {"OPENBLAS_CORETYPE", "BLIS_ARCH_TYPE", "ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"})
    if (const char* value = std::getenv(variable); value && *value)
      facts.peer_choices.push_back(std::string(variable) + "=" + value);
  facts.work_tree_commit = work_tree_commit();
  std::vector<fs::path> programs;
  for (const auto& entry : fs::directory_iterator(bench_directory, error))
    if (entry.path().filename().string().ends_with("_bench") && access(entry.path().c_str(), X_OK) == 0)
      programs.push_back(entry.path());
  std::ranges::sort(programs);
  for (const fs::path& program : programs) facts.benches.push_back(look_at(program));
  return facts;
}

}  // namespace pawl::doctor
