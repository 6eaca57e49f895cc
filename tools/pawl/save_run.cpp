// save_run.cpp -- see save_run.hpp.
#include "save_run.hpp"

#include <fmt/core.h>

#include <system_error>
#include <utility>

#include "baseline/results_file.hpp"
#include "failure.hpp"
#include "run/stop_signal.hpp"
#include "selected_part.hpp"
#include "show/text.hpp"

namespace pawl::commands {
namespace {

// Some executables of those that the baseline of this name has, and not all that there are.
bool is_named_part_of_old(const baseline::Store& store, const RunToSave& run) {
  const std::filesystem::path path = store.path_of(run.machine_key, run.name);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return false;
  try {
    return named_among_others(run.where, run.programs, baseline::read_results(path));
  } catch (const Failure&) {
    return false;  // of a damaged one nothing can be kept
  }
}

}  // namespace

void save_run(const baseline::Store& store, RunToSave run, model::ResultSet set, run::Progress& progress) {
  baseline::SaveOptions& how = run.options;
  how.here = run.machine_key;
  how.part = true;
  how.merge = is_named_part_of_old(store, run);
  how.on_wait = [&](bool is_first) {
    if (is_first) progress.log("waiting for another save of this machine's baselines", true);
    if (run::stop_signal() != 0)
      throw Failure(128 + run::stop_signal(),
                    fmt::format("stopped before '{0}' was saved; save it: pawl baseline save {0} --from {1}", run.name,
                                run.directory.string()));
  };
  const auto saved = baseline::save(store, run.name, std::move(set), how);
  progress.log(fmt::format("saved as {}", saved.path.string()));
  for (const std::string& note : saved.notes) progress.log("note: " + show::terminal_text(note));
}

}  // namespace pawl::commands
