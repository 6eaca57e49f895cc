// diagnosis.hpp -- facts about a machine and its builds -> what makes measurements bad there, each with its fix.
//
// Pure: facts come in as values (facts.hpp collects them), so that every machine can be tested without having it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pawl/machine.hpp"

namespace pawl::doctor {

/// A bench executable that was found, and what it says about itself.
struct BenchFacts {
  std::string name;
  bool runs = false;                      ///< it started and listed its rows
  std::optional<std::string> build_type;  ///< absent for benches without pawl::bench_main
  std::optional<std::string> commit;
  std::string problem;  ///< why it does not run
};

struct Facts {
  MachineInfo machine;
  std::optional<int> perf_event_paranoid;
  std::optional<bool> hardware_counters;    ///< the CPU's cycle counter can be opened; absent if not tried
  std::optional<double> steal, other_busy;  ///< shares of all cores' time, watched for a moment
  int core_looks = 0, core_shared = 0;      ///< looks at the core, and those that met another hardware thread on it
  std::optional<std::uint64_t> free_disk_bytes;
  std::optional<std::string> work_tree_commit;
  std::vector<BenchFacts> benches;
  bool benches_are_meant = true;           ///< somebody named the directory where they should be
  std::vector<std::string> missing_tools;  ///< of the build: cmake, a compiler, git
  std::vector<std::string> peer_choices;  ///< "OPENBLAS_CORETYPE=Haswell": what makes a peer take another CPU's kernels
};

enum class Severity { fine, note, bad };

struct Finding {
  Severity severity = Severity::fine;
  std::string subject;  ///< "governor"
  std::string found;    ///< "powersave"
  std::string fix;      ///< empty if there is nothing to do
};

/// One finding per subject, in a fixed order. What is not known is a note that says "unknown", never a guess.
std::vector<Finding> diagnose(const Facts& facts);

}  // namespace pawl::doctor
