// store.hpp -- the directory baselines/ <-> saved baselines: <machine key>/<name>.json.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "baseline/store_lock.hpp"
#include "model/results.hpp"

namespace pawl::baseline {

/// A saved baseline, by where it is.
struct Entry {
  std::string machine_key, name;
  std::filesystem::path path;
};

class Store {
 public:
  explicit Store(std::filesystem::path directory) : directory_(std::move(directory)) {}

  const std::filesystem::path& directory() const { return directory_; }

  /// All of them, by machine and name. A store that does not exist is empty.
  std::vector<Entry> list() const;

  /// `name` is NAME or MACHINE/NAME. NAME alone is taken from `machine_key` if it is there, else from the only other
  /// machine that has it. Errors: Failure(kNothingToCompare) if several others have it.
  std::optional<Entry> find(std::string_view name, std::string_view machine_key) const;

  std::filesystem::path path_of(std::string_view machine_key, std::string_view name) const;

  /// Holds a machine's baselines, whose directory is made if need be: from reading what is replaced to the end of
  /// save(). Waits for whoever holds them.
  StoreLock lock(std::string_view machine_key, const OnLockWait& on_wait = {}) const;

  /// Writes the set under its machine's key, of which `lock` is; what was there before becomes <name>.json.bak, and
  /// what killed processes left is removed. Returns the path.
  std::filesystem::path save(std::string_view name, const model::ResultSet& set, const StoreLock& lock) const;
  std::filesystem::path save(std::string_view name, const model::ResultSet& set) const {
    return save(name, set, lock(set.machine.key));
  }

  /// Turns it into <name>.json.bak, whose path it returns.
  std::filesystem::path remove(const Entry& entry, const OnLockWait& on_wait = {}) const;

 private:
  std::filesystem::path directory_;
};

/// Where baselines are, seen from `from`: the nearest baselines/ upward, not beyond the root of the repository; if
/// there is none, the place where a new one belongs: beside .git, else in `from`.
std::filesystem::path find_store(const std::filesystem::path& from);

/// What --dir says, else find_store() from the working directory, as a path relative to it.
Store open_store(const std::string& directory_option);

/// Why `name` can't name a baseline (it becomes a file name); empty if it can.
std::string name_problem(std::string_view name);

}  // namespace pawl::baseline
