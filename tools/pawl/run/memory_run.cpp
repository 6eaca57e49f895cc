// memory_run.cpp -- see memory_run.hpp.
#include "run/memory_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "pawl/machine.hpp"
#include "read/read.hpp"

namespace pawl::run {
namespace {

namespace fs = std::filesystem;

// The arguments of a listing, for one short repetition.
std::vector<std::string> short_arguments(std::vector<std::string> arguments, bool has_our_main) {
  constexpr std::string_view kMinTime = "--benchmark_min_time=", kRepetitions = "--benchmark_repetitions=";
  for (std::string& argument : arguments) {
    // The first iteration of most rows takes longer than a microsecond; the unit stays as this program takes it.
    if (argument.starts_with(kMinTime))
      argument = fmt::format("{}0.000001{}", kMinTime, argument.ends_with('s') ? "s" : "");
    if (argument.starts_with(kRepetitions)) argument = fmt::format("{}1", kRepetitions);
  }
  if (has_our_main) {
    std::erase_if(arguments, [](const std::string& argument) {
      return argument.starts_with("--pawl_yardsticks") || argument.starts_with("--pawl_percentiles");
    });
    arguments.emplace_back("--pawl_yardsticks=off");
    arguments.emplace_back("--pawl_percentiles=off");
  }
  return arguments;
}

}  // namespace

MemoryRun measure_memory(const ProcessRequest& request, const std::string& row,
                         const std::map<std::string, std::string>& context) {
  const bool has_our_main = context.contains("pawl_machine_key");
  Listing listing = request.listing;
  listing.arguments = short_arguments(std::move(listing.arguments), has_our_main);
  fs::path json = request.json;
  json += ".memory";
  Command command = bench_command(request.program, listing, request.settings, exact_filters({row}).front().regex, json);
  command.environment.emplace_back("PAWL_RUN_INDEX", std::to_string(request.run_index));
  command.environment.emplace_back("PAWL_PAIR_INDEX", std::to_string(request.pair_index));
  command.environment.emplace_back("PAWL_PLACEMENT", std::to_string(request.placement));
  command.on_tick = request.on_tick;
  command.tick_s = request.on_tick ? 1 : 0;
  if (request.on_start) request.on_start(command);
  const auto ours = static_cast<double>(peak_resident_bytes().value_or(0));
  const Ended ended = run_child(command);
  MemoryRun out;
  out.wall_s = ended.wall_s;
  out.interrupted = ended.interrupted;
  if (!ended.ok()) {
    out.problem = how_it_ended(ended, request.settings.timeout_s);
  } else if (has_our_main) {
    try {
      const auto set = read::read_file(json);
      if (!set.processes.empty()) out.peak_bytes = set.processes.front().peak_rss_bytes;
    } catch (const read::ReadError& error) {
      out.problem = error.what();
    }
    if (!out.peak_bytes && out.problem.empty()) out.problem = "its results do not say it";
  } else if (ended.peak_rss_bytes > ours) {
    out.peak_bytes = ended.peak_rss_bytes;
  } else {
    out.hidden = true;
  }
  std::error_code ignored;
  fs::remove(json, ignored);
  return out;
}

}  // namespace pawl::run
