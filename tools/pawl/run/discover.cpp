// discover.cpp -- see discover.hpp.
#include "run/discover.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "closest.hpp"
#include "failure.hpp"

namespace pawl::run {
namespace {

namespace fs = std::filesystem;

// Something that the system can start: an ELF file or a script. Object files and libraries match *_bench* easily.
bool is_program(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || access(path.c_str(), X_OK) != 0) return false;
  std::ifstream file(path, std::ios::binary);
  char head[4] = {};
  file.read(head, sizeof head);
  const std::string_view text(head, static_cast<std::size_t>(file.gcount()));
  return text == std::string_view(
                     "\x7f"
                     "ELF",
                     4) ||
         text.starts_with("#!");
}

bool is_build_systems_own(const fs::path& directory) {
  const std::string name = directory.filename().string();
  return name == "CMakeFiles" || name == "_deps" || name == "Testing" || name == "results" || name.starts_with('.');
}

std::vector<fs::path> programs_in(const fs::path& directory, bool deep) {
  std::vector<fs::path> programs;
  std::error_code error;
  fs::recursive_directory_iterator entry(directory, fs::directory_options::skip_permission_denied, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      if (!deep || is_build_systems_own(entry->path())) entry.disable_recursion_pending();
    } else if (is_program(entry->path())) {
      programs.push_back(entry->path());
    }
  }
  return programs;
}

// Links and copies of links to one file count once.
std::vector<fs::path> without_links_to_the_same(const std::vector<fs::path>& programs) {
  std::set<fs::path> seen;
  std::vector<fs::path> rest;
  for (const fs::path& program : programs) {
    std::error_code error;
    const auto real = fs::canonical(program, error);
    if (error || seen.insert(real).second) rest.push_back(program);
  }
  return rest;
}

bool is_called_a_bench(const fs::path& program) { return is_in_suite(program.filename().string(), kBenchGlob); }

// Where a glob fits benches and others, as 'fft*' fits fft_bench and fft_test, it means the benches.
std::vector<fs::path> matches_of(const std::vector<fs::path>& programs, const std::string& glob) {
  std::vector<fs::path> matches;
  for (const fs::path& program : programs)
    if (is_in_suite(program.filename().string(), glob)) matches.push_back(program);
  if (std::ranges::any_of(matches, is_called_a_bench)) std::erase_if(matches, std::not_fn(is_called_a_bench));
  return matches;
}

std::vector<BenchProgram> named(const fs::path& directory, const std::vector<fs::path>& programs) {
  std::map<std::string, int> count;
  for (const fs::path& program : programs) ++count[program.filename().string()];
  std::vector<BenchProgram> all;
  for (const fs::path& program : programs) {
    std::string name = program.filename().string();
    if (count[name] > 1) {
      name = program.lexically_relative(directory).string();
      std::ranges::replace(name, '/', '.');
    }
    all.push_back({fs::absolute(program), name});
  }
  std::ranges::sort(all, {}, &BenchProgram::name);
  return all;
}

fs::path common_directory(const fs::path& a, const fs::path& b) {
  fs::path common;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end() && *i == *j; ++i, ++j) common /= *i;
  return common;
}

// Two of one name from different places get what tells them apart in front of it, as two in one directory do.
void tell_apart(std::vector<BenchProgram>& programs) {
  std::map<std::string, std::vector<BenchProgram*>> by_name;
  for (BenchProgram& program : programs) by_name[program.name].push_back(&program);
  for (auto& [name, alike] : by_name) {
    if (alike.size() == 1) continue;
    fs::path common = alike.front()->path.parent_path();
    for (const BenchProgram* program : alike) common = common_directory(common, program->path.parent_path());
    for (BenchProgram* program : alike) {
      program->name = program->path.lexically_relative(common).string();
      std::ranges::replace(program->name, '/', '.');
    }
  }
  std::map<std::string, fs::path> seen;
  for (const BenchProgram& program : programs)
    if (const auto [other, fresh] = seen.emplace(program.name, program.path); !fresh)
      throw Failure(kBadInput, fmt::format("{} and {} would both be called '{}': name their places in two runs",
                                           other->second.string(), program.path.string(), program.name));
}

}  // namespace

bool is_in_suite(const std::string& name, const std::string& glob) {
  if (fnmatch(glob.c_str(), name.c_str(), 0) == 0) return true;
  constexpr std::string_view kEnding = "_bench";
  return name.ends_with(kEnding) && fnmatch(glob.c_str(), name.substr(0, name.size() - kEnding.size()).c_str(), 0) == 0;
}

std::vector<BenchProgram> discover(const fs::path& directory, const std::vector<std::string>& globs, bool deep) {
  std::error_code error;
  if (is_program(directory)) return {{fs::absolute(directory), directory.filename().string()}};
  if (!fs::is_directory(directory, error))
    throw Failure(kBadInput, fmt::format("{}: no such directory or program", directory.string()));
  const auto programs = without_links_to_the_same(programs_in(directory, deep));
  std::vector<std::string> wanted = globs;
  if (wanted.empty()) wanted.emplace_back(kBenchGlob);
  std::set<fs::path> chosen;
  for (const std::string& glob : wanted) {
    const std::vector<fs::path> matches = matches_of(programs, glob);
    chosen.insert(matches.begin(), matches.end());
    if (!matches.empty()) continue;
    std::vector<std::string> names;
    for (const fs::path& program : programs)
      if (is_called_a_bench(program)) names.push_back(program.filename().string());
    std::string there = names.empty() ? "" : fmt::format("; there are {}", fmt::join(names, ", "));
    if (const std::string guess = did_you_mean(glob, names); !guess.empty()) there = guess;
    throw Failure(kBadInput, fmt::format("{}: no bench executable is called '{}'{}", directory.string(), glob, there));
  }
  return named(directory, {chosen.begin(), chosen.end()});
}

std::vector<BenchProgram> discover_all(const std::vector<std::string>& places, const std::vector<std::string>& globs) {
  if (places.empty()) return discover(own_directory(), globs, false);
  std::vector<BenchProgram> all;
  std::set<fs::path> seen;
  for (const std::string& place : places)
    for (BenchProgram& program : discover(place, globs, true)) {
      std::error_code error;
      const fs::path real = fs::canonical(program.path, error);
      if (!error && !seen.insert(real).second) continue;
      program.path = program.path.lexically_normal();
      all.push_back(std::move(program));
    }
  tell_apart(all);
  return all;
}

fs::path own_directory() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

}  // namespace pawl::run
