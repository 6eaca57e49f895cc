// save.hpp -- results that may become a baseline -> a saved baseline, or the reason why not.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "baseline/store.hpp"
#include "model/results.hpp"

namespace pawl::baseline {

struct SaveOptions {
  std::string platform;      ///< file under this key instead of the machine's own
  std::string here;          ///< key of this machine: for results that don't say theirs
  bool allow_dirty = false;  ///< though the measured work tree had changes
  bool allow_debug = false;  ///< though the code was built without optimization
  OnLockWait on_wait{};      ///< while another process saves
  bool merge = false;        ///< keep what the old baseline has and these results don't
  bool part = false;         ///< the same where --suite, --filter or --quick chose another part than the old one is of
};

struct Saved {
  std::filesystem::path path;
  std::vector<std::string> notes;  ///< for people: what was assumed, kept or replaced
};

/// Checks and writes. Errors: Failure(kBadInput) for a name that can't be a file, results without any measurement, a
/// dirty tree or a Debug build that were not allowed; the old baseline is then unchanged.
Saved save(const Store& store, std::string_view name, model::ResultSet set, const SaveOptions& options);

/// The old baseline's benchmarks that `now` does not have, beside all of `now`; processes that nothing refers to are
/// left out. Settings that say which rows were chosen (suite, filter, quick) stay where they are true of both. Pure.
model::ResultSet merged(model::ResultSet old, model::ResultSet now);

}  // namespace pawl::baseline
