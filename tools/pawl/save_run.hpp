// save_run.hpp -- the results of `pawl run` -> a baseline of the name that --save-baseline gave.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "baseline/save.hpp"
#include "baseline/store.hpp"
#include "model/results.hpp"
#include "run/discover.hpp"
#include "run/progress.hpp"

namespace pawl::commands {

struct RunToSave {
  std::string name, machine_key;
  std::filesystem::path directory;        ///< where the results are kept, whatever becomes of the baseline
  const std::vector<std::string>& where;  ///< as asked for
  const std::vector<run::BenchProgram>& programs;
  baseline::SaveOptions options;
};

/// A part of what the old baseline has replaces only itself. Says on `progress` where the baseline is, and what is
/// worth knowing of it. Errors  Failure of baseline::save(); 128 + signal where a stop is asked for while another save
/// is waited for.
void save_run(const baseline::Store& store, RunToSave run, model::ResultSet set, run::Progress& progress);

}  // namespace pawl::commands
