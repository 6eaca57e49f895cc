// git.hpp -- a directory -> the commit that is checked out there; a ref -> a work tree of its own.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pawl::run {

struct Checkout {
  std::string commit;  ///< full hash
  bool dirty = false;  ///< tracked files differ from it
};

/// What git tells its hooks about the repository and the index that it works on. A child that works on another work
/// tree must not have them: its git would write the caller's index.
const std::vector<std::string>& variables_of_a_hook();

/// Nothing outside a repository, or without git. Asks git after a stop signal too.
std::optional<Checkout> checkout_of(const std::filesystem::path& directory);

/// The top of the work tree that holds `directory`; empty outside a repository.
std::filesystem::path repository_of(const std::filesystem::path& directory);

/// Git's own words where a .git stands in `directory` or above it and git takes no repository from it, as of one that
/// another user owns; empty elsewhere.
std::string refusal_of(const std::filesystem::path& directory);

/// The commit that a ref (branch, tag, HEAD~3, hash) names in this repository; nothing if it names none.
std::optional<std::string> commit_named(const std::filesystem::path& repository, const std::string& ref);

/// A detached checkout of a commit in a directory of its own, gone when the object dies. The repository's own work tree
/// is not touched. Submodules are checked out too.
class WorkTree {
 public:
  /// `path` must not exist. Errors: Failure(kBadInput) with git's last words.
  WorkTree(std::filesystem::path repository, const std::string& commit, std::filesystem::path path);
  ~WorkTree();
  WorkTree(const WorkTree&) = delete;
  WorkTree& operator=(const WorkTree&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  void add(const std::string& commit);
  void remove() noexcept;

  std::filesystem::path repository_, path_;
};

}  // namespace pawl::run
