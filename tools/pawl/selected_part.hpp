// selected_part.hpp -- what a run was asked to measure -> the part of a baseline that it is compared with.
#pragma once
#include <string>
#include <vector>

#include "measure_options.hpp"
#include "model/results.hpp"
#include "run/session.hpp"

namespace pawl {

struct RowName {
  std::string executable, name;
};

struct Selection {
  std::vector<std::string> suites;     ///< globs of --suite; empty: all executables
  std::string filter;                  ///< of --filter; empty: all rows
  std::vector<std::string> programs;   ///< that are run, whatever the globs say
  std::vector<RowName> measured;       ///< rows that they have, as selected
  std::vector<RowName> without_quick;  ///< rows that they have without --quick; empty: that leaves out nothing
  bool programs_alone = false;         ///< the programs are all that was asked for (named_alone())
};

/// Of a run whose session has listed its rows. Asks the programs for the rows that --quick leaves out, since nobody
/// else knows them, unless the baseline is of a quick run too: what that has and a quick run lacks is missing.
Selection selection_of(const MeasureOptions& options, const run::Session& session,
                       const std::vector<run::BenchProgram>& programs, const model::ResultSet& base);

/// Whether `where` names executables, all of which are in `base`: then they are a part of it. One of another name may
/// be the baseline's, renamed, whose rows that are gone are missing.
bool named_alone(const std::vector<std::string>& where, const std::vector<run::BenchProgram>& programs,
                 const model::ResultSet& base);

/// Whether they are, and `base` has others as well.
bool named_among_others(const std::vector<std::string>& where, const std::vector<run::BenchProgram>& programs,
                        const model::ResultSet& base);

/// Drops the benchmarks of `base` that were left out on request. What is selected and not measured stays, for that is
/// REMOVED; so does what the selection cannot tell: rows of no known executable, all rows where the filter is no
/// expression that is safe here. Pure. Returns notes, one line each; none if nothing was asked for or dropped.
std::vector<std::string> keep_selected(model::ResultSet& base, const Selection& selection);

}  // namespace pawl
