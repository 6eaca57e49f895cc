// profile_command.cpp -- `pawl profile memory`: benchmarks under valgrind's massif -> what their heap holds, and from
// where.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "baseline/whole_file.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "output_file.hpp"
#include "profile/heap_report.hpp"
#include "profile/massif_file.hpp"
#include "run/bench_program.hpp"
#include "run/discover.hpp"
#include "run/results_directory.hpp"
#include "run/stop_signal.hpp"

namespace pawl::commands {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFooter = R"(
Runs the benchmarks that match under valgrind's massif, one process for each executable, as few iterations as it does: 20 to 50
times as slow as without, so no time is taken. The heap is what malloc and new gave; Pawl's own allocator takes its blocks from
malloc meanwhile (PAWL_MEMORY_MALLOC=1), so tensors are in it. Memory that a program maps itself is not.

valgrind knows no AVX-512: executables with code for this CPU alone do not run (Pawl's own benches: configure a build with
-DPAWL_PEERS=OFF).

Examples
  pawl profile memory build/bin --filter '^decode/' --top 5
  pawl profile memory --suite tensor --filter 'layernorm/f32/pawl' --format json --output heap.json

Exit codes
  0  all was profiled     1  a benchmark failed     2  wrong usage, no valgrind, or something cannot be read or written
  128 + signal  stopped)";

struct Options {
  std::vector<std::string> where, suites;
  std::string filter, out, format = "table", output;
  std::optional<int> top, depth;
  double timeout_s = 600;
};

fs::path find_valgrind() {
  const char* const path = std::getenv("PATH");
  for (std::string_view rest = path != nullptr ? path : ""; !rest.empty();) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    fs::path candidate = fs::path(rest.substr(0, colon)) / "valgrind";
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  throw Failure(kBadInput,
                "valgrind is not installed; `pawl profile memory` runs benchmarks under it: apt-get install "
                "valgrind");
}

// Its benchmarks that match, listed with flags of our main if it takes them.
run::Listing list(const run::BenchProgram& program, run::ProcessSettings settings) {
  try {
    settings.extra_arguments = {"--pawl_percentiles=off"};
    return run::list_benchmarks(program, settings);
  } catch (const run::ListError&) {
    settings.extra_arguments.clear();
    return run::list_benchmarks(program, settings);
  }
}

// massif takes % for a place that it fills in.
std::string massif_path(const fs::path& path) {
  std::string out;
  for (const char c : path.string()) out.append(c == '%' ? 2 : 1, c);
  return out;
}

// "==17== Process terminating ..." -> " Process terminating ..."; nothing of a line that is not valgrind's.
std::optional<std::string_view> of_valgrind(std::string_view line) {
  if (!line.starts_with("==")) return std::nullopt;
  const std::size_t number = line.find_first_not_of("0123456789", 2);
  if (number == std::string_view::npos || !line.substr(number).starts_with("==")) return std::nullopt;
  return line.substr(number + 2);
}

// The last words of the program itself; where it had none, what valgrind says of its end.
std::string last_words(std::string_view errors) {
  std::string own, valgrinds;
  while (!errors.empty()) {
    const std::size_t end = std::min(errors.find('\n'), errors.size());
    const std::string_view line = errors.substr(0, end);
    errors.remove_prefix(std::min(end + 1, errors.size()));
    const auto said = of_valgrind(line);
    if (!said)
      own.append(line).append("\n");
    else if (said->find("Process terminating") != std::string_view::npos)
      valgrinds = said->substr(said->find_first_not_of(' '));
  }
  const std::string words = run::last_lines(own, 1);
  return words.empty() ? valgrinds : words;
}

class Profile {
 public:
  Profile(const Options& options, fs::path valgrind, fs::path directory)
      : options_(options), valgrind_(std::move(valgrind)), directory_(std::move(directory)) {}

  /// Errors: Failure if the program does not run to its end, or massif's file cannot be read.
  profile::Profiled run(const run::BenchProgram& program, const run::Listing& listing) const {
    std::string file = program.name;  // with its directory where two have one name
    std::replace(file.begin(), file.end(), '/', '_');
    profile::Profiled out{program.name, listing.names, (directory_ / (file + ".massif")).string(), {}};
    const fs::path unfinished = out.kept + ".tmp";
    run::Command command;
    command.program = valgrind_;
    // Whole paths tell the standard library's frames from others.
    command.arguments = {"--tool=massif", "--fullpath-after=", "--massif-out-file=" + massif_path(unfinished),
                         program.path.string()};
    command.arguments.insert(command.arguments.end(), listing.arguments.begin(), listing.arguments.end());
    command.arguments.push_back("--benchmark_filter=" + options_.filter);
    command.environment.emplace_back("PAWL_MEMORY_MALLOC", "1");
    command.timeout_s = options_.timeout_s;
    const run::Ended ended = run_child(command);
    std::error_code ignored;
    if (!ended.ok()) {
      const std::string words = last_words(ended.errors);
      fs::remove(unfinished, ignored);
      if (ended.interrupted) throw Failure(128 + run::stop_signal(), "stopped");
      if (ended.errors.find("unhandled instruction bytes") != std::string::npos)
        throw Failure(kRegression, fmt::format("{}: it has instructions that valgrind does not know (AVX-512, as code "
                                               "for this CPU alone has); of Pawl's own benches, profile a build "
                                               "configured with -DPAWL_PEERS=OFF",
                                               program.path.string()));
      throw Failure(kRegression,
                    fmt::format("{}: under valgrind: {}{}{}", program.path.string(),
                                how_it_ended(ended, options_.timeout_s), words.empty() ? "" : ": ", words));
    }
    std::error_code error_code;
    fs::rename(unfinished, out.kept, error_code);
    if (error_code)
      throw Failure(kBadInput, fmt::format("{}: massif wrote nothing: {}", out.kept, error_code.message()));
    try {
      out.file = profile::parse_massif(baseline::read_whole(out.kept));
    } catch (const profile::MassifError& error) {
      throw Failure(kBadInput, fmt::format("{}: {}", out.kept, error.what()));
    }
    return out;
  }

 private:
  const Options& options_;
  fs::path valgrind_, directory_;
};

int profile_memory(const Options& options) {
  const fs::path valgrind = find_valgrind();
  const auto programs = run::discover_all(options.where, options.suites);
  run::ProcessSettings settings;
  settings.filter = options.filter;
  settings.min_time_s = 1e-6;  // the first iteration of most rows takes longer
  settings.timeout_s = options.timeout_s;
  std::vector<std::pair<run::BenchProgram, run::Listing>> chosen;
  for (const run::BenchProgram& program : programs)
    if (run::Listing listing = list(program, settings); !listing.names.empty())
      chosen.emplace_back(program, std::move(listing));
  if (chosen.empty()) throw Failure(kBadInput, fmt::format("no benchmark matches --filter '{}'", options.filter));

  fs::path directory = options.out;
  if (directory.empty())
    directory =
        fs::path("results") / "profiles" /
        run::timestamp(std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count());
  make_directory(directory);
  const run::StopSignal stop;
  const Profile profile(options, valgrind, directory);
  std::vector<profile::Profiled> all;
  std::string text;
  std::optional<Failure> failure;  // what was finished before it is told all the same
  for (const auto& [program, listing] : chosen) {
    try {
      all.push_back(profile.run(program, listing));
    } catch (const Failure& of_this) {
      if (all.empty()) throw;
      failure = of_this;
      break;
    }
    if (options.format == "json") continue;
    const std::string one = profile::format_heap_text(all.back(), static_cast<std::size_t>(options.top.value_or(10)),
                                                      static_cast<std::size_t>(options.depth.value_or(6)));
    text += (text.empty() ? "" : "\n") + one;
  }
  run::end_at_broken_pipe();
  if (options.format == "json") text = profile::format_heap_json(all);
  if (options.output.empty())
    fmt::print("{}", text);
  else
    write_file(options.output, text);
  if (failure) throw Failure(*failure);
  return kPassed;
}

}  // namespace

void add_profile(Command app, Chosen& chosen) {
  auto options = std::make_shared<Options>();
  Command command = app.subcommand("profile", "Where benchmarks take memory");
  command.require_subcommand();
  Command memory =
      command.subcommand("memory", "The heap over time, and who holds it at its peak, by valgrind's massif");
  memory.option("WHERE", options->where, "Build directories or executables (default: beside this program)");
  memory
      .option("--suite", options->suites, "Executables whose name matches this glob, with or without _bench; repeated")
      .comma_separated()
      .one_each();
  memory.option("--filter,--benchmark_filter", options->filter, "Benchmarks whose name matches").required();
  memory.option("--top", options->top, "Chains of calls to show (10)").between(1, 1000);
  memory.option("--depth", options->depth, "Calls of each chain to show (6)").between(1, 100);
  memory.option("--out", options->out, "Directory for massif's own files (default: results/profiles/<time>)");
  memory.option("--format", options->format, "table or json").one_of({"table", "json"});
  memory.option("--output", options->output, "Write to this file instead of standard output");
  memory.option("--timeout", options->timeout_s, "Seconds for each executable (600)").between(0.1, 86400.0);
  memory.footer(kFooter);
  memory.when_chosen(chosen, [options] { return profile_memory(*options); });
}

}  // namespace pawl::commands
