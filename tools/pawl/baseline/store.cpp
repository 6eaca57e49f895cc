// store.cpp -- the files of saved baselines.
#include "baseline/store.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "baseline/results_file.hpp"
#include "baseline/whole_file.hpp"
#include "failure.hpp"
#include "output_file.hpp"

namespace pawl::baseline {
namespace {

namespace fs = std::filesystem;

fs::path backup_of(const fs::path& path) { return fs::path(path).concat(".bak"); }

// What a killed process left: .<name>.json.XXXXXX.tmp and the same of the copy.
void remove_stale_temporaries(const fs::path& path) {
  constexpr std::string_view kEnding = ".XXXXXX.tmp";
  const std::string file = "." + path.filename().string();
  std::vector<fs::path> stale;
  std::error_code error;
  for (fs::directory_iterator entry(path.parent_path(), error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    for (const std::string& start : {file, file + ".bak"})
      if (name.starts_with(start + ".") && name.ends_with(".tmp") && name.size() == start.size() + kEnding.size())
        stale.push_back(entry->path());
  }
  for (const fs::path& temporary : stale) fs::remove(temporary, error);
}

}  // namespace

std::string name_problem(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.front() == '.' || name.front() == '-') return "starts with '.' or '-'";
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+";
  if (name.find_first_not_of(kLetters) != std::string_view::npos)
    return "has something else than letters, digits and . _ - +";
  constexpr std::size_t kLongest = 100;  // file names end at 255 bytes, with room for suffixes
  if (name.size() > kLongest) return fmt::format("is longer than {} letters", kLongest);
  return "";
}

std::vector<Entry> Store::list() const {
  std::vector<Entry> entries;
  std::error_code error;
  for (fs::directory_iterator machine(directory_, error), end; !error && machine != end; machine.increment(error)) {
    std::error_code ignored;
    if (!machine->is_directory(ignored)) continue;
    std::error_code inner;
    for (fs::directory_iterator file(machine->path(), inner); !inner && file != end; file.increment(inner)) {
      if (file->path().extension() != ".json" || file->path().filename().string().starts_with('.')) continue;
      entries.push_back({machine->path().filename().string(), file->path().stem().string(), file->path()});
    }
  }
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    return std::tie(a.machine_key, a.name) < std::tie(b.machine_key, b.name);
  });
  return entries;
}

std::optional<Entry> Store::find(std::string_view name, std::string_view machine_key) const {
  std::vector<Entry> matches;
  for (Entry& entry : list()) {
    const bool here = entry.name == name && entry.machine_key == machine_key;
    if (here || fmt::format("{}/{}", entry.machine_key, entry.name) == name) return std::move(entry);
    if (entry.name == name) matches.push_back(std::move(entry));
  }
  if (matches.empty()) return std::nullopt;
  if (matches.size() == 1) return matches.front();
  std::vector<std::string> names;
  for (const Entry& entry : matches) names.push_back(entry.machine_key + "/" + entry.name);
  throw Failure(kNothingToCompare,
                fmt::format("baseline '{}' is not saved for this machine ({}), but for several others: "
                            "{}; name one of them in full",
                            name, machine_key, fmt::join(names, ", ")));
}

fs::path Store::path_of(std::string_view machine_key, std::string_view name) const {
  return directory_ / machine_key / fmt::format("{}.json", name);
}

StoreLock Store::lock(std::string_view machine_key, const OnLockWait& on_wait) const {
  const fs::path directory = directory_ / machine_key;
  make_directory(directory);
  return StoreLock(directory, on_wait);
}

fs::path Store::save(std::string_view name, const model::ResultSet& set, const StoreLock& lock) const {
  fs::path path = path_of(set.machine.key, name);
  if (lock.held()) remove_stale_temporaries(path);
  std::error_code error;
  if (fs::exists(path, error)) {
    // A copy, not a rename: if writing the new one fails, the old one must still be there. And whole or not at all: the
    // copy before it may be the only good one.
    try {
      write_file(backup_of(path), read_whole(path));
    } catch (const Failure& failure) {
      throw Failure(kBadInput,
                    fmt::format("cannot keep a copy of the old baseline, nothing was saved: {}", failure.line));
    }
  }
  write_results(path, set);
  return path;
}

fs::path Store::remove(const Entry& entry, const OnLockWait& on_wait) const {
  const StoreLock lock(entry.path.parent_path(), on_wait);
  fs::path backup = backup_of(entry.path);
  std::error_code error;
  fs::rename(entry.path, backup, error);
  if (error) throw Failure(kBadInput, fmt::format("{}: cannot be removed: {}", entry.path.string(), error.message()));
  return backup;
}

fs::path find_store(const fs::path& from) {
  std::error_code error;
  fs::path at = fs::absolute(from, error);
  if (error) at = from;
  const fs::path start = at;
  for (;; at = at.parent_path()) {
    if (fs::is_directory(at / "baselines", error)) return at / "baselines";
    if (fs::exists(at / ".git", error)) return at / "baselines";
    if (at == at.parent_path()) return start / "baselines";
  }
}

Store open_store(const std::string& directory_option) {
  if (!directory_option.empty()) return Store(directory_option);
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const fs::path found = find_store(here), near = fs::proximate(found, here, error);
  return Store(error ? found : near);
}

}  // namespace pawl::baseline
