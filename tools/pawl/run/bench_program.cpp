// bench_program.cpp -- see bench_program.hpp.
#include "run/bench_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace pawl::run {
namespace {

constexpr const char* kInterleave = "--benchmark_enable_random_interleaving=true";

// Numbers that every version reads: no exponent, no trailing zeros.
std::string plain(double value) {
  std::string text = fmt::format("{:.9f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// Every spelling worth trying, the likeliest first. Up to 1.7 `min_time` is a bare number, from 1.8 on it has a unit
// and the bare number is still read; only our own main knows --pawl_quick.
std::vector<std::vector<std::string>> spellings(const ProcessSettings& settings) {
  const auto with = [&](bool quick, const char* unit) {
    std::vector<std::string> arguments;
    if (settings.min_time_s) arguments.push_back("--benchmark_min_time=" + plain(*settings.min_time_s) + unit);
    arguments.push_back(fmt::format("--benchmark_repetitions={}", settings.repetitions));
    if (quick) arguments.emplace_back("--pawl_quick");
    arguments.insert(arguments.end(), settings.extra_arguments.begin(), settings.extra_arguments.end());
    return arguments;
  };
  std::vector<std::vector<std::string>> all;
  if (settings.quick) all.push_back(with(true, ""));
  all.push_back(with(false, ""));
  if (settings.min_time_s) all.push_back(with(false, "s"));
  return all;
}

std::vector<std::pair<std::string, std::string>> environment_of(const ProcessSettings& settings) {
  auto environment = settings.environment;
  if (settings.threads) {
    for (const char* name : {"PAWL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"})
      environment.emplace_back(name, std::to_string(*settings.threads));
  }
  return environment;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

std::string escaped(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (std::string_view("\\^$.|?*+()[{").find(c) != std::string_view::npos) text.push_back('\\');
    text.push_back(c);
  }
  return text;
}

}  // namespace

Listing list_benchmarks(const BenchProgram& program, const ProcessSettings& settings) {
  Command command;
  command.program = program.path;
  command.cpu = settings.cpu;
  command.environment = environment_of(settings);
  command.timeout_s = settings.timeout_s;
  command.kept_bytes = std::size_t{64} << 20;
  // A program that takes a spelling but cannot interleave is asked twice for each; those before 1.6 are rare.
  std::vector<Listing> tries;
  for (auto& arguments : spellings(settings)) {
    if (settings.interleave) tries.push_back({{}, arguments, true});
    tries.push_back({{}, std::move(arguments), false});
  }
  std::string why;
  for (Listing& listing : tries) {
    command.arguments = listing.arguments;
    if (listing.interleaves) command.arguments.emplace_back(kInterleave);
    command.arguments.emplace_back("--benchmark_list_tests=true");
    if (!settings.filter.empty()) command.arguments.push_back("--benchmark_filter=" + settings.filter);
    const Ended ended = run_child(command);
    if (ended.ok()) {
      listing.names = lines_of(ended.output);
      return std::move(listing);
    }
    const std::string words = last_lines(ended.errors.empty() ? ended.output : ended.errors, 1);
    why = how_it_ended(ended, settings.timeout_s) + (words.empty() ? "" : ": " + words);
    // It refuses a flag by exiting; a crash or a hang is not about flags.
    if (ended.signal != 0 || ended.timed_out || ended.interrupted) break;
  }
  throw ListError(fmt::format("{}: does not list its benchmarks: {}", program.path.string(), why));
}

std::vector<ExactFilter> exact_filters(const std::vector<std::string>& names, std::size_t max_chars) {
  std::vector<ExactFilter> filters;
  for (const std::string& name : names) {
    const std::string next = escaped(name);
    if (filters.empty() || filters.back().regex.size() + next.size() + 3 > max_chars) filters.push_back({{}, "^("});
    ExactFilter& open = filters.back();
    if (!open.names.empty()) open.regex += '|';
    open.regex += next;
    open.names.push_back(name);
  }
  for (ExactFilter& filter : filters) filter.regex += ")$";
  return filters;
}

Command bench_command(const BenchProgram& program, const Listing& listing, const ProcessSettings& settings,
                      const std::string& filter, const std::filesystem::path& json, bool interleaved) {
  Command command;
  command.program = program.path;
  command.arguments = listing.arguments;
  if (interleaved) command.arguments.emplace_back(kInterleave);
  if (!filter.empty()) command.arguments.push_back("--benchmark_filter=" + filter);
  command.arguments.push_back("--benchmark_out=" + json.string());
  command.arguments.emplace_back("--benchmark_out_format=json");
  command.environment = environment_of(settings);
  command.cpu = settings.cpu;
  command.timeout_s = settings.timeout_s;
  return command;
}

}  // namespace pawl::run
