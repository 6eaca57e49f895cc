// verdict.hpp -- what a comparison says: one Comparison per benchmark and metric, and their Judgement.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/interned.hpp"

namespace pawl::decide {

/// In the order of severity in which people see them.
enum class Verdict { failed, critical, removed, warning, inconclusive, improvement, added, stable };

struct Comparison {
  std::string name;          ///< of the benchmark
  std::string executable{};  ///< it is in; empty if unknown
  model::Interned metric;    ///< model::kRealTime and so on
  Verdict verdict = Verdict::inconclusive;
  double base = 0, now = 0;       ///< geometric mean of the process runs' values; NaN where a side has none
  double change = 0;              ///< now / base - 1: +0.05 is 5 % slower or larger
  double low = 0, high = 0;       ///< interval of `change` at Policy::confidence; infinite where it cannot be known
  double minimal_detectable = 0;  ///< smallest |change| these runs would have established; infinite if none
  std::optional<double> p_value, q_value;   ///< before and after the correction over the family
  std::size_t runs_base = 0, runs_new = 0;  ///< process runs that have this benchmark
  std::size_t more_runs = 0;         ///< INCONCLUSIVE: about how many more runs a side would settle it; 0 if not known
  double warning = 0, critical = 0;  ///< the thresholds that applied
  bool paired = false;               ///< judged on differences of neighbouring runs
  bool critical_path = false;
  bool gated = true;                  ///< false: information only
  std::string reason;                 ///< one line: why this verdict
  std::vector<std::string> warnings;  ///< what weakens it; never a reason to stop
  model::Interned time_unit, source;  ///< carried through for display
};

/// The warning of a comparison that no statistics stand behind.
inline constexpr const char* kByThresholdAlone = "one process run a side: judged by the thresholds alone";

struct Summary {
  std::size_t critical = 0, warning = 0, improvement = 0, stable = 0, inconclusive = 0, added = 0, removed = 0,
              failed = 0;
};

/// A change that all benchmarks share: usually the machine, not the code.
struct SuiteShift {
  double change = 0, low = 0, high = 0;
  std::optional<double> yardstick_change;  ///< how the yardsticks moved between the two sides, as a change of time
  std::string reason;
};

struct Judgement {
  std::vector<Comparison> comparisons;  ///< by severity, then by size of the change
  std::vector<Comparison> folded;       ///< of metrics nobody asked for: no change, or told by the time already
  Summary summary;                      ///< of `comparisons`
  std::optional<SuiteShift> shift;
  std::vector<std::string>
      notes;               ///< about the comparison as a whole, for example "one run a side: by threshold alone"
  bool comparable = true;  ///< false: nothing in common; never a pass
};

}  // namespace pawl::decide
