// git.cpp -- see git.hpp.
#include "run/git.hpp"

#include <fmt/format.h>

#include <vector>

#include "failure.hpp"
#include "run/child_process.hpp"

namespace pawl::run {
namespace {

constexpr double kQuestionSeconds = 30;  // a question takes no time

namespace fs = std::filesystem;

Ended git(const fs::path& directory, std::vector<std::string> arguments, double timeout_s, bool despite_stop = false) {
  Command command;
  command.despite_stop = despite_stop;
  command.program = "/usr/bin/env";
  // None of the repository's hooks: a checkout of ours is nothing that they were written for.
  command.arguments = {"git", "-c", "core.hooksPath=/dev/null", "-C", directory.string()};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.timeout_s = timeout_s;
  // No question on a terminal that nobody watches.
  command.environment = {{"GIT_TERMINAL_PROMPT", "0"}, {"GIT_OPTIONAL_LOCKS", "0"}};
  command.unset = variables_of_a_hook();
  return run_child(command);
}

// The answer of a question that takes no time; empty if there is none.
std::string ask(const fs::path& directory, std::vector<std::string> arguments, bool despite_stop = false) {
  try {
    const Ended ended = git(directory, std::move(arguments), kQuestionSeconds, despite_stop);
    return ended.ok() ? last_lines(ended.output, 1) : "";
  } catch (const StartError&) {
    return "";
  }
}

}  // namespace

const std::vector<std::string>& variables_of_a_hook() {
  static const std::vector<std::string> kNames = {"GIT_DIR",    "GIT_INDEX_FILE",       "GIT_WORK_TREE",
                                                  "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"};
  return kNames;
}

std::optional<Checkout> checkout_of(const fs::path& directory) {
  // What a stopped run keeps must say what code it measured, or a changed tree could become a baseline.
  constexpr bool kDespiteStop = true;
  Checkout checkout;
  checkout.commit = ask(directory, {"rev-parse", "--verify", "--quiet", "HEAD"}, kDespiteStop);
  if (checkout.commit.empty()) return std::nullopt;
  checkout.dirty = !ask(directory, {"status", "--porcelain", "--untracked-files=no"}, kDespiteStop).empty();
  return checkout;
}

fs::path repository_of(const fs::path& directory) { return ask(directory, {"rev-parse", "--show-toplevel"}); }

std::string refusal_of(const fs::path& directory) {
  std::error_code error;
  fs::path at = fs::absolute(directory, error);
  while (!fs::exists(at / ".git", error)) {
    if (!at.has_relative_path()) return "";
    at = at.parent_path();
  }
  try {
    constexpr std::size_t kLines = 5;
    const Ended ended = git(directory, {"rev-parse", "--show-toplevel"}, kQuestionSeconds);
    return ended.ok() ? "" : last_lines(ended.errors, kLines);
  } catch (const StartError& failure) {
    return failure.what();
  }
}

std::optional<std::string> commit_named(const fs::path& repository, const std::string& ref) {
  if (ref.starts_with('-')) return std::nullopt;
  const std::string commit = ask(repository, {"rev-parse", "--verify", "--quiet", ref + "^{commit}"});
  if (commit.empty()) return std::nullopt;
  return commit;
}

WorkTree::WorkTree(fs::path repository, const std::string& commit, fs::path path)
    : repository_(std::move(repository)), path_(std::move(path)) {
  try {
    add(commit);
  } catch (...) {
    remove();
    throw;
  }
}

WorkTree::~WorkTree() { remove(); }

void WorkTree::add(const std::string& commit) {
  constexpr double kPatienceSeconds = 600;  // a large repository on a slow disk
  const auto must = [&](const fs::path& where, std::vector<std::string> arguments) {
    const std::string what = arguments.front();
    const Ended ended = git(where, std::move(arguments), kPatienceSeconds);
    if (!ended.ok())
      throw Failure(kBadInput, fmt::format("git {} of {} in {}: {}: {}", what, commit.substr(0, 12), path_.string(),
                                           how_it_ended(ended, kPatienceSeconds), last_lines(ended.errors, 1)));
  };
  must(repository_, {"worktree", "add", "--detach", "--force", path_.string(), commit});
  if (fs::exists(path_ / ".gitmodules")) must(path_, {"submodule", "update", "--init", "--recursive"});
}

void WorkTree::remove() noexcept {
  // By hand and not by `git worktree remove`, which refuses one with submodules.
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  constexpr double kPatienceSeconds = 60;
  try {
    // One whose `add` was killed is locked still, and prune passes over what is locked.
    git(repository_, {"worktree", "unlock", path_.string()}, kPatienceSeconds, true);
    git(repository_, {"worktree", "prune"}, kPatienceSeconds, true);
  } catch (const std::exception&) {
    // The next `git worktree prune` does it.
    return;
  }
}

}  // namespace pawl::run
