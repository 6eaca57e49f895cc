// load.cpp -- looks for what an argument names, and says what was probably meant if there is nothing.
#include "baseline/load.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <numeric>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include "baseline/results_file.hpp"
#include "baseline/whole_file.hpp"
#include "closest.hpp"
#include "read/inflate.hpp"
#include "read/read.hpp"
#include "runs_seen.hpp"

namespace pawl::baseline {
namespace {

namespace fs = std::filesystem;

// Reads the whole of standard input: whether it is a results.json shows only in the text.
std::string read_standard_input() {
  std::string text;
  std::vector<char> piece(std::size_t{1} << 16);
  for (std::size_t got = 1; got > 0;) {
    got = std::fread(piece.data(), 1, piece.size(), stdin);
    text.append(piece.data(), got);
  }
  if (std::ferror(stdin) != 0) throw Failure(kBadInput, "standard input: cannot be read");
  return text;
}

struct Source {
  model::ResultSet set;
  bool own = false;  // in pawl's format, not Google Benchmark's
};

Source from_text(const std::string& text, const std::string& file) {
  if (read::is_gzip(text)) {
    const read::Inflated inflated = read::inflate_gzip(text);
    const std::string& bytes = inflated.bytes;
    if (inflated.problem.empty()) {
      if (is_results_text(bytes)) return {parse_results(bytes, file), true};
      return {read::read_bytes(bytes, file)};
    }
  }
  if (is_results_text(text)) return {parse_results(text, file), true};
  return {read::read_bytes(text, file)};
}

// Looks through a file for the mark of results.json without keeping it: most files are Google Benchmark's and large,
// and their reader wants to read them itself.
bool is_results_file(const fs::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) return false;
  constexpr std::size_t kPiece = std::size_t{1} << 18, kOverlap = 256;  // the mark is far shorter than the overlap
  std::string window;
  std::vector<char> piece(kPiece);
  for (;;) {
    const std::size_t got = std::fread(piece.data(), 1, piece.size(), file.get());
    if (got == 0) return false;
    window.erase(0, window.size() - std::min(window.size(), kOverlap));
    window.append(piece.data(), got);
    if (is_results_text(window)) return true;
  }
}

bool is_gzip_file(const fs::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  std::string first(2, '\0');
  return file && std::fread(first.data(), 1, first.size(), file.get()) == first.size() && read::is_gzip(first);
}

Source from_file(const fs::path& path) {
  // A pipe can be read only once, and what gzip holds shows only when all of it is unpacked.
  std::error_code error;
  if (!fs::is_regular_file(path, error) || is_gzip_file(path)) return from_text(read_whole(path), path.string());
  if (is_results_file(path)) return {read_results(path), true};
  return {read::read_file(path)};
}

std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

[[noreturn]] void fail_without_results(const fs::path& directory) {
  try {
    read::read_path(directory);
  } catch (const read::ReadError& problem) {
    // results/ itself instead of one run in it: name the newest.
    std::string newest;
    std::error_code error;
    for (const std::string& name : names_in(directory)) {
      if (fs::is_regular_file(directory / name / "results.json", error)) newest = name;
    }
    if (problem.kind != read::ReadError::Kind::not_results || newest.empty()) throw;
    throw Failure(kBadInput, fmt::format("{}: holds runs, not results (did you mean {}?)", directory.string(),
                                         (directory / newest).string()));
  }
  throw Failure(kBadInput, fmt::format("{}: has changed while it was read", directory.string()));
}

model::Oddity left_out(const fs::path& file, const std::string& why) {
  return {model::Oddity::Severity::warning, file.string(), 0, 0, "", "left out: " + why};
}

// The names of the files whose process runs a file of ours has.
void add_file_names(const model::ResultSet& set, std::unordered_set<std::string>& names) {
  for (const model::Process& process : set.processes) {
    const std::string name = fs::path(process.file).filename().string();
    names.insert(name.substr(0, name.find(" (document ")));
  }
}

// Copies of a file, or a file and the list that it was put into: counted twice, process runs would seem to scatter
// less.
void leave_out_copies(std::vector<std::pair<fs::path, model::ResultSet>>& sets, std::vector<model::Oddity>& odd) {
  std::vector<std::size_t> order(sets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t i) { return sets[i].second.processes.size(); });
  RunsSeen seen;
  std::vector<std::string> same_as(sets.size());
  for (const std::size_t i : order) {
    const auto& [file, set] = sets[i];
    const SeenRuns again = seen.add(set, file.string());
    if (again.count == 0) continue;
    if (again.count < set.processes.size())
      throw Failure(
          kBadInput,
          fmt::format("{} has some of the process runs that {} has, which would count twice; take one of them "
                      "out of the directory",
                      file.string(), again.first_in));
    same_as[i] = again.first_in;
  }
  std::size_t i = 0;
  std::erase_if(sets, [&](const auto& named) {
    const std::string& first = same_as[i++];
    if (!first.empty()) odd.push_back(left_out(named.first, fmt::format("{} has its process runs", first)));
    return !first.empty();
  });
}

model::ResultSet from_directory(const fs::path& directory) {
  // Of a run's directory: what lies beside it are parts of it, or no results.
  const fs::path whole = directory / "results.json";
  std::error_code error;
  if (fs::is_regular_file(whole, error) && is_results_file(whole)) return read_results(whole);

  std::vector<std::pair<fs::path, Source>> sources;
  std::vector<model::Oddity> odd;
  std::unordered_set<std::string> merged;
  for (const fs::path& file : read::results_in(directory)) {
    try {
      sources.emplace_back(file, from_file(file));
      if (sources.back().second.own) add_file_names(sources.back().second.set, merged);
    } catch (const read::ReadError& problem) {
      if (problem.kind != read::ReadError::Kind::not_results) throw;
      odd.push_back(left_out(file, problem.what()));
    }
  }
  if (sources.empty()) fail_without_results(directory);
  std::vector<std::pair<fs::path, model::ResultSet>> named;
  for (auto& [file, source] : sources) {
    // `pawl merge *.json -o all.json` leaves the parts where they were: counted twice, they would seem to scatter less.
    if (!source.own && merged.contains(file.filename().string())) {
      odd.push_back(left_out(file, "another file in this directory, which pawl wrote, has its process runs"));
    } else {
      named.emplace_back(file, std::move(source.set));
    }
  }
  leave_out_copies(named, odd);
  std::vector<model::ResultSet> sets;
  for (auto& [file, set] : named) sets.push_back(std::move(set));
  model::ResultSet set = read::join(std::move(sets));
  std::ranges::move(odd, std::back_inserter(set.oddities));
  return set;
}

// A slash or a suffix says that a path was meant, and its absence is a wrong path, not a missing baseline.
bool looks_like_path(const std::string& argument) {
  return argument.find('/') != std::string::npos || argument.ends_with(".json") || argument.ends_with(".gz");
}

[[noreturn]] void fail_missing(const std::string& argument, const Store& store, std::string_view machine_key) {
  const fs::path path(argument);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<std::string> baselines, names;
  for (const Entry& entry : store.list()) {
    baselines.push_back(entry.machine_key == machine_key ? entry.name : entry.machine_key + "/" + entry.name);
  }
  std::string near = closest(path.filename().string(), names_in(folder));
  if (!near.empty() && path.has_parent_path()) near = (path.parent_path() / near).string();
  const std::string near_baseline = closest(argument, baselines);
  if (looks_like_path(argument)) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
      throw Failure(kBadInput, fmt::format("{}: no such file: there is no directory {}", argument, folder.string()));
    }
    const std::string meant = !near.empty() ? near : near_baseline;
    throw Failure(kBadInput, fmt::format("{}: no such file{}", argument,
                                         meant.empty() ? "" : fmt::format(" (did you mean {}?)", meant)));
  }
  const std::string meant = !near_baseline.empty() ? near_baseline : near;
  constexpr std::size_t kShown = 8;
  std::string saved = "none is saved yet: pawl baseline save " + (name_problem(argument).empty() ? argument : "NAME");
  if (!baselines.empty()) {
    const std::size_t more = baselines.size() > kShown ? baselines.size() - kShown : 0;
    baselines.resize(baselines.size() - more);
    saved = fmt::format("saved: {}{}", fmt::join(baselines, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
  }
  throw NoBaseline(fmt::format("{}: no such file, directory or saved baseline{}; {}", argument,
                               meant.empty() ? "" : fmt::format(" (did you mean {}?)", meant), saved));
}

// A directory that cannot be listed may have some.
bool has_no_results(const std::string& argument) {
  std::error_code error;
  if (!fs::is_directory(argument, error)) return false;
  for (fs::recursive_directory_iterator entry(argument, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.ends_with(".json") || name.ends_with(".json.gz")) return false;
  }
  return !error;
}

}  // namespace

Arguments choose_arguments(const std::vector<std::string>& arguments) {
  Arguments chosen;
  for (const std::string& argument : arguments)
    (has_no_results(argument) ? chosen.left_out : chosen.taken).push_back(argument);
  if (chosen.taken.empty()) return {arguments, {}};
  return chosen;
}

Loaded load(const std::string& argument, const Store& store, std::string_view machine_key) try {
  Loaded loaded;
  if (argument == "-") {
    loaded.set = from_text(read_standard_input(), "standard input").set;
    loaded.set.label = "standard input";
    return loaded;
  }
  std::error_code error;
  const fs::file_status status = fs::status(argument, error);
  if (fs::exists(status)) {
    loaded.set = fs::is_directory(status) ? from_directory(argument) : from_file(argument).set;
    loaded.set.label = argument;
    if (!looks_like_path(argument) &&
        std::ranges::any_of(store.list(), [&](const Entry& entry) { return entry.name == argument; })) {
      loaded.set.oddities.push_back({model::Oddity::Severity::note, argument, 0, 0, "",
                                     "also the name of a saved baseline; the path was taken (MACHINE/NAME names the "
                                     "baseline)"});
    }
    return loaded;
  }
  if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory) {
    throw Failure(kBadInput, fmt::format("{}: cannot be opened: {}", argument, error.message()));
  }
  loaded.entry = store.find(argument, machine_key);
  if (!loaded.entry) fail_missing(argument, store, machine_key);
  loaded.set = read_results(loaded.entry->path);
  loaded.set.label = argument;
  // The directory says which machine it is filed under, whatever an edited file claims.
  loaded.set.machine.key = loaded.entry->machine_key;
  return loaded;
} catch (const read::ReadError& problem) {
  throw Failure(kBadInput, problem.what());
}

}  // namespace pawl::baseline
