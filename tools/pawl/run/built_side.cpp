// built_side.cpp -- see built_side.hpp.
#include "run/built_side.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>

#include "failure.hpp"
#include "output_file.hpp"
#include "run/child_process.hpp"
#include "run/discover.hpp"
#include "run/stop_signal.hpp"

namespace pawl::run {
namespace {

namespace fs = std::filesystem;

fs::path make_scratch() {
  std::error_code error;
  const fs::path directory = fs::temp_directory_path(error);
  if (error) {
    const char* const set = std::getenv("TMPDIR");
    throw Failure(kBadInput, fmt::format("TMPDIR={}: no directory for the work trees: {}", set != nullptr ? set : "",
                                         error.message()));
  }
  std::string pattern = (directory / "pawl-ab-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw Failure(kBadInput,
                  fmt::format("{}: cannot make a directory for the work trees: {}", pattern, std::strerror(errno)));
  return pattern;
}

}  // namespace

std::string default_build_command(const fs::path& bench_dir, unsigned jobs) {
  // Tests are not what is compared; both spellings, for a project that does not know one ignores it.
  return fmt::format(
      "cmake -S . -B '{0}' -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DPAWL_TESTS=OFF && "
      "cmake --build '{0}' --parallel {1}",
      bench_dir.string(), jobs);
}

BuiltSides::BuiltSides(const std::string& base, const std::string& now, const SideSource& source, Progress& progress)
    : source_(source), progress_(progress) {
  try {
    sides_.push_back(resolve(base, "base"));
    // As long as "base": a path that is longer moves strings and stacks, which is noise between the two builds.
    sides_.push_back(stop_signal() != 0 ? BuiltSide{} : resolve(now, "head"));
  } catch (...) {
    trees_.clear();
    std::error_code ignored;
    if (!scratch_.empty()) fs::remove_all(scratch_, ignored);
    throw;
  }
  // A single executable a side is compared with the other one's, whatever they are called.
  if (sides_[0].programs.size() == 1 && sides_[1].programs.size() == 1)
    sides_[1].programs[0].name = sides_[0].programs[0].name;
}

BuiltSides::~BuiltSides() {
  trees_.clear();
  std::error_code ignored;
  if (!scratch_.empty()) fs::remove_all(scratch_, ignored);
}

BuiltSide BuiltSides::resolve(const std::string& text, const char* name) {
  std::error_code error;
  if (fs::exists(text, error)) return {text, "", discover(text, source_.suites, true)};
  const fs::path repository = repository_of(fs::current_path());
  if (repository.empty()) {
    const std::string refusal = refusal_of(fs::current_path());
    if (!refusal.empty())
      throw Failure(kBadInput, fmt::format("{}: neither a build directory nor an executable; git does not take this "
                                           "repository:\n{}",
                                           text, refusal));
  }
  const auto commit = repository.empty() ? std::nullopt : commit_named(repository, text);
  if (!commit)
    throw Failure(kBadInput, fmt::format("{}: neither a build directory nor an executable{}", text,
                                         repository.empty() ? " (and this is no git repository, so no ref either)"
                                                            : " nor a ref of this git repository"));
  return build(text, *commit, repository, name);
}

BuiltSide BuiltSides::build(const std::string& text, const std::string& commit, const fs::path& repository,
                            const char* name) {
  if (scratch_.empty()) scratch_ = make_scratch();
  progress_.log(fmt::format("==> building {} ({}) in a work tree of its own", text, commit.substr(0, 10)));
  try {
    trees_.push_back(std::make_unique<WorkTree>(repository, commit, scratch_ / name));
  } catch (const Failure&) {
    if (stop_signal() == 0) throw;
    return {};
  }
  const fs::path tree = trees_.back()->path();
  const unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  Command command;
  command.program = "/bin/sh";
  command.arguments = {
      "-c", source_.build_command.empty() ? default_build_command(source_.bench_dir, jobs) : source_.build_command};
  command.directory = tree;
  command.unset = variables_of_a_hook();
  command.kept_bytes = std::size_t{16} << 20;
  const auto begin = std::chrono::steady_clock::now();
  command.tick_s = 1;
  command.on_tick = [&] {
    const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    progress_.show({0, 0, fmt::format("building {}, {}", text, duration_text(s)), "", {}});
  };
  const Ended ended = run_child(command);
  progress_.clear();
  if (ended.interrupted) return {};
  const fs::path log = source_.logs / fmt::format("build-{}.log", name);
  write_file(log, ended.output + ended.errors);
  if (!ended.ok())
    throw Failure(kBadInput,
                  fmt::format("the build of {} failed: {}; all of it: {}\n{}", text, how_it_ended(ended, 0),
                              log.string(), last_lines(ended.errors.empty() ? ended.output : ended.errors, 5)));
  return {text, commit, discover(tree / source_.bench_dir, source_.suites, true)};
}

}  // namespace pawl::run
